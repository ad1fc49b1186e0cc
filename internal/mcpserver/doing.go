package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
)

// What an agent does next it says with any look or write, and is told with any of them what
// the others do (ADR 219): so that the same is not done twice by who did not know.

// seenDoing is what it is told of what becomes of its own word, once.
const seenDoing = "the others see what you do next, till your next reply to the session or till you say what else\n"

// turnTold says of a reader that it was told once how its shell takes turns.
const turnTold = "a shell waits for your turn"

// saidDoing is what becomes of what the reader said that it does next.
type saidDoing struct {
	words, hold string
	alike       bool // another may be at the same
	forHold     bool // what it would have alone was asked for with this look
	task        api.TaskInfo
}

// taken says whether another has what the reader would have alone.
func (d saidDoing) taken() bool { return d.task.Held != nil }

// command says how a shell takes its turn with what the reader asked for: whenever that is not
// its yet, and else once. An item is written by a reply, and by no command.
func (d saidDoing) command(s api.Service, ctx context.Context, hold string) string {
	name := d.task.Hold
	if d.taken() {
		name = d.task.Wants
	}
	if hold == "" || name == "" || (api.TaskInfo{Hold: name}).HeldItem() != "" {
		return ""
	}
	if told := tellOnce(s, ctx, d.task.Session, []string{turnTold})[turnTold]; told && !d.taken() {
		return ""
	}
	return turnCommand(ctx, name, hold)
}

// inLine says that the reader waits for its turn alone, so that no news end that.
func (d saidDoing) inLine() bool { return d.forHold && d.taken() }

// isFree says whether no other has that any more, or is kept it.
func (d saidDoing) isFree(s api.Service, ctx context.Context) (bool, error) {
	all, err := tasksOf(s, ctx, d.task.Session)
	return !slices.ContainsFunc(all, func(t api.TaskInfo) bool {
		return t.Holder != d.task.Holder && (strings.EqualFold(t.Hold, d.task.Wants) || strings.EqualFold(t.Wants, d.task.Wants) && !t.OfferedUntil.IsZero())
	}), err
}

// again asks once more for what the reader would have alone, if that came free: it has it then,
// or it is kept for who waits longer.
func (d *saidDoing) again(s api.Service, ctx context.Context) error {
	if free, err := d.isFree(s, ctx); err != nil || !free {
		return err
	}
	next, err := sayDoing(s, ctx, keyed{}, "", d.task.Wants)
	if err == nil {
		d.hold, d.task = next.hold, next.task
	}
	return err
}

// sayDoing says what the reader does next, in the newest open session that it was asked in,
// and what it is to have alone for that.
func sayDoing(s api.Service, ctx context.Context, key keyed, words, hold string) (saidDoing, error) {
	info, me, err := ownOpen(s, ctx)
	if err != nil {
		return saidDoing{}, err
	}
	if info.ID == "" {
		at := "/doing"
		if words == "" {
			at = "/hold"
		}
		return saidDoing{}, brenner.Errorf(brenner.CodeInvalidValue, "what you do next is told to the others of a session, and you were asked in none that is open").At(at).
			WithHint("leave it out")
	}
	t, err := s.NewTask(ctx, api.NewTaskRequest{Write: key.also("doing"), Session: info.ID, Title: words, Hold: hold, Doing: true})
	if err != nil {
		return saidDoing{}, err
	}
	return saidDoing{words: doingWords(s, ctx, t, me), hold: holdWords(t, hold), alike: len(t.Alike) > 0, task: t}, nil
}

// holdWords say whether the reader has what it would have alone, who else has it, and what it
// gave back with another word.
func holdWords(t api.TaskInfo, hold string) string {
	gave := ""
	if t.GaveBack != "" {
		gave = fmt.Sprintf("with that you gave %s back\n", t.GaveBack)
	}
	switch h := t.Held; {
	case hold == "" && t.Hold != "" && t.HeldItem() == "":
		return gave + fmt.Sprintf("%s stays yours alone till %s; hold \"%s\" gives it back\n", t.Hold, clockOf(t.HoldUntil), api.NoHold)
	case hold == "" && t.Wants != "":
		return gave + fmt.Sprintf("you keep your place in line for %s; hold \"%s\" gives it up\n", t.Wants, api.NoHold)
	case hold == "":
		return gave
	case h != nil:
		how, what := "has it", ""
		if h.Offered {
			how = "waited longer, and it is kept for it"
		}
		if h.Title != "" {
			what = " (data): " + brenner.OneLine(h.Title)
		}
		if len(h.Before) > 0 {
			what += "\nbefore you wait " + listed(h.Before)
		}
		return gave + fmt.Sprintf("%s is not yours: %s %s till %s%s\nyou wait in line, which others are told; once it is your turn your next inbox call has it, one with wait at once\n", t.Wants, h.Agent, how, clockOf(h.Until), what)
	case t.Hold == "":
		return gave
	case t.HeldItem() != "":
		return gave + fmt.Sprintf("%s is yours alone till %s, or till your next reply or doing\n", t.Hold, clockOf(t.HoldUntil))
	}
	return gave + fmt.Sprintf("%s is yours alone till %s, or till hold \"%s\"; the same call prolongs that\n", t.Hold, clockOf(t.HoldUntil), api.NoHold)
}

// ownWord is what the reader said that it does next, in the newest open session that it was
// asked in; none, if that is over.
func ownWord(s api.Service, ctx context.Context) (api.TaskInfo, error) {
	info, me, err := ownOpen(s, ctx)
	if err != nil || info.ID == "" {
		return api.TaskInfo{}, err
	}
	all, err := tasksOf(s, ctx, info.ID)
	if i := slices.IndexFunc(all, func(t api.TaskInfo) bool { return t.Holder == me && t.Hold+t.Wants != "" }); err == nil && i >= 0 {
		return all[i], nil
	}
	return api.TaskInfo{}, err
}

// clockOf is a time of day to the second: what is held is so for minutes.
func clockOf(t time.Time) string { return t.UTC().Format("15:04:05 MST") }

// ownOpen is the newest open session that the reader was asked in; none, if there is none.
func ownOpen(s api.Service, ctx context.Context) (api.SessionInfo, brenner.ActorName, error) {
	list, err := ownSessions(s, ctx)
	if err != nil {
		return api.SessionInfo{}, "", err
	}
	me, err := s.Project(ctx)
	if err != nil {
		return api.SessionInfo{}, "", err
	}
	for _, info := range list.Sessions {
		if info.Closed.IsZero() && takesPart(info, me.Actor) {
			return info, me.Actor, nil
		}
	}
	return api.SessionInfo{}, me.Actor, nil
}

// doingWords say what becomes of what somebody said that it does next, and who does that already.
func doingWords(s api.Service, ctx context.Context, t api.TaskInfo, me brenner.ActorName) string {
	var b strings.Builder
	if !tellOnce(s, ctx, t.Session, []string{seenDoing})[seenDoing] {
		b.WriteString(seenDoing)
	}
	for _, a := range t.Alike {
		what := fmt.Sprintf("%s (%s, data): %s", atIt(a), a.ID, brenner.ClipWords(brenner.OneLine(a.Title), partInLine))
		switch {
		case a.Part:
			fmt.Fprintf(&b, "may be what %s left to %s (%s, data): %s: do only the rest\n", a.Creator, a.Holder, a.ID, brenner.ClipWords(brenner.OneLine(a.Title), partInLine))
		case a.Yields:
			fmt.Fprintf(&b, "%s; your part stands: it was told to leave it to you\n", what)
		default:
			fmt.Fprintf(&b, "%s; that may be the same, and was first: do only the rest, or something else, and say that\n", what)
		}
	}
	if all, err := tasksOf(s, ctx, t.Session); err == nil {
		all = slices.DeleteFunc(all, func(o api.TaskInfo) bool {
			return slices.ContainsFunc(t.Alike, func(a api.AlikeTask) bool { return a.ID == o.ID })
		})
		b.WriteString(alreadyAt(t, all, time.Now()))
	}
	return b.String() + runBefore(s, ctx, t.Session, itemsOf(t), me)
}

// othersDo says what others of an open session said that they are at and the reader was not
// told: work of their own, each once.
func othersDo(s api.Service, ctx context.Context) string {
	info, me, err := ownOpen(s, ctx)
	if err != nil || info.ID == "" || len(info.Recipients) < 2 {
		return ""
	}
	all, err := tasksOf(s, ctx, info.ID)
	if err != nil {
		return ""
	}
	all = slices.DeleteFunc(all, func(t api.TaskInfo) bool { return t.Holder == me || t.Holder == "" || t.Holder != t.Creator })
	told := tellUnderWay(s, ctx, all)
	return underWay(slices.DeleteFunc(all, func(t api.TaskInfo) bool { return told[t.ID] }), me, nil)
}
