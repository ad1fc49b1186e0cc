package stalemate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// S5, S6: what the arbiter says, whole: outcome, cause, steps, remedy, how to
// verify it, and a ruling with its reason and evidence for every hypothesis.
func TestArbitrate_SaysItAll(t *testing.T) {
	const path = "testdata/verdicts.json"
	quote := func(old string) Evidence {
		return Evidence{Kind: KindPatch, Content: `{"protocol_id":"anchor_diff_v2.1","target":{"path":"a.txt","base_checksum_sha256":"` + string(canon.Sum([]byte("x\n"))) +
			`"},"op_groups":[{"anchor":{"text":""},"targets":[{"op":"replace_block","old_block":"` + old + `","new_block":"y"}]}]}`}
	}
	with := func(more ...Evidence) Stalemate {
		s := draft()
		s.Evidence = append(s.Evidence, more...)
		raised, err := Raise(s)
		if err != nil {
			t.Fatal(err)
		}
		return raised
	}
	verdicts := map[string]Verdict{}
	for name, s := range map[string]Stalemate{
		"a no-break space":      failing(t),
		"placeholders":          imported(t),
		"it applies":            with(quote("x")),
		"no such text":          with(quote("z")),
		"no patch":              with(),
		"an unreadable patch":   with(Evidence{Kind: KindPatch, Content: "{"}),
		"the second is read":    with(Evidence{Kind: KindPatch, Content: "{"}, quote("z")),
		"the text is elsewhere": with(quote("z"), Evidence{Kind: KindFileContent, Path: "b.txt", Content: "z\n"}),
		"it was in an older":    with(quote("z"), Evidence{Kind: KindOlderContent, Content: "z\n"}),
	} {
		v := Arbitrate(s)
		if err := CheckVerdict(s, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		verdicts[name] = v
	}
	got := jsontext.Value(canon.MustMarshal(verdicts))
	if err := got.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(path), append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// S6: of a diff of several files that change is replayed whose text is
// attached, or that the stalemate is about.
func TestArbitrate_PicksTheFileItIsAbout(t *testing.T) {
	diff := "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-a\n+b\n--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-x\n+y\n"
	for name, c := range map[string]struct {
		evidence Evidence
		target   string
		want     Outcome
	}{
		"by its text":   {Evidence{Kind: KindFileContent, Path: "two.txt", Content: "x\n"}, "", NotReproducible},
		"by the target": {Evidence{Kind: KindFileContent, Content: "x\n"}, "two.txt", NotReproducible},
		"the first":     {Evidence{Kind: KindFileContent, Content: "a\n"}, "", NotReproducible},
		"none of them":  {Evidence{Kind: KindFileContent, Path: "three.txt", Content: "x\n"}, "", InsufficientEvidence},
		"not by a log":  {Evidence{Kind: KindErrorLog, Path: "two.txt", Content: "x\n"}, "", InsufficientEvidence},
	} {
		s := draft()
		s.Target = c.target
		s.Evidence = []Evidence{{Kind: KindPatch, Content: diff}, c.evidence}
		s = begin(s)
		if v := Arbitrate(s); v.Outcome != c.want {
			t.Errorf("%s: %s\n%s", name, v.Outcome, strings.Join(v.Explanation, "\n"))
		}
	}
}

// S6: what is said of the cause, and what of another that it is not; a sign
// that is not in the text is the sign, and a claim goes no further than its
// clause.
func TestReadClaim_CausesAndDenials(t *testing.T) {
	for text, want := range map[string]struct{ causes, denied []anchor.Cause }{
		"U+00A0 is in the anchor":                      {causes: []anchor.Cause{anchor.CauseInvisible}},
		"there is a U+2212 that is not in the text":    {causes: []anchor.Cause{anchor.CauseConfusable}},
		"the file has CRLF":                            {causes: []anchor.Cause{anchor.CauseLineEndings}},
		"it is not the line endings":                   {denied: []anchor.Cause{anchor.CauseLineEndings}},
		"it is not mine, the line endings are wrong":   {causes: []anchor.Cause{anchor.CauseLineEndings}},
		"that is not so. Line endings are the problem": {causes: []anchor.Cause{anchor.CauseLineEndings}},
		"U+0301 follows the e":                         {causes: []anchor.Cause{anchor.CauseNormalForm}},
		"U+FE0F is in it":                              {causes: []anchor.Cause{anchor.CauseInvisible}},
		"U+FE00 is in it":                              {causes: []anchor.Cause{anchor.CauseInvisible}},
		"U+0009 is in it":                              {causes: []anchor.Cause{anchor.CauseWhitespace}},
		"U+2028 ends it":                               {causes: []anchor.Cause{anchor.CauseLineEndings}},
		"U+0085 ends it":                               {causes: []anchor.Cause{anchor.CauseLineEndings}},
		"U+000D ends it":                               {causes: []anchor.Cause{anchor.CauseLineEndings}},
		"U+200B is in it":                              {causes: []anchor.Cause{anchor.CauseInvisible}},
	} {
		if c := readClaim(text); !slices.Equal(c.causes, want.causes) || !slices.Equal(c.denied, want.denied) {
			t.Errorf("%q: causes %v, denied %v; want %v", text, c.causes, c.denied, want)
		}
	}
	if !readable("CRLF ωω ωω") || readable("CRLF ωω ωωω") {
		t.Error("a text of as many letters of ours as of others is read, and one of fewer is not")
	}
}

// S1: only what is nothing but an attempt or an expectation is read as one;
// with anything besides it is evidence.
func TestImport_OnlyPlainEvidenceIsAnExpectation(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"as it is":      func(map[string]any) {},
		"another kind":  func(m map[string]any) { m["type"] = "remark" },
		"a description": func(m map[string]any) { m["description"] = "what should be" },
		"of a file": func(m map[string]any) {
			m["file_path"], m["file_content"] = "a.txt", m["content"]
			delete(m, "content")
		},
	} {
		raw, err := Export(s)
		if err != nil {
			t.Fatal(err)
		}
		var wire map[string]any
		if err := canon.Unmarshal(raw, &wire); err != nil {
			t.Fatal(err)
		}
		items := wire["objective_evidence"].([]any)
		spoil(items[len(items)-1].(map[string]any))
		got, err := Import(canon.MustMarshal(wire))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantEvidence, wantExpected := len(s.Evidence), s.Expected
		if name != "as it is" {
			// What follows the attempts is not plain, so they are evidence too.
			wantEvidence, wantExpected = len(s.Evidence)+len(s.Attempts)+1, ""
		}
		if len(got.Evidence) != wantEvidence || got.Expected != wantExpected {
			t.Errorf("%s: %d pieces of evidence, expected %q", name, len(got.Evidence), got.Expected)
		}
	}
	_, err = s.Again([]Evidence{{Kind: KindErrorLog, Content: "[paste the log here]"}})
	if err == nil || brenner.CodeOf(err) == brenner.CodeEvidenceRequired {
		t.Errorf("a placeholder in another round: %v", err)
	}
}

// S5: parties that name one cause may both be upheld; such as do not may not.
func TestCheckVerdict_AllAreUpheldOnlyIfTheyAgree(t *testing.T) {
	for _, c := range []struct {
		said []string
		same bool
	}{
		{[]string{"the file has CRLF", "it is the line endings"}, true},
		{[]string{"the file has CRLF", "there are tabs"}, false},
		{[]string{"the file has CRLF", "it is the line endings", "there are tabs"}, false},
		{[]string{"the file has CRLF", "there are tabs", "it is the line endings"}, false},
	} {
		var list []Hypothesis
		for i, text := range c.said {
			list = append(list, Hypothesis{Author: brenner.ActorName(fmt.Sprintf("a%d", i)), Statement: text, Justification: "I looked"})
		}
		if got := sameCause(list); got != c.same {
			t.Errorf("%q: %t", c.said, got)
		}
	}
}

// S1: a request may be as large as it may be, and not larger; one placeholder
// among the evidence is named like several.
func TestImport_HoldsItsBound(t *testing.T) {
	request := string(seedRequest(t))
	for over := range 2 {
		padded := request + strings.Repeat(" ", brenner.MaxStalemateBytes-len(request)+over)
		if _, err := Import([]byte(padded)); (brenner.CodeOf(err) == brenner.CodeLimitExceeded) != (over == 1) {
			t.Errorf("%d bytes: %v", len(padded), err)
		}
	}
	s := draft()
	s.Evidence = append(s.Evidence, Evidence{Kind: KindPatch, Content: "[paste the patch here]"})
	s = begin(s)
	s.Evidence[2].Missing = true
	if v := Arbitrate(s); !strings.Contains(v.RootCause, "placeholders instead of content: ") || !slices.Equal(v.Findings[0].Evidence, []string{"e3"}) {
		t.Errorf("%s, %v", v.RootCause, v.Findings[0].Evidence)
	}
}

// S2: only a party says what it holds, and each its own.
func TestStated_OnlyPartiesSpeak(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stated("eve", "the file has CRLF", "I looked", ""); brenner.CodeOf(err) == "" {
		t.Error("somebody else speaks")
	}
	for i, who := range []brenner.ActorName{"ada", "bob"} {
		next, err := s.Stated(who, "the file has CRLF", "I looked", "")
		if err != nil || next.Hypotheses[i].Statement != "the file has CRLF" || s.Hypotheses[i].Statement == "the file has CRLF" {
			t.Errorf("%s: %+v, %v", who, next.Hypotheses, err)
		}
	}
}

// S6: each phrase is read once, by what it says most exactly; who finds the
// patch in order and names no cause blames none; a few words may be anything.
func TestReadClaim_EachPhraseOnce(t *testing.T) {
	for text, want := range map[string][]anchor.Cause{
		"it has a non-breaking space":                  {anchor.CauseInvisible},
		"it has U+00A0 and U+2212":                     {anchor.CauseInvisible, anchor.CauseConfusable},
		"it has U+2212 and the line endings are wrong": {anchor.CauseConfusable, anchor.CauseLineEndings},
		"CRLF, and CRLF again, is in the file":         {anchor.CauseLineEndings},
	} {
		if c := readClaim(text); !slices.Equal(c.causes, want) {
			t.Errorf("%q: %v, want %v", text, c.causes, want)
		}
	}
	for text, want := range map[string]bool{
		"the patch is fine": true,
		"the patch is fine, it is the line endings of a file": false,
		"the patch has tabs": false,
	} {
		if c := readClaim(text); c.faultless != want {
			t.Errorf("%q blames nothing: %t", text, c.faultless)
		}
	}
	if !readable("CRLF versus LF, obviously") || readable("CRLF versus LF, obviously wrong") {
		t.Error("four words may be anything, five are English or not")
	}
	if !slices.IsSorted(Causes()) || len(Causes()) < 5 {
		t.Errorf("causes: %v", Causes())
	}
}

// S6: a hypothesis is upheld if it names the cause found, refuted if it excludes
// it, names another or finds the patch in order, and otherwise open.
func TestTest_RulesByTheCauseFound(t *testing.T) {
	found := func(causes ...anchor.Cause) (x anchor.Explanation) {
		for _, c := range causes {
			x.Findings = append(x.Findings, anchor.Finding{Cause: c})
		}
		return x
	}
	tabs, ends := anchor.CauseWhitespace, anchor.CauseLineEndings
	for name, c := range map[string]struct {
		claim claim
		x     anchor.Explanation
		want  Ruling
		says  string
	}{
		"no cause":         {claim{causes: []anchor.Cause{tabs}}, found(), Undetermined, "shows no cause"},
		"the cause":        {claim{causes: []anchor.Cause{tabs}}, found(tabs), Upheld, "exactly this cause"},
		"denied":           {claim{denied: []anchor.Cause{tabs}}, found(tabs), Refuted, "it excludes " + string(tabs)},
		"another denied":   {claim{denied: []anchor.Cause{ends}}, found(tabs), Undetermined, "names no cause"},
		"the second":       {claim{causes: []anchor.Cause{ends}}, found(tabs, ends), Undetermined, "beside " + string(tabs)},
		"another":          {claim{causes: []anchor.Cause{ends}}, found(tabs), Refuted, string(tabs) + " instead"},
		"in order":         {claim{faultless: true}, found(tabs), Refuted, "a fault of the patch"},
		"only out of date": {claim{faultless: true}, found(anchor.CauseStaleBase), Undetermined, "names no cause"},
		"an older text":    {claim{faultless: true}, found(anchor.CauseOlderVersion), Undetermined, "names no cause"},
		"done already":     {claim{faultless: true}, found(anchor.CauseAlreadyApplied), Undetermined, "names no cause"},
		"of one family":    {claim{causes: []anchor.Cause{anchor.CauseStaleBase}}, found(anchor.CauseOlderVersion), Upheld, "exactly this cause"},
		"not English":      {claim{foreign: true}, found(tabs), Undetermined, "not in English"},
		"nothing":          {claim{}, found(tabs), Undetermined, "names no cause"},
	} {
		if got, says := test(c.claim, c.x); got != c.want || !strings.Contains(says, c.says) {
			t.Errorf("%s: %s, %s", name, got, says)
		}
	}
}

// S5: hypotheses are opposed if each names causes and none in common, or one
// excludes what the other names.
func TestOpposed_ByWhatTheyNameAndExclude(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"the file has CRLF", "it is the line endings", false},
		{"the file has CRLF", "there are tabs in it", true},
		{"the file has CRLF", "it is not the line endings", true},
		{"it is not the line endings", "the file has CRLF", true},
		{"it is not the line endings", "it is not the tabs", false},
		{"the file has CRLF", "it is not mine", false},
		{"it is not mine", "nor is it mine", false},
	} {
		x, y := Hypothesis{Statement: c.a}, Hypothesis{Statement: c.b}
		if got := opposed(x, y); got != c.want {
			t.Errorf("%q and %q: %t", c.a, c.b, got)
		}
	}
}

// S2: evidence has its bounds, one by one and together, and there are so many.
func TestCheckEvidence_HoldsItsBounds(t *testing.T) {
	piece := func(n int) Evidence { return Evidence{Kind: KindErrorLog, Content: strings.Repeat("x", n)} }
	many := func(n, each int) (out []Evidence) {
		for range n {
			out = append(out, piece(each))
		}
		return out
	}
	for name, c := range map[string]struct {
		evidence []Evidence
		want     brenner.Code
	}{
		"none":              {nil, brenner.CodeInvalidStalemate},
		"as many as may be": {many(brenner.MaxEvidence, 1), ""},
		"one more":          {many(brenner.MaxEvidence+1, 1), brenner.CodeLimitExceeded},
		"as long as may be": {many(1, min(brenner.MaxContentBytes, brenner.MaxStalemateBytes)), ""},
		"longer":            {many(1, min(brenner.MaxContentBytes, brenner.MaxStalemateBytes)+1), brenner.CodeLimitExceeded},
		"too much together": {many(1+brenner.MaxStalemateBytes/(brenner.MaxStalemateBytes/4), brenner.MaxStalemateBytes/4), brenner.CodeLimitExceeded},
	} {
		s := draft()
		s.Evidence = c.evidence
		if err := begin(s).checkEvidence(); brenner.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
