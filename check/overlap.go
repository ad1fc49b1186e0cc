package check

import (
	"cmp"
	"slices"

	"brenner"
	"brenner/claim"
	"brenner/internal/order"
)

// Piece is an artifact to be compared with the others of its type and module.
type Piece struct {
	Ref        brenner.Ref
	Type       brenner.TypeName
	Module     brenner.Module
	Summary    string
	Paragraphs []Paragraph
}

// Overlap is a group of artifacts that say much the same (C28). All are
// compared with the first.
type Overlap struct {
	Type    brenner.TypeName `json:"type"`
	Module  brenner.Module   `json:"module"`
	Members []Member         `json:"members"`
}

// Member is an artifact of a group and how much it has in common with the
// first one: the cosine of the summaries, and the part of the shorter content,
// by words, that stands in both.
type Member struct {
	Ref        brenner.Ref `json:"ref"`
	Similarity float64     `json:"similarity"`
	Shared     float64     `json:"shared"`
}

// OverlapThreshold is the cosine from which two summaries count as saying the
// same, SharedThreshold the part of a content from which it counts as being
// contained in another.
const (
	OverlapThreshold = 0.85
	SharedThreshold  = 0.5
)

// Overlaps groups artifacts of one type and module that say much the same, by
// their summaries or by paragraphs they share word for word. Summaries that
// differ in a number, a negation or a thing are not the same. Each artifact is in at
// most one group, and a group has at most brenner.MaxOverlap. The order of the
// pieces does not matter; groups are in order of type, module and first id.
// Errors are those of Embed and Canceled; without Embed only contents are compared.
func Overlaps(pieces []Piece, o Options) ([]Overlap, error) {
	if o.Threshold == 0 {
		o.Threshold = OverlapThreshold
	}
	sorted := slices.Clone(pieces)
	order.By(sorted, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Module, b.Module),
			cmp.Compare(a.Ref.Artifact, b.Ref.Artifact), cmp.Compare(a.Ref.Version, b.Ref.Version))
	})
	vectors := make([][]float32, len(sorted))
	if o.Embed != nil {
		summaries := make([]string, len(sorted))
		for i, p := range sorted {
			summaries[i] = p.Summary
		}
		var err error
		if vectors, err = embedAll(o.Embed, summaries); err != nil {
			return nil, err
		}
	}
	groups := []Overlap{}
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].Type == sorted[start].Type && sorted[end].Module == sorted[start].Module {
			end++
		}
		kin := kindred{pieces: sorted[start:end], vectors: vectors[start:end], threshold: o.Threshold, readings: make([]*claim.Reading, end-start)}
		own, err := kin.group(o.Canceled)
		if err != nil {
			return nil, err
		}
		groups = append(groups, own...)
		start = end
	}
	return groups, nil
}

// kindred are the pieces of one type and module.
type kindred struct {
	pieces    []Piece
	vectors   [][]float32
	threshold float64
	readings  []*claim.Reading // of the summaries that were compared

	phrases [][]passage
	words   []int            // in the passages of each piece
	holders map[string][]int // the pieces that have a passage
}

// passage is a paragraph as far as it is compared: its words, and how many.
type passage struct {
	phrase string
	words  int
}

// group makes a group around each piece that no earlier group has taken.
func (k *kindred) group(canceled func() error) ([]Overlap, error) {
	k.index()
	var out []Overlap
	taken := make([]bool, len(k.pieces))
	for i, p := range k.pieces {
		if taken[i] {
			continue
		}
		if canceled != nil {
			if err := canceled(); err != nil {
				return nil, err
			}
		}
		shared := k.shared(i)
		members := []Member{{Ref: p.Ref, Similarity: 1, Shared: 1}}
		for j := i + 1; j < len(k.pieces) && len(members) < brenner.MaxOverlap; j++ {
			if taken[j] {
				continue
			}
			m := Member{Ref: k.pieces[j].Ref, Similarity: rounded(cosine(k.vectors[i], k.vectors[j])), Shared: shared[j]}
			if m.Shared >= SharedThreshold || m.Similarity >= k.threshold && !k.differ(i, j) {
				taken[j] = true
				members = append(members, m)
			}
		}
		if len(members) > 1 {
			out = append(out, Overlap{Type: p.Type, Module: p.Module, Members: members})
		}
	}
	return out, nil
}

// differ reports whether two summaries that sound alike say different things:
// then they stand beside each other and do not overlap.
func (k *kindred) differ(i, j int) bool {
	return claim.Compare(k.reading(i), k.reading(j), nil).Verdict != claim.Same
}

// reading is a summary as it is compared, read once.
func (k *kindred) reading(i int) claim.Reading {
	if k.readings[i] == nil {
		r := claim.Read(k.pieces[i].Summary)
		k.readings[i] = &r
	}
	return *k.readings[i]
}

// index notes which pieces have which passages.
func (k *kindred) index() {
	k.phrases, k.words, k.holders = make([][]passage, len(k.pieces)), make([]int, len(k.pieces)), map[string][]int{}
	for i, p := range k.pieces {
		own := map[string]bool{}
		for _, para := range p.Paragraphs[:min(len(p.Paragraphs), brenner.MaxComparedParagraphs)] {
			words := len(wordsOf(para.Text))
			text := phrase(para.Text)
			if words < fewWords || own[text] {
				continue
			}
			own[text] = true
			k.phrases[i] = append(k.phrases[i], passage{text, words})
			k.words[i] += words
			k.holders[text] = append(k.holders[text], i)
		}
	}
}

// shared gives, for each piece, the part of the shorter of it and piece i that
// stands in both.
func (k *kindred) shared(i int) []float64 {
	common := make([]int, len(k.pieces))
	for _, p := range k.phrases[i] {
		for _, j := range k.holders[p.phrase] {
			common[j] += p.words
		}
	}
	out := make([]float64, len(k.pieces))
	for j, n := range common {
		if n > 0 {
			out[j] = rounded(float64(n) / float64(min(k.words[i], k.words[j])))
		}
	}
	return out
}
