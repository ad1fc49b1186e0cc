package contexts

import (
	"fmt"

	"brenner"
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
	// Of the documents of sessions, why it need not be given them; rest is what it was
	// not given of them, or of other artifacts.
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
	t, err := r.through(c, i)
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
	return "", g.compare(it.Ref)
}

// compare gives what changed in an artifact of which the reader was given an earlier
// version, where that is shorter than all of it. What a redacted version said nobody
// has any more.
func (g *goingOn) compare(ref brenner.Ref) error {
	known := g.through.Entire(ref.Artifact)
	if known == 0 || known >= ref.Version || g.rest[ref] != "" {
		return nil
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
	text := fmt.Sprintf("What changed after %s, which you were given:\n%s", brenner.Ref{Artifact: ref.Artifact, Version: known}, d.Text())
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
