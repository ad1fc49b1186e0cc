package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/internal/store"
)

// Search scores what shares words with the query by their weights, each times
// how rare the word is: a word says the more the fewer have it.
func (r *reader) Search(ctx context.Context, q store.SearchQuery) ([]store.Hit, error) {
	words := store.QueryWords(q.Text)
	if len(words) == 0 {
		return nil, r.ready(ctx, nil)
	}
	noted, err := r.notedTexts(ctx, words, q)
	if err != nil {
		return nil, err
	}
	found, rarity, err := r.searchIndex(ctx, words, q, noted)
	if err != nil {
		return nil, err
	}
	for _, n := range noted {
		if score := n.score(rarity); n.wanted && score > 0 {
			found = append(found, scored{n.artifact, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.artifact, b.artifact))
	})
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	return r.hits(ctx, found)
}

// scored is an artifact and how well it fits.
type scored struct {
	artifact brenner.ArtifactID
	score    float64
}

// hits loads the artifacts that were found.
func (r *reader) hits(ctx context.Context, found []scored) ([]store.Hit, error) {
	if len(found) == 0 {
		return nil, nil
	}
	ids := make([]brenner.ArtifactID, len(found))
	place := make(map[brenner.ArtifactID]int, len(found))
	for i, f := range found {
		ids[i], place[f.artifact] = f.artifact, i
	}
	rows, err := r.Artifacts(ctx, store.ArtifactQuery{IDs: ids})
	if err != nil {
		return nil, err
	}
	out := make([]store.Hit, len(found))
	for _, a := range rows {
		out[place[a.ID]] = store.Hit{Artifact: a, Score: found[place[a.ID]].score}
	}
	return out, nil
}

// notedText is a text that is not in the index yet.
type notedText struct {
	artifact brenner.ArtifactID
	weights  []int // of each word of the query, 0 where it is not in the text
	wanted   bool  // by type and module
}

// score adds up; the last digits are cut, so that its order does not show.
func (n notedText) score(rarity []float64) float64 {
	sum := 0.0
	for i, weight := range n.weights {
		sum += float64(weight) * rarity[i]
	}
	return math.Round(sum*1e6) / 1e6
}

// notedTexts gives the texts that are not in the index yet.
func (r *reader) notedTexts(ctx context.Context, words []string, q store.SearchQuery) ([]notedText, error) {
	w := where{args: []any{r.project}}
	return list(ctx, r.session, func(rows pgx.Rows, n *notedText) error {
		var text string
		var content []byte
		if err := rows.Scan((*string)(&n.artifact), &text, &content, &n.wanted); err != nil {
			return err
		}
		n.weights = make([]int, len(words))
		for _, term := range store.Terms(text + string(content)) {
			if i, found := slices.BinarySearch(words, term.Word); found {
				n.weights[i] = term.Weight
			}
		}
		return nil
	}, `SELECT artifact, text, data, `+w.chosen(q)+` FROM unindexed LEFT JOIN blobs ON blobs.project = $1 AND digest = blob
		WHERE unindexed.project = $1`, w.args...)
}

// searchIndex gives the best hits of the index, in which noted texts do not
// count, and the rarity of each word, for which they do. Which weight a word
// has in a document shows by the lexeme under which it is found.
func (r *reader) searchIndex(ctx context.Context, words []string, q store.SearchQuery, noted []notedText) (found []scored, rarity []float64, err error) {
	size, err := r.Size(ctx) // of the journal: rough, but that will do
	if err != nil {
		return nil, nil, err
	}
	var lexemes []string
	var numbers, weights []int32
	for i, word := range words {
		for weight := 1; weight <= store.MaxWeight; weight++ {
			lexemes = append(lexemes, "'"+lexeme(word, weight)+"'") // letters and digits
			numbers, weights = append(numbers, int32(i+1)), append(weights, int32(weight))
		}
	}
	outdated, counts := make([]string, len(noted)), make([]int32, len(words))
	for i, n := range noted {
		outdated[i] = string(n.artifact)
		for j, weight := range n.weights {
			counts[j] += int32(min(weight, 1))
		}
	}
	w := where{args: []any{r.project, "'" + projectWord(r.project) + "'", lexemes, numbers, weights, outdated, counts, size}}
	sql := `WITH hit AS MATERIALIZED (
			SELECT n, weight, artifact FROM unnest($3::text[], $4::integer[], $5::integer[]) AS asked (lexeme, n, weight), LATERAL (
				SELECT artifact FROM documents WHERE project = $1 AND words @@ ($2::text::tsquery && lexeme::tsquery) AND artifact <> ALL ($6)) AS d
		), rare AS (
			SELECT n, ln(2 + $8::float8 / greatest(1, noted + count(artifact))) AS rarity
			FROM unnest($7::integer[]) WITH ORDINALITY AS word (noted, n) LEFT JOIN hit USING (n) GROUP BY n, noted
		), best AS (
			SELECT artifact, round(sum(weight * rarity)::numeric, 6)::float8 AS score FROM hit JOIN rare USING (n)
			WHERE ` + w.chosen(q) + ` GROUP BY artifact ORDER BY score DESC, artifact` + limitTo(q.Limit) + `
		) SELECT artifact, score, 0 FROM best UNION ALL SELECT '', rarity, n FROM rare`
	rarity = make([]float64, len(words))
	err = r.query(ctx, func(rows pgx.Rows) error {
		var one scored
		var word int
		err := rows.Scan((*string)(&one.artifact), &one.score, &word)
		if word == 0 {
			found = append(found, one)
		} else {
			rarity[word-1] = one.score
		}
		return err
	}, sql, w.args...)
	return found, rarity, err
}

// chosen is the condition that an artifact has one of the types and modules
// asked for. The project is the first parameter.
func (w *where) chosen(q store.SearchQuery) string {
	if len(q.Types) == 0 && len(q.Modules) == 0 {
		return `true`
	}
	of := where{args: w.args}
	if len(q.Types) > 0 {
		of.and(`type = ANY(%s)`, texts(q.Types))
	}
	if len(q.Modules) > 0 {
		of.and(`module = ANY(%s)`, texts(q.Modules))
	}
	w.args = of.args
	return fmt.Sprintf(`artifact IN (SELECT id FROM artifacts %s AND project = $1)`, of.String())
}
