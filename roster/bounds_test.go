package roster_test

import (
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/roster"
)

// D27: a session is compiled by hand, when all have answered, or after a time
// that is one.
func TestCompileMode_IsAWordOrATime(t *testing.T) {
	for mode, want := range map[roster.CompileMode]time.Duration{"manual": 0, "answered": 0, "30m": 30 * time.Minute, "1ns": 1} {
		if got, ok := mode.After(); got != want || ok != (want > 0) {
			t.Errorf("%s: %s, %t", mode, got, ok)
		}
		if err := mode.Check(); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
	for _, mode := range []roster.CompileMode{"", "soon", "0s", "-5m", "30"} {
		if _, ok := mode.After(); ok {
			t.Errorf("%q is a time", mode)
		}
		if err := mode.Check(); brenner.CodeOf(err) != brenner.CodeInvalidValue {
			t.Errorf("%q: %v", mode, err)
		}
	}
}

// D27: a kickoff says when an answer takes effect, as the session is set.
func TestCompose_SaysWhenItIsCompiled(t *testing.T) {
	const answered = "is compiled as soon as everybody who was asked has answered"
	for mode, want := range map[roster.CompileMode]string{
		"answered": answered + ", or, once most have, 4 minutes after the last who did; until then others see yours as proposals",
		"":         answered + ", or, once most have, 4 minutes after the last who did; until then others see yours as proposals",
		"45m":      answered + ", and at the latest 45m after the first that waits; until then",
		"manual":   "The PI compiles what has come in when it is time; until then",
	} {
		k := seedKickoff()
		k.Compile = mode
		if body := composed(t, k); !strings.Contains(body, want) {
			t.Errorf("%q: %q is missing in\n%s", mode, want, body)
		}
	}
}

func composed(t *testing.T, k roster.Kickoff) string {
	t.Helper()
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	return messages[0].Body
}

// R11, D25: the table of sections says what a field takes unless it is a text,
// names what every item may have nowhere, and says where nothing is added. Who
// writes everything is shown everything; who may do one thing to a section is
// told which.
func TestCompose_SaysWhatEachSectionTakes(t *testing.T) {
	k := seedKickoff()
	all := composed(t, k)
	for _, want := range []string{
		"\n## Question\n\n> How do cells know\n> their fate?\n",
		"| section | ids | an ADD needs | and may have |\n",
		"| `research_thread` | RT | no ADD, only EDIT |",
		"| `hypothesis_slate` | H1… | `claim`,",
		"`third_alternative` (flag)",
		"`anchors` (list)",
		"(unchecked, verified, falsified)", "`status` (such as planned, running, run, dropped)", "`current_status` (such as open, answered, settled)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	for _, no := range []string{", `labels`", "`references`", "`claim` (", "Your deltas may change these sections", " you may KILL items"} {
		if strings.Contains(all, no) {
			t.Errorf("%q is in\n%s", no, all)
		}
	}
	k.Sections = map[brenner.Role][]string{"hypothesis_generator": {"hypothesis_slate", "predictions_table:KILL"}}
	some := composed(t, k)
	if !strings.Contains(some, "Your deltas may change these sections") || !strings.Contains(some, " Of `predictions_table` you may KILL items.\n") ||
		strings.Contains(some, "Of `hypothesis_slate` you may") || strings.Contains(some, "| `research_thread` |") {
		t.Error(some)
	}
	k.Roster.Mode = roster.Unified
	if body := composed(t, k); !strings.Contains(body, "| `research_thread` |") || strings.Contains(body, "Your deltas may change these sections") {
		t.Errorf("where all do everything, a section is missing:\n%s", body)
	}
	k = seedKickoff()
	k.Module = ""
	if body := composed(t, k); !strings.Contains(body, "of module `project`") {
		t.Errorf("without a module:\n%s", body)
	}
}

// R9: the marker stands inside what quotes or indents its block.
func TestCompose_MarksExamplesWhereTheyStand(t *testing.T) {
	for opening, marker := range map[string]string{
		"> ```delta":  "> > <!--",
		"- ```delta":  ">   <!--",
		"\t```delta":  "> \t<!--",
		">\t~~~delta": "> >\t<!--",
	} {
		k := seedKickoff()
		k.Context = "x\n" + opening + "\n{}\n"
		body := composed(t, k)
		_, after, found := strings.Cut(body, "> "+opening+"\n")
		if line, _, _ := strings.Cut(after, "\n"); !found || !strings.HasPrefix(line, marker[:strings.Index(marker, "<")]) || strings.HasPrefix(line, marker[:strings.Index(marker, "<")]+" ") {
			t.Errorf("%q is followed by %q", opening, line)
		}
	}
}

// What stands at a bound is taken; what is one beyond it is refused.
func TestBounds_AreTheLastThatIsAllowed(t *testing.T) {
	k := seedKickoff()
	k.Question = strings.Repeat("é", brenner.MaxQuestionRunes)
	if _, err := k.Compose(); err != nil {
		t.Errorf("the longest question: %v", err)
	}
	for _, c := range []struct {
		field string
		most  int
		set   func(*roster.Entry, string)
	}{
		{"/program", 128, func(e *roster.Entry, s string) { e.Program = s }},
		{"/model", 128, func(e *roster.Entry, s string) { e.Model = s }},
		{"/notes", brenner.MaxNoteRunes, func(e *roster.Entry, s string) { e.Notes = s }},
	} {
		for over := range 2 {
			r := seedRoster()
			c.set(&r.Entries[0], strings.Repeat("é", c.most+over))
			found := roster.Validate(r)
			if len(found) != over || over == 1 && found[0].Pointer != "/entries/0"+c.field {
				t.Errorf("%s of %d: %+v", c.field, c.most+over, found)
			}
		}
	}
	for over := range 2 {
		var entries []roster.Entry
		var places []roster.Place
		for i := range brenner.MaxRosterEntries + over {
			entries = append(entries, entry("A"+strings.Repeat("x", i%50)+string(rune('a'+i/50)), "test_designer"))
			places = append(places, roster.Place{Role: "test_designer"})
		}
		if found := roster.Validate(roster.Roster{Entries: entries}); len(found) != over {
			t.Errorf("%d entries: %+v", len(entries), found)
		}
		if found := roster.ValidateSettings(roster.Settings{Presets: []roster.Preset{{ID: "x", Name: "X", Entries: places}}}); len(found) != over {
			t.Errorf("a preset of %d: %+v", len(places), found)
		}
		list := `{"entries":[]}` + strings.Repeat(" ", brenner.MaxRosterBytes-len(`{"entries":[]}`)+over)
		if _, err := roster.Parse([]byte(list)); (brenner.CodeOf(err) == brenner.CodeLimitExceeded) != (over == 1) {
			t.Errorf("%d bytes: %v", len(list), err)
		}
	}
	one := []roster.Place{{Role: "test_designer"}, {Role: "test_designer"}}
	if found := roster.ValidateSettings(roster.Settings{Presets: []roster.Preset{{ID: "x", Name: "X", Entries: one, PlaceholderNames: []string{"A"}}}}); len(found) != 1 {
		t.Errorf("one name for two places: %+v", found)
	}
}

// R7: a slug keeps every letter and digit, and as many whole words as fit into
// forty characters.
func TestNewSessionID_KeepsWhatFits(t *testing.T) {
	at := time.Date(2025, 12, 31, 9, 0, 0, 0, time.UTC)
	for question, want := range map[string]string{
		"a z 0 9":                             "a-z-0-9",
		strings.Repeat("x", 35) + " four":     strings.Repeat("x", 35) + "-four",
		strings.Repeat("x", 35) + " fives":    strings.Repeat("x", 35),
		strings.Repeat("x", 36) + " abc tail": strings.Repeat("x", 36) + "-abc",
	} {
		if got := roster.NewSessionID(at, question); string(got) != "RS-20251231-"+want {
			t.Errorf("%q gives %s", question, got)
		}
	}
}

// R4: what a lower source says of an agent and a higher one leaves open is kept,
// program and model; a preset's is not. The date is said like the rest, and an
// agent that nobody can place is told why.
func TestResolve_KeepsWhatIsLeftOpen(t *testing.T) {
	full := entry("BlueLake", "test_designer")
	full.Program, full.Model = "codex-cli", "GPT"
	r, err := roster.Resolve(roster.Sources{
		To:          to("BlueLake"),
		Flags:       []roster.Part{part("--role", entry("BlueLake", "adversarial_critic"))},
		ProjectName: ".brennerrc",
		Project:     roster.Settings{Roster: roster.Roster{CreatedAt: "2025-12-31T09:00:00Z", Entries: []roster.Entry{full}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := roster.Entry{AgentName: "BlueLake", Role: "adversarial_critic", Program: "codex-cli", Model: "GPT"}
	if len(r.Roster.Entries) != 1 || r.Roster.Entries[0] != want || r.Roster.CreatedAt != "2025-12-31T09:00:00Z" {
		t.Errorf("%+v", r.Roster)
	}
	found := roster.Cover(roster.Roster{Mode: roster.Heuristic}, to("Xyz"))
	if len(found) != 1 || !strings.HasPrefix(found[0].Hint, "no role can be guessed from this name; give it a role") {
		t.Errorf("%+v", found)
	}
}

// R3, R6: the project's preset helps out only where nobody has an entry. Where
// some have one and a recipient has none, that is said.
func TestResolve_TheDefaultPresetFillsNoGaps(t *testing.T) {
	for name, c := range map[string]struct {
		to    []brenner.ActorName
		flags []roster.Part
		want  string
		fault string
	}{
		"nobody has one": {to("BlueLake"), nil, "default-3-agent", ""},
		"a recipient lacks one": {
			to("BlueLake", "RedSky"),
			[]roster.Part{part("--role", entry("BlueLake", "test_designer"))},
			"",
			"Missing roster entry for recipient: RedSky",
		},
		"all have one":      {to("BlueLake"), []roster.Part{part("--role", entry("BlueLake", "test_designer"))}, "", ""},
		"all who are there": {nil, []roster.Part{part("--role", entry("BlueLake", "test_designer"))}, "", ""},
	} {
		r, err := roster.Resolve(roster.Sources{To: c.to, Flags: c.flags, Project: roster.Settings{DefaultPreset: "default-3-agent"}})
		if r.Preset != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %q, %v", name, r.Preset, err)
		}
	}
}
