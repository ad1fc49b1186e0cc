package cli

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/spf13/cobra"
)

func newArtifactPromote(r *runner) *cobra.Command {
	return r.decision(api.DecidePromote, &cobra.Command{
		Use:   "promote [ID[@VERSION]…]",
		Short: "Make a version canonical (without a version: the head)",
		Long: `Make versions canonical, with a reason; the old canonical version is superseded.
Without a version it is the head, which is not what show gives while another is
canonical: which one it was is then said. Name the version you have read.`,
		Example: `  brenner artifact promote smith-2024@2 --reason "checked against the erratum"
  brenner artifact promote smith-2024@2 jones-2023@1 --dry-run`,
	})
}

func newArtifactDemote(r *runner) *cobra.Command {
	return r.decision(api.DecideDemote, &cobra.Command{
		Use:     "demote [ID[@VERSION]…]",
		Short:   "Take a canonical version out of force",
		Example: `  brenner artifact demote smith-2024 --reason "retracted"`,
	})
}

func newArtifactDeprecate(r *runner) *cobra.Command {
	return r.decision(api.DecideDeprecate, &cobra.Command{
		Use:   "deprecate [ID[@VERSION]…]",
		Short: "Take a version, or a whole artifact, out of use; it stays readable",
		Long: `Take a version out of use, or without a version every live one of an artifact that
has no canonical version. Where one is canonical and a newer one is not, the version
has to be named; a canonical one is demoted first.`,
		Example: `  brenner artifact deprecate smith-2024@3 --reason "merged into @4"`,
	})
}

func newArtifactConfirm(r *runner) *cobra.Command {
	return r.decision(api.DecideStillHolds, &cobra.Command{
		Use:   "confirm [ID[@VERSION]…]",
		Short: "Say that a stale version still holds: a new version, the same words, on what is in force now",
		Example: `  brenner artifact confirm memo-1 --reason "one clone more changes no conclusion"
  brenner artifact confirm --moved smith-2024 --reason "one clone more changes no conclusion"`,
	})
}

// decider takes a decision about one version or many.
type decider struct {
	req            api.DecideRequest
	filter         api.DecisionFilter
	types, modules []string
	moved          string
}

// decision makes a command of a decision: about versions that are named, or
// about those that a filter chooses, all or none (N4).
func (r *runner) decision(kind api.DecisionKind, c *cobra.Command) *cobra.Command {
	var d decider
	d.req.Decision = kind
	c.RunE = func(cmd *cobra.Command, a []string) error {
		for _, word := range a {
			ref, err := brenner.ParseRef(word)
			if err != nil {
				return err
			}
			d.req.Refs = append(d.req.Refs, ref)
		}
		if err := d.choose(cmd); err != nil {
			return err
		}
		return d.run(r, cmd)
	}
	f := c.Flags()
	f.StringVar(&d.req.Reason, "reason", "", "why")
	f.BoolVar(&d.req.DryRun, "dry-run", false, "say what it would come to, and decide nothing")
	if kind == api.DecidePromote {
		f.BoolVar(&d.req.Replace, "replace", false, "supersede another artifact that is canonical in this place")
		f.BoolVar(&d.req.Override, "override", false, "promote although the inputs have moved")
	}
	listFlag(f, &d.types, "type", "instead of names: all of this type (repeatable)")
	listFlag(f, &d.modules, "module", "instead of names: all of this module (repeatable)")
	f.StringVar(&d.filter.Tag, "tag", "", "instead of names: all with this tag")
	if kind == api.DecideStillHolds {
		f.StringVar(&d.moved, "moved", "", "instead of names: all that is stale because this artifact has moved")
	}
	return c
}

// choose sees that either versions are named or a filter chooses them.
func (d *decider) choose(cmd *cobra.Command) error {
	d.filter.Types, d.filter.Modules, d.filter.Moved = named[brenner.TypeName](d.types), named[brenner.Module](d.modules), brenner.ArtifactID(d.moved)
	filtered := len(d.types)+len(d.modules) > 0 || d.filter.Tag != "" || d.moved != ""
	switch {
	case filtered && len(d.req.Refs) > 0:
		return usage(cmd, brenner.Errorf(brenner.CodeUsage, "names and a filter do not go together"))
	case filtered:
		d.req.Filter = &d.filter
	case len(d.req.Refs) == 0:
		return usage(cmd, brenner.Errorf(brenner.CodeUsage, "no version is named"))
	}
	return nil
}

// run takes the decision. One about a single version answers as it always did.
func (d *decider) run(r *runner, cmd *cobra.Command) error {
	d.req.Write = r.write()
	single := api.DecisionRequest{Write: d.req.Write, Reason: d.req.Reason, DryRun: d.req.DryRun}
	if len(d.req.Refs) == 1 {
		single.Ref = d.req.Refs[0]
		var res api.DecisionResult
		var err error
		switch d.req.Decision {
		case api.DecidePromote:
			res, err = ask(r, cmd, api.Service.Promote, api.PromoteRequest{
				Write: single.Write, Ref: single.Ref, Reason: single.Reason, Replace: d.req.Replace, Override: d.req.Override, DryRun: single.DryRun,
			})
		case api.DecideDemote:
			res, err = ask(r, cmd, api.Service.Demote, single)
		case api.DecideDeprecate:
			res, err = ask(r, cmd, api.Service.Deprecate, single)
		default:
			return d.many(r, cmd)
		}
		if err != nil {
			return err
		}
		return r.show(res, func(w *printer) {
			printDecision(w, res)
			d.printUnnamed(w, res)
		})
	}
	return d.many(r, cmd)
}

// printUnnamed says which version was promoted where none was named and another
// was canonical: the one that is shown under the bare name.
func (d *decider) printUnnamed(w *printer, res api.DecisionResult) {
	if d.req.Decision != api.DecidePromote {
		return
	}
	for _, ref := range d.req.Refs {
		var took, before brenner.Ref
		for _, c := range res.Changes {
			switch {
			case c.Ref.Artifact != ref.Artifact:
			case c.To == artifact.Canonical:
				took = c.Ref
			case c.To == artifact.Superseded:
				before = c.Ref
			}
		}
		if ref.Version != 0 || before.Version == 0 || took.Version == 0 {
			continue
		}
		if res.DryRun {
			w.Printf("no version was named: it would be %s, the head, and not %s, which `artifact show %s` gives\n", took, before, ref.Artifact)
		} else {
			w.Printf("no version was named: it was %s, the head, and not %s, which `artifact show %s` gave until now\n", took, before, ref.Artifact)
			w.Printf("back: brenner artifact update %s --what 'back to @%d' --why '…', and promote that; of a session: EDIT its items back with deltas\n", before, before.Version)
		}
		w.Printf("what differs: brenner artifact diff %s %s\n", before, took)
	}
}

func (d *decider) many(r *runner, cmd *cobra.Command) error {
	res, err := ask(r, cmd, api.Service.Decide, d.req)
	if err != nil {
		return err
	}
	return r.show(res, func(w *printer) {
		all := api.DecisionResult{DryRun: res.DryRun, Stale: res.Stale, Fresh: res.Fresh, MoreStale: res.MoreStale, MoreFresh: res.MoreFresh}
		for _, m := range res.Decisions {
			all.Changes = append(all.Changes, m.Changes...)
			all.Against, all.MoreAgainst = append(all.Against, m.Against...), all.MoreAgainst+m.MoreAgainst
			for _, l := range m.Lacks {
				all.Lacks = append(all.Lacks, m.Ref.String()+": "+l)
			}
			if m.New.Version != 0 {
				w.Printf("%s still holds, as %s\n", m.Ref, m.New)
			}
			for _, l := range m.Looked {
				w.Printf("  %s %s → %s\n", l.Rel, l.Was, l.Now)
			}
			if m.Approvals != nil {
				w.Printf("  it comes into force when it has %s by %s and is promoted; until then %s is, and stale\n",
					plural(m.Approvals.Needed, "approval"), joined(m.Approvals.Roles, ", "), m.Ref)
			}
		}
		printDecision(w, all)
		d.printUnnamed(w, all)
	})
}

// andMore is how many there are beside those that are listed.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// printDecision says what a decision changed, or would change.
func printDecision(w *printer, res api.DecisionResult) {
	for _, c := range res.Changes {
		w.Printf("%s %s → %s\n", c.Ref, c.From, c.To)
	}
	for _, c := range res.Changes {
		if c.From == artifact.Canonical && !slices.ContainsFunc(res.Changes, func(o api.StatusChange) bool {
			return o.Ref.Artifact == c.Ref.Artifact && o.To == artifact.Canonical
		}) {
			w.Printf("nothing of %s is canonical %s\n", c.Ref.Artifact, map[bool]string{false: "now", true: "then"}[res.DryRun])
		}
	}
	stale, fresh := "now stale", "no longer stale"
	if res.DryRun {
		stale, fresh = "would be stale", "would no longer be stale"
	}
	if len(res.Stale) > 0 {
		w.Printf("%s: %s%s\n", stale, refs(res.Stale, " "), andMore(res.MoreStale))
	}
	if len(res.Again) > 0 {
		w.Printf("stale before, and %s this too: %s\n", map[bool]string{false: "now by", true: "then by"}[res.DryRun], refs(res.Again, " "))
	}
	if len(res.Fresh) > 0 {
		w.Printf("%s: %s%s\n", fresh, refs(res.Fresh, " "), andMore(res.MoreFresh))
	}
	if len(res.Resting) > 0 {
		w.Printf("stale itself, it rests on what has moved: %s; see `brenner stale`\n", refs(res.Resting, " "))
	}
	printLost(w, res)
	printAgainst(w, res)
	printLacks(w, res.Lacks)
	if res.DryRun && len(res.Stale)+len(res.Resting)+len(res.Again) == 0 {
		w.Println("nothing would become stale")
	}
}

// printLost says which replies are in no document of a session any more, and how they
// come back.
func printLost(w *printer, res api.DecisionResult) {
	if len(res.Lost) == 0 {
		return
	}
	session := res.Changes[0].Ref.Artifact
	w.Printf("what %s in no version of the document any more, and can be handed in again (its items get new ids):\n", map[bool]string{false: "is", true: "would be"}[res.DryRun])
	for _, l := range res.Lost {
		w.Printf("  %s of %s: brenner artifact show %s --content | brenner session ingest --session %s --from %s -\n", plural(l.Deltas, "delta"), l.Agent, l.Log, session, l.Agent)
	}
}

// printAgainst says what stands against what comes into force, and where that is seen.
func printAgainst(w *printer, res api.DecisionResult) {
	n := len(res.Against) + res.MoreAgainst
	if n == 0 {
		return
	}
	w.Printf("%s against it and %s not taken back by this:\n", map[bool]string{true: "1 thing stands", false: fmt.Sprintf("%d things stand", n)}[n == 1], map[bool]string{true: "is", false: "are"}[n == 1])
	for _, f := range res.Against {
		w.Printf("  %s; see %s\n", objectionLine(f), objectionSeen(f))
	}
	if res.MoreAgainst > 0 {
		w.Printf("  and %d more; see brenner review\n", res.MoreAgainst)
	}
}

// printLacks says what nobody has done in a session whose document is decided on.
func printLacks(w *printer, lacks []string) {
	for _, l := range lacks {
		w.Printf("note: %s\n", l)
	}
}

// objectionLine says in one line what speaks against a version, and who said it.
func objectionLine(f api.ReviewFinding) string {
	kind := map[api.FindingKind]string{
		api.FindingCritique: "critique ", api.FindingContradicts: "contradicted by ", api.FindingItem: "open critique ", api.FindingConflict: "in conflict: ",
		api.FindingStalemate: "stalemate ", api.FindingFork: "fork: ",
	}[f.Kind]
	line := kind + f.Name()
	if f.Kind == api.FindingItem {
		line = f.CritiqueWords()
	}
	if f.About.Version != 0 {
		line += " of " + f.About.String()
	}
	line += " by " + string(f.Creator)
	if f.Summary != "" {
		line += ": " + oneLine(printable(f.Summary), 100)
	}
	return line
}

// objectionSeen is the command that shows what speaks against a version.
func objectionSeen(f api.ReviewFinding) string {
	switch f.Kind {
	case api.FindingItem:
		return fmt.Sprintf("brenner session show %s --item %s", f.Ref.Artifact, f.Item)
	case api.FindingConflict:
		return fmt.Sprintf("brenner conflict list %s", f.Ref.Artifact)
	case api.FindingStalemate:
		return "brenner stalemate show " + f.Stalemate
	}
	return "brenner artifact show " + f.Ref.String()
}

// objectionEnded says what ends an objection.
func objectionEnded(f api.ReviewFinding) string {
	switch f.Kind {
	case api.FindingItem:
		return "a new version of the document, in which it is answered or withdrawn"
	case api.FindingConflict:
		return fmt.Sprintf("brenner conflict resolve %s %s %s", f.Ref.Artifact, f.Item, f.Field)
	case api.FindingStalemate:
		return "a verdict that is carried out and verified, or brenner stalemate withdraw " + f.Stalemate
	case api.FindingFork:
		return fmt.Sprintf("brenner artifact deprecate %s --reason …, or a version that supersedes both", f.Ref)
	}
	return fmt.Sprintf("brenner artifact deprecate %s --reason …, or a new version or a promotion whose reason names %[1]s", f.Ref)
}
