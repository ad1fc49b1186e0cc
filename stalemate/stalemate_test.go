package stalemate

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/canon"

	"github.com/google/go-cmp/cmp"
)

func seedRequest(tb testing.TB) []byte {
	tb.Helper()
	raw, err := os.ReadFile("testdata/request_v1.1.json")
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func imported(tb testing.TB) Stalemate {
	tb.Helper()
	s, err := Import(seedRequest(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// S1: the seed's request imports, and exports byte-equal after canonical JSON.
func TestImport_SeedRequestRoundTrips(t *testing.T) {
	raw := seedRequest(t)
	want, err := canon.Transform(raw)
	if err != nil {
		t.Fatal(err)
	}
	s := imported(t)
	got, err := Export(s)
	if err != nil || string(got) != string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if d := cmp.Diff([]brenner.ActorName{"engrove", "frankensteen"}, s.Parties()); d != "" {
		t.Error(d)
	}
	if len(s.Alternatives) != 3 || s.State != Open || s.Round != 1 {
		t.Errorf("%+v", s)
	}
}

// S2: import keeps placeholders and marks them; the log is real.
func TestImport_MarksPlaceholders(t *testing.T) {
	s := imported(t)
	var missing []string
	for _, e := range s.Missing() {
		missing = append(missing, e.ID)
		if e.Digest != "" || e.Content == "" {
			t.Errorf("%+v", e)
		}
	}
	if d := cmp.Diff([]string{"e2", "e3"}, missing); d != "" {
		t.Error(d)
	}
	if e := s.Evidence[0]; e.Missing || e.Digest != canon.Sum([]byte(e.Content)) {
		t.Errorf("%+v", e)
	}
}

// S2: raise refuses what import keeps.
func TestRaise_RefusesPlaceholderEvidence(t *testing.T) {
	_, err := Raise(imported(t))
	e, _ := err.(*brenner.Error)
	if e == nil || e.Code != brenner.CodeEvidencePlaceholder || len(e.Diagnostics) != 2 {
		t.Fatalf("%+v", err)
	}
	if d := e.Diagnostics[0]; d.Subject != "e2" || d.Pointer != "/evidence/1/content" || !strings.Contains(d.Message, "wrap_json_in_html.py") {
		t.Errorf("%+v", d)
	}
}

func draft() Stalemate {
	return Stalemate{
		RaisedAt: "2026-01-02T03:04:05Z", Summary: "it does not work", Request: "find out why", Expected: "it works",
		Hypotheses: []Hypothesis{
			{Author: "ada", Statement: "the text", Justification: "it looks odd"},
			{Author: "bob", Statement: "the tool", Justification: "it is new"},
		},
		Alternatives: []Hypothesis{{Statement: "the moon", Justification: "it was full"}},
		Attempts:     []Attempt{{At: "2026-01-02T03:00:00Z", Actor: "ada", Action: "tried", Outcome: "failed"}},
		Evidence: []Evidence{
			{Kind: KindErrorLog, Content: "[12:00] [ERR] it failed [again]"},
			{Kind: KindFileContent, Path: "a.txt", Content: "x\r\n"},
		},
	}
}

// S2: a raised stalemate has ids, digests and a state, and nothing of the
// input is changed.
func TestRaise_NumbersAndAddresses(t *testing.T) {
	in := draft()
	s, err := Raise(in)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(draft(), in); d != "" {
		t.Errorf("input changed: %s", d)
	}
	if s.Hypotheses[1].ID != "h2" || s.Alternatives[0].ID != "h3" || s.Evidence[1].ID != "e2" || s.Evidence[1].Digest != canon.Sum([]byte("x\r\n")) {
		t.Errorf("%+v", s)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// S1: attempts and expected behaviour survive the exchange format.
func TestExport_CarriesAttemptsAndExpectation(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := Export(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Import(raw)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, again); d != "" {
		t.Error(d)
	}
}

// S2: what is incomplete is refused with its place.
func TestRaise_RefusesIncompleteStalemates(t *testing.T) {
	for pointer, spoil := range map[string]func(*Stalemate){
		"/raised_at":                    func(s *Stalemate) { s.RaisedAt = "yesterday" },
		"/summary":                      func(s *Stalemate) { s.Summary = " " },
		"/arbitration_request":          func(s *Stalemate) { s.Request = "" },
		"/hypotheses":                   func(s *Stalemate) { s.Hypotheses = s.Hypotheses[:1] },
		"/hypotheses/1/author":          func(s *Stalemate) { s.Hypotheses[1].Author = "ada" },
		"/hypotheses/0/author":          func(s *Stalemate) { s.Hypotheses[0].Author = "" },
		"/hypotheses/0/statement":       func(s *Stalemate) { s.Hypotheses[0].Statement = "" },
		"/hypotheses/1/justification":   func(s *Stalemate) { s.Hypotheses[1].Justification = "" },
		"/alternatives":                 func(s *Stalemate) { s.Alternatives = nil },
		"/alternatives/0/justification": func(s *Stalemate) { s.Alternatives[0].Justification = "" },
		"/evidence":                     func(s *Stalemate) { s.Evidence = nil },
		"/evidence/0/kind":              func(s *Stalemate) { s.Evidence[0].Kind = "" },
	} {
		s := draft()
		spoil(&s)
		_, err := Raise(s)
		if e, _ := err.(*brenner.Error); e == nil || e.Code != brenner.CodeInvalidStalemate || e.Pointer != pointer {
			t.Errorf("%s: %+v", pointer, err)
		}
	}
	s := draft()
	s.Alternatives = slices.Repeat(s.Alternatives, brenner.MaxAlternatives+1)
	if _, err := Raise(s); brenner.CodeOf(err) != brenner.CodeInvalidStalemate {
		t.Errorf("four alternatives: %v", err)
	}
	s = draft()
	s.Evidence = slices.Repeat(s.Evidence, brenner.MaxEvidence)
	if _, err := Raise(s); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("too much evidence: %v", err)
	}
	forged, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	forged.Evidence[0].Content += "!"
	if err := forged.Check(); brenner.CodeOf(err) != brenner.CodeInvalidStalemate {
		t.Errorf("content does not match its digest: %v", err)
	}
}

// S1: import is strict, and refuses what it could not give back.
func TestImport_IsStrict(t *testing.T) {
	raw := string(seedRequest(t))
	edit := func(from, to string) string {
		if !strings.Contains(raw, from) {
			t.Fatalf("the seed has no %q", from)
		}
		return strings.Replace(raw, from, to, 1)
	}
	for pointer, doc := range map[string]string{
		"/protocol_id":               edit("Protocol_v1.1", "Protocol_v2"),
		"/session_timestamp":         edit("2025-08-11T15:10:00Z", "noon"),
		"/extra":                     edit(`"protocol_id"`, `"extra": 1, "protocol_id"`),
		"/hypotheses/engrove":        edit("engrove_hypothesis", "engrove"),
		"/objective_evidence/1":      edit(`"file_path": "scripts/wrap_json_in_html.py"`, `"file_path": ""`),
		"/objective_evidence/0/kind": edit(`"type": "error_log",`, `"type": "",`),
		"":                           edit(`"type": "error_log",`, `"type": "error_log", "file_path": null,`),
	} {
		_, err := Import([]byte(doc))
		if e, _ := err.(*brenner.Error); e == nil || e.Code != brenner.CodeInvalidStalemate || e.Pointer != pointer {
			t.Errorf("%s: %+v", pointer, err)
		}
	}
	if _, err := Import(make([]byte, brenner.MaxStalemateBytes+1)); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("%v", err)
	}
}

// S2: placeholders are told from short but real content.
func TestIsPlaceholder(t *testing.T) {
	for _, s := range []string{
		"", "  \n", "...", "…", "[Fullständigt innehåll från föregående kontext]", "<paste the file here>", "{{file}}",
		"TODO", "tbd", "N/A", "see above", "See previous message", "(same as above)", "[omitted]", "content of main.go",
		"[full content from the previous context, which describes the 'old' protocol]", "paste log here",
	} {
		if !IsPlaceholder(s) {
			t.Errorf("%q passes for content", s)
		}
	}
	for _, s := range []string{
		"[1, 2, 3]", `{"a": 1}`, "[]", "[ERR] it failed", "[a] and [b]", "exit status 1", "x", "<p>text</p>", "<br/>",
		"see above all the error: exit 1\nsecond line", "if (a) { b }", "{ x = 1; }", "[section]\nkey", strings.Repeat("[a long text]", 100),
	} {
		if IsPlaceholder(s) {
			t.Errorf("%q is taken for a placeholder", s)
		}
	}
}

// S3: the states and what leads from one to the next.
func TestNext_FollowsTheTable(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	all := []Action{Arbitration, Deliver, Accept, Appeal, Implement, Verify, Reopen, Withdraw}
	for path, want := range map[string]struct {
		state State
		round int
		can   []Action
	}{
		"":                                   {Open, 1, []Action{Arbitration, Withdraw}},
		"arbitrate":                          {InArbitration, 1, []Action{Deliver, Withdraw}},
		"arbitrate verdict":                  {Decided, 1, []Action{Accept, Appeal, Withdraw}},
		"arbitrate verdict accept":           {Accepted, 1, []Action{Implement}},
		"arbitrate verdict appeal":           {Appealed, 1, []Action{Reopen, Withdraw}},
		"arbitrate verdict appeal reopen":    {Open, 2, []Action{Arbitration, Withdraw}},
		"arbitrate verdict accept implement": {Implemented, 1, []Action{Verify, Reopen}},
		"arbitrate verdict accept implement verify":           {Verified, 1, nil},
		"arbitrate verdict accept implement reopen arbitrate": {InArbitration, 2, []Action{Deliver, Withdraw}},
		"withdraw": {Withdrawn, 1, nil},
	} {
		at := s
		for _, a := range strings.Fields(path) {
			at, err = at.Next(Event{Action: Action(a), Actor: "carl", At: "2026-01-02T04:00:00Z", Reason: "because"})
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
		if at.State != want.state || at.Round != want.round || len(at.History) != len(strings.Fields(path)) || at.State.Closed() != (want.can == nil) {
			t.Errorf("%s: %s, round %d", path, at.State, at.Round)
		}
		for _, a := range all {
			_, err := at.Next(Event{Action: a, Actor: "carl", Reason: "because"})
			if allowed := slices.Contains(want.can, a); allowed != (err == nil) || !allowed && brenner.CodeOf(err) != brenner.CodeStatusConflict {
				t.Errorf("%s, then %s: %v", path, a, err)
			}
		}
	}
	if len(s.History) != 0 {
		t.Error("the stalemate was changed in place")
	}
}

// S3: who takes a step that is not possible is told which are.
func TestNext_SaysWhatIsPossible(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	closed, err := s.Next(Event{Action: Withdraw, Actor: "ada", Reason: "settled"})
	if err != nil {
		t.Fatal(err)
	}
	for want, at := range map[string]Stalemate{"possible now: arbitrate, withdraw, reply": s, "it is closed; raise a new one": closed} {
		_, err := at.Next(Event{Action: Verify, Actor: "carl", Reason: "because"})
		if e, ok := err.(*brenner.Error); !ok || e.Hint != want {
			t.Errorf("%s: %v, want the hint %q", at.State, err, want)
		}
	}
}

// S3, S5: reasons are asked for, and parties do not arbitrate.
func TestNext_AsksForReasonsAndRefusesParties(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	for want, e := range map[brenner.Code]Event{
		brenner.CodeReasonRequired: {Action: Withdraw, Actor: "ada"},
		brenner.CodeArbiterIsParty: {Action: Arbitration, Actor: "ada"},
		brenner.CodeInvalidValue:   {Action: "explode", Actor: "ada"},
	} {
		if _, err := s.Next(e); brenner.CodeOf(err) != want {
			t.Errorf("%v: %v, want %s", e, err, want)
		}
	}
}

// S4: the third equal failure of a session, or a result that mismatched.
func TestDue(t *testing.T) {
	f := func(session brenner.SessionID, target string, code brenner.Code) Failure {
		return Failure{Session: session, Target: target, Code: code}
	}
	a := f("s1", "a.txt", brenner.CodeAnchorNotFound)
	for name, c := range map[string]struct {
		earlier []Failure
		latest  Failure
		want    bool
	}{
		"first":           {nil, a, false},
		"second":          {[]Failure{a}, a, false},
		"third":           {[]Failure{a, a}, a, true},
		"other session":   {[]Failure{a, f("s2", "a.txt", a.Code)}, a, false},
		"other target":    {[]Failure{a, f("s1", "b.txt", a.Code)}, a, false},
		"other code":      {[]Failure{a, f("s1", "a.txt", brenner.CodeOverlap)}, a, false},
		"others between":  {[]Failure{a, f("s1", "b.txt", a.Code), a}, a, true},
		"result mismatch": {nil, f("s1", "a.txt", brenner.CodeResultMismatch), true},
	} {
		if got := Due(c.earlier, c.latest); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// failing is a stalemate raised by the system about a patch with a no-break
// space in its anchor.
func failing(t *testing.T) Stalemate {
	t.Helper()
	base, err := anchor.Canonical([]byte("alpha beta\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := anchor.Patch{Path: "a.txt", Base: base.Sum(), Groups: []anchor.Group{{
		Anchor: anchor.Anchor{Text: "alpha\u00a0"}, Ops: []anchor.Op{{Kind: anchor.ReplaceBlock, Old: "beta", New: "gamma"}},
	}}}
	x := anchor.Explain(p, base, anchor.Elsewhere{})
	f := Failure{Session: "s1", Target: "a.txt", Code: x.Code, Actor: "ada", At: "2026-01-02T03:04:05Z", Message: x.Message}
	return Automatic([]Failure{f, f, f}, base, string(p.JSON()), x, nil)
}

// S4: whoever raises a stalemate says what it holds, and nobody else's part; a
// party that has not spoken is named, and nothing is found about its side.
func TestInOwnWords_NobodySpeaksForAnother(t *testing.T) {
	s := draft()
	var refused *brenner.Error
	if err := s.InOwnWords(s.Hypotheses[0].Author); !errors.As(err, &refused) || refused.Code != brenner.CodeInvalidStalemate || refused.Pointer != "/hypotheses/1/statement" {
		t.Errorf("%v", err)
	}
	mine, other := s.Hypotheses[0], s.Hypotheses[1].Author
	s.Hypotheses[1] = Hypothesis{Author: other}
	if err := s.InOwnWords(brenner.ActorName(strings.ToUpper(string(mine.Author)))); err != nil {
		t.Error(err)
	}
	if err := s.InOwnWords("somebody"); !errors.Is(err, brenner.CodeInvalidStalemate) {
		t.Errorf("one who is no party says what another holds: %v", err)
	}
	if err := s.InOwnWords(other); !errors.Is(err, brenner.CodeInvalidStalemate) {
		t.Errorf("one who is a party says nothing: %v", err)
	}
	s, err := Raise(s)
	if err != nil {
		t.Fatal(err)
	}
	v := Arbitrate(s)
	if err := CheckVerdict(s, v); err != nil || v.Findings[1].Ruling != Undetermined || !strings.Contains(v.Findings[1].Reason, "has not said") {
		t.Errorf("%+v, %v", v.Findings[1], err)
	}
	v.Findings[1].Ruling = Refuted
	if err := CheckVerdict(s, v); !errors.Is(err, brenner.CodeInvalidVerdict) {
		t.Errorf("refuted what was not said: %v", err)
	}
	if _, err := s.Stated(other, "It is the tabs.", "I looked.", "tabs"); !errors.Is(err, brenner.CodeInvalidStalemate) {
		t.Errorf("an unknown cause: %v", err)
	}
	s, err = s.Stated(other, "It is the tabs.", "I looked.", "whitespace")
	if err != nil || s.Check() != nil || s.Hypotheses[1].Cause != "whitespace" {
		t.Errorf("%+v, %v", s.Hypotheses[1], err)
	}
}

// S6: what is not in English is undetermined, even where a word of it could be
// read; a few English words are.
func TestReadable_OtherLanguagesAreNotRead(t *testing.T) {
	for text, want := range map[string]bool{
		"Die Datei hat CRLF am Ende, das ist nicht der Patch.":       false,
		"Det finns dolda tecken, som non-breaking space, i ankaret.": false,
		"Le fichier a été modifié, ce n'est pas le JSON.":            false,
		"El ancla no es única en el archivo.":                        false,
		"アンカーにタブがあります CRLF":                                          false,
		"Tabs, not spaces.": true,
		"CRLF":              true,
		"The anchor has an é that is composed of two characters (NFD).": true,
		"There is no such line in the file.":                            true,
	} {
		if readable(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
		if c := readClaim(text); !want && (c.tells() || !c.foreign) {
			t.Errorf("%q says %+v", text, c)
		}
	}
}

// S4: the system attaches base, patch and explanation. S6: replaying them
// upholds the right hypothesis and gives a patch that applies.
func TestArbitrate_ReplaysAPatchStalemate(t *testing.T) {
	s := failing(t)
	if len(s.Attempts) != 3 || len(s.Evidence) != 3 || s.Evidence[0].Content != "alpha beta\r\n" {
		t.Errorf("%+v", s)
	}
	v := Arbitrate(s)
	if err := CheckVerdict(s, v); err != nil {
		t.Fatalf("%v\n%+v", err, v)
	}
	rulings := map[string]Ruling{}
	for _, f := range v.Findings {
		rulings[f.Hypothesis] = f.Ruling
	}
	if d := cmp.Diff(map[string]Ruling{"h1": Undetermined, "h2": Upheld, "h3": Refuted, "h4": Refuted}, rulings); d != "" {
		t.Error(d) // h1 waits for its author
	}
	if v.Outcome != HypothesisUpheld || !strings.HasPrefix(v.RootCause, "invisible_character") {
		t.Errorf("%+v", v)
	}
	for _, f := range v.Findings { // S5: each cites the patch and the text that were replayed
		if !slices.Equal(slices.Sorted(slices.Values(f.Evidence)), []string{"e1", "e2"}) {
			t.Errorf("%s cites %v", f.Hypothesis, f.Evidence)
		}
	}
	p, err := anchor.Parse(v.Patch)
	if err != nil {
		t.Fatal(err)
	}
	base, _ := anchor.Canonical([]byte(s.Evidence[0].Content))
	if res, err := anchor.Apply(p, base); err != nil || string(res.Text.Bytes()) != "alpha gamma\r\n" {
		t.Errorf("%q, %v", res.Text.Bytes(), err)
	}
}

// S4, S6: a patch made for an older text is replayed on the newer one, with the
// older one at hand, and the cause found is the one explained.
func TestArbitrate_KnowsTheOlderTextItWasGiven(t *testing.T) {
	text := func(s string) anchor.Text {
		c, err := anchor.Canonical([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	was, now := text("one\ntwo\nthree\n"), text("TBD")
	p, err := anchor.Diff(was, text("one\n2\nthree\n"), "notes")
	if err != nil {
		t.Fatal(err)
	}
	older := []anchor.Named{{Name: "notes@1", Text: was}, {Name: "notes@0", Text: text("nothing")}}
	x := anchor.Explain(p, now, anchor.Elsewhere{Older: older})
	f := Failure{Target: "notes", Code: x.Code, Actor: Tool, At: "2026-01-02T03:04:05Z", Message: x.Message}
	s := Automatic([]Failure{f, f, f}, now, string(p.JSON()), x, older)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if len(s.Missing()) != 0 || len(s.Evidence) != 4 || s.Evidence[3].Description != "notes@1" {
		t.Errorf("%+v", s.Evidence)
	}
	v := Arbitrate(s)
	if err := CheckVerdict(s, v); err != nil {
		t.Fatal(err)
	}
	if v.Outcome != HypothesisUpheld || !strings.HasPrefix(v.RootCause, string(anchor.CauseOlderVersion)) {
		t.Errorf("%+v", v)
	}
}

// S3, S2: a stalemate that is reopened gets evidence, not placeholders, and
// what it had keeps its name.
func TestWith_AddsEvidence(t *testing.T) {
	s := imported(t)
	more, err := s.With([]Evidence{{Kind: KindFileContent, Path: "scripts/wrap_json_in_html.py", Content: "9import sys\n"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := more.Evidence[3]; got.ID != "e4" || got.Digest != canon.Sum([]byte("9import sys\n")) || got.Missing {
		t.Errorf("%+v", got)
	}
	if len(s.Evidence) != 3 || !cmp.Equal(s.Evidence, more.Evidence[:3]) {
		t.Error("the stalemate was changed in place")
	}
	_, err = s.With([]Evidence{{Kind: KindErrorLog, Content: "boom"}, {Kind: KindErrorLog, Content: "[see above]"}})
	e, _ := err.(*brenner.Error)
	if e == nil || e.Code != brenner.CodeEvidencePlaceholder || len(e.Diagnostics) != 1 || e.Diagnostics[0].Pointer != "/evidence/1/content" {
		t.Errorf("%+v", err)
	}
	_, err = s.With([]Evidence{{Kind: KindErrorLog, Content: strings.Repeat("x", brenner.MaxContentBytes+1)}})
	if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Error(err)
	}
}

// S6: on the seed's request the answer is insufficient_evidence, naming the
// placeholders.
func TestArbitrate_SeedRequestLacksEvidence(t *testing.T) {
	s := imported(t)
	v := Arbitrate(s)
	if err := CheckVerdict(s, v); err != nil {
		t.Fatal(err)
	}
	if v.Outcome != InsufficientEvidence {
		t.Errorf("%+v", v)
	}
	for _, name := range []string{"scripts/wrap_json_in_html.py", "docs/ai_protocols/Diff_JSON_Protocol.md"} {
		if !strings.Contains(v.RootCause, name) || !strings.Contains(strings.Join(v.Explanation, "\n"), name) {
			t.Errorf("%s is not named: %+v", name, v)
		}
	}
	for _, f := range v.Findings {
		if f.Ruling != Undetermined || !slices.Equal(f.Evidence, []string{"e2", "e3"}) {
			t.Errorf("%+v", f)
		}
	}
}

// S6: other ends of a replay.
func TestArbitrate_OtherOutcomes(t *testing.T) {
	good := `{"protocol_id":"anchor_diff_v2.1","target":{"path":"a.txt","base_checksum_sha256":"` + string(canon.Sum([]byte("x\n"))) +
		`"},"op_groups":[{"anchor":{"text":""},"targets":[{"op":"replace_block","old_block":"x","new_block":"y"}]}]}`
	withPatch := func(patch string) Stalemate {
		s := draft()
		s.Evidence = append(s.Evidence, Evidence{Kind: KindPatch, Content: patch})
		return s
	}
	noText := withPatch(strings.Replace(good, "a.txt", "b.txt", 1))
	for name, c := range map[string]struct {
		s    Stalemate
		want Outcome
		says string
	}{
		"the patch applies":     {withPatch(good), NotReproducible, "applied"},
		"nobody can be tested":  {withPatch(strings.Replace(good, `"old_block":"x"`, `"old_block":"z"`, 1)), InsufficientEvidence, "no_such_text"},
		"the patch is unread":   {withPatch(strings.Replace(good, "v2.1", "v3.0", 1)), InsufficientEvidence, "anchor_diff_v3.0"},
		"the text is not there": {noText, InsufficientEvidence, "b.txt"},
		"there is no patch":     {draft(), InsufficientEvidence, "no patch"},
	} {
		s, err := Raise(c.s)
		if err != nil {
			t.Fatal(err)
		}
		v := Arbitrate(s)
		if err := CheckVerdict(s, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if said := strings.Join(v.Explanation, "\n"); v.Outcome != c.want || !strings.Contains(said, c.says) {
			t.Errorf("%s: %s\n%s", name, v.Outcome, said)
		}
	}
}

// S6: of several texts of the path the patch is replayed on the one that has its
// checksum, wherever it stands among the evidence.
func TestArbitrate_ReplaysOnTheTextWithTheChecksum(t *testing.T) {
	patch := `{"protocol_id":"anchor_diff_v2.1","target":{"path":"a.txt","base_checksum_sha256":"` + string(canon.Sum([]byte("x\n"))) +
		`"},"op_groups":[{"anchor":{"text":""},"targets":[{"op":"replace_block","old_block":"x","new_block":"y"}]}]}`
	right := Evidence{Kind: KindFileContent, Path: "a.txt", Content: "x\n"}
	wrong := Evidence{Kind: KindFileContent, Path: "a.txt", Content: "z\n"}
	for name, texts := range map[string][]Evidence{"first": {right, wrong}, "between": {wrong, right, wrong}, "last": {wrong, right}} {
		s := draft()
		s.Evidence = append(texts, Evidence{Kind: KindPatch, Content: patch})
		s, err := Raise(s)
		if err != nil {
			t.Fatal(err)
		}
		if v := Arbitrate(s); v.Outcome != NotReproducible {
			t.Errorf("%s: %s\n%s", name, v.Outcome, strings.Join(v.Explanation, "\n"))
		}
	}
}

// S5: a verdict must answer the stalemate.
func TestCheckVerdict(t *testing.T) {
	s := imported(t)
	good := Arbitrate(s)
	for pointer, spoil := range map[string]func(*Verdict){
		"/arbiter":               func(v *Verdict) { v.Arbiter = "no name" },
		"/round":                 func(v *Verdict) { v.Round = 2 },
		"/root_cause":            func(v *Verdict) { v.RootCause = "" },
		"/remedy":                func(v *Verdict) { v.Remedy = " " },
		"/verification":          func(v *Verdict) { v.Verification = "" },
		"/explanation":           func(v *Verdict) { v.Explanation = nil },
		"/outcome":               func(v *Verdict) { v.Outcome = "maybe" },
		"/findings":              func(v *Verdict) { v.Findings = v.Findings[1:] },
		"/findings/0/hypothesis": func(v *Verdict) { v.Findings[0].Hypothesis = "h9" },
		"/findings/1/ruling":     func(v *Verdict) { v.Findings[1].Ruling = "perhaps" },
		"/findings/0/reason":     func(v *Verdict) { v.Findings[0].Reason = "" },
		"/findings/2/evidence":   func(v *Verdict) { v.Findings[2].Evidence = nil },
		"/findings/0/evidence/1": func(v *Verdict) { v.Findings[0].Evidence = []string{"e1", "e9"} },
		"/findings/3/evidence":   func(v *Verdict) { v.Findings[3].Ruling = Refuted }, // rests on placeholders
	} {
		v := good
		v.Findings = slices.Clone(good.Findings)
		spoil(&v)
		err := CheckVerdict(s, v)
		if e, _ := err.(*brenner.Error); e == nil || e.Code != brenner.CodeInvalidVerdict || e.Pointer != pointer {
			t.Errorf("%s: %+v", pointer, err)
		}
	}
	for _, c := range []struct {
		outcome Outcome
		ruling  Ruling
	}{{HypothesisUpheld, Undetermined}, {OtherCause, Upheld}} {
		v := good
		v.Findings = slices.Clone(good.Findings)
		v.Outcome, v.Findings[0].Ruling, v.Findings[0].Evidence = c.outcome, c.ruling, []string{"e1"}
		if err := CheckVerdict(s, v); brenner.CodeOf(err) != brenner.CodeInvalidVerdict {
			t.Errorf("%s with %s: %v", c.outcome, c.ruling, err)
		}
	}
	for _, name := range []brenner.ActorName{"engrove", "Engrove", "ENGROVE"} { // names are compared without case
		party := good
		party.Arbiter = name
		if err := CheckVerdict(s, party); brenner.CodeOf(err) != brenner.CodeArbiterIsParty {
			t.Errorf("a party decides as %s: %v", name, err)
		}
		_, err := s.Next(Event{Action: Arbitration, Actor: name})
		if brenner.CodeOf(err) != brenner.CodeArbiterIsParty {
			t.Errorf("a party takes it on as %s: %v", name, err)
		}
	}
}

// S5: opposed hypotheses are not both upheld; those that name one cause are.
func TestCheckVerdict_RefusesToUpholdOpposedHypotheses(t *testing.T) {
	for _, c := range []struct {
		one, two string
		refused  bool
	}{
		{"The line endings are those of Windows.", "The anchor is not unique.", true},
		{"It is the indentation.", "It is not the indentation.", true},
		{"Ask somebody else.", "No, ask me.", true}, // all parties, and nothing says that they mean the same
		{"The indentation is off.", "White space at the start of the line is wrong.", false},
	} {
		s := draft()
		s.Hypotheses[0].Statement, s.Hypotheses[1].Statement = c.one, c.two
		s, err := Raise(s)
		if err != nil {
			t.Fatal(err)
		}
		v := Verdict{
			Arbiter: "carol", Round: 1, Outcome: HypothesisUpheld, RootCause: "both", Explanation: []string{"I have looked"}, Remedy: "none", Verification: "none",
		}
		for i, h := range s.All() {
			f := Finding{Hypothesis: h.ID, Ruling: Refuted, Reason: "so it is", Evidence: []string{"e1"}}
			if i < 2 {
				f.Ruling = Upheld
			}
			v.Findings = append(v.Findings, f)
		}
		err = CheckVerdict(s, v)
		if e, _ := err.(*brenner.Error); c.refused != (e != nil) || c.refused && (e.Code != brenner.CodeInvalidVerdict || e.Pointer != "/findings") {
			t.Errorf("%q and %q: %v", c.one, c.two, err)
		}
	}
}

// S5: another round needs evidence that was not there.
func TestAgain_NeedsNewEvidence(t *testing.T) {
	s, err := Raise(draft())
	if err != nil {
		t.Fatal(err)
	}
	same := s.Evidence[0]
	for name, more := range map[string][]Evidence{"none": nil, "what is there": {{Kind: "another_kind", Content: same.Content}}} {
		if _, err := s.Again(more); brenner.CodeOf(err) != brenner.CodeEvidenceRequired {
			t.Errorf("%s: %v", name, err)
		}
	}
	next, err := s.Again([]Evidence{{Kind: same.Kind, Content: same.Content}, {Kind: KindErrorLog, Content: "it still fails"}})
	if err != nil || len(next.Evidence) != len(s.Evidence)+2 {
		t.Errorf("%v", err)
	}
}

func FuzzImport(f *testing.F) {
	f.Add(seedRequest(f))
	f.Add([]byte(`{"protocol_id":"Stalemate_Protocol_v1.1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Import(raw)
		if err != nil {
			return
		}
		want, err := canon.Transform(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Export(s)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v: %s, want %s", err, got, want)
		}
		if err := CheckVerdict(s, Arbitrate(s)); err != nil {
			t.Fatalf("the mechanical verdict does not stand: %v", err)
		}
	})
}
