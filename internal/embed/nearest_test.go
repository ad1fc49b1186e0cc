package embed

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// C21: words near in meaning are those that comparing every word would give, but for a
// quarter of them at most and never the nearest; they come in order, and asking again
// gives the same.
func TestNearest_AgreesWithComparingEveryWord(t *testing.T) {
	m := Builtin()
	for _, word := range []string{"dog", "crash", "enzyme", "wedding", "increase"} {
		row, known := m.row([]byte(word))
		if !known {
			t.Fatalf("%s is not in the vocabulary", word)
		}
		near := m.Nearest(word, 8, 0.4)
		var others []int32
		for r := range m.vocab {
			if r != row {
				others = append(others, int32(r))
			}
		}
		every := m.compared(row, others)
		want := 0
		for want < min(8, len(every)) && every[want].Likeness >= 0.4 {
			want++
		}
		missed := 0
		for _, n := range every[:want] {
			if !slices.Contains(near, n) {
				missed++
			}
		}
		if want == 0 || missed > want/4 || near[0] != every[0] {
			t.Errorf("%s: %d of %d missed: %v, want %v", word, missed, want, near, every[:want])
		}
		if !slices.IsSortedFunc(near, func(a, b NearWord) int { return int(1e6 * (b.Likeness - a.Likeness)) }) || !slices.Equal(near, m.Nearest(word, 8, 0.4)) {
			t.Errorf("%s: %v", word, near)
		}
	}
	if got := m.Nearest("xqzzy", 8, 0.4); len(got) != 0 {
		t.Errorf("a word that the model does not know is near to %v", got)
	}
}

// Signs are compared alike however many a row has.
func TestNearness_DistancesAreOfSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for width := range 7 {
		n := nearness{width: width, norms: make([]float32, 20), signs: make([]uint64, 20*width)}
		for i := range n.signs {
			n.signs[i] = r.Uint64()
		}
		distances := make([]uint16, 20)
		n.distances(distances, 3)
		for row, got := range distances {
			want := 0
			for i := range 64 * width {
				if n.signs[row*width+i/64]>>(i%64)&1 != n.signs[3*width+i/64]>>(i%64)&1 {
					want++
				}
			}
			if int(got) != want {
				t.Errorf("of %d numbers, row %d differs in %d, not in %d", width, row, want, got)
			}
		}
	}
}

// Products of packed rows are those of their components one by one, whatever their length
// and however large they are.
func TestPacked_TimesIsTheInnerProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	extremes := []byte{0x80, 0x7f, 0, 0xff}
	for _, length := range []int{0, 1, 7, 8, 9, 256, 4096} {
		for try := range 40 {
			own, their := make([]byte, length), make([]byte, length)
			want := 0
			for i := range own {
				own[i], their[i] = byte(r.Uint32()), byte(r.Uint32())
				if try < 16 { // all alike
					own[i], their[i] = extremes[try/4], extremes[try%4]
				}
				want += int(int8(own[i])) * int(int8(their[i]))
			}
			if got := pack(string(own)).times(string(their)); got != want {
				t.Fatalf("%d components: %d, want %d", length, got, want)
			}
		}
	}
}
