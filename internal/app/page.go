package app

import (
	"context"
	"encoding/base64"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/store"

	"github.com/go-json-experiment/json"
)

// pageSize gives the number of items a page may have.
func pageSize(asked int) (int, error) {
	switch {
	case asked == 0:
		return brenner.DefaultPage, nil
	case asked < 0 || asked > brenner.MaxPage:
		return 0, brenner.Errorf(brenner.CodeLimitExceeded, "a page has 1–%d items, not %d", brenner.MaxPage, asked)
	}
	return asked, nil
}

// makeCursor hides where a listing goes on, so that callers do not build
// cursors of their own.
func makeCursor(at any) string {
	return base64.RawURLEncoding.EncodeToString(canon.MustMarshal(at))
}

// openCursor reads a cursor; the empty one starts at the beginning.
func openCursor[T any](s string) (T, error) {
	var at T
	if s == "" {
		return at, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = canon.Unmarshal(raw, &at)
	}
	if err != nil {
		return at, brenner.Errorf(brenner.CodeInvalidCursor, "%q is not a cursor", s).
			WithHint("start again without one").Because(err)
	}
	return at, nil
}

// unmarshalBody reads the state of an object.
func unmarshalBody(o store.Object, v any) error { return json.Unmarshal(o.Body, v) }

// page visits one page of objects and says where the next one starts.
func (c *call) page(q store.ObjectQuery, p api.Page, fn func(store.Object) error) (api.Next, error) {
	limit, err := pageSize(p.Limit)
	if err != nil {
		return api.Next{}, err
	}
	type place struct {
		Order int64  `json:"order"`
		ID    string `json:"id"`
	}
	after, err := openCursor[place](p.Cursor)
	if err != nil {
		return api.Next{}, err
	}
	q.AfterOrder, q.AfterID, q.Limit = after.Order, after.ID, limit+1
	rows, err := c.Objects(c.ctx, q)
	if err != nil {
		return api.Next{}, err
	}
	var next api.Next
	if len(rows) > limit {
		rows = rows[:limit]
		next.Cursor = makeCursor(place{rows[limit-1].Order, rows[limit-1].ID})
	}
	for _, o := range rows {
		if err := fn(o); err != nil {
			return api.Next{}, err
		}
	}
	return next, nil
}

// eachObject visits objects in order, a page at a time, until fn has enough or
// fails.
func eachObject(ctx context.Context, r store.Reader, q store.ObjectQuery, fn func(store.Object) (bool, error)) error {
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

// eachObject visits all objects of a query in order until fn fails.
func (c *call) eachObject(q store.ObjectQuery, fn func(store.Object) error) error {
	return eachObject(c.ctx, c.Reader, q, func(o store.Object) (bool, error) {
		err := fn(o)
		return err == nil, err
	})
}
