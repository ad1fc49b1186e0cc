package claim_test

import (
	"fmt"

	"brenner/claim"
)

func Example() {
	for _, pair := range [][2]string{
		{"Tokens expire after 7,200 s.", "Tokens expire after 120 min."},
		{"Retry at least 3 times.", "Retry at most 3 times."},
		{"All requests are logged.", "Only some requests are logged."},
	} {
		c := claim.Compare(claim.Read(pair[0]), claim.Read(pair[1]), nil)
		fmt.Println(c.Verdict)
	}
	a, _ := claim.ParseQuantity("at least 8 h")
	b, _ := claim.ParseQuantity("60 min")
	fmt.Println(a.Compare(b) == claim.Exclusive)
	// Output:
	// same
	// apart
	// opposed
	// true
}
