package program

import (
	"path"
	"strings"

	"brenner/canon"
)

// Launch is one start of a program: what its command line is made of.
type Launch struct {
	// Program is resolved.
	Program Program
	// Prompt is what it is asked.
	Prompt string
	// Resume names the conversation that goes on; empty: a new one.
	Resume string
	// URL is where Brenner's tools are served, empty if there are none; the
	// token for them is in the variable TokenVariable.
	URL string
	// Private is a directory for files of this run, which nobody else reads.
	Private string
	// Home is the home directory of whoever runs it.
	Home string
	// Set are the names of those variables of the program that are set.
	Set []string
}

// The variables that a run is given. TokenVariable holds the token of the run,
// and no command line or file does.
const (
	TokenVariable = "BRENNER_RUN_TOKEN"
	URLVariable   = "BRENNER_RUN_URL"
)

// Cmd is what to execute for one start.
type Cmd struct {
	// Path and Args are the executable and its arguments.
	Path string
	Args []string
	// Input is given on standard input, which then ends.
	Input string
	// Env is set besides what the program's variables bring.
	Env map[string]string
	// Files are to be written below Launch.Private first, Links to be made
	// there, by name: the value is what a file holds, or where a link leads if
	// that exists.
	Files, Links map[string]string
}

// Cmd gives what to execute. The profile must have a process.
func (l Launch) Cmd() Cmd {
	c := specs[l.Program.Profile].command(l)
	c.Path = l.Program.Executable
	c.Args = append(c.Args, l.Program.Args...)
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env["NO_COLOR"] = "1"
	return c
}

// reads reports whether the program may read files: without tools only in a
// worktree, where files are what it is about (W5).
func (l Launch) reads() bool {
	return l.edits() || l.Program.Directory == Worktree
}

func (l Launch) edits() bool  { return l.Program.Tools == Edit || l.Program.Tools == Shell }
func (l Launch) shells() bool { return l.Program.Tools == Shell }

// server is the name under which programs know Brenner's tools.
const server = "brenner"

// object is JSON in the making.
type object = map[string]any

func jsonText(v any) string { return string(canon.MustMarshal(v)) }

// claudeCommand starts Claude Code. Nothing of a project's settings is loaded,
// since they can hold commands; of its tools those are there that are listed.
func claudeCommand(l Launch) Cmd {
	var tools []string
	if l.reads() {
		tools = append(tools, "Read", "Glob", "Grep")
	}
	if l.edits() {
		tools = append(tools, "Edit", "Write", "NotebookEdit")
	}
	if l.shells() {
		tools = append(tools, "Bash")
	}
	servers := object{}
	if l.URL != "" {
		servers[server] = object{"type": "http", "url": l.URL, "headers": object{"Authorization": "Bearer ${" + TokenVariable + "}"}}
	}
	args := []string{
		"-p", "--output-format=stream-json", "--verbose",
		"--mcp-config=" + jsonText(object{"mcpServers": servers}), "--strict-mcp-config", "--setting-sources=user",
		"--tools=" + strings.Join(tools, ","),
		"--allowedTools=" + strings.Join(append([]string{"mcp__" + server}, tools...), ","),
	}
	args = append(args, flag("--model=", l.Program.Model)...)
	args = append(args, flag("--resume=", l.Resume)...)
	if l.Program.Bounds.Cost > 0 {
		args = append(args, "--max-budget-usd="+strings.TrimPrefix(l.Program.Bounds.Cost.String(), "$"))
	}
	return Cmd{Args: args, Input: l.Prompt, Env: map[string]string{
		// The runner does the waiting and tells about it.
		"CLAUDE_CODE_MAX_RETRIES":                  "2",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}}
}

// flag gives a flag with its value, or nothing without a value.
func flag(name, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name + value}
}

// codexCommand starts Codex. Its shell is its only way to read and to edit, so
// that tools widen the sandbox of the shell; without any it has no shell.
func codexCommand(l Launch) Cmd {
	args := []string{"exec"}
	if l.Resume != "" {
		args = append(args, "resume")
	}
	args = append(args, "--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules")
	args = append(args, flag("--model=", l.Program.Model)...)
	sandbox := "read-only"
	if l.edits() {
		sandbox = "workspace-write"
	}
	settings := []string{
		`sandbox_mode=` + toml(sandbox),
		`approval_policy="never"`,
		`web_search="disabled"`,
		`features.multi_agent=false`, `features.goals=false`,
	}
	if l.URL != "" {
		settings = append(settings,
			`mcp_servers.`+server+`.url=`+toml(l.URL),
			`mcp_servers.`+server+`.bearer_token_env_var=`+toml(TokenVariable))
	}
	if !l.reads() {
		settings = append(settings, `features.shell_tool=false`, `features.unified_exec=false`, `features.view_image=false`)
	}
	if l.shells() {
		settings = append(settings, `sandbox_workspace_write.network_access=true`)
	}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	if l.Resume != "" {
		args = append(args, l.Resume)
	}
	return Cmd{Args: append(args, "-"), Input: l.Prompt}
}

// toml quotes a text as TOML's basic strings do, which JSON's are.
func toml(s string) string { return jsonText(s) }

// geminiCommand starts Gemini CLI. It takes servers from settings files alone,
// so that it is given a home of its own with a link to the login of the
// person; its policy names what it may use.
func geminiCommand(l Launch) Cmd {
	allow := []string{}
	if l.reads() {
		allow = append(allow, "read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content")
	}
	if l.edits() {
		allow = append(allow, "write_file", "replace")
	}
	if l.shells() {
		allow = append(allow, "run_shell_command")
	}
	var policy strings.Builder
	rule := func(match, decision, priority string) {
		policy.WriteString("[[rule]]\n" + match + "\ndecision = " + toml(decision) + "\npriority = " + priority + "\n\n")
	}
	rule(`toolName = "*"`, "deny", "1")
	rule("mcpName = "+toml(server)+"\ntoolName = \"*\"", "allow", "900")
	for _, tool := range allow {
		rule("toolName = "+toml(tool), "allow", "900")
	}
	servers := object{}
	if l.URL != "" {
		servers[server] = object{"httpUrl": l.URL, "headers": object{"Authorization": "Bearer $" + TokenVariable}, "trust": true}
	}
	settings := object{
		"mcpServers": servers,
		"general":    object{"enableAutoUpdate": false, "maxAttempts": 2},
		"privacy":    object{"usageStatisticsEnabled": false},
		"security":   object{"auth": object{"selectedType": geminiLogin(l.Set)}},
	}
	args := []string{
		"--output-format=stream-json", "--skip-trust", "--extensions=none",
		"--allowed-mcp-server-names=" + server, "--policy=" + path.Join(l.Private, "policy.toml"),
	}
	args = append(args, flag("--model=", l.Program.Model)...)
	if l.Resume != "" {
		args = append(args, "--resume=latest") // the home is the run's own: there is no other
	}
	links := map[string]string{}
	for _, name := range []string{"oauth_creds.json", "google_accounts.json", "installation_id"} {
		links[".gemini/"+name] = path.Join(l.Home, ".gemini", name)
	}
	return Cmd{
		Args: args, Input: l.Prompt, Links: links,
		Files: map[string]string{"policy.toml": policy.String(), ".gemini/settings.json": jsonText(settings)},
		Env:   map[string]string{"GEMINI_CLI_HOME": l.Private, "TERM": "dumb"},
	}
}

// geminiLogin says how Gemini CLI is to log in, from what is set.
func geminiLogin(set []string) string {
	for _, by := range []struct{ variable, method string }{
		{"GOOGLE_GENAI_USE_VERTEXAI", "vertex-ai"}, {"GEMINI_API_KEY", "gemini-api-key"}, {"GOOGLE_API_KEY", "vertex-ai"},
	} {
		for _, name := range set {
			if name == by.variable {
				return by.method
			}
		}
	}
	return "oauth-personal"
}

// opencodeCommand starts opencode, configured by a variable alone.
func opencodeCommand(l Launch) Cmd {
	permission := object{"*": "deny", server + "_*": "allow"}
	allow := func(names ...string) {
		for _, name := range names {
			permission[name] = "allow"
		}
	}
	if l.reads() {
		allow("read", "glob", "grep", "list")
	}
	if l.edits() {
		allow("edit", "write", "patch")
	}
	if l.shells() {
		allow("bash")
	}
	servers := object{}
	if l.URL != "" {
		servers[server] = object{
			"type": "remote", "url": l.URL, "enabled": true, "oauth": false,
			"headers": object{"Authorization": "Bearer {env:" + TokenVariable + "}"},
		}
	}
	settings := object{
		"mcp":        servers,
		"permission": permission, "share": "disabled", "autoupdate": false,
	}
	args := []string{"run", "--format=json", "--pure"}
	args = append(args, flag("--model=", l.Program.Model)...)
	args = append(args, flag("--session=", l.Resume)...)
	return Cmd{Args: args, Input: l.Prompt, Env: map[string]string{
		"OPENCODE_CONFIG_CONTENT": jsonText(settings), "OPENCODE_DISABLE_AUTOUPDATE": "1",
	}}
}

// plainCommand starts a command that knows nothing of Brenner: it reads the
// prompt and writes its reply. One that does know can reach the tools.
func plainCommand(l Launch) Cmd {
	return Cmd{Input: l.Prompt, Env: map[string]string{URLVariable: l.URL}}
}
