package anchor

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// X9: making a patch ends soon after nobody waits for it, wherever it is, and
// gives the same as ever while somebody does.
func TestDiffUntil_GivesUpWhereverItIs(t *testing.T) {
	var before, after strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&before, "%d\n", i)
		fmt.Fprintf(&after, "%d\n", i+i%9/8)
	}
	a, b := text(before.String()), text(after.String())
	for most := 1; ; most *= 2 {
		looks := 0
		p, whole, err := DiffUntil(func() bool { looks++; return looks >= most }, a, b, "n")
		if err != nil || whole != (looks < most) {
			t.Fatalf("after %d looks of %d: %v, %v", looks, most, whole, err)
		}
		if !whole {
			continue
		}
		if looks < 5 {
			t.Errorf("only %d looks at 40,000 lines", looks)
		}
		if want, err := Diff(a, b, "n"); err != nil || !reflect.DeepEqual(p, want) {
			t.Errorf("it is not what Diff gives: %v", err)
		}
		return
	}
}
