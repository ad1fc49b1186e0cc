package mcpserver_test

import (
	"testing"

	"brenner"
	"brenner/api"
)

// C34: how far tests have come, and that there is no conclusion, is said once; then what
// changed, and what runs, till all of it is asked for again.
func TestStanding_TestsAndConclusionAreSaidOnce(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	red.told(api.MessageCompiled)
	blue.told(api.MessageCompiled)
	test := func(name string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"`+name+`","procedure":"`+name+`","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`, "")
	}
	edit := func(id, payload string) string {
		return deltaBlock("EDIT", id, "discriminative_tests", payload, "")
	}
	blue.submits(test("Warm") + test("Cold files") + test("Net off"))
	const none = "no conclusion yet: BlueLake"
	words := first(red.call("inbox", nil)) + first(red.call("session_show", arguments{"session": "RS-pair"}))
	red.must(words, "tests: planned T1, T2, T3\n")
	once := func(words string) {
		t.Helper()
		red.mustNot(words, "planned T", none)
	}
	once(first(red.call("session_show", arguments{"session": "RS-pair"})))
	words = first(red.call("inbox", nil))
	once(words)
	red.mustNot(words, "tests:")

	blue.submits(edit("T1", `{"status":"running"}`))
	words = first(red.call("inbox", nil))
	once(words)
	red.must(words, "tests, what is new of them: running T1 (BlueLake since 15:09 UTC)\n")
	red.mustNot(first(red.call("inbox", nil)), "tests:")
	blue.call("inbox", nil)
	blue.mustNot(first(blue.call("inbox", nil)), "tests:") // who runs it knows
	blue.submits(edit("T1", `{"actual_outcomes":{"H1":"57 ms"}}`))
	words = first(red.call("inbox", nil))
	once(words)
	red.must(words, "tests, what is new of them: run T1 (BlueLake)\n")
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair"})), "tests:")

	words = first(red.call("session_show", arguments{"session": "RS-pair", "again": true}))
	red.must(words, "tests: planned T2, T3; run T1 (BlueLake)\n", none)
	red.mustNot(words, "as you were told")
	red.must(first(red.call("context_assemble", arguments{"session": "RS-pair"})), "tests: planned T2, T3; run T1 (BlueLake)\n", none) // it has what it was given before no more
}

// X11: of items that are asked for by name it is said who changed them last, and why.
func TestShow_SaysWhyAnItemWasChangedLast(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	show := func(items ...any) string {
		return first(red.call("session_show", arguments{"session": "RS-pair", "items": items}))
	}
	red.must(show("H1"), "H1 last: ADD by BlueLake at 2020-03-14 15:09 UTC, because (data): seen in the timings\n")
	blue.submits(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"mechanism":"the sluice"},"rationale":"the weir was closed\non Monday"}`)
	words := show("H1", "H2")
	red.must(words, "H1 last: EDIT by BlueLake at 2020-03-14 15:09 UTC, because (data): the weir was closed on Monday\n", "H2 last: ADD by RedSky ")
	red.mustNot(words, "H1 last: ADD")
	blue.submits(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"wrong"},"rationale":"T1 refutes it"}`)
	red.must(show("H1"), "H1 last: KILL by BlueLake at 2020-03-14 15:09 UTC, because (data): T1 refutes it\n")
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "again": true})), " last: ")
}

// P10, C9: a patch may add links to what the new text rests on.
func TestPatchApply_TakesLinks(t *testing.T) {
	s, blue, red := pair(t)
	red.call("artifact_write", analysis("flow", nil))
	blue.call("artifact_get", arguments{"ref": "flow"})
	blue.call("artifact_write", analysis("seen", nil))
	blue.must(first(blue.call("patch_apply", arguments{
		"ref": "seen@1", "patch": `{"old_string":"measured for seen","new_string":"measured for seen, as flow has it"}`, "summary_holds": true,
		"links": []any{arguments{"rel": "depends_on", "artifact": "flow"}},
	})), "seen@2")
	v, err := s.pi.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "seen", Version: 2}})
	if err != nil || len(v.Links) != 1 || v.Links[0].Artifact != "flow" || v.Links[0].Version != 1 {
		t.Errorf("%+v, %v", v.Links, err)
	}
}

// D4, X11: who adds in other words what somebody else added in an earlier round is told at
// once, and so is who does while it is only proposed.
func TestSubmit_NamesATwinInOtherWords(t *testing.T) {
	_, blue, red := pair(t)
	odd := func(name, observation string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"`+name+`","observation":"`+observation+`"}`, "")
	}
	blue.submits(odd("Commits are not batched at low concurrency", "We counted as many syncs as commits when up to three clients wrote at the same time; sharing of a sync between transactions starts when there are at least four of them."))
	words := red.submits(odd("Group commit disappears below four writers", "With one to three concurrent writers every transaction is synced on its own: 3 fsyncs for 3 commits. Only from four writers on are several commits covered by one fsync.") +
		odd("Merged segments are larger than their parts", "After a merge the index takes 11 % more space than the two segments that went into it, because postings of deleted documents are copied."))
	red.must(words, "ITEM_ALIKE: X1, proposed by BlueLake, may say the same in other words; you alone can tell: if it adds nothing to that one, EDIT X1 with what yours adds and KILL your own: the lower number stays", "compiled: RS-pair@2")
	words = blue.submits(odd("Merging grows the index", "The output of a segment merge is bigger than the sum of its inputs, by about a tenth: entries that belong to removed documents are carried over rather than dropped."))
	blue.must(words, "ITEM_ALIKE: X3, by RedSky, may say the same in other words")
	blue.mustNot(words, "ITEM_ALIKE: X2")
}

// D24: what is forecast whichever hypothesis holds names none, as the kickoff says.
func TestSubmit_AForecastNeedsNoHypothesis(t *testing.T) {
	_, blue, red := pair(t)
	words := blue.submits(deltaBlock("ADD", "", "predictions_table", `{"condition":"twice as many writers","predictions":{"any":"no commit takes longer than 40 ms"}}`, ""))
	blue.must(words, "accepted: ADD P1")
	blue.mustNot(words, "warning")
	red.must(first(red.call("inbox", nil)), `predictions: {"any":"no commit takes longer than 40 ms"}`)
}

// C34, ADR 180: what stays as it is from one reply to the next is said once: how many
// hypotheses live, how to wait, what is left for others.
func TestSubmit_SaysOnceWhatStays(t *testing.T) {
	blue, red := duo(t)
	const alive, wait = "hypotheses alive: 1 of at most 6", "ids may still change"
	blue.must(blue.submits(hypothesis("Parser", "", "the parser is slow")), alive, wait, "not compiled yet: RedSky still to answer; ids")
	words := blue.submits(assumption("Weir", "It leaks"))
	blue.must(words, "not compiled yet: RedSky still to answer\n")
	blue.mustNot(words, alive, wait)
	red.must(red.submits(hypothesis("Disk", "", "the disk is slow")), "hypotheses alive: 2 of at most 6", `; what others say to it: inbox {"wait":60}`, "left for others: the conclusion (BlueLake). Wait for it: inbox {\"wait\":60}; or stop, if your part is done")
	red.mustNot(red.submits(assumption("Sluice", "It is open")), "hypotheses alive", "what others say to it")
	blue.submits(assumption("Mill", "It turns"))
	red.must(first(red.call("inbox", nil)), "still left for others: the conclusion (BlueLake). Wait, or stop if your part is done\n")
}
