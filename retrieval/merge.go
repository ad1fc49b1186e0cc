package retrieval

import (
	"cmp"
	"errors"
	"slices"
)

// Input is a segment that goes into another.
type Input struct {
	Directory *Directory
	Columns   *Columns
	Dead      Dead
	// Erased are documents that go without having been removed before: they
	// stop counting when their postings go.
	Erased Dead
	// Names are those of all its documents.
	Names []Name
}

// A Merger makes one segment out of several, without the documents that were
// taken out. It works on pages as they come, so that it never holds more than a
// few of them:
//
//	m, err := NewMerger(inputs)
//	for {
//		input, page, more := m.Wants()
//		if !more { break }
//		err = m.Feed(data of that page)
//		store(m.Take())
//	}
//	directory, rest := m.Finish()
type Merger struct {
	inputs []mergeInput
	out    pageWriter
	dir    Directory
	taken  int

	// The word being put together, and its lists, one per input.
	word    string
	open    bool
	adjust  int64
	runs    [][]posting
	scratch []posting

	failed error
}

// source is where a document comes from.
type source struct {
	input   int
	ordinal uint32
}

// mergeInput reads the postings of an input, page by page.
type mergeInput struct {
	Input
	place []int32 // of each of its documents in the result, -1 if it is dead
	page  int     // wanted next
	at    cursor
	word  []byte
	part  part
	has   bool // word and part are to be merged
}

// hungry reports whether the next page is needed to go on.
func (in *mergeInput) hungry() bool {
	return !in.has && len(in.at.rest) == 0 && in.page < in.Directory.Pages()
}

// NewMerger begins to merge some segments.
func NewMerger(inputs []Input) (*Merger, error) {
	m := &Merger{runs: make([][]posting, len(inputs))}
	for _, in := range inputs {
		if len(in.Names) != in.Directory.Documents {
			return nil, errors.New("retrieval: names of a segment are missing")
		}
		m.inputs = append(m.inputs, mergeInput{
			Input: in, page: in.Directory.postingsFrom(), place: make([]int32, in.Directory.Documents),
		})
	}
	m.documents()
	return m, nil
}

// documents puts the documents in order and writes their columns and names.
func (m *Merger) documents() {
	var sources []source // of each document of the result
	for i := range m.inputs {
		in := &m.inputs[i]
		for o := range in.place {
			in.place[o] = -1
			if !in.Dead.Has(o) && !in.Erased.Has(o) {
				sources = append(sources, source{i, uint32(o)})
			}
		}
	}
	name := func(s source) Name { return m.inputs[s.input].Names[s.ordinal] }
	slices.SortFunc(sources, func(a, b source) int {
		return cmp.Or(name(a).Compare(name(b)), cmp.Compare(a.input, b.input))
	})
	names := make([]Name, len(sources))
	lengths, kinds := make([]uint16, len(sources)), make([]uint16, len(sources))
	for place, s := range sources {
		in := &m.inputs[s.input]
		in.place[s.ordinal] = int32(place)
		names[place] = name(s)
		lengths[place] = in.Columns.lengths[s.ordinal]
		kinds[place] = m.kind(in.Directory.kinds[in.Columns.kinds[s.ordinal]])
	}
	m.dir.Documents = len(names)
	m.out.lengths = lengths
	m.out.pages = columnPages(lengths, kinds)
	m.dir.names = m.out.names(names)
}

func (m *Merger) kind(k Kind) uint16 {
	i := slices.Index(m.dir.kinds, k)
	if i < 0 {
		i = len(m.dir.kinds)
		m.dir.kinds = append(m.dir.kinds, k)
	}
	return uint16(i)
}

// Wants gives the page of an input that Feed needs next, and whether there is
// one.
func (m *Merger) Wants() (input, page int, more bool) {
	m.postings()
	for i := range m.inputs {
		if m.inputs[i].hungry() {
			return i, m.inputs[i].page, true
		}
	}
	return 0, 0, false
}

// WantsNext lists the page that is wanted of an input and those, up to n in all,
// that will be wanted after it.
func (m *Merger) WantsNext(input, n int) []int {
	in := &m.inputs[input]
	return stretch(in.page, min(in.page+n, in.Directory.Pages()))
}

// Place is where a document of an input stands in the result, -1 if it went.
func (m *Merger) Place(input, ordinal int) int { return int(m.inputs[input].place[ordinal]) }

// Feed takes the page that Wants named.
func (m *Merger) Feed(data []byte) error {
	input, page, more := m.Wants()
	if !more {
		return errors.New("retrieval: no page is wanted")
	}
	in := &m.inputs[input]
	opened, ok := openPage(data)
	if !ok {
		return damaged(page)
	}
	in.at, in.word = cursor{rest: opened.entries}, in.word[:0]
	in.page++
	m.postings()
	return m.failed
}

// Take gives the pages that are done, in order.
func (m *Merger) Take() [][]byte {
	out := slices.Clone(m.out.pages[m.taken:])
	clear(m.out.pages[m.taken:]) // what was given away need not be kept
	m.taken = len(m.out.pages)
	return out
}

// Finish gives the directory of the result, once no page is wanted any more.
func (m *Merger) Finish() *Directory {
	d := m.dir
	d.words = m.out.first
	return &d
}

// postings merges words until a page is missing.
func (m *Merger) postings() {
	for m.failed == nil {
		least, waiting := -1, false
		for i := range m.inputs {
			in := &m.inputs[i]
			if !in.has && len(in.at.rest) > 0 {
				in.word, in.part = in.at.next(in.word)
				if in.at.bad {
					m.failed = damaged(in.page - 1)
					return
				}
				in.has = true
			}
			waiting = waiting || in.hungry()
			if in.has && (least < 0 || string(in.word) < string(m.inputs[least].word)) {
				least = i
			}
		}
		switch {
		case waiting:
			return
		case least < 0:
			m.emit()
			m.out.flush()
			return
		}
		if !m.open || m.word != string(m.inputs[least].word) {
			m.emit()
			m.word, m.open = string(m.inputs[least].word), true
		}
		m.collect(least)
	}
}

// collect adds the part at hand of an input to the word being put together.
func (m *Merger) collect(input int) {
	in := &m.inputs[input]
	in.has = false
	m.adjust += in.part.adjust
	blocks, ok := in.part.blocks(nil, in.Columns.lengths, m.scratch)
	for _, b := range blocks {
		var list []posting
		list, good := decodeBlock(m.scratch[:0], b.data, b.before, b.n)
		ok = ok && good
		for _, p := range list {
			if int(p.ordinal) >= len(in.place) {
				ok = false
				break
			}
			if place := in.place[p.ordinal]; place >= 0 {
				m.runs[input] = append(m.runs[input], posting{uint32(place), p.count})
			} else if !in.Erased.Has(int(p.ordinal)) {
				m.adjust++ // Remove has counted it off already
			}
		}
		m.scratch = list
	}
	if !ok {
		m.failed = damaged(in.page - 1)
	}
}

// emit writes the word that was put together.
func (m *Merger) emit() {
	if !m.open {
		return
	}
	list := mergeRuns(m.runs)
	if len(list) > 0 || m.adjust != 0 {
		m.out.add(m.word, list, m.adjust)
	}
	for i := range m.runs {
		m.runs[i] = m.runs[i][:0]
	}
	m.open, m.adjust = false, 0
}

// mergeRuns makes one list in order out of several.
func mergeRuns(runs [][]posting) []posting {
	var out []posting
	for _, run := range runs {
		switch {
		case len(run) == 0:
		case len(out) == 0:
			out = run
		case out[len(out)-1].ordinal < run[0].ordinal:
			out = slices.Concat(out, run)
		default:
			out = mergeTwo(out, run)
		}
	}
	return out
}

func mergeTwo(a, b []posting) []posting {
	out := make([]posting, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].ordinal < b[0].ordinal {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
