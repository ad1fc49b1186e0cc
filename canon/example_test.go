package canon_test

import (
	"fmt"

	"brenner/canon"
)

// Two spellings of one value have one canonical text, and so one digest.
func Example() {
	a, _ := canon.Transform([]byte(`{"b": 1.0, "a": "\u00e9"}`))
	b, _ := canon.Transform([]byte(`{ "a":"é","b":1 }`))
	fmt.Println(string(a))
	fmt.Println(canon.Sum(a) == canon.Sum(b))
	// Output:
	// {"a":"é","b":1}
	// true
}
