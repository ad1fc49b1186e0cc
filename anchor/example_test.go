package anchor_test

import (
	"fmt"

	"brenner"
	"brenner/anchor"
)

// A patch finds its place by what stands there, not by line numbers, and is
// bound to the text it was made for.
func Example() {
	base, _ := anchor.Canonical([]byte("one\ntwo\nthree\n"))
	changed, _ := anchor.Canonical([]byte("one\n2\nthree\n"))
	patch, err := anchor.Diff(base, changed, "numbers.txt")
	if err != nil {
		panic(err)
	}
	res, err := anchor.Apply(patch, base)
	fmt.Println(res.Outcome, res.Text.String() == changed.String(), err)

	moved, _ := anchor.Canonical([]byte("zero\none\ntwo\nthree\n"))
	_, err = anchor.Apply(patch, moved)
	fmt.Println(brenner.CodeOf(err))

	rebased, err := anchor.Rebase(patch, moved, &base)
	if err != nil {
		panic(err)
	}
	res, _ = anchor.Apply(rebased.Patch, moved)
	fmt.Print(res.Text)
	// Output:
	// applied true <nil>
	// BASE_MISMATCH
	// zero
	// one
	// 2
	// three
}
