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
)

// ending is what is left of a session: for its reader, and for others. Its reader may stop
// when nobody is waited for and nothing is left for it (ADR 154). What the reader's context
// was told, and is as it was, is named no more, or in fewer words (ADR 180).
type ending struct {
	session  brenner.SessionID   // "" of one that its reader takes no part in, or that is closed
	waits    bool                // somebody is still to answer
	answer   []delta.Critique    // of what the reader wrote
	settle   []delta.Critique    // the reader's own, which were answered
	mine     []string            // what else is left for the reader, each as what to do
	owes     bool                // the reader has to say yet what the answer is
	came     bool                // what came out of a test is known
	others   []string            // what is left for others, likewise named
	unrun    []delta.ItemID      // tests that nobody has run
	signed   string              // who stands behind the answer
	sign     string              // the call by which the reader does, "" if it does
	unsigned []brenner.ActorName // who does not stand behind the reader's own answer
	unread   []brenner.Ref       // what others wrote of which the reader has no more than a line
	says     bool                // the reader says the answer
	before   bool                // the reader signed the answer before it was last corrected
	noted    bool                // the reader left a note on the answer since it was written
	against  bool                // something stands against the answer, or moved under it
	free     brenner.ActorName   // who says the answer and is away, so that the reader may; "" else
	told     map[string]bool     // sentences
	stopped  bool                // the reader was told stopWords before
}

// leftIn is what is left of a session, for somebody who has been told some of it.
func leftIn(s api.Service, ctx context.Context, v api.SessionView, tests []delta.Test, work []api.TaskInfo, me brenner.ActorName) ending {
	e := endingOf(v.SessionInfo, v.Critiques, tests, work, me)
	if e.session == "" {
		return e
	}
	e.says = v.Concludes == me
	if !e.waits {
		e.expect(v.Working, tests)
		e.ofAnswer(v, me)
		if v.AnswerFree && !e.says && (e.against || !v.Concluded) && !slices.ContainsFunc(work, func(t api.TaskInfo) bool { return isAt(t, v.Concludes) }) {
			e.free = v.Concludes
		}
		e.ofAsks(v.Asks, tests, me)
		e.unread = unreadIn(s, ctx, v.ID)
	}
	e.told = tellOnce(s, ctx, v.ID, append(e.sentences(), atWork(workingIn(v), me)))
	return e
}

// isAt says that somebody has said of a task, which has not ended, that it does it.
func isAt(t api.TaskInfo, who brenner.ActorName) bool {
	return t.State == api.TaskClaimed && t.Holder == who && t.Creator == who && !t.Overdue
}

// tellOnce notes that sentences are told, and says which of them were before. What cannot
// be looked up now is told again.
func tellOnce(s api.Service, ctx context.Context, session brenner.SessionID, sentences []string) map[string]bool {
	if len(sentences) == 0 {
		return nil
	}
	told := map[string]bool{}
	if v, err := s.Session(ctx, api.SessionRequest{ID: session, Tell: sentences}); err == nil {
		for _, sentence := range v.Told {
			told[sentence] = true
		}
	}
	return told
}

// unreadIn are the versions that others wrote beside a session of which its reader was
// shown no more than a line, which it was before. What cannot be looked up now holds up
// nothing.
func unreadIn(s api.Service, ctx context.Context, session brenner.SessionID) []brenner.Ref {
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Written: true, Unseen: true})
	if err != nil {
		return nil
	}
	var out []brenner.Ref
	for _, w := range v.Written {
		if w.Told {
			out = append(out, w.Ref)
		}
	}
	return out
}

// endingOf is what is left of a session for somebody who takes part in it; while somebody
// is still to answer, of critiques only.
func endingOf(v api.SessionInfo, attacks []delta.Critique, tests []delta.Test, work []api.TaskInfo, me brenner.ActorName) ending {
	if !v.Closed.IsZero() || !takesPart(v, me) {
		return ending{}
	}
	waits := func(r api.Recipient) bool { return r.Waiting && (!r.Late || r.Name == me) }
	e := ending{session: v.ID, waits: v.Compiles == 0 || slices.ContainsFunc(v.Recipients, waits)}
	e.ofCritiques(attacks, me)
	e.came = slices.ContainsFunc(tests, func(t delta.Test) bool { return t.State == delta.TestRun })
	if e.waits {
		return e
	}
	e.owes = !v.Concluded && v.Concludes == me
	for _, r := range v.Recipients {
		if r.Late {
			e.others = append(e.others, "the answer of "+string(r.Name))
		}
	}
	e.ofTests(tests, me)
	for _, t := range work {
		if t.Holder == me && t.Kind != api.TaskNote && !t.EndsByItself() {
			e.mine = append(e.mine, t.ID+", which is yours: task_complete or task_release")
		}
	}
	if !v.Concluded && !e.owes {
		what := "the conclusion"
		if v.Concludes != "" {
			what += " (" + string(v.Concludes) + ")"
		}
		e.others = append(e.others, what)
	}
	return e
}

func (e *ending) ofCritiques(all []delta.Critique, me brenner.ActorName) {
	var unanswered, unsettled, byMe, corrected []string
	for _, c := range all {
		mine := slices.Contains(slices.Concat(c.By, c.Replied), me)
		switch {
		case c.State == delta.CritiqueSettled:
		case c.State == delta.CritiqueOpen && slices.Contains(c.Against, me):
			e.answer = append(e.answer, c)
		case c.State == delta.CritiqueAnswered && c.Critic == me:
			e.settle = append(e.settle, c)
		case c.State == delta.CritiqueOpen:
			unanswered = append(unanswered, string(c.Item))
		case c.Corrected && mine:
			corrected = append(corrected, string(c.Item))
		case mine:
			byMe = append(byMe, string(c.Item))
		default:
			unsettled = append(unsettled, string(c.Item))
		}
	}
	if len(unanswered) > 0 {
		e.others = append(e.others, "the answer to "+listed(unanswered))
	}
	if len(unsettled) > 0 { // answered, which for their critic may not be enough
		e.others = append(e.others, "whether "+listed(unsettled)+" is settled by its answer")
	}
	if len(byMe) > 0 {
		e.others = append(e.others, "whether "+listed(byMe)+" is settled by your answer")
	}
	if len(corrected) > 0 {
		e.others = append(e.others, "whether "+listed(corrected)+" is settled by your answer, which stands: its critic only corrected it since")
	}
}

// ofAnswer asks who wrote the answer whether it holds with what came since.
func (e *ending) ofAnswer(v api.SessionView, me brenner.ActorName) {
	holds := jsonOf(map[string]any{"session": v.ID, "nothing": true, "text": "RT holds"})
	e.signed = signedWords(v)
	if v.AnswerBy == me {
		e.unsigned = v.Unsigned()
	}
	e.noted = slices.Contains(v.AnswerNoted, me)
	e.before = slices.Contains(v.AnswerSignedBefore, me)
	if e.before || slices.Contains(v.Unsigned(), me) {
		e.sign = "delta_submit " + holds
	}
	open := func(c delta.Critique) bool { return c.State == delta.CritiqueOpen && c.BesideAnswer() }
	e.against = e.against || len(v.AnswerMoved) > 0 || slices.ContainsFunc(v.Critiques, open)
	if len(v.AnswerMoved) == 0 {
		return
	}
	came, named := make([]string, len(v.AnswerMoved)), make([]string, len(v.AnswerMoved))
	for i, m := range v.AnswerMoved {
		came[i], named[i] = m.Words(), cmp.Or(string(m.Item), m.Ref.String())
	}
	if v.AnswerBy != me {
		e.others = append(e.others, fmt.Sprintf("whether the answer holds with %s, changed since, for %s to say", listed(named), v.AnswerBy))
		return
	}
	e.mine = append(e.mine, fmt.Sprintf("whether the answer still holds with what came since: %s; if it does: delta_submit %s; else EDIT it, which says so too", listed(came), holds))
}

// beginsSigned is how signedWords begin.
const beginsSigned = "the answer of "

// signedWords say who stands behind the answer of a session, and who does not.
func signedWords(v api.SessionView) string {
	unsigned := v.Unsigned()
	by := v.SignedWords(unsigned)
	if by == "" && (len(unsigned) == 0 || !v.Closed.IsZero()) {
		return ""
	}
	out := fmt.Sprintf("%s%s, by %s, as it stands is signed by %s", beginsSigned, v.ID, v.AnswerBy, cmp.Or(by, "nobody yet"))
	var open []delta.ItemID
	for _, c := range v.Critiques {
		if c.State == delta.CritiqueOpen && c.Bears == delta.BearsOnThread {
			open = append(open, c.Item)
		}
	}
	if len(open) > 0 {
		out += "; open against it: " + listed(open)
	}
	return out + "\n"
}

// ofAsks names the items that name the reader in what is to be done, but for those that
// somebody is at.
func (e *ending) ofAsks(all []api.ItemAsk, tests []delta.Test, me brenner.ActorName) {
	var named []string
	for _, a := range all {
		begun := func(t delta.Test) bool {
			return t.Item == a.Item && (t.State == delta.TestRunning || t.State == delta.TestRun)
		}
		if a.Of == me && !slices.ContainsFunc(tests, begun) {
			named = append(named, fmt.Sprintf("%s (%s by %s)", a.Item, a.Field, a.By))
			e.unrun = slices.DeleteFunc(e.unrun, func(id delta.ItemID) bool { return id == a.Item })
		}
	}
	if len(named) > 0 {
		e.mine = append(e.mine, fmt.Sprintf("%s, which names you: do it and say so there or in a note on it, or that you do not", listed(named)))
	}
}

func (e *ending) ofTests(all []delta.Test, me brenner.ActorName) {
	var own, mine, others []delta.ItemID
	for _, t := range all {
		switch {
		case t.State == delta.TestPlanned && t.By == me:
			own = append(own, t.Item)
		case t.State == delta.TestPlanned:
			e.unrun = append(e.unrun, t.Item)
		case t.State != delta.TestRunning:
		case slices.ContainsFunc(t.Running, func(r delta.Run) bool { return r.By == me }):
			mine = append(mine, t.Item)
		default:
			others = append(others, t.Item)
		}
	}
	for _, ids := range [][]delta.ItemID{own, mine, others, e.unrun} {
		slices.SortFunc(ids, func(a, b delta.ItemID) int { return cmp.Or(len(a)-len(b), strings.Compare(string(a), string(b))) })
	}
	if len(mine) > 0 {
		e.mine = append(e.mine, "the result of "+listed(mine)+", which you said you run")
	}
	if len(others) > 0 {
		e.others = append(e.others, "the result of "+listed(others))
	}
	if len(own) > 0 {
		e.mine = append(e.mine, listed(own)+", planned by you, to run or to drop")
	}
}

// expect leaves tests that nobody has run to who put them up, while that is still there: it is
// told to run or to drop them, and what is measured outside takes no call.
func (e *ending) expect(all []api.Working, tests []delta.Test) {
	for _, w := range all {
		var planned []delta.ItemID
		for _, t := range tests {
			if t.By == w.Agent && slices.Contains(e.unrun, t.Item) {
				planned = append(planned, t.Item)
			}
		}
		if len(planned) == 0 || w.Seen.IsZero() || w.Idle >= lately {
			continue
		}
		e.unrun = slices.DeleteFunc(e.unrun, func(id delta.ItemID) bool { return slices.Contains(planned, id) })
		e.against = true // what comes out may change it
		what := listed(planned)
		if len(planned) > mostPlanned {
			what = fmt.Sprintf("%d tests", len(planned))
		}
		e.others = append(e.others, fmt.Sprintf("%s, which %s has put up, to run or to drop", what, w.Agent))
	}
}

// mostPlanned is how many planned tests of another are named, not counted.
const mostPlanned = 3

// toRead says that nothing is left but to read what others wrote, for who says the answer.
func (e ending) toRead() bool { return e.says && e.over() && len(e.unread) > 0 }

// over says that nothing is left for anybody.
func (e ending) over() bool {
	return e.session != "" && !e.waits && !e.owes && !e.asks() && len(e.others) == 0
}

// allIn says that nothing is left for others but to hear the answer.
func (e ending) allIn() bool { return !e.waits && len(e.others) == 0 }

// contested says that others have something left that the answer may change for, or that the
// reader may do in the place of whoever says it.
func (e ending) contested() bool {
	return !e.waits && !e.owes && len(e.others) > 0 && (e.against || e.free != "")
}

// asks says that something is left for the reader, besides the conclusion.
func (e ending) asks() bool { return len(e.answer)+len(e.settle)+len(e.mine) > 0 }

// sentences are what is told once as long as it stays as it is.
func (e ending) sentences() []string {
	var out []string
	for _, c := range slices.Concat(e.answer, e.settle) {
		out = append(out, e.named(c))
	}
	if len(e.answer) > 0 {
		out = append(out, toAnswer)
	}
	if len(e.settle) > 0 {
		out = append(out, toSettle)
	}
	for _, said := range []string{e.signed, e.othersWords()} {
		if said != "" {
			out = append(out, said)
		}
	}
	if e.says || e.over() {
		for _, ref := range e.unread {
			out = append(out, isUnread(ref))
		}
	}
	return out
}

// named is a critique with what it is of and what became of that.
func (e ending) named(c delta.Critique) string {
	return fmt.Sprintf("%s %s", c.State, api.CritiqueName(c))
}

// names lists critiques, those that the reader was told of by their ids alone.
func (e ending) names(all []delta.Critique) string {
	var out []string
	for _, c := range all {
		name := string(c.Item)
		if !e.told[e.named(c)] {
			name = api.CritiqueName(c)
		}
		out = append(out, name)
	}
	return listed(out)
}

// What is told by howToAnswer and howToSettle, whichever critique they name.
const (
	toAnswer = "how critiques are answered"
	toSettle = "how critiques are settled"
)

func (e ending) howToAnswer() string {
	if len(e.answer) == 0 || e.told[toAnswer] {
		return ""
	}
	return fmt.Sprintf("where a critique is right, EDIT or KILL what it attacks, a hypothesis that would claim something else by KILL and ADD; where not, say why: request %s\n",
		jsonOf(map[string]any{"session": e.session, "items": []delta.ItemID{e.answer[0].Item}, "note": true}))
}

func (e ending) howToSettle() string {
	if len(e.settle) == 0 || e.told[toSettle] {
		return ""
	}
	return fmt.Sprintf("to settle a critique of yours, a delta like any other, or a line of its own below `RT holds`: `%s`; where the answer is not enough, EDIT its `attack` with what is missing, which opens it again\n", api.Settling(e.settle[0].Item))
}

// isUnread is told of a version that its reader has not read.
func isUnread(ref brenner.Ref) string { return "not read: " + ref.String() }

// unreadWords count what was not read and not named as such before, with the one call that
// reads it.
func (e ending) unreadWords() string {
	unread := slices.DeleteFunc(slices.Clone(e.unread), func(ref brenner.Ref) bool { return e.told[isUnread(ref)] })
	if len(unread) == 0 {
		return ""
	}
	why := "nobody waits for that"
	if e.says {
		why = "what the answer says of it is yours to read there first"
	}
	return fmt.Sprintf("written by others and not read by you (%s): %s\n", why, readCall(unread))
}

// readCall counts versions, and is the call that reads the first of them together.
func readCall(all []brenner.Ref) string {
	read := getRequest{Ref: cited{Ref: all[0]}}
	for _, ref := range all[1:min(len(all), mostRead)] {
		read.More = append(read.More, cited{Ref: ref})
	}
	return fmt.Sprintf("%d (%s): artifact_get %s", len(all), list(all), jsonOf(read))
}

func (e ending) othersWords() string {
	if len(e.others) == 0 {
		return ""
	}
	return fmt.Sprintf("left for others in %s: %s%s\n", e.session, strings.Join(e.others, "; "), e.freeWords())
}

// once is a sentence, if the reader was not told it.
func (e ending) once(sentence string) string {
	if e.told[sentence] {
		return ""
	}
	return sentence
}

// words say what is left, or that the reader may stop, and what it has not read.
func (e ending) words(warm bool) string {
	if e.session == "" {
		return ""
	}
	unread := ""
	if e.says && !e.toRead() || !e.says && e.over() { // nobody waits for it before
		unread = e.unreadWords()
	}
	return e.once(e.signed) + e.left(warm) + unread
}

// left says what is left, or that the reader may stop.
func (e ending) left(warm bool) string {
	switch others := e.once(e.othersWords()); {
	case e.asks():
		mine := slices.Clone(e.mine)
		if len(e.settle) > 0 {
			mine = slices.Insert(mine, 0, e.names(e.settle)+" to settle, or to attack further")
		}
		if len(e.answer) > 0 {
			mine = slices.Insert(mine, 0, e.names(e.answer)+" to answer")
		}
		return fmt.Sprintf("left for you in %s: %s\n", e.session, strings.Join(mine, "; ")) + e.howToAnswer() + e.howToSettle() + others
	case e.waits || e.owes: // who is waited for, and for what, is said where that is asked
		return others
	case len(e.others) > 0 && e.stopped:
		return fmt.Sprintf("nothing is asked of you in %s now; still left for others: %s%s\n", e.session, brenner.ClipWords(strings.Join(e.others, "; "), shortLeft), cmp.Or(e.freeWords(), ". Wait, or stop if your part is done"))
	case len(e.others) > 0:
		return e.stopWords()
	}
	if e.toRead() {
		return fmt.Sprintf("left for you in %s: whether the answer holds with what others wrote and you have not read: %s\n", e.session, readCall(e.unread))
	}
	out := fmt.Sprintf("nothing more is asked of you in %s: all have answered, the conclusion stands, no critique, test or task of yours is open. You may stop; whoever asked reads `RT`", e.session)
	if len(e.unrun) > 0 {
		out += fmt.Sprintf(". Run by nobody, and asked of nobody: %s", listed(e.unrun))
	}
	out += e.unsignedWords() + e.signWords()
	if warm {
		out += ". Others may still say something to the last answer: inbox {\"wait\":60} once more, or stop"
	}
	return out + "\n"
}

// signWords tell who does not stand behind the answer as it stands how it does.
func (e ending) signWords() string {
	switch {
	case e.sign == "":
		return ""
	case e.noted:
		return ". Your note on `RT` is newer than the answer: wait for what becomes of it, or sign all the same: " + e.sign
	case e.before:
		return ". You signed it before it was last corrected, and need not again; if these words should have it too: " + e.sign
	}
	return ". If you stand behind `RT`, sign it: " + e.sign
}

// unsignedWords tell who wrote the answer who has not said that it holds, as it stands.
func (e ending) unsignedWords() string {
	if len(e.unsigned) == 0 {
		return ""
	}
	return fmt.Sprintf(". Your answer as it stands is not signed by %s: wait for that, or stop", joined(e.unsigned))
}

// shortLeft is how much is said again of what is left for others.
const shortLeft = 160

// stopWords tell a reader for whom nothing is left what is left for others; "" to any other.
func (e ending) stopWords() string {
	if e.session == "" || e.asks() || e.waits || e.owes || len(e.others) == 0 {
		return ""
	}
	return fmt.Sprintf("nothing is asked of you in %s now; left for others: %s%s\n", e.session, strings.Join(e.others, "; "), cmp.Or(e.freeWords(), ". Wait for it: inbox {\"wait\":60}; or stop, if your part is done"))
}

// tellStop notes that its reader is told stopWords, and whether it was before.
func (e *ending) tellStop(s api.Service, ctx context.Context) {
	if said := e.stopWords(); said != "" {
		e.stopped = tellOnce(s, ctx, e.session, []string{said})[said]
	}
}

// freeWords offer the answer to a reader, where whoever says it is away and something is left (ADR 216).
func (e ending) freeWords() string {
	if e.free == "" {
		return ""
	}
	return fmt.Sprintf(". %s, who says the answer, has done nothing for a while: if you know what it should say, EDIT `RT` with `answer` alone", e.free)
}

// isWarm says whether others may still say something to the last answer.
func isWarm(info api.SessionInfo, me brenner.ActorName) bool {
	return warmOf(info, me, time.Now()) != ""
}

const thread delta.ItemID = "RT"

// partsOfAnswer is how far a reader was sent the answer of a session in parts: how many of
// them, and after how many whole the last time, -1 if never.
type partsOfAnswer struct{ parts, whole int }

// How many parts after an answer that was sent whole leave its reader with what it can put
// together itself, and up to how many they are counted.
const (
	fewParts  = 2
	mostParts = 30
)

// given notes that the answer is sent, in part or whole.
func (a *partsOfAnswer) given(s api.Service, ctx context.Context, id brenner.SessionID, inPart bool) {
	if inPart {
		a.parts = min(a.parts+1, mostParts)
		tellOnce(s, ctx, id, []string{answerPart(id, a.parts)})
		return
	}
	if a.whole < a.parts {
		a.whole = a.parts
		tellOnce(s, ctx, id, []string{answerWhole(id, a.parts)})
	}
}

func answerPart(id brenner.SessionID, n int) string {
	return fmt.Sprintf("the answer of %s: part %d", id, n)
}

func answerWhole(id brenner.SessionID, n int) string {
	return fmt.Sprintf("the answer of %s: whole after %d", id, n)
}

// answerGiven looks how far a reader was sent an answer.
func answerGiven(s api.Service, ctx context.Context, id brenner.SessionID) partsOfAnswer {
	out := partsOfAnswer{whole: -1}
	var sentences []string
	for n := range mostParts + 1 {
		sentences = append(sentences, answerPart(id, n), answerWhole(id, n))
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: id, Tell: sentences, Unseen: true})
	if err != nil {
		return out
	}
	for n := range mostParts + 1 {
		if slices.Contains(v.Told, answerPart(id, n)) {
			out.parts = n
		}
		if slices.Contains(v.Told, answerWhole(id, n)) {
			out.whole = n
		}
	}
	return out
}

// answerOnce notes how the answer of a session is sent in a page of what is new, and is the
// answer as it stands for a reader who has had it in parts alone for a while: whole, when
// nothing is left to be done (ADR 154), or when it was changed too often to be put together.
func answerOnce(s api.Service, ctx context.Context, p sessionPage, room int) string {
	shown := delta.BeginsWithThread(p.Text)
	if !shown && !p.end.over() {
		return ""
	}
	given, inPart := answerGiven(s, ctx, p.ID), slices.Contains(p.InPart, thread)
	if shown {
		given.given(s, ctx, p.ID, inPart)
	}
	few := fewParts
	switch {
	case !p.end.over() && !inPart:
		return ""
	case p.end.over() && p.end.sign != "":
		few = 1 // who is asked to sign it
	}
	if given.parts-max(given.whole, 0) <= few {
		return ""
	}
	answer := wholeAnswer(s, ctx, p.ID, room)
	if answer == "" {
		return "" // the call that reads it whole stands there
	}
	return "the answer as it stands, which you were sent in parts (data):\n" + answer
}

// withoutThread is a page without what changed in the thread, with which it begins.
func withoutThread(page string) string {
	if _, rest, more := strings.Cut(page, "\n## "); more {
		return "## " + rest
	}
	return ""
}

// withoutQuestion is a thread without what it asks, which its readers know: a field is a line
// and those below it that are indented.
func withoutQuestion(thread string) string {
	var b strings.Builder
	asks := false
	for line := range strings.Lines(thread) {
		if asks = strings.HasPrefix(line, "Statement: ") || asks && strings.HasPrefix(line, "    "); !asks {
			b.WriteString(line)
		}
	}
	return b.String()
}
