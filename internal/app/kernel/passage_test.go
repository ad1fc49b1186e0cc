package kernel

import (
	"strings"
	"testing"

	"brenner"
)

// C34: an answer takes no more than can be sent, by bytes, by price and by
// number, and goes on where it ended; what it does not show is not charged.
func TestChoose_TakesWhatCanBeSent(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		price int // of a byte
		own   bool
	}{
		"long": {text: strings.Repeat("x", brenner.MaxPassageBytes), price: 1}, "dear": {text: strings.Repeat("x", 1000), price: 3},
		"short": {text: "x", price: 1}, "own": {text: strings.Repeat("x", 100), own: true},
	} {
		through := &Through{
			Left: 1 << 30, Given: func(brenner.Digest) bool { return false }, Whole: func(brenner.Ref) bool { return false },
			Measure: func(text []byte) int { return c.price * len(text) },
		}
		all := make([]Passage, 500)
		for i := range all {
			all[i] = Passage{Text: c.text, Own: c.own}
		}
		seen, from := 0, 0
		for from < len(all) {
			shown, reading := through.choose(all, Ask{From: from})
			n := len(shown.Now)
			if n == 0 || n > brenner.MaxPassages || n*len(c.text) > brenner.PassagePageBytes || n*len(c.text)*c.price > brenner.PassagePageTokens {
				t.Fatalf("%s: %d at once", name, n)
			}
			if !c.own && reading.Price != n*len(c.text)*c.price || c.own && reading.Price != 0 || shown.Full {
				t.Errorf("%s: %d cost %d", name, n, reading.Price)
			}
			if seen += n; len(shown.Rest) == 0 {
				break
			}
			from = shown.Rest[0]
		}
		if seen != len(all) {
			t.Errorf("%s: %d were shown", name, seen)
		}
	}
}

// C34: an answer that has room for less takes less; the first passage comes in any case, so
// that reading on comes to an end.
func TestChoose_TakesNoMoreThanThereIsRoomFor(t *testing.T) {
	through := &Through{
		Left: 1 << 30, Given: func(brenner.Digest) bool { return false }, Whole: func(brenner.Ref) bool { return false },
		Measure: func(text []byte) int { return 1 },
	}
	long, short := Passage{Text: strings.Repeat("x", brenner.MaxThreadBytes)}, Passage{Text: strings.Repeat("y", 1000)}
	all := []Passage{short, short, short, long, short}
	for from, want := range map[int]int{0: 2, 2: 1, 3: 1, 4: 1} {
		if shown, _ := through.choose(all, Ask{From: from, Size: 2500}); len(shown.Now) != want {
			t.Errorf("from %d on %d are shown, not %d", from, len(shown.Now), want)
		}
	}
	if shown, _ := through.choose(all, Ask{}); len(shown.Now) != len(all) {
		t.Errorf("without a size %d are shown", len(shown.Now))
	}
}
