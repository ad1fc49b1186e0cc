package archtest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// impureFunctions look at the world although their package is allowed.
var impureFunctions = map[string]string{
	"time.Now":          "the clock; take the time as a value",
	"time.Since":        "the clock; take the time as a value",
	"time.Until":        "the clock; take the time as a value",
	"time.Sleep":        "waiting",
	"time.After":        "waiting",
	"time.AfterFunc":    "waiting",
	"time.Tick":         "waiting",
	"time.NewTimer":     "waiting",
	"time.NewTicker":    "waiting",
	"time.LoadLocation": "the files of the time zone",
	"time.Local":        "the zone of this machine",
	"fmt.Print":         "standard output",
	"fmt.Printf":        "standard output",
	"fmt.Println":       "standard output",
	"fmt.Scan":          "standard input",
	"fmt.Scanf":         "standard input",
	"fmt.Scanln":        "standard input",
}

// orderFree on the line of a loop says that its result does not depend on the
// order of the map, and why.
var orderFree = regexp.MustCompile(`^// order-free: \S`)

func TestPurity_ProtocolPackagesAreDeterministic(t *testing.T) {
	var patterns []string
	for _, p := range module(t) {
		if row, ok := rowOf(p.name()); ok && row.pure {
			patterns = append(patterns, p.ImportPath)
		}
	}
	// With -export the compiler leaves a description of every dependency,
	// which is all that type checking one package needs.
	packages, err := goList(append([]string{"-export", "-deps"}, patterns...)...)
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	checked := 0
	for _, p := range packages {
		if p.DepOnly {
			continue
		}
		fset := token.NewFileSet()
		files := parse(t, fset, p.Dir, p.GoFiles...)
		for _, finding := range impurities(t, fset, p.ImportPath, files, exports) {
			t.Error(strings.TrimPrefix(finding, rootDir()+string(os.PathSeparator)))
		}
		checked++
	}
	if checked != len(patterns) || checked == 0 {
		t.Fatalf("checked %d of %d pure packages", checked, len(patterns))
	}
}

// impurities type-checks a package and lists what makes its result depend on
// anything but its input.
func impurities(t *testing.T, fset *token.FileSet, path string, files []*ast.File, exports map[string]string) []string {
	t.Helper()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if _, err := config.Check(path, fset, files, info); err != nil {
		t.Fatal(err)
	}
	c := checker{fset: fset, info: info}
	for _, file := range files {
		c.file(file)
	}
	return c.findings
}

type checker struct {
	fset     *token.FileSet
	info     *types.Info
	excused  map[int]bool           // lines that say they are order-free
	sorted   map[*ast.CallExpr]bool // iterators handed straight to a sort
	findings []string
}

func (c *checker) file(file *ast.File) {
	c.excused, c.sorted = map[int]bool{}, map[*ast.CallExpr]bool{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if orderFree.MatchString(comment.Text) {
				c.excused[c.fset.Position(comment.Pos()).Line] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.report(n, "starts a goroutine")
		case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			c.report(n, "uses a channel")
		case *ast.RangeStmt:
			c.loop(n)
		case *ast.CallExpr:
			c.call(n)
		case *ast.SelectorExpr:
			c.use(n)
		}
		return true
	})
}

func (c *checker) report(n ast.Node, what string) {
	c.findings = append(c.findings, c.fset.Position(n.Pos()).String()+": "+what)
}

func (c *checker) loop(n *ast.RangeStmt) {
	if _, isMap := c.info.TypeOf(n.X).Underlying().(*types.Map); isMap && !c.isExcused(n) {
		c.report(n, "ranges over a map: sort the keys, or say on the line why order cannot show (// order-free: …)")
	}
}

// call finds iterators over maps, whose order is a map's order unless a sort
// takes them at once, and JSON writing that leaves the order of maps open.
func (c *checker) call(n *ast.CallExpr) {
	switch name := c.callee(n); name {
	case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
		if inner, ok := n.Args[0].(*ast.CallExpr); ok {
			c.sorted[inner] = true
		}
	case "maps.Keys", "maps.Values", "maps.All":
		if !c.sorted[n] && !c.isExcused(n) {
			c.report(n, "takes the order of a map from "+name+": sort it, or say on the line why order cannot show")
		}
	case jsonLibrary + ".Marshal", jsonLibrary + ".MarshalWrite": // MarshalEncode follows the options of its encoder
		deterministic := slices.ContainsFunc(n.Args, func(arg ast.Expr) bool {
			option, ok := arg.(*ast.CallExpr)
			return ok && c.callee(option) == jsonLibrary+".Deterministic"
		})
		if !deterministic {
			c.report(n, "writes JSON with the order of maps left open: use canon, or json.Deterministic(true)")
		}
	}
}

func (c *checker) use(n *ast.SelectorExpr) {
	if why, impure := impureFunctions[c.object(n)]; impure {
		c.report(n, c.object(n)+" is "+why)
	}
}

// callee is the full name of the function that is called, "" if it is not one
// of a package.
func (c *checker) callee(n *ast.CallExpr) string {
	fun := ast.Unparen(n.Fun)
	if generic, ok := fun.(*ast.IndexExpr); ok {
		fun = generic.X
	}
	if selector, ok := fun.(*ast.SelectorExpr); ok {
		return c.object(selector)
	}
	return ""
}

// object is the package path and name of what a selector names, "" for fields
// and methods.
func (c *checker) object(n *ast.SelectorExpr) string {
	qualifier, ok := n.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if pkg, ok := c.info.Uses[qualifier].(*types.PkgName); ok {
		return pkg.Imported().Path() + "." + n.Sel.Name
	}
	return ""
}

func (c *checker) isExcused(n ast.Node) bool { return c.excused[c.fset.Position(n.Pos()).Line] }

func TestPurity_FindsEachKindOfImpurity(t *testing.T) {
	const source = `package p

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

type set map[string]int

func impure(m set) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	for k := range maps.Keys(m) {
		out = append(out, k)
	}
	out = slices.Collect(maps.Keys(m))
	go fmt.Println(time.Now())
	var c chan int
	c <- 1
	clock := time.Since
	_ = clock
	return out
}

func pure(m set) (n int) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		n += m[k]
	}
	for _, v := range m { // order-free: a sum
		n += v
	}
	for range time.Second {
		n++
	}
	return n
}
`
	exports := map[string]string{}
	packages, err := goList("-export", "-deps", "fmt", "maps", "slices", "time")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	findings := impurities(t, fset, "p", []*ast.File{file}, exports)
	want := []string{
		"p.go:13:2: ranges over a map",
		"p.go:16:17: takes the order of a map",
		"p.go:19:23: takes the order of a map",
		"p.go:20:2: starts a goroutine",
		"p.go:20:5: fmt.Println",
		"p.go:20:17: time.Now",
		"p.go:21:8: uses a channel",
		"p.go:22:2: uses a channel",
		"p.go:23:11: time.Since",
	}
	if len(findings) != len(want) {
		t.Fatalf("got %d findings, want %d:\n%s", len(findings), len(want), strings.Join(findings, "\n"))
	}
	for i, prefix := range want {
		if !strings.HasPrefix(findings[i], prefix) {
			t.Errorf("got %q, want %q", findings[i], prefix)
		}
	}
}

// What is compiled when the program starts every command waits for: patterns of
// packages are made at first use (internal/lazy). Programs that only developers
// run may do as they like.
func TestPurity_NoPatternIsCompiledAtTheStart(t *testing.T) {
	tools := []string{"internal/docgen", "internal/mutants", "internal/screens", "internal/quality", "internal/benchdoc", "internal/lazy"}
	for _, p := range module(t) {
		if slices.Contains(tools, p.name()) {
			continue
		}
		fset := token.NewFileSet()
		for _, file := range parse(t, fset, p.Dir, p.GoFiles...) {
			for _, d := range file.Decls {
				if _, isFunction := d.(*ast.FuncDecl); isFunction {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
						t.Errorf("%s: use lazy.NewPattern", fset.Position(n.Pos()))
					}
					return true
				})
			}
		}
	}
}
