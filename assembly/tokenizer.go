package assembly

import (
	"brenner"

	"github.com/tiktoken-go/tokenizer"
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
	tokens   map[string]bool // every token
	rest     tokenizer.Codec // counts the pieces that are not one token
}

// NewTokenizer builds the tables of an encoding, which takes some 100 ms and
// 20 MB: keep it. It reports INVALID_VALUE for an encoding that is not one.
func NewTokenizer(e Encoding) (*Tokenizer, error) {
	t := &Tokenizer{encoding: e}
	size := uint(0) // one past the last token
	switch e {
	case O200k:
		t.split, size = splitO200k, 199_998
	case Cl100k:
		t.split, size = splitCl100k, 100_256
	default:
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "unknown encoding %q", e).
			WithHint("use o200k_base or cl100k_base")
	}
	var err error
	if t.rest, err = tokenizer.Get(tokenizer.Encoding(e)); err != nil {
		return nil, err
	}
	t.tokens = make(map[string]bool, size)
	one := make([]uint, 1)
	for id := range size {
		one[0] = id
		token, err := t.rest.Decode(one)
		if err != nil {
			return nil, err
		}
		t.tokens[token] = true
	}
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
		piece := text[:end]
		if t.tokens[piece] {
			n++
		} else {
			parts, _ := t.rest.Count(piece) // fails only in modes we do not set
			n += parts
		}
		text = text[end:]
	}
	return n
}
