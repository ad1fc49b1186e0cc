//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/httpapi"
	"brenner/internal/pgtest"
)

// A2: killing a process with -9 at any point loses and doubles no firing: every
// promotion has one, with one task. The process is a command that writes and then
// fires what is due, or a server that does.
func TestAutomation_KilledAtAnyPoint(t *testing.T) {
	commands, servers := 10, 3
	if os.Getenv("BRENNER_SOAK") != "" {
		commands, servers = 150, 120
	} else if testing.Short() {
		t.Skip("processes are started and killed in the whole run")
	}
	for name, store := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return pgtest.Open(t) + "&project=killed" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("commands", func(t *testing.T) { newKilled(t, store(t), commands).byCommands() })
			t.Run("servers", func(t *testing.T) { newKilled(t, store(t), 6*servers).byServers(servers) })
		})
	}
}

// killed is a project with notes to be promoted, and a rule that opens a task
// for each.
type killed struct {
	*testing.T
	*shell
	notes int
}

func newKilled(t *testing.T, store string, notes int) killed {
	k := killed{t, newShell(t), notes}
	if store != "" {
		k.env["BRENNER_STORE"] = store
	}
	rc := "automation:\n  - {name: look, on: promoted, per_hour: 1000, do: {act: task, role: reviewer, title: Look at it}}\n"
	if err := os.WriteFile(filepath.Join(k.dir, ".brennerrc"), []byte(rc), 0o600); err != nil {
		t.Fatal(err)
	}
	k.must("init", "--name", "Fate", "--pi", "ada", "--config", ".brennerrc")
	return k
}

// byCommands lets each promotion be a command that is killed.
func (k killed) byCommands() {
	for i := range k.notes {
		id := fmt.Sprintf("note-%d", i)
		k.must("artifact", "new", "--type", "paper_note", "--id", id, "--summary", id, "--content", id)
	}
	took, kills := time.Duration(0), 0
	for i := range k.notes {
		cmd := k.process(k.Context(), "artifact", "promote", fmt.Sprintf("note-%d", i), "--reason", "it holds")
		began := time.Now()
		if err := cmd.Start(); err != nil {
			k.Fatal(err)
		}
		if i > 0 { // the first tells how long it takes
			time.Sleep(took/2 + rand.N(took))
			_ = cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil && i > 0 {
			kills++
		}
		if i == 0 {
			took = time.Since(began)
		}
	}
	// What was killed before it had promoted is promoted now; then the next
	// command that writes makes up for what was left.
	late := 0
	for i := range k.notes {
		if status, _, _ := k.run("artifact", "promote", fmt.Sprintf("note-%d", i), "--reason", "it holds"); status == 0 {
			late++
		}
	}
	k.must("artifact", "new", "--type", "paper_note", "--id", "last", "--summary", "last", "--content", "last")
	k.Logf("%d commands, %d killed before they had ended, %d of them before they had promoted", k.notes, kills, late)
	k.check()
}

// byServers lets servers promote, and kills each at some point.
func (k killed) byServers(kills int) {
	token := k.must("agent", "token", "ada")
	next, served := 0, 0
	for round := range kills + 1 {
		address, cmd := k.serverProcess()
		c, err := httpapi.NewClient(address, token, http.DefaultTransport)
		if err != nil {
			k.Fatal(err)
		}
		until := time.NewTimer(20*time.Millisecond + rand.N(600*time.Millisecond))
		dead := make(chan struct{})
		if round < kills { // the last one is left alive
			go func() {
				<-until.C
				_ = cmd.Process.Kill()
				close(dead)
			}()
		}
		for next < k.notes && (round == kills || next < (round+1)*k.notes/kills) {
			id := brenner.ArtifactID(fmt.Sprintf("note-%d", next))
			_, err := c.CreateArtifact(k.Context(), api.CreateArtifactRequest{
				ID: id, Type: "paper_note", Summary: string(id), Content: api.Body{Format: "text", Data: string(id)},
			})
			if err == nil || brenner.CodeOf(err) == brenner.CodeAlreadyExists {
				_, err = c.Promote(k.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: id, Version: 1}, Reason: "it holds"})
			}
			if err != nil && brenner.CodeOf(err) != brenner.CodeStatusConflict {
				if round == kills {
					k.Fatal(err)
				}
				break // the server is dead, and the next one finds out how far it came
			}
			next++
		}
		if round < kills {
			<-dead
			_ = cmd.Wait()
			served = next
			continue
		}
		k.Logf("%d servers killed, which had promoted %d of %d notes", kills, served, k.notes)
		k.settles(c)
	}
	k.check()
}

// settles waits until a server has done what was due.
func (k killed) settles(c api.Service) {
	for last := int64(-1); ; {
		rules, err := c.AutomationRules(k.Context())
		if err != nil {
			k.Fatal(err)
		}
		info, err := c.Project(k.Context())
		if err != nil {
			k.Fatal(err)
		}
		if rules.Behind == 0 && info.Size == last {
			return
		}
		last = info.Size
		time.Sleep(time.Second)
	}
}

// check sees that every note was promoted, and fired once.
func (k killed) check() {
	seen, tasks := map[string]int{}, 0
	for cursor := ""; ; {
		var list struct {
			Data api.FiringList `json:"data"`
		}
		parse(k.T, k.must("automation", "log", "--rule", "look", "--limit", "1000", "--cursor", cursor, "--json"), &list)
		for _, f := range list.Data.Firings {
			if seen[f.Subject]++; len(f.Tasks) != 1 || f.Code != "" {
				k.Errorf("%+v", f)
			}
		}
		if cursor = list.Data.Cursor; cursor == "" {
			break
		}
	}
	for i := range k.notes {
		if n := seen[fmt.Sprintf("note-%d", i)]; n != 1 {
			k.Errorf("note-%d fired %d times", i, n)
		}
	}
	for cursor := ""; ; {
		var list struct {
			Data api.TaskList `json:"data"`
		}
		parse(k.T, k.must("task", "list", "--limit", "1000", "--cursor", cursor, "--json"), &list)
		tasks += len(list.Data.Tasks)
		if cursor = list.Data.Cursor; cursor == "" {
			break
		}
	}
	if tasks != k.notes {
		k.Errorf("%d tasks for %d promotions", tasks, k.notes)
	}
	k.must("verify")
}

func parse(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
