package app_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
	"brenner/roster"
)

// BenchmarkDeltasWaiting measures what handing a reply of one delta in costs while so many
// deltas wait in the session to be compiled, or stand in its document: half of the replies add
// an item, half change one that its author has added. As many are handed in for each size, to
// few a session, so that the session stays about as full. cpu-µs/reply is processor time, which
// a busy machine does not change much.
func BenchmarkDeltasWaiting(b *testing.B) {
	stores := map[string]func(b *testing.B) store.Store{
		"sqlite": func(b *testing.B) store.Store {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "project.db"), sqlite.Options{Create: true})
			if err != nil {
				b.Fatal(err)
			}
			return s
		},
		"postgres": func(b *testing.B) store.Store {
			s, err := postgres.Open(b.Context(), pgtest.OpenDurable(b), postgres.Options{Create: true})
			if err != nil {
				b.Fatal(err)
			}
			return s
		},
	}
	for _, name := range []string{"sqlite", "postgres"} {
		for _, size := range []struct{ waiting, document int }{{10, 0}, {300, 0}, {3_000, 0}, {10, 3_000}} {
			b.Run(fmt.Sprintf("%s/waiting=%d/document=%d", name, size.waiting, size.document), func(b *testing.B) {
				s := stores[name](b)
				b.Cleanup(func() { _ = s.Close() })
				benchWaiting(b, s, size.waiting, size.document)
			})
		}
	}
}

// benchWaiting hands replies in while so many deltas wait in a session, whose document has so
// many items.
func benchWaiting(b *testing.B, s store.Store, waiting, document int) {
	b.Helper()
	a := app.New(s, app.Options{})
	pi := led(b, a)
	ctx := b.Context()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	var team roster.Roster
	for i := range 4 {
		name := brenner.ActorName(fmt.Sprintf("Agent%d", i))
		_, err := pi.AddAgent(ctx, api.AddAgentRequest{Name: name, Role: roster.HypothesisGenerator})
		must(err)
		team.Entries = append(team.Entries, roster.Entry{AgentName: name, Role: roster.HypothesisGenerator, Program: roster.ClaudeCode})
	}
	team.Mode = roster.Unified
	by := func(n int) (brenner.ActorName, api.Service) {
		name := team.Entries[n%len(team.Entries)].AgentName
		return name, a.As(app.Identity{Name: name, Auth: app.AuthOwner})
	}
	hand := func(ctx context.Context, session brenner.SessionID, n int, text string) time.Duration {
		b.Helper()
		_, agent := by(n)
		start := time.Now()
		_, err := agent.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: session, Text: text})
		must(err)
		return time.Since(start)
	}
	const replies, perSession = 80, 20
	var took []time.Duration
	var cpu time.Duration
	n := 0
	for range replies / perSession {
		started, err := pi.StartSession(ctx, api.StartSessionRequest{Question: "What decides cell fate?", Module: "lineage", Roster: team, Compile: api.CompileManual, ID: brenner.SessionID(fmt.Sprintf("RS-bench-%d", n))})
		must(err)
		session := started.Session.ID
		fill := func(items int) {
			for items > 0 {
				text := ""
				for range min(items, 100) {
					text += benchDelta(n)
					n++
					items--
				}
				hand(ctx, session, n, text)
			}
		}
		if document > 0 {
			fill(document)
			_, err := pi.CompileSession(ctx, api.CompileSessionRequest{ID: session})
			must(err)
		}
		fill(waiting)
		for i := range perSession {
			text := benchDelta(n)
			if i%2 == 1 { // what the reply before it added
				text = fmt.Sprintf("```delta\n"+`{"operation":"EDIT","target_id":"X-%d","section":"anomaly_register","payload":{"resolution_plan":%q}}`+"\n```\n", n-1, prose(-n, 80))
			}
			by := n - n%2
			n++
			start := processTime()
			took = append(took, hand(ctx, session, by, text))
			cpu += processTime() - start
		}
	}
	for b.Loop() { // how many are handed in is fixed
	}
	percentiles(b, took)
	b.ReportMetric(float64(cpu.Microseconds())/replies, "cpu-µs/reply")
}

// benchDelta adds an anomaly, in the words of people.
func benchDelta(n int) string {
	return fmt.Sprintf("```delta\n"+`{"operation":"ADD","target_id":null,"section":"anomaly_register","provisional_id":"X-%d","rationale":%q,"payload":{"name":%q,"observation":%q}}`+"\n```\n",
		n, strings.TrimSpace(prose(n+1<<20, 60)), strings.TrimSpace(prose(n+1<<21, 20)), strings.TrimSpace(prose(n, 200)))
}
