package playbook

import (
	"encoding/base64"
	"math"
	"strings"

	"brenner"
)

// Identity names what made a vector. Vectors of two identities must never be
// compared, so a playbook is frozen to one (B12).
type Identity struct {
	// Provider is the kind of embedder: builtin, openai, or explicit for
	// vectors that came with the insights.
	Provider string `json:"provider"`
	// Model is the provider's name of the model.
	Model string `json:"model,omitempty"`
	// Dimension is the length of every vector.
	Dimension int `json:"dimension"`
	// Fingerprint tells two models of one name apart: a digest of the weights
	// where we have them, else ProbePrint of a fixed text.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// ProviderExplicit marks a playbook whose vectors come with the insights.
const ProviderExplicit = "explicit"

// Explicit is the identity of vectors given on input.
func Explicit(dimension int) Identity {
	return Identity{Provider: ProviderExplicit, Dimension: dimension}
}

// Same reports whether vectors of both identities may be compared. Probe
// prints agree when they point the same way, since one model gives slightly
// different floats on different hardware.
func (id Identity) Same(other Identity) bool {
	if id.Provider != other.Provider || id.Model != other.Model || id.Dimension != other.Dimension {
		return false
	}
	return id.Fingerprint == other.Fingerprint || sameProbe(id.Fingerprint, other.Fingerprint)
}

const (
	probePrefix = "probe:"
	probeLength = 64
	probeCosine = 0.99
)

// ProbePrint condenses the vector of a fixed text into a fingerprint: up to 64
// of its components, evenly spaced, in steps of 1/127 of the largest.
func ProbePrint(vector []float32) string {
	n := min(len(vector), probeLength)
	picked := make([]float64, n)
	largest := 0.0
	for i := range picked {
		picked[i] = float64(vector[i*len(vector)/n])
		largest = max(largest, math.Abs(picked[i]))
	}
	steps := make([]byte, n)
	for i, v := range picked {
		if largest > 0 {
			steps[i] = byte(int8(math.Round(v / largest * 127)))
		}
	}
	return probePrefix + base64.RawStdEncoding.EncodeToString(steps)
}

func sameProbe(a, b string) bool {
	x, okX := readProbe(a)
	y, okY := readProbe(b)
	if !okX || !okY || len(x) != len(y) {
		return false
	}
	return cosine(x, y) >= probeCosine
}

func readProbe(print string) ([]float32, bool) {
	text, ok := strings.CutPrefix(print, probePrefix)
	if !ok {
		return nil, false
	}
	steps, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, false
	}
	v := make([]float32, len(steps))
	for i, s := range steps {
		v[i] = float32(int8(s))
	}
	return v, true
}

// CheckVector reports INVALID_VECTOR unless v has the dimension (0 allows
// any), only finite numbers, and some length.
func CheckVector(v []float32, dimension int) error {
	if len(v) == 0 || len(v) > brenner.MaxVectorDimension {
		return brenner.Errorf(brenner.CodeInvalidVector, "a vector has %d components", len(v)).
			WithHint("give between 1 and 8192 numbers")
	}
	if dimension != 0 && len(v) != dimension {
		return brenner.Errorf(brenner.CodeInvalidVector, "a vector has %d components where the playbook has %d", len(v), dimension).
			WithHint("use the embedding the playbook is frozen to, or have the playbook moved over").Try(brenner.Do("playbook.reembed"))
	}
	zero := true
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return brenner.Errorf(brenner.CodeInvalidVector, "component %d of a vector is not a finite number", i).
				WithHint("embed the text again; the embedder gave NaN or infinity")
		}
		zero = zero && x == 0
	}
	if zero {
		return brenner.Errorf(brenner.CodeInvalidVector, "a vector is zero and points nowhere").
			WithHint("embed a text with at least one word")
	}
	return nil
}
