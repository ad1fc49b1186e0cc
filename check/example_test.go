package check_test

import (
	"fmt"

	"brenner"
	"brenner/check"
)

// Two assumptions that cannot both hold are named, each with the other.
func ExampleAssumptions() {
	all := []check.Assumption{
		{Ref: brenner.Ref{Artifact: "as-1", Version: 1}, Module: "growth", Statement: "The doubling time is 20 hours", Subject: "doubling time", Relation: "is", Value: "20 h"},
		{Ref: brenner.Ref{Artifact: "as-2", Version: 1}, Module: "drugs", Statement: "The doubling time is 36 hours", Subject: "doubling time", Relation: "is", Value: "36 h"},
	}
	report, err := check.Assumptions(all, check.Options{})
	if err != nil {
		panic(err)
	}
	for _, f := range report.Findings {
		fmt.Println(f.Code, f.Target, f.Other)
	}
	// Output:
	// ASSUMPTION_CONFLICT as-1@1 as-2@1
}
