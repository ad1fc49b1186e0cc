package sessions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// mostQuoted is how long a text may be that a block quotes which puts another in its place.
const mostQuoted = 600

// unseen has, by the places of a reply's deltas, texts of others that their author had not
// been shown.
type unseen struct {
	refused map[int][]delta.Over // over which edits and kills were refused
	settled map[int][]delta.Over // of what critiques are against that were settled or added to
	added   map[int]bool         // which of these were only added to
	now     time.Time
}

// keepUnseen refuses the edits of a reply that would write anew what somebody else wrote
// and their author was not shown (ADR 0139), and the kills of items that somebody else has
// changed unseen by it (ADR 0142). A critique that is settled or added to while what it is
// against was changed unseen is so, and its author told of that. Of whom nobody knows what it was shown
// everything is taken, and it is told what it replaced.
func keepUnseen(c *kernel.Call, in incoming, x *delta.Extraction) (unseen, error) {
	out := unseen{refused: map[int][]delta.Over{}, settled: map[int][]delta.Over{}, added: map[int]bool{}, now: c.Now}
	if c.Person() || in.agent != c.Who.Name || !slices.ContainsFunc(x.Entries, func(e delta.Entry) bool { return e.Invalid == nil && e.Delta.Operation != delta.Add }) {
		return out, nil
	}
	w, err := waitingIn(c, in.session)
	if err != nil {
		return out, err
	}
	now := w.ahead.Artifact()
	known := sight{call: c, session: in.session, head: sessionRef(in.session.ID, w.on.head), doc: w.base, author: in.agent}
	x.Entries = slices.Clone(x.Entries) // what was read ahead may be used again
	for i := range x.Entries {
		e := &x.Entries[i]
		item, over := e.Over(now, in.session.Created)
		for _, o := range over {
			shown, err := known.of(item, o)
			if err != nil {
				return out, err
			}
			if !shown {
				out.refused[i] = append(out.refused[i], o)
			}
		}
		if len(out.refused[i]) > 0 {
			e.Invalid = notShown(e.Delta.Operation, item, out.refused[i], c.Now)
			continue
		}
		stance, over := e.Attacked(now, in.session.Created)
		if over, err = known.without(over); err != nil {
			return out, err
		}
		switch {
		case len(over) == 0:
		case stance == delta.Presses:
			out.refused[i], e.Invalid = over, moved(e.Delta.TargetID, over, c.Now)
		default:
			out.settled[i], out.added[i] = over, stance == delta.Adds
		}
	}
	return out, nil
}

// without are those of some texts of what a critique is against that the author of a reply was
// not shown: it may have been met by them.
func (s *sight) without(all []delta.Over) ([]delta.Over, error) {
	var out []delta.Over
	for _, o := range all {
		shown, err := s.of(o.Item, o)
		if err != nil {
			return nil, err
		}
		if !shown {
			o.Field = string(o.Item) + "." + o.Field
			out = append(out, o)
		}
	}
	return out, nil
}

// moved says what of that which a critique attacks was changed unseen by its critic.
func moved(critique delta.Target, over []delta.Over, now time.Time) *brenner.Error {
	return brenner.Errorf(brenner.CodeConflictHead, "what %s is against was changed, and you have not been shown it: %s", critique, writtenBy(over, now)).
		At(over[0].Pointer).WithHint("nothing was changed; if it stands against what this says now, send it once more, else settle it")
}

// notShown says which texts an edit would have replaced unseen, or a kill struck.
func notShown(by delta.Operation, item delta.ItemID, over []delta.Over, now time.Time) *brenner.Error {
	if by == delta.Kill {
		return brenner.Errorf(brenner.CodeConflictHead, "%s was changed, and you have not been shown it: %s", item, writtenBy(over, now)).
			At(over[0].Pointer).WithHint("nothing was killed; if it should go as it reads now too, send it once more")
	}
	return brenner.Errorf(brenner.CodeConflictHead, "it would replace what you have not been shown of %s: %s", item, writtenBy(over, now)).
		At(over[0].Pointer).WithHint("nothing was replaced; send it once more, with what of both should stand")
}

// writtenBy names texts, with who wrote them and when.
func writtenBy(over []delta.Over, now time.Time) string {
	said := make([]string, len(over))
	for i, o := range over {
		said[i] = fmt.Sprintf("%s by %s of %s", o.Field, o.By, clockOf(o.At, now))
	}
	return strings.Join(said, ", ")
}

// clockOf is a time to the second, with its day where that is not today.
func clockOf(at, now time.Time) string {
	if at.UTC().Format(time.DateOnly) == now.UTC().Format(time.DateOnly) {
		return at.UTC().Format("15:04:05")
	}
	return at.UTC().Format("2006-01-02 15:04:05")
}

// report gives the author of a reply the texts that its edits were refused over, and the
// block that puts its own in their place; and says which came to what it settled a
// critique of.
func (u unseen) report(out *api.Submission, entries []delta.Entry) {
	for i, over := range u.settled {
		d, critique := &out.Deltas[i], entries[i].Delta.TargetID
		for len(over) > 0 {
			item := over[0].Item
			n := slices.IndexFunc(over, func(o delta.Over) bool { return o.Item != item })
			if n < 0 {
				n = len(over)
			}
			hint := fmt.Sprintf("it is settled; if it stands against what %s says now, EDIT %s with current_status: open, and why", item, critique)
			if u.added[i] {
				hint = fmt.Sprintf("if what %s says now meets it, settle %s", item, critique)
			}
			d.Warnings = append(d.Warnings, brenner.Diagnostic{
				Code: brenner.CodeReferenceMoved, Severity: brenner.SeverityWarning, Subject: string(item),
				Message: fmt.Sprintf("what %s is against was changed, and you had not been shown it: %s", critique, writtenBy(over[:n], u.now)),
				Hint:    hint,
			})
			over = over[n:]
		}
	}
	for i, over := range u.refused {
		d, short := &out.Deltas[i], true
		for _, o := range over {
			d.Says = append(d.Says, api.Said{Field: o.Field, Agent: o.By, At: o.At, Text: brenner.Clip(o.Text, mostSaid)})
			short = short && len(o.Text) <= mostQuoted
		}
		if short {
			d.Corrected = entries[i].Quoting(over)
		}
	}
}

// sight is what the author of a reply was shown of a session.
type sight struct {
	call    *kernel.Call
	session api.SessionInfo
	head    brenner.Ref
	doc     *delta.Artifact
	author  brenner.ActorName

	loaded  bool
	through *kernel.Through // nil if its context has shown nothing of the session
	at      *document       // the document as it stands
	earlier []*document     // what its context has shown of it before
	last    *delta.Artifact // else the newest version that it was shown; nil: nobody knows
}

// of says whether the author was shown a text of an item, or nobody knows.
func (s *sight) of(item delta.ItemID, o delta.Over) (bool, error) {
	if err := s.load(); err != nil {
		return false, err
	}
	if o.Text == s.doc.Metadata().Question { // the kickoff asks it
		return true, nil
	}
	if s.through == nil {
		return s.last == nil || s.last.Says(item, o.Field) == o.Text, nil
	}
	if s.through.Given(canon.Sum([]byte(brenner.Clip(o.Text, mostSaid)))) {
		return true, nil // it was refused over it before
	}
	has := func(p kernel.Passage) bool { return s.through.Has(kernel.ReadOfSession(s.session.ID), p) }
	for _, d := range append([]*document{s.at}, s.earlier...) {
		if d.doc.Says(item, o.Field) == o.Text && d.has(s.author, item, has) {
			return true, nil
		}
	}
	if s.doc.Says(item, o.Field) == o.Text && s.sawChange(item, has) {
		return true, nil
	}
	if saw, err := s.sawStep(item, o, has); err != nil || saw {
		return saw, err
	}
	return shownAsProposed(s.call, s.session.ID, api.Replaced{Agent: o.By, DeltaID: o.DeltaID}, *s.through)
}

// sawChange says whether the author was shown what became of an item since a version that
// it has seen something of, though it may not have the rest of it.
func (s *sight) sawChange(item delta.ItemID, has func(kernel.Passage) bool) bool {
	return slices.ContainsFunc(s.earlier, func(e *document) bool {
		d := s.at.copied(s.head, s.doc)
		d.writeChanges(delta.Changes(s.doc, delta.Part{Since: e.doc, Items: []delta.ItemID{item}}), e.doc, e.view.Ref)
		return len(d.pieces) > 0 && !slices.ContainsFunc(d.pieces, func(p piece) bool { return !has(p.shown) })
	})
}

// sawStep says whether the author was told of a text with the compile that brought it, as what
// changed since the version before, which it may not have been shown: it may be its own work.
func (s *sight) sawStep(item delta.ItemID, o delta.Over, has func(kernel.Passage) bool) (bool, error) {
	for _, d := range append([]*document{s.at}, s.earlier...) {
		if d.view.Ref.Version < 2 || d.doc.Says(item, o.Field) != o.Text {
			continue
		}
		row, before, err := sessionArtifact(s.call, s.session.ID, d.view.Ref.Version-1)
		switch {
		case brenner.CodeOf(err) == brenner.CodeRedacted:
			continue
		case err != nil:
			return false, err
		}
		step := d.copied(d.view.Ref, d.doc)
		step.writeChanges(delta.Changes(d.doc, delta.Part{Since: before, Items: []delta.ItemID{item}}), before, row.Ref())
		if len(step.pieces) > 0 && !slices.ContainsFunc(step.pieces, func(p piece) bool { return !has(p.shown) }) {
			return true, nil
		}
	}
	return false, nil
}

func (s *sight) load() error {
	if s.loaded {
		return nil
	}
	s.loaded = true
	through, err := s.call.Newest()
	if err != nil {
		return err
	}
	if lastShown(through, s.session.ID) == 0 {
		k := readersOf(s.call, s.session)
		s.last = k.shown(s.author, s.call.Now)
		return k.failed
	}
	s.through = through
	s.at = &document{view: api.SessionView{SessionInfo: s.session, Ref: s.head}, doc: s.doc, reader: s.author}
	if err := s.at.compare(s.call, through.Entire(s.head.Artifact)); err != nil {
		return err
	}
	s.earlier, err = earlierVersions(s.call, s.at, through.Shown(s.head.Artifact))
	return err
}
