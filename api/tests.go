package api

import (
	"fmt"
	"strings"

	"brenner/delta"
)

// TestWords says how far tests have come, on one line.
func TestWords(all []delta.Test) string {
	var parts []string
	for _, state := range []delta.TestState{delta.TestPlanned, delta.TestRunning, delta.TestRun} {
		var said []string
		for _, t := range all {
			if t.State == state {
				said = append(said, testWords(t))
			}
		}
		if len(said) > 0 {
			parts = append(parts, string(state)+" "+strings.Join(said, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// testWords names a test, who runs it, and who has run it with which result.
func testWords(t delta.Test) string {
	var said []string
	for _, r := range t.Done {
		words := string(r.By)
		if r.Result != "" {
			words += ": " + r.Result
		}
		said = append(said, words)
	}
	for _, r := range t.Running {
		words := RunningWords(r)
		if len(t.Done) > 0 {
			words += " again"
		}
		said = append(said, words)
	}
	if len(said) == 0 {
		return string(t.Item)
	}
	const most = 4
	return fmt.Sprintf("%s (%s)", t.Item, strings.Join(said[:min(len(said), most)], ", "))
}

// RunningWords says who runs a test, and since when.
func RunningWords(r delta.Run) string {
	return fmt.Sprintf("%s since %s", r.By, r.At.UTC().Format("15:04 MST"))
}
