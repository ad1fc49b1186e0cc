package cli

import (
	"os"
	"path/filepath"

	"brenner"
	"brenner/api"
	"brenner/config"
	"brenner/internal/locate"
	"brenner/internal/problem"

	"github.com/spf13/cobra"
)

func newInit(r *runner) *cobra.Command {
	var name, pi, file, allow string
	c := &cobra.Command{
		Use:   "init",
		Short: "Make a project here",
		Long: `Make a project in .brenner of this directory (or in the store named by
--store), led by you. A .brennerrc or brenner.config.ts found here is put in
force at once, unless it gives away or loosens anything (policies, webhooks,
prompts, rules, bounds): that is shown, and naming the file with --config
confirms it. An embedding endpoint that it names beyond
this machine, or that would get your key, is sent nothing until you allow it.`,
		Example: `  brenner init --name "Cell fate" --pi ada
  brenner init --config .brennerrc`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := api.InitRequest{Name: name, PI: brenner.ActorName(pi)}
			if req.Name == "" {
				req.Name = filepath.Base(r.path(""))
			}
			if req.PI == "" {
				req.PI = r.userName()
			}
			f, err := r.configFile(file)
			if err != nil {
				return err
			}
			req.Config = f
			alters := alteredBy(f)
			if len(alters) > 0 && file == "" {
				return config.Unconfirmed(f.Name, alters).Try(brenner.Again("config", f.Name))
			}
			if err := r.allowEmbedding(allow); err != nil {
				return err
			}
			res, err := r.env.Init(cmd.Context(), r.where(), req)
			if err != nil {
				return err
			}
			r.tellOfWhatItAlters(f, alters)
			if at := r.where(); at.Store == "" {
				if around, err := locate.Find(filepath.Dir(at.Dir)); err == nil {
					r.note("note: this is inside another project, in %s; commands in %s are about the new one now\n", around, at.Dir)
				}
			}
			first := r.askLine()
			return r.show(res, func(w *printer) {
				p := res.Project
				w.Printf("project %s (%s) in %s\nled by %s; modules: %s\n", p.Name, p.ID, res.Store, p.Actor, words(p.Modules))
				w.Println("next: brenner artifact new --type project_brief --id brief --summary '…' --content '{\"question\": \"…\"}'")
				w.Println("then: brenner artifact promote brief@1 --reason '…', which puts it in force")
				w.Printf("then: %s\n", first)
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "name of the project (default: the directory's)")
	c.Flags().StringVar(&pi, "pi", "", "name of the person who leads it (default: $BRENNER_PI, or your user name in $USER, or pi)")
	c.Flags().StringVar(&file, "config", "", "configuration file (default: .brennerrc or brenner.config.ts, if there is one)")
	embeddingFlag(c, &allow)
	return c
}

// alteredBy lists what a configuration gives away or loosens in a new project.
// What is wrong with it is for its reader to say.
func alteredBy(f *api.ConfigFile) []string {
	if f == nil {
		return nil
	}
	c, err := config.Parse(f.Name, []byte(f.Data))
	if err != nil {
		return nil
	}
	start := config.Default()
	return c.Alters(&start)
}

// tellOfWhatItAlters shows what a configuration that is in force now has altered.
func (r *runner) tellOfWhatItAlters(f *api.ConfigFile, alters []string) {
	for _, line := range alters {
		r.note("note: %s %s\n", printable(f.Name), printable(line))
	}
	r.tellOfEmbedding(f)
}

// userName is the name of who runs the program, or "pi" if it is not a name
// we can use.
func (r *runner) userName() brenner.ActorName {
	for _, v := range []string{"BRENNER_PI", "USER", "USERNAME"} {
		if n := brenner.ActorName(r.env.Getenv(v)); n.Check() == nil {
			return n
		}
	}
	return "pi"
}

// configFile reads the configuration named, or the one that stands in the
// working directory; nil if there is none.
func (r *runner) configFile(name string) (*api.ConfigFile, error) {
	names := []string{config.RCFile, config.TSFile}
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		if name == "" {
			if _, err := os.Stat(r.path(n)); os.IsNotExist(err) {
				continue
			}
		}
		if _, err := os.Stat(r.path(config.TSFile)); name == "" && n == config.RCFile && err == nil {
			r.note("%s is not read: %s stands beside it\n", config.TSFile, config.RCFile)
		}
		data, err := r.read(n, brenner.MaxConfigBytes)
		if err != nil {
			return nil, err
		}
		f := &api.ConfigFile{Name: filepath.Base(n), Data: string(data)}
		f.Prompts, err = r.promptFiles(filepath.Dir(n), f)
		return f, err
	}
	return nil, nil
}

// promptFiles reads the prompts that a configuration in dir names. What is
// wrong with the configuration itself is for its reader to say.
func (r *runner) promptFiles(dir string, f *api.ConfigFile) (map[string]string, error) {
	c, err := config.Parse(f.Name, []byte(f.Data))
	if err != nil {
		return nil, nil //nolint:nilerr // reported by whoever uses it
	}
	var texts map[string]string
	for _, path := range c.PromptFiles() {
		text, err := r.read(filepath.Join(dir, filepath.FromSlash(path)), brenner.MaxPromptBytes)
		if err != nil {
			return nil, err
		}
		if texts == nil {
			texts = map[string]string{}
		}
		texts[path] = string(text)
	}
	return texts, nil
}

func embeddingFlag(c *cobra.Command, allow *string) {
	c.Flags().StringVar(allow, "allow-embedding", "", "let projects of yours send texts, and $BRENNER_EMBED_KEY, to this `HOST` for embedding")
}

// allowEmbedding remembers an endpoint for the person, who alone can know it.
func (r *runner) allowEmbedding(host string) error {
	if host == "" {
		return nil
	}
	if r.where().As != "" {
		return brenner.Errorf(brenner.CodeWriteDenied, "an agent allows no embedding endpoint")
	}
	return r.env.AllowEmbedding(host)
}

// tellOfEmbedding says when a configuration names an embedding endpoint that is
// sent nothing until the person allows it. A server judges its own.
func (r *runner) tellOfEmbedding(f *api.ConfigFile) {
	if f == nil || r.where().Server != "" {
		return
	}
	c, err := config.Parse(f.Name, []byte(f.Data))
	if err != nil || c.Playbook.Embedding.Provider != config.ProviderOpenAI {
		return
	}
	if err := r.env.EmbeddingAllowed(c.Playbook.Embedding.URL); err != nil {
		e, _ := problem.From(err)
		r.note("note: %s\n  %s\n", printable(e.Message), printable(adviceOf(e)))
	}
}

func newConfig(r *runner) *cobra.Command {
	var allow string
	apply := &cobra.Command{
		Use:   "apply [FILE]",
		Short: "Put the project configuration in force",
		Long: `Read .brennerrc or brenner.config.ts, check it and put it in force. A
configuration file changes nothing until it is applied; applying it is
recorded in the journal. One that gives away, takes back or loosens anything
(policies, approvals, webhooks, prompts, rules, types, budgets and other bounds)
has to be named: that is shown otherwise.`,
		Example: `  brenner config apply .brennerrc`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			name := ""
			if len(a) == 1 {
				name = a[0]
			}
			f, err := r.configFile(name)
			if err != nil {
				return err
			}
			if f == nil {
				return brenner.Errorf(brenner.CodeFileError, "there is no %s or %s here", config.RCFile, config.TSFile).
					WithHint("write one, or name a file")
			}
			if err := r.allowEmbedding(allow); err != nil {
				return err
			}
			res, err := ask(r, cmd, api.Service.ApplyConfig, api.ApplyConfigRequest{Write: r.write(), File: *f, Found: name == ""})
			if err != nil {
				return err
			}
			if res.Changed {
				r.tellOfWhatItAlters(f, res.Alters)
			}
			return r.show(res, func(w *printer) {
				if !res.Changed {
					w.Println("already in force")
					return
				}
				w.Printf("in force; modules: %s; project types: %s\n", words(res.Modules), words(res.Types))
			})
		},
	}
	embeddingFlag(apply, &allow)
	return group("config", "The project's configuration", apply)
}
