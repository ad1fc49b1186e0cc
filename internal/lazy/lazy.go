// Package lazy puts work off until somebody needs its result. What a package
// makes when the program starts every command waits for, also one that prints a
// version; tables and patterns that few commands use are made at first use.
package lazy

import (
	"regexp"
	"strings"
	"sync"
)

// Value makes a value when it is first asked for, once.
func Value[T any](make func() T) func() T { return sync.OnceValue(make) }

// Words are a set of words that is made at first use.
type Words struct {
	list string
	once sync.Once
	set  map[string]bool
}

// NewWords takes the words of a list, parted by blanks.
func NewWords(list string) *Words { return &Words{list: list} }

// Has reports whether a word is one of them.
func (w *Words) Has(word string) bool {
	w.once.Do(func() {
		words := strings.Fields(w.list)
		w.set = make(map[string]bool, len(words))
		for _, word := range words {
			w.set[word] = true
		}
	})
	return w.set[word]
}

// Pattern is a regular expression that is compiled at first use.
type Pattern struct {
	expression string
	earlier    *Pattern
	once       sync.Once
	regexp     *regexp.Regexp
}

// latest is the pattern that was made last, and leads to all others, for the test
// that compiles every one.
var latest *Pattern

// NewPattern is called for package-level variables only, where an expression
// that does not compile is found by a test.
func NewPattern(expression string) *Pattern {
	latest = &Pattern{expression: expression, earlier: latest}
	return latest
}

// compiled is the expression, ready to match.
func (p *Pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.regexp = regexp.MustCompile(p.expression) })
	return p.regexp
}

// Expressions lists the expressions of all patterns.
func Expressions() []string {
	var out []string
	for p := latest; p != nil; p = p.earlier {
		out = append(out, p.expression)
	}
	return out
}

// String is the expression.
func (p *Pattern) String() string { return p.expression }

// Regexp is the compiled expression, for the methods that are not below.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compiled() }

// The methods below are those of the compiled expression.

// Match reports whether b has a match.
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// MatchString reports whether s has a match.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString gives the first match.
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringIndex says where the first match is.
func (p *Pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

// FindStringSubmatch gives the first match and its groups.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindAllString gives n matches, all if n is negative.
func (p *Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

// FindAllStringIndex says where n matches are.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch gives n matches and their groups.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString puts something else in the place of every match.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

// ReplaceAllStringFunc puts what a function makes of it in the place of every
// match.
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}
