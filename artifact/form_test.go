package artifact_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
)

func TestForm_SaysHowATypeIsWritten(t *testing.T) {
	registry, err := artifact.NewRegistry([]artifact.Type{
		{Name: "plain"}, {Name: "grown", Schema: []byte(`{"type":"object","required":["b","a"],"properties":{"b":{"type":"string"},"a":{"enum":["x","y"]},"c":{"$ref":"#/$defs/d"}},"$defs":{"d":{}}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[brenner.TypeName]string{
		"raw_log":         "text",
		"plain":           "json or text",
		"grown":           "json with a (x|y, needed), b (string, needed), c",
		"analysis_result": "text, or json with result (needed), ",
		"critique":        "json with finding (string, needed), code (string), evidence, recommendation (string), severity (info|warning|error), target",
	} {
		typ, err := registry.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := typ.Form(); got != want && !(strings.HasSuffix(want, ", ") && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s", name, got)
		}
	}
	// X11: whoever is refused is told what to write instead.
	for _, content := range []artifact.Content{
		{Format: artifact.JSON, Data: []byte(`{"attack":"no"}`)}, {Format: artifact.Text, Data: []byte("no")},
	} {
		var refused *brenner.Error
		if err := registry.Validate("critique", content); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "finding (string, needed)") {
			t.Errorf("%s: %v", content.Format, err)
		}
	}
}
