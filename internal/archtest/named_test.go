package archtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/problem"
)

var (
	makeTarget = regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)")
	targetLine = regexp.MustCompile(`(?m)^([a-z]+):`)
	openFence  = regexp.MustCompile("(?m)^```([a-z]+)\n((?s:.*?))^```$")
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	heading    = regexp.MustCompile(`(?m)^## (brenner.*)$`)
	variable   = regexp.MustCompile(`\b(?:BRENNER|AGENT_MAIL)(?:_[A-Z]+)+\b`)
	telemetry  = regexp.MustCompile(`^OTEL_`) // variables that OpenTelemetry defines, and its library reads most of
	plainWord  = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// written lists the documents that people write: the others are generated, or
// are the rules and not a description.
func written(t *testing.T) []string {
	t.Helper()
	made := []string{"docs/cli.md", "docs/errors.md", "docs/conformance.md", "docs/spec.md", "docs/benchmarks.md"}
	return slices.DeleteFunc(documents(t), func(name string) bool { return slices.Contains(made, name) })
}

func TestDocuments_EveryMakeTargetExists(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range targetLine.FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	named := 0
	for _, name := range documents(t) {
		for _, m := range makeTarget.FindAllStringSubmatch(readFile(t, name), -1) {
			named++
			if !targets[m[1]] {
				t.Errorf("%s names make %s, which is no target", name, m[1])
			}
		}
	}
	if named == 0 {
		t.Fatal("no document names a target: this test would pass on nothing")
	}
}

// A command that stands in a block of another kind would not be run.
func TestDocuments_CommandsStandInConsoleBlocks(t *testing.T) {
	seen := 0
	for _, name := range written(t) {
		for _, m := range openFence.FindAllStringSubmatch(readFile(t, name), -1) {
			if seen++; m[1] == "console" {
				continue
			}
			for line := range strings.Lines(m[2]) {
				if strings.HasPrefix(line, "brenner ") || strings.HasPrefix(line, "$ ") {
					t.Errorf("%s: %q stands in a block marked %s and is never run", name, strings.TrimSpace(line), m[1])
				}
				if m[1] == "sh" && !strings.HasPrefix(line, "make ") {
					t.Errorf("%s: %q stands in a block marked sh, which is for make alone", name, strings.TrimSpace(line))
				}
			}
		}
	}
	if seen == 0 {
		t.Fatal("found no block: this test would pass on nothing")
	}
}

// docs/cli.md is made from the command tree; what it has no heading for does
// not exist.
func TestDocuments_EveryCommandNamedExists(t *testing.T) {
	exists, group := map[string]bool{}, map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(readFile(t, "docs/cli.md"), -1) {
		exists[m[1]] = true
		if i := strings.LastIndex(m[1], " "); i > 0 {
			group[m[1][:i]] = true
		}
	}
	named := 0
	for _, name := range written(t) {
		for _, m := range inlineCode.FindAllStringSubmatch(readFile(t, name), -1) {
			at := "brenner"
			words := strings.Fields(m[1])
			if words[0] != at {
				continue
			}
			named++
			for _, w := range words[1:] {
				if !group[at] || !plainWord.MatchString(w) {
					break
				}
				if at += " " + w; !exists[at] {
					t.Errorf("%s names `%s`: there is no %s", name, m[1], at)
					break
				}
			}
		}
	}
	if named == 0 {
		t.Fatal("no document names a command: this test would pass on nothing")
	}
}

func TestDocuments_EveryCodeNamedIsInTheRegistry(t *testing.T) {
	known := map[string]bool{}
	for _, info := range brenner.Codes() {
		known[string(info.Code)] = true
	}
	named := 0
	for _, name := range written(t) {
		for _, m := range inlineCode.FindAllStringSubmatch(readFile(t, name), -1) {
			if !codeText.MatchString(m[1]) || !strings.Contains(m[1], "_") || variable.MatchString(m[1]) || telemetry.MatchString(m[1]) {
				continue
			}
			if named++; !known[m[1]] {
				t.Errorf("%s names the code %s, which does not exist", name, m[1])
			}
		}
	}
	if named == 0 {
		t.Fatal("no document names a code: this test would pass on nothing")
	}
}

// A document that says what is tested names tests that are there.
func TestDocuments_EveryTestNamedExists(t *testing.T) {
	exists := map[string]bool{}
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`).FindAllStringSubmatch(readFile(t, name), -1) {
			exists[m[1]] = true
		}
	}
	named := 0
	for _, name := range written(t) {
		for _, m := range inlineCode.FindAllStringSubmatch(readFile(t, name), -1) {
			if !regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)[A-Z]\w+$`).MatchString(m[1]) {
				continue
			}
			if named++; !exists[m[1]] {
				t.Errorf("%s names the test %s, which does not exist", name, m[1])
			}
		}
	}
	if named == 0 {
		t.Fatal("no document names a test: this test would pass on nothing")
	}
}

// The map of the code has a line for every package, and none for one that is
// not there.
func TestDocuments_TheMapNamesEveryPackage(t *testing.T) {
	lines := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^((?:internal/|cmd/)?[a-z]+)/ `).FindAllStringSubmatch(readFile(t, "ARCHITECTURE.md"), -1) {
		lines[m[1]] = true
	}
	there := map[string]bool{}
	for _, p := range module(t) {
		parts := strings.Split(p.name(), "/")
		if parts[0] == "internal" || parts[0] == "cmd" {
			parts = parts[:2]
		} else {
			parts = parts[:1]
		}
		there[strings.Join(parts, "/")] = true
	}
	for name := range there {
		if name != "" && !lines[name] {
			t.Errorf("ARCHITECTURE.md does not say what %s is", name)
		}
	}
	for name := range lines {
		if !there[name] {
			t.Errorf("ARCHITECTURE.md has a line for %s, which is not there", name)
		}
	}
}

// The guide for agents lists the tools that agents have over MCP.
func TestDocuments_TheGuideForAgentsListsEveryTool(t *testing.T) {
	guide := readFile(t, "docs/guide-agents.md")
	found := regexp.MustCompile(`(?m)^\t+(?:writing|reading)\("([a-z_]+)"`).FindAllStringSubmatch(readFile(t, "internal/mcpserver/tools.go"), -1)
	if len(found) == 0 {
		t.Fatal("found no tool: this test would pass on nothing")
	}
	for _, m := range found {
		if !strings.Contains(guide, "`"+m[1]+"`") {
			t.Errorf("docs/guide-agents.md does not name the tool %s", m[1])
		}
	}
}

// The guide for agents repeats the table of exit statuses, with examples.
func TestDocuments_ExitStatusesAreThoseOfTheClasses(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| ([a-z_]+) \| (.+?) \|`).FindAllStringSubmatch(readFile(t, "docs/guide-agents.md"), -1)
	classes := map[brenner.Class]bool{}
	for _, info := range brenner.Codes() {
		classes[info.Class] = true
	}
	if len(rows) != len(classes) {
		t.Errorf("the table has %d classes, want %d", len(rows), len(classes))
	}
	for _, m := range rows {
		if exit := problem.Of(brenner.Class(m[2])).Exit; strconv.Itoa(exit) != m[1] {
			t.Errorf("%s exits with %d, not %s", m[2], exit, m[1])
		}
		for _, code := range inlineCode.FindAllStringSubmatch(m[3], -1) {
			if class := brenner.ClassOf(brenner.Code(code[1])); string(class) != m[2] {
				t.Errorf("%s is of class %s, not %s", code[1], class, m[2])
			}
		}
	}
}

// ofTests are the variables that only tests read.
var ofTests = []string{"BRENNER_SOAK", "BRENNER_UPDATE", "BRENNER_ANSWERS"}

// The environment is input too: what the program reads is documented, and what
// is documented is read.
func TestDocuments_EveryEnvironmentVariableIsRealAndDocumented(t *testing.T) {
	read := map[string]bool{}
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, testAid+"/") {
			continue
		}
		for _, m := range regexp.MustCompile(`"([A-Z_]+)"`).FindAllStringSubmatch(readFile(t, name), -1) {
			if variable.FindString(m[1]) == m[1] {
				read[m[1]] = true
			}
		}
	}
	if len(read) == 0 {
		t.Fatal("the program reads no variable: this test would pass on nothing")
	}
	operations := readFile(t, "docs/operations.md")
	for name := range read {
		if !strings.Contains(operations, "`"+name+"`") && !strings.HasPrefix(name, "BRENNER_TEST_") {
			t.Errorf("docs/operations.md does not say what %s is for", name)
		}
	}
	for _, document := range written(t) {
		for _, name := range variable.FindAllString(readFile(t, document), -1) {
			if !read[name] && !slices.Contains(ofTests, name) {
				t.Errorf("%s names %s, which nothing reads", document, name)
			}
		}
	}
}
