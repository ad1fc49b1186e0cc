//go:build unix

package patchfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"brenner"
	"brenner/anchor"

	"github.com/google/go-cmp/cmp"
)

// tree of files, by path; a missing one is not a key.
type files map[string]string

func (f files) make(t testing.TB, dir string) {
	t.Helper()
	for name, content := range f {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// list reads everything below a directory, also what should not be there.
func list(t testing.TB, dir string) files {
	t.Helper()
	out := files{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			out[rel+"/"] = ""
			return nil
		}
		raw, err := os.ReadFile(p)
		out[rel] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t testing.TB, s string) anchor.Text {
	t.Helper()
	x, err := anchor.Canonical([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// patch makes the patch that turns one content into another; "" to begin with
// means that there is no file.
func patch(t testing.TB, path, before, after string) anchor.Patch {
	t.Helper()
	a := text(t, before)
	if before == "" {
		a = anchor.Absent()
	}
	p, err := anchor.Diff(a, text(t, after), path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func apply(dir string, dryRun bool, set ...anchor.Patch) ([]anchor.Change, error) {
	paths, err := anchor.Set{Patches: set}.Paths()
	if err != nil {
		return nil, err
	}
	return Update(context.Background(), dir, paths, Options{DryRun: dryRun}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
		return anchor.Set{Patches: set}.Plan(f)
	})
}

// P14: many files change together, new files and directories are made, modes
// stay, and nothing else is left behind.
func TestUpdate_WritesASetAndKeepsModes(t *testing.T) {
	dir := t.TempDir()
	files{"a.txt": "one\r\ntwo\r\n", "sub/run.sh": "echo 1\n", "other": "x"}.make(t, dir)
	if err := os.Chmod(filepath.Join(dir, "sub/run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	set := []anchor.Patch{
		patch(t, "a.txt", "one\ntwo\n", "one\n2\n"), // for text, whatever its line endings (P2, P3)
		patch(t, "sub/run.sh", "echo 1\n", "echo 2\n"),
		patch(t, "new/deep/file.txt", "", "hello\n"),
	}
	before := list(t, dir)
	changes, err := apply(dir, true, set...)
	if err != nil || len(changes) != 3 {
		t.Fatalf("%v, %v", changes, err)
	}
	if d := cmp.Diff(before, list(t, dir)); d != "" {
		t.Errorf("the dry run changed something: %s", d)
	}
	if _, err := apply(dir, false, set...); err != nil {
		t.Fatal(err)
	}
	want := files{
		"a.txt": "one\r\n2\r\n", "sub/": "", "sub/run.sh": "echo 2\n", "other": "x",
		"new/": "", "new/deep/": "", "new/deep/file.txt": "hello\n",
	}
	if d := cmp.Diff(want, list(t, dir)); d != "" {
		t.Error(d)
	}
	if info, err := os.Stat(filepath.Join(dir, "sub/run.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// P14: one refusal changes no byte of any file.
func TestUpdate_RefusalChangesNothing(t *testing.T) {
	dir := t.TempDir()
	files{"a.txt": "one\n", "b.txt": "moved on\n"}.make(t, dir)
	before := list(t, dir)
	_, err := apply(dir, false, patch(t, "a.txt", "one\n", "1\n"), patch(t, "b.txt", "two\n", "2\n"), patch(t, "c/new", "", "x"))
	if brenner.CodeOf(err) != brenner.CodeBaseMismatch {
		t.Errorf("%v", err)
	}
	if d := cmp.Diff(before, list(t, dir)); d != "" {
		t.Error(d)
	}
}

// P14: nothing outside the root, no symbolic link, no odd file.
func TestUpdate_RefusesPaths(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	files{"secret": "one\n"}.make(t, outside)
	files{"real/a.txt": "one\n", "plain": "one\n"}.make(t, dir)
	for name, to := range map[string]string{
		"link.txt": "real/a.txt", "dirlink": "real", "out": outside, "outfile": filepath.Join(outside, "secret"), "up": "../" + filepath.Base(outside),
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"link.txt", "dirlink/a.txt", "out/secret", "outfile", "up/secret", "pipe", "real", "plain/x",
		"../x", "/etc/passwd", "real/../../x", ".brenner-patch.staging", "real/.brenner-patch.0.new",
	} {
		p := patch(t, name, "one\n", "two\n")
		_, err := Update(context.Background(), dir, []string{name}, Options{}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
			return anchor.Set{Patches: []anchor.Patch{p}}.Plan(f)
		})
		if brenner.CodeOf(err) != brenner.CodePathRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := list(t, outside)["secret"]; got != "one\n" {
		t.Errorf("outside: %q", got)
	}
}

// P2, P10: binary files, other encodings and 50 MB files are refused by code.
func TestUpdate_RefusesWhatIsNotText(t *testing.T) {
	dir := t.TempDir()
	files{"binary": "\x7fELF\x00\x01", "latin1": "caf\xe9\n"}.make(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "huge"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "huge"), 50<<20); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]brenner.Code{
		"binary": brenner.CodeInvalidText, "latin1": brenner.CodeInvalidText, "huge": brenner.CodeLimitExceeded, "absent": brenner.CodeBaseUnknown,
	} {
		_, err := apply(dir, false, patch(t, name, "one\n", "two\n"))
		if brenner.CodeOf(err) != code || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
	if _, err := apply(filepath.Join(dir, "nowhere"), false); brenner.CodeOf(err) != brenner.CodeFileError {
		t.Errorf("no root: %v", err)
	}
}

// P14: what somebody else writes while a set is planned is not overwritten.
func TestUpdate_NoticesChangesMeanwhile(t *testing.T) {
	dir := t.TempDir()
	files{"a": "one\n", "b": "two\n"}.make(t, dir)
	set := []anchor.Patch{patch(t, "a", "one\n", "1\n"), patch(t, "b", "two\n", "2\n"), patch(t, "c", "", "3\n")}
	for _, meddle := range []string{"b", "c"} {
		_, err := Update(context.Background(), dir, []string{"a", "b", "c"}, Options{}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
			files{meddle: "somebody else\n"}.make(t, dir)
			return anchor.Set{Patches: set}.Plan(f)
		})
		if brenner.CodeOf(err) != brenner.CodeBaseMismatch {
			t.Errorf("%s: %v", meddle, err)
		}
		if d := cmp.Diff(files{"a": "one\n", meddle: "somebody else\n"}, without(list(t, dir), "b", meddle)); d != "" {
			t.Error(d)
		}
		files{"b": "two\n"}.make(t, dir)
	}
}

func without(f files, name, unless string) files {
	if name != unless {
		delete(f, name)
	}
	return f
}

func TestUpdate_CanceledLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	files{"a": "one\n"}.make(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Update(ctx, dir, []string{"a"}, Options{}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
		cancel()
		return anchor.Set{Patches: []anchor.Patch{patch(t, "a", "one\n", "1\n")}}.Plan(f)
	})
	if brenner.CodeOf(err) != brenner.CodeCanceled {
		t.Errorf("%v", err)
	}
	if d := cmp.Diff(files{"a": "one\n"}, list(t, dir)); d != "" {
		t.Error(d)
	}
}

// Writers of one directory queue instead of losing changes.
func TestUpdate_WritersQueue(t *testing.T) {
	dir := t.TempDir()
	files{"n": "0\n"}.make(t, dir)
	const writers, each = 4, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				_, err := Update(context.Background(), dir, []string{"n"}, Options{}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
					var n int
					if _, err := fmt.Sscan(f["n"].String(), &n); err != nil {
						return nil, err
					}
					return anchor.Set{Patches: []anchor.Patch{patch(t, "n", f["n"].String(), fmt.Sprintln(n+1))}}.Plan(f)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if d := cmp.Diff(files{"n": fmt.Sprintln(writers * each)}, list(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestLock_GivesUpWhenAsked(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	unlock, err := lock(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Recover(canceled, dir); brenner.CodeOf(err) != brenner.CodeCanceled {
		t.Errorf("%v", err)
	}
	late, cancel := context.WithTimeout(context.Background(), 1)
	defer cancel()
	if err := Recover(late, dir); brenner.CodeOf(err) != brenner.CodeStoreBusy {
		t.Errorf("%v", err)
	}
	unlock()
	if err := Recover(context.Background(), dir); err != nil {
		t.Error(err)
	}
}

// P14: what somebody took care to keep is not replaced unless forced.
func TestUpdate_RefusesProtectedFilesUnlessForced(t *testing.T) {
	for name, protect := range map[string]func(string) error{
		"read-only": func(p string) error { return os.Chmod(p, 0o444) },
		"hard link": func(p string) error { return os.Link(p, p+".twin") },
		"foreign": func(p string) error {
			if os.Geteuid() != 0 {
				return fs.SkipDir // nobody else to give it to
			}
			return os.Chown(p, 12345, 12345)
		},
	} {
		dir := t.TempDir()
		files{"a.txt": "old\n"}.make(t, dir)
		if err := protect(filepath.Join(dir, "a.txt")); err == fs.SkipDir {
			t.Logf("%s: not tried, for want of a second user", name)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		write := func(o Options) ([]anchor.Change, error) {
			return Update(context.Background(), dir, []string{"a.txt"}, o, func(f map[string]anchor.Text) ([]anchor.Change, error) {
				after, err := anchor.Canonical([]byte("new\n"))
				return []anchor.Change{{Path: "a.txt", Outcome: anchor.Applied, Before: f["a.txt"], After: after}}, err
			})
		}
		for _, o := range []Options{{}, {DryRun: true}} {
			if _, err := write(o); brenner.CodeOf(err) != brenner.CodeFileProtected || list(t, dir)["a.txt"] != "old\n" {
				t.Errorf("%s, %+v: %v", name, o, err)
			}
		}
		before, err := os.Stat(filepath.Join(dir, "a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := write(Options{Force: true})
		if err != nil || list(t, dir)["a.txt"] != "new\n" {
			t.Fatalf("%s, forced: %v", name, err)
		}
		after, err := os.Stat(filepath.Join(dir, "a.txt"))
		if err != nil || after.Mode() != before.Mode() || after.Sys().(*syscall.Stat_t).Uid != before.Sys().(*syscall.Stat_t).Uid {
			t.Errorf("%s: mode or owner not kept: %v, %v", name, after.Mode(), err)
		}
		lost := slices.ContainsFunc(changes[0].Warnings, func(d brenner.Diagnostic) bool { return d.Code == brenner.CodeMetadataLost })
		if lost != (name == "hard link") {
			t.Errorf("%s: %v", name, changes[0].Warnings)
		}
	}
}

// P14: a full disk is not the fault of what was sent.
func TestFileError_TellsAFullDisk(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if err := fileError("a.txt", &fs.PathError{Op: "write", Path: "a.txt", Err: cause}); !errors.Is(err, brenner.CodeDiskFull) {
			t.Errorf("%v: %v", cause, err)
		}
	}
	if err := unfinished(fileError("a.txt", syscall.ENOSPC)); !errors.Is(err, brenner.CodeDiskFull) {
		t.Error(err)
	}
}

// X12: nothing is written below .git.
func TestUpdate_NeverWritesBelowGit(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".git/config", "sub/.git/hooks/pre-commit", ".GIT/config"} {
		if _, err := Read(context.Background(), dir, name); brenner.CodeOf(err) != brenner.CodePathRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
	files{"top/.git/hooks/pre-commit": "old\n", "top/a.txt": "old\n"}.make(t, dir)
	if err := os.Symlink(filepath.Join("top", ".git", "hooks"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]brenner.Code{"top/.git": brenner.CodePathRefused, "top/.git/hooks": brenner.CodePathRefused, "link": brenner.CodePathRefused, "top": ""} {
		if _, err := Read(context.Background(), filepath.Join(dir, root), "a.txt"); brenner.CodeOf(err) != want {
			t.Errorf("from %s: %v", root, err)
		}
	}
	for name, want := range map[string]brenner.Code{"top/.git/new/file": brenner.CodePathRefused, "link/new": brenner.CodePathRefused, "top/.gitignore": "", "top/x.git/y": ""} {
		if err := BelowGit(filepath.Join(dir, name)); brenner.CodeOf(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// P14: a half-applied set is found from a root above it and from one below.
func TestUpdate_FindsInterruptedSetsAboveAndBelow(t *testing.T) {
	for _, c := range []struct{ begun, next, path string }{
		{"top/mid", "top", "mid/a.txt"},
		{"top", "top/mid", "a.txt"},
		{"top", "top/mid/low", "b.txt"},
	} {
		home := t.TempDir()
		files{"top/mid/a.txt": "old\n", "top/mid/low/b.txt": "old\n"}.make(t, home)
		begun := filepath.Join(home, c.begun)
		rel := map[string][]string{"top": {"mid/a.txt", "mid/low/b.txt"}, "top/mid": {"a.txt", "low/b.txt"}}[c.begun]
		interruptAfterDeciding(t, begun, rel)
		got, err := Read(context.Background(), filepath.Join(home, c.next), c.path)
		if err != nil || got[c.path].String() != "new\n" {
			t.Errorf("begun in %s, seen from %s: %q, %v", c.begun, c.next, got[c.path].String(), err)
		}
		for name, content := range list(t, home) {
			if strings.Contains(name, reserved) || !strings.HasSuffix(name, "/") && content != "new\n" {
				t.Errorf("begun in %s, seen from %s: %s is left as %q", c.begun, c.next, name, content)
			}
		}
	}
}

// interruptAfterDeciding leaves a set behind whose journal was renamed and
// nothing else.
func interruptAfterDeciding(t *testing.T, dir string, paths []string) {
	t.Helper()
	defer func() { _ = recover() }()
	_, err := update(context.Background(), dir, paths, Options{}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
		var out []anchor.Change
		for _, p := range paths {
			after, err := anchor.Canonical([]byte("new\n"))
			if err != nil {
				return nil, err
			}
			out = append(out, anchor.Change{Path: p, Outcome: anchor.Applied, Before: f[p], After: after})
		}
		return out, nil
	}, func() {
		if _, err := os.Lstat(filepath.Join(dir, commitName)); err == nil {
			panic("stopped")
		}
	})
	t.Fatalf("went all the way: %v", err)
}
