package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/program"
)

// W7: what a program says last is taken in as its agent's reply.
func TestRun_TakesTheLastWordsIn(t *testing.T) {
	w := newWorld(t)
	info := do(t, w.runner(t), kickoff(acting("answer")))
	if info.Outcome != api.OutcomeAnswered || info.Cause != program.Fine || info.Starts != 1 || info.Message == "" {
		t.Errorf("ended as %+v", info.RunEnd)
	}
	if len(w.replies) != 1 || w.replies[0].agent != "BlueLake" || w.replies[0].text != goodReply || w.replies[0].tool {
		t.Errorf("replies: %+v", w.replies)
	}
	if got := w.end(t).Transcript; !strings.Contains(got, "the ring stays open") {
		t.Errorf("transcript:\n%s", got)
	}
}

// W7: an answer without a usable delta is sent back with the diagnosis, and
// after two times kept as notes.
func TestRun_SendsBackWhatCannotBeUsed(t *testing.T) {
	w := newWorld(t)
	info := do(t, w.runner(t), kickoff(acting("second")))
	if info.Outcome != api.OutcomeAnswered || info.Repairs != 1 || info.Starts != 2 || len(w.replies) != 2 {
		t.Errorf("ended as %+v after %d replies", info.RunEnd, len(w.replies))
	}
	w = newWorld(t)
	info = do(t, w.runner(t), kickoff(acting("say", "It", "is", "the", "gradient.")))
	if info.Outcome != api.OutcomeNothing || info.Repairs != 2 || info.Starts != 3 || len(w.replies) != 3 || len(info.Notes) != 1 {
		t.Errorf("ended as %+v after %d replies", info.RunEnd, len(w.replies))
	}
}

// W7: one that has answered by tool has answered; deltas in its last words are
// reported, not applied.
func TestRun_AToolAnswerIsNotTakenTwice(t *testing.T) {
	w := newWorld(t)
	script := writeScript(t, "== BlueLake\ntool delta_submit {\"text\":"+quoted(goodReply)+"}\nreply\n"+goodReply)
	info := do(t, w.runner(t), kickoff(program.Program{Profile: program.Script, File: script}.Resolve("")))
	if info.Outcome != api.OutcomeAnswered || len(w.replies) != 1 || !w.replies[0].tool {
		t.Errorf("ended as %+v with %+v", info.RunEnd, w.replies)
	}
	if len(info.Notes) != 1 || !strings.Contains(info.Notes[0], "1 delta block in its last words is not applied") {
		t.Errorf("notes: %q", info.Notes)
	}
}

// W7, W10: one that has said by tool that it has nothing to add has answered; that
// it said so when it was asked before is no answer to this.
func TestRun_NothingToAddByToolIsAnAnswer(t *testing.T) {
	w := newWorld(t)
	script := writeScript(t, "== BlueLake\ntool delta_submit {\"nothing\":true,\"text\":\"Nothing to add.\"}\nreply\ndone\n")
	info := do(t, w.runner(t), kickoff(program.Program{Profile: program.Script, File: script}.Resolve("")))
	if info.Outcome != api.OutcomeAnswered || info.Cause != program.Fine || info.Repairs != 0 || len(w.replies) != 1 || len(info.Notes) != 0 {
		t.Errorf("ended as %+v with %+v", info.RunEnd, w.replies)
	}
	info = do(t, w.runner(t), kickoff(acting("say", "It", "is", "the", "gradient.")))
	if info.Outcome != api.OutcomeNothing || info.Repairs != 2 {
		t.Errorf("the next run ended as %+v", info.RunEnd)
	}
}

// W10: a program that crashes when its work is done has done its work.
func TestRun_WorkDoneBeforeACrashCounts(t *testing.T) {
	w := newWorld(t)
	info := do(t, w.runner(t), assigned(acting("tool-crash", "task_complete", `{"id":"task-1"}`)))
	if info.Outcome != api.OutcomeWorked || info.Starts != 1 || len(info.Notes) != 1 {
		t.Errorf("ended as %+v", info.RunEnd)
	}
	if info.Context != "ctx-1" {
		t.Errorf("the context is not recorded: %+v", info.RunEnd)
	}
}

// W6: a task that is left open is asked for again, then given back.
func TestRun_ATaskLeftOpenIsAskedForAgain(t *testing.T) {
	w := newWorld(t)
	info := do(t, w.runner(t), assigned(acting("say", "done")))
	if info.Outcome != api.OutcomeNothing || info.Repairs != 2 || len(w.replies) != 0 {
		t.Errorf("ended as %+v", info.RunEnd)
	}
}

// W6: a prompt over the budget of the view is not sent.
func TestRun_APromptOverTheBudgetIsNotSent(t *testing.T) {
	w := newWorld(t)
	w.view = 20
	info := do(t, w.runner(t), kickoff(acting("answer")))
	if info.Outcome != api.OutcomeFailed || info.Starts != 0 || !strings.Contains(info.Said, "CONTEXT_OVERFLOW") {
		t.Errorf("ended as %+v", info.RunEnd)
	}
}

// W10: a rate limit is waited for, as often as it takes within reason.
func TestRun_WaitsForARateLimit(t *testing.T) {
	w := newWorld(t)
	once := filepath.Join(t.TempDir(), "once")
	info := do(t, w.runner(t), kickoff(acting("limited", once)))
	if info.Outcome != api.OutcomeAnswered || info.Starts != 2 {
		t.Errorf("ended as %+v", info.RunEnd)
	}
	w = newWorld(t)
	info = do(t, w.runner(t), kickoff(acting("limited", filepath.Join(t.TempDir(), "no", "such"))))
	if info.Outcome != api.OutcomeFailed || info.Cause != program.RateLimited || info.Starts != 7 {
		t.Errorf("ended as %+v", info.RunEnd)
	}
}

// W8: a person stops a run; a run that the project has given up is ended and
// not recorded again.
func TestRun_StopsWhenTheProjectSaysSo(t *testing.T) {
	w := newWorld(t)
	w.stop["run-1"] = "enough"
	info := do(t, w.runner(t), kickoff(acting("hang")))
	if info.Outcome != api.OutcomeStopped || info.Cause != program.Stopped || info.Said != "enough" {
		t.Errorf("ended as %+v", info.RunEnd)
	}
	w = newWorld(t)
	w.gone["run-1"] = true
	info = do(t, w.runner(t), kickoff(acting("hang")))
	if info.Outcome != api.OutcomeLost || len(w.ends) != 0 {
		t.Errorf("ended as %+v, recorded %d times", info.RunEnd, len(w.ends))
	}
}

// W8: a runner that cannot renew ends its runs before the lease does, and says
// so as soon as it can.
func TestRun_EndsBeforeItsLeaseDoes(t *testing.T) {
	w := newWorld(t)
	r := w.runner(t, func(o *Options) { o.Lease = 3 * time.Second })
	done := make(chan api.RunInfo, 1)
	go func() { info, _ := r.Do(t.Context(), kickoff(acting("deaf"))); done <- info }()
	for marked(t, "BRENNER_RUN=run-1") == 0 { // the test's own deadline ends it otherwise
		time.Sleep(20 * time.Millisecond)
	}
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	// A lease of a minute was heard of in the first beats; shorten it.
	time.Sleep(100 * time.Millisecond) // for a beat that was under way
	r.mu.Lock()
	for _, b := range r.live {
		b.mu.Lock()
		b.until = time.Now().Add(time.Second)
		b.mu.Unlock()
	}
	r.mu.Unlock()
	for begun := time.Now(); marked(t, "BRENNER_RUN=run-1") > 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal("the program goes on without a lease")
		}
	}
	w.mu.Lock()
	w.down = false
	w.mu.Unlock()
	info := <-done
	if info.Outcome != api.OutcomeLost || info.Cause != program.LostTouch {
		t.Errorf("ended as %+v", info.RunEnd)
	}
}

// W4: the environment is built: nothing of ours but what is named, nothing of
// the PI's BRENNER_*, and who the run is.
func TestRun_EnvironmentIsBuilt(t *testing.T) {
	w := newWorld(t)
	p := acting("environment")
	p.Env = []string{"WANTED_KEY"}
	r := w.runner(t, func(o *Options) {
		o.Environ = append(os.Environ(), "BRENNER_TOKEN=brn_of-the-pi", "BRENNER_STORE=sqlite:x", "AWS_SECRET_ACCESS_KEY=hidden-from-all",
			"WANTED_KEY=sk-0123456789", "LC_ALL=C.UTF-8", "BRENNER_AGENT=ada")
	})
	info := do(t, r, kickoff(p))
	got := w.replies[0].text
	for _, want := range []string{"PATH=", "LC_ALL=C.UTF-8", "BRENNER_AGENT=BlueLake", "BRENNER_RUN=" + info.ID, "WANTED_KEY=sk-0123456789", "BRENNER_RUN_TOKEN=brn_secret"} {
		if !strings.Contains(got, want) {
			t.Errorf("the environment lacks %s:\n%s", want, got)
		}
	}
	for _, never := range []string{"brn_of-the-pi", "BRENNER_STORE", "AWS_SECRET", "ada"} {
		if strings.Contains(got, "="+never) || strings.Contains(got, never+"=") {
			t.Errorf("the environment holds %s:\n%s", never, got)
		}
	}
	// W4: its directory was empty, and is gone.
	_, dir, _ := strings.Cut(got, "DIR=")
	if _, err := os.Stat(strings.TrimSpace(dir)); err == nil || !strings.Contains(dir, "scratch") {
		t.Errorf("the directory %s is still there", dir)
	}
	// W11: what is kept holds neither the token nor the key.
	log := w.end(t).Transcript
	if strings.Contains(log, "brn_secret") || strings.Contains(log, "sk-0123456789") || strings.Count(log, struck) < 2 {
		t.Errorf("transcript:\n%s", log)
	}
}

// W3: the tools are there for the token of a live run and for nothing else.
func TestLoopback_IsForLiveRunsOnly(t *testing.T) {
	w := newWorld(t)
	r := w.runner(t, func(o *Options) {
		o.Holder = func(req *http.Request) (*http.Request, error) {
			if req.Header.Get("Ticket") == "" {
				return req, errors.New("no ticket")
			}
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer "+req.Header.Get("Ticket"))
			return req, nil
		}
	})
	r.server.admit("brn_live")
	file := func(ticket string) func(*http.Request) {
		return func(r *http.Request) {
			r.URL.Path = "/mcp/file"
			r.Header.Set("Authorization", "Bearer brn_other")
			r.Header.Set("Ticket", ticket)
		}
	}
	ask := func(change func(*http.Request)) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.server.url, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer brn_live")
		change(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   func(int) bool
	}{
		"a live token":    {func(*http.Request) {}, func(s int) bool { return s != 401 && s != 403 }},
		"no token":        {func(r *http.Request) { r.Header.Del("Authorization") }, func(s int) bool { return s == 401 }},
		"another token":   {func(r *http.Request) { r.Header.Set("Authorization", "Bearer brn_other") }, func(s int) bool { return s == 401 }},
		"a browser":       {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, func(s int) bool { return s == 403 }},
		"another name":    {func(r *http.Request) { r.Host = "evil.example" }, func(s int) bool { return s == 403 }},
		"another address": {func(r *http.Request) { r.URL.Path = "/" }, func(s int) bool { return s == 404 }},
		"a ticket":        {file("brn_live"), func(s int) bool { return s != 401 && s != 404 }},
		"no good ticket":  {file(""), func(s int) bool { return s == 401 }},
		"one of the dead": {file("brn_dead"), func(s int) bool { return s == 401 }},
	} {
		if got := ask(c.change); !c.want(got) {
			t.Errorf("%s: status %d", name, got)
		}
	}
	r.server.dismiss("brn_live")
	if got := ask(func(*http.Request) {}); got != 401 {
		t.Errorf("a token of a run that has ended: status %d", got)
	}
}

// Two agents of one project run side by side, each with its own token (W3).
func TestRun_TwoAgentsSideBySide(t *testing.T) {
	w := newWorld(t)
	r := w.runner(t)
	names := []brenner.ActorName{"BlueLake", "RedCave"}
	done := make(chan api.RunInfo, len(names))
	for _, name := range names {
		job := kickoff(acting("tool", "delta_submit", `{"text":`+quoted(goodReply)+`}`))
		job.Agent = name
		go func() { info, _ := r.Do(context.Background(), job); done <- info }()
	}
	for range names {
		if info := <-done; info.Outcome != api.OutcomeAnswered {
			t.Errorf("%s ended as %+v", info.Agent, info.RunEnd)
		}
	}
	var who []brenner.ActorName
	for _, r := range w.replies {
		who = append(who, r.agent)
	}
	slices.Sort(who)
	if !slices.Equal(who, names) {
		t.Errorf("replies of %v", who)
	}
}

// W16: what a dead runner left is ended by the next one on the machine: its
// processes, and then its runs.
func TestReconcile_EndsWhatADeadRunnerLeft(t *testing.T) {
	w := newWorld(t)
	r := w.runner(t)
	dead := processID{PID: os.Getpid(), Start: "long ago"}
	if _, err := w.StartRun(t.Context(), api.StartRunRequest{Agent: "BlueLake", Runner: Name(dead)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.StartRun(t.Context(), api.StartRunRequest{Agent: "RedCave", Runner: r.name}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.StartRun(t.Context(), api.StartRunRequest{Agent: "GreyStone", Runner: "elsewhere/1/2"}); err != nil {
		t.Fatal(err)
	}
	file, err := r.state.begin("run-1", "mark-of-the-dead")
	if err != nil {
		t.Fatal(err)
	}
	file.trace.Runner = dead
	file.tell(api.RunBeat{ID: "run-1", Tail: "nearly done"})
	other, err := r.state.begin("run-1", "another-project")
	if err != nil {
		t.Fatal(err)
	}
	other.trace.Runner = processID{PID: os.Getpid(), Start: "longer ago"}
	other.tell(api.RunBeat{ID: "run-1", Tail: "of another project"})
	if err := other.write(); err != nil {
		t.Fatal(err)
	}
	pid := make(chan processID, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = command{
			path: os.Args[0], args: []string{asProgram, "deaf"}, env: []string{"PATH=" + os.Getenv("PATH")}, mark: "mark-of-the-dead",
			started: func(p processID) { file.process(p); pid <- p }, out: func([]byte) {}, errs: func([]byte) {},
		}.run(context.Background(), time.Second)
	}()
	child := <-pid
	found, err := r.Reconcile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-over
	if child.alive() {
		t.Error("the process goes on")
	}
	if !slices.Equal(found.Lost, []string{"run-1"}) || w.runs[0].Outcome != api.OutcomeLost || w.runs[1].State != api.RunRunning || w.runs[2].State != api.RunRunning {
		t.Errorf("found %+v; runs %+v %+v %+v", found, w.runs[0], w.runs[1], w.runs[2])
	}
	if len(w.ends) != 1 || !strings.HasSuffix(w.ends[0].Transcript, "\nnearly done") {
		t.Errorf("what it had printed: %+v", w.ends)
	}
	if _, err := os.Stat(other.dir); err != nil {
		t.Errorf("what a run of another project left: %v", err)
	}
	if _, err := os.Stat(file.dir); err == nil {
		t.Error("what its own left is still there")
	}
	other.done()
}

// W16: a runner that died before it wrote down whose a directory is, or after it
// had removed that, leaves nothing either.
func TestReconcile_RemovesDirectoriesThatSayNothing(t *testing.T) {
	w := newWorld(t)
	r := w.runner(t)
	gone := exec.Command(os.Args[0], asProgram, "silent")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(r.state.dir, fmt.Sprintf("run-7-ABCDEFGH-%d", gone.Process.Pid))
	mine := filepath.Join(r.state.dir, fmt.Sprintf("run-8-ABCDEFGH-%d", os.Getpid()))
	for _, dir := range []string{left, mine} {
		if err := os.MkdirAll(filepath.Join(dir, "scratch"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what the dead left is still there")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("what a live one has begun is gone")
	}
	_ = os.RemoveAll(mine)
}

func writeScript(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "play.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func quoted(s string) string { return string(canon.MustMarshal(s)) }
