package fulltext

import (
	"context"
	"errors"
	"slices"
	"sync"

	"brenner/retrieval"
)

// Index remembers what was read of an index, for all readers of a store. The
// zero Index remembers nothing yet; it is safe for concurrent use. What is read
// inside a write under way must not be remembered: it may never come to be, and
// its numbers be given to something else. Use an Index of its own for that.
type Index struct {
	mu         sync.Mutex
	generation int64
	segments   map[int64]*segment
	noted      noted
	pages      map[Page][]byte
	size       int // of pages, in bytes
	order      []Page
	hand       int
	used       map[Page]bool
}

// maxRemembered bounds the pages that are kept, in bytes.
const maxRemembered = 96 << 20

// segment is a segment as it was read.
type segment struct {
	directory *retrieval.Directory
	columns   *retrieval.Columns
	dead      retrieval.Dead
}

// errTornIndex says that a row of the index is missing that another names.
var errTornIndex = errors.New("the full-text index lacks a row that it names")

// enter forgets everything if the index has a new generation.
func (x *Index) enter(generation int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.segments == nil || x.generation != generation {
		x.generation = generation
		x.segments = map[int64]*segment{}
		x.pages, x.used, x.order, x.size, x.hand = map[Page][]byte{}, map[Page]bool{}, nil, 0, 0
		x.noted = noted{}
	}
}

// load gives the segments of a standing as views, reading what is not known.
// Other readers may meanwhile look at another standing and remember, or forget,
// the same segments: what is given is what this one found.
func (x *Index) load(ctx context.Context, rows Rows, s Standing) ([]retrieval.View, error) {
	found := make(map[int64]*segment, len(s.Segments))
	var missing []int64
	x.mu.Lock()
	for _, row := range s.Segments {
		if known := x.segments[row.ID]; known != nil && known.dead.Len() == row.Dead {
			found[row.ID] = known
		} else {
			missing = append(missing, row.ID)
		}
	}
	x.mu.Unlock()
	fresh, err := x.describe(ctx, rows, missing)
	if err != nil {
		return nil, err
	}
	for i, id := range missing {
		found[id] = fresh[i]
	}
	views := make([]retrieval.View, len(s.Segments))
	for i, row := range s.Segments {
		known := found[row.ID]
		if known.directory.Documents != row.Documents || known.dead.Len() != row.Dead {
			return nil, errTornIndex
		}
		views[i] = retrieval.View{Directory: known.directory, Columns: known.columns, Dead: known.dead}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, id := range missing {
		x.segments[id] = fresh[i]
	}
	x.forgetSegments(s)
	return views, nil
}

// forgetSegments drops the segments that are not there any more. An older
// reader may still ask for one: it is read again then.
func (x *Index) forgetSegments(s Standing) {
	if len(x.segments) <= 2*len(s.Segments)+8 {
		return
	}
	for id := range x.segments {
		if !slices.ContainsFunc(s.Segments, func(row Segment) bool { return row.ID == id }) {
			delete(x.segments, id)
		}
	}
}

// describe reads segments: their directories, their dead and their columns.
func (x *Index) describe(ctx context.Context, rows Rows, ids []int64) ([]*segment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := rows.Describe(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*segment, len(ids))
	for i, d := range found {
		s := &segment{}
		if s.directory, err = retrieval.ReadDirectory(d.Directory); err != nil {
			return nil, err
		}
		if s.dead, err = retrieval.ReadDead(d.Dead); err != nil {
			return nil, err
		}
		x.mu.Lock()
		if known := x.segments[ids[i]]; known != nil {
			s.columns = known.columns
		}
		x.mu.Unlock()
		if s.columns == nil {
			pages, err := x.read(ctx, rows, pagesOf(ids[i], s.directory.ColumnPages()))
			if err != nil {
				return nil, err
			}
			if s.columns, err = s.directory.ReadColumns(pages); err != nil {
				return nil, err
			}
		}
		out[i] = s
	}
	return out, nil
}

func pagesOf(segment int64, numbers []int) []Page {
	out := make([]Page, len(numbers))
	for i, n := range numbers {
		out[i] = Page{segment, n}
	}
	return out
}

// read gives pages, from memory as far as they are known.
func (x *Index) read(ctx context.Context, rows Rows, wanted []Page) ([][]byte, error) {
	out := make([][]byte, len(wanted))
	var missing []Page
	var places []int
	x.mu.Lock()
	for i, p := range wanted {
		if data, known := x.pages[p]; known {
			out[i] = data
			x.used[p] = true
		} else {
			missing, places = append(missing, p), append(places, i)
		}
	}
	x.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	// The same page may be wanted for several words.
	distinct := slices.Clone(missing)
	slices.SortFunc(distinct, comparePages)
	distinct = slices.Compact(distinct)
	found, err := rows.Pages(ctx, distinct)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, p := range missing {
		at, _ := slices.BinarySearchFunc(distinct, p, comparePages)
		out[places[i]] = found[at]
	}
	for i, p := range distinct {
		if found[i] == nil {
			return nil, errTornIndex
		}
		x.remember(p, found[i])
	}
	return out, nil
}

func comparePages(a, b Page) int {
	if a.Segment != b.Segment {
		if a.Segment < b.Segment {
			return -1
		}
		return 1
	}
	return a.Number - b.Number
}

// remember keeps a page. Where there are too many, those go that have not been
// used since they were last looked at.
func (x *Index) remember(p Page, data []byte) {
	if _, known := x.pages[p]; known {
		return
	}
	x.pages[p] = data
	x.size += len(data)
	x.order = append(x.order, p)
	for x.size > maxRemembered {
		if x.hand >= len(x.order) {
			x.hand = 0
		}
		old := x.order[x.hand]
		if x.used[old] {
			delete(x.used, old)
			x.hand++
			continue
		}
		x.size -= len(x.pages[old])
		delete(x.pages, old)
		last := len(x.order) - 1
		x.order[x.hand] = x.order[last]
		x.order = x.order[:last]
	}
}
