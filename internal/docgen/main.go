// Command docgen writes what is made from the code, so that it cannot disagree
// with it:
//
//	docs/errors.md       from the registry of codes
//	docs/cli.md          from the command tree
//	docs/conformance.md  from docs/spec.md and the rule numbers cited in tests
//	internal/httpapi/fields_gen.go   what members of requests and answers are
//	internal/httpapi/methods_gen.go  the client's methods, from api.Service
//
// `go run ./internal/docgen` (or make generate) writes them; the tests of this
// package fail when one is out of date. With -count it only prints how many
// rules have a test.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// document is one generated file: its path below the module and its maker.
type document struct {
	path   string
	render func(root string) ([]byte, error)
}

var documents = []document{
	{"docs/errors.md", func(string) ([]byte, error) { return renderErrors(), nil }},
	{"docs/cli.md", func(string) ([]byte, error) { return renderCLI(), nil }},
	{"docs/conformance.md", renderConformance},
	{"internal/httpapi/fields_gen.go", renderFields},
	{"internal/httpapi/methods_gen.go", func(string) ([]byte, error) { return renderMethods() }},
}

func main() {
	count := flag.Bool("count", false, "print how many rules have a test, and write nothing")
	flag.Parse()
	if err := run(os.Stdout, *count); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, count bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if count {
		c, err := readConformance(root)
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, c.tally())
		return err
	}
	for _, d := range documents {
		if err := d.write(root, out); err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
	}
	return nil
}

// write leaves an up-to-date file alone, so that its time means something.
func (d document) write(root string, out io.Writer) error {
	want, err := d.render(root)
	if err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(d.path))
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
		return nil
	}
	fmt.Fprintln(out, "writing", d.path)
	return os.WriteFile(path, want, 0o644)
}

// moduleRoot finds the directory of go.mod, upward from the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}
