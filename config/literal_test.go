package config_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/config"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

type jsonValue = jsontext.Value

// R5: what may surround and spell the data.
func TestLiteral_AcceptsSpellings(t *testing.T) {
	const want = `{"pi":["a'b\"c` + "`" + `\\d\néA😀e",-0.5,true,null,{"k":[]}]}`
	for _, src := range []string{
		"export default { policies: { pi: ['a\\'b\"c`\\\\d\\n\\xe9\\u0041\\u{1F600}e', -0.5, true, null, {k: []}] } }",
		"export default { policies: { 'pi': [`a'b\"c\\`\\\\d\né\\u{41}\\ud83d\\ude00\\e`, -5e-1, true, null, {\"k\": []}] } };",
		"export default { policies: { \"pi\": [`a'b\"c\\`\\\\d\r\n\\\r\né\\A😀e`, -0.50, true, null, {k: [],},], }, };;",
		"const $c_1 = { policies: { pi: ['a\\'b\"c`\\\\d\\néA😀\\\ne', -0.5, true, null, {k: [] as string[]}] as const } } satisfies A.B<C, D[]>\nexport default $c_1 as any",
		"import type { Config, Roster as R } from \"brenner\";\nimport type C from './c'\nimport type * as T from 't';\n" +
			"export default { policies: { pi: ['a\\'b\"c`\\\\d\\néA😀e', -0.5, true, null, {k: []}] } } satisfies Config",
		"/* a */ export /* b */ default // c\u2028{ policies: { pi: ['a\\'b\"c`\\\\d\\néA😀e', -0.5, true, null, {k:[]}] } } // d",
	} {
		c, err := config.Parse(config.TSFile, []byte(src))
		if err != nil {
			t.Errorf("%s\n%v", src, err)
			continue
		}
		if got := string(canon.MustMarshal(c.Policies)); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", src, got, want)
		}
	}
}

// A tree as random input, and the dumb way to write it in each spelling.
func drawTree(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") }).Draw(t, "string")
	case 1:
		return float64(rapid.IntRange(-1_000_000, 1_000_000).Draw(t, "number")) / 8
	case 2:
		return rapid.Bool().Draw(t, "bool")
	case 3:
		return nil
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawTree(t, depth-1))
		}
		return list
	}
	obj := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		obj[rapid.StringMatching(`[a-z$_]{1,6}`).Draw(t, "key")] = drawTree(t, depth-1)
	}
	return obj
}

func spell(t *rapid.T, v any) string {
	pad := rapid.SampledFrom([]string{"", " ", "\n", "// x\n", "/* , } */"})
	tail := rapid.SampledFrom([]string{"", " as const", " as any", " satisfies T<U>[]"}).Draw(t, "tail")
	switch v := v.(type) {
	case string:
		quote := rapid.SampledFrom([]string{"'", `"`, "`"}).Draw(t, "quote")
		s := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, quote, `\`+quote, "$", `\$`).Replace(v)
		return quote + s + quote + tail
	case []any:
		var b strings.Builder
		for i, item := range v {
			b.WriteString(pad.Draw(t, "pad") + spell(t, item))
			if i < len(v)-1 || rapid.Bool().Draw(t, "comma") {
				b.WriteString(pad.Draw(t, "pad") + ",")
			}
		}
		return "[" + b.String() + pad.Draw(t, "pad") + "]" + tail
	case map[string]any:
		var b strings.Builder
		n := 0
		for k, item := range v {
			n++
			if rapid.Bool().Draw(t, "quoted") {
				k = `"` + k + `"`
			}
			b.WriteString(pad.Draw(t, "pad") + k + pad.Draw(t, "pad") + ":" + spell(t, item))
			if n < len(v) || rapid.Bool().Draw(t, "comma") {
				b.WriteString(pad.Draw(t, "pad") + ",")
			}
		}
		return "{" + b.String() + pad.Draw(t, "pad") + "}" + tail
	}
	return string(canon.MustMarshal(v)) + tail
}

// R5: however the literal is spelt, it means what the same data means in JSON.
func TestLiteral_MeansWhatJSONMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := drawTree(t, 4)
		want := canon.MustMarshal(data)
		ts, err := config.Parse(config.TSFile, []byte("export default {policies:{pi:"+spell(t, data)+"}}"))
		if err != nil {
			t.Fatalf("%v", err)
		}
		js, err := config.Parse(config.RCFile, fmt.Appendf(nil, `{"policies":{"pi":%s}}`, want))
		if err != nil {
			t.Fatalf("%v", err)
		}
		if string(ts.Policies["pi"]) != string(want) || ts.Digest() != js.Digest() {
			t.Fatalf("literal %s, JSON %s", ts.Policies["pi"], want)
		}
	})
}

// R5: no input makes a reader fail in another way than with a coded error that
// has a place inside the file, and what is read survives its canonical form.
func FuzzParse(f *testing.F) {
	for _, src := range []string{
		"", "{}", "export default {}", "modules: [a]", "export default { modules: ['a', `b`] as const };",
		`{"modules":["a"],"policies":{"pi":{"a":[1,2.5,"\u00e9"]}}}`, "policies:\n  pi: |\n    x\n   ",
		"const a: B = {views: {x: null}} satisfies C; export default a", "a: &x\n- *x", "export default {'\\u{}': 1}",
		"types:\n- name: t\n  schema: {a: 0x1F, b: 1e3, c: ~}\n", "[", "a: [\r\n", "{å",
	} {
		f.Add(src, uint8(0))
		f.Add(src, uint8(1))
		f.Add(src, uint8(2))
	}
	f.Fuzz(func(t *testing.T, src string, form uint8) {
		name := []string{config.RCFile, config.TSFile, "x.json"}[form%3]
		c, err := config.Parse(name, []byte(src))
		if err != nil {
			e, ok := err.(*brenner.Error)
			if !ok {
				t.Fatalf("not a coded error: %v", err)
			}
			if pos, ok := e.Details.(config.Position); !ok || pos.Line < 1 || pos.Column < 1 || pos.Line > 1+strings.Count(src, "\n")+strings.Count(src, "\r") {
				t.Fatalf("no place in %q: %v %+v", src, err, e.Details)
			}
			return
		}
		again, err := config.Parse(config.RCFile, c.Canonical())
		if err != nil || again.Digest() != c.Digest() {
			t.Fatalf("canonical form is not read back: %v\n%s", err, c.Canonical())
		}
		lit, err := config.Parse(config.TSFile, append([]byte("export default "), c.Canonical()...))
		if err != nil || lit.Digest() != c.Digest() {
			t.Fatalf("JSON is not read as a literal: %v\n%s", err, c.Canonical())
		}
	})
}
