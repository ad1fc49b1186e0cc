package assembly

import (
	"compress/flate"
	"embed"
	"io"
	"math"

	"brenner"
)

// Encoding names a published byte-pair encoding.
type Encoding string

// The encodings that budgets in tokens are counted with.
const (
	O200k  Encoding = "o200k_base"
	Cl100k Encoding = "cl100k_base"
)

// vocabularies has the tokens of each encoding by their rank, each behind its
// length, compressed. A test makes them from the published tables.
//
//go:embed vocabulary
var vocabularies embed.FS

// Tokenizer counts the tokens of one encoding. It never changes after
// NewTokenizer and may be shared.
type Tokenizer struct {
	encoding Encoding
	split    splitter
	ranks    table // of every token: lower ones are merged first
}

// NewTokenizer builds the tables of an encoding, which takes some 50 ms and
// holds 8 MB: keep it. It reports INVALID_VALUE for an encoding that is not one.
func NewTokenizer(e Encoding) (*Tokenizer, error) {
	t := &Tokenizer{encoding: e}
	switch e {
	case O200k:
		t.split = splitO200k
	case Cl100k:
		t.split = splitCl100k
	default:
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "unknown encoding %q", e).
			WithHint("use o200k_base or cl100k_base")
	}
	file, err := vocabularies.Open(vocabularyFile(e))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := io.ReadAll(flate.NewReader(file))
	if err != nil {
		return nil, err
	}
	tokens := make([]string, 0, len(all)/4)
	for rest := string(all); rest != ""; {
		n := 1 + int(rest[0])
		tokens, rest = append(tokens, rest[1:n]), rest[n:]
	}
	t.ranks = newTable(tokens)
	return t, nil
}

func vocabularyFile(e Encoding) string { return "vocabulary/" + string(e) + ".deflate" }

// Name is the name of the encoding.
func (t *Tokenizer) Name() string { return string(t.encoding) }

// longestToken bounds the bytes of one token, in both encodings.
const longestToken = 128

// AtLeast is a lower bound of the count of any text of so many bytes.
func (t *Tokenizer) AtLeast(bytes int) int { return bytes / longestToken }

// Apart holds where a line ends and something begins that is neither space nor slash: no
// piece crosses from the one to the other.
func (t *Tokenizer) Apart(before, after string) bool {
	first, _ := at(after, 0)
	return before[len(before)-1] == '\n' && first&space == 0 && after[0] != '/'
}

// Count is the number of tokens of a text in UTF-8, the same as the reference
// implementation gives.
func (t *Tokenizer) Count(text string) int {
	n := 0
	for len(text) > 0 {
		end := t.split(text)
		n += t.piece(text[:end])
		text = text[end:]
	}
	return n
}

// piece counts the tokens of one piece: one if it is a token itself, else what
// byte-pair encoding leaves of its bytes.
func (t *Tokenizer) piece(piece string) int {
	if _, whole := t.ranks.find(piece); whole {
		return 1
	}
	if len(piece) > shortPiece {
		return t.mergeLong(piece)
	}
	var room [shortPiece + 1]part
	return t.merge(piece, room[:len(piece)+1])
}

// shortPiece bounds the pieces that are merged in time quadratic in their
// length, which is quicker for the words people write.
const shortPiece = 64

// part is where a part of a piece begins, and the rank of it and the next
// together.
type part struct {
	begin int
	rank  uint32
}

// unmerged is the rank of two parts that are no token together.
const unmerged = math.MaxUint32

// merge joins the two neighbours of the lowest rank, the leftmost first, until
// no two are a token together, and counts what is left. The last part is the
// end of the piece.
func (t *Tokenizer) merge(piece string, parts []part) int {
	for i := range parts {
		parts[i].begin = i
	}
	for i := range parts {
		parts[i].rank = t.pair(piece, parts, i)
	}
	for {
		best := 0
		for i := range parts {
			if parts[i].rank < parts[best].rank {
				best = i
			}
		}
		if parts[best].rank == unmerged {
			return len(parts) - 1
		}
		parts = append(parts[:best+1], parts[best+2:]...)
		parts[best].rank = t.pair(piece, parts, best)
		if best > 0 {
			parts[best-1].rank = t.pair(piece, parts, best-1)
		}
	}
}

// pair is the rank of part i and the next one together.
func (t *Tokenizer) pair(piece string, parts []part, i int) uint32 {
	if i+2 >= len(parts) {
		return unmerged
	}
	if rank, ok := t.ranks.find(piece[parts[i].begin:parts[i+2].begin]); ok {
		return rank
	}
	return unmerged
}

// mergeLong counts what merge counts, in time n log n.
func (t *Tokenizer) mergeLong(piece string) int {
	end := len(piece)
	// The bounds of the parts are a list: next and previous of each, by where
	// they stand. joined is the rank of a part and the next one together.
	next, previous, joined := make([]int32, end+1), make([]int32, end+1), make([]uint32, end+1)
	for i := range next {
		next[i], previous[i], joined[i] = int32(i)+1, int32(i)-1, unmerged
	}
	var waiting pairs
	rank := func(i int32) {
		if i < 0 || int(i) >= end {
			return
		}
		joined[i] = unmerged
		if mid := next[i]; int(mid) < end {
			if r, ok := t.ranks.find(piece[i:next[mid]]); ok {
				joined[i] = r
				waiting.push(pair{r, i})
			}
		}
	}
	for i := range int32(end) {
		rank(i)
	}
	parts := end
	for len(waiting) > 0 {
		p := waiting.pop()
		if joined[p.begin] != p.rank {
			continue // one of the two was merged with another
		}
		gone := next[p.begin]
		next[p.begin] = next[gone]
		previous[next[gone]] = p.begin
		joined[gone] = unmerged
		parts--
		rank(p.begin)
		rank(previous[p.begin])
	}
	return parts
}

// pair is where two parts begin that are a token together, and its rank.
type pair struct {
	rank  uint32
	begin int32
}

func (p pair) less(other pair) bool {
	return p.rank < other.rank || p.rank == other.rank && p.begin < other.begin
}

// pairs is a heap: the lowest rank first, the leftmost of it.
type pairs []pair

func (h *pairs) push(p pair) {
	*h = append(*h, p)
	list := *h
	for i := len(list) - 1; i > 0 && list[i].less(list[(i-1)/2]); i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
}

func (h *pairs) pop() pair {
	list := *h
	top, last := list[0], len(list)-1
	list[0] = list[last]
	list = list[:last]
	*h = list
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && list[child+1].less(list[child]) {
			child++
		}
		if child >= last || !list[child].less(list[i]) {
			return top
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
}
