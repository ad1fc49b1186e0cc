package web_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/web"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chromium finds a browser. Without one the test is skipped by name; in CI
// nothing may be skipped.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Chromium: in CI nothing may be skipped")
	}
	t.Skip("skipped: needs Chromium; scripts/test installs it")
	return ""
}

// tab is a page in a real browser, and what its console said.
type tab struct {
	*world
	ctx context.Context

	// driven are the forms that were sent, shown the pages that were opened.
	driven map[web.Form]bool
	shown  map[string]bool

	mu       sync.Mutex
	troubles []string
}

// theBrowser is one for all tests; each has a profile of its own in it, as a
// browser of its own would. TestMain closes it.
var theBrowser struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

// startBrowser starts it.
func startBrowser(path string) {
	alloc, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path),
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-extensions", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
	)
	ctx, cancel := chromedp.NewContext(alloc)
	theBrowser.ctx, theBrowser.close = ctx, func() { cancel(); stop() }
	// The browser lives as long as the context of the first call.
	theBrowser.err = chromedp.Do(ctx, chromedp.Navigate("about:blank"))
}

// openBrowser opens a page in a profile of its own, logged in.
func (w *world) openBrowser(t *testing.T) *tab {
	t.Helper()
	path := chromium(t)
	if theBrowser.once.Do(func() { startBrowser(path) }); theBrowser.err != nil {
		t.Fatal(theBrowser.err)
	}
	ctx, cancel := chromedp.NewContext(theBrowser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{world: w, ctx: ctx, driven: map[web.Form]bool{}, shown: map[string]bool{}}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(widths[0], 900)); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go b.listen(messages)
	b.do(chromedp.Navigate(w.address+w.server.LoginPath()), chromedp.WaitReady(chromedp.CSS("main h1")))
	return b
}

// listen keeps whatever the console complains about.
func (b *tab) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.IsException() || m.Type == "error" || m.Type == "warning" {
			b.mu.Lock()
			b.troubles = append(b.troubles, m.String()+" "+m.URL)
			b.mu.Unlock()
		}
	}
}

// quiet asserts that the console said nothing since it was asked last.
func (b *tab) quiet(where string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.troubles {
		b.Errorf("%s: the console says: %s", where, text)
	}
	b.troubles = nil
}

// calm forgets what the console said: a refusal has an HTTP status of its own,
// which the console notes.
func (b *tab) calm() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = nil
}

// do runs actions, and gives up after a while: a page that does not come is a
// failure, not a hanging test.
func (b *tab) do(steps ...step) {
	b.Helper()
	get(b, chromedp.Steps(steps...))
}

// step is an action that gives nothing back.
type step = chromedp.Action[chromedp.Void]

// get runs an action and gives what it found.
func get[T any](b *tab, action chromedp.Action[T]) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	found, err := chromedp.Run(ctx, action)
	if err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Location())
		body, _ := chromedp.Run(b.ctx, chromedp.Text("body"))
		b.Fatalf("%s: %v\n%s", where, err, body)
	}
	return found
}

// script runs a piece of JavaScript for what it does.
func script(text string) step { return chromedp.Evaluate[chromedp.Void](text) }

// until waits for an expression to be true, on this page or the one that comes.
func until(condition string) step {
	look := chromedp.Evaluate[bool](condition)
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for {
			if is, err := look(ctx, t); err == nil && is {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s: %w", condition, ctx.Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
}

func (b *tab) open(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.address+path), chromedp.WaitReady(chromedp.CSS("main h1")))
	b.shown[web.PageAt(b.path())] = true
}

// path is where the browser is.
func (b *tab) path() string {
	b.Helper()
	return get(b, chromedp.Evaluate[string](`location.pathname`))
}

// enter puts a text into a field as a paste does.
func enter(field, text string) step {
	return script(fmt.Sprintf(`{ const e = document.querySelector(%q); e.focus(); e.value = %q; e.dispatchEvent(new Event("input", { bubbles: true })); }`, field, text))
}

// follow clicks and waits for the page that comes.
func (b *tab) follow(css string) {
	b.Helper()
	b.do(script(`window.before = true`), chromedp.Click(chromedp.CSS(css)), until(`!window.before && document.readyState === "complete"`))
}

// text is what a person reads on the page.
func (b *tab) text() string {
	b.Helper()
	return get(b, chromedp.Evaluate[string](`document.querySelector("main").innerText`))
}

func (b *tab) reads(want ...string) {
	b.Helper()
	body := b.text()
	for _, text := range want {
		if !strings.Contains(body, text) {
			b.Errorf("the page does not say %q:\n%s", text, body)
		}
	}
}

// waits until the page says something, without a reload.
func (b *tab) waits(text string) {
	b.Helper()
	b.do(until(fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", text)))
}

// fill opens the form of an act, types into its fields and sends it. A field
// is "name=value"; a value in brackets chooses a box of that name.
func (b *tab) fill(act string, fields ...string) {
	b.Helper()
	b.fillIn(fmt.Sprintf(`form:has([name="act"][value="%s"])`, act), act, fields...)
}

// fillIn fills the first form that a selector finds.
func (b *tab) fillIn(form, act string, fields ...string) {
	b.Helper()
	b.do(script(fmt.Sprintf(`{ const d = document.querySelector(%q).closest("details"); if (d) d.open = true; }`, form)))
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		field := fmt.Sprintf(`%s [name="%s"]`, form, name)
		if strings.HasPrefix(value, "[") {
			if value != "[checked]" {
				field += fmt.Sprintf(`[value="%s"]`, strings.Trim(value, "[]"))
			}
			b.do(chromedp.Click(chromedp.CSS(field)))
			continue
		}
		if get(b, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%q).tagName`, field))) == "SELECT" {
			b.do(script(fmt.Sprintf(`document.querySelector(%q).value = %q`, field, value)))
			continue
		}
		b.do(enter(field, value))
	}
	to := get(b, chromedp.Evaluate[string](fmt.Sprintf(`new URL(document.querySelector(%q).action).pathname`, form)))
	b.driven[web.Form{Page: web.PageAt(to), Act: act}] = true
	button := form + ` button`
	if get(b, chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector(%q) !== null`, form+` button[name="act"]`))) {
		button = fmt.Sprintf(`%s button[value="%s"]`, form, act)
	}
	b.follow(button)
}

var unsafeName = regexp.MustCompile(`[^a-z0-9]+`)

// shoot writes pictures of the page for review, at two widths and in both
// themes, into the directory that BRENNER_SCREENSHOTS names.
func (b *tab) shoot(name string) {
	b.Helper()
	dir := os.Getenv("BRENNER_SCREENSHOTS")
	if dir == "" {
		return
	}
	name = strings.Trim(unsafeName.ReplaceAllString(strings.ToLower(name), "-"), "-")
	for _, width := range []int64{390, 1280} {
		for _, theme := range []string{"light", "dark"} {
			b.do(chromedp.EmulateViewport(width, 900), setTheme(theme))
			png := get(b, chromedp.FullScreenshot(100))
			file := filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, theme))
			if err := os.WriteFile(file, png, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.do(chromedp.EmulateViewport(widths[0], 900), setTheme("light"))
}

func setTheme(theme string) step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
}

// soak looks at every address with every check.
var soak = os.Getenv("BRENNER_SOAK") != ""

// Every page, as a person sees it: no complaint in the console, nothing wider
// than the screen, no text squeezed, and readable for everybody in both themes.
// axe looks at one address of every page, with BRENNER_SOAK=1 at all of them.
func TestBrowser_EveryPageIsSoundAndAccessible(t *testing.T) {
	w := newDemo(t)
	pages := append(addresses(w.tellMore()), "/runs/"+w.startRun("biology"))
	b := w.openBrowser(t)
	for _, path := range pages {
		first := !b.shown[web.PageAt(strings.SplitN(path, "?", 2)[0])]
		b.open(path)
		b.examine(path, first || soak)
		b.shoot("page" + path)
	}
	for _, page := range web.Pages() {
		if !b.shown[page] {
			t.Errorf("no test opens %s", page)
		}
	}
}

// A fresh project: every board is sound when there is nothing to show, and so
// are the pages that say what went wrong.
func TestBrowser_EmptyPagesAreSoundAndAccessible(t *testing.T) {
	w := newWorld(t)
	b := w.openBrowser(t)
	for path := range nextSteps {
		b.open(path)
		b.examine(path, true)
		b.shoot("empty" + path)
	}
	for _, path := range []string{"/nothing", "/artifacts/none"} {
		b.open(path)
		b.calm() // the console notes that it is not there
		b.examine(path, false)
		b.reads("NOT_FOUND", "Go to the inbox")
		b.shoot("error" + path)
	}
}

// Hostile text is shown as text and does nothing.
func TestBrowser_HostileTextStaysText(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.openBrowser(t)
	for _, path := range []string{"/artifacts/hostile", "/artifacts?q=tracker", "/lineage/hostile", "/contexts/preview?agent=GreyStone&question=click+me+tracker&module=biology"} {
		b.open(path)
		title := get(b, chromedp.Title())
		strange := get(b, chromedp.Evaluate[int](`document.querySelectorAll("main script, main img, main iframe, main [onerror], main [onload], main a[href^='javascript'], main a[href^='data']").length`))
		if title == "owned" || strange != 0 {
			t.Errorf("%s: title %q, %d strange elements", path, title, strange)
		}
		b.quiet(path)
	}
	b.open("/artifacts/hostile")
	b.reads("A note <script>alert('summary')</script>", "click me", "tracker")
}

// Two browsers: a decision in one appears in the other without a reload, and
// does not disturb somebody who is typing.
func TestBrowser_ADecisionAppearsInAnotherBrowser(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	one, two := w.openBrowser(t), w.openBrowser(t)
	one.open("/artifacts/oxygen-log@3")
	two.open("/artifacts/oxygen-log@3")
	two.do(script(`window.same = true`))
	one.fill("demote", "reason=the clock was right after all")
	two.waits("the clock was right after all")
	if !get(two, chromedp.Evaluate[bool](`window.same === true`)) {
		t.Error("the page was reloaded")
	}
	two.do(script(`document.querySelector("#promote").open = true`), chromedp.SendKeys(chromedp.CSS(`#promote textarea`), "half a sentence"))
	one.fill("promote", "reason=no, it was not")
	two.do(until(`document.getElementById("live").textContent.includes("Reload when you are done")`))
	if typed := get(two, chromedp.Value(chromedp.CSS(`#promote textarea`))); typed != "half a sentence" {
		t.Errorf("what was typed is now %q", typed)
	}
	one.quiet("one")
	two.quiet("two")
}

// A keyboard is enough: the first stop is a way past the navigation, and the
// focus can be seen.
func TestBrowser_AKeyboardIsEnough(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.openBrowser(t)
	for _, path := range []string{"/artifacts/oxygen-log@3", "/lineage/memo-biology@4"} {
		b.open(path)
		b.do(chromedp.KeyEvent("\t"))
		if first := get(b, chromedp.Evaluate[string](`document.activeElement.textContent`)); first != "Skip to the content" && first != "Skip to the list" {
			t.Errorf("%s: the first stop is %q", path, first)
		}
		// Every control of the page comes in turn, and shows that it has the focus.
		const controls = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter(e => e.checkVisibility()).length`
		want := get(b, chromedp.Evaluate[int](controls))
		for stop := 2; stop <= want; stop++ {
			b.do(chromedp.KeyEvent("\t"))
			if fault := get(b, chromedp.Evaluate[string](focus)); fault != "" {
				t.Fatalf("%s, stop %d of %d: %s", path, stop, want, fault)
			}
		}
	}
}

// focus says what is wrong with where the focus is.
const focus = `(() => {
  const e = document.activeElement;
  if (e === document.body) return "the focus is nowhere";
  if (e.seen) return "the focus was here before: " + e.outerHTML.slice(0, 120);
  e.seen = true;
  return getComputedStyle(e).outlineStyle === "none" ? "the focus cannot be seen: " + e.outerHTML.slice(0, 120) : "";
})()`

// From the top of a list it is two stops to its first row: the skip link, then
// the row. j and k move on, Enter opens, e goes to the decision.
func TestBrowser_AListIsNearForAKeyboard(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.openBrowser(t)
	for _, path := range []string{"/artifacts", "/tasks?state=done", "/sessions", "/stalemates", "/runs", "/agents", "/stale"} {
		b.open(path)
		b.do(chromedp.KeyEvent("\t"))
		b.do(chromedp.KeyEvent("\r"), chromedp.KeyEvent("\t"))
		if in := get(b, chromedp.Evaluate[bool](`document.activeElement.closest("tbody tr") === document.querySelector("tbody tr")`)); !in {
			t.Errorf("%s: the first row is not the second stop, but %s", path, get(b, chromedp.Evaluate[string](`document.activeElement.outerHTML.slice(0, 100)`)))
		}
	}
	b.open("/artifacts")
	b.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"))
	want := get(b, chromedp.Evaluate[string](`document.querySelectorAll("tbody tr")[1].dataset.href`))
	b.do(script(`window.before = true`), chromedp.KeyEvent("\r"), until(`!window.before && document.readyState === "complete"`))
	if at := b.path(); at != want {
		t.Errorf("Enter led to %s, not to %s", at, want)
	}
	b.open("/artifacts")
	b.do(chromedp.KeyEvent("j"), script(`window.before = true`), chromedp.KeyEvent("e"), until(`!window.before && location.hash === "#decide"`))

	// A click anywhere on a row opens it.
	b.open("/artifacts")
	b.follow(`tbody tr:first-child td:last-child`)
	if at := b.path(); at != get(b, chromedp.Evaluate[string](`location.pathname`)) || !strings.HasPrefix(at, "/artifacts/") {
		t.Errorf("a click on a row led to %s", at)
	}
	b.quiet("keys")
}

// What has a name is found as one types, from any page.
func TestBrowser_FindsAsOneTypes(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.openBrowser(t)
	for words, want := range map[string]string{
		"oxygen-log": "/artifacts/oxygen-log", "takes the oxygen": "/sessions/RS-larr", "results section": "/tasks/",
		"clock of every": "/playbook/field-work.1", "greystone": "/agents/GreyStone", "stalem": "/stalemates",
	} {
		b.open("/journal")
		b.do(chromedp.KeyEvent("/"))
		if at := get(b, chromedp.Evaluate[string](`document.activeElement.id`)); at != "find" {
			t.Fatalf("/ leads to %q", at)
		}
		b.do(script(`document.activeElement.value = ""`), chromedp.SendKeys(chromedp.CSS("#find"), words),
			until(fmt.Sprintf(`[...document.querySelectorAll(".found a")].some(a => a.getAttribute("href").startsWith(%q))`, want)))
		for get(b, chromedp.Evaluate[bool](fmt.Sprintf(`!(document.querySelector(".found li.at a") && document.querySelector(".found li.at a").getAttribute("href").startsWith(%q))`, want))) {
			b.do(chromedp.KeyEvent(kb.ArrowDown))
		}
		b.do(script(`window.before = true`), chromedp.KeyEvent("\r"), until(`!window.before && document.readyState === "complete"`))
		if at := b.path(); !strings.HasPrefix(at, want) {
			t.Errorf("%q led to %s, not to %s", words, at, want)
		}
	}
	b.quiet("finding")
}
