package program

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/internal/lazy"
)

// Program is how an agent is started. The zero value of every field but
// Profile means what the profile says.
type Program struct {
	Profile Profile `json:"profile"`
	// Model is the model's name as the program knows it; empty: its default.
	Model string `json:"model,omitzero"`

	// Executable is a name to be found on PATH, or an absolute path.
	Executable string `json:"executable,omitzero"`
	// Args are added to those of the profile.
	Args []string `json:"args,omitzero"`
	// Env names further variables that the program is given, if they are set.
	Env []string `json:"env,omitzero"`
	// Endpoint is the address up to /v1 that openai asks; Key names the
	// variable with its key.
	Endpoint string `json:"endpoint,omitzero"`
	Key      string `json:"key,omitzero"`
	// File is what script answers from.
	File string `json:"file,omitzero"`

	Tools     Tools     `json:"tools,omitzero"`
	Directory Directory `json:"directory,omitzero"`
	Bounds    Bounds    `json:"bounds,omitzero"`
}

// Tools is what a run may use besides Brenner's own tools (W5).
type Tools string

// The tools, each with those before it.
const (
	NoTools Tools = "none"  // nothing; in a worktree, reading files
	Edit    Tools = "edit"  // reading and changing the files of its directory
	Shell   Tools = "shell" // running commands
)

// Known reports whether there are such tools.
func (t Tools) Known() bool { return t == NoTools || t == Edit || t == Shell }

// Directory is where a run works (W4).
type Directory string

// The directories.
const (
	Scratch  Directory = "scratch"  // an empty one, removed afterwards
	Worktree Directory = "worktree" // a git worktree on a branch of the run's own
	Here     Directory = "here"     // the project's directory
)

// Known reports whether there is such a directory.
func (d Directory) Known() bool { return d == Scratch || d == Worktree || d == Here }

// Bounds are what a run may use up (W9). 0 means the default; a default of 0
// means no bound.
type Bounds struct {
	Time   brenner.Duration `json:"time,omitzero"`
	Output int64            `json:"output,omitzero"` // bytes printed
	Turns  int              `json:"turns,omitzero"`
	Tokens int64            `json:"tokens,omitzero"` // read and written, cached ones not counted
	Cost   Money            `json:"cost,omitzero"`
}

// DefaultBounds hold where a program says nothing.
var DefaultBounds = Bounds{
	Time:   brenner.Duration(brenner.DefaultRunTime),
	Output: brenner.DefaultRunOutput,
	Turns:  brenner.DefaultRunTurns,
	Tokens: brenner.DefaultRunTokens,
}

// The forms of what ends up on a command line. A model cannot pass for a flag.
var (
	modelForm    = lazy.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,127}$`)
	nameForm     = lazy.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	variableForm = lazy.NewPattern(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

// CheckName refuses what cannot be the name of a program in a configuration.
func CheckName(name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return brenner.Errorf(brenner.CodeInvalidID, "%q is not the name of a program", brenner.Clip(name, 80)).
		WithHint("use letters, digits, dots, dashes and underscores, at most 64")
}

// Parse reads a program as JSON: the name of a profile, or an object. It
// refuses what Check refuses, and unknown members.
func Parse(raw []byte) (Program, error) {
	var p Program
	into := any(&p)
	if strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		into = &p.Profile
	}
	if err := canon.Unmarshal(raw, into); err != nil {
		return Program{}, err
	}
	return p, p.Check()
}

// Check refuses a program that no machine could start, with INVALID_PROGRAM at
// the pointer of what is wrong.
func (p Program) Check() error {
	spec, known := specs[p.Profile]
	if !known {
		return invalid("/profile", "there is no profile %q", brenner.Clip(string(p.Profile), 80)).
			WithHint("profiles: " + strings.Join(names(), ", "))
	}
	if p.Model != "" && !modelForm.MatchString(p.Model) {
		return invalid("/model", "%q cannot be the name of a model", brenner.Clip(p.Model, 80))
	}
	if err := p.checkFields(spec); err != nil {
		return err
	}
	return p.Bounds.check()
}

func (p Program) checkFields(spec spec) error {
	if strings.ContainsAny(p.Executable, "\x00\n") || len(p.Executable) > brenner.MaxProgramArgBytes {
		return invalid("/executable", "the executable is not a file name")
	}
	if len(p.Args) > brenner.MaxProgramArgs || len(p.Env) > brenner.MaxProgramArgs {
		return brenner.Errorf(brenner.CodeLimitExceeded, "a program has at most %d arguments, and variables", brenner.MaxProgramArgs)
	}
	for i, a := range p.Args {
		if strings.Contains(a, "\x00") || len(a) > brenner.MaxProgramArgBytes {
			return invalid(fmt.Sprintf("/args/%d", i), "an argument is too long or contains U+0000")
		}
	}
	for i, name := range p.Env {
		if !variableForm.MatchString(name) {
			return invalid(fmt.Sprintf("/env/%d", i), "%q is not the name of a variable", brenner.Clip(name, 80)).
				WithHint("name the variable alone; its value comes from your environment")
		}
		if strings.HasPrefix(name, "BRENNER_") {
			return invalid(fmt.Sprintf("/env/%d", i), "%s is about you, not about the agent", name)
		}
	}
	switch {
	case p.Key != "" && !variableForm.MatchString(p.Key):
		return invalid("/key", "the key is named by its variable, never written down")
	case !slices.Contains([]Tools{"", NoTools, Edit, Shell}, p.Tools):
		return invalid("/tools", "tools are none, edit or shell")
	case !slices.Contains([]Directory{"", Scratch, Worktree, Here}, p.Directory):
		return invalid("/directory", "the directory is scratch, worktree or here")
	}
	for _, f := range []struct {
		name        string
		given, used bool
	}{
		{"executable", p.Executable != "", spec.process},
		{"args", len(p.Args) > 0, spec.process},
		{"env", len(p.Env) > 0, spec.process},
		{"endpoint", p.Endpoint != "", p.Profile == OpenAI},
		{"key", p.Key != "", p.Profile == OpenAI},
		{"file", p.File != "", p.Profile == Script},
		{"tools", p.Tools != "" && p.Tools != NoTools, spec.widens},
	} {
		if f.given && !f.used {
			return invalid("/"+f.name, "a program of profile %s has no %s", p.Profile, f.name)
		}
	}
	return p.checkNeeds()
}

// checkNeeds refuses a program that lacks what its profile cannot do without.
func (p Program) checkNeeds() error {
	switch {
	case p.Profile == Command && p.Executable == "":
		return invalid("/executable", "a command needs its executable")
	case p.Profile == Script && p.File == "":
		return invalid("/file", "a script needs its file")
	case p.Profile == OpenAI && p.Model == "":
		return invalid("/model", "the endpoint needs the name of a model")
	case p.Profile == OpenAI:
		u, err := url.Parse(p.Endpoint)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return invalid("/endpoint", "the endpoint is not an http or https address").
				WithHint("give it up to /v1, for example http://127.0.0.1:11434/v1")
		}
	}
	return nil
}

func (b Bounds) check() error {
	switch {
	case b.Time < 0:
		return invalid("/bounds/time", "a bound is not negative").WithHint("write how long a run takes at most, for example 30m")
	case time.Duration(b.Time) > brenner.MaxRunTime:
		return invalid("/bounds/time", "a run takes at most %s", brenner.MaxRunTime)
	case b.Output < 0 || b.Output > brenner.MaxRunOutput:
		return invalid("/bounds/output", "a run prints at most %d bytes", int64(brenner.MaxRunOutput))
	case b.Turns < 0 || b.Tokens < 0 || b.Cost < 0:
		return invalid("/bounds", "a bound is not negative")
	}
	return nil
}

func invalid(pointer, format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidProgram, format, args...).At(pointer)
}

// Within fills what the bounds leave open from others.
func (b Bounds) Within(outer Bounds) Bounds {
	if b.Time == 0 {
		b.Time = outer.Time
	}
	if b.Output == 0 {
		b.Output = outer.Output
	}
	if b.Turns == 0 {
		b.Turns = outer.Turns
	}
	if b.Tokens == 0 {
		b.Tokens = outer.Tokens
	}
	if b.Cost == 0 {
		b.Cost = outer.Cost
	}
	return b
}

// Free reports whether a project may name the program without the person's
// word: a profile that needs nothing else, and a model (W2).
func (p Program) Free() bool {
	p.Model = ""
	return canonical(p) == canonical(Program{Profile: p.Profile}) && specs[p.Profile].free
}

// Resolve gives the program with everything written out, as it would be started
// on a machine where its executable is the file at path ("" for a profile
// without a process). It is what a person allows.
func (p Program) Resolve(path string) Program {
	if specs[p.Profile].process {
		p.Executable = path
	}
	if p.Tools == "" {
		p.Tools = NoTools
	}
	if p.Directory == "" {
		p.Directory = Scratch
	}
	p.Bounds = p.Bounds.Within(DefaultBounds)
	return p
}

// Digest identifies what a person allows: all of a resolved program but its
// model, which a project may choose.
func (p Program) Digest() brenner.Digest {
	p.Model = ""
	return canon.Sum([]byte(canonical(p)))
}

func canonical(p Program) string { return string(canon.MustMarshal(p)) }
