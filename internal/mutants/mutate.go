package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"brenner"
)

// mutant is one small change of a file that ought to make a test fail.
type mutant struct {
	file       string // as it was given
	in         string // the function or declaration around
	line       int
	start, end int    // bytes of the file that text takes the place of
	text       string // what stands there instead
	was, now   string // the change, to be read
	operator   string
}

// name tells a mutant from others and does not change when lines move.
func (m mutant) name() string {
	return fmt.Sprintf("%s: %s → %s", m.in, inLine(m.was), inLine(m.now))
}

// inLine makes code fit a line, and a cell of a table.
func inLine(code string) string {
	const most = 70
	code = brenner.Clip(strings.ReplaceAll(strings.Join(strings.Fields(code), " "), "|", "¦"), most)
	if code == "" {
		return "nothing"
	}
	return code
}

// apply gives the file with the change.
func (m mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

// mutants lists every change of a file that the operators know, in the order of
// the file.
func mutants(name string, src []byte) ([]mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	w := walker{set: set, name: name, src: src}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				w.function(funcName(d), d.Type, d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR || d.Tok == token.CONST {
				w.in = declName(d)
				w.walk(d)
			}
		}
	}
	slices.SortStableFunc(w.found, func(a, b mutant) int { return a.start - b.start })
	return w.found, nil
}

// walker collects the mutants of a file.
type walker struct {
	set     *token.FileSet
	name    string
	src     []byte
	in      string
	results []ast.Expr // types of the function around
	found   []mutant
}

func (w *walker) function(name string, t *ast.FuncType, body *ast.BlockStmt) {
	outer := *w
	w.in, w.results = name, nil
	if t.Results != nil {
		for _, f := range t.Results.List {
			for range max(1, len(f.Names)) {
				w.results = append(w.results, f.Type)
			}
		}
	}
	w.walk(body)
	w.in, w.results = outer.in, outer.results
}

func (w *walker) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.function(w.in, n.Type, n.Body)
			return false
		case *ast.ImportSpec, *ast.StructType, *ast.ArrayType:
			return false // tags and lengths are not what tests are about
		case *ast.BinaryExpr:
			w.operator(n)
		case *ast.IfStmt:
			w.negate(n.Cond)
		case *ast.ForStmt:
			w.negate(n.Cond)
		case *ast.BasicLit:
			w.constant(n)
		case *ast.ReturnStmt:
			w.zero(n)
		case *ast.ExprStmt, *ast.IncDecStmt:
			w.change("drop statement", n, "")
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				w.change("drop statement", n, "")
			}
		}
		return true
	})
}

// swaps are operators and those that take their place.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
}

func (w *walker) operator(n *ast.BinaryExpr) {
	other, ok := swaps[n.Op]
	if !ok {
		return
	}
	start := w.set.Position(n.OpPos).Offset
	w.found = append(w.found, mutant{
		file: w.name, in: w.in, line: w.set.Position(n.OpPos).Line, operator: "swap " + n.Op.String(),
		start: start, end: start + len(n.Op.String()), text: other.String(),
		was: w.text(n), now: w.text(n.X) + " " + other.String() + " " + w.text(n.Y),
	})
}

// negate turns a condition round. A single comparison is left to operator.
func (w *walker) negate(cond ast.Expr) {
	if cond == nil {
		return
	}
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	w.change("negate condition", cond, "!("+w.text(cond)+")")
}

func (w *walker) constant(n *ast.BasicLit) {
	v, err := strconv.ParseInt(n.Value, 0, 64)
	if n.Kind != token.INT || err != nil {
		return
	}
	w.change("constant plus one", n, strconv.FormatInt(v+1, 10))
	w.change("constant minus one", n, strconv.FormatInt(v-1, 10))
}

// zero lets a function return nothing.
func (w *walker) zero(n *ast.ReturnStmt) {
	if len(n.Results) == 0 || len(w.results) == 0 {
		return
	}
	already := true
	for _, r := range n.Results {
		already = already && w.isZero(r)
	}
	if already {
		return
	}
	zeros := make([]string, len(w.results))
	for i, t := range w.results {
		zeros[i] = "*new(" + w.text(t) + ")"
	}
	w.change("return zero", n, "return "+strings.Join(zeros, ", "))
}

// isZero tells of an expression that is nothing already.
func (w *walker) isZero(e ast.Expr) bool {
	switch w.text(e) {
	case "nil", "false", "0", `""`:
		return true
	}
	c, ok := e.(*ast.CompositeLit)
	if !ok || len(c.Elts) > 0 {
		return false
	}
	_, named := c.Type.(*ast.Ident) // a struct, as a rule; an empty list or map is not nil
	_, other := c.Type.(*ast.SelectorExpr)
	return named || other
}

// change puts other text in the place of a node.
func (w *walker) change(operator string, n ast.Node, text string) {
	w.found = append(w.found, mutant{
		file: w.name, in: w.in, line: w.set.Position(n.Pos()).Line, operator: operator,
		start: w.set.Position(n.Pos()).Offset, end: w.set.Position(n.End()).Offset, text: text,
		was: w.text(n), now: text,
	})
}

func (w *walker) text(n ast.Node) string {
	return string(w.src[w.set.Position(n.Pos()).Offset:w.set.Position(n.End()).Offset])
}

// funcName is a function as it is called: Type.Method, or its name.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// declName is the first name that a declaration declares.
func declName(d *ast.GenDecl) string {
	if len(d.Specs) > 0 {
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok && len(v.Names) > 0 {
			return v.Names[0].Name
		}
	}
	return d.Tok.String()
}

// sample draws at most so many, always the same for a seed; 0: all,
// less: none.
func sample(all []mutant, most int, seed uint64) []mutant {
	switch {
	case most < 0:
		return nil
	case most == 0 || len(all) <= most:
		return all
	}
	drawn := slices.Clone(all)
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	drawn = drawn[:most]
	slices.SortFunc(drawn, func(a, b mutant) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		return a.start - b.start
	})
	return drawn
}
