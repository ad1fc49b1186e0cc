package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"brenner"

	"github.com/spf13/cobra"
)

func TestAgo_SpeaksAsPeopleDo(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 3 * time.Hour: "3 hours ago", 50 * time.Hour: "2 days ago",
		40 * 24 * time.Hour: "2026-01-29", -2 * time.Hour: "in 2 hours",
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("%v ago is %q, want %q", d, got, want)
		}
	}
}

// A table on a terminal fits its width, tells times relative to now and colours
// states; into a pipe it is as it always was.
func TestTable_OnATerminalAndInAPipe(t *testing.T) {
	rows := func() [][]string {
		return [][]string{{"ARTIFACT", "STATUS", "SINCE", "SUMMARY"}, {"smith@2", "canonical", moment(time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)), strings.Repeat("clone ", 30)}}
	}
	l := look{terminal: true, colour: true, width: 60, now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
	got := l.textOf(func(w *printer) { table(w, rows()...) })
	for _, want := range []string{bold + "ARTIFACT" + plain, green + "canonical" + plain, "3 hours ago", "…\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("a terminal is not shown %q: %q", want, got)
		}
	}
	l.colour = false
	for line := range strings.Lines(l.textOf(func(w *printer) { table(w, rows()...) })) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 60 || strings.Contains(line, "\033") {
			t.Errorf("a line of %d letters: %q", n, line)
		}
	}
	if got := textOf(func(w *printer) { table(w, rows()...) }); strings.Contains(got, "\033") || !strings.Contains(got, "2026-03-10 09:00:00Z") || strings.Contains(got, "…") {
		t.Errorf("a pipe is given %q", got)
	}
	// A text that reads like an instant is somebody's text.
	said := l.textOf(func(w *printer) {
		table(w, []string{moment(l.now.Add(-time.Hour)) + " (late)", "2026-03-10 09:00:00Z", "x"})
	})
	if said != "1 hour ago (late)  2026-03-10 09:00:00Z  x\n" {
		t.Errorf("a terminal is shown %q", said)
	}
	if said := textOf(func(w *printer) { table(w, []string{moment(l.now) + " (late)", "x"}) }); said != "2026-03-10 12:00:00Z (late)  x\n" {
		t.Errorf("a pipe is given %q", said)
	}
}

// A long answer goes through the pager, a short one and one for a program do
// not; NO_COLOR is heard.
func TestRun_PagesWhatIsLong(t *testing.T) {
	run := func(height int, pager string, args ...string) string {
		var out strings.Builder
		status := Run(t.Context(), Env{
			In: strings.NewReader(""), Out: &out, Err: &out, Terminal: true, Width: 80, Height: height,
			Getenv: func(name string) string { return map[string]string{"PAGER": pager, "NO_COLOR": "1", "LESS": "R"}[name] },
		}, args)
		if status != 0 {
			t.Fatalf("%q: %d %s", args, status, out.String())
		}
		return out.String()
	}
	const mark = "sed s/^/paged:/"
	if got := run(1, mark, "version"); !strings.HasPrefix(got, "paged:brenner version") {
		t.Errorf("a long answer: %q", got)
	}
	for _, got := range []string{run(50, mark, "version"), run(1, "cat", "version"), run(1, mark, "version", "--json"), run(1, "false", "version")} {
		if strings.Contains(got, "paged:") || !strings.Contains(got, "version") || strings.Contains(got, "\033") {
			t.Errorf("not to be paged: %q", got)
		}
	}
}

// Every command has a manual page that man can read: no line of it begins with
// an instruction that is not ours.
func TestMan_EveryCommandHasAPage(t *testing.T) {
	seen := 0
	known := map[string]bool{".TH": true, ".SH": true, ".B": true, ".TP": true, ".PP": true, ".nf": true, ".fi": true}
	leaves(Root(), func(c *cobra.Command) {
		seen++
		page := manPage(c)
		if !strings.Contains(page, ".SH NAME\n") || !strings.Contains(page, ".SH SYNOPSIS\n") {
			t.Errorf("no page: %.80q", page)
		}
		for line := range strings.Lines(page) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")) && !known[word] {
				t.Errorf("an instruction of man: %q", line)
			}
		}
	})
	if seen < 50 {
		t.Fatalf("found only %d pages", seen)
	}
}

// A word that is a command further down leads there.
func TestUsage_KnowsCommandsFurtherDown(t *testing.T) {
	for word, want := range map[string]string{"claim": "brenner task claim", "deprecate": "brenner artifact deprecate", "promot": "brenner promote"} {
		var e *brenner.Error
		if err := usage(Root(), unknownWord(Root(), word)); !errors.As(err, &e) || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// X1: a word that a noun does not know is answered with those it does know, not with
// a command of another noun.
func TestUsage_NamesTheCommandsOfTheNoun(t *testing.T) {
	session, _, err := Root().Find([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	var e *brenner.Error
	if err := usage(session, unknownWord(session, "promote")); !errors.As(err, &e) ||
		!strings.Contains(e.Hint, "`brenner session` has ") || !strings.Contains(e.Hint, "compile") || strings.Contains(e.Hint, "artifact") {
		t.Errorf("session promote: %v", e)
	}
}
