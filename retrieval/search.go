package retrieval

import (
	"cmp"
	"slices"
	"sort"
)

// Term is a word that is looked for, and how much it counts: as a word of the
// question, as one that the best texts brought (feedback), as one that is near
// in meaning (expansion).
type Term struct {
	Word      string
	Own       float64
	Feedback  float64
	Expansion float64
}

func (t Term) weight() float64 { return t.Own + t.Feedback + t.Expansion }

// View is a segment as a search sees it.
type View struct {
	Directory *Directory
	Columns   *Columns
	Dead      Dead
}

// Kind is that of a document.
func (v View) Kind(ordinal int) Kind { return v.Directory.kinds[v.Columns.kinds[ordinal]] }

// List is what a segment says about a word.
type List struct {
	// Have is how many documents have it, as this segment counts: see
	// Builder.Remove.
	Have   int64
	parts  []part
	blocks []block // of the parts, once they are opened
}

// Open reads the blocks of a list of a view, which a search needs and somebody who only
// asks how many have the word does not. Add does so too, if it has not been done.
func (l *List) Open(v View) error {
	if l.blocks != nil {
		return nil
	}
	lengths := v.Columns.lengths
	var scratch [briefPostings]posting
	n := 0
	for _, p := range l.parts {
		if p.n > len(p.rest) { // each takes a byte at least
			return errDamaged
		}
		n += (p.n + blockPostings - 1) / blockPostings
	}
	l.blocks = make([]block, 0, n)
	for _, p := range l.parts {
		var ok bool
		if l.blocks, ok = p.blocks(l.blocks, lengths, scratch[:]); !ok {
			return errDamaged
		}
	}
	return nil
}

// Count says how many documents have a word, by the pages that WordPages listed, as the
// List of it would.
func Count(word string, pages [][]byte) (have int64, err error) {
	for i, data := range pages {
		page, ok := openPage(data)
		if !ok {
			return 0, damaged(i)
		}
		found, there, ok := page.find(word)
		if !ok {
			return 0, damaged(i)
		}
		if there {
			have += int64(found.n) + found.adjust
		}
	}
	return have, nil
}

// ReadList reads what the pages that WordPages listed say about a word.
func (v View) ReadList(word string, pages [][]byte) (List, error) {
	var out List
	for i, data := range pages {
		page, ok := openPage(data)
		if !ok {
			return List{}, damaged(i)
		}
		found, there, ok := page.find(word)
		if !ok {
			return List{}, damaged(i)
		}
		if !there {
			continue
		}
		out.Have += int64(found.n) + found.adjust
		out.parts = append(out.parts, found)
	}
	return out, nil
}

// Search is a ranking under way. Segments are looked through one after the
// other, in any order; what cannot reach the best any more is not looked at.
type Search struct {
	scale   scale
	terms   []Term
	factors []float64
	chosen  func(Kind) bool
	limit   int
	own     bool // only what has a word of the question

	found []Found
	least int64 // what is below is not among the best any more
	room  int   // how many may be found before the worse of them are dropped

	views  []View
	lists  [][]*List
	wanted [][]bool // kinds, by segment; nil: none

	*workplace // while segments are looked through
}

// Workplace is what a search needs while it looks through segments. One that a search has
// left may be used by another; the zero Workplace is ready.
type Workplace struct{ workplace }

type workplace struct {
	scans   []scan
	passing []*scan
	sums    [window]int64
	owned   [window / 64]uint64 // those with a word of the question, where that matters
	hopeful []int32             // those of the window that may be among the best
	order   []int64
}

// At has the search use a workplace until it gives its best, or is joined by another. It is
// to be called before the first stretch; without it the search makes one.
func (s *Search) At(w *Workplace) {
	s.workplace = &w.workplace
	s.scans = slices.Grow(s.scans, len(s.terms))[:len(s.terms)]
}

// enter gives the search a workplace if it has none.
func (s *Search) enter() {
	if s.workplace == nil {
		s.At(new(Workplace))
	}
}

// leave lets go of the workplace. Only buffers stay in it.
func (s *Search) leave() {
	w := s.workplace
	if w == nil {
		return
	}
	w.scans = w.scans[:cap(w.scans)]
	for i := range w.scans {
		w.scans[i] = scan{buffer: w.scans[i].buffer}
	}
	w.scans, w.passing = w.scans[:0], w.passing[:0]
	s.workplace = nil
}

// Found is a document and its score.
type Found struct {
	Segment, Ordinal int
	steps            int64
}

// Score is how well the document fits.
func (f Found) Score() float64 { return Score(f.steps) }

// window is how many documents are scored at a time: a power of two, so few that their
// sums stay near the processor.
const window = 2048

// leastRoom is how many documents are found at least before the worse of them are
// dropped. The sooner, the more of the others need not be looked at.
const leastRoom = 32

// NewSearch begins to rank by some terms, of which so many documents have each.
// Chosen says which kinds are wanted. Of the best as many are found as limit
// says, and those that tie with the last of them; 0 is no limit.
func NewSearch(stats Statistics, terms []Term, have []int64, limit int, chosen func(Kind) bool) *Search {
	s := &Search{scale: stats.scale(), terms: terms, limit: limit, chosen: chosen, factors: make([]float64, len(terms)), room: max(leastRoom, 2*limit)}
	for i, t := range terms {
		s.factors[i] = t.weight() * stats.Rarity(have[i]) * unit
	}
	return s
}

// OnlyOwn leaves out what has no word of the question itself. It is to be called
// before the first segment.
func (s *Search) OnlyOwn() { s.own = true }

// scan is a list that is being gone through.
type scan struct {
	own     bool // of a word of the question
	blocks  []block
	next    int // block
	factor  float64
	current []posting // decoded and not passed
	buffer  []posting
	bound   int64 // what a posting in the window adds at most
}

// Segment looks through a segment, of which the lists of the terms are given in
// their order. Segments are numbered as they come.
func (s *Search) Segment(v View, lists []List) error {
	each := make([]*List, len(lists))
	for i := range lists {
		each[i] = &lists[i]
	}
	if err := s.Add(v, each); err != nil {
		return err
	}
	return s.Stretch(len(s.views)-1, 0, v.Directory.Documents)
}

// Add is Segment without looking through it: Stretch does that. The lists are opened,
// and may be used for another search.
func (s *Search) Add(v View, lists []*List) error {
	wanted := make([]bool, len(v.Directory.kinds))
	for i, k := range v.Directory.kinds {
		wanted[i] = s.chosen(k)
	}
	if !slices.Contains(wanted, true) {
		wanted = nil
	}
	s.views, s.lists, s.wanted = append(s.views, v), append(s.lists, lists), append(s.wanted, wanted)
	for i, l := range lists {
		if wanted == nil || s.factors[i] == 0 {
			continue
		}
		if err := l.Open(v); err != nil {
			return err
		}
	}
	return nil
}

// StretchOf is how many documents a stretch should have where several are looked through
// at the same time.
const StretchOf = 8 * window

// Stretch looks through the documents of a segment from one to before another.
func (s *Search) Stretch(segment, from, to int) error {
	v, wanted := s.views[segment], s.wanted[segment]
	if wanted == nil {
		return nil
	}
	s.enter()
	scans := s.passing[:0]
	for i, l := range s.lists[segment] {
		if len(l.blocks) > 0 && s.factors[i] != 0 {
			s.scans[i] = scan{own: s.terms[i].Own > 0, blocks: l.blocks, factor: s.factors[i], buffer: s.scans[i].buffer}
			scans = append(scans, &s.scans[i])
		}
	}
	s.passing = scans
	to = min(to, v.Directory.Documents)
	for base := from; base < to && len(scans) > 0; base += window {
		if err := s.window(v, segment, base, min(base+window, to), scans, wanted); err != nil {
			return err
		}
	}
	return nil
}

// Beside gives a search for the same in the segments that were added, with which
// somebody else looks through other stretches at the same time.
func (s *Search) Beside() *Search {
	return &Search{
		scale: s.scale, terms: s.terms, factors: s.factors, chosen: s.chosen, limit: s.limit, own: s.own, room: max(leastRoom, 2*s.limit),
		views: s.views, lists: s.lists, wanted: s.wanted,
	}
}

// Least is what is not among the best any more if it is below: Raise tells those who
// look beside.
func (s *Search) Least() int64 { return s.least }

// Raise takes over the Least of somebody who looks beside.
func (s *Search) Raise(least int64) { s.least = max(s.least, least) }

// Join takes in what was found beside.
func (s *Search) Join(other *Search) {
	s.found = append(s.found, other.found...)
	other.leave()
}

// window scores the documents from base to before end. Lists are divided: a document that
// only the lesser ones have cannot be among the best, so the others bring the
// documents, and the lesser ones are asked about those that may still be, the one
// that can add most first.
func (s *Search) window(v View, number, base, end int, scans []*scan, wanted []bool) error {
	for _, l := range scans {
		l.bound = s.bound(l, base, end)
	}
	slices.SortStableFunc(scans, func(a, b *scan) int { return cmp.Compare(b.bound, a.bound) })
	lesser, rest := len(scans), int64(0)
	for lesser > 0 && rest+scans[lesser-1].bound < s.least {
		lesser--
		rest += scans[lesser].bound
	}
	lengths := v.Columns.lengths
	defer clear(s.sums[:end-base])
	if s.own {
		clear(s.owned[:])
	}
	for _, l := range scans[:lesser] {
		if l.bound == 0 {
			break
		}
		if !s.accumulate(l, base, end, lengths) {
			return errDamaged
		}
	}
	s.hopeful = s.hopeful[:0]
	least := max(1, s.least-rest)
	for at, sum := range s.sums[:end-base] {
		if sum >= least && wanted[v.Columns.kinds[base+at]] && !v.Dead.Has(base+at) {
			s.hopeful = append(s.hopeful, int32(at))
		}
	}
	looked := rest // what was left when the hopeless were last taken out
	for _, l := range scans[lesser:] {
		if len(s.hopeful) == 0 || l.bound == 0 {
			break
		}
		if !s.ask(l, base, end, lengths) {
			return errDamaged
		}
		if rest -= l.bound; rest < looked/2 {
			looked = rest
			s.hopeful = slices.DeleteFunc(s.hopeful, func(at int32) bool { return s.sums[at]+rest < s.least })
		}
	}
	for _, at := range s.hopeful {
		if sum := s.sums[at]; sum >= s.least && (!s.own || s.owned[at>>6]>>(at&63)&1 == 1) {
			s.collect(Found{number, base + int(at), sum})
		}
	}
	return nil
}

// fewer is how many postings can be passed in the time that it takes to look for one.
const fewer = 8

// ask adds what a list says about the documents of a window that may be among the
// best; where they are many, about all, which is quicker.
func (s *Search) ask(l *scan, base, end int, lengths []uint16) bool {
	if len(s.hopeful)*fewer >= l.ahead(end) {
		return s.accumulate(l, base, end, lengths)
	}
	for _, at := range s.hopeful {
		count, ok := l.at(uint32(base + int(at)))
		if !ok {
			return false
		}
		if count == 0 {
			continue
		}
		s.sums[at] += s.scale.steps(l.factor, count, lengths[base+int(at)])
		if s.own && l.own {
			s.owned[at>>6] |= 1 << (at & 63)
		}
	}
	return true
}

// ahead is about how many postings there are before the end of a window.
func (l *scan) ahead(end int) int {
	n := len(l.current)
	for _, b := range l.blocks[l.next:] {
		if b.before+1 >= int64(end) {
			break
		}
		n += b.n
	}
	return n
}

// bound is what a list adds at most to a document of the window. Blocks that
// lie before the window are passed.
func (s *Search) bound(l *scan, base, end int) int64 {
	l.pass(base)
	most := int64(0)
	if len(l.current) > 0 {
		b := l.blocks[l.next-1]
		most = s.scale.steps(l.factor, b.most, b.shortest)
	}
	for l.next < len(l.blocks) && l.blocks[l.next].last < int64(base) {
		l.next++
	}
	for _, b := range l.blocks[l.next:] {
		if b.before+1 >= int64(end) {
			break
		}
		most = max(most, s.scale.steps(l.factor, b.most, b.shortest))
	}
	if most > 0 {
		most++ // rounding must not make a bound too small
	}
	return most
}

// accumulate adds what a list says about the documents of a window. It is where most
// of a search's time goes.
func (s *Search) accumulate(l *scan, base, end int, lengths []uint16) bool {
	factor, scale, sums := l.factor, s.scale, &s.sums
	for {
		some := l.current
		if n := len(some); n > 0 && int(some[n-1].ordinal) >= end {
			some = some[:sort.Search(n, func(i int) bool { return int(some[i].ordinal) >= end })]
		}
		for _, p := range some {
			sums[(int(p.ordinal)-base)&(window-1)] += scale.steps(factor, p.count, lengths[p.ordinal])
		}
		if s.own && l.own {
			for _, p := range some {
				at := int(p.ordinal) - base
				s.owned[at>>6] |= 1 << (at & 63)
			}
		}
		if l.current = l.current[len(some):]; len(l.current) > 0 || l.next == len(l.blocks) || l.blocks[l.next].before+1 >= int64(end) {
			return true
		}
		if !l.decode() {
			return false
		}
		l.pass(base)
	}
}

// pass drops the postings of documents before base.
func (l *scan) pass(base int) {
	n := 0
	for n < len(l.current) && int(l.current[n].ordinal) < base {
		n++
	}
	l.current = l.current[n:]
}

// decode reads the next block.
func (l *scan) decode() (ok bool) {
	b := l.blocks[l.next]
	l.next++
	l.buffer, ok = decodeBlock(l.buffer[:0], b.data, b.before, b.n)
	l.current = l.buffer
	return ok && len(l.current) > 0 && int64(l.current[len(l.current)-1].ordinal) == b.last
}

// at gives how often the word counts in a document, 0 if it has not. Documents
// are asked about in order.
func (l *scan) at(ordinal uint32) (count uint16, ok bool) {
	for {
		for i, p := range l.current {
			if p.ordinal >= ordinal {
				l.current = l.current[i:]
				if p.ordinal == ordinal {
					return p.count, true
				}
				return 0, true
			}
		}
		l.current = nil
		for l.next < len(l.blocks) && l.blocks[l.next].last < int64(ordinal) {
			l.next++
		}
		if l.next == len(l.blocks) || l.blocks[l.next].before >= int64(ordinal) {
			return 0, true
		}
		if !l.decode() {
			return 0, false
		}
	}
}

// collect keeps a document that may be among the best.
func (s *Search) collect(f Found) {
	s.found = append(s.found, f)
	if s.limit > 0 && len(s.found) >= s.room {
		s.cut()
		s.room = max(s.room, 2*len(s.found))
	}
}

// cut keeps the best, and those that tie with the last of them.
func (s *Search) cut() {
	if s.limit <= 0 || len(s.found) <= s.limit {
		return
	}
	s.enter()
	s.order = s.order[:0]
	for _, f := range s.found {
		s.order = append(s.order, f.steps)
	}
	s.least = max(s.least, greatest(s.order, s.limit))
	s.found = slices.DeleteFunc(s.found, func(f Found) bool { return f.steps < s.least })
}

// greatest gives the n-th greatest of some numbers, which it puts in another
// order.
func greatest(all []int64, n int) int64 {
	for {
		pivot := all[len(all)/2]
		i, j := 0, len(all)-1
		for i <= j {
			for all[i] > pivot {
				i++
			}
			for all[j] < pivot {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j+1:
			all = all[:j+1]
		case n > i:
			all, n = all[i:], n-i
		default:
			return pivot
		}
	}
}

// Best gives the best, greatest score first, in no order where they tie: that
// is by name, which only the pages of names know.
func (s *Search) Best() []Found {
	s.cut()
	s.leave()
	slices.SortFunc(s.found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.steps, a.steps), cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return s.found
}

// Parts says what the score of a document is made of. They add up to it.
type Parts struct {
	Own, Feedback, Expansion float64
	// Words are those of the question that the document has, in the order of
	// the terms.
	Words []string
}

// Parts explains the scores of some documents that were found.
func (s *Search) Parts(found []Found) ([]Parts, error) {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(found[a].Segment, found[b].Segment), cmp.Compare(found[a].Ordinal, found[b].Ordinal))
	})
	steps := make([][3]int64, len(found))
	out := make([]Parts, len(found))
	for t, term := range s.terms {
		if s.factors[t] == 0 {
			continue
		}
		var l *scan
		segment := -1
		for _, i := range order {
			f := found[i]
			if f.Segment != segment {
				segment, l = f.Segment, &scan{blocks: s.lists[f.Segment][t].blocks}
			}
			count, ok := l.at(uint32(f.Ordinal))
			if !ok {
				return nil, errDamaged
			}
			if count == 0 {
				continue
			}
			all := s.scale.steps(s.factors[t], count, s.views[segment].Columns.lengths[f.Ordinal])
			own := int64(float64(all) * term.Own / term.weight())
			feedback := min(all-own, int64(float64(all)*term.Feedback/term.weight()))
			if term.Feedback == 0 && term.Expansion == 0 {
				own = all
			} else if term.Expansion == 0 {
				feedback = all - own
			}
			steps[i][0] += own
			steps[i][1] += feedback
			steps[i][2] += all - own - feedback
			if term.Own > 0 {
				out[i].Words = append(out[i].Words, term.Word)
			}
		}
	}
	for i, p := range steps {
		out[i].Own, out[i].Feedback, out[i].Expansion = float64(p[0])/unit, float64(p[1])/unit, float64(p[2])/unit
	}
	return out, nil
}
