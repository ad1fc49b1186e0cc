package patchfs

import (
	"context"
	"os"

	"brenner"
	"brenner/canon"
)

// File is a file as it shall be.
type File struct {
	Path    string
	Content []byte
}

// Replace writes whole files below dir, all or none, as Update does. Before
// anything is written, and while the directory is kept, check is told the
// digest of the bytes at every path, "" where there is no file; its error
// refuses the whole. A file that has its content already is not touched.
//
// Errors are those of Update, but for INVALID_TEXT: bytes are bytes here.
func Replace(ctx context.Context, dir string, files []File, check func(now map[string]brenner.Digest) error) error {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	if err := recoverAround(ctx, dir, paths); err != nil {
		return err
	}
	t, release, err := hold(ctx, dir, func() {})
	if err != nil {
		return err
	}
	defer release()
	now := make(map[string]brenner.Digest, len(files))
	var writes []write
	for _, f := range files {
		before, err := t.look(f.Path)
		if err != nil {
			return err
		}
		now[f.Path] = before.raw
		if before.info == nil || before.raw != canon.Sum(f.Content) {
			writes = append(writes, write{f.Path, before, f.Content})
		}
	}
	if err := check(now); err != nil || len(writes) == 0 {
		return err
	}
	for _, w := range writes {
		if err := protected(w, false); err != nil {
			return err
		}
	}
	return t.commit(ctx, writes)
}

// look gives a plain file's digest, or says that there is none.
func (t *tree) look(name string) (seen, error) {
	info, err := t.inspect(name)
	if err != nil || info == nil {
		return seen{}, err
	}
	raw, err := t.readPlain(name, info)
	return seen{name, info, canon.Sum(raw)}, err
}

// hold keeps a directory for itself and deals with what an interrupted set left
// there.
func hold(ctx context.Context, dir string, step func()) (*tree, func(), error) {
	if err := BelowGit(dir); err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fileError(dir, err)
	}
	unlock, err := lock(ctx, root)
	if err != nil {
		_ = root.Close()
		return nil, nil, err
	}
	release := func() {
		unlock()
		_ = root.Close()
	}
	t := &tree{root: root, step: step}
	if err := t.recover(); err != nil {
		release()
		return nil, nil, err
	}
	return t, release, nil
}
