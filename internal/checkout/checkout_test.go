package checkout

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
)

// project is a service with some artifacts, which keeps what it is sent.
type project struct {
	api.Service
	versions []artifact.Version
	refuse   map[brenner.ArtifactID]brenner.Code
	batches  []api.BatchRequest
	// during is called while a batch is written.
	during func()
}

func (p *project) Project(context.Context) (api.ProjectInfo, error) {
	return api.ProjectInfo{ID: "p-1"}, nil
}

func (p *project) Artifacts(_ context.Context, req api.ListArtifactsRequest) (api.ArtifactList, error) {
	var list api.ArtifactList
	for _, v := range p.versions {
		if (v.Status == artifact.Deprecated) != slices.Contains(req.Statuses, artifact.Deprecated) {
			continue
		}
		list.Items = append(list.Items, api.ArtifactItem{ID: v.ID})
	}
	return list, nil
}

func (p *project) Artifact(_ context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	if code, ok := p.refuse[req.Ref.Artifact]; ok {
		return api.ArtifactView{}, brenner.Errorf(code, "no")
	}
	i := slices.IndexFunc(p.versions, func(v artifact.Version) bool { return v.ID == req.Ref.Artifact })
	return api.ArtifactView{Version: p.versions[i]}, nil
}

func (p *project) WriteBatch(_ context.Context, req api.BatchRequest) (api.BatchResult, error) {
	p.batches = append(p.batches, req)
	if p.during != nil {
		p.during()
	}
	var res api.BatchResult
	for _, item := range req.Items {
		w := api.BatchWritten{Name: item.Name, Outcome: api.BatchUpdated}
		if u := item.Update; u != nil {
			w.Ref = brenner.Ref{Artifact: u.ID, Version: u.Parent + 1}
			w.Summary, w.SHA256 = *u.Summary, canon.Sum([]byte(u.Content.Data))
		} else {
			w.Ref = brenner.Ref{Artifact: item.Create.ID, Version: 1}
		}
		res.Items = append(res.Items, w)
	}
	return res, nil
}

func text(id brenner.ArtifactID, module brenner.Module, content string) artifact.Version {
	return artifact.Version{
		ID: id, Type: "paper_note", Module: module, Version: 1, Status: artifact.Draft, Summary: "about " + string(id),
		Format: artifact.Text, Content: canon.MustMarshal(content), SHA256: canon.Sum([]byte(content)),
		Links: []artifact.Link{{Rel: artifact.Cites, Artifact: "x", Version: 1}, {Rel: artifact.Supersedes, Artifact: "y", Version: 1}},
	}
}

// X6: names become paths only after they were checked, whoever sent them.
func TestOut_WritesNothingOutside(t *testing.T) {
	for _, v := range []artifact.Version{
		text("../../escape", "lineage", "x"), text("a", "../..", "x"), text("a", "/etc", "x"), text("..", "lineage", "x"), text("", "lineage", "x"),
	} {
		base := t.TempDir()
		dir := filepath.Join(base, "deep", "work")
		_, err := Out(t.Context(), &project{versions: []artifact.Version{text("fine", "lineage", "x"), v}}, dir, Selection{Force: true}, nil)
		if brenner.CodeOf(err) != brenner.CodeInvalidID {
			t.Errorf("%s in %s: got %v", v.ID, v.Module, err)
		}
		if left, _ := os.ReadDir(base); len(left) > 0 {
			t.Errorf("%s in %s: something was written", v.ID, v.Module)
		}
	}
}

// X6: what cannot be read is named, and the rest is checked out.
func TestOut_SkipsWhatIsRedactedOrDenied(t *testing.T) {
	p := &project{
		versions: []artifact.Version{text("a", "lineage", "x"), text("gone", "lineage", "x"), text("secret", "lineage", "x")},
		refuse:   map[brenner.ArtifactID]brenner.Code{"gone": brenner.CodeRedacted, "secret": brenner.CodeReadDenied},
	}
	res, err := Out(t.Context(), p, t.TempDir(), Selection{}, nil)
	if err != nil || len(res.Written) != 1 || len(res.Skipped) != 2 || res.Skipped[0].Subject != "gone" {
		t.Errorf("%+v, %v", res, err)
	}
	p.refuse["gone"] = brenner.CodeStoreBusy
	if _, err := Out(t.Context(), p, t.TempDir(), Selection{}, nil); brenner.CodeOf(err) != brenner.CodeStoreBusy {
		t.Errorf("got %v", err)
	}
}

// X4: an interrupted checkout leaves nothing half done.
func TestOut_InterruptedLeavesNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	dir := t.TempDir()
	_, err := Out(ctx, &project{versions: []artifact.Version{text("a", "lineage", "x")}}, dir, Selection{}, func(string, int64, int64) { stop() })
	if brenner.CodeOf(err) != brenner.CodeCanceled {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// X6: what a version took the place of is not said again by the next one.
func TestIn_SendsWhatTheFileSays(t *testing.T) {
	p, dir := &project{versions: []artifact.Version{text("a", "lineage", "x")}}, t.TempDir()
	if _, err := Out(t.Context(), p, dir, Selection{}, nil); err != nil {
		t.Fatal(err)
	}
	edit(t, dir, "about a", "about a and b")
	if _, err := In(t.Context(), p, dir, Commit{ExpectHead: true}); err != nil {
		t.Fatal(err)
	}
	u := p.batches[0].Items[0].Update
	if u.Parent != 1 || u.Expect != 1 || *u.Summary != "about a and b" || !u.DropLinks || len(u.Links) != 1 || u.Links[0].Rel != artifact.Cites {
		t.Errorf("sent %+v", u)
	}
}

// X6: what was deprecated since is removed from a checkout unless its file was changed,
// and comes back into use only where that is said.
func TestOut_RemovesWhatIsOutOfUse(t *testing.T) {
	p, dir := &project{versions: []artifact.Version{text("a", "lineage", "x"), text("b", "lineage", "y")}}, t.TempDir()
	out := func(force bool) (OutResult, error) { return Out(t.Context(), p, dir, Selection{Force: force}, nil) }
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, "lineage/paper_note", name))
		return err == nil
	}
	if _, err := out(false); err != nil {
		t.Fatal(err)
	}
	p.versions[1].Status = artifact.Deprecated
	if res, err := out(false); err != nil || len(res.Removed) != 1 || res.Removed[0].Ref.Artifact != "b" || there("b.md") || !there("a.md") {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err := out(false); err != nil || len(res.Removed) != 0 {
		t.Errorf("again: %+v, %v", res, err)
	}
	edit(t, dir, "about a", "about a and b")
	p.versions[0].Status = artifact.Deprecated
	if _, err := In(t.Context(), p, dir, Commit{}); brenner.CodeOf(err) != brenner.CodeStatusConflict || len(p.batches) > 0 {
		t.Errorf("committed with %v", err)
	}
	if _, err := out(false); brenner.CodeOf(err) != brenner.CodeFilesChanged || !there("a.md") {
		t.Errorf("an edit was removed with %v", err)
	}
	if _, err := In(t.Context(), p, dir, Commit{Revive: true}); err != nil || len(p.batches) != 1 {
		t.Errorf("not revived: %v", err)
	}
	if res, err := out(true); err != nil || len(res.Removed) != 1 || there("a.md") {
		t.Errorf("%+v, %v", res, err)
	}
}

// X6: a file that changes while it is committed is not overwritten, and the
// manifest stays as it was.
func TestIn_LeavesAFileThatChangedMeanwhile(t *testing.T) {
	p, dir := &project{versions: []artifact.Version{text("a", "lineage", "x")}}, t.TempDir()
	if _, err := Out(t.Context(), p, dir, Selection{}, nil); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, ManifestName))
	edit(t, dir, "about a", "about a and b")
	p.during = func() { edit(t, dir, "a and b", "a, b and c") }
	if _, err := In(t.Context(), p, dir, Commit{}); brenner.CodeOf(err) != brenner.CodeFilesChanged || !strings.Contains(err.Error(), "the project was changed") {
		t.Errorf("got %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "lineage/paper_note/a.md")); !strings.Contains(string(got), "a, b and c") {
		t.Errorf("the edit is lost:\n%s", got)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, ManifestName)); string(after) != string(before) {
		t.Error("the manifest moved")
	}
}

func edit(t *testing.T, dir, old, new string) {
	t.Helper()
	name := filepath.Join(dir, "lineage/paper_note/a.md")
	raw, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(raw), old) {
		t.Fatalf("%v: no %q in\n%s", err, old, raw)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(raw), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// X6: many notes go in as batches within bounds, oversize files are refused.
func TestAdd_PartsManyNotes(t *testing.T) {
	p, dir := &project{}, t.TempDir()
	for i := range brenner.MaxBatchItems + 1 {
		name := filepath.Join(dir, strings.Repeat("n", i%90+1)+string(rune('a'+i/90))+".md")
		if err := os.WriteFile(name, []byte("a note"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := Add(t.Context(), p, []Source{{"notes", dir}}, Import{Write: api.Write{Key: "k"}}, nil)
	if err != nil || len(res.Items) != brenner.MaxBatchItems+1 || len(p.batches) != 2 || p.batches[0].Key != "k" || p.batches[1].Key != "k/1" {
		t.Errorf("%d items in %d batches, %v", len(res.Items), len(p.batches), err)
	}
	large := filepath.Join(t.TempDir(), "large.md")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(t.Context(), p, []Source{{"large.md", large}}, Import{}, nil); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("got %v", err)
	}
}

// X6: two files never become one artifact.
func TestAdd_IDsAreUnique(t *testing.T) {
	p, dir := &project{}, t.TempDir()
	for _, name := range []string{"a-b.md", "a b.md", "A.B.md", "b.md", "日本.md", "日.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a note"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := Source{"b.md", filepath.Join(dir, "b.md")}
	if _, err := Add(t.Context(), p, []Source{{"notes", dir}, again}, Import{}, nil); err != nil {
		t.Fatal(err)
	}
	seen := map[brenner.ArtifactID]bool{}
	for _, item := range p.batches[0].Items {
		if id := item.Create.ID; seen[id] || id.Check() != nil {
			t.Errorf("%s: id %q", item.Name, id)
		}
		seen[item.Create.ID] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d ids of 6 files", len(seen))
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]brenner.ArtifactID{
		"smith.md": "smith", "2024/Größe der Zelle.md": "2024-grosse-der-zelle", "Élan vital.txt": "elan-vital",
		"../x.md": "x", "-rf.md": "rf", "a.b.json": "a.b",
	} {
		if got := slug(in); got != want || got.Check() != nil {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := slug(strings.Repeat("x/", 500)); got.Check() != nil {
		t.Errorf("a long path: %q", got)
	}
}

func TestSummarise(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"# Title\n", "Title"},
		{"\ufeff# Title\n\ntext\n", "Title: text"},
		{"one\ntwo\n\nthree", "one two"},
		{"## Title ##\n\n# Second\ntext\n# third", "Title: text"},
		{"Title\n=====\n\ntext", "Title"},
		{"---\n\n```\ncode\n```\ntext", "text"},
		{"text\n```\ncode\n```\n", "text"},
	} {
		if got := summarise(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	for _, in := range []string{strings.Repeat("é ", 40_000), strings.Repeat("x", 100_000)} {
		if got := summarise(in); utf8.RuneCountInString(got) > brenner.MaxSummaryRunes || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
			t.Errorf("%d characters", utf8.RuneCountInString(got))
		}
	}
}
