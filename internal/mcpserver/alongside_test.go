package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/roster"
)

func assumption(name, statement string) string {
	return deltaBlock("ADD", "", "assumption_ledger", `{"name":"`+name+`","statement":"`+statement+`"}`, "")
}

// submits hands deltas in to the session of a pair.
func (p *player) submits(blocks string) string {
	p.t.Helper()
	words, _ := p.call("delta_submit", arguments{"session": "RS-pair", "text": blocks})
	return words
}

// D4, D6, X11: who adds what somebody else has added is shown it at once, also
// while it is only proposed, and told which of the two stays; the other is told to
// leave both alone. What was read already is not sent again (C34).
func TestSubmit_NamesATwin(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(assumption("4 MB of tmpfs stand for a real disk", "What a tmpfs of 4 MB shows holds for the disks that teams have"))
	said := red.submits(assumption("4 MB stand for a real disk", "What happens on a tmpfs of 4 MB happens on the disks of teams") +
		assumption("Freed room stays ours", "Room that the project gives up is there for its own next write"))
	red.must(said, "A2", "ITEM_ALIKE: A1, proposed by BlueLake, says nearly the same", "EDIT A1 with what yours adds and KILL your own: the lower number stays",
		"what says nearly the same as yours, and you had not seen (data):", "holds for the disks that teams have")
	if strings.Count(said, "ITEM_ALIKE") != 1 {
		t.Errorf("what is not alike is called so:\n%s", said)
	}
	blue.must(blue.told(api.MessageCompiled), "A2, which RedSky added, says nearly what A1 says, which is yours: A1 has the lower number and stays; RedSky was asked to give way.")
	// What was shown is not sent again, and one's own like items are not named.
	again := red.submits(assumption("4 MB stand for a disk", "What happens on a tmpfs of 4 MB happens on the disks of teams too"))
	red.must(again, "ITEM_ALIKE: A1, by BlueLake")
	red.mustNot(again, "holds for the disks that teams have", "ITEM_ALIKE: A2")
	// A reply that is sent again with other words around it adds what it added: that is said.
	sent := assumption("Rooms are cold", "The rooms of teams are below 20 degrees")
	red.submits(sent)
	red.must(red.submits("A word more.\n\n"+sent), "which you added before, says the same", "of a reply that was taken in part send what was refused")
	// What says the contrary is no twin.
	red.mustNot(red.submits(assumption("4 MB of tmpfs do not stand for a real disk", "What a tmpfs of 4 MB shows does not hold for the disks that teams have")), "ITEM_ALIKE")
}

// D4, D6: who adds word for word what was killed is told by whom and why it was, and the item
// is taken; not who killed its own to put it up anew.
func TestSubmit_NamesWhatWasKilledAndSaysTheSame(t *testing.T) {
	_, blue, red := pair(t)
	sent := assumption("Probes are exact", "The probes of the north shore are exact to a tenth")
	blue.submits(sent)
	red.submits(deltaBlock("KILL", "A1", "assumption_ledger", `{"reason":"calibration showed two tenths"}`, ""))
	said := blue.submits(assumption("Exact probes", "The probes of the north  shore are exact to a tenth"))
	blue.must(said, "A2", `ITEM_ALIKE: A1, killed by RedSky, who says "calibration showed two tenths", said the same`, "if that still holds, KILL A2; else say in an EDIT of it what is different now")
	blue.mustNot(blue.submits(deltaBlock("KILL", "A2", "assumption_ledger", `{}`, "")+assumption("Exact again", "The probes of the north shore are exact to a tenth")), "killed by")
}

// D4, D27, X11: while nothing is compiled yet, the author of the first of two items that are
// alike is told with the news of the second, once; and who sends the lower number later, since it
// was written before, is told that it stays.
func TestSubmit_NamesATwinThatIsOnlyProposed(t *testing.T) {
	s, blue, red := pair(t)
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{
		ID: "RS-three", Question: "Why?", Module: "lineage", Compile: api.CompileManual,
		Roster: roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{
			{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.HypothesisGenerator},
		}},
	}))
	submit := func(p *player, blocks string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-three", "text": blocks}))
	}
	test := func(name, procedure, extra string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"`+name+`","procedure":"`+procedure+`","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, extra)
	}
	blue.call("context_assemble", arguments{"session": "RS-three"})
	red.call("context_assemble", arguments{"session": "RS-three"})
	blue.mustNot(submit(blue, test("Fill a disk of 4 MB", "Fill a tmpfs of 4 MB with notes, then write one more and list what is kept", "")), "ITEM_ALIKE")
	red.must(submit(red, test("Fill a small disk", "Fill a tmpfs of 4 MB with small notes, write one more, list what was kept", "")), "ITEM_ALIKE: T1, proposed by BlueLake, says nearly the same")
	told := first(blue.call("inbox", nil))
	blue.must(told, "Fill a small disk", "T2 says nearly what your T1 says: T1 has the lower number and stays; RedSky is asked to give way")
	blue.mustNot(first(blue.call("inbox", nil)), "says nearly")

	v, err := s.pi.Session(t.Context(), api.SessionRequest{ID: "RS-three"})
	s.do(v, err)
	early := `,"timestamp":"` + delta.FormatInstant(v.Created.Add(time.Microsecond)) + `"`
	blue.must(submit(blue, assumption("4 MB stand for a real disk", "What a tmpfs of 4 MB shows holds for the disks that teams have")), "A1")
	said := submit(red, deltaBlock("ADD", "", "assumption_ledger", `{"name":"4 MB stand for disks","statement":"What happens on a tmpfs of 4 MB happens on the disks that teams have"}`, early))
	red.must(said, "ITEM_ALIKE: A2, proposed by BlueLake, says nearly the same; A1 has the lower number and stays; BlueLake is asked to give way")
	blue.must(first(blue.call("inbox", nil)), "A1 says nearly what your A2 says: if it is the same, EDIT A1 with what yours adds and KILL A2: the lower number stays")
}

// D4, X11: an author who says of two items that they are two, by naming the one in the rationale of
// the other, is not asked to give way, neither at once nor when it is compiled; nor is anybody
// told.
func TestSubmit_ATwinThatIsNoneIsSaidSo(t *testing.T) {
	s, blue, red := pair(t)
	one := assumption("4 MB of tmpfs stand for a real disk", "What a tmpfs of 4 MB shows holds for the disks that teams have")
	other := func(which, why string) string {
		return "```delta\n" + `{"operation":"ADD","section":"assumption_ledger","payload":{"name":"4 MB stand for a real disk","statement":"What happens on a tmpfs of 4 MB happens on ` + which + ` disks of teams"},"rationale":"` + why + `"}` + "\n```\n"
	}
	blue.submits(one)
	said := red.submits(other("the", "unlike A1 this is about what happens, not about what is shown"))
	red.mustNot(said, "ITEM_ALIKE")
	s.do(s.pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-pair"}))
	blue.mustNot(first(blue.call("inbox", nil)), "says nearly", "give way")
	red.mustNot(first(red.call("inbox", nil)), "ITEM_ALIKE")
	said = red.submits(other("all", "it happens every time"))
	red.must(said, "ITEM_ALIKE", "if it is another, name A1 in the rationale of a delta of it, and this is not raised again")
}

// D6, D22: two who kill in favour of each other are told, at once and when it is
// compiled, and one of them what to do; the merge itself is as ever.
func TestSubmit_CrossedKillsAreSaid(t *testing.T) {
	s, blue, red := pair(t)
	blue.submits(assumption("Acknowledged is kept", "No write is lost that was acknowledged"))
	red.submits(assumption("Small disks stand for large ones", "What 4 MB show holds for gigabytes"))
	blue.submits(assumption("Log is bounded", "The log ends at 16 MB") + assumption("Clocks agree", "Two machines have one time"))
	red.submits(assumption("Names are unique", "No two agents are called alike"))
	kill := func(id, reason string) string {
		return deltaBlock("KILL", id, "assumption_ledger", `{"reason":"`+reason+`"}`, "")
	}
	// At the same time.
	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
	blue.mustNot(blue.submits(kill("A1", "A2 says it")), "CROSSED_KILLS")
	red.must(red.submits(kill("A2", "A1 says the same")),
		"CROSSED_KILLS: A2 and A1 are both dead, each killed in favour of the other by RedSky and BlueLake", "BlueLake, who killed the lower number, puts A1 up again with an ADD; nobody else does")
	blue.must(blue.told(api.MessageCompiled), "CROSSED_KILLS: A1 and A2 are both dead", "BlueLake, who killed the lower number, puts A1 up again")
	// One after the other.
	blue.submits(kill("A3", "as A5 has it"))
	red.must(red.submits(kill("A5", "nobody needs it")), "CROSSED_KILLS: BlueLake killed A3 in favour of A5, which is dead by this")
	blue.must(blue.told(api.MessageCompiled), "A5, in favour of which you killed A3, was killed by RedSky: both are dead.")
	// One that names what lives is none.
	red.call("delta_submit", arguments{"session": "RS-pair", "text": assumption("Disks are slow", "A write takes 10 ms")})
	red.mustNot(red.submits(kill("A6", "A4 is what counts")), "CROSSED_KILLS")
}

// R10, X11: one agent says in the end what the answer is. The kickoff says who and
// how, the session that it is missing, to that one as a duty, and where it stands
// begins with it.
func TestSession_SomebodyConcludes(t *testing.T) {
	s, blue, red := pair(t)
	kickoff := func(p *player) string {
		t.Helper()
		for _, m := range p.messages("all") {
			if m["kind"] == string(api.MessageKickoff) && m["session"] == "RS-pair" {
				return first(p.call("inbox", arguments{"message": m["id"]}))
			}
		}
		t.Fatalf("%s has no kickoff", p.name)
		return ""
	}
	for _, p := range []*player{blue, red} {
		p.must(kickoff(p), "BlueLake says what the answer is, which whoever asked reads first: once tests and critiques have come in, by an EDIT of `RT` (`research_thread`) with `answer`")
	}

	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	blue.mustNot(first(blue.call("status", nil)), "conclusion")
	red.must(red.submits(hypothesis("Disk", "", "the disk is slow")), "left for others: the conclusion (BlueLake)")
	words := blue.told(api.MessageCompiled)
	blue.must(words, "Nobody has said yet what the answer is, and that is yours to say")
	blue.mustNot(words, "no conclusion yet") // once is enough
	blue.must(first(blue.call("status", nil)), "RS-pair has no conclusion yet, and it is yours to say")
	red.mustNot(first(red.call("status", nil)), "yours to say")
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair"})), "no conclusion yet") // it was told
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "again": true})), "no conclusion yet: BlueLake has not said in RT (answer) what the answer is")
	st, err := s.pi.SessionStatus(t.Context(), api.SessionStatusRequest{ID: "RS-pair"})
	if err != nil || st.Concludes != "BlueLake" || st.Concluded || st.Unconcluded() == "" {
		t.Errorf("%+v, %v", st, err)
	}
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"context":"The parser, by T1; the disk is open."}`, ""))
	blue.mustNot(first(blue.call("status", nil)), "conclusion")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "Conclusion, by BlueLake: The parser, by T1; the disk is open.\n")
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "again": true})), "no conclusion yet")
	closed, err := s.pi.CloseSession(t.Context(), api.CloseSessionRequest{ID: "RS-pair", Reason: "answered"})
	if err != nil || !closed.Concluded || closed.Unconcluded() != "" {
		t.Errorf("%+v, %v", closed, err)
	}
}

// C34, D27: what a reply names and has changed since its author read it is shown as
// what changed, and nobody is told beside it that nothing is new.
func TestSubmit_ShowsWhatMovedUnderIt(t *testing.T) {
	s, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.told(api.MessageCompiled)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the parser reads twice"}`, ""))
	said := red.submits(assumption("Parsing", "H1 holds for large files"))
	red.must(said, "REFERENCE_MOVED: H1 is named, and BlueLake changed it since you read it", "what changed of them since version 2, which you had read (data)", "the parser reads twice", "Was: the parser is slow")
	red.mustNot(said, "nothing new of others")
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the parser reads thrice"}`, ""))
	red.mustNot(red.submits(assumption("Elsewhere", "RS-other/H1 and scratch/H1 say the same")), "REFERENCE_MOVED")

	s.do(s.pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "diary", Type: "paper_note", Module: "lineage", Summary: "log", Content: api.Body{Format: artifact.Text, Data: "one\ntwo\n"},
	}))
	text, summary := &api.Body{Format: artifact.Text, Data: "one\nzwei\n"}, "in two languages"
	s.do(s.pi.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "diary", Summary: &summary, Content: text, Change: &artifact.Change{What: "w", Why: "y"}}))
	red.must(red.submits(assumption("Logs", "diary@1 counts")), "REFERENCE_MOVED: diary@1 is named, and diary is at version 2 by now", "what diary@2 changed after diary@1 (data):", "zwei")
}

// C2, X11: a word to the author of an item asks for nothing, stands beside the
// document and is bounded; who is at something says so without a task to close.
func TestRequest_ANoteAndAMark(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	blue.told(api.MessageCompiled)
	red.must(first(red.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Saw it, agree; I measure the disk", "note": true})), "noted: told to BlueLake; ", "\nrequests: 11 of 12 left\n")
	blue.must(blue.told(api.MessageTask), "RedSky leaves a note on H1 of RS-pair@2. Nothing is asked of you", "> Saw it, agree; I measure the disk")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "notes that you have: on H1 by RedSky at ")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "again": true})), "note on H1 by RedSky at ", "(data): Saw it, agree; I measure the disk")
	blue.mustNot(first(blue.call("status", nil)), "Saw it")

	marked, data := red.call("request", arguments{"session": "RS-pair", "title": "Measuring the disk", "claim": true})
	red.must(marked, "the others see that you are at it until", `To end it before, write what came of it with "task":"`, `"done":true`)
	if data["state"] != string(api.TaskClaimed) {
		t.Errorf("a mark is %v", data)
	}
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "under way: "+data["id"].(string)+" Measuring the disk (RedSky, until ")
	split := "You measure the disk, I the parser. " + strings.Repeat("And so on. ", 20)
	blue.must(first(blue.call("request", arguments{"session": "RS-pair", "about": []any{data["id"]}, "title": split, "note": true})), "noted")
	red.must(red.told(api.MessageTask), "BlueLake leaves a note on "+data["id"].(string)+" of RS-pair", "You measure the disk, I the parser.")
	for name, args := range inOrder(map[string]arguments{
		"on nothing":     {"title": "Hm", "note": true},
		"with a spec":    {"session": "RS-pair", "items": []any{"H1"}, "title": "Hm", "note": true, "spec": "do"},
		"work, no spec":  {"session": "RS-pair", "items": []any{"H1"}, "title": "Hm"},
		"note and claim": {"session": "RS-pair", "items": []any{"H1"}, "title": "Hm", "note": true, "claim": true},
	}) {
		if _, _, err := answered[arguments](t.Context(), red.session, "request", args); brenner.CodeOf(err) != brenner.CodeInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	var err error
	for range brenner.MaxRequestsPerContext {
		_, _, err = answered[arguments](t.Context(), red.session, "request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "And this", "note": true})
	}
	if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("notes without end: %v", err)
	}
}

// X11: who is at an item stands beside it, in the document and in the answer to who
// would do the same; who is at another test of the same hypotheses is not in the way.
func TestShow_SaysWhoIsAtAnItem(t *testing.T) {
	_, blue, red := pair(t)
	test := func(name string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"`+name+`","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow","H2":"fast"}}`, "")
	}
	blue.submits(hypothesis("Parser", "", "the parser is slow") + test("Cold") + test("Warm"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	_, mark := red.call("request", arguments{"session": "RS-pair", "title": "Measuring T1 against H1", "claim": true})
	id := mark["id"].(string)
	at := "RedSky is at this since just now (" + id + ")"
	words := first(blue.call("session_show", arguments{"session": "RS-pair"}))
	blue.must(words, "### T1: Cold · by BlueLake\n"+at+"\n", "### H1: Parser · by BlueLake\n"+at+"\n", "### T2: Warm · by BlueLake\nProcedure")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "brief": true})), "\n"+at+"\n")
	twice, _ := blue.call("request", arguments{"session": "RS-pair", "items": []any{"T1"}, "title": "Timing the cold start", "claim": true})
	blue.must(twice, "T1: "+at+"; settle who does it before both do")
	blue.mustNot(first(blue.call("request", arguments{"session": "RS-pair", "title": "Timing T2, for H1", "claim": true})), at)

	_, asked := red.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Which parser?", "spec": "Name it."})
	words = first(blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true}))
	blue.must(words, "RedSky asks for work on this, taken by nobody yet ("+asked["id"].(string)+")")
	blue.must(first(blue.call("task_claim", arguments{"id": asked["id"]})), "H1: "+at)
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})), "BlueLake is at this for RedSky ("+asked["id"].(string)+")")
}

// C16: what somebody announced goes on, whatever it writes without saying that it is of
// that; how it is ended is said. It is not read out to who announced it.
func TestWrite_WhatWasAnnouncedGoesOn(t *testing.T) {
	_, blue, red := pair(t)
	title := "Measuring the disk, " + strings.Repeat("cold and warm, ", 30)
	_, mark := red.call("request", arguments{"session": "RS-pair", "title": title, "claim": true})
	id := mark["id"].(string)
	red.must(first(red.call("artifact_write", analysis("cold", nil))), id+", which you announced, goes on", `if this is what came of it: task_complete {"id":"`+id+`","outputs":["cold@1"]}`)
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "under way: "+id)
	words, _ := red.call("inbox", nil)
	red.must(words, "nothing new", "task "+id)
	red.mustNot(words, strings.Repeat("cold and warm, ", 8))
	words, _ = red.call("artifact_write", analysis("warm", arguments{"session": "RS-pair", "deltas": hypothesis("Disk", "", "the disk is slow")}))
	red.must(words, id+", which you had announced for your answer, is done with it")
	_, later := red.call("request", arguments{"session": "RS-pair", "title": "Reading the driver", "claim": true})
	words, _ = red.call("artifact_write", analysis("net", arguments{"session": "RS-pair", "deltas": hypothesis("Net", "", "the net is slow")}))
	red.must(words, later["id"].(string)+", which you announced, goes on")
}

// C16: what is written for announced work, by its name, leaves it open till it is said to be
// done.
func TestWrite_AnnouncedWorkOfSeveralResults(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	words, mark := red.call("request", arguments{"session": "RS-pair", "title": "Measuring the disk", "claim": true})
	id := mark["id"].(string)
	red.must(words, `what you write with "task" alone, or without, does not end it`)
	red.mustNot(first(red.call("artifact_write", analysis("cold", arguments{"task": id}))), "· done")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "under way: "+id)
	red.must(first(red.call("artifact_write", analysis("warm", arguments{"task": id, "done": true}))), id+" · done", "output cold@1", "output warm@1")
	words, held := red.call("request", arguments{"session": "RS-pair", "title": "Measuring the net", "spec": "Cold and warm.", "claim": true})
	red.must(words, "your last result closes it", "what comes before goes without done")
	red.mustNot(first(red.call("artifact_write", analysis("net", arguments{"task": held["id"]}))), "· done")
}

// C16: a write that says so ends what was announced, and of several that are open they are
// named; a note is news once, in a message, and never to who wrote it.
func TestWrite_EndsWhatWasAnnounced(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	_, mark := red.call("request", arguments{"session": "RS-pair", "title": "Measuring the disk", "claim": true})
	red.must(first(red.call("artifact_write", analysis("disk", arguments{"task": mark["id"], "done": true}))), mark["id"].(string)+" · done")
	blue.mustNot(first(blue.call("session_show", arguments{"session": "RS-pair"})), "under way")

	_, one := red.call("request", arguments{"session": "RS-pair", "title": "Measuring seeks", "claim": true})
	_, two := red.call("request", arguments{"session": "RS-pair", "title": "Reading the driver", "claim": true})
	words := first(red.call("artifact_write", analysis("seeks", nil)))
	red.must(words, "you announced "+two["id"].(string)+", "+one["id"].(string)+", which go on; if this is what came of one: task_complete {")

	red.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Which parser?", "note": true})
	news := arguments{"session": "RS-pair", "since": 1}
	blue.mustNot(first(blue.call("session_show", news)), "Which parser?") // a message tells it
	if words := first(blue.call("inbox", nil)); strings.Count(words, "Which parser?") != 1 {
		t.Errorf("a note is said more than once, or not at all:\n%s", words)
	}
	red.mustNot(first(red.call("session_show", news)), "note on H1")
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the second parser is slow"}`, ""))
	blue.mustNot(first(blue.call("session_show", news)), "note on H1")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "again": true})), "note on H1 by RedSky")
}

// C34: an item that changed, and that its reader was never given, is given whole.
func TestShow_WhatWasNeverGivenIsGivenWhole(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.told(api.MessageCompiled)
	blue.submits(hypothesis("Cache", "", "the cache is cold"))
	red.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true}) // of the version that has H3
	blue.submits(deltaBlock("EDIT", "H3", "hypothesis_slate", `{"mechanism":"it is emptied at night"}`, ""))
	red.must(first(red.call("inbox", nil)), "the cache is cold", "it is emptied at night")
	blue.submits(deltaBlock("EDIT", "H3", "hypothesis_slate", `{"mechanism":"it is emptied at noon"}`, ""))
	words := first(red.call("inbox", nil))
	red.must(words, "it is emptied at noon", "Was: it is emptied at night")
	red.mustNot(words, "the cache is cold")
}

// C34: whoever is shown some items of a version is not taken to have the others: they
// are news until they are given.
func TestInbox_NamedItemsHideNoOthers(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.told(api.MessageCompiled)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the parser reads twice"}`, "") + hypothesis("Cache", "", "the cache is cold"))
	words := red.submits(assumption("Parsing", "H1 holds for large files"))
	red.must(words, "REFERENCE_MOVED: H1", "the parser reads twice", "the cache is cold")
	if strings.Count(words, "the parser reads twice") != 1 {
		t.Errorf("what was given is given again:\n%s", words)
	}
	red.mustNot(first(red.call("inbox", nil)), "the cache is cold")
}

// J7, C34: that an earlier version of a document was redacted hides no news.
func TestInbox_ARedactedVersionHidesNothing(t *testing.T) {
	s, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.told(api.MessageCompiled)
	blue.submits(hypothesis("Cache", "", "the cache is cold"))
	s.do(s.pi.Redact(t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "RS-pair", Version: 2}, Reason: "a name"}))
	red.must(first(red.call("inbox", nil)), "the cache is cold")
}

// J7: who was given a version in full that is redacted goes on reading and answering; while
// the newest one is, it reads the rest of its mail.
func TestSession_ARedactedVersionLocksNobodyOut(t *testing.T) {
	s, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.call("context_assemble", arguments{"session": "RS-pair"})
	blue.submits(hypothesis("Cache", "", "the cache is cold"))
	redact := func(v brenner.Version) {
		s.do(s.pi.Redact(t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "RS-pair", Version: v}, Reason: "a name"}))
	}
	redact(2)
	red.must(first(red.call("session_show", arguments{"session": "RS-pair"})), "the cache is cold")
	red.must(red.submits(assumption("Cold", "It is cold by H3")), "applied: ADD A1")
	redact(4)
	red.must(first(red.call("inbox", nil)), "nothing")
}

// N1: what a status leaves out it counts, with the call that lists it.
func TestStatus_CountsWhatItLeavesOut(t *testing.T) {
	s, blue, _ := pair(t)
	for i := range 25 {
		s.do(s.pi.NewTask(t.Context(), api.NewTaskRequest{Title: fmt.Sprint("Look ", i), Spec: "Look again.", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}}))
	}
	words := first(blue.call("status", nil))
	blue.must(words, "unread: and more than these; inbox {} gives them one after the other\n", " more tasks: status {\"tasks\":")
	blue.mustNot(first(blue.call("status", arguments{"tasks": 100})), "more tasks")
}

// C17: a kickoff comes with the first look, however much else is older and unread.
func TestInbox_WhatAsksComesBeforeTheRest(t *testing.T) {
	s, blue, _ := pair(t)
	for i := range 25 {
		s.do(s.pi.NewTask(t.Context(), api.NewTaskRequest{Title: fmt.Sprint("Look ", i), Spec: "Look again.", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}}))
	}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{
		ID: "RS-late", Question: "And then?", Module: "lineage", Compile: api.CompileAnswered,
		Roster: roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}},
	}))
	blue.must(first(blue.call("artifact_search", arguments{"text": "parser"})), "unread: and at least 1")
	blue.must(first(blue.call("status", nil)), "KICKOFF")
	blue.must(first(blue.call("inbox", nil)), "# Session RS-late")
}

// N1: a session that waits for somebody stands in its status however many are newer.
func TestStatus_NamesASessionThatWaitsBehindManyNewer(t *testing.T) {
	s, blue, _ := pair(t)
	start := func(name brenner.ActorName, of string) {
		for i := range 25 {
			id := brenner.SessionID(fmt.Sprintf("RS-%s%d", of, i))
			s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{
				ID: id, Question: "And then?", Module: "lineage", Compile: api.CompileAnswered,
				Roster: roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{{AgentName: name, Role: roster.HypothesisGenerator}}},
			}))
		}
	}
	start("RedSky", "later")
	blue.must(first(blue.call("status", nil)), "RS-pair")
	// Of many that wait so many are named as of others, and the rest counted.
	start("BlueLake", "own")
	words := first(blue.call("status", nil))
	blue.must(words, "RS-own24 waits for your answer", "more sessions that you were asked in\n")
	blue.mustNot(words, "RS-own0 waits for your answer")
	// What is in the inbox comes in pages of one size.
	said, data := blue.call("inbox", arguments{"states": []any{"unread"}})
	next, _ := data["next"].(string)
	blue.must(said, next)
	if n := len(data["items"].([]any)); n != 20 || next == "" {
		t.Errorf("%d messages, then %q", n, next)
	}
	_, data = blue.call("inbox", arguments{"states": []any{"unread"}, "cursor": next})
	if n := len(data["items"].([]any)); n < 5 || n > 6 || data["next"] != nil {
		t.Errorf("%d messages, then %v", n, data["next"])
	}
}

// C16: who takes a task about an item is told if that was changed since it was
// asked for.
func TestClaim_SaysThatTheItemChanged(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	_, asked := red.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Which parser?", "spec": "Name it."})
	blue.mustNot(first(blue.call("task_claim", arguments{"id": asked["id"]})), "since it was asked")
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"it reads twice"}`, "")) // which it knows
	blue.mustNot(first(blue.call("task_claim", arguments{"id": asked["id"]})), "since it was asked")
	red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the second parser is slow"}`, ""))
	blue.must(first(blue.call("task_claim", arguments{"id": asked["id"]})), "H1, which it is about, was changed by RedSky since it was asked")
}

// C16: who would do what was taken back meanwhile is told so, and not refused.
func TestContext_OfATaskThatEnded(t *testing.T) {
	_, blue, red := pair(t)
	_, asked := red.call("request", arguments{"role": "hypothesis_generator", "module": "lineage", "title": "Which parser?", "spec": "Name it."})
	red.call("task_release", arguments{"id": asked["id"], "cancel": "found it"})
	words, data := blue.call("context_assemble", arguments{"task": asked["id"]})
	blue.must(words, asked["id"].(string)+" is canceled: there is nothing to do for it any more, and no context was made")
	if data["invocation"] != "" {
		t.Errorf("a context was made: %v", data)
	}
}

// D21: what was foretold of a test that was run is not changed in silence.
func TestSubmit_DoubtsAnExpectationAfterTheRun(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow","H2":"fast"}}`, ""))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	edit := func(payload string) string { return deltaBlock("EDIT", "T1", "discriminative_tests", payload, "") }
	blue.mustNot(blue.submits(edit(`{"expected_outcomes":{"H1":"very slow"}}`)), "FORETOLD_LATER")
	blue.mustNot(blue.submits(edit(`{"actual_outcomes":{"H1":"fast"}}`)), "FORETOLD_LATER")
	blue.must(blue.submits(edit(`{"expected_outcomes":{"H1":"fast"}}`)), "T1: applied", "FORETOLD_LATER: T1 was run, and its expected_outcomes under H1 are changed afterwards")
	blue.mustNot(blue.submits(edit(`{"expected_outcomes":{"H2":"slow"}}`)), "FORETOLD_LATER")
	blue.must(blue.submits(edit(`{"expected_outcomes":{"H1":"slow"}}`)), "FORETOLD_LATER")
	blue.mustNot(blue.submits(edit(`{"expected_outcomes":{"H1":"very slow"}}`)), "FORETOLD_LATER") // as it was foretold
}

// D21: who says otherwise what a row foretells, or when, once it was observed is told so.
func TestSubmit_DoubtsARowThatWasObserved(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("ADD", "", "predictions_table", `{"condition":"the guard, version 1","predictions":{"H1":"slow"}}`, ""))
	edit := func(payload string) string {
		return blue.submits(deltaBlock("EDIT", "P1", "predictions_table", payload, ""))
	}
	blue.mustNot(edit(`{"condition":"the guard, version 2"}`), "FORETOLD_LATER")
	blue.mustNot(edit(`{"observed":"slow"}`), "FORETOLD_LATER")
	blue.must(edit(`{"condition":{"old":"version 2","new":"version 3"},"predictions":{"H1":"very slow"}}`), "P1: applied",
		"FORETOLD_LATER: what was observed of P1 was observed before this change of its condition, what it foretells under H1; say in observed what was observed with that, or put it into another row")
	blue.mustNot(edit(`{"predictions":{"H1":"Very slow."}}`), "FORETOLD_LATER")
	blue.mustNot(edit(`{"condition":"the guard, version 4","observed":"slow again"}`), "FORETOLD_LATER")
}

// D21: what is advised of a hypothesis that is said otherwise under tests can be followed: none is
// added where it only says more exactly what it said, or another mechanism, or where there is no room.
func TestSubmit_AdvisesOfARewordingWhatCanBeDone(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow") + hypothesis("Cache", "", "the cache is cold") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow","H2":"fast"}}`, ""))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.call("session_show", arguments{"session": "RS-pair"})
	try := func(payload string) string {
		return first(red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H1", "hypothesis_slate", payload, ""), "dry_run": true}))
	}
	for _, payload := range []string{`{"claim":"the parser is slow on large files"}`, `{"mechanism":"it copies each token"}`} {
		words := try(payload)
		red.must(words, "FORETOLD_LATER", "where it foretells something else now, EDIT expected_outcomes of T1 before it is run")
		red.mustNot(words, "ADD that")
	}
	red.must(try(`{"claim":"the lexer is idle"}`), "if it claims something else now, ADD that as another hypothesis")
	red.submits(hypothesis("Net", "", "the wire is long") + hypothesis("Bus", "", "interrupts are lost") + hypothesis("Fan", "", "heat throttles the clock"))
	red.must(try(`{"claim":"the lexer is idle"}`), "KILL it with why, and ADD that in its place: 6 live at a time")
}

// D26: outcomes are by hypothesis; who says one under the critique that asks for a test is told
// under what it belongs.
func TestSubmit_DoubtsOutcomesUnderACritique(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular","evidence":"none","proposed_test":"run it warm"}`, ""))
	test := func(under string) string {
		return blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"warm","discriminates":"what C1 asks for","expected_outcomes":{"`+under+`":"slow"}}`, ""))
	}
	blue.must(test("C1"), "DANGLING_REFERENCE: expected_outcomes is by hypothesis, and C1 is none", "say it under H1, which C1 is against, or under \"any\"")
	blue.mustNot(test("H1"), "DANGLING_REFERENCE")
	blue.mustNot(test("any"), "DANGLING_REFERENCE")
}

// D8: the same reply again changes nothing; but one that edits, sent again after its author has said
// something else, says it again.
func TestSubmit_TheSameWordsMaySayItAgain(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	edit := func(claim string) string {
		return blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"`+claim+`"}`, ""))
	}
	says := func(claim string) {
		t.Helper()
		blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})), "Claim: "+claim+"\n")
	}
	for _, claim := range []string{"the sluice leaks", "the weir leaks", "the sluice leaks", "the weir leaks", "the sluice leaks"} {
		edit(claim)
		says(claim)
	}
	blue.must(edit("the sluice leaks"), "was handed in before") // as after an answer that was lost
	blue.submits(hypothesis("Net", "", "the net is slow"))
	blue.submits(hypothesis("Fan", "", "the fan is loud"))
	blue.must(blue.submits(hypothesis("Net", "", "the net is slow")), "was handed in before") // an ADD is never meant twice
}

// D21: who puts a hypothesis in other words that tests have foretold something under is told
// so, and so are the authors of the tests; whoever reads a test sees it.
func TestSubmit_DoubtsARewordingUnderTests(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow") + hypothesis("Cache", "", "the cache is cold") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow","H2":"fast"}}`, ""))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	edit := func(payload string) string { return deltaBlock("EDIT", "H1", "hypothesis_slate", payload, "") }
	red.call("session_show", arguments{"session": "RS-pair"})
	red.mustNot(red.submits(edit(`{"claim":"The parser is slow."}`)), "FORETOLD_LATER") // the same words
	red.must(red.submits(edit(`{"claim":"the lexer is slow"}`)), "H1: applied", "FORETOLD_LATER: what T1 foretold under H1 was foretold before this change")
	red.mustNot(red.submits(edit(`{"claim":"the lexer is too slow"}`)), "FORETOLD_LATER") // T1 is about others already
	told, _ := blue.call("inbox", nil)
	blue.must(told, "named in yours: H1 (T1)", `tests: planned T1 (H1 changed since)`)
	shown, _ := red.call("session_show", arguments{"session": "RS-pair", "items": []any{"T1"}, "again": true})
	red.must(shown, `Changed since it was foretold: H1 claim: "the parser is slow" → "the lexer is too slow" (by RedSky, `)
	blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"expected_outcomes":{"H1":"slow to begin"}}`, ""))
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"T1"}, "again": true})), "since it was foretold")
}

// X4: who hands a version in with writing it is told that it was.
func TestWrite_SaysThatItWasHandedIn(t *testing.T) {
	_, blue, _ := pair(t)
	in := analysis("mill", nil)
	blue.mustNot(first(blue.call("artifact_write", in)), "handed in for a decision")
	again := analysis("other", nil)
	again["review"] = true
	blue.must(first(blue.call("artifact_write", again)), "wrote other@1, draft", "handed in for a decision")
}

// C33: how a session is concluded is said once to who waits, that it is not again and again.
func TestInbox_SaysOnceHowASessionIsConcluded(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	asked := blue
	if !strings.Contains(first(blue.call("status", nil)), "has no conclusion yet") {
		asked = red
	}
	asked.must(first(asked.call("inbox", nil)), "that is yours to say: once what was asked for is in, EDIT `RT` with `answer`")
	last := first(asked.call("inbox", nil))
	asked.must(last, "has no conclusion yet: it is yours to say, once what was asked for is in")
	asked.mustNot(last, "delta_submit an EDIT of RT")
}

// C34, X11: a note comes whole once, by message or beside what is new, and is named from then on
// where the document is asked for; who asks for it again reads it.
func TestRequest_ANoteComesOnce(t *testing.T) {
	s, blue, red, green := trio(t)
	for i, p := range []*player{blue, red, green} {
		p.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis([]string{"Parser", "Disk", "Net"}[i], "", []string{"the parser is slow", "the disk is slow", "the net is slow"}[i])})
	}
	green.call("inbox", nil)
	s.pass(time.Second)
	red.call("request", arguments{"session": "RS-trio", "items": []any{"H1"}, "title": "not at noon", "note": true})
	edit := func(claim string) {
		blue.call("delta_submit", arguments{"session": "RS-trio", "text": deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"`+claim+`"}`, "")})
	}
	edit("the parser is slow at noon")
	green.must(first(green.call("inbox", nil)), "at noon", "note on H1 by RedSky at ", "not at noon")
	edit("the parser is slow at dawn")
	said := first(green.call("inbox", nil))
	green.must(said, "at dawn")
	green.mustNot(said, "note on H1", "not at noon")
	said = first(green.call("session_show", arguments{"session": "RS-trio"}))
	green.must(said, "notes that you have: on H1 by RedSky at ")
	green.mustNot(said, "not at noon")
	green.must(first(green.call("session_show", arguments{"session": "RS-trio", "items": []string{"H1"}, "again": true})), "not at noon")
	green.mustNot(first(green.call("session_show", arguments{"session": "RS-trio", "items": []string{"H2"}, "again": true})), "not at noon")
}
