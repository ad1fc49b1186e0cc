package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"brenner/api"
	"brenner/internal/runner/modeltest"
)

// programsVariable has the real programs started; `make test-programs` sets it.
const programsVariable = "BRENNER_TEST_PROGRAMS"

const slate = "Here it is.\n\n```delta\n" +
	`{"operation":"ADD","target_id":null,"section":"anomaly_register","payload":{"name":"gap","observation":"the ring stays open"},"rationale":"seen"}` + "\n```\n"

// scripted is the model that the real programs ask: it answers a kickoff with a
// delta, and closes a task with the tool for that.
func scripted(a modeltest.Ask) modeltest.Answer {
	task := regexp.MustCompile(`The work is (task-\d+)`).FindStringSubmatch(a.Text)
	out := modeltest.Answer{In: 100, Out: 20}
	switch tool := a.Tool("task_complete"); {
	case task == nil:
		out.Text = slate
	case len(a.Results) > 0:
		out.Text = "It is done."
	case tool == "":
		out.Text = "Of the tools there are: " + strings.Join(a.Tools, ", ")
	default:
		out.Calls = []modeltest.Call{{Name: tool, Arguments: map[string]any{"id": task[1]}}}
	}
	return out
}

// W2, W3, W6, W7: the real programs, each as its agent and side by side in one
// project, answer a kickoff and do a task through our tools; only the model is
// scripted.
func TestPrograms_AnswerAndWork(t *testing.T) {
	if os.Getenv(programsVariable) == "" {
		t.Skip("skipped: starts the real programs; see make test-programs")
	}
	model := modeltest.New(scripted)
	defer model.Close()
	s := newShell(t)
	for name, value := range map[string]string{
		"BRENNER_PROGRAMS": filepath.Join(s.dir, "own", "programs.json"), "BRENNER_STATE": filepath.Join(s.dir, "state"), "HOME": s.dir,
		"ANTHROPIC_BASE_URL": model.URL(), "ANTHROPIC_API_KEY": "sk-ant-scripted-0001", "CLAUDE_CONFIG_DIR": filepath.Join(s.dir, "claude"),
		"SCRIPTED_KEY": "scripted-0002", "CODEX_HOME": filepath.Join(s.dir, "codex"),
	} {
		s.env[name] = value
	}
	if err := os.MkdirAll(s.env["CODEX_HOME"], 0o700); err != nil {
		t.Fatal(err)
	}
	provider := fmt.Sprintf(`model_providers.scripted={name="scripted",base_url=%q,env_key="SCRIPTED_KEY",wire_api="responses"}`, model.URL()+"/v1")
	args, err := json.Marshal([]string{"-c", "model_provider=scripted", "-c", provider})
	if err != nil {
		t.Fatal(err)
	}
	// For a model that it knows Codex hands tools out in a way of its own, which
	// the scripted endpoint does not speak.
	rc := "programs:\n  claude: {profile: claude}\n  codex: {profile: codex, model: scripted, env: [SCRIPTED_KEY], args: " + string(args) + "}\n"
	if err := os.WriteFile(filepath.Join(s.dir, ".brennerrc"), []byte(rc), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must("init", "--name", "Fate", "--pi", "ada")
	agents := map[string]string{}
	for name, agent := range map[string]string{"claude": "BlueLake", "codex": "GreenValley"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("skipped: %s is not installed", name)
			continue
		}
		agents[name] = agent
		s.must("agent", "add", agent, "--role", "hypothesis_generator")
	}
	if len(agents) == 0 {
		t.Skip("skipped: neither claude nor codex is installed")
	}
	if agents["codex"] != "" {
		var found struct {
			Data struct {
				Digest string `json:"digest"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(s.must("program", "allow", "codex", "--json")), &found); err != nil {
			t.Fatal(err)
		}
		s.must("program", "allow", "codex", "--yes", found.Data.Digest)
	}
	var roster []string
	for name, agent := range agents {
		roster = append(roster, fmt.Sprintf(`{"agentName":%q,"role":"hypothesis_generator","program":%q}`, agent, name))
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := s.process(t.Context(), args...).CombinedOutput()
		if err != nil {
			t.Errorf("brenner %s: %v\n%s\n%s", strings.Join(args, " "), err, out, s.must("runs", "--json"))
		}
		return string(out)
	}
	t.Log(run("ask", "Why does the ring not close?", "--roster", `{"entries":[`+strings.Join(roster, ",")+`]}`))
	for name, agent := range agents {
		s.must("task", "new", "Count the gaps", "--role", "hypothesis_generator")
		t.Log(run("run", "--once", "--agent", agent, "--program", name))
	}
	var list struct {
		Data api.RunList `json:"data"`
	}
	if err := json.Unmarshal([]byte(s.must("runs", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data.Runs) != 2*len(agents) {
		t.Errorf("%d runs of %d programs", len(list.Data.Runs), len(agents))
	}
	for _, r := range list.Data.Runs {
		if !r.Outcome.Good() || r.Usage.Tokens == nil {
			t.Errorf("%s of %s ended as %+v\n%s", r.ID, r.Agent, r.RunEnd, s.must("run", "log", r.ID))
		}
		if log := s.must("run", "log", r.ID); strings.Contains(log, "scripted-000") { // W11
			t.Errorf("the log of %s holds a key", r.ID)
		}
	}
}
