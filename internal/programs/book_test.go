package programs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/programs"
	"brenner/program"
)

// finder looks programs up in a project whose configuration names some, on a
// machine where everything is installed.
func finder(t *testing.T, path string) programs.Finder {
	t.Helper()
	b, err := programs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return programs.Finder{
		Book: b, Project: "p1", Dir: "/project",
		Look: func(name string) (string, error) { return filepath.Join("/bin", filepath.Base(name)), nil },
		Programs: map[string]program.Program{
			"fast":   {Profile: program.Claude, Model: "haiku"},
			"wide":   {Profile: program.Claude, Tools: program.Shell},
			"script": {Profile: program.Script, File: "play.txt"},
		},
	}
}

func find(t *testing.T, f programs.Finder, name string, s api.WorkSettings) programs.Found {
	t.Helper()
	found, err := f.Find(name, "", s)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// W2: a project may name a profile and a model; what else it asks for has to be
// allowed here, exactly, and a change asks again.
func TestFind_WhatAProjectAsksForHasToBeAllowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own", "programs.json")
	f := finder(t, path)
	for name, allowed := range map[string]bool{"fast": true, "claude": true, "codex-cli": true, "wide": false, "script": false} {
		if got := find(t, f, name, api.WorkSettings{}); got.Allowed != allowed {
			t.Errorf("%s: allowed is %v", name, got.Allowed)
		}
	}
	wide := find(t, f, "wide", api.WorkSettings{})
	if err := wide.Refused(); !errors.Is(err, brenner.CodeProgramNotAllowed) {
		t.Errorf("refused with %v", err)
	}
	if err := f.Allow(wide, time.Now()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	f = finder(t, path) // it was written down
	if !find(t, f, "wide", api.WorkSettings{}).Allowed {
		t.Error("what was allowed is not")
	}
	f.Programs["wide"] = program.Program{Profile: program.Claude, Tools: program.Shell, Args: []string{"--debug"}}
	if find(t, f, "wide", api.WorkSettings{}).Allowed {
		t.Error("a change does not ask again")
	}
	f = finder(t, path)
	f.Project = "p2"
	if find(t, f, "wide", api.WorkSettings{}).Allowed {
		t.Error("what is allowed in one project is allowed in another")
	}
}

// W5: what a task asks for beyond its program has to be allowed like the rest.
func TestFind_ATaskWidensNothingByItself(t *testing.T) {
	f := finder(t, filepath.Join(t.TempDir(), "programs.json"))
	got := find(t, f, "fast", api.WorkSettings{Tools: program.Shell, Directory: program.Worktree})
	if got.Allowed || got.Program.Tools != program.Shell || got.Program.Directory != program.Worktree {
		t.Errorf("got %+v", got)
	}
	if err := f.Book.SetOwn("mine", program.Program{Profile: program.Claude, Tools: program.Edit}); err != nil {
		t.Fatal(err)
	}
	if !find(t, f, "mine", api.WorkSettings{}).Allowed {
		t.Error("the user's own program is not allowed")
	}
	if find(t, f, "mine", api.WorkSettings{Tools: program.Shell}).Allowed {
		t.Error("a task widens the user's own program")
	}
}

// W15: a test command is allowed by its words.
func TestAllowTest_IsForThatCommand(t *testing.T) {
	f := finder(t, filepath.Join(t.TempDir(), "programs.json"))
	if f.TestAllowed("make test") {
		t.Error("allowed before")
	}
	if err := f.AllowTest("make test", time.Now()); err != nil {
		t.Fatal(err)
	}
	if !f.TestAllowed("make test") || f.TestAllowed("make test; rm -rf /") {
		t.Error("not that command, or another")
	}
}

func TestFind_NamesWhatThereIs(t *testing.T) {
	f := finder(t, filepath.Join(t.TempDir(), "programs.json"))
	for _, name := range []string{"", "clade"} {
		if _, err := f.Find(name, "", api.WorkSettings{}); !errors.Is(err, brenner.CodeUnknownProgram) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := f.Book.SetDefault("codex"); err != nil {
		t.Fatal(err)
	}
	if got := find(t, f, "", api.WorkSettings{}); got.Program.Profile != program.Codex {
		t.Errorf("the default: %+v", got)
	}
	if got := find(t, f, "script", api.WorkSettings{}); got.Program.File != "/project/play.txt" {
		t.Errorf("the script is looked for at %s", got.Program.File)
	}
}

// W2: a file that others can write says nothing about what its owner allows.
func TestOpen_RefusesAFileThatOthersCanWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "programs.json")
	for text, mode := range map[string]os.FileMode{`{"version":1}`: 0o644, `{"version":1,"programs":{"x":{"profile":"vim"}}}`: 0o600, `{"versions":1}`: 0o600} {
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := programs.Open(path); !errors.Is(err, brenner.CodeFileError) {
			t.Errorf("%s with mode %o: %v", text, mode, err)
		}
	}
}

// W2: what is allowed is what the files hold that a program runs: a script whose
// bytes changed asks again, and what was allowed by its path alone asks once.
func TestFind_AChangedScriptAsksAgain(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	agent := write("agent.sh", "#!/bin/sh\ncat\n")
	write("tool.py", "print(1)\n")
	f := finder(t, filepath.Join(dir, "own", "programs.json"))
	f.Dir, f.Look = dir, func(name string) (string, error) { return name, nil }
	f.Programs = map[string]program.Program{
		"command": {Profile: program.Command, Executable: agent},
		"args":    {Profile: program.Claude, Executable: agent, Args: []string{"tool.py", "--mode", "fast"}},
		"equals":  {Profile: program.Command, Executable: "/bin/no-such-shell", Args: []string{"--run=tool.py"}},
	}
	for _, tt := range []struct {
		name  string
		files int
		moves string
	}{{"command", 1, "agent.sh"}, {"args", 2, "tool.py"}, {"equals", 1, "tool.py"}} {
		found := find(t, f, tt.name, api.WorkSettings{})
		if len(found.Files) != tt.files || found.Digest == found.Program.Digest() {
			t.Errorf("%s runs %v, digest %s", tt.name, found.Files, found.Digest)
		}
		if err := f.Allow(found, time.Now()); err != nil {
			t.Fatal(err)
		}
		if !find(t, f, tt.name, api.WorkSettings{}).Allowed {
			t.Errorf("%s is not allowed as it is", tt.name)
		}
		before, err := os.ReadFile(filepath.Join(dir, tt.moves))
		if err != nil {
			t.Fatal(err)
		}
		write(tt.moves, string(before)+"# and more\n")
		if find(t, f, tt.name, api.WorkSettings{}).Allowed {
			t.Errorf("%s: a changed %s does not ask again", tt.name, tt.moves)
		}
		write(tt.moves, string(before))
		if !find(t, f, tt.name, api.WorkSettings{}).Allowed {
			t.Errorf("%s: the same %s as before asks again", tt.name, tt.moves)
		}
	}
}
