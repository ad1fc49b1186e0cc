package fulltext

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"brenner"
	"brenner/internal/store"
	"brenner/retrieval"
)

// Hit is a version that was found.
type Hit struct {
	retrieval.Name
	Kind  retrieval.Kind
	Score float64
	Parts retrieval.Parts
}

const (
	// maxNoted is how many notes a search looks through, which takes some 70 µs each
	// the first time; on SQLite they are those of the newest artifacts. There are more
	// only after a bulk load, until they are settled; those are said to be missing.
	maxNoted = 512
	// manyDocuments is how many are looked through by two processors.
	manyDocuments = 2 * retrieval.StretchOf
	// maxLookups is how many words of a question are looked up at all.
	maxLookups = 1024
	// feedbackBytes is how much of a text feedback reads.
	feedbackBytes = 8 << 10
	// feedbackLookups is how many words of the best texts are looked up at
	// first; then twice as many, until no other can be among those taken.
	feedbackLookups = 96
)

// Rank searches the index. What it found is without its hits, which have no rows yet.
func (x *Index) Rank(ctx context.Context, rows Rows, q store.RankQuery) (hits []Hit, found store.Ranking, err error) {
	standing, err := rows.Standing(ctx, maxNoted)
	if err != nil {
		return nil, store.Ranking{}, err
	}
	r := &ranking{memory: x.of(standing.Generation), rows: rows, query: q, standing: standing, lists: map[string][]retrieval.List{}}
	if err := r.open(ctx); err != nil {
		return nil, store.Ranking{}, err
	}
	hits, err = r.rank(ctx)
	return hits, store.Ranking{Spelled: r.spelled, Behind: standing.Noted - len(standing.Notes), Generation: standing.Generation, Counted: r.counted}, err
}

// What searches need for a moment is used again by others.
var (
	workplaces = sync.Pool{New: func() any { return new(retrieval.Workplace) }}
	counters   = sync.Pool{New: func() any { return new(retrieval.Builder) }}
)

// ranking is a search under way.
type ranking struct {
	memory   *memory
	rows     Rows
	query    store.RankQuery
	standing Standing
	stats    retrieval.Statistics
	views    []retrieval.View
	parts    []part // of the last views
	lists    map[string][]retrieval.List
	spelled  []retrieval.Spelled
	counted  retrieval.Counted
}

// open reads what every search needs: the segments, and what is noted.
func (r *ranking) open(ctx context.Context) (err error) {
	if r.views, err = r.memory.load(ctx, r.rows, r.standing); err != nil {
		return err
	}
	if r.parts, err = r.memory.parts(ctx, r.rows, r.standing.Notes); err != nil {
		return err
	}
	r.stats = r.standing.Statistics
	var removed []retrieval.Name
	for _, p := range r.parts {
		r.stats = r.stats.Plus(p.stats)
		removed = append(removed, p.removed...)
	}
	if _, err := r.memory.bury(ctx, r.rows, r.standing, r.views, removed); err != nil {
		return err
	}
	for _, p := range r.parts {
		r.views = append(r.views, p.view)
	}
	return nil
}

// chosen reports whether a kind is asked for.
func (r *ranking) chosen(k retrieval.Kind) bool {
	return (r.query.Drafts || !k.Draft) &&
		(len(r.query.Types) == 0 || slices.Contains(r.query.Types, k.Type)) &&
		(len(r.query.Modules) == 0 || slices.Contains(r.query.Modules, k.Module))
}

func (r *ranking) rank(ctx context.Context) ([]Hit, error) {
	wanted, err := r.widen(ctx)
	if err != nil {
		return nil, err
	}
	terms, have, err := r.telling(ctx, wanted)
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	if r.query.Feedback {
		if terms, have, err = r.feedback(ctx, terms, have); err != nil {
			return nil, err
		}
	}
	// The words that tell least have the longest lists: they are looked for only where
	// the others find too few.
	few, fewHave := terms, have
	if r.query.Feedback && r.query.Limit > 0 {
		few, fewHave = retrieval.Weighty(r.stats, terms, have)
	}
	search, found, names, err := r.run(ctx, few, fewHave, r.query.Limit)
	if err == nil && len(found) < r.query.Limit && len(few) < len(terms) {
		search, found, names, err = r.run(ctx, terms, have, r.query.Limit)
	}
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = Hit{Name: names[i], Kind: r.views[f.Segment].Kind(f.Ordinal), Score: f.Score()}
	}
	if r.query.Bare {
		return hits, nil
	}
	parts, err := search.Parts(found)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		hits[i].Parts = p
	}
	return hits, nil
}

func words(terms []retrieval.Term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.Word
	}
	return out
}

// telling counts who has the terms, and keeps those that tell most.
func (r *ranking) telling(ctx context.Context, terms []retrieval.Term) ([]retrieval.Term, []int64, error) {
	terms = retrieval.Heaviest(terms, maxLookups)
	have, err := r.count(ctx, words(terms))
	if err != nil {
		return nil, nil, err
	}
	if r.query.Counted {
		r.counted = retrieval.CountedTerms(r.stats, terms, have)
	}
	terms, have = retrieval.Telling(r.stats, terms, have, brenner.MaxSearchWords)
	return terms, have, nil
}

// count says how many documents have each of some words. How many of the segments
// have it is remembered, so that only words that are new to the process are looked up.
func (r *ranking) count(ctx context.Context, all []string) ([]int64, error) {
	have, missing := r.memory.counted(r.standing.Segments, all)
	if err := r.countMissing(ctx, all, have, missing); err != nil {
		return nil, err
	}
	for _, p := range r.parts {
		if err := p.count(all, have); err != nil {
			return nil, err
		}
	}
	return have, nil
}

// countMissing counts, of some words, those of which it is not remembered how many
// documents of the segments have them.
func (r *ranking) countMissing(ctx context.Context, all []string, have []int64, missing []int) error {
	if len(missing) == 0 {
		return nil
	}
	pages := make([]Page, 0, len(missing)*len(r.standing.Segments))
	ends := make([]int, 0, cap(pages)) // of the pages of a word in a segment
	for _, m := range missing {
		for i, v := range r.views[:len(r.standing.Segments)] {
			from, to := v.Directory.WordStretch(all[m])
			pages = appendPages(pages, r.standing.Segments[i].ID, from, to)
			ends = append(ends, len(pages))
		}
	}
	data, err := r.memory.read(ctx, r.rows, pages)
	if err != nil {
		return err
	}
	if err := each(len(missing), func(i int) error {
		m := missing[i]
		for at := i * len(r.standing.Segments); at < (i+1)*len(r.standing.Segments); at++ {
			from := 0
			if at > 0 {
				from = ends[at-1]
			}
			n, err := retrieval.Count(all[m], data[from:ends[at]])
			if err != nil {
				return err
			}
			have[m] += n
		}
		return nil
	}); err != nil {
		return err
	}
	r.memory.rememberCounts(r.standing.Segments, all, have, missing)
	return nil
}

// read reads the lists of words that were not read yet.
func (r *ranking) read(ctx context.Context, all []string) error {
	type want struct {
		list     *retrieval.List
		word     string
		view     int
		from, to int
	}
	wants := make([]want, 0, len(all)*len(r.standing.Segments))
	pages := make([]Page, 0, cap(wants))
	room := make([]retrieval.List, len(all)*len(r.views))
	for _, w := range all {
		if _, known := r.lists[w]; known {
			continue
		}
		lists := room[:len(r.views):len(r.views)]
		room = room[len(r.views):]
		r.lists[w] = lists
		for i, v := range r.views[:len(r.standing.Segments)] {
			from := len(pages)
			first, end := v.Directory.WordStretch(w)
			if pages = appendPages(pages, r.standing.Segments[i].ID, first, end); len(pages) > from {
				wants = append(wants, want{&lists[i], w, i, from, len(pages)})
			}
		}
		for i, p := range r.parts {
			var err error
			if lists[len(r.standing.Segments)+i], err = p.list(w); err != nil {
				return err
			}
		}
	}
	data, err := r.memory.read(ctx, r.rows, pages)
	if err != nil {
		return err
	}
	return each(len(wants), func(i int) (err error) {
		one := wants[i]
		if *one.list, err = r.views[one.view].ReadList(one.word, data[one.from:one.to]); err != nil {
			return err
		}
		return one.list.Open(r.views[one.view])
	})
}

// run ranks by some terms, ties by name.
func (r *ranking) run(ctx context.Context, terms []retrieval.Term, have []int64, limit int) (*retrieval.Search, []retrieval.Found, []retrieval.Name, error) {
	search := retrieval.NewSearch(r.stats, terms, have, limit, r.chosen)
	place := workplaces.Get().(*retrieval.Workplace)
	search.At(place)
	if r.query.Own {
		search.OnlyOwn()
	}
	if err := r.read(ctx, words(terms)); err != nil {
		return nil, nil, nil, err
	}
	for i, v := range r.views {
		lists := make([]*retrieval.List, len(terms))
		for j, t := range terms {
			lists[j] = &r.lists[t.Word][i]
		}
		if err := search.Add(v, lists); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := r.look(search); err != nil {
		return nil, nil, nil, err
	}
	found := search.Best()
	workplaces.Put(place)
	names, err := r.names(ctx, found)
	if err != nil {
		return nil, nil, nil, err
	}
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(found[b].Score(), found[a].Score()), names[a].Compare(names[b]))
	})
	if limit > 0 {
		order = order[:min(limit, len(order))]
	}
	best, called := make([]retrieval.Found, len(order)), make([]retrieval.Name, len(order))
	for i, o := range order {
		best[i], called[i] = found[o], names[o]
	}
	return search, best, called, nil
}

// look looks through all segments, with two processors where there is much.
func (r *ranking) look(search *retrieval.Search) error {
	type stretch struct{ view, from int }
	var all []stretch
	for i, v := range r.views {
		for from := 0; from < v.Directory.Documents; from += retrieval.StretchOf {
			all = append(all, stretch{i, from})
		}
	}
	var next, least atomic.Int64
	some := func(s *retrieval.Search) error {
		for {
			at := int(next.Add(1)) - 1
			if at >= len(all) {
				return nil
			}
			s.Raise(least.Load())
			if err := s.Stretch(all[at].view, all[at].from, all[at].from+retrieval.StretchOf); err != nil {
				return err
			}
			for known := least.Load(); s.Least() > known && !least.CompareAndSwap(known, s.Least()); known = least.Load() {
			}
		}
	}
	documents := 0
	for _, v := range r.views {
		documents += v.Directory.Documents
	}
	if documents < manyDocuments || runtime.GOMAXPROCS(0) == 1 {
		return some(search)
	}
	other := search.Beside()
	place := workplaces.Get().(*retrieval.Workplace)
	other.At(place)
	err := both(func() error { return some(search) }, func() error { return some(other) })
	search.Join(other)
	workplaces.Put(place)
	return err
}

// both does two things at the same time. Where the second panics, the caller does.
func both(one, other func() error) error {
	var beside error
	var fault any
	var done sync.WaitGroup
	done.Go(func() {
		defer func() { fault = recover() }()
		beside = other()
	})
	err := one()
	done.Wait()
	if fault != nil {
		panic(fault)
	}
	return cmp.Or(err, beside)
}

// manyReads is how many places of pages are read by two processors, at 1 µs each.
const manyReads = 64

// each does something for every number below n, in any order, with two processors where
// they are many.
func each(n int, do func(i int) error) error {
	some := func(from, to int) error {
		for i := from; i < to; i++ {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	if n < manyReads || runtime.GOMAXPROCS(0) == 1 {
		return some(0, n)
	}
	return both(func() error { return some(0, n/2) }, func() error { return some(n/2, n) })
}

// names gives the names of documents: from memory as far as they are known, and the
// others from their pages, each of which is read once.
func (r *ranking) names(ctx context.Context, found []retrieval.Found) ([]retrieval.Name, error) {
	out := make([]retrieval.Name, len(found))
	order := r.memory.named(r.standing.Segments, found, out)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(found[a].Segment, found[b].Segment), cmp.Compare(found[a].Ordinal, found[b].Ordinal))
	})
	type stretch struct{ view, page, from, to int } // of order
	var all []stretch
	var pages []Page
	for i, o := range order {
		f := found[o]
		page := r.views[f.Segment].Directory.NamePage(f.Ordinal)
		if n := len(all); n > 0 && all[n-1].view == f.Segment && all[n-1].page == page {
			all[n-1].to++
			continue
		}
		all = append(all, stretch{f.Segment, page, i, i + 1})
		if f.Segment < len(r.standing.Segments) {
			pages = append(pages, Page{r.standing.Segments[f.Segment].ID, page})
		}
	}
	data, err := r.memory.read(ctx, r.rows, pages)
	if err != nil {
		return nil, err
	}
	for _, s := range all[len(data):] { // those of parts come last
		data = append(data, r.parts[s.view-len(r.standing.Segments)].pages[s.page])
	}
	if err := each(len(all), func(i int) error {
		s := all[i]
		ordinals := make([]int, 0, s.to-s.from)
		for _, o := range order[s.from:s.to] {
			ordinals = append(ordinals, found[o].Ordinal)
		}
		names, err := r.views[s.view].Directory.ReadNamesOf(s.page, data[i], ordinals)
		if err != nil {
			return err
		}
		for j, o := range order[s.from:s.to] {
			out[o] = names[j]
		}
		return nil
	}); err != nil {
		return nil, err
	}
	r.memory.rememberNames(r.standing.Segments, found, order, out)
	return out, nil
}

// feedback widens the terms, which so many documents have, by the words of the best
// texts: those that the words that tell most lead to.
func (r *ranking) feedback(ctx context.Context, terms []retrieval.Term, have []int64) ([]retrieval.Term, []int64, error) {
	first, firstHave := retrieval.Telling(r.stats, terms, have, retrieval.FirstWords)
	_, best, names, err := r.run(ctx, first, firstHave, retrieval.FeedbackTexts)
	if err != nil || len(best) == 0 {
		return terms, have, err
	}
	texts, err := r.rows.Texts(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	readings := make([]retrieval.Reading, len(best))
	for i, f := range best {
		d := texts[i]
		d.Text = d.Text[:min(len(d.Text), feedbackBytes)]
		readings[i] = retrieval.Reading{Document: d, Score: f.Score()}
	}
	counter := counters.Get().(*retrieval.Builder)
	candidates := counter.Candidates(r.stats, readings)
	counters.Put(counter)
	all := make([]string, len(candidates))
	for i, c := range candidates {
		all[i] = c.Word
	}
	var counted []int64
	for n := feedbackLookups; ; n *= 2 {
		more, err := r.count(ctx, all[len(counted):min(len(all), n)])
		if err != nil {
			return nil, nil, err
		}
		counted = append(counted, more...)
		if retrieval.EnoughCandidates(r.stats, candidates, counted) {
			terms = retrieval.Feedback(r.stats, terms, candidates, counted)
			have, err = r.count(ctx, words(terms))
			return terms, have, err
		}
	}
}

// Ranking answers a query by the index and the artifacts that a store has.
func (x *Index) Ranking(ctx context.Context, rows Rows, q store.RankQuery, stored func(context.Context, store.ArtifactQuery) ([]store.Artifact, error)) (store.Ranking, error) {
	hits, out, err := x.Rank(ctx, rows, q)
	if err != nil || len(hits) == 0 {
		return out, err
	}
	if q.Bare {
		out.Hits = make([]store.RankedHit, len(hits))
		for i, h := range hits {
			out.Hits[i] = store.RankedHit{Artifact: store.Artifact{ID: h.Artifact}, Version: h.Version, Draft: h.Kind.Draft, Score: h.Score}
		}
		return out, nil
	}
	ids := make([]brenner.ArtifactID, len(hits))
	for i, h := range hits {
		ids[i] = h.Artifact
	}
	artifacts, err := stored(ctx, store.ArtifactQuery{IDs: ids})
	if err != nil {
		return store.Ranking{}, err
	}
	byID := make(map[brenner.ArtifactID]store.Artifact, len(artifacts))
	for _, a := range artifacts {
		byID[a.ID] = a
	}
	for _, h := range hits {
		out.Hits = append(out.Hits, store.RankedHit{
			Artifact: byID[h.Artifact], Version: h.Version, Draft: h.Kind.Draft, Score: h.Score, Parts: h.Parts,
		})
	}
	return out, nil
}
