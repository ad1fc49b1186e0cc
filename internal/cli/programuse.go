package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/programs"
	"brenner/program"

	"github.com/spf13/cobra"
)

func newProgramUse(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME",
		Short: "Start agents with this program where their roster names none",
		Long: `Remember a program on this machine, for every project of yours: agents are
started with it where neither their roster nor --program names another.`,
		Example: `  brenner program use claude`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if strings.TrimSpace(a[0]) == "" { // which would find the one in use
				return usage(cmd, errors.New("no program is named"))
			}
			return r.onMachine(cmd, func(f programs.Finder) error {
				found, err := f.Find(a[0], "", api.WorkSettings{})
				if err != nil {
					return err
				}
				if err := f.Book.SetDefault(found.Name); err != nil {
					return err
				}
				return r.show(struct {
					Default string `json:"default"`
				}{found.Name}, func(w *printer) {
					w.Printf("agents are started with %s unless their roster names another\n", found.Name)
					if !found.Installed {
						r.note("it is not installed here yet; `brenner program check %s` says how to get it\n", found.Name)
					}
				})
			})
		},
	}
}

// installed lists the programs of agents that are on PATH.
func installed() []string {
	var names []string
	for _, p := range program.Profiles() {
		if !p.Installs() {
			continue
		}
		if _, err := exec.LookPath(p.Executable()); err == nil {
			names = append(names, string(p))
		}
	}
	return names
}

// askLine is how a new project is asked its first question. On a terminal the
// person chooses which of the programs found starts the agents.
func (r *runner) askLine() string {
	const line = "brenner ask 'Why …?'"
	book, err := programs.Open(programs.Path(r.env.Getenv))
	if err != nil || book.Default() != "" {
		return line
	}
	found := installed()
	if len(found) == 0 {
		return line + " (no program of an agent is installed here yet: see `brenner program check`)"
	}
	if name := r.choose(found); name != "" && book.SetDefault(name) == nil {
		return line
	}
	return line + " --program " + found[0]
}

// choose offers programs on a terminal; "" if there is none, or no answer.
func (r *runner) choose(names []string) string {
	if r.json || !r.env.Terminal || r.env.Columns == nil {
		return ""
	}
	r.note("Start agents with which program?\n")
	for i, name := range names {
		r.note("  %d  %s\n", i+1, program.Profile(name).Title())
	}
	r.note("number, or nothing to decide later: ")
	line, err := bufio.NewReader(io.LimitReader(r.env.In, 100)).ReadString('\n')
	if n, bad := strconv.Atoi(strings.TrimSpace(line)); err == nil && bad == nil && n >= 1 && n <= len(names) {
		return names[n-1]
	}
	return ""
}

// programChecks looks at the programs that agents would be started with here:
// those of the person and the project, and those that are installed.
func (r *runner) programChecks(ctx context.Context, s api.Service) []check {
	const name = "programs"
	f, err := r.finder(ctx, s)
	if errors.Is(err, brenner.CodeWriteDenied) {
		return []check{{Name: name, OK: true, Message: "not looked at: only a person starts agents"}}
	}
	if err != nil {
		return []check{failed(name, err)}
	}
	var out []check
	for _, named := range f.Names() {
		found, err := f.Find(named, "", api.WorkSettings{})
		if err != nil {
			out = append(out, failed("program "+named, err))
			continue
		}
		if found.Source == programs.Builtin && !found.Installed {
			continue
		}
		out = append(out, programDiagnosis(probe(ctx, found, false)))
	}
	if len(out) == 0 {
		return []check{{Name: name, OK: true, Message: "no program of an agent is installed here; `brenner program check` says how to get one"}}
	}
	return out
}

func programDiagnosis(c programCheck) check {
	out := check{Name: "program " + c.Name}
	switch {
	case c.Cause != program.Fine:
		out.Warning, out.Message, out.Hint = true, c.Cause.Sentence(), c.Hint
		if c.Said != "" {
			out.Message += ": " + oneLine(printable(c.Said), 200)
		}
	case !c.Allowed:
		out.Warning, out.Message, out.Hint = true, "it is not allowed on this machine", "brenner program allow "+c.Name
	default:
		out.OK, out.Message = true, "can be started; "+c.words()
	}
	return out
}
