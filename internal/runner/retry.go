package runner

import (
	"context"
	"math/rand/v2"
	"time"

	"brenner"
	"brenner/program"
)

// pauses are how long to wait before another start.
type pauses struct {
	first, most time.Duration
	// jitter gives a number in [0,1), so that runs that were refused together
	// do not come back together.
	jitter func() float64
}

func defaultPauses() pauses {
	return pauses{first: brenner.RetryPause, most: brenner.MaxRetryPause, jitter: rand.Float64}
}

// before says how long to wait before the n-th retry, from 1: twice as long
// each time, half of it by chance, and never less than the program asks for.
func (p pauses) before(n int, asked time.Duration) time.Duration {
	wait := p.first
	for range n - 1 {
		if wait *= 2; wait >= p.most {
			wait = p.most
			break
		}
	}
	wait = wait/2 + time.Duration(p.jitter()*float64(wait/2))
	return min(max(wait, asked), max(p.most, asked))
}

// attempts counts the starts of a run that failed, by whether waiting helps.
type attempts struct {
	passing, other int
}

// again decides whether a run that ended so is started once more, and after
// how long (W10): what passes is waited for, other failures are tried once.
func (a *attempts) again(r program.Result, p pauses) (time.Duration, bool) {
	switch {
	case r.Cause == program.Fine || r.Cause.Hopeless():
		return 0, false
	case r.Cause.Passing():
		a.passing++
		return p.before(a.passing, time.Duration(r.RetryAfter)), a.passing <= brenner.MaxRunRetries
	}
	a.other++
	return 0, a.other <= 1
}

// sleep waits, and reports whether it was not interrupted.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
