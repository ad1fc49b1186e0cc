package delta_test

import (
	"fmt"
	"slices"
	"testing"

	"brenner"
	"brenner/delta"
)

func TestMerge_RejectedDeltaHoldsNoID(t *testing.T) {
	// D8, D22: the corrected delta may use the id of the one that was refused, in
	// the same merge and in a later one.
	bad := say("d", 0, "Ann", "EDIT", "H9", "H", `{"claim":"no such item"}`)
	full := append(hypotheses(6), say("d", 7, "Ann", "ADD", "-", "H", `{"claim":"seventh","mechanism":"m"}`))
	good := say("d", 9, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o"}`)
	for name, refused := range map[string][]string{"no target": {bad}, "no place": full} {
		r := mergeAll(t, nil, append(slices.Clone(refused), good)...)
		wantOutcome(t, r, len(refused), delta.Applied, "")
		if o := r.Outcomes[len(refused)-1]; o.Status != delta.Rejected {
			t.Errorf("%s: %+v", name, o)
		}
		later := mergeAll(t, mergeAll(t, nil, refused...).Artifact, good)
		wantOutcome(t, later, 0, delta.Applied, "")
	}
	// What is recorded keeps its id.
	r := mergeAll(t, nil, good, say("d", 10, "Ann", "ADD", "-", "X", `{"name":"other","observation":"o"}`))
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Rejected, brenner.CodeDeltaIDReused)
}

func TestMerge_BlockSentTwiceInOneMessageCountsOnce(t *testing.T) {
	// D8: equal content under no or different ids is one contribution.
	reply := "```delta\n" + plainDelta + "\n```\nOnce more:\n```delta\n" + plainDelta + "\n```\n"
	x, err := delta.Extract([]byte(reply), replyEnvelope)
	if err != nil || len(x.Entries) != 2 {
		t.Fatalf("%+v, %v", x, err)
	}
	r := delta.Merge(nil, x.Entries, delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Duplicate, "")
	wantWarning(t, r, brenner.CodeDeltaRepeated)
	if n := len(r.Artifact.Items(delta.AnomalyRegister)); n != 1 {
		t.Errorf("%d items", n)
	}
	// Also when the two halves of the message are merged one after the other.
	r = delta.Merge(delta.Merge(nil, x.Entries[:1], delta.Options{}).Artifact, x.Entries[1:], delta.Options{})
	wantOutcome(t, r, 0, delta.Duplicate, "")
	// Two messages may say the same.
	other := x.Entries[1]
	other.Message = "msg-8"
	r = delta.Merge(nil, []delta.Entry{x.Entries[0], other}, delta.Options{})
	wantOutcome(t, r, 1, delta.Applied, "")
}

func TestMerge_ProvisionalTargetWaitsForItsADD(t *testing.T) {
	// D4, D9: across batches; what only waits makes no version.
	edit := entries(t, say("e", 1, "Ann", "EDIT", "X-NEW", "X", `{"status":"active"}`))
	r := delta.Merge(nil, edit, delta.Options{})
	wantOutcome(t, r, 0, delta.Waiting, brenner.CodeTargetAwaited)
	if r.Artifact.Version() != 0 {
		t.Errorf("version %d", r.Artifact.Version())
	}
	add := entries(t, `{"provisional_id":"X-NEW",`+say("a", 5, "Ann", "ADD", "-", "X", `{"name":"n","observation":"o"}`)[1:])
	both := append(add, edit...)
	r = delta.Merge(r.Artifact, both, delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Applied, "")
	if got := textOf(t, r.Artifact, "X1", "status"); got != "active" {
		t.Errorf("status %q", got)
	}
	// Another agent's name is not it.
	r = delta.Merge(r.Artifact, entries(t, say("b", 9, "Bob", "EDIT", "X-NEW", "X", `{"status":"resolved"}`)), delta.Options{})
	wantOutcome(t, r, 0, delta.Waiting, brenner.CodeTargetAwaited)
}

func TestMerge_ProvisionalIDBelongsToOneADD(t *testing.T) {
	// D4: the same provisional id for two ADDs of one agent is DELTA_ID_REUSED,
	// whether they come together or not.
	add := func(id string, second int, agent string) string {
		return `{"provisional_id":"X-NEW",` + say(id, second, agent, "ADD", "-", "X", fmt.Sprintf(`{"name":"n%d","observation":"o"}`, second))[1:]
	}
	r := mergeAll(t, nil, add("1", 1, "Ann"), add("2", 2, "Ann"), add("3", 3, "Bob"))
	wantOutcome(t, r, 0, delta.Applied, "")
	wantOutcome(t, r, 1, delta.Rejected, brenner.CodeDeltaIDReused)
	wantOutcome(t, r, 2, delta.Applied, "")
	r = mergeAll(t, r.Artifact, add("4", 4, "Ann"))
	wantOutcome(t, r, 0, delta.Rejected, brenner.CodeDeltaIDReused)
}
