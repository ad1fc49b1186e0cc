package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/problem"
	"brenner/policy"
)

// claimRequest takes a task.
type claimRequest struct {
	keyed
	ID    string        `json:"id,omitzero" doc:"default: the oldest free one for your role"`
	Lease *api.Duration `json:"lease,omitzero" doc:"e.g. 30m; again renews it"`
}

// taskResult is a task as its holder sees it.
type taskResult struct {
	api.TaskInfo
	at   string // who else is at what it is about
	call string // that makes its context
	// changed is what changed of inputs that moved.
	changed string
	news    string
}

func claimTask(s api.Service, ctx context.Context, in claimRequest) (taskResult, error) {
	req := api.ClaimTaskRequest{Write: in.write(), ID: in.ID}
	if in.Lease != nil {
		// 0 is what nobody asked for; who does means it, and is refused like 1ms.
		if req.Lease = *in.Lease; req.Lease == 0 {
			return taskResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a lease of 0s holds nothing").At("/lease").
				WithHint("leave it out for " + brenner.DefaultLease.String() + ", or give a task back with task_release")
		}
	}
	t, err := s.ClaimTask(ctx, req)
	if err != nil || t.Session == "" {
		return taskResult{TaskInfo: t, call: contextOf(t.ID, "")}, err
	}
	all, err := tasksOf(s, ctx, t.Session)
	return taskResult{TaskInfo: t, at: alreadyAt(t, all, time.Now()), call: contextOf(t.ID, contextNow(s, ctx, t.Session))}, err
}

// contextOf is the call that makes the context of a task.
func contextOf(task, after string) string {
	return "context_assemble " + jsonOf(contextRequest{Task: task, After: after})
}

// contextNow is the context through which the caller reads a session, which one for a
// task may go on from; none where that cannot be told.
func contextNow(s api.Service, ctx context.Context, session brenner.SessionID) string {
	if session == "" {
		return ""
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Unseen: true})
	if err != nil {
		return ""
	}
	return v.GoOn.Args["after"]
}

// Words implements spoken.
func (t taskResult) Words() string {
	var b strings.Builder
	title := brenner.OneLine(t.Title)
	if t.State != api.TaskClaimed {
		title = inLine(title) // it was at it
	}
	fmt.Fprintf(&b, "%s · %s · %s", t.ID, t.State, title)
	if t.State == api.TaskClaimed && !t.LeaseUntil.IsZero() {
		fmt.Fprintf(&b, " · yours until %s", until(t.LeaseUntil))
	}
	b.WriteByte('\n')
	if t.State == api.TaskClaimed {
		fmt.Fprintf(&b, "role %s, modules %s, asked by %s:\n", t.Role, joined(t.Modules), t.Creator)
		switch {
		case t.SpecLeft == 0:
			b.WriteString(brenner.Fenced("", t.Spec))
		case t.Spec == "":
			b.WriteString("it stands in your context for the task\n")
		default:
			fmt.Fprintf(&b, "%s… %d bytes more; your context for the task has all of it\n", brenner.Fenced("", t.Spec), t.SpecLeft)
		}
		for _, p := range t.Inputs {
			fmt.Fprintf(&b, "input %s\n", p.Ref)
		}
		b.WriteString(heldBefore(t.TaskInfo))
		if t.Failed > 0 {
			fmt.Fprintf(&b, "%d runs of it have failed in a row: if you cannot do it either, say why in a note and give it back\n", t.Failed)
		}
		b.WriteString(changedItems(t.TaskInfo) + t.at)
		fmt.Fprintf(&b, "next: %s\n", cmp.Or(t.call, contextOf(t.ID, "")))
	}
	for _, r := range t.Outputs {
		if t.State != api.TaskDone {
			fmt.Fprintf(&b, "written for it: %s\n", r)
			continue
		}
		fmt.Fprintf(&b, "output %s\n", r)
	}
	b.WriteString(t.changed + movedUnder(t.TaskInfo))
	b.WriteString(t.news)
	return b.String()
}

// movedUnder says which inputs of a task moved while it was done, and what that asks of
// who did it.
func movedUnder(t api.TaskInfo) string {
	if len(t.Moved) == 0 {
		return ""
	}
	var moved []string
	for _, m := range t.Moved {
		now := "was taken out of use"
		if m.Now != 0 {
			now = fmt.Sprintf("moved from @%d to @%d", m.Was, m.Now)
		}
		if len(m.Items) > 0 {
			now += fmt.Sprintf(" (%s, which it names)", joined(m.Items))
		}
		moved = append(moved, fmt.Sprintf("%s %s", m.Ref, now))
	}
	return fmt.Sprintf("%s meanwhile: what you wrote is marked needs_rebase till you write a new version that holds with it (patch_apply); where nothing changes, its change note says so\n",
		strings.Join(most(moved), ", "))
}

// heldBefore says who held a task last before its holder, and where the rest of that stands.
func heldBefore(t api.TaskInfo) string {
	if len(t.Earlier) == 0 {
		return ""
	}
	return t.Earlier[len(t.Earlier)-1].Words() + ": your context for the task has what was written for it, and why it came back if that was said\n"
}

// changedItems says what was changed that a task is about, since it was asked for.
func changedItems(t api.TaskInfo) string {
	var b strings.Builder
	for _, c := range t.Changed {
		fmt.Fprintf(&b, "%s, which it is about, was changed by %s since it was asked\n", c.Item, c.Agent)
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
	if err != nil {
		return taskResult{}, err
	}
	return taskResult{TaskInfo: t, changed: changedUnder(s, ctx, t), news: meanwhile(s, ctx)}, nil
}

// finish closes a task with what was just written for it. That is written
// whatever comes of this, so that a refusal is said, and is none of the call. What
// moved meanwhile is shown as what changed.
func finish(s api.Service, ctx context.Context, in api.CompleteTaskRequest) string {
	t, err := s.CompleteTask(ctx, in)
	if err != nil {
		e, _ := problem.From(err)
		return fmt.Sprintf("%s is not closed: %s: %s; when that is mended: task_complete %s\n", in.ID, e.Code, e.Message, jsonOf(map[string]string{"id": in.ID}))
	}
	return taskResult{TaskInfo: t, changed: changedUnder(s, ctx, t)}.Words()
}

// stillHeld says of a task for which something was written that this has not closed it.
func stillHeld(task string) string {
	return fmt.Sprintf("%s is still yours; your last write for it closes it: \"done\":true\n", task)
}

// changedUnder shows what changed of the inputs of a task that moved while it was done.
func changedUnder(s api.Service, ctx context.Context, t api.TaskInfo) string {
	var moved []brenner.Diagnostic
	for _, m := range t.Moved {
		if m.Now > 0 {
			moved = append(moved, brenner.Diagnostic{Code: brenner.CodeReferenceMoved, Subject: m.Ref.String()})
		}
	}
	return movedTexts(s, ctx, moved).words
}

// marksOf are what the caller has announced to be at and has not ended.
func marksOf(s api.Service, ctx context.Context) []api.TaskInfo {
	list, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}, Mine: true, Newest: true})
	if err != nil {
		return nil // it ends by itself
	}
	return slices.DeleteFunc(list.Tasks, func(t api.TaskInfo) bool { return t.Kind != api.TaskMark }) // those of others are not listed
}

// markedWork names what the writer had announced to be at and has not ended: what it
// writes without saying so may be of something else, so that it ends nothing (ADR 154).
func markedWork(s api.Service, ctx context.Context, wrote brenner.Ref) string {
	marks := marksOf(s, ctx)
	if len(marks) == 0 {
		return ""
	}
	end := jsonOf(map[string]any{"id": marks[0].ID, "outputs": []brenner.Ref{wrote}})
	if len(marks) > 1 {
		return fmt.Sprintf("you announced %s, which go on; if this is what came of one: task_complete %s\n", joined(ids(marks)), end)
	}
	if session := marks[0].Session; session != "" && len(tellOnce(s, ctx, session, []string{"how " + marks[0].ID + " is ended"})) > 0 {
		return ""
	}
	return fmt.Sprintf("%s, which you announced, goes on; if this is what came of it: task_complete %s\n", marks[0].ID, end)
}

// endOnly ends what a writer has announced where it says that it is done and names no task:
// the one thing that it is at. What it wrote is written either way.
func endOnly(s api.Service, ctx context.Context, key keyed, wrote brenner.Ref) string {
	marks := marksOf(s, ctx)
	if len(marks) == 0 {
		return "nothing had to be closed: a part of divided work ends with your answer to the session\n"
	}
	if len(marks) > 1 {
		return markedWork(s, ctx, wrote)
	}
	t, err := s.CompleteTask(ctx, api.CompleteTaskRequest{Write: key.also(marks[0].ID), ID: marks[0].ID, Outputs: []brenner.Ref{wrote}})
	if err != nil {
		return markedWork(s, ctx, wrote)
	}
	return fmt.Sprintf("%s, which you had announced, is done with it\n", t.ID)
}

// answeringMark is what a writer has announced as its part of the answer that its session
// waits for, if that is one thing.
func answeringMark(s api.Service, ctx context.Context, task string) (mark api.TaskInfo) {
	if marks := marksOf(s, ctx); task == "" && len(marks) == 1 && goesOn(s, ctx, marks[0].Session) {
		return marks[0]
	}
	return api.TaskInfo{}
}

// endMark ends what was announced as a part of an answer, with what was written along with
// that, when the answer has come.
func endMark(s api.Service, ctx context.Context, key keyed, mark api.TaskInfo, wrote brenner.Ref) string {
	if mark.ID == "" || goesOn(s, ctx, mark.Session) {
		return ""
	}
	t, err := s.CompleteTask(ctx, api.CompleteTaskRequest{Write: key.also(mark.ID), ID: mark.ID, Outputs: []brenner.Ref{wrote}})
	if err != nil {
		return "" // it ends by itself
	}
	return fmt.Sprintf("%s, which you had announced for your answer, is done with it\n", t.ID)
}

// goesOn says whether a session still waits for the answer of who writes: what it writes
// till then is a part of its work there.
func goesOn(s api.Service, ctx context.Context, session brenner.SessionID) bool {
	if session == "" {
		return false
	}
	me, err := s.Project(ctx)
	if err != nil {
		return false
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Unseen: true})
	return err == nil && v.Closed.IsZero() && slices.ContainsFunc(v.Recipients, func(r api.Recipient) bool { return r.Name == me.Actor && r.Waiting })
}

// doneWith are the arguments by which a write ends a task.
func doneWith(task string) string { return fmt.Sprintf("\"task\":%q,\"done\":true", task) }

func ids(all []api.TaskInfo) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = t.ID
	}
	return out
}

// releaseRequest gives a task back.
type releaseRequest struct {
	keyed
	ID     string `json:"id" doc:"the task"`
	Note   string `json:"note,omitzero" doc:"why, how far it is"`
	Cancel string `json:"cancel,omitzero" doc:"what you asked for: why it ends"`
}

func releaseTask(s api.Service, ctx context.Context, in releaseRequest) (taskResult, error) {
	give := func() (api.TaskInfo, error) {
		return s.ReleaseTask(ctx, api.ReleaseTaskRequest{Write: in.write(), ID: in.ID, Note: in.Note})
	}
	if in.Cancel != "" {
		give = func() (api.TaskInfo, error) {
			return s.CancelTask(ctx, api.CancelTaskRequest{Write: in.write(), ID: in.ID, Reason: in.Cancel})
		}
	}
	t, err := give()
	if err != nil {
		return taskResult{}, err
	}
	return taskResult{TaskInfo: t, news: meanwhile(s, ctx)}, nil
}

// workRequest asks others for work.
type workRequest struct {
	keyed
	Role    brenner.Role      `json:"role,omitzero" doc:"who is asked: pi, hypothesis_generator, test_designer, adversarial_critic, integrator, writer, distiller, reviewer, arbiter, or the project's"`
	Title   string            `json:"title" doc:"one line of 200 characters; with claim or note 600"`
	Spec    string            `json:"spec,omitzero" doc:"what to do, and what counts as done"`
	To      brenner.ActorName `json:"to,omitzero" doc:"instead: NAME of the session, about it"`
	About   []brenner.Ref     `json:"about,omitzero" doc:"ID@VERSION; of a note also tasks"`
	Items   []delta.ItemID    `json:"items,omitzero" doc:"of the session, such as H2: asks their author"`
	Module  brenner.Module    `json:"module,omitzero" doc:"default: your context's"`
	Session brenner.SessionID `json:"session,omitzero" doc:"for roles of its roster"`
	Claim   bool              `json:"claim,omitzero" doc:"announce your own work; without spec for 30 minutes"`
	Parts   []string          `json:"parts,omitzero" doc:"with claim: others' parts, each NAME: …"`
	Note    bool              `json:"note,omitzero" doc:"only a word (title) to the author of items or about"`
	Deltas  loose             `json:"deltas,omitzero" doc:"as in artifact_write"`
}

// requested is what was asked for, as far as the asker needs to know.
type requested struct {
	ID    string        `json:"id"`
	State api.TaskState `json:"state"`
	Role  brenner.Role  `json:"role"`

	held   string // why nothing was opened
	task   api.TaskInfo
	mine   bool           // it is for the role of who asks
	others []api.TaskInfo // under way in the session besides
	known  toldTasks
	part   string // what its own part is, or who divides the work
	at     string // who of them is at what it is about
	news   string
}

// Words implements spoken.
func (r requested) Words() string {
	if r.held != "" {
		return r.held + r.news
	}
	var b strings.Builder
	if len(r.task.Killed) > 0 {
		fmt.Fprintf(&b, "what it is about is dead: %s\n", api.DeadWords(r.task.Killed))
	}
	switch {
	case r.task.Kind == api.TaskNote:
		b.WriteString("noted: ")
		if len(r.task.NotedTo) > 0 {
			fmt.Fprintf(&b, "told to %s; ", joined(r.task.NotedTo))
		}
		b.WriteString("whoever reads the document sees it; nothing is asked by it\n")
		return b.String() + r.left() + r.news
	case r.task.Kind == api.TaskMark:
		fmt.Fprintf(&b, "%s is announced: the others see that you are at it until %s. To end it before, write what came of it with %s; what you write with \"task\" alone, or without, does not end it\n", r.ID, until(r.task.LeaseUntil), doneWith(r.ID))
		b.WriteString(r.told())
	case r.State == api.TaskClaimed:
		fmt.Fprintf(&b, "%s is announced, and yours until %s; your last result closes it: artifact_write %s; what comes before goes without done\n",
			r.ID, until(r.task.LeaseUntil), jsonOf(map[string]any{"task": r.ID, "done": true}))
	case r.mine:
		fmt.Fprintf(&b, "%s is open for %s, as you are, and announced to the others; do it yourself: task_claim %s\n", r.ID, brenner.A(r.Role), jsonOf(map[string]string{"id": r.ID}))
	case r.task.Unmanned:
		fmt.Fprintf(&b, "%s is open for %s, but nobody has that role: do not wait for it; it stands on the PI's list\n", r.ID, brenner.A(r.Role))
	case r.Role == brenner.PI:
		fmt.Fprintf(&b, "%s stands on the PI's list; a message tells you when it is done, which may take long: go on with what you can\n", r.ID)
	case r.task.To != "":
		fmt.Fprintf(&b, "%s is asked of %s, which is told with its next call; a message tells you when it is done: inbox {\"wait\":60}\n", r.ID, r.task.To)
	default:
		fmt.Fprintf(&b, "%s is open for %s and announced; a message tells you when it is done: inbox {\"wait\":60}\n", r.ID, brenner.A(r.Role))
	}
	if r.task.Untold > 0 {
		fmt.Fprintf(&b, "%s more of that role get no message: they see it in status\n", brenner.Plural(r.task.Untold, "agent", "agents"))
	}
	b.WriteString(r.left() + r.part)
	for _, a := range r.task.Alike {
		if a.Part {
			fmt.Fprintf(&b, "may overlap with what %s left to %s (%s, data): %s\n  that stands: do only the rest of yours, and no word is needed; or take it back: task_release %s\n",
				a.Creator, a.Holder, a.ID, brenner.ClipWords(brenner.OneLine(a.Title), partInLine), jsonOf(map[string]string{"id": r.ID, "cancel": "as " + a.ID}))
			continue
		}
		if a.Yields {
			fmt.Fprintf(&b, "may overlap: %s %s (%s)%s\n  your part stands, as the work was divided: %s was told to leave it to you\n",
				a.ID, brenner.OneLine(a.Title), atIt(a), specOf(a), cmp.Or(a.Holder, a.Creator))
			continue
		}
		fmt.Fprintf(&b, "may overlap: %s %s (%s)%s\n  the earlier stands: do only the rest of yours, and no word is needed; or take it back: task_release %s\n",
			a.ID, brenner.OneLine(a.Title), atIt(a), specOf(a), jsonOf(map[string]string{"id": r.ID, "cancel": "as " + a.ID}))
	}
	b.WriteString(r.at + underWay(r.others, r.task.Creator, r.known))
	b.WriteString(r.news)
	return b.String()
}

// left says how many more its author may open under its context.
func (r requested) left() string {
	if r.task.Opened == 0 {
		return ""
	}
	return fmt.Sprintf("requests: %d of %d left\n", brenner.MaxRequestsPerContext-r.task.Opened, brenner.MaxRequestsPerContext)
}

// told says who was told its part.
func (r requested) told() string {
	var names []brenner.ActorName
	for _, p := range r.task.Parts {
		if p.Agent != r.task.Creator {
			names = append(names, p.Agent)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "told their parts, which stand above what is announced later: " + joined(names) + "\n"
}

func specOf(a api.AlikeTask) string {
	if a.Spec == "" {
		return ""
	}
	return ": " + brenner.OneLine(a.Spec)
}

// atIt says who is at a task, or asked for it.
func atIt(a api.AlikeTask) string {
	if a.Holder != "" {
		return fmt.Sprintf("%s is at it since %s", a.Holder, brenner.Clock(a.Since, time.Now()))
	}
	return fmt.Sprintf("asked by %s, taken by nobody yet", a.Creator)
}

// Slim implements spoken.
func (r requested) Slim() requested { return r }

func requestWork(s api.Service, ctx context.Context, in workRequest) (requested, error) {
	req := api.NewTaskRequest{
		Write: in.write(), Title: in.Title, Spec: in.Spec, Role: in.Role, Inputs: in.About, Session: in.Session, Items: in.Items, To: in.To, Claim: in.Claim, Note: in.Note,
	}
	for _, p := range in.Parts {
		part, err := api.ParsePart(p)
		if err != nil {
			return requested{}, err
		}
		req.Parts = append(req.Parts, part)
	}
	if in.Module != "" {
		req.Modules = []brenner.Module{in.Module}
	}
	if strings.TrimSpace(in.Spec) == "" && !in.Claim && !in.Note {
		return requested{}, brenner.Errorf(brenner.CodeInvalidValue, "work is asked for with a spec").At("/spec").
			WithHint("say what to do and what counts as done; claim (you are at it yourself) and note (a word to the author) go without").
			Try(brenner.Again().Asking("spec"))
	}
	me, err := s.Project(ctx)
	if err != nil {
		return requested{}, err
	}
	news := ""
	if in.asks() {
		// What has come meanwhile may be what is asked for: who asks hears of it first.
		news = meanwhile(s, ctx)
		if held := in.heldBy(news); held != "" {
			return requested{held: held, Role: in.Role, news: news}, nil
		}
	}
	t, err := s.NewTask(ctx, req)
	if brenner.CodeOf(err) == brenner.CodeAlreadyExists {
		return doubled(s, ctx, err, news)
	}
	if err != nil {
		return requested{}, err
	}
	out := requested{ID: t.ID, State: t.State, Role: t.Role, task: t, mine: t.Session == "" && t.Role == me.Role, news: news}
	if !in.asks() { // what bears on its part comes before it has answered
		out.news = meanwhile(s, ctx)
	}
	if in.Deltas != "" {
		out.news += handIn(s, ctx, deltaRequest{keyed: keyed{in.also("deltas").Key}, Session: in.Session, Text: in.Deltas})
	}
	if in.Session == "" || in.Note {
		return out, nil
	}
	// What others are at is said when it helps: before the same is done twice.
	all, err := tasksOf(s, ctx, in.Session)
	for _, o := range all {
		if o.ID != t.ID && !slices.ContainsFunc(t.Alike, func(a api.AlikeTask) bool { return a.ID == o.ID }) {
			out.others = append(out.others, o)
		}
	}
	if err != nil {
		return out, err
	}
	out.at, out.known = alreadyAt(t, out.others, time.Now()), tellUnderWay(s, ctx, out.others)
	out.others = slices.DeleteFunc(out.others, func(o api.TaskInfo) bool { // which the same answer has, or who asks
		return strings.Contains(out.news, o.Asks()) || o.Kind == api.TaskDoing && o.Holder == me.Actor
	})
	if in.Claim {
		out.at += runBefore(s, ctx, in.Session, itemsOf(t), me.Actor)
	}
	if in.Claim && len(in.Parts) == 0 {
		out.part, err = partOf(s, ctx, in.Session, me.Actor, out.known)
	}
	return out, err
}

// asks says whether others of a session are asked for work.
func (in workRequest) asks() bool { return in.Session != "" && !in.Claim && !in.Note }

// heldBy says why a request is held back: of what others have just written, which who
// asks was not shown before, a test is of what its title is about, or that was killed.
func (in workRequest) heldBy(news string) string {
	about := itemsOf(api.TaskInfo{Items: in.Items, Title: in.Title})
	tests := in.Role == policy.TestDesigner || strings.Contains(strings.ToLower(in.Title), "test")
	found := newAbout(news, about, tests)
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("not opened yet: %s came or changed meanwhile, which you had not seen and your request is about; it stands below. If it is still wanted, send it once more\n", joined(found))
}

// doubled answers who asks for what is asked for already: that is no mistake of its own.
func doubled(s api.Service, ctx context.Context, refusal error, news string) (requested, error) {
	e, _ := problem.From(refusal)
	details, _ := e.Details.(map[string]any)
	id, _ := details["task"].(string)
	t, err := s.Task(ctx, api.TaskRequest{ID: id})
	if err != nil {
		return requested{}, refusal
	}
	held := fmt.Sprintf("not opened: %s asks for that already: %s (%s)\n", t.ID, t.Asks(), holding(t))
	if t.Spec != "" {
		held += "what is asked (data): " + brenner.ClipWords(brenner.OneLine(t.Spec), movedText) + "\n"
	}
	held += fmt.Sprintf("what yours adds: request %s\n", jsonOf(map[string]any{"note": true, "about": []string{t.ID}, "session": t.Session, "title": "…"}))
	return requested{ID: t.ID, State: t.State, Role: t.Role, held: held, news: news}, nil
}

// tasksOf are the tasks of a session that are open or taken.
func tasksOf(s api.Service, ctx context.Context, session brenner.SessionID) ([]api.TaskInfo, error) {
	list, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}, Newest: true})
	return slices.DeleteFunc(list.Tasks, func(t api.TaskInfo) bool { return t.Session != session }), err
}

// notesOf are the notes on items of a session, the newest first.
func notesOf(s api.Service, ctx context.Context, session brenner.SessionID) ([]api.TaskInfo, error) {
	list, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}, States: []api.TaskState{api.TaskDone}, Newest: true})
	return slices.DeleteFunc(list.Tasks, func(t api.TaskInfo) bool { return t.Session != session || t.Kind != api.TaskNote || t.Title == "" }), err
}

// newNotes leaves out the notes that somebody wrote itself, those from before its last
// answer, which it has had, and those of which a message tells it.
func newNotes(s api.Service, ctx context.Context, all []api.TaskInfo, in api.SessionInfo) ([]api.TaskInfo, error) {
	if len(all) == 0 {
		return nil, nil
	}
	me, err := s.Project(ctx)
	if err != nil {
		return nil, err
	}
	told, err := s.Inbox(ctx, api.InboxRequest{Page: api.Page{Limit: brenner.MaxPage}, States: []api.MessageState{api.MessageAll}})
	if err != nil {
		return nil, err
	}
	var answered time.Time
	for _, r := range in.Recipients {
		if r.Name == me.Actor {
			answered = r.AnsweredAt
		}
	}
	return slices.DeleteFunc(all, func(t api.TaskInfo) bool {
		return t.Creator == me.Actor || t.Created.Before(answered) || slices.ContainsFunc(told.Messages, func(m api.MessageInfo) bool { return m.Task == t.ID })
	}), nil
}

// mostNotes is how many notes stand beside a document, the newest.
const mostNotes = 6

// holding says who has a task, and until when; of one that is over, who had it.
func holding(t api.TaskInfo) string {
	if t.LeaseUntil.IsZero() && t.Holder != "" {
		return fmt.Sprintf("asked by %s, %s by %s", t.Creator, t.State, t.Holder)
	}
	switch t.Holder {
	case "":
		return fmt.Sprintf("asked by %s, taken by nobody yet", t.Creator)
	case t.Creator:
		return fmt.Sprintf("%s, until %s", t.Holder, brenner.Clock(t.LeaseUntil, time.Now()))
	}
	return fmt.Sprintf("asked by %s, %s, until %s", t.Creator, t.Holder, brenner.Clock(t.LeaseUntil, time.Now()))
}

// knownTitle is how much is shown of what a task under way asks for, once its reader knows it.
const knownTitle = 60

// underWay lists tasks of a session for somebody, not too many, with their whole titles:
// they say who does what. What it was told before is named, by how its title begins.
func underWay(all []api.TaskInfo, me brenner.ActorName, told toldTasks) string {
	var b strings.Builder
	var known []string
	for _, t := range firstOf(all, mostUnderWay) {
		switch short := brenner.ClipWords(t.Asks(), knownTitle); {
		case told[t.ID] && t.Kind == api.TaskDoing:
			known = append(known, fmt.Sprintf("%s (said at %s)%s: %s", t.Holder, brenner.Clock(t.Created, time.Now()), hasAlone(t), short))
		case told[t.ID]:
			known = append(known, fmt.Sprintf("%s (%s): %s", t.ID, holding(t), short))
		case t.Kind == api.TaskDoing:
			fmt.Fprintf(&b, "%s does next (said at %s, data)%s: %s\n", t.Holder, brenner.Clock(t.Created, time.Now()), hasAlone(t), t.Asks())
		default:
			fmt.Fprintf(&b, "under way: %s %s (%s)\n%s", t.ID, t.Asks(), holding(t), partsLeft(t, me))
		}
	}
	if len(known) > 0 {
		fmt.Fprintf(&b, "under way: %s\n", strings.Join(known, "; "))
	}
	return b.String() + andMore(len(all), mostUnderWay, "under way: task list, or status {}")
}

// stillUnderWay names what a reader was told of before, and who is at it.
func stillUnderWay(known []api.TaskInfo) string {
	var names []string
	for _, t := range known {
		name := string(t.Holder)
		if t.Kind != api.TaskDoing {
			name = fmt.Sprintf("%s (%s)", t.ID, t.Holder)
		}
		name += hasAlone(t)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "under way as you were told: " + listed(names) + "\n"
}

// hasAlone says what the holder of a task has to itself, and till when, and what it waits for.
func hasAlone(t api.TaskInfo) string {
	out := ""
	if t.Hold != "" {
		out = fmt.Sprintf(" with %s alone till %s", brenner.OneLine(t.Hold), clockOf(t.HoldUntil))
	}
	if t.Wants != "" {
		out += " waits for " + brenner.OneLine(t.Wants)
	}
	if !t.OfferedUntil.IsZero() {
		out += ", kept for it till " + clockOf(t.OfferedUntil)
	}
	return out
}

// toldTasks are those of which a reader's context was given what they are.
type toldTasks map[string]bool

// tellOf notes that a reader is told what tasks are, and says which of them it was told
// before. Who reads through no context is told anew.
func tellOf(s api.Service, ctx context.Context, ids ...string) toldTasks {
	if len(ids) == 0 {
		return nil
	}
	list, err := s.Tasks(ctx, api.ListTasksRequest{Tell: ids})
	if err != nil {
		return nil
	}
	out := toldTasks{}
	for _, t := range list.Tasks {
		out[t.ID] = t.Told
	}
	return out
}

// tellUnderWay is tellOf for what underWay lists.
func tellUnderWay(s api.Service, ctx context.Context, all []api.TaskInfo) toldTasks {
	return tellOf(s, ctx, ids(firstOf(all, mostUnderWay))...)
}

// until says when something ends, with the day.
func until(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// statusRequest narrows what is said.
type statusRequest struct {
	Tasks int `json:"tasks,omitzero" doc:"at most; 20"`
}

// statusResult is where a project stands, for one who works on it.
type statusResult struct {
	Project  api.ProjectInfo   `json:"project"`
	Needs    []api.Need        `json:"needs"`
	Tasks    []taskLine        `json:"tasks"`
	Asked    []taskLine        `json:"asked"` // by requests of one's own
	Messages []api.MessageInfo `json:"messages"`
	// Concludes are the sessions whose answer is the reader's to say, and is not
	// said.
	Concludes []brenner.SessionID `json:"concludes,omitzero"`

	around string // what others are at, and the reader's part
	more   int    // tasks that are not listed
	unread bool   // nor are all messages
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
	out.Needs = slices.DeleteFunc(needs.Items, func(n api.Need) bool {
		return slices.Contains([]string{api.NeedMessage, api.NeedAnswer, api.NeedWork}, n.Kind) // they are told apart
	})
	unread, err := unreadOf(s, ctx, api.Page{Limit: pageOfMail})
	if err != nil {
		return statusResult{}, err
	}
	out.Messages, out.unread = unread.Messages, unread.Cursor != ""
	sessions, err := ownSessions(s, ctx)
	if err != nil {
		return statusResult{}, err
	}
	for _, in := range sessions.Sessions {
		if in.Concludes == info.Actor && in.Closed.IsZero() && in.Unconcluded() != "" {
			out.Concludes = append(out.Concludes, in.ID)
		}
	}
	list, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: in.Tasks}, Mine: true})
	for _, t := range list.Tasks {
		out.Tasks = append(out.Tasks, lineOf(t))
	}
	if err != nil {
		return out, err
	}
	if list.Cursor != "" {
		out.more = list.Total - len(list.Tasks)
	}
	open, err := s.Tasks(ctx, api.ListTasksRequest{Page: api.Page{Limit: brenner.MaxPage}, Newest: true})
	for _, t := range open.Tasks {
		if t.Creator == info.Actor && t.Holder != info.Actor && len(out.Asked) < in.Tasks {
			out.Asked = append(out.Asked, lineOf(t))
		}
	}
	return out, err
}

// wholeStatus is status with what stands in the sessions that the reader takes part in:
// what others are at, and its own part, whole whatever it was told.
func wholeStatus(s api.Service, ctx context.Context, in statusRequest) (statusResult, error) {
	out, err := status(s, ctx, in)
	if err != nil {
		return out, err
	}
	sessions, err := ownSessions(s, ctx)
	if err != nil {
		return out, err
	}
	for _, info := range sessions.Sessions {
		me := out.Project.Actor
		if !info.Closed.IsZero() || !takesPart(info, me) {
			continue
		}
		if slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == me && r.Waiting }) {
			out.around += waitsFor(info, me)
		}
		_, _, end, _, err := aroundOf(looking{s}, ctx, info, me)
		if err != nil {
			return out, err
		}
		if end.asks() || end.toRead() {
			out.around += end.words(false)
		}
		tasks, err := tasksOf(s, ctx, info.ID)
		if err != nil {
			return out, err
		}
		tasks = slices.DeleteFunc(tasks, func(t api.TaskInfo) bool { return t.Holder == me || t.Holder == "" })
		d, _, err := divisionOf(s, ctx, info, nil, me)
		if err != nil {
			return out, err
		}
		if d.part != "" {
			out.around += d.partWords()
		}
		tellUnderWay(s, ctx, tasks)
		out.around += underWay(tasks, me, nil)
	}
	if more := sessions.Total - len(sessions.Sessions); more > 0 {
		out.around += fmt.Sprintf("and %d more sessions that you were asked in\n", more)
	}
	return out, nil
}

func lineOf(t api.TaskInfo) taskLine {
	return taskLine{ID: t.ID, State: t.State, Title: t.Title, Modules: t.Modules, Role: t.Role, Holder: t.Holder, Overdue: t.Overdue}
}

// Words implements spoken.
func (r statusResult) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "you are %s, role %s, in %q (modules: %s)\n", r.Project.Actor, r.Project.Role, r.Project.Name, joined(r.Project.Modules))
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "unread: %s (%s): inbox {}\n", brenner.OneLine(m.Subject), m.Kind)
	}
	if r.unread {
		b.WriteString("unread: and more than these; inbox {} gives them one after the other\n")
	}
	list := r.list() + r.around
	if list == "" && len(r.Messages) == 0 {
		list = "nothing waits for you\n"
	}
	return b.String() + list
}

// list says what there is to do and to wait for, a line each.
func (r statusResult) list() string {
	var b strings.Builder
	for _, t := range r.Tasks {
		fmt.Fprintf(&b, "task %s · %s · %s", t.ID, t.State, brenner.OneLine(t.Title))
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
	if r.more > 0 {
		fmt.Fprintf(&b, "and %d more tasks: status %s\n", r.more, jsonOf(statusRequest{Tasks: min(brenner.MaxPage, r.more+len(r.Tasks))}))
	}
	for _, t := range r.Asked {
		seen := fmt.Sprintf("nobody of role %s has taken it yet", t.Role)
		if t.Role == brenner.PI {
			seen = "the PI has not come to it yet"
		}
		if t.Holder != "" {
			seen = fmt.Sprintf("%s works on it", t.Holder)
		}
		fmt.Fprintf(&b, "you asked for %s · %s: %s\n", t.ID, inLine(t.Title), seen)
	}
	for _, id := range r.Concludes {
		fmt.Fprintf(&b, "%s has no conclusion yet, and it is yours to say: once what was asked for is in, delta_submit an EDIT of RT with answer: the answer, the items it rests on, what is open\n", id)
	}
	for _, n := range r.Needs {
		fmt.Fprintf(&b, "%s: %s", n.Kind, brenner.OneLine(n.What))
		if c := n.Do.Tool(); c != "" {
			fmt.Fprintf(&b, ": %s", c)
		}
		if n.Kind == string(api.WaitRebase) {
			b.WriteString("; a new version that holds with them takes its place: patch_apply")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Slim implements spoken.
func (r statusResult) Slim() statusResult { return r }
