package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"brenner"
	"brenner/api"
	work "brenner/internal/runner"

	"github.com/spf13/cobra"
)

func newAsk(r *runner) *cobra.Command {
	var start api.StartSessionRequest
	var roster rosterFlags
	var flags startFlags
	var rounds int
	var module string
	c := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Put a question to the agents: start them, compile what they answer, show it",
		Long: `Start a session about the question, start the program of every agent that is
asked, take in what they answer, compile it, and print the document. The agents
are those of the roster in the configuration, or those that --to and --role
name. With --rounds they are asked again with the document and what is still
open, until nothing is asked for any more or a round changes nothing.

Each run acts as its agent with a token of its own and is recorded: see
` + "`brenner runs`" + `. Ctrl-C stops the runs and compiles what was answered.`,
		Example: `  brenner ask 'Why does the ring not close?' --program claude
  brenner ask 'What decides cell fate?' --rounds 3 --max-cost 2`,
		Args: oneQuestion,
		RunE: func(cmd *cobra.Command, a []string) error {
			plan, err := flags.plan()
			if err != nil {
				return err
			}
			if rounds < 1 || rounds > brenner.MaxRounds {
				return brenner.Errorf(brenner.CodeUsage, "--rounds is 1 to %d", brenner.MaxRounds)
			}
			if err := r.statedRoster(&start, roster); err != nil {
				return err
			}
			start.Write, start.Question, start.Module = r.write(), a[0], brenner.Module(module)
			return r.withRunner(cmd, func(ctx context.Context, s api.Service, run *work.Runner) error {
				q := work.Question{Start: start, Plan: plan, Rounds: rounds, Began: func(st api.SessionStart) {
					r.warn(st.Warnings)
					if !r.json {
						r.note("session %s\n", st.Session.ID)
					}
				}}
				answer, err := run.Ask(ctx, s, q)
				if err != nil {
					return err
				}
				r.answered(answer)
				if !r.json {
					r.tellAnswer(answer)
				}
				return r.show(answer, func(w *printer) { w.Print(answer.Document) })
			})
		},
	}
	roster.add(c)
	flags.add(c)
	c.Flags().StringVar(&start.Context, "context", "", "what to add to the question")
	c.Flags().StringVar(&module, "module", "", "module of the session artifact (default: the only one, or project)")
	c.Flags().IntVar(&rounds, "rounds", 1, "how often to ask, with what is still open")
	return c
}

// oneQuestion takes the question as one argument that says something.
func oneQuestion(_ *cobra.Command, a []string) error {
	switch {
	case len(a) == 0:
		return errors.New("the question is missing")
	case len(a) > 1:
		return errors.New("the question is one argument: put it in quotes")
	case strings.TrimSpace(a[0]) == "":
		return errors.New("the question is empty")
	case oneWord(strings.TrimSpace(a[0])):
		return fmt.Errorf("%q is one word and no question, and asking starts every agent: write it out, or end it with a question mark", brenner.Clip(a[0], 60))
	}
	return nil
}

// oneWord reports that a text is a single word of plain letters. In other writings a
// question need not have a blank.
func oneWord(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r == '?' || unicode.IsSpace(r) })
}

// answered sets the exit status: everybody answered, or somebody did not.
func (r *runner) answered(a work.Answer) {
	if a.Waits {
		r.exit = exitWaiting
	}
	for _, round := range a.Rounds {
		if len(round.Refused) > 0 || len(round.Blocked) > 0 || round.Stopped != "" {
			r.exit = exitWaiting
		}
		for _, run := range round.Runs {
			if !run.Outcome.Good() {
				r.exit = exitWaiting
			}
		}
	}
}

// spentWords is what was spent, and how much of that nobody told.
func spentWords(s work.Spent) string {
	if s.Assumed == 0 {
		return s.Cost.String()
	}
	return fmt.Sprintf("%s (%s of it assumed for runs that did not tell their cost)", s.Cost, s.Assumed)
}

// tellAnswer says beside the document how it came about.
func (r *runner) tellAnswer(a work.Answer) {
	for _, round := range a.Rounds {
		r.tellDone(round.Done)
	}
	words := []string{plural(len(a.Rounds), "round"), plural(a.Spent.Runs, "run")}
	if a.Spent.Cost > 0 {
		words = append(words, spentWords(a.Spent))
	}
	words = append(words, plural(a.Open, "thing")+" still asked for", plural(a.Conflicts, "conflict"))
	if a.Critiques > 0 {
		words = append(words, plural(a.Critiques, "open critique"))
	}
	r.note("%s: %s\n", a.Ref, strings.Join(words, ", "))
	if a.Stopped != "" {
		r.note("it stopped early: %s\n", a.Stopped)
	}
}
