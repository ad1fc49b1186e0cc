package claim

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// B4, C25: of every pair it was made with, what is read and what differs, word
// by word. Who changes a rule sees here what else it changes.
func TestCompare_TellsEveryDifference(t *testing.T) {
	const path = "testdata/readings.golden"
	var out strings.Builder
	for _, p := range loadPairs(t) {
		a, b := Read(p.a), Read(p.b)
		c := Compare(a, b, nil)
		fmt.Fprintf(&out, "%s\n%s\n  %s; covers %t, %t; overlap %t\n", p.a, p.b, c.Verdict, Covers(a, b), Covers(b, a), Overlap(a, b))
		for _, d := range c.Differences {
			fmt.Fprintf(&out, "  %s: %q, %q, opposes %t\n", d.Kind, d.Ours, d.Theirs, d.Opposes)
		}
		for _, text := range []string{p.a, p.b} {
			fmt.Fprintf(&out, "  %s | %s | %+v\n", Subject(text), strings.Join(Words(text), " "), ParseRelation(text))
			if q, ok := ParseQuantity(text); ok {
				fmt.Fprintf(&out, "  %+v\n", q)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
