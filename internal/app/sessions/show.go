package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

// document is a session as it is about to be shown: its passages, then what is
// proposed.
type document struct {
	view   api.SessionView
	pieces []piece // for an agent those of the document, then what is proposed
	person bool
	reader brenner.ActorName
	doc    *delta.Artifact
	ahead  *delta.Artifact // the document with what is proposed
	named  bool            // items are asked for by name, to be read whole
	// full is an earlier version that the reader's context showed in full, if it
	// showed one.
	full   *delta.Artifact
	fullOf brenner.Ref
	// given says whether the reader's context was given a passage; nil for a person.
	given func(kernel.Passage) bool
	// surveyed says that the reader's context for the session was made before the work was
	// divided; of what is unseen.
	surveyed bool
}

// piece is a passage of a document, or of what is proposed.
type piece struct {
	delta.Passage
	shown    kernel.Passage
	proposal int               // its place among what is proposed, none for one of the document
	first    bool              // of what it is a piece of
	by       brenner.ActorName // who proposed what its reader may have seen of it
}

const none = -1

// Session implements api.Sessions. A person gets the document as Markdown; an
// agent in plain words, item by item, as much of it as it has not seen and as
// fits (C34).
func (s *Service) Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	if req.Written {
		return s.written(ctx, req)
	}
	if len(req.Tell) > 0 {
		return s.tell(ctx, req)
	}
	ask := kernel.Ask{What: kernel.ReadOfSession(req.ID), From: req.Offset, Again: req.Again, Peek: req.Unseen, Size: req.Size, Slack: req.Slack}
	refs := func(d *document) []brenner.Ref { return []brenner.Ref{d.view.Ref} }
	guard := kernel.Acting(kernel.Act{Action: policy.Read, Type: artifact.TypeSessionArtifact, Target: string(req.ID)})
	d, shown, err := kernel.ReadPassages(ctx, s.caller.Unasked(req.Unasked), ask, refs, guard, func(c *kernel.Call) (*document, []kernel.Passage, error) {
		d, err := s.openDocument(c, req)
		if err == nil && req.Unseen {
			d.surveyed, err = c.Surveyed(req.ID)
		}
		if err != nil {
			return nil, nil, err
		}
		return d, d.all(), nil
	})
	if err != nil {
		return api.SessionView{}, err
	}
	if req.Unseen {
		return d.unseen(shown), nil
	}
	return d.as(shown), nil
}

// openDocument loads what is asked for of a session.
func (r *Room) openDocument(c *kernel.Call, req api.SessionRequest) (*document, error) {
	info, err := findSession(c, req.ID)
	if err != nil {
		return nil, err
	}
	if err := c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(req.ID)); err != nil {
		return nil, err
	}
	row, doc, err := sessionArtifact(c, req.ID, req.Version)
	if err != nil {
		return nil, err
	}
	d := &document{view: api.SessionView{SessionInfo: info, Ref: row.Ref(), Status: row.Status}, person: c.Person(), reader: c.Who.Name, doc: doc}
	if !d.person {
		d.given = func(p kernel.Passage) bool { return c.Has(kernel.ReadOfSession(info.ID), p) }
	}
	if !info.Closed.IsZero() {
		if d.view.Unfinished, err = r.Unfinished(c, info.ID); err != nil {
			return nil, err
		}
	}
	if d.view.Critiques, err = r.critiques(c, info, doc); err != nil {
		return nil, err
	}
	d.view.AnswerKilled = doc.AnswerKilled()
	if req.Version == 0 {
		if d.view.AnswerFree, err = answerFree(c, info); err != nil {
			return nil, err
		}
		if d.view.AnswerBy, d.view.AnswerMoved, err = r.movedUnderAnswer(c, info, row, doc, d.view.Critiques, d.view.AnswerFree); err != nil {
			return nil, err
		}
		if d.view.AnswerSigned, d.view.AnswerSignedBefore, err = signers(c, info.ID, doc, d.view.AnswerBy); err != nil {
			return nil, err
		}
		notes, failed := r.notesOn(c, info.ID)
		d.view.AnswerNoted = notedSince(doc, notes)
		if d.view.Asks = asksIn(doc, info, notes); *failed != nil {
			return nil, *failed
		}
	}
	var proposed *delta.Artifact
	if d.view.Proposals, proposed, err = proposals(c, info, req, doc); err != nil {
		return nil, err
	}
	d.ahead = proposed
	req.Items = byName(req.Items, c.Who.Name, proposed)
	if err := haveItems(req.Items, doc, proposed); err != nil {
		return nil, err
	}
	if d.view.Tests, err = testsOf(c, info, proposed); err != nil {
		return nil, err
	}
	if err := d.compare(c, c.ShownInFull(row.Artifact)); err != nil {
		return nil, err
	}
	if !req.Again {
		d.shorten(c)
	}
	if d.view.Working, err = working(c, info); err != nil {
		return nil, err
	}
	d.view.Why = lastChanges(doc, req.Items)
	known := len(c.HasRead(row.Artifact)) > 0 // else news begin where it is asked for
	if req.Unseen || req.News && !c.Person() && (known || req.Since == 0) {
		err = d.changed(c, row, req.Since)
		d.putFirst()
		d.propose()
		return d, err
	}
	part, err := partOf(c, req)
	if err != nil {
		return nil, err
	}
	switch {
	case req.Brief && c.Person():
		d.view.Markdown = delta.Join(briefOf(doc, d.view.Critiques, req))
	case req.Brief:
		for _, p := range briefOf(doc, d.view.Critiques, req) { // who has the whole has not its brief
			for i, text := range kernel.CutItem(p.Section, p.Text) {
				p.Text = text
				d.pieces = append(d.pieces, piece{Passage: p, proposal: none, first: i == 0, shown: kernel.Passage{Text: text}})
			}
		}
	case !c.Person():
		if req.Again {
			d.write(delta.Passages(doc, part))
			break
		}
		if req.Since == 0 {
			d.named = len(req.Items) > 0 && !req.Unasked
			err = d.writeNew(c, delta.Passages(doc, part), nil, brenner.Ref{})
			break
		}
		changes := delta.Changes(doc, part)
		if len(req.Items) == 0 { // what is asked for by name is sent, whoever wrote it
			changes = slices.DeleteFunc(changes, func(p delta.Passage) bool {
				it, ok := doc.Item(p.Item)
				workedOut := ok && len(it.AuthorsSince(part.Since)) == 0 // from other items
				return workedOut || deadIn(doc, p.Item) && deadIn(part.Since, p.Item)
			})
			changes, d.view.Own = ofOthers(doc, part.Since, changes, c.Who.Name)
		}
		err = d.writeNew(c, changes, part.Since, brenner.Ref{Artifact: row.Artifact, Version: req.Since})
	case len(req.Sections) == 0 && len(req.Items) == 0 && req.Since == 0:
		d.view.Markdown = delta.Render(doc)
	default:
		d.view.Markdown = delta.RenderPart(doc, part)
	}
	if err != nil {
		return nil, err
	}
	d.propose()
	if req.Full {
		if !c.Person() {
			return nil, brenner.Errorf(brenner.CodeReadDenied, "the history of a session is for persons").
				WithHint("leave full out: the document says what stands, and who wrote it").
				Try(brenner.Do("session.show", "id", string(req.ID)))
		}
		d.view.Content, err = canon.Marshal(doc)
	}
	return d, err
}

// byName are items that are asked for, those by their ids that are asked for by what an
// agent calls them: the reader, or else the only one that does.
func byName(items []delta.ItemID, reader brenner.ActorName, doc *delta.Artifact) []delta.ItemID {
	out := slices.Clone(items)
	for i, id := range out {
		if _, is := doc.Item(id); is {
			continue
		}
		called := doc.Called(string(id))
		if own := slices.IndexFunc(called, func(n delta.Named) bool { return n.Agent == reader }); own >= 0 {
			called = called[own : own+1]
		}
		if len(called) == 1 {
			out[i] = called[0].Item
		}
	}
	return out
}

// haveItems refuses items that a document has not, nor would have with what waits.
func haveItems(items []delta.ItemID, docs ...*delta.Artifact) error {
	for i, id := range items {
		if slices.ContainsFunc(docs, func(doc *delta.Artifact) bool { _, ok := doc.Item(id); return ok }) {
			continue
		}
		var known []string
		for _, s := range delta.Sections() {
			for _, it := range docs[len(docs)-1].Items(s) {
				known = append(known, string(it.ID()))
			}
		}
		e := brenner.Errorf(brenner.CodeNotFound, "the session has no item %q", brenner.Clip(string(id), 60)).At("/items/" + strconv.Itoa(i))
		if len(known) > 0 {
			e = e.WithHint("items: " + brenner.Clip(kernel.Join(known), brenner.MaxQuote))
		}
		return e.Try(brenner.Again().Asking("items"))
	}
	return nil
}

// How many items it is said of why they were changed last, and how much of that.
const (
	mostReasons = 20
	reasonRunes = 2000 // in all
)

// lastChanges says why items were changed last, where their authors said so.
func lastChanges(doc *delta.Artifact, items []delta.ItemID) []api.LastChange {
	items = items[:min(len(items), mostReasons)]
	var out []api.LastChange
	for _, id := range items {
		it, ok := doc.Item(id)
		if !ok {
			continue
		}
		d, at := it.LastChange()
		if why := strings.TrimSpace(d.Rationale); why != "" {
			out = append(out, api.LastChange{Item: id, Agent: d.Agent, Operation: d.Operation, At: at, Rationale: brenner.ClipWords(why, reasonRunes/len(items))})
		}
	}
	return out
}

// partOf is what a request chooses of the document.
func partOf(c *kernel.Call, req api.SessionRequest) (delta.Part, error) {
	part := delta.Part{Sections: req.Sections, Items: req.Items}
	for i, s := range req.Sections {
		if !slices.Contains(delta.Sections(), s) {
			return part, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a section", s).At(fmt.Sprintf("/sections/%d", i)).
				WithHint("sections: " + kernel.Join(delta.Sections()))
		}
	}
	if req.Since != 0 {
		_, earlier, err := sessionArtifact(c, req.ID, req.Since)
		if err != nil {
			return part, err
		}
		part.Since = earlier
	}
	return part, nil
}

// ofOthers leaves out the items that one agent alone has written or changed since an
// earlier version, and names them.
func ofOthers(doc, since *delta.Artifact, all []delta.Passage, reader brenner.ActorName) (rest []delta.Passage, own []delta.ItemID) {
	for _, p := range all {
		if it, ok := doc.Item(p.Item); ok && (onlyBy(it, reader) || onlySince(doc, since, p.Item, reader)) {
			own = append(own, p.Item)
			continue
		}
		rest = append(rest, p)
	}
	return rest, own
}

// deadIn says whether an item is killed in a version. What becomes of a dead one, a cell of
// it say, concerns nobody any more.
func deadIn(doc *delta.Artifact, id delta.ItemID) bool {
	it, ok := doc.Item(id)
	return ok && it.Killed() != nil
}

// testsOf says how far the tests of a document have come, and of each result whether who
// ran the test has written a newer version of it that says something else.
func testsOf(c *kernel.Call, info api.SessionInfo, doc *delta.Artifact) ([]delta.Test, error) {
	tests := delta.Tests(doc)
	for _, t := range tests {
		for i, run := range t.Done {
			var err error
			if run.Result, err = resultOf(c, doc, t.Item, run); err != nil {
				return nil, err
			}
			t.Done[i].Result = run.Result
			ref, err := brenner.ParseRef(run.Result)
			if err != nil || ref.Version == 0 {
				continue
			}
			a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
			if brenner.CodeOf(err) == brenner.CodeNotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			head := brenner.Ref{Artifact: ref.Artifact, Version: a.Head}
			if a.Head <= ref.Version || a.Module != info.Module && a.Module != kernel.ProjectModule {
				continue
			}
			v, err := c.Version(c.Ctx, head)
			if err != nil {
				return nil, err
			}
			if v.Creator != run.By { // what others make of it is not what came out
				continue
			}
			named, err := c.Version(c.Ctx, ref)
			if err != nil && brenner.CodeOf(err) != brenner.CodeNotFound {
				return nil, err
			}
			if named.Content != v.Content {
				t.Done[i].Newer = head.Version
			}
		}
	}
	return tests, nil
}

// resultOf is the version that came out of a run: of those that who ran the test names with
// it the last that it wrote itself. What others wrote is what it was run on; what is not there
// nobody knows.
func resultOf(c *kernel.Call, doc *delta.Artifact, test delta.ItemID, run delta.Run) (string, error) {
	if run.Result == "" {
		return "", nil
	}
	var named []string
	it, _ := doc.Item(test)
	for _, field := range []string{"actual_outcomes", "last_run"} {
		for _, w := range it.History(field) {
			if w.Agent == run.By {
				named = append(named, ledger.VersionsIn(ledger.Said(w.Value))...)
			}
		}
	}
	out := run.Result
	for _, name := range append(named, run.Result) {
		ref, err := brenner.ParseRef(name)
		if err != nil {
			continue
		}
		v, err := c.Version(c.Ctx, ref)
		switch {
		case brenner.CodeOf(err) == brenner.CodeNotFound:
		case err != nil:
			return "", err
		case v.Creator == run.By:
			out = name
		case name == out:
			out = ""
		}
	}
	return out, nil
}

// onlyBy says whether one agent alone has written an item.
func onlyBy(it *delta.Item, name brenner.ActorName) bool {
	return slices.Equal(it.Authors(), []brenner.ActorName{name})
}

// onlySince says whether one agent alone has changed an item since an earlier
// version.
func onlySince(doc, earlier *delta.Artifact, id delta.ItemID, name brenner.ActorName) bool {
	it, ok := doc.Item(id)
	return ok && slices.Equal(it.AuthorsSince(earlier), []brenner.ActorName{name})
}

// putFirst puts the critiques that wait for the reader's answer, and then what others did to
// its own items, before all but the research thread: where an answer does not hold all that
// is new, it holds the answer of the session and what asks for something. Each comes with
// what else there is of its section, under one heading.
func (d *document) putFirst() {
	rank := func(p piece) int {
		asks := func(c delta.Critique) bool {
			return c.Item == p.Item && c.State == delta.CritiqueOpen && slices.Contains(c.Against, d.reader)
		}
		switch {
		case p.Section == delta.ResearchThread:
			return 0
		case slices.ContainsFunc(d.view.Critiques, asks):
			return 1
		}
		if it, ok := d.doc.Item(p.Item); ok && slices.Contains(it.Authors(), d.reader) {
			return 2
		}
		return 3
	}
	first := map[delta.Section]int{} // the rank of the best of a section, which stays together
	for _, p := range d.pieces {
		if at, met := first[p.Section]; !met || rank(p) < at {
			first[p.Section] = rank(p)
		}
	}
	sections := delta.Sections()
	order.By(d.pieces, func(a, b piece) int {
		return cmp.Or(first[a.Section]-first[b.Section], slices.Index(sections, a.Section)-slices.Index(sections, b.Section), rank(a)-rank(b))
	})
}

// changed takes in what others have changed since the reader was first shown the
// document and it was not given: each item from the newest version that it has it of, or
// whole. What it was given as it was proposed, and has become an item after version since, is
// taken in to be named.
func (d *document) changed(c *kernel.Call, head store.Version, since brenner.Version) error {
	d.view.Known = c.LastRead(head.Artifact)
	versions := c.HasRead(head.Artifact)
	if len(versions) == 0 || versions[len(versions)-1] >= head.Version {
		return nil
	}
	earlier, err := earlierVersions(c, d, versions)
	if err != nil || len(earlier) == 0 {
		return err
	}
	first := earlier[len(earlier)-1].doc
	var base *delta.Artifact
	if since > 0 {
		if base, err = documentIn(c, brenner.Ref{Artifact: head.Artifact, Version: since}); err != nil {
			return err
		}
	}
	has := func(p kernel.Passage) bool { return c.Has(kernel.ReadOfSession(d.view.ID), p) }
	now := d.copied(d.view.Ref, d.doc)
	for _, p := range delta.Changes(d.doc, delta.Part{Since: first}) {
		it, ok := d.doc.Item(p.Item)
		if !ok {
			continue
		}
		others := func(since *delta.Artifact) []brenner.ActorName {
			return slices.DeleteFunc(it.AuthorsSince(since), func(a brenner.ActorName) bool { return a == c.Who.Name })
		}
		by := others(first)
		if len(by) == 0 {
			continue
		}
		if now.has(c.Who.Name, p.Item, has) {
			if base != nil && len(others(base)) > 0 {
				whole, _ := d.doc.Passage(p.Item)
				d.write([]delta.Passage{whole})
			}
			continue
		}
		at := slices.IndexFunc(earlier, func(e *document) bool { return e.has(c.Who.Name, p.Item, has) })
		if at >= 0 {
			if deadIn(d.doc, p.Item) && deadIn(earlier[at].doc, p.Item) {
				continue
			}
			if by = others(earlier[at].doc); len(by) == 0 {
				continue // its own, or what is worked out from other items
			}
		}
		for _, a := range by {
			d.view.Changed = append(d.view.Changed, api.ItemChange{Item: p.Item, Agent: a})
		}
		if at < 0 {
			if !d.writeFurther(p.Item, nil, brenner.Ref{}) {
				whole, _ := d.doc.Passage(p.Item)
				d.write([]delta.Passage{whole})
			}
			continue
		}
		d.writeChanges(delta.Changes(d.doc, delta.Part{Since: earlier[at].doc, Items: []delta.ItemID{p.Item}}), earlier[at].doc, earlier[at].view.Ref)
	}
	return nil
}

// mostEarlier is how many of the versions that a reader was shown are looked at for how
// it knows an item: the newest, and the first.
const mostEarlier = 8

// earlierVersions are documents that a reader was shown something of, before the one at
// hand, the newest first. What a redacted one said nobody knows any more; where that
// leaves none, the first of all takes its place.
func earlierVersions(c *kernel.Call, d *document, versions []brenner.Version) ([]*document, error) {
	versions = slices.DeleteFunc(slices.Clone(versions), func(v brenner.Version) bool { return v >= d.view.Ref.Version })
	if n := len(versions); n > mostEarlier {
		versions = append(versions[:mostEarlier-1], versions[n-1])
	}
	var out []*document
	load := func(v brenner.Version) error {
		row, doc, err := sessionArtifact(c, d.view.ID, v)
		switch {
		case err == nil:
			out = append(out, d.copied(row.Ref(), doc))
		case brenner.CodeOf(err) == brenner.CodeRedacted:
			return nil
		}
		return err
	}
	for _, v := range versions {
		if err := load(v); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return out, load(1)
	}
	return out, nil
}

// copied is another version as the same reader knows it.
func (d *document) copied(ref brenner.Ref, doc *delta.Artifact) *document {
	out := &document{view: d.view, doc: doc, full: d.full, fullOf: d.fullOf, reader: d.reader}
	out.view.Ref = ref
	return out
}

// compare notes which version the reader's context showed in full: what stands
// there word for word its reader has. Of a redacted one nobody knows that any more.
func (d *document) compare(c *kernel.Call, version brenner.Version) (err error) {
	if version > 0 && version != d.view.Ref.Version {
		d.fullOf = brenner.Ref{Artifact: d.view.Ref.Artifact, Version: version}
		d.full, err = documentIn(c, d.fullOf)
	}
	return err
}

// origin is the version that the reader's context may have shown a passage in.
func (d *document) origin(p delta.Passage, of brenner.Ref) brenner.Ref {
	if d.full == nil {
		return of
	}
	if there, ok := d.full.Passage(p.Item); ok && there.Text == p.Text {
		return d.fullOf
	}
	return of
}

// write takes in passages of the document.
func (d *document) write(all []delta.Passage) {
	for _, p := range all {
		var like []string
		var by brenner.ActorName
		if it, ok := d.doc.Item(p.Item); ok {
			if like, by = asProposed(it), it.Authors()[0]; like == nil && !d.named {
				like, by = d.asSent(it, nil)
			}
		}
		says, of := sayings(p), d.origin(p, d.view.Ref)
		for i, text := range kernel.CutItem(p.Section, p.Text) {
			p.Text = text
			d.pieces = append(d.pieces, piece{Passage: p, proposal: none, first: i == 0, by: by, shown: kernel.Passage{
				Text: text, Of: of, Says: says[i : i+1], Like: like, Whole: d.named,
			}})
		}
	}
}

// writeChanges takes in what became of items since an earlier version. Who has an
// item as it was there has, with that, the whole of it.
func (d *document) writeChanges(all []delta.Passage, since *delta.Artifact, version brenner.Ref) {
	for _, p := range all {
		if d.writeFurther(p.Item, since, version) {
			continue
		}
		if _, changed := since.Item(p.Item); !changed {
			d.write([]delta.Passage{p})
			continue
		}
		d.writeChange(p, since, d.goingOn(p.Item, since, version))
	}
}

// writeFurther takes in what became of an item beyond an earlier version, nil for none, and
// what the reader was shown as proposed since, or proposed itself: that it has. It says
// whether there is such a thing.
func (d *document) writeFurther(id delta.ItemID, since *delta.Artifact, version brenner.Ref) bool {
	if d.given == nil {
		return false
	}
	var from kernel.Passage
	if since != nil {
		from = d.goingOn(id, since, version)
	}
	if len(from.From) > 0 && !d.given(kernel.Passage{Says: from.From, Like: from.FromLike, Of: from.FromOf}) {
		return false
	}
	known, ok := d.doc.Knowing(id, since, func(sent delta.Delta) bool {
		return sent.Agent == d.reader || d.given(kernel.Passage{Like: []string{sentAs(sent)}})
	})
	if !ok {
		return false
	}
	changes := delta.Changes(d.doc, delta.Part{Since: known, Items: []delta.ItemID{id}})
	for _, p := range changes {
		d.writeChange(p, known, from)
	}
	return len(changes) > 0
}

// goingOn says what a change of an item since an earlier version goes on from.
func (d *document) goingOn(id delta.ItemID, since *delta.Artifact, version brenner.Ref) kernel.Passage {
	it, ok := since.Item(id)
	if !ok || onlyBy(it, d.reader) { // it wrote that
		return kernel.Passage{}
	}
	before, _ := since.Passage(id)
	return kernel.Passage{From: sayings(before), FromOf: d.origin(before, version), FromLike: asProposed(it)}
}

// writeChange takes in what became of one item since an earlier version, for who has what
// it goes on from.
func (d *document) writeChange(p delta.Passage, since *delta.Artifact, from kernel.Passage) {
	now, _ := d.doc.Passage(p.Item)
	from.Of, from.Says = d.origin(now, d.view.Ref), sayings(now)
	var by brenner.ActorName
	if it, ok := d.doc.Item(p.Item); ok {
		from.Like, by = d.asSent(it, since)
	}
	pieces := kernel.CutItem(p.Section, p.Text)
	for i, text := range pieces {
		p.Text = text
		shown := from
		if shown.Text = text; i < len(pieces)-1 {
			shown.Says = nil
		}
		d.pieces = append(d.pieces, piece{Passage: p, proposal: none, first: i == 0, by: by, shown: shown})
	}
}

// sayings name what the pieces of an item say. What is worked out from other items it does not
// say itself: that another was changed makes it no news.
func sayings(p delta.Passage) []string {
	sum := canon.Sum([]byte(strings.TrimSuffix(p.Text, p.WorkedOut)))
	out := make([]string, len(kernel.CutItem(p.Section, p.Text)))
	for i := range out {
		out[i] = fmt.Sprintf("%s %s %d/%d", p.Item, sum, i+1, len(out))
	}
	return out
}

// Unread is the document of a session in plain words without the items that were
// given through a context, which it names.
func (r *Room) Unread(c *kernel.Call, ref brenner.Ref, t kernel.Through) (text string, known []delta.ItemID, err error) {
	id := brenner.SessionID(ref.Artifact)
	info, err := findSession(c, id)
	if err != nil {
		return "", nil, err
	}
	row, doc, err := sessionArtifact(c, id, ref.Version)
	if err != nil {
		return "", nil, err
	}
	d := &document{view: api.SessionView{SessionInfo: info, Ref: row.Ref()}, doc: doc, reader: c.Who.Name}
	if err := d.compare(c, t.Entire(ref.Artifact)); err != nil {
		return "", nil, err
	}
	var earlier []*document
	if versions := t.Shown(ref.Artifact); len(versions) > 0 {
		if earlier, err = earlierVersions(c, d, versions); err != nil {
			return "", nil, err
		}
	}
	has := func(p kernel.Passage) bool { return t.Has(kernel.ReadOfSession(id), p) }
	var rest []delta.Passage
	for _, p := range delta.Passages(doc, delta.Part{}) {
		at := slices.IndexFunc(earlier, func(e *document) bool { return e.has(c.Who.Name, p.Item, has) })
		switch {
		case d.has(c.Who.Name, p.Item, has), at >= 0 && (onlySince(doc, earlier[at].doc, p.Item, c.Who.Name) || d.seen(p.Item, earlier[at].doc, has)):
			known = append(known, p.Item)
		case at >= 0:
			rest = append(rest, delta.Changes(doc, delta.Part{Since: earlier[at].doc, Items: []delta.ItemID{p.Item}})...)
		default:
			rest = append(rest, p)
		}
	}
	text = delta.Join(rest)
	if slices.ContainsFunc(rest, func(p delta.Passage) bool { return p.Section == delta.ResearchThread }) {
		all, err := r.critiques(c, info, doc)
		if err != nil {
			return "", nil, err
		}
		text = delta.BelowThread(text, api.AnswerWords(all, doc.AnswerKilled(), ""))
	}
	if names := doc.NamesIn(text); len(names) > 0 {
		text += "\nNames: " + api.NameWords(names) + "\n"
	}
	return text, known, nil
}

// has says whether a reader was given an item of the document, or wrote it alone.
func (d *document) has(reader brenner.ActorName, id delta.ItemID, given func(kernel.Passage) bool) bool {
	it, ok := d.doc.Item(id)
	if !ok {
		return false
	}
	if onlyBy(it, reader) {
		return true
	}
	p, _ := d.doc.Passage(id)
	d.pieces = nil
	d.write([]delta.Passage{p})
	return !slices.ContainsFunc(d.pieces, func(p piece) bool { return !given(p.shown) })
}

// seen says whether a reader was shown all that others did to an item since an earlier
// version, as they proposed it.
func (d *document) seen(id delta.ItemID, since *delta.Artifact, given func(kernel.Passage) bool) bool {
	it, ok := d.doc.Item(id)
	if !ok {
		return false
	}
	like, _ := d.asSent(it, since)
	return len(like) > 0 && given(kernel.Passage{Like: like})
}

// shorten leaves of a long text that somebody else proposes to write anew the passages
// that would change, for a reader who has the item as it is.
func (d *document) shorten(c *kernel.Call) {
	if d.person {
		return
	}
	has := func(p kernel.Passage) bool { return c.Has(kernel.ReadOfSession(d.view.ID), p) }
	now := d.copied(d.view.Ref, d.doc)
	for i := range d.view.Proposals {
		p := &d.view.Proposals[i]
		it, ok := d.doc.Item(p.Item)
		if !ok || p.Own || p.Operation != delta.Edit || p.Section == delta.ResearchThread {
			continue
		}
		if payload, shorter := it.Changing(p.Payload); shorter && now.has(d.reader, p.Item, has) {
			short := *p
			short.Payload = payload
			p.Text = short.Words() + "    (long texts only where they would change, [-is-]{+will be+})\n"
		}
	}
}

// propose takes in what is proposed: first of all what the answer shall be, which others
// would else read in part or last.
func (d *document) propose() {
	var thread []piece
	for n, p := range d.view.Proposals {
		texts := kernel.CutItem(p.Section, p.Words())
		of := delta.Passage{Item: cmp.Or(p.Item, delta.ItemID(p.Target))}
		for i, text := range texts {
			of.Text = text
			says := []string{saying(p, i, len(texts))}
			if i == len(texts)-1 {
				says = append(says, p.Sent)
			}
			proposed := piece{Passage: of, proposal: n, first: i == 0, shown: kernel.Passage{Text: text, Own: p.Own, Says: says}}
			if p.Section == delta.ResearchThread && !p.Own {
				thread = append(thread, proposed)
			} else {
				d.pieces = append(d.pieces, proposed)
			}
		}
	}
	d.pieces = slices.Concat(thread, d.pieces)
}

// asProposed names the pieces in which an item was shown when it was proposed,
// where it says that and no more.
func asProposed(it *delta.Item) []string {
	d, ok := it.Sole()
	if !ok {
		return nil
	}
	p, err := proposalOf(delta.Entry{Delta: d})
	if err != nil {
		return nil
	}
	return sayingsOf(p)
}

// proposalOf is a delta as it is proposed: of a text that it changes in part, the part.
func proposalOf(e delta.Entry) (api.Proposal, error) {
	d, sent := e.Delta, e.Delta.Payload
	if len(e.Sent) > 0 {
		sent = e.Sent
	}
	payload, err := canon.Marshal(sent)
	return api.Proposal{
		Agent: d.Agent, DeltaID: d.DeltaID, Operation: d.Operation, Section: d.Section, Target: d.TargetID, Provisional: d.ProvisionalID,
		Payload: payload, Rationale: d.Rationale, Sent: sentAs(d),
	}, err
}

// sentAs tells a delta from all others.
func sentAs(d delta.Delta) string {
	return fmt.Sprintf("%s %s sent %s %d", d.Agent, d.DeltaID, d.Timestamp, d.Seq)
}

// asSent names the deltas of others that made an item what it is beyond an earlier
// version, where those tell what it says: who was shown each of them as it was proposed
// has the item if it has that version, its own deltas it knows.
func (d *document) asSent(it *delta.Item, since *delta.Artifact) (deltas []string, by brenner.ActorName) {
	all, ok := it.DeltasSince(since)
	if !ok {
		return nil, ""
	}
	for _, sent := range all {
		if sent.Agent != d.reader {
			deltas, by = append(deltas, sentAs(sent)), sent.Agent
		}
	}
	return deltas, by
}

// sayingsOf name the pieces in which something was shown as proposed.
func sayingsOf(p api.Proposal) []string {
	out := make([]string, len(kernel.CutItem(p.Section, p.Words())))
	for i := range out {
		out[i] = saying(p, i, len(out))
	}
	return out
}

// saying names a piece of what an agent proposed, whatever it will be called.
func saying(p api.Proposal, i, of int) string {
	return fmt.Sprintf("%s %s %s %d/%d", p.Agent, p.DeltaID, canon.Sum(p.Payload), i+1, of)
}

// all are the passages of the document and what is proposed, in order.
func (d *document) all() []kernel.Passage {
	out := make([]kernel.Passage, len(d.pieces))
	for i, p := range d.pieces {
		out[i] = p.shown
	}
	return out
}

// unseen names what others propose and the reader was not given.
func (d *document) unseen(shown kernel.Shown) api.SessionView {
	out := d.view
	out.Proposals, out.Left, out.GoOn, out.Survey = nil, shown.Left, d.goOn(shown), d.surveyed
	last, news := none, map[delta.ItemID]bool{}
	for _, i := range slices.Concat(shown.Now, shown.Rest) {
		at := d.pieces[i].proposal
		if at == none {
			news[d.pieces[i].Item] = true
			continue
		}
		if p := d.view.Proposals[at]; !p.Own && at != last {
			last, p.Payload, p.Rationale = at, nil, ""
			out.Proposals = append(out.Proposals, p)
		}
	}
	out.Changed = slices.DeleteFunc(out.Changed, func(c api.ItemChange) bool { return !news[c.Item] })
	out.Concerns = slices.ContainsFunc(out.Changed, func(c api.ItemChange) bool { return d.concerns(c.Item) }) ||
		slices.ContainsFunc(out.Proposals, func(p api.Proposal) bool { return d.concerns(p.Item) })
	return out
}

// concerns says whether what others wrote in an item concerns the reader: it is one of its
// own, names one or what the reader is to do, or is the answer.
func (d *document) concerns(id delta.ItemID) bool {
	it, ok := d.ahead.Item(id)
	if !ok {
		return false
	}
	mine := func(it *delta.Item) bool { return slices.Contains(it.Authors(), d.reader) }
	if it.Section() == delta.ResearchThread || mine(it) {
		return true
	}
	if slices.ContainsFunc(d.view.Asks, func(a api.ItemAsk) bool { return a.Item == id && a.Of == d.reader }) {
		return true
	}
	p, _ := d.ahead.Passage(id)
	return slices.ContainsFunc(namedIn(it, p.Text, d.ahead.NamesIn(p.Text)), func(named delta.ItemID) bool {
		it, ok := d.ahead.Item(named)
		return ok && mine(it)
	})
}

// goOn makes a context for the session that goes on from the one at hand, whatever that
// is for.
func (d *document) goOn(shown kernel.Shown) brenner.Action {
	return brenner.Do("context.assemble", "session", string(d.view.ID), "after", shown.Next.Args["after"])
}

// working says how far those are who were asked, to those who contribute.
func working(c *kernel.Call, info api.SessionInfo) ([]api.Working, error) {
	if !c.Person() && !slices.Contains(info.Contributors, c.Who.Name) || !info.Closed.IsZero() {
		return nil, nil
	}
	var out []api.Working
	for _, r := range info.Recipients {
		w := api.Working{Agent: r.Name, Role: r.Role, State: api.WorkAnswered, Since: r.AnsweredAt, Proposed: r.Pending, Nothing: r.Nothing, Late: r.Late}
		if r.Waiting {
			m, err := messages.Find(c.Ctx, c.Reader, r.Ask)
			if err != nil {
				return nil, err
			}
			if w.State, w.Since = api.WorkReading, m.ReadAt; m.ReadAt.IsZero() {
				w.State, w.Since = api.WorkAsked, r.AskedAt
			}
		}
		if err := noteSeen(c, &w); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// noteSeen says when somebody last did anything.
func noteSeen(c *kernel.Call, w *api.Working) error {
	last, err := lastDone(c, w.Agent)
	if !last.IsZero() {
		w.Seen, w.Idle = last, int(max(0, c.Now.Sub(last)).Minutes())
	}
	return err
}

// lastDone is when somebody last did anything that the journal has: wrote, took, asked
// for, or read what counts. What is longer ago than the newest records is long ago: zero.
func lastDone(c *kernel.Call, who brenner.ActorName) (time.Time, error) {
	last, err := c.FindRecords(c.Ctx, store.RecordQuery{Actor: who, After: max(0, c.Position-seenWithin), Newest: true, Limit: 1})
	if len(last) == 0 {
		return time.Time{}, err
	}
	return last[0].At, err
}

// seenWithin is how many of the newest records are looked through for when somebody did
// something.
const seenWithin = 1000

// as is the document as far as it is shown.
func (d *document) as(shown kernel.Shown) api.SessionView {
	out := d.view
	if d.person {
		out.Names = d.doc.NamesIn(out.Markdown)
		return out
	}
	out.Proposals, out.Left, out.Spent, out.RestCosts = nil, shown.Left, shown.Full, shown.Costs
	if shown.Full {
		out.GoOn = d.goOn(shown)
	}
	var now []delta.Passage
	others := 0
	for n, i := range shown.Now {
		p := d.pieces[i]
		if !p.shown.Own {
			others++
		}
		switch {
		case p.proposal == none:
			now = append(now, p.Passage)
			if p.InPart && !slices.Contains(out.InPart, p.Item) {
				out.InPart = append(out.InPart, p.Item)
			}
		case n == 0 || d.pieces[shown.Now[n-1]].proposal != p.proposal:
			out.Proposals = append(out.Proposals, d.proposed(p.proposal, shown.Now[n:]))
		}
	}
	out.Markdown = delta.Join(now)
	out.Names = d.names(out)
	out.Before, out.Rest = d.items(shown.Before), d.items(d.rest(shown))
	for _, i := range shown.Like {
		p := d.pieces[i]
		if p.first {
			out.AsProposed = append(out.AsProposed, api.AsProposed{Item: p.Item, Agent: p.by, Title: p.Title})
		}
	}
	if len(shown.Rest) > 0 {
		out.NextOffset = shown.Rest[0]
	}
	out.Repeated = others == 0 && len(shown.Before) > 0 && len(shown.Rest)+len(shown.Like) == 0
	return out
}

// rest are the pieces for which there was no room: what the reader wrote itself only where
// there is nothing else.
func (d *document) rest(shown kernel.Shown) []int {
	others := slices.DeleteFunc(slices.Clone(shown.Rest), func(i int) bool { return d.pieces[i].shown.Own })
	if len(others) == 0 {
		return shown.Rest
	}
	return others
}

// proposed is what is proposed, as far as the pieces are of it.
func (d *document) proposed(at int, pieces []int) api.Proposal {
	p := d.view.Proposals[at]
	var b strings.Builder
	if !d.pieces[pieces[0]].first {
		fmt.Fprintf(&b, "proposed by %s, %s goes on:\n", p.Agent, cmp.Or(string(p.Item), string(p.Target), string(p.Section)))
	}
	n := 0
	for ; n < len(pieces) && d.pieces[pieces[n]].proposal == at; n++ {
		b.WriteString(d.pieces[pieces[n]].Text)
	}
	all := 0
	for _, q := range d.pieces {
		if q.proposal == at {
			all++
		}
	}
	if n < all {
		p.Text, p.Payload, p.Rationale = b.String(), nil, ""
	}
	return p
}

// names are the provisional ids that the words of an answer use. What is proposed
// says itself what it will be.
func (d *document) names(v api.SessionView) []delta.Named {
	var b strings.Builder
	b.WriteString(v.Markdown)
	for _, p := range v.Proposals {
		b.WriteString(p.Words())
	}
	return d.doc.NamesIn(b.String())
}

// items names the items that passages are of.
func (d *document) items(places []int) []delta.ItemID {
	var out []delta.ItemID
	for _, i := range places {
		id := d.pieces[i].Item
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// proposals lists what waits for the next compile (D27) and would be taken in,
// for those who contribute, and gives the document with it; an older version has none.
func proposals(c *kernel.Call, info api.SessionInfo, req api.SessionRequest, doc *delta.Artifact) ([]api.Proposal, *delta.Artifact, error) {
	if req.Version != 0 && req.Version != info.Artifact.Version {
		return nil, doc, nil
	}
	if !c.Person() && !slices.Contains(info.Contributors, c.Who.Name) {
		return nil, doc, nil
	}
	w, err := waitingIn(c, info)
	if err != nil || len(w.queue) == 0 {
		return nil, doc, err
	}
	now, order := w.ahead.Artifact(), slices.Clone(w.queue)
	slices.SortStableFunc(order, func(a, b *queued) int { return a.entry.Received.Compare(b.entry.Received) })
	req.Items = byName(req.Items, c.Who.Name, now)
	var out []api.Proposal
	own := ownItems{doc: now, of: c.Who.Name, standing: w.standing}
	apart := sync.OnceValue(func() map[pair]bool { return saidApart(outlook{base: w.base, now: now, queue: w.queue}) })
	for _, q := range order {
		d, o := &q.entry.Delta, q.outcome
		if o.Status == delta.Rejected || !asksFor(req, *d, o) {
			continue // what is refused its author is told
		}
		p, err := proposalOf(q.entry)
		if err != nil {
			return nil, doc, err
		}
		p.Item, p.Own = o.Item, d.Agent == c.Who.Name
		if p.Own && len(req.Items) > 0 { // who asks for it by name wants to read it
			p.Text = p.Whole()
		}
		if d.Operation == delta.Add && !c.Person() {
			for _, t := range own.alike(o.Item) {
				if apart()[pairOf(t.id, o.Item)] {
					continue
				}
				p.Alike, p.InOtherWords = append(p.Alike, t.id), t.likeness < nearlySame
			}
		}
		out = append(out, p)
	}
	return out, now, nil
}

// asksFor reports whether a request chooses a delta that waits.
func asksFor(req api.SessionRequest, d delta.Delta, o delta.Outcome) bool {
	if len(req.Sections) > 0 && !slices.Contains(req.Sections, d.Section) {
		return false
	}
	return len(req.Items) == 0 || slices.Contains(req.Items, o.Item)
}
