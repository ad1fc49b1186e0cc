// Package sqlite keeps a project in one SQLite file, in pure Go.
//
// Several processes may use the file at once (X7). Each has one connection that
// writes, fed by a queue that lets waiting writes share a commit (queue.go), and
// a pool of connections that read snapshots. The write-ahead log is synced at
// every commit: what was acknowledged survives a crash of the process and of
// the machine.
//
// The schema is in migrations/, full text in retrieval.go,
// and what the database says is put into the store's own codes in errors.go.
package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
)

// Options says how to open a store.
type Options struct {
	// Create makes the file and its directory if they are not there, readable
	// by their owner alone.
	Create bool
	// Scratch makes a store of its own in a temporary directory, whatever the
	// path, that does not wait for the disk and is gone after Close.
	Scratch bool
}

// Open opens the store in a file, bringing its schema up to date. Without
// Create, a file that is not there is NO_PROJECT. A store that may be read but
// not written is opened, and its writes are STORE_READ_ONLY.
func Open(ctx context.Context, path string, opts Options) (store.Store, error) {
	s := &database{scratch: opts.Scratch}
	if opts.Scratch {
		dir, err := os.MkdirTemp("", "brenner-")
		if err != nil {
			return nil, fileError(os.TempDir(), err)
		}
		s.temporary, path, opts.Create = dir, filepath.Join(dir, "scratch.db"), true
	}
	if err := s.open(ctx, path, opts.Create); err != nil {
		_ = s.release()
		return nil, err
	}
	return s, nil
}

// database is a store in a file.
type database struct {
	path      string
	scratch   bool
	temporary string // directory to remove, if any
	readOnly  bool
	// immutable says that nobody can write the file, because the file system is
	// read-only: it is read without the files of a write-ahead log beside it.
	immutable bool

	writers queue
	readers pool
	counted census
	folding *time.Timer // folds the log into the file, see fold

	index    fulltext.Index
	worker   fulltext.Worker
	settling sync.Mutex // guards settler
	settler  fulltext.Settler
}

func (s *database) open(ctx context.Context, path string, create bool) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fileError(path, err)
	}
	s.path = abs
	if s.readOnly, s.immutable, err = touch(abs, create); err != nil {
		return err
	}
	s.writers.counted, s.readers.counted = &s.counted, &s.counted
	s.writers.worker, s.readers.worker, s.readers.index = &s.worker, &s.worker, &s.index
	s.readers.dial = func(maps bool) (*conn, error) {
		settings := readerSettings
		if maps {
			settings = append(slices.Clone(settings), mapped)
		}
		c, err := s.connect(settings)
		if err == nil {
			c.maps = maps
		}
		return c, err
	}
	if s.readOnly {
		return s.openReadOnly(ctx)
	}
	wait, stop := context.WithTimeout(ctx, brenner.WriteDeadline)
	defer stop()
	if err := patiently(wait, func() (err error) {
		s.writers.conn, err = s.connect(writerSettings)
		return err
	}); err != nil {
		return err
	}
	if err := migrate(wait, s.writers.conn); err != nil {
		return err
	}
	s.worker.Settle, s.worker.Merge = s.settleBatch, s.mergeSome
	s.folding = time.AfterFunc(foldAfter, s.fold)
	return nil
}

// foldAfter is how long nobody has written when the log is folded into the file.
const foldAfter = time.Second

// fold copies what stands in the write-ahead log into the file, while nobody writes.
// Nothing needs it to be durable; but a person may copy the file alone, and a process
// that goes on without writing would leave all it ever wrote in the log beside it.
func (s *database) fold() {
	ctx, stop := context.WithTimeout(context.Background(), brenner.WriteDeadline)
	defer stop()
	if s.writers.enter(ctx) != nil {
		return
	}
	defer s.writers.pass()
	if s.writers.group == nil {
		_ = s.writers.conn.do(ctx, "PRAGMA wal_checkpoint(PASSIVE)") // what it cannot copy now it copies another time
	}
}

var (
	writerSettings = []string{
		"PRAGMA synchronous = FULL",
		"PRAGMA foreign_keys = ON",
		"PRAGMA secure_delete = ON", // what is redacted is overwritten, not only forgotten (J7)
		"PRAGMA temp_store = MEMORY",
		"PRAGMA cache_size = -16384", // KiB
		"PRAGMA wal_autocheckpoint = 2000",
		"PRAGMA journal_size_limit = 67108864",
	}
	// A reader meets a lock only while another process opens or closes the
	// file; it may wait for that without asking us.
	readerSettings = []string{
		"PRAGMA busy_timeout = 10000",
		"PRAGMA query_only = ON",
		"PRAGMA temp_store = MEMORY",
		"PRAGMA cache_size = -8192",
	}
)

// touch sees that the file is there and tells whether it can only be read, by us
// or by anybody.
func touch(path string, create bool) (readOnly, immutable bool, err error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return false, false, fileError(path, err)
		}
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err == nil {
		return false, false, f.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, brenner.Errorf(brenner.CodeNoProject, "there is no project at %s", path).
			WithHint("make one, or name another store").Because(err)
	}
	refused := fileError(path, err)
	if brenner.CodeOf(refused) != brenner.CodeStoreReadOnly {
		return false, false, refused
	}
	immutable = errors.Is(err, syscall.EROFS)
	f, err = os.Open(path)
	if err != nil {
		return false, false, brenner.Errorf(brenner.CodeStoreUnavailable, "%s cannot be read", path).
			WithHint("check the permissions of the file").Because(err)
	}
	return true, immutable, f.Close()
}

// connect opens a connection and sets it up.
func (s *database) connect(settings []string) (*conn, error) {
	mode := "rw"
	if s.readOnly {
		mode = "ro"
	}
	if s.immutable {
		mode += "&immutable=1"
	}
	source := url.URL{Scheme: "file", Path: filepath.ToSlash(s.path), OmitHost: true, RawQuery: "mode=" + mode}
	c, err := dial(source.String())
	if err != nil {
		return nil, explain(err)
	}
	if s.scratch {
		settings = append(slices.Clone(settings), "PRAGMA synchronous = OFF")
	}
	for _, set := range settings {
		if err := c.do(context.Background(), set); err != nil {
			_ = c.close()
			return nil, err
		}
	}
	return c, nil
}

// openReadOnly opens a store that can only be read. With a log beside it a file
// that nobody can write would be read as an older state.
func (s *database) openReadOnly(ctx context.Context) error {
	if log, missing := os.Stat(s.path + "-wal"); s.immutable && missing == nil && log.Size() > 0 {
		return readOnly(nil).WithHint("its newest records are in the log beside it: copy both to a directory you may write")
	}
	return s.check(ctx)
}

// check sees that a store that can only be read is one we understand.
func (s *database) check(ctx context.Context) error {
	c, err := s.readers.take()
	if err != nil {
		return err
	}
	have, err := version(ctx, c)
	s.readers.give(c)
	switch {
	case brenner.CodeOf(err) == brenner.CodeStoreUnavailable:
		// Reading needs the files of the write-ahead log beside the database.
		return readOnly(err).WithHint("copy the store to a directory you may write")
	case err != nil:
		return err
	case have != latest():
		return readOnly(nil).WithHint("its schema is older than this program; open it once where it can be written")
	}
	return nil
}

func (s *database) Read(ctx context.Context, fn func(store.Reader) error) error {
	if err := canceled(ctx); err != nil {
		return err
	}
	return s.readers.read(fn)
}

func (s *database) Write(ctx context.Context, fn func(store.Tx) error) error {
	if s.readOnly {
		return readOnly(nil)
	}
	err := s.writers.write(ctx, fn)
	s.folding.Reset(foldAfter)
	if pause := s.worker.Pause(); pause > 0 {
		time.Sleep(pause)
	}
	return err
}

func (s *database) Close() error {
	if s.folding != nil {
		s.folding.Stop()
	}
	s.worker.Close()
	s.settleAtClose()
	if !s.writers.close() {
		return nil
	}
	return s.release()
}

// settleAtClose settles what this process noted, if that has become much.
func (s *database) settleAtClose() {
	if s.readOnly || !s.worker.HasNoted() {
		return
	}
	ctx := context.Background()
	n := int64(0)
	err := s.readers.read(func(r store.Reader) (err error) {
		n, err = r.(*reader).c.number(ctx, "SELECT count(*) FROM (SELECT 1 FROM index_notes LIMIT ?+0)", int64(fulltext.SettleAtClose))
		return err
	})
	if err != nil || n < fulltext.SettleAtClose {
		return
	}
	if _, err := s.settleBatch(ctx); err == nil {
		_, _ = s.mergeSome(ctx)
	}
}

// release gives back what Open took.
func (s *database) release() error {
	err := s.readers.close()
	if s.writers.conn != nil {
		err = errors.Join(err, s.writers.conn.close())
	}
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// pool keeps the connections that read.
type pool struct {
	dial    func(maps bool) (*conn, error)
	counted *census
	index   *fulltext.Index
	last    lastNotes
	worker  *fulltext.Worker

	mu     sync.Mutex
	idle   []*conn
	maps   int // how many connections map the file
	closed bool
	users  sync.WaitGroup
}

// maxIdle bounds the connections kept for the next readers, maxMaps those that
// map the file: each maps it for itself, and it all counts as memory (X10).
const (
	maxIdle = 16
	maxMaps = 4
)

// mapped has a connection read a project of usual size without system calls.
const mapped = "PRAGMA mmap_size = 33554432"

// read runs fn on a snapshot.
func (p *pool) read(fn func(store.Reader) error) error {
	c, err := p.take()
	if err != nil {
		return err
	}
	defer p.give(c)
	background := context.Background()
	if err := c.do(background, "BEGIN"); err != nil {
		return err
	}
	defer func() { _ = c.do(background, "ROLLBACK") }()
	r := &reader{c: c, counted: p.counted, committed: true, index: p.index, last: &p.last, seen: p.worker.Seen}
	return fn(r)
}

// take gives a connection, made if none is idle.
func (p *pool) take() (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed()
	}
	p.users.Add(1)
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	maps := p.maps < maxMaps
	if maps {
		p.maps++
	}
	p.mu.Unlock()
	c, err := p.dial(maps)
	if err != nil {
		p.users.Done()
		p.unmap(maps)
	}
	return c, err
}

// unmap counts a connection less that maps the file.
func (p *pool) unmap(maps bool) {
	if maps {
		p.mu.Lock()
		p.maps--
		p.mu.Unlock()
	}
}

// give takes a connection back; one that failed is not used again.
func (p *pool) give(c *conn) {
	defer p.users.Done()
	p.mu.Lock()
	keep := c.broken == nil && len(p.idle) < maxIdle && !p.closed
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		_ = c.close()
		p.unmap(c.maps)
	}
}

// close refuses new readers and waits for those under way.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.users.Wait()
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.close())
	}
	p.idle = nil
	return err
}
