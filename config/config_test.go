package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/config"
	"brenner/roster"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T, file, as string) config.Config {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(as, src)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// R5: the seed's example loads unchanged; and R6: it defines the preset that
// is also built in.
func TestParse_SeedExampleLoadsUnchanged(t *testing.T) {
	c := load(t, "seed.config.ts", config.TSFile)
	want := config.Default()
	want.Roster.Presets = roster.BuiltinPresets()
	want.Roster.DefaultPreset = "default-3-agent"
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

// R5: YAML, JSON and the TypeScript literal say the same thing.
func TestParse_FormsAreEqual(t *testing.T) {
	yaml := load(t, "full.brennerrc", config.RCFile)
	ts := load(t, "full.config.ts", config.TSFile)
	if diff := cmp.Diff(yaml, ts); diff != "" {
		t.Errorf("YAML and TypeScript differ:\n%s", diff)
	}
	json, err := config.Parse(config.RCFile, yaml.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(yaml, json); diff != "" {
		t.Errorf("YAML and canonical JSON differ:\n%s", diff)
	}
	if yaml.Digest() != ts.Digest() || yaml.Digest() != json.Digest() {
		t.Error("equal configurations have different digests")
	}
	if yaml.Digest() == config.Default().Digest() {
		t.Error("different configurations have one digest")
	}
}

func TestParse_ReadsEveryPart(t *testing.T) {
	c := load(t, "full.brennerrc", config.RCFile)
	want := config.Config{
		Modules: []config.Module{{Name: "core"}, {Name: "imaging", Description: "Microscopy and what it shows"}},
		Types: []config.Type{
			{
				Name: "protocol_note", Title: "Protocol note", Core: true, Singleton: "module", Contextual: true, Format: "json",
				Schema: []byte(`{"properties":{"steps":{"items":{"type":"string"},"type":"array"}},"required":["steps"],"type":"object"}`),
			},
			{Name: "sketch", Format: "text"},
		},
		Roster: roster.Settings{
			Roster: roster.Roster{Name: "House team", Entries: []roster.Entry{
				{AgentName: "BlueLake", Role: "hypothesis_generator", Program: "codex-cli"},
				{AgentName: "PurpleMountain", Role: "test_designer", Notes: "prefers études"},
			}},
			Presets: []roster.Preset{{
				ID: "pair", Name: "Pair",
				Entries:          []roster.Place{{Role: "hypothesis_generator"}, {Role: "adversarial_critic"}},
				PlaceholderNames: []string{"MAKER", "BREAKER"},
			}},
			DefaultPreset: "pair",
		},
		Prompts: map[string]config.Prompt{
			"test_designer": {Path: "prompts/tests.md"},
			"unified":       {Text: "Work alone.\nAnswer with deltas.\n"},
		},
		Priority:             []brenner.ActorName{"PurpleMountain", "BlueLake"},
		CompressionThreshold: 12,
		Policies:             map[brenner.Role]jsonValue{"pi": jsonValue(`{"promote":true}`)},
		Views:                map[brenner.Role]jsonValue{"test_designer": jsonValue(`{"budget":8000}`)},
		Playbook: config.Playbook{
			Threshold: 0.85,
			Embedding: config.Embedding{Provider: "openai", URL: "http://127.0.0.1:11434/v1", Model: "nomic-embed-text"},
		},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

// R5: what a plain YAML value means.
func TestParse_YAMLScalars(t *testing.T) {
	for src, want := range map[string]string{
		"1e3": "1000", "-0.50": "-0.5", "0x1F": "31", "0o17": "15", "12": "12", "12345678901234567890": "12345678901234567000",
		"on": `"on"`, "yes": `"yes"`, "true": "true", "~": "null", "'1e3'": `"1e3"`, `"12"`: `"12"`, "2025-12-30": `"2025-12-30"`,
		"|\n    a\n    b\n": `"a\nb\n"`, ">-\n    a\n    b\n": `"a b"`, `"\u00e9\U0001f600"`: `"é😀"`, "a\tb": `"a\tb"`, ".5": "0.5", "+3": "3", "1:30": `"1:30"`,
		"\n    a\n    # no text\n": `"a"`, "|\n    a: \n    - \n": `"a: \n- \n"`, "1.2.3": `"1.2.3"`,
	} {
		c, err := config.Parse(config.RCFile, []byte("policies:\r\n  pi: "+src))
		if err != nil || string(c.Policies["pi"]) != want {
			t.Errorf("%s gives %s, want %s: %v", src, c.Policies["pi"], want, err)
		}
	}
}

func TestParse_EmptyFileIsTheDefault(t *testing.T) {
	for _, src := range []string{"", "\n", "# nothing yet\n", "---\n", "{}", "\ufeff{}", "\ufeff# bom\n"} {
		c, err := config.Parse(config.RCFile, []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if c.Digest() != config.Default().Digest() {
			t.Errorf("%q is not the default: %s", src, c.Canonical())
		}
	}
}

// R5: anything else is an error with line and column.
func TestParse_RefusesWithLineAndColumn(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for _, c := range []struct {
		name, file, src string
		code            brenner.Code
		line, column    int
		says            string
	}{
		{"call", config.TSFile, "export default defineConfig({});", brenner.CodeInvalidConfig, 1, 16, "`defineConfig`"},
		{"import", config.TSFile, "import x from 'y';\nexport default {};", brenner.CodeInvalidConfig, 1, 1, "`export default`"},
		{"import of a value", config.TSFile, "import type A from 'a';\nimport { type B } from 'b';\nexport default {};", brenner.CodeInvalidConfig, 2, 1, "`export default`"},
		{"import of nothing", config.TSFile, "import type from;", brenner.CodeInvalidConfig, 1, 17, "where the types are from"},
		{"import of code", config.TSFile, "import type (x);", brenner.CodeInvalidConfig, 1, 13, "the names of types"},
		{"named export", config.TSFile, "export const x = {};", brenner.CodeInvalidConfig, 1, 8, "`const`"},
		{"commonjs", config.TSFile, "module.exports = {};", brenner.CodeInvalidConfig, 1, 1, "`export default`"},
		{"two statements", config.TSFile, "export default {};\nfetch('x')", brenner.CodeInvalidConfig, 2, 1, "`fetch`"},
		{"spread", config.TSFile, "export default {\n  ...base,\n};", brenner.CodeInvalidConfig, 2, 3, "`...`"},
		{"spread in a list", config.TSFile, "export default {modules: [...m]};", brenner.CodeInvalidConfig, 1, 27, "`...`"},
		{"shorthand", config.TSFile, "export default { modules };", brenner.CodeInvalidConfig, 1, 26, "`:` after the key modules"},
		{"method", config.TSFile, "export default { modules() { return [] } };", brenner.CodeInvalidConfig, 1, 25, "`(`"},
		{"computed key", config.TSFile, "export default { ['a' + 'b']: 1 };", brenner.CodeInvalidConfig, 1, 18, "a key"},
		{"environment", config.TSFile, "export default { prompts: process.env.X };", brenner.CodeInvalidConfig, 1, 27, "`process`"},
		{"interpolation", config.TSFile, "export default { modules: [`a${b}`] };", brenner.CodeInvalidConfig, 1, 30, "code, not data"},
		{"concatenation", config.TSFile, "export default { modules: ['a' + 'b'] };", brenner.CodeInvalidConfig, 1, 32, "`+`"},
		{"ternary", config.TSFile, "export default { modules: true ? [] : [] };", brenner.CodeInvalidConfig, 1, 32, "`?`"},
		{"arrow", config.TSFile, "export default () => ({});", brenner.CodeInvalidConfig, 1, 16, "`(`"},
		{"undefined", config.TSFile, "export default { modules: undefined };", brenner.CodeInvalidConfig, 1, 27, "`undefined`"},
		{"hexadecimal", config.TSFile, "export default { compression_threshold: 0x10 };", brenner.CodeInvalidConfig, 1, 41, "number"},
		{"octal", config.TSFile, "export default { compression_threshold: 010 };", brenner.CodeInvalidConfig, 1, 41, "number"},
		{"big", config.TSFile, "export default { compression_threshold: 10n };", brenner.CodeInvalidConfig, 1, 41, "number"},
		{"infinite", config.TSFile, "export default { compression_threshold: 1e999 };", brenner.CodeInvalidConfig, 1, 41, "number"},
		{"unknown constant", config.TSFile, "const a = {}; export default b", brenner.CodeInvalidConfig, 1, 30, "`b`"},
		{"let", config.TSFile, "let a = {}; export default a", brenner.CodeInvalidConfig, 1, 1, "`let`"},
		{"open string", config.TSFile, "export default { modules: ['a\n'] };", brenner.CodeInvalidConfig, 1, 28, "does not end"},
		{"open comment", config.TSFile, "export default { /* x };", brenner.CodeInvalidConfig, 1, 18, "comment"},
		{"open object", config.TSFile, "export default { modules: []", brenner.CodeInvalidConfig, 1, 29, "the end of the file"},
		{"lone surrogate", config.TSFile, `export default { modules: ["\ud800"] };`, brenner.CodeInvalidConfig, 1, 29, "escape"},
		{"octal escape", config.TSFile, `export default { modules: ["\0"] };`, brenner.CodeInvalidConfig, 1, 29, "escape"},
		{"escaped NUL", config.TSFile, `export default { modules: ["\x00"] };`, brenner.CodeInvalidConfig, 1, 28, "U+0000"},
		{"empty", config.TSFile, "// nothing\n", brenner.CodeInvalidConfig, 2, 1, "the end of the file"},
		{"hole", config.TSFile, "export default { modules: ['a',,'b'] };", brenner.CodeInvalidConfig, 1, 32, "`,`"},
		{"deep literal", config.TSFile, "export default {modules: " + deep + "}", brenner.CodeLimitExceeded, 1, 89, "deeper"},

		{"cut JSON", config.RCFile, `{"modules": [`, brenner.CodeInvalidConfig, 1, 14, "ends too early"},
		{"trailing comma", config.RCFile, "{\"modules\": [\n\"a\",]}", brenner.CodeInvalidConfig, 2, 5, "not valid JSON"},
		{"two values", config.RCFile, "{}\n{}", brenner.CodeInvalidConfig, 2, 1, "after the end"},
		{"duplicate key", config.RCFile, `{"é": 1, "é": 2}`, brenner.CodeInvalidConfig, 1, 10, "twice"},
		{"deep JSON", config.RCFile, `{"modules": ` + deep + "}", brenner.CodeLimitExceeded, 1, 76, "deeper"},

		{"not YAML", config.RCFile, "modules:\n  - [a\n", brenner.CodeInvalidConfig, 3, 1, "a flow sequence from 2:5 on"},
		{"tab", config.RCFile, "roster:\n\tmode: unified", brenner.CodeInvalidConfig, 2, 1, "not valid YAML"},
		{"duplicate in YAML", config.RCFile, "modules: []\nmodules: []\n", brenner.CodeInvalidConfig, 2, 1, "stands twice"},
		{"anchor", config.RCFile, "modules: &m [a]\n", brenner.CodeInvalidConfig, 1, 10, "an anchor"},
		{"alias", config.RCFile, "modules: *m\n", brenner.CodeInvalidConfig, 1, 10, "unknown anchor"},
		{"merge key", config.RCFile, "roster:\n  <<: {mode: unified}\n", brenner.CodeInvalidConfig, 2, 3, "a merge key"},
		{"tag", config.RCFile, "modules: !!binary aGk=\n", brenner.CodeInvalidConfig, 1, 10, "a tag"},
		{"complex key", config.RCFile, "? [modules]\n: []\n", brenner.CodeInvalidConfig, 1, 3, "a list or an object as a key"},
		{"tag before settings", config.RCFile, "modules: !own\n  - a\npriority: [b]\n", brenner.CodeInvalidConfig, 1, 10, "a tag"},
		{"tag of nothing", config.RCFile, "policies: {pi: ! 12}\n", brenner.CodeInvalidConfig, 1, 16, "a tag"},
		{"anchored key", config.RCFile, "&m modules: [a]\n", brenner.CodeInvalidConfig, 1, 1, "an anchor"},
		{"empty document first", config.RCFile, "---\n---\nmodules: [a]\n", brenner.CodeInvalidConfig, 2, 1, "second YAML document"},
		{"end of document", config.RCFile, "modules: [a]\n...\npriority: [b]\n", brenner.CodeInvalidConfig, 3, 1, ""},
		{"empty item", config.RCFile, "modules:\n  -\n  - a\npriority: [b]\n", brenner.CodeInvalidConfig, 2, 4, "null where"},
		{"no value", config.RCFile, "modules:\npriority: [b]\n", brenner.CodeInvalidConfig, 1, 9, "null where"},
		{"truth as key", config.RCFile, "roster:\n  true: x\n", brenner.CodeInvalidConfig, 2, 3, "not a string"},
		{"nothing as key", config.RCFile, "roster:\n  : x\n", brenner.CodeInvalidConfig, 2, 3, "expected key"},
		{"colon without a blank", config.RCFile, "roster:\nmode:unified\n", brenner.CodeInvalidConfig, 3, 1, "not valid YAML"},
		{"underscores", config.RCFile, "compression_threshold: 1_000\n", brenner.CodeInvalidConfig, 1, 24, "text to others"},
		{"binary", config.RCFile, "policies: {pi: 0b11}\n", brenner.CodeInvalidConfig, 1, 16, "text to others"},
		{"comment that ends", config.RCFile, "# \u2028modules: [a]\n", brenner.CodeInvalidConfig, 1, 3, "U+2028"},
		{"pair of surrogates", config.RCFile, `modules: ["\ud83d\ude00"]`, brenner.CodeInvalidConfig, 1, 14, "escape"},
		{"text as number", config.RCFile, "compression_threshold: '12'\n", brenner.CodeInvalidConfig, 1, 24, ""},
		{"number as text", config.RCFile, "modules: [{name: 12}]\n", brenner.CodeInvalidConfig, 1, 18, ""},
		{"half a number", config.RCFile, "compression_threshold: 1.5\n", brenner.CodeInvalidConfig, 1, 24, "whole number"},
		{"yes", config.RCFile, "playbook: {guard: yes}\n", brenner.CodeInvalidConfig, 1, 19, ""},
		{"another case", config.RCFile, "Modules: [a]\n", brenner.CodeInvalidConfig, 1, 1, "unknown key"},
		{"two documents", config.RCFile, "modules: []\n---\nmodules: []\n", brenner.CodeInvalidConfig, 2, 1, "second YAML document"},
		{"number as key", config.RCFile, "policies:\n  1: {}\n", brenner.CodeInvalidConfig, 2, 3, "not a string"},
		{"not a number", config.RCFile, "playbook: {threshold: .nan}\n", brenner.CodeInvalidConfig, 1, 23, "not a value"},
		{"leading zero", config.RCFile, "policies: {pi: 010}\n", brenner.CodeInvalidConfig, 1, 16, "starts with a zero"},
		{"a list", config.RCFile, "- modules\n", brenner.CodeInvalidConfig, 1, 1, "a list where an object"},
		{"deep block", config.RCFile, "modules: \n  " + strings.Repeat("- ", 70) + "a", brenner.CodeLimitExceeded, 2, 129, "deeper"},
		{"deep flow", config.RCFile, "modules: " + deep, brenner.CodeLimitExceeded, 1, 73, "deeper"},
		{"not UTF-8", config.RCFile, "modules:\n - \xff", brenner.CodeInvalidText, 2, 4, "UTF-8"},
		{"NUL", config.RCFile, "modules:\x00", brenner.CodeInvalidText, 1, 9, "U+0000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Parse(c.file, []byte(c.src))
			if brenner.CodeOf(err) != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			e := err.(*brenner.Error)
			want := config.Position{File: c.file, Line: c.line, Column: c.column}
			if e.Details != want {
				t.Errorf("at %+v, want %+v: %s", e.Details, want, e.Message)
			}
			if !strings.Contains(e.Message, c.says) {
				t.Errorf("message %q does not say %q", e.Message, c.says)
			}
		})
	}
}

func TestParse_ReportsEveryFindingWithItsPlace(t *testing.T) {
	src := `modulez: []
modules: [core, Core, core]
types:
  - name: a
    format: xml
    schema: 7
  - {name: b, format: text, schema: {}}
roster:
  defaultpreset: x
  mode: solo
  presets: [{id: p, name: P, entries: [{role: boss, agentName: X}], placeholderNames: [A, B]}]
prompts:
  critic: x.md
  unified: ../secret.md
  test_designer: {path: a.md, text: b}
priority: [A, A]
compression_threshold: 0
policies: {PI: 1}
playbook: {threshold: 1.5, guard: maybe, embedding: {provider: openai}}
`
	_, err := config.Parse(config.RCFile, []byte(src))
	e, ok := err.(*brenner.Error)
	if !ok {
		t.Fatal(err)
	}
	if want := `.brennerrc:1:1: unknown key "modulez" (and 19 more)`; e.Message != want || e.Hint != `did you mean "modules"?` {
		t.Errorf("got %q, hint %q", e.Message, e.Hint)
	}
	var got []string
	for _, d := range e.Diagnostics {
		got = append(got, d.Subject+" "+d.Pointer+" "+d.Message)
	}
	want := []string{
		`.brennerrc:1:1 /modulez unknown key "modulez"`,
		`.brennerrc:2:17 /modules/1 "Core" is not a valid module`,
		`.brennerrc:2:23 /modules/2 module "core" is declared twice`,
		`.brennerrc:5:13 /types/0/format "xml" is not one of the values`,
		`.brennerrc:6:13 /types/0/schema a number where an object was expected`,
		`.brennerrc:7:5 /types/1 a text type has no schema`,
		`.brennerrc:9:3 /roster/defaultpreset unknown key "defaultpreset"`,
		`.brennerrc:10:9 /roster/mode invalid roster mode: solo`,
		`.brennerrc:11:47 /roster/presets/0/entries/0/role Invalid role for place 1 of preset p: boss`,
		`.brennerrc:11:53 /roster/presets/0/entries/0/agentName unknown key "agentName"`,
		`.brennerrc:11:87 /roster/presets/0/placeholderNames 2 placeholder names for 1 entry`,
		`.brennerrc:13:3 /prompts/critic unknown key "critic"`,
		`.brennerrc:14:12 /prompts/unified "../secret.md" is not a path inside the project`,
		`.brennerrc:15:18 /prompts/test_designer a prompt is a path or a text`,
		`.brennerrc:16:15 /priority/1 "A" is listed twice`,
		`.brennerrc:17:24 /compression_threshold 0 is not a whole number from 1 to 1000000`,
		`.brennerrc:18:12 /policies/PI "PI" is not a valid role`,
		`.brennerrc:19:23 /playbook/threshold the threshold is outside (0,1]`,
		`.brennerrc:19:35 /playbook/guard a string where true or false was expected`,
		`.brennerrc:19:53 /playbook/embedding the provider needs an http or https url`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A part of the wrong kind is reported once, where it stands, and hides nothing
// beside it; what is missing because of it is not reported as well.
func TestParse_GoesOnBehindWhatDoesNotFit(t *testing.T) {
	src := `{"modules": [null, {"name": 7}, "Core", {"name": "a", "nmae": "b"}],
"types": 7, "priority": ["A", true], "compression_threshold": 1.5,
"prompts": {"unified": []}, "playbook": {"guard": "maybe", "embedding": {"provider": "openai", "url": 7, "model": "m"}}}`
	_, err := config.Parse(config.RCFile, []byte(src))
	e, ok := err.(*brenner.Error)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, d := range e.Diagnostics {
		got = append(got, d.Subject+" "+d.Pointer+" "+d.Message)
	}
	want := []string{
		`.brennerrc:1:14 /modules/0 null where an object was expected`,
		`.brennerrc:1:29 /modules/1/name a number where a string was expected`,
		`.brennerrc:1:33 /modules/2 "Core" is not a valid module`,
		`.brennerrc:1:55 /modules/3/nmae unknown key "nmae"`,
		`.brennerrc:2:10 /types a number where a list was expected`,
		`.brennerrc:2:31 /priority/1 true or false where a string was expected`,
		`.brennerrc:2:63 /compression_threshold 1.5 is not written as a whole number`,
		`.brennerrc:3:24 /prompts/unified a list where an object was expected`,
		`.brennerrc:3:51 /playbook/guard a string where true or false was expected`,
		`.brennerrc:3:103 /playbook/embedding/url a number where a string was expected`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	many := `{"types": [` + strings.Repeat("1, ", 2*brenner.MaxConfigFindings) + `1]}`
	if _, err := config.Parse(config.RCFile, []byte(many)); len(err.(*brenner.Error).Diagnostics) != brenner.MaxConfigFindings {
		t.Errorf("%d findings", len(err.(*brenner.Error).Diagnostics))
	}
}

// R3: the texts of the seed, also for a roster that stands in the configuration.
func TestParse_RosterErrorsHaveTheSeedsTexts(t *testing.T) {
	src := "export default { roster: { entries: [\n" +
		"  { agentName: 'BlueLake', role: 'hypothesis_generator' },\n" +
		"  { agentName: 'BlueLake', role: 'researcher' },\n" +
		"] } };"
	_, err := config.Parse(config.TSFile, []byte(src))
	e, ok := err.(*brenner.Error)
	if !ok || len(e.Diagnostics) != 2 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []brenner.Diagnostic{
		{Code: brenner.CodeDuplicateAgent, Message: "Duplicate agent in roster: BlueLake", Subject: "brenner.config.ts:3:16"},
		{Code: brenner.CodeInvalidRole, Message: "Invalid role for BlueLake: researcher", Subject: "brenner.config.ts:3:34"},
	} {
		got := e.Diagnostics[i]
		if got.Code != want.Code || got.Message != want.Message || got.Subject != want.Subject {
			t.Errorf("finding %d: %+v", i, got)
		}
	}
}

// X3: number and size of what is reported and read are bounded.
func TestParse_IsBounded(t *testing.T) {
	_, err := config.Parse(config.RCFile, []byte(strings.Repeat("#", brenner.MaxConfigBytes+1)))
	if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("a large file: %v", err)
	}
	_, err = config.Parse(config.RCFile, []byte("a: ["+strings.Repeat("x, ", brenner.MaxYAMLValues)+"]"))
	if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("many tokens: %v", err)
	}
	var many strings.Builder
	for range 60 {
		many.WriteString("modules: [], ")
	}
	_, err = config.Parse(config.TSFile, []byte("export default {"+many.String()+"}"))
	e, ok := err.(*brenner.Error)
	if !ok || len(e.Diagnostics) != brenner.MaxConfigFindings || !strings.Contains(e.Message, "(and 58 more)") {
		t.Errorf("many findings: %v", err)
	}
	// What is struck out one by one is not counted to the end.
	var unknown strings.Builder
	for i := range 80 {
		fmt.Fprintf(&unknown, "key%d: 1\n", i)
	}
	if _, err = config.Parse(config.RCFile, []byte(unknown.String())); err == nil || !strings.Contains(err.Error(), "(and at least 49 more)") {
		t.Errorf("many unknown keys: %v", err)
	}
}

// R11: a prompt can stand in a file; what is journaled holds its text.
func TestConfig_PromptFilesBecomeTexts(t *testing.T) {
	c := load(t, "full.brennerrc", config.RCFile)
	if got := c.PromptFiles(); !slices.Equal(got, []string{"prompts/tests.md"}) {
		t.Fatalf("files %q", got)
	}
	before := c.Digest()
	in := c.WithPromptFiles(map[string]string{"prompts/tests.md": "Design tests.\n"})
	want := map[string]string{"test_designer": "Design tests.\n", "unified": "Work alone.\nAnswer with deltas.\n"}
	if diff := cmp.Diff(want, in.PromptTexts()); diff != "" {
		t.Error(diff)
	}
	if len(in.PromptFiles()) != 0 || in.Digest() == before {
		t.Error("the text did not take the place of the file")
	}
	if c.Digest() != before {
		t.Error("the original was changed")
	}
}
