package sqlite

import (
	"bytes"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/internal/store"
)

// X10: a connection that waits in the pool, or for the next write, holds nothing
// of what it read or wrote: a content may be large, and nobody is charged for it.
func TestConn_HoldsNothingOfWhatItRead(t *testing.T) {
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), Options{Create: true})
	must(t, err)
	defer func() { must(t, opened.Close()) }()
	s := opened.(*database)
	content := bytes.Repeat([]byte("text "), 1000)
	digest := canon.Sum(content)
	must(t, s.Write(t.Context(), func(tx store.Tx) error { return tx.PutBlob(t.Context(), digest, content) }))
	must(t, s.Read(t.Context(), func(r store.Reader) error {
		if _, err := r.Blob(t.Context(), digest); err != nil {
			return err
		}
		if _, _, err := r.SmallBlob(t.Context(), digest, 1<<20); err != nil {
			return err
		}
		return r.EachBlob(t.Context(), func(brenner.Digest, []byte) error { return nil })
	}))
	if len(s.readers.idle) == 0 {
		t.Fatal("no connection waits")
	}
	for _, c := range s.readers.idle {
		holdsNothing(t, c)
	}
	inTurn(t, s, func(c *conn) { holdsNothing(t, c) })
}

func holdsNothing(t *testing.T, c *conn) {
	t.Helper()
	for sql, one := range c.cache {
		for _, v := range one.row {
			if v != nil {
				t.Errorf("%s holds %T", sql, v)
			}
		}
	}
	for _, a := range c.args[:cap(c.args)] {
		if _, ok := a.Value.([]byte); ok {
			t.Errorf("the arguments hold %d bytes", len(a.Value.([]byte)))
		}
	}
}

// X10: however many read at the same time, few map the file: it counts as memory
// for each.
func TestPool_FewConnectionsMapTheFile(t *testing.T) {
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), Options{Create: true})
	must(t, err)
	defer func() { must(t, opened.Close()) }()
	s := opened.(*database)
	for range 2 { // those that are closed make room for others
		var all []*conn
		mapping := 0
		for range maxIdle + 2*maxMaps {
			c, err := s.readers.take()
			must(t, err)
			all = append(all, c)
			if n, err := c.number(t.Context(), "PRAGMA mmap_size"); err != nil {
				t.Fatal(err)
			} else if n > 0 {
				mapping++
			}
		}
		if mapping != maxMaps {
			t.Errorf("%d of %d connections map the file", mapping, len(all))
		}
		for i := range all { // the last ones, which do not map it, are kept
			s.readers.give(all[len(all)-1-i])
		}
	}
}
