package runner

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A child dies with the thread that started it, not with its process, when it
// has asked for a signal at its parent's death: so one thread that never ends
// starts them all.
var starts = sync.OnceValue(func() chan start {
	queue := make(chan start)
	go func() {
		runtime.LockOSThread()
		for s := range queue {
			s.done <- s.cmd.Start()
		}
	}()
	return queue
})

type start struct {
	cmd  *exec.Cmd
	done chan error
}

// startGroup starts a process as the leader of a session of its own: it has no
// terminal to ask at, its children can be ended with it, and it dies when we
// do.
func startGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	s := start{cmd, make(chan error)}
	starts() <- s
	return <-s.done
}

// reap waits until a process has ended, and ends what it leaves behind in its
// group while its number cannot be anybody else's yet.
func reap(cmd *exec.Cmd) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	killGroup(cmd.Process.Pid)
	return cmd.Wait()
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

// bootID makes the start of a process one of this boot.
var bootID = sync.OnceValue(func() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
})

// startOf says when a process started, "" if there is none or it is only
// waiting to be buried.
func startOf(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name of the program stands in parentheses and may hold anything.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19] + "@" + bootID()
}

// sweep kills every process that carries a mark, wherever it has gone.
func sweep(mark string) {
	if mark == "" {
		return
	}
	for range 3 { // one that forks while we look is found the next time
		if !killMarked(mark) {
			return
		}
	}
}

func killMarked(mark string) (found bool) {
	want := []byte(markVariable + "=" + mark)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, want) {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
				if startOf(pid) != "" && syscall.Kill(pid, syscall.SIGKILL) == nil {
					found = true
				}
			}
		}
	}
	return found
}
