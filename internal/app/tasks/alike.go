package tasks

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"
)

// What makes two pieces of work alike: how many words both use, and how large a
// part of the shorter one's that is, in what they are called or in all they say.
const (
	titleWords, titlePart = 3, 0.5
	allWords, allPart     = 5, 0.25

	alikeLooked = 200 // of the newest tasks
	alikeMost   = 3   // are named
	alikeSpec   = 300 // characters of what is asked
)

// alike finds the unfinished tasks that ask for much the same as a new one, and
// tells those who are at them or asked for them. What the caller may not be told
// of them is not named (C33).
func (r *Room) alike(ch *kernel.Change, t api.TaskInfo) ([]api.AlikeTask, error) {
	actors, err := ch.Actors(ch.Ctx)
	if err != nil {
		return nil, err
	}
	names := make([]brenner.ActorName, len(actors))
	for i, a := range actors {
		names[i] = a.Name
	}
	by, err := r.likeness(ch, t, names)
	if err != nil {
		return nil, err
	}
	var like, before []api.TaskInfo // before: what the caller announced or asked for earlier
	var left []api.AlikeTask        // parts of others that it is about
	var divides []api.TaskInfo      // those that leave parts to somebody
	looked := 0
	err = tasks.Each(ch.Ctx, ch.Reader, kernel.Query{Newest: true}, func(row kernel.Row[task]) (bool, error) {
		o := row.Value.info(ch.Clock)
		looked++
		if o.Session == t.Session && len(o.Parts) > 0 && o.State != api.TaskCanceled {
			divides = append(divides, o)
		}
		switch {
		case o.ID == t.ID || o.Session != t.Session || o.Kind == api.TaskNote:
		case o.Creator == t.Creator:
			before = append(before, o)
		case len(o.Parts) > 0 && o.State != api.TaskCanceled && len(left) < alikeMost && by.leavesTo(o, t) != nil:
			left = append(left, *by.leavesTo(o, t))
		case t.Kind == api.TaskDoing && leavesPart(o, t.Creator): // which knows from it what is its own
		case (o.State == api.TaskOpen || o.State == api.TaskClaimed) && len(like) < alikeMost && by.overlapsAny(t, o):
			like = append(like, o)
		}
		return looked < alikeLooked, nil
	})
	if err != nil {
		return nil, err
	}
	// Who took back what overlapped, and announces anew, has heard of the other.
	like = slices.DeleteFunc(like, func(o api.TaskInfo) bool {
		return slices.ContainsFunc(before, func(b api.TaskInfo) bool {
			return b.State == api.TaskCanceled && kernel.NumberOf(b.ID) > kernel.NumberOf(o.ID) && by.overlaps(b, o)
		})
	})
	out, err := r.tellOverlaps(ch, t, left)
	if err != nil {
		return nil, err
	}
	for _, o := range like {
		seen, err := r.told(ch.Call, o)
		if err != nil {
			return nil, err
		}
		if seen.Title == "" {
			continue
		}
		like := api.AlikeTask{ID: o.ID, Title: o.Title, State: o.State, Creator: o.Creator, Holder: o.Holder, Since: o.Created}
		// Who would do the same is shown what that is, as a read like any other.
		spec := brenner.ClipWords(brenner.OneLine(o.Spec), alikeSpec)
		if pays, err := ch.Pays("task "+o.ID, spec); err != nil {
			return nil, err
		} else if pays && t.Session != "" {
			like.Spec = spec
		}
		like.Yields = slices.ContainsFunc(divides, func(d api.TaskInfo) bool {
			part := by.leavesTo(d, o)
			return part != nil && part.Holder == t.Creator
		})
		out = append(out, like)
		if like.Yields || t.Kind == api.TaskDoing { // it was told so; what others do next it is shown
			continue
		}
		title := ""
		if t.Session != "" {
			title = ": " + t.Title
		}
		to := o.Holder
		if to == "" {
			to = o.Creator
		}
		if err := r.Mail.TellOfTask(ch, to, api.MessageTask, t.ID, fmt.Sprintf("OVERLAP: %s may overlap with %s", t.ID, o.ID), fmt.Sprintf(
			"%s, which %s has just opened, may overlap with %s, which is yours%s\n%s is the earlier and stands: %s was told to cut its own to the rest. Nothing is asked of you.\n",
			t.ID, ch.Who.Name, o.ID, title, o.ID, ch.Who.Name)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leavesPart says whether announced work leaves a part to somebody.
func leavesPart(t api.TaskInfo, to brenner.ActorName) bool {
	return slices.ContainsFunc(t.Parts, func(p api.TaskPart) bool { return p.Agent == to })
}

// likeness is how pieces of work are held against each other: whose names in one are of what
// it leaves to others, and whether closely.
type likeness struct {
	names   []brenner.ActorName
	closely bool
}

// likeness is closely for what somebody does next in a session that was compiled: from then on
// all who take part use the same words, and name the items that they are at.
func (r *Room) likeness(ch *kernel.Change, t api.TaskInfo, names []brenner.ActorName) (likeness, error) {
	if t.Kind != api.TaskDoing {
		return likeness{names: names}, nil
	}
	a, err := ch.Reader.Artifact(ch.Ctx, brenner.ArtifactID(t.Session))
	return likeness{names: names, closely: a.Head > 1}, err
}

// notTwice refuses what an agent asks for a second time: of the same role in the same
// session, about the same versions or items, in much the same words, while the first
// is not done. One whose title the caller may not know is none to it (C33).
func (r *Room) notTwice(c *kernel.Call, req api.NewTaskRequest) error {
	looked, title := 0, wordsOf(req.Title)
	var first api.TaskInfo
	err := tasks.Each(c.Ctx, c.Reader, kernel.Query{Newest: true}, func(row kernel.Row[task]) (bool, error) {
		o := row.Value.info(c.Clock)
		looked++
		same := o.Kind == taskWork && (o.State == api.TaskOpen || o.State == api.TaskClaimed) && o.Session == req.Session &&
			(o.Role == req.Role || req.Role == "") && o.To == req.To && sameWork(req, o) &&
			(strings.TrimSpace(req.Title) == o.Title || kernel.Share(title, wordsOf(o.Title), titleWords, titlePart))
		if same {
			var err error
			if first, err = r.told(c, o); err != nil {
				return false, err
			}
		}
		return first.Title == "" && looked < alikeLooked, nil
	})
	if err != nil || first.Title == "" {
		return err
	}
	return brenner.Errorf(brenner.CodeAlreadyExists, "%s asks for that already: %s", first.ID, brenner.OneLine(first.Title)).At("/title").
		WithHint("what yours adds is a note on it").
		Try(brenner.Do("task.new", "note", "true", "input", first.ID).Asking("title")).
		WithDetails(map[string]any{"task": first.ID})
}

// sameWork says whether a request is about the versions or the items that a task is
// about, and about some.
func sameWork(req api.NewTaskRequest, o api.TaskInfo) bool {
	pinned := make([]brenner.Ref, len(o.Inputs))
	for i, p := range o.Inputs {
		pinned[i] = p.Ref
	}
	equal := func(some, all int, has func(int) bool) bool {
		for i := range some {
			if !has(i) {
				return false
			}
		}
		return some == all
	}
	return len(pinned)+len(o.Items) > 0 &&
		equal(len(req.Inputs), len(pinned), func(i int) bool { return slices.Contains(pinned, req.Inputs[i]) }) &&
		equal(len(req.Items), len(o.Items), func(i int) bool { return slices.Contains(o.Items, req.Items[i]) })
}

// leavesTo is the part of somebody else that work is about which somebody announces, more
// than about its announcer's own; nil if it is about none.
func (by likeness) leavesTo(divides, t api.TaskInfo) *api.AlikeTask {
	words, own := wordsOf(t.Own(by.names)+" "+t.Spec), 0
	for _, p := range divides.Parts {
		if p.Agent == t.Creator {
			own = max(own, kernel.Common(words, wordsOf(p.Part)))
		}
	}
	for _, p := range divides.Parts {
		if p.Agent != t.Creator && kernel.Common(words, wordsOf(p.Part)) > own && by.overlaps(t, api.TaskInfo{Title: p.Part, Creator: p.Agent}) {
			return &api.AlikeTask{
				ID: divides.ID, Title: p.Part, State: divides.State, Creator: divides.Creator, Holder: p.Agent, Since: divides.Created, Part: true,
			}
		}
	}
	return nil
}

// overlapsAny says whether a task asks for much the same as another, or leaves that to
// somebody who is not at it.
func (by likeness) overlapsAny(t, o api.TaskInfo) bool {
	return by.overlaps(t, o) || by.leavesTo(t, o) != nil
}

// tellOverlaps tells those to whom a part was left who would do it as well.
func (r *Room) tellOverlaps(ch *kernel.Change, t api.TaskInfo, left []api.AlikeTask) ([]api.AlikeTask, error) {
	var out []api.AlikeTask
	for _, l := range left {
		if in, err := r.Sessions.TakesPart(ch.Call, t.Session); err != nil || !in {
			return nil, err
		}
		out = append(out, l)
		if t.Kind == api.TaskDoing { // it is shown what others do next
			continue
		}
		err := r.Mail.TellOfTask(ch, l.Holder, api.MessageTask, t.ID, fmt.Sprintf("OVERLAP: %s may overlap with your part of %s", t.ID, l.ID), fmt.Sprintf(
			"%s, which %s has just announced, may overlap with the part that %s left to you (%s): %s\nYour part stands: %s was told to leave it to you. Nothing is asked of you.\n",
			t.ID, ch.Who.Name, l.Creator, l.ID, t.Title, ch.Who.Name))
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// overlaps says whether two tasks ask for much the same: by their titles, by all their
// words, or by the documents that both name; closely by most of both titles. What a title
// leaves to others it does not ask for.
func (by likeness) overlaps(a, b api.TaskInfo) bool {
	one, two := a.Own(by.names), b.Own(by.names)
	title, other := wordsOf(one), wordsOf(two)
	if by.closely {
		n := kernel.Common(title, other)
		return n >= titleWords && 2*n > max(len(title), len(other))
	}
	if kernel.Share(title, other, titleWords, titlePart) || kernel.Share(documentsIn(one), documentsIn(two), bothDocuments, 0) {
		return true
	}
	return kernel.Share(wordsOf(one+" "+a.Spec), wordsOf(two+" "+b.Spec), allWords, allPart)
}

// bothDocuments is how many documents two pieces of work name that overlap, whatever
// else they say.
const bothDocuments = 2

var document = lazy.NewPattern(`[A-Za-z0-9_-]+\.(?:[a-z]{1,5})\b|\b[A-Z]{4,}\b`)

// wordsOf are the telling words of a text; a document that it names is one word.
func wordsOf(text string) map[string]bool {
	out := kernel.TellingWords(document.ReplaceAllString(text, " "))
	for name := range documentsIn(text) {
		out[name] = true
	}
	return out
}

// documentsIn are the documents that a text names, without their endings.
func documentsIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, d := range document.FindAllString(text, -1) {
		name, _, _ := strings.Cut(strings.ToLower(d), ".")
		out[name] = true
	}
	return out
}
