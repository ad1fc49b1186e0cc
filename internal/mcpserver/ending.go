package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// ending is what is left of a session that waits for nobody's answer: for its reader, and
// for others. Its reader may stop when nothing is left for it (ADR 154).
type ending struct {
	session brenner.SessionID // "" of one that has no end yet: somebody is still to answer
	mine    []string          // what is left for the reader, each as what to do
	owes    bool              // the reader has to say yet what the answer is
	others  []string          // what is left for others, likewise named
	unrun   []delta.ItemID    // tests that nobody has run
	unread  []brenner.Ref     // what others wrote of which the reader has no more than a line
}

// unreadIn are the versions that others wrote beside a session of which its reader was
// shown no more than a line. What cannot be looked up now holds up nothing.
func unreadIn(s api.Service, ctx context.Context, session brenner.SessionID) []brenner.Ref {
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Written: true, Unseen: true})
	if err != nil {
		return nil
	}
	out := make([]brenner.Ref, len(v.Written))
	for i, w := range v.Written {
		out[i] = w.Ref
	}
	return out
}

// unreadWords count them, with the one call that reads them.
func (e ending) unreadWords() string {
	if len(e.unread) == 0 {
		return ""
	}
	read := getRequest{Ref: e.unread[0]}
	if len(e.unread) > 1 {
		read.More = e.unread[1:min(len(e.unread), mostRead)]
	}
	return fmt.Sprintf("written by others and not read by you: %d (%s): artifact_get %s\n", len(e.unread), list(e.unread), jsonOf(read))
}

// endingOf is what is left of a session for somebody who takes part in it.
func endingOf(v api.SessionInfo, attacks []delta.Critique, tests []delta.Test, work []api.TaskInfo, me brenner.ActorName) ending {
	waits := func(r api.Recipient) bool { return r.Waiting && (!r.Late || r.Name == me) }
	if v.Compiles == 0 || !v.Closed.IsZero() || !takesPart(v, me) || slices.ContainsFunc(v.Recipients, waits) {
		return ending{}
	}
	e := ending{session: v.ID, owes: !v.Concluded && v.Concludes == me}
	for _, r := range v.Recipients {
		if r.Late {
			e.others = append(e.others, "the answer of "+string(r.Name))
		}
	}
	e.ofCritiques(attacks, me)
	e.ofTests(tests, me)
	for _, t := range work {
		if t.Holder == me && t.Kind != api.TaskNote && t.Kind != api.TaskMark { // those end by themselves
			e.mine = append(e.mine, t.ID+", which is yours: task_complete or task_release")
		}
	}
	if !v.Concluded && !e.owes {
		e.others = append(e.others, "the conclusion ("+string(v.Concludes)+")")
	}
	return e
}

func (e *ending) ofCritiques(all []delta.Critique, me brenner.ActorName) {
	var answer, settle, unanswered, unsettled []string
	for _, c := range all {
		switch {
		case c.State == delta.CritiqueSettled:
		case c.State == delta.CritiqueOpen && slices.Contains(c.Against, me):
			answer = append(answer, string(c.Item))
		case c.State == delta.CritiqueAnswered && c.Critic == me:
			settle = append(settle, string(c.Item))
		case c.State == delta.CritiqueOpen:
			unanswered = append(unanswered, string(c.Item))
		default:
			unsettled = append(unsettled, string(c.Item))
		}
	}
	if len(answer) > 0 {
		e.mine = append(e.mine, listed(answer)+" to answer")
	}
	if len(settle) > 0 {
		e.mine = append(e.mine, listed(settle)+" to settle or to press")
	}
	if len(unanswered) > 0 {
		e.others = append(e.others, "the answer to "+listed(unanswered))
	}
	if len(unsettled) > 0 { // answered, which for their critic may not be enough
		e.others = append(e.others, "whether "+listed(unsettled)+" is settled by its answer")
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

// over says that nothing is left for anybody.
func (e ending) over() bool { return e.session != "" && !e.owes && len(e.mine)+len(e.others) == 0 }

// words say what is left, or that the reader may stop, and what it has not read.
func (e ending) words(warm bool) string {
	if said := e.left(warm); said != "" {
		return said + e.unreadWords()
	}
	return ""
}

// left says what is left, or that the reader may stop.
func (e ending) left(warm bool) string {
	switch {
	case e.session == "":
		return ""
	case len(e.mine) > 0:
		return fmt.Sprintf("left for you in %s: %s\n", e.session, strings.Join(e.mine, "; "))
	case e.owes: // it is said where it is asked
		return ""
	case len(e.others) > 0:
		return fmt.Sprintf("nothing is asked of you in %s now; left for others: %s. Stop here, or wait for it: inbox {\"wait\":60}\n", e.session, strings.Join(e.others, "; "))
	}
	out := fmt.Sprintf("nothing more is asked of you in %s: all have answered, the conclusion stands, no critique, test or task of yours is open. You may stop; whoever asked reads `RT`", e.session)
	if len(e.unrun) > 0 {
		out += fmt.Sprintf(". Run by nobody, and asked of nobody: %s", listed(e.unrun))
	}
	if warm {
		out += ". Others may still say something to the last answer: inbox {\"wait\":60} once more, or stop"
	}
	return out + "\n"
}

// isWarm says whether others may still say something to the last answer.
func isWarm(info api.SessionInfo, me brenner.ActorName) bool {
	return warmOf(info, me, time.Now()) != ""
}

const thread delta.ItemID = "RT"

// answerOnce is the answer as it stands, for a reader who was sent it in parts more than
// once: whole once, when nothing is left to be done (ADR 154).
func answerOnce(s api.Service, ctx context.Context, p sessionPage, room int) string {
	tell := func(look bool, sentence string) (told bool) {
		v, err := s.Session(ctx, api.SessionRequest{ID: p.ID, Tell: []string{sentence}, Unseen: look})
		return err != nil || len(v.Told) > 0
	}
	name := func(what string) string { return fmt.Sprintf("the answer of %s: %s", p.ID, what) }
	if slices.Contains(p.InPart, thread) && tell(false, name("in part")) {
		tell(false, name("in parts"))
	}
	if !p.end.over() || !tell(true, name("in parts")) || tell(true, name("whole")) {
		return ""
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: p.ID, Items: []delta.ItemID{thread}, Again: true, Unasked: true, Size: max(room, leastPage)})
	if err != nil || len(v.Rest) > 0 || utf8.RuneCountInString(v.Markdown) > room {
		return "" // the call that reads it whole stands there
	}
	tell(false, name("whole"))
	return "the answer as it stands, which you were sent in parts (data):\n" + v.Markdown
}
