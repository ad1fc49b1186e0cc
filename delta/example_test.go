package delta_test

import (
	"fmt"
	"time"

	"brenner/delta"
)

// An agent answers in Markdown; its deltas are taken out and merged into the
// artifact of the session.
func Example() {
	start := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	base, err := delta.New("RS-1", "Why do the cells stop dividing?", nil, start)
	if err != nil {
		panic(err)
	}
	const reply = "I see one cause.\n\n```delta\n" +
		`{"delta_id": "d1", "operation": "ADD", "section": "hypothesis_slate", "payload": {"claim": "They run out of glucose", "mechanism": "Uptake saturates"}}` +
		"\n```\n"
	said, err := delta.Extract([]byte(reply), delta.Envelope{Message: "m-7", Agent: "BlueLake", Timestamp: "2026-01-05T09:05:00Z"})
	if err != nil {
		panic(err)
	}
	result := delta.Merge(base, said.Entries, delta.Options{})
	fmt.Println(result.Outcomes[0].Status, result.Outcomes[0].Item)
	fmt.Print(delta.RenderPart(result.Artifact, delta.Part{Items: []delta.ItemID{"H1"}}))
	// Output:
	// applied H1
	// ## 2. Hypothesis Slate
	//
	// ### H1
	// **Claim**: They run out of glucose
	// **Mechanism**: Uptake saturates
	// **Anchors**: inference
	//
	// H1 by BlueLake
}
