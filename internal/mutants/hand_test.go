package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHandMade_ChangesWhatStandsThereOnce(t *testing.T) {
	list, err := readHandMade("// a remark\n\n# R1 it is said\np/a.go\n- note()\n+\n- n != 0\n+ n == 0\n")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{"/m/p/a.go": []byte(sampleSource), "/m/p/b.go": []byte(sampleSource)}
	found, err := list.of(texts)
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	if got := string(found[0].apply([]byte(sampleSource))); strings.Contains(got, "note()") || found[0].name() != "R1 it is said: note() → nothing" || found[0].line != 12 {
		t.Errorf("%+v", found[0])
	}
	if got := string(found[1].apply([]byte(sampleSource))); !strings.Contains(got, "n < Most && n == 0") {
		t.Error(got)
	}
	for _, was := range []string{"n", "nowhere"} {
		if _, err := (handMade{{"R1", "p/a.go", was, "x"}}).of(texts); err == nil {
			t.Errorf("%q is changed", was)
		}
	}
	if _, err := readHandMade("# R1\n- x\n+ y\n"); err == nil {
		t.Error("a change of no file is read")
	}
}

// Every change of the list still has what it changes.
func TestHandMade_FitsTheCode(t *testing.T) {
	text, err := os.ReadFile("byhand.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := readHandMade(string(text))
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, c := range list {
		name := filepath.Join(root, filepath.FromSlash(c.file))
		if texts[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := list.of(texts); err != nil || len(found) != len(list) {
		t.Errorf("%d of %d, %v", len(found), len(list), err)
	}
}

// The tests that must notice are those that the document names, in the packages
// that have them.
func TestNamed_AreThoseOfTheDocument(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conformance.md")
	table := "| C12 | all | `x.TestNot` |\n| C12.a | a, or b | `p/a.go` | `api/apitest: one, and its other`<br>`internal/app.TestThis` |\n| C12.b | c | `p/a.go` | `cmd/script.txtar` |\n| C12.c | d | `p/a.go` | told by `make mutants` |\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := readNamed(file)
	if err != nil {
		t.Fatal(err)
	}
	tests := n.of(mutant{in: "C12.a something is said", operator: operatorHand})
	if got := matchIn(binary{of: "./internal/app"}, tests); got != "^TestService_OnMemory$/^one,_and_its_other$|^TestThis$" {
		t.Errorf("%q of %q", got, tests)
	}
	if got := matchIn(binary{of: "./cmd"}, append(tests, n.of(mutant{in: "C12.b c", operator: operatorHand})...)); got != "" {
		t.Errorf("%q", got)
	}
	if got := n.of(mutant{in: "C12.c d", operator: operatorHand}); got != nil {
		t.Errorf("a clause that names no test: %q", got)
	}
	if got := n.of(mutant{in: "C12.a"}); got != nil {
		t.Errorf("a mutant that nobody made: %q", got)
	}
	if n, err := readNamed(filepath.Join(t.TempDir(), "none")); n != nil || err != nil {
		t.Errorf("%v, %v", n, err)
	}
}
