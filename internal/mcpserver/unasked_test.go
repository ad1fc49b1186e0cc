package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/api"
)

// left is what a player's context has left for what it asks to read.
func (p *player) left() int {
	p.t.Helper()
	_, data := p.call("session_show", arguments{"session": "RS-pair"})
	n, _ := data["left"].(float64)
	return int(n)
}

// C20, C34: what comes with an answer to something else takes nothing from what its reader
// may ask to read, up to a bound; what it asks for does.
func TestNews_TakeNothingFromWhatIsLeft(t *testing.T) {
	s, blue, red := pair(t)
	blue.call("session_show", arguments{"session": "RS-pair"})
	before := blue.left()
	if again := blue.left(); again != before {
		t.Fatalf("to ask what is left costs %d", before-again)
	}
	long := func(i int) string {
		return assumption(fmt.Sprintf("Disk %d", i), fmt.Sprintf("%d of it: ", i)+strings.Repeat("slow ", 1500))
	}
	red.submits(long(0))
	blue.must(first(blue.call("inbox", nil)), "0 of it: slow slow")
	red.call("artifact_write", analysis("disk", nil))
	blue.must(first(blue.call("inbox", nil)), "written (data): disk@1")
	if after := blue.left(); after != before {
		t.Errorf("%d was left before the news, %d afterwards", before, after)
	}
	blue.call("artifact_get", arguments{"ref": "disk"})
	read := blue.left()
	if read >= before {
		t.Errorf("%d was left before reading, %d afterwards", before, read)
	}

	// Together they are bounded.
	for i := range 16 {
		red.submits(long(i + 1))
		blue.must(first(blue.call("inbox", nil)), fmt.Sprintf("%d of it: slow slow", i+1))
	}
	if after := blue.left(); after >= read {
		t.Errorf("%d is left after all that", after)
	}
	list, err := s.pi.Invocations(t.Context(), api.ListInvocationsRequest{Agent: "BlueLake"})
	s.do(list, err)
	info, err := s.pi.Invocation(t.Context(), api.InvocationRequest{ID: list.Invocations[0].ID})
	s.do(info, err)
	told := 0
	for _, l := range info.Later {
		told += l.Tokens
	}
	if told < 17*1500 {
		t.Errorf("%d tokens are recorded as read", told)
	}
}
