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
