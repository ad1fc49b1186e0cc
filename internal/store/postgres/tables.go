package postgres

import (
	"context"
	"fmt"

	"brenner/internal/store"
)

// Each visits a digest table in key order.
func (r *reader) Each(ctx context.Context, table store.Table, fn func(row any) error) error {
	switch table {
	case store.TableArtifacts:
		return each(ctx, r, scanArtifact,
			`SELECT `+artifactColumns+` FROM artifacts WHERE project = $1 AND id > $2 ORDER BY id LIMIT `+pageRows,
			[]any{""},
			func(a store.Artifact) []any { return []any{string(a.ID)} },
			func(a store.Artifact) error { return fn(a) })
	case store.TableVersions:
		return each(ctx, r, scanVersion,
			`SELECT `+versionColumns+` FROM versions WHERE project = $1 AND (artifact, version) > ($2, $3) ORDER BY artifact, version LIMIT `+pageRows,
			[]any{"", 0},
			func(v store.Version) []any { return []any{string(v.Artifact), int(v.Version)} },
			func(v store.Version) error { return fn(v) })
	case store.TableLinks:
		return each(ctx, r, scanLink,
			`SELECT `+linkColumns+` FROM links WHERE project = $1 AND (`+linkOrder+`) > ($2, $3, $4, $5, $6) ORDER BY `+linkOrder+` LIMIT `+pageRows,
			[]any{"", 0, "", "", 0},
			func(l store.Link) []any {
				return []any{string(l.From.Artifact), int(l.From.Version), string(l.Rel), string(l.To.Artifact), int(l.To.Version)}
			},
			func(l store.Link) error { return fn(l) })
	case store.TableActors:
		return each(ctx, r, scanActor,
			`SELECT `+actorColumns+` FROM actors WHERE project = $1 AND name > $2 ORDER BY name LIMIT `+pageRows,
			[]any{""},
			func(a store.Actor) []any { return []any{string(a.Name)} },
			func(a store.Actor) error { return fn(a) })
	case store.TableObjects:
		return each(ctx, r, scanObject,
			`SELECT `+objectColumns+` FROM objects WHERE project = $1 AND (kind, id) > ($2, $3) ORDER BY kind, id LIMIT `+pageRows,
			[]any{"", ""},
			func(o store.Object) []any { return []any{o.Kind, o.ID} },
			func(o store.Object) error { return fn(o) })
	case store.TableRequests:
		return each(ctx, r, scanRequest,
			`SELECT `+requestColumns+` FROM requests WHERE project = $1 AND (actor, key) > ($2, $3) ORDER BY actor, key LIMIT `+pageRows,
			[]any{"", ""},
			func(q store.Request) []any { return []any{string(q.Actor), q.Key} },
			func(q store.Request) error { return fn(q) })
	}
	return fmt.Errorf("there is no digest table %q", table)
}

// Reset empties the digest tables and the full-text index.
func (t *tx) Reset(ctx context.Context) error {
	t.known = newKnown()
	// The state of the index goes first: that waits for whoever changes it.
	if err := t.put(ctx, `UPDATE index_state SET generation = generation + 1, changes = changes + 1, documents = 0, length = 0 WHERE project = $1`); err != nil {
		return err
	}
	index := []store.Table{"index_notes", "index_documents", "index_segments", "index_pages"}
	for _, table := range append(index, store.Tables()...) {
		if err := t.put(ctx, `DELETE FROM `+string(table)+` WHERE project = $1`); err != nil {
			return err
		}
	}
	return nil
}
