package app_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// X7: two servers of one project remember what they have read, and give at every step what
// one gives who has just begun, whoever of them has changed what.
func TestRead_WhatIsRecalledIsWhatIsThere(t *testing.T) {
	for name, open := range map[string]func(*testing.T) func() (store.Store, error){
		"SQLite": func(t *testing.T) func() (store.Store, error) {
			path := filepath.Join(t.TempDir(), "project.db")
			return func() (store.Store, error) { return sqlite.Open(t.Context(), path, sqlite.Options{Create: true}) }
		},
		"PostgreSQL": func(t *testing.T) func() (store.Store, error) {
			address := pgtest.Open(t) + "&project=recalled"
			return func() (store.Store, error) {
				return postgres.Open(t.Context(), address, postgres.Options{Create: true})
			}
		},
	} {
		t.Run(name, func(t *testing.T) { recalledIsThere(t, open(t)) })
	}
}

func recalledIsThere(t *testing.T, open func() (store.Store, error)) {
	t.Helper()
	ctx, r := t.Context(), rand.New(rand.NewPCG(3, 7))
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	keys := t.TempDir()
	var stores [2]store.Store
	for i := range stores {
		var err error
		if stores[i], err = open(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stores[i].Close() })
	}
	serving := func(i int) world {
		return world{app: app.New(stores[i], app.Options{Keys: app.Keyring{Dir: keys}, Clock: func() time.Time { return now }}), pi: "ada"}
	}
	servers := []world{serving(0), serving(1)}
	begin(t, servers[0].app)
	if _, err := servers[0].PI().AddAgent(ctx, api.AddAgentRequest{Name: "W", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	took, latest := map[string]int{}, [5]brenner.Version{}
	id := func(i int) brenner.ArtifactID { return brenner.ArtifactID(fmt.Sprintf("a%d", i)) }
	// said is all that is read here, from one server.
	said := func(w world) string {
		var out string
		for i, n := range latest {
			for v := range n + 1 {
				ref := brenner.Ref{Artifact: id(i), Version: v}
				view, err := w.PI().Artifact(ctx, api.ArtifactRequest{Ref: ref})
				out += fmt.Sprintf("%s %v\n", canon.MustMarshal(view), err)
				for _, down := range []bool{false, true} {
					graph, err := w.PI().Lineage(ctx, api.LineageRequest{Ref: ref, Down: down})
					out += fmt.Sprintf("%s %v\n", canon.MustMarshal(graph), err)
				}
			}
		}
		mail, err := w.As("W").Inbox(ctx, api.InboxRequest{States: []api.MessageState{api.MessageAll}})
		return out + fmt.Sprintf("%s %v\n", canon.MustMarshal(mail), err)
	}
	for step := range 60 {
		by, at := servers[r.IntN(2)].PI(), r.IntN(len(latest))
		ref := brenner.Ref{Artifact: id(at), Version: brenner.Version(1 + r.IntN(int(latest[at])+1))}
		to := r.IntN(len(latest))
		link := artifact.Link{Rel: artifact.DependsOn, Artifact: id(to), Version: max(latest[to], 1)}
		op := []string{"write", "write", "link", "promote", "demote", "deprecate", "redact", "replay", "mail"}[r.IntN(9)]
		var err error
		switch op {
		case "write":
			summary := fmt.Sprint("a finding of step ", step)
			if latest[at] == 0 {
				_, err = by.CreateArtifact(ctx, api.CreateArtifactRequest{
					ID: id(at), Type: "analysis_result", Module: "lineage", Summary: summary, Content: api.Body{Format: artifact.Text, Data: summary},
				})
			} else {
				_, err = by.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: id(at), Parent: latest[at], Summary: &summary, Content: &api.Body{Format: artifact.Text, Data: summary}})
			}
			if err == nil {
				latest[at]++
			}
		case "link":
			_, err = by.Link(ctx, api.LinkRequest{From: ref, Link: link})
		case "promote":
			_, err = by.Promote(ctx, api.PromoteRequest{Ref: ref, Reason: "r", Override: true})
		case "demote":
			_, err = by.Demote(ctx, api.DecisionRequest{Ref: brenner.Ref{Artifact: ref.Artifact}, Reason: "r"})
		case "deprecate":
			_, err = by.Deprecate(ctx, api.DecisionRequest{Ref: ref, Reason: "r"})
		case "redact":
			_, err = by.Redact(ctx, api.RedactRequest{Ref: ref, Reason: "r", Everywhere: true})
		case "replay":
			_, err = by.Replay(ctx, api.ReplayRequest{})
		case "mail":
			_, err = by.NewTask(ctx, api.NewTaskRequest{Title: fmt.Sprint("look at step ", step), Spec: "say what you see", Modules: []brenner.Module{"lineage"}, To: "W"})
		}
		if err == nil {
			took[op]++
		}
		want := said(serving(0))
		for i, w := range servers {
			if got := said(w); got != want {
				t.Fatalf("after %d steps, the last of which was to %s (%v), server %d says:\n%s\nand one that has just begun:\n%s", step, op, err, i, got, want)
			}
		}
	}
	for _, op := range []string{"write", "link", "promote", "demote", "deprecate", "redact", "replay", "mail"} {
		if took[op] == 0 {
			t.Errorf("nothing was there to %s", op)
		}
	}
}
