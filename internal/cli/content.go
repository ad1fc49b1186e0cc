package cli

import (
	"brenner/artifact"

	"github.com/go-json-experiment/json"
)

// contentText is the content of a version as a person or a file has it: text
// as it is, JSON indented.
func contentText(v artifact.Version) string {
	if v.Content == nil {
		return ""
	}
	if v.Format == artifact.Text {
		var s string
		if json.Unmarshal(v.Content, &s) == nil {
			return s
		}
	}
	pretty := v.Content.Clone()
	if pretty.Indent() != nil {
		return string(v.Content)
	}
	return string(pretty) + "\n"
}
