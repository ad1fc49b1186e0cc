package mcpserver_test

import (
	"testing"

	"brenner/api"
	"brenner/roster"
)

// D18, D24: a compile tells what still holds: not what was refused, doubted or sent back and is
// mended by then.
func TestCompiled_TellsWhatStillHolds(t *testing.T) {
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
	compile := func() { s.do(s.pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-three"})) }
	for _, p := range []*player{blue, red} {
		p.call("inbox", nil)
		p.call("context_assemble", arguments{"session": "RS-three"})
	}
	submit(red, hypothesis("Disk", "", "the disk is slow")+hypothesis("Net", "", "the net is slow")+hypothesis("Cache", "", "the cache is cold"))
	compile()
	blue.call("inbox", nil)
	red.call("inbox", nil)

	test := `{"name":"Warm","procedure":"p","discriminates":"H1 from H3","expected_outcomes":{"H1":"slow","H9":"fast"}}`
	blue.must(submit(blue, deltaBlock("ADD", "", "discriminative_tests", test, `,"provisional_id":"T-WARM"`)), "DANGLING_REFERENCE: expected_outcomes names H9")
	blue.must(submit(blue, deltaBlock("EDIT", "T-WARM", "discriminative_tests", `{"expected_outcomes":{"H9":null,"H3":"fast"}}`, "")), "accepted")
	submit(blue, deltaBlock("ADD", "", "assumption_ledger", `{"name":"Rooms","statement":"H2 needs a cold room"}`, `,"provisional_id":"A-ROOM"`)+assumption("Nets", "H2 has one net"))
	red.call("inbox", nil)
	submit(red, deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"no net"}`, ""))
	blue.must(submit(blue, deltaBlock("EDIT", "A-ROOM", "assumption_ledger", `{"statement":"rooms are cold"}`, "")), "accepted")
	submit(red, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the disk is old"}`, ""))
	refused := submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the disk is full"}`, ""))
	blue.must(refused, "CONFLICT_HEAD", "this is no answer yet")
	blue.must(submit(blue, corrected(refused)), "H1: accepted")
	part := submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":{"old":"nowhere","new":"here"}}`, "")+assumption("Disks", "They turn"))
	blue.must(part, "ANCHOR_NOT_FOUND")
	compile()
	told := blue.told(api.MessageCompiled)
	blue.must(told, "KILLED_REFERENCE: H2 is named, and RedSky killed it at the same time; EDIT A2", "ANCHOR_NOT_FOUND")
	blue.mustNot(told, "DANGLING_REFERENCE", "EDIT A1", "CONFLICT_HEAD", "no delta that can be used")
	submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":{"old":"nowhere","new":"here"}}`, "")+assumption("Disks", "They turn left"))
	submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"here"}`, ""))
	compile()
	blue.mustNot(blue.told(api.MessageCompiled), "ANCHOR_NOT_FOUND")
}
