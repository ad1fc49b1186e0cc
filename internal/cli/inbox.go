package cli

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"

	"github.com/spf13/cobra"
)

func newInbox(r *runner) *cobra.Command {
	var req api.WaitingRequest
	var kinds []string
	c := &cobra.Command{
		Use:   "inbox",
		Short: "List everything that waits for a person, what most rests on first",
		Example: `  brenner inbox
  brenner inbox --kind promotion --kind stale`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Kinds = named[api.WaitKind](kinds)
			res, err := ask(r, cmd, api.Service.Waiting, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printInbox(w, res) })
		},
	}
	listFlag(c.Flags(), &kinds, "kind", "only of this kind, such as promotion, stale or stalemate (repeatable)")
	pageFlags(c, &req.Page)
	return c
}

func printInbox(w *printer, res api.WaitingList) {
	if res.Total == 0 {
		w.Println("nothing waits for you")
		return
	}
	rows := [][]string{{"WAITS", "KIND", "RESTS", "BY", "SINCE", "WHY"}}
	for _, i := range res.Items {
		since := "-"
		if !i.Since.IsZero() {
			since = moment(i.Since)
		}
		rows = append(rows, []string{i.Subject, string(i.Kind), fmt.Sprint(i.Rests), orDash(string(i.Author)), since, oneLine(printable(i.Title+": "+i.Why), w.look.room(100))})
	}
	table(w, rows...)
	if len(res.Items) < res.Total {
		w.Printf("%d of %d\n", len(res.Items), res.Total)
	}
	more(w, res.Next)
}

// newReview shows everything needed to decide; below it stand what can be said
// about a version without deciding.
func newReview(r *runner) *cobra.Command {
	c := &cobra.Command{
		Use:   "review [ID[@VERSION]]",
		Short: "Show everything needed to decide about a version",
		Long: `Show a version against the one that is canonical: what changes, what it rests
on and how that stands, what was found against it, who made it, and what
becomes stale if it is promoted. Without a name: the version in the inbox that
most rests on.

Then decide: artifact promote, artifact confirm, artifact deprecate, or
review changes. Each takes --dry-run.`,
		Example: `  brenner review
  brenner review smith-2024@2`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			var req api.ReviewRequest
			if len(a) == 1 {
				req.Ref, err = brenner.ParseRef(a[0])
			} else {
				req.Ref, err = firstToDecide(cmd, s)
			}
			if err != nil {
				return err
			}
			res, err := s.Review(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printReview(w, res) })
		},
	}
	c.AddCommand(newReviewChanges(r), newReviewComment(r), newReviewSettle(r), newReviewApprove(r))
	return c
}

// firstToDecide is the version in the inbox that most rests on.
func firstToDecide(cmd *cobra.Command, s api.Service) (brenner.Ref, error) {
	list, err := s.Waiting(cmd.Context(), api.WaitingRequest{Page: api.Page{Limit: 1}, Kinds: []api.WaitKind{api.WaitPromotion, api.WaitRebase}})
	if err != nil {
		return brenner.Ref{}, err
	}
	if len(list.Items) == 0 {
		return brenner.Ref{}, brenner.Errorf(brenner.CodeNotFound, "no version waits to be decided upon").
			WithHint("name one: `brenner review ID[@VERSION]`; `brenner inbox` lists what else waits")
	}
	return brenner.ParseRef(list.Items[0].Subject)
}

func printReview(w *printer, v api.ReviewView) {
	printArtifact(w, v.ArtifactView, true)
	if v.Waits != "" {
		w.Printf("waits: %s\n", printable(v.Waits))
	}
	made := ""
	if v.Role != "" {
		made += " as " + string(v.Role)
	}
	if v.ArtifactView.Task != "" {
		made += ", for " + v.ArtifactView.Task
	}
	if v.Context != "" {
		made += ", shown " + v.Context
	}
	if made != "" {
		w.Printf("made by %s%s\n", v.Metadata.Creator, made)
	}
	if v.Difference != nil {
		heading(w, fmt.Sprintf("What changes, against %s", v.Against))
		w.Print(w.look.changes(printable(v.Difference.Text())))
	} else {
		heading(w, "Content")
		w.Printf("%s\n", printable(reviewedText(v.Version)))
	}
	heading(w, "What it rests on")
	printEvidence(w, v.Evidence)
	if len(v.Evidence) == 0 {
		w.Println("nothing")
	}
	if len(v.Opposes) > 0 {
		heading(w, "What it contradicts or takes the place of")
		printEvidence(w, v.Opposes)
	}
	heading(w, "What was found against it")
	for _, f := range v.Findings {
		w.Printf("%s\n  see %s; what ends it: %s\n", objectionLine(f), objectionSeen(f), objectionEnded(f))
	}
	switch {
	case v.MoreFindings > 0:
		w.Printf("and %d more\n", v.MoreFindings)
	case len(v.Findings) == 0:
		w.Println("nothing")
	}
	printLacks(w, v.Lacks)
	for _, d := range v.Warnings {
		w.Printf("warning: %s\n", printable(d.Message))
	}
	for _, f := range v.Answered {
		w.Printf("answered, named with %s: %s\n", f.Answer, objectionLine(f))
	}
	if len(v.Decisions) > 0 {
		heading(w, "Decided before")
		printDecisions(w, v.Decisions)
	}
	if len(v.Comments) > 0 {
		heading(w, "Comments")
		printComments(w, v.Comments)
	}
	if len(v.Moved)+len(v.Glanced) > 0 {
		heading(w, "Moved while it was written")
		for _, m := range v.Moved {
			w.Printf("%s, now %s\n", m.Ref, movedTo(m))
		}
		for _, m := range v.Glanced {
			w.Printf("%s, now %s; only its summary was shown\n", m.Ref, movedTo(m))
		}
	}
	if v.Approvals != nil {
		heading(w, "Approvals")
		printApprovals(w, *v.Approvals)
	}
	heading(w, "If it is promoted")
	if v.Hindrance != nil {
		w.Printf("%s: %s\n", v.Hindrance.Code, printable(v.Hindrance.Message))
	}
	if v.Promotion != nil {
		printDecision(w, *v.Promotion)
	}
}

// reviewedText is what a version says, as people read it in a terminal: of a session
// the document without the marks of a page.
func reviewedText(v artifact.Version) string {
	if v.Type == artifact.TypeSessionArtifact {
		if doc, err := delta.ReadArtifact(v.Content); err == nil {
			return delta.RenderPlain(doc)
		}
	}
	return contentText(v)
}

// printEvidence lists what a version links to, and how that stands.
func printEvidence(w *printer, all []api.ReviewEvidence) {
	for _, e := range all {
		note := ""
		if e.Demoted {
			note = ", taken out of force"
		}
		if e.Redacted {
			note += ", redacted"
		}
		if e.Stale {
			note += ", needs update"
		}
		if e.Now != 0 {
			note += fmt.Sprintf(", @%d is in force", e.Now)
		}
		w.Printf("%s %s (%s%s): %s\n", e.Rel, e.Ref, e.Status, note, oneLine(printable(e.Summary), 100))
	}
}

func printComments(w *printer, all []api.CommentInfo) {
	for _, c := range all {
		about := "on " + c.Ref.String()
		if c.Reply != "" {
			about = "answers " + c.Reply
		}
		if c.Settled {
			about += ", settled"
		}
		w.Printf("%s %s %s (%s): %s\n", c.ID, c.Author, instant(c.At), about, oneLine(printable(c.Text), 200))
	}
}

func newReviewChanges(r *runner) *cobra.Command {
	var req api.RequestChangesRequest
	var role string
	c := &cobra.Command{
		Use:   "changes ID[@VERSION]…",
		Short: "Send versions back: writes a critique and opens a task for the author's role",
		Example: `  brenner review changes smith-2024@2 --reason "say how many clones"
  brenner review changes smith-2024 jones-2023 --reason "say how many clones"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			refs := make([]brenner.Ref, len(a))
			for i, word := range a {
				var err error
				if refs[i], err = brenner.ParseRef(word); err != nil {
					return err
				}
			}
			req.Write, req.Role = r.write(), brenner.Role(role)
			if len(refs) > 1 {
				return r.changesOfMany(cmd, req, refs)
			}
			req.Ref = refs[0]
			res, err := ask(r, cmd, api.Service.RequestChanges, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printSentBack(w, res.DryRun, res.Ref, res.Critique, res.Task) })
		},
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "what is to change")
	c.Flags().StringVar(&role, "role", "", "who is to make the changes (default: the role of the author)")
	c.Flags().BoolVar(&req.DryRun, "dry-run", false, "say what it would come to, and write nothing")
	return c
}

// changesOfMany sends versions back together, all or none (N4).
func (r *runner) changesOfMany(cmd *cobra.Command, req api.RequestChangesRequest, refs []brenner.Ref) error {
	res, err := ask(r, cmd, api.Service.Decide, api.DecideRequest{
		Write: req.Write, Decision: api.DecideChanges, Refs: refs, Reason: req.Reason, Role: req.Role, DryRun: req.DryRun,
	})
	if err != nil {
		return err
	}
	return r.show(res, func(w *printer) {
		for _, d := range res.Decisions {
			printSentBack(w, res.DryRun, d.Ref, d.Critique, *d.Task)
		}
	})
}

func printSentBack(w *printer, dry bool, ref, critique brenner.Ref, t api.TaskInfo) {
	if dry {
		w.Printf("%s would go back to the role %s\n", ref, t.Role)
		return
	}
	w.Printf("%s sent back: %s says why, %s asks the role %s for a new version\n", ref, critique, t.ID, t.Role)
}

func newReviewComment(r *runner) *cobra.Command {
	var req api.CommentRequest
	c := &cobra.Command{
		Use:     "comment ID[@VERSION] TEXT",
		Short:   "Say something about a version to the other persons",
		Example: `  brenner review comment smith-2024@2 "is this the same cohort?"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			req.Write, req.Text = r.write(), a[1]
			res, err := ask(r, cmd, api.Service.Comment, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%s on %s\n", res.ID, res.Ref) })
		},
	}
	c.Flags().StringVar(&req.Reply, "reply", "", "the comment that it answers")
	return c
}

func newReviewSettle(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "settle COMMENT",
		Short:   "Close a comment and its answers",
		Example: `  brenner review settle comment-41`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			res, err := ask(r, cmd, api.Service.SettleComment, api.SettleCommentRequest{Write: r.write(), ID: a[0]})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%s settled\n", res.ID) })
		},
	}
}

func newReviewApprove(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "approve ID[@VERSION]",
		Short: "Say that a version holds, where its type asks for approvals",
		Long: `Approve the head of an artifact whose type needs several pairs of eyes before
it is promoted. The configuration says how many and of which roles:

  approvals:
    model_spec: {count: 2, roles: [reviewer, adversarial_critic]}

An approval is for this version: a newer one needs new approvals. Nobody
approves what it wrote a part of: a version on the way to this one since the
last that was in force, or deltas that a session's document holds.`,
		Example: `  brenner review approve model-a --as RedSky`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			ref, err := brenner.ParseRef(a[0])
			if err != nil {
				return err
			}
			res, err := ask(r, cmd, api.Service.Approve, api.ApproveRequest{Write: r.write(), Ref: ref})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printApprovals(w, res) })
		},
	}
}

// movedTo says what an input is now.
func movedTo(m api.Moved) string {
	if m.Now == 0 {
		return "out of use"
	}
	return brenner.Ref{Artifact: m.Ref.Artifact, Version: m.Now}.String()
}

func printApprovals(w *printer, a api.Approvals) {
	defer printAgainst(w, api.DecisionResult{Against: a.Against, MoreAgainst: a.MoreAgainst})
	w.Printf("%s has %d of %s by %s\n", a.Ref, len(a.By), plural(a.Needed, "approval"), joined(a.Roles, ", "))
	for _, by := range a.By {
		w.Printf("  %s, %s, %s\n", by.Actor, by.Role, instant(by.At))
	}
	if a.Void {
		w.Println("a newer version stands at the head: they do not count any more")
	}
}

func newArtifactSubmit(r *runner) *cobra.Command {
	var req api.HandInRequest
	c := &cobra.Command{
		Use:     "submit ID[@VERSION]",
		Short:   "Hand a version in: it waits in the inbox until a person decides",
		Example: `  brenner artifact submit smith-2024@2 --note "the erratum is in"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			req.Write = r.write()
			res, err := ask(r, cmd, api.Service.HandIn, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%s waits to be decided upon\n", res.Ref) })
		},
	}
	c.Flags().StringVar(&req.Note, "note", "", "what the reader should know")
	return c
}

// heading sets off a part of a longer answer.
func heading(w *printer, title string) { w.Printf("\n%s\n", w.look.in(bold, title)) }
