package runner

import (
	"context"
	"sync"
	"time"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// beating is a run of ours that is alive.
type beating struct {
	id  string
	end context.CancelCauseFunc

	mu    sync.Mutex
	doing string
	since time.Time
	used  program.Usage
	// log is what it prints, file where this machine keeps what it does; nil
	// until it has begun.
	log  *transcript
	file *runFile
	told int64 // bytes of the log that were told of
	// until is when the lease ends, by our own clock, which does not jump.
	until time.Time
	gone  bool
}

// does notes what the run does now, and reports whether that is new.
func (b *beating) does(what string, used program.Usage) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	fresh := b.doing != what
	if fresh {
		b.doing, b.since = what, time.Now()
	}
	b.used = used
	return fresh
}

// follow begins to tell what the run prints.
func (b *beating) follow(log *transcript, file *runFile) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log, b.file = log, file
}

// tell is what the run does now, for the project and for other processes of
// this machine (W18). printed is how much of the log that tells of.
func (b *beating) tell() (now api.RunBeat, printed int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now = api.RunBeat{ID: b.id, Does: b.doing, Since: b.since.UTC(), Usage: b.used}
	if b.log == nil {
		return now, 0
	}
	if printed = b.log.bytes(); printed != b.told {
		now.Tail = b.log.end(brenner.MaxRunTail)
	}
	b.file.tell(now)
	return now, printed
}

// heard notes how much of the log the project knows of.
func (b *beating) heard(printed int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = printed
}

func (b *beating) isGone() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone
}

// join takes a run into the beat.
func (r *Runner) join(run api.StartedRun, end context.CancelCauseFunc) *beating {
	b := &beating{id: run.ID, end: end, doing: "starts", since: time.Now(), until: time.Now().Add(time.Duration(run.LeaseLeft))}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[run.ID] = b
	return b
}

func (r *Runner) leave(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, id)
}

// beats tells the project that our runs are alive, and ends those that it wants
// ended, or that it may give to another because it has not heard from us (W8).
func (r *Runner) beats(ctx context.Context) {
	ticker := time.NewTicker(r.o.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.mu.Lock()
		var all []*beating
		for _, b := range r.live {
			all = append(all, b)
		}
		r.mu.Unlock()
		if len(all) > 0 {
			r.beatOnce(ctx, all)
		}
	}
}

func (r *Runner) beatOnce(ctx context.Context, all []*beating) {
	// A lease counts from before the question: the answer may take its time.
	sent := time.Now()
	req := api.BeatRunsRequest{Runner: r.name}
	byID := map[string]*beating{}
	printed := map[string]int64{}
	for _, b := range all {
		now, n := b.tell()
		req.Runs = append(req.Runs, now)
		byID[b.id], printed[b.id] = b, n
	}
	ask, cancel := context.WithTimeout(ctx, max(r.o.Lease/4, time.Second))
	answer, err := r.o.Project.BeatRuns(ask, req)
	cancel()
	if err != nil && brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassUnavailable {
		r.o.Log.Warn("the project does not take the beat of the runs", "cause", err)
	}
	for _, a := range answer.Runs {
		if b := byID[a.ID]; b != nil {
			b.heard(printed[a.ID])
			b.hear(a, sent)
		}
	}
	for _, b := range all {
		b.mu.Lock()
		late := time.Now().Add(r.o.Grace + r.o.Beat).After(b.until)
		b.mu.Unlock()
		if late {
			b.end(causeError{cause: program.LostTouch})
		}
	}
}

// hear takes what the project says about a run.
func (b *beating) hear(a api.BeatAnswer, sent time.Time) {
	b.mu.Lock()
	if a.LeaseLeft > 0 {
		b.until = sent.Add(time.Duration(a.LeaseLeft))
	}
	b.gone = b.gone || a.Gone
	b.mu.Unlock()
	switch {
	case a.Gone:
		b.end(causeError{cause: program.LostTouch})
	case a.Stop != "":
		b.end(causeError{program.Stopped, a.Stop})
	}
}
