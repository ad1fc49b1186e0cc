package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"testing"
)

// The program is for three systems. For those that are not this one nothing is
// compiled here: types are checked from the source, of other modules only what
// they declare, which finds what a build would and takes seconds. `make release`
// builds the whole.
func TestModule_IsForAllSystems(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		if system == runtime.GOOS {
			continue // everything else here is compiled for it
		}
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			packages, err := goListFor(system, "-deps", "./...")
			if err != nil {
				t.Fatal(err)
			}
			known := checkedPackages{"unsafe": types.Unsafe}
			own, fset := 0, token.NewFileSet()
			for _, p := range packages { // a package comes after those that it imports
				if p.ImportPath == "unsafe" {
					continue
				}
				ours := !p.DepOnly
				if ours {
					own++
				}
				known[p.ImportPath] = known.check(t, fset, p, ours)
			}
			if own < 2 {
				t.Fatalf("found only %d packages", own)
			}
		})
	}
}

// checkedPackages are packages by their path, with all that they declare.
type checkedPackages map[string]*types.Package

// check reads a package whose imports are known: one of ours with the bodies of
// its functions. What is wrong fails the test.
func (known checkedPackages) check(t *testing.T, fset *token.FileSet, p listed, ours bool) *types.Package {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	// an error does not end the check, so that all are reported
	config := types.Config{
		IgnoreFuncBodies: !ours,
		Sizes:            types.SizesFor("gc", "amd64"),
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if vendored, ok := p.ImportMap[path]; ok {
				path = vendored
			}
			return known[path], nil
		}),
		Error: func(err error) { t.Error(err) },
	}
	checked, _ := config.Check(p.ImportPath, fset, files, nil)
	return checked
}

// importerFunc is a types.Importer.
type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
