package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json"
)

// Witness is a directory, outside every project, that remembers how far each
// journal was when it was last seen here: whoever cuts or replaces a project
// file does not know of it (J8). A copy of a project at another place is
// another journal.
type Witness struct {
	Dir   string // "" remembers nothing
	Place string // of the store
}

// head is how far a journal was.
type head struct {
	Size int64  `json:"size"`
	Root string `json:"root"`
	// Place is for the person who looks into the directory.
	Place string `json:"place"`
}

func (w Witness) path(project brenner.ProjectID) string {
	return filepath.Join(w.Dir, string(project)+"-"+string(canon.Sum([]byte(w.Place))[:16])+".json")
}

// load gives what is remembered of a project; nothing is a head of size 0.
func (w Witness) load(project brenner.ProjectID) (head, error) {
	if w.Dir == "" {
		return head{}, nil
	}
	data, err := os.ReadFile(w.path(project))
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	var h head
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	if err != nil {
		return head{}, brenner.Errorf(brenner.CodeHistoryChanged, "what is remembered of the journal outside the project cannot be read").
			WithHint("see " + w.path(project) + "; without it nothing is compared").Because(err)
	}
	return h, nil
}

// save remembers, in one step.
func (w Witness) save(project brenner.ProjectID, h head) error {
	if w.Dir == "" {
		return nil
	}
	h.Place = w.Place
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(w.Dir, "new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(canon.MustMarshal(h), '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), w.path(project))
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// headOf is how far a journal is.
func headOf(ctx context.Context, r store.Reader) (brenner.ProjectID, head, error) {
	p, err := r.Project(ctx)
	if err != nil {
		return "", head{}, err
	}
	size, err := r.Size(ctx)
	if err != nil {
		return "", head{}, err
	}
	root, err := journal.Root(ctx, r, size)
	return p.ID, head{Size: size, Root: root.String()}, err
}

// Remember notes outside the project how far its journal is. A journal that
// differs from what is remembered is not: first somebody has to accept it. It
// may have become another one while it was open, as when two machines write to
// one file through a folder that does not carry locks.
func (r *Room) Remember(ctx context.Context) error {
	if r.Witness.Dir == "" {
		return nil
	}
	if r.Halted() == nil {
		if err := r.Compare(ctx); err != nil {
			return err
		}
	}
	if r.Halted() != nil {
		return nil //nolint:nilerr // writes are refused with it; there is nothing to remember
	}
	return r.keep(ctx)
}

// keep notes how far the journal is, whatever was remembered.
func (r *Room) keep(ctx context.Context) error {
	return r.Store().Read(ctx, func(rd store.Reader) error {
		project, h, err := headOf(ctx, rd)
		if err != nil {
			return err
		}
		return r.Witness.save(project, h)
	})
}

// Compare holds the journal to what is remembered of it; if it is shorter or
// another one, nothing is written until somebody accepts it.
func (r *Room) Compare(ctx context.Context) error {
	h, unreadable := r.remembered(ctx)
	return r.Store().Read(ctx, func(rd store.Reader) error {
		f, err := h.compare(ctx, rd)
		if unreadable != nil {
			err = unreadable
		}
		switch brenner.CodeOf(err) {
		case brenner.CodeHistoryChanged: // nobody knows what is remembered
			r.Halt(err)
			return nil
		case brenner.CodeNotFound, brenner.CodeInternal:
			r.Halt(brenner.Errorf(brenner.CodeJournalCorrupt, "the hashes of the journal are damaged").Because(err).Try(brenner.Do("verify")))
			return nil
		}
		if err != nil {
			return err
		}
		if f == nil {
			r.Halt(nil)
			return nil
		}
		r.Halt(brenner.Errorf(brenner.CodeHistoryChanged, "%s", f.Message).
			WithHint("if a backup was restored on purpose, the PI accepts what is here").Try(brenner.Do("verify", "accept", "true")))
		return nil
	})
}

// Follow remembers the journal as it grows until what it gives is called. That
// it cannot fails nobody.
func (r *Room) Follow(every time.Duration) (stop func()) {
	ctx := context.Background()
	ended, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for more := true; more; {
			select {
			case <-ended:
				more = false
			case <-tick.C:
			}
			if r.Halted() != nil && more {
				_ = r.Compare(ctx) // somebody may have accepted it meanwhile
			}
			if r.Grew() {
				_ = r.Remember(ctx)
			}
		}
	}()
	return func() {
		close(ended)
		<-over
	}
}

// remembered is what is remembered of the journal. It is looked up before the
// journal is: what others write and remember in between then does not make the
// journal look shorter than it was.
func (r *Room) remembered(ctx context.Context) (h head, err error) {
	err = r.Store().Read(ctx, func(rd store.Reader) error {
		p, err := rd.Project(ctx)
		if err != nil {
			return err
		}
		h, err = r.Witness.load(p.ID)
		return err
	})
	return h, err
}

// compare says in which way a journal is not the one that is remembered.
func (h head) compare(ctx context.Context, r store.Reader) (*journal.Finding, error) {
	if h.Size == 0 {
		return nil, nil
	}
	size, err := r.Size(ctx)
	if err != nil {
		return nil, err
	}
	changed := func(first int64, format string, args ...any) *journal.Finding {
		return &journal.Finding{Code: brenner.CodeHistoryChanged, First: first, Last: h.Size, Message: fmt.Sprintf(format, args...)}
	}
	if size < h.Size {
		return changed(size+1, "the journal has %d records, and had %d when it was last seen here", size, h.Size), nil
	}
	root, err := journal.Root(ctx, r, h.Size)
	if err != nil {
		return nil, err
	}
	if root.String() != h.Root {
		return changed(1, "among the first %d records of the journal are others than when it was last seen here", h.Size), nil
	}
	return nil, nil
}

// historyAccepted says that somebody took the journal as it is for the history
// of the project, though another was remembered.
type historyAccepted struct {
	Size int64  `json:"size"`
	Root string `json:"root"`
}

// accept takes the journal as it is for the history of the project. The record
// of that says what had been remembered.
func (s *Service) accept(ctx context.Context) error {
	_, err := kernel.Write(kernel.DespiteHalt(ctx), s.caller, "journal.accept", api.Write{}, kernel.To(policy.Admin, "history"), func(ch *kernel.Change) (int64, error) {
		p, err := ch.Reader.Project(ctx)
		if err != nil {
			return 0, err
		}
		was, err := s.Witness.load(p.ID)
		if err != nil {
			return 0, err
		}
		return kindHistoryAccepted.Append(ch, historyAccepted{Size: was.Size, Root: was.Root})
	})
	if err != nil {
		return err
	}
	s.Halt(nil)
	return s.keep(ctx)
}
