package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/playbook"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Assumption is something a module takes for granted: the content of an
// assumption artifact.
type Assumption struct {
	Ref       brenner.Ref
	Module    brenner.Module
	Statement string
	// Subject, Relation and Value say it for programs; an assumption without
	// all of them is compared by its statement only. Denied turns it round.
	Subject  string
	Relation string
	Value    string
	Denied   bool
}

// ParseAssumption reads the content of an assumption artifact; what it does not
// know it leaves alone. An assumption that was falsified is no longer one: held
// is then false. It reports INVALID_JSON.
func ParseAssumption(ref brenner.Ref, module brenner.Module, content jsontext.Value) (a Assumption, held bool, err error) {
	if err := canon.Check(content); err != nil {
		return Assumption{}, false, err
	}
	var raw struct {
		Statement string         `json:"statement"`
		Subject   string         `json:"subject"`
		Relation  string         `json:"relation"`
		Value     jsontext.Value `json:"value"`
		Polarity  string         `json:"polarity"`
		Status    string         `json:"status"`
	}
	if err := json.Unmarshal(content, &raw); err != nil {
		return Assumption{}, false, brenner.Errorf(brenner.CodeInvalidJSON, "not the content of an assumption").Because(err).
			WithHint("`brenner artifact types assumption` prints the schema")
	}
	value := string(raw.Value)
	if raw.Value.Kind() == '"' {
		if err := json.Unmarshal(raw.Value, &value); err != nil {
			return Assumption{}, false, err
		}
	}
	return Assumption{
		Ref: ref, Module: module, Statement: raw.Statement,
		Subject: raw.Subject, Relation: raw.Relation, Value: value, Denied: raw.Polarity == "denied",
	}, raw.Status != "falsified", nil
}

// AlikeThreshold is the cosine from which two statements count as nearly the
// same. It is below the playbook's, because what it lets through is only looked
// at.
const AlikeThreshold = 0.75

// Assumptions looks for assumptions of different modules that clash (C25):
// structured ones that cannot both hold are ASSUMPTION_CONFLICT; statements that
// are nearly the same but for a negation or a number are ASSUMPTION_SUSPECT. The
// order of the assumptions does not matter; findings are in id order.
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
		return cmp.Or(cmp.Compare(a.Ref.Artifact, b.Ref.Artifact), cmp.Compare(a.Ref.Version, b.Ref.Version))
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
	return compareAll(sorted, vectors, o.Threshold), nil
}

func compareAll(all []Assumption, vectors [][]float32, threshold float64) Report {
	claims := make([]claim, len(all))
	for i, a := range all {
		claims[i] = newClaim(a)
	}
	report := Report{Findings: []Finding{}}
	for i, a := range all {
		found := 0
		for j := i + 1; j < len(all); j++ {
			if a.Module == all[j].Module {
				continue
			}
			f, clash := structured(claims[i], claims[j])
			if !clash {
				f, clash = suspect(a, all[j], vectors[i], vectors[j], threshold)
			}
			if !clash {
				continue
			}
			if found++; found > brenner.MaxCheckFindings {
				report.More++
				continue
			}
			f.Target, f.Other, f.Excerpt = a.Ref, &all[j].Ref, excerpt(a.Statement)
			report.Findings = append(report.Findings, f)
		}
	}
	return report
}

// suspect compares two statements: nearly the same, but for a negation or a
// number. What the words say is for the playbook's guard to tell.
func suspect(a, b Assumption, va, vb []float32, threshold float64) (Finding, bool) {
	similarity := rounded(cosine(va, vb))
	if alike := similarity >= threshold; !alike {
		return Finding{}, false
	}
	clash, found := playbook.Guard{}.Clash(a.Statement, b.Statement)
	if !found || clash.Why != playbook.ClashNumbers && clash.Why != playbook.ClashNegation {
		return Finding{}, false
	}
	differ := "in a negation"
	if clash.Why == playbook.ClashNumbers {
		differ = fmt.Sprintf("in numbers, %s and %s", clash.Ours, clash.Theirs)
	}
	return Finding{
		Code: brenner.CodeAssumptionSuspect, Severity: brenner.SeverityInfo, Similarity: similarity,
		Message: fmt.Sprintf("%s assumes nearly what %s does, but they differ %s: %q, %q",
			a.Module, b.Module, differ, excerpt(a.Statement), excerpt(b.Statement)),
		Hint: "see whether both can hold; give them subject, relation and value, or settle it by a test",
	}, true
}

// structured compares what two assumptions say of one subject.
func structured(a, b claim) (Finding, bool) {
	if a.subject == "" || a.subject != b.subject {
		return Finding{}, false
	}
	says := fmt.Sprintf("%s assumes that %s, %s that %s", a.source.Module, a, b.source.Module, b)
	switch a.compare(b) {
	case excluded:
		return Finding{
			Code: brenner.CodeAssumptionConflict, Severity: brenner.SeverityError,
			Message: says + ": both cannot hold",
			Hint:    "decide between them, or make one depend on its conditions",
		}, true
	case doubtful:
		return Finding{
			Code: brenner.CodeAssumptionSuspect, Severity: brenner.SeverityInfo,
			Message: says + ": perhaps both cannot hold",
			Hint:    "see whether both can hold; with the relation equals they cannot",
		}, true
	}
	return Finding{}, false
}

// claim is an assumption as far as its structure says something.
type claim struct {
	source   Assumption
	subject  string // "" without structure
	relation string
	value    string
	denied   bool
	number   float64 // of a value that is a quantity
	unit     string
	quantity bool
}

func newClaim(a Assumption) claim {
	c := claim{source: a, denied: a.Denied}
	c.subject, c.relation, c.value = normal(a.Subject), relationName(a.Relation), normal(a.Value)
	if c.subject == "" || c.relation == "" || c.value == "" {
		return claim{source: a}
	}
	c.number, c.unit, c.quantity = quantity(a.Value)
	return c
}

func (c claim) String() string {
	not := ""
	if c.denied {
		not = "not "
	}
	return fmt.Sprintf("%s%q %s %q", not, c.source.Subject, c.source.Relation, c.source.Value)
}

// normal gives words in one spelling: lower case, blanks for other separators.
func normal(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '_' || r == '\t' || r == '\n' }), " ")
}

// The relations that programs can reason about; any other only clashes with
// its own denial. They have other spellings too.
const (
	is       = "is"     // a property; a thing may have several
	equals   = "equals" // the one value
	atLeast  = "at least"
	atMost   = "at most"
	moreThan = "more than"
	lessThan = "less than"
)

var relationNames = map[string]string{
	"are": is, "equal to": equals, "=": equals, "==": equals,
	">=": atLeast, "≥": atLeast, "min": atLeast, "minimum": atLeast,
	"<=": atMost, "≤": atMost, "max": atMost, "maximum": atMost,
	"greater than": moreThan, "above": moreThan, "exceeds": moreThan, ">": moreThan,
	"below": lessThan, "under": lessThan, "<": lessThan,
}

func relationName(s string) string {
	s = normal(s)
	if name, ok := relationNames[s]; ok {
		return name
	}
	return s
}

// quantity reads a number and what follows it as its unit.
func quantity(s string) (number float64, unit string, ok bool) {
	s = strings.TrimSpace(s)
	end := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) })
	if end < 0 {
		end = len(s)
	}
	for ; end > 0; end-- { // "5e" is 5 of the unit e
		if n, err := strconv.ParseFloat(s[:end], 64); err == nil && !math.IsInf(n, 0) {
			return n, normal(s[end:]), true
		}
	}
	return 0, "", false
}

// outcome is how two claims about one subject stand to each other.
type outcome int

const (
	compatible outcome = iota
	doubtful           // whether both can hold depends on what is meant
	excluded           // both cannot hold
)

func (c claim) compare(o claim) outcome {
	values := c.states() && o.states()
	if (c.relation == o.relation || values) && c.sameValue(o) && c.denied != o.denied {
		return excluded
	}
	if c.quantity || o.quantity {
		a, bounded := c.interval()
		b, too := o.interval()
		if bounded && too && c.quantity && o.quantity && c.unit == o.unit && a.apart(b) {
			return excluded
		}
		return compatible
	}
	switch {
	case !values || c.denied || o.denied || c.sameValue(o):
		return compatible
	case c.relation == equals && o.relation == equals, c.truth() && o.truth():
		return excluded
	}
	return doubtful
}

// states reports whether the claim gives its subject a value.
func (c claim) states() bool { return c.relation == is || c.relation == equals }

// truth reports whether the value is true or false.
func (c claim) truth() bool { return c.value == "true" || c.value == "false" }

func (c claim) sameValue(o claim) bool {
	if c.quantity && o.quantity {
		return c.number == o.number && c.unit == o.unit
	}
	return c.value == o.value
}

// interval is the numbers a claim leaves open.
type interval struct {
	low, high         float64
	openLow, openHigh bool // the bound itself is excluded
}

// apart reports whether two intervals have no number in common.
func (a interval) apart(b interval) bool {
	return a.before(b) || b.before(a)
}

func (a interval) before(b interval) bool {
	return a.high < b.low || a.high == b.low && (a.openHigh || b.openLow)
}

// interval gives the numbers that a claim allows; a claim that only excludes
// one number, or says nothing of size, has none.
func (c claim) interval() (interval, bool) {
	below, above := math.Inf(-1), math.Inf(1)
	relation := c.relation
	if c.denied {
		relation = map[string]string{atLeast: lessThan, lessThan: atLeast, atMost: moreThan, moreThan: atMost}[relation]
	}
	switch relation {
	case is, equals:
		return interval{low: c.number, high: c.number}, true
	case atLeast:
		return interval{low: c.number, high: above}, true
	case moreThan:
		return interval{low: c.number, high: above, openLow: true}, true
	case atMost:
		return interval{low: below, high: c.number}, true
	case lessThan:
		return interval{low: below, high: c.number, openHigh: true}, true
	}
	return interval{}, false
}

// rounded gives a cosine in steps of a millionth.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
