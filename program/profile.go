package program

import (
	"slices"

	"brenner"
)

// Profile names a way of starting programs that is built in.
type Profile string

// The profiles.
const (
	Claude   Profile = "claude"   // Claude Code
	Codex    Profile = "codex"    // Codex CLI
	Gemini   Profile = "gemini"   // Gemini CLI
	Opencode Profile = "opencode" // opencode
	OpenAI   Profile = "openai"   // an OpenAI-compatible chat endpoint, asked by the runner itself
	Command  Profile = "command"  // any command: prompt on standard input, reply on standard output
	Script   Profile = "script"   // answers from a file
)

// spec is a row of the table of profiles: everything that is known about one.
type spec struct {
	name Profile
	// title is what people call it, aliases what rosters do.
	title   string
	aliases []string
	// process says that it is a process; executable is its usual name.
	process    bool
	executable string
	// free says that a project may name it without the person's word.
	free bool
	// widens says that it can be given tools of its own.
	widens bool
	// tells says which part of its usage the program reports.
	tells Tells
	// resumes says that a conversation can go on in another start.
	resumes bool
	// env names the variables it is given, secret ones apart.
	env, secrets []string
	// version, login are arguments of commands that tell whether it is there
	// and whether it is logged in; login succeeds if it is.
	version, login []string
	// install and enter say how to get it and how to log in.
	install, enter string

	command func(Launch) Cmd
	reader  func() Reader
}

// Tells is what a program reports about a run.
type Tells struct {
	Turns, Tokens, Cost bool
}

// network is what a program may need to reach its provider.
var network = []string{
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// specs is the table of profiles. Versions that were checked stand in
// docs/programs.md.
var specs = table(
	spec{
		name: Claude, title: "Claude Code", aliases: []string{"claude-code"},
		process: true, executable: "claude", free: true, widens: true, resumes: true,
		tells:   Tells{Turns: true, Tokens: true, Cost: true},
		env:     slices.Concat(network, []string{"ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"}),
		secrets: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		version: []string{"--version"}, login: []string{"auth", "status"},
		install: "npm install -g @anthropic-ai/claude-code", enter: "claude auth login",
		command: claudeCommand, reader: func() Reader { return &claudeReader{} },
	},
	spec{
		name: Codex, title: "Codex", aliases: []string{"codex-cli"},
		process: true, executable: "codex", free: true, widens: true, resumes: true,
		tells:   Tells{Turns: true, Tokens: true},
		env:     slices.Concat(network, []string{"CODEX_HOME", "OPENAI_BASE_URL"}),
		secrets: []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
		version: []string{"--version"}, login: []string{"login", "status"},
		install: "npm install -g @openai/codex", enter: "codex login",
		command: codexCommand, reader: func() Reader { return &codexReader{} },
	},
	spec{
		name: Gemini, title: "Gemini CLI", aliases: []string{"gemini-cli"},
		process: true, executable: "gemini", free: true, widens: true, resumes: true,
		tells: Tells{Turns: true, Tokens: true},
		env: slices.Concat(network, []string{
			"GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_CLOUD_PROJECT",
			"GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS",
		}),
		secrets: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		version: []string{"--version"},
		install: "npm install -g @google/gemini-cli", enter: "gemini, then choose how to log in",
		command: geminiCommand, reader: func() Reader { return &geminiReader{} },
	},
	spec{
		name: Opencode, title: "opencode",
		process: true, executable: "opencode", free: true, widens: true, resumes: true,
		tells: Tells{Turns: true, Tokens: true, Cost: true},
		env:   slices.Concat(network, []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "OPENCODE_CONFIG"}),
		secrets: []string{
			"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "OPENROUTER_API_KEY",
			"GROQ_API_KEY", "DEEPSEEK_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY", "OPENCODE_API_KEY",
		},
		version: []string{"--version"},
		install: "npm install -g opencode-ai", enter: "opencode auth login",
		command: opencodeCommand, reader: func() Reader { return &opencodeReader{} },
	},
	spec{
		name: OpenAI, title: "an OpenAI-compatible endpoint",
		tells: Tells{Turns: true, Tokens: true}, resumes: true,
	},
	spec{
		name: Command, title: "a command", process: true, widens: true,
		command: plainCommand, reader: func() Reader { return &plainReader{} },
	},
	spec{
		name: Script, title: "a script", tells: Tells{Turns: true, Tokens: true, Cost: true}, resumes: true,
	},
)

func table(rows ...spec) map[Profile]spec {
	m := map[Profile]spec{}
	for _, r := range rows {
		m[r.name] = r
	}
	return m
}

// Profiles lists the profiles, those that people install first.
func Profiles() []Profile {
	return []Profile{Claude, Codex, Gemini, Opencode, OpenAI, Command, Script}
}

func names() []string {
	out := make([]string, 0, len(specs))
	for _, p := range Profiles() {
		out = append(out, string(p))
	}
	return out
}

// ByName gives the program that a name stands for by itself: a profile that
// needs nothing else, by its own name or as rosters call it.
func ByName(name string) (Program, bool) {
	for _, p := range Profiles() {
		s := specs[p]
		if s.free && (name == string(p) || slices.Contains(s.aliases, name)) {
			return Program{Profile: p}, true
		}
	}
	return Program{}, false
}

// Title is what people call the profile.
func (p Profile) Title() string { return specs[p].title }

// Process reports whether the profile starts a process.
func (p Profile) Process() bool { return specs[p].process }

// Executable is the usual name of the profile's executable; "" if it has none.
func (p Profile) Executable() string { return specs[p].executable }

// Installs reports whether the profile is a program that people install.
func (p Profile) Installs() bool { return specs[p].executable != "" }

// Needs lists what a program of the profile cannot do without, as pairs of a
// name and an example.
func (p Profile) Needs() []string {
	switch p {
	case OpenAI:
		return []string{"endpoint", "http://127.0.0.1:11434/v1", "model", "MODEL"}
	case Command:
		return []string{"executable", "PATH"}
	case Script:
		return []string{"script", "PATH"}
	}
	return nil
}

// Tells says what the profile reports.
func (p Profile) Tells() Tells { return specs[p].tells }

// Resumes reports whether a conversation can go on in another start.
func (p Profile) Resumes() bool { return specs[p].resumes }

// Install and Login say how to get the program, and how to log in.
func (p Profile) Install() string { return specs[p].install }

// Login says how to log in.
func (p Profile) Login() string { return specs[p].enter }

// VersionArgs and LoginArgs are the arguments of commands that tell the
// program's version, and by their success whether it is logged in; nil if
// there is no such command.
func (p Profile) VersionArgs() []string { return specs[p].version }

// LoginArgs see VersionArgs.
func (p Profile) LoginArgs() []string { return specs[p].login }

// Variables names what the program is given from the runner's environment if it
// is set there; the values of secret ones are struck out of what it prints.
func (p Program) Variables() (plain, secret []string) {
	s := specs[p.Profile]
	secret = slices.Concat(s.secrets, p.Env)
	if p.Key != "" {
		secret = append(secret, p.Key)
	}
	return slices.Clone(s.env), secret
}

// Known reports COST_UNKNOWN unless a run of the program has a cost that can be
// counted: one it tells, or a bound (W13).
func (p Program) Known() error {
	if p.Bounds.Cost > 0 || specs[p.Profile].tells.Cost {
		return nil
	}
	return brenner.Errorf(brenner.CodeCostUnknown, "%s does not tell what a run costs", specs[p.Profile].title).
		WithHint("give the program a bound of cost, which a run whose cost is unknown then counts as; or leave the limit out")
}
