package app_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/program"
	"brenner/roster"

	"pgregory.net/rapid"
)

// busy is a small project with agents, in which anything happens at random.
type busy struct {
	*rapid.T
	ctx   context.Context
	store store.Store
	app   *app.App
	now   time.Time
	refs  []brenner.Ref
	count int
}

const busyConfig = `
modules: [one, two]
compression_threshold: 2
automation:
  - {name: distil, when: {count: 2}}
  - {name: again, on: task_done, do: {act: task, role: reviewer, title: Look at what was done}}
  - {name: echo, on: handed_in, do: {act: task, role: adversarial_critic, title: Attack it}}
  - {name: answer, on: written, when: {type: critique}, do: {act: task, role: hypothesis_generator, title: Answer the critique}}
  - {name: tell, on: [promoted, demoted], when: {count: 3}, do: {act: notify, title: Three of them.}}
  - {name: tidy, on: every 6h, do: {act: consolidate}}
  - {name: settle, on: session_answered, do: {act: compile}}
  - {name: help, on: task_blocked, do: {act: task, role: integrator, title: Find out why it fails}}
  - {name: hear, on: [session_compiled, session_answered, task_blocked, fork, stale], do: {act: notify}}
`

var busyAgents = map[brenner.ActorName]brenner.Role{
	"Hugo": "hypothesis_generator", "Ivy": "integrator", "Dan": "distiller", "Rex": "reviewer", "Cleo": "adversarial_critic",
}

func newBusy(ctx context.Context, t *rapid.T) *busy {
	b := &busy{T: t, ctx: ctx, store: memory.New(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	b.start()
	_, err := b.app.Init(ctx, api.InitRequest{Name: "Busy", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: busyConfig}})
	b.must(err)
	for _, name := range []brenner.ActorName{"Hugo", "Ivy", "Dan", "Rex", "Cleo"} {
		_, err := b.pi().AddAgent(ctx, api.AddAgentRequest{Name: name, Role: busyAgents[name]})
		b.must(err)
	}
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "Hugo", Role: roster.HypothesisGenerator}, {AgentName: "Cleo", Role: roster.AdversarialCritic}}}
	_, err = b.pi().StartSession(ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "one", Roster: team, Compile: api.CompileManual})
	b.must(err)
	return b
}

// start is a process that begins: it knows nothing but the journal.
func (b *busy) start() {
	b.app = app.New(b.store, app.Options{
		Clock:   func() time.Time { return b.now },
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
}

func (b *busy) as(name brenner.ActorName) api.Service {
	return b.app.As(app.Identity{Name: name, Auth: app.AuthAs})
}

func (b *busy) pi() api.Service { return b.app.As(app.Identity{Name: "ada", Auth: app.AuthOwner}) }

func (b *busy) must(err error) {
	if err != nil {
		b.Fatalf("%+v", err)
	}
}

// refused lets a refusal pass, which is no fault.
func (b *busy) refused(err error) bool {
	if err != nil && brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassInternal {
		b.Fatalf("%+v", err)
	}
	return err != nil
}

// happen does something at random.
func (b *busy) happen() {
	b.now = b.now.Add(time.Duration(rapid.IntRange(1, 120).Draw(b.T, "minutes")) * time.Minute)
	switch rapid.IntRange(0, 9).Draw(b.T, "what") {
	case 0, 1:
		b.write("")
	case 2, 3:
		if len(b.refs) > 0 {
			ref := rapid.SampledFrom(b.refs).Draw(b.T, "ref")
			_, err := b.pi().Promote(b.ctx, api.PromoteRequest{Ref: ref, Reason: "at random", Replace: true, Override: true})
			b.refused(err)
		}
	case 4:
		b.work()
	case 5:
		unsure := 0.5
		_, err := b.pi().Learn(b.ctx, api.LearnRequest{Insights: []api.Insight{{
			Section: "helpful", Content: fmt.Sprintf("lesson %d", rapid.IntRange(0, 3).Draw(b.T, "lesson")), Confidence: &unsure,
		}}})
		b.refused(err)
	case 6:
		if len(b.refs) > 0 {
			ref := rapid.SampledFrom(b.refs).Draw(b.T, "ref")
			_, err := b.pi().HandIn(b.ctx, api.HandInRequest{Ref: ref})
			b.refused(err)
		}
	case 7:
		b.answer()
	case 8:
		_, err := b.pi().NudgeSession(b.ctx, api.NudgeSessionRequest{ID: "RS-1", To: []brenner.ActorName{"Hugo", "Cleo"}})
		b.refused(err)
	case 9:
		b.fail()
	}
}

// answer lets somebody answer the session.
func (b *busy) answer() {
	b.count++
	name := rapid.SampledFrom([]brenner.ActorName{"Hugo", "Cleo"}).Draw(b.T, "who")
	line := fmt.Sprintf(`{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"name":"N%d","claim":"claim %d","mechanism":"m"},"rationale":"r"}`, b.count, b.count)
	if name == "Cleo" {
		line = fmt.Sprintf(`{"operation":"ADD","section":"adversarial_critique","target_id":null,"payload":{"name":"C%d","attack":"attack %d","evidence":"e"},"rationale":"r"}`, b.count, b.count)
	}
	_, err := b.as(name).SubmitDeltas(b.ctx, api.SubmitDeltasRequest{Session: "RS-1", Text: "```delta\n" + line + "\n```\n"})
	b.refused(err)
}

// fail lets runs of a task fail, as often as blocks it or once less.
func (b *busy) fail() {
	t, err := b.pi().NewTask(b.ctx, api.NewTaskRequest{Title: "Try", Spec: "try", Role: "hypothesis_generator", Modules: []brenner.Module{"one"}})
	b.must(err)
	for range rapid.IntRange(brenner.MaxRunFailures-1, brenner.MaxRunFailures).Draw(b.T, "failures") {
		run, err := b.pi().StartRun(b.ctx, api.StartRunRequest{
			Work: api.Work{Task: t.ID}, Agent: "Hugo", Runner: "here/1/2",
			Program: api.RunProgram{Name: "script", Profile: program.Script, Tools: program.NoTools, Directory: program.Scratch},
		})
		if b.refused(err) {
			return
		}
		_, err = b.pi().EndRun(b.ctx, api.EndRunRequest{ID: run.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeFailed, Said: "so it ended", Starts: 1}})
		b.must(err)
	}
}

// write writes something new, or a version on any other, for a task or for none.
func (b *busy) write(task string) {
	name, typ := brenner.ActorName("Hugo"), brenner.TypeName("model_spec")
	body := api.Body{Format: artifact.Text, Data: fmt.Sprint("text ", b.count)}
	switch kind := rapid.IntRange(0, 3).Draw(b.T, "type"); {
	case task != "":
	case kind == 0:
		name, typ = "Hugo", "raw_log"
	case kind == 1:
		name, typ, body = "Cleo", "critique", api.Body{Format: artifact.JSON, Data: fmt.Sprintf(`{"finding":"not %d"}`, b.count)}
	case kind == 2:
		name, typ = "Ivy", "integrated_memo"
	case rapid.Bool().Draw(b.T, "as others say"):
		body.Data = "The growth rate follows the oxygen that reaches the inner cells of the cluster, and nothing else that was measured."
	}
	b.writeAs(name, typ, body, task)
}

func (b *busy) writeAs(name brenner.ActorName, typ brenner.TypeName, body api.Body, task string) {
	b.count++
	module := rapid.SampledFrom([]brenner.Module{"one", "two"}).Draw(b.T, "module")
	var links []artifact.Link
	if len(b.refs) > 0 {
		to := rapid.SampledFrom(b.refs).Draw(b.T, "to")
		links = []artifact.Link{{Rel: artifact.DependsOn, Artifact: to.Artifact, Version: to.Version}}
	}
	if len(b.refs) > 0 && task == "" && rapid.Bool().Draw(b.T, "update") {
		on := rapid.SampledFrom(b.refs).Draw(b.T, "on")
		summary := fmt.Sprint("summary ", b.count)
		res, err := b.as(name).UpdateArtifact(b.ctx, api.UpdateArtifactRequest{
			ID: on.Artifact, Parent: on.Version, Summary: &summary, Content: &body, Change: &artifact.Change{What: "x", Why: "y"},
		})
		if !b.refused(err) {
			b.refs = append(b.refs, res.Ref)
		}
		return
	}
	res, err := b.as(name).CreateArtifact(b.ctx, api.CreateArtifactRequest{
		Type: typ, Module: module, Summary: fmt.Sprint("summary ", b.count), Content: body, Links: links, Task: task,
	})
	if !b.refused(err) {
		b.refs = append(b.refs, res.Ref)
	}
}

// work takes a task that is open, writes something for it, and completes it.
func (b *busy) work() {
	name := rapid.SampledFrom([]brenner.ActorName{"Hugo", "Ivy", "Rex", "Cleo"}).Draw(b.T, "worker")
	t, err := b.as(name).ClaimTask(b.ctx, api.ClaimTaskRequest{})
	if b.refused(err) {
		return
	}
	body := api.Body{Format: artifact.Text, Data: fmt.Sprint("result ", b.count)}
	switch name {
	case "Hugo":
		b.writeAs(name, "model_spec", body, t.ID)
	case "Ivy":
		b.writeAs(name, "integrated_memo", body, t.ID)
	default:
		b.writeAs(name, "critique", api.Body{Format: artifact.JSON, Data: fmt.Sprintf(`{"finding":"but %d"}`, b.count)}, t.ID)
	}
	_, err = b.as(name).CompleteTask(b.ctx, api.CompleteTaskRequest{ID: t.ID})
	b.refused(err)
}

// A3: whatever happens, between timers it comes to rest. A2: however often a
// process is killed and another begins, nothing fires twice: every task that the
// system opened stands in one firing, and no rule has two open about one subject.
// A3.b.
func TestAutomation_RandomProjectsComeToRest(t *testing.T) {
	skipShort(t)
	projects, steps := 60, 25
	if os.Getenv("BRENNER_SOAK") != "" {
		projects, steps = 1000, 60
	}
	done, fired, deep := 0, map[string]int{}, 0
	run := func(r *rapid.T) {
		if done++; done > projects {
			return
		}
		b := newBusy(t.Context(), r)
		for range rapid.IntRange(5, steps).Draw(r, "steps") {
			b.happen()
			switch rapid.IntRange(0, 3).Draw(r, "then") {
			case 0: // nobody looks
			case 1: // a process fires one thing, and is gone
				_, _, err := b.app.Automation().Run(b.ctx, 1)
				b.must(err)
				b.start()
			default:
				_, _, err := b.app.Automation().Run(b.ctx, 5)
				b.must(err)
			}
		}
		for range 3 { // at the bound of the hour it waits for the next
			n, more, err := b.app.Automation().Run(b.ctx, 500)
			b.must(err)
			if more || n >= 500 {
				b.Fatalf("after %d firings it had not come to rest", n)
			}
			b.start()
		}
		if n, _, err := b.app.Automation().Run(b.ctx, 10); n != 0 || err != nil {
			b.Fatalf("at rest %d things happened: %v", n, err)
		}
		b.check(fired, &deep)
	}
	for done < projects && !t.Failed() {
		rapid.Check(t, run)
	}
	t.Logf("%d projects, firings of each rule: %v; %d of them deeper than one cause", min(done, projects), fired, deep)
	rules := []string{"again", "distil", "echo", "hear", "help"}
	if projects == 1000 {
		rules = append(rules, "update", "memo", "forks", "lessons", "tell", "tidy", "settle")
	}
	for _, rule := range rules {
		if fired[rule] == 0 {
			t.Errorf("%s never fired: this test would pass on nothing", rule)
		}
	}
	if deep == 0 {
		t.Error("nothing fired by what had fired")
	}
}

// check looks at all that happened by itself.
func (b *busy) check(fired map[string]int, deep *int) {
	list, err := b.pi().Firings(b.ctx, api.FiringsRequest{Page: api.Page{Limit: brenner.MaxPage}})
	b.must(err)
	seen, named := map[string]bool{}, map[string]string{}
	for _, f := range list.Firings {
		key := fmt.Sprint(f.Rule, " ", f.Event.Seq, " ", f.Event.On, " ", f.Event.Subject, " ", f.Subject)
		if seen[key] {
			b.Errorf("%s fired twice", key)
		}
		seen[key] = true
		fired[f.Rule]++
		if f.Depth > 1 {
			*deep++
		}
		if f.Depth > brenner.MaxAutomationDepth && f.Act != "notify" {
			b.Errorf("%d causes deep it did more than tell: %+v", f.Depth, f)
		}
		for _, task := range f.Tasks {
			if named[task] != "" {
				b.Errorf("%s was opened twice", task)
			}
			named[task] = f.Rule + " " + f.Subject
		}
	}
	tasks, err := b.pi().Tasks(b.ctx, api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}})
	b.must(err)
	open := map[string]string{}
	for _, t := range tasks.Tasks {
		if t.Creator == "system" && named[t.ID] == "" {
			b.Errorf("%s is the system's, and no firing names it", t.ID)
		}
		about := named[t.ID]
		if about == "" || t.State == api.TaskDone || t.State == api.TaskCanceled || t.Kind == "consolidate" {
			continue
		}
		if other := open[about]; other != "" {
			b.Errorf("%s and %s are both open about %s", other, t.ID, about)
		}
		open[about] = t.ID
	}
	verified, err := b.pi().Verify(b.ctx, api.VerifyRequest{})
	b.must(err)
	if !verified.OK {
		b.Errorf("%+v", verified.Findings)
	}
}
