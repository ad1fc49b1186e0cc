package policy_test

import (
	"fmt"

	"brenner"
	"brenner/policy"
)

// What nothing allows is denied, with the reason in words.
func ExampleDecide() {
	policies := map[brenner.Role]policy.Policy{}
	for _, p := range policy.Builtin() {
		policies[p.Role] = p
	}
	for _, action := range []policy.Action{policy.Read, policy.Promote} {
		d := policy.Decide(policies, policy.Request{
			Actor: "BlueLake", Role: policy.HypothesisGenerator, Action: action, Type: "paper_note", Module: "growth", Target: "note-1",
		})
		fmt.Printf("%s: %t %q\n", action, d.Allowed, d.Code)
	}
	// Output:
	// read: true ""
	// promote: false "WRITE_DENIED"
}
