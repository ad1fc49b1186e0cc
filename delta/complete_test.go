package delta_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// message reads the deltas of a message as a session does.
func message(t testing.TB, id string, agent brenner.ActorName, now time.Time, raws ...string) []delta.Entry {
	t.Helper()
	x, err := delta.ReadDeltas([]byte("["+strings.Join(raws, ",")+"]"), delta.Envelope{
		Message: id, Agent: agent, Timestamp: delta.FormatInstant(now), Received: now, Parts: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return x.Entries
}

// edit is an EDIT without what its message supplies.
func edit(target, section, payload string) string {
	return fmt.Sprintf(`{"operation":"EDIT","target_id":%q,"section":%q,"payload":%s,"rationale":"r"}`, target, section, payload)
}

func replacing(old, now string) string {
	return string(canon.MustMarshal(map[string]string{"old": old, "new": now}))
}

var noon = instant("2026-01-01T13:00:00Z")

// prose is a document with texts to change: an item of every section, one that was
// killed, one in conflict.
func prose(t testing.TB) *delta.Artifact {
	t.Helper()
	return mergeAll(t, nil, append(hypotheses(2),
		say("rt", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"What decides cell fate, and when does it?","context":"none yet"}`),
		say("h3", 5, "Bob", "ADD", "-", "H", `{"name":"third","claim":"Fate follows the clone,\nnot the place; the clone decides","mechanism":"m","note":"a field of its own"}`),
		say("p", 6, "Ann", "ADD", "-", "P", `{"condition":"late graft","predictions":{"H1":"keeps its fate","H2":"takes the new one"}}`),
		say("t", 7, "Ann", "ADD", "-", "T", `{"name":"graft","procedure":"graft late","discriminates":"H1 from H2","expected_outcomes":{"H1":"kept"},"actual_outcomes":{"H1":"kept in 7 of 9"},"last_run":{"by":"Ann","result":"log@2"}}`),
		say("a", 8, "Ann", "ADD", "-", "A", `{"name":"a","statement":"cells can be told apart","status":"unchecked"}`),
		say("x", 8, "Ann", "ADD", "-", "X", `{"name":"x","observation":"two cells ignore it"}`),
		say("c", 8, "Ann", "ADD", "-", "C", `{"name":"c","attack":"both suppose fate"}`),
		say("h4", 9, "Ann", "ADD", "-", "H", `{"name":"dead","claim":"dead","mechanism":"m"}`),
		say("k", 10, "Bob", "KILL", "H4", "H", `{"reason":"r"}`),
		say("e1", 20, "Ann", "EDIT", "H2", "H", `{"mechanism":"one way"}`),
		say("e2", 20, "Bob", "EDIT", "H2", "H", `{"mechanism":"another way"}`),
	)...).Artifact
}

func TestComplete_PartsOfEveryKindOfText(t *testing.T) {
	// D5: an EDIT may replace parts of a text, of an item of any section, of a cell,
	// of a field that its section does not know.
	base := prose(t)
	for _, c := range []struct{ target, section, payload, want string }{
		{"RT", "research_thread", `{"statement":` + replacing("cell fate", "the fate of a cell") + `}`, `{"statement":"What decides the fate of a cell, and when does it?"}`},
		{"H3", "hypothesis_slate", `{"claim":` + replacing("not the place", "never the place") + `,"name":"new"}`, `{"claim":"Fate follows the clone,\nnever the place; the clone decides","name":"new"}`},
		{"H3", "hypothesis_slate", `{"claim":` + replacing(" the clone decides", "") + `}`, `{"claim":"Fate follows the clone,\nnot the place;"}`},
		{"H3", "hypothesis_slate", `{"note":` + replacing("a field", "words") + `}`, `{"note":"words of its own"}`},
		{"P1", "predictions_table", `{"predictions":{"H1":` + replacing("its", "the old") + `,"H2":"none"}}`, `{"predictions":{"H1":"keeps the old fate","H2":"none"}}`},
		{"P1.H2", "predictions_table", `{"outcome":` + replacing("takes", "has") + `}`, `{"outcome":"has the new one"}`},
		{"T1", "discriminative_tests", `{"actual_outcomes":{"H1":` + replacing("7 of 9", "8 of 9") + `},"expected_outcomes":{"H1":` + replacing("kept", "it is kept") + `}}`, `{"actual_outcomes":{"H1":"kept in 8 of 9"},"expected_outcomes":{"H1":"it is kept"}}`},
		{"T1", "discriminative_tests", `{"last_run":` + replacing("log@2", "log@3") + `}`, `{"last_run":"Ann; log@3"}`},
		{"A1", "assumption_ledger", `{"status":` + replacing("unchecked", "verified") + `}`, `{"status":"verified"}`},
		{"X1", "anomaly_register", `{"observation":[` + replacing("two", "three") + `,` + replacing("three cells", "3 cells") + `]}`, `{"observation":"3 cells ignore it"}`},
		{"C1", "adversarial_critique", `{"attack":` + replacing("suppose", "presuppose") + `}`, `{"attack":"both presuppose fate"}`},
		// Texts are shown with further lines indented.
		{"H3", "hypothesis_slate", `{"claim":` + replacing("the clone,\n    not the", "the clone,\n    and not the") + `}`, `{"claim":"Fate follows the clone,\nand not the place; the clone decides"}`},
		{"H3", "hypothesis_slate", `{"claim":` + replacing("  Fate  follows ", " Fate comes of ") + `}`, `{"claim":"Fate comes of the clone,\nnot the place; the clone decides"}`},
	} {
		sent := message(t, "m", "Cy", noon, edit(c.target, c.section, c.payload))
		out, _ := delta.Complete(base, nil, sent, noon, false, delta.Options{})
		if out[0].Invalid != nil || string(out[0].Delta.Payload) != c.want {
			t.Errorf("%s %s: %v, payload %s, want %s", c.target, c.payload, out[0].Invalid, out[0].Delta.Payload, c.want)
			continue
		}
		if string(out[0].Sent) != string(sent[0].Delta.Payload) || sent[0].Partial() == out[0].Partial() {
			t.Errorf("%s: sent as %s, kept as %s", c.target, sent[0].Delta.Payload, out[0].Sent)
		}
		if r := delta.Merge(base, out, delta.Options{}); r.Outcomes[0].Status != delta.Applied {
			t.Errorf("%s %s: %+v", c.target, c.payload, r.Outcomes[0])
		}
	}
}

func TestComplete_KeepsThePartsOfARun(t *testing.T) {
	// D5: what an EDIT does not name of the parts of a run stays, as in a map; ADR 0182.
	base := prose(t)
	for _, c := range []struct{ name, agent, payload, want, text string }{
		{"a part more", "Ann", `{"last_run":{"how":"by hand"}}`, `{"last_run":{"how":"by hand","by":"Ann","result":"log@2"}}`, "Ann; by hand; log@2"},
		{"another text for a part", "Ann", `{"last_run":{"result":"log@3"},"status":"run"}`, `{"last_run":{"result":"log@3","by":"Ann"},"status":"run"}`, "Ann; log@3"},
		{"a part taken out", "Ann", `{"last_run":{"result":""}}`, `{"last_run":{"result":"","by":"Ann"}}`, "Ann"},
		{"when it was", "Ann", `{"last_run":{"at":"noon"}}`, `{"last_run":{"at":"noon","by":"Ann","result":"log@2"}}`, "noon; Ann; log@2"},
		{"all parts that there were", "Ann", `{"last_run":{"by":"Ann","result":"log@9"}}`, "", "Ann; log@9"},
		{"a run of another's", "Bob", `{"last_run":{"how":"by machine"}}`, "", "by machine"},
		{"a run by another", "Ann", `{"last_run":{"by":"Bob","how":"by machine"}}`, "", "Bob; by machine"},
		{"a text", "Ann", `{"last_run":"by hand"}`, "", "by hand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, texts := delta.Complete(base, nil, message(t, "m", brenner.ActorName(c.agent), noon, edit("T1", "discriminative_tests", c.payload)), noon, false, delta.Options{})
			if out[0].Invalid != nil {
				t.Fatal(out[0].Invalid)
			}
			if got := string(out[0].Delta.Payload); got != cmp.Or(c.want, c.payload) {
				t.Errorf("%s", got)
			}
			if told := len(texts[0]) == 1 && texts[0][0].Text == c.text; told != (c.want != "") {
				t.Errorf("its author is told %v", texts[0])
			}
			if got := textOf(t, delta.Merge(base, out, delta.Options{}).Artifact, "T1", "last_run"); got != c.text {
				t.Errorf("it says %q, not %q", got, c.text)
			}
		})
	}

	// One after the other, in one message and after it.
	out, _ := delta.Complete(base, nil, message(t, "m", "Ann", noon,
		edit("T1", "discriminative_tests", `{"last_run":{"how":"by hand"}}`),
		edit("T1", "discriminative_tests", `{"last_run":{"control":"none moved"}}`)), noon, false, delta.Options{})
	again, _ := delta.Complete(base, out, message(t, "n", "Ann", noon, edit("T1", "discriminative_tests", `{"last_run":{"result":"log@3"}}`)), noon, false, delta.Options{})
	if got := textOf(t, delta.Merge(base, slices.Concat(out, again), delta.Options{}).Artifact, "T1", "last_run"); got != "Ann; by hand; control: none moved; log@3" {
		t.Errorf("it says %q", got)
	}

	// What has nothing to be completed with goes its way: a merge says what became of it.
	out, _ = delta.Complete(base, nil, message(t, "m", "Ann", noon,
		edit("T7", "discriminative_tests", `{"last_run":{"how":"by hand"}}`)), noon, false, delta.Options{})
	if out[0].Invalid != nil || len(out[0].Sent) > 0 {
		t.Errorf("%v", out[0])
	}
}

func TestComplete_RefusesAlone(t *testing.T) {
	// D5, D7: what cannot be replaced is refused alone, and says why.
	base := prose(t)
	for _, c := range []struct {
		name, raw, pointer, says, text string
		code                           brenner.Code
	}{
		{
			"not there", edit("H3", "hypothesis_slate", `{"claim":`+replacing("fate follows the stem", "x")+`}`), "/payload/claim/old",
			"the words of old do not stand in claim of H3, which Bob wrote at 2026-01-01T12:00:05Z", "Fate follows the clone,\nnot the place; the clone decides", brenner.CodeAnchorNotFound,
		},
		{"done already", edit("H3", "hypothesis_slate", `{"claim":`+replacing("a clone", "the clone decides")+`}`), "/payload/claim/old", "those of new stand there already", "", brenner.CodeAnchorNotFound},
		{"another field", edit("RT", "research_thread", `{"context":`+replacing("What decides", "x")+`}`), "/payload/context/old", "do not stand in context of RT, which Ann wrote at 2026-01-01T12:00:00Z; they stand in statement of RT", "none yet", brenner.CodeAnchorNotFound},
		{"another item", edit("H3", "hypothesis_slate", `{"claim":`+replacing("kept in 7 of 9", "x")+`}`), "/payload/claim/old", "; they stand in actual_outcomes.H1 of T1", "", brenner.CodeAnchorNotFound},
		{"few words of another item", edit("H3", "hypothesis_slate", `{"claim":`+replacing("both suppose", "x")+`}`), "/payload/claim/old", "12:00:05Z", "", brenner.CodeAnchorNotFound},
		{"dots", edit("H3", "hypothesis_slate", `{"claim":`+replacing("Fate … decides", "x")+`}`), "/payload/claim/old", "do not stand", "", brenner.CodeAnchorNotFound},
		{"twice", edit("H3", "hypothesis_slate", `{"claim":`+replacing("the clone", "x")+`}`), "/payload/claim/old", "stand in claim of H3 2 times", "the clone", brenner.CodeAnchorAmbiguous},
		{"the second", edit("H3", "hypothesis_slate", `{"claim":[`+replacing("place", "site")+`,`+replacing("place", "x")+`]}`), "/payload/claim/1/old", "; 1 of the 2 pairs fit", "", brenner.CodeAnchorNotFound},
		{"no text yet", edit("H3", "hypothesis_slate", `{"nothing":`+replacing("a", "b")+`}`), "/payload/nothing/old", "says nothing yet", "", brenner.CodeAnchorNotFound},
		{"no cell", edit("P1", "predictions_table", `{"predictions":{"H3":`+replacing("a", "b")+`}}`), "/payload/predictions/H3/old", "predictions.H3 of P1 says nothing yet", "", brenner.CodeAnchorNotFound},
		{"a map", edit("P1", "predictions_table", `{"predictions":`+replacing("a", "b")+`}`), "/payload/predictions", "is a map of texts", "", brenner.CodeInvalidDelta},
		{"no item", edit("H9", "hypothesis_slate", `{"claim":`+replacing("a", "b")+`}`), "/target_id", "there is no H9", "", brenner.CodeInvalidTarget},
		{"no name", edit("H-NEW", "hypothesis_slate", `{"claim":`+replacing("a", "b")+`}`), "/target_id", "yet", "", brenner.CodeInvalidTarget},
		{"killed", edit("H4", "hypothesis_slate", `{"claim":`+replacing("dead", "b")+`}`), "/target_id", "killed by Bob", "", brenner.CodeTargetKilled},
		{"in conflict", edit("H2", "hypothesis_slate", `{"mechanism":`+replacing("way", "b")+`}`), "/payload/mechanism", "in conflict", "", brenner.CodeFieldConflict},
		{"a bad value", edit("A1", "assumption_ledger", `{"status":`+replacing("unchecked", "maybe")+`}`), "/payload/status", "no such value", "", brenner.CodeInvalidValue},
		{"nothing left", edit("X1", "anomaly_register", `{"observation":`+replacing("two cells ignore it", " ")+`}`), "/payload/observation", "blank", "", brenner.CodeMissingRequiredField},
		// What is refused before the document is looked at.
		{"empty", edit("H3", "hypothesis_slate", `{"claim":{"old":" ","new":"x"}}`), "/payload/claim/old", "old is empty", "", brenner.CodeInvalidDelta},
		{"the same", edit("H3", "hypothesis_slate", `{"claim":{"old":"x","new":"x"}}`), "/payload/claim/new", "says what old says", "", brenner.CodeInvalidDelta},
		{"one alone", edit("H3", "hypothesis_slate", `{"claim":{"old":"x"}}`), "/payload/claim", "has old and new", "", brenner.CodeInvalidDelta},
		{"one more", edit("H3", "hypothesis_slate", `{"claim":{"old":"x","new":"y","all":true}}`), "/payload/claim/all", "only old and new", "", brenner.CodeInvalidDelta},
		{"no string", edit("H3", "hypothesis_slate", `{"claim":{"old":"x","new":1}}`), "/payload/claim/new", "not a string", "", brenner.CodeInvalidDelta},
		{"too many", edit("H3", "hypothesis_slate", `{"claim":[`+strings.Repeat(replacing("a", "b")+",", 16)+replacing("a", "b")+`]}`), "/payload/claim", "more than 16 replacements", "", brenner.CodeLimitExceeded},
		{"ADD", `{"operation":"ADD","section":"anomaly_register","payload":{"name":"n","observation":` + replacing("a", "b") + `}}`, "/payload/observation", "an ADD has no text yet", "", brenner.CodeInvalidDelta},
	} {
		sent := message(t, "m", "Cy", noon, c.raw, edit("H1", "hypothesis_slate", `{"claim":`+replacing("c1", "done")+`}`))
		out, texts := delta.Complete(base, nil, sent, noon, false, delta.Options{})
		why := out[0].Invalid
		if why == nil || why.Code != c.code || !strings.Contains(why.Message, c.says) ||
			strings.Contains(why.Message, "they stand in") != strings.Contains(c.says, "they stand in") || c.pointer != "" && why.Pointer != c.pointer || why.Hint == "" {
			t.Errorf("%s: %+v", c.name, why)
			continue
		}
		if c.text != "" && (len(texts[0]) != 1 || !strings.Contains(texts[0][0].Text, c.text)) {
			t.Errorf("%s: nearest %+v", c.name, texts[0])
		}
		r := delta.Merge(base, out, delta.Options{})
		wantOutcome(t, r, 0, delta.Rejected, c.code)
		wantOutcome(t, r, 1, delta.Applied, "")
	}
}

func TestComplete_LeavesOutPairsThatDoNotFit(t *testing.T) {
	// D5, ADR 0224: who is told of it at once loses no pair of a text to another; where
	// none fits, or where it is the only one, the delta is refused as it was.
	base := prose(t)
	both := `{"claim":[` + replacing("place", "site") + `,` + replacing("stem", "x") + `,` + replacing("the clone", "y") + `,` + replacing("Fate", "It") + `],"name":"new"}`
	complete := func(told bool, payload string) (delta.Entry, []delta.FieldText) {
		t.Helper()
		out, texts := delta.Complete(base, nil, message(t, "m", "Cy", noon, edit("H3", "hypothesis_slate", payload)), noon, told, delta.Options{})
		return out[0], texts[0]
	}
	out, texts := complete(true, both)
	if want := `{"claim":"It follows the clone,\nnot the site; the clone decides","name":"new"}`; out.Invalid != nil || string(out.Delta.Payload) != want {
		t.Fatalf("%v, %s", out.Invalid, out.Delta.Payload)
	}
	if want := `{"claim":[` + replacing("place", "site") + `,` + replacing("Fate", "It") + `],"name":"new"}`; string(out.Sent) != want {
		t.Errorf("kept as %s", out.Sent)
	}
	var left []string
	for _, l := range texts[0].Left {
		left = append(left, fmt.Sprintf("%d of %d %s %s %v", l.Pair, l.Of, l.Why.Code, l.Why.Pointer, l.Near != ""))
	}
	if want := []string{"2 of 4 ANCHOR_NOT_FOUND /payload/claim/1/old true", "3 of 4 ANCHOR_AMBIGUOUS /payload/claim/2/old true"}; !slices.Equal(left, want) {
		t.Errorf("left out %q", left)
	}
	r := delta.Merge(base, []delta.Entry{out}, delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	only, _ := complete(true, strings.Replace(both, `,"name":"new"`, "", 1))
	if r := delta.Merge(base, []delta.Entry{only}, delta.Options{}); !only.Stands(r.Artifact, "H3") {
		t.Error("what it went without is missed")
	}

	for _, c := range []struct {
		payload string
		told    bool
		says    string
	}{
		{both, false, "; 2 of the 4 pairs fit"},
		{`{"claim":[` + replacing("stem", "x") + `,` + replacing("the clone", "y") + `],"name":"new"}`, true, "; 0 of the 2 pairs fit"},
		{`{"claim":[` + replacing("place", "site") + `],"note":` + replacing("stem", "x") + `}`, true, "do not stand in note of H3"},
	} {
		out, texts := complete(c.told, c.payload)
		if out.Invalid == nil || !strings.Contains(out.Invalid.Message, c.says) || len(texts) != 1 || len(texts[0].Left) > 0 {
			t.Errorf("%s: %v, %+v", c.payload, out.Invalid, texts)
		}
	}
}

func TestComplete_SaysWhatStandsWhereTheWordsStood(t *testing.T) {
	// D5, D7: words that another wrote over are answered with what stands in their place, not
	// with a passage that is like them.
	filler := func(of string) string { return strings.Repeat("The rows of "+of+" were counted twice by hand. ", 12) }
	first := filler("May") + "A field of 8 bytes is read (<= 6 % seen) in the cold room. " + filler("June") + "Of the others <= 6 % were seen to fail. " + filler("July")
	say := func(queue []delta.Entry, id string, agent brenner.ActorName, payload string) []delta.Entry {
		t.Helper()
		out, _ := delta.Complete(prose(t), queue, message(t, id, agent, noon, edit("H3", "hypothesis_slate", payload)), noon, true, delta.Options{})
		if out[0].Invalid != nil {
			t.Fatal(out[0].Invalid)
		}
		return slices.Concat(queue, out)
	}
	whole := func(text string) string { return string(canon.MustMarshal(map[string]string{"claim": text})) }
	queue := say(nil, "m1", "Ann", whole(first))
	queue = say(queue, "m2", "Bob", `{"claim":`+replacing("(<= 6 % seen) in", "with no loss, else two of a hundred, in")+`}`)
	queue = say(queue, "m3", "Ann", `{"claim":[`+replacing(filler("May"), "Of May nothing. ")+`,`+replacing("the cold room", "a room")+`]}`)
	for _, c := range []struct{ old, near string }{
		{"(<= 6 % seen)", "…of 8 bytes is read with no loss, else two of a hundred, in a room. The rows of June…"},
		{"in the cold room", "…no loss, else two of a hundred, in a room. The rows of June were counted twice…"},
	} {
		out, texts := delta.Complete(prose(t), queue, message(t, "m", "Cy", noon, edit("H3", "hypothesis_slate", `{"claim":`+replacing(c.old, "x")+`}`)), noon, true, delta.Options{})
		if out[0].Invalid == nil || len(texts[0]) != 1 {
			t.Fatalf("%v %+v", out[0].Invalid, texts)
		}
		got := texts[0][0].Text
		for part := range strings.SplitSeq(strings.Trim(c.near, "…"), "…") {
			if !strings.Contains(got, part) || len(got) > 300 {
				t.Errorf("%q: %q", c.old, got)
			}
		}
	}
	// What was taken out altogether, and what never stood there, is answered as before.
	for _, old := range []string{"The rows of May were counted twice by hand. The rows of May", "a stem that never was"} {
		out, texts := delta.Complete(prose(t), queue, message(t, "m", "Cy", noon, edit("H3", "hypothesis_slate", `{"claim":`+replacing(old, "x")+`}`)), noon, true, delta.Options{})
		if out[0].Invalid == nil || len(texts[0]) != 1 || texts[0][0].Text == "" {
			t.Errorf("%q: %v %+v", old, out[0].Invalid, texts)
		}
	}
}

func TestComplete_PairsAreAsOneByOne(t *testing.T) {
	// D5, ADR 0224: a list of pairs makes what its pairs make that are sent one by one,
	// each of them refused or not.
	rapid.Check(t, func(r *rapid.T) {
		base := prose(t)
		words := func() string { return rapid.StringMatching(`[ab]([ab \n]{0,4}[ab])?`).Draw(r, "words") }
		text := rapid.StringMatching(`[ab]([ab \n]{0,12}[ab])?`).Draw(r, "text")
		queue := message(t, "m", "Ann", noon, edit("H1", "hypothesis_slate", `{"claim":`+string(canon.MustMarshal(text))+`}`))
		var pairs []string
		for range rapid.IntRange(1, 6).Draw(r, "pairs") {
			pairs = append(pairs, replacing(words(), words()+"c"))
		}
		claim := func(queue []delta.Entry) string {
			return textOf(t, delta.Merge(base, queue, delta.Options{}).Artifact, "H1", "claim")
		}
		one, fit := queue, 0
		for i, p := range pairs {
			out, _ := delta.Complete(base, one, message(t, fmt.Sprintf("n%d", i), "Bob", noon, edit("H1", "hypothesis_slate", `{"claim":`+p+`}`)), noon, false, delta.Options{})
			if out[0].Invalid == nil {
				one, fit = slices.Concat(one, out), fit+1
			}
		}
		out, _ := delta.Complete(base, queue, message(t, "n", "Bob", noon, edit("H1", "hypothesis_slate", `{"claim":[`+strings.Join(pairs, ",")+`]}`)), noon, true, delta.Options{})
		if refused := out[0].Invalid != nil; refused != (fit == 0) {
			r.Fatalf("%d fit, and it is refused: %v", fit, out[0].Invalid)
		}
		if got, want := claim(slices.Concat(queue, out)), claim(one); got != want {
			r.Fatalf("%q in %v becomes %q, one by one %q", text, pairs, got, want)
		}
	})
}

func TestComplete_NotOnFiles(t *testing.T) {
	// D5: where there is no document a part of a text cannot be replaced, and no
	// correction can be made of it: nobody knows the whole text.
	x, err := delta.ReadDeltas([]byte(edit("H1", "hypothesis_slate", `{"claim":`+replacing("c1", "done")+`}`)), delta.Envelope{Agent: "Ann", Message: "m", Timestamp: "2026-01-01T12:30:00Z"})
	if err != nil || len(x.Entries) != 1 || x.Entries[0].Invalid == nil {
		t.Fatalf("%v, %+v", err, x)
	}
	why := x.Entries[0].Invalid
	if why.Code != brenner.CodeInvalidDelta || why.Pointer != "/payload/claim" || !strings.Contains(why.Hint, "whole field") || x.Entries[0].Corrected != "" {
		t.Errorf("%+v, corrected %q", why, x.Entries[0].Corrected)
	}
	e := delta.Entry{Delta: delta.Delta{DeltaID: "d", Timestamp: "2026-01-01T12:30:00Z", Agent: "Ann", Operation: delta.Edit, TargetID: "H1", Section: delta.HypothesisSlate, Payload: jsontext.Value(`{"claim":{"new":"done","old":"c1"}}`)}}
	wantOutcome(t, delta.Merge(prose(t), []delta.Entry{e}, delta.Options{}), 0, delta.Rejected, brenner.CodeInvalidDelta)
}

func TestExtract_ReplacementsByOtherNames(t *testing.T) {
	// D20: a near miss comes back as the replacement that was meant.
	for _, payload := range []string{
		`{"claim":{"old_string":"a","new_string":"b"}}`, `{"claim":{"find":"a","replace":"b"}}`, `{"claim":{"from":"a","to":"b"}}`, `{"claim":[{"search":"a","replace":"b"}]}`,
		`{"claim":{"old":"a","new":"b",}}`,
	} {
		x, err := delta.Extract([]byte("```delta\n"+edit("H1", "hypothesis_slate", payload)+"\n```\n"), delta.Envelope{Agent: "Ann", Message: "m", Timestamp: "2026-01-01T12:30:00Z", Parts: true})
		if err != nil || len(x.Misses) != 1 || !strings.Contains(strings.Join(strings.Fields(x.Misses[0].Corrected), ""), `"old":"a","new":"b"`) {
			t.Errorf("%s: %v, %+v", payload, err, x.Misses)
			continue
		}
		mended := x.AcceptMended().Entries
		if len(mended) != 1 || !mended[0].Partial() {
			t.Errorf("%s: mended as %+v", payload, mended)
		}
	}
}

func TestComplete_TwoAgentsAtATime(t *testing.T) {
	// D5, D8: whoever changes parts of one text at a time, both stand in the end, at
	// one instant as well and whatever their timestamps say; what is sent twice in a
	// message counts once.
	base := prose(t)
	stamped := `{"operation":"EDIT","timestamp":"2026-01-01T12:00:01Z","target_id":"H3","section":"hypothesis_slate","payload":{"claim":` + replacing("the clone,", "its clone,") + `},"rationale":"r"}`
	first, _ := delta.Complete(base, nil, message(t, "m1", "Ann", noon, stamped, stamped), noon, false, delta.Options{})
	second, _ := delta.Complete(base, first, message(t, "m2", "Bob", noon, edit("H3", "hypothesis_slate", `{"claim":`+replacing("not the place", "never its place")+`}`)), noon, false, delta.Options{})
	r := delta.Merge(base, append(first, second...), delta.Options{})
	if got := textOf(t, r.Artifact, "H3", "claim"); got != "Fate follows its clone,\nnever its place; the clone decides" {
		t.Errorf("claim: %q", got)
	}
	wantOutcome(t, r, 1, delta.Duplicate, "")
}

func TestComplete_Bounded(t *testing.T) {
	// D23, X9: a message that makes the document be merged again and again is cut off.
	var raws []string
	for i := range 60 {
		raws = append(raws, edit("H1", "hypothesis_slate", fmt.Sprintf(`{"mechanism":"m%d"}`, i)), edit("H1", "hypothesis_slate", `{"mechanism":`+replacing(fmt.Sprintf("m%d", i), "mm")+`}`))
	}
	queue := make([]delta.Entry, 5000)
	for i := range queue {
		queue[i] = delta.Entry{Invalid: brenner.Errorf(brenner.CodeInvalidDelta, "no")}
	}
	out, _ := delta.Complete(prose(t), queue, message(t, "m", "Ann", noon, raws...), noon, false, delta.Options{})
	if out[1].Invalid != nil || out[119].Invalid == nil || out[119].Invalid.Code != brenner.CodeLimitExceeded {
		t.Errorf("first %v, last %v", out[1].Invalid, out[119].Invalid)
	}
	long := strings.Repeat("much ", 30_000)
	out, _ = delta.Complete(prose(t), nil, message(t, "m", "Ann", noon, edit("H1", "hypothesis_slate", `{"mechanism":"`+long+`m"}`),
		edit("H1", "hypothesis_slate", `{"mechanism":`+replacing(" m", long)+`}`)), noon, false, delta.Options{})
	if why := out[1].Invalid; why == nil || why.Code != brenner.CodeAnchorAmbiguous {
		t.Errorf("many places: %v", why)
	}
	out, _ = delta.Complete(prose(t), nil, message(t, "m", "Ann", noon, edit("H1", "hypothesis_slate", `{"mechanism":"`+long+`end"}`),
		edit("H1", "hypothesis_slate", `{"mechanism":`+replacing("end", long)+`}`)), noon, false, delta.Options{})
	if why := out[1].Invalid; why == nil || why.Code != brenner.CodeLimitExceeded {
		t.Errorf("a long text: %v", why)
	}
}

// count is how often words stand in a text, at every place where they may.
func count(text, words string) (n, last int) {
	for i := range len(text) - len(words) + 1 {
		if text[i:i+len(words)] == words {
			n, last = n+1, i
		}
	}
	return n, last
}

// flat is a text with one space between its words.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestComplete_AsReplacedOneByOne(t *testing.T) {
	// D5: whatever was written before, by whom and when, a replacement makes of the
	// text that shows then what replacing its words there makes; the whole document is
	// merged anew for each, and the words are looked for at every place.
	rapid.Check(t, func(r *rapid.T) {
		g := caseGen{T: r}
		base, now := prose(t), noon
		var queue []delta.Entry
		type at struct {
			target, section, field string
			read                   func(*delta.Artifact) string
		}
		item := func(id delta.ItemID, field string) func(*delta.Artifact) string {
			return func(a *delta.Artifact) string { return textOf(t, a, id, field) }
		}
		cell := func(a *delta.Artifact) string { it, _ := a.Item("P1"); return a.Prediction(it, "H1") }
		places := []at{
			{"H1", "hypothesis_slate", "claim", item("H1", "claim")},
			{"H3", "hypothesis_slate", "claim", item("H3", "claim")},
			{"RT", "research_thread", "context", item("RT", "context")},
			{"P1.H1", "predictions_table", "outcome", cell},
		}
		words := func() string { return rapid.StringMatching(`[ab]([ab \n]{0,5}[ab])?`).Draw(r, "words") }
		for m := range 1 + g.pick(4) {
			agent := someAgents[g.pick(len(someAgents))]
			now = now.Add(time.Duration(g.pick(2)) * time.Second)
			var raws []string
			var aims []at
			for range 1 + g.pick(4) {
				p := places[g.pick(len(places))]
				value := string(canon.MustMarshal(words()))
				if !g.chance(3) {
					value = replacing(words(), rapid.StringMatching(`[abc \n]{0,4}`).Draw(r, "new")+"c")
				}
				raw := edit(p.target, p.section, fmt.Sprintf(`{%q:%s}`, p.field, value))
				if g.chance(4) {
					raw = raw[:len(raw)-1] + `,"timestamp":"2026-01-01T12:30:00Z"}`
				}
				raws, aims = append(raws, raw), append(aims, p)
			}
			sent := message(t, fmt.Sprintf("m%d", m), agent, now, raws...)
			out, _ := delta.Complete(base, queue, sent, now, false, delta.Options{})
			for i := range out {
				if !sent[i].Partial() {
					continue
				}
				before := aims[i].read(delta.Merge(base, append(queue[:len(queue):len(queue)], out[:i]...), delta.Options{}).Artifact)
				after := aims[i].read(delta.Merge(base, append(queue[:len(queue):len(queue)], out[:i+1]...), delta.Options{}).Artifact)
				var payload map[string]map[string]string
				if err := canon.Unmarshal(sent[i].Delta.Payload, &payload); err != nil {
					t.Fatal(err)
				}
				change := payload[aims[i].field]
				n, from := count(before, change["old"])
				loose := n == 0
				if loose {
					n, from = count(flat(before), flat(change["old"]))
				}
				repeated := false
				for k := range i {
					repeated = repeated || raws[k] == raws[i] && out[k].Invalid == nil
				}
				switch {
				case repeated:
					if out[i].Invalid != nil || after != before {
						r.Fatalf("sent twice: %v, %q became %q", out[i].Invalid, before, after)
					}
				case before == delta.Unsettled:
					if out[i].Invalid == nil || out[i].Invalid.Code != brenner.CodeFieldConflict {
						r.Fatalf("in conflict: %v", out[i].Invalid)
					}
				case n != 1:
					if out[i].Invalid == nil || after != before {
						r.Fatalf("%q stands %d times in %q: %v, became %q", change["old"], n, before, out[i].Invalid, after)
					}
				case loose:
					whole := flat(before)
					if want := whole[:from] + change["new"] + whole[from+len(flat(change["old"])):]; out[i].Invalid != nil || flat(after) != flat(want) {
						r.Fatalf("%q for %q in %q: %v, became %q, want %q", change["new"], change["old"], before, out[i].Invalid, after, want)
					}
				default:
					if want := before[:from] + change["new"] + before[from+len(change["old"]):]; out[i].Invalid != nil || after != want {
						r.Fatalf("%q for %q in %q: %v, became %q, want %q", change["new"], change["old"], before, out[i].Invalid, after, want)
					}
				}
			}
			queue = append(queue, out...)
			if g.chance(3) {
				base, queue = delta.Merge(base, queue, delta.Options{}).Artifact, nil
			}
		}
	})
}
