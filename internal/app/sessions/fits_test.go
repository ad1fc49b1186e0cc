package sessions

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
	"brenner/roster"
)

// anomalies are deltas of so many bytes each, of which a document holds any number.
func anomalies(name string, n, bytes int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`{"operation":"ADD","section":"anomaly_register","payload":{"name":"%s %d","observation":"%s"}}`, name, i, strings.Repeat("seen ", bytes/5)))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// startedRoom is a room with a session of BlueLake and GreenValley that compiles when
// both have answered.
func startedRoom(t *testing.T) *Service {
	t.Helper()
	if testing.Short() {
		t.Skip("documents of 16 MiB")
	}
	r := newRoom(t)
	r.Paused = func(*kernel.Call) (bool, error) { return false, nil }
	r.Notes = func(*kernel.Call, brenner.SessionID) (map[delta.ItemID][]delta.Written, error) { return nil, nil }
	s := r.As(kernel.Identity{Name: "ada", Auth: kernel.AuthOwner})
	team := roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	if _, err := s.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Roster: team}); err != nil {
		t.Fatal(err)
	}
	return s
}

// X3: what would make the document of a session too large is refused when it is handed
// in, tried or not, and the session goes on.
func TestSubmit_RefusesWhatTheDocumentHasNoRoomFor(t *testing.T) {
	s := startedRoom(t)
	submit := func(from brenner.ActorName, text string, try bool) (api.Submission, error) {
		return s.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", From: from, Text: text, DryRun: try})
	}
	const large = 200_000
	if _, err := submit("BlueLake", anomalies("first", 30, large), false); err != nil {
		t.Fatal(err)
	}
	for _, try := range []bool{true, false} {
		_, err := submit("BlueLake", anomalies("second", 20, large), try)
		if brenner.CodeOf(err) != brenner.CodeLimitExceeded || !strings.Contains(err.Error(), "the document of RS-1 would have 20") {
			t.Errorf("more than fits, tried %v: %v", try, err)
		}
	}
	sub, err := submit("GreenValley", anomalies("small", 1, 10), false)
	if err != nil || sub.Compiled.Version != 2 {
		t.Fatalf("the other's reply: %+v, %v", sub.Compiled, err)
	}
	// What is compiled counts like what waits.
	if _, err := submit("BlueLake", anomalies("third", 20, large), false); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("more than fits into the document: %v", err)
	}
	// What a rule of the document refuses takes no room.
	slate := strings.NewReplacer("anomaly_register", "hypothesis_slate", "observation", "claim").Replace(anomalies("of twenty", 20, large))
	if _, err := submit("BlueLake", slate, false); err != nil {
		t.Errorf("twenty hypotheses, of which six are taken: %v", err)
	}
}

// X3: where more waits than the document has room for, as it could before that was
// refused, the compile takes what fits as it came, says of the rest why not, and can be
// made again.
func TestCompile_LeavesOutWhatTheDocumentHasNoRoomFor(t *testing.T) {
	s := startedRoom(t)
	for _, name := range []string{"first", "second"} {
		_, err := kernel.Write(t.Context(), s.caller, "queue", api.Write{}, leading("RS-1"), func(ch *kernel.Change) (struct{}, error) {
			return struct{}{}, queueUnchecked(ch, anomalies(name, 30, 200_000))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sub, err := s.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", From: "GreenValley", Text: "nothing", Nothing: true})
	if err != nil || sub.Compiled.Version != 2 {
		t.Fatalf("compiled %+v, %v", sub.Compiled, err)
	}
	counts := map[delta.Status]int{}
	_, err = kernel.View(t.Context(), s.caller, kernel.To(policy.Audit, ""), func(c *kernel.Call) (struct{}, error) {
		err := deltas.Each(c.Ctx, c.Reader, kernel.Query{Group: "RS-1"}, func(row kernel.Row[deltaState]) (bool, error) {
			o := row.Value.Outcome
			counts[o.Status]++
			if applied := counts[delta.Rejected] == 0; applied != (o.Status == delta.Applied) || !applied && (o.Code != brenner.CodeLimitExceeded || o.Hint == "") {
				t.Errorf("%s: %+v", row.ID, *o)
			}
			return true, nil
		})
		if err != nil {
			return struct{}{}, err
		}
		findings, n, err := s.Rebuild(c, func(string, int64, int64) {})
		if len(findings) > 0 || n != 2 {
			t.Errorf("made again: %d, %+v", n, findings)
		}
		return struct{}{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if counts[delta.Applied] < 35 || counts[delta.Applied] > 42 || counts[delta.Applied]+counts[delta.Rejected] != 60 {
		t.Errorf("became of them: %v", counts)
	}
}

// queueUnchecked takes in a reply of BlueLake as it was done before its size was looked
// at.
func queueUnchecked(ch *kernel.Change, text string) error {
	info, err := findSession(ch.Call, "RS-1")
	if err != nil {
		return err
	}
	in := incoming{session: info, agent: "BlueLake", text: text}.begin(ch.Now)
	x, err := in.read(ch.Gone, ch.Now, mendNone)
	if err != nil {
		return err
	}
	rec := replyReceived{Session: info.ID, Message: in.message, Agent: in.agent, Via: viaSubmit, Stamp: x.stamp, Deltas: []queuedDelta{}}
	for _, e := range x.Entries {
		q, err := queueDelta(ch, e)
		if err != nil {
			return err
		}
		q.Bytes = 0
		rec.Deltas = append(rec.Deltas, q)
	}
	_, err = kindReplyReceived.Append(ch, rec)
	return err
}
