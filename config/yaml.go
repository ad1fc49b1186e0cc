package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"

	"go.yaml.in/yaml/v4"
	yamllimit "go.yaml.in/yaml/v4/plugin/limit"
)

// yaml reads the file as YAML, without what lets a small file stand for a large
// one or a value be something other than data: anchors, aliases, merge keys,
// tags, keys that are no words and several documents.
//
// The library only says where each value stands and what is written there; what
// a plain value means is decided here, so that a value that two readers of YAML
// take for two things is refused and never guessed.
func (in source) yaml() (document, error) {
	if err := in.checkBreaks(); err != nil {
		return document{}, err
	}
	if err := in.checkDirectives(); err != nil {
		return document{}, err
	}
	// What is nested far deeper than any value may be takes the library time that grows with
	// the square of the depth.
	loader, err := yaml.NewLoader(bytes.NewReader(in.text), yaml.WithPlugin(yamllimit.New(yamllimit.DepthValue(2*brenner.MaxJSONDepth))))
	if err != nil {
		return document{}, in.yamlFault(err)
	}
	var file, second yaml.Node
	empty := document{json: []byte("{}"), places: []place{{1, 1}}}
	if err := loader.Load(&file); errors.Is(err, io.EOF) {
		return empty, nil
	} else if err != nil {
		return document{}, in.yamlFault(err)
	}
	if err := loader.Load(&second); err == nil {
		return document{}, in.refuse(brenner.CodeInvalidConfig, yamlPlace(&second), "a second YAML document; the file may have one").
			WithHint("take out the line with --- before it")
	} else if !errors.Is(err, io.EOF) {
		return document{}, in.yamlFault(err)
	}
	if len(file.Content) == 0 || isBlank(file.Content[0]) {
		return empty, nil
	}
	var doc document
	return doc, in.yamlValue(&doc, file.Content[0], 0)
}

// isBlank says whether nothing is written where the value would stand.
func isBlank(v *yaml.Node) bool {
	return v.Kind == yaml.ScalarNode && v.Style == 0 && nullWords[v.Value]
}

// checkBreaks refuses the characters that end a line for one version of YAML
// and stand in it for the other: behind one, a comment becomes a setting.
func (in source) checkBreaks() error {
	if i := bytes.IndexAny(in.text, "\u0085\u2028\u2029"); i >= 0 {
		t := tracker{text: in.text}
		r, _ := utf8.DecodeRune(in.text[i:])
		return in.refuse(brenner.CodeInvalidConfig, t.at(i), "U+%04X ends a line for some readers of YAML and not for others", r).
			WithHint(fmt.Sprintf(`take it out, or write it as \u%04x in double quotes`, r))
	}
	return nil
}

// directive is a line by which a file says how it is to be read: the prefix of a tag is copied
// to each value that has it, and no value may have one.
var directive = lazy.NewPattern(`(?m)^\x{FEFF}?%(?:TAG|YAML)\b`)

// checkDirectives refuses a file that says how it is to be read.
func (in source) checkDirectives() error {
	if at := directive.Regexp().FindIndex(in.text); at != nil {
		t := tracker{text: in.text}
		return in.refuse(brenner.CodeInvalidConfig, t.at(at[0]), "a directive (%%) is not allowed here").WithHint("take the line out")
	}
	return nil
}

func (in source) yamlValue(doc *document, v *yaml.Node, depth int) error {
	at := yamlPlace(v)
	if depth >= brenner.MaxJSONDepth {
		return in.tooDeep(at)
	}
	if len(doc.places) >= brenner.MaxYAMLValues {
		return in.refuse(brenner.CodeLimitExceeded, at, "more than %d names and values", brenner.MaxYAMLValues).
			WithHint("write a file of this size in JSON")
	}
	if what := refusedMark(v); what != "" {
		return in.refuse(brenner.CodeInvalidConfig, at, "%s is not allowed here", what).
			WithHint("write the value itself; quote it if it is text")
	}
	doc.places = append(doc.places, at)
	switch v.Kind {
	case yaml.MappingNode:
		return in.yamlObject(doc, v.Content, depth)
	case yaml.SequenceNode:
		doc.json = append(doc.json, '[')
		for i, item := range v.Content {
			if i > 0 {
				doc.json = append(doc.json, ',')
			}
			if err := in.yamlValue(doc, item, depth+1); err != nil {
				return err
			}
		}
		doc.json = append(doc.json, ']')
		return nil
	}
	scalar, err := in.yamlScalar(v, at)
	doc.json = append(doc.json, scalar...)
	return err
}

// refusedMark says in words what a value may not carry.
func refusedMark(v *yaml.Node) string {
	switch {
	case v.Kind == yaml.AliasNode:
		return "an alias (*)"
	case v.Anchor != "":
		return "an anchor (&)"
	case v.Style&yaml.TaggedStyle != 0, v.Tag == "!":
		return "a tag (!)"
	}
	return ""
}

func (in source) yamlObject(doc *document, content []*yaml.Node, depth int) error {
	doc.json = append(doc.json, '{')
	for i := 0; i+1 < len(content); i += 2 {
		if i > 0 {
			doc.json = append(doc.json, ',')
		}
		key, at := content[i], yamlPlace(content[i])
		if what := refusedMark(key); what != "" {
			return in.refuse(brenner.CodeInvalidConfig, at, "%s is not allowed here", what).WithHint("write the key itself")
		}
		if key.Kind != yaml.ScalarNode {
			return in.refuse(brenner.CodeInvalidConfig, at, "a list or an object as a key is not allowed here").
				WithHint("write a word before the colon")
		}
		name, err := in.yamlScalar(key, at)
		if err != nil {
			return err
		}
		switch {
		case key.Style == 0 && key.Value == "<<":
			return in.refuse(brenner.CodeInvalidConfig, at, "a merge key (<<) is not allowed here").WithHint("write the members themselves")
		case name[0] != '"':
			return in.refuse(brenner.CodeInvalidConfig, at, "the key %s is not a string", key.Value).WithHint("put the key in quotes")
		}
		doc.places = append(doc.places, at)
		doc.json = append(append(doc.json, name...), ':')
		if err := in.yamlValue(doc, content[i+1], depth+1); err != nil {
			return err
		}
	}
	doc.json = append(doc.json, '}')
	return nil
}

// What a plain value means that is not text: the core schema of YAML 1.2.
var (
	nullWords = map[string]bool{"": true, "~": true, "null": true, "Null": true, "NULL": true}
	boolWords = map[string]string{
		"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false",
	}
	yamlNumber = lazy.NewPattern(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	basedWhole = lazy.NewPattern(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	notFinite  = lazy.NewPattern(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	// doubtful are numbers to YAML 1.1 and text to YAML 1.2: 1_000, 0b11, -0x1F.
	doubtful = lazy.NewPattern(`^[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o[0-7_]+|[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?)$`)
)

// yamlScalar is a value that holds no others, as JSON.
func (in source) yamlScalar(v *yaml.Node, at place) ([]byte, error) {
	s := v.Value
	plain := v.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case !plain:
		return appendQuoted(nil, s), nil
	case nullWords[s]:
		return []byte("null"), nil
	case boolWords[s] != "":
		return []byte(boolWords[s]), nil
	case yamlNumber.MatchString(s):
		return in.yamlNumber(s, at)
	case basedWhole.MatchString(s):
		n, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return nil, in.refuse(brenner.CodeInvalidConfig, at, "the number is too large")
		}
		return strconv.AppendUint(nil, n, 10), nil
	case notFinite.MatchString(s):
		return nil, in.refuse(brenner.CodeInvalidConfig, at, "%s is not a value that is allowed here", s).WithHint("write a number, or put the value in quotes")
	case doubtful.MatchString(s):
		return nil, in.refuse(brenner.CodeInvalidConfig, at, "%s is a number to some and text to others", brenner.Clip(s, 60)).
			WithHint("write the number in plain digits, or put the value in quotes")
	}
	return appendQuoted(nil, s), nil
}

// yamlNumber writes a decimal number as JSON does.
func (in source) yamlNumber(s string, at place) ([]byte, error) {
	if w := strings.TrimLeft(s, "+-"); len(w) > 1 && w[0] == '0' && w[1] >= '0' && w[1] <= '9' {
		return nil, in.refuse(brenner.CodeInvalidConfig, at, "%s starts with a zero: octal to some, decimal to others", brenner.Clip(s, 60)).
			WithHint("drop the zero, or put the value in quotes")
	}
	s = strings.TrimPrefix(s, "+")
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, in.refuse(brenner.CodeInvalidConfig, at, "the number is too large")
	}
	if isNumber(s) {
		return []byte(s), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// yamlFault says what is wrong with the YAML, and where.
func (in source) yamlFault(err error) error {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return in.refuse(brenner.CodeInvalidConfig, place{1, 1}, "not valid YAML").Because(err)
	}
	at := in.within(place{max(e.Mark.Line, 1), max(e.Mark.Column, 1)})
	if strings.Contains(e.Message, "exceeded max depth") {
		return in.tooDeep(at)
	}
	message := e.Message
	if e.ContextMsg != "" {
		message = fmt.Sprintf("%s (%s from %d:%d on)", message, e.ContextMsg, e.ContextMark.Line, e.ContextMark.Column)
	}
	return in.refuse(brenner.CodeInvalidConfig, at, "not valid YAML: %s", message).
		WithHint("indent with blanks, and quote a value that starts with a sign such as *, & or @ or has a colon and a blank in it").Because(err)
}

// within is a place, and the end of the file for one behind it: where something is missing at
// the end, the parser names the line after the last.
func (in source) within(at place) place {
	ends := func(r rune) bool { return r == '\n' || r == '\r' }
	last := 1 + bytes.Count(in.text, []byte("\n")) + bytes.Count(in.text, []byte("\r")) - bytes.Count(in.text, []byte("\r\n"))
	if at.line <= last {
		return at
	}
	return place{last, 1 + utf8.RuneCount(in.text[1+bytes.LastIndexFunc(in.text, ends):])}
}

func yamlPlace(v *yaml.Node) place { return place{max(v.Line, 1), max(v.Column, 1)} }
