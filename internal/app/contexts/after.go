package contexts

import (
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// goingOn is what the reader of a context has that goes on from an earlier one.
type goingOn struct {
	room    *Room
	call    *kernel.Call
	through kernel.Through
	agent   brenner.ActorName
	// since is when the reader was last given a context for the same work, inputs are
	// what it is asked to work on now.
	since  time.Time
	inputs []brenner.Ref
	// Of the documents of sessions, why it need not be given them; rest is what it was
	// not given of them, or of other artifacts.
	why, rest map[brenner.Ref]string
}

// goOnFrom loads the context that another is to go on from. It is the caller's
// own: nobody has what another was given.
func (r *Room) goOnFrom(c *kernel.Call, w work, req api.ContextRequest) (*goingOn, error) {
	id := req.After
	if id == "" {
		return nil, nil
	}
	i, err := invocations.Find(c.Ctx, c.Reader, id)
	if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && i.Agent != c.Who.Name {
		return nil, brenner.Errorf(brenner.CodeNotFound, "%s has no context %q to go on from", c.Who.Name, id).At("/after").
			WithHint("leave after out: everything is sent").Try(brenner.Do("context.assemble"))
	}
	if err != nil {
		return nil, err
	}
	t, err := r.through(c, i)
	if err != nil {
		return nil, err
	}
	g := &goingOn{room: r, call: c, through: t, agent: c.Who.Name, inputs: w.toWorkOn(), why: map[brenner.Ref]string{}, rest: map[brenner.Ref]string{}}
	return g, g.onSameWork(i, w, req)
}

// onSameWork notes when the reader was last given a context for the same question in
// the same session, or for the same task: what was there then and it has not opened it
// does not need to be sent unasked (C34).
func (g *goingOn) onSameWork(i invocation, w work, req api.ContextRequest) error {
	own := w.session()
	if req.Task != "" {
		t, err := g.room.Tasks.Find(g.call, req.Task)
		if err != nil {
			return err
		}
		own = t.Session
	}
	all, err := g.room.known(g.call, i)
	if err != nil {
		return err
	}
	for _, i := range all {
		session := i.Session
		if i.Task != "" {
			t, err := g.room.Tasks.Find(g.call, i.Task)
			if err != nil {
				return err
			}
			session = t.Session
		}
		same := session == own && (own != "" || i.Task == req.Task) && !i.Survey // which was for no part of it
		if same && i.Question == req.Question && i.At.After(g.since) {
			g.since = i.At
		}
	}
	return nil
}

// Why somebody need not be given what it was.
const (
	given   = "given to you before, unchanged"
	partly  = "given to you before in part, unchanged"
	briefly = "its summary was given to you before, unchanged"
)

// has says why the reader need not be given an item.
func (g *goingOn) has(it assembly.Item) (string, error) {
	switch {
	case g.through.Whole(it.Ref):
		return given, nil
	case it.Type == artifact.TypeSessionArtifact:
		return g.hasDocument(it.Ref)
	case it.Notes.Author == g.agent:
		return "yours", nil
	case it.Updated.Before(g.since) && g.through.Latest(it.Ref.Artifact) == it.Ref.Version && !slices.Contains(g.inputs, it.Ref):
		if g.through.Had(it.Ref.Artifact) == it.Ref.Version {
			return partly, nil
		}
		return briefly, nil
	}
	return "", g.compare(it.Ref)
}

// compare gives what changed in an artifact of which the reader was given an earlier
// version, or wrote it, where that is shorter than all of it. What a redacted version
// said nobody has any more.
func (g *goingOn) compare(ref brenner.Ref) error {
	known, how, err := ledger.NewestKnown(g.call, ref, g.through.Entire(ref.Artifact), g.agent)
	if err != nil || known == 0 || known >= ref.Version || g.rest[ref] != "" {
		return err
	}
	a, err := g.call.Reader.Artifact(g.call.Ctx, ref.Artifact)
	if err != nil {
		return err
	}
	row, err := g.call.Version(g.call.Ctx, ref)
	if err != nil {
		return err
	}
	d, err := ledger.DifferenceOf(g.call, a, known, ref.Version)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return nil
	}
	text := fmt.Sprintf("What changed after %s, %s:\n%s", brenner.Ref{Artifact: ref.Artifact, Version: known}, how, api.DiffResult{Difference: d}.InPlaces().Text())
	if err == nil && int64(len(text)) < row.Size {
		g.rest[ref] = text
	}
	return err
}

// hasDocument is has for the document of a session, which is read item by item.
func (g *goingOn) hasDocument(ref brenner.Ref) (string, error) {
	if why, asked := g.why[ref]; asked {
		return why, nil
	}
	text, known, err := g.room.Sessions.Unread(g.call, ref, g.through)
	switch {
	case brenner.CodeOf(err) == brenner.CodeNotFound:
		err = nil // it is of no session of the project
	case err != nil || len(known) == 0:
	case text == "":
		g.why[ref] = given
	default:
		g.why[ref], g.rest[ref] = "", fmt.Sprintf("%sGiven to you before, unchanged: %s\n", text, kernel.Join(known))
	}
	return g.why[ref], err
}

// unread is the content of an artifact that its reader was not given, if it was given
// some.
func (g *goingOn) unread(ref brenner.Ref) (artifact.Content, bool) {
	if g == nil || g.rest[ref] == "" {
		return artifact.Content{}, false
	}
	return artifact.Content{Format: artifact.Text, Data: []byte(g.rest[ref])}, true
}
