package mcpserver_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// duo is a session of two agents, each with a context, and nothing else.
func duo(t *testing.T) (blue, red *player) {
	t.Helper()
	w := newWorld(t)
	team := roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.HypothesisGenerator},
	}}
	if _, err := w.local("ada").StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}); err != nil {
		t.Fatal(err)
	}
	blue, red = &player{t: t, name: "BlueLake", session: w.session("BlueLake")}, &player{t: t, name: "RedSky", session: w.session("RedSky")}
	for _, p := range []*player{blue, red} {
		p.must(p.told(api.MessageKickoff), "# Session RS-pair")
		p.call("context_assemble", nil)
	}
	return blue, red
}

// analysis is a result as an agent writes one.
func analysis(id string, more arguments) arguments {
	out := arguments{
		"id": id, "type": "analysis_result", "module": "lineage", "summary": "what " + id + " says",
		"content": arguments{"format": "text", "data": "measured for " + id + "\n"},
	}
	for name, value := range more {
		out[name] = value
	}
	return out
}

// X11: work of one's own is announced and taken in one call, which says what
// others are at; its result closes it and answers the session in one more.
func TestFewCalls_AnnounceWriteCloseAndAnswer(t *testing.T) {
	blue, red := duo(t)
	_, theirs := red.call("request", arguments{"claim": true, "session": "RS-pair", "title": "Time the disk", "spec": "Ten runs."})
	if theirs["state"] != string(api.TaskClaimed) {
		t.Fatalf("announced %v", theirs)
	}
	if unread := blue.messages("unread"); len(unread) != 0 {
		t.Errorf("who has the role too is asked: %v", unread)
	}
	words, own := blue.call("request", arguments{"claim": true, "session": "RS-pair", "title": "Time the parser", "spec": "Ten runs."})
	task, _ := own["id"].(string)
	blue.must(words, task+" is announced, and yours until", `artifact_write {"done":true,"task":"`+task+`"}`, "under way: "+theirs["id"].(string)+" Time the disk (RedSky, until ")
	blue.mustNot(words, "Time the parser")

	words, _ = blue.call("artifact_write", analysis("parser", arguments{"task": task, "done": true, "deltas": hypothesis("Parser", "H-PARSER", "the parser is slow")}))
	blue.must(words, "wrote parser@1", task+" · done", "output parser@1", "accepted: ADD H-PARSER will be H1", "RedSky still to answer")
	blue.mustNot(first(blue.call("status", nil)), task)
	red.must(first(red.call("inbox", nil)), "the parser is slow")

	// What cannot be closed or handed in is said; the result is written.
	words, _ = blue.call("artifact_write", analysis("again", arguments{"deltas": "no block"}))
	blue.must(words, "wrote again@1", "this is no answer yet")
	words, _ = blue.call("artifact_write", analysis("third", arguments{"done": true}))
	blue.must(words, "wrote third@1", "nothing had to be closed: a part of divided work ends with your answer to the session")
	_, only := blue.call("request", arguments{"claim": true, "session": "RS-pair", "title": "Count the files"})
	words, _ = blue.call("artifact_write", analysis("fourth", arguments{"done": true}))
	blue.must(words, "wrote fourth@1", only["id"].(string)+", which you had announced, is done with it")
	_, _, err := answered[arguments](t.Context(), blue.session, "request", arguments{"claim": true, "role": "adversarial_critic", "session": "RS-pair", "title": "a", "spec": "b"})
	if brenner.CodeOf(err) != brenner.CodeTaskNotYours {
		t.Errorf("work for another role is announced as one's own: %v", err)
	}
}

// X11, X2: a call that writes twice is safe to repeat as one.
func TestFewCalls_ARepeatDoesNothingAgain(t *testing.T) {
	blue, _ := duo(t)
	_, own := blue.call("request", arguments{"claim": true, "session": "RS-pair", "title": "Time it", "spec": "s", "key": "r1"})
	_, again := blue.call("request", arguments{"claim": true, "session": "RS-pair", "title": "Time it", "spec": "s", "key": "r1"})
	if again["id"] != own["id"] {
		t.Errorf("%v, then %v", own, again)
	}
	write := analysis("log", arguments{"task": own["id"], "done": true, "deltas": hypothesis("Disk", "", "slow"), "key": "w1"})
	blue.call("artifact_write", write)
	words, data := blue.call("artifact_write", write)
	blue.must(words, "duplicate: true", "wrote log@1", "· done")
	blue.mustNot(words, "not closed", "not handed in")
	if data["ref"] != "log@1" {
		t.Errorf("repeated: %v", data)
	}
	if n := strings.Count(first(blue.call("session_show", arguments{"session": "RS-pair"})), "proposed by you"); n != 1 {
		t.Errorf("%d are proposed", n)
	}
}

// X11: the context of a task that is free takes it; one that is another's is
// refused as before. Deltas that do what a task asks close it, and whoever asked
// is shown what they changed.
func TestFewCalls_TakeATaskWithItsContext(t *testing.T) {
	blue, red := duo(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	red.told(api.MessageCompiled)
	_, asked := red.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Which parser?", "spec": "Name it in H1."})
	task, _ := asked["id"].(string)
	blue.must(blue.told(api.MessageTask), task)
	blue.must(first(blue.call("context_assemble", arguments{"task": task})), task+" is yours until", "Name it in H1.")
	_, _, err := answered[arguments](t.Context(), red.session, "context_assemble", arguments{"task": task})
	if brenner.CodeOf(err) != brenner.CodeTaskTaken {
		t.Errorf("another's task: %v", err)
	}
	words, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "task": task, "text": deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the parser of dates is slow"}`, "")})
	blue.must(words, "compiled: RS-pair@3", task+" · done", "output RS-pair@3")
	red.must(red.told(api.MessageAnswered), task+", which you asked for, was done by BlueLake", "Read what came of it: it stands below", "the parser of dates is slow")
}

// X11: an answer to a write says what has come meanwhile, so that nobody need
// look; several artifacts are read in one call, each charged as by itself.
func TestFewCalls_WhatCameMeanwhileAndSeveralReads(t *testing.T) {
	blue, red := duo(t)
	blue.must(first(blue.call("artifact_write", analysis("one", nil))), "meanwhile: nothing new of others")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	blue.must(first(blue.call("artifact_write", analysis("two", nil))), "meanwhile:\nRedSky proposed H1 in RS-pair, not compiled yet:\n", "the disk is slow")
	blue.must(first(blue.call("inbox", nil)), "nothing new")

	words, data := red.call("artifact_get", arguments{"ref": "one", "more": []any{"two@1", "nowhere"}})
	red.must(words, "measured for one", "measured for two", "nowhere: NOT_FOUND")
	if data["id"] != "one" {
		t.Errorf("the data are of %v", data["id"])
	}
	red.must(first(red.call("artifact_get", arguments{"ref": "two"})), "unchanged")
	many := []any{"one", "two", "one", "two", "one"}
	if _, _, err := answered[arguments](t.Context(), red.session, "artifact_get", arguments{"ref": "one", "more": many}); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("too many at once: %v", err)
	}
}

// X11: who waits for nothing is told that it may stop; who is waited for, or
// waits for what it asked for, is not.
func TestFewCalls_TheEndIsSaid(t *testing.T) {
	blue, red := duo(t)
	blue.must(first(blue.call("inbox", nil)), "nothing new", "RS-pair is compiled when you and RedSky have answered: delta_submit; what it asks: inbox {")
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	blue.must(first(blue.call("inbox", nil)), "nothing new", "RS-pair is compiled when RedSky has answered")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "everybody has answered, RedSky last", "once more, or stop", "RS-pair has no conclusion yet: it is yours to say")
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "RT", "research_thread", `{"context":"the parser"}`, "")})
	red.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "All is said."})
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "nothing is asked of you", "Stop here")
	blue.call("request", arguments{"role": "adversarial_critic", "module": "lineage", "title": "Attack H1", "spec": "s"})
	words, _ := blue.call("inbox", nil)
	blue.must(words, "nothing new", "Attack H1: nobody of role adversarial_critic has taken it yet")
	blue.mustNot(words, "Stop here")
}

// C34, C35: in a session a context that is spent goes on in another for the
// session; what is said where nothing is read through another by itself names that call.
func TestFewCalls_ASpentContextNamesTheSession(t *testing.T) {
	s, blue, red := pair(t)
	red.call("artifact_write", analysis("long", arguments{"content": arguments{"format": "text", "data": strings.Repeat("many words that cost something to read\n", 6000)}}))
	for range 50 {
		_, err := s.local(blue.name).Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "long"}, Size: 4000, Again: true})
		if err == nil {
			continue
		}
		var e *brenner.Error
		if !errors.As(err, &e) || e.Code != brenner.CodeContextOverflow || len(e.Actions) != 1 || e.Actions[0].Args["session"] != "RS-pair" || !strings.HasPrefix(e.Actions[0].Args["after"], "ctx-") {
			t.Errorf("%v", err)
		}
		return
	}
	t.Error("all of it was read")
}
