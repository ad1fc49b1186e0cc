package roster_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/policy"
	"brenner/roster"
	"brenner/stalemate"

	"pgregory.net/rapid"
)

var deltaBlock = regexp.MustCompile("(?ms)^```delta$\n(.*?)^```$")

// examples gives the delta blocks of a prompt, read as the deltas they show.
func examples(t *testing.T, prompt string) []delta.Delta {
	t.Helper()
	var out []delta.Delta
	for i, m := range deltaBlock.FindAllStringSubmatch(prompt, -1) {
		d, err := delta.Parse([]byte(m[1]), delta.Envelope{Message: "m", Agent: "A", Timestamp: "2025-12-30T12:00:00Z"}, i+1)
		if err != nil {
			t.Fatalf("block %d: %v\n%s", i+1, err, m[1])
		}
		out = append(out, d)
	}
	return out
}

// inSessions are the prompts of those who answer with deltas.
func inSessions() []string {
	out := []string{string(roster.Unified)}
	for _, r := range roster.Roles() {
		out = append(out, string(r))
	}
	return out
}

// R11: each prompt of a session shows all three operations and a provisional
// id, in deltas that are valid as they stand.
func TestPrompt_ExamplesAreValidDeltas(t *testing.T) {
	for _, name := range inSessions() {
		t.Run(name, func(t *testing.T) {
			prompt := roster.Prompt(name, nil)
			seen := map[delta.Operation]bool{}
			provisional := 0
			for _, d := range examples(t, prompt) {
				seen[d.Operation] = true
				if found, err := delta.Check(d); err != nil || len(found) > 0 {
					t.Errorf("%s %s: %v %v", d.Operation, d.Section, found, err)
				}
				if id := d.ProvisionalID; id != "" {
					provisional++
					if strings.Count(prompt, id) < 3 {
						t.Errorf("%s is introduced and not used", id)
					}
				}
				if d.Rationale == "" {
					t.Error("an example without a rationale")
				}
			}
			if !seen[delta.Add] || !seen[delta.Edit] || !seen[delta.Kill] || provisional == 0 {
				t.Errorf("shows %v and %d provisional ids", seen, provisional)
			}
		})
	}
}

// R11: what a prompt says about reading and writing is what the built-in policy
// of its role allows.
func TestPrompt_StatesTheScopeOfItsRole(t *testing.T) {
	words := map[brenner.TypeName]string{
		"project_brief": "project brief", "project_summary": "summary", "integrated_memo": "memos", "session_artifact": "session artifact",
		"assumption": "assumptions", "critique": "critiques", "stalemate": "stalemates", "verdict": "verdicts", "paper_note": "paper notes",
		"analysis_result": "analysis results", "model_spec": "model specs", "manuscript_section": "manuscript sections",
	}
	for _, p := range policy.Builtin() {
		if p.Role == brenner.PI || len(p.Read) == 0 {
			continue // a person leads, and a runner reads nothing
		}
		_, scope, _ := strings.Cut(roster.Prompt(string(p.Role), nil), "## What you may read and write")
		scope, _, _ = strings.Cut(scope, "\n## ")
		reads, writes, ok := strings.Cut(scope, "You write ")
		if !ok {
			t.Fatalf("%s states no write scope", p.Role)
		}
		reads = strings.Join(strings.Fields(reads), " ")
		for typ, word := range words {
			if got := strings.Contains(strings.ToLower(reads), word) && !strings.Contains(strings.ToLower(reads), word+" are not yours"); got != slices.Contains(p.Read, typ) {
				t.Errorf("%s: says it reads %s: %v", p.Role, typ, got)
			}
			if got := strings.Contains(writes, "`"+string(typ)+"`"); got != slices.Contains(p.Write, typ) {
				t.Errorf("%s: says it writes %s: %v", p.Role, typ, got)
			}
		}
	}
}

var jsonBlock = regexp.MustCompile("(?ms)^```json$\n(.*?)^```$")

// R11: each prompt for work on tasks shows what its role hands in, as the type
// wants it.
func TestPrompt_ExamplesAreOfTheirTypes(t *testing.T) {
	types, err := artifact.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	dispute := stalemate.Stalemate{
		Hypotheses: []stalemate.Hypothesis{{ID: "H1", Author: "BlueLake", Statement: "it fits twice"}, {ID: "H2", Author: "RedSky", Statement: "the base is another"}},
		Evidence:   []stalemate.Evidence{{ID: "e1"}, {ID: "e2"}},
	}
	for name, handsIn := range map[string][]brenner.TypeName{
		"writer":     {artifact.TypeManuscriptSection, artifact.TypeManuscriptSection},
		"integrator": {artifact.TypeIntegratedMemo, artifact.TypeCritique},
		"distiller":  {artifact.TypePaperNote, artifact.TypeAnalysisResult},
		"reviewer":   {artifact.TypeCritique, artifact.TypeCritique},
		"arbiter":    {artifact.TypeVerdict, artifact.TypeVerdict},
	} {
		prompt := roster.Prompt(name, nil)
		blocks := jsonBlock.FindAllStringSubmatch(prompt, -1)
		if len(blocks) != len(handsIn) {
			t.Errorf("%s shows %d examples, not %d", name, len(blocks), len(handsIn))
			continue
		}
		for i, typ := range handsIn {
			if err := types.Validate(typ, artifact.Content{Format: artifact.JSON, Data: []byte(blocks[i][1])}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.Contains(prompt, "`"+string(typ)+"`") {
				t.Errorf("%s does not name %s", name, typ)
			}
			if typ != artifact.TypeVerdict {
				continue
			}
			v := stalemate.Verdict{Arbiter: "OldOwl"}
			err := canon.Unmarshal([]byte(blocks[i][1]), &v)
			if err == nil {
				err = stalemate.CheckVerdict(dispute, v)
			}
			if err != nil {
				t.Errorf("the verdict %+v: %v", v, err)
			}
		}
	}
}

// R11: every role is told as much and alike: what it hunts for, in at least five
// points, what it may read and write, and what a good answer looks like; what it
// is told to do it has a tool and a command for.
func TestPrompt_EveryRoleIsToldAlike(t *testing.T) {
	point := regexp.MustCompile(`(?m)^- \*\*`)
	inText := regexp.MustCompile(`\{\{do ([a-z_.]+)`)
	for _, name := range roster.PromptNames() {
		if name == string(roster.Unified) {
			continue
		}
		prompt := roster.Prompt(name, nil)
		if n := len(strings.Fields(prompt)); n < 340 || n > 620 {
			t.Errorf("%s has %d words", name, n)
		}
		for _, part := range []string{"{{agent}}", "## What you hunt for", "## What you may read and write", "promote nothing; the PI does", "## Example"} {
			if !strings.Contains(strings.Join(strings.Fields(prompt), " "), part) {
				t.Errorf("%s has no %q", name, part)
			}
		}
		if n := len(point.FindAllString(prompt, -1)); n < 5 {
			t.Errorf("%s has %d points", name, n)
		}
		for _, m := range inText.FindAllStringSubmatch(prompt, -1) {
			if brenner.Do(m[1]).Tool() == "" {
				t.Errorf("%s is told to %s, for which agents have no tool", name, m[1])
			}
		}
	}
}

// R11, X11: what a kickoff tells to do, the policy of its reader allows, and what
// to do while the slate is empty is told each role.
func TestCompose_TellsOnlyWhatTheRoleMayDo(t *testing.T) {
	k := seedKickoff()
	k.Sections, k.Writes = map[brenner.Role][]string{}, map[brenner.Role][]brenner.TypeName{}
	for _, p := range policy.Builtin() {
		k.Writes[p.Role] = p.Write
		for _, s := range p.Sections {
			k.Sections[p.Role] = append(k.Sections[p.Role], string(s))
		}
	}
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	empty := map[string]bool{}
	for i, m := range messages {
		role := k.Roster.Entries[i].Role
		body := brenner.Speak(m.Body, brenner.Action.Tool)
		if n := len([]rune(body)); n > 8200 || strings.Contains(body, "## What you may read and write") || strings.Count(body, "promote nothing") != 1 {
			t.Errorf("%s is told more than once what it may do, in %d characters", role, n) // what it may write stands below, by its policy
		}
		_, body, _ = strings.Cut(body, "## Your context")
		measures := strings.Contains(body, `artifact_write {"type":"analysis_result"}`)
		if may := slices.Contains(k.Writes[role], artifact.TypeAnalysisResult); measures != may || strings.Contains(body, `request {"role":"test_designer"}`) == may {
			t.Errorf("%s is told to write a measurement: %v", role, measures)
		}
		if score := strings.Contains(body, "score (`likelihood_ratio`"); score != slices.Contains(k.Sections[role], string(delta.DiscriminativeTests)) {
			t.Errorf("%s is told of scores: %v", role, score)
		}
		_, told, _ := strings.Cut(body, "An empty document is how every session begins: ")
		told, _, _ = strings.Cut(told, "\n\n")
		empty[told] = true
	}
	if len(empty) != 3 || empty[""] {
		t.Errorf("an empty slate: %v", empty)
	}
}

// R11: a prompt ends with what the policy in force lets its role do.
func TestStanding_SaysWhatThePolicyLets(t *testing.T) {
	s := roster.Standing{
		Agent: "BlueLake", Own: "writer", Role: "test_designer", Project: "Cell fate", Modules: []brenner.Module{"lineage"},
		Reads: []brenner.TypeName{"*"}, Writes: []brenner.TypeName{"raw_log", "gel"}, Sections: []string{"hypothesis_slate:KILL"}, Session: "RS-1",
	}
	got := brenner.Speak(s.Words(), brenner.Action.Tool)
	for _, want := range []string{
		"You are BlueLake, role `writer`, in Cell fate; modules: `lineage`.", "prompt of another role",
		"the role `test_designer` read every type, and write `gel`.", "`hypothesis_slate:KILL`", `context_assemble {"session":"RS-1"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if got := (roster.Standing{Own: "writer"}).Words(); !strings.Contains(got, "read nothing, and write nothing") || strings.Contains(got, "another role") {
		t.Error(got)
	}
}

// R11, D25: a kickoff names the sections that its reader writes and no other,
// their prefix, what an ADD needs and what it may have.
func TestPrompt_AnswerFormatAgreesWithTheSchemas(t *testing.T) {
	k := seedKickoff()
	k.Sections = map[brenner.Role][]string{}
	for _, p := range policy.Builtin() {
		for _, s := range p.Sections {
			k.Sections[p.Role] = append(k.Sections[p.Role], string(s))
		}
	}
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for i, m := range messages {
		writes := k.Sections[k.Roster.Entries[i].Role]
		for _, s := range delta.Schemas() {
			row := regexp.MustCompile("(?m)^\\| `" + string(s.Section) + "` \\| " + s.Prefix + ".*$").FindString(m.Body)
			if (row != "") != slices.Contains(writes, string(s.Section)) {
				t.Errorf("%s has the row %q for %s", m.To, row, s.Section)
			}
			if row == "" {
				continue
			}
			rows++
			for _, f := range s.Fields {
				if f.Name != "labels" && f.Name != "references" && !strings.Contains(row, "`"+f.Name+"`") {
					t.Errorf("the row of %s does not name %s", s.Section, f.Name)
				}
			}
		}
	}
	if rows < 9 {
		t.Errorf("only %d rows", rows)
	}
}

// X11: what a kickoff says to do is data that each surface puts into its own
// words: an agent with tools is told of no command, and one with a shell of no
// tool.
func TestCompose_SpeaksTheWordsOfTheSurface(t *testing.T) {
	k := seedKickoff()
	k.Module = "fate"
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		tools, commands := brenner.Speak(m.Body, brenner.Action.Tool), brenner.Speak(m.Body, brenner.Action.Command)
		for _, text := range []string{tools, commands} {
			if strings.Contains(text, "{{") || !strings.Contains(text, "of module `fate`") {
				t.Errorf("%s: left over, or without the module:\n%s", m.To, text)
			}
		}
		if strings.Contains(tools, "brenner ") || !strings.Contains(tools, `context_assemble {"session":"RS-20251230-cell-fate"}`) ||
			!strings.Contains(tools, `delta_submit {"session":"RS-20251230-cell-fate"}`) {
			t.Errorf("%s, with tools:\n%s", m.To, tools)
		}
		if strings.Contains(commands, "context_assemble") || strings.Contains(commands, "delta_submit") ||
			!strings.Contains(commands, "brenner delta submit FILE --session RS-20251230-cell-fate") {
			t.Errorf("%s, with a shell:\n%s", m.To, commands)
		}
	}
}

// R9: the examples of a kickoff are never contributions, neither as they stand
// nor repeated or quoted in a reply; what the agent adds is one.
func TestCompose_ExamplesAreNeverContributions(t *testing.T) {
	k := seedKickoff()
	k.Question = "Is this one?\n```delta\n{\"operation\":\"KILL\"}\n```"
	k.Prompts = map[string]string{"adversarial_critic": strings.Join([]string{
		"Ours:", "~~~delta", own, "~~~", ":::delta", own, ":::", "- ```delta", "  " + own, "  ```", "1. > ````delta", "   > " + own, "   > ````", "",
	}, "\n")}
	messages, err := k.Compose()
	if err != nil {
		t.Fatal(err)
	}
	env := delta.Envelope{Message: "m1", Agent: "BlueLake", Timestamp: "2025-12-30T12:00:00Z"}
	for _, m := range messages {
		for name, reply := range map[string]string{
			"as it stands": m.Body,
			"repeated":     "You wrote:\n\n" + m.Body + "\n\nMy answer:\n\n```delta\n" + own + "\n```\n",
			"quoted":       "> " + strings.ReplaceAll(m.Body, "\n", "\n> ") + "\n\n```delta\n" + own + "\n```\n",
		} {
			x, err := delta.Extract([]byte(reply), env)
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if name == "as it stands" {
				want = 0
			}
			if len(x.Entries) != want || len(x.Misses) != 0 || len(x.Ignored) < 4 {
				t.Errorf("%s, %s: %d deltas, %d ignored, misses %+v", m.To, name, len(x.Entries), len(x.Ignored), x.Misses)
			}
		}
	}
}

const own = `{"operation":"ADD","target_id":null,"section":"anomaly_register","payload":{"name":"n","observation":"o"},"rationale":"r"}`

// R9: nor is a block in any odd place of a project's prompt.
func TestCompose_NoPromptSmugglesADelta(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"```delta", "~~~delta", ":::delta", "````delta", "``` delta ", "```", "~~~", ":::", "```json", own, own, "\n", "\n", "\n", "\r\n", "\r",
		"> ", "- ", "* ", "1. ", "  ", "    ", "\t", "text ", "# ", "---", "<!-- ", "-->", "<div>", "\ufeff", "\u00a0", "\\",
	})
	rapid.Check(t, func(t *rapid.T) {
		k := seedKickoff()
		k.Recipients = to("BlueLake")
		k.Prompts = map[string]string{"hypothesis_generator": strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "prompt"), "")}
		k.Question = strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "question"), "")
		messages, err := k.Compose()
		if err != nil {
			t.Fatal(err)
		}
		x, err := delta.Extract([]byte(messages[0].Body), delta.Envelope{Message: "m1", Agent: "BlueLake", Timestamp: "2025-12-30T12:00:00Z"})
		if err != nil || len(x.Entries) > 0 {
			t.Fatalf("%v: %d deltas in\n%s", err, len(x.Entries), messages[0].Body)
		}
	})
}

// R9: nor is anything that a project's prompt or a question can hold.
func FuzzCompose_YieldsNoDelta(f *testing.F) {
	f.Add("```delta\n"+own+"\n```", "q", "c")
	f.Add("- ~~~ delta\n  "+own+"\n", ":::delta\n"+own+"\n:::", "```delta\r\n"+own)
	f.Add("1.\t> ```delta\n\t> "+own, "", own)
	f.Fuzz(func(t *testing.T, prompt, question, context string) {
		k := seedKickoff()
		k.Question, k.Context = question, context
		k.Prompts = map[string]string{"hypothesis_generator": prompt, "test_designer": prompt, "adversarial_critic": prompt}
		messages, err := k.Compose()
		if err != nil {
			t.Skip(err)
		}
		x, err := delta.Extract([]byte(messages[0].Body), delta.Envelope{Message: "m1", Agent: "BlueLake", Timestamp: "2025-12-30T12:00:00Z"})
		if err == nil && len(x.Entries) > 0 {
			t.Fatalf("%d deltas in\n%s", len(x.Entries), messages[0].Body)
		}
	})
}
