package locate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
)

// Trust says whose projects are used when they are merely found: one's own,
// those of the administrator, and those that were allowed by name.
type Trust struct {
	// User is who runs the program; Behind, if not 0, the user who became the
	// administrator to run it.
	User, Behind int
	// File lists allowed project directories, one a line; "" allows none.
	File string
}

// maxTrustBytes bounds the list of allowed projects.
const maxTrustBytes = 64 << 10

// Check refuses a project file that belongs to a stranger, or stands in a
// stranger's directory: its configuration says which programs run and which
// servers are told. Code: PROJECT_NOT_YOURS.
func (t Trust) Check(a Address) error {
	dir := filepath.Dir(a.SQLite)
	for _, path := range []string{dir, a.SQLite} {
		// A link of a stranger may lead to what is ours, and the other way round.
		for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
			info, err := look(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return brenner.Errorf(brenner.CodeStoreUnavailable, "the project cannot be looked at").Because(err)
			}
			if owner, known := ownerOf(info); known && !t.trusts(owner) {
				return t.refuse(dir)
			}
		}
	}
	return nil
}

func (t Trust) trusts(owner int) bool {
	return owner == 0 || owner == t.User || t.User == 0 && t.Behind != 0 && owner == t.Behind
}

// refuse refuses the project in a .brenner directory unless it was allowed.
func (t Trust) refuse(dir string) error {
	home := filepath.Dir(dir)
	allowed, err := t.allowed()
	if err != nil {
		return err
	}
	if slices.Contains(allowed, home) || slices.Contains(allowed, "*") {
		return nil
	}
	no := brenner.Errorf(brenner.CodeProjectNotYours, "the project in %s belongs to another user", home)
	if t.File == "" {
		return no.WithHint("if you trust its owner, name its store")
	}
	return no.WithHint("if you trust its owner, add the line " + home + " to " + t.File + ", or name its store")
}

// allowed lists the projects that the file names.
func (t Trust) allowed() ([]string, error) {
	if t.File == "" {
		return nil, nil
	}
	f, err := os.Open(t.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeFileError, "%s cannot be read", t.File).Because(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTrustBytes))
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeFileError, "%s cannot be read", t.File).Because(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out, nil
}
