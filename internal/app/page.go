package app

import (
	"encoding/base64"

	"brenner"
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
