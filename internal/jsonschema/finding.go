package jsonschema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json"
)

// Finding is what of a value does not fit, where, in words.
type Finding struct {
	Pointer string
	Message string
}

// findings flattens a tree of violations into what its author has to mend, in order of
// their places.
func findings(bad []*violation) []Finding {
	var out []Finding
	for _, v := range bad {
		v.collect(&out)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}

func (v *violation) collect(out *[]Finding) {
	switch {
	case (v.keyword == "anyOf" || v.keyword == "oneOf") && len(v.causes) > 0:
		if meant := v.meant(); meant != nil {
			meant.collect(out)
			return
		}
		*out = append(*out, Finding{v.at, v.noForm()})
	case v.keyword == "required":
		for _, name := range v.members {
			*out = append(*out, Finding{v.at, strconv.Quote(clip(name)) + " is missing"})
		}
	case len(v.members) > 0:
		for _, name := range v.members {
			*out = append(*out, Finding{v.at + "/" + escape(name), strconv.Quote(clip(name)) + " is not a known field"})
		}
	case len(v.causes) > 0:
		for _, cause := range v.causes {
			cause.collect(out)
		}
	default:
		*out = append(*out, Finding{v.at, v.text})
	}
}

// meant picks, among alternatives that all failed, the only one whose outermost type
// fitted: that is the one the author was writing.
func (v *violation) meant() *violation {
	var meant *violation
	for _, branch := range v.causes {
		switch {
		case len(branch.wrongTypes(v.at)) > 0:
		case meant != nil:
			return nil
		default:
			meant = branch
		}
	}
	return meant
}

// wrongTypes gives the types that a failed branch wanted at the place itself, none if its
// type was right.
func (v *violation) wrongTypes(at string) []string {
	if v.keyword == "type" && v.at == at {
		return v.types
	}
	var want []string
	for _, cause := range v.causes {
		want = append(want, cause.wrongTypes(at)...)
	}
	return want
}

// noForm says that a value fits none of several alternatives.
func (v *violation) noForm() string {
	want := v.wrongTypes(v.at)
	if len(want) == 0 {
		return "fits none of the allowed forms"
	}
	slices.Sort(want)
	return "must be " + alternatives(slices.Compact(want))
}

func wrongType(want []string, got string) string {
	return "must be " + alternatives(slices.Sorted(slices.Values(want))) + ", not " + article(got)
}

func alternatives(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = article(t)
	}
	return strings.Join(words, " or ")
}

func article(jsonType string) string {
	switch jsonType {
	case "object", "array", "integer":
		return "an " + jsonType
	case "null":
		return jsonType
	}
	return "a " + jsonType
}

func tooFew(least float64, what string, n int) string {
	switch {
	case least == 1 && what == "character":
		return "must not be empty"
	case least == 1:
		return "must have at least one " + what
	}
	return "must have at least " + counted(least, what) + ", not " + strconv.Itoa(n)
}

func counted(n float64, what string) string {
	if n != 1 {
		what += "s"
	}
	return written(n) + " " + what
}

func sameItems(i, j int) string {
	return "has the same item twice, " + strconv.Itoa(i) + " and " + strconv.Itoa(j)
}

// list is values as they are named in a sentence.
func list(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		if text, ok := v.(string); ok {
			words[i] = text
		} else {
			words[i] = written(v)
		}
	}
	return strings.Join(words, ", ")
}

// written is a value as JSON.
func written(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return typeOf(v) // what was read from JSON can be written
	}
	return string(raw)
}

// clip shortens what is quoted.
func clip(text string) string { return brenner.Clip(text, brenner.MaxQuote) }
