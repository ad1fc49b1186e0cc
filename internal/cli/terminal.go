package cli

import (
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// look is how answers are shown to a person at a terminal. The zero look is that
// of a pipe: nothing is coloured, shortened or told relative to now, so that a
// program reads the same every time.
type look struct {
	terminal bool
	colour   bool
	width    int
	now      time.Time
}

// looks says how to show answers.
func (env Env) looks() look {
	if !env.Terminal {
		return look{}
	}
	return look{
		terminal: true, width: max(env.Width, 0), now: time.Now(),
		colour: env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb",
	}
}

// The styles of a terminal.
const (
	bold   = "\033[1m"
	dim    = "\033[2m"
	red    = "\033[31m"
	green  = "\033[32m"
	yellow = "\033[33m"
	plain  = "\033[0m"
)

func (l look) in(style, s string) string {
	if !l.colour || style == "" || s == "" {
		return s
	}
	return style + s + plain
}

// stateStyles are the colours of the states that stand in a cell of their own.
var stateStyles = map[string]string{
	"canonical": green, "done": green, "complete": green, "accepted": green, "verified": green, "prod": green,
	"stale": yellow, "needs_rebase": yellow, "alternative": yellow, "open": yellow, "claimed": yellow, "overdue": yellow, "conflict": yellow,
	"stalemate": yellow, "promotion": yellow, "rebase": yellow, "missing": red, "failed": red, "quarantined": red, "revoked": red, "lost": red,
	"superseded": dim, "deprecated": dim, "canceled": dim, "retired": dim, "withdrawn": dim,
}

var tableHead = lazy.NewPattern(`^[A-Z][A-Z /-]*$`)

// ago says how long ago an instant was, as people do; what is further away than
// a month is given as its day.
func ago(t, now time.Time) string {
	d, far := now.Sub(t), "%s ago"
	if d < 0 {
		d, far = -d, "in %s"
	}
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf(far, plural(int(d/time.Minute), "minute"))
	case d < 24*time.Hour:
		return fmt.Sprintf(far, plural(int(d/time.Hour), "hour"))
	case d < 30*24*time.Hour:
		return fmt.Sprintf(far, plural(int(d/(24*time.Hour)), "day"))
	}
	return t.UTC().Format("2006-01-02")
}

// relative is a cell as a terminal shows it: a moment relative to now.
func (l look) relative(cell string) string {
	text, marked := strings.CutPrefix(cell, momentMark)
	if !marked {
		return cell
	}
	exact, rest, _ := strings.Cut(text, "Z")
	t, err := time.Parse("2006-01-02 15:04:05", exact)
	if err != nil {
		return text
	}
	return ago(t, l.now) + rest
}

// columns lays rows out for a terminal: times relative to now, the last column
// as wide as the screen allows, states in colour.
func (l look) columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = l.relative(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	const gap = 2
	var b strings.Builder
	for n, row := range rows {
		line, used := "", 0
		for i, cell := range row {
			if i == len(widths)-1 && l.width > 0 {
				cell = oneLine(cell, max(l.width-used, 20))
			}
			style := stateStyles[cell]
			if n == 0 && tableHead.MatchString(cell) {
				style = bold
			}
			pad := ""
			if i < len(row)-1 {
				pad = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(row[i])+gap)
			}
			line += l.in(style, cell) + pad
			used += widths[i] + gap
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// room is how many letters a text in the last column of a table gets: so many,
// or on a terminal as many as the table then finds room for.
func (l look) room(most int) int {
	if l.terminal {
		return 1000
	}
	return most
}

// changes colours the lines of a difference.
func (l look) changes(text string) string {
	if !l.colour {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(line, "\n")
		trimmed := strings.TrimLeft(body, " ")
		switch {
		case strings.HasPrefix(trimmed, "+"):
			body = l.in(green, body)
		case strings.HasPrefix(trimmed, "-"):
			body = l.in(red, body)
		}
		b.WriteString(body)
		if strings.HasSuffix(line, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// page shows a text in the pager if it is longer than the screen, and reports
// whether it did. BRENNER_PAGER and PAGER say which; empty or cat is none.
func (r *runner) page(text string) bool {
	if !r.env.Terminal || r.env.Height < 1 || strings.Count(text, "\n") < r.env.Height {
		return false
	}
	pager := "less"
	for _, name := range []string{"PAGER", "BRENNER_PAGER"} {
		if set, ok := r.env.lookup(name); ok {
			pager = set
		}
	}
	if pager == "" || pager == "cat" {
		return false
	}
	cmd := exec.Command("sh", "-c", pager) //nolint:gosec // the person's own choice
	if r.env.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Environ(), "LESS=FRX")
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), r.env.Out, r.env.Err
	return cmd.Run() == nil
}

// lookup is a variable of the environment, and whether it is set.
func (env Env) lookup(name string) (string, bool) {
	if env.LookupEnv != nil {
		return env.LookupEnv(name)
	}
	v := env.Getenv(name)
	return v, v != ""
}
