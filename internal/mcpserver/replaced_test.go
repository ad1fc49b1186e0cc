package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// D18, D27: whose text was replaced, or whose item was killed, is told so, with what it said,
// what stands there now, by whom and why.
func TestCompiled_YourTextWasReplaced(t *testing.T) {
	s, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.call("session_show", arguments{"session": "RS-pair"})
	red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the lexer is slow","mechanism":"each file"}`, ""))
	blue.must(blue.told(api.MessageCompiled), "Your text was replaced: claim, mechanism of H1 by RedSky, who says \"seen in the timings\"\n\nRS-pair@",
		"Claim: the lexer is slow\nWas: the parser is slow\n")
	// Where what changed does not stand below, the message has it.
	all, err := s.local("BlueLake").Inbox(t.Context(), api.InboxRequest{Page: api.Page{Limit: 20}})
	s.do(all, err)
	letter, err := s.local("BlueLake").ReadMessage(t.Context(), api.MessageRequest{ID: all.Messages[len(all.Messages)-1].ID})
	s.do(letter, err)
	blue.must(letter.Text, `Your text was replaced: claim of H1 by RedSky, who says "seen in the timings" (data): "the parser is slow" → "the lexer is slow"`)
	blue.edits("H1", `{"claim":"the lexer is slow on cold files"}`)
	red.must(red.told(api.MessageCompiled), "Your text was added to: claim of H1 by BlueLake, who says ", "Was: the lexer is slow\n")
	red.must(red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the lexer is slow on all files"}`, "")), "H1: applied")
	red.submits(deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"a warm start is as slow"}`, ""))
	blue.must(blue.told(api.MessageCompiled), `Your H1 was killed by RedSky, who says "a warm start is as slow".`)
	// Also where both was only proposed; one's own words are nobody's to tell of.
	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
	blue.call("inbox", nil)
	blue.edits("H2", `{"claim":"the disk is full"}`)
	red.must(first(red.call("inbox", nil)), "the disk is full")
	red.must(red.edits("H2", `{"claim":"the disk is old"}`), "applied; it takes the place of claim by BlueLake, proposed ")
	last := blue.told(api.MessageCompiled)
	blue.must(last, "Your text was replaced: claim of H2 by RedSky, who says ", "Claim: the disk is old\n")
}

// D18: of a long text of which a few words were changed it is not said that it was replaced.
func TestCompiled_WordsOfYourTextWereChanged(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"`+strings.Repeat("it reads each file twice, ", 40)+`as ten runs show"}`, ""))
	red.call("inbox", nil)
	red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":{"old":"as ten","new":"as nine"}}`, ""))
	words := blue.told(api.MessageCompiled)
	blue.must(words, "Words of your text were changed: claim of H1 by RedSky, who says ", "{+nine+}")
	blue.mustNot(words, "was replaced", "→") // what changed stands below
}

// D18: who writes in the place of another's text is told whose it is and in which version it
// stands, with a dry run and with the write; so is who replaces a part of it, or a cell.
func TestSubmit_SaysWhoseTextItReplaces(t *testing.T) {
	blue, red := duo(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow") + deltaBlock("ADD", "", "predictions_table", `{"condition":"cold","predictions":{"H1":"slow"}}`, ""))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.call("session_show", arguments{"session": "RS-pair"})
	edit := deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the lexer is slow"}`, "")
	dry := first(red.call("delta_submit", arguments{"session": "RS-pair", "text": edit, "dry_run": true}))
	red.must(dry, "it takes the place of claim by BlueLake in version 2\n")
	red.must(red.submits(edit), "it takes the place of claim by BlueLake in version 2\n")
	blue.call("session_show", arguments{"session": "RS-pair"})
	blue.must(blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":{"old":"lexer","new":"old lexer"}}`, "")), "claim, by RedSky in version 3, now says (data): the old lexer is slow\n")
	red.must(red.submits(deltaBlock("EDIT", "P1", "predictions_table", `{"predictions":{"H1":"slower"}}`, "")), "it takes the place of predictions.H1 by BlueLake in version 4\n", "you had not seen predictions.H1")
}

// D18: who asked for a change, with a critique, a request or a note, is not told that its text
// was replaced.
func TestCompiled_WhoAskedForAChangeIsNotToldOfIt(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	rewrite := func(claim string) string {
		red.call("session_show", arguments{"session": "RS-pair"})
		red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"`+claim+`"}`, ""))
		return first(blue.call("inbox", nil))
	}
	const replaced = "Your text was replaced: claim of H1"
	blue.must(rewrite("the lexer is slow"), replaced)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the parser is slow"}`, ""))
	blue.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Say it of all files, please", "note": true})
	said := rewrite("the parser is slow on all files read")
	blue.must(said, "on all files read")
	blue.mustNot(said, replaced)
	blue.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Wide","attack":"H2 says nothing of cold disks"}`, "") +
		deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the disk is slow, warm or cold"}`, ""))
	red.call("session_show", arguments{"session": "RS-pair"})
	red.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the cold disk is slow"}`, ""))
	said = first(blue.call("inbox", nil))
	blue.must(said, "the cold disk is slow")
	blue.mustNot(said, "Your text was replaced")
}

// D5: an EDIT with a part of last_run keeps the others, and its author is told how it reads.
func TestSubmit_KeepsThePartsOfARun(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("ADD", "", "discriminative_tests",
		`{"name":"Warm","procedure":"start it twice","discriminates":"H1 from H2","expected_outcomes":{"H1":"as slow","H2":"faster"},"last_run":{"by":"BlueLake","control":"an empty file","result":"as slow"}}`, ""))
	blue.must(blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"last_run":{"how":"by hand, 5 times"}}`, "")), "by hand, 5 times; control: an empty file; as slow")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"T1"}, "again": true})), "BlueLake; by hand, 5 times; control: an empty file; as slow")
}
