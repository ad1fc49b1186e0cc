package assembly

import (
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/artifact"
)

// Notes are what a reader has to know of a version besides what it says. Every
// version that they name is one that the reader may read.
type Notes struct {
	Author brenner.ActorName
	// NeedsUpdate says that the version rests on something that has changed.
	NeedsUpdate bool
	// Draft is a newer version that does not count yet, InForce the one that
	// counts instead of this; 0 if there is none.
	Draft, InForce brenner.Version
	// Stands is how far a stalemate has come: its status does not say so.
	Stands string
	// Links are what the version itself refers to, in order.
	Links []Relation
	// Superseded are versions of other artifacts that say to take its place.
	Superseded []brenner.Ref
	// Contradicted are the versions that say to contradict it, Criticised the
	// critiques of it.
	Contradicted, Criticised []brenner.Ref
}

// Relation is a link to a version.
type Relation struct {
	Rel artifact.Relation
	To  brenner.Ref
}

// maxNoted bounds how many versions a note lists of one kind: what more there
// are is counted.
const maxNoted = 4

// relationWords say what a version is to those it links to.
var relationWords = []struct {
	rel   artifact.Relation
	words string
}{
	{artifact.Reviews, "reviews"},
	{artifact.DependsOn, "rests on"},
	{artifact.DerivedFrom, "derived from"},
	{artifact.Cites, "cites"},
	{artifact.Contradicts, "contradicts"},
	{artifact.Supersedes, "supersedes"},
}

// phrases tells the notes, what a reader must not miss first.
func (n Notes) phrases() []string {
	var out []string
	if n.Stands != "" {
		out = append(out, plain(n.Stands))
	}
	if n.NeedsUpdate {
		out = append(out, "needs_update")
	}
	if n.InForce != 0 {
		out = append(out, "in force is @"+strconv.Itoa(int(n.InForce)))
	}
	if n.Draft != 0 {
		out = append(out, "newer draft @"+strconv.Itoa(int(n.Draft)))
	}
	if len(n.Superseded) > 0 {
		out = append(out, "superseded by "+someOf(n.Superseded))
	}
	if len(n.Contradicted) > 0 {
		out = append(out, "contradicted by "+someOf(n.Contradicted))
	}
	if len(n.Criticised) > 0 {
		out = append(out, "criticised in "+someOf(n.Criticised))
	}
	for _, r := range relationWords {
		if to := n.linked(r.rel); len(to) > 0 {
			out = append(out, r.words+" "+someOf(to))
		}
	}
	return out
}

func (n Notes) linked(rel artifact.Relation) []brenner.Ref {
	var out []brenner.Ref
	for _, l := range n.Links {
		if l.Rel == rel && !slices.Contains(out, l.To) {
			out = append(out, l.To)
		}
	}
	return out
}

// someOf lists versions, the first few, and says how many there are besides.
func someOf(refs []brenner.Ref) string {
	names := make([]string, 0, maxNoted+1)
	for i, r := range refs {
		if i == maxNoted {
			names = append(names, "and "+strconv.Itoa(len(refs)-i)+" more")
			break
		}
		names = append(names, plain(r.String()))
	}
	return strings.Join(names, " ")
}

// learn asks for the notes of some items that are not known yet.
func (a *assembler) learn(items []Item) error {
	if a.in.About == nil {
		return nil
	}
	var refs []brenner.Ref
	for _, it := range items {
		if _, known := a.notes[it.Ref]; !known {
			refs = append(refs, it.Ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	found, err := a.in.About(refs)
	if err != nil {
		return err
	}
	for _, r := range refs {
		a.notes[r] = found[r]
	}
	return nil
}

// noted gives an item with its notes.
func (a *assembler) noted(it Item) Item {
	if a.in.About != nil {
		it.Notes = a.notes[it.Ref]
	}
	return it
}

// learnAhead is how many candidates are asked about at once.
const learnAhead = 64

// learnFrom asks about the candidates from a place on that may still be shown,
// unless the first of them is known.
func (a *assembler) learnFrom(ranked []Ranked, taken map[brenner.TypeName]int) error {
	if _, known := a.notes[ranked[0].Ref]; known {
		return nil
	}
	next := make([]Item, 0, learnAhead)
	for i := range ranked {
		if rule, _ := a.in.View.Rule(ranked[i].Type); taken[ranked[i].Type] < rule.Max {
			next = append(next, ranked[i].Item)
		}
		if len(next) == learnAhead {
			break
		}
	}
	return a.learn(next)
}
