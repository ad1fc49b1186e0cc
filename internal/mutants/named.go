package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// named are the tests that a document says notice when a clause is broken, by
// the clause.
type named map[string][]string

var (
	clauseRow = regexp.MustCompile(`(?m)^\| (\S+\.[a-z]) \|.*\| ([^|]*) \|$`)
	quoted    = regexp.MustCompile("`([^`]+)`")
)

// readNamed reads the table of clauses of a document; none if it is not there.
func readNamed(file string) (named, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	out := named{}
	for _, row := range clauseRow.FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(row[2], "told by") {
			continue // the run names a test itself
		}
		for _, test := range quoted.FindAllStringSubmatch(row[2], -1) {
			out[row[1]] = append(out[row[1]], test[1])
		}
	}
	return out, err
}

// of are the tests that notice a mutant which somebody made to break a clause.
func (n named) of(m mutant) []string {
	if m.operator != operatorHand {
		return nil
	}
	clause, _, _ := strings.Cut(m.in, " ")
	return n[clause]
}

// stories are told by a suite, and played on the quickest store by a test.
const (
	stories   = "api/apitest: "
	storyTest = "TestService_OnMemory"
	storyIn   = "./internal/app"
)

// matchIn gives a pattern that matches those of some tests that a binary has;
// "" if it has none.
func matchIn(x binary, tests []string) string {
	var match []string
	for _, test := range tests {
		if story, ok := strings.CutPrefix(test, stories); ok {
			if x.of == storyIn {
				match = append(match, exactly(storyTest+"/"+strings.ReplaceAll(story, " ", "_")))
			}
			continue
		}
		if dot := strings.LastIndexByte(test, '.'); dot > 0 && "./"+test[:dot] == x.of {
			match = append(match, exactly(test[dot+1:]))
		}
	}
	return strings.Join(match, "|")
}

// passNamed sees that the tests which must kill mutants pass without any.
func (b bench) passNamed(ctx context.Context, all []binary, list []mutant) error {
	var tests []string
	for _, m := range list {
		tests = append(tests, b.named.of(m)...)
	}
	slices.Sort(tests)
	for _, x := range all {
		match := matchIn(x, slices.Compact(tests))
		if match == "" {
			continue
		}
		told, err := b.run(ctx, x, 0, match, bounds{clock: 10 * b.limit})
		if err != nil {
			return err
		}
		if !told.ok {
			return fmt.Errorf("%s fails without a mutant:\n%s", x.of, told.said)
		}
	}
	return nil
}

// tryNamed lets a mutant live that somebody made, and runs the tests that are
// said to notice: that others do is not enough.
func (b bench) tryNamed(ctx context.Context, all []binary, alive int, tests []string) (outcome, string, error) {
	for _, x := range all {
		if match := matchIn(x, tests); match != "" {
			if by, err := b.notices(ctx, x, alive, match, b.limit/10); by != "" || err != nil {
				return killed, by, err
			}
		}
	}
	return survived, "", nil
}
