package web_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// widths are those of a desk, a small screen and a phone.
var widths = []int64{1440, 1024, 390}

// maxHeight is how tall a page of the demo may be.
const maxHeight = 6000

// squeezed lists the blocks whose text has room for fewer than 20 characters a
// line, although there is more of it than that. The cells of a table and what
// is drawn may be narrow: their words are labels and numbers.
const squeezed = `(() => {
  const faults = [], canvas = document.createElement("canvas").getContext("2d");
  for (const e of document.querySelectorAll("main p, main li, main dd, main h1, main h2, main h3, main td.words, main pre, main legend, main summary")) {
    const text = e.innerText ? e.innerText.trim() : "";
    if (text.length <= 20 || !e.checkVisibility() || e.closest("svg") || e.closest(".meta, .counts, .actions, .timeline") || getComputedStyle(e).display.includes("flex")) continue;
    const style = getComputedStyle(e);
    canvas.font = style.font;
    const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const letter = canvas.measureText("abcdefghij klmnopqrst").width / 21;
    if (room > 0 && room / letter < 20) faults.push(Math.floor(room / letter) + " characters a line: " + e.outerHTML.slice(0, 100));
  }
  return faults;
})()`

// laidOut checks the page that is open at every width: nothing is wider than
// the screen, no text is squeezed and, of a page of the demo, nothing endless.
func (b *tab) laidOut(path string) {
	b.Helper()
	for _, width := range widths {
		b.do(chromedp.EmulateViewport(width, 900))
		if wide := get(b, chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); wide > 0 {
			b.Errorf("%s at %d: %d pixels wider than the screen", path, width, wide)
		}
		if high := get(b, chromedp.Evaluate[int](`document.documentElement.scrollHeight`)); high > maxHeight {
			b.Errorf("%s at %d: %d pixels high", path, width, high)
		}
		for _, fault := range get(b, chromedp.Evaluate[[]string](squeezed)) {
			b.Errorf("%s at %d: %s", path, width, fault)
		}
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// axe is the accessibility checker, version 4.14.0; see testdata/axe.
var axe = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile("testdata/axe/axe.min.js")
	return string(source), err
})

// violations runs axe over the page that is open, with all the rules it has for
// WCAG and its best practices, and says what it finds.
func (b *tab) violations(options string) []string {
	b.Helper()
	source, err := axe()
	if err != nil {
		b.Fatal(err)
	}
	b.do(script(fmt.Sprintf(`if (!window.axe) { %s }`, source)))
	return get(b, chromedp.Evaluate[[]string](`axe.run(document, { resultTypes: ["violations"]`+options+` }).then(r =>
		r.violations.flatMap(v => v.nodes.map(n => v.id + " (" + v.impact + "): " + n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message)))`, chromedp.EvalAwaitPromise))
}

// everyRule lets axe run all it has; byLook only the rules whose answer depends
// on width and colours.
const (
	everyRule = ``
	byLook    = `, runOnly: ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"]`
)

// isAccessible asserts that axe finds nothing, at a desk by day and on a phone
// by night.
func (b *tab) isAccessible(path string) {
	b.Helper()
	for _, look := range []struct {
		width int64
		theme string
		rules string
	}{{1440, "light", everyRule}, {390, "dark", byLook}} {
		b.do(chromedp.EmulateViewport(look.width, 900), setTheme(look.theme))
		for _, fault := range b.violations(look.rules) {
			b.Errorf("%s at %d, %s: %s", path, look.width, look.theme, fault)
		}
	}
	b.do(chromedp.EmulateViewport(1280, 900), setTheme("light"))
}

// A page that squeezes its text, or is wider than the screen, is found out: the
// checks above are not checks that pass on everything.
func TestBrowser_TheChecksFindWhatIsBad(t *testing.T) {
	w := newWorld(t)
	b := w.openBrowser(t)
	b.do(script(`{ const p = document.createElement("p"); p.textContent = "words that have no room at all"; p.style.width = "60px"; document.querySelector("main").append(p);
	  const i = document.createElement("input"); document.querySelector("main").append(i); }`))
	if found := get(b, chromedp.Evaluate[[]string](squeezed)); len(found) != 1 {
		t.Errorf("squeezed text: %q", found)
	}
	if found := b.violations(everyRule); len(found) == 0 {
		t.Error("axe finds nothing wrong with a field without a label")
	}
}
