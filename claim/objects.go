package claim

import "strings"

// objects finds where the sentences run alike and each has a word for a thing
// that the other nowhere names, and the two are not alike.
func (l *alignment) objects() []Difference {
	gaps := l.gaps()
	for _, g := range gaps {
		if d, found := l.kindsDiffer(g); found {
			return []Difference{d}
		}
	}
	if g, ok := onlyReplaced(gaps); ok && l.words != nil && l.unlike(g) {
		return []Difference{{Kind: Object, Ours: l.a.said(g.ours), Theirs: l.b.said(g.theirs)}}
	}
	return nil
}

// kindsDiffer finds two things of one kind in one place.
func (l *alignment) kindsDiffer(g gap) (Difference, bool) {
	for _, i := range g.ours {
		for _, j := range g.theirs {
			if x, y := l.a.tokens[i], l.b.tokens[j]; kinds().share(x.stem, y.stem) || letter(x) && letter(y) || l.names(i, j) {
				return Difference{Kind: Object, Ours: x.raw, Theirs: y.raw}, true
			}
		}
	}
	return Difference{}, false
}

// names reports whether two words are names, in rules: the telling of an event calls
// one and the same by many.
func (l *alignment) names(i, j int) bool {
	return !l.a.event && !l.b.event && l.a.name(i) && l.b.name(j)
}

// name reports whether the word at i is a name by its capital: one that begins no
// sentence.
func (r Reading) name(i int) bool {
	return i > 0 && !r.titled && !r.tokens[i].ends && isUpper(r.tokens[i].raw)
}

// letter reports whether a word is a single letter that names something: group
// A.
func letter(t token) bool { return len(t.raw) == 1 && isUpper(t.raw) }

// How alike two words in one place must be not to count as different things.
// A rule turns on its nouns; verbs vary more, and most of all in the telling of
// an event. Chosen on the tuning half of the human-judged pairs.
const (
	nounsAlike  = 0.4
	verbsAlike  = 0.15
	eventsAlike = 0.1
)

// How many words may have been exchanged in one place, and have no partner in
// all, for two sentences to run alike: beyond that they were worded anew, and a
// word that is new in one place tells little.
const (
	mostReplaced = 2
	mostUnpaired = 4
)

// onlyReplaced gives the one place where words were exchanged for others.
func onlyReplaced(gaps []gap) (gap, bool) {
	var replaced []gap
	unpaired := 0
	for _, g := range gaps {
		unpaired += len(g.ours) + len(g.theirs)
		if len(g.ours) > 0 && len(g.theirs) > 0 {
			replaced = append(replaced, g)
		}
	}
	if len(replaced) != 1 || unpaired > mostUnpaired || len(replaced[0].ours) > mostReplaced || len(replaced[0].theirs) > mostReplaced {
		return gap{}, false
	}
	return replaced[0], true
}

// unlike reports whether no word of one side is like a word of the other.
func (l *alignment) unlike(g gap) bool {
	for _, i := range g.ours {
		for _, j := range g.theirs {
			if l.words.Similarity(l.a.tokens[i].text, l.b.tokens[j].text) >= l.alike(i, j) {
				return false
			}
		}
	}
	return true
}

// alike is the similarity that two words in one place need.
func (l *alignment) alike(i, j int) float64 {
	switch {
	case l.a.event || l.b.event:
		return eventsAlike
	case l.a.verbal(i) || l.b.verbal(j):
		return verbsAlike
	}
	return nounsAlike
}

// verbal reports whether a word stands where a verb does.
func (r Reading) verbal(i int) bool {
	if i == 0 || r.tokens[i].ends {
		return true // an order: use, check
	}
	if t := r.tokens[i].text; strings.HasSuffix(t, "ing") || strings.HasSuffix(t, "ed") {
		return true
	}
	switch r.tokens[i-1].text {
	case "to", "not", "never", "must", "should", "shall", "can", "could", "will", "would", "may", "might", "always", "avoid", "they", "it", "you", "we":
		return true
	}
	return false
}
