package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// sessionRequest asks for the document of a session, or a part of it.
type sessionRequest struct {
	Session  brenner.SessionID `json:"session" doc:"its ID"`
	Sections []delta.Section   `json:"sections,omitzero" doc:"default all"`
	Items    []delta.ItemID    `json:"items,omitzero" doc:"such as H2"`
	Since    brenner.Version   `json:"since,omitzero" doc:"only changes after this version"`
	Brief    bool              `json:"brief,omitzero" doc:"a line per item, what was killed and why"`
	Offset   int               `json:"offset,omitzero" doc:"next_offset of a page"`
	Again    bool              `json:"again,omitzero" doc:"even if unchanged"`

	news bool // what the reader was not given of what changed, whatever version it knows
	room int  // how many characters the answer may have; 0: as many as any
	own  bool // what the reader proposed itself as well, though only what changed is asked for
}

// sessionPage is a session as its contributors read it.
type sessionPage struct {
	ID        brenner.SessionID `json:"id"`
	Ref       brenner.Ref       `json:"ref"`
	Question  string            `json:"question"`
	Module    brenner.Module    `json:"module"`
	Conflicts int               `json:"conflicts"`
	Proposals []api.Proposal    `json:"proposals"`
	Text      string            `json:"text,omitzero"`
	Before    []delta.ItemID    `json:"given_before,omitzero"`
	Own       []delta.ItemID    `json:"-"` // the text names them
	InPart    []delta.ItemID    `json:"-"` // likewise
	Rest      []delta.ItemID    `json:"did_not_fit,omitzero"`
	// AsProposed were given when they were proposed; the text names them too.
	AsProposed []api.AsProposed `json:"-"`
	// NextOffset asks for the next page.
	NextOffset int            `json:"next_offset,omitzero"`
	Left       int            `json:"left,omitzero"`
	costs      int            // what did not fit
	Spent      bool           `json:"context_spent,omitzero"`
	Repeated   bool           `json:"unchanged,omitzero"`
	next       brenner.Action // makes another context
	anew       string         // that one was made for the rest

	Names   []delta.Named `json:"names,omitzero"`
	Working []api.Working `json:"working,omitzero"`

	why     []api.LastChange
	open    string // that there is no conclusion yet
	attacks []delta.Critique
	dead    []delta.Dead // that the answer names
	moved   string       // what others changed under the answer
	closed  string       // when and by whom it was closed
	wrong   string       // what to do if the answer is wrong
	tests   string       // how far they have come
	signed  string       // who stands behind the answer, where the document is asked for
	part    string       // what the reader's part is, or who divides the work
	reader  brenner.ActorName
	asked   sessionRequest
	work    []api.TaskInfo // of the session, open or taken
	told    toldTasks
	notes   []api.TaskInfo // on its items
	had     []api.TaskInfo // those of them that its reader was given, or wrote
	unshown bool           // the document was left out
	end     ending         // what is left, where that was not asked for
	warm    bool           // others may still say something to the last answer
	answer  string         // whole, where its reader was sent it in part
}

// aroundRunes is kept in an answer for what is said of a session besides its document, what
// is under way and notes.
const aroundRunes = 2500

// reasonRunes is kept besides for why items were changed last, where items are asked for.
const reasonRunes = 3500

// How much an answer lists beside the document, and how much of a title it shows.
const (
	mostListed   = 60
	mostUnderWay = 10
	titleRunes   = 80
	shortTitle   = 40
)

func showSession(s api.Service, ctx context.Context, in sessionRequest) (sessionPage, error) {
	if err := in.newest(s, ctx); err != nil {
		return sessionPage{}, err
	}
	req := api.SessionRequest{ID: in.Session, Sections: in.Sections, Items: in.Items, Since: in.Since, Brief: in.Brief, Again: in.Again, Offset: in.Offset, News: in.news, Unasked: in.news}
	if len(in.Sections)+len(in.Items) == 0 && in.Since == 0 && !in.Brief {
		req.Sections = delta.Sections() // those with nothing in them as well
	}
	// What is charged is sent: the session is read last, and all else is bounded.
	work, err := tasksOf(s, ctx, in.Session)
	if err != nil {
		return sessionPage{}, err
	}
	notes, err := notesOf(s, ctx, in.Session)
	if err != nil {
		return sessionPage{}, err
	}
	around := aroundRunes
	if len(in.Items) > 0 {
		around += reasonRunes
	}
	req.Size = max(leastPage, cmp.Or(in.room, brenner.MaxAnswerRunes)-around-utf8.RuneCountInString(underWay(work, "", nil)+noteLines(notes)))
	if room := cmp.Or(in.room, brenner.MaxAnswerRunes); in.news { // little that is left over is not worth a call
		req.Slack = min(req.Size/2, brenner.MaxAnswerRunes-room)
	}
	v, anew, err := readOn(s, ctx, req)
	if err != nil {
		return sessionPage{}, err
	}
	if in.Since > 0 || in.news {
		if notes, err = newNotes(s, ctx, notes, v.SessionInfo); err != nil {
			return sessionPage{}, err
		}
	}
	out := sessionPage{
		ID: v.ID, Ref: v.Ref, Question: brenner.Clip(v.Question, 1000), Module: v.Module, Conflicts: v.Conflicts, Proposals: v.Proposals,
		Text: v.Markdown, Before: v.Before, Own: v.Own, InPart: v.InPart, Rest: v.Rest, NextOffset: v.NextOffset, Left: v.Left, costs: v.RestCosts, Spent: v.Spent, Repeated: v.Repeated, asked: in, work: work,
		Names: v.Names, Working: workingIn(v), AsProposed: v.AsProposed, why: v.Why, next: v.GoOn, anew: anew, notes: notes, attacks: v.Critiques, dead: v.AnswerKilled, moved: v.MovedWords(),
	}
	if said := v.ClosedWords(); said != "" {
		out.closed = " · " + inLine(said)
	}
	if out.Proposals == nil {
		out.Proposals = []api.Proposal{}
	}
	if !fits(out.Text, brenner.PassagePageTokens+500) { // a person is given all at once
		out.Text, _, err = page(out.Text, 0)
		out.Text += "\nit goes on: ask for sections, or for items\n"
	}
	if err != nil {
		return out, err
	}
	out.Text = besideItems(out.Text, work, time.Now())
	me, err := s.Project(ctx)
	if err != nil {
		return out, err
	}
	out.reader = me.Actor
	tests := withAnnounced(v.Tests, work)
	if in.news {
		tests = asRun(tests)
	}
	out.tests, out.open = standing(s, ctx, in.Session, tests, v.Unconcluded(), in.Again)
	if !in.news {
		out.signed = signedWords(v)
		if delta.BeginsWithThread(out.Text) && !slices.Contains(v.InPart, thread) {
			given := answerGiven(s, ctx, v.ID)
			given.given(s, ctx, v.ID, false)
		}
	} else { // it knows what it is at, or has just ended it
		out.end, out.warm = leftIn(s, ctx, v, tests, work, me.Actor), isWarm(v.SessionInfo, me.Actor)
		out.end.tellStop(s, ctx)
		out.answer = answerOnce(s, ctx, out, cmp.Or(in.room, brenner.MaxAnswerRunes)-utf8.RuneCountInString(out.said())-aroundRunes)
		if out.answer != "" && delta.BeginsWithThread(out.Text) { // it is read whole
			out.Text = withoutThread(out.Text)
			out.InPart = slices.DeleteFunc(slices.Clone(out.InPart), func(id delta.ItemID) bool { return id == thread })
		}
		out.work = slices.DeleteFunc(out.work, func(t api.TaskInfo) bool { return t.Holder == me.Actor })
	}
	out.sortNotes(s, ctx)
	if delta.BeginsWithThread(out.Text) {
		out.wrong = wrongAnswer(s, ctx, v.SessionInfo, me.Actor)
	}
	told := tellUnderWay(s, ctx, out.work)
	if !in.Again {
		out.told = told
	}
	out.part, err = divided(s, ctx, v.SessionInfo, v.Working, me.Actor, out.told, in.Again)
	return out, err
}

// readOn reads a session, and what the reader's context has no room for in one that goes on
// from it, which it says was made (ADR 221).
func readOn(s api.Service, ctx context.Context, req api.SessionRequest) (v api.SessionView, anew string, err error) {
	if v, err = s.Session(ctx, req); err != nil || !v.Spent || len(v.Rest) == 0 {
		return v, "", err
	}
	if anew = renew(s, ctx, v.GoOn); anew == "" {
		return v, "", nil
	}
	req.Again = req.Again && v.Markdown == "" // what was sent is not sent once more
	rest, err := s.Session(ctx, req)
	if err != nil {
		return v, anew, nil //nolint:nilerr // what was read is read: the rest is named
	}
	rest.Markdown, rest.Proposals, rest.InPart = v.Markdown+rest.Markdown, slices.Concat(v.Proposals, rest.Proposals), slices.Concat(v.InPart, rest.InPart)
	rest.Before, rest.Own, rest.AsProposed, rest.Repeated = v.Before, v.Own, v.AsProposed, false
	return rest, anew, nil
}

// wholeAnswer is the answer of a session as it stands, without what it asks; "" where it has
// no room.
func wholeAnswer(s api.Service, ctx context.Context, id brenner.SessionID, room int) string {
	v, anew, err := readOn(s, ctx, api.SessionRequest{ID: id, Items: []delta.ItemID{thread}, Again: true, Unasked: true, Size: max(room, leastPage)})
	answer := withoutQuestion(v.Markdown)
	if err != nil || len(v.Rest) > 0 || utf8.RuneCountInString(answer) > room {
		return ""
	}
	given := answerGiven(s, ctx, id)
	given.given(s, ctx, id, false)
	return anew + answer
}

// wrongAnswer says, once in a context, what somebody does who finds the answer wrong and
// may not change it (ADR 169).
func wrongAnswer(s api.Service, ctx context.Context, info api.SessionInfo, me brenner.ActorName) string {
	if !info.Concluded || info.Concludes == me || !takesPart(info, me) || !info.Closed.IsZero() {
		return ""
	}
	said := fmt.Sprintf("the answer is wrong? A critique whose targets name RT stands beside it, so does a note: request %s; its author is told\n",
		jsonOf(map[string]any{"session": info.ID, "items": []delta.ItemID{thread}, "note": true}))
	if v, err := s.Session(ctx, api.SessionRequest{ID: info.ID, Tell: []string{said}}); err != nil || len(v.Told) > 0 {
		return ""
	}
	return said
}

// newest takes a session that is named with a version, as its document is elsewhere: the
// newest is what is shown here, and any other is an artifact to read.
func (in *sessionRequest) newest(s api.Service, ctx context.Context) error {
	ref, err := brenner.ParseRef(string(in.Session))
	if err != nil || ref.Version == 0 {
		return nil //nolint:nilerr // no version is named
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: brenner.SessionID(ref.Artifact), Unseen: true})
	if err != nil {
		return err
	}
	in.Session = v.ID
	if v.Ref == ref {
		return nil
	}
	refused := brenner.Errorf(brenner.CodeInvalidValue, "%s is at version %d, which is what is shown here", v.ID, v.Ref.Version).At("/session")
	if ref.Version > v.Ref.Version {
		return refused.Try(brenner.Do("session.show", "id", string(v.ID)))
	}
	return refused.WithHint("read an earlier version as an artifact; what changed after it: since").
		Try(brenner.Do("artifact.show", "ref", ref.String()), brenner.Do("session.show", "id", string(v.ID), "since", fmt.Sprint(ref.Version)))
}

// said is the document, and what is proposed.
func (p sessionPage) said() string {
	var b strings.Builder
	text := p.Text
	if delta.BeginsWithThread(text) {
		text = delta.BelowThread(text, api.AnswerWords(p.attacks, p.dead, p.moved)+p.wrong)
	}
	b.WriteString(text + inPart(p.ID, p.InPart))
	var own []string
	for _, d := range p.Proposals {
		if d.Own && len(p.asked.Items) == 0 {
			// It knows what it has said; who asks for the document is told what waits of that.
			if p.asked.own || p.asked.Since == 0 && !p.asked.news {
				own = append(own, ownWords(d))
			}
			continue
		}
		b.WriteString(d.Words() + d.AlikeWords())
	}
	if len(own) > 0 {
		fmt.Fprintf(&b, "proposed by you, not compiled yet: %s\n", strings.Join(own, ", "))
	}
	return b.String()
}

// ofOthers counts what others propose.
func (p sessionPage) ofOthers() int {
	n := 0
	for _, d := range p.Proposals {
		if !d.Own {
			n++
		}
	}
	return n
}

// inPart says of which items only what changed was shown, and how they are read whole.
func inPart(id brenner.SessionID, items []delta.ItemID) string {
	if len(items) == 0 {
		return ""
	}
	return fmt.Sprintf("long texts only where they changed, [-was-]{+is+}; whole: session_show %s\n", jsonOf(sessionRequest{Session: id, Items: most(items), Again: true}))
}

// ownWords names what the reader proposed itself, which it knows.
func ownWords(d api.Proposal) string {
	name := cmp.Or(d.Provisional, string(d.Target))
	switch {
	case d.Item == "":
		return fmt.Sprintf("%s %s (waits for the item it names)", d.Operation, cmp.Or(name, string(d.Section)))
	case d.Operation == delta.Add && name != "":
		return fmt.Sprintf("%s %s (will be %s)", d.Operation, name, d.Item)
	case d.Operation == delta.Add:
		return fmt.Sprintf("%s %s (will be %s)", d.Operation, d.Section, d.Item)
	}
	return fmt.Sprintf("%s %s", d.Operation, name)
}

// Words implements spoken.
func (p sessionPage) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · module %s%s\n\n%s", p.Ref, p.Module, p.closed, p.said())
	switch {
	case p.Repeated:
		b.WriteString("unchanged: you were given it in this context, and nothing of others has come since\n" + p.allTheSame())
	case len(p.Before) > 0 && p.asked.news: // nobody asked for these
	case len(p.Before) > 0:
		fmt.Fprintf(&b, "unchanged, given to you before in this context: %s\n", listed(p.Before))
	case p.Text == "" && p.ofOthers()+len(p.Rest)+len(p.AsProposed) == 0 && p.asked.Since > 0:
		changed := "nothing has changed"
		if len(p.Own)+len(p.Proposals) > 0 {
			changed = "nothing of others has changed"
		}
		fmt.Fprintf(&b, "%s since version %d\n", changed, p.asked.Since)
	}
	for _, c := range p.why {
		b.WriteString(c.Words())
	}
	b.WriteString(asProposed(p.AsProposed))
	if len(p.Own) > 0 {
		fmt.Fprintf(&b, "yours, as you wrote them: %s\n", listed(p.Own))
	}
	if !p.Repeated && len(p.asked.Items) > 0 && len(p.Before)+len(p.AsProposed) > 0 { // who names items may want their text
		b.WriteString(p.allTheSame())
	}
	b.WriteString(p.anew)
	if len(p.Rest) > 0 || p.NextOffset > 0 {
		b.WriteString(p.goOn())
	}
	b.WriteString(p.around())
	return b.String()
}

// allTheSame is the call that sends again what its reader was given.
func (p sessionPage) allTheSame() string {
	again := p.asked
	again.Again = true
	return "send it all the same: session_show " + jsonOf(again) + "\n"
}

// asProposed names what was compiled as its reader was given it, an agent a line.
func asProposed(all []api.AsProposed) string {
	items := map[brenner.ActorName][]string{} // with how they begin: their ids may be others than were foreseen
	var agents []brenner.ActorName
	for _, a := range all {
		if items[a.Agent] == nil {
			agents = append(agents, a.Agent)
		}
		items[a.Agent] = append(items[a.Agent], brenner.ClipWords(brenner.OneLine(a.Title), shortTitle))
	}
	var b strings.Builder
	for _, agent := range agents {
		fmt.Fprintf(&b, "compiled as %s proposed them to you: %s\n", agent, strings.Join(most(items[agent]), "; ")+moreOf(len(items[agent])))
	}
	return b.String()
}

// beside is what a session has besides its document: what is proposed, who is at
// work.
func (p sessionPage) beside() string {
	var b strings.Builder
	if said := p.said(); said != "" {
		fmt.Fprintf(&b, "Besides, in %s:\n\n%s", p.Ref, said)
	}
	if p.unshown {
		fmt.Fprintf(&b, "the document is too long to stand here: session_show %s; with since, if you know a version of it, what changed\n", jsonOf(sessionRequest{Session: p.ID}))
	}
	b.WriteString(p.anew)
	if len(p.Rest) > 0 || p.NextOffset > 0 {
		b.WriteString(p.goOn())
	}
	return b.String() + p.around()
}

// around says who is at work and what is under way.
func (p sessionPage) around() string {
	var b strings.Builder
	if len(p.Names) > 0 {
		fmt.Fprintf(&b, "names: %s\n", api.NameWords(most(p.Names))+moreOf(len(p.Names)))
	}
	but := brenner.ActorName("") // who asks for the document is told how it stands itself
	if p.asked.news {
		but = p.reader
	}
	if said := atWork(p.Working, but); !p.end.over() && !p.end.told[said] {
		b.WriteString(said)
	}
	b.WriteString(p.part + underWay(p.work, p.reader, p.told))
	b.WriteString(noteLines(p.notes) + noteNames(p.had))
	if said := p.critiques(); said != "" {
		fmt.Fprintf(&b, "critiques: %s\n%s", said, p.takeBack())
	}
	b.WriteString(p.signed + p.tests)
	if p.end.session == "" || p.end.waits || p.end.owes { // else it is what is left for others
		b.WriteString(p.open)
	}
	if p.Conflicts > 0 {
		fmt.Fprintf(&b, "fields in conflict, which wait for the PI: %d\n", p.Conflicts)
	}
	b.WriteString(p.answer + p.end.words(p.warm))
	return b.String()
}

// standing says how far the tests of a session have come, and that it has no conclusion,
// each on a line: what the reader's context was not told yet. What it was told and what has
// not changed since is said again only where it asks for that.
func standing(s api.Service, ctx context.Context, session brenner.SessionID, tests []delta.Test, open string, again bool) (testLine, openLine string) {
	tests = slices.DeleteFunc(slices.Clone(tests), func(t delta.Test) bool { return t.State == delta.TestDropped })
	more := moreOf(len(tests))
	tests = most(tests)
	tell := make([]string, len(tests), len(tests)+1)
	for i, t := range tests {
		tell[i] = api.TestWords([]delta.Test{t})
	}
	if open != "" {
		tell = append(tell, open)
	}
	if len(tell) == 0 {
		return "", ""
	}
	told := tellOnce(s, ctx, session, tell)
	if again {
		told = nil // all of it is said
	}
	var said []delta.Test
	for i, t := range tests {
		if !told[tell[i]] {
			said = append(said, t)
		}
	}
	if len(said) > 0 {
		testLine = "tests: "
		if len(said) < len(tests) {
			testLine = "tests, what is new of them: "
		}
		testLine += api.TestWords(said) + more + "\n"
	}
	if open != "" && !told[open] {
		openLine = open + "\n"
	}
	return testLine, openLine
}

// asRun are tests as news have them: of those that were run without what came to that which
// they rest on. Who asks for the document is told; news would say all tests of a log again with
// each version of it.
func asRun(tests []delta.Test) []delta.Test {
	out := slices.Clone(tests)
	for i := range out {
		t := &out[i]
		if t.State != delta.TestRun {
			continue
		}
		t.Reworded, t.Done = nil, slices.Clone(t.Done)
		for k := range t.Done {
			t.Done[k].Newer = 0
		}
	}
	return out
}

// critiques says how far they have come, where that is asked for: news say what is left.
func (p sessionPage) critiques() string {
	if p.end.session != "" {
		return ""
	}
	if delta.BeginsWithThread(p.Text) { // those stand beside it
		p.attacks = slices.DeleteFunc(slices.Clone(p.attacks), delta.Critique.BesideAnswer)
	}
	return api.CritiqueWords(most(p.attacks)) + moreOf(len(p.attacks))
}

// takeBack tells a critic who asks for the document how it withdraws a critique of its own.
func (p sessionPage) takeBack() string {
	own := func(c delta.Critique) bool { return c.Critic == p.reader && c.State == delta.CritiqueOpen }
	i := slices.IndexFunc(p.attacks, own)
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s is yours. %s\n", p.attacks[i].Item, api.TakeBack)
}

func noteLines(notes []api.TaskInfo) string {
	var b strings.Builder
	for _, n := range firstOf(notes, mostNotes) {
		fmt.Fprintf(&b, "note on %s by %s at %s (data): %s\n", notedOn(n), n.Creator, brenner.Clock(n.Created, time.Now()), brenner.OneLine(n.Title))
	}
	return b.String() + andMore(len(notes), mostNotes, "notes, which are older")
}

// sortNotes parts the notes that stand beside a document by whether the reader's context was
// given them: a note comes whole once, then it is named where the document is asked for, and
// whole again to who asks for that.
func (p *sessionPage) sortNotes(s api.Service, ctx context.Context) {
	shown := firstOf(p.notes, mostNotes)
	told := tellOf(s, ctx, ids(shown)...)
	again := func(n api.TaskInfo) bool {
		return p.asked.Again && (len(p.asked.Items) == 0 || slices.ContainsFunc(n.Items, func(id delta.ItemID) bool { return slices.Contains(p.asked.Items, id) }))
	}
	p.notes = slices.Clone(p.notes)
	for _, n := range shown {
		if (told[n.ID] || n.Creator == p.reader) && !again(n) {
			p.had = append(p.had, n)
		}
	}
	p.notes = slices.DeleteFunc(p.notes, func(n api.TaskInfo) bool {
		return slices.ContainsFunc(p.had, func(h api.TaskInfo) bool { return h.ID == n.ID })
	})
	if p.asked.news || p.asked.Since > 0 {
		p.had = nil
	}
}

// noteNames names notes that the reader has.
func noteNames(notes []api.TaskInfo) string {
	if len(notes) == 0 {
		return ""
	}
	names := make([]string, len(notes))
	for i, n := range notes {
		names[i] = fmt.Sprintf("on %s by %s at %s", notedOn(n), n.Creator, brenner.Clock(n.Created, time.Now()))
	}
	return "notes that you have: " + strings.Join(names, "; ") + "\n"
}

// notedOn names what a note is about.
func notedOn(n api.TaskInfo) string {
	about := slices.Concat(words(n.Items), n.On)
	for _, p := range n.Inputs {
		about = append(about, p.Ref.String())
	}
	if n.To != "" {
		about = append(about, "the session, for "+string(n.To))
	}
	return strings.Join(about, ", ")
}

// workingIn are those at work in a session: of who signed the answer, or wrote it and said that
// it holds, it is not said that it had nothing to add.
func workingIn(v api.SessionView) []api.Working {
	out := slices.Clone(v.Working)
	for i := range out {
		out[i].Nothing = out[i].Nothing && out[i].Agent != v.AnswerBy && !slices.Contains(v.AnswerSigned, out[i].Agent) && !slices.Contains(v.AnswerSignedBefore, out[i].Agent)
	}
	return out
}

// atWork says who is at work but for one. That all have answered takes a line.
func atWork(all []api.Working, but brenner.ActorName) string {
	if len(all) == 0 {
		return ""
	}
	if !slices.ContainsFunc(all, func(w api.Working) bool { return w.State != api.WorkAnswered || w.Proposed > 0 }) {
		out := "now: all have answered"
		for _, w := range most(all) {
			if w.Nothing {
				out += fmt.Sprintf("; %s had nothing to add", w.Agent)
			}
		}
		return out + "\n"
	}
	var b strings.Builder
	for _, w := range most(all) {
		if w.Agent != but {
			fmt.Fprintf(&b, "now: %s\n", w.Words())
		}
	}
	return b.String() + andMore(len(all), mostListed, "who were asked")
}

// inLine is what somebody wrote, short and on one line.
func inLine(text string) string {
	return brenner.ClipWords(brenner.OneLine(text), titleRunes)
}

// most is the beginning of a list.
func most[T any](all []T) []T { return firstOf(all, mostListed) }

// firstOf is the beginning of a list; a single one more is not left off.
func firstOf[T any](all []T, most int) []T {
	if len(all) == most+1 {
		return all
	}
	return all[:min(len(all), most)]
}

// andMore says how many a list leaves off, if it does.
func andMore(all, most int, what string) string {
	if all <= most+1 {
		return ""
	}
	return fmt.Sprintf("and %d more %s\n", all-most, what)
}

// moreOf says how many names a line leaves off, if it does.
func moreOf(all int) string {
	if all <= mostListed+1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", all-mostListed)
}

// listed joins names, not too many.
func listed[T ~string](all []T) string {
	return joined(most(all)) + moreOf(len(all))
}

// goOn says how the rest is had: by the next page, or where the context is full
// through a new one.
func (p sessionPage) goOn() string {
	asked := p.asked
	asked.Offset = p.NextOffset
	next := "session_show " + jsonOf(asked)
	out := fmt.Sprintf("more than this answer holds: %s\n", listed(p.Rest))
	if p.Spent {
		out = fmt.Sprintf("did not fit: %s (%d, and your context has %d left)", listed(p.Rest), p.costs, p.Left)
		if asked.news {
			return out + fmt.Sprintf("; a new one brings them: %s\n", p.next.Tool())
		}
		return out + fmt.Sprintf("\n[goes on in a new context, which shows them if they fit: %s; else %s]\n", p.next.Tool(), next)
	}
	if asked.news { // what was not shown stays new
		return fmt.Sprintf("more than this answer holds: %s; inbox {} brings it\n", listed(p.Rest))
	}
	return out + fmt.Sprintf("[goes on: %s]\n", next)
}

// Slim implements spoken. The text says what is proposed.
func (p sessionPage) Slim() sessionPage {
	p.Text = ""
	p.Proposals = slices.Clone(p.Proposals)
	for i := range p.Proposals {
		p.Proposals[i].Payload, p.Proposals[i].Rationale, p.Proposals[i].Text = nil, "", ""
	}
	p.Before, p.Rest, p.Names, p.Working = most(p.Before), most(p.Rest), most(p.Names), most(p.Working)
	return p
}

// deltaRequest is a reply to a session.
type deltaRequest struct {
	keyed
	Session brenner.SessionID `json:"session,omitzero" doc:"if you are asked in several"`
	Text    loose             `json:"text" doc:"Markdown with delta blocks, or a list of deltas"`
	Nothing bool              `json:"nothing,omitzero" doc:"nothing to add; text says why, without deltas"`
	Task    string            `json:"task,omitzero" doc:"one of yours that this closes"`
	Doing   string            `json:"doing,omitzero" doc:"as in inbox"`
	Wait    int               `json:"wait,omitzero" doc:"as in inbox"`
	DryRun  bool              `json:"dry_run,omitzero" doc:"keep nothing"`

	named []brenner.Diagnostic // of what was written with it
}

// submission says what will happen to each delta of a reply.
type submission struct {
	api.Submission
	answer string // as it stands, for who would sign another
	stands string // what the items say that it did not change as it meant to
	alike  string // what the items say that say nearly what it adds
	moved  string // what has changed of what it names
	at     string // who else is at what it changes
	closed string // what became of the task that it does
	doing  string // what becomes of its word of what it does next
	waited bool   // for what others say to it, which is among the news
	news   string
	told   map[string]bool // sentences of standing that its author was told before
}

// What is told by how an answer goes on, whatever it is.
const (
	toHear = "how to hear what others say to it"
	toWait = "what holds until it is compiled, and how to wait for that"
)

// standing are the sentences that stay as they are from one reply to the next: each is told
// once, and again when it changes (ADR 180).
func (r submission) standing() []string {
	var out []string
	if r.Hypotheses > 0 {
		out = append(out, r.alive())
	}
	for _, d := range r.Deltas {
		for _, w := range d.Warnings {
			if w.Code == brenner.CodeForetoldLater && !slices.Contains(out, w.Hint) {
				out = append(out, w.Hint)
			}
		}
	}
	switch {
	case r.Compiled != brenner.Ref{}:
		out = append(out, toHear)
	case len(r.Waiting) > 0:
		out = append(out, toWait)
	}
	return out
}

func (r submission) alive() string {
	return fmt.Sprintf("hypotheses alive: %d of at most %d\n", r.Hypotheses, delta.MostHypotheses())
}

func submitDeltas(s api.Service, ctx context.Context, in deltaRequest) (submission, error) {
	if err := checkWait(in.Wait); err != nil {
		return submission{}, err
	}
	res, err := s.SubmitDeltas(ctx, api.SubmitDeltasRequest{Write: in.write(), Session: in.Session, Text: string(in.Text), Nothing: in.Nothing, Doing: in.Doing, DryRun: in.DryRun})
	if err != nil {
		return submission{}, err
	}
	if res.Bounce != "" && !in.DryRun { // which says what this answer does
		_, _ = s.ReadMessage(ctx, api.MessageRequest{ID: res.Bounce})
	}
	out := submission{Submission: res, stands: othersSay(s, ctx, res.Session, overtaken(res)), alike: othersSay(s, ctx, res.Session, twins(res.Deltas))}
	if res.AnswerUnseen && !in.DryRun {
		out.answer = wholeAnswer(s, ctx, res.Session, brenner.MaxAnswerRunes)
	}
	found := warned(res.Deltas)
	out.moved = movedItems(s, ctx, res.Session, res.Known, found)
	out.at = atTargets(s, ctx, res, in.Task)
	if in.DryRun || res.Unusable {
		out.moved += movedTexts(s, ctx, slices.Concat(in.named, found)).words
		return out, nil
	}
	if in.Task != "" {
		done := api.CompleteTaskRequest{Write: in.also(in.Task), ID: in.Task}
		if res.Compiled != (brenner.Ref{}) {
			done.Outputs = []brenner.Ref{res.Compiled}
		}
		out.closed = finish(s, ctx, done)
	}
	switch {
	case res.Doing == nil || res.Doing.Title == "":
	case in.Doing == "": // what is no item outlives a reply
		out.doing = holdWords(*res.Doing, "")
	default:
		out.doing = doingWords(s, ctx, *res.Doing, res.Agent) + holdWords(*res.Doing, "")
	}
	if res.Duplicate {
		return out, nil // what was said before writes nothing: no news are read
	}
	out.told = tellOnce(s, ctx, res.Session, out.standing())
	named := slices.Concat(in.named, found)
	if res.Doing != nil && len(res.Doing.Alike) > 0 {
		in.Wait = 0 // it decides first what it does
	}
	if out.news, out.waited = afterAWait(s, ctx, in.Wait); out.waited {
		out.moved += movedTexts(s, ctx, named).words
		return out, nil
	}
	news, moved := meanwhileBut(s, ctx, res.Session, named)
	out.news = news
	out.moved += moved
	if out.news == nothingNew && out.stands+out.alike+out.moved != "" {
		out.news = "" // what is new stands above
	}
	return out, nil
}

// afterAWait is what comes within so many seconds of what was written: what others say to it
// is waited for in the same call.
func afterAWait(s api.Service, ctx context.Context, seconds int) (news string, waited bool) {
	if seconds == 0 {
		return "", false
	}
	look, err := whatIsNew(s, ctx, inboxRequest{Wait: seconds})
	return "meanwhile:\n" + look.Words(), err == nil
}

// othersSay shows items as they stand. It is a read like any other: charged, and
// not sent if it was (C34).
func othersSay(s api.Service, ctx context.Context, id brenner.SessionID, items []delta.ItemID) string {
	if len(items) == 0 {
		return ""
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: id, Items: items, Unasked: true})
	if err != nil {
		return ""
	}
	others := slices.DeleteFunc(v.Proposals, func(p api.Proposal) bool { return p.Own })
	for i := range others {
		others[i].Alike = nil // what is like it is said of the deltas
	}
	return sessionPage{Text: v.Markdown, Proposals: others}.said()
}

// atTargets says who else is at items that a reply changes or kills.
func atTargets(s api.Service, ctx context.Context, res api.Submission, task string) string {
	var items []delta.ItemID
	for _, d := range res.Deltas {
		if id := cmp.Or(d.Item, delta.ItemID(d.Target)); d.Operation != delta.Add && id != "" && !slices.Contains(items, id) {
			items = append(items, id)
		}
	}
	if len(items) == 0 {
		return ""
	}
	all, err := tasksOf(s, ctx, res.Session)
	if err != nil {
		return "" // the reply is taken, whatever comes of this
	}
	var b strings.Builder
	said := 0
	for _, t := range all {
		if t.ID == task || t.Holder == res.Agent || t.Creator == res.Agent || said == mostAtItem {
			continue
		}
		t.Spec = "" // it may name what it only rests on
		for _, id := range itemsOf(t) {
			if slices.Contains(items, id) {
				said++
				fmt.Fprintf(&b, "%s: %s\n", id, atThis(t, time.Now()))
				break
			}
		}
	}
	return b.String()
}

// overtaken are the items whose text is not what a delta meant to make of it:
// somebody was there before, or came after.
func overtaken(res api.Submission) []delta.ItemID {
	var out []delta.ItemID
	for _, d := range res.Deltas {
		became := cmp.Or(string(d.Will), d.State)
		item := cmp.Or(d.Item, delta.ItemID(d.Target))
		if d.Operation == delta.Add || item == "" || slices.Contains(out, item) {
			continue
		}
		switch became {
		case string(delta.Superseded), string(delta.Conflicted), string(delta.Skipped):
			out = append(out, item)
		case string(delta.Rejected):
			if d.Code == brenner.CodeTargetKilled { // else the document is not what it was refused for
				out = append(out, item)
			}
		}
	}
	return out
}

// Words implements spoken.
func (r submission) Words() string {
	var b strings.Builder
	if r.Duplicate {
		b.WriteString("this reply was handed in before; nothing changed\n")
	}
	again := "the same call"
	if len(r.Deltas) > 0 { // which are taken once
		again = "\"RT holds\" alone"
	}
	switch {
	case r.Signed:
		fmt.Fprintf(&b, "%s: you stand behind the answer (RT) as it stands; that is your answer\n", r.Session)
	case r.SignatureBack:
		fmt.Fprintf(&b, "%s: you stand behind the answer (RT) no longer; say in a critique, or a note on RT, what does not hold\n", r.Session)
	case r.answer != "":
		fmt.Fprintf(&b, "%s: not signed: the answer (RT) was changed since you were shown it; as it stands (data):\n%sif you stand behind that, %s signs it\n", r.Session, r.answer, again)
	case r.AnswerUnseen:
		fmt.Fprintf(&b, "%s: not signed: the answer (RT) was changed since you were shown it; read it below, or with session_show %s, which %s signs if you stand behind it\n", r.Session,
			jsonOf(sessionRequest{Session: r.Session, Items: []delta.ItemID{thread}, Again: true}), again)
	case r.Nothing:
		fmt.Fprintf(&b, "%s: you have nothing to add; that is your answer\n", r.Session)
	default:
		fmt.Fprintf(&b, "%s: %s read\n", r.Session, deltasOf(len(r.Deltas)))
	}
	if r.SignedNot {
		b.WriteString("not signed: not all that you change is taken; \"RT holds\" alone signs the answer as it stands\n")
	}
	b.WriteString(deltaLines(r.Deltas, r.Agent, r.told))
	if r.Hypotheses > 0 && !r.told[r.alive()] {
		b.WriteString(r.alive())
	}
	for _, m := range r.Misses {
		fmt.Fprintf(&b, "not taken, line %d: %s: %s", m.Line, m.Code, m.Message)
		if m.Pointer != "" {
			fmt.Fprintf(&b, " (at %s)", m.Pointer)
		}
		fmt.Fprintf(&b, "; %s\n", m.Hint)
		if m.Corrected != "" {
			fmt.Fprintf(&b, "corrected:\n%s\n", m.Corrected)
		}
	}
	for _, m := range r.Ignored {
		fmt.Fprintf(&b, "ignored, line %d: %s\n", m.Line, m.Message)
	}
	for _, m := range r.Accepted {
		fmt.Fprintf(&b, "taken as mended, line %d: %s\n", m.Line, m.Hint)
	}
	if r.stands != "" {
		fmt.Fprintf(&b, "the document moved since you read it; it now says:\n%s", r.stands)
	}
	if r.alike != "" {
		fmt.Fprintf(&b, "what says nearly the same as yours, and you had not seen (data):\n%s", r.alike)
	}
	b.WriteString(r.moved + r.at)
	if r.Unusable {
		b.WriteString("this is no answer yet: no delta of it can be used; mend it and submit the whole reply again\n")
	}
	switch {
	case r.DryRun:
		b.WriteString("a dry run: nothing was kept\n")
		return b.String()
	case r.Compiled != brenner.Ref{}:
		fmt.Fprintf(&b, "compiled: %s", r.Compiled)
		if !r.told[toHear] && !r.waited {
			b.WriteString("; what others say to it: inbox {\"wait\":60}, or \"wait\":60 with the next")
		}
		b.WriteByte('\n')
	case len(r.Waiting) > 0:
		fmt.Fprintf(&b, "not compiled yet: %s still to answer%s", joined(r.Waiting), r.ByItself)
		if !r.told[toWait] {
			b.WriteString("; ids may still change, a provisional_id holds")
			if !r.waited {
				b.WriteString("; inbox {\"wait\":60} gives you what they propose, or what was compiled; so does \"wait\":60 with the next reply")
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(r.closed + r.doing + r.news)
	return b.String()
}

func deltasOf(n int) string {
	if n == 1 {
		return "1 delta"
	}
	return fmt.Sprintf("%d deltas", n)
}

// deltaLines say what will happen, or has happened, to deltas: on one line of those of which
// no more is to be said than that they are taken, on lines of their own of the others.
func deltaLines(all []api.SubmittedDelta, author brenner.ActorName, told map[string]bool) string {
	var b strings.Builder
	all, said := slices.Clone(all), maps.Clone(told)
	if said == nil {
		said = map[string]bool{}
	}
	for i := range all { // what is to be done about a warning is said once
		all[i].Warnings = slices.Clone(all[i].Warnings)
		for j := range all[i].Warnings {
			w := &all[i].Warnings[j]
			if said[w.Hint] {
				w.Hint = ""
			} else {
				said[w.Hint] = true
			}
		}
	}
	taken := map[string][]string{} // by what becomes of them and what they do
	var kinds []string
	for _, d := range all {
		kind, name, plain := plainly(d)
		if !plain {
			b.WriteString(deltaLine(d, author))
			continue
		}
		if taken[kind] == nil {
			kinds = append(kinds, kind)
		}
		taken[kind] = append(taken[kind], name)
	}
	for _, kind := range kinds {
		fmt.Fprintf(&b, "%s %s\n", kind, strings.Join(taken[kind], ", "))
	}
	return b.String()
}

// plainly names what a delta does and to what, if there is no more to say of it.
func plainly(d api.SubmittedDelta) (kind, name string, plain bool) {
	applied, name := d.State == string(delta.Applied), cmp.Or(d.Provisional, string(d.Target))
	if !applied && d.Will != delta.Applied || string(d.Code)+d.Message+d.Corrected != "" || len(d.Replaces)+len(d.Says)+len(d.Warnings) > 0 {
		return "", "", false
	}
	kind, is := "accepted:", " will be "
	if applied {
		kind, is = "applied:", " is "
	}
	switch {
	case d.Operation == delta.Add && name == "":
		name = string(d.Item)
	case d.Operation == delta.Add:
		name += is + string(d.Item)
	}
	return kind + " " + string(d.Operation), name, true
}

// shortOf is the id of a delta as its author is told of it: which one of the reply, unless it
// gave an id of its own.
func shortOf(id string) string {
	if reply, n, ok := strings.Cut(id, "#"); ok && strings.HasPrefix(reply, "reply-") {
		return "#" + n
	}
	return id
}

// deltaLine says what will happen, or has happened, to a delta.
func deltaLine(d api.SubmittedDelta, author brenner.ActorName) string {
	var b strings.Builder
	named := []string{shortOf(d.DeltaID), string(d.Operation), string(d.Section), cmp.Or(d.Provisional, string(d.Target))}
	b.WriteString(strings.Join(slices.DeleteFunc(named, func(s string) bool { return s == "" }), " "))
	will := string(d.Will)
	switch {
	case d.Will == delta.Rejected || d.State == string(delta.Rejected):
		will = "refused"
	case d.Will == delta.Applied && d.Operation == delta.Add:
		will = "accepted, will be " + string(d.Item)
	case d.Will == delta.Applied:
		will = "accepted"
	case d.State == string(delta.Applied):
		will = "applied"
		if d.Operation == delta.Add {
			will = "applied, is " + string(d.Item)
		}
	case will == "":
		will = d.State
	}
	fmt.Fprintf(&b, ": %s", will)
	switch {
	case d.Code == "" && d.Message != "":
		fmt.Fprintf(&b, ": %s", d.Message)
	case d.Code != "":
		fmt.Fprintf(&b, ": %s: %s", d.Code, d.Message)
		if d.Pointer != "" {
			fmt.Fprintf(&b, " (at %s)", d.Pointer)
		}
		if d.Hint != "" {
			fmt.Fprintf(&b, "; %s", d.Hint)
		}
	}
	for i, was := range d.Replaces {
		if i == 0 {
			b.WriteString("; it takes the place of")
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s by %s", was.Field, was.WhoseWords())
	}
	b.WriteByte('\n')
	for _, was := range d.Replaces {
		if was.Text != "" {
			fmt.Fprintf(&b, "  you had not seen %s; it said (data):%s\n", was.Field, eachLine(was.Text))
		}
	}
	quoted := d.Corrected != "" && d.Pointer != "/target_id"
	if quoted {
		fmt.Fprintf(&b, "  old is what stands there now (data); yours in its place, or both in new: %s\n", d.Corrected)
	}
	for _, said := range d.Says {
		if said.Left != nil {
			fmt.Fprintf(&b, "  %s\n", said.Left)
		}
		switch {
		case said.Text == "" || quoted:
		case said.Left != nil:
			fmt.Fprintf(&b, "  nearest, %s says (data):%s\n", said.Field, eachLine(said.Text))
		case d.Code == brenner.CodeConflictHead:
			fmt.Fprintf(&b, "  %s says (data):%s\n", said.Field, eachLine(said.Text))
		case d.Code != "":
			fmt.Fprintf(&b, "  nearest, %s says (data):%s\n", said.Field, eachLine(said.Text))
		case d.State == string(delta.Applied):
			fmt.Fprintf(&b, "  %s now says (data):%s\n", inTextOf(said, author), eachLine(said.Text))
		default:
			fmt.Fprintf(&b, "  %s would say (data):%s\n", inTextOf(said, author), eachLine(said.Text))
		}
	}
	switch {
	case d.Corrected == "" || quoted:
	case d.Operation == delta.Kill:
		fmt.Fprintf(&b, "  to kill it as it reads now: %s\n", d.Corrected)
	default:
		fmt.Fprintf(&b, "  to press it all the same: %s\n", d.Corrected)
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(&b, "  warning %s: %s", w.Code, w.Message)
		if w.Hint != "" {
			fmt.Fprintf(&b, "; %s", w.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// inTextOf names a text in which a part was replaced, with who wrote it if that is another.
func inTextOf(said api.Said, author brenner.ActorName) string {
	if said.Agent == "" || said.Agent == author {
		return said.Field
	}
	return fmt.Sprintf("%s, by %s,", said.Field, said.WhoseWords())
}

// eachLine is a text behind a name as it stands, so that code and tables can be read and
// quoted: one line beside it, several below it, further right than anything of ours.
func eachLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || brenner.IsOneLine(string(r)) {
			return r
		}
		return ' '
	}, strings.Trim(text, "\n"))
	if !strings.Contains(text, "\n") {
		return " " + text
	}
	return strings.ReplaceAll("\n"+text, "\n", "\n    ")
}

// Slim implements spoken.
func (r submission) Slim() submission { return r }

// patchRequest changes a text artifact by quoting it.
type patchRequest struct {
	keyed
	Ref          brenner.Ref       `json:"ref" doc:"the version you read: ID@VERSION"`
	Patch        loose             `json:"patch" doc:"the edit as text: {\"old_string\",\"new_string\"} or a list of these, a unified diff, SEARCH/REPLACE, apply_patch or anchor_diff_v2.1"`
	Base         brenner.Version   `json:"base,omitzero" doc:"its version, if not in ref"`
	Rebase       bool              `json:"rebase,omitzero" doc:"carry it over if the text moved"`
	DryRun       bool              `json:"dry_run,omitzero" doc:"write nothing"`
	Summary      *string           `json:"summary,omitzero" doc:"of the new text"`
	SummaryHolds bool              `json:"summary_holds,omitzero" doc:"the old one holds"`
	Links        []link            `json:"links,omitzero" doc:"to add"`
	Change       *change           `json:"change,omitzero" doc:"core types need it"`
	Task         string            `json:"task,omitzero" doc:"the task this is for"`
	Done         bool              `json:"done,omitzero" doc:"close the task with it"`
	Deltas       loose             `json:"deltas,omitzero" doc:"as in artifact_write"`
	Session      brenner.SessionID `json:"session,omitzero" doc:"the one this is for"`
}

// carried is the request with the change carried to the head, if it is to be: it
// was made for the version that the reader had. Where the head cannot be looked
// up, what applies the patch says why, or does without.
func (in patchRequest) carried(s api.Service, ctx context.Context) patchRequest {
	if !in.Rebase || in.Base != 0 || in.Ref.Version == 0 {
		return in
	}
	v, err := s.Artifact(ctx, api.ArtifactRequest{Ref: in.Ref, Brief: true, Task: in.Task})
	if err == nil && v.Head > in.Ref.Version {
		in.Base, in.Ref.Version = in.Ref.Version, v.Head
	}
	return in
}

// patched says what a patch came to.
type patched struct {
	api.PatchResult
	moved, closed, answered, news string
}

func applyPatch(s api.Service, ctx context.Context, in patchRequest) (patched, error) {
	in = in.carried(s, ctx)
	res, err := s.ApplyPatch(ctx, api.ApplyPatchRequest{
		Write: in.write(), Ref: in.Ref, Patch: api.PatchOf([]byte(in.Patch)), Base: in.Base, Rebase: in.Rebase, DryRun: in.DryRun,
		Summary: in.Summary, SummaryHolds: in.SummaryHolds, Links: linksOf(in.Links), Change: in.Change.note(), Task: in.Task, Session: in.Session,
	})
	if err != nil || in.DryRun {
		return patched{PatchResult: res}, err
	}
	out := patched{PatchResult: res}
	var named []brenner.Diagnostic
	if res.Version != nil {
		named = res.Version.Warnings
	}
	if in.Done && in.Task != "" {
		out.closed = finish(s, ctx, api.CompleteTaskRequest{Write: in.also(in.Task), ID: in.Task})
	}
	ended := ""
	if in.Deltas != "" {
		mark := answeringMark(s, ctx, in.Task)
		out.answered = handIn(s, ctx, deltaRequest{keyed: keyed{in.also("deltas").Key}, Session: in.Session, Text: in.Deltas, named: named})
		if res.Version != nil {
			ended = endMark(s, ctx, in.keyed, mark, res.Version.Ref)
		}
	}
	switch {
	case ended != "":
		out.closed = ended
	case in.Task == "" && in.Done && res.Version != nil:
		out.closed = endOnly(s, ctx, in.keyed, res.Version.Ref)
	case in.Task == "" && res.Version != nil:
		out.closed = markedWork(s, ctx, res.Version.Ref)
	case in.Task != "" && !in.Done:
		out.closed = stillHeld(in.Task)
	}
	if in.Deltas == "" {
		out.news, out.moved = meanwhileBut(s, ctx, "", named)
	}
	return out, nil
}

// Words implements spoken.
func (r patched) Words() string {
	var b strings.Builder
	switch {
	case r.DryRun:
		fmt.Fprintf(&b, "a dry run on %s would be %s; nothing was written\n", r.From, r.Outcome)
	case r.Version != nil:
		fmt.Fprintf(&b, "%s on %s\n%s", r.Outcome, r.From, written{WriteResult: *r.Version}.Words())
	default:
		fmt.Fprintf(&b, "%s on %s: nothing to change\n", r.Outcome, r.From)
	}
	for _, d := range r.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", d.Code, d.Message)
	}
	b.WriteString(r.moved + r.closed + r.answered + r.news)
	return b.String()
}

// Slim implements spoken.
func (r patched) Slim() patched { return r }
