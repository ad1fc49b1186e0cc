// Package patience waits for a project that is away for a moment: its server is
// being restarted, its database changes hands, other writers are faster. What
// an agent at work asks meanwhile is asked again instead of being refused, for
// it cannot do more about it than we can (W8, W16).
//
// Whoever serves a request says with With how long it may take; the calls
// made for it go through Call. Without With a call is made once.
package patience

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"brenner"
)

// patience is how long the calls of one request may be repeated.
type patience struct {
	asker  context.Context // over when nobody waits for the answer any more
	most   time.Duration
	gaveUp *atomic.Bool
}

type key struct{}

// With lets every call below be repeated for so long, and no longer than the
// context that is given here lasts, whatever becomes of it on the way down.
// gaveUp is set before a call is refused because the project stayed away; nil:
// nobody wants to know.
func With(ctx context.Context, most time.Duration, gaveUp *atomic.Bool) context.Context {
	if gaveUp == nil {
		gaveUp = new(atomic.Bool)
	}
	return context.WithValue(ctx, key{}, patience{asker: ctx, most: most, gaveUp: gaveUp})
}

// Has reports whether calls are repeated here, and have to be safe for that.
func Has(ctx context.Context) bool {
	_, ok := ctx.Value(key{}).(patience)
	return ok
}

// Passing reports whether an error says that the project is away, busy or asks
// to wait: the same call may well succeed a moment later. What a person has to
// mend first, as a full disk, is not of this kind.
func Passing(err error) bool {
	switch brenner.CodeOf(err) {
	case brenner.CodeStoreUnavailable, brenner.CodeStoreBusy, brenner.CodeRateLimited:
		return true
	}
	return false
}

// The pauses between two calls: each is twice the one before.
const (
	firstPause = 100 * time.Millisecond
	mostPause  = 2 * time.Second
)

// Call makes a call, again and again while the project is away and patience
// lasts; one that is made again ends with it, for it may wait in a queue. The call
// must be safe to repeat: a read, or a write under one key.
func Call[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	var out T
	err := repeat(ctx, func(ctx context.Context) (err error) {
		out, err = call(ctx)
		return err
	})
	return out, err
}

func repeat(ctx context.Context, call func(context.Context) error) error {
	p, ok := ctx.Value(key{}).(patience)
	if !ok {
		return call(ctx)
	}
	until := time.Now().Add(p.most)
	err := call(ctx)
	for pause := firstPause; err != nil && Passing(err); pause = min(2*pause, mostPause) {
		if !time.Now().Add(pause).Before(until) || !p.sleep(ctx, pause) {
			p.gaveUp.Store(true)
			return err
		}
		away := err
		limited, stop := context.WithDeadline(ctx, until)
		err = call(limited)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = away // what it says, not that the time was over
		}
		stop()
	}
	return err
}

// sleep waits, half of it by chance so that those who were refused together do
// not come back together, and reports whether it was not interrupted.
func (p patience) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d/2 + rand.N(d/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-p.asker.Done():
	case <-timer.C:
		return true
	}
	return false
}

// RetryAfter is how long an answer asks to be left alone, as seconds or as a date; 0
// if it does not.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	said := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(said, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
