package delta

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner"
)

// Summary says what an artifact holds, short enough to be the summary of a
// version (C11): the question, the answer once there is one, what each live
// hypothesis claims, and how many items the other sections have. It is what a
// person reads in a list and an agent in its context, and so it says nothing of
// sections that are empty, and of hypotheses only their names beside an answer.
func Summary(a *Artifact) string {
	var sentences []string
	claim := summaryLine
	if rt, ok := a.Item("RT"); ok {
		if text := rt.Text("statement"); !brenner.SaysNothing(text) {
			sentences = append(sentences, line(text, summaryLine))
		}
		if text := rt.Text("answer"); !brenner.SaysNothing(text) {
			sentences = append(sentences, "Answer: "+line(text, summaryAnswer))
			claim = 0
		}
	}
	if claims := liveClaims(a, claim); len(claims) > 0 {
		sentences = append(sentences, strings.Join(claims, "; ")+".")
	}
	var counts []string
	for s := range schemas {
		section := &a.sections[s]
		if s == atThread || section.list.len() == 0 {
			continue
		}
		count := fmt.Sprintf("%s: %d", schemas[s].Title, section.live)
		if killed := section.list.len() - section.live; killed > 0 {
			count += fmt.Sprintf(" and %d killed", killed)
		}
		counts = append(counts, count)
	}
	if len(counts) > 0 {
		sentences = append(sentences, strings.Join(counts, ", ")+".")
	}
	if n := len(a.Conflicts()); n > 0 {
		sentences = append(sentences, fmt.Sprintf("Fields in conflict: %d.", n))
	}
	if len(sentences) == 0 {
		return "A session without a question, nothing in it yet."
	}
	return brenner.Clip(strings.Join(sentences, " "), brenner.MaxSummaryRunes)
}

// summaryLine is how much of a question or a claim a summary quotes: with as
// many hypotheses as a slate may hold (D13) it still fits.
const summaryLine = 120

// summaryAnswer is how much of an answer it quotes: what a person needs to tell
// whether to read on, beside the names of as many hypotheses.
const summaryAnswer = 480

// liveClaims is what the live hypotheses claim, in so many characters each, or by
// name where none are left for it.
func liveClaims(a *Artifact, limit int) []string {
	var claims []string
	for _, h := range a.sections[atHypotheses].list.all() {
		if !h.live() || len(claims) == schemas[atHypotheses].Limit {
			continue
		}
		text := line(cmp.Or(h.Text("claim"), h.Text("name")), limit)
		if limit == 0 {
			text = line(cmp.Or(h.Text("name"), h.Text("claim")), summaryName)
		}
		claims = append(claims, string(h.id)+" "+strings.TrimRight(text, "."))
	}
	return claims
}

const summaryName = 60

// line is a text on one line, cut to a number of characters.
func line(text string, limit int) string {
	return brenner.Clip(strings.Join(strings.Fields(text), " "), limit)
}

// ChangeNote says what a merge changed, by counts, and why, by the rationales
// of the deltas it recorded (D18). It does not depend on their order.
func ChangeNote(deltas []Entry, r Result) (what, why string) {
	counts := map[Operation]int{}
	agents := map[brenner.ActorName]bool{}
	var reasons []string
	for i := range r.Outcomes {
		if !r.Outcomes[i].Recorded() {
			continue
		}
		d := &deltas[i].Delta
		counts[d.Operation]++
		agents[d.Agent] = true
		if text := line(d.Rationale, brenner.MaxNoteRunes); text != "" {
			reasons = append(reasons, string(d.Agent)+": "+text)
		}
	}
	slices.Sort(reasons)
	what = fmt.Sprintf("%d added, %d edited, %d killed by %s", counts[Add], counts[Edit], counts[Kill], brenner.Plural(len(agents), "agent", "agents"))
	if n := len(r.Artifact.Conflicts()); n > 0 {
		what += "; " + brenner.Plural(n, "field", "fields") + " in conflict"
	}
	why = brenner.Clip(strings.Join(slices.Compact(reasons), "\n"), brenner.MaxNoteRunes)
	if why == "" {
		why = "no rationale was given"
	}
	return what, why
}
