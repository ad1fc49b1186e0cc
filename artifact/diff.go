package artifact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
	"brenner/internal/linediff"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Difference answers "what changed between version X and version Y" (C15).
type Difference struct {
	From brenner.Ref `json:"from"`
	To   brenner.Ref `json:"to"`
	// Base is the version that both go back to: From itself when To was built
	// on it, another one when they are on two branches, 0 when they have none
	// in common.
	Base brenner.Version `json:"base"`
	// Notes are the change notes on the way: back from From to Base, newest
	// first and undone, then on to To, oldest first.
	Notes []Note `json:"notes"`
	// Fields are the changes of everything but the content, Content those of
	// the content; a pointer is into the version or into the content.
	Fields  []FieldChange `json:"fields"`
	Content []FieldChange `json:"content"`
	// More counts changes of the content beyond brenner.MaxDiffChanges; of lines
	// beyond brenner.MaxDiffLines the last hunk says how many are left out.
	More int `json:"more,omitzero"`
}

// Note is the change note of one version on the way.
type Note struct {
	Version brenner.Version   `json:"version"`
	Creator brenner.ActorName `json:"creator"`
	At      time.Time         `json:"at"`
	Change  *Change           `json:"change,omitzero"`
	// Undone is set where the way goes back over this version.
	Undone bool `json:"undone,omitzero"`
}

// FieldChange is one changed field. Without Old it was added, without New
// removed. A long text has Hunks in place of both. A pointer into an array
// counts in the new array, for a removed element in the old one; /tags and
// /links are sets and name the element alone.
type FieldChange struct {
	Pointer string         `json:"pointer"`
	Old     jsontext.Value `json:"old,omitzero"`
	New     jsontext.Value `json:"new,omitzero"`
	Hunks   []Hunk         `json:"hunks,omitempty"`
}

// longText is from how many characters on a string is compared by lines.
const longText = 200

// Diff compares two versions. Between holds the other versions of the
// artifact, at least those between the two and the one they have in common,
// in any order; their content is not needed.
func Diff(a, b Version, between []Version) Difference {
	d, _ := DiffUntil(func() bool { return false }, a, b, between)
	return d
}

// DiffUntil is Diff unless stop, which is asked now and then, says that nobody
// waits for it any more; then it gives up and says so.
func DiffUntil(stop func() bool, a, b Version, between []Version) (d Difference, whole bool) {
	d = Difference{From: a.Ref(), To: b.Ref(), Notes: []Note{}, Content: []FieldChange{}}
	d.Fields = fieldChanges(a, b)
	if a.ID == b.ID {
		d.Base, d.Notes = wayNotes(a, b, between)
	}
	if a.SHA256 != b.SHA256 || a.Format != b.Format {
		c := changes{stop: stop}
		c.contents(a.Content, b.Content)
		d.Content, d.More = c.list, c.more
		return d, !c.over
	}
	return d, true
}

// wayNotes finds the nearest common ancestor and the notes on the way.
func wayNotes(a, b Version, between []Version) (brenner.Version, []Note) {
	byNumber := map[brenner.Version]Version{a.Version: a, b.Version: b}
	for _, v := range between {
		if v.ID == a.ID {
			byNumber[v.Version] = v
		}
	}
	up, down := ancestry(a, byNumber), ancestry(b, byNumber)
	onWayUp := make(map[brenner.Version]int, len(up))
	for i, v := range up {
		onWayUp[v.Version] = i
	}
	base := brenner.Version(0)
	for i, v := range down {
		if j, common := onWayUp[v.Version]; common {
			base, up, down = v.Version, up[:j], down[:i]
			break
		}
	}
	notes := make([]Note, 0, len(up)+len(down))
	for _, v := range up {
		notes = append(notes, noteOf(v, true))
	}
	for _, v := range slices.Backward(down) {
		notes = append(notes, noteOf(v, false))
	}
	return base, notes
}

// ancestry lists a version, its parent, its parent's parent… as far as known.
// A parent is always an older version, so that a wrong one cannot lead round
// in a circle.
func ancestry(v Version, byNumber map[brenner.Version]Version) []Version {
	chain := []Version{v}
	for v.Parent != nil && *v.Parent < v.Version {
		parent, ok := byNumber[*v.Parent]
		if !ok {
			break
		}
		chain = append(chain, parent)
		v = parent
	}
	return chain
}

func noteOf(v Version, undone bool) Note {
	return Note{Version: v.Version, Creator: v.Metadata.Creator, At: v.Metadata.UpdatedAt, Change: v.Change, Undone: undone}
}

// fieldChanges compares everything but the content.
func fieldChanges(a, b Version) []FieldChange {
	list := []FieldChange{}
	for _, f := range []struct{ pointer, before, after string }{
		{"/type", string(a.Type), string(b.Type)},
		{"/module", string(a.Module), string(b.Module)},
		{"/status", string(a.Status), string(b.Status)},
		{"/summary", a.Summary, b.Summary},
		{"/format", string(a.Format), string(b.Format)},
	} {
		if f.before != f.after {
			list = append(list, stringChange(f.pointer, f.before, f.after))
		}
	}
	list = append(list, setChanges("/tags", a.Metadata.Tags, b.Metadata.Tags, cmp.Compare[string])...)
	return append(list, setChanges("/links", a.Links, b.Links, compareLinks)...)
}

// compareLinks orders links by relation, then by what they point at.
func compareLinks(a, b Link) int {
	return cmp.Or(cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.Artifact, b.Artifact), cmp.Compare(a.Version, b.Version))
}

// setChanges lists what was removed and what was added, each in order.
func setChanges[T comparable](pointer string, before, after []T, order func(a, b T) int) []FieldChange {
	var list []FieldChange
	for _, v := range without(before, after, order) {
		list = append(list, FieldChange{Pointer: pointer, Old: canon.MustMarshal(v)})
	}
	for _, v := range without(after, before, order) {
		list = append(list, FieldChange{Pointer: pointer, New: canon.MustMarshal(v)})
	}
	return list
}

// without gives the elements of a set that another lacks, in order.
func without[T comparable](set, other []T, order func(a, b T) int) []T {
	has := make(map[T]bool, len(other))
	for _, v := range other {
		has[v] = true
	}
	rest := slices.DeleteFunc(slices.Clone(set), func(v T) bool { return has[v] })
	slices.SortFunc(rest, order)
	return rest
}

// contents compares two contents as JSON values. Content that is not at
// hand (it was redacted, or not asked for) is shown as absent.
func (c *changes) contents(before, after jsontext.Value) {
	a, okA := decode(before)
	b, okB := decode(after)
	if !okA || !okB {
		c.list = []FieldChange{{Old: before, New: after}}
		return
	}
	c.list = []FieldChange{}
	c.value("", a, b)
}

func decode(raw jsontext.Value) (v any, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	return v, true
}

// changes gathers the differences of two JSON values, until stop says so.
type changes struct {
	list  []FieldChange
	more  int // that are not listed
	lines int // that are shown
	stop  func() bool
	over  bool
}

// full counts a change for which there is no room in the list.
func (c *changes) full() bool {
	if len(c.list) < brenner.MaxDiffChanges && c.lines < brenner.MaxDiffLines {
		return false
	}
	c.more++
	return true
}

func (c *changes) value(at jsontext.Pointer, a, b any) {
	if c.over = c.over || c.stop(); c.over {
		return
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			c.object(at, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			c.array(at, a, b)
			return
		}
	case string:
		if b, ok := b.(string); ok {
			if a != b {
				c.text(at, a, b)
			}
			return
		}
	}
	before, after := canon.MustMarshal(a), canon.MustMarshal(b)
	if string(before) != string(after) && !c.full() {
		c.list = append(c.list, FieldChange{Pointer: string(at), Old: before, New: after})
	}
}

func (c *changes) object(at jsontext.Pointer, a, b map[string]any) {
	names := make([]string, 0, len(a)+len(b))
	for name := range a { // order-free: sorted below
		names = append(names, name)
	}
	for name := range b { // order-free: sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, had := a[name]
		after, has := b[name]
		here := at.AppendToken(name)
		switch {
		case had && has:
			c.value(here, before, after)
		case had:
			c.removed(here, before)
		default:
			c.added(here, after)
		}
	}
}

// array aligns equal elements; between them, elements at the same place are
// taken for the same element changed.
func (c *changes) array(at jsontext.Pointer, a, b []any) {
	steps, whole := linediff.CompareUntil(c.stop, encoded(a), encoded(b))
	c.over = c.over || !whole
	for _, s := range steps {
		i, j := s.OldLo, s.NewLo
		for ; i < s.OldHi && j < s.NewHi; i, j = i+1, j+1 {
			c.value(index(at, j), a[i], b[j])
		}
		for ; i < s.OldHi; i++ {
			c.removed(index(at, i), a[i])
		}
		for ; j < s.NewHi; j++ {
			c.added(index(at, j), b[j])
		}
	}
}

func (c *changes) removed(at jsontext.Pointer, v any) {
	if !c.full() {
		c.list = append(c.list, FieldChange{Pointer: string(at), Old: canon.MustMarshal(v)})
	}
}

func (c *changes) added(at jsontext.Pointer, v any) {
	if !c.full() {
		c.list = append(c.list, FieldChange{Pointer: string(at), New: canon.MustMarshal(v)})
	}
}

func index(at jsontext.Pointer, i int) jsontext.Pointer { return at.AppendToken(strconv.Itoa(i)) }

func encoded(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(canon.MustMarshal(v))
	}
	return out
}

// text compares two different strings, by lines if one is long.
func (c *changes) text(at jsontext.Pointer, before, after string) {
	if c.full() {
		return
	}
	if !isLong(before) && !isLong(after) {
		c.list = append(c.list, stringChange(string(at), before, after))
		return
	}
	hunks, whole := linediff.HunksUntil(c.stop, before, after, brenner.MaxDiffLines-c.lines)
	c.over = c.over || !whole
	for _, h := range hunks {
		c.lines += len(h.Lines)
	}
	c.list = append(c.list, FieldChange{Pointer: string(at), Hunks: hunks})
}

// stringChange compares two different strings, by lines if one is long.
func stringChange(pointer, before, after string) FieldChange {
	if isLong(before) || isLong(after) {
		return FieldChange{Pointer: pointer, Hunks: linediff.Hunks(before, after)}
	}
	return FieldChange{Pointer: pointer, Old: canon.MustMarshal(before), New: canon.MustMarshal(after)}
}

func isLong(s string) bool {
	return strings.Contains(s, "\n") || utf8.RuneCountInString(s) > longText
}
