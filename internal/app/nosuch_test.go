package app_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/delta"
)

// X5: what there is not is refused where it is asked for by name, and not answered with nothing.
func TestLists_RefuseWhatThereIsNot(t *testing.T) {
	pi := newVault(t).PI()
	ctx := t.Context()
	sessions, err := pi.Sessions(ctx, api.ListSessionsRequest{})
	if err != nil || len(sessions.Sessions) == 0 {
		t.Fatal(err)
	}
	var view api.SessionView
	var id delta.ItemID
	for _, s := range sessions.Sessions {
		if view, err = pi.Session(ctx, api.SessionRequest{ID: s.ID}); err == nil && strings.Contains(view.Markdown, "H1") {
			id = "H1"
			break
		}
	}
	if id == "" {
		t.Fatal("no session has an item")
	}
	if _, err := pi.Session(ctx, api.SessionRequest{ID: view.ID, Items: []delta.ItemID{id}}); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		code brenner.Code
		hint string
		ask  func() error
	}{
		"an item": {brenner.CodeNotFound, "H1", func() error {
			_, err := pi.Session(ctx, api.SessionRequest{ID: view.ID, Items: []delta.ItemID{id, "H77"}})
			return err
		}},
		"a state of a run": {brenner.CodeInvalidValue, "states: running, ended", func() error {
			_, err := pi.Runs(ctx, api.ListRunsRequest{States: []api.RunState{api.RunEnded, "ran"}})
			return err
		}},
		"a rule": {brenner.CodeNotFound, "did you mean harvest?", func() error {
			_, err := pi.Firings(ctx, api.FiringsRequest{Rule: "harvets"})
			return err
		}},
		"a domain": {brenner.CodeNotFound, "did you mean general?", func() error {
			_, err := pi.Bullets(ctx, api.ListBulletsRequest{Domain: "gneral"})
			return err
		}},
		"the costs of work": {brenner.CodeNotFound, "", func() error {
			_, err := pi.RunCosts(ctx, api.RunCostsRequest{Work: api.Work{Session: "RS-none"}})
			return err
		}},
	} {
		var e *brenner.Error
		if err := c.ask(); !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %+v", name, err)
		}
	}
}
