package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"
)

// season is a project with a session that is harvested again and again.
type season struct{ *loop }

func newSeason(t *testing.T) season {
	l := newLoop(t, failingOften(t), "modules: [growth]\n")
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "Hugo", Role: roster.HypothesisGenerator}}}
	_, err := l.PI().StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "growth", Roster: team, Compile: api.CompileManual})
	l.must(err)
	return season{l}
}

// compile merges deltas, one a line, and promotes what comes of them.
func (s season) compile(lines string) brenner.Ref {
	s.Helper()
	s.now = s.now.Add(time.Hour)
	text := ""
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		text += "```delta\n" + strings.TrimSpace(line) + "\n```\n"
	}
	_, err := s.PI().SubmitDeltas(s.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: text})
	s.must(err)
	res, err := s.PI().CompileSession(s.Context(), api.CompileSessionRequest{ID: "RS-1"})
	s.must(err)
	s.promote(res.Ref)
	s.rest()
	return res.Ref
}

// artifacts says of every harvested artifact its type, head, status and links.
func (s season) artifacts() map[brenner.ArtifactID]string {
	s.Helper()
	list, err := s.PI().Artifacts(s.Context(), api.ListArtifactsRequest{Page: api.Page{Limit: 100}, Statuses: artifact.Statuses()})
	s.must(err)
	out := map[brenner.ArtifactID]string{}
	for _, a := range list.Items {
		if !strings.HasPrefix(string(a.ID), "RS-1-") {
			continue
		}
		v, err := s.PI().Artifact(s.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: a.ID, Version: a.Head}})
		s.must(err)
		var links []string
		for _, l := range v.Links {
			links = append(links, fmt.Sprintf("%s:%s", l.Rel, l.To()))
		}
		slices.Sort(links)
		out[a.ID] = fmt.Sprintf("%s@%d %s %s", a.Type, a.Head, v.Status, strings.Join(links, " "))
	}
	return out
}

func (s season) want(want map[brenner.ArtifactID]string) {
	s.Helper()
	got := s.artifacts()
	for id, w := range inOrder(want) {
		if got[id] != w {
			s.Errorf("%s:\n got %q\nwant %q", id, got[id], w)
		}
	}
	for id, g := range got {
		if _, ok := want[id]; !ok {
			s.Errorf("unexpected %s: %q", id, g)
		}
	}
}

const sown = `
{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Ladder","claim":"A ladder decides","mechanism":"steps"}}
{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Gradient","claim":"A gradient decides","mechanism":"diffusion"}}
{"operation":"ADD","section":"assumption_ledger","payload":{"name":"Still","statement":"Cells do not move","load":"H2 falls if they do"}}
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Transplant","procedure":"move one","discriminates":"H1 from H2","expected_outcomes":{"H1":"keeps","H2":"changes"}}}
{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Range","attack":"H2 needs more reach than there is"}}`

// A5: a promoted session is harvested into typed drafts, linked to its version
// and to each other; harvesting again changes only what changed, and what did
// not change is not stale because the session moved. A killed item takes its
// draft with it and marks what rests on it; a canonical one is put before the
// person.
// A5.a.
func TestHarvest_FollowsTheItemsOfASession(t *testing.T) {
	s := newSeason(t)
	first := s.compile(sown)
	from := func(ref brenner.Ref, rest ...string) string {
		links := append([]string{"harvested_from:" + ref.String()}, rest...)
		slices.Sort(links)
		return strings.Join(links, " ")
	}
	want := map[brenner.ArtifactID]string{
		"RS-1-H1": "model_spec@1 draft " + from(first),
		"RS-1-H2": "model_spec@1 draft " + from(first, "derived_from:RS-1-A1@1"),
		"RS-1-A1": "assumption@1 draft " + from(first),
		"RS-1-T1": "test_plan@1 draft " + from(first, "derived_from:RS-1-H1@1", "derived_from:RS-1-H2@1"),
		"RS-1-C1": "critique@1 draft " + from(first, "reviews:RS-1-H2@1"),
	}
	s.want(want)
	fired := s.firings("harvest")
	if len(fired) != 1 || len(fired[0].Refs) != 5 || fired[0].Code != "" {
		t.Fatalf("%+v", fired)
	}
	v, err := s.PI().Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "RS-1-H1", Version: 1}})
	s.must(err)
	if v.Metadata.Creator != "system" || v.Module != "growth" || !strings.Contains(string(v.Content), "A ladder decides") {
		t.Errorf("%+v", v)
	}

	// One item changes: one version, and nothing is stale.
	for _, id := range []brenner.ArtifactID{"RS-1-H1", "RS-1-H2", "RS-1-A1", "RS-1-T1"} {
		s.promote(brenner.Ref{Artifact: id, Version: 1})
	}
	second := s.compile(`{"operation":"EDIT","section":"assumption_ledger","target_id":"A1","payload":{"test":"film them"}}`)
	for id, text := range inOrder(want) {
		want[id] = strings.Replace(text, " draft ", " canonical ", 1)
	}
	want["RS-1-C1"] = strings.Replace(want["RS-1-C1"], " canonical ", " draft ", 1)
	want["RS-1-A1"] = "assumption@2 draft " + from(second)
	s.want(want)
	stale, err := s.PI().Stale(t.Context(), api.StaleRequest{})
	s.must(err)
	if len(stale.Items) > 0 {
		t.Errorf("stale though nothing that they rest on was decided: %+v", stale.Items)
	}

	// The session moves, and no item does.
	s.compile(`{"operation":"ADD","section":"anomaly_register","payload":{"name":"odd","observation":"one twin differs"}}`)
	s.want(want)

	// A hypothesis is killed: its model is canonical, so a person decides.
	s.compile(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"moved cells keep their fate"}}
		{"operation":"KILL","section":"adversarial_critique","target_id":"C1","payload":{"reason":"there is nothing left to attack"}}`)
	want["RS-1-C1"] = strings.Replace(want["RS-1-C1"], " draft ", " deprecated ", 1)
	s.want(want)
	inbox, err := s.PI().Waiting(t.Context(), api.WaitingRequest{Kinds: []api.WaitKind{api.WaitAutomation}})
	s.must(err)
	if len(inbox.Items) != 1 || !strings.Contains(inbox.Items[0].Why, "H2 was killed by ada: moved cells keep their fate; RS-1-H2@1 is canonical still") {
		t.Errorf("inbox: %+v", inbox.Items)
	}
	killed := api.DecisionRequest{Ref: brenner.Ref{Artifact: "RS-1-H2", Version: 1}, Reason: "killed"}
	_, err = s.PI().Demote(t.Context(), killed)
	s.must(err)
	_, err = s.PI().Deprecate(t.Context(), killed)
	s.must(err)
	stale, err = s.PI().Stale(t.Context(), api.StaleRequest{})
	s.must(err)
	if len(stale.Items) != 1 || stale.Items[0].Ref.String() != "RS-1-T1@1" {
		t.Errorf("the test of a hypothesis that was killed is not stale: %+v", stale.Items)
	}
}

// A5: a draft of a killed item goes by itself; what a person made of an item is
// that person's, and so is an artifact that has its name by chance.
func TestHarvest_LeavesAloneWhatIsNotItsOwn(t *testing.T) {
	s := newSeason(t)
	s.write("ada", "RS-1-H1", "model_spec", "growth", "I was here before")
	s.compile(sown)
	own := "mine"
	_, err := s.PI().UpdateArtifact(t.Context(), api.UpdateArtifactRequest{
		ID: "RS-1-T1", Parent: 1, Summary: &own, Content: &api.Body{Format: artifact.Text, Data: "a better plan"}, Change: &artifact.Change{What: "x", Why: "y"},
	})
	s.must(err)
	s.compile(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"no"}}
		{"operation":"KILL","section":"discriminative_tests","target_id":"T1","payload":{"reason":"no"}}`)
	got := s.artifacts()
	for id, status := range inOrder(map[brenner.ArtifactID]string{"RS-1-H1": "model_spec@1 draft", "RS-1-H2": "model_spec@1 deprecated", "RS-1-T1": "test_plan@2 draft"}) {
		if !strings.HasPrefix(got[id], status) {
			t.Errorf("%s is %s, want %s", id, got[id], status)
		}
	}
	inbox, err := s.PI().Waiting(t.Context(), api.WaitingRequest{Kinds: []api.WaitKind{api.WaitAutomation}})
	s.must(err)
	var told []string
	for _, w := range inbox.Items {
		told = append(told, w.Why)
	}
	slices.Sort(told)
	if len(told) < 2 || !strings.Contains(strings.Join(told, "\n"), "somebody went on with it as RS-1-T1@2") ||
		!strings.Contains(strings.Join(told, "\n"), "somebody else made an artifact RS-1-H1") {
		t.Errorf("told:\n%s", strings.Join(told, "\n"))
	}
}

// A session of many items is harvested in several transactions, and each item
// once.
func TestHarvest_InBatches(t *testing.T) {
	s := newSeason(t)
	var lines strings.Builder
	for i := range brenner.HarvestBatch + 30 {
		fmt.Fprintf(&lines, `{"operation":"ADD","section":"assumption_ledger","payload":{"name":"n%d","statement":"s%d"}}`+"\n", i, i)
	}
	s.compile(lines.String())
	seen := map[brenner.Ref]bool{}
	for _, f := range s.firings("harvest") {
		for _, ref := range f.Refs {
			if seen[ref] {
				t.Errorf("%s twice", ref)
			}
			seen[ref] = true
		}
	}
	if fired := len(s.firings("harvest")); fired != 2 || len(seen) != brenner.HarvestBatch+30 {
		t.Errorf("%d firings harvested %d items", fired, len(seen))
	}
}
