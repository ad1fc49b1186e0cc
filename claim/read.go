package claim

import (
	"strings"

	"brenner/internal/lazy"
)

// role is what a word does in a sentence besides naming something.
type role uint16

const (
	quantityRole  role = 1 << iota // part of a quantity
	contentRole                    // names something
	negatorRole                    // turns something round
	judgementRole                  // says that it is good or bad
	conditionRole                  // stands in a condition
	exceptionRole                  // stands in an exception
)

// Reading is what a sentence claims, as far as it is understood.
type Reading struct {
	text       string
	rest       string // of the text, which is not read
	tokens     []token
	quantities []Quantity
	content    []int // the tokens that name something
	// turns counts the negations at each token, loose those among them that
	// may belong to the verb as well.
	turns, loose []int
	against      int     // how often something is said to be bad
	perhaps      bool    // and only that it may be
	bounds       []Bound // that bound no number: at least daily
	only         []int
	quantifiers  []int
	conditional  bool
	excepting    bool
	obliged      bool
	permitted    bool
	event        bool // tells of something going on, not of a rule
	titled       bool // most words begin with a capital, so that capitals tell nothing
}

// Read reads a sentence.
func Read(text string) Reading {
	tokens, rest := scanMost(text)
	r := Reading{text: text, rest: rest}
	r.tokens = spellNumbers(simplify(tokens))
	r.quantities = quantities(r.tokens)
	n := len(r.tokens)
	r.turns, r.loose = make([]int, n), make([]int, n)
	for i := range r.tokens {
		r.stem(i)
	}
	r.capitals()
	r.clauses()
	r.judgements()
	for i := range r.tokens {
		if t := &r.tokens[i]; t.kind == wordToken && t.role&(quantityRole|negatorRole|judgementRole) == 0 && !lightWords.Has(t.text) {
			t.role |= contentRole
			r.content = append(r.content, i)
		}
	}
	r.negations()
	r.scopes()
	for i := range r.quantities {
		if q := &r.quantities[i]; q.to > 0 && r.tokens[q.to-1].role&conditionRole != 0 {
			q.inCondition = true
		}
	}
	return r
}

// stem fills in the stem of a word and takes a negating prefix off it.
func (r *Reading) stem(i int) {
	t := &r.tokens[i]
	if t.kind != wordToken {
		return
	}
	base, negated := negativePrefix(t.text)
	if negated {
		r.turns[i]++
	}
	t.stem = stem(base)
	if negators.Has(t.text) && t.role&quantityRole == 0 {
		t.role |= negatorRole
	}
}

// capitals finds out whether capital letters mark names.
func (r *Reading) capitals() {
	words, upper := 0, 0
	for _, t := range r.tokens {
		if t.kind == wordToken && len(t.raw) > 3 {
			words++
			if isUpper(t.raw) {
				upper++
			}
		}
	}
	r.titled = words > 2 && upper*2 > words
	for i := range r.tokens {
		if t := &r.tokens[i]; t.raw == "A" && i > 0 && !t.ends && !r.titled {
			t.text, t.stem = "A", "A" // service A, and no article
		}
	}
}

func isUpper(raw string) bool { return raw != "" && raw[0] >= 'A' && raw[0] <= 'Z' }

// clauses marks conditions and exceptions, from their first word to the next
// comma or the end.
func (r *Reading) clauses() {
	for i, t := range r.tokens {
		var mark role
		switch {
		case t.kind != wordToken || t.role&quantityRole != 0:
		case exceptionWords.Has(t.text):
			mark = exceptionRole
			r.excepting = true
			if t.text == "unless" {
				mark |= conditionRole
				r.conditional = true
			}
		case conditionWords.Has(t.text) && !r.adverb(i):
			mark = conditionRole
			r.conditional = true
		}
		for j := i; mark != 0 && j < len(r.tokens) && (j == i || !r.tokens[j].breaks); j++ {
			r.tokens[j].role |= mark
		}
	}
}

// adverb reports whether "once" or "until" at i is no conjunction: once a day.
func (r Reading) adverb(i int) bool {
	if r.tokens[i].text != "once" {
		return false
	}
	if i+1 == len(r.tokens) || i > 0 && (r.tokens[i-1].text == "only" || r.tokens[i-1].text == "at") {
		return true
	}
	switch r.tokens[i+1].text {
	case "a", "an", "per", "every", "in", "again", "more", "before", "and":
		return true
	}
	return r.tokens[i+1].breaks
}

// judgements finds where something is said to be good or bad: only as a
// predicate, since "harmful bacteria" is a kind of bacteria.
func (r *Reading) judgements() {
	for i := range r.tokens {
		t := &r.tokens[i]
		bad, good := badJudgements()[t.stem] && r.turns[i]%2 == 0, goodJudgements()[t.stem]
		if t.kind != wordToken || !bad && !good {
			continue
		}
		denied, predicate := r.predicate(i)
		if !predicate {
			continue
		}
		t.role |= judgementRole
		if bad != denied {
			r.against++
		}
		if good && r.turns[i]%2 == 1 {
			r.turns[i]--
			r.against++
		}
	}
}

// predicate reports whether a judgement is said of something, and whether it is
// denied there: the negator is then taken.
func (r *Reading) predicate(i int) (denied, predicate bool) {
	if strings.HasPrefix(r.tokens[i].stem, "hurt") || r.tokens[i].stem == "help" || r.tokens[i].stem == "work" {
		return false, i > 0 && i+1 == len(r.tokens) && !lightWords.Has(r.tokens[i-1].text)
	}
	if i+1 < len(r.tokens) && !r.tokens[i+1].breaks {
		if next := r.tokens[i+1]; next.kind == wordToken && !lightWords.Has(next.text) && next.text != "and" {
			return false, false // harmful bacteria
		}
	}
	for j := i - 1; j >= 0 && j >= i-4 && !r.tokens[j+1].breaks; j-- {
		t := &r.tokens[j]
		switch {
		case t.role&negatorRole != 0 && (t.text == "not" || t.text == "never" || t.text == "no"):
			t.role = t.role&^negatorRole | judgementRole
			denied = !denied
		case beForms.Has(t.text) || linkingVerbs.Has(t.text):
			r.perhaps = j > 0 && (permissions.Has(r.tokens[j-1].text) || r.tokens[j-1].text == "can" || r.tokens[j-1].text == "could")
			return denied, true
		case !lightWords.Has(t.text) && !strings.HasSuffix(t.text, "ly"):
			return false, false
		}
	}
	return denied, denied
}

// linkingVerbs say of something what it is.
var linkingVerbs = lazy.NewWords("seems seem becomes become remains remain considered proves proved turns appears appear")

// negations puts each negation where it belongs: at the next word that names
// something, or the last one before.
func (r *Reading) negations() {
	for i, t := range r.tokens {
		if t.role&negatorRole == 0 && (t.text != "unless" || t.role&quantityRole != 0) {
			continue
		}
		head := r.headAfter(i)
		if t.text == "unless" {
			head = r.lastOfClause(i)
		}
		if head < 0 {
			continue
		}
		r.turns[head]++
		if looseNegators.Has(t.text) {
			r.loose[head]++
		}
	}
}

// headAfter is the word that a negation at i is about, -1 if there is none.
func (r Reading) headAfter(i int) int {
	for j := i + 1; j < len(r.tokens); j++ {
		if r.tokens[j].breaks && r.tokens[j].ends {
			break
		}
		if r.tokens[j].role&contentRole != 0 && !(strings.HasSuffix(r.tokens[j].text, "ly") && j+1 < len(r.tokens)) {
			return j
		}
	}
	for j := i - 1; j >= 0; j-- {
		if r.tokens[j].role&contentRole != 0 {
			return j
		}
	}
	return -1
}

// lastOfClause is the last word of the clause at i that names something.
func (r Reading) lastOfClause(i int) int {
	last := -1
	for j := i + 1; j < len(r.tokens) && !r.tokens[j].breaks; j++ {
		if r.tokens[j].role&contentRole != 0 {
			last = j
		}
	}
	return last
}

// scopes notes quantifiers, "only", duty and leave, and whether the sentence
// tells of an event.
func (r *Reading) scopes() {
	for i, t := range r.tokens {
		if t.kind != wordToken || t.role&quantityRole != 0 {
			continue
		}
		if r.excludes(i) {
			r.only = append(r.only, i)
		}
		if quantifiers()[t.text] != unquantified {
			r.quantifiers = append(r.quantifiers, i)
		}
		r.obliged = r.obliged || obligations.Has(t.text)
		r.permitted = r.permitted || permissions.Has(t.text) && t.raw != "May"
	}
	r.event = r.tells()
	r.bounds = r.freeBounds()
}

// freeBounds lists the bounds that stand before no number.
func (r Reading) freeBounds() []Bound {
	var out []Bound
	for i := range r.tokens {
		for _, p := range boundPhrases() {
			if len(p.words) > 1 && p.words[0] != "a" && (p.bound == AtLeast || p.bound == AtMost) && startsWith(r.tokens, i, p.words) && r.tokens[i].role&quantityRole == 0 {
				out = append(out, p.bound)
				break
			}
		}
	}
	return out
}

// excludes reports whether the word at i leaves out everything else: only,
// alone at the end of a part, just the.
func (r Reading) excludes(i int) bool {
	last := i+1 == len(r.tokens) || r.tokens[i+1].breaks
	switch r.tokens[i].text {
	case "only":
		return i == 0 || r.tokens[i-1].text != "the"
	case "solely", "exclusively", "merely", "purely":
		return true
	case "alone":
		return i > 0 && last
	case "just":
		return !last && (r.tokens[i+1].text == "the" || r.tokens[i+1].text == "those" || r.tokens[i+1].text == "these")
	}
	return false
}

// tells reports whether the sentence tells of something going on or past, and
// is no rule: is running, ran, a dog runs, a headline.
func (r Reading) tells() bool {
	if r.titled {
		return true
	}
	for i, t := range r.tokens {
		switch {
		case t.kind != wordToken:
		case obligations.Has(t.text), t.text == "always", t.text == "never":
			return false
		case pastForms.Has(t.text) && i > 0, strings.HasSuffix(t.text, "ed") && r.past(i), strings.HasSuffix(t.text, "ing") && r.goesOn(i):
			return true
		}
	}
	first := r.tokens[min(1, len(r.tokens)):]
	return len(first) > 0 && (r.tokens[0].text == "a" || r.tokens[0].text == "an" || r.tokens[0].kind == numberToken)
}

// past reports whether a word in -ed at i is what somebody did.
func (r Reading) past(i int) bool {
	if i == 0 {
		return false
	}
	before := r.tokens[i-1]
	return before.role&contentRole != 0 || before.text == "was" || before.text == "were" || before.text == "had" || before.text == "he" || before.text == "she"
}

// goesOn reports whether a word in -ing at i is what somebody is doing.
func (r Reading) goesOn(i int) bool {
	return i > 0 && (beForms.Has(r.tokens[i-1].text) || r.tokens[i-1].role&contentRole != 0 && !r.tokens[i].breaks)
}

var pastForms = lazy.NewWords(`
	said took ran wrote sent held found told gave went made knew grew began chose rose fell broke spoke lost met paid ate drew
	sold bought thought taught led sang sat stood threw caught won was were did had
`)

// word gives a token as it was written, for messages.
func (r Reading) word(i int) string { return r.tokens[i].raw }
