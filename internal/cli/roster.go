package cli

import (
	"errors"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/config"
	"brenner/roster"

	"github.com/spf13/cobra"
)

func newRoster(r *runner) *cobra.Command {
	return group("roster", "Who plays which role", newRosterValidate(r), newRosterResolve(r), newRosterPresets(r), newRosterPrompt(r))
}

func newRosterValidate(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE",
		Short: "Check a roster in JSON, reporting every error",
		Long: `Check a roster: a whole roster, or an array of entries, in JSON. FILE may
be - for standard input. Every error is reported at once.`,
		Example: `  brenner roster validate team.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, a []string) error {
			raw, err := r.read(a[0], brenner.MaxRosterBytes)
			if err != nil {
				return err
			}
			team, err := roster.Parse(raw)
			if err != nil {
				return from(a[0], err)
			}
			if err := roster.Refuse(roster.Validate(team)); err != nil {
				return err
			}
			warnings := roster.Deprecations(team)
			return r.show(struct {
				Roster   roster.Roster        `json:"roster"`
				Warnings []brenner.Diagnostic `json:"warnings"`
			}{team, warnings}, func(w *printer) {
				r.warn(warnings)
				w.Printf("the roster is valid: %s\n", words(team.Names()))
			})
		},
	}
}

func newRosterResolve(r *runner) *cobra.Command {
	var flags rosterFlags
	c := &cobra.Command{
		Use:   "resolve",
		Short: "Show the roster a session would have, and where each part comes from",
		Long: `Piece a roster together as session start does: flags, then environment
(BRENNER_ROSTER_JSON, _FILE, _MODE, _PRESET), then the project's configuration
file here, then a preset; where none of them names anybody, the roles that the
recipients have in the project. Nothing is created or sent.`,
		Example: `  brenner roster resolve --preset default-3-agent --to BlueLake --to PurpleMountain --to GreenValley`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, project, err := r.projectRoster()
			if err != nil {
				return err
			}
			sources, err := flags.sources(r, file, project)
			if err != nil {
				return err
			}
			sources.Standing = r.standing(cmd, sources.To)
			res, err := roster.Resolve(sources)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				r.warn(res.Warnings)
				printResolution(w, res)
			})
		},
	}
	flags.add(c)
	return c
}

// standing are the roles that the agents named have in the project, if there is one
// here and whoever asks may see them.
func (r *runner) standing(cmd *cobra.Command, names []brenner.ActorName) []roster.Entry {
	if len(names) == 0 {
		return nil
	}
	s, err := r.service(cmd.Context())
	if err != nil {
		return nil
	}
	list, err := s.Agents(cmd.Context())
	if err != nil {
		return nil
	}
	var out []roster.Entry
	for _, a := range list.Agents {
		if a.Active && a.Kind == "agent" && slices.Contains(names, a.Name) {
			out = append(out, roster.Entry{AgentName: a.Name, Role: a.Role})
		}
	}
	return out
}

func newRosterPresets(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "presets",
		Short:   "List the presets: the project's own and the built-in ones",
		Example: `  brenner roster presets`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, project, err := r.projectRoster()
			if err != nil {
				return err
			}
			presets := roster.Presets(project.Presets)
			return r.show(struct {
				Presets       []roster.Preset `json:"presets"`
				DefaultPreset string          `json:"default_preset,omitempty"`
			}{presets, project.DefaultPreset}, func(w *printer) {
				rows := [][]string{{"ID", "NAME", "PLACES", ""}}
				for _, p := range presets {
					roles := make([]brenner.Role, len(p.Entries))
					for i, e := range p.Entries {
						roles[i] = e.Role
					}
					mark := ""
					if p.ID == project.DefaultPreset {
						mark = "default"
					}
					rows = append(rows, []string{oneLine(printable(p.ID), 40), oneLine(printable(p.Name), 40), words(roles), mark})
				}
				table(w, rows...)
			})
		},
	}
}

func newRosterPrompt(r *runner) *cobra.Command {
	var session string
	c := &cobra.Command{
		Use:   "prompt ROLE",
		Short: "Print what is asked of a role, and what the policy in force lets it do",
		Long: `Prints the prompt of a role, or of unified mode: the project's own text where the
configuration has one, else the built-in one, then what the policy in force lets
the role read and write. Agents with tools get the same as a prompt over MCP.`,
		Example:   `  brenner roster prompt test_designer --session RS-fate`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: roster.PromptNames(),
		RunE: func(cmd *cobra.Command, a []string) error {
			p, err := ask(r, cmd, api.Service.RolePrompt, api.RolePromptRequest{Name: a[0], Session: brenner.SessionID(session)})
			if err != nil {
				return err
			}
			p.Text = brenner.Speak(p.Text, asCommand)
			return r.show(p, func(w *printer) { w.Print(printable(p.Text)) })
		},
	}
	c.Flags().StringVar(&session, "session", "", "the session it is asked in")
	return c
}

// projectRoster reads the roster section of the configuration file here and the
// file's name; both are empty if there is none.
func (r *runner) projectRoster() (string, roster.Settings, error) {
	f, err := r.configFile("")
	if err != nil || f == nil {
		return "", roster.Settings{}, err
	}
	c, err := config.Parse(f.Name, []byte(f.Data))
	return f.Name, c.Roster, err
}

func printResolution(w *printer, res roster.Resolution) {
	w.Printf("mode: %s\n", res.Roster.Mode)
	if res.Roster.Name != "" {
		w.Printf("name: %s\n", oneLine(printable(res.Roster.Name), 80))
	}
	rows := [][]string{{"AGENT", "ROLE", "PROGRAM", "MODEL", "FROM"}}
	for _, p := range res.Parts {
		if p.Part != "entry" {
			continue
		}
		e, _ := res.Roster.Entry(p.Agent)
		rows = append(rows, []string{
			string(e.AgentName), string(e.Role), oneLine(printable(e.Program), 30), oneLine(printable(e.Model), 30), provenance(p),
		})
	}
	table(w, rows...)
	for _, p := range res.Parts {
		if p.Part != "entry" {
			w.Printf("%s from %s\n", p.Part, provenance(p))
		}
	}
	w.Printf("recipients: %s\n", words(res.Recipients))
}

// provenance says where a part came from and what it overrode.
func provenance(p roster.Provenance) string {
	s := p.From.String()
	for i, o := range p.Overrides {
		if i == 0 {
			s += ", over "
		} else {
			s += " and "
		}
		s += o.String()
	}
	return s
}

// warn writes findings that did not stop the work.
func (r *runner) warn(found []brenner.Diagnostic) {
	for _, d := range found {
		r.note("%s\n", diagnosticLine(d))
	}
}

// rosterFlags are the flags by which a command line states a roster.
type rosterFlags struct {
	addressees roster.Addressees
	unpaired   error // the first --role that follows no --to
	agentRoles []string
	roster     string
	preset     string
	mode       string
}

// add puts the flags on a command.
func (f *rosterFlags) add(c *cobra.Command) {
	c.Flags().Var(ordered{f.to}, "to", "`NAME` of a recipient, or NAME=ROLE; repeat for several, or put commas between them")
	c.Flags().Var(ordered{f.role}, "role", "`ROLE` of the recipient named just before: hypothesis_generator, test_designer, adversarial_critic")
	repeatedFlag(c.Flags(), &f.agentRoles, "agent-role", "`NAME=ROLE`; repeat for several")
	c.Flags().StringVar(&f.roster, "roster", "", "roster as JSON, or the `FILE` that holds it, or - for standard input")
	c.Flags().StringVar(&f.preset, "preset", "", "`ID` of a preset whose places the recipients fill, see `brenner roster presets`")
	c.Flags().StringVar(&f.mode, "roster-mode", "", "role_separated, unified or heuristic (deprecated)")
}

func (f *rosterFlags) to(names string) {
	for name := range strings.SplitSeq(names, ",") {
		name, role, has := strings.Cut(strings.TrimSpace(name), "=")
		f.addressees.Name(strings.TrimSpace(name))
		if has {
			f.role(strings.TrimSpace(role))
		}
	}
}

func (f *rosterFlags) role(s string) {
	if err := f.addressees.Role(s); f.unpaired == nil {
		f.unpaired = err
	}
}

// sources gathers what flags, environment and the project's configuration say.
func (f *rosterFlags) sources(r *runner, file string, project roster.Settings) (roster.Sources, error) {
	if f.unpaired != nil {
		return roster.Sources{}, f.unpaired
	}
	s := roster.Sources{
		To: f.addressees.To, ProjectName: file, Project: project,
		PresetFlag: f.preset, PresetEnv: r.env.Getenv("BRENNER_ROSTER_PRESET"),
	}
	stated := roster.Part{Name: "--agent-role", Roster: roster.Roster{Entries: f.addressees.Entries}}
	if len(f.agentRoles) == 0 {
		stated.Name = "--role"
	}
	for _, a := range f.agentRoles {
		e, err := roster.ParseAgentRole(a)
		if err != nil {
			return roster.Sources{}, err
		}
		stated.Roster.Entries = append(stated.Roster.Entries, e)
	}
	s.Flags = []roster.Part{{Name: "--roster-mode", Roster: roster.Roster{Mode: roster.Mode(f.mode)}}, stated}
	s.Environment = []roster.Part{{Name: "BRENNER_ROSTER_MODE", Roster: roster.Roster{Mode: roster.Mode(r.env.Getenv("BRENNER_ROSTER_MODE"))}}}

	for _, in := range []struct {
		name, value string
		inline      bool
		into        *[]roster.Part
	}{
		{"--roster", f.roster, strings.HasPrefix(strings.TrimSpace(f.roster), "[") || strings.HasPrefix(strings.TrimSpace(f.roster), "{"), &s.Flags},
		{"BRENNER_ROSTER_JSON", r.env.Getenv("BRENNER_ROSTER_JSON"), true, &s.Environment},
		{"BRENNER_ROSTER_FILE", r.env.Getenv("BRENNER_ROSTER_FILE"), false, &s.Environment},
	} {
		if in.value == "" {
			continue
		}
		raw := []byte(in.value)
		if !in.inline {
			var err error
			if raw, err = r.read(in.value, brenner.MaxRosterBytes); err != nil {
				return roster.Sources{}, err
			}
		}
		team, err := roster.Parse(raw)
		if err != nil {
			return roster.Sources{}, from(in.name, err)
		}
		*in.into = append(*in.into, roster.Part{Name: in.name, Roster: team})
	}
	return s, nil
}

// from says which input an error is about.
func from(name string, err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Message = name + ": " + e.Message
	return &named
}

// ordered is a flag that acts when it is met, so that flags of different names
// keep their order.
type ordered struct{ met func(string) }

func (o ordered) Set(s string) error { o.met(s); return nil }
func (o ordered) String() string     { return "" }
func (o ordered) Type() string       { return "string" }
