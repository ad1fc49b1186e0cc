package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// edits hands in an EDIT of a hypothesis.
func (p *player) edits(id, payload string) string {
	p.t.Helper()
	return p.submits(deltaBlock("EDIT", id, "hypothesis_slate", payload, ""))
}

// corrected is the block that a refusal shows.
func corrected(words string) string {
	_, rest, _ := strings.Cut(words, "yours in its place, or both in new: ")
	block, _, _ := strings.Cut(rest, "\n")
	return block
}

// C33, D10: an EDIT over words of another that its author was not shown is refused alone, at
// once, with these words, and with the block that puts its own in their place; who was shown
// them writes over them.
func TestSubmit_KeepsWhatItsAuthorHasNotSeen(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.call("session_show", arguments{"session": "RS-pair"})
	red.mustNot(red.edits("H1", `{"claim":"the lexer is slow"}`), "refused", "not been shown")

	said := blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the printer is slow","mechanism":"it blocks"}`, "") +
		deltaBlock("EDIT", "H1", "hypothesis_slate", `{"anchors":["log@1"]}`, "") + hypothesis("Net", "", "the net is slow"))
	blue.must(said, "#1 EDIT hypothesis_slate H1: refused: CONFLICT_HEAD: it would replace what you have not been shown of H1: claim by RedSky of ",
		"applied: EDIT H1\n", "H3", `"claim":{"old":"the lexer is slow","new":"the printer is slow"},"mechanism":"it blocks"`)
	blue.mustNot(said, "mechanism by")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})), "the lexer is slow")
	// Nothing is lost, and it takes one call.
	blue.must(blue.submits(corrected(said)), "H1: applied")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"H1"}, "again": true})), "the printer is slow", "it blocks")
	// Who was shown it with the refusal may as well write the whole field anew.
	red.submits(deltaBlock("EDIT", "H3", "hypothesis_slate", `{"claim":{"old":"net","new":"network"}}`, ""))
	blue.must(blue.edits("H3", `{"claim":"the net drops packets"}`), "CONFLICT_HEAD", `"old":"the network is slow"`)
	blue.must(blue.edits("H3", `{"claim":"the network drops packets"}`), "H3: applied; it takes the place of claim by RedSky")
}

// C33, D27: what others only propose is kept as well, unless it was shown; a dry run shows
// what it is, once and charged. A text that is too long to quote is shown.
func TestSubmit_KeepsWhatIsProposedUnseen(t *testing.T) {
	s, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.call("inbox", nil)
	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
	blue.call("inbox", nil)
	red.call("inbox", nil)
	long := "the lexer is slow, " + strings.Repeat("and slower, ", 80) + "in the end"
	red.must(red.edits("H1", `{"claim":"`+long+`"}`), "accepted")
	edit := arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the printer is slow"}`, ""), "dry_run": true}
	tried := first(blue.call("delta_submit", edit))
	blue.must(tried, "refused: CONFLICT_HEAD", "claim says (data): the lexer is slow, and slower", "in the end\n")
	blue.mustNot(tried, `"old"`)
	delete(edit, "dry_run")
	taken := first(blue.call("delta_submit", edit))
	blue.must(taken, "H1: applied; it takes the place of claim by RedSky")
	blue.mustNot(taken, "and slower")

	// Who reads what is proposed has seen it.
	s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
	blue.edits("H1", `{"claim":"the printer is very slow"}`)
	red.must(first(red.call("inbox", nil)), "the printer is very slow")
	red.must(red.edits("H1", `{"claim":"the linker is slow"}`), "applied; it takes the place of claim by BlueLake")
}

// D5, D10: of a map the cells are kept that its author has not seen, and no others.
func TestSubmit_KeepsCellsUnseen(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	test := func(target, payload string) string {
		return deltaBlock(map[bool]string{true: "ADD", false: "EDIT"}[target == ""], target, "discriminative_tests", payload, "")
	}
	blue.submits(test("", `{"name":"Warm","procedure":"p","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`))
	red.call("session_show", arguments{"session": "RS-pair"})
	red.submits(test("T1", `{"status":"run","actual_outcomes":{"H1":"57 ms"}}`))
	said := blue.submits(test("T1", `{"status":"run","actual_outcomes":{"H1":"60 ms","H2":"-"}}`))
	blue.must(said, "CONFLICT_HEAD: it would replace what you have not been shown of T1: actual_outcomes.H1 by RedSky", `"actual_outcomes":{"H1":{"old":"57 ms","new":"60 ms"},"H2":"-"}`)
	blue.must(blue.submits(corrected(said)), "T1: applied")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{"T1"}})), "60 ms")
	// What says the same replaces nothing, and another cell is nobody's.
	blue.submits(test("T1", `{"actual_outcomes":{"H2":"5 ms"}}`))
	red.mustNot(red.submits(test("T1", `{"actual_outcomes":{"H1":"60 ms"},"feasibility":"easy"}`)), "refused")
}

// C33, D6: a KILL of an item that another has changed since, unseen by who kills it, is
// refused alone with the new words; the block that comes with it, or the same after them,
// kills it. What only its ADD says is known by who names it.
func TestSubmit_KillsNothingThatWasChangedUnseen(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.call("session_show", arguments{"session": "RS-pair"})
	red.mustNot(red.edits("H1", `{"claim":"the lexer is slow"}`), "refused")
	kill := func(id, reason string) string {
		return deltaBlock("KILL", id, "hypothesis_slate", `{"reason":"`+reason+`"}`, "")
	}
	said := blue.submits(kill("H1", "the printer is fast"))
	blue.must(said, "#1 KILL hypothesis_slate H1: refused: CONFLICT_HEAD: H1 was changed, and you have not been shown it: claim by RedSky of ",
		"nothing was killed", "claim says (data): the lexer is slow\n")
	blue.mustNot(said, "yours in its place")
	_, block, _ := strings.Cut(said, "to kill it as it reads now: ")
	block, _, _ = strings.Cut(block, "\n")
	blue.must(blue.submits(block), "applied: KILL H1\n")
	blue.must(blue.submits(hypothesis("Net", "", "the net is slow")), "H3")
	red.mustNot(red.submits(kill("H3", "it is not")), "CONFLICT_HEAD")
}

// C33, D6: who presses a critique of what another has changed since, unseen by its critic,
// is refused alone with the new words: it may have been met. The block that comes with it
// presses it all the same, and what settles it is taken at once.
func TestSubmit_PressesNothingThatWasChangedUnseen(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.call("session_show", arguments{"session": "RS-pair"})
	critique := func(name string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"name":"`+name+`","attack":"no machine is named","evidence":"none","targets":["H1"]}`, "")
	}
	blue.must(blue.submits(critique("Weak")+critique("Vague")), "C1", "C2")
	red.told(api.MessageCompiled)
	red.mustNot(red.edits("H1", `{"claim":"the lexer is slow on the old machine"}`), "refused")
	press := func(id, payload string) string { return deltaBlock("EDIT", id, "adversarial_critique", payload, "") }
	said := blue.submits(press("C1", `{"attack":"still no machine is named"}`) + press("C2", `{"current_status":"withdrawn"}`))
	blue.must(said, "#1 EDIT adversarial_critique C1: refused: CONFLICT_HEAD: what C1 is against was changed, and you have not been shown it: H1.claim by RedSky of ",
		"nothing was changed", "H1.claim says (data): the lexer is slow on the old machine\n", "applied: EDIT C2\n")
	_, block, _ := strings.Cut(said, "to press it all the same: ")
	block, _, _ = strings.Cut(block, "\n")
	blue.must(blue.submits(block), "applied: EDIT C1\n")
	blue.mustNot(blue.submits(press("C1", `{"attack":"none of them is named"}`)), "CONFLICT_HEAD")
	// What only adds to it is taken, and its author told of what changed.
	red.mustNot(red.edits("H1", `{"claim":"the lexer is slow on every machine"}`), "refused")
	blue.must(blue.submits(press("C1", `{"evidence":"still no machine"}`)), "applied", "warning REFERENCE_MOVED: what C1 is against was changed, and you had not been shown it: H1.claim by RedSky of ",
		"if what H1 says now meets it, settle C1", "Claim: the lexer is slow on every machine\n")
	blue.mustNot(blue.submits(press("C1", `{"evidence":"and no run"}`)), "REFERENCE_MOVED")
}

// ADR 177: a critique may be settled while what it is against was changed unseen by its critic;
// who does so hears what changed, and nothing the second time, or where it withdraws it.
func TestSubmit_SettlesWhatWasChangedUnseenWithAWarning(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.call("session_show", arguments{"session": "RS-pair"})
	critique := func(name string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"name":"`+name+`","attack":"no machine is named","evidence":"none","targets":["H1"]}`, "")
	}
	blue.must(blue.submits(critique("Weak")+critique("Vague")), "C1", "C2")
	red.told(api.MessageCompiled)
	red.mustNot(red.edits("H1", `{"claim":"the lexer is slow on the old machine"}`), "refused")
	settle := func(id, status string) string {
		return blue.submits(deltaBlock("EDIT", id, "adversarial_critique", `{"current_status":"`+status+`"}`, ""))
	}
	blue.mustNot(settle("C2", "withdrawn"), "REFERENCE_MOVED")
	red.mustNot(red.edits("H1", `{"claim":"the lexer is slow on the new machine"}`), "refused")
	blue.must(settle("C1", "settled: a machine is named"), "applied", "warning REFERENCE_MOVED: what C1 is against was changed, and you had not been shown it: H1.claim by RedSky of ",
		"it is settled; if it stands against what H1 says now, EDIT C1 with current_status: open", "Claim: the lexer is slow on the new machine\n")
	blue.mustNot(settle("C1", "settled: it is named, and it is the new one"), "REFERENCE_MOVED")
}
