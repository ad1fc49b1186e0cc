package api

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/delta"
)

// CritiqueWords says how far critiques have come, on one line.
func CritiqueWords(all []delta.Critique) string {
	states := []delta.CritiqueState{delta.CritiqueOpen, delta.CritiqueAnswered, delta.CritiqueSettled}
	return byState(all, states, func(c delta.Critique) delta.CritiqueState { return c.State }, func(c delta.Critique) (string, string) { return CritiqueName(c), "" })
}

// byState lists things on one line, state by state: each with what is said of it, which is
// said once of several of which it is the same.
func byState[T any, S ~string](all []T, states []S, of func(T) S, words func(T) (name, about string)) string {
	var parts []string
	for _, state := range states {
		names := map[string][]string{}
		var order []string
		for _, one := range all {
			if of(one) != state {
				continue
			}
			name, about := words(one)
			if names[about] == nil && about != "" {
				order = append(order, about)
			}
			names[about] = append(names[about], name)
		}
		var said []string
		for _, about := range order {
			each := ""
			if len(names[about]) > 1 {
				each = "each "
			}
			said = append(said, fmt.Sprintf("%s (%s%s)", strings.Join(names[about], ", "), each, about))
		}
		if said = append(said, names[""]...); len(said) > 0 {
			parts = append(parts, string(state)+" "+strings.Join(said, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// andMore says how many a list leaves out that shows so many at most.
func andMore(all, most int) string {
	if all <= most {
		return ""
	}
	return fmt.Sprintf(" and %d more", all-most)
}

// CritiqueName names a critique, what it is of, and who has changed that since, or that
// it is open again.
func CritiqueName(c delta.Critique) string {
	var of []string
	for _, id := range c.Of {
		words := string(id)
		for _, d := range c.Killed {
			if d.Item == id {
				words = d.Words()
			}
		}
		of = append(of, words)
	}
	for _, id := range c.Works {
		of = append(of, string(id))
	}
	if len(of) == 0 {
		return string(c.Item)
	}
	const most = 6
	words := fmt.Sprintf("%s (of %s", c.Item, strings.Join(of[:min(len(of), most)], ", ")+andMore(len(of), most))
	switch {
	case len(c.By) > 0:
		words += fmt.Sprintf(", changed by %s", c.By[0])
	case len(c.Replied) > 0:
		words += fmt.Sprintf(", replied to by %s", c.Replied[0])
	case c.Again:
		words += ", again: its critic changed it"
	}
	return words + ")"
}

// mostBeside bounds the critiques that stand beside an answer, on a line each.
const mostBeside = 5

// AnswerWords are the critiques to be read with the answer of a session, a line each:
// those against the research thread, then those against what the answer rests on; and
// before them what it names that was killed since, and what else moved under it, if that is
// known.
func AnswerWords(all []delta.Critique, killed []delta.Dead, moved string) string {
	var b strings.Builder
	if moved != "" {
		fmt.Fprintf(&b, "RT: %s\n", moved)
	}
	if len(killed) > 0 {
		fmt.Fprintf(&b, "RT names what was killed since it was written: %s\n", DeadWords(killed[:min(len(killed), mostBeside)])+andMore(len(killed), mostBeside))
	}
	for _, bears := range []delta.Bearing{delta.BearsOnThread, delta.BearsOnGround} {
		var said []delta.Critique
		for _, c := range all {
			if c.Bears == bears && c.BesideAnswer() {
				said = append(said, c)
			}
		}
		for _, c := range said[:min(len(said), mostBeside)] {
			fmt.Fprintf(&b, "%s, %s %s by %s (data): %s\n", AgainstWords(bears), c.State, CritiqueName(c), c.Critic, c.Name)
		}
		if more := andMore(len(said), mostBeside); more != "" {
			fmt.Fprintf(&b, "%s%s\n", AgainstWords(bears), more)
		}
	}
	return b.String()
}

// AgainstWords say how a critique bears on the answer.
func AgainstWords(b delta.Bearing) string {
	switch b {
	case delta.BearsOnThread:
		return "against RT"
	case delta.BearsOnGround:
		return "against what RT rests on"
	}
	return ""
}

// DeadWords says which items were killed, and for what.
func DeadWords(all []delta.Dead) string {
	words := make([]string, len(all))
	for i, d := range all {
		words[i] = d.Words()
	}
	return strings.Join(words, ", ")
}

// mostAsked bounds the critiques that one message lists.
const mostAsked = 200

// CritiquesFor says how many critiques are open, and which of them ask something of an
// agent: those of what it wrote, and its own that were answered. again are lines about
// those that are open once more.
func CritiquesFor(all []delta.Critique, name brenner.ActorName, session brenner.SessionID, again ...string) string {
	count := map[delta.CritiqueState]int{}
	var against, met, own []delta.Critique
	for _, c := range all {
		count[c.State]++
		switch {
		case c.State == delta.CritiqueOpen && slices.Contains(c.Against, name):
			against = append(against, c)
		case c.State == delta.CritiqueAnswered && c.Critic == name:
			met = append(met, c)
		case c.State == delta.CritiqueOpen && c.Critic == name:
			own = append(own, c)
		}
	}
	if count[delta.CritiqueOpen]+count[delta.CritiqueAnswered] == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nCritiques: %d open, %d answered, %d settled.\n", count[delta.CritiqueOpen], count[delta.CritiqueAnswered], count[delta.CritiqueSettled])
	b.WriteString(strings.Join(again, ""))
	if len(against) > 0 {
		fmt.Fprintf(&b, "Of what you wrote: %s. Where they are right, EDIT or KILL what they attack; where not, say why: %s\n", CritiqueWords(against[:min(len(against), mostAsked)])+andMore(len(against), mostAsked),
			brenner.Do("task.new", "note", "true", "session", string(session), "item", string(against[0].Item)).Mark())
	}
	if len(met) > 0 {
		settle := "EDIT it with `current_status` settled, or EDIT its `attack` with what is missing."
		if len(met) > 1 {
			settle = "Press them further, or settle each by a delta, in a block beside any others, or as a line of a reply that has only such lines:\n`" + Settling(met[0].Item) + "`"
		}
		fmt.Fprintf(&b, "Yours: %s. Is that enough? %s\n", CritiqueWords(met[:min(len(met), mostAsked)])+andMore(len(met), mostAsked), settle)
	}
	if len(own) > 0 {
		fmt.Fprintf(&b, "Yours, %s. %s\n", CritiqueWords(own[:min(len(own), mostAsked)])+andMore(len(own), mostAsked), TakeBack)
	}
	return b.String()
}

// TakeBack tells a critic how a critique of its own is withdrawn.
const TakeBack = "What does not stand any more is taken back with an EDIT: `current_status` withdrawn."

// Settling is the shortest delta that settles a critique.
func Settling(id delta.ItemID) string {
	return fmt.Sprintf(`{"operation":%q,"section":%q,"target_id":%q,"payload":{"current_status":"settled"}}`, delta.Edit, delta.AdversarialCritique, id)
}
