package delta_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// laterSlip is a kind of slip with as many replies as a delta can give it. One
// of names has to be said where no correction can be made; guess is a kind in
// which any correction would be invented.
type laterSlip struct {
	name    string
	names   []string
	guess   bool
	replies func(raw string) []string
}

// laterHeldOut are kinds of slips that were written down after heldOut had been
// mended, before anybody had looked at how they are read. At the first try 43 of
// 100 replies were right: none was silent or applied twice, four were taken as
// something else and 14 corrections were wrong. The reader was mended afterwards
// (ADR 0092), so they measure it no more.
func laterHeldOut() []laterSlip {
	block := func(fence, body string) string { return "Here it is.\n\n```" + fence + "\n" + body + "\n```\n" }
	// each makes a reply of every pair that changes the JSON.
	each := func(pairs ...string) func(string) []string {
		return func(raw string) []string {
			var all []string
			for i := 0; i < len(pairs); i += 2 {
				if changed := strings.Replace(raw, pairs[i], pairs[i+1], 1); changed != raw {
					all = append(all, block("delta", changed))
				}
			}
			return all
		}
	}
	one := func(write func(raw string) string) func(string) []string {
		return func(raw string) []string { return []string{write(raw)} }
	}
	text := func(raw string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(raw) + `"` }
	return []laterSlip{
		// How it was sent.
		{name: "quoted-printable", names: []string{"not JSON"}, replies: one(func(raw string) string {
			var b strings.Builder
			for i, c := range []byte(raw) {
				if i%60 == 59 {
					b.WriteString("=\n")
				}
				if c == '=' || c >= 0x80 {
					fmt.Fprintf(&b, "=%02X", c)
				} else {
					b.WriteByte(c)
				}
			}
			return block("delta", b.String())
		})},
		{name: "percent-encoded", names: []string{"not JSON"}, replies: one(func(raw string) string { return block("delta", url.PathEscape(raw)) })},
		{name: "base64", names: []string{"not JSON"}, replies: one(func(raw string) string {
			return block("delta", base64.StdEncoding.EncodeToString([]byte(raw)))
		})},
		{name: "a here-document", replies: one(func(raw string) string {
			return block("bash", "cat <<'EOF' | brenner delta submit RS-1 -\n"+raw+"\nEOF")
		})},
		{name: "curl", replies: one(func(raw string) string {
			return block("sh", "curl -X POST -H 'Content-Type: application/json' \\\n  -d '"+raw+"' http://localhost:8080/api/v1/deltas")
		})},
		{name: "arguments as a text", replies: one(func(raw string) string {
			return block("json", `{"name":"delta_submit","arguments":`+text(raw)+`}`)
		})},
		{name: "terminal colours", names: []string{"control character"}, replies: one(func(raw string) string {
			return block("delta", strings.NewReplacer(`"operation"`, "\x1b[34m\"operation\"\x1b[0m", `"section"`, "\x1b[34m\"section\"\x1b[0m").Replace(raw))
		})},

		// How it is written.
		{name: "escaped brackets", replies: one(func(raw string) string {
			return block("delta", strings.NewReplacer("{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`).Replace(strings.ReplaceAll(raw, "{1}", "1")))
		})},
		{name: "full-width brackets", replies: one(func(raw string) string {
			return block("delta", strings.NewReplacer("{", "｛", "}", "｝", "[", "［", "]", "］").Replace(strings.ReplaceAll(raw, "{1}", "1")))
		})},
		{name: "no opening brace", names: []string{"not JSON"}, replies: one(func(raw string) string { return block("delta", raw[1:]) })},
		{name: "colon inside the quotes", names: []string{"not JSON"}, replies: one(func(raw string) string {
			return block("delta", strings.NewReplacer(`"operation":`, `"operation:" `, `"section":`, `"section:" `).Replace(raw))
		})},

		// What it says.
		{name: "past tense", replies: each(`"ADD"`, `"ADDED"`, `"EDIT"`, `"EDITED"`, `"KILL"`, `"KILLED"`)},
		{name: "target to be given", replies: each(`"target_id":null`, `"target_id":"new"`, `"target_id":null`, `"target_id":"TBD"`, `"target_id":null`, `"target_id":"auto"`,
			`"target_id":null`, `"target_id":"<new>"`, `"target_id":null`, `"target_id":"N/A"`)},
		{name: "target with its section", replies: each(`"target_id":"H`, `"target_id":"hypothesis_slate/H`, `"target_id":"H`, `"target_id":"hypothesis_slate.H`, `"target_id":"H`, `"target_id":"RS-1/H`)},
		{name: "several targets", guess: true, names: []string{"/target_id"}, replies: each(`"target_id":"H1"`, `"target_id":"H1, H2"`, `"target_id":"H2"`, `"target_id":["H1","H2"]`, `"target_id":"H2"`, `"target_id":"H1-H3"`,
			`"target_id":"H1"`, `"target_id":"all"`, `"target_id":"H1"`, `"target_id":"H1 and H3"`)},
		{name: "dotted fields", names: []string{"predictions.H1", "expected_outcomes.H1", "score.cost"}, replies: each(
			`"predictions":{"H1":"old fate","H2":"new fate"}`, `"predictions.H1":"old fate","predictions.H2":"new fate"`,
			`"expected_outcomes":{"H1":"kept","H2":"changed"}`, `"expected_outcomes.H1":"kept","expected_outcomes.H2":"changed"`,
			`"score":{"cost":1,"likelihood_ratio":3}`, `"score.cost":1,"score.likelihood_ratio":3`,
			`"expected_outcomes":{"H1":"kept","H2":"changed"}`, `"expected_outcomes/H1":"kept","expected_outcomes/H2":"changed"`,
			`"score":{"cost":1,"likelihood_ratio":3}`, `"score_cost":1,"score_likelihood_ratio":3`)},
		{name: "a list of fields", names: []string{"/payload"}, replies: func(raw string) []string {
			payload := []byte(raw[strings.Index(raw, `"payload":`)+len(`"payload":`):])
			dec := jsontext.NewDecoder(strings.NewReader(string(payload)))
			v, err := dec.ReadValue()
			if err != nil {
				panic(err)
			}
			in := jsontext.NewDecoder(strings.NewReader(string(v)))
			_, _ = in.ReadToken()
			var fields []string
			for in.PeekKind() != '}' {
				name, _ := in.ReadValue()
				name = name.Clone()
				value, _ := in.ReadValue()
				fields = append(fields, `{"field":`+string(name)+`,"value":`+string(value)+`}`)
			}
			return []string{block("delta", strings.Replace(raw, string(v), "["+strings.Join(fields, ",")+"]", 1))}
		}},
		{name: "old and new", names: []string{"/payload/claim", "/payload/statement", "/payload/context"}, replies: each(
			`"claim":"Fate follows position"`, `"claim":{"old":"Fate follows the clone","new":"Fate follows position"}`,
			`"claim":"Fate follows position"`, `"claim":{"from":"Fate follows the clone","to":"Fate follows position"}`,
			`"claim":"Fate follows position"`, `"claim":["Fate follows the clone","Fate follows position"]`,
			`"statement":"What decides cell fate?"`, `"statement":{"before":"Why?","after":"What decides cell fate?"}`,
			`"context":"Grafts and clones"`, `"context":{"old_value":null,"new_value":"Grafts and clones"}`)},
		{name: "operation in a list", replies: one(func(raw string) string {
			return block("delta", strings.NewReplacer(`"ADD"`, `["ADD"]`, `"EDIT"`, `["EDIT"]`, `"KILL"`, `["KILL"]`).Replace(raw))
		})},
		{name: "a field beside the payload", replies: func(raw string) []string {
			var all []string
			for _, f := range []string{
				`"reason":"Too slow by a factor of ten"`, `"mechanism":"Inherited factors, as in β-cells"`, `"claim":"Fate follows position"`, `"observation":"They ignore the gradient"`,
				`"attack":"Both suppose that cells have a fate"`, `"condition":"Late graft"`, `"statement":"What decides cell fate?"`,
			} {
				if strings.Contains(raw, f) {
					moved := strings.NewReplacer(f+",", "", ","+f, "", f, "").Replace(raw)
					all = append(all, block("delta", moved[:len(moved)-1]+","+f+"}"))
				}
			}
			return all
		}},
	}
}

// meantBy is what the delta says that a slip was made of.
func meantBy(kind, raw string) string {
	if strings.HasSuffix(kind, "brackets") {
		raw = strings.ReplaceAll(raw, "{1}", "1")
	}
	return raw
}

func TestExtract_LaterHeldOutSlips(t *testing.T) {
	// D20: kinds of slips that nothing was tuned on when they were first read.
	rng, slate := rand.New(rand.NewPCG(91, 92)), mergeAll(t, nil, hypotheses(3)...).Artifact
	replies, right := 0, 0
	for _, s := range laterHeldOut() {
		made, good := 0, 0
		why := ""
		for _, i := range rng.Perm(len(meant)) {
			for _, reply := range s.replies(meant[i]) {
				if made == 5 {
					break
				}
				made++
				raw := meantBy(s.name, meant[i])
				r := readReply(slate, slip{name: s.name}, raw, []byte(reply))
				if r.silent || r.twice || r.garbled {
					t.Errorf("%s: silent %t, twice %t, garbled %t: %s\n%s", r.kind, r.silent, r.twice, r.garbled, r.why, r.reply)
				}
				mended := strings.HasPrefix(r.why, "mended ")
				if s.guess || !r.right && !mended {
					r.right = !mended && slices.ContainsFunc(s.names, func(name string) bool {
						return readReply(slate, slip{name: s.name, names: name}, raw, []byte(reply)).right
					})
				}
				if r.right {
					good++
				} else {
					why += "\n" + r.why + "\n" + r.reply
				}
			}
		}
		if made < 5 {
			t.Errorf("the slip %q has %d replies", s.name, made)
		}
		if good < made {
			t.Logf("%s: %d of %d right: %s", s.name, good, made, why)
		}
		replies, right = replies+made, right+good
	}
	t.Logf("%d replies of %d kinds, %d right", replies, len(laterHeldOut()), right)
	if right < replies-2 { // all but two have been (ADR 0092)
		t.Errorf("%d of %d replies right", right, replies)
	}
}
