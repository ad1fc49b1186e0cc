package roster_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/roster"

	"github.com/google/go-cmp/cmp"
)

// R1, R3: whatever is given as a roster is read or refused with a code; what is
// read survives its own JSON; a roster without findings can be composed.
func FuzzParse(f *testing.F) {
	for _, src := range []string{
		`[]`, `{"entries":[]}`, `{"mode":"heuristic","entries":[]}`,
		`[{"agentName":"BlueLake","role":"hypothesis_generator"},{"agentName":"BlueLake","role":"x"}]`,
		`{"entries":[{"agentName":"A","role":"test_designer","program":"a|b","model":"\n","notes":"n"}],"mode":"unified","name":"N","createdAt":"2025-12-31T09:00:00Z"}`,
		string(canon.MustMarshal(seedRoster())),
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		r, err := roster.Parse([]byte(src))
		if err != nil {
			if _, ok := err.(*brenner.Error); !ok {
				t.Fatalf("not a coded error: %v", err)
			}
			return
		}
		back, err := roster.Parse(canon.MustMarshal(r))
		if err != nil || len(back.Entries) != len(r.Entries) || len(r.Entries) > 0 && !cmp.Equal(back, r) {
			t.Fatalf("does not survive its JSON: %v", err)
		}
		found := roster.Validate(r)
		messages, err := roster.Kickoff{Session: "RS-1", Roster: r, Recipients: r.Names()}.Compose()
		if (err == nil) != (len(found) == 0) {
			t.Fatalf("findings %v, composed: %v", found, err)
		}
		for _, m := range messages {
			if strings.Count(m.Body, "\n## Session Configuration\n") != 1 || strings.Contains(m.Subject, "\n") {
				t.Fatalf("forged structure:\n%s", m.Body)
			}
		}
	})
}
