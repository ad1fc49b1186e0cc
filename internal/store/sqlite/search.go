package sqlite

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/internal/store"
)

// Adding a text to the index of SQLite costs several times what writing a
// version costs, and a fraction of that in batches. So Index only notes the
// text; a search looks through the noted texts as well as the index, with the
// same words and the same scores, and whoever finds many of them moves them
// into the index ("settles" them) when its own work is done.
const (
	// settleFrom is how many unindexed texts make it worth while.
	settleFrom = 16
	// settleBatch is how many are moved in one transaction: other writers wait
	// for it.
	settleBatch = 128
	// settleMost is how many one reader moves at most.
	settleMost = 1024
	// settlePatience is how long somebody waits to do it.
	settlePatience = time.Second
	// maxWaiting is how many texts a process puts off before its writers have
	// to help.
	maxWaiting = 8192
)

func (t *tx) Index(ctx context.Context, id brenner.ArtifactID, text string) (err error) {
	defer t.note(&err)
	if err := store.CheckText(text); err != nil {
		return err
	}
	key, err := t.key(ctx, id)
	if err != nil {
		return err
	}
	t.waiting.Add(1)
	var blob any
	if head, ends := strings.CutSuffix(text, t.content.data); ends && t.content.data != "" {
		text, blob = head, t.content.key
	}
	return t.c.do(ctx, "INSERT OR REPLACE INTO unindexed (artifact, text, blob) VALUES (?, ?, ?)", key, text, blob)
}

const selectUnindexed = "SELECT u.artifact, u.text, b.data FROM unindexed u LEFT JOIN blobs b ON b.key = u.blob"

// unindexedText puts a noted text together.
func unindexedText(r row) string {
	if r.null(2) {
		return r.text(1)
	}
	return r.text(1) + string(r.bytes(2))
}

func (r *reader) Search(ctx context.Context, q store.SearchQuery) ([]store.Hit, error) {
	words := store.QueryWords(q.Text)
	if len(words) == 0 {
		return nil, canceled(ctx)
	}
	noted, err := r.notedTexts(ctx, words)
	if err != nil {
		return nil, err
	}
	r.unindexed = len(noted)
	artifacts, err := r.c.number(ctx, "SELECT max(key) FROM artifacts")
	if err != nil {
		return nil, err
	}
	scores := make(map[int64]float64, len(words)*q.Depth)
	for i, word := range words {
		found, err := r.postings(ctx, word, i, noted, q.Depth)
		if err != nil {
			return nil, err
		}
		// A word says the more the fewer have it.
		rarity := math.Log1p(float64(artifacts) / found.count(artifacts, q.Depth))
		for _, p := range found {
			scores[p.artifact] += float64(p.weight) * rarity
		}
	}
	return r.best(ctx, scores, q)
}

// Tagged scores as Search does, with tags instead of words, all of one weight.
func (r *reader) Tagged(ctx context.Context, q store.TagQuery) ([]store.Artifact, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	scores := map[int64]float64{}
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(q.Tags))) {
		if err := r.c.query(ctx, func(r row) error {
			scores[r.int(0)]++
			return nil
		}, "SELECT artifact FROM artifact_tags WHERE tag = ? ORDER BY artifact DESC LIMIT ?", tag, limit(q.Depth)); err != nil {
			return nil, err
		}
	}
	hits, err := r.best(ctx, scores, store.SearchQuery{Types: q.Types, Modules: q.Modules, Limit: q.Limit, Depth: q.Depth})
	out := make([]store.Artifact, len(hits))
	for i, h := range hits {
		out[i] = h.Artifact
	}
	return out, cmp.Or(err, canceled(ctx))
}

// posting says that an artifact has a word.
type posting struct {
	artifact int64
	weight   int
}

type postings []posting

// postings gives the artifacts that have the i-th word of a query, those with
// the most weight first, the latest of them first, no more than depth unless
// that is 0.
func (r *reader) postings(ctx context.Context, word string, i int, noted map[int64][]int, depth int) (postings, error) {
	var out postings
	for weight := store.MaxWeight; weight >= 1 && (depth == 0 || len(out) < depth); weight-- {
		start := len(out)
		for key, weights := range noted {
			if weights[i] == weight {
				out = append(out, posting{key, weight})
			}
		}
		indexed := 0
		err := r.c.query(ctx, func(r row) error {
			if key := r.int(0); noted[key] == nil { // otherwise the index is out of date
				out = append(out, posting{key, weight})
				indexed++
			}
			if depth > 0 && start+indexed >= depth {
				return errEnough
			}
			return nil
		}, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC", `"`+token(word, weight)+`"`)
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		slices.SortFunc(out[start:], func(a, b posting) int { return cmp.Compare(b.artifact, a.artifact) })
	}
	if depth > 0 && len(out) > depth {
		out = out[:depth]
	}
	return out, nil
}

// count is how many artifacts have the word: of a list that was cut short, as
// many as there would be if the earlier artifacts were like the latest.
func (p postings) count(artifacts int64, depth int) float64 {
	n := float64(len(p))
	if depth == 0 || len(p) < depth {
		return n
	}
	reached := p[len(p)-1].artifact
	return n * float64(artifacts) / float64(artifacts-reached+1)
}

// token is how the index knows a word of some weight.
func token(word string, weight int) string { return word + strconv.Itoa(weight) }

// notedTexts gives, for each artifact whose text is not in the index yet, the
// weight of each word, 0 where it is not in the text.
func (r *reader) notedTexts(ctx context.Context, words []string) (map[int64][]int, error) {
	out := map[int64][]int{}
	err := r.c.query(ctx, func(r row) error {
		weights := make([]int, len(words))
		for _, term := range store.Terms(unindexedText(r)) {
			if i, found := slices.BinarySearch(words, term.Word); found {
				weights[i] = term.Weight
			}
		}
		out[r.int(0)] = weights
		return nil
	}, selectUnindexed)
	return out, err
}

// scored is an artifact and how well it fits.
type scored struct {
	artifact int64
	score    float64
}

// best gives the hits in order. Artifacts are loaded only as far down as the
// limit reaches.
func (r *reader) best(ctx context.Context, scores map[int64]float64, q store.SearchQuery) ([]store.Hit, error) {
	ranked := make([]scored, 0, len(scores))
	for key, score := range scores {
		ranked = append(ranked, scored{key, score})
	}
	slices.SortFunc(ranked, func(a, b scored) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(b.artifact, a.artifact)
	})
	var out []store.Hit
	for len(ranked) > 0 && (q.Limit <= 0 || len(out) < q.Limit) {
		n := len(ranked)
		if q.Limit > 0 {
			n = min(n, q.Limit)
		}
		for q.Depth == 0 && n < len(ranked) && ranked[n].score == ranked[n-1].score { // ties go by id, which is not known yet
			n++
		}
		some, err := r.wanted(ctx, ranked[:n], q)
		if err != nil {
			return nil, err
		}
		out, ranked = append(out, some...), ranked[n:]
	}
	slices.SortFunc(out, func(a, b store.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	if q.Limit > 0 && len(out) > q.Limit {
		out = out[:q.Limit]
	}
	return out, nil
}

// wanted loads those of some artifacts that have one of the types and modules
// asked for.
func (r *reader) wanted(ctx context.Context, some []scored, q store.SearchQuery) ([]store.Hit, error) {
	w := where{args: []any{keysParameter(func(yield func(int64) bool) {
		for _, s := range some {
			if !yield(s.artifact) {
				return
			}
		}
	})}}
	in(&w, "type", q.Types)
	in(&w, "module", q.Modules)
	return collect(ctx, r.c, func(r row) store.Hit {
		return store.Hit{Artifact: scanArtifact(r), Score: some[r.int(1)].score}
	}, "SELECT "+artifactText+", place FROM (SELECT key AS place, value AS found FROM json_each(?)) "+
		"CROSS JOIN artifacts ON key = found"+w.String(), w.args...)
}

// behind reports whether many texts wait to be indexed.
func (s *database) behind() bool {
	n := int64(0)
	_ = s.Read(context.Background(), func(r store.Reader) (err error) {
		n, err = r.(*reader).c.number(context.Background(), "SELECT count(*) FROM (SELECT 1 FROM unindexed LIMIT ?)", int64(settleFrom))
		return err
	})
	return n >= settleFrom
}

// settle moves up to most noted texts into the index. If it cannot, a search
// goes on finding them where they are, and somebody will try again.
func (s *database) settle(ctx context.Context, most int) {
	if s.readOnly {
		return
	}
	for moved := 0; moved < most; {
		n, err := s.settleBatch(ctx)
		if err != nil || n < settleBatch {
			return
		}
		moved += n
	}
}

func (s *database) settleBatch(ctx context.Context) (moved int, err error) {
	wait, stop := context.WithTimeout(ctx, settlePatience)
	defer stop()
	err = s.writers.write(wait, func(t store.Tx) (err error) {
		moved, err = t.(*tx).settleSome(ctx)
		return err
	})
	return moved, err
}

// settleSome moves a batch of noted texts into the index.
func (t *tx) settleSome(ctx context.Context) (moved int, err error) {
	type note struct {
		artifact int64
		text     string
	}
	notes, err := collect(ctx, t.c, func(r row) note { return note{r.int(0), unindexedText(r)} }, selectUnindexed+" LIMIT ?", int64(settleBatch))
	if err != nil {
		return 0, err
	}
	var tokens strings.Builder
	for _, n := range notes {
		tokens.Reset()
		for _, term := range store.Terms(n.text) {
			tokens.WriteString(token(term.Word, term.Weight))
			tokens.WriteByte(' ')
		}
		if err := t.c.do(ctx, "DELETE FROM words WHERE rowid = ?", n.artifact); err != nil {
			return 0, err
		}
		if tokens.Len() > 0 {
			if err := t.c.do(ctx, "INSERT INTO words (rowid, tokens) VALUES (?, ?)", n.artifact, tokens.String()); err != nil {
				return 0, err
			}
		}
		if err := t.c.do(ctx, "DELETE FROM unindexed WHERE artifact = ?", n.artifact); err != nil {
			return 0, err
		}
	}
	t.waiting.Store(max(0, t.waiting.Load()-int64(len(notes))))
	return len(notes), nil
}
