package web_test

import (
	"strings"
	"testing"

	"brenner/api"
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
	b.handsOutTasks()
	b.asksWhatAgentsSee(story)
	b.judgesLessons()
	b.settlesDisputes(story)
	b.runsTheDemosSession()
	b.startsSessions()
	b.looksAfterTheJournal()
	b.handsOutTokens()
	for _, form := range web.Forms() {
		if !b.driven[form] {
			t.Errorf("no test sends the form %q of %s", form.Act, form.Page)
		}
	}
}

func (b *tab) decides() {
	b.Helper()
	// X5: home says where the project stands and what needs the person, each with a way there.
	b.reads("Why does the Lärr lose its oxygen every August, and what would prevent it?", "tell night respiration from low flow and from sewage",
		"What needs you", "Forks to close", "Results that need a rebase", "Lessons to review", "Stalemates to settle", "Stale versions to update",
		"no canonical project_summary", "no canonical integrated_memo in module hydrology",
		"Night respiration sets the minimum on 12 of 14 nights; low flow makes it worse", "Discharge in August is 0.4 m3/s")
	b.follow(`a[href="/artifacts/discussion@1"]`)

	// C14, C18: a version that needs a rebase needs an override, every promotion a reason.
	b.fill("promote", "reason=good enough")
	b.reads("NEEDS_REBASE", "Hint:")
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
	if found := get(b, chromedp.Evaluate[string](`[...document.querySelectorAll("tbody tr td:first-child")].map(e => e.innerText).join()`)); found != "oxygen-log" {
		b.Errorf("found %q", found)
	}

	// C15: what the demo changed, and why; any two versions.
	b.open("/artifacts/oxygen-log/diff?from=1&to=2")
	b.reads("one more night", "the logger clock was an hour off on 9 August", "content/data/nights_below_2", "11", "12")
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
	// It can be made larger, without a script, and stays where it was.
	wide := `document.querySelector(".picture svg").getBoundingClientRect().width`
	before := get(b, chromedp.Evaluate[float64](wide))
	b.follow(`nav[aria-label="Size"] a[href*="zoom=200"]`)
	if after := get(b, chromedp.Evaluate[float64](wide)); after != 2*before {
		b.Errorf("the picture was %g wide and is %g", before, after)
	}
	b.reads("results@3")
	b.follow(`nav[aria-label="Size"] a[href*="zoom=fit"]`)
	if over := get(b, chromedp.Evaluate[float64](`document.querySelector(".picture").scrollWidth - document.querySelector(".picture").clientWidth`)); over > 0 {
		b.Errorf("the picture is %g pixels wider than the page", over)
	}
	b.quiet("comparing")
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
	b.reads("Check the clock of every logger against the gauge before counting nights.", "helpful 5", "confidence 40 %", "Trout leave the reach")
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
	b.fill("move", "step=accept")
	b.reads("accepted")
	b.quiet("disputes")
}

// predict is a reply with a prediction for two hypotheses of the demo.
const predict = "```delta\n" + `{"delta_id": "b-8", "timestamp": "2026-09-01T09:00:00Z", "operation": "ADD", "target_id": null,
 "section": "predictions_table", "payload": {"condition": "a cloudy day", "predictions": {"H1": "a lower minimum", "H3": "no change"}}, "rationale": "no light"}` + "\n```\n"

// edit is a reply with one delta that edits a hypothesis of the demo.
func edit(id, mechanism string) string {
	return "```delta\n{\"delta_id\": \"" + id + "\", \"timestamp\": \"2026-09-01T10:00:00Z\", \"operation\": \"EDIT\", \"target_id\": \"H3\"," +
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
	// D10: two replies disagree at the same instant; the conflict is shown side by side and settled.
	b.fill("submit", "from=BlueLake", "text="+predict+edit("b-9", "an overflow feeds the algae"))
	b.reads("Taken", "BlueLake, 2 deltas")
	b.fill("submit", "from=GreenValley", "text="+edit("g-9", "an overflow feeds the bacteria"))
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
		chromedp.SendKeys(chromedp.CSS(`[name="q"]`), "BOTH parts"))
	b.follow(`form[role="search"] button`)
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
	b.reads("Registered", "NewWind")
	b.fillIn(`form:has(input[name="actor"][value="NewWind"])`, "token")
	b.reads("shown once", "brn_")
	b.open("/agents")
	b.fill("revoke")
	b.reads("Revoked", "revoked")
	// A person's token logs in another browser, or this one again.
	b.fillIn(`form:has(input[name="actor"][value="ada"])`, "token")
	secret := get(b, chromedp.Evaluate[string](`document.getElementById("secret").textContent`))
	b.fill("logout")
	b.reads("Please log in")
	b.calm()
	b.fillIn(`form[action="/login"]`, "", "token="+secret)
	b.reads("What needs you")
	b.quiet("logging in")
}
