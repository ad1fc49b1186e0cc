package delta_test

import (
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/delta"
)

func TestOver_NamesWhatAnEditWouldWriteAnew(t *testing.T) {
	// D10: texts of others, of fields and cells, that an EDIT would take the place of, and
	// the block that quotes them instead.
	base := prose(t)
	for _, c := range []struct {
		agent                    brenner.ActorName
		target, section, payload string
		over, quoting            string
	}{
		{"Cy", "RT", "research_thread", `{"statement":"Why?"}`, "statement Ann rt", `{"statement":{"old":"What decides cell fate, and when does it?","new":"Why?"}}`},
		{"Cy", "H3", "hypothesis_slate", `{"claim":"c","labels":["l"]}`, "claim Bob h3", `{"claim":{"old":"Fate follows the clone,\nnot the place; the clone decides","new":"c"},"labels":["l"]}`},
		{"Bob", "H3", "hypothesis_slate", `{"claim":"c"}`, "", ""},
		{"Cy", "H3", "hypothesis_slate", `{"claim":` + replacing("clone,", "clones,") + `}`, "", ""},
		{"Cy", "H3", "hypothesis_slate", `{"name":"third"}`, "", ""},                // it says so
		{"Cy", "H2", "hypothesis_slate", `{"mechanism":"both"}`, "", ""},            // it settles a conflict
		{"Cy", "H4", "hypothesis_slate", `{"claim":"c"}`, "", ""},                   // dead
		{"Cy", "H9", "hypothesis_slate", `{"claim":"c"}`, "", ""},                   // not there
		{"Cy", "X1", "anomaly_register", `{"resolution_plan":"measure"}`, "", ""},   // nobody has said anything there
		{"Cy", "H3", "hypothesis_slate", `{"third_alternative":true}`, "", ""},      // no words
		{"Cy", "X1", "anomaly_register", `{"conflicts_with":["H1","H2"]}`, "", ""},  // added to
		{"Ann", "P1", "predictions_table", `{"predictions":{"H1":"none"}}`, "", ""}, // its own
		{"Cy", "P1", "predictions_table", `{"predictions":{"H1":"none","H3":"new"}}`, "predictions.H1 Ann p", `{"predictions":{"H1":{"old":"keeps its fate","new":"none"},"H3":"new"}}`},
		{"Cy", "P1", "predictions_table", `{"predictions":{"H1":` + replacing("its", "the") + `,"H2":"none"}}`, "predictions.H2 Ann p", `{"predictions":{"H1":{"new":"the","old":"its"},"H2":{"old":"takes the new one","new":"none"}}}`},
		{"Cy", "P1.H2", "predictions_table", `{"outcome":"none"}`, "predictions.H2 Ann p", `{"outcome":{"old":"takes the new one","new":"none"}}`},
		{"Cy", "T1", "discriminative_tests", `{"last_run":{"by":"Cy","result":"log@3"}}`, "last_run Ann t", ""},
		{"Cy", "T1", "discriminative_tests", `{"expected_outcomes":{"H1":null}}`, "expected_outcomes.H1 Ann t", ""},
	} {
		e := message(t, "m", c.agent, noon, edit(c.target, c.section, c.payload))[0]
		item, all := e.Over(base, time.Time{})
		var said []string
		for _, o := range all {
			said = append(said, o.Field+" "+string(o.By)+" "+o.DeltaID)
			if base.Says(item, o.Field) != o.Text || o.Text == "" {
				t.Errorf("%s %s: %q", c.target, c.payload, o.Text)
			}
		}
		if got := strings.Join(said, ", "); got != c.over {
			t.Errorf("%s %s by %s: over %q", c.target, c.payload, c.agent, got)
		}
		if len(all) == 0 {
			continue
		}
		block := e.Quoting(all)
		if _, payload, _ := strings.Cut(block, `"payload":`); strings.TrimSuffix(payload, `,"rationale":"r"}`) != c.quoting {
			t.Errorf("%s %s: %s", c.target, c.payload, block)
		}
		if block == "" {
			continue
		}
		// It makes of the text what was meant.
		out, _ := delta.Complete(base, nil, message(t, "n", c.agent, noon, block), noon, false, delta.Options{})
		if out[0].Invalid != nil || !e.Partial() && string(out[0].Delta.Payload) != string(e.Delta.Payload) {
			t.Errorf("%s: %s, %v", block, out[0].Delta.Payload, out[0].Invalid)
		}
	}
	// Of two sentences the block has both, so that sent as it is it takes nothing away.
	long := "Fate follows the place, as the transplants of May show in nine of ten"
	both := message(t, "m", "Cy", noon, edit("H3", "hypothesis_slate", `{"claim":"`+long+`"}`))[0]
	_, over := both.Over(base, time.Time{})
	if want := `"new":"Fate follows the clone,\nnot the place; the clone decides\n` + long + `"`; !strings.Contains(both.Quoting(over), want) {
		t.Errorf("%s", both.Quoting(over))
	}
	// What was written later is not replaced.
	e := message(t, "m", "Cy", instant("2020-01-01T00:00:00Z"), edit("H3", "hypothesis_slate", `{"claim":"c"}`))[0]
	if _, over := e.Over(base, time.Time{}); len(over) > 0 {
		t.Errorf("%v", over)
	}
}

func TestOver_NamesWhatAKillWouldStrike(t *testing.T) {
	// D6: texts of others by which an item was changed since it was added; the block with
	// which it is killed all the same is another delta.
	base := mergeAll(t, prose(t), say("e3", 30, "Ann", "EDIT", "H3", "H", `{"claim":"Fate follows the place","labels":["l"]}`),
		say("e4", 31, "Bob", "EDIT", "P1", "P", `{"predictions":{"H2":"keeps it"}}`)).Artifact
	for _, c := range []struct {
		agent                 brenner.ActorName
		target, section, over string
	}{
		{"Cy", "H3", "hypothesis_slate", "claim Ann e3"},
		{"Bob", "H3", "hypothesis_slate", "claim Ann e3"}, // who added it too
		{"Ann", "H3", "hypothesis_slate", ""},
		{"Cy", "H1", "hypothesis_slate", ""}, // as it was added
		{"Cy", "H4", "hypothesis_slate", ""}, // dead
		{"Cy", "P1", "predictions_table", "predictions.H2 Bob e4"},
		{"Cy", "P1.H2", "predictions_table", "predictions.H2 Bob e4"},
		{"Cy", "P1.H1", "predictions_table", ""},
	} {
		e := message(t, "m", c.agent, noon, `{"operation":"KILL","target_id":"`+c.target+`","section":"`+c.section+`","payload":{"reason":"r"}}`)[0]
		_, all := e.Over(base, time.Time{})
		var said []string
		for _, o := range all {
			said = append(said, o.Field+" "+string(o.By)+" "+o.DeltaID)
		}
		if got := strings.Join(said, ", "); got != c.over {
			t.Errorf("%s by %s: over %q, want %q", c.target, c.agent, got, c.over)
		}
		if len(all) == 0 {
			continue
		}
		again := message(t, "n", c.agent, noon, e.Quoting(all))[0]
		if again.Invalid != nil || again.Delta.DeltaID == e.Delta.DeltaID || string(again.Delta.Payload) != string(e.Delta.Payload) || again.Delta.TargetID != e.Delta.TargetID {
			t.Errorf("%s: %+v", e.Quoting(all), again)
		}
	}
}

func TestAttacked_NamesWhatACritiqueIsAgainst(t *testing.T) {
	// D6: as a kill of it would strike; who withdraws a critique, or writes into another's,
	// leaves what it attacks alone.
	base := mergeAll(t, prose(t), say("c1", 29, "Cy", "ADD", "-", "C", `{"name":"Weak","attack":"a","evidence":"e","targets":["H3","H1"]}`),
		say("e3", 30, "Ann", "EDIT", "H3", "H", `{"claim":"Fate follows the place"}`)).Artifact
	for _, c := range []struct {
		agent   brenner.ActorName
		payload string
		want    delta.Stance
	}{
		{"Cy", `{"attack":"b"}`, delta.Presses},
		{"Cy", `{"attack":"b","evidence":"f"}`, delta.Presses},
		{"Cy", `{"current_status":"resolved only in part"}`, delta.Presses},
		{"Cy", `{"evidence":"f"}`, delta.Adds},
		{"Cy", `{"current_status":"settled by H3"}`, delta.Settles},
		{"Cy", `{"attack":"b","current_status":"settled"}`, delta.Settles},
		{"Bo", `{"current_status":"settled"}`, delta.Settles},
		{"Cy", `{"current_status":"withdrawn","evidence":"f"}`, delta.Leaves},
		{"Bo", `{"attack":"b"}`, delta.Leaves}, // who is no critic of it
	} {
		e := message(t, "m", c.agent, noon, `{"operation":"EDIT","target_id":"C2","section":"adversarial_critique","payload":`+c.payload+`}`)[0]
		got, all := e.Attacked(base, time.Time{})
		var said []string
		for _, o := range all {
			said = append(said, string(o.Item)+" "+o.Field)
		}
		want := "H3 claim"
		if c.want == delta.Leaves {
			want = ""
		}
		if over := strings.Join(said, ", "); got != c.want || over != want {
			t.Errorf("%s by %s: stance %d over %q, want %d over %q", c.payload, c.agent, got, over, c.want, want)
		}
	}
}
