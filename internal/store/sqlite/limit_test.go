package sqlite

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// No statement is prepared anew because another limit is bound; SQLite does so
// where a parameter stands alone after LIMIT.
func TestLimits_AreNoReasonToPrepareAnew(t *testing.T) {
	alone := regexp.MustCompile(`LIMIT \?[0-9]*[^0-9+]`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	limits := 0
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		limits += len(regexp.MustCompile(`LIMIT \?`).FindAll(source, -1))
		if name == "limit_test.go" {
			continue
		}
		if at := alone.Find(source); at != nil {
			t.Errorf("%s: %q; write +0 after the parameter", name, at)
		}
	}
	if limits < 10 {
		t.Errorf("%d limits were looked at", limits)
	}
}
