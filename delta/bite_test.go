package delta_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

func TestReadDeltas_ARefusedDeltaKeepsItsName(t *testing.T) {
	// D7: what became of a delta is told under the id that its author gave it,
	// also if nothing else of it can be read.
	for raw, want := range map[string]string{
		`{"delta_id":"d7","operation":"ADD","odd":1}`:                       "d7",
		`{"operation":"ADD","odd":[1,{"delta_id":"no"}],"delta_id":"d7"}`:   "d7",
		`{"operation":"ADD","odd":1,"delta_id":7}`:                          "m#1",
		`{"operation":"ADD","odd":1}`:                                       "m#1",
		`{"operation":"ADD","odd":1,"delta_id":"two\nlines"}`:               "m#1",
		`{"odd":1,"delta_id":"d7","operation":"ADD","operation":"EDIT"}`:    "d7",
		`{"operation":"ADD","delta_id":"d7","payload":{"claim":"a\ud800"}}`: "d7",
	} {
		x, err := delta.ReadDeltas([]byte(raw), delta.Envelope{Agent: "Ann", Message: "m"})
		if err != nil || len(x.Entries) != 1 || x.Entries[0].Invalid == nil {
			t.Fatalf("%s: %+v, %v", raw, x.Entries, err)
		}
		if got := x.Entries[0].Delta.DeltaID; got != want {
			t.Errorf("%s is told as %q, want %q", raw, got, want)
		}
	}
}

func TestExtract_QuotesInsideATextStayThere(t *testing.T) {
	// D20: a quote ends a text only where something follows that can follow one.
	for inner, want := range map[string]string{
		`the "rate" = k holds`:      `the "rate" = k holds`,
		`a "b", c and d`:            `a "b", c and d`,
		`so "x" => y it seems`:      ``, // so might this
		`he said "no": and left`:    ``, // it might be a name
		`"quoted" from the start`:   `"quoted" from the start`,
		`ends with a "quoted" word`: `ends with a "quoted" word`,
	} {
		reply := "```delta\n" + `{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":"` + inner + `"},"rationale":"r"}` + "\n```\n"
		x, err := delta.Extract([]byte(reply), replyEnvelope)
		if err != nil || x.Usable() != 0 {
			t.Fatalf("%s was applied as it is: %v", inner, err)
		}
		mended := x.AcceptMended()
		got := ""
		if mended.Usable() == 1 {
			got = string(mended.Entries[0].Delta.Payload)
		}
		if want != "" && got != `{"claim":"`+strings.ReplaceAll(want, `"`, `\"`)+`"}` {
			t.Errorf("%s became %s", inner, got)
		}
	}
}

func TestExtract_WhatWasLostIsNotMadeUp(t *testing.T) {
	// D20: a character that is written by its number and is none comes back by
	// name, without a correction; the characters beside it are read as they are.
	for escape, want := range map[string]string{
		`\ufffd`: "replacement character", `\ud83d`: "surrogate", `\ud83dx`: "surrogate", `\u0008b`: "control character", `\u001b[1m`: "control character",
		`\u00e9\u0009\beta`: "", `\ud83d\ude00 \alpha`: "", `\upsilon`: "", `\u00`: "",
	} {
		reply := "```delta\n" + `{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":"caf` + escape + `"},"rationale":"r"}` + "\n```\n"
		x, err := delta.Extract([]byte(reply), replyEnvelope)
		if err != nil || x.Usable() != 0 {
			t.Fatalf("%s was applied: %v", escape, err)
		}
		accepted := x.AcceptMended()
		if mended := accepted.Usable() == 1; mended != (want == "") {
			t.Errorf("%s: corrected is %t: %+v", escape, mended, x.Misses)
		}
		if said := fmt.Sprint(x.Misses, x.Entries); !strings.Contains(said, want) {
			t.Errorf("%s: %s", escape, said)
		}
	}
}

func TestExtract_HalfAByteOfMailIsNoText(t *testing.T) {
	// D20: what only looks like quoted-printable is refused as it stands.
	for _, end := range []string{"=", "=A", "=ZZ", "=FF"} {
		x, err := delta.Extract([]byte("```delta\n{\"operation\":=\n\"ADD\""+end+"\n```\n"), replyEnvelope)
		if err != nil || x.Usable() != 0 || len(x.Entries)+len(x.Misses) == 0 {
			t.Errorf("%q: %+v, %v", end, x, err)
		}
	}
}

func TestReadDocument_KeepsFieldsOfOnesOwn(t *testing.T) {
	// D19: a field that the section does not know has its name and its value
	// again, whatever they look like.
	for name, value := range map[string]string{
		`" x"`: `"a"`, `"x "`: `"1"`, `"\"q"`: `"null"`, `"q\""`: `{"a":[1]}`, `"a=b;c"`: `""`, `"plain"`: `" a"`, `"two\u2028lines"`: `12`,
	} {
		d := delt("d1", "01", delta.Add, delta.AnomalyRegister, "", "", `{"name":"n","observation":"o",`+name+`:`+value+`}`)
		a := delta.Merge(nil, []delta.Entry{d}, delta.Options{}).Artifact
		sameDocument(t, a)
		read, err := delta.ReadDocument([]byte(delta.Render(a)), importer)
		if err != nil {
			t.Fatal(err)
		}
		was, now := rows(canon.MustMarshal(a))["X1"].Fields, rows(canon.MustMarshal(read))["X1"].Fields
		if !maps.Equal(was, now) {
			t.Errorf("%s: %v became %v", name, was, now)
		}
	}
}

func TestReadDocument_KeepsTheKilledCellsOfAKilledRow(t *testing.T) {
	// D9, D15, D19: the cell was killed before its row was, whoever killed it.
	for _, killer := range []brenner.ActorName{"Ann", "Zoe"} {
		kill := delt("d3", "04", delta.Kill, delta.PredictionsTable, "P1", "", `{"reason":"r"}`)
		kill.Delta.Agent = killer
		a := delta.Merge(nil, []delta.Entry{
			delt("d1", "01", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"up","H2":"down"}}`),
			delt("d2", "02", delta.Kill, delta.PredictionsTable, "P1.H1", "", ""), kill,
		}, delta.Options{}).Artifact
		if doc := delta.Render(a); !strings.Contains(doc, "H1 = up [KILLED]; H2 = down") {
			t.Errorf("not killed:\n%s", doc)
		}
		sameDocument(t, a)
	}
}
