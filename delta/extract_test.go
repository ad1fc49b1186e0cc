package delta_test

import (
	"bytes"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

var replyEnvelope = delta.Envelope{Message: "msg-7", Agent: "BlueLake", Timestamp: "2026-01-02T03:04:05Z"}

const plainDelta = `{"operation":"ADD","section":"anomaly_register","payload":{"name":"n","observation":"o"}}`

// extract reads a reply whose code fences are written as ”' for legibility.
func extract(t testing.TB, reply string) delta.Extraction {
	t.Helper()
	x, err := delta.Extract([]byte(strings.ReplaceAll(reply, "'''", "```")), replyEnvelope)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExtract_FindsBlocksHoweverTheyAreFenced(t *testing.T) {
	// D20: backticks, tildes, colons; objects, arrays, lines.
	for name, c := range map[string]struct {
		reply string
		want  int
	}{
		"backticks":        {"Hello\n\n'''delta\n" + plainDelta + "\n'''\nBye", 1},
		"tildes":           {"~~~delta\n" + plainDelta + "\n~~~", 1},
		"colons":           {"Text\n:::delta\n" + plainDelta + "\n:::\nmore", 1},
		"colons, blank":    {":::delta\n{\"operation\":\"ADD\",\n\n\"section\":\"anomaly_register\",\n\n    \"payload\":{\"name\":\"n\",\"observation\":\"o\"}}\n:::\n", 1},
		"longer fence":     {"````delta\n" + plainDelta + "\n````", 1},
		"in a list":        {"1. First\n\n   '''delta\n   " + plainDelta + "\n   '''\n2. Second\n", 1},
		"array":            {"'''delta\n[" + plainDelta + "," + plainDelta + "]\n'''", 2},
		"lines":            {"'''delta\n" + plainDelta + "\n" + plainDelta + "\n'''", 2},
		"two blocks":       {"'''delta\n" + plainDelta + "\n'''\nand\n~~~delta\n" + plainDelta + "\n~~~", 2},
		"never closed":     {"'''delta\n" + plainDelta, 1},
		"windows lines":    {"'''delta\r\n" + plainDelta + "\r\n'''\r\n", 1},
		"byte order mark":  {"\uFEFF'''delta\n" + plainDelta + "\n'''\n", 1},
		"none":             {"I have nothing to add.", 0},
		"named in prose":   {"Use '''delta blocks, I was told.\n\n'''delta\n" + plainDelta + "\n'''", 1},
		"inline code":      {"The fence `'''delta` opens one.\n\n'''delta\n" + plainDelta + "\n'''", 1},
		"alone in prose":   {"A block starts with\n'''delta\nand so on.\n\n'''delta\n" + plainDelta + "\n'''", 1},
		"tilde in prose":   {"~~~delta fences are fine too\n\n'''delta\n" + plainDelta + "\n'''\n", 1},
		"after a nested":   {"'''markdown\n'''delta\n" + plainDelta + "\n'''\n'''\n\nNow mine:\n\n'''delta\n" + plainDelta + "\n'''\n", 1},
		"after a stray":    {"Look:\n'''\n\n'''delta\n" + plainDelta + "\n'''\n", 1},
		"quoted before":    {"> '''delta\n> " + plainDelta + "\n> '''\n\n'''delta\n" + plainDelta + "\n'''", 1},
		"four around":      {"````md\n'''delta\n" + plainDelta + "\n'''\n````\n", 0},
		"indented by four": {"    '''delta\n    " + plainDelta + "\n    '''\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			x := extract(t, c.reply)
			valid := 0
			for _, e := range x.Entries {
				if e.Invalid != nil {
					continue
				}
				valid++
				if e.Delta.Agent != "BlueLake" || e.Delta.Timestamp != "2026-01-02T03:04:05Z" || e.Message != "msg-7" || e.Delta.Seq < valid {
					t.Errorf("the envelope did not fill in: %+v", e)
				}
			}
			if valid != c.want {
				t.Errorf("%d deltas, want %d; misses %+v", valid, c.want, x.Misses)
			}
		})
	}
}

func TestExtract_NearMissComesBackCorrected(t *testing.T) {
	// D20: never applied silently, never dropped silently.
	for name, c := range map[string]struct{ reply, hint string }{
		"wrong fence":      {"'''json\n" + plainDelta + "\n'''", "name the fence delta"},
		"no name":          {"'''\n" + plainDelta + "\n'''", "name the fence delta"},
		"capital name":     {"'''Delta\n" + plainDelta + "\n'''", "name the fence delta"},
		"no fence":         {"Here is my delta:\n" + plainDelta + "\n\nBye", "put it into a block named delta"},
		"indented":         {"Here it is:\n\n    " + plainDelta + "\n", "put it into a block named delta"},
		"nested":           {"````markdown\n'''delta\n" + plainDelta + "\n'''\n````", "send the block on its own"},
		"section name":     {"'''delta\n" + `{"operation":"ADD","section":"hypotheses","payload":{"claim":"c","mechanism":"m"}}` + "\n'''", "write section hypothesis_slate"},
		"field names":      {"'''delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"statement":"c","basis":"m"}}` + "\n'''", "write claim instead of statement; write mechanism instead of basis"},
		"trailing comma":   {"'''delta\n" + `{"operation":"ADD","section":"anomaly_register","payload":{"name":"n","observation":"o",},}` + "\n'''", "take out trailing commas"},
		"comment":          {"'''delta\n{\"operation\":\"ADD\", // mine\n\"section\":\"anomaly_register\",\"payload\":{\"name\":\"n\",\"observation\":\"http://x\"}}\n'''", "comments"},
		"small letters":    {"'''delta\n" + strings.Replace(plainDelta, "ADD", "add", 1) + "\n'''", "write operation ADD"},
		"other verb":       {"'''delta\n" + strings.Replace(plainDelta, "ADD", "create", 1) + "\n'''", "write operation ADD"},
		"invented id":      {"'''delta\n" + strings.Replace(plainDelta, "{", `{"target_id":"X-NEW",`, 1) + "\n'''", "provisional_id"},
		"no payload":       {"'''delta\n" + `{"operation":"ADD","section":"anomaly_register","name":"n","observation":"o"}` + "\n'''", "put observation into the payload"},
		"null field":       {"'''delta\n" + `{"operation":"ADD","section":"anomaly_register","payload":{"name":"n","observation":"o","status":null}}` + "\n'''", "leave status out"},
		"string for array": {"'''delta\n" + `{"operation":"ADD","section":"anomaly_register","payload":{"name":"n","observation":"o","conflicts_with":"H1"}}` + "\n'''", "as an array"},
		"quoted score": {
			"'''delta\n" + `{"operation":"EDIT","target_id":"T1","section":"tests","payload":{"score":{"cost":"2"}}}` + "\n'''",
			"write section discriminative_tests; write the parts of a score as numbers",
		},
		"curly quotes": {"'''delta\n{“operation”:“ADD”,“section”:“anomaly_register”,“payload”:{“name”:“n”,“observation”:“o: True, so”}}\n'''", "straight double quotes"},
		"python":       {"'''delta\n{\"operation\": \"ADD\", \"section\": \"anomaly_register\", \"target_id\": None, \"payload\": {\"name\": \"n\", \"observation\": \"o\"}}\n'''", "true, false and null in small letters"},
	} {
		t.Run(name, func(t *testing.T) {
			x := extract(t, c.reply)
			r := delta.Merge(nil, x.Entries, delta.Options{})
			if r.Recorded() != 0 {
				t.Fatalf("applied silently: %+v", r.Outcomes)
			}
			if len(x.Misses) != 1 {
				t.Fatalf("misses: %+v", x.Misses)
			}
			m := x.Misses[0]
			if m.Code != brenner.CodeNearMiss || !strings.Contains(m.Hint, c.hint) || m.Line < 1 {
				t.Errorf("%+v lacks the hint %q", m, c.hint)
			}
			// The corrected block is read, and accepted.
			again, err := delta.Extract([]byte(m.Corrected), replyEnvelope)
			if err != nil || len(again.Entries) != 1 || len(again.Misses) != 0 {
				t.Fatalf("corrected block %s gives %+v, %v", m.Corrected, again, err)
			}
			if _, err := delta.Check(again.Entries[0].Delta); err != nil {
				t.Errorf("corrected block %s: %v", m.Corrected, err)
			}
		})
	}
}

func TestExtract_ReportsWhatCannotBeCorrected(t *testing.T) {
	// D20: not dropped silently either.
	for name, reply := range map[string]string{
		"prose in a block": "'''delta\nI think H2 is wrong.\n'''",
		"cut off":          "'''delta\n{\"operation\":\"ADD\",\n'''",
	} {
		x := extract(t, reply)
		if len(x.Misses) != 1 || len(x.Entries) != 1 || x.Entries[0].Invalid == nil {
			t.Errorf("%s: %+v", name, x)
		}
	}
	// A delta that has no likely correction is still an outcome of its own.
	x := extract(t, "'''delta\n"+`{"operation":"ADD","section":"discriminative_tests","payload":{"potency_check":{"a":1}}}`+"\n'''")
	r := delta.Merge(nil, x.Entries, delta.Options{})
	wantOutcome(t, r, 0, delta.Rejected, brenner.CodeInvalidDelta)
}

func TestExtract_EchoedExamplesAndQuotesAreIgnored(t *testing.T) {
	// D20: recognised by their marker.
	example := delta.MarkExample(plainDelta)
	if !strings.HasPrefix(example, "```delta\n"+delta.EchoMarker+"\n") {
		t.Fatalf("example:\n%s", example)
	}
	if fenced := delta.MarkExample("```delta\n" + plainDelta + "\n```"); fenced != example {
		t.Errorf("a fenced example:\n%s", fenced)
	}
	x := extract(t, "As you asked:\n\n"+example+"\n\n> '''delta\n> "+plainDelta+"\n> '''\n")
	if len(x.Entries) != 0 || len(x.Misses) != 0 || len(x.Ignored) != 2 {
		t.Fatalf("%+v", x)
	}
	if d := x.Diagnostics(); d[0].Code != brenner.CodeBlockIgnored || d[0].Severity != brenner.SeverityInfo || d[0].Subject != "line 3" {
		t.Errorf("%+v", d[0])
	}
}

func TestExtract_HostileRepliesEndQuickly(t *testing.T) {
	// D20: broken fences are looked into a bounded number of times.
	for name, reply := range map[string]string{
		"unclosed fences": strings.Repeat("~~~delta x\n'''delta\nno\n", 20_000),
		"deep quotes":     strings.Repeat(">", 50_000) + " x\n",
		"deep lists":      strings.Repeat("- ", 5_000) + "x\n",
		"deep numbers":    strings.Repeat("1. ", 5_000) + "x\n",
		"open braces":     strings.Repeat("{\"a\":\n", 20_000),
		"open brackets":   strings.Repeat("[\n", 50_000),
		"nested fences":   nestedFences(300),
		"invalid utf-8":   "'''delta\n{\"operation\":\"\xff\"}\n'''",
		"nul":             "'''delta\n{\"operation\":\"\x00\"}\n'''",
	} {
		x := extract(t, reply)
		if r := delta.Merge(nil, x.Entries, delta.Options{}); r.Recorded() != 0 {
			t.Errorf("%s: recorded %+v", name, r.Outcomes)
		}
	}
	if _, err := delta.Extract(make([]byte, brenner.MaxReplyBytes+1), replyEnvelope); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("a reply that is too long: %v", err)
	}
}

func nestedFences(n int) string {
	var b strings.Builder
	for i := n; i >= 3; i-- {
		b.WriteString(strings.Repeat("`", i) + "md\n")
	}
	b.WriteString("~~~delta\n" + plainDelta + "\n~~~\n")
	return b.String()
}

func TestReadDeltas_DecidesByTheWholeInput(t *testing.T) {
	// D20: JSON objects, arrays or lines only when they are the whole input.
	md := "Reply\n\n```delta\n" + plainDelta + "\n```\n"
	for name, c := range map[string]struct {
		input          string
		valid, invalid int
	}{
		"object":           {plainDelta, 1, 0},
		"array":            {"\n[" + plainDelta + ",\n" + plainDelta + "]\n", 2, 0},
		"empty array":      {"[]", 0, 0},
		"lines":            {plainDelta + "\n\n" + plainDelta + "\n", 2, 0},
		"a broken line":    {plainDelta + "\n{\"operation\":\n" + plainDelta + "\n", 2, 1},
		"duplicate key":    {`[` + plainDelta + `,{"operation":"ADD","operation":"ADD"}]`, 1, 1},
		"not an object":    {`[1,"x",null,[],` + plainDelta + `]`, 1, 4},
		"broken object":    {"{\n\"operation\": \"ADD\",\n}", 0, 1},
		"broken array":     {"[{\"operation\": \"ADD\",}]", 0, 1},
		"markdown":         {md, 1, 0},
		"a link first":     {"[notes](x) say\n\n```delta\n" + plainDelta + "\n```\n", 1, 0},
		"braces then text": {"{not json}\n\n" + md, 1, 0},
		"deep":             {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), 0, 1},
		"deep object":      {`{"payload":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, 0, 1},
		"empty":            {"", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			env := replyEnvelope
			env.Message = ""
			if name != "markdown" {
				env.Message = "m"
			}
			x, err := delta.ReadDeltas([]byte(c.input), env)
			if err != nil {
				t.Fatal(err)
			}
			valid, invalid := 0, 0
			for _, e := range x.Entries {
				if e.Invalid != nil {
					invalid++
				} else {
					valid++
				}
			}
			if valid != c.valid || invalid != c.invalid {
				t.Errorf("%d valid, %d invalid, want %d, %d: %+v", valid, invalid, c.valid, c.invalid, x)
			}
		})
	}
}

func TestReadDeltas_AReplyReadTwiceGivesTheSameDeltas(t *testing.T) {
	// D8: identity is (message, delta_id); a reply names itself by its text.
	env := delta.Envelope{Agent: "BlueLake", Timestamp: "2026-01-02T03:04:05Z"}
	md := []byte("```delta\n" + plainDelta + "\n```\n")
	first, err := delta.ReadDeltas(md, env)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := delta.ReadDeltas(md, env)
	r := delta.Merge(nil, first.Entries, delta.Options{})
	again := delta.Merge(r.Artifact, second.Entries, delta.Options{})
	wantOutcome(t, again, 0, delta.Duplicate, "")
	if again.Artifact != r.Artifact {
		t.Error("a version was made of nothing")
	}
}

func TestReadDeltas_PlaceInAFileIsNoPartOfADelta(t *testing.T) {
	// D8: the same delta in another file is the same delta.
	first, _ := delta.ReadDeltas([]byte("["+seedExample1+"]"), delta.Envelope{})
	r := delta.Merge(nil, first.Entries, delta.Options{})
	second, _ := delta.ReadDeltas([]byte("["+seedExample3+","+seedExample1+"]"), delta.Envelope{})
	wantOutcome(t, delta.Merge(r.Artifact, second.Entries, delta.Options{}), 1, delta.Duplicate, "")
}

func FuzzReadDeltas(f *testing.F) {
	for _, s := range []string{
		plainDelta, "```delta\n" + plainDelta + "\n```", "```json\n" + plainDelta + "\n```", "[" + plainDelta + "]",
		"~~~delta x\n```delta\n" + plainDelta, seedExample1, "> ```delta\n> {}\n", "{\"operation\":\"add\",}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		x, err := delta.ReadDeltas(input, replyEnvelope)
		if err != nil {
			t.Skip()
		}
		r := delta.Merge(nil, x.Entries, delta.Options{})
		raw := canon.MustMarshal(r.Artifact)
		back, err := delta.ReadArtifact(raw)
		if err != nil || !bytes.Equal(canon.MustMarshal(back), raw) {
			t.Fatalf("does not round-trip: %v\n%s", err, raw)
		}
		delta.Render(r.Artifact)
		delta.Lint(r.Artifact)
	})
}
