package cli

import (
	"context"
	"errors"
	"path/filepath"

	"brenner"
	"brenner/anchor"
	"brenner/internal/patchfs"

	"github.com/spf13/cobra"
)

func newPatch(r *runner) *cobra.Command {
	return group("patch", "Change text by quoting it: apply, check, explain and make anchor patches",
		newPatchApply(r), newPatchCheck(r), newPatchExplain(r), newPatchDiff(r), newPatchReverse(r), newPatchRebase(r))
}

// patchFlags say where the files are and what the patches were made for.
type patchFlags struct {
	root  string
	bases []string
}

func (f *patchFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.root, "root", ".", "directory that the paths in patches start from; nothing outside is touched")
	c.Flags().StringArrayVar(&f.bases, "base", nil, "a text that a patch was made for, for rebasing; repeatable, found by checksum")
}

func newPatchApply(r *runner) *cobra.Command {
	var flags patchFlags
	var target artifactFlags
	var dryRun, rebase bool
	c := &cobra.Command{
		Use:   "apply PATCH…",
		Short: "Apply patches to the files they name, all or nothing, or one to an artifact",
		Long: `Apply patches to the files they name. Several patches are one set: either
every file is changed or none, also if the program is killed on the way. PATCH
may be - for standard input. Byte order mark, line endings and mode of a file
are kept.

With --artifact one patch is applied to a version of a text artifact and makes
a new version on it, which owes a summary and a change note as any update does.
The text that the patch was made for is looked for among the other versions.`,
		Example: `  brenner patch apply --dry-run fix.json
  brenner patch apply --root src --rebase fix.json tests.json
  brenner patch apply --artifact methods@3 --summary-holds --what "clone count" --why "erratum" fix.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := target.check(cmd); err != nil {
				return err
			}
			if target.ref != "" {
				return r.patchArtifact(cmd, target, names, rebase, dryRun)
			}
			set, err := r.patchSet(names, flags.bases)
			if err != nil {
				return err
			}
			set.Rebase = rebase
			changes, err := r.patchFiles(cmd.Context(), flags.root, set, dryRun)
			if err != nil {
				return err
			}
			return r.showChanges(changes, dryRun)
		},
	}
	flags.add(c)
	target.add(c)
	c.MarkFlagsMutuallyExclusive("artifact", "root")
	c.MarkFlagsMutuallyExclusive("artifact", "base")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "go the same way but write nothing")
	c.Flags().BoolVar(&rebase, "rebase", false, "where the text has changed since, apply the change to what it is now")
	return c
}

func newPatchCheck(r *runner) *cobra.Command {
	var flags patchFlags
	var ref string
	c := &cobra.Command{
		Use:   "check PATCH…",
		Short: "Say of each patch whether it would apply",
		Long: `Say of each patch whether it would apply, each by itself, to the file it
names or with --artifact to a version. Nothing is written. The exit status is
that of the first refusal.`,
		Example: `  brenner patch check fix.json tests.json
  brenner patch check --artifact methods@3 fix.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if ref != "" {
				return r.checkArtifact(cmd, ref, names)
			}
			set, err := r.patchSet(names, flags.bases)
			if err != nil {
				return err
			}
			var changes []anchor.Change
			var refusals []*brenner.Error
			for _, p := range set.Patches {
				one := set
				one.Patches = []anchor.Patch{p}
				done, err := r.patchFiles(cmd.Context(), flags.root, one, true)
				if e := (*brenner.Error)(nil); errors.As(err, &e) {
					refusals = append(refusals, e)
				} else if err != nil {
					return err
				}
				changes = append(changes, done...)
			}
			if len(refusals) > 0 {
				return refuseAll(refusals)
			}
			return r.showChanges(changes, true)
		},
	}
	flags.add(c)
	artifactFlag(c, &ref)
	c.MarkFlagsMutuallyExclusive("artifact", "root")
	c.MarkFlagsMutuallyExclusive("artifact", "base")
	return c
}

// refuseAll is the first refusal, with the others as findings.
func refuseAll(refusals []*brenner.Error) error {
	first := *refusals[0]
	if len(refusals) == 1 {
		return &first
	}
	for _, e := range refusals[1:] {
		first.Diagnostics = append(first.Diagnostics, brenner.Diagnostic{
			Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: e.Hint, Pointer: e.Pointer,
		})
	}
	return &first
}

func newPatchExplain(r *runner) *cobra.Command {
	var root, ref string
	var older, also []string
	c := &cobra.Command{
		Use:   "explain PATCH",
		Short: "Say why a patch does not fit, and offer one that does",
		Long: `Say why a patch does not fit the file it names, or with --artifact a version:
what most likely went wrong, the first difference with every invisible character
written out, and, where one exists, a corrected patch that has been proved to
apply. Nothing is written. Of an artifact the other versions are looked in too.`,
		Example: `  brenner patch explain fix.json
  brenner patch explain --older notes.old.md --also README.md fix.json
  brenner patch explain --artifact methods@3 --also results@1 fix.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if ref != "" {
				return r.explainArtifact(cmd, ref, also, names[0])
			}
			set, err := r.patchSet(names, nil)
			if err != nil {
				return err
			}
			p := set.Patches[0]
			text, err := r.patchTarget(cmd.Context(), root, p)
			if err != nil {
				return err
			}
			var elsewhere anchor.Elsewhere
			if elsewhere.Older, err = r.namedTexts(older); err != nil {
				return err
			}
			if elsewhere.Others, err = r.namedTexts(also); err != nil {
				return err
			}
			return r.showExplanation(anchor.Explain(p, text, elsewhere))
		},
	}
	c.Flags().StringVar(&root, "root", ".", "directory that the path in the patch starts from")
	c.Flags().StringArrayVar(&older, "older", nil, "an earlier version of the file, to look in; repeatable")
	c.Flags().StringArrayVar(&also, "also", nil, "another file, or ID[@VERSION] of another artifact, to look in; repeatable")
	artifactFlag(c, &ref)
	c.MarkFlagsMutuallyExclusive("artifact", "root")
	c.MarkFlagsMutuallyExclusive("artifact", "older")
	return c
}

func newPatchDiff(r *runner) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Make the patch that turns one text into another",
		Long: `Make the patch that turns text A into text B and print it. Its anchors are
unique, its blocks no longer than they must be, and it has been applied to A
before it is printed. A or B may be - for standard input; /dev/null as A makes
a patch that creates the file. ID@VERSION twice, where no such files are, are
versions of an artifact.`,
		Example: `  brenner patch diff --path notes.md notes.md notes.new.md > fix.json
  brenner patch diff methods@2 methods@3`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, names []string) error {
			if from, to, ok := r.versions(names); ok {
				return r.diffArtifact(cmd, from, to)
			}
			a, err := r.text(names[0])
			if err != nil {
				return err
			}
			b, err := r.text(names[1])
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("path") {
				path, _ = anchor.CleanPath(filepath.ToSlash(names[0])) // a path that is none stays empty
			} else if path, err = anchor.CleanPath(path); err != nil {
				return err
			}
			p, err := anchor.Diff(a, b, path)
			if err != nil {
				return err
			}
			return r.showPatch(p)
		},
	}
	c.Flags().StringVar(&path, "path", "", "path that the patch names (default: A, if it is a relative path)")
	return c
}

func newPatchReverse(r *runner) *cobra.Command {
	var flags patchFlags
	c := &cobra.Command{
		Use:   "reverse PATCH",
		Short: "Make the patch that undoes another",
		Long: `Make the patch that undoes PATCH and print it. The text comes from --base or
from the file that PATCH names, which may be as it was before or after PATCH.`,
		Example: `  brenner patch reverse fix.json > unfix.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			set, err := r.patchSet(names, flags.bases)
			if err != nil {
				return err
			}
			p := set.Patches[0]
			text, ok := set.Bases[p.Base]
			if !ok {
				if text, err = r.patchTarget(cmd.Context(), flags.root, p); err != nil {
					return err
				}
			}
			undo, err := anchor.Reverse(p, text)
			if err != nil {
				return err
			}
			return r.showPatch(undo)
		},
	}
	flags.add(c)
	return c
}

func newPatchRebase(r *runner) *cobra.Command {
	var flags patchFlags
	c := &cobra.Command{
		Use:   "rebase PATCH",
		Short: "Make the patch that does the same to the file as it is now",
		Long: `Make the patch that does to the present file what PATCH does to the text it
was made for, and print it. With --base the change is merged three ways;
without, every anchor and old block must still fit in exactly one place.`,
		Example: `  brenner patch rebase --base notes.old.md fix.json > fix2.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			set, err := r.patchSet(names, flags.bases)
			if err != nil {
				return err
			}
			p := set.Patches[0]
			text, err := r.patchTarget(cmd.Context(), flags.root, p)
			if err != nil {
				return err
			}
			var base *anchor.Text
			if b, ok := set.Bases[p.Base]; ok {
				base = &b
			} else if len(set.Bases) > 0 {
				return brenner.Errorf(brenner.CodeBaseUnknown, "no text given with --base has the checksum %.12s… that the patch was made for", p.Base)
			}
			rebased, err := anchor.Rebase(p, text, base)
			if err != nil {
				return err
			}
			return r.showPatch(rebased.Patch)
		},
	}
	flags.add(c)
	return c
}

// patchSet reads patches, and the texts they may have been made for.
func (r *runner) patchSet(names, bases []string) (anchor.Set, error) {
	set := anchor.Set{Bases: map[brenner.Digest]anchor.Text{}}
	for _, name := range names {
		raw, err := r.read(name, brenner.MaxPatchBytes)
		if err != nil {
			return set, err
		}
		p, err := anchor.Parse(raw)
		if err != nil {
			return set, from(name, err)
		}
		set.Patches = append(set.Patches, p)
	}
	for _, name := range bases {
		t, err := r.text(name)
		if err != nil {
			return set, err
		}
		set.Bases[t.Sum()] = t
	}
	return set, nil
}

// patchFiles applies a set to files below a directory.
func (r *runner) patchFiles(ctx context.Context, root string, set anchor.Set, dryRun bool) ([]anchor.Change, error) {
	paths, err := set.Paths()
	if err != nil {
		return nil, err
	}
	return patchfs.Update(ctx, r.path(root), paths, dryRun, set.Plan)
}

// patchTarget reads the file that a patch names.
func (r *runner) patchTarget(ctx context.Context, root string, p anchor.Patch) (anchor.Text, error) {
	path, err := anchor.CleanPath(p.Path)
	if err != nil {
		return anchor.Text{}, err
	}
	files, err := patchfs.Read(ctx, r.path(root), path)
	return files[path], err
}

// text reads a file of the command line as canonical text.
func (r *runner) text(name string) (anchor.Text, error) {
	if name == "/dev/null" {
		return anchor.Absent(), nil
	}
	raw, err := r.read(name, brenner.MaxPatchTextBytes)
	if err != nil {
		return anchor.Text{}, err
	}
	t, err := anchor.Canonical(raw)
	if err != nil {
		return anchor.Text{}, from(name, err)
	}
	return t, nil
}

func (r *runner) namedTexts(names []string) ([]anchor.Named, error) {
	var out []anchor.Named
	for _, name := range names {
		t, err := r.text(name)
		if err != nil {
			return nil, err
		}
		out = append(out, anchor.Named{Name: name, Text: t})
	}
	return out, nil
}

// showPatch prints a patch so that it can be saved and applied.
func (r *runner) showPatch(p anchor.Patch) error {
	return r.show(p, func(w *printer) { w.Print(string(p.JSON())) })
}

// changedFile is one file of an applied set, for programs.
type changedFile struct {
	Path    string         `json:"path"`
	Outcome anchor.Outcome `json:"outcome"`
	Before  brenner.Digest `json:"before_sha256,omitzero"`
	After   brenner.Digest `json:"after_sha256"`
	Rebased *anchor.Patch  `json:"rebased,omitzero"`
}

// showChanges prints what a set did, or would do.
func (r *runner) showChanges(changes []anchor.Change, dryRun bool) error {
	files := make([]changedFile, len(changes))
	for i, c := range changes {
		files[i] = changedFile{Path: c.Path, Outcome: c.Outcome, After: c.After.Sum(), Rebased: c.Rebased}
		if !c.Before.IsAbsent() {
			files[i].Before = c.Before.Sum()
		}
	}
	return r.show(struct {
		DryRun bool          `json:"dry_run"`
		Files  []changedFile `json:"files"`
	}{dryRun, files}, func(w *printer) {
		for i, f := range files {
			w.Printf("%s: %s\n", printable(f.Path), outcomeWords(changes[i], dryRun))
		}
	})
}

func outcomeWords(c anchor.Change, dryRun bool) string {
	switch {
	case c.Outcome == anchor.Noop:
		return "nothing to change"
	case c.Outcome == anchor.AlreadyApplied:
		return "applied already"
	}
	words := "patched"
	if dryRun {
		words = "would be patched"
	}
	if c.Before.IsAbsent() {
		words += ", a new file"
	}
	if c.Rebased != nil {
		words += ", after rebasing"
	}
	return words
}
