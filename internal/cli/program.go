package cli

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/programs"
	"brenner/program"

	"github.com/spf13/cobra"
)

func newProgram(r *runner) *cobra.Command {
	return group("program", "How agents are started on this machine", newProgramList(r), newProgramCheck(r), newProgramAllow(r), newProgramUse(r))
}

func count(n int) string { return strconv.Itoa(n) }

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
			return r.onPrograms(cmd, func(f programs.Finder) error {
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
	Hint  string        `json:"hint,omitzero"`
}

// probeDeadline bounds one question to a program about itself.
const probeDeadline = 10 * time.Second

// probe asks a program about itself, without a model: is it there, which
// version, is it logged in.
func probe(ctx context.Context, f programs.Found) programCheck {
	out := programCheck{Found: f, Login: "unknown"}
	profile := f.Program.Profile
	switch {
	case !profile.Process():
		return out
	case !f.Installed:
		out.Cause, out.Hint = program.NotInstalled, profile.Install()
		return out
	case !f.Allowed: // not even to ask for its version
		return out
	}
	ask := func(args []string) (string, bool) {
		ctx, cancel := context.WithTimeout(ctx, probeDeadline)
		defer cancel()
		cmd := exec.CommandContext(ctx, f.Program.Executable, args...)
		cmd.WaitDelay = time.Second
		cmd.Dir = os.TempDir()
		text, err := cmd.Output()
		return oneLine(printable(string(text)), 80), err == nil
	}
	if args := profile.VersionArgs(); args != nil {
		out.Version, _ = ask(args)
	}
	if args := profile.LoginArgs(); args != nil {
		if out.Login = "yes"; !second(ask(args)) && !keyed(f.Program) {
			out.Login, out.Cause, out.Hint = "no", program.NotLoggedIn, profile.Login()
		}
	}
	return out
}

func second(_ string, ok bool) bool { return ok }

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
	return &cobra.Command{
		Use:   "check [NAME...]",
		Short: "Say whether programs are installed and logged in, and which version they are",
		Long: `Ask programs about themselves: whether they are installed, which version, and
whether they are logged in where they can tell. No model is asked. The exit
status is 9 if one that was named cannot be used.`,
		Example: `  brenner program check claude codex`,
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onPrograms(cmd, func(f programs.Finder) error {
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
					c := probe(cmd.Context(), found)
					if checks = append(checks, c); len(a) > 0 && c.Cause != program.Fine {
						r.exit = 9
					}
				}
				return r.show(struct {
					Checks []programCheck `json:"checks"`
				}{checks}, func(w *printer) { printPrograms(w, checks) })
			})
		},
	}
}

func printPrograms(w *printer, checks []programCheck) {
	for _, c := range checks {
		switch {
		case c.Cause != program.Fine:
			w.Printf("FAIL %s: %s\n     hint: %s\n", c.Name, c.Cause.Sentence(), c.Hint)
		case !c.Allowed:
			w.Printf("warn %s: not allowed here\n     hint: brenner program allow %s\n", c.Name, c.Name)
		default:
			words := []string{"logged in: " + c.Login}
			if c.Version != "" {
				words = append([]string{c.Version}, words...)
			}
			w.Printf("ok   %s: %s\n", c.Name, strings.Join(words, ", "))
		}
	}
}

func newProgramAllow(r *runner) *cobra.Command {
	var yes string
	var tools, directory, test string
	c := &cobra.Command{
		Use:   "allow NAME",
		Short: "Allow what a program of the project asks for, exactly as it is, on this machine",
		Long: `Show what a program of the project's configuration would be started with here,
and its digest. With --yes DIGEST exactly that is allowed, in this project and
on this machine; if any part of it changes, it asks again. --tools and
--directory allow it as a task asks for it. --test allows a test command of
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
					if found.Allowed {
						w.Printf("%s is allowed here\n", found.Name)
						return
					}
					w.Printf("not allowed yet; to allow exactly this:\n  brenner program allow %s --yes %s\n", found.Name, found.Digest)
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
