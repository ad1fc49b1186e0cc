package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/internal/api"

	"github.com/spf13/cobra"
)

func newArtifact(r *runner) *cobra.Command {
	update, show, history := newArtifactUpdate(r), newArtifactShow(r), newArtifactHistory(r)
	diff, link := newArtifactDiff(r), newArtifactLink(r)
	promote, demote, deprecate := newArtifactPromote(r), newArtifactDemote(r), newArtifactDeprecate(r)
	r.completeIDs(update, show, history, diff, link, promote, demote, deprecate)
	return group("artifact", "Typed, versioned knowledge",
		newArtifactNew(r), update, show, newArtifactList(r), newArtifactSearch(r),
		history, diff, link, promote, demote, deprecate, newArtifactTypes(r))
}

// bodyFlags are how content is given: inline, or from a file, as JSON or text.
type bodyFlags struct {
	file, content, format string
}

func (b *bodyFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&b.file, "file", "f", "", "read the content from a file, or - for standard input")
	c.Flags().StringVar(&b.content, "content", "", "the content itself")
	c.Flags().StringVar(&b.format, "format", "", "json or text (default: by the file's name, or by what the content looks like)")
	c.MarkFlagsMutuallyExclusive("file", "content")
}

// body reads the content; nil if none was given.
func (b *bodyFlags) body(r *runner, cmd *cobra.Command) (*api.Body, error) {
	data := b.content
	switch {
	case b.file != "":
		raw, err := r.read(b.file, brenner.MaxContentBytes)
		if err != nil {
			return nil, err
		}
		data = string(raw)
	case !cmd.Flags().Changed("content"):
		return nil, nil
	}
	format := artifact.Format(b.format)
	if format == "" {
		format = artifact.Text
		if filepath.Ext(b.file) == ".json" || strings.HasPrefix(strings.TrimSpace(data), "{") {
			format = artifact.JSON
		}
	}
	return &api.Body{Format: format, Data: data}, nil
}

// changeFlags say what a version changed and why.
type changeFlags struct{ what, why string }

func (f *changeFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.what, "what", "", "what changed")
	c.Flags().StringVar(&f.why, "why", "", "why it changed")
}

func (f *changeFlags) change() *artifact.Change {
	if f.what == "" && f.why == "" {
		return nil
	}
	return &artifact.Change{What: f.what, Why: f.why}
}

func parseLinks(words []string) ([]artifact.Link, error) {
	var out []artifact.Link
	for _, s := range words {
		l, err := parseLink(s)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

const taskHelp = "the task it is written for, which you must hold"

const linkHelp = "link REL:ID[@VERSION]; without a version, to the one in force (repeatable)"

func newArtifactNew(r *runner) *cobra.Command {
	var id, typ, module, summary, task string
	var tags, links []string
	var body bodyFlags
	var note changeFlags
	c := &cobra.Command{
		Use:   "new",
		Short: "Write the first version of an artifact",
		Example: `  brenner artifact new --type paper_note --id smith-2024 --module lineage \
      --summary "Smith 2024: fate follows lineage in 9 of 10 clones" --file smith.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := body.body(r, cmd)
			if err != nil {
				return err
			}
			if b == nil {
				return usage(cmd, fmt.Errorf("no content: add --file or --content"))
			}
			req := api.CreateArtifactRequest{
				Write: r.write(), ID: brenner.ArtifactID(id), Type: brenner.TypeName(typ), Module: brenner.Module(module),
				Summary: summary, Content: *b, Tags: tags, Change: note.change(), Task: task,
			}
			if req.Links, err = parseLinks(links); err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.CreateArtifact(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(res, func(w io.Writer) { printWrite(w, res) })
		},
	}
	f := c.Flags()
	f.StringVar(&id, "id", "", "name of the artifact (default: TYPE-N)")
	f.StringVar(&typ, "type", "", "its type, see `brenner artifact types`")
	f.StringVar(&module, "module", "", "the module it belongs to (default: the only one)")
	f.StringVar(&summary, "summary", "", "what it says, in at most 1,200 characters")
	f.StringSliceVar(&tags, "tag", nil, "tag (repeatable)")
	f.StringArrayVar(&links, "link", nil, linkHelp)
	f.StringVar(&task, "task", "", taskHelp)
	body.add(c)
	note.add(c)
	required(c, "type", "summary")
	return c
}

func newArtifactUpdate(r *runner) *cobra.Command {
	var summary, task string
	var holds, dropLinks bool
	var expect int
	var tags, links []string
	var body bodyFlags
	var note changeFlags
	c := &cobra.Command{
		Use:   "update ID[@PARENT]",
		Short: "Write a new version of an artifact",
		Long: `Write a new version on the head, or on the parent named. A version on a
parent that is no longer the head is kept as an alternative, and the fork is
reported; with --expect it is refused instead. Links of the parent are kept;
a link given here replaces one of the same relation to the same artifact.`,
		Example: `  brenner artifact update smith-2024 --file smith.json \
      --summary "Smith 2024, corrected: 8 of 10 clones" --what "clone count" --why "erratum"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			ref, err := brenner.ParseRef(a[0])
			if err != nil {
				return err
			}
			req := api.UpdateArtifactRequest{
				Write: r.write(), ID: ref.Artifact, Parent: ref.Version, Expect: brenner.Version(expect),
				SummaryHolds: holds, DropLinks: dropLinks, Change: note.change(), Task: task,
			}
			if req.Content, err = body.body(r, cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("summary") {
				req.Summary = &summary
			}
			if cmd.Flags().Changed("tag") {
				req.Tags = &tags
			}
			if req.Links, err = parseLinks(links); err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.UpdateArtifact(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(res, func(w io.Writer) { printWrite(w, res) })
		},
	}
	f := c.Flags()
	f.StringVar(&summary, "summary", "", "the new summary")
	f.BoolVar(&holds, "summary-holds", false, "the old summary is still true of the new content")
	f.IntVar(&expect, "expect", 0, "refuse unless this version is the head")
	f.StringSliceVar(&tags, "tag", nil, "tags instead of the parent's (repeatable)")
	f.StringArrayVar(&links, "link", nil, linkHelp)
	f.BoolVar(&dropLinks, "drop-links", false, "do not keep the parent's links")
	f.StringVar(&task, "task", "", taskHelp)
	body.add(c)
	note.add(c)
	return c
}

func printWrite(w io.Writer, res api.WriteResult) {
	_, _ = fmt.Fprintf(w, "%s %s\n", res.Ref, res.Status)
	for _, d := range res.Warnings {
		_, _ = fmt.Fprintln(w, diagnosticLine(d))
	}
	if len(res.Fork) > 0 {
		_, _ = fmt.Fprintf(w, "fork: %s\nhint: promote one and deprecate the others, or write a version that supersedes them\n", refs(res.Fork, " "))
	}
}

func newArtifactShow(r *runner) *cobra.Command {
	var brief, contentOnly bool
	c := &cobra.Command{
		Use:     "show ID[@VERSION]",
		Short:   "Read a version: the one named, else the canonical one, else the head",
		Example: `  brenner artifact show smith-2024@1`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			ref, err := brenner.ParseRef(a[0])
			if err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			v, err := s.Artifact(cmd.Context(), api.ArtifactRequest{Ref: ref, Brief: brief})
			if err != nil {
				return err
			}
			return r.show(v, func(w io.Writer) {
				if contentOnly {
					_, _ = io.WriteString(w, contentText(v.Version))
					return
				}
				printArtifact(w, v, brief)
			})
		},
	}
	c.Flags().BoolVar(&brief, "brief", false, "leave the content out")
	c.Flags().BoolVar(&contentOnly, "content", false, "print nothing but the content, byte for byte")
	c.MarkFlagsMutuallyExclusive("brief", "content")
	return c
}

func printArtifact(w io.Writer, v api.ArtifactView, brief bool) {
	stale := ""
	if v.NeedsUpdate {
		stale = ", needs update: " + refs(v.Stale, " → ")
	}
	_, _ = fmt.Fprintf(w, "%s %s (%s, module %s%s)\n", v.Ref(), v.Status, v.Type, v.Module, stale)
	_, _ = fmt.Fprintf(w, "summary: %s\n", printable(v.Summary))
	if v.Change != nil {
		_, _ = fmt.Fprintf(w, "change: %s; why: %s\n", printable(v.Change.What), printable(v.Change.Why))
	}
	_, _ = fmt.Fprintf(w, "by %s at %s; head @%d", v.Metadata.Creator, instant(v.Metadata.UpdatedAt), v.Head)
	if v.Canonical != 0 {
		_, _ = fmt.Fprintf(w, ", canonical @%d", v.Canonical)
	}
	_, _ = fmt.Fprintln(w)
	if len(v.Metadata.Tags) > 0 {
		_, _ = fmt.Fprintf(w, "tags: %s\n", words(v.Metadata.Tags))
	}
	for _, l := range v.Links {
		_, _ = fmt.Fprintf(w, "%s: %s\n", l.Rel, l.To())
	}
	if len(v.Fork) > 0 {
		_, _ = fmt.Fprintf(w, "fork: %s\n", refs(v.Fork, " "))
	}
	if !brief {
		_, _ = fmt.Fprintf(w, "\n%s\n", strings.TrimRight(printable(contentText(v.Version)), "\n"))
	}
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
			req.Statuses = named[artifact.Status](statuses)
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Artifacts(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(res, func(w io.Writer) {
				printItems(w, res.Items)
				more(w, res.Next)
			})
		},
	}
	selectFlags(c, &types, &modules)
	c.Flags().StringSliceVar(&statuses, "status", nil, "only with this status (repeatable); deprecated ones are listed only when asked for")
	c.Flags().StringVar(&req.Tag, "tag", "", "only with this tag")
	pageFlags(c, &req.Page)
	return c
}

func selectFlags(c *cobra.Command, types, modules *[]string) {
	c.Flags().StringSliceVar(types, "type", nil, "only of this type (repeatable)")
	c.Flags().StringSliceVar(modules, "module", nil, "only of this module (repeatable)")
}

func printItems(w io.Writer, items []api.ArtifactItem) {
	if len(items) == 0 {
		_, _ = fmt.Fprintln(w, "nothing found")
		return
	}
	rows := [][]string{{"ARTIFACT", "STATUS", "CANONICAL", "TYPE", "MODULE", "SUMMARY"}}
	for _, i := range items {
		canonical := "-"
		if i.Canonical != 0 {
			canonical = fmt.Sprintf("@%d", i.Canonical)
		}
		rows = append(rows, []string{
			fmt.Sprintf("%s@%d", i.ID, i.Head), string(i.Status), canonical, string(i.Type), string(i.Module), oneLine(printable(i.Summary), 60),
		})
	}
	table(w, rows...)
}

func newArtifactSearch(r *runner) *cobra.Command {
	var req api.SearchArtifactsRequest
	var types, modules []string
	c := &cobra.Command{
		Use:     "search WORDS…",
		Short:   "Find artifacts by the words in them",
		Example: `  brenner artifact search lineage clone --type paper_note`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Text = strings.Join(a, " ")
			req.Types, req.Modules = named[brenner.TypeName](types), named[brenner.Module](modules)
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.SearchArtifacts(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(res, func(w io.Writer) {
				items := make([]api.ArtifactItem, len(res.Items))
				for i, h := range res.Items {
					items[i] = h.ArtifactItem
				}
				printItems(w, items)
			})
		},
	}
	selectFlags(c, &types, &modules)
	c.Flags().IntVar(&req.Limit, "limit", 20, "at most this many")
	return c
}

func newArtifactHistory(r *runner) *cobra.Command {
	var req api.HistoryRequest
	c := &cobra.Command{
		Use:     "history ID",
		Short:   "List the versions of an artifact and what was decided about them",
		Example: `  brenner artifact history smith-2024`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.ID = brenner.ArtifactID(a[0])
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			h, err := s.History(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(h, func(w io.Writer) { printHistory(w, h) })
		},
	}
	pageFlags(c, &req.Page)
	return c
}

func printHistory(w io.Writer, h api.HistoryResult) {
	rows := [][]string{{"VERSION", "PARENT", "STATUS", "BY", "AT", "SUMMARY"}}
	for _, v := range h.Versions {
		parent := "-"
		if v.Parent != 0 {
			parent = fmt.Sprintf("@%d", v.Parent)
		}
		rows = append(rows, []string{
			fmt.Sprintf("@%d", v.Version), parent, string(v.Status), string(v.Creator), instant(v.Created), oneLine(printable(v.Summary), 60),
		})
		if v.Change != nil {
			rows = append(rows, []string{"", "", "", "", "", oneLine(printable("changed: "+v.Change.What+"; why: "+v.Change.Why), 60)})
		}
	}
	table(w, rows...)
	for _, d := range h.Decisions {
		_, _ = fmt.Fprintf(w, "%s %s made %s %s: %s\n", instant(d.At), d.Actor, d.Ref, d.Status, oneLine(printable(d.Reason), 80))
	}
	more(w, h.Next)
}

func newArtifactDiff(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "diff ID@A ID@B",
		Short:   "Say what changed between two versions, and why",
		Example: `  brenner artifact diff smith-2024@1 smith-2024@3`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			from, err := brenner.ParseRef(a[0])
			if err != nil {
				return err
			}
			to, err := brenner.ParseRef(a[1])
			if err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			d, err := s.Diff(cmd.Context(), api.DiffRequest{From: from, To: to})
			if err != nil {
				return err
			}
			return r.show(d, func(w io.Writer) { _, _ = io.WriteString(w, printable(d.Text())) })
		},
	}
}

func newArtifactLink(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "link ID@VERSION REL:ID[@VERSION]",
		Short:   "Link a version to another",
		Example: `  brenner artifact link memo-1@2 cites:smith-2024@1`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			from, err := brenner.ParseRef(a[0])
			if err != nil {
				return err
			}
			l, err := parseLink(a[1])
			if err != nil {
				return err
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Link(cmd.Context(), api.LinkRequest{Write: r.write(), From: from, Link: l})
			if err != nil {
				return err
			}
			return r.show(res, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s %s %s\n", res.From, res.Rel, res.To) })
		},
	}
}

func newArtifactPromote(r *runner) *cobra.Command {
	var req api.PromoteRequest
	c := &cobra.Command{
		Use:     "promote ID[@VERSION]",
		Short:   "Make a version canonical (without a version: the head)",
		Example: `  brenner artifact promote smith-2024@2 --reason "checked against the erratum"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			req.Write = r.write()
			return r.decide(cmd, func(ctx context.Context, s api.Service) (api.DecisionResult, error) { return s.Promote(ctx, req) })
		},
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	c.Flags().BoolVar(&req.Replace, "replace", false, "supersede another artifact that is canonical in this place")
	c.Flags().BoolVar(&req.Override, "override", false, "promote although the inputs have moved")
	return c
}

func newArtifactDemote(r *runner) *cobra.Command {
	var req api.DecisionRequest
	c := &cobra.Command{
		Use:     "demote ID[@VERSION]",
		Short:   "Take a canonical version out of force",
		Example: `  brenner artifact demote smith-2024 --reason "retracted"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			req.Write = r.write()
			return r.decide(cmd, func(ctx context.Context, s api.Service) (api.DecisionResult, error) { return s.Demote(ctx, req) })
		},
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	return c
}

func newArtifactDeprecate(r *runner) *cobra.Command {
	var req api.DecisionRequest
	c := &cobra.Command{
		Use:     "deprecate ID[@VERSION]",
		Short:   "Take a version, or a whole artifact, out of use; it stays readable",
		Example: `  brenner artifact deprecate smith-2024@3 --reason "merged into @4"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			req.Write = r.write()
			return r.decide(cmd, func(ctx context.Context, s api.Service) (api.DecisionResult, error) { return s.Deprecate(ctx, req) })
		},
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	return c
}

// decide runs a decision and prints what it changed.
func (r *runner) decide(cmd *cobra.Command, fn func(context.Context, api.Service) (api.DecisionResult, error)) error {
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	res, err := fn(cmd.Context(), s)
	if err != nil {
		return err
	}
	return r.show(res, func(w io.Writer) {
		for _, c := range res.Changes {
			_, _ = fmt.Fprintf(w, "%s %s → %s\n", c.Ref, c.From, c.To)
		}
		if len(res.Stale) > 0 {
			_, _ = fmt.Fprintf(w, "now stale: %s\n", refs(res.Stale, " "))
		}
	})
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
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Types(cmd.Context(), req)
			if err != nil {
				return err
			}
			return r.show(res, func(w io.Writer) { printTypes(w, res, req.Name != "") })
		},
	}
}

func printTypes(w io.Writer, res api.TypesResult, schema bool) {
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
			_, _ = fmt.Fprintf(w, "\n%s\n", s)
		}
	}
}

// required marks flags that must be given.
func required(c *cobra.Command, names ...string) {
	for _, n := range names {
		if err := c.MarkFlagRequired(n); err != nil {
			panic(err)
		}
	}
}
