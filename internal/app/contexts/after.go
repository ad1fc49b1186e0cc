package contexts

import (
	"fmt"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/app/kernel"
)

// goingOn is what the reader of a context has that goes on from an earlier one.
type goingOn struct {
	room    *Room
	call    *kernel.Call
	through kernel.Through
	agent   brenner.ActorName
	// Of the documents of sessions, why it need not be given them, or what of them
	// it was not given.
	why, rest map[brenner.Ref]string
}

// goOnFrom loads the context that another is to go on from. It is the caller's
// own: nobody has what another was given.
func (r *Room) goOnFrom(c *kernel.Call, id string) (*goingOn, error) {
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
	t, err := i.through(c)
	return &goingOn{room: r, call: c, through: t, agent: c.Who.Name, why: map[brenner.Ref]string{}, rest: map[brenner.Ref]string{}}, err
}

// given is why somebody need not be given what it was.
const given = "given to you before, unchanged"

// has says why the reader need not be given an item.
func (g *goingOn) has(it assembly.Item) (string, error) {
	switch {
	case g.through.Whole(it.Ref):
		return given, nil
	case it.Type == artifact.TypeSessionArtifact:
		return g.hasDocument(it.Ref)
	case it.Notes.Author == g.agent:
		return "yours", nil
	}
	return "", nil
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

// unread is the content of a session's document that its reader was not given, if
// it was given some.
func (g *goingOn) unread(ref brenner.Ref) (artifact.Content, bool) {
	if g == nil || g.rest[ref] == "" {
		return artifact.Content{}, false
	}
	return artifact.Content{Format: artifact.Text, Data: []byte(g.rest[ref])}, true
}
