package check

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Brief is what artifacts are held to: the content of a project_brief.
type Brief struct {
	Ref         brenner.Ref
	Goals       []string
	InScope     []string
	OutOfScope  []string
	Constraints []Constraint
}

// Constraint is something every core artifact must respect.
type Constraint struct {
	Text    string
	Must    []Pattern // each must be found somewhere in the artifact
	MustNot []Pattern // none may be found in any paragraph
}

// Pattern finds something in a text: a literal, in any case of letters, or
// /…/, a regular expression (RE2), with a trailing i for any case.
type Pattern struct {
	source  string
	literal string
	regexp  *regexp.Regexp
}

func (p Pattern) String() string { return p.source }

// find gives the first thing in the text that the pattern matches.
func (p Pattern) find(text string) (string, bool) {
	if p.regexp == nil {
		return p.source, strings.Contains(strings.ToLower(text), p.literal)
	}
	at := p.regexp.FindStringIndex(text)
	if at == nil {
		return "", false
	}
	return text[at[0]:at[1]], true
}

// ParsePattern reads a pattern. It reports INVALID_VALUE for a regular
// expression that is none, LIMIT_EXCEEDED for one that is too long.
func ParsePattern(s string) (Pattern, error) {
	if len(s) > brenner.MaxPatternBytes {
		return Pattern{}, brenner.Errorf(brenner.CodeLimitExceeded, "a pattern of %d bytes, more than %d", len(s), brenner.MaxPatternBytes)
	}
	p := Pattern{source: s, literal: strings.ToLower(s)}
	body, ok := strings.CutPrefix(s, "/")
	if !ok {
		return p, nil
	}
	body, fold := strings.CutSuffix(body, "/i")
	body, plain := strings.CutSuffix(body, "/")
	if !fold && !plain || body == "" {
		return p, nil
	}
	flags := "(?s)"
	if fold {
		flags = "(?is)"
	}
	re, err := regexp.Compile(flags + body)
	if err != nil {
		return Pattern{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a regular expression", s).
			Because(err).WithHint("write RE2 between slashes, or drop them to look for the text itself")
	}
	p.regexp = re
	return p, nil
}

// ParseBrief reads the content of a project_brief; what it does not know it
// leaves alone. It reports INVALID_JSON, or what ParsePattern does, with the
// pointer.
func ParseBrief(ref brenner.Ref, content jsontext.Value) (Brief, error) {
	if err := canon.Check(content); err != nil {
		return Brief{}, err
	}
	var raw struct {
		Goals       []string         `json:"goals"`
		InScope     []string         `json:"in_scope"`
		OutOfScope  []string         `json:"out_of_scope"`
		Constraints []jsontext.Value `json:"constraints"`
	}
	if err := json.Unmarshal(content, &raw); err != nil {
		return Brief{}, notABrief("").Because(err)
	}
	b := Brief{Ref: ref, Goals: raw.Goals, InScope: raw.InScope, OutOfScope: raw.OutOfScope}
	for i, value := range raw.Constraints {
		c, err := parseConstraint(value, "/constraints/"+strconv.Itoa(i))
		if err != nil {
			return Brief{}, err
		}
		b.Constraints = append(b.Constraints, c)
	}
	return b, nil
}

func notABrief(pointer string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidJSON, "not the content of a project brief").At(pointer).
		WithHint("the type has its schema").Try(brenner.Do("artifact.types", "name", "project_brief"))
}

// parseConstraint reads a constraint: a sentence, or an object with patterns.
func parseConstraint(value jsontext.Value, pointer string) (Constraint, error) {
	var c Constraint
	if value.Kind() == '"' {
		err := json.Unmarshal(value, &c.Text)
		return c, err
	}
	var raw struct {
		Text    string         `json:"text"`
		Must    jsontext.Value `json:"must"`
		MustNot jsontext.Value `json:"must_not"`
	}
	if err := json.Unmarshal(value, &raw); err != nil {
		return Constraint{}, notABrief(pointer).Because(err)
	}
	c.Text = raw.Text
	var err error
	if c.Must, err = parsePatterns(raw.Must, pointer+"/must"); err != nil {
		return Constraint{}, err
	}
	if c.MustNot, err = parsePatterns(raw.MustNot, pointer+"/must_not"); err != nil {
		return Constraint{}, err
	}
	return c, nil
}

// parsePatterns reads one pattern or a list of them.
func parsePatterns(value jsontext.Value, pointer string) ([]Pattern, error) {
	if len(value) == 0 {
		return nil, nil
	}
	var sources []string
	if value.Kind() == '"' {
		sources = make([]string, 1)
		if err := json.Unmarshal(value, &sources[0]); err != nil {
			return nil, notABrief(pointer).Because(err)
		}
	} else if err := json.Unmarshal(value, &sources); err != nil {
		return nil, notABrief(pointer).Because(err)
	}
	var out []Pattern
	for _, s := range sources {
		p, err := ParsePattern(s)
		if err != nil {
			return nil, at(err, pointer)
		}
		out = append(out, p)
	}
	return out, nil
}

// at says where in the content an error of ours belongs.
func at(err error, pointer string) error {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e.At(pointer)
	}
	return err
}
