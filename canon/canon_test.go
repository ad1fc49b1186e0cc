package canon_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
)

func TestTransform_FollowsRFC8785(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":[1.0,1e2,-0.0,"\u00e9"]}`:              `{"a":[1,100,0,"é"],"b":1}`,
		`{"\u20ac":"e","\r":"c","1":"1","\ud83d\ude02":1}`: "{\"\\r\":\"c\",\"1\":\"1\",\"€\":\"e\",\"😂\":1}",
		` 333333333.33333329 `:                             `333333333.3333333`,
		`"<&>"`:                                            `"<&>"`,
	} {
		got, err := canon.Transform([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("Transform(%s) = %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestCheck_RefusesWhatHashesCannotMean(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for name, c := range map[string]struct {
		in      string
		code    brenner.Code
		pointer string
	}{
		"duplicate key": {`{"a":{"b":1,"b":2}}`, brenner.CodeInvalidJSON, "/a/b"},
		"invalid utf-8": {"{\"a\":\"\xff\"}", brenner.CodeInvalidJSON, "/a"},
		"nul":           {`{"a":["x\u0000y"]}`, brenner.CodeInvalidText, "/a/0"},
		"deep":          {deep, brenner.CodeLimitExceeded, strings.Repeat("/0", 64)},
		"trailing":      {`{} {}`, brenner.CodeInvalidJSON, ""},
		"cut":           {`{"a":`, brenner.CodeInvalidJSON, "/a"},
		"empty":         {``, brenner.CodeInvalidJSON, ""},
	} {
		err := canon.Check([]byte(c.in))
		if brenner.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
			continue
		}
		if p := err.(*brenner.Error).Pointer; p != c.pointer {
			t.Errorf("%s: pointer %q, want %q", name, p, c.pointer)
		}
	}
	if err := canon.Check([]byte(` [1, {"a": null}] `)); err != nil {
		t.Errorf("good JSON refused: %v", err)
	}
}

func TestUnmarshal_IsStrict(t *testing.T) {
	var v struct {
		Name string `json:"name"`
	}
	for in, pointer := range map[string]string{`{"Name":"x"}`: "/Name", `{"name":1}`: "/name", `{"nick":"x"}`: "/nick"} {
		err := canon.Unmarshal([]byte(in), &v)
		if brenner.CodeOf(err) != brenner.CodeInvalidJSON || err.(*brenner.Error).Pointer != pointer {
			t.Errorf("Unmarshal(%s): %v", in, err)
		}
	}
}

// X10: checking a long text takes no copy of it.
func TestCheck_CopiesNothing(t *testing.T) {
	raw := []byte(`{"text":"` + strings.Repeat(`a line\n`, 200_000) + `"}`)
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	err := canon.Check(raw)
	runtime.ReadMemStats(&is)
	if copied := is.TotalAlloc - was.TotalAlloc; err != nil || copied > uint64(len(raw)/10) {
		t.Errorf("%d bytes for %d, %v", copied, len(raw), err)
	}
}

// A text has the same canonical form by itself as in anything else.
func TestMarshal_ATextIsAlwaysWrittenAlike(t *testing.T) {
	for _, s := range []string{"", "plain", "\x00\x01\b\t\n\v\f\r\x1f\"\\/<&>\x7f", "é€😂\u2028\u2029\ufeff\ufffd", strings.Repeat("a line\n", 1000), "\xff", "a\xed\xa0\x80b"} {
		alone, err := canon.Marshal(s)
		inside, wrong := canon.Marshal([]string{s})
		if (err == nil) != (wrong == nil) || brenner.CodeOf(err) != brenner.CodeOf(wrong) || err == nil && "["+string(alone)+"]" != string(inside) {
			t.Errorf("%q: %s, %v; in a list %s, %v", s, alone, err, inside, wrong)
		}
	}
}

func TestUnmarshal_SaysHowItIsWritten(t *testing.T) {
	type place struct {
		File  string         `json:"file"`
		Lines []int          `json:"lines,omitzero"`
		Sure  bool           `json:"sure"`
		More  map[string]any `json:"more"`
		Fifth int            `json:"fifth"`
	}
	var v struct {
		At     *place            `json:"at"`
		Places []place           `json:"places"`
		Names  map[string]string `json:"names"`
		Since  time.Time         `json:"since"`
		Count  uint8             `json:"count"`
		Kind   string            `json:"kind"`
		On     bool              `json:"on"`
	}
	for raw, want := range map[string]string{
		`{"at":"x"}`:        `/at: a string where an object was expected; it is written as {"file": "…", "lines": [1], "sure": true, "more": {"…": …}, …}`,
		`{"places":{}}`:     `/places: an object where a list was expected; it is written as [{…}]`,
		`{"places":[3]}`:    `/places/0: a number where an object was expected; it is written as {"file": "…", "lines": [1], "sure": true, "more": {"…": …}, …}`,
		`{"names":["a"]}`:   `/names: a list where an object was expected; it is written as {"…": "…"}`,
		`{"since":7}`:       `/since: a number where an instant was expected; it is written as "2026-03-14T15:09:26Z"`,
		`{"count":"three"}`: `/count: a string where a number was expected; `,
		`{"kind":true}`:     `/kind: true or false where a string was expected; it is written as "…"`,
		`{"on":"yes"}`:      `/on: a string where true or false was expected; `,
	} {
		var e *brenner.Error
		if err := canon.Unmarshal([]byte(raw), &v); !errors.As(err, &e) || e.Pointer+": "+e.Message+"; "+e.Hint != want {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}
