package mcpserver

import (
	"strings"
	"testing"
	"time"

	"brenner/api"
)

// X11: nobody is told to stop while others may still say something to an answer
// of a moment ago.
func TestInbox_ASessionStaysWarmAfterAnAnswer(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	info := api.SessionInfo{ID: "RS-pair", Recipients: []api.Recipient{
		{Name: "BlueLake", AnsweredAt: now.Add(-10 * time.Minute)}, {Name: "RedSky", AnsweredAt: now.Add(-2 * time.Minute)},
	}}
	if got := warmOf(info, "BlueLake", now); !strings.Contains(got, "RedSky last, 2m0s ago") {
		t.Errorf("got %q", got)
	}
	if got := warmOf(info, "RedSky", now); !strings.Contains(got, "you last, 2m0s ago") {
		t.Errorf("got %q", got)
	}
	closed, alone := info, info
	closed.Closed, alone.Recipients = now, info.Recipients[1:]
	for name, got := range map[string]string{
		"later":                warmOf(info, "BlueLake", now.Add(time.Minute)),
		"of somebody else":     warmOf(info, "GreyStone", now),
		"a session that ended": warmOf(closed, "BlueLake", now),
		"alone":                warmOf(alone, "RedSky", now),
	} {
		if got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
