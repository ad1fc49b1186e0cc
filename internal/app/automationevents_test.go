package app_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/program"
	"brenner/roster"
	"brenner/stalemate"
)

// newQuiet is a project in which nothing happens by itself but what these rules
// say.
func newQuiet(t *testing.T, rules ...string) *loop {
	t.Helper()
	config := "modules: [growth]\ncompile: manual\ncompression_threshold: 1000\nautomation:\n"
	for _, r := range automation.Builtin() {
		config += fmt.Sprintf("  - {name: %s, off: true}\n", r.Name)
	}
	for _, r := range rules {
		config += "  - " + r + "\n"
	}
	l := newLoop(t, failingOften(t), config)
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "Hugo", Role: roster.HypothesisGenerator}, {AgentName: "Cleo", Role: roster.AdversarialCritic}}}
	_, err := l.PI().StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "growth", Roster: team, Compile: api.CompileManual})
	l.must(err)
	return l
}

// answer lets an agent answer the session, in words of its own.
func (l *loop) answer(name brenner.ActorName, i int) {
	l.Helper()
	line := fmt.Sprintf(`{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"N%d","claim":"claim %d","mechanism":"m"},"rationale":"r"}`, i, i)
	if name == "Cleo" {
		line = fmt.Sprintf(`{"operation":"ADD","section":"adversarial_critique","target_id":null,"payload":{"name":"C%d","attack":"attack %d","evidence":"e","current_status":"open"},"rationale":"r"}`, i, i)
	}
	_, err := l.As(name).SubmitDeltas(l.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: "```delta\n" + line + "\n```\n"})
	l.must(err)
}

// ask asks everybody in the session again.
func (l *loop) ask() {
	l.Helper()
	_, err := l.PI().NudgeSession(l.Context(), api.NudgeSessionRequest{ID: "RS-1", To: []brenner.ActorName{"Hugo", "Cleo"}})
	l.must(err)
}

// fail lets a run of a task fail.
func (l *loop) fail(task string, outcome api.Outcome, again bool) {
	l.Helper()
	l.now = l.now.Add(time.Second)
	run, err := l.PI().StartRun(l.Context(), api.StartRunRequest{
		Work: api.Work{Task: task}, Agent: "Hugo", Runner: "here/1/2", Again: again,
		Program: api.RunProgram{Name: "script", Profile: program.Script, Tools: program.NoTools, Directory: program.Scratch},
	})
	l.must(err)
	_, err = l.PI().EndRun(l.Context(), api.EndRunRequest{ID: run.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: outcome, Said: "so it ended", Starts: 1}})
	l.must(err)
}

// causes bring each event about, once and nothing of the kind besides; i tells
// one time from the next. kind is that of the record that is the cause.
var causes = map[automation.Trigger]struct {
	kind string
	do   func(l *loop, i int)
}{
	automation.SessionAnswered: {"reply.received", func(l *loop, i int) {
		l.ask()
		l.answer("Hugo", i)
		l.answer("Cleo", i)
	}},
	automation.SessionCompiled: {"session.compiled", func(l *loop, i int) {
		l.answer("Hugo", i)
		_, err := l.PI().CompileSession(l.Context(), api.CompileSessionRequest{ID: "RS-1"})
		l.must(err)
	}},
	automation.Promoted: {"status.decided", func(l *loop, i int) { l.promote(l.note(i)) }},
	automation.Demoted: {"status.decided", func(l *loop, i int) {
		ref := l.note(i)
		l.promote(ref)
		_, err := l.PI().Demote(l.Context(), api.DecisionRequest{Ref: ref, Reason: "it does not hold"})
		l.must(err)
	}},
	automation.HandedIn: {"review.requested", func(l *loop, i int) {
		_, err := l.PI().HandIn(l.Context(), api.HandInRequest{Ref: l.note(i)})
		l.must(err)
	}},
	automation.Stale: {"status.decided", func(l *loop, i int) {
		first := l.note(i)
		l.promote(first)
		l.promote(l.write("ada", brenner.ArtifactID(fmt.Sprintf("rests-%d", i)), "model_spec", "growth", fmt.Sprint("on note ", i), dependsOn(first)))
		l.promote(l.write("ada", first.Artifact, "paper_note", "growth", fmt.Sprint("better ", i)))
	}},
	automation.Forked: {"version.written", func(l *loop, i int) {
		ref := l.note(i)
		l.write("ada", ref.Artifact, "paper_note", "growth", fmt.Sprint("one way ", i))
		other := fmt.Sprint("another way ", i)
		_, err := l.PI().UpdateArtifact(l.Context(), api.UpdateArtifactRequest{
			ID: ref.Artifact, Parent: 1, Summary: &other, Content: &api.Body{Format: artifact.Text, Data: other}, Change: &artifact.Change{What: "it", Why: "so"},
		})
		l.must(err)
	}},
	automation.Written: {"version.written", func(l *loop, i int) { l.note(i) }},
	automation.Logged: {"version.written", func(l *loop, i int) {
		l.write("ada", brenner.ArtifactID(fmt.Sprintf("log-%d", i)), "raw_log", "growth", fmt.Sprint("I saw ", i))
	}},
	automation.TaskDone: {"task.completed", func(l *loop, _ int) {
		id := l.task()
		_, err := l.As("Hugo").ClaimTask(l.Context(), api.ClaimTaskRequest{ID: id})
		l.must(err)
		_, err = l.As("Hugo").CompleteTask(l.Context(), api.CompleteTaskRequest{ID: id, Note: "nothing to write"})
		l.must(err)
	}},
	automation.TaskBlocked: {"run.ended", func(l *loop, _ int) {
		id := l.task()
		for range brenner.MaxRunFailures {
			l.fail(id, api.OutcomeFailed, false)
		}
	}},
	automation.StalemateRaised: {"stalemate.raised", func(l *loop, i int) {
		_, err := l.As("Hugo").RaiseStalemate(l.Context(), api.RaiseStalemateRequest{Stalemate: stalemate.Stalemate{
			Summary: fmt.Sprint("the count differs, ", i), Target: "notes", Request: "say which", Expected: "one count",
			Hypotheses:   []stalemate.Hypothesis{{Author: "Hugo", Statement: "the probe is off", Justification: "it drifts"}, {Author: "Hal"}},
			Alternatives: []stalemate.Hypothesis{{Statement: "both are right", Justification: "two cells"}},
			Evidence:     []stalemate.Evidence{{Kind: stalemate.KindErrorLog, Content: fmt.Sprint("count ", i, ": 7, then 9")}},
		}})
		l.must(err)
	}},
	automation.LessonMoved: {"bullet.updated", func(l *loop, i int) {
		_, err := l.PI().Learn(l.Context(), api.LearnRequest{Domain: "lab", Insights: []api.Insight{{Section: "helpful", Content: fmt.Sprintf("%s %d.", []string{"Count twice", "Warm the plate", "Label every tube", "Wait for dusk", "Read the meter at eye level"}[i], i)}}})
		l.must(err)
	}},
}

func (l *loop) note(i int) brenner.Ref {
	l.Helper()
	return l.write("ada", brenner.ArtifactID(fmt.Sprintf("note-%d", i)), "paper_note", "growth", fmt.Sprint("note ", i))
}

func (l *loop) task() string {
	l.Helper()
	t, err := l.PI().NewTask(l.Context(), api.NewTaskRequest{Title: "Look", Spec: "look", Role: "hypothesis_generator", Modules: []brenner.Module{"growth"}})
	l.must(err)
	return t.ID
}

// A1, A2, A3, A7: every event that a rule can wait for fires it once, however
// late and however often somebody looks, with the record that caused it; no more
// often in an hour than it may, and what was held is done afterwards; and not
// while it is paused.
// A1.c, A1.d.
func TestAutomation_EveryEventFiresOnceBoundedAndPaused(t *testing.T) {
	skipRace(t)
	for _, on := range automation.Triggers() {
		t.Run(string(on), func(t *testing.T) {
			cause, ok := causes[on]
			if !ok {
				t.Fatal("nothing brings it about")
			}
			when := ""
			if on == automation.Written {
				when = "when: {type: paper_note}, "
			}
			l := newQuiet(t, fmt.Sprintf("{name: tell, on: %s, %sper_hour: 2, do: {act: notify, title: Look.}}", on, when))
			l.rest()
			_, err := l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{Rule: "tell"})
			l.must(err)
			cause.do(l, 0)
			l.rest()
			_, err = l.PI().ResumeAutomation(t.Context(), api.PauseAutomationRequest{Rule: "tell"})
			l.must(err)
			if l.rest(); len(l.firings("tell")) != 0 {
				t.Fatalf("paused, it fired: %+v", l.firings("tell"))
			}
			cause.do(l, 1)
			l.rest()
			l.app = l.another()
			l.rest()
			fired := l.firings("tell")
			if len(fired) != 1 {
				t.Fatalf("%d firings for one event: %+v", len(fired), fired)
			}
			f := fired[0]
			records, err := l.PI().Records(t.Context(), api.RecordsRequest{After: f.Event.Seq - 1, Limit: 1})
			l.must(err)
			if records.Records[0].Kind != cause.kind || f.Event.On != on || f.Depth != 1 || f.Code != "" || !strings.Contains(f.Why, fmt.Sprintf("(record %d)", f.Event.Seq)) {
				t.Errorf("because of %s: %+v", records.Records[0].Kind, f)
			}
			l.now = l.now.Add(61 * time.Minute)
			cause.do(l, 2)
			cause.do(l, 3)
			cause.do(l, 4)
			l.rest()
			if n := len(l.firings("tell")); n != 3 {
				t.Errorf("in the next hour it fired %d times, its bound is 2", n-1)
			}
			l.now = l.now.Add(61 * time.Minute)
			l.app = l.another()
			if l.rest(); len(l.firings("tell")) != 4 {
				t.Errorf("what was held: %d firings in all, not 4", len(l.firings("tell")))
			}
			if l.rest() != 0 {
				t.Error("it does not rest")
			}
		})
	}
}

// A1, A4: a rule compiles a session when everybody has answered, once a round,
// as system and with the answer that was the last as its cause; who looks only
// after the next round was asked for finds the event all the same.
// A1.b.
func TestAutomation_CompilesWhenAllHaveAnswered(t *testing.T) {
	l := newQuiet(t, "{name: compile, on: session_answered, do: {act: compile}}", "{name: tell, on: session_answered, do: {act: notify}}")
	l.answer("Hugo", 1)
	if n := l.rest(); n != 0 {
		t.Fatalf("%d things happened before all had answered", n)
	}
	l.answer("Cleo", 1)
	for range 2 {
		l.rest()
		l.app = l.another()
	}
	fired := l.firings("compile")
	if len(fired) != 1 || len(fired[0].Refs) != 1 || fired[0].Refs[0].Version != 2 || fired[0].Code != "" || len(l.firings("tell")) != 1 {
		t.Fatalf("%+v", l.firings(""))
	}
	records, err := l.PI().Records(t.Context(), api.RecordsRequest{Kind: "session.compiled"})
	l.must(err)
	if len(records.Records) != 1 || records.Records[0].Actor != "system" {
		t.Errorf("%+v", records.Records)
	}
	replies, err := l.PI().Records(t.Context(), api.RecordsRequest{Kind: "reply.received"})
	l.must(err)
	if last := replies.Records[len(replies.Records)-1]; fired[0].Event.Seq != last.Seq || last.Actor != "Cleo" {
		t.Errorf("the cause is %d, the last answer %d", fired[0].Event.Seq, last.Seq)
	}
	shown, err := l.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"})
	l.must(err)
	if shown.Compiles != 1 {
		t.Errorf("%d compiles", shown.Compiles)
	}

	// Two rounds, and nobody looks before a third is asked for.
	for round := 2; round <= 3; round++ {
		l.ask()
		l.answer("Hugo", round)
		l.answer("Cleo", round)
	}
	l.ask()
	l.rest()
	if tells := l.firings("tell"); len(tells) != 3 || len(l.firings("compile")) != 2 {
		t.Errorf("%d told of, %d compiled", len(tells), len(l.firings("compile")))
	}
}

// A4, A7: sessions compile when everybody has answered, unless what happens by
// itself is paused: then what was answered waits until it goes on.
// A7.b.
func TestAutomation_PausedNoSessionCompiles(t *testing.T) {
	l := newLoop(t, failingOften(t), "modules: [growth]\n")
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "Hugo", Role: roster.HypothesisGenerator}}}
	_, err := l.PI().StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "growth", Roster: team})
	l.must(err)
	compiles := func() int {
		shown, err := l.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"})
		l.must(err)
		return shown.Compiles
	}
	if l.answer("Hugo", 1); compiles() != 1 {
		t.Fatal("it did not compile")
	}
	_, err = l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{})
	l.must(err)
	l.answer("Hugo", 2)
	status, err := l.PI().SessionStatus(t.Context(), api.SessionStatusRequest{ID: "RS-1"})
	l.must(err)
	if compiles() != 1 || !status.CompileAt.IsZero() {
		t.Errorf("paused, it compiled %d times and is due at %s", compiles(), status.CompileAt)
	}
	_, err = l.PI().ResumeAutomation(t.Context(), api.PauseAutomationRequest{})
	l.must(err)
	if l.answer("Hugo", 3); compiles() != 2 {
		t.Errorf("resumed, it compiled %d times", compiles())
	}
}

// A1: a task is blocked by the failure that was one too many; what the machine is
// at fault for blocks nothing, and a task that is tried again and fails is blocked
// again, for which no second task is opened while the first is open (A3).
func TestAutomation_TellsOfATaskThatIsBlocked(t *testing.T) {
	l := newQuiet(t, "{name: tell, on: task_blocked, do: {act: notify}}", "{name: help, on: task_blocked, do: {act: task, role: integrator, title: Find out why it fails}}")
	id := l.task()
	for range brenner.MaxRunFailures - 1 {
		l.fail(id, api.OutcomeFailed, false)
	}
	l.fail(id, api.OutcomeStopped, false)
	if n := l.rest(); n != 0 {
		t.Fatalf("%d things happened before it was blocked: %+v", n, l.firings(""))
	}
	l.fail(id, api.OutcomeNothing, false)
	l.rest()
	for _, rule := range []string{"tell", "help"} {
		if fired := l.firings(rule); len(fired) != 1 || fired[0].Subject != id {
			t.Errorf("%s: %+v", rule, fired)
		}
	}
	l.fail(id, api.OutcomeStopped, true)
	if n := l.rest(); n != 0 {
		t.Errorf("a run that was stopped blocks it: %+v", l.firings(""))
	}
	l.fail(id, api.OutcomeFailed, true)
	l.rest()
	if tell, help := len(l.firings("tell")), len(l.firings("help")); tell != 2 || help != 1 {
		t.Errorf("blocked again it told %d times and opened %d tasks", tell, help)
	}
	waits, err := l.PI().Waiting(t.Context(), api.WaitingRequest{Kinds: []api.WaitKind{api.WaitAutomation}})
	l.must(err)
	if len(waits.Items) != 2 || !strings.Contains(waits.Items[0].Why, id) {
		t.Errorf("the inbox: %+v", waits.Items)
	}
}

// A1: a rule whose period was made longer goes on, once an instant, and so does one
// that fired while a clock was ahead.
func TestAutomation_GoesOnWithALongerPeriod(t *testing.T) {
	l := newQuiet(t, "{name: tell, on: every 1h, do: {act: notify}}")
	after := func(d time.Duration) int {
		l.now = l.now.Add(d)
		l.rest()
		l.rest()
		return len(l.firings("tell"))
	}
	if n := after(time.Hour); n != 1 {
		t.Fatalf("after an hour it fired %d times", n)
	}
	_, err := l.PI().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: "modules: [growth]\ncompile: manual\nautomation:\n  - {name: tell, on: every 24h, do: {act: notify}}\n"}})
	l.must(err)
	before := after(0)
	if n := after(24 * time.Hour); n != before+1 {
		t.Errorf("a day later it fired %d times, not %d", n, before+1)
	}
	ahead := after(30 * 24 * time.Hour)
	if n := after(-29 * 24 * time.Hour); n != ahead+1 {
		t.Errorf("with the clock put right it fired %d times, not %d", n, ahead+1)
	}
}

// A1, C28: a rule that waits for time consolidates once an instant, whoever
// looks; instants that were missed are not made up for, and for what a task is
// open no second one is opened.
func TestAutomation_ConsolidatesInItsTime(t *testing.T) {
	l := newQuiet(t, "{name: tidy, on: every 6h, do: {act: consolidate}}")
	if n := l.rest(); n != 0 {
		t.Fatalf("with nothing to bring together %d things happened", n)
	}
	same := "The growth rate follows the oxygen that reaches the inner cells of the cluster, and nothing else that was measured."
	for _, id := range []brenner.ArtifactID{"one", "two"} {
		l.write("ada", id, "paper_note", "growth", same)
	}
	l.now = l.now.Add(6 * time.Hour)
	_, err := l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{Rule: "tidy"})
	l.must(err)
	if n := l.rest(); n != 0 {
		t.Errorf("paused, %d things happened", n)
	}
	_, err = l.PI().ResumeAutomation(t.Context(), api.PauseAutomationRequest{Rule: "tidy"})
	l.must(err)
	l.now = l.now.Add(6 * time.Hour)
	for range 3 {
		l.rest()
		l.app = l.another()
	}
	fired := l.firings("tidy")
	if len(fired) != 1 || len(fired[0].Tasks) != 1 || fired[0].Event.Seq != 0 || fired[0].Event.On != "every 6h" || !strings.Contains(fired[0].Why, "it is time") {
		t.Fatalf("%+v", fired)
	}
	task, err := l.PI().Task(t.Context(), api.TaskRequest{ID: fired[0].Tasks[0]})
	l.must(err)
	var inputs []string
	for _, p := range task.Inputs {
		inputs = append(inputs, p.Ref.String())
	}
	slices.Sort(inputs)
	if task.Creator != "system" || !slices.Equal(inputs, []string{"one@1", "two@1"}) {
		t.Errorf("%+v with %v", task, inputs)
	}
	l.now = l.now.Add(5 * 24 * time.Hour)
	l.rest()
	if fired := l.firings("tidy"); len(fired) != 2 || len(fired[0].Tasks)+len(fired[1].Tasks) != 1 {
		t.Errorf("five days later: %+v", fired)
	}
}

// A3: what automation caused goes three causes deep; the fourth only tells. A task
// opens the next one here, again and again.
// A3.b.
func TestAutomation_TooManyCausesDeepItOnlyTells(t *testing.T) {
	l := newQuiet(t, "{name: again, on: task_done, do: {act: task, role: hypothesis_generator, title: And again}}")
	for depth, id := 1, l.task(); depth <= brenner.MaxAutomationDepth+1; depth++ {
		_, err := l.As("Hugo").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: id})
		l.must(err)
		_, err = l.As("Hugo").CompleteTask(t.Context(), api.CompleteTaskRequest{ID: id})
		l.must(err)
		if n := l.rest(); n != 1 {
			t.Fatalf("%d causes deep %d things happened", depth, n)
		}
		f := l.firings("again")[0] // the newest first
		if f.Depth != depth {
			t.Fatalf("%+v, want depth %d", f, depth)
		}
		if depth <= brenner.MaxAutomationDepth {
			if f.Act != automation.Task || len(f.Tasks) != 1 {
				t.Fatalf("%d causes deep: %+v", depth, f)
			}
			id = f.Tasks[0]
			continue
		}
		if f.Act != automation.Notify || len(f.Tasks) != 0 || !strings.Contains(f.Why, "too many causes deep") {
			t.Errorf("%d causes deep: %+v", depth, f)
		}
	}
}

// A3: a task that somebody opens while doing one of a rule's has the causes of that one,
// and so has what is opened while doing it in turn.
func TestAutomation_WhatIsOpenedForATaskIsAsDeep(t *testing.T) {
	l := newQuiet(t, "{name: again, on: task_done, do: {act: task, role: hypothesis_generator, title: And again}}")
	does := func(id string, inside func()) {
		t.Helper()
		_, err := l.As("Hugo").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: id})
		l.must(err)
		_, err = l.As("Hugo").AssembleContext(t.Context(), api.ContextRequest{Task: id})
		l.must(err)
		inside()
		_, err = l.As("Hugo").CompleteTask(t.Context(), api.CompleteTaskRequest{ID: id})
		l.must(err)
	}
	opens := func(id *string) func() {
		return func() {
			sub, err := l.As("Hugo").NewTask(t.Context(), api.NewTaskRequest{Title: "A part of it " + *id, Spec: "look", Role: "hypothesis_generator", Modules: []brenner.Module{"growth"}})
			l.must(err)
			*id = sub.ID
		}
	}
	does(l.task(), func() {})
	l.rest()
	first := l.firings("again")[0]
	if first.Depth != 1 || len(first.Tasks) != 1 {
		t.Fatalf("%+v", first)
	}
	part := first.Tasks[0]
	does(part, opens(&part))
	l.rest()
	does(part, opens(&part))
	l.rest()
	// What comes of a rule's task is run under a budget only, as that one is, or named.
	for _, req := range []api.OpenWorkRequest{{}, {Bounded: true}, {Work: api.Work{Task: part}}} {
		work, err := l.PI().OpenWork(t.Context(), req)
		l.must(err)
		listed := slices.ContainsFunc(work.Work, func(w api.WorkItem) bool { return w.Task == part })
		if listed != (req.Bounded || req.Task != "") {
			t.Errorf("asked with %+v: %+v", req, work.Work)
		}
	}
	does(part, func() {})
	l.rest()
	for _, f := range l.firings("again")[:3] {
		if f.Depth != 2 {
			t.Errorf("%+v, want depth 2", f)
		}
	}
}

// A1: where a rule says how many it takes, it waits for as many events, whichever they
// are; where it says of which module, or of which role's task, it fires for those alone.
func TestAutomation_FiltersHoldForEveryEvent(t *testing.T) {
	skipRace(t)
	for _, on := range slices.Sorted(maps.Keys(causes)) {
		t.Run(string(on), func(t *testing.T) {
			l := newQuiet(t, fmt.Sprintf("{name: third, on: %s, when: {count: 3}, do: {act: notify}}", on),
				fmt.Sprintf("{name: there, on: %s, when: {module: growth}, do: {act: notify}}", on),
				fmt.Sprintf("{name: elsewhere, on: %s, when: {module: project}, do: {act: notify}}", on))
			before := 0
			if on == automation.Written {
				before = 1 // the document of the session
			}
			for i := range 3 {
				causes[on].do(l, i)
				l.rest()
				if fired := l.firings("third"); len(fired) != (before+i+1)/3 {
					t.Fatalf("after %d it fired %d times", before+i+1, len(fired))
				}
			}
			there, elsewhere := "there", "elsewhere"
			switch on {
			case automation.LessonMoved:
				return // it is of no module
			case automation.StalemateRaised:
				there, elsewhere = elsewhere, there // it is the project's
			}
			if n, none := len(l.firings(there)), len(l.firings(elsewhere)); n != before+3 || none != 0 {
				t.Errorf("in its module it fired %d times, elsewhere %d", n, none)
			}
		})
	}
	l := newQuiet(t, "{name: its, on: [task_done, task_blocked], when: {role: hypothesis_generator}, do: {act: notify}}",
		"{name: others, on: [task_done, task_blocked], when: {role: writer}, do: {act: notify}}")
	causes[automation.TaskDone].do(l, 0)
	causes[automation.TaskBlocked].do(l, 0)
	l.rest()
	if its, others := l.firings("its"), l.firings("others"); len(its) != 2 || len(others) != 0 {
		t.Errorf("of its role it fired %d times, of another %d", len(its), len(others))
	}
}

// A3: what is written in the context of a rule's task has its causes, also where the task
// is not named with it.
func TestAutomation_WhatIsWrittenInATasksContextIsAsDeep(t *testing.T) {
	l := newQuiet(t, "{name: again, on: written, when: {type: analysis_result}, do: {act: task, role: hypothesis_generator, title: And again}}")
	l.write("ada", "first", "analysis_result", "growth", "seven")
	l.rest()
	first := l.firings("again")
	if len(first) != 1 || first[0].Depth != 1 || len(first[0].Tasks) != 1 {
		t.Fatalf("%+v", first)
	}
	_, err := l.As("Hugo").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: first[0].Tasks[0]})
	l.must(err)
	_, err = l.As("Hugo").AssembleContext(t.Context(), api.ContextRequest{Task: first[0].Tasks[0]})
	l.must(err)
	_, err = l.As("Hugo").CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "second", Type: "analysis_result", Module: "growth", Summary: "eight", Content: api.Body{Format: artifact.Text, Data: "eight"},
	})
	l.must(err)
	l.rest()
	if all := l.firings("again"); len(all) != 2 || all[0].Depth != 2 {
		t.Errorf("%+v", all)
	}
}

// A1, A2: checks and gates that wait for a time look at everything once an instant,
// and say so also where nothing is found.
func TestAutomation_ChecksInItsTime(t *testing.T) {
	l := newQuiet(t, "{name: align, on: every 6h, do: {act: alignment}}", "{name: clash, on: every 6h, do: {act: assumptions}}", "{name: rise, on: every 6h, do: {act: gates}}")
	claim := func(id brenner.ArtifactID, value int) {
		_, err := l.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypeAssumption, Module: "growth", Summary: "the rate",
			Content: api.Body{Format: artifact.JSON, Data: fmt.Sprintf(`{"statement":"The growth rate is %d per hour.","subject":"growth rate","relation":"=","value":%d,"polarity":"asserted"}`, value, value)},
		})
		l.must(err)
	}
	claim("slow", 2)
	claim("fast", 9)
	for i := range 3 {
		l.now = l.now.Add(6 * time.Hour)
		l.rest()
		l.app = l.another()
		l.rest()
		for _, rule := range []string{"align", "clash", "rise"} {
			fired := l.firings(rule)
			if len(fired) != i+1 || fired[0].Code != "" {
				t.Errorf("%s, instant %d: %+v", rule, i, fired)
			}
			if found := len(fired) > 0 && len(fired[len(fired)-1].Refs) > 0; found != (rule == "clash") {
				t.Errorf("%s found %+v", rule, fired)
			}
		}
	}
}

// A3, A7: what a rule is held back from is still done when it was paused for a while,
// and nothing that happened in the pause is; while it is paused a test says so.
func TestAutomation_APauseDropsNothingThatWasHeldBack(t *testing.T) {
	t.Run("the rule", func(t *testing.T) { pausedAndHeld(t, "tell") })
	t.Run("all", func(t *testing.T) { pausedAndHeld(t, "") })
}

func pausedAndHeld(t *testing.T, which string) {
	t.Helper()
	l := newQuiet(t, "{name: tell, on: promoted, per_hour: 1, do: {act: notify}}")
	promote := func(id brenner.ArtifactID) {
		l.promote(l.write("ada", id, "paper_note", "growth", "about "+string(id)))
	}
	promote("first")
	promote("held")
	l.rest()
	if n := len(l.firings("tell")); n != 1 {
		t.Fatalf("fired %d times", n)
	}
	_, err := l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{Rule: which})
	l.must(err)
	promote("paused")
	l.rest()
	would, err := l.PI().TestAutomation(t.Context(), api.TestAutomationRequest{})
	l.must(err)
	if len(would.Would) != 0 || !slices.Equal(would.Paused, []string{"tell"}) {
		t.Errorf("while it is paused: %+v", would)
	}
	_, err = l.PI().ResumeAutomation(t.Context(), api.PauseAutomationRequest{Rule: which})
	l.must(err)
	promote("after")
	for range 3 {
		l.now = l.now.Add(61 * time.Minute)
		l.app = l.another()
		l.rest()
	}
	var about []string
	for _, f := range l.firings("tell") { // the newest first
		about = append(about, f.Subject)
	}
	if want := []string{"after@1", "held@1", "first@1"}; !slices.Equal(about, want) {
		t.Errorf("paused %q: it told of %v, want %v", which, about, want)
	}
}
