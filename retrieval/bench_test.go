package retrieval

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner"
)

// spent is the processor's time of this process: what a busy machine does not
// change much.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// each reports the processor's time since a moment for each of n things.
func each(b *testing.B, since time.Duration, n int, what string) {
	b.ReportMetric(float64((spent(b)-since).Nanoseconds())/1000/float64(n), "cpu-µs/"+what)
}

// prose makes texts whose words are as unevenly common as those of English.
type prose struct{ random uint64 }

func (p *prose) next() uint64 {
	p.random = p.random*6364136223846793005 + 1442695040888963407
	return p.random >> 11
}

func (p *prose) n(most int) int { return int(p.next() % uint64(most)) }

// word draws one of 60,000 words by the law of Zipf and Mandelbrot.
func (p *prose) word() string {
	u := float64(p.next()) / (1 << 53)
	return "w" + strconv.FormatInt(int64(20*(math.Exp(u*math.Log(1+60_000/20))-1)), 36)
}

func (p *prose) text(words int) string {
	var b strings.Builder
	for range words {
		if p.n(100) < 45 { // as many words of English say nothing
			b.WriteString([]string{"the", "of", "and", "is", "with", "which"}[p.n(6)])
		} else {
			b.WriteString(p.word())
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func (p *prose) document(i int) Document {
	return Document{
		Name: Name{brenner.ArtifactID(fmt.Sprintf("note-%06d", i)), 1}, Kind: Kind{Type: "paper_note", Module: "m"},
		Summary: p.text(20), Text: p.text(130 + p.n(150)),
	}
}

// Indexing costs this much a text of 150 to 300 words, without the database.
func BenchmarkBuild(b *testing.B) {
	p := &prose{1}
	docs := make([]Document, 2000)
	for i := range docs {
		docs[i] = p.document(i)
	}
	var builder Builder
	since := spent(b)
	for b.Loop() {
		for _, d := range docs {
			if err := builder.Add(d); err != nil {
				b.Fatal(err)
			}
		}
		builder.Segment()
	}
	each(b, since, b.N*len(docs), "text")
}

// library is n texts in segments as settling and merging leave them.
func library(b *testing.B, n int) *shelf {
	s := &shelf{live: map[Name]Document{}}
	p := &prose{1}
	var builder Builder
	for i := 0; i < n; {
		for range min(4000, n-i) {
			if err := builder.Add(p.document(i)); err != nil {
				b.Fatal(err)
			}
			i++
		}
		built := builder.Segment()
		s.stats = s.stats.Plus(built.Statistics)
		s.segments = append(s.segments, store(b, built))
	}
	s.merge(b, 0, len(s.segments)*3/4, nil)
	return s
}

func BenchmarkSearch(b *testing.B) {
	n := 20_000
	if given := os.Getenv("BRENNER_BENCH_TEXTS"); given != "" {
		n, _ = strconv.Atoi(given)
	}
	s := library(b, n)
	size := 0
	for _, seg := range s.segments {
		for _, p := range seg.built.Pages {
			size += len(p)
		}
	}
	for _, words := range []int{5, 20, 100} {
		b.Run(fmt.Sprintf("%d words", words), func(b *testing.B) {
			p := &prose{2}
			since := spent(b)
			for b.Loop() {
				s.search(b, Question(p.text(words)), 500, func(Kind) bool { return true })
			}
			each(b, since, b.N, "search")
			b.ReportMetric(float64(size)/float64(n), "B/text")
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	s := library(b, 16_000)
	since := spent(b)
	for b.Loop() {
		one := &shelf{segments: append([]*stored(nil), s.segments...)}
		one.merge(b, 0, len(one.segments), nil)
	}
	each(b, since, b.N*16_000, "text")
}
