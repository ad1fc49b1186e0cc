package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// handMade are mutants that somebody wrote: what a rule forbids, done.
type handMade []change

const operatorHand = "by hand"

// change is one of them: in a file a line, or a part of one, becomes another.
type change struct{ rule, file, was, now string }

// readHandMade reads a list of changes, each of four lines: a title after #,
// the file, what stands there after a minus and what is to stand there after a
// plus.
func readHandMade(text string) (handMade, error) {
	var list handMade
	var c change
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "# "):
			c = change{rule: line[2:]}
		case strings.HasPrefix(line, "- "):
			c.was = line[2:]
		case strings.HasPrefix(line, "+"):
			c.now = strings.TrimPrefix(line[1:], " ")
			if c.rule == "" || c.file == "" || c.was == "" {
				return nil, fmt.Errorf("%q has no rule, no file or nothing that it changes", c.now)
			}
			list = append(list, c)
			c = change{rule: c.rule, file: c.file}
		default:
			c.file = line
		}
	}
	return list, nil
}

// of gives the mutants of files that are in the list. What they change must
// stand there once.
func (l handMade) of(texts map[string][]byte) ([]mutant, error) {
	var found []mutant
	for _, c := range l {
		for name, text := range texts {
			if !strings.HasSuffix(filepath.ToSlash(name), "/"+c.file) {
				continue
			}
			if n := bytes.Count(text, []byte(c.was)); n != 1 {
				return nil, fmt.Errorf("%s: %q stands %d times in %s", c.rule, c.was, n, c.file)
			}
			start := bytes.Index(text, []byte(c.was))
			found = append(found, mutant{
				file: name, in: c.rule, line: 1 + bytes.Count(text[:start], []byte("\n")), start: start, end: start + len(c.was),
				text: c.now, was: c.was, now: c.now, operator: operatorHand,
			})
		}
	}
	return found, nil
}
