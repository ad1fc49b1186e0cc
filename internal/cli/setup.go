package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/patchfs"

	"github.com/spf13/cobra"
)

// entry is how a client is to reach the tools: by starting a command, or at a
// server with the token that its environment holds.
type entry struct {
	command string
	args    []string // of the command
	server  string   // the address of the tools; empty: start the command
	token   string   // one that somebody wrote into the file; setup never does
}

// agent is whose tools the client gets; "": whoever its environment names.
func (e entry) agent() string { return e.option("--as") }

func newSetup(r *runner) *cobra.Command {
	var print, replace, remove bool
	names := clientNames()
	c := &cobra.Command{
		Use:   "setup " + strings.Join(names, "|"),
		Short: "Tell an agent's program about the tools",
		Long: `Writes the MCP configuration of a client into the project, and a short section
of the guide the client reads (AGENTS.md, which CLAUDE.md is made to import) that
says how to work with Brenner. What else is in these files stays; running it
again changes nothing.

With --as the client starts ` + "`brenner mcp`" + ` as that agent; without, as the agent
that $BRENNER_AGENT names where the client is started, so that several agents
can work in one directory. With --server it uses the tools of a server, with the
token in its environment as BRENNER_TOKEN. --remove takes all of it back, byte
for byte; the guide stays as long as another client is set up here.`,
		Example:   `  brenner setup claude --as BlueLake`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, a []string) error {
			client := clientOf(a[0])
			change, e, err := r.setupChange(client, replace || print, remove)
			if err != nil {
				return err
			}
			files, err := r.setupFiles(client, change)
			if err != nil {
				return err
			}
			if !print {
				for _, f := range files {
					if err := f.write(); err != nil {
						return err
					}
				}
			}
			return r.show(files, func(w *printer) {
				showSetup(w, files, print)
				if !remove && filepath.IsAbs(e.command) {
					w.Printf("brenner on the PATH is not this program, so the client starts %s\n", e.command)
				}
				if !remove && e.agent() != "" && r.nobody(cmd.Context(), e) {
					w.Printf("nobody here is called %s yet: brenner agent add %s --role ROLE\n", e.agent(), e.agent())
				}
				if !remove && e.server == "" && e.agent() == "" {
					w.Printf("start it with the agent's name: BRENNER_AGENT=NAME %s\n", client.program)
				}
			})
		},
	}
	c.Flags().BoolVar(&print, "print", false, "show what would be written, and write nothing")
	c.Flags().BoolVar(&replace, "replace", false, "let the client be another agent than the one it was set up for")
	c.Flags().BoolVar(&remove, "remove", false, "take back what setup wrote")
	return c
}

// nobody says whether the project that the client would open here knows no agent of the
// name it is set up for. Where there is no project nobody knows.
func (r *runner) nobody(ctx context.Context, e entry) bool {
	at := Where{Dir: r.path(""), Store: cmp.Or(r.store, r.env.Getenv("BRENNER_STORE")), As: brenner.ActorName(e.agent())}
	_, err := r.projectAt(ctx, at)
	return errors.Is(err, brenner.CodeUnauthenticated)
}

// setupChange says what is to become of our entry: a new one, or with remove
// none. A client that was set up for another agent is not taken over silently.
func (r *runner) setupChange(c client, replace, remove bool) (*entry, entry, error) {
	if remove {
		return nil, entry{}, nil
	}
	e, err := r.setupEntry()
	if err != nil || replace {
		return &e, e, err
	}
	text, err := os.ReadFile(r.path(c.file))
	if err != nil {
		return &e, e, nil //nolint:nilerr // setupFiles says what is wrong with it
	}
	old, found, err := c.read(text)
	if err == nil && found && slices.Contains(old.args, "mcp") && old.agent() != e.agent() {
		return nil, e, brenner.Errorf(brenner.CodeAlreadyExists, "%s is set up for %s", c.file, cmp.Or(old.agent(), "the agent that BRENNER_AGENT names")).
			WithHint("add --replace to change that; without --as it takes the name from BRENNER_AGENT, for several agents in one directory")
	}
	return &e, e, nil
}

// setupEntry says how the client is to reach the tools, from the flags.
func (r *runner) setupEntry() (entry, error) {
	if r.server != "" {
		return entry{server: strings.TrimSuffix(r.server, "/") + "/mcp"}, nil
	}
	e := entry{command: r.ownName(), args: []string{"mcp"}}
	if r.as != "" {
		if err := brenner.ActorName(r.as).Check(); err != nil {
			return entry{}, err
		}
		e.args = append(e.args, "--as", r.as)
	}
	if r.store != "" {
		if err := noPassword(r.store); err != nil {
			return entry{}, err
		}
		e.args = append(e.args, "--store", r.store)
	}
	return e, nil
}

// noPassword refuses an address with a password: the files of clients are for
// everybody who reads the project (X12).
func noPassword(store string) error {
	u, err := url.Parse(store)
	if err != nil || u.User == nil {
		return nil //nolint:nilerr // no address of a server; opening it says what is wrong
	}
	if _, has := u.User.Password(); !has {
		return nil
	}
	return brenner.Errorf(brenner.CodeUsage, "the address of the store holds a password, which the file would show to everybody").
		WithHint("leave it out and keep it in a file of yours that PGPASSFILE names, or set BRENNER_STORE where the client runs")
}

// ownName is how a client starts this program: by name if that leads here, so
// that the file is good on other machines too; else by its path.
func (r *runner) ownName() string {
	const name = "brenner"
	if found, err := exec.LookPath(name); r.env.Self == "" || (err == nil && sameFile(found, r.env.Self)) {
		return name
	}
	return r.env.Self
}

// setupFile is a file before and after.
type setupFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Text    string `json:"text"`
	at      string
}

// setupFiles are the files of a client with our entry in them, or with none
// without it. Nothing is written.
func (r *runner) setupFiles(c client, e *entry) ([]setupFile, error) {
	edits := append([]edit{{c.file, func(text []byte) ([]byte, error) { return c.edit(text, e) }}}, c.guides(e != nil)...)
	if e == nil && r.othersRead(c) {
		edits = slices.DeleteFunc(edits, func(f edit) bool { return f.path == agentsFile })
	}
	var files []setupFile
	for _, f := range edits {
		at := r.path(f.path)
		old, err := os.ReadFile(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fileError(f.path, err)
		}
		text, err := f.edit(old)
		if err != nil {
			return nil, brenner.Errorf(brenner.CodeFileError, "%s: %v", f.path, err).
				WithHint("nothing was written; mend the file, or see `brenner setup " + c.name + " --print` in an empty directory").Because(err)
		}
		files = append(files, setupFile{Path: f.path, Changed: !bytes.Equal(old, text), Text: string(text), at: at})
	}
	return files, nil
}

// othersRead says whether another client is set up here, which reads the same
// guide.
func (r *runner) othersRead(c client) bool {
	return slices.ContainsFunc(clients, func(other client) bool {
		text, err := os.ReadFile(r.path(other.file))
		if err != nil || other.name == c.name {
			return false
		}
		_, found, err := other.read(text)
		return found && err == nil
	})
}

// write replaces the file in one step; a link stays a link.
func (f setupFile) write() error {
	if !f.Changed {
		return nil
	}
	at := f.at
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	if f.Text == "" {
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(f.Path, err)
		}
		if dir := filepath.Dir(f.Path); dir != "." {
			_ = os.Remove(filepath.Dir(at)) // a folder with something else in it stays
		}
		return nil
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(at); err == nil {
		mode = info.Mode().Perm()
	}
	if err := patchfs.BelowGit(at); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return fileError(f.Path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(at), ".brenner-*")
	if err != nil {
		return fileError(f.Path, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(f.Text)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), at)
	}
	if err != nil {
		return fileError(f.Path, err)
	}
	return nil
}

func showSetup(w *printer, files []setupFile, print bool) {
	for _, f := range files {
		switch {
		case print:
			w.Printf("==> %s\n%s", f.Path, f.Text)
		case f.Changed && f.Text == "":
			w.Printf("removed %s\n", f.Path)
		case f.Changed:
			w.Printf("wrote %s\n", f.Path)
		default:
			w.Printf("%s is as it should be\n", f.Path)
		}
	}
}
