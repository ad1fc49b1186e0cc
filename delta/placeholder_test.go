package delta

import "testing"

func TestPlaceholder(t *testing.T) {
	// D20: a place kept for words is no text; words are, however few.
	for text, want := range map[string][2]bool{ // of a field, of an outcome
		"...": {true, true}, "…": {true, true}, ". . .": {true, true}, "TODO": {true, true}, " tbd ": {true, true}, "same as before": {true, true},
		"(unchanged)": {true, false}, "[no change]": {true, false}, "<no change>": {true, true}, "<observation>": {true, true}, "[observation]": {true, true},
		"{expected outcomes}": {true, true}, "[insert condition here]": {true, true}, "<your claim>": {true, true}, "(TODO)": {true, true},

		"": {}, "  ": {}, "unchanged": {}, "no change": {}, "same": {}, "none": {}, "n/a": {}, "x": {}, "[3H]thymidine is taken up": {}, "(a) and (b)": {},
		"<5 % of the cells": {}, "[insert]ion mutants": {}, "...and then they divide": {}, "p < 0.05 >": {}, "(see A1)": {}, "<p53>": {}, "(unchanged": {},
		"[observation": {}, "todo lists are kept by the cell": {}, "[add 5 ml]": {}, "(unchanged]": {},
	} {
		if got := [2]bool{placeholder(text, false), placeholder(text, true)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestMisspelled(t *testing.T) {
	// D20: a letter or two make a slip; another word is another word.
	names := []string{"claim", "mechanism", "potency_check", "labels"}
	for word, want := range map[string]string{
		"mechansim": "mechanism", "mechanim": "mechanism", "Mechanisms": "mechanism", "machanism": "mechanism", "potency_chek": "potency_check", "potencycheck": "potency_check",
		"label": "labels", "mechanism": "", "clam": "", "claims": "", "mechanic": "mechanism", "mechanical": "", "mechanisation": "", "organism": "", "": "", "potency": "", "check": "",
	} {
		if got := misspelled(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
