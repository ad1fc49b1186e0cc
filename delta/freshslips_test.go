package delta_test

import (
	"strings"
	"testing"

	"brenner/delta"
)

// Thirty-four more replies, one of each kind, written down before the reader was
// run on them. At the first try nothing was dropped, applied or garbled; three
// were named and not corrected: a name in bold, dots for what stays as it is, and
// quotes as numbered entities. Those are mended, and stand here with others that
// no list had before (D20).
func TestExtract_FreshSlipsComeBackAsTheyWereMeant(t *testing.T) {
	t.Parallel()
	const raw = `{"operation": "EDIT", "target_id": "H1", "section": "hypothesis_slate", "payload": {"claim": "cells count divisions"}, "rationale": "seen twice"}`
	block := func(body string) string { return "I looked at it.\n\n```delta\n" + body + "\n```\n" }
	swap := func(pairs ...string) string { return block(strings.NewReplacer(pairs...).Replace(raw)) }
	for name, reply := range map[string]string{
		"attributes":     strings.Replace(block(raw), "```delta", "```delta {.numberLines startFrom=1}", 1),
		"CDATA":          "<delta><![CDATA[" + raw + "]]></delta>\n",
		"two backticks":  "Mine:\n\n``delta\n" + raw + "\n``\n",
		"YAML scalar":    "```yaml\ndelta: |\n  " + raw + "\n```\n",
		"None":           swap(`"EDIT"`, `"EDIT", "provisional_id": None, "seq": None`),
		"semicolons":     swap(`", "`, `"; "`),
		"no-break space": swap(`": `, "\":\u00a0"),
		"zero width":     swap(`"claim"`, "\"cl\u200baim\""),
		"bold name":      swap(`"claim"`, `**"claim"**`),
		"bold names":     swap(`"claim"`, `*"claim"*`, `"section"`, `**"section"**`),
		"dots":           swap(`divisions"`, `divisions", ...`),
		"dots first":     swap(`{"claim"`, `{…, "claim"`),
		"spread":         swap(`{"claim"`, `{...before, "claim"`),
		"&#34;":          swap(`"`, "&#34;"),
		"&#x22;":         swap(`"`, "&#x22;"),
	} {
		x, err := delta.ReadDeltas([]byte(reply), delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
		if err != nil || x.Usable() != 0 {
			t.Errorf("%s: %d deltas, %v", name, x.Usable(), err)
			continue
		}
		again := x.AcceptMended()
		if again.Usable() != 1 {
			t.Errorf("%s: %d deltas in the correction: %+v", name, again.Usable(), x.Misses)
			continue
		}
		d := again.Entries[0].Delta
		if d.Operation != delta.Edit || d.TargetID != "H1" || d.Section != delta.HypothesisSlate || string(d.Payload) != `{"claim":"cells count divisions"}` || d.Rationale != "seen twice" {
			t.Errorf("%s: corrected to %+v", name, d)
		}
	}
}
