package retrieval

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// Document is a text to be indexed.
type Document struct {
	Name
	Kind Kind
	// Summary holds the words that count more: summary and tags.
	Summary string
	Text    string
}

// Built is a segment as it is stored.
type Built struct {
	Directory *Directory
	Pages     [][]byte
	// Statistics is what the segment adds to those of the index.
	Statistics Statistics
}

// A Builder makes a segment out of documents. The zero Builder is ready; after
// Segment it is ready again, and remembers the words it has met.
type Builder struct {
	analyzer Analyzer
	entries  []entry // in order of document
	adjust   []int64 // by word
	dirty    bool    // some adjust is not 0

	names   []Name
	lengths []uint16
	kinds   []Kind
	kindOf  []uint16
	stats   Statistics

	sorted  []int32  // the first words that were met, in byte order
	counts  []uint32 // by word, all 0 between documents
	words   []int32
	touched []int32
}

// entry says that a document has a word.
type entry struct {
	word     int32
	document uint32
	count    uint16
}

// Len is how many documents have been added.
func (b *Builder) Len() int { return len(b.names) }

// Add adds a document, which has to come after the one before it in order.
func (b *Builder) Add(d Document) error {
	if n := len(b.names); n > 0 && b.names[n-1].Compare(d.Name) >= 0 {
		return errors.New("retrieval: documents are not added in order")
	}
	length := b.count(d)
	document := uint32(len(b.names))
	for _, w := range b.touched {
		b.entries = append(b.entries, entry{w, document, uint16(min(b.counts[w], maxCount))})
		b.counts[w] = 0
	}
	kind := slices.Index(b.kinds, d.Kind)
	if kind < 0 {
		kind = len(b.kinds)
		b.kinds = append(b.kinds, d.Kind)
	}
	b.names = append(b.names, d.Name)
	b.kindOf = append(b.kindOf, uint16(kind))
	b.lengths = append(b.lengths, uint16(length))
	b.stats = b.stats.Plus(Statistics{1, int64(length)})
	return nil
}

// Remove says that a document of an earlier segment is not there any more: from
// now on it does not count among those that have its words. The document must
// be as it was added. Who has which word is in the postings; how many have it is
// the sum, over all segments, of the postings of the word and its adjustments,
// however segments are merged, so that scores do not depend on when that is done.
func (b *Builder) Remove(d Document) {
	length := b.count(d)
	for _, w := range b.touched {
		b.adjust[w]--
		b.counts[w] = 0
	}
	b.dirty = true
	b.stats = b.stats.Plus(Statistics{-1, -int64(length)})
}

// count counts the words of a document in counts and lists them in touched.
func (b *Builder) count(d Document) (length int) {
	b.touched = b.touched[:0]
	text := b.tally(d.Text, func(int) int { return 1 })
	summary := b.tally(d.Summary, func(said int) int { return SummaryWeight(len(b.words), said, text) })
	return CountedLength(text + summary)
}

// tally counts each word of a text, at least once, by its weight, which may depend on
// how many of them have been counted before. It gives how many there are.
func (b *Builder) tally(text string, weigh func(counted int) int) int {
	b.words = b.analyzer.Words(b.words[:0], text)
	for len(b.counts) < b.analyzer.Size() {
		b.counts, b.adjust = append(b.counts, 0), append(b.adjust, 0)
	}
	counted := 0
	for _, w := range b.words {
		if b.counts[w] > 0 {
			counted++
		}
	}
	weight := uint32(weigh(counted))
	for _, w := range b.words {
		if b.counts[w] == 0 {
			b.touched = append(b.touched, w)
		}
		b.counts[w] = max(1, b.counts[w]+weight)
	}
	return len(b.words)
}

// Segment gives the segment.
func (b *Builder) Segment() Built {
	d := &Directory{Documents: len(b.names), kinds: b.kinds}
	pages := columnPages(b.lengths, b.kindOf)
	var w pageWriter
	w.lengths = b.lengths
	d.names = w.names(b.names)
	b.lists(func(word string, list []posting, adjust int64) { w.add(word, list, adjust) })
	w.flush()
	d.words = w.first
	pages = append(pages, w.pages...)
	built := Built{d, pages, b.stats}
	b.clear()
	return built
}

// clear makes the builder ready for the next segment.
func (b *Builder) clear() {
	if b.analyzer.Full() {
		*b = Builder{}
		return
	}
	if b.dirty {
		clear(b.adjust)
	}
	*b = Builder{
		analyzer: b.analyzer, entries: b.entries[:0], adjust: b.adjust, counts: b.counts, sorted: b.sorted,
		words: b.words, touched: b.touched,
	}
}

// lists gives each word that has postings or an adjustment, in byte order.
func (b *Builder) lists(each func(word string, list []posting, adjust int64)) {
	// Entries are sorted by word by counting: ends[w] is where the list of w
	// will end.
	ends := make([]uint32, b.analyzer.Size()+1)
	for _, e := range b.entries {
		ends[e.word+1]++
	}
	for w := range b.analyzer.Size() {
		ends[w+1] += ends[w]
	}
	all := make([]posting, len(b.entries))
	at := slices.Clone(ends)
	for _, e := range b.entries {
		all[at[e.word]] = posting{e.document, e.count}
		at[e.word]++
	}
	b.sort()
	for _, w := range b.sorted {
		if ends[w] < ends[w+1] || b.adjust[w] != 0 {
			each(b.analyzer.Word(w), all[ends[w]:ends[w+1]], b.adjust[w])
		}
	}
}

// sort puts the words that were met since in order with those before.
func (b *Builder) sort() {
	word := b.analyzer.Word
	fresh := make([]int32, 0, b.analyzer.Size()-len(b.sorted))
	for w := len(b.sorted); w < b.analyzer.Size(); w++ {
		fresh = append(fresh, int32(w))
	}
	slices.SortFunc(fresh, func(x, y int32) int { return strings.Compare(word(x), word(y)) })
	old := b.sorted
	b.sorted = make([]int32, 0, b.analyzer.Size())
	for len(old) > 0 && len(fresh) > 0 {
		if word(old[0]) < word(fresh[0]) {
			b.sorted, old = append(b.sorted, old[0]), old[1:]
		} else {
			b.sorted, fresh = append(b.sorted, fresh[0]), fresh[1:]
		}
	}
	b.sorted = append(append(b.sorted, old...), fresh...)
}

// columnPages writes the columns.
func columnPages(lengths, kinds []uint16) [][]byte {
	var pages [][]byte
	for len(lengths) > 0 {
		n := min(columnsPerPage, len(lengths))
		page := make([]byte, 0, 4*n)
		for i := range n {
			page = binary.LittleEndian.AppendUint16(page, lengths[i])
			page = binary.LittleEndian.AppendUint16(page, kinds[i])
		}
		pages = append(pages, page)
		lengths, kinds = lengths[n:], kinds[n:]
	}
	return pages
}

// names writes the pages of names and says where each begins.
func (w *pageWriter) names(names []Name) []namesPage {
	var begin []namesPage
	var page []byte
	previous := ""
	for i, n := range names {
		same := 0
		if len(page) > 0 {
			same = shared(previous, string(n.Artifact))
		}
		if len(page)+len(n.Artifact)-same+16 > MaxPage {
			w.pages = append(w.pages, page)
			page, same = nil, 0
		}
		if len(page) == 0 {
			begin = append(begin, namesPage{i, n})
		}
		page = appendUint(page, same)
		page = appendText(page, string(n.Artifact)[same:])
		page = appendUint(page, int(n.Version))
		previous = string(n.Artifact)
	}
	if len(page) > 0 {
		w.pages = append(w.pages, page)
	}
	return begin
}
