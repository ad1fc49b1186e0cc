package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/spf13/cobra"
)

func newArtifact(r *runner) *cobra.Command {
	return group("artifact", "Typed, versioned knowledge",
		newArtifactNew(r), newArtifactUpdate(r), newArtifactShow(r), newArtifactList(r), newArtifactSearch(r),
		newArtifactHistory(r), newArtifactDiff(r), newArtifactLink(r),
		newArtifactSubmit(r), newArtifactPromote(r), newArtifactConfirm(r), newArtifactDemote(r), newArtifactDeprecate(r), newArtifactTypes(r))
}

// bodyFlags are how content is given: inline, or from a file, as JSON or text.
type bodyFlags struct {
	file, content, format string
	edit                  bool
}

func (b *bodyFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&b.file, "file", "f", "", "read the content from a file, or - for standard input")
	c.Flags().StringVar(&b.content, "content", "", "the content itself")
	c.Flags().StringVar(&b.format, "format", "", "json or text (default: by the file's name, or by what the content looks like)")
	c.Flags().BoolVar(&b.edit, "edit", false, "write it in the editor that VISUAL or EDITOR names")
	c.MarkFlagsMutuallyExclusive("file", "content", "edit")
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
	var review bool
	var tags, links []string
	var body bodyFlags
	var note changeFlags
	c := &cobra.Command{
		Use:   "new",
		Short: "Write the first version of an artifact",
		Long: `Write the first version of an artifact. Without content a terminal opens the
editor that VISUAL or EDITOR names, with a template of the type; --edit does so
anywhere. A project_brief may be plain Markdown: its first text is the question,
which is its summary too unless another is given, and lists stand under the
headings Goals, In scope, Out of scope and Constraints.`,
		Example: `  brenner artifact new --type paper_note --id smith-2024 --module lineage \
      --summary "Smith 2024: fate follows lineage in 9 of 10 clones" --file smith.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := body.body(r, cmd)
			if err != nil {
				return err
			}
			req := api.CreateArtifactRequest{
				Write: r.write(), ID: brenner.ArtifactID(id), Type: brenner.TypeName(typ), Module: brenner.Module(module),
				Summary: summary, Tags: tags, Change: note.change(), Task: task, Review: review,
			}
			if req.Links, err = parseLinks(links); err != nil {
				return err
			}
			kept, done := "", func() {}
			switch {
			case b != nil:
				req.Content = *b
			case body.edit || r.env.Terminal:
				if kept, done, err = r.editNew(cmd, &req); err != nil {
					return keep(err, kept)
				}
			default:
				return usage(cmd, fmt.Errorf("no content: add --file or --content"))
			}
			if err := asBrief(&req); err != nil {
				return keep(err, kept)
			}
			if req.Summary == "" {
				return keep(usage(cmd, fmt.Errorf("it needs --summary")), kept)
			}
			res, err := ask(r, cmd, api.Service.CreateArtifact, req)
			if err != nil {
				return keep(err, kept)
			}
			done()
			return r.show(res, func(w *printer) { printWrite(w, res) })
		},
	}
	f := c.Flags()
	f.StringVar(&id, "id", "", "name of the artifact (default: TYPE-N)")
	f.StringVar(&typ, "type", "", "its type, see `brenner artifact types`")
	f.StringVar(&module, "module", "", "the module it belongs to (default: the only one)")
	f.StringVar(&summary, "summary", "", "what it says, in at most 1,200 characters")
	listFlag(f, &tags, "tag", "tag (repeatable)")
	repeatedFlag(f, &links, "link", linkHelp)
	f.StringVar(&task, "task", "", taskHelp)
	body.add(c)
	note.add(c)
	f.BoolVar(&review, "review", false, "hand it in as well")
	required(c, "type")
	return c
}

func newArtifactUpdate(r *runner) *cobra.Command {
	var summary, task string
	var holds, dropLinks, review bool
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
			kept, done := "", func() {}
			nothing := req.Content == nil && req.Summary == nil && req.Tags == nil && len(links) == 0 && !dropLinks && !holds
			if body.edit || nothing && r.env.Terminal {
				if kept, done, err = r.editVersion(cmd, &req); err != nil {
					return keep(err, kept)
				}
			}
			req.Review = review
			res, err := ask(r, cmd, api.Service.UpdateArtifact, req)
			if err != nil {
				return keep(err, kept)
			}
			done()
			return r.show(res, func(w *printer) { printWrite(w, res) })
		},
	}
	f := c.Flags()
	f.StringVar(&summary, "summary", "", "the new summary")
	f.BoolVar(&holds, "summary-holds", false, "the old summary is still true of the new content")
	f.IntVar(&expect, "expect", 0, "refuse unless this version is the head")
	listFlag(f, &tags, "tag", "tags instead of the parent's (repeatable)")
	repeatedFlag(f, &links, "link", linkHelp)
	f.BoolVar(&dropLinks, "drop-links", false, "do not keep the parent's links")
	f.BoolVar(&review, "review", false, "hand it in as well")
	f.StringVar(&task, "task", "", taskHelp)
	body.add(c)
	note.add(c)
	return c
}

func printWrite(w *printer, res api.WriteResult) {
	w.Printf("%s %s\n", res.Ref, res.Status)
	for _, d := range res.Warnings {
		w.Println(diagnosticLine(d))
	}
	if len(res.Fork) > 0 {
		w.Printf("fork: %s\nhint: promote one and deprecate the others, or write a version that supersedes them\n", refs(res.Fork, " "))
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
			res, err := ask(r, cmd, api.Service.Link, api.LinkRequest{Write: r.write(), From: from, Link: l})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%s %s %s\n", res.From, res.Rel, res.To) })
		},
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
