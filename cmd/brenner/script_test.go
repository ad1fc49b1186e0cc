package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner/api"

	"github.com/rogpeppe/go-internal/testscript"
)

// runVariable makes this test binary the program itself, for tests that need
// it as another process.
const runVariable = "BRENNER_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(runVariable) != "" {
		os.Exit(run(os.Args[1:]))
	}
	if len(os.Args) > 1 && os.Args[1] == actAsProgram {
		os.Exit(actor(os.Args[2:]))
	}
	testscript.Main(m, map[string]func(){
		"brenner": func() { os.Exit(run(os.Args[1:])) },
		"actor":   func() { os.Exit(actor(os.Args[1:])) },
	})
}

// TestScripts runs the command line as a user would, each script in an empty
// directory with a home of its own.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts found: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"golden": golden, "agentmail": agentMail, "allow": allow, "runs": runs, "mail": newestMail, "oneday": oneDay},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("USER", "ada")
			env.Setenv("BRENNER_KEYS", filepath.Join(env.WorkDir, "keys"))
			return nil
		},
	})
}

// allow does what a person does who looks at what a program would run and
// allows that: allow NAME [FLAG...].
func allow(ts *testscript.TestScript, _ bool, args []string) {
	shown := slices.Concat([]string{"program", "allow"}, args)
	ts.Check(ts.Exec("brenner", append(shown, "--json")...))
	var found struct {
		Data struct {
			Digest string `json:"digest"`
		} `json:"data"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &found))
	ts.Check(ts.Exec("brenner", append(shown, "--yes", found.Data.Digest)...))
}

// oneDay waits where midnight by UTC is near: what is said of today in a script is
// then of one day.
func oneDay(*testscript.TestScript, bool, []string) {
	const script = 2 * time.Minute
	now := time.Now().UTC()
	if left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now); left < script {
		time.Sleep(left + time.Second)
	}
}

// masks hide what differs from run to run: times, and what is made of times or
// chance.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\bRS-\d{8}-`), "RS-<day>-"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\bp-[0-9a-f]{16}\b`), "<project>"},
	{regexp.MustCompile(`\breply-[0-9a-f]{16}\b`), "<reply>"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "<digest>"},
	{regexp.MustCompile(`root \S{43}=`), "root <root>"},
	{regexp.MustCompile(`public key: \S+`), "public key: <key>"},
	{regexp.MustCompile(`(stand-in +|<time> +)\d+s\b`), "${1}<took>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`), "<day>"},
	// What happens by itself beside a run has no place of its own in the journal.
	{regexp.MustCompile(`(\btask-|\brun-|#|\brecord )\d{3}\b`), "${1}<n>"},
}

// golden compares a file of the script, masked, with one of ours:
// golden FILE NAME. With BRENNER_UPDATE set it rewrites ours.
func golden(ts *testscript.TestScript, _ bool, args []string) {
	got := ts.ReadFile(args[0])
	for _, m := range masks {
		got = m.what.ReplaceAllString(got, m.with)
	}
	path := filepath.Join(testdata, args[1])
	if os.Getenv("BRENNER_UPDATE") != "" {
		ts.Check(os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	ts.Check(err)
	if got != string(want) {
		ts.Fatalf("differs from %s (rewrite it with BRENNER_UPDATE=1):\n%s", args[1], firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// testdata is where the golden files are; scripts run elsewhere.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir
}()

// runs puts the newest run and the change it made into RUN and CHANGE.
func runs(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("brenner", "runs", "--json"))
	var list struct {
		Data api.RunList `json:"data"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	ts.Setenv("RUN", list.Data.Runs[0].ID)
	ts.Setenv("CHANGE", list.Data.Runs[0].Change.String())
}

// newestMail puts the id of the newest message to an agent into MSG: mail NAME.
func newestMail(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("brenner", "--as", args[0], "mail", "inbox", "--all", "--json"))
	// what sends a reply back asks for nothing new
	ids := regexp.MustCompile(`"id":"(msg-\d+)","to":"[^"]*","kind":"(?:kickoff|nudge)"`).FindAllStringSubmatch(ts.ReadFile("stdout"), -1)
	newest, at := "", -1
	for _, m := range ids {
		if n, err := strconv.Atoi(strings.TrimPrefix(m[1], "msg-")); err == nil && n > at {
			newest, at = m[1], n
		}
	}
	ts.Setenv("MSG", newest)
}
