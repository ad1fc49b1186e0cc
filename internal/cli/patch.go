package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"brenner"
	"brenner/anchor"
	"brenner/internal/patchfs"

	"github.com/spf13/cobra"
)

func newPatch(r *runner) *cobra.Command {
	return group("patch", "Change text by quoting it: apply, check, explain and make anchor patches",
		newPatchApply(r), newPatchCheck(r), newPatchExplain(r), newPatchConvert(r), newPatchDiff(r), newPatchReverse(r), newPatchRebase(r), newPatchChecksum(r))
}

// patchFlags say where the files are, what the patches are written in and what
// they were made for.
type patchFlags struct {
	root, format, path string
	bases              []string
	force              bool
}

// formatsHelp names the formats that are read.
const formatsHelp = `Besides anchor patches, unified diffs, SEARCH/REPLACE blocks, apply_patch
envelopes and edits with old_string and new_string are read; --format names the
format where it cannot be recognised. Such a change must quote the text exactly
and in one place, and is then treated like an anchor patch.`

func (f *patchFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.root, "root", ".", "directory that the paths in patches start from; nothing outside is touched")
	repeatedFlag(c.Flags(), &f.bases, "base", "a text that a patch was made for, for rebasing; repeatable, found by checksum")
	f.addFormat(c)
}

func (f *patchFlags) addFormat(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", string(anchor.FormatAuto), "what the change is written in: "+words(anchor.Formats()))
	c.Flags().StringVar(&f.path, "path", "", "the file that a change is about which names none")
}

// check refuses a format that is none.
func (f *patchFlags) check(cmd *cobra.Command) error {
	if !slices.Contains(anchor.Formats(), anchor.Format(f.format)) {
		return usage(cmd, fmt.Errorf("%q is no format; there are %s", f.format, words(anchor.Formats())))
	}
	return nil
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
are kept. A patch that is applied but looks odd is warned about.

` + formatsHelp + `

With --artifact one patch is applied to a version of a text artifact and makes
a new version on it, which owes a summary and a change note as any update does.
The text that the patch was made for is looked for among the other versions.`,
		Example: `  brenner patch apply --dry-run fix.json
  brenner patch apply --root src --rebase fix.json tests.json
  git diff | brenner patch apply --root ../copy -
  brenner patch apply --artifact methods@3 --summary-holds --what "clone count" --why "erratum" fix.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := target.check(cmd); err != nil {
				return err
			}
			if err := flags.check(cmd); err != nil {
				return err
			}
			if target.ref != "" {
				return r.patchArtifact(cmd, target, flags, names, rebase, dryRun)
			}
			set, err := r.patchSet(names, flags)
			if err != nil {
				return err
			}
			set.Rebase = rebase
			changes, err := r.patchFiles(cmd.Context(), flags, set, dryRun)
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
	c.Flags().BoolVar(&flags.force, "force", false, "also replace files that are read-only, of another owner, or have several names (hard links)")
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
that of the first refusal.

` + formatsHelp,
		Example: `  brenner patch check fix.json tests.json
  brenner patch check --artifact methods@3 fix.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := flags.check(cmd); err != nil {
				return err
			}
			if ref != "" {
				return r.checkArtifact(cmd, ref, flags, names)
			}
			set, err := r.patchSet(names, flags)
			if err != nil {
				return err
			}
			var changes []anchor.Change
			var refusals []*brenner.Error
			for _, e := range set.edits {
				one := set
				one.edits = []anchor.Edit{e}
				done, err := r.patchFiles(cmd.Context(), flags, one, true)
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
			Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: adviceOf(e), Pointer: e.Pointer,
		})
	}
	return &first
}

func newPatchExplain(r *runner) *cobra.Command {
	var flags patchFlags
	var ref string
	var older, also []string
	c := &cobra.Command{
		Use:   "explain PATCH",
		Short: "Say why a patch does not fit, and offer one that does",
		Long: `Say why a patch does not fit the file it names, or with --artifact a version:
what most likely went wrong, the first difference with every invisible character
written out, and, where one repair is possible and no other, a corrected patch.
It is called proved only if the result has the checksum that the patch promises;
otherwise it is likely, and shown as a diff of what it would do. Nothing is
written. Of an artifact the other versions are looked in too.`,
		Example: `  brenner patch explain fix.json
  brenner patch explain --older notes.old.md --also README.md fix.json
  brenner patch explain --artifact methods@3 --also results@1 fix.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := flags.check(cmd); err != nil {
				return err
			}
			if ref != "" {
				return r.explainArtifact(cmd, ref, flags, also, names[0])
			}
			e, err := r.oneEdit(names[0], flags)
			if err != nil {
				return err
			}
			text, err := r.patchTarget(cmd.Context(), flags.root, e.Path)
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
			return r.showExplanation(e.Explain(text, elsewhere))
		},
	}
	c.Flags().StringVar(&flags.root, "root", ".", "directory that the path in the patch starts from")
	flags.addFormat(c)
	repeatedFlag(c.Flags(), &older, "older", "an earlier version of the file, to look in; repeatable")
	repeatedFlag(c.Flags(), &also, "also", "another file, or ID[@VERSION] of another artifact, to look in; repeatable")
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
from the file that PATCH names, which may be as it was before or after PATCH. A
patch that replaces the whole text does not hold the old one: it is undone from
the text before it.`,
		Example: `  brenner patch reverse fix.json > unfix.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			p, bases, err := r.onePatch(names[0], flags)
			if err != nil {
				return err
			}
			text, ok := bases[p.Base]
			if !ok {
				if text, err = r.patchTarget(cmd.Context(), flags.root, p.Path); err != nil {
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
was made for, and print it. With --base the change is merged three ways, as git
merges; a conflict is shown with its lines. Without, every anchor and old block
must still fit in exactly one place, and nothing may come out doubled.`,
		Example: `  brenner patch rebase --base notes.old.md fix.json > fix2.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			p, bases, err := r.onePatch(names[0], flags)
			if err != nil {
				return err
			}
			text, err := r.patchTarget(cmd.Context(), flags.root, p.Path)
			if err != nil {
				return err
			}
			var base *anchor.Text
			if b, ok := bases[p.Base]; ok {
				base = &b
			} else if len(bases) > 0 {
				return brenner.Errorf(brenner.CodeBaseUnknown, "no text given with --base has the checksum %.12s… that the patch was made for", p.Base).
					Try(brenner.Again().Asking("base"))
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

// patchSet is changes of files as they were read, to be tied to the files.
type patchSet struct {
	anchor.Set
	edits []anchor.Edit
	path  string // of a change that names none
}

// patchSet reads changes, and the texts they may have been made for.
func (r *runner) patchSet(names []string, f patchFlags) (patchSet, error) {
	set := patchSet{Set: anchor.Set{Bases: map[brenner.Digest]anchor.Text{}}, path: f.path}
	for _, name := range names {
		edits, err := r.edits(name, f)
		if err != nil {
			return set, err
		}
		set.edits = append(set.edits, edits...)
	}
	for _, name := range f.bases {
		t, err := r.text(name)
		if err != nil {
			return set, err
		}
		set.Bases[t.Sum()] = t
	}
	return set, nil
}

func (r *runner) edits(name string, f patchFlags) ([]anchor.Edit, error) {
	raw, err := r.read(name, brenner.MaxPatchBytes)
	if err != nil {
		return nil, err
	}
	edits, err := anchor.ReadEdits(raw, anchor.Format(f.format))
	if err != nil {
		return nil, from(name, err)
	}
	for i, e := range edits {
		if e.Path == "" && f.path != "" {
			edits[i] = e.Named(f.path)
		}
	}
	return edits, nil
}

// oneEdit reads a change of one file.
func (r *runner) oneEdit(name string, f patchFlags) (anchor.Edit, error) {
	edits, err := r.edits(name, f)
	if err != nil {
		return anchor.Edit{}, err
	}
	if len(edits) != 1 {
		return anchor.Edit{}, brenner.Errorf(brenner.CodeInvalidValue, "%s changes %d files, and this is about one", name, len(edits))
	}
	return edits[0], nil
}

// onePatch reads one anchor patch, and the texts it may have been made for. A change
// in another format names no text that it was made for.
func (r *runner) onePatch(name string, f patchFlags) (anchor.Patch, map[brenner.Digest]anchor.Text, error) {
	set, err := r.patchSet([]string{name}, f)
	if err != nil {
		return anchor.Patch{}, nil, err
	}
	if len(set.edits) != 1 || set.edits[0].NeedsBase() {
		return anchor.Patch{}, nil, brenner.Errorf(brenner.CodeInvalidPatch, "%s is no anchor patch, and does not say which text it was made for", name).
			WithHint("make an anchor patch of it on that text: brenner patch convert --base TEXT " + name)
	}
	p, err := set.edits[0].Patch(anchor.Absent())
	return p, set.Bases, err
}

// patchFiles applies a set to files below a directory.
func (r *runner) patchFiles(ctx context.Context, f patchFlags, set patchSet, dryRun bool) ([]anchor.Change, error) {
	paths := make([]string, len(set.edits))
	for i, e := range set.edits {
		var err error
		if paths[i], err = anchor.CleanPath(e.Path); err != nil {
			return nil, unnamed(e, err)
		}
		if err := r.unclearDirectory(f, e); err != nil {
			return nil, err
		}
	}
	opts := patchfs.Options{DryRun: dryRun, Force: f.force}
	return patchfs.Update(ctx, r.path(f.root), paths, opts, func(files map[string]anchor.Text) ([]anchor.Change, error) {
		tied, err := set.Tie(set.edits, set.path, files)
		if err != nil {
			return nil, err
		}
		return tied.Plan(files)
	})
}

// unclearDirectory refuses a new file whose name begins with b/ where that is a
// directory: a diff that git did not write does not say which is meant.
func (r *runner) unclearDirectory(f patchFlags, e anchor.Edit) error {
	written := e.Prefixed()
	if written == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Join(r.path(f.root), "b")); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // there is none that could be meant
	}
	return brenner.Errorf(brenner.CodeInvalidPatch, "the new file may be %s or %s, for there is a directory b", e.Path, written).
		WithHint(fmt.Sprintf("put a line above that names it: diff --git a/%s b/%s for the first, diff --git %s %s for the second", e.Path, e.Path, written, written))
}

// unnamed says what to do about a change that names no file.
func unnamed(e anchor.Edit, err error) error {
	if refused := (*brenner.Error)(nil); e.Path == "" && errors.As(err, &refused) {
		return brenner.Errorf(refused.Code, "the change names no file").WithHint("name it with --path")
	}
	return err
}

// patchTarget reads the file that a patch names.
func (r *runner) patchTarget(ctx context.Context, root, name string) (anchor.Text, error) {
	path, err := anchor.CleanPath(name)
	if err != nil {
		return anchor.Text{}, unnamed(anchor.Edit{Path: name}, err)
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
	// Already counts changes that the file had made before.
	Already  int                  `json:"already,omitzero"`
	Warnings []brenner.Diagnostic `json:"warnings,omitzero"`
}

// showChanges prints what a set did, or would do.
func (r *runner) showChanges(changes []anchor.Change, dryRun bool) error {
	files := make([]changedFile, len(changes))
	for i, c := range changes {
		files[i] = changedFile{Path: c.Path, Outcome: c.Outcome, After: c.After.Sum(), Rebased: c.Rebased, Already: c.Already, Warnings: c.Warnings}
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
			printWarnings(w, f.Warnings)
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
	if c.Already > 0 {
		words += fmt.Sprintf("; %d of its changes were there already", c.Already)
	}
	return words
}

// printWarnings lists what looks odd about a patch that was applied.
func printWarnings(w *printer, list []brenner.Diagnostic) {
	for _, d := range list {
		w.Printf("  warning %s: %s (at %s)\n", d.Code, d.Message, d.Pointer)
	}
}

func newPatchConvert(r *runner) *cobra.Command {
	var flags patchFlags
	c := &cobra.Command{
		Use:   "convert PATCH",
		Short: "Show a change in another format as anchor patches",
		Long: `Show a unified diff, SEARCH/REPLACE blocks, an apply_patch envelope or edits
with old_string and new_string as the anchor patches that they come to on the
files they name, or on the text of --base. With several files the patches are
printed one after the other. Nothing is written.`,
		Example: `  git diff | brenner patch convert - > fix.json
  brenner patch convert --format edit --path notes.md edit.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := flags.check(cmd); err != nil {
				return err
			}
			set, err := r.patchSet(names, flags)
			if err != nil {
				return err
			}
			files := map[string]anchor.Text{}
			for _, e := range set.edits {
				if len(set.Bases) > 0 {
					break
				}
				text, err := r.patchTarget(cmd.Context(), flags.root, e.Path)
				if err != nil {
					return err
				}
				files[e.Path] = text
			}
			tied, err := set.Tie(set.edits, set.path, files)
			if err != nil {
				return err
			}
			return r.show(tied.Patches, func(w *printer) {
				for _, p := range tied.Patches {
					_, _ = w.Write(p.JSON())
				}
			})
		},
	}
	flags.add(c)
	return c
}

func newPatchChecksum(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "checksum FILE",
		Short: "Print the checksum of a text, as patches name it",
		Long: `Print the SHA-256 of the canonical text of FILE, or - for standard input: what
base_checksum_sha256 and result_sha256 of a patch are. Canonical means UTF-8
without a byte order mark, lines ending in LF.`,
		Example: `  brenner patch checksum notes.md`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			t, err := r.text(names[0])
			if err != nil {
				return err
			}
			return r.show(struct {
				Path string         `json:"path"`
				Sum  brenner.Digest `json:"sha256"`
			}{names[0], t.Sum()}, func(w *printer) { w.Printf("%s\n", t.Sum()) })
		},
	}
}
