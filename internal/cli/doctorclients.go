package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/locate"
)

// clientChecks looks at what setup wrote, here and beside the project: whether
// a client that reads it would start this program, and reach this project as
// somebody it knows.
func (r *runner) clientChecks(ctx context.Context, place string, info api.ProjectInfo) []check {
	dirs := []string{r.path("")}
	if file, ok := strings.CutPrefix(place, "sqlite:"); ok && filepath.Base(filepath.Dir(file)) == ".brenner" {
		if home := filepath.Dir(filepath.Dir(file)); home != dirs[0] {
			dirs = append(dirs, home)
		}
	}
	var checks []check
	for _, dir := range dirs {
		for _, c := range clients {
			text, err := os.ReadFile(filepath.Join(dir, c.file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			e, found := entry{}, true
			if err == nil {
				e, found, err = c.read(text)
			}
			switch {
			case err != nil:
				checks = append(checks, failed(c.name, fileError(c.file, err)))
			case found:
				checks = append(append(checks, r.clientCheck(ctx, dir, c, e, info)), unread(dir, c, text)...)
			}
		}
		if stale := staleAgents(filepath.Join(dir, "AGENTS.md")); stale != nil {
			checks = append(checks, *stale)
		}
	}
	return checks
}

func (r *runner) clientCheck(ctx context.Context, dir string, c client, e entry, info api.ProjectInfo) check {
	if e.server != "" {
		return r.serverCheck(ctx, c, e, info)
	}
	as := cmp.Or(e.agent(), r.env.Getenv("BRENNER_AGENT"))
	again := fmt.Sprintf("run `brenner setup %s --as %s` again", c.name, cmp.Or(as, "NAME"))
	program := e.command
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	found, err := exec.LookPath(program)
	if err != nil {
		return check{
			Name: c.name, Code: brenner.CodeFileError, Message: fmt.Sprintf("%s starts %s, which is not there", c.file, e.command), Hint: again,
		}
	}
	store := e.option("--store")
	if strings.HasPrefix(store, "postgres") && store != r.store && store != r.env.Getenv("BRENNER_STORE") {
		// The driver would send the password that the environment holds.
		return check{
			Name: c.name, Warning: true, Message: c.file + " names a database that you did not; it was not asked",
			Hint: "if you know it, set BRENNER_STORE to it and run `brenner doctor` again",
		}
	}
	id, err := r.projectAt(ctx, Where{Dir: dir, Store: store, As: brenner.ActorName(as)})
	switch {
	case err != nil:
		out := failed(c.name, err)
		out.Message = c.file + ": " + out.Message
		return out
	case id != info.ID:
		return check{Name: c.name, Warning: true, Message: c.file + " leads to another project", Hint: again}
	case !sameFile(found, r.env.Self):
		return check{
			Name: c.name, Warning: true, Message: fmt.Sprintf("%s starts %s, which is not this program", c.file, found),
			Hint: "put this program first on the PATH, or " + again,
		}
	}
	return check{Name: c.name, OK: true, Message: fmt.Sprintf("%s starts this program as %s", c.file, cmp.Or(e.agent(), "the agent that BRENNER_AGENT names"))}
}

// serverCheck asks the server that a client is told to use, with the token the
// client would send if it ran here. The file may have come with a clone: the
// person's own token goes only to a server that the person named.
func (r *runner) serverCheck(ctx context.Context, c client, e entry, info api.ProjectInfo) check {
	base := strings.TrimSuffix(e.server, "/mcp")
	own := r.env.Getenv("BRENNER_TOKEN")
	known := r.namedServer(base)
	token := e.token
	if token == "" && known {
		token = own
	}
	// Without a token there is one question left, whether anybody answers: a
	// client asks nothing without one.
	id, err := r.projectAt(ctx, Where{Dir: r.path(""), Server: base, Token: cmp.Or(token, "none")})
	switch {
	case brenner.CodeOf(err) == brenner.CodeUnauthenticated && token == "" && own != "":
		return check{
			Name: c.name, Warning: true,
			Message: fmt.Sprintf("%s leads to %s, which answers; BRENNER_TOKEN was not sent there, because only that file names it", c.file, base),
			Hint:    "if you know that server, set BRENNER_SERVER to it and run `brenner doctor` again",
		}
	case brenner.CodeOf(err) == brenner.CodeUnauthenticated && token == "":
		return check{
			Name: c.name, Warning: true, Message: fmt.Sprintf("%s leads to %s, which answers; BRENNER_TOKEN is not set here", c.file, base),
			Hint: "set it where the client runs, to what `brenner agent token NAME` prints",
		}
	case brenner.CodeOf(err) == brenner.CodeStoreUnavailable:
		out := failed(c.name, err)
		out.Message, out.Hint = c.file+": "+out.Message, fmt.Sprintf("start the server, or run `brenner setup %s` again with another --server", c.name)
		return out
	case err != nil:
		out := failed(c.name, err)
		out.Message = c.file + ": " + out.Message
		return out
	case id != info.ID:
		return check{
			Name: c.name, Warning: true, Message: fmt.Sprintf("%s leads to another project, at %s", c.file, base),
			Hint: fmt.Sprintf("run `brenner setup %s` again with another --server", c.name),
		}
	case e.token != "":
		return check{
			Name: c.name, Warning: true, Message: c.file + " holds a token, for everybody who can read the file",
			Hint: fmt.Sprintf("revoke it, and run `brenner setup %s --server %s` again: the token belongs into BRENNER_TOKEN", c.name, base),
		}
	}
	return check{Name: c.name, OK: true, Message: fmt.Sprintf("%s leads to %s, which knows the token", c.file, base)}
}

// namedServer reports whether the person named the server at an address, by
// --server or BRENNER_SERVER: the same scheme, host and port.
func (r *runner) namedServer(address string) bool {
	asked, err := locate.Origin(address)
	if err != nil {
		return false
	}
	for _, name := range []string{r.server, r.env.Getenv("BRENNER_SERVER")} {
		if o, err := locate.Origin(name); err == nil && o == asked {
			return true
		}
	}
	return false
}

// projectAt says which project is there, for whoever asks.
func (r *runner) projectAt(ctx context.Context, w Where) (id brenner.ProjectID, err error) {
	s, closer, err := r.env.Open(ctx, w)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, closer()) }()
	info, err := s.Project(ctx)
	return info.ID, err
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// unread warns of guides that a client is set up without: those that are not
// there, or that it was not told to read.
func unread(dir string, c client, text []byte) []check {
	var out []check
	warn := func(message string) {
		out = append(out, check{Name: c.name, Warning: true, Message: message, Hint: "run `brenner setup " + c.name + "` again"})
	}
	for _, g := range c.guides(true) {
		old, _ := os.ReadFile(filepath.Join(dir, g.path)) // one that cannot be read is not read by the client either
		if now, err := g.edit(old); (err != nil || string(now) != string(old)) && !strings.Contains(string(old), agentsBegin) {
			warn(g.path + " says nothing of Brenner")
		}
	}
	if c.name == "gemini" {
		f, err := readJSON(text, c.comments)
		if err != nil {
			return out
		}
		if told, err := tellGemini(f, true); err == nil && told.text != f.text {
			warn(c.file + " does not tell Gemini to read " + agentsFile)
		}
	}
	return out
}

// staleAgents warns of a section that another version of this program wrote.
func staleAgents(path string) *check {
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), agentsBegin) {
		return nil
	}
	if now, err := editAgents(text); err == nil && string(now) == string(text) {
		return nil
	}
	return &check{
		Name: "AGENTS.md", Warning: true, Message: "its section about Brenner is not what this version says",
		Hint: "run `brenner setup` for your client again",
	}
}

// option gives the value of a flag among the arguments.
func (e entry) option(name string) string {
	if i := slices.Index(e.args, name); i >= 0 && i+1 < len(e.args) {
		return e.args[i+1]
	}
	return ""
}
