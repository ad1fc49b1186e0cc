package playbook

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
)

// Insight is something somebody learned, not yet in the playbook.
type Insight struct {
	Section    Section
	Content    string
	Confidence float64 // 0 to 1
	Tags       []string
	Source     Source
	// Vector is the embedding of the content: given on input, or filled in by
	// the caller before Curate.
	Vector []float32
}

// UnsaidConfidence is that of an insight which does not say: just enough to
// pass the gates without a review.
const UnsaidConfidence = 0.7

// VectorsGiven reports whether the insights of a batch carry vectors of their
// own. Some with and some without is EMBEDDING_MISMATCH: the two could not be
// compared.
func VectorsGiven(insights []Insight) (bool, error) {
	given := 0
	for _, in := range insights {
		if in.Vector != nil {
			given++
		}
	}
	if given == 0 || given == len(insights) {
		return given > 0, nil
	}
	return false, brenner.Errorf(brenner.CodeEmbeddingMismatch, "%d of %d insights carry a vector", given, len(insights)).
		WithHint("give a vector with every insight of a batch, or with none")
}

// CheckInsights reports every fault of a batch at once, each with the pointer
// of its insight: CONTENT_BLANK, UNKNOWN_SECTION, INVALID_VALUE, INVALID_TEXT,
// LIMIT_EXCEEDED. Vectors are not looked at. The error carries the code of the
// first.
func CheckInsights(insights []Insight) error {
	if len(insights) > brenner.MaxInsights {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%d insights in one batch", len(insights)).
			WithHint("send at most " + strconv.Itoa(brenner.MaxInsights) + " at a time")
	}
	var faults []*brenner.Error
	for i, in := range insights {
		for _, err := range in.faults() {
			faults = append(faults, err.At("/"+strconv.Itoa(i)+err.Pointer))
		}
	}
	return together(faults)
}

// together makes one error of several: the first, with all as diagnostics.
func together(faults []*brenner.Error) error {
	if len(faults) == 0 {
		return nil
	}
	first := *faults[0]
	for _, f := range faults {
		first.Diagnostics = append(first.Diagnostics, brenner.Diagnostic{
			Code: f.Code, Severity: brenner.SeverityError, Message: f.Message, Hint: f.Hint, Pointer: f.Pointer,
		})
	}
	return &first
}

func (in Insight) faults() []*brenner.Error {
	var out []*brenner.Error
	add := func(pointer string, err error) {
		var e *brenner.Error
		if errors.As(err, &e) {
			out = append(out, e.At(pointer))
		}
	}
	add("/section", in.Section.Check())
	add("/content", checkContent(in.Content))
	if !(in.Confidence >= 0 && in.Confidence <= 1) {
		add("/confidence", brenner.Errorf(brenner.CodeInvalidValue, "the confidence %v is not between 0 and 1", in.Confidence).
			WithHint("give a number from 0 to 1, or leave it out"))
	}
	add("/tags", checkTags(in.Tags))
	add("/task", checkShort("task", in.Source.Task, brenner.MaxSourceRunes))
	if in.Source.Agent != "" {
		add("/agent", in.Source.Agent.Check())
	}
	return out
}

// checkContent wants at least one word, and text that can be stored.
func checkContent(s string) error {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return brenner.Errorf(brenner.CodeContentBlank, "the lesson has no word in it").
			WithHint("write the lesson as one sentence")
	}
	return checkShort("content", s, brenner.MaxLessonRunes)
}

func checkTags(tags []string) error {
	if len(tags) > brenner.MaxTags {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%d tags on one insight", len(tags)).
			WithHint("keep at most " + strconv.Itoa(brenner.MaxTags))
	}
	for _, t := range tags {
		if strings.TrimSpace(t) == "" {
			return brenner.Errorf(brenner.CodeInvalidValue, "a tag is blank").WithHint("leave it out")
		}
		if err := checkShort("tag", t, brenner.MaxTagRunes); err != nil {
			return err
		}
	}
	return nil
}

func checkShort(what, s string, most int) error {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		return brenner.Errorf(brenner.CodeInvalidText, "the %s is not valid text", what).
			WithHint("convert it to UTF-8 and remove the NUL characters")
	}
	if n := utf8.RuneCountInString(s); n > most {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the %s has %d characters", what, n).
			WithHint("shorten it to " + strconv.Itoa(most))
	}
	return nil
}
