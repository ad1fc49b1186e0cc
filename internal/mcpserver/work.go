package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// claimRequest takes a task.
type claimRequest struct {
	keyed
	ID    string       `json:"id,omitzero" doc:"default: the oldest free one for your role"`
	Lease api.Duration `json:"lease,omitzero" doc:"how long you need, e.g. 30m; claiming again renews it"`
}

// taskResult is a task as its holder sees it.
type taskResult struct{ api.TaskInfo }

func claimTask(s api.Service, ctx context.Context, in claimRequest) (taskResult, error) {
	t, err := s.ClaimTask(ctx, api.ClaimTaskRequest{Write: in.write(), ID: in.ID, Lease: in.Lease})
	return taskResult{t}, err
}

// Words implements spoken.
func (t taskResult) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %s", t.ID, t.State, brenner.OneLine(t.Title))
	if t.State == api.TaskClaimed && !t.LeaseUntil.IsZero() {
		fmt.Fprintf(&b, " · yours until %s", t.LeaseUntil.UTC().Format("15:04 MST"))
	}
	b.WriteByte('\n')
	if t.State == api.TaskClaimed {
		fmt.Fprintf(&b, "role %s, modules %s, asked by %s:\n", t.Role, joined(t.Modules), t.Creator)
		switch {
		case t.SpecLeft == 0:
			b.WriteString(t.Spec + "\n")
		case t.Spec == "":
			b.WriteString("it stands in your context for the task\n")
		default:
			fmt.Fprintf(&b, "%s\n… %d bytes more; your context for the task has all of it\n", t.Spec, t.SpecLeft)
		}
		for _, p := range t.Inputs {
			fmt.Fprintf(&b, "input %s\n", p.Ref)
		}
		fmt.Fprintf(&b, "next: context_assemble %s\n", jsonOf(map[string]string{"task": t.ID}))
	}
	for _, r := range t.Outputs {
		fmt.Fprintf(&b, "output %s\n", r)
	}
	for _, m := range t.Moved {
		now := "was taken out of use"
		if m.Now != 0 {
			now = fmt.Sprintf("moved from @%d to @%d", m.Was, m.Now)
		}
		fmt.Fprintf(&b, "%s %s meanwhile: the outputs need a rebase\n", m.Ref, now)
	}
	return b.String()
}

// Slim implements spoken.
func (t taskResult) Slim() taskResult { return t }

func joined[T ~string](all []T) string { return strings.Join(words(all), ", ") }

// completeRequest closes a task.
type completeRequest struct {
	keyed
	ID      string        `json:"id" doc:"the task"`
	Outputs []brenner.Ref `json:"outputs,omitzero" doc:"ID@VERSION of yours, besides what you wrote with task"`
	Note    string        `json:"note,omitzero" doc:"for the PI"`
}

func completeTask(s api.Service, ctx context.Context, in completeRequest) (taskResult, error) {
	t, err := s.CompleteTask(ctx, api.CompleteTaskRequest{Write: in.write(), ID: in.ID, Outputs: in.Outputs, Note: in.Note})
	return taskResult{t}, err
}

// releaseRequest gives a task back.
type releaseRequest struct {
	keyed
	ID string `json:"id" doc:"the task"`
}

func releaseTask(s api.Service, ctx context.Context, in releaseRequest) (taskResult, error) {
	t, err := s.ReleaseTask(ctx, api.TaskRequest{Write: in.write(), ID: in.ID})
	return taskResult{t}, err
}

// workRequest asks others for work.
type workRequest struct {
	keyed
	Role    brenner.Role      `json:"role,omitzero" doc:"who is asked: pi, hypothesis_generator, test_designer, adversarial_critic, integrator, writer, distiller, reviewer, arbiter, or a role of the project's own"`
	Title   string            `json:"title" doc:"in one line"`
	Spec    string            `json:"spec" doc:"what to do, what counts as done, what the answer is"`
	About   []brenner.Ref     `json:"about,omitzero" doc:"artifacts, as ID@VERSION"`
	Items   []delta.ItemID    `json:"items,omitzero" doc:"of the session, such as H2: asks their author"`
	Module  brenner.Module    `json:"module,omitzero" doc:"default: that of your context"`
	Session brenner.SessionID `json:"session,omitzero" doc:"for roles of its roster"`
}

// requested is what was asked for, as far as the asker needs to know.
type requested struct {
	ID    string        `json:"id"`
	State api.TaskState `json:"state"`
	Role  brenner.Role  `json:"role"`
	// Mine says that the role is the asker's own: it may do it itself.
	Mine bool `json:"-"`
}

// Words implements spoken.
func (r requested) Words() string {
	if r.Mine {
		return fmt.Sprintf("%s is open for %s, as you are, and announced to the others; do it yourself: task_claim %s\n", r.ID, brenner.A(r.Role), jsonOf(map[string]string{"id": r.ID}))
	}
	return fmt.Sprintf("%s is open for %s and announced; a message tells you when it is done: inbox {\"wait\":60}; status says who has taken it\n", r.ID, brenner.A(r.Role))
}

// Slim implements spoken.
func (r requested) Slim() requested { return r }

func requestWork(s api.Service, ctx context.Context, in workRequest) (requested, error) {
	req := api.NewTaskRequest{Write: in.write(), Title: in.Title, Spec: in.Spec, Role: in.Role, Inputs: in.About, Session: in.Session, Items: in.Items}
	if in.Module != "" {
		req.Modules = []brenner.Module{in.Module}
	}
	me, err := s.Project(ctx)
	if err != nil {
		return requested{}, err
	}
	t, err := s.NewTask(ctx, req)
	return requested{ID: t.ID, State: t.State, Role: t.Role, Mine: t.Session == "" && t.Role == me.Role}, err
}

// inboxRequest lists messages, or is about one.
type inboxRequest struct {
	keyed
	Message string             `json:"message,omitzero" doc:"id of the one to read"`
	Ack     bool               `json:"ack,omitzero" doc:"acknowledge it instead"`
	States  []api.MessageState `json:"states,omitzero" doc:"default: unread and read"`
	Wait    int                `json:"wait,omitzero" doc:"seconds, at most 60: until a message comes, or others write in your session"`
	Limit   int                `json:"limit,omitzero" doc:"20"`
	Cursor  string             `json:"cursor,omitzero" doc:"next of the page before"`
	Offset  int                `json:"offset,omitzero" doc:"next_offset of a long message"`
}

// inboxResult is a page of messages, or one with its text.
type inboxResult struct {
	api.MessageList
	Text       string `json:"text,omitzero"`
	NextOffset int    `json:"next_offset,omitzero"`
	// Proposed is what others proposed or changed in sessions of the reader and it
	// has not seen, which ends a wait like a message.
	Proposed []proposed `json:"proposed,omitzero"`
	// Open are the sessions of the reader that wait for others, if nothing came
	// of its own waiting.
	Open []openSession `json:"-"`
}

// proposed is what an agent proposed or changed in a session.
type proposed struct {
	Session brenner.SessionID `json:"session"`
	Agent   brenner.ActorName `json:"agent"`
	Items   []delta.ItemID    `json:"items"`
	// Version is that of the document if it has the items already, Known the one
	// that the reader was shown.
	Version brenner.Version `json:"version,omitzero"`
	Known   brenner.Version `json:"known,omitzero"`
}

// openSession is a session and who has not answered in it.
type openSession struct {
	ID      brenner.SessionID
	Waiting []brenner.ActorName
}

func inbox(s api.Service, ctx context.Context, in inboxRequest) (inboxResult, error) {
	if in.Message == "" {
		if in.Limit == 0 {
			in.Limit = 20
		}
		news, err := waitForMail(s, ctx, in.Wait)
		if err != nil {
			return inboxResult{}, err
		}
		if in.Wait > 0 && len(in.States) == 0 {
			in.States = []api.MessageState{api.MessageUnread}
		}
		list, err := s.Inbox(ctx, api.InboxRequest{Page: api.Page{Limit: in.Limit, Cursor: in.Cursor}, States: in.States})
		out := inboxResult{MessageList: list, Proposed: news}
		if err == nil && in.Wait > 0 && len(list.Messages)+len(news) == 0 {
			out.Open, err = openSessions(s, ctx)
		}
		return out, err
	}
	req := api.MessageRequest{Write: in.write(), ID: in.Message}
	if in.Ack {
		m, err := s.AckMessage(ctx, req)
		return inboxResult{MessageList: api.MessageList{Messages: []api.MessageInfo{m}}}, err
	}
	m, err := s.ReadMessage(ctx, req)
	if err != nil {
		return inboxResult{}, err
	}
	out := inboxResult{MessageList: api.MessageList{Messages: []api.MessageInfo{m.MessageInfo}}}
	out.Text, out.NextOffset, err = page(brenner.Speak(m.Text, asCall), in.Offset)
	return out, err
}

// openSessions are those of the newest sessions that the reader takes part in and
// that wait for somebody else.
func openSessions(s api.Service, ctx context.Context) ([]openSession, error) {
	me, err := s.Project(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.Sessions(ctx, api.ListSessionsRequest{Page: api.Page{Limit: 20}})
	var out []openSession
	for _, info := range list.Sessions {
		open, mine := openSession{ID: info.ID}, false
		for _, r := range info.Recipients {
			mine = mine || r.Name == me.Actor
			if r.Waiting && r.Name != me.Actor {
				open.Waiting = append(open.Waiting, r.Name)
			}
		}
		if mine && len(open.Waiting) > 0 {
			out = append(out, open)
		}
	}
	return out, err
}

// asCall is an action as the call of a tool, marked as code.
func asCall(a brenner.Action) string {
	if c := a.Tool(); c != "" {
		return "`" + c + "`"
	}
	return ""
}

// between is how long passes between two looks at a mailbox.
const between = 500 * time.Millisecond

// waitForMail returns when there is an unread message, when others have proposed
// or changed what the reader has not seen, or when the time is over.
func waitForMail(s api.Service, ctx context.Context, seconds int) ([]proposed, error) {
	if seconds < 0 || seconds > brenner.MaxInboxWait {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "a wait is between 0 and %d seconds", brenner.MaxInboxWait).At("/wait")
	}
	end := time.After(time.Duration(seconds) * time.Second)
	var looked []api.SessionInfo
	for seconds > 0 {
		unread, err := s.Inbox(ctx, api.InboxRequest{Page: api.Page{Limit: 1}, States: []api.MessageState{api.MessageUnread}})
		if err != nil || len(unread.Messages) > 0 {
			return nil, err
		}
		list, err := s.Sessions(ctx, api.ListSessionsRequest{Page: api.Page{Limit: 20}})
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(list.Sessions, looked) { // somebody has answered, or this is the first look
			looked = list.Sessions
			if news, err := proposedTo(s, ctx, looked); err != nil || len(news) > 0 {
				return news, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-end:
			return nil, nil
		case <-time.After(between):
		}
	}
	return nil, nil
}

// proposedTo lists what others have proposed or changed in the sessions that the
// reader takes part in and it was not given yet.
func proposedTo(s api.Service, ctx context.Context, all []api.SessionInfo) ([]proposed, error) {
	me, err := s.Project(ctx)
	if err != nil {
		return nil, err
	}
	var out []proposed
	for _, info := range all {
		mine, others := false, info.Artifact.Version > 1
		for _, r := range info.Recipients {
			mine = mine || r.Name == me.Actor
			others = others || (r.Name != me.Actor && r.Pending > 0)
		}
		if !mine || !others {
			continue
		}
		v, err := s.Session(ctx, api.SessionRequest{ID: info.ID, Unseen: true})
		switch brenner.ClassOf(brenner.CodeOf(err)) {
		case brenner.ClassDenied, brenner.ClassLimit:
			continue // it could not read them now
		}
		if err != nil {
			return nil, err
		}
		for _, c := range v.Changed {
			out = withItem(out, proposed{Session: info.ID, Agent: c.Agent, Version: v.Ref.Version, Known: v.Known}, c.Item)
		}
		for _, p := range v.Proposals {
			out = withItem(out, proposed{Session: info.ID, Agent: p.Agent}, cmp.Or(p.Item, delta.ItemID(p.Target)))
		}
	}
	return out, nil
}

// withItem adds an item to what an agent proposed or changed.
func withItem(all []proposed, p proposed, item delta.ItemID) []proposed {
	i := slices.IndexFunc(all, func(o proposed) bool { return o.Session == p.Session && o.Agent == p.Agent && o.Version == p.Version })
	if i < 0 {
		p.Items = []delta.ItemID{item}
		return append(all, p)
	}
	if !slices.Contains(all[i].Items, item) {
		all[i].Items = append(all[i].Items, item)
	}
	return all
}

// waitsFor says who is waited for.
func (r inboxResult) waitsFor() string {
	var b strings.Builder
	for _, o := range r.Open {
		fmt.Fprintf(&b, "%s is compiled when %s answered; go on working, or wait again\n", o.ID, joined(o.Waiting)+has(len(o.Waiting)))
	}
	return b.String()
}

func has(n int) string {
	if n == 1 {
		return " has"
	}
	return " have"
}

// Words implements spoken.
func (r inboxResult) Words() string {
	if r.Text != "" {
		text := r.Text
		if r.NextOffset > 0 {
			text += "\n" + more("inbox", "message", r.Messages[0].ID, "offset", r.NextOffset)
		}
		return text
	}
	var b strings.Builder
	for _, p := range r.Proposed {
		if p.Version > 0 {
			fmt.Fprintf(&b, "%s changed %s in %s, now at version %d: session_show %s\n", p.Agent, listed(p.Items), p.Session, p.Version, jsonOf(map[string]any{"session": p.Session, "since": p.Known}))
			continue
		}
		fmt.Fprintf(&b, "%s proposed %s in %s, not compiled yet: session_show %s\n", p.Agent, joined(p.Items), p.Session, jsonOf(map[string]any{"session": p.Session}))
	}
	if len(r.Messages) == 0 && len(r.Proposed) > 0 {
		return b.String()
	}
	if len(r.Messages) == 0 {
		return "nothing new; what you answered or acknowledged is listed by inbox {\"states\":[\"all\"]}\n" + r.waitsFor()
	}
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "%s · %s · %s · %s · %s\n", m.ID, m.State, m.Kind, m.Sent.UTC().Format("2006-01-02 15:04"), brenner.OneLine(m.Subject))
	}
	next := r.Messages[max(0, slices.IndexFunc(r.Messages, func(m api.MessageInfo) bool { return m.State == api.MessageUnread }))]
	fmt.Fprintf(&b, "read one: inbox %s\n", jsonOf(map[string]string{"message": next.ID}))
	if r.Cursor != "" {
		b.WriteString(more("inbox", "cursor", r.Cursor))
	}
	return b.String()
}

// Slim implements spoken.
func (r inboxResult) Slim() inboxResult { r.Text = ""; return r }

// statusRequest narrows what is said.
type statusRequest struct {
	Tasks int `json:"tasks,omitzero" doc:"tasks at most; 20"`
}

// statusResult is where a project stands, for one who works on it.
type statusResult struct {
	Project  api.ProjectInfo   `json:"project"`
	Needs    []api.Need        `json:"needs"`
	Tasks    []taskLine        `json:"tasks"`
	Asked    []taskLine        `json:"asked"` // by requests of one's own
	Messages []api.MessageInfo `json:"messages"`
}

// taskLine is a task in a list.
type taskLine struct {
	ID      string            `json:"id"`
	State   api.TaskState     `json:"state"`
	Title   string            `json:"title"`
	Modules []brenner.Module  `json:"modules"`
	Role    brenner.Role      `json:"role"`
	Holder  brenner.ActorName `json:"holder,omitzero"`
	Overdue bool              `json:"overdue,omitzero"` // and free to be taken
}

func status(s api.Service, ctx context.Context, in statusRequest) (statusResult, error) {
	if in.Tasks == 0 {
		in.Tasks = 20
	}
	info, err := s.Project(ctx)
	if err != nil {
		return statusResult{}, err
	}
	out := statusResult{Project: info, Tasks: []taskLine{}, Asked: []taskLine{}}
	needs, err := s.Status(ctx)
	if err != nil {
		return statusResult{}, err
	}
	out.Needs = needs.Items
	unread, err := s.Inbox(ctx, api.InboxRequest{Page: api.Page{Limit: 20}, States: []api.MessageState{api.MessageUnread}})
	if err != nil {
		return statusResult{}, err
	}
	out.Messages = unread.Messages
	list, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: in.Tasks}, Role: info.Role})
	for _, t := range list.Tasks {
		out.Tasks = append(out.Tasks, lineOf(t))
	}
	if err != nil {
		return out, err
	}
	open, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}, Newest: true})
	for _, t := range open.Tasks {
		if t.Creator == info.Actor && len(out.Asked) < in.Tasks {
			out.Asked = append(out.Asked, lineOf(t))
		}
	}
	return out, err
}

func lineOf(t api.TaskInfo) taskLine {
	return taskLine{ID: t.ID, State: t.State, Title: t.Title, Modules: t.Modules, Role: t.Role, Holder: t.Holder, Overdue: t.Overdue}
}

// Words implements spoken.
func (r statusResult) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "you are %s, role %s, in %q (modules: %s)\n", r.Project.Actor, r.Project.Role, r.Project.Name, joined(r.Project.Modules))
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "unread: %s (%s): inbox %s\n", brenner.OneLine(m.Subject), m.Kind, jsonOf(map[string]string{"message": m.ID}))
	}
	for _, t := range r.Tasks {
		fmt.Fprintf(&b, "task %s · %s · %s", t.ID, t.State, inLine(t.Title))
		switch {
		case t.State == api.TaskOpen || (t.Overdue && t.Holder != r.Project.Actor):
			fmt.Fprintf(&b, ": task_claim %s", jsonOf(map[string]string{"id": t.ID}))
		case t.Holder == r.Project.Actor:
			b.WriteString(" · yours")
		case t.Holder != "":
			fmt.Fprintf(&b, " · held by %s", t.Holder)
		}
		b.WriteByte('\n')
	}
	for _, t := range r.Asked {
		seen := fmt.Sprintf("nobody of role %s has taken it yet", t.Role)
		if t.Holder != "" {
			seen = fmt.Sprintf("%s works on it", t.Holder)
		}
		fmt.Fprintf(&b, "you asked for %s · %s: %s\n", t.ID, inLine(t.Title), seen)
	}
	for _, n := range r.Needs {
		fmt.Fprintf(&b, "%s: %s", n.Kind, brenner.OneLine(n.What))
		if c := n.Do.Tool(); c != "" {
			fmt.Fprintf(&b, ": %s", c)
		}
		b.WriteByte('\n')
	}
	if len(r.Messages)+len(r.Tasks)+len(r.Asked)+len(r.Needs) == 0 {
		b.WriteString("nothing waits for you\n")
	}
	return b.String()
}

// Slim implements spoken.
func (r statusResult) Slim() statusResult { return r }
