package check

import (
	"fmt"
	"slices"
	"strings"

	"brenner/claim"
)

// structure is an assumption as far as its structure says something.
type structure struct {
	source    Assumption
	subject   string // "" without structure
	relation  claim.Relation
	value     string
	read      claim.Reading // of the value
	denied    bool
	quantity  claim.Quantity
	measured  bool // the value is a quantity
	condition string
}

// structuredSubject is the subject of an assumption whose structure says
// something; "" otherwise.
func structuredSubject(a Assumption) string {
	if strings.TrimSpace(a.Relation) == "" || strings.TrimSpace(a.Value) == "" {
		return ""
	}
	return claim.Subject(a.Subject)
}

func newStructure(a Assumption) structure {
	s := structure{source: a, condition: strings.TrimSpace(a.Condition)}
	subject, value := structuredSubject(a), strings.TrimSpace(a.Value)
	switch strings.ToLower(value) {
	case "yes":
		value = "true"
	case "no":
		value = "false"
	case "none", "nothing":
		value = "0"
	}
	if subject == "" {
		return s
	}
	s.subject, s.relation, s.value = subject, claim.ParseRelation(a.Relation), value
	s.denied = a.Denied != s.relation.Denied
	s.read = claim.Read(value)
	text := value
	if s.relation.Bound == claim.Within {
		text = "between " + value // 3 and 5
	}
	if q, ok := claim.ParseQuantity(text); ok {
		s.measured = true
		s.quantity = q
		if s.relation.Bound != "" {
			s.quantity = s.quantity.Bounded(s.relation.Bound)
		}
		if s.relation.Roughly {
			s.quantity = s.quantity.Roughly()
		}
		s.quantity = s.quantity.About(strings.Fields(subject))
		if s.denied {
			s.quantity = s.quantity.Denied()
		}
	}
	return s
}

func (s structure) String() string {
	not, when := "", ""
	if s.source.Denied {
		not = "not "
	}
	if s.condition != "" {
		when = " if " + s.condition
	}
	return fmt.Sprintf("%s%q %s %q%s", not, s.source.Subject, s.source.Relation, s.source.Value, when)
}

// outcome is how two structured assumptions stand to each other.
type outcome int

const (
	unrelated  outcome = iota // they cannot be compared
	compatible                // both can hold
	possible                  // one of them may hold only under a condition that the other does not name
	doubtful                  // whether both can hold depends on what is meant
	excluded                  // both cannot hold
)

// compare says how two assumptions stand to each other by their structure.
func (s structure) compare(o structure) outcome {
	if s.subject == "" || s.subject != o.subject {
		return unrelated
	}
	out := s.compareValues(o)
	if out < doubtful || s.condition == "" && o.condition == "" {
		return out
	}
	switch {
	case s.condition == "" || o.condition == "":
		return possible
	case claim.Compare(claim.Read(s.condition), claim.Read(o.condition), nil).Verdict != claim.Same:
		return compatible
	}
	return out
}

func (s structure) compareValues(o structure) outcome {
	if s.measured && o.measured {
		return s.compareQuantities(o)
	}
	if s.measured != o.measured {
		return unrelated
	}
	values := claim.Compare(s.read, o.read, nil)
	switch {
	case s.states() && o.states():
		return s.compareStates(o, values)
	case s.relation.Name == o.relation.Name:
		return s.compareOthers(o, values)
	case claim.Opposites(s.relation.Name, o.relation.Name) && s.sameValue(o, values):
		if s.denied != o.denied {
			return compatible
		}
		return doubtful // activates, inhibits
	}
	return unrelated
}

// compareQuantities compares two quantities of one subject.
func (s structure) compareQuantities(o structure) outcome {
	bounded := s.relation.Bound != "" && o.relation.Bound != ""
	if !bounded && s.relation.Name != o.relation.Name {
		return unrelated
	}
	standing := s.quantity.Compare(o.quantity)
	switch {
	case standing == claim.Incomparable:
		return unrelated
	case standing == claim.Exclusive && bounded:
		return excluded
	case standing == claim.Exclusive && (s.denied != o.denied || measuring[s.relation.Name]):
		return doubtful // lasts 2 h, lasts 3 h
	}
	return compatible
}

// measuring are relations that a subject has to one quantity, as a rule.
var measuring = map[string]bool{
	"last": true, "tak": true, "cost": true, "weigh": true, "measur": true, "contain": true, "hav": true, "ha": true, "requir": true,
	"need": true, "us": true, "hold": true, "run": true, "amount to": true, "count": true,
}

// compareStates compares two values of one subject: equals has one, is may have
// several.
func (s structure) compareStates(o structure, values claim.Comparison) outcome {
	same := s.sameValue(o, values)
	switch {
	case same && s.denied != o.denied:
		return excluded
	case same, s.denied && o.denied:
		return compatible
	case s.opposedTo(o, values):
		if s.denied != o.denied {
			return compatible // stable, not unstable
		}
		return excluded
	case s.denied != o.denied:
		return compatible
	case s.relation.Name == claim.Equals && o.relation.Name == claim.Equals:
		if claim.Overlap(s.read, o.read) {
			return unrelated // Euler, the Euler method
		}
		return excluded
	case kindsDiffer(values):
		return doubtful // exponential, linear
	}
	return unrelated
}

// compareOthers compares two values under any other relation: a subject may
// have it to several.
func (s structure) compareOthers(o structure, values claim.Comparison) outcome {
	switch same := s.sameValue(o, values); {
	case same && s.denied != o.denied:
		return excluded
	case same:
		return compatible
	case s.denied == o.denied && s.opposedTo(o, values):
		return doubtful
	}
	return unrelated
}

// sameValue reports whether two values are the same words or mean the same.
func (s structure) sameValue(o structure, values claim.Comparison) bool {
	return claim.Subject(s.value) == claim.Subject(o.value) || values.Verdict == claim.Same && claim.Covers(s.read, o.read)
}

// opposedTo reports whether one value is the opposite of the other: true and
// false, stable and unstable.
func (s structure) opposedTo(_ structure, values claim.Comparison) bool {
	return values.Verdict == claim.Opposed
}

// states reports whether the claim gives its subject a value.
func (s structure) states() bool {
	return s.relation.Name == claim.Is || s.relation.Name == claim.Equals
}

func kindsDiffer(c claim.Comparison) bool {
	return len(c.Differences) == 1 && slices.ContainsFunc(c.Differences, func(d claim.Difference) bool { return d.Kind == claim.Object })
}
