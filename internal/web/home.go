package web

import (
	"net/url"
	"strings"

	"brenner/internal/api"
	"brenner/lineage"
)

// home is the state of the project and what needs the person who looks.
type home struct {
	Snapshot api.SnapshotResult
	Spine    lineage.SpineView
	Needs    []need
}

// need is something to decide or to do, and where.
type need struct {
	api.Need
	Title string
	Path  string // of the page where it is done
	Names []link
}

// link is a name and where it leads.
type link struct{ Name, Path string }

// places says, for each kind of need, what to call it, on which page it is
// dealt with, and what comes before a name to make the address of its page.
var places = map[string]struct{ title, page, each string }{
	"conflict":      {"Conflicts to resolve", "/sessions", "/sessions/"},
	"compile":       {"Replies to compile", "/sessions", "/sessions/"},
	"resend":        {"Messages to send again", "/sessions", "/sessions/"},
	"stalemate":     {"Stalemates to settle", "/stalemates", "/stalemates/"},
	"fork":          {"Forks to close", "/forks", ""},
	"stale":         {"Stale versions to update", "/stale", "/artifacts/"},
	"promotion":     {"Results to decide upon", "/artifacts?status=draft", "/artifacts/"},
	"rebase":        {"Results that need a rebase", "/artifacts?status=needs_rebase", "/artifacts/"},
	"review":        {"Lessons to review", "/playbook?review=1", ""},
	"task":          {"Tasks that are stuck", "/tasks", "/tasks/"},
	"consolidation": {"Consolidation is overdue", "/tasks", ""},
	"memo":          {"Memos that are behind", "/#spine", ""},
	"spine":         {"What the spine lacks", "/#spine", ""},
}

func loadHome(v *visit) (string, any, error) {
	snap, err := v.svc.Snapshot(v.Context(), api.SnapshotRequest{})
	if err != nil {
		return "", nil, err
	}
	spine, err := v.svc.Spine(v.Context())
	if err != nil {
		return "", nil, err
	}
	status, err := v.svc.Status(v.Context())
	if err != nil {
		return "", nil, err
	}
	out := home{Snapshot: snap, Spine: spine.SpineView}
	for _, n := range status.Items {
		out.Needs = append(out.Needs, placeOf(n))
	}
	return v.project.Name, out, nil
}

// placeOf says where a need is dealt with. A kind that has no page yet is
// shown with its command alone.
func placeOf(n api.Need) need {
	place, known := places[n.Kind]
	out := need{Need: n, Title: strings.ReplaceAll(n.Kind, "_", " "), Path: place.page}
	if known {
		out.Title = place.title
	}
	if place.each == "" {
		return out
	}
	for _, name := range n.Names {
		out.Names = append(out.Names, link{name, place.each + url.PathEscape(name)})
	}
	return out
}
