package locate_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"brenner"
	"brenner/internal/locate"
)

// X8: whoever may not look into a project is told so, not that there is none and
// that another should be made.
func TestFind_SaysThatItMayNotLook(t *testing.T) {
	root := t.TempDir()
	touch(t, filepath.Join(root, "work", ".brenner", "brenner.db"), "")
	for dir, mode := range map[string]os.FileMode{filepath.Join(root, "work", ".brenner"): 0, filepath.Dir(root): 0o755, root: 0o755} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = os.Chmod(filepath.Join(root, "work", ".brenner"), 0o700) }()
	if os.Getuid() == 0 { // as somebody whom modes hold back
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(4711); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	_, err := locate.Find(filepath.Join(root, "work"))
	if brenner.CodeOf(err) != brenner.CodeStoreUnavailable || !strings.Contains(err.Error(), "may not read the project") {
		t.Errorf("found with %v", err)
	}
}
