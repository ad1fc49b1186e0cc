package delta_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// wide draws edits of one row that has more keys, fields of its own and labels
// than are searched in line.
func wide(t *rapid.T) {
	g := &caseGen{T: t}
	count := 0
	entry := func(op delta.Operation, target string, payload map[string]any) delta.Entry {
		count++
		e := delta.Entry{Delta: delta.Delta{
			DeltaID: fmt.Sprintf("w%d", count), Agent: someAgents[g.pick(len(someAgents))], Timestamp: g.one(someInstants...), Operation: op,
			TargetID: delta.Target(target), Section: delta.PredictionsTable, Seq: g.pick(3), Payload: jsontext.Value(canon.MustMarshal(payload)),
		}}
		if g.chance(4) {
			e.Message = g.one("m1", "m2")
		}
		return e
	}
	cells := func(n int) map[string]any {
		m := map[string]any{}
		for range n {
			m[fmt.Sprintf("key %d", g.pick(40))] = g.one("up", "down")
		}
		return m
	}
	add := entry(delta.Add, "", map[string]any{"condition": "c", "predictions": cells(30)})
	add.Delta.ProvisionalID = ""
	batch := []delta.Entry{add}
	for range rapid.IntRange(20, 80).Draw(t, "edits") {
		payload := map[string]any{}
		switch g.pick(4) {
		case 0:
			m := cells(1 + g.pick(3))
			if g.chance(4) {
				m[fmt.Sprintf("key %d", g.pick(40))] = nil
			}
			payload["predictions"] = m
		case 1:
			for range 1 + g.pick(8) {
				payload[fmt.Sprintf("own %d", g.pick(30))] = g.pick(2)
			}
		default:
			labels := []string{}
			for range 1 + g.pick(25) {
				labels = append(labels, fmt.Sprintf("l%d", g.pick(60)))
			}
			payload["labels"] = labels
			if g.chance(6) {
				payload["labels_replace"] = true
			}
		}
		batch = append(batch, entry(delta.Edit, "P1", payload))
	}
	if g.chance(4) {
		batch = append(batch, entry(delta.Kill, "P1", map[string]any{"reason": "r"}))
	}
	half := len(batch) / 2
	inEveryOrder(t, [][]delta.Entry{batch[:half], batch[half:]}, g.options(), rapid.Uint64().Draw(t, "shuffle"))
}

func TestMerge_WideItemsAgainstTheOracle(t *testing.T) {
	// D5, D9, D10, D22, D23: an item with many fields, keys and elements, which
	// are looked up by other means than few, shows what the oracle says.
	check(t, soaked(16, 4_000), wide)
}

func TestNew_RefusesWhatNoArtifactCanHave(t *testing.T) {
	// D18: a session id, a question and a roster that are none.
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if a, err := delta.New("RS-1", "Why?", jsontext.Value(`{"b":1, "a":2}`), at); err != nil || string(a.Metadata().Roster) != `{"a":2,"b":1}` || a.Metadata().CreatedAt != "2026-01-01T00:00:00Z" {
		t.Error(a, err)
	}
	if a, err := delta.New("", "", nil, time.Time{}); err != nil || a.Metadata().CreatedAt != "" || a.Version() != 0 || a.Opened().Version() != 1 || a.Version() != 0 {
		t.Error(a, err)
	}
	for _, c := range []struct {
		session brenner.SessionID
		text    string
		roster  string
		want    brenner.Code
	}{
		{"no id", "", "", brenner.CodeInvalidID}, {"RS-1", "a\xff", "", brenner.CodeInvalidText}, {"RS-1", "", `{"a":`, brenner.CodeInvalidJSON},
	} {
		if _, err := delta.New(c.session, c.text, jsontext.Value(c.roster), at); brenner.CodeOf(err) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestResult_CountsWhatIsRecorded(t *testing.T) {
	// D18: applied, superseded and conflicted deltas are recorded, no others.
	base := mergeAll(t, nil, hypotheses(3)...).Artifact
	edit := func(id, at, claim string, agent brenner.ActorName) delta.Entry {
		return delta.Entry{Delta: delta.Delta{
			DeltaID: id, Agent: agent, Timestamp: at, Operation: delta.Edit, TargetID: "H1", Section: delta.HypothesisSlate,
			Payload: jsontext.Value(`{"claim":"` + claim + `"}`),
		}}
	}
	rejected := edit("e5", "2026-05-01T00:00:00Z", "x", "Ann")
	rejected.Delta.TargetID = "H9"
	r := delta.Merge(base, []delta.Entry{
		edit("e1", "2026-05-01T00:00:00Z", "old", "Ann"), edit("e2", "2026-05-02T00:00:00Z", "a", "Ann"), edit("e3", "2026-05-02T00:00:00Z", "b", "Bob"),
		edit("e2", "2026-05-02T00:00:00Z", "a", "Ann"), rejected,
	}, delta.Options{})
	want := []delta.Status{delta.Superseded, delta.Conflicted, delta.Conflicted, delta.Duplicate, delta.Rejected}
	for i, o := range r.Outcomes {
		if o.Status != want[i] {
			t.Errorf("%d: %+v", i, o)
		}
	}
	if r.Recorded() != 3 {
		t.Errorf("%d recorded", r.Recorded())
	}
	authors := delta.ContributorsSince(base, r.Artifact)
	if fmt.Sprint(authors) != "[Ann Bob]" || len(delta.ContributorsSince(r.Artifact, r.Artifact)) != 0 {
		t.Error(authors)
	}
}

func TestExtraction_OnlyMendedGivesWhatWasNotTaken(t *testing.T) {
	// D20: what was read as sent is not given a second time.
	x, err := delta.ReadDeltas([]byte("```delta\n"+meant[4]+"\n```\n\n```json\n"+meant[2]+"\n```\n\n```delta\n{\"operation\":\"ADD\"}\n```\n"), replyEnvelope)
	if err != nil {
		t.Fatal(err)
	}
	only, all := x.OnlyMended(), x.AcceptMended()
	if x.Usable() != 1 || only.Usable() != 1 || len(only.Accepted) != 1 || only.Entries[0].Delta.Operation != delta.Edit || all.Usable() != 2 || len(all.Entries) != 3 {
		t.Errorf("%d usable, %d mended, %d in all", x.Usable(), only.Usable(), all.Usable())
	}
	if only.Entries[0].Delta.DeltaID != all.Entries[1].Delta.DeltaID {
		t.Errorf("%s and %s", only.Entries[0].Delta.DeltaID, all.Entries[1].Delta.DeltaID)
	}
}

func TestLintDeltas_SaysWhatTheMergeWouldRefuse(t *testing.T) {
	// D20, D21: refusals with their pointers, warnings, and nothing about what is
	// in order.
	found, err := delta.LintDeltas([]byte("["+meant[4]+`,{"operation":"ADD","target_id":null,"section":"hypothesis_slate","payload":{"mechanism":"m"}},`+
		`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","payload":{"claim":"c","mechanism":"m","mood":"good"}}]`), replyEnvelope)
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	if f := found[0]; f.Code != brenner.CodeMissingRequiredField || f.Severity != brenner.SeverityError || f.Pointer != "/payload/claim" || f.Subject == "" {
		t.Errorf("%+v", f)
	}
	if f := found[1]; f.Code != brenner.CodeUnknownField || f.Severity != brenner.SeverityWarning || !strings.Contains(f.Message, `"mood"`) {
		t.Errorf("%+v", f)
	}
	if _, err := delta.LintDeltas(make([]byte, brenner.MaxDeltaInputBytes+1), replyEnvelope); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Error(err)
	}
}

func TestExtract_Limits(t *testing.T) {
	// D20: what is too long is refused as a whole; what has too many brackets is
	// read as far as it goes, and says so.
	if _, err := delta.Extract(make([]byte, brenner.MaxReplyBytes+1), replyEnvelope); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Error(err)
	}
	many := strings.Repeat(`{"a":1}`+"\n", brenner.MaxDeltas+1)
	if _, err := delta.ReadDeltas([]byte(many), replyEnvelope); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Error(err)
	}
	payload := `{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"own":1e999}}`
	x, err := delta.ReadDeltas([]byte(payload), replyEnvelope)
	if err != nil || x.Usable() != 0 || x.Entries[0].Invalid.Pointer != "/payload/own" {
		t.Errorf("%v %+v", err, x.Entries)
	}
}

func TestDecodeReply(t *testing.T) {
	// D20: a reply in UTF-8 is itself; another encoding is named.
	for in, want := range map[string][2]string{
		"caf\u00e9": {"café", ""}, "\uFEFFx": {"x", ""}, "caf\xe9": {"café", "Windows-1252"}, "\xff\xfea\x00b\x00": {"ab", "UTF-16"}, "a\x00b\x00c\x00": {"abc", "UTF-16"}, "": {"", ""},
	} {
		if text, encoding := delta.DecodeReply([]byte(in)); text != want[0] || encoding != want[1] {
			t.Errorf("%q: %q %q", in, text, encoding)
		}
	}
}
