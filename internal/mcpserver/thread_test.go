package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// R10, C34: what the answer is comes whole and first, as it is proposed, when it is
// compiled, in the document and in short; other texts are cut first. Who has it is shown
// where it changed.
func TestThread_TheAnswerComesWhole(t *testing.T) {
	s, blue, red := pair(t)
	answer := "begin-mark" + strings.Repeat(" the parser, since a warm start is as slow as a cold one", 170) + " end-mark"
	if len(answer) < 2*brenner.MaxPassageBytes || len(answer) > brenner.MaxThreadBytes {
		t.Fatal(len(answer))
	}
	others := ""
	for _, name := range []string{"One", "Two", "Three", "Four", "Five", "Six"} {
		others += assumption(name, name+strings.Repeat(" is taken for granted in every run that was made", 75)+" "+name+"-end")
	}
	conclude := func(text string) string {
		return deltaBlock("EDIT", "RT", "research_thread", `{"answer":"`+text+`"}`, "")
	}
	blue.submits(others + hypothesis("Parser", "", "the parser is slow") + conclude(answer))
	words := red.bounded("proposed", first(red.call("inbox", nil)))
	red.must(words, answer, "One-end", "more than this answer holds: ", "; inbox {} brings it\n")
	red.mustNot(words, "Six-end", "RT goes on")
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.must(first(red.call("inbox", nil)), "Six-end")
	words = red.bounded("again", first(red.call("session_show", arguments{"session": "RS-pair", "again": true})))
	red.must(words, answer, "[goes on: ")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "Conclusion, by BlueLake: begin-mark")

	// Changed in a word, it comes as it stands to who has not had it, and else where it changed.
	now := strings.Replace(answer, "end-mark", "last-mark", 1)
	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
	blue.submits(conclude(now))
	red.must(first(red.call("session_show", arguments{"session": "RS-pair"})), now)
	red.submits(hypothesis("Net", "", "the net is slow"))
	red.call("context_assemble", arguments{"session": "RS-pair"}) // with room for more
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"RT"}})), now)
	blue.submits(conclude(answer))
	words = red.bounded("changed", first(red.call("inbox", nil)))
	red.must(words, "characters as before]", "[-last-mark-]{+end-mark+}")
	red.mustNot(words, answer)
}

// X11: who proposed something is not told so with all that comes; who asks for the document
// is, and who has a context that goes on from none.
func TestProposedByYou_IsSaidWhenAsked(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "H-PARSER", "the parser is slow"))
	const own = "proposed by you, not compiled yet: ADD H-PARSER (will be H1)"
	red.call("request", arguments{"session": "RS-pair", "items": []any{"H1"}, "title": "Which parser?", "note": true})
	blue.mustNot(first(blue.call("inbox", nil)), own)
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair"})), own)
	words, _ := blue.call("session_show", arguments{"session": "RS-pair", "since": 1})
	blue.mustNot(words, own)
	blue.must(words, "nothing of others has changed since version 1")
	words, data := blue.call("context_assemble", arguments{"session": "RS-pair"})
	blue.must(words, own)
	blue.mustNot(first(blue.call("context_assemble", arguments{"session": "RS-pair", "after": data["invocation"]})), own)
}
