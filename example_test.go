package brenner_test

import (
	"errors"
	"fmt"

	"brenner"
)

// A refusal is a value: what is added to it makes a copy, and its code can be
// asked for with errors.Is.
func ExampleError() {
	moved := brenner.Errorf(brenner.CodeConflictHead, "mod-2 has moved to version 3").
		WithHint("read it again").
		Try(brenner.Do("artifact.get", "ref", "mod-2@3"))
	fmt.Println(moved)
	fmt.Println(errors.Is(moved, brenner.CodeConflictHead), errors.Is(moved, brenner.CodeNotFound))
	fmt.Println(moved.Actions[0].Name)
	// Output:
	// CONFLICT_HEAD: mod-2 has moved to version 3
	// true false
	// artifact.get
}

func ExampleParseRef() {
	ref, err := brenner.ParseRef("mod-2@3")
	fmt.Println(ref.Artifact, ref.Version, err)
	_, err = brenner.ParseRef("mod-2@zero")
	fmt.Println(brenner.CodeOf(err))
	// Output:
	// mod-2 3 <nil>
	// INVALID_ID
}
