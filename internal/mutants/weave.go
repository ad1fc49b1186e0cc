package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Mutants are not built one by one: a test binary of the service takes seconds to
// link. A copy of the function around a mutant, with the change, is put at the
// end of its file, and the function itself begins by asking which mutant is
// alive; so one binary has all mutants of a package, and a variable of the
// environment chooses. Where the change is, a call notes that a test came there.
//
// What does not stand in a function (a constant, a table), or in one that has to
// be called by its own name (init, main, one that recovers), is not woven and is
// built alone.

// woven is a package with many mutants in it.
type woven struct {
	files  map[string][]byte // by path; the one that chooses is among them
	copies map[string][]span // by file: which lines belong to which mutant
}

// span is the lines of a mutant's copy.
type span struct{ first, last, mutant int }

const (
	// chosen names the mutant that is alive; trace: none, and write down which
	// places are reached, to the file that traceFile names.
	chosen    = "MUTANT"
	traceFile = "MUTANT_TRACE"
	trace     = -1
)

// chooser is the file that is added to the package. It has no names of others.
// The test that runs is told by package testing (see reach.go).
const chooser = `package %s

import (
	mutantOS "os"
	mutantConv "strconv"
	mutantSync "sync"
	mutantTesting "testing"
)

var (
	mutantAlive, _ = mutantConv.Atoi(mutantOS.Getenv("` + chosen + `"))
	mutantSeen     mutantSync.Map
)

func mutantReached(n int) {
	if mutantAlive != -1 {
		return
	}
	key := struct {
		n    int
		test string
	}{n: n}
	if test := mutantTesting.MutantTest.Load(); test != nil {
		key.test = *test
	}
	if _, again := mutantSeen.LoadOrStore(key, true); again {
		return
	}
	f, err := mutantOS.OpenFile(mutantOS.Getenv("` + traceFile + `"), mutantOS.O_APPEND|mutantOS.O_CREATE|mutantOS.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	_, _ = f.WriteString(mutantConv.Itoa(n) + " " + key.test + "\n")
	_ = f.Close()
}
`

// edit is text put into a file, in the place of some of its bytes.
type edit struct {
	start, end int
	text       string
}

// weave puts mutants into their files, each under its number, which counts from
// one; left are those that cannot be.
func weave(texts map[string][]byte, list []mutant, wanted func(n int) bool) (w woven, left []int, err error) {
	w = woven{files: map[string][]byte{}, copies: map[string][]span{}}
	byFile := map[string][]int{}
	for i, m := range list {
		if wanted(i + 1) {
			byFile[m.file] = append(byFile[m.file], i+1)
		}
	}
	for name, of := range byFile {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, texts[name], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return w, nil, err
		}
		l := loom{set: set, src: texts[name], next: 2 + strings.Count(string(texts[name]), "\n")}
		for _, n := range of {
			if !l.add(file, list[n-1], n) {
				left = append(left, n)
			}
		}
		if len(l.spans) > 0 {
			w.files[name], w.copies[name] = l.file(), l.spans
			w.files[filepath.Join(filepath.Dir(name), "mutantchooser.go")] = fmt.Appendf(nil, chooser, file.Name.Name)
		}
	}
	slices.Sort(left)
	return w, left, nil
}

// loom weaves one file.
type loom struct {
	set    *token.FileSet
	src    []byte
	edits  []edit
	named  map[*ast.FuncDecl]signature
	copies strings.Builder
	next   int // line on which the next copy begins
	spans  []span
}

// signature is how a function is called once all it takes has a name.
type signature struct {
	edits []edit // that give the names
	call  string // (a, b...) with the type arguments before
	on    string // the receiver and a dot, or nothing
}

// add weaves a mutant, or says that it cannot.
func (l *loom) add(file *ast.File, m mutant, n int) bool {
	var d *ast.FuncDecl
	for _, x := range file.Decls {
		f, ok := x.(*ast.FuncDecl)
		if ok && f.Body != nil && l.at(f.Body.Pos()) <= m.start && m.end <= l.at(f.Body.End()) {
			d = f
		}
	}
	if d == nil || d.Name.Name == "init" || d.Name.Name == "main" || recovers(d) {
		return false
	}
	if l.named == nil {
		l.named = map[*ast.FuncDecl]signature{}
	}
	s, ok := l.named[d]
	if !ok {
		s = l.sign(d)
		l.named[d] = s
		l.edits = append(l.edits, s.edits...)
	}
	name := fmt.Sprintf("mutant%dOf%s", n, d.Name.Name)
	call := s.on + name + s.call
	if d.Type.Results != nil {
		call = "return " + call
	} else {
		call += "; return"
	}
	body := l.at(d.Body.Lbrace) + 1
	l.edits = append(
		l.edits,
		edit{body, body, fmt.Sprintf(" if mutantAlive == %d { %s }; ", n, call)},
		edit{l.before(d.Body, m), l.before(d.Body, m), fmt.Sprintf("mutantReached(%d); ", n)},
	)
	changes := append(slices.Clone(s.edits), edit{l.at(d.Name.Pos()), l.at(d.Name.End()), name}, edit{m.start, m.end, m.text})
	text := "\n" + string(replace(l.src, l.at(d.Type.Func), l.at(d.End()), changes)) + "\n"
	last := l.next + strings.Count(text, "\n")
	l.spans = append(l.spans, span{l.next, last, n})
	l.next = last
	l.copies.WriteString(text)
	return true
}

func (l *loom) file() []byte {
	return append(append(replace(l.src, 0, len(l.src), l.edits), '\n'), l.copies.String()...)
}

func (l *loom) at(p token.Pos) int { return l.set.Position(p).Offset }

// before is where the innermost statement of a block that a mutant changes
// begins.
func (l *loom) before(body *ast.BlockStmt, m mutant) int {
	where := l.at(body.Lbrace) + 1
	among := func(list []ast.Stmt) {
		for _, s := range list {
			switch s.(type) {
			case *ast.CaseClause, *ast.CommClause:
				continue // no place for a call
			}
			if l.at(s.Pos()) <= m.start && m.end <= l.at(s.End()) {
				where = l.at(s.Pos())
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			among(n.List)
		case *ast.CaseClause:
			among(n.Body)
		case *ast.CommClause:
			among(n.Body)
		}
		return true
	})
	return where
}

// sign names what a function takes.
func (l *loom) sign(d *ast.FuncDecl) signature {
	var s signature
	unnamed := 0
	name := func() string { unnamed++; return "mutantArg" + strconv.Itoa(unnamed) }
	names := func(f *ast.Field) (out []string) {
		if len(f.Names) == 0 {
			n := name()
			s.edits = append(s.edits, edit{l.at(f.Type.Pos()), l.at(f.Type.Pos()), n + " "})
			return []string{n}
		}
		for _, id := range f.Names {
			n := id.Name
			if n == "_" {
				n = name()
				s.edits = append(s.edits, edit{l.at(id.Pos()), l.at(id.End()), n})
			}
			out = append(out, n)
		}
		return out
	}
	if d.Recv != nil {
		s.on = names(d.Recv.List[0])[0] + "."
	}
	var types, args []string
	if d.Type.TypeParams != nil {
		for _, f := range d.Type.TypeParams.List {
			for _, id := range f.Names {
				types = append(types, id.Name)
			}
		}
	}
	for _, f := range d.Type.Params.List {
		args = append(args, names(f)...)
		if _, ok := f.Type.(*ast.Ellipsis); ok {
			args[len(args)-1] += "..."
		}
	}
	if len(types) > 0 {
		s.call = "[" + strings.Join(types, ", ") + "]"
	}
	s.call += "(" + strings.Join(args, ", ") + ")"
	return s
}

// recovers tells of a function that may be deferred to recover: it must be
// called directly.
func recovers(d *ast.FuncDecl) (yes bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "recover" {
			yes = true
		}
		return true
	})
	return yes
}

// replace gives the bytes from start to end with the edits.
func replace(src []byte, start, end int, edits []edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b edit) int { return a.start - b.start })
	var out []byte
	for _, e := range sorted {
		out = append(append(out, src[start:e.start]...), e.text...)
		start = e.end
	}
	return append(out, src[start:end]...)
}
