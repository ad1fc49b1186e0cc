package sessions

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// conclusionOf is what the research thread gives as the answer: its context, which
// whoever concludes writes when tests and critiques have come in.
func conclusionOf(doc *delta.Artifact) string {
	thread, ok := doc.Item("RT")
	if !ok {
		return ""
	}
	return strings.TrimSpace(thread.Text("context"))
}

// mostConcluded is how much of a conclusion stands above a brief.
const mostConcluded = brenner.MaxThreadBytes / 2

// briefOf is where a document stands: what the answer is, then a line for each
// item.
func briefOf(doc *delta.Artifact) []delta.Passage {
	all := delta.Brief(doc)
	answer := conclusionOf(doc)
	if answer == "" {
		return all
	}
	by := ""
	thread, _ := doc.Item("RT")
	if writes := thread.History("context"); len(writes) > 0 {
		by = ", by " + string(writes[len(writes)-1].Agent)
	}
	answer = strings.ReplaceAll(brenner.Clip(answer, mostConcluded), "\n", "\n  ")
	top := delta.Passage{Section: delta.ResearchThread, Title: "RT", Text: fmt.Sprintf("Conclusion%s: %s\n", by, answer)}
	return append([]delta.Passage{top}, all...)
}

// concludeText asks whoever concludes for the answer, or whether it still holds where
// others have added something, or changed what it names.
func (m merge) concludeText(r api.Recipient, res api.CompileResult) string {
	if r.Name != m.info.Concludes || r.Waiting || !res.Changed {
		return ""
	}
	if !m.record.Concluded {
		return "\nNobody has said yet what the answer is, and that is yours to say: once what was asked for is in, EDIT `RT` with `context`:" +
			" the answer by now, the items it rests on, what is open.\n"
	}
	answer := conclusionOf(m.result.Artifact)
	if conclusionOf(m.base) != answer {
		return ""
	}
	rests := namedItem.FindAllString(answer, -1)
	for _, o := range res.Outcomes {
		if o.Recorded() && o.Agent != r.Name && (o.Operation == delta.Add || slices.Contains(rests, string(o.Item))) {
			return "\n`RT` says in `context` what the answer is: does it still hold?\n"
		}
	}
	return ""
}
