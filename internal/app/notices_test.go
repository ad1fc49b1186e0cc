package app_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/app"
)

const hooks = `
modules: [main]
notify:
  kinds: [promotion, stale]
  webhooks:
    - {url: "https://one.example.org/hook", secret: HOOK_KEY}
    - {url: "https://two.example.org/hook", secret: HOOK_KEY}
`

// N7: what begins to wait is put into the outbox once for each webhook, in the
// kinds that were asked for; what was sent is there no more, and what waits
// again is told again.
func TestNotices_EachIsQueuedOnce(t *testing.T) {
	w, now := clocked(t)
	ctx := t.Context()
	notices := w.app.Notices(app.Identity{Name: "ada", Auth: app.AuthServer})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	looks := func(want int) []app.Notice {
		t.Helper()
		check(notices.Look(ctx))
		all, err := notices.Waiting(ctx)
		check(err)
		if len(all) != want {
			t.Fatalf("%d notices wait, want %d: %+v", len(all), want, all)
		}
		return all
	}
	write := func(id brenner.ArtifactID) {
		t.Helper()
		_, err := w.PI().CreateArtifact(ctx, api.CreateArtifactRequest{ID: id, Type: "paper_note", Summary: "a note", Content: api.Body{Format: artifact.Text, Data: "x"}, Review: true})
		check(err)
	}
	write("before")
	looks(0) // no webhook, and nothing is written
	_, err := w.PI().ApplyConfig(ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: hooks}})
	check(err)

	all := looks(2)
	if all[0].URL == all[1].URL || len(all[0].Items) != 1 || all[0].Items[0].Subject != "before@1" || all[0].Items[0].Kind != api.WaitPromotion || all[0].Attempts != 0 {
		t.Fatalf("queued: %+v", all)
	}
	looks(2)
	check(notices.Tried(ctx, all[0].ID, "the host answered with the status 500", false))
	again := looks(2)
	if again[0].Attempts != 1 || !again[0].Tried.Equal(*now) {
		t.Errorf("after a try: %+v", again[0])
	}
	check(notices.Tried(ctx, all[0].ID, "", false))
	check(notices.Tried(ctx, all[0].ID, "", false)) // another process was slower
	check(notices.Tried(ctx, all[1].ID, "still nothing", true))
	looks(0)

	write("after")
	if all := looks(2); len(all[0].Items) != 1 || all[0].Items[0].Subject != "after@1" {
		t.Errorf("only what is new: %+v", all)
	}
	// J4: the outbox follows from the journal.
	replayed, err := w.PI().Replay(ctx, api.ReplayRequest{})
	if check(err); !replayed.Same {
		t.Errorf("the tables say something else than the journal: %+v", replayed)
	}
}

// The kinds that a configuration may name are those of the inbox.
func TestNotices_KindsAreThoseOfTheInbox(t *testing.T) {
	kinds := []string{}
	for _, k := range api.WaitKinds() {
		if k != api.WaitApproval { // a promotion to all but who is asked
			kinds = append(kinds, string(k))
		}
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, config.NoticeKinds) {
		t.Errorf("the inbox has %q, a configuration %q", kinds, config.NoticeKinds)
	}
}

// N7: a webhook without TLS, a key in the configuration, a kind that is none are
// refused, each at its place.
func TestNotices_SettingsAreChecked(t *testing.T) {
	w, _ := clocked(t)
	wrong := map[string]string{
		"notify: {kinds: [nothing]}":                                                             "/notify/kinds/0",
		"notify: {webhooks: [{url: 'http://example.org', secret: K}]}":                           "/notify/webhooks/0/url",
		"notify: {webhooks: [{url: 'ftp://example.org', secret: K}]}":                            "/notify/webhooks/0/url",
		"notify: {webhooks: [{url: 'https://u:p@example.org', secret: K}]}":                      "/notify/webhooks/0/url",
		"notify: {webhooks: [{url: 'https://example.org', secret: 's3cret key'}]}":               "/notify/webhooks/0/secret",
		"notify: {webhooks: [{url: 'https://example.org'}]}":                                     "/notify/webhooks/0/secret",
		"notify: {webhooks: [{url: 'https://a.b', secret: K}, {url: 'https://a.b', secret: K}]}": "/notify/webhooks/1/url",
	}
	for _, data := range slices.Sorted(maps.Keys(wrong)) {
		want := wrong[data]
		_, err := w.PI().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: data}})
		var e *brenner.Error
		if !errors.As(err, &e) || len(e.Diagnostics) != 1 || e.Diagnostics[0].Pointer != want {
			t.Errorf("%s: %v", data, err)
		}
	}
	ok := "notify: {allow: [localhost], webhooks: [{url: 'http://localhost:8080/hook', secret: HOOK_KEY}]}"
	if _, err := w.PI().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: ok}}); err != nil {
		t.Errorf("allowed by name: %v", err)
	}
}
