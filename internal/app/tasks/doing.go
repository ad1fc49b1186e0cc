package tasks

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// What somebody does next, in a word of its own (ADR 219): the others see it before it is
// done. It is held from the start, ends by itself, and there is one of an agent in a session.

// taskDoing says what somebody does next, and which such word of its own that ends.
type taskDoing struct {
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	Role    brenner.Role      `json:"role"`
	Modules []brenner.Module  `json:"modules"`
	Session brenner.SessionID `json:"session"`
	Until   time.Time         `json:"until"`
	Ends    string            `json:"ends,omitzero"`
}

func applyTaskDoing(ctx context.Context, tx store.Tx, rec journal.Record, p taskDoing) error {
	if p.Ends != "" {
		if err := changeTask(ctx, tx, rec.Seq, p.Ends, func(t *task) { t.cancel(rec.At, "followed by "+p.ID) }); err != nil {
			return err
		}
	}
	return tasks.Put(ctx, tx, rec.Seq, task{
		ID: p.ID, Kind: api.TaskDoing, State: api.TaskClaimed, Title: p.Title, Role: p.Role, Modules: p.Modules, Inputs: []ledger.Pin{},
		Session: p.Session, Creator: rec.Actor, Created: rec.At, Holder: rec.Actor, LeaseUntil: p.Until, Outputs: []brenner.Ref{},
	})
}

// Doing says what the caller does next in a session, which ends what it said before; with no
// words it only ends that. Said again in the same words it goes on as it is.
func (r *Room) Doing(ch *kernel.Change, session brenner.SessionID, module brenner.Module, words string) (*api.TaskInfo, error) {
	words = strings.TrimSpace(words)
	was, err := doingIn(ch.Call, session)
	switch {
	case err != nil:
		return nil, err
	case words == "" && was.ID == "":
		return nil, nil
	case words == "":
		_, err := kindTaskCanceled.Append(ch, taskCanceled{ID: was.ID, Reason: "answered"})
		return nil, err
	case words == was.Title:
		return &was, nil
	}
	p := taskDoing{Title: words, Session: session, Modules: []brenner.Module{module}, Until: ch.Clock.Add(brenner.DefaultLease), Ends: was.ID}
	if err := r.checkDoing(ch, words); err != nil {
		return nil, err
	}
	if p.Role, err = r.RoleFor(ch.Call, api.TaskInfo{Session: session}); err != nil {
		return nil, err
	}
	p.ID = nextID(ch)
	if _, err := kindTaskDoing.Append(ch, p); err != nil {
		return nil, err
	}
	t, err := r.Find(ch.Call, p.ID)
	if err != nil {
		return nil, err
	}
	t.Alike, err = r.alike(ch, t)
	return &t, err
}

// checkDoing refuses words that are no line, from who may not say them or has said too many.
func (r *Room) checkDoing(ch *kernel.Change, words string) error {
	if err := kernel.CheckText(words); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(words); n == 0 || n > brenner.MaxWordRunes || !brenner.IsOneLine(words) {
		return brenner.Errorf(brenner.CodeInvalidValue, "what you do next is one line of 1–%d characters", brenner.MaxWordRunes).At("/doing").
			WithHint("say what, and to learn what; what came of it is your next reply")
	}
	act := policy.TaskRequest
	if freely(ch.Call) {
		act = policy.TaskCreate
	}
	if err := ch.Allow(act, "", "", "task"); err != nil || act == policy.TaskCreate {
		return err
	}
	_, said, err := r.Contexts.Under(ch.Call, kindTaskDoing.Name)
	if err == nil && said >= brenner.MaxDoingPerContext {
		err = brenner.Errorf(brenner.CodeLimitExceeded, "under this context it was said %d times what comes next, and no more may be", said).At("/doing").
			WithHint("leave it out; another piece of work has a context of its own")
	}
	return err
}

// doingIn finds what the caller said that it does next in a session; none, if that is over.
func doingIn(c *kernel.Call, session brenner.SessionID) (found api.TaskInfo, err error) {
	looked := 0
	err = tasks.Each(c.Ctx, c.Reader, kernel.Query{States: []string{string(api.TaskClaimed)}, Newest: true}, func(row kernel.Row[task]) (bool, error) {
		looked++
		if t := row.Value.info(c.Clock); t.Kind == api.TaskDoing && t.Session == session && t.Holder == c.Who.Name && t.State == api.TaskClaimed {
			found = t
		}
		return found.ID == "" && looked < alikeLooked, nil
	})
	return found, err
}

// sayDoing is Doing as a task that is opened.
func (r *Room) sayDoing(ch *kernel.Change, req api.NewTaskRequest) (api.TaskInfo, error) {
	refuse := func(at, hint string) (api.TaskInfo, error) {
		return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "what you do next is a line, told in a session that you take part in").At(at).WithHint(hint)
	}
	if req.Note || req.Claim || len(req.Parts)+len(req.Inputs)+len(req.Items) > 0 || strings.TrimSpace(req.Spec)+string(req.Role)+string(req.To) != "" {
		return refuse("/doing", "it goes with a title and the session alone; claim announces what takes longer, and its parts what others do")
	}
	if req.Session == "" {
		return refuse("/session", "name the session")
	}
	in, err := r.Sessions.TakesPart(ch.Call, req.Session)
	if err != nil {
		return api.TaskInfo{}, err
	}
	if !in && !ch.Leads() {
		return refuse("/session", "you were not asked in "+string(req.Session))
	}
	module, err := r.Sessions.OpenModule(ch.Call, req.Session)
	if err != nil {
		return api.TaskInfo{}, err
	}
	if err := r.checkDoing(ch, strings.TrimSpace(req.Title)); err != nil {
		return api.TaskInfo{}, err
	}
	t, err := r.Doing(ch, req.Session, module, req.Title)
	if err != nil {
		return api.TaskInfo{}, err
	}
	return *t, nil
}
