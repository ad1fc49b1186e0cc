package fulltext

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"brenner"
	"brenner/retrieval"
)

// Index remembers what was read of an index, for all readers of a store. The
// zero Index remembers nothing yet; it is safe for concurrent use. What is read
// inside a write under way must not be remembered: it may never come to be, and
// its numbers be given to something else. Use an Index of its own for that.
type Index struct {
	mu  sync.Mutex
	now *memory
}

// memory is what is remembered of one generation of an index: numbers mean
// something else in another.
type memory struct {
	generation int64

	mu       sync.Mutex
	segments map[int64]*segment
	noted    noted
	words    map[int64]vocabulary // of segments that were asked for all of theirs
	counts   counts
	names    names
	before   names // see maxNames
	pages    map[Page][]byte
	size     int // of pages, in bytes
	order    []Page
	hand     int
	used     map[Page]bool
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

// of gives the memory of a generation. Only the newest is kept: a reader that
// began before it goes on alone.
func (x *Index) of(generation int64) *memory {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.now != nil && x.now.generation == generation {
		return x.now
	}
	m := &memory{generation: generation, segments: map[int64]*segment{}, words: map[int64]vocabulary{}, pages: map[Page][]byte{}, used: map[Page]bool{}}
	if x.now == nil || x.now.generation < generation {
		x.now = m
	}
	return m
}

// load gives the segments of a standing as views, reading what is not known.
// Other readers may meanwhile look at another standing and remember, or forget,
// the same segments: what is given is what this one found.
func (m *memory) load(ctx context.Context, rows Rows, s Standing) ([]retrieval.View, error) {
	found := make(map[int64]*segment, len(s.Segments))
	var missing []int64
	m.mu.Lock()
	for _, row := range s.Segments {
		if known := m.segments[row.ID]; known != nil && known.dead.Len() == row.Dead {
			found[row.ID] = known
		} else {
			missing = append(missing, row.ID)
		}
	}
	m.mu.Unlock()
	fresh, err := m.describe(ctx, rows, missing)
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
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, id := range missing {
		m.segments[id] = fresh[i]
	}
	m.forgetSegments(s)
	return views, nil
}

// forgetSegments drops the segments that are not there any more. An older
// reader may still ask for one: it is read again then.
func (m *memory) forgetSegments(s Standing) {
	if len(m.segments) <= 2*len(s.Segments)+8 {
		return
	}
	for id := range m.segments {
		if !slices.ContainsFunc(s.Segments, func(row Segment) bool { return row.ID == id }) {
			delete(m.segments, id)
			delete(m.words, id)
		}
	}
}

// describe reads segments: their directories, their dead and their columns.
func (m *memory) describe(ctx context.Context, rows Rows, ids []int64) ([]*segment, error) {
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
		m.mu.Lock()
		if known := m.segments[ids[i]]; known != nil {
			s.columns = known.columns
		}
		m.mu.Unlock()
		if s.columns == nil {
			pages, err := m.read(ctx, rows, pagesOf(ids[i], s.directory.ColumnPages()))
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

// counts says how many documents of some segments have a word.
type counts struct {
	segments []Segment
	have     map[briefWord]int64 // nothing that the collector would have to follow
	long     map[string]int64    // of words that are longer
}

// briefWord is a word of up to 16 bytes, with zeros behind it; no word has any.
type briefWord [16]byte

// brief gives a word as a briefWord, if it is one.
func brief(word string) (b briefWord, ok bool) {
	copy(b[:], word)
	return b, len(word) <= len(b)
}

// maxCounts is how many words are remembered; then all are forgotten.
const maxCounts = 1 << 16

// of reports whether the counts are those of some segments. Which of their documents
// are dead does not matter: a later segment counts them off.
func (c counts) of(segments []Segment) bool {
	return slices.EqualFunc(c.segments, segments, func(a, b Segment) bool { return a.ID == b.ID })
}

// counted gives, for each of some words, how many documents of the segments have it,
// as far as that is remembered, and lists the places of those of which it is not.
func (m *memory) counted(segments []Segment, words []string) (have []int64, missing []int) {
	have = make([]int64, len(words))
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.counts.of(segments)
	for i, w := range words {
		n, known := int64(0), false
		if b, is := brief(w); same && is {
			n, known = m.counts.have[b]
		} else if same {
			n, known = m.counts.long[w]
		}
		if have[i] = n; !known {
			missing = append(missing, i)
		}
	}
	return have, missing
}

// rememberCounts remembers how many documents of the segments have those of some words
// that were counted.
func (m *memory) rememberCounts(segments []Segment, words []string, have []int64, counted []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts.have == nil || !m.counts.of(segments) || len(m.counts.have)+len(m.counts.long)+len(counted) > maxCounts {
		m.counts = counts{segments, map[briefWord]int64{}, map[string]int64{}}
	}
	for _, i := range counted {
		if b, is := brief(words[i]); is {
			m.counts.have[b] = have[i]
		} else {
			m.counts.long[strings.Clone(words[i])] = have[i]
		}
	}
}

// place is where a document stands: its number in a segment, which stays its own.
type place struct {
	segment int64
	ordinal int
}

// maxNames is how many names of documents are remembered in each of two halves; when one
// is full, those go that were not asked for since it was last full.
const maxNames = 1 << 16

// names remembers names of documents, and has nothing that the collector would have to
// follow: they stand one behind another in one text.
type names struct {
	places map[place]namePlace
	text   []byte
}

// namePlace says where a name stands, and which version it is of.
type namePlace struct {
	from    uint32
	length  uint16
	version int32
}

// find gives the name of a document.
func (n names) find(p place) (retrieval.Name, bool) {
	at, known := n.places[p]
	if !known {
		return retrieval.Name{}, false
	}
	return retrieval.Name{Artifact: brenner.ArtifactID(n.text[at.from:][:at.length]), Version: brenner.Version(at.version)}, true
}

// put remembers a name; the lock is held.
func (m *memory) put(p place, name retrieval.Name) {
	if len(name.Artifact) > math.MaxUint16 || name.Version > math.MaxInt32 {
		return
	}
	if m.names.places == nil || len(m.names.places) >= maxNames || len(m.names.text)+len(name.Artifact) > math.MaxUint32 {
		m.names, m.before = names{places: map[place]namePlace{}}, m.names
	}
	m.names.places[p] = namePlace{uint32(len(m.names.text)), uint16(len(name.Artifact)), int32(name.Version)}
	m.names.text = append(m.names.text, name.Artifact...)
}

// named puts the names of documents where they belong, as far as they are remembered,
// and lists the others.
func (m *memory) named(segments []Segment, found []retrieval.Found, names []retrieval.Name) (missing []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, f := range found {
		known := false
		if f.Segment < len(segments) {
			p := place{segments[f.Segment].ID, f.Ordinal}
			if names[i], known = m.names.find(p); !known {
				if names[i], known = m.before.find(p); known {
					m.put(p, names[i])
				}
			}
		}
		if !known {
			missing = append(missing, i)
		}
	}
	return missing
}

// rememberNames remembers those of some documents that were read.
func (m *memory) rememberNames(segments []Segment, found []retrieval.Found, read []int, names []retrieval.Name) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range read {
		if f := found[i]; f.Segment < len(segments) {
			m.put(place{segments[f.Segment].ID, f.Ordinal}, names[i])
		}
	}
}

// appendPages appends the pages of a segment from one to before another.
func appendPages(list []Page, segment int64, first, end int) []Page {
	for n := first; n < end; n++ {
		list = append(list, Page{segment, n})
	}
	return list
}

func pagesOf(segment int64, numbers []int) []Page {
	out := make([]Page, len(numbers))
	for i, n := range numbers {
		out[i] = Page{segment, n}
	}
	return out
}

// read gives pages, from memory as far as they are known.
func (m *memory) read(ctx context.Context, rows Rows, wanted []Page) ([][]byte, error) {
	out := make([][]byte, len(wanted))
	var missing []Page
	var places []int
	m.mu.Lock()
	for i, p := range wanted {
		if data, known := m.pages[p]; known {
			out[i] = data
			m.used[p] = true
		} else {
			missing, places = append(missing, p), append(places, i)
		}
	}
	m.mu.Unlock()
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
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, p := range missing {
		at, _ := slices.BinarySearchFunc(distinct, p, comparePages)
		out[places[i]] = found[at]
	}
	for i, p := range distinct {
		if found[i] == nil {
			return nil, errTornIndex
		}
		m.remember(p, found[i])
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
func (m *memory) remember(p Page, data []byte) {
	if _, known := m.pages[p]; known {
		return
	}
	m.pages[p] = data
	m.size += len(data)
	m.order = append(m.order, p)
	for m.size > maxRemembered {
		if m.hand >= len(m.order) {
			m.hand = 0
		}
		old := m.order[m.hand]
		if m.used[old] {
			delete(m.used, old)
			m.hand++
			continue
		}
		m.size -= len(m.pages[old])
		delete(m.pages, old)
		last := len(m.order) - 1
		m.order[m.hand] = m.order[last]
		m.order = m.order[:last]
	}
}
