package apitest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/playbook"
	"brenner/roster"
)

// clausesElsewhere are cases of other subjects that do so, too.
var clausesElsewhere = []string{
	"outputs of moved inputs need a rebase, and say what moved",
	"one agent alone opens no gate, however often it says so",
	"five equal lines of one batch are one piece of evidence",
	"the guard and given vectors are for a person to choose",
	"feedback on what a context carried counts",
}

// clauseCases hold rules to their words where an easy reading lets something
// through.
func clauseCases() []testCase {
	return []testCase{
		{"a task that rewrites its own input notices who was faster", func(s *scene) { // C17; C17.a
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1))
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{
				Title: "Update the memo", Spec: "all of it", Role: "integrator", Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{ref("m", 1)},
			})
			s.must(err)
			red := s.agent("RedSky")
			red.claims(t.ID)
			s.pi.rewrites("m", "the PI was faster")
			s.pi.promotes(ref("m", 2))
			mine := red.updates("m", 1, "what the integrator wrote", t.ID)
			done := red.completes(t.ID)
			if len(done.Moved) != 1 || done.Moved[0].Was != 1 || done.Moved[0].Now != 2 {
				s.Errorf("moved: %+v", done.Moved)
			}
			if got := s.pi.reads(mine); got.Status != artifact.NeedsRebase {
				s.Errorf("%s is %s", mine, got.Status)
			}
			_, err = s.pi.Promote(s.ctx, api.PromoteRequest{Ref: mine, Reason: "it looks good"})
			s.refused(err, brenner.CodeNeedsRebase)
		}},
		{"a pinned draft that is taken out of use has moved", func(s *scene) { // C17
			s.pi.creates(result("n", "one"))
			t := s.pi.opens(ref("n", 1))
			grey := s.agent("GreyStone")
			grey.claims(t.ID)
			grey.creates(section("sec", t.ID))
			_, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: ref("n", 1), Reason: "wrong probe"})
			s.must(err)
			if done := grey.completes(t.ID); len(done.Moved) != 1 || done.Moved[0].Now != 0 {
				s.Errorf("moved: %+v", done.Moved)
			}
		}},
		{"nobody completes a task with another's versions", func(s *scene) { // C36; C36.c
			s.agent("PurpleMountain").creates(result("theirs", "one"))
			t := s.pi.opens()
			grey := s.agent("GreyStone")
			grey.claims(t.ID)
			s.unchanged(func() {
				_, err := grey.CompleteTask(s.ctx, api.CompleteTaskRequest{ID: t.ID, Outputs: []brenner.Ref{ref("theirs", 1)}})
				s.refused(err, brenner.CodeInvalidValue)
			})
		}},
		{"a memo does not say itself what it covers", func(s *scene) { // C12
			m := memo("m", "lineage")
			m.Content = api.Body{Format: artifact.JSON, Data: `{"covers":99999999,"text":"everything, for ever"}`}
			s.pi.creates(m)
			s.pi.promotes(ref("m", 1))
			s.many("lineage", 11)
			_, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true})
			s.refused(err, brenner.CodeCompressionRequired)
		}},
		{"what draws on another module waits for its memo", func(s *scene) { // C12; C12.a
			s.many("lineage", 11)
			r := result("across", "one")
			r.Module = "gradient"
			r.Links = []artifact.Link{{Rel: artifact.DependsOn, Artifact: "many-0", Version: 1}}
			s.pi.creates(r)
			_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("across", 1), Reason: "it holds"})
			s.refused(err, brenner.CodeCompressionRequired)
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1)) // the way out is always open
			s.pi.promotes(ref("across", 1))
		}},
		{"a memo is promoted whatever it draws on", func(s *scene) { // C12; C12.c
			s.many("lineage", 11)
			m := memo("m", "gradient")
			m.Links = []artifact.Link{{Rel: artifact.DerivedFrom, Artifact: "many-0", Version: 1}}
			s.pi.creates(m)
			s.pi.promotes(ref("m", 1))
		}},
		{"only what is drawn on makes a promotion wait, and not what is its own", func(s *scene) { // C12; C12.b, C12.d
			s.many("lineage", 11)
			across := result("across", "one")
			across.Module = "gradient"
			across.Links = []artifact.Link{{Rel: artifact.Contradicts, Artifact: "many-0", Version: 1}}
			s.pi.creates(across)
			s.pi.promotes(ref("across", 1))
			s.pi.creates(result("inside", "one", link(artifact.DependsOn, "many-0", 1)))
			s.pi.promotes(ref("inside", 1))
		}},
		{"what crosses modules waits for their memos when it is claimed, too", func(s *scene) { // C12; C12.h, C12.e, C12.f
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true})
			s.must(err)
			s.many("lineage", 10) // as many as may change
			red := s.agent("RedSky")
			red.claims(t.ID)
			_, err = red.ReleaseTask(s.ctx, api.ReleaseTaskRequest{ID: t.ID})
			s.must(err)
			s.pi.creates(result("one-more", "one"))
			s.unchanged(func() {
				_, err := red.ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID})
				s.refused(err, brenner.CodeCompressionRequired)
			})
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1)) // what it covers counts no more
			red.claims(t.ID)
		}},
		{"in the tasks of a session the roster's role counts", func(s *scene) { // C8; C8.b, C8.c
			swapped := roster.Roster{Entries: []roster.Entry{
				{AgentName: "BlueLake", Role: roster.TestDesigner}, {AgentName: "PurpleMountain", Role: roster.HypothesisGenerator},
			}}
			_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "lineage", Roster: swapped})
			s.must(err)
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{
				Title: "Plan a test", Spec: "of both", Role: "test_designer", Modules: []brenner.Module{"lineage"}, Session: "RS-1",
			})
			s.must(err)
			plan := api.CreateArtifactRequest{
				ID: "plan", Type: "test_plan", Module: "lineage", Summary: "move a cell", Task: t.ID,
				Content: api.Body{Format: artifact.JSON, Data: `{"name":"move a cell"}`},
			}
			blue := s.agent("BlueLake")
			s.unchanged(func() {
				_, err := s.agent("PurpleMountain").ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID})
				s.refused(err, brenner.CodeTaskNotYours)
				outside := plan
				outside.Task = ""
				_, err = blue.CreateArtifact(s.ctx, outside)
				s.refused(err, brenner.CodeWriteDenied)
			})
			mine := func(who *player) int {
				list, err := who.Tasks(s.ctx, api.ListTasksRequest{Mine: true})
				s.must(err)
				if len(list.Tasks) != list.Total {
					s.Errorf("%d of %d", len(list.Tasks), list.Total)
				}
				return list.Total
			}
			if n, others := mine(blue), mine(s.agent("PurpleMountain")); n != 1 || others != 0 {
				s.Errorf("open: %d for BlueLake, %d for PurpleMountain", n, others)
			}
			blue.claims(t.ID)
			if mine(blue) != 1 {
				s.Errorf("what BlueLake holds is not its own")
			}
			blue.creates(plan)
		}},
		{"a task that is given back is free, and one that was canceled is not", func(s *scene) { // C16; C16.e, C16.f
			t := s.pi.opens()
			grey := s.agent("GreyStone")
			grey.claims(t.ID)
			given, err := grey.ReleaseTask(s.ctx, api.ReleaseTaskRequest{ID: t.ID})
			s.must(err)
			if given.State != api.TaskOpen || given.Holder != "" {
				s.Errorf("given back: %+v", given)
			}
			s.pi.claims(t.ID)
			_, err = s.pi.CancelTask(s.ctx, api.CancelTaskRequest{ID: t.ID, Reason: "not needed"})
			s.must(err)
			s.unchanged(func() {
				_, err := grey.ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID})
				s.refused(err, brenner.CodeTaskClosed)
			})
		}},
		{"an agent never learns what was kept from its context, and a person does", func(s *scene) { // C30; C30.a, C30.b, C30.d, C30.e
			purple := s.agent("PurpleMountain")
			for i := range 40 {
				purple.creates(result(brenner.ArtifactID(fmt.Sprintf("n%d", i)), fmt.Sprintf("clone %d keeps its fate", i)))
			}
			for i, text := range []string{"count which clones keep their fate twice", "order reagents before Friday noon"} {
				purple.learns("benchwork", api.Insight{Section: "helpful", Content: text})
				_, err := s.pi.ForceBullet(s.ctx, api.ForceBulletRequest{
					ID: playbook.BulletID(fmt.Sprintf("benchwork.%d", i+1)), Stage: playbook.Prod, Reason: "it is law here",
				})
				s.must(err)
			}
			made := purple.assembles("which clones keep their fate?")
			mine, err := purple.Invocation(s.ctx, api.InvocationRequest{ID: made.Invocation})
			s.must(err)
			for what, record := range inOrder(map[string]assembly.Context{"assembled": made.Record, "looked at": mine.Record}) {
				if len(record.LeftOut)+len(record.BulletsLeftOut)+len(record.Rest) > 0 {
					s.Errorf("%s: left out %v, lessons %v, rest %v", what, record.LeftOut, record.BulletsLeftOut, record.Rest)
				}
			}
			theirs, err := s.pi.Invocation(s.ctx, api.InvocationRequest{ID: made.Invocation})
			s.must(err)
			if len(theirs.Record.LeftOut) == 0 || len(theirs.Record.BulletsLeftOut) == 0 {
				s.Errorf("the PI learns of %v and of lessons %v", theirs.Record.LeftOut, theirs.Record.BulletsLeftOut)
			}
		}},
		{"a question is about one module", func(s *scene) { // C23
			for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
				_, err := s.agent(name).AssembleContext(s.ctx, api.ContextRequest{Question: "why?", Modules: []brenner.Module{"lineage", "gradient"}})
				s.refused(err, brenner.CodeCrossModule)
			}
		}},
		{"what an agent writes names the context it was written under", func(s *scene) { // C30; C30.j, C30.k
			purple := s.agent("PurpleMountain")
			made, err := purple.AssembleContext(s.ctx, api.ContextRequest{Question: "why?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			purple.creates(result("mine", "one"))
			_, err = purple.Learn(s.ctx, api.LearnRequest{Insights: []api.Insight{{Section: "helpful", Content: "count twice"}}})
			s.must(err)
			got, err := s.pi.Invocation(s.ctx, api.InvocationRequest{ID: made.Invocation})
			s.must(err)
			kinds := []string{}
			for _, w := range got.Writes {
				kinds = append(kinds, w.Kind)
			}
			if !slices.Equal(got.Outputs, []brenner.Ref{ref("mine", 1)}) || len(kinds) < 2 || kinds[0] != "version.written" {
				s.Errorf("outputs %v, writes %v", got.Outputs, kinds)
			}
		}},
		{"what was shown as a summary is listed when it moved, and counts once it was read in full", func(s *scene) { // C17; C17.b, C17.c, C30.i
			s.pi.creates(api.CreateArtifactRequest{
				ID: "glance", Type: "context_view", Module: "project", Summary: "writers see results at a glance",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"writer","types":[{"type":"analysis_result","variant":"summary","max":5}],"grow":false}`},
			})
			s.pi.promotes(ref("glance", 1))
			s.pi.creates(result("r", "twelve clones of forty"))
			s.pi.promotes(ref("r", 1))
			grey := s.agent("GreyStone")
			works := func(id brenner.ArtifactID, reads bool) (api.TaskInfo, brenner.Ref) {
				t := s.pi.opens()
				grey.claims(t.ID)
				made, err := grey.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
				s.must(err)
				at := slices.IndexFunc(made.Record.Items, func(i assembly.Included) bool { return i.Ref.Artifact == "r" })
				if at < 0 || made.Record.Items[at].Variant != assembly.Summary {
					s.Fatalf("the context shows %+v", made.Record.Items)
				}
				shown := made.Record.Items[at].Ref
				if reads {
					_, err := grey.Artifact(s.ctx, api.ArtifactRequest{Ref: shown})
					s.must(err)
				}
				out := grey.creates(section(id, t.ID)).Ref
				next := s.pi.rewrites("r", "counted again for "+string(id))
				s.pi.promotes(next.Ref)
				return grey.completes(t.ID), out
			}
			done, out := works("glanced", false)
			if len(done.Moved) != 0 || len(done.Summaries) != 1 || done.Summaries[0].Ref != ref("r", 1) || s.pi.reads(out).Status != artifact.Draft {
				s.Errorf("shown: moved %+v, summaries %+v", done.Moved, done.Summaries)
			}
			review, err := s.pi.Review(s.ctx, api.ReviewRequest{Ref: out})
			s.must(err)
			if len(review.Moved) != 0 || !reflect.DeepEqual(review.Glanced, done.Summaries) {
				s.Errorf("the review has %+v and %+v", review.Moved, review.Glanced)
			}
			s.pi.promotes(out)
			done, out = works("studied", true)
			if len(done.Moved) != 1 || done.Moved[0].Ref != ref("r", 2) || len(done.Summaries) != 0 || s.pi.reads(out).Status != artifact.NeedsRebase {
				s.Errorf("read: moved %+v, summaries %+v", done.Moved, done.Summaries)
			}
		}},
		{"a memo covers what its author's context saw, and no more", func(s *scene) { // C12
			red := s.agent("RedSky")
			_, err := red.AssembleContext(s.ctx, api.ContextRequest{Question: "what stands?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			s.many("lineage", 11) // after it looked
			red.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1))
			cross := api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true}
			s.unchanged(func() {
				_, err := s.pi.NewTask(s.ctx, cross)
				s.refused(err, brenner.CodeCompressionRequired)
			})
			_, err = red.AssembleContext(s.ctx, api.ContextRequest{Question: "and now?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			red.rewrites("m", "all of it")
			s.pi.promotes(ref("m", 2))
			_, err = s.pi.NewTask(s.ctx, cross)
			s.must(err)
		}},
		{"a context across modules waits for their memos", func(s *scene) { // C12; C12.i
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true})
			s.must(err)
			red := s.agent("RedSky")
			red.claims(t.ID)
			s.many("lineage", 11)
			_, err = red.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.refused(err, brenner.CodeCompressionRequired)
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1))
			_, err = red.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
		}},
		{"across modules works a task that is, for a role whose view allows it", func(s *scene) { // C23; C23.b
			s.pi.creates(api.CreateArtifactRequest{
				ID: "near", Type: "context_view", Module: "project", Summary: "writers stay at home",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"writer","modules":"one","types":[{"type":"analysis_result","variant":"full","max":5}]}`},
			})
			s.pi.promotes(ref("near", 1))
			across := func(who brenner.ActorName, role brenner.Role) error {
				t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "Compare", Spec: "both", Role: role, CrossCutting: true})
				if err != nil {
					return err
				}
				p := s.agent(who)
				p.claims(t.ID)
				made, err := p.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
				if err == nil && !(made.Record.Scope.Covers("lineage") && made.Record.Scope.Covers("gradient")) {
					s.Errorf("the scope is %+v", made.Record.Scope)
				}
				return err
			}
			s.must(across("RedSky", "integrator"))
			s.refused(across("GreyStone", "writer"), brenner.CodeCrossModule)
			t := s.pi.opens()
			grey := s.agent("GreyStone")
			grey.claims(t.ID)
			made, err := grey.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
			if made.Record.Scope.Covers("gradient") {
				s.Errorf("the scope is %+v", made.Record.Scope)
			}
		}},
		{"in the tasks of a session the roster's role counts for reading, too", func(s *scene) { // C8
			s.pi.creates(api.CreateArtifactRequest{
				ID: "closed", Type: "role_policy", Module: "project", Summary: "who thinks up does not read results",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"hypothesis_generator","read":["project_brief"],"write":["model_spec"],"promote":[],"acts":["context_assemble","status","task_work"]}`},
			})
			s.pi.promotes(ref("closed", 1))
			s.pi.creates(result("r", "twelve"))
			swapped := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.TestDesigner}}}
			_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "lineage", Roster: swapped})
			s.must(err)
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "Plan", Spec: "a test", Role: "test_designer", Modules: []brenner.Module{"lineage"}, Session: "RS-1"})
			s.must(err)
			blue := s.reader("BlueLake")
			_, err = blue.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("r", 1)})
			s.refused(err, brenner.CodeReadDenied)
			blue.claims(t.ID)
			_, err = blue.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
			blue.reads(ref("r", 1))
		}},
		{"after a question, a reply and a lesson the context says what came of it", func(s *scene) { // C30
			started, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "lineage", Roster: team, Compile: api.CompileManual})
			s.must(err)
			blue := s.agent("BlueLake")
			made, err := blue.AssembleContext(s.ctx, api.ContextRequest{Session: started.Session.ID})
			s.must(err)
			blue.submits("RS-1", "```delta\n"+`{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"claim":"ancestry decides","mechanism":"inheritance"}}`+"\n```")
			blue.learns("lab", plain("helpful", "Ask who the mother was."))
			got, err := s.pi.Invocation(s.ctx, api.InvocationRequest{ID: made.Invocation})
			s.must(err)
			var kinds []string
			for _, w := range got.Writes {
				kinds = append(kinds, w.Kind)
			}
			for _, want := range []string{"reply.received", "bullet.updated"} {
				if !slices.Contains(kinds, want) {
					s.Errorf("no %s among %v", want, kinds)
				}
			}
		}},
		{"an agent with two tasks reads and writes through the one it names", func(s *scene) { // C30; C30.m, C30.g
			s.pi.creates(result("r", "twelve"))
			grey := s.agent("GreyStone")
			var made [2]api.ContextResult
			var tasks [2]api.TaskInfo
			for i := range tasks {
				tasks[i] = s.pi.opens()
				grey.claims(tasks[i].ID)
				var err error
				made[i], err = grey.AssembleContext(s.ctx, api.ContextRequest{Task: tasks[i].ID})
				s.must(err)
			}
			_, err := grey.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("r", 1), Task: tasks[0].ID, Again: true})
			s.must(err)
			grey.creates(section("first", tasks[0].ID))
			grey.creates(section("second", tasks[1].ID))
			for i, want := range []brenner.Ref{ref("first", 1), ref("second", 1)} {
				got, err := s.pi.Invocation(s.ctx, api.InvocationRequest{ID: made[i].Invocation})
				s.must(err)
				if read := len(got.Later) > 0; read != (i == 0) || !slices.Equal(got.Outputs, []brenner.Ref{want}) {
					s.Errorf("under %s: read %+v, wrote %v", tasks[i].ID, got.Later, got.Outputs)
				}
			}
			_, err = grey.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("r", 1), Task: "task-999"})
			s.refused(err, brenner.CodeContextRequired)
		}},
		{"an update that says what is there already makes no version", func(s *scene) { // C13; C13.a
			s.pi.creates(note("n", "one", link(artifact.Cites, s.pi.creates(note("m", "two")).Ref.Artifact, 1)))
			summary, tags := "about n: one", []string{}
			s.unchanged(func() {
				for _, req := range []api.UpdateArtifactRequest{
					{},
					{Summary: &summary},
					{Content: &api.Body{Format: artifact.Text, Data: "one"}, Tags: &tags, Change: &artifact.Change{What: "nothing", Why: "to be sure"}},
					{Links: []artifact.Link{link(artifact.Cites, "m", 1)}},
				} {
					req.ID = "n"
					_, err := s.pi.UpdateArtifact(s.ctx, req)
					s.refused(err, brenner.CodeNothingChanged)
				}
			})
			other := []string{"clones"}
			for _, req := range []api.UpdateArtifactRequest{{Tags: &other}, {DropLinks: true}, {Links: []artifact.Link{link(artifact.DependsOn, "m", 1)}}} {
				req.ID = "n"
				_, err := s.pi.UpdateArtifact(s.ctx, req)
				s.must(err)
			}
		}},
		{"what is out of use is written once more as it was", func(s *scene) { // C13, C14
			first := note("n", "one", link(artifact.Cites, s.pi.creates(note("m", "two")).Ref.Artifact, 1))
			first.Tags = []string{"clones"}
			s.pi.creates(first)
			s.pi.promotes(ref("n", 1))
			s.pi.rewrites("n", "three")
			s.pi.promotes(ref("n", 2))
			back, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: "n", Parent: 1})
			s.must(err)
			s.pi.promotes(back.Ref)
			is, err := s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: back.Ref})
			s.must(err)
			if string(is.Content) != `"one"` || len(is.Links) != 1 || !slices.Equal(is.Metadata.Tags, first.Tags) || is.Summary != first.Summary || is.Status != artifact.Canonical {
				s.Errorf("what came back is %+v", is)
			}
		}},
		{"a task is opened, not written", func(s *scene) { // C4; C4.b
			s.unchanged(func() {
				_, err := s.pi.CreateArtifact(s.ctx, api.CreateArtifactRequest{
					Type: "task", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.JSON, Data: `{"title":"x"}`},
				})
				s.refused(err, brenner.CodeInvalidValue)
			})
		}},
		{"that a summary holds is said in the journal", func(s *scene) { // C11
			s.pi.creates(note("n", "one"))
			_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: "n", SummaryHolds: true, Content: &api.Body{Format: artifact.Text, Data: "two"}})
			s.must(err)
			s.pi.rewrites("n", "three")
			records, err := s.pi.Records(s.ctx, api.RecordsRequest{Kind: "version.written"})
			s.must(err)
			var confirmed []bool
			for _, r := range records.Records {
				confirmed = append(confirmed, strings.Contains(string(r.Payload), `"summary_holds":true`))
			}
			if !slices.Equal(confirmed, []bool{false, true, false}) {
				s.Errorf("confirmed: %v", confirmed)
			}
		}},
		{"whatever a policy says, of agents only a distiller reads raw logs", func(s *scene) { // C2; C2.a
			log := s.agent("PurpleMountain").creates(api.CreateArtifactRequest{
				ID: "log", Type: "raw_log", Module: "lineage", Summary: "what was said", Content: api.Body{Format: artifact.Text, Data: "I think so"},
			})
			s.pi.creates(api.CreateArtifactRequest{
				ID: "p", Type: "role_policy", Module: "project", Summary: "writers read logs",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"writer","read":["raw_log","paper_note"],"write":[],"promote":[],"acts":["context_assemble","status"]}`},
			})
			s.pi.promotes(ref("p", 1))
			_, err := s.reader("GreyStone").Artifact(s.ctx, api.ArtifactRequest{Ref: log.Ref})
			s.refused(err, brenner.CodeReadDenied)
			s.reader("WhiteFox").reads(log.Ref)
			s.pi.reads(log.Ref)
		}},
		{"without a module a context is for the session that waits", func(s *scene) { // C35
			_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "gradient", Roster: team})
			s.must(err)
			blue := s.agent("BlueLake")
			made, err := blue.AssembleContext(s.ctx, api.ContextRequest{Question: "why?"})
			s.must(err)
			if !made.Record.Scope.Covers("gradient") || made.Record.Scope.Covers("lineage") {
				s.Errorf("the scope is %+v", made.Record.Scope)
			}
			_, err = s.agent("GreyStone").AssembleContext(s.ctx, api.ContextRequest{Session: "RS-1"})
			s.refused(err, brenner.CodeUnknownAgent)
		}},
	}
}

// many writes results into a module.
func (s *scene) many(module brenner.Module, n int) {
	s.Helper()
	for i := range n {
		r := result(brenner.ArtifactID(fmt.Sprintf("many-%d", i)), fmt.Sprintf("count %d", i))
		r.Module = module
		s.pi.creates(r)
	}
}

// updates writes a new version for a task.
func (p *player) updates(id brenner.ArtifactID, parent brenner.Version, text, task string) brenner.Ref {
	p.Helper()
	summary := "about " + string(id) + ": " + text
	res, err := p.UpdateArtifact(p.ctx, api.UpdateArtifactRequest{
		ID: id, Parent: parent, Summary: &summary, Task: task, Content: &api.Body{Format: artifact.Text, Data: text},
		Change: &artifact.Change{What: "the text", Why: "a better one"},
	})
	p.must(err)
	return res.Ref
}
