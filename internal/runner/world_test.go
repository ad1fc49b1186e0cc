package runner

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/assembly"
	"brenner/delta"
	"brenner/internal/patience"
	"brenner/program"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// world is a project of one session and some tasks, in memory: what a runner
// sees of one, and nothing more. The real one is tested with the service.
type world struct {
	t *testing.T

	mu      sync.Mutex
	runs    []*api.RunInfo
	tokens  map[string]*api.RunInfo // of live runs
	ends    []api.EndRunRequest
	replies []reply
	deltas  map[brenner.ActorName]int
	nothing map[brenner.ActorName]time.Time // when it said that it has nothing to add
	tasks   map[string]*api.TaskInfo
	beats   int
	calls   []string // of tools
	// down makes the project unreachable; stop and gone are answers to beats.
	down bool
	// keys are those that runs were started under; mute loses so many answers
	// to that.
	keys map[string]*api.RunInfo
	mute int
	stop map[string]string
	gone map[string]bool
	view int // the size of the view, in bytes
	open api.WorkList
}

type reply struct {
	agent brenner.ActorName
	text  string
	tool  bool
}

func newWorld(t *testing.T) *world {
	return &world{
		t: t, tokens: map[string]*api.RunInfo{}, deltas: map[brenner.ActorName]int{}, nothing: map[brenner.ActorName]time.Time{}, tasks: map[string]*api.TaskInfo{},
		keys: map[string]*api.RunInfo{}, stop: map[string]string{}, gone: map[string]bool{}, view: 1 << 20,
	}
}

var errDown = brenner.Errorf(brenner.CodeStoreUnavailable, "the project is away")

func (w *world) reach() error {
	if w.down {
		return errDown
	}
	return nil
}

func (w *world) OpenWork(context.Context, api.OpenWorkRequest) (api.WorkList, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.open
	out.Work = nil
	for _, item := range w.open.Work { // what is neither held nor done
		if !slices.ContainsFunc(w.runs, func(r *api.RunInfo) bool { return r.Work == item.Work }) {
			out.Work = append(out.Work, item)
		}
	}
	return out, w.reach()
}

func (w *world) StartRun(_ context.Context, req api.StartRunRequest) (api.StartedRun, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reach(); err != nil {
		return api.StartedRun{}, err
	}
	if again := w.keys[req.Key]; again != nil && req.Key != "" {
		return api.StartedRun{RunInfo: *again}, nil // whose token nobody can say again
	}
	attempt := 1
	for _, r := range w.runs {
		if r.Agent == req.Agent && r.Work == req.Work {
			attempt++
		}
	}
	info := &api.RunInfo{
		ID: fmt.Sprintf("run-%d", len(w.runs)+1), Work: req.Work, Agent: req.Agent, Role: "writer", Attempt: attempt,
		Program: req.Program, Runner: req.Runner, State: api.RunRunning, Started: time.Now(),
	}
	w.runs = append(w.runs, info)
	token := fmt.Sprintf("brn_secret-of-%s", info.ID)
	w.tokens[token] = info
	w.keys[req.Key] = info
	if w.mute > 0 {
		w.mute--
		return api.StartedRun{}, errDown
	}
	started := api.StartedRun{RunInfo: *info, Token: token, LeaseLeft: req.Lease}
	if req.Session != "" {
		started.Messages = []string{"msg-1"}
	}
	return started, nil
}

func (w *world) BeatRuns(_ context.Context, req api.BeatRunsRequest) (api.Beat, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reach(); err != nil {
		return api.Beat{}, err
	}
	w.beats++
	var out api.Beat
	for _, r := range req.Runs {
		out.Runs = append(out.Runs, api.BeatAnswer{ID: r.ID, LeaseLeft: api.Duration(time.Minute), Stop: w.stop[r.ID], Gone: w.gone[r.ID]})
	}
	return out, nil
}

func (w *world) EndRun(_ context.Context, req api.EndRunRequest) (api.RunInfo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reach(); err != nil {
		return api.RunInfo{}, err
	}
	for _, r := range w.runs {
		if r.ID != req.ID {
			continue
		}
		if r.State == api.RunEnded {
			return *r, brenner.Errorf(brenner.CodeRunEnded, "%s has ended", r.ID)
		}
		r.State, r.RunEnd = api.RunEnded, req.RunEnd
		w.ends = append(w.ends, req)
		for token, of := range w.tokens {
			if of == r {
				delete(w.tokens, token)
			}
		}
		return *r, nil
	}
	return api.RunInfo{}, brenner.Errorf(brenner.CodeNotFound, "no run")
}

func (w *world) Runs(_ context.Context, req api.ListRunsRequest) (api.RunList, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out api.RunList
	for _, r := range w.runs {
		if (len(req.States) == 0 || slices.Contains(req.States, r.State)) && strings.HasPrefix(r.Runner, req.Runner) {
			out.Runs = append(out.Runs, *r)
		}
	}
	return out, nil
}

// who is the run of a token.
func (w *world) who(token string) (*api.RunInfo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r, ok := w.tokens[token]; ok {
		return r, nil
	}
	return nil, brenner.Errorf(brenner.CodeUnauthenticated, "no such token")
}

// agent is the world as the agent of a run has it.
type agent struct {
	*world
	run *api.RunInfo
}

func (a agent) ReadMessage(_ context.Context, req api.MessageRequest) (api.MessageView, error) {
	return api.MessageView{MessageInfo: api.MessageInfo{ID: req.ID}, Text: "# Kickoff\n\nWhy does the ring not close?"}, nil
}

func (a agent) AckMessage(context.Context, api.MessageRequest) (api.MessageInfo, error) {
	return api.MessageInfo{}, nil
}

func (a agent) AssembleContext(_ context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return api.ContextResult{Invocation: "ctx-1", Text: "The task " + req.Task}, nil
}

func (a agent) Views(context.Context) (api.ViewList, error) {
	v := api.ViewInfo{}
	v.Role, v.Budget = "writer", assembly.Budget{Unit: assembly.InBytes, Size: a.view}
	return api.ViewList{Views: []api.ViewInfo{v}}, nil
}

func (a agent) SubmitDeltas(_ context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	return a.submit(a.run.Agent, req.Text, false)
}

func (w *world) submit(name brenner.ActorName, text string, tool bool) (api.Submission, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replies = append(w.replies, reply{name, text, tool})
	x, err := delta.Extract([]byte(text), delta.Envelope{Agent: name})
	sub := api.Submission{Message: fmt.Sprintf("reply-%d", len(w.replies)), Misses: x.Misses, Ignored: x.Ignored}
	for range x.Entries {
		sub.Deltas = append(sub.Deltas, api.SubmittedDelta{DeltaID: "d"})
		w.deltas[name]++
	}
	return sub, err
}

func (a agent) SessionStatus(context.Context, api.SessionStatusRequest) (api.SessionStatus, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, nothing := a.nothing[a.run.Agent]
	r := api.RecipientStatus{Recipient: api.Recipient{Name: a.run.Agent, Pending: a.deltas[a.run.Agent], AnsweredAt: at, Nothing: nothing}}
	return api.SessionStatus{Recipients: []api.RecipientStatus{r}}, nil
}

func (a agent) Task(_ context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t, ok := a.tasks[req.ID]; ok {
		return *t, nil
	}
	return api.TaskInfo{ID: req.ID, State: api.TaskClaimed}, nil
}

// handler serves two tools.
func (w *world) handler() http.Handler {
	type submitIn struct {
		Text    string `json:"text"`
		Nothing bool   `json:"nothing,omitzero"`
	}
	type completeIn struct {
		ID string `json:"id"`
	}
	return mcp.NewStreamableHTTPHandler(func(req *http.Request) *mcp.Server {
		run, err := w.who(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			return nil
		}
		s := mcp.NewServer(&mcp.Implementation{Name: "brenner", Version: "test"}, nil)
		mcp.AddTool(s, &mcp.Tool{Name: "delta_submit"}, func(_ context.Context, _ *mcp.CallToolRequest, in submitIn) (*mcp.CallToolResult, any, error) {
			w.called("delta_submit")
			_, err := w.submit(run.Agent, in.Text, true)
			if in.Nothing {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.nothing[run.Agent] = time.Now()
			}
			return nil, map[string]any{"ok": true}, err
		})
		mcp.AddTool(s, &mcp.Tool{Name: "task_complete"}, func(ctx context.Context, _ *mcp.CallToolRequest, in completeIn) (*mcp.CallToolResult, any, error) {
			w.called("task_complete " + in.ID)
			return patientResult(ctx, func(context.Context) (any, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if err := w.reach(); err != nil {
					return nil, err
				}
				w.tasks[in.ID] = &api.TaskInfo{ID: in.ID, State: api.TaskDone}
				return map[string]any{"ok": true}, nil
			})
		})
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

// patientResult is a result that is waited for as the real tools do.
func patientResult(ctx context.Context, call func(context.Context) (any, error)) (*mcp.CallToolResult, any, error) {
	out, err := patience.Call(ctx, call)
	return nil, out, err
}

func (w *world) called(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, what)
}

func (w *world) end(t *testing.T) api.EndRunRequest {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ends) != 1 {
		t.Fatalf("%d runs have ended", len(w.ends))
	}
	return w.ends[0]
}

// runner makes a runner on the world that does not wait long for anything.
func (w *world) runner(t *testing.T, change ...func(*Options)) *Runner {
	t.Helper()
	o := Options{
		Project: w, Handler: w.handler(), State: filepath.Join(t.TempDir(), "state"), Environ: os.Environ(), Dir: t.TempDir(),
		As: func(_ context.Context, token string) (Agent, error) {
			run, err := w.who(token)
			return agent{w, run}, err
		},
		Lease: time.Minute, Beat: 20 * time.Millisecond, Grace: 300 * time.Millisecond, Pause: time.Millisecond,
	}
	for _, c := range change {
		c(&o)
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadDir(o.Dir)
	t.Cleanup(func() {
		// W3: nothing is written for a run in the directory of the project.
		if after, _ := os.ReadDir(o.Dir); len(before) == 0 && len(after) > 0 {
			t.Errorf("the directory of the project holds %v", after)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		left, _ := filepath.Glob(filepath.Join(o.State, "*"))
		if len(left) > 0 && !t.Failed() {
			t.Errorf("the runner leaves %v", left)
		}
	})
	return r
}

// acting is this test as a program that does something (main_test.go).
func acting(args ...string) program.Program {
	return program.Program{Profile: program.Command, Args: append([]string{asProgram}, args...)}.Resolve(os.Args[0])
}

func kickoff(p program.Program) Job {
	return Job{Work: api.Work{Session: "RS-1"}, Agent: "BlueLake", Program: Resolved{Name: "test", Program: p}}
}

func assigned(p program.Program) Job {
	return Job{Work: api.Work{Task: "task-1"}, Agent: "BlueLake", Program: Resolved{Name: "test", Program: p}}
}

// do does a job and gives how it ended.
func do(t *testing.T, r *Runner, job Job) api.RunInfo {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	info, err := r.Do(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

const goodReply = "Because.\n\n```delta\n" + `{"operation":"ADD","target_id":null,"section":"anomaly_register","payload":{"name":"gap","observation":"the ring stays open"},"rationale":"seen"}` + "\n```\n"

// marked counts the processes that carry a mark.
func marked(t *testing.T, value string) int {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	n := 0
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), value) {
			n++
		}
	}
	return n
}
