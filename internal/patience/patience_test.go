package patience

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"brenner"
)

var errAway = brenner.Errorf(brenner.CodeStoreUnavailable, "the server cannot be reached")

// away fails so often, then answers.
func away(times int, err error) (call func(context.Context) (string, error), calls *int) {
	calls = new(int)
	return func(context.Context) (string, error) {
		if *calls++; *calls <= times {
			return "", err
		}
		return "here", nil
	}, calls
}

// W16: what is asked while the project is away is asked again.
func TestCall_WaitsForAProjectThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, calls := away(5, errAway)
		var gaveUp atomic.Bool
		ctx := With(t.Context(), time.Minute, &gaveUp)
		if got, err := Call(ctx, call); got != "here" || err != nil || *calls != 6 || gaveUp.Load() {
			t.Errorf("%q, %v after %d calls, gave up %t", got, err, *calls, gaveUp.Load())
		}
	})
}

// W16: it is asked for a bounded time, and then said that the project is away.
func TestCall_EndsWhenPatienceDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, calls := away(1e6, errAway)
		var gaveUp atomic.Bool
		ctx := With(t.Context(), 10*time.Second, &gaveUp)
		began := time.Now()
		_, err := Call(ctx, call)
		if took := time.Since(began); !errors.Is(err, brenner.CodeStoreUnavailable) || !gaveUp.Load() || took > 10*time.Second || *calls < 5 {
			t.Errorf("%v after %d calls and %s, gave up %t", err, *calls, took, gaveUp.Load())
		}
	})
}

// W16: also where each call waits in a queue before it is refused.
func TestCall_EndsWithPatienceInAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := func(ctx context.Context) (string, error) {
			wait, stop := context.WithTimeout(ctx, brenner.WriteDeadline)
			defer stop()
			<-wait.Done()
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return "", errAway
		}
		var gaveUp atomic.Bool
		began := time.Now()
		_, err := Call(With(t.Context(), 45*time.Second, &gaveUp), queue)
		if took := time.Since(began); !errors.Is(err, brenner.CodeStoreUnavailable) || !gaveUp.Load() || took != 45*time.Second {
			t.Errorf("%v after %s, gave up %t", err, took, gaveUp.Load())
		}
	})
}

// W16: nobody waits on behalf of one who has left, even where the context on
// the way down does not say so.
func TestCall_EndsWithWhoAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := away(1e6, errAway)
		asker, leave := context.WithCancel(t.Context())
		ctx := With(asker, time.Hour, nil)
		time.AfterFunc(time.Second, leave)
		began := time.Now()
		if _, err := Call(context.WithoutCancel(ctx), call); err == nil || time.Since(began) > time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// W16: a refusal is an answer, and without patience so is every error.
func TestCall_MakesOneCallWhereAnotherWouldNotHelp(t *testing.T) {
	patient := With(t.Context(), time.Minute, nil)
	for name, c := range map[string]struct {
		ctx context.Context
		err error
	}{
		"no patience": {t.Context(), errAway},
		"refused":     {patient, brenner.Errorf(brenner.CodePathRefused, "no")},
		"disk full":   {patient, brenner.Errorf(brenner.CodeStoreFull, "no room")},
	} {
		call, calls := away(1, c.err)
		if _, err := Call(c.ctx, call); !errors.Is(err, c.err) || *calls != 1 {
			t.Errorf("%s: %v after %d calls", name, err, *calls)
		}
	}
}

// W10: an endpoint says as seconds or as a date when to come back.
func TestRetryAfter_IsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"":                              0,
		"7":                             7 * time.Second,
		"0":                             0,
		"-7":                            0,
		"soon":                          0,
		"Sun, 01 Mar 2026 09:02:00 GMT": 2 * time.Minute,
		"Sun, 01 Mar 2026 08:00:00 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("%q: %s, not %s", said, got, want)
		}
	}
}
