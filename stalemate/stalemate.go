// Package stalemate settles disagreements between agents that cannot get any
// further by themselves.
//
// A Stalemate records who disagrees, what each party believes and why, what
// was tried, what should have happened, and the evidence, named by its hash.
// It moves through states (see State) until a Verdict of somebody who is not a
// party is accepted, carried out and verified, or the matter is reopened as
// another round. For stalemates about patches a mechanical arbiter (Arbitrate)
// replays base and patch and drafts the verdict.
//
// Import and Export speak Stalemate_Protocol_v1.1.
//
// The package is pure: times and names are values, and nothing is changed in
// place.
package stalemate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/anchor"
	"brenner/canon"
)

// Stalemate is the content of a stalemate artifact.
type Stalemate struct {
	// RaisedAt is an RFC 3339 instant, kept as it was written.
	RaisedAt string `json:"raised_at"`
	Summary  string `json:"summary"`
	// Target names what the stalemate is about: a file or an artifact.
	Target string `json:"target,omitzero"`
	// Hypotheses has one entry per party, alternatives come from nobody or
	// anybody. Their ids are h1, h2… across both lists.
	Hypotheses   []Hypothesis `json:"hypotheses"`
	Alternatives []Hypothesis `json:"alternatives"`
	Attempts     []Attempt    `json:"attempts,omitempty"`
	Expected     string       `json:"expected_behaviour,omitzero"`
	Evidence     []Evidence   `json:"evidence"`
	Request      string       `json:"arbitration_request"`
	// State, Round and History are how far it has come. Whoever stores a
	// stalemate may keep them elsewhere and leave them out of its content.
	State State `json:"state,omitzero"`
	// Round counts from 1; reopening adds one.
	Round   int     `json:"round,omitzero"`
	History []Event `json:"history,omitempty"`
}

// Hypothesis is what somebody believes the cause to be. A party that has not
// said so yet has one without a statement.
type Hypothesis struct {
	ID            string            `json:"id"`
	Author        brenner.ActorName `json:"author,omitzero"`
	Statement     string            `json:"statement,omitzero"`
	Justification string            `json:"justification,omitzero"`
	// Cause may name the cause in the words of the patch explainer (Causes);
	// without it the mechanical arbiter reads the statement, as far as it can.
	Cause string `json:"cause,omitzero"`
}

// unsaid says that a party has yet to say what it holds.
func (h Hypothesis) unsaid() bool {
	return strings.TrimSpace(h.Statement) == "" && strings.TrimSpace(h.Justification) == "" && h.Cause == ""
}

// Attempt is something that was tried and did not help.
type Attempt struct {
	At      string            `json:"at,omitzero"`
	Actor   brenner.ActorName `json:"actor,omitzero"`
	Action  string            `json:"action"`
	Outcome string            `json:"outcome"`
}

// Parties are the authors of the hypotheses.
func (s Stalemate) Parties() []brenner.ActorName {
	var names []brenner.ActorName
	for _, h := range s.Hypotheses {
		names = append(names, h.Author)
	}
	return names
}

// isParty says that somebody is one of the parties. Names that differ in case
// only are one name here: nobody judges a case of their own by writing it
// differently.
func (s Stalemate) isParty(name brenner.ActorName) bool {
	return slices.ContainsFunc(s.Parties(), func(p brenner.ActorName) bool { return strings.EqualFold(string(p), string(name)) })
}

// All lists hypotheses and alternatives.
func (s Stalemate) All() []Hypothesis { return slices.Concat(s.Hypotheses, s.Alternatives) }

// Raise makes a new stalemate: ids, digests, state and round are set, the rest
// is taken as given. It refuses placeholder evidence (EVIDENCE_PLACEHOLDER,
// one diagnostic for each) and whatever Check refuses.
func Raise(s Stalemate) (Stalemate, error) {
	s = begin(s)
	if err := s.Check(); err != nil {
		return Stalemate{}, err
	}
	if err := placeholders(s.Evidence, 0); err != nil {
		return Stalemate{}, err
	}
	return s, nil
}

// InOwnWords reports INVALID_STALEMATE where somebody who raises a stalemate
// says what another party holds (S4): a party is named, is told, and speaks for
// itself. Whoever is a party says what it holds at once.
func (s Stalemate) InOwnWords(by brenner.ActorName) error {
	for i, h := range s.Hypotheses {
		at := fmt.Sprintf("/hypotheses/%d/statement", i)
		switch own := strings.EqualFold(string(h.Author), string(by)); {
		case own && h.unsaid():
			return invalid(at, "say what you hold to be the cause")
		case !own && !h.unsaid():
			return invalid(at, "%s says itself what it holds", brenner.Clip(string(h.Author), brenner.MaxQuote)).
				WithHint("name the party without a statement; it is told by message, and replies")
		}
	}
	return nil
}

// Again is the stalemate with the evidence that another round needs (S5): at
// least one piece whose content is not there yet, otherwise EVIDENCE_REQUIRED.
// It refuses what With refuses.
func (s Stalemate) Again(more []Evidence) (Stalemate, error) {
	next, err := s.With(more)
	if err != nil {
		return Stalemate{}, err
	}
	fresh := slices.ContainsFunc(next.Evidence[len(s.Evidence):], func(e Evidence) bool {
		return !slices.ContainsFunc(s.Evidence, func(old Evidence) bool { return old.Digest == e.Digest })
	})
	if !fresh {
		return Stalemate{}, brenner.Errorf(brenner.CodeEvidenceRequired, "another round needs evidence that this one did not have").
			WithHint("attach what has come to light since; what did not change the verdict will not").At("/evidence")
	}
	return next, nil
}

// With adds evidence, as when a stalemate is reopened because the last verdict
// lacked some. What is there keeps its ids. It refuses placeholders as Raise
// does; pointers are into more.
func (s Stalemate) With(more []Evidence) (Stalemate, error) {
	had := len(s.Evidence)
	s.Evidence = slices.Concat(s.Evidence, more)
	for i := had; i < len(s.Evidence); i++ {
		s.Evidence[i] = s.Evidence[i].addressed(i + 1)
	}
	if err := s.checkEvidence(); err != nil {
		return Stalemate{}, err
	}
	if err := placeholders(s.Evidence[had:], had); err != nil {
		return Stalemate{}, err
	}
	return s, nil
}

// Stated puts a party's own words in the place of what it said before, or of
// what an imported request says that it holds. It reports INVALID_STALEMATE for somebody who is no party, or for words that
// are missing.
func (s Stalemate) Stated(by brenner.ActorName, statement, justification, cause string) (Stalemate, error) {
	i := slices.IndexFunc(s.Hypotheses, func(h Hypothesis) bool { return h.Author == by })
	if i < 0 {
		return Stalemate{}, invalid("/statement", "%s is no party and holds no hypothesis here", by)
	}
	s.Hypotheses = slices.Clone(s.Hypotheses)
	s.Hypotheses[i].Statement, s.Hypotheses[i].Justification, s.Hypotheses[i].Cause = statement, justification, cause
	return s, s.Hypotheses[i].check("")
}

// begin numbers hypotheses and evidence, addresses the evidence by content and
// opens the first round.
func begin(s Stalemate) Stalemate {
	s.Hypotheses, s.Alternatives = slices.Clone(s.Hypotheses), slices.Clone(s.Alternatives)
	n := 0
	for _, list := range [][]Hypothesis{s.Hypotheses, s.Alternatives} {
		for i := range list {
			n++
			list[i].ID = fmt.Sprintf("h%d", n)
		}
	}
	s.Evidence = slices.Clone(s.Evidence)
	for i := range s.Evidence {
		s.Evidence[i] = s.Evidence[i].addressed(i + 1)
	}
	s.State, s.Round, s.History = Open, 1, nil
	return s
}

// placeholders refuses evidence that only stands for content. The ids of the
// evidence began after had others.
func placeholders(evidence []Evidence, had int) error {
	var found []brenner.Diagnostic
	for _, e := range evidence {
		if e.Missing {
			found = append(found, brenner.Diagnostic{
				Code: brenner.CodeEvidencePlaceholder, Severity: brenner.SeverityError, Subject: e.ID,
				Message: fmt.Sprintf("%s is a placeholder: %q", e.name(), brenner.Clip(e.Content, 120)),
				Pointer: fmt.Sprintf("/evidence/%d/content", e.position()-had),
			})
		}
	}
	if found == nil {
		return nil
	}
	return brenner.Errorf(brenner.CodeEvidencePlaceholder, "%d of %d pieces of evidence only stand for the content", len(found), len(evidence)).
		WithHint("attach the content itself").WithDiagnostics(found)
}

// Check reports INVALID_STALEMATE or LIMIT_EXCEEDED, with a pointer, unless
// the stalemate is complete: at least two parties with one hypothesis each,
// said or not yet, one to three alternatives, evidence, a summary and a request.
func (s Stalemate) Check() error {
	if _, err := time.Parse(time.RFC3339, s.RaisedAt); err != nil {
		return invalid("/raised_at", "%q is not an RFC 3339 instant", brenner.Clip(s.RaisedAt, brenner.MaxQuote))
	}
	if strings.TrimSpace(s.Summary) == "" {
		return invalid("/summary", "the summary is empty")
	}
	if strings.TrimSpace(s.Request) == "" {
		return invalid("/arbitration_request", "the request is empty")
	}
	if err := s.checkParties(); err != nil {
		return err
	}
	if n := len(s.Alternatives); n < 1 || n > brenner.MaxAlternatives {
		return invalid("/alternatives", "%d alternatives; there must be one to %d", n, brenner.MaxAlternatives).
			WithHint("name at least one cause that no party believes in")
	}
	for i, h := range s.Alternatives {
		if err := h.check(fmt.Sprintf("/alternatives/%d", i)); err != nil {
			return err
		}
	}
	return s.checkEvidence()
}

func (s Stalemate) checkParties() error {
	if len(s.Hypotheses) < 2 {
		return invalid("/hypotheses", "a stalemate has at least two parties, each with a hypothesis")
	}
	var seen []brenner.ActorName
	for i, h := range s.Hypotheses {
		at := fmt.Sprintf("/hypotheses/%d", i)
		if err := h.Author.Check(); err != nil {
			return invalid(at+"/author", "%q is not a name", brenner.Clip(string(h.Author), brenner.MaxQuote))
		}
		if slices.ContainsFunc(seen, func(n brenner.ActorName) bool { return strings.EqualFold(string(n), string(h.Author)) }) {
			return invalid(at+"/author", "%s has two hypotheses", h.Author)
		}
		seen = append(seen, h.Author)
		if h.unsaid() {
			continue
		}
		if err := h.check(at); err != nil {
			return err
		}
	}
	return nil
}

func (h Hypothesis) check(at string) error {
	if strings.TrimSpace(h.Statement) == "" {
		return invalid(at+"/statement", "the statement is empty")
	}
	if strings.TrimSpace(h.Justification) == "" {
		return invalid(at+"/justification", "the justification is empty")
	}
	if h.Cause != "" && !names(Causes(), anchor.Cause(h.Cause)) {
		return invalid(at+"/cause", "unknown cause %q", brenner.Clip(h.Cause, brenner.MaxQuote)).WithHint("leave it out, or use one of " + causeWords())
	}
	return nil
}

func causeWords() string {
	var words []string
	for _, c := range Causes() {
		words = append(words, string(c))
	}
	return strings.Join(words, ", ")
}

func (s Stalemate) checkEvidence() error {
	if len(s.Evidence) == 0 {
		return invalid("/evidence", "there is no evidence").WithHint("attach at least what failed and how")
	}
	if len(s.Evidence) > brenner.MaxEvidence {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%d pieces of evidence; at most %d are allowed", len(s.Evidence), brenner.MaxEvidence).At("/evidence")
	}
	total := 0
	for i, e := range s.Evidence {
		at := fmt.Sprintf("/evidence/%d", i)
		if e.Kind == "" {
			return invalid(at+"/kind", "evidence without a kind")
		}
		if total += len(e.Content); len(e.Content) > brenner.MaxContentBytes || total > brenner.MaxStalemateBytes {
			return brenner.Errorf(brenner.CodeLimitExceeded, "a piece of evidence has at most %d bytes, all together %d", brenner.MaxContentBytes, brenner.MaxStalemateBytes).At(at + "/content")
		}
		if !e.Missing && e.Digest != canon.Sum([]byte(e.Content)) {
			return invalid(at+"/digest", "the digest is not that of the content")
		}
	}
	return nil
}

func invalid(pointer, format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidStalemate, format, args...).At(pointer)
}
