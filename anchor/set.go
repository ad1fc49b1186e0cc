package anchor

import (
	"path"
	"slices"
	"strings"

	"brenner"
)

// Change is what a patch set does to one file.
type Change struct {
	Path    string
	Outcome Outcome
	Before  Text
	After   Text
}

// Paths gives the files a patch set touches, in the order of the patches. A
// patch without a path, with a path that could leave the root, or a second
// patch for one file refuses the set.
func Paths(set []Patch) ([]string, error) {
	if len(set) > brenner.MaxPatchSetFiles {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "a set of %d patches; at most %d are allowed", len(set), brenner.MaxPatchSetFiles)
	}
	var paths []string
	for _, p := range set {
		name, err := CleanPath(p.Path)
		if err != nil {
			return nil, err
		}
		if slices.Contains(paths, name) {
			return nil, invalidPatch("/target/path", "two patches of the set are for %q", name).
				WithHint("put their groups into one patch; order does not matter")
		}
		paths = append(paths, name)
	}
	return paths, nil
}

// CleanPath refuses with PATH_REFUSED whatever is not a relative path that
// stays below its root on any system, and gives its shortest spelling.
func CleanPath(name string) (string, error) {
	refused := func(why string) (string, error) {
		return "", brenner.Errorf(brenner.CodePathRefused, "path %q %s", clip(name, 200), why).
			WithHint("name a file inside the root, such as notes/plan.md").At("/target/path")
	}
	switch {
	case name == "":
		return refused("is empty")
	case strings.ContainsRune(name, 0) || strings.ContainsRune(name, '\\'):
		return refused("contains a backslash or U+0000")
	case strings.HasPrefix(name, "/"):
		return refused("is absolute")
	case len(name) > 1 && name[1] == ':':
		return refused("names a drive")
	case slices.Contains(strings.Split(name, "/"), ".."):
		return refused("contains ..")
	case strings.HasSuffix(name, "/"):
		return refused("names a directory")
	}
	clean := path.Clean(name)
	if clean == "." {
		return refused("names a directory")
	}
	return clean, nil
}

// Plan applies a set of patches to the files they name, all or nothing. files
// holds a text for every path of the set; Absent for a missing file. The first
// refusal, in the order of the patches, refuses the set and names its file.
func Plan(set []Patch, files map[string]Text) ([]Change, error) {
	paths, err := Paths(set)
	if err != nil {
		return nil, err
	}
	total := 0
	changes := make([]Change, len(set))
	for i, p := range set {
		base, ok := files[paths[i]]
		if !ok {
			base = Absent()
		}
		res, err := Apply(p, base)
		if err != nil {
			return nil, inFile(err, paths[i])
		}
		if total += len(base.s) + len(res.Text.s); total > brenner.MaxPatchSetBytes {
			return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the texts of the set are larger than %d bytes together", brenner.MaxPatchSetBytes)
		}
		changes[i] = Change{Path: paths[i], Outcome: res.Outcome, Before: base, After: res.Text}
	}
	return changes, nil
}

// inFile says which file of a set a refusal is about.
func inFile(err error, name string) error {
	if e, ok := err.(*brenner.Error); ok {
		e.Message = name + ": " + e.Message
	}
	return err
}
