// Package jsonschema checks JSON values against JSON Schema 2020-12. A schema is one
// document that refers to nothing outside itself; what it finds comes in the same order
// every time, with the place of each violation; and its work is bounded, whatever the
// schema. Formats and contents of strings are annotations, as the dialect has it.
//
// It is written here, and held to a library and to the official suite by its tests,
// because every command would wait for what that library makes before main (ADR 0198).
package jsonschema

import (
	"math/big"
	"regexp"
	"slices"
)

// Dialect is what schemas are written in.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is a compiled schema.
type Schema struct {
	// always is the schema true, never is false; meta the dialect itself, which a schema may refer to.
	always, never, meta bool
	in                  *resource

	refs            []reference
	ref, dynamicRef *Schema
	// dynamic is the name by which $dynamicRef looks around, "" if it does not.
	dynamic string

	types         []string
	enum          []any
	words         map[string]bool // those of enum that are text; nil without an enum
	constant      *any
	multipleOf    *big.Rat
	bounds        []bound
	limits        []limit
	pattern       *regexp.Regexp
	unique        bool
	prefixItems   []*Schema
	items         *Schema
	contains      *Schema
	minContains   int
	maxContains   int // -1 if there is none
	required      []string
	needs         []need
	properties    map[string]*Schema
	patterns      []patternSchema
	additional    *Schema
	names         *Schema
	dependents    []dependent
	allOf         []*Schema
	anyOf         []*Schema
	oneOf         []*Schema
	not           *Schema
	condition     *Schema
	then, or      *Schema
	unevaluated   *Schema // members that nothing else spoke of
	unevaluatedIn *Schema // items
}

// bound is what a number must keep to.
type bound struct {
	keyword string
	value   float64
}

// limit is how many characters, items or members there may be.
type limit struct {
	keyword string
	value   float64
}

// need is what else must be there with a member.
type need struct {
	with  string
	names []string
}

type patternSchema struct {
	pattern *regexp.Regexp
	schema  *Schema
}

type dependent struct {
	with   string
	schema *Schema
}

// resource is a document or a part of one with an address of its own ($id).
type resource struct {
	base string
	root *Schema
	// dynamic are the schemas of the resource that $dynamicAnchor names.
	dynamic map[string]*Schema
	doc     *document
}

// About are the schemas that speak of the same value as a schema does: itself, and what
// it refers to or is made of, each once.
func (s *Schema) About() []*Schema {
	seen := map[*Schema]bool{}
	var out []*Schema
	for list := []*Schema{s}; len(list) > 0; {
		next := list[0]
		list = list[1:]
		if next == nil || seen[next] {
			continue
		}
		seen[next] = true
		out = append(out, next)
		list = slices.Concat(list, []*Schema{next.ref, next.condition, next.then, next.or}, next.allOf, next.anyOf, next.oneOf)
	}
	return out
}

// Properties are the schemas of the members that a schema names.
func (s *Schema) Properties() map[string]*Schema { return s.properties }

// Items is the schema of the items of an array, nil if none is said.
func (s *Schema) Items() *Schema { return s.items }

// NamesAreValues says that members may have any name, or any of a pattern, and the schema
// says what they are.
func (s *Schema) NamesAreValues() bool {
	return s.additional != nil && !s.additional.boolean() || len(s.patterns) > 0
}

// boolean says that a schema allows all, or nothing.
func (s *Schema) boolean() bool { return s.always || s.never }
