package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDocuments_AreUpToDate(t *testing.T) {
	for _, d := range documents {
		want, err := d.render(root(t))
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Join(root(t), d.path))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is out of date: run make generate", d.path)
		}
	}
}

func TestConformance_EveryFinishedRuleIsProved(t *testing.T) {
	c, err := readConformance(root(t))
	if err != nil {
		t.Fatal(err)
	}
	missing, err := c.unproved(finished)
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) > 0 {
		t.Errorf("no test cites %s", strings.Join(missing, ", "))
	}
}

func TestConformance_EveryCitedNumberIsARule(t *testing.T) {
	c, err := readConformance(root(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.tests) == 0 {
		t.Fatal("no test of the module cites a rule")
	}
	known := map[string]bool{}
	for _, r := range c.rules {
		known[r.number] = true
	}
	for n, tests := range c.tests {
		if !known[n] && !clause.MatchString(n) {
			t.Errorf("%s cite %s, which docs/spec.md does not have", tests, n)
		}
	}
}

func TestUnproved_NamesWhatIsMissingAndWhatIsUnknown(t *testing.T) {
	c := conformance{
		rules: []rule{{number: "J1"}, {number: "J2"}, {number: "J3"}},
		tests: map[string][]string{"J2": {"journal.TestX"}},
	}
	missing, err := c.unproved("J1-J3")
	if err != nil || !reflect.DeepEqual(missing, []string{"J1", "J3"}) {
		t.Errorf("got %v, %v", missing, err)
	}
	if _, err := c.unproved("J4"); err == nil {
		t.Error("a list with an unknown rule passed")
	}
	if _, err := c.unproved("J3-J1"); err == nil {
		t.Error("a backward range passed")
	}
}

func TestReadRules_RefusesAGapARepeatAndNothing(t *testing.T) {
	for name, text := range map[string]string{
		"gap":     "- D1 one\n- D3 three\n",
		"repeat":  "- D1 one\n- D1 one\n",
		"nothing": "# No rules\n",
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "docs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "docs", "spec.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if rules, err := readRules(dir); err == nil {
			t.Errorf("%s: read as %v", name, rules)
		}
	}
}

func TestCited_TellsRulesFromItems(t *testing.T) {
	for comment, want := range map[string][]string{
		"D7: an edit of a killed item": {"D7"},
		"# J3, J5: flip a byte":        {"J3", "J5"},
		"J2–J4: sign and verify":       {"J2", "J3", "J4"},
		"the reader checks X2":         nil,
		"the reader checks D3":         {"D3"},
		"keys are kept (X2, C13)":      {"C13", "X2"},
		"P1.H2 addresses the cell":     nil,
		"row P1 of the table":          nil,
		"P1: only one protocol":        {"P1"},
		"H2 and T3 are items":          nil,
		"version D07 is not a rule":    nil,
	} {
		if got := cited(comment); !reflect.DeepEqual(got, want) {
			t.Errorf("%q cites %v, want %v", comment, got, want)
		}
	}
}

func TestReadCitations_FindsTestsAndScripts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"delta/merge_test.go": "package delta\n\n// D7: alone.\nfunc TestMerge_Alone() {\n\t// D8: twice.\n}\n\n// helpers for D9\nvar x int\n",
		"cmd/story.txtar":     "# J1: recorded\nexec brenner\n-- file.md --\n# J2 is data\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readCitations(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"D7": {"delta.TestMerge_Alone"},
		"D8": {"delta.TestMerge_Alone"},
		"D9": {"delta/merge_test.go"},
		"J1": {"cmd/story.txtar"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Every clause that a test names exists, and the rules whose words are easily
// passed over have some.
func TestClauses_ExistAndAreShown(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	c, err := readConformance(root)
	if err != nil {
		t.Fatal(err)
	}
	clauses, err := readClauses(root)
	if err != nil {
		t.Fatal(err)
	}
	known, rules := map[string]bool{}, map[string]bool{}
	for _, cl := range clauses {
		rule, _, _ := strings.Cut(cl.name, ".")
		if known[cl.name] {
			t.Errorf("%s is there twice", cl.name)
		}
		known[cl.name], rules[rule] = true, true
	}
	for name := range c.tests {
		if clause.MatchString(name) && !known[name] {
			t.Errorf("a test names %s, which byhand.txt does not have", name)
		}
	}
	for _, rule := range strings.Fields("C7 C8 C12 C16 C17 C23 C30 C36 J5 X5 X8 A1 A2 A3 A4 A5 A6 A7 B4 B12") {
		if !rules[rule] {
			t.Errorf("%s has no clause", rule)
		}
	}
}
