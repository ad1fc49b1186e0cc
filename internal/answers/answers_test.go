package answers

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listening is a test that is told of errors instead of failing.
type listening struct {
	testing.TB
	said []string
}

func (l *listening) Helper() {}

func (l *listening) Errorf(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

func TestBook_NoticesWhatChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "some.golden")
	check := func(answers ...string) string {
		b := New(file, 2)
		for i, a := range answers {
			b.Note([]string{"one kind", "another"}[i/2], fmt.Sprint("input ", i), a)
		}
		l := &listening{TB: t}
		b.Check(l)
		return strings.Join(l.said, "\n")
	}
	if said := check("a", "b"); !strings.Contains(said, `does not know "one kind"`) {
		t.Errorf("nothing is kept yet: %s", said)
	}
	t.Setenv("BRENNER_UPDATE", "1")
	check("a\nwith\nthree lines", "b", "c")
	t.Setenv("BRENNER_UPDATE", "")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(string(text), "\n"); len(lines) != 6 || !strings.HasPrefix(lines[0], "another | 1, ") || lines[1] != "  c" || !strings.HasPrefix(lines[2], "one kind | 2, ") || lines[4] != "  with" {
		t.Errorf("kept is\n%s", text)
	}
	if said := check("a\nwith\nthree lines", "b", "c"); said != "" {
		t.Error(said)
	}
	if said := check("a\nwith\nthree lines", "other", "c"); !strings.Contains(said, `answered to "one kind" changed`) || strings.Contains(said, "another") {
		t.Errorf("a second answer changed: %s", said)
	}
	if said := check("a\nwith\nthree lines", "b"); !strings.Contains(said, `nobody asks about "another" any more`) {
		t.Errorf("a kind is gone: %s", said)
	}
	dir := t.TempDir()
	t.Setenv("BRENNER_ANSWERS", dir)
	check("a\nwith\nthree lines", "b", "c")
	if whole, err := os.ReadFile(filepath.Join(dir, "some.golden", "one kind.txt")); err != nil || !strings.Contains(string(whole), "⟶ input 1\nb\n") {
		t.Errorf("%s, %v", whole, err)
	}
	t.Setenv("BRENNER_UPDATE", "1")
	check("a", "b")
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "another") {
		t.Errorf("what nobody asks about is kept: %s, %v", text, err)
	}
}

func TestTypos_ChangeMostTexts(t *testing.T) {
	const text = "one {\"a\": 1}\n- two\nthree, four\n"
	for _, typo := range Typos {
		r := rand.New(rand.NewPCG(1, 1))
		changed := 0
		for range 20 {
			if typo.Make(r, text) != text {
				changed++
			}
			typo.Make(r, "x")
		}
		if changed < 10 {
			t.Errorf("%s: %d of 20 texts differ", typo.Name, changed)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[string]bool{}
	for range 60 {
		seen[Replaced(r, `{"a":[1,"b"],"c":null}`, "x")] = true
	}
	if len(seen) != 5 {
		t.Errorf("of five values these were replaced: %v", seen)
	}
}
