package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func piece(r string, summary string, paragraphs ...string) Piece {
	p := Piece{Ref: ref(r), Type: "paper_note", Module: "lineage", Summary: summary}
	for i, text := range paragraphs {
		p.Paragraphs = append(p.Paragraphs, Paragraph{Place: fmt.Sprintf("line %d", 2*i+1), Text: text})
	}
	return p
}

// tell gives groups in lines.
func tell(groups []Overlap) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%s %s:", g.Type, g.Module)
		for _, m := range g.Members {
			fmt.Fprintf(&b, " %s %.2f/%.2f", m.Ref, m.Similarity, m.Shared)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// C28: artifacts of one type and module overlap by their summaries or by what
// they share word for word; another type, module, number or negation keeps them
// apart.
func TestOverlaps(t *testing.T) {
	other := piece("elsewhere@1", "clones keep the fate of their founder")
	other.Module = "gradient"
	spec := piece("spec@1", "clones keep the fate of their founder")
	spec.Type = "model_spec"
	pieces := []Piece{
		piece("b@2", "clones keep the fate of their founder"),
		piece("a@1", "Clones keep the fate of their founder."),
		other, spec,
		piece("not@1", "clones do not keep the fate of their founder"),
		piece("ten@1", "counted 10 wing discs of each genotype"),
		piece("twelve@1", "counted 12 wing discs of each genotype"),
		piece("long@1", "staining protocol", "Fix the discs for twenty minutes.", "Wash them three times in buffer.", "Mount and look at once."),
		piece("short@1", "how we washed", "Wash them THREE times in buffer!", "Short."),
	}
	want := "paper_note lineage: a@1 1.00/1.00 b@2 1.00/0.00\n" +
		"paper_note lineage: long@1 1.00/1.00 short@1 0.00/1.00\n"
	for range 2 {
		got, err := Overlaps(pieces, Options{Embed: bag})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, tell(got)); diff != "" {
			t.Error(diff)
		}
		slices.Reverse(pieces)
	}
	words, err := Overlaps(pieces, Options{})
	if err != nil || tell(words) != "paper_note lineage: long@1 1.00/1.00 short@1 0.00/1.00\n" {
		t.Errorf("without vectors: %v\n%s", err, tell(words))
	}
	stopped := errors.New("stopped")
	if _, err := Overlaps(pieces, Options{Canceled: func() error { return stopped }}); !errors.Is(err, stopped) {
		t.Errorf("canceled: %v", err)
	}
}

// C28: a group is bounded; what does not fit makes the next one.
func TestOverlaps_GroupsAreBounded(t *testing.T) {
	var pieces []Piece
	for i := range brenner.MaxOverlap + 3 {
		pieces = append(pieces, piece(fmt.Sprintf("n%02d@1", i), "", "The same four words."))
	}
	got, err := Overlaps(pieces, Options{})
	if err != nil || len(got) != 2 || len(got[0].Members) != brenner.MaxOverlap || len(got[1].Members) != 3 {
		t.Errorf("%v\n%s", err, tell(got))
	}
}

// C28: the part that is shared is what counting every pair of paragraphs gives.
func TestOverlaps_SharedAgreesWithCountingPairs(t *testing.T) {
	texts := []string{"one two three four", "five six seven eight nine", "ten eleven twelve thirteen", "too short"}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfNDistinct(rapid.SampledFrom(texts), 0, 4, rapid.ID).Draw(t, "a")
		b := rapid.SliceOfNDistinct(rapid.SampledFrom(texts), 0, 4, rapid.ID).Draw(t, "b")
		size := func(list []string) (n int) {
			for _, s := range list {
				if w := len(strings.Fields(s)); w >= fewWords {
					n += w
				}
			}
			return n
		}
		both := 0
		for _, s := range a {
			if slices.Contains(b, s) {
				both += size([]string{s})
			}
		}
		want := 0.0
		if both > 0 {
			want = rounded(float64(both) / float64(min(size(a), size(b))))
		}
		got, err := Overlaps([]Piece{piece("a@1", "", a...), piece("b@1", "", b...)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if grouped := len(got) == 1; grouped != (want >= SharedThreshold) || grouped && got[0].Members[1].Shared != want {
			t.Fatalf("shared %v, got %s", want, tell(got))
		}
	})
}
