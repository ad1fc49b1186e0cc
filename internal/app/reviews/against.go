package reviews

import (
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/lineage"
)

// How many versions before the one under review are looked at for what was said against
// them, and how much of each kind is listed; the rest is counted.
const (
	mostCriticised = 2000
	mostFindings   = 30
)

// addFindings lists what speaks against the version.
func (r *Room) addFindings(c *kernel.Call, a store.Artifact, v store.Version, out *api.ReviewView) error {
	o, err := r.objections(c, a, v)
	if err != nil {
		return err
	}
	out.Findings, out.MoreFindings, out.Answered = o.stand, o.more, o.answered
	if out.Lacks, err = r.Sessions.Lacking(c, v.Ref()); err != nil {
		return err
	}
	out.Warnings, err = r.Sessions.Warnings(c, v.Ref())
	out.Warnings = out.Warnings[:min(len(out.Warnings), mostFindings)]
	return err
}

// mostDecisions is how many decisions a review shows.
const mostDecisions = 10

// addDecisions lists what was decided about the artifact before.
func addDecisions(c *kernel.Call, a store.Artifact, _ store.Version, out *api.ReviewView) error {
	all, err := ledger.DecisionsAbout(c, a.ID)
	out.Decisions = all[max(0, len(all)-mostDecisions):]
	return err
}

// Against lists what speaks against a version, and counts what is not listed. In a change
// nothing is quoted: its answer is kept, and what it quotes may be redacted (X2, J7). Nor
// is anything to agents, who pay for what they read (C33).
func (r *Room) Against(c *kernel.Call, a store.Artifact, v store.Version, quoted bool) ([]api.ReviewFinding, int, error) {
	o, err := r.objections(c, a, v)
	o.stand = slices.DeleteFunc(o.stand, func(f api.ReviewFinding) bool { return !f.Stands() })
	for i := range o.stand {
		if !quoted || !c.Person() {
			o.stand[i].Summary = ""
		}
	}
	return o.stand, o.more, err
}

// Lacking says what nobody has done so far in the session of a document; nothing of what is
// no such document.
func (r *Room) Lacking(c *kernel.Call, ref brenner.Ref) ([]string, error) {
	return r.Sessions.Lacking(c, ref)
}

// objections is what speaks against a version.
type objections struct {
	stand    []api.ReviewFinding
	more     int // stand as well, and are not listed
	answered []api.ReviewFinding
}

// add lists the first of some findings, and counts the others.
func (o *objections) add(some []api.ReviewFinding) {
	n := min(len(some), mostFindings)
	o.stand, o.more = append(o.stand, some[:n]...), o.more+len(some)-n
}

// objections collects what speaks against a version: what was written against it or a
// version before it and stands, what is open in the document of a session, stalemates, and
// versions beside it.
func (r *Room) objections(c *kernel.Call, a store.Artifact, v store.Version) (objections, error) {
	o := objections{stand: []api.ReviewFinding{}}
	written, err := r.writtenAgainst(c, a, v)
	if err != nil {
		return o, err
	}
	stand := slices.DeleteFunc(slices.Clone(written), func(f api.ReviewFinding) bool { return f.Answer.Version != 0 })
	answered := slices.DeleteFunc(written, func(f api.ReviewFinding) bool { return f.Answer.Version == 0 })
	o.answered = answered[:min(len(answered), mostFindings)]
	o.add(stand)
	for _, look := range []func(*kernel.Call, brenner.Ref) ([]api.ReviewFinding, error){r.Sessions.Doubted, r.Sessions.Contested, r.Disputes.About} {
		found, err := look(c, v.Ref())
		if err != nil {
			return o, err
		}
		o.add(found)
	}
	beside, err := forkedFrom(c, a, v)
	o.add(beside)
	return o, err
}

// writtenAgainst lists the critiques of a version and of those before it, and whatever says
// that it contradicts one of them. A new version takes none of them back, nor does its
// promotion: that is for who wrote it, and for an answer or a decision that names it (ADR
// 172). What a check found is looked for again in each version, and counts since the one
// in force.
func (r *Room) writtenAgainst(c *kernel.Call, a store.Artifact, v store.Version) ([]api.ReviewFinding, error) {
	var refs []brenner.Ref
	for version := v.Version; version >= max(1, v.Version-mostCriticised); version-- {
		refs = append(refs, brenner.Ref{Artifact: a.ID, Version: version})
	}
	links, err := c.LinksTo(c.Ctx, refs, artifact.Reviews, artifact.Contradicts)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	of := map[brenner.Ref]store.Link{} // by what objects, its link to the newest version
	for _, l := range links {
		if had, seen := of[l.From]; !seen || l.To.Version > had.To.Version {
			of[l.From] = l
		}
	}
	from := slices.SortedFunc(maps.Keys(of), brenner.Ref.Compare)
	artifacts, err := ledger.ArtifactsOf(c, from)
	if err != nil {
		return nil, err
	}
	nodes, err := ledger.NodesOf(c, artifacts, from)
	if err != nil {
		return nil, err
	}
	since := brenner.Version(0)
	if a.Canonical < v.Version {
		since = a.Canonical
	}
	var out []api.ReviewFinding
	for i, n := range nodes {
		l := of[n.Ref]
		checked := slices.Contains(artifacts[n.Ref.Artifact].Tags, ledger.CheckTag) && l.To.Version < since
		replaced := i+1 < len(nodes) && nodes[i+1].Ref.Artifact == n.Ref.Artifact // the next is a newer version of it
		if n.Ref.Artifact == a.ID || l.Rel == artifact.Reviews && n.Type != artifact.TypeCritique || !n.Status.Live() || checked || replaced {
			continue
		}
		if back, err := takenBack(c, n); err != nil || back {
			if err != nil {
				return nil, err
			}
			continue
		}
		f := api.ReviewFinding{Kind: api.FindingCritique, Ref: n.Ref, Summary: n.Summary, Creator: n.Creator, At: n.At}
		if n.Type != artifact.TypeCritique {
			f.Kind = api.FindingContradicts
		}
		if l.To.Version != v.Version {
			f.About = l.To
		}
		out = append(out, f)
	}
	return out, markAnswered(c, a, v, out)
}

// takenBack reports whether whoever wrote a version has written a newer one in its place,
// which does not object any more. What another wrote on it takes nothing back.
func takenBack(c *kernel.Call, n lineage.Node) (bool, error) {
	if n.Ref.Version == n.Head || n.Ref.Version == n.Canonical {
		return false, nil
	}
	versions, err := ledger.AllVersions(c, n.Ref.Artifact)
	return slices.ContainsFunc(versions, func(v store.Version) bool {
		return v.Version > n.Ref.Version && v.Status.Live() && (v.Creator == n.Creator || v.Role == brenner.PI)
	}), err
}

// markAnswered finds the answer to each objection: a version on the way to this one that
// was written later and links to it or names it in its change note, or a promotion by who
// leads the project with a reason that names it.
func markAnswered(c *kernel.Call, a store.Artifact, v store.Version, found []api.ReviewFinding) error {
	if len(found) == 0 {
		return nil
	}
	line, err := lineTo(c, v)
	if err != nil {
		return err
	}
	refs := make([]brenner.Ref, len(found))
	for i, f := range found {
		refs[i] = f.Ref
	}
	links, err := c.LinksTo(c.Ctx, refs)
	if err != nil {
		return err
	}
	decisions, err := leadersPromotions(c, a.ID)
	if err != nil {
		return err
	}
	for i := range found {
		f := &found[i]
		for _, w := range line {
			links := slices.ContainsFunc(links, func(l store.Link) bool { return l.From == w.Ref() && l.To == f.Ref })
			if links || !w.Created.Before(f.At) && names(w.What+"\n"+w.Why, f.Ref) {
				f.Answer = w.Ref()
			}
		}
		for _, d := range decisions {
			if !d.At.Before(f.At) && names(d.Reason, f.Ref) {
				f.Answer = d.Ref
			}
		}
	}
	return nil
}

// lineTo lists the versions that a version goes on from, and itself.
func lineTo(c *kernel.Call, v store.Version) ([]store.Version, error) {
	versions, err := ledger.AllVersions(c, v.Artifact)
	if err != nil {
		return nil, err
	}
	var line []store.Version
	next := v.Version
	for _, w := range slices.Backward(versions) {
		if w.Version == next {
			line, next = append(line, w), w.Parent
		}
	}
	return line, nil
}

// leadersPromotions lists the promotions of an artifact by who leads the project.
func leadersPromotions(c *kernel.Call, id brenner.ArtifactID) ([]api.Decision, error) {
	all, err := ledger.DecisionsAbout(c, id)
	if err != nil {
		return nil, err
	}
	leads := map[brenner.ActorName]bool{}
	var out []api.Decision
	for _, d := range all {
		if d.Status != artifact.Canonical || d.Ref.Artifact != id {
			continue
		}
		if _, known := leads[d.Actor]; !known {
			who, err := c.Actor(c.Ctx, d.Actor)
			if err != nil && brenner.CodeOf(err) != brenner.CodeNotFound {
				return nil, err
			}
			leads[d.Actor] = err == nil && who.Role == brenner.PI
		}
		if leads[d.Actor] {
			out = append(out, d)
		}
	}
	return out, nil
}

// names reports whether a text names a version: as ID@VERSION, or by its id where that is
// no plain word.
func names(text string, ref brenner.Ref) bool {
	part := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-@", r)
	}
	id := string(ref.Artifact)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !part(r) }) {
		word = strings.TrimRight(word, ".-")
		if word == ref.String() || word == id && strings.ContainsAny(id, "0123456789._-") {
			return true
		}
	}
	return false
}

// forkedFrom lists the other versions of an artifact of which each could be the truth.
func forkedFrom(c *kernel.Call, a store.Artifact, v store.Version) ([]api.ReviewFinding, error) {
	heads, err := ledger.ForkOf(c, a.ID, a.Latest)
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	nodes, err := ledger.Nodes(c, slices.DeleteFunc(heads, func(h brenner.Ref) bool { return h == v.Ref() }))
	var out []api.ReviewFinding
	for _, n := range nodes {
		out = append(out, api.ReviewFinding{Kind: api.FindingFork, Ref: n.Ref, Summary: n.Summary, Creator: n.Creator, At: n.At})
	}
	return out, err
}
