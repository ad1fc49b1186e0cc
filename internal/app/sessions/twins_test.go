package sessions

import (
	"testing"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

// D4, X11: items that agents have put up as twins are recognised, and items that
// share a subject are not. Most of them stood in sessions of models.
func TestLike(t *testing.T) {
	for _, c := range []struct {
		name         string
		section      delta.Section
		ours, theirs map[string]string
		want         bool
	}{
		{
			"another wording", delta.AssumptionLedger,
			map[string]string{"name": "4 MiB of tmpfs stands for a real disk", "statement": "What a 4 MiB tmpfs shows holds for the disks teams have"},
			map[string]string{"name": "4 MB stands for a real disk", "statement": "What happens on a 4 MB tmpfs happens on a disk of gigabytes"},
			true,
		},
		{
			"the same name", delta.AssumptionLedger,
			map[string]string{"name": "Acknowledged is kept", "statement": "No write that was acknowledged is lost when the disk fills"},
			map[string]string{"name": "Acknowledged is kept", "statement": "What was acknowledged before the disk was full is there when there is room again"},
			true,
		},
		{
			"the contrary", delta.AssumptionLedger,
			map[string]string{"name": "Probes drift", "statement": "The probes of the north shore drift at night"},
			map[string]string{"name": "Probes", "statement": "The probes of the north shore do not drift at night"},
			false,
		},
		{
			"one subject", delta.AssumptionLedger,
			map[string]string{"name": "A full disk stops writes only", "statement": "When the disk is full a team can still read what it has"},
			map[string]string{"name": "Freed room stays ours", "statement": "Room that the project gives up (reserve, log) is there for its own next write"},
			false,
		},
		{
			"short names", delta.HypothesisSlate,
			map[string]string{"name": "Disk", "claim": "the disk is slow", "mechanism": "m"},
			map[string]string{"name": "Net", "claim": "the net is slow", "mechanism": "m"},
			false,
		},
		{
			"two tests of one thing", delta.DiscriminativeTests,
			map[string]string{"name": "Reading without room", "procedure": "Fill the disk, remount it read-only, open the project and list its notes"},
			map[string]string{"name": "Give the log back when full", "procedure": "Fill the disk, empty the log, then write one note and count what passes"},
			false,
		},
	} {
		if got := saidBy(itemOf(t, c.section, c.ours)).like(saidBy(itemOf(t, c.section, c.theirs))) != unlike; got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// itemOf is an item with some texts.
func itemOf(t *testing.T, section delta.Section, texts map[string]string) *delta.Item {
	t.Helper()
	doc, err := delta.New("RS-1", "Why?", nil, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	payload := map[string]any{}
	for name, text := range texts {
		payload[name] = text
	}
	if section == delta.DiscriminativeTests {
		payload["discriminates"], payload["expected_outcomes"] = "d", map[string]string{"H1": "x"}
	}
	res := delta.Merge(doc, []delta.Entry{{Message: "m", Received: time.Unix(9, 0), Delta: delta.Delta{
		DeltaID: "d", Timestamp: delta.FormatInstant(time.Unix(9, 0)), Agent: "BlueLake", Operation: delta.Add, Section: section, Payload: canon.MustMarshal(payload), Seq: 1,
	}}}, delta.Options{Contributors: []brenner.ActorName{"BlueLake"}})
	it, ok := res.Artifact.Item(res.Outcomes[0].Item)
	if !ok {
		t.Fatalf("%+v", res.Outcomes[0])
	}
	return it
}
