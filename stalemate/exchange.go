package stalemate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/canon"
)

// ProtocolID is the exchange format that Import and Export speak.
const ProtocolID = "Stalemate_Protocol_v1.1"

// The exchange format calls a party's hypothesis by the party's name with this
// suffix, and the alternatives by a name of their own. Attempts and expected
// behaviour, which it does not know, travel as evidence at the end of the list.
const (
	partySuffix     = "_hypothesis"
	alternativesKey = "hallucinated_hypotheses"
	kindAttempt     = "attempt"
	kindExpected    = "expected_behaviour"
)

type wireRequest struct {
	ProtocolID string         `json:"protocol_id"`
	Timestamp  string         `json:"session_timestamp"`
	Summary    string         `json:"stalemate_summary"`
	Hypotheses wireHypotheses `json:"hypotheses"`
	Evidence   []wireEvidence `json:"objective_evidence"`
	Request    string         `json:"arbitration_request"`
}

type wireHypotheses struct {
	Alternatives []wireHypothesis          `json:"hallucinated_hypotheses"`
	Parties      map[string]wireHypothesis `json:",embed"`
}

type wireHypothesis struct {
	Statement     string `json:"statement"`
	Justification string `json:"justification"`
}

type wireEvidence struct {
	Type        string  `json:"type"`
	Description string  `json:"description,omitzero"`
	Content     *string `json:"content,omitzero"`
	FilePath    string  `json:"file_path,omitzero"`
	FileContent *string `json:"file_content,omitzero"`
}

// Import reads a Stalemate_Protocol_v1.1 request. Placeholder evidence is kept
// and marked missing. Export gives the same JSON back.
func Import(raw []byte) (Stalemate, error) {
	if len(raw) > brenner.MaxStalemateBytes {
		return Stalemate{}, brenner.Errorf(brenner.CodeLimitExceeded, "a stalemate of %d bytes; at most %d are allowed", len(raw), brenner.MaxStalemateBytes)
	}
	var w wireRequest
	if err := canon.Unmarshal(raw, &w); err != nil {
		return Stalemate{}, asInvalid(err)
	}
	if w.ProtocolID != ProtocolID {
		return Stalemate{}, invalid("/protocol_id", "protocol %q is not %s", brenner.Clip(w.ProtocolID, brenner.MaxQuote), ProtocolID)
	}
	s := Stalemate{RaisedAt: w.Timestamp, Summary: w.Summary, Request: w.Request}
	for _, key := range slices.Sorted(maps.Keys(w.Hypotheses.Parties)) {
		name, ok := strings.CutSuffix(key, partySuffix)
		if !ok {
			return Stalemate{}, invalid("/hypotheses/"+key, "%q is neither NAME%s nor %s", brenner.Clip(key, brenner.MaxQuote), partySuffix, alternativesKey)
		}
		h := w.Hypotheses.Parties[key]
		s.Hypotheses = append(s.Hypotheses, Hypothesis{Author: brenner.ActorName(name), Statement: h.Statement, Justification: h.Justification})
	}
	for _, h := range w.Hypotheses.Alternatives {
		s.Alternatives = append(s.Alternatives, Hypothesis{Statement: h.Statement, Justification: h.Justification})
	}
	if err := s.importEvidence(w.Evidence); err != nil {
		return Stalemate{}, err
	}
	s = begin(s)
	if err := s.Check(); err != nil {
		return Stalemate{}, inWireNames(err)
	}
	if err := givesBack(s, raw); err != nil {
		return Stalemate{}, err
	}
	return s, nil
}

// givesBack refuses a request that could not be exported as it came, such as
// one with null for a text.
func givesBack(s Stalemate, raw []byte) error {
	want, err := canon.Transform(raw)
	if err != nil {
		return asInvalid(err)
	}
	got, err := Export(s)
	if err != nil {
		return err
	}
	if string(got) != string(want) {
		return invalid("", "the request has empty or null members that %s does not know", ProtocolID).
			WithHint("leave out what is not there")
	}
	return nil
}

// inWireNames points at the member by its name in the exchange format.
func inWireNames(err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, n := range []struct{ ours, theirs string }{
		{"/raised_at", "/session_timestamp"},
		{"/summary", "/stalemate_summary"},
		{"/evidence", "/objective_evidence"},
		{"/alternatives", "/hypotheses/" + alternativesKey},
	} {
		if rest, found := strings.CutPrefix(e.Pointer, n.ours); found {
			return e.At(n.theirs + rest)
		}
	}
	return e
}

func (s *Stalemate) importEvidence(items []wireEvidence) error {
	if n := len(items); n > 0 && items[n-1].plain(kindExpected) {
		s.Expected, items = *items[n-1].Content, items[:n-1]
	}
	for n := len(items); n > 0 && items[n-1].plain(kindAttempt); n = len(items) {
		var a Attempt
		raw := []byte(*items[n-1].Content)
		if canon.Unmarshal(raw, &a) != nil || string(canon.MustMarshal(a)) != string(raw) {
			break
		}
		s.Attempts, items = append([]Attempt{a}, s.Attempts...), items[:n-1]
	}
	for i, w := range items {
		e := Evidence{Kind: w.Type, Description: w.Description, Path: w.FilePath}
		switch {
		case w.Content != nil && w.FilePath == "" && w.FileContent == nil:
			e.Content = *w.Content
		case w.FileContent != nil && w.FilePath != "" && w.Content == nil:
			e.Content = *w.FileContent
		default:
			return invalid(fmt.Sprintf("/objective_evidence/%d", i), "evidence has either content, or file_path and file_content")
		}
		s.Evidence = append(s.Evidence, e)
	}
	return nil
}

// plain says that the evidence is a bare text of one kind.
func (w wireEvidence) plain(kind string) bool {
	return w.Type == kind && w.Content != nil && *w.Content != "" && w.Description == "" && w.FilePath == "" && w.FileContent == nil
}

// Export writes the request as Stalemate_Protocol_v1.1, in canonical JSON.
// State, rounds and machine-readable causes have no place in that format.
func Export(s Stalemate) ([]byte, error) {
	w := wireRequest{
		ProtocolID: ProtocolID, Timestamp: s.RaisedAt, Summary: s.Summary, Request: s.Request,
		Hypotheses: wireHypotheses{Parties: map[string]wireHypothesis{}, Alternatives: []wireHypothesis{}},
		Evidence:   []wireEvidence{},
	}
	for _, h := range s.Hypotheses {
		w.Hypotheses.Parties[string(h.Author)+partySuffix] = wireHypothesis{h.Statement, h.Justification}
	}
	for _, h := range s.Alternatives {
		w.Hypotheses.Alternatives = append(w.Hypotheses.Alternatives, wireHypothesis{h.Statement, h.Justification})
	}
	for _, e := range s.Evidence {
		item := wireEvidence{Type: e.Kind, Description: e.Description, FilePath: e.Path}
		if e.Path != "" {
			item.FileContent = &e.Content
		} else {
			item.Content = &e.Content
		}
		w.Evidence = append(w.Evidence, item)
	}
	for _, a := range s.Attempts {
		raw, err := canon.Marshal(a)
		if err != nil {
			return nil, err
		}
		content := string(raw)
		w.Evidence = append(w.Evidence, wireEvidence{Type: kindAttempt, Content: &content})
	}
	if s.Expected != "" {
		w.Evidence = append(w.Evidence, wireEvidence{Type: kindExpected, Content: &s.Expected})
	}
	return canon.Marshal(w)
}

// asInvalid gives a JSON fault its name in this protocol.
func asInvalid(err error) error {
	var e *brenner.Error
	if errors.As(err, &e) && e.Code == brenner.CodeInvalidJSON {
		return invalid(e.Pointer, "%s", e.Message).WithHint(e.Hint).Because(err)
	}
	return err
}
