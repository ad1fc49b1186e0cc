package cli

import (
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/playbook"

	"github.com/spf13/cobra"
)

func newPlaybook(r *runner) *cobra.Command {
	return group("playbook", "Lessons that count evidence and never rewrite themselves",
		newPlaybookLearn(r), newPlaybookList(r), newPlaybookShow(r), newPlaybookFeedback(r), newPlaybookSame(r),
		newPlaybookPromote(r), newPlaybookReview(r), newPlaybookAmend(r), newPlaybookUndo(r),
		newPlaybookExport(r), newPlaybookStats(r), newPlaybookReembed(r))
}

func domainFlag(c *cobra.Command, domain *string, otherwise string) {
	c.Flags().StringVar(domain, "domain", "", "the field of work (default: "+otherwise+")")
}

func newPlaybookLearn(r *runner) *cobra.Command {
	var req api.LearnRequest
	var domain, format, guard string
	c := &cobra.Command{
		Use:   "learn [FILE]",
		Short: "Report what was learned",
		Long: `Report a batch of insights: a JSON array, JSON Lines, or a Markdown list under
headings Helpful (do this), Harmful (avoid this) and Neutral (a fact), from a
file or from standard input. Each one strengthens the bullet that says it
already, or begins a new one. All of the batch or nothing.

An insight in JSON: {"section":"helpful","content":"…","confidence":0.9,
"tags":["…"],"task":"task-12"}; only section and content are needed. What
playbook export wrote is read too, without lessons in quarantine or retired.`,
		Example: `  echo '- Write the failing test before the fix.' | brenner playbook learn --domain go
  brenner playbook learn lessons.jsonl --domain go --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			file := "-"
			if len(a) > 0 {
				file = a[0]
			}
			raw, err := r.read(file, brenner.MaxInsightBytes)
			if err != nil {
				return err
			}
			insights, err := playbook.Parse(raw, playbook.Format(format))
			if err != nil {
				return err
			}
			req.Write, req.Domain, req.Insights = r.write(), playbook.Domain(domain), reported(insights)
			if req.Guard, err = onOff("guard", guard); err != nil {
				return err
			}
			res, err := ask(r, cmd, api.Service.Learn, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printLearned(w, res) })
		},
	}
	domainFlag(c, &domain, string(api.DefaultDomain))
	c.Flags().StringVar(&format, "format", "", "json, jsonl or markdown (default: by how the text begins)")
	c.Flags().StringVar(&guard, "guard", "", "on or off: keep lessons with other numbers or opposite negation apart (default: as configured)")
	c.Flags().BoolVar(&req.DryRun, "dry-run", false, "say which bullet each insight would strengthen and why; change nothing")
	return c
}

// reported turns insights as they were read into those of a request.
func reported(in []playbook.Insight) []api.Insight {
	out := make([]api.Insight, len(in))
	for i, p := range in {
		out[i] = api.Insight{
			Section: p.Section, Content: p.Content, Confidence: &p.Confidence, Tags: p.Tags,
			Task: p.Source.Task, Agent: p.Source.Agent,
		}
		if p.Vector == nil {
			continue
		}
		out[i].Vector = make([]float64, len(p.Vector))
		for j, v := range p.Vector {
			out[i].Vector[j] = float64(v)
		}
	}
	return out
}

// onOff reads a flag that says on, off or nothing.
func onOff(name, value string) (*bool, error) {
	on := value == "on"
	switch value {
	case "":
		return nil, nil
	case "on", "off":
		return &on, nil
	}
	return nil, brenner.Errorf(brenner.CodeUsage, "--%s is on or off, not %q", name, value)
}

func printLearned(w *printer, res api.LearnResult) {
	added := 0
	for _, o := range res.Outcomes {
		if o.Added {
			added++
		}
		printOutcome(w, o, res)
	}
	strengthened := len(res.Outcomes) - added
	if res.DryRun {
		w.Printf("%s: %d would be new, %d would be strengthened; nothing was changed\n", res.Domain, added, strengthened)
		return
	}
	w.Printf("%s: %d new, %d strengthened\n", res.Domain, added, strengthened)
}

func printOutcome(w *printer, o api.LearnOutcome, res api.LearnResult) {
	text := func(id playbook.BulletID) string { return oneLine(printable(res.Texts[id]), 100) }
	verb := "strengthened"
	switch {
	case o.Added && o.Queued:
		verb = "new, waits for a review"
	case o.Added:
		verb = "new"
	default:
		verb += fmt.Sprintf(" (cosine %.2f)", o.Decision.Cosine)
	}
	if o.Quarantined {
		verb += ", now in quarantine"
	}
	w.Printf("%s %s: %s\n  %s; helpful %d, harmful %d, neutral %d\n",
		o.Record, verb, text(o.Bullet), o.Stage, o.Counts.Helpful, o.Counts.Harmful, o.Counts.Neutral)
	for _, s := range o.Decision.Skipped {
		w.Printf("  kept apart from %s (cosine %.2f) by the guard, %s: %s\n", s.Bullet, s.Cosine, clash(s.Clash), text(s.Bullet))
	}
	for _, n := range o.Decision.Near {
		w.Printf("  near %s (cosine %.2f): %s\n", n.Bullet, n.Cosine, text(n.Bullet))
	}
}

// clash says why the guard kept two lessons apart.
func clash(c playbook.Clash) string {
	if c.Ours == "" && c.Theirs == "" {
		return string(c.Why)
	}
	return fmt.Sprintf("%s %q and %q", c.Why, printable(c.Ours), printable(c.Theirs))
}

func newPlaybookList(r *runner) *cobra.Command {
	var req api.ListBulletsRequest
	var domain string
	var stages, sections []string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List lessons, oldest first",
		Example: `  brenner playbook list --domain go --stage PROD`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Domain = playbook.Domain(domain)
			req.Stages, req.Sections = named[playbook.Stage](stages), named[playbook.Section](sections)
			return r.listBullets(cmd, req)
		},
	}
	domainFlag(c, &domain, "all")
	listFlag(c.Flags(), &stages, "stage", "SHADOW, STAGING, PROD, QUARANTINED or RETIRED (repeatable; default: all but RETIRED)")
	listFlag(c.Flags(), &sections, "section", "helpful, harmful or neutral (repeatable)")
	c.Flags().StringVar(&req.Tag, "tag", "", "only with this tag")
	pageFlags(c, &req.Page)
	return c
}

func (r *runner) listBullets(cmd *cobra.Command, req api.ListBulletsRequest) error {
	res, err := ask(r, cmd, api.Service.Bullets, req)
	if err != nil {
		return err
	}
	return r.show(res, func(w *printer) {
		if len(res.Bullets) == 0 {
			w.Println("no bullets")
			return
		}
		rows := [][]string{{"BULLET", "STAGE", "SECTION", "HELPFUL", "HARMFUL", "NEUTRAL", "LESSON"}}
		for _, b := range res.Bullets {
			rows = append(rows, []string{
				string(b.ID), string(b.Stage), string(b.Section), fmt.Sprint(b.Helpful), fmt.Sprint(b.Harmful),
				fmt.Sprint(b.Neutral), oneLine(printable(b.Content), 80),
			})
		}
		table(w, rows...)
		more(w, res.Next)
	})
}

func newPlaybookShow(r *runner) *cobra.Command {
	var req api.BulletRequest
	c := &cobra.Command{
		Use:     "show BULLET",
		Short:   "Show a lesson, what its next gate asks for, and how it came to be",
		Example: `  brenner playbook show go.12 --history`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.ID = playbook.BulletID(a[0])
			res, err := ask(r, cmd, api.Service.Bullet, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printBulletView(w, res) })
		},
	}
	c.Flags().BoolVar(&req.History, "history", false, "also list the records that made it, newest first")
	pageFlags(c, &req.Page)
	return c
}

func printBulletView(w *printer, v api.BulletView) {
	b := v.Bullet
	printBullet(w, b)
	w.Printf("confidence %.2f, learned %s by %s, last seen %s\n",
		b.Confidence, instant(b.CreatedAt), b.Source.Agent, instant(b.LastSeenAt))
	if b.Source.Task != "" {
		w.Printf("task: %s\n", printable(b.Source.Task))
	}
	if b.Review != "" {
		w.Printf("review: %s\n", b.Review)
	}
	if len(b.Tags) > 0 {
		w.Printf("tags: %s\n", printable(words(b.Tags)))
	}
	for _, l := range b.Links {
		w.Printf("%s %s\n", l.Rel, l.Bullet)
	}
	if g := v.Gate; g != nil && len(g.Missing) == 0 {
		w.Printf("rises to %s at the next pass\n", g.To)
	} else if g != nil {
		w.Printf("before %s: %s\n", g.To, strings.Join(g.Missing, "; "))
	}
	w.Printf("sha256 %s after %s\n", v.SHA256, plural(b.Revision, "record"))
	for _, u := range v.Records {
		printRecord(w, u)
	}
	more(w, v.Next)
}

func printRecord(w *printer, u playbook.DeltaUpdate) {
	w.Printf("%s %s %s by %s", u.Ref(), instant(u.At), u.Kind, u.Actor)
	if u.Stage != "" {
		w.Printf(", %s to %s", u.From, u.Stage)
	}
	if u.Undoes > 0 {
		w.Printf(" of #%d", u.Undoes)
	}
	if u.Decision != nil && u.Decision.Cosine > 0 {
		w.Printf(", cosine %.2f", u.Decision.Cosine)
	}
	if u.Reason != "" {
		w.Printf(": %s", oneLine(printable(u.Reason), 80))
	}
	if u.Insight != nil {
		w.Printf(": %s", oneLine(printable(u.Insight.Content), 80))
	}
	w.Println()
}

func printBullet(w *printer, b playbook.Bullet) {
	w.Printf("%s %s %s; helpful %d, harmful %d, neutral %d\n  %s\n",
		b.ID, b.Stage, b.Section, b.Helpful, b.Harmful, b.Neutral, strings.ReplaceAll(printable(b.Content), "\n", "\n  "))
}

// onBullets runs an act on bullets and prints what changed.
func (r *runner) onBullets(cmd *cobra.Command, act func(context.Context, api.Service) (api.BulletResult, error)) error {
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	res, err := act(cmd.Context(), s)
	if err != nil {
		return err
	}
	return r.show(res, func(w *printer) {
		if len(res.Bullets) == 0 {
			w.Println("nothing changed")
		}
		for _, b := range res.Bullets {
			printBullet(w, b)
		}
		if len(res.Records) > 0 {
			w.Printf("records: %s\n", words(res.Records))
		}
	})
}
