package stalemate_test

import (
	"fmt"

	"brenner/anchor"
	"brenner/stalemate"
)

// A patch that is refused again and again becomes a stalemate with the text and
// the patch as evidence. The mechanical arbiter replays them and says why.
func ExampleArbitrate() {
	was, _ := anchor.Canonical([]byte("one\ntwo\nthree\n"))
	meant, _ := anchor.Canonical([]byte("one\n2\nthree\n"))
	now, _ := anchor.Canonical([]byte("four\nfive\n"))
	patch, _ := anchor.Diff(was, meant, "numbers.txt")
	why := anchor.Explain(patch, now, anchor.Elsewhere{})
	refused := stalemate.Failure{Target: "numbers.txt", Code: why.Code, Actor: stalemate.Tool, At: "2026-01-05T09:00:00Z", Message: why.Message}

	s := stalemate.Automatic([]stalemate.Failure{refused, refused, refused}, now, string(patch.JSON()), why, nil)
	verdict := stalemate.Arbitrate(s)
	fmt.Println(s.State, len(s.Evidence))
	fmt.Println(verdict.Outcome)
	fmt.Println(verdict.RootCause)
	// Output:
	// open 3
	// hypothesis_upheld
	// no_such_text: the text has nothing like it
}
