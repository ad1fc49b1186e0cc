package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	number = `[DRPSBCJXWNA][1-9][0-9]*`
	// lead is the form that says what a test is about: numbers at the start of
	// a comment line, or in brackets: `// D7, D9: …`, `# J3 …`, `… (X2)`.
	lead     = regexp.MustCompile(`(?m)^[\s/*#]*(` + number + `(?:(?:, | and |–|-)` + number + `)*)\b`)
	brackets = regexp.MustCompile(`\((` + number + `(?:(?:, | and |; |–|-)` + number + `)*)\)`)
	anywhere = regexp.MustCompile(`\b` + number + `\b`)
	span     = regexp.MustCompile(`\b(` + number + `)[–-](` + number + `)\b`)
	// clause is a part of a rule, such as C12.a, that a change in
	// internal/mutants/byhand.txt breaks.
	clause = regexp.MustCompile(`\b` + number + `\.[a-z]\b`)
	// itemID is an item of a session artifact, such as P1.H2, not a rule.
	itemID = regexp.MustCompile(`\b` + number + `\.[A-Z]`)
)

// cited lists the rule numbers that a comment cites. P1, C2 and X3 are also
// how the items of a session artifact are called, so those letters count only
// in the leading form; the others count wherever they stand.
func cited(comment string) []string {
	numbers := clause.FindAllString(comment, -1)
	comment = span.ReplaceAllStringFunc(itemID.ReplaceAllString(comment, ""), spellOut)
	for _, form := range []*regexp.Regexp{lead, brackets} {
		for _, m := range form.FindAllStringSubmatch(comment, -1) {
			numbers = append(numbers, anywhere.FindAllString(m[1], -1)...)
		}
	}
	for _, n := range anywhere.FindAllString(comment, -1) {
		if !strings.ContainsAny(n[:1], "PCX") {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// spellOut turns J2–J4 into J2, J3, J4; what is no range stays as it is.
func spellOut(text string) string {
	numbers, err := expand(strings.Replace(text, "–", "-", 1))
	if err != nil {
		return text
	}
	return strings.Join(numbers, ", ")
}

// readCitations walks the module's tests and scripts and maps each rule number
// to the tests that cite it.
func readCitations(root string) (map[string][]string, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); file != root && (strings.HasPrefix(name, ".") || name == "bin" || name == "dist") {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasSuffix(rel, "_test.go"), isSuite(rel):
			return citationsOfTest(file, rel, found)
		case strings.HasSuffix(rel, ".txtar"):
			return citationsOfScript(file, rel, found)
		}
		return nil
	})
	for n, tests := range found {
		slices.Sort(tests)
		found[n] = slices.Compact(tests)
	}
	return found, err
}

// isSuite reports whether a file belongs to a suite that several packages run,
// such as storetest.
func isSuite(rel string) bool {
	return strings.HasSuffix(rel, ".go") && strings.HasSuffix(path.Dir(rel), "test")
}

// citationsOfTest attributes each comment of a test file to the function it
// stands in or above, as package.TestName.
func citationsOfTest(file, rel string, found map[string][]string) error {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range tree.Comments {
		for _, n := range cited(group.Text()) {
			found[n] = append(found[n], testAt(tree, group.Pos(), rel))
		}
	}
	return nil
}

// testAt names the test around a position; a comment outside every test
// speaks for its file.
func testAt(tree *ast.File, pos token.Pos, rel string) string {
	if name := storyAt(tree, pos); name != "" {
		return path.Dir(rel) + ": " + name
	}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !isTest(fn.Name.Name) {
			continue
		}
		start := fn.Pos()
		if fn.Doc != nil {
			start = fn.Doc.Pos()
		}
		if start <= pos && pos <= fn.End() {
			return path.Dir(rel) + "." + fn.Name.Name
		}
	}
	return rel
}

// storyAt names the case of a suite around a position: {"what it shows", func…}.
func storyAt(tree *ast.File, pos token.Pos) (name string) {
	ast.Inspect(tree, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) != 2 || pos < lit.Pos() || lit.End() < pos {
			return true
		}
		said, named := lit.Elts[0].(*ast.BasicLit)
		if _, plays := lit.Elts[1].(*ast.FuncLit); named && plays && said.Kind == token.STRING {
			name = strings.Trim(said.Value, `"`)
		}
		return true
	})
	return name
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// citationsOfScript reads the comment lines of a testscript; the files below
// the script are its data and cite nothing.
func citationsOfScript(file, rel string, found map[string][]string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "-- ") {
			break
		}
		if !strings.HasPrefix(line, "#") {
			continue
		}
		for _, n := range cited(line) {
			found[n] = append(found[n], rel)
		}
	}
	return nil
}
