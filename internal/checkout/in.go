package checkout

import (
	"context"
	"fmt"
	"os"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/patchfs"
)

// Commit says how changed files become versions.
type Commit struct {
	api.Write
	// Change is the note of every new version.
	Change *artifact.Change
	// SummaryHolds confirms the old summaries of changed contents (C11).
	SummaryHolds bool
	// ExpectHead refuses the commit where the head has moved since (C13).
	ExpectHead bool
	// Revive brings artifacts back into use that were deprecated since.
	Revive bool
	DryRun bool
}

// InResult says what a commit did.
type InResult struct {
	api.BatchResult
	// Unchanged counts the files that are as they were checked out.
	Unchanged int `json:"unchanged"`
	// Deleted are checked-out files that are gone. Nothing happens to their
	// artifacts: only a decision takes knowledge out of use.
	Deleted []FileState `json:"deleted"`
	// Ignored are files that are not at MODULE/TYPE/ID.md.
	Ignored []string `json:"ignored"`
}

// In turns the changed files of a directory into new versions and its new
// files into new artifacts, all or none, and writes the files and the manifest
// anew. Formatting of front matter is not kept.
func In(ctx context.Context, s api.Service, dir string, how Commit) (InResult, error) {
	project, err := s.Project(ctx)
	if err != nil {
		return InResult{}, err
	}
	w, err := survey(dir)
	if err != nil {
		return InResult{}, err
	}
	if err := w.manifest.ours(project.ID); err != nil {
		return InResult{}, err
	}
	if err := w.checkInUse(ctx, s, how.Revive); err != nil {
		return InResult{}, err
	}
	res := InResult{Unchanged: w.unchanged, Deleted: w.deleted, Ignored: w.ignored}
	req := api.BatchRequest{Write: how.Write, DryRun: how.DryRun, Items: make([]api.BatchItem, len(w.changed))}
	for i, f := range w.changed {
		req.Items[i] = f.item(how)
	}
	if res.BatchResult, err = s.WriteBatch(ctx, req); err != nil || how.DryRun || len(w.changed) == 0 {
		return res, err
	}
	if err := w.refresh(context.WithoutCancel(ctx), dir, res.Items); err != nil {
		e := asError(err)
		return res, brenner.Errorf(e.Code, "the project was changed, but the files were not brought up to date: %s", e.Message).Because(err).
			WithDiagnostics(e.Diagnostics).WithHint("run the command again: nothing is written twice")
	}
	return res, nil
}

// checkInUse refuses changes of what was taken out of use since: a new version would
// bring it back.
func (w worktree) checkInUse(ctx context.Context, s api.Service, revive bool) error {
	var req api.ListArtifactsRequest
	for _, f := range w.changed {
		if f.was != nil && !slices.Contains(req.Types, f.doc.Type) {
			req.Types = append(req.Types, f.doc.Type)
		}
	}
	if revive || len(req.Types) == 0 {
		return nil
	}
	gone, err := deprecated(ctx, s, req)
	if err != nil {
		return err
	}
	var findings []brenner.Diagnostic
	for _, f := range w.changed {
		if f.was != nil && gone[f.doc.ID] {
			findings = append(findings, brenner.Diagnostic{
				Code: brenner.CodeStatusConflict, Severity: brenner.SeverityError, Subject: f.path,
				Message: string(f.doc.ID) + " was deprecated since it was checked out: a new version would bring it back into use",
			})
		}
	}
	if len(findings) == 0 {
		return nil
	}
	return brenner.Errorf(brenner.CodeStatusConflict, "%s deprecated since; nothing was written", brenner.Plural(len(findings), "file is of an artifact that was", "files are of artifacts that were")).
		WithHint("say that they are to come back into use, or remove the files").
		Try(brenner.Again("revive", "true")).WithDiagnostics(findings[:min(len(findings), brenner.MaxBatchFindings)])
}

// worktree is a directory as it was found.
type worktree struct {
	manifest  manifest
	digest    brenner.Digest // of the manifest
	changed   []changedFile
	unchanged int
	deleted   []FileState
	ignored   []string
}

// changedFile is a file that differs from the manifest or is not in it.
type changedFile struct {
	path   string
	digest brenner.Digest
	doc    Document
	was    *entry // nil: a new file
}

// survey reads a directory and checks every changed file; all that is wrong is
// reported together.
func survey(dir string) (worktree, error) {
	root, err := open(dir)
	if err != nil {
		return worktree{}, err
	}
	defer func() { _ = root.Close() }()
	w := worktree{deleted: []FileState{}, ignored: []string{}}
	if w.manifest, w.digest, err = loadManifest(root); err != nil {
		return worktree{}, err
	}
	if w.digest == "" {
		return worktree{}, brenner.Errorf(brenner.CodeNotFound, "the directory has no %s", ManifestName).
			WithHint("check the project out into it, or import its files").Try(brenner.Do("checkout").Asking("dir"), brenner.Do("add"))
	}
	paths, others, err := walk(root, func(name string) bool { _, ok := parsePath(name); return ok })
	if err != nil {
		return worktree{}, err
	}
	w.ignored = append(w.ignored, others...)
	var findings []brenner.Diagnostic
	there := make(map[string]bool, len(paths))
	size := 0
	for _, name := range paths {
		there[name] = true
		f, err := w.look(root, name)
		if err != nil {
			findings = append(findings, api.Finding(name, asError(err)))
			continue
		}
		if f == nil {
			w.unchanged++
			continue
		}
		w.changed = append(w.changed, *f)
		if size += len(f.doc.Content); size > brenner.MaxBatchBytes {
			return worktree{}, brenner.Errorf(brenner.CodeLimitExceeded, "the changed files are larger than %d bytes together", brenner.MaxBatchBytes).
				WithHint("move some of them away and commit in parts")
		}
	}
	for _, e := range w.manifest.Files {
		if !there[e.Path] {
			w.deleted = append(w.deleted, FileState{e.Path, brenner.Ref{Artifact: e.ID, Version: e.Version}})
		}
	}
	return w, api.RefuseBatch(findings)
}

// look reads a file; nil if it is as it was checked out.
func (w worktree) look(root *os.Root, name string) (*changedFile, error) {
	raw, err := readPlain(root, name, brenner.MaxPatchTextBytes)
	if err != nil {
		return nil, err
	}
	f, usual := changedFile{path: name, digest: canon.Sum(raw)}, artifact.Text
	if e, known := w.manifest.find(name); known {
		if e.SHA256 == f.digest {
			return nil, nil
		}
		f.was, usual = &e, e.Format
	}
	if f.doc, err = Parse(raw, usual); err != nil {
		return nil, err
	}
	return &f, f.settle()
}

// settle fills in what the file leaves to its path and to the manifest, and
// refuses what contradicts them.
func (f *changedFile) settle() error {
	place, _ := parsePath(f.path)
	if err := checkWhole(place); err != nil {
		return err
	}
	written := entry{}
	if f.was != nil {
		written = *f.was
	}
	for _, field := range []struct{ name, got, want string }{
		{"id", string(f.doc.ID), string(place.ID)},
		{"type", string(f.doc.Type), string(place.Type)},
		{"module", string(f.doc.Module), string(place.Module)},
		{"version", number(f.doc.Version), number(written.Version)},
		{"status", string(f.doc.Status), string(written.Status)},
		{"content_sha256", string(f.doc.SHA256), string(written.Content)},
	} {
		if field.got == "" || field.got == field.want {
			continue
		}
		return badMatter("%s is %q in the file, which must not change it from %q", field.name, field.got, field.want).
			At("/" + field.name).WithHint(settleHint(f.was != nil))
	}
	f.doc.ID, f.doc.Type, f.doc.Module = place.ID, place.Type, place.Module
	if f.was == nil && f.doc.Summary == "" {
		f.doc.Summary = summarise(f.doc.Content)
	}
	return nil
}

func settleHint(known bool) string {
	if known {
		return "restore the line; promoting, demoting and deprecating change a status, not a file"
	}
	return "a new file stands at MODULE/TYPE/ID.md and has no version, status or content_sha256"
}

// number writes a version; none is empty.
func number(v brenner.Version) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprint(int(v))
}

// item is what the file asks of the project. All that it says counts: tags and
// links that are not in it are gone.
func (f changedFile) item(how Commit) api.BatchItem {
	body := api.Body{Format: f.doc.Format, Data: f.doc.Content}
	if f.was == nil {
		return api.BatchItem{Name: f.path, Create: &api.CreateArtifactRequest{
			ID: f.doc.ID, Type: f.doc.Type, Module: f.doc.Module, Summary: f.doc.Summary,
			Content: body, Tags: f.doc.Tags, Links: f.doc.Links, Change: how.Change,
		}}
	}
	tags := append([]string{}, f.doc.Tags...)
	req := &api.UpdateArtifactRequest{
		ID: f.doc.ID, Parent: f.was.Version, Summary: &f.doc.Summary, SummaryHolds: how.SummaryHolds,
		Content: &body, Tags: &tags, Links: f.doc.Links, DropLinks: true, Change: how.Change,
	}
	if how.ExpectHead {
		req.Expect = f.was.Version
	}
	return api.BatchItem{Name: f.path, Update: req}
}

// refresh writes the committed files as checkout would, and the manifest.
func (w worktree) refresh(ctx context.Context, dir string, done []api.BatchWritten) error {
	docs, read := make([]Document, len(done)), make(map[string]brenner.Digest, len(done))
	for i, f := range w.changed {
		docs[i] = f.doc
		docs[i].Version, docs[i].Status, docs[i].SHA256 = done[i].Ref.Version, done[i].Status, done[i].SHA256
		docs[i].Summary, docs[i].Tags, docs[i].Links = done[i].Summary, done[i].Tags, lasting(done[i].Links)
		read[f.path] = f.digest
	}
	files, entries := render(docs)
	next := w.manifest.with(entries)
	return patchfs.Replace(ctx, dir, append(files, patchfs.File{Path: ManifestName, Content: next.bytes()}),
		func(now map[string]brenner.Digest) error {
			if now[ManifestName] != w.digest {
				return raced()
			}
			for _, e := range entries {
				if now[e.Path] != read[e.Path] {
					return brenner.Errorf(brenner.CodeFilesChanged, "%s changed while it was committed", e.Path)
				}
			}
			return nil
		})
}
