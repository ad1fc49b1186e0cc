package kernel

import (
	"encoding/base64"

	"brenner"
	"brenner/api"
	"brenner/canon"
)

// PageSize gives the number of items a page may have.
func PageSize(asked int) (int, error) {
	switch {
	case asked == 0:
		return brenner.DefaultPage, nil
	case asked < 0 || asked > brenner.MaxPage:
		return 0, brenner.Errorf(brenner.CodeLimitExceeded, "a page has 1 to %d items, not %d", brenner.MaxPage, asked).
			At("/limit").WithHint("ask for so many, or give no limit")
	}
	return asked, nil
}

// PageOf gives a page of a list that is there as a whole, and where the next one
// starts.
func PageOf[T any](all []T, p api.Page) ([]T, api.Next, error) {
	limit, err := PageSize(p.Limit)
	if err != nil {
		return nil, api.Next{}, err
	}
	start, err := OpenCursor[int](p.Cursor)
	if err != nil {
		return nil, api.Next{}, err
	}
	start = min(start, len(all))
	end := min(start+limit, len(all))
	var next api.Next
	if end < len(all) {
		next.Cursor = MakeCursor(end)
	}
	return append([]T{}, all[start:end]...), next, nil
}

// MakeCursor hides where a listing goes on, so that callers do not build
// cursors of their own.
func MakeCursor(place any) string {
	return base64.RawURLEncoding.EncodeToString(canon.MustMarshal(place))
}

// OpenCursor reads a cursor; the empty one starts at the beginning. One that
// counts from below zero is none of ours.
func OpenCursor[T any](s string) (T, error) {
	var place T
	if s == "" {
		return place, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = canon.Unmarshal(raw, &place)
	}
	if err != nil || negative(place) {
		var zero T
		return zero, brenner.Errorf(brenner.CodeInvalidCursor, "%q is not a cursor", s).
			WithHint("start again without one").Because(err)
	}
	return place, nil
}

// negative reports whether a place lies before the beginning.
func negative(place any) bool {
	switch p := place.(type) {
	case int:
		return p < 0
	case int64:
		return p < 0
	case brenner.Version:
		return p < 0
	case Place:
		return p.Order < 0
	}
	return false
}
