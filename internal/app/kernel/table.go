package kernel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/store"

	"github.com/go-json-experiment/json"
)

// Table is one kind of object in the store, as values of a type of its room.
// The type's JSON is what is stored: it is part of the state digest, and no
// affair of the API.
type Table[T any] struct {
	Kind string
	// Key says where a value stands.
	Key func(T) Key
	// Missing refuses an id that is not there, in the words of the room; nil:
	// the store's refusal will do.
	Missing func(id string) error
	// Unordered objects are listed by their ids.
	Unordered bool
}

// Key is where an object stands: its id, and what it is listed by.
type Key struct {
	ID, Group, State string
	// Order is where it stands among the others; 0: where it was first put.
	Order int64
}

// Row is an object with what the table knows of it besides.
type Row[T any] struct {
	Value T
	ID    string
	State string
	Order int64
	Seq   int64 // of the record that changed it last
}

// Place is where a listing goes on behind the row.
func (r Row[T]) Place() Place { return Place{r.Order, r.ID} }

// Put inserts or replaces an object; seq is that of the record that says so.
func (t Table[T]) Put(ctx context.Context, tx store.Tx, seq int64, v T) error {
	return t.Replace(ctx, tx, seq, Row[T]{Order: seq}, v)
}

// Replace puts a value in the place of a row.
func (t Table[T]) Replace(ctx context.Context, tx store.Tx, seq int64, old Row[T], v T) error {
	o := store.Object{Kind: t.Kind, ID: old.ID, Order: old.Order, Seq: seq}
	return put(ctx, tx, o, t.Key(v), t.Unordered, v)
}

// put puts a value where its key says; what the key leaves open is as the object has it.
func put(ctx context.Context, tx store.Tx, o store.Object, k Key, unordered bool, v any) (err error) {
	o.ID, o.Group, o.State, o.Order = cmp.Or(o.ID, k.ID), k.Group, k.State, cmp.Or(k.Order, o.Order)
	if unordered {
		o.Order = 0
	}
	if o.Body, err = canon.Marshal(v); err != nil {
		return err
	}
	return tx.PutObject(ctx, o)
}

// Change changes an object in its place and gives it as it is then.
func (t Table[T]) Change(ctx context.Context, tx store.Tx, seq int64, id string, fn func(*T)) (T, error) {
	row, err := t.Row(ctx, tx, id)
	if err != nil {
		return row.Value, err
	}
	v := row.Value
	fn(&v)
	return v, t.Replace(ctx, tx, seq, row, v)
}

// Find gives an object; NOT_FOUND if there is none.
func (t Table[T]) Find(ctx context.Context, r store.Reader, id string) (T, error) {
	row, err := t.Row(ctx, r, id)
	return row.Value, err
}

// Row is Find with what the table knows besides.
func (t Table[T]) Row(ctx context.Context, r store.Reader, id string) (Row[T], error) {
	o, err := r.Object(ctx, t.Kind, id)
	if err != nil {
		return Row[T]{}, missed(err, id, t.Missing)
	}
	return t.read(o)
}

// missed is why an object was not found, in the words of the room if it has any.
func missed(err error, id string, missing func(id string) error) error {
	if missing != nil && errors.Is(err, brenner.CodeNotFound) {
		return missing(id)
	}
	return err
}

// Has reports whether there is an object.
func (t Table[T]) Has(ctx context.Context, r store.Reader, id string) (bool, error) {
	return has(ctx, r, t.Kind, id)
}

func has(ctx context.Context, r store.Reader, kind, id string) (bool, error) {
	_, err := r.Object(ctx, kind, id)
	if errors.Is(err, brenner.CodeNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (t Table[T]) read(o store.Object) (Row[T], error) {
	row := Row[T]{ID: o.ID, State: o.State, Order: o.Order, Seq: o.Seq}
	return row, json.Unmarshal(o.Body, &row.Value)
}

// Query chooses objects of a table.
type Query struct {
	Group  string
	States []string
	Newest bool // the last first
	After  Place
}

// Place is where a listing goes on.
type Place struct {
	Order int64  `json:"order"`
	ID    string `json:"id"`
}

func (q Query) of(kind string, limit int) store.ObjectQuery {
	return store.ObjectQuery{
		Kind: kind, Group: q.Group, States: q.States, Newest: q.Newest,
		AfterOrder: q.After.Order, AfterID: q.After.ID, Limit: limit,
	}
}

// List gives the first objects of a query, at most limit.
func (t Table[T]) List(ctx context.Context, r store.Reader, q Query, limit int) ([]Row[T], error) {
	objects, err := r.Objects(ctx, q.of(t.Kind, limit))
	if err != nil {
		return nil, err
	}
	rows := make([]Row[T], len(objects))
	for i, o := range objects {
		if rows[i], err = t.read(o); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Each visits objects in order, a page at a time, until fn has enough or fails.
func (t Table[T]) Each(ctx context.Context, r store.Reader, q Query, fn func(Row[T]) (more bool, err error)) error {
	return each(ctx, r, t.Kind, q, func(o store.Object) (bool, error) {
		row, err := t.read(o)
		if err != nil {
			return false, err
		}
		return fn(row)
	})
}

func each(ctx context.Context, r store.Reader, kind string, q Query, fn func(store.Object) (more bool, err error)) error {
	for {
		objects, err := r.Objects(ctx, q.of(kind, brenner.MaxPage))
		if err != nil {
			return err
		}
		for _, o := range objects {
			if more, err := fn(o); !more || err != nil {
				return err
			}
		}
		if len(objects) < brenner.MaxPage {
			return nil
		}
		q.After = placeOf(objects[len(objects)-1])
	}
}

// Page visits one page of objects and says where the next one starts.
func (t Table[T]) Page(ctx context.Context, r store.Reader, q Query, p api.Page, fn func(Row[T]) error) (api.Next, error) {
	return page(ctx, r, t.Kind, q, p, func(o store.Object) error {
		row, err := t.read(o)
		if err != nil {
			return err
		}
		return fn(row)
	})
}

func page(ctx context.Context, r store.Reader, kind string, q Query, p api.Page, fn func(store.Object) error) (api.Next, error) {
	limit, err := PageSize(p.Limit)
	if err != nil {
		return api.Next{}, err
	}
	if q.After, err = OpenCursor[Place](p.Cursor); err != nil {
		return api.Next{}, err
	}
	objects, err := r.Objects(ctx, q.of(kind, limit+1))
	if err != nil {
		return api.Next{}, err
	}
	var next api.Next
	if len(objects) > limit {
		objects = objects[:limit]
		next.Cursor = MakeCursor(placeOf(objects[limit-1]))
	}
	for _, o := range objects {
		if err := fn(o); err != nil {
			return api.Next{}, err
		}
	}
	return next, nil
}

func placeOf(o store.Object) Place { return Place{o.Order, o.ID} }

// Count counts objects of a group, or with "" of all, by state.
func (t Table[T]) Count(ctx context.Context, r store.Reader, group string) (map[string]int, error) {
	return r.CountObjects(ctx, t.Kind, group)
}

// NumberOf reads the number at the end of an id such as task-12, which is the
// journal position it was made at; 0 if there is none.
func NumberOf(id string) int64 {
	n, err := strconv.ParseInt(id[strings.LastIndexByte(id, '-')+1:], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Total counts the objects of a query, wherever it goes on.
func (t Table[T]) Total(ctx context.Context, r store.Reader, q Query) (int, error) {
	counts, err := t.Count(ctx, r, q.Group)
	return q.total(counts), err
}

func (q Query) total(counts map[string]int) int {
	n := 0
	for state, count := range counts {
		if len(q.States) == 0 || slices.Contains(q.States, state) {
			n += count
		}
	}
	return n
}
