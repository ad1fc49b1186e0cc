package snapshot_test

import (
	"fmt"
	"strings"
	"time"

	"brenner/snapshot"
)

// A project without knowledge says what is missing first.
func ExampleSnapshot_Markdown() {
	s := snapshot.Snapshot{Project: "Fate", At: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Position: 41}
	head, _, _ := strings.Cut(s.Markdown(), "\n## What")
	fmt.Print(head)
	// Output:
	// # Fate
	//
	// State of 2026-01-05T09:00:00Z, journal position 41.
	//
	// ## Question and scope
	//
	// No brief is canonical. Write a project_brief and promote it.
}
