//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// J8: what is no file is written to, and stays what it is.
func TestExport_IntoAPipeLeavesIt(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	pipe := filepath.Join(home.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	came := make(chan string, 1)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			came <- err.Error()
			return
		}
		defer func() { _ = f.Close() }()
		data, err := io.ReadAll(f)
		if err != nil {
			came <- err.Error()
			return
		}
		came <- string(data)
	}()
	home.must("export", pipe)
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Fatalf("the pipe is %v, %v", info.Mode(), err)
	}
	if got := <-came; !strings.Contains(got, `"footer"`) {
		t.Errorf("what came is %.200q", got)
	}
}
