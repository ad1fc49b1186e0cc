package anchor

import (
	"math"
	"strings"
)

// all is the limit of a query that wants every place.
const all = math.MaxInt

// query asks where a needle stands in a text: every start position, also
// overlapping ones, in ascending order, up to a limit.
type query struct {
	needle string
	limit  int
	// accept, if set, decides whether a place counts.
	accept func(at int) bool
	hits   []int
}

func (q *query) full() bool { return len(q.hits) >= q.limit }

func (q *query) offer(at int) {
	if q.accept == nil || q.accept(at) {
		q.hits = append(q.hits, at)
	}
}

const (
	window     = 8  // bytes looked at together
	fewQueries = 4  // up to here one search per needle is faster
	filterBits = 17 // of the bitmap that rules most positions out
)

// scan answers many queries in about one pass over the text. Each needle is
// represented by its rarest window of eight bytes; a bitmap of their hashes
// tells in a nanosecond that nothing can start here.
func scan(text string, queries []*query) {
	var batch []*query
	for _, q := range queries {
		if len(q.needle) >= window {
			batch = append(batch, q)
		} else {
			q.search(text)
		}
	}
	if len(batch) <= fewQueries {
		for _, q := range batch {
			q.search(text)
		}
		return
	}
	scanBatch(text, batch)
}

// search answers one query by itself.
func (q *query) search(text string) {
	if q.needle == "" {
		q.offer(0)
		return
	}
	for from := 0; !q.full(); {
		i := strings.Index(text[from:], q.needle)
		if i < 0 {
			return
		}
		q.offer(from + i)
		from += i + 1
	}
}

// probe is a query and where in its needle the window was taken.
type probe struct {
	q      *query
	offset int
}

func scanBatch(text string, batch []*query) {
	if len(text) < window {
		return
	}
	common := sample(text)
	probes := make(map[uint64][]probe, len(batch))
	var filter [1 << filterBits / 64]uint64
	for _, q := range batch {
		w, offset := rarest(q.needle, common)
		probes[w] = append(probes[w], probe{q, offset})
		h := hash(w)
		filter[h/64] |= 1 << (h % 64)
	}
	w := first(text) << 8
	for i := window - 1; i < len(text); i++ {
		w = w>>8 | uint64(text[i])<<56
		h := hash(w)
		if filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		ps, ok := probes[w]
		if !ok {
			continue
		}
		if ps = visit(text, i-window+1, ps); len(ps) == 0 {
			delete(probes, w)
		} else {
			probes[w] = ps
		}
	}
}

// visit tries every needle whose window stands here and drops the satisfied.
func visit(text string, at int, ps []probe) []probe {
	for i := 0; i < len(ps); {
		p := ps[i]
		if start := at - p.offset; start >= 0 && strings.HasPrefix(text[start:], p.q.needle) {
			p.q.offer(start)
		}
		if p.q.full() {
			ps[i] = ps[len(ps)-1]
			ps = ps[:len(ps)-1]
			continue
		}
		i++
	}
	return ps
}

func hash(w uint64) uint64 { return w * 0x9E3779B97F4A7C15 >> (64 - filterBits) }

func first(s string) uint64 {
	var w uint64
	for i := window - 1; i >= 0; i-- {
		w = w<<8 | uint64(s[i])
	}
	return w
}

// sample counts windows at regular places: an estimate of how common each is.
func sample(text string) []uint16 {
	counts := make([]uint16, 1<<filterBits)
	step := max(1, len(text)>>13)
	for i := 0; i+window <= len(text); i += step {
		if h := hash(first(text[i:])); counts[h] < math.MaxUint16 {
			counts[h]++
		}
	}
	return counts
}

// rarest picks the window of a needle that the text has least of.
func rarest(needle string, common []uint16) (w uint64, offset int) {
	const tries = 256
	least := -1
	for i := 0; i+window <= len(needle) && i < tries; i++ {
		x := first(needle[i:])
		if c := int(common[hash(x)]); least < 0 || c < least {
			w, offset, least = x, i, c
			if c == 0 {
				break
			}
		}
	}
	return w, offset
}

// find gives up to limit start positions of one needle.
func find(text, needle string, limit int) []int {
	q := query{needle: needle, limit: limit}
	q.search(text)
	return q.hits
}
