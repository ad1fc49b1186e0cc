package config

import (
	"fmt"
	"maps"
	"slices"

	"brenner"
)

// Approval is how many pairs of eyes a version needs before it is promoted
// (A6): so many approvals by different actors of these roles.
type Approval struct {
	Count int            `json:"count"`
	Roles []brenner.Role `json:"roles"`
}

func (c *Config) checkApprovals(say, sayName sayer) {
	for _, typ := range slices.Sorted(maps.Keys(c.Approvals)) {
		at, a := "/approvals/"+escape(typ), c.Approvals[typ]
		sayError(sayName, at, typ.Check())
		if a.Count < 1 || a.Count > brenner.MaxApprovals {
			say(at+"/count", fmt.Sprintf("%d is not a number from 1 to %d", a.Count, brenner.MaxApprovals), "")
		}
		if len(a.Roles) == 0 || len(a.Roles) > brenner.MaxApprovals {
			say(at+"/roles", fmt.Sprintf("1 to %d roles approve", brenner.MaxApprovals), "for example [reviewer, adversarial_critic]")
		}
		for i, role := range a.Roles {
			sayError(say, fmt.Sprintf("%s/roles/%d", at, i), role.Check())
		}
	}
}
