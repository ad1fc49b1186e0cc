package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"brenner"
	"brenner/program"
)

// command is a process to be.
type command struct {
	path  string
	args  []string
	dir   string
	env   []string
	input string
	// mark is the value of markVariable, by which every process of the run can
	// be told even when it has left the group.
	mark string
	// out and errs take what it prints, line by line.
	out, errs func(line []byte)
	// started is told the process before it can have done much.
	started func(processID)
}

// markVariable marks every process of a run.
const markVariable = "BRENNER_RUN_MARK"

// processID tells a process from every other one, before and after it: its
// number is used again, its number with the time of its start is not.
type processID struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// self names the process we are.
func self() processID {
	pid := os.Getpid()
	return processID{PID: pid, Start: startOf(pid)}
}

// alive reports whether the process is still there.
func (p processID) alive() bool { return p.PID > 0 && p.Start != "" && startOf(p.PID) == p.Start }

// drain is how long a pipe may stay open when its process is gone: somebody
// else holds it.
const drain = 2 * time.Second

// run starts the process and waits until it and all that it has started are
// gone. When the context ends, the whole group is asked to end, and killed
// after the grace. It fails only when the process could not be started.
func (c command) run(ctx context.Context, grace time.Duration) (program.Exit, error) {
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir, cmd.Env = c.dir, slices.Concat(c.env, []string{markVariable + "=" + c.mark})
	outR, outW, err := os.Pipe()
	if err != nil {
		return program.Exit{}, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return program.Exit{}, errors.Join(err, outR.Close(), outW.Close())
	}
	cmd.Stdout, cmd.Stderr = outW, errW
	// What it is told goes through a pipe that ends: it cannot wait for more.
	in, err := cmd.StdinPipe()
	if err == nil {
		err = startGroup(cmd)
	}
	closed := errors.Join(outW.Close(), errW.Close())
	if err = errors.Join(err, closed); err != nil {
		return program.Exit{}, errors.Join(err, outR.Close(), errR.Close())
	}
	id := processID{PID: cmd.Process.Pid, Start: startOf(cmd.Process.Pid)}
	if c.started != nil {
		c.started(id)
	}
	go func() {
		_, _ = io.WriteString(in, c.input) // one that does not listen is its own affair
		_ = in.Close()
	}()
	tail := &lastBytes{most: 16 << 10}
	read := make(chan struct{}, 2)
	go func() { lines(outR, c.out); read <- struct{}{} }()
	go func() {
		lines(errR, func(line []byte) { tail.add(line); c.errs(line) })
		read <- struct{}{}
	}()
	exit := c.wait(ctx, cmd, id.PID, grace)
	sweep(c.mark)
	timer := time.AfterFunc(drain, func() { _ = outR.Close(); _ = errR.Close() })
	<-read
	<-read
	timer.Stop()
	_, _ = outR.Close(), errR.Close()
	releaseGroup(id.PID)
	exit.Errors = tail.String()
	return exit, nil
}

// wait waits for the process, and ends its group when the context is done.
func (c command) wait(ctx context.Context, cmd *exec.Cmd, pid int, grace time.Duration) program.Exit {
	gone := make(chan error, 1)
	go func() { gone <- reap(cmd) }()
	select {
	case err := <-gone:
		return exitOf(cmd, err)
	case <-ctx.Done():
	}
	endGroup(pid)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-gone:
		return exitOf(cmd, err)
	case <-timer.C:
	}
	killGroup(pid)
	return exitOf(cmd, <-gone)
}

func exitOf(cmd *exec.Cmd, err error) program.Exit {
	x := program.Exit{Code: cmd.ProcessState.ExitCode(), Signal: signalOf(cmd.ProcessState)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && x.Code == 0 {
		x.Code = -1
	}
	return x
}

// lines hands over each line without its end. Of a line that is too long the
// beginning is handed over and the rest passed over.
func lines(r io.Reader, take func([]byte)) {
	buffer := make([]byte, 0, 64<<10)
	chunk := make([]byte, 32<<10)
	over := false
	for {
		n, err := r.Read(chunk)
		rest := chunk[:n]
		for len(rest) > 0 {
			i := bytes.IndexByte(rest, '\n')
			part := rest
			if i >= 0 {
				part = rest[:i]
			}
			if room := brenner.MaxRunLine - len(buffer); !over {
				buffer = append(buffer, part[:min(len(part), room)]...)
				over = len(part) > room
			}
			if i < 0 {
				break
			}
			take(bytes.TrimSuffix(buffer, []byte("\r")))
			buffer, over, rest = buffer[:0], false, rest[i+1:]
			if cap(buffer) > 1<<20 {
				buffer = make([]byte, 0, 64<<10)
			}
		}
		if err != nil {
			if len(buffer) > 0 {
				take(buffer)
			}
			return
		}
	}
}

// lastBytes keeps the end of what it is given.
type lastBytes struct {
	most int
	kept []byte
}

func (l *lastBytes) add(line []byte) {
	l.kept = append(append(l.kept, line...), '\n')
	if over := len(l.kept) - l.most; over > 0 {
		l.kept = append(l.kept[:0], l.kept[over:]...)
	}
}

func (l *lastBytes) String() string { return string(l.kept) }
