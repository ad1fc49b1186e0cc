package fulltext

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"brenner/retrieval"
)

// BatchNotes is how many notes are settled at once, and batchBytes how much
// text: a batch is made outside the write lock and held in memory.
const (
	BatchNotes = 4096
	batchBytes = 16 << 20
)

// Batch is what settling some notes changes. A backend writes it in one
// transaction, after it has seen that Changes of the index is still the same:
// otherwise somebody else was faster, and the batch is thrown away.
type Batch struct {
	Changes int64
	// Segment is the new one; Pages is empty if there is none.
	Segment Made
	// Statistics is what is added to those of the index.
	Statistics retrieval.Statistics
	// Dead are the new dead of earlier segments.
	Dead map[int64]retrieval.Dead
	// Notes are settled: their wanted versions are those in the segments now.
	// Where another note has taken the place of one meanwhile, that one stays.
	Notes []Note
	// More says that there are further notes.
	More bool
}

// Made is a segment as it is written.
type Made struct {
	Documents int
	Directory []byte
	Pages     [][]byte
}

// A Settler settles notes. It remembers words between batches, and is not safe
// for concurrent use.
type Settler struct{ builder retrieval.Builder }

// Prepare makes the next batch out of what a reader sees; nil if nothing is
// noted.
func (s *Settler) Prepare(ctx context.Context, x *Index, rows Rows) (*Batch, error) {
	standing, err := rows.Standing(ctx, BatchNotes)
	if err != nil || len(standing.Notes) == 0 {
		return nil, err
	}
	memory := x.of(standing.Generation)
	notes, removed, err := build(ctx, rows, &s.builder, standing.Notes, batchBytes)
	if err != nil {
		s.builder = retrieval.Builder{}
		return nil, err
	}
	b := &Batch{Changes: standing.Changes, Notes: notes, More: standing.Noted > len(notes), Dead: map[int64]retrieval.Dead{}}
	built := s.builder.Segment()
	b.Statistics = built.Statistics
	if len(built.Pages) > 0 {
		b.Segment = Made{built.Directory.Documents, built.Directory.Encode(), built.Pages}
	}
	views, err := memory.load(ctx, rows, standing)
	if err != nil {
		return nil, err
	}
	buried, err := memory.bury(ctx, rows, standing, views, removed)
	for view := range buried {
		b.Dead[standing.Segments[view].ID] = views[view].Dead
	}
	return b, err
}

// mergeAtOnce is how many segments of about the same size become one.
const mergeAtOnce = 4

// MergePlan chooses segments to merge: four of about the same size, the smaller
// first, or one that is mostly dead. It gives none where there is nothing to do.
func MergePlan(segments []Segment) []int64 {
	classes := map[int][]int64{}
	for _, s := range segments {
		if s.Documents >= 64 && 2*s.Dead > s.Documents {
			return []int64{s.ID}
		}
		class := (bits.Len(uint(s.Documents)) + 1) / 2 // a factor of four
		classes[class] = append(classes[class], s.ID)
	}
	for class := range 32 {
		if ids := classes[class]; len(ids) >= mergeAtOnce {
			return ids
		}
	}
	return nil
}

// ErrOutrun says that somebody else has changed the index meanwhile: what was
// prepared cannot be done any more, and has to be tried again.
var ErrOutrun = errors.New("the full-text index was changed by somebody else")

// A Merge makes one segment out of several while others write: it reads pages,
// which never change, and gives out those it has made, some at a time.
type Merge struct {
	Inputs []int64
	merger *retrieval.Merger
	before []retrieval.Dead // of the inputs, when it began
	erased retrieval.Statistics
}

// BeginMerge reads the segments that are to be merged, without those erased.
func (x *Index) BeginMerge(ctx context.Context, rows Rows, ids []int64, erased []retrieval.Name) (*Merge, error) {
	standing, err := rows.Standing(ctx, 1)
	if err != nil {
		return nil, err
	}
	standing.Segments = slices.DeleteFunc(standing.Segments, func(s Segment) bool { return !slices.Contains(ids, s.ID) })
	if len(standing.Segments) != len(ids) {
		return nil, ErrOutrun
	}
	views, err := x.of(standing.Generation).load(ctx, rows, standing)
	if err != nil {
		return nil, err
	}
	m := &Merge{}
	var inputs []retrieval.Input
	for i, v := range views {
		in := retrieval.Input{Directory: v.Directory, Columns: v.Columns, Dead: v.Dead}
		in.Names, err = allNames(ctx, rows, standing.Segments[i].ID, v.Directory)
		if err != nil {
			return nil, err
		}
		for _, n := range erased {
			if at, found := slices.BinarySearchFunc(in.Names, n, retrieval.Name.Compare); found && !in.Dead.Has(at) {
				in.Erased = in.Erased.With(at)
				m.erased = m.erased.Plus(retrieval.Statistics{Documents: 1, Length: int64(in.Columns.Length(at))})
			}
		}
		inputs = append(inputs, in)
		m.Inputs = append(m.Inputs, standing.Segments[i].ID)
		m.before = append(m.before, v.Dead)
	}
	m.merger, err = retrieval.NewMerger(inputs)
	return m, err
}

// Erased is what was erased, to be taken from the statistics of the index.
func (m *Merge) Erased() retrieval.Statistics { return m.erased }

func allNames(ctx context.Context, rows Rows, segment int64, d *retrieval.Directory) ([]retrieval.Name, error) {
	pages := pagesOf(segment, d.NamePages())
	data, err := rows.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	names := make([]retrieval.Name, 0, d.Documents)
	for i, p := range pages {
		if data[i] == nil {
			return nil, ErrOutrun
		}
		_, some, err := d.ReadNames(p.Number, data[i])
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	return names, nil
}

// readAhead is how many pages of an input are read at once.
const readAhead = 32

// Pages merges until it has made some pages, and gives them; none at the end.
// A backend gives it a reader for each call, so that no snapshot is held while
// what was made is written.
func (m *Merge) Pages(ctx context.Context, rows Rows, least int) (made [][]byte, err error) {
	ahead := map[Page][]byte{}
	for len(made) < least {
		input, number, more := m.merger.Wants()
		if !more {
			return append(made, m.merger.Take()...), nil
		}
		page := Page{m.Inputs[input], number}
		data, known := ahead[page]
		if !known {
			numbers := m.merger.WantsNext(input, readAhead)
			pages := pagesOf(m.Inputs[input], numbers)
			found, err := rows.Pages(ctx, pages)
			if err != nil {
				return nil, err
			}
			for i, p := range pages {
				ahead[p] = found[i]
			}
			data = found[0]
		}
		delete(ahead, page)
		if data == nil {
			return nil, ErrOutrun
		}
		if err := m.merger.Feed(data); err != nil {
			return nil, err
		}
		made = append(made, m.merger.Take()...)
	}
	return made, nil
}

// Finish gives the directory of the segment that was made and, as the inputs
// are dead by now, its own dead.
func (m *Merge) Finish(dead []retrieval.Dead) (documents int, directory []byte, own retrieval.Dead) {
	d := m.merger.Finish()
	for i, now := range dead {
		for _, ordinal := range now.Since(m.before[i]) {
			if place := m.merger.Place(i, ordinal); place >= 0 {
				own = own.With(place)
			}
		}
	}
	return d.Documents, d.Encode(), own
}
