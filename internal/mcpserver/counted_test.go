package mcpserver_test

import (
	"fmt"
	"testing"
)

// X11: of notes, and of those who are at an item, no more are shown than some, and how many
// there are besides is said.
func TestLists_SayWhatTheyLeaveOut(t *testing.T) {
	_, blue, red := pair(t)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "", "the disk is slow")})
	for i := range 9 {
		if i == 5 {
			red.call("context_assemble", arguments{"session": "RS-pair"})
		}
		red.call("request", arguments{"session": "RS-pair", "note": true, "items": []any{"H1"}, "title": fmt.Sprintf("remark %d", i)})
	}
	words := red.callFor("session_show", arguments{"session": "RS-pair", "again": true})
	red.must(words, "remark 8", "remark 3", "and 3 more notes, which are older\n")
	red.mustNot(words, "remark 2")
	for i := range 5 {
		blue.call("request", arguments{"session": "RS-pair", "claim": true, "items": []any{"H1"}, "title": fmt.Sprintf("I measure %d", i)})
	}
	words = red.callFor("session_show", arguments{"session": "RS-pair", "again": true})
	red.must(words, "BlueLake is at this", "\nand 2 more\n")
}
