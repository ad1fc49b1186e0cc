package check

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ref(s string) brenner.Ref {
	r, err := brenner.ParseRef(s)
	if err != nil {
		panic(err)
	}
	return r
}

// bag embeds a text as its bag of words, with synonyms made one: enough to
// tell subjects apart.
func bag(texts []string) ([][]float32, error) {
	synonyms := map[string]string{"people": "human", "patients": "human", "studies": "trials", "trial": "trials", "hospital": "clinical"}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 64)
		for _, w := range wordsOf(text) {
			if s, ok := synonyms[w]; ok {
				w = s
			}
			h := uint32(2166136261)
			for _, b := range []byte(w) {
				h = (h ^ uint32(b)) * 16777619
			}
			v[h%uint32(len(v))]++
		}
		norm := 0.0
		for _, x := range v {
			norm += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm))
		}
		out[i] = v
	}
	return out, nil
}

func brief(t *testing.T, content string) Brief {
	t.Helper()
	b, err := ParseBrief(ref("brief@2"), []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const scaling = `{"question":"Do gradients scale?","goals":["measure gradient scaling in discs"],"in_scope":["wing disc growth"],
	"out_of_scope":["human clinical trials","drug pricing"],
	"constraints":["Be brief.",
		{"text":"State the sample size.","must":"/n\\s*=\\s*\\d+/"},
		{"text":"No proofs by authority.","must_not":["as everybody knows","/\\bobviously\\b/i"]}],
	"later":"members we do not know are left alone"}`

// summarise tells findings in lines.
func summarise(r Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s %s [%s] %s", f.Severity, f.Code, f.Target, f.Place, f.Message)
		if f.Excerpt != "" {
			fmt.Fprintf(&b, " | %s", f.Excerpt)
		}
		if f.Similarity != 0 {
			fmt.Fprintf(&b, " | %.2f", f.Similarity)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// C24: scope creep by word and by meaning, constraints broken, no path to the
// brief, a brief that has moved; each with its place.
func TestAlignment_FindsEachKindOfDrift(t *testing.T) {
	subjects := []Subject{
		{
			Ref: ref("memo@3"), Summary: "Gradients scale, n = 12.", Briefs: []brenner.Ref{ref("brief@1"), ref("brief@2")},
			Paragraphs: Paragraphs(text("Gradient scaling in discs is measured.\n\nNext come Human Clinical\nTrials.\n\nPatients at the hospital join studies.\n")),
		},
		{
			Ref: ref("spec@1"), Summary: "A model.", Briefs: []brenner.Ref{ref("brief@1")},
			Paragraphs: Paragraphs(document(`{"a":["fine","This is OBVIOUSLY so."],"n":3}`)),
		},
		{Ref: ref("section@1"), Summary: "n=3, as Everybody knows"},
	}
	got, err := Alignment(brief(t, scaling), subjects, Options{Embed: bag})
	if err != nil {
		t.Fatal(err)
	}
	want := `warning SCOPE_CREEP memo@3 [line 3] the paragraph speaks of "human clinical trials", which is out of scope | Next come Human Clinical
Trials.
info SCOPE_CREEP memo@3 [line 6] the paragraph is nearer to "human clinical trials", which is out of scope, than to any goal | Patients at the hospital join studies. | 0.71
warning BRIEF_MOVED spec@1 [] the artifact rests on the brief brief@1, in force is brief@2
error CONSTRAINT_VIOLATED spec@1 [] nothing matches /n\s*=\s*\d+/, which the brief demands: State the sample size.
error CONSTRAINT_VIOLATED spec@1 [/a/1] "OBVIOUSLY" matches /\bobviously\b/i, which the brief forbids: No proofs by authority. | This is OBVIOUSLY so.
warning UNLINKED section@1 [] no link of the artifact leads to the brief
error CONSTRAINT_VIOLATED section@1 [summary] "as everybody knows" matches as everybody knows, which the brief forbids: No proofs by authority. | n=3, as Everybody knows
`
	if d := cmp.Diff(want, summarise(got)); d != "" {
		t.Error(d)
	}
}

func text(s string) artifact.Content { return artifact.Content{Format: artifact.Text, Data: []byte(s)} }

func document(s string) artifact.Content {
	return artifact.Content{Format: artifact.JSON, Data: []byte(s)}
}

// C24: an artifact that keeps to the brief gives no finding.
func TestAlignment_IsSilentOnWhatIsAligned(t *testing.T) {
	s := Subject{
		Ref: ref("memo@3"), Summary: "Gradients scale with wing disc growth (n = 12).", Briefs: []brenner.Ref{ref("brief@2")},
		Paragraphs: Paragraphs(text("We measure gradient scaling in discs.\n\nTrials\n\nPricing a drug")),
	}
	for _, embed := range []Embedder{nil, bag} {
		got, err := Alignment(brief(t, scaling), []Subject{s}, Options{Embed: embed})
		if err != nil || len(got.Findings) != 0 {
			t.Errorf("%v\n%s", err, summarise(got))
		}
	}
}

// C24: a paragraph that is as near to a goal as to what is out of scope, or
// below the threshold, is left alone.
func TestAlignment_ThresholdAndTies(t *testing.T) {
	b := Brief{Ref: ref("b@1"), Goals: []string{"red"}, OutOfScope: []string{"blue"}}
	embed := func(texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, s := range texts {
			switch s {
			case "red":
				out[i] = []float32{1, 0}
			case "blue":
				out[i] = []float32{0, 1}
			case "one two three four even":
				out[i] = []float32{0.8, 0.8}
			case "one two three four near":
				out[i] = []float32{0, 0.7}
			default:
				out[i] = []float32{0, 0.5}
			}
		}
		return out, nil
	}
	s := Subject{Ref: ref("m@1"), Summary: "x", Briefs: []brenner.Ref{b.Ref}, Paragraphs: []Paragraph{
		{"a", "one two three four even"}, {"b", "one two three four near"}, {"c", "one two three four far"},
	}}
	for _, tt := range []struct {
		threshold float64
		want      string
	}{{0, "b c"}, {0.6, "b"}, {0.71, ""}} {
		got, err := Alignment(b, []Subject{s}, Options{Embed: embed, Threshold: tt.threshold})
		if err != nil {
			t.Fatal(err)
		}
		var places []string
		for _, f := range got.Findings {
			places = append(places, f.Place)
		}
		if strings.Join(places, " ") != tt.want {
			t.Errorf("threshold %v: %v, want %q", tt.threshold, places, tt.want)
		}
	}
}

func TestAlignment_ListsOnlySoManyFindings(t *testing.T) {
	b := Brief{Ref: ref("b@1"), OutOfScope: []string{"drug pricing", ""}}
	s := Subject{Ref: ref("m@1"), Briefs: []brenner.Ref{b.Ref}}
	for range brenner.MaxCheckFindings + 5 {
		s.Paragraphs = append(s.Paragraphs, Paragraph{"p", "On drug-pricing: no."})
	}
	got, err := Alignment(b, []Subject{s, s}, Options{})
	if err != nil || len(got.Findings) != 2*brenner.MaxCheckFindings || got.More != 10 {
		t.Errorf("%d findings, %d more, %v", len(got.Findings), got.More, err)
	}
	// What was said before takes no place: in the end all are listed.
	s.Paragraphs = nil
	for i := range 2*brenner.MaxCheckFindings + 5 {
		s.Paragraphs = append(s.Paragraphs, Paragraph{"p", fmt.Sprintf("On drug-pricing: no, for the reason %d.", i)})
	}
	said := map[string]bool{}
	for _, more := range []int{brenner.MaxCheckFindings + 5, 5, 0, 0} {
		got, err := Alignment(b, []Subject{s}, Options{Said: func(f Finding) bool { return said[f.Excerpt] }})
		if err != nil || got.More != more || len(got.Findings) != len(s.Paragraphs)-more {
			t.Errorf("%d findings, %d more, want %d, %v", len(got.Findings), got.More, more, err)
		}
		for _, f := range got.Findings {
			said[f.Excerpt] = true
		}
	}
	b.OutOfScope, b.Goals = []string{"nothing alike"}, nil
	s.Paragraphs = make([]Paragraph, brenner.MaxCheckParagraphs+3)
	for i := range s.Paragraphs {
		s.Paragraphs[i] = Paragraph{"p", "four words are here"}
	}
	if got, err = Alignment(b, []Subject{s}, Options{Embed: bag}); err != nil || got.Unread != 3 {
		t.Errorf("%d unread, %v", got.Unread, err)
	}
}

func TestAlignment_HandsOnErrorsOfTheEmbedder(t *testing.T) {
	broken := errors.New("no vectors today")
	calls := 0
	for fail := 1; fail <= 3; fail++ {
		calls = 0
		_, err := Alignment(brief(t, scaling), []Subject{{Ref: ref("m@1"), Summary: "one two three four"}}, Options{Embed: func(texts []string) ([][]float32, error) {
			if calls++; calls == fail {
				return nil, broken
			}
			return bag(texts)
		}})
		if !errors.Is(err, broken) {
			t.Errorf("failure at call %d: %v", fail, err)
		}
	}
	if _, err := Alignment(brief(t, scaling), nil, Options{Embed: func([]string) ([][]float32, error) { return nil, nil }}); err == nil {
		t.Error("too few vectors pass")
	}
}

func TestParseBrief_RefusesWithAPointer(t *testing.T) {
	for _, tt := range []struct {
		content, pointer string
		code             brenner.Code
	}{
		{`{`, "", brenner.CodeInvalidJSON},
		{`{"goals":"one"}`, "", brenner.CodeInvalidJSON},
		{`{"constraints":[3]}`, "/constraints/0", brenner.CodeInvalidJSON},
		{`{"constraints":["ok",{"text":"t","must":7}]}`, "/constraints/1/must", brenner.CodeInvalidJSON},
		{`{"constraints":[{"text":"t","must":["/(/"]}]}`, "/constraints/0/must", brenner.CodeInvalidValue},
		{`{"constraints":[{"text":"t","must_not":"/a{9999}/"}]}`, "/constraints/0/must_not", brenner.CodeInvalidValue},
		{`{"constraints":[{"text":"t","must_not":"` + strings.Repeat("x", brenner.MaxPatternBytes+1) + `"}]}`, "/constraints/0/must_not", brenner.CodeLimitExceeded},
	} {
		_, err := ParseBrief(ref("b@1"), []byte(tt.content))
		var e *brenner.Error
		if !errors.As(err, &e) || e.Code != tt.code || e.Pointer != tt.pointer {
			t.Errorf("%.60s: %v at %q, want %s at %q", tt.content, err, e.Pointer, tt.code, tt.pointer)
		}
	}
}

// C24: a pattern is a literal in any case, or RE2 between slashes.
func TestPattern_LiteralOrRegexp(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          string // "" = not found
	}{
		{"p < 0.05", "with P < 0.05 it holds", "p < 0.05"},
		{"a.c", "abc", ""},
		{"/a.c/", "xabcx", "abc"},
		{"/a.c/", "xABCx", ""},
		{"/a.c/i", "xABCx", "ABC"},
		{"/a.c/", "a\nc", "a\nc"},
		{"/usr", "in /USR/bin", "/usr"},
		{"/", "and/or", "/"},
		{"//", "http://x", "//"},
		{"/i", "a/ib", "/i"},
	} {
		p, err := ParsePattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, found := p.find(tt.text); found != (tt.want != "") || found && got != tt.want {
			t.Errorf("%s in %q: %q, %v", p, tt.text, got, found)
		}
	}
}

func TestParagraphs_KnowWhereTheyStand(t *testing.T) {
	for _, tt := range []struct {
		content artifact.Content
		want    []Paragraph
	}{
		{text(""), nil},
		{text("\n \n"), nil},
		{text("one"), []Paragraph{{"line 1", "one"}}},
		{text("# A\r\n\r\ntwo\r\nlines\n\n\n  \nlast\n"), []Paragraph{{"line 1", "# A"}, {"line 3", "two\nlines"}, {"line 8", "last"}}},
		{document(`"just this"`), []Paragraph{{"", "just this"}}},
		{document(`{"k":"v","l":[1,"w\n\nx",{"k/":"y"}],"m":""}`), []Paragraph{{"/k", "v"}, {"/l/1", "w"}, {"/l/1", "x"}, {"/l/2/k~1", "y"}}},
	} {
		if d := cmp.Diff(tt.want, Paragraphs(tt.content)); d != "" {
			t.Errorf("%s: %s", tt.content.Data, d)
		}
	}
}

// C24: findings become critique artifacts that fit their schema.
// C25: of both checks.
func TestFinding_FitsTheCritiqueSchema(t *testing.T) {
	types, err := artifact.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := ref("b@1")
	for _, f := range []Finding{
		{Code: brenner.CodeScopeCreep, Severity: brenner.SeverityWarning, Target: ref("a@1"), Place: "line 1", Excerpt: "x", Message: "m", Hint: "h", Similarity: 0.5},
		{Code: brenner.CodeAssumptionConflict, Severity: brenner.SeverityError, Target: ref("a@1"), Other: &other, Message: "m", Hint: "h"},
	} {
		content, err := artifact.NewContent(artifact.JSON, f.Critique())
		if err != nil {
			t.Fatal(err)
		}
		if err := types.Validate(artifact.TypeCritique, content); err != nil {
			t.Errorf("%s: %v", content.Data, err)
		}
		if f.Other != nil && !strings.Contains(string(content.Data), `"other":"b@1"`) {
			t.Errorf("%s does not name the other", content.Data)
		}
	}
	if long := excerpt(strings.Repeat("é", 400)); len([]rune(long)) != 300 {
		t.Errorf("an excerpt of %d characters", len([]rune(long)))
	}
}

// C24: words are found as words, whatever stands between them; against a
// definition that tries every place.
func TestAlignment_FindsTermsAsWholeWords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"drug", "Drug", "drugs", "price", "pre", "-", ", ", " ", "\n"})
		text := strings.Join(rapid.SliceOfN(alphabet, 0, 12).Draw(rt, "text"), "")
		term := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"drug", "price"}), 1, 2).Draw(rt, "term"), " ")
		want := false
		words, sought := wordsOf(text), wordsOf(term)
		for i := range words {
			if i+len(sought) <= len(words) && strings.Join(words[i:i+len(sought)], "|") == strings.Join(sought, "|") {
				want = true
			}
		}
		b := Brief{Ref: ref("b@1"), OutOfScope: []string{term}}
		got, err := Alignment(b, []Subject{{Ref: ref("m@1"), Briefs: []brenner.Ref{b.Ref}, Paragraphs: []Paragraph{{"p", text}}}}, Options{})
		certain := len(got.Findings) == 1 && got.Findings[0].Sure == Certain // other forms of the words are only likely
		if err != nil || certain != want {
			rt.Fatalf("%q in %q: %v, want %v", term, text, got.Findings, want)
		}
	})
}

func FuzzParseBrief(f *testing.F) {
	f.Add([]byte(scaling), "a paragraph\n\nand another")
	f.Fuzz(func(t *testing.T, content []byte, body string) {
		b, err := ParseBrief(ref("b@1"), content)
		if err != nil {
			return
		}
		r, err := Alignment(b, []Subject{{Ref: ref("m@1"), Summary: body, Paragraphs: Paragraphs(text(body))}}, Options{})
		if err != nil || len(r.Findings) == 0 {
			t.Fatalf("%v, %d findings: an artifact without links has at least one", err, len(r.Findings))
		}
	})
}
