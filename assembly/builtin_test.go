package assembly

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// C10, C36: what each role is shown at first, how much of each type and in which
// form, is decided and written down; who changes it changes the file beside.
func TestBuiltin_IsWhatIsWrittenDown(t *testing.T) {
	views := Builtin()
	if !slices.IsSortedFunc(views, func(a, b View) int { return strings.Compare(string(a.Role), string(b.Role)) }) {
		t.Error("the views are not in the order of their roles")
	}
	text := jsontext.Value(canon.MustMarshal(views))
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	golden(t, "builtin.json", string(text)+"\n")
}

// A name is shown as it is if it is made of what names are made of, up to the
// last letter and digit, and otherwise as data.
func TestPlain_KeepsNamesAndQuotesTheRest(t *testing.T) {
	for name, want := range map[string]string{
		"azAZ09._-@": "azAZ09._-@",
		"":           `""`,
		"a b":        `"a b"`,
		"a`":         "\"a`\"",
		"[":          `"["`,
		"a/b":        `"a/b"`,
		"a:b":        `"a:b"`,
		"é":          `"é"`,
		"{":          `"{"`,
	} {
		if got := plain(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}

// C36: what stands at a bound of a view is taken, what is one beyond is not, and
// a type that is none is answered with those there are.
func TestParse_TakesWhatStandsAtItsBounds(t *testing.T) {
	const types = `"types":[{"type":"critique"}]`
	for raw, pointer := range map[string]string{
		`{"types":[{"type":"critique","max":500}]}`:       "",
		`{"bullets":{"max":0},` + types + `}`:             "",
		`{"bullets":{"max":500},` + types + `}`:           "",
		`{"bullets":{"max":501},` + types + `}`:           "/bullets/max",
		`{"bullets":{"floor":1},` + types + `}`:           "",
		`{"bullets":{"floor":-1},` + types + `}`:          "",
		`{"bullets":{"floor":1.5},` + types + `}`:         "/bullets/floor",
		`{"bullets":{"floor":-1.5},` + types + `}`:        "/bullets/floor",
		`{"budget":{"size":10000000},` + types + `}`:      "",
		`{"budget":{"reserve":0},` + types + `}`:          "",
		`{"weights":{"semantic":1000},` + types + `}`:     "",
		`{"weights":{"tags":0},` + types + `}`:            "",
		`{"bullets":{"stages":["SHADOW"]},` + types + `}`: "",
	} {
		_, err := Parse("writer", []byte(raw), artifact.Builtin())
		var e *brenner.Error
		if errors.As(err, &e); pointerOf(e) != pointer || (err == nil) != (pointer == "") {
			t.Errorf("%s: %v, want %q", raw, err, pointer)
		}
	}
	_, err := Parse("writer", []byte(`{"types":[{"type":"dream"}]}`), artifact.Builtin())
	var e *brenner.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "critique") || strings.Contains(e.Hint, "raw_log") {
		t.Errorf("the types there are: %v", err)
	}
}
