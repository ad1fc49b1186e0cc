package kernel

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
)

// Waiting is something that waits for a person (N1). Every room says what waits
// in it.
type Waiting struct {
	api.Waiting
	// On are the versions that are at stake: what links to them rests on the
	// decision.
	On []brenner.Ref
}

// FirstFew lists the first few of some names.
func FirstFew(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// First is the first of some names, "" if there is none.
func First(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
