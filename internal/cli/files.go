package cli

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/internal/checkout"

	"github.com/spf13/cobra"
)

func newCheckout(r *runner) *cobra.Command {
	var sel checkout.Selection
	var types, modules []string
	c := &cobra.Command{
		Use:   "checkout DIR",
		Short: "Write artifacts as Markdown files, to be edited and committed",
		Long: `Write artifacts below DIR as DIR/MODULE/TYPE/ID.md: front matter in YAML, then
the content; of each artifact the canonical version, or else the head. JSON
content stands in a block. The file .brenner-checkout remembers the version and
the checksum of every file. Repeated, it brings files up to date, and removes
those of what was deprecated since; files that were changed since are neither
overwritten nor removed without --force.`,
		Example: `  brenner checkout notes --module lineage --type paper_note
  $EDITOR notes/lineage/paper_note/smith-2024.md
  brenner commit notes`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			sel.Types, sel.Modules = named[brenner.TypeName](types), named[brenner.Module](modules)
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := checkout.Out(cmd.Context(), s, r.path(a[0]), sel, r.progress())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				for _, f := range res.Written {
					w.Printf("%s %s\n", f.Path, f.Ref)
				}
				for _, d := range res.Skipped {
					w.Printf("skipped: %s\n", diagnosticLine(d))
				}
				for _, f := range res.Removed {
					w.Printf("removed: %s, %s is out of use\n", f.Path, f.Ref)
				}
				w.Printf("%d written, %d unchanged\n", len(res.Written), res.Unchanged)
			})
		},
	}
	selectFlags(c, &types, &modules)
	c.Flags().BoolVar(&sel.Force, "force", false, "overwrite files that were changed since they were checked out")
	return c
}

func newCommit(r *runner) *cobra.Command {
	var how checkout.Commit
	var note changeFlags
	c := &cobra.Command{
		Use:   "commit DIR",
		Short: "Turn changed files of a checkout into new versions, all or none",
		Long: `Turn the changed files below DIR into new versions and new files at
DIR/MODULE/TYPE/ID.md into new artifacts, all or none. In the front matter
summary, tags and links may be changed; id, version and status may not. A new
version goes on the version that was checked out: if the head has moved since,
it becomes an alternative and the fork is reported, or with --expect-head the
commit is refused. What was deprecated since comes back into use with --revive
alone. Deleted files are reported and nothing else. Afterwards the files say
their new versions.`,
		Example: `  brenner commit notes --what "clone count" --why erratum --dry-run
  brenner commit notes --what "clone count" --why erratum`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			how.Write, how.Change = r.write(), note.change()
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := checkout.In(cmd.Context(), s, r.path(a[0]), how)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				printBatch(w, res.BatchResult)
				for _, f := range res.Deleted {
					w.Printf("%s is gone; %s stays as it is\n", printable(f.Path), f.Ref)
				}
				printIgnored(w, res.Ignored)
				w.Printf("%s, %d unchanged\n", counted(res.BatchResult), res.Unchanged)
			})
		},
	}
	note.add(c)
	c.Flags().BoolVar(&how.SummaryHolds, "summary-holds", false, "the old summaries are still true of the new contents")
	c.Flags().BoolVar(&how.ExpectHead, "expect-head", false, "refuse if the head of an artifact moved since the checkout")
	c.Flags().BoolVar(&how.Revive, "revive", false, "bring what was deprecated since back into use")
	c.Flags().BoolVar(&how.DryRun, "dry-run", false, "check everything and write nothing")
	return c
}

func newAdd(r *runner) *cobra.Command {
	var how checkout.Import
	var typ, module string
	c := &cobra.Command{
		Use:   "add FILE|DIR…",
		Short: "Import notes: Markdown, text or JSON files, or folders of them",
		Long: `Import files as new artifacts, all or none. Of a folder every .md, .markdown,
.txt and .json file is taken, also further down; links are not followed. The id
is made of the path, the summary is that of the front matter or else the first
heading and paragraph. Front matter may also give id, type, module, tags and
links, and then wins over the flags; front matter of other programs stays in
the content. Hidden files are left out. A note that was imported before is left
alone; one that has changed since refuses them all: bring that in with commit
or artifact update.`,
		Example: `  brenner add papers/ --type paper_note --module lineage --tag reading --dry-run
  brenner add papers/ --type paper_note --module lineage --tag reading`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			how.Write, how.Type, how.Module = r.write(), brenner.TypeName(typ), brenner.Module(module)
			from := make([]checkout.Source, len(names))
			for i, name := range names {
				from[i] = checkout.Source{Name: name, Path: r.path(name)}
			}
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := checkout.Add(cmd.Context(), s, from, how, r.progress())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				printBatch(w, res.BatchResult)
				printIgnored(w, res.Ignored)
				w.Println(counted(res.BatchResult))
			})
		},
	}
	c.Flags().StringVar(&typ, "type", "paper_note", "`TYPE` of notes that do not say theirs, see brenner artifact types")
	c.Flags().StringVar(&module, "module", "", "module of notes that do not say theirs (default: the only one)")
	listFlag(c.Flags(), &how.Tags, "tag", "tag for every note (repeatable)")
	c.Flags().BoolVar(&how.DryRun, "dry-run", false, "check everything and write nothing")
	return c
}

func printBatch(w *printer, res api.BatchResult) {
	for _, item := range res.Items {
		if item.Outcome == api.BatchSame {
			w.Printf("%s: same as %s\n", printable(item.Name), item.Ref)
			continue
		}
		w.Printf("%s: ", printable(item.Name))
		printWrite(w, item.WriteResult)
	}
}

func printIgnored(w *printer, names []string) {
	for _, name := range names {
		w.Printf("%s: ignored\n", printable(name))
	}
}

// counted says how many items were written, or would be.
func counted(res api.BatchResult) string {
	n := map[api.BatchOutcome]int{}
	for _, item := range res.Items {
		n[item.Outcome]++
	}
	would := ""
	if res.DryRun {
		would = "dry run: "
	}
	return fmt.Sprintf("%s%d created, %d updated, %d the same", would, n[api.BatchCreated], n[api.BatchUpdated], n[api.BatchSame])
}
