// Package locate finds the store of a project: the one that was named, or the
// .brenner directory found upward from where the user stands, as git does.
package locate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner"
)

// Dir and File are where a project lives by default.
const (
	Dir  = ".brenner"
	File = "brenner.db"
)

// Address is where a store is: exactly one field is set.
type Address struct {
	SQLite   string // path of the file
	Postgres string // URL
}

func (a Address) String() string {
	if a.Postgres != "" {
		return "postgres"
	}
	return "sqlite:" + a.SQLite
}

// Parse reads sqlite:PATH or postgres://…; relative paths start at dir.
func Parse(s, dir string) (Address, error) {
	if path, ok := strings.CutPrefix(s, "sqlite:"); ok && path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return Address{SQLite: path}, nil
	}
	if strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://") {
		return Address{Postgres: s}, nil
	}
	// The text may hold a password: it is not repeated.
	return Address{}, brenner.Errorf(brenner.CodeUsage, "the store is not sqlite:PATH or postgres://…").
		WithHint("write for example sqlite:.brenner/brenner.db or postgres://HOST/DATABASE")
}

// Find looks for a project from dir upward and, from a linked git worktree,
// also from the main one. It reports NO_PROJECT if there is none, and
// STORE_UNAVAILABLE for one that the user may not look into: that is no reason
// to make another.
func Find(dir string) (Address, error) {
	for d := dir; ; d = filepath.Dir(d) {
		places := []string{d}
		if main, ok := mainWorktree(d); ok {
			places = append(places, main)
		}
		for _, place := range places {
			if a, ok, err := at(place); ok || err != nil {
				return a, err
			}
		}
		if d == filepath.Dir(d) {
			return Address{}, brenner.Errorf(brenner.CodeNoProject, "there is no project in this directory or above it").
				WithHint("make one, import an export of one, or name its store")
		}
	}
}

// Default is where init puts a project.
func Default(dir string) Address { return Address{SQLite: filepath.Join(dir, Dir, File)} }

func at(dir string) (Address, bool, error) {
	path := filepath.Join(dir, Dir, File)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrPermission) {
		if _, there := os.Lstat(filepath.Join(dir, Dir)); there == nil {
			return Address{}, false, brenner.Errorf(brenner.CodeStoreUnavailable, "you may not read the project in %s", filepath.Join(dir, Dir)).
				WithHint("its owner shares it by serving it and giving you a token, not by a folder that both can write to").Because(err)
		}
	}
	return Address{SQLite: path}, err == nil && info.Mode().IsRegular(), nil
}

// mainWorktree follows the .git file of a linked worktree, which names
// MAIN/.git/worktrees/NAME.
func mainWorktree(dir string) (string, bool) {
	data, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil || len(data) > 4096 {
		return "", false
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(dir, gitdir)
	}
	common := filepath.Dir(filepath.Dir(gitdir))
	if filepath.Base(filepath.Dir(gitdir)) != "worktrees" || filepath.Base(common) != ".git" {
		return "", false
	}
	return filepath.Dir(common), true
}
