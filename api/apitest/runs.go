package apitest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/program"
)

// sets an agent to work: it takes a piece of work for an agent.
func (p *player) sets(agent brenner.ActorName, w api.Work) (api.StartedRun, error) {
	return p.StartRun(p.ctx, api.StartRunRequest{
		Work: w, Agent: agent, Runner: "here/1/2",
		Program: api.RunProgram{Name: "script", Profile: program.Script, Tools: program.NoTools, Directory: program.Scratch},
	})
}

// ends says how a run ended.
func (p *player) ends(id string, o api.Outcome, c program.Cause) api.RunInfo {
	p.Helper()
	r, err := p.EndRun(p.ctx, api.EndRunRequest{
		ID: id, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: o, Cause: c, Said: "so it ended", Starts: 1}, Transcript: "it printed this\n",
	})
	p.must(err)
	return r
}

func runCases() []testCase {
	return []testCase{
		{"a run holds its task and gives it back", func(s *scene) { // W8, W10
			t := s.pi.opens()
			work := api.Work{Task: t.ID}
			run, err := s.pi.sets("GreyStone", work)
			s.pi.must(err)
			if run.Token == "" || run.State != api.RunRunning || run.Attempt != 1 || run.Role != "writer" || run.LeaseLeft <= 0 {
				s.Errorf("started %+v", run)
			}
			held, err := s.pi.Task(s.ctx, api.TaskRequest{ID: t.ID})
			s.pi.must(err)
			if held.State != api.TaskClaimed || held.Holder != "GreyStone" {
				s.Errorf("the task is %+v", held)
			}
			_, err = s.pi.sets("GreyStone", work)
			s.pi.refused(err, brenner.CodeWorkTaken)
			end := s.pi.ends(run.ID, api.OutcomeFailed, program.Crashed)
			if end.State != api.RunEnded || end.Outcome != api.OutcomeFailed || end.Said != "so it ended" {
				s.Errorf("ended %+v", end)
			}
			if free, _ := s.pi.Task(s.ctx, api.TaskRequest{ID: t.ID}); free.State != api.TaskOpen {
				s.Errorf("the task is still %+v", free)
			}
			_, err = s.pi.EndRun(s.ctx, api.EndRunRequest{ID: run.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}})
			s.pi.refused(err, brenner.CodeRunEnded)
			log, err := s.pi.RunLog(s.ctx, api.RunRequest{ID: run.ID}) // W11
			if s.pi.must(err); log.Text != "it printed this\n" {
				s.Errorf("the log is %q", log.Text)
			}
			distilled, err := s.reader("WhiteFox").RunLog(s.ctx, api.RunRequest{ID: run.ID}) // W11: a distiller reads it
			if s.pi.must(err); distilled != log {
				s.Errorf("the distiller reads %q", distilled.Text)
			}
			_, err = s.reader("GreyStone").RunLog(s.ctx, api.RunRequest{ID: run.ID}) // not even whose run it was
			s.pi.refused(err, brenner.CodeReadDenied)
		}},
		{"of many runners one gets the task", func(s *scene) { // W8
			t := s.pi.opens()
			var won atomic.Int64
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					if _, err := s.pi.sets("GreyStone", api.Work{Task: t.ID}); err == nil {
						won.Add(1)
					}
				})
			}
			if all.Wait(); won.Load() != 1 {
				s.Errorf("%d runs hold one task", won.Load())
			}
		}},
		{"three failures block the work until a person starts it again", func(s *scene) { // W10
			t := s.pi.opens()
			work := api.Work{Task: t.ID}
			for range brenner.MaxRunFailures {
				run, err := s.pi.sets("GreyStone", work)
				s.pi.must(err)
				s.pi.ends(run.ID, api.OutcomeNothing, program.NoWords)
			}
			_, err := s.pi.sets("GreyStone", work)
			s.pi.refused(err, brenner.CodeWorkBlocked)
			open, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{})
			if s.pi.must(err); len(open.Work) != 0 || len(open.Blocked) != 1 || open.Blocked[0].Failures != brenner.MaxRunFailures {
				s.Errorf("open work: %+v", open)
			}
			status, err := s.pi.Status(s.ctx)
			s.pi.must(err)
			if !slices.ContainsFunc(status.Items, func(n api.Need) bool { return n.Kind == "run" && slices.Contains(n.Names, t.ID) }) {
				s.Errorf("status does not say that %s needs the PI: %+v", t.ID, status.Items)
			}
			run, err := s.pi.StartRun(s.ctx, api.StartRunRequest{Work: work, Agent: "GreyStone", Runner: "here/1/2", Again: true})
			if s.pi.must(err); run.Attempt != brenner.MaxRunFailures+1 {
				s.Errorf("started %+v", run)
			}
		}},
		{"what the machine or the provider is at fault for blocks nothing", func(s *scene) { // W10
			t := s.pi.opens()
			for _, cause := range []program.Cause{program.NotInstalled, program.NotLoggedIn, program.RateLimited, program.Overloaded} {
				run, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
				s.pi.must(err)
				s.pi.ends(run.ID, api.OutcomeFailed, cause)
			}
			open, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: api.Work{Task: t.ID}})
			if s.pi.must(err); len(open.Work) != 1 || open.Work[0].Agents[0].Name != "GreyStone" {
				s.Errorf("open work: %+v", open)
			}
		}},
		{"a session is work for each agent that was asked", func(s *scene) { // W1, W6
			info := s.pi.starts()
			id, asked := info.ID, len(info.Recipients)
			open, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: api.Work{Session: id}})
			if s.pi.must(err); len(open.Work) != asked || asked < 2 {
				s.Fatalf("open work: %+v", open)
			}
			run, err := s.pi.sets("BlueLake", api.Work{Session: id})
			if s.pi.must(err); len(run.Messages) != 1 || run.Role != "hypothesis_generator" {
				s.Errorf("started %+v", run)
			}
			if open, _ = s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: api.Work{Session: id}}); len(open.Work) != asked-1 || open.Work[0].Agents[0].Name == "BlueLake" {
				s.Errorf("while one is at it: %+v", open.Work)
			}
			_, err = s.pi.sets("GreyStone", api.Work{Session: id})
			s.pi.refused(err, brenner.CodeNotFound)
			s.agent("BlueLake").submits(id, anomaly)
			s.pi.ends(run.ID, api.OutcomeAnswered, program.Fine)
			_, err = s.pi.sets("BlueLake", api.Work{Session: id})
			s.pi.refused(err, brenner.CodeWorkDone)
			costs, err := s.pi.RunCosts(s.ctx, api.RunCostsRequest{Work: api.Work{Session: id}})
			if s.pi.must(err); costs.Total.Runs != 1 || costs.Total.Unknown != 1 || costs.ByAgent["BlueLake"].Runs != 1 { // W12
				s.Errorf("costs: %+v", costs)
			}
		}},
		{"a person stops a run and its runner hears of it", func(s *scene) { // W12
			t := s.pi.opens()
			run, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
			s.pi.must(err)
			costs, err := s.pi.RunCosts(s.ctx, api.RunCostsRequest{Work: api.Work{Task: t.ID}})
			if s.pi.must(err); costs.Total.Running != 1 || costs.Total.Unknown != 0 {
				s.Errorf("the cost of a run at work: %+v", costs.Total)
			}
			_, err = s.pi.StopRun(s.ctx, api.StopRunRequest{ID: run.ID, Reason: "enough"})
			s.pi.must(err)
			beat, err := s.pi.BeatRuns(s.ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Does: "thinks"}, {ID: "run-0"}}})
			if s.pi.must(err); len(beat.Runs) != 2 || beat.Runs[0].Stop != "enough" || beat.Runs[0].LeaseLeft <= 0 || !beat.Runs[1].Gone {
				s.Errorf("beat: %+v", beat)
			}
			// W18: what it does and prints is seen while it goes on.
			for _, tail := range []string{"one\ntwo\n", ""} { // nothing new
				_, err = s.pi.BeatRuns(s.ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Does: "writes", Tail: tail}}})
				s.pi.must(err)
			}
			log, err := s.pi.RunLog(s.ctx, api.RunRequest{ID: run.ID})
			if s.pi.must(err); log.Text != "one\ntwo\n" || !log.Running {
				s.Errorf("the log so far is %+v", log)
			}
			if now, err := s.pi.Run(s.ctx, api.RunRequest{ID: run.ID}); err != nil || now.Doing == nil || now.Doing.Does != "writes" {
				s.Errorf("it is at %+v: %v", now.Doing, err)
			}
			_, err = s.pi.BeatRuns(s.ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Tail: strings.Repeat("x", brenner.MaxRunTail+1)}}})
			s.pi.refused(err, brenner.CodeLimitExceeded)
			if beat, _ := s.pi.BeatRuns(s.ctx, api.BeatRunsRequest{Runner: "another/1/2", Runs: []api.RunBeat{{ID: run.ID}}}); len(beat.Runs) != 1 || !beat.Runs[0].Gone {
				s.Errorf("the beat of another runner: %+v", beat)
			}
			list, err := s.pi.Runs(s.ctx, api.ListRunsRequest{States: []api.RunState{api.RunRunning}, Runner: "here/"})
			if s.pi.must(err); len(list.Runs) != 1 || list.Runs[0].Stopping != "enough" {
				s.Errorf("runs: %+v", list)
			}
		}},
		{"no agent starts agents", func(s *scene) { // W5
			t := s.pi.opens()
			_, err := s.agent("RedSky").sets("GreyStone", api.Work{Task: t.ID})
			s.pi.refused(err, brenner.CodeWriteDenied)
		}},
		{"a runner starts the agents it is registered for, and does nothing else", func(s *scene) { // W17
			t := s.pi.opens()
			_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "outpost", Role: "runner"})
			s.pi.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "outpost", Role: "writer", For: []brenner.ActorName{"GreyStone"}})
			s.pi.refused(err, brenner.CodeInvalidValue)
			info, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "outpost", Role: "runner", For: []brenner.ActorName{"RedSky"}})
			if s.pi.must(err); info.Kind != "runner" {
				s.Errorf("registered %+v", info)
			}
			outpost := s.agent("outpost")
			open, err := outpost.OpenWork(s.ctx, api.OpenWorkRequest{})
			if outpost.must(err); len(open.Work) != 0 {
				s.Errorf("it sees work that is not for its agents: %+v", open.Work)
			}
			_, err = outpost.sets("GreyStone", api.Work{Task: t.ID})
			outpost.refused(err, brenner.CodeWriteDenied)
			others, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
			s.pi.must(err)
			_, err = outpost.Run(s.ctx, api.RunRequest{ID: others.ID})
			outpost.refused(err, brenner.CodeNotFound)
			_, err = outpost.EndRun(s.ctx, api.EndRunRequest{ID: others.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}})
			outpost.refused(err, brenner.CodeNotFound)
			s.pi.ends(others.ID, api.OutcomeStopped, program.Stopped)

			_, err = s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: "outpost", Role: "runner", For: []brenner.ActorName{"GreyStone"}, Update: true})
			s.pi.must(err)
			open, err = outpost.OpenWork(s.ctx, api.OpenWorkRequest{})
			if outpost.must(err); len(open.Work) != 1 || len(open.Work[0].Agents) != 1 {
				s.Errorf("open work: %+v", open.Work)
			}
			run, err := outpost.sets("GreyStone", api.Work{Task: t.ID})
			if outpost.must(err); run.Starter != "outpost" || run.Token == "" {
				s.Errorf("started %+v", run)
			}
			outpost.ends(run.ID, api.OutcomeFailed, program.Crashed)
			list, err := outpost.Runs(s.ctx, api.ListRunsRequest{})
			if outpost.must(err); len(list.Runs) != 1 || list.Runs[0].ID != run.ID {
				s.Errorf("it sees %+v", list.Runs)
			}
			_, err = outpost.RunLog(s.ctx, api.RunRequest{ID: run.ID}) // W11
			outpost.refused(err, brenner.CodeReadDenied)
			_, err = outpost.NewTask(s.ctx, api.NewTaskRequest{Title: "More", Role: "writer"})
			outpost.refused(err, brenner.CodeWriteDenied)
		}},
		{"only the PI says what a run of a task may use", func(s *scene) { // W5
			req := api.NewTaskRequest{Title: "Mend", Role: "writer", Modules: []brenner.Module{"lineage"}}
			req.Tools, req.Directory, req.Test = program.Edit, program.Worktree, "make test"
			t, err := s.pi.NewTask(s.ctx, req)
			if s.pi.must(err); t.WorkSettings != req.WorkSettings {
				s.Errorf("opened %+v", t)
			}
			open, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: api.Work{Task: t.ID}})
			if s.pi.must(err); len(open.Work) != 1 || open.Work[0].WorkSettings != req.WorkSettings {
				s.Errorf("open work: %+v", open.Work)
			}
			for _, bad := range []api.WorkSettings{{Tools: "all"}, {Directory: "/"}, {Test: "make test"}, {Directory: program.Worktree, Test: "a\nb"}} {
				req.WorkSettings = bad
				_, err := s.pi.NewTask(s.ctx, req)
				s.pi.refused(err, brenner.CodeInvalidValue)
			}
		}},
		{"what a run changed is an artifact of its agent, and an output of its task", func(s *scene) { // W15
			t := s.pi.opens()
			run, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
			s.pi.must(err)
			commit := "0123456789abcdef0123456789abcdef01234567"
			end, err := s.pi.EndRun(s.ctx, api.EndRunRequest{
				ID: run.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked, Branch: "brenner/" + run.ID, Base: commit},
				Change: &api.CodeChange{
					Base: commit, Branch: "brenner/" + run.ID, Commit: commit, Files: []api.FileChange{{Path: "a.go", Added: 2}},
					Diff: "+x", Test: &api.TestResult{Command: "make test", Exit: 1, Output: "FAIL"},
				},
			})
			s.pi.must(err)
			v := s.pi.reads(end.Change)
			if v.Type != "code_change" || v.Metadata.Creator != "GreyStone" || v.Status != "draft" || v.Summary != "1 file for "+t.ID+" (+2 −0); the test fails with status 1" {
				s.Errorf("the change is %+v", v)
			}
			done, err := s.pi.Task(s.ctx, api.TaskRequest{ID: t.ID})
			if s.pi.must(err); !slices.Contains(done.Outputs, end.Change) || !slices.Contains(end.Wrote, end.Change) {
				s.Errorf("the task has %v, the run wrote %v", done.Outputs, end.Wrote)
			}
			run, err = s.pi.sets("GreyStone", api.Work{Task: t.ID})
			s.pi.must(err)
			_, err = s.pi.EndRun(s.ctx, api.EndRunRequest{ID: run.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeWorked}, Change: &api.CodeChange{Base: "main"}})
			s.pi.refused(err, brenner.CodeSchemaViolation)
			if second := s.pi.ends(run.ID, api.OutcomeNothing, program.LeftOpen); len(second.Wrote) != 0 { // W12
				s.Errorf("the second run wrote what the first did: %v", second.Wrote)
			}
		}},
		{"what a run printed is kept by its hash and can be redacted", func(s *scene) { // W11
			t := s.pi.opens()
			run, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
			s.pi.must(err)
			end := s.pi.ends(run.ID, api.OutcomeFailed, program.Crashed)
			if end.Transcript != canon.Sum([]byte("it printed this\n")) {
				s.Errorf("the hash of what it printed is %q", end.Transcript)
			}
			_, err = s.reader("WhiteFox").Redact(s.ctx, api.RedactRequest{Digest: end.Transcript, Reason: "a name"})
			s.pi.refused(err, brenner.CodeWriteDenied)
			res, err := s.pi.Redact(s.ctx, api.RedactRequest{Digest: end.Transcript, Reason: "a name"})
			if s.pi.must(err); len(res.Versions) != 0 {
				s.Errorf("it was the content of %v", res.Versions)
			}
			_, err = s.pi.RunLog(s.ctx, api.RunRequest{ID: run.ID})
			s.pi.refused(err, brenner.CodeRedacted)
			if again, err := s.pi.Run(s.ctx, api.RunRequest{ID: run.ID}); err != nil || again.Transcript != end.Transcript || again.Said != end.Said {
				s.Errorf("the run is %+v: %v", again, err)
			}
			v, err := s.pi.Verify(s.ctx, api.VerifyRequest{})
			if s.pi.must(err); !v.OK || !slices.Contains(v.Redacted, end.Transcript) {
				s.Errorf("verify: %+v", v)
			}
		}},
		{"of one piece of work that is none now it is said why", func(s *scene) { // W1
			_, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: api.Work{Task: "task-0"}})
			s.pi.refused(err, brenner.CodeNotFound)
			_, err = s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: api.Work{Session: "RS-none"}})
			s.pi.refused(err, brenner.CodeNotFound)
			why := func(w api.Work, want string) {
				s.Helper()
				open, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{Work: w})
				if s.pi.must(err); !strings.Contains(open.Why, want) || (len(open.Work) == 0) != (want != "") {
					s.Errorf("of %s it is said %q, with %d pieces of work", w, open.Why, len(open.Work))
				}
			}
			t := s.pi.opens()
			why(api.Work{Task: t.ID}, "")
			run, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
			s.pi.must(err)
			why(api.Work{Task: t.ID}, "is held by GreyStone until")
			s.pi.ends(run.ID, api.OutcomeStopped, program.Stopped)
			_, err = s.pi.CancelTask(s.ctx, api.CancelTaskRequest{ID: t.ID, Reason: "not needed"})
			s.pi.must(err)
			why(api.Work{Task: t.ID}, t.ID+" is canceled")
			only, err := s.pi.OpenWork(s.ctx, api.OpenWorkRequest{OnlyPrograms: true})
			if s.pi.must(err); len(only.Work) != 0 || only.Project == "" {
				s.Errorf("of programs alone: %+v", only)
			}
		}},
		{"runs are listed by pages", func(s *scene) {
			for i := range 5 {
				t := s.pi.opens()
				run, err := s.pi.sets("GreyStone", api.Work{Task: t.ID})
				s.pi.must(err)
				s.pi.ends(run.ID, api.OutcomeStopped, program.Cause(fmt.Sprint(i)))
			}
			var causes []program.Cause
			req := api.ListRunsRequest{Page: api.Page{Limit: 2}}
			for range 5 {
				list, err := s.pi.Runs(s.ctx, req)
				s.pi.must(err)
				for _, r := range list.Runs {
					causes = append(causes, r.Cause)
				}
				if req.Cursor = list.Cursor; req.Cursor == "" {
					break
				}
			}
			if fmt.Sprint(causes) != "[4 3 2 1 0]" {
				s.Errorf("listed %v", causes)
			}
			list, err := s.pi.Runs(s.ctx, api.ListRunsRequest{Page: api.Page{Limit: 1}, Oldest: true})
			s.pi.must(err)
			if len(list.Runs) != 1 || list.Runs[0].Cause != "0" || list.Cursor == "" {
				s.Errorf("the oldest: %+v", list)
			}
		}},
	}
}

// anomaly is a reply with one usable delta.
const anomaly = "Seen.\n\n```delta\n" + `{"operation":"ADD","target_id":null,"section":"anomaly_register","payload":{"name":"gap","observation":"the ring stays open"},"rationale":"seen"}` + "\n```\n"
