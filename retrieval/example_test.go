package retrieval_test

import (
	"fmt"

	"brenner/retrieval"
)

// Words are compared by their stems.
func ExampleWords() {
	fmt.Println(retrieval.Words("Cells divided; dividing cells (DNA, pH 7)"))
	// Output:
	// [cell divid divid cell dna ph 7]
}
