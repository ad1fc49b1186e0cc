package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"brenner"
	"brenner/api"

	"github.com/go-json-experiment/json"
)

// feed streams the records of the journal as server-sent events, from behind
// the position asked for, or from now on. The id of an event is its position,
// so that a reader who lost the connection goes on where it was. It reads the
// journal as the caller may: no agent does (C1).
func (s *Server) feed(w http.ResponseWriter, h *http.Request, c Caller) {
	after, err := feedStart(h, c)
	if err != nil {
		fail(w, h, err)
		return
	}
	page, err := c.Service.Records(h.Context(), api.RecordsRequest{After: after, Limit: brenner.FeedPage})
	if err != nil {
		fail(w, h, err)
		return
	}
	done, err := s.limits.feed()
	if err != nil {
		fail(w, h, err)
		return
	}
	defer done()
	s.metrics.feeds.Add(1)
	defer s.metrics.feeds.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	f := &stream{w: w, control: http.NewResponseController(w), after: after, deadline: s.options.Deadlines.Header}
	s.takeTime(w)
	ctx, cancel := context.WithCancel(h.Context())
	defer cancel()
	defer context.AfterFunc(s.live, cancel)()
	f.send(ctx, s, h, page)
}

// feedStart reads where a feed is to start.
func feedStart(h *http.Request, c Caller) (int64, error) {
	query := h.URL.Query()
	for name := range query {
		if name != "after" {
			return 0, unknownParameter(query, nil)
		}
	}
	text := query.Get("after")
	if last := h.Header.Get("Last-Event-ID"); last != "" {
		text = last
	}
	if text == "" {
		info, err := c.Service.Project(h.Context())
		return info.Size, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a position of the journal", brenner.Clip(text, brenner.MaxQuote)).At("/after")
	}
	return n, nil
}

// stream is one feed under way: a page of records is all it holds.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	after   int64
	// deadline is how long the reader may take for one event.
	deadline time.Duration
}

// send writes pages until the reader or the server goes, or the reader is no
// longer allowed to.
func (f *stream) send(ctx context.Context, s *Server, h *http.Request, page api.RecordList) {
	err := f.records(page)
	for err == nil {
		if !page.More {
			err = s.quiet(ctx, f.after)
		}
		if err != nil {
			break
		}
		// Who asks is asked again: a token that was revoked or has expired ends
		// its feeds.
		var c Caller
		if c, err = s.caller(h); err != nil {
			break
		}
		if page, err = c.Service.Records(ctx, api.RecordsRequest{After: f.after, Limit: brenner.FeedPage}); err == nil {
			err = f.records(page)
		}
	}
	if ctx.Err() != nil || errors.Is(err, errGone) {
		return
	}
	t := newTrouble(err, noteOf(h).id)
	noteOf(h).failed(err, t)
	_ = f.event("error", "", mustJSON(t))
}

// errGone says that the reader does not read any more.
var errGone = errors.New("the reader of a feed is gone")

// quiet returns when there may be more, or when it is time to say that there
// is nothing new.
func (s *Server) quiet(ctx context.Context, after int64) error {
	beat, cancel := context.WithTimeout(ctx, s.options.Deadlines.Heartbeat)
	defer cancel()
	err := s.options.Backend.Wait(beat, after)
	if beat.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

func (f *stream) records(page api.RecordList) error {
	for _, rec := range page.Records {
		if err := f.event(rec.Kind, strconv.FormatInt(rec.Seq, 10), mustJSON(rec)); err != nil {
			return err
		}
		f.after = rec.Seq
	}
	if len(page.Records) == 0 {
		return f.write(": nothing new\n\n")
	}
	return nil
}

func (f *stream) event(kind, id string, data []byte) error {
	head := "event: " + kind + "\n"
	if id != "" {
		head += "id: " + id + "\n"
	}
	return f.write(fmt.Sprintf("%sdata: %s\n\n", head, data))
}

// write sends a piece; a reader that does not take it in time is gone.
func (f *stream) write(text string) error {
	_ = f.control.SetWriteDeadline(time.Now().Add(f.deadline))
	if _, err := f.w.Write([]byte(text)); err != nil {
		return errGone
	}
	if err := f.control.Flush(); err != nil {
		return errGone
	}
	return nil
}

// mustJSON writes a value the program made itself.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return raw
}
