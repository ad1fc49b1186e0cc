package runner

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// W10: pauses grow, are never the same for two, end at the most, and are never
// shorter than what was asked for.
func TestPauses_GrowWithJitterAndHonourWhatIsAsked(t *testing.T) {
	p := pauses{first: time.Second, most: 10 * time.Second, jitter: func() float64 { return 0 }}
	most := p
	most.jitter = func() float64 { return 1 }
	for n, want := range map[int][2]time.Duration{
		1: {500 * time.Millisecond, time.Second}, 2: {time.Second, 2 * time.Second}, 3: {2 * time.Second, 4 * time.Second},
		5: {5 * time.Second, 10 * time.Second}, 60: {5 * time.Second, 10 * time.Second},
	} {
		if low, high := p.before(n, 0), most.before(n, 0); low != want[0] || high != want[1] {
			t.Errorf("before retry %d: %s to %s, want %v", n, low, high, want)
		}
	}
	if got := p.before(1, time.Minute); got != time.Minute {
		t.Errorf("a minute was asked for, and %s is waited", got)
	}
}

// W11: what is kept of a transcript is bounded, begins and ends as what was
// printed, and holds no secret in any of its spellings.
func TestTranscript_IsBoundedAndStruck(t *testing.T) {
	secret := `brn_aB"c/d+e=f`
	tr := newTranscript([]string{secret}, nil)
	tr.line([]byte("first " + secret))
	for i := range 200_000 {
		tr.line(fmt.Appendf(nil, "line %d of many, with %q and a token", i, secret))
	}
	tr.line([]byte("last YnJuX2FCImMvZCtlPWY= brn_aB%22c%2Fd%2Be%3Df \xff\x00"))
	got := tr.text()
	if len(got) > brenner.MaxTranscriptBytes+200 || !strings.HasPrefix(got, "first "+struck+"\n") || !strings.HasSuffix(got, "last "+struck+" "+struck+" ��\n") {
		t.Errorf("%d bytes, from %q to %q", len(got), got[:40], got[len(got)-80:])
	}
	if strings.Contains(got, "brn_aB") || !strings.Contains(got, "bytes are left out here") {
		t.Error("a secret is kept, or nothing says what is missing")
	}
}

// W11: nor does a secret stay that stands in a longer text which is encoded, or that
// some program escaped: no eight characters of any spelling are left.
func TestTranscript_StrikesASecretInOtherSpellings(t *testing.T) {
	secret := `sk-aB'c"d/e$f&g h=i<9>\z`
	bodies := map[string]string{
		"hex": hex.EncodeToString([]byte(secret)), "HEX": fmt.Sprintf("%X", secret),
		"JSON": `sk-aB'c\"d/e$f&g h=i<9>\\z`, "JSON for HTML": `sk-aB'c\"d/e$f\u0026g h=i\u003c9\u003e\\z`,
		"a form": "sk-aB%27c%22d%2Fe%24f%26g+h%3Di%3C9%3E%5Cz", "a form in small letters": "sk-aB%27c%22d%2fe%24f%26g+h%3di%3c9%3e%5cz",
		"an address":   "sk-aB%27c%22d/e%24f%26g%20h%3Di%3C9%3E%5Cz",
		"a component":  "sk-aB'c%22d%2Fe%24f%26g%20h%3Di%3C9%3E%5Cz",
		"single marks": `sk-aB'\''c"d/e$f&g h=i<9>\z`, "double marks": `sk-aB'c\"d/e\$f&g h=i<9>\\z`,
		"no marks": `sk-aB\'c\"d/e\$f\&g\ h=i\<9\>\\z`,
	}
	for _, before := range []string{"", "u", "me", "user:", "a longer name:"} {
		for _, after := range []string{"", "@", "\n", " and more"} {
			bodies[before+" std "+after] = base64.StdEncoding.EncodeToString([]byte(before + secret + after))
			bodies[before+" url "+after] = base64.RawURLEncoding.EncodeToString([]byte(before + secret + after))
		}
	}
	for name, body := range bodies {
		tr := newTranscript([]string{secret}, nil)
		tr.line([]byte("Authorization: Basic " + body + " sent"))
		got := tr.text()
		if !strings.Contains(got, struck) || !strings.HasPrefix(got, "Authorization: Basic ") || !strings.HasSuffix(got, " sent\n") {
			t.Errorf("%s: %q", name, got)
		}
		middle := len(body) / 2
		if strings.Contains(got, body[middle-4:middle+4]) {
			t.Errorf("%s: a part of it stays: %q", name, got)
		}
	}
}

// W4: a line that is too long is cut, the next one is whole.
func TestLines_CutsWhatIsTooLong(t *testing.T) {
	long := strings.Repeat("x", brenner.MaxRunLine+1000)
	var got []int
	lines(strings.NewReader("a\r\n"+long+"\nb\n\nc"), func(line []byte) { got = append(got, len(line)) })
	if fmt.Sprint(got) != fmt.Sprint([]int{1, brenner.MaxRunLine, 1, 0, 1}) {
		t.Errorf("lines of %v bytes", got)
	}
}

// repositoryFor makes a repository with one commit, a hook, a filter and a
// fsmonitor that would leave a mark if git ran them.
func repositoryFor(t *testing.T) (dir, mark string) {
	t.Helper()
	dir, mark = t.TempDir(), filepath.Join(t.TempDir(), "ran")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet", "-b", "main")
	git("config", "user.email", "ada@example.org")
	git("config", "user.name", "Ada")
	for _, hook := range []string{"pre-commit", "post-checkout", "commit-msg", "post-merge", "reference-transaction"} {
		if err := os.WriteFile(filepath.Join(dir, ".git", "hooks", hook), []byte("#!/bin/sh\necho hook-"+hook+" >> "+mark+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("*.txt filter=evil diff=evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "begin")
	for key, value := range map[string]string{
		"filter.evil.clean": "sh -c 'echo clean >> " + mark + "; cat'", "filter.evil.smudge": "sh -c 'echo smudge >> " + mark + "; cat'",
		"filter.evil.required": "true", "core.fsmonitor": "sh -c 'echo fsmonitor >> " + mark + "'",
		"diff.evil.textconv": "sh -c 'echo textconv >> " + mark + "; cat $0'", "diff.external": "sh -c 'echo external >> " + mark + "'",
	} {
		git("config", key, value)
	}
	_ = os.Remove(mark)
	return dir, mark
}

// W15: what a run changes in its worktree is on its branch and in the record,
// made by git itself with hooks and filters off; the project's own directory is
// not touched until it is landed, and never over uncommitted changes.
func TestRun_AWorktreesChangesAreKeptAndLanded(t *testing.T) {
	dir, mark := repositoryFor(t)
	w := newWorld(t)
	r := w.runner(t, func(o *Options) { o.Dir = dir; o.TestAllowed = func(string) bool { return true } })
	p := acting("write", "b.txt", "sub.txt")
	p.Directory = program.Worktree
	info := do(t, r, assigned(p))
	change := w.end(t).Change
	if info.Outcome != api.OutcomeWorked || change == nil || info.Branch != "brenner/run-1" {
		t.Fatalf("ended as %+v, changed %+v", info.RunEnd, change)
	}
	if len(change.Files) != 2 || change.Files[0] != (api.FileChange{Path: "b.txt", Added: 1}) || !strings.Contains(change.Diff, "+written by a program") || change.Base == change.Commit {
		t.Errorf("change: %+v", change)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("git ran\n%s", ran)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err == nil {
		t.Error("the project's directory was written")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	land := func() error {
		_, err := Land(t.Context(), dir, change.Branch, change.Commit, "Land run-1")
		return err
	}
	if err := land(); brenner.CodeOf(err) != brenner.CodeLandRefused || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("over uncommitted changes: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := land(); err != nil {
		t.Errorf("not landed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil {
		t.Errorf("landed, and not there: %v", err)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("git ran\n%s", ran)
	}
}

// W15: a branch that moved since it was decided on, or that does not merge, is
// not landed, and nothing is changed.
func TestLand_RefusesWhatWasNotDecidedOnOrDoesNotMerge(t *testing.T) {
	dir, _ := repositoryFor(t)
	repo, err := openRepository(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.addWorktree(t.Context(), filepath.Join(t.TempDir(), "run-9"), "run-9")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree.dir, "a.txt"), []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The program points its worktree at a repository of its own making.
	if err := os.WriteFile(filepath.Join(tree.dir, ".git"), []byte("gitdir: /nowhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	change, err := tree.change(t.Context(), "BlueLake", "change")
	if err != nil || change == nil {
		t.Fatalf("%+v, %v", change, err)
	}
	if err := tree.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Land(t.Context(), dir, change.Branch, tree.base, "x"); brenner.CodeOf(err) != brenner.CodeLandRefused {
		t.Errorf("another commit than decided on: %v", err)
	}
	cmd := exec.Command("git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "filter.evil.clean=", "-c", "filter.evil.smudge=", "-c", "filter.evil.required=false",
		"commit", "--quiet", "-am", "ours")
	cmd.Dir = dir
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("ours\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := Land(t.Context(), dir, change.Branch, change.Commit, "x"); brenner.CodeOf(err) != brenner.CodeLandRefused || !strings.Contains(err.Error(), "merge cleanly") {
		t.Errorf("a conflict: %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(text) != "ours\n" {
		t.Errorf("a refused landing left %q", text)
	}
	if _, err := openRepository(t.Context(), t.TempDir()); brenner.CodeOf(err) != brenner.CodeNoRepository {
		t.Errorf("no repository: %v", err)
	}
}
