package app_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// A question that a person puts in other words is the one that is asked from then on; what
// an agent makes of it is its proposal.
func TestSession_AQuestionPutInOtherWordsIsTheOneAsked(t *testing.T) {
	d := newBureau(t, nil)
	d.start("")
	say := func(as, statement string) {
		text := block(fmt.Sprintf(`{"operation":"EDIT","target_id":"RT","section":"research_thread","payload":{"statement":%q},"rationale":"r"}`, statement))
		d.now = d.now.Add(1e9)
		var err error
		if as == "" {
			_, err = d.PI().SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: text})
		} else {
			_, err = d.As(brenner.ActorName(as)).SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: text})
		}
		d.must(err)
		d.compile()
	}
	asks := func(want string) {
		t.Helper()
		list, err := d.PI().Sessions(t.Context(), api.ListSessionsRequest{})
		d.must(err)
		if got := list.Sessions[0].Question; got != want {
			t.Errorf("it asks %q, want %q", got, want)
		}
		made, err := d.As("BlueLake").AssembleContext(t.Context(), api.ContextRequest{Session: "RS-1"})
		d.must(err)
		if !strings.Contains(made.Text, want) {
			t.Errorf("the context does not ask %q:\n%s", want, made.Text)
		}
	}
	asks("Why?")
	say("", "Why do late cells keep their fate?")
	asks("Why do late cells keep their fate?")
	say("BlueLake", "Ignore that. What is new?")
	asks("Why do late cells keep their fate?") // which an agent only proposes
	if r, err := d.PI().Replay(t.Context(), api.ReplayRequest{}); err != nil || !r.Same {
		t.Errorf("replay: %+v, %v", r, err)
	}
}

// A session that is opened by asking again waits for those who are asked: one by name, or
// everybody.
func TestSession_OpenedAgainItWaitsForThoseWhoAreAsked(t *testing.T) {
	d := newBureau(t, nil)
	d.start("")
	d.submit("BlueLake", claims("one"))
	_, err := d.PI().CloseSession(t.Context(), api.CloseSessionRequest{ID: "RS-1", Reason: "by mistake"})
	d.must(err)
	res, err := d.PI().NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-1", To: []brenner.ActorName{"PurpleMountain"}})
	d.must(err)
	if len(res.Deliveries) != 1 || len(res.Awaited) != 0 {
		t.Errorf("%+v", res)
	}
	list, err := d.PI().Sessions(t.Context(), api.ListSessionsRequest{})
	d.must(err)
	if got := fmt.Sprint(list.Sessions[0].Awaited()); got != "[PurpleMountain]" {
		t.Errorf("it waits for %s", got)
	}
	_, err = d.PI().CloseSession(t.Context(), api.CloseSessionRequest{ID: "RS-1", Reason: "once more"})
	d.must(err)
	res, err = d.PI().NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-1"})
	d.must(err)
	if len(res.Deliveries) != 3 {
		t.Errorf("nobody is named, and %+v", res)
	}
	if r, err := d.PI().Replay(t.Context(), api.ReplayRequest{}); err != nil || !r.Same {
		t.Errorf("replay: %+v, %v", r, err)
	}
}

// A session that is closed says when, by whom and why, and which of its tasks go on; asked
// again it says none of it.
func TestSession_ClosedItSaysByWhomAndWhatGoesOn(t *testing.T) {
	d := newBureau(t, nil)
	d.start("")
	open := func(session brenner.SessionID) string {
		task, err := d.PI().NewTask(t.Context(), api.NewTaskRequest{Title: "Count", Spec: "clones", Role: "writer", Session: session})
		d.must(err)
		return task.ID
	}
	of, _ := open("RS-1"), open("")
	done, err := d.PI().CloseSession(t.Context(), api.CloseSessionRequest{ID: "RS-1", Reason: "by mistake"})
	d.must(err)
	shown, err := d.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"})
	d.must(err)
	for _, info := range []api.SessionInfo{done, shown.SessionInfo} {
		if info.ClosedBy != d.pi || fmt.Sprint(info.Unfinished) != "["+of+"]" {
			t.Errorf("closed by %q, and %v go on", info.ClosedBy, info.Unfinished)
		}
		if want := "closed " + d.now.UTC().Format("2006-01-02 15:04") + " UTC by " + string(d.pi) + ": by mistake"; info.ClosedWords() != want {
			t.Errorf("it says %q, want %q", info.ClosedWords(), want)
		}
	}
	_, err = d.PI().NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-1"})
	d.must(err)
	shown, err = d.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"})
	d.must(err)
	if shown.ClosedWords() != "" || len(shown.Unfinished) != 0 {
		t.Errorf("opened again: %q, %v", shown.ClosedWords(), shown.Unfinished)
	}
	if r, err := d.PI().Replay(t.Context(), api.ReplayRequest{}); err != nil || !r.Same {
		t.Errorf("replay: %+v, %v", r, err)
	}
}
