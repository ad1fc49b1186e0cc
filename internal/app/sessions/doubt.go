package sessions

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// namedItem is an item as texts name it, takenOut one whose key an EDIT takes out
// of a map.
var (
	namedItem = lazy.NewPattern(`\b[A-Z]{1,2}[0-9]{1,4}\b`)
	takenOut  = lazy.NewPattern(`"[A-Z]{1,2}[0-9]{1,4}"\s*:\s*null`)
)

// mostDoubts bounds what is said of one reply.
const mostDoubts = 12

// doubt adds to what is said of the deltas of a reply what they name that was
// killed, is not there, or was changed by others since their author read it, each
// once. Of items that do not exist the merge tells.
func doubt(c *kernel.Call, info api.SessionInfo, out *api.Submission, entries []delta.Entry) error {
	if c.Person() || len(entries) == 0 {
		return nil
	}
	head, doc, err := sessionArtifact(c, info.ID, 0)
	if err != nil {
		return err
	}
	d := doubts{call: c, session: info.ID, doc: doc, author: out.Agent}
	through, err := c.Newest()
	if err != nil {
		return err
	}
	if version := lastShown(through, info.ID); version > 0 && version < head.Version {
		if _, d.known, err = sessionArtifact(c, info.ID, version); err != nil {
			return err
		}
		out.Known = version
	}
	for i, e := range entries {
		if e.Invalid != nil || i >= len(out.Deltas) {
			continue
		}
		found, err := d.of(e.Delta)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			out.Deltas[i].Warnings = slices.Concat(out.Deltas[i].Warnings, found)
		}
	}
	return nil
}

// doubts are about what the deltas of one reply name.
type doubts struct {
	call    *kernel.Call
	session brenner.SessionID
	doc     *delta.Artifact
	known   *delta.Artifact // what the author read last, if the document has moved since
	author  brenner.ActorName
	said    []string
}

// of lists the doubts about one delta that were not said of another.
func (d *doubts) of(one delta.Delta) ([]brenner.Diagnostic, error) {
	raw, err := canon.Marshal(one.Payload)
	if err != nil {
		return nil, err
	}
	text := takenOut.ReplaceAllString(string(raw), "")
	found, err := ledger.NamedVersions(d.call, text, brenner.ArtifactID(d.session))
	if err != nil {
		return nil, err
	}
	found = append(found, d.foretold(one)...)
	for _, name := range namedItem.FindAllString(text, 100) {
		if delta.Target(name) == one.TargetID {
			continue
		}
		if it, ok := d.doc.Item(delta.ItemID(name)); ok {
			found = append(found, d.about(it)...)
		}
	}
	return slices.DeleteFunc(found, func(f brenner.Diagnostic) bool {
		again := slices.Contains(d.said, f.Subject) || len(d.said) == mostDoubts
		if !again {
			d.said = append(d.said, f.Subject)
		}
		return again
	}), nil
}

// foretold doubts a change of what a test was expected to show, once it was run
// under that hypothesis: what was foretold is worth something as long as it stands.
func (d *doubts) foretold(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Expected map[string]jsontext.Value `json:"expected_outcomes"`
	}
	it, ok := d.doc.Item(delta.ItemID(one.TargetID))
	if one.Operation != delta.Edit || one.Section != delta.DiscriminativeTests || !ok || json.Unmarshal(one.Payload, &payload) != nil {
		return nil
	}
	var changed []string
	for _, ran := range it.Pairs("actual_outcomes") {
		before, was := foretoldOf(it, ran.Key)
		if now, is := payload.Expected[ran.Key]; is && was && string(now) != string(before) { // who puts it back is right
			changed = append(changed, ran.Key)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return []brenner.Diagnostic{{
		Code: brenner.CodeForetoldLater, Severity: brenner.SeverityWarning, Subject: string(it.ID()) + " expected_outcomes",
		Message: fmt.Sprintf("%s was run, and its expected_outcomes under %s are changed afterwards", it.ID(), kernel.Join(changed)),
		Hint:    "let stand what was foretold, and say what came out in actual_outcomes; a new expectation belongs into a new test",
	}}
}

// foretoldOf is what a test was expected to show under a hypothesis when it was first
// said what it showed.
func foretoldOf(it *delta.Item, key string) (value jsontext.Value, ok bool) {
	under := func(w delta.Write) (jsontext.Value, bool) {
		var all map[string]jsontext.Value
		_ = json.Unmarshal(w.Value, &all)
		v, there := all[key]
		return v, there
	}
	ran := slices.IndexFunc(it.History("actual_outcomes"), func(w delta.Write) bool { _, there := under(w); return there })
	if ran < 0 {
		return nil, false
	}
	run := it.History("actual_outcomes")[ran].At
	for _, w := range it.History("expected_outcomes") {
		if v, there := under(w); there && (!ok || !w.At.After(run)) {
			value, ok = v, true
		}
	}
	return value, ok
}

// about says what is to be known of an item that is named.
func (d *doubts) about(it *delta.Item) []brenner.Diagnostic {
	out := brenner.Diagnostic{Severity: brenner.SeverityWarning, Subject: string(it.ID())}
	if death := it.Killed(); death != nil {
		if death.By == d.author {
			return nil
		}
		out.Code, out.Message = brenner.CodeKilledReference, fmt.Sprintf("%s is named, and %s has killed it", it.ID(), death.By)
		return []brenner.Diagnostic{out}
	}
	if d.known == nil {
		return nil
	}
	others := slices.DeleteFunc(it.AuthorsSince(d.known), func(a brenner.ActorName) bool { return a == d.author })
	if _, had := d.known.Item(it.ID()); !had || len(others) == 0 {
		return nil
	}
	out.Code = brenner.CodeReferenceMoved
	out.Message = fmt.Sprintf("%s is named, and %s changed it since you read it", it.ID(), kernel.Join(others))
	return []brenner.Diagnostic{out}
}

// lastShown is the newest version of a session's document that a context showed.
func lastShown(t *kernel.Through, id brenner.SessionID) brenner.Version {
	if t == nil {
		return 0
	}
	return t.Latest(brenner.ArtifactID(id))
}

// quoteReplaced gives the author of a reply what its edits replaced of others'
// texts, where it was not shown that: it is a read, and charged (C33).
func quoteReplaced(ch *kernel.Change, info api.SessionInfo, out *api.Submission) error {
	if ch.Person() {
		return nil
	}
	through, err := ch.Newest()
	if err != nil {
		return err
	}
	var known *delta.Artifact
	if version := lastShown(through, info.ID); version > 0 {
		if _, known, err = sessionArtifact(ch.Call, info.ID, version); err != nil {
			return err
		}
	}
	for i := range out.Deltas {
		item := out.Deltas[i].Item
		for j := range out.Deltas[i].Replaces {
			r := &out.Deltas[i].Replaces[j]
			shown := shows(known, item, r.Field, r.Text)
			if !shown && through != nil {
				if shown, err = shownAsProposed(ch.Call, info.ID, *r, *through); err != nil {
					return err
				}
			}
			if shown {
				r.Text = ""
				continue
			}
			pays, err := ch.Pays(kernel.ReadOfSession(info.ID), r.Text)
			if err != nil {
				return err
			}
			if !pays {
				r.Text = ""
			}
		}
	}
	return nil
}

// shownAsProposed says whether the delta that wrote a text was shown through a
// context while it was proposed.
func shownAsProposed(c *kernel.Call, id brenner.SessionID, r api.Replaced, t kernel.Through) (bool, error) {
	shown := false
	err := deltas.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id), Newest: true}, func(row kernel.Row[deltaState]) (bool, error) {
		if row.Value.Agent != r.Agent || row.Value.DeltaID != r.DeltaID {
			return true, nil
		}
		e, err := readQueued(c.Ctx, c.Reader, row.Value.Digest)
		if err != nil {
			return false, err
		}
		p, err := proposalOf(e.Delta)
		shown = t.Has(kernel.ReadOfSession(id), kernel.Passage{Says: sayingsOf(p)})
		return false, err
	})
	return shown, err
}

// shows says whether a version shows a text in a field of an item, or its
// beginning.
func shows(a *delta.Artifact, item delta.ItemID, field, text string) bool {
	if a == nil {
		return false
	}
	it, ok := a.Item(item)
	return ok && brenner.Clip(it.Text(field), mostReplaced) == text
}

// mostReplaced is how much is quoted of a text that was replaced.
const mostReplaced = 300
