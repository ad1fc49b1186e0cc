package tasks

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"
)

// bounded prepares a task that an agent asks for: it is about the module the
// agent works on unless it names another, and there are only so many for each
// context, so that nobody floods the others; with it there are as many as it says, 0 of
// who may open any number.
func (r *Room) bounded(ch *kernel.Change, req api.NewTaskRequest) (out api.NewTaskRequest, opened int, err error) {
	if freely(ch.Call) {
		return forThePI(ch, req), 0, nil
	}
	modules, opened, err := r.Contexts.Under(ch.Call, kindTaskOpened.Name)
	if err != nil {
		return req, 0, err
	}
	if opened >= brenner.MaxRequestsPerContext {
		return req, opened, brenner.Errorf(brenner.CodeLimitExceeded, "%d tasks were opened under this context, and no more may be", opened).
			WithHint("wait for what you asked for; another piece of work has a context of its own")
	}
	if len(req.Modules) == 0 && !req.CrossCutting {
		modules = slices.DeleteFunc(slices.Clone(modules), func(m brenner.Module) bool { return m == kernel.ProjectModule })
		if len(modules) == 1 {
			req.Modules = modules
		}
	}
	return forThePI(ch, req), opened + 1, nil
}

// forThePI is a request of an agent to the PI, who sees every module: it need not
// name one.
func forThePI(ch *kernel.Change, req api.NewTaskRequest) api.NewTaskRequest {
	if req.Role == brenner.PI && len(req.Modules) == 0 && !req.CrossCutting && !ch.Person() {
		req.Modules = []brenner.Module{kernel.ProjectModule}
	}
	return req
}

// aboutItems says in a task about items of a session whose they are, and gives
// it the role of their first author if it has none. What is asked reaches them
// as a task, never as a message of another agent (C2).
func (r *Room) aboutItems(c *kernel.Call, req api.NewTaskRequest, kind string) (api.NewTaskRequest, brenner.Ref, []roster.Entry, error) {
	if len(req.Items) == 0 {
		return req, brenner.Ref{}, nil, nil
	}
	if req.Session == "" {
		return req, brenner.Ref{}, nil, brenner.Errorf(brenner.CodeInvalidValue, "items are those of a session, and none is named").At("/session")
	}
	ref, items, authors, err := r.Sessions.WrittenBy(c, req.Session, req.Items)
	if err != nil {
		return req, ref, nil, err
	}
	req.Items = items
	if req.Role == "" {
		req.Role = authors[0].Role
	}
	if kind != taskWork {
		return req, ref, authors, nil
	}
	names := make([]brenner.ActorName, len(authors))
	for i, a := range authors {
		names[i] = a.AgentName
	}
	req.Spec += fmt.Sprintf("\n\nAbout %s of %s, by %s.", kernel.Join(req.Items), ref, kernel.Join(names))
	return req, ref, authors, nil
}

// addressed makes a task one for an agent that is named, who is told alone: in the role
// that it has, in a session that it plays there.
func (r *Room) addressed(c *kernel.Call, req api.NewTaskRequest, kind string, authors []roster.Entry) (api.NewTaskRequest, []roster.Entry, error) {
	if req.To == "" {
		return req, authors, nil
	}
	refuse := func(format string, args ...any) *brenner.Error {
		return brenner.Errorf(brenner.CodeInvalidValue, format, args...).At("/to")
	}
	if req.Claim || req.To == c.Who.Name {
		return req, nil, refuse("what you do yourself is asked of nobody").
			WithHint("claim announces your own work, and its parts what others do; leave to out")
	}
	who, err := c.Actor(c.Ctx, req.To)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return req, nil, refuse("nobody is called %q", req.To).WithHint("name an agent; the kickoff of a session names who was asked")
	}
	if err != nil {
		return req, nil, err
	}
	if req.Session != "" && who.Kind == kernel.Agent {
		in, err := r.Sessions.TakesPart(c.As(who), req.Session)
		if err != nil {
			return req, nil, err
		}
		if !in {
			return req, nil, refuse("%s was not asked in %s", req.To, req.Session).
				WithHint("the kickoff and the document name who was").Try(brenner.Do("session.show", "id", string(req.Session)))
		}
	}
	role, err := r.RoleFor(c.As(who), api.TaskInfo{Session: req.Session})
	if err != nil {
		return req, nil, err
	}
	if req.Role != "" && req.Role != role {
		return req, nil, refuse("%s is %s, and %s is asked", req.To, brenner.A(role), brenner.A(req.Role)).
			WithHint("leave role out, or say its own").Try(brenner.Again("role", string(role)))
	}
	req.Role = role
	if kind == taskWork {
		req.Spec += fmt.Sprintf("\n\nAsked of %s.", req.To)
	}
	return req, []roster.Entry{{AgentName: req.To, Role: role}}, nil
}

// note leaves a word with the authors of what it is about.
func (r *Room) note(ch *kernel.Change, req api.NewTaskRequest) (api.TaskInfo, error) {
	switch {
	case req.Claim || strings.TrimSpace(req.Spec) != "":
		return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "a note asks for nothing: it has a title, and neither a spec nor a claim").At("/note").
			WithHint("leave note out to ask for work, or to announce your own")
	case len(req.Items)+len(req.Inputs) == 0 && (req.To == "" || req.Session == ""):
		return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "a note is about something, whose author is told").At("/items").
			WithHint("name items of the session, artifacts as ID@VERSION, or tasks; or the session, and who of it is told")
	}
	if req.Role == "" && len(req.Items) == 0 && req.To == "" {
		role, err := r.RoleFor(ch.Call, api.TaskInfo{Session: req.Session})
		if err != nil {
			return api.TaskInfo{}, err
		}
		req.Role = role
	}
	on, err := r.amongTasks(ch.Call, &req)
	if err != nil {
		return api.TaskInfo{}, err
	}
	return r.open(ch, req, api.TaskNote, on)
}

// UnfinishedIn lists the tasks of a session that are open or taken.
func (r *Room) UnfinishedIn(c *kernel.Call, id brenner.SessionID) ([]string, error) {
	var out []string
	err := r.Each(c, []api.TaskState{api.TaskOpen, api.TaskClaimed}, func(t api.TaskInfo) bool {
		if t.Session == id && t.State != api.TaskDone && t.Kind != api.TaskDoing { // a mark ends by itself
			out = append(out, t.ID)
		}
		return true
	})
	return out, err
}

// NotesIn lists who left a note on an item of a session, and when, by the newest tasks that
// are done.
func (r *Room) NotesIn(c *kernel.Call, id brenner.SessionID) (map[delta.ItemID][]delta.Written, error) {
	rows, err := tasks.List(c.Ctx, c.Reader, kernel.Query{States: []string{string(api.TaskDone)}, Newest: true}, lookedForNotes)
	out := map[delta.ItemID][]delta.Written{}
	for _, row := range rows {
		if t := row.Value; t.Kind == api.TaskNote && t.Session == id {
			for _, item := range t.Items {
				out[item] = append(out[item], delta.Written{By: t.Creator, At: t.Created})
			}
		}
	}
	return out, err
}

// AskersIn lists who asked for something about an item of a session, with a request or a note,
// by the newest tasks.
func (r *Room) AskersIn(c *kernel.Call, id brenner.SessionID) (map[delta.ItemID][]brenner.ActorName, error) {
	rows, err := tasks.List(c.Ctx, c.Reader, kernel.Query{Newest: true}, lookedForNotes)
	out := map[delta.ItemID][]brenner.ActorName{}
	for _, row := range rows {
		if t := row.Value; t.Session == id && t.Creator != t.Holder { // its own work it only announces
			for _, item := range t.Items {
				out[item] = append(out[item], t.Creator)
			}
		}
	}
	return out, err
}

// lookedForNotes is how many tasks are looked through for notes.
const lookedForNotes = 300

// amongTasks takes the tasks out of what a note is about. One whose title the
// caller may not know is none to it (C33).
func (r *Room) amongTasks(c *kernel.Call, req *api.NewTaskRequest) ([]api.TaskInfo, error) {
	var on []api.TaskInfo
	var rest []brenner.Ref
	for _, ref := range req.Inputs {
		if ref.Version != 0 || !strings.HasPrefix(string(ref.Artifact), "task-") {
			rest = append(rest, ref)
			continue
		}
		t, err := r.tell(c, string(ref.Artifact))
		if err == nil && t.Title == "" {
			err = tasks.Missing(t.ID)
		}
		if err != nil {
			return nil, err
		}
		on = append(on, t)
	}
	req.Inputs = rest
	return on, nil
}

// tellNote tells the authors of what a note is about, and who else of the session it names. It
// is shown as what it is, one line of somebody else's words (C2).
func (r *Room) tellNote(ch *kernel.Change, t *api.TaskInfo, doc brenner.Ref, authors []roster.Entry) error {
	to, about := []brenner.ActorName{}, slices.Concat(kernel.Strings(t.Items), t.On)
	for _, a := range authors {
		to = append(to, a.AgentName)
	}
	for _, p := range t.Inputs {
		v, err := ch.Version(ch.Ctx, p.Ref)
		if err != nil {
			return err
		}
		to, about = append(to, v.Creator), append(about, p.Ref.String())
	}
	of := ""
	switch {
	case t.Session != "" && len(about) == 0:
		about = []string{string(t.Session)}
	case doc != brenner.Ref{}: // as it was when the note was left
		of = " of " + doc.String()
	case t.Session != "":
		of = " of " + string(t.Session)
	}
	dead := ""
	if len(t.Killed) > 0 {
		dead = " (" + api.DeadWords(t.Killed) + ")"
	}
	if t.Session != "" {
		named, err := r.Sessions.NamedIn(ch.Call, t.Session, t.Title)
		if err != nil {
			return err
		}
		to = append(to, named...)
	}
	slices.Sort(to)
	t.NotedTo = slices.DeleteFunc(slices.Compact(to), func(name brenner.ActorName) bool { return name == ch.Who.Name })
	for _, name := range t.NotedTo {
		err := r.Mail.TellOfTask(ch, name, api.MessageTask, t.ID, fmt.Sprintf("NOTE: %s on %s%s", ch.Who.Name, strings.Join(about, ", "), of), fmt.Sprintf(
			"%s leaves a note on %s%s%s. Nothing is asked of you%s\n\n> %s\n", ch.Who.Name, strings.Join(about, ", "), of, dead, api.NoteSays, t.Title))
		if err != nil {
			return err
		}
	}
	return nil
}

// tellOpened tells the agents that a task is for: those of its role, in a
// session those who play it there; of a task about what somebody wrote, only
// the authors, if it is for one. It gives how many they are.
func (r *Room) tellOpened(ch *kernel.Change, t api.TaskInfo, authors []roster.Entry) (int, error) {
	all, err := ch.Actors(ch.Ctx)
	if err != nil {
		return 0, err
	}
	var to, wrote []store.Actor
	for _, a := range all {
		if a.Kind != kernel.Agent || !a.Active || a.Name == ch.Who.Name {
			continue
		}
		if ok, err := r.Eligible(ch.Call, t, a); err != nil {
			return 0, err
		} else if !ok {
			continue
		}
		to = append(to, a)
		if slices.ContainsFunc(authors, func(e roster.Entry) bool { return e.AgentName == a.Name }) {
			wrote = append(wrote, a)
		}
	}
	if len(wrote) > 0 {
		to = wrote
	}
	for _, a := range to[:min(len(to), brenner.MaxToldOfTask)] {
		if err := r.tellTask(ch, t, a); err != nil {
			return 0, err
		}
	}
	return len(to), nil
}

func (r *Room) tellTask(ch *kernel.Change, t api.TaskInfo, to store.Actor) error {
	what := "is open for your role"
	switch to.Name {
	case t.Holder:
		what = "was given to you"
	case t.To:
		what = "is asked of you by " + string(t.Creator)
	}
	kind, subject := api.MessageTask, fmt.Sprintf("TASK: %s %s", t.ID, what)
	if t.Kind == api.TaskRevise && len(t.Inputs) > 0 {
		kind, subject = api.MessageChanges, fmt.Sprintf("CHANGES: requested in %s, as %s", t.Inputs[0].Ref, t.ID)
	}
	return r.Mail.TellOfTask(ch, to.Name, kind, t.ID, subject, fmt.Sprintf(
		"%s (%s, role %s, module %s) %s. Take it: %s\n", t.ID, t.Kind, t.Role, kernel.Join(t.Modules), what, brenner.Do("task.claim", "id", t.ID).Mark()))
}

// tellLost tells who held a task that it is not theirs any more.
func (r *Room) tellLost(ch *kernel.Change, t api.TaskInfo, what string) error {
	if t.Overdue {
		what += ", your claim ended at " + brenner.Clock(t.LeaseUntil, ch.Now)
	}
	return r.Mail.Tell(ch, t.Holder, api.MessageTask, fmt.Sprintf("TASK: %s is not yours any more", t.ID), fmt.Sprintf(
		"%s, which you held, %s. Leave it; what you wrote for it stays.\n", t.ID, what))
}

// settle takes back, once a task is done or canceled, that it is there to be
// done. What work that is done had left to somebody is still its part (ADR 117).
func (r *Room) settle(ch *kernel.Change, t api.TaskInfo) error {
	all, err := ch.Actors(ch.Ctx)
	for _, a := range all {
		left := t.State == api.TaskDone && slices.ContainsFunc(t.Parts, func(p api.TaskPart) bool { return p.Agent == a.Name })
		if err == nil && a.Kind == kernel.Agent && !left {
			err = r.Mail.SettleTask(ch, t, a.Name)
		}
	}
	return err
}

// tellAsker tells whoever asked for a task what came of it. The answer is what
// was written for it, never words of another agent (C2).
func (r *Room) tellAsker(ch *kernel.Change, t api.TaskInfo) error {
	var b strings.Builder
	if t.State == api.TaskCanceled {
		fmt.Fprintf(&b, "%s, which you asked for, was canceled by %s and will not be done.\n", t.ID, ch.Who.Name)
	} else {
		fmt.Fprintf(&b, "%s, which you asked for, was done by %s.\n", t.ID, ch.Who.Name)
	}
	for _, ref := range t.Outputs {
		read := brenner.Do("artifact.show", "ref", ref.String())
		if string(ref.Artifact) == string(t.Session) { // by deltas to it
			read = brenner.Do("session.show", "id", string(t.Session), "since", fmt.Sprint(ref.Version-1))
		}
		fmt.Fprintf(&b, "- Read what came of it: %s\n", read.Mark())
	}
	if len(t.Outputs) == 0 && t.State != api.TaskCanceled {
		b.WriteString("No artifact was written for it.\n")
	}
	return r.Mail.Tell(ch, t.Creator, api.MessageAnswered, fmt.Sprintf("ANSWERED: %s is %s", t.ID, t.State), b.String())
}

// opening is to open a task: freely, or as a request to others.
func opening(target string) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		if !freely(c) {
			return kernel.Act{Action: policy.TaskRequest, Target: target}, nil
		}
		return kernel.Act{Action: policy.TaskCreate, Target: target}, nil
	})
}

func freely(c *kernel.Call) bool { return c.May(policy.TaskCreate, "", "") }

// checkCancels refuses to cancel what somebody else asked for.
func checkCancels(c *kernel.Call, t api.TaskInfo) error {
	if t.Creator == c.Who.Name || freely(c) {
		return nil
	}
	return brenner.Errorf(brenner.CodeTaskNotYours, "%s was asked for by %s", t.ID, t.Creator).WithHint("ask the PI")
}
