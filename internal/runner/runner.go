package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/patience"
	"brenner/program"
)

// Project is the project as a runner asks it.
type Project interface {
	OpenWork(ctx context.Context, req api.OpenWorkRequest) (api.WorkList, error)
	StartRun(ctx context.Context, req api.StartRunRequest) (api.StartedRun, error)
	BeatRuns(ctx context.Context, req api.BeatRunsRequest) (api.Beat, error)
	EndRun(ctx context.Context, req api.EndRunRequest) (api.RunInfo, error)
	Runs(ctx context.Context, req api.ListRunsRequest) (api.RunList, error)
}

// Agent is the project as the agent of a run has it, by the run's token.
type Agent interface {
	ReadMessage(ctx context.Context, req api.MessageRequest) (api.MessageView, error)
	AckMessage(ctx context.Context, req api.MessageRequest) (api.MessageInfo, error)
	AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error)
	Views(ctx context.Context) (api.ViewList, error)
	SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error)
	SessionStatus(ctx context.Context, req api.SessionStatusRequest) (api.SessionStatus, error)
	Task(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error)
}

// Options are what a runner needs.
type Options struct {
	Project Project
	// As gives the project as the agent of a run's token has it.
	As func(ctx context.Context, token string) (Agent, error)
	// Handler serves Brenner's tools to whoever shows a run's token.
	Handler http.Handler
	// Holder gives a request for a file, which that answers too, as one of who was given the
	// ticket that it shows. Nil: there are no files.
	Holder func(*http.Request) (*http.Request, error)
	// Programs says which program starts an agent, resolved for this machine.
	// It fails with UNKNOWN_PROGRAM, PROGRAM_NOT_ALLOWED or INVALID_PROGRAM.
	Programs func(agent api.WorkAgent, settings api.WorkSettings) (Resolved, error)
	// TestAllowed reports whether the person has allowed a test command here.
	TestAllowed func(test string) bool
	// Dir is the project's directory on this machine; empty: it has none here.
	Dir string
	// State is a directory of ours, outside every project, for what runs here.
	State string
	// Environ is our own environment.
	Environ []string
	// Close lets go what the others rest on; nil: nothing.
	Close func() error
	// Tell is told how runs go; it must not wait. Log takes our own troubles.
	Tell func(Progress)
	Log  *slog.Logger

	// Lease, Beat, Grace, Pause and Patience are the defaults if zero; tests are
	// more impatient.
	Lease, Beat, Grace, Pause, Patience time.Duration
}

// Resolved is a program as it is started here, and what it goes by.
type Resolved struct {
	Name    string
	Program program.Program
}

// Progress is something that happened to a run.
type Progress struct {
	Run api.RunInfo `json:"run"`
	// Does is what it does now, Used what it has used so far; of a run that has
	// ended the outcome stands in Run.
	Does string        `json:"does,omitzero"`
	Used program.Usage `json:"used,omitzero"`
	Line string        `json:"-"` // printed just now
	// Refused is work that could not be started; Run says only whose.
	Refused *Refusal `json:"refused,omitzero"`
}

// Runner starts runs.
type Runner struct {
	o      Options
	name   string
	pauses pauses
	server *toolServer
	state  *machine

	mu   sync.Mutex
	live map[string]*beating
	stop context.CancelFunc // ends the beat
	beat sync.WaitGroup
}

// New makes a runner. Its Close must be called.
func New(o Options) (*Runner, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Tell == nil {
		o.Tell = func(Progress) {}
	}
	if o.TestAllowed == nil {
		o.TestAllowed = func(string) bool { return false }
	}
	o.Lease = orDefault(o.Lease, brenner.RunLease)
	o.Beat = orDefault(o.Beat, min(time.Second, o.Lease/4))
	o.Grace = orDefault(o.Grace, brenner.StopGrace)
	o.Patience = orDefault(o.Patience, brenner.CallPatience)
	state, err := openMachine(o.State)
	if err != nil {
		return nil, err
	}
	r := &Runner{o: o, name: Name(self()), state: state, live: map[string]*beating{}, pauses: defaultPauses()}
	r.pauses.first = orDefault(o.Pause, r.pauses.first)
	if r.server, err = serveTools(o.Handler, o.Holder, o.Patience, o.Log); err != nil {
		return nil, errors.Join(err, state.close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	r.beat.Go(func() { r.beats(ctx) })
	return r, nil
}

func orDefault(v, standard time.Duration) time.Duration {
	if v <= 0 {
		return standard
	}
	return v
}

// Close ends what the runner serves. Its runs must have ended.
func (r *Runner) Close() error {
	r.stop()
	r.beat.Wait()
	err := errors.Join(r.server.Close(), r.state.close())
	if r.o.Close != nil {
		err = errors.Join(err, r.o.Close())
	}
	return err
}

// Name names a runner by its machine, its process and when that started, so
// that a later one on the machine can tell whether it is still there.
func Name(p processID) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, p.PID, p.Start)
}

// Job is a piece of work for one agent with its program.
type Job struct {
	Work     api.Work
	Agent    brenner.ActorName
	Program  Resolved
	Settings api.WorkSettings
	// Again starts what was answered or has failed too often.
	Again bool
}

// Do takes a piece of work and does it, from the first record to the last. The
// error says that the run could not be taken; how it went stands in the run.
// When the context ends the run is stopped.
func (r *Runner) Do(ctx context.Context, job Job) (api.RunInfo, error) {
	p := job.Program.Program
	run, err := r.take(ctx, api.StartRunRequest{
		Work: job.Work, Agent: job.Agent, Runner: r.name, Lease: api.Duration(r.o.Lease), Again: job.Again,
		Program: api.RunProgram{
			Name: job.Program.Name, Profile: p.Profile, Model: p.Model, Tools: p.Tools, Directory: p.Directory,
			Digest: p.Digest(), Bound: p.Bounds.Cost, TellsCost: p.Profile.Tells().Cost,
		},
	})
	if err != nil {
		return api.RunInfo{}, err
	}
	return r.carry(ctx, run, p)
}

// take takes a piece of work. When the project went away before it could say
// that the run is ours, the run is given back, for nobody knows its token, and
// taken anew.
func (r *Runner) take(ctx context.Context, req api.StartRunRequest) (api.StartedRun, error) {
	for {
		req.Key = rand.Text()
		run, err := patience.Call(r.patient(ctx), func(ctx context.Context) (api.StartedRun, error) {
			return r.o.Project.StartRun(ctx, req)
		})
		if err != nil || run.Token != "" {
			return run, err
		}
		_, err = r.record(ctx, api.EndRunRequest{
			ID: run.ID, Runner: r.name,
			RunEnd: api.RunEnd{Outcome: api.OutcomeLost, Cause: program.LostTouch, Said: "the project went away while it was started"},
		})
		if err != nil {
			return api.StartedRun{}, err
		}
	}
}

// patient lets calls wait for a project that is away.
func (r *Runner) patient(ctx context.Context) context.Context {
	return patience.With(ctx, r.o.Patience, nil)
}

// carry does a run that has been taken.
func (r *Runner) carry(ctx context.Context, run api.StartedRun, p program.Program) (api.RunInfo, error) {
	under, end := context.WithCancelCause(ctx)
	defer end(nil)
	bounded, cancel := context.WithTimeout(under, time.Duration(p.Bounds.Time))
	defer cancel()
	b := r.join(run, end)
	r.o.Tell(Progress{Run: run.RunInfo, Does: "starts"})
	ended, log, change := r.work(bounded, run, p, b, end)
	info, err := r.finish(ctx, run, ended, log, change, b)
	r.leave(run.ID)
	if err != nil {
		return run.RunInfo, err // it was started all the same
	}
	r.o.Tell(Progress{Run: info, Used: info.Usage})
	return info, nil
}

// work is everything between taking a run and ending it.
func (r *Runner) work(ctx context.Context, run api.StartedRun, p program.Program, b *beating, end context.CancelCauseFunc) (api.RunEnd, *transcript, *api.CodeChange) {
	env := buildEnvironment(r.o.Environ, p, run.Agent, run.ID, run.Token)
	log := newTranscript(env.secrets, func(line string) { r.o.Tell(Progress{Run: run.RunInfo, Line: line}) })
	fail := func(err error) (api.RunEnd, *transcript, *api.CodeChange) {
		log.note("%v", err)
		return outcomeOf(ctx, failedWith(err)), log, nil
	}
	file, err := r.state.begin(run.ID, rand.Text())
	defer file.done()
	if err != nil {
		return fail(err) // what nobody could find again is not started
	}
	b.follow(log, file)
	defer b.follow(nil, nil)
	place, err := makePlace(ctx, file.dir, run.ID, r.o.Dir, p.Directory)
	if place != nil {
		defer func() { r.forget(place, run.ID) }()
	}
	if err == nil {
		err = file.keep(place)
	}
	if err != nil {
		return fail(err)
	}
	ctx = r.patient(ctx)
	found, err := patience.Call(ctx, func(ctx context.Context) (Agent, error) { return r.o.As(ctx, run.Token) })
	if err != nil {
		return fail(err)
	}
	agent := patientAgent{found}
	prompt, invocation, err := r.prompt(ctx, agent, run)
	if err != nil {
		return fail(err)
	}
	away := r.server.admit(run.Token)
	defer r.server.dismiss(run.Token)
	l := &live{
		run: run, program: p, place: place, env: env, url: r.server.url, token: run.Token, grace: r.o.Grace,
		mark: file.mark, record: file.process, log: log, away: away,
	}
	l.meter = &meter{bounds: p.Bounds, stop: func(c program.Cause) { end(causeError{cause: c}) }, tell: func(does string, used program.Usage) {
		if does = log.strike.Replace(does); b.does(does, used) {
			r.o.Tell(Progress{Run: run.RunInfo, Does: does, Used: used})
		}
	}}
	ended := r.converse(ctx, l, agent, prompt)
	ended.Context = invocation
	change, notes := r.changeOf(context.WithoutCancel(ctx), run, place, ended)
	ended.Notes = append(ended.Notes, notes...)
	if change != nil {
		ended.Branch, ended.Base = change.Branch, change.Base
	}
	return ended, log, change
}

// forget removes what a run leaves on the disk.
func (r *Runner) forget(p *place, run string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.remove(ctx); err != nil {
		r.o.Log.Warn("the directory of a run cannot be removed", "run", run, "cause", err)
	}
}

// endDeadline bounds how long an end that cannot be recorded is tried again, in
// parts of the lease: after that the project knows the run as lost.
const endDeadline = 2

// finish records the end of a run, unless the project has done so.
func (r *Runner) finish(ctx context.Context, run api.StartedRun, ended api.RunEnd, log *transcript, change *api.CodeChange, b *beating) (api.RunInfo, error) {
	if b.isGone() {
		run.RunInfo.State, run.RunInfo.RunEnd = api.RunEnded, ended
		return run.RunInfo, nil // the project has ended it already
	}
	// What is said of the end stands in the record, where nothing can be redacted.
	ended.Said = log.strike.Replace(ended.Said)
	for i, note := range ended.Notes {
		ended.Notes[i] = log.strike.Replace(note)
	}
	return r.record(ctx, api.EndRunRequest{ID: run.ID, Runner: r.name, RunEnd: ended, Transcript: log.text(), Change: change})
}

// record writes the end of a run down, again and again while the project cannot
// be reached and the lease lasts.
func (r *Runner) record(ctx context.Context, req api.EndRunRequest) (api.RunInfo, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.o.Lease/endDeadline)
	defer cancel()
	req.Key = rand.Text()
	wait := 100 * time.Millisecond
	for {
		info, err := r.o.Project.EndRun(ctx, req)
		if err == nil || brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassUnavailable || !sleep(ctx, wait) {
			return info, err
		}
		wait = min(2*wait, 5*time.Second)
	}
}
