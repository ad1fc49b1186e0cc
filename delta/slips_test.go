package delta_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
)

// meant are deltas that agents might mean, as they should have written them.
var meant = []string{
	`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","payload":{"anchors":["§205"],"claim":"Fate follows the \"mother\" cell","mechanism":"Inherited factors, as in β-cells","name":"Lineage","third_alternative":true},"rationale":"nine of ten clones, see {1}"}`,
	`{"operation":"ADD","target_id":null,"section":"discriminative_tests","provisional_id":"T-LATE","payload":{"discriminates":"H1 from H2","expected_outcomes":{"H1":"kept","H2":"changed"},"name":"Transplant","potency_check":"Move early cells too: they change","procedure":"Move late cells","score":{"cost":1,"likelihood_ratio":3}},"rationale":"cheap"}`,
	`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"anchors":["§161"],"claim":"Fate follows position"},"rationale":"the grafts"}`,
	`{"operation":"ADD","target_id":null,"section":"anomaly_register","payload":{"conflicts_with":["H1"],"name":"Late cells","observation":"They ignore the gradient","status":"active"},"rationale":"seen twice"}`,
	`{"operation":"KILL","target_id":"H2","section":"hypothesis_slate","payload":{"reason":"Too slow by a factor of ten"},"rationale":"see A1"}`,
	`{"operation":"ADD","target_id":null,"section":"assumption_ledger","payload":{"calculation":"t = L^2/2D = 14 h","load":"H2 falls with it","name":"Diffusion","scale_check":true,"statement":"The signal arrives within an hour","status":"unchecked"},"rationale":"nobody did the sum"}`,
	`{"operation":"ADD","target_id":null,"section":"adversarial_critique","payload":{"attack":"Both suppose that cells have a fate","evidence":"T1","name":"No fate","proposed_alternative":"Fate is settled late","real_third_alternative":true},"rationale":"the dispute dissolves"}`,
	`{"operation":"ADD","target_id":null,"section":"predictions_table","payload":{"condition":"Late graft","predictions":{"H1":"old fate","H2":"new fate"}},"rationale":"they differ"}`,
	`{"operation":"EDIT","target_id":"RT","section":"research_thread","payload":{"context":"Grafts and clones","statement":"What decides cell fate?"},"rationale":"sharper"}`,
}

// slip is one way in which a reply goes wrong. It gives the reply that an agent
// writes who means one delta; ok is false if the delta has nothing to get wrong
// in this way.
type slip struct {
	name  string
	write func(raw string, rng *rand.Rand) (reply []byte, ok bool)
	// fine says that the reply is in order and is applied as meant; names what
	// has to be said where no correction can be made; ignored that it is not a
	// contribution.
	fine    bool
	names   string
	ignored bool

	change        func(string) string // of the JSON, or
	before, after string              // what stands around it
}

func fenced(body string) []byte {
	return []byte("Here is what I found.\n\n```delta\n" + body + "\n```\n\nThat is all.\n")
}

// text makes a slip of a change to the JSON in a delta block.
func inText(name string, change func(string) string) slip {
	return slip{name: name, change: change, write: func(raw string, _ *rand.Rand) ([]byte, bool) {
		changed := change(raw)
		return fenced(changed), changed != raw
	}}
}

// around makes a slip of what stands around the right JSON.
func around(name, before, after string) slip {
	return slip{name: name, before: before, after: after, write: func(raw string, _ *rand.Rand) ([]byte, bool) {
		return []byte(before + raw + after), true
	}}
}

func replaced(name, old, new string) slip {
	return inText(name, func(raw string) string { return strings.Replace(raw, old, new, 1) })
}

func pretty(raw string) string {
	v := jsontext.Value(raw)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err)
	}
	return string(v)
}

func inUTF16(s string, order binary.AppendByteOrder, mark bool) []byte {
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xFEFF)
	}
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func unnamed(s slip, names string) slip { s.names = names; return s }
func fine(s slip) slip                  { s.fine = true; return s }
func ignored(s slip) slip               { s.ignored = true; return s }

// slips are the kinds.
func slips() []slip {
	single := func(raw string) string {
		return strings.NewReplacer(`\"`, `"`, `"`, `'`).Replace(raw)
	}
	nameless := func(raw string) string {
		for _, n := range []string{"operation", "target_id", "section", "payload", "rationale", "claim", "name"} {
			raw = strings.ReplaceAll(raw, `"`+n+`":`, n+`: `)
		}
		return raw
	}
	all := []slip{
		fine(around("as asked", "```delta\n", "\n```\n")), fine(around("tildes", "~~~delta\n", "\n~~~\n")), fine(around("colons", ":::delta\n", "\n:::\n")),
		fine(around("never closed", "```delta\n", "")), fine(around("an array", "```delta\n[", "]\n```\n")), fine(around("whole input", "", "")),
		fine(around("whole array", "[", "]")), fine(around("in a list item", "1. Mine\n\n   ```delta\n   ", "\n   ```\n")),
		fine(around("byte order mark", "\uFEFF```delta\n", "\n```\n")), fine(around("CRLF", "Hello\r\n\r\n```delta\r\n", "\r\n```\r\n")),
		fine(around("a fence in prose", "I use ```delta blocks.\n\n```delta\n", "\n```\n")), fine(around("a stray fence", "```\n\n```delta\n", "\n```\n")),
		fine(slip{name: "pretty", write: func(raw string, _ *rand.Rand) ([]byte, bool) { return fenced(pretty(raw)), true }}),
		fine(slip{name: "same block twice", write: func(raw string, _ *rand.Rand) ([]byte, bool) {
			return append(fenced(raw), fenced(pretty(raw))...), true
		}}),
		ignored(around("quoted", "> ```delta\n> ", "\n> ```\n")), ignored(around("quoted without a fence", "> You wrote ", "\n")),
		ignored(around("an echo", "```delta\n"+delta.EchoMarker+"\n", "\n```\n")), ignored(around("an echo in json", "```json\n"+delta.EchoMarker+"\n", "\n```\n")),

		around("fence named json", "```json\n", "\n```\n"), around("fence named JSON5", "```json5\n", "\n```\n"), around("fence without a name", "```\n", "\n```\n"),
		around("fence named Delta", "```Delta\n", "\n```\n"), around("fence named deltas", "```deltas\n", "\n```\n"), around("fence named delta json", "```delta json\n", "\n```\n"),
		around("fence named brenner", "~~~brenner-delta\n", "\n~~~\n"), around("after My delta", "My delta: ", "\n"), around("under a heading", "## Delta 1\n\n", "\n"),
		around("inline code", "I propose `", "` here.\n"), around("in a bullet", "- ", "\n"), around("in a numbered list", "1. ", "\n2. and so on\n"),
		around("under DELTA[role]", "DELTA[hypothesis_generator]: ", "\n"), around("indented", "Mine:\n\n    ", "\n"), around("in bold", "**", "**\n"),
		around("nested fence", "````markdown\n```delta\n", "\n```\n````\n"), around("in HTML", "<delta>\n", "\n</delta>\n"), around("in a comment", "<!-- ", " -->\n"),
		around("in a table", "| delta |\n|---|\n| ", " |\n"), around("prose in the block", "```delta\nHere it is:\n", "\n```\n"), around("in details", "<details>\n\n", "\n\n</details>\n"),
		around("wrapped", "```delta\n{\"deltas\":[", "]}\n```\n"), around("wrapped in json", "```json\n{\"session\":\"RS-1\",\"deltas\":[", "]}\n```\n"),
		around("wrapped whole", `{"deltas":[`, "]}"), around("wrapped one", "```delta\n{\"delta\":", "}\n```\n"), around("wrapped deep", "```delta\n{\"reply\":{\"changes\":[", "]}}\n```\n"),
		around("array with a comma", "```delta\n[", ",]\n```\n"), around("text after it", "```delta\n", "\nThat was it.\n```\n"), around("a semicolon", "```delta\n", ";\n```\n"),
		around("a variable", "```delta\nconst delta = ", ";\n```\n"), around("paragraphs in it", "Mine is\n\n", "\n\nand so on.\n"),

		inText("single quotes", single), inText("unquoted names", nameless), inText("smart quotes", func(raw string) string {
			parts := strings.Split(strings.ReplaceAll(raw, `\"`, "'"), `"`)
			out := parts[0]
			for i, p := range parts[1:] {
				out += string([]rune("“”")[i%2]) + p
			}
			return out
		}),
		inText("trailing comma", func(raw string) string { return raw[:len(raw)-1] + ",}" }), inText("trailing commas", func(raw string) string {
			return strings.ReplaceAll(raw, `"},"`, `",},"`)
		}),
		inText("line comment", func(raw string) string { return strings.Replace(raw, `,"section"`, ", // where\n\"section\"", 1) }),
		inText("block comment", func(raw string) string { return strings.Replace(raw, `,"section"`, `, /* where */ "section"`, 1) }),
		inText("hash comment", func(raw string) string { return strings.Replace(raw, `,"section"`, ", # where\n\"section\"", 1) }),
		inText("missing comma", func(raw string) string { return strings.Replace(raw, `,"section"`, "\n\"section\"", 1) }),
		inText("raw newline", func(raw string) string {
			return strings.NewReplacer("Fate follows", "Fate\nfollows", "Move late", "Move\nlate", "They ignore", "They\nignore", "Too slow", "Too\nslow", "The signal", "The\nsignal", "Both suppose", "Both\nsuppose", "What decides", "What\ndecides").Replace(raw)
		}),
		inText("inner quotes", func(raw string) string { return strings.ReplaceAll(raw, `\"`, `"`) }),
		inText("Python", func(raw string) string {
			return strings.NewReplacer("null", "None", "true", "True").Replace(single(raw))
		}),
		inText("not closed", func(raw string) string { return raw[:len(raw)-1] }), inText("closed twice", func(raw string) string { return raw + "}" }),
		inText("equals signs", func(raw string) string { return strings.Replace(raw, `"operation":`, `"operation" = `, 1) }),
		inText("Ruby arrows", func(raw string) string { return strings.Replace(raw, `"operation":`, `"operation" => `, 1) }),
		inText("bare word", func(raw string) string {
			return strings.Replace(raw, `"operation":"`, `"operation":`, 1)[:0] + bareOperation(raw)
		}),
		inText("HTML entities", func(raw string) string { return strings.ReplaceAll(strings.ReplaceAll(raw, `\"`, "'"), `"`, "&quot;") }),
		inText("escaped twice", func(raw string) string { return strings.ReplaceAll(strings.ReplaceAll(raw, `\"`, "'"), `"`, `\"`) }),
		inText("triple quotes", func(raw string) string {
			return strings.Replace(raw, `"rationale":"`, `"rationale":"""`, 1)[:len(raw)] + `"""}`
		}),
		inText("no-break spaces", func(raw string) string { return strings.Replace(raw, `,"section"`, ",\u00a0\"section\"", 1) }),

		replaced("bad escape", `rationale":"`, `rationale":"\alpha and `), replaced("bad escape s", `rationale":"`, `rationale":"as \sim `), replaced("bad escape u", `rationale":"`, `rationale":"\upsilon `),
		replaced("beta", `rationale":"`, `rationale":"\beta `), replaced("frac", `rationale":"`, `rationale":"\frac12 `), replaced("theta", `rationale":"`, `rationale":"\theta `),
		replaced("nabla", `rationale":"`, `rationale":"\nabla `), replaced("rho", `rationale":"`, `rationale":"\rho `), replaced("nu in a formula", `rationale":"`, `rationale":"$\nu$ `),
		unnamed(replaced("escape character", `rationale":"`, `rationale":"\u001b[1m`), "control character"), unnamed(replaced("replacement", `rationale":"`, "rationale\":\"caf\uFFFD "), "replacement character"),
		unnamed(replaced("lone surrogate", `rationale":"`, `rationale":"\ud83d `), ""),

		replaced("lower operation", `"operation":"ADD"`, `"operation":"add"`), replaced("title operation", `"operation":"EDIT"`, `"operation":"Edit"`), replaced("create", `"operation":"ADD"`, `"operation":"CREATE"`),
		replaced("update", `"operation":"EDIT"`, `"operation":"update"`), replaced("delete", `"operation":"KILL"`, `"operation":"DELETE"`), replaced("op", `"operation"`, `"op"`), replaced("action", `"operation"`, `"action"`),
		replaced("Operation", `"operation"`, `"Operation"`), replaced("targetId", `"target_id"`, `"targetId"`), replaced("target", `"target_id"`, `"target"`), replaced("data", `"payload"`, `"data"`),
		replaced("section in words", `"hypothesis_slate"`, `"Hypothesis Slate"`), replaced("hypotheses", `"hypothesis_slate"`, `"hypotheses"`), replaced("tests", `"discriminative_tests"`, `"tests"`),
		replaced("assumptions", `"assumption_ledger"`, `"assumptions"`), replaced("camel section", `"anomaly_register"`, `"anomalyRegister"`), replaced("critique", `"adversarial_critique"`, `"critique"`), replaced("predictions", `"section":"predictions_table"`, `"section":"predictions"`),
		replaced("small id", `"target_id":"H1"`, `"target_id":"h1"`), replaced("id in brackets", `"target_id":"H2"`, `"target_id":"[H2]"`), replaced("id with a name", `"target_id":"H1"`, `"target_id":"H1: Lineage"`), replaced("id in words", `"target_id":"H2"`, `"target_id":"hypothesis 2"`),
		replaced("target None", `"target_id":null`, `"target_id":"None"`), replaced("target empty", `"target_id":null`, `"target_id":""`), replaced("target null text", `"target_id":null`, `"target_id":"null"`), replaced("target in a list", `"target_id":"H2"`, `"target_id":["H2"]`),
		replaced("invented id", `"target_id":null,"section":"anomaly_register"`, `"target_id":"X4","section":"anomaly_register"`), replaced("number for id", `"target_id":"H2"`, `"target_id":2`),
		replaced("statement for claim", `"claim"`, `"statement"`), replaced("basis", `"mechanism"`, `"basis"`), replaced("title", `"name":"D`, `"title":"D`), replaced("Claim", `"claim"`, `"Claim"`), replaced("method", `"procedure"`, `"method"`), replaced("description", `"observation"`, `"description"`),
		replaced("thirdAlternative", `"third_alternative"`, `"thirdAlternative"`), replaced("why for reason", `"payload":{"reason"`, `"payload":{"why"`), replaced("critique for attack", `"attack"`, `"critique"`),
		replaced("potency check as an object", `"Move early cells too: they change"`, `{"Move early cells too":"they change"}`), replaced("text for a list", `["§161"]`, `"§161"`), replaced("text for conflicts", `"conflicts_with":["H1"]`, `"conflicts_with":"H1"`),
		replaced("yes for true", `"third_alternative":true`, `"third_alternative":"yes"`), replaced("true in quotes", `"scale_check":true`, `"scale_check":"true"`), replaced("scores in quotes", `{"cost":1,"likelihood_ratio":3}`, `{"cost":"1","likelihood_ratio":"3/3"}`),
		replaced("a total", `"likelihood_ratio":3}`, `"likelihood_ratio":3,"total":4}`), replaced("small keys", `{"H1":"kept","H2":"changed"}`, `{"h1":"kept","h2":"changed"}`), replaced("outcomes as a list", `{"H1":"old fate","H2":"new fate"}`, `[{"hypothesis":"H1","outcome":"old fate"},{"hypothesis":"H2","outcome":"new fate"}]`),
		replaced("outcomes as a text", `{"H1":"kept","H2":"changed"}`, `"H1: kept; H2: changed"`), replaced("status in capitals", `"status":"active"`, `"status":"Active"`), replaced("null field", `"status":"unchecked"`, `"status":"unchecked","test":null`),
		inText("no payload", func(raw string) string {
			if !strings.Contains(raw, `"payload":{"conflicts_with"`) {
				return raw
			}
			return strings.Replace(strings.Replace(raw, `"payload":{"conflicts_with"`, `"conflicts_with"`, 1), `"active"}`, `"active"`, 1)
		}), replaced("payload in a list", `"payload":{"reason":"Too slow by a factor of ten"}`, `"payload":[{"reason":"Too slow by a factor of ten"}]`),
		replaced("payload as a text", `"payload":{"reason":"Too slow by a factor of ten"}`, `"payload":"{\"reason\":\"Too slow by a factor of ten\"}"`), replaced("payload wrapped", `"payload":{"context":"Grafts and clones","statement":"What decides cell fate?"}`, `"payload":{"RT":{"context":"Grafts and clones","statement":"What decides cell fate?"}}`),
		fine(replaced("null id", `{"operation"`, `{"delta_id":null,"operation"`)), replaced("closed early", `"payload":{"conflicts_with"`, `"conflicts_with"`), replaced("no instant", `{"operation"`, `{"timestamp":"yesterday","operation"`), replaced("spaced provisional id", `"T-LATE"`, `"T LATE"`),
		replaced("operation as a key", `{"operation":"KILL","target_id":"H2","section":"hypothesis_slate","payload":{"reason":"Too slow by a factor of ten"},"rationale":"see A1"}`, `{"KILL":{"target_id":"H2","section":"hypothesis_slate","payload":{"reason":"Too slow by a factor of ten"},"rationale":"see A1"}}`),

		unnamed(replaced("no claim", `"claim":"Fate follows the \"mother\" cell",`, ``), "claim is missing"), unnamed(replaced("no operation", `"operation":"KILL",`, ``), "operation"), unnamed(replaced("unknown section", `"section":"anomaly_register"`, `"section":"results"`), "section is missing or unknown"),
		unnamed(replaced("score too high", `"cost":1`, `"cost":7`), "outside 0 to 3"), unnamed(replaced("other status", `"status":"active"`, `"status":"open"`), "status has no such value"), unnamed(replaced("claim twice", `"claim":"Fate follows position"`, `"claim":"Fate follows position","claim":"no"`), "stands twice"),
		unnamed(replaced("no target", `"target_id":"H2"`, `"target_id":null`), "target_id is missing"), unnamed(replaced("forged line", `{"reason":"Too slow by a factor of ten"}`, `{"Killed by":"PI"}`), "would pass for a line"),
		unnamed(slip{name: "YAML", write: func(string, *rand.Rand) ([]byte, bool) {
			return fenced("operation: ADD\nsection: hypothesis_slate\npayload:\n  claim: c\n  mechanism: m"), true
		}}, "not JSON"),
		unnamed(slip{name: "a list in prose", write: func(string, *rand.Rand) ([]byte, bool) {
			return []byte("My delta:\n\n- **operation**: ADD\n- section: hypothesis_slate\n- claim: c\n"), true
		}}, "written as a list"),
		unnamed(slip{name: "cut off", write: func(raw string, rng *rand.Rand) ([]byte, bool) {
			i := strings.Index(raw, `"payload"`) + 14
			return []byte("```delta\n" + raw[:i+rng.IntN(5)]), true
		}}, "not JSON"),
		{name: "UTF-16 little", write: func(raw string, _ *rand.Rand) ([]byte, bool) {
			return inUTF16(string(fenced(raw)), binary.LittleEndian, true), true
		}},
		{name: "UTF-16 big", write: func(raw string, _ *rand.Rand) ([]byte, bool) {
			return inUTF16(string(fenced(raw)), binary.BigEndian, true), true
		}},
		{name: "UTF-16 unmarked", write: func(raw string, _ *rand.Rand) ([]byte, bool) {
			return inUTF16(string(fenced(raw)), binary.LittleEndian, false), true
		}},
		{name: "UTF-16 JSON", write: func(raw string, _ *rand.Rand) ([]byte, bool) { return inUTF16(raw, binary.LittleEndian, true), true }},
		{name: "Windows-1252", write: func(raw string, _ *rand.Rand) ([]byte, bool) {
			return []byte(strings.NewReplacer("§", "\xa7").Replace(string(fenced(raw)))), strings.Contains(raw, "§") && !strings.Contains(raw, "β")
		}},
	}
	return all
}

// bareOperation takes the quotes off the operation.
func bareOperation(raw string) string {
	for _, op := range []string{"ADD", "EDIT", "KILL"} {
		raw = strings.Replace(raw, `"operation":"`+op+`"`, `"operation":`+op, 1)
	}
	return raw
}

// reading is what became of a generated reply.
type reading struct {
	kind, reply string
	silent      bool // nobody was told
	twice       bool
	garbled     bool // something else than what was meant was applied
	right       bool // applied, corrected or named as it should be
	why         string
}

// readReply reads a reply as a session does and judges what came of it.
func readReply(slate *delta.Artifact, s slip, raw string, reply []byte) reading {
	out := reading{kind: s.name, reply: string(reply)}
	x, err := delta.ReadDeltas(reply, replyEnvelope)
	if err != nil {
		out.silent, out.why = true, err.Error()
		return out
	}
	want := canonicalDelta([]byte(raw), expected(s.name))
	applied := 0
	r := delta.Merge(slate, x.Entries, delta.Options{})
	for i := range x.Entries {
		if x.Entries[i].Invalid != nil || r.Outcomes[i].Status == delta.Duplicate {
			continue
		}
		applied++
		if got := contentOf(x.Entries[i].Delta); got != want {
			out.garbled, out.why = true, "applied "+got
		}
	}
	out.twice = applied > 1
	out.silent = len(x.Entries)+len(x.Misses)+len(x.Ignored) == 0
	switch {
	case s.fine:
		out.right = applied == 1
	case s.ignored:
		out.right = applied == 0 && len(x.Ignored) > 0
	case applied > 0:
		out.garbled, out.why = true, "applied though it is a slip"
	case s.names != "" || s.name == "lone surrogate":
		said := fmt.Sprintf("%+v", x.Misses)
		for _, e := range x.Entries {
			said += e.Invalid.Error() + " at " + e.Invalid.Pointer
		}
		out.right, out.why = strings.Contains(said, s.names), said
	default:
		accepted := x.AcceptMended()
		for _, e := range accepted.Entries {
			if e.Invalid == nil {
				got := contentOf(e.Delta)
				out.right, out.why = got == want && accepted.Usable() == 1, "mended "+got
			}
		}
		if accepted.Usable() == 0 {
			out.why = fmt.Sprintf("not mended: %+v", x.Misses)
		}
	}
	return out
}

// expected says how the content that is meant differs from that of the delta
// the slip was made of.
func expected(kind string) func(string) string {
	tex := map[string]string{
		"bad escape": `\\alpha and `, "bad escape s": `as \\sim `, "bad escape u": `\\upsilon `, "beta": `\\beta `, "frac": `\\frac12 `,
		"theta": `\\theta `, "nabla": `\\nabla `, "rho": `\\rho `, "nu in a formula": `$\\nu$ `,
	}
	return func(raw string) string {
		if add, ok := tex[kind]; ok {
			raw = strings.Replace(raw, `rationale":"`, `rationale":"`+add, 1)
		}
		switch kind {
		case "raw newline":
			raw = strings.NewReplacer("Fate follows", `Fate\nfollows`, "Move late", `Move\nlate`, "They ignore", `They\nignore`, "Too slow", `Too\nslow`, "The signal", `The\nsignal`, "Both suppose", `Both\nsuppose`, "What decides", `What\ndecides`).Replace(raw)
		case "a tab in a text":
			raw = strings.NewReplacer("Too slow", `Too\tslow`, "They ignore", `They\tignore`).Replace(raw)
		case "single quotes", "Python", "smart quotes", "HTML entities", "escaped twice":
			if kind == "single quotes" || kind == "Python" {
				return raw
			}
			raw = strings.ReplaceAll(raw, `\"`, "'")
		case "triple quotes":
			return raw
		case "spaced provisional id":
			return raw
		}
		return raw
	}
}

func canonicalDelta(raw []byte, expect func(string) string) string {
	d, err := delta.Parse([]byte(expect(string(raw))), replyEnvelope, 1)
	if err != nil {
		panic(err)
	}
	return contentOf(d)
}

// contentOf is what a delta says, without what the envelope supplies.
func contentOf(d delta.Delta) string {
	d.DeltaID, d.Seq, d.Timestamp, d.Agent = "", 0, "", ""
	return string(canon.MustMarshal(d))
}

func TestExtract_GeneratedReplies(t *testing.T) {
	// D20: of replies that go wrong in every way we know none is dropped without
	// a word, applied twice or applied as something else, and nearly all come
	// back with the right correction or the right name of what is wrong.
	rng, slate := rand.New(rand.NewPCG(23, 20)), mergeAll(t, nil, hypotheses(3)...).Artifact
	kinds := map[string]bool{}
	var all []reading
	for _, s := range slips() {
		made := 0
		for _, i := range rng.Perm(len(meant)) {
			if reply, ok := s.write(meant[i], rng); ok && made < 4 {
				all = append(all, readReply(slate, s, meant[i], reply))
				made++
			}
		}
		if made == 0 {
			t.Errorf("the slip %q fits no delta", s.name)
		}
		kinds[s.name] = true
	}
	right := 0
	var wrong []string
	for _, r := range all {
		if r.silent || r.twice || r.garbled {
			t.Errorf("%s: silent %t, twice %t, garbled %t: %s\n%s", r.kind, r.silent, r.twice, r.garbled, r.why, r.reply)
		}
		if r.right {
			right++
		} else if !slices.Contains(wrong, r.kind) {
			wrong = append(wrong, r.kind)
			t.Logf("%s: %s\n%s", r.kind, r.why, r.reply)
		}
	}
	t.Logf("%d replies of %d kinds, %d right", len(all), len(kinds), right)
	if len(all) < 400 || len(kinds) < 90 || right*100 < 95*len(all) || len(all)-right > 5 { // five have been wrong, and no more may become so
		t.Errorf("%d replies of %d kinds, %d right; not right: %v", len(all), len(kinds), right, wrong)
	}
}

func TestExtract_TwoSlipsAtOnce(t *testing.T) {
	// D20: JSON that is wrong in a place that is wrong. None is lost or mistaken,
	// and those that came back corrected still do.
	rng, slate := rand.New(rand.NewPCG(20, 23)), mergeAll(t, nil, hypotheses(3)...).Artifact
	all := slips()
	tried, right := 0, 0
	for tried < soaked(600, 40_000) {
		inner, outer, raw := all[rng.IntN(len(all))], all[rng.IntN(len(all))], meant[rng.IntN(len(meant))]
		if inner.change == nil || inner.change(raw) == raw || outer.before+outer.after == "" || outer.ignored || inner.fine {
			continue
		}
		tried++
		both := slip{name: inner.name, names: inner.names}
		r := readReply(slate, both, raw, []byte(outer.before+inner.change(raw)+outer.after))
		if r.silent || r.twice || r.garbled {
			t.Errorf("%s, %s: silent %t, twice %t, garbled %t: %s\n%s", inner.name, outer.name, r.silent, r.twice, r.garbled, r.why, r.reply)
		}
		if r.right {
			right++
		}
	}
	t.Logf("%d replies, %d right", tried, right)
	if tried == 600 && right < 595 {
		t.Errorf("%d of %d right, and 595 have been", right, tried)
	}
}
