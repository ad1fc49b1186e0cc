package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// W12, W18: the page of the runs lists them with what they used; that of one
// says how it was started, what it does and what it printed, and stops it.
func TestRuns_AreListedShownAndStopped(t *testing.T) {
	w := newWorld(t)
	b := w.login()
	_, _, body := b.get("/runs")
	b.sees(body, "No agent has been started yet", "brenner ask")
	must[api.AgentInfo](w)(w.pi().AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "writer"}))
	run := must[api.RunInfo](w)(w.pi().Run(t.Context(), api.RunRequest{ID: w.startRun()}))
	beat := api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Does: "uses artifact_write"}}}
	must[api.Beat](w)(w.pi().BeatRuns(t.Context(), beat))

	_, _, body = b.get("/runs?state=running")
	b.sees(body, run.ID, "GreyStone", run.Task, "running", "uses artifact_write", "not told")
	_, _, body = b.get("/runs/" + run.ID)
	b.sees(body, "local (command)", "here/1/2", "Stop the run", "It goes on", "Nothing yet")

	if status, body := b.submit("/runs/"+run.ID, url.Values{"act": {"stop"}, "reason": {"in circles"}}); status != http.StatusOK {
		t.Errorf("stop: %d\n%s", status, body)
	}
	_, _, body = b.get("/runs/" + run.ID)
	b.sees(body, "It is asked to stop: in circles")
	if strings.Contains(body, "Stop the run") {
		t.Error("it can be stopped twice")
	}
	cost := program.Money(0)
	must[api.RunInfo](w)(w.pi().EndRun(t.Context(), api.EndRunRequest{
		ID: run.ID, Runner: "here/1/2", Transcript: "<script>alert(1)</script>\nI counted.\n",
		RunEnd: api.RunEnd{Outcome: api.OutcomeStopped, Cause: program.Stopped, Usage: program.Usage{Turns: 2, Tokens: &program.Tokens{In: 1200, Out: 34}, Cost: &cost}},
	}))
	_, _, body = b.get("/runs/" + run.ID)
	b.sees(body, "stopped", "&lt;script&gt;", "I counted.", "2 turns")
	// W11: what was redacted is gone from the page, and that is said.
	shown := must[api.RunInfo](w)(w.pi().Run(t.Context(), api.RunRequest{ID: run.ID}))
	must[api.RedactResult](w)(w.pi().Redact(t.Context(), api.RedactRequest{Digest: shown.Transcript, Reason: "a name"}))
	_, _, body = b.get("/runs/" + run.ID)
	if b.sees(body, "It was redacted", string(shown.Transcript)); strings.Contains(body, "I counted.") {
		t.Error("what was redacted is shown")
	}
	// W12: a cost that nobody told is not nothing.
	silent := w.startRun()
	must[api.RunInfo](w)(w.pi().EndRun(t.Context(), api.EndRunRequest{ID: silent, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeNothing}}))
	_, _, body = b.get("/runs?work=" + must[api.RunInfo](w)(w.pi().Run(t.Context(), api.RunRequest{ID: silent})).Task)
	if b.sees(body, "Cost not told"); strings.Contains(body, "$0.00") {
		t.Error("a cost that was not told is shown as $0.00")
	}
	_, _, body = b.get("/runs?agent=GreyStone")
	b.sees(body, "What they used", "stopped")
	_, _, body = b.get("/runs?agent=ada")
	b.sees(body, "There is no such run")
	if status, _, body := b.get("/runs/run-0"); status != http.StatusNotFound || !strings.Contains(body, string(brenner.CodeNotFound)) {
		t.Errorf("a run that is not there: %d", status)
	}
}

// startRun starts a run of GreyStone for a task of its own, and gives its id.
func (w *world) startRun(modules ...brenner.Module) string {
	w.Helper()
	task := must[api.TaskInfo](w)(w.pi().NewTask(w.Context(), api.NewTaskRequest{Title: "Count the fish", Role: "writer", Modules: modules}))
	return must[api.StartedRun](w)(w.pi().StartRun(w.Context(), api.StartRunRequest{
		Work: api.Work{Task: task.ID}, Agent: "GreyStone", Runner: "here/1/2",
		Program: api.RunProgram{Name: "local", Profile: program.Command, Tools: program.NoTools, Directory: program.Scratch},
	})).ID
}
