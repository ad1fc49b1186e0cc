package canon_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// asLibrary is what the JSON library makes of a value, by itself.
func asLibrary(v any) ([]byte, error) {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	val := jsontext.Value(raw)
	err = val.Canonicalize()
	return val, err
}

// disordered has members in no order, of every kind.
type disordered struct {
	Z     string                    `json:"z"`
	B     []disordered              `json:"b,omitempty"`
	A     map[string]any            `json:"a,omitzero"`
	Raw   jsontext.Value            `json:"Raw,omitzero"`
	Own   own                       `json:"own"`
	N     int64                     `json:"n"`
	U     uint64                    `json:"u"`
	F     float64                   `json:"f"`
	G     float32                   `json:"g"`
	At    time.Time                 `json:"at"`
	Ref   brenner.Ref               `json:"ref"`
	Byte  []byte                    `json:"Byte"`
	On    bool                      `json:"on"`
	Next  *disordered               `json:"next"`
	Lists map[brenner.Ref][]float64 `json:"lists,omitzero"`
}

// own writes its own JSON.
type own string

func (o own) MarshalJSON() ([]byte, error) { return []byte(o), nil }

// C30, J3: what is hashed is written as RFC 8785 has it, whatever the value is.
func TestMarshal_IsWhatTheLibraryCallsCanonical(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(-100, 100), rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }),
		rapid.Map(rapid.IntRange(-1e9, 1e9), func(n int) float64 { return float64(n) / 1e6 }),
		rapid.Map(rapid.IntRange(-20, 25), func(n int) float64 { return math.Pow10(n) }))
	name := rapid.OneOf(rapid.StringMatching(`[a-c]{0,2}`), rapid.String())
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\\", "\"", "\u2028", "a\nb", "<&>", "\\\"", "\\u0041", "😂", "}", ",\"a\":"}))
	written := rapid.Custom(func(t *rapid.T) string { // JSON as anybody may write it
		n := number.Draw(t, "n")
		return rapid.SampledFrom([]string{
			strconv.FormatFloat(n, 'e', -1, 64), strconv.FormatFloat(n, 'f', -1, 64), strconv.FormatFloat(n, 'f', 8, 64), strconv.FormatFloat(n, 'g', 20, 64),
			"0.10", "1.0", "-0", "-0.0", "0.0000010", "0.0000001", "1e2", "9007199254740993", "100000000000000000000000", "123456789012345678",
			`{"b" : 1, "a": [ 1.50 , true,false, null]}`, `"\u0041\/\u00e9"`, `{"\u20ac":1,"z":{"b":-0,"a":""},"\ud83d\ude02":2}`, `[]`, `{}`, "null",
			`{"a":1,"a":2}`, `[1,`,
		}).Draw(t, "written")
	})
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		simple := []*rapid.Generator[any]{
			rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false), number.AsAny(), text.AsAny(), rapid.Int64().AsAny(), rapid.Uint64().AsAny(),
			rapid.Map(written, func(s string) any { return jsontext.Value(s) }), rapid.Map(written, func(s string) any { return own(s) }),
		}
		if depth == 0 {
			return rapid.OneOf(simple...)
		}
		inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
		return rapid.OneOf(append(simple, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(name, inner, 0, 5).AsAny(),
			rapid.Custom(func(t *rapid.T) any {
				d := disordered{
					Z: text.Draw(t, "z"), N: rapid.Int64().Draw(t, "n"), U: rapid.Uint64().Draw(t, "u"), F: number.Draw(t, "f"), G: rapid.Float32Range(-1e20, 1e20).Draw(t, "g"),
					On: rapid.Bool().Draw(t, "on"), Own: own(written.Draw(t, "own")), Raw: jsontext.Value(written.Draw(t, "raw")), Byte: rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "byte"),
					At: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).UTC(), Ref: brenner.Ref{Artifact: "a", Version: 2},
					A: rapid.MapOfN(name, inner, 0, 3).Draw(t, "a"),
				}
				if rapid.Bool().Draw(t, "next") {
					d.Next, d.B = &disordered{Own: "1", At: d.At}, []disordered{{Own: "[]"}, {Own: `""`}}
				}
				return d
			}))...)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "v")
		got, err := canon.Marshal(v)
		want, wrong := asLibrary(v)
		if (err == nil) != (wrong == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%#v:\n%s, %v; want\n%s, %v", v, got, err, want, wrong)
		}
	})
}

// Numbers are canonical, however they are written by who writes his own JSON.
func TestMarshal_NumbersAreThoseOfTheLibrary(t *testing.T) {
	parts := []string{"", "0", "00", "000000", "1", "10", "9", "90", "123456", "12345678", "123456789012345", "999999999999999", "9007199254740993"}
	for _, sign := range []string{"", "-"} {
		for _, whole := range parts {
			for _, broken := range append(parts, "none") {
				for _, exponent := range []string{"", "e0", "E5", "e-7", "e+30"} {
					s := sign + whole + "." + broken + exponent
					if broken == "none" {
						s = sign + whole + exponent
					}
					got, err := canon.Marshal(own(s))
					want, wrong := asLibrary(own(s))
					if (err == nil) != (wrong == nil) || err == nil && !bytes.Equal(got, want) {
						t.Errorf("%s: %s, %v; want %s, %v", s, got, err, want, wrong)
					}
				}
			}
		}
	}
}

// BenchmarkMarshal writes a list as long as that of what a context leaves out.
func BenchmarkMarshal(b *testing.B) {
	type score struct {
		Pinned, Links, Tags, Recency, Lexical, Semantic, Neighbours, Total float64
	}
	type leftOut struct {
		Ref    brenner.Ref `json:"ref"`
		Type   string      `json:"type"`
		Reason string      `json:"reason"`
		Why    string      `json:"why"`
		Rank   int         `json:"rank"`
		Score  *score      `json:"score"`
		By     []string    `json:"by"`
	}
	all := make([]leftOut, 470)
	for i := range all {
		x := float64(i) / 1e4
		all[i] = leftOut{
			Ref: brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprint("note-", i)), Version: 1}, Type: "paper_note", Reason: "max_of_type",
			Why: strings.Repeat("why ", 15), Rank: i + 1, Score: &score{0, 0, x, 0.912345, float64(3*i) / 1e4, 0.5, 0.25, float64(12_345_678+i) / 1e6},
			By: []string{"recency", "full_text"},
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		canon.MustMarshal(all)
	}
}
