package delta_test

import (
	"slices"
	"strings"
	"testing"
)

// lastSlip is a kind of slip: what was meant, and the replies that were written
// for it. One of names has to be said where no correction is made; guess is a
// kind in which any correction would be invented, fine one that is to be taken
// as it stands.
type lastSlip struct {
	name        string
	names       []string
	guess, fine bool
	replies     []lastReply
}

type lastReply struct{ want, reply string }

// lastHeldOut are 25 kinds of slips that language models make, four replies
// each, written down before the reader was looked at. At the first try 55 of
// 100 replies were right: in six nothing was found, fourteen were taken as
// something else or twice, and twelve corrections were wrong. The reader was
// mended afterwards (ADR 0098), so they measure it no more.
func lastHeldOut() []lastSlip {
	block := func(body string) string { return "Here it is.\n\n```delta\n" + body + "\n```\n\nThat is all.\n" }
	// around puts four deltas between what stands before and after them.
	around := func(before, after string) []lastReply {
		var all []lastReply
		for _, i := range []int{0, 2, 4, 7} {
			all = append(all, lastReply{meant[i], before + meant[i] + after})
		}
		return all
	}
	// each puts one delta into each of the texts, for %.
	each := func(texts ...string) []lastReply {
		var all []lastReply
		for i, text := range texts {
			raw := meant[[]int{2, 4, 3, 8}[i]]
			all = append(all, lastReply{raw, strings.Replace(text, "%", raw, 1)})
		}
		return all
	}
	// changed replaces old by new in the delta that has it; what was meant is the
	// delta itself.
	changed := func(pairs ...string) []lastReply {
		var all []lastReply
		for i := 0; i < len(pairs); i += 2 {
			at := slices.IndexFunc(meant, func(raw string) bool { return strings.Contains(raw, pairs[i]) })
			all = append(all, lastReply{meant[at], block(strings.Replace(meant[at], pairs[i], pairs[i+1], 1))})
		}
		return all
	}
	// means replaces old by new, and old by meant in what was meant.
	means := func(triples ...string) []lastReply {
		var all []lastReply
		for i := 0; i < len(triples); i += 3 {
			at := slices.IndexFunc(meant, func(raw string) bool { return strings.Contains(raw, triples[i]) })
			all = append(all, lastReply{strings.Replace(meant[at], triples[i], triples[i+1], 1), block(strings.Replace(meant[at], triples[i], triples[i+2], 1))})
		}
		return all
	}
	text := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
	}
	one := func(i int, reply string) lastReply { return lastReply{meant[i], reply} }
	return []lastSlip{
		// Where it stands.
		{name: "a draft in thoughts", fine: true, replies: []lastReply{
			one(2, "<think>\nPerhaps\n\n```delta\n"+strings.Replace(meant[2], "Fate follows position", "Fate may follow position", 1)+"\n```\n\nNo, stronger.\n</think>\n\n"+block(meant[2])),
			one(4, "<thinking>\n"+block(strings.Replace(meant[4], "a factor of ten", "much", 1))+"</thinking>\n"+block(meant[4])),
			one(7, "<reasoning>\n"+block(strings.Replace(meant[7], "Late graft", "Graft", 1))+"\n</reasoning>\n\n"+block(meant[7])),
			one(3, "<scratchpad>\nDraft:\n\n"+block(strings.Replace(meant[3], "They ignore", "Some ignore", 1))+"\n</scratchpad>\n\nFinal:\n\n"+block(meant[3])),
		}},
		{name: "a chat message", replies: []lastReply{
			one(2, `{"role":"assistant","content":`+text(block(meant[2]))+`}`),
			one(4, `{"role":"assistant","content":[{"type":"text","text":`+text(block(meant[4]))+`}]}`),
			one(7, `[{"type":"text","text":`+text(block(meant[7]))+`}]`),
			one(8, `{"choices":[{"index":0,"message":{"role":"assistant","content":`+text(block(meant[8]))+`}}]}`),
		}},
		{name: "line ends written out", names: []string{"not JSON"}, replies: around(`Here it is.\n\n`+"```delta"+`\n`, `\n`+"```"+`\n`)},
		{name: "tokens of the model", replies: each("```delta\n%\n```<|im_end|>\n", "```delta\n%\n```</s>", "```delta\n%<|endoftext|>\n```\n", "[INST] Your delta? [/INST] ```delta\n%\n```<|eot_id|>\n")},
		{name: "marks of a citation", replies: []lastReply{
			one(2, block(strings.Replace(meant[2], `"the grafts"`, `"the grafts"【4†source】`, 1))),
			one(4, block(meant[4]+"【12†L3-L9】")),
			one(3, block(strings.Replace(meant[3], `"seen twice"`, `"seen twice":contentReference[oaicite:0]{index=0}`, 1))),
			one(7, block(strings.Replace(meant[7], `"they differ"`, `"they differ"[^1]`, 1))),
		}},
		{name: "a word after the closing fence", replies: each("```delta\n%\n``` end\n", "```delta\n%\n```.\n\nThat is all.\n", "```delta\n%\n```delta\n", "```delta\n%\n``` (2 of 2)\n\nI am sure of it.\n")},
		{name: "a fence with a number", replies: each("```delta-1\n%\n```\n", "```delta#2\n%\n```\n", "```delta: H1\n%\n```\n", "```delta_3.json\n%\n```\n")},
		{name: "a call with arguments", names: []string{"not JSON"}, replies: []lastReply{
			one(4, "```python\nkill(operation=\"KILL\", target_id=\"H2\", section=\"hypothesis_slate\", payload={\"reason\":\"Too slow by a factor of ten\"}, rationale=\"see A1\")\n```\n"),
			one(4, block(`delta(operation="KILL", target_id="H2", section="hypothesis_slate", payload={"reason":"Too slow by a factor of ten"}, rationale="see A1")`)),
			one(4, "```python\nsubmit_delta({'operation': 'KILL', 'target_id': 'H2', 'section': 'hypothesis_slate', 'payload': {'reason': 'Too slow by a factor of ten'}, 'rationale': 'see A1'})\n```\n"),
			one(4, "I call delta_submit(operation: \"KILL\", target_id: \"H2\", section: \"hypothesis_slate\", payload: {reason: \"Too slow by a factor of ten\"}, rationale: \"see A1\").\n"),
		}},
		{name: "elements", names: []string{"not JSON", "list"}, replies: []lastReply{
			one(4, "<delta>\n  <operation>KILL</operation>\n  <target_id>H2</target_id>\n  <section>hypothesis_slate</section>\n  <payload><reason>Too slow by a factor of ten</reason></payload>\n  <rationale>see A1</rationale>\n</delta>\n"),
			one(4, block("<operation>KILL</operation>\n<target_id>H2</target_id>\n<section>hypothesis_slate</section>\n<payload>{\"reason\":\"Too slow by a factor of ten\"}</payload>\n<rationale>see A1</rationale>")),
			one(4, "<invoke name=\"delta_submit\">\n<parameter name=\"operation\">KILL</parameter>\n<parameter name=\"target_id\">H2</parameter>\n<parameter name=\"section\">hypothesis_slate</parameter>\n<parameter name=\"payload\">{\"reason\":\"Too slow by a factor of ten\"}</parameter>\n</invoke>\n"),
			one(4, "```xml\n<delta operation=\"KILL\" target_id=\"H2\" section=\"hypothesis_slate\"><reason>Too slow by a factor of ten</reason></delta>\n```\n"),
		}},

		// How it is written.
		{name: "escapes of other languages", replies: means(
			`"the grafts"`, `"the \u03b2 grafts"`, `"the \u{3b2} grafts"`, `"see A1"`, `"see \u00e9 A1"`, `"see \xe9 A1"`,
			`"seen twice"`, `"seen \u03b2 twice"`, `"seen \U000003b2 twice"`, `"they differ"`, `"they differ: \u2265 5"`, `"they differ: &#8805; 5"`)},
		{name: "an apostrophe escaped", replies: means(
			`"the grafts"`, `"the grafts didn't"`, `"the grafts didn\'t"`, `"see A1"`, `"see Ann's A1"`, `"see Ann\'s A1"`,
			`"They ignore the gradient"`, `"They don't follow it"`, `"They don\'t follow it"`, `"Late graft"`, `"Ann's graft"`, `"Ann\'s graft"`)},
		{name: "a remark outside the quotes", names: []string{"not JSON"}, replies: changed(
			`"status":"active"`, `"status":"active" (still)`, `"target_id":"H2"`, `"target_id":"H2" -- the gradient`, `"Late graft"`, `"Late graft" <- new`, `"the grafts"`, `"the grafts" [sic]`)},

		// What it says.
		{name: "other timestamps", names: []string{"/timestamp"}, replies: changed(
			`"operation":"KILL"`, `"timestamp":"2026-01-05 12:10:00","operation":"KILL"`, `"operation":"EDIT"`, `"timestamp":"2026-01-05T12:10:00","operation":"EDIT"`,
			`"operation":"ADD","target_id":null,"section":"anomaly_register"`, `"timestamp":1767614400,"operation":"ADD","target_id":null,"section":"anomaly_register"`,
			`"operation":"ADD","target_id":null,"section":"predictions_table"`, `"timestamp":"<ISO 8601>","operation":"ADD","target_id":null,"section":"predictions_table"`)},
		{name: "left as it is", names: []string{"/payload/mechanism"}, replies: changed(
			`"claim":"Fate follows position"`, `"claim":"Fate follows position","mechanism":"..."`, `"claim":"Fate follows position"`, `"claim":"Fate follows position","mechanism":"(unchanged)"`,
			`"claim":"Fate follows position"`, `"claim":"Fate follows position","mechanism":"same as before"`, `"claim":"Fate follows position"`, `"claim":"Fate follows position","mechanism":"<no change>"`)},
		{name: "a place left for words", guess: true, names: []string{"/payload/mechanism", "/payload/observation", "/payload/attack", "/payload/condition"}, replies: changed(
			`"mechanism":"Inherited factors, as in β-cells"`, `"mechanism":"..."`, `"observation":"They ignore the gradient"`, `"observation":"<observation>"`,
			`"attack":"Both suppose that cells have a fate"`, `"attack":"TODO"`, `"condition":"Late graft"`, `"condition":"[insert condition here]"`)},
		{name: "several in one text", names: []string{"/payload/anchors", "/payload/conflicts_with"}, replies: means(
			`["§161"]`, `["§161","§205"]`, `"§161, §205"`, `["§161"]`, `["§161","§205"]`, `"§161; §205"`,
			`"conflicts_with":["H1"]`, `"conflicts_with":["H1","H2"]`, `"conflicts_with":"H1, H2"`, `"conflicts_with":["H1"]`, `"conflicts_with":["H1","H2"]`, `"conflicts_with":"H1 and H2"`)},
		{name: "objects in a list", names: []string{"/payload/anchors", "/payload/conflicts_with"}, replies: changed(
			`["§161"]`, `[{"ref":"§161"}]`, `["§205"]`, `[{"anchor":"§205"}]`, `"conflicts_with":["H1"]`, `"conflicts_with":[{"id":"H1"}]`, `"conflicts_with":["H1"]`, `"conflicts_with":[{"hypothesis":"H1"}]`)},
		{name: "names with hyphens or spaces", replies: changed(
			`"third_alternative"`, `"third-alternative"`, `"expected_outcomes"`, `"expected outcomes"`, `"conflicts_with"`, `"conflicts-with"`, `"target_id":"H2"`, `"target-id":"H2"`)},
		{name: "names with a letter wrong", replies: changed(
			`"mechanism"`, `"mechansim"`, `"procedure"`, `"proceedure"`, `"rationale":"see A1"`, `"rational":"see A1"`, `"potency_check"`, `"potency_chek"`)},
		{name: "sections with a letter wrong", replies: changed(
			`"section":"hypothesis_slate","payload":{"reason"`, `"section":"hypotheses_slate","payload":{"reason"`, `"anomaly_register"`, `"anomoly_register"`,
			`"adversarial_critique"`, `"adverserial_critique"`, `"section":"predictions_table"`, `"section":"prediction_table"`)},
		{name: "spaces and marks in a value", replies: changed(
			`"operation":"KILL"`, `"operation":"KILL "`, `"target_id":"H1"`, `"target_id":"**H1**"`, `"section":"anomaly_register"`, "\"section\":\"`anomaly_register`\"", `"target_id":"H2"`, `"target_id":" H2"`)},
		{name: "ids otherwise written", names: []string{"/target_id"}, replies: changed(
			`"target_id":"H1"`, `"target_id":"H01"`, `"target_id":"H2"`, `"target_id":"H2@3"`, `"target_id":"H1"`, `"target_id":"Hypothesis H1"`, `"target_id":"H2"`, `"target_id":"H#2"`)},
		{name: "other words for the operation", names: []string{"/operation"}, replies: changed(
			`"operation":"EDIT"`, `"operation":"REFINE"`, `"operation":"KILL"`, `"operation":"RETIRE"`,
			`"operation":"ADD","target_id":null,"section":"anomaly_register"`, `"operation":"PROPOSE","target_id":null,"section":"anomaly_register"`,
			`"operation":"ADD","target_id":null,"section":"predictions_table"`, `"operation":"INSERT","target_id":null,"section":"predictions_table"`)},
		{name: "the section as a key", names: []string{"section"}, replies: []lastReply{
			one(4, block(`{"hypothesis_slate":{"operation":"KILL","target_id":"H2","payload":{"reason":"Too slow by a factor of ten"},"rationale":"see A1"}}`)),
			one(4, block(`{"hypothesis_slate":[{"operation":"KILL","target_id":"H2","payload":{"reason":"Too slow by a factor of ten"},"rationale":"see A1"}]}`)),
			one(2, block(`{"deltas":{"hypothesis_slate":[{"operation":"EDIT","target_id":"H1","payload":{"anchors":["§161"],"claim":"Fate follows position"},"rationale":"the grafts"}]}}`)),
			one(7, "```json\n"+`{"predictions_table":[{"operation":"ADD","target_id":null,"payload":{"condition":"Late graft","predictions":{"H1":"old fate","H2":"new fate"}},"rationale":"they differ"}]}`+"\n```\n"),
		}},
		{name: "a document for a delta", guess: true, names: []string{""}, replies: []lastReply{
			one(0, "```json\n{\"hypothesis_slate\":[{\"id\":\"H1\",\"name\":\"Position\",\"claim\":\"Fate follows position\",\"mechanism\":\"A gradient\"}]}\n```\n"),
			one(0, "```json\n{\"id\":\"H4\",\"name\":\"Lineage\",\"claim\":\"Fate follows the mother\",\"mechanism\":\"Inherited factors\"}\n```\n"),
			one(0, block(`{"claim":"Fate follows the mother","mechanism":"Inherited factors"}`)),
			one(0, block("### H4: Lineage\n**Claim**: Fate follows the mother\n**Mechanism**: Inherited factors")),
		}},
	}
}

func TestExtract_LastHeldOutSlips(t *testing.T) {
	// D20: kinds of slips that nothing was tuned on when they were first read.
	slate := mergeAll(t, nil, hypotheses(3)...).Artifact
	kinds, replies, right, wrong := lastHeldOut(), 0, 0, 0
	for _, s := range kinds {
		good, why := 0, ""
		for _, lr := range s.replies {
			r := readReply(slate, slip{name: s.name, fine: s.fine}, lr.want, []byte(lr.reply))
			if r.silent || r.twice || r.garbled {
				t.Errorf("%s: silent %t, twice %t, garbled %t: %s\n%s", r.kind, r.silent, r.twice, r.garbled, r.why, r.reply)
			}
			mended := strings.HasPrefix(r.why, "mended ")
			if s.guess || !r.right && !mended {
				r.right = !r.silent && !r.garbled && !mended && slices.ContainsFunc(s.names, func(name string) bool {
					return readReply(slate, slip{name: "lone surrogate", names: name}, lr.want, []byte(lr.reply)).right
				})
			}
			if r.right {
				good++
			} else {
				why += "\n" + r.why + "\n" + r.reply
				if mended {
					wrong++
				}
			}
		}
		if len(s.replies) != 4 {
			t.Errorf("the slip %q has %d replies", s.name, len(s.replies))
		}
		if good < len(s.replies) {
			t.Logf("%s: %d of %d right: %s", s.name, good, len(s.replies), why)
		}
		replies, right = replies+len(s.replies), right+good
	}
	t.Logf("%d replies of %d kinds, %d right, %d corrected to something else", replies, len(kinds), right, wrong)
	if right < replies { // all have been
		t.Errorf("%d of %d replies right", right, replies)
	}
}
