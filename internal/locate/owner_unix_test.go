//go:build unix

package locate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/locate"
)

// X8, X12: a project that is merely found and belongs to a stranger is refused until
// it is allowed by name, whether the file or its directory is the stranger's.
func TestTrust_RefusesTheProjectOfAStrangerUntilAllowed(t *testing.T) {
	root := t.TempDir()
	db := filepath.Join(root, "work", ".brenner", "brenner.db")
	touch(t, db, "")
	found, err := locate.Find(filepath.Join(root, "work"))
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(root, "projects")
	me := os.Getuid()
	if err := (locate.Trust{User: me, File: list}).Check(found); err != nil {
		t.Errorf("my own: %v", err)
	}
	stranger := locate.Trust{User: me + 1, File: list} // for whom what is mine is a stranger's
	if me == 0 {                                       // what the administrator owns is trusted by all
		if err := stranger.Check(found); err != nil {
			t.Errorf("the administrator's: %v", err)
		}
		for _, path := range []string{db, filepath.Dir(db)} {
			if err := os.Chown(path, 4711, -1); err != nil {
				t.Fatal(err)
			}
			if err := (locate.Trust{User: 0, File: list}).Check(found); brenner.CodeOf(err) != brenner.CodeProjectNotYours {
				t.Errorf("%s of a stranger: %v", path, err)
			}
			if err := os.Chown(path, 0, -1); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(db, 4711, -1); err != nil {
			t.Fatal(err)
		}
		if err := (locate.Trust{User: 0, Behind: 4711}).Check(found); err != nil {
			t.Errorf("one's own, through sudo: %v", err)
		}
	}
	err = stranger.Check(found)
	if brenner.CodeOf(err) != brenner.CodeProjectNotYours || !strings.Contains(err.(*brenner.Error).Hint, "add the line "+filepath.Join(root, "work")+" to "+list) {
		t.Errorf("a stranger's: %v", err)
	}
	touch(t, list, "# mine\n"+filepath.Join(root, "works")+"\n")
	if err := stranger.Check(found); brenner.CodeOf(err) != brenner.CodeProjectNotYours {
		t.Errorf("another one is allowed: %v", err)
	}
	for _, line := range []string{filepath.Join(root, "work"), "*"} {
		touch(t, list, "# mine\n\n"+line+"\n")
		if err := stranger.Check(found); err != nil {
			t.Errorf("allowed by %s: %v", line, err)
		}
	}
}
