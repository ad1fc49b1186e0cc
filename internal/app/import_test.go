package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// exported is a project with a redacted content, as an export in lines.
func exported(t *testing.T) (lines []string, sent api.ExportResult) {
	t.Helper()
	w := newWorld(t, memory.New())
	for _, id := range []brenner.ArtifactID{"kept", "gone"} {
		_, err := w.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: "paper_note", Module: "lineage", Summary: "about " + string(id), Content: api.Body{Format: artifact.Text, Data: "what is " + string(id)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.PI().Redact(t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "gone", Version: 1}, Reason: "a name is in it"}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	sent, err := w.PI().Export(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), sent
}

// J5: what arrives is what was sent, with the same root and digest, and what was
// redacted is still redacted.
// J5.c, J5.h.
func TestImport_BringsTheProjectAsItWas(t *testing.T) {
	lines, sent := exported(t)
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{})
	got, err := a.Import(t.Context(), strings.NewReader(strings.Join(lines, "\n")), nil) // the last line needs no end
	if err != nil || got.Root != sent.Root || got.Digest != sent.Digest || got.Records != sent.Records || got.Blobs != sent.Blobs {
		t.Fatalf("%+v, sent %+v, %v", got, sent, err)
	}
	w := world{app: a, pi: "ada"}
	if v, err := w.PI().Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "kept", Version: 1}}); err != nil || string(v.Content) != `"what is kept"` {
		t.Errorf("%s, %v", v.Content, err)
	}
	if _, err := w.PI().Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "gone", Version: 1}}); brenner.CodeOf(err) != brenner.CodeRedacted {
		t.Errorf("what was redacted: %v", err)
	}
	// J8: an export of an older form of the tables has a digest that says nothing now.
	older := slices.Clone(lines)
	last := len(older) - 1
	older[last] = strings.Replace(strings.Replace(older[last], string(sent.Digest), strings.Repeat("0", 64), 1), `"digest_version":`, `"digest_version":9`, 1)
	empty := memory.New()
	t.Cleanup(func() { _ = empty.Close() })
	if _, err := app.New(empty, app.Options{}).Import(t.Context(), strings.NewReader(strings.Join(older, "\n")), nil); err != nil {
		t.Errorf("a digest over tables of another form: %v", err)
	}
}

// J5, J7: a content that only the export says was redacted, and no record, is refused.
func TestImport_ARedactionHasARecord(t *testing.T) {
	lines, _ := exported(t)
	data := base64.StdEncoding.EncodeToString([]byte("what is kept"))
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, data) })
	if i < 0 {
		t.Fatal("the export has no such content")
	}
	lines[i] = strings.Replace(strings.Replace(lines[i], `"data":"`+data+`"`, `"data":""`, 1), `,"sha256"`, `,"redacted":true,"sha256"`, 1)
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	_, err := app.New(s, app.Options{}).Import(t.Context(), strings.NewReader(strings.Join(lines, "\n")), nil)
	if brenner.CodeOf(err) != brenner.CodeImportInvalid || !strings.Contains(err.Error(), "no record says so") {
		t.Errorf("%v", err)
	}
}

// failsOnce is a store that fails in a write at one place where it has not yet.
type failsOnce struct {
	store.Store
	places *failing
	failed bool
}

func (s *failsOnce) Write(ctx context.Context, fn func(store.Tx) error) error {
	f := &faults{of: s.places}
	err := s.Store.Write(ctx, func(tx store.Tx) error { return fn(failingTx{failingReader{f, tx}, tx}) })
	s.failed = s.failed || f.where != ""
	return err
}

// J5: where the store goes away while something arrives, that is what is said, and not
// that what was sent is wrong; nothing of it stays.
func TestImport_SaysThatTheStoreWentAway(t *testing.T) {
	lines, sent := exported(t)
	places := &failing{t: t, seen: map[[depth]uintptr]bool{}}
	for n := 0; ; n++ {
		s := &failsOnce{Store: memory.New(), places: places}
		got, err := app.New(s, app.Options{}).Import(t.Context(), strings.NewReader(strings.Join(lines, "\n")), nil)
		if !s.failed {
			if err != nil || got.Root != sent.Root || n < 10 {
				t.Errorf("after %d failures: %+v, %v", n, got, err)
			}
			return
		}
		if brenner.CodeOf(err) != brenner.CodeStoreUnavailable {
			t.Errorf("the store failed and it says %v", err)
		}
		must(t, s.Close())
	}
}

// J5, J8: an export that was cut, reordered, added to or changed in any line is
// refused whole, with the line.
// J5.a, J5.b, J5.d, J5.e, J5.f, J5.g.
func TestImport_RefusesWhatIsNotWhatWasSent(t *testing.T) {
	lines, sent := exported(t)
	at := func(what string) int {
		t.Helper()
		i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, what) })
		if i < 0 {
			t.Fatalf("no line has %s", what)
		}
		return i
	}
	last, record, blob := len(lines)-1, at(`"kind":"version.written"`), at(`{"blob":{"data":"`)
	changed := func(i int, old, text string) []string {
		out := slices.Clone(lines)
		if out[i] = strings.Replace(out[i], old, text, 1); out[i] == lines[i] {
			t.Fatalf("%s is not in %s", old, lines[i])
		}
		return out
	}
	swapped := slices.Clone(lines)
	swapped[last-1], swapped[last-2] = swapped[last-2], swapped[last-1]
	for name, bad := range map[string][]string{
		"cut":                     lines[:last],
		"a record is missing":     slices.Delete(slices.Clone(lines), last-1, last),
		"records are swapped":     swapped,
		"something follows":       append(slices.Clone(lines), lines[blob]),
		"a second footer":         append(slices.Clone(lines), lines[last]),
		"a second header":         append(slices.Clone(lines[:1]), lines...),
		"no header":               lines[1:],
		"an empty line":           slices.Insert(slices.Clone(lines), 2, "{}"),
		"no JSON":                 slices.Insert(slices.Clone(lines), 2, "what?"),
		"another format":          changed(0, "brenner-export", "other-export"),
		"a version to come":       changed(0, `"version":3`, `"version":4`),
		"a version before all":    changed(0, `"version":3`, `"version":0`),
		"a content is damaged":    changed(blob, `"data":"`, `"data":"AAAA`),
		"a record is changed":     changed(record, `"id":"kept"`, `"id":"kepp"`),
		"a record is reformatted": changed(record, `"kind":`, ` "kind":`),
		"another root":            changed(last, sent.Root, strings.Repeat("A", len(sent.Root)-1)+"="),
		"another digest":          changed(last, string(sent.Digest), strings.Repeat("0", 64)),
	} {
		s := memory.New()
		t.Cleanup(func() { _ = s.Close() })
		a := app.New(s, app.Options{})
		if _, err := a.Import(t.Context(), strings.NewReader(strings.Join(bad, "\n")+"\n"), nil); brenner.CodeOf(err) != brenner.CodeImportInvalid {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := (world{app: a, pi: "ada"}).PI().Project(t.Context()); err == nil {
			t.Errorf("%s: something is left of it", name)
		}
	}
}
