package app_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
	"brenner/roster"
)

// D3, D27: who hands replies in to a session is told the same by a server that has served it from
// the beginning, beside another on the same store, as by one that has just begun, whatever
// happened meanwhile: what waits is remembered, and is what is there.
func TestDeltas_WhatWaitsIsWhatIsThere(t *testing.T) {
	for name, open := range map[string]func(*testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"SQLite": func(t *testing.T) store.Store {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			seeds := uint64(4)
			if soak() {
				seeds = 200
			}
			took := map[string]int{}
			for seed := range seeds {
				serving := 0
				kept := waitingCourse(t, open(t), seed, func(made []*app.App, begin func() *app.App) *app.App {
					if serving++; len(made) < 2 {
						return begin()
					}
					return made[serving/3%2]
				}, took)
				fresh := waitingCourse(t, open(t), seed, func(_ []*app.App, begin func() *app.App) *app.App { return begin() }, took)
				for i := range min(len(kept), len(fresh)) {
					if kept[i] != fresh[i] {
						t.Fatalf("seed %d, step %d: a server that has served for long says\n%s\none that has just begun\n%s", seed, i, kept[i], fresh[i])
					}
				}
			}
			for _, op := range []string{"submit", "try", "show", "context", "compile", "deprecate", "redact", "replay", "close"} {
				if took[op] == 0 {
					t.Errorf("nothing was there to %s", op)
				}
			}
		})
	}
}

// waitingCourse plays a random course of a session, each step to a server that pick chooses, and
// gives what was answered.
func waitingCourse(t *testing.T, s store.Store, seed uint64, pick func(made []*app.App, begin func() *app.App) *app.App, took map[string]int) []string {
	t.Helper()
	defer func() { _ = s.Close() }()
	r := rand.New(rand.NewPCG(seed, 11))
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	keys := t.TempDir()
	var made []*app.App
	serve := func() world {
		a := pick(made, func() *app.App {
			a := app.New(s, app.Options{Keys: app.Keyring{Dir: keys}, Clock: func() time.Time { return now }})
			made = append(made, a)
			return a
		})
		return world{app: a, pi: "ada"}
	}
	ctx := t.Context()
	begin(t, serve().app)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator, Program: "codex-cli"},
		{AgentName: "PurpleMountain", Role: roster.TestDesigner},
		{AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	if seed%2 == 0 {
		team.Mode = roster.Unified
	}
	compile := []api.CompileMode{api.CompileManual, api.CompileManual, api.CompileAnswered}[r.IntN(3)]
	if _, err := serve().PI().StartSession(ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides the fate of clones?", Module: "lineage", Roster: team, Compile: compile}); err != nil {
		t.Fatal(err)
	}
	g := replies{Rand: r, team: team}
	var out []string
	say := func(op string, answer any, err error) {
		if err == nil {
			took[op]++
		}
		out = append(out, fmt.Sprintf("%s: %s %v", op, canon.MustMarshal(answer), err))
	}
	version := brenner.Version(1)
	for range 60 {
		now = now.Add([]time.Duration{time.Minute, time.Second, time.Microsecond, 0}[r.IntN(4)])
		agent := team.Entries[r.IntN(3)].AgentName
		switch op := r.IntN(40); {
		case op < 20:
			req := api.SubmitDeltasRequest{Session: "RS-1", Text: g.reply(agent, now)}
			res, err := serve().As(agent).SubmitDeltas(ctx, req)
			say("submit", res, err)
			version = max(version, res.Compiled.Version)
		case op < 24:
			res, err := serve().As(agent).SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: "RS-1", Text: g.reply(agent, now), DryRun: true})
			say("try", res, err)
		case op < 25:
			res, err := serve().As(agent).SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: "RS-1", Text: "RT holds", Nothing: true})
			say("submit", res, err)
			version = max(version, res.Compiled.Version)
		case op < 27:
			res, err := serve().PI().SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: "RS-1", Text: g.reply(agent, now), From: agent})
			say("submit", res, err)
			version = max(version, res.Compiled.Version)
		case op < 30:
			res, err := serve().As(agent).Session(ctx, api.SessionRequest{ID: "RS-1", Unseen: r.IntN(3) == 0, News: r.IntN(3) == 0})
			say("show", res, err)
		case op < 31:
			res, err := serve().PI().Session(ctx, api.SessionRequest{ID: "RS-1"})
			say("show", res, err)
		case op < 32:
			res, err := serve().As(agent).AssembleContext(ctx, api.ContextRequest{Session: "RS-1"})
			say("context", res, err)
		case op < 33:
			res, err := serve().As(agent).SessionStatus(ctx, api.SessionStatusRequest{ID: "RS-1"})
			say("status", res, err)
			inbox, err := serve().As(agent).Inbox(ctx, api.InboxRequest{})
			say("inbox", inbox, err)
		case op < 36:
			res, err := serve().PI().CompileSession(ctx, api.CompileSessionRequest{ID: "RS-1"})
			say("compile", res, err)
			version = max(version, res.Ref.Version)
		case op < 37:
			all, err := serve().PI().Conflicts(ctx, api.ListConflictsRequest{Session: "RS-1"})
			say("conflicts", all, err)
			if len(all.Conflicts) > 0 {
				c := all.Conflicts[0]
				res, err := serve().PI().ResolveConflict(ctx, api.ResolveConflictRequest{Session: "RS-1", Item: c.Item, Field: c.Name(), Take: string(c.Candidates[0].Agent), Reason: "it can be measured"})
				say("resolve", res, err)
				version = max(version, res.Ref.Version)
			}
		case op < 38 && version > 1:
			res, err := serve().PI().Deprecate(ctx, api.DecisionRequest{Ref: brenner.Ref{Artifact: "RS-1", Version: version}, Reason: "too early"})
			say("deprecate", res, err)
		case op < 39:
			ref := brenner.Ref{Artifact: "RS-1", Version: 1 + brenner.Version(r.IntN(int(version)))}
			if r.IntN(4) > 0 {
				logs, err := serve().PI().Artifacts(ctx, api.ListArtifactsRequest{Types: []brenner.TypeName{"raw_log"}})
				if err != nil || len(logs.Items) == 0 {
					continue
				}
				ref = brenner.Ref{Artifact: logs.Items[r.IntN(len(logs.Items))].ID, Version: 1}
			}
			res, err := serve().PI().Redact(ctx, api.RedactRequest{Ref: ref, Reason: "a name", Everywhere: true})
			say("redact", res, err)
		default:
			res, err := serve().PI().Replay(ctx, api.ReplayRequest{})
			say("replay", res, err)
		}
	}
	res, err := serve().PI().CloseSession(ctx, api.CloseSessionRequest{ID: "RS-1", Reason: "enough"})
	say("close", res, err)
	submission, err := serve().As("BlueLake").SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: "RS-1", Text: g.reply("BlueLake", now)})
	say("late", submission, err)
	return out
}

// replies writes replies that agents might hand in.
type replies struct {
	*rand.Rand
	team  roster.Roster
	n     int
	said  []string
	names []string
}

func (g *replies) one(of ...string) string { return of[g.IntN(len(of))] }

// reply is a reply of a few deltas, or one that was written before.
func (g *replies) reply(agent brenner.ActorName, now time.Time) string {
	if len(g.said) > 0 && g.IntN(15) == 0 {
		return g.said[g.IntN(len(g.said))]
	}
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(block(g.delta(agent, now)))
	}
	g.said = append(g.said, b.String())
	return b.String()
}

var waitingSections = map[delta.Section]string{
	delta.HypothesisSlate: "H", delta.PredictionsTable: "P", delta.DiscriminativeTests: "T", delta.AssumptionLedger: "A", delta.AnomalyRegister: "X", delta.AdversarialCritique: "C",
}

func (g *replies) text() string {
	words := strings.Fields("the clones of the night keep their fate when oxygen at the weir falls below the marker because respiration exceeds reaeration and decay on the bed is slow in August")
	n := 4 + g.IntN(14)
	start := g.IntN(len(words))
	var out []string
	for i := range n {
		if g.IntN(8) == 0 {
			out = append(out, g.item())
		}
		out = append(out, words[(start+i)%len(words)])
	}
	return strings.Join(out, " ") + g.one("", ".", fmt.Sprintf(" %d", g.IntN(9)))
}

// item names an item, by its id or by the name that some agent gave it.
func (g *replies) item() string {
	if len(g.names) > 0 && g.IntN(3) == 0 {
		return g.names[g.IntN(len(g.names))]
	}
	return g.one("H", "T", "A", "X", "C", "P") + fmt.Sprint(1+g.IntN(5))
}

func (g *replies) delta(agent brenner.ActorName, now time.Time) string {
	g.n++
	section := delta.Section(g.one("hypothesis_slate", "hypothesis_slate", "anomaly_register", "anomaly_register", "assumption_ledger", "discriminative_tests", "adversarial_critique", "predictions_table", "research_thread"))
	members := []string{fmt.Sprintf(`"section":%q`, section)}
	if g.IntN(2) == 0 {
		members = append(members, fmt.Sprintf(`"rationale":%q`, g.text()))
	}
	if g.IntN(10) == 0 {
		members = append(members, fmt.Sprintf(`"timestamp":%q`, delta.FormatInstant(now.Add(-time.Duration(g.IntN(3))*time.Minute))))
	}
	if g.IntN(12) == 0 {
		members = append(members, fmt.Sprintf(`"delta_id":"own-%d"`, g.IntN(6)))
	}
	texts := map[delta.Section][]string{
		delta.HypothesisSlate: {"claim", "mechanism", "name"}, delta.PredictionsTable: {"condition"}, delta.DiscriminativeTests: {"name", "procedure", "discriminates", "status"},
		delta.AssumptionLedger: {"name", "statement", "load"}, delta.AnomalyRegister: {"name", "observation", "resolution_plan"},
		delta.AdversarialCritique: {"name", "attack", "current_status"}, delta.ResearchThread: {"statement", "answer", "context"},
	}[section]
	field := func(name, value string) string { return fmt.Sprintf("%q:%s", name, value) }
	payload, operation := []string{}, "ADD"
	kind := g.IntN(10)
	switch {
	case section == delta.ResearchThread || kind < 4:
		operation = "EDIT"
		name := texts[g.IntN(len(texts))]
		value := fmt.Sprintf("%q", g.text())
		switch g.IntN(5) {
		case 0:
			value = fmt.Sprintf(`{"old":%q,"new":%q}`, g.one("the weir", "fate", "August", "a word that is nowhere"), g.text())
		case 1:
			value = fmt.Sprintf("%q", g.one("open", "running", "run", "settled: it was met", "withdrawn"))
		}
		payload = append(payload, field(name, value))
		if section == delta.DiscriminativeTests && g.IntN(2) == 0 {
			payload = append(payload, field("actual_outcomes", fmt.Sprintf(`{%q:"seen"}`, g.item())))
		}
	case kind < 5:
		operation = "KILL"
		payload = append(payload, field("reason", fmt.Sprintf("%q", g.one("replaced by ", "the same as ", "unlike ")+g.item())))
	default:
		for _, name := range texts {
			payload = append(payload, field(name, fmt.Sprintf("%q", g.text())))
		}
		switch section {
		case delta.HypothesisSlate:
			payload = append(payload, field("third_alternative", g.one("true", "false")))
		case delta.PredictionsTable:
			payload = append(payload, field("predictions", fmt.Sprintf(`{%q:"up",%q:"down"}`, g.item(), g.item())))
		case delta.DiscriminativeTests:
			payload = append(payload, field("expected_outcomes", fmt.Sprintf(`{%q:"up",%q:"down"}`, g.item(), g.item())))
		case delta.AnomalyRegister:
			payload = append(payload, field("conflicts_with", fmt.Sprintf("[%q]", g.item())))
		case delta.AdversarialCritique:
			payload = append(payload, field("targets", fmt.Sprintf("[%q]", g.item())))
		}
		if g.IntN(2) == 0 {
			name := fmt.Sprintf("%s-%s%d", waitingSections[section], g.one("NIGHT", "WEIR"), g.n)
			g.names = append(g.names, name, string(agent)+":"+name)
			members = append(members, fmt.Sprintf(`"provisional_id":%q`, name))
		}
	}
	if operation != "ADD" && section != delta.ResearchThread {
		target := waitingSections[section] + fmt.Sprint(1+g.IntN(4))
		if len(g.names) > 0 && g.IntN(4) == 0 {
			target = g.names[g.IntN(len(g.names))]
		} else if g.IntN(8) == 0 {
			target = waitingSections[section] + "-LATER"
		}
		members = append(members, fmt.Sprintf(`"target_id":%q`, target))
	}
	members = append(members, fmt.Sprintf(`"operation":%q`, operation), `"payload":{`+strings.Join(payload, ",")+"}")
	return "{" + strings.Join(members, ",") + "}"
}
