package apitest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// section is what a writer writes for a task.
func section(id brenner.ArtifactID, task string) api.CreateArtifactRequest {
	return api.CreateArtifactRequest{
		ID: id, Type: "manuscript_section", Module: "lineage", Summary: "methods of " + string(id),
		Content: api.Body{Format: artifact.Text, Data: "we counted"}, Task: task,
	}
}

// opens opens a task for a writer on some inputs.
func (p *player) opens(inputs ...brenner.Ref) api.TaskInfo {
	p.Helper()
	t, err := p.NewTask(p.ctx, api.NewTaskRequest{
		Title: "Write the methods", Spec: "cover the counts", Role: "writer", Modules: []brenner.Module{"lineage"}, Inputs: inputs,
	})
	p.must(err)
	return t
}

// claims takes a task.
func (p *player) claims(id string) api.TaskInfo {
	p.Helper()
	t, err := p.ClaimTask(p.ctx, api.ClaimTaskRequest{ID: id})
	p.must(err)
	return t
}

// completes closes a task.
func (p *player) completes(id string, outputs ...brenner.Ref) api.TaskInfo {
	p.Helper()
	t, err := p.CompleteTask(p.ctx, api.CompleteTaskRequest{ID: id, Outputs: outputs})
	p.must(err)
	return t
}

func taskCases() []testCase {
	return []testCase{
		{"a task pins the versions in force", func(s *scene) { // C16
			s.pi.creates(result("n", "one"))
			s.pi.promotes(ref("n", 1))
			s.pi.rewrites("n", "two")
			t := s.pi.opens(ref("n", 0))
			want := api.Pin{Ref: ref("n", 1), Canonical: 1, Head: 2}
			if t.State != api.TaskOpen || !slices.Equal(t.Inputs, []api.Pin{want}) {
				s.Errorf("got %+v", t)
			}
		}},
		{"one agent wins a task", func(s *scene) { // C16; C16.a
			t := s.pi.opens()
			for i := range 8 {
				_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: brenner.ActorName(fmt.Sprintf("W%d", i)), Role: "writer"})
				s.must(err)
			}
			var won atomic.Int32
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					_, err := s.As(brenner.ActorName(fmt.Sprintf("W%d", i))).ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID})
					switch brenner.CodeOf(err) {
					case "":
						won.Add(1)
					case brenner.CodeTaskTaken:
					default:
						s.Errorf("W%d: %v", i, err)
					}
				})
			}
			all.Wait()
			if won.Load() != 1 {
				s.Errorf("%d agents won", won.Load())
			}
		}},
		{"a task is for its role and its holder", func(s *scene) { // C16; C16.c, C16.d
			t := s.pi.opens()
			writer, critic := s.agent("GreyStone"), s.agent("GreenValley")
			s.unchanged(func() {
				_, err := critic.ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID})
				s.refused(err, brenner.CodeTaskNotYours)
				_, err = critic.ClaimTask(s.ctx, api.ClaimTaskRequest{})
				s.refused(err, brenner.CodeNotFound)
				_, err = writer.CompleteTask(s.ctx, api.CompleteTaskRequest{ID: t.ID})
				s.refused(err, brenner.CodeTaskNotYours)
				_, err = writer.ClaimTask(s.ctx, api.ClaimTaskRequest{ID: "task-999"})
				s.refused(err, brenner.CodeNotFound)
				_, err = writer.ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID, Lease: api.Duration(time.Millisecond)})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = writer.CreateArtifact(s.ctx, section("m", t.ID))
				s.refused(err, brenner.CodeTaskNotYours)
			})
			keyed := api.ClaimTaskRequest{Write: api.Write{Key: "mine"}, Lease: api.Duration(time.Hour)}
			got, err := writer.ClaimTask(s.ctx, keyed)
			s.must(err)
			if again, err := writer.ClaimTask(s.ctx, keyed); err != nil || again.ID != t.ID || got.Holder != "GreyStone" { // X2
				s.Errorf("claimed %+v, then %+v, %v", got, again, err)
			}
			_, err = critic.CompleteTask(s.ctx, api.CompleteTaskRequest{ID: t.ID})
			s.refused(err, brenner.CodeTaskNotYours)
			_, err = writer.ReleaseTask(s.ctx, api.ReleaseTaskRequest{ID: t.ID})
			s.must(err)
			_, err = s.pi.ReassignTask(s.ctx, api.ReassignTaskRequest{ID: t.ID, To: "GreenValley"})
			s.refused(err, brenner.CodeTaskNotYours)
			got, err = s.pi.ReassignTask(s.ctx, api.ReassignTaskRequest{ID: t.ID, To: "GreyStone"})
			s.must(err)
			if got.Holder != "GreyStone" {
				s.Errorf("reassigned to %q", got.Holder)
			}
			writer.completes(t.ID)
			s.unchanged(func() {
				_, err := writer.CompleteTask(s.ctx, api.CompleteTaskRequest{ID: t.ID})
				s.refused(err, brenner.CodeTaskClosed)
				_, err = s.pi.CancelTask(s.ctx, api.CancelTaskRequest{ID: t.ID, Reason: "late"})
				s.refused(err, brenner.CodeTaskClosed)
			})
		}},
		{"who takes a task over is given what was written for it, and why it came back", func(s *scene) { // C3, C16, C36
			for _, name := range []brenner.ActorName{"W1", "W2"} {
				_, err := s.pi.AddAgent(s.ctx, api.AddAgentRequest{Name: name, Role: "writer"})
				s.must(err)
			}
			first, next := s.agent("W1"), s.agent("W2")
			t := s.pi.opens()
			first.claims(t.ID)
			half := section("methods", t.ID)
			half.Content.Data = "we counted clones on two days, and the third is missing"
			first.creates(half)
			large := section("appendix", t.ID)
			large.Content.Data = strings.Repeat("so many clones were counted on a day\n", 20_000)
			first.creates(large)
			s.unchanged(func() {
				_, err := first.ReleaseTask(s.ctx, api.ReleaseTaskRequest{ID: t.ID, Note: strings.Repeat("x", brenner.MaxNoteRunes+1)})
				s.refused(err, brenner.CodeLimitExceeded)
				_, err = next.ReleaseTask(s.ctx, api.ReleaseTaskRequest{ID: t.ID, Note: "why"})
				s.refused(err, brenner.CodeTaskNotYours)
			})
			const why = "the log of the third day is locked"
			back, err := first.ReleaseTask(s.ctx, api.ReleaseTaskRequest{ID: t.ID, Note: why})
			s.must(err)
			if back.State != api.TaskOpen || back.Holder != "" {
				s.Errorf("given back: %+v", back)
			}
			shown, err := s.pi.Task(s.ctx, api.TaskRequest{ID: t.ID})
			s.must(err)
			if len(shown.Earlier) != 1 || shown.Earlier[0].Agent != "W1" || shown.Earlier[0].How != api.HoldingReleased || shown.Earlier[0].Note != why {
				s.Errorf("held before: %+v", shown.Earlier)
			}
			want := api.TaskOutput{Ref: ref("methods", 1), Author: "W1", Status: artifact.Draft}
			if len(shown.Written) != 2 || shown.Written[0] != want {
				s.Errorf("written for it: %+v", shown.Written)
			}
			if got := next.claims(t.ID); len(got.Earlier) != 1 || got.Earlier[0].Note != "" {
				s.Errorf("what it is sent when it claims it: %+v", got.Earlier)
			}
			made, err := next.AssembleContext(s.ctx, api.ContextRequest{Task: t.ID})
			s.must(err)
			for _, words := range []string{half.Content.Data, "written for this task before W1 gave it back", "W1 gave it back ", why, "appendix@1", "methods of appendix"} {
				if !strings.Contains(made.Text, words) {
					s.Errorf("the context lacks %q:\n%s", words, made.Text)
				}
			}
			if strings.Contains(made.Text, "so many clones") {
				s.Errorf("a large draft came in full")
			}
			// What it wrote on it is its result; what only the other wrote is not.
			summary := "methods, all days"
			_, err = next.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{
				ID: "methods", Parent: 1, Task: t.ID, Summary: &summary, Content: &api.Body{Format: artifact.Text, Data: "we counted clones on three days"},
				Change: &artifact.Change{What: "the third day", Why: "the log was opened"},
			})
			s.must(err)
			done := next.completes(t.ID)
			if len(done.Moved) != 0 {
				s.Errorf("what it took over counts as moved: %+v", done.Moved)
			}
			done, err = s.pi.Task(s.ctx, api.TaskRequest{ID: t.ID})
			s.must(err)
			for _, o := range done.Written {
				if o.Result != (o.Author == "W2") {
					s.Errorf("the result: %+v", o)
				}
			}
			list, err := s.pi.Waiting(s.ctx, api.WaitingRequest{})
			s.must(err)
			for _, w := range list.Items {
				if want := map[string]string{"methods@2": "the result of " + t.ID, "appendix@1": "written for " + t.ID + " by W1, who did not complete it"}[w.Subject]; !strings.HasPrefix(w.Why, want) {
					s.Errorf("%s waits because %q", w.Subject, w.Why)
				}
			}
		}},
		{"work of one's own is announced, and held at once", func(s *scene) { // C16
			writer := s.agent("GreyStone")
			writer.assembles("What is known?")
			own := api.NewTaskRequest{Title: "Count again", Spec: "on two days", Modules: []brenner.Module{"lineage"}, Claim: true}
			t, err := writer.NewTask(s.ctx, own)
			s.must(err)
			if t.State != api.TaskClaimed || t.Holder != "GreyStone" || t.Role != "writer" {
				s.Errorf("got %+v", t)
			}
			_, err = s.agent("GreenValley").ClaimTask(s.ctx, api.ClaimTaskRequest{ID: t.ID})
			s.refused(err, brenner.CodeTaskTaken)
			own.Role = "adversarial_critic"
			_, err = writer.NewTask(s.ctx, own)
			s.refused(err, brenner.CodeTaskNotYours)
		}},
		{"what one does next stands till its next reply, or the next such word", func(s *scene) { // C16
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.assembles("What is known?")
			says := func(words string) api.TaskInfo {
				t, err := blue.NewTask(s.ctx, api.NewTaskRequest{Title: words, Session: id, Doing: true})
				s.must(err)
				return t
			}
			first := says("I count the clones of day 3")
			if first.State != api.TaskClaimed || first.Holder != "BlueLake" || first.Kind != api.TaskDoing || first.Role != "hypothesis_generator" {
				s.Errorf("got %+v", first)
			}
			s.unchanged(func() {
				if again := says("I count the clones of day 3"); again.ID != first.ID {
					s.Errorf("got %+v", again)
				}
			})
			sub, err := blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: adds("lineage"), Doing: "I count those of day 4"})
			s.must(err)
			state := func(task string) api.TaskState {
				t, err := s.pi.Task(s.ctx, api.TaskRequest{ID: task})
				s.must(err)
				return t.State
			}
			if sub.Doing == nil || state(first.ID) != api.TaskCanceled || state(sub.Doing.ID) != api.TaskClaimed {
				s.Fatalf("got %+v", sub.Doing)
			}
			blue.submits(id, adds("gradient"))
			if state(sub.Doing.ID) != api.TaskCanceled {
				s.Error("a reply without a word ends nothing")
			}
			_, err = s.agent("RedSky").NewTask(s.ctx, api.NewTaskRequest{Title: "I read on", Session: id, Doing: true})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "BlueLake", Text: adds("third"), Doing: "It reads on"})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		{"what only one has at a time goes to who asks first, till it gives that back", func(s *scene) { // C16
			id := s.pi.starts().ID
			blue, green := s.agent("BlueLake"), s.agent("GreenValley")
			blue.assembles("What is known?")
			green.assembles("What is known?")
			asks := func(who *player, words, hold string) api.TaskInfo {
				s.Helper()
				t, err := who.NewTask(s.ctx, api.NewTaskRequest{Title: words, Session: id, Doing: true, Hold: hold})
				s.must(err)
				return t
			}
			first := asks(blue, "I time the parser", "machine")
			if first.Hold != "machine" || first.HoldUntil.Sub(first.Created) != brenner.HoldFor || first.Held != nil {
				s.Fatalf("got %+v", first)
			}
			s.unchanged(func() {
				if again := asks(blue, "", "Machine"); again.ID != first.ID {
					s.Errorf("asked for again: %+v", again)
				}
			})
			// Who comes second is told who has it, and what it does next is said all the same.
			second := asks(green, "I count the rows", "MACHINE")
			if h := second.Held; second.Hold != "" || second.Title != "I count the rows" || second.Wants != "machine" || h == nil || h.Agent != "BlueLake" || h.Title != "I time the parser" || !h.Until.Equal(first.HoldUntil) {
				s.Fatalf("got %+v", second)
			}
			if other := asks(green, "I count the rows", "RT"); other.Hold != "RT" || other.ID == second.ID {
				s.Errorf("another is free: %+v", other)
			}
			if got := asks(blue, "I read on", ""); got.Hold != "machine" || !got.HoldUntil.Equal(first.HoldUntil) || got.GaveBack != "" {
				s.Errorf("the next word ends it: %+v", got)
			}
			asks(blue, "", "none")
			if got := asks(green, "", "machine"); got.Hold != "machine" || got.Title != "I count the rows" {
				s.Errorf("got %+v", got)
			}
			green.submits(id, adds("lineage")) // what came of it so far does not
			if got := asks(blue, "I time it", "machine"); got.Held == nil || got.Wants != "machine" {
				s.Errorf("got %+v", got)
			}
			asks(green, "I write RT anew", "RT")
			if got := asks(blue, "", "machine"); got.Hold != "machine" || got.Wants != "" {
				s.Errorf("got %+v", got)
			}
			green.submits(id, adds("gradient")) // an item is written with it
			if got := asks(blue, "I write RT", "RT"); got.Hold != "RT" {
				s.Errorf("got %+v", got)
			}
			for _, req := range []api.NewTaskRequest{
				{Title: "I read on", Session: id, Doing: true, Hold: "machine 0m"},
				{Title: "I read on", Session: id, Doing: true, Hold: "machine 16 min"},
				{Title: "I read on", Session: id, Doing: true, Hold: "machine 99999999999999999999m"},
				{Title: "I read on", Session: id, Doing: true, Hold: "machine 2 rounds"},
				{Title: "I read on", Session: id, Doing: true, Hold: "machine 1h"},
				{Title: "I read on", Session: id, Claim: true, Hold: "machine"},
				{Title: "I read on", Session: id, Doing: true, Hold: "a\nb"},
				{Title: "I read on", Session: id, Doing: true, Hold: strings.Repeat("m", brenner.MaxHoldRunes+1)},
				{Title: "I read on", Doing: true, Hold: "machine"},
			} {
				s.unchanged(func() {
					_, err := blue.NewTask(s.ctx, req)
					s.refused(err, brenner.CodeInvalidValue)
				})
			}
		}},
		{"what only one has at a time goes to who waited longest, for as long as it asked", func(s *scene) { // C16
			id := s.pi.starts().ID
			all := map[string]*player{}
			for _, name := range []string{"BlueLake", "GreenValley", "PurpleMountain"} {
				all[name] = s.agent(brenner.ActorName(name))
				all[name].assembles("What is known?")
			}
			asks := func(name, words, hold string) api.TaskInfo {
				s.Helper()
				t, err := all[name].NewTask(s.ctx, api.NewTaskRequest{Title: words, Session: id, Doing: true, Hold: hold})
				s.must(err)
				return t
			}
			first := asks("BlueLake", "I time the parser", "machine 2m")
			if first.Hold != "machine" || first.HoldUntil.Sub(first.Created) != 2*time.Minute {
				s.Fatalf("got %+v", first)
			}
			if t := asks("GreenValley", "I time the printer", "machine 10 min"); t.Held.Agent != "BlueLake" || len(t.Held.Before) > 0 || t.WantsFor != 600 {
				s.Fatalf("got %+v, %+v", t, t.Held)
			}
			if t := asks("PurpleMountain", "I time both", "Machine"); t.Held.Agent != "BlueLake" || !slices.Equal(t.Held.Before, []brenner.ActorName{"GreenValley"}) {
				s.Fatalf("got %+v, %+v", t, t.Held)
			}
			all["GreenValley"].submits(id, adds("lineage")) // it waits on through a reply
			if t := asks("BlueLake", "", "NONE"); t.Hold != "" || t.GaveBack != "machine" || t.Title != "I time the parser" {
				s.Fatalf("got %+v", t)
			}
			// Who waits less long finds it kept for the other, once: whoever looks first.
			for range 2 {
				t := asks("PurpleMountain", "", "machine")
				if h := t.Held; h == nil || h.Agent != "GreenValley" || !h.Offered || h.Title != "I time the printer" || h.Until.Sub(first.Created) > brenner.OfferFor+time.Minute {
					s.Fatalf("got %+v, %+v", t, h)
				}
			}
			if t := asks("GreenValley", "", "machine"); t.Hold != "machine" || t.HoldUntil.Sub(t.Created) != 10*time.Minute || t.Wants != "" {
				s.Fatalf("got %+v", t)
			}
			if t := asks("BlueLake", "", "machine"); t.Held.Agent != "GreenValley" || t.Held.Offered || !slices.Equal(t.Held.Before, []brenner.ActorName{"PurpleMountain"}) {
				s.Fatalf("got %+v, %+v", t, t.Held)
			}
			for _, want := range []struct {
				hold   string
				length time.Duration
			}{{"machine 70s", 70 * time.Second}, {"machine 95 seconds", 95 * time.Second}, {"machine 1m30s", 90 * time.Second}, {"machine 3 Minutes", 3 * time.Minute}, {"machine 4.5m", 270 * time.Second}} {
				if t := asks("GreenValley", "I time "+want.hold, want.hold); t.Hold != "machine" || t.HoldUntil.Sub(t.Created) != want.length {
					s.Errorf("%s: got %s for %s", want.hold, t.Hold, t.HoldUntil.Sub(t.Created))
				}
			}
			// Another word gives back neither that nor a place in line; none does.
			if t := asks("GreenValley", "I read on", ""); t.Hold != "machine" || t.GaveBack != "" {
				s.Fatalf("got %+v", t)
			}
			asks("GreenValley", "", "none")
			if t := asks("PurpleMountain", "I read, too", ""); t.Wants != "machine" {
				s.Fatalf("got %+v", t)
			}
			if t := asks("BlueLake", "", "machine"); t.Held == nil || t.Held.Agent != "PurpleMountain" || !t.Held.Offered {
				s.Fatalf("got %+v, %+v", t, t.Held)
			}
			if t := asks("PurpleMountain", "", "none"); t.Wants != "" || !t.OfferedUntil.IsZero() || t.GaveBack != "" {
				s.Fatalf("got %+v", t)
			}
			s.unchanged(func() { asks("PurpleMountain", "", "none") })
			if t := asks("BlueLake", "", "machine"); t.Hold != "machine" {
				s.Fatalf("got %+v, %+v", t, t.Held)
			}
			// Who writes an item that it had alone gives that back with it, and waits on for another thing.
			asks("GreenValley", "I write RT, then time it", "RT")
			waits := asks("GreenValley", "", "machine")
			if waits.Hold != "RT" || waits.Wants != "machine" {
				s.Fatalf("got %+v", waits)
			}
			all["GreenValley"].submits(id, adds("third"))
			if t := asks("GreenValley", "", "machine"); t.Hold != "" || t.Wants != "machine" || !t.WantsSince.Equal(waits.WantsSince) || t.Held == nil {
				s.Fatalf("got %+v, %+v", t, t.Held)
			}
			asks("BlueLake", "", "none")
			all["BlueLake"].submits(id, adds("gradient")) // the word alone ends with it
			_, err := all["BlueLake"].NewTask(s.ctx, api.NewTaskRequest{Session: id, Doing: true, Hold: "none"})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		{"outputs of moved inputs need a rebase, and say what moved", func(s *scene) { // C17
			s.pi.creates(result("n", "one"))
			s.pi.promotes(ref("n", 1))
			s.pi.creates(result("draft", "one"))
			t := s.pi.opens(ref("n", 1), ref("draft", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			out := writer.creates(section("methods", t.ID))
			s.pi.rewrites("n", "two") // a draft beside a canonical input moves nothing
			s.pi.rewrites("draft", "two")
			s.pi.promotes(ref("n", 2))
			done := writer.completes(t.ID)
			want := []api.Moved{{Ref: ref("n", 1), Was: 1, Now: 2}, {Ref: ref("draft", 1), Was: 1, Now: 2}}
			if !reflect.DeepEqual(done.Moved, want) || !slices.Equal(done.Outputs, []brenner.Ref{out.Ref}) {
				s.Errorf("got %+v", done)
			}
			if v := s.pi.reads(out.Ref); v.Status != artifact.NeedsRebase || v.Task != t.ID {
				s.Errorf("the output is %s of task %q", v.Status, v.Task)
			}
			// C14: promoting it takes an override.
			s.unchanged(func() {
				_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: out.Ref, Reason: "good"})
				s.refused(err, brenner.CodeNeedsRebase)
			})
			_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: out.Ref, Reason: "good all the same", Override: true})
			s.must(err)
		}},
		{"outputs of unmoved inputs stay drafts", func(s *scene) { // C17
			s.pi.creates(result("n", "one"))
			s.pi.promotes(ref("n", 1))
			t := s.pi.opens(ref("n", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			out := writer.creates(section("methods", t.ID))
			s.pi.rewrites("n", "two, not decided upon")
			if done := writer.completes(t.ID); len(done.Moved) != 0 {
				s.Errorf("moved: %+v", done.Moved)
			}
			if v := s.pi.reads(out.Ref); v.Status != artifact.Draft {
				s.Errorf("the output is %s", v.Status)
			}
		}},
		{"a task pins only what its role may read", func(s *scene) { // C7
			s.pi.creates(note("n", "one"))
			s.unchanged(func() {
				_, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{
					Title: "x", Role: "writer", Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{ref("n", 1)},
				})
				s.refused(err, brenner.CodeReadDenied)
			})
		}},
		{"cross-module work waits for the memo", func(s *scene) { // C12; C12.g
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1))
			cross := api.NewTaskRequest{Title: "Compare", Role: "integrator", CrossCutting: true}
			for i := range 10 {
				s.pi.creates(note(brenner.ArtifactID(fmt.Sprintf("n%d", i)), "text"))
			}
			_, err := s.pi.NewTask(s.ctx, cross)
			s.must(err)
			s.pi.creates(note("one-more", "text"))
			s.unchanged(func() {
				_, err := s.pi.NewTask(s.ctx, cross)
				s.refused(err, brenner.CodeCompressionRequired)
			})
			s.pi.opens() // work inside the module goes on
			s.pi.rewrites("m", "everything until now")
			s.pi.promotes(ref("m", 2)) // the memo itself is always allowed
			_, err = s.pi.NewTask(s.ctx, cross)
			s.must(err)
		}},
		{"a task is about one module unless it is cross-cutting", func(s *scene) { // C23
			s.unchanged(func() {
				req := api.NewTaskRequest{Title: "x", Role: "writer"}
				_, err := s.pi.NewTask(s.ctx, req)
				s.refused(err, brenner.CodeInvalidValue)
				req.Modules = []brenner.Module{"lineage", "gradient"}
				_, err = s.pi.NewTask(s.ctx, req)
				s.refused(err, brenner.CodeInvalidValue)
				req.Modules = []brenner.Module{"nowhere"}
				_, err = s.pi.NewTask(s.ctx, req)
				s.refused(err, brenner.CodeUnknownModule)
				req.Modules, req.Role = []brenner.Module{"lineage"}, "king"
				_, err = s.pi.NewTask(s.ctx, req)
				s.refused(err, brenner.CodeUnknownRole)
				req.Title = ""
				_, err = s.pi.NewTask(s.ctx, req)
				s.refused(err, brenner.CodeInvalidValue)
			})
		}},
		{"tasks are listed by state and role, in pages", func(s *scene) {
			for range 3 {
				s.pi.opens()
			}
			s.agent("GreyStone").claims("")
			page, err := s.pi.Tasks(s.ctx, api.ListTasksRequest{Page: api.Page{Limit: 2}, Role: "writer"})
			s.must(err)
			rest, err := s.pi.Tasks(s.ctx, api.ListTasksRequest{Page: api.Page{Limit: 2, Cursor: page.Cursor}, Role: "writer"})
			s.must(err)
			if len(page.Tasks) != 2 || len(rest.Tasks) != 1 || rest.Cursor != "" || page.Tasks[0].State != api.TaskClaimed {
				s.Errorf("pages: %+v and %+v", page, rest)
			}
			_, err = s.pi.Tasks(s.ctx, api.ListTasksRequest{States: []api.TaskState{"lost"}})
			s.refused(err, brenner.CodeInvalidValue)

			grey := s.agent("GreyStone")
			own := api.ListTasksRequest{Page: api.Page{Limit: 2}, Mine: true}
			page, err = grey.Tasks(s.ctx, own)
			s.must(err)
			own.Cursor = page.Cursor
			rest, err = grey.Tasks(s.ctx, own)
			s.must(err)
			if len(page.Tasks) != 2 || len(rest.Tasks) != 1 || rest.Cursor != "" || page.Total != 3 || rest.Total != 3 || rest.Tasks[0].ID == page.Tasks[1].ID {
				s.Errorf("own, in pages: %+v and %+v", page, rest)
			}
			if none, err := s.agent("BlueLake").Tasks(s.ctx, api.ListTasksRequest{Mine: true}); err != nil || none.Total != 0 {
				s.Errorf("for another role: %+v, %v", none, err)
			}
		}},
		{"whoever asks a role that nobody has is told so", func(s *scene) {
			ask := api.NewTaskRequest{Title: "x", Role: "writer", Modules: []brenner.Module{"lineage"}}
			manned, err := s.pi.NewTask(s.ctx, ask)
			s.must(err)
			ask.Role = "arbiter"
			alone, err := s.pi.NewTask(s.ctx, ask)
			s.must(err)
			if manned.Unmanned || !alone.Unmanned {
				s.Errorf("with a writer %v, without an arbiter %v", manned.Unmanned, alone.Unmanned)
			}
		}},
		{"what an agent asks of the PI, or of a role that nobody has, waits for the PI", func(s *scene) {
			grey := s.reader("GreyStone")
			ask := api.NewTaskRequest{Title: "x", Role: "hypothesis_generator", Modules: []brenner.Module{"lineage"}}
			_, err := grey.NewTask(s.ctx, ask)
			s.must(err)
			var want []string
			for _, role := range []brenner.Role{brenner.PI, "arbiter"} {
				ask.Role = role
				t, err := grey.NewTask(s.ctx, ask)
				s.must(err)
				want = append(want, t.ID)
			}
			list, err := s.pi.Waiting(s.ctx, api.WaitingRequest{Kinds: []api.WaitKind{api.WaitRequest}})
			s.must(err)
			var got []string
			for _, w := range list.Items {
				got = append(got, w.Subject)
			}
			slices.Sort(got)
			slices.Sort(want)
			s.same(got, want)
		}},
	}
}
