package cli

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/spf13/cobra"
)

func newArtifactShow(r *runner) *cobra.Command {
	var brief, contentOnly, again bool
	var task string
	c := &cobra.Command{
		Use:   "show ID[@VERSION[.PART]]",
		Short: "Read a version: the one named, else the canonical one, else the head",
		Long: `Reads a version: the one named, else the canonical one, else the head. An agent
that was shown it in its context, unchanged, is told so and pays nothing; with
--again, and with --content, it is sent at its price. With a number behind the
version only the part under it is read: .4 is headed by "## .4 …" or "4. …".`,
		Example: `  brenner artifact show smith-2024@1
  brenner artifact show oxygen-log@2.4`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			named, part := brenner.CutPart(a[0])
			ref, err := brenner.ParseRef(named)
			if err != nil {
				return err
			}
			v, err := ask(r, cmd, api.Service.Artifact, api.ArtifactRequest{Ref: ref, Part: part, Brief: brief, Again: again || contentOnly, Task: task})
			if err != nil {
				return err
			}
			return r.show(v, func(w *printer) {
				if contentOnly {
					w.Print(shownText(v))
					return
				}
				printArtifact(w, v, brief)
			})
		},
	}
	c.Flags().BoolVar(&brief, "brief", false, "leave the content out")
	c.Flags().BoolVar(&contentOnly, "content", false, "print nothing but the content, byte for byte")
	c.Flags().BoolVar(&again, "again", false, "send an agent what its context was given before, at its price")
	c.Flags().StringVar(&task, "task", "", throughTask)
	c.MarkFlagsMutuallyExclusive("brief", "content")
	return c
}

func printArtifact(w *printer, v api.ArtifactView, brief bool) {
	stale := ""
	if v.NeedsUpdate {
		stale = ", needs update: " + refs(v.Stale, " → ")
	}
	w.Printf("%s %s (%s, module %s%s)\n", v.Ref(), v.Status, v.Type, v.Module, stale)
	w.Printf("summary: %s\n", brenner.OneLine(printable(v.Summary)))
	if v.Change != nil {
		w.Printf("change: %s; why: %s\n", printable(v.Change.What), printable(v.Change.Why))
	}
	w.Printf("%s %s at %s; head @%d", v.Made(), v.Metadata.Creator, instant(v.Metadata.UpdatedAt), v.Head)
	if v.Canonical != 0 {
		w.Printf(", canonical @%d", v.Canonical)
	}
	w.Println()
	if len(v.Metadata.Tags) > 0 {
		w.Printf("tags: %s\n", words(v.Metadata.Tags))
	}
	for _, l := range v.Links {
		w.Printf("%s: %s\n", l.Rel, l.To())
	}
	if v.Decided != nil {
		w.Printf("decided: %s\n", printable(v.Decided.Words()))
	}
	for _, b := range v.Befell {
		w.Printf("%s\n", printable(b.Said()))
	}
	if len(v.Fork) > 0 {
		w.Printf("fork: %s\n", refs(v.Fork, " "))
	}
	switch {
	case v.Repeated:
		w.Printf("unchanged: you were given it in this context; --again shows it at its price\n")
	case !brief:
		w.Printf("\n%s\n", strings.TrimRight(printable(shownText(v)), "\n"))
	}
}

// shownText is the content of a version, or the part of it that was asked for.
func shownText(v api.ArtifactView) string {
	if v.Part != "" {
		return v.Text
	}
	return contentText(v.Version)
}

func newArtifactList(r *runner) *cobra.Command {
	var req api.ListArtifactsRequest
	var types, modules, statuses []string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List artifacts",
		Example: `  brenner artifact list --type paper_note --status canonical`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Types, req.Modules = named[brenner.TypeName](types), named[brenner.Module](modules)
			req.Statuses, req.Total = named[artifact.Status](statuses), true
			res, err := ask(r, cmd, api.Service.Artifacts, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				printItems(w, res.Items)
				moreOf(w, res.Next, len(res.Items), res.Total)
			})
		},
	}
	selectFlags(c, &types, &modules)
	listFlag(c.Flags(), &statuses, "status", "only with this status (repeatable); deprecated ones are listed only when asked for")
	c.Flags().StringVar(&req.Tag, "tag", "", "only with this tag")
	c.Flags().StringVar((*string)(&req.Sort), "sort", "", "id (default) or updated: what was changed last first")
	pageFlags(c, &req.Page)
	return c
}

func selectFlags(c *cobra.Command, types, modules *[]string) {
	listFlag(c.Flags(), types, "type", "only of this type (repeatable)")
	listFlag(c.Flags(), modules, "module", "only of this module (repeatable)")
}

func printItems(w *printer, items []api.ArtifactItem) {
	if len(items) == 0 {
		w.Println("nothing found")
		return
	}
	rows := [][]string{{"ARTIFACT", "STATUS", "CANONICAL", "TYPE", "MODULE", "SUMMARY"}}
	for _, i := range items {
		canonical := "-"
		if i.Canonical != 0 {
			canonical = fmt.Sprintf("@%d", i.Canonical)
		}
		rows = append(rows, []string{
			fmt.Sprintf("%s@%d", i.ID, i.Head), i.Standing(), canonical, string(i.Type), string(i.Module), oneLine(printable(i.Summary), w.look.room(60)),
		})
	}
	table(w, rows...)
}

func newArtifactSearch(r *runner) *cobra.Command {
	var req api.SearchArtifactsRequest
	var types, modules, statuses []string
	c := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Find artifacts by the words in them",
		Long: `Find artifacts by the words in them, best first: all that have one of the words, drafts too.

catal* finds every word that begins so, "rate of decay" only what has these words in a row. A word that
no text has is read as the nearest in spelling, which is said. Some 250 common words (the, one, may, who) are
looked for only in a phrase beside another, and of a text of more than 256 KiB only what stands before that.
Among the words may stand conditions:
type:integrated_memo module:lineage state:canonical tag:wet author:Ada since:7d. Conditions without a word list what
meets them, what changed last first. A status is that of the version shown; words that look like conditions and
are none are looked for, which is said.`,
		Example: `  brenner artifact search lineage clone --type paper_note
  brenner artifact search 'catal* "rate of decay" type:integrated_memo since:30d'
  brenner artifact search author:Ada since:7d`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Text = strings.Join(a, " ")
			req.Types, req.Modules = named[brenner.TypeName](types), named[brenner.Module](modules)
			req.Statuses = named[artifact.Status](statuses)
			res, err := ask(r, cmd, api.Service.SearchArtifacts, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printHits(w, res) })
		},
	}
	selectFlags(c, &types, &modules)
	listFlag(c.Flags(), &statuses, "status", "only versions with this status (repeatable): those in force, drafts and what needs a rebase are looked through")
	c.Flags().StringVar(&req.Tag, "tag", "", "only with this tag")
	c.Flags().StringVar((*string)(&req.Author), "author", "", "only what this one wrote")
	c.Flags().StringVar(&req.Since, "since", "", "only since a day (2026-11-01), a moment, or so long ago (7d, 12h)")
	req.Limit = 20
	addQuantity(c.Flags(), &req.Limit, brenner.MaxPage, "limit", "at most this many", fmt.Sprint(req.Limit))
	c.Flags().StringVar(&req.Task, "task", "", throughTask)
	return c
}

// printHits lists what was found, under each the passage that has the words.
func printHits(w *printer, res api.SearchResult) {
	remarks := res.Remarks()
	for _, remark := range remarks[:len(res.Spelled)] {
		w.Println(printable(remark))
	}
	if len(res.Items) == 0 {
		w.Println("nothing found")
	}
	rows := [][]string{{"ARTIFACT", "STATUS", "TYPE", "MODULE", "SUMMARY"}}
	for _, h := range res.Items {
		rows = append(rows, []string{
			h.Ref().String(), h.Standing(), string(h.Type), string(h.Module), oneLine(printable(h.Summary), w.look.room(60)),
		})
	}
	if len(res.Items) > 0 {
		table(w, rows...)
	}
	first := true
	for _, h := range res.Items {
		for _, said := range []string{h.Remark(), h.Snippet} {
			if said == "" {
				continue
			}
			if first {
				w.Println()
				first = false
			}
			w.Printf("%s: %s\n", h.Ref(), printable(said))
		}
	}
	if more := res.MoreWords(); more != "" {
		w.Println(more)
	}
	for _, remark := range remarks[len(res.Spelled):] {
		w.Println(printable(remark))
	}
}

// throughTask says what naming a task does to a read.
const throughTask = "read through the context of this task (default: an agent's newest)"

func newArtifactHistory(r *runner) *cobra.Command {
	var req api.HistoryRequest
	c := &cobra.Command{
		Use:     "history ID",
		Short:   "List the versions of an artifact and what was decided about them",
		Example: `  brenner artifact history smith-2024`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.ID = brenner.ArtifactID(a[0])
			h, err := ask(r, cmd, api.Service.History, req)
			if err != nil {
				return err
			}
			return r.show(h, func(w *printer) { printHistory(w, h) })
		},
	}
	pageFlags(c, &req.Page)
	c.Flags().BoolVar(&req.Newest, "newest", false, "the newest first")
	return c
}

func printHistory(w *printer, h api.HistoryResult) {
	rows := [][]string{{"VERSION", "PARENT", "STATUS", "BY", "AT", "SUMMARY"}}
	for _, v := range h.Versions {
		parent := "-"
		if v.Parent != 0 {
			parent = fmt.Sprintf("@%d", v.Parent)
		}
		rows = append(rows, []string{
			fmt.Sprintf("@%d", v.Version), parent, v.Standing(), string(v.Creator), instant(v.Created), oneLine(printable(v.Summary), w.look.room(60)),
		})
		if v.Change != nil {
			rows = append(rows, []string{"", "", "", "", "", oneLine(printable("changed: "+v.Change.What+"; why: "+v.Change.Why), 60)})
		}
	}
	table(w, rows...)
	printDecisions(w, h.Decisions)
	more(w, h.Next)
}

// printDecisions lists decisions, and what a promotion was made over.
func printDecisions(w *printer, all []api.Decision) {
	for _, d := range all {
		over := ""
		if len(d.Over) > 0 {
			over = " (over " + joined(d.Over, ", ") + ")"
		}
		w.Printf("%s %s made %s %s%s: %s\n", instant(d.At), d.Actor, d.Ref, d.Status, over, oneLine(printable(d.Reason), 80))
	}
}

func newArtifactDiff(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID[@A] [ID@B]",
		Short: "Say what changed between two versions, and why",
		Long: `Say what changed between two versions of an artifact, and why. With one name:
between that version, or the newest, and the one it was made on.`,
		Example: `  brenner artifact diff smith-2024
  brenner artifact diff smith-2024@1 smith-2024@3`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, a []string) error {
			from, err := brenner.ParseRef(a[0])
			if err != nil {
				return err
			}
			var to brenner.Ref
			if len(a) == 2 {
				to, err = brenner.ParseRef(a[1])
			} else {
				from, to, err = r.lastStep(cmd, from)
			}
			if err != nil {
				return err
			}
			d, err := ask(r, cmd, api.Service.Diff, api.DiffRequest{From: from, To: to})
			if err != nil {
				return err
			}
			return r.show(d, func(w *printer) { w.Print(w.look.changes(printable(d.Text()))) })
		},
	}
}

// lastStep gives a version, the newest if none is named, and the one that it was
// made on.
func (r *runner) lastStep(cmd *cobra.Command, ref brenner.Ref) (from, to brenner.Ref, err error) {
	if ref.Version == 0 {
		history, err := ask(r, cmd, api.Service.History, api.HistoryRequest{ID: ref.Artifact, Newest: true, Page: api.Page{Limit: 1}})
		if err != nil {
			return from, to, err
		}
		ref.Version = history.Head
	}
	v, err := ask(r, cmd, api.Service.Artifact, api.ArtifactRequest{Ref: ref})
	if err != nil {
		return from, to, err
	}
	if v.Parent == nil {
		return from, to, brenner.Errorf(brenner.CodeInvalidValue, "%s is the first version: it was made on none", ref).
			WithHint(fmt.Sprintf("read it with `brenner artifact show %s`", ref))
	}
	return brenner.Ref{Artifact: ref.Artifact, Version: *v.Parent}, ref, nil
}

func newArtifactTypes(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "types [NAME]",
		Short:   "List the types of artifact, or print the schema of one",
		Example: `  brenner artifact types project_brief`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var req api.TypesRequest
			if len(a) == 1 {
				req.Name = brenner.TypeName(a[0])
			}
			res, err := ask(r, cmd, api.Service.Types, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printTypes(w, res, req.Name != "") })
		},
	}
}

func printTypes(w *printer, res api.TypesResult, schema bool) {
	var rows [][]string
	for _, t := range res.Types {
		var notes []string
		if t.Core {
			notes = append(notes, "core")
		}
		if t.Singleton != "" {
			notes = append(notes, "one per "+t.Singleton)
		}
		if !t.Builtin {
			notes = append(notes, "defined here")
		}
		rows = append(rows, []string{string(t.Name), t.Description, strings.Join(notes, ", ")})
	}
	table(w, rows...)
	if schema && len(res.Types) == 1 && res.Types[0].Schema != nil {
		s := res.Types[0].Schema.Clone()
		if s.Indent() == nil {
			w.Printf("\n%s\n", s)
		}
	}
}
