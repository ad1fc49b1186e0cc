package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/artifact"
)

// Item is one version of an artifact, as far as it is needed to place it.
type Item struct {
	Ref     brenner.Ref
	Type    brenner.TypeName
	Module  brenner.Module
	Status  artifact.Status
	Summary string
	// Size is the length of the content in bytes; Input.Load gives the content.
	Size    int64
	Tags    []string
	Updated time.Time
	// As is what the item is to the work, where that is to be said.
	As string
	// Notes are what there is to know besides; Input.About gives them.
	Notes Notes
}

// Candidate is an item that may enter the context.
type Candidate struct {
	Item
	// By, Distance, Lexical and Neighbours are those of its Lead.
	By         []Cause
	Distance   int
	Lexical    float64
	Neighbours float64
	// Semantic is the cosine of the task and the item.
	Semantic float64
	// Denied is why the policy does not let the role read it; empty: it may.
	Denied string
}

// Score says how much a candidate bears on the task: seven parts, each from 0 to
// 1 in steps of a millionth, and their weighted sum.
type Score struct {
	Pinned     float64 `json:"pinned"`     // another version of a pinned artifact
	Links      float64 `json:"links"`      // 1 / distance
	Tags       float64 `json:"tags"`       // overlap with the task's tags
	Recency    float64 `json:"recency"`    // 1 now, a half after fourteen days
	Lexical    float64 `json:"lexical"`    // relative to the best candidate
	Semantic   float64 `json:"semantic"`   // cosine, not below 0
	Neighbours float64 `json:"neighbours"` // the lexical parts of what was written beside it
	Total      float64 `json:"total"`
}

// String says what the score is made of: the parts that are not 0, by how they are
// called in a view's weights, and the weighted sum.
func (s Score) String() string {
	var b strings.Builder
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"pinned", s.Pinned},
		{"links", s.Links},
		{"tags", s.Tags},
		{"recency", s.Recency},
		{"lexical", s.Lexical},
		{"semantic", s.Semantic},
		{"neighbours", s.Neighbours},
	} {
		if p.value > 0 {
			fmt.Fprintf(&b, "%s %.2f, ", p.name, p.value)
		}
	}
	return fmt.Sprintf("%stotal %.2f", b.String(), s.Total)
}

// recencyHalf is the age at which the recency of a version is one half.
const recencyHalf = 14 * 24 * time.Hour

// Query is what candidates are scored against.
type Query struct {
	Pinned []brenner.ArtifactID
	Tags   []string
	Now    time.Time
}

// Ranked is a candidate with its score.
type Ranked struct {
	Candidate
	Score Score
}

// Rank orders candidates by score, greatest first, ties by id and version
// (C21). The order in which they come does not matter.
func Rank(w Weights, q Query, candidates []Candidate) []Ranked {
	ranked := make([]Ranked, len(candidates))
	for i, c := range candidates {
		ranked[i].Candidate = c
	}
	rank(w, q, ranked)
	return ranked
}

// rank scores candidates and puts them in order.
func rank(w Weights, q Query, ranked []Ranked) {
	best := 0.0
	for i := range ranked {
		c := &ranked[i]
		if !math.IsInf(c.Lexical, 0) && c.Lexical > best {
			best = c.Lexical
		}
	}
	ours := slices.Compact(slices.Sorted(slices.Values(q.Tags)))
	for i := range ranked {
		c := &ranked[i]
		s := Score{
			Links:      share(1, float64(c.Distance)),
			Tags:       overlap(ours, c.Tags),
			Recency:    recency(q.Now, c.Updated),
			Lexical:    min(1, share(c.Lexical, best)),
			Semantic:   min(1, share(c.Semantic, 1)),
			Neighbours: min(1, share(c.Neighbours, 1)),
		}
		if slices.Contains(q.Pinned, c.Ref.Artifact) {
			s.Pinned = 1
		}
		s.Total = w.total(s)
		c.Score = s
	}
	// Candidates are large: their places are put in order, then each is moved once.
	places := make([]int, len(ranked))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int {
		a, b := &ranked[i], &ranked[j]
		if by := cmp.Compare(b.Score.Total, a.Score.Total); by != 0 {
			return by
		}
		return a.Ref.Compare(b.Ref)
	})
	for i := range places {
		at, first := i, ranked[i]
		for places[at] != i { // until the round closes
			from := places[at]
			ranked[at], places[at] = ranked[from], at
			at = from
		}
		ranked[at], places[at] = first, at
	}
}

// total adds up the weighted parts. The conversions forbid fusing, so that the
// order is the same on every machine.
func (w Weights) total(s Score) float64 {
	sum := float64(w.Pinned * s.Pinned)
	sum += float64(w.Links * s.Links)
	sum += float64(w.Tags * s.Tags)
	sum += float64(w.Recency * s.Recency)
	sum += float64(w.Lexical * s.Lexical)
	sum += float64(w.Semantic * s.Semantic)
	sum += float64(w.Neighbours * s.Neighbours)
	return rounded(sum)
}

// share is part of whole, rounded; 0 unless both are positive numbers.
func share(part, whole float64) float64 {
	if x := part / whole; part > 0 && whole > 0 && !math.IsInf(x, 0) {
		return rounded(x)
	}
	return 0
}

// rounded gives x in steps of a millionth.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// overlap is twice what two lists share over what they have together, each
// entry counted once. Ours is in order and has none twice.
func overlap(ours, theirs []string) float64 {
	common, different := 0, 0
	for i, t := range theirs {
		if slices.Contains(theirs[:i], t) {
			continue
		}
		different++
		if _, found := slices.BinarySearch(ours, t); found {
			common++
		}
	}
	return share(float64(2*common), float64(len(ours)+different))
}

func recency(now, then time.Time) float64 {
	age := max(0, now.Sub(then))
	return share(recencyHalf.Seconds(), recencyHalf.Seconds()+age.Seconds())
}
