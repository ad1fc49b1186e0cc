package jsonschema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// Error says what is wrong with a schema, and where in it.
type Error struct {
	Pointer string
	Message string
}

func (e *Error) Error() string { return e.Message }

// home is the address of a document that has none of its own.
const home = "schema:///"

// maxSchemaDepth bounds how deep a schema may nest, references not counted.
const maxSchemaDepth = 256

// Compile reads a schema: a JSON document in which no member stands twice.
func Compile(raw []byte) (*Schema, error) {
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, err
	}
	s, err := compile(root)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func compile(root any) (*Schema, *Error) {
	d := &document{keywords: keywords(), schemas: map[string]*Schema{}, resources: map[string]*place{}, anchors: map[string]*place{}}
	first := &resource{base: home, dynamic: map[string]*Schema{}, doc: d}
	d.resources[home] = &place{value: root, in: first}
	s, err := d.schema(root, "", first, 0)
	if err != nil {
		return nil, err
	}
	first.root = s
	if err := d.follow(s); err != nil {
		return nil, err
	}
	return s, d.circles()
}

// follow resolves the references of all that a value can come to, and of the resources in which
// that stands. What nothing leads to, such as a definition that nobody uses, may refer to anything.
func (d *document) follow(root *Schema) *Error {
	seen := map[*Schema]bool{}
	reach := func(list ...*Schema) {
		for _, s := range list {
			if s != nil && !seen[s] {
				seen[s] = true
				d.reached = append(d.reached, s)
			}
		}
	}
	reach(root)
	for i := 0; i < len(d.reached); i++ {
		s := d.reached[i]
		for _, r := range s.refs {
			if err := d.refer(s, r); err != nil {
				return err
			}
		}
		reach(s.inPlace()...)
		reach(s.below()...)
		reach(s.dynamicRef, s.in.root)
		for _, name := range slices.Sorted(maps.Keys(s.in.dynamic)) {
			reach(s.in.dynamic[name])
		}
	}
	return nil
}

// document is a schema that is being compiled, and what checking has to know of it.
type document struct {
	keywords map[string]keyword
	schemas  map[string]*Schema // by where they stand
	reached  []*Schema
	// resources by their addresses, anchors by address and name.
	resources map[string]*place
	anchors   map[string]*place
	tracks    bool // something asks what was not spoken of
}

// place is where something stands in a document.
type place struct {
	value   any
	pointer string
	in      *resource // in which it stands
}

// reference is a $ref or $dynamicRef of a schema.
type reference struct {
	to      string
	pointer string // of the keyword
	dynamic bool
}

// schema compiles what stands at a pointer, once.
func (d *document) schema(value any, pointer string, in *resource, depth int) (*Schema, *Error) {
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	if depth > maxSchemaDepth {
		return nil, &Error{pointer, "is nested too deep"}
	}
	s := &Schema{in: in, maxContains: -1, minContains: 1}
	switch value := value.(type) {
	case bool:
		s.always, s.never = value, !value
	case map[string]any:
		if err := d.identify(s, value, pointer); err != nil {
			return nil, err
		}
		d.schemas[pointer] = s
		r := reader{d: d, s: s, pointer: pointer, depth: depth}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if read := d.keywords[name]; read != nil {
				if err := read(&r, name, value[name]); err != nil {
					return nil, err
				}
			}
		}
		return s, nil
	default:
		return nil, misfit(pointer, value, "boolean", "object")
	}
	d.schemas[pointer] = s
	return s, nil
}

// identify reads what gives a schema an address or a name, which its other keywords are
// read by.
func (d *document) identify(s *Schema, value map[string]any, pointer string) *Error {
	if uri, there := value["$schema"]; there && uri != Dialect {
		return &Error{pointer + "/$schema", "it is not JSON Schema 2020-12: leave $schema out or use " + Dialect}
	}
	if id, there := value["$id"]; there && id != "" {
		text, ok := id.(string)
		if !ok {
			return misfit(pointer+"/$id", id, "string")
		}
		at, err := resolve(s.in.base, text)
		if err != nil || at.Fragment != "" || strings.HasSuffix(text, "#") {
			return &Error{pointer + "/$id", strconv.Quote(clip(text)) + " is no address of a schema"}
		}
		s.in = &resource{base: at.String(), root: s, dynamic: map[string]*Schema{}, doc: d}
		if old := d.resources[s.in.base]; old != nil && old.pointer != pointer {
			return &Error{pointer + "/$id", strconv.Quote(clip(text)) + " stands there twice"}
		}
		d.resources[s.in.base] = &place{value, pointer, s.in}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		name, there := value[keyword]
		if !there {
			continue
		}
		text, ok := name.(string)
		if !ok {
			return misfit(pointer+"/"+keyword, name, "string")
		}
		if !anchorName(text) {
			return &Error{pointer + "/" + keyword, strconv.Quote(clip(text)) + " is no name of an anchor"}
		}
		at := s.in.base + "#" + text
		if old := d.anchors[at]; old != nil && old.pointer != pointer {
			return &Error{pointer + "/" + keyword, "the anchor " + strconv.Quote(clip(text)) + " stands there twice"}
		}
		d.anchors[at] = &place{value, pointer, s.in}
		if keyword == "$dynamicAnchor" {
			s.in.dynamic[text] = s
		}
	}
	return nil
}

func anchorName(text string) bool {
	for i, r := range []byte(text) {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '-' && r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return text != ""
}

func resolve(base, ref string) (*url.URL, error) {
	from, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(ref)
	if err != nil {
		return nil, err
	}
	if to.Scheme == "" && to.Host == "" && to.Path == "" && to.RawQuery == "" { // within the resource, whatever its address looks like
		out := *from
		out.Fragment = to.Fragment
		return &out, nil
	}
	return from.ResolveReference(to), nil
}

// refer finds what a reference leads to. All that has an address or a name is known by
// then, but for what stands where no schema is expected.
func (d *document) refer(from *Schema, r reference) *Error {
	to, err := resolve(from.in.base, r.to)
	if err != nil {
		return &Error{r.pointer, strconv.Quote(clip(r.to)) + " is no address"}
	}
	fragment := to.Fragment
	to.Fragment, to.RawFragment = "", ""
	if to.String() == Dialect && fragment == "" {
		from.ref = &Schema{meta: true, in: from.in}
		return nil
	}
	at := d.resources[to.String()]
	if at == nil {
		return &Error{"", "it refers to " + strconv.Quote(clip(to.String())) + ", which is outside it"}
	}
	switch {
	case fragment == "":
	case fragment[0] == '/':
		if at = at.below(fragment); at == nil {
			return &Error{"", "nothing is at " + strconv.Quote(clip(fragment))}
		}
	default:
		if at = d.anchors[to.String()+"#"+fragment]; at == nil {
			return &Error{"", "there is no anchor " + strconv.Quote(clip(fragment))}
		}
	}
	target, bad := d.schema(at.value, at.pointer, at.in, strings.Count(at.pointer, "/"))
	if bad != nil {
		return bad
	}
	if !r.dynamic {
		from.ref = target
		return nil
	}
	from.dynamicRef = target
	if target.in.dynamic[fragment] == target {
		from.dynamic = fragment
	}
	return nil
}

// below follows a JSON pointer down, into resources of their own too.
func (p *place) below(pointer string) *place {
	out := *p
	for token := range strings.SplitSeq(pointer[1:], "/") {
		name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch value := out.value.(type) {
		case map[string]any:
			next, there := value[name]
			if !there {
				return nil
			}
			out.value = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(value) || strconv.Itoa(i) != name {
				return nil
			}
			out.value = value[i]
		default:
			return nil
		}
		out.pointer += "/" + escape(name)
		if s := out.in.doc.schemas[out.pointer]; s != nil {
			out.in = s.in
		}
	}
	return &out
}

// circles refuses a schema that refers to itself without ever coming to a smaller value.
func (d *document) circles() *Error {
	const under, done = 1, 2
	state := map[*Schema]int{}
	var visit func(s *Schema) bool
	visit = func(s *Schema) bool {
		if s == nil || state[s] == done {
			return true
		}
		if state[s] == under {
			return false
		}
		state[s] = under
		for _, next := range s.inPlace() {
			if !visit(next) {
				return false
			}
		}
		state[s] = done
		return true
	}
	for _, s := range d.reached {
		if !visit(s) {
			return &Error{"", "it refers to itself in a circle"}
		}
	}
	return nil
}

// inPlace are the schemas that are about the same value, but for what $dynamicRef leads to,
// which only a value decides.
func (s *Schema) inPlace() []*Schema {
	out := slices.Concat([]*Schema{s.ref, s.not, s.condition}, s.allOf, s.anyOf, s.oneOf)
	if s.condition != nil && !s.condition.never {
		out = append(out, s.then)
	}
	if s.condition != nil && !s.condition.always {
		out = append(out, s.or)
	}
	for _, d := range s.dependents {
		out = append(out, d.schema)
	}
	return out
}

// below are the schemas that are about what is in a value.
func (s *Schema) below() []*Schema {
	out := append([]*Schema{s.items, s.contains, s.additional, s.names, s.unevaluated, s.unevaluatedIn}, s.prefixItems...)
	for _, name := range slices.Sorted(maps.Keys(s.properties)) {
		out = append(out, s.properties[name])
	}
	for _, p := range s.patterns {
		out = append(out, p.schema)
	}
	return out
}
