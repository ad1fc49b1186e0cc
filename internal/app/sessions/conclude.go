package sessions

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// conclusionOf is what the research thread gives as the answer, which whoever concludes
// writes when tests and critiques have come in.
func conclusionOf(doc *delta.Artifact) string {
	text, _ := doc.Answer()
	return text
}

// mostConcluded is how much of a conclusion stands above a brief.
const mostConcluded = brenner.MaxThreadBytes / 2

// briefOf is where a document stands: what the answer is, then a line for each
// item.
func briefOf(doc *delta.Artifact) []delta.Passage {
	all := delta.Brief(doc)
	answer, field := doc.Answer()
	if answer == "" {
		return all
	}
	by := ""
	thread, _ := doc.Item("RT")
	if writes := thread.History(field); len(writes) > 0 {
		by = ", by " + string(writes[len(writes)-1].Agent)
	}
	answer = strings.ReplaceAll(brenner.ClipWords(answer, mostConcluded), "\n", "\n  ")
	top := delta.Passage{Section: delta.ResearchThread, Title: "RT", Text: fmt.Sprintf("Conclusion%s: %s\n", by, answer)}
	return append([]delta.Passage{top}, all...)
}

// concludeText asks whoever concludes, after a round, for the answer; or whether it still
// holds, where others have changed what it rests on.
func (m merge) concludeText(r api.Recipient, res api.CompileResult) string {
	if r.Name != m.info.Concludes || r.Waiting || !res.Changed {
		return ""
	}
	now := m.result.Artifact
	answer := conclusionOf(now)
	switch {
	case answer == "" && m.late: // it was told so, and the document says it
		return ""
	case answer == "":
		return "\nNobody has said yet what the answer is, and that is yours to say: once what was asked for is in, EDIT `RT` with `answer`:" +
			" the answer by now, the items it rests on, what is open.\n"
	case conclusionOf(m.base) != answer:
		return ""
	}
	var changed []delta.ItemID
	for _, id := range itemsIn(answer, now.NamesIn(answer)) {
		it, ok := now.Item(id)
		if !ok || id == "RT" || !slices.ContainsFunc(it.AuthorsSince(m.base), func(a brenner.ActorName) bool { return a != r.Name }) {
			continue
		}
		if bearsOtherwise(m.base, now, id) {
			changed = append(changed, id)
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return fmt.Sprintf("\n`RT` rests on %s, changed by this: does it still hold?\n", kernel.FirstIDs(kernel.Strings(changed)))
}

// decides are the fields of items that say what is claimed, what came out and what was
// decided: an answer rests on those, and not on how the rest of an item is put.
var decides = []string{"claim", "statement", "predictions", "actual_outcomes", "status", "current_status"}

// bearsOtherwise says whether an item claims, found or decides something else than it did.
func bearsOtherwise(base, now *delta.Artifact, id delta.ItemID) bool {
	before, was := base.Item(id)
	after, is := now.Item(id)
	switch {
	case !was || !is || (before.Killed() == nil) != (after.Killed() == nil):
		return true
	case onlyItsState(base, now, id):
		return false
	}
	if before.Text("observed") != after.Text("observed") {
		return true
	}
	return slices.ContainsFunc(schemaOf(after.Section()), func(f delta.Field) bool { return slices.Contains(decides, f.Name) && !saysAlike(before, after, f) })
}
