package delta

import (
	"slices"
	"strconv"
	"strings"

	"brenner"
)

// target is a parsed target_id.
type target struct {
	section     int
	number      int    // 0 if provisional
	provisional string // as it was written, "" if assigned
	cell        string // the key of a prediction cell, "" for a whole item
}

// readTarget checks the operation against the section and reads target_id.
func readTarget(d *Delta, section int) (target, *brenner.Error) {
	t := target{section: section}
	if section == atThread && d.Operation != Edit {
		return t, brenner.Errorf(brenner.CodeRTEditOnly, "the research thread cannot be the target of %s", d.Operation).
			At("/operation").WithHint("send an EDIT with target_id RT")
	}
	if d.Operation != Add && d.ProvisionalID != "" {
		return t, invalid("/provisional_id", "only an ADD can have a provisional_id", "put the provisional id into target_id")
	}
	if d.Operation == Add {
		return t, checkAddTarget(d)
	}
	if section == atThread {
		if d.TargetID != "" && d.TargetID != "RT" {
			return t, badTarget("the only item of research_thread is RT", "write target_id RT or null")
		}
		t.number = 1
		return t, nil
	}
	if d.TargetID == "" {
		return t, badTarget("target_id is missing", "name the item to change, for example "+schemas[section].Prefix+"1")
	}
	t, ok := parseTarget(section, string(d.TargetID))
	if ids := listOf(section, string(d.TargetID)); !ok && len(ids) > 1 {
		return t, badTarget(strconv.Quote(clip(string(d.TargetID)))+" are several items, and a delta changes one",
			"send one for each; a block takes them as a list: [{…, \"target_id\": "+strconv.Quote(ids[0])+"}, {…, \"target_id\": "+strconv.Quote(ids[1])+"}]")
	}
	if !ok {
		return t, badTarget(strconv.Quote(clip(string(d.TargetID)))+" is no item of "+string(d.Section),
			"items of this section are "+schemas[section].Prefix+"1, "+schemas[section].Prefix+"2 and so on")
	}
	return t, nil
}

func checkAddTarget(d *Delta) *brenner.Error {
	if d.TargetID != "" {
		return badTarget("target_id must be null in an ADD: the merge assigns the id",
			"leave it null; to cite the new item, name it in provisional_id, for example "+schemas[sectionIndex(d.Section)].Prefix+"-NEW")
	}
	if n := len(d.ProvisionalID); n > maxProvisional {
		return brenner.Errorf(brenner.CodeInvalidValue, "provisional_id has %d bytes, and may have %d", n, maxProvisional).At("/provisional_id").
			WithHint("use a shorter name, for example T-SCALE")
	}
	if d.ProvisionalID != "" && !isProvisional(d.ProvisionalID) {
		return brenner.Errorf(brenner.CodeInvalidValue, "provisional_id is not a name of its own").At("/provisional_id").
			WithHint("use letters, digits, - and _, and not the form of an assigned id, for example T-SCALE")
	}
	return nil
}

// parseTarget reads the target of an EDIT or KILL in a numbered section.
func parseTarget(section int, s string) (target, bool) {
	t := target{section: section}
	row, key, isCell := s, "", false
	if section == atPredictions {
		row, key, isCell = strings.Cut(s, ".")
	}
	if isCell {
		if at, _, ok := parseItemID(key); !(ok && at == atHypotheses) && !isName(key) {
			return t, false
		}
		t.cell = key
	}
	at, number, ok := parseItemID(row)
	switch {
	case ok && at == section:
		t.number = number
	case !ok && isName(row):
		t.provisional = row
	default:
		return t, false
	}
	return t, true
}

// listOf are the ids of which a target is a list, nil if it is something else.
func listOf(section int, s string) []string {
	ids := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(", ;&", r) })
	for _, id := range ids {
		if at, _, ok := parseItemID(id); !ok || at != section {
			return nil
		}
	}
	return ids
}

func badTarget(message, hint string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidTarget, "%s", message).At("/target_id").WithHint(hint)
}

// lookalikeID gives the assigned id that a name is in small letters, "" if it
// is none: h1 is no name of an item, and taken for one it would wait for ever.
func lookalikeID(name string) string {
	if len(name) < 2 || !digit(name[1]) && len(name) != len("rt") {
		return ""
	}
	upper := strings.ToUpper(name)
	if upper == name || !looksAssigned(upper) {
		return ""
	}
	return upper
}

var joints = strings.NewReplacer("-", "", "_", "")

// hyphenated gives the assigned id that a provisional one is but for a hyphen,
// as H-2 for H2; "" if it is none. An agent may well have named an item so.
func hyphenated(name string) string {
	id := strings.ToUpper(joints.Replace(name))
	if _, _, ok := parseItemID(id); !ok || id == name {
		return ""
	}
	return id
}

// lookalike gives what a name that could pass for a provisional id was probably
// meant to be: an assigned id, or none at all; "" if it is a name of its own.
func lookalike(name string) string {
	if name != "" && nothing(name) {
		return "null"
	}
	if several(name) {
		return oneItem
	}
	return lookalikeID(name)
}

// oneItem is what stands for a name that means several.
const oneItem = "the id of one item"

// several says whether a name means more items than one: all, or H1-H3.
func several(name string) bool {
	if slices.ContainsFunc([]string{"all", "both", "each", "every", "any"}, func(word string) bool { return strings.EqualFold(word, name) }) {
		return true
	}
	ids := 0
	for id := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if _, _, ok := parseItemID(strings.ToUpper(id)); !ok {
			return false
		}
		ids++
	}
	return ids > 1
}

// checkName refuses a name that is a lookalike.
func checkName(name, pointer string) *brenner.Error {
	if meant := lookalike(name); meant != "" {
		return notItem(name, meant, pointer)
	}
	return nil
}

func notItem(name, meant, pointer string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidTarget, "%s is no item", strconv.Quote(clip(name))).At(pointer).WithHint("write " + meant)
}
