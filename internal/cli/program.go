package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/programs"
	work "brenner/internal/runner"
	"brenner/program"

	"github.com/spf13/cobra"
)

func newProgram(r *runner) *cobra.Command {
	return group("program", "How agents are started on this machine", newProgramList(r), newProgramCheck(r), newProgramAllow(r), newProgramUse(r), newProgramAdd(r), newProgramRemove(r))
}

func count(n int) string { return strconv.Itoa(n) }

// onMachine looks programs up in the project, or where there is none among those of the
// machine.
func (r *runner) onMachine(cmd *cobra.Command, fn func(programs.Finder) error) error {
	if _, err := r.service(cmd.Context()); !errors.Is(err, brenner.CodeNoProject) {
		return r.onPrograms(cmd, fn)
	}
	book, err := programs.Open(programs.Path(r.env.Getenv))
	if err != nil {
		return err
	}
	return fn(programs.Finder{Book: book, Dir: r.path("")})
}

// onPrograms opens the project and looks programs up in it.
func (r *runner) onPrograms(cmd *cobra.Command, fn func(programs.Finder) error) error {
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	f, err := r.finder(cmd.Context(), s)
	if err != nil {
		return err
	}
	return fn(f)
}

func newProgramList(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the programs that agents can be started with here",
		Long: `List your own programs, those that the project's configuration names, and the
built-in ones. What a project asks for beyond a built-in profile and a model is
started only once you have allowed it here; see ` + "`brenner program allow`" + `.`,
		Example: `  brenner program list`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.onMachine(cmd, func(f programs.Finder) error {
				found := []programs.Found{}
				for _, name := range f.Names() {
					p, err := f.Find(name, "", api.WorkSettings{})
					if err != nil {
						return err
					}
					found = append(found, p)
				}
				return r.show(struct {
					Programs []programs.Found `json:"items"`
				}{found}, func(w *printer) {
					rows := [][]string{{"PROGRAM", "PROFILE", "MODEL", "FROM", "INSTALLED", "ALLOWED", "TOOLS", "DIRECTORY"}}
					for _, p := range found {
						rows = append(rows, []string{
							p.Name, string(p.Program.Profile), p.Program.Model, string(p.Source), yesNo(p.Installed), yesNo(p.Allowed),
							string(p.Program.Tools), string(p.Program.Directory),
						})
					}
					table(w, rows...)
				})
			})
		},
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// programCheck is what was found out about a program.
type programCheck struct {
	programs.Found
	Version string `json:"version,omitzero"`
	// Login is yes, no or unknown.
	Login string        `json:"login"`
	Cause program.Cause `json:"cause,omitzero"`
	// Said is what the program or its endpoint said about the cause.
	Said string `json:"said,omitzero"`
	Hint string `json:"hint,omitzero"`
	// Answered is how long it took to answer one word, and Used what that used,
	// if it was had to.
	Answered brenner.Duration `json:"answered_in,omitzero"`
	Used     program.Usage    `json:"used,omitzero"`
	// unasked says that it comes with Brenner, is not installed, and nobody asked for it.
	unasked bool
}

// usable says whether agents can be started with the program.
func (c programCheck) usable() bool { return c.Cause == program.Fine && c.Allowed }

// probe looks at a program: is it there, which version, is it logged in. Only
// with a test a model is asked, for one word.
func probe(ctx context.Context, f programs.Found, test bool) programCheck {
	out := programCheck{Found: f, Login: "unknown"}
	profile := f.Program.Profile
	switch {
	case !f.Installed:
		out.Cause, out.Hint = program.NotInstalled, profile.Install()
		return out
	case !f.Allowed: // not even to ask for its version
		return out
	}
	p := work.Prober{Environ: os.Environ()}
	switch {
	case profile.Process():
		out.ask(ctx, p)
	case profile == program.OpenAI:
		out.reach(p.Reaches(ctx, f.Program))
	default:
		res, _ := p.Answers(ctx, f.Program) // a script is only read
		out.Cause, out.Said = res.Cause, res.Said
	}
	if test && out.Cause == program.Fine && profile != program.Script {
		res, took := p.Answers(ctx, f.Program)
		if out.Cause, out.Said, out.Used = res.Cause, res.Said, res.Usage; res.Cause == program.Fine {
			out.Answered = brenner.Duration(max(took.Round(time.Millisecond), time.Millisecond))
		}
	}
	if out.Hint == "" {
		out.Hint = out.remedy()
	}
	return out
}

// ask has a program tell its version and whether it is logged in.
func (c *programCheck) ask(ctx context.Context, p work.Prober) {
	profile := c.Program.Profile
	if args := profile.VersionArgs(); args != nil {
		text, _ := p.Tells(ctx, c.Program, args)
		c.Version = oneLine(printable(text), 80)
	}
	if args := profile.LoginArgs(); args != nil {
		c.Login = "yes"
		if _, ok := p.Tells(ctx, c.Program, args); !ok && !keyed(c.Program) {
			c.Login, c.Cause = "no", program.NotLoggedIn
		}
	}
}

// reach takes what the endpoint of a program said.
func (c *programCheck) reach(res program.Result) {
	c.Cause, c.Said = res.Cause, res.Said
	switch {
	case res.Cause == program.NotLoggedIn:
		c.Login = "no"
	case res.Model != "":
		c.Login = "yes"
	}
}

// remedy says what a person can do about the cause.
func (c *programCheck) remedy() string {
	p := c.Program
	switch c.Cause {
	case program.NotLoggedIn:
		switch {
		case p.Profile.Login() != "":
			return p.Profile.Login()
		case p.Key != "":
			return "put a key that the endpoint knows into " + p.Key
		case p.Profile == program.OpenAI:
			return "name the variable that holds the endpoint's key: `key: NAME`"
		}
	case program.Unreachable:
		if p.Profile == program.OpenAI {
			return "start what serves " + p.Endpoint + ", or mend the address"
		}
	case program.NoModel:
		return "name a model that it has"
	}
	return ""
}

// keyed reports whether the environment holds a key for the program.
func keyed(p program.Program) bool {
	_, secrets := p.Variables()
	for _, name := range secrets {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

func newProgramCheck(r *runner) *cobra.Command {
	var test bool
	c := &cobra.Command{
		Use:   "check [NAME...]",
		Short: "Say whether programs are installed and logged in, and which version they are",
		Long: `Look at programs: whether they are installed, which version, and whether they
are logged in where they can tell; of an endpoint, whether it is there, takes
the key and has the model. No model is asked, except with --test: then each has
ten seconds to answer one word, which may cost a little. The exit status is 9 if
one cannot be used; where none is named, those that come with Brenner and are not
installed count only if there is no other.`,
		Example: `  brenner program check claude codex
  brenner program check claude --test`,
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onMachine(cmd, func(f programs.Finder) error {
				names := a
				if len(names) == 0 {
					names = f.Names()
				}
				checks := []programCheck{}
				for _, name := range names {
					found, err := f.Find(name, "", api.WorkSettings{})
					if err != nil {
						return err
					}
					c := probe(cmd.Context(), found, test)
					c.unasked = len(a) == 0 && found.Source == programs.Builtin && c.Cause == program.NotInstalled
					if checks = append(checks, c); !c.usable() && !c.unasked {
						r.exit = 9
					}
				}
				if !slices.ContainsFunc(checks, programCheck.usable) {
					r.exit = 9
				}
				return r.show(struct {
					Checks []programCheck `json:"checks"`
				}{checks}, func(w *printer) { printPrograms(w, checks) })
			})
		},
	}
	c.Flags().BoolVar(&test, "test", false, "have each answer one word within ten seconds; a model is asked")
	return c
}

func printPrograms(w *printer, checks []programCheck) {
	for _, c := range checks {
		switch {
		case c.unasked:
			w.Printf("-    %s: %s\n     hint: %s\n", c.Name, c.Cause.Sentence(), c.Hint)
		case c.Cause != program.Fine:
			w.Printf("FAIL %s: %s\n", c.Name, c.Cause.Sentence())
			if c.Said != "" {
				w.Printf("     %s\n", printable(oneLine(c.Said, 200)))
			}
			if c.Hint != "" {
				w.Printf("     hint: %s\n", c.Hint)
			}
		case !c.Allowed:
			w.Printf("warn %s: not allowed here\n     hint: brenner program allow %s\n", c.Name, c.Name)
		default:
			w.Printf("ok   %s: %s\n", c.Name, c.words())
		}
	}
}

// words say what a program that can be started told of itself.
func (c programCheck) words() string {
	var words []string
	if c.Version != "" {
		words = append(words, c.Version)
	}
	switch {
	case c.Program.Profile == program.Script:
		words = append(words, "the script can be read")
	case c.Program.Profile == program.OpenAI:
		words = append(words, "the endpoint answers; logged in: "+c.Login)
	default:
		words = append(words, "logged in: "+c.Login)
	}
	if c.Answered > 0 {
		words = append(words, "answered in "+time.Duration(c.Answered).String())
	}
	if used := usageWords(c.Used); used != "" {
		words = append(words, used)
	}
	return strings.Join(words, ", ")
}

func newProgramAllow(r *runner) *cobra.Command {
	var yes string
	var tools, directory, test string
	c := &cobra.Command{
		Use:   "allow NAME",
		Short: "Allow what a program of the project asks for, exactly as it is, on this machine",
		Long: `Show what a program of the project's configuration would be started with here,
and its digest. With --yes DIGEST exactly that is allowed, in this project and
on this machine; if any part of it changes, it asks again: also what is in the
executable of a command, and in files that its arguments name (not what those
load in turn). --tools and --directory allow it as a task asks for it. --test allows a test command of
tasks instead.`,
		Example: `  brenner program allow local
  brenner program allow local --yes 5f0c…`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onPrograms(cmd, func(f programs.Finder) error {
				if test != "" {
					if yes != test {
						return brenner.Errorf(brenner.CodeUsage, "repeat the command with --yes to allow it").WithHint("--test '" + test + "' --yes '" + test + "'")
					}
					if err := f.AllowTest(test, time.Now()); err != nil {
						return err
					}
					return r.show(struct {
						Test    string `json:"test"`
						Allowed bool   `json:"allowed"`
					}{test, true}, func(w *printer) { w.Println("the test is allowed here") })
				}
				if len(a) == 0 {
					return brenner.Errorf(brenner.CodeUsage, "name a program, or a test with --test")
				}
				found, err := f.Find(a[0], "", api.WorkSettings{Tools: program.Tools(tools), Directory: program.Directory(directory)})
				if err != nil {
					return err
				}
				switch {
				case yes == "" || found.Allowed:
				case !found.Installed:
					return brenner.Errorf(brenner.CodeProgramNotAllowed, "its executable %s is not here, so nobody can say what it is", found.Program.Executable)
				case yes != string(found.Digest):
					return brenner.Errorf(brenner.CodeProgramNotAllowed, "that is not the digest of what it would run now").WithHint("look at it again: " + string(found.Digest))
				default:
					if err := f.Allow(found, time.Now()); err != nil {
						return err
					}
					found.Allowed = true
				}
				return r.show(found, func(w *printer) {
					w.Printf("%s\n", canon.MustMarshal(found.Program))
					for _, file := range found.Files {
						w.Printf("runs %s, as it is now: sha256 %s\n", file.Path, file.Digest)
					}
					if found.Allowed {
						w.Printf("%s is allowed here\n", found.Name)
						return
					}
					as := ""
					if directory != "" {
						as += " --directory " + directory
					}
					if tools != "" {
						as += " --tools " + tools
					}
					w.Printf("not allowed yet; to allow exactly this:\n  brenner program allow %s%s --yes %s\n", found.Name, as, found.Digest)
				})
			})
		},
	}
	c.Flags().StringVar(&yes, "yes", "", "the digest of what is allowed, as it was shown")
	c.Flags().StringVar(&tools, "tools", "", "as a task asks for it: none, edit or shell")
	c.Flags().StringVar(&directory, "directory", "", "as a task asks for it: scratch, worktree or here")
	c.Flags().StringVar(&test, "test", "", "allow this test command of tasks")
	return c
}
