package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/program"
)

// many is a text of so many letters.
func many(n int) string { return strings.Repeat("x", n) }

// text is what is written in a note.
func text(s string) api.Body { return api.Body{Format: artifact.Text, Data: s} }

func tellAccess(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	crowd := make([]brenner.ActorName, brenner.MaxPage+1)
	for i := range crowd {
		crowd[i] = brenner.ActorName(fmt.Sprintf("Bird%d", i))
	}
	for _, req := range []api.AddAgentRequest{
		{Name: "ada", Role: "writer", Update: true},
		{Name: "ada", Role: brenner.PI, Update: true},
		{Name: "ada", Role: "writer", Person: true, Update: true},
		{Name: "ada", Role: brenner.PI, Person: true, Update: true, Note: "it is me"},
		{Name: "system", Role: "writer"},
		{Name: "Bird", Role: "writer", Note: many(brenner.MaxNoteRunes)},
		{Name: "Bird", Role: "writer", Note: many(brenner.MaxNoteRunes + 1), Update: true},
		{Name: "Bird", Role: "writer", Note: "\x00", Update: true},
		{Name: "Bird", Role: "runner", Person: true, For: crowd[:1], Update: true},
		{Name: "Runner", Role: "runner"},
		{Name: "Runner", Role: "runner", For: crowd},
		{Name: "Runner", Role: "runner", For: []brenner.ActorName{"no name"}},
		{Name: "Runner", Role: "runner", For: crowd[:brenner.MaxPage]},
		{Name: "Runner", Role: "runner", For: []brenner.ActorName{"GreyStone", "Bird", "GreyStone"}, Update: true},
		{Name: "Bird", Role: "writer", For: crowd[:1], Update: true},
		{Name: "grace", Role: "integrator", Person: true},
	} {
		_, _ = pi.AddAgent(ctx, req)
	}
	_, _ = pi.Agents(ctx)
	_, _ = w.As("GreyStone").Agents(ctx)
	for range brenner.MaxTokensPerActor + 1 {
		_, _ = pi.IssueToken(ctx, api.IssueTokenRequest{Actor: "Bird", Expires: api.Duration(time.Hour)})
	}
	for _, life := range []time.Duration{time.Second - 1, time.Second, brenner.MaxTokenLife, brenner.MaxTokenLife + 1, -1} {
		issued, err := pi.IssueToken(ctx, api.IssueTokenRequest{Actor: "GreyStone", Expires: api.Duration(life)})
		if err == nil {
			who, err := w.app.Authenticate(ctx, issued.Secret)
			w.say("known", who, err)
			w.pass(time.Second)
			who, err = w.app.Authenticate(ctx, issued.Secret)
			w.say("known a second later", who, err)
		}
	}
	for _, secret := range []string{"", "brn_short", "brn_" + many(43), many(47)} {
		who, err := w.app.Authenticate(ctx, secret)
		w.say("known", who, err)
	}
	w.pass(time.Hour)
	_, _ = pi.Tokens(ctx)
	_, _ = pi.IssueToken(ctx, api.IssueTokenRequest{Actor: "Bird"})
	_, _ = pi.RevokeToken(ctx, api.RevokeTokenRequest{Actor: "GreyStone"})
	_, _ = pi.RevokeToken(ctx, api.RevokeTokenRequest{})
	_, _ = pi.RevokeToken(ctx, api.RevokeTokenRequest{ID: "token-0"})
	_, _ = pi.Tokens(ctx)
	_, _ = pi.Verify(ctx, api.VerifyRequest{Deep: true})

	for _, req := range []api.InitRequest{
		{Name: "Fate", PI: "no name"},
		{Name: "Fa\x00te", PI: "ada"},
		{Name: " ", PI: "ada"},
		{Name: many(129), PI: "ada"},
		{Name: "Fate", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: "modules: 7"}},
		{Name: many(128), PI: "ada"},
		{Name: "Fate", PI: "ada"},
	} {
		a := app.New(memory.New(), app.Options{Clock: func() time.Time { return time.Unix(0, 0) }})
		got, err := a.Init(ctx, req)
		got.ID = ""
		w.say("begun", got, err)
		if err == nil {
			_, err = a.Init(ctx, req)
			w.say("begun again", nil, err)
		}
	}
	apply := func(more string, found bool, prompts map[string]string) {
		_, _ = pi.ApplyConfig(ctx, api.ApplyConfigRequest{Found: found, File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + more, Prompts: prompts}})
	}
	const prompt = "prompts: {writer: {path: prompts/writer.md}, unified: {text: Say what you know.}}\n"
	apply(prompt, false, nil)
	for _, text := range []string{"", " \n", many(brenner.MaxPromptBytes + 1), "\x00", many(brenner.MaxPromptBytes), "Write {{AGENT}} plainly."} {
		apply(prompt, false, map[string]string{"prompts/writer.md": text})
	}
	apply(prompt, false, map[string]string{"prompts/writer.md": "Write plainly."})
	apply("", true, nil)
	apply("notify: {url: http://127.0.0.1:1/}\n", true, nil)
	apply("policies: {writer: {read: [paper_note]}}\n", true, nil)
	for _, more := range []string{
		"policies: {writer: {read: [no_such_type]}}\n",
		"policies: {writer: 7}\n",
		"policies: {writer: {role: reader, read: ['*']}}\n",
		"views: {writer: {max_tokens: -1}}\n",
		"views: {writer: {}}\n",
		"views: {no_role: {}}\n",
		"budget: {day: -1}\n",
	} {
		apply(more, false, nil)
	}
	_, _ = pi.Views(ctx)
	for _, name := range []string{"writer", "unified", "", "pi", "integrator", "nobody"} {
		for _, id := range []brenner.SessionID{"", "RS-1", "no id"} {
			_, _ = w.As("GreyStone").RolePrompt(ctx, api.RolePromptRequest{Name: name, Session: id})
		}
	}
	for _, name := range []brenner.TypeName{"", "protocol", "paper_note", "no_such_type"} {
		_, _ = pi.Types(ctx, api.TypesRequest{Name: name})
	}
}

func tellRuns(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	const id = brenner.SessionID("RS-1")
	open := func(title string) api.Work {
		task, _ := pi.NewTask(ctx, api.NewTaskRequest{Title: title, Spec: "write it", Role: "writer", Modules: []brenner.Module{"lineage"}})
		return api.Work{Task: task.ID}
	}
	start := func(work api.Work, agent brenner.ActorName, more ...func(*api.StartRunRequest)) api.StartedRun {
		req := api.StartRunRequest{Work: work, Agent: agent, Runner: "here/1/2", Program: api.RunProgram{Name: "script", Profile: program.Script, Tools: program.NoTools, Directory: program.Scratch}}
		for _, m := range more {
			m(&req)
		}
		run, _ := pi.StartRun(ctx, req)
		return run
	}
	end := func(id string, e api.RunEnd, more ...func(*api.EndRunRequest)) {
		req := api.EndRunRequest{ID: id, Runner: "here/1/2", RunEnd: e}
		for _, m := range more {
			m(&req)
		}
		_, _ = pi.EndRun(ctx, req)
	}
	lease := func(d time.Duration) func(*api.StartRunRequest) {
		return func(r *api.StartRunRequest) { r.Lease = api.Duration(d) }
	}
	beat := func(ids ...string) {
		req := api.BeatRunsRequest{Runner: "here/1/2"}
		for _, id := range ids {
			req.Runs = append(req.Runs, api.RunBeat{ID: id, Does: "reads", Tail: "it reads " + id})
		}
		_, _ = pi.BeatRuns(ctx, req)
	}
	see := func(ids ...string) {
		for _, id := range ids {
			_, _ = pi.Run(ctx, api.RunRequest{ID: id})
			_, _ = pi.RunLog(ctx, api.RunRequest{ID: id})
			_, _ = w.As("WhiteFox").RunLog(ctx, api.RunRequest{ID: id})
			_, _ = w.As("GreyStone").Run(ctx, api.RunRequest{ID: id})
		}
		_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{})
		_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Again: true, Bounded: true})
	}
	cost, none := program.Money(1_500_000), program.Money(0)
	one := open("one")
	for _, d := range []time.Duration{time.Second - 1, brenner.MaxLease + 1, -1} {
		start(one, "GreyStone", lease(d))
	}
	start(one, "ada")
	start(one, "nobody")
	start(one, "GreyStone", func(r *api.StartRunRequest) { r.Runner = "" })
	start(one, "GreyStone", func(r *api.StartRunRequest) { r.Runner = many(brenner.MaxIdempotencyKeyBytes + 1) })
	start(one, "GreyStone", func(r *api.StartRunRequest) { r.Session = id })
	start(one, "BlueLake")
	run := start(one, "GreyStone", lease(time.Minute), func(r *api.StartRunRequest) { r.Runner = "here/1/2" })
	see(run.ID)
	_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Work: one})
	beat(run.ID, "run-0")
	_, _ = pi.BeatRuns(ctx, api.BeatRunsRequest{Runner: "there/1/2", Runs: []api.RunBeat{{ID: run.ID}}})
	_, _ = pi.BeatRuns(ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Tail: many(brenner.MaxRunTail + 1)}}})
	_, _ = pi.BeatRuns(ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Tail: many(brenner.MaxRunTail)}}})
	_, _ = pi.BeatRuns(ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: []api.RunBeat{{ID: run.ID, Tail: "\x00"}}})
	_, _ = pi.BeatRuns(ctx, api.BeatRunsRequest{Runner: "here/1/2", Runs: make([]api.RunBeat, brenner.MaxJobs+1)})
	w.pass(25 * time.Second)
	beat(run.ID) // renewed
	beat(run.ID) // not yet
	w.pass(50 * time.Second)
	see(run.ID)
	for _, reason := range []string{many(brenner.MaxNoteRunes + 1), "\x00", "", "enough"} {
		_, _ = pi.StopRun(ctx, api.StopRunRequest{ID: run.ID, Reason: reason})
		beat(run.ID)
		see(run.ID)
	}
	w.pass(time.Minute)
	see(run.ID)
	_, _ = pi.StopRun(ctx, api.StopRunRequest{ID: run.ID})
	_, _ = pi.StopRun(ctx, api.StopRunRequest{ID: run.ID})
	beat(run.ID)
	see(run.ID)
	lost := start(one, "GreyStone", lease(time.Second))
	w.pass(time.Second)
	again := start(one, "GreyStone", lease(brenner.MaxLease))
	see(lost.ID, again.ID)
	end(again.ID, api.RunEnd{Outcome: "gone"})
	end(again.ID, api.RunEnd{Outcome: api.OutcomeWorked, Notes: make([]string, 21)})
	end(again.ID, api.RunEnd{Outcome: api.OutcomeWorked, Said: many(brenner.MaxNoteRunes + 1)})
	end(again.ID, api.RunEnd{Outcome: api.OutcomeWorked, Said: "\x00"})
	end(again.ID, api.RunEnd{Outcome: api.OutcomeWorked}, func(r *api.EndRunRequest) { r.Runner = "there/1/2" })
	end(again.ID, api.RunEnd{Outcome: api.OutcomeWorked}, func(r *api.EndRunRequest) { r.Transcript = many(2*brenner.MaxTranscriptBytes + 1) })
	end(again.ID, api.RunEnd{Outcome: api.OutcomeWorked, Said: many(brenner.MaxNoteRunes), Notes: make([]string, 20), Usage: program.Usage{Tokens: &program.Tokens{In: 3, Cached: 2, Out: 1}, Cost: &cost}},
		func(r *api.EndRunRequest) {
			r.Change = &api.CodeChange{
				Base: "main", Branch: "run", Commit: "c0ffee", Diff: "--- a\n+++ b\n", Files: []api.FileChange{{Path: "a", Added: 1, Removed: 2}, {Path: "b", Binary: true}},
				Test: &api.TestResult{Command: "make", Exit: 0, Output: "ok"},
			}
		})
	see(again.ID)
	two := open("two")
	failing := start(two, "GreyStone")
	end(failing.ID, api.RunEnd{Outcome: api.OutcomeFailed, Cause: program.Crashed, Usage: program.Usage{Tokens: &program.Tokens{In: 30, Cached: 20, Out: 10}}},
		func(r *api.EndRunRequest) {
			r.Change = &api.CodeChange{Base: "main", Branch: "run", Commit: "c0ffee", Cut: true, Test: &api.TestResult{Command: "make", Exit: 2}}
		})
	later, _ := pi.Project(ctx)
	w.pass(24 * time.Hour)
	free := start(two, "GreyStone")
	end(free.ID, api.RunEnd{Outcome: api.OutcomeWorked, Usage: program.Usage{Cost: &none}})

	_, _ = pi.StartSession(ctx, api.StartSessionRequest{ID: id, Question: "What decides the fate of a cell?", Module: "lineage", Roster: trio, Compile: api.CompileManual})
	work := api.Work{Session: id}
	start(work, "RedSky")
	_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Work: work})
	for i := range brenner.MaxRunFailures {
		asked := start(work, "BlueLake")
		if i == 0 {
			start(work, "BlueLake")
			start(work, "PurpleMountain")
			_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Work: work})
		}
		see(asked.ID)
		end(asked.ID, api.RunEnd{Outcome: api.OutcomeNothing, Cause: program.NoWords}, func(r *api.EndRunRequest) { r.Transcript = "it said nothing" })
		see(asked.ID)
	}
	start(work, "BlueLake")
	again = start(work, "BlueLake", func(r *api.StartRunRequest) { r.Again = true })
	_, _ = w.As("BlueLake").SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: "I have nothing to add.", Nothing: true})
	end(again.ID, api.RunEnd{Outcome: api.OutcomeAnswered})
	start(work, "BlueLake")
	_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Work: work})
	_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Work: work, Again: true})
	_, _ = pi.CloseSession(ctx, api.CloseSessionRequest{ID: id, Reason: "enough"})
	start(work, "GreenValley")
	_, _ = pi.OpenWork(ctx, api.OpenWorkRequest{Work: work})
	for _, s := range []api.Service{pi, w.As("BlueLake"), w.As("GreyStone")} {
		for _, req := range []api.ListRunsRequest{
			{},
			{Oldest: true, Page: api.Page{Limit: 2}},
			{Since: later.Now},
			{Since: later.Now, Oldest: true},
			{Before: later.Now},
			{Agent: "BlueLake"},
			{Runner: "here/"},
			{Runner: "there/"},
			{States: []api.RunState{api.RunRunning}},
			{Work: two},
			{Page: api.Page{Limit: brenner.MaxPage + 1}},
		} {
			list, _ := s.Runs(ctx, req)
			for list.Cursor != "" {
				req.Cursor = list.Cursor
				list, _ = s.Runs(ctx, req)
			}
		}
		for _, req := range []api.RunCostsRequest{{}, {Since: later.Now}, {Work: two}, {Work: work}} {
			_, _ = s.RunCosts(ctx, req)
		}
	}
	three := open("three")
	for _, budget := range []string{"{runs: 1}", "{runs: 100, day: 1.5}", "{day: 100}"} {
		_, _ = pi.ApplyConfig(ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + "budget: " + budget + "\n"}})
		start(three, "GreyStone")
		start(three, "GreyStone", func(r *api.StartRunRequest) { r.Program.TellsCost = true })
		start(three, "GreyStone", func(r *api.StartRunRequest) { r.Program.Bound = cost })
		w.pass(24 * time.Hour)
		bound := start(three, "GreyStone", func(r *api.StartRunRequest) { r.Program.Bound, r.Program.TellsCost = cost, true })
		end(bound.ID, api.RunEnd{Outcome: api.OutcomeWorked, Usage: program.Usage{Cost: &cost}})
		start(open("of "+budget), "GreyStone", func(r *api.StartRunRequest) { r.Program.Bound = cost })
		start(open("more of "+budget), "GreyStone", func(r *api.StartRunRequest) { r.Program.Bound = cost })
		_, _ = pi.Status(ctx)
	}
}

func tellTasks(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	blue, purple, green, grey := w.As("BlueLake"), w.As("PurpleMountain"), w.As("GreenValley"), w.As("GreyStone")
	const id = brenner.SessionID("RS-1")
	lineage := []brenner.Module{"lineage"}
	_, _ = pi.CreateArtifact(ctx, api.CreateArtifactRequest{ID: "note", Type: "paper_note", Module: "lineage", Summary: "about clocks", Content: text("clocks")})
	_, _ = pi.StartSession(ctx, api.StartSessionRequest{ID: id, Question: "What decides the fate of a cell?", Module: "lineage", Roster: trio, Compile: api.CompileManual})
	for _, s := range []api.Service{blue, purple, green, grey} {
		_, _ = s.AssembleContext(ctx, api.ContextRequest{Session: id, Question: "What is there to do?", Modules: lineage})
	}
	_, _ = blue.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"it counts","mechanism":"a clock"}}`)})
	_, _ = pi.CompileSession(ctx, api.CompileSessionRequest{ID: id})
	ask := func(s api.Service, req api.NewTaskRequest) string {
		task, _ := s.NewTask(ctx, req)
		return task.ID
	}
	first := ask(blue, api.NewTaskRequest{Title: "Read about clocks in CLOCKS.md and DIVISIONS.md", Spec: "and say what they say", Claim: true, Session: id, Modules: lineage})
	mark := ask(purple, api.NewTaskRequest{Title: "Design a test; GreenValley: judges it; BlueLake: helps (free: the rest)", Claim: true, Session: id, Modules: lineage})
	like := ask(purple, api.NewTaskRequest{Title: "Read about clocks in CLOCKS.md and DIVISIONS.md", Spec: "and say what they say", Claim: true, Session: id, Modules: lineage})
	_, _ = purple.CancelTask(ctx, api.CancelTaskRequest{ID: like, Reason: "\x00"})
	_, _ = purple.CancelTask(ctx, api.CancelTaskRequest{ID: like, Reason: " "})
	_, _ = green.CancelTask(ctx, api.CancelTaskRequest{ID: like, Reason: "it is not mine"})
	_, _ = purple.CancelTask(ctx, api.CancelTaskRequest{ID: like, Reason: "BlueLake is at it"})
	ask(purple, api.NewTaskRequest{Title: "Read about clocks in CLOCKS.md", Claim: true, Session: id, Modules: lineage})
	ask(green, api.NewTaskRequest{Title: "Read about clocks and divisions, what they say", Spec: "say it", Role: "writer", Session: id, Modules: lineage})
	ask(grey, api.NewTaskRequest{Title: "Read about clocks and divisions, what they say", Spec: "say it", Role: "writer", Modules: lineage})
	for _, req := range []api.NewTaskRequest{
		{Note: true, Title: "It does not only count", Session: id, Items: []delta.ItemID{"H1"}, Modules: lineage},
		{Note: true, Title: "See this", Session: id, Inputs: []brenner.Ref{{Artifact: "note", Version: 1}}, Modules: lineage},
		{Note: true, Title: "See this", Session: id, Inputs: []brenner.Ref{{Artifact: brenner.ArtifactID(first)}}, Modules: lineage},
		{Note: true, Title: "See this", Session: id, Inputs: []brenner.Ref{{Artifact: "task-0"}}, Modules: lineage},
		{Note: true, Title: "See this", Inputs: []brenner.Ref{{Artifact: "nothing"}}, Modules: lineage},
		{Note: true, Title: "See this", Claim: true, Modules: lineage},
		{Note: true, Title: "See this", Spec: "and do it", Modules: lineage},
		{Note: true, Title: "See this", Modules: lineage},
		{Note: true, Title: many(brenner.MaxWordRunes), Session: id, Items: []delta.ItemID{"H1"}, Modules: lineage},
		{Note: true, Title: many(brenner.MaxWordRunes + 1), Session: id, Items: []delta.ItemID{"H1"}, Modules: lineage},
		{Title: many(brenner.MaxTitleRunes), Spec: "x", Role: "writer", Modules: lineage},
		{Title: many(brenner.MaxTitleRunes + 1), Spec: "x", Role: "writer", Modules: lineage},
		{Title: "two\nlines", Spec: "x", Role: "writer", Modules: lineage},
		{Title: "x", Spec: "\x00", Role: "writer", Modules: lineage},
		{Title: "x", Spec: "x", Items: []delta.ItemID{"H1"}, Modules: lineage},
		{Title: "x", Spec: "x", Session: id, Items: []delta.ItemID{"H1"}, Modules: lineage},
		{Title: "x", Spec: "x", Session: id, Items: []delta.ItemID{"H9"}, Modules: lineage},
		{Title: "for the PI", Spec: "decide", Role: brenner.PI},
		{Title: "x", Spec: "x", Role: "writer", WorkSettings: api.WorkSettings{Tools: program.Edit}, Modules: lineage},
		{Title: "for nobody", Spec: "x", Role: "integrator", Modules: lineage, Inputs: []brenner.Ref{{Artifact: "note"}}},
		{Title: "x", Spec: "x", Role: "writer", Modules: lineage, Inputs: make([]brenner.Ref, brenner.MaxTaskInputs+1)},
	} {
		ask(blue, req)
		ask(grey, req)
		ask(pi, req)
	}
	for _, s := range []api.WorkSettings{{Tools: "all"}, {Directory: "there"}, {Test: "make"}, {Test: "make", Directory: program.Worktree}} {
		ask(pi, api.NewTaskRequest{Title: "with settings", Spec: "x", Role: "writer", Modules: lineage, WorkSettings: s})
	}
	both := ask(pi, api.NewTaskRequest{Title: "across", Spec: "x", Role: "integrator", CrossCutting: true, Modules: []brenner.Module{"lineage", "gradient"}})
	_, _ = pi.StartRun(ctx, api.StartRunRequest{Work: api.Work{Task: both}, Agent: "RedSky", Runner: "here/1/2"})
	_, _ = blue.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: block(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"it counts its divisions"}}`)})
	_, _ = pi.CompileSession(ctx, api.CompileSessionRequest{ID: id})
	look := func() {
		for _, s := range []api.Service{pi, blue, purple, grey} {
			_, _ = s.Waiting(ctx, api.WaitingRequest{})
			_, _ = s.Tasks(ctx, api.ListTasksRequest{})
			_, _ = s.Inbox(ctx, api.InboxRequest{})
			for _, id := range []string{first, mark, both} {
				_, _ = s.Task(ctx, api.TaskRequest{ID: id})
			}
			_, _ = s.Status(ctx)
		}
	}
	look()
	given := ask(pi, api.NewTaskRequest{Title: "given", Spec: many(brenner.TaskPageBytes) + " and more", Role: "writer", Modules: lineage, Inputs: []brenner.Ref{{Artifact: "note"}}})
	for _, to := range []brenner.ActorName{"nobody", "BlueLake", "GreyStone"} {
		_, _ = pi.ReassignTask(ctx, api.ReassignTaskRequest{ID: given, To: to})
	}
	for _, d := range []time.Duration{time.Second - 1, brenner.MaxLease + 1, time.Minute} {
		_, _ = grey.ClaimTask(ctx, api.ClaimTaskRequest{ID: given, Lease: api.Duration(d)})
	}
	_, _ = grey.AssembleContext(ctx, api.ContextRequest{Task: given})
	_, _ = pi.Artifacts(ctx, api.ListArtifactsRequest{})
	_, _ = pi.CollectGarbage(ctx, api.GarbageRequest{})
	w.pass(time.Minute)
	look()
	_, _ = grey.CompleteTask(ctx, api.CompleteTaskRequest{ID: given, Note: "\x00"})
	_, _ = grey.CompleteTask(ctx, api.CompleteTaskRequest{ID: given, Note: "late"})
	w.pass(time.Hour)
	look()
	w.pass(24 * time.Hour)
	look()
	_, _ = blue.CompleteTask(ctx, api.CompleteTaskRequest{ID: first, Note: many(brenner.MaxWordRunes)})
	_, _ = blue.CompleteTask(ctx, api.CompleteTaskRequest{ID: first, Note: "too late"})
	_, _ = purple.CompleteTask(ctx, api.CompleteTaskRequest{ID: mark})
	for i := range brenner.MaxRequestsPerContext + 1 {
		ask(green, api.NewTaskRequest{Title: fmt.Sprint("number ", i), Spec: "x", Role: "writer", Modules: lineage})
	}
}

func tellReviews(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	write := func(id brenner.ArtifactID, links ...artifact.Link) {
		_, _ = pi.CreateArtifact(ctx, api.CreateArtifactRequest{ID: id, Type: "paper_note", Module: "lineage", Summary: "about " + string(id), Content: text("about " + string(id)), Links: links})
	}
	on := func(id brenner.ArtifactID) brenner.Ref { return brenner.Ref{Artifact: id} }
	write("one")
	write("two")
	write("three", artifact.Link{Rel: artifact.DerivedFrom, Artifact: "one", Version: 1}, artifact.Link{Rel: artifact.Reviews, Artifact: "two", Version: 1})
	_, _ = w.As("BlueLake").AssembleContext(ctx, api.ContextRequest{Question: "What is there?", Modules: []brenner.Module{"lineage"}})
	_, _ = w.As("BlueLake").CreateArtifact(ctx, api.CreateArtifactRequest{ID: "four", Type: "hypothesis", Module: "lineage", Summary: "about four", Content: text("about four")})
	_, _ = pi.AddAgent(ctx, api.AddAgentRequest{Name: "grace", Role: "integrator", Person: true})
	_, _ = pi.AddAgent(ctx, api.AddAgentRequest{Name: "mary", Role: "writer", Person: true})
	keyed := func(key string) api.Write { return api.Write{Key: key} }
	said, _ := pi.Comment(ctx, api.CommentRequest{Write: keyed("a"), Ref: on("one"), Text: "  Who says so?\n"})
	_, _ = pi.Comment(ctx, api.CommentRequest{Write: keyed("a"), Ref: on("one"), Text: "  Who says so?\n"})
	for _, req := range []api.CommentRequest{
		{Ref: on("one"), Text: " "},
		{Ref: on("one"), Text: "\x00"},
		{Ref: on("one"), Text: many(brenner.MaxNoteRunes)},
		{Ref: on("one"), Text: many(brenner.MaxNoteRunes + 1)},
		{Ref: on("two"), Text: "I do.", Reply: said.ID},
		{Ref: on("one"), Text: "I do.", Reply: "comment-0"},
		{Ref: on("one"), Text: "I do.", Reply: said.ID},
		{Ref: brenner.Ref{Artifact: "one", Version: 7}, Text: "I do."},
	} {
		_, _ = pi.Comment(ctx, req)
		_, _ = w.As("grace").Comment(ctx, req)
	}
	changes := func(ref brenner.Ref, reason string, role brenner.Role) {
		_, _ = pi.RequestChanges(ctx, api.RequestChangesRequest{Ref: ref, Reason: reason, Role: role, DryRun: true})
		_, _ = pi.RequestChanges(ctx, api.RequestChangesRequest{Ref: ref, Reason: reason, Role: role})
	}
	changes(on("two"), " ", "")
	changes(on("two"), "\x00", "")
	changes(on("two"), "be clearer", "no_role")
	changes(on("two"), "be clearer", "runner")
	changes(brenner.Ref{Artifact: "two", Version: 1}, "be clearer", "writer")
	changes(on("two"), "be clearer still", "writer")
	changes(on("one"), many(brenner.MaxSummaryRunes), "")
	changes(on("four"), "say more", "")
	_, _ = pi.SettleComment(ctx, api.SettleCommentRequest{Write: keyed("b"), ID: said.ID})
	_, _ = pi.SettleComment(ctx, api.SettleCommentRequest{Write: keyed("b"), ID: said.ID})
	_, _ = pi.SettleComment(ctx, api.SettleCommentRequest{ID: said.ID})
	_, _ = pi.Review(ctx, api.ReviewRequest{Ref: on("one")})
	_, _ = pi.Redact(ctx, api.RedactRequest{Digest: canon.Sum([]byte("Who says so?")), Reason: "it is rude"})
	_, _ = pi.Review(ctx, api.ReviewRequest{Ref: on("one")})
	_, _ = pi.Comment(ctx, api.CommentRequest{Write: keyed("a"), Ref: on("one"), Text: "  Who says so?\n"})

	decide := func(kind api.DecisionKind, req api.DecideRequest) {
		req.Decision, req.DryRun = kind, true
		_, _ = pi.Decide(ctx, req)
		_, _ = w.As("grace").Decide(ctx, req)
		req.DryRun = false
		_, _ = pi.Decide(ctx, req)
	}
	everything := make([]brenner.Ref, brenner.MaxDecisions+1)
	for i := range everything {
		everything[i] = on(brenner.ArtifactID(fmt.Sprint("many-", i)))
	}
	_, _ = pi.HandIn(ctx, api.HandInRequest{Ref: on("one"), Note: "read it"})
	_, _ = pi.HandIn(ctx, api.HandInRequest{Ref: on("three"), Note: many(brenner.MaxNoteRunes + 1)})
	filter := &api.DecisionFilter{Types: []brenner.TypeName{"paper_note"}, Modules: []brenner.Module{"lineage"}}
	decide(api.DecidePromote, api.DecideRequest{Refs: everything, Reason: "all"})
	decide(api.DecidePromote, api.DecideRequest{Refs: []brenner.Ref{on("one")}, Filter: filter, Reason: "both"})
	decide(api.DecidePromote, api.DecideRequest{Refs: []brenner.Ref{on("one"), on("one")}, Reason: "twice"})
	decide(api.DecidePromote, api.DecideRequest{Reason: "nothing"})
	decide(api.DecidePromote, api.DecideRequest{Filter: filter, Reason: "what waits"})
	decide(api.DecidePromote, api.DecideRequest{Refs: []brenner.Ref{on("three")}, Reason: "good"})
	data := "about one, and more"
	_, _ = pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: "one", Parent: 1, Content: &api.Body{Format: artifact.Text, Data: data}, SummaryHolds: true, Change: &artifact.Change{What: "more", Why: "more"}})
	decide(api.DecidePromote, api.DecideRequest{Refs: []brenner.Ref{on("one")}, Reason: "better", Override: true})
	_, _ = pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: "three", Parent: 1, Content: &api.Body{Format: artifact.Text, Data: data}, SummaryHolds: true, Change: &artifact.Change{What: "more", Why: "more"}})
	for _, s := range []api.Service{pi, w.As("grace"), w.As("mary"), w.As("RedSky")} {
		_, _ = s.Waiting(ctx, api.WaitingRequest{})
		_, _ = s.Stale(ctx, api.StaleRequest{Modules: []brenner.Module{"gradient"}})
		_, _ = s.Stale(ctx, api.StaleRequest{Modules: []brenner.Module{"lineage"}})
	}
	decide(api.DecideStillHolds, api.DecideRequest{Filter: &api.DecisionFilter{Moved: "two"}, Reason: "it does"})
	decide(api.DecideStillHolds, api.DecideRequest{Filter: &api.DecisionFilter{Moved: "one"}, Reason: "it does"})
	decide(api.DecideDeprecate, api.DecideRequest{Refs: []brenner.Ref{on("one")}, Reason: "no longer"})
	decide(api.DecideStillHolds, api.DecideRequest{Refs: []brenner.Ref{on("three")}, Reason: "it does"})
	decide(api.DecideDeprecate, api.DecideRequest{Filter: filter, Reason: "all of it"})
	decide("other", api.DecideRequest{Refs: []brenner.Ref{on("two")}, Reason: "what?"})
	changes(on("one"), "it is gone", "")
}

func tellNotices(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	notices := w.app.Notices(app.Identity{Name: "ada", Auth: app.AuthServer})
	write := func(id brenner.ArtifactID) {
		_, _ = pi.CreateArtifact(ctx, api.CreateArtifactRequest{ID: id, Type: "paper_note", Module: "lineage", Summary: "about it", Content: text("x"), Review: true})
	}
	look := func() []app.Notice {
		w.say("look", nil, notices.Look(ctx))
		all, err := notices.Waiting(ctx)
		w.say("notices", all, err)
		return all
	}
	apply := func(more string) {
		_, _ = pi.ApplyConfig(ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + more}})
		got, err := notices.Settings(ctx)
		w.say("settings", got, err)
	}
	const hook = "{url: 'https://one.example.org/hook', secret: HOOK_KEY}"
	write("before")
	look()
	apply("notify: {kinds: [promotion], webhooks: [" + hook + "]}\n")
	for _, n := range look() {
		w.say("tried", nil, notices.Tried(ctx, n.ID, "nobody is there", false))
		look()
		w.say("tried", nil, notices.Tried(ctx, n.ID, "", true))
		w.say("tried", nil, notices.Tried(ctx, n.ID, "nobody is there", false))
	}
	w.say("tried", nil, notices.Tried(ctx, "notice-0-1", "", false))
	for i := range brenner.MaxNotice + 2 {
		write(brenner.ArtifactID(fmt.Sprint("many-", i)))
	}
	look()
	look()
	look()
	_, _ = pi.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: "before"}, Reason: "good"})
	_, _ = pi.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: "many-1"}, Reason: "good"})
	look()
	_, _ = pi.Demote(ctx, api.DecisionRequest{Ref: brenner.Ref{Artifact: "before", Version: 1}, Reason: "not yet"})
	look()
	apply("notify: {webhooks: [" + hook + ", {url: 'https://two.example.org/hook', secret: HOOK_KEY}]}\n")
	_, _ = pi.NewTask(ctx, api.NewTaskRequest{Title: "late", Spec: "x", Role: "writer", Modules: []brenner.Module{"lineage"}, Claim: true})
	w.pass(48 * time.Hour)
	for _, n := range look() {
		w.say("tried", nil, notices.Tried(ctx, n.ID, "nobody is there", true))
	}
	look()
	apply("")
	look()
	_, _ = pi.Replay(ctx, api.ReplayRequest{})
}
