package assembly

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
)

// crowd is the input of an integrator with as many candidates as there can be,
// each with a summary of the length people write, and far more than fits.
func crowd() Input {
	v := Builtin()[slices.IndexFunc(Builtin(), func(v View) bool { return v.Role == "integrator" })]
	in := Input{
		Project: "Cell fate", Agent: "ann", View: v, Format: Markdown,
		Task:    &Task{ID: "task-1", Title: "Draw the module together", Spec: strings.Repeat("Say what stands and what does not. ", 20)},
		Modules: []brenner.Module{"discs"}, Shared: []brenner.Module{"project"},
		Overview: []Item{note("brief@1", artifact.TypeProjectBrief, "project", "What scales?")},
		Pinned:   []Item{note("memo@1", artifact.TypeIntegratedMemo, "discs", "The memo.")},
		Tags:     []string{"scaling", "discs"}, Now: noon, Counter: o200k(),
		Load: func(r brenner.Ref) (artifact.Content, error) {
			return artifact.Content{Format: artifact.Text, Data: []byte(strings.Repeat("Measured in wing discs of "+r.String()+", gradients scale with area. ", 30))}, nil
		},
	}
	kinds := []brenner.TypeName{
		artifact.TypePaperNote, artifact.TypeAnalysisResult, artifact.TypeModelSpec, artifact.TypeIntegratedMemo,
		artifact.TypeAssumption, artifact.TypeCritique, artifact.TypeManuscriptSection, artifact.TypeVerdict,
	}
	for i := range brenner.MaxCandidates {
		c := Candidate{Item: note(fmt.Sprintf("item-%03d@1", i), kinds[i%len(kinds)], "discs", fmt.Sprintf(
			"Finding %d: the decay length of the Dpp gradient grows with disc width (slope %d.%02d, n = %d), which a model with expansion–repression explains and pure diffusion does not; the error bars overlap at early stages, so the claim rests on discs older than %d h.",
			i, i%3, i%97, 10+i%40, 60+i%50,
		))}
		c.Tags = []string{"discs", []string{"scaling", "growth", "noise"}[i%3]}
		c.Updated = noon.Add(-time.Duration(i) * time.Hour)
		c.Distance, c.Lexical, c.Semantic = i%4, float64(i%17), float64(i%23)/23
		in.Candidates = append(in.Candidates, c)
	}
	return in
}

// BenchmarkAssemble assembles a context from 500 candidates: warm, with counts
// in a cache, and cold, without. lib-count/op is how long the library takes to
// count the resulting text once, as a ratio to the assembly.
func BenchmarkAssemble(b *testing.B) {
	for _, bb := range []struct {
		name  string
		cache Cache
	}{
		{"warm", &memory{counts: map[brenner.Digest]int{}}},
		{"cold", nil},
	} {
		b.Run(bb.name, func(b *testing.B) {
			in := crowd()
			in.Cache = bb.cache
			c, err := Assemble(in)
			if err != nil {
				b.Fatal(err)
			}
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := Assemble(in); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			start := time.Now()
			published(O200k, c.Text)
			library := time.Since(start)
			p50, p99 := times[len(times)/2], times[len(times)*99/100]
			b.ReportMetric(float64(p50)/1e6, "p50-ms")
			b.ReportMetric(float64(p99)/1e6, "p99-ms")
			b.ReportMetric(float64(library)/float64(p50), "lib-count/op")
			b.ReportMetric(float64(len(c.Items)), "items")
			b.ReportMetric(float64(c.Used), "tokens")
		})
	}
}

// BenchmarkTokenizer counts English text; x-library is how many times faster
// than the library.
func BenchmarkTokenizer(b *testing.B) {
	var text strings.Builder
	for _, c := range crowd().Candidates {
		text.WriteString(c.Summary + "\n\n")
	}
	s := text.String()
	codec := mustCodec(O200k)
	start := time.Now()
	mustCount(codec, s)
	library := time.Since(start)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		o200k().Count(s)
	}
	b.ReportMetric(float64(library)/(float64(b.Elapsed())/float64(b.N)), "x-library")
}
