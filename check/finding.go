package check

import (
	"strings"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Finding is something to look at.
type Finding struct {
	Code     brenner.Code     `json:"code"`
	Severity brenner.Severity `json:"severity"`
	// Target is what the finding is about, Other what it clashes with, if that
	// is another artifact.
	Target brenner.Ref  `json:"target"`
	Other  *brenner.Ref `json:"other,omitzero"`
	// Place is where in the target: "summary", "line 12", or a JSON pointer;
	// empty for the whole of it. Excerpt quotes what stands there.
	Place   string `json:"place,omitzero"`
	Excerpt string `json:"excerpt,omitzero"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	// Sure says how sure the check is; empty for what is a matter of fact, such
	// as a missing link.
	Sure Sureness `json:"sure,omitzero"`
	// Similarity is the cosine that gave rise to the finding, if one did.
	Similarity float64 `json:"similarity,omitzero"`
}

// Sureness is how sure a check is of a finding.
type Sureness string

// How sure: what the structure or the very words prove, what they make likely,
// and what only looks like it.
const (
	Certain  Sureness = "certain"
	Likely   Sureness = "likely"
	Possible Sureness = "possible"
)

// Report is what a check found.
type Report struct {
	Findings []Finding `json:"findings"`
	// More counts new findings beyond what is listed of one artifact.
	More int `json:"more"`
	// Unread counts paragraphs that were too many to be compared by meaning;
	// their words were looked at all the same.
	Unread int `json:"unread"`
}

// Critique is the content of the critique artifact that records the finding.
func (f Finding) Critique() jsontext.Value {
	type evidence struct {
		Place      string   `json:"place,omitzero"`
		Excerpt    string   `json:"excerpt,omitzero"`
		Other      string   `json:"other,omitzero"`
		Sure       Sureness `json:"sure,omitzero"`
		Similarity float64  `json:"similarity,omitzero"`
	}
	e := evidence{Place: f.Place, Excerpt: f.Excerpt, Sure: f.Sure, Similarity: f.Similarity}
	if f.Other != nil {
		e.Other = f.Other.String()
	}
	return canon.MustMarshal(struct {
		Target         string           `json:"target"`
		Finding        string           `json:"finding"`
		Severity       brenner.Severity `json:"severity"`
		Code           brenner.Code     `json:"code"`
		Evidence       evidence         `json:"evidence"`
		Recommendation string           `json:"recommendation"`
	}{f.Target.String(), f.Message, f.Severity, f.Code, e, f.Hint})
}

// excerpt shortens a quotation.
func excerpt(text string) string {
	return brenner.Clip(strings.TrimSpace(text), 300)
}

// Embedder gives one unit vector per text, in order.
type Embedder func(texts []string) ([][]float32, error)

// cosine of two unit vectors. Products of float32 are exact in float64, so the
// sum is the same on every machine.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
