package tasks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/lazy"
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
	// Wants what it would have, which another has, since when and for how many seconds.
	Hold       string    `json:"hold,omitzero"`
	HoldUntil  time.Time `json:"hold_until,omitzero"`
	Wants      string    `json:"wants,omitzero"`
	WantsSince time.Time `json:"wants_since,omitzero"`
	WantsFor   int       `json:"wants_for,omitzero"`
	// Offers is the task whose holder waits longer for what came free: it is kept for that
	// one till OffersUntil, from when on it waits behind the others.
	Offers      string    `json:"offers,omitzero"`
	OffersUntil time.Time `json:"offers_until,omitzero"`
}

func applyTaskDoing(ctx context.Context, tx store.Tx, rec journal.Record, p taskDoing) error {
	if p.Ends != "" {
		if err := changeTask(ctx, tx, rec.Seq, p.Ends, func(t *task) { t.cancel(rec.At, "followed by "+p.ID) }); err != nil {
			return err
		}
	}
	if p.Offers != "" {
		if err := changeTask(ctx, tx, rec.Seq, p.Offers, func(t *task) { t.OfferedUntil, t.WantsSince = p.OffersUntil, p.OffersUntil }); err != nil {
			return err
		}
	}
	return tasks.Put(ctx, tx, rec.Seq, task{
		ID: p.ID, Kind: api.TaskDoing, State: api.TaskClaimed, Title: p.Title, Role: p.Role, Modules: p.Modules, Inputs: []ledger.Pin{},
		Session: p.Session, Creator: rec.Actor, Created: rec.At, Holder: rec.Actor, LeaseUntil: p.Until, Outputs: []brenner.Ref{},
		Hold: p.Hold, HoldUntil: p.HoldUntil, Wants: p.Wants, WantsSince: p.WantsSince, WantsFor: p.WantsFor,
	})
}

// Doing says what the caller does next in a session, which ends what it said before; with no
// words it only ends that, unless it has something alone for it, or waits to, that is no item.
// Said again in the same words it goes on as it is.
func (r *Room) Doing(ch *kernel.Change, session brenner.SessionID, module brenner.Module, words string) (*api.TaskInfo, error) {
	return r.doing(ch, session, module, strings.TrimSpace(words), wish{})
}

// doing is Doing, with what the caller is to have alone for it (ADR 0225, 0226). Where another
// has that, or waits longer for it, the words are said all the same, and the answer says who.
func (r *Room) doing(ch *kernel.Change, session brenner.SessionID, module brenner.Module, words string, w wish) (*api.TaskInfo, error) {
	was, err := doingIn(ch.Call, session)
	if err != nil {
		return nil, err
	}
	p := taskDoing{Session: session, Modules: []brenner.Module{module}, Until: ch.Clock.Add(brenner.DefaultLease), Ends: was.ID}
	var held *api.Holding
	switch {
	case w.none:
		words = cmp.Or(words, was.Title)
	case w.name != "":
		words, w.length = cmp.Or(words, was.Title, w.name), cmp.Or(w.length, w.before(was), brenner.HoldFor)
		if held, p.Offers, err = r.heldBy(ch.Call, session, w.name, was); err != nil {
			return nil, err
		}
		if held != nil {
			w.name = held.Name
		}
	}
	saysNothing := words == ""
	switch {
	case saysNothing && was.ID == "" && w.none:
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "you have nothing alone in %s", session).At("/hold").WithHint("leave it out")
	case saysNothing && was.ID == "":
		return nil, nil
	case saysNothing && outlives(was.Hold): // who tells of a first result goes on with it
		return &was, nil
	case saysNothing && outlives(was.Wants) && was.HeldItem() == "":
		return nil, nil
	case saysNothing && outlives(was.Wants): // it wrote the item, and waits on
		words = was.Title
	case saysNothing:
		_, err := kindTaskCanceled.Append(ch, taskCanceled{ID: was.ID, Reason: "answered"})
		return nil, err
	case words == was.Title && p.Offers == "" && w.keeps(was, held, ch.Clock):
		was.Held = held
		return &was, nil
	}
	p.Title = words
	switch {
	case held != nil: // what it has it keeps
		p.Hold, p.HoldUntil = was.Hold, was.HoldUntil
		p.Wants, p.WantsSince, p.WantsFor = w.name, ch.Clock, int(w.length/time.Second)
		if strings.EqualFold(w.name, was.Wants) {
			p.WantsSince = was.WantsSince
		}
	case w.name != "":
		p.Hold, p.HoldUntil = w.name, ch.Clock.Add(w.length)
	case !w.none: // its place in line it keeps, and what it has, unless that is an item
		p.Wants, p.WantsSince, p.WantsFor = was.Wants, was.WantsSince, was.WantsFor
		if outlives(was.Hold) {
			p.Hold, p.HoldUntil = was.Hold, was.HoldUntil
		}
	}
	if p.Offers != "" {
		p.OffersUntil = held.Until
	}
	if !saysNothing { // else a reply says nothing of it, and is not refused for it
		if err := r.checkDoing(ch, words); err != nil {
			return nil, err
		}
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

// outlives says of what somebody has alone, or waits for, that neither a reply nor another word
// ends it.
func outlives(hold string) bool { return hold != "" && api.TaskInfo{Hold: hold}.HeldItem() == "" }

// wish is what somebody would have alone, and for how long, if it said so; or none any more.
type wish struct {
	name   string
	length time.Duration
	none   bool
}

// A number with a unit at the end is how long, whatever the unit: "machine 70s" is no other machine.
var (
	lengthOfHold = lazy.NewPattern(`^(.*\S)\s+([0-9][0-9.]*\s?[A-Za-z]+[0-9A-Za-z.]*)$`)
	unitOfHold   = lazy.NewPattern(`(?i)\s+|(?:(?:ec(?:ond)?|in(?:ute)?)s?)\b`) // what "10 min" and "70 seconds" have beyond 10m and 70s
)

// readWish reads what somebody would have alone, as it is written: a name, with how long behind
// it where it is not to be its for HoldFor.
func readWish(text string) (wish, error) {
	if err := kernel.CheckText(text); err != nil {
		return wish{}, err
	}
	w := wish{name: strings.TrimSpace(text)}
	if m := lengthOfHold.FindStringSubmatch(w.name); m != nil {
		length, err := time.ParseDuration(strings.ToLower(unitOfHold.ReplaceAllString(m[2], "")))
		if w.name, w.length = m[1], length.Round(time.Second); err != nil || w.length < time.Second || w.length > brenner.MaxHoldFor {
			return wish{}, brenner.Errorf(brenner.CodeInvalidValue, "%s is held for a time such as 70s or 2m, at most %d minutes, not for %q", m[1], int(brenner.MaxHoldFor/time.Minute), m[2]).At("/hold").
				WithHint("ask for less; the same call goes on with it")
		}
	}
	if utf8.RuneCountInString(w.name) > brenner.MaxHoldRunes || !brenner.IsOneLine(w.name) {
		return wish{}, brenner.Errorf(brenner.CodeInvalidValue, "what you hold is a name of at most %d characters", brenner.MaxHoldRunes).At("/hold").
			WithHint("one that the others would give it: machine, or RT; what you do with it is said in doing")
	}
	if strings.EqualFold(w.name, api.NoHold) {
		return wish{none: true}, nil
	}
	return w, nil
}

// before is for how long somebody that waits for the same said that it would have it.
func (w wish) before(was api.TaskInfo) time.Duration {
	if !strings.EqualFold(w.name, was.Wants) {
		return 0
	}
	return time.Duration(was.WantsFor) * time.Second
}

// keeps says whether what somebody has, or waits for, is already what it asks for.
func (w wish) keeps(was api.TaskInfo, held *api.Holding, now time.Time) bool {
	switch {
	case w.none:
		return was.Hold+was.Wants == ""
	case w.name == "":
		return true
	case held != nil:
		return strings.EqualFold(w.name, was.Wants) && w.length == w.before(was)
	}
	return strings.EqualFold(w.name, was.Hold) && was.HoldUntil.Sub(now) > w.length/2
}

// heldBy says which other of a session has what only one has at a time, or is the first of those
// who wait longer for it than the caller; nil if nobody. Where it came free, offers is the task of
// that first one, for which it is to be kept.
func (r *Room) heldBy(c *kernel.Call, session brenner.SessionID, hold string, was api.TaskInfo) (held *api.Holding, offers string, err error) {
	var by api.TaskInfo
	var line []api.TaskInfo
	has, waits := strings.EqualFold(hold, was.Hold), strings.EqualFold(hold, was.Wants)
	err = eachDoing(c, session, func(t api.TaskInfo) bool {
		switch wants := strings.EqualFold(t.Wants, hold); {
		case t.Holder == c.Who.Name:
		case strings.EqualFold(t.Hold, hold) || wants && !t.OfferedUntil.IsZero():
			by = t
		case wants && (!waits || t.WantsSince.Before(was.WantsSince)):
			line = append(line, t)
		}
		return true
	})
	if err != nil || has || by.ID == "" && len(line) == 0 || waits && !was.OfferedUntil.IsZero() {
		return nil, "", err
	}
	slices.SortFunc(line, func(a, b api.TaskInfo) int { return a.WantsSince.Compare(b.WantsSince) })
	held = &api.Holding{Name: by.Hold, Until: by.HoldUntil}
	switch {
	case by.ID == "":
		by, line, offers = line[0], line[1:], line[0].ID
		held.Name, held.Until, held.Offered = by.Wants, c.Clock.Add(brenner.OfferFor), true
	case !strings.EqualFold(by.Hold, hold):
		held.Name, held.Until, held.Offered = by.Wants, by.OfferedUntil, true
	}
	for _, t := range line {
		held.Before = append(held.Before, t.Holder)
	}
	seen, err := r.told(c, by)
	held.Agent, held.Title = by.Holder, seen.Title
	return held, offers, err
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
	title := strings.TrimSpace(req.Title)
	w, err := readWish(req.Hold)
	if err != nil {
		return api.TaskInfo{}, err
	}
	if title != "" || w == (wish{}) {
		if err := r.checkDoing(ch, title); err != nil {
			return api.TaskInfo{}, err
		}
	}
	t, err := r.doing(ch, req.Session, module, title, w)
	if err != nil {
		return api.TaskInfo{}, err
	}
	return *t, nil
}
