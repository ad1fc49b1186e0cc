package web

import (
	"net/url"
	"strings"

	"brenner/api"
	"brenner/lineage"
	"brenner/snapshot"
)

// inbox is what needs the person who looks.
type inbox struct {
	Question string
	// Begun says that there is a brief that is canonical.
	Begun bool
	Needs []need
}

// overview is the state of the project, from what is canonical.
type overview struct {
	Snapshot api.SnapshotResult
	Spine    lineage.SpineView
	// The beginnings of what may be long in the snapshot.
	Hypotheses, Open part[snapshot.Statement]
	Models, Evidence part[snapshot.Entry]
}

// need is something to decide or to do, and where.
type need struct {
	api.Need
	Title string
	Verb  string // what one does about it
	Path  string // of the page where it is done
	Names []link
	More  int // that are not named
}

// namesShown is how many of the things of one kind are named.
const namesShown = 5

// link is a name and where it leads.
type link struct{ Name, Path string }

// places says, for each kind of need, what to call it, what one does about it,
// on which page, and what comes before and after a name to make the address of
// its own page.
var places = map[string]struct{ title, verb, page, each, part string }{
	"conflict":      {"Conflicts to resolve", "Settle", "/sessions", "/sessions/", "#conflicts"},
	"compile":       {"Replies to compile", "Compile", "/sessions", "/sessions/", ""},
	"resend":        {"Messages to send again", "Send", "/sessions", "/sessions/", ""},
	"stalemate":     {"Stalemates to settle", "Settle", "/stalemates", "/stalemates/", "#verdict"},
	"fork":          {"Forks to close", "Compare", "/forks", "", ""},
	"stale":         {"Stale versions to update", "See why", "/stale", "/artifacts/", ""},
	"promotion":     {"Results to decide upon", "Decide", "/artifacts?status=draft", "/artifacts/", "#decide"},
	"rebase":        {"Results that need a rebase", "Decide", "/artifacts?status=needs_rebase", "/artifacts/", "#decide"},
	"review":        {"Lessons to review", "Review", "/playbook", "", ""},
	"task":          {"Tasks that are stuck", "Reassign", "/tasks?state=claimed", "/tasks/", ""},
	"consolidation": {"Consolidation is overdue", "Open a task", "/tasks?title=Consolidate#open", "", ""},
	"memo":          {"Memos that are behind", "See which", "/knowledge#spine", "", ""},
	"spine":         {"What the spine lacks", "See what", "/knowledge#spine", "", ""},
}

func loadHome(v *visit) (string, any, error) {
	status, err := v.svc.Status(v.Context())
	if err != nil {
		return "", nil, err
	}
	spine, err := v.svc.Spine(v.Context())
	if err != nil {
		return "", nil, err
	}
	out := inbox{Begun: spine.Brief != nil}
	if out.Begun {
		out.Question = spine.Brief.Summary
	}
	for _, n := range status.Items {
		out.Needs = append(out.Needs, placeOf(n))
	}
	return "Inbox", out, nil
}

func loadKnowledge(v *visit) (string, any, error) {
	snap, err := v.svc.Snapshot(v.Context(), api.SnapshotRequest{})
	if err != nil {
		return "", nil, err
	}
	spine, err := v.svc.Spine(v.Context())
	return "Where it stands", overview{
		Snapshot: snap, Spine: spine.SpineView,
		Hypotheses: first(snap.Hypotheses), Models: first(snap.Models), Evidence: first(snap.Evidence), Open: first(snap.Open),
	}, err
}

// placeOf says where a need is dealt with. A kind that has no page yet is
// shown without a way there.
func placeOf(n api.Need) need {
	place, known := places[n.Kind]
	out := need{Need: n, Title: strings.ReplaceAll(n.Kind, "_", " "), Verb: place.verb, Path: place.page}
	if known {
		out.Title = place.title
	}
	if place.each == "" {
		return out
	}
	few := n.Names[:min(len(n.Names), namesShown)]
	out.More = n.Count - len(few)
	for _, name := range few {
		out.Names = append(out.Names, link{name, place.each + url.PathEscape(name) + place.part})
	}
	if n.Count == 1 && len(out.Names) == 1 {
		out.Path = out.Names[0].Path
	}
	return out
}
