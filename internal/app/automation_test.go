package app_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// loop is a project in which things happen by themselves, and its clock.
type loop struct {
	*testing.T
	world
	store store.Store
	now   time.Time
	step  time.Duration // that goes by whenever somebody looks at the clock
}

const loopConfig = `
modules: [lineage, growth]
compression_threshold: 3
automation:
  - name: second-look
    on: promoted
    when: {type: analysis_result}
    do: {act: task, role: adversarial_critic, title: Attack the new result, spec: Say what speaks against it.}
  - {name: distil, when: {count: 3}}
`

func newLoop(t *testing.T, s store.Store, config string) *loop {
	t.Helper()
	l := &loop{T: t, store: s, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	t.Cleanup(func() { _ = s.Close() })
	l.world = world{app: l.another(), pi: "ada"}
	_, err := l.app.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: config}})
	l.must(err)
	if _, fails := s.(*failing); fails { // and goes on as if it had not
		l.in = newTranscript()
		l.in.keepAfter(t, s, l)
	}
	team := map[brenner.ActorName]brenner.Role{
		"Ivy": "integrator", "Dan": "distiller", "Rex": "reviewer", "Cleo": "adversarial_critic", "Hugo": "hypothesis_generator", "Hal": "hypothesis_generator",
	}
	for _, name := range slices.Sorted(maps.Keys(team)) {
		_, err := l.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: team[name]})
		l.must(err)
	}
	return l
}

// another is a second process on the same store.
func (l *loop) another() *app.App {
	return app.New(l.store, app.Options{
		Clock: l.clock, Keys: app.Keyring{Dir: l.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
}

func (l *loop) clock() time.Time {
	if l.step > 0 {
		l.now = l.now.Add(l.step)
	}
	return l.now
}

func (l *loop) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// rest lets happen what happens by itself, and says how much that was.
func (l *loop) rest() int {
	l.Helper()
	n, more, err := l.app.Automation().Run(l.Context(), 1000)
	l.must(err)
	if more {
		l.Fatal("it does not come to rest")
	}
	return n
}

// write writes a version: the first or the next.
func (l *loop) write(by brenner.ActorName, id brenner.ArtifactID, typ brenner.TypeName, module brenner.Module, text string, links ...artifact.Link) brenner.Ref {
	l.Helper()
	service := l.PI()
	if by != "ada" {
		service = l.As(by)
		_, err := service.AssembleContext(l.Context(), api.ContextRequest{Question: "what stands?", Modules: []brenner.Module{module}})
		l.must(err)
	}
	body, summary := api.Body{Format: artifact.Text, Data: text}, "says: "+text
	if typ == "assumption" || typ == "critique" {
		body = api.Body{Format: artifact.JSON, Data: text}
		summary = "a claim"
	}
	old, err := l.PI().Artifact(l.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: id}})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		res, err := service.CreateArtifact(l.Context(), api.CreateArtifactRequest{ID: id, Type: typ, Module: module, Summary: summary, Content: body, Links: links})
		l.must(err)
		return res.Ref
	}
	l.must(err)
	history, err := l.PI().History(l.Context(), api.HistoryRequest{ID: id})
	l.must(err)
	head := history.Versions[len(history.Versions)-1].Version
	res, err := service.UpdateArtifact(l.Context(), api.UpdateArtifactRequest{
		ID: old.ID, Parent: head, Summary: &summary, Content: &body, DropLinks: true, Links: links, Change: &artifact.Change{What: "it", Why: "so"},
	})
	l.must(err)
	return res.Ref
}

func (l *loop) promote(ref brenner.Ref) {
	l.Helper()
	_, err := l.PI().Promote(l.Context(), api.PromoteRequest{Ref: ref, Reason: "it holds", Override: true, Replace: true})
	l.must(err)
}

func dependsOn(ref brenner.Ref) artifact.Link {
	return artifact.Link{Rel: artifact.DependsOn, Artifact: ref.Artifact, Version: ref.Version}
}

// tasks lists the tasks that are open, by their titles.
func (l *loop) tasks() map[string]api.TaskInfo {
	l.Helper()
	list, err := l.PI().Tasks(l.Context(), api.ListTasksRequest{States: []api.TaskState{api.TaskOpen, api.TaskClaimed}})
	l.must(err)
	out := map[string]api.TaskInfo{}
	for _, t := range list.Tasks {
		if _, twice := out[t.Title]; twice {
			l.Errorf("%q is open twice", t.Title)
		}
		out[t.Title] = t
	}
	return out
}

func (l *loop) firings(rule string) []api.Firing {
	l.Helper()
	list, err := l.PI().Firings(l.Context(), api.FiringsRequest{Rule: rule})
	l.must(err)
	return list.Firings
}

// A4: what became stale opens an update task for the role of its author, once
// for each cause, module and role; the journal says why. A1: as system, which
// decides nothing. A3: while it is open no second one is opened.
// A2.a.
func TestAutomation_WhatBecameStaleIsUpdatedByTheRoleOfItsAuthor(t *testing.T) {
	l := newLoop(t, failingOften(t), loopConfig)
	note := l.write("Hugo", "oxygen", "paper_note", "growth", "twelve per cent")
	l.promote(note)
	for _, id := range []brenner.ArtifactID{"model-a", "model-b"} {
		l.promote(l.write("Hugo", id, "model_spec", "growth", "rests on oxygen", dependsOn(note)))
	}
	l.promote(l.write("ada", "model-pi", "model_spec", "growth", "a person wrote it", dependsOn(note)))
	l.promote(l.write("Ivy", "memo", "integrated_memo", "growth", "what stands", dependsOn(note)))
	if n := l.rest(); n != 0 {
		t.Fatalf("%d things happened before anything had moved: %+v", n, l.firings(""))
	}
	l.promote(l.write("Hugo", "oxygen", "paper_note", "growth", "twenty per cent"))
	l.rest()

	fired := l.firings("update")
	if len(fired) != 2 {
		t.Fatalf("firings: %+v", fired)
	}
	open := 0
	for _, f := range fired {
		task, err := l.PI().Task(t.Context(), api.TaskRequest{ID: f.Tasks[0]})
		l.must(err)
		var inputs []string
		for _, p := range task.Inputs {
			inputs = append(inputs, p.Ref.String())
		}
		want := map[brenner.Role][]string{
			"hypothesis_generator": {"oxygen@2", "model-a@1", "model-b@1"}, "integrator": {"oxygen@2", "memo@1"},
		}[task.Role]
		if !slices.Equal(inputs, want) || task.Creator != "system" || task.Kind != "update" || f.Depth != 1 {
			t.Errorf("%+v for %v at depth %d, want %v", task, inputs, f.Depth, want)
		}
		open++
		records, err := l.PI().Records(t.Context(), api.RecordsRequest{After: f.Event.Seq - 1, Limit: 1})
		l.must(err)
		if r := records.Records[0]; r.Kind != "status.decided" || !strings.Contains(string(r.Payload), `"oxygen@2"`) {
			t.Errorf("the cause is %s %s", r.Kind, r.Payload)
		}
	}
	// It moves again while the tasks are open.
	l.promote(l.write("Hugo", "oxygen", "paper_note", "growth", "thirty per cent"))
	if l.rest(); len(l.firings("update")) != open {
		t.Error("a second task was opened for what one is open for")
	}
	// One that was canceled is not opened again by itself, also not by a process
	// that starts anew.
	for _, f := range fired {
		_, err := l.PI().CancelTask(t.Context(), api.CancelTaskRequest{ID: f.Tasks[0], Reason: "later"})
		l.must(err)
	}
	l.app = l.another()
	if l.rest(); len(l.firings("update")) != open {
		t.Error("a task was canceled and opened again")
	}
	records, err := l.PI().Records(t.Context(), api.RecordsRequest{Actor: "system", Kind: "status.decided"})
	l.must(err)
	if len(records.Records) > 0 {
		t.Errorf("automation decided: %+v", records.Records)
	}
}

// A2: whoever looks, and however often, an event fires a rule once: two servers
// on one PostgreSQL, two processes on one SQLite file.
// A2.a.
func TestAutomation_TwoServersFireEachEventOnce(t *testing.T) {
	stores := map[string]func(t *testing.T) (store.Store, store.Store){
		"sqlite": func(t *testing.T) (store.Store, store.Store) {
			path := filepath.Join(t.TempDir(), "project.db")
			one, err := sqlite.Open(t.Context(), path, sqlite.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			two, err := sqlite.Open(t.Context(), path, sqlite.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			return one, two
		},
		"postgres": func(t *testing.T) (store.Store, store.Store) {
			address := pgtest.Open(t) + "&project=loop"
			one, err := postgres.Open(t.Context(), address, postgres.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			two, err := postgres.Open(t.Context(), address, postgres.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			return one, two
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			one, two := open(t)
			t.Cleanup(func() { _ = two.Close() })
			l := newLoop(t, one, loopConfig)
			other := *l
			other.store = two
			second := other.another()
			for i := range 12 {
				l.promote(l.write("Hugo", brenner.ArtifactID(fmt.Sprintf("result-%d", i)), "analysis_result", "growth", fmt.Sprint("result ", i)))
			}
			var all sync.WaitGroup
			for _, a := range []*app.App{l.app, second, l.another(), l.app} {
				all.Go(func() {
					if _, _, err := a.Automation().Run(t.Context(), 1000); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			seen := map[string]int{}
			for _, f := range l.firings("second-look") {
				seen[f.Subject]++
				if len(f.Tasks) != 1 || f.Code != "" {
					t.Errorf("%+v", f)
				}
			}
			if len(seen) != 12 {
				t.Errorf("%d of 12 events fired: %v", len(seen), seen)
			}
			for subject, n := range seen {
				if n != 1 {
					t.Errorf("%s fired %d times", subject, n)
				}
			}
			list, err := l.PI().Tasks(t.Context(), api.ListTasksRequest{Page: api.Page{Limit: 1000}, Role: "adversarial_critic"})
			l.must(err)
			if len(list.Tasks) != 12 {
				t.Errorf("%d tasks for 12 events", len(list.Tasks))
			}
		})
	}
}

// A7: what is in force, what an event would do, what it did; pausing is a record
// and what happens meanwhile is not made up for. A3: bounded per hour, and what
// is held is done when the hour is over.
// A3.a, A7.a, A4.a.
func TestAutomation_IsListedTestedPausedAndBounded(t *testing.T) {
	l := newLoop(t, failingOften(t), loopConfig+"  - {name: gates, off: true}\n")
	rules, err := l.PI().AutomationRules(t.Context())
	l.must(err)
	var names []string
	for _, r := range rules.Rules {
		names = append(names, r.Name)
		if r.Off != (r.Name == "gates") || r.Builtin != (r.Name != "second-look") || r.PerHour != automation.DefaultPerHour {
			t.Errorf("%+v", r)
		}
	}
	if want := []string{"harvest", "gates", "alignment", "assumptions", "update", "distil", "memo", "forks", "lessons", "second-look"}; !slices.Equal(names, want) {
		t.Errorf("rules: %v, want %v", names, want)
	}
	l.promote(l.write("Hugo", "r0", "analysis_result", "growth", "a result"))
	would, err := l.PI().TestAutomation(t.Context(), api.TestAutomationRequest{})
	l.must(err)
	if len(would.Would) != 1 || would.Would[0].Rule != "second-look" || would.Would[0].Subject != "r0" || len(would.Had) != 0 || len(l.tasks()) != 0 {
		t.Errorf("a dry run: %+v", would)
	}
	l.rest()
	had, err := l.PI().TestAutomation(t.Context(), api.TestAutomationRequest{Seq: would.Seq})
	l.must(err)
	if len(had.Had) != 1 || len(had.Would) != 0 {
		t.Errorf("afterwards: %+v", had)
	}
	if _, err := l.As("Hugo").Firings(t.Context(), api.FiringsRequest{}); brenner.CodeOf(err) != brenner.CodeReadDenied {
		t.Errorf("an agent reads what happened by itself: %v", err)
	}
	if _, err := l.As("Hugo").PauseAutomation(t.Context(), api.PauseAutomationRequest{}); brenner.CodeOf(err) != brenner.CodeWriteDenied {
		t.Errorf("an agent pauses it: %v", err)
	}

	for _, rule := range []string{"second-look", ""} {
		paused, err := l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{Rule: rule, Reason: "quiet"})
		l.must(err)
		if paused.Paused != (rule == "") {
			t.Errorf("%+v", paused)
		}
		if _, err := l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{Rule: rule}); brenner.CodeOf(err) != brenner.CodeStatusConflict {
			t.Errorf("paused twice: %v", err)
		}
		l.promote(l.write("Hugo", brenner.ArtifactID("quiet-"+rule+"x"), "analysis_result", "growth", "a result "+rule))
		if n := l.rest(); n != 0 {
			t.Errorf("%d things happened while %q was paused", n, rule)
		}
		_, err = l.PI().ResumeAutomation(t.Context(), api.PauseAutomationRequest{Rule: rule})
		l.must(err)
		if n := l.rest(); n != 0 {
			t.Errorf("%d things were made up for", n)
		}
	}
	if _, err := l.PI().PauseAutomation(t.Context(), api.PauseAutomationRequest{Rule: "none"}); brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("an unknown rule: %v", err)
	}

	for i := range automation.DefaultPerHour + 4 {
		l.promote(l.write("Hugo", brenner.ArtifactID(fmt.Sprintf("many-%d", i)), "analysis_result", "lineage", fmt.Sprint("many ", i)))
	}
	l.rest()
	if n := len(l.firings("second-look")); n != automation.DefaultPerHour {
		t.Errorf("it fired %d times in an hour, the bound is %d", n, automation.DefaultPerHour)
	}
	rules, err = l.PI().AutomationRules(t.Context())
	l.must(err)
	if held := rules.Rules[len(rules.Rules)-1]; !held.Held {
		t.Errorf("%+v", held)
	}
	l.now = l.now.Add(61 * time.Minute)
	l.rest()
	if n := len(l.firings("second-look")); n != automation.DefaultPerHour+5 {
		t.Errorf("after the hour it had fired %d times, not %d", n, automation.DefaultPerHour+5)
	}
}

// A2: how far the checks came is noted after some of them, so that a process
// that dies does not leave the next one all of them again.
func TestAutomation_NotesHowFarItsChecksCame(t *testing.T) {
	l := newLoop(t, failingOften(t), "modules: [lineage]\ncompression_threshold: 1000\n")
	for i := range 2 * brenner.MaxChecksAtOnce {
		l.promote(l.write("ada", brenner.ArtifactID(fmt.Sprintf("n-%d", i)), "paper_note", "lineage", "nothing a program could read"))
	}
	l.rest()
	records, err := l.PI().Records(t.Context(), api.RecordsRequest{Kind: "automation.looked"})
	l.must(err)
	if n := len(records.Records); n < 4 { // two checks each; by records alone it is one
		t.Errorf("noted %d times", n)
	}
}

// A2: a command that has written spends a moment on what is due, however much
// that is; the next one goes on from there, and nothing is left out.
// A2.b.
func TestAutomation_ACommandTakesAShare(t *testing.T) {
	l := newLoop(t, memory.New(), loopConfig)
	for i := range 4 * brenner.AutomationStride {
		l.write("ada", brenner.ArtifactID(fmt.Sprintf("n-%d", i)), "paper_note", "lineage", fmt.Sprint("note ", i))
	}
	l.promote(l.write("ada", "result", "analysis_result", "lineage", "the last of all"))
	behind := func() int64 {
		rules, err := l.PI().AutomationRules(t.Context())
		l.must(err)
		return rules.Behind
	}
	commands := 0
	for left := behind(); len(l.firings("second-look")) == 0; commands++ {
		slow := l.another()                        // a process that knows nothing but the journal,
		l.step = brenner.AutomationAfterWrite / 20 // and for which time goes by
		slow.Automation().After(t.Context())
		l.step, l.app = 0, l.another()
		now := behind()
		if now >= left && len(l.firings("second-look")) == 0 {
			t.Fatalf("after %d commands %d records were left, now %d", commands, left, now)
		}
		left = now
	}
	if commands < 3 || len(l.firings("memo")) != 1 {
		t.Errorf("it took %d commands: %+v", commands, l.firings(""))
	}
}

// A2: whoever lets it fire so often at most is obeyed, hears whether more may be
// due, and comes in steps to the same as all at once.
func TestAutomation_FiresNoMoreOftenThanAsked(t *testing.T) {
	due := func() *loop {
		l := newLoop(t, memory.New(), loopConfig)
		for _, id := range []brenner.ArtifactID{"one", "two", "three"} {
			l.promote(l.write("ada", id, "analysis_result", "lineage", "the result "+string(id)))
		}
		return l
	}
	all := due().rest()
	if all < 3 {
		t.Fatalf("%d were due: this test would pass on nothing", all)
	}
	for _, most := range []int{1, 2} {
		l, sum := due(), 0
		for more := true; more; {
			n, again, err := l.app.Automation().Run(t.Context(), most)
			l.must(err)
			if n > most || again != (n == most) {
				t.Fatalf("asked for %d it fired %d times, and says %v of more", most, n, again)
			}
			sum, more = sum+n, again
		}
		if sum != all {
			t.Errorf("in steps of %d it fired %d times, want %d", most, sum, all)
		}
	}
	if n, more, err := due().app.Automation().Run(t.Context(), 0); n != all || more || err != nil {
		t.Errorf("without a bound it fired %d times, and says %v of more (%v), want %d", n, more, err, all)
	}
}

// A4: raw logs past a number open a distilling task, a module past the threshold
// a memo task, a lesson that nobody is sure of a review; what is handed in is
// held to the brief and to what others assume.
func TestAutomation_TheBuiltinRulesDoWhatTheySay(t *testing.T) {
	l := newLoop(t, failingOften(t), loopConfig)
	for i := range 3 {
		l.write("Hugo", brenner.ArtifactID(fmt.Sprintf("log-%d", i)), "raw_log", "growth", fmt.Sprint("I saw ", i))
	}
	l.rest()
	if task := l.tasks()["Distil the logs of growth"]; task.Role != "distiller" || len(task.Inputs) != 3 || len(l.firings("distil")) != 1 {
		t.Errorf("distil: %+v", task)
	}
	for i := range 4 {
		l.write("Hugo", brenner.ArtifactID(fmt.Sprintf("model-%d", i)), "model_spec", "lineage", fmt.Sprint("model ", i))
	}
	l.rest()
	if task := l.tasks()["Renew the memo of lineage"]; task.Role != "integrator" || len(l.firings("memo")) != 1 {
		t.Errorf("memo: %+v", task)
	}
	unsure := 0.4
	_, err := l.As("Hugo").Learn(t.Context(), api.LearnRequest{Domain: "lab", Insights: []api.Insight{{Section: "helpful", Content: "Count twice.", Confidence: &unsure}}})
	l.must(err)
	l.rest()
	if task := l.tasks()["Review the lessons of lab"]; task.Role != "reviewer" || !strings.Contains(task.Spec, "lab.1") {
		t.Errorf("lessons: %+v", task)
	}
	brief, err := l.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "brief", Type: "project_brief", Summary: "fate", Content: api.Body{Format: artifact.JSON, Data: `{"question":"What decides fate?","out_of_scope":["drinking water"]}`},
	})
	l.must(err)
	l.promote(brief.Ref)
	l.promote(l.write("ada", "strays", "model_spec", "growth", "The drinking water of the town is what we study.", dependsOn(brief.Ref)))
	l.write("Hugo", "a1", "assumption", "growth", `{"statement":"decay is uniform","subject":"decay","relation":"is","value":"10 h"}`)
	l.promote(l.write("Hugo", "a2", "assumption", "lineage", `{"statement":"decay is slow","subject":"decay","relation":"is","value":"12 h"}`))
	l.rest()
	for rule, code := range inOrder(map[string]string{"alignment": "SCOPE_CREEP", "assumptions": "ASSUMPTION_CONFLICT"}) {
		fired := l.firings(rule)
		if len(fired) == 0 || len(fired[0].Refs) == 0 {
			t.Errorf("%s: %+v", rule, fired)
			continue
		}
		if found, err := l.PI().Artifact(t.Context(), api.ArtifactRequest{Ref: fired[0].Refs[0]}); err != nil || !strings.Contains(string(found.Content), code) {
			t.Errorf("%s wrote %s, %v", rule, found.Content, err)
		}
	}
}
