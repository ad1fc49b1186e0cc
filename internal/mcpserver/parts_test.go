package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// D5, C33: two agents change parts of one text over the tools before it is compiled:
// both stand, neither is told that it was overtaken, and who quotes what is not there
// any more is shown what is.
func TestDeltas_PartsOfOneText(t *testing.T) {
	_, blue, red := pair(t)
	submit := func(p *player, text string, more ...any) string {
		args := arguments{"session": "RS-pair", "text": text}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		words, _ := p.call("delta_submit", args)
		return words
	}
	part := func(old, now string) string {
		return deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":{"old":"`+old+`","new":"`+now+`"}}`, "")
	}
	submit(blue, hypothesis("Parser", "", "the parser is slow on long lines, and the printer waits for it"))
	submit(red, hypothesis("Disk", "", "the disk is slow"))
	blue.must(submit(blue, part("the printer", "the old printer"), "dry_run", true), "claim would say (data): the parser is slow on long lines, and the old printer waits for it", "nothing was kept")
	first := part("long lines", "lines over 4 kB")
	blue.must(submit(blue, first), ": applied", "claim now says (data): the parser is slow on lines over 4 kB, and the printer waits for it")
	red.must(submit(red, part("the printer", "every printer")), ": applied")
	blue.must(submit(blue, first), "handed in before; nothing changed", "applied: EDIT H1")
	words := submit(red, part("long lines", "many lines")+hypothesis("Net", "", "the net is slow"))
	red.must(words, "ANCHOR_NOT_FOUND: the words of old do not stand in claim of H1, which RedSky wrote at", "(at /payload/claim/old)",
		"nearest, claim says (data): the parser is slow on lines over 4 kB, and every printer waits for it")
	words, _ = blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})
	blue.must(words, "Claim: the parser is slow on lines over 4 kB, and every printer waits for it")
	words = submit(blue, part("no such words", "x"))
	blue.must(words, "no answer yet")
}

// C34, D19: who was given an item is shown of a long text that another changed the
// passages that did, and how to read it whole; what is proposed is shown as a part too.
func TestDeltas_PartsOfLongTextsAreShown(t *testing.T) {
	_, blue, red := pair(t)
	long := strings.TrimSpace(strings.Repeat("the parser reads every line twice and the printer waits for it, ", 10))
	submit := func(p *player, text string) string {
		words, _ := p.call("delta_submit", arguments{"session": "RS-pair", "text": text})
		return words
	}
	submit(blue, hypothesis("Parser", "", long+" until the end"))
	words := submit(red, hypothesis("Disk", "", "the disk is slow"))
	more, _ := red.call("session_show", arguments{"session": "RS-pair"})
	red.must(words+more, "until the end")
	blue.must(submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":{"old":"until the end","new":"until the buffer is full"}}`, "")),
		"claim now says (data): … waits for it, until the [-end-]{+buffer is full+}\n")
	words, _ = red.call("inbox", arguments{})
	changed := "### H1: Parser · changed by BlueLake\nClaim: [625 characters as before] waits for it, until the [-end-]{+buffer is full+}\n"
	whole := `whole: session_show {"session":"RS-pair","items":["H1"],"again":true}`
	red.must(words, changed, whole)
	red.mustNot(words, "twice and the printer")
	words, _ = red.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})
	red.must(words, "Claim: "+long+" until the buffer is full")
	submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":{"old":"until the buffer","new":"until its buffer"}}`, ""))
	words, _ = red.call("session_show", arguments{"session": "RS-pair"})
	red.must(words, "waits for it, until [-the-]{+its+} buffer is full\n", whole)
	red.mustNot(words, "twice and the printer")
	words, _ = blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}})
	blue.must(words, "Claim: "+long+" until its buffer is full")
}

// C34, D27: of a long text that another proposes to write anew, who has the item is shown
// the passages that would change, and the whole when it asks for it again.
func TestProposals_OfLongTextsAreShownWhereTheyChange(t *testing.T) {
	s, blue, red := pair(t)
	long := strings.TrimSpace(strings.Repeat("the parser reads every line twice and the printer waits for it, ", 10))
	blue.submits(hypothesis("Parser", "", long+" until the end"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.call("inbox", nil)
	blue.call("inbox", nil)
	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}})) // so that it waits for both once more
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"`+long+` until the buffer is full","mechanism":"lines are kept"}`, ""))
	words, _ := red.call("session_show", arguments{"session": "RS-pair"})
	red.must(words, "    claim: [625 characters as before] waits for it, until the [-end-]{+buffer is full+}\n    mechanism: lines are kept\n", "only where they would change")
	red.mustNot(words, "twice and the printer")
	words, _ = red.call("session_show", arguments{"session": "RS-pair", "again": true})
	red.must(words, "    claim: "+long+" until the buffer is full\n")
}

// D5: of a long text in which several places were replaced who did so is shown each place on
// a line of its own, and so is who has the text as it was.
func TestDeltas_PlacesOfALongTextStandOnLinesOfTheirOwn(t *testing.T) {
	blue, red := duo(t)
	calm := strings.Repeat("the mill turns and the water runs, ", 10)
	blue.submits(hypothesis("Mill", "", "Ice came first, "+calm+"snow came next, "+calm+"rain came last"))
	red.submits(hypothesis("Disk", "", "the disk is slow"))
	red.call("session_show", arguments{"session": "RS-pair"})
	words := blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":[{"old":"Ice","new":"Hail"},{"old":"snow","new":"sleet"},{"old":"rain","new":"fog"}]}`, ""))
	blue.must(words, "claim now says (data):\n    [-Ice-]{+Hail+} came first, the mill turns\n    … turns and the water runs, [-snow-]{+sleet+} came next, the mill turns\n    … turns and the water runs, [-rain-]{+fog+} came last\n")
	red.must(first(red.call("inbox", nil)), "Claim: [-Ice-]{+Hail+} came first, the mill turns\n    [", "characters as before] turns and the water runs, [-snow-]{+sleet+} came next, the mill turns\n    [")
}

// C34: who names an item that it was given only in parts, as proposed and as what changed, is
// given it whole; once it was, it is not sent again.
func TestSessionShow_GivesWholeWhatWasGivenInParts(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	red.call("inbox", nil)
	blue.submits(assumption("Still", "the water stands still"))
	red.must(first(red.call("inbox", nil)), "the water stands still")
	blue.submits(deltaBlock("EDIT", "A1", "assumption_ledger", `{"implication":"it was seen in May"}`, ""))
	said := first(red.call("inbox", nil))
	red.must(said, "it was seen in May")
	red.mustNot(said, "the water stands still")

	ask := arguments{"session": "RS-pair", "items": []string{"A1"}}
	said = first(red.call("session_show", ask))
	red.must(said, "the water stands still", "it was seen in May")
	red.mustNot(said, "unchanged")
	red.must(first(red.call("session_show", ask)), "unchanged: you were given it in this context")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "sections": []string{"assumption_ledger"}})), "unchanged: you were given it")
}
