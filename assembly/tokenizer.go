package assembly

import (
	"math"

	"brenner"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Encoding names a published byte-pair encoding.
type Encoding string

// The encodings that budgets in tokens are counted with.
const (
	O200k  Encoding = "o200k_base"
	Cl100k Encoding = "cl100k_base"
)

// Tokenizer counts the tokens of one encoding. It never changes after
// NewTokenizer and may be shared.
type Tokenizer struct {
	encoding Encoding
	split    splitter
	ranks    table        // of every token: lower ones are merged first
	library  *codec.Codec // counts long pieces
}

// NewTokenizer builds the tables of an encoding, which takes some 100 ms and
// 20 MB: keep it. It reports INVALID_VALUE for an encoding that is not one.
func NewTokenizer(e Encoding) (*Tokenizer, error) {
	t := &Tokenizer{encoding: e}
	size := uint(0) // one past the last token
	// Not by their names: that would link the tables of every encoding.
	var library func() *codec.Codec
	switch e {
	case O200k:
		t.split, size, library = splitO200k, 199_998, codec.NewO200kBase
	case Cl100k:
		t.split, size, library = splitCl100k, 100_256, codec.NewCl100kBase
	default:
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "unknown encoding %q", e).
			WithHint("use o200k_base or cl100k_base")
	}
	decoder := library()
	tokens := make([]string, size)
	for id := range size {
		var err error
		if tokens[id], err = decoder.Decode([]uint{id}); err != nil {
			return nil, err
		}
	}
	t.ranks = newTable(tokens)
	t.library = library() // without the tables that decoding made
	return t, nil
}

// Name is the name of the encoding.
func (t *Tokenizer) Name() string { return string(t.encoding) }

// longestToken bounds the bytes of one token, in both encodings.
const longestToken = 128

// AtLeast is a lower bound of the count of any text of so many bytes.
func (t *Tokenizer) AtLeast(bytes int) int { return bytes / longestToken }

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
		n, _ := t.library.Count(piece) // fails only in modes we do not set
		return n
	}
	var room [shortPiece + 1]part
	return t.merge(piece, room[:len(piece)+1])
}

// shortPiece bounds the pieces that are merged here, in time quadratic in
// their length; the library has a better way with long ones.
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
