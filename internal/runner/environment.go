package runner

import (
	"maps"
	"os"
	"slices"
	"strings"

	"brenner"
	"brenner/program"
)

// basics are what every program is given if it is set: where things are, how
// people write here, and what a terminal can do (W4). Everything else of our
// environment stays with us.
var basics = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "TERM",
	// What Windows programs cannot do without.
	"SystemRoot", "SYSTEMROOT", "ComSpec", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData", "TEMP", "TMP",
}

// shortestSecret bounds what is struck out: a value of a few letters would
// take half the words of a transcript with it.
const shortestSecret = 8

// environment is what a program is given.
type environment struct {
	vars map[string]string
	// set names which of the program's own variables are there.
	set []string
	// secrets are values that must not be kept.
	secrets []string
}

// buildEnvironment takes from ours what the program may have, and adds who it
// is. Nothing of the PI's BRENNER_* is among it.
func buildEnvironment(environ []string, p program.Program, agent brenner.ActorName, run, token string) environment {
	ours := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name != "" && value != "" {
			ours[name] = value
		}
	}
	e := environment{vars: map[string]string{}}
	for name, value := range ours {
		if slices.Contains(basics, name) || strings.HasPrefix(name, "LC_") {
			e.vars[name] = value
		}
	}
	plain, secret := p.Variables()
	for _, name := range slices.Concat(plain, secret) {
		value, ok := ours[name]
		if !ok || strings.HasPrefix(name, "BRENNER_") {
			continue
		}
		e.vars[name] = value
		e.set = append(e.set, name)
		if slices.Contains(secret, name) {
			e.secrets = append(e.secrets, value)
		}
	}
	e.vars["BRENNER_AGENT"], e.vars["BRENNER_RUN"] = string(agent), run
	if token != "" {
		e.vars[program.TokenVariable] = token
		e.secrets = append(e.secrets, token)
	}
	e.secrets = slices.DeleteFunc(e.secrets, func(s string) bool { return len(s) < shortestSecret })
	return e
}

// with adds what a command sets, and gives all as a process takes it.
func (e environment) with(more map[string]string) []string {
	vars := maps.Clone(e.vars)
	maps.Copy(vars, more)
	out := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		out = append(out, name+"="+vars[name])
	}
	return out
}

// home is where the person's own configuration is.
func (e environment) home() string {
	if h := e.vars["HOME"]; h != "" {
		return h
	}
	h, _ := os.UserHomeDir()
	return h
}
