// Package programs knows which program starts an agent on this machine, and what
// its user has allowed.
//
// A name is looked up in the user's own file, then in the project's
// configuration, then among the built-in profiles. What a project's
// configuration asks for beyond a profile and a model takes effect only when
// the user has allowed exactly that here (W2); the file that says so lies
// outside every project and is nobody else's to write.
package programs

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/program"
)

// Book is the user's own file.
type Book struct {
	path string
	file file
}

// file is what it holds.
type file struct {
	Version  int                        `json:"version"`
	Default  string                     `json:"default,omitzero"`
	Programs map[string]program.Program `json:"programs,omitzero"`
	Allowed  []allowed                  `json:"allowed,omitzero"`
}

// allowed is something that the user has looked at and allowed in a project.
type allowed struct {
	Project brenner.ProjectID `json:"project"`
	Name    string            `json:"name"`
	Digest  brenner.Digest    `json:"digest"`
	At      time.Time         `json:"at"`
}

// Path is where the file is, outside every project; "" if there is no such
// place.
func Path(getenv func(string) string) string {
	if p := getenv("BRENNER_PROGRAMS"); p != "" {
		return p
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "brenner", "programs.json")
}

// Open reads the file; one that is not there is empty. A file that others could
// write says nothing about what its owner allows: FILE_ERROR.
func Open(path string) (*Book, error) {
	b := &Book{path: path, file: file{Version: 1}}
	if path == "" {
		return b, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, fileError(path, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, brenner.Errorf(brenner.CodeFileError, "%s can be read or written by others (mode %o)", path, info.Mode().Perm()).
			WithHint("chmod 600 " + path)
	}
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) > brenner.MaxConfigBytes {
		return nil, fileError(path, err)
	}
	if err := canon.Unmarshal(raw, &b.file); err != nil {
		return nil, brenner.Errorf(brenner.CodeFileError, "%s is not what we wrote: %s", path, message(err)).Because(err)
	}
	for _, name := range slices.Sorted(maps.Keys(b.file.Programs)) {
		if err := errors.Join(program.CheckName(name), b.file.Programs[name].Check()); err != nil {
			return nil, brenner.Errorf(brenner.CodeFileError, "%s: the program %s: %s", path, name, message(err)).Because(err)
		}
	}
	return b, nil
}

func message(err error) string {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e.Message + " " + e.Pointer
	}
	return err.Error()
}

func fileError(path string, err error) error {
	return brenner.Errorf(brenner.CodeFileError, "%s cannot be read", path).Because(err)
}

// save replaces the file as a whole, for its owner's eyes only.
func (b *Book) save() error {
	if b.path == "" {
		return brenner.Errorf(brenner.CodeFileError, "there is no place for your own configuration").WithHint("set HOME or XDG_CONFIG_HOME")
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return fileError(b.path, err)
	}
	part, err := os.CreateTemp(filepath.Dir(b.path), ".programs-*") // mode 0600
	if err != nil {
		return fileError(b.path, err)
	}
	_, err = part.Write(append(canon.MustMarshal(b.file), '\n'))
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), b.path)
	}
	if err != nil {
		_ = os.Remove(part.Name())
		return brenner.Errorf(brenner.CodeFileError, "%s cannot be written", b.path).Because(err)
	}
	return nil
}

// Source says where a program comes from.
type Source string

// The sources.
const (
	Own     Source = "own"      // the user's own file
	Project Source = "project"  // the project's configuration
	Builtin Source = "built-in" // a profile by itself
)

// Found is a program by a name, as it would be started here.
type Found struct {
	Name    string          `json:"name"`
	Source  Source          `json:"source"`
	Program program.Program `json:"program"` // resolved
	// Installed says that its executable is there.
	Installed bool `json:"installed"`
	// Allowed says that it may be started.
	Allowed bool           `json:"allowed"`
	Digest  brenner.Digest `json:"digest"`
	// Files are those that it would run, as they are now: another content is
	// something else to allow (W2).
	Files []File `json:"files,omitzero"`

	settings api.WorkSettings // that a task asks for
}

// Finder looks programs up for one project.
type Finder struct {
	Book    *Book
	Project brenner.ProjectID
	// Programs are those of the project's configuration in force.
	Programs map[string]program.Program
	// Look finds an executable; nil: exec.LookPath.
	Look func(name string) (string, error)
	// Dir is where the script files of a project's programs are.
	Dir string
}

// Find looks a name up and applies what a task asks for. Code: UNKNOWN_PROGRAM.
func (f Finder) Find(name, model string, settings api.WorkSettings) (Found, error) {
	if name == "" {
		name = f.Book.file.Default
	}
	out := Found{Name: name, settings: settings}
	var p program.Program
	var ok bool
	if p, ok = f.Book.file.Programs[name]; ok {
		out.Source = Own
	} else if p, ok = f.Programs[name]; ok {
		out.Source = Project
	} else if p, ok = program.ByName(name); ok {
		out.Source = Builtin
	} else {
		return out, f.unknown(name)
	}
	own := p
	if model != "" && p.Model == "" {
		p.Model = model
	}
	if settings.Tools != "" {
		p.Tools = settings.Tools
	}
	if settings.Directory != "" {
		p.Directory = settings.Directory
	}
	if err := p.Check(); err != nil {
		return out, err
	}
	if p.File != "" && !filepath.IsAbs(p.File) {
		p.File = filepath.Join(f.Dir, p.File)
	}
	path, err := f.look(p)
	out.Installed = err == nil
	out.Program = p.Resolve(path)
	out.Files = f.files(p, path)
	out.Digest = digest(out.Program, out.Files)
	out.Allowed = p.Free() || out.Source == Own && own.Resolve(path).Digest() == p.Resolve(path).Digest() || f.Book.allows(f.Project, out.Digest)
	return out, nil
}

// look finds the executable of a program.
func (f Finder) look(p program.Program) (string, error) {
	if !p.Profile.Process() {
		return "", nil
	}
	name := p.Executable
	if name == "" {
		name = p.Profile.Executable()
	}
	look := f.Look
	if look == nil {
		look = exec.LookPath
	}
	path, err := look(name)
	if err != nil {
		return name, err
	}
	return filepath.Abs(path)
}

func (f Finder) unknown(name string) error {
	if name == "" && !f.startable(f.usual()) {
		return brenner.Errorf(brenner.CodeUnknownProgram, "no program is named for the agent, and none is installed here").
			WithHint("install one of them, or describe one of your own").
			Try(brenner.Do("program.check"), brenner.Do("program.add").Asking("name", "profile"))
	}
	if name == "" {
		return brenner.Errorf(brenner.CodeUnknownProgram, "no program is named for the agent").
			WithHint("name one in the roster, for this time, or for every time; programs: " + strings.Join(f.Names(), ", ")).
			Try(brenner.Do("program.use", "name", f.usual()))
	}
	if profile := program.Profile(name); slices.Contains(program.Profiles(), profile) {
		return brenner.Errorf(brenner.CodeUnknownProgram, "%s is a profile, and needs to be told more before it is a program", name).
			WithHint("describe it once, under a name of its own").Try(brenner.Do("program.add", append([]string{"name", "NAME", "profile", name}, profile.Needs()...)...))
	}
	e := brenner.Errorf(brenner.CodeUnknownProgram, "there is no program %q", name).WithHint("programs: " + strings.Join(f.Names(), ", "))
	if near := brenner.Nearest(name, f.Names()); near != "" {
		e = e.WithHint("did you mean " + near + "? " + e.Hint)
	}
	return e.Try(brenner.Do("program.list"))
}

// usual is a program that could start agents here: the first that is installed,
// or else the first there is.
func (f Finder) usual() string {
	names := f.Names()
	if at := slices.IndexFunc(names, f.startable); at >= 0 {
		return names[at]
	}
	return names[0]
}

// startable says whether a program could start agents here.
func (f Finder) startable(name string) bool {
	found, err := f.Find(name, "", api.WorkSettings{})
	return err == nil && found.Installed && found.Allowed
}

// Names lists every program there is, sorted, the built-in ones last.
func (f Finder) Names() []string {
	own := map[string]bool{}
	for name := range f.Book.file.Programs {
		own[name] = true
	}
	for name := range f.Programs {
		own[name] = true
	}
	names := slices.Sorted(maps.Keys(own))
	for _, p := range program.Profiles() {
		if p.Installs() && !own[string(p)] {
			names = append(names, string(p))
		}
	}
	return names
}

// allows reports whether the user has allowed something in a project.
func (b *Book) allows(project brenner.ProjectID, digest brenner.Digest) bool {
	return slices.ContainsFunc(b.file.Allowed, func(a allowed) bool { return a.Project == project && a.Digest == digest })
}

// Allow writes down that the user allows exactly what was found.
func (f Finder) Allow(found Found, now time.Time) error {
	return f.allow(found.Name, found.Digest, now)
}

func (f Finder) allow(name string, digest brenner.Digest, now time.Time) error {
	b := f.Book
	if b.allows(f.Project, digest) {
		return nil
	}
	// What a name stood for before is not allowed any more.
	b.file.Allowed = slices.DeleteFunc(b.file.Allowed, func(a allowed) bool { return a.Project == f.Project && a.Name == name })
	b.file.Allowed = append(b.file.Allowed, allowed{f.Project, name, digest, now.UTC().Truncate(time.Second)})
	return b.save()
}

// testName stands for the test command of a task among what is allowed.
const testName = "test: "

// TestAllowed reports whether a test command is allowed in the project, and
// AllowTest allows it.
func (f Finder) TestAllowed(test string) bool {
	return f.Book.allows(f.Project, canon.Sum([]byte(testName+test)))
}

// AllowTest see TestAllowed.
func (f Finder) AllowTest(test string, now time.Time) error {
	return f.allow(testName+test, canon.Sum([]byte(testName+test)), now)
}

// SetOwn writes a program of the user's own down, SetDefault names the one for
// agents whose roster names none.
func (b *Book) SetOwn(name string, p program.Program) error {
	if err := errors.Join(program.CheckName(name), p.Check()); err != nil {
		return err
	}
	if b.file.Programs == nil {
		b.file.Programs = map[string]program.Program{}
	}
	b.file.Programs[name] = p
	return b.save()
}

// RemoveOwn forgets a program of the user's own. Code: UNKNOWN_PROGRAM.
func (b *Book) RemoveOwn(name string) error {
	if _, ok := b.file.Programs[name]; !ok {
		e := brenner.Errorf(brenner.CodeUnknownProgram, "%q is not a program of your own", brenner.Clip(name, 80)).Try(brenner.Do("program.list"))
		if near := brenner.Nearest(name, slices.Sorted(maps.Keys(b.file.Programs))); near != "" {
			e = e.WithHint("did you mean " + near + "?")
		}
		return e
	}
	delete(b.file.Programs, name)
	if b.file.Default == name {
		b.file.Default = ""
	}
	return b.save()
}

// SetDefault see SetOwn.
func (b *Book) SetDefault(name string) error {
	b.file.Default = name
	return b.save()
}

// Default is the program for agents whose roster names none.
func (b *Book) Default() string { return b.file.Default }

// Refused is the error for a program that may not be started. Code:
// PROGRAM_NOT_ALLOWED.
func (f Found) Refused() error {
	return brenner.Errorf(brenner.CodeProgramNotAllowed, "the program %s wants more than a profile and a model, and nobody has allowed that here", f.Name).
		WithHint("look at what it would run, then allow it").WithDetails(f.Program).
		Try(brenner.Do("program.allow", "name", f.Name, "tools", string(f.settings.Tools), "directory", string(f.settings.Directory)))
}

// Missing is the error for a program that is not on this machine. Code:
// PROGRAM_MISSING.
func (f Found) Missing() error {
	how := f.Program.Profile.Install()
	if how == "" {
		how = "see that " + f.Program.Executable + " is there and may be executed"
	}
	return brenner.Errorf(brenner.CodeProgramMissing, "the program %s is not installed here", f.Name).
		WithHint(how + "; or start the agents with another program").Try(brenner.Do("program.list"))
}
