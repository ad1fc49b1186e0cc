package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"brenner"
)

// liveFor is how long one connection of the change feed lasts. The browser
// then comes again, and says again who it is.
const liveFor = 5 * time.Minute

// live is the change feed for the script of the pages: an event for each time
// the journal has grown, with its position and nothing else.
func (s *site) live(w http.ResponseWriter, r *http.Request) {
	v, err := s.enter(w, r)
	if err != nil {
		w.WriteHeader(http.StatusNoContent) // tells the browser not to come again
		return
	}
	select {
	case s.feeds <- struct{}{}:
		defer func() { <-s.feeds }()
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{})
	ctx, stop := context.WithTimeout(r.Context(), liveFor)
	defer stop()
	for at := v.number("after"); ; {
		_ = out.SetWriteDeadline(time.Now().Add(liveFor + brenner.HeaderDeadline))
		if _, err := fmt.Fprintf(w, "data: %d\n\n", v.project.Size); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		at = max(at, v.project.Size)
		if err := s.Wait(ctx, at); err != nil {
			return
		}
		// Who asks is asked again: who is logged out learns no more.
		if v, err = s.enter(w, r); err != nil {
			return
		}
	}
}
