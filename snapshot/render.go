package snapshot

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"brenner"
	"brenner/internal/lazy"
)

// Markdown writes the snapshot for people and for files. Text of artifacts is
// kept to one line and escaped, so that it cannot pass for structure.
func (s Snapshot) Markdown() string {
	w := &writer{}
	w.line("# %s", w.text(s.Project))
	w.line("")
	w.line("State of %s, journal position %d.", s.At.UTC().Format(time.RFC3339), s.Position)
	w.section("Question and scope")
	if s.Brief == nil {
		w.line("%s", noBrief)
	} else {
		w.line("%s (%s)", w.text(s.Brief.Question), s.Brief.Ref)
		w.list("Goals", s.Brief.Goals)
		w.list("In scope", s.Brief.InScope)
		w.list("Out of scope", s.Brief.OutOfScope)
		w.list("Constraints", s.Brief.Constraints)
	}
	if s.Summary != nil {
		w.section("Summary")
		w.entry(*s.Summary)
	}
	w.section("What each module knows")
	w.entries(s.Memos)
	w.none(len(s.Memos), noMemos)
	w.section("Hypotheses and models")
	w.statements(s.Hypotheses)
	w.entries(s.Models)
	w.none(len(s.Hypotheses)+len(s.Models), noHypotheses)
	w.section("Evidence")
	w.entries(s.Evidence)
	w.none(len(s.Evidence), noEvidence)
	w.section("Open questions")
	w.statements(s.Open)
	w.none(len(s.Open), noQuestions)
	w.section("Not settled")
	for _, m := range s.Missing {
		w.line("- missing: %s", m.Message)
	}
	for _, f := range s.Forks {
		w.line("- fork: %s", w.text(forkName(f.Slot, f.Artifact)+": "+headNames(f.Heads)))
	}
	for _, x := range s.Stale {
		w.line("- stale: %s", pathText(x.Path))
	}
	for _, f := range s.Findings {
		w.line("- a check found: %s", w.text(findingText(f)))
	}
	w.none(len(s.Missing)+len(s.Forks)+len(s.Stale)+len(s.Findings), noTrouble)
	return w.String()
}

// findingText is what was found, and how much more was.
func findingText(f Finding) string {
	text := fmt.Sprintf("%s: %s", f.Ref, f.Text)
	if f.Count > 1 {
		text += fmt.Sprintf(", and %d more", f.Count-1)
	}
	return text
}

// What an empty section says: that there is nothing, and what would put
// something there.
const (
	noBrief      = "No brief is canonical. Write a project_brief and promote it."
	noMemos      = "None yet. An integrated_memo appears here once it is canonical."
	noHypotheses = "None yet. A session's hypotheses and a model_spec appear here once they are canonical."
	noEvidence   = "None yet. An analysis_result or a paper_note appears here once it is canonical."
	noQuestions  = "None yet. Critiques, unchecked assumptions and what a session leaves open appear here once they are canonical."
	noTrouble    = "Nothing."
)

// none says that a section is empty, if it is.
func (w *writer) none(entries int, text string) {
	if entries == 0 {
		w.line("%s", text)
	}
}

// writer writes Markdown whose structure only it decides.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) section(title string) { w.line("\n## %s\n", title) }

// text makes a text inert: one line, no markup.
func (w *writer) text(s string) string {
	var b strings.Builder
	for _, c := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func (w *writer) list(title string, items []string) {
	for i, item := range items {
		if i == 0 {
			w.line("\n%s:\n", title)
		}
		w.line("- %s", w.text(item))
	}
}

func (w *writer) entry(e Entry) {
	stale := ""
	if e.Stale {
		stale = ", needs update"
	}
	w.line("- %s (%s, %s%s)", w.text(e.Summary), e.Ref, e.Module, stale)
}

func (w *writer) entries(list []Entry) {
	for _, e := range list {
		w.entry(e)
	}
}

func (w *writer) statements(list []Statement) {
	for _, s := range list {
		note := ""
		if s.Note != "" {
			note = ": " + w.text(s.Note)
		}
		w.line("- %s (%s%s)%s", w.text(s.Text), s.Kind, idIn(s), note)
	}
}

func idIn(s Statement) string {
	if s.ID == "" {
		return ", " + s.From.String()
	}
	return " " + s.ID + " of " + s.From.String()
}

func forkName(slot string, id brenner.ArtifactID) string {
	if slot != "" {
		return slot
	}
	return string(id)
}

//go:embed snapshot.html
var page string

var htmlPage = lazy.Value(func() *template.Template {
	return template.Must(template.New("snapshot").Funcs(template.FuncMap{
		"instant": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"path":    pathText,
		"heads":   headNames,
		"idIn":    idIn,
		"finding": findingText,
		"none": func(section string) string {
			return map[string]string{
				"brief": noBrief, "memos": noMemos, "hypotheses": noHypotheses, "evidence": noEvidence, "questions": noQuestions, "trouble": noTrouble,
			}[section]
		},
	}).Parse(page))
})

// HTML writes the snapshot as one page that needs nothing else: no script, no
// network.
func (s Snapshot) HTML() (string, error) {
	var b bytes.Buffer
	err := htmlPage().Execute(&b, s)
	return b.String(), err
}
