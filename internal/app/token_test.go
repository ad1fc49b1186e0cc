package app_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
)

// clocked is a world whose time can be moved.
func clocked(t *testing.T) (world, *time.Time) {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := failingOften(t)
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{Clock: func() time.Time { return now }})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	w := world{app: a, pi: "ada", in: newTranscript()}
	w.in.keepAfter(t, s, w)
	if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	return w, &now
}

// X8: whoever has the project's file gives commands as an agent by its name; a
// person is nobody's name to borrow.
// X8.e.
func TestAs_NamesAnAgentAndNoPerson(t *testing.T) {
	w, _ := clocked(t)
	if _, err := w.As("BlueLake").Project(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := w.As("ada").Project(t.Context()); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("as a person: %v", err)
	}
}

// X8: a token names the actor until it expires or is revoked.
// X8.b, X8.c, X8.d.
func TestAuthenticate_ATokenNamesItsActorWhileItLives(t *testing.T) {
	w, now := clocked(t)
	ctx := t.Context()
	short, err := w.PI().IssueToken(ctx, api.IssueTokenRequest{Actor: "BlueLake", Expires: api.Duration(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	long, err := w.PI().IssueToken(ctx, api.IssueTokenRequest{Actor: "BlueLake"})
	if err != nil {
		t.Fatal(err)
	}
	who, err := w.app.Authenticate(ctx, short.Secret)
	if err != nil || who.Name != "BlueLake" || who.Auth != "token:"+short.ID {
		t.Errorf("got %+v, %v", who, err)
	}
	for _, secret := range []string{
		"", "brn_", "x", short.Secret + "A", strings.ToUpper(short.Secret),
		"brn_" + strings.Repeat("A", 43), strings.Repeat("é", 40), "brn_" + strings.Repeat("\x00", 43),
	} {
		if _, err := w.app.Authenticate(ctx, secret); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
			t.Errorf("%q: got %v", secret, err)
		}
	}
	*now = now.Add(time.Hour)
	if _, err := w.app.Authenticate(ctx, short.Secret); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("an expired token: %v", err)
	}
	if _, err := w.app.Authenticate(ctx, long.Secret); err != nil {
		t.Errorf("a token without end: %v", err)
	}
	if _, err := w.PI().RevokeToken(ctx, api.RevokeTokenRequest{ID: long.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.Authenticate(ctx, long.Secret); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("a revoked token: %v", err)
	}
}

// X2, X8: whatever is kept, the secret is not in it, nor its hash in the
// journal; a repeated request is answered without it.
func TestIssueToken_TheSecretIsNowhere(t *testing.T) {
	w, _ := clocked(t)
	ctx := t.Context()
	req := api.IssueTokenRequest{Write: api.Write{Key: "k"}, Actor: "BlueLake"}
	first, err := w.PI().IssueToken(ctx, req)
	if err != nil || first.Secret == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := w.PI().IssueToken(ctx, req)
	if err != nil || again.ID != first.ID || again.Secret != "" {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	var dump bytes.Buffer
	if _, err := w.PI().Export(ctx, &dump); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(dump.String(), first.ID) {
		t.Error("the export does not mention the token: this test would pass on nothing")
	}
	for _, s := range []string{first.Secret, strings.TrimPrefix(first.Secret, "brn_")} {
		if strings.Contains(dump.String(), s) {
			t.Error("the secret is in the export")
		}
	}
	// J4: tokens are outside the digest, and the journal with them replays.
	res, err := w.PI().Replay(ctx, api.ReplayRequest{})
	if err != nil || !res.Same {
		t.Errorf("replay: %+v, %v", res, err)
	}
	if _, err := w.app.Authenticate(ctx, first.Secret); err != nil {
		t.Errorf("after a replay: %v", err)
	}
}
