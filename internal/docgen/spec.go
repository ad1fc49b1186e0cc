package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// rule is one numbered rule of docs/spec.md.
type rule struct {
	number  string // such as D7
	opening string // its first words, to be recognised by
}

var ruleLine = regexp.MustCompile(`(?m)^- ([DRPSBCJXWNA][1-9][0-9]*) (.*)$`)

// readRules lists the rules in the order of the specification. A number used
// twice, a gap in the numbers, or no rule at all is an error: the table made
// from them would be wrong.
func readRules(root string) ([]rule, error) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "spec.md"))
	if err != nil {
		return nil, err
	}
	var rules []rule
	last := map[string]int{}
	for _, m := range ruleLine.FindAllStringSubmatch(string(text), -1) {
		letter := m[1][:1]
		n, err := strconv.Atoi(m[1][1:])
		if err != nil || n != last[letter]+1 {
			return nil, fmt.Errorf("docs/spec.md: rule %s follows %s%d", m[1], letter, last[letter])
		}
		last[letter] = n
		rules = append(rules, rule{m[1], opening(m[2])})
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("docs/spec.md: no rules found")
	}
	return rules, nil
}

// opening cuts a rule after its first sentence, or between words when that is
// long, and never inside a code span.
func opening(text string) string {
	const most = 90
	if i := strings.Index(text, ". "); i > 0 && i <= most {
		return text[:i]
	}
	if len(text) <= most {
		return strings.TrimSuffix(text, ".")
	}
	cut := strings.LastIndexByte(text[:most], ' ')
	if tick := strings.LastIndexByte(text[:cut], '`'); strings.Count(text[:cut], "`")%2 == 1 {
		cut = tick
	}
	return strings.TrimRight(text[:cut], " ,;:(") + " …"
}

// expand turns "D1-D3 J2" into D1, D2, D3, J2.
func expand(list string) ([]string, error) {
	var numbers []string
	for _, part := range strings.Fields(list) {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			numbers = append(numbers, part)
			continue
		}
		first, err1 := strconv.Atoi(from[1:])
		last, err2 := strconv.Atoi(strings.TrimPrefix(to, from[:1]))
		if err1 != nil || err2 != nil || last < first {
			return nil, fmt.Errorf("%q is not a range of rules", part)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, from[:1]+strconv.Itoa(n))
		}
	}
	return numbers, nil
}
