// Package snapshot writes down where a project stands, for people (C32): what
// it asks, what it holds to be true, on what evidence, and what is open.
//
// It is made from canonical artifacts only; forks, stale versions and open
// findings are listed beside them because they say what is not settled. The same Snapshot
// is Markdown, HTML and JSON.
package snapshot

import (
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
	"brenner/lineage"

	"github.com/go-json-experiment/json"
)

// Snapshot is the state of a project at a journal position.
type Snapshot struct {
	Project  string    `json:"project"`
	At       time.Time `json:"at"`
	Position int64     `json:"position"` // of the journal

	Brief *Brief `json:"brief"` // nil: none is canonical
	// Summary is the project summary in force, Memos one per module.
	Summary *Entry  `json:"summary"`
	Memos   []Entry `json:"memos"`

	Hypotheses []Statement `json:"hypotheses"`
	Models     []Entry     `json:"models"`
	Evidence   []Entry     `json:"evidence"`
	Open       []Statement `json:"open_questions"`

	Forks []lineage.Fork `json:"forks"`
	Stale []Stale        `json:"stale"`
	// Findings are what checks found about versions in use, and nobody has settled.
	Findings []Finding `json:"findings,omitzero"`
	// Missing is what the spine lacks.
	Missing []lineage.Missing `json:"missing"`
}

// Brief is the question and its scope.
type Brief struct {
	Ref         brenner.Ref `json:"ref"`
	Question    string      `json:"question"`
	Goals       []string    `json:"goals"`
	InScope     []string    `json:"in_scope"`
	OutOfScope  []string    `json:"out_of_scope"`
	Constraints []string    `json:"constraints"`
}

// Entry is a canonical version in one paragraph.
type Entry struct {
	Ref     brenner.Ref      `json:"ref"`
	Type    brenner.TypeName `json:"type"`
	Module  brenner.Module   `json:"module"`
	Summary string           `json:"summary"`
	Stale   bool             `json:"needs_update,omitzero"`
}

// Statement is something a canonical artifact says: a hypothesis, a test not
// yet run, an assumption not checked.
type Statement struct {
	From brenner.Ref `json:"from"`
	ID   string      `json:"id,omitzero"` // within the artifact
	Kind string      `json:"kind"`
	Text string      `json:"text"`
	Note string      `json:"note,omitzero"`
}

// Stale is a version that rests on something that moved.
type Stale struct {
	Ref  brenner.Ref   `json:"ref"`
	Path []brenner.Ref `json:"path"`
}

// Finding is what a check found about a version: the first, of so many.
type Finding struct {
	Ref   brenner.Ref `json:"ref"`
	Text  string      `json:"text"`
	Count int         `json:"count"`
}

// Content is a canonical version with what it says.
type Content struct {
	Entry
	artifact.Content
}

// Add puts a canonical version into its place. Types that a snapshot does not
// show are passed over; content that cannot be read leaves its summary.
func (s *Snapshot) Add(c Content) {
	switch c.Type {
	case artifact.TypeProjectBrief:
		s.Brief = brief(c)
	case artifact.TypeProjectSummary:
		s.Summary = &c.Entry
	case artifact.TypeIntegratedMemo:
		s.Memos = append(s.Memos, c.Entry)
	case artifact.TypeModelSpec:
		s.Models = append(s.Models, c.Entry)
	case artifact.TypeAnalysisResult, artifact.TypePaperNote:
		s.Evidence = append(s.Evidence, c.Entry)
	case artifact.TypeAssumption:
		s.assumption(c)
	case artifact.TypeCritique:
		s.Open = append(s.Open, Statement{From: c.Ref, Kind: "critique", Text: c.Summary})
	case artifact.TypeSessionArtifact:
		s.session(c)
	}
}

func brief(c Content) *Brief {
	var said struct {
		Question    string   `json:"question"`
		Goals       []string `json:"goals"`
		InScope     []string `json:"in_scope"`
		OutOfScope  []string `json:"out_of_scope"`
		Constraints []any    `json:"constraints"`
	}
	b := &Brief{Ref: c.Ref, Question: c.Summary}
	if json.Unmarshal(c.Data, &said) != nil {
		return b
	}
	b.Question, b.Goals, b.InScope, b.OutOfScope = said.Question, said.Goals, said.InScope, said.OutOfScope
	for _, constraint := range said.Constraints {
		switch x := constraint.(type) {
		case string:
			b.Constraints = append(b.Constraints, x)
		case map[string]any:
			if text, ok := x["text"].(string); ok {
				b.Constraints = append(b.Constraints, text)
			}
		}
	}
	return b
}

// assumption is open until somebody has checked it.
func (s *Snapshot) assumption(c Content) {
	var said struct {
		Statement string `json:"statement"`
		Status    string `json:"status"`
	}
	if json.Unmarshal(c.Data, &said) != nil || said.Statement == "" {
		said.Statement = c.Summary
	}
	if checked(said.Status) {
		return
	}
	s.Open = append(s.Open, Statement{From: c.Ref, Kind: "assumption", Text: said.Statement, Note: said.Status})
}

// checked says whether somebody has looked whether an assumption holds: be it that it does or
// that it does not, the question is not open any more.
func checked(status string) bool { return status == "verified" || status == "falsified" }

// session takes from a session artifact its live hypotheses and what it leaves
// open: tests not run, assumptions not checked, active anomalies, critiques that
// are not settled.
func (s *Snapshot) session(c Content) {
	a, err := delta.ReadArtifact(c.Data)
	if err != nil {
		return
	}
	for _, h := range a.Items(delta.HypothesisSlate) {
		if h.Killed() == nil {
			s.Hypotheses = append(s.Hypotheses, statement(c.Ref, h, "hypothesis", "claim", h.Text("mechanism")))
		}
	}
	for _, t := range a.Items(delta.DiscriminativeTests) {
		if t.Killed() == nil && len(t.Pairs("actual_outcomes")) == 0 {
			s.Open = append(s.Open, statement(c.Ref, t, "test", "name", t.Text("discriminates")))
		}
	}
	for _, x := range a.Items(delta.AssumptionLedger) {
		if status := x.Text("status"); x.Killed() == nil && !checked(status) {
			s.Open = append(s.Open, statement(c.Ref, x, "assumption", "statement", status))
		}
	}
	for _, x := range a.Items(delta.AnomalyRegister) {
		if status := x.Text("status"); x.Killed() == nil && status != "resolved" {
			s.Open = append(s.Open, statement(c.Ref, x, "anomaly", "observation", status))
		}
	}
	for _, k := range delta.Critiques(a, delta.Beside{}) {
		if x, ok := a.Item(k.Item); ok && k.State != delta.CritiqueSettled {
			s.Open = append(s.Open, statement(c.Ref, x, "critique", "attack", "not settled"))
		}
	}
}

func statement(from brenner.Ref, it *delta.Item, kind, field, note string) Statement {
	return Statement{From: from, ID: string(it.ID()), Kind: kind, Text: it.Text(field), Note: note}
}
