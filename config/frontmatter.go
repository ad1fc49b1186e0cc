package config

import (
	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// YAML reads YAML that people write elsewhere than in a configuration, such as
// the front matter of a file, with the same strictness and bounds, and gives it
// as JSON. Empty text is an empty object; keys may still be duplicated, which
// package canon refuses. It reports INVALID_CONFIG, INVALID_TEXT or
// LIMIT_EXCEEDED, with file, line and column.
func YAML(name string, src []byte) (jsontext.Value, error) {
	in := source{name: name, text: src}
	if len(src) > brenner.MaxConfigBytes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "%s is larger than %d bytes", name, brenner.MaxConfigBytes)
	}
	if err := in.checkText(); err != nil {
		return nil, err
	}
	doc, err := in.yaml()
	return doc.json, err
}
