package artifact

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/internal/jsonschema"
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
	doc, err := jsonschema.Decode(c.Data)
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
			if of := a.Items(); of != nil {
				items = append(items, of)
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
		for name, of := range a.Properties() { // order-free: each has a place of its own
			known[name] = append(known[name], of)
		}
		open = open || a.NamesAreValues()
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
func unfolded(list []*jsonschema.Schema) (out []*jsonschema.Schema) {
	for _, s := range list {
		for _, about := range s.About() {
			if !slices.Contains(out, about) {
				out = append(out, about)
			}
		}
	}
	return out
}
