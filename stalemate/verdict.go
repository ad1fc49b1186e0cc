package stalemate

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/anchor"

	"github.com/go-json-experiment/json/jsontext"
)

// Outcome is what an arbiter found.
type Outcome string

// The outcomes (S5).
const (
	HypothesisUpheld     Outcome = "hypothesis_upheld"
	OtherCause           Outcome = "other_cause"
	InsufficientEvidence Outcome = "insufficient_evidence"
	NotReproducible      Outcome = "not_reproducible"
)

// Ruling is what an arbiter says of one hypothesis.
type Ruling string

// The rulings.
const (
	Upheld       Ruling = "upheld"
	Refuted      Ruling = "refuted"
	Undetermined Ruling = "undetermined"
)

// Verdict is the content of a verdict artifact.
type Verdict struct {
	Arbiter   brenner.ActorName `json:"arbiter"`
	Round     int               `json:"round"`
	Outcome   Outcome           `json:"outcome"`
	RootCause string            `json:"root_cause"`
	// Explanation leads from the evidence to the root cause, step by step.
	Explanation []string  `json:"explanation"`
	Findings    []Finding `json:"findings"`
	Remedy      string    `json:"remedy"`
	// Patch is the remedy, if it is a patch. One of the mechanical arbiter
	// applies; Remedy says how sure it is that it was meant.
	Patch        jsontext.Value `json:"patch,omitzero"`
	Verification string         `json:"verification"`
}

// Finding answers one hypothesis.
type Finding struct {
	Hypothesis string   `json:"hypothesis"`
	Ruling     Ruling   `json:"ruling"`
	Reason     string   `json:"reason"`
	Evidence   []string `json:"evidence"`
}

// CheckVerdict reports ARBITER_IS_PARTY, or INVALID_VERDICT with a pointer,
// unless the verdict answers the stalemate: decided by somebody else, one
// finding per hypothesis, each citing evidence that exists, and an outcome that
// agrees with the findings.
func CheckVerdict(s Stalemate, v Verdict) error {
	if err := v.Arbiter.Check(); err != nil {
		return badVerdict("/arbiter", "%q is not a name", brenner.Clip(string(v.Arbiter), brenner.MaxQuote))
	}
	if s.isParty(v.Arbiter) {
		return arbiterIsParty(v.Arbiter)
	}
	if v.Round != s.Round {
		return badVerdict("/round", "the verdict is for round %d, the stalemate is in round %d", v.Round, s.Round)
	}
	for _, f := range []struct{ pointer, text string }{
		{"/root_cause", v.RootCause},
		{"/remedy", v.Remedy},
		{"/verification", v.Verification},
		{"/explanation", strings.Join(v.Explanation, "")},
	} {
		if strings.TrimSpace(f.text) == "" {
			return badVerdict(f.pointer, "%s is empty", f.pointer[1:])
		}
	}
	if v.Patch != nil {
		if _, err := anchor.Parse(v.Patch); err != nil {
			return badVerdict("/patch", "the patch cannot be read: %v", err)
		}
	}
	for i, f := range v.Findings {
		if err := s.checkFinding(f, fmt.Sprintf("/findings/%d", i)); err != nil {
			return err
		}
	}
	return s.checkFindings(v)
}

// checkFinding holds that a ruling rests on evidence that is really there; only
// an undetermined one may rest on evidence that is missing.
func (s Stalemate) checkFinding(f Finding, at string) error {
	about := slices.IndexFunc(s.All(), func(h Hypothesis) bool { return h.ID == f.Hypothesis })
	if about < 0 {
		return badVerdict(at+"/hypothesis", "there is no hypothesis %q", brenner.Clip(f.Hypothesis, brenner.MaxQuote))
	}
	if !slices.Contains([]Ruling{Upheld, Refuted, Undetermined}, f.Ruling) {
		return badVerdict(at+"/ruling", "unknown ruling %q", brenner.Clip(string(f.Ruling), brenner.MaxQuote)).WithHint("use upheld, refuted or undetermined")
	}
	if h := s.All()[about]; h.unsaid() && f.Ruling != Undetermined {
		return badVerdict(at+"/ruling", "%s has not said yet what it holds, so that %s cannot be %s", h.Author, h.ID, f.Ruling).
			WithHint("wait for its reply, or leave it undetermined")
	}
	if strings.TrimSpace(f.Reason) == "" {
		return badVerdict(at+"/reason", "the reason is empty")
	}
	if len(f.Evidence) == 0 {
		return badVerdict(at+"/evidence", "the finding cites no evidence")
	}
	present := false
	for i, id := range f.Evidence {
		k := slices.IndexFunc(s.Evidence, func(e Evidence) bool { return e.ID == id })
		if k < 0 {
			return badVerdict(fmt.Sprintf("%s/evidence/%d", at, i), "there is no evidence %q", brenner.Clip(id, brenner.MaxQuote))
		}
		present = present || !s.Evidence[k].Missing
	}
	if !present && f.Ruling != Undetermined {
		return badVerdict(at+"/evidence", "%s rests on missing evidence only", f.Ruling)
	}
	return nil
}

// checkFindings holds the findings together and against the outcome.
func (s Stalemate) checkFindings(v Verdict) error {
	var upheld []Hypothesis
	for _, h := range s.All() {
		n := 0
		for _, f := range v.Findings {
			if f.Hypothesis == h.ID {
				n++
				if f.Ruling == Upheld {
					upheld = append(upheld, h)
				}
			}
		}
		if n != 1 {
			return badVerdict("/findings", "hypothesis %s has %d findings; it needs one", h.ID, n)
		}
	}
	if err := s.checkOpposed(upheld); err != nil {
		return err
	}
	switch v.Outcome {
	case HypothesisUpheld:
		if len(upheld) == 0 {
			return badVerdict("/outcome", "no finding upholds a hypothesis")
		}
	case OtherCause, InsufficientEvidence, NotReproducible:
		if len(upheld) > 0 {
			return badVerdict("/outcome", "%s, but a finding upholds a hypothesis", v.Outcome)
		}
	default:
		return badVerdict("/outcome", "unknown outcome %q", brenner.Clip(string(v.Outcome), brenner.MaxQuote)).
			WithHint("use hypothesis_upheld, other_cause, insufficient_evidence or not_reproducible")
	}
	return nil
}

// checkOpposed refuses to say that opposed hypotheses both hold: two that name
// different causes, or those of all parties, who would not be in a stalemate if
// they meant the same.
func (s Stalemate) checkOpposed(upheld []Hypothesis) error {
	parties := 0
	for i, a := range upheld {
		for _, b := range upheld[:i] {
			if opposed(a, b) {
				return badVerdict("/findings", "%s and %s are opposed and cannot both be upheld", b.ID, a.ID).
					WithHint("uphold the one that names the root cause; the other is refuted or undetermined")
			}
		}
		if s.isParty(a.Author) {
			parties++
		}
	}
	if parties == len(s.Hypotheses) && !sameCause(s.Hypotheses) {
		return badVerdict("/findings", "the parties disagree, and the findings uphold all of them").
			WithHint("uphold the hypothesis that names the root cause; the others are refuted or undetermined")
	}
	return nil
}

// sameCause says that hypotheses all name one cause.
func sameCause(list []Hypothesis) bool {
	return slices.ContainsFunc(claimed(list[0]).causes, func(c anchor.Cause) bool {
		return !slices.ContainsFunc(list[1:], func(h Hypothesis) bool { return !names(claimed(h).causes, c) })
	})
}

func badVerdict(pointer, format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidVerdict, format, args...).At(pointer)
}
