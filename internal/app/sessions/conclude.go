package sessions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/lazy"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"
)

// conclusionOf is what the research thread gives as the answer, which whoever concludes
// writes when tests and critiques have come in.
func conclusionOf(doc *delta.Artifact) string {
	text, _ := doc.Answer()
	return text
}

// answerFree says whether whoever says the answer of a session was asked for it, and has done
// nothing for a while: others who take part may say it then (ADR 216).
func answerFree(c *kernel.Call, info api.SessionInfo) (bool, error) {
	r, asked := recipientOf(info, info.Concludes)
	if !asked || !info.Closed.IsZero() || c.Now.Sub(r.AskedAt) < roster.Patience {
		return false, nil
	}
	last, err := lastDone(c, info.Concludes)
	return err == nil && c.Now.Sub(last) >= roster.Patience, err
}

// mostConcluded is how much of a conclusion stands above a brief.
const mostConcluded = brenner.MaxThreadBytes / 2

// briefOf is where a document stands: what the answer is, then a line for each
// item; of the sections and items that are asked for, if any are.
func briefOf(doc *delta.Artifact, critiques []delta.Critique, req api.SessionRequest) []delta.Passage {
	states := map[delta.ItemID]delta.CritiqueState{}
	for _, c := range critiques {
		states[c.Item] = c.State
	}
	all := delta.Brief(doc, states, delta.Part{Sections: req.Sections, Items: req.Items})
	answer, field := doc.Answer()
	asked := len(req.Sections)+len(req.Items) == 0 || slices.Contains(req.Sections, delta.ResearchThread) || slices.Contains(req.Items, "RT")
	if answer == "" || !asked {
		return all
	}
	by := ""
	thread, _ := doc.Item("RT")
	if writes := thread.History(field); len(writes) > 0 {
		by = ", by " + string(writes[len(writes)-1].Agent)
	}
	answer = strings.ReplaceAll(brenner.ClipWords(doc.WithIDs("RT", answer), mostConcluded), "\n", "\n  ")
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
	critiques := delta.Critiques(now, delta.Beside{})
	var changed []delta.ItemID
	for _, id := range itemsIn(answer, now.NamesIn(answer)) {
		it, ok := now.Item(id)
		if !ok || id == "RT" || !slices.ContainsFunc(it.AuthorsSince(m.base), func(a brenner.ActorName) bool { return a != r.Name }) {
			continue
		}
		if bearsOtherwise(m.base, now, id) && (!isSettled(critiques, it) || saysOpen(answer, id)) {
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
var decides = []string{"claim", "statement", "predictions", "actual_outcomes", "last_run", "status", "current_status"}

// bearsOtherwise says whether an item claims, found or decides something else than it did.
func bearsOtherwise(base, now *delta.Artifact, id delta.ItemID) bool {
	return len(decidedOtherwise(base, now, id)) > 0
}

// decidedOtherwise says in which of its fields an item claims, found or decides something else
// than it did; or that it was added or killed.
func decidedOtherwise(base, now *delta.Artifact, id delta.ItemID) []string {
	before, was := base.Item(id)
	after, is := now.Item(id)
	switch {
	case !was || !is:
		return []string{"added"}
	case (before.Killed() == nil) != (after.Killed() == nil):
		return []string{"killed"}
	case onlyItsState(base, now, id):
		return nil
	}
	var out []string
	for _, f := range schemaOf(after.Section()) {
		if slices.Contains(decides, f.Name) && !saysAlike(before, after, f) && !onlyFiled(before, after, f.Name) {
			out = append(out, f.Name)
		}
	}
	if before.Text("observed") != after.Text("observed") {
		out = append(out, "observed")
	}
	return out
}

// onlyFiled says that a field changed which decides nothing by itself: how far an anomaly has
// come, or where the outcome of a test is written, if that is what it was.
func onlyFiled(before, after *delta.Item, field string) bool {
	switch field {
	case "status":
		return after.Section() == delta.AnomalyRegister
	case "last_run":
		was, is := before.Pairs("actual_outcomes"), after.Pairs("actual_outcomes")
		return len(is) > 0 && slices.Equal(was, is)
	}
	return false
}

// openly is how a sentence says of what it names that it is not done or decided.
var openly = lazy.NewPattern(`(?i)\b(?:open|pending|unsettled|unresolved|unanswered|outstanding|awaits?|remains?|not (?:yet )?(?:settled|answered|resolved))\b`)

// saysOpen says whether a sentence of a text that names an item says that something is open.
func saysOpen(text string, item delta.ItemID) bool {
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".;\n", r) }) {
		if slices.Contains(itemsIn(sentence, nil), item) && openly.MatchString(sentence) {
			return true
		}
	}
	return false
}

// isSettled says whether an item is a critique that lives and is settled: whatever of it is put
// otherwise decides nothing any more.
func isSettled(critiques []delta.Critique, it *delta.Item) bool {
	return it.Killed() == nil && slices.ContainsFunc(critiques, func(k delta.Critique) bool { return k.Item == it.ID() && k.State == delta.CritiqueSettled })
}

// mostAnswerMoves bounds what is said to have come since an answer was given.
const mostAnswerMoves = 10

// answering is the write by which an answer stands: the last, unless others only corrected
// since what whoever says it wrote, and that is there (ADR 217).
func answering(writes []delta.Write, info api.SessionInfo, free bool) delta.Write {
	last := writes[len(writes)-1]
	if free || info.Roster.Mode == roster.Unified {
		return last
	}
	for _, w := range slices.Backward(writes) {
		if w.Agent == info.Concludes {
			return w
		}
	}
	return last
}

// movedUnderAnswer is what others changed of that which the answer of a session names since
// whoever says it wrote it, or said that it has nothing to add: words of the answer itself,
// items, and artifacts of which versions are quoted. That a critique was settled counts where
// the answer has it open.
func (r *Room) movedUnderAnswer(c *kernel.Call, info api.SessionInfo, head store.Version, doc *delta.Artifact, critiques []delta.Critique, free bool) (by brenner.ActorName, out []api.AnswerMove, err error) {
	answer, field := doc.Answer()
	thread, ok := doc.Item("RT")
	if answer == "" || !ok || !info.Closed.IsZero() {
		return "", nil, nil
	}
	writes := thread.History(field)
	if len(writes) == 0 {
		return "", nil, nil
	}
	wrote := answering(writes, info, free)
	by = wrote.Agent
	said, version, err := r.saidLast(c, info.ID, by, wrote, head.Version)
	if err != nil {
		return by, nil, err
	}
	own := func(a brenner.ActorName) bool { return a == by }
	var correctors []brenner.ActorName
	for _, w := range writes {
		if w.At.After(said) && !own(w.Agent) && !slices.Contains(correctors, w.Agent) {
			correctors = append(correctors, w.Agent)
		}
	}
	if len(correctors) > 0 {
		out = append(out, api.AnswerMove{Item: thread.ID(), Fields: []string{field}, By: correctors})
	}
	if version < head.Version {
		base, err := documentIn(c, brenner.Ref{Artifact: head.Artifact, Version: version})
		if err != nil || base == nil {
			return by, nil, err
		}
		named := itemsIn(answer, doc.NamesIn(answer))
		out = append(out, anomaliesSince(base, doc, append(named, thread.ID()), own)...)
		for _, id := range named {
			it, ok := doc.Item(id)
			if !ok || id == thread.ID() {
				continue
			}
			others := slices.DeleteFunc(it.AuthorsSince(base), own)
			if _, known := base.Item(id); len(others) == 0 || !known {
				continue
			}
			fields := decidedOtherwise(base, doc, id)
			if isSettled(critiques, it) {
				if fields = nil; saysOpen(answer, id) {
					fields = []string{"settled"}
				}
			}
			if len(fields) == 0 && it.Section() == delta.AnomalyRegister && it.Text("status") == "resolved" && saysOpen(answer, id) {
				fields = []string{"status"}
			}
			if len(fields) > 0 {
				out = append(out, api.AnswerMove{Item: id, Fields: fields, By: others})
			}
		}
	}
	for _, ref := range ledger.Cited(answer) {
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && (a.Head <= ref.Version || !c.May(policy.Read, a.Type, a.Module)) {
			continue
		}
		if err != nil {
			return by, nil, err
		}
		v, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: a.Head})
		if err != nil {
			return by, nil, err
		}
		if !own(v.Creator) && v.Created.After(said) {
			out = append(out, api.AnswerMove{Ref: v.Ref(), By: []brenner.ActorName{v.Creator}})
		}
	}
	return by, out[:min(len(out), mostAnswerMoves)], nil
}

// anomaliesSince are the anomalies that others added since and that are open, of what conflicts
// with one of these items.
func anomaliesSince(base, now *delta.Artifact, with []delta.ItemID, own func(brenner.ActorName) bool) (out []api.AnswerMove) {
	for _, it := range now.Items(delta.AnomalyRegister) {
		_, known := base.Item(it.ID())
		against := func(id string) bool { return slices.Contains(with, delta.ItemID(id)) }
		if known || it.Killed() != nil || it.Text("status") == "resolved" || !slices.ContainsFunc(it.List("conflicts_with"), against) {
			continue
		}
		if added := it.Authors()[:1]; !own(added[0]) {
			out = append(out, api.AnswerMove{Item: it.ID(), Fields: []string{"added"}, By: added})
		}
	}
	return out
}

// saidLast is when somebody wrote the answer of a session, or said after that that it has
// nothing to add, and the newest version of the document by then: of what it wrote, the one
// that has it.
func (r *Room) saidLast(c *kernel.Call, id brenner.SessionID, who brenner.ActorName, wrote delta.Write, head brenner.Version) (at time.Time, version brenner.Version, err error) {
	err = replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id), Newest: true}, func(row kernel.Row[reply]) (bool, error) {
		if p := row.Value; p.Agent == who && p.Nothing && !p.Unseen && p.At.After(at) {
			at = p.At
		}
		return true, nil
	})
	if err != nil {
		return at, 0, err
	}
	rows, err := c.Reader.Versions(c.Ctx, brenner.ArtifactID(id), 0, brenner.MaxPage)
	for len(rows) > 0 && err == nil && rows[len(rows)-1].Version < head {
		var more []store.Version
		if more, err = c.Reader.Versions(c.Ctx, brenner.ArtifactID(id), rows[len(rows)-1].Version, brenner.MaxPage); len(more) == 0 {
			break
		}
		rows = append(rows, more...)
	}
	if at.Before(wrote.At) {
		at = wrote.At
		for _, v := range rows { // the first that can have it
			if version = v.Version; !v.Created.Before(wrote.At) {
				break
			}
		}
		return at, version, err
	}
	for _, v := range rows {
		if !v.Created.After(at) {
			version = v.Version
		}
	}
	return at, version, err
}
