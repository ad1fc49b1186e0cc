package httpapi

import (
	"context"
	"net/http"
	"sync"

	"brenner"
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
	share map[string]*share

	large chan struct{} // one for each large body being read
	feeds chan struct{} // one for each feed
}

// maxLimiters bounds how many callers are remembered. Who has been quiet is
// forgotten first, which changes nothing for them.
const maxLimiters = 10_000

func newLimits(perSecond, burst int) *limits {
	if perSecond == 0 {
		perSecond, burst = brenner.RequestRate, brenner.RequestBurst
	}
	return &limits{
		rate: rate.Limit(perSecond), burst: burst, per: map[string]*rate.Limiter{}, under: map[string]int{}, share: map[string]*share{},
		large: make(chan struct{}, brenner.MaxLargeRequests), feeds: make(chan struct{}, brenner.MaxFeeds),
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

// share is a caller's part of the large bodies that are read at once.
type share struct {
	places chan struct{}
	users  int // that hold a place or wait for one
}

// body bounds what is read of a request. A large body is read only if the role of
// the caller, who is known from the header, has one of the acts that it can be
// for: no other keeps a place. Large bodies take turns, so that many of them need
// no more memory than a few; those of one caller take turns among themselves
// first, so that a slow one keeps nobody else waiting.
func (l *limits) body(h *http.Request, c Caller, large []policy.Action) (done func(), err error) {
	most := int64(brenner.MaxRequestBytes)
	if len(large) == 0 {
		most = brenner.LargeRequestBytes
	}
	if h.ContentLength > most {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the body is larger than %d bytes", most)
	}
	h.Body = http.MaxBytesReader(nil, h.Body, most)
	if len(large) == 0 || h.ContentLength >= 0 && h.ContentLength <= brenner.LargeRequestBytes {
		return func() {}, nil
	}
	if c.May != nil {
		if err := c.May(h.Context(), large); err != nil {
			return nil, err
		}
	}
	leave, err := l.ownShare(h.Context(), c.Auth)
	if err != nil {
		return nil, err
	}
	select {
	case l.large <- struct{}{}:
		return func() { <-l.large; leave() }, nil
	case <-h.Context().Done():
		leave()
		return nil, h.Context().Err()
	}
}

// ownShare waits for a place among the large bodies of one caller.
func (l *limits) ownShare(ctx context.Context, who string) (leave func(), err error) {
	l.mu.Lock()
	own := l.share[who]
	if own == nil {
		own = &share{places: make(chan struct{}, brenner.MaxLargeRequestsPerToken)}
		l.share[who] = own
	}
	own.users++
	l.mu.Unlock()
	forget := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(l.share, who)
		}
	}
	select {
	case own.places <- struct{}{}:
		return func() { <-own.places; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
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
