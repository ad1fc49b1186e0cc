package mcpserver_test

import "testing"

// D26: who stands behind an answer says so of its words, and of no others; of one that it was
// not shown it has not signed anything.
func TestSign_TheAnswerAsItStands(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	sign := func(p *player, words string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": words}))
	}
	red.must(sign(red, "RT holds"), "you have nothing to add") // there is no answer
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, as far as anybody measured."}`, ""))
	words := sign(red, "RT holds.")
	red.must(words, "not signed: the answer (RT) was changed since you were shown it", "as it stands (data):", "Answer: H1, as far as anybody measured.", "if you stand behind that, the same call signs it")
	red.must(sign(red, "I sign RT as it reads now"), "you stand behind the answer (RT) as it stands")
	red.mustNot(first(red.call("inbox", nil)), "sign it")
	words = first(blue.call("inbox", nil))
	blue.must(words, "the answer of RS-pair, by BlueLake, as it stands is signed by RedSky\n", "nothing is asked of you: everybody has answered, and what came is compiled. Stop here unless you have more to say")
	blue.mustNot(words, "nothing to add")
	blue.mustNot(first(blue.call("inbox", nil)), "signed") // it was said
	// Another word, and nobody has signed it.
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, as far as two of us measured."}`, ""))
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "again": true})), "the answer of RS-pair, by BlueLake, as it stands is signed by nobody yet\n")
	blue.must(first(blue.call("inbox", nil)), "Your answer as it stands is not signed by RedSky: wait for that, or stop")
	red.must(first(red.call("inbox", nil)), "If you stand behind `RT`, sign it")
	red.must(sign(red, "RT holds"), "you stand behind the answer")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "again": true})), "is signed by RedSky")
	// What the answer names may change under those who signed it.
	blue.edits("H1", `{"claim":"the old parser is slow"}`)
	red.call("inbox", nil)
	red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the old lexer is slow"}`, ""))
	const moved = "since BlueLake last said that it holds others changed H1 (claim by RedSky)\n"
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "again": true})), "is signed by RedSky\n", "RT: "+moved)
	// Whoever reads the answer, in short too, reads that with it.
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "RT: "+moved)
	// Who only says that it is done has signed nothing.
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1."}`, ""))
	red.call("inbox", nil)
	red.must(sign(red, "I have no more to say; H1 holds"), "you have nothing to add; that is your answer")
}

// ADR 199, ADR 167: one reply signs the answer and settles what its author had against it.
func TestSign_WithCritiquesSettled(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1."}`, ""))
	red.call("inbox", nil)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular"}`, "") + "\n" +
		deltaBlock("ADD", "", "adversarial_critique", `{"name":"Few","attack":"H1 rests on one log"}`, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"as measured in two logs"}`, ""))
	red.call("inbox", nil)
	line := func(id string) string {
		return `{"operation":"EDIT","section":"adversarial_critique","target_id":"` + id + `","payload":{"current_status":"settled"}}` + "\n"
	}
	// D20: lines that do more are no deltas outside a block, and are taken by nobody for some.
	mixed := line("C1") + `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"never seen"}}`
	red.must(first(red.call("delta_submit", arguments{"session": "RS-pair", "text": "RT holds\n" + mixed, "dry_run": true})), "KILL")
	blue.mustNot(first(blue.call("session_show", arguments{"session": "RS-pair"})), "never seen")
	words := first(red.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "RT holds\n" + line("C1") + line("C2")}))
	red.must(words, "applied: EDIT C1, C2\n", "you stand behind the answer (RT) as it stands")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "brief": true})), "the answer of RS-pair, by BlueLake, as it stands is signed by RedSky")
}

// C34: a brief of some sections is of those, and says of a critique what became of it.
func TestBrief_OfWhatIsAskedFor(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular","current_status":"open"}`, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"as measured"}`, ""))
	red.call("inbox", nil)
	words := first(red.call("session_show", arguments{"session": "RS-pair", "brief": true, "sections": []any{"adversarial_critique"}}))
	red.must(words, "- C1: Weak · by RedSky · answered\n")
	red.mustNot(words, "- H1:")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true, "items": []any{"H1"}})), "- H1: ")
}

// D26: a first line that signs the answer is taken above any deltas that leave the answer alone,
// and only if it says nothing else.
func TestSign_AboveDeltas(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser: H1, as far as two of us have measured it on a quiet machine, with rows of at most eighty bytes and with longer ones."}`, ""))
	red.call("inbox", nil)
	red.mustNot(red.submits("RT holds only for May\n\n"+assumption("Weir", "It leaks")), "you stand behind the answer")
	// Who corrects it signs it so, above its deltas or below them, if all that it changes is taken.
	corrects := func(old, by string) string {
		return deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"`+old+`","new":"`+by+`"}}`, "")
	}
	red.must(red.submits("RT holds.\n\n"+corrects("The parser", "A parser")), "EDIT research_thread RT: applied", "you stand behind the answer (RT) as it stands")
	blue.must(first(blue.call("inbox", nil)), "the answer of RS-pair, by RedSky, as it stands is signed by nobody yet") // here whoever wrote it last says it
	red.must(red.submits(corrects("A parser", "One parser")+"\n\nRT holds\n"), "you stand behind the answer (RT) as it stands")
	words := red.submits("RT holds\n" + deltaBlock("EDIT", "RT", "research_thread", `{"answer":[{"old":"One parser","new":"No parser"},{"old":"two weirs","new":"one"}]}`, ""))
	red.must(words, "pair 2 of 2 is left out", "not signed: not all that you change is taken; \"RT holds\" alone signs the answer as it stands")
	red.mustNot(words, "you stand behind")
	red.mustNot(red.submits("one more word\n"+corrects("No parser", "A parser")+"\nas I read it, RT holds"), "you stand behind")
	red.mustNot(red.submits("RT holds\n"+deltaBlock("EDIT", "RT", "research_thread", `{"answer":null}`, "")), "you stand behind")
	// The correction of an answer that was changed unseen signs nothing.
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"A parser: H1, in April. It is slow."}`, ""))
	words = red.submits("RT holds\n" + corrects("It is slow", "It was slow"))
	red.must(words, "not signed: the answer (RT) was changed since you were shown it", "\"RT holds\" alone signs it")
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser: H1, in May."}`, ""))
	red.call("inbox", nil)
	red.must(red.submits("**RT holds.**\n\n"+assumption("Sluice", "It is open")), "ADD A2", "you stand behind the answer (RT) as it stands")
	blue.must(first(blue.call("inbox", nil)), "the answer of RS-pair, by BlueLake, as it stands is signed by RedSky\n")
}
