package roster_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/delta"
	"brenner/policy"
	"brenner/roster"
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

// R11: each prompt shows all three operations and a provisional id, in deltas
// that are valid as they stand.
func TestPrompt_ExamplesAreValidDeltas(t *testing.T) {
	for _, name := range roster.PromptNames() {
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
		if !slices.Contains(roster.Roles(), p.Role) {
			continue
		}
		_, scope, _ := strings.Cut(roster.Prompt(string(p.Role), nil), "## What you may read and write")
		scope, _, _ = strings.Cut(scope, "## Example")
		reads, writes, ok := strings.Cut(scope, "You write deltas")
		if !ok {
			t.Fatalf("%s states no write scope", p.Role)
		}
		reads = strings.Join(strings.Fields(reads), " ")
		for typ, word := range words {
			if got := strings.Contains(reads, word); got != slices.Contains(p.Read, typ) {
				t.Errorf("%s: says it reads %s: %v", p.Role, typ, got)
			}
			if got := strings.Contains(writes, "`"+string(typ)+"`"); got != slices.Contains(p.Write, typ) {
				t.Errorf("%s: says it writes %s: %v", p.Role, typ, got)
			}
		}
	}
}

// R11: the common part names every section, its prefix and what an ADD needs.
func TestPrompt_AnswerFormatAgreesWithTheSchemas(t *testing.T) {
	messages, err := seedKickoff().Compose()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range delta.Schemas() {
		row := regexp.MustCompile("(?m)^\\| `" + string(s.Section) + "` \\| " + s.Prefix + ".*$").FindString(messages[0].Body)
		if row == "" {
			t.Errorf("no row for %s", s.Section)
		}
		for _, f := range s.Fields {
			if f.Required && !strings.Contains(row, "`"+f.Name+"`") {
				t.Errorf("the row of %s does not name %s", s.Section, f.Name)
			}
		}
	}
}
