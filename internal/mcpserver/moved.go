package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
)

// How many things are shown that somebody named and that have changed since, and
// how much of each.
const (
	mostMoved = 4
	movedText = 1200
)

// changedSince shows what has changed of what somebody named, where a warning says
// that it has: items of a session after the version that was read, artifacts after
// the version that was named. It is a read like any other: charged, and not sent
// if it was (C34); what its reader wrote itself is left out.
func changedSince(s api.Service, ctx context.Context, id brenner.SessionID, known brenner.Version, found []brenner.Diagnostic) string {
	var items []delta.ItemID
	var refs []brenner.Ref
	for _, w := range found {
		if w.Code != brenner.CodeReferenceMoved {
			continue
		}
		if ref, err := brenner.ParseRef(w.Subject); err == nil && ref.Version > 0 {
			refs = append(refs, ref)
		} else {
			items = append(items, delta.ItemID(w.Subject))
		}
	}
	var b strings.Builder
	if len(items) > 0 && known > 0 {
		v, err := s.Session(ctx, api.SessionRequest{ID: id, Items: items, Since: known, Unasked: true})
		if err == nil && v.Markdown != "" {
			fmt.Fprintf(&b, "what changed of them since version %d, which you had read (data; an id of another session or project is written with that, RS-other/T1):\n%s%s", known, v.Markdown, inPart(id, v.InPart))
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
	}
	if len(refs) == 0 {
		return b.String()
	}
	me, err := s.Project(ctx)
	if err != nil {
		return b.String()
	}
	refs = slices.Compact(refs)
	for i, ref := range refs {
		if i >= mostMoved {
			fmt.Fprintf(&b, "what changed after %s: artifact_get %s\n", ref, jsonOf(map[string]any{"ref": ref.Artifact, "since": ref.Version}))
			continue
		}
		p, err := artifactSince(s, ctx, getRequest{Ref: brenner.Ref{Artifact: ref.Artifact}, Since: ref.Version, beside: true})
		if err == nil && p.Type == artifact.TypeSessionArtifact {
			fmt.Fprintf(&b, "what changed after %s: session_show %s\n", ref, jsonOf(sessionRequest{Session: brenner.SessionID(p.ID), Since: ref.Version}))
			continue
		}
		if err == nil && p.Metadata.Creator != me.Actor && p.Text != "" {
			fmt.Fprintf(&b, "what %s changed after %s (data):\n%s", p.Ref(), ref, p.beginning(movedText))
		}
	}
	return b.String()
}

// beginning is as much of a page as an answer to something else has room for: where that is
// not all, of what changed the lines that were added and removed. What it leaves out was
// charged, so that the call that gives the rest asks for it again.
func (p artifactPage) beginning(most int) string {
	text := strings.TrimRight(p.Text, "\n")
	if len(text) <= most {
		return brenner.Fenced("", text)
	}
	all := "all of it: artifact_get " + jsonOf(getRequest{Ref: p.Ref(), Since: p.asked.Since, Task: p.asked.Task, Again: true})
	if p.lines != "" {
		text = strings.TrimRight(p.lines, "\n")
	}
	if len(text) <= most {
		return fmt.Sprintf("%s[without the lines around; %s]\n", brenner.Fenced("", text), all)
	}
	if now := withoutRemoved(text); p.lines != "" && len(now) <= most {
		return fmt.Sprintf("%s[without the lines around and those that were removed; %s]\n", brenner.Fenced("", now), all)
	}
	shown := text[:max(0, strings.LastIndexByte(text[:most], '\n'))]
	if shown == "" {
		shown = brenner.ClipWords(text, most)
	}
	return fmt.Sprintf("%s[goes on, %d more lines; %s]\n", brenner.Fenced("", shown), max(1, strings.Count(text[len(shown):], "\n")), all)
}

// withoutRemoved is a difference without the lines that are no more: what is said now
// matters more than what was.
func withoutRemoved(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- ")
	})
	return strings.Join(lines, "\n")
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
