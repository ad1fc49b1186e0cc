package roster_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/delta"
	"brenner/roster"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

func seedKickoff() roster.Kickoff {
	r := seedRoster()
	for i, model := range []string{"GPT-5.2", "Opus 4.5", "Gemini 3"} {
		r.Entries[i].Model = model
	}
	return roster.Kickoff{
		Session: "RS-20251230-cell-fate", Question: "How do cells know\ntheir fate?", Context: "Start from §161.",
		Roster: r, Recipients: r.Names(),
	}
}

// R7: the seed's roster table, byte for byte, in every body.
func TestCompose_EveryBodyCarriesTheSeedsTable(t *testing.T) {
	const want = `## Session Configuration

**Roster Mode**: role_separated
**Roster Name**: Default 3-Agent Setup

| Agent | Role | Program | Model |
|-------|------|---------|-------|
| BlueLake | hypothesis_generator | codex-cli | GPT-5.2 |
| PurpleMountain | test_designer | claude-code | Opus 4.5 |
| GreenValley | adversarial_critic | gemini-cli | Gemini 3 |

---
`
	k := seedKickoff()
	if got := roster.SessionConfiguration(k.Roster); got != want {
		t.Errorf("got\n%s", got)
	}
	messages, err := k.Compose()
	if err != nil || len(messages) != 3 {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	for i, m := range messages {
		if m.To != k.Recipients[i] || m.Subject != "KICKOFF: RS-20251230-cell-fate – How do cells know their fate?" {
			t.Errorf("message %d is to %s: %s", i, m.To, m.Subject)
		}
		if !strings.Contains(m.Body, want) || !strings.Contains(m.Body, "> How do cells know\n> their fate?\n") || !strings.Contains(m.Body, "> Start from §161.\n") {
			t.Errorf("body of %s lacks the table, the question or the context:\n%s", m.To, m.Body)
		}
	}
}

// R7: each recipient gets the prompt of its own role and of no other; in
// unified mode all get one.
func TestCompose_PromptFollowsRoleOrMode(t *testing.T) {
	titles := map[brenner.Role]string{
		roster.HypothesisGenerator: "# Role: hypothesis generator\n",
		roster.TestDesigner:        "# Role: test designer\n",
		roster.AdversarialCritic:   "# Role: adversarial critic\n",
		"unified":                  "# Role: the whole loop\n",
	}
	check := func(k roster.Kickoff, want func(brenner.ActorName) brenner.Role) {
		t.Helper()
		messages, err := k.Compose()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			for role, title := range titles {
				if got := strings.Contains(m.Body, title); got != (role == want(m.To)) {
					t.Errorf("%s, mode %s: has the prompt of %s: %v", m.To, k.Roster.Mode, role, got)
				}
			}
			if !strings.Contains(m.Body, "You, "+string(m.To)+",") || strings.Contains(brenner.Speak(m.Body, brenner.Action.Tool), "{{") {
				t.Errorf("the prompt does not address %s", m.To)
			}
		}
	}
	k := seedKickoff()
	k.Roster.Entries = append(k.Roster.Entries, roster.Entry{AgentName: "RedSky", Role: roster.TestDesigner})
	k.Recipients = k.Roster.Names()
	check(k, func(n brenner.ActorName) brenner.Role { e, _ := k.Roster.Entry(n); return e.Role })
	k.Roster.Mode = roster.Unified
	check(k, func(brenner.ActorName) brenner.Role { return "unified" })

	heuristic := roster.Kickoff{Session: "RS-1", Roster: roster.Roster{Mode: roster.Heuristic}, Recipients: to("my-gemini")}
	check(heuristic, func(brenner.ActorName) brenner.Role { return roster.AdversarialCritic })
}

// R3: the seed's rule 3: the kickoff fails as a whole, with the seed's text,
// and nothing is composed; rule 4: an extra entry gets no message.
func TestCompose_NothingIsComposedOnError(t *testing.T) {
	k := seedKickoff()
	k.Recipients = to("BlueLake", "PurpleMountain", "RedSky")
	got, err := k.Compose()
	e, ok := err.(*brenner.Error)
	if !ok || got != nil || e.Message != "Missing roster entry for recipient: RedSky" {
		t.Errorf("got %d messages, %v", len(got), err)
	}
	k.Roster.Entries[0].Role = "researcher"
	k.Roster.Entries[2].AgentName = "PurpleMountain"
	_, err = k.Compose()
	e, ok = err.(*brenner.Error)
	if !ok || e.Message != "the roster has 3 errors" {
		t.Fatalf("got %v", err)
	}
	want := []string{
		"Invalid role for BlueLake: researcher", "Duplicate agent in roster: PurpleMountain", "Missing roster entry for recipient: RedSky",
	}
	if diff := cmp.Diff(want, messages(e.Diagnostics)); diff != "" {
		t.Error(diff)
	}

	k = seedKickoff()
	k.Recipients = to("BlueLake")
	if got, err := k.Compose(); err != nil || len(got) != 1 || got[0].To != "BlueLake" {
		t.Errorf("got %v, %v", got, err)
	}
	k.Question = strings.Repeat("x", brenner.MaxQuestionRunes+1)
	if _, err := k.Compose(); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("a long question: %v", err)
	}
}

// R7: a question is optional, and the message says so.
func TestCompose_WithoutAQuestion(t *testing.T) {
	k := seedKickoff()
	k.Question, k.Context = " \n", ""
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	m := messages[0]
	if m.Subject != "KICKOFF: RS-20251230-cell-fate" || !strings.Contains(m.Body, "No question has been put yet") || strings.Contains(m.Body, "## Context\n") {
		t.Errorf("%s\n%s", m.Subject, m.Body)
	}
}

// R11: a project's own prompt takes the place of the built-in one, and the
// delta format still follows it.
func TestCompose_PromptCanBeOverridden(t *testing.T) {
	k := seedKickoff()
	k.Prompts = map[string]string{"test_designer": "Be kind, {{agent}} of {{session}}."}
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	own := messages[1].Body
	if !strings.Contains(own, "\nBe kind, PurpleMountain of RS-20251230-cell-fate.\n") || strings.Contains(own, "# Role: test designer") || !strings.Contains(own, "## How to answer") {
		t.Errorf("got\n%s", own)
	}
	if !strings.Contains(messages[0].Body, "# Role: hypothesis generator") {
		t.Error("the other prompts changed")
	}
}

// cells parses the session configuration as GitHub would and gives the text of
// each table cell, row by row.
func cells(t *rapid.T, markdown string) (rows [][]string, blocks int) {
	src := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		blocks++
	}
	err := ast.Walk(doc, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *extast.TableRow:
			if in {
				rows = append(rows, nil)
			}
		case *extast.TableCell:
			if _, row := n.Parent().(*extast.TableRow); in && row {
				rows[len(rows)-1] = append(rows[len(rows)-1], "")
			}
		case *ast.Text:
			if _, row := n.Parent().Parent().(*extast.TableRow); in && row {
				last := rows[len(rows)-1]
				last[len(last)-1] += string(n.Value(src))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, blocks
}

// R7: whatever stands in the roster, the table keeps one row of four cells per
// entry, and the message its structure.
func TestSessionConfiguration_ContentCannotForgeStructure(t *testing.T) {
	hostile := rapid.OneOf(rapid.String(), rapid.StringMatching("[|\\\\`<>&*~_\\[\\]#\\-\n\r !a-c]{0,12}"))
	rapid.Check(t, func(t *rapid.T) {
		r := roster.Roster{Name: hostile.Draw(t, "name")}
		n := rapid.IntRange(1, 3).Draw(t, "entries")
		for range n {
			r.Entries = append(r.Entries, roster.Entry{AgentName: "A", Role: roster.TestDesigner, Program: hostile.Draw(t, "program"), Model: hostile.Draw(t, "model")})
		}
		rows, blocks := cells(t, roster.SessionConfiguration(r))
		if blocks != 4 || len(rows) != n {
			t.Fatalf("%d blocks, %d rows:\n%s", blocks, len(rows), roster.SessionConfiguration(r))
		}
		for _, row := range rows {
			if len(row) != 4 || row[0] != "A" || row[1] != "test_designer" {
				t.Fatalf("row %q:\n%s", row, roster.SessionConfiguration(r))
			}
		}
	})
}

// R7: a pipe and a line break stay inside their cell.
func TestSessionConfiguration_Escapes(t *testing.T) {
	got := roster.SessionConfiguration(roster.Roster{Entries: []roster.Entry{{AgentName: "A", Role: "test_designer", Program: "a|b\n| x", Model: ""}}})
	if want := "| A | test_designer | a\\|b \\| x | - |\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// R7: the id is RS-YYYYMMDD-slug.
func TestNewSessionID(t *testing.T) {
	at := time.Date(2025, 12, 30, 23, 30, 0, 0, time.FixedZone("", -3600))
	for question, want := range map[string]brenner.SessionID{
		"Cell fate?":                       "RS-20251231-cell-fate",
		"":                                 "RS-20251231-session",
		"  ¿Qué  hace la célula — aquí?  ": "RS-20251231-que-hace-la-celula-aqui",
		"細胞の運命":                            "RS-20251231-session",
		"Don't the cells' mechanisms of determination and commitment differ at all?": "RS-20251231-don-t-the-cells-mechanisms-of",
		strings.Repeat("x", 300): "RS-20251231-" + brenner.SessionID(strings.Repeat("x", 40)),
		"../../etc; rm -rf":      "RS-20251231-etc-rm-rf",
	} {
		got := roster.NewSessionID(at, question)
		if got != want {
			t.Errorf("%q gives %s, want %s", question, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if id := roster.NewSessionID(at, rapid.String().Draw(t, "question")); id.Check() != nil || !strings.HasPrefix(string(id), "RS-20251231-") || strings.HasSuffix(string(id), "-") {
			t.Fatalf("bad id %q", id)
		}
	})
}

// R7: the exact command to start each agent's program.
func TestStartCommand(t *testing.T) {
	const task = "'You are BlueLake in Brenner session RS-1. Run `brenner mail inbox`, read your KICKOFF and answer it with delta blocks.'"
	for program, want := range map[string]string{
		"claude-code":      "BRENNER_AGENT=BlueLake claude " + task,
		"codex-cli":        "BRENNER_AGENT=BlueLake codex " + task,
		"gemini-cli":       "BRENNER_AGENT=BlueLake gemini -i " + task,
		"aider":            "BRENNER_AGENT=BlueLake aider",
		"my agent's; ls":   `BRENNER_AGENT=BlueLake 'my agent'\''s; ls'`,
		"":                 "BRENNER_AGENT=BlueLake brenner mail inbox",
		"~/bin/agent --go": "BRENNER_AGENT=BlueLake '~/bin/agent --go'",
	} {
		if got := roster.StartCommand("BlueLake", program, "RS-1"); got != want {
			t.Errorf("%s:\n%s\n%s", program, got, want)
		}
	}
	k := seedKickoff()
	k.Recipients = to("GreenValley")
	starts := k.Starts()
	if len(starts) != 1 || starts[0].Agent != "GreenValley" || starts[0].Program != "gemini-cli" || !strings.Contains(starts[0].Command, "BRENNER_AGENT=GreenValley gemini -i ") {
		t.Errorf("got %+v", starts)
	}
}

// R7: what a program is called cannot run anything else.
func TestStartCommand_QuotesForTheShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("skipped: no POSIX shell")
	}
	for _, program := range []string{"a b", "$(echo no)", "`echo no`", `a'b"c`, "a\\b", "x;echo no", "é", "a\nb"} {
		command := strings.TrimPrefix(roster.StartCommand("A", program, "RS-1"), "BRENNER_AGENT=A ")
		out, err := exec.Command(sh, "-c", "printf %s "+command).Output()
		if err != nil || string(out) != program {
			t.Errorf("%q becomes %q: %v", program, out, err)
		}
	}
}

// R7: a subject holds the first hundred characters of the question, and says
// that there is more.
func TestCompose_ALongQuestionIsCutInTheSubject(t *testing.T) {
	k := seedKickoff()
	for n, want := range map[int]string{100: strings.Repeat("é", 100), 101: strings.Repeat("é", 99) + "…"} {
		k.Question = strings.Repeat("é", n)
		messages, err := k.Compose()
		if err != nil {
			t.Fatal(err)
		}
		if got := messages[0].Subject; got != "KICKOFF: "+string(k.Session)+" – "+want {
			t.Errorf("%d characters: %s", n, got)
		}
	}
}

// R9: a fence is three characters or more; a shorter one, or none, opens nothing.
func TestCompose_OnlyFencesOpenExamples(t *testing.T) {
	for question, marked := range map[string]bool{"`delta": false, "delta": false, "``delta": false, "a ~~delta": false, "```delta": true, "> ~~~~ delta": true, ":::delta": true} {
		k := seedKickoff()
		k.Context = question + "\nx\n"
		messages, err := k.Compose()
		if err != nil {
			t.Fatal(err)
		}
		_, after, found := strings.Cut(messages[0].Body, question+"\n")
		line, _, _ := strings.Cut(after, "\n")
		if got := strings.Contains(line, delta.EchoMarker); !found || got != marked {
			t.Errorf("%q is marked %v, want %v: %q", question, got, marked, line)
		}
	}
}

// R7: one of those who were asked says in the end what the answer is: the first
// that may edit the thread.
func TestKickoff_Concludes(t *testing.T) {
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "GreenValley", Role: roster.AdversarialCritic}, {AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	to := team.Names()
	sections := map[brenner.Role][]string{roster.AdversarialCritic: {"adversarial_critique"}, roster.HypothesisGenerator: {"hypothesis_slate", "research_thread:EDIT"}}
	for _, c := range []struct {
		name string
		k    roster.Kickoff
		want brenner.ActorName
	}{
		{"by policy", roster.Kickoff{Roster: team, Recipients: to, Sections: sections}, "BlueLake"},
		{"no policy says", roster.Kickoff{Roster: team, Recipients: to}, "GreenValley"},
		{"everybody writes everything", roster.Kickoff{Roster: roster.Roster{Mode: roster.Unified, Entries: team.Entries}, Recipients: to, Sections: sections}, "GreenValley"},
		{"nobody may", roster.Kickoff{Roster: team, Recipients: to[:1], Sections: sections}, ""},
	} {
		if got := c.k.Concludes(); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
