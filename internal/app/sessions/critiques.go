package sessions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"
	"brenner/internal/store"
)

// critiques says how far the critiques of a session's document have come.
func (r *Room) critiques(c *kernel.Call, info api.SessionInfo, doc *delta.Artifact) ([]delta.Critique, error) {
	k := readersOf(c, info)
	beside := delta.Beside{Shown: k.shown, Works: k.works}
	notes, failed := r.notesOn(c, info.ID)
	beside.Notes = notes
	out := delta.Critiques(doc, beside)
	return out, cmp.Or(k.failed, *failed)
}

// notesOn gives those who left notes on an item of a session, read when they are asked for,
// and what went wrong with that.
func (r *Room) notesOn(c *kernel.Call, id brenner.SessionID) (of func(delta.ItemID) []delta.Written, failed *error) {
	var all map[delta.ItemID][]delta.Written
	var err error
	return func(item delta.ItemID) []delta.Written {
		if all == nil && err == nil && r.Notes != nil {
			all, err = r.Notes(c, id)
		}
		return slices.Clone(all[item])
	}, &err
}

// readers is what those who take part in a session were shown of its document, and the
// artifacts that critiques name.
type readers struct {
	call     *kernel.Call
	session  brenner.SessionID
	module   brenner.Module
	docs     map[brenner.Version]*delta.Artifact // nil for one that is not to be had
	known    map[moment]brenner.Version
	named    map[brenner.ArtifactID]*delta.Work // nil for what is none
	versions []store.Version                    // of the document, once they are asked for
	failed   error                              // the first that could not be read
}

func readersOf(c *kernel.Call, info api.SessionInfo) *readers {
	return &readers{
		call: c, session: info.ID, module: info.Module, docs: map[brenner.Version]*delta.Artifact{}, known: map[moment]brenner.Version{}, named: map[brenner.ArtifactID]*delta.Work{},
	}
}

// moment is somebody at an instant.
type moment struct {
	agent brenner.ActorName
	at    time.Time
}

// shown is the newest version that somebody was shown by an instant: through a context, or
// by a message that told of it. Of persons, and of those who read neither here, nobody
// knows.
func (r *readers) shown(agent brenner.ActorName, by time.Time) *delta.Artifact {
	if r.failed != nil {
		return nil
	}
	when := moment{agent, by}
	version, looked := r.known[when]
	if !looked {
		read, err := r.call.ShownBy(agent, brenner.ArtifactID(r.session), by)
		if r.failed = err; err != nil {
			return nil
		}
		told, err := r.told(agent, by)
		if r.failed = err; err != nil {
			return nil
		}
		version = max(read, told)
		r.known[when] = version
	}
	if version == 0 {
		return nil
	}
	return r.document(version)
}

// told is the version that the newest message told of which somebody had read by an
// instant, 0 if none.
func (r *readers) told(agent brenner.ActorName, by time.Time) (brenner.Version, error) {
	var sent time.Time
	read := kernel.Query{Group: string(agent), States: []string{string(api.MessageRead), string(api.MessageAcked)}, Newest: true}
	err := messages.Each(r.call.Ctx, r.call.Reader, read, func(row kernel.Row[message]) (bool, error) {
		m := row.Value
		if m.Session == r.session && m.Kind == api.MessageCompiled && !m.ReadAt.IsZero() && !m.ReadAt.After(by) {
			sent = m.Sent
		}
		return sent.IsZero(), nil
	})
	if err != nil || sent.IsZero() {
		return 0, err
	}
	if r.versions == nil {
		if r.versions, err = r.call.Reader.Versions(r.call.Ctx, brenner.ArtifactID(r.session), 0, brenner.MaxPage); err != nil {
			return 0, err
		}
	}
	var out brenner.Version
	for _, v := range r.versions {
		if !v.Created.After(sent) {
			out = v.Version
		}
	}
	return out, nil
}

// document is a version of the document, nil if it was redacted.
func (r *readers) document(version brenner.Version) *delta.Artifact {
	if _, loaded := r.docs[version]; !loaded {
		_, doc, err := sessionArtifact(r.call, r.session, version)
		if err != nil && brenner.CodeOf(err) != brenner.CodeRedacted {
			r.failed = err
		}
		r.docs[version] = doc
	}
	return r.docs[version]
}

// namedPlace is a version of an artifact, or a place in one, as texts name it: log@2,
// log/F3, log@2/F3, or oxygen-log.3.
var namedPlace = lazy.NewPattern(`\b([A-Za-z0-9][A-Za-z0-9._-]{0,127})(?:@[0-9]{1,6}(?:/[A-Za-z0-9][A-Za-z0-9_-]*)?|/[A-Za-z0-9][A-Za-z0-9_-]*)|\b([A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+)\.[0-9]{1,4}\b`)

// How many names of artifacts are looked up for the critiques of one document, and how
// many of the newest versions of each are looked at.
const (
	mostWorks        = 50
	mostWorkVersions = 10
)

// works are the artifacts of which a text names versions or places.
func (r *readers) works(text string) (works []delta.Work, rest string) {
	rest = text
	for _, name := range namedPlace.FindAllStringSubmatch(text, -1) {
		if w := r.work(brenner.ArtifactID(cmp.Or(name[1], name[2]))); w != nil {
			works, rest = append(works, *w), strings.Replace(rest, name[0], "", 1)
		}
	}
	return works, rest
}

// work is an artifact that agents write, nil if there is none: none in another module, of
// which not all who read the document may know.
func (r *readers) work(id brenner.ArtifactID) *delta.Work {
	w, looked := r.named[id]
	if looked || len(r.named) == mostWorks || r.failed != nil {
		return w
	}
	r.named[id] = nil
	if id.Check() != nil || id == brenner.ArtifactID(r.session) {
		return nil
	}
	a, err := r.call.Reader.Artifact(r.call.Ctx, id)
	if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && a.Module != r.module && a.Module != kernel.ProjectModule {
		return nil
	}
	var rows []store.Version
	if err == nil {
		rows, err = r.call.Reader.Versions(r.call.Ctx, id, max(0, a.Latest-mostWorkVersions), mostWorkVersions)
	}
	if r.failed = err; err != nil {
		return nil
	}
	w = &delta.Work{Artifact: id}
	for _, v := range rows {
		w.Versions = append(w.Versions, delta.Written{By: v.Creator, At: v.Created})
	}
	r.named[id] = w
	return w
}
