package checkout

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/order"
)

// ManifestName is the file that remembers what was checked out.
const ManifestName = ".brenner-checkout"

// manifest is what a directory was when it and the project last agreed.
type manifest struct {
	SchemaVersion int               `json:"schema_version"`
	Project       brenner.ProjectID `json:"project"`
	// Files are sorted by path.
	Files []entry `json:"files"`
}

// entry is one file: the version it was, and the digest of its bytes.
type entry struct {
	Path    string             `json:"path"`
	ID      brenner.ArtifactID `json:"id"`
	Version brenner.Version    `json:"version"`
	Status  artifact.Status    `json:"status"`
	Format  artifact.Format    `json:"format"`
	Content brenner.Digest     `json:"content_sha256"`
	SHA256  brenner.Digest     `json:"sha256"`
}

// pathOf is where the file of an artifact stands.
func pathOf(module brenner.Module, typ brenner.TypeName, id brenner.ArtifactID) string {
	return path.Join(string(module), string(typ), string(id)+".md")
}

// entryOf is the entry of a document as it was written.
func entryOf(d Document, written []byte) entry {
	return entry{
		Path: pathOf(d.Module, d.Type, d.ID), ID: d.ID, Version: d.Version, Status: d.Status,
		Format: d.Format, Content: d.SHA256, SHA256: canon.Sum(written),
	}
}

// find gives the entry of a path.
func (m manifest) find(name string) (entry, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, name, func(e entry, name string) int { return cmp.Compare(e.Path, name) })
	if !ok {
		return entry{}, false
	}
	return m.Files[i], true
}

// with gives the manifest with some entries put in or replaced.
func (m manifest) with(entries []entry) manifest {
	byPath := make(map[string]entry, len(m.Files)+len(entries))
	for _, e := range slices.Concat(m.Files, entries) {
		byPath[e.Path] = e
	}
	m.Files = make([]entry, 0, len(byPath))
	for _, e := range byPath {
		m.Files = append(m.Files, e)
	}
	order.By(m.Files, func(a, b entry) int { return cmp.Compare(a.Path, b.Path) })
	return m
}

// take takes out the entries of some artifacts, and gives them.
func (m *manifest) take(ids map[brenner.ArtifactID]bool) []entry {
	var out []entry
	m.Files = slices.DeleteFunc(m.Files, func(e entry) bool {
		if ids[e.ID] {
			out = append(out, e)
		}
		return ids[e.ID]
	})
	return out
}

func (m manifest) bytes() []byte { return append(canon.MustMarshal(m), '\n') }

// loadManifest reads the manifest of a directory and its digest, which is ""
// if there is none.
func loadManifest(root *os.Root) (manifest, brenner.Digest, error) {
	raw, err := readPlain(root, ManifestName, brenner.MaxManifestBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{SchemaVersion: 1}, "", nil
	}
	if err != nil {
		return manifest{}, "", inFile(ManifestName, err)
	}
	var m manifest
	if err := canon.Unmarshal(raw, &m); err != nil {
		return manifest{}, "", broken(err)
	}
	if m.SchemaVersion != 1 {
		return manifest{}, "", brenner.Errorf(brenner.CodeStoreNewer, "%s has schema version %d; this program knows 1", ManifestName, m.SchemaVersion)
	}
	for i, e := range m.Files {
		p, ok := parsePath(e.Path)
		if !ok || p.ID != e.ID || checkNames(p) != nil || i > 0 && m.Files[i-1].Path >= e.Path {
			return manifest{}, "", broken(nil)
		}
	}
	return m, canon.Sum(raw), nil
}

func broken(err error) error {
	return brenner.Errorf(brenner.CodeInvalidJSON, "%s is damaged", ManifestName).Because(err).
		WithHint("remove it and check out again, overwriting; changed files will be lost").Try(brenner.Do("checkout", "force", "true"))
}

// ours refuses a directory that was checked out of another project.
func (m manifest) ours(project brenner.ProjectID) error {
	if m.Project == "" || m.Project == project {
		return nil
	}
	return brenner.Errorf(brenner.CodeInvalidValue, "the directory was checked out of another project").
		WithHint("choose another directory, or name the store of the project").Try(brenner.Again("store", "STORE"))
}

// readPlain reads a plain file below a root, refusing links, devices and more
// than most bytes. A file that is not there is fs.ErrNotExist.
func readPlain(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, brenner.Errorf(brenner.CodePathRefused, "it is not a plain file").
			WithHint("symbolic links are not followed; name the file itself")
	}
	if info.Size() > most {
		return nil, tooLarge(most)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if got, err := f.Stat(); err != nil || !os.SameFile(got, info) {
		return nil, brenner.Errorf(brenner.CodePathRefused, "it changed while it was read")
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		return nil, tooLarge(most)
	}
	return raw, err
}

func tooLarge(most int64) error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "it is larger than %d bytes", most)
}

// inFile says which file an error is about.
func inFile(name string, err error) error {
	e := asError(err)
	return brenner.Errorf(e.Code, "%s: %s", name, e.Message).WithHint(e.Hint).At(e.Pointer).Because(err)
}

// asError makes an error of the file system one of ours.
func asError(err error) *brenner.Error {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return brenner.Errorf(brenner.CodeFileError, "%v", err).Because(err)
}
