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
	// count says how many places were found, hits where: the first keep of
	// them. picks has the positions of single places by their number.
	count int
	keep  int
	hits  []int
	picks map[int]int
}

// ask makes a query that keeps all it finds.
func ask(needle string, limit int) *query { return &query{needle: needle, limit: limit, keep: limit} }

// pick asks for the n-th place.
func (q *query) pick(n int) {
	if q.picks == nil {
		q.picks = map[int]int{}
	}
	q.picks[n] = -1
	q.limit = max(q.limit, n)
}

func (q *query) full() bool { return q.count >= q.limit }

func (q *query) offer(at int) {
	if q.accept != nil && !q.accept(at) {
		return
	}
	q.count++
	if q.count <= q.keep {
		q.hits = append(q.hits, at)
	}
	if _, wanted := q.picks[q.count]; wanted {
		q.picks[q.count] = at
	}
}

const (
	window     = 8       // bytes looked at together
	fewQueries = 4       // up to here one search per needle is faster
	filterBits = 17      // of the bitmap that rules most positions out
	mostVisits = 1 << 26 // places looked at before a scan gives up
)

// scan answers many queries in about one pass over the text. Each needle is
// represented by its rarest window of eight bytes; a bitmap of their hashes
// tells in a nanosecond that nothing can start here. It gives up, and says so,
// when needles and text repeat so much that counting would take for ever.
func scan(text string, queries []*query) bool {
	visits := mostVisits
	var batch []*query
	for _, q := range queries {
		if len(q.needle) >= window {
			batch = append(batch, q)
		} else {
			visits = q.search(text, visits)
		}
	}
	if len(batch) <= fewQueries {
		for _, q := range batch {
			visits = q.search(text, visits)
		}
		return visits > 0
	}
	return scanBatch(text, batch, visits) > 0
}

// search answers one query by itself. It gives what is left of the visits.
func (q *query) search(text string, visits int) int {
	if q.needle == "" {
		q.offer(0)
		return visits
	}
	for from := 0; !q.full() && visits > 0; visits-- {
		i := strings.Index(text[from:], q.needle)
		if i < 0 {
			return visits
		}
		q.offer(from + i)
		from += i + 1
	}
	return visits
}

// probe is a query and where in its needle the window was taken.
type probe struct {
	q      *query
	offset int
}

func scanBatch(text string, batch []*query, visits int) int {
	if len(text) < window {
		return visits
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
	for i := window - 1; i < len(text) && visits > 0; i++ {
		w = w>>8 | uint64(text[i])<<56
		h := hash(w)
		if filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		ps, ok := probes[w]
		if !ok {
			continue
		}
		visits -= len(ps)
		if ps = visit(text, i-window+1, ps); len(ps) == 0 {
			delete(probes, w)
		} else {
			probes[w] = ps
		}
	}
	return visits
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
	q := ask(needle, limit)
	q.search(text, mostVisits)
	return q.hits
}
