package patchfs

import (
	"strings"

	"brenner"
)

// protected refuses to replace a file that somebody took care to keep: one that
// is read-only, of another owner, or known by several names, of which only one
// would get the new content.
func protected(w write, force bool) error {
	if w.before.info == nil || force {
		return nil
	}
	var why []string
	if w.before.info.Mode().Perm()&0o200 == 0 {
		why = append(why, "it is read-only")
	}
	why = append(why, ownership(w.before.info)...)
	if len(why) == 0 {
		return nil
	}
	return brenner.Errorf(brenner.CodeFileProtected, "%s is protected: %s", w.path, strings.Join(why, ", ")).
		WithHint("make it yours to write, or force it")
}
