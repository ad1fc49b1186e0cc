package apitest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
)

// brief puts a project brief in force.
func (p *player) brief() {
	p.Helper()
	p.creates(api.CreateArtifactRequest{
		ID: "brief", Type: "project_brief", Summary: "what decides cell fate",
		Content: api.Body{Format: artifact.JSON, Data: `{"question":"What decides cell fate?","goals":["tell lineage from gradient"]}`},
	})
	p.promotes(ref("brief", 1))
}

// countsAll previews a context and asserts that so many candidates have a
// reason, and that every result and memo of some modules is either one of them
// or counted.
func (p *player) countsAll(req api.ContextRequest, looked, all int, modules ...brenner.Module) {
	p.Helper()
	res, err := p.PreviewContext(p.ctx, req)
	p.must(err)
	seen := map[brenner.Ref]bool{}
	for _, i := range res.Record.Items {
		if i.Rank > 0 {
			seen[i.Ref] = true
		}
	}
	for _, l := range res.Record.LeftOut {
		seen[l.Ref] = true
	}
	if len(seen) != looked {
		p.Errorf("%d candidates have a reason, want %d", len(seen), looked)
	}
	list, err := p.Artifacts(p.ctx, api.ListArtifactsRequest{
		Page: api.Page{Limit: brenner.MaxPage}, Types: []brenner.TypeName{"analysis_result", "integrated_memo"}, Modules: modules,
	})
	p.must(err)
	if len(list.Items) != all {
		p.Fatalf("there are %d results and memos, want %d", len(list.Items), all)
	}
	want, got := 0, 0
	for _, a := range list.Items {
		if !seen[ref(a.ID, a.Head)] { // in force
			want++
		}
	}
	for _, r := range res.Record.Rest {
		got += r.Count
	}
	if got != want {
		p.Errorf("%v are counted, want %d", res.Record.Rest, want)
	}
}

func contextCases() []testCase {
	return []testCase{
		{"a context holds the overview, the task, the pinned inputs and what the view selects", func(s *scene) { // C3, C9
			s.pi.brief()
			s.pi.creates(memo("memo", "lineage"))
			s.pi.promotes(ref("memo", 1))
			s.pi.creates(memo("other", "gradient"))
			s.pi.creates(result("n", "clones keep their fate"))
			t := s.pi.opens(ref("n", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			res, err := writer.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
			for _, want := range []string{"brief@1", t.ID, "cover the counts", "n@1", "memo@1"} {
				if !strings.Contains(res.Text, want) {
					s.Errorf("the context lacks %q:\n%s", want, res.Text)
				}
			}
			if strings.Contains(res.Text, "other@1") { // C23
				s.Errorf("another module is in the context:\n%s", res.Text)
			}
			if res.Used > res.Size || res.Invocation == "" {
				s.Errorf("used %d of %d, invocation %q", res.Used, res.Size, res.Invocation)
			}
			if len(res.Record.LeftOut) != 0 {
				s.Errorf("an agent learns what was left out: %+v", res.Record.LeftOut)
			}
		}},
		{"a context tells the question, relations, disputes, newer drafts and authors, of what its reader may read", func(s *scene) { // C21, C33
			s.pi.creates(note("raw", "clones were counted"))
			s.pi.creates(note("count", "nine of ten clones keep their fate", link(artifact.DependsOn, "raw", 1)))
			s.pi.promotes(ref("count", 1))
			newer := "nine of eleven"
			_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: "count", Summary: &newer, Change: &artifact.Change{What: "n", Why: "n"}})
			s.must(err)
			s.pi.creates(note("contrary", "clones change their fate", link(artifact.Contradicts, "count", 1)))
			crit := note("doubt", "the counts are too few", link(artifact.Reviews, "count", 1))
			crit.Type, crit.Content = "critique", api.Body{Format: artifact.JSON, Data: `{"target":"count@1","finding":"too few","severity":"info"}`}
			s.pi.creates(crit)
			elsewhere := note("elsewhere", "clones of another module", link(artifact.Contradicts, "count", 1))
			elsewhere.Module = "gradient"
			s.pi.creates(elsewhere)
			res := s.agent("PurpleMountain").assembles("which clones keep their fate?")
			_, shown, _ := strings.Cut(res.Text, "count@1 (")
			shown, _, _ = strings.Cut(shown, "\n")
			for _, want := range []string{"newer draft @2", "contradicted by contrary@1;", "criticised in doubt@1", "rests on raw@1"} {
				if !strings.Contains(shown, want) {
					s.Errorf("count@1 is shown without %q: %s", want, shown)
				}
			}
			for _, want := range []string{"## Question\n\n```\nwhich clones keep their fate?\n```", "; reviews count@1", "; contradicts count@1"} {
				if !strings.Contains(res.Text, want) {
					s.Errorf("the context lacks %q:\n%s", want, res.Text)
				}
			}
			if strings.Contains(res.Text, "elsewhere") {
				s.Errorf("an artifact of another module is named:\n%s", res.Text)
			}
			if at := s.size(); res.Record.Made.Journal != at-1 {
				s.Errorf("made at %d of %d records", res.Record.Made.Journal, at)
			}
		}},
		{"what was written beside what fits is looked at too", func(s *scene) { // C21, C33
			s.pi.creates(note("asked", "Which breed did the shelter keepers hand over?"))
			s.pi.creates(note("reply", "A greyhound, two years old.", link(artifact.Cites, "asked", 1)))
			s.pi.creates(note("alone", "A beagle, nine years old."))
			other := note("other", "A terrier of the other module.", link(artifact.Cites, "asked", 1))
			other.Module = "gradient"
			s.pi.creates(other)
			view, err := s.pi.PreviewContext(s.ctx, api.ContextRequest{As: "PurpleMountain", Question: "which breed has the shelter?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			weights := assembly.Weights{Pinned: 20, Links: 10, Tags: 3, Recency: 1, Lexical: 20, Semantic: 10, Neighbours: 10} // of the built-in views
			scores := map[brenner.ArtifactID]assembly.Score{}
			for _, i := range view.Record.Items {
				if i.Score == nil {
					continue
				}
				p := *i.Score
				scores[i.Ref.Artifact] = p
				sum := weights.Pinned*p.Pinned + weights.Links*p.Links + weights.Tags*p.Tags + weights.Recency*p.Recency + weights.Lexical*p.Lexical +
					weights.Semantic*p.Semantic + weights.Neighbours*p.Neighbours
				if math.Abs(sum-p.Total) > 1e-5 {
					s.Errorf("%s: the parts %+v add up to %v", i.Ref, p, sum)
				}
				if found := slices.Contains(i.By, assembly.ByNeighbours); found != (i.Ref.Artifact == "reply") {
					s.Errorf("%s was found by %v", i.Ref, i.By)
				}
			}
			if scores["asked"].Lexical != 1 || scores["reply"].Neighbours < 0.6 || scores["alone"].Neighbours != 0 || scores["reply"].Total <= scores["alone"].Total {
				s.Errorf("scores: %+v", scores)
			}
			if strings.Contains(view.Text, "terrier") {
				s.Error("what was written beside it in another module is shown")
			}
		}},
		{"what has the tag of what fits stands beside it, in the order it was written", func(s *scene) { // C21
			turns := []string{"Which breed did the shelter keepers hand over?", "A greyhound, two years old.", "Lovely.", "See you on Sunday."}
			for i, text := range turns {
				turn := note(brenner.ArtifactID(fmt.Sprintf("turn-%d", i)), text)
				turn.Tags = []string{"meeting-3"}
				s.pi.creates(turn)
			}
			s.pi.creates(note("alone", "A beagle, nine years old."))
			view, err := s.pi.PreviewContext(s.ctx, api.ContextRequest{As: "PurpleMountain", Question: "which breed has the shelter?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			beside := map[brenner.ArtifactID]float64{}
			for _, i := range view.Record.Items {
				if i.Score != nil {
					beside[i.Ref.Artifact] = i.Score.Neighbours
				}
			}
			if beside["turn-1"] <= beside["turn-3"] || beside["turn-3"] <= 0 || beside["alone"] != 0 {
				s.Errorf("beside: %v", beside)
			}
		}},
		{"the same state gives the same bytes", func(s *scene) { // C21
			for i := range 30 {
				s.pi.creates(note(brenner.ArtifactID(fmt.Sprintf("n%d", i)), fmt.Sprintf("clone %d keeps its fate", i)))
			}
			req := api.ContextRequest{As: "PurpleMountain", Question: "which clones keep their fate?", Modules: []brenner.Module{"lineage"}}
			one, err := s.pi.PreviewContext(s.ctx, req)
			s.must(err)
			two, err := s.pi.PreviewContext(s.ctx, req)
			s.must(err)
			if one.Text != two.Text || one.Record.SHA256 != two.Record.SHA256 {
				s.Error("two previews of one state differ")
			}
			if one.Invocation != "" {
				s.Error("a preview was recorded")
			}
			if len(one.Record.Items)+len(one.Record.LeftOut) < 30 {
				s.Errorf("%d candidates have a reason", len(one.Record.Items)+len(one.Record.LeftOut))
			}
		}},
		{"up to 500 candidates are looked at and the rest are counted by cause", func(s *scene) { // C21; C30.c
			const all = 640
			question := api.ContextRequest{As: "PurpleMountain", Question: "which clones keep their fate?", Modules: []brenner.Module{"lineage"}}
			id := func(i int) brenner.ArtifactID { return brenner.ArtifactID(fmt.Sprintf("r%03d", i)) }
			for i := range all {
				req := result(id(i), fmt.Sprintf("clone %d keeps its fate", i))
				if i%3 == 0 {
					req.Tags = []string{"clones"}
				}
				if 0 < i && i <= 5 {
					req.Links = []artifact.Link{link(artifact.DependsOn, id(i-1), 1)}
				}
				s.pi.creates(req)
				if i == 100 {
					s.pi.countsAll(question, i+1, i+1, "lineage")
				}
			}
			// What is near by a link need not be in force, and what is out of
			// scope is nowhere counted.
			s.pi.rewrites(id(1), "clone 1 loses its fate")
			elsewhere := result("elsewhere", "clones of another module keep their fate", link(artifact.DependsOn, id(0), 1))
			elsewhere.Module = "gradient"
			s.pi.creates(elsewhere)
			protocol := note("protocol", `{"steps":["mark the clones"]}`)
			protocol.Type, protocol.Content.Format = "protocol", artifact.JSON
			s.pi.creates(protocol)
			s.pi.creates(memo("memo", "lineage")) // or work across modules waits for one
			s.pi.promotes(ref("memo", 1))
			for _, inputs := range [][]brenner.Ref{nil, {ref(id(0), 1)}} {
				req := api.NewTaskRequest{
					Title: "Test the clones", Spec: "design a test", Role: "test_designer", Modules: []brenner.Module{"lineage"}, Inputs: inputs,
				}
				t, err := s.pi.NewTask(s.ctx, req)
				s.must(err)
				s.pi.countsAll(api.ContextRequest{As: "PurpleMountain", Task: t.ID}, 500, all+1, "lineage")
				req.Role, req.Modules, req.CrossCutting = "integrator", nil, true
				t, err = s.pi.NewTask(s.ctx, req)
				s.must(err)
				s.pi.countsAll(api.ContextRequest{As: "RedSky", Task: t.ID}, 500, all+2) // of every module
			}
			s.pi.countsAll(question, 500, all+1, "lineage")
			question.Question = "?"
			s.pi.countsAll(question, 500, all+1, "lineage")
			// C30: the agent does not learn how much there is besides.
			if got := s.agent("PurpleMountain").assembles("which clones keep their fate?"); len(got.Record.Rest) > 0 {
				s.Errorf("an agent learns of the rest: %+v", got.Record.Rest)
			}
		}},
		{"every context is recorded with its reasons and what followed", func(s *scene) { // C30; C30.h, C30.l
			s.pi.creates(result("n", "clones keep their fate"))
			t := s.pi.opens(ref("n", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			res, err := writer.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
			writer.reads(ref("n", 1))
			out := writer.creates(section("methods", t.ID))
			info, err := s.pi.Invocation(s.ctx, api.InvocationRequest{ID: res.Invocation})
			s.must(err)
			if info.Agent != "GreyStone" || info.Role != "writer" || info.View == "" || len(info.Record.Items) == 0 || info.Record.Items[0].Why == "" {
				s.Errorf("record: %+v", info)
			}
			if len(info.Later) != 1 || !slices.Equal(info.Later[0].Refs, []brenner.Ref{ref("n", 1)}) || info.Used <= res.Used {
				s.Errorf("later reads: %+v, used %d after %d", info.Later, info.Used, res.Used)
			}
			if !slices.Equal(info.Outputs, []brenner.Ref{out.Ref}) {
				s.Errorf("outputs: %v", info.Outputs)
			}
			if slices.ContainsFunc(info.Writes, func(w api.ContextWrite) bool { return strings.HasPrefix(w.Kind, "context.") }) {
				s.Errorf("what was read counts as written: %+v", info.Writes)
			}
			_, err = s.agent("GreenValley").Invocation(s.ctx, api.InvocationRequest{ID: res.Invocation})
			s.refused(err, brenner.CodeReadDenied)
			list, err := s.pi.Invocations(s.ctx, api.ListInvocationsRequest{Agent: "GreyStone"})
			s.must(err)
			if len(list.Invocations) != 1 {
				s.Errorf("list: %+v", list)
			}
			_, err = s.pi.Invocation(s.ctx, api.InvocationRequest{ID: "ctx-999"})
			s.refused(err, brenner.CodeNotFound)
		}},
		{"an agent reads through a context, inside its modules", func(s *scene) { // C3, C23; C7.c
			s.pi.creates(note("n", "one"))
			s.pi.creates(memo("m", "gradient"))
			fox := s.agent("WhiteFox")
			_, err := fox.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("n", 1)})
			s.refused(err, brenner.CodeContextRequired)
			fox.assembles("what is known?")
			fox.reads(ref("n", 1))
			_, err = fox.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("m", 1)})
			s.refused(err, brenner.CodeReadDenied)
			items, err := fox.Artifacts(s.ctx, api.ListArtifactsRequest{})
			s.must(err)
			if slices.ContainsFunc(items.Items, func(i api.ArtifactItem) bool { return i.Module == "gradient" }) {
				s.Errorf("another module is listed: %+v", items.Items)
			}
			s.pi.reads(ref("m", 1)) // persons just read
		}},
		{"reads are charged until the budget ends", func(s *scene) { // C3, C20
			long := strings.Repeat("fate follows lineage, mostly. ", 1000)
			req := note("n", long)
			req.Summary = "a long text"
			s.pi.creates(req)
			fox := s.reader("WhiteFox")
			read := 0
			for range 50 {
				_, err := fox.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("n", 1)})
				if err != nil {
					s.refused(err, brenner.CodeContextOverflow)
					break
				}
				read++
			}
			list, err := s.pi.Invocations(s.ctx, api.ListInvocationsRequest{Agent: "WhiteFox"})
			s.must(err)
			if read == 50 && len(list.Invocations) == 1 { // over MCP another goes on from it (ADR 0221)
				s.Error("the budget never ended")
			}
			fox.assembles("again") // a new context, a new budget
		}},
		{"mandatory parts that do not fit are refused", func(s *scene) { // C20
			s.pi.creates(result("n", "one"))
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{
				Title: "x", Spec: strings.Repeat("do this, and then that. ", 2500), Role: "writer",
				Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{ref("n", 1)},
			})
			s.must(err)
			s.pi.creates(api.CreateArtifactRequest{
				ID: "view", Type: "context_view", Module: "project", Summary: "a narrow view",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"writer","types":[{"type":"paper_note"}],"budget":{"unit":"bytes","size":4000,"reserve":0}}`},
			})
			s.pi.promotes(ref("view", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			s.unchanged(func() {
				_, err := writer.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
				s.refused(err, brenner.CodeContextOverflow)
			})
			views, err := s.pi.Views(s.ctx) // C9: the canonical one is in force
			s.must(err)
			i := slices.IndexFunc(views.Views, func(v api.ViewInfo) bool { return v.Role == "writer" })
			if i < 0 || views.Views[i].Version != "view@1" {
				s.Errorf("views: %+v", views.Views)
			}
		}},
		{"a canonical policy is in force at once", func(s *scene) { // C7
			s.pi.creates(note("n", "one"))
			critic := s.reader("GreenValley")
			critic.reads(ref("n", 1))
			s.unchanged(func() {
				_, err := s.pi.CreateArtifact(s.ctx, api.CreateArtifactRequest{
					Type: "role_policy", Module: "project", Summary: "broken",
					Content: api.Body{Format: artifact.JSON, Data: `{"role":"adversarial_critic","read":[],"write":[],"promote":[],"acts":["fly"]}`},
				})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = s.pi.CreateArtifact(s.ctx, api.CreateArtifactRequest{
					Type: "context_view", Module: "project", Summary: "broken",
					Content: api.Body{Format: artifact.JSON, Data: `{"role":"writer","types":[{"type":"papernote"}]}`},
				})
				s.refused(err, brenner.CodeInvalidView)
			})
			s.pi.creates(api.CreateArtifactRequest{
				ID: "p", Type: "role_policy", Module: "project", Summary: "critics read critiques only",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"adversarial_critic","read":["critique"],"write":["critique"],"promote":[],"acts":["context_assemble","status"]}`},
			})
			critic.reads(ref("n", 1)) // a draft changes nothing
			s.pi.promotes(ref("p", 1))
			_, err := critic.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("n", 1)})
			s.refused(err, brenner.CodeReadDenied)
		}},
		{"what a context showed counts as input of the task", func(s *scene) { // C17
			s.pi.creates(memo("memo", "lineage"))
			s.pi.promotes(ref("memo", 1))
			t := s.pi.opens()
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			res, err := writer.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
			if !slices.ContainsFunc(res.Record.Items, func(i assembly.Included) bool { return i.Ref == ref("memo", 1) }) {
				s.Fatalf("the memo is not in the context: %+v", res.Record.Items)
			}
			writer.creates(section("methods", t.ID))
			s.pi.rewrites("memo", "new knowledge")
			s.pi.promotes(ref("memo", 2))
			done := writer.completes(t.ID)
			if len(done.Moved) != 1 || done.Moved[0].Through != res.Invocation {
				s.Errorf("moved: %+v", done.Moved)
			}
		}},
		{"only the PI previews", func(s *scene) { // C8
			_, err := s.agent("WhiteFox").PreviewContext(s.ctx, api.ContextRequest{As: "GreenValley"})
			s.refused(err, brenner.CodeReadDenied)
			_, err = s.agent("WhiteFox").AssembleContext(s.ctx, api.ContextRequest{As: "GreenValley"})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.PreviewContext(s.ctx, api.ContextRequest{As: "Nobody"})
			s.refused(err, brenner.CodeNotFound)
		}},
	}
}
