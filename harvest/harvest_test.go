package harvest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
	"brenner/harvest"
)

const opening = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Ladder","claim":"A ladder decides","mechanism":"steps"}}
{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"A gradient decides","mechanism":"diffusion"}}
{"operation":"ADD","section":"assumption_ledger","payload":{"name":"Still","statement":"Cells do not move","load":"H2 falls if they do"}}
{"operation":"ADD","section":"predictions_table","payload":{"condition":"a cell is moved","predictions":{"H1":"keeps its fate","H2":"changes it"}}}
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Transplant","procedure":"move one","discriminates":"H1 from H2","expected_outcomes":{"H1":"keeps","H2":"changes"},"score":{"cost":2}}}
{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Range","attack":"H2 needs more reach than T1 could show"}}
{"operation":"ADD","section":"anomaly_register","payload":{"name":"odd","observation":"one twin differs"}}`

// merge merges replies, one delta a line, into a document.
func merge(t testing.TB, doc *delta.Artifact, lines string) *delta.Artifact {
	t.Helper()
	version := 0
	if doc != nil {
		version = doc.Version()
	}
	reply := ""
	for line := range strings.Lines(lines) {
		reply += "```delta\n" + strings.TrimSpace(line) + "\n```\n"
	}
	at := time.Date(2026, 1, 5, 9, version, 0, 0, time.UTC)
	said, err := delta.Extract([]byte(reply), delta.Envelope{Message: fmt.Sprintf("m-%d", version), Agent: "BlueLake", Timestamp: at.Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	r := delta.Merge(doc, said.Entries, delta.Options{})
	for _, o := range r.Outcomes {
		if o.Status != delta.Applied {
			t.Fatalf("%+v", o)
		}
	}
	return r.Artifact
}

// A5: hypotheses are models, tests and predictions plans of tests, assumptions
// and critiques what they are called; each linked to those it rests on.
func TestItems_AreTypedAndKnowWhatTheyRestOn(t *testing.T) {
	var got []string
	for _, it := range harvest.Items(merge(t, nil, opening)) {
		got = append(got, fmt.Sprintf("%s %s %q rests %v reviews %v", it.ID, it.Type, it.Summary, it.Rests, it.Reviews))
	}
	want := []string{
		`A1 assumption "A1: Still" rests [] reviews []`,
		`H1 model_spec "H1: Ladder" rests [] reviews []`,
		`H2 model_spec "H2: A gradient decides" rests [A1] reviews []`,
		`P1 test_plan "P1: a cell is moved" rests [H1 H2] reviews []`,
		`T1 test_plan "T1: Transplant" rests [H1 H2] reviews []`,
		`C1 critique "C1: Range" rests [] reviews [H2 T1]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every content is valid for its type.
func TestItems_AreValid(t *testing.T) {
	types, err := artifact.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range harvest.Items(merge(t, nil, opening)) {
		content, err := artifact.NewContent(artifact.JSON, it.Content)
		if err == nil {
			err = types.Validate(it.Type, content)
		}
		if err != nil {
			t.Errorf("%s: %v", it.ID, err)
		}
		if string(content.Data) != string(it.Content) {
			t.Errorf("%s is not canonical: %s", it.ID, it.Content)
		}
	}
}

// A5: what an item is follows from that item alone: a change of one, a kill of
// one and new ones leave the contents of all others as they were.
func TestItems_ContentFollowsItsOwnItemOnly(t *testing.T) {
	doc := merge(t, nil, opening)
	before := contents(doc)
	for changed, lines := range map[string]string{
		"H1": `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"A ladder of steps decides"}}`,
		"H2": `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"moved cells keep their fate"}}`,
		"A1": `{"operation":"EDIT","section":"assumption_ledger","target_id":"A1","payload":{"status":"falsified"}}`,
		"T2": `{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Better","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"x","H2":"y"},"score":{"cost":3,"speed":3}}}`,
	} {
		next := merge(t, doc, lines)
		for id, after := range contents(next) {
			if string(id) != changed && after != before[id] {
				t.Errorf("%s changed, and %s became %s", changed, id, after)
			}
		}
		if kill := changed == "H2"; (contents(next)[delta.ItemID(changed)] == before[delta.ItemID(changed)]) != kill {
			t.Errorf("%s: %s", changed, contents(next)[delta.ItemID(changed)])
		}
	}
}

func contents(doc *delta.Artifact) map[delta.ItemID]string {
	out := map[delta.ItemID]string{}
	for _, it := range harvest.Items(doc) {
		out[it.ID] = string(it.Content)
	}
	return out
}

// What was killed is listed as such, and nothing rests on it any more.
func TestItems_NameTheDead(t *testing.T) {
	doc := merge(t, merge(t, nil, opening), `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"it moved"}}`)
	for _, it := range harvest.Items(doc) {
		if (it.Killed != nil) != (it.ID == "H2") {
			t.Errorf("%s killed: %v", it.ID, it.Killed)
		}
		if slices.Contains(it.Rests, "H2") || slices.Contains(it.Reviews, "H2") {
			t.Errorf("%s rests on the dead", it.ID)
		}
	}
}

// A5: nothing that was said of an item is lost: an artifact has the item's texts,
// lists and outcomes under the names of its type, and nothing that was not said.
func TestItems_CarryWhatTheItemSays(t *testing.T) {
	doc := merge(t, nil, `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Ladder","claim":"A ladder decides","mechanism":"steps","anchors":["§1"],"third_alternative":true}}
{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"A gradient decides","mechanism":"diffusion"}}
{"operation":"ADD","section":"predictions_table","payload":{"condition":"a cell is moved","predictions":{"H1":"keeps its fate"}}}
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Transplant","procedure":"move one","discriminates":"H1 from H2","expected_outcomes":{"H1":"keeps","H2":"changes"},"actual_outcomes":{"H1":"kept"},"score":{"cost":2}}}
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Wait","procedure":"wait","discriminates":"H1 from H2","expected_outcomes":{"H1":"still","H2":"moves"}}}`)
	got := contents(doc)
	for id, want := range map[delta.ItemID]string{
		"H1": `{"anchors":["§1"],"description":"A ladder decides","item":"H1","mechanism":"steps","name":"Ladder","third_alternative":true}`,
		"H2": `{"description":"A gradient decides","item":"H2","mechanism":"diffusion","name":"A gradient decides"}`,
		"P1": `{"condition":"a cell is moved","expected_outcomes":{"H1":"keeps its fate"},"item":"P1","name":"a cell is moved"}`,
		"T1": `{"actual_outcomes":{"H1":"kept"},"discriminates":"H1 from H2","expected_outcomes":{"H1":"keeps","H2":"changes"},"item":"T1","name":"Transplant","procedure":"move one","score":{"cost":"2"}}`,
		"T2": `{"discriminates":"H1 from H2","expected_outcomes":{"H1":"still","H2":"moves"},"item":"T2","name":"Wait","procedure":"wait"}`,
	} {
		if got[id] != want {
			t.Errorf("%s is\n%s\nwant\n%s", id, got[id], want)
		}
	}
}

// Items and links come by section and number, H2 before H10, whatever a score
// or a sentence says; a link to what is no artifact is none, and there are at
// most a hundred.
func TestItems_AreInTheOrderOfTheirNumbers(t *testing.T) {
	lines := ""
	for i := range 101 {
		lines += fmt.Sprintf(`{"operation":"ADD","section":"assumption_ledger","payload":{"name":"n%d","statement":"s%d","load":"H1 falls"}}`+"\n", i, i)
	}
	lines += `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"A ladder decides","mechanism":"steps"}}
{"operation":"ADD","section":"anomaly_register","payload":{"name":"odd","observation":"one twin differs"}}
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Poor","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"x"},"score":{"cost":1}}}
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Better","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"x"},"score":{"cost":3,"speed":3}}}
{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Range","attack":"T2, A10, A2 and H1 say what X1 denies"}}`
	doc := merge(t, nil, lines)
	var ids []delta.ItemID
	for _, it := range harvest.Items(doc) {
		ids = append(ids, it.ID)
		switch it.ID {
		case "H1":
			if len(it.Rests) != 100 || it.Rests[1] != "A2" || it.Rests[99] != "A100" {
				t.Errorf("H1 rests on %v", it.Rests)
			}
		case "C1":
			if want := []delta.ItemID{"A2", "A10", "H1", "T2"}; !slices.Equal(it.Reviews, want) {
				t.Errorf("C1 is about %v, want %v", it.Reviews, want)
			}
		}
	}
	var want []delta.ItemID
	for i := range 101 {
		want = append(want, delta.ItemID(fmt.Sprintf("A%d", i+1)))
	}
	if want = append(want, "H1", "T1", "T2", "C1"); !slices.Equal(ids, want) {
		t.Errorf("items come as %v", ids)
	}
}

// A summary is about as long as a summary may be, and not longer.
func TestItems_SummariesFit(t *testing.T) {
	doc := merge(t, nil, fmt.Sprintf(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":%q,"mechanism":"m"}}`, strings.Repeat("long ", 400)))
	if got := len([]rune(harvest.Items(doc)[0].Summary)); got > brenner.MaxSummaryRunes || got < brenner.MaxSummaryRunes-5 {
		t.Errorf("a summary has %d characters, of %d", got, brenner.MaxSummaryRunes)
	}
}

// A session of one hypothesis is harvested into a model.
func Example() {
	doc, err := delta.New("RS-1", "Why do the cells stop dividing?", nil, time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	if err != nil {
		panic(err)
	}
	const reply = "```delta\n" +
		`{"operation": "ADD", "section": "hypothesis_slate", "payload": {"claim": "They run out of glucose", "mechanism": "Uptake saturates"}}` + "\n```\n"
	said, err := delta.Extract([]byte(reply), delta.Envelope{Message: "m-7", Agent: "BlueLake", Timestamp: "2026-01-05T09:05:00Z"})
	if err != nil {
		panic(err)
	}
	for _, it := range harvest.Items(delta.Merge(doc, said.Entries, delta.Options{}).Artifact) {
		fmt.Println(harvest.Artifact("RS-1", it.ID), it.Type, it.Summary)
	}
	// Output:
	// RS-1-H1 model_spec H1: They run out of glucose
}
