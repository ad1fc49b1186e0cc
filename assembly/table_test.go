package assembly

import (
	"testing"

	"pgregory.net/rapid"
)

// A table finds what a map finds.
func TestTable_FindsLikeAMap(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abß")), 0, 3, -1)
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(word, 0, 60).Draw(rt, "texts")
		want := map[string]uint32{}
		for i, text := range texts {
			want[text] = uint32(i)
		}
		got := newTable(texts)
		for _, text := range append(texts, rapid.SliceOfN(word, 20, 20).Draw(rt, "others")...) {
			place, found := got.find(text)
			if expected, there := want[text]; found != there || found && place != expected {
				rt.Fatalf("%q: %d, %v, want %d, %v", text, place, found, expected, there)
			}
		}
	})
}
