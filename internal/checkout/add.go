package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
)

// Import says what notes become.
type Import struct {
	api.Write
	// Type and Module are for notes that do not say theirs.
	Type   brenner.TypeName
	Module brenner.Module
	// Tags are added to each note's own.
	Tags   []string
	DryRun bool
}

// Source is a file or directory as a user named it, and where it is.
type Source struct{ Name, Path string }

// AddResult says what an import did.
type AddResult struct {
	api.BatchResult
	// Ignored are files in the directories that are no notes.
	Ignored []string `json:"ignored"`
}

// extensions are the files of a directory that are taken for notes. A file
// named by itself may have any.
var extensions = []string{".md", ".markdown", ".txt", ".json"}

// Add takes notes into the project as new artifacts. Every file is read and
// checked before anything is written; then they go in as batches, each all or
// none. A note that was imported before is left alone.
func Add(ctx context.Context, s api.Service, from []Source, how Import, tell api.Progress) (AddResult, error) {
	res := AddResult{Ignored: []string{}, BatchResult: api.BatchResult{DryRun: how.DryRun, Items: []api.BatchWritten{}}}
	notes, ignored, err := gather(from)
	if err != nil {
		return res, err
	}
	res.Ignored = append(res.Ignored, ignored...)
	items := make([]api.BatchItem, len(notes))
	for i, n := range notes {
		items[i] = api.BatchItem{Name: n.name, Create: n.request(how)}
	}
	for n, batch := range batches(items) {
		req := api.BatchRequest{Write: how.Write, DryRun: how.DryRun, Items: batch}
		if req.Key != "" && n > 0 {
			req.Key = fmt.Sprintf("%s/%d", req.Key, n)
		}
		done, err := s.WriteBatch(ctx, req)
		if err != nil {
			return res, partly(err, len(res.Items))
		}
		res.Items = append(res.Items, done.Items...)
		if tell != nil {
			tell("adding", int64(len(res.Items)), int64(len(items)))
		}
	}
	return res, nil
}

// partly says how much was written before a later batch was refused.
func partly(err error, written int) error {
	var e *brenner.Error
	if written == 0 || !errors.As(err, &e) {
		return err
	}
	e.Message += "; " + brenner.Plural(written, "note", "notes") + " before it went in"
	return e
}

// batches parts items so that each part is within the bounds of a batch.
func batches(items []api.BatchItem) [][]api.BatchItem {
	var out [][]api.BatchItem
	start, size := 0, 0
	for i, item := range items {
		n := len(item.Create.Content.Data)
		if i-start == brenner.MaxBatchItems || i > start && size+n > brenner.MaxBatchBytes {
			out = append(out, items[start:i])
			start, size = i, 0
		}
		size += n
	}
	if start < len(items) {
		out = append(out, items[start:])
	}
	return out
}

// gather reads the files, and those of the directories; all that is wrong with
// them is reported together.
func gather(from []Source) (notes []note, ignored []string, err error) {
	g := gathering{seen: map[string]bool{}}
	for _, src := range from {
		if err := g.source(src); err != nil {
			return nil, nil, err
		}
	}
	g.name()
	return g.notes, g.ignored, api.RefuseBatch(g.findings)
}

// gathering is the notes found so far.
type gathering struct {
	notes    []note
	ignored  []string
	findings []brenner.Diagnostic
	seen     map[string]bool // by path
	size     int
}

// source reads one file, or one directory.
func (g *gathering) source(src Source) error {
	info, err := os.Lstat(src.Path)
	if err != nil {
		g.refuse(src.Name, err)
		return nil
	}
	dir, paths := filepath.Dir(src.Path), []string{filepath.Base(src.Path)}
	show := func(string) string { return src.Name }
	if info.IsDir() {
		dir = src.Path
		show = func(rel string) string { return path.Join(filepath.ToSlash(src.Name), rel) }
	}
	root, err := open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if info.IsDir() {
		var others []string
		if paths, others, err = walk(root, isNote); err != nil {
			return err
		}
		for _, rel := range others {
			g.ignored = append(g.ignored, show(rel))
		}
	}
	for _, rel := range paths {
		if at := filepath.Join(dir, rel); !g.seen[at] {
			g.seen[at] = true
			if err := g.file(root, rel, show(rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

func isNote(name string) bool {
	return slices.Contains(extensions, strings.ToLower(path.Ext(name)))
}

func (g *gathering) file(root *os.Root, rel, name string) error {
	raw, err := readPlain(root, rel, brenner.MaxContentBytes+brenner.MaxFrontMatterBytes)
	if err != nil {
		g.refuse(name, err)
		return nil
	}
	if g.size += len(raw); g.size > brenner.MaxTreeBytes || len(g.notes) >= brenner.MaxTreeFiles {
		return brenner.Errorf(brenner.CodeLimitExceeded, "more than %d files or %d bytes at once", brenner.MaxTreeFiles, brenner.MaxTreeBytes).
			WithHint("add them in parts")
	}
	n, err := parseNote(rel, raw)
	if err != nil {
		g.refuse(name, err)
		return nil
	}
	n.name = name
	g.notes = append(g.notes, n)
	return nil
}

func (g *gathering) refuse(name string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		err = brenner.Errorf(brenner.CodeFileError, "there is no such file")
	}
	g.findings = append(g.findings, api.Finding(name, asError(err)))
}

// name gives an id to every note that has none of its own: what its path says,
// and where two say the same, a checksum of the path behind it.
func (g *gathering) name() {
	taken := map[brenner.ArtifactID]bool{}
	for _, n := range g.notes {
		if id := n.doc.ID; id != "" && taken[id] {
			g.refuse(n.name, brenner.Errorf(brenner.CodeInvalidValue, "another file has the id %s as well", id))
		}
		taken[n.doc.ID] = true
	}
	for i := range g.notes {
		n := &g.notes[i]
		if n.doc.ID != "" {
			continue
		}
		if n.doc.ID = slug(n.rel); taken[n.doc.ID] {
			n.doc.ID += brenner.ArtifactID("-" + canon.Sum([]byte(n.rel))[:8])
		}
		taken[n.doc.ID] = true
	}
}

// request is the artifact that a note becomes.
func (n note) request(how Import) *api.CreateArtifactRequest {
	req := &api.CreateArtifactRequest{
		ID: n.doc.ID, Type: n.doc.Type, Module: n.doc.Module, Summary: n.doc.Summary, Tags: slices.Clone(n.doc.Tags),
		Links: n.doc.Links, Content: api.Body{Format: n.doc.Format, Data: n.doc.Content},
	}
	if req.Type == "" {
		req.Type = how.Type
	}
	if req.Module == "" {
		req.Module = how.Module
	}
	for _, tag := range how.Tags {
		if !slices.Contains(req.Tags, tag) {
			req.Tags = append(req.Tags, tag)
		}
	}
	return req
}

// note is a file as it is taken in.
type note struct {
	name string // as the user named it
	rel  string // below the directory that was named
	doc  Document
}

// parseNote reads a note: JSON by its name, anything else as text.
func parseNote(rel string, raw []byte) (note, error) {
	n := note{rel: rel}
	if strings.EqualFold(path.Ext(rel), ".json") {
		content, err := artifact.NewContent(artifact.JSON, raw)
		if err != nil {
			return note{}, err
		}
		n.doc = Document{Format: artifact.JSON, Content: string(content.Data), Summary: summariseJSON(content.Data)}
		return n, nil
	}
	content, err := artifact.NewContent(artifact.Text, raw)
	if err != nil {
		return note{}, err
	}
	if n.doc, err = parseForeign(content.Data); err != nil {
		return note{}, err
	}
	if n.doc.Summary == "" {
		n.doc.Summary = summarise(n.doc.Content)
	}
	return n, nil
}
