package automation_test

import (
	"fmt"

	"brenner/automation"
)

// A configuration changes a built-in rule by its name, and adds its own.
func ExampleInForce() {
	rules := automation.InForce([]automation.Rule{
		{Name: "memo", Off: true},
		{
			Name: "second-look", On: automation.On{automation.Promoted}, When: automation.Filter{Type: "analysis_result"},
			Do: automation.Action{Act: automation.Task, Role: "adversarial_critic", Title: "Attack the new result"},
		},
	})
	result := automation.Event{On: automation.Promoted, Subject: "growth@2", Type: "analysis_result"}
	for _, r := range rules {
		if r.Matches(result) {
			fmt.Println(r.Name, r.Do.Act)
		}
	}
	// Output:
	// alignment alignment
	// assumptions assumptions
	// second-look task
}
