package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// finished lists the rules that the product claims to keep: each must be cited
// by at least one test, or the tests of this package fail. Extend it when an
// area is complete; ranges such as J1-J6 are allowed.
const finished = `D1-D27 R1-R11 P1-P17 S1-S6 B1-B14 C1-C36 J1-J6 J8 X1-X8 X11 X12 W1-W18 N1-N8 A2 A5 A6 A7`

const conformanceIntroduction = `# Conformance

<!-- Made by internal/docgen from docs/spec.md and the comments of the tests. Run make generate; do not edit. -->

Which tests prove which rule of [the specification](spec.md). A test is listed under a rule when its comment cites the
rule's number.

`

// conformance maps each rule to the tests that cite it, sorted.
type conformance struct {
	rules []rule
	tests map[string][]string
}

func readConformance(root string) (conformance, error) {
	rules, err := readRules(root)
	if err != nil {
		return conformance{}, err
	}
	tests, err := readCitations(root)
	if err != nil {
		return conformance{}, err
	}
	return conformance{rules, tests}, nil
}

func renderConformance(root string) ([]byte, error) {
	c, err := readConformance(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(conformanceIntroduction)
	b.WriteString(c.tally())
	b.WriteString("\n| rule | about | tests |\n|---|---|---|\n")
	for _, r := range c.rules {
		tests := "none yet"
		if cited := c.tests[r.number]; len(cited) > 0 {
			tests = "`" + strings.Join(cited, "`<br>`") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.number, cell(r.opening), tests)
	}
	clauses, err := readClauses(root)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, clausesIntroduction, len(clauses), len(clauses)-len(c.untested(clauses)))
	for _, cl := range clauses {
		tests := "told by `make mutants`"
		if cited := c.tests[cl.name]; len(cited) > 0 {
			tests = "`" + strings.Join(cited, "`<br>`") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", cl.name, cell(cl.says), cl.file, tests)
	}
	return b.Bytes(), nil
}

const clausesIntroduction = `
## By clause

The clauses of rules that an easy reading lets slip, each with a change of the code that breaks it
([byhand.txt](../internal/mutants/byhand.txt) has the line): %d clauses, of which %d name the test that notices. ` + "`make mutants`" + ` makes each
change and fails if no test does.

| clause | says | is broken in | test |
|---|---|---|---|
`

// aClause is a part of a rule, and the file in which a change breaks it.
type aClause struct{ name, says, file string }

var clauseTitle = regexp.MustCompile(`^# (\S+\.[a-z]) (.*)$`)

// readClauses reads the titles of the changes that are made by hand.
func readClauses(root string) ([]aClause, error) {
	text, err := os.ReadFile(filepath.Join(root, "internal/mutants/byhand.txt"))
	if err != nil {
		return nil, err
	}
	var out []aClause
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if m := clauseTitle.FindStringSubmatch(line); m != nil && i+1 < len(lines) {
			out = append(out, aClause{m[1], m[2], lines[i+1]})
		} else if strings.HasPrefix(line, "# ") {
			return nil, fmt.Errorf("byhand.txt: %q names no clause", line)
		}
	}
	slices.SortStableFunc(out, func(a, b aClause) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// untested lists the clauses that no test names.
func (c conformance) untested(clauses []aClause) (out []string) {
	for _, cl := range clauses {
		if len(c.tests[cl.name]) == 0 {
			out = append(out, cl.name)
		}
	}
	return out
}

// tally says how many rules have a test, in all and by letter.
func (c conformance) tally() string {
	var letters []string
	have, all := map[string]int{}, map[string]int{}
	total := 0
	for _, r := range c.rules {
		letter := r.number[:1]
		if all[letter] == 0 {
			letters = append(letters, letter)
		}
		all[letter]++
		if len(c.tests[r.number]) > 0 {
			have[letter]++
			total++
		}
	}
	parts := make([]string, len(letters))
	for i, letter := range letters {
		parts[i] = fmt.Sprintf("%s %d/%d", letter, have[letter], all[letter])
	}
	return fmt.Sprintf("%d of %d rules have a test: %s.\n", total, len(c.rules), strings.Join(parts, ", "))
}

// unproved lists the rules of a list (see expand) that no test cites, and is
// an error if the list names a rule that does not exist.
func (c conformance) unproved(list string) ([]string, error) {
	known := map[string]bool{}
	for _, r := range c.rules {
		known[r.number] = true
	}
	claimed, err := expand(list)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, number := range claimed {
		if !known[number] {
			return nil, fmt.Errorf("the list of finished rules names %s, which docs/spec.md does not have", number)
		}
		if len(c.tests[number]) == 0 {
			missing = append(missing, number)
		}
	}
	return missing, nil
}
