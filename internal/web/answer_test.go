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

// Who opens a session reads its answer before who was asked, in its own lines and with
// who stands behind it.
func TestSession_BeginsWithTheAnswer(t *testing.T) {
	w := newDemo(t)
	b := w.login()
	_, _, page := b.get("/sessions/RS-larr")
	if strings.Contains(page, `id="answer"`) {
		t.Fatal("the demo's session has an answer before anybody gave one")
	}
	b.submit("/sessions/RS-larr", url.Values{"act": {"submit"}, "from": {"BlueLake"}, "text": {"```delta\n" +
		`{"operation":"EDIT","target_id":"RT","section":"research_thread","payload":{"answer":"Respiration & rot (H1, H99).\nNot the weir."},"rationale":"as measured"}` + "\n```\n"}})
	b.submit("/sessions/RS-larr", url.Values{"act": {"compile"}})
	_, _, page = b.get("/sessions/RS-larr")
	before, after, found := strings.Cut(page, `<h2 id="who">`)
	if !found || !strings.Contains(before, "<p class=\"prose lines\">Respiration &amp; rot (<a href=\"#H1\">H1</a>, H99).\nNot the weir.</p>") || !strings.Contains(before, "<span>by BlueLake</span> <span>signed by nobody else</span>") {
		t.Errorf("the page does not begin with the answer:\n%s", before)
	}
	if !strings.Contains(after, "Not the weir.") {
		t.Error("the research thread lacks the answer")
	}
}
