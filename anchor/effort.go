package anchor

import (
	"slices"

	"golang.org/x/text/unicode/norm"
)

// What the explainer does for one patch is bounded, whatever the patch says:
// somebody else waits for the same processor, and most of what can be found is
// found in small quotations.
const (
	// mostEffort is how many characters are looked at, roughly.
	mostEffort = 1 << 28
	// largestQuotation is the largest operation, and largestText the largest
	// text, that more is done with than to look for the exact words.
	largestQuotation = 32 << 10
	largestText      = 8 << 20
	// largestResult bounds base and patch together where a wrong result is
	// looked into.
	largestResult = 2 << 20
)

// effort is what is left of the characters to look at.
type effort int

// spend takes some and says whether there was enough.
func (e *effort) spend(n int) bool {
	*e -= effort(min(n, 2*mostEffort))
	return *e >= 0
}

// size is how much an operation quotes and brings.
func (q quotation) size() int { return len(q.anchor) + len(q.old) + len(q.new) }

// size is how much text the operations of a patch have.
func (p Patch) size() (n int) {
	for _, g := range p.Groups {
		n += len(g.Anchor.Text)
		for _, op := range g.Ops {
			n += len(op.Old) + len(op.New)
		}
	}
	return n
}

// census counts the characters of a text, so that many can be asked for.
type census struct {
	text   string
	ascii  [128]int
	others map[rune]int
	forms  map[norm.Form]bool // whether it is in a normal form, when asked
}

func censusOf(text string) *census {
	c := &census{text: text, others: map[rune]int{}, forms: map[norm.Form]bool{}}
	for _, r := range text {
		if r < 128 {
			c.ascii[r]++
		} else {
			c.others[r]++
		}
	}
	return c
}

func (c *census) count(r rune) int {
	if 0 <= r && r < 128 {
		return c.ascii[r]
	}
	return c.others[r]
}

func (c *census) has(r rune) bool { return c.count(r) > 0 }

func (c *census) hasAny(list string) bool { return slices.ContainsFunc([]rune(list), c.has) }

// normal says that the text is in a normal form.
func (c *census) normal(form norm.Form) bool {
	is, known := c.forms[form]
	if !known {
		is = form.IsNormalString(c.text)
		c.forms[form] = is
	}
	return is
}
