package lessons

import (
	"sync"

	"brenner"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/playbook"
)

// bookCache keeps the playbooks that were searched in memory. A book follows
// the journal: before each use it takes in the records that were written since,
// by this process or another. It takes nothing in before it is in the journal,
// so a write that fails leaves no trace in it.
type bookCache struct {
	mu    sync.Mutex
	books map[playbook.Domain]*cachedBook
}

// cachedBook is a book as of a journal position.
type cachedBook struct {
	book *playbook.Book
	seq  int64
	// mark is the digest of the record at seq. Writes that share a commit see
	// each other before they are durable; if that commit fails, other records
	// take those positions, and the mark tells.
	mark brenner.Digest
}

// withBook runs fn on the book of a domain, which is not older than the
// snapshot. fn must neither keep the book nor change it.
func (r *Room) withBook(c *kernel.Call, domain playbook.Domain, fn func(*playbook.Book) error) error {
	return r.books.use(c, false, domain, fn)
}

func (bc *bookCache) use(c *kernel.Call, exact bool, domain playbook.Domain, fn func(*playbook.Book) error) error {
	bc.mu.Lock()
	defer bc.mu.Unlock()
	cached, err := bc.open(c, exact, domain)
	if err != nil {
		delete(bc.books, domain)
		return err
	}
	if bc.books == nil {
		bc.books = map[playbook.Domain]*cachedBook{}
	}
	bc.books[domain] = cached
	if err := cached.book.SetThreshold(c.Config.Playbook.Threshold); err != nil {
		return err
	}
	return fn(cached.book)
}

// forget drops a book whose vectors have changed without a record.
func (bc *bookCache) forget(domain playbook.Domain) {
	bc.mu.Lock()
	defer bc.mu.Unlock()
	delete(bc.books, domain)
}

// open brings the book of a domain to where the snapshot is.
func (bc *bookCache) open(c *kernel.Call, exact bool, domain playbook.Domain) (*cachedBook, error) {
	size, err := c.Size(c.Ctx)
	if err != nil {
		return nil, err
	}
	cached, ok := bc.books[domain]
	if !ok {
		return loadBook(c, domain, size)
	}
	if cached.seq > size && !exact {
		return cached, nil // a snapshot from just before: the book is what the next one has
	}
	// Reading more records than there are bullets is slower than the bullets.
	if cached.seq > size || size-cached.seq > max(brenner.MaxPage, int64(cached.book.Len())) {
		return loadBook(c, domain, size)
	}
	if followed, err := cached.follow(c, domain); followed || err != nil {
		return cached, err
	}
	return loadBook(c, domain, size)
}

// follow takes in what was written since. It gives false if the book does not
// stand where it thought it did, the playbook moved to another embedding, or
// something was redacted.
func (cb *cachedBook) follow(c *kernel.Call, domain playbook.Domain) (bool, error) {
	var updates []playbook.DeltaUpdate
	var last store.Record
	ok := true
	err := journal.Each(c.Ctx, c.Reader, cb.seq-1, func(row store.Record) error {
		last = row
		switch {
		case row.Seq == cb.seq:
			ok = canon.Sum(row.Data) == cb.mark
		case row.Kind == kindPlaybookFrozen.Name:
			p, err := kindPlaybookFrozen.Read(c, row)
			ok = ok && p.Domain != domain
			return err
		case row.Kind == ledger.ContentRedacted.Name:
			ok = false // a lesson may be gone
		case row.Kind == kindBulletUpdated.Name:
			u, err := readUpdate(c, row)
			if u.Bullet.Domain() == domain {
				updates = append(updates, u.DeltaUpdate)
			}
			return err
		}
		return nil
	})
	if err != nil || !ok {
		return false, err
	}
	vectors, err := vectorsOfAdded(c, cb.book, updates)
	if err != nil {
		return false, err
	}
	if err := cb.book.Commit(playbook.Change{Updates: updates, Vectors: vectors}); err != nil {
		return false, err
	}
	cb.seq, cb.mark = last.Seq, canon.Sum(last.Data)
	return true, nil
}

// vectorsOfAdded finds the computed vectors of new bullets in the store.
func vectorsOfAdded(c *kernel.Call, book *playbook.Book, updates []playbook.DeltaUpdate) ([]playbook.BulletVector, error) {
	var added []string
	for _, u := range updates {
		if u.Kind == playbook.KindAdd && u.Vector == "" {
			added = append(added, string(u.Bullet))
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	s := book.Settings()
	found, err := c.Vectors(c.Ctx, playbookFrozen{s.Domain, s.Embedding}.space(), added)
	var out []playbook.BulletVector
	for _, id := range added {
		if v := found[id]; v != nil {
			out = append(out, playbook.BulletVector{Bullet: playbook.BulletID(id), Vector: v})
		}
	}
	return out, err
}

// loadBook reads the whole book of a domain.
func loadBook(c *kernel.Call, domain playbook.Domain, size int64) (*cachedBook, error) {
	last, err := c.Reader.Records(c.Ctx, size-1, 1)
	if err != nil {
		return nil, err
	}
	if len(last) != 1 {
		return nil, brenner.Errorf(brenner.CodeJournalCorrupt, "the journal has no record %d", size)
	}
	p, err := frozenTo(c, domain)
	if err != nil {
		return nil, err
	}
	book, err := playbook.NewBook(playbook.Settings{Domain: domain, Threshold: c.Config.Playbook.Threshold, Embedding: p.Embedding})
	if err != nil {
		return nil, err
	}
	load := func(b playbook.Bullet) error { return book.Load(b, nil) }
	if err := eachBullet(c.Ctx, c.Reader, domain, nil, load); err != nil {
		return nil, err
	}
	err = c.EachVector(c.Ctx, p.space(), func(id string, v []float32) error {
		return book.SetVector(playbook.BulletID(id), v)
	})
	return &cachedBook{book: book, seq: size, mark: canon.Sum(last[0].Data)}, err
}
