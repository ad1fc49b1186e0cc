package rehearsal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"brenner/internal/store"
	"brenner/internal/store/rehearsal"
	"brenner/internal/store/storetest"
)

// X9, N3: what a dry run reads of its own changes is what a transaction reads.
func TestRehearsal_AnswersAsATransactionDoes(t *testing.T) {
	storetest.Rehearsal(t, func(r store.Reader) store.Tx { return rehearsal.On(r) }, rehearsal.ErrUncharted)
}

// unchanged are the questions whose answer no rehearsal changes.
var unchanged = []string{
	"Project", "Size", "Records", "FindRecords", "Hashes", "Token", "Tokens", "Denials", "Stored", "Vectors", "EachVector", "Expect",
}

// N3: a question that is new to stores is thought of here as well: none goes past
// what was written by being forgotten.
func TestRehearsal_NoQuestionGoesPastWhatWasWritten(t *testing.T) {
	own := methods(t)
	reader := reflect.TypeFor[store.Reader]()
	for i := range reader.NumMethod() {
		name := reader.Method(i).Name
		if slices.Contains(own, name) == slices.Contains(unchanged, name) {
			t.Errorf("%s: say what a rehearsal answers (on Tx), or that nothing changes it (unchanged), and one of the two", name)
		}
	}
}

// methods are those that Tx has of its own.
func methods(t *testing.T) (names []string) {
	t.Helper()
	for _, file := range []string{"rehearsal.go", "write.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
