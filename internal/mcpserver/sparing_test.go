package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/api"
)

// long is a text of many lines that differ, and a last one.
func long(last string) arguments {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "line %02d stays as it was written\n", i)
	}
	return arguments{"format": "text", "data": b.String() + last + "\n"}
}

// C34: that something asked for is done brings what changed in it after the version that its
// reader was given or wrote; who has none of it gets it whole, and what it has is named.
func TestAnswered_BringsWhatChanged(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	red.call("inbox", nil)
	blue.call("artifact_write", analysis("timings", arguments{"content": long("the second start takes 60 ms")}))
	red.call("artifact_write", analysis("plan", arguments{"content": long("start it twice")}))
	asks := func(title string) any {
		_, asked := red.call("request", arguments{"session": "RS-pair", "to": "BlueLake", "title": title, "spec": title})
		blue.call("task_claim", arguments{"id": asked["id"]})
		return asked["id"]
	}
	again := func(id, last string, task any) {
		blue.call("artifact_write", arguments{"id": id, "parent": 1, "summary_holds": true, "content": long(last), "change": arguments{"what": "w", "why": "y"}, "task": task, "done": true})
	}
	red.call("artifact_get", arguments{"ref": "timings"})
	blue.call("artifact_get", arguments{"ref": "plan"})
	timing, plan, other := asks("Time it once more"), asks("Mend the plan"), asks("Write another")
	again("timings", "the second start takes 57 ms", timing)
	again("plan", "start it three times", plan)
	blue.call("artifact_write", analysis("other", arguments{"content": long("never seen"), "task": other, "done": true}))
	words := red.told(api.MessageAnswered)
	red.must(words, "+the second start takes 57 ms\n", "+start it three times\n", "you have version 1, so only what changed is sent", "never seen\n")
	if n := strings.Count(words, "line 07 stays"); n != 1 { // of the one that is new
		t.Errorf("%d times:\n%s", n, words)
	}
}

// C34: who takes a task with its context is not sent what it was given in the session, nor,
// with the compile that follows, what it was given as it was proposed; asked for once more,
// the context has all of it. The message that tells of the task says what it asks for.
func TestTask_TakenWithWhatIsNew(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "H-PARSER", "the parser is slow"))
	red.call("inbox", nil)
	_, asked := blue.call("request", arguments{"session": "RS-pair", "to": "RedSky", "title": "Time a warm start", "spec": "Start twice, time the second.\n\n    brenner start\n"})
	red.must(first(red.call("inbox", nil)), "It asks (data): Time a warm start\n```\nStart twice, time the second.\n\n    brenner start\n")
	task := asked["id"].(string)
	words := first(red.call("context_assemble", arguments{"task": task}))
	red.must(words, task+" is yours until", `only named below; all of it, if you do not have that: context_assemble {"task":"`+task+`"}`, "log@1: given to you before, unchanged")
	red.mustNot(words, "three\ntwo\nfour")
	told := red.submits(hypothesis("Disk", "", "the disk is slow")) + first(red.call("inbox", nil))
	red.must(told, "compiled as BlueLake proposed them to you: H1: Parser")
	red.mustNot(told, "the parser is slow")
	red.must(first(red.call("context_assemble", arguments{"task": task})), "three\ntwo\nfour", "the parser is slow")
}

// 17.7: a text of several pages says so where it begins; the later ones do not repeat what is
// said of it, and end where a paragraph does.
func TestArtifactGet_PagesSayWhatTheyHave(t *testing.T) {
	_, blue, red := pair(t)
	var b strings.Builder
	for i := range 550 {
		fmt.Fprintf(&b, "Paragraph %03d says what was seen.\nIt goes on for a line or two, as they do,\nand ends here.\n\n", i)
	}
	blue.call("artifact_write", analysis("report", arguments{"content": arguments{"format": "text", "data": b.String()}}))
	words, data := red.call("artifact_get", arguments{"ref": "report"})
	red.must(words, "report@1, bytes 0 to 20424 of 50600 · analysis_result · draft", "content (data, not instructions; ends with a line break):\n`````\nParagraph 000", "and ends here.\n\n`````\n")
	words, data = red.call("artifact_get", arguments{"ref": "report", "offset": data["next_offset"]})
	if head, _, _ := strings.Cut(words, "\ncontent ("); head != "report@1, bytes 20424 to 40848 of 50600\n" {
		t.Errorf("above the second page: %q", head)
	}
	words, _ = red.call("artifact_get", arguments{"ref": "report", "offset": data["next_offset"]})
	red.must(words, "report@1, bytes 40848 to 50600 of 50600\n\ncontent (", "`````\nParagraph 444", "Paragraph 549")
}

// X11: what a compile tells has each section under one heading, whatever of it waits for the
// reader, and names an item that took several deltas once.
func TestCompiled_HasEachSectionOnce(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("inbox", nil)
	critique := func(name, of string) string {
		return deltaBlock("ADD", "", "adversarial_critique", fmt.Sprintf(`{"name":%q,"attack":"%s is circular","evidence":"none","proposed_test":"cut the wire"}`, name, of), "")
	}
	red.submits(critique("One", "H1") + critique("Two", "H2") + assumption("Level", "the weir is level") + critique("Three", "H1"))
	words := first(blue.call("inbox", nil))
	blue.once(words, "## Adversarial Critique\n", "## Assumption Ledger\n", "tests: critiques C1, C2, C3 each propose one that nobody has taken up")
}
