package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spoken are the packages whose texts only terminals show.
var spoken = []string{"internal/cli", "internal/cli/demo"}

// starters start other programs, whose arguments may be single flags.
var starters = []string{"program", "internal/runner"}

var (
	flagWord   = regexp.MustCompile(`(?:^|[^\w<!-])--(?:[a-z]|$)`)
	plainFlag  = regexp.MustCompile(`^--(?:[a-z][A-Za-z-]*(?:=\S*)?)?$`)
	otherFlags = regexp.MustCompile(`\bdiff --(?:git|cc|combined)\b|\bcurl [^\n]*`) // the heads of diffs, which are read; what a shell fetches with
	program    = regexp.MustCompile(`\bbrenner ([a-z]*)`)
	backquoted = regexp.MustCompile("`([a-z]+ [a-z]+)")
)

// commandLine finds what belongs into a terminal: the program with the name of
// a command behind it, or nothing yet; a flag; a command between backquotes.
func commandLine(text string, commands map[string]bool) string {
	for _, m := range program.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && strings.HasSuffix(text, m[0]) || commands["brenner "+m[1]] {
			return m[0]
		}
	}
	for _, m := range backquoted.FindAllStringSubmatch(text, -1) {
		if commands["brenner "+m[1]] {
			return m[1]
		}
	}
	return flagWord.FindString(otherFlags.ReplaceAllString(text, ""))
}

// X11: what to do is data. No text of the program outside the command line
// names a command or a flag, whatever it is handed to and however it is put
// together from literals: an agent has tools, a page has links.
func TestSurfaces_OnlyTheCommandLineSpeaksCommands(t *testing.T) {
	commands := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(readFile(t, "docs/cli.md"), -1) {
		commands[m[1]] = true
	}
	linked, err := goList("-deps", "./cmd/brenner")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range linked {
		if p.Standard || p.Module == nil || p.Module.Path != modulePath || slices.Contains(spoken, p.name()) {
			continue
		}
		fset := token.NewFileSet()
		for _, file := range parse(t, fset, p.Dir, p.GoFiles...) {
			for _, s := range texts(file) {
				seen++
				if slices.Contains(starters, p.name()) && plainFlag.MatchString(s.text) {
					continue
				}
				if found := commandLine(s.text, commands); found != "" {
					t.Errorf("%s: %q speaks the command line (%q): say it as an action", fset.Position(s.pos), s.text, found)
				}
			}
		}
	}
	if seen < 5000 {
		t.Fatalf("only %d texts were read: this test would pass on nothing", seen)
	}
}

// text is what one expression of literals says.
type text struct {
	text string
	pos  token.Pos
}

// texts lists the texts of a file, each as long as its literals go on. The one
// place that writes commands is Action.Command.
func texts(file *ast.File) []text {
	var out []text
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			return n.Name.Name != "Command" || n.Recv == nil || file.Name.Name != modulePath
		case *ast.Field: // its tag is for programs
			ast.Inspect(n.Type, visit)
			return false
		case *ast.BinaryExpr:
			if n.Op != token.ADD {
				return true
			}
			said, rest := folded(n)
			for _, s := range said {
				out = append(out, text{s, n.Pos()})
			}
			for _, e := range rest {
				ast.Inspect(e, visit)
			}
			return false
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				out = append(out, text{s, n.Pos()})
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	return out
}

// folded reads a sum: the literals that stand side by side as one text each,
// and the other parts.
func folded(e ast.Expr) (said []string, rest []ast.Expr) {
	var parts []ast.Expr
	var flatten func(e ast.Expr)
	flatten = func(e ast.Expr) {
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
			flatten(b.X)
			flatten(b.Y)
			return
		}
		parts = append(parts, e)
	}
	flatten(e)
	run, any := "", false
	flush := func() {
		if any {
			said = append(said, run)
		}
		run, any = "", false
	}
	for _, p := range parts {
		if lit, ok := p.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				run, any = run+s, true
				continue
			}
		}
		flush()
		rest = append(rest, p)
	}
	flush()
	return said, rest
}

// The check above is one that can fail.
func TestSurfaces_ACommandIsFound(t *testing.T) {
	commands := map[string]bool{"brenner init": true, "brenner patch": true, "brenner patch explain": true}
	for text, want := range map[string]bool{
		"run `brenner init`": true, "see `patch explain`": true, "add --replace": true, "(--rebase)": true, "brenner ": true, "use --": true, "--store": true,
		"a `patch` of text": false, "brenner form\x00": false, "diff --git a b": false, "a -- b": false, "the brenner way": false, "run it again": false,
	} {
		if got := commandLine(text, commands); (got != "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What only a terminal can do is named as a command on pages: to start programs
// and to merge in a repository of the person's machine.
func TestSurfaces_PagesNameOnlyCommandsThatHaveNoPage(t *testing.T) {
	here := []string{"brenner ask", "brenner run", "brenner run log", "brenner run land"}
	names, err := filepath.Glob(filepath.Join(rootDir(), "internal", "web", "pages", "*.html"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bbrenner( [a-z]+)+`).FindAllString(string(raw), -1) {
			if !slices.Contains(here, m) {
				t.Errorf("%s names %s", filepath.Base(name), m)
			}
		}
	}
}
