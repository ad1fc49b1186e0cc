package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"brenner"
	"brenner/claim"
	"brenner/internal/order"
)

// AlikeThreshold is the cosine from which two statements are compared word by
// word. It is far below the playbook's: what differs only in a negation or a
// number may lie well apart, and the words decide.
const AlikeThreshold = 0.6

// Assumptions looks for assumptions that clash, of different modules or of one
// (C25). Structured ones that cannot both hold are ASSUMPTION_CONFLICT.
// ASSUMPTION_SUSPECT are structured ones of which that depends on what is
// meant, and statements that are nearly the same but for a negation, an
// opposite, a quantifier or a number. What the structure of two assumptions
// proves compatible is not suspected for its words. The order of the assumptions
// does not matter; findings are in id order.
//
// It reports LIMIT_EXCEEDED for more than brenner.MaxAssumptions. Other errors
// are those of Embed; without it only structure is compared.
func Assumptions(all []Assumption, o Options) (Report, error) {
	if len(all) > brenner.MaxAssumptions {
		return Report{}, brenner.Errorf(brenner.CodeLimitExceeded, "%d assumptions, more than %d", len(all), brenner.MaxAssumptions).
			WithHint("check some modules at a time")
	}
	c, err := Collect(all, o)
	if err != nil {
		return Report{}, err
	}
	return c.report(func(int) bool { return true }), nil
}

// Claimed is a collection of assumptions, prepared so that those of one version
// after the other can be held against all: each time in time that grows with
// their number and not with its square.
type Claimed struct {
	all     []Assumption
	o       Options
	vectors [][]float32
	// subjects are what the structured ones are about: only those of one subject
	// are compared by structure. 0 is none.
	subjects   []int
	structures []*structure
	readings   []*claim.Reading
}

// Collect prepares assumptions. Errors are those of Embed.
func Collect(all []Assumption, o Options) (*Claimed, error) {
	if o.Threshold == 0 {
		o.Threshold = AlikeThreshold
	}
	sorted := slices.Clone(all)
	order.By(sorted, func(a, b Assumption) int {
		return cmp.Or(cmp.Compare(a.Ref.Artifact, b.Ref.Artifact), cmp.Compare(a.Ref.Version, b.Ref.Version),
			cmp.Compare(a.Place, b.Place), cmp.Compare(a.Statement, b.Statement))
	})
	c := &Claimed{
		all: sorted, o: o, vectors: make([][]float32, len(sorted)),
		subjects: make([]int, len(sorted)), structures: make([]*structure, len(sorted)), readings: make([]*claim.Reading, len(sorted)),
	}
	numbers, statements := map[string]int{"": 0}, make([]string, len(sorted))
	for i, a := range sorted {
		statements[i] = a.Statement
		subject := structuredSubject(a)
		if _, known := numbers[subject]; !known {
			numbers[subject] = len(numbers)
		}
		c.subjects[i] = numbers[subject]
	}
	if o.Embed != nil {
		made, err := embedAll(o.Embed, statements)
		if err != nil {
			return nil, err
		}
		c.vectors = made
	}
	return c, nil
}

// About looks only for what an assumption of a version clashes with: of the
// findings of Assumptions those that name it.
func (c *Claimed) About(ref brenner.Ref) Report {
	return c.report(func(i int) bool { return c.all[i].Ref == ref })
}

// report compares every pair of which one is wanted.
func (c *Claimed) report(wanted func(int) bool) Report {
	report := Report{Findings: []Finding{}}
	var every, some []int
	for i := range c.all {
		if every = append(every, i); wanted(i) {
			some = append(some, i)
		}
	}
	for i, a := range c.all {
		others := every[i+1:]
		if !wanted(i) {
			after, _ := slices.BinarySearch(some, i)
			others = some[after:]
		}
		quota := quota{said: c.o.Said}
		for _, j := range others {
			f, clash := c.clash(i, j)
			if !clash {
				continue
			}
			f.Target, f.Other, f.Place, f.Excerpt = a.Ref, &c.all[j].Ref, a.Place, excerpt(a.Statement)
			if !quota.takes(f) {
				report.More++
				continue
			}
			report.Findings = append(report.Findings, f)
		}
	}
	return report
}

// clash compares two assumptions. An artifact is not held against itself.
func (c *Claimed) clash(i, j int) (Finding, bool) {
	if c.all[i].Ref == c.all[j].Ref {
		return Finding{}, false
	}
	if c.subjects[i] != 0 && c.subjects[i] == c.subjects[j] {
		a, b := c.structure(i), c.structure(j)
		if outcome := a.compare(b); outcome != unrelated {
			return structured(a, b, outcome)
		}
	}
	similarity := rounded(cosine(c.vectors[i], c.vectors[j]))
	if similarity < c.o.Threshold {
		return Finding{}, false
	}
	f, clash := suspect(c.structure(i), c.structure(j), c.reading(i), c.reading(j), c.o.Words)
	f.Similarity = similarity
	return f, clash
}

func (c *Claimed) structure(i int) structure {
	if c.structures[i] == nil {
		s := newStructure(c.all[i])
		c.structures[i] = &s
	}
	return *c.structures[i]
}

func (c *Claimed) reading(i int) claim.Reading {
	if c.readings[i] == nil {
		r := claim.Read(c.all[i].Statement)
		c.readings[i] = &r
	}
	return *c.readings[i]
}

// structured words how two assumptions about one subject stand to each other.
func structured(a, b structure, outcome outcome) (Finding, bool) {
	if outcome < possible {
		return Finding{}, false
	}
	says := both(a.source, b.source, a.String(), b.String())
	switch outcome {
	case excluded:
		return Finding{
			Code: brenner.CodeAssumptionConflict, Severity: brenner.SeverityError, Sure: Certain,
			Message: says + ": both cannot hold",
			Hint:    "decide between them, or give them the conditions under which each holds",
		}, true
	case doubtful:
		return Finding{
			Code: brenner.CodeAssumptionSuspect, Severity: brenner.SeverityInfo, Sure: Likely,
			Message: says + ": perhaps both cannot hold",
			Hint:    "see whether both can hold; with the relation equals they cannot",
		}, true
	case possible, unrelated, compatible:
	}
	return Finding{
		Code: brenner.CodeAssumptionSuspect, Severity: brenner.SeverityInfo, Sure: Possible,
		Message: says + ": both can hold only if the condition makes the difference",
		Hint:    "give both the condition under which they hold",
	}, true
}

// suspect compares two statements: nearly the same, but one the contrary of the
// other. Under different conditions both can hold.
func suspect(a, b structure, x, y claim.Reading, words claim.Lexicon) (Finding, bool) {
	if a.condition != b.condition && claim.Compare(claim.Read(a.condition), claim.Read(b.condition), nil).Verdict != claim.Same {
		return Finding{}, false
	}
	c := claim.Compare(x, y, words)
	if c.Verdict != claim.Opposed {
		return Finding{}, false
	}
	statementA, statementB := fmt.Sprintf("%q", excerpt(a.source.Statement)), fmt.Sprintf("%q", excerpt(b.source.Statement))
	return Finding{
		Code: brenner.CodeAssumptionSuspect, Severity: brenner.SeverityInfo, Sure: Possible,
		Message: both(a.source, b.source, statementA, statementB) + ": they differ in " + differing(c.Differences[0]),
		Hint:    "see whether both can hold; give them subject, relation and value, or settle it by a test",
	}, true
}

// both says who assumes what.
func both(a, b Assumption, x, y string) string {
	if a.Module == b.Module {
		return fmt.Sprintf("%s assumes both that %s and that %s", a.Module, x, y)
	}
	return fmt.Sprintf("%s assumes that %s, %s that %s", a.Module, x, b.Module, y)
}

// differing says in what two statements differ.
func differing(d claim.Difference) string {
	switch d.Kind {
	case claim.Numbers, claim.Bounds:
		return fmt.Sprintf("numbers, %s and %s", d.Ours, d.Theirs)
	case claim.Quantifier:
		return "how much is meant"
	case claim.Order:
		return "the order of things"
	case claim.Negation, claim.Scope, claim.Strength, claim.Object, claim.Remark:
	}
	return "a negation or an opposite"
}

// rounded gives a cosine in steps of a millionth.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
