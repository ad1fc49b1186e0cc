package anchor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"brenner/internal/lazy"
)

var (
	searchHead  = lazy.NewPattern(`^\s*<{5,9} ?(?:SEARCH|ORIGINAL)\b>?\s*(\S.*)?$`)
	searchMid   = lazy.NewPattern(`^\s*={5,9}\s*$`)
	searchTail  = lazy.NewPattern(`^\s*>{5,9} ?(?:REPLACE|UPDATED)\b`)
	fenceLine   = lazy.NewPattern("^\\s*(?:```|~~~)")
	bareName    = lazy.NewPattern("^[#*`\\s]*[A-Z][\\w-]*[`*\\s]*$")
	nameInProse = lazy.NewPattern("^[#*`\\s]*([^`*#\\s](?:[^`*]*[^`*:\\s])?)[`*:\\s]*$")
)

// readSearchReplace reads blocks of
//
//	path/to/file
//	<<<<<<< SEARCH
//	old lines
//	=======
//	new lines
//	>>>>>>> REPLACE
//
// with the name above the block, above its fence, or inside the fence; a block
// without a name is about the file of the one before.
func readSearchReplace(text string) ([]Edit, error) {
	lines := strings.SplitAfter(text, "\n")
	var edits []Edit
	name := ""
	for i := 0; i < len(lines); i++ {
		m := searchHead.FindStringSubmatch(strings.TrimSuffix(lines[i], "\n"))
		if m == nil {
			continue
		}
		if n := nameAbove(lines[:i]); n != "" {
			name = n
		}
		if m[1] != "" {
			name = m[1] // <<<<<<< SEARCH path
		}
		old, at, ok := until(lines, i+1, searchMid.Regexp())
		if !ok {
			return nil, invalidPatch("", "block %d: SEARCH is not followed by =======", len(edits)+1)
		}
		fresh, end, ok := until(lines, at+1, searchTail.Regexp())
		if !ok {
			return nil, invalidPatch("", "block %d: ======= is not followed by >>>>>>> REPLACE", len(edits)+1)
		}
		if again := slices.IndexFunc(lines[at+1:end], func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(lines[at]) }); again >= 0 {
			return nil, invalidPatch("", "block %d: lines %d and %d both say %s, and either may be where SEARCH ends", len(edits)+1, at+1, at+again+2, strings.TrimSpace(lines[at])).
				WithHint("send the change as a unified diff, or old_string and new_string as JSON")
		}
		edits = append(edits, searchEdit(name, old, fresh, len(edits)+1))
		i = end
	}
	if len(edits) == 0 {
		return nil, unknownFormat([]byte(text), "")
	}
	return edits, nil
}

func searchEdit(name, old, fresh string, number int) Edit {
	if strings.TrimSpace(old) == "" {
		return Edit{Path: name, whole: &fresh, fresh: true} // makes a file
	}
	return Edit{Path: name, hunks: []hunk{{name: fmt.Sprintf("block %d", number), old: ended(old), new: ended(fresh), wholeLines: true}}}
}

// until joins lines up to one that matches; a block inside a block means that
// one of them was not closed.
func until(lines []string, from int, end *regexp.Regexp) (string, int, bool) {
	var b strings.Builder
	for i := from; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		if end.MatchString(line) {
			return b.String(), i, true
		}
		if searchHead.MatchString(line) {
			return "", i, false
		}
		b.WriteString(lines[i])
	}
	return "", len(lines), false
}

// nameAbove looks for a file name in the lines just above a block, across one
// fence. What has spaces or ends like a sentence is prose, and so is one word
// without a dot or a slash, unless it has a capital and the block follows at once:
// that is Makefile.
func nameAbove(lines []string) string {
	near := true // only a fence is between
	for back, i := 0, len(lines)-1; i >= 0 && back < 3; i-- {
		line := strings.TrimSuffix(lines[i], "\n")
		if fenceLine.MatchString(line) || strings.TrimSpace(line) == "" {
			near = near && strings.TrimSpace(line) != ""
			back++
			continue
		}
		m := nameInProse.FindStringSubmatch(line)
		if m == nil || searchTail.MatchString(line) {
			return ""
		}
		name := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(m[1], "File:"), "file:"))
		if near && bareName.MatchString(line) {
			return name
		}
		if strings.ContainsAny(name, " \t<>") && !strings.Contains(name, "/") || !strings.ContainsAny(name, "./") || strings.HasSuffix(name, ".") {
			return ""
		}
		return name
	}
	return ""
}
