package kernel

import (
	"context"

	"brenner"
	"brenner/api"
	"brenner/internal/store"

	"github.com/go-json-experiment/json"
)

// ReadBody reads the state of an object.
func ReadBody(o store.Object, v any) error { return json.Unmarshal(o.Body, v) }

// PageObjects visits one page of objects and says where the next one starts.
func (c *Call) PageObjects(q store.ObjectQuery, p api.Page, fn func(store.Object) error) (api.Next, error) {
	limit, err := PageSize(p.Limit)
	if err != nil {
		return api.Next{}, err
	}
	after, err := OpenCursor[Place](p.Cursor)
	if err != nil {
		return api.Next{}, err
	}
	q.AfterOrder, q.AfterID, q.Limit = after.Order, after.ID, limit+1
	rows, err := c.Objects(c.Ctx, q)
	if err != nil {
		return api.Next{}, err
	}
	var next api.Next
	if len(rows) > limit {
		rows = rows[:limit]
		next.Cursor = MakeCursor(Place{rows[limit-1].Order, rows[limit-1].ID})
	}
	for _, o := range rows {
		if err := fn(o); err != nil {
			return api.Next{}, err
		}
	}
	return next, nil
}

// EachObject visits objects in order, a page at a time, until fn has enough or
// fails.
func EachObject(ctx context.Context, r store.Reader, q store.ObjectQuery, fn func(store.Object) (bool, error)) error {
	q.Limit = brenner.MaxPage
	for {
		rows, err := r.Objects(ctx, q)
		if err != nil {
			return err
		}
		for _, o := range rows {
			if more, err := fn(o); !more || err != nil {
				return err
			}
		}
		if len(rows) < q.Limit {
			return nil
		}
		last := rows[len(rows)-1]
		q.AfterOrder, q.AfterID = last.Order, last.ID
	}
}

// EachObject visits all objects of a query in order until fn fails.
func (c *Call) EachObject(q store.ObjectQuery, fn func(store.Object) error) error {
	return EachObject(c.Ctx, c.Reader, q, func(o store.Object) (bool, error) {
		err := fn(o)
		return err == nil, err
	})
}
