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

// FirstFew lists the first few of some names, FirstIDs more of them where they are as
// short as the ids of items.
func FirstFew(names []string) string { return FirstFewOf(names, len(names)) }

// FirstFewOf is FirstFew for names that are the first of a total.
func FirstFewOf(names []string, total int) string { return first(names, total, 3) }

// FirstIDs is FirstFew for ids of items.
func FirstIDs(names []string) string { return first(names, len(names), 8) }

// first lists the first names of a total; a single one more takes no more room than to
// say so.
func first(names []string, total, most int) string {
	if len(names) == total && total <= most+1 {
		return strings.Join(names, ", ")
	}
	few := names[:min(len(names), most)]
	return fmt.Sprintf("%s and %d more", strings.Join(few, ", "), total-len(few))
}

// First is the first of some names, "" if there is none.
func First(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
