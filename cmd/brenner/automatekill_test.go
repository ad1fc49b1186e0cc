//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/pgtest"
)

// A2: killing a process with -9 at any point loses and doubles no firing: every
// promotion has one, with one task. The process is a command that writes and then
// fires what is due, or a server that does.
func TestAutomation_KilledAtAnyPoint(t *testing.T) {
	kills := 10
	if os.Getenv("BRENNER_SOAK") != "" {
		kills = 150
	} else if testing.Short() {
		t.Skip("processes are started and killed in the whole run")
	}
	for name, store := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return pgtest.Open(t) + "&project=killed" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			if at := store(t); at != "" {
				s.env["BRENNER_STORE"] = at
			}
			rc := "automation:\n  - {name: look, on: promoted, per_hour: 1000, do: {act: task, role: reviewer, title: Look at it}}\n"
			if err := os.WriteFile(filepath.Join(s.dir, ".brennerrc"), []byte(rc), 0o600); err != nil {
				t.Fatal(err)
			}
			s.must("init", "--name", "Fate", "--pi", "ada")
			for i := range kills {
				id := fmt.Sprintf("note-%d", i)
				s.must("artifact", "new", "--type", "paper_note", "--id", id, "--summary", id, "--content", id)
			}
			took := time.Duration(0)
			for i := range kills {
				args := []string{"artifact", "promote", fmt.Sprintf("note-%d", i), "--reason", "it holds"}
				cmd := s.process(t.Context(), args...)
				began := time.Now()
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if i > 0 { // the first tells how long it takes
					time.Sleep(took/2 + rand.N(took))
					_ = cmd.Process.Kill()
				}
				_ = cmd.Wait()
				if i == 0 {
					took = time.Since(began)
				}
			}
			// What was killed before it had promoted is promoted now; then the
			// next command that writes makes up for what was left.
			for i := range kills {
				_, _, _ = s.run("artifact", "promote", fmt.Sprintf("note-%d", i), "--reason", "it holds")
			}
			s.must("artifact", "new", "--type", "paper_note", "--id", "last", "--summary", "last", "--content", "last")
			var list struct {
				Data api.FiringList `json:"data"`
			}
			parse(t, s.must("automation", "log", "--rule", "look", "--limit", "1000", "--json"), &list)
			seen := map[string]int{}
			for _, f := range list.Data.Firings {
				if seen[f.Subject]++; len(f.Tasks) != 1 || f.Code != "" {
					t.Errorf("%+v", f)
				}
			}
			for i := range kills {
				if n := seen[fmt.Sprintf("note-%d", i)]; n != 1 {
					t.Errorf("note-%d fired %d times", i, n)
				}
			}
			var tasks struct {
				Data api.TaskList `json:"data"`
			}
			if parse(t, s.must("task", "list", "--limit", "1000", "--json"), &tasks); len(tasks.Data.Tasks) != kills {
				t.Errorf("%d tasks for %d promotions", len(tasks.Data.Tasks), kills)
			}
			s.must("verify")
		})
	}
}

func parse(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
