package artifact_test

import (
	"fmt"

	"brenner"
	"brenner/artifact"
)

// Every type has a schema, and a version of it is checked against that before
// anything is written.
func ExampleRegistry_Validate() {
	types, err := artifact.NewRegistry(nil)
	if err != nil {
		panic(err)
	}
	claim, _ := artifact.NewContent(artifact.JSON, []byte(`{"statement": "Cells divide every 20 hours"}`))
	fmt.Println(types.Validate(artifact.TypeAssumption, claim))
	empty, _ := artifact.NewContent(artifact.JSON, []byte(`{}`))
	fmt.Println(brenner.CodeOf(types.Validate(artifact.TypeAssumption, empty)))
	// Output:
	// <nil>
	// SCHEMA_VIOLATION
}

// A draft becomes canonical by a decision, and a decision has a reason.
func ExampleCanPromote() {
	fmt.Println(artifact.CanPromote(artifact.Draft, false, "reviewed"))
	fmt.Println(brenner.CodeOf(artifact.CanPromote(artifact.Draft, false, "")))
	// Output:
	// <nil>
	// REASON_REQUIRED
}
