package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/memory"
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

// C16: who claims again what it holds, and names no length, has it for no shorter
// than before, and so has to whom the PI gives it; who names a length has it for
// that long.
func TestClaimTask_ARenewalThatNamesNoLengthShortensNothing(t *testing.T) {
	w, now := clocked(t)
	if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	task := opensTask(t, w)
	claims := func(lease time.Duration) func() (api.TaskInfo, error) {
		return func() (api.TaskInfo, error) {
			return w.As("BlueLake").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: task, Lease: api.Duration(lease)})
		}
	}
	gives := func(to brenner.ActorName) func() (api.TaskInfo, error) {
		return func() (api.TaskInfo, error) {
			return w.PI().ReassignTask(t.Context(), api.ReassignTaskRequest{ID: task, To: to})
		}
	}
	start := *now
	for _, c := range []struct {
		does  string
		after time.Duration
		do    func() (api.TaskInfo, error)
		until time.Duration // since the start
	}{
		{"claims it for a week", 0, claims(brenner.MaxLease), brenner.MaxLease},
		{"renews it", time.Hour, claims(0), brenner.MaxLease},
		{"is given it", 0, gives("GreyStone"), brenner.MaxLease},
		{"is given it back", 0, gives("BlueLake"), brenner.MaxLease},
		{"names a length", 0, claims(time.Minute), time.Hour + time.Minute},
		{"renews what would end soon", 0, claims(0), time.Hour + brenner.DefaultLease},
		{"renews what has ended", time.Hour, claims(0), 2*time.Hour + brenner.DefaultLease},
	} {
		*now = now.Add(c.after)
		if held, err := c.do(); err != nil || !held.LeaseUntil.Equal(start.Add(c.until)) {
			t.Errorf("who %s has it for %s, not %s: %v", c.does, held.LeaseUntil.Sub(start), c.until, err)
		}
	}
}

// C16: who held a task is told when somebody else has it: given by the PI, taken once
// the claim had ended, or canceled.
func TestClaimTask_WhoHeldItIsToldThatItIsAnothers(t *testing.T) {
	w, now := clocked(t)
	if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	task := opensTask(t, w)
	takes := func(who brenner.ActorName) {
		if _, err := w.As(who).ClaimTask(t.Context(), api.ClaimTaskRequest{ID: task}); err != nil {
			t.Fatal(err)
		}
	}
	told := func(who brenner.ActorName, what string) {
		t.Helper()
		list, err := w.As(who).Inbox(t.Context(), api.InboxRequest{States: []api.MessageState{api.MessageUnread}})
		if err != nil || len(list.Messages) != 1 || list.Messages[0].Subject != "TASK: "+task+" is not yours any more" {
			t.Fatalf("%s has %+v, %v", who, list.Messages, err)
		}
		m, err := w.As(who).ReadMessage(t.Context(), api.MessageRequest{ID: list.Messages[0].ID})
		if err != nil || !strings.Contains(m.Text, what) {
			t.Errorf("%s is told %q, %v", who, m.Text, err)
		}
	}
	takes("BlueLake")
	*now = now.Add(2 * brenner.DefaultLease)
	takes("GreyStone")
	told("BlueLake", "is held by GreyStone now, your claim ended at ")
	if _, err := w.PI().ReassignTask(t.Context(), api.ReassignTaskRequest{ID: task, To: "BlueLake"}); err != nil {
		t.Fatal(err)
	}
	told("GreyStone", "is held by BlueLake now. Leave it")
	if _, err := w.PI().CancelTask(t.Context(), api.CancelTaskRequest{ID: task, Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	told("BlueLake", "was canceled by ")
}

// C16: a task says who held it before and how that ended: given back with a word, by a
// lease that ran out, by the PI; the last five. Whoever asked for it is told, without
// words of another agent (C2).
func TestTask_SaysWhoHeldItBefore(t *testing.T) {
	w, now := clocked(t)
	for _, name := range []brenner.ActorName{"GreyStone", "RedSky"} {
		if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: "writer"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.As("RedSky").AssembleContext(t.Context(), api.ContextRequest{Question: "What is known?"}); err != nil {
		t.Fatal(err)
	}
	asked, err := w.As("RedSky").NewTask(t.Context(), api.NewTaskRequest{Title: "Count", Spec: "the clones", To: "BlueLake", Modules: []brenner.Module{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	takes := func(who brenner.ActorName) {
		t.Helper()
		if _, err := w.As(who).ClaimTask(t.Context(), api.ClaimTaskRequest{ID: asked.ID}); err != nil {
			t.Fatal(err)
		}
	}
	start := *now
	takes("BlueLake")
	*now = now.Add(2 * brenner.DefaultLease)
	takes("GreyStone")
	if _, err := w.PI().ReassignTask(t.Context(), api.ReassignTaskRequest{ID: asked.ID, To: "BlueLake"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.As("BlueLake").ReleaseTask(t.Context(), api.ReleaseTaskRequest{ID: asked.ID, Note: " the lens is broken\n"}); err != nil {
		t.Fatal(err)
	}
	got, err := w.As("RedSky").Task(t.Context(), api.TaskRequest{ID: asked.ID})
	want := []api.TaskHolder{
		{Agent: "BlueLake", Until: start.Add(brenner.DefaultLease), How: api.HoldingLapsed},
		{Agent: "GreyStone", Until: *now, How: api.HoldingReassigned},
		{Agent: "BlueLake", Until: *now, How: api.HoldingReleased, Note: "the lens is broken"},
	}
	if err != nil || !slices.Equal(got.Earlier, want) {
		t.Errorf("held before by %+v, %v", got.Earlier, err)
	}
	list, err := w.As("RedSky").Inbox(t.Context(), api.InboxRequest{})
	if err != nil || len(list.Messages) != 1 || list.Messages[0].Subject != "TASK: "+asked.ID+" was given back" {
		t.Fatalf("who asked is told %+v, %v", list.Messages, err)
	}
	m, err := w.As("RedSky").ReadMessage(t.Context(), api.MessageRequest{ID: list.Messages[0].ID})
	if err != nil || !strings.Contains(m.Text, "given back by BlueLake") || strings.Contains(m.Text, "lens") {
		t.Errorf("it is told %q, %v", m.Text, err)
	}
	for range 4 {
		takes("GreyStone")
		if _, err := w.As("GreyStone").ReleaseTask(t.Context(), api.ReleaseTaskRequest{ID: asked.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = w.PI().Task(t.Context(), api.TaskRequest{ID: asked.ID}); err != nil || len(got.Earlier) != 5 || got.Earlier[0] != want[2] {
		t.Errorf("of many the last are told: %+v, %v", got.Earlier, err)
	}
}

// C16: who asks for any task is offered its own again once its claim has ended,
// and not before.
func TestClaimTask_OffersTheHolderItsOwnThatHasEnded(t *testing.T) {
	w, now := clocked(t)
	task := opensTask(t, w)
	claims := func() (api.TaskInfo, error) {
		return w.As("BlueLake").ClaimTask(t.Context(), api.ClaimTaskRequest{})
	}
	if _, err := claims(); err != nil {
		t.Fatal(err)
	}
	if _, err := claims(); brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("while it holds the only one: %v", err)
	}
	*now = now.Add(brenner.DefaultLease)
	if held, err := claims(); err != nil || held.ID != task || held.Overdue || !held.LeaseUntil.Equal(now.Add(brenner.DefaultLease)) {
		t.Errorf("once its claim has ended: %+v, %v", held, err)
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

// C16: who announced work writes what came of it, also when its time was up, and takes it
// back: nobody else is to do it then.
func TestAnnounced_ItsResultIsWrittenWhenItsTimeWasUp(t *testing.T) {
	w, now := clocked(t)
	blue := w.As("BlueLake")
	if _, err := blue.AssembleContext(t.Context(), api.ContextRequest{Question: "what decides fate?"}); err != nil {
		t.Fatal(err)
	}
	announce := func(title string) api.TaskInfo {
		task, err := blue.NewTask(t.Context(), api.NewTaskRequest{Title: title, Claim: true})
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	mark := announce("Measure the clones of the left side")
	*now = mark.LeaseUntil.Add(time.Minute)
	written, err := blue.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "counts", Type: "manuscript_section", Summary: "counted", Task: mark.ID,
		Content: api.Body{Format: artifact.Text, Data: "1,204 clones"},
	})
	if err != nil {
		t.Fatalf("written a minute late: %v", err)
	}
	done, err := blue.CompleteTask(t.Context(), api.CompleteTaskRequest{ID: mark.ID})
	if err != nil || done.State != api.TaskDone || !slices.Contains(done.Outputs, written.Ref) {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := blue.CompleteTask(t.Context(), api.CompleteTaskRequest{ID: mark.ID}); brenner.CodeOf(err) != brenner.CodeTaskClosed {
		t.Errorf("a second time: %v", err)
	}
	back, err := blue.ReleaseTask(t.Context(), api.ReleaseTaskRequest{ID: announce("Look at the right side too").ID})
	if err != nil || back.State != api.TaskCanceled {
		t.Errorf("taken back: %+v, %v", back, err)
	}
}

// A task is announced to so many agents; who opens it is told how many more see it only
// among the open tasks, where they do.
func TestNewTask_SaysHowManyAreNotTold(t *testing.T) {
	w := newBureauOn(t, memory.New(), nil)
	last := brenner.ActorName("")
	for i := range brenner.MaxToldOfTask + 3 {
		last = brenner.ActorName(fmt.Sprintf("Writer%02d", i))
		_, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: last, Role: "writer"})
		w.must(err)
	}
	task, err := w.PI().NewTask(t.Context(), api.NewTaskRequest{Title: "Write it up", Role: "writer"})
	w.must(err)
	if task.Untold != 3 || task.Unmanned {
		t.Errorf("%d are not told, unmanned %v", task.Untold, task.Unmanned)
	}
	mail, err := w.As(last).Inbox(t.Context(), api.InboxRequest{})
	w.must(err)
	open, err := w.As(last).Tasks(t.Context(), api.ListTasksRequest{Mine: true})
	w.must(err)
	if len(mail.Messages) != 0 || len(open.Tasks) != 1 || open.Tasks[0].ID != task.ID {
		t.Errorf("%s has %d messages and sees %+v", last, len(mail.Messages), open.Tasks)
	}
}
