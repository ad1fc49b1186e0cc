package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"brenner/api"
	work "brenner/internal/runner"
	"brenner/program"
)

// board shows how runs go: on a terminal a line for each that is under way, in
// a pipe JSON Lines where JSON was asked for, else a line for each start and
// end (W18).
type board struct {
	*runner
	mu    sync.Mutex
	rows  []*boardRow // of runs under way
	drawn int         // lines on the screen that are drawn over
	stop  chan struct{}
	over  sync.WaitGroup
}

type boardRow struct {
	run   api.RunInfo
	does  string
	used  program.Usage
	since time.Time
}

func (r *runner) newBoard() *board {
	b := &board{runner: r, stop: make(chan struct{})}
	if b.lively() {
		b.over.Go(b.tick)
	}
	return b
}

// tick draws the lines anew every second: how long each has taken changes.
func (b *board) tick() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.mu.Lock()
			b.draw("")
			b.mu.Unlock()
		}
	}
}

// lively says that lines can be drawn over.
func (b *board) lively() bool {
	return b.env.Columns != nil && !b.json && b.env.Getenv("TERM") != "dumb"
}

// tell takes something that happened to a run.
func (b *board) tell(p work.Progress) {
	if p.Line != "" {
		return // what it prints is its log
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.json {
		event := "run"
		if p.Refused != nil {
			event = "refused"
		}
		_ = b.printJSON(struct {
			Event string `json:"event"`
			work.Progress
		}{event, p})
		_ = b.out.Flush()
		return
	}
	switch said := b.note(p); {
	case b.lively():
		b.draw(said)
	case said != "":
		_, _ = fmt.Fprintln(b.env.Err, said)
	}
}

// note keeps what happened, and gives the line that stays: of an end and of a
// refusal, and where nothing is drawn over of a start.
func (b *board) note(p work.Progress) string {
	if p.Refused != nil {
		return refusalLine(*p.Refused)
	}
	for i, row := range b.rows {
		if row.run.ID != p.Run.ID {
			continue
		}
		row.run, row.does, row.used = p.Run, p.Does, p.Used
		if p.Run.State != api.RunEnded {
			return ""
		}
		b.rows = append(b.rows[:i], b.rows[i+1:]...)
		return b.line(row)
	}
	row := &boardRow{run: p.Run, does: p.Does, used: p.Used, since: time.Now()}
	if p.Run.State != api.RunEnded {
		b.rows = append(b.rows, row)
	}
	if b.lively() && p.Run.State != api.RunEnded {
		return ""
	}
	return b.line(row)
}

// draw writes a line that stays, and every run under way below it, over what
// was drawn before. A line never wraps, or what is drawn over would be another.
func (b *board) draw(said string) {
	if b.drawn > 0 {
		_, _ = fmt.Fprintf(b.env.Err, "\033[%dA\033[J", b.drawn)
	}
	if said != "" {
		_, _ = fmt.Fprintln(b.env.Err, said)
	}
	for _, row := range b.rows {
		_, _ = fmt.Fprintln(b.env.Err, oneLine(b.line(row), max(b.env.Columns()-1, 20)))
	}
	b.drawn = len(b.rows)
}

// line is one run: agent, program, for how long, what it does, what it used.
func (b *board) line(row *boardRow) string {
	took, does := time.Since(row.since), row.does
	if row.run.State == api.RunEnded {
		took, does = row.run.Ended.Sub(row.run.Started), string(row.run.Outcome)
	}
	parts := []string{fmt.Sprintf("%-16s %-10s %6s", row.run.Agent, row.run.Program.Name, took.Round(time.Second)), printable(does)}
	if c := row.run.Cause; row.run.State == api.RunEnded && c != program.Fine {
		parts = append(parts, c.Sentence())
	}
	if used := usageWords(row.used); used != "" {
		parts = append(parts, used)
	}
	return oneLine(strings.Join(parts, "  "), 200)
}

func (b *board) close() {
	close(b.stop)
	b.over.Wait()
}

// refusalLine says what could not be started, and what to do.
func refusalLine(f work.Refusal) string {
	line := fmt.Sprintf("%s for %s was not started: %s: %s", f.Work, f.Agent, f.Error.Code, printable(f.Error.Message))
	return line + "\nhint: " + printable(adviceOf(f.Error.Advised()))
}
