package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"brenner/program"
)

// place is where one run works and keeps its own things.
type place struct {
	// dir is the working directory, private a directory for the run's files,
	// which only we may look into.
	dir, private string
	tree         *worktree
	root         string
}

// makePlace makes the directories of a run below root, which is the run's own.
func makePlace(ctx context.Context, root, run, project string, kind program.Directory) (p *place, err error) {
	p = &place{root: root, private: filepath.Join(root, "private"), dir: project}
	if err := os.MkdirAll(p.private, 0o700); err != nil {
		return nil, err
	}
	switch kind {
	case program.Worktree:
		repo, err := openRepository(ctx, project)
		if err != nil {
			return p, err
		}
		// The name of the directory is git's name of the worktree.
		p.dir = filepath.Join(root, run)
		if p.tree, err = repo.addWorktree(ctx, p.dir, run); err != nil {
			p.tree = nil
			return p, err
		}
	case program.Here:
	default:
		p.dir = filepath.Join(root, "scratch")
		err = os.Mkdir(p.dir, 0o700)
	}
	return p, err
}

// write puts the files and links of a command into the private directory.
func (p *place) write(c program.Cmd) error {
	root, err := os.OpenRoot(p.private)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for name, text := range c.Files {
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	for name, target := range c.Links {
		if _, err := os.Stat(target); err != nil {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := root.Symlink(target, name); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// remove takes everything away that the run does not leave on purpose.
func (p *place) remove(ctx context.Context) error {
	var err error
	if p.tree != nil {
		err = p.tree.remove(ctx)
	}
	return errors.Join(err, removeAll(p.root))
}

// removeAll removes a directory whatever modes its owner gave to things in it.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
