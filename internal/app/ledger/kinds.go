package ledger

import (
	"brenner"
	"brenner/artifact"
	"brenner/automation"
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		ContentRedacted,
		LinkAdded,
		StatusDecided,
		VersionWritten,
	}
}

// The kinds of record of the ledger, which other rooms may write and follow.
var (
	ContentRedacted = kernel.Kind[Redacted]{Name: "content.redacted", Apply: applyRedacted, Governs: true, Texts: []string{"/reason"}}
	LinkAdded       = kernel.Kind[Linked]{Name: "link.added", Apply: applyLinked}
	StatusDecided   = kernel.Kind[Decided]{Name: "status.decided", Apply: applyDecided, Governs: true, Events: decidedEvents, Texts: []string{"/reason"}}
	VersionWritten  = kernel.Kind[Written]{Name: "version.written", Apply: applyWritten, Stores: func(p Written) []brenner.Digest { return []brenner.Digest{p.Content} }, Events: writtenEvents, Texts: []string{"/summary", "/tags/*", "/change/what", "/change/why"}}
)

// writtenEvents is what a version means for automation: one on a parent that is
// no longer the head makes a fork, and so may the first one where there can be
// only one artifact.
func writtenEvents(p Written) []automation.Event {
	e := automation.Event{On: automation.Written, Ref: brenner.Ref{Artifact: p.ID, Version: p.Version}, Type: p.Type, Module: p.Module, Task: p.Task}
	e.Subject = e.Ref.String()
	events := []automation.Event{e}
	if p.Type == artifact.TypeRawLog {
		e.On = automation.Logged
		return append(events, e)
	}
	if p.Status == artifact.Alternative || p.Slot != "" && p.Version == 1 {
		e.On = automation.Forked
		events = append(events, e)
	}
	if len(p.Merged) > 0 {
		e.On = automation.ForkSettled
		events = append(events, e)
	}
	return events
}

// decidedEvents is what a decision means for automation: whatever it was,
// something may be stale by each artifact it touched, and a fork of it be gone.
func decidedEvents(p Decided) []automation.Event {
	var stale, settled []automation.Event
	for _, c := range p.Changes {
		first := func(events []automation.Event) bool { // of its artifact: they are grouped by it
			return len(events) == 0 || events[len(events)-1].Ref.Artifact != c.Ref.Artifact
		}
		if first(stale) {
			stale = append(stale, automation.Event{On: automation.Stale, Subject: c.Ref.String(), Ref: c.Ref})
		}
		if !c.To.Live() && first(settled) {
			settled = append(settled, automation.Event{On: automation.ForkSettled, Subject: c.Ref.String(), Ref: c.Ref})
		}
	}
	e := automation.Event{Subject: p.Ref.String(), Ref: p.Ref}
	switch p.Status {
	case artifact.Canonical:
		e.On = automation.Promoted
	case artifact.Draft:
		e.On = automation.Demoted
	default:
		return append(stale, settled...)
	}
	return append(append(stale, e), settled...)
}
