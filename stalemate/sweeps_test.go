package stalemate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/internal/answers"

	"github.com/go-json-experiment/json"
)

// Parts that sentences about a refused patch are made of.
var (
	spokenOf = []string{
		"the JSON is truncated", "it fails to parse", "a zero-width space", "an invisible character", "smart quotes", "a Cyrillic letter", "combining accents", "NFD", "line numbers", "cat -n",
		"CRLF", "the line endings", "a code fence", "```", "diff markers", "a leading +", "double escaping", "&amp;", "an ellipsis", "…", "the checksum of the result", "it was already applied", "match_index",
		"the fifth occurrence", "two places", "identical lines", "a gap", "it does not follow", "part of the anchor", "an overlap", "another file", "it is cut off", "it is out of date", "the file has changed since",
		"an older version", "a trailing comma", "white space", "tabs", "no such text", "it was invented", "the patch is fine", "the tool has a bug", "plan.py", "notes.markdown", "a.b", ".py", "main.go", "e.txts",
	}
	saidBefore = []string{"", "", "it is not ", "this isn't ", "not because of ", "nothing to do with ", "rather than ", "no ", "that was not the old ", "is not a quite different ", "were not really any sort of ", "n't been "}
	saidAfter  = []string{"", ". ", "; ", ", ", ": ", " but ", " and ", ".", " ", "\n"}
)

// sentence draws a sentence of those parts, with characters that are named and
// words that the notions know.
func sentence(r *rand.Rand, words []string) string {
	var out strings.Builder
	for range 1 + r.IntN(4) {
		switch r.IntN(5) {
		case 0:
			out.WriteString("smart " + words[r.IntN(len(words))] + " " + words[r.IntN(len(words))] + fmt.Sprintf(" U+%04X quotes", []rune{0x20, 0xA0, 0x2019, 0x200B, 0x301, 0x2028}[r.IntN(6)]))
		case 1:
			for range 1 + r.IntN(6) {
				out.WriteString(words[r.IntN(len(words))] + " ")
			}
		default:
			out.WriteString(saidBefore[r.IntN(len(saidBefore))] + spokenOf[r.IntN(len(spokenOf))])
		}
		out.WriteString(saidAfter[r.IntN(len(saidAfter))])
	}
	return out.String()
}

func notionWords() []string {
	var all []string
	for _, n := range notions() { // order-free: sorted below
		for _, w := range strings.Fields(n) {
			all = append(all, strings.ReplaceAll(w, "*", "ing"), strings.TrimSuffix(w, "*"))
		}
	}
	all = append(all, "the", "of", "was", "der", "nicht", "été", "il", "слово", "文字", "-", "'tis", "re-wrap-ped", "x_y", "..")
	slices.Sort(all)
	return slices.Compact(all)
}

// S6. What is read of sentences: causes and denials, notions, what is excluded,
// in which language, and which of two are opposed.
func TestReadClaim_ManySentencesAsBefore(t *testing.T) {
	book := answers.New("testdata/sentences.golden", 2)
	r := rand.New(rand.NewPCG(61, 61))
	words := notionWords()
	spoken := func(r reading) string {
		var has []string
		for name, there := range r.has { // order-free: sorted below
			if there {
				has = append(has, name)
			}
		}
		slices.Sort(has)
		return fmt.Sprint(r.causes, has)
	}
	var before Hypothesis
	for i := range 150 {
		text := sentence(r, words)
		c := readClaim(text)
		book.Note("what a sentence says", text, fmt.Sprint(c.causes, c.denied, c.faultless, c.foreign, c.tells(), readable(text), spoken(c.hinted)))
		found := Causes()[i%len(Causes())]
		ruling, why := test(c, anchor.Explanation{Findings: []anchor.Finding{{Cause: found}, {Cause: Causes()[r.IntN(len(Causes()))]}}})
		book.Note("how it is ruled on", text, fmt.Sprint(ruling, why))
		h := Hypothesis{Author: "ada", Statement: text}
		switch i % 5 {
		case 0:
			h.Cause = string(found)
		case 1:
			h.Statement, h.Justification = "Nobody knows.", text
		case 2:
			h.Statement, h.Justification = words[i], text
		case 3:
			continue
		}
		book.Note("what is opposed", answers.Text(h), fmt.Sprint(opposed(h, before), sameCause([]Hypothesis{before, h})))
		before = h
	}
	for i := range 400 {
		text := sentence(r, words)
		read := readNotions(text)
		out := spoken(read)
		for _, c := range Causes() {
			out += fmt.Sprint(read.excludes(c), " ")
		}
		book.Note("what it hints at", text, out)
		book.Note("its words", text, fmt.Sprintf("%q %d %q %t", wordsOf(text), fileNames(wordsOf(text)), clause([]byte(text)), readable(text)))
		if few := strings.Fields(text); i%2 == 0 && len(few) > 3 {
			book.Note("a few words", text, fmt.Sprint(readable(strings.Join(few[:1+i%4], " ")), readable(strings.Join(few[:4], " "))))
		}
	}
	var causes strings.Builder
	for c := range rune(0x11000) {
		fmt.Fprintln(&causes, causeOfCharacter(c))
	}
	book.Note("what goes wrong with a character", "every one", causes.String())
	for _, text := range []string{"U+FFFFFF", "u+2028 and U+2029", "U+110000", "U+00a0.", "xU+00A0", "U+00A0x", "U+0A"} {
		book.Note("characters by their number", text, fmt.Sprintf("%+v", readClaim(text)))
	}
	book.Check(t)
}

// S2. What only stands for content, and what is content.
func TestIsPlaceholder_ManyTextsAsBefore(t *testing.T) {
	book := answers.New("testdata/placeholders.golden", 1)
	r := rand.New(rand.NewPCG(67, 67))
	parts := []string{
		"see above", "TODO", "n/a", "[full file content here]", "<paste the log here>", "{...}", "(omitted)", "...", "…", "contents of plan.py", "same as before", "x = 1;", "<b/>", "</b>", "[1]", "{}", "[[a] b]", "[a] [b]",
		"<a", "a>", " ", "\n", "none", "redacted", "put the error message here", "as above, with a word more", "<>", "[", "]",
	}
	for range 400 {
		text := parts[r.IntN(len(parts))]
		for range r.IntN(3) {
			text += parts[r.IntN(len(parts))]
		}
		if r.IntN(3) == 0 {
			text = answers.Typos[r.IntN(len(answers.Typos))].Make(r, text)
		}
		book.Note("texts", text, fmt.Sprint(IsPlaceholder(text)))
		e := Evidence{Kind: KindErrorLog, Content: text}.addressed(1 + r.IntN(12))
		book.Note("addressed", text, answers.Text(e)+e.name()+fmt.Sprint(e.position()))
	}
	for _, pair := range []string{"[]", "<>", "{}", "()"} {
		for _, n := range []int{0, 1, 80, 81, 105, 117, 118, 119, 120, 121, 390, 396, 397, 398, 399, 400} {
			for _, text := range []string{pair[:1] + strings.Repeat("a", n) + pair[1:], "see above " + strings.Repeat("a", n), "contents of " + strings.Repeat("a", n)} {
				book.Note("long ones", text, fmt.Sprint(IsPlaceholder(text)))
				s := draft()
				s.Evidence = append(s.Evidence, Evidence{Kind: KindErrorLog, Content: text})
				_, err := Raise(s)
				book.Note("raised with long ones", text, answers.Text(err)+answers.Text(Arbitrate(begin(s))))
			}
		}
	}
	book.Check(t)
}

// S1, S5, S6. Which patch is replayed on which text, whatever is attached, in
// which order and under which path, and what the verdict says; what is made of a
// verdict whose findings were changed.
func TestArbitrate_WhateverIsAttachedAsBefore(t *testing.T) {
	book := answers.New("testdata/attached.golden", 2)
	r := rand.New(rand.NewPCG(71, 71))
	older := strings.Replace(disputedText, "import a", "import old_a", 1)
	patches := []string{
		quoting("import a\n", "import b\n", "import c\n"), quoting("import old_a\n", "import b\n", "import c\n"), quoting("nowhere\n", "", "x\n"),
		stringEdit("import a\n", "import c\n"), stringEdit("    3→import a\n", "import c\n"), "--- a/plan.py\n+++ b/plan.py\n@@ -3 +3 @@\n-import a\n+import z\n--- a/other.py\n+++ b/other.py\n@@ -1 +1 @@\n-x\n+y\n",
		"@@ -3 +3 @@\n-import old_a\n+import z\n", "<<<<<<< SEARCH\nimport a\n=======\nimport q\n>>>>>>> REPLACE\n", "no patch at all", "{\"protocol_id\": 1", `{"protocol_id":"anchor_diff_v3.0","target":{}}`,
	}
	texts := []string{disputedText, older, "x\n", "<paste the file here>", "\xff\xfe\x00", "# Plan\n\nimport a\r\nimport b\n"}
	paths := []string{"", "plan.py", "src/plan.py", "other.py", "plan.py/x"}
	for range 180 {
		s := draft()
		s.Target = paths[r.IntN(len(paths))]
		s.Evidence = nil
		for range 1 + r.IntN(4) {
			e := Evidence{Kind: []string{KindFileContent, KindFileContent, KindOlderContent, KindPatch, KindErrorLog}[r.IntN(5)], Path: paths[r.IntN(len(paths))], Content: texts[r.IntN(len(texts))]}
			if e.Kind == KindPatch {
				e.Content, e.Path = patches[r.IntN(len(patches))], ""
			}
			s.Evidence = append(s.Evidence, e)
		}
		if r.IntN(4) > 0 {
			s.Evidence = slices.Insert(s.Evidence, r.IntN(len(s.Evidence)+1), Evidence{Kind: KindPatch, Content: patches[r.IntN(len(patches))]})
		}
		for i := range s.Hypotheses {
			s.Hypotheses[i].Statement = []string{"", "The text has moved on.", "The quoted line does not exist.", "It may be an older version, not white space.", "plan.py was meant, not other.py."}[r.IntN(5)]
			if s.Hypotheses[i].Statement == "" {
				s.Hypotheses[i].Justification, s.Hypotheses[i].Cause = "", ""
			}
		}
		s = begin(s)
		v := Arbitrate(s)
		kind := string(v.Outcome)
		book.Note(kind, answers.Text(s), answers.Text(v)+answers.Text(CheckVerdict(s, v)))
		for range 3 {
			changed := v
			changed.Findings = slices.Clone(v.Findings)
			for range 1 + r.IntN(2) {
				f := &changed.Findings[r.IntN(len(changed.Findings))]
				switch r.IntN(6) {
				case 0:
					f.Ruling = []Ruling{Upheld, Refuted, Undetermined, "maybe"}[r.IntN(4)]
				case 1:
					f.Hypothesis = fmt.Sprintf("h%d", 1+r.IntN(4))
				case 2:
					f.Evidence = []string{fmt.Sprintf("e%d", r.IntN(5)), "e1"}[:r.IntN(3)]
				case 3:
					changed.Outcome = []Outcome{HypothesisUpheld, OtherCause, InsufficientEvidence, "sure"}[r.IntN(4)]
				case 4:
					for i := range changed.Findings {
						changed.Findings[i].Ruling = Upheld
					}
					changed.Outcome = HypothesisUpheld
				case 5:
					changed.Arbiter, changed.Round = []brenner.ActorName{"ADA", "zoe", ""}[r.IntN(3)], r.IntN(3)
				}
			}
			book.Note("a verdict that was changed", answers.Text(s)+answers.Text(changed), answers.Text(CheckVerdict(s, changed)))
		}
	}
	codes := []brenner.Code{brenner.CodeResultMismatch, brenner.CodeInvalidPatch, brenner.CodeAnchorNotFound}
	for range 100 {
		var failures []Failure
		for range 1 + r.IntN(5) {
			failures = append(failures, Failure{Session: brenner.SessionID([]string{"s1", "s2"}[r.IntN(2)]), Target: []string{"a", "b"}[r.IntN(2)], Code: codes[r.IntN(3)], Actor: []brenner.ActorName{"ada", "Brenner"}[r.IntN(2)], At: "2026-01-02T03:04:05Z", Message: "refused"})
		}
		last := failures[len(failures)-1]
		x := anchor.Explanation{Code: last.Code, Message: "it is so", Findings: []anchor.Finding{{Cause: Causes()[r.IntN(len(Causes()))], Message: " what ", Found: []string{"v1", "v2", ""}[r.IntN(3)]}}[:r.IntN(2)]}
		text, err := anchor.Canonical([]byte(older))
		if err != nil {
			t.Fatal(err)
		}
		book.Note("raised by itself", answers.Text(failures), fmt.Sprint(Due(failures[:len(failures)-1], last))+
			answers.Text(Automatic(failures, text, "TODO", x, []anchor.Named{{Name: "v1", Text: text}, {Name: "v2", Text: text}})))
	}
	book.Check(t)
}

// S1. Requests with evidence of every form: which are read, as what, and given
// back; which are refused, and where.
func TestImport_EvidenceOfEveryFormAsBefore(t *testing.T) {
	book := answers.New("testdata/wire.golden", 2)
	r := rand.New(rand.NewPCG(73, 73))
	base := string(seedRequest(t))
	attempt := `{"action":"retried","actor":"ada","at":"2026-01-02T03:04:05Z","outcome":"refused again"}`
	contents := []any{nil, "", "some text", attempt, `{"action":"a"}`, attempt, "some text", "more text", `{"action":"a","outcome":"o"}`, `{"action":"a","outcome":"o","more":1}`, ` {"action":"a","outcome":"o"}`, "[paste it here]", "x\x00y"}
	for range 400 {
		var request map[string]any
		if err := json.Unmarshal([]byte(base), &request); err != nil {
			t.Fatal(err)
		}
		var list []any
		for range r.IntN(5) {
			item := map[string]any{"type": []string{kindAttempt, kindAttempt, kindExpected, KindPatch, KindErrorLog, KindErrorLog, KindPatch, ""}[r.IntN(8)]}
			for name, other := range map[string]any{ // order-free: each draws for itself, by its name
				"content": contents[r.IntN(len(contents))], "description": []any{nil, "", "what it is"}[r.IntN(4)%3],
				"file_path": []any{nil, nil, nil, nil, "", "a.py"}[r.IntN(6)], "file_content": []any{nil, nil, nil, nil, "", "text"}[r.IntN(6)],
			} {
				if other != nil {
					item[name] = other
				}
			}
			list = append(list, item)
		}
		if r.IntN(3) == 0 {
			list = append(list, map[string]any{"type": kindAttempt, "content": attempt}, map[string]any{"type": kindExpected, "content": "it works"})
		}
		request["objective_evidence"] = list
		raw := answers.Text(request)
		s, err := Import([]byte(raw))
		book.Note("evidence", raw, answers.Or(s, err))
		if err == nil {
			back, err := Export(s)
			book.Note("given back", raw, answers.Or(string(back), err))
		}
	}
	for name, raw := range map[string]string{
		"a null character": strings.Replace(base, `"stalemate_summary": "`, `"stalemate_summary": "\u0000`, 1), "too deep": strings.Repeat("[", brenner.MaxJSONDepth+1), "two values": base + base, "nothing": "",
		"another protocol": strings.Replace(base, ProtocolID, strings.Repeat("x", 300), 1), "no party": strings.ReplaceAll(base, partySuffix, "_view"),
	} { // order-free: each is a kind of its own
		_, err := Import([]byte(raw))
		book.Note(name, raw, answers.Text(err))
	}
	s := draft()
	s.Attempts = []Attempt{{Action: "\xff", Outcome: "o"}}
	_, err := Export(s)
	book.Note("an attempt that is no text", "", answers.Text(err))
	book.Check(t)
}
