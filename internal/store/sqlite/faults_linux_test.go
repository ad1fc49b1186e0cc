package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
)

// stranger makes a command run as somebody whom permissions bind: nobody, if
// we are root.
func stranger(cmd *exec.Cmd) {
	const nobody = 65534
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// openDir makes a directory that a stranger can look into, and this test binary
// in it, so that a stranger can run it.
func openDir(t *testing.T) (dir, binary string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "brenner-sqlite-")
	must(t, err)
	t.Cleanup(func() {
		_ = os.Chmod(filepath.Join(dir, "store"), 0o700)
		_ = os.RemoveAll(dir)
	})
	must(t, os.Chmod(dir, 0o755))
	must(t, os.Mkdir(filepath.Join(dir, "store"), 0o755))
	binary = filepath.Join(dir, "test")
	from, err := os.Open(os.Args[0])
	must(t, err)
	to, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(to, from)
	must(t, err)
	must(t, from.Close())
	must(t, to.Close())
	return filepath.Join(dir, "store"), binary
}

func TestOpen_WithoutPermission(t *testing.T) {
	dir, binary := openDir(t)
	path := filepath.Join(dir, "brenner.db")
	ctx := context.Background()
	s, err := Open(ctx, path, Options{Create: true})
	must(t, err)
	const entries = fulltext.SettleFrom + 1 // so that a search would index them if it could
	must(t, writeMany(ctx, s, "x", entries, io.Discard))
	as := func(file, directory os.FileMode) string {
		t.Helper()
		for name, mode := range map[string]os.FileMode{path: file, path + "-wal": file, path + "-shm": file, dir: directory} {
			if err := os.Chmod(name, mode); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		cmd := child("read", path, "")
		cmd.Path, cmd.Args = binary, []string{binary}
		stranger(cmd)
		out, err := cmd.Output()
		must(t, err)
		return strings.Join(strings.Fields(string(out)), " ")
	}
	if got := as(0o644, 0o755); got != fmt.Sprintf("read found %d write STORE_READ_ONLY", entries) {
		t.Errorf("a store in use that may only be read: %s", got)
	}
	must(t, s.Close())
	if got := as(0o444, 0o555); got != "open STORE_READ_ONLY" {
		t.Errorf("a store that cannot be read without writing beside it: %s", got)
	}
	if got := as(0o000, 0o755); got != "open STORE_UNAVAILABLE" {
		t.Errorf("a store that may not be read: %s", got)
	}
	must(t, os.Chmod(path, 0o600))
	if n := len(inspect(t, path)); n != entries {
		t.Errorf("%d entries, want %d", n, entries)
	}
}

// A disk that is really full, where we may mount a small one.
func TestWrite_FullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("skipped: a file system cannot be mounted here: %v; the same is tried with a page limit", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	path := filepath.Join(dir, "brenner.db")
	ctx := context.Background()
	s, err := Open(ctx, path, Options{Create: true})
	must(t, err)
	acked := 0
	for i := 0; err == nil && i < 10_000; i++ {
		if err = writeMany(ctx, s, fmt.Sprint("fill", i), 1, io.Discard); err == nil {
			acked++
		}
	}
	wantCode(t, brenner.CodeStoreFull, err)
	if acked == 0 {
		t.Fatal("the disk was full before anything was written")
	}
	must(t, s.Read(ctx, func(r store.Reader) error {
		n, err := r.Size(ctx)
		if n != int64(acked) {
			t.Errorf("%d writes acknowledged, %d there", acked, n)
		}
		return err
	}))
	must(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=20m"))
	must(t, writeMany(ctx, s, "room", 1, io.Discard))
	must(t, s.Close())
	if there := inspect(t, path); len(there) != acked+1 || !there["room.0"] {
		t.Errorf("%d entries, want %d", len(there), acked+1)
	}
}
