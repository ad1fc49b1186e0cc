package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"brenner"
)

// feed tells those who wait that the journal has grown, whichever process
// wrote. One connection listens for all of them, from the first that waits
// until the Store is closed.
type feed struct {
	mu     sync.Mutex
	size   int64         // of the journal, as last heard
	grown  chan struct{} // closed when size grows
	stop   context.CancelFunc
	ended  chan struct{} // the listener is gone
	closed bool
}

// Announcements can be lost, with a connection or with the writer that was to
// make one; so the listener looks for itself as well, at this interval, and
// waits as long as pause before it connects again.
const (
	lookAgain = 15 * time.Second
	pause     = time.Second
)

// herald tells the other processes how far the journal goes, behind the writers: a
// word in their transaction would make the commits of all projects wait for each
// other, and one behind it is a transaction more that they wait for. It may get lost,
// those who wait also look by themselves.
type herald struct {
	mu      sync.Mutex
	size    int64 // of the journal
	telling bool
	told    time.Time // the last word, for who tells
	done    sync.WaitGroup
}

// tellAgain is how long after a word the next one is said, however much is written.
const tellAgain = 10 * time.Millisecond

// announce says that the journal has grown, or has it said with the next word.
func (h *herald) announce(s *Store, size int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.size = size
	if !h.telling {
		h.telling = true
		h.done.Go(func() { h.tell(s) })
	}
}

// tell says what there is to say until there is nothing new.
func (h *herald) tell(s *Store) {
	for more := true; more; {
		time.Sleep(time.Until(h.told.Add(tellAgain)))
		h.mu.Lock()
		size := h.size
		h.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), brenner.WriteDeadline)
		_, _ = s.readers.Exec(ctx, `SELECT pg_notify($1, $2)`, channel(s.project), strconv.FormatInt(size, 10))
		cancel()
		h.mu.Lock()
		h.told = time.Now()
		more = h.size > size
		h.telling = more
		h.mu.Unlock()
	}
}

// channel is where the commits of a project are announced.
func channel(project int32) string { return fmt.Sprintf("brenner_%d", project) }

// Wait returns when the journal holds more than after records.
func (s *Store) Wait(ctx context.Context, after int64) error {
	for {
		size, grown, err := s.feed.state(s.readers.Config().ConnConfig, s.project)
		if err != nil || size > after {
			return err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return canceled(ctx)
		}
	}
}

// state gives what is known, and starts to listen if nobody does.
func (f *feed) state(config *pgx.ConnConfig, project int32) (size int64, grown <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, nil, unavailable("the store is closed")
	}
	if f.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		f.stop, f.grown, f.ended = stop, make(chan struct{}), make(chan struct{})
		go f.listen(ctx, config, project)
	}
	return f.size, f.grown, nil
}

// heard notes the size of the journal and wakes who waits for more.
func (f *feed) heard(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if size > f.size {
		f.size = size
		close(f.grown)
		f.grown = make(chan struct{})
	}
}

func (f *feed) listen(ctx context.Context, config *pgx.ConnConfig, project int32) {
	defer close(f.ended)
	for ctx.Err() == nil {
		_ = f.hear(ctx, config, project) // until something breaks: then again
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// hear listens on one connection for as long as it lasts.
func (f *feed) hear(ctx context.Context, config *pgx.ConnConfig, project int32) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `LISTEN `+channel(project)); err != nil {
		return err
	}
	for {
		var size int64
		if err := conn.QueryRow(ctx, sizeOfJournal, project).Scan(&size); err != nil {
			return err
		}
		f.heard(size)
		if err := f.follow(ctx, conn); err != nil {
			return err
		}
	}
}

// follow passes announcements on until there has been none for a while.
func (f *feed) follow(ctx context.Context, conn *pgx.Conn) error {
	for {
		wait, cancel := context.WithTimeout(ctx, lookAgain)
		said, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil
		cancel()
		if quiet {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(said.Payload, 10, 64)
		if err != nil {
			return err // not ours: look for ourselves
		}
		f.heard(size)
	}
}

// close ends the listening and every Wait.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	if f.stop == nil {
		return
	}
	f.stop()
	f.mu.Unlock()
	<-f.ended
	f.mu.Lock()
	close(f.grown)
}
