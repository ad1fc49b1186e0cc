package mcpserver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"
	"brenner/stalemate"
)

// pair is a session with two agents who were asked, each with a context.
func pair(t *testing.T) (s *stage, blue, red *player) {
	t.Helper()
	s = newStage(t)
	team := roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.HypothesisGenerator},
	}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}))
	var all []*player
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
		p := &player{t: t, name: name, session: s.session(name)}
		for _, m := range p.messages("unread") {
			p.call("inbox", arguments{"message": m["id"]})
		}
		p.call("context_assemble", arguments{"session": "RS-pair"})
		all = append(all, p)
	}
	return s, all[0], all[1]
}

// messages are those of an agent in a state.
func (p *player) messages(state string) []map[string]any {
	p.t.Helper()
	_, data := p.call("inbox", arguments{"states": []any{state}})
	var out []map[string]any
	for _, m := range data["items"].([]any) {
		out = append(out, m.(map[string]any))
	}
	return out
}

func (p *player) mustNot(words string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if strings.Contains(words, part) {
			p.t.Errorf("%s: %q is in\n%s", p.name, part, words)
		}
	}
}

func hypothesis(name, provisional, claim string) string {
	extra := ""
	if provisional != "" {
		extra = `,"provisional_id":"` + provisional + `"`
	}
	return deltaBlock("ADD", "", "hypothesis_slate", `{"name":"`+name+`","claim":"`+claim+`","mechanism":"m"}`, extra)
}

// D27, X11: who waits in a session wakes when another proposes something, also
// if that was before the wait, and not again for what it has seen.
func TestInbox_AWaitEndsWhenOthersPropose(t *testing.T) {
	_, blue, red := pair(t)
	woken := make(chan string)
	go func() {
		_, words, err := answered[map[string]any](t.Context(), blue.session, "inbox", arguments{"wait": 60})
		if err != nil {
			words = err.Error()
		}
		woken <- words
	}()
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "H-DISK", "the disk is slow")})
	blue.must(<-woken, "RedSky proposed H1 in RS-pair, not compiled yet:\n", "proposed by RedSky", "the disk is slow")
	blue.must(first(blue.call("inbox", arguments{"wait": 1})), "nothing new")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "unchanged")

	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Net", "H-NET", "the net is slow")})
	words, data := blue.call("inbox", arguments{"wait": 60})
	if list, _ := data["proposed"].([]any); len(list) != 1 || list[0].(map[string]any)["agent"] != "RedSky" {
		t.Errorf("a wait that begins later ends with %v", data)
	}
	blue.must(words, "the net is slow")
	blue.mustNot(words, "the disk is slow")
}

// D27, X11: after a round, who waits wakes when another changes what concerns it in the
// document, is told which items, and not again for what it has read or was told; its own
// changes do not wake it.
func TestInbox_AWaitEndsWhenOthersChangeTheDocument(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	blue.must(blue.told(api.MessageCompiled), "the disk is slow")
	blue.must(first(blue.call("inbox", arguments{"wait": 1})), "nothing new")

	woken := make(chan string)
	go func() {
		_, words, err := answered[map[string]any](t.Context(), blue.session, "inbox", arguments{"wait": 60})
		if err != nil {
			words = err.Error()
		}
		woken <- words
	}()
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the disk is full, so that H1 has to wait"}`, "")})
	blue.must(<-woken, "RedSky changed H2 in RS-pair, now at version 3:\n", "the disk is full")
	red.must(first(red.call("inbox", arguments{"wait": 1})), "nothing new") // the round came with its answer; its own edit is no news
	blue.must(first(blue.call("inbox", arguments{"wait": 1})), "nothing new")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the disk is broken, so that H1 has to wait"}`, "")})
	words, data := blue.call("inbox", arguments{"wait": 60})
	if list, _ := data["proposed"].([]any); len(list) != 1 || list[0].(map[string]any)["agent"] != "RedSky" {
		t.Errorf("a wait that begins later ends with %v", data)
	}
	blue.must(words, "the disk is broken")
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"it parses twice"}`, "")})
	blue.must(first(blue.call("inbox", arguments{"wait": 1})), "nothing new")
}

// D27, ADR 206: what others change that names nothing of the reader's does not end its wait: it
// comes when that is over, or with what does end it.
func TestInbox_AWaitGoesOnForWhatConcernsOthers(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	blue.told(api.MessageCompiled)
	edit := func(id, claim string) {
		red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", id, "hypothesis_slate", `{"claim":"`+claim+`"}`, "")})
	}
	answer := deltaBlock("EDIT", "RT", "research_thread", `{"answer":"the parser"}`, "")
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": answer}) // it owes nothing any more

	edit("H2", "the disk is full")
	began := time.Now()
	blue.must(first(blue.call("inbox", arguments{"wait": 2})), "RedSky changed H2 in RS-pair", "the disk is full")
	if waited := time.Since(began); waited < 2*time.Second {
		t.Errorf("the wait ended after %s", waited)
	}
	edit("H2", "the disk is broken")
	woken := make(chan string)
	go func() {
		_, words, err := answered[map[string]any](t.Context(), blue.session, "inbox", arguments{"wait": 60})
		if err != nil {
			words = err.Error()
		}
		woken <- words
	}()
	edit("H1", "it parses twice")
	select {
	case words := <-woken:
		blue.must(words, "it parses twice", "the disk is broken")
	case <-time.After(30 * time.Second):
		t.Error("a change of its own item did not end the wait")
	}
}

// D27: the document says who is at work, who has answered, and who has not
// looked.
func TestSessionShow_SaysWhoIsAtWork(t *testing.T) {
	s := newStage(t)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-work", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}))
	blue := &player{t: t, name: "BlueLake", session: s.session("BlueLake")}
	blue.call("context_assemble", arguments{"session": "RS-work"})
	blue.must(first(blue.call("session_show", arguments{"session": "RS-work"})),
		"now: BlueLake (hypothesis_generator) was asked at", "now: GreenValley (adversarial_critic) was asked at", "has not looked yet")
	for _, m := range blue.messages("unread") {
		blue.call("inbox", arguments{"message": m["id"]})
	}
	blue.must(first(blue.call("session_show", arguments{"session": "RS-work"})), "now: BlueLake (hypothesis_generator) works on it since")
	blue.call("delta_submit", arguments{"session": "RS-work", "text": hypothesis("Disk", "", "c") + hypothesis("Net", "", "d")})
	blue.must(first(blue.call("session_show", arguments{"session": "RS-work"})), "now: BlueLake (hypothesis_generator) answered at", "2 proposed")
}

// D4: prose that uses the name an agent gave an item is shown with the item's id, in
// the document and in what a compile tells; quoted as it is shown it is changed.
func TestNames_InProseAreResolved(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "H-PARSER", "the parser is slow")})
	red.call("session_show", arguments{"session": "RS-pair"})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "H-DISK", "slower than H-PARSER says")})
	told := blue.told(api.MessageCompiled)
	blue.must(told, "H-PARSER is H1", "slower than H1 says")
	words := first(blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H2"}, "again": true}))
	blue.must(words, "slower than H1 says")
	blue.mustNot(told+words, "slower than H-PARSER", "names:")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":{"old":"than H1 says","new":"than H1 says at noon"}}`, "")})
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H2"}, "again": true})), "slower than H1 says at noon")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "RT", "research_thread", `{"answer":"It is H-DISK."}`, "")})
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "brief": true})), "It is H2.")
}

// C34, D27: an edit that came too late is answered with what the item says now, once
// and without taking from what its author may ask to read; the author of what was
// overwritten is told where to read.
func TestDeltaSubmit_SaysWhatStandsInstead(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"the profile shows no parsing"}`, "")})

	left := func() float64 {
		_, data := blue.call("session_show", arguments{"session": "RS-pair", "sections": []any{"anomaly_register"}, "again": true})
		return data["left"].(float64)
	}
	earlier, before := left(), left()
	late := deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the parser is very slow"}`, "")
	said, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "text": late})
	blue.must(said, "the document moved since you read it; it now says:", "H1: Parser [KILLED]", "the profile shows no parsing")
	if after := left(); after != before-(earlier-before) { // but for asking how much is left
		t.Errorf("%v was left before, %v afterwards", before, after)
	}
	again, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "text": late + "\nonce more\n"})
	blue.mustNot(again, "it now says") // it was given
}

// X11, C2: a request about an item of a session asks its author, as a task; the
// author of another item is not told.
func TestRequest_AboutAnItemAsksItsAuthor(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	before := len(blue.messages("all"))
	_, asked := blue.call("request", arguments{"session": "RS-pair", "items": []any{"H2"}, "title": "Which disk?", "spec": "Name it."})
	if asked["role"] != "hypothesis_generator" {
		t.Errorf("asked %v", asked)
	}
	words := red.follows(red.told(api.MessageTask), "task_claim")
	red.must(words, "Name it.", "About H2 of RS-pair@2, by RedSky.")
	if after := len(blue.messages("all")); after != before {
		t.Errorf("%d messages became %d: whoever asked is told of its own request", before, after)
	}
	_, _, err := answered[arguments](t.Context(), blue.session, "request", arguments{"session": "RS-pair", "items": []any{"H9"}, "title": "a", "spec": "b"})
	if brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("an item that is not there: %v", err)
	}
	_, _, err = answered[arguments](t.Context(), blue.session, "request", arguments{"items": []any{"H2"}, "title": "a", "spec": "b"})
	if brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("items of no session: %v", err)
	}
}

// X11: what is proposed and not compiled yet is asked about by the name that its author gave
// it, or the id that it is going to have; the author is asked.
func TestRequest_AboutWhatIsProposed(t *testing.T) {
	_, blue, red := pair(t)
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "H-DISK", "the disk is slow") + hypothesis("Net", "", "the net is slow")})
	for _, names := range [][2]string{{"RedSky:H-DISK", "H-DISK"}, {"H1", "H-DISK"}, {"H2", "H2"}} {
		item, named := names[0], names[1]
		_, asked := blue.call("request", arguments{"session": "RS-pair", "items": []any{item}, "title": "Which one is " + item + "?", "spec": "Name it, " + item + "."})
		if asked["role"] != "hypothesis_generator" {
			t.Errorf("%s: asked %v", item, asked)
		}
		words, _ := red.call("task_claim", arguments{"id": asked["id"]})
		red.must(words, "About "+named+" of RS-pair@1, by RedSky.")
		red.call("task_complete", arguments{"id": asked["id"]})
	}
	blue.must(first(blue.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Which disk?", "note": true})), "noted")
	red.must(first(red.call("inbox", nil)), "Which disk?")
	_, _, err := answered[arguments](t.Context(), blue.session, "request", arguments{"session": "RS-pair", "items": []any{"H9"}, "title": "a", "spec": "b"})
	if brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("what nobody proposes: %v", err)
	}
}

// X11: a message that a task is there is settled when the agent takes it, and for
// everybody when it is done: nothing tells of work that is not there.
func TestInbox_ATaskThatIsDoneIsNotTold(t *testing.T) {
	s := newStage(t)
	blue := &player{t: t, name: "BlueLake", session: s.session("BlueLake")}
	red := &player{t: t, name: "RedSky", session: s.session("RedSky")}
	unread := func(p *player) int {
		return len(slices.DeleteFunc(p.messages("unread"), func(m map[string]any) bool { return m["task"] != s.task }))
	}
	if unread(blue) != 1 || unread(red) != 1 {
		t.Fatalf("%d and %d are told of the task", unread(blue), unread(red))
	}
	blue.call("task_claim", arguments{"id": s.task})
	if unread(blue) != 0 || unread(red) != 1 {
		t.Errorf("taken: %d and %d", unread(blue), unread(red))
	}
	blue.call("task_release", arguments{"id": s.task})
	blue.must(first(blue.call("status", nil)), "task_claim {\"id\":\""+s.task+"\"}")
	blue.call("task_claim", arguments{"id": s.task})
	blue.call("task_complete", arguments{"id": s.task})
	if unread(red) != 0 {
		t.Errorf("done, and RedSky is still told of it")
	}
	if all := red.messages("all"); !slices.ContainsFunc(all, func(m map[string]any) bool { return m["task"] == s.task && m["state"] == "acked" }) {
		t.Errorf("it vanished: %v", all)
	}
}

// X11, N1: status tells an agent what it can do something about, and the PI all
// that waits.
func TestStatus_TellsAnAgentWhatItCanDo(t *testing.T) {
	s := newStage(t)
	blue := &player{t: t, name: "BlueLake", session: s.session("BlueLake")}
	kinds := func(needs []api.Need) (out []string) {
		for _, n := range needs {
			out = append(out, n.Kind)
		}
		return out
	}
	pi, err := s.pi.Status(t.Context())
	s.do(pi, err)
	if !slices.Contains(kinds(pi.Items), string(api.WaitSpine)) {
		t.Fatalf("nothing waits for the PI: %v", kinds(pi.Items))
	}
	_, data := blue.call("status", nil)
	if needs := data["needs"].([]any); len(needs) != 0 {
		t.Errorf("BlueLake is told of %v", needs)
	}
	// What it wrote from an input that has moved is its own to mend.
	blue.call("task_claim", arguments{"id": s.task})
	blue.call("context_assemble", arguments{"task": s.task})
	blue.call("artifact_get", arguments{"ref": "log"})
	blue.call("artifact_write", arguments{
		"id": "report", "type": "analysis_result", "summary": "s", "task": s.task, "content": arguments{"format": "text", "data": "one is first\n"},
		"links": []any{arguments{"rel": "derived_from", "artifact": "log"}},
	})
	body := api.Body{Format: artifact.Text, Data: "two\n"}
	s.do(s.pi.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "log", Content: &body, SummaryHolds: true, Change: &artifact.Change{What: "w", Why: "y"}}))
	blue.call("task_complete", arguments{"id": s.task})
	blue.must(first(blue.call("status", nil)), "made from inputs that moved: report@1: artifact_get {\"ref\":\"report@1\"}")
	red := &player{t: t, name: "RedSky", session: s.session("RedSky")}
	red.mustNot(first(red.call("status", nil)), "report@1")
}

// S4: whoever raised a stalemate withdraws it; another party does not.
func TestStalemate_TheRaiserWithdraws(t *testing.T) {
	s := newStage(t)
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
		s.calls(name, "context_assemble", arguments{"question": "What is known of the lineage note?", "modules": []any{"lineage"}})
	}
	id := s.calls("BlueLake", "stalemate_raise", dispute(nil))["id"]
	_, err := called[arguments](t.Context(), s.session("RedSky"), "stalemate_reply", arguments{"id": id, "step": "withdraw", "reason": "no"})
	if brenner.CodeOf(err) != brenner.CodeWriteDenied {
		t.Errorf("RedSky withdraws what BlueLake raised: %v", err)
	}
	out := s.calls("BlueLake", "stalemate_reply", arguments{"id": id, "step": "withdraw", "reason": "we agree now"})
	if out["state"] != string(stalemate.Withdrawn) {
		t.Errorf("withdrawn: %v", out)
	}
	if _, err := called[arguments](t.Context(), s.session("RedSky"), "stalemate_reply", arguments{"id": id, "statement": "a", "justification": "b"}); brenner.CodeOf(err) != brenner.CodeStatusConflict {
		t.Errorf("a reply to what was withdrawn: %v", err)
	}
}

// X11: an agent asks for so much under one context and no more; another piece of
// work has a context of its own.
func TestRequest_IsBoundedByContext(t *testing.T) {
	s := newStage(t)
	ask := arguments{"role": "pi", "title": "Please", "spec": "do it"}
	context := arguments{"question": "What is known of the lineage note?", "modules": []any{"lineage"}}
	s.calls("BlueLake", "context_assemble", context)
	for range brenner.MaxRequestsPerContext {
		s.calls("BlueLake", "request", ask)
	}
	_, err := called[arguments](t.Context(), s.session("BlueLake"), "request", ask)
	if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("one too many: %v", err)
	}
	s.calls("RedSky", "context_assemble", context)
	s.calls("RedSky", "request", ask) // each has its own
	s.calls("BlueLake", "context_assemble", context)
	s.calls("BlueLake", "request", ask)
}

// 17.7, C33: the evidence of a stalemate is read page by page, and each page is
// charged for itself: also what is larger than a context can be read.
func TestStalemate_EvidenceIsReadInPages(t *testing.T) {
	s := newStage(t)
	var first, second strings.Builder
	for i := range 900 {
		fmt.Fprintf(&first, "first log, line %03d\n", i)
		fmt.Fprintf(&second, "second log, line %03d of a run that takes its time\n", i)
	}
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
		s.calls(name, "context_assemble", arguments{"question": "What is known of the lineage note?", "modules": []any{"lineage"}})
	}
	id := s.calls("BlueLake", "stalemate_raise", dispute(arguments{"evidence": []any{
		arguments{"kind": "error_log", "content": first.String()}, arguments{"kind": "error_log", "content": second.String()},
	}}))["id"]

	var all strings.Builder
	offset := 0
	for range 20 {
		page, words, err := answered[arguments](t.Context(), s.session("RedSky"), "artifact_get", arguments{"ref": id, "offset": offset})
		if brenner.CodeOf(err) == brenner.CodeContextOverflow { // it goes on in another context
			s.calls("RedSky", "context_assemble", arguments{"question": "What does the evidence say further on?", "modules": []any{"lineage"}})
			continue
		}
		if err != nil {
			t.Fatalf("offset %d: %v", offset, err)
		}
		all.WriteString(words)
		next, _ := page["next_offset"].(float64)
		if offset = int(next); offset == 0 {
			break
		}
	}
	if offset != 0 {
		t.Fatal("it has no end")
	}
	for i := range 900 {
		for _, line := range []string{fmt.Sprintf("first log, line %03d\n", i), fmt.Sprintf("second log, line %03d of a run that takes its time\n", i)} {
			if n := strings.Count(all.String(), line); n != 1 {
				t.Fatalf("%q stands %d times", line, n)
			}
		}
	}
	if strings.Count(all.String(), "asked of the arbiter") != 1 {
		t.Error("what the parties hold comes with the first page alone")
	}
}

// C8, X11: an agent whose role in a session is another than its own is told of
// the tasks it has there, also of the one it holds, and not that it may stop; and
// whoever asks a role that nobody has is told not to wait.
func TestInbox_TasksOfTheRosterRoleAreListed(t *testing.T) {
	s := newStage(t)
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "RedSky", Role: roster.TestDesigner}, {AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-2", Question: "Why?", Module: "lineage", Roster: team}))
	task, err := s.pi.NewTask(t.Context(), api.NewTaskRequest{
		Title: "Plan a test", Spec: "of both", Role: roster.TestDesigner, Modules: []brenner.Module{"lineage"}, Session: "RS-2",
	})
	s.do(task, err)
	red := &player{t: t, name: "RedSky", session: s.session("RedSky")}
	red.must(first(red.call("status", nil)), `task_claim {"id":"`+task.ID+`"}`)
	red.call("task_claim", arguments{"id": task.ID})
	for range 3 {
		red.call("inbox", nil)
	}
	words, _ := red.call("inbox", nil)
	red.must(words, task.ID+" · claimed · Plan a test · yours")
	red.mustNot(words, "Stop here")
	red.call("context_assemble", arguments{"task": task.ID})
	red.must(first(red.call("request", arguments{"role": "reviewer", "module": "lineage", "title": "Look at it", "spec": "s"})), "nobody has that role")
}
