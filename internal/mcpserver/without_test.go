package mcpserver_test

import (
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// trio is a session with three agents who were asked, each with a context.
func trio(t *testing.T) (s *stage, blue, red, green *player) {
	t.Helper()
	s = newStage(t)
	team := roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-trio", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}))
	var all []*player
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky", "GreenValley"} {
		p := &player{t: t, name: name, session: s.session(name)}
		p.call("inbox", nil)
		all = append(all, p)
	}
	return s, all[0], all[1], all[2]
}

// D27: who has answered is told who is still at work and when it was last seen; when
// most have answered and nothing came for a while, whoever looks has the session go on
// without the last, who is told so and is not shut out.
func TestInbox_ASessionGoesOnWithoutTheLast(t *testing.T) {
	s, blue, red, green := trio(t)
	blue.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Parser", "", "the parser is slow")})
	s.pass(time.Minute)
	red.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Disk", "", "the disk is slow")})
	s.pass(time.Minute)
	blue.must(first(blue.call("inbox", nil)), "RedSky proposed H2")
	blue.must(first(blue.call("inbox", nil)), "RS-trio is compiled when GreenValley has answered, or without at 15:14:26 UTC, 4 minutes after the last who answered;",
		"now: RedSky (test_designer) answered at 15:10 UTC, 1 proposed\n", "now: GreenValley (adversarial_critic) works on it since 15:09 UTC, last seen 2 min ago\n")
	red.must(first(red.call("inbox", nil)), "or without at 15:14:26 UTC, 4 minutes after the last who answered;")

	s.pass(3 * time.Minute)
	words := first(blue.call("inbox", nil))
	blue.must(words, "RS-trio is at version 2: BlueLake added H1; RedSky added H2.", "Still at work: GreenValley; the session does not wait for that any more")
	green.must(first(green.call("session_show", arguments{"session": "RS-trio", "brief": true})), "GreenValley (adversarial_critic) works on it since 15:09", "the others went on, and its answer is compiled when it comes")
	green.must(first(green.call("inbox", nil)), "Your own answer is as welcome as before, and compiled when it comes; the others go on")
	green.must(first(green.call("inbox", nil)), "RS-trio went on without your answer, which is compiled when it comes: delta_submit;")
	blue.must(first(blue.call("inbox", nil)), "RS-trio went on without GreenValley: what comes is compiled at once", "now: GreenValley (adversarial_critic) works on it since 15:09 UTC, last seen just now")
	words = first(blue.call("inbox", nil)) // said once, and of those who have answered nothing
	blue.must(words, "RS-trio: nothing is asked of you till GreenValley has answered\n")
	blue.mustNot(words, "went on without", "now: RedSky")
	s.pass(15 * time.Minute)
	blue.must(first(blue.call("inbox", nil)), "its last call was 15 min ago; what is measured outside takes none; the others went on, and what it was to do is free for who announces it\n")

	// What the others add is compiled at once, and so is what the last says.
	words = first(red.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Net", "", "the net is slow")}))
	red.must(words, "compiled: RS-trio@3")
	words = first(green.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Cache", "", "the cache is cold")}))
	green.must(words, "compiled: RS-trio@4")
	blue.must(first(blue.call("inbox", nil)), "GreenValley changed H4 in RS-trio, now at version 4")
	blue.mustNot(first(blue.call("inbox", nil)), "went on without")
}

// D27: a wait sees to it as well, whoever waits, and ends with what came of it.
func TestInbox_AWaitHasASessionGoOn(t *testing.T) {
	s, blue, red, _ := trio(t)
	blue.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Disk", "", "the disk is slow")})
	s.pass(4 * time.Minute)
	red.must(first(red.call("inbox", arguments{"wait": 60})), "RS-trio is at version 2", "Still at work: GreenValley")
	blue.must(first(blue.call("inbox", arguments{"wait": 60})), "RS-trio is at version 2", "Still at work: GreenValley")
}

// D27: when a session compiles by itself is said to who waits and to who is waited for; who
// looks when the time is over has it compiled.
func TestInbox_SaysWhenItCompilesByItself(t *testing.T) {
	s, blue, red, green := trio(t)
	blue.mustNot(first(blue.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Parser", "", "the parser is slow")})), "or without")
	red.must(first(red.call("delta_submit", arguments{"session": "RS-trio", "text": hypothesis("Disk", "", "the disk is slow")})), "not compiled yet: GreenValley still to answer, or without at 15:13:26 UTC, 4 minutes after the last who answered;")
	green.call("inbox", nil)
	green.must(first(green.call("inbox", nil)), "RS-trio waits for your answer, or goes on without at 15:13:26 UTC, 4 minutes after the last who answered: delta_submit;")

	team := roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner}}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-timed", Question: "Why?", Module: "lineage", Roster: team, Compile: "40s"}))
	blue.must(first(blue.call("inbox", nil)), "at the latest 40s after the first that waits")
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "RS-timed is compiled when you and RedSky have answered, or 40s after the first answer: delta_submit")
	blue.must(first(blue.call("delta_submit", arguments{"session": "RS-timed", "text": hypothesis("Net", "", "the net is slow")})), "RedSky still to answer, or without at 15:10:06 UTC, 40s after the first answer;")
	s.pass(41 * time.Second)
	red.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "RS-timed is at version 2: BlueLake added H1.")
}
