package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/config"
	"brenner/internal/problem"

	"github.com/spf13/cobra"
)

// check is one thing the doctor looked at. Code and Hint are set when
// something is wrong; a warning is not worth a failing exit status.
type check struct {
	Name    string       `json:"name"`
	OK      bool         `json:"ok"`
	Warning bool         `json:"warning,omitzero"`
	Message string       `json:"message"`
	Code    brenner.Code `json:"code,omitzero"`
	Hint    string       `json:"hint,omitzero"`
}

func newDoctor(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for the usual trouble and say what to do",
		Long: `Look whether there is a project, its store can be opened and is private, the
clock is right, the configuration file is the one in force, what ` + "`brenner setup`" + `
wrote for clients still leads here, the programs of agents can be started, and
the journal holds. Exit status 0 when
nothing is wrong; otherwise that of the first error.`,
		Example: `  brenner doctor`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks := r.examine(cmd.Context())
			for _, c := range checks {
				if !c.OK && !c.Warning && r.exit == 0 {
					r.exit = problem.Of(brenner.ClassOf(c.Code)).Exit
				}
			}
			return r.show(struct {
				Checks []check `json:"checks"`
			}{checks}, func(w *printer) { printChecks(w, checks) })
		},
	}
}

func printChecks(w *printer, checks []check) {
	for _, c := range checks {
		mark := "ok  "
		switch {
		case c.Warning:
			mark = "warn"
		case !c.OK:
			mark = "FAIL"
		}
		w.Printf("%s %s: %s\n", mark, c.Name, printable(c.Message))
		if c.Hint != "" {
			w.Printf("     hint: %s\n", printable(c.Hint))
		}
	}
}

// examine runs the checks in the order in which one rests on another, and
// stops where the next would have nothing to look at.
func (r *runner) examine(ctx context.Context) []check {
	place, err := r.env.Store(r.where())
	if err != nil {
		return []check{failed("project", err)}
	}
	checks := []check{{Name: "project", OK: true, Message: "found in " + place}}
	if path, ok := strings.CutPrefix(place, "sqlite:"); ok {
		checks = append(checks, permissions(path))
	}
	s, err := r.service(ctx)
	if err != nil {
		return append(checks, failed("store", err))
	}
	info, err := s.Project(ctx)
	if err != nil {
		return append(checks, failed("store", err))
	}
	checks = append(checks,
		check{Name: "store", OK: true, Message: fmt.Sprintf("opens; project %s, %s", info.Name, plural(int(info.Size), "record"))},
		clock(info, time.Now()), r.configuration(info))
	checks = append(checks, shutOut(ctx, s)...)
	checks = append(checks, r.clientChecks(ctx, place, info)...)
	checks = append(checks, r.programChecks(ctx, s)...)
	return append(checks, r.journalHolds(ctx, s, info))
}

func failed(name string, err error) check {
	e, _ := problem.From(err)
	return check{Name: name, Message: e.Message, Code: e.Code, Hint: adviceOf(e)}
}

// permissions sees that the file and its directory can be written, and warns
// when others on the machine can read or change the file.
func permissions(path string) check {
	const name = "permissions"
	info, err := os.Stat(path)
	if err != nil {
		return failed(name, fileError(path, err))
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return check{
			Name: name, Code: brenner.CodeStoreReadOnly, Message: fmt.Sprintf("you may not write the project file (mode %o)", info.Mode().Perm()),
			Hint: "chmod 600 " + path + ", if it is yours",
		}
	}
	if err := f.Close(); err != nil {
		return failed(name, fileError(path, err))
	}
	if probe, err := os.CreateTemp(filepath.Dir(path), ".doctor-*"); err != nil {
		return check{
			Name: name, Code: brenner.CodeStoreReadOnly, Message: "the directory of the project file cannot be written",
			Hint: "SQLite keeps its log beside the file: make the directory writable",
		}
	} else if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return failed(name, fileError(path, err))
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return check{
			Name: name, Warning: true, Message: fmt.Sprintf("others can use the project file (mode %o)", mode),
			Hint: "chmod 600 " + path,
		}
	}
	if dir, err := os.Stat(filepath.Dir(path)); err == nil && dir.Mode().Perm()&0o022 != 0 && dir.Mode()&os.ModeSticky == 0 {
		return check{
			Name: name, Warning: true, Message: fmt.Sprintf("others can replace the project file: they may write its directory (mode %o)", dir.Mode().Perm()),
			Hint: "chmod 700 " + filepath.Dir(path),
		}
	}
	return check{Name: name, OK: true, Message: "the project file is yours alone"}
}

// clock warns when the journal's newest record is from the future, and when
// the clocks of a server and of this machine differ.
func clock(info api.ProjectInfo, here time.Time) check {
	const name = "clock"
	if apart := here.Sub(info.Now).Abs(); apart > time.Minute {
		return check{
			Name: name, Warning: true, Message: fmt.Sprintf("this machine and the server differ by %s", apart.Round(time.Second)),
			Hint: "set the one that is wrong",
		}
	}
	if ahead := info.LastChange.Sub(info.Now); ahead > time.Minute {
		return check{
			Name: name, Warning: true, Message: fmt.Sprintf("the newest record is %s in the future", ahead.Round(time.Second)),
			Hint: "set the clock of this machine, or of the one that wrote it",
		}
	}
	return check{Name: name, OK: true, Message: "not behind the journal"}
}

// configuration compares the file beside the project with what is in force.
func (r *runner) configuration(info api.ProjectInfo) check {
	const name = "configuration"
	f, err := r.configFile("")
	if err != nil {
		return failed(name, err)
	}
	if f == nil {
		return check{Name: name, OK: true, Message: "no file here; what was applied is in force"}
	}
	c, err := config.Parse(f.Name, []byte(f.Data))
	if err != nil {
		return failed(name, err)
	}
	if c.WithPromptFiles(f.Prompts).Digest() != info.ConfigDigest {
		return check{
			Name: name, Warning: true, Message: f.Name + " differs from the configuration in force",
			Hint: "run `brenner config apply`: what it would give away, take back or loosen is shown first, and the file has to be named",
		}
	}
	return check{Name: name, OK: true, Message: f.Name + " is in force"}
}

// shutOut warns of roles of agents that may do nothing but read and write.
func shutOut(ctx context.Context, s api.Service) []check {
	list, err := s.Agents(ctx)
	if err != nil || len(list.ShutOut) == 0 {
		return nil
	}
	return []check{{
		Name: "policies", Warning: true,
		Message: "no `acts` in the policy of " + joined(list.ShutOut, ", ") + ": its agents may not ask where they stand, work on tasks or assemble contexts",
		Hint:    "list what they may do, such as acts: [status, task_work, context_assemble, mail]",
	}}
}

// journalHolds verifies the journal and the contents, for those who may.
func (r *runner) journalHolds(ctx context.Context, s api.Service, info api.ProjectInfo) check {
	const name = "journal"
	if info.Role != brenner.PI {
		return check{Name: name, OK: true, Message: "not looked at: only the PI may"}
	}
	res, err := s.Verify(ctx, api.VerifyRequest{Quick: true, Progress: r.progress()})
	if err != nil {
		return failed(name, err)
	}
	if !res.OK {
		f := res.Findings[0]
		return check{Name: name, Code: f.Code, Message: f.Message, Hint: "run `brenner verify` for all findings"}
	}
	return check{Name: name, OK: true, Message: fmt.Sprintf("%s and %s verified", plural(int(res.Size), "record"), plural(int(res.Blobs), "content"))}
}
