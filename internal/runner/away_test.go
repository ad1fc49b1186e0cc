package runner

import (
	"testing"
	"time"

	"brenner/api"
	"brenner/program"
)

// completing is a program that closes its task, and ends badly if it may not.
func completing() Job { return assigned(acting("tool-strict", "task_complete", `{"id":"task-1"}`)) }

// away takes the project away until the agent has asked for something so often,
// and a little longer.
func (w *world) away(calls int, longer time.Duration) {
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	go func() {
		for asked := 0; asked < calls; time.Sleep(5 * time.Millisecond) {
			w.mu.Lock()
			asked = len(w.calls)
			w.mu.Unlock()
		}
		time.Sleep(longer)
		w.mu.Lock()
		w.down = false
		w.mu.Unlock()
	}()
}

// begun does a job on a project that goes away as soon as the run is taken.
func begun(t *testing.T, w *world, r *Runner, job Job, calls int, longer time.Duration) api.RunInfo {
	t.Helper()
	r.o.Tell = func(p Progress) {
		if p.Does == "starts" {
			w.away(calls, longer)
		}
	}
	return do(t, r, job)
}

// W8, W16: a program whose project goes away for a moment does not hear of it.
func TestRun_AProjectThatComesBackIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	info := begun(t, w, w.runner(t), completing(), 1, 200*time.Millisecond)
	if info.Outcome != api.OutcomeWorked || info.Starts != 1 || len(w.calls) != 1 {
		t.Errorf("ended as %+v after the calls %q", info.RunEnd, w.calls)
	}
}

// W10, W16: one that stays away for longer than programs wait is nothing that
// the agent refused or failed at: its program is started again.
func TestRun_AProjectThatStaysAwayIsNoFailureOfTheAgent(t *testing.T) {
	w := newWorld(t)
	impatient := func(o *Options) { o.Patience, o.Pause = 20*time.Millisecond, 200*time.Millisecond }
	info := begun(t, w, w.runner(t, impatient), completing(), 1, 100*time.Millisecond)
	if info.Outcome != api.OutcomeWorked || info.Starts < 2 {
		t.Errorf("ended as %+v after the calls %q", info.RunEnd, w.calls)
	}
	if cause := failedWith(errDown).Cause; cause != program.ProjectAway || !cause.Passing() || outcomeFor(cause) != api.OutcomeFailed {
		t.Errorf("a run of a project that is away ends for %q", cause)
	}
}

// W8, W16: a run whose start was recorded and never heard of is given back, and
// the work taken anew: nobody waits for its lease to end.
func TestRun_AStartThatWasNotHeardOfIsGivenBack(t *testing.T) {
	w := newWorld(t)
	w.mute = 1
	info := do(t, w.runner(t), completing())
	if info.ID != "run-2" || info.Outcome != api.OutcomeWorked {
		t.Errorf("%s ended as %+v", info.ID, info.RunEnd)
	}
	if first := w.runs[0]; first.State != api.RunEnded || first.Outcome != api.OutcomeLost || len(w.tokens) != 0 {
		t.Errorf("the first is %+v, %d tokens live", first, len(w.tokens))
	}
}
