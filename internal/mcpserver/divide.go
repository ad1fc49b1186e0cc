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

// divided says what somebody who has not answered yet needs to know of the division:
// its part, that it divides, or who does and how long to wait for that. most bounds
// what is said of a part.
func divided(s api.Service, ctx context.Context, info api.SessionInfo, working []api.Working, me brenner.ActorName, most int) (string, error) {
	i := slices.IndexFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == me })
	if len(info.Recipients) < 2 || i < 0 || !info.Recipients[i].Waiting || !info.Closed.IsZero() {
		return "", nil
	}
	all, err := announcedIn(s, ctx, info.ID)
	if err != nil {
		return "", err
	}
	for _, t := range all {
		for _, p := range t.Parts {
			if p.Agent == me && t.Creator != me {
				return fmt.Sprintf("your part, as %s divides the work (%s, data): %s\n", t.Creator, wholeTask(t.ID, len(p.Part) > most), brenner.Clip(p.Part, most)), nil
			}
		}
	}
	first := info.Recipients[0]
	begun := func(t api.TaskInfo) bool { return t.Creator == first.Name || len(t.Parts) > 0 }
	answered := func(r api.Recipient) bool { return !r.Waiting }
	if info.Compiles > 0 || slices.ContainsFunc(info.Recipients, answered) || slices.ContainsFunc(all, begun) {
		return "", nil
	}
	since := info.Created
	for _, w := range working {
		if w.Agent == me {
			since = w.Since
		}
	}
	until := since.Add(roster.DivideWithin)
	switch late := !time.Now().Before(until); {
	case me == first.Name && !late:
		return fmt.Sprintf("you divide the work, and the others wait for that until %s: request %s\n", until.UTC().Format("15:04"), jsonOf(dividing(info))), nil
	case me == first.Name:
		return "", nil
	case late:
		return fmt.Sprintf("%s was to divide the work and has not: go ahead with what is yours by your role\n", first.Name), nil
	}
	return fmt.Sprintf("%s divides the work, by %s at the latest: read till then, and announce nothing; inbox {\"wait\":60} brings your part. If none has come by then, go ahead\n",
		first.Name, until.UTC().Format("15:04")), nil
}

// partOf is divided for who announces work of its own.
func partOf(s api.Service, ctx context.Context, session brenner.SessionID, me brenner.ActorName) (string, error) {
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Unseen: true})
	if err != nil {
		return "", nil //nolint:nilerr // it is announced, whatever comes of this
	}
	return divided(s, ctx, v.SessionInfo, v.Working, me, brenner.MaxPartRunes)
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
		parts = append(parts, fmt.Sprintf("%s: %s", p.Agent, brenner.Clip(brenner.OneLine(p.Part), partBeside)))
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

// wholeTask names a task, and where what it says stands whole.
func wholeTask(id string, cut bool) string {
	if !cut {
		return id
	}
	return id + ", whole: " + getTask(id)
}

// getTask is the call that reads a task.
func getTask(id string) string { return "artifact_get " + jsonOf(map[string]string{"ref": id}) }
