package anchor

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"brenner"
)

// Set is patches that are applied together, all or nothing (P14).
type Set struct {
	// Patches are for different files.
	Patches []Patch
	// Bases are texts that a patch may have been made for, by checksum: what a
	// three-way rebase needs. It may be nil.
	Bases map[brenner.Digest]Text
	// Rebase applies the rebased patch where the base has moved, instead of
	// attaching it to the refusal.
	Rebase bool
}

// Change is what a patch set does to one file.
type Change struct {
	Path    string
	Outcome Outcome
	Before  Text
	After   Text
	// Rebased is the patch that was really applied, if not the one given.
	Rebased *Patch
	// Already counts the changes of the patch that the file had made already.
	Already int
	// Warnings say what looks odd about the change (P17).
	Warnings []brenner.Diagnostic
}

// Paths gives the files a set touches, in the order of the patches. A patch
// without a path, with a path that could leave the root, or a second patch for
// one file refuses the set.
func (s Set) Paths() ([]string, error) {
	if len(s.Patches) > brenner.MaxPatchSetFiles {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "a set of %d patches; at most %d are allowed", len(s.Patches), brenner.MaxPatchSetFiles)
	}
	var paths []string
	for _, p := range s.Patches {
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
		return "", brenner.Errorf(brenner.CodePathRefused, "path %q %s", brenner.Clip(name, 200), why).
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

// Plan applies the patches to the files they name, all or nothing. files holds
// a text for every path of the set; one that is not there counts as Absent. The
// first refusal, in the order of the patches, refuses the set and names its
// file.
func (s Set) Plan(files map[string]Text) ([]Change, error) {
	paths, err := s.Paths()
	if err != nil {
		return nil, err
	}
	total := 0
	changes := make([]Change, len(s.Patches))
	for i, p := range s.Patches {
		base, ok := files[paths[i]]
		if !ok {
			base = Absent()
		}
		c, err := s.change(p, base)
		if err != nil {
			return nil, inFile(err, paths[i])
		}
		if total += len(base.s) + len(c.After.s); total > brenner.MaxPatchSetBytes {
			return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the texts of the set are larger than %d bytes together", brenner.MaxPatchSetBytes)
		}
		c.Path = paths[i]
		changes[i] = c
	}
	return changes, nil
}

// change applies one patch and, where its base has moved, rebases it (P13). A
// text that has made every change of the patch already has nothing left to
// refuse.
func (s Set) change(p Patch, text Text) (Change, error) {
	res, err := Apply(p, text)
	if brenner.CodeOf(err) != brenner.CodeBaseMismatch {
		return Change{Outcome: res.Outcome, Before: text, After: res.Text, Warnings: res.Warnings}, err
	}
	var base *Text
	if b, ok := s.Bases[p.Base]; ok {
		base = &b
	}
	r, failed := Rebase(p, text, base)
	switch {
	case failed == nil && r.Carried == 0 && r.Already > 0:
		return Change{Outcome: AlreadyApplied, Before: text, After: text, Already: r.Already}, nil
	case failed == nil && s.Rebase:
		res, err := Apply(r.Patch, text)
		return Change{Outcome: res.Outcome, Before: text, After: res.Text, Rebased: &r.Patch, Already: r.Already, Warnings: res.Warnings}, err
	case s.Rebase:
		return Change{}, failed
	case failed == nil:
		return Change{}, mismatch(p, text.Sum(), &r.Patch, nil)
	}
	return Change{}, mismatch(p, text.Sum(), nil, conflictsOf(failed))
}

// Tie adds edits of files to a set as patches: each is tied to a text of Bases
// that it fits, if there are any, otherwise to the file it names. An edit that
// names no file is about the one given.
func (s Set) Tie(edits []Edit, only string, files map[string]Text) (Set, error) {
	s.Patches = slices.Clone(s.Patches)
	for _, e := range edits {
		if e.Path == "" && only != "" {
			e = e.Named(only)
		}
		name, err := CleanPath(e.Path)
		if err != nil {
			return s, err
		}
		p, err := s.tie(e.Named(name), files)
		if err != nil {
			return s, inFile(err, name)
		}
		s.Patches = append(s.Patches, p)
	}
	return s, nil
}

func (s Set) tie(e Edit, files map[string]Text) (Patch, error) {
	for _, sum := range slices.Sorted(maps.Keys(s.Bases)) {
		if p, err := e.Patch(s.Bases[sum]); err == nil {
			return p, nil
		}
	}
	base, ok := files[e.Path]
	if !ok {
		base = Absent()
	}
	return e.Patch(base)
}

// inFile says which file of a set a refusal is about.
func inFile(err error, name string) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		e.Message = name + ": " + e.Message
	}
	return err
}
