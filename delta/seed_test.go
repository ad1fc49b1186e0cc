package delta_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

// The deltas of the specification, verbatim. The first three are its
// illustrations of an operation and come without delta_id, timestamp and
// agent, which an envelope supplies.
const (
	seedAdd = `{
  "operation": "ADD",
  "target_id": null,
  "section": "hypothesis_slate",
  "payload": {
    "claim": "Cells use a hybrid coordinate system",
    "mechanism": "Both lineage and gradient signals are integrated",
    "anchors": ["§161", "§205"]
  }
}`
	seedEdit = `{
  "operation": "EDIT",
  "target_id": "H2",
  "section": "hypothesis_slate",
  "payload": {
    "anchors": ["§161", "§205", "§212"]
  }
}`
	seedKill = `{
  "operation": "KILL",
  "target_id": "H2",
  "section": "hypothesis_slate",
  "payload": {
    "reason": "Superseded by H4 which incorporates this as a special case"
  }
}`
	seedExample1 = `{
  "delta_id": "d-abc123",
  "timestamp": "2025-12-30T12:00:00Z",
  "agent": "RedCreek",
  "operation": "ADD",
  "target_id": null,
  "section": "hypothesis_slate",
  "payload": {
    "name": "Epigenetic memory",
    "claim": "Cells use chromatin state inheritance for fate determination",
    "mechanism": "Histone modifications inherited through division encode positional memory",
    "anchors": ["inference"]
  },
  "rationale": "Adding alternative mechanism that doesn't fit lineage/gradient dichotomy"
}`
	seedExample2 = `{
  "delta_id": "d-def456",
  "timestamp": "2025-12-30T12:05:00Z",
  "agent": "PurpleMountain",
  "operation": "EDIT",
  "target_id": "T1",
  "section": "discriminative_tests",
  "payload": {
    "potency_check": "Include late-transplant control (both H1 and H2 predict no change) AND verify cell viability post-transplant via vital dye"
  },
  "rationale": "Adding cell viability check to strengthen potency control"
}`
	seedExample3 = `{
  "delta_id": "d-ghi789",
  "timestamp": "2025-12-30T12:10:00Z",
  "agent": "GreenDog",
  "operation": "KILL",
  "target_id": "H2",
  "section": "hypothesis_slate",
  "payload": {
    "reason": "Subsumed by H4 (epigenetic memory) which explains gradient-like behavior as a special case of inherited state"
  },
  "rationale": "H4 incorporates H2 as special case; maintaining both is redundant"
}`
	seedKilledItem = `### ~~H2: Gradient-dominant~~ [KILLED]
**Claim**: ~~Cell fate is determined by reading positional morphogen gradients.~~
**Killed by**: GreenDog (2025-12-30T12:10:00Z)
**Reason**: Subsumed by H4 (epigenetic memory) which explains gradient-like behavior as a special case of inherited state
`
)

// seedBase is the state the examples presume: H1 to H3 and T1.
func seedBase(t testing.TB) *delta.Artifact {
	t.Helper()
	a, err := delta.New("RS-20251230-cell-fate", "How do cells know where they are?", nil, instant("2025-12-30T09:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	r := delta.Merge(a, entries(t,
		`{"delta_id":"b1","timestamp":"2025-12-30T10:00:00Z","agent":"BlueLake","operation":"ADD","section":"hypothesis_slate",
		  "payload":{"name":"Lineage-dominant","claim":"Cell fate is determined by ancestry.","mechanism":"Inherited determinants","anchors":["§205"]}}`,
		`{"delta_id":"b2","timestamp":"2025-12-30T10:00:01Z","agent":"BlueLake","operation":"ADD","section":"hypothesis_slate",
		  "payload":{"name":"Gradient-dominant","claim":"Cell fate is determined by reading positional morphogen gradients.","mechanism":"Threshold response to concentration","anchors":["§161"]}}`,
		`{"delta_id":"b3","timestamp":"2025-12-30T10:00:02Z","agent":"BlueLake","operation":"ADD","section":"hypothesis_slate",
		  "payload":{"name":"Neither","claim":"Position is not read at all.","mechanism":"Self-organisation","third_alternative":true}}`,
		`{"delta_id":"b4","timestamp":"2025-12-30T10:00:03Z","agent":"PurpleMountain","operation":"ADD","section":"discriminative_tests",
		  "payload":{"name":"Transplant","procedure":"Move cells early and late","discriminates":"H1 vs H2","expected_outcomes":{"H1":"keeps fate","H2":"changes fate"}}}`,
	), delta.Options{})
	for _, o := range r.Outcomes {
		if o.Status != delta.Applied {
			t.Fatalf("%+v", o)
		}
	}
	return r.Artifact
}

func TestSeed_Example1AddsH4(t *testing.T) {
	// D4: the next id in sequence.
	r := delta.Merge(seedBase(t), entries(t, seedExample1), delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	h4, ok := r.Artifact.Item("H4")
	if !ok || h4.Text("claim") != "Cells use chromatin state inheritance for fate determination" || h4.Text("name") != "Epigenetic memory" {
		t.Fatalf("H4 = %v", h4)
	}
	if r.Artifact.Version() != 2 || !strings.Contains(strings.Join(names(r.Artifact.Metadata().Contributors), " "), "RedCreek") {
		t.Errorf("metadata %+v", r.Artifact.Metadata())
	}
}

func TestSeed_Example2EditsOnlyThePotencyCheck(t *testing.T) {
	// D5: only fields in the payload change.
	r := delta.Merge(seedBase(t), entries(t, seedExample2), delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	t1, _ := r.Artifact.Item("T1")
	if !strings.HasSuffix(t1.Text("potency_check"), "via vital dye") || t1.Text("name") != "Transplant" {
		t.Errorf("T1 = %v", t1.Text("potency_check"))
	}
}

func TestSeed_Example3KillsH2AndRendersItByteForByte(t *testing.T) {
	// D6, D19: the item stays, rendered as the specification prints it.
	r := delta.Merge(seedBase(t), entries(t, seedExample1, seedExample3), delta.Options{})
	wantOutcome(t, r, 1, delta.Applied, "")
	h2, _ := r.Artifact.Item("H2")
	if d := h2.Killed(); d == nil || d.By != "GreenDog" || delta.FormatInstant(d.At) != "2025-12-30T12:10:00Z" {
		t.Fatalf("killed = %+v", h2.Killed())
	}
	if md := delta.Render(r.Artifact); !strings.Contains(md, seedKilledItem) {
		t.Errorf("the rendering lacks\n%s\nin\n%s", seedKilledItem, md)
	}
}

func TestSeed_IllustrationsOfTheOperations(t *testing.T) {
	// D20: missing delta_id, timestamp and agent come from the envelope.
	env := delta.Envelope{Message: "m1", Agent: "RedCreek", Timestamp: "2025-12-30T11:00:00Z"}
	var all []delta.Entry
	for i, raw := range []string{seedAdd, seedEdit, seedKill} {
		d, err := delta.Parse([]byte(raw), env, i+1)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, delta.Entry{Delta: d, Message: "m1"})
	}
	base := seedBase(t)
	added := delta.Merge(base, all[:1], delta.Options{}).Artifact
	h4, _ := added.Item("H4")
	if got := strings.Join(h4.List("anchors"), " "); got != "§161 §205" {
		t.Errorf("anchors of H4: %s", got)
	}
	edited := delta.Merge(added, all[1:2], delta.Options{}).Artifact
	h2, _ := edited.Item("H2")
	if got := strings.Join(h2.List("anchors"), " "); got != "§161 §205 §212" {
		t.Errorf("anchors of H2: %s", got)
	}
	killed := delta.Merge(edited, all[2:], delta.Options{}).Artifact
	h2, _ = killed.Item("H2")
	if d := h2.Killed(); d == nil || d.Reason != "Superseded by H4 which incorporates this as a special case" {
		t.Errorf("killed = %+v", d)
	}
	if base.Version() != 1 || edited.Version() != 3 {
		t.Errorf("versions %d, %d", base.Version(), edited.Version())
	}
}

func TestSeed_ConflictTables(t *testing.T) {
	edit := func(id, at, agent, payload string) string {
		return `{"delta_id":"` + id + `","timestamp":"` + at + `","agent":"` + agent + `","operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":` + payload + `}`
	}
	kill := func(id, at, agent string) string {
		return `{"delta_id":"` + id + `","timestamp":"` + at + `","agent":"` + agent + `","operation":"KILL","target_id":"H1","section":"hypothesis_slate"}`
	}
	t.Run("ADD and ADD get different ids in timestamp order", func(t *testing.T) {
		early := strings.Replace(strings.Replace(seedExample1, "12:00:00", "11:59:59", 1), "d-abc123", "d-early", 1)
		r := delta.Merge(seedBase(t), entries(t, seedExample1, early), delta.Options{})
		if r.Outcomes[0].Item != "H5" || r.Outcomes[1].Item != "H4" {
			t.Errorf("%+v", r.Outcomes)
		}
	})
	t.Run("EDIT of field A and EDIT of field B both apply", func(t *testing.T) {
		r := delta.Merge(seedBase(t), entries(t, edit("1", "2025-12-31T00:00:00Z", "A1", `{"claim":"a"}`), edit("2", "2025-12-31T00:00:00Z", "B1", `{"mechanism":"b"}`)), delta.Options{})
		h1, _ := r.Artifact.Item("H1")
		if h1.Text("claim") != "a" || h1.Text("mechanism") != "b" {
			t.Errorf("%v", r.Outcomes)
		}
	})
	t.Run("EDIT and EDIT: last write wins", func(t *testing.T) {
		r := delta.Merge(seedBase(t), entries(t, edit("1", "2025-12-31T00:00:01Z", "A1", `{"claim":"late"}`), edit("2", "2025-12-31T00:00:00Z", "B1", `{"claim":"early"}`)), delta.Options{})
		if h1, _ := r.Artifact.Item("H1"); h1.Text("claim") != "late" {
			t.Errorf("claim %q", h1.Text("claim"))
		}
		wantOutcome(t, r, 1, delta.Superseded, "")
	})
	t.Run("KILL takes precedence over EDIT", func(t *testing.T) {
		r := delta.Merge(seedBase(t), entries(t, edit("1", "2025-12-31T00:00:00Z", "A1", `{"claim":"x"}`), kill("2", "2025-12-31T00:00:00Z", "B1")), delta.Options{})
		wantOutcome(t, r, 0, delta.Skipped, brenner.CodeTargetKilled)
		wantWarning(t, r, brenner.CodeTargetKilled)
	})
	t.Run("KILL and KILL are idempotent", func(t *testing.T) {
		r := delta.Merge(seedBase(t), entries(t, kill("1", "2025-12-31T00:00:01Z", "A1"), kill("2", "2025-12-31T00:00:00Z", "B1")), delta.Options{})
		wantOutcome(t, r, 0, delta.Skipped, "")
		wantOutcome(t, r, 1, delta.Applied, "")
	})
}

func TestArtifact_RoundTripsByteForByte(t *testing.T) {
	a := delta.Merge(seedBase(t), entries(t, seedExample1, seedExample2, seedExample3), delta.Options{}).Artifact
	raw := canon.MustMarshal(a)
	back, err := delta.ReadArtifact(raw)
	if err != nil {
		t.Fatal(err)
	}
	if again := canon.MustMarshal(back); string(again) != string(raw) {
		t.Errorf("wrote\n%s\nread back and wrote\n%s", raw, again)
	}
}
