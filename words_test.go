package brenner_test

import (
	"strings"
	"testing"
	"time"

	"brenner"
)

func TestOneLine(t *testing.T) {
	forged := "x\nnow:\tPurple\u2028Mountain\x1b[2J\u0085answered\r\n"
	if got := brenner.OneLine(forged); got != "x now: Purple Mountain [2J answered" {
		t.Errorf("got %q", got)
	}
	for _, s := range []string{"a\nb", "a\rb", "a\u0085b", "a\u2028b", "a\u2029b", "a\x1bb"} {
		if brenner.IsOneLine(s) || !brenner.IsOneLine(brenner.OneLine(s)) {
			t.Errorf("%q", s)
		}
	}
	if !brenner.IsOneLine("two  blanks, é 細胞") {
		t.Error("a title is refused")
	}
}

func TestA(t *testing.T) {
	for name, want := range map[brenner.Role]string{"writer": "a writer", "adversarial_critic": "an adversarial_critic", "integrator": "an integrator", "": "a "} {
		if got := brenner.A(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A text is read back from between its fences, whatever it says.
func TestFenced(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "```\nb\n````", "`````json\nx\n"} {
		lines := strings.SplitN(brenner.Fenced("json", text), "\n", 2)
		fence := strings.TrimSuffix(lines[0], "json")
		inside, found := strings.CutSuffix("\n"+lines[1], "\n"+fence+"\n")
		if !found || strings.Contains(inside, fence) || strings.TrimSuffix(strings.TrimPrefix(inside, "\n"), "\n") != strings.TrimSuffix(text, "\n") {
			t.Errorf("%q stands as %q", text, lines)
		}
	}
}

func TestClock_SaysAnotherDay(t *testing.T) {
	now := time.Date(2026, 3, 15, 0, 5, 0, 0, time.UTC)
	for at, want := range map[time.Time]string{
		now.Add(-time.Minute):                "00:04 UTC",
		now.Add(-time.Hour):                  "2026-03-14 23:05 UTC",
		now.AddDate(-1, 0, 0):                "2025-03-15 00:05 UTC",
		now.In(time.FixedZone("", -2*60*60)): "00:05 UTC",
	} {
		if got := brenner.Clock(at, now); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
	}
}
