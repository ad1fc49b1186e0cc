package patchfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/canon"
)

// The journal has one of two names. Under the first nothing is decided and
// everything is undone; under the second everything is finished. Renaming it is
// the commit.
const (
	stagingName = reserved + ".staging"
	commitName  = reserved + ".commit"
)

// journal says what is about to happen, before it does.
type journal struct {
	Files []entry `json:"files"`
	// Dirs are the directories that will be made, parents first.
	Dirs []string `json:"dirs"`
}

// entry is one file: where its new content is staged, and the digests of its
// bytes before ("" if there was no file) and after.
type entry struct {
	Path   string         `json:"path"`
	Stage  string         `json:"stage"`
	Before brenner.Digest `json:"before"`
	After  brenner.Digest `json:"after"`
}

func (t *tree) commit(ctx context.Context, writes []write) error {
	j, err := t.intend(writes)
	if err != nil {
		return errors.Join(err, t.undo(journal{}))
	}
	if err := t.stage(ctx, j, writes); err != nil {
		return errors.Join(err, t.undo(j))
	}
	if err := t.rename(stagingName, commitName); err != nil {
		return errors.Join(fileError(commitName, err), t.undo(j))
	}
	if err := t.sync("."); err != nil {
		return unfinished(err)
	}
	if err := t.finish(j); err != nil {
		return unfinished(err)
	}
	return nil
}

func unfinished(err error) error {
	if brenner.CodeOf(err) == brenner.CodeRecoveryConflict {
		return err
	}
	code := brenner.CodeFileError
	if brenner.CodeOf(err) == brenner.CodeDiskFull {
		code = brenner.CodeDiskFull
	}
	return brenner.Errorf(code, "the patch set was decided but not finished: %v", err).Because(err).
		WithHint("mend the cause and run any patch command in this directory; it finishes the set first")
}

// intend writes the journal of what is about to be staged.
func (t *tree) intend(writes []write) (journal, error) {
	var j journal
	for i, w := range writes {
		dir := path.Dir(w.path)
		j.Files = append(j.Files, entry{
			Path: w.path, Stage: path.Join(dir, fmt.Sprintf("%s.%d.new", reserved, i)),
			Before: w.before.raw, After: canon.Sum(w.after),
		})
		for _, d := range parents(dir) {
			if _, err := t.root.Lstat(d); errors.Is(err, fs.ErrNotExist) && !slices.Contains(j.Dirs, d) {
				j.Dirs = append(j.Dirs, d)
			}
		}
	}
	if err := t.create(stagingName, canon.MustMarshal(j), seen{}); err != nil {
		return j, fileError(stagingName, err)
	}
	return j, t.sync(".")
}

// parents lists a directory and those above it, the highest first.
func parents(dir string) []string {
	var out []string
	for ; dir != "."; dir = path.Dir(dir) {
		out = append([]string{dir}, out...)
	}
	return out
}

// stage makes directories and new contents durable and then looks once more
// whether the files are still those that were read.
func (t *tree) stage(ctx context.Context, j journal, writes []write) error {
	for _, d := range j.Dirs {
		t.step()
		if err := t.root.Mkdir(d, 0o777); err != nil {
			return fileError(d, err)
		}
	}
	for i, w := range writes {
		if ctx.Err() != nil {
			return brenner.Errorf(brenner.CodeCanceled, "stopped; no file was changed").Because(ctx.Err())
		}
		if err := t.create(j.Files[i].Stage, w.after, w.before); err != nil {
			return fileError(w.path, err)
		}
	}
	if err := t.syncAll(j); err != nil {
		return err
	}
	for _, w := range writes {
		if err := t.unchanged(w); err != nil {
			return err
		}
	}
	return nil
}

// unchanged refuses to overwrite what somebody else has written meanwhile.
func (t *tree) unchanged(w write) error {
	now, err := t.inspect(w.path)
	if err != nil {
		return err
	}
	was := w.before.info
	same := was == nil && now == nil ||
		was != nil && now != nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
	if !same {
		return brenner.Errorf(brenner.CodeBaseMismatch, "%s: the file changed while it was being patched", w.path).
			WithHint("try again on the present text")
	}
	return nil
}

// create writes a new file to the disk, with the mode of the old one.
func (t *tree) create(name string, content []byte, like seen) error {
	t.step()
	perm := fs.FileMode(0o666) // less the umask, as for any new file
	if like.info != nil {
		perm = 0o600 // until the mode is set
	}
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = t.fill(f, content, like)
	return errors.Join(err, f.Close())
}

func (t *tree) fill(f *os.File, content []byte, like seen) error {
	t.step()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if like.info != nil {
		if err := t.keep(f, like); err != nil {
			return err
		}
	}
	t.step()
	return f.Sync()
}

// keep gives a file owner, extended attributes and mode of the one it replaces,
// and takes note of what cannot be kept.
func (t *tree) keep(f *os.File, like seen) error {
	old, err := t.root.Open(like.path)
	if err != nil {
		return err
	}
	defer func() { _ = old.Close() }()
	lost := append(keepOwner(f, like.info), keepAttributes(f, old)...)
	if len(lost) > 0 {
		if t.lost == nil {
			t.lost = map[string][]string{}
		}
		t.lost[like.path] = lost
	}
	return f.Chmod(like.info.Mode())
}

// finish renames what is staged into place and forgets the journal. It may be
// called again after any interruption.
func (t *tree) finish(j journal) error {
	for _, e := range j.Files {
		if _, err := t.root.Lstat(e.Stage); errors.Is(err, fs.ErrNotExist) {
			continue // done before
		}
		if err := t.rename(e.Stage, e.Path); err != nil {
			return fileError(e.Path, err)
		}
	}
	if err := t.syncAll(j); err != nil {
		return err
	}
	return t.forget(commitName)
}

// undo takes back what was staged under a journal that was never committed.
func (t *tree) undo(j journal) error {
	for _, e := range j.Files {
		if err := t.remove(e.Stage); err != nil {
			return fileError(e.Stage, err)
		}
	}
	for _, d := range slices.Backward(j.Dirs) {
		_ = t.remove(d) // somebody may have put something there
	}
	if err := t.syncAll(j); err != nil {
		return err
	}
	return t.forget(stagingName)
}

func (t *tree) forget(name string) error {
	if err := t.remove(name); err != nil {
		return fileError(name, err)
	}
	return t.sync(".")
}

// recover deals with the journal of an interrupted set.
func (t *tree) recover() error {
	if j, found, err := t.load(commitName); found {
		if err != nil {
			return brenner.Errorf(brenner.CodeRecoveryConflict, "%s cannot be read", commitName).Because(err).
				WithHint("an interrupted patch set left it; look for files named " + reserved + ".*.new, then remove it")
		}
		if err := t.checkStaged(j); err != nil {
			return err
		}
		return t.finish(j)
	}
	j, found, err := t.load(stagingName)
	if !found {
		return nil
	}
	if err != nil {
		j = journal{} // cut short while it was written: nothing was staged yet
	}
	return t.undo(j)
}

// load reads a journal; found says that there is one, readable or not.
func (t *tree) load(name string) (j journal, found bool, err error) {
	info, err := t.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return j, false, nil
	case err != nil:
		return j, true, err // it may be there: going on as if not could undo a decided set
	case !info.Mode().IsRegular():
		return j, false, nil
	}
	raw, err := t.root.ReadFile(name)
	if err != nil {
		return j, true, err
	}
	if err := canon.Unmarshal(raw, &j); err != nil {
		return j, true, err
	}
	for _, e := range j.Files {
		if _, err := anchor.CleanPath(e.Path); err != nil {
			return j, true, err
		}
		if !strings.HasPrefix(path.Base(e.Stage), reserved) || path.Dir(e.Stage) != path.Dir(e.Path) {
			return j, true, fmt.Errorf("%q is not a staged file of %q", e.Stage, e.Path)
		}
	}
	return j, true, nil
}

// checkStaged refuses to finish a set over files that were changed since it was
// interrupted.
func (t *tree) checkStaged(j journal) error {
	for _, e := range j.Files {
		staged, err := t.digest(e.Stage)
		if err != nil {
			return err
		}
		if staged == "" {
			continue // in place already
		}
		now, err := t.digest(e.Path)
		if err != nil {
			return err
		}
		if staged != e.After || now != e.Before && now != e.After {
			return brenner.Errorf(brenner.CodeRecoveryConflict, "%s was changed after a patch set was interrupted", e.Path).
				WithHint(fmt.Sprintf("to keep the file, remove %s; to take the patched one, move it over %s; then repeat", e.Stage, e.Path))
		}
	}
	return nil
}

// digest is the checksum of a file's bytes, "" if there is none.
func (t *tree) digest(name string) (brenner.Digest, error) {
	info, err := t.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fileError(name, err)
	}
	if !info.Mode().IsRegular() {
		return "", refused(name, "is not a plain file")
	}
	raw, err := t.root.ReadFile(name)
	if err != nil {
		return "", fileError(name, err)
	}
	return canon.Sum(raw), nil
}

func (t *tree) rename(from, to string) error {
	t.step()
	return t.root.Rename(from, to)
}

// remove removes a file that may be gone already.
func (t *tree) remove(name string) error {
	t.step()
	if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncAll makes the names in every directory of the set durable.
func (t *tree) syncAll(j journal) error {
	dirs := map[string]bool{".": true}
	for _, e := range j.Files {
		dirs[path.Dir(e.Path)] = true
	}
	for _, d := range j.Dirs {
		dirs[path.Dir(d)] = true
	}
	for _, d := range slices.Sorted(maps.Keys(dirs)) {
		if err := t.sync(d); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) sync(dir string) error {
	t.step()
	f, err := t.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a directory that was undone
	}
	if err != nil {
		return fileError(dir, err)
	}
	defer func() { _ = f.Close() }()
	if err := syncDir(f); err != nil {
		return fileError(dir, err)
	}
	return nil
}
