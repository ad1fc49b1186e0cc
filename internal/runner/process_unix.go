//go:build unix && !linux

package runner

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// startGroup starts a process as the leader of a session of its own: it has no
// terminal to ask at, and its children can be ended with it.
func startGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// reap waits until a process has ended, and ends what it leaves behind.
func reap(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid)
	return err
}

func endGroup(pid int)  { _ = syscall.Kill(-pid, syscall.SIGTERM) }
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
func releaseGroup(int)  {}

func signalOf(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

// startOf says when a process started, "" if there is none.
func startOf(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// sweep has no way to find processes that left their group here.
func sweep(string) {}
