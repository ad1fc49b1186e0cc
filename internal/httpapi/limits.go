package httpapi

import (
	"context"
	"io"
	"net/http"
	"sync"

	"brenner"
	"brenner/internal/admission"
	"brenner/internal/lazy"
	"brenner/policy"

	"golang.org/x/time/rate"
)

// limits keeps one caller from taking what belongs to all.
type limits struct {
	rate  rate.Limit
	burst int

	mu    sync.Mutex
	per   map[string]*rate.Limiter
	under map[string]int // requests under way, by caller

	bodies   *admission.Gate
	feeds    chan struct{} // one for each feed
	refusals chan struct{} // one for each refused request that is still arriving
}

// maxLimiters bounds how many callers are remembered. Who has been quiet is
// forgotten first, which changes nothing for them.
const maxLimiters = 10_000

func newLimits(perSecond, burst int) *limits {
	if perSecond == 0 {
		perSecond, burst = brenner.RequestRate, brenner.RequestBurst
	}
	return &limits{
		rate: rate.Limit(perSecond), burst: burst, per: map[string]*rate.Limiter{}, under: map[string]int{},
		bodies: admission.NewGate(admission.Bodies()), feeds: make(chan struct{}, brenner.MaxFeeds), refusals: make(chan struct{}, brenner.MaxRequestsUnderWay),
	}
}

var errTooMany = brenner.Errorf(brenner.CodeRateLimited, "too many requests").WithHint("wait a second, then go on more slowly")

// allow counts a request of a caller.
func (l *limits) allow(who string) error {
	l.mu.Lock()
	one := l.per[who]
	if one == nil {
		if len(l.per) >= maxLimiters {
			l.forget()
		}
		one = rate.NewLimiter(l.rate, l.burst)
		l.per[who] = one
	}
	l.mu.Unlock()
	if !one.Allow() {
		return errTooMany
	}
	return nil
}

// enter takes a place for a request of a caller: who sends slowly does not keep
// ever more of it in memory.
func (l *limits) enter(who string) (done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under[who] >= brenner.MaxRequestsUnderWay {
		return nil, brenner.Errorf(brenner.CodeRateLimited, "%d requests are under way", brenner.MaxRequestsUnderWay).
			WithHint("wait for some of them to be answered")
	}
	l.under[who]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.under[who]--; l.under[who] == 0 {
			delete(l.under, who)
		}
	}, nil
}

// forget drops who has made no request for a while; all, if nobody has been
// quiet.
func (l *limits) forget() {
	for who, one := range l.per {
		if one.Tokens() >= float64(l.burst) {
			delete(l.per, who)
		}
	}
	if len(l.per) >= maxLimiters {
		clear(l.per)
	}
}

// intake is what a route takes in: how large a body may be, the acts of which the
// caller's role must have one before a large one is read, and what it holds for
// each of its bytes.
type intake struct {
	most   int64
	acts   []policy.Action
	weight int64
}

// bodyOf is the intake of a route of the API: a body is held as it came and as it
// is read. Without acts it takes no large one.
func bodyOf(acts []policy.Action) intake {
	if len(acts) == 0 {
		return intake{most: brenner.LargeRequestBytes, weight: 4}
	}
	return intake{most: brenner.MaxRequestBytes, acts: acts, weight: 4}
}

// messages is the intake of MCP: the library takes a message apart, checks it and
// puts it together again. forms is that of pages: a form may have a field for each
// three bytes.
var (
	messages = lazy.Value(func() intake { return intake{most: brenner.MaxRequestBytes, acts: contributing(), weight: 8} })
	forms    = lazy.Value(func() intake { return intake{most: brenner.MaxFormBytes, acts: contributing(), weight: 32} })
)

// body bounds what is read of a request. A large body is read only if the role of
// the caller, who is known from the header, has one of the acts that it can be
// for: no other waits for room. There is room for so many bytes at once, of which
// a caller has a share, so that many bodies need no more memory than a few, and
// slow ones of one caller keep nobody else waiting (X10). It is kept until the
// request is answered.
func (l *limits) body(h *http.Request, c Caller, in intake) (done func(), err error) {
	length := h.ContentLength
	switch {
	case length > in.most:
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the body is larger than %d bytes", in.most)
	case length < 0:
		length = in.most // it may be
	}
	h.Body = &arriving{http.MaxBytesReader(nil, h.Body, in.most), h.Context()}
	if length <= brenner.SmallBodyBytes {
		return func() {}, nil
	}
	if length > brenner.LargeRequestBytes && c.May != nil {
		if err := c.May(h.Context(), in.acts); err != nil {
			return nil, err
		}
	}
	return l.bodies.Enter(h.Context(), string(c.Name), in.weight*length)
}

// arriving is a body whose bytes are noted as they come: what is done with them
// is charged for them.
type arriving struct {
	io.ReadCloser
	ctx context.Context
}

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	admission.Brings(a.ctx, n)
	return n, err
}

// feed takes a place for a feed.
func (l *limits) feed() (done func(), err error) {
	select {
	case l.feeds <- struct{}{}:
		return func() { <-l.feeds }, nil
	default:
		return nil, brenner.Errorf(brenner.CodeRateLimited, "%d feeds are open", brenner.MaxFeeds).WithHint("close one, or ask another server")
	}
}
