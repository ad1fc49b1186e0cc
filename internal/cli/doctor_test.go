package cli

import (
	"strings"
	"testing"
	"time"

	"brenner/api"
)

func TestClock_WarnsOfRecordsFromTheFutureAndOfAnotherClock(t *testing.T) {
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	for _, c := range []struct {
		name             string
		here, there, new time.Time
		want             string // empty: nothing is wrong
	}{
		{"in step", now, now, now.Add(-time.Hour), ""},
		{"a little apart", now, now.Add(50 * time.Second), now, ""},
		{"a record from the future", now, now, now.Add(2 * time.Hour), "the newest record is 2h0m0s in the future"},
		{"the server is behind", now, now.Add(-10 * time.Minute), now.Add(-time.Hour), "this machine and the server differ by 10m0s"},
		{"the server is ahead", now, now.Add(10 * time.Minute), now.Add(-time.Hour), "this machine and the server differ by 10m0s"},
	} {
		got := clock(api.ProjectInfo{Now: c.there, LastChange: c.new}, c.here)
		if got.Warning != (c.want != "") || got.OK == got.Warning || !strings.Contains(got.Message, c.want) || (got.Hint == "") != (c.want == "") {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
