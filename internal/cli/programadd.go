package cli

import (
	"path/filepath"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/programs"
	"brenner/program"

	"github.com/spf13/cobra"
)

func newProgramAdd(r *runner) *cobra.Command {
	var p program.Program
	var maxTime time.Duration
	c := &cobra.Command{
		Use:   "add NAME --profile PROFILE",
		Short: "Describe a program of your own, for every project on this machine",
		Long: `Write a program of your own down: an endpoint, a command, or an installed
program with a model, tools or bounds. It stands in a file of yours, outside
every project, and needs no further word: you have described it yourself. The
same name again replaces it.`,
		Example: `  brenner program add local --profile openai --endpoint http://127.0.0.1:11434/v1 --model qwen3
  brenner program add careful --profile claude --model opus --max-cost 2`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, a []string) error {
			p.Bounds.Time = brenner.Duration(maxTime)
			if p.File != "" {
				p.File = r.path(p.File)
			}
			if strings.ContainsRune(p.Executable, filepath.Separator) {
				p.Executable = r.path(p.Executable)
			}
			book, err := r.ownPrograms()
			if err != nil {
				return err
			}
			if err := book.SetOwn(a[0], p); err != nil {
				return err
			}
			found, err := programs.Finder{Book: book}.Find(a[0], "", api.WorkSettings{})
			if err != nil {
				return err
			}
			return r.show(found, func(w *printer) {
				w.Printf("%s can start agents here: `brenner ask '…' --program %s`\n", found.Name, found.Name)
				w.Printf("look at it first with `brenner program check %s --test`\n", found.Name)
			})
		},
	}
	f := c.Flags()
	f.StringVar((*string)(&p.Profile), "profile", "", "claude, codex, gemini, opencode, openai, command or script")
	f.StringVar(&p.Model, "model", "", "the model, as the program or the endpoint knows it")
	f.StringVar(&p.Executable, "executable", "", "what to start, by its name on PATH or its path")
	repeatedFlag(f, &p.Args, "arg", "an argument to add (repeatable)")
	repeatedFlag(f, &p.Env, "env", "a variable of your environment to hand on, by its name (repeatable)")
	f.StringVar(&p.Endpoint, "endpoint", "", "of openai: the address up to /v1")
	f.StringVar(&p.Key, "key-variable", "", "of openai: the variable that holds the endpoint's key")
	f.StringVar(&p.File, "script", "", "of script: the file it answers from")
	f.StringVar((*string)(&p.Tools), "tools", "", "none, edit or shell")
	f.StringVar((*string)(&p.Directory), "directory", "", "scratch, worktree or here")
	addLength(f, &maxTime, "max-time", "how long one run may take", "30m")
	addAmount(f, &p.Bounds.Cost, "max-cost", "what one run may cost, in US dollars", "no limit")
	required(c, "profile")
	return c
}

// ownPrograms opens the file of the person's own programs, which is about no
// project and none of an agent's business.
func (r *runner) ownPrograms() (*programs.Book, error) {
	if who := r.where().As; who != "" {
		return nil, brenner.Errorf(brenner.CodeWriteDenied, "%s is an agent, and these are a person's programs", who)
	}
	return programs.Open(programs.Path(r.env.Getenv))
}

func newProgramRemove(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Forget a program of your own",
		Example: `  brenner program remove local`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, a []string) error {
			book, err := r.ownPrograms()
			if err != nil {
				return err
			}
			if err := book.RemoveOwn(a[0]); err != nil {
				return err
			}
			return r.show(struct {
				Removed string `json:"removed"`
			}{a[0]}, func(w *printer) { w.Printf("%s is forgotten\n", a[0]) })
		},
	}
}
