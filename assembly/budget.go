package assembly

import "brenner"

// Unit is what a budget counts.
type Unit string

// The units.
const (
	InBytes  Unit = "bytes"
	InTokens Unit = "tokens"
)

// Family is a family of models that share a tokenizer, as far as we know it.
type Family string

// The families.
const (
	GPT    Family = "gpt"    // GPT-4o and later
	GPT4   Family = "gpt4"   // GPT-4 and GPT-3.5
	Claude Family = "claude" // no published tokenizer
	Gemini Family = "gemini" // no tokenizer among the published encodings
)

// Families lists every family.
func Families() []Family { return []Family{GPT, GPT4, Claude, Gemini} }

// measures says how the tokens of a family are counted: with which encoding,
// times how many percent. OpenAI's families use theirs as it is. For the
// others the factor stands for the worst that is reported of ordinary text, so
// that a budget errs on the side of the model: Claude's first tokenizers make
// 15 to 30 % more tokens of prose and code than o200k_base, its later ones up
// to 35 % more than those (1.30 × 1.35 = 1.76); Gemini's, with 262,144 tokens,
// stays within 15 % of o200k_base on prose, and code and tables vary more.
var measures = map[Family]struct {
	encoding Encoding
	percent  int
}{
	GPT:    {O200k, 100},
	GPT4:   {Cl100k, 100},
	Claude: {O200k, 180},
	Gemini: {O200k, 125},
}

// Budget is the hard bound of a context (C20).
type Budget struct {
	Unit Unit `json:"unit"`
	// Size bounds everything the agent gets: the assembled context and what it
	// reads later.
	Size int `json:"size"`
	// Reserve is the part of Size that the assembled context leaves to later
	// reads.
	Reserve int `json:"reserve"`
	// Family says whose tokens are meant; empty for bytes.
	Family Family `json:"family,omitempty"`
}

// Encoding is what tokens are counted with, "" for bytes.
func (b Budget) Encoding() Encoding {
	if b.Unit != InTokens {
		return ""
	}
	return measures[b.Family].encoding
}

// Percent is the factor between the encoding's tokens and the budget's.
func (b Budget) Percent() int {
	if m, ok := measures[b.Family]; ok && b.Unit == InTokens {
		return m.percent
	}
	return 100
}

// Charge adds what an agent reads later to what its context has used, or
// reports CONTEXT_OVERFLOW and gives used back. Both are in the units of the
// budget; see Measure.
func (b Budget) Charge(used, more int) (int, error) {
	if used+more > b.Size {
		return used, brenner.Errorf(brenner.CodeContextOverflow, "%d more %s do not fit: %d of %d are used", more, b.Unit, used, b.Size).
			WithHint("read summaries instead, or assemble a new context").
			WithDetails(Overflow{Budget: b, Needed: used + more})
	}
	return used + more, nil
}

// Measure gives the size of a text in the units of the budget. The counter
// must count the budget's encoding.
func (b Budget) Measure(c Counter, text string) int { return b.scale(c.Count(text)) }

// scale turns a count into units of the budget, rounding up.
func (b Budget) scale(count int) int { return (count*b.Percent() + 99) / 100 }

// room is the greatest count that the assembled context may have.
func (b Budget) room() int { return max(0, b.Size-b.Reserve) * 100 / b.Percent() }

// Counter counts a text before the factor of a model family is applied: Bytes,
// or a Tokenizer.
type Counter interface {
	// Name tells counters apart: equal names give equal counts.
	Name() string
	Count(text string) int
	// AtLeast is a lower bound of the count of any text of so many bytes.
	AtLeast(bytes int) int
	// Apart reports whether two texts, neither of them empty, certainly have one behind the
	// other what both have alone.
	Apart(before, after string) bool
}

// Bytes counts bytes.
type Bytes struct{}

// Name is "bytes".
func (Bytes) Name() string { return string(InBytes) }

// Count is the length of the text.
func (Bytes) Count(text string) int { return len(text) }

// AtLeast is the number of bytes.
func (Bytes) AtLeast(bytes int) int { return bytes }

// Apart holds of all texts.
func (Bytes) Apart(string, string) bool { return true }

// Cache remembers counts of texts, which mostly come again. Keys are digests
// of the counter's name and the text. A cache may forget; it must not lie.
type Cache interface {
	Get(key brenner.Digest) (count int, ok bool)
	Put(key brenner.Digest, count int)
}
