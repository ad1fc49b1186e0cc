package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"
)

// X11, C33, C34: what a colleague wrote beside the session is announced once, to whom
// was not given it: in the answer to a write, or in the inbox. Nobody is told of what
// it wrote itself, has read, or may not read.
func TestMeanwhile_AnnouncesWhatColleaguesWrote(t *testing.T) {
	s, blue, red := pair(t)
	blue.mustNot(first(blue.call("artifact_write", analysis("disk", nil))), "written (data)")
	blue.mustNot(first(blue.call("inbox", nil)), "written (data)") // its own
	red.must(red.submits(hypothesis("Disk", "", "the disk is slow")), "written (data): disk@1 by BlueLake: what disk says")
	red.mustNot(red.submits(hypothesis("Net", "", "the net is slow")), "disk@1")
	red.mustNot(first(red.call("inbox", nil)), "disk@1")

	// A new version is news again; what was read is none.
	update := arguments{"id": "disk", "parent": 1, "change": arguments{"what": "again", "why": "noise"}, "summary": "what disk says now", "content": arguments{"format": "text", "data": "measured again\n"}}
	blue.call("artifact_write", update)
	blue.call("artifact_write", analysis("seeks", nil))
	red.call("artifact_get", arguments{"ref": "seeks"})
	words := first(red.call("inbox", nil))
	red.must(words, "written (data): disk@2 by BlueLake: changed: again. what disk says now")
	red.mustNot(words, "seeks@1", "nothing new")
	red.mustNot(first(red.call("inbox", nil)), "written (data)")

	// Not what is elsewhere, nor what those write who take no part, nor replies.
	s.do(s.pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "diary", Type: "paper_note", Module: "lineage", Summary: "log", Content: api.Body{Format: artifact.Text, Data: "one\n"},
	}))
	red.mustNot(first(red.call("inbox", nil)), "written (data)")

	// A few at a time; the others follow.
	for i := range 7 {
		blue.call("artifact_write", analysis(fmt.Sprintf("run-%d", i), nil))
	}
	told := first(red.call("inbox", nil))
	if n := strings.Count(told, " by BlueLake: "); n != 5 {
		t.Errorf("%d are announced at once:\n%s", n, told)
	}
	red.must(told, "run-6@1")
	rest := first(red.call("inbox", nil))
	red.must(rest, "run-0@1", "run-1@1")
	red.mustNot(rest, "run-2@1")
}

// X11, C26: who wrote something is told once when others write a new version of it, link to
// it, or write a new version of what it rests on; whoever that is.
func TestMeanwhile_SaysWhatConcernsOnesOwn(t *testing.T) {
	s, blue, red := pair(t)
	red.call("artifact_write", analysis("probe", nil))
	blue.call("artifact_get", arguments{"ref": "probe"})
	blue.call("artifact_write", analysis("disk", arguments{"links": []arguments{{"rel": "depends_on", "artifact": "probe"}}}))
	again := func(id string) arguments {
		return arguments{"id": id, "summary": "again", "content": arguments{"format": "text", "data": "again, by another\n"}}
	}
	red.call("artifact_write", again("probe"))
	red.call("artifact_write", again("disk"))
	red.call("artifact_write", analysis("attack", arguments{"links": []arguments{{"rel": "reviews", "artifact": "disk", "version": 1}}}))
	red.call("artifact_write", analysis("noise", nil))
	words := first(blue.call("inbox", nil))
	blue.must(words, "probe@2 by RedSky (your disk@1 depends_on probe@1): again", "disk@2 by RedSky (after your disk@1): again", "attack@1 by RedSky (reviews your disk@1): ", "noise@1 by RedSky: ")
	if strings.Index(words, "noise@1") < strings.Index(words, "probe@2") {
		t.Errorf("what concerns it does not come first:\n%s", words)
	}
	blue.mustNot(first(blue.call("inbox", nil)), "your disk@1")

	// Also of those who were not asked in the session.
	s.do(s.pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "doubt", Type: "paper_note", Module: "lineage", Summary: "too few", Content: api.Body{Format: artifact.Text, Data: "one run\n"},
		Links: []artifact.Link{{Rel: artifact.Contradicts, Artifact: "disk", Version: 1}},
	}))
	blue.must(first(blue.call("inbox", nil)), "doubt@1 by ada (contradicts your disk@1): too few")
	red.mustNot(first(red.call("inbox", nil)), "doubt@1")
}

// C8: what is written outside the scope of a context is not announced in it.
func TestMeanwhile_AnnouncesNothingOutsideTheScope(t *testing.T) {
	s, blue, red := pair(t)
	blue.call("artifact_write", analysis("disk", nil))
	s.do(s.pi.Deprecate(t.Context(), api.DecisionRequest{Ref: brenner.Ref{Artifact: "disk", Version: 1}, Reason: "wrong"}))
	red.mustNot(first(red.call("inbox", nil)), "disk@1")
	blue.call("artifact_write", analysis("seeks", nil))
	red.call("context_assemble", arguments{"question": "Why?", "modules": []any{"gradient"}})
	red.mustNot(first(red.call("inbox", nil)), "seeks@1")
	red.call("context_assemble", arguments{"session": "RS-pair"})
}

// D22: who names what another kills in the same compile is told so in the answer that
// compiles, and the other way round when it is compiled.
func TestSubmit_NamesWhatDiedInTheSameCompile(t *testing.T) {
	s, blue, red := pair(t)
	blue.submits(assumption("Acknowledged is kept", "No write is lost that was acknowledged"))
	red.submits(assumption("Small disks stand for large ones", "What 4 MB show holds for gigabytes"))
	ask := func() {
		s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
	}
	kill := func(id string) string {
		return deltaBlock("KILL", id, "assumption_ledger", `{"reason":"nobody needs it"}`, "")
	}
	ask()
	blue.submits(kill("A1"))
	red.must(red.submits(assumption("Clocks agree", "A1 and A2 hold on every machine")),
		"KILLED_REFERENCE: A1 is named, and BlueLake killed it at the same time; EDIT A3 to name a live item, or KILL it too")
	// Who killed it itself knows.
	ask()
	blue.submits(assumption("Names are unique", "A2 needs no more") + assumption("Log is bounded", "A2 and A3 end at 16 MB"))
	red.mustNot(red.submits(kill("A2")+assumption("Disks are slow", "without A2 a write takes 10 ms")), "KILLED_REFERENCE: A2 is named")
	told := blue.told(api.MessageCompiled)
	blue.must(told, "KILLED_REFERENCE: A2 is named, and RedSky killed it at the same time")
	if strings.Count(told, "KILLED_REFERENCE") != 1 {
		t.Errorf("it is said more than once:\n%s", told)
	}
}

// D21: a test that brings what it showed along with what it was expected to show is
// no test that was foretold.
func TestSubmit_DoubtsAnExpectationWithTheResult(t *testing.T) {
	_, blue, red := pair(t)
	test := func(name, more string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"`+name+`","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow","H2":"fast"}`+more+`}`, "")
	}
	blue.submits(hypothesis("Parser", "", "the parser is slow") + test("Cold", ""))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	blue.must(blue.submits(test("Warm", `,"actual_outcomes":{"H1":"slow"}`)), "FORETOLD_LATER: expectation and result under H1 came together: not foretold")
	edit := func(payload string) string { return deltaBlock("EDIT", "T1", "discriminative_tests", payload, "") }
	blue.mustNot(blue.submits(edit(`{"actual_outcomes":{"H1":"slow"}}`)), "FORETOLD_LATER")
	blue.mustNot(blue.submits(edit(`{"expected_outcomes":{"H2":"fast"},"actual_outcomes":{"H2":"fast"}}`)), "FORETOLD_LATER")
	blue.must(blue.submits(edit(`{"expected_outcomes":{"H3":"fast"},"actual_outcomes":{"H3":"fast"}}`)), "FORETOLD_LATER: expectation and result under H3")
}

// D4, D8: an anomaly that repeats a hypothesis is shown that; one that is about it is
// none. Who adds a hypothesis is told how many there are, and may be.
func TestSubmit_AlikeAcrossSectionsAndHowManyHypotheses(t *testing.T) {
	_, blue, red := pair(t)
	blue.must(blue.submits(hypothesis("Writers wait for the lock", "H-WAITS-LONG", "every writer waits for the lock of the journal while it is flushed")), "hypotheses alive: 1 of at most 6")
	red.must(red.submits(hypothesis("Disk", "", "the disk is slow")), "hypotheses alive: 2 of at most 6")
	anomaly := func(who, about string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"Writers wait for the lock","observation":"`+who+` writer waits for the lock of the journal while it is flushed"`+about+`}`, "")
	}
	said := red.submits(anomaly("a", ""))
	red.must(said, "ITEM_ALIKE: H1, a hypothesis by BlueLake, says nearly the same", "EDIT H1 with what yours adds and KILL your own")
	red.mustNot(said, "hypotheses alive")
	red.mustNot(red.submits(anomaly("one", `,"conflicts_with":["H1"]`)), "ITEM_ALIKE")
	assumes := func(more string) string {
		return deltaBlock("ADD", "", "assumption_ledger", `{"name":"Writers wait for the lock","statement":"any writer waits for the lock of the journal while it is flushed"`+more+`}`, "")
	}
	red.must(red.submits(assumes("")), "ITEM_ALIKE: H1, a hypothesis by BlueLake, says nearly the same")
	// What names the hypothesis by its provisional id is about it, and what was falsified says that it is not so.
	red.mustNot(red.submits(assumes(`,"load":"H-WAITS-LONG falls with it","calculation":"one"`)), "a hypothesis by BlueLake")
	red.mustNot(red.submits(assumes(`,"status":"falsified","calculation":"two"`)), "a hypothesis by BlueLake")
}

// D25: of what says nearly the same the nearest of the same section is named first.
func TestSubmit_NamesWhatIsAlikeInItsSectionFirst(t *testing.T) {
	_, blue, red := pair(t)
	anomaly := func(who, about string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"Writers wait for the lock","observation":"`+who+` writer waits for the lock of the journal while it is flushed"`+about+`}`, "")
	}
	blue.submits(hypothesis("Writers wait for the lock", "", "every writer waits for the lock of the journal while it is flushed") +
		anomaly("some", `,"conflicts_with":["H1"]`))
	said := red.submits(anomaly("a", ""))
	red.must(said, "ITEM_ALIKE: X1, proposed by BlueLake, says nearly the same", "ITEM_ALIKE: also said in H1, a hypothesis by BlueLake; if it is the same, ")
	if strings.Index(said, "ITEM_ALIKE: X1") > strings.Index(said, "ITEM_ALIKE: also said in H1") {
		t.Errorf("another section comes first:\n%s", said)
	}
	red.mustNot(red.submits(deltaBlock("ADD", "", "anomaly_register", `{"name":"Noon","observation":"at noon nothing is written at all"}`, "")), "ITEM_ALIKE")
}

// D25: what is advised about an item that says what another says is what the role of its
// author may do.
func TestSubmit_AdvisesWhatTheRoleMayDo(t *testing.T) {
	w := newWorld(t)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	if _, err := w.local("ada").StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}); err != nil {
		t.Fatal(err)
	}
	blue, green := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}, &player{t: t, name: "GreenValley", session: w.session("GreenValley")}
	blue.submits(hypothesis("Writers wait for the lock", "", "every writer waits for the lock of the journal while it is flushed"))
	odd := func(name string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"`+name+`","observation":"a writer waits for the lock of the journal while it is flushed"}`, "")
	}
	for _, said := range []string{green.submits(odd("Seen")), green.submits(odd("Seen again"))} { // proposed, and compiled
		green.must(said, "ITEM_ALIKE: H1, a hypothesis by BlueLake, says nearly the same; if it is the same, KILL your own, and what it adds leave to the author of H1 as a note")
		green.mustNot(said, "EDIT H1")
	}
}
