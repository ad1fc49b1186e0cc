package web

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
)

// findPage is what was found for some words, by kind.
type findPage struct {
	Text   string
	Groups []foundGroup
	// Looked says how far it looked where there is no index to ask.
	Looked int
	// Remarks are what there is to say about the search of artifacts.
	Remarks []string
}

// foundGroup is the finds of one kind.
type foundGroup struct {
	Title string
	Items []found
}

// found is one of them.
type found struct {
	link
	Note    string // what is said besides its name
	Snippet []piece
}

// perGroup is how many finds of one kind are listed, lookedThrough how many
// sessions, tasks and lessons are looked through for them: the service keeps an
// index of artifacts alone.
const (
	perGroup      = 8
	lookedThrough = brenner.MaxPage
)

func loadFind(v *visit) (string, any, error) {
	out := findPage{Text: v.query("q"), Looked: lookedThrough}
	if out.Text == "" {
		return "Find", out, nil
	}
	artifacts := func(v *visit, text string) (foundGroup, error) {
		group, remarks, err := findArtifacts(v, text)
		out.Remarks = remarks
		return group, err
	}
	for _, look := range []func(*visit, string) (foundGroup, error){findPages, artifacts, findSessions, findTasks, findLessons, findAgents} {
		group, err := look(v, out.Text)
		if err != nil {
			return "", nil, err
		}
		if len(group.Items) > 0 {
			out.Groups = append(out.Groups, group)
		}
	}
	return "Find", out, nil
}

// holds reports whether one of some texts has all the words that are looked
// for, in upper or lower case.
func holds(words string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, " "))
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// add takes a find while there is room.
func (g *foundGroup) add(name, path, note string) {
	if len(g.Items) < perGroup {
		g.Items = append(g.Items, found{link: link{name, path}, Note: note})
	}
}

func findPages(_ *visit, text string) (foundGroup, error) {
	g := foundGroup{Title: "Pages"}
	for _, a := range areas {
		if len(a.Tabs) == 0 && holds(text, a.Name) {
			g.add(a.Name, a.Path, "")
		}
		for _, tab := range a.Tabs {
			if holds(text, tab.Name) {
				g.add(tab.Name, tab.Path, a.Name)
			}
		}
	}
	if holds(text, "write new artifact brief note") {
		g.add("Write something", "/write", "")
	}
	return g, nil
}

func findArtifacts(v *visit, text string) (g foundGroup, remarks []string, err error) {
	g.Title = "Artifacts"
	if ref, err := brenner.ParseRef(text); err == nil {
		if view, err := v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: ref, Brief: true}); err == nil {
			g.add(view.Summary, artifactPath(ref), view.Ref().String())
		}
	}
	hits, err := v.svc.SearchArtifacts(v.Context(), api.SearchArtifactsRequest{Text: text, Limit: perGroup})
	for _, h := range hits.Items {
		ref, note := brenner.Ref{Artifact: h.ID}, string(h.ID)+", "+strings.ReplaceAll(string(h.Type), "_", " ")+", "+string(h.Status)
		if h.Draft {
			ref, note = h.Ref(), fmt.Sprintf("%s, version %d", note, h.Found)
		}
		if said := h.Remark(); said != "" {
			note += "; " + said
		}
		to := artifactPath(ref)
		if len(g.Items) < perGroup && (len(g.Items) == 0 || g.Items[0].Path != to) {
			g.Items = append(g.Items, found{link{h.Summary, to}, note, pieces(h.Snippet, h.Marked)})
		}
	}
	switch brenner.CodeOf(err) {
	case brenner.CodeInvalidValue, brenner.CodeUnknownType: // words that the index cannot be asked for
		return g, []string{err.Error()}, nil
	}
	return g, hits.Remarks(), err
}

func findSessions(v *visit, text string) (foundGroup, error) {
	list, err := v.svc.Sessions(v.Context(), api.ListSessionsRequest{Page: api.Page{Limit: lookedThrough}})
	g := foundGroup{Title: "Sessions"}
	for _, s := range list.Sessions {
		if holds(text, string(s.ID), s.Question) {
			g.add(orID(s.Question, string(s.ID)), sessionPath(s.ID), string(s.ID))
		}
	}
	return g, err
}

func findTasks(v *visit, text string) (foundGroup, error) {
	list, err := v.svc.Tasks(v.Context(), api.ListTasksRequest{
		States: []api.TaskState{api.TaskOpen, api.TaskClaimed, api.TaskDone, api.TaskCanceled}, Page: api.Page{Limit: lookedThrough}, Newest: true,
	})
	g := foundGroup{Title: "Tasks"}
	for _, t := range list.Tasks {
		if holds(text, t.ID, t.Title) {
			g.add(t.Title, taskPath(t.ID), t.ID+", "+string(t.State))
		}
	}
	return g, err
}

func findLessons(v *visit, text string) (foundGroup, error) {
	list, err := v.svc.Bullets(v.Context(), api.ListBulletsRequest{Page: api.Page{Limit: lookedThrough}})
	g := foundGroup{Title: "Lessons"}
	for _, b := range list.Bullets {
		if holds(text, string(b.ID), b.Content) {
			g.add(b.Content, bulletPath(b.ID), string(b.ID))
		}
	}
	return g, err
}

func findAgents(v *visit, text string) (foundGroup, error) {
	list, err := v.svc.Agents(v.Context())
	g := foundGroup{Title: "Agents"}
	for _, a := range list.Agents {
		if holds(text, string(a.Name), string(a.Role)) {
			g.add(string(a.Name), agentPath(a.Name), strings.ReplaceAll(string(a.Role), "_", " "))
		}
	}
	return g, err
}

// orID is a name, or the id of what has none.
func orID(name, id string) string {
	if name == "" {
		return id
	}
	return name
}
