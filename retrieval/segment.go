package retrieval

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"brenner"
)

// Name says which text a document is: that of a version.
type Name struct {
	Artifact brenner.ArtifactID
	Version  brenner.Version
}

// Compare orders names by artifact and version.
func (n Name) Compare(o Name) int {
	return cmp.Or(strings.Compare(string(n.Artifact), string(o.Artifact)), cmp.Compare(n.Version, o.Version))
}

// Kind is what a search can choose documents by.
type Kind struct {
	Type   brenner.TypeName
	Module brenner.Module
	// Draft marks a version that is not the one in force.
	Draft bool
}

// Directory says what a segment has where. It is small, and is read as a whole.
type Directory struct {
	Documents int
	kinds     []Kind
	names     []namesPage // of each page of names
	words     []string    // the first word of each page of postings
}

// namesPage is where a page of names begins.
type namesPage struct {
	ordinal int
	first   Name
}

// directoryFormat is the first byte of a Directory. noVectors is the third part
// of it: this format has room for vectors of documents, which nobody ever wrote.
const (
	directoryFormat = 1
	noVectors       = 0
)

// Encode writes the directory down.
func (d *Directory) Encode() []byte {
	b := []byte{directoryFormat}
	b = appendUint(b, d.Documents)
	b = appendUint(b, noVectors)
	b = appendUint(b, len(d.kinds))
	for _, k := range d.kinds {
		b = appendText(b, string(k.Type))
		b = appendText(b, string(k.Module))
		draft := 0
		if k.Draft {
			draft = 1
		}
		b = appendUint(b, draft)
	}
	b = appendUint(b, len(d.names))
	ordinal := 0
	for _, n := range d.names {
		b = appendUint(b, n.ordinal-ordinal)
		ordinal = n.ordinal
		b = appendText(b, string(n.first.Artifact))
		b = appendUint(b, int(n.first.Version))
	}
	b = appendUint(b, len(d.words))
	previous := ""
	for _, w := range d.words {
		same := shared(previous, w)
		b = appendUint(b, same)
		b = appendText(b, w[same:])
		previous = w
	}
	return b
}

// ReadDirectory reads what Encode wrote.
func ReadDirectory(data []byte) (*Directory, error) {
	bad := errors.New("the directory of a segment of the full-text index is damaged")
	if len(data) == 0 || data[0] != directoryFormat {
		return nil, bad
	}
	c := cursor{rest: data[1:]}
	d := &Directory{Documents: c.int32()}
	if c.int32() != noVectors {
		return nil, bad
	}
	for range c.int32() {
		k := Kind{Type: brenner.TypeName(c.text()), Module: brenner.Module(c.text())}
		k.Draft = c.uint() != 0
		if c.bad {
			return nil, bad
		}
		d.kinds = append(d.kinds, k)
	}
	ordinal := 0
	for range c.int32() {
		ordinal += c.int32()
		n := namesPage{ordinal: ordinal, first: Name{Artifact: brenner.ArtifactID(c.text())}}
		n.first.Version = brenner.Version(c.int32())
		if c.bad || ordinal >= d.Documents {
			return nil, bad
		}
		d.names = append(d.names, n)
	}
	previous := ""
	for range c.int32() {
		same := c.int32()
		if c.bad || same > len(previous) {
			return nil, bad
		}
		previous = previous[:same] + c.text()
		d.words = append(d.words, previous)
	}
	if c.bad || len(c.rest) > 0 || d.Documents > 0 && (len(d.names) == 0 || d.names[0].ordinal != 0) {
		return nil, bad
	}
	return d, nil
}

// Columns, names and postings are the groups of pages, each from one page to
// before another.
func (d *Directory) columns() (from, to int) {
	return 0, (d.Documents + columnsPerPage - 1) / columnsPerPage
}

func (d *Directory) namesFrom() int {
	_, to := d.columns()
	return to
}

func (d *Directory) postingsFrom() int { return d.namesFrom() + len(d.names) }

// Pages is how many pages the segment has.
func (d *Directory) Pages() int { return d.postingsFrom() + len(d.words) }

// ColumnPages lists the pages that every search needs.
func (d *Directory) ColumnPages() []int {
	from, to := d.columns()
	return stretch(from, to)
}

// WordPages lists the pages that may have something to say about a word.
func (d *Directory) WordPages(word string) []int { return stretch(d.WordStretch(word)) }

// WordStretch is WordPages as the first of them and the one behind the last.
func (d *Directory) WordStretch(word string) (first, end int) {
	from := sort.SearchStrings(d.words, word)
	to := from + sort.Search(len(d.words)-from, func(i int) bool { return d.words[from+i] > word })
	from = max(0, from-1)
	return d.postingsFrom() + from, d.postingsFrom() + to
}

// PrefixPages lists the pages that may have words with a prefix.
func (d *Directory) PrefixPages(prefix string) []int {
	from := max(0, sort.SearchStrings(d.words, prefix)-1)
	to := sort.Search(len(d.words), func(i int) bool { return d.words[i] > prefix && !strings.HasPrefix(d.words[i], prefix) })
	return stretch(d.postingsFrom()+from, d.postingsFrom()+to)
}

// NamePage gives the page on which the name of a document stands.
func (d *Directory) NamePage(ordinal int) int {
	i := sort.Search(len(d.names), func(i int) bool { return d.names[i].ordinal > ordinal })
	return d.namesFrom() + i - 1
}

// SearchNamePage gives the page on which a name stands if any does, or -1.
func (d *Directory) SearchNamePage(n Name) int {
	i := sort.Search(len(d.names), func(i int) bool { return d.names[i].first.Compare(n) > 0 })
	if i == 0 {
		return -1
	}
	return d.namesFrom() + i - 1
}

// NamePages lists the pages of names.
func (d *Directory) NamePages() []int { return stretch(d.namesFrom(), d.postingsFrom()) }

func stretch(from, to int) []int {
	out := make([]int, 0, max(0, to-from))
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// Columns are what every search needs to know of the documents of a segment.
type Columns struct {
	lengths []uint16
	kinds   []uint16
}

// ReadColumns reads the pages that ColumnPages lists.
func (d *Directory) ReadColumns(pages [][]byte) (*Columns, error) {
	c := &Columns{lengths: make([]uint16, 0, d.Documents), kinds: make([]uint16, 0, d.Documents)}
	for i, page := range pages {
		if len(page)%4 != 0 {
			return nil, damaged(i)
		}
		for ; len(page) > 0; page = page[4:] {
			kind := binary.LittleEndian.Uint16(page[2:])
			if int(kind) >= len(d.kinds) {
				return nil, damaged(i)
			}
			c.lengths = append(c.lengths, binary.LittleEndian.Uint16(page))
			c.kinds = append(c.kinds, kind)
		}
	}
	if len(c.lengths) != d.Documents {
		return nil, damaged(0)
	}
	return c, nil
}

// Length is the counted length of a document.
func (c *Columns) Length(ordinal int) int { return int(c.lengths[ordinal]) }

// ReadNames reads a page of names; the first of them has the ordinal that is
// given back.
func (d *Directory) ReadNames(page int, data []byte) (first int, names []Name, err error) {
	i := page - d.namesFrom()
	if i < 0 || i >= len(d.names) {
		return 0, nil, damaged(page)
	}
	c := cursor{rest: data}
	previous := ""
	for len(c.rest) > 0 {
		same := c.int32()
		if same > len(previous) {
			return 0, nil, damaged(page)
		}
		previous = previous[:same] + c.text()
		names = append(names, Name{brenner.ArtifactID(previous), brenner.Version(c.int32())})
		if c.bad {
			return 0, nil, damaged(page)
		}
	}
	end := d.Documents
	if i+1 < len(d.names) {
		end = d.names[i+1].ordinal
	}
	if len(names) != end-d.names[i].ordinal {
		return 0, nil, damaged(page)
	}
	return d.names[i].ordinal, names, nil
}

// ReadNamesOf gives the names of some documents, in order, from the page on which
// they stand.
func (d *Directory) ReadNamesOf(page int, data []byte, ordinals []int) ([]Name, error) {
	i := page - d.namesFrom()
	if i < 0 || i >= len(d.names) {
		return nil, damaged(page)
	}
	c := cursor{rest: data}
	var artifact []byte
	version := 0
	out := make([]Name, len(ordinals))
	next := d.names[i].ordinal
	for j, ordinal := range ordinals {
		for ; next <= ordinal; next++ {
			same := c.int32()
			if same > len(artifact) {
				return nil, damaged(page)
			}
			artifact = append(artifact[:same], c.bytes(c.int32())...)
			version = c.int32()
		}
		out[j] = Name{brenner.ArtifactID(artifact), brenner.Version(version)}
	}
	if c.bad {
		return nil, damaged(page)
	}
	return out, nil
}

// A Dead set is the documents of a segment that have been taken out since it
// was made.
type Dead struct {
	bits []uint64
	n    int
}

// Has reports whether a document was taken out.
func (d Dead) Has(ordinal int) bool {
	return ordinal>>6 < len(d.bits) && d.bits[ordinal>>6]>>(ordinal&63)&1 == 1
}

// Len is how many there are.
func (d Dead) Len() int { return d.n }

// With gives a set that has some more.
func (d Dead) With(ordinals ...int) Dead {
	d.bits = slices.Clone(d.bits)
	for _, o := range ordinals {
		for o>>6 >= len(d.bits) {
			d.bits = append(d.bits, 0)
		}
		if d.bits[o>>6]>>(o&63)&1 == 0 {
			d.bits[o>>6] |= 1 << (o & 63)
			d.n++
		}
	}
	return d
}

// Since lists, in order, those that an earlier set did not have.
func (d Dead) Since(earlier Dead) []int {
	var out []int
	for i, set := range d.bits {
		if i < len(earlier.bits) {
			set &^= earlier.bits[i]
		}
		for ; set != 0; set &= set - 1 {
			out = append(out, i<<6|bits.TrailingZeros64(set))
		}
	}
	return out
}

// Encode writes the set down: the distances between its members.
func (d Dead) Encode() []byte {
	b := []byte{}
	before := -1
	for _, o := range d.Since(Dead{}) {
		b = appendUint(b, o-before-1)
		before = o
	}
	return b
}

// ReadDead reads what Encode wrote.
func ReadDead(data []byte) (Dead, error) {
	var all []int
	before := -1
	for c := (cursor{rest: data}); len(c.rest) > 0; {
		before += c.int32() + 1
		if c.bad || before > 1<<31-1 {
			return Dead{}, errDamaged
		}
		all = append(all, before)
	}
	return Dead{}.With(all...), nil
}
