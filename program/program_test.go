package program_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/program"
)

// W2: what cannot be started is refused with the place of what is wrong, and a
// profile lists what it does not take.
func TestParse_RefusesWhatNoMachineCouldStart(t *testing.T) {
	for text, pointer := range map[string]string{
		`"vim"`: "/profile", `{"profile":"vim"}`: "/profile", `{}`: "/profile",
		`{"profile":"claude","model":"--dangerously-skip-permissions"}`:                      "/model",
		`{"profile":"claude","model":"a b"}`:                                                 "/model",
		`{"profile":"claude","endpoint":"http://x/v1"}`:                                      "/endpoint",
		`{"profile":"claude","file":"x"}`:                                                    "/file",
		`{"profile":"claude","tools":"all"}`:                                                 "/tools",
		`{"profile":"claude","directory":"/"}`:                                               "/directory",
		`{"profile":"claude","env":["A=b"]}`:                                                 "/env/0",
		`{"profile":"claude","env":["FINE","BRENNER_TOKEN"]}`:                                "/env/1",
		`{"profile":"claude","args":["a\nb","c"],"bounds":{"time":"25h"}}`:                   "/bounds/time",
		`{"profile":"claude","bounds":{"turns":-1}}`:                                         "/bounds",
		`{"profile":"command"}`:                                                              "/executable",
		`{"profile":"script"}`:                                                               "/file",
		`{"profile":"script","file":"x","tools":"shell"}`:                                    "/tools",
		`{"profile":"openai","endpoint":"http://127.0.0.1/v1"}`:                              "/model",
		`{"profile":"openai","model":"m","endpoint":"ftp://x"}`:                              "/endpoint",
		`{"profile":"openai","model":"m","endpoint":"http://a:b@x/v1"}`:                      "/endpoint",
		`{"profile":"openai","model":"m","endpoint":"http://x/v1","key":"sk-1234 secret"}`:   "/key",
		`{"profile":"openai","model":"m","endpoint":"http://x/v1","executable":"/bin/true"}`: "/executable",
	} {
		_, err := program.Parse([]byte(text))
		var e *brenner.Error
		if !errors.As(err, &e) || !errors.Is(err, brenner.CodeInvalidProgram) || e.Pointer != pointer {
			t.Errorf("%s: got %v, want INVALID_PROGRAM at %s", text, err, pointer)
		}
	}
	if _, err := program.Parse([]byte(`{"profile":"claude","flags":[]}`)); !errors.Is(err, brenner.CodeInvalidJSON) {
		t.Errorf("an unknown field: %v", err)
	}
	if _, err := program.Parse([]byte(`{"profile":"claude","bounds":{"time":"-5m"}}`)); err == nil || !strings.Contains(err.Error(), "a bound is not negative") {
		t.Errorf("a negative time: %v", err)
	}
}

// W2: a project may name a profile and a model by itself; everything else needs
// the person's word.
func TestProgram_OnlyProfileAndModelAreFree(t *testing.T) {
	for text, free := range map[string]bool{
		`"claude"`: true, `"codex"`: true, `"gemini"`: true, `"opencode"`: true,
		`{"profile":"claude","model":"opus"}`:                                 true,
		`{"profile":"claude","args":["-d"]}`:                                  false,
		`{"profile":"claude","executable":"claude2"}`:                         false,
		`{"profile":"claude","env":["AWS_SECRET_ACCESS_KEY"]}`:                false,
		`{"profile":"claude","tools":"shell"}`:                                false,
		`{"profile":"claude","directory":"here"}`:                             false,
		`{"profile":"claude","bounds":{"time":"24h"}}`:                        false,
		`{"profile":"command","executable":"/bin/cat"}`:                       false,
		`{"profile":"script","file":"a"}`:                                     false,
		`{"profile":"openai","model":"m","endpoint":"http://127.0.0.1:1/v1"}`: false,
	} {
		p, err := program.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if p.Free() != free {
			t.Errorf("%s: free is %v", text, p.Free())
		}
	}
}

// W2: what a person allows is the exact resolved set: a change of any part but
// the model is another digest, and asks again.
func TestDigest_ChangesWithEverythingButTheModel(t *testing.T) {
	base := program.Program{Profile: program.Claude, Tools: program.Edit}
	digest := base.Resolve("/bin/claude").Digest()
	other := base
	other.Model = "opus"
	if other.Resolve("/bin/claude").Digest() != digest {
		t.Error("another model is another digest")
	}
	spelled := base
	spelled.Directory, spelled.Bounds = program.Scratch, program.DefaultBounds
	if spelled.Resolve("/bin/claude").Digest() != digest {
		t.Error("defaults written out are another digest")
	}
	for name, change := range map[string]func(*program.Program){
		"args":      func(p *program.Program) { p.Args = []string{"-d"} },
		"env":       func(p *program.Program) { p.Env = []string{"X"} },
		"tools":     func(p *program.Program) { p.Tools = program.Shell },
		"directory": func(p *program.Program) { p.Directory = program.Here },
		"bounds":    func(p *program.Program) { p.Bounds.Turns = 7 },
		"profile":   func(p *program.Program) { p.Profile = program.Codex },
	} {
		p := base
		change(&p)
		if p.Resolve("/bin/claude").Digest() == digest {
			t.Errorf("other %s, same digest", name)
		}
	}
	if base.Resolve("/opt/eve/claude").Digest() == digest {
		t.Error("another executable, same digest")
	}
}

// W13: a limit of cost needs a program that tells its cost, or a bound.
func TestKnown_RefusesAProgramWithoutACost(t *testing.T) {
	for _, p := range []program.Profile{program.Codex, program.Gemini, program.OpenAI, program.Command} {
		if err := (program.Program{Profile: p}).Known(); !errors.Is(err, brenner.CodeCostUnknown) {
			t.Errorf("%s: %v", p, err)
		}
		if err := (program.Program{Profile: p, Bounds: program.Bounds{Cost: 1}}).Known(); err != nil {
			t.Errorf("%s with a bound: %v", p, err)
		}
	}
	for _, p := range []program.Profile{program.Claude, program.Opencode} {
		if err := (program.Program{Profile: p}).Known(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func launch(p program.Profile, tools program.Tools, dir program.Directory) program.Cmd {
	prog := program.Program{Profile: p, Model: "m-1", Tools: tools, Directory: dir, Args: []string{"--extra"}}.Resolve("/bin/" + string(p))
	return program.Launch{Program: prog, Prompt: "Why? $(rm -rf /)", URL: "http://127.0.0.1:9/mcp", Private: "/private/run-7", Home: "/home/ada"}.Cmd()
}

var processes = []program.Profile{program.Claude, program.Codex, program.Gemini, program.Opencode, program.Command}

// W3: neither the prompt nor a secret stands on a command line, where every
// process of the machine could read it, and files of a run are its own.
func TestCmd_HoldsNoSecretAndNoPrompt(t *testing.T) {
	for _, p := range processes {
		c := launch(p, program.NoTools, program.Scratch)
		if c.Input != "Why? $(rm -rf /)" || c.Path != "/bin/"+string(p) || !slices.Contains(c.Args, "--extra") {
			t.Errorf("%s: %+v", p, c)
		}
		for _, a := range c.Args {
			if strings.Contains(a, "Why?") || strings.Contains(a, "brn_") {
				t.Errorf("%s: argument %q", p, a)
			}
		}
		for name := range c.Files {
			if strings.HasPrefix(name, "/") || strings.Contains(name, "..") {
				t.Errorf("%s writes %q", p, name)
			}
		}
		whole := strings.Join(c.Args, " ")
		for _, text := range c.Files {
			whole += text
		}
		for _, value := range c.Env {
			whole += value
		}
		if !strings.Contains(whole, "http://127.0.0.1:9/mcp") {
			t.Errorf("%s is not told where the tools are: %s", p, whole)
		}
		if p != program.Command && !strings.Contains(whole, program.TokenVariable) {
			t.Errorf("%s is not told where the token is: %s", p, whole)
		}
	}
}

// W5: a run has Brenner's tools alone, and reads files in a worktree; edit and
// shell widen that and nothing else does.
func TestCmd_ToolsAreNarrowUnlessWidened(t *testing.T) {
	marks := map[program.Profile][3]string{ // of reading, editing, running commands
		program.Claude:   {"Read,", "Edit,", "Bash"},
		program.Codex:    {"", `sandbox_mode="workspace-write"`, "network_access=true"},
		program.Gemini:   {`"read_file"`, `"write_file"`, `"run_shell_command"`},
		program.Opencode: {`"read":"allow"`, `"edit":"allow"`, `"bash":"allow"`},
	}
	for p, mark := range marks {
		for _, c := range []struct {
			tools program.Tools
			dir   program.Directory
			has   [3]bool
		}{
			{program.NoTools, program.Scratch, [3]bool{}},
			{program.NoTools, program.Here, [3]bool{}},
			{program.NoTools, program.Worktree, [3]bool{true, false, false}},
			{program.Edit, program.Scratch, [3]bool{true, true, false}},
			{program.Shell, program.Worktree, [3]bool{true, true, true}},
		} {
			cmd := launch(p, c.tools, c.dir)
			whole := strings.Join(cmd.Args, " ") + cmd.Files["policy.toml"] + cmd.Env["OPENCODE_CONFIG_CONTENT"]
			for i, m := range mark {
				if m != "" && strings.Contains(whole, m) != c.has[i] {
					t.Errorf("%s, tools %s, %s: %q in %s", p, c.tools, c.dir, m, whole)
				}
			}
			if p == program.Codex && strings.Contains(whole, "features.shell_tool=false") == c.has[0] {
				t.Errorf("codex, tools %s, %s: the shell is its way to read: %s", c.tools, c.dir, whole)
			}
		}
	}
}

// W7: a conversation goes on where the program can.
func TestCmd_ResumesAConversation(t *testing.T) {
	for p, want := range map[program.Profile]string{
		program.Claude: "--resume=c-1", program.Codex: "exec resume", program.Gemini: "--resume=latest", program.Opencode: "--session=c-1",
	} {
		prog := program.Program{Profile: p}.Resolve("/bin/x")
		again := strings.Join(program.Launch{Program: prog, Resume: "c-1"}.Cmd().Args, " ")
		first := strings.Join(program.Launch{Program: prog}.Cmd().Args, " ")
		if !strings.Contains(again, want) || strings.Contains(first, "resume") || strings.Contains(first, "session=") {
			t.Errorf("%s: %s; %s", p, first, again)
		}
	}
}

func TestByName_KnowsProfilesAsRostersCallThem(t *testing.T) {
	for name, want := range map[string]program.Profile{
		"claude": program.Claude, "claude-code": program.Claude, "codex-cli": program.Codex, "gemini-cli": program.Gemini, "opencode": program.Opencode,
	} {
		if p, ok := program.ByName(name); !ok || p.Profile != want {
			t.Errorf("%s: %v, %v", name, p, ok)
		}
	}
	for _, name := range []string{"", "command", "script", "openai", "vim"} {
		if p, ok := program.ByName(name); ok {
			t.Errorf("%q is %v by itself", name, p)
		}
	}
}

func TestMoney_IsExact(t *testing.T) {
	sum := program.Money(0)
	for range 10 {
		m, ok := program.Dollars(0.1)
		if !ok {
			t.Fatal("0.1 is no amount")
		}
		sum += m
	}
	if sum != 1_000_000 || sum.String() != "$1.00" || program.Money(12_975).String() != "$0.012975" {
		t.Errorf("%d %s %s", sum, sum, program.Money(12_975))
	}
	for _, bad := range []string{"", "x", "-1", "NaN", "1e300", "inf"} {
		if m, err := program.ParseMoney(bad); err == nil {
			t.Errorf("%q is %s", bad, m)
		}
	}
}

const play = `A play.

== BlueLake
wait 20ms
tool delta_submit {"session":"{session}"}
usage in=10 cached=5 out=3 cost=0.25
reply
First.

== BlueLake
reply
Second, for {task}.
== *
fail rate_limited
`

// W2: a script answers each agent from its own parts, in order; the last one
// goes on answering.
func TestPlay_PicksThePartOfTheAgentAndTheTime(t *testing.T) {
	p, err := program.ParsePlay(play)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{1: "First.\n\n", 2: "Second, for {task}.\n", 3: "Second, for {task}.\n", 0: "First.\n\n"} {
		if part, ok := p.Pick("BlueLake", n); !ok || part.Reply != want {
			t.Errorf("the %d. time: %+v, %v", n, part, ok)
		}
	}
	first, _ := p.Pick("BlueLake", 1)
	if len(first.Steps) != 3 || first.Steps[1].Tool != "delta_submit" || *first.Steps[2].Usage.Cost != 250_000 || first.Steps[2].Usage.Tokens.Cached != 5 {
		t.Errorf("steps: %+v", first.Steps)
	}
	if part, ok := p.Pick("RedCave", 1); !ok || part.Steps[0].Fail != program.RateLimited {
		t.Errorf("anyone: %+v, %v", part, ok)
	}
	if got := program.Fill("{task} {task} {none} {agent}", map[string]string{"task": "task-{agent}", "agent": "A"}); got != "task-{agent} task-{agent} {none} A" {
		t.Errorf("filled: %q", got)
	}
	for _, bad := range []string{"", "reply\nx", "== a b\nreply\n", "== A\nwait x\n", "== A\ntool x [1]\n", "== A\nusage in=x\n", "== A\nusage tokens=1\n", "== A\nfail badly\n", "== A\ndance\n"} {
		if _, err := program.ParsePlay(bad); !errors.Is(err, brenner.CodeInvalidProgram) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// W10: what a program says of a server or a tool that refused it is no refusal
// of the model.
func TestByWords_ARefusedConnectionIsNoRefusalOfTheModel(t *testing.T) {
	for text, want := range map[string]program.Cause{
		"connect ECONNREFUSED 127.0.0.1:443":          program.Unreachable,
		"dial tcp 127.0.0.1:443: connection refused":  program.Unreachable,
		"artifact_write was refused":                  program.Crashed,
		"stop_reason: refusal":                        program.Declined,
		"blocked by the content filter":               program.Declined,
		"this appears to violate our Usage Policy":    program.Declined,
		"STORE_UNAVAILABLE: the server is not around": program.Crashed,
	} {
		if got := program.ByWords(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
