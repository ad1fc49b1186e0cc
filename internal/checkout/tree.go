package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"brenner"
	"brenner/internal/patchfs"
)

// open opens a directory below which everything happens.
func open(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, inFile(filepath.Base(dir), err)
	}
	return root, nil
}

// parsePath reads MODULE/TYPE/ID.md. ok is false for a path of another form;
// the names are still to be checked.
func parsePath(name string) (d Document, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 {
		return Document{}, false
	}
	id, ok := strings.CutSuffix(parts[2], ".md")
	return Document{
		Module: brenner.Module(parts[0]), Type: brenner.TypeName(parts[1]), ID: brenner.ArtifactID(id),
	}, ok && id != ""
}

// walk lists the plain files below a root that want accepts, by path, and the
// others, which are left alone: links and what else is no plain file among
// them. Hidden files and directories are not looked at.
func walk(root *os.Root, want func(name string) bool) (files, others []string, err error) {
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return inFile(name, err)
		}
		if seen++; seen > brenner.MaxTreeFiles {
			return brenner.Errorf(brenner.CodeLimitExceeded, "more than %d files and directories", brenner.MaxTreeFiles)
		}
		switch {
		case name == ".":
		case strings.HasPrefix(path.Base(name), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
		case e.Type().IsRegular() && want(name):
			files = append(files, name)
		default:
			others = append(others, name)
		}
		return nil
	})
	return files, others, err
}

// makeDir makes the directory to check out into.
func makeDir(dir string) error {
	if err := patchfs.BelowGit(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return inFile(filepath.Base(dir), err)
	}
	return nil
}
