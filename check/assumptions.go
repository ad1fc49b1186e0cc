package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"brenner"
	"brenner/claim"
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
	if o.Threshold == 0 {
		o.Threshold = AlikeThreshold
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Assumption) int {
		return cmp.Or(cmp.Compare(a.Ref.Artifact, b.Ref.Artifact), cmp.Compare(a.Ref.Version, b.Ref.Version),
			cmp.Compare(a.Place, b.Place), cmp.Compare(a.Statement, b.Statement))
	})
	vectors := make([][]float32, len(sorted))
	if o.Embed != nil {
		statements := make([]string, len(sorted))
		for i, a := range sorted {
			statements[i] = a.Statement
		}
		made, err := embedAll(o.Embed, statements)
		if err != nil {
			return Report{}, err
		}
		vectors = made
	}
	return compareAll(sorted, vectors, o), nil
}

func compareAll(all []Assumption, vectors [][]float32, o Options) Report {
	structures := make([]structure, len(all))
	for i, a := range all {
		structures[i] = newStructure(a)
	}
	readings := make([]*claim.Reading, len(all))
	read := func(i int) claim.Reading {
		if readings[i] == nil {
			r := claim.Read(all[i].Statement)
			readings[i] = &r
		}
		return *readings[i]
	}
	report := Report{Findings: []Finding{}}
	for i, a := range all {
		found := 0
		for j := i + 1; j < len(all); j++ {
			if a.Ref == all[j].Ref {
				continue // an artifact is not held against itself
			}
			if o.About != (brenner.Ref{}) && a.Ref != o.About && all[j].Ref != o.About {
				continue
			}
			f, clash := structured(structures[i], structures[j])
			if !clash && structures[i].compare(structures[j]) == unrelated {
				if similarity := rounded(cosine(vectors[i], vectors[j])); similarity >= o.Threshold {
					f, clash = suspect(structures[i], structures[j], read(i), read(j), o.Words)
					f.Similarity = similarity
				}
			}
			if !clash {
				continue
			}
			if found++; found > brenner.MaxCheckFindings {
				report.More++
				continue
			}
			f.Target, f.Other, f.Place, f.Excerpt = a.Ref, &all[j].Ref, a.Place, excerpt(a.Statement)
			report.Findings = append(report.Findings, f)
		}
	}
	return report
}

// structured compares what two assumptions say of one subject.
func structured(a, b structure) (Finding, bool) {
	outcome := a.compare(b)
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
