package app_test

import (
	"testing"
	"time"

	"brenner"
	"brenner/api"
)

// C16: a claim lasts as long as it says, by default an hour; while it lasts the
// task is nobody else's, and afterwards anybody's whose role it is for.
// C16.b, C16.g.
func TestClaimTask_AClaimThatRanOutFreesTheTask(t *testing.T) {
	w, now := clocked(t)
	if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	task := opensTask(t, w)
	claims := func(who brenner.ActorName, lease time.Duration) (api.TaskInfo, error) {
		return w.As(who).ClaimTask(t.Context(), api.ClaimTaskRequest{ID: task, Lease: api.Duration(lease)})
	}
	held, err := claims("BlueLake", 0)
	if err != nil || !held.LeaseUntil.Equal(now.Add(brenner.DefaultLease)) {
		t.Errorf("until %s, %v", held.LeaseUntil, err)
	}
	*now = now.Add(brenner.DefaultLease - time.Second)
	if _, err := claims("GreyStone", 0); brenner.CodeOf(err) != brenner.CodeTaskTaken {
		t.Errorf("while it is held: %v", err)
	}
	*now = now.Add(2 * time.Second)
	if held, err = claims("GreyStone", time.Second); err != nil || held.Holder != "GreyStone" || !held.LeaseUntil.Equal(now.Add(time.Second)) {
		t.Errorf("after it ran out: %+v, %v", held, err)
	}
	for lease, want := range inOrder(map[time.Duration]brenner.Code{
		time.Second - 1: brenner.CodeInvalidValue, brenner.MaxLease + 1: brenner.CodeInvalidValue, brenner.MaxLease: "",
	}) {
		if _, err := claims("GreyStone", lease); brenner.CodeOf(err) != want {
			t.Errorf("a lease of %s: %v", lease, err)
		}
	}
}

// N1: what an agent asked of a role that somebody has is that role's to take, and
// after an hour in which nobody did the PI is told of it.
func TestWaiting_ARequestThatNobodyTakesComesBeforeThePI(t *testing.T) {
	w, now := clocked(t)
	if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "integrator"}); err != nil {
		t.Fatal(err)
	}
	blue := w.As("BlueLake")
	if _, err := blue.AssembleContext(t.Context(), api.ContextRequest{Question: "what is known?"}); err != nil {
		t.Fatal(err)
	}
	asked, err := blue.NewTask(t.Context(), api.NewTaskRequest{Title: "Sum it up", Role: "integrator"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {time.Hour - time.Second, 0}, {time.Minute, 1}} {
		*now = now.Add(c.after)
		list, err := w.PI().Waiting(t.Context(), api.WaitingRequest{Kinds: []api.WaitKind{api.WaitRequest}})
		if err != nil || list.Total != c.want || c.want > 0 && list.Items[0].Subject != asked.ID {
			t.Errorf("after %s more: %+v, %v", c.after, list.Items, err)
		}
	}
}
