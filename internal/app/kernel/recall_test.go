package kernel_test

import (
	"testing"
	"time"

	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/policy"
)

// What was read at a position of the journal is not read again there, for a second: what
// no record says, as when tables are made anew, is seen then. Who does not recall sees it at
// once.
func TestRecall_LastsASecond(t *testing.T) {
	s, clock := memory.New(), now
	k := newProjectAt(t, s, func() time.Time { return clock })
	put := func(text string) {
		t.Helper()
		if err := s.Write(t.Context(), func(tx store.Tx) error {
			return notes.Put(t.Context(), tx, 1, noted{ID: "n", Text: text})
		}); err != nil {
			t.Fatal(err)
		}
	}
	read := func(by kernel.Caller) string {
		t.Helper()
		n, err := kernel.View(t.Context(), by, kernel.To(policy.Read, "n"), func(c *kernel.Call) (noted, error) {
			return notes.Find(c.Ctx, c.Reader, "n")
		})
		if err != nil {
			t.Fatal(err)
		}
		return n.Text
	}
	put("one")
	first := read(lead(k).Recalling())
	put("two")
	clock = clock.Add(time.Second)
	second, plain := read(lead(k).Recalling()), read(lead(k))
	clock = clock.Add(time.Microsecond)
	third := read(lead(k).Recalling())
	if first != "one" || second != "one" || plain != "two" || third != "two" {
		t.Errorf("first %q, after a second %q, without recalling %q, later %q", first, second, plain, third)
	}
}
