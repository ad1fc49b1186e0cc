package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/automation"

	"github.com/spf13/cobra"
)

func newAutomation(r *runner) *cobra.Command {
	c := &cobra.Command{
		Use:   "automation",
		Short: "What happens by itself: rules, what they did and why",
		Long: `Rules say on which event, when, to do what. Those that are built in let lessons
with enough evidence step up, hold what is handed in or promoted to the brief
and to the assumptions of others, and open tasks: for what became stale, for
raw logs that pile up, for memos that are behind, for forks and for lessons
nobody is sure of. No rule promotes or decides anything. Sessions compile when
everybody has answered (compile in .brennerrc, --compile); paused, nothing of
this happens.

A project adds rules, changes built-in ones by their name or switches them off
in .brennerrc:

  automation:
    - {name: distil, when: {count: 5}}
    - {name: memo, off: true}
    - name: second-look
      on: promoted
      when: {type: analysis_result}
      do: {act: task, role: adversarial_critic, title: Attack the new result}

The server and the runner fire what is due; without them the next command that
writes does.`,
	}
	c.AddCommand(newAutomationList(r), newAutomationLog(r), newAutomationTest(r), newAutomationPause(r), newAutomationResume(r), newAutomationSettle(r))
	return c
}

func newAutomationList(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the rules in force and how each stands",
		Example: `  brenner automation list`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.AutomationRules(cmd.Context())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printRules(w, res) })
		},
	}
}

func printRules(w *printer, res api.AutomationRules) {
	rows := [][]string{{"RULE", "ON", "WHEN", "DO", "FIRED", "STATE"}}
	for _, rule := range res.Rules {
		rows = append(rows, []string{rule.Name, joined(rule.On, ", "), orDash(whenWords(rule.When)), string(rule.Do.Act), strconv.Itoa(rule.Fired), ruleState(rule)})
	}
	table(w, rows...)
	if res.Paused {
		w.Println("paused: nothing happens by itself until `brenner automation resume`")
	}
}

// joined writes names one after the other.
func joined[T ~string](names []T, between string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, between)
}

func whenWords(f automation.Filter) string {
	var parts []string
	for _, p := range [][2]string{{"type", string(f.Type)}, {"module", string(f.Module)}, {"role", string(f.Role)}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	if f.Count > 1 {
		parts = append(parts, fmt.Sprintf("%d of them", f.Count))
	}
	return strings.Join(parts, ", ")
}

func ruleState(r api.AutomationRule) string {
	switch {
	case r.Off:
		return "off"
	case r.Paused:
		return "paused"
	case r.Held:
		return "held: " + plural(r.Hour, "time") + " in the last hour"
	}
	return "on"
}

func newAutomationLog(r *runner) *cobra.Command {
	var req api.FiringsRequest
	c := &cobra.Command{
		Use:     "log",
		Short:   "List what rules did and why, the latest first",
		Example: `  brenner automation log --rule update`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.Firings, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Firings) == 0 {
					w.Println("nothing has happened by itself")
				}
				for _, f := range res.Firings {
					printFiring(w, f)
				}
				more(w, res.Next)
			})
		},
	}
	c.Flags().StringVar(&req.Rule, "rule", "", "only of this rule")
	pageFlags(c, &req.Page)
	return c
}

// printFiring prints a firing as a line: when, which rule, why, and what came of
// it.
func printFiring(w *printer, f api.Firing) {
	where := "would"
	if f.Seq > 0 {
		where = fmt.Sprintf("#%d %s", f.Seq, instant(f.At))
	}
	w.Printf("%s %s: %s", where, f.Rule, printable(f.Why))
	if f.Event.Seq > 0 {
		w.Printf("; cause: record %d", f.Event.Seq)
	}
	switch {
	case f.Code != "":
		w.Printf("; could not be done: %s: %s", f.Code, printable(f.Message))
	case len(f.Tasks) > 0:
		w.Printf("; opened %s", strings.Join(f.Tasks, ", "))
	case len(f.Refs) > 0:
		w.Printf("; wrote %s", refs(f.Refs, ", "))
	}
	if f.Depth > 1 {
		w.Printf("; %d causes deep", f.Depth)
	}
	w.Println()
}

func newAutomationTest(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "test [RECORD]",
		Short: "Say what rules would do on the events of a record; nothing is done",
		Long: `Says which events a record of the journal is, what the rules in force did about
them, and what they would do now. Without a number: the last record that means
anything to a rule. ` + "`brenner journal`" + ` shows the numbers.`,
		Example: `  brenner automation test 42`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var req api.TestAutomationRequest
			if len(a) == 1 {
				var err error
				if req.Seq, err = strconv.ParseInt(strings.TrimPrefix(a[0], "#"), 10, 64); err != nil || req.Seq < 1 {
					return brenner.Errorf(brenner.CodeUsage, "%q is no number of a record", a[0])
				}
			}
			res, err := ask(r, cmd, api.Service.TestAutomation, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				var events []string
				for _, e := range res.Events {
					events = append(events, string(e.On)+" "+e.Subject)
				}
				w.Printf("record %d: %s\n", res.Seq, orDash(strings.Join(events, ", ")))
				for _, f := range append(res.Had, res.Would...) {
					printFiring(w, f)
				}
				if len(res.Paused) > 0 {
					w.Printf("paused, and so do nothing: %s; `brenner automation resume` has them go on\n", strings.Join(res.Paused, ", "))
				}
				if len(res.Had)+len(res.Would) == 0 {
					w.Println("no rule does anything about it")
				}
			})
		},
	}
}

func newAutomationPause(r *runner) *cobra.Command {
	return pausing(r, "pause", "Have a rule, or all, do nothing", `What happens while a rule is paused is not made up for when it goes on, but for
sessions that were answered meanwhile: they are compiled then.`,
		`  brenner automation pause update --reason 'the correction goes on'`, api.Service.PauseAutomation)
}

func newAutomationResume(r *runner) *cobra.Command {
	return pausing(r, "resume", "Have a rule, or all, go on", `It goes on with what happens from now on; sessions that were answered meanwhile
are compiled. A rule that was paused by itself stays so until it is named.`,
		`  brenner automation resume`, api.Service.ResumeAutomation)
}

func pausing(r *runner, name, short, long, example string, call func(api.Service, context.Context, api.PauseAutomationRequest) (api.AutomationRules, error)) *cobra.Command {
	var req api.PauseAutomationRequest
	c := &cobra.Command{
		Use: name + " [RULE]", Short: short, Long: short + ". " + long, Example: example, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if req.Write = r.write(); len(a) == 1 {
				req.Rule = a[0]
			}
			res, err := ask(r, cmd, call, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				printRules(w, res)
				if left := singlyPaused(res); name == "resume" && len(left) > 0 && !res.Paused {
					w.Printf("still paused, each by itself: %s; `brenner automation resume RULE` has one go on\n", strings.Join(left, ", "))
				}
			})
		},
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	return c
}

// singlyPaused are the rules that are paused, whatever the others do.
func singlyPaused(res api.AutomationRules) []string {
	var out []string
	for _, rule := range res.Rules {
		if rule.Paused {
			out = append(out, rule.Name)
		}
	}
	return out
}

func newAutomationSettle(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "settle [RECORD...]",
		Short:   "Take what rules told out of the inbox, all of it or some",
		Example: `  brenner automation settle`,
		RunE: func(cmd *cobra.Command, a []string) error {
			req := api.SettleNoticesRequest{Write: r.write()}
			for _, text := range a {
				seq, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimPrefix(text, "#"), "firing-"), 10, 64)
				if err != nil {
					return brenner.Errorf(brenner.CodeUsage, "%q is no number of a record", text)
				}
				req.Seqs = append(req.Seqs, seq)
			}
			res, err := ask(r, cmd, api.Service.SettleNotices, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%d settled\n", res.Settled) })
		},
	}
}
