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

// layout is what is measured of a page at one width.
type layout struct {
	Wide     int      `json:"wide"` // how much wider than the screen
	High     int      `json:"high"`
	Squeezed []string `json:"squeezed"`
	Shift    float64  `json:"shift"`
}

// measure measures it. What jumps is added up in parts of the screen from when
// the page was opened: a browser that draws a table before it has all of it may
// move a column by a hair; a person sees a jump from a twentieth on.
const measure = `new Promise(done => {
  let shift = 0;
  new PerformanceObserver(list => { for (const e of list.getEntries()) shift += e.value; }).observe({ type: "layout-shift", buffered: true });
  const page = document.documentElement;
  requestAnimationFrame(() => setTimeout(() => done({ wide: page.scrollWidth - page.clientWidth, high: page.scrollHeight, squeezed: ` + squeezed + `, shift })));
})`

// examine looks at the page that is open at every width: nothing is wider than
// the screen, no text is squeezed, nothing is endless and nothing jumps; the
// console says nothing; it is readable for everybody. A page that is seen for
// the first time is looked at by night too, and by axe: on a phone, where most
// can be wrong, and with BRENNER_SOAK=1 at a desk as well.
func (b *tab) examine(path string, thorough bool) {
	b.Helper()
	for i, width := range widths {
		if i > 0 { // it was opened at the first
			b.do(chromedp.EmulateViewport(width, 900))
		}
		found := get(b, chromedp.Evaluate[layout](measure, chromedp.EvalAwaitPromise))
		if found.Wide > 0 {
			b.Errorf("%s at %d: %d pixels wider than the screen", path, width, found.Wide)
		}
		if found.High > maxHeight {
			b.Errorf("%s at %d: %d pixels high", path, width, found.High)
		}
		for _, fault := range found.Squeezed {
			b.Errorf("%s at %d: %s", path, width, fault)
		}
		if i > 0 { // changing the width moves everything
			continue
		}
		if found.Shift > 0.05 {
			b.Errorf("%s: what is shown jumps by %g", path, found.Shift)
		}
		b.isReadable(path, "light")
		if thorough {
			b.do(setTheme("dark"))
			b.isReadable(path, "dark")
			b.do(setTheme("light"))
		}
		if soak {
			b.isAccessible(path)
		}
	}
	if thorough {
		b.isAccessible(path + " on a phone")
	}
	b.do(chromedp.EmulateViewport(widths[0], 900))
	b.quiet(path)
}

func (b *tab) isReadable(path, theme string) {
	b.Helper()
	for _, fault := range b.inaccessible() {
		b.Errorf("%s, %s: %s", path, theme, fault)
	}
}

// axe is the accessibility checker, version 4.14.0; see testdata/axe.
var axe = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile("testdata/axe/axe.min.js")
	return string(source), err
})

// violations runs axe over the page that is open, with all the rules it has for
// WCAG and its best practices, and says what it finds.
func (b *tab) violations() []string {
	b.Helper()
	source, err := axe()
	if err != nil {
		b.Fatal(err)
	}
	b.do(script(fmt.Sprintf(`if (!window.axe) { %s }`, source)))
	return get(b, chromedp.Evaluate[[]string](`axe.run(document, { preload: false, rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }).then(r =>
		r.violations.flatMap(v => v.nodes.map(n => v.id + " (" + v.impact + "): " + n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message)))`, chromedp.EvalAwaitPromise))
}

// isAccessible asserts that axe finds nothing.
func (b *tab) isAccessible(path string) {
	b.Helper()
	for _, fault := range b.violations() {
		b.Errorf("%s: %s", path, fault)
	}
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
	if found := b.violations(); len(found) == 0 {
		t.Error("axe finds nothing wrong with a field without a label")
	}
}
