package patchfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/internal/patchfs"
)

// X6: whole files are written together or not at all, byte for byte.
func TestReplace_AllOrNothing(t *testing.T) {
	dir := t.TempDir()
	old := "mixed\r\nline\nends\x00\xff"
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte(old), 0o640); err != nil {
		t.Fatal(err)
	}
	files := []patchfs.File{{Path: "a", Content: []byte("new\r\n")}, {Path: "deep/er/b", Content: []byte{}}}
	told := map[string]brenner.Digest{"a": canon.Sum([]byte(old)), "deep/er/b": ""}
	no := errors.New("no")
	for _, verdict := range []error{no, nil} {
		err := patchfs.Replace(t.Context(), dir, files, func(now map[string]brenner.Digest) error {
			for path, want := range told {
				if now[path] != want {
					t.Errorf("%s is %q, want %q", path, now[path], want)
				}
			}
			return verdict
		})
		if !errors.Is(err, verdict) {
			t.Fatalf("got %v, want %v", err, verdict)
		}
		want := old
		if verdict == nil {
			want = "new\r\n"
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "a")); string(got) != want {
			t.Errorf("after %v: a is %q", verdict, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "deep")); (err == nil) != (verdict == nil) {
			t.Errorf("after %v: deep: %v", verdict, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".brenner-patch*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	info, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestReplace_StaysInside(t *testing.T) {
	for _, path := range []string{"../x", "/x", "a/../../x", "", ".brenner-patch.commit"} {
		err := patchfs.Replace(t.Context(), t.TempDir(), []patchfs.File{{Path: path}}, func(map[string]brenner.Digest) error {
			t.Errorf("%q was let through", path)
			return nil
		})
		if brenner.CodeOf(err) != brenner.CodePathRefused {
			t.Errorf("%q: got %v", path, err)
		}
	}
}
