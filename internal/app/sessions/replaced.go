package sessions

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// How much is said of a text that was replaced, of what stands there now, and of why.
const (
	mostWas = 120
	mostWhy = 160
)

// replacements tells the authors of texts who replaced them, by what and why, and those of
// items who killed them.
func (b beside) replacements(base *delta.Artifact, queue []delta.Entry, res delta.Result) {
	var seen []delta.ItemID
	for i, o := range res.Outcomes {
		if o.Status == delta.Superseded && i < len(queue) {
			b.replaced(o.Item, queue[i].Rewritten(res.Artifact), queue)
		}
		before, there := base.Item(o.Item)
		if !there || o.Operation == delta.Add || !res.Outcomes[i].Recorded() || slices.Contains(seen, o.Item) {
			continue
		}
		seen = append(seen, o.Item)
		b.replaced(o.Item, delta.Rewritten(base, res.Artifact, o.Item), queue)
		it, ok := res.Artifact.Item(o.Item)
		if !ok || it.Killed() == nil || before.Killed() != nil {
			continue
		}
		death := it.Killed()
		for _, who := range before.Authors() {
			if who != death.By {
				b.note(who, fmt.Sprintf("Your %s was killed by %s%s.", o.Item, death.By, whoSays(death.Reason)))
			}
		}
	}
}

// resolutions tells those whose value of a field in conflict was not taken who settled it,
// why, and what stands there now (D10).
func (b beside) resolutions(base *delta.Artifact, queue []delta.Entry, res delta.Result) {
	left := res.Artifact.Conflicts()
	for _, k := range base.Conflicts() {
		if slices.ContainsFunc(left, func(l delta.Conflict) bool { return l.Item == k.Item && l.Name() == k.Name() }) {
			continue
		}
		it, ok := res.Artifact.Item(k.Item)
		if !ok || it.Killed() != nil {
			continue
		}
		wrote := it.History(k.Field)
		if len(wrote) == 0 {
			continue
		}
		last := wrote[len(wrote)-1]
		at := slices.IndexFunc(queue, func(e delta.Entry) bool { return e.Delta.DeltaID == last.DeltaID && e.Delta.Agent == last.Agent })
		if at < 0 {
			continue
		}
		now := it.Text(k.Field)
		if k.Key != "" {
			for _, p := range it.Pairs(k.Field) {
				if p.Key == k.Key {
					now = p.Value
				}
			}
		}
		for _, c := range k.Candidates {
			if was := textOf(c.Value); c.Agent != last.Agent && was != now {
				b.note(c.Agent, fmt.Sprintf("The conflict about %s of %s was settled by %s%s: not yours, %s", k.Name(), k.Item, last.Agent, whoSays(queue[at].Delta.Rationale), fromTo(was, now)))
			}
		}
	}
}

// mostShort is how long a text is of which it is said that it was replaced if any of it was.
const mostShort = 200

// replaced tells the authors of texts of an item what stands in their place, unless they asked
// for it.
func (b beside) replaced(id delta.ItemID, all []delta.Rewrite, queue []delta.Entry) {
	for _, r := range all {
		if r.Was.Field == "current_status" || b.wanted(r.Was.By, id) { // a critique asks for an answer
			continue
		}
		became := api.TextReplaced
		if was := strings.TrimSpace(r.Was.Text); was != "" && strings.Contains(r.Now.Text, was) {
			became = api.TextAddedTo
		} else if n := utf8.RuneCountInString(was); n > mostShort && delta.ChangedRunes(was, r.Now.Text) <= n/mostCorrected {
			became = api.TextChanged
		}
		line := fmt.Sprintf("%s%s of %s", became, r.Was.Field, id)
		if r.Now.By != "" {
			line += " by " + string(r.Now.By)
		}
		at := slices.IndexFunc(queue, func(e delta.Entry) bool { return e.Delta.DeltaID == r.Now.DeltaID && e.Delta.Agent == r.Now.By })
		if at >= 0 {
			line += whoSays(queue[at].Delta.Rationale)
		}
		b.note(r.Was.By, line+api.ChangeSaid+fromTo(r.Was.Text, r.Now.Text))
	}
}

// wants is who asked for changes of the items of a session: with a critique of them, a
// request or a note.
type wants struct {
	load   func() (map[delta.ItemID][]brenner.ActorName, error)
	base   *delta.Artifact
	by     map[delta.ItemID][]brenner.ActorName // nil until it is asked for
	failed error
}

func (r *Room) wantsIn(c *kernel.Call, id brenner.SessionID, base *delta.Artifact) *wants {
	return &wants{base: base, load: func() (map[delta.ItemID][]brenner.ActorName, error) {
		if r.Askers == nil {
			return map[delta.ItemID][]brenner.ActorName{}, nil
		}
		return r.Askers(c, id)
	}}
}

// changed says whether somebody asked for a change of an item.
func (w *wants) changed(who brenner.ActorName, item delta.ItemID) bool {
	if w.by == nil && w.failed == nil {
		if w.by, w.failed = w.load(); w.failed != nil {
			return false
		}
		for _, c := range delta.Critiques(w.base, delta.Beside{}) {
			for _, of := range c.Of {
				w.by[of] = append(w.by[of], c.Critic)
			}
		}
	}
	return slices.Contains(w.by[item], who)
}

// whoSays is why somebody did something, in its words.
func whoSays(why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf(", who says %q", brenner.ClipWords(brenner.OneLine(why), mostWhy))
}

// fromTo says what a text was and is: of long ones where they differ.
func fromTo(was, now string) string {
	if max(utf8.RuneCountInString(was), utf8.RuneCountInString(now)) > mostWas {
		if around := (delta.FieldText{Was: was, Text: now}).Around(); around != "" && around != now {
			return brenner.ClipWords(brenner.OneLine(around), 2*mostWas)
		}
	}
	said := func(text string) string { return fmt.Sprintf("%q", brenner.ClipWords(brenner.OneLine(text), mostWas)) }
	return said(was) + " → " + said(now)
}
