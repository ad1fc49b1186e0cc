package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/program"
	"brenner/roster"
)

// task is the state of a task.
type task struct {
	ID           string            `json:"id"`
	Kind         string            `json:"kind"`
	State        api.TaskState     `json:"state"`
	Title        string            `json:"title"`
	Spec         string            `json:"spec"`
	Role         brenner.Role      `json:"role"`
	Modules      []brenner.Module  `json:"modules"`
	CrossCutting bool              `json:"cross_cutting"`
	Inputs       []ledger.Pin      `json:"inputs"`
	Session      brenner.SessionID `json:"session,omitzero"`
	Items        []delta.ItemID    `json:"items,omitzero"`
	ItemsOf      brenner.Version   `json:"items_of,omitzero"`
	On           []string          `json:"on,omitzero"`
	Parts        []api.TaskPart    `json:"parts,omitzero"`
	To           brenner.ActorName `json:"to,omitzero"`
	Creator      brenner.ActorName `json:"creator"`
	Created      time.Time         `json:"created_at"`
	Holder       brenner.ActorName `json:"holder,omitzero"`
	LeaseUntil   time.Time         `json:"lease_until,omitzero"`
	Outputs      []brenner.Ref     `json:"outputs"`
	Moved        []moved           `json:"moved,omitzero"`
	Summaries    []moved           `json:"summaries,omitzero"`
	Note         string            `json:"note,omitzero"`
	Completed    time.Time         `json:"completed_at,omitzero"`
	Runs         settings          `json:"runs,omitzero"`
	// Earlier are those who held it before, by records that say so.
	Earlier []holder `json:"earlier,omitzero"`
	// Hold is what its holder has alone, and till when; Wants what it would have, since when,
	// for how many seconds, and how long it is kept for it alone, being free.
	Hold         string    `json:"hold,omitzero"`
	HoldUntil    time.Time `json:"hold_until,omitzero"`
	Wants        string    `json:"wants,omitzero"`
	WantsSince   time.Time `json:"wants_since,omitzero"`
	WantsFor     int       `json:"wants_for,omitzero"`
	OfferedUntil time.Time `json:"offered_until,omitzero"`
}

// holder is somebody who held a task and does not any more.
type holder struct {
	Agent brenner.ActorName `json:"agent"`
	Until time.Time         `json:"until"`
	How   api.HoldingEnd    `json:"how"`
	Note  string            `json:"note,omitzero"`
}

// mostEarlier is how many of those who held a task are remembered with it.
const mostEarlier = 5

// held remembers somebody who holds the task no more.
func (t *task) held(h holder) {
	t.Earlier = append(t.Earlier, h)
	t.Earlier = t.Earlier[max(0, len(t.Earlier)-mostEarlier):]
}

// settings are what the PI has set for the runs of a task (W5).
type settings struct {
	Tools     program.Tools     `json:"tools,omitzero"`
	Directory program.Directory `json:"directory,omitzero"`
	Test      string            `json:"test,omitzero"`
}

// checkSettings refuses what no run can be given, and what somebody else than
// the PI sets: a run's reach is not for agents or automation to widen.
func checkSettings(ch *kernel.Change, s settings) error {
	if s == (settings{}) {
		return nil
	}
	if !ch.Leads() {
		return brenner.Errorf(brenner.CodeWriteDenied, "only the PI sets tools, directory and test of a task").At("/tools")
	}
	switch {
	case s.Tools != "" && !s.Tools.Known():
		return brenner.Errorf(brenner.CodeInvalidValue, "%q is not what a run may use", s.Tools).At("/tools").WithHint("none, edit or shell")
	case s.Directory != "" && !s.Directory.Known():
		return brenner.Errorf(brenner.CodeInvalidValue, "%q is not where a run works", s.Directory).At("/directory").WithHint("scratch, worktree or here")
	case s.Test != "" && s.Directory != program.Worktree:
		return brenner.Errorf(brenner.CodeInvalidValue, "a test is run in a worktree").At("/test").WithHint("set the directory to worktree")
	case utf8.RuneCountInString(s.Test) > brenner.MaxNoteRunes || strings.ContainsAny(s.Test, "\n\r"):
		return brenner.Errorf(brenner.CodeInvalidValue, "the test is one command line of at most %d characters", brenner.MaxNoteRunes).At("/test")
	}
	return kernel.CheckText(s.Test)
}

// moved is an input that changed before the task was completed: its canonical
// version, or for a draft its head, then and at completion.
type moved struct {
	Ref brenner.Ref     `json:"ref"`
	Was brenner.Version `json:"was"`
	Now brenner.Version `json:"now"`
	// Through names the invocation that read it, if it was not pinned.
	Through string `json:"through,omitzero"`
	// Items are those of a session's document that were changed, where the outputs name some.
	Items []delta.ItemID `json:"items,omitzero"`
}

// The group of a task is the role it is for. Tasks are listed in the order they
// were opened: their number.
var tasks = kernel.Table[task]{
	Kind: "task",
	Key: func(t task) kernel.Key {
		return kernel.Key{ID: t.ID, Group: string(t.Role), State: string(t.State), Order: kernel.NumberOf(t.ID)}
	},
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no task %q", id).
			Try(brenner.Do("task.list"))
	},
}

// Newest lists what the newest tasks ask for, the latest first.
func (r *Room) Newest(c *kernel.Call, most int) ([]assembly.Task, error) {
	rows, err := tasks.List(c.Ctx, c.Reader, kernel.Query{Newest: true}, most)
	out := make([]assembly.Task, len(rows))
	for i, row := range rows {
		out[i] = assembly.Task{ID: row.ID, Title: row.Value.Title, Spec: row.Value.Spec}
	}
	return out, err
}

// info is a task as it stands at an instant.
func (t task) info(now time.Time) api.TaskInfo {
	out := api.TaskInfo{
		ID: t.ID, Kind: t.Kind, State: t.State, Title: t.Title, Spec: t.Spec, Role: t.Role, Modules: t.Modules,
		CrossCutting: t.CrossCutting, Inputs: make([]api.Pin, len(t.Inputs)), Session: t.Session, Items: t.Items, On: t.On, Parts: t.Parts, To: t.To,
		Creator: t.Creator, Created: t.Created, Holder: t.Holder, LeaseUntil: t.LeaseUntil, Outputs: t.Outputs,
		Note: t.Note, Completed: t.Completed, WorkSettings: api.WorkSettings(t.Runs),
		Overdue: t.State == api.TaskClaimed && !now.Before(t.LeaseUntil),
	}
	if out.Overdue && out.EndsByItself() {
		out.State, out.Overdue, out.Completed = api.TaskDone, false, t.LeaseUntil
	}
	if out.State == api.TaskClaimed {
		out.Wants, out.WantsSince, out.WantsFor = t.Wants, t.WantsSince, t.WantsFor
		if now.Before(t.OfferedUntil) {
			out.OfferedUntil = t.OfferedUntil
		}
		if now.Before(t.HoldUntil) {
			out.Hold, out.HoldUntil = t.Hold, t.HoldUntil
		}
	}
	for i, p := range t.Inputs {
		out.Inputs[i] = api.Pin(p)
	}
	if t.Moved != nil {
		out.Moved = make([]api.Moved, len(t.Moved))
	}
	for i, m := range t.Moved {
		out.Moved[i] = api.Moved(m)
	}
	for _, h := range t.Earlier {
		out.Earlier = append(out.Earlier, api.TaskHolder(h))
	}
	for _, m := range t.Summaries {
		out.Summaries = append(out.Summaries, api.Moved(m))
	}
	return out
}

// taskWork is the kind of a task that somebody opens; upkeep opens others.
const taskWork = "work"

// taskOpened is the payload of a new task.
type taskOpened struct {
	ID           string            `json:"id"`
	Kind         string            `json:"kind"`
	Title        string            `json:"title"`
	Spec         string            `json:"spec"`
	Role         brenner.Role      `json:"role"`
	Modules      []brenner.Module  `json:"modules"`
	CrossCutting bool              `json:"cross_cutting"`
	Inputs       []ledger.Pin      `json:"inputs"`
	Session      brenner.SessionID `json:"session,omitzero"`
	// Items are what it is about, as they stood in a version of the session.
	Items   []delta.ItemID  `json:"items,omitzero"`
	ItemsOf brenner.Version `json:"items_of,omitzero"`
	// On are the tasks that a note is about.
	On []string `json:"on,omitzero"`
	// Parts are what announced work leaves to others.
	Parts []api.TaskPart `json:"parts,omitzero"`
	// To is who was asked by name.
	To   brenner.ActorName `json:"to,omitzero"`
	Runs settings          `json:"runs,omitzero"`
}

func applyTaskOpened(ctx context.Context, tx store.Tx, rec journal.Record, p taskOpened) error {
	t := task{
		ID: p.ID, Kind: p.Kind, State: api.TaskOpen, Title: p.Title, Spec: p.Spec, Role: p.Role, Modules: p.Modules,
		CrossCutting: p.CrossCutting, Inputs: p.Inputs, Session: p.Session, Items: p.Items, ItemsOf: p.ItemsOf, On: p.On, Parts: p.Parts, To: p.To, Runs: p.Runs,
		Creator: rec.Actor, Created: rec.At, Outputs: []brenner.Ref{},
	}
	if p.Kind == api.TaskNote {
		t.State, t.Completed = api.TaskDone, rec.At
	}
	return tasks.Put(ctx, tx, rec.Seq, t)
}

// taskClaimed says who holds a task, and until when.
type taskClaimed struct {
	ID     string            `json:"id"`
	Holder brenner.ActorName `json:"holder"`
	Until  time.Time         `json:"until"`
	// From is who held it until then, if that was another; Lapsed when its lease had ended,
	// none if it was taken from it. Neither stands in old records.
	From   brenner.ActorName `json:"from,omitzero"`
	Lapsed time.Time         `json:"lapsed,omitzero"`
}

func applyTaskClaimed(ctx context.Context, tx store.Tx, rec journal.Record, p taskClaimed) error {
	return changeTask(ctx, tx, rec.Seq, p.ID, func(t *task) {
		switch {
		case p.From == "":
		case p.Lapsed.IsZero():
			t.held(holder{Agent: p.From, Until: rec.At, How: api.HoldingReassigned})
		default:
			t.held(holder{Agent: p.From, Until: p.Lapsed, How: api.HoldingLapsed})
		}
		t.State, t.Holder, t.LeaseUntil = api.TaskClaimed, p.Holder, p.Until
	})
}

// taskReleased says who gave a task back, which old records do not, and why.
type taskReleased struct {
	ID     string            `json:"id"`
	Holder brenner.ActorName `json:"holder,omitzero"`
	Note   string            `json:"note,omitzero"`
}

func applyTaskReleased(ctx context.Context, tx store.Tx, rec journal.Record, p taskReleased) error {
	return changeTask(ctx, tx, rec.Seq, p.ID, func(t *task) {
		t.State, t.Holder, t.LeaseUntil = api.TaskOpen, "", time.Time{}
		if p.Holder != "" {
			t.held(holder{Agent: p.Holder, Until: rec.At, How: api.HoldingReleased, Note: p.Note})
		}
	})
}

// taskCompleted says what came of a task and what had moved under it.
type taskCompleted struct {
	ID      string        `json:"id"`
	Outputs []brenner.Ref `json:"outputs"`
	Moved   []moved       `json:"moved"`
	// Summaries moved too, and were only shown as such.
	Summaries []moved               `json:"summaries,omitzero"`
	Note      string                `json:"note"`
	Changes   []ledger.StatusChange `json:"changes"`
}

func applyTaskCompleted(ctx context.Context, tx store.Tx, rec journal.Record, p taskCompleted) error {
	for _, c := range p.Changes {
		if err := tx.SetStatus(ctx, c.Ref, c.To); err != nil {
			return err
		}
		if err := ledger.Settle(ctx, tx, rec, c.Ref.Artifact, 0, nil); err != nil {
			return err
		}
	}
	return changeTask(ctx, tx, rec.Seq, p.ID, func(t *task) {
		t.State, t.LeaseUntil, t.Completed = api.TaskDone, time.Time{}, rec.At
		t.Outputs, t.Moved, t.Summaries, t.Note = p.Outputs, p.Moved, p.Summaries, p.Note
	})
}

type taskCanceled struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func applyTaskCanceled(ctx context.Context, tx store.Tx, rec journal.Record, p taskCanceled) error {
	return changeTask(ctx, tx, rec.Seq, p.ID, func(t *task) { t.cancel(rec.At, p.Reason) })
}

func (t *task) cancel(at time.Time, reason string) {
	t.State, t.LeaseUntil, t.Completed, t.Note = api.TaskCanceled, time.Time{}, at, reason
}

// applyOutput remembers a version with the task it was written for.
func applyOutput(ctx context.Context, tx store.Tx, rec journal.Record, p ledger.Written) error {
	if p.Task == "" {
		return nil
	}
	return changeTask(ctx, tx, rec.Seq, p.Task, func(t *task) {
		t.Outputs = append(t.Outputs, brenner.Ref{Artifact: p.ID, Version: p.Version})
	})
}

func changeTask(ctx context.Context, tx store.Tx, seq int64, id string, fn func(*task)) error {
	_, err := tasks.Change(ctx, tx, seq, id, fn)
	return err
}

// Find loads a task as it stands now.
func (r *Room) Find(c *kernel.Call, id string) (api.TaskInfo, error) {
	t, err := tasks.Find(c.Ctx, c.Reader, id)
	return t.info(c.Clock), err
}

// told is a task as the caller is told of it: what is asked is said to those it
// is addressed to, by role or by name, and to persons who may read tasks of all
// its modules; its title also to those
// who take part in its session, so that nobody does it twice; to others only
// that it is there (C33).
func (r *Room) told(c *kernel.Call, t api.TaskInfo) (api.TaskInfo, error) {
	if c.Leads() || c.Person() && readsTask(c, t.Modules) || t.Role == c.Who.Role || t.Holder == c.Who.Name || t.Creator == c.Who.Name {
		return t, nil
	}
	title, parts := "", t.Parts
	t.Parts = nil
	if t.Session != "" {
		asked, err := r.Sessions.TakesPart(c, t.Session)
		if err != nil {
			return t, err
		}
		if asked {
			title, t.Parts = t.Title, parts
		}
	}
	if title == "" {
		t.Hold, t.HoldUntil = "", time.Time{}
		t.Wants, t.WantsSince, t.WantsFor, t.OfferedUntil = "", time.Time{}, 0, time.Time{}
	}
	t.Title, t.Spec, t.Note = title, "", ""
	withoutNotes(&t)
	return t, nil
}

// withoutNotes takes out what those who held a task said of it.
func withoutNotes(t *api.TaskInfo) {
	t.Earlier = slices.Clone(t.Earlier)
	for i := range t.Earlier {
		t.Earlier[i].Note = ""
	}
}

// readsTask reports whether somebody may read tasks of all the modules of one.
func readsTask(c *kernel.Call, modules []brenner.Module) bool {
	if len(modules) == 0 {
		return c.May(policy.Read, artifact.TypeTask, "")
	}
	return !slices.ContainsFunc(modules, func(m brenner.Module) bool { return !c.May(policy.Read, artifact.TypeTask, m) })
}

// tell is Find for an answer.
func (r *Room) tell(c *kernel.Call, id string) (api.TaskInfo, error) {
	t, err := r.Find(c, id)
	if err != nil {
		return t, err
	}
	if err := r.noteChanges(c, &t); err != nil {
		return t, err
	}
	return r.told(c, t)
}

// mostWritten is of how many outputs of a task it is told who wrote them.
const mostWritten = 50

// writtenFor says of the newest outputs of a task who wrote them. They are its result once
// whoever wrote them has completed it: what somebody wrote and then gave the task back is
// not (C36).
func writtenFor(c *kernel.Call, t api.TaskInfo) ([]api.TaskOutput, error) {
	var out []api.TaskOutput
	for _, ref := range t.Outputs[max(0, len(t.Outputs)-mostWritten):] {
		v, err := c.Version(c.Ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, api.TaskOutput{Ref: ref, Author: v.Creator, Status: v.Status, Result: t.State == api.TaskDone && !t.LeftBy(v.Creator)})
	}
	return out, nil
}

// noteChanges says which items that an unfinished task is about were changed since
// it was asked for, and by whom.
func (r *Room) noteChanges(c *kernel.Call, t *api.TaskInfo) error {
	if len(t.Items) == 0 || t.State != api.TaskOpen && t.State != api.TaskClaimed {
		return nil
	}
	row, err := tasks.Find(c.Ctx, c.Reader, t.ID)
	if err != nil || row.ItemsOf == 0 {
		return err
	}
	t.Changed, err = r.Sessions.ChangedSince(c, t.Session, row.ItemsOf, t.Items)
	t.Changed = slices.DeleteFunc(t.Changed, func(i api.ItemChange) bool { return i.Agent == c.Who.Name })
	return err
}

// NewTask implements api.Tasks.
func (s *Service) NewTask(ctx context.Context, req api.NewTaskRequest) (api.TaskInfo, error) {
	return kernel.Write(ctx, s.caller, "task.new", req, opening("task"), func(ch *kernel.Change) (api.TaskInfo, error) {
		if req.Doing {
			return s.sayDoing(ch, req)
		}
		if req.Hold != "" {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "what is held goes with what you do next").At("/hold").WithHint("say it with doing, in a session")
		}
		req, opened, err := s.bounded(ch, req)
		if err != nil {
			return api.TaskInfo{}, err
		}
		open := func() (api.TaskInfo, error) { return s.Open(ch, req, taskWork) }
		switch {
		case req.Note:
			t, err := s.note(ch, req)
			t.Opened = opened
			return t, err
		case req.Claim:
			open = func() (api.TaskInfo, error) { return s.announce(ch, req) }
		case !freely(ch.Call):
			if err := s.notTwice(ch.Call, req); err != nil {
				return api.TaskInfo{}, err
			}
		}
		t, err := open()
		if err != nil {
			return t, err
		}
		t.Opened = opened
		t.Alike, err = s.alike(ch, t)
		return t, err
	})
}

// announce opens a task that the caller does itself, and gives it to it.
func (r *Room) announce(ch *kernel.Change, req api.NewTaskRequest) (api.TaskInfo, error) {
	if err := ch.Allow(policy.TaskWork, "", "", "task"); err != nil {
		return api.TaskInfo{}, err
	}
	if req.Role == "" {
		role, err := r.RoleFor(ch.Call, api.TaskInfo{Session: req.Session})
		if err != nil {
			return api.TaskInfo{}, err
		}
		req.Role = role
	}
	kind := taskWork
	if strings.TrimSpace(req.Spec) == "" && len(req.Inputs) == 0 {
		kind = api.TaskMark
	}
	t, err := r.Open(ch, req, kind)
	if err == nil {
		err = r.checkFree(ch.Call, t)
	}
	if err != nil {
		return api.TaskInfo{}, err
	}
	if err := r.tellLeft(ch, t); err != nil {
		return api.TaskInfo{}, err
	}
	return r.claimFor(ch, t, ch.Who.Name, brenner.DefaultLease)
}

// Open checks and opens a task of some kind.
func (r *Room) Open(ch *kernel.Change, req api.NewTaskRequest, kind string) (api.TaskInfo, error) {
	return r.open(ch, req, kind, nil)
}

// open is Open; a note may be about tasks of others.
func (r *Room) open(ch *kernel.Change, req api.NewTaskRequest, kind string, on []api.TaskInfo) (api.TaskInfo, error) {
	req, of, authors, err := r.aboutItems(ch.Call, req, kind)
	if err == nil {
		req, authors, err = r.addressed(ch.Call, req, kind, authors)
	}
	if err != nil {
		return api.TaskInfo{}, err
	}
	p := taskOpened{
		To:    req.To,
		Items: req.Items, ItemsOf: of.Version,
		ID: nextID(ch), Kind: kind, Title: strings.TrimSpace(req.Title), Spec: req.Spec,
		Role: req.Role, CrossCutting: req.CrossCutting, Inputs: []ledger.Pin{}, Session: req.Session, Runs: settings(req.WorkSettings),
	}
	for _, t := range on {
		p.On, authors = append(p.On, t.ID), append(authors, roster.Entry{AgentName: cmp.Or(t.Holder, t.Creator)})
	}
	if err := checkSettings(ch, p.Runs); err != nil {
		return api.TaskInfo{}, err
	}
	if !brenner.IsOneLine(p.Title) {
		return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "the title of a task is one line without control characters").
			At("/title").WithHint("what takes more lines belongs into the spec")
	}
	most := brenner.MaxTitleRunes
	if kind == api.TaskNote || req.Claim {
		most = brenner.MaxWordRunes
	}
	if err := checkTaskText(p.Title, p.Spec, most); err != nil {
		return api.TaskInfo{}, err
	}
	if p.Parts, err = r.partsOf(ch, req); err != nil {
		return api.TaskInfo{}, err
	}
	if err := ch.KnownRole(req.Role); err != nil {
		return api.TaskInfo{}, err
	}
	if p.Modules, err = taskModules(ch, req); err != nil {
		return api.TaskInfo{}, err
	}
	if len(req.Inputs) > brenner.MaxTaskInputs {
		return api.TaskInfo{}, brenner.Errorf(brenner.CodeLimitExceeded, "a task has at most %d inputs", brenner.MaxTaskInputs)
	}
	for _, ref := range req.Inputs {
		pin, err := pinFor(ch.Call, ref, req.Role)
		if err != nil {
			return api.TaskInfo{}, err
		}
		p.Inputs = append(p.Inputs, pin)
	}
	if _, err := kindTaskOpened.Append(ch, p); err != nil {
		return api.TaskInfo{}, err
	}
	t, err := r.Find(ch.Call, p.ID)
	if err != nil {
		return t, err
	}
	if len(t.Items) > 0 {
		if t.Killed, err = r.Sessions.Killed(ch.Call, t.Session, t.Items); err != nil {
			return t, err
		}
	}
	if kind == api.TaskNote {
		err := r.tellNote(ch, &t, of, authors)
		return t, err
	}
	if req.Claim {
		return t, nil // whoever announces it does it
	}
	told, err := r.tellOpened(ch, t, authors)
	t.Unmanned, t.Untold = told == 0 && t.Role != brenner.PI, max(0, told-brenner.MaxToldOfTask)
	return t, err
}

// nextID is the id of a task that is opened next.
func nextID(ch *kernel.Change) string { return fmt.Sprintf("task-%d", ch.NextSeq()) }

func checkTaskText(title, spec string, most int) error {
	if err := kernel.CheckText(title + spec); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(title); n == 0 || n > most {
		err := brenner.Errorf(brenner.CodeInvalidValue, "a task needs a title of 1–%d characters", most).At("/title")
		if n == 0 {
			return err.Try(brenner.Again().Asking("title"))
		}
		cut := brenner.Clip(title, most)
		if most == brenner.MaxTitleRunes { // what is asked for has a spec for the rest
			return err.WithHint(fmt.Sprintf("it has %d; the rest belongs into the spec", n)).Try(brenner.Again("title", cut, "spec", strings.TrimSpace(title+"\n\n"+spec)))
		}
		return err.WithHint(fmt.Sprintf("it has %d; what others are to do belongs into parts", n)).Try(brenner.Again("title", cut))
	}
	if len(spec) > brenner.MaxTaskSpecBytes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the task's spec has %d bytes, of at most %d", len(spec), brenner.MaxTaskSpecBytes).At("/spec")
	}
	return nil
}

// taskModules settles which modules a task is about (C23) and that they are
// in order for it (C12).
func taskModules(ch *kernel.Change, req api.NewTaskRequest) ([]brenner.Module, error) {
	modules := slices.Compact(slices.Sorted(slices.Values(req.Modules)))
	if len(modules) == 0 {
		switch {
		case req.CrossCutting:
			modules = slices.Clone(ch.Modules)
		case len(ch.Modules) == 1:
			modules = []brenner.Module{ch.Modules[0]}
		}
	}
	if len(modules) == 0 || (len(modules) > 1 && !req.CrossCutting) {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "a task is about one module unless it is cross-cutting").
			At("/modules").WithHint("name one module: " + kernel.Join(ch.Modules))
	}
	for _, m := range modules {
		if m != kernel.ProjectModule && !slices.Contains(ch.Modules, m) {
			return nil, ch.UnknownModule(m)
		}
	}
	if req.CrossCutting {
		return modules, compressed(ch.Call, modules)
	}
	return modules, nil
}

// pinFor is pin for a task of a role, which must be allowed to read it: pinning
// is no way around a policy (C7).
func pinFor(c *kernel.Call, ref brenner.Ref, role brenner.Role) (ledger.Pin, error) {
	p, err := ledger.PinOf(c, ref)
	if err != nil {
		return p, err
	}
	a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
	if err != nil {
		return p, err
	}
	as := policy.Request{Actor: brenner.ActorName(role), Role: role, Action: policy.Read, Type: a.Type, Module: a.Module, Target: string(a.ID)}
	if role == brenner.PI {
		return p, nil
	}
	return p, policy.Decide(c.Policies, as).Err(as)
}

// movedSince says how a pinned input has changed since (C17): its canonical
// version, or for a draft its head or its life. What the task itself wrote is
// no change, but what became canonical beside it is.
func movedSince(c *kernel.Call, p ledger.Pin, outputs []brenner.Ref) (moved, bool, error) {
	a, err := c.Reader.Artifact(c.Ctx, p.Ref.Artifact)
	if err != nil {
		return moved{}, false, err
	}
	rewritten := slices.ContainsFunc(outputs, func(o brenner.Ref) bool { return o.Artifact == a.ID })
	inForce := brenner.Ref{Artifact: a.ID, Version: a.Canonical}
	if p.Ref.Version == p.Canonical || rewritten {
		m := moved{Ref: p.Ref, Was: p.Canonical, Now: a.Canonical}
		return m, a.Canonical != p.Canonical && inForce != p.Ref && !slices.Contains(outputs, inForce), nil
	}
	if a.Head != p.Head {
		return moved{Ref: p.Ref, Was: p.Head, Now: a.Head}, true, nil
	}
	v, err := c.Version(c.Ctx, p.Ref)
	if err != nil || v.Status != artifact.Deprecated {
		return moved{}, false, err
	}
	return moved{Ref: p.Ref, Was: p.Ref.Version}, true, nil // it is out of use: now there is none
}

// movedByOthers is movedSince, but for the document of a session: of that only counts what
// others changed since it was read last, and, where the outputs name items of it, only those
// items (ADR 190). It also says whether the move is one of what the outputs rest on.
func (r *Room) movedByOthers(c *kernel.Call, p ledger.Pin, rest *resting) (m moved, yes, rests bool, err error) {
	m, yes, err = movedSince(c, p, rest.outputs)
	if err != nil || !yes || m.Now == 0 {
		return m, yes, true, err
	}
	a, err := c.Reader.Artifact(c.Ctx, p.Ref.Artifact)
	if err != nil || a.Type != artifact.TypeSessionArtifact {
		return m, yes, true, err
	}
	from := max(p.Ref.Version, rest.read[a.ID])
	if from >= m.Now {
		return m, false, false, nil
	}
	texts, linked, err := rest.says(c, a.ID)
	if err != nil {
		return m, yes, true, err
	}
	moved, err := r.Sessions.MovedUnder(c, brenner.SessionID(a.ID), from, m.Now, texts)
	if err != nil || !moved.Others {
		return m, false, false, err
	}
	if moved.Names {
		m.Items = moved.Changed
		return m, true, len(moved.Changed) > 0, nil
	}
	return m, true, linked || rest.pinned[p.Ref], nil
}

// resting is what the outputs of a task say, and what of sessions was read for it.
type resting struct {
	outputs []brenner.Ref
	pinned  map[brenner.Ref]bool
	read    map[brenner.ArtifactID]brenner.Version // the newest in full
	texts   []string
	loaded  bool
}

// says is what the outputs say, and whether one of them is linked to an artifact. Of what was
// redacted only the summary is left.
func (r *resting) says(c *kernel.Call, id brenner.ArtifactID) (texts []string, linked bool, err error) {
	links, err := c.Reader.LinksFrom(c.Ctx, r.outputs)
	if err != nil {
		return nil, false, err
	}
	linked = slices.ContainsFunc(links, func(l store.Link) bool { return l.To.Artifact == id && l.Rel.Carries() })
	if r.loaded {
		return r.texts, linked, nil
	}
	r.loaded = true
	for _, ref := range r.outputs {
		v, err := c.Version(c.Ctx, ref)
		if err != nil {
			return nil, linked, err
		}
		r.texts = append(r.texts, v.Summary)
		content, err := ledger.ContentOf(c, v)
		switch {
		case brenner.CodeOf(err) == brenner.CodeRedacted || ref.Artifact == id:
		case err != nil:
			return nil, linked, err
		case content.Format == artifact.JSON:
			r.texts = append(r.texts, ledger.Said(content.Data))
		default:
			r.texts = append(r.texts, string(content.Data))
		}
	}
	return r.texts, linked, nil
}

// compressed refuses cross-module work on modules whose memo is behind (C12).
func compressed(c *kernel.Call, modules []brenner.Module) error {
	for _, m := range modules {
		if m == kernel.ProjectModule {
			continue
		}
		behind, err := behindMemo(c, m)
		if err != nil {
			return err
		}
		if behind > c.Config.CompressionThreshold {
			return brenner.Errorf(brenner.CodeCompressionRequired, "more than %d artifacts of module %s changed since its memo", c.Config.CompressionThreshold, m).
				WithHint(fmt.Sprintf("the integrated_memo of %s is to be brought up to date and promoted first", m)).
				Try(brenner.Do("task.new", "role", "integrator", "module", string(m)).Asking("title", "spec")).
				WithDetails(map[string]any{"module": m, "threshold": c.Config.CompressionThreshold})
		}
	}
	return nil
}

// behindMemo counts the knowledge artifacts of a module that changed after the
// journal position its canonical memo covers, up to one over the threshold.
func behindMemo(c *kernel.Call, m brenner.Module) (int, error) {
	rows, err := changedSinceMemo(c, m, c.Config.CompressionThreshold+1)
	return len(rows), err
}

// changedSinceMemo lists the knowledge artifacts of a module that changed after
// the journal position its canonical memo covers, the latest first.
func changedSinceMemo(c *kernel.Call, m brenner.Module, most int) ([]store.Artifact, error) {
	covers, err := memoCovers(c, m)
	if err != nil {
		return nil, err
	}
	var types []brenner.TypeName
	for _, t := range c.Types.Types() {
		if t.Contextual && !t.Record && t.Name != artifact.TypeIntegratedMemo {
			types = append(types, t.Name)
		}
	}
	return c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Types: types, Modules: []brenner.Module{m}, ChangedAfter: covers, Recent: true, Limit: most,
	})
}

// FellBehind reports whether it was a record that brought the memo of a module
// over the threshold, or one after that.
func (r *Room) FellBehind(c *kernel.Call, m brenner.Module, at int64) (bool, error) {
	rows, err := kernel.Once(c, changedIn(m), func() ([]store.Artifact, error) { return changedSinceMemo(c, m, brenner.MaxPage) })
	if err != nil {
		return false, err
	}
	before, _ := slices.BinarySearchFunc(rows, at, func(a store.Artifact, at int64) int { return cmp.Compare(at, a.Seq) }) // the latest first
	return len(rows)-before > c.Config.CompressionThreshold, nil
}

// changedIn is the key of what changed in a module since its memo.
type changedIn brenner.Module

// Closed is the record that closed a task; 0 while it is open.
func (r *Room) Closed(c *kernel.Call, id string) (int64, error) {
	row, err := tasks.Row(c.Ctx, c.Reader, id)
	if err != nil || row.Value.State == api.TaskOpen || row.Value.State == api.TaskClaimed {
		return 0, err
	}
	return row.Seq, nil
}

// memoCovers is the journal position that a module's canonical memo covers: the
// one its author's context saw, or for a person the one it was written at;
// never what a memo says of itself. 0 if there is none.
func memoCovers(c *kernel.Call, m brenner.Module) (int64, error) {
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Types: []brenner.TypeName{artifact.TypeIntegratedMemo}, Modules: []brenner.Module{m}, Canonical: true, Limit: 1,
	})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	v, err := c.Version(c.Ctx, brenner.Ref{Artifact: rows[0].ID, Version: rows[0].Canonical})
	if err != nil {
		return 0, err
	}
	written, err := c.FindRecords(c.Ctx, store.RecordQuery{After: v.Seq - 1, Before: v.Seq + 1, Limit: 1})
	if err != nil || len(written) == 0 {
		return v.Seq, err
	}
	rec, err := journal.Parse(written[0])
	if err != nil || rec.Context == "" {
		return v.Seq, err
	}
	return kernel.NumberOf(rec.Context), nil
}

// Compressed refuses what reaches into other modules while a memo there is
// behind (C12).
func (r *Room) Compressed(c *kernel.Call, modules []brenner.Module) error {
	return compressed(c, modules)
}
