package web_test

import (
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/stalemate"
)

func ref(id brenner.ArtifactID, v brenner.Version) brenner.Ref {
	return brenner.Ref{Artifact: id, Version: v}
}

func (w *world) promote(r brenner.Ref, reason string) {
	w.Helper()
	must[api.DecisionResult](w)(w.pi().Promote(w.Context(), api.PromoteRequest{Ref: r, Reason: reason}))
}

func (w *world) create(as api.Service, req api.CreateArtifactRequest) brenner.Ref {
	w.Helper()
	return must[api.WriteResult](w)(as.CreateArtifact(w.Context(), req)).Ref
}

func textBody(s string) api.Body { return api.Body{Format: artifact.Text, Data: s} }

// hostile is a text that tries everything.
const hostile = "# A note <script>alert('heading')</script>\n\n" +
	"<script>document.title = 'owned'</script>\n\n" +
	"<img src=x onerror=\"document.title='owned'\">\n\n" +
	"<svg onload=\"document.title='owned'\"><a href=\"javascript:alert(1)\">svg</a></svg>\n\n" +
	"[click me](javascript:document.title='owned') and [data](data:text/html,<script>alert(1)</script>) and [here](/logout) and [good](https://example.org/paper)\n\n" +
	"![tracker](https://example.org/pixel.png \"x\") ![inline](data:image/svg+xml;base64,PHN2Zy8+)\n\n" +
	"<javascript:alert(1)> <https://example.org/auto>\n\n" +
	"| a | b |\n|:--|--:|\n| 1 | <b onmouseover=alert(1)>2</b> |\n\n" +
	"[ref]: javascript:alert(2)\n\n[ref]\n"

// told names what the demo made under names that it does not choose itself,
// and the dispute that later adds.
type told struct {
	task, context string
	settled, open brenner.ArtifactID
}

// tell opens the demo's project and finds its way around.
func (w *world) tell() told {
	w.Helper()
	ctx, pi := w.Context(), w.pi()
	tasks := must[api.TaskList](w)(pi.Tasks(ctx, api.ListTasksRequest{States: []api.TaskState{api.TaskDone}}))
	seen := must[api.InvocationList](w)(pi.Invocations(ctx, api.ListInvocationsRequest{}))
	disputes := must[api.StalemateList](w)(pi.Stalemates(ctx, api.ListStalematesRequest{States: []stalemate.State{stalemate.Accepted}}))
	// The task that the PI opened; others came of rules.
	work := slices.IndexFunc(tasks.Tasks, func(t api.TaskInfo) bool { return t.Creator == "ada" })
	if work < 0 || len(disputes.Stalemates) != 1 {
		w.Fatalf("the demo tells another story: %+v %+v", tasks, disputes)
	}
	task := tasks.Tasks[work].ID
	context := slices.IndexFunc(seen.Invocations, func(i api.InvocationItem) bool { return i.Task == task })
	if context < 0 {
		w.Fatalf("the demo tells another story: %+v", seen)
	}
	return told{task: task, context: seen.Invocations[context].ID, settled: disputes.Stalemates[0].ID}
}

// tellMore goes on where the demo ends. The demo settles whatever it stirs up;
// here its people leave a measurement that moved, a section that needs a
// rebase, a fork, lessons to review and a dispute nobody has taken on. And
// there is a note by somebody hostile.
func (w *world) tellMore() told {
	w.Helper()
	story, ctx, pi := w.tell(), w.Context(), w.pi()
	w.create(pi, api.CreateArtifactRequest{ID: "hostile", Type: "paper_note", Module: "biology", Summary: "A note <script>alert('summary')</script>", Content: textBody(hostile)})

	t := must[api.TaskInfo](w)(pi.NewTask(ctx, api.NewTaskRequest{
		Title: "Draft the discussion", Spec: "One paragraph: **why** does oxygen crash?", Role: "writer",
		Modules: []brenner.Module{"biology"}, Inputs: []brenner.Ref{ref("oxygen-log", 2)},
	}))
	writer := w.as("GreyStone")
	must[api.TaskInfo](w)(writer.ClaimTask(ctx, api.ClaimTaskRequest{ID: t.ID}))
	must[api.ContextResult](w)(writer.AssembleContext(ctx, api.ContextRequest{Task: t.ID}))
	w.create(writer, api.CreateArtifactRequest{
		ID: "discussion", Type: "manuscript_section", Module: "biology", Task: t.ID, Summary: "Discussion: respiration empties the pools by 05:00",
		Content: textBody("# Why\n\nRespiration *empties* the pools by 05:00:\n\n- no light\n- little water\n"),
		Links:   []artifact.Link{{Rel: artifact.DependsOn, Artifact: "oxygen-log", Version: 2}},
	})
	summary := "Oxygen at the weir falls below 2 mg/l on 13 of 14 August nights, lowest at 05:00"
	must[api.WriteResult](w)(pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{
		ID: "oxygen-log", Summary: &summary, Change: &artifact.Change{What: "another night", Why: "the county's logger saw it too"},
		Content: &api.Body{Format: artifact.JSON, Data: `{"method":"two optical loggers","data":{"nights_below_2":13,"nights":14,"minimum_hour":5},"result":"below 2 mg/l on 13 of 14 nights"}`},
	}))
	w.promote(ref("oxygen-log", 3), "two loggers agree")
	must[api.TaskInfo](w)(writer.CompleteTask(ctx, api.CompleteTaskRequest{ID: t.ID}))

	for i, text := range []string{"Minima at 05:00 on 13 of 14 nights.", "The bed respires, not the water."} {
		must[api.WriteResult](w)(w.as([]brenner.ActorName{"ada", "RedSky"}[i]).UpdateArtifact(ctx, api.UpdateArtifactRequest{
			ID: "memo-biology", Parent: 4, Summary: &text, Content: &api.Body{Format: artifact.Text, Data: text},
			Change: &artifact.Change{What: "counts", Why: "two loggers"},
		}))
	}
	var unsure []api.Insight
	confidence := 0.4
	for _, text := range []string{
		"Averaging over the night hides the crash", "Trout leave the reach when the gauge reads 0.3",
		"Shade a pool before believing in algae", "County reports come three weeks late",
	} {
		unsure = append(unsure, api.Insight{Section: "neutral", Content: text, Confidence: &confidence})
	}
	must[api.LearnResult](w)(w.as("WhiteFox").Learn(ctx, api.LearnRequest{Domain: "county", Insights: unsure}))
	story.open = must[api.StalemateInfo](w)(w.as("BlueLake").RaiseStalemate(ctx, api.RaiseStalemateRequest{Stalemate: stalemate.Stalemate{
		Summary: "the two loggers disagree about 9 August", Target: "oxygen-log@3", Request: "say which logger is right", Expected: "both show the same minimum",
		Hypotheses: []stalemate.Hypothesis{
			{Author: "BlueLake", Statement: "the upper logger drifted", Justification: "it was not calibrated in July"},
			{Author: "PurpleMountain"},
		},
		Alternatives: []stalemate.Hypothesis{{Statement: "one was out of the water", Justification: "the gauge fell that night"}},
		Attempts:     []stalemate.Attempt{{Actor: "BlueLake", Action: "compared the raw files", Outcome: "they differ by 60 minutes"}},
		Evidence:     []stalemate.Evidence{{Kind: "error_log", Content: "upper: minimum 04:00\nlower: minimum 05:00"}},
	}})).ID
	must[api.StalemateInfo](w)(w.as("PurpleMountain").MoveStalemate(ctx, api.MoveStalemateRequest{
		ID: story.open, Action: stalemate.Reply, Statement: "the clocks differ by an hour", Justification: "the curves match when shifted",
	}))
	return story
}
