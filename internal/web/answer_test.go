package web_test

import (
	"net/url"
	"strings"
	"testing"
)

// D26: the page of a session has what is said against its answer below the thread.
func TestSession_ShowsWhatIsSaidAgainstTheAnswer(t *testing.T) {
	w := newDemo(t)
	b := w.login()
	const block = "```delta\n"
	b.submit("/sessions/RS-larr", url.Values{"act": {"submit"}, "from": {"GreenValley"}, "text": {block +
		`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"One night only","attack":"one night was measured","targets":["RT"]}}` + "\n```\n"}})
	b.submit("/sessions/RS-larr", url.Values{"act": {"compile"}})
	_, _, page := b.get("/sessions/RS-larr")
	thread, rest, _ := strings.Cut(page, "<h3>Hypothesis Slate</h3>")
	if !strings.Contains(thread, "against RT, by GreenValley: One night only</li>") || strings.Contains(rest, "against RT") {
		t.Errorf("what is said against the answer does not stand below the thread:\n%s", page)
	}
}
