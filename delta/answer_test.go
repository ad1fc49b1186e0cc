package delta

import (
	"fmt"
	"testing"
	"time"

	"brenner"
)

// D26: a critique is read with the answer if it is against the thread and not settled, or
// open and against something that lives and that the answer names.
func TestCritiques_BearOnTheAnswer(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 14, 16, minute, 0, 0, time.UTC) }
	doc, err := New("RS-1", "Why?", nil, at(0))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	said := func(agent brenner.ActorName, op Operation, target Target, section Section, payload string) {
		n++
		d := Delta{DeltaID: fmt.Sprint(n), Agent: agent, Operation: op, TargetID: target, Section: section, Rationale: "seen", Timestamp: FormatInstant(at(n)), Payload: []byte(payload)}
		if op == Add && section == HypothesisSlate {
			d.ProvisionalID = fmt.Sprintf("H-NAME-%d", n)
		}
		doc = Merge(doc, []Entry{{Message: d.DeltaID, Delta: d}}, Options{}).Artifact
	}
	said("lead", Edit, "RT", ResearchThread, `{"statement":"Why?"}`)
	for range 4 {
		said("Blue", Add, "", HypothesisSlate, `{"claim":"c","mechanism":"m"}`)
	}
	critique := func(payload string) { said("Red", Add, "", AdversarialCritique, `{"name":"Weak",`+payload+`}`) }
	critique(`"attack":"unlike H1 the frame is wrong","targets":["RT"]`)
	critique(`"attack":"H1 is circular"`)
	critique(`"attack":"H2 is circular"`)
	critique(`"attack":"H3 is circular"`)
	critique(`"attack":"log@1 counts twice"`)
	critique(`"attack":"H4 is circular"`)
	works := func(text string) ([]Work, string) {
		if text == "log@1 counts twice" || len(text) > 60 {
			return []Work{{Artifact: "log"}}, text
		}
		return nil, text
	}
	bears := func(want string) {
		t.Helper()
		got := ""
		for _, c := range Critiques(doc, Beside{Works: works}) {
			if c.BesideAnswer() {
				got += fmt.Sprintf("%s %s %s; ", c.Item, c.State, c.Bears)
			}
		}
		if got != want {
			t.Errorf("beside the answer: %s\nwant %s", got, want)
		}
	}
	bears("C1 open thread; ")
	said("Blue", Kill, "H3", HypothesisSlate, `{"reason":"r"}`)
	said("Blue", Edit, "RT", ResearchThread, `{"answer":"It is as H1 and H-NAME-5 say, measured in log@1; H3 is killed, and C3 stays open."}`)
	bears("C1 answered thread; C2 open ground; C5 open ground; C6 open ground; ")
	said("Red", Edit, "C1", AdversarialCritique, `{"current_status":"settled"}`)
	said("Blue", Edit, "H1", HypothesisSlate, `{"mechanism":"n"}`)
	bears("C5 open ground; C6 open ground; ")
}

// D19: what is put below the thread stands there alone, whatever the thread says.
func TestBelowThread(t *testing.T) {
	for text, want := range map[string]string{
		"## Research Thread\n\n### RT\nAnswer: a\n    ## b\n\n## Hypothesis Slate\n\n### H1\n": "## Research Thread\n\n### RT\nAnswer: a\n    ## b\nLINE\n\n## Hypothesis Slate\n\n### H1\n",
		"## Research Thread\n\n### RT\nAnswer: a\n\n":                                          "## Research Thread\n\n### RT\nAnswer: a\nLINE\n",
		"## Hypothesis Slate\n\n### H1\n":                                                      "## Hypothesis Slate\n\n### H1\nLINE\n",
	} {
		if got := BelowThread(text, "LINE\n"); got != want {
			t.Errorf("%q\nis %q\nwant %q", text, got, want)
		}
		if got := BelowThread(text, ""); got != text {
			t.Errorf("without a line %q is %q", text, got)
		}
	}
}

// D26: an answer that names what was killed after it was written says so; what was dead
// before it may name.
func TestAnswerKilled_SinceItWasWritten(t *testing.T) {
	at := func(minute int) string {
		return FormatInstant(time.Date(2026, 3, 14, 16, minute, 0, 0, time.UTC))
	}
	var doc *Artifact
	n := 0
	said := func(op Operation, target Target, section Section, payload string) {
		n++
		d := Delta{DeltaID: fmt.Sprint(n), Agent: "Blue", Operation: op, TargetID: target, Section: section, Timestamp: at(n), Payload: []byte(payload)}
		doc = Merge(doc, []Entry{{Delta: d}}, Options{}).Artifact
	}
	for range 3 {
		said(Add, "", HypothesisSlate, `{"claim":"c","mechanism":"m"}`)
	}
	said(Kill, "H1", HypothesisSlate, `{"reason":"wrong"}`)
	said(Edit, "RT", ResearchThread, `{"answer":"H2, not H1, and so H2."}`)
	if got := doc.AnswerKilled(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	said(Kill, "H2", HypothesisSlate, `{"reason":"a case of H3"}`)
	if got := doc.AnswerKilled(); len(got) != 1 || got[0].Words() != "H2 killed for H3" {
		t.Errorf("%+v", got)
	}
	said(Edit, "RT", ResearchThread, `{"answer":"H3, of which H2 was a case."}`)
	if got := doc.AnswerKilled(); len(got) != 0 {
		t.Errorf("written anew: %+v", got)
	}
}
