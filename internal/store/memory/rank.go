package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/store"
	"brenner/retrieval"
)

func (t *tx) Index(ctx context.Context, id brenner.ArtifactID, versions []store.Indexed) error {
	return t.try(ctx, func() error {
		if _, there := t.artifacts[id]; !there {
			return notFound("there is no artifact %s", id)
		}
		t.indexed[id] = slices.Clone(versions)
		return nil
	})
}

// text is a version that can be found, with its words counted.
type text struct {
	retrieval.Document
	counts map[string]int
	length int
}

// library is every text, and how many have each word.
type library struct {
	texts []text
	stats retrieval.Statistics
	have  map[string]int64
}

// library reads every text.
func (r reader) library() library {
	l := library{have: map[string]int64{}}
	for id, versions := range r.indexed {
		a := r.artifacts[id]
		for _, v := range versions {
			one := text{Document: retrieval.Document{Name: retrieval.Name{Artifact: id, Version: v.Version}}, counts: map[string]int{}}
			if row, there := r.versions[brenner.Ref{Artifact: id, Version: v.Version}]; there {
				one.Document = row.Document(r.blobs[row.Content].data)
			}
			one.Kind = retrieval.Kind{Type: a.Type, Module: a.Module, Draft: v.Draft}
			summary, words := retrieval.Words(one.Summary), retrieval.Words(one.Text)
			for _, w := range words {
				one.counts[w]++
			}
			said := 0
			for _, w := range summary {
				if one.counts[w] > 0 {
					said++
				}
			}
			for _, w := range summary {
				one.counts[w] = max(1, one.counts[w]+retrieval.SummaryWeight(len(summary), said, len(words)))
			}
			one.length = retrieval.CountedLength(len(summary) + len(words))
			for w := range one.counts {
				l.have[w]++
			}
			l.stats = l.stats.Plus(retrieval.Statistics{Documents: 1, Length: int64(one.length)})
			l.texts = append(l.texts, one)
		}
	}
	slices.SortFunc(l.texts, func(a, b text) int { return a.Name.Compare(b.Name) })
	return l
}

// Rank compares every text with every word.
func (r reader) Rank(ctx context.Context, q store.RankQuery) (store.Ranking, error) {
	l := r.library()
	wanted, spelled := l.widen(q)
	terms, _ := retrieval.Telling(l.stats, wanted, l.counts(wanted), brenner.MaxSearchWords)
	best := l.rank(q, terms)
	first, _ := retrieval.Telling(l.stats, terms, l.counts(terms), retrieval.FirstWords)
	if leading := l.rank(q, first); q.Feedback && len(leading) > 0 {
		var readings []retrieval.Reading
		for _, one := range leading[:min(len(leading), retrieval.FeedbackTexts)] {
			readings = append(readings, retrieval.Reading{Document: one.Document, Score: retrieval.Score(one.points)})
		}
		candidates := retrieval.Candidates(l.stats, readings)
		have := make([]int64, len(candidates))
		for i, c := range candidates {
			have[i] = l.have[c.Word]
		}
		terms = retrieval.Feedback(l.stats, terms, candidates, have)
		best = l.rank(q, terms)
	}
	if q.Feedback && q.Limit > 0 {
		few, _ := retrieval.Weighty(l.stats, terms, l.counts(terms))
		if found := l.rank(q, few); len(found) >= q.Limit {
			terms, best = few, found
		}
	}
	out := store.Ranking{Spelled: spelled, Generation: r.generation}
	if q.Counted {
		out.Counted = retrieval.CountedTerms(l.stats, wanted, l.counts(wanted))
	}
	for _, one := range limit(best, q.Limit) {
		if q.Bare {
			out.Hits = append(out.Hits, store.RankedHit{
				Artifact: store.Artifact{ID: one.Artifact}, Version: one.Version, Draft: one.Kind.Draft, Score: retrieval.Score(one.points),
			})
			continue
		}
		hit := store.RankedHit{
			Artifact: r.artifacts[one.Artifact], Version: one.Version, Draft: one.Kind.Draft, Score: retrieval.Score(one.points),
		}
		hit.Tags = list(hit.Tags)
		for _, t := range terms {
			if t.Own > 0 && one.counts[t.Word] > 0 {
				hit.Parts.Words = append(hit.Parts.Words, t.Word)
			}
		}
		out.Hits = append(out.Hits, hit)
	}
	return out, canceled(ctx)
}

// widen compares beginnings, and words that no text has, with every word.
func (l library) widen(q store.RankQuery) ([]retrieval.Term, []retrieval.Spelled) {
	terms := q.Terms
	var spelled []retrieval.Spelled
	if q.Respell {
		instead := map[string][]retrieval.Term{}
		for _, t := range terms {
			if l.have[t.Word] > 0 || retrieval.Slips(t.Word) == 0 {
				continue
			}
			var all []retrieval.Known
			for w, n := range l.have { // order-free: Respell sorts
				all = append(all, retrieval.Known{Word: w, Have: n})
			}
			others, as := retrieval.Respell(t, all)
			if len(others) > 0 {
				instead[t.Word], spelled = others, append(spelled, as)
			}
		}
		terms = retrieval.Respelled(terms, instead)
	}
	for _, p := range q.Prefixes {
		var all []retrieval.Known
		for w, n := range l.have { // order-free: Complete sorts
			if strings.HasPrefix(w, p) || w == retrieval.Begun(p) {
				all = append(all, retrieval.Known{Word: w, Have: n})
			}
		}
		terms = retrieval.Complete(terms, all)
	}
	return terms, spelled
}

func (l library) counts(terms []retrieval.Term) []int64 {
	out := make([]int64, len(terms))
	for i, t := range terms {
		out[i] = l.have[t.Word]
	}
	return out
}

type ranked struct {
	text
	points int64
}

func (l library) rank(q store.RankQuery, terms []retrieval.Term) []ranked {
	var out []ranked
	for _, one := range l.texts {
		k := one.Kind
		if k.Draft && !q.Drafts || len(q.Types) > 0 && !slices.Contains(q.Types, k.Type) || len(q.Modules) > 0 && !slices.Contains(q.Modules, k.Module) {
			continue
		}
		points, own := int64(0), !q.Own
		for _, t := range terms {
			if n := one.counts[t.Word]; n > 0 {
				own = own || t.Own > 0
				points += l.stats.Points(t.Own+t.Feedback+t.Expansion, l.have[t.Word], n, one.length)
			}
		}
		if own && points > 0 {
			out = append(out, ranked{one, points})
		}
	}
	slices.SortStableFunc(out, func(a, b ranked) int { return cmp.Compare(b.points, a.points) })
	return out
}
