package api

import (
	"fmt"
	"strings"

	"brenner/delta"
)

// TestWords says how far tests have come, on one line, and which critiques ask for one; of
// those that were dropped nothing.
func TestWords(all []delta.Test) string {
	states := []delta.TestState{delta.TestPlanned, delta.TestRunning, delta.TestRun}
	said := byState(all, states, func(t delta.Test) delta.TestState { return t.State }, func(t delta.Test) (string, string) { return string(t.Item), testWords(t) })
	var asks []string
	for _, t := range all {
		if t.State == delta.TestProposed {
			asks = append(asks, string(t.Item))
		}
	}
	if len(asks) == 0 {
		return said
	}
	wanted := "critique " + asks[0] + " proposes one that nobody has taken up"
	if len(asks) > 1 {
		wanted = "critiques " + strings.Join(asks, ", ") + " each propose one that nobody has taken up"
	}
	if said == "" {
		return wanted
	}
	return said + "; " + wanted
}

// testWords says who runs a test, and who has run it with which result.
func testWords(t delta.Test) string {
	var said []string
	for _, r := range t.Done {
		words := string(r.By)
		if r.Result != "" {
			words += ": " + r.Result
		}
		if r.Newer != 0 {
			words += fmt.Sprintf(", by now @%d", r.Newer)
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
	for _, h := range t.Reworded { // what of it stands with the test itself
		said = append(said, string(h)+" changed since")
	}
	const most = 4
	return strings.Join(said[:min(len(said), most)], ", ") + andMore(len(said), most)
}

// RunningWords says who runs a test, and since when.
func RunningWords(r delta.Run) string {
	return fmt.Sprintf("%s since %s", r.By, r.At.UTC().Format("15:04 MST"))
}
