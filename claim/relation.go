package claim

import (
	"slices"
	"strings"
)

// Relation is how a structured claim relates its subject to its value.
type Relation struct {
	// Name is the relation in one spelling, without a negation: "is",
	// "equals", a bound, or any other in stems.
	Name string
	// Bound is the bound that the relation sets, Exactly for "is" and
	// "equals", "" for any other.
	Bound Bound
	// Denied says that the relation is negated: "is not".
	Denied bool
	// Roughly says that the value is about right: "is about".
	Roughly bool
}

// The relations that give a subject its value.
const (
	Is     = "is"     // a property; a thing may have several
	Equals = "equals" // the one value
)

// ParseRelation reads a relation: "at_least", ">=", "is not", "does not exceed",
// "has".
func ParseRelation(text string) Relation {
	tokens := simplify(scan(strings.NewReplacer("_", " ", "-", " ").Replace(separateCapitals(text))))
	var r Relation
	var words []string
	for i, t := range tokens {
		switch {
		case t.text == "not" || t.text == "never":
			r.Denied = !r.Denied
		case t.text == "!" || t.text == "≠":
			r.Denied = !r.Denied
		case slices.ContainsFunc(aboutPhrases(), func(p []string) bool { return len(p) == 1 && p[0] == t.text }) && t.text != "some":
			r.Roughly = true
		case i < len(tokens)-1 && (beForms.Has(t.text) || obligations.Has(t.text) || t.text == "has" || t.text == "have" || t.text == "value" || t.text == "a" || t.text == "the"):
			// "is at least", "has a minimum of"
		default:
			words = append(words, t.text)
		}
	}
	phrase := strings.Join(words, " ")
	if strings.HasPrefix(strings.TrimSpace(text), "!=") || strings.TrimSpace(text) == "≠" {
		return Relation{Name: Equals, Bound: Exactly, Denied: true}
	}
	if b, ok := boundNamed(phrase); ok {
		r.Bound, r.Name = b, string(b)
		if denied := b.denied(); r.Denied && denied != "" {
			r.Bound, r.Name, r.Denied = denied, string(denied), false
		}
		return r
	}
	switch {
	case phrase == "" || beForms.Has(phrase) && len(words) == 1, phrase == "value":
		r.Name, r.Bound = Is, Exactly
	case slices.Contains([]string{"equal", "equals", "equal to", "=", "= =", "exactly", "precisely", "set to", "same as", "identical to"}, phrase):
		r.Name, r.Bound = Equals, Exactly
	case slices.Contains([]string{"between", "in range", "in the range", "range", "ranges from", "within range", "lies between", "in"}, phrase):
		r.Name, r.Bound = string(Within), Within
	default:
		for i, w := range words {
			words[i] = stem(w)
		}
		r.Name = strings.Join(words, " ")
	}
	return r
}

// boundNamed finds the bound that a phrase sets by itself.
func boundNamed(phrase string) (Bound, bool) {
	for _, list := range [][]boundPhrase{boundPhrases(), boundAfter()} {
		for _, p := range list {
			if p.bound != Exactly && strings.Join(p.words, " ") == phrase {
				return p.bound, true
			}
		}
	}
	switch phrase {
	case "gt", "greater", "more", "higher", "larger", "lower bound exclusive":
		return MoreThan, true
	case "lt", "less", "fewer", "lower", "smaller":
		return LessThan, true
	case "gte", "ge", "lower bound", "lower limit":
		return AtLeast, true
	case "lte", "le", "upper bound", "upper limit":
		return AtMost, true
	}
	return "", false
}

// separateCapitals puts blanks into camelCase.
func separateCapitals(s string) string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		if lower && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		lower = r >= 'a' && r <= 'z'
	}
	return b.String()
}

// Subject gives what a claim is about in one spelling: "the decay_rate", "rate
// of decay" and "DecayRates" are one subject.
func Subject(text string) string {
	tokens := scan(strings.ReplaceAll(separateCapitals(text), "_", " "))
	var parts [][]string
	part := []string{}
	for _, t := range tokens {
		switch {
		case t.text == "of":
			parts = append(parts, part)
			part = nil
		case t.kind == wordToken && (t.text == "the" || t.raw == "a" || t.text == "an"):
		case t.kind == wordToken:
			part = append(part, stem(t.text))
		default:
			part = append(part, t.text)
		}
	}
	parts = append(parts, part)
	slices.Reverse(parts)
	return strings.Join(slices.Concat(parts...), " ")
}
