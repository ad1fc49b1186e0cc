package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Somebody whom permissions bind (nobody, if we are root) asks about a project
// file of another: one that may not be written, one whose schema is older than
// this program and cannot be brought up to date, one beside which nothing can
// be written, one that may not be read.
func TestDoctor_NamesWrongPermissionsAndAnOldSchema(t *testing.T) {
	s := newShell(t)
	s.must("init", "--name", "Fate", "--pi", "ada")
	home := filepath.Join(s.dir, ".brenner")
	file := filepath.Join(home, "brenner.db")
	program := filepath.Join(s.dir, "brenner")
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := s.dir; dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(fileMode, dirMode os.FileMode, want ...string) {
		t.Helper()
		for name, mode := range map[string]os.FileMode{file: fileMode, home: dirMode} {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(program, "doctor")
		cmd.Dir = s.dir
		cmd.Env = append(os.Environ(), runVariable+"=1", "HOME=/nonexistent")
		if os.Geteuid() == 0 {
			const nobody = 65534
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("doctor finds nothing:\n%s", out)
		}
		for _, line := range want {
			if !strings.Contains(string(out), line) {
				t.Errorf("modes %o, %o: doctor does not print %q:\n%s", fileMode, dirMode, line, out)
			}
		}
	}
	t.Cleanup(func() { _ = os.Chmod(home, 0o700) })
	ask(0o444, 0o777, "FAIL permissions: you may not write the project file (mode 444)", "hint: chmod 600 ")
	ask(0o666, 0o555, "FAIL permissions: the directory of the project file cannot be written", "hint: SQLite keeps its log beside the file")
	ask(0o000, 0o777, "FAIL permissions: you may not write", "FAIL store: ", "hint: check the permissions of the file")
	setSchema(t, file, "0")
	ask(0o444, 0o777, "FAIL store: ", "hint: its schema is older than this program; open it once where it can be written")
}
