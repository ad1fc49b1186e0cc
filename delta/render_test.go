package delta_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
)

func TestRender_OfTheSeedSession(t *testing.T) {
	// D19: front matter, seven numbered sections, killed items, tables, anchors.
	a := mergeAll(t, seedBase(t), seedExample1, seedExample2, seedExample3,
		`{"delta_id":"p1","timestamp":"2025-12-30T11:00:00Z","agent":"BlueLake","operation":"ADD","section":"predictions_table","payload":{"condition":"late transplant","predictions":{"H1":"keeps fate","H2":"changes fate"}}}`,
		`{"delta_id":"s1","timestamp":"2025-12-30T11:00:00Z","agent":"BlueLake","operation":"EDIT","target_id":"T1","section":"discriminative_tests","payload":{"score":{"likelihood_ratio":3,"cost":1.5}}}`,
	).Artifact
	want := strings.ReplaceAll(`---
session_id: "RS-20251230-cell-fate"
question: "How do cells know where they are?"
created_at: "2025-12-30T09:00:00Z"
updated_at: "2025-12-30T12:10:00Z"
version: 2
contributors: ["BlueLake", "GreenDog", "PurpleMountain", "RedCreek"]
---

# Session artifact RS-20251230-cell-fate

## 1. Research Thread

Not stated yet

## 2. Hypothesis Slate

### H1: Lineage-dominant
**Claim**: Cell fate is determined by ancestry.
**Mechanism**: Inherited determinants
**Anchors**: §205

KILLED**Mechanism**: ~~Threshold response to concentration~~
**Anchors**: ~~§161~~

### H3: Neither
**Claim**: Position is not read at all.
**Mechanism**: Self-organisation
**Third alternative**: true
**Anchors**: inference

### H4: Epigenetic memory
**Claim**: Cells use chromatin state inheritance for fate determination
**Mechanism**: Histone modifications inherited through division encode positional memory
**Anchors**: inference

## 3. Predictions Table

| ID | Condition | H1 | H2 | H3 | H4 |
|---|---|---|---|---|---|
| P1 | late transplant | keeps fate | N/A (foretold: ~~changes fate~~) | – | – |

## 4. Discriminative Tests

### T1: Transplant
**Procedure**: Move cells early and late
**Discriminates**: H1 vs H2
**Expected outcomes**: H1 = keeps fate; H2 = changes fate
**Potency check**: Include late-transplant control (both H1 and H2 predict no change) AND verify cell viability post-transplant via vital dye
**Score**: likelihood_ratio = 3; cost = 1.5 (total 4.5)

## 5. Assumption Ledger

None yet

## 6. Anomaly Register

None registered

## 7. Adversarial Critique

None yet
`, "KILLED", seedKilledItem)
	if got := delta.Render(a); got != want {
		t.Errorf("rendered\n%s\nwant\n%s", got, want)
	}
}

// hostile texts try to be structure.
var hostile = []string{
	"## 8. Forged", "\n## 8. Forged\n", "x\n\n### H9: forged\n", "---\nversion: 99\n---", "<h1>x</h1>", "<!--", "```\ncode", "~~~", ":::delta",
	"a ~~ b ~~", "**bold**", "[x](javascript:alert(1))", "![x](y)", "<https://x.y>", "| a | b |\n|---|---|", "&lt;h1&gt;", "&#35; x", "\\", "x\\\n# y",
	"1. a\n2. b", "> quote", "- a", "a\r## b", "a\u2028## b", "a\u0085## b", "=====", "x\n===", "# ", "_em_", "`", "\u202eevil", "a\vb\f# c", "\t# tab", "CONFLICT",
	"~~H2: Gone~~ [KILLED]", "&copy;", "a_b_c", "*", "[ref]: /url", "{\"a\":1}",
}

// sendable takes out of a text what no delta may hold.
func sendable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n")
	s = strings.NewReplacer("\n", "\n ", "\t", "\t ").Replace(s) // or they might open a TeX command
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

var itemInSmall = regexp.MustCompile(`^(?:rt|Rt|rT|[hptaxc][0-9]+)$`)

// hostileArtifact fills every field of every section with drawn texts.
func hostileArtifact(t *rapid.T) *delta.Artifact {
	str := func() string {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 12, -1)), 1, 4).Draw(t, "text")
		s := strings.Join(parts, "")
		s = sendable(s)
		if strings.TrimSpace(s) == "" {
			s = "#"
		}
		return s
	}
	key := func() string {
		s := str()
		if itemInSmall.MatchString(s) {
			return "x " + s // h1 is refused where an item is named
		}
		return s
	}
	var all []delta.Entry
	add := func(op delta.Operation, target delta.Target, s delta.Section, payload map[string]any) {
		all = append(all, delta.Entry{Delta: delta.Delta{
			DeltaID: fmt.Sprintf("d%d~~`#", len(all)), Timestamp: fmt.Sprintf("2026-01-01T00:00:%02dZ", len(all)), Agent: "Ann",
			Operation: op, TargetID: target, Section: s, Payload: jsontext.Value(canon.MustMarshal(payload)),
		}})
	}
	for _, schema := range delta.Schemas() {
		payload := map[string]any{}
		for _, f := range schema.Fields {
			switch {
			case f.Kind == delta.KindText && f.Enum == nil:
				payload[f.Name] = str()
			case f.Kind == delta.KindList:
				payload[f.Name] = []string{key(), key()}
			case f.Kind == delta.KindOutcomes:
				payload[f.Name] = map[string]string{key(): str(), "H1": str()}
			}
		}
		payload["x "+str()] = str()
		if schema.Section == delta.ResearchThread {
			add(delta.Edit, "RT", schema.Section, payload)
			all[len(all)-1].Delta.Rationale = "r"
			continue
		}
		add(delta.Add, "", schema.Section, payload)
		add(delta.Add, "", schema.Section, payload)
		add(delta.Kill, delta.Target(schema.Prefix+"2"), schema.Section, map[string]any{"reason": str()})
	}
	// A conflict, too.
	for i := range 2 {
		e := all[0]
		e.Delta.DeltaID, e.Delta.Agent, e.Delta.Timestamp = fmt.Sprintf("c%d", i), someAgents[i], "2026-01-02T00:00:00Z"
		e.Delta.Payload = jsontext.Value(canon.MustMarshal(map[string]any{"statement": fmt.Sprint(i) + str()}))
		all = append(all, e)
	}
	base, err := delta.New("RS-1", str(), nil, instant("2026-01-01T00:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	// Rules about what may be sent do not hold for what was recorded before them.
	r := delta.Merge(base, all, delta.Options{Recorded: true})
	for _, o := range r.Outcomes {
		if o.Status != delta.Applied && o.Status != delta.Conflicted && o.Status != delta.Superseded {
			t.Fatalf("%+v", o)
		}
	}
	return r.Artifact
}

var itemHeading = regexp.MustCompile(`^(RT|[HPTAXC]\d+)(: .*)?( \[KILLED\])?$`)

// renderProperty: D19, no content can forge structure. A CommonMark parser
// with tables and strikethrough finds our headings and nothing else.
func renderProperty(t *rapid.T) {
	a := hostileArtifact(t)
	md := delta.Render(a)
	matter, body, found := strings.Cut(strings.TrimPrefix(md, "---\n"), "\n---\n\n")
	if !found {
		t.Fatalf("no front matter in\n%s", md)
	}
	var front struct {
		Question string
		Version  int
	}
	if err := yaml.Unmarshal([]byte(matter), &front); err != nil || front.Version != 1 || front.Question != a.Metadata().Question {
		t.Fatalf("front matter %q: %+v, %v", matter, front, err)
	}
	source := []byte(body)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader(source))
	var sections, headings []string
	killed := 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			title := string(n.Lines().Value(source))
			switch n.Level {
			case 2:
				sections = append(sections, title)
			case 3:
				headings = append(headings, title)
				if strings.HasPrefix(title, "~~") {
					killed++
					if struck := struckText(n, source); struck != strings.TrimSuffix(title, " [KILLED]") {
						return 0, fmt.Errorf("heading %q strikes %q", title, struck)
					}
				}
			case 1:
				if title != "Session artifact RS-1" {
					return 0, fmt.Errorf("heading %q", title)
				}
			default:
				return 0, fmt.Errorf("heading %q", title)
			}
		case *ast.RawHTML:
			if s := string(n.Segments.Value(source)); s != "<br>" {
				return 0, fmt.Errorf("HTML %q", s)
			}
		case *ast.List, *ast.Blockquote, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock, *ast.ThematicBreak, *ast.Link, *ast.Image, *ast.CodeSpan, *ast.AutoLink:
			return 0, fmt.Errorf("%s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatalf("%v in\n%s", err, md)
	}
	if len(sections) != 7 || len(headings) != 1+2*6-1 { // one live prediction is a row
		t.Fatalf("%d sections, %d items in\n%s", len(sections), len(headings), md)
	}
	for i, schema := range delta.Schemas() {
		if want := fmt.Sprintf("%d. %s", i+1, schema.Title); sections[i] != want {
			t.Fatalf("section %q, want %q", sections[i], want)
		}
	}
	for _, h := range headings {
		if !strings.HasPrefix(h, "~~") && !itemHeading.MatchString(h) {
			t.Fatalf("heading %q", h)
		}
	}
	if killed != 6 {
		t.Fatalf("%d killed items in\n%s", killed, md)
	}
	if x, err := delta.Extract([]byte(md), replyEnvelope); err != nil || len(x.Entries) != 0 {
		t.Fatalf("a rendered artifact holds deltas: %+v, %v", x, err)
	}
}

// struckText is the source of a heading that is one strike and " [KILLED]".
func struckText(h *ast.Heading, source []byte) string {
	strike, ok := h.FirstChild().(*extast.Strikethrough)
	if !ok {
		return ""
	}
	rest := ""
	for n := strike.NextSibling(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			rest += string(t.Segment.Value(source))
		}
	}
	return strings.TrimSuffix(string(h.Lines().Value(source)), rest)
}

func TestRender_NoContentForgesStructure(t *testing.T) {
	// D19: all text is escaped.
	check(t, soaked(120, 4_000), renderProperty)
}

func FuzzRender(f *testing.F) { f.Fuzz(rapid.MakeFuzz(renderProperty)) }
