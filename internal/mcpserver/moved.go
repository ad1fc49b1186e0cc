package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// How many artifacts are shown that somebody named and that have changed since, and how
// much of each and of all.
const (
	mostMoved   = 4
	movedText   = 1200
	movedInAll  = 2400
	leastOfText = 300
)

// movedItems shows what has changed of items that somebody named, after the version of the
// session that it had read, where a warning says that they have. It is a read like any other:
// charged, and not sent if it was (C34).
func movedItems(s api.Service, ctx context.Context, id brenner.SessionID, known brenner.Version, found []brenner.Diagnostic) string {
	var items []delta.ItemID
	for _, w := range found {
		if _, is := movedRef(w); w.Code == brenner.CodeReferenceMoved && !is {
			items = append(items, delta.ItemID(w.Subject))
		}
	}
	if len(items) == 0 || known == 0 {
		return ""
	}
	var b strings.Builder
	v, err := s.Session(ctx, api.SessionRequest{ID: id, Items: items, Since: known, Unasked: true})
	if err == nil && v.Markdown != "" {
		fmt.Fprintf(&b, "what changed of them since version %d, which you had read (data):\n%s%s", known, v.Markdown, inPart(id, v.InPart))
	}
	if len(v.Before) > 0 {
		fmt.Fprintf(&b, "given to you before, as they are now: %s\n", listed(v.Before))
	}
	if left := v.Rest; err != nil || len(left) > 0 {
		if err != nil {
			left = items
		}
		fmt.Fprintf(&b, "what changed of %s: session_show %s\n", listed(left), jsonOf(sessionRequest{Session: id, Items: most(left), Since: known}))
	}
	return b.String()
}

// movedRef is the version that a warning says has moved, if it is of one.
func movedRef(w brenner.Diagnostic) (ref brenner.Ref, is bool) {
	ref, err := brenner.ParseRef(w.Subject)
	return ref, w.Code == brenner.CodeReferenceMoved && err == nil && ref.Version > 0
}

// changes are what has changed of artifacts, and the versions of which it shows that.
type changes struct {
	words string
	shown []brenner.Ref
}

// movedTexts shows what has changed of artifacts that somebody named, after the version that
// it named, where a warning says that they have: of each once, and of what its reader was
// given no more than the name. It is read after all that may matter more, so that
// it takes no room from that.
func movedTexts(s api.Service, ctx context.Context, found []brenner.Diagnostic) (out changes) {
	var refs []brenner.Ref // of each artifact the earliest that is named
	for _, w := range found {
		ref, is := movedRef(w)
		if !is {
			continue
		}
		if i := slices.IndexFunc(refs, func(r brenner.Ref) bool { return r.Artifact == ref.Artifact }); i >= 0 {
			refs[i].Version = min(refs[i].Version, ref.Version)
			continue
		}
		refs = append(refs, ref)
	}
	if len(refs) == 0 {
		return out
	}
	me, err := s.Project(ctx)
	if err != nil {
		return out
	}
	var b strings.Builder
	var known []string
	room := movedInAll
	for i, ref := range refs {
		if _, err := s.Session(ctx, api.SessionRequest{ID: brenner.SessionID(ref.Artifact), Unseen: true}); err == nil {
			fmt.Fprintf(&b, "what changed after %s: session_show %s\n", ref, jsonOf(sessionRequest{Session: brenner.SessionID(ref.Artifact), Since: ref.Version}))
			continue
		}
		if i >= mostMoved || room < leastOfText {
			b.WriteString(callSince(ref))
			continue
		}
		d, err := s.Diff(ctx, api.DiffRequest{From: ref, To: brenner.Ref{Artifact: ref.Artifact}, Unasked: true, Most: min(room, movedText)})
		switch {
		case brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassLimit:
			b.WriteString(callSince(ref))
		case err != nil || len(d.Notes) > 0 && d.Notes[len(d.Notes)-1].Creator == me.Actor:
		case d.From == d.To:
			known = append(known, d.To.String())
		default:
			said := beginning(d)
			room -= len(said)
			out.shown = append(out.shown, d.To)
			fmt.Fprintf(&b, "what %s changed after %s (data):\n%s", d.To, d.From, said)
		}
	}
	if len(known) > 0 {
		fmt.Fprintf(&b, "given to you before: %s\n", strings.Join(known, ", "))
	}
	out.words = b.String()
	return out
}

// callSince is the call that shows what changed after a version.
func callSince(ref brenner.Ref) string {
	return fmt.Sprintf("what changed after %s: artifact_get %s\n", ref, jsonOf(map[string]any{"ref": ref.Artifact, "since": ref.Version}))
}

// beginning is as much of a difference as an answer to something else has room for, and the
// call that gives the rest.
func beginning(d api.DiffResult) string {
	text, without := d.Beginning()
	if f := d.Summary(); f != nil && len(d.Content) == 0 {
		text = "summary: " + brenner.OneLine(summaryNow(*f)) + "\n" + text
	}
	out := brenner.Fenced("", strings.TrimRight(text, "\n"))
	if without != "" {
		out += fmt.Sprintf("[%s; all of it: artifact_get %s]\n", without, jsonOf(getRequest{Ref: cited{Ref: d.To}, Since: d.From.Version, Again: true}))
	}
	return out
}

// warned are the warnings about all deltas of a reply.
func warned(deltas []api.SubmittedDelta) []brenner.Diagnostic {
	var out []brenner.Diagnostic
	for _, d := range deltas {
		out = append(out, d.Warnings...)
	}
	return out
}

// twins are the items that say nearly what somebody added.
func twins(deltas []api.SubmittedDelta) []delta.ItemID {
	var out []delta.ItemID
	for _, w := range warned(deltas) {
		if id := delta.ItemID(w.Subject); w.Code == brenner.CodeItemAlike && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
