package app_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/program"
)

// startsRun takes a task for BlueLake.
func startsRun(t *testing.T, w world, task string, runner string) (api.StartedRun, error) {
	t.Helper()
	return w.PI().StartRun(t.Context(), api.StartRunRequest{
		Work: api.Work{Task: task}, Agent: "BlueLake", Runner: runner, Lease: api.Duration(time.Minute),
		Program: api.RunProgram{Name: "x", Profile: program.Claude, TellsCost: true},
	})
}

func opensTask(t *testing.T, w world) string {
	t.Helper()
	task, err := w.PI().NewTask(t.Context(), api.NewTaskRequest{Title: "Write", Role: "writer"})
	if err != nil {
		t.Fatal(err)
	}
	return task.ID
}

// W3, W8: the token of a run lives as long as its lease. When the runner is not
// heard of any more the token dies, another runner takes the task, the first run
// is lost, and what it tries to complete counts for nothing.
func TestRun_ALeaseThatRanOutFreesTheWork(t *testing.T) {
	w, now := clocked(t)
	task := opensTask(t, w)
	first, err := startsRun(t, w, task, "one/1/1")
	if err != nil {
		t.Fatal(err)
	}
	if who, err := w.app.Authenticate(t.Context(), first.Token); err != nil || who.Name != "BlueLake" {
		t.Fatalf("the token names %+v, %v", who, err)
	}
	*now = now.Add(40 * time.Second)
	beat, err := w.PI().BeatRuns(t.Context(), api.BeatRunsRequest{Runner: "one/1/1", Runs: []api.RunBeat{{ID: first.ID}}})
	if err != nil || beat.Runs[0].LeaseLeft != api.Duration(time.Minute) {
		t.Errorf("a beat renews to %+v, %v", beat, err)
	}
	*now = now.Add(50 * time.Second) // past the first lease, within the second
	if _, err := w.app.Authenticate(t.Context(), first.Token); err != nil {
		t.Errorf("a renewed token: %v", err)
	}
	if _, err := startsRun(t, w, task, "two/1/1"); brenner.CodeOf(err) != brenner.CodeWorkTaken {
		t.Errorf("while it is held: %v", err)
	}
	*now = now.Add(20 * time.Second)
	if _, err := w.app.Authenticate(t.Context(), first.Token); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("the token of a dead runner: %v", err)
	}
	if gone, err := w.PI().Run(t.Context(), api.RunRequest{ID: first.ID}); err != nil || gone.Doing == nil || gone.Doing.Does != "has not been heard of" || !gone.Doing.Since.Equal(gone.LeaseUntil) {
		t.Errorf("the run of a dead runner: %+v, %v", gone, err)
	}
	second, err := startsRun(t, w, task, "two/1/1")
	if err != nil || second.Attempt != 2 {
		t.Fatalf("the second runner: %+v, %v", second, err)
	}
	lost, err := w.PI().Run(t.Context(), api.RunRequest{ID: first.ID})
	if err != nil || lost.State != api.RunEnded || lost.Outcome != api.OutcomeLost {
		t.Errorf("the first run: %+v, %v", lost, err)
	}
	if _, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: first.ID, Runner: "one/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}}); brenner.CodeOf(err) != brenner.CodeRunEnded {
		t.Errorf("the dead runner comes back: %v", err)
	}
	if beat, _ := w.PI().BeatRuns(t.Context(), api.BeatRunsRequest{Runner: "one/1/1", Runs: []api.RunBeat{{ID: first.ID}}}); !beat.Runs[0].Gone {
		t.Errorf("its beat is answered %+v", beat)
	}
	if _, err := w.As("BlueLake").CompleteTask(t.Context(), api.CompleteTaskRequest{ID: task}); err != nil {
		t.Errorf("the second run completes: %v", err)
	}
	end, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: second.ID, Runner: "two/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}})
	if err != nil || end.Outcome != api.OutcomeWorked {
		t.Errorf("ended %+v, %v", end, err)
	}
	for _, token := range []string{first.Token, second.Token} {
		if _, err := w.app.Authenticate(t.Context(), token); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
			t.Errorf("a token lives after its run: %v", err)
		}
	}
}

// W8: a clock that jumps loses and doubles nothing. Put forward, it ends the
// leases: a runner that comes back hears that its run is gone, and one
// completion counts. Put back, it prolongs none: no runner is told that it may
// go on for longer than a lease without a beat, and nobody else gets the task.
func TestRun_AClockThatJumpsDoublesNothing(t *testing.T) {
	w, now := clocked(t)
	beat := func(run api.StartedRun, runner string) api.BeatAnswer {
		t.Helper()
		b, err := w.PI().BeatRuns(t.Context(), api.BeatRunsRequest{Runner: runner, Runs: []api.RunBeat{{ID: run.ID}}})
		if err != nil {
			t.Fatal(err)
		}
		return b.Runs[0]
	}
	task := opensTask(t, w)
	first, err := startsRun(t, w, task, "one/1/1")
	if err != nil {
		t.Fatal(err)
	}
	*now = now.Add(-3 * time.Hour)
	if a := beat(first, "one/1/1"); a.Gone || a.LeaseLeft != api.Duration(time.Minute) {
		t.Errorf("put back three hours, the beat is answered %+v", a)
	}
	if _, err := startsRun(t, w, task, "two/1/1"); brenner.CodeOf(err) != brenner.CodeWorkTaken {
		t.Errorf("put back, another gets the task: %v", err)
	}
	*now = now.Add(6 * time.Hour)
	if a := beat(first, "one/1/1"); !a.Gone {
		t.Errorf("put forward six hours, the beat is answered %+v", a)
	}
	second, err := startsRun(t, w, task, "two/1/1")
	if err != nil {
		t.Fatal(err)
	}
	*now = now.Add(-6 * time.Hour) // and back again, while the second is at it
	end := func(run api.StartedRun, runner string) error {
		_, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: run.ID, Runner: runner, RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}})
		return err
	}
	if err := end(first, "one/1/1"); brenner.CodeOf(err) != brenner.CodeRunEnded {
		t.Errorf("the first comes back: %v", err)
	}
	if _, err := w.app.Authenticate(t.Context(), first.Token); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("its token lives again: %v", err)
	}
	if err := end(second, "two/1/1"); err != nil {
		t.Errorf("the second ends: %v", err)
	}
}

// W12: sums of more runs than one look goes through say that they are of the newest.
func TestRunCosts_SaysWhenTheyAreOfTheNewest(t *testing.T) {
	s := memory.New()
	d := newBureauOn(t, s, nil)
	put := func(from, to int) {
		t.Helper()
		d.must(s.Write(t.Context(), func(tx store.Tx) error {
			for n := from; n <= to; n++ {
				id := fmt.Sprintf("run-%d", n)
				if err := tx.PutObject(t.Context(), store.Object{
					Kind: "run", ID: id, Group: "task-1", State: "running", Order: int64(n), Seq: 1,
					Body: []byte(`{"id":"` + id + `","task":"task-1","agent":"BlueLake","state":"running"}`),
				}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for _, n := range []int{brenner.MaxRecordsSearched, brenner.MaxRecordsSearched + 1} {
		put(max(1, n-brenner.MaxRecordsSearched), n)
		costs, err := d.PI().RunCosts(t.Context(), api.RunCostsRequest{})
		d.must(err)
		if costs.Total.Runs != brenner.MaxRecordsSearched || costs.Partial != (n > brenner.MaxRecordsSearched) {
			t.Errorf("of %d: %d are summed, partial %t", n, costs.Total.Runs, costs.Partial)
		}
	}
}

// W10: who claims a task by hand at which so many runs have failed that none is started
// any more is told.
func TestClaimTask_SaysThatRunsHaveFailedAtIt(t *testing.T) {
	d := newBureauOn(t, memory.New(), nil)
	_, err := d.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"})
	d.must(err)
	task := opensTask(t, d.world)
	for n := range brenner.MaxRunFailures {
		claimed, err := d.As("BlueLake").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: task})
		d.must(err)
		if claimed.Failed != 0 {
			t.Errorf("after %d: %d failed", n, claimed.Failed)
		}
		_, err = d.As("BlueLake").ReleaseTask(t.Context(), api.ReleaseTaskRequest{ID: task})
		d.must(err)
		run, err := startsRun(t, d.world, task, "one/1/1")
		d.must(err)
		_, err = d.PI().EndRun(t.Context(), api.EndRunRequest{ID: run.ID, Runner: "one/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeFailed, Cause: program.Crashed}})
		d.must(err)
	}
	claimed, err := d.As("BlueLake").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: task})
	d.must(err)
	if claimed.Failed != brenner.MaxRunFailures {
		t.Errorf("%d failed", claimed.Failed)
	}
}

// W13: at the day's budget no further run starts; a cost that is not known yet
// counts as the bound, and the next day begins anew.
func TestStartRun_KeepsToTheDaysBudget(t *testing.T) {
	w, now := clocked(t)
	if _, err := w.PI().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: "budget: 1"}}); err != nil {
		t.Fatal(err)
	}
	start := func(p api.RunProgram) (api.StartedRun, error) {
		return w.PI().StartRun(t.Context(), api.StartRunRequest{Work: api.Work{Task: opensTask(t, w)}, Agent: "BlueLake", Runner: "one/1/1", Program: p})
	}
	if _, err := start(api.RunProgram{Name: "silent"}); brenner.CodeOf(err) != brenner.CodeCostUnknown {
		t.Errorf("a program that tells no cost: %v", err)
	}
	told, err := start(api.RunProgram{Name: "tells", TellsCost: true, Bound: 600_000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(api.RunProgram{Name: "tells", TellsCost: true, Bound: 600_000}); brenner.CodeOf(err) != brenner.CodeBudgetSpent {
		t.Errorf("while the bound of the first is promised: %v", err)
	}
	cost := program.Money(100_000)
	if _, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: told.ID, Runner: "one/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeNothing, Usage: program.Usage{Cost: &cost}}}); err != nil {
		t.Fatal(err)
	}
	second, err := start(api.RunProgram{Name: "bounded", Bound: 900_000})
	if err != nil {
		t.Fatalf("after the first cost less: %v", err)
	}
	if _, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: second.ID, Runner: "one/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeNothing}}); err != nil {
		t.Fatal(err)
	}
	if _, err := start(api.RunProgram{Name: "tells", TellsCost: true}); brenner.CodeOf(err) != brenner.CodeBudgetSpent {
		t.Errorf("a cost that was not told counts as the bound: %v", err)
	}
	*now = now.Add(24 * time.Hour)
	if _, err := start(api.RunProgram{Name: "tells", TellsCost: true}); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

// W13: the day's budget binds runs without a bound: while nobody knows what a run
// of a program costs there is one at a time, and then each at work counts as the
// dearest so far. A run that used something and never told is refused until the
// program has a bound, which it then counts as.
func TestStartRun_KeepsToTheDaysBudgetWithoutABound(t *testing.T) {
	w, now := clocked(t)
	if _, err := w.PI().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: "budget: 2"}}); err != nil {
		t.Fatal(err)
	}
	tells := api.RunProgram{Name: "tells", TellsCost: true}
	start := func(p api.RunProgram) (string, error) {
		_, before := w.PI().OpenWork(t.Context(), api.OpenWorkRequest{OnlyPrograms: true, Program: p.Name, Bound: p.Bound, TellsCost: p.TellsCost})
		run, err := w.PI().StartRun(t.Context(), api.StartRunRequest{Work: api.Work{Task: opensTask(t, w)}, Agent: "BlueLake", Runner: "one/1/1", Program: p})
		if brenner.CodeOf(before) != brenner.CodeOf(err) {
			t.Errorf("asked before: %v, then %v", before, err)
		}
		return run.ID, err
	}
	starts := func(p api.RunProgram) string {
		id, err := start(p)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	refused := func(code brenner.Code, p api.RunProgram, when string) {
		if _, err := start(p); brenner.CodeOf(err) != code {
			t.Errorf("%s: %v", when, err)
		}
	}
	ends := func(id string, used program.Usage) {
		if _, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: id, Runner: "one/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeNothing, Usage: used}}); err != nil {
			t.Fatal(err)
		}
	}
	cost := program.Money(700_000)

	first := starts(tells)
	refused(brenner.CodeBudgetSpent, tells, "beside the first, whose cost nobody knows")
	ends(first, program.Usage{Cost: &cost})
	second := starts(tells) // 0.70 spent
	third := starts(tells)  // 0.70 spent, 0.70 promised
	refused(brenner.CodeBudgetSpent, tells, "2.10 spent or promised")
	ends(second, program.Usage{Cost: &cost})
	ends(third, program.Usage{Cost: &cost})
	refused(brenner.CodeBudgetSpent, tells, "2.10 spent")

	*now = now.Add(24 * time.Hour)
	ends(starts(tells), program.Usage{}) // it never came to do anything
	ends(starts(tells), program.Usage{Turns: 3})
	refused(brenner.CodeCostUnknown, tells, "after one that told nothing")
	bounded := api.RunProgram{Name: "tells", TellsCost: true, Bound: 900_000}
	starts(bounded)
	refused(brenner.CodeBudgetSpent, bounded, "two of 0.90 count")
}

// W3, X8: the token of a run that a person revoked is not revoked once more when the
// run ends: the journal says once who ended it.
func TestRun_ATokenIsRevokedOnce(t *testing.T) {
	w, _ := clocked(t)
	run, err := startsRun(t, w, opensTask(t, w), "one/1/1")
	if err != nil {
		t.Fatal(err)
	}
	list, err := w.PI().Tokens(t.Context())
	if err != nil || len(list.Tokens) != 1 {
		t.Fatalf("the tokens are %+v, %v", list, err)
	}
	if _, err := w.PI().RevokeToken(t.Context(), api.RevokeTokenRequest{ID: list.Tokens[0].ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.Authenticate(t.Context(), run.Token); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("it lives: %v", err)
	}
	if _, err := w.PI().EndRun(t.Context(), api.EndRunRequest{ID: run.ID, Runner: "one/1/1", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}}); err != nil {
		t.Fatal(err)
	}
	var dump bytes.Buffer
	if _, err := w.PI().Export(t.Context(), &dump); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(dump.String(), `"token.revoked"`); n != 1 {
		t.Errorf("the journal says %d times that it was revoked", n)
	}
}

// N1, W10: work whose last run failed waits for a person from the first time on, whatever
// the cause; what somebody stopped does not.
func TestRuns_OneThatFailedIsInTheInbox(t *testing.T) {
	l := newQuiet(t)
	id := l.task()
	failed := func() (titles []string) {
		list, err := l.PI().Waiting(t.Context(), api.WaitingRequest{})
		l.must(err)
		for _, w := range list.Items {
			if w.Kind == api.WaitRun && w.Subject == (api.Work{Task: id}).String() {
				titles = append(titles, w.Title)
			}
		}
		return titles
	}
	for _, step := range []struct {
		outcome api.Outcome
		want    []string
	}{
		{api.OutcomeStopped, nil},
		{api.OutcomeFailed, []string{"The last run failed"}},
		{api.OutcomeNothing, []string{"The last run failed"}},
		{api.OutcomeFailed, []string{"Runs failed again and again"}},
	} {
		l.fail(id, step.outcome, false)
		if got := failed(); !slices.Equal(got, step.want) {
			t.Errorf("after a run that %s the inbox has %q, want %q", step.outcome, got, step.want)
		}
	}
}
