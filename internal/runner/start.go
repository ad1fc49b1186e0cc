package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/patience"
	"brenner/program"
)

// starter starts the program of one run, as often as the run needs it.
type starter interface {
	// start asks once and waits for the end. The context bounds it.
	start(ctx context.Context, q question) program.Result
	// close lets go what it holds.
	close()
}

// question is what a program is asked in one start.
type question struct {
	prompt string
	// resume goes on with a conversation; empty: a new one.
	resume string
	// number counts the questions of the run, from 0.
	number int
}

// live is a run under way, as its starter sees it.
type live struct {
	run     api.StartedRun
	program program.Program
	place   *place
	env     environment
	url     string // of the tools
	token   string
	grace   time.Duration
	mark    string
	// record tells the machine which processes are ours.
	record func(processID)
	log    *transcript
	meter  *meter
	// away says that the project stayed away from a call of the program.
	away *atomic.Bool
}

func (l *live) starter() starter {
	switch l.program.Profile {
	case program.OpenAI:
		return &chatStarter{live: l}
	case program.Script:
		return &scriptStarter{live: l}
	}
	return &processStarter{live: l}
}

// meter watches what a run uses up and ends it at a bound (W9).
type meter struct {
	bounds program.Bounds
	// stop ends the run with a cause.
	stop func(program.Cause)
	// tell is told what the run does.
	tell func(does string, used program.Usage)

	mu     sync.Mutex
	before program.Usage // of earlier starts
	now    program.Usage // of this one
}

// used takes what the present start has used so far.
func (m *meter) used(u program.Usage) {
	m.mu.Lock()
	m.now = u
	sum := m.before.Plus(u)
	m.mu.Unlock()
	if cause := sum.Over(m.bounds); cause != program.Fine {
		m.stop(cause)
	}
}

// does says what the program does now.
func (m *meter) does(what string) {
	m.tell(what, m.sum())
}

// sum is what the run has used.
func (m *meter) sum() program.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.before.Plus(m.now)
}

// close adds what a start has used. Where the program counts the whole
// conversation, that takes the place of what was counted for it before.
func (m *meter) close(r program.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case r.Total && r.Usage.Tokens != nil:
		turns := m.before.Turns + r.Usage.Turns
		m.before = r.Usage
		m.before.Turns = turns
	default:
		m.before = m.before.Plus(r.Usage)
	}
	m.now = program.Usage{}
}

// processStarter starts a process.
type processStarter struct {
	*live
}

func (s *processStarter) start(ctx context.Context, q question) program.Result {
	launch := program.Launch{
		Program: s.program, Prompt: q.prompt, Resume: q.resume, URL: s.url,
		Private: s.place.private, Home: s.env.home(), Set: s.env.set,
	}
	cmd := launch.Cmd()
	if err := s.place.write(cmd); err != nil {
		return failedWith(fmt.Errorf("its files cannot be written: %w", err))
	}
	s.log.note("%s starts %s", time.Now().UTC().Format(time.RFC3339), cmd.Path)
	reader := program.NewReader(s.program.Profile)
	exit, err := command{
		path: cmd.Path, args: cmd.Args, dir: s.place.dir, env: s.env.with(cmd.Env), input: cmd.Input, mark: s.mark,
		started: s.record,
		out: func(line []byte) {
			s.take(line)
			for _, e := range reader.Line(line) {
				s.meter.does(e.Does)
			}
			s.meter.used(reader.Usage())
		},
		errs: s.take,
	}.run(ctx, s.grace)
	if err != nil {
		return program.Result{Cause: notStarted(err), Said: err.Error()}
	}
	r := reader.End(exit)
	s.log.note("%s ended with %s", time.Now().UTC().Format(time.RFC3339), describeExit(exit))
	r.Exit = &exit
	return r
}

// take keeps a line, and ends a run that prints too much.
func (s *processStarter) take(line []byte) {
	s.log.line(line)
	if s.log.bytes() > s.program.Bounds.Output {
		s.meter.stop(program.OutOfOutput)
	}
}

func (s *processStarter) close() {}

func notStarted(err error) program.Cause {
	if fullDisk(err) {
		return program.DiskFull
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, exec.ErrDot) {
		return program.NotInstalled
	}
	return program.Crashed
}

func describeExit(x program.Exit) string {
	if x.Signal != "" {
		return "signal " + x.Signal
	}
	return "status " + strconv.Itoa(x.Code)
}

// canceledBy is why the context of a run has ended.
func canceledBy(ctx context.Context) program.Cause {
	var c causeError
	if errors.As(context.Cause(ctx), &c) {
		return c.cause
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return program.OutOfTime
	}
	return program.Stopped
}

// saidBy is what the one said who ended the context of a run.
func saidBy(ctx context.Context) string {
	var c causeError
	switch {
	case errors.As(context.Cause(ctx), &c):
		return c.said
	case canceledBy(ctx) == program.Stopped:
		return "its runner was interrupted"
	}
	return ""
}

// causeError ends the context of a run.
type causeError struct {
	cause program.Cause
	// said is the reason in the words of whoever stopped it.
	said string
}

func (e causeError) Error() string { return e.cause.Sentence() }

// failedWith turns an error of ours into a result.
func failedWith(err error) program.Result {
	cause := program.NotReady
	switch {
	case patience.Passing(err):
		cause = program.ProjectAway
	case fullDisk(err):
		cause = program.DiskFull
	}
	return program.Result{Cause: cause, Said: err.Error()}
}

// fullDisk reports that the disk of this machine, or of the project's store, has
// no room.
func fullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, brenner.CodeStoreFull) || errors.Is(err, brenner.CodeDiskFull)
}
