package roster_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/roster"

	"github.com/google/go-cmp/cmp"
)

// seedRoster is the seed's example of role-separated mode.
func seedRoster() roster.Roster {
	return roster.Roster{
		Mode: roster.RoleSeparated,
		Name: "Default 3-Agent Setup",
		Entries: []roster.Entry{
			{AgentName: "BlueLake", Role: roster.HypothesisGenerator, Program: "codex-cli"},
			{AgentName: "PurpleMountain", Role: roster.TestDesigner, Program: "claude-code"},
			{AgentName: "GreenValley", Role: roster.AdversarialCritic, Program: "gemini-cli"},
		},
	}
}

func messages(found []brenner.Diagnostic) []string {
	var out []string
	for _, d := range found {
		out = append(out, d.Message)
	}
	return out
}

// R1: types and JSON names exactly as in the seed, every member of every type.
func TestParse_ReadsTheSeedsJSON(t *testing.T) {
	got, err := roster.Parse([]byte(`{
		"entries": [{"agentName": "BlueLake", "role": "hypothesis_generator", "program": "codex-cli", "model": "GPT-5.2", "notes": "fast"}],
		"mode": "unified", "name": "Solo", "createdAt": "2025-12-31T09:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := roster.Roster{
		Mode: roster.Unified, Name: "Solo", CreatedAt: "2025-12-31T09:00:00Z",
		Entries: []roster.Entry{{AgentName: "BlueLake", Role: "hypothesis_generator", Program: "codex-cli", Model: "GPT-5.2", Notes: "fast"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	back, err := roster.Parse(canon.MustMarshal(got))
	if err != nil || !cmp.Equal(back, got) {
		t.Errorf("does not survive its own JSON: %+v, %v", back, err)
	}
}

// R1: the seed's inline array is a roster too.
func TestParse_ReadsAnArrayOfEntries(t *testing.T) {
	got, err := roster.Parse([]byte(` [
  {"agentName":"BlueLake","role":"hypothesis_generator"},
  {"agentName":"PurpleMountain","role":"test_designer"}
]`))
	if err != nil || len(got.Entries) != 2 || got.Entries[1].Role != roster.TestDesigner {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParse_IsStrict(t *testing.T) {
	for src, want := range map[string]struct {
		code    brenner.Code
		pointer string
	}{
		`[{"agentname":"X","role":"test_designer"}]`: {brenner.CodeInvalidJSON, "/0/agentname"},
		`{"entries":[{"agentName":"X","role":7}]}`:   {brenner.CodeInvalidJSON, "/entries/0/role"},
		`{"entries":[],"entries":[]}`:                {brenner.CodeInvalidJSON, "/entries"},
		`{"roles":[]}`:                               {brenner.CodeInvalidJSON, "/roles"},
		``:                                           {brenner.CodeInvalidJSON, ""},
		`"` + strings.Repeat("x", brenner.MaxRosterBytes) + `"`:     {brenner.CodeLimitExceeded, ""},
		`[{"agentName":"X\u0000","role":"test_designer"}]`:          {brenner.CodeInvalidText, "/0/agentName"},
		`[{"agentName":"X","role":"test_designer"},` + "\n" + `bad`: {brenner.CodeInvalidJSON, "/1"},
	} {
		_, err := roster.Parse([]byte(src))
		e, ok := err.(*brenner.Error)
		if !ok || e.Code != want.code || e.Pointer != want.pointer {
			t.Errorf("Parse(%.60s): %v, want %v", src, err, want)
		}
	}
}

// R1: the mode is role_separated unless it is given, and the seed's metadata is
// what a session artifact keeps.
func TestMetadata_IsTheSeedsJSON(t *testing.T) {
	got := canon.MustMarshal(map[string]any{"metadata": roster.Metadata{SessionID: "RS-20251230-cell-fate", Roster: seedRoster()}})
	want, err := canon.Transform([]byte(`{
  "metadata": {
    "session_id": "RS-20251230-cell-fate",
    "roster": {
      "mode": "role_separated",
      "name": "Default 3-Agent Setup",
      "entries": [
        { "agentName": "BlueLake", "role": "hypothesis_generator", "program": "codex-cli" },
        { "agentName": "PurpleMountain", "role": "test_designer", "program": "claude-code" },
        { "agentName": "GreenValley", "role": "adversarial_critic", "program": "gemini-cli" }
      ]
    }
  }
}`))
	if err != nil || string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// R3: the seed's rules 1, 2 and 5, its texts word for word; R1: at least one
// entry except in heuristic mode; R2: the three modes and no other.
func TestValidate_ReportsEveryError(t *testing.T) {
	type entries = []roster.Entry
	for _, c := range []struct {
		name string
		in   roster.Roster
		want []string
	}{
		{"the seed's example", seedRoster(), nil},
		{"rule 1: no duplicate agents", roster.Roster{Entries: entries{
			{AgentName: "BlueLake", Role: "hypothesis_generator"},
			{AgentName: "BlueLake", Role: "test_designer"},
		}}, []string{"Duplicate agent in roster: BlueLake"}},
		{"rule 2: duplicate roles are allowed", roster.Roster{Entries: entries{
			{AgentName: "BlueLake", Role: "hypothesis_generator"},
			{AgentName: "RedSky", Role: "hypothesis_generator"},
			{AgentName: "PurpleMountain", Role: "test_designer"},
		}}, nil},
		{
			"rule 5: role validation",
			roster.Roster{Entries: entries{{AgentName: "BlueLake", Role: "researcher"}}},
			[]string{"Invalid role for BlueLake: researcher"},
		},
		{
			"a role in another case",
			roster.Roster{Entries: entries{{AgentName: "BlueLake", Role: "Test_Designer"}}},
			[]string{"Invalid role for BlueLake: Test_Designer"},
		},
		{"no role", roster.Roster{Entries: entries{{AgentName: "BlueLake"}}}, []string{"Invalid role for BlueLake: "}},
		{"all at once", roster.Roster{Mode: "solo", CreatedAt: "yesterday", Entries: entries{
			{AgentName: "A", Role: "x"}, {AgentName: "A", Role: "y"}, {AgentName: "A", Role: "test_designer"}, {AgentName: "no name", Role: "z"},
		}}, []string{
			"invalid roster mode: solo", "createdAt is not an instant",
			"Invalid role for A: x", "Duplicate agent in roster: A", "Invalid role for A: y", "Duplicate agent in roster: A",
			`"no name" is not a valid actor name`, "Invalid role for no name: z",
		}},
		{"unified", roster.Roster{Mode: "unified", Entries: entries{
			{AgentName: "BlueLake", Role: "hypothesis_generator"}, {AgentName: "PurpleMountain", Role: "hypothesis_generator"},
		}}, nil},
		{"no entry", roster.Roster{}, []string{"the roster has no entry"}},
		{"no entry, unified", roster.Roster{Mode: "unified"}, []string{"the roster has no entry"}},
		{"no entry, heuristic", roster.Roster{Mode: "heuristic"}, nil},
		{
			"long notes",
			roster.Roster{Entries: entries{{AgentName: "A", Role: "test_designer", Notes: strings.Repeat("é", brenner.MaxNoteRunes+1)}}},
			[]string{"notes is longer than 4000 characters"},
		},
		{"too many", roster.Roster{Entries: make(entries, brenner.MaxRosterEntries+1)}, []string{"the roster has 257 entries, more than 256"}},
	} {
		if diff := cmp.Diff(c.want, messages(roster.Validate(c.in))); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// R3: codes and pointers lead a program to the entry.
func TestValidate_NamesTheEntry(t *testing.T) {
	found := roster.Validate(roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: "hypothesis_generator"},
		{AgentName: "BlueLake", Role: "researcher"},
	}})
	want := []brenner.Diagnostic{
		{
			Code: brenner.CodeDuplicateAgent, Severity: brenner.SeverityError, Message: "Duplicate agent in roster: BlueLake",
			Hint: "each agent has one entry; several agents may share a role", Pointer: "/entries/1/agentName",
		},
		{
			Code: brenner.CodeInvalidRole, Severity: brenner.SeverityError, Message: "Invalid role for BlueLake: researcher",
			Hint: "use hypothesis_generator, test_designer or adversarial_critic", Pointer: "/entries/1/role",
		},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// R3: the seed's rules 3 and 4.
func TestCover_MissingMappingIsAnErrorExtraEntriesAreNot(t *testing.T) {
	two := roster.Roster{Entries: seedRoster().Entries[:2]}
	found := roster.Cover(two, []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley", "RedSky"})
	want := []string{"Missing roster entry for recipient: GreenValley", "Missing roster entry for recipient: RedSky"}
	if diff := cmp.Diff(want, messages(found)); diff != "" {
		t.Error(diff)
	}
	if found[0].Code != brenner.CodeMissingRosterEntry {
		t.Errorf("code %s", found[0].Code)
	}
	if found := roster.Cover(two, []brenner.ActorName{"BlueLake"}); found != nil {
		t.Errorf("an extra entry is refused: %v", found)
	}
}

// R2: the seed's substring matching, whatever the case, and an error for a name
// that says nothing.
func TestGuessRole_MatchesTheSeedsSubstrings(t *testing.T) {
	for name, want := range map[brenner.ActorName]brenner.Role{
		"Codex": roster.HypothesisGenerator, "my-gpt-5": roster.HypothesisGenerator,
		"Opus": roster.TestDesigner, "CLAUDE.2": roster.TestDesigner,
		"gemini3": roster.AdversarialCritic, "BlueLake": "", "": "",
	} {
		if got, ok := roster.GuessRole(name); got != want || ok != (want != "") {
			t.Errorf("GuessRole(%s) = %q, %v", name, got, ok)
		}
	}
	heuristic := roster.Roster{Mode: roster.Heuristic}
	found := roster.Cover(heuristic, []brenner.ActorName{"Codex", "BlueLake"})
	if diff := cmp.Diff([]string{"Missing roster entry for recipient: BlueLake"}, messages(found)); diff != "" {
		t.Error(diff)
	}
	if w := roster.Deprecations(heuristic); len(w) != 1 || w[0].Code != brenner.CodeHeuristicRoster || w[0].Severity != brenner.SeverityWarning {
		t.Errorf("no warning: %v", w)
	}
	if w := roster.Deprecations(seedRoster()); w != nil {
		t.Errorf("a warning about nothing: %v", w)
	}
}

// R6: the built-in preset has the seed's values, and a project's own preset of
// the same id takes its place.
func TestPresets_OwnBeforeBuiltin(t *testing.T) {
	want := roster.Preset{
		ID: "default-3-agent", Name: "Default 3-Agent Setup", Description: "Standard Brenner Protocol with Codex/Opus/Gemini",
		Entries: []roster.Place{
			{Role: "hypothesis_generator", Program: "codex-cli", Model: "GPT-5.2"},
			{Role: "test_designer", Program: "claude-code", Model: "Opus 4.5"},
			{Role: "adversarial_critic", Program: "gemini-cli", Model: "Gemini 3"},
		},
	}
	got, err := roster.FindPreset(nil, "default-3-agent")
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	own := []roster.Preset{{ID: "default-3-agent", Name: "Ours", Entries: []roster.Place{{Role: "test_designer"}}}, {ID: "pair", Name: "Pair"}}
	if got, err := roster.FindPreset(own, "default-3-agent"); err != nil || got.Name != "Ours" {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := len(roster.Presets(own)); n != 2 {
		t.Errorf("%d presets, want 2", n)
	}
	_, err = roster.FindPreset(own, "trio")
	if e, ok := err.(*brenner.Error); !ok || e.Code != brenner.CodeUnknownPreset || e.Hint != "known presets: default-3-agent, pair" {
		t.Errorf("got %v", err)
	}
}

// R6: what a project may not define.
func TestValidateSettings_RefusesBadPresets(t *testing.T) {
	found := roster.ValidateSettings(roster.Settings{
		Presets: []roster.Preset{
			{ID: "a b", Name: " "},
			{ID: "x", Name: "X", Entries: []roster.Place{{Role: "boss"}}, PlaceholderNames: []string{"A", "B"}},
			{ID: "x", Name: "X", Entries: []roster.Place{{Role: "test_designer"}}, PlaceholderNames: []string{"A"}},
		},
		DefaultPreset: "nowhere",
	})
	var got []string
	for _, d := range found {
		got = append(got, d.Pointer+" "+d.Message)
	}
	want := []string{
		"/presets/0/id a preset needs an id of one word",
		"/presets/0/name a preset needs a name",
		"/presets/0/entries a preset has 1 to 256 entries, not 0",
		"/presets/1/entries/0/role Invalid role for place 1 of preset x: boss",
		"/presets/1/placeholderNames 2 placeholder names for 1 entry",
		"/presets/2/id two presets have the id x",
		"/defaultPreset unknown roster preset: nowhere",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// R7: roles follow the names before them, as in the seed's first command line.
func TestAddressees_PairsByOrder(t *testing.T) {
	var a roster.Addressees
	if err := a.Role("test_designer"); brenner.CodeOf(err) != brenner.CodeUsage {
		t.Errorf("a role before any name: %v", err)
	}
	a.Name("BlueLake")
	if err := a.Role("hypothesis_generator"); err != nil {
		t.Error(err)
	}
	if err := a.Role("test_designer"); brenner.CodeOf(err) != brenner.CodeUsage {
		t.Errorf("a second role: %v", err)
	}
	a.Name("RedSky")
	a.Name("GreenValley")
	if err := a.Role("adversarial_critic"); err != nil {
		t.Error(err)
	}
	want := []roster.Entry{
		{AgentName: "BlueLake", Role: "hypothesis_generator"},
		{AgentName: "GreenValley", Role: "adversarial_critic"},
	}
	if !cmp.Equal(a.Entries, want) || !cmp.Equal(a.To, []brenner.ActorName{"BlueLake", "RedSky", "GreenValley"}) {
		t.Errorf("got %+v", a)
	}
}

func TestParseAgentRole(t *testing.T) {
	got, err := roster.ParseAgentRole("BlueLake=test_designer")
	if err != nil || got != (roster.Entry{AgentName: "BlueLake", Role: "test_designer"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "BlueLake", "=test_designer", "BlueLake="} {
		if _, err := roster.ParseAgentRole(bad); brenner.CodeOf(err) != brenner.CodeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
