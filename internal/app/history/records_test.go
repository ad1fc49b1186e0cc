package history

import (
	"slices"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
)

// A search goes over the whole journal, or what is asked for of it, once,
// whatever the direction and however many stretches it takes.
func TestStretch_CoversTheJournalOnce(t *testing.T) {
	const most = brenner.MaxRecordsSearched
	for _, size := range []int64{0, 1, most - 1, most, most + 1, 3*most + 7} {
		for _, asked := range []api.RecordsRequest{
			{Kind: "k"},
			{Text: "x", Newest: true},
			{Actor: "ada", After: 5, Before: 2*most + 3},
			{About: "a", After: 5, Before: 2*most + 3, Newest: true},
			{Kind: "k", After: 4 * most},
		} {
			c, req := &kernel.Call{Position: size}, asked
			var seen []int64
			for more := true; more; {
				var first, last int64
				if first, last, more = stretch(c, req); last-first >= most {
					t.Fatalf("size %d, %+v: %d–%d at once", size, req, first, last)
				}
				for seq := first; seq <= last; seq++ {
					seen = append(seen, seq)
				}
				if req.Newest {
					req.Before = first
				} else {
					req.After = last
				}
			}
			var want []int64
			for seq := asked.After + 1; seq <= size && (asked.Before == 0 || seq < asked.Before); seq++ {
				want = append(want, seq)
			}
			if slices.Sort(seen); !slices.Equal(seen, want) {
				t.Errorf("size %d, %+v: looked at %d records, want %d", size, asked, len(seen), len(want))
			}
		}
	}
	if _, last, more := stretch(&kernel.Call{Position: 9 * most}, api.RecordsRequest{}); more || last != 9*most {
		t.Error("a listing that searches for nothing is cut")
	}
}
