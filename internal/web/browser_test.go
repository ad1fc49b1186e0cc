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

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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

	mu       sync.Mutex
	troubles []string
}

// openBrowser starts a browser of its own, logged in.
func (w *world) openBrowser(t *testing.T) *tab {
	t.Helper()
	alloc, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(chromium(t)), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
	)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	b := &tab{world: w, ctx: ctx}
	// The browser lives as long as the context of the first call.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
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
// is "name=value".
func (b *tab) fill(act string, fields ...string) {
	b.Helper()
	form := fmt.Sprintf(`main form:has(input[name="act"][value="%s"])`, act)
	b.do(script(fmt.Sprintf(`{ const d = document.querySelector(%q).closest("details"); if (d) d.open = true; }`, form)))
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		field := fmt.Sprintf(`%s [name="%s"]`, form, name)
		if value == "(checked)" {
			b.do(chromedp.Click(chromedp.CSS(field)))
			continue
		}
		if get(b, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%q).tagName`, field))) == "SELECT" {
			b.do(script(fmt.Sprintf(`document.querySelector(%q).value = %q`, field, value)))
			continue
		}
		b.do(script(fmt.Sprintf(`document.querySelector(%q).value = ""`, field)), chromedp.SendKeys(chromedp.CSS(field), value))
	}
	b.do(script(`window.before = true`), chromedp.Click(chromedp.CSS(form+` button`)),
		until(`!window.before && document.readyState === "complete"`))
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
	b.do(chromedp.EmulateViewport(1280, 900), setTheme("light"))
}

func setTheme(theme string) step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
}

// Every page, as a person sees it: no complaint in the console, nothing wider
// than the screen, and readable for everybody in both themes.
func TestBrowser_EveryPageIsSoundAndAccessible(t *testing.T) {
	w := newWorld(t)
	pages := addresses(w.tell())
	b := w.openBrowser(t)
	for _, path := range pages {
		b.open(path)
		for _, theme := range []string{"light", "dark"} {
			b.do(setTheme(theme))
			for _, fault := range b.inaccessible() {
				t.Errorf("%s, %s: %s", path, theme, fault)
			}
		}
		b.do(chromedp.EmulateViewport(390, 800))
		if wide := get(b, chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); wide > 0 {
			t.Errorf("%s is %d pixels wider than a phone", path, wide)
		}
		b.do(chromedp.EmulateViewport(1280, 900), setTheme("light"))
		b.shoot("page" + path)
		b.quiet(path)
	}
}

// Hostile text is shown as text and does nothing.
func TestBrowser_HostileTextStaysText(t *testing.T) {
	w := newWorld(t)
	w.tell()
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

// The decisions of the person who leads, one after the other, as clicks.
func TestBrowser_DecisionsAreMadeWithForms(t *testing.T) {
	w := newWorld(t)
	story := w.tell()
	b := w.openBrowser(t)

	// X5: home says what needs the person, each with a way there.
	b.reads("What needs you", "Forks to close", "Results that need a rebase", "Lessons to review", "Stalemates to settle", "Replies to compile", "no canonical project_summary", "Respiration, not mixing")
	b.do(chromedp.Click(chromedp.CSS(`a[href="/artifacts/results@1"]`)), chromedp.WaitVisible(chromedp.CSS("#decide")))

	// C14, C18: a version that needs a rebase needs an override, every promotion a reason.
	b.fill("promote", "reason=good enough")
	b.reads("NEEDS_REBASE", "Hint:")
	if typed := get(b, chromedp.Value(chromedp.CSS("#promote textarea"))); typed != "good enough" {
		t.Errorf("what was typed is now %q", typed)
	}
	b.fill("promote", "override=(checked)")
	b.reads("Promoted", "canonical")
	b.fill("demote", "reason=too early")
	b.reads("Demoted", "draft")
	b.fill("deprecate", "reason=written anew")
	b.reads("Deprecated", "nothing is left to decide")

	// C26: stale, with the path.
	b.open("/stale")
	b.reads("memo-biology@1", "→", "oxygen-log@1", "version 2 is in force now")

	// C19: a fork, compared side by side, then settled by a decision.
	b.open("/forks")
	b.reads("memo-biology@2", "memo-biology@3", "alternative")
	b.do(chromedp.Click(`//a[text()="Compare"]`), chromedp.WaitVisible(chromedp.CSS(".diff")))
	b.reads("Minima at 05:00 on 12 of 14 nights.", "Night respiration, made worse by low flow.", "corrected log")
	b.open("/artifacts/memo-biology@2")
	b.fill("promote", "reason=both hold, this one counts")
	b.reads("Promoted")

	// C15: what changed, and why.
	b.open("/artifacts/oxygen-log/diff?from=1&to=2")
	b.reads("one more night", "the clock was an hour off", "content/data/nights_below_2", "11", "12")

	// C31: lineage is a picture whose boxes lead on, in both directions.
	b.open("/lineage/memo-biology@1")
	b.do(chromedp.Click(chromedp.CSS(`.picture a[href="/artifacts/oxygen-log@1"]`)), chromedp.WaitVisible(chromedp.CSS("#versions")))
	b.reads("11 of 14")
	b.open("/lineage/oxygen-log@1?direction=down")
	b.reads("memo-biology@1", "results@1")

	// Tasks: opened, refused, given away, canceled.
	b.open("/tasks")
	b.fill("open", "title=Count the fish", "spec=all of them", "role=writer", "inputs=no such thing")
	b.reads("INVALID_ID")
	b.fill("open", "module=(checked)", "inputs=oxygen-log@2")
	b.reads("Opened", "Count the fish", "oxygen-log@2")
	b.fill("reassign", "to=GreyStone")
	b.reads("GreyStone holds it")
	b.fill("cancel", "reason=nobody fishes in August")
	b.reads("Canceled", "canceled")

	// C30: what an agent would see, with a reason for every candidate; what it saw.
	b.open("/contexts")
	b.do(chromedp.SetValue(chromedp.CSS(`[name="agent"]`), "GreyStone"), chromedp.SetValue(chromedp.CSS(`[name="module"]`), "biology"),
		chromedp.SendKeys(chromedp.CSS(`[name="question"]`), "when does oxygen fall at night"), chromedp.Submit(chromedp.CSS(`[name="question"]`)), chromedp.WaitVisible(chromedp.CSS(".tokens")))
	b.reads("What GreyStone would see", "tokens used", "What it leaves out, and why", "What it shows, and why", "memo-biology@2", "the version is deprecated")
	b.open("/contexts")
	b.do(chromedp.Click(chromedp.CSS(`td a[href^="/contexts/"]`)), chromedp.WaitVisible(chromedp.CSS(".tokens")))
	b.reads("What came of it", "results@1")

	// B7: a lesson of little confidence is approved; another is put on a stage.
	b.open("/playbook")
	b.reads("Averaging over the night hides the crash", "confidence 40 %")
	b.fill("approve")
	b.reads("Approved", "Trout leave the reach")
	b.fill("reject")
	b.reads("Rejected", "No lesson waits")
	b.fill("gates", "domain=general")
	b.reads("Gate pass made")
	b.open("/playbook/general.1")
	b.fill("force", "stage=PROD", "reason=we all know it")
	b.reads("PROD", "we all know it", "ada")
	b.fill("feedback", "as=helpful", "reason=it was so again")
	b.reads("helpful 2")
	b.fill("undo", "reason=it was not")
	b.reads("Taken back", "helpful 1")
	b.fill("amend", "content=Check the clock of every logger first", "reason=shorter")
	b.reads("Amended", "Check the clock of every logger first", "supersedes")

	// S3, S5: a stalemate is taken on, decided and moved along.
	b.open("/stalemates")
	b.do(chromedp.Click(chromedp.CSS(`a[href="/stalemates/`+string(story.dispute)+`"]`)), chromedp.WaitVisible(chromedp.CSS("#positions")))
	b.fill("arbitrate")
	b.reads("In arbitration", "in arbitration")
	b.fill("verdict", "outcome=hypothesis_upheld", "root_cause=a clock", "explanation=the curves match when shifted", "remedy=shift it",
		"verification=compare again", "ruling.h2=upheld", "reason.h2=they match", "evidence.h2=e1",
		"ruling.h1=refuted", "reason.h1=no drift", "evidence.h1=e1", "ruling.h3=refuted", "reason.h3=it was wet", "evidence.h3=e1")
	b.reads("Verdict delivered", "a clock", "shift it")
	b.fill("move", "step=accept")
	b.reads("accepted")

	// D10, D18: a session is compiled, its conflict settled; the killed are struck.
	b.open("/sessions")
	b.do(chromedp.Click(chromedp.CSS(`a[href="/sessions/`+string(story.session)+`"]`)), chromedp.WaitVisible(chromedp.CSS("#who")))
	b.reads("BlueLake", "PurpleMountain", "complete", "Nothing yet.")
	b.fill("compile")
	b.reads("Compiled into", "conflicted", "the plant is shut in August", "Cover the weir", "score 8", "lower minimum", "N/A", "algae and bacteria respire at night", "the sediment respires at night")
	if struck := get(b, chromedp.Evaluate[string](`getComputedStyle(document.querySelector("#H2 s")).textDecorationLine`)); struck != "line-through" {
		t.Errorf("the killed hypothesis is %q", struck)
	}
	b.fill("resolve", "take=(checked)", "reason=seen in the core samples")
	b.reads("Compiled into")
	b.open("/sessions/" + string(story.session))
	if body := b.text(); strings.Contains(body, "Which holds?") {
		t.Errorf("the conflict is still there:\n%s", body)
	}
	b.fill("submit", "from=BlueLake", "text=I have nothing to add.")
	b.reads("Taken", "0 deltas")
	b.fill("nudge", "note=please answer")
	b.reads("Asked again")

	// R4: a session is started from the form, filled in by a preset; first only shown.
	b.open("/sessions?preset=default-3-agent")
	b.fill("start", "question=Does shade help?", "module=biology", "dry=(checked)")
	b.reads("What would be sent", "To BlueLake", "nothing was written")
	b.fill("start")
	b.reads("Started", "Does shade help?", "adversarial critic", "waiting")

	// X8: a token is shown once, and revoked at once.
	b.open("/agents")
	b.fill("add", "name=NewWind", "role=writer")
	b.reads("Registered", "NewWind")
	b.fill("token")
	b.reads("shown once", "brn_")
	b.open("/agents")
	b.fill("revoke")
	b.reads("Revoked", "revoked")

	// J3: the journal is verified from the page.
	b.open("/journal")
	b.fill("verify")
	b.reads("Verified", "tables rebuilt and compared")
	b.open("/journal?q=artifact.promote")
	b.reads("looked through")
	b.do(chromedp.Click(chromedp.CSS("header button")), chromedp.WaitVisible(chromedp.CSS(`input[type="password"]`)))
	b.mu.Lock()
	b.troubles = nil // refusals have an HTTP status of their own, which the console notes
	b.mu.Unlock()
}

// Two browsers: a decision in one appears in the other without a reload, and
// does not disturb somebody who is typing.
func TestBrowser_ADecisionAppearsInAnotherBrowser(t *testing.T) {
	w := newWorld(t)
	w.tell()
	one, two := w.openBrowser(t), w.openBrowser(t)
	one.open("/artifacts/oxygen-log@2")
	two.open("/artifacts/oxygen-log@2")
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
	w := newWorld(t)
	w.tell()
	b := w.openBrowser(t)
	b.open("/artifacts/oxygen-log@2")
	b.do(chromedp.KeyEvent("\t"))
	if first := get(b, chromedp.Evaluate[string](`document.activeElement.textContent`)); first != "Skip to the content" {
		t.Errorf("the first stop is %q", first)
	}
	b.do(chromedp.KeyEvent("\t"))
	if get(b, chromedp.Evaluate[string](`getComputedStyle(document.activeElement).outlineStyle`)) == "none" {
		t.Error("the focus cannot be seen")
	}
	const hidden = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(e => e.tabIndex < 0).length`
	if n := get(b, chromedp.Evaluate[int](hidden)); n > 0 {
		t.Errorf("%d controls cannot be reached", n)
	}
}
