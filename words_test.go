package brenner_test

import (
	"strings"
	"testing"

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
