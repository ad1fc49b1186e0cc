package api_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// D19: what somebody says that it does next is what it does itself; what it leaves to others,
// waits for or is only ready to do is not.
func TestTaskInfo_OwnLeavesOutWhatIsOthers(t *testing.T) {
	for title, want := range map[string]string{
		"T5 (composition) with the leaf; T4 (cold) is left to BlueLake (task-64). The stream through the oracle": "T5 composition with the leaf The stream through the oracle",
		"leave the oracle to GreenValley. Mine: the harness, 2.5 times":                                          "Mine: the harness, 2.5 times",
		"T5 with a leaf of my own. GreenValley: the table is yours":                                              "T5 with a leaf of my own",
		"measure lines; then tables (T4 is mine)":                                                                "measure lines then tables T4 is mine",
		"nothing more of mine: ready to measure the next leaf, and to sign":                                      "",
		"the leaf is measured; waiting for the answer, to sign":                                                  "the leaf is measured",
		"run T1 and what is left to do of T2":                                                                    "run T1 and what is left to do of T2",
		"time the parser with GreenValley's log; free: the cache":                                                "time the parser with",
		"RT is BlueLake's now; I read on":                                                                        "I read on",
		"":                                                                                                       "",
	} {
		task := api.TaskInfo{Title: title, Creator: "RedSky"}
		if got := strings.Join(strings.Fields(strings.ReplaceAll(task.Own([]brenner.ActorName{"BlueLake", "GreenValley", "RedSky"}), ";", " ")), " "); got != want {
			t.Errorf("%q: own %q, want %q", title, got, want)
		}
	}
}
