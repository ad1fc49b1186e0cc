package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// claims is a reply that adds hypotheses.
func claims(all ...string) string {
	var b strings.Builder
	for i, claim := range all {
		b.WriteString(block(fmt.Sprintf(`{"operation":"ADD","delta_id":"d-%d","section":"hypothesis_slate","payload":{"claim":%q,"mechanism":"m"}}`, i+1, claim)))
	}
	return b.String()
}

// items lists the hypotheses of a version, as ID claim.
func (d *bureau) items(ref brenner.Ref) string {
	d.Helper()
	v, err := d.PI().Artifact(d.Context(), api.ArtifactRequest{Ref: ref, Again: true})
	d.must(err)
	doc, err := delta.ReadArtifact([]byte(v.Content))
	d.must(err)
	var out []string
	for _, it := range doc.Items(delta.HypothesisSlate) {
		out = append(out, string(it.ID())+" "+it.Text("claim"))
	}
	return strings.Join(out, ", ")
}

// D4, ADR 0148: what went out of use with a version of a session's document can be
// handed in again, and the ids of its items are given to no others.
func TestSession_WhatWentOutOfUseIsHandedInAgain(t *testing.T) {
	d := newBureau(t, nil)
	d.start("")
	d.submit("BlueLake", claims("one"))
	d.compile()
	d.submit("BlueLake", claims("two", "three"))
	d.submit("GreenValley", claims("rubbish"))
	bad := d.compile().Ref
	if got := d.items(bad); got != "H1 one, H2 two, H3 three, H4 rubbish" {
		t.Fatal(got)
	}
	lost := func(res api.DecisionResult) string {
		var out []string
		for _, l := range res.Lost {
			out = append(out, fmt.Sprintf("%s %d", l.Agent, l.Deltas))
		}
		return strings.Join(out, ", ")
	}
	would, err := d.PI().Deprecate(t.Context(), api.DecisionRequest{Ref: bad, DryRun: true})
	d.must(err)
	done, err := d.PI().Deprecate(t.Context(), api.DecisionRequest{Ref: bad, Reason: "rubbish in it"})
	d.must(err)
	if want := "BlueLake 2, GreenValley 1"; lost(would) != want || lost(done) != want {
		t.Errorf("lost are %q, %q", lost(would), lost(done))
	}

	// Others get new ids, before and after the reply has come again.
	d.submit("GreenValley", claims("four"))
	if got := d.items(d.compile().Ref); got != "H1 one, H5 four" {
		t.Errorf("after another reply: %s", got)
	}
	again, err := d.As("BlueLake").SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: claims("two", "three")})
	d.must(err)
	if again.Duplicate || len(again.Deltas) != 2 || again.Deltas[0].Item != "H6" {
		t.Errorf("handed in again: %+v", again)
	}
	twice, err := d.As("BlueLake").SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: claims("two", "three")})
	d.must(err)
	if !twice.Duplicate {
		t.Errorf("handed in twice: %+v", twice)
	}
	third := d.compile().Ref
	if got := d.items(third); got != "H1 one, H5 four, H6 two, H7 three" {
		t.Errorf("once it is compiled: %s", got)
	}
	if twice, err = d.As("BlueLake").SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: claims("two", "three")}); err != nil || !twice.Duplicate {
		t.Errorf("handed in once it is there: %+v, %v", twice, err)
	}

	// Once more.
	done, err = d.PI().Deprecate(t.Context(), api.DecisionRequest{Ref: third, Reason: "too early"})
	d.must(err)
	if got := lost(done); got != "GreenValley 1, BlueLake 2" {
		t.Errorf("lost again are %q", got)
	}
	d.submit("BlueLake", claims("two", "three"))
	if got := d.items(d.compile().Ref); got != "H1 one, H5 four, H8 two, H9 three" {
		t.Errorf("the third time: %s", got)
	}
	if v, err := d.PI().Verify(t.Context(), api.VerifyRequest{Deep: true}); err != nil || !v.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
	if r, err := d.PI().Replay(t.Context(), api.ReplayRequest{}); err != nil || !r.Same {
		t.Errorf("replay: %+v, %v", r, err)
	}
}

// A session stands as the version does that it goes on from: what was in conflict only in
// the one that is out of use is not any more, and what was settled there is open again.
func TestSession_StandsAsTheVersionItGoesOnFrom(t *testing.T) {
	d := newBureau(t, nil)
	d.start("")
	d.submit("BlueLake", claims("one"))
	d.compile()
	at := delta.FormatInstant(d.now.Add(time.Second))
	d.now = d.now.Add(time.Minute)
	for _, who := range []brenner.ActorName{"BlueLake", "GreenValley"} {
		d.submit(who, block(fmt.Sprintf(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","timestamp":%q,"payload":{"claim":"as %s says"}}`, at, who)))
	}
	torn := d.compile().Ref
	stands := func(conflicts int, version brenner.Version) {
		t.Helper()
		list, err := d.PI().Sessions(t.Context(), api.ListSessionsRequest{})
		d.must(err)
		open, err := d.PI().Conflicts(t.Context(), api.ListConflictsRequest{})
		d.must(err)
		if got := list.Sessions[0]; got.Conflicts != conflicts || got.Artifact.Version != version || len(open.Conflicts) != conflicts {
			t.Errorf("%d conflicts at %s, listed %d; want %d at %d", got.Conflicts, got.Artifact, len(open.Conflicts), conflicts, version)
		}
	}
	stands(1, torn.Version)
	settled, err := d.PI().ResolveConflict(t.Context(), api.ResolveConflictRequest{Session: "RS-1", Item: "H1", Field: "claim", Take: "GreenValley", Reason: "it is right"})
	d.must(err)
	stands(0, settled.Ref.Version)
	_, err = d.PI().Deprecate(t.Context(), api.DecisionRequest{Ref: settled.Ref, Reason: "not yet"})
	d.must(err)
	stands(1, torn.Version)
	_, err = d.PI().Deprecate(t.Context(), api.DecisionRequest{Ref: torn, Reason: "torn"})
	d.must(err)
	stands(0, torn.Version-1)
	if r, err := d.PI().Replay(t.Context(), api.ReplayRequest{}); err != nil || !r.Same {
		t.Errorf("replay: %+v, %v", r, err)
	}
}
