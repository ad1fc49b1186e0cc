package web

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// contentText is the content of a version as a text to read: text as it is,
// JSON as it is stored.
func contentText(v artifact.Version) string {
	if v.Format == artifact.Text {
		return plain(v.Content)
	}
	return string(v.Content)
}

// plain is a JSON string without its quotes; another value as it is.
func plain(raw jsontext.Value) string {
	var text string
	if raw.Kind() == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// diffPage compares two versions.
type diffPage struct {
	artifact.Difference
	ID      brenner.ArtifactID
	Latest  brenner.Version
	Changes []change
	// Items are the changes of a session artifact, item by item.
	Items []itemChange
}

// itemChange is what changed in one item of a session artifact.
type itemChange struct {
	ID      delta.ItemID
	Title   string
	What    string // added, killed or changed
	Changes []change
}

// change is one field, before and after.
type change struct {
	Where string
	Rows  []row
}

// Value says that a whole value became another: there are no lines to number.
func (c change) Value() bool { return len(c.Rows) == 1 && c.Rows[0].NumL == 0 && c.Rows[0].NumR == 0 }

// row is one line of a comparison. A kind is same, changed, gap or note. Where
// a line became another, Head and Tail are what stayed of it, and Left and Right
// what lies between.
type row struct {
	Kind       string
	Left       string
	Right      string
	Head, Tail string
	HasL, HasR bool
	NumL, NumR int
}

func loadDiff(v *visit) (string, any, error) {
	id := brenner.ArtifactID(v.PathValue("id"))
	from, to := brenner.Version(v.number("from")), brenner.Version(v.number("to"))
	view, err := v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: id, Version: to}, Brief: true})
	if err != nil {
		return "", nil, err
	}
	to = view.Ref().Version
	if from == 0 {
		from = parentOf(view.Version)
	}
	diff, err := v.svc.Diff(v.Context(), api.DiffRequest{
		From: brenner.Ref{Artifact: id, Version: from}, To: brenner.Ref{Artifact: id, Version: to},
	})
	if err != nil {
		return "", nil, err
	}
	out := diffPage{Difference: diff.Difference, ID: id, Latest: view.Latest}
	for _, f := range diff.Fields {
		out.Changes = append(out.Changes, change{place(f.Pointer), rows(f)})
	}
	title := "What changed in " + string(id)
	if view.Type == artifact.TypeSessionArtifact {
		out.Items, err = v.itemChanges(diff.From, diff.To)
		return title, out, err
	}
	for _, f := range diff.Difference.Content {
		out.Changes = append(out.Changes, change{place("/content" + f.Pointer), rows(f)})
	}
	if n := diff.More; n > 0 {
		out.Changes = append(out.Changes, change{"content", []row{{Kind: "note", Left: fmt.Sprintf("%d further changes are left out", n)}}})
	}
	return title, out, nil
}

// place puts a JSON pointer into words.
func place(pointer string) string {
	var words []string
	for token := range jsontext.Pointer(pointer).Tokens() {
		words = append(words, strings.ReplaceAll(token, "_", " "))
	}
	return strings.Join(words, " › ")
}

// itemChanges compares two versions of a session artifact as the documents
// they are, not as the history in which they are kept.
func (v *visit) itemChanges(from, to brenner.Ref) ([]itemChange, error) {
	old, err := v.sessionDocument(from)
	if err != nil {
		return nil, err
	}
	now, err := v.sessionDocument(to)
	if err != nil {
		return nil, err
	}
	var out []itemChange
	for _, c := range delta.Compare(old, now).Items {
		one := itemChange{ID: c.Item, What: "changed"}
		switch {
		case c.Killed:
			one.What = "killed"
		case c.Added:
			one.What = "added"
		}
		if it, ok := now.Item(c.Item); ok {
			one.Title = it.Text("name")
			if death := it.Killed(); c.Killed && death != nil && death.Reason != "" {
				one.Changes = append(one.Changes, change{"reason", []row{{Kind: "changed", Right: death.Reason, HasR: true}}})
			}
		}
		for _, f := range c.Fields {
			where := strings.ReplaceAll(strings.ReplaceAll(f.Field, ".", " › "), "_", " ")
			one.Changes = append(one.Changes, change{where, rows(artifact.FieldChange{Old: asLines(f.Before), New: asLines(f.After)})})
		}
		out = append(out, one)
	}
	return out, nil
}

func (v *visit) sessionDocument(ref brenner.Ref) (*delta.Artifact, error) {
	view, err := v.svc.Artifact(v.Context(), api.ArtifactRequest{Ref: ref})
	if err != nil {
		return nil, err
	}
	return delta.ReadArtifact(view.Content)
}

// asLines makes a list of texts one text, a line each; another value stays.
func asLines(raw jsontext.Value) jsontext.Value {
	var list []string
	if raw.Kind() != '[' || json.Unmarshal(raw, &list) != nil {
		return raw
	}
	return quoted(strings.Join(list, "\n"))
}

// parentOf is what a version was built on, itself if on nothing.
func parentOf(v artifact.Version) brenner.Version {
	if v.Parent != nil {
		return *v.Parent
	}
	return v.Ref().Version
}

// rows lays a change out side by side.
func rows(f artifact.FieldChange) []row {
	var out []row
	if len(f.Hunks) == 0 {
		out = []row{{Kind: "changed", Left: plain(f.Old), Right: plain(f.New), HasL: f.Old != nil, HasR: f.New != nil}}
	}
	for i, h := range f.Hunks {
		if i > 0 {
			out = append(out, row{Kind: "gap"})
		}
		out = append(out, hunkRows(h)...)
	}
	for i, r := range out {
		if r.Kind == "changed" && r.HasL && r.HasR {
			out[i].Head, out[i].Left, out[i].Right, out[i].Tail = stayed(r.Left, r.Right)
		}
	}
	return out
}

// stayed parts a line and what it became, at blanks, into the words that stayed
// at both ends and those that changed between.
func stayed(old, now string) (head, oldWords, newWords, tail string) {
	n := 0
	for n < min(len(old), len(now)) && old[n] == now[n] {
		n++
	}
	n = strings.LastIndexByte(old[:n], ' ') + 1
	head, old, now = old[:n], old[n:], now[n:]
	m := 0
	for m < min(len(old), len(now)) && old[len(old)-1-m] == now[len(now)-1-m] {
		m++
	}
	end := old[len(old)-m:]
	if i := strings.IndexByte(end, ' '); i >= 0 {
		tail = end[i:]
	}
	return head, strings.TrimSuffix(old, tail), strings.TrimSuffix(now, tail), tail
}

// withoutSameEnd leaves out of a hunk that a text ends without a line feed where both do, or
// neither changed: a summary and a title always do.
func withoutSameEnd(lines []string) []string {
	note := func(line string) bool { return line[0] == '\\' }
	went, came := false, false
	for i, line := range lines {
		if i > 0 && note(line) {
			went, came = went || lines[i-1][0] == '-', came || lines[i-1][0] == '+'
		}
	}
	if went != came {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), note)
}

// hunkRows pairs the lines that went with those that came in their place.
func hunkRows(h artifact.Hunk) []row {
	var out []row
	left, right := h.OldStart, h.NewStart
	open := 0 // the first row whose right side is still free
	for _, line := range withoutSameEnd(h.Lines) {
		mark, text := line[:1], line[1:]
		switch mark {
		case "-":
			if len(out) == 0 || out[len(out)-1].Kind != "changed" || (open == len(out) && out[len(out)-1].HasR && !out[len(out)-1].HasL) {
				open = len(out)
			}
			out = append(out, row{Kind: "changed", Left: text, HasL: true, NumL: left})
			left++
		case "+":
			if open < len(out) && out[open].Kind == "changed" && !out[open].HasR {
				out[open].Right, out[open].HasR, out[open].NumR = text, true, right
			} else {
				out = append(out, row{Kind: "changed", Right: text, HasR: true, NumR: right})
			}
			open++
			right++
		case " ":
			out = append(out, row{Kind: "same", Left: text, Right: text, HasL: true, HasR: true, NumL: left, NumR: right})
			left, right = left+1, right+1
			open = len(out)
		default:
			out = append(out, row{Kind: "note", Left: strings.TrimSpace(text)})
			open = len(out)
		}
	}
	return out
}
