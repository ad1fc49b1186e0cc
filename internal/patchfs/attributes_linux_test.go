package patchfs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// P14: extended attributes stay with a file that is patched.
func TestUpdate_KeepsExtendedAttributes(t *testing.T) {
	dir := t.TempDir()
	files{"a.txt": "old\n"}.make(t, dir)
	name := filepath.Join(dir, "a.txt")
	if err := unix.Setxattr(name, "user.origin", []byte("field book"), 0); errors.Is(err, unix.ENOTSUP) && os.Getenv("CI") != "true" {
		t.Skip("the file system of temporary files has no extended attributes")
	} else if err != nil {
		t.Fatal(err)
	}
	changes, err := apply(dir, false, patch(t, "a.txt", "old\n", "new\n"))
	if err != nil || len(changes) != 1 || len(changes[0].Warnings) != 0 {
		t.Fatalf("%+v, %v", changes, err)
	}
	value := make([]byte, 64)
	n, err := unix.Getxattr(name, "user.origin", value)
	if err != nil || string(value[:n]) != "field book" {
		t.Errorf("%q, %v", value[:max(n, 0)], err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "new\n" {
		t.Errorf("%q, %v", got, err)
	}
}
