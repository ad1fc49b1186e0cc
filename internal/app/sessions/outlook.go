package sessions

import (
	"slices"
	"strings"
	"unicode"

	"brenner"
	"brenner/delta"
)

// outlook is what the deltas that wait in a session make of its document, to be compared with
// what was there, and for whom that is done.
type outlook struct {
	base, now *delta.Artifact
	queue     []*queued // in order
	// asked are the places, in order, of the deltas that are asked about; nil: of all.
	asked []int
	// own are deltas of which more is known than in the queue, or that stand behind it.
	own      map[int]*queued
	standing *standing
	// exact gives the queue with what became of each delta by now. In the queue stands of
	// some what became of it when it came: whether it shows, and what it is told, may be
	// otherwise by now.
	exact func() []*queued
}

// size is how many deltas there are.
func (l outlook) size() int {
	n := len(l.queue)
	if len(l.asked) > 0 {
		n = max(n, l.asked[len(l.asked)-1]+1)
	}
	return n
}

// at gives the delta at a place.
func (l outlook) at(place int) *queued {
	if q, ok := l.own[place]; ok {
		return q
	}
	return l.queue[place]
}

// isAsked says whether the delta at a place is asked about.
func (l outlook) isAsked(place int) bool {
	if l.asked == nil {
		return true
	}
	_, yes := slices.BinarySearch(l.asked, place)
	return yes
}

// proposes says whether a delta is among those that wait to be compiled.
func (l outlook) proposes(agent brenner.ActorName, id string) bool {
	for _, q := range l.own { // order-free: any
		if q.entry.Delta.Agent == agent && q.entry.Delta.DeltaID == id {
			return true
		}
	}
	return proposed(l.queue, agent, id)
}

// proposed says whether a delta is among some that wait.
func proposed(queue []*queued, agent brenner.ActorName, id string) bool {
	return slices.ContainsFunc(queue, func(q *queued) bool { return q.entry.Delta.Agent == agent && q.entry.Delta.DeltaID == id })
}

// exactly is the outlook with what became of each delta by now, if that matters for some.
func (l outlook) exactly(matters func(*queued) bool) outlook {
	if l.exact == nil || !slices.ContainsFunc(l.queue, matters) {
		return l
	}
	l.queue, l.exact = l.exact(), nil
	return l
}

// places are those of the deltas that are asked about.
func (l outlook) places(visit func(place int, q *queued)) {
	if l.asked == nil {
		for i := range l.size() {
			visit(i, l.at(i))
		}
		return
	}
	for _, i := range l.asked {
		visit(i, l.at(i))
	}
}

// addedAt are the items that the deltas which are asked about add, and by which.
func (l outlook) addedAt() map[delta.ItemID]int {
	out := map[delta.ItemID]int{}
	l.places(func(place int, q *queued) {
		if q.outcome.Operation == delta.Add && q.outcome.Status == delta.Applied {
			out[q.outcome.Item] = place
		}
	})
	return out
}

// added are the ids of these items, and the names that their authors gave them.
func (l outlook) added() map[string]bool {
	out := map[string]bool{}
	for id, place := range l.addedAt() { // order-free: a set
		out[string(id)] = true
		if name := l.at(place).entry.Delta.ProvisionalID; name != "" {
			out[name] = true
		}
	}
	return out
}

func isASCIIWord(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// namesIn are the words of a text that may be ids or names of items.
func namesIn(text string) []string {
	var out []string
	for _, parts := range []func(rune) bool{
		func(r rune) bool { return r != '_' && !isASCIIWord(r) },
		func(r rune) bool { return r != '_' && r != '-' && !isASCIIWord(r) },
	} {
		for w := range strings.FieldsFuncSeq(text, parts) {
			if (strings.ContainsAny(w, "-_0123456789") || strings.ToUpper(w) == w) && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
