package patchfs

import (
	"path/filepath"
	"slices"
	"strings"

	"brenner"
)

// BelowGit refuses a path that is .git or lies below it, as it is written or
// where links lead it: that is git's alone (X12). Code: PATH_REFUSED.
func BelowGit(name string) error {
	at, err := filepath.Abs(name)
	if err != nil {
		return fileError(name, err)
	}
	if isGits(at) || isGits(resolved(at)) {
		return brenner.Errorf(brenner.CodePathRefused, "path %q lies below .git, which is git's alone", name).
			WithHint("name another place")
	}
	return nil
}

// resolved follows the links of a path as far as there is something.
func resolved(at string) string {
	if real, err := filepath.EvalSymlinks(at); err == nil || at == filepath.Dir(at) {
		return real
	}
	return filepath.Join(resolved(filepath.Dir(at)), filepath.Base(at))
}

// isGits says whether a path has git's directory in it.
func isGits(at string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(at), "/"), func(p string) bool { return strings.EqualFold(p, ".git") })
}
