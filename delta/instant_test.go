package delta_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

func TestMerge_InstantIsCappedByReceipt(t *testing.T) {
	// D11: year 9999 does not win for ever.
	es := entries(t, strings.Replace(say("1", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"future"}`), "2026", "9999", 1),
		say("2", 30, "Bob", "EDIT", "RT", "RT", `{"statement":"present"}`))
	es[0].Received, es[1].Received = instant("2026-01-01T12:00:10Z"), instant("2026-01-01T12:00:31Z")
	a := delta.Merge(nil, es, delta.Options{}).Artifact
	rt, _ := a.Item("RT")
	if rt.Text("statement") != "present" || !rt.History("statement")[0].At.Equal(es[0].Received) {
		t.Errorf("%+v", rt.History("statement"))
	}
}

func TestMerge_BackdatedDeltaCountsAsOfItsReceipt(t *testing.T) {
	// D11: models copy the timestamp of an example. Without the start of the
	// session such a KILL would hide every edit, and such an EDIT would be lost.
	base := delta.Merge(nil, entries(t, append(hypotheses(2), say("e", 20, "Ann", "EDIT", "H2", "H", `{"claim":"edited"}`))...), delta.Options{}).Artifact
	opts := delta.Options{NotBefore: instant("2026-01-01T11:00:00Z")}
	old := func(raw string) []delta.Entry {
		es := entries(t, strings.Replace(raw, "2026-01-01T12:00:00Z", "2025-12-30T12:10:00Z", 1))
		es[0].Received = instant("2026-01-01T13:00:00Z")
		return es
	}

	r := delta.Merge(base, old(say("k", 0, "Bob", "KILL", "H2", "H", `{}`)), opts)
	wantOutcome(t, r, 0, delta.Applied, "")
	wantWarning(t, r, brenner.CodeTimestampSkew)
	h2, _ := r.Artifact.Item("H2")
	if h2.Text("claim") != "edited" || !h2.Killed().At.Equal(instant("2026-01-01T13:00:00Z")) {
		t.Errorf("H2 shows %q, killed %v", h2.Text("claim"), h2.Killed().At)
	}
	// The instant is recorded with the delta: what is read back shows the same.
	raw := canon.MustMarshal(r.Artifact)
	if read, err := delta.ReadArtifact(raw); err != nil || string(canon.MustMarshal(read)) != string(raw) {
		t.Errorf("read back: %v", err)
	}

	r = delta.Merge(base, old(say("f", 0, "Bob", "EDIT", "H2", "H", `{"claim":"latest"}`)), opts)
	wantOutcome(t, r, 0, delta.Applied, "")
	wantWarning(t, r, brenner.CodeTimestampSkew)
	if got := textOf(t, r.Artifact, "H2", "claim"); got != "latest" {
		t.Errorf("claim %q", got)
	}

	// On files nobody knows when a delta was received, and its word stands.
	es := old(say("k", 0, "Bob", "KILL", "H2", "H", `{}`))
	es[0].Received = instant("0001-01-01T00:00:00Z")
	r = delta.Merge(base, es, opts)
	if h2, _ := r.Artifact.Item("H2"); h2.Text("claim") != "c2" {
		t.Errorf("claim %q", h2.Text("claim"))
	}
}

func TestMerge_TimestampInRangeIsTakenAtItsWord(t *testing.T) {
	// D11: between the start of the session and the receipt nothing is said.
	es := entries(t, say("1", 5, "Ann", "EDIT", "RT", "RT", `{"statement":"s"}`))
	es[0].Received = instant("2026-01-01T12:00:05Z")
	r := delta.Merge(nil, es, delta.Options{NotBefore: instant("2026-01-01T12:00:05Z")})
	for _, w := range r.Warnings {
		if w.Code == brenner.CodeTimestampSkew {
			t.Errorf("%+v", w)
		}
	}
}
