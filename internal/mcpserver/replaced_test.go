package mcpserver_test

import (
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
	blue.must(blue.told(api.MessageCompiled), "Your text was replaced: claim of H1 by RedSky, who says \"seen in the timings\"\n", "Your text was replaced: mechanism of H1 by RedSky, who says ",
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
	red.must(red.edits("H2", `{"claim":"the disk is old"}`), "applied; it takes the place of claim by BlueLake")
	last := blue.told(api.MessageCompiled)
	blue.must(last, "Your text was replaced: claim of H2 by RedSky, who says ", "Claim: the disk is old\n")
}
