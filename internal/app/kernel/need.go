package kernel

import (
	"fmt"
	"strings"
)

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
