package artifact

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/internal/linediff"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// patch applies hunks to a text: the dumb inverse of textHunks.
func patch(t *rapid.T, before string, hunks []Hunk) string {
	old := linediff.Lines(before)
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		start := h.OldStart
		if h.OldLines > 0 {
			start--
		}
		out.WriteString(strings.Join(old[at:start], ""))
		at = start
		taken, given := 0, 0
		for i, l := range h.Lines {
			if l == linediff.NoNewline {
				continue
			}
			text := l[1:] + "\n"
			if i+1 < len(h.Lines) && h.Lines[i+1] == linediff.NoNewline {
				text = l[1:]
			}
			if l[0] != '+' {
				if old[at] != text {
					t.Fatalf("hunk expects %q where the text has %q", text, old[at])
				}
				at++
				taken++
			}
			if l[0] != '-' {
				out.WriteString(text)
				given++
			}
		}
		if taken != h.OldLines || given != h.NewLines {
			t.Fatalf("hunk says -%d +%d but holds -%d +%d", h.OldLines, h.NewLines, taken, given)
		}
	}
	out.WriteString(strings.Join(old[at:], ""))
	return out.String()
}

func anyText(label string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "-d", "+e", " f", `\ no`}), 0, 30).Draw(t, label)
		text := strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "newline") && text != "" {
			text += "\n"
		}
		return text
	})
}

// C15: text hunks lead from the one text to the other, whatever the texts.
func TestDiff_HunksRebuildTheNewText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := anyText("before").Draw(t, "a"), anyText("after").Draw(t, "b")
		if got := patch(t, before, linediff.Hunks(before, after)); got != after {
			t.Fatalf("%q and hunks give %q, want %q", before, got, after)
		}
	})
}

func version(n, parent brenner.Version, content string, edit func(*Version)) Version {
	c, err := NewContent(JSON, []byte(content))
	if err != nil {
		panic(err)
	}
	v := Version{
		ID: "X", Type: TypeModelSpec, Version: n, Status: Draft, Module: "core", Summary: "a model",
		Content: ContentValue(c), Format: JSON, SHA256: c.Digest(), Links: []Link{},
		Change:   &Change{What: "what of " + string('0'+rune(n)), Why: "why of " + string('0'+rune(n))},
		Metadata: Metadata{Creator: "ada", UpdatedAt: time.Date(2026, 1, int(n), 0, 0, 0, 0, time.UTC), Tags: []string{"m"}},
	}
	if parent > 0 {
		v.Parent = &parent
	}
	if edit != nil {
		edit(&v)
	}
	return v
}

// C15: what changed between version X and version Y is answered with the
// change notes on the way, the changed fields and the text hunks.
func TestDiff_NotesFieldsAndHunks(t *testing.T) {
	a := version(3, 2, `{"name":"m","parameters":{"k":1,"n":2},"predictions":["a","b","c"],"text":"one\ntwo\nthree\n"}`, func(v *Version) {
		v.Links = []Link{{Cites, "note", 1}, {DependsOn, "data", 1}}
	})
	b := version(7, 5, `{"name":"m","parameters":{"k":1.5,"r":[]},"predictions":["x","a","c"],"text":"one\n2\nthree\n"}`, func(v *Version) {
		v.Status, v.Summary, v.Module = Canonical, "another model", "edge"
		v.Metadata.Tags = []string{"m", "new"}
		v.Links = []Link{{DependsOn, "data", 2}, {Cites, "note", 1}}
	})
	between := []Version{
		version(5, 4, `{}`, nil), version(1, 0, `{}`, nil), version(4, 3, `{}`, nil), version(2, 1, `{}`, nil),
		version(6, 3, `{}`, nil), // a branch that is not on the way
	}
	want := strings.TrimPrefix(`
--- X@3
+++ X@7
# version 4 by ada, 2026-01-04T00:00:00Z
#   what: what of 4
#   why:  why of 4
# version 5 by ada, 2026-01-05T00:00:00Z
#   what: what of 5
#   why:  why of 5
# version 7 by ada, 2026-01-07T00:00:00Z
#   what: what of 7
#   why:  why of 7
module: core -> edge
status: draft -> canonical
summary: "a model" -> "another model"
tags: + "new"
links: - {"artifact":"data","rel":"depends_on","version":1}
links: + {"artifact":"data","rel":"depends_on","version":2}
content /parameters/k: 1 -> 1.5
content /parameters/n: - 2
content /parameters/r: + []
content /predictions/0: + "x"
content /predictions/1: - "b"
content /text:
@@ -1,3 +1,3 @@
 one
-two
+2
 three
`, "\n")
	d := Diff(a, b, between)
	if diff := cmp.Diff(want, d.Text()); diff != "" {
		t.Errorf("text differs (-want +got):\n%s", diff)
	}
	if d.Base != 3 {
		t.Errorf("base is %d, want 3", d.Base)
	}
	if _, err := canon.Marshal(d); err != nil {
		t.Errorf("a difference must be JSON: %v", err)
	}
}

// C15: between two branches the way goes back to what they have in common.
func TestDiff_BranchesMeetAtTheirCommonAncestor(t *testing.T) {
	all := []Version{version(1, 0, `{}`, nil), version(2, 1, `{}`, nil), version(3, 2, `{}`, nil), version(4, 2, `{}`, nil)}
	type step struct {
		V      brenner.Version
		Undone bool
	}
	for _, tt := range []struct {
		from, to int
		base     brenner.Version
		want     []step
	}{
		{from: 3, to: 4, base: 2, want: []step{{3, true}, {4, false}}},
		{from: 1, to: 3, base: 1, want: []step{{2, false}, {3, false}}},
		{from: 3, to: 1, base: 1, want: []step{{3, true}, {2, true}}},
		{from: 2, to: 2, base: 2},
	} {
		d := Diff(all[tt.from-1], all[tt.to-1], all)
		var got []step
		for _, n := range d.Notes {
			got = append(got, step{n.Version, n.Undone})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || d.Base != tt.base {
			t.Errorf("%d → %d: base %d, want %d; notes (-want +got):\n%s", tt.from, tt.to, d.Base, tt.base, diff)
		}
	}
}

// A parent that is not older, as only a damaged record could name, ends the way
// instead of leading round in a circle.
func TestDiff_WrongParentsEnd(t *testing.T) {
	a, b := version(1, 2, `{}`, nil), version(2, 1, `{}`, nil)
	if d := Diff(b, a, []Version{a, b}); d.Base != 1 || len(d.Notes) != 1 {
		t.Errorf("base %d, notes %v", d.Base, d.Notes)
	}
	self := version(3, 3, `{}`, nil)
	if d := Diff(self, a, nil); d.Base != 0 || len(d.Notes) != 2 {
		t.Errorf("base %d, notes %v", d.Base, d.Notes)
	}
}

func TestDiff_OfTheSameIsNothing(t *testing.T) {
	v := version(2, 1, `{"a":[1,2]}`, nil)
	if got := Diff(v, v, nil).Text(); got != "--- X@2\n+++ X@2\nno difference\n" {
		t.Errorf("got %q", got)
	}
}

func TestDiff_TextContentAndContentNotAtHand(t *testing.T) {
	text := func(n brenner.Version, s string) Version {
		c := Content{Format: Text, Data: []byte(s)}
		return Version{ID: "T", Version: n, Format: Text, Content: ContentValue(c), SHA256: c.Digest()}
	}
	got := Diff(text(1, "a\nb"), text(2, "a\nc\n"), nil).Content
	want := []FieldChange{{Hunks: []Hunk{{OldStart: 1, OldLines: 2, NewStart: 1, NewLines: 2, Lines: []string{" a", "-b", linediff.NoNewline, "+c"}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	gone := text(2, "a\nc\n")
	gone.Content = nil
	if got := Diff(text(1, "a"), gone, nil).Text(); !strings.Contains(got, `content: - "a"`) {
		t.Errorf("redacted content is not shown as absent: %s", got)
	}
	both := Diff(Version{ID: "T", Version: 1, SHA256: "x"}, Version{ID: "T", Version: 2, SHA256: "y"}, nil)
	if !strings.Contains(both.Text(), "content: changed, not at hand") {
		t.Errorf("a change without content is not told: %s", both.Text())
	}
}

// Every changed JSON field is named and nothing else: applying the changes to
// a flat object gives the other one.
func TestDiff_FlatObjectsRebuild(t *testing.T) {
	object := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "~", "", "é"}), rapid.IntRange(0, 3), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		a, b := object.Draw(t, "a"), object.Draw(t, "b")
		for _, f := range contentsOf(canon.MustMarshal(a), canon.MustMarshal(b)) {
			key := strings.NewReplacer("~1", "/", "~0", "~").Replace(f.Pointer[1:])
			if len(f.New) == 0 {
				delete(a, key)
				continue
			}
			a[key] = int(f.New[0] - '0')
		}
		if diff := cmp.Diff(b, a); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func BenchmarkTextHunks(bench *testing.B) {
	var a, b strings.Builder
	for i := range 200_000 {
		line := strings.Repeat("x", i%40) + string(rune('a'+i%26)) + "\n"
		a.WriteString(line)
		if i%7 != 0 {
			b.WriteString(line)
		} else {
			b.WriteString("changed\n")
		}
	}
	bench.SetBytes(int64(a.Len()))
	for bench.Loop() {
		linediff.Hunks(a.String(), b.String())
	}
}

func contentsOf(before, after jsontext.Value) []FieldChange {
	c := changes{stop: func() bool { return false }}
	c.contents(before, after)
	return c.list
}

// X9: comparing two versions ends when nobody waits for it any more.
func TestDiffUntil_GivesUp(t *testing.T) {
	a, b := Version{SHA256: "a", Content: jsontext.Value(`["x","y",{"n":[1,2]}]`)}, Version{SHA256: "b", Content: jsontext.Value(`["x","z",{"n":[1,3]}]`)}
	for most := 1; ; most++ {
		looks := 0
		d, whole := DiffUntil(func() bool { looks++; return looks >= most }, a, b, nil)
		if whole != (looks < most) {
			t.Fatalf("after %d looks of %d: %v", looks, most, whole)
		}
		if whole {
			if len(d.Content) != 2 || most < 4 {
				t.Errorf("%d looks: %+v", most, d.Content)
			}
			return
		}
	}
}

// X10: a comparison lists so many changes and lines, and says how many it left out.
func TestDiff_IsBounded(t *testing.T) {
	elements := func(n int, v string) jsontext.Value {
		return jsontext.Value("[" + strings.TrimSuffix(strings.Repeat(v+",", n), ",") + "]")
	}
	d := Diff(Version{SHA256: "a", Content: elements(2*brenner.MaxDiffChanges, "1")}, Version{SHA256: "b", Content: elements(2*brenner.MaxDiffChanges, "2")}, nil)
	if len(d.Content) != brenner.MaxDiffChanges || d.More != brenner.MaxDiffChanges || !strings.Contains(d.Text(), "5000 further changes are left out") {
		t.Errorf("%d listed and %d more", len(d.Content), d.More)
	}
	lines := func(v string) jsontext.Value {
		text := canon.MustMarshal(strings.Repeat(v+"\n", brenner.MaxDiffLines))
		return jsontext.Value(`{"a":` + string(text) + `,"b":` + string(text) + `}`)
	}
	d = Diff(Version{SHA256: "a", Content: lines("x")}, Version{SHA256: "b", Content: lines("y")}, nil)
	if len(d.Content) != 1 || d.More != 1 || !strings.Contains(d.Text(), "20000 further lines are left out") {
		t.Errorf("%d texts and %d more", len(d.Content), d.More)
	}
}

// A long way takes few lines: versions of which nothing was said take one together, and
// of many notes the last are shown.
func TestDiff_ALongWayIsShort(t *testing.T) {
	d := Difference{}
	for i := range 500 {
		d.Notes = append(d.Notes, Note{Version: brenner.Version(i + 2), Creator: "Ann"})
	}
	if got := d.Text(); !strings.Contains(got, "# versions 2 to 501, without a note\n") || strings.Count(got, "#") != 1 {
		t.Errorf("of 500 silent versions it says:\n%s", got)
	}
	for i := range d.Notes {
		d.Notes[i].Change = &Change{What: fmt.Sprint("step ", i)}
	}
	got := d.Text()
	if strings.Contains(got, "step 479\n") || !strings.Contains(got, "step 480\n") || !strings.Contains(got, "step 499\n") || !strings.Contains(got, "# 480 versions on the way to these are left out") {
		t.Errorf("of 500 notes it says:\n%s", got)
	}
}
