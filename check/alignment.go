package check

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/claim"
)

// Subject is an artifact to be held to the brief.
type Subject struct {
	Ref        brenner.Ref
	Summary    string
	Paragraphs []Paragraph
	// Briefs are the versions of the project's brief that links of the artifact
	// lead to, over any number of steps.
	Briefs []brenner.Ref
}

// ScopeThreshold is the cosine from which a paragraph counts as being about an
// item that is out of scope. With the built-in embedder, paragraphs on another
// subject stay below 0.45 and rewordings of an item lie between 0.5 and 0.8;
// another embedder may need its own.
const ScopeThreshold = 0.5

// ScopeMargin is by how much a paragraph must be nearer to what is out of scope
// than to anything wanted, if only its meaning speaks for it; SharedWords is the
// share of the telling words of an item from which a paragraph speaks of it.
const (
	ScopeMargin = 0.05
	SharedWords = 0.5
)

// Options say how meaning is compared.
type Options struct {
	// Embed makes vectors; nil compares words only.
	Embed Embedder
	// Words compares single words, so that more are known for the same; nil
	// knows the lists of package claim.
	Words claim.Lexicon
	// Threshold is ScopeThreshold if it is 0.
	Threshold float64
	// Said reports a finding that was said before, which takes no place from those
	// that are listed of one artifact: the next ones have their turn. nil knows none.
	Said func(Finding) bool
	// Canceled is asked now and then, and ends the work with its error; nil never does.
	Canceled func() error
}

// quota keeps what is listed of one artifact to so many new findings. Which are new is
// asked only where there are many.
type quota struct {
	said    func(Finding) bool
	first   []Finding
	counted bool // how many are new: there are more than the first
	fresh   int
}

// takes says whether a finding is listed.
func (q *quota) takes(f Finding) bool {
	if len(q.first) < brenner.MaxCheckFindings {
		q.first = append(q.first, f)
		return true
	}
	fresh := func(f Finding) bool { return q.said == nil || !q.said(f) }
	if !q.counted {
		q.counted = true
		for _, f := range q.first {
			if fresh(f) {
				q.fresh++
			}
		}
	}
	if !fresh(f) {
		return true
	}
	if q.fresh >= brenner.MaxCheckFindings {
		return false
	}
	q.fresh++
	return true
}

// Alignment holds artifacts to the brief (C24), in their order. Errors are
// those of Embed.
func Alignment(b Brief, subjects []Subject, o Options) (Report, error) {
	if o.Threshold == 0 {
		o.Threshold = ScopeThreshold
	}
	scope, err := newScope(b, o)
	if err != nil {
		return Report{}, err
	}
	report := Report{Findings: []Finding{}}
	for _, s := range subjects {
		c := aligner{brief: b, subject: s, scope: scope, report: &report, quota: quota{said: o.Said}}
		if err := c.run(); err != nil {
			return Report{}, err
		}
	}
	return report, nil
}

// scope is the brief's scope, ready to be compared with.
type scope struct {
	Options
	terms []string // phrases of what is out of scope
	items []item   // their words
	// vectors of what is out of scope, and of goals and what is in scope
	out, in [][]float32
}

func newScope(b Brief, o Options) (scope, error) {
	s := scope{Options: o}
	wanted := append(append([]string{}, b.Goals...), b.InScope...)
	s.items = newItems(b.OutOfScope, wanted)
	for _, item := range b.OutOfScope {
		s.terms = append(s.terms, phrase(item))
	}
	if o.Embed == nil || len(b.OutOfScope) == 0 {
		return s, nil
	}
	var err error
	if s.out, err = embedAll(o.Embed, b.OutOfScope); err != nil {
		return scope{}, err
	}
	s.in, err = embedAll(o.Embed, wanted)
	return s, err
}

// embedAll makes the vectors of some texts, and asks nothing for none.
func embedAll(embed Embedder, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	vectors, err := embed(texts)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("check: %d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors, err
}

// aligner holds one artifact to the brief.
type aligner struct {
	brief   Brief
	subject Subject
	scope   scope
	report  *Report
	quota   quota
}

func (c *aligner) run() error {
	paragraphs := append([]Paragraph{{Place: "summary", Text: c.subject.Summary}}, c.subject.Paragraphs...)
	c.links()
	c.constraints(paragraphs)
	return c.creep(paragraphs)
}

// add lists a finding, or counts it where there are too many new ones of one artifact.
func (c *aligner) add(f Finding) {
	f.Target = c.subject.Ref
	f.Excerpt = excerpt(f.Excerpt)
	if !c.quota.takes(f) {
		c.report.More++
		return
	}
	c.report.Findings = append(c.report.Findings, f)
}

// links looks whether the artifact rests on the brief in force.
func (c *aligner) links() {
	newest := brenner.Ref{}
	for _, ref := range c.subject.Briefs {
		if ref == c.brief.Ref {
			return
		}
		if newest.Less(ref) {
			newest = ref
		}
	}
	if newest == (brenner.Ref{}) {
		c.add(Finding{
			Code: brenner.CodeUnlinked, Severity: brenner.SeverityWarning,
			Message: "no link of the artifact leads to the brief",
			Hint:    "link it, or what it rests on, to " + c.brief.Ref.String(),
		})
		return
	}
	c.add(Finding{
		Code: brenner.CodeBriefMoved, Severity: brenner.SeverityWarning, Other: &newest,
		Message: fmt.Sprintf("the artifact rests on the brief %s, in force is %s", newest, c.brief.Ref),
		Hint:    "read what changed in the brief, update the artifact and link it to " + c.brief.Ref.String(),
	})
}

// constraints looks for what must, and what must not be said.
func (c *aligner) constraints(paragraphs []Paragraph) {
	texts := make([]string, len(paragraphs))
	for i, p := range paragraphs {
		texts[i] = p.Text
	}
	whole := strings.Join(texts, "\n\n")
	for _, rule := range c.brief.Constraints {
		for _, must := range rule.Must {
			if _, found := must.find(whole); !found {
				c.add(Finding{
					Code: brenner.CodeConstraintViolated, Severity: brenner.SeverityError,
					Message: fmt.Sprintf("nothing matches %s, which the brief demands: %s", must, excerpt(rule.Text)),
					Hint:    "say it, or change the constraint in the brief",
				})
			}
		}
		for _, never := range rule.MustNot {
			for _, p := range paragraphs {
				if match, found := never.find(p.Text); found {
					c.add(Finding{
						Code: brenner.CodeConstraintViolated, Severity: brenner.SeverityError, Place: p.Place, Excerpt: p.Text,
						Message: fmt.Sprintf("%q matches %s, which the brief forbids: %s", excerpt(match), never, excerpt(rule.Text)),
						Hint:    "take it out, or change the constraint in the brief",
					})
				}
			}
		}
	}
}

// creep looks for paragraphs about what is out of scope: by its phrase, by most
// of its telling words, else by its meaning.
func (c *aligner) creep(paragraphs []Paragraph) error {
	var unsaid []Paragraph
	for _, p := range paragraphs {
		if i, found := c.named(p); found {
			c.add(Finding{
				Code: brenner.CodeScopeCreep, Severity: brenner.SeverityWarning, Place: p.Place, Excerpt: p.Text, Sure: Certain,
				Message: fmt.Sprintf("the paragraph speaks of %q, which is out of scope", excerpt(c.brief.OutOfScope[i])),
				Hint:    creepHint,
			})
		} else if len(wordsOf(p.Text)) >= fewWords {
			unsaid = append(unsaid, p)
		}
	}
	return c.meant(unsaid)
}

const creepHint = "take it out, or bring the topic into the scope of the brief"

// fewWords is the length below which a paragraph, such as a heading, says too
// little to be compared by meaning.
const fewWords = 4

// named gives the first item out of scope that a paragraph has word for word.
func (c *aligner) named(p Paragraph) (int, bool) {
	text := phrase(p.Text)
	for i, term := range c.scope.terms {
		if strings.TrimSpace(term) != "" && strings.Contains(text, term) {
			return i, true
		}
	}
	return 0, false
}

// meant looks for paragraphs that have most of the telling words of something
// out of scope, or are nearer to it than to any goal or item in scope.
func (c *aligner) meant(paragraphs []Paragraph) error {
	if len(c.scope.items) == 0 {
		return nil
	}
	var vectors [][]float32
	if len(c.scope.out) > 0 {
		read := paragraphs
		if extra := len(read) - brenner.MaxCheckParagraphs; extra > 0 {
			c.report.Unread += extra
			read = read[:brenner.MaxCheckParagraphs]
		}
		texts := make([]string, len(read))
		for i, p := range read {
			texts[i] = p.Text
		}
		var err error
		if vectors, err = embedAll(c.scope.Embed, texts); err != nil {
			return err
		}
	}
	for i, p := range paragraphs {
		if f, found := c.creeps(p, vectorAt(vectors, i)); found {
			f.Code, f.Place, f.Excerpt, f.Hint = brenner.CodeScopeCreep, p.Place, p.Text, creepHint
			c.add(f)
		}
	}
	return nil
}

func vectorAt(vectors [][]float32, i int) []float32 {
	if i < len(vectors) {
		return vectors[i]
	}
	return nil
}

// creeps compares one paragraph with what is out of scope.
func (c *aligner) creeps(p Paragraph, vector []float32) (Finding, bool) {
	said, share := mostSaid(c.scope.items, p.Text)
	near, off := nearest(vector, c.scope.out)
	_, on := nearest(vector, c.scope.in)
	if vector == nil {
		off, on = 0, 0
	}
	switch {
	case share >= SharedWords && off >= on:
		return Finding{
			Severity: brenner.SeverityWarning, Sure: Likely, Similarity: off,
			Message: fmt.Sprintf("the paragraph has most words of %q, which is out of scope", excerpt(c.brief.OutOfScope[said])),
		}, true
	case off >= c.scope.Threshold && off >= on+ScopeMargin:
		return Finding{
			Severity: brenner.SeverityInfo, Sure: Possible, Similarity: off,
			Message: fmt.Sprintf("the paragraph is nearer to %q, which is out of scope, than to any goal", excerpt(c.brief.OutOfScope[near])),
		}, true
	}
	return Finding{}, false
}

// nearest gives the vector most like v and the cosine, rounded to a millionth;
// -1 if there is none.
func nearest(v []float32, vectors [][]float32) (int, float64) {
	best, most := 0, -1.0
	for i, w := range vectors {
		if x := rounded(cosine(v, w)); x > most {
			best, most = i, x
		}
	}
	return best, most
}
