package anchor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// Format names a way to write a change of text down (P16).
type Format string

// The formats that are read.
const (
	FormatAuto          Format = "auto"
	FormatAnchor        Format = "anchor"
	FormatUnified       Format = "unified"
	FormatSearchReplace Format = "search-replace"
	FormatApplyPatch    Format = "apply-patch"
	FormatEdit          Format = "edit"
)

// Formats lists them.
func Formats() []Format {
	return []Format{FormatAuto, FormatAnchor, FormatUnified, FormatSearchReplace, FormatApplyPatch, FormatEdit}
}

// Edit is a change of one file as some tool wrote it, before it is tied to a
// text.
type Edit struct {
	// Path names the file; empty where the tool named none.
	Path   string
	Format Format
	// prefixed is the name with the b/ that was taken off, where nothing but
	// custom says that it is no directory.
	prefixed string
	// patch is an anchor patch, which names its base itself; whole is the
	// content of a file that is to be written anew; otherwise hunks quote what
	// they change.
	patch *Patch
	whole *string
	// fresh says that there must be no such file yet; spelled that its lines do
	// not end in LF, or that it begins with a byte order mark.
	fresh, spelled bool
	hunks          []hunk
	// inTurn says that each hunk sees what the one before has made.
	inTurn bool
}

// hunk is one quotation and what takes its place.
type hunk struct {
	name     string // what a message calls it
	old, new string
	// oldMark and newMark say that a U+FEFF stood before them: that of the file, or one in
	// the text, see marked.
	oldMark, newMark bool
	// line is where the old text should begin, counted from 1; 0 if the tool
	// does not say.
	line int
	// below are lines that stand above the old text, one below the other.
	below []string
	// wholeLines: the old text begins and ends with a line. atEnd: it ends the
	// file. all: every occurrence is meant.
	wholeLines, atEnd, all bool
	// count is how many occurrences the tool expects; 0 if it does not say.
	count int
	// append: new lines go to the end of the file, and nothing is quoted.
	append bool
}

// ReadEdits reads changes of files, in the order in which they are written. A
// file is named once: several changes of one are one Edit.
//
// Errors: INVALID_PATCH with what the input looks like instead, INEXPRESSIBLE
// for what is not a change of text (a file removed, renamed, made executable),
// INVALID_TEXT, LIMIT_EXCEEDED.
func ReadEdits(raw []byte, f Format) ([]Edit, error) {
	if len(raw) > brenner.MaxPatchBytes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "a patch of %d bytes; at most %d are allowed", len(raw), brenner.MaxPatchBytes)
	}
	if text, ok := jsonString(raw); ok {
		raw = text
	}
	if f == "" || f == FormatAuto {
		f = Detect(raw)
	}
	if f == FormatAnchor {
		p, err := Parse(raw)
		return []Edit{{Path: p.Path, Format: f, patch: &p}}, err
	}
	text, err := Canonical(raw)
	if err != nil {
		return nil, err
	}
	if isJSON(raw) && slices.Contains([]Format{FormatUnified, FormatSearchReplace, FormatApplyPatch}, f) {
		f = FormatEdit // the call of a tool, which holds the text
	}
	var edits []Edit
	switch f {
	case FormatUnified:
		edits, err = readUnified(text)
	case FormatSearchReplace:
		edits, err = readSearchReplace(text.s)
	case FormatApplyPatch:
		edits, err = readApplyPatch(text)
	case FormatEdit:
		edits, err = readStringEdits(raw)
	default:
		return nil, unknownFormat(raw, f)
	}
	if err != nil {
		return nil, err
	}
	return gathered(edits, f)
}

// jsonString unwraps a text that was sent as a JSON string.
func jsonString(raw []byte) ([]byte, bool) {
	v := jsontext.Value(bytes.TrimSpace(raw))
	if v.Kind() != '"' || !v.IsValid() {
		return nil, false
	}
	text, err := jsontext.AppendUnquote(nil, v)
	return text, err == nil
}

var (
	beginPattern  = lazy.NewPattern(`(?m)^\s*\*\*\* Begin Patch[ \t\r]*$`)
	searchPattern = lazy.NewPattern(`(?m)^\s*<{5,9} ?(?:SEARCH|ORIGINAL)\b`)
	hunkPattern   = lazy.NewPattern(`(?m)^@@ |^diff --git |^--- [^\n]+\n\+\+\+ `)
)

// Detect says what a change is written in; "" if in none of the formats. A
// change that quotes another format is recognised by its own frame first.
func Detect(raw []byte) Format {
	trimmed := bytes.TrimSpace(raw)
	if isJSON(raw) {
		if trimmed[0] == '{' && hasProtocol(trimmed) {
			return FormatAnchor
		}
		return FormatEdit
	}
	envelope, search := beginPattern.Regexp().FindIndex(raw), searchPattern.Regexp().FindIndex(raw)
	switch {
	case envelope != nil && (search == nil || envelope[0] < search[0]):
		return FormatApplyPatch
	case search != nil:
		return FormatSearchReplace
	case hunkPattern.Match(raw):
		return FormatUnified
	case len(trimmed) > 0 && trimmed[0] == '{':
		return FormatAnchor // broken JSON, which its reader can say most about
	}
	return ""
}

// isJSON says that an input is a JSON object or array.
func isJSON(raw []byte) bool {
	v := jsontext.Value(bytes.TrimSpace(raw))
	return len(v) > 0 && (v[0] == '{' || v[0] == '[') && v.IsValid()
}

// hasProtocol says that a JSON object calls itself a patch of some protocol, or
// has the parts of one.
func hasProtocol(raw []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.ReadToken()
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if s := name.String(); s == "protocol_id" || s == "op_groups" {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

func unknownFormat(raw []byte, f Format) error {
	if f != "" {
		return invalidPatch("/format", "unknown format %q", brenner.Clip(string(f), 40)).WithHint("use " + formatWords())
	}
	if bytes.Contains(raw, []byte("<<<<<<<")) && bytes.Contains(raw, []byte(">>>>>>>")) {
		return invalidPatch("", "this has conflict markers, not blocks that say SEARCH and REPLACE").WithHint("settle the conflict, then send the change")
	}
	return invalidPatch("", "this is not a change in any format that is read").WithHint("send " + formatWords())
}

func formatWords() string {
	return "an anchor patch, a unified diff, SEARCH/REPLACE blocks, an apply_patch envelope, or old_string and new_string as JSON, several in a list"
}

// gathered joins the changes of one file and holds the bounds.
func gathered(edits []Edit, f Format) ([]Edit, error) {
	var out []Edit
	count := 0
	for _, e := range edits {
		if e.Format == "" {
			e.Format = f
		}
		if count += len(e.hunks); count > brenner.MaxPatchOperations {
			return nil, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d changes in one patch", brenner.MaxPatchOperations)
		}
		at := -1
		for i := range out {
			if out[i].Path == e.Path {
				at = i
			}
		}
		if at < 0 {
			out = append(out, e)
			continue
		}
		if e.whole != nil || out[at].whole != nil {
			return nil, invalidPatch("", "%s is both written anew and changed", printablePath(e.Path))
		}
		out[at].hunks = append(out[at].hunks, e.hunks...)
	}
	switch {
	case len(out) == 0:
		return nil, invalidPatch("", "there is no change in it")
	case len(out) > brenner.MaxPatchSetFiles:
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "a change of %d files; at most %d are allowed", len(out), brenner.MaxPatchSetFiles)
	}
	for i := range out {
		for j := range out[i].hunks {
			if h := &out[i].hunks[j]; h.name == "" {
				h.name = fmt.Sprintf("change %d", j+1)
			}
			if strings.ContainsRune(out[i].hunks[j].old+out[i].hunks[j].new, 0) {
				return nil, brenner.Errorf(brenner.CodeInvalidText, "%s contains U+0000", out[i].hunks[j].name)
			}
		}
	}
	return out, nil
}

func printablePath(p string) string {
	if p == "" {
		return "the text"
	}
	return fmt.Sprintf("%q", brenner.Clip(p, 200))
}
