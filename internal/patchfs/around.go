package patchfs

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"brenner/anchor"
)

// recoverAround deals with sets that were interrupted under another root: one
// of a directory above, which may have been about the same files, or of one
// below, on the way to a file of this set. Each is finished or undone where it
// was begun, under the lock of its own directory.
func recoverAround(ctx context.Context, dir string, paths []string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return fileError(dir, err)
	}
	var roots []string
	for up := filepath.Dir(full); ; up = filepath.Dir(up) {
		roots = append(roots, up)
		if up == filepath.Dir(up) {
			break
		}
	}
	for _, p := range paths {
		clean, err := anchor.CleanPath(p)
		if err != nil {
			continue // refused when it is read
		}
		for _, d := range parents(path.Dir(clean)) {
			sub := filepath.Join(full, filepath.FromSlash(d))
			if info, err := os.Lstat(sub); err != nil || !info.IsDir() {
				break // a link leads elsewhere
			}
			if !slices.Contains(roots, sub) {
				roots = append(roots, sub)
			}
		}
	}
	for _, root := range roots {
		if !interrupted(root) {
			continue
		}
		_, release, err := hold(ctx, root, func() {})
		if err != nil {
			return err
		}
		release()
	}
	return nil
}

// interrupted says that a directory has the journal of a set of ours. What
// others have put into a directory above says nothing.
func interrupted(dir string) bool {
	for _, name := range []string{commitName, stagingName} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && ours(info) {
			return true
		}
	}
	return false
}
