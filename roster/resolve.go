package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner"
)

// Source is a kind of place a part of a roster can come from.
type Source string

// The sources, highest precedence first.
const (
	FromFlags       Source = "flags"
	FromEnvironment Source = "environment"
	FromSession     Source = "session"
	FromProject     Source = "project"
	FromPreset      Source = "preset"
	FromStanding    Source = "standing" // the role that an agent of the project has
	FromName        Source = "name"     // guessed from the agent's name (heuristic mode)
	FromDefault     Source = "default"  // nobody said anything
)

// Origin is where a part of a roster came from: the source and, within it, a
// flag, a variable, a file or a preset.
type Origin struct {
	Source Source `json:"source"`
	Name   string `json:"name,omitempty"`
}

func (o Origin) String() string {
	if o.Name == "" {
		return string(o.Source)
	}
	return string(o.Source) + " " + o.Name
}

// Part is what one flag, variable or file says about the roster. Members of
// Roster that are empty are not said.
type Part struct {
	Name   string
	Roster Roster
}

// Sources is everything that can say something about a roster. Within one
// source an earlier part overrides a later one.
type Sources struct {
	// To are the recipients, in the order they were named.
	To          []brenner.ActorName
	Flags       []Part
	Environment []Part
	Session     []Part
	// ProjectName names the file that Project came from.
	ProjectName string
	Project     Settings
	// PresetFlag and PresetEnv name a preset; the project's default comes last.
	PresetFlag, PresetEnv string
	// Standing are the roles of the project's agents: for recipients where no source
	// names anybody.
	Standing []Entry
}

// Resolution is a roster that can be used, and why it is what it is.
type Resolution struct {
	Roster     Roster              `json:"roster"`
	Recipients []brenner.ActorName `json:"recipients"`
	// Preset is the id of the preset that was used, if any.
	Preset   string               `json:"preset,omitempty"`
	Parts    []Provenance         `json:"parts"`
	Warnings []brenner.Diagnostic `json:"warnings"`
}

// Provenance says where one part of the resolved roster came from, and which
// lower sources also spoke about it.
type Provenance struct {
	Part      string            `json:"part"` // mode, name, createdAt or entry
	Agent     brenner.ActorName `json:"agent,omitempty"`
	From      Origin            `json:"from"`
	Overrides []Origin          `json:"overrides,omitempty"`
}

// Resolve pieces a roster together. For the mode, the name, the date and each
// agent's entry the highest source that states it wins, whole: flags,
// environment, session, project, preset; where none of them names anybody, the roles
// that all recipients have in the project. Agents named by --to come first, in that
// order, then the others from the highest source down.
//
// If no source says anything, the mode is heuristic. Without --to every entry
// is a recipient. All errors are reported together, as INVALID_ROSTER with
// Diagnostics; the seed's texts stand among them word for word.
func Resolve(s Sources) (Resolution, error) {
	r := resolver{To: s.To, layers: s.stated()}
	r.preset(s)
	r.standing(s.Standing)
	for _, l := range r.layers {
		r.findings(l.from, validateStated(l.Roster))
	}
	r.header()
	r.entries()
	r.guess()
	r.recipients()
	if err := Refuse(r.found); err != nil {
		return Resolution{}, err
	}
	r.Warnings = r.found
	return r.Resolution, nil
}

// resolver is a resolution in the making.
type resolver struct {
	Resolution
	To     []brenner.ActorName
	layers []layer // highest precedence first
	found  []brenner.Diagnostic
}

// layer is a part with its source.
type layer struct {
	from Origin
	Roster
}

// stated lists every part that was stated, highest precedence first.
func (s Sources) stated() []layer {
	var layers []layer
	for _, group := range []struct {
		source Source
		parts  []Part
	}{
		{FromFlags, s.Flags},
		{FromEnvironment, s.Environment},
		{FromSession, s.Session},
		{FromProject, []Part{{s.ProjectName, s.Project.Roster}}},
	} {
		for _, p := range group.parts {
			layers = append(layers, layer{Origin{group.source, p.Name}, p.Roster})
		}
	}
	return layers
}

func (r *resolver) findings(from Origin, found []brenner.Diagnostic) {
	for _, d := range found {
		d.Subject = from.String()
		r.found = append(r.found, d)
	}
}

// covered reports whether some layer has an entry for the agent.
func (r *resolver) covered(name brenner.ActorName) bool {
	return slices.ContainsFunc(r.layers, func(l layer) bool {
		_, ok := l.Entry(name)
		return ok
	})
}

// preset adds the preset in force as the lowest layer. The project's default
// is a fallback: it is used only if nobody has an entry. Who names some agents
// has to name all: a recipient without an entry is an error (rule 3 of the seed)
// unless a preset was asked for.
func (r *resolver) preset(s Sources) {
	id, from := s.PresetFlag, Origin{FromFlags, "preset"}
	if id == "" {
		id, from = s.PresetEnv, Origin{FromEnvironment, "BRENNER_ROSTER_PRESET"}
	}
	if id == "" && r.open() {
		id, from = s.Project.DefaultPreset, Origin{FromProject, s.ProjectName}
	}
	if id == "" {
		return
	}
	p, err := FindPreset(s.Project.Presets, id)
	if err != nil {
		r.Preset = id
		r.findings(from, []brenner.Diagnostic{fromError(err, "")})
		return
	}
	r.fill(p)
}

// standing gives the recipients the roles that they have in the project, where no
// source has said anything and all of them have one: a roster that leaves one out is
// an error (rule 3 of the seed), and to guess some roles and know others would mix
// two ways.
func (r *resolver) standing(known []Entry) {
	if r.Preset != "" || !r.open() {
		return
	}
	var part Roster
	for _, name := range r.To {
		i := slices.IndexFunc(known, func(e Entry) bool { return e.AgentName == name && slices.Contains(Roles(), e.Role) })
		if i < 0 {
			return
		}
		part.Entries = append(part.Entries, Entry{AgentName: name, Role: known[i].Role})
	}
	r.layers = append(r.layers, layer{Origin{Source: FromStanding}, part})
}

// mode is the one that the highest source states.
func (r *resolver) mode() Mode {
	if i := slices.IndexFunc(r.layers, func(l layer) bool { return l.Mode != "" }); i >= 0 {
		return r.layers[i].Mode
	}
	return ""
}

// open reports whether the stated layers leave everybody without a role. In
// heuristic mode nobody is.
func (r *resolver) open() bool {
	if r.mode() == Heuristic {
		return false
	}
	return !slices.ContainsFunc(r.layers, func(l layer) bool { return len(l.Entries) > 0 })
}

// fill gives the places of the preset to the recipients: the first place to
// the first name. A name beyond the last place must have an entry of its own.
func (r *resolver) fill(p Preset) {
	from := Origin{FromPreset, p.ID}
	part := Roster{Name: p.Name}
	var beyond []string
	for i, name := range r.To {
		if i < len(p.Entries) {
			e := p.Entries[i]
			part.Entries = append(part.Entries, Entry{name, e.Role, e.Program, e.Model, e.Notes})
		} else if !r.covered(name) {
			beyond = append(beyond, string(name))
		}
	}
	if len(beyond) > 0 {
		r.findings(from, []brenner.Diagnostic{finding(brenner.CodePresetFull, "",
			fmt.Sprintf("preset %s has %s and %d names were given: no place for %s", p.ID, brenner.Plural(len(p.Entries), "place", "places"), len(r.To), strings.Join(beyond, ", ")),
			"name fewer agents, or give the others roles of their own")})
	}
	for i := len(r.To); i < len(p.Entries); i++ {
		r.findings(from, []brenner.Diagnostic{warning(brenner.CodePresetUnfilled,
			fmt.Sprintf("place %d of preset %s has no agent: %s", i+1, p.ID, p.place(i)), "name an agent to fill it")})
	}
	r.Preset = p.ID
	r.layers = append(r.layers, layer{from, part})
}

// header settles mode, name and date.
func (r *resolver) header() {
	for _, h := range []struct {
		part string
		of   func(Roster) string
		into func(string)
	}{
		{"mode", func(p Roster) string { return string(p.Mode) }, func(s string) { r.Roster.Mode = Mode(s) }},
		{"name", func(p Roster) string { return p.Name }, func(s string) { r.Roster.Name = s }},
		{"createdAt", func(p Roster) string { return p.CreatedAt }, func(s string) { r.Roster.CreatedAt = s }},
	} {
		won := Provenance{Part: h.part}
		for _, l := range r.layers {
			if v := h.of(l.Roster); v != "" && won.From.Source == "" {
				won.From = l.from
				h.into(v)
			} else if v != "" {
				won.Overrides = append(won.Overrides, l.from)
			}
		}
		if won.From.Source != "" {
			r.Parts = append(r.Parts, won)
		}
	}
}

// entries settles the entry of each agent.
func (r *resolver) entries() {
	r.Roster.Entries = []Entry{}
	names := slices.Clone(r.To)
	for _, l := range r.layers {
		names = append(names, l.Names()...)
	}
	done := map[brenner.ActorName]bool{}
	for _, name := range names {
		if done[name] {
			continue
		}
		done[name] = true
		won := Provenance{Part: "entry", Agent: name}
		for _, l := range r.layers {
			if e, ok := l.Entry(name); ok && won.From.Source == "" {
				won.From = l.from
				r.Roster.Entries = append(r.Roster.Entries, e)
			} else if ok {
				won.Overrides = append(won.Overrides, l.from)
				if l.from.Source != FromPreset {
					r.Roster.Entries[len(r.Roster.Entries)-1].keep(e)
				}
			}
		}
		if won.From.Source != "" {
			r.Parts = append(r.Parts, won)
		}
	}
}

// keep takes from an entry of the same agent that was overridden what the winner
// leaves open: a flag that gives another role does not give another program.
func (e *Entry) keep(overridden Entry) {
	e.Program = cmp.Or(e.Program, overridden.Program)
	e.Model = cmp.Or(e.Model, overridden.Model)
}

// guess settles the mode where nobody did, and in heuristic mode places the
// recipients that have no entry by their names.
func (r *resolver) guess() {
	if r.Roster.Mode == "" {
		r.Roster.Mode = RoleSeparated
		if len(r.Roster.Entries) == 0 && r.Preset == "" {
			r.Roster.Mode = Heuristic
		}
		r.Parts = slices.Insert(r.Parts, 0, Provenance{Part: "mode", From: Origin{Source: FromDefault}})
	}
	if r.Roster.Mode != Heuristic {
		return
	}
	for _, name := range r.To {
		role, ok := GuessRole(name)
		if _, has := r.Roster.Entry(name); has || !ok {
			continue
		}
		r.Roster.Entries = append(r.Roster.Entries, Entry{AgentName: name, Role: role})
		r.Parts = append(r.Parts, Provenance{Part: "entry", Agent: name, From: Origin{Source: FromName}})
	}
	r.found = append(r.found, Deprecations(r.Roster)...)
}

// recipients settles who is written to, and checks that each has a role.
func (r *resolver) recipients() {
	r.Recipients = r.Roster.Names()
	if len(r.To) > 0 {
		r.Recipients = r.Recipients[:0]
	}
	for _, name := range r.To {
		if slices.Contains(r.Recipients, name) {
			r.found = append(r.found, duplicate(name, ""))
			continue
		}
		r.Recipients = append(r.Recipients, name)
	}
	if slices.ContainsFunc(r.found, func(d brenner.Diagnostic) bool { return d.Code == brenner.CodeUnknownPreset }) {
		return // who would have had a role cannot be known
	}
	if len(r.Recipients) == 0 {
		r.found = append(r.found, finding(brenner.CodeEmptyRoster, "", "the roster has no entry",
			"name the agents and their roles, or a preset and the agents"))
	}
	r.found = append(r.found, Cover(r.Roster, r.Recipients)...)
}

// Deprecations warns about a roster in heuristic mode, at every use.
func Deprecations(r Roster) []brenner.Diagnostic {
	if r.mode() != Heuristic {
		return nil
	}
	return []brenner.Diagnostic{warning(brenner.CodeHeuristicRoster,
		"roles are guessed from the agents' names: roster mode heuristic is deprecated",
		"state each role, for example BlueLake=test_designer, or use the preset default-3-agent")}
}
