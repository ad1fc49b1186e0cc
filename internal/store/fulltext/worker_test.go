package fulltext

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// indexedAfter runs a worker while somebody notes a number each settleDelay, a part of them
// every millisecond, so many in all, and gives how many were noted when it first settled
// any. What is done meanwhile is told how many were noted.
func indexedAfter(t *testing.T, each, all int, meanwhile func(w *Worker, noted int)) (first int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		noted := 0
		w := &Worker{Merge: func(context.Context) (bool, error) { return false, nil }}
		w.Settle = func(context.Context) (bool, error) {
			if first == 0 {
				first = noted
			}
			return false, nil
		}
		defer w.Close()
		for at := time.Millisecond; noted < all; at += time.Millisecond {
			more := int(at)*each/int(settleDelay) - noted
			noted += more
			w.Noted(more)
			meanwhile(w, noted)
			time.Sleep(time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(2 * settleDelay)
	})
	return first
}

func nothing(*Worker, int) {}

// What is written is indexed behind the writers: a burst when it is over or far ahead,
// what comes more slowly within about a second.
func TestWorker_YieldsToWriters(t *testing.T) {
	const burst = 2 * burstOf
	if n := indexedAfter(t, burst, farBehind-burst, nothing); n != farBehind-burst {
		t.Errorf("of a burst %d were indexed after %d", farBehind-burst, n)
	}
	if n := indexedAfter(t, burst, 2*farBehind, nothing); n < farBehind || n > farBehind+burst {
		t.Errorf("of a burst that gets far ahead some were indexed after %d, not %d", n, farBehind)
	}
	const slow = burstOf / 2
	second := SettleFrom + slow*int(yieldFor/settleDelay)
	if n := indexedAfter(t, slow, farBehind, nothing); n < second-slow || n > second+slow {
		t.Errorf("what comes slowly was indexed after %d, not %d", n, second)
	}
}

// A search that meets more notes than it looks through has them indexed, however much is
// being written; one that has looked through all of them does not.
func TestWorker_ASearchEndsTheWaiting(t *testing.T) {
	const burst, searched = 2 * burstOf, 2000
	search := func(notes int) func(w *Worker, noted int) {
		return func(w *Worker, noted int) {
			if noted >= searched && noted < searched+burst/10 {
				w.Seen(notes)
			}
		}
	}
	if n := indexedAfter(t, burst, farBehind-burst, search(maxNoted+1)); n < searched || n > searched+2*burst {
		t.Errorf("indexed after %d, where a search missed some after %d", n, searched)
	}
	if n := indexedAfter(t, burst, farBehind-burst, search(maxNoted)); n != farBehind-burst {
		t.Errorf("a search that missed nothing had them indexed after %d", n)
	}
}
