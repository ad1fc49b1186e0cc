package jsonschema

import (
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// How much work a value may take: so many steps, and so many more for each value in it.
const (
	fewSteps     = 1 << 20
	stepsByValue = 32
)

// maxFound is how many violations are told apart; a value with more is not read on.
const maxFound = 10_000

// ErrTooMuch says that a schema asks for more work than a value may take.
var ErrTooMuch = &Error{Message: "to check it takes too many steps"}

// errCircle says that a schema leads back to itself, which only the value shows.
var errCircle = &Error{Message: "its schema refers to itself in a circle"}

// Decode reads a JSON document as Check takes it.
func Decode(raw []byte) (any, error) {
	var v any
	err := json.Unmarshal(raw, &v)
	return v, err
}

// Check says what of a value does not fit, nothing if it fits.
func (s *Schema) Check(value any) ([]Finding, error) {
	c := checker{doc: s.in.doc, steps: fewSteps + stepsByValue*count(value)}
	bad, _ := c.check(s, value, 0)
	if c.failed != nil {
		return nil, c.failed
	}
	return findings(bad), nil
}

// count is how many values a value has in it.
func count(value any) int {
	n := 1
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			n += count(v)
		}
	case map[string]any:
		for _, v := range value { // order-free: a sum
			n += count(v)
		}
	}
	return n
}

// checker checks a value.
type checker struct {
	doc    *document
	steps  int
	failed *Error
	path   []token     // where it is in the value
	scope  []*resource // through which it came there, outermost first
	found  int
}

// token is a member or an item.
type token struct {
	isKey bool
	name  string
	index int
}

func (c *checker) pointer() string {
	var b strings.Builder
	for _, t := range c.path {
		b.WriteByte('/')
		if t.isKey {
			b.WriteString(escape(t.name))
		} else {
			b.WriteString(strconv.Itoa(t.index))
		}
	}
	return b.String()
}

// spend counts work, and says whether there is enough left.
func (c *checker) spend(n int) bool {
	if c.steps -= n; c.steps < 0 && c.failed == nil {
		c.failed = ErrTooMuch
	}
	return c.failed == nil
}

// violation is what does not fit, and why.
type violation struct {
	keyword string
	at      string // JSON pointer
	text    string
	types   []string // that it might be of
	// members are what is missing or not known there.
	members []string
	causes  []*violation
}

func (c *checker) bad(keyword, text string) *violation {
	c.found++
	return &violation{keyword: keyword, at: c.pointer(), text: text}
}

// enough says that a loop that has found something need not go on.
func (c *checker) enough(bad []*violation) bool { return len(bad) > 0 && c.found > maxFound }

// seen is what of a value a schema spoke of. It is nil where nobody asks.
type seen struct {
	names    map[string]bool
	allNames bool
	upTo     int // items before this one
	allItems bool
	items    map[int]bool
}

func (a *seen) add(b *seen) {
	if a == nil || b == nil {
		return
	}
	a.allNames, a.allItems, a.upTo = a.allNames || b.allNames, a.allItems || b.allItems, max(a.upTo, b.upTo)
	maps.Copy(a.names, b.names)
	maps.Copy(a.items, b.items)
}

func (a *seen) member(name string) {
	if a != nil {
		a.names[name] = true
	}
}

// check says what of a value does not fit a schema; how many schemas about the same value
// led here bounds what goes in a circle.
func (c *checker) check(s *Schema, value any, led int) ([]*violation, *seen) {
	if !c.spend(1) {
		return nil, nil
	}
	if led > len(c.doc.reached)+1 {
		c.failed = errCircle
		return nil, nil
	}
	var spoken *seen
	if c.doc.tracks {
		spoken = &seen{names: map[string]bool{}, items: map[int]bool{}}
	}
	switch {
	case s.always:
		return nil, spoken
	case s.never:
		return []*violation{c.bad("false", "is not allowed here")}, nil
	case s.meta:
		if _, err := compile(value); err != nil {
			v := c.bad("$ref", "is no schema: "+err.Message)
			v.at += err.Pointer
			return []*violation{v}, nil
		}
		return nil, spoken
	}
	if len(c.scope) == 0 || c.scope[len(c.scope)-1] != s.in {
		c.scope = append(c.scope, s.in)
		defer func() { c.scope = c.scope[:len(c.scope)-1] }()
	}
	bad := c.plain(s, value)
	bad = append(bad, c.applied(s, value, led, spoken)...)
	switch value := value.(type) {
	case map[string]any:
		bad = append(bad, c.object(s, value, led, spoken)...)
		if len(bad) == 0 && s.unevaluated != nil {
			bad = c.rest(s.unevaluated, value, spoken)
		}
	case []any:
		bad = append(bad, c.array(s, value, spoken)...)
		if len(bad) == 0 && s.unevaluatedIn != nil && !spoken.allItems {
			for i := spoken.upTo; i < len(value) && !c.enough(bad); i++ {
				if !spoken.items[i] {
					bad = append(bad, c.item(s.unevaluatedIn, value, i)...)
				}
			}
			spoken.allItems = true
		}
	}
	if len(bad) > 0 {
		return bad, nil
	}
	return nil, spoken
}

// rest checks the members that nothing else spoke of.
func (c *checker) rest(s *Schema, value map[string]any, spoken *seen) []*violation {
	var bad []*violation
	var unknown []string
	if !spoken.allNames {
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if spoken.names[name] || c.enough(bad) {
				continue
			}
			if s.never {
				unknown = append(unknown, name)
				continue
			}
			bad = append(bad, c.memberOf(s, value, name)...)
		}
	}
	spoken.allNames = true
	if len(unknown) > 0 {
		bad = append(bad, c.unknown("unevaluatedProperties", unknown))
	}
	return bad
}

func (c *checker) unknown(keyword string, names []string) *violation {
	v := c.bad(keyword, "")
	v.members = names
	c.found += len(names)
	return v
}

func (c *checker) memberOf(s *Schema, value map[string]any, name string) []*violation {
	c.path = append(c.path, token{name: name, isKey: true})
	bad, _ := c.check(s, value[name], 0)
	c.path = c.path[:len(c.path)-1]
	return bad
}

func (c *checker) item(s *Schema, value []any, i int) []*violation {
	c.path = append(c.path, token{index: i})
	bad, _ := c.check(s, value[i], 0)
	c.path = c.path[:len(c.path)-1]
	return bad
}

// plain checks what a schema says of a value by itself.
func (c *checker) plain(s *Schema, value any) (bad []*violation) {
	say := func(keyword, text string) { bad = append(bad, c.bad(keyword, text)) }
	if len(s.types) > 0 && !ofType(value, s.types) {
		say("type", wrongType(s.types, typeOf(value)))
		bad[0].types = s.types
	}
	if s.words != nil && c.spend(len(s.enum)-len(s.words)) && !s.enumerates(value) {
		say("enum", "must be one of "+list(s.enum))
	}
	if s.constant != nil && !reflect.DeepEqual(*s.constant, value) {
		say("const", "must be "+written(*s.constant))
	}
	switch value := value.(type) {
	case float64:
		for _, b := range s.bounds {
			if text := b.broken(value); text != "" {
				say(b.keyword, text+", not "+written(value))
			}
		}
		if s.multipleOf != nil && !new(big.Rat).Quo(decimal(value), s.multipleOf).IsInt() {
			say("multipleOf", "must be a multiple of "+s.multipleOf.RatString()+", not "+written(value))
		}
	case string:
		bad = append(bad, c.limits(s, "Length", value, "character")...)
		if s.pattern != nil && !s.pattern.MatchString(value) {
			say("pattern", strconv.Quote(clip(value))+" does not match "+s.pattern.String())
		}
	case []any:
		bad = append(bad, c.limits(s, "Items", value, "item")...)
		if s.unique && c.spend(len(value)) {
			if i, j, twice := repeated(value); twice {
				say("uniqueItems", sameItems(i, j))
			}
		}
	case map[string]any:
		bad = append(bad, c.limits(s, "Properties", value, "member")...)
		bad = append(bad, c.required(s, value)...)
	}
	return bad
}

func (c *checker) required(s *Schema, value map[string]any) (bad []*violation) {
	var missing []string
	for _, name := range s.required {
		if _, there := value[name]; !there {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		bad = append(bad, &violation{keyword: "required", at: c.pointer(), members: missing})
		c.found += len(missing)
	}
	for _, n := range s.needs {
		if _, there := value[n.with]; !there {
			continue
		}
		for _, name := range n.names {
			if _, there := value[name]; !there {
				bad = append(bad, c.bad("dependentRequired", strconv.Quote(clip(name))+" is missing, which "+strconv.Quote(clip(n.with))+" needs"))
			}
		}
	}
	return bad
}

func (s *Schema) enumerates(value any) bool {
	if text, ok := value.(string); ok {
		return s.words[text]
	}
	return slices.ContainsFunc(s.enum, func(v any) bool { return reflect.DeepEqual(v, value) })
}

func (b bound) broken(value float64) string {
	switch {
	case b.keyword == "maximum" && value > b.value:
		return "must be at most " + written(b.value)
	case b.keyword == "minimum" && value < b.value:
		return "must be at least " + written(b.value)
	case b.keyword == "exclusiveMaximum" && value >= b.value:
		return "must be less than " + written(b.value)
	case b.keyword == "exclusiveMinimum" && value <= b.value:
		return "must be more than " + written(b.value)
	}
	return ""
}

// limits checks how many characters, items or members there are.
func (c *checker) limits(s *Schema, of string, value any, what string) (bad []*violation) {
	for _, l := range s.limits {
		if !strings.HasSuffix(l.keyword, of) {
			continue
		}
		n := 0
		switch value := value.(type) {
		case string:
			n = utf8.RuneCountInString(value)
		case []any:
			n = len(value)
		case map[string]any:
			n = len(value)
		}
		most := strings.HasPrefix(l.keyword, "max")
		switch {
		case most && float64(n) > l.value:
			bad = append(bad, c.bad(l.keyword, "must have at most "+counted(l.value, what)+", not "+strconv.Itoa(n)))
		case !most && float64(n) < l.value:
			bad = append(bad, c.bad(l.keyword, tooFew(l.value, what, n)))
		}
	}
	return bad
}

// applied checks what other schemas say of the same value.
func (c *checker) applied(s *Schema, value any, led int, spoken *seen) (bad []*violation) {
	also := func(of *Schema) {
		found, more := c.check(of, value, led+1)
		spoken.add(more)
		bad = append(bad, found...)
	}
	if s.ref != nil {
		also(s.ref)
	}
	if to := s.dynamicRef; to != nil {
		if s.dynamic != "" {
			for _, r := range c.scope {
				if outer := r.dynamic[s.dynamic]; outer != nil {
					to = outer
					break
				}
			}
		}
		also(to)
	}
	for _, of := range s.allOf {
		also(of)
	}
	if len(s.anyOf) > 0 {
		if none, fits := c.branches(s.anyOf, value, led, spoken); len(fits) == 0 {
			bad = append(bad, &violation{keyword: "anyOf", at: c.pointer(), causes: none})
		}
	}
	if len(s.oneOf) > 0 {
		bad = append(bad, c.oneOf(s, value, led, spoken)...)
	}
	if s.not != nil {
		if found, _ := c.check(s.not, value, led+1); len(found) == 0 {
			bad = append(bad, c.bad("not", "fits what it must not fit"))
		}
	}
	if s.condition != nil {
		next := s.or
		if found, more := c.check(s.condition, value, led+1); len(found) == 0 {
			spoken.add(more)
			next = s.then
		}
		if next != nil {
			also(next)
		}
	}
	return bad
}

func (c *checker) oneOf(s *Schema, value any, led int, spoken *seen) []*violation {
	mine := spoken
	if spoken != nil {
		mine = &seen{names: map[string]bool{}, items: map[int]bool{}}
	}
	none, fits := c.branches(s.oneOf, value, led, mine)
	switch len(fits) {
	case 0:
		return []*violation{{keyword: "oneOf", at: c.pointer(), causes: none}}
	case 1:
		spoken.add(mine)
		return nil
	}
	return []*violation{c.bad("oneOf", "fits more than one of the allowed forms, and must fit one")}
}

// branches checks alternatives: what is wrong by each that does not fit, each in a
// violation of its own, and which fit.
func (c *checker) branches(of []*Schema, value any, led int, spoken *seen) (none []*violation, fits []int) {
	for i, s := range of {
		found, more := c.check(s, value, led+1)
		if len(found) == 0 {
			spoken.add(more)
			fits = append(fits, i)
			continue
		}
		none = append(none, &violation{at: c.pointer(), causes: found})
	}
	return none, fits
}

// object checks the members of an object.
func (c *checker) object(s *Schema, value map[string]any, led int, spoken *seen) (bad []*violation) {
	if s.properties != nil || s.patterns != nil || s.additional != nil || s.names != nil {
		var unknown []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if c.enough(bad) || !c.spend(len(s.patterns)) {
				break
			}
			spoke := false
			if of := s.properties[name]; of != nil {
				spoke = true
				bad = append(bad, c.memberOf(of, value, name)...)
			}
			for _, p := range s.patterns {
				if p.pattern.MatchString(name) {
					spoke = true
					bad = append(bad, c.memberOf(p.schema, value, name)...)
				}
			}
			switch {
			case spoke || s.additional == nil:
			case s.additional.never:
				unknown = append(unknown, name)
			default:
				spoke = true
				bad = append(bad, c.memberOf(s.additional, value, name)...)
			}
			if spoke {
				spoken.member(name)
			}
			if s.names != nil {
				if found, _ := c.check(s.names, name, 0); len(found) > 0 {
					bad = append(bad, c.badName(name, found))
				}
			}
		}
		if len(unknown) > 0 {
			bad = append(bad, c.unknown("additionalProperties", unknown))
		}
	}
	for _, d := range s.dependents {
		if _, there := value[d.with]; there {
			found, more := c.check(d.schema, value, led+1)
			spoken.add(more)
			bad = append(bad, found...)
		}
	}
	return bad
}

// badName says what is wrong with the name of a member.
func (c *checker) badName(name string, found []*violation) *violation {
	v := c.bad("propertyNames", "its name "+findings(found)[0].Message)
	v.at += "/" + escape(name)
	return v
}

// array checks the items of an array.
func (c *checker) array(s *Schema, value []any, spoken *seen) (bad []*violation) {
	for i, of := range s.prefixItems {
		if i < len(value) {
			bad = append(bad, c.item(of, value, i)...)
		}
	}
	if spoken != nil {
		spoken.upTo = max(spoken.upTo, min(len(s.prefixItems), len(value)))
	}
	if s.items != nil {
		for i := len(s.prefixItems); i < len(value) && !c.enough(bad); i++ {
			bad = append(bad, c.item(s.items, value, i)...)
		}
		if spoken != nil {
			spoken.allItems = true
		}
	}
	if s.contains == nil {
		return bad
	}
	fits := 0
	for i := range value {
		if len(c.item(s.contains, value, i)) == 0 {
			fits++
			if spoken != nil {
				spoken.items[i] = true
			}
		}
	}
	switch {
	case fits < s.minContains:
		bad = append(bad, c.bad("contains", "must have at least "+counted(float64(s.minContains), "item")+" of a certain form, not "+strconv.Itoa(fits)))
	case s.maxContains >= 0 && fits > s.maxContains:
		bad = append(bad, c.bad("maxContains", "must have at most "+counted(float64(s.maxContains), "item")+" of a certain form, not "+strconv.Itoa(fits)))
	}
	return bad
}

// typeOf is the type of a value.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func ofType(value any, types []string) bool {
	is := typeOf(value)
	if slices.Contains(types, is) {
		return true
	}
	n, number := value.(float64)
	return number && n == math.Trunc(n) && slices.Contains(types, "integer")
}

// repeated finds two items that are the same.
func repeated(items []any) (first, second int, twice bool) {
	at := make(map[string]int, len(items))
	for i, v := range items {
		key := written(v)
		if text, ok := v.(string); ok {
			key = "\"" + text
		}
		if first, twice = at[key]; twice {
			return first, i, true
		}
		at[key] = i
	}
	return 0, 0, false
}
