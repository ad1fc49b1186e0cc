// Package patchfs changes many files of a directory at once, all or nothing.
//
// Update reads the files, lets the caller plan their new contents, stages these
// beside the old ones, and writes a journal. One rename of the journal decides;
// the staged files are then renamed into place. Whoever comes next finishes
// what was decided and undoes what was not, so a process killed at any moment
// leaves either every file old or every file new behind, once the next one has
// looked (Update does so first; Recover does nothing else).
//
// All access goes through os.Root: no path, link or rename leaves the
// directory. Symbolic links on the way are refused altogether, because two
// names for one file would let a set lose a change.
package patchfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/canon"
)

// Plan decides what becomes of the files that were read. A path that does not
// exist has anchor.Absent.
type Plan func(files map[string]anchor.Text) ([]anchor.Change, error)

// Options say how files are written.
type Options struct {
	// DryRun goes the same way and stops before the first write of its own;
	// finishing an earlier, interrupted set is not counted as one.
	DryRun bool
	// Force also replaces files that are protected: read-only, of another
	// owner, or with several names.
	Force bool
}

// Update reads paths below dir, asks plan for their new contents and writes
// them. Mode, owner and extended attributes of a file are kept; what cannot be
// kept is said among the warnings of its change (METADATA_LOST).
//
// Errors: PATH_REFUSED, FILE_PROTECTED, INVALID_TEXT, LIMIT_EXCEEDED,
// FILE_ERROR, DISK_FULL, STORE_BUSY (another process kept the directory),
// RECOVERY_CONFLICT, BASE_MISMATCH (a file changed in the meantime), CANCELED,
// and whatever plan refuses. After an error no file has changed, except that
// FILE_ERROR may say that a decided set is still to be finished.
func Update(ctx context.Context, dir string, paths []string, o Options, plan Plan) ([]anchor.Change, error) {
	return update(ctx, dir, paths, o, plan, func() {})
}

// Recover finishes or undoes what an interrupted Update left behind.
func Recover(ctx context.Context, dir string) error {
	_, err := Read(ctx, dir)
	return err
}

// Read gives plain files below dir as text, each as Update would see it.
func Read(ctx context.Context, dir string, paths ...string) (map[string]anchor.Text, error) {
	var read map[string]anchor.Text
	_, err := Update(ctx, dir, paths, Options{DryRun: true}, func(files map[string]anchor.Text) ([]anchor.Change, error) {
		read = files
		return nil, nil
	})
	return read, err
}

// update is Update with a hook that is called before every change to the file
// system, for tests that stop the world there.
func update(ctx context.Context, dir string, paths []string, o Options, plan Plan, step func()) ([]anchor.Change, error) {
	if err := recoverAround(ctx, dir, paths); err != nil {
		return nil, err
	}
	t, release, err := hold(ctx, dir, step)
	if err != nil {
		return nil, err
	}
	defer release()
	files, read, err := t.readAll(paths)
	if err != nil {
		return nil, err
	}
	changes, err := plan(files)
	if err != nil {
		return nil, err
	}
	writes, err := planned(changes, read)
	if err != nil {
		return changes, err
	}
	for _, w := range writes {
		if err := protected(w, o.Force); err != nil {
			return nil, err
		}
	}
	if o.DryRun || len(writes) == 0 {
		return changes, nil
	}
	if err := t.commit(ctx, writes); err != nil {
		return nil, err
	}
	for i, c := range changes {
		for _, what := range t.lost[c.Path] {
			changes[i].Warnings = append(changes[i].Warnings, brenner.Diagnostic{
				Code: brenner.CodeMetadataLost, Severity: brenner.SeverityWarning, Message: what, Pointer: "/target/path",
			})
		}
	}
	return changes, nil
}

// tree is a directory while it is locked.
type tree struct {
	root *os.Root
	step func()
	// lost says, by path, what of a file could not be kept.
	lost map[string][]string
}

// seen is a file as it was read; info is nil if there was none.
type seen struct {
	path string
	info fs.FileInfo
	raw  brenner.Digest
}

func (t *tree) readAll(paths []string) (map[string]anchor.Text, map[string]seen, error) {
	files, read := map[string]anchor.Text{}, map[string]seen{}
	total := 0
	for _, name := range paths {
		text, s, err := t.read(name)
		if err != nil {
			return nil, nil, err
		}
		if total += len(text.String()); total > brenner.MaxPatchSetBytes {
			return nil, nil, brenner.Errorf(brenner.CodeLimitExceeded, "the files are larger than %d bytes together", brenner.MaxPatchSetBytes)
		}
		files[name], read[name] = text, s
	}
	return files, read, nil
}

// read gives a plain file below the root as text, or says that there is none.
func (t *tree) read(name string) (anchor.Text, seen, error) {
	info, err := t.inspect(name)
	if err != nil || info == nil {
		return anchor.Absent(), seen{}, err
	}
	if info.Size() > brenner.MaxPatchTextBytes {
		return anchor.Text{}, seen{}, brenner.Errorf(brenner.CodeLimitExceeded, "%s has %d bytes; at most %d are allowed", name, info.Size(), brenner.MaxPatchTextBytes)
	}
	raw, err := t.readPlain(name, info)
	if err != nil {
		return anchor.Text{}, seen{}, err
	}
	text, err := anchor.Canonical(raw)
	if err != nil {
		return anchor.Text{}, seen{}, inFile(name, err)
	}
	return text, seen{name, info, canon.Sum(raw)}, nil
}

// readPlain reads the very file that was inspected.
func (t *tree) readPlain(name string, want fs.FileInfo) ([]byte, error) {
	f, err := t.root.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer func() { _ = f.Close() }()
	if got, err := f.Stat(); err != nil || !os.SameFile(got, want) {
		return nil, refused(name, "changed while it was read")
	}
	raw, err := io.ReadAll(io.LimitReader(f, brenner.MaxPatchTextBytes+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	return raw, nil
}

// reserved begins the names of the journal and of staged files.
const reserved = ".brenner-patch"

// inspect follows a path without following links. It gives nil for a file that
// is not there and refuses everything that is not a plain file.
func (t *tree) inspect(name string) (fs.FileInfo, error) {
	clean, err := anchor.CleanPath(name)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(path.Base(clean), reserved) {
		return nil, refused(name, "is a name that patch sets use themselves")
	}
	parts := strings.Split(clean, "/")
	if isGits(clean) {
		return nil, refused(name, "lies below .git, which is git's alone")
	}
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		info, err := t.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fileError(name, err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, refused(name, "passes the symbolic link "+at)
		case i == len(parts)-1:
			if !info.Mode().IsRegular() {
				return nil, refused(name, "is not a plain file")
			}
			return info, nil
		case !info.IsDir():
			return nil, refused(name, at+" is not a directory")
		}
	}
	return nil, nil
}

// write is one file that will change.
type write struct {
	path   string
	before seen
	after  []byte
}

// planned picks the changes that change something.
func planned(changes []anchor.Change, read map[string]seen) ([]write, error) {
	var writes []write
	for _, c := range changes {
		before, ok := read[c.Path]
		if !ok {
			return nil, fmt.Errorf("patchfs: plan changes %q, which was not read", c.Path)
		}
		after := c.After.Bytes()
		if before.info != nil && canon.Sum(after) == before.raw {
			continue
		}
		if c.After.IsAbsent() {
			continue
		}
		writes = append(writes, write{c.Path, before, after})
	}
	return writes, nil
}

func refused(name, why string) error {
	return brenner.Errorf(brenner.CodePathRefused, "path %q %s", name, why).
		WithHint("name a plain file inside the root by a path without links")
}

func fileError(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if diskFull(err) {
		return brenner.Errorf(brenner.CodeDiskFull, "%s: %v; no file was changed", name, err).Because(err)
	}
	return brenner.Errorf(brenner.CodeFileError, "%s: %v", name, err).Because(err)
}

func inFile(name string, err error) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		e.Message = name + ": " + e.Message
	}
	return err
}
