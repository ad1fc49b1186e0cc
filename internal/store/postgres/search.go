package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"brenner"
	"brenner/internal/store"
)

// Search finds what shares a word with the query and adds up the weights of
// those words.
//
// ts_rank of a query that is a plain "or" is the sum of the weights of the
// words found, each 1 at most, divided by a constant (the sum of 1/n²) and by
// the number of words asked for. Taking those out again gives whole numbers.
func (r *reader) Search(ctx context.Context, q store.SearchQuery) ([]store.Hit, error) {
	words := store.QueryWords(q.Text)
	if len(words) == 0 {
		return nil, r.ready(ctx, nil)
	}
	either := "'" + strings.Join(words, "' | '") + "'"
	w := where{}
	w.and(`project = %s`, r.project)
	w.and(`words @@ %s::tsquery`, "'"+projectWord(r.project)+"' & ("+either+")")
	if len(q.Types) > 0 {
		w.and(`artifact IN (SELECT id FROM artifacts WHERE project = documents.project AND type = ANY(%s))`, texts(q.Types))
	}
	if len(q.Modules) > 0 {
		w.and(`artifact IN (SELECT id FROM artifacts WHERE project = documents.project AND module = ANY(%s))`, texts(q.Modules))
	}
	rank := `ts_rank(` + weightValues + `, words, ` + w.arg(either) + `::tsquery) * 4 * 1.64493406685 * ` + w.arg(len(words))
	return listUpTo(ctx, r.session, q.Limit, func(rows pgx.Rows, h *store.Hit) error {
		return rows.Scan((*string)(&h.Artifact), &h.Score)
	}, `SELECT artifact, sum(round((`+rank+`)::numeric))::float8 AS score FROM documents `+w.String()+`
		GROUP BY artifact ORDER BY score DESC, artifact`, w.args...)
}

func (t *tx) Index(ctx context.Context, id brenner.ArtifactID, text string) error {
	if err := store.CheckText(text); err != nil {
		return t.doom(err)
	}
	const (
		trim    = `DELETE FROM documents WHERE project = $1 AND artifact = $2 AND part >= $3`
		checked = `WITH gone AS (` + trim + `)
			SELECT CASE WHEN EXISTS (SELECT FROM artifacts WHERE project = $1 AND id = $2) THEN true ELSE refuse('BR404', 'there is no artifact ' || $2) END`
	)
	parts := vectors(t.project, store.Terms(text))
	if err := t.try(ctx, t.known.artifacts[id], trim, checked, string(id), len(parts)); err != nil {
		return err
	}
	for part, words := range parts {
		err := t.put(ctx, `INSERT INTO documents (project, artifact, part, words) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project, artifact, part) DO UPDATE SET words = excluded.words`, string(id), part, words)
		if err != nil {
			return err
		}
	}
	return nil
}

// maxVector bounds what one vector takes in the database, which allows 1 MiB.
const maxVector = 512 << 10

// vectors makes the words of a document into tsvectors, few enough in each.
func vectors(project int32, terms []store.Term) []pgtype.TSVector {
	var all []pgtype.TSVector
	for len(terms) > 0 {
		lexemes := []pgtype.TSVectorLexeme{{Word: projectWord(project)}}
		for size := 0; len(terms) > 0 && size < maxVector; terms = terms[1:] {
			size += len(terms[0].Word) + 12 // an entry, a position and padding
			lexemes = append(lexemes, pgtype.TSVectorLexeme{Word: terms[0].Word, Positions: weightLabels[terms[0].Weight-1]})
		}
		all = append(all, pgtype.TSVector{Lexemes: lexemes, Valid: true})
	}
	return all
}

// weightLabels write the weights 1 to 4, and weightValues are what D, C, B and
// A stand for, in quarters. A word without a position counts as D and takes the
// least space; that is given to the weight of a word that stands once in a text
// of usual length.
var weightLabels = [store.MaxWeight][]pgtype.TSVectorPosition{
	{{Position: 1, Weight: pgtype.TSVectorWeightC}},
	nil,
	{{Position: 1, Weight: pgtype.TSVectorWeightB}},
	{{Position: 1, Weight: pgtype.TSVectorWeightA}},
}

const weightValues = `'{0.5, 0.25, 0.75, 1}'`

// projectWord is what the index knows the project by. It sorts before any word
// of a text, which are letters and digits.
func projectWord(project int32) string { return fmt.Sprintf("/%d", project) }

func (r *reader) Vectors(ctx context.Context, space string, ids []string) (map[string][]float32, error) {
	found, err := list(ctx, r.session, scanVector,
		`SELECT id, vector FROM vectors WHERE project = $1 AND space = $2 AND id = ANY($3)`, r.project, space, texts(ids))
	if err != nil {
		return nil, err
	}
	out := make(map[string][]float32, len(found))
	for _, e := range found {
		out[e.id] = e.vector
	}
	return out, nil
}

func (r *reader) EachVector(ctx context.Context, space string, fn func(id string, v []float32) error) error {
	return each(ctx, r, scanVector,
		`SELECT id, vector FROM vectors WHERE project = $1 AND space = $2 AND id > $3 ORDER BY id LIMIT `+pageRows,
		[]any{space, ""},
		func(e vectorRow) []any { return []any{space, e.id} },
		func(e vectorRow) error { return fn(e.id, e.vector) })
}

func (t *tx) PutVectors(ctx context.Context, space string, vectors map[string][]float32) error {
	ids := slices.Sorted(maps.Keys(vectors))
	raw := make([][]byte, len(ids))
	for i, id := range ids {
		raw[i] = packVector(vectors[id])
	}
	return t.put(ctx, `INSERT INTO vectors (project, space, id, vector)
		SELECT $1, $2, id, vector FROM unnest($3::text[], $4::bytea[]) AS v (id, vector)
		ON CONFLICT (project, space, id) DO UPDATE SET vector = excluded.vector`, space, ids, raw)
}

func (t *tx) DeleteVectors(ctx context.Context, space string) error {
	return t.put(ctx, `DELETE FROM vectors WHERE project = $1 AND space = $2`, space)
}

type vectorRow struct {
	id     string
	vector []float32
}

func scanVector(rows pgx.Rows, e *vectorRow) error {
	var raw []byte
	err := rows.Scan(&e.id, &raw)
	e.vector = make([]float32, len(raw)/4)
	for i := range e.vector {
		e.vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return err
}

func packVector(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}
