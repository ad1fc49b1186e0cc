package anchor

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"brenner/canon"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// P11, P17: the same faults are explained with the same words, corrections and
// warnings from build to build: for each kind of fault a few scenes, by outcome,
// cause and the digest of the whole explanation. Who means to change what is
// said runs with -update and looks at which kinds moved.
func TestExplain_SaysTheSameFromBuildToBuild(t *testing.T) {
	const (
		path   = "testdata/explained.golden"
		scenes = 6
	)
	texts := corpus(t)
	var out strings.Builder
	for i, f := range faults {
		r := rand.New(rand.NewPCG(23, uint64(i)))
		for done, tries := 0, 0; done < scenes && tries < 2000; tries++ {
			s := newScene(r, texts)
			if s.a.s == s.b.s || len(s.p.Groups) == 0 || !f.inject(s) {
				continue
			}
			done++
			promised := done%2 == 0
			if !promised {
				s.p.Result = ""
			}
			x := Explain(s.p, s.a, s.e)
			fmt.Fprintf(&out, "%s, promised %t: %s %s %s %d findings, %d warnings, %.16s\n", f.name, promised, x.Outcome, x.Code, x.Cause(),
				len(x.Findings), len(x.Warnings), canon.Sum(canon.MustMarshal(x)))
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
