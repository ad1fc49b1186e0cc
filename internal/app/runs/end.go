package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/program"
)

// EndRun implements api.Runs.
func (s *Service) EndRun(ctx context.Context, req api.EndRunRequest) (api.RunInfo, error) {
	return kernel.Write(ctx, s.caller, "run.end", req, running(req.ID), func(ch *kernel.Change) (api.RunInfo, error) {
		r, err := find(ch.Call, req.ID)
		if err != nil {
			return api.RunInfo{}, err
		}
		if r.State == api.RunEnded || r.Runner != req.Runner {
			return api.RunInfo{}, ended(r)
		}
		e, err := endingOf(ch, req)
		if err != nil {
			return api.RunInfo{}, err
		}
		if req.Change != nil {
			if e.Change, err = s.keepChange(ch, r, *req.Change); err != nil {
				return api.RunInfo{}, err
			}
			e.Wrote = []brenner.Ref{e.Change}
		}
		if r.Task != "" {
			t, err := s.Tasks.Find(ch.Call, r.Task)
			if err != nil {
				return api.RunInfo{}, err
			}
			if e.Wrote, err = since(ch, r, t.Outputs); err != nil {
				return api.RunInfo{}, err
			}
		}
		if err := s.end(ch, r, e); err != nil {
			return api.RunInfo{}, err
		}
		r, err = runs.Find(ch.Ctx, ch.Reader, req.ID)
		return r.info(), err
	})
}

// since keeps the versions that were written since a run began: what its task
// had before came of others.
func since(ch *kernel.Change, r run, all []brenner.Ref) (out []brenner.Ref, err error) {
	for _, ref := range all {
		v, err := ch.Version(ch.Ctx, ref)
		if err != nil {
			return nil, err
		}
		if v.Seq >= kernel.NumberOf(r.ID) {
			out = append(out, ref)
		}
	}
	return out, nil
}

func ended(r run) error {
	if r.State == api.RunEnded {
		return brenner.Errorf(brenner.CodeRunEnded, "%s has ended: %s", r.ID, r.End.Outcome)
	}
	return brenner.Errorf(brenner.CodeRunEnded, "%s is another runner's", r.ID)
}

var outcomes = []api.Outcome{
	api.OutcomeAnswered, api.OutcomeWorked, api.OutcomeNothing, api.OutcomeRefused, api.OutcomeFailed,
	api.OutcomeTimedOut, api.OutcomeStopped, api.OutcomeLost,
}

// maxNotes bounds the notes of an end.
const maxNotes = 20

func endingOf(ch *kernel.Change, req api.EndRunRequest) (ending, error) {
	e := ending{
		Outcome: req.Outcome, Cause: req.Cause, Said: req.Said, Exit: req.Exit, Usage: req.Usage, Model: req.Answered, Context: req.Context,
		Message: req.Message, Starts: req.Starts, Repairs: req.Repairs, Notes: req.Notes, Branch: req.Branch, Base: req.Base,
	}
	if !slices.Contains(outcomes, e.Outcome) {
		return e, brenner.Errorf(brenner.CodeInvalidValue, "%q is not how a run ends", e.Outcome).At("/outcome")
	}
	if len(e.Notes) > maxNotes || len(req.Transcript) > 2*brenner.MaxTranscriptBytes || len([]rune(e.Said)) > brenner.MaxNoteRunes {
		return e, brenner.Errorf(brenner.CodeLimitExceeded, "the end of a run says too much")
	}
	if err := kernel.CheckText(e.Said + e.Model + req.Transcript + strings.Join(e.Notes, "")); err != nil {
		return e, err
	}
	var err error
	if req.Transcript != "" {
		e.Transcript, err = ch.PutBlob([]byte(req.Transcript))
	}
	return e, err
}

// words say how a run ended.
func (e ending) words() string {
	out := string(e.Outcome)
	if e.Cause != "" {
		out += ", " + string(e.Cause)
	}
	return strings.ReplaceAll(out, "_", " ")
}

// end records the end of a run: its token dies, and a task that is not done is
// free again.
func (r *Room) end(ch *kernel.Change, of run, e ending) error {
	if err := r.Tokens.EndToken(ch, of.Token); err != nil {
		return err
	}
	if of.Task != "" {
		if err := r.Tasks.GiveBack(ch, of.Task, of.Agent, fmt.Sprintf("%s ended: %s", of.ID, e.words())); err != nil {
			return err
		}
	}
	r.doing.forget(of.ID)
	_, err := kindRunEnded.Append(ch, runEnded{ID: of.ID, End: e})
	return err
}

// StopRun implements api.Runs.
func (s *Service) StopRun(ctx context.Context, req api.StopRunRequest) (api.RunInfo, error) {
	return kernel.Write(ctx, s.caller, "run.stop", req, running(req.ID), func(ch *kernel.Change) (api.RunInfo, error) {
		r, err := find(ch.Call, req.ID)
		if err != nil {
			return api.RunInfo{}, err
		}
		if r.State == api.RunEnded {
			return api.RunInfo{}, ended(r)
		}
		if err := kernel.CheckText(req.Reason); err != nil || len([]rune(req.Reason)) > brenner.MaxNoteRunes {
			return api.RunInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "the reason is too long or not text").At("/reason").Because(err)
		}
		if req.Reason == "" {
			req.Reason = "stopped by " + string(ch.Who.Name)
		}
		if r.live(ch.Clock) {
			_, err = kindRunStopAsked.Append(ch, runStopAsked{ID: r.ID, Reason: req.Reason})
		} else {
			err = s.end(ch, r, ending{Outcome: api.OutcomeLost, Cause: program.LostTouch, Said: "its runner has not been heard of"})
		}
		if err != nil {
			return api.RunInfo{}, err
		}
		r, err = runs.Find(ch.Ctx, ch.Reader, req.ID)
		return r.info(), err
	})
}

// BeatRuns implements api.Runs. Only what has to be renewed is written.
func (s *Service) BeatRuns(ctx context.Context, req api.BeatRunsRequest) (api.Beat, error) {
	if len(req.Runs) > brenner.MaxJobs {
		return api.Beat{}, brenner.Errorf(brenner.CodeLimitExceeded, "a runner has at most %d runs", brenner.MaxJobs)
	}
	for _, b := range req.Runs {
		if len(b.Tail) > brenner.MaxRunTail {
			return api.Beat{}, brenner.Errorf(brenner.CodeLimitExceeded, "the end of a log has at most %d bytes", brenner.MaxRunTail)
		}
		if err := kernel.CheckText(b.Tail); err != nil {
			return api.Beat{}, err
		}
	}
	var due []string
	out, err := kernel.View(ctx, s.caller, running("beat"), func(c *kernel.Call) (api.Beat, error) {
		var beat api.Beat
		for _, b := range req.Runs {
			r, err := find(c, b.ID)
			if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && (r.Runner != req.Runner || !r.live(c.Clock)) {
				beat.Runs = append(beat.Runs, api.BeatAnswer{ID: b.ID, Gone: true})
				continue
			}
			if err != nil {
				return api.Beat{}, err
			}
			s.doing.note(b)
			// A clock that was put back must not make a lease longer than it is.
			left := min(r.Until.Sub(c.Clock), time.Duration(r.Lease))
			if left < time.Duration(r.Lease)*2/3 {
				due = append(due, r.ID)
			}
			beat.Runs = append(beat.Runs, api.BeatAnswer{ID: r.ID, LeaseLeft: api.Duration(left), Stop: r.Stopping})
		}
		return beat, nil
	})
	if err != nil || len(due) == 0 {
		return out, err
	}
	left, err := s.renew(ctx, req.Runner, due)
	for i, a := range out.Runs {
		if d, ok := left[a.ID]; ok {
			out.Runs[i].LeaseLeft = d
		}
	}
	return out, err
}

// renew prolongs the leases of runs, of their tasks and of their tokens.
func (s *Service) renew(ctx context.Context, runner string, ids []string) (map[string]api.Duration, error) {
	return kernel.Write(ctx, s.caller, "run.renew", api.Write{}, running("renew"), func(ch *kernel.Change) (map[string]api.Duration, error) {
		out := map[string]api.Duration{}
		for _, id := range ids {
			r, err := find(ch.Call, id)
			if err != nil {
				return nil, err
			}
			if r.Runner != runner || !r.live(ch.Clock) {
				continue
			}
			lease := time.Duration(r.Lease)
			until := ch.Clock.Add(lease)
			if _, err := kindRunRenewed.Append(ch, runRenewed{ID: id, Until: until}); err != nil {
				return nil, err
			}
			if err := s.Tokens.Prolong(ch, r.Token, until); err != nil {
				return nil, err
			}
			if r.Task != "" {
				if err := s.Tasks.Renew(ch, r.Task, r.Agent, lease); err != nil {
					return nil, err
				}
			}
			out[id] = api.Duration(lease)
		}
		return out, nil
	})
}

// doing remembers what live runs do, as their runners told this process. It is
// not recorded, and gone when the process ends.
type doing struct {
	mu  sync.Mutex
	now map[string]api.RunBeat
}

func (d *doing) note(b api.RunBeat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now == nil {
		d.now = map[string]api.RunBeat{}
	}
	if len(d.now) > 4*brenner.MaxPage { // of runners that never came back
		maps.DeleteFunc(d.now, func(string, api.RunBeat) bool { return true })
	}
	if b.Tail == "" {
		b.Tail = d.now[b.ID].Tail
	}
	d.now[b.ID] = b
}

func (d *doing) of(id string) (api.RunBeat, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.now[id]
	return b, ok
}

func (d *doing) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.now, id)
}
