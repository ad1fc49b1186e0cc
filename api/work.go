package api

import (
	"strings"

	"brenner"
	"brenner/delta"
	"brenner/internal/lazy"
)

// Own is the title of a task without what it leaves to others or waits for: a sentence that
// says it is left to somebody, and of the others what stands after the name of one of these, or
// after words such as "free:" or "wait for", up to a semicolon, a full stop or a bracket.
func (t TaskInfo) Own(others []brenner.ActorName) string {
	var b strings.Builder
	for _, s := range Sentences(t.Title) {
		if elses.MatchString(s) {
			continue
		}
		for _, part := range clause.FindAllString(s, -1) {
			cut := len(part)
			if m := leaves.FindStringIndex(part); m != nil {
				cut = m[0]
			}
			for _, n := range others {
				if i := strings.Index(part, string(n)); n != t.Creator && i >= 0 {
					cut = min(cut, i)
				}
			}
			b.WriteString(part[:cut] + " ")
		}
		b.WriteString("; ")
	}
	return b.String()
}

// HeldItem is the item of the session that the task's holder has alone; "" if what it has
// is none. It is given back with a reply, which writes it (ADR 0225).
func (t TaskInfo) HeldItem() delta.ItemID {
	if !heldItem.MatchString(t.Hold) {
		return ""
	}
	return delta.ItemID(strings.ToUpper(t.Hold))
}

// Sentences are the parts of a line that semicolons and full stops keep apart.
func Sentences(line string) []string { return sentence.FindAllString(line, -1) }

var (
	heldItem = lazy.NewPattern(`(?i)^(?:RT|[HPTAXC][0-9]{1,3})$`)
	clause   = lazy.NewPattern(`[^()]+`)
	leaves   = lazy.NewPattern(`(?i)\b(?:(?:free|left|open): |(?:wait(?:s|ing)? (?:for|until|till)|ready to|nothing (?:more|else|now))\b)`)
	sentence = lazy.NewPattern(`(?:[^;.]|\.[^ ])+`)
	elses    = lazy.NewPattern(`\b(?:(?:left|leave|leaves|leaving)\b[^;]*\bto [A-Z]|(?:is|are) (?:yours|theirs|[A-Z]\w+'s)\b)`)
)
