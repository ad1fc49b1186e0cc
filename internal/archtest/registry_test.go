package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brenner"
)

// constant is one declaration such as CodeUsage Code = "USAGE".
type constant struct{ name, text string }

func TestRegistry_EveryConstantHasOneRowAndEveryRowAConstant(t *testing.T) {
	rows := map[brenner.Code]int{}
	for _, info := range brenner.Codes() {
		rows[info.Code]++
		if info.Class == "" || !sentence(info.Meaning) || !sentence(info.Remedy) {
			t.Errorf("%s: a row has a class, and a meaning and a remedy that are sentences", info.Code)
		}
	}
	declared := map[brenner.Code]string{}
	for _, c := range constants(t) {
		if other, twice := declared[brenner.Code(c.text)]; twice {
			t.Errorf("%s and %s are both %s", other, c.name, c.text)
		}
		declared[brenner.Code(c.text)] = c.name
		if n := rows[brenner.Code(c.text)]; n != 1 {
			t.Errorf("%s has %d rows in the registry, want 1", c.name, n)
		}
		if !codeText.MatchString(c.text) {
			t.Errorf("%s is %q: a code is words in capitals", c.name, c.text)
		}
	}
	for code := range rows {
		if declared[code] == "" {
			t.Errorf("the row of %s has no constant", code)
		}
	}
}

func sentence(s string) bool { return len(s) > 1 && strings.HasSuffix(s, ".") }

var codeText = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

func TestRegistry_EveryCodeIsUsedTestedAndDocumented(t *testing.T) {
	used, cited := wordsOfCode(t), wordsOfTests(t)
	documented := readFile(t, "docs/errors.md")
	for _, c := range constants(t) {
		if !used[c.name] {
			t.Errorf("no code uses %s: use it or take it out", c.name)
		}
		if !cited[c.name] && !cited[c.text] {
			t.Errorf("no test names %s or %s", c.name, c.text)
		}
		if !strings.Contains(documented, "| `"+c.text+"` |") {
			t.Errorf("docs/errors.md has no entry for %s: run make generate", c.text)
		}
	}
}

func TestRegistry_NoCodeIsSpelledOutElsewhere(t *testing.T) {
	codes := map[string]string{}
	for _, c := range constants(t) {
		codes[c.text] = c.name
	}
	for _, p := range module(t) {
		fset := token.NewFileSet()
		for _, file := range parse(t, fset, p.Dir, outsideRegistry(p)...) {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && codes[text] != "" {
						t.Errorf("%s: write %s instead of %s", fset.Position(n.Pos()), codes[text], n.Value)
					}
				case *ast.CallExpr:
					if makesCode(n) {
						t.Errorf("%s: a code is made here: register it", fset.Position(n.Pos()))
					}
				}
				return true
			})
		}
	}
}

// makesCode finds Code("…") and brenner.Code("…").
func makesCode(n *ast.CallExpr) bool {
	if len(n.Args) != 1 {
		return false
	}
	if lit, ok := n.Args[0].(*ast.BasicLit); !ok || lit.Kind != token.STRING {
		return false
	}
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		return fun.Name == "Code"
	case *ast.SelectorExpr:
		pkg, ok := fun.X.(*ast.Ident)
		return ok && pkg.Name == modulePath && fun.Sel.Name == "Code"
	}
	return false
}

// constants lists the declared codes, from the source of the root package.
func constants(t *testing.T) []constant {
	t.Helper()
	var all []constant
	for _, p := range module(t) {
		if p.name() != "" {
			continue
		}
		for _, file := range parse(t, token.NewFileSet(), p.Dir, p.GoFiles...) {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok || len(spec.Values) != 1 {
					return true
				}
				kind, ok := spec.Type.(*ast.Ident)
				if !ok || kind.Name != "Code" {
					return true
				}
				text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, constant{spec.Names[0].Name, text})
				return true
			})
		}
	}
	if len(all) == 0 {
		t.Fatal("found no code: these tests would pass on nothing")
	}
	return all
}

// outsideRegistry lists the files of a package that are no part of the
// registry; a suite of tests has none, for it may name codes as tests do.
func outsideRegistry(p listed) []string {
	if strings.HasSuffix(p.name(), "test") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.GoFiles), func(name string) bool {
		return p.name() == "" && (name == "codes.go" || strings.HasPrefix(name, "codes_"))
	})
}

// wordsOfCode is every identifier outside the registry and outside tests.
func wordsOfCode(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, p := range module(t) {
		for _, file := range parse(t, token.NewFileSet(), p.Dir, outsideRegistry(p)...) {
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					words[id.Name] = true
				}
				return true
			})
		}
	}
	return words
}

var word = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]*`)

// wordsOfTests is every word of the tests and scripts, but of this package's
// own, which name codes without testing them.
func wordsOfTests(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	err := filepath.WalkDir(rootDir(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "archtest") {
			return fs.SkipDir
		}
		suite := strings.HasSuffix(path, ".go") && strings.HasSuffix(filepath.Dir(path), "test")
		if !suite && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}
