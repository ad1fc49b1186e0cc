package artifact

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"brenner"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxMisspelt bounds how many members are doubted, and maxMisspeltBytes the
// content that is looked at.
const (
	maxMisspelt      = 5
	maxMisspeltBytes = brenner.LargeContentBytes
)

// Misspelt warns of members of a valid JSON content that its type does not know
// and that differ by a slip from one that it knows and the content leaves out.
// A member that is merely unknown is nobody's mistake: it is kept, as these are.
func (r *Registry) Misspelt(name brenner.TypeName, c Content) []brenner.Diagnostic {
	t, err := r.Lookup(name)
	if err != nil || c.Format != JSON || len(t.Schema) == 0 || len(c.Data) > maxMisspeltBytes {
		return nil
	}
	schema := r.schemas[name]
	if schema == nil {
		if schema, err = r.builtin(t); err != nil {
			return nil
		}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Data))
	if err != nil {
		return nil
	}
	s := slips{name: name}
	s.look(doc, "", []*jsonschema.Schema{schema.compiled})
	return s.found[:min(len(s.found), maxMisspelt)]
}

// slips is such a search under way.
type slips struct {
	name  brenner.TypeName
	found []brenner.Diagnostic
}

// look goes through a value and the schemas that are about it.
func (s *slips) look(value any, at string, about []*jsonschema.Schema) {
	about = unfolded(about)
	switch value := value.(type) {
	case map[string]any:
		s.members(value, at, about)
	case []any:
		var items []*jsonschema.Schema
		for _, a := range about {
			if a.Items2020 != nil {
				items = append(items, a.Items2020)
			}
		}
		for i, v := range value {
			if len(items) > 0 {
				s.look(v, at+"/"+strconv.Itoa(i), items)
			}
		}
	}
}

func (s *slips) members(value map[string]any, at string, about []*jsonschema.Schema) {
	known := map[string][]*jsonschema.Schema{}
	open := false // names are values there
	for _, a := range about {
		for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
			known[name] = append(known[name], a.Properties[name])
		}
		_, any := a.AdditionalProperties.(*jsonschema.Schema)
		open = open || any || len(a.PatternProperties) > 0
	}
	missing := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool { _, there := value[name]; return there })
	for _, name := range slices.Sorted(maps.Keys(value)) {
		pointer := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if schemas := known[name]; len(schemas) > 0 {
			s.look(value[name], pointer, schemas)
			continue
		}
		if near := brenner.Slip(name, missing); near != "" && !open {
			s.found = append(s.found, brenner.Diagnostic{
				Code: brenner.CodeUnknownField, Severity: brenner.SeverityWarning, Pointer: pointer,
				Message: fmt.Sprintf("%s knows no %q; it is kept, and nothing reads it", s.name, name),
				Hint:    fmt.Sprintf("did you mean %s?", near),
			})
		}
	}
}

// unfolded are schemas with all that they refer to or are made of.
func unfolded(list []*jsonschema.Schema) []*jsonschema.Schema {
	seen := map[*jsonschema.Schema]bool{}
	var out []*jsonschema.Schema
	for len(list) > 0 {
		next := list[0]
		list = list[1:]
		if next == nil || seen[next] {
			continue
		}
		seen[next] = true
		out = append(out, next)
		list = slices.Concat(list, []*jsonschema.Schema{next.Ref, next.If, next.Then, next.Else}, next.AllOf, next.AnyOf, next.OneOf)
	}
	return out
}
