package snapshot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
	"brenner/lineage"
	"brenner/snapshot"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

func content(typ brenner.TypeName, id brenner.ArtifactID, summary, data string) snapshot.Content {
	return snapshot.Content{
		Entry: snapshot.Entry{
			Ref: brenner.Ref{Artifact: id, Version: 1}, Type: typ, Module: "lineage", Summary: summary,
		},
		Content: artifact.Content{Format: artifact.JSON, Data: []byte(data)},
	}
}

func example(hostile string) snapshot.Snapshot {
	s := snapshot.Snapshot{Project: "Fate " + hostile, At: time.Unix(0, 0), Position: 7}
	s.Add(content("project_brief", "brief", "b", `{"question":"What decides fate?","goals":["tell them apart"],"constraints":["no mice",{"text":"public data"}]}`))
	s.Add(content("integrated_memo", "memo", "lineage mostly "+hostile, `{}`))
	s.Add(content("model_spec", "model", "a clonal model", `{}`))
	s.Add(content("analysis_result", "counts", "nine of ten", `{}`))
	s.Add(content("assumption", "checked", "x", `{"statement":"settled","status":"verified"}`))
	s.Add(content("assumption", "refuted", "x", `{"statement":"settled","status":"falsified"}`))
	s.Add(content("assumption", "open", "x", `{"statement":"markers are stable","status":"unchecked"}`))
	s.Add(content("manuscript_section", "text", "not shown", `{}`))
	s.Forks = []lineage.Fork{{Artifact: "memo", Heads: []lineage.Node{{Ref: brenner.Ref{Artifact: "memo", Version: 2}, Creator: "ada"}}}}
	s.Stale = []snapshot.Stale{{Path: []brenner.Ref{{Artifact: "memo", Version: 1}, {Artifact: "counts", Version: 1}}}}
	s.Findings = []snapshot.Finding{
		{Ref: brenner.Ref{Artifact: "model", Version: 1}, Text: "it speaks of mice " + hostile, Count: 3},
		{Ref: brenner.Ref{Artifact: "counts", Version: 1}, Text: "no unit", Count: 1},
	}
	s.Missing = []lineage.Missing{{Message: "no canonical project_summary"}}
	return s
}

// C32: question and scope, models, evidence, open questions, forks and stale
// items are there; what is settled or not shown is not.
func TestMarkdown_ShowsEveryPart(t *testing.T) {
	got := example("").Markdown()
	for _, want := range []string{
		"What decides fate? (brief@1)", "- tell them apart", "- no mice", "- public data", "lineage mostly",
		"a clonal model (model@1, lineage)", "nine of ten (counts@1", "markers are stable (assumption, open@1): unchecked",
		"- fork: memo: memo@2 by ada", "- stale: memo@1 → counts@1", "- a check found: model@1: it speaks of mice , and 2 more", "- a check found: counts@1: no unit\n", "- missing: no canonical project",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	for _, not := range []string{"settled", "not shown"} {
		if strings.Contains(strings.ReplaceAll(got, "Not settled", ""), not) {
			t.Errorf("shows %q:\n%s", not, got)
		}
	}
	if empty := (snapshot.Snapshot{}).Markdown(); !strings.Contains(empty, "No brief is canonical.") || !strings.Contains(empty, "Nothing.") {
		t.Errorf("an empty project: %s", empty)
	}
}

// C32: of a session its critiques are open questions until they are settled.
func TestSnapshot_NamesCritiquesThatAreNotSettled(t *testing.T) {
	a, err := delta.New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var said []delta.Entry
	for i, payload := range []string{
		`{"name":"Weak","attack":"nobody counted","evidence":"none"}`, `{"name":"Old","attack":"the probes drift","evidence":"none","current_status":"settled: they were calibrated"}`,
	} {
		said = append(said, delta.Entry{Message: "m", Delta: delta.Delta{
			DeltaID: fmt.Sprint("d-", i), Agent: "Red", Operation: delta.Add, Section: delta.AdversarialCritique, Seq: i, Timestamp: "2026-03-14T16:00:00Z", Payload: []byte(payload),
		}})
	}
	data, err := delta.Merge(a, said, delta.Options{}).Artifact.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var s snapshot.Snapshot
	s.Add(content("session_artifact", "RS-1", "why", string(data)))
	if len(s.Open) != 1 || s.Open[0].Kind != "critique" || s.Open[0].Text != "nobody counted" || s.Open[0].Note != "not settled" {
		t.Errorf("open are %+v", s.Open)
	}
}

// C32: a section without entries says so, and what would put one there.
func TestSnapshot_EveryEmptySectionSaysSo(t *testing.T) {
	empty := snapshot.Snapshot{Project: "Fate", At: time.Unix(0, 0)}
	page, err := empty.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"Markdown": empty.Markdown(), "HTML": page} {
		for _, want := range []string{
			"Write a project_brief and promote it.", "An integrated_memo appears here", "a model_spec appear here", "An analysis_result or a paper_note appears",
			"what a session leaves open appear here", "Nothing.",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, "<ul></ul>") {
			t.Errorf("%s has an empty list:\n%s", name, got)
		}
	}
	whole, err := example("").HTML()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"Markdown": example("").Markdown(), "HTML": whole} {
		if strings.Contains(got, "None yet") || strings.Contains(got, "Nothing.") {
			t.Errorf("%s calls a section empty that is not:\n%s", name, got)
		}
	}
}

// C32: no text of an artifact can pass for a heading or a list of ours.
func TestMarkdown_ContentCannotForgeStructure(t *testing.T) {
	shape := func(md string) string {
		var b strings.Builder
		doc := goldmark.DefaultParser().Parse(text.NewReader([]byte(md)))
		_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Type() == ast.TypeBlock {
				b.WriteString(n.Kind().String() + " ")
			}
			if entering && (n.Kind() == ast.KindLink || n.Kind() == ast.KindRawHTML || n.Kind() == ast.KindEmphasis || n.Kind() == ast.KindCodeSpan) {
				b.WriteString("MARKUP ")
			}
			return ast.WalkContinue, nil
		})
		return b.String()
	}
	want := shape(example("x").Markdown())
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(
			rapid.StringOf(rapid.SampledFrom([]rune("#*_`[]()<>!|\\~-+=1.\n\r\t &;:ab"))),
			rapid.SampledFrom([]string{"\n# forged", "\n\n- forged", "<script>alert(1)</script>", "[a](javascript:x)", "```\nx\n```", "&lt;b&gt;", "\u2028# x"}),
		).Draw(t, "text")
		if got := shape(example("x" + hostile).Markdown()); got != want {
			t.Fatalf("%q changed the structure:\n%s\nwant\n%s", hostile, got, want)
		}
	})
}

// C32: the page is well formed, escaped, and loads nothing.
func TestHTML_IsEscapedAndSelfContained(t *testing.T) {
	got, err := example(`<script>alert(1)</script>"'&`).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "src=", "href=", "@import", "url("} {
		if strings.Contains(got, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	d := xml.NewDecoder(strings.NewReader(got))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
