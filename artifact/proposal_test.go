package artifact

import (
	"strconv"
	"strings"
	"testing"

	"brenner"
)

func proposal(edit func(*Proposal)) Proposal {
	p := Proposal{
		Type: Type{Name: TypePaperNote}, Summary: "A note.", Content: Content{Format: Text, Data: []byte("new")},
		Tags: []string{"cell fate", "été"}, Links: []Link{{Cites, "a", 1}, {Cites, "a", 2}, {DependsOn, "a", 1}},
	}
	if edit != nil {
		edit(&p)
	}
	return p
}

func numbered(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "tag" + strconv.Itoa(i)
	}
	return list
}

// brief is the type of briefs, which need a question.
func brief(t *testing.T) Type {
	t.Helper()
	types, err := NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	typ, err := types.Lookup(TypeProjectBrief)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func jsonContent(data string) Content { return Content{Format: JSON, Data: []byte(data)} }

// C11: a summary is there, says something and is at most 1,200 characters.
// C6: links have a known relation and name a definite version, once each.
// C11.a, C11.c.
func TestCheckDraft(t *testing.T) {
	for _, tt := range []struct {
		what    string
		edit    func(*Proposal)
		code    brenner.Code
		pointer string
	}{
		{"as it should be", nil, "", ""},
		{"no summary", func(p *Proposal) { p.Summary = "" }, brenner.CodeSummaryInvalid, "/summary"},
		{"blank summary", func(p *Proposal) { p.Summary = " \n\t" }, brenner.CodeSummaryInvalid, "/summary"},
		{"summary of dots", func(p *Proposal) { p.Summary = " … " }, brenner.CodeSummaryInvalid, "/summary"},
		{"summary that ends in dots", func(p *Proposal) { p.Summary = "a …" }, "", ""},
		{"content of dots", func(p *Proposal) { p.Content.Data = []byte("...\n") }, brenner.CodeSchemaViolation, "/content"},
		{"question of dots", func(p *Proposal) { p.Type, p.Content = brief(t), jsonContent(`{"question":"…"}`) }, brenner.CodeSchemaViolation, "/question"},
		{"scope of dots", func(p *Proposal) { p.Type, p.Content = brief(t), jsonContent(`{"question":"why?","scope":"…"}`) }, "", ""},
		{"longest summary", func(p *Proposal) { p.Summary = strings.Repeat("é", 1200) }, "", ""},
		{"long summary", func(p *Proposal) { p.Summary = strings.Repeat("é", 1201) }, brenner.CodeSummaryInvalid, "/summary"},
		{"summary with NUL", func(p *Proposal) { p.Summary = "a\x00" }, brenner.CodeInvalidText, "/summary"},
		{"most tags", func(p *Proposal) { p.Tags = numbered(64) }, "", ""},
		{"too many tags", func(p *Proposal) { p.Tags = numbered(65) }, brenner.CodeLimitExceeded, "/tags"},
		{"long tag", func(p *Proposal) { p.Tags = []string{"a", strings.Repeat("x", 65)} }, brenner.CodeLimitExceeded, "/tags/1"},
		{"empty tag", func(p *Proposal) { p.Tags = []string{""} }, brenner.CodeInvalidValue, "/tags/0"},
		{"padded tag", func(p *Proposal) { p.Tags = []string{" a"} }, brenner.CodeInvalidValue, "/tags/0"},
		{"tag with a line feed", func(p *Proposal) { p.Tags = []string{"a\nb"} }, brenner.CodeInvalidValue, "/tags/0"},
		{"tag not UTF-8", func(p *Proposal) { p.Tags = []string{"\xff"} }, brenner.CodeInvalidText, "/tags/0"},
		{"tag twice", func(p *Proposal) { p.Tags = []string{"a", "b", "a"} }, brenner.CodeInvalidValue, "/tags/2"},
		{"too many links", func(p *Proposal) { p.Links = make([]Link, 513) }, brenner.CodeLimitExceeded, "/links"},
		{"unknown relation", func(p *Proposal) { p.Links[1].Rel = "likes" }, brenner.CodeInvalidLink, "/links/1"},
		{"no version", func(p *Proposal) { p.Links[2].Version = 0 }, brenner.CodeInvalidLink, "/links/2"},
		{"no artifact", func(p *Proposal) { p.Links[0].Artifact = "" }, brenner.CodeInvalidLink, "/links/0"},
		{"link twice", func(p *Proposal) { p.Links[2] = p.Links[0] }, brenner.CodeInvalidLink, "/links/2"},
		{"long note", func(p *Proposal) { p.Change = &Change{Why: strings.Repeat("x", 4001)} }, brenner.CodeLimitExceeded, "/change/why"},
		{"note with NUL", func(p *Proposal) { p.Change = &Change{What: "\x00"} }, brenner.CodeInvalidText, "/change/what"},
		{"note", func(p *Proposal) { p.Change = &Change{What: "a"} }, "", ""},
	} {
		problem(t, tt.what, CheckDraft(proposal(tt.edit)), tt.code, tt.pointer)
	}
	for _, rel := range Relations() {
		problem(t, string(rel), Link{rel, "a", 1}.Check(), "", "")
	}
}

// C11: new content under the old summary is refused unless the writer says it
// holds. C15: a core type says what changed and why.
// C11.b, C15.a.
func TestCheckUpdate(t *testing.T) {
	old := Content{Format: Text, Data: []byte("old")}
	prev := Prev{Summary: "A  note.\n", Content: old.Digest(), Version: 3}
	core := func(p *Proposal) { p.Type.Core = true; p.Summary = "Another note." }
	for _, tt := range []struct {
		what    string
		edit    func(*Proposal)
		holds   bool
		code    brenner.Code
		pointer string
	}{
		{"new content, old summary", nil, false, brenner.CodeSummaryStale, "/summary"},
		{"new content, old summary confirmed", nil, true, "", ""},
		{"new content, new summary", func(p *Proposal) { p.Summary = "Another note." }, false, "", ""},
		{"old content, old summary", func(p *Proposal) { p.Content = old }, false, "", ""},
		{"core, no note", core, false, brenner.CodeChangeNoteRequired, "/change"},
		{"core, no why", func(p *Proposal) { core(p); p.Change = &Change{What: "k", Why: " "} }, false, brenner.CodeChangeNoteRequired, "/change"},
		{"core, no what", func(p *Proposal) { core(p); p.Change = &Change{Why: "k"} }, false, brenner.CodeChangeNoteRequired, "/change"},
		{"core, both", func(p *Proposal) { core(p); p.Change = &Change{What: "k", Why: "l"} }, false, "", ""},
		{"what every draft keeps", func(p *Proposal) { p.Summary = "" }, true, brenner.CodeSummaryInvalid, "/summary"},
	} {
		problem(t, tt.what, CheckUpdate(prev, proposal(tt.edit), tt.holds), tt.code, tt.pointer)
	}
	same := proposal(func(p *Proposal) { p.Content = old })
	prev.Summary, prev.Format, prev.Tags, prev.Links = same.Summary, Text, same.Tags, same.Links
	problem(t, "the same", CheckUpdate(prev, same, false), brenner.CodeNothingChanged, "")
	prev.Dead = true
	problem(t, "the same as what is out of use", CheckUpdate(prev, same, false), "", "")
}

// C4: a record type has one version.
// C4.a.
func TestCheckUpdate_RecordsHaveOneVersion(t *testing.T) {
	task := proposal(func(p *Proposal) { p.Type = Type{Name: TypeTask, Record: true}; p.Summary = "Another." })
	problem(t, "task", CheckUpdate(Prev{Version: 1}, task, true), brenner.CodeStatusConflict, "")
}

// C14: which status may become which, written out. C18: never without a reason.
// C14.a, C18.a.
func TestDecisions_ByStatus(t *testing.T) {
	type row struct{ promote, override, demote, deprecate brenner.Code }
	const ok, refused, rebase = brenner.Code(""), brenner.CodeStatusConflict, brenner.CodeNeedsRebase
	table := map[Status]row{
		Draft:       {promote: ok, override: ok, demote: refused, deprecate: ok},
		Alternative: {promote: ok, override: ok, demote: refused, deprecate: ok},
		Canonical:   {promote: refused, override: refused, demote: ok, deprecate: refused},
		Superseded:  {promote: refused, override: refused, demote: refused, deprecate: refused},
		Deprecated:  {promote: refused, override: refused, demote: refused, deprecate: refused},
		NeedsRebase: {promote: rebase, override: ok, demote: refused, deprecate: ok},
	}
	for _, s := range Statuses() {
		want, listed := table[s]
		if !listed {
			t.Errorf("%s is not in the table", s)
		}
		problem(t, "promote "+string(s), CanPromote(s, false, "because"), want.promote, "")
		problem(t, "promote with override "+string(s), CanPromote(s, true, "because"), want.override, "")
		problem(t, "demote "+string(s), CanDemote(s, "because"), want.demote, "")
		problem(t, "deprecate "+string(s), CanDeprecate(s, "because"), want.deprecate, "")

		for _, reason := range []string{"", " \n"} {
			problem(t, "promote without reason", CanPromote(s, true, reason), brenner.CodeReasonRequired, "/reason")
			problem(t, "demote without reason", CanDemote(s, reason), brenner.CodeReasonRequired, "/reason")
			problem(t, "deprecate without reason", CanDeprecate(s, reason), brenner.CodeReasonRequired, "/reason")
		}
	}
	problem(t, "long reason", CanPromote(Draft, false, strings.Repeat("x", 4001)), brenner.CodeLimitExceeded, "/reason")
	problem(t, "unknown status", CanPromote("nice", false, "r"), brenner.CodeInvalidValue, "")
	problem(t, "unknown status", CanDemote("nice", "r"), brenner.CodeInvalidValue, "")
	problem(t, "unknown status", CanDeprecate("nice", "r"), brenner.CodeInvalidValue, "")
}

// C26: staleness travels along dependencies, citations and derivations only.
func TestRelation_Carries(t *testing.T) {
	carrying := 0
	for _, r := range Relations() {
		if want := r == "depends_on" || r == "cites" || r == "derived_from"; r.Carries() != want {
			t.Errorf("%s carries: %v", r, r.Carries())
		}
		if r.Carries() {
			carrying++
		}
	}
	if len(Relations()) != 7 || carrying != 3 {
		t.Errorf("%d relations, %d carrying", len(Relations()), carrying)
	}
}
