package assembly_test

import (
	"fmt"
	"time"

	"brenner"
	"brenner/assembly"
)

// What a context shows first is what the task's words, tags and links lead to.
func ExampleRank() {
	item := func(id brenner.ArtifactID, tags ...string) assembly.Item {
		return assembly.Item{Ref: brenner.Ref{Artifact: id, Version: 1}, Type: "paper_note", Module: "growth", Tags: tags}
	}
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	ranked := assembly.Rank(assembly.Builtin()[0].Weights, assembly.Query{Tags: []string{"glucose"}, Now: now}, []assembly.Candidate{
		{Item: item("note-1", "thawing"), Lexical: 0.1},
		{Item: item("note-2", "glucose"), Lexical: 0.9},
	})
	for _, r := range ranked {
		fmt.Println(r.Ref)
	}
	// Output:
	// note-2@1
	// note-1@1
}
