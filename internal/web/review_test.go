package web_test

import (
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/web"

	"github.com/chromedp/chromedp"
)

// N1–N5: the story "a number was corrected": from the inbox until all that
// rests on it is reviewed, in at most eight clicks and no command line.
func TestBrowser_ACorrectedNumberIsReviewedInEightClicks(t *testing.T) {
	w := newDemo(t)
	story := w.Context()
	pi := w.pi()
	// Three texts rest on the log, one of them on another text; then the log is corrected and handed in.
	for _, id := range []brenner.ArtifactID{"abstract", "poster", "letter"} {
		on := artifact.Link{Rel: artifact.DependsOn, Artifact: "oxygen-log", Version: 2}
		if id == "letter" {
			on = artifact.Link{Rel: artifact.DependsOn, Artifact: "abstract", Version: 1}
		}
		w.promote(w.create(pi, api.CreateArtifactRequest{ID: id, Type: "paper_note", Module: "biology", Summary: "The " + string(id), Content: textBody("Most nights."), Links: []artifact.Link{on}}), "agreed")
	}
	summary := "Oxygen at the weir falls below 2 mg/l on 13 of 14 August nights"
	must[api.WriteResult](w)(pi.UpdateArtifact(story, api.UpdateArtifactRequest{
		ID: "oxygen-log", Summary: &summary, Review: true,
		Content: &api.Body{Format: artifact.JSON, Data: `{"result":"below 2 mg/l on 13 of 14 nights"}`},
	}))
	b := w.openBrowser(t)
	clicks := 0
	click := func(css string) {
		t.Helper()
		clicks++
		b.follow(css)
	}
	b.reads("13 of 14", "over version 2")
	click(`a[href="/review/oxygen-log@3"]`)
	b.reads("What changes", "will be stale", "abstract@1", "letter@1", "memo-biology@4")
	b.do(chromedp.SendKeys(chromedp.CSS(`#decide ~ form [name="reason"]`), "two loggers agree"))
	click(`button[value="promote"]`)
	b.reads("Promoted", "now stale")
	click(`.note a[href="/"]`)
	b.reads("canonical versions rest on what it was")
	click(`a[href="/stale/oxygen-log"]`)
	b.do(chromedp.SendKeys(chromedp.CSS(`[name="reason"]`), "one night more changes no conclusion"))
	click(`button[value="hold"]`)
	b.reads("Confirmed: still holds", "abstract@2", "letter@2", "poster@2", "memo-biology@5", "results@4")
	list := must[api.WaitingList](w)(pi.Waiting(story, api.WaitingRequest{Kinds: []api.WaitKind{api.WaitStale}}))
	if list.Total != 0 {
		t.Errorf("still stale: %+v", list.Items)
	}
	if clicks > 8 {
		t.Errorf("it took %d clicks", clicks)
	}
	t.Logf("%d clicks", clicks)
	b.quiet("the story")
}

// The number of things that wait stands in the navigation and the title of
// every page, and is the inbox's.
func TestPages_SayHowMuchWaits(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.login()
	list := must[api.WaitingList](w)(w.pi().Waiting(t.Context(), api.WaitingRequest{}))
	for _, path := range []string{"/", "/artifacts", "/agents"} {
		_, _, body := b.get(path)
		b.sees(body, "<title>("+web.Number(list.Total)+") ", `<span class="count">`+web.Number(list.Total)+`</span>`)
	}
}
