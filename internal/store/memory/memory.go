// Package memory is the model of a store: maps, copied whole for every write.
//
// It is deliberately dumb. Each promise of the contract is written here in the
// plainest way there is, so that a reader can see that it is kept; storetest
// drives a database and this model with the same operations and compares. It
// keeps nothing on disk and is too slow for more than a few thousand rows.
package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"brenner"
	"brenner/internal/store"
)

// New makes an empty store.
func New() store.Store {
	s := &memory{now: newState(), turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Fork is a store of its own that begins where another of this package is.
func Fork(of store.Store) store.Store {
	s := New().(*memory)
	s.now, _ = of.(*memory).current() // which is never changed
	return s
}

type memory struct {
	turn chan struct{} // held by the one who writes

	mu     sync.Mutex // guards what follows
	now    *state     // never changed once it stands here
	closed bool
}

func (s *memory) Read(ctx context.Context, fn func(store.Reader) error) error {
	if err := canceled(ctx); err != nil {
		return err
	}
	now, err := s.current()
	if err != nil {
		return err
	}
	return fn(reader{now})
}

func (s *memory) Write(ctx context.Context, fn func(store.Tx) error) error {
	wait, stop := context.WithTimeout(ctx, brenner.WriteDeadline)
	defer stop()
	if err := startable(wait); err != nil {
		return err
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-wait.Done():
		return startable(wait)
	}
	now, err := s.current()
	if err != nil {
		return err
	}
	t := &tx{reader: reader{now.clone()}}
	if err := fn(t); err != nil {
		return err
	}
	if t.doom != nil {
		return t.doom
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = t.state
	return nil
}

// Settle has nothing to do: there is no index.
func (s *memory) Settle(ctx context.Context) error { return canceled(ctx) }

func (s *memory) Close() error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *memory) current() (*state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, brenner.Errorf(brenner.CodeStoreUnavailable, "the store is closed")
	}
	return s.now, nil
}

// startable tells why a write cannot start, if it cannot.
func startable(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return brenner.Errorf(brenner.CodeStoreBusy, "other writers kept the store busy").WithHint("try again").Because(err)
	default:
		return canceled(ctx)
	}
}

func canceled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return brenner.Errorf(brenner.CodeCanceled, "stopped before it was done").Because(err)
	}
	return nil
}

func notFound(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeNotFound, format, args...)
}

func exists(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeAlreadyExists, format, args...)
}

// instant is how a store keeps a time.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// list copies tags into a list that is never nil.
func list(tags []string) []string { return append([]string{}, tags...) }

func limit[T any](rows []T, most int) []T {
	if most > 0 && len(rows) > most {
		rows = rows[:most]
	}
	return slices.Clone(rows)
}
