package app_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store/sqlite"
)

// D3: what many hand in at once waits as if they had done so one after the other, and each is told
// of its own.
func TestDeltas_ManyHandInAtOnce(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	keys := t.TempDir()
	serve := func() world { return world{app: app.New(s, app.Options{Keys: app.Keyring{Dir: keys}}), pi: "ada"} }
	served := []world{serve(), serve()}
	begin(t, served[0].app)
	if _, err := served[0].PI().StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: trio, Compile: api.CompileManual}); err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 6
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			agent := trio.Entries[n%3].AgentName
			for i := range each {
				res, err := served[n%2].As(agent).SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: block(fmt.Sprintf(
					`{"operation":"ADD","section":"anomaly_register","payload":{"name":"seen %d by %d","observation":"o %d %d"},"rationale":"r"}`, i, n, n, i))})
				if err != nil || len(res.Deltas) != 1 || res.Deltas[0].Will != "applied" || res.Deltas[0].Item == "" {
					t.Errorf("%s: %+v %v", agent, res, err)
					return
				}
				if _, err := served[(n+1)%2].PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	res, err := serve().PI().CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"})
	if err != nil || len(res.Outcomes) != writers*each {
		t.Errorf("%d outcomes of %d: %v", len(res.Outcomes), writers*each, err)
	}
}
