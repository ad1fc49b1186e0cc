package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/roster"
)

// Leader is the project as the person who asks leads it.
type Leader interface {
	StartSession(ctx context.Context, req api.StartSessionRequest) (api.SessionStart, error)
	CompileSession(ctx context.Context, req api.CompileSessionRequest) (api.CompileResult, error)
	NudgeSession(ctx context.Context, req api.NudgeSessionRequest) (api.DeliveryResult, error)
	Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error)
	Conflicts(ctx context.Context, req api.ListConflictsRequest) (api.ConflictList, error)
	Agents(ctx context.Context) (api.AgentList, error)
}

// Question is what is asked, of whom, and how far to go.
type Question struct {
	Start  api.StartSessionRequest
	Plan   Plan
	Rounds int
	// Began is told the session as soon as there is one.
	Began func(api.SessionStart)
}

// Answer is what came of a question.
type Answer struct {
	Session brenner.SessionID `json:"session"`
	Rounds  []Round           `json:"rounds"`
	// Ref and Document are the session artifact as it stands.
	Ref      brenner.Ref `json:"ref"`
	Document string      `json:"document"`
	// Open counts what lint still asks for, Conflicts the unsettled fields,
	// Critiques the live ones that nobody has said the status of.
	Open      int   `json:"open"`
	Conflicts int   `json:"conflicts"`
	Critiques int   `json:"open_critiques"`
	Spent     Spent `json:"spent"`
	// Waits says that a further round was asked for, and no run of it started.
	Waits bool `json:"waits,omitzero"`
	// Stopped says why it ended before the last round, if it did.
	Stopped string `json:"stopped,omitzero"`
}

// Round is one time that everybody was asked.
type Round struct {
	Done
	Changed bool `json:"changed"`
}

// Ask starts a session, has every agent answer, compiles what they said, and
// goes on for as many rounds as were asked for, as long as something is still
// asked for and something changes (W1, W14).
func (r *Runner) Ask(ctx context.Context, leader Leader, q Question) (Answer, error) {
	if err := r.ready(ctx, leader, &q); err != nil {
		return Answer{}, err
	}
	q.Start.Compile = api.CompileManual // each round compiles, when its runs are over
	start, err := leader.StartSession(ctx, q.Start)
	if err != nil {
		return Answer{}, err
	}
	if q.Began != nil {
		q.Began(start)
	}
	a := &asking{Runner: r, leader: leader, q: q, out: Answer{Session: start.Session.ID, Rounds: []Round{}}}
	a.q.Plan.Work, a.q.Plan.Once, a.q.Plan.purse = api.Work{Session: start.Session.ID}, true, &purse{Budget: q.Plan.Budget}
	err = a.rounds(ctx)
	a.out.Spent = a.q.Plan.purse.sum()
	return a.out, err
}

// ready settles who is asked, and refuses a question that one of them could not
// be started for before anything is written.
func (r *Runner) ready(ctx context.Context, leader Leader, q *Question) error {
	dry := q.Start
	dry.DryRun = true
	plan, err := leader.StartSession(ctx, dry)
	if nobodyNamed(err) {
		if q.Start.Roster, err = standing(ctx, leader); err != nil {
			return err
		}
		dry.Roster = q.Start.Roster
		plan, err = leader.StartSession(ctx, dry)
	}
	if err != nil {
		return err
	}
	for _, asked := range plan.Session.Recipients {
		entry, _ := plan.Session.Roster.Entry(asked.Name)
		found, err := r.program(q.Plan, api.WorkAgent{Name: asked.Name, Program: entry.Program, Model: entry.Model}, api.WorkSettings{})
		if err == nil {
			err = r.affords(ctx, found, q.Plan, len(plan.Session.Recipients))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// affords asks whether a run of a program could be the first of so many: by the
// budget of the question and by the project's for the day.
func (r *Runner) affords(ctx context.Context, found Resolved, plan Plan, of int) error {
	full := &purse{Budget: plan.Budget}
	if _, err := full.take(&found.Program, min(of, max(plan.Jobs, 1))); err != nil {
		return err
	}
	_, err := r.o.Project.OpenWork(ctx, api.OpenWorkRequest{
		OnlyPrograms: true, Program: found.Name, Bound: found.Program.Bounds.Cost, TellsCost: found.Program.Profile.Tells().Cost,
	})
	return err
}

// nobodyNamed reports that neither the request nor the configuration names an
// agent.
func nobodyNamed(err error) bool {
	var e *brenner.Error
	return errors.As(err, &e) && slices.ContainsFunc(e.Diagnostics, func(d brenner.Diagnostic) bool { return d.Code == brenner.CodeEmptyRoster })
}

// standing is a roster of the project's own agents in the roles of a session;
// of a project that has none yet, one for each role.
func standing(ctx context.Context, leader Leader) (roster.Roster, error) {
	list, err := leader.Agents(ctx)
	if err != nil {
		return roster.Roster{}, err
	}
	var out roster.Roster
	for _, a := range list.Agents {
		if a.Active && slices.Contains(roster.Roles(), a.Role) {
			out.Entries = append(out.Entries, roster.Entry{AgentName: a.Name, Role: a.Role})
		}
	}
	if len(out.Entries) == 0 {
		out.Entries = []roster.Entry{
			{AgentName: "Proposer", Role: roster.HypothesisGenerator},
			{AgentName: "Tester", Role: roster.TestDesigner},
			{AgentName: "Critic", Role: roster.AdversarialCritic},
		}
	}
	return out, nil
}

type asking struct {
	*Runner
	leader Leader
	q      Question
	out    Answer
}

func (a *asking) rounds(ctx context.Context) error {
	for n := 1; ; n++ {
		round, err := a.round(ctx)
		if err != nil {
			return err
		}
		if n > 1 && len(round.Runs) == 0 && round.Stopped != "" { // refused before it began
			a.out.Stopped, a.out.Waits = round.Stopped, true
			return nil
		}
		a.out.Rounds = append(a.out.Rounds, round)
		view, asks, err := a.look(ctx)
		switch {
		case err != nil:
			return err
		case n >= max(a.q.Rounds, 1):
			return nil
		case ctx.Err() != nil:
			a.out.Stopped = "it was interrupted"
			return nil //nolint:nilerr // the error was asked for above
		case round.Stopped != "":
			a.out.Stopped = round.Stopped
			return nil
		case !round.Changed:
			a.out.Stopped = "the last round changed nothing"
			return nil
		case asks.count() == 0:
			a.out.Stopped = "nothing is asked for any more"
			return nil
		}
		if err := a.next(ctx, view, asks); err != nil {
			return err
		}
	}
}

// round has everybody answer who was asked, and compiles. What was answered
// before an interruption is compiled as well.
func (a *asking) round(ctx context.Context) (Round, error) {
	done, err := a.Work(ctx, a.q.Plan)
	if err != nil {
		return Round{Done: done}, err
	}
	res, err := a.leader.CompileSession(context.WithoutCancel(ctx), api.CompileSessionRequest{ID: a.out.Session})
	return Round{Done: done, Changed: res.Changed}, err
}

// open is what a session artifact still asks for, by the role that can answer.
type open struct {
	byRole    map[brenner.Role][]string
	everybody []string
	// critiques are for everybody but those who made them.
	critiques []string
}

func (o open) count() int {
	n := len(o.everybody) + len(o.critiques)
	for _, list := range o.byRole {
		n += len(list)
	}
	return n
}

// look reads the artifact and what it still asks for.
func (a *asking) look(ctx context.Context) (api.SessionView, open, error) {
	ctx = context.WithoutCancel(ctx)
	asks := open{byRole: map[brenner.Role][]string{}}
	view, err := a.leader.Session(ctx, api.SessionRequest{ID: a.out.Session, Full: true})
	if err != nil {
		return view, asks, err
	}
	conflicts, err := a.leader.Conflicts(ctx, api.ListConflictsRequest{Session: a.out.Session})
	if err != nil {
		return view, asks, err
	}
	for _, d := range delta.LintJSON(view.Content) {
		if d.Severity == brenner.SeverityInfo {
			continue
		}
		line := fmt.Sprintf("%s %s: %s", d.Code, d.Subject, d.Message)
		if d.Role != "" {
			asks.byRole[d.Role] = append(asks.byRole[d.Role], line)
		} else {
			asks.everybody = append(asks.everybody, line)
		}
	}
	for _, c := range conflicts.Conflicts {
		asks.everybody = append(asks.everybody, fmt.Sprintf("CONFLICT %s.%s: say which value holds, and why", c.Item, c.Field))
	}
	a.out.Ref, a.out.Document, a.out.Conflicts, a.out.Open = view.Ref, view.Markdown, len(conflicts.Conflicts), asks.count()
	asks.critiques = openCritiques(view.Content)
	a.out.Critiques = len(asks.critiques)
	return view, asks, nil
}

// openCritiques lists the live critiques that nobody has said the status of.
func openCritiques(content []byte) []string {
	doc, err := delta.ReadArtifact(content)
	if err != nil {
		return nil // lint has said so
	}
	var out []string
	for _, it := range doc.Items(delta.AdversarialCritique) {
		if it.Killed() == nil && strings.TrimSpace(it.Text("current_status")) == "" {
			out = append(out, fmt.Sprintf("%s %s: %s", it.ID(), brenner.Clip(it.Text("name"), 80), brenner.Clip(strings.Join(strings.Fields(it.Text("attack")), " "), 400)))
		}
	}
	return out
}

// maxRoundDocument bounds the document in the kickoff of a next round, so that
// it fits the views of the roles.
const maxRoundDocument = 24 << 10

// next asks everybody again, each for what is its to answer.
func (a *asking) next(ctx context.Context, view api.SessionView, asks open) error {
	for _, r := range view.Recipients {
		_, err := a.leader.NudgeSession(ctx, api.NudgeSessionRequest{
			ID: a.out.Session, To: []brenner.ActorName{r.Name}, Note: roundNote(view, r.Role, asks),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// criticRole makes the critiques; what they hit is for the others to answer.
const criticRole = roster.AdversarialCritic

// roundNote is what one role is asked in the next round.
func roundNote(view api.SessionView, role brenner.Role, asks open) string {
	var b strings.Builder
	b.WriteString("This is the next round. The answers of all were compiled; the document below is where things stand.\n\n")
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		b.WriteString("## " + title + "\n\n")
		for _, line := range lines {
			b.WriteString("- " + line + "\n")
		}
		b.WriteString("\n")
	}
	list("What is yours to answer", asks.byRole[role])
	list("For everybody", asks.everybody)
	if role != criticRole {
		list("Critiques that nobody has answered: change what they hit, or edit their current_status to say why it stands", asks.critiques)
	}
	b.WriteString("## The document\n\n" + cutText(view.Markdown, maxRoundDocument) + "\n")
	return b.String()
}

// cutText keeps the beginning of a text, at a line.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most]
	if i := strings.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i]
	}
	return strings.ToValidUTF8(text, "") + "\n\n(The rest is left out; session_show gives any part of it.)"
}
