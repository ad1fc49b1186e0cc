package playbook_test

import (
	"fmt"

	"brenner/playbook"
)

// A batch of insights may come as Markdown: what to do, what to avoid, facts.
func ExampleParse() {
	insights, err := playbook.Parse([]byte("## helpful\n- Count the cells before and after thawing\n"), playbook.FormatAuto)
	for _, i := range insights {
		fmt.Println(i.Section, i.Content, i.Confidence)
	}
	fmt.Println(err)
	// Output:
	// helpful Count the cells before and after thawing 0.7
	// <nil>
}
