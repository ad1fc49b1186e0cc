package delta_test

import (
	"testing"
	"time"

	"brenner"
	"brenner/delta"
)

func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

// entries reads deltas; one that cannot be read stays in as an invalid entry.
func entries(t testing.TB, raws ...string) []delta.Entry {
	t.Helper()
	var all []delta.Entry
	for _, raw := range raws {
		d, err := delta.Parse([]byte(raw), delta.Envelope{}, 0)
		e := delta.Entry{Delta: d}
		if err != nil {
			e.Invalid = err.(*brenner.Error)
		}
		all = append(all, e)
	}
	return all
}

func wantOutcome(t testing.TB, r delta.Result, i int, status delta.Status, code brenner.Code) {
	t.Helper()
	if o := r.Outcomes[i]; o.Status != status || o.Code != code {
		t.Errorf("outcome %d: %s %s (%s), want %s %s", i, o.Status, o.Code, o.Message, status, code)
	}
}

func wantWarning(t testing.TB, r delta.Result, code brenner.Code) {
	t.Helper()
	for _, w := range r.Warnings {
		if w.Code == code {
			return
		}
	}
	t.Errorf("no warning %s in %v", code, r.Warnings)
}

func names(agents []brenner.ActorName) []string {
	out := make([]string, len(agents))
	for i, a := range agents {
		out[i] = string(a)
	}
	return out
}
