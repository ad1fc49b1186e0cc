package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

// Exit statuses of session status (R10).
const (
	exitWaiting = 10
	exitTimeout = 11
)

func newSessionStatus(r *runner) *cobra.Command {
	var w watcher
	c := &cobra.Command{
		Use:   "status [SESSION]",
		Short: "Say who was asked, who has answered and what waits",
		Long: `Say for each recipient when it was asked, acknowledged and answered, and how
many of its deltas are pending and compiled. With --watch wait until everyone
has answered. Replies of an Agent Mail session are fetched first.

A reply without a usable delta is no answer: the session is then unusable, and
the agent was told how to mend it.

Exit status 0 when everyone who was asked has answered, 10 while somebody has
not, or could not any more because the session was closed, 11 when --timeout has
passed before.`,
		Example: `  brenner session status RS-20251230-cell-fate --watch --timeout 30m`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if w.interval < time.Millisecond {
				return usage(cmd, fmt.Errorf("--interval must be at least 1ms"))
			}
			asked := cmd.Context()
			defer within(cmd, w.timeout)()
			return r.onSession(cmd, a, func(ctx context.Context, s api.Service, id brenner.SessionID) error {
				w.runner, w.service, w.id = r, s, id
				st, err := w.wait(ctx)
				if err != nil {
					return err
				}
				costs, err := runCosts(asked, s, api.RunCostsRequest{Work: api.Work{Session: st.ID}})
				if err != nil {
					return err
				}
				return r.show(struct {
					api.SessionStatus
					Runs *api.RunCosts `json:"runs,omitzero"`
				}{st, ranFor(costs)}, func(out *printer) {
					printSessionStatus(out, st)
					printRan(out, costs)
				})
			})
		},
	}
	c.Flags().BoolVar(&w.watch, "watch", false, "wait until everyone has answered")
	addLength(c.Flags(), &w.timeout, "timeout", "wait no longer than this", "as long as it takes")
	c.Flags().DurationVar(&w.interval, "interval", 2*time.Second, "look again after this long")
	return c
}

// runCosts is what runs cost, for a person. In an agent's name it is not asked: what an
// agent may not see would be on record as denied to it.
func runCosts(ctx context.Context, s api.Service, req api.RunCostsRequest) (api.RunCosts, error) {
	info, err := s.Project(ctx)
	if err != nil || !info.Person {
		return api.RunCosts{}, err
	}
	costs, err := s.RunCosts(ctx, req)
	if brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassDenied { // of another role
		return api.RunCosts{}, nil
	}
	return costs, err
}

// ranFor is what the runs of a session used, nil if it had none.
func ranFor(costs api.RunCosts) *api.RunCosts {
	if costs.Total.Runs == 0 {
		return nil
	}
	return &costs
}

// printRan says what the runs of a session used, together and by agent (W12).
func printRan(w *printer, costs api.RunCosts) {
	if costs.Total.Runs == 0 {
		return
	}
	w.Printf("runs: %s\n", sumWords(costs.Total))
	if len(costs.ByAgent) > 1 {
		for _, name := range slices.Sorted(maps.Keys(costs.ByAgent)) {
			w.Printf("  %s: %s\n", name, sumWords(costs.ByAgent[name]))
		}
	}
}

// sumWords is what some runs used, as far as it was told.
func sumWords(s api.RunSum) string {
	return fmt.Sprintf("%d, %d good, %d tokens in, %d out, %s", s.Runs, s.Good, s.Tokens.Read(), s.Tokens.Out, costWords(s))
}

// costWords is what some runs cost, as far as it was told: what nobody told is
// not nothing.
func costWords(s api.RunSum) string {
	switch {
	case s.Cost == 0 && s.Unknown > 0:
		return "cost not told"
	case s.Cost == 0 && s.Running > 0:
		return "cost not told yet"
	}
	out := s.Cost.String()
	if s.Unknown > 0 {
		out += fmt.Sprintf(" and what %s did not tell", plural(s.Unknown, "run"))
	}
	if s.Running > 0 {
		out += fmt.Sprintf(" and what %s at work did not tell yet", plural(s.Running, "run"))
	}
	return out
}

// watcher waits for a session.
type watcher struct {
	*runner
	service           api.Service
	id                brenner.SessionID
	watch             bool
	timeout, interval time.Duration
	said              string // the last warning
	shown             string // the last status on a terminal
}

// wait gives the status: at once, or when everyone has answered or the time is
// over. It settles the exit status.
func (w *watcher) wait(ctx context.Context) (api.SessionStatus, error) {
	var last api.SessionStatus
	for {
		st, err := w.look(ctx)
		if err != nil && last.ID != "" && isOver(ctx) {
			w.exit = exitTimeout
			return last, nil
		}
		if err != nil || st.State == api.SessionComplete || st.State == api.SessionClosed && answered(st) {
			return st, err
		}
		if !w.watch || st.State == api.SessionClosed {
			w.exit = exitWaiting
			return st, nil
		}
		w.tell(st)
		last = st
		select {
		case <-ctx.Done():
			if isOver(ctx) {
				w.exit = exitTimeout
				return st, nil
			}
			return st, ctx.Err()
		case <-time.After(w.interval):
		}
	}
}

// within ends a command after a time, if one is given: from before its project is
// opened, for a store that others have locked is waited for no longer either.
func within(cmd *cobra.Command, timeout time.Duration) (stop func()) {
	if timeout <= 0 {
		return func() {}
	}
	ctx, stop := context.WithTimeout(cmd.Context(), timeout)
	cmd.SetContext(ctx)
	return stop
}

// isOver says that the time of within is over, and not that somebody interrupted.
func isOver(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// answered reports that everybody who was asked has answered.
func answered(st api.SessionStatus) bool {
	return !slices.ContainsFunc(st.Recipients, func(r api.RecipientStatus) bool { return r.AnsweredAt.IsZero() })
}

// look asks for the status, after fetching what agents have sent over Agent
// Mail. Who may not fetch sees what others have.
func (w *watcher) look(ctx context.Context) (api.SessionStatus, error) {
	st, err := w.service.SessionStatus(ctx, api.SessionStatusRequest{ID: w.id})
	if err == nil && !st.CompileAt.IsZero() && !st.CompileAt.After(time.Now()) {
		// It is due, and nothing else may come to see it (D27).
		_, err = w.service.CompileSession(ctx, api.CompileSessionRequest{ID: w.id, Due: true})
		if err == nil {
			st, err = w.service.SessionStatus(ctx, api.SessionStatusRequest{ID: w.id})
		} else if errors.Is(err, brenner.CodeWriteDenied) {
			err = nil
		}
	}
	if err != nil || st.Transport != api.TransportAgentMail {
		return st, err
	}
	_, err = w.service.FetchReplies(ctx, api.FetchRepliesRequest{ID: w.id})
	switch {
	case err == nil:
		return w.service.SessionStatus(ctx, api.SessionStatusRequest{ID: w.id})
	case brenner.CodeOf(err) == brenner.CodeWriteDenied:
	case ctx.Err() != nil:
		return st, ctx.Err()
	case err.Error() != w.said:
		w.said = err.Error()
		w.note("replies could not be fetched: %s\n", w.said)
	}
	return st, nil
}

// tell shows progress on a terminal, and nothing in a pipe (X4).
func (w *watcher) tell(st api.SessionStatus) {
	if !w.env.Terminal || w.json {
		return
	}
	if text := textOf(func(out *printer) { printSessionStatus(out, st) }); text != w.shown {
		w.shown = text
		w.note("%s\n", w.shown)
	}
}

func printSessionStatus(w *printer, st api.SessionStatus) {
	w.Printf("%s %s: %s, compiled %s\n", st.ID, st.State, st.Artifact, plural(st.Compiles, "time"))
	if st.ThreadEmpty {
		w.Println("the research thread is empty: no question has been put")
	} else if st.Question != "" {
		w.Printf("question: %s\n", oneLine(printable(st.Question), 200))
	}
	rows := [][]string{{"AGENT", "ROLE", "ASKED", "ACKNOWLEDGED", "ANSWERED", "PENDING", "COMPILED"}}
	for _, r := range st.Recipients {
		asked := moment(r.AskedAt)
		if r.Delivery != api.Delivered {
			asked = r.Delivery
		}
		answered := sometime(r.AnsweredAt)
		switch {
		case r.Waiting && r.Unusable != "":
			answered = "unusable"
		case r.Late:
			answered += " (late)"
		case r.Waiting && r.Replies > 0:
			answered += " (asked again)"
		case r.Nothing:
			answered += " (nothing to add)"
		}
		compiled := fmt.Sprint(r.Taken())
		if r.Rejected > 0 {
			compiled += fmt.Sprintf(", %d rejected", r.Rejected)
		}
		rows = append(rows, []string{
			string(r.Name), string(r.Role), asked, sometime(r.AckedAt), answered, fmt.Sprint(r.Pending), compiled,
		})
	}
	table(w, rows...)
	for _, r := range st.Recipients {
		if r.Waiting && r.Unusable != "" {
			w.Printf("unusable: %s of %s holds no delta that can be used; it was told how to mend it\n", r.Unusable, r.Name)
		}
	}
	if slices.ContainsFunc(st.Recipients, func(r api.RecipientStatus) bool { return r.Late }) {
		w.Println("late: the session went on without the answer, and takes it when it comes")
	}
	w.Printf("deltas: %s\n", tally(st.Deltas))
	if !st.CompileAt.IsZero() {
		w.Printf("compiled at %s, or when everybody has answered\n", instant(st.CompileAt))
	}
	if st.Conflicts > 0 {
		w.Printf("fields in conflict: %d\n", st.Conflicts)
	}
	if said := st.Unconcluded(); said != "" {
		w.Println(said)
	}
	for _, u := range st.Outbox {
		w.Printf("not delivered: %s to %s after %s: %s %s\n", u.ID, u.To, plural(u.Attempts, "attempt"), u.Code, oneLine(printable(u.Message), 200))
	}
	for _, next := range st.Next {
		w.Printf("next: %s\n", next.Command())
	}
}

// sometime is an instant, or a dash for one that has not come.
func sometime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return moment(t)
}

// tally lists counts by name.
func tally(counts map[string]int) string {
	var out []string
	for name, n := range counts {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, name))
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, ' '):], b[strings.IndexByte(b, ' '):])
	})
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
