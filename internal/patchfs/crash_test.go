//go:build unix

package patchfs

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner"
	"brenner/anchor"

	"github.com/google/go-cmp/cmp"
)

// The test binary starts itself again as the process that will be killed: with
// killAt it kills itself at one step, with forever it goes back and forth until
// somebody else does.
const (
	killAt  = "PATCHFS_TEST_KILL_AT"
	forever = "PATCHFS_TEST_FOREVER"
	where   = "PATCHFS_TEST_DIR"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(where)
	switch {
	case os.Getenv(killAt) != "":
		n, _ := strconv.Atoi(os.Getenv(killAt))
		_, err := forward(dir, func() {
			if n--; n == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {} // the signal is on its way
			}
		})
		fmt.Println(err)
		os.Exit(0)
	case os.Getenv(forever) != "":
		for {
			if _, err := forward(dir, func() {}); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			if _, err := turn(dir, newTree, oldTree, func() {}); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

var (
	oldTree = files{"a.txt": "one\r\ntwo\n", "b/c.txt": "three\n", "b/d/e.txt": "four\n", "f": "five"}
	newTree = files{"a.txt": "1\r\ntwo\n", "b/c.txt": "three and a half\n", "b/d/e.txt": "4\n", "f": "5"}
)

// forward patches the old tree into the new one, and makes a file besides.
func forward(dir string, step func()) ([]anchor.Change, error) {
	return turn(dir, oldTree, newTree, step)
}

func turn(dir string, from, to files, step func()) ([]anchor.Change, error) {
	var set []anchor.Patch
	for _, name := range slices.Sorted(maps.Keys(from)) {
		a, _ := anchor.Canonical([]byte(from[name]))
		b, _ := anchor.Canonical([]byte(to[name]))
		p, err := anchor.Diff(a, b, name)
		if err != nil {
			return nil, err
		}
		set = append(set, p)
	}
	if _, err := os.Stat(filepath.Join(dir, "g/h/new.txt")); err != nil && from["f"] == oldTree["f"] {
		b, _ := anchor.Canonical([]byte("new\n"))
		p, err := anchor.Diff(anchor.Absent(), b, "g/h/new.txt")
		if err != nil {
			return nil, err
		}
		set = append(set, p)
	}
	paths, err := anchor.Set{Patches: set}.Paths()
	if err != nil {
		return nil, err
	}
	return update(context.Background(), dir, paths, Options{}, func(f map[string]anchor.Text) ([]anchor.Change, error) {
		return anchor.Set{Patches: set}.Plan(f)
	}, step)
}

// oneOf fails unless the directory holds exactly one of the two trees and
// nothing of ours besides; it says which.
func oneOf(t *testing.T, dir string) (isNew bool) {
	t.Helper()
	got := list(t, dir)
	made := got["g/h/new.txt"] == "new\n"
	for _, name := range []string{"b/", "b/d/"} {
		delete(got, name)
	}
	if made {
		for _, name := range []string{"g/", "g/h/", "g/h/new.txt"} {
			delete(got, name)
		}
	}
	if made && cmp.Equal(got, newTree) {
		return true
	}
	if d := cmp.Diff(oldTree, got); d != "" || made {
		t.Fatalf("neither old nor new: %s", d)
	}
	return false
}

// P14: a process killed with -9 at any of its steps leaves, after recovery,
// every file old or every file new, and nothing of its own.
func TestCrash_AtEveryStep(t *testing.T) {
	steps := 0
	dir := t.TempDir()
	oldTree.make(t, dir)
	if _, err := forward(dir, func() { steps++ }); err != nil || !oneOf(t, dir) {
		t.Fatalf("%v", err)
	}
	if steps < 30 {
		t.Fatalf("only %d steps", steps)
	}
	olds, news := 0, 0
	for k := 1; k <= steps; k++ {
		dir := t.TempDir()
		oldTree.make(t, dir)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killAt+"="+strconv.Itoa(k), where+"="+dir)
		out, err := cmd.Output()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: not killed: %v %s", k, err, out)
		}
		if err := Recover(context.Background(), dir); err != nil {
			t.Fatalf("step %d: %v", k, err)
		}
		if oneOf(t, dir) {
			news++
		} else {
			olds++
		}
	}
	if olds == 0 || news == 0 {
		t.Errorf("%d old, %d new: the commit was never crossed", olds, news)
	}
}

// P14: the same for a process killed by somebody else at any time.
func TestCrash_AtRandomTimes(t *testing.T) {
	dir := t.TempDir()
	oldTree.make(t, dir)
	if _, err := forward(dir, func() {}); err != nil {
		t.Fatal(err)
	}
	if _, err := turn(dir, newTree, oldTree, func() {}); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(14, 9))
	for i := range 25 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), forever+"=1", where+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(10+r.IntN(40)) * time.Millisecond)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
			t.Fatalf("round %d: the process ended by itself", i)
		}
		if err := Recover(context.Background(), dir); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		got := list(t, dir)
		delete(got, "b/")
		delete(got, "b/d/")
		delete(got, "g/")
		delete(got, "g/h/")
		delete(got, "g/h/new.txt")
		switch {
		case cmp.Equal(got, oldTree):
		case cmp.Equal(got, newTree):
			if _, err := turn(dir, newTree, oldTree, func() {}); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("round %d: neither old nor new: %s", i, cmp.Diff(oldTree, got))
		}
	}
}

// crashed leaves a directory as a process killed after the commit would.
func crashed(t *testing.T, at int) string {
	t.Helper()
	dir := t.TempDir()
	oldTree.make(t, dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killAt+"="+strconv.Itoa(at), where+"="+dir)
	_ = cmd.Run()
	return dir
}

// An interrupted set is not finished over what somebody wrote since.
func TestRecover_DoesNotOverwriteLaterChanges(t *testing.T) {
	dir := ""
	for k := 1; dir == ""; k++ {
		d := crashed(t, k)
		if _, err := os.Stat(filepath.Join(d, commitName)); err == nil {
			dir = d
		}
	}
	files{"f": "my own words"}.make(t, dir)
	before := list(t, dir)
	err := Recover(context.Background(), dir)
	if brenner.CodeOf(err) != brenner.CodeRecoveryConflict || !strings.Contains(err.Error(), "f was changed") {
		t.Fatalf("%v", err)
	}
	if d := cmp.Diff(before, list(t, dir)); d != "" {
		t.Error(d)
	}
	staged := ""
	for name, content := range before {
		if strings.HasPrefix(filepath.Base(name), reserved) && content == newTree["f"] {
			staged = name
		}
	}
	if err := os.Remove(filepath.Join(dir, staged)); err != nil {
		t.Fatal(err)
	}
	if err := Recover(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	if got := list(t, dir); got["f"] != "my own words" || got["a.txt"] != newTree["a.txt"] {
		t.Errorf("%v", got)
	}
}

// A journal cut short, or one that is none, does no harm.
func TestRecover_BadJournals(t *testing.T) {
	for _, content := range []string{"", `{"files":[{"pa`, `{"files":[{"path":"../x","stage":"../.brenner-patch.0.new","before":"","after":""}],"dirs":[]}`} {
		dir := t.TempDir()
		oldTree.make(t, dir)
		files{stagingName: content}.make(t, dir)
		if err := Recover(context.Background(), dir); err != nil || oneOf(t, dir) {
			t.Errorf("%q: %v", content, err)
		}
		files{commitName: content}.make(t, dir)
		if err := Recover(context.Background(), dir); brenner.CodeOf(err) != brenner.CodeRecoveryConflict {
			t.Errorf("%q: %v", content, err)
		}
	}
}
