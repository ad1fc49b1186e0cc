// Package cli is the command line: it turns arguments into one call of the
// service and the answer into text for people or JSON for programs. It decides
// nothing.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/problem"
	work "brenner/internal/runner"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

// Env is the world a command runs in, so that tests can give it another.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	// Dir is the working directory; relative paths start here.
	Dir string
	// LookupEnv is a variable and whether it is set; nil: what is empty is not.
	LookupEnv func(string) (string, bool)
	// Terminal says that Out is a terminal, of so many columns and lines: colour
	// and progress may be shown.
	Terminal      bool
	Width, Height int
	// Columns is the width of the terminal that Err is; nil if it is none.
	Columns func() int
	// Self is the program itself, for commands that run others.
	Self string
	// Version of the program.
	Version string
	Build   Build
	// Open gives the service of a project, and how to let it go.
	Open func(ctx context.Context, w Where) (api.Service, func() error, error)
	// Store says where the project is, without opening it.
	Store func(w Where) (string, error)
	// Init makes a project.
	Init func(ctx context.Context, w Where, req api.InitRequest) (api.InitResult, error)
	// Import reads an export into a new project.
	Import func(ctx context.Context, w Where, in io.Reader, tell api.Progress) (api.ImportResult, error)
	// Serve serves a project over HTTP until the context is done.
	Serve func(ctx context.Context, w Where, req ServeRequest) error
	// EmbeddingAllowed says why the embedding endpoint at an address is sent
	// nothing, nil if it is; AllowEmbedding remembers that the person knows one.
	EmbeddingAllowed, AllowEmbedding func(address string) error
	// Runner makes what starts the agents of a project.
	Runner func(ctx context.Context, w Where, o RunnerRequest) (*work.Runner, error)
	// MCP serves tools over a pair of streams.
	MCP func(ctx context.Context, w Where, in io.ReadCloser, out io.WriteCloser) error
}

// Where says which project a command is about, and who asks.
type Where struct {
	Dir   string            // where to look for the project, upward
	Store string            // sqlite:PATH or postgres://…; empty: find it
	As    brenner.ActorName // act as this agent; empty: the owner of the file
	// Server is the address of a server to ask instead of a store; Token is
	// how the actor is known there, and wherever As is empty.
	Server, Token string
	// CA is a file of certificates to trust the server by, besides those of
	// the machine; empty: none.
	CA string
}

// Run runs one command line and gives its exit status.
func Run(ctx context.Context, env Env, args []string) int {
	r := &runner{env: env, out: newPrinter(env.Out)}
	r.out.look = env.looks()
	root := newRoot(r, only(args))
	if asksToComplete(args) {
		r.complete(root)
	}
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(r.out)
	root.SetErr(env.Err)
	r.watchStart(root)
	helpOnCommands(root)
	cmd, err := root.ExecuteContextC(ctx)
	err = errors.Join(err, r.unknown)
	if err != nil && !r.started {
		// A flag of a command that is not there is not what is wrong.
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			err = unknownWord(cmd, words[0])
		}
		err = usage(cmd, err)
		r.json = r.json || asksForJSON(args)
	}
	if r.close != nil {
		err = errors.Join(err, r.close())
	}
	return r.finish(cmd, err)
}

// helpOnCommands has `help` refuse a word that is no command: cobra answers it with the
// help of all.
func helpOnCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.Run, c.RunE = nil, func(_ *cobra.Command, a []string) error {
			found, rest, err := root.Find(a)
			if err == nil && len(rest) > 0 && found.HasSubCommands() {
				return unknownWord(found, rest[0])
			}
			if err != nil {
				return err
			}
			return found.Help()
		}
	}
}

// asksForJSON reports whether --json stands anywhere on a command line that was
// not understood: the flags behind the first bad one were not read (X1).
func asksForJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// watchStart notes when a command starts to run: an error before that is about
// the command line, whatever cobra calls it.
func (r *runner) watchStart(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(cmd *cobra.Command, a []string) error {
			r.started = true
			if err := r.enter(); err != nil {
				return err
			}
			return run(cmd, a)
		}
	}
	for _, sub := range c.Commands() {
		r.watchStart(sub)
	}
}

// Root gives the command tree with all that a run adds only when it is asked
// for, for documentation.
func Root() *cobra.Command {
	r := &runner{env: Env{Getenv: os.Getenv}}
	root := newRoot(r, "")
	r.complete(root)
	return root
}

// newRoot builds the command tree, of the top-level commands that one alone or (name
// "") all: one file of this package per command.
func newRoot(r *runner, name string) *cobra.Command {
	root := &cobra.Command{
		Use:   "brenner",
		Short: "Shared, versioned memory and rule-keeper for teams of agents",
		Long: `Brenner keeps what several agents and the person who leads them know:
typed, versioned, never overwritten, with a history that can be verified.`,
		Example: `  brenner demo
  brenner init --name 'Cell fate'`,
		Version:       r.env.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := root.PersistentFlags()
	f.BoolVar(&r.json, "json", false, "print JSON: {\"schema_version\":1,\"data\":…} or …\"error\":…")
	f.StringVar(&r.store, "store", "", "project store: sqlite:PATH or postgres://… (default: found upward, or $BRENNER_STORE)")
	f.StringVar(&r.server, "server", "", "ask the server at this address, with the token in $BRENNER_TOKEN (or $BRENNER_SERVER)")
	f.StringVar(&r.as, "as", "", "act as this agent, under its policy (or $BRENNER_AGENT)")
	f.StringVarP(&r.dir, "chdir", "C", "", "run as if started in this directory")
	f.StringVar(&r.dir, "directory", "", "as --chdir, which it was called before some commands had a --directory of their own")
	_ = f.MarkHidden("directory")
	f.StringVar(&r.key, "key", "", "idempotency key: repeating the command with it gives the first result")
	root.CompletionOptions.DisableDefaultCmd = true // ours says more
	for _, c := range chapters {
		root.AddGroup(&cobra.Group{ID: c.title, Title: c.title + ":"})
		for _, e := range c.commands {
			if name != "" && e.name != name {
				continue
			}
			command := e.make(r)
			command.GroupID = c.title
			root.AddCommand(command)
		}
	}
	root.SetHelpCommandGroupID(lastChapter)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, a []string) {
		// The help of another command is no answer to a word that is none.
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 && !strings.Contains(cmd.Use, " ") {
			r.unknown = unknownWord(cmd, words[0])
			return
		}
		help(cmd, a)
	})
	return root
}

// runner is one run of the program: the global flags, and the service once a
// command has asked for it.
type runner struct {
	env Env
	// out is standard output; it is flushed once the command is over.
	out   *printer
	json  bool
	store string
	// server is the address of a server, if one is to be asked.
	server string
	as     string
	dir    string
	key    string
	// exit is the status of a command that succeeded with something to say,
	// such as a session still waiting.
	exit    int
	started bool
	// unknown is the word that help was asked for and that is no command.
	unknown error
	// opened is the service once a command has asked for it, close lets it go.
	opened api.Service
	close  func() error
}

// service opens the project the flags name, once.
func (r *runner) service(ctx context.Context) (api.Service, error) {
	if r.opened != nil {
		return r.opened, nil
	}
	if r.server != "" && (r.store != "" || r.as != "") {
		return nil, brenner.Errorf(brenner.CodeUsage, "--server goes with neither --store nor --as").
			WithHint("the server knows its store, and the token in BRENNER_TOKEN says who asks")
	}
	if server := r.env.Getenv("BRENNER_SERVER"); server != "" && r.as != "" && r.store == "" {
		return nil, brenner.Errorf(brenner.CodeUsage, "--as says %s, and BRENNER_SERVER leads to a server, where the token says who asks", r.as).
			WithHint("leave out --as to ask the server; name the store, or unset BRENNER_SERVER, to act here")
	}
	w := r.where()
	s, closer, err := r.env.Open(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := r.sameName(ctx, w, s); err != nil {
		return nil, errors.Join(err, closer())
	}
	r.opened, r.close = s, closer
	return s, nil
}

// sameName refuses to ask a server by the token of another than BRENNER_AGENT names: who
// acts must be plain.
func (r *runner) sameName(ctx context.Context, w Where, s api.Service) error {
	named := r.env.Getenv("BRENNER_AGENT")
	if w.Server == "" || named == "" {
		return nil
	}
	info, err := s.Project(ctx)
	if err != nil || string(info.Actor) == named {
		return nil //nolint:nilerr // what the command asks for says what is wrong
	}
	return brenner.Errorf(brenner.CodeUsage, "BRENNER_AGENT says %s, and the token in BRENNER_TOKEN is of %s", named, info.Actor).
		WithHint("unset one of them: who acts must be plain")
}

// ask makes one call of the service of the project the flags name.
func ask[Q, A any](r *runner, cmd *cobra.Command, call func(api.Service, context.Context, Q) (A, error), req Q) (A, error) {
	s, err := r.service(cmd.Context())
	if err != nil {
		var none A
		return none, err
	}
	return call(s, cmd.Context(), req)
}

func (r *runner) where() Where {
	w := Where{Dir: r.path(""), Store: r.store, As: brenner.ActorName(r.as), Server: r.server, Token: r.env.Getenv("BRENNER_TOKEN")}
	if w.Server == "" && w.Store == "" && w.As == "" {
		w.Server = r.env.Getenv("BRENNER_SERVER")
	}
	if w.Server != "" {
		if ca := r.env.Getenv("BRENNER_CA"); ca != "" {
			w.CA = r.path(ca)
		}
		return w
	}
	if w.Store == "" {
		w.Store = r.env.Getenv("BRENNER_STORE")
	}
	if w.As == "" {
		w.As = brenner.ActorName(r.env.Getenv("BRENNER_AGENT"))
	}
	return w
}

// write is the part of a request that every change carries.
func (r *runner) write() api.Write { return api.Write{Key: r.key} }

// path makes a path of the command line absolute.
func (r *runner) path(p string) string {
	switch {
	case filepath.IsAbs(p):
		return p
	case filepath.IsAbs(r.dir):
		return filepath.Join(r.dir, p)
	}
	return filepath.Join(r.env.Dir, r.dir, p)
}

// belowARun keeps whatever a program of an agent starts to being that agent
// (W4): the acts of the PI are not for it.
func (r *runner) belowARun() error {
	run := r.env.Getenv("BRENNER_RUN")
	if run == "" || string(r.where().As) == r.env.Getenv("BRENNER_AGENT") && r.where().As != "" {
		return nil
	}
	return brenner.Errorf(brenner.CodeWriteDenied, "below %s you act as %s and as nobody else", run, r.env.Getenv("BRENNER_AGENT")).
		WithHint("leave --as, --server and BRENNER_AGENT as they are; what needs the PI is for the PI")
}

// enter sees that the directory of -C is one: a project looked for upward from
// a place that does not exist would be another one.
func (r *runner) enter() error {
	if err := r.belowARun(); err != nil {
		return err
	}
	if named := r.env.Getenv("BRENNER_AGENT"); r.as != "" && named != "" && named != r.as {
		return brenner.Errorf(brenner.CodeUsage, "--as says %s and BRENNER_AGENT says %s", r.as, named).
			WithHint("leave out one of them: who acts must be plain")
	}
	if r.dir == "" {
		return nil
	}
	info, err := os.Stat(r.path(""))
	if err != nil {
		return fileError(r.dir, err)
	}
	if !info.IsDir() {
		return brenner.Errorf(brenner.CodeFileError, "%s is not a directory", r.dir)
	}
	return nil
}

// read gives the bytes of a file, or of standard input for "-", refusing more
// than most bytes.
func (r *runner) read(name string, most int64) ([]byte, error) {
	in := r.env.In
	if name != "-" {
		f, err := os.Open(r.path(name))
		if err != nil {
			return nil, fileError(name, err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	if int64(len(data)) > most {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "%s is larger than %d bytes", name, most)
	}
	return data, nil
}

func fileError(name string, err error) error {
	return brenner.Errorf(brenner.CodeFileError, "%s: %v", name, withoutPath(err)).Because(err)
}

// withoutPath gives what went wrong with a file, without the name that the
// system knows it by.
func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// show prints a result: data as JSON, or what text writes.
func (r *runner) show(data any, text func(w *printer)) error {
	if !r.json && !r.env.Terminal {
		text(r.out)
		return nil
	}
	if !r.json {
		if said := r.out.look.textOf(text); !r.page(said) {
			r.out.Print(said)
		}
		return nil
	}
	return r.printJSON(struct {
		SchemaVersion int `json:"schema_version"`
		Data          any `json:"data"`
	}{1, data})
}

func (r *runner) printJSON(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	r.out.Printf("%s\n", b)
	return nil
}

// announce is show for a command that goes on: its reader gets it now.
func (r *runner) announce(data any, text func(w *printer)) error {
	if !r.json {
		r.out.Print(r.out.look.textOf(text))
		return r.out.Flush()
	}
	return errors.Join(r.show(data, text), r.out.Flush())
}

// finish reports an error and gives the exit status. An answer that could not
// be written is an error too: the exit status never says that it was.
func (r *runner) finish(cmd *cobra.Command, err error) int {
	if err == nil {
		err = r.out.Flush()
	}
	if err == nil {
		return r.exit
	}
	e, status := problem.From(err)
	if r.where().As != "" { // what a person decides an agent can only ask for
		e.Actions = e.ForAgent()
	}
	e.Actions = slices.DeleteFunc(slices.Clone(e.Actions), func(a brenner.Action) bool { return !repeatable(cmd, a) })
	if r.json {
		_ = r.printJSON(struct {
			SchemaVersion int            `json:"schema_version"`
			Error         *brenner.Error `json:"error"`
		}{1, e})
	}
	if lost := r.out.Flush(); lost != nil || !r.json {
		w := newPrinter(r.env.Err)
		w.Print(printable(textOf(func(w *printer) { complain(w, e) }))) // errors quote what was sent
		_ = w.Flush()                                                   // there is nowhere left to tell it
	}
	if cause := errors.Unwrap(e); cause != nil && r.env.Getenv("BRENNER_DEBUG") != "" {
		r.note("cause: %v\n", cause)
	}
	return status.Exit
}

// repeatable reports whether a command can be repeated as an action says: a
// checkout has its summaries in the files, and no flag for one.
func repeatable(cmd *cobra.Command, a brenner.Action) bool {
	if !a.Repeats() || cmd == nil {
		return true
	}
	for key := range a.Args {
		if flag := strings.ReplaceAll(key, "_", "-"); strings.Contains(a.Command(), "--"+flag) && cmd.Flag(flag) == nil {
			return false
		}
	}
	return true
}

// complain writes an error for people: what, where, and what to do.
func complain(w *printer, e *brenner.Error) {
	where := ""
	if e.Pointer != "" {
		where = " (at " + e.Pointer + ")"
	}
	w.Printf("brenner: %s: %s%s\n", e.Code, e.Message, where)
	for _, d := range e.Diagnostics {
		w.Printf("  %s\n", diagnosticLine(d))
	}
	for line := range strings.SplitSeq(e.Hint, "\n") {
		if line != "" {
			w.Printf("hint: %s\n", line)
		}
	}
	for _, a := range e.Actions {
		if said := suggestion(a); !strings.Contains(e.Hint, "--help") || !strings.HasSuffix(said, "--help") {
			w.Printf("hint: %s\n", said)
		}
	}
}

// adviceOf is what to do about an error in one line.
func adviceOf(e *brenner.Error) string {
	var said []string
	if e.Hint != "" {
		said = append(said, e.Hint)
	}
	for _, a := range e.Actions {
		said = append(said, suggestion(a))
	}
	return strings.Join(said, "; ")
}

// suggestion is what a terminal says of an action: a command to run, or what to
// add to the one that was refused.
func suggestion(a brenner.Action) string {
	if a.Repeats() {
		return "repeat it with " + a.Command()
	}
	return "run " + asCommand(a)
}

// diagnosticLine is one finding on one line.
func diagnosticLine(d brenner.Diagnostic) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", d.Severity, d.Code)
	if d.Subject != "" {
		fmt.Fprintf(&b, " %s", d.Subject)
	}
	fmt.Fprintf(&b, ": %s", d.Message)
	if d.Pointer != "" {
		fmt.Fprintf(&b, " (at %s)", d.Pointer)
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "; %s", d.Hint)
	}
	if d.Role != "" {
		fmt.Fprintf(&b, " [for %s]", d.Role)
	}
	return b.String()
}

func unknownWord(cmd *cobra.Command, word string) error {
	return fmt.Errorf("unknown command %q for %q", word, cmd.CommandPath())
}

// group is a command that only holds others: alone it prints its help, and an
// unknown word is a usage error.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		RunE: func(cmd *cobra.Command, a []string) error {
			if len(a) > 0 {
				return usage(cmd, unknownWord(cmd, a[0]))
			}
			return cmd.Help()
		},
	}
	c.AddCommand(subs...)
	return c
}
