package mcpserver

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"brenner"
	"brenner/canon"
	"brenner/internal/schema"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// bind reads arguments strictly. What is wrong says where, what is allowed there
// and, where it can be told, the call as it was meant.
func bind(arguments []byte, in any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	err := canon.Unmarshal(arguments, in)
	if err != nil {
		return misshapen(arguments, reflect.TypeOf(in).Elem(), err)
	}
	if missing := missingFrom(arguments, reflect.TypeOf(in).Elem()); len(missing) > 0 {
		return brenner.Errorf(brenner.CodeInvalidJSON, "the call lacks %s", strings.Join(missing, " and ")).
			WithHint("arguments: " + argumentsOf(reflect.TypeOf(in).Elem())).Try(brenner.Again().Asking(missing...))
	}
	return nil
}

// loose is a text that may be JSON, deltas or an edit, which is taken as well where it stands in the
// place of one: who writes a call need not write JSON within a text within JSON. A content is none
// of these: there a list in the place of a text may be meant otherwise.
type loose string

// UnmarshalJSONFrom takes an object or a list as the text that it is.
func (l *loose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '{', '[':
		raw, err := dec.ReadValue()
		*l = loose(raw)
		return err
	}
	return json.UnmarshalDecode(dec, (*string)(l))
}

// missingFrom names the arguments that a call needs and does not have, all at
// once.
func missingFrom(arguments []byte, t reflect.Type) []string {
	needed := neededBy(t)
	if len(needed) == 0 {
		return nil
	}
	given := map[string]jsontext.Value{}
	if json.Unmarshal(arguments, &given) != nil {
		return nil
	}
	var out []string
	for _, name := range needed {
		if _, ok := given[name]; !ok {
			out = append(out, name)
		}
	}
	return out
}

// needed has the names that neededBy has found.
var needed sync.Map

// neededBy names the arguments that a call cannot do without.
func neededBy(t reflect.Type) []string {
	if found, ok := needed.Load(t); ok {
		return found.([]string)
	}
	var out []string
	for _, f := range schema.Fields(t) {
		if !f.Optional {
			out = append(out, f.Name)
		}
	}
	needed.Store(t, out)
	return out
}

// correction is a call as it was probably meant.
type correction struct {
	Arguments map[string]any `json:"arguments"`
}

// mostCorrected is how large a call may be that is said again corrected.
const mostCorrected = 2000

// misshapen adds to an error of reading what is allowed where it happened, and
// the corrected call.
func misshapen(arguments []byte, t reflect.Type, err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) || e.Code != brenner.CodeInvalidJSON {
		return err
	}
	at := strings.Split(strings.TrimPrefix(e.Pointer, "/"), "/")
	if e.Pointer == "" {
		return e.WithHint("arguments: " + argumentsOf(t))
	}
	around, last := typeAt(t, at[:len(at)-1]), at[len(at)-1]
	want := typeAt(t, at)
	switch {
	case want != nil:
		e = e.WithHint(strings.Join(at, ".") + " is " + wordsOf(want))
	case around != nil && around.Kind() == reflect.Struct:
		where := "arguments: "
		if len(at) > 1 {
			where = strings.Join(at[:len(at)-1], ".") + " has: "
		}
		e = e.WithHint(where + argumentsOf(around))
	}
	var whole any
	if len(arguments) > mostCorrected || json.Unmarshal(arguments, &whole) != nil {
		return e
	}
	mended, ok := mend(whole, at, func(parent map[string]any) bool {
		if want != nil {
			value, ok := asWanted(parent[last], want)
			parent[last] = value
			return ok
		}
		if around == nil || around.Kind() != reflect.Struct {
			return false
		}
		meant := brenner.Nearest(last, fieldNames(around))
		if _, taken := parent[meant]; taken || meant == "" {
			return false
		}
		parent[meant] = parent[last]
		delete(parent, last)
		return true
	}).(map[string]any)
	raw, failed := json.Marshal(mended, json.Deterministic(true))
	if ok && failed == nil && canon.Unmarshal(raw, reflect.New(t).Interface()) == nil {
		return e.WithDetails(correction{mended})
	}
	return e
}

// mend changes the object that holds what a pointer names; nil if it cannot.
func mend(whole any, at []string, change func(parent map[string]any) bool) any {
	here := whole
	for _, step := range at[:len(at)-1] {
		switch v := here.(type) {
		case map[string]any:
			here = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			here = v[i]
		default:
			return nil
		}
	}
	if parent, ok := here.(map[string]any); ok && change(parent) {
		return whole
	}
	return nil
}

// asWanted is a value as an argument of a type takes it, if that is plain.
func asWanted(value any, want reflect.Type) (any, bool) {
	text, isText := value.(string)
	switch {
	case want.Kind() == reflect.Slice && !schema.IsText(want) && value != nil:
		return []any{value}, true
	case want.Kind() == reflect.Bool && isText:
		b, err := strconv.ParseBool(text)
		return b, err == nil
	case want.Kind() == reflect.Int && isText:
		n, err := strconv.Atoi(text)
		return n, err == nil
	case schema.IsText(want) && !isText && value != nil:
		if parts, ok := value.([]any); ok && len(parts) == 1 {
			one, ok := parts[0].(string)
			return one, ok
		}
		return jsonOf(value), true
	case value == nil:
		return value, false
	}
	return value, false
}

// typeAt is the type that arguments have at a pointer, nil where they have
// nothing.
func typeAt(t reflect.Type, at []string) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(at) == 0 {
		return t
	}
	switch {
	case schema.IsText(t):
	case t.Kind() == reflect.Struct:
		fields := schema.Fields(t)
		if i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == at[0] }); i >= 0 {
			return typeAt(fields[i].Type, at[1:])
		}
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		return typeAt(t.Elem(), at[1:])
	}
	return nil
}

// wordsOf says what a value of a type is.
func wordsOf(t reflect.Type) string {
	switch {
	case values()[t] != nil:
		return "one of " + strings.Join(values()[t], ", ")
	case t == reflect.TypeFor[loose]():
		return "a text, or JSON in its place"
	case schema.IsText(t):
		return "a text"
	case t.Kind() == reflect.Slice:
		return "a list; each is " + wordsOf(t.Elem())
	case t.Kind() == reflect.Struct:
		return "an object with " + argumentsOf(t)
	case t.Kind() == reflect.Bool:
		return "true or false"
	}
	return "a number"
}

func fieldNames(t reflect.Type) []string {
	var out []string
	for _, f := range schema.Fields(t) {
		out = append(out, f.Name)
	}
	return out
}

// argumentsOf names what an object has, and which of it is needed.
func argumentsOf(t reflect.Type) string {
	var out []string
	for _, f := range schema.Fields(t) {
		name := f.Name
		if !f.Optional {
			name += " (needed)"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}
