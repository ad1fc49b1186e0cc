package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// modulePath is the name every import of our own starts with.
const modulePath = "brenner"

// listed is what `go list` says of one package.
type listed struct {
	ImportPath, Dir, Export, Name      string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	ImportMap                          map[string]string // where a path in the source is found elsewhere
	Standard, DepOnly                  bool
	Module                             *struct{ Path string }
}

// name is the import path below the module: "" for the root package.
func (p listed) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, modulePath), "/")
}

// module lists every package of the module. It is never empty.
func module(t *testing.T) []listed {
	t.Helper()
	packages, err := listModule()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 2 {
		t.Fatalf("found only %d packages: these tests would pass on nothing", len(packages))
	}
	return packages
}

// A package that does not compile still has imports; the compiler reports the
// rest (-e).
var listModule = sync.OnceValues(func() ([]listed, error) { return goList("-e", "./...") })

// goList runs go list at the root of the module.
func goList(args ...string) ([]listed, error) { return goListFor(runtime.GOOS, args...) }

// goListFor says what go list says on another system.
func goListFor(system string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,Name,GoFiles,TestGoFiles,XTestGoFiles,Imports,ImportMap,TestImports,XTestImports,Standard,DepOnly,Module"}, args...)...)
	cmd.Dir = rootDir()
	cmd.Env = append(cmd.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("go list: " + err.Error() + "\n" + stderr.String())
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// rootDir is the directory of go.mod: tests run in their package's directory.
func rootDir() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}

// readFile reads a file of the module by its slash-separated path.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rootDir(), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parse reads some files of a directory.
func parse(t *testing.T, fset *token.FileSet, dir string, names ...string) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// A program that imports one of our packages reads its comment first, and then
// an example that is known to run.
func TestPackages_EachPublicOneHasACommentAndAnExample(t *testing.T) {
	seen := 0
	for _, p := range module(t) {
		if name := p.name(); strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "cmd/") || strings.HasSuffix(name, "test") {
			continue
		}
		seen++
		comment, example := false, false
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			comment = comment || !strings.HasSuffix(file, "_test.go") && parsed.Doc != nil
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				example = example || ok && strings.HasPrefix(f.Name.Name, "Example")
			}
		}
		if !comment || !example {
			t.Errorf("%s: a package comment: %t, an example: %t", p.ImportPath, comment, example)
		}
	}
	if seen < 10 {
		t.Fatalf("found only %d public packages", seen)
	}
}
