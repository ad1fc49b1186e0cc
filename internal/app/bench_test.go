package app_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/sqlite"
)

// words are what benchmark texts are made of: those of real texts, the commonest
// first, so that the full-text index, the embedding and the tokenizer do the work
// they do in use.
var words = sync.OnceValue(func() []string {
	count := map[string]int{}
	for _, name := range []string{"../../docs/spec.md", "../../docs/guide-pi.md", "../cli/demo/story.txt", "../embed/testdata/pairs.tsv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for _, w := range strings.FieldsFunc(string(text), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }) {
			count[strings.ToLower(w)]++
		}
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
})

// prose gives about size bytes of text, other for every n, in which words are
// as common and as rare as in texts of people.
func prose(n, size int) string {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	rank := rand.NewZipf(r, 1.1, 10, uint64(len(words())-1))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words()[rank.Uint64()])
		b.WriteByte(' ')
	}
	return b.String()[:size]
}

func benchNote(n int) api.CreateArtifactRequest {
	return api.CreateArtifactRequest{
		Type: "paper_note", Module: "lineage", Summary: "note " + prose(-n, 60),
		Content: api.Body{Format: artifact.Text, Data: prose(n, 2048)},
	}
}

func benchProject(b *testing.B) (api.Service, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "project.db")
	s, err := sqlite.Open(b.Context(), path, sqlite.Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return benchService(b, s), path
}

func benchService(b *testing.B, s store.Store) api.Service {
	b.Helper()
	return led(b, app.New(s, app.Options{}))
}

// led makes the project of an application, and gives it as who leads it has it.
func led(b *testing.B, a *app.App) api.Service {
	b.Helper()
	if _, err := a.Init(b.Context(), api.InitRequest{
		Name: "bench", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: "modules: [lineage]"},
	}); err != nil {
		b.Fatal(err)
	}
	return a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
}

// BenchmarkDisk measures bytes on disk per 2 KiB version, everything included:
// the texts are indexed and the log is back in the file.
func BenchmarkDisk(b *testing.B) {
	path := filepath.Join(b.TempDir(), "project.db")
	svc, s := benchStore(b, path)
	const versions = 3000
	for i := range versions {
		if _, err := svc.CreateArtifact(b.Context(), benchNote(i)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() { // nothing is timed: the figure is the size
	}
	settle(b, s)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	perVersion := float64(info.Size()) / versions
	b.ReportMetric(perVersion, "B/version")
	b.ReportMetric(perVersion/2048, "of-content")
}

// BenchmarkRead measures reads as the project grows; growth is against the
// smallest size, in the same run.
func BenchmarkRead(b *testing.B) {
	sizes := []int{1_000, 10_000, 100_000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	base := map[string]float64{}
	for _, size := range sizes {
		_, svc := filled(b, size)
		for _, op := range []struct {
			name string
			run  func(ctx context.Context, i int) error
		}{
			{"point", func(ctx context.Context, i int) error {
				_, err := svc.Artifact(ctx, api.ArtifactRequest{Ref: brenner.Ref{Artifact: noteID(i % size)}})
				return err
			}},
			{"list", func(ctx context.Context, i int) error {
				_, err := svc.Artifacts(ctx, api.ListArtifactsRequest{Types: []brenner.TypeName{"paper_note"}, Page: api.Page{Limit: 100}})
				return err
			}},
			{"lineage", func(ctx context.Context, i int) error {
				_, err := svc.Lineage(ctx, api.LineageRequest{Ref: brenner.Ref{Artifact: noteID(19 + i%(size-20))}})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/artifacts=%d", op.name, size), func(b *testing.B) {
				i := 0
				for b.Loop() {
					i += 7919
					if err := op.run(b.Context(), i); err != nil {
						b.Fatal(err)
					}
				}
				took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				if base[op.name] == 0 {
					base[op.name] = took
				}
				b.ReportMetric(took/base[op.name], "growth")
			})
		}
	}
}

func noteID(i int) brenner.ArtifactID { return brenner.ArtifactID(fmt.Sprintf("note-%06d", i)) }

// filled makes a project of many artifacts of two types, each resting on the
// one before in runs of twenty. The commonest tag is on a fifth of them.
func filled(b *testing.B, size int) (*app.App, api.Service) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "project.db"), sqlite.Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{})
	svc := led(b, a)
	var all sync.WaitGroup
	const runs = 20
	starts := make(chan int)
	for range 64 {
		all.Go(func() {
			for start := range starts {
				for i := start; i < min(start+runs, size); i++ {
					req := benchNote(i)
					req.ID, req.Content.Data = noteID(i), req.Content.Data[:200]
					req.Type = []brenner.TypeName{"paper_note", "analysis_result"}[i%2]
					rank := rand.NewZipf(rand.New(rand.NewPCG(uint64(i), 3)), 1.2, 3, 300)
					req.Tags = []string{fmt.Sprint("tag", rank.Uint64()), fmt.Sprint("mark", rank.Uint64())}
					if i > start {
						req.Links = []artifact.Link{{Rel: artifact.DependsOn, Artifact: noteID(i - 1), Version: 1}}
					}
					if _, err := svc.CreateArtifact(context.Background(), req); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	for start := 0; start < size; start += runs {
		starts <- start
	}
	close(starts)
	all.Wait()
	return a, svc
}
