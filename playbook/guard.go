package playbook

import "brenner/claim"

// Guard keeps lessons apart that vectors cannot tell apart (B4): "the 15th"
// and "the 16th" have cosine 0.99. It looks at the words only, as package claim
// reads them. The zero Guard is on and knows the words of that package's lists;
// with Words it compares others too.
type Guard struct {
	// Off follows the ADR to the letter: cosine alone decides.
	Off bool
	// Words compares single words, to find an object exchanged for another.
	Words Lexicon
}

// Lexicon compares single lower-case words. The built-in embedder is one.
type Lexicon = claim.Lexicon

// Clash says why two texts must not merge.
type Clash struct {
	Why ClashKind `json:"why"`
	// Ours and Theirs are the words that clash, in the insight and the bullet.
	Ours   string `json:"ours,omitempty"`
	Theirs string `json:"theirs,omitempty"`
	// Opposed says that both cannot hold. Otherwise they may, or it is unclear:
	// the texts are kept apart, and nobody is told that they contradict.
	Opposed bool `json:"opposed,omitzero"`
}

// ClashKind names a rule of the guard.
type ClashKind = claim.Kind

// The rules of the guard.
const (
	ClashNumbers    = claim.Numbers    // other numbers or units
	ClashBounds     = claim.Bounds     // at least, at most
	ClashNegation   = claim.Negation   // one says the opposite
	ClashQuantifier = claim.Quantifier // all, only some
	ClashScope      = claim.Scope      // only, except, if
	ClashStrength   = claim.Strength   // must, may
	ClashOrder      = claim.Order      // the same words, exchanged
	ClashObject     = claim.Object     // another thing in the same sentence
)

// Clash reports whether the guard keeps two texts apart, and why. Which text
// is ours and which theirs decides nothing.
func (g Guard) Clash(ours, theirs string) (Clash, bool) {
	if g.Off || ours == theirs {
		return Clash{}, false
	}
	return g.compare(claim.Read(ours), claim.Read(theirs))
}

func (g Guard) compare(ours, theirs claim.Reading) (Clash, bool) {
	c := claim.Compare(ours, theirs, g.Words)
	if c.Verdict == claim.Same {
		return Clash{}, false
	}
	first := c.Differences[0]
	return Clash{Why: first.Kind, Ours: first.Ours, Theirs: first.Theirs, Opposed: c.Verdict == claim.Opposed}, true
}
