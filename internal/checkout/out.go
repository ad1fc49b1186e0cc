package checkout

import (
	"context"
	"errors"
	"io/fs"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/patchfs"
)

// Selection says what is checked out; empty fields select all that is not
// deprecated.
type Selection struct {
	Types   []brenner.TypeName
	Modules []brenner.Module
	// Force overwrites files that were changed since.
	Force bool
}

// FileState is a file and the version it holds.
type FileState struct {
	Path string      `json:"path"`
	Ref  brenner.Ref `json:"ref"`
}

// OutResult says what a checkout did.
type OutResult struct {
	// Written are the files that are new or whose bytes changed.
	Written []FileState `json:"written"`
	// Unchanged counts the files that were right already.
	Unchanged int `json:"unchanged"`
	// Removed are the files of artifacts that are out of use by now.
	Removed []FileState `json:"removed"`
	// Skipped are artifacts that could not be read, such as redacted ones.
	Skipped []brenner.Diagnostic `json:"skipped"`
}

// Out writes artifacts below a directory: of each the canonical version, or
// else the head. What was checked out and is out of use by now is removed. Files
// that were changed since they were checked out are neither overwritten nor
// removed: FILES_CHANGED names them, and nothing is written.
func Out(ctx context.Context, s api.Service, dir string, sel Selection, tell api.Progress) (OutResult, error) {
	project, err := s.Project(ctx)
	if err != nil {
		return OutResult{}, err
	}
	old, oldDigest, err := manifestIn(dir, project.ID)
	if err != nil {
		return OutResult{}, err
	}
	docs, skipped, err := fetch(ctx, s, sel, tell)
	if err != nil {
		return OutResult{}, err
	}
	gone, err := deprecated(ctx, s, api.ListArtifactsRequest{Types: sel.Types, Modules: sel.Modules})
	if err != nil {
		return OutResult{}, err
	}
	if err := makeDir(dir); err != nil {
		return OutResult{}, err
	}
	files, entries := render(docs)
	next := old.with(entries)
	next.Project = project.ID
	left := next.take(gone)
	res := OutResult{Written: []FileState{}, Removed: []FileState{}, Skipped: skipped}
	err = patchfs.Replace(ctx, dir, append(files, patchfs.File{Path: ManifestName, Content: next.bytes()}),
		func(now map[string]brenner.Digest) error {
			if now[ManifestName] != oldDigest {
				return raced()
			}
			if err := checkOverwrite(old, entries, now, sel.Force); err != nil {
				return err
			}
			for _, e := range entries {
				if now[e.Path] == e.SHA256 {
					res.Unchanged++
					continue
				}
				res.Written = append(res.Written, FileState{e.Path, brenner.Ref{Artifact: e.ID, Version: e.Version}})
			}
			// The manifest forgets them afterwards: whoever is stopped in between finds
			// files that are deleted, never one that nobody knows.
			res.Removed, err = remove(dir, left, sel.Force)
			return err
		})
	if err != nil {
		return OutResult{}, err
	}
	return res, nil
}

// deprecated lists the artifacts that nothing is in use of.
func deprecated(ctx context.Context, s api.Service, req api.ListArtifactsRequest) (map[brenner.ArtifactID]bool, error) {
	out := map[brenner.ArtifactID]bool{}
	req.Statuses, req.Limit = []artifact.Status{artifact.Deprecated}, brenner.MaxPage
	for {
		list, err := s.Artifacts(ctx, req)
		if err != nil {
			return nil, err
		}
		for _, item := range list.Items {
			if item.Canonical == 0 {
				out[item.ID] = true
			}
		}
		if req.Cursor = list.Cursor; req.Cursor == "" {
			return out, nil
		}
	}
}

// remove removes the files of entries. One that was changed since is not, nor then is
// any other.
func remove(dir string, left []entry, force bool) ([]FileState, error) {
	removed := []FileState{}
	if len(left) == 0 {
		return removed, nil
	}
	root, err := open(dir)
	if err != nil {
		return removed, err
	}
	defer func() { _ = root.Close() }()
	var changed []brenner.Diagnostic
	for _, e := range left {
		raw, err := readPlain(root, e.Path, brenner.MaxPatchTextBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && (force || canon.Sum(raw) == e.SHA256):
			removed = append(removed, FileState{e.Path, brenner.Ref{Artifact: e.ID, Version: e.Version}})
		default:
			changed = append(changed, brenner.Diagnostic{
				Code: brenner.CodeFilesChanged, Severity: brenner.SeverityError, Subject: e.Path,
				Message: "the file was changed since it was checked out, and " + string(e.ID) + " is out of use by now",
			})
		}
	}
	if len(changed) > 0 {
		return nil, brenner.Errorf(brenner.CodeFilesChanged, "%s would be removed; nothing was written", brenner.Plural(len(changed), "changed file", "changed files")).
			WithHint("commit them, which brings their artifacts back into use, or have them removed").
			Try(brenner.Do("commit", "revive", "true").Asking("dir"), brenner.Again("force", "true")).
			WithDiagnostics(changed[:min(len(changed), brenner.MaxBatchFindings)])
	}
	for _, f := range removed {
		if err := root.Remove(f.Path); err != nil {
			return nil, inFile(f.Path, err)
		}
	}
	return removed, nil
}

// manifestIn reads the manifest of a directory that need not be there yet.
func manifestIn(dir string, project brenner.ProjectID) (manifest, brenner.Digest, error) {
	root, err := open(dir)
	if brenner.CodeOf(err) == brenner.CodeFileError {
		return manifest{SchemaVersion: 1}, "", nil // made, or complained about, later
	}
	if err != nil {
		return manifest{}, "", err
	}
	defer func() { _ = root.Close() }()
	m, digest, err := loadManifest(root)
	if err != nil {
		return manifest{}, "", err
	}
	return m, digest, m.ours(project)
}

// fetch reads the artifacts of a selection. What may not be read, or is gone,
// is skipped with a finding.
func fetch(ctx context.Context, s api.Service, sel Selection, tell api.Progress) ([]Document, []brenner.Diagnostic, error) {
	var docs []Document
	skipped := []brenner.Diagnostic{}
	size := 0
	req := api.ListArtifactsRequest{Types: sel.Types, Modules: sel.Modules, Page: api.Page{Limit: brenner.MaxPage}}
	for {
		list, err := s.Artifacts(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		for _, item := range list.Items {
			d, err := fetchOne(ctx, s, item)
			var refusal *brenner.Error
			switch {
			case err == nil:
				docs = append(docs, d)
				size += len(d.Content)
			case errors.As(err, &refusal) && (refusal.Code == brenner.CodeRedacted || refusal.Code == brenner.CodeReadDenied):
				skipped = append(skipped, api.Finding(string(item.ID), refusal))
			default:
				return nil, nil, err
			}
			if size > brenner.MaxTreeBytes || len(docs) > brenner.MaxTreeFiles {
				return nil, nil, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d files or %d bytes to check out", brenner.MaxTreeFiles, brenner.MaxTreeBytes).
					WithHint("choose by type and module, and use several directories").Try(brenner.Again("type", "TYPE"), brenner.Again("module", "MODULE"))
			}
			if tell != nil {
				tell("reading", int64(len(docs)), 0)
			}
		}
		if req.Cursor = list.Cursor; req.Cursor == "" {
			return docs, skipped, nil
		}
	}
}

func fetchOne(ctx context.Context, s api.Service, item api.ArtifactItem) (Document, error) {
	v, err := s.Artifact(ctx, api.ArtifactRequest{Ref: brenner.Ref{Artifact: item.ID}, Again: true})
	if err != nil {
		return Document{}, err
	}
	d, err := documentOf(v.Version)
	if err != nil {
		return Document{}, err
	}
	return d, checkWhole(d)
}

// checkWhole checks the names of a document that is to become a file: they are
// a path, whoever sent them.
func checkWhole(d Document) error {
	return errors.Join(d.ID.Check(), d.Type.Check(), d.Module.Check())
}

// render makes files of documents, and their entries.
func render(docs []Document) ([]patchfs.File, []entry) {
	files, entries := make([]patchfs.File, len(docs)), make([]entry, len(docs))
	for i, d := range docs {
		text := d.Markdown()
		entries[i] = entryOf(d, text)
		files[i] = patchfs.File{Path: entries[i].Path, Content: text}
	}
	return files, entries
}

// checkOverwrite refuses to overwrite a file that is neither what it was when
// it was checked out nor what it is to become.
func checkOverwrite(old manifest, entries []entry, now map[string]brenner.Digest, force bool) error {
	if force {
		return nil
	}
	var findings []brenner.Diagnostic
	for _, e := range entries {
		was, known := old.find(e.Path)
		d := now[e.Path]
		if d == "" || d == e.SHA256 || known && d == was.SHA256 {
			continue
		}
		message := "the file was changed since it was checked out"
		if !known {
			message = "there is a file of that name that was not checked out"
		}
		findings = append(findings, brenner.Diagnostic{
			Code: brenner.CodeFilesChanged, Severity: brenner.SeverityError, Subject: e.Path, Message: message,
		})
	}
	if len(findings) == 0 {
		return nil
	}
	return brenner.Errorf(brenner.CodeFilesChanged, "%s would be overwritten; nothing was written", brenner.Plural(len(findings), "changed file", "changed files")).
		WithHint("commit them, or have them overwritten").Try(brenner.Do("commit").Asking("dir"), brenner.Again("force", "true")).
		WithDiagnostics(findings[:min(len(findings), brenner.MaxBatchFindings)])
}

func raced() error {
	return brenner.Errorf(brenner.CodeFilesChanged, "another process changed %s meanwhile", ManifestName).
		WithHint("try again")
}
