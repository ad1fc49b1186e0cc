package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/program"
)

// File is a file that a program would run, and what is in it.
type File struct {
	Path   string         `json:"path"`
	Digest brenner.Digest `json:"digest"`
}

// digest identifies what a person allows: a resolved program, and the files that
// it runs as they are.
func digest(p program.Program, files []File) brenner.Digest {
	if len(files) == 0 {
		return p.Digest()
	}
	return canon.Sum(canon.MustMarshal(struct {
		Program brenner.Digest `json:"program"`
		Files   []File         `json:"files"`
	}{p.Digest(), files}))
}

// files are those that a program runs as far as its description tells: the
// executable of a command, or one that is named by its path, and each argument
// that is a file, also behind an equals sign. What those load in turn nobody can
// know; what the profile script answers from is text that nobody runs. The programs
// of the other profiles renew themselves and stand for what is installed under
// their names.
func (f Finder) files(p program.Program, executable string) []File {
	var paths []string
	if p.Profile == program.Command || p.Profile.Process() && strings.ContainsAny(p.Executable, `/\`) {
		paths = append(paths, executable)
	}
	for _, arg := range p.Args {
		paths = append(paths, arg)
		if _, value, ok := strings.Cut(arg, "="); ok {
			paths = append(paths, value)
		}
	}
	var out []File
	for _, path := range paths {
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(f.Dir, path)
		}
		if sum, ok := sumFile(path); ok {
			out = append(out, File{path, sum})
		}
	}
	return out
}

// sumFile is the digest of what a regular file holds.
func sumFile(path string) (brenner.Digest, bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	file, err := os.Open(path) //nolint:gosec // it is what the person is asked about
	if err != nil {
		return "", false
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", false
	}
	return brenner.Digest(hex.EncodeToString(sum.Sum(nil))), true
}
