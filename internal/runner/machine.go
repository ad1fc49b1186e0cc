package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"brenner"
	"brenner/api"
	"brenner/canon"
)

// machine is what runs of ours leave on the disk of this machine while they
// last: their directories, and which processes are theirs. It lies outside
// every project, and tells the next runner what a dead one left behind (W16).
type machine struct {
	dir string
	// save writes a file; a disk of tests is full.
	save func(name string, data []byte, perm os.FileMode) error
}

// openMachine takes a directory that is ours alone.
func openMachine(dir string) (*machine, error) {
	if dir == "" {
		return nil, brenner.Errorf(brenner.CodeFileError, "there is no place for what runs leave on this machine").WithHint("set HOME or XDG_STATE_HOME")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, brenner.Errorf(brenner.CodeFileError, "%s cannot be made", dir).Because(err)
	}
	return &machine{dir: dir, save: os.WriteFile}, nil
}

func (m *machine) close() error { return nil }

// trace is the file about one run.
type trace struct {
	Run    string    `json:"run"`
	Mark   string    `json:"mark"`
	Runner processID `json:"runner"`
	// Process leads the group of the program under way.
	Process processID `json:"process,omitzero"`
	// Repository and Branch are those of a worktree, Tree is where it is.
	Repository string `json:"repository,omitzero"`
	Branch     string `json:"branch,omitzero"`
	Tree       string `json:"tree,omitzero"`
}

// runFile is the trace of a run under way.
type runFile struct {
	*machine
	dir  string
	mark string
	path string

	mu    sync.Mutex
	trace trace
	said  api.RunBeat
}

// traceName is the file in the directory of a run.
const traceName = "run.json"

// begin makes the directory of a run, named so that no other run has it, and
// writes down whose it is before anything is started in it. The name says whose
// it is as well, for as long as the file does not, or not any more.
func (m *machine) begin(run, mark string) (*runFile, error) {
	owner := self()
	f := &runFile{machine: m, dir: filepath.Join(m.dir, run+"-"+mark[:8]+"-"+strconv.Itoa(owner.PID)), mark: mark}
	f.path = filepath.Join(f.dir, traceName)
	f.trace = trace{Run: run, Mark: mark, Runner: owner}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return f, err
	}
	return f, f.write()
}

// write replaces the file as a whole.
func (f *runFile) write() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	part := f.path + ".new"
	if err := f.save(part, canon.MustMarshal(f.trace), 0o600); err != nil {
		return err
	}
	return os.Rename(part, f.path)
}

// process notes the process that was started. Should that fail, it can still be
// told by its mark.
func (f *runFile) process(p processID) {
	f.mu.Lock()
	f.trace.Process = p
	f.mu.Unlock()
	_ = f.write()
}

// keep notes what must be taken apart with git.
func (f *runFile) keep(p *place) error {
	if p.tree == nil {
		return nil
	}
	f.mu.Lock()
	f.trace.Repository, f.trace.Branch, f.trace.Tree = p.tree.repo.dir, p.tree.branch, p.tree.dir
	f.mu.Unlock()
	return f.write()
}

// done removes the directory of a run that left nothing.
func (f *runFile) done() { _ = removeAll(f.dir) }

// leftovers lists the traces of runners that are gone.
func (m *machine) leftovers() []*runFile {
	dirs, _ := filepath.Glob(filepath.Join(m.dir, "*"))
	var out []*runFile
	for _, dir := range dirs {
		f := &runFile{machine: m, dir: dir, path: filepath.Join(dir, traceName)}
		raw, err := os.ReadFile(f.path)
		if err == nil && len(raw) <= 64<<10 {
			err = canon.Unmarshal(raw, &f.trace)
		}
		switch {
		case err != nil && f.abandoned(), err == nil && !f.trace.Runner.alive():
			f.mark = f.trace.Mark
			out = append(out, f)
		}
	}
	return out
}

// abandoned reports whether the process that made a directory is gone, of one
// that does not say more: its runner died before anything was started in it, or
// when all but the directory itself was over.
func (f *runFile) abandoned() bool {
	pid, err := strconv.Atoi(f.dir[strings.LastIndexByte(f.dir, '-')+1:])
	return err == nil && pid > 0 && startOf(pid) == ""
}

// end ends the processes of a run whose runner is gone. Its directory stays
// until its worktree has been looked after.
func (f *runFile) end() {
	if f.trace.Process.alive() {
		killGroup(f.trace.Process.PID)
	}
	sweep(f.trace.Mark)
}
