package fulltext

import "testing"

// A search that began before the index was made anew reads numbers that mean
// something else now: it must neither find nor leave anything in the memory of
// the newer.
func TestIndex_GenerationsShareNoMemory(t *testing.T) {
	var x Index
	old := x.of(1)
	old.remember(Page{1, 0}, []byte("old"))
	if x.of(1) != old {
		t.Fatal("the same generation has two memories")
	}
	now := x.of(2)
	if _, known := now.pages[Page{1, 0}]; known {
		t.Error("a page of the last generation is known in this one")
	}
	late := x.of(1)
	late.remember(Page{1, 1}, []byte("late"))
	if x.of(2) != now || len(now.pages) != 0 {
		t.Error("an older reader took or changed the memory of the newer")
	}
}
