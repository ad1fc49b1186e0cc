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
	"brenner/roster"
)

// Who was asked first divides the work (ADR 117). The others are told who that is and
// how long they wait for it, and each what its part is.

// How much of a part stands in a line beside other things: of the reader's own, and of
// those of others.
const (
	partInLine = 200
	partBeside = 100
)

// announcedIn are the tasks of a session that are not taken back, the newest first.
func announcedIn(s api.Service, ctx context.Context, session brenner.SessionID) ([]api.TaskInfo, error) {
	list, err := s.Tasks(ctx, api.ListTasksRequest{
		Page: api.Page{Limit: brenner.MaxPage}, States: []api.TaskState{api.TaskOpen, api.TaskClaimed, api.TaskDone}, Newest: true,
	})
	return slices.DeleteFunc(list.Tasks, func(t api.TaskInfo) bool { return t.Session != session || t.Kind == api.TaskNote }), err
}

// division is how far the work of a session is divided, for one who has not answered.
type division struct {
	by      api.TaskInfo // which leaves it a part
	part    string
	first   brenner.ActorName // who divides, or was to
	awaited bool              // nobody has, or gone ahead without
	until   time.Time         // how long the others wait for that
}

// partWords say its reader what its part is.
func (d division) partWords() string {
	return fmt.Sprintf("your part, as %s divides the work (%s, data): %s\n", d.by.Creator, d.by.ID, brenner.OneLine(d.part))
}

// waits says whether its reader still waits for its part.
func (d division) waits() bool { return d.awaited && time.Now().Before(d.until) }

// divisionOf says how far the work of a session is divided for somebody; false if that is
// no question, or none any more.
func divisionOf(s api.Service, ctx context.Context, info api.SessionInfo, working []api.Working, me brenner.ActorName) (d division, open bool, err error) {
	i := slices.IndexFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == me })
	if len(info.Recipients) < 2 || i < 0 || !info.Recipients[i].Waiting || !info.Closed.IsZero() {
		return d, false, nil
	}
	all, err := announcedIn(s, ctx, info.ID)
	if err != nil {
		return d, false, err
	}
	d.first = info.Recipients[0].Name
	for _, t := range all {
		for _, p := range t.Parts {
			if p.Agent == me && t.Creator != me {
				d.by, d.part = t, p.Part
				return d, true, nil
			}
		}
	}
	begun := func(t api.TaskInfo) bool { return t.Creator == d.first || len(t.Parts) > 0 }
	answered := func(r api.Recipient) bool { return !r.Waiting }
	d.awaited = info.Compiles == 0 && !slices.ContainsFunc(info.Recipients, answered) && !slices.ContainsFunc(all, begun)
	since := info.Created
	for _, w := range working {
		if w.Agent == me {
			since = w.Since
		}
	}
	d.until = since.Add(roster.DivideWithin)
	return d, true, nil
}

// awaitsDivision says whether somebody who has just been asked in a session waits for its
// part of the work.
func awaitsDivision(s api.Service, ctx context.Context, session brenner.SessionID) bool {
	list, err := ownSessions(s, ctx)
	if err != nil {
		return false
	}
	me, err := s.Project(ctx)
	if err != nil {
		return false
	}
	for _, info := range list.Sessions {
		if info.ID == session {
			d, open, err := divisionOf(s, ctx, info, []api.Working{{Agent: me.Actor, Since: time.Now()}}, me.Actor)
			return err == nil && open && d.waits()
		}
	}
	return false
}

// divided says what somebody who has not answered yet needs to know of the division:
// its part, that it divides, or who does and how long to wait for that. Its part stands
// there whole once, and again if that is asked for; told are tasks that were looked up.
func divided(s api.Service, ctx context.Context, info api.SessionInfo, working []api.Working, me brenner.ActorName, told toldTasks, again bool) (string, error) {
	d, open, err := divisionOf(s, ctx, info, working, me)
	switch until := d.until.UTC().Format("15:04 MST"); {
	case err != nil || !open:
		return "", err
	case d.part != "":
		before, known := told[d.by.ID]
		if !known {
			before = tellOf(s, ctx, d.by.ID)[d.by.ID]
		}
		if before && !again {
			return fmt.Sprintf("your part: as %s divided it (%s)\n", d.by.Creator, d.by.ID), nil
		}
		return d.partWords(), nil
	case !d.awaited || me == d.first && !d.waits():
		return "", nil
	case me == d.first:
		return fmt.Sprintf("you divide the work, and the others wait for that until %s: request %s\n", until, jsonOf(dividing(info))), nil
	case !d.waits():
		return fmt.Sprintf("%s was to divide the work and has not: go ahead with what is yours by your role\n", d.first), nil
	default:
		return fmt.Sprintf("%s has until %s to divide the work; without a part by then, go ahead\n", d.first, until), nil
	}
}

// whatToRead is the context for somebody's part of the work, which is made when the part
// is known: it goes on from the survey that came with the kickoff, and is ranked by
// the question and the part (ADR 124). room is how many characters it may have; whose
// kickoff was read just now is left for the next answer.
func whatToRead(s api.Service, ctx context.Context, just []letter, room int) (p contextPage, session brenner.SessionID) {
	list, err := ownSessions(s, ctx)
	if err != nil {
		return p, ""
	}
	me, err := s.Project(ctx)
	if err != nil {
		return p, ""
	}
	for _, info := range list.Sessions {
		waiting := func(r api.Recipient) bool { return r.Name == me.Actor && r.Waiting }
		begins := func(l letter) bool { return l.Kind == api.MessageKickoff && l.Session == info.ID }
		if len(info.Recipients) < 2 || !info.Closed.IsZero() || !slices.ContainsFunc(info.Recipients, waiting) || slices.ContainsFunc(just, begins) {
			continue
		}
		v, err := s.Session(ctx, api.SessionRequest{ID: info.ID, Unseen: true})
		if err != nil || !v.Survey {
			continue
		}
		d, _, err := divisionOf(s, ctx, info, v.Working, me.Actor)
		if err != nil || d.waits() {
			continue
		}
		told := slices.ContainsFunc(just, func(l letter) bool { return d.by.ID != "" && l.Task == d.by.ID })
		p, err := assembleContext(s, ctx, contextRequest{Session: info.ID, After: v.GoOn.Args["after"], room: room, told: told, part: true})
		if err == nil {
			return p, info.ID
		}
	}
	return p, ""
}

// partOf is divided for who announces work of its own.
func partOf(s api.Service, ctx context.Context, session brenner.SessionID, me brenner.ActorName, told toldTasks) (string, error) {
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Unseen: true})
	if err != nil {
		return "", nil //nolint:nilerr // it is announced, whatever comes of this
	}
	return divided(s, ctx, v.SessionInfo, v.Working, me, told, false)
}

// dividing is the call that divides the work of a session.
func dividing(info api.SessionInfo) workRequest {
	in := workRequest{Session: info.ID, Claim: true, Title: "I …"}
	for _, r := range info.Recipients[1:min(len(info.Recipients), 4)] {
		in.Parts = append(in.Parts, string(r.Name)+": …")
	}
	return in
}

// partsLeft lists what a task leaves to others than the reader, in a line.
func partsLeft(t api.TaskInfo, me brenner.ActorName) string {
	var parts []string
	cut := false
	for _, p := range t.Parts {
		if p.Agent == me {
			continue // it is told its own
		}
		cut = cut || utf8.RuneCountInString(p.Part) > partBeside
		parts = append(parts, fmt.Sprintf("%s: %s", p.Agent, brenner.ClipWords(brenner.OneLine(p.Part), partBeside)))
	}
	if len(parts) == 0 {
		return ""
	}
	whole := ""
	if cut {
		whole = "; whole: " + getTask(t.ID)
	}
	return fmt.Sprintf("  leaves (data) to %s%s\n", strings.Join(parts, "; "), whole)
}

// getTask is the call that reads a task.
func getTask(id string) string { return "artifact_get " + jsonOf(map[string]string{"ref": id}) }
