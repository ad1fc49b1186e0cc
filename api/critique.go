package api

import (
	"fmt"
	"strings"

	"brenner/delta"
)

// CritiqueWords says how far critiques have come, on one line.
func CritiqueWords(all []delta.Critique) string {
	var parts []string
	for _, state := range []delta.CritiqueState{delta.CritiqueOpen, delta.CritiqueAnswered, delta.CritiqueSettled} {
		var said []string
		for _, c := range all {
			if c.State == state {
				said = append(said, critiqueWords(c))
			}
		}
		if len(said) > 0 {
			parts = append(parts, string(state)+" "+strings.Join(said, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// critiqueWords names a critique, what it is of, and who has changed that since, or that
// it is open again.
func critiqueWords(c delta.Critique) string {
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
	words := fmt.Sprintf("%s (of %s", c.Item, strings.Join(of[:min(len(of), most)], ", "))
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

// DeadWords says which items were killed, and for what.
func DeadWords(all []delta.Dead) string {
	words := make([]string, len(all))
	for i, d := range all {
		words[i] = d.Words()
	}
	return strings.Join(words, ", ")
}
