package sessions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// plans are the fields of items that say what is to be done, by their sections.
var plans = map[delta.Section]string{
	delta.DiscriminativeTests: "procedure", delta.AnomalyRegister: "resolution_plan", delta.AdversarialCritique: "proposed_test", delta.AssumptionLedger: "test",
}

// asksIn are the items of a document that name somebody who takes part in the session in
// what is still to be done: a test that nobody has run, an anomaly or an assumption that is
// not decided, a test that a critique asks for. Who wrote that itself is asked by nobody, and
// who has taken it up since, or left a note on it, no more.
func asksIn(doc *delta.Artifact, info api.SessionInfo, notes func(delta.ItemID) []delta.Written) []api.ItemAsk {
	var out []api.ItemAsk
	var tests []delta.Test
	undone := func(it *delta.Item) bool {
		switch it.Section() {
		case delta.AnomalyRegister:
			return it.Text("status") == "" || it.Text("status") == "active"
		case delta.AssumptionLedger:
			return it.Text("status") == "" || it.Text("status") == "unchecked"
		}
		if tests == nil {
			tests = delta.Tests(doc)
		}
		return slices.ContainsFunc(tests, func(t delta.Test) bool {
			return t.Item == it.ID() && (t.State == delta.TestPlanned || t.State == delta.TestProposed)
		})
	}
	for _, section := range delta.Sections() {
		field := plans[section]
		if field == "" {
			continue
		}
		for _, it := range liveIn(doc, section) {
			text, writes := it.Text(field), it.History(field)
			if len(writes) == 0 {
				continue
			}
			last := writes[len(writes)-1]
			for _, r := range info.Recipients {
				if r.Name == last.Agent || !strings.Contains(text, string(r.Name)) || !namesAgent(text, r.Name) || !undone(it) ||
					takenUp(doc, it.ID(), r.Name, last.At) || slices.ContainsFunc(notes(it.ID()), func(w delta.Written) bool { return w.By == r.Name && w.At.After(last.At) }) {
					continue
				}
				out = append(out, api.ItemAsk{Item: it.ID(), Field: field, By: last.Agent, Of: r.Name})
			}
		}
	}
	return out
}

// namesAgent says whether a text has a name as a word. Of what is somebody's it asks nothing.
func namesAgent(text string, name brenner.ActorName) bool {
	return regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(string(name)) + `(?:$|['’](?:$|[^s])|[^\w'’-])`).MatchString(text)
}

// takenUp says whether somebody has changed an item after an instant, or written something
// else that names it.
func takenUp(doc *delta.Artifact, id delta.ItemID, who brenner.ActorName, since time.Time) bool {
	for _, section := range delta.Sections() {
		for _, it := range liveIn(doc, section) {
			if !it.WroteAfter(who, since) {
				continue
			}
			if p, _ := doc.Passage(it.ID()); it.ID() == id || slices.Contains(namedIn(it, p.Text, nil), id) {
				return true
			}
		}
	}
	return false
}

// asks tells those whom items name in what is to be done, where they did not before.
func (b beside) asks(base, now *delta.Artifact, info api.SessionInfo) {
	none := func(delta.ItemID) []delta.Written { return nil }
	before := asksIn(base, info, none)
	for _, a := range asksIn(now, info, none) {
		if !slices.Contains(before, a) {
			b.note(a.Of, fmt.Sprintf("%s names you in its %s, which %s wrote: it counts as asked of you until you say there or in a note on it that you did it, or that you do not.", a.Item, a.Field, a.By))
		}
	}
}
