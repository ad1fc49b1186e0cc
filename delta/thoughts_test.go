package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/delta"
)

func TestExtract_ThoughtsAreNoContribution(t *testing.T) {
	// D20: what a model tries out in its thoughts is named and not applied; what
	// only looks like thoughts is read.
	block := func(reason string) string {
		return "```delta\n" + `{"operation":"KILL","target_id":"H1","section":"hypothesis_slate","payload":{"reason":"` + reason + `"}}` + "\n```\n"
	}
	for _, c := range []struct {
		name, reply string
		reasons     string // that are applied
		ignored     int
	}{
		{"thoughts first", "<think>\n" + block("a") + "</think>\n\n" + block("b"), "b", 1},
		{"thoughts twice", "<thinking>\n" + block("a") + "</thinking>\n" + block("b") + "<thinking>\n" + block("c") + "</thinking>\n" + block("d"), "b d", 2},
		{"only thoughts", "<Reasoning>\n" + block("a") + "</Reasoning>\n", "", 1},
		{"thoughts without a delta", "<think>\nH1 or {H2}?\n</think>\n" + block("a"), "a", 0},
		{"the tag before them was not sent", "Perhaps\n\n" + block("a") + "</think>\n\n" + block("b"), "b", 1},
		{"never closed", "<think>\n\n" + block("a"), "a", 0},
		{"another tag closes", "<think>\n\n" + block("a") + "</analysis>\n\n" + block("b"), "a b", 0},
		{"an analysis that was not opened", block("a") + "</analysis>\n\n" + block("b"), "a b", 0},
		{"a tag inside a line", "I use <think> tags.\n\n" + block("a") + "and </thoughts>\n\n" + block("b"), "a b", 0},
		{"a delta in the thoughts without a block", `<think>` + "\n" + `{"operation":"KILL","target_id":"H1","section":"hypothesis_slate"}` + "\n</think>\n" + block("b"), "b", 1},
	} {
		x, err := delta.ReadDeltas([]byte(c.reply), replyEnvelope)
		if err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for _, e := range x.Entries {
			if e.Invalid == nil {
				reasons = append(reasons, strings.TrimSuffix(strings.TrimPrefix(string(e.Delta.Payload), `{"reason":"`), `"}`))
			}
		}
		if got := strings.Join(reasons, " "); got != c.reasons || len(x.Ignored) != c.ignored {
			t.Errorf("%s: applied %q, %d ignored: %+v", c.name, got, len(x.Ignored), x.Misses)
		}
		for _, m := range x.Ignored {
			if line := strings.Split(c.reply, "\n")[m.Line-1]; !strings.Contains(line, "delta") && !strings.HasPrefix(line, "{") {
				t.Errorf("%s: line %d is %q", c.name, m.Line, line)
			}
		}
	}
}

func TestExtract_MoreThoughtsThanCanBeLookedInto(t *testing.T) {
	// D20, D23: they are forgotten all the same, and it is said that they were.
	reply := strings.Repeat("<think>\n{}\n</think>\n", 20_000) + "```delta\n" + meant[4] + "\n```\n"
	x, err := delta.ReadDeltas([]byte(reply), replyEnvelope)
	if err != nil || x.Usable() != 1 || len(x.Ignored) == 0 {
		t.Error(err, x.Usable(), len(x.Ignored))
	}
}

func TestExtract_CallsAndElementsAreNamed(t *testing.T) {
	// D20: a delta written as a call comes back as JSON, one in elements is named,
	// and what only sounds like one is left alone.
	want := canonicalDelta([]byte(meant[4]), func(s string) string { return s })
	call := `submit(operation="KILL", target_id="H2", section="hypothesis_slate", payload={"reason": "Too slow by a factor of ten"}, rationale="see A1")`
	for name, c := range map[string]struct {
		reply  string
		misses int
		mended bool
	}{
		"a call":               {"I do this: " + call + ".\n", 1, true},
		"two calls":            {call + "\n" + strings.Replace(call, "KILL", "KILL", 1) + "\n", 2, true},
		"a call in a block":    {"```python\n" + call + "\n```\n", 1, true},
		"a call cut off":       {strings.TrimSuffix(call, `"see A1")`), 1, false},
		"elements":             {"<op> kill </op><target_id>H2</target_id>\n", 1, false},
		"an attribute":         {"<delta section='x' operation='KILL'>\n", 1, false},
		"a function of a name": {"Call f(x, operation) to KILL.\n", 0, false},
		"a word of the method": {"The operation (KILL) is final; op = none.\n", 0, false},
		"an echo":              {delta.EchoMarker + "\n" + call + "\n", 0, false},
	} {
		x, err := delta.ReadDeltas([]byte(c.reply), replyEnvelope)
		if err != nil {
			t.Fatal(err)
		}
		if x.Usable() != 0 || len(x.Misses) != c.misses {
			t.Errorf("%s: %d usable, misses %+v", name, x.Usable(), x.Misses)
		}
		if accepted := x.AcceptMended(); (accepted.Usable() > 0) != c.mended || c.mended && contentOf(accepted.Entries[0].Delta) != want {
			t.Errorf("%s: %d mended", name, accepted.Usable())
		}
	}
}

func TestExtract_ItemsWithoutADeltaAreNamed(t *testing.T) {
	// D20: an item that stands where a delta was meant is not passed over; other
	// JSON is.
	for body, want := range map[string]string{
		`{"claim":"c","mechanism":"m"}`:               "an item of hypothesis_slate",
		`{"id":"X1","name":"n","observation":"o"}`:    "an item of anomaly_register",
		`{"condition":"c","predictions":{"H1":"up"}}`: "an item of predictions_table",
		`{"claim":"c"}`:          "",
		`{"name":"n","value":3}`: "",
		`{"hypotheses":[{"id":"H1","claim":"c","mechanism":"m"}]}`:    "operation must be ADD, EDIT or KILL",
		`{"statement":"What decides cell fate?","context":"grafts"}`:  "",
		`{"jsonrpc":"2.0","method":"initialize","params":{"name":1}}`: "",
	} {
		x, err := delta.ReadDeltas([]byte("See\n\n```json\n"+body+"\n```\n"), replyEnvelope)
		if err != nil {
			t.Fatal(err)
		}
		accepted := x.AcceptMended()
		if said := fmt.Sprintf("%+v", x.Misses); (want == "") != (len(x.Misses) == 0) || !strings.Contains(said, want) || accepted.Usable() != 0 {
			t.Errorf("%s: %s", body, said)
		}
	}
}

func TestExtract_CharactersAsHTMLWritesThem(t *testing.T) {
	// D20: a character that HTML writes by its number is refused and mended; an
	// ampersand is one.
	for text, want := range map[string]string{
		"p &#8805; 5": "p ≥ 5", "&#x3b2;-cells &#946;": "β-cells β", "R&D": "", "AT&T #5;": "", "&#; &#1; &#x;": "", "&lt;p&gt;": "",
	} {
		reply := "```delta\n" + strings.Replace(meant[4], "see A1", text, 1) + "\n```\n"
		inPayload := "```delta\n" + strings.Replace(meant[4], "Too slow by a factor of ten", text, 1) + "\n```\n"
		for _, reply := range []string{reply, inPayload} {
			x, err := delta.ReadDeltas([]byte(reply), replyEnvelope)
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				if x.Usable() != 1 {
					t.Errorf("%q: %+v", text, x.Misses)
				}
				continue
			}
			accepted := x.AcceptMended()
			if x.Usable() != 0 || accepted.Usable() != 1 || !strings.Contains(contentOf(accepted.Entries[0].Delta), want) {
				t.Errorf("%q: %d usable, %+v", text, x.Usable(), x.Misses)
			}
		}
	}
}
