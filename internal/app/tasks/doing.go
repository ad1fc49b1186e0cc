package tasks

import (
	"cmp"
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
	// Hold is what only one of the session has at a time, and that its author has till then;
	// Wants what it would have, which another has.
	Hold      string    `json:"hold,omitzero"`
	HoldUntil time.Time `json:"hold_until,omitzero"`
	Wants     string    `json:"wants,omitzero"`
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
		Hold: p.Hold, HoldUntil: p.HoldUntil, Wants: p.Wants,
	})
}

// Doing says what the caller does next in a session, which ends what it said before; with no
// words it only ends that, unless it has something alone for it that is no item. Said again in
// the same words it goes on as it is.
func (r *Room) Doing(ch *kernel.Change, session brenner.SessionID, module brenner.Module, words string) (*api.TaskInfo, error) {
	return r.doing(ch, session, module, strings.TrimSpace(words), "")
}

// doing is Doing, with what the caller is to have alone for it (ADR 0225). Where another has
// that, the words are said all the same, and the answer says who has it.
func (r *Room) doing(ch *kernel.Change, session brenner.SessionID, module brenner.Module, words, hold string) (*api.TaskInfo, error) {
	was, err := doingIn(ch.Call, session)
	if err != nil {
		return nil, err
	}
	var held *api.Holding
	if hold != "" {
		words = cmp.Or(words, was.Title, hold)
		if held, err = r.heldBy(ch.Call, session, hold); err != nil {
			return nil, err
		}
	}
	keeps := hold == "" || held != nil && strings.EqualFold(hold, was.Wants) || strings.EqualFold(hold, was.Hold) && was.HoldUntil.Sub(ch.Clock) > brenner.HoldFor/2
	switch {
	case words == "" && was.ID == "":
		return nil, nil
	case words == "" && was.Hold != "" && was.HeldItem() == "": // who tells of a first result goes on with it
		return &was, nil
	case words == "":
		_, err := kindTaskCanceled.Append(ch, taskCanceled{ID: was.ID, Reason: "answered"})
		return nil, err
	case words == was.Title && keeps:
		was.Held = held
		return &was, nil
	}
	p := taskDoing{Title: words, Session: session, Modules: []brenner.Module{module}, Until: ch.Clock.Add(brenner.DefaultLease), Ends: was.ID}
	switch {
	case held != nil: // what it has it keeps
		p.Wants, p.Hold, p.HoldUntil = hold, was.Hold, was.HoldUntil
	case hold != "":
		p.Hold, p.HoldUntil = hold, ch.Clock.Add(brenner.HoldFor)
	}
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
	t.Held = held
	if !strings.EqualFold(t.Hold, was.Hold) {
		t.GaveBack = was.Hold
	}
	t.Alike, err = r.alike(ch, t)
	return &t, err
}

// heldBy says which other of a session has what only one has at a time; nil if nobody.
func (r *Room) heldBy(c *kernel.Call, session brenner.SessionID, hold string) (*api.Holding, error) {
	var by api.TaskInfo
	err := eachDoing(c, session, func(t api.TaskInfo) bool {
		if t.Holder != c.Who.Name && strings.EqualFold(t.Hold, hold) {
			by = t
		}
		return by.ID == ""
	})
	if err != nil || by.ID == "" {
		return nil, err
	}
	seen, err := r.told(c, by)
	return &api.Holding{Agent: by.Holder, Title: seen.Title, Until: by.HoldUntil}, err
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

// checkHold refuses a name of what is held that is no name.
func checkHold(hold string) error {
	if err := kernel.CheckText(hold); err != nil {
		return err
	}
	if utf8.RuneCountInString(hold) > brenner.MaxHoldRunes || !brenner.IsOneLine(hold) {
		return brenner.Errorf(brenner.CodeInvalidValue, "what you hold is a name of at most %d characters", brenner.MaxHoldRunes).At("/hold").
			WithHint("one that the others would give it: machine, or RT; what you do with it is said in doing")
	}
	return nil
}

// doingIn finds what the caller said that it does next in a session; none, if that is over.
func doingIn(c *kernel.Call, session brenner.SessionID) (found api.TaskInfo, err error) {
	err = eachDoing(c, session, func(t api.TaskInfo) bool {
		if t.Holder == c.Who.Name {
			found = t
		}
		return found.ID == ""
	})
	return found, err
}

// eachDoing gives what those of a session said that they do next, the newest first, for as
// long as the next is wanted.
func eachDoing(c *kernel.Call, session brenner.SessionID, next func(api.TaskInfo) bool) error {
	looked := 0
	return tasks.Each(c.Ctx, c.Reader, kernel.Query{States: []string{string(api.TaskClaimed)}, Newest: true}, func(row kernel.Row[task]) (bool, error) {
		looked++
		t := row.Value.info(c.Clock)
		goes := t.Kind != api.TaskDoing || t.Session != session || t.State != api.TaskClaimed || next(t)
		return goes && looked < alikeLooked, nil
	})
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
	title, hold := strings.TrimSpace(req.Title), strings.TrimSpace(req.Hold)
	if hold != "" {
		if err := checkHold(hold); err != nil {
			return api.TaskInfo{}, err
		}
	}
	if title != "" || hold == "" {
		if err := r.checkDoing(ch, title); err != nil {
			return api.TaskInfo{}, err
		}
	}
	t, err := r.doing(ch, req.Session, module, title, hold)
	if err != nil {
		return api.TaskInfo{}, err
	}
	return *t, nil
}
