package fulltext

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"brenner"
	"brenner/internal/order"
	"brenner/retrieval"
)

// noted is what is noted and not settled, made into segments in memory so that
// it is searched like all else. As notes come and searches come between them,
// there is a segment more; when there are many, or when notes go, it is made
// anew.
type noted struct {
	parts []part
	of    map[brenner.ArtifactID]Note // the notes in parts
}

// part is a segment made of notes.
type part struct {
	view    retrieval.View
	pages   [][]byte
	stats   retrieval.Statistics
	removed []retrieval.Name // from the segments of the index
	have    *partCounts
}

// partCounts remembers how many documents of a part have a word; it is safe for concurrent
// use.
type partCounts struct {
	mu   sync.Mutex
	have map[string]int64
}

// maxPartCounts bounds what is remembered of a part.
const maxPartCounts = 1 << 14

// maxParts is how many segments of notes there are before they become one.
const maxParts = 8

// parts gives the segments of some notes.
func (m *memory) parts(ctx context.Context, rows Rows, notes []Note) ([]part, error) {
	m.mu.Lock()
	known := m.noted
	m.mu.Unlock()
	fresh := slices.DeleteFunc(slices.Clone(notes), known.has)
	if len(notes)-len(fresh) != len(known.of) || len(fresh) > 0 && len(known.parts) >= maxParts {
		known, fresh = noted{}, notes // some are gone or changed, or there are too many parts
	}
	if len(fresh) == 0 && len(notes) == len(known.of) {
		return known.parts, nil
	}
	next := noted{parts: slices.Clone(known.parts), of: make(map[brenner.ArtifactID]Note, len(notes))}
	if len(fresh) > 0 {
		made, err := makePart(ctx, rows, fresh)
		if err != nil {
			return nil, err
		}
		next.parts = append(next.parts, made)
	}
	for _, n := range notes {
		next.of[n.Artifact] = n
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noted = next
	return next.parts, nil
}

// has reports whether a note is in the parts as it is.
func (k noted) has(n Note) bool {
	old, have := k.of[n.Artifact]
	return have && old.equal(n)
}

// makePart reads the texts of notes and makes a segment of them.
func makePart(ctx context.Context, rows Rows, notes []Note) (part, error) {
	var b retrieval.Builder
	_, removed, err := build(ctx, rows, &b, notes, math.MaxInt)
	if err != nil {
		return part{}, err
	}
	built := b.Segment()
	p := part{pages: built.Pages, stats: built.Statistics, removed: removed, have: &partCounts{have: map[string]int64{}}}
	columns, err := built.Directory.ReadColumns(p.take(built.Directory.ColumnPages()))
	p.view = retrieval.View{Directory: built.Directory, Columns: columns}
	return p, err
}

func (p part) take(numbers []int) [][]byte {
	out := make([][]byte, len(numbers))
	for i, n := range numbers {
		out[i] = p.pages[n]
	}
	return out
}

// list gives what a part says about a word.
func (p part) list(word string) (retrieval.List, error) {
	first, end := p.view.Directory.WordStretch(word)
	return p.view.ReadList(word, p.pages[first:end])
}

// count adds, for each of some words, how many documents of a part have it.
func (p part) count(words []string, have []int64) error {
	p.have.mu.Lock()
	defer p.have.mu.Unlock()
	for i, w := range words {
		n, known := p.have.have[w]
		if !known {
			first, end := p.view.Directory.WordStretch(w)
			var err error
			if n, err = retrieval.Count(w, p.pages[first:end]); err != nil {
				return err
			}
			if len(p.have.have) >= maxPartCounts {
				clear(p.have.have)
			}
			p.have.have[strings.Clone(w)] = n
		}
		have[i] += n
	}
	return nil
}

// notesAtOnce is how many notes are read at a time while a segment is made: so
// much text is held.
const notesAtOnce = 64

// build feeds a builder with what notes bring in and take out, until it has had
// so many bytes of text. It gives the notes it did, and names what they take out.
func build(ctx context.Context, rows Rows, b *retrieval.Builder, notes []Note, most int) (done []Note, removed []retrieval.Name, err error) {
	notes = order.Of(notes, func(a, b Note) int { return cmp.Compare(a.Artifact, b.Artifact) })
	for some := range slices.Chunk(notes, notesAtOnce) {
		var in, out []change
		for _, n := range some {
			i, o := n.changes()
			in, out = append(in, i...), append(out, o...)
		}
		size, err := eachText(ctx, rows, out, func(d retrieval.Document) error {
			b.Remove(d)
			removed = append(removed, d.Name)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		more, err := eachText(ctx, rows, in, b.Add)
		if err != nil {
			return nil, nil, err
		}
		done = append(done, some...)
		if most -= size + more; most < 0 {
			break
		}
	}
	return done, removed, nil
}

// eachText reads the texts of changes and gives how much that was.
func eachText(ctx context.Context, rows Rows, of []change, do func(retrieval.Document) error) (size int, err error) {
	if len(of) == 0 {
		return 0, nil
	}
	names := make([]retrieval.Name, len(of))
	for i, c := range of {
		names[i] = c.name
	}
	texts, err := rows.Texts(ctx, names)
	if err != nil {
		return 0, err
	}
	for i, d := range texts {
		size += len(d.Summary) + len(d.Text)
		d.Name, d.Kind = of[i].name, of[i].kind
		if err := do(d); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// bury marks documents as dead in the views that have them. It gives those
// that were buried, per view.
func (m *memory) bury(ctx context.Context, rows Rows, s Standing, views []retrieval.View, names []retrieval.Name) (map[int][]int, error) {
	if len(names) == 0 {
		return nil, nil
	}
	type place struct {
		view int
		page Page
		name retrieval.Name
	}
	var places []place
	for i, v := range views {
		for _, n := range names {
			if page := v.Directory.SearchNamePage(n); page >= 0 {
				places = append(places, place{i, Page{s.Segments[i].ID, page}, n})
			}
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(comparePages(a.page, b.page), a.name.Compare(b.name))
	})
	wanted := make([]Page, len(places))
	for i, p := range places {
		wanted[i] = p.page
	}
	data, err := m.read(ctx, rows, wanted)
	if err != nil {
		return nil, err
	}
	buried := map[int][]int{}
	var first int
	var there []retrieval.Name
	for i, p := range places {
		v := views[p.view]
		if i == 0 || wanted[i] != wanted[i-1] {
			if first, there, err = v.Directory.ReadNames(p.page.Number, data[i]); err != nil {
				return nil, err
			}
		}
		at, found := slices.BinarySearchFunc(there, p.name, retrieval.Name.Compare)
		if found && !v.Dead.Has(first+at) {
			buried[p.view] = append(buried[p.view], first+at)
		}
	}
	for view, ordinals := range buried {
		views[view].Dead = views[view].Dead.With(ordinals...)
	}
	return buried, nil
}
