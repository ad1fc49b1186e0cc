package app_test

import (
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
)

// X8: the owner of the file acts as the person who has led the project longest, whatever
// was changed about whom last.
func TestOwner_IsWhoHasLedLongest(t *testing.T) {
	d := newBureau(t, nil)
	put := func(req api.AddAgentRequest) {
		t.Helper()
		_, err := d.PI().AddAgent(t.Context(), req)
		d.must(err)
	}
	owner := func(want brenner.ActorName) {
		t.Helper()
		if got, err := d.app.Owner(t.Context()); err != nil || got != want {
			t.Errorf("the owner is %s, %v; want %s", got, err, want)
		}
	}
	put(api.AddAgentRequest{Name: "bob", Role: "reviewer", Person: true})
	put(api.AddAgentRequest{Name: "carol", Role: "pi", Person: true})
	owner("ada")
	put(api.AddAgentRequest{Name: "ada", Role: "pi", Person: true, Note: "on leave in May", Update: true})
	owner("ada")
	put(api.AddAgentRequest{Name: "bob", Role: "pi", Person: true, Update: true})
	put(api.AddAgentRequest{Name: "carol", Role: "pi", Person: true, Note: "deputy", Update: true})
	_, err := d.app.As(app.Identity{Name: "carol", Auth: "token:t"}).AddAgent(t.Context(), api.AddAgentRequest{Name: "ada", Role: "reviewer", Person: true, Update: true})
	d.must(err)
	owner("carol")
}
