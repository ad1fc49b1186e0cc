package stalemate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/internal/answers"

	"github.com/go-json-experiment/json"
)

// S1, S2, S3, S5, S6. What becomes of stalemates: which are refused and where, what each
// step does, what the arbiter says of every kind of dispute.
func TestStalemate_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/answers.golden", 3)
	r := rand.New(rand.NewPCG(59, 59))
	for _, raw := range []string{string(seedRequest(t)), exported(t, draft()), exported(t, failing(t))} {
		for range 20 {
			for _, other := range []any{nil, "", "x", 1.0, []any{}, map[string]any{}, strings.Repeat("long ", 3000), "2026-13-01"} {
				changed := answers.Replaced(r, raw, other)
				s, err := Import([]byte(changed))
				book.Note(fmt.Sprintf("a request with %.8s", answers.Text(other)), changed, answers.Or(s, err))
				if err == nil {
					back, err := Export(s)
					book.Note("exported", changed, answers.Or(string(back), err))
				}
			}
		}
	}
	raisable := []Stalemate{draft(), failing(t), imported(t)}
	for i, s := range raisable {
		for _, change := range []func(*Stalemate){
			func(*Stalemate) {}, func(s *Stalemate) { s.Summary = " " }, func(s *Stalemate) { s.Hypotheses = s.Hypotheses[:1] }, func(s *Stalemate) { s.Hypotheses = nil },
			func(s *Stalemate) { s.Alternatives = nil }, func(s *Stalemate) { s.Evidence = nil }, func(s *Stalemate) { s.RaisedAt = "soon" }, func(s *Stalemate) { s.Request = "" },
			func(s *Stalemate) { s.Hypotheses[1].Author = s.Hypotheses[0].Author }, func(s *Stalemate) { s.Hypotheses[0].Statement = "" }, func(s *Stalemate) { s.Expected = "" },
			func(s *Stalemate) { s.Attempts = append(s.Attempts, Attempt{}) }, func(s *Stalemate) { s.Evidence[0].Content = "<paste the log here>" }, func(s *Stalemate) { s.Hypotheses[0].Cause = "moon" },
		} {
			one := s
			one.Hypotheses, one.Alternatives, one.Evidence, one.Attempts = slices.Clone(s.Hypotheses), slices.Clone(s.Alternatives), slices.Clone(s.Evidence), slices.Clone(s.Attempts)
			change(&one)
			raised, err := Raise(one)
			book.Note(fmt.Sprintf("raised, %d", i), answers.Text(one), answers.Or(raised, err)+answers.Text(one.Missing())+fmt.Sprint(one.Parties(), one.All(), one.InOwnWords("ada"), one.InOwnWords("bob")))
			if err != nil {
				continue
			}
			more, err := raised.With([]Evidence{{Kind: KindErrorLog, Content: "more"}})
			book.Note("with more evidence", answers.Text(raised), answers.Or(more, err))
			again, err := raised.Again([]Evidence{{Kind: KindErrorLog, Content: "again"}})
			book.Note("again", answers.Text(raised), answers.Or(again, err))
			for _, by := range []brenner.ActorName{"ada", "carol", "brenner"} {
				stated, err := raised.Stated(by, "it is the text", "I looked", "whitespace")
				book.Note("stated", answers.Text(raised), answers.Or(stated, err))
				empty, err := raised.Stated(by, " ", "", "moon")
				book.Note("stated emptily", answers.Text(raised), answers.Or(empty, err))
			}
			v := Arbitrate(raised)
			book.Note("a verdict", answers.Text(raised), answers.Text(v)+answers.Text(CheckVerdict(raised, v)))
			for range 12 {
				var other Verdict
				changed := answers.Replaced(r, answers.Text(v), []any{nil, "", "x", []any{}}[r.IntN(4)])
				if json.Unmarshal([]byte(changed), &other) == nil {
					book.Note("a verdict that was changed", changed, answers.Text(CheckVerdict(raised, other)))
				}
			}
			for _, state := range States() {
				book.Note("what can be done", string(state), fmt.Sprint(state.Actions(), state.Closed()))
				for _, action := range []Action{Arbitration, Deliver, Accept, Appeal, Implement, Verify, Reopen, Withdraw, Reply, "dance"} {
					for _, e := range []Event{{Action: action, Actor: "ada", At: "2026-01-02T03:04:06Z"}, {Action: action, Actor: "zoe", Reason: "so"}} {
						at := raised
						at.State = state
						next, err := at.Next(e)
						if err == nil {
							next.Evidence = nil
						}
						book.Note("next", fmt.Sprint(state, e), answers.Or(next, err))
					}
				}
			}
		}
	}
	for _, d := range slices.Concat(disputes(t), heldOutDisputes(t)) {
		text, err := anchor.Canonical([]byte(disputedText))
		if err != nil {
			t.Fatal(err)
		}
		edits, err := anchor.ReadEdits([]byte(d.patch), anchor.FormatAuto)
		answer := answers.Text(err)
		if err == nil {
			x := edits[0].Explain(text, anchor.Elsewhere{})
			f := Failure{Session: "s1", Target: "plan.py", Code: x.Code, Actor: "ada", At: "2026-01-02T03:04:05Z", Message: x.Message}
			s := Automatic([]Failure{f, f, f}, text, d.patch, x, nil)
			answer = answers.Text(s) + "\n" + answers.Text(Arbitrate(s)) + fmt.Sprint(Due([]Failure{f}, f), Due([]Failure{f, f}, f))
		}
		book.Note("a dispute", d.patch, answer)
		for _, words := range slices.Concat(d.right, vague, idleHeldOut, rephrased[d.cause]) {
			book.Note("what somebody says", words, fmt.Sprintf("%+v", readClaim(words)))
			book.Note("what somebody denies", words, fmt.Sprintf("%+v", readClaim("It is not so that "+words+" It is U+00A0.")))
		}
	}
	book.Check(t)
}

func exported(t *testing.T, s Stalemate) string {
	t.Helper()
	raw, err := Export(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
