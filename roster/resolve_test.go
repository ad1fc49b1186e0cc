package roster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/roster"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func entry(name, role string) roster.Entry {
	return roster.Entry{AgentName: brenner.ActorName(name), Role: brenner.Role(role)}
}

func part(name string, entries ...roster.Entry) roster.Part {
	return roster.Part{Name: name, Roster: roster.Roster{Entries: entries}}
}

func to(names ...brenner.ActorName) []brenner.ActorName { return names }

// story tells a resolution in lines: the header, each entry, where it came from.
func story(r roster.Resolution) string {
	var b strings.Builder
	for _, p := range r.Parts {
		what := p.Part
		switch p.Part {
		case "mode":
			what += " " + string(r.Roster.Mode)
		case "name":
			what += " " + r.Roster.Name
		case "entry":
			e, _ := r.Roster.Entry(p.Agent)
			what = fmt.Sprintf("%s %s %s", e.AgentName, e.Role, e.Program)
		}
		fmt.Fprintf(&b, "%s < %s", strings.TrimSpace(what), p.From)
		for _, o := range p.Overrides {
			fmt.Fprintf(&b, " over %s", o)
		}
		b.WriteString("\n")
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "%s %s\n", w.Code, w.Message)
	}
	return b.String()
}

func TestResolve_Stories(t *testing.T) {
	seedProject := roster.Settings{Presets: roster.BuiltinPresets(), DefaultPreset: "default-3-agent"}
	for _, c := range []struct {
		name string
		in   roster.Sources
		want string
	}{
		// R4, R7: the seed's three command lines.
		{"pairs", roster.Sources{
			To:    to("BlueLake", "PurpleMountain", "GreenValley"),
			Flags: []roster.Part{part("--role", entry("BlueLake", "hypothesis_generator"), entry("PurpleMountain", "test_designer"), entry("GreenValley", "adversarial_critic"))},
		}, `mode role_separated < default
BlueLake hypothesis_generator < flags --role
PurpleMountain test_designer < flags --role
GreenValley adversarial_critic < flags --role
`},
		// R6: names fill places in order of --to.
		{
			"preset",
			roster.Sources{To: to("BlueLake", "PurpleMountain", "GreenValley"), PresetFlag: "default-3-agent"},
			`mode role_separated < default
name Default 3-Agent Setup < preset default-3-agent
BlueLake hypothesis_generator codex-cli < preset default-3-agent
PurpleMountain test_designer claude-code < preset default-3-agent
GreenValley adversarial_critic gemini-cli < preset default-3-agent
`,
		},
		{
			"inline",
			roster.Sources{Flags: []roster.Part{part("--roster", entry("BlueLake", "hypothesis_generator"), entry("PurpleMountain", "test_designer"))}},
			`mode role_separated < default
BlueLake hypothesis_generator < flags --roster
PurpleMountain test_designer < flags --roster
`,
		},
		// R4: one agent stated by every source.
		{"precedence", roster.Sources{
			To:          to("A"),
			Flags:       []roster.Part{part("--agent-role", entry("A", "test_designer")), part("--roster", entry("A", "adversarial_critic"), entry("F", "test_designer"))},
			Environment: []roster.Part{{Name: "BRENNER_ROSTER_MODE", Roster: roster.Roster{Mode: "unified"}}, part("BRENNER_ROSTER_JSON", entry("A", "adversarial_critic"), entry("E", "test_designer"))},
			Session:     []roster.Part{{Name: "form", Roster: roster.Roster{Mode: "role_separated", Name: "Form", Entries: []roster.Entry{entry("A", "adversarial_critic"), entry("S", "test_designer")}}}},
			ProjectName: ".brennerrc",
			Project:     roster.Settings{Roster: roster.Roster{Name: "House", Entries: []roster.Entry{entry("A", "hypothesis_generator"), entry("P", "test_designer")}}},
			PresetFlag:  "default-3-agent",
		}, `mode unified < environment BRENNER_ROSTER_MODE over session form
name Form < session form over project .brennerrc over preset default-3-agent
A test_designer < flags --agent-role over flags --roster over environment BRENNER_ROSTER_JSON over session form over project .brennerrc over preset default-3-agent
F test_designer < flags --roster
E test_designer < environment BRENNER_ROSTER_JSON
S test_designer < session form
P test_designer < project .brennerrc
PRESET_UNFILLED place 2 of preset default-3-agent has no agent: test_designer
PRESET_UNFILLED place 3 of preset default-3-agent has no agent: adversarial_critic
`},
		// R4: the preset named by the flag, then by the environment, then by the config.
		{"preset of the environment", roster.Sources{
			To: to("A"), PresetEnv: "solo",
			Project: roster.Settings{DefaultPreset: "default-3-agent", Presets: []roster.Preset{{ID: "solo", Name: "Solo", Entries: []roster.Place{{Role: "test_designer"}}}}},
		}, `mode role_separated < default
name Solo < preset solo
A test_designer < preset solo
`},
		{"preset of the flag", roster.Sources{
			To: to("A", "B", "C"), PresetFlag: "default-3-agent", PresetEnv: "solo",
			Project: roster.Settings{Presets: []roster.Preset{{ID: "solo", Name: "Solo", Entries: []roster.Place{{Role: "test_designer"}}}}},
		}, `mode role_separated < default
name Default 3-Agent Setup < preset default-3-agent
A hypothesis_generator codex-cli < preset default-3-agent
B test_designer claude-code < preset default-3-agent
C adversarial_critic gemini-cli < preset default-3-agent
`},
		{"default preset", roster.Sources{To: to("A", "B"), Project: seedProject}, `mode role_separated < default
name Default 3-Agent Setup < preset default-3-agent
A hypothesis_generator codex-cli < preset default-3-agent
B test_designer claude-code < preset default-3-agent
PRESET_UNFILLED place 3 of preset default-3-agent has no agent: adversarial_critic
`},
		// R6: a default preset is a fallback; an explicit roster needs none.
		{"default preset not needed", roster.Sources{
			To:      to("A", "B", "C", "D"),
			Flags:   []roster.Part{part("--role", entry("A", "test_designer"), entry("B", "test_designer"), entry("C", "test_designer"), entry("D", "test_designer"))},
			Project: seedProject,
		}, `mode role_separated < default
A test_designer < flags --role
B test_designer < flags --role
C test_designer < flags --role
D test_designer < flags --role
`},
		// R6: a name beyond the last place is fine if it has an entry of its own.
		{"preset and one more", roster.Sources{
			To: to("A", "B", "C", "D"), PresetFlag: "default-3-agent",
			Flags: []roster.Part{part("--agent-role", entry("D", "adversarial_critic"))},
		}, `mode role_separated < default
name Default 3-Agent Setup < preset default-3-agent
A hypothesis_generator codex-cli < preset default-3-agent
B test_designer claude-code < preset default-3-agent
C adversarial_critic gemini-cli < preset default-3-agent
D adversarial_critic < flags --agent-role
`},
		// R6: placeholder names are replaced, and named where they are not.
		{"placeholders", roster.Sources{
			To: to("A"), PresetFlag: "pair",
			Project: roster.Settings{Presets: []roster.Preset{{ID: "pair", Name: "Pair", Entries: []roster.Place{{Role: "test_designer"}, {Role: "adversarial_critic"}}, PlaceholderNames: []string{"MAKER", "BREAKER"}}}},
		}, `mode role_separated < default
name Pair < preset pair
A test_designer < preset pair
PRESET_UNFILLED place 2 of preset pair has no agent: adversarial_critic (BREAKER)
`},
		// R2: no roster from any source.
		{"nothing said", roster.Sources{To: to("MyCodex", "Claude2", "gemini")}, `mode heuristic < default
MyCodex hypothesis_generator < name
Claude2 test_designer < name
gemini adversarial_critic < name
HEURISTIC_ROSTER roles are guessed from the agents' names: roster mode heuristic is deprecated
`},
		// R2: the seed's legacy roster; entries that there are hold.
		{"heuristic", roster.Sources{
			To:    to("Codex", "BlueLake"),
			Flags: []roster.Part{{Name: "--roster", Roster: roster.Roster{Mode: "heuristic", Entries: []roster.Entry{entry("BlueLake", "test_designer")}}}},
			// A default preset does not answer for who asked for guessing.
			Project: seedProject,
		}, `mode heuristic < flags --roster
BlueLake test_designer < flags --roster
Codex hypothesis_generator < name
HEURISTIC_ROSTER roles are guessed from the agents' names: roster mode heuristic is deprecated
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := roster.Resolve(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, story(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R7: without --to every roster entry is a recipient; with it only those named.
func TestResolve_Recipients(t *testing.T) {
	flags := []roster.Part{part("--roster", entry("A", "test_designer"), entry("B", "test_designer"))}
	all, err := roster.Resolve(roster.Sources{Flags: flags})
	if err != nil || !slices.Equal(all.Recipients, to("A", "B")) {
		t.Errorf("got %v, %v", all.Recipients, err)
	}
	one, err := roster.Resolve(roster.Sources{Flags: flags, To: to("B")})
	if err != nil || !slices.Equal(one.Recipients, to("B")) || len(one.Roster.Entries) != 2 {
		t.Errorf("got %+v, %v", one, err)
	}
}

// R2, R3, R6: every error at once, with its source, and nothing resolved.
func TestResolve_ReportsEveryError(t *testing.T) {
	for _, c := range []struct {
		name string
		in   roster.Sources
		want []string
	}{
		{"rule 3", roster.Sources{
			To:    to("BlueLake", "PurpleMountain", "GreenValley"),
			Flags: []roster.Part{part("--roster", entry("BlueLake", "hypothesis_generator"), entry("PurpleMountain", "test_designer"))},
		}, []string{"MISSING_ROSTER_ENTRY  Missing roster entry for recipient: GreenValley"}},
		{"everything", roster.Sources{
			To:          to("A", "B"),
			Flags:       []roster.Part{part("--roster", entry("A", "boss"), entry("A", "test_designer"))},
			Environment: []roster.Part{{Name: "BRENNER_ROSTER_MODE", Roster: roster.Roster{Mode: "solo"}}},
		}, []string{
			"INVALID_ROLE flags --roster Invalid role for A: boss",
			"DUPLICATE_AGENT flags --roster Duplicate agent in roster: A",
			"INVALID_VALUE environment BRENNER_ROSTER_MODE invalid roster mode: solo",
			"MISSING_ROSTER_ENTRY  Missing roster entry for recipient: B",
		}},
		{"more names than places", roster.Sources{To: to("A", "B", "C", "D", "E"), PresetFlag: "default-3-agent"}, []string{
			"PRESET_FULL preset default-3-agent preset default-3-agent has 3 places and 5 names were given: no place for D, E",
			"MISSING_ROSTER_ENTRY  Missing roster entry for recipient: D",
			"MISSING_ROSTER_ENTRY  Missing roster entry for recipient: E",
		}},
		{"unknown preset", roster.Sources{To: to("A"), PresetEnv: "trio"}, []string{"UNKNOWN_PRESET environment BRENNER_ROSTER_PRESET unknown roster preset: trio"}},
		{
			"a name twice",
			roster.Sources{To: to("A", "A"), Flags: []roster.Part{part("--roster", entry("A", "test_designer"))}},
			[]string{"DUPLICATE_AGENT  Duplicate agent in roster: A"},
		},
		{
			"a name the heuristic cannot place",
			roster.Sources{To: to("Codex", "BlueLake")},
			[]string{"MISSING_ROSTER_ENTRY  Missing roster entry for recipient: BlueLake"},
		},
		{"nobody", roster.Sources{}, []string{"EMPTY_ROSTER  the roster has no entry"}},
		{"a preset without names", roster.Sources{PresetFlag: "default-3-agent"}, []string{"EMPTY_ROSTER  the roster has no entry"}},
	} {
		_, err := roster.Resolve(c.in)
		e, ok := err.(*brenner.Error)
		if !ok || e.Code != brenner.CodeInvalidRoster {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, d := range e.Diagnostics {
			got = append(got, fmt.Sprintf("%s %s %s", d.Code, d.Subject, d.Message))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if len(c.want) == 1 && !strings.HasSuffix(c.want[0], e.Message) {
			t.Errorf("%s: a single error does not speak for itself: %s", c.name, e.Message)
		}
	}
}

// drawSources draws what several sources say, none of it wrong in itself.
func drawSources(t *rapid.T) roster.Sources {
	names := []string{"A", "B", "C", "D", "E", "MyCodex"}
	roles := []string{"hypothesis_generator", "test_designer", "adversarial_critic"}
	draw := func(label string) roster.Roster {
		r := roster.Roster{Mode: roster.Mode(rapid.SampledFrom([]string{"", "", "unified", "role_separated", "heuristic"}).Draw(t, label+" mode"))}
		r.Name = rapid.SampledFrom([]string{"", label}).Draw(t, label+" name")
		for _, n := range rapid.Permutation(names).Draw(t, label)[:rapid.IntRange(0, 3).Draw(t, label+" count")] {
			r.Entries = append(r.Entries, entry(n, rapid.SampledFrom(roles).Draw(t, "role")))
		}
		return r
	}
	parts := func(label string) []roster.Part {
		var out []roster.Part
		for i := range rapid.IntRange(0, 2).Draw(t, label+" parts") {
			name := fmt.Sprint(label, i)
			out = append(out, roster.Part{Name: name, Roster: draw(name)})
		}
		return out
	}
	s := roster.Sources{Flags: parts("flags"), Environment: parts("environment"), Session: parts("session"), Project: roster.Settings{Roster: draw("project")}}
	for _, n := range rapid.Permutation(names).Draw(t, "to")[:rapid.IntRange(0, 4).Draw(t, "recipients")] {
		s.To = append(s.To, brenner.ActorName(n))
	}
	s.PresetFlag = rapid.SampledFrom([]string{"", "default-3-agent"}).Draw(t, "--preset")
	s.PresetEnv = rapid.SampledFrom([]string{"", "default-3-agent"}).Draw(t, "env preset")
	s.Project.DefaultPreset = rapid.SampledFrom([]string{"", "default-3-agent"}).Draw(t, "default preset")
	return s
}

// oracle looks one agent up by walking the sources by hand. It knows nothing of
// layers, provenance or order.
func oracle(s roster.Sources, name brenner.ActorName) (brenner.Role, bool) {
	all := slices.Concat(s.Flags, s.Environment, s.Session, []roster.Part{{Roster: s.Project.Roster}})
	for _, p := range all {
		for _, e := range p.Roster.Entries {
			if e.AgentName == name {
				return e.Role, true
			}
		}
	}
	entries := 0
	for _, p := range all {
		entries += len(p.Roster.Entries)
	}
	preset := s.PresetFlag != "" || s.PresetEnv != "" || s.Project.DefaultPreset != "" && oracleMode(s) != "heuristic" && entries == 0
	if i := slices.Index(s.To, name); preset && i >= 0 && i < 3 {
		return roster.Roles()[i], true
	}
	if mode := oracleMode(s); mode == "heuristic" || mode == "" && entries == 0 && !preset {
		if name == "MyCodex" && slices.Contains(s.To, name) {
			return "hypothesis_generator", true
		}
	}
	return "", false
}

func oracleMode(s roster.Sources) roster.Mode {
	for _, p := range slices.Concat(s.Flags, s.Environment, s.Session, []roster.Part{{Roster: s.Project.Roster}}) {
		if p.Roster.Mode != "" {
			return p.Roster.Mode
		}
	}
	return ""
}

// R4: precedence, against the oracle, for every agent there is; the inputs are
// not changed and the same sources give the same roster.
func TestResolve_PrecedenceHoldsForAnySources(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSources(t)
		before := fmt.Sprintf("%+v", s)
		got, err := roster.Resolve(s)
		again, _ := roster.Resolve(s)
		if diff := cmp.Diff(got, again); diff != "" {
			t.Fatalf("not deterministic: %s", diff)
		}
		if after := fmt.Sprintf("%+v", s); after != before {
			t.Fatalf("the sources were changed:\n%s\n%s", before, after)
		}
		if err != nil {
			var missing int
			named := s.PresetFlag != "" || s.PresetEnv != ""
			for i, name := range s.To {
				bare := s
				bare.To = nil // neither a place of the preset nor a guess
				_, stated := oracle(bare, name)
				if _, ok := oracle(s, name); !ok || named && i >= 3 && !stated {
					missing++
				}
			}
			nobody := len(s.To) == 0 && strings.Contains(err.Error(), "no entry")
			if missing == 0 && !nobody {
				t.Fatalf("refused although everybody has a role: %v", err)
			}
			return
		}
		for _, name := range []brenner.ActorName{"A", "B", "C", "D", "E", "MyCodex"} {
			want, has := oracle(s, name)
			e, ok := got.Roster.Entry(name)
			if ok != has || e.Role != want {
				t.Fatalf("%s is %q (%v), want %q (%v)", name, e.Role, ok, want, has)
			}
			from := slices.IndexFunc(got.Parts, func(p roster.Provenance) bool { return p.Part == "entry" && p.Agent == name })
			if (from >= 0) != ok {
				t.Fatalf("%s: entry %v, provenance %v", name, ok, from >= 0)
			}
		}
		if found := append(roster.Validate(got.Roster), roster.Cover(got.Roster, got.Recipients)...); len(found) > 0 {
			t.Fatalf("resolved to a roster with errors: %v", found)
		}
		if len(s.To) > 0 && !slices.Equal(got.Recipients, s.To) {
			t.Fatalf("recipients %v, want %v", got.Recipients, s.To)
		}
	})
}

// R4: the resolution names the preset that filled places, whichever source
// chose it.
func TestResolve_NamesThePresetThatWasUsed(t *testing.T) {
	solo := []roster.Preset{{ID: "solo", Name: "Solo", Entries: []roster.Place{{Role: "test_designer"}}}}
	for name, in := range map[string]roster.Sources{
		"flag":        {To: to("A"), PresetFlag: "solo", Project: roster.Settings{Presets: solo}},
		"environment": {To: to("A"), PresetEnv: "solo", Project: roster.Settings{Presets: solo}},
		"project":     {To: to("A"), Project: roster.Settings{Presets: solo, DefaultPreset: "solo"}},
	} {
		if got, err := roster.Resolve(in); err != nil || got.Preset != "solo" {
			t.Errorf("%s: %q, %v", name, got.Preset, err)
		}
	}
}

// R2, R4: in heuristic mode nobody is without a role, so that no preset is asked
// for.
func TestResolve_HeuristicModeNeedsNoPreset(t *testing.T) {
	got, err := roster.Resolve(roster.Sources{
		To: to("Codex"), Flags: []roster.Part{{Name: "--mode", Roster: roster.Roster{Mode: roster.Heuristic}}},
		Project: roster.Settings{DefaultPreset: "default-3-agent", Presets: roster.BuiltinPresets()},
	})
	if err != nil || got.Preset != "" || got.Roster.Mode != roster.Heuristic {
		t.Errorf("preset %q, mode %q, %v", got.Preset, got.Roster.Mode, err)
	}
}

// R4, R2, R3: where no source names anybody, recipients play the roles they have in
// the project, all or none; who is left out of a roster is still missing.
func TestResolve_StandingRoles(t *testing.T) {
	known := []roster.Entry{{AgentName: "Ann", Role: roster.TestDesigner}, {AgentName: "Bob", Role: roster.AdversarialCritic}, {AgentName: "Eve", Role: "writer"}}
	role := func(r roster.Resolution, name brenner.ActorName) brenner.Role {
		e, _ := r.Roster.Entry(name)
		return e.Role
	}
	both, err := roster.Resolve(roster.Sources{To: to("Ann", "Bob"), Standing: known})
	if err != nil || both.Roster.Mode != roster.RoleSeparated || role(both, "Ann") != roster.TestDesigner || role(both, "Bob") != roster.AdversarialCritic || len(both.Warnings) > 0 {
		t.Errorf("both: %+v, %v", both, err)
	}
	if last := both.Parts[len(both.Parts)-1]; last.From.Source != roster.FromStanding {
		t.Errorf("it comes from %v", last.From)
	}
	flag := []roster.Part{{Name: "--role", Roster: roster.Roster{Entries: []roster.Entry{{AgentName: "Ann", Role: roster.HypothesisGenerator}}}}}
	if _, err := roster.Resolve(roster.Sources{To: to("Ann", "Bob"), Flags: flag, Standing: known}); err == nil || !strings.Contains(err.Error(), "Missing roster entry for recipient: Bob") {
		t.Errorf("a flag for one: %v", err)
	}
	if preset, err := roster.Resolve(roster.Sources{To: to("Ann", "Bob"), PresetFlag: "default-3-agent", Standing: known}); err != nil || role(preset, "Ann") != roster.HypothesisGenerator {
		t.Errorf("a preset: %+v, %v", preset, err)
	}
	if guessed, err := roster.Resolve(roster.Sources{To: to("Ann", "CodexOne"), Standing: known}); err == nil || !strings.Contains(err.Error(), "Missing roster entry for recipient: Ann") {
		t.Errorf("one is not known: %+v, %v", guessed, err)
	}
	for _, name := range []brenner.ActorName{"Eve", "Zoe"} { // no role of a session; nobody
		if _, err := roster.Resolve(roster.Sources{To: to(name), Standing: known}); err == nil {
			t.Errorf("%s has a role", name)
		}
	}
}
