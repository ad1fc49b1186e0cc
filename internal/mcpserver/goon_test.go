package mcpserver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// both lets two agents hand in a hypothesis each, which compiles their session.
func both(blue, red *player) {
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
}

// C34: a context that goes on from another names what that gave and has not
// changed, and one's own artifacts, and gives what is new; one that does not gives
// all. Nobody goes on from another's.
func TestGoingOn_GivesWhatIsNew(t *testing.T) {
	blue, red := duo(t)
	red.call("artifact_write", analysis("theirs", nil))
	blue.call("artifact_write", analysis("mine", nil))
	blue.must(first(blue.call("artifact_get", arguments{"ref": "theirs"})), "measured for theirs")
	both(blue, red)
	blue.call("inbox", nil)
	_, assembled := blue.call("context_assemble", arguments{"session": "RS-pair"})
	begun := assembled["invocation"]
	red.call("artifact_write", analysis("later", nil))
	blue.must(first(blue.call("artifact_get", arguments{"ref": "later"})), "measured for later")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Net", "", "the net is slow")})

	red.call("artifact_write", analysis("why", arguments{"summary": "why, and why, and why"}))
	words, assembled := blue.call("context_assemble", arguments{"session": "RS-pair", "after": begun})
	if document, other := strings.Index(words, "### session_artifact"), strings.Index(words, "### analysis_result"); document < strings.Index(words, "## Selected") || other < document {
		t.Errorf("the document at %d, another group at %d:\n%s", document, other, words)
	}
	blue.must(words, fmt.Sprintf("It goes on from %s", begun), "- theirs@1: given to you before, unchanged", "- later@1: given to you before, unchanged", "the net is slow", "Given to you before, unchanged: RT, H1, H2")
	blue.mustNot(words, "measured for theirs", "the disk is slow", "the parser is slow", "measured for mine")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "unchanged: you were given it")
	words, _ = blue.call("context_assemble", arguments{"session": "RS-pair", "after": assembled["invocation"]})
	blue.must(words, "- RS-pair@3: given to you before, unchanged")
	blue.mustNot(words, "the net is slow")

	words, _ = blue.call("context_assemble", arguments{"session": "RS-pair"})
	blue.must(words, "measured for theirs", "measured for mine", "the net is slow", "the disk is slow")
	if _, _, err := answered[arguments](t.Context(), red.session, "context_assemble", arguments{"session": "RS-pair", "after": begun}); brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("going on from another's: %v", err)
	}
}

// C34: who was given an item as it was proposed, and then what changed in it, has
// it: a context that goes on does not give it again, nor what its reader wrote.
func TestGoingOn_CountsProposalsAndChanges(t *testing.T) {
	blue, red := duo(t)
	_, assembled := blue.call("context_assemble", arguments{"session": "RS-pair"})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	blue.must(first(blue.call("inbox", nil)), "the disk is slow")
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	blue.call("inbox", nil)
	disk := "H1"
	if words, _ := blue.call("session_show", arguments{"session": "RS-pair", "brief": true}); strings.Contains(words, "H2: Disk") {
		disk = "H2"
	}
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("KILL", disk, "hypothesis_slate", `{"reason":"measured twice"}`, "")})
	blue.must(first(blue.call("inbox", nil)), "measured twice")
	words, assembled := blue.call("context_assemble", arguments{"session": "RS-pair", "after": assembled["invocation"]})
	blue.must(words, "- RS-pair@3: given to you before, unchanged")
	blue.mustNot(words, "the disk is slow", "the parser is slow", "measured twice")

	mine := strings.Replace("H1H2", disk, "", 1)
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", mine, "hypothesis_slate", `{"claim":"the lexer is slow"}`, "")})
	words, assembled = blue.call("context_assemble", arguments{"session": "RS-pair", "after": assembled["invocation"]})
	blue.must(words, "Parser · changed by RedSky\nClaim: the lexer is slow\nWas: the parser is slow\n")
	blue.mustNot(words, "Mechanism", "measured twice")
	blue.must(first(blue.call("context_assemble", arguments{"session": "RS-pair", "after": assembled["invocation"]})), "- RS-pair@4: given to you before, unchanged")
}

// C34: what one tool gave, another does not give again: a document that a context
// showed, whatever version it has now, and one that artifact_get showed.
func TestGiven_CountsAcrossTools(t *testing.T) {
	blue, red := duo(t) // their contexts show version 1
	both(blue, red)
	words, _ := blue.call("session_show", arguments{"session": "RS-pair"})
	blue.must(words, "the disk is slow")
	blue.mustNot(words, "Why?")
	red.must(first(red.call("artifact_get", arguments{"ref": "RS-pair"})), "the parser is slow")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair"})), "unchanged: you were given it")

	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the lexer is slow"}`, "")})
	words, _ = blue.call("session_show", arguments{"session": "RS-pair", "since": 2})
	blue.must(words, "### H1: Parser · changed by RedSky\nClaim: the lexer is slow\nWas: the parser is slow\n")
	blue.mustNot(words, "Mechanism")
	words, _ = blue.call("session_show", arguments{"session": "RS-pair"})
	blue.must(words, "unchanged: you were given it") // the item as it was, and what changed in it
	blue.must(first(blue.call("artifact_get", arguments{"ref": "RS-pair", "since": 1})), "RS-pair@3")
}

// C20, C34: where a context is spent, reading goes on in one that goes on from it, whose budget
// alone begins anew: nobody has to ask for that, no page is a shred, and nothing is missing.
func TestArtifactGet_GoesOnWhenAContextIsSpent(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	blue, red := duo(t)
	line := "many words that cost something to read\n"
	red.call("artifact_write", analysis("long", arguments{"content": arguments{"format": "text", "data": strings.Repeat(line, 6000)}}))
	read, offset, renewed := 0, 0, 0
	for pages := 0; ; pages++ {
		words, data := blue.call("artifact_get", arguments{"ref": "long", "offset": offset})
		here := strings.Count(words, line[:len(line)-1])
		read += here
		next, _ := data["next_offset"].(float64)
		if offset = int(next); offset == 0 {
			break
		}
		if offset != read*len(line) || pages > 40 || here < 100 {
			t.Fatalf("page %d: %d lines, and goes on at %d", pages, here, offset)
		}
		if _, spent, found := strings.Cut(words, " was spent: ctx-"); found {
			renewed++
			blue.must(spent, " goes on from it, with ", " tokens for what you ask to read\n")
		}
	}
	if read != 6000 || renewed < 2 {
		t.Errorf("%d of 6000 lines, in %d contexts more", read, renewed)
	}
	// What was given before still counts, and so does whatever else is read.
	blue.must(first(blue.call("artifact_get", arguments{"ref": "long"})), "unchanged: you were given it")
	for range 60 {
		blue.call("artifact_search", arguments{"text": "words that cost"})
	}
	if blue.errors > 0 {
		t.Errorf("%d refusals", blue.errors)
	}
}

// C15, C34: of an artifact, what changed after a version one knows.
func TestArtifactGet_Since(t *testing.T) {
	blue, red := duo(t)
	red.call("artifact_write", analysis("log", arguments{"content": arguments{"format": "text", "data": "first\nsecond\nthird\n"}}))
	red.call("artifact_write", arguments{"id": "log", "summary": "what log says now", "content": arguments{"format": "text", "data": "first\nSECOND\nthird\n"}})
	words, data := blue.call("artifact_get", arguments{"ref": "log", "since": 1})
	blue.must(words, "log@2", "-second", "+SECOND")
	if data["version"] != 2.0 {
		t.Errorf("the data are of %v", data["version"])
	}
}

// X11: a content that is a text may be sent as one.
func TestArtifactWrite_TakesATextAlone(t *testing.T) {
	blue, red := duo(t)
	red.call("artifact_write", arguments{"type": "analysis_result", "id": "log", "summary": "a log", "content": "ten an hour\n"})
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log@1"})), "ten an hour")
	_, words, err := answered[map[string]any](t.Context(), red.session, "artifact_write", arguments{"type": "analysis_result", "summary": "a log", "content": arguments{"format": "text", "data": "x", "size": 1}})
	if err == nil || !strings.Contains(words, "INVALID_JSON") {
		t.Errorf("%v: %s", err, words)
	}
}

// X11: where a text is to be JSON, JSON is taken in its place: nobody has to write one within another.
func TestTools_TakeJSONForATextOfIt(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	delta := jsontext.Value(`{"operation":"ADD","section":"assumption_ledger","target_id":null,"payload":{"name":"Rows are short","statement":"at most \"eighty\" bytes","load":"H1","test":"count"},"rationale":"r"}`)
	red.must(first(red.call("delta_submit", arguments{"session": "RS-pair", "text": []jsontext.Value{delta}, "dry_run": true})), "ADD")
	words := first(red.call("artifact_write", arguments{
		"type": "analysis_result", "id": "log", "summary": "a log", "session": "RS-pair", "deltas": delta,
		"content": "ten rows\n",
	}))
	red.must(words, "wrote log@1", "A1")
	red.call("artifact_write", analysis("rows", arguments{"content": "10 rows\n"}))
	red.must(first(red.call("patch_apply", arguments{"ref": "rows@1", "summary_holds": true, "patch": jsontext.Value(`{"old_string":"10 rows","new_string":"20 rows"}`)})), "rows@2")
	blue.must(first(blue.call("artifact_get", arguments{"ref": "rows@2"})), "20 rows")
}

// C34: a part of a text is read by the number under which it is cited, and only that is charged;
// who has read all of it has its parts.
func TestArtifactGet_GivesThePartThatIsCited(t *testing.T) {
	blue, red := duo(t)
	text := "# Log\n\n## .1 Rates\n" + strings.Repeat("ten an hour\n", 400) + "\n## .2 Remedies\nnone yet\n\n## .3 Code\n" + strings.Repeat("x := 1\n", 400)
	red.call("artifact_write", analysis("log", arguments{"content": arguments{"format": "text", "data": text}}))
	left := func() float64 {
		_, data := blue.call("session_show", arguments{"session": "RS-pair", "again": true})
		return data["left"].(float64)
	}
	before := left()
	words := first(blue.call("artifact_get", arguments{"ref": "log@1.2"}))
	blue.must(words, "log@1, part .2\n", "## .2 Remedies\nnone yet")
	blue.mustNot(words, "ten an hour", "x := 1", "goes on")
	if cost := before - left(); cost > 200 {
		t.Errorf("a line took %v tokens", cost)
	}
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log@1.1"})), "log@1, part .1\n", "ten an hour")
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log@1.2"})), "unchanged: you were given it in this context")
	for _, c := range [][2]string{{"log@1.7", "it has 1, 2, 3"}, {"log@x.7", `"x" is not a version number`}} {
		_, words, err := answered[map[string]any](t.Context(), blue.session, "artifact_get", arguments{"ref": c[0]})
		if err == nil || !strings.Contains(words, c[1]) {
			t.Errorf("%s: %v: %s", c[0], err, words)
		}
	}
	blue.call("artifact_get", arguments{"ref": "log@1"})
	blue.must(first(blue.call("artifact_get", arguments{"ref": "log@1", "more": []any{"log@1.3"}})), "log@1")
}

// D26: what a reply names that is dead, gone or has changed is said.
func TestDeltaSubmit_SaysWhatItsAuthorCouldNotKnow(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"measured"}`, "")})
	red.call("artifact_write", analysis("log", nil))
	red.call("artifact_write", arguments{"id": "log", "summary": "again", "content": arguments{"format": "text", "data": "again, see log@2 and logs@4\n"}})
	words, _ := blue.call("delta_submit", arguments{
		"session": "RS-pair", "text": deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"H2 and log@1 and log@7 and [[nowhere@2]], as RS-scratch@2 and oxygen@1 had"}`, ""),
	})
	blue.must(words, "KILLED_REFERENCE: H2 is named, and RedSky has killed it", "REFERENCE_MOVED: log@1 is named, and log is at version 2 by now",
		"DANGLING_REFERENCE: log@7 is named, and log is at version 2", "DANGLING_REFERENCE: named, and not an artifact here: nowhere@2\n")
	blue.mustNot(words, "RS-scratch", "oxygen") // of another project
	blue.must(first(blue.call("artifact_write", analysis("note", arguments{"content": arguments{"format": "text", "data": "as log@9 says\n"}}))), "DANGLING_REFERENCE: log@9")
	// Who was given the newer version names the earlier one as that.
	stale := analysis("stale", arguments{"content": arguments{"format": "text", "data": "log@1 was slower\n"}})
	blue.must(first(blue.call("artifact_write", stale)), "REFERENCE_MOVED: log@1 is named, and log is at version 2 by now")
	blue.call("artifact_get", arguments{"ref": "log@2", "again": true})
	stale["id"] = "compared"
	blue.mustNot(first(blue.call("artifact_write", stale)), "REFERENCE_MOVED")
	blue.mustNot(blue.submits(deltaBlock("ADD", "", "anomaly_register", `{"name":"Even","observation":"log@1 says otherwise"}`, "")), "REFERENCE_MOVED")
}

// D26: what stands in code or is a piece of a path names no artifact, and a name at the
// beginning of a line is read as it stands; what is known is looked up wherever it is.
func TestDeltaSubmit_CodeAndPathsNameNothing(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("artifact_write", analysis("log", nil))
	add := func(text string) arguments {
		return arguments{"session": "RS-pair", "text": deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"`+text+`"}`, "")}
	}
	blue.mustNot(first(blue.call("delta_submit", add("it runs `left-pad@1`, ``a `nowhere@2` b``, uses: actions/checkout@4, x@1.2.3 and git@7/main\\nlog@1 shows it"))), "DANGLING_REFERENCE", "REFERENCE_MOVED")
	blue.mustNot(first(blue.call("delta_submit", add("it printed 'memo@2 draft → canonical', and (\\\"oxygen@1 gone\\\"):\\n> memo@3 is there\\nBlueLake$ brenner promote memo@4"))), "DANGLING_REFERENCE")
	words, _ := blue.call("delta_submit", add("`log@9` and a stray ` before\\nnowhere@3"))
	blue.must(words, "DANGLING_REFERENCE: log@9 is named, and log is at version 1", "not an artifact here: nowhere@3\n")
	// What is quoted is of another project.
	words = first(blue.call("artifact_write", arguments{"type": "paper_note", "summary": "Quoted", "content": map[string]any{"format": "text", "data": "It printed `log@9 draft` there."}}))
	blue.mustNot(words, "DANGLING_REFERENCE")
}

// D26: that a test was run is believed with what came out; else the answer has the
// delta that says it.
func TestDeltaSubmit_ATestThatWasRunHasAResult(t *testing.T) {
	s, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow") + hypothesis("Disk", "", "the disk is slow"))
	test := func(more string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow","H2":"fast"}`+more+`}`, "")
	}
	red.submits(test("") + test(`,"status":"planned, not run yet"`))
	edit := func(payload string) string { return deltaBlock("EDIT", "T1", "discriminative_tests", payload, "") }
	words := red.submits(edit(`{"status":"Passed","last_run":{"at":"2026-01-01T00:00:00Z","by":"RedSky"}}`))
	red.must(words, "T1: applied", "NO_RESULT: the status of T1 says that it was run, and nothing says what came out", `"target_id":"T1"`)
	corrected := words[strings.Index(words, `{"operation":"EDIT"`):]
	corrected, _, _ = strings.Cut(corrected, "\n")
	mended := red.submits("```delta\n" + corrected + "\n```\n")
	red.must(mended, "T1: applied", "2026-01-01T00:00:00Z; RedSky; command, commit, sample") // what it said before stays
	red.mustNot(mended, "NO_RESULT")
	red.mustNot(red.submits(edit(`{"status":"failed"}`)), "NO_RESULT") // what came out stands there
	red.mustNot(red.submits(deltaBlock("EDIT", "T2", "discriminative_tests", `{"status":"run","last_run":{"result":"log@1: 3 ms"}}`, "")), "NO_RESULT")
	red.mustNot(red.submits(deltaBlock("EDIT", "T2", "discriminative_tests", `{"status":"to be run again"}`, "")), "NO_RESULT")
	future := s.clock().Add(48 * time.Hour).UTC()
	for _, ran := range []string{future.Format("2006-01-02T15:04Z"), future.Format("2006-01-02 15:04 UTC, on two disks"), future.Format(time.RFC3339), future.Format(time.DateOnly)} {
		red.must(red.submits(edit(`{"last_run":"`+ran+`"}`)), "TIMESTAMP_SKEW: last_run says ")
	}
	red.must(red.submits(edit(`{"last_run":{"by":"RedSky","at":"`+future.Format(time.DateTime)+`"}}`)), "TIMESTAMP_SKEW")
	red.mustNot(red.submits(edit(`{"last_run":"`+s.clock().UTC().Format("2006-01-02T15:04Z")+`, to be repeated in 9999"}`)), "TIMESTAMP_SKEW")
	red.must(red.submits(test(`,"status":"refuted by measurement"`)), "NO_RESULT")
	red.mustNot(red.submits(test(`,"status":"run","actual_outcomes":{"H1":"slow"}`)), "NO_RESULT")
}

// D27: who has nothing to add says so, and why; that is an answer, in every round
// anew, and the record says what it was. With deltas it is a contradiction.
func TestDeltaSubmit_NothingToAdd(t *testing.T) {
	blue, red := duo(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	nothing := arguments{"session": "RS-pair", "nothing": true, "text": "the parser says it already"}
	_, _, err := answered[arguments](t.Context(), red.session, "delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": hypothesis("Disk", "", "d")})
	if brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("nothing, and a delta: %v", err)
	}
	red.must(first(red.call("delta_submit", nothing)), "you have nothing to add; that is your answer", "compiled: RS-pair@2", "RS-pair: BlueLake added H1.", "the parser is slow")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), "now: all have answered; RedSky had nothing to add")
	red.must(first(red.call("inbox", nil)), "stop here if you would have nothing to say to it", `session_show {"session":"RS-pair","brief":true}`)
	words, _ := red.call("session_show", arguments{"session": "RS-pair", "brief": true})
	red.must(words, "- RT: Why?", "- H1: Parser: the parser is slow · by BlueLake")
	red.mustNot(words, "Mechanism")
}

// C16: what one asked for one may take back. X11: work that is much like another's
// is named to who asks for it, and to who is at the other.
func TestRequest_NamesWhatIsAlikeAndIsTakenBack(t *testing.T) {
	blue, red := duo(t)
	ask := func(title, spec string) arguments {
		return arguments{"session": "RS-pair", "claim": true, "title": title, "spec": spec}
	}
	_, one := blue.call("request", ask("Measure the parser on large files", "Time the parser on three files."))
	red.mustNot(first(red.call("request", ask("Look for leaks of handles", "Count the handles."))), "may overlap")
	words, two := red.call("request", ask("Time the parser with large files", "Measure the parser."))
	red.must(words, fmt.Sprintf("may overlap: %s Measure the parser on large files (BlueLake is at it since ", one["id"]), fmt.Sprintf(`task_release {"cancel":"as %s","id":"%s"}`, one["id"], two["id"]))
	blue.must(first(blue.call("inbox", nil)), fmt.Sprintf("%s, which RedSky has just opened, may overlap with %s, which is yours: Time the parser with large files", two["id"], one["id"]))
	red.must(first(red.call("artifact_get", arguments{"ref": one["id"]})), "is a task", "Measure the parser on large files", "BlueLake")
	red.must(first(red.call("task_release", arguments{"id": two["id"], "cancel": "BlueLake does it"})), "canceled")
	if _, _, err := answered[arguments](t.Context(), red.session, "task_release", arguments{"id": one["id"], "cancel": "why not"}); brenner.CodeOf(err) != brenner.CodeTaskNotYours {
		t.Errorf("another's task: %v", err)
	}
}

// X11: who divides the work says so in the one line that announces its own part, and the
// others are told. Where two overlap the earlier stands, each is told once, whole, and
// what was settled is not said again.
func TestRequest_TheWorkIsDivided(t *testing.T) {
	_, blue, red := pair(t)
	claim := func(p *player, title string) (string, string) {
		words, data := p.call("request", arguments{"session": "RS-pair", "claim": true, "title": title})
		return words, data["id"].(string)
	}
	title := "I try README, docs/operations.md, docs/guide-pi.md, docs/runs.md, whatever they say of refusals; RedSky: guide-agents.md, protocol.md"
	_, one := claim(blue, title)
	red.must(first(red.call("inbox", nil)), "BlueLake divides the work in RS-pair ("+one+")", "a colleague's proposal: your own instructions come first. You need not claim it", "> "+title)
	red.must(first(red.call("session_show", arguments{"session": "RS-pair"})), "under way: "+one+" (BlueLake, until ")
	blue.must(first(blue.call("status", nil)), title)

	words, two := claim(red, "I try operations.md, threat-model.md and runs.md with the binary")
	red.must(words, "may overlap: "+one+" "+title+" (BlueLake is at it since ", "the earlier stands: do only the rest of yours")
	blue.must(first(blue.call("inbox", nil)), two+", which RedSky has just opened, may overlap with "+one)
	red.must(first(red.call("task_release", arguments{"id": two, "cancel": "as " + one})), "canceled", "meanwhile: nothing new of others")
	blue.mustNot(first(blue.call("inbox", nil)), "OVERLAP", "may overlap") // it is settled
	words, _ = claim(red, "I try threat-model.md, and operations.md with runs.md where BlueLake stops")
	red.mustNot(words, "may overlap")
	words, _ = claim(red, "I try guide-agents.md and protocol.md")
	red.mustNot(words, "may overlap")
	blue.mustNot(first(blue.call("inbox", nil)), "may overlap")

	_, _, err := answered[arguments](t.Context(), red.session, "request", arguments{"session": "RS-pair", "claim": true, "title": strings.Repeat("x", 601)})
	if e, ok := errors.AsType[*brenner.Error](err); !ok || !strings.Contains(e.Hint, "it has 601") || len(e.Actions) != 1 || utf8.RuneCountInString(e.Actions[0].Args["title"]) != 600 {
		t.Errorf("a long title: %v", err)
	}
	_, _, err = answered[arguments](t.Context(), red.session, "request", arguments{"session": "RS-pair", "role": "pi", "title": strings.Repeat("y", 201), "spec": "z"})
	if e, ok := errors.AsType[*brenner.Error](err); !ok || e.Actions[0].Args["spec"] != strings.Repeat("y", 201)+"\n\nz" {
		t.Errorf("a long title of what is asked for: %v", err)
	}
}

// X11: the first who was asked divides the work in parts of their own. Till then the
// others are told who divides and how long they wait for it; then each is told its part,
// where it looks, and whoever announces what was left to another is told that this stands.
func TestRequest_PartsOfTheWork(t *testing.T) {
	s := newStage(t)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}))
	player := func(name brenner.ActorName) *player { return &player{t: t, name: name, session: s.session(name)} }
	blue, red, green := player("BlueLake"), player("RedSky"), player("GreenValley")
	blue.must(first(blue.call("inbox", nil)), "made for you, it stands below", "still to be read: inbox {}") // of another session, which it is alone in
	words := first(blue.call("inbox", nil))
	blue.must(words, "You divide the work, before anything else", `"deltas":"…","parts":["RedSky:…"]`, "it stands below, and what is recorded that bears on your part comes with it", "# Context for BlueLake", "you divide the work, and the others wait for that until ")
	words = first(red.call("inbox", nil))
	red.must(words, "BlueLake divides the work: `inbox {\"wait\":60}` brings your part, which you need not claim", "BlueLake has until ", "without a part by then, go ahead", "# Context for RedSky")
	red.must(first(red.call("inbox", nil)), "BlueLake has until ")
	green.call("inbox", nil)

	parts := []any{"RedSky: measure the parser on large files, cold and warm", "GreenValley: read the logs of the disk in May"}
	words, data := blue.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I look at the cache", "parts": parts})
	task := data["id"].(string)
	blue.must(words, "told their parts, which stand above what is announced later: RedSky, GreenValley")
	red.must(first(red.call("inbox", arguments{"wait": 60})), "BlueLake divides the work in RS-pair ("+task+"). Your part (data):\n\n> measure the parser on large files, cold and warm\n", "a colleague's proposal: your own instructions come first",
		"GreenValley: read the logs of the disk in May")
	red.must(first(red.call("context_assemble", arguments{"session": "RS-pair"})), "your part, as BlueLake divides the work ("+task+", data): measure the parser on large files")

	// Who has not looked, and announces another's part, is told both in one answer.
	words, data = green.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I measure the parser with large files"})
	green.must(words, "your part: as BlueLake divided it ("+task+")\n",
		"may overlap with what BlueLake left to RedSky ("+task+", data): measure the parser on large files", "that stands: do only the rest of yours", "> read the logs of the disk in May")
	green.mustNot(first(green.call("inbox", nil)), "divides the work in RS-pair") // it was told
	red.must(first(red.call("inbox", nil)), data["id"].(string)+", which GreenValley has just announced, may overlap with the part that BlueLake left to you")
	// Whose part it is, and who announces that too, is not told that the other stands.
	words = first(red.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I measure the parser on large files, cold"}))
	red.must(words, "may overlap: "+data["id"].(string), "your part stands, as the work was divided: GreenValley was told to leave it to you\n")
	red.mustNot(words, "the earlier stands")
	green.mustNot(first(green.call("inbox", nil)), "is the earlier and stands")
	green.mustNot(first(green.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I read the logs of the disk in May"})), "may overlap")

	for name, in := range inOrder(map[string]arguments{
		"not one who was asked": {"session": "RS-pair", "claim": true, "title": "t", "parts": []any{"GreyStone: x"}},
		"two parts of one":      {"session": "RS-pair", "claim": true, "title": "t", "parts": []any{"RedSky: x", "RedSky: y"}},
		"without a name":        {"session": "RS-pair", "claim": true, "title": "t", "parts": []any{"the rest"}},
		"without a claim":       {"session": "RS-pair", "role": "pi", "spec": "s", "title": "t", "parts": []any{"RedSky: x"}},
		"too long":              {"session": "RS-pair", "claim": true, "title": "t", "parts": []any{"RedSky: " + strings.Repeat("x", 1001)}},
		"without a session":     {"claim": true, "title": "t", "parts": []any{"RedSky: x"}},
	}) {
		if _, _, err := answered[arguments](t.Context(), blue.session, "request", in); brenner.CodeOf(err) != brenner.CodeInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// measurements are a text of many lines, each of its own.
func measurements(id string, lines int) arguments {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%s: run %d took %d ms\n", id, i, i*7)
	}
	return arguments{"content": arguments{"format": "text", "data": b.String()}}
}

// C34: a context that goes on from one for the same work sends what is new and no more:
// what was a summary there stays one, and is named. A task of the session that rests on
// it is given it whole.
func TestGoingOn_DoesNotSendWhatNobodyOpened(t *testing.T) {
	blue, red := duo(t)
	for i := range 6 {
		id := fmt.Sprintf("log%d", i)
		red.call("artifact_write", analysis(id, measurements(id, 200)))
	}
	both(blue, red)
	blue.call("inbox", nil)
	words, assembled := blue.call("context_assemble", arguments{"session": "RS-pair"})
	summarised := ""
	for i := range 6 {
		if id := fmt.Sprintf("log%d", i); !strings.Contains(words, id+": run 7 ") {
			summarised = id
		}
	}
	if summarised == "" {
		t.Fatal("all of them fit one context")
	}
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Net", "", "the net is slow")})
	red.call("artifact_write", analysis("late", measurements("late", 200)))
	words, second := blue.call("context_assemble", arguments{"session": "RS-pair", "after": assembled["invocation"]})
	blue.must(words, "the net is slow", "late: run 7 ", "- "+summarised+"@1: its summary was given to you before, unchanged")
	blue.mustNot(words, summarised+": run 7 ", "the disk is slow")
	words, _ = blue.call("context_assemble", arguments{"session": "RS-pair", "after": second["invocation"]})
	blue.mustNot(words, "run 7 ", "the net is slow")
	if len(words) > 2500 {
		t.Errorf("nothing is new, and %d bytes were sent:\n%s", len(words), words)
	}

	_, task := red.call("request", arguments{"session": "RS-pair", "role": "hypothesis_generator", "title": "Look again", "spec": "Explain it.", "about": []string{summarised + "@1"}})
	words, _ = blue.call("context_assemble", arguments{"task": task["id"], "after": second["invocation"]})
	blue.must(words, summarised+": run 7 ")
	blue.must(first(blue.call("context_assemble", arguments{"session": "RS-pair"})), ": run 7 ") // who does not go on is given all
}

// C34: who read a text page by page has it, and who was given what changed in a text it
// has, or in one that it wrote; a context that goes on sends no more than the difference.
func TestGoingOn_CountsPagesDifferencesAndOnesOwn(t *testing.T) {
	blue, red := duo(t)
	red.call("artifact_write", analysis("long", measurements("long", 850)))
	red.call("artifact_write", analysis("short", measurements("short", 60)))
	change := func(ref, old string) {
		red.call("patch_apply", arguments{"ref": ref, "patch": fmt.Sprintf(`{"old_string":"%s","new_string":"%s again"}`, old, old), "summary_holds": true})
	}
	_, begun := blue.call("context_assemble", arguments{"session": "RS-pair"})
	pages := 0
	for offset := any(0); offset != nil; pages++ {
		_, data := blue.call("artifact_get", arguments{"ref": "long", "offset": offset})
		offset = data["next_offset"]
	}
	if pages < 2 {
		t.Fatalf("it came in %d pages", pages)
	}
	change("short@1", "short: run 3 took")
	blue.must(first(blue.call("artifact_get", arguments{"ref": "short", "since": 1})), "+short: run 3 took again")
	blue.call("artifact_write", analysis("mine", measurements("mine", 60)))
	change("mine@1", "mine: run 3 took")
	words, second := blue.call("context_assemble", arguments{"session": "RS-pair", "after": begun["invocation"]})
	blue.must(words, "- long@1: given to you before, unchanged", "- short@2: given to you before, unchanged",
		"What changed after mine@1, which you wrote:", "+mine: run 3 took again")
	blue.mustNot(words, "run 40 ")
	change("long@1", "long: run 3 took")
	words, _ = blue.call("context_assemble", arguments{"session": "RS-pair", "after": second["invocation"]})
	blue.must(words, "What changed after long@1, which you were given:", "+long: run 3 took again", "- mine@2: given to you before, unchanged")
	blue.mustNot(words, "run 40 ")
}

// C34, D27: a compile does not send again what its reader was shown as it was proposed,
// also if that came in several deltas, edits or kills, or has an edit of the reader's own
// beside it; it names it. What was not shown, or came otherwise, is sent.
func TestCompiled_DoesNotSendWhatWasSeenAsProposed(t *testing.T) {
	s, blue, red := pair(t)
	send := func(p *player, blocks ...string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-pair", "text": strings.Join(blocks, "")}))
	}
	edit := func(target, payload string) string {
		return deltaBlock("EDIT", target, "hypothesis_slate", payload, "")
	}
	send(red, hypothesis("Disk", "H-D", "the disk is slow"), edit("H-D", `{"claim":"the disk is slow when cold"}`), hypothesis("Net", "H-N", "no disk, as in H-D"))
	blue.must(first(blue.call("inbox", nil)), "the disk is slow when cold")
	words := send(blue, hypothesis("Parser", "H-P", "the parser is slow"), edit("RedSky:H-D", `{"mechanism":"it seeks"}`))
	blue.must(words, "compiled: RS-pair@2", "compiled as RedSky proposed them to you: H1: Disk; H2: Net\n")
	blue.mustNot(words, "when cold", "the disk is slow")
	red.must(first(red.call("inbox", nil)), "Mechanism: it seeks", "the parser is slow")

	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}, Note: "go on"}))
	blue.call("inbox", nil)
	red.call("inbox", nil)
	send(red, edit("H3", `{"claim":"the parser is slow on large files"}`), deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"no net here"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "on large files", "no net here")
	send(red, edit("H1", `{"claim":"the disk is slow, and full"}`)) // which blue is not shown before the compile
	words = send(blue, edit("H1", `{"mechanism":"it seeks, and waits"}`))
	blue.must(words, "compiled as RedSky proposed them to you: H3: Parser; H2: Net\n", "the disk is slow, and full")
	blue.mustNot(words, "on large files", "no net here")
	words, _ = blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H2", "H3"}, "again": true})
	blue.must(words, "on large files", "no net here")
}

// D27: who wrote something that names an item is told when another changes that, with
// what changed, also when its context has no room left; and where what changed stands
// below, only once. Of an item that was edited and then killed both are shown.
func TestCompiled_TellsWhoNamesWhatWasChanged(t *testing.T) {
	s, blue, red := pair(t)
	send := func(p *player, blocks ...string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-pair", "text": strings.Join(blocks, "")}))
	}
	edit := func(target, payload string) string {
		return deltaBlock("EDIT", target, "hypothesis_slate", payload, "")
	}
	send(red, hypothesis("Disk", "", "the disk is slow"), hypothesis("Net", "", "the net is slow"))
	send(blue, deltaBlock("ADD", "", "adversarial_critique", `{"name":"One machine","attack":"H1 was seen on one machine only"}`, ""))
	blue.call("inbox", nil)
	send(red, edit("H1", `{"claim":"the disk is slow when cold"}`), edit("H2", `{"claim":"the net is slow at night"}`))
	words, _ := blue.call("inbox", nil)
	blue.must(words, "Changed by others, as below, and named in yours: H1 (C1)\n", "Claim: the disk is slow when cold")
	blue.mustNot(words, "H2, which", "; H2")
	if n := strings.Count(words, "the disk is slow when cold"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, words)
	}

	spent := 0
	for i := range 12 { // more than a context has room for as news: they come through the next (ADR 0221)
		send(red, assumption(fmt.Sprintf("Disk %d", i), strings.Repeat(fmt.Sprintf("slow %d ", i), 750)))
		words, _ := blue.call("inbox", nil)
		spent += strings.Count(words, " was spent: ctx-")
		if n := strings.Count(words, fmt.Sprintf("slow %d ", i)); n < 700 { // but where a line is broken
			t.Errorf("of what is new it was told %d of 750 words", n)
		}
	}
	if spent == 0 {
		t.Error("all of it had room in one context")
	}
	red.call("artifact_write", analysis("long", measurements("long", 6000)))
	for err := error(nil); err == nil; { // till nothing more fits
		_, err = s.local("BlueLake").Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "long", Version: 1}, Again: true, Size: 4000})
	}
	send(red, edit("H1", `{"mechanism":"it seeks"}`))
	send(red, deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"measured twice`+strings.Repeat(", and once more", 100)+`"}`, ""))
	words, _ = blue.call("inbox", nil)
	blue.must(words, "named in yours: H1 (C1)", "Killed by: RedSky", "Reason: measured twice, and once more")
	if n := strings.Count(words, "measured twice"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, words)
	}
}
