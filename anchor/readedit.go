package anchor

import (
	"fmt"
	"slices"
	"strings"

	"brenner"

	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// The names under which tools know the parts of an exact string edit.
var (
	pathNames  = []string{"file_path", "path", "filePath", "target_file", "filename", "file"}
	oldNames   = []string{"old_string", "old_str", "oldText", "old_text", "oldString", "search", "find"}
	newNames   = []string{"new_string", "new_str", "newText", "new_text", "newString", "replace", "replacement"}
	allNames   = []string{"replace_all", "replaceAll", "allow_multiple"}
	countNames = []string{"expected_replacements"}
	wholeNames = []string{"content", "file_text", "contents"}
	listNames  = []string{"edits", "replacements", "changes"}
	// wrapNames hold a call of a tool; textNames a change in another format.
	wrapNames = []string{"input", "arguments", "parameters", "args", "tool_input", "function"}
	textNames = []string{"input", "patch", "patch_text", "diff"}
)

// object is a JSON object with its members in reach.
type object map[string]jsontext.Value

// first gives the member that has one of several names.
func (o object) first(names []string) (jsontext.Value, bool) {
	for _, n := range names {
		if v, ok := o[n]; ok && v.Kind() != 'n' {
			return v, true
		}
	}
	return nil, false
}

// text gives a member as a canonical string; ok is false if it is not there.
func (o object) text(names []string, at string) (s string, ok bool, err error) {
	s, ok, err = o.asWritten(names, at)
	return canonicalString(s), ok, err
}

// asWritten gives a member as a string, with the line ends it was written with.
func (o object) asWritten(names []string, at string) (s string, ok bool, err error) {
	v, ok := o.first(names)
	if !ok {
		return "", false, nil
	}
	if v.Kind() != '"' {
		return "", false, invalidPatch(at+"/"+names[0], "%s is not a string", names[0])
	}
	raw, err := jsontext.AppendUnquote(nil, v)
	return string(raw), true, err
}

// readStringEdits reads exact string edits: one, a list of them, or the call of
// a tool that holds them. Members it does not know are left alone: tools send
// reasons and ids along.
func readStringEdits(raw []byte) ([]Edit, error) {
	if err := canon.Check(raw); err != nil {
		return nil, asInvalidPatch(err)
	}
	return readEditValue(jsontext.Value(raw), "", "", 0)
}

func readEditValue(v jsontext.Value, path, at string, depth int) ([]Edit, error) {
	if depth > 6 {
		return nil, invalidPatch(at, "the edit is wrapped too deeply")
	}
	switch v.Kind() {
	case '[':
		var list []jsontext.Value
		if err := canon.Unmarshal(v, &list); err != nil {
			return nil, asInvalidPatch(err)
		}
		var out []Edit
		for i, item := range list {
			edits, err := readEditValue(item, path, fmt.Sprintf("%s/%d", at, i), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, edits...)
		}
		return out, nil
	case '{':
		var o object
		if err := canon.Unmarshal(v, &o); err != nil {
			return nil, asInvalidPatch(err)
		}
		return o.edits(path, at, depth)
	}
	return nil, invalidPatch(at, "an edit is an object with old_string and new_string")
}

func (o object) edits(path, at string, depth int) ([]Edit, error) {
	if p, ok, err := o.text(pathNames, at); err != nil {
		return nil, err
	} else if ok {
		path = p
	}
	if err := o.oneChange(at); err != nil {
		return nil, err
	}
	if list, ok := o.first(listNames); ok && list.Kind() == '[' {
		return readEditValue(list, path, at+"/edits", depth+1)
	}
	old, quotes, err := o.text(oldNames, at)
	if err != nil {
		return nil, err
	}
	if quotes {
		return o.replacement(path, old, at)
	}
	if line, ok := o["insert_line"]; ok {
		return nil, invalidPatch(at+"/insert_line", "an insertion behind line %s quotes nothing, so that nobody can tell whether the line is the one that was meant", brenner.Clip(string(line), 20)).
			WithHint("quote the line as old_string, and send it with the new one as new_string")
	}
	if whole, ok, err := o.asWritten(wholeNames, at); err != nil {
		return nil, err
	} else if ok {
		return []Edit{writtenAnew(path, whole, o.isCreate())}, nil
	}
	return o.unwrapped(path, at, depth)
}

// oneChange refuses an object that says in two ways what is to be changed: one of
// them would be left out.
func (o object) oneChange(at string) error {
	var there []string
	for _, n := range listNames {
		if v := o[n]; v.Kind() == '[' && string(v) != "[]" {
			there = append(there, n)
		}
	}
	for _, n := range slices.Concat(oldNames, wholeNames) {
		if v := o[n]; v.Kind() == '"' && string(v) != `""` {
			there = append(there, n)
		}
	}
	if len(there) < 2 {
		return nil
	}
	return invalidPatch(at+"/"+there[1], "%s and %s are both there, and each is a change of its own", there[0], there[1]).
		WithHint("send one of them; several changes of a file are a list named edits")
}

// writtenAnew is a file that is given whole.
func writtenAnew(path, written string, fresh bool) Edit {
	whole := canonicalString(written)
	return Edit{Path: path, whole: &whole, fresh: fresh, spelled: whole != written}
}

// isCreate says that a tool's own word for the act is to make a file.
func (o object) isCreate() bool { return string(o["command"]) == `"create"` }

func (o object) replacement(path, old, at string) ([]Edit, error) {
	written, ok, err := o.asWritten(newNames, at)
	fresh := canonicalString(written)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, missing(at, "new_string")
	}
	if old == "" {
		return []Edit{writtenAnew(path, written, true)}, nil
	}
	quoted, _, _ := o.asWritten(oldNames, at)
	h := hunk{old: old, new: fresh, oldMark: strings.HasPrefix(quoted, bom), newMark: strings.HasPrefix(written, bom)}
	if old == fresh && h.oldMark == h.newMark {
		return nil, invalidPatch(at+"/new_string", "old_string and new_string are the same").WithHint("leave the edit out")
	}
	if v, ok := o.first(allNames); ok {
		h.all = string(v) == "true"
	}
	if v, ok := o.first(countNames); ok {
		if err := canon.Unmarshal(v, &h.count); err != nil || h.count < 1 {
			return nil, invalidPatch(at+"/expected_replacements", "expected_replacements is not a number from 1")
		}
		h.all = h.count > 1
	}
	return []Edit{{Path: path, hunks: []hunk{h}, inTurn: true}}, nil
}

// unwrapped looks for the edit inside the call of a tool.
func (o object) unwrapped(path, at string, depth int) ([]Edit, error) {
	for _, name := range textNames {
		text, ok := jsonString(o[name])
		if !ok {
			continue
		}
		if f := Detect(text); f != "" && f != FormatAnchor {
			return ReadEdits(text, f)
		}
	}
	for _, name := range wrapNames {
		v, ok := o[name]
		if !ok {
			continue
		}
		if text, isText := jsonString(v); isText {
			v = jsontext.Value(text)
		}
		if kind := v.Kind(); (kind == '{' || kind == '[') && v.IsValid() {
			return readEditValue(v, path, at+"/"+name, depth+1)
		}
	}
	if v, ok := o["command"]; ok && v.Kind() == '[' {
		if edits, ok := shellEdits(v); ok {
			return edits, nil
		}
	}
	return nil, o.unknown(at)
}

// shellEdits reads ["apply_patch", "*** Begin Patch …"].
func shellEdits(v jsontext.Value) ([]Edit, bool) {
	var words []string
	if canon.Unmarshal(v, &words) != nil {
		return nil, false
	}
	i := slices.IndexFunc(words, func(w string) bool { return beginPattern.MatchString(w) })
	if i < 0 {
		return nil, false
	}
	edits, err := ReadEdits([]byte(words[i]), FormatApplyPatch)
	return edits, err == nil
}

func (o object) unknown(at string) error {
	names := make([]string, 0, len(o))
	for n := range o { // order-free: sorted below
		names = append(names, n)
	}
	slices.Sort(names)
	e := invalidPatch(at, "an object with %s is no edit", quote(strings.Join(names, ", ")))
	return e.WithHint("send old_string and new_string, or a list of them as edits, or an " + ProtocolID + " patch with its protocol_id")
}
