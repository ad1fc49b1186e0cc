package postgres

import (
	"context"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
)

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
