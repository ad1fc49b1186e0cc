package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// inboxRequest asks for what is new, or is about one message.
type inboxRequest struct {
	keyed
	Message string             `json:"message,omitzero" doc:"id of one to read again"`
	Ack     bool               `json:"ack,omitzero" doc:"acknowledge it instead"`
	States  []api.MessageState `json:"states,omitzero" doc:"only list messages in these"`
	Wait    int                `json:"wait,omitzero" doc:"seconds, at most 60, till something comes"`
	Doing   string             `json:"doing,omitzero" doc:"what you do next: the others see it"`
	Hold    string             `json:"hold,omitzero" doc:"machine 70s or RT: alone, in turn"`
	Cursor  string             `json:"cursor,omitzero" doc:"next of a page"`
	Offset  int                `json:"offset,omitzero" doc:"next_offset of a long message"`
}

// inboxResult is a page of messages, and what is new.
type inboxResult struct {
	api.MessageList
	Text       string `json:"text,omitzero"`
	NextOffset int    `json:"next_offset,omitzero"`
	// Proposed is what others proposed or changed in sessions of the reader and it
	// has not seen, which ends a wait like a message.
	Proposed []proposed `json:"proposed,omitzero"`

	written []api.WrittenVersion // by others, which it is told once
	letters []letter
	pages   []sessionPage // what others wrote, where no message speaks of it
	reading string        // what to read for the part of the work that is known by now
	fresh   bool          // what is new was asked for
	open    string        // what is still to come, if nothing is new
	doing   string        // what becomes of the reader's word of what it does next
	others  string        // what others said that they do
}

// letter is a message with its text, and what that says to read.
type letter struct {
	api.MessageInfo
	text  string
	below string
	next  int    // where a long text goes on
	since string // from where on what changed is to be shown, if another message does
	was   api.MessageState
}

func inbox(s api.Service, ctx context.Context, in inboxRequest) (inboxResult, error) {
	req := api.MessageRequest{Write: in.write(), ID: in.Message}
	switch {
	case in.Message == "":
		return whatIsNew(s, ctx, in)
	case in.Ack:
		m, err := s.AckMessage(ctx, req)
		return inboxResult{MessageList: api.MessageList{Messages: []api.MessageInfo{m}}}, err
	}
	l, err := openLetter(s, ctx, req, letterRoom{runes: brenner.MaxAnswerRunes, offset: in.Offset})
	if err != nil {
		return inboxResult{}, err
	}
	return inboxResult{
		MessageList: api.MessageList{Messages: []api.MessageInfo{l.MessageInfo}}, letters: []letter{l}, Text: l.text, NextOffset: l.next,
	}, nil
}

// whatIsNew opens the messages that were not read, as far as they fit one answer,
// shows what others wrote in the reader's sessions, and lists the rest.
func whatIsNew(s api.Service, ctx context.Context, in inboxRequest) (inboxResult, error) {
	if in.Wait > shortWait {
		// Who is done waits a little for a last word, not for a minute.
		if _, done, err := stillOpen(looking{s}, ctx, false); err == nil && done {
			in.Wait = shortWait
		}
	}
	asked := in.Doing+in.Hold != ""
	if !asked && len(in.States) == 0 {
		if own, err := ownWord(s, ctx); err == nil {
			in.Hold = own.Wants
		}
	}
	var said saidDoing
	if in.Doing+in.Hold != "" {
		var err error
		said, err = sayDoing(s, ctx, in.keyed, in.Doing, in.Hold)
		switch {
		case err != nil && asked:
			return inboxResult{}, err
		case err != nil: // it asked for nothing with this look
			said, in.Hold = saidDoing{}, ""
		case !asked:
			said.words = "" // it knows what it said
		}
		said.forHold = asked && in.Hold != ""
		if said.alike || in.Hold != "" && said.task.Hold != "" && !said.taken() {
			in.Wait = 0 // it decides first what it does, or has what it waits for
		}
	}
	if in.Wait == 0 && len(in.States) == 0 {
		if err := goOnWithout(s, ctx, nil); err != nil {
			return inboxResult{}, err
		}
	}
	if err := waitForMail(s, ctx, in.Wait, &said); err != nil {
		return inboxResult{}, err
	}
	if asked {
		said.hold += said.command(s, ctx, in.Hold)
	}
	page := api.Page{Limit: pageOfMail, Cursor: in.Cursor}
	var list api.MessageList
	var err error
	if len(in.States) == 0 { // however many were read and are older
		list, err = unreadOf(s, ctx, page)
	}
	if err == nil && len(list.Messages) == 0 && (in.Wait == 0 || len(in.States) > 0) {
		list, err = s.Inbox(ctx, api.InboxRequest{Page: page, States: in.States})
	}
	out := inboxResult{MessageList: list, doing: said.words + said.hold}
	if err != nil || len(in.States) > 0 {
		return out, err
	}
	out.fresh = true
	if err := out.read(s, ctx, in, brenner.MaxAnswerRunes, brenner.MaxAnswerRunes); err != nil {
		return inboxResult{}, err
	}
	out.written = writtenFor(s, ctx)
	if !out.nothing() {
		out.others = othersDo(s, ctx)
	} else {
		out.open, _, err = stillOpen(s, ctx, in.Wait >= longWait)
	}
	return out, err
}

// pageOfMail is how many messages are listed where nobody says how many.
const pageOfMail = 20

// unreadOf is a page of what the reader has not read, oldest first. Where there are more
// than a page, what asks for a reply comes before the rest.
func unreadOf(s api.Service, ctx context.Context, page api.Page) (api.MessageList, error) {
	req := api.InboxRequest{Page: page, States: []api.MessageState{api.MessageUnread}}
	list, err := s.Inbox(ctx, req)
	if err != nil || list.Cursor == "" || page.Cursor != "" {
		return list, err
	}
	req.Asks = true
	asks, err := s.Inbox(ctx, req)
	rest := slices.DeleteFunc(list.Messages, func(m api.MessageInfo) bool { return m.Kind.Asks() })
	list.Messages = slices.Concat(asks.Messages, rest)
	return list, err
}

// looking looks without telling: what it is asked is not said to anybody.
type looking struct{ api.Service }

// Session implements api.Service.
func (l looking) Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	req.Unseen = req.Unseen || len(req.Tell) > 0
	return l.Service.Session(ctx, req)
}

// Tasks implements api.Service.
func (l looking) Tasks(ctx context.Context, req api.ListTasksRequest) (api.TaskList, error) {
	if len(req.Tell) > 0 {
		return api.TaskList{}, nil
	}
	return l.Service.Tasks(ctx, req)
}

// read opens what is new, as far as there is room for so many characters, of which
// messages take no more than some.
func (r *inboxResult) read(s api.Service, ctx context.Context, in inboxRequest, room, letters int) error {
	// What somebody says to the reader comes before what became of the document.
	slices.SortStableFunc(r.Messages, func(a, b api.MessageInfo) int {
		switch compiled := a.Kind == api.MessageCompiled; {
		case compiled == (b.Kind == api.MessageCompiled):
			return 0
		case compiled:
			return 1
		}
		return -1
	})
	told := map[brenner.SessionID]bool{}
	since := map[brenner.SessionID]string{} // from where on the last of several compiles shows what changed
	for i, m := range r.Messages {
		need := fewRunes
		if m.Kind == api.MessageKickoff {
			need = kickoffRunes
		}
		if m.State != api.MessageUnread || letters <= 0 || len(r.letters) > 0 && room < need {
			continue
		}
		l, err := openLetter(s, ctx, api.MessageRequest{Write: in.also(m.ID), ID: m.ID}, letterRoom{runes: room, fresh: true, followed: compiledAgain(m, r.Messages[i+1:]), since: since[m.Session]})
		if err != nil {
			if len(r.letters) > 0 {
				return nil // what was read is said; the others stay as they are
			}
			return err
		}
		l.was = m.State
		r.letters, r.Messages[i], told[m.Session] = append(r.letters, l), l.MessageInfo, true
		since[m.Session] = cmp.Or(since[m.Session], l.since)
		n := utf8.RuneCountInString(l.text + l.below)
		room, letters = room-n, letters-n
	}
	r.noteTold(s, ctx)
	if p, session := whatToRead(s, ctx, r.letters, room); session != "" {
		r.reading, told[session] = "\n"+p.Words(), true
		room -= utf8.RuneCountInString(r.reading)
	}
	news, err := proposedTo(s, ctx)
	if err != nil {
		if len(r.letters) > 0 {
			return nil
		}
		return err
	}
	shown := map[brenner.SessionID]bool{}
	for _, p := range news {
		if told[p.Session] {
			continue // its message says how to go on
		}
		r.Proposed = append(r.Proposed, p)
		if shown[p.Session] || room <= 0 {
			continue
		}
		shown[p.Session] = true
		page, err := showSession(s, ctx, sessionRequest{Session: p.Session, Since: p.Known, news: true, room: room})
		if err != nil {
			continue // the line names the call, which says why
		}
		r.pages = append(r.pages, page)
		room -= utf8.RuneCountInString(page.said())
	}
	return nil
}

// noteTold notes of which tasks the messages that were opened say what they are.
func (r *inboxResult) noteTold(s api.Service, ctx context.Context) {
	var tasks []string
	for _, l := range r.letters {
		if l.Kind == api.MessageTask && l.Task != "" && l.next == 0 {
			tasks = append(tasks, l.Task)
		}
	}
	tellOf(s, ctx, tasks...)
}

// How many characters an answer has left at least in which a further message is opened.
const (
	fewRunes     = 2000
	kickoffRunes = 18_000
)

// spokenRunes is how much longer a message may be with its calls as they are spelled.
const spokenRunes = 500

// letterRoom is how many characters an answer has for a message.
type letterRoom struct {
	runes, offset int
	fresh         bool // it is read for the first time
	// followed says that it tells of a compile after which another one is told of in the
	// same answer, and since from where on that one shows what changed.
	followed bool
	since    string
}

// compiledAgain says whether a message tells of a compile, and one of those that come
// after it of another of the same session.
func compiledAgain(m api.MessageInfo, later []api.MessageInfo) bool {
	return m.Kind == api.MessageCompiled && slices.ContainsFunc(later, func(l api.MessageInfo) bool {
		return l.Kind == m.Kind && l.Session == m.Session && l.State == api.MessageUnread
	})
}

// stillNew is what of a compile's message another does not say anew: what became of
// deltas, and of what its reader's items name.
func stillNew(text string) string {
	lines := strings.Split(text, "\n")
	if i := slices.IndexFunc(lines, func(line string) bool {
		return slices.ContainsFunc([]string{"Nobody has said yet ", "`RT` rests on ", "Critiques: ", api.StillAtWork, api.ReadWhatChanged}, func(p string) bool { return strings.HasPrefix(line, p) })
	}); i >= 0 {
		lines = lines[:i]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// openLetter reads a message, and what it says to read where that can be had; what is
// new brings the context of its session with it.
func openLetter(s api.Service, ctx context.Context, req api.MessageRequest, room letterRoom) (letter, error) {
	m, err := s.ReadMessage(ctx, req)
	if err != nil {
		return letter{}, err
	}
	l := letter{MessageInfo: m.MessageInfo}
	if room.followed {
		l.text = saidOnce(stillNew(brenner.Speak(m.Text, func(a brenner.Action) string {
			if a.Name == "session.show" {
				l.since = a.Args["since"]
			}
			return asCall(a)
		})), nil)
		return l, nil
	}
	left := room.runes - utf8.RuneCountInString(m.Text) - spokenRunes // for what comes below
	var shown sessionPage                                             // the document that it says to read, if that stands below
	say := asCall
	if room.offset == 0 {
		say = func(a brenner.Action) string {
			if a.Name == "context.assemble" && m.Kind == api.MessageKickoff {
				return l.bringContext(s, ctx, a, room.fresh, left)
			}
			if a.Name == "mail.inbox" && m.Kind == api.MessageKickoff { // what it brings is yet to come
				return "`inbox {\"wait\":60}`"
			}
			if a.Name == "task.new" && a.Args["part"] != "" && m.Kind == api.MessageKickoff { // with who divides come its first items
				a.Args = maps.Clone(a.Args)
				a.Args["deltas"] = "…"
			}
			if m.Kind == api.MessageNudge && room.fresh {
				return l.bringNews(s, ctx, a, left)
			}
			if id := a.Args["id"]; a.Name == "task.claim" && id != "" {
				return takeTask(s, ctx, a, id)
			}
			if a.Name == "session.show" && room.since != "" {
				a.Args = maps.Clone(a.Args)
				a.Args["since"] = room.since
			}
			if words, p := readFor(s, ctx, m, a, left); words != "" {
				l.below, shown = l.below+"\n"+words, p
				return "it stands below"
			}
			return asCall(a)
		}
	}
	text := brenner.Speak(m.Text, say)
	if begins, _, says := strings.Cut(text, api.NoteSays); says && room.fresh && m.Kind == api.MessageTask && tellOf(s, ctx, m.Task)[m.Task] {
		text = begins + "; you were given it with the document\n"
	}
	if m.Kind == api.MessageCompiled && shown.ID != "" {
		text = asItStands(saidOnce(text, shown.Rest), shown)
	}
	l.text, l.next, err = page(text, room.offset)
	return l, err
}

// bringContext assembles the context for a session that somebody is asked in for the
// first time, and says that it stands below: as long as the work is still to be divided,
// only what there is. Where there is none to be had, the call that the message names says
// why.
func (l *letter) bringContext(s api.Service, ctx context.Context, call brenner.Action, fresh bool, room int) string {
	switch {
	case l.Session == "":
		return asCall(call)
	case !fresh:
		return "it came with this message when you first read it, or with your part; once more: " + asCall(call)
	}
	in := contextRequest{Session: l.Session, room: room, survey: awaitsDivision(s, ctx, l.Session)}
	p, err := assembleContext(s, ctx, in)
	if err != nil {
		return asCall(call)
	}
	l.below += "\n" + p.Words()
	if in.survey {
		return "it stands below, and what is recorded that bears on your part comes with it, without a call"
	}
	return asCall(call) + ": made for you, it stands below"
}

// bringNews brings what is new in a session to somebody who is asked there once more: a
// context that goes on from the one it reads through. Who has that no more asks for all.
func (l *letter) bringNews(s api.Service, ctx context.Context, call brenner.Action, room int) string {
	if call.Name == "session.show" && l.below != "" {
		return "what changed of it stands there as well"
	}
	after := ""
	if call.Name == "context.assemble" {
		after = contextNow(s, ctx, l.Session)
	}
	if after == "" {
		return asCall(call)
	}
	p, err := assembleContext(s, ctx, contextRequest{Session: l.Session, After: after, room: room})
	if err != nil {
		return asCall(call)
	}
	l.below += "\n" + p.Words()
	return "what is new stands below; all of it, if you do not have what you were given: " + asCall(call)
}

// readFor makes a call for the reader that a message would send it to: of what
// others wrote, which it is told because it concerns it. What cannot be read now
// is left to the reader.
func readFor(s api.Service, ctx context.Context, m api.MessageView, a brenner.Action, room int) (words string, document sessionPage) {
	if !slices.Contains([]api.MessageKind{api.MessageCompiled, api.MessageAnswered, api.MessageStalemate, api.MessageVerdict}, m.Kind) {
		return "", sessionPage{}
	}
	switch name, arguments, _ := a.Call(); name {
	case "session_show":
		var in sessionRequest
		if arguments["since"] == nil || bind(mustJSON(arguments), &in) != nil {
			return "", sessionPage{}
		}
		in.room, in.news = max(room, leastPage), true // from where it knows each item, whatever the message tells of
		p, err := showSession(s, ctx, in)
		if strings.Contains(m.Text, "\nNobody has said yet ") {
			p.open = "" // the message says so
			saidBefore(s, ctx, in.Session, howToConclude)
		}
		switch {
		case err != nil:
			return "", sessionPage{}
		case p.said() == "" && len(p.Rest)+len(p.AsProposed) == 0:
			return "nothing of others that you have not seen\n" + p.around(), p
		}
		return p.Words(), p
	case "artifact_get":
		var in getRequest
		if bind(mustJSON(arguments), &in) != nil {
			return "", sessionPage{}
		}
		in.beside, in.among = true, true
		if p, err := getArtifact(s, ctx, in); err == nil {
			return p.amongWords(), sessionPage{}
		}
	}
	return "", sessionPage{}
}

// saidOnce leaves out of what a compile tells what changed in items that are the reader's or
// that something of its names, but for those that were left out below: it has the others.
// Which of its own name them is said in one line.
func saidOnce(text string, left []delta.ItemID) string {
	var out, named, stays []string
	at := 0 // where the first of those that are named stood
	for line := range strings.SplitSeq(text, "\n") {
		about, _, data := strings.Cut(line, api.ChangeSaid)
		item, by, isNamed := strings.Cut(about, ", which your ")
		rest, own := "", false
		for _, began := range []string{api.TextReplaced, api.TextAddedTo, api.TextChanged} {
			if rest, own = strings.CutPrefix(about, began); own {
				break
			}
		}
		if own {
			_, item, _ = strings.Cut(rest, " of ")
			item, _, _ = strings.Cut(item, " ")
		}
		switch below := data && !slices.Contains(left, delta.ItemID(item)); {
		case below && own:
			if n := len(out); n > 1 && out[n-1] == "" { // several texts of an item, changed for one reason
				if joined, ok := withField(out[n-2], about); ok {
					out = append(out[:n-2], joined)
					continue
				}
			}
			out = append(out, about)
		case below && isNamed:
			if at = cmp.Or(at, len(out)); len(out) > at && out[len(out)-1] == "" {
				out = out[:len(out)-1] // each is a paragraph of its own
			}
			if strings.Contains(by, api.StaysRecord) {
				stays = append(stays, item)
			}
			by, _, _ = strings.Cut(by, " name")
			named = append(named, fmt.Sprintf("%s (%s)", item, by))
		default:
			out = append(out, line)
		}
	}
	if len(named) > 0 {
		said := "Changed by others, as below, and named in yours: " + strings.Join(named, "; ")
		if len(stays) > 0 {
			said += ". Killed: " + strings.Join(stays, ", ") + api.StaysRecord
		}
		out = slices.Insert(out, at, said)
	}
	return strings.Join(out, "\n")
}

// withField adds the field of which a sentence says that it was replaced to one that says the
// same of another field.
func withField(said, of string) (string, bool) {
	fields, rest, _ := strings.Cut(said, " of ")
	field, same, found := strings.Cut(of, " of ")
	kind, name, _ := strings.Cut(field, ": ")
	if !found || rest != same || !strings.HasPrefix(fields, kind+": ") {
		return "", false
	}
	return fields + ", " + name + " of " + rest, true
}

// asItStands is what a compile tells without what has changed since, and without what stands
// below it: what is left, what there is to read, how to go on. Of critiques it keeps which
// are open again.
func asItStands(text string, p sessionPage) string {
	working := func(w api.Working) bool { return w.Agent != p.reader && w.State != api.WorkAnswered }
	waited := slices.ContainsFunc(p.Working, func(w api.Working) bool { return w.Agent == p.reader && w.State != api.WorkAnswered })
	var out []string
	for paragraph := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n\n") {
		var lines []string
		critiques := strings.HasPrefix(paragraph, "Critiques: ")
		for line := range strings.SplitSeq(paragraph, "\n") {
			again := slices.ContainsFunc(p.attacks, func(c delta.Critique) bool {
				return c.State == delta.CritiqueOpen && strings.HasPrefix(line, string(c.Item)+" is open again: ")
			})
			switch {
			case critiques && !again:
			case strings.HasPrefix(line, api.StillAtWork) && !slices.ContainsFunc(p.Working, working):
			case strings.HasPrefix(line, api.ReadWhatChanged), strings.HasPrefix(line, api.MoreToSay), strings.HasPrefix(line, api.NamesWritten):
			case strings.HasPrefix(line, api.OwnAnswer) && !waited:
			default:
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			out = append(out, strings.Join(lines, "\n"))
		}
	}
	return strings.Join(out, "\n\n") + "\n"
}

// takeTask says how a task is taken that a message tells of, and what it is about: to
// claim it is half of what its context does, which goes on from the reader's own.
func takeTask(s api.Service, ctx context.Context, claim brenner.Action, id string) string {
	t, err := s.Task(ctx, api.TaskRequest{ID: id})
	if err != nil {
		return asCall(claim)
	}
	out := fmt.Sprintf("`%s`, or with its context at once `%s`", claim.Tool(), contextOf(id, contextNow(s, ctx, t.Session)))
	if t.Title != "" {
		out += fmt.Sprintf("\nIt asks (data): %s", brenner.OneLine(t.Title))
	}
	if spec := strings.TrimSpace(t.Spec); spec != "" && spec != t.Title && t.SpecLeft == 0 {
		out += "\n" + strings.TrimSuffix(brenner.Fenced("", brenner.ClipWords(spec, mostSpec)), "\n")
	}
	return out
}

// mostSpec is how much of what a task asks for stands in the message that tells of it.
const mostSpec = 600

// asCall is an action as the call of a tool, marked as code.
func asCall(a brenner.Action) string {
	if c := a.Tool(); c != "" {
		return "`" + c + "`"
	}
	return ""
}

// checkWait refuses a wait that is none, or too long.
func checkWait(seconds int) error {
	if seconds < 0 || seconds > brenner.MaxInboxWait {
		return brenner.Errorf(brenner.CodeInvalidValue, "a wait is between 0 and %d seconds", brenner.MaxInboxWait).At("/wait")
	}
	return nil
}

// between is how long passes between two looks at a mailbox.
const between = 500 * time.Millisecond

// waitForMail returns when there is an unread message, when others have proposed
// or changed what the reader has not seen and what concerns it (ADR 206), or when the time
// is over: the rest comes with what does, or then.
func waitForMail(s api.Service, ctx context.Context, seconds int, said *saidDoing) error {
	if err := checkWait(seconds); err != nil {
		return err
	}
	end := time.After(time.Duration(seconds) * time.Second)
	linger := func() error { // more may be on its way
		if seconds < shortWait {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end:
		case <-leaving(ctx):
		case <-time.After(lingering(ctx)):
		}
		return nil
	}
	var looked []api.SessionInfo
	var tried time.Time
	for seconds > 0 {
		unread, err := unreadOf(s, ctx, api.Page{Limit: pageOfMail})
		if err != nil {
			return err
		}
		if len(unread.Messages) > 0 {
			if slices.ContainsFunc(unread.Messages, func(m api.MessageInfo) bool { return m.Kind.Asks() }) {
				return nil
			}
			if !said.inLine() {
				return linger()
			}
		}
		if said.taken() {
			if err := said.again(s, ctx); err != nil || !said.taken() {
				return nil //nolint:nilerr // it goes on without; the answer says who had it
			}
		}
		list, err := ownSessions(s, ctx)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(list.Sessions, looked) { // somebody has answered, or this is the first look
			looked = list.Sessions
			news, err := proposedIn(s, ctx, looked)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(news, func(p proposed) bool { return p.concerns }) && !said.inLine() {
				return linger()
			}
		}
		if now := time.Now(); now.Sub(tried) >= tryAgain {
			tried = now
			if err := goOnWithout(s, ctx, looked); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end:
			return nil
		case <-leaving(ctx):
			return nil
		case <-time.After(between):
		}
	}
	return nil
}

// tryAgain is how long passes between two tries to have a session go on.
const tryAgain = 5 * time.Second

// goOnWithout has the sessions compiled that have waited long enough for those who have
// not answered (D27): who waits for that sees to it. Nil are the newest.
func goOnWithout(s api.Service, ctx context.Context, all []api.SessionInfo) error {
	if all == nil {
		list, err := ownSessions(s, ctx)
		if err != nil {
			return err
		}
		all = list.Sessions
	}
	for _, info := range all {
		if at := info.CompilesAt(); at.IsZero() || at.After(time.Now()) {
			continue
		}
		me, err := s.Project(ctx)
		if err != nil {
			return err
		}
		if !takesPart(info, me.Actor) {
			continue
		}
		if _, err := s.CompileSession(ctx, api.CompileSessionRequest{ID: info.ID, Due: true}); err != nil && ctx.Err() != nil {
			return err // any other says nothing of what has come: the next who waits tries again
		}
	}
	return nil
}

const (
	// shortWait is how many seconds somebody waits for whom nothing is open.
	shortWait = 15
	// longWait is how many seconds in which nothing came say that nothing will.
	longWait = 30
)

// mayStop is what it is told then.
const mayStop = "nothing is asked of you: everybody has answered, and what came is compiled%s. Stop here unless you have more to say; another round begins with a message\n"

// mayWait is what it is told where a session has no conclusion yet.
const mayWait = "nothing is asked of you now: everybody has answered, and what came is compiled. %s: %s. Wait for it, inbox {\"wait\":60}, to say whether it holds; stop here if you would have nothing to say to it\n"

// noWork is what it is told where it takes part in no session.
const noWork = "nothing is asked of you, and no task is yours. Stop here; what comes next begins with a message or a task\n"

// stillOpen says what the reader may still wait for, or that it is done. Who has
// waited in vain for what others may say to an answer need not wait for it again.
func stillOpen(s api.Service, ctx context.Context, waited bool) (words string, done bool, err error) {
	st, err := status(s, ctx, statusRequest{})
	if err != nil {
		return "", false, err
	}
	sessions, err := ownSessions(s, ctx)
	if err != nil {
		return "", false, err
	}
	var b strings.Builder
	signed, around, unread, busy := "", "", "", false
	ends := map[brenner.SessionID]ending{}
	for _, info := range sessions.Sessions {
		work, left, end, others, err := aroundOf(s, ctx, info, st.Project.Actor)
		if err != nil {
			return "", false, err
		}
		busy = busy || others
		ends[info.ID] = end
		line, warm := waitsOnce(s, ctx, info, st.Project.Actor), ""
		if line == "" && !waited {
			warm = warmOf(info, st.Project.Actor, time.Now())
		}
		switch {
		case end.asks(), end.toRead():
			line += end.words(false)
		case end.over() && warm != "":
			line = end.words(true)
		case end.contested(): // who waits for what becomes of it is not done
			line += end.words(false)
		case line == "":
			line = warm
			fallthrough
		default:
			if end.says || end.over() { // before, nobody waits for it
				unread += end.unreadWords()
			}
		}
		sign := end.once(end.signed) // that somebody did is the news, and leaves nothing to do
		signed += sign
		b.WriteString(strings.Replace(line, sign, "", 1) + work)
		around = cmp.Or(around, left)
	}
	st.Tasks = slices.DeleteFunc(st.Tasks, func(t taskLine) bool { return t.Holder != "" && t.Holder != st.Project.Actor && !t.Overdue })
	for i, t := range st.Tasks {
		if t.Holder == st.Project.Actor {
			st.Tasks[i].Title = brenner.ClipWords(brenner.OneLine(t.Title), shortTitle) // it knows what it is at
		}
	}
	owes := len(st.Concludes) > 0
	st.Concludes = slices.DeleteFunc(st.Concludes, func(id brenner.SessionID) bool {
		end := ends[id]
		if !end.came && !end.allIn() {
			return true // there is nothing to conclude from yet
		}
		again := saidBefore(s, ctx, id, howToConclude)
		if again && end.allIn() { // nobody else brings anything any more
			fmt.Fprintf(&b, "%s has no conclusion yet: it is yours to say, once what was asked for is in\n", id)
		}
		return again
	})
	b.WriteString(st.list())
	if done = b.Len() == 0 && !owes && !busy; done {
		own := slices.DeleteFunc(slices.Clone(sessions.Sessions), func(s api.SessionInfo) bool { return !takesPart(s, st.Project.Actor) })
		compiled := slices.IndexFunc(own, func(s api.SessionInfo) bool { return s.Compiles > 0 })
		switch {
		case len(own) == 0:
			b.WriteString(noWork)
		case compiled >= 0 && own[compiled].Unconcluded() != "":
			fmt.Fprintf(&b, mayWait, own[compiled].ID, own[compiled].Unconcluded())
		default:
			unsigned := ""
			if compiled >= 0 {
				end := ends[own[compiled].ID]
				unsigned = end.unsignedWords() + end.signWords()
			}
			fmt.Fprintf(&b, mayStop, unsigned)
		}
		if compiled >= 0 {
			fmt.Fprintf(&b, "where it stands, in short: session_show %s\n", jsonOf(sessionRequest{Session: own[compiled].ID, Brief: true}))
		}
	}
	return signed + b.String() + unread + around, done, nil
}

// aroundOf says what others are at in a session that somebody takes part in, as far as it was
// not told that, and how far its tests have come and what is left of its context and of the
// session; busy says whether others are at anything.
func aroundOf(s api.Service, ctx context.Context, info api.SessionInfo, me brenner.ActorName) (work, left string, end ending, busy bool, err error) {
	if !info.Closed.IsZero() || !takesPart(info, me) {
		return "", "", ending{}, false, nil
	}
	tasks, err := tasksOf(s, ctx, info.ID)
	if err != nil {
		return "", "", ending{}, false, err
	}
	others := slices.DeleteFunc(slices.Clone(tasks), func(t api.TaskInfo) bool { return t.Holder == me || t.Holder == "" })
	told := tellUnderWay(s, ctx, others)
	busy = len(others) > 0
	known := slices.DeleteFunc(slices.Clone(others), func(t api.TaskInfo) bool { return !told[t.ID] })
	work = underWay(slices.DeleteFunc(others, func(t api.TaskInfo) bool { return told[t.ID] }), me, nil)
	v, err := s.Session(ctx, api.SessionRequest{ID: info.ID, Unseen: true})
	if err != nil {
		return work, "", ending{}, busy, nil //nolint:nilerr // there is nothing to read through
	}
	tests := withAnnounced(v.Tests, tasks)
	end = leftIn(s, ctx, v, tests, nil, me) // its tasks are listed
	end.tellStop(s, ctx)
	said, _ := standing(s, ctx, info.ID, asRun(tests), "", false)
	here := lastDid(v.Working, tests, me)
	if here == "" {
		work += stillUnderWay(known)
	}
	left = here + said
	division, err := divided(s, ctx, info, v.Working, me, told, false)
	return othersAtWork(v.Working, me) + division + work, left, end, busy, err
}

// othersAtWork says how far the others are, for who waits for some of them.
func othersAtWork(all []api.Working, me brenner.ActorName) string {
	late := slices.ContainsFunc(all, func(w api.Working) bool { return w.Late && w.State != api.WorkAnswered })
	all = slices.DeleteFunc(slices.Clone(all), func(w api.Working) bool {
		return w.Agent == me || late && w.State == api.WorkAnswered && w.Proposed == 0 // of these nothing is awaited
	})
	if !slices.ContainsFunc(all, func(w api.Working) bool { return w.State != api.WorkAnswered }) {
		return ""
	}
	return atWork(all, me)
}

// lastDid says of others who have all answered when they last did something, and which tests
// they have put up that nobody has run: who wants to wait for what they may still say knows
// whether they are there, and what may come.
func lastDid(all []api.Working, tests []delta.Test, me brenner.ActorName) string {
	var seen []string
	for _, w := range most(all) {
		switch {
		case w.State != api.WorkAnswered:
			return ""
		case w.Agent != me && !w.Seen.IsZero() && w.Idle < lately:
			ago := ""
			if w.Idle > 0 {
				ago = " " + w.Ago()
			}
			seen = append(seen, string(w.Agent)+ago+plannedBy(tests, w.Agent))
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return "all have answered; here: " + strings.Join(seen, ", ") + "\n"
}

// plannedBy names the tests that somebody runs, and those that it has put up and nobody runs.
func plannedBy(tests []delta.Test, by brenner.ActorName) string {
	var runs, has []delta.ItemID
	for _, t := range tests {
		switch {
		case slices.ContainsFunc(t.Running, func(r delta.Run) bool { return r.By == by }):
			runs = append(runs, t.Item)
		case t.By == by && t.State == delta.TestPlanned:
			has = append(has, t.Item)
		}
	}
	var said []string
	if len(runs) > 0 {
		said = append(said, "runs "+listed(runs))
	}
	if len(has) > 0 {
		said = append(said, "has "+listed(has)+" to run")
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, ", ") + ")"
}

// lately is how many minutes after it did something somebody may still be at it.
const lately = 20

// takesPart says whether somebody was asked in a session.
func takesPart(info api.SessionInfo, name brenner.ActorName) bool {
	return slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == name })
}

// howToConclude is what who says the answer is told once, in a message or when it looks.
const howToConclude = "how to conclude "

// howToAnswer stands behind whom a session waits for, before the call that reads what it asks.
const howToAnswer = ": delta_submit; what it asks: inbox "

// waitsOnce is waitsFor for who looks again and again: how to answer, and how to read what
// is asked, is said once to who waits for others besides.
func waitsOnce(s api.Service, ctx context.Context, info api.SessionInfo, me brenner.ActorName) string {
	line := waitsFor(info, me)
	if late := lateIn(info, me); len(late) > 0 && saidBefore(s, ctx, info.ID, "gone on without "+joined(late)) {
		return fmt.Sprintf("%s: nothing is asked of you till %s answered\n", info.ID, joined(late)+has(len(late)))
	}
	who, _, found := strings.Cut(line, howToAnswer)
	if !found || len(info.Awaited()) < 2 {
		return line
	}
	if !saidBefore(s, ctx, info.ID, "how to answer ") {
		return line
	}
	return who + "\n"
}

// saidBefore says whether the reader was told something of a session, and notes that it is.
func saidBefore(s api.Service, ctx context.Context, id brenner.SessionID, what string) bool {
	v, err := s.Session(ctx, api.SessionRequest{ID: id, Tell: []string{what + string(id)}})
	return err == nil && len(v.Told) > 0
}

// waitsFor says whom a session waits for that somebody takes part in.
func waitsFor(info api.SessionInfo, me brenner.ActorName) string {
	var others, late []brenner.ActorName
	mine, own, alone, ask := false, false, false, ""
	for _, r := range info.Recipients {
		switch {
		case r.Name == me:
			mine, own, alone, ask = true, r.Waiting, r.Late, r.Ask
		case r.Late:
			late = append(late, r.Name)
		case r.Waiting:
			others = append(others, r.Name)
		}
	}
	switch {
	case !mine || !own && len(others)+len(late) == 0:
		return ""
	case alone:
		return fmt.Sprintf("%s went on without your answer, which is compiled when it comes: delta_submit; what it asks: inbox %s\n", info.ID, jsonOf(map[string]string{"message": ask}))
	case !own && len(others) == 0:
		return fmt.Sprintf("%s went on without %s: what comes is compiled at once, and inbox {\"wait\":60} brings it; till then nothing of it is asked of you\n", info.ID, joined(late))
	case own && len(others) == 0:
		goesOn := ""
		if when := info.Otherwise(); when != "" {
			goesOn = ", or goes on " + when
		}
		return fmt.Sprintf("%s waits for your answer%s: delta_submit; what it asks: inbox %s\n", info.ID, goesOn, jsonOf(map[string]string{"message": ask}))
	case own:
		return fmt.Sprintf("%s is compiled when you and %s have answered%s%s%s\n", info.ID, joined(others), info.ByItself(), howToAnswer, jsonOf(map[string]string{"message": ask}))
	}
	return fmt.Sprintf("%s is compiled when %s answered%s; nothing is asked of you till then: go on with your own work, and come back when it needs theirs\n", info.ID, joined(others)+has(len(others)), info.ByItself())
}

// lateIn are those whom a session went on without, if it waits for nobody else and not for
// the reader.
func lateIn(info api.SessionInfo, me brenner.ActorName) []brenner.ActorName {
	var late []brenner.ActorName
	for _, r := range info.Recipients {
		switch {
		case r.Late && r.Name != me:
			late = append(late, r.Name)
		case r.Waiting:
			return nil
		}
	}
	return late
}

// warm is how long after an answer others may still answer it.
const warm = 3 * time.Minute

// warmOf says that a session in which everybody has answered may go on, since
// somebody answered a moment ago: what the others have to say to that is yet to
// come.
func warmOf(info api.SessionInfo, me brenner.ActorName, now time.Time) string {
	if !info.Closed.IsZero() || !takesPart(info, me) || len(info.Recipients) < 2 {
		return ""
	}
	last := slices.MaxFunc(info.Recipients, func(a, b api.Recipient) int { return a.AnsweredAt.Compare(b.AnsweredAt) })
	ago := now.Sub(last.AnsweredAt)
	if last.Nothing || ago < 0 || ago >= warm {
		return ""
	}
	who := string(last.Name)
	if last.Name == me {
		who = "you"
	}
	return fmt.Sprintf("%s: everybody has answered, %s last, %s ago; others may say something to that: inbox {\"wait\":60} once more, or stop\n", info.ID, who, ago.Round(time.Second))
}

func has(n int) string {
	if n == 1 {
		return " has"
	}
	return " have"
}

func (r inboxResult) nothing() bool {
	return len(r.letters)+len(r.Proposed)+len(r.written)+len(r.reading) == 0
}

// Words implements spoken.
func (r inboxResult) Words() string {
	var b strings.Builder
	b.WriteString(r.doing)
	rest := r.Messages
	for _, l := range r.letters {
		b.WriteString(l.words(len(r.letters)+len(r.pages) > 1))
		rest = slices.DeleteFunc(slices.Clone(rest), func(m api.MessageInfo) bool { return m.ID == l.ID })
	}
	b.WriteString(r.reading)
	for _, p := range r.Proposed {
		b.WriteString(p.words(slices.ContainsFunc(r.pages, func(s sessionPage) bool { return s.ID == p.Session })))
	}
	for _, p := range r.pages {
		b.WriteString("\n" + p.Words())
	}
	if len(r.written) > 0 {
		b.WriteString(announced(r.written) + "\n")
	}
	b.WriteString(r.others)
	if r.open != "" && !strings.HasPrefix(r.open, beginsSigned) {
		b.WriteString("nothing new\n")
	}
	b.WriteString(r.list(rest))
	if r.Cursor != "" {
		b.WriteString(more("inbox", "cursor", r.Cursor))
	}
	b.WriteString(r.open)
	if b.Len() == 0 {
		b.WriteString("no messages\n")
	}
	return b.String()
}

// list lists messages that are not shown: all that were asked for by their
// state, else those that are still to be read, and how many were.
func (r inboxResult) list(rest []api.MessageInfo) string {
	if !r.fresh {
		return lines(rest)
	}
	unread := slices.DeleteFunc(slices.Clone(rest), func(m api.MessageInfo) bool { return m.State != api.MessageUnread })
	out := lines(unread)
	if len(unread) > 0 && len(r.letters) > 0 {
		out += "still to be read: inbox {}\n"
	}
	if read := len(rest) - len(unread); read > 0 && len(r.letters) == 0 && r.open == "" { // a session says what it asks
		out += fmt.Sprintf("read before: %d, listed by inbox {\"states\":[\"read\"]}\n", read)
	}
	return out
}

// words are a message as it is read; one of several has a line above it.
func (l letter) words(several bool) string {
	var b strings.Builder
	if several {
		line := l.MessageInfo
		line.State = cmp.Or(l.was, line.State) // before it was opened for this answer
		if line.Kind == api.MessageCompiled {
			line.Subject = "" // its text begins with that
		}
		b.WriteString(lines([]api.MessageInfo{line}) + "\n")
	}
	b.WriteString(l.text)
	if l.next > 0 {
		b.WriteString("\n" + more("inbox", "message", l.ID, "offset", l.next))
	}
	b.WriteString(l.below)
	if several {
		b.WriteByte('\n')
	}
	return b.String()
}

// lines lists messages.
func lines(all []api.MessageInfo) string {
	var b strings.Builder
	for _, m := range all {
		said := []string{m.ID, string(m.State), string(m.Kind), m.Sent.UTC().Format("2006-01-02 15:04"), brenner.OneLine(m.Subject)}
		b.WriteString(strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " · ") + "\n")
	}
	return b.String()
}

// Slim implements spoken.
func (r inboxResult) Slim() inboxResult { r.Text = ""; return r }
