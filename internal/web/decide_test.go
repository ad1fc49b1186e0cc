package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/web"

	"github.com/chromedp/chromedp"
)

// The decisions of the person who leads, on the demo's project, as clicks:
// every form of every page is filled in and sent.
func TestBrowser_EveryFormIsDriven(t *testing.T) {
	w := newDemo(t)
	story := w.tellMore()
	b := w.openBrowser(t)
	b.decides()
	b.comparesAndTraces()
	b.reviews()
	b.writes()
	b.handsOutTasks()
	b.asksWhatAgentsSee(story)
	b.judgesLessons()
	b.settlesDisputes(story)
	b.runsTheDemosSession()
	b.startsSessions()
	b.looksAfterTheJournal()
	b.handsOutTokens()
	b.stopsARun(w.startRun("biology"))
	b.watchesWhatHappensByItself(w)
	for _, form := range web.Forms() {
		if !b.driven[form] {
			t.Errorf("no test sends the form %q of %s", form.Act, form.Page)
		}
	}
}

func (b *tab) decides() {
	b.Helper()
	// X5: home says where the project stands and what needs the person, each with a way there.
	b.open("/knowledge")
	b.reads("tell night respiration from low flow and from sewage", "Night respiration sets the minimum on 12 of 14 nights; low flow makes it worse", "Discharge in August is 0.3 m3/s")
	b.open("/")
	b.reads("Why does the Lärr lose its oxygen every August, and what would prevent it?",
		"Forks", "To rebase", "Lessons", "Stalemates", "Stale", "It moved, and",
		"canonical project_summary", "The memo of biology is behind")
	b.follow(`a[href="/review/discussion@1"]`)
	b.reads("What it rests on", "oxygen-log@2", "version 3 is in force", "the result of task-", "If it is promoted", "Draft the discussion")
	b.open("/artifacts/discussion@1")

	// C14, C18: a version that needs a rebase needs an override, every promotion a reason.
	b.fill("promote", "reason=good enough")
	b.reads("NEEDS_REBASE", "Look at what moved")
	if typed := get(b, chromedp.Value(chromedp.CSS("#promote textarea"))); typed != "good enough" {
		b.Errorf("what was typed is now %q", typed)
	}
	b.fill("promote", "override=[checked]")
	b.reads("Promoted", "canonical")
	b.fill("demote", "reason=too early")
	b.reads("Demoted", "draft")
	b.fill("deprecate", "reason=written anew")
	b.reads("Deprecated", "nothing is left to decide")
	b.calm()
}

func (b *tab) comparesAndTraces() {
	b.Helper()
	// C26: stale, with the path.
	b.open("/stale")
	b.reads("memo-biology@4", "→", "oxygen-log@2", "version 3 is in force now")

	// C19: a fork, compared side by side, then settled by a decision.
	b.open("/forks")
	b.reads("memo-biology@5", "memo-biology@6", "alternative")
	b.follow(`.actions a[href*="/diff?"]`)
	b.reads("Minima at 05:00 on 13 of 14 nights.", "The bed respires, not the water.", "two loggers")
	b.open("/artifacts/memo-biology@5")
	b.fill("promote", "reason=both hold, this one counts")
	b.reads("Promoted")

	// Full text, narrowed down by what is decided and by tag.
	b.open("/artifacts?q=oxygen&status=canonical&tag=oxygen")
	if found := get(b, chromedp.Evaluate[string](`[...document.querySelectorAll("tbody tr td:first-child .ref")].map(e => e.innerText).join()`)); found != "oxygen-log" {
		b.Errorf("found %q", found)
	}

	// C15: what the demo changed, and why; any two versions.
	b.open("/artifacts/oxygen-log/diff?from=1&to=2")
	b.reads("one more night", "the logger clock was an hour off on 9 August", "content › data › nights below 2", "11", "12")
	b.open("/artifacts/memo-biology")
	b.do(script(`document.querySelector('[name="from"]').value = "1"; document.querySelector('[name="to"]').value = "4"`))
	b.follow(`form[action$="/diff"] button`)
	b.reads("Minima at 05:00 and recovery by 09:00", "low flow leaves little water to share", "merges both", "both hold")

	// C31: lineage is a picture whose boxes lead on, in both directions.
	b.open("/lineage/memo-biology@4")
	b.follow(`.picture a[href="/artifacts/oxygen-log@2"]`)
	b.reads("12 of 14")
	b.open("/lineage/oxygen-log@2")
	b.follow(`nav[aria-label="Direction"] a:not([aria-current])`)
	b.reads("memo-biology@4", "memo-biology@3", "results@3", "1 link away")
	// The script leaves it where the style put it, all of it is shown at first,
	// and it can be made larger and moved about.
	if moved := get(b, chromedp.Evaluate[string](`(() => {
		const frame = document.querySelector(".picture"), place = () => JSON.stringify(frame.querySelector("svg").getBoundingClientRect()), scripted = place();
		frame.classList.remove("moves");
		const without = place();
		frame.classList.add("moves");
		return scripted === without ? "" : without + " without the script, " + scripted + " with it"; })()`)); moved != "" {
		b.Error(moved)
	}
	shown := `document.querySelector(".picture svg").viewBox.baseVal.width`
	before := get(b, chromedp.Evaluate[float64](shown))
	b.do(chromedp.Click(chromedp.CSS(`.zoom button[aria-label="Larger"]`)))
	if after := get(b, chromedp.Evaluate[float64](shown)); after >= before {
		b.Errorf("%g of the picture were shown, now %g", before, after)
	}
	b.do(script(`document.querySelector(".picture").focus()`), chromedp.KeyEvent("0"))
	if after := get(b, chromedp.Evaluate[float64](shown)); after != before {
		b.Errorf("%g of the picture were shown at first, now %g", before, after)
	}
	if outside := get(b, chromedp.Evaluate[int](`[...document.querySelectorAll(".picture rect.box")].filter(r => {
		const a = r.getBoundingClientRect(), f = document.querySelector(".picture").getBoundingClientRect();
		return a.left < f.left || a.right > f.right || a.top < f.top || a.bottom > f.bottom; }).length`)); outside != 0 {
		b.Errorf("%d boxes are outside the frame", outside)
	}
	b.quiet("comparing")
}

// button presses a button that belongs to a form by its name, somewhere on the
// page.
func (b *tab) button(page, act string) {
	b.Helper()
	b.driven[web.Form{Page: page, Act: act}] = true
	b.do(script(fmt.Sprintf(`{ const d = document.querySelector('button[value="%s"]').closest("details"); if (d) d.open = true; }`, act)))
	b.follow(fmt.Sprintf(`button[name="act"][value="%s"]`, act))
}

// N1–N6: what was handed in is decided upon from the inbox, alone and together,
// sent back, talked about, and confirmed.
func (b *tab) reviews() {
	b.Helper()
	pi := b.pi()
	for _, id := range []brenner.ArtifactID{"plan-a", "plan-b", "plan-c", "plan-d"} {
		b.create(pi, api.CreateArtifactRequest{ID: id, Type: "paper_note", Module: "biology", Summary: "The plan " + string(id), Content: textBody("Shade the pools."), Review: true})
	}
	// Some at once: first what it would come to, without a reason even.
	b.open("/?kind=promotion")
	b.reads("The plan plan-a", "Handed in by ada", "nothing is canonical yet")
	b.do(chromedp.Click(chromedp.CSS(`input[value="plan-a@1"]`)), chromedp.Click(chromedp.CSS(`input[value="plan-b@1"]`)))
	b.button("/{$}", "foresee")
	b.reads("What it would come to", "Nothing would become stale")
	b.button("/{$}", "promote")
	b.reads("REASON_REQUIRED", "Write a reason")
	// N8: what was ticked is ticked still.
	b.do(script(`document.querySelector("#together").open = true`), chromedp.SendKeys(chromedp.CSS(`[name="reason"]`), "both are cheap"))
	b.button("/{$}", "promote")
	b.reads("Promoted", "plan-a@1", "plan-b@1")
	b.calm()
	b.open("/?kind=promotion")
	b.do(chromedp.Click(chromedp.CSS(`input[value="plan-c@1"]`)), script(`document.querySelector("#together").open = true`), chromedp.SendKeys(chromedp.CSS(`[name="reason"]`), "too dear"))
	b.button("/{$}", "deprecate")
	b.reads("Deprecated")

	// One is talked about and sent back.
	b.open("/")
	b.follow(`a[href="/review/plan-d@1"]`)
	b.fillIn(`#say`, "comment", "text=which pools?")
	b.reads("Said.", "which pools?")
	b.fillIn(`form:has(input[name="reply"])`, "comment", "text=the upper ones")
	b.reads("the upper ones")
	b.fill("changes", "reason=name the pools")
	b.reads("Sent back", "asks for a new version", "Changes requested in plan-d@1: name the pools")
	b.fill("settle")
	b.reads("Settled.", "settled")
	b.open("/?kind=promotion")
	if strings.Contains(b.text(), "plan-d") {
		b.Errorf("what was sent back still waits")
	}
	// N8, N3: a decision without a reason comes back; the others of the page.
	b.open("/review/plan-d@1")
	b.fill("promote", "reason=  ")
	b.reads("REASON_REQUIRED")
	b.fill("promote", "reason=the upper pools, then")
	b.reads("Promoted", "plan-d@1", "canonical")
	b.calm()
	b.create(pi, api.CreateArtifactRequest{
		ID: "plan-e", Type: "paper_note", Module: "biology", Summary: "Plan e", Content: textBody("More shade."),
		Links: []artifact.Link{{Rel: artifact.DependsOn, Artifact: "plan-d", Version: 1}},
	})
	text := "Shade the upper pools."
	must[api.WriteResult](b.world)(pi.UpdateArtifact(b.Context(), api.UpdateArtifactRequest{ID: "plan-d", Summary: &text, Content: &api.Body{Format: artifact.Text, Data: text}}))
	b.open("/review/plan-d")
	b.reads("against plan-d@1", "Shade the upper pools.", "1 version will be stale", "plan-e@1")
	b.fill("promote", "reason=clearer")
	b.reads("1 version now stale", "plan-e@1")
	b.open("/review/plan-e@1")
	b.reads("It rests on something that has moved")
	b.fill("hold", "reason=shade is shade")
	b.reads("Confirmed: still holds", "plan-e@2")
	b.open("/review/plan-e@2")
	b.fill("deprecate", "reason=one plan is enough")
	b.reads("Deprecated", "nothing is left to decide")

	// What is stale because one thing moved is confirmed together.
	b.open("/stale/oxygen-log")
	b.reads("memo-biology@5", "version 3 is in force now")
	b.do(script(`document.querySelectorAll('[name="ref"]').forEach(i => { i.checked = i.value === "results@3"; })`))
	b.button("/stale/{id}", "foresee")
	b.reads("What it would come to", "results@4")
	b.do(chromedp.SendKeys(chromedp.CSS(`[name="reason"]`), "one night more changes no conclusion"))
	b.button("/stale/{id}", "hold")
	b.reads("Confirmed: still holds", "results@4")
	b.calm()
}

// A person writes in the browser: a note with a preview, a new version of it,
// the brief by its fields.
func (b *tab) writes() {
	b.Helper()
	b.open("/write?type=paper_note")
	b.do(chromedp.SendKeys(chromedp.CSS(`#content`), "Night *fishing* is banned"))
	b.do(until(`document.querySelector("#preview em") !== null`)) // shown while typing, by the script
	b.fill("preview", "summary=What the bylaw says")
	b.reads("Preview", "Night fishing is banned")
	if typed := get(b, chromedp.Value(chromedp.CSS(`[name="summary"]`))); typed != "What the bylaw says" {
		b.Errorf("the preview lost the summary: %q", typed)
	}
	b.fill("write", "id=bylaw", "module=biology", "links=rests on nothing")
	b.reads("INVALID_LINK", "is not a link")
	if typed := get(b, chromedp.Value(chromedp.CSS(`#content`))); typed != "Night *fishing* is banned" {
		b.Errorf("the refusal lost the text: %q", typed)
	}
	b.fill("write", "links=cites oxygen-log@2")
	b.reads("Written", "What the bylaw says", "draft", "cites oxygen-log@2")
	b.calm()

	// C11: new content with the old summary has to be said to hold.
	b.follow(`a[href="/artifacts/bylaw/edit"]`)
	b.fill("preview")
	b.reads("Preview", "Night fishing is banned")
	b.fill("write", "content=Night fishing is banned until June")
	b.reads("SUMMARY_STALE", "tick “the summary still holds”")
	b.fill("write", "holds=[checked]")
	b.reads("Written", "bylaw@2", "until June")
	b.calm()

	// C15: a core type says what changed and why; a content by its fields keeps what it had.
	b.open("/artifacts/brief/edit")
	b.fill("write", "text.question=Why does the Lärr lose its oxygen?", "holds=[checked]", "what=shorter", "why=it fits on a slide")
	b.reads("Written", "brief@2", "Why does the Lärr lose its oxygen?", "name one measure the county can take by next summer", "shorter")
	b.quiet("writing")
}

func (b *tab) handsOutTasks() {
	b.Helper()
	b.open("/tasks")
	b.fill("open", "title=Count the fish", "spec=all of them", "role=writer", "inputs=no such thing")
	b.reads("INVALID_ID")
	b.fill("open", "module=[biology]", "inputs=oxygen-log@2")
	b.reads("Opened", "Count the fish", "oxygen-log@2")
	b.fill("reassign", "to=GreyStone")
	b.reads("GreyStone holds it")
	b.fill("cancel", "reason=nobody fishes in August")
	b.reads("Canceled", "canceled")
	b.calm()
}

func (b *tab) asksWhatAgentsSee(story told) {
	b.Helper()
	// C30: what an agent would see, with a reason for every candidate.
	b.open("/contexts")
	b.do(chromedp.SetValue(chromedp.CSS(`[name="agent"]`), "GreyStone"), chromedp.SetValue(chromedp.CSS(`[name="module"]`), "biology"),
		chromedp.SendKeys(chromedp.CSS(`[name="question"]`), "when does oxygen fall at night"))
	b.follow(`form[action="/contexts/preview"] button`)
	b.reads("What GreyStone would see", "tokens used", "What it leaves out, and why", "What it shows, and why", "memo-biology@5", "the version is deprecated")
	// What the writer of the demo saw, and what came of it.
	b.open("/tasks/" + story.task)
	b.reads("Draft the results section", "One paragraph: when does oxygen crash, and how far?", "oxygen-log@1", "results@1", "version 1 then, 2 at completion")
	b.follow(`a[href="/contexts/` + story.context + `"]`)
	b.reads("GreyStone", "What came of it", "results@1", "oxygen-log@1")
	b.quiet("contexts")
}

func (b *tab) judgesLessons() {
	b.Helper()
	// B7: lessons of little confidence are approved or rejected, on the board or on their page.
	b.open("/playbook")
	b.reads("Check the clock of every logger against the gauge before counting nights.", "helpful 5", "confidence 0.40", "Trout leave the reach")
	b.fill("approve")
	b.reads("Approved")
	b.fill("reject")
	b.reads("Rejected")
	b.follow(`.needs a.ref`)
	b.fill("approve")
	b.reads("Approved")
	b.open("/playbook")
	b.follow(`.needs a.ref`)
	b.fill("reject")
	b.reads("Rejected", "retired")
	b.open("/playbook")
	b.reads("No lesson waits")
	b.fill("gates", "domain=field-work")
	b.reads("Gate pass made")
	// The lesson that did harm in the demo is in quarantine, and let out again.
	b.open("/playbook/field-work.2")
	b.reads("QUARANTINED", "Average the night minima of all the loggers into one number.", "harmful 1")
	b.fill("release", "reason=one logger is an average too")
	b.reads("Released", "one logger is an average too", "SHADOW")
	b.fill("force", "stage=STAGING", "reason=try it on the lake")
	b.reads("STAGING", "try it on the lake", "ada")
	b.open("/playbook/field-work.1")
	b.fill("feedback", "as=helpful", "reason=it was so again")
	b.reads("helpful 6")
	b.fill("undo", "reason=it was not")
	b.reads("Taken back", "helpful 5")
	b.fill("amend", "content=Check the clock of every logger first", "reason=shorter")
	b.reads("Amended", "Check the clock of every logger first", "supersedes")
	b.quiet("lessons")
}

func (b *tab) settlesDisputes(story told) {
	b.Helper()
	// S3, S5: the demo's dispute is moved on, comes back with new evidence, and the arbiter's draft is adopted.
	b.open("/stalemates/" + string(story.settled))
	b.reads("a patch on memo-biology was refused with ANCHOR_NOT_FOUND", "older_version", "mechanical-arbiter", "accepted")
	b.fill("move", "step=implement")
	b.reads("implemented")
	b.fill("move", "step=reopen", "reason=it fails again", "evidence=the same refusal")
	b.reads("open", "it fails again", "round 2")
	b.fill("arbitrate")
	b.reads("In arbitration", "Draft of a verdict", "older_version")
	b.fill("adopt")
	b.reads("The draft is the verdict now", "ada")

	// Another is decided by hand.
	b.open("/stalemates")
	b.follow(`a[href="/stalemates/` + string(story.open) + `"]`)
	b.fill("arbitrate")
	b.reads("In arbitration", "in arbitration")
	b.fill("verdict", "outcome=hypothesis_upheld", "root_cause=a clock", "explanation=the curves match when shifted", "remedy=shift it",
		"verification=compare again", "ruling.h2=upheld", "reason.h2=they match", "evidence.h2=e1",
		"ruling.h1=refuted", "reason.h1=no drift", "evidence.h1=e1", "ruling.h3=refuted", "reason.h3=it was wet", "evidence.h3=e1")
	b.reads("Verdict delivered", "a clock", "shift it")
	// S4: what the protocol allows is offered, to withdraw included.
	if steps := get(b, chromedp.Evaluate[string](`[...document.querySelectorAll('[name="step"] option')].map(o => o.value).join()`)); steps != "accept,appeal,withdraw" {
		b.Errorf("offered: %s", steps)
	}
	b.fill("move", "step=accept")
	b.reads("accepted")
	b.quiet("disputes")
}

// predict is a reply with a prediction for two hypotheses of the demo.
const predict = "```delta\n" + `{"delta_id": "b-8", "timestamp": "2026-09-01T09:00:00Z", "operation": "ADD", "target_id": null,
 "section": "predictions_table", "payload": {"condition": "a cloudy day", "predictions": {"H1": "a lower minimum", "H3": "no change"}}, "rationale": "no light"}` + "\n```\n"

// edit is a reply with one delta that edits a hypothesis of the demo at some
// instant.
func edit(id string, at time.Time, mechanism string) string {
	return "```delta\n{\"delta_id\": \"" + id + "\", \"timestamp\": \"" + at.UTC().Format(time.RFC3339) + "\", \"operation\": \"EDIT\", \"target_id\": \"H3\"," +
		" \"section\": \"hypothesis_slate\", \"payload\": {\"mechanism\": \"" + mechanism + "\"}, \"rationale\": \"seen at the outfall\"}\n```"
}

func (b *tab) runsTheDemosSession() {
	b.Helper()
	// D18: what the demo's agents hold; the killed are struck, with the reason.
	b.open("/sessions")
	b.follow(`a[href="/sessions/RS-larr"]`)
	b.reads("What takes the oxygen at night?", "BlueLake", "PurpleMountain", "GreenValley", "Night respiration", "respiration exceeds reaeration from sunset to 05:00",
		"The weir itself reaerates", "Dark bottles", "score 10", "One logger")
	if struck := get(b, chromedp.Evaluate[string](`getComputedStyle(document.querySelector("#H2 s")).textDecorationLine`)); struck != "line-through" {
		b.Errorf("the killed hypothesis is %q", struck)
	}
	// D20: a reply without a delta is no answer, and that is said.
	b.fill("submit", "from=BlueLake", "text=I think it is the algae.")
	b.reads("There is no delta in that reply", "changes nothing")
	// D10: two replies disagree at the same instant; the conflict is shown side by side and settled.
	instant := time.Now()
	b.fill("submit", "from=BlueLake", "text="+predict+edit("b-9", instant, "an overflow feeds the algae"))
	b.reads("Taken", "BlueLake, 2 deltas")
	b.fill("submit", "from=GreenValley", "text="+edit("g-9", instant, "an overflow feeds the bacteria"))
	b.fill("compile")
	b.reads("Compiled into", "Conflicts", "an overflow feeds the algae", "an overflow feeds the bacteria", "Which holds?", "a cloudy day", "a lower minimum", "no change", "N/A")
	b.shoot("session-conflict")
	b.fill("resolve", "take=[g-9]", "reason=seen in the core samples")
	b.reads("Compiled into")
	b.open("/sessions/RS-larr")
	if body := b.text(); strings.Contains(body, "Which holds?") {
		b.Errorf("the conflict is still there:\n%s", body)
	}
	b.reads("an overflow feeds the bacteria")
	b.quiet("the session")
}

// riverPreset is the demo's configuration with a preset of the project's own.
const riverPreset = `
modules: [hydrology, biology]
roster:
  presets:
    - id: two-critics
      name: Two critics
      description: for a question that everybody thinks is settled
      entries: [{role: adversarial_critic}, {role: adversarial_critic}]
`

func (b *tab) startsSessions() {
	b.Helper()
	// R4: a session is started from the form, filled in by a preset, of the project or built in; first only shown.
	must[api.ApplyConfigResult](b.world)(b.pi().ApplyConfig(b.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: riverPreset}}))
	b.open("/sessions")
	b.do(chromedp.Click(chromedp.CSS(`#start summary`)))
	b.reads("Two critics", "Default 3-Agent Setup")
	b.follow(`a[href="/sessions?preset=two-critics#start"]`)
	if name := get(b, chromedp.Value(chromedp.CSS(`[name="name.0"]`))); name != "GreenValley" {
		b.Errorf("the critic's place is for %q", name)
	}
	b.follow(`a[href="/sessions?preset=default-3-agent#start"]`)
	b.fill("start", "question=   ")
	b.reads("A session needs a question")
	b.calm()
	b.fill("start", "question=Does shade help?", "module=biology", "dry=[checked]")
	b.reads("What would be sent", "To BlueLake", "nothing was written")
	// R8: one message does not arrive, is sent again, and a reply is fetched.
	b.mail.Refuse("BlueLake")
	b.fill("start", "transport=agent_mail")
	b.reads("Started", "Does shade help?", "adversarial critic", "waiting", "kickoff to BlueLake not delivered", "MAIL_REFUSED")
	b.mail.Refuse("")
	b.fill("resend")
	b.reads("Sent.")
	if body := b.text(); strings.Contains(body, "not delivered") {
		b.Errorf("the message is still unsent:\n%s", body)
	}
	b.fill("fetch")
	b.reads("No new reply")
	b.fill("nudge", "note=please answer")
	b.reads("Asked again")
	b.fill("close", "reason= ")
	b.reads("REASON_REQUIRED")
	b.calm()
	b.fill("close", "reason=shade is planted")
	b.reads("Closed. Nobody is waited for", "shade is planted", "asking again opens it")
	b.quiet("starting")
}

func (b *tab) looksAfterTheJournal() {
	b.Helper()
	// J3: the journal is verified from the page, and searched.
	b.open("/journal")
	b.fill("verify")
	b.reads("Verified", "tables rebuilt and compared")
	b.open("/journal")
	b.do(chromedp.SendKeys(chromedp.CSS(`[name="about"]`), "memo-biology"), chromedp.SendKeys(chromedp.CSS(`[name="kind"]`), "status.decided"),
		chromedp.SendKeys(chromedp.CSS(`main [name="q"]`), "BOTH parts"))
	b.follow(`main form[role="search"] button`)
	b.reads("status.decided", "owner")
	if rows := get(b, chromedp.Evaluate[int](`document.querySelectorAll("tbody tr").length`)); rows != 1 {
		b.Errorf("%d records are found", rows)
	}
	b.open("/journal?q=no+such+thing")
	b.reads("No record is like that")
	b.quiet("the journal")
}

func (b *tab) handsOutTokens() {
	b.Helper()
	// X8: a token is shown once, and revoked at once.
	b.open("/agents")
	b.reads("the policy of writer decides upon nothing", "hypothesis generator")
	b.fill("add", "name=NewWind", "role=writer")
	b.reads("Registered", "NewWind", "did nothing yet")
	b.fill("token")
	b.reads("shown once", "brn_")
	b.open("/agents/NewWind")
	b.fill("revoke")
	b.reads("Revoked", "revoked")
	b.open("/agents/GreyStone")
	b.reads("last seen", "the policy of writer decides upon nothing", "was shown ctx-")
	// A person's token logs in another browser, or this one again.
	b.open("/agents")
	b.fillIn(`form:has(input[name="actor"][value="ada"])`, "token")
	secret := get(b, chromedp.Evaluate[string](`document.getElementById("secret").textContent`))
	b.fill("logout")
	b.reads("Log in")
	b.calm()
	b.fillIn(`form[action="/login"]`, "", "token="+secret)
	b.reads("Inbox")
	b.quiet("logging in")
}

func (b *tab) stopsARun(id string) {
	b.Helper()
	b.open("/runs/" + id)
	b.fill("stop", "reason=in circles")
	b.reads("It is asked to stop: in circles")
}

// A7: what happens by itself is listed, paused and resumed, and what a rule told
// is taken notice of. A6: a type that asks for it is approved.
func (b *tab) watchesWhatHappensByItself(w *world) {
	b.Helper()
	must[api.ApplyConfigResult](w)(w.pi().ApplyConfig(b.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: `
modules: [biology, hydrology]
automation: [{name: tell-me, on: promoted, do: {act: notify, title: Look at this.}}]
approvals: {model_spec: {count: 1, roles: [pi]}}
`}}))
	must[api.WriteResult](w)(w.pi().CreateArtifact(b.Context(), api.CreateArtifactRequest{
		ID: "weir", Type: "paper_note", Module: "biology", Summary: "the weir", Content: api.Body{Format: artifact.Text, Data: "The weir is old."},
	}))
	must[api.DecisionResult](w)(w.pi().Promote(b.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "weir"}, Reason: "seen"}))
	if _, _, err := w.app.Automation().Run(b.Context(), 100); err != nil {
		b.Fatal(err)
	}
	b.open("/automation")
	b.reads("tell-me", "built in", "Look at this.", "1 thing that rules told")
	b.fill("settle")
	b.fill("pause", "reason=quiet")
	b.reads("all rules are paused")
	b.fill("resume")
	must[api.WriteResult](w)(w.as("BlueLake").CreateArtifact(b.Context(), api.CreateArtifactRequest{
		ID: "flow-model", Type: "model_spec", Module: "biology", Summary: "a model", Content: api.Body{Format: artifact.Text, Data: "It flows."},
	}))
	b.open("/review/flow-model@1")
	b.reads("0 of 1, by pi")
	b.fill("approve")
	b.reads("1 of 1, by pi")
}
