package anchor

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner"
	"brenner/internal/linediff"
)

// tries is how many cases are tried: a few in every run, all of them in the
// long one (make soak).
func tries(few, all int) int {
	if os.Getenv("BRENNER_SOAK") != "" {
		return all
	}
	return few
}

// triple is a base and two texts made from it.
type triple struct{ base, ours, theirs string }

// verdictOfGit is what git made of a triple; clean is false if it reports a
// conflict.
type verdictOfGit struct {
	text  string
	clean bool
}

// gitMerge merges with git itself.
func gitMerge(tb testing.TB, dir string, c triple) verdictOfGit {
	tb.Helper()
	for name, content := range map[string]string{"base": c.base, "ours": c.ours, "theirs": c.theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	cmd := exec.Command("git", "merge-file", "-p", "--quiet", "ours", "base", "theirs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0 || exit.ExitCode() > 127) {
		tb.Fatalf("git merge-file: %v", err)
	}
	return verdictOfGit{string(out), err == nil}
}

// gitMerges merges triples with git, many to a call: one below the other in one
// file, with lines between them that nobody changes. What cannot stand in such a
// file, because it does not end with a newline, has a call of its own; in the
// long run everything has. In a long file git now and then aligns lines that
// repeat themselves otherwise than in a short one: where we do not agree, it is
// asked again about that triple alone.
func gitMerges(tb testing.TB, dir string, triples []triple) []verdictOfGit {
	tb.Helper()
	const together = 40
	out := make([]verdictOfGit, len(triples))
	var batch []int
	flush := func() {
		var all triple
		for _, i := range batch {
			wall := wall(i)
			all.base, all.ours, all.theirs = all.base+triples[i].base+wall, all.ours+triples[i].ours+wall, all.theirs+triples[i].theirs+wall
		}
		rest := gitMerge(tb, dir, all).text
		for _, i := range batch {
			text, behind, found := strings.Cut(rest, wall(i))
			if !found {
				tb.Fatalf("git changed what nobody changed, behind triple %d", i)
			}
			out[i], rest = verdictOfGit{text, !strings.Contains("\n"+text, "\n<<<<<<< ")}, behind
		}
		batch = batch[:0]
	}
	for i, c := range triples {
		if os.Getenv("BRENNER_SOAK") != "" || !c.stackable() {
			out[i] = gitMerge(tb, dir, c)
			continue
		}
		if batch = append(batch, i); len(batch) == together {
			flush()
		}
	}
	if len(batch) > 0 {
		flush()
	}
	return out
}

// wall is what stands behind a triple among others.
func wall(i int) string {
	var b strings.Builder
	for k := range 6 {
		fmt.Fprintf(&b, "behind triple %d, line %d of the wall\n", i, k)
	}
	return b.String()
}

// stackable says that texts can stand in a file with others.
func (c triple) stackable() bool {
	for _, s := range []string{c.base, c.ours, c.theirs} {
		if s != "" && !strings.HasSuffix(s, "\n") || strings.Contains("\n"+s, "\n<<<<<<< ") || len(s) > 4000 {
			return false
		}
	}
	return true
}

// histories keeps what history has read.
var histories = sync.OnceValues(readHistory)

// history gives the contents that files of this repository had, one after the
// other, oldest first. Where there is no history to read, as in an archive of
// the sources, the test is skipped; in CI nothing may be.
func history(tb testing.TB, most int) [][]string {
	tb.Helper()
	chains, err := histories()
	switch {
	case err != nil:
		tb.Fatal(err)
	case len(chains) == 0 && os.Getenv("CI") == "true":
		tb.Fatal("no history of this repository here to take texts from; in CI nothing may be skipped")
	case len(chains) == 0:
		tb.Skip("no history of this repository here to take texts from")
	}
	return chains[:min(len(chains), most)]
}

func readHistory() ([][]string, error) {
	const most = 200
	git := func(in string, args ...string) ([]byte, error) {
		cmd := exec.Command("git", args...)
		cmd.Stdin = strings.NewReader(in)
		return cmd.Output()
	}
	log, err := git("", "log", "--reverse", "--format=", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=M")
	if err != nil {
		return nil, nil //nolint:nilerr // no repository, or no git: no history
	}
	blobs := map[string][]string{}
	var paths []string
	left := tries(1_500, 1<<30) // the beginning, which later commits do not change
	for line := range strings.Lines(string(log)) {
		if left--; left < 0 {
			break
		}
		meta, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 5 || filepath.Ext(path) == ".sum" || filepath.Ext(path) == ".bin" {
			continue
		}
		if blobs[path] == nil {
			paths, blobs[path] = append(paths, path), []string{f[2]}
		}
		blobs[path] = append(blobs[path], f[3])
	}
	slices.SortFunc(paths, func(a, b string) int { return len(blobs[b]) - len(blobs[a]) })
	paths = paths[:min(len(paths), most)]
	var ids []string
	for _, path := range paths {
		ids = append(ids, blobs[path]...)
	}
	raw, err := git(strings.Join(ids, "\n")+"\n", "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	var chains [][]string
	for _, path := range paths {
		var chain []string
		for range blobs[path] {
			head, rest, _ := bytes.Cut(raw, []byte("\n"))
			var id, kind string
			var size int
			if n, err := fmt.Sscan(string(head), &id, &kind, &size); n != 3 {
				return nil, fmt.Errorf("%q: %w", head, err)
			}
			chain, raw = append(chain, string(rest[:size])), rest[size+1:]
		}
		chains = append(chains, chain)
	}
	return chains, nil
}

// fromHistory makes triples of what happened to files: two steps of a chain
// seen from their middle, the same step on both sides of something else, and
// parts of one step on each side.
func fromHistory(r *rand.Rand, chains [][]string, n int) []triple {
	var out []triple
	for len(out) < n && len(chains) > 0 {
		chain := chains[r.IntN(len(chains))]
		if len(chain) < 3 {
			continue
		}
		i := r.IntN(len(chain) - 2)
		a, b, c := chain[i], chain[i+1], chain[i+2]
		far := chain[min(len(chain)-1, i+2+r.IntN(4))]
		switch r.IntN(6) {
		case 0:
			out = append(out, triple{b, a, c})
		case 1:
			out = append(out, triple{a, b, c})
		case 2:
			out = append(out, triple{b, a, far})
		case 3:
			out = append(out, triple{a, partOf(r, a, far), partOf(r, a, far)})
		case 4:
			out = append(out, triple{a, b, partOf(r, a, far)})
		default:
			out = append(out, triple{a, tinker(r, a, 1+r.IntN(3)), partOf(r, a, b)})
		}
	}
	return out
}

// partOf makes some of the changes that lead from one text to another.
func partOf(r *rand.Rand, a, b string) string {
	was, is := linediff.Lines(a), linediff.Lines(b)
	var out []string
	at := 0
	for _, c := range linediff.Compare(was, is) {
		out = append(out, was[at:c.OldLo]...)
		if r.IntN(2) == 0 {
			out = append(out, is[c.NewLo:c.NewHi]...)
		} else {
			out = append(out, was[c.OldLo:c.OldHi]...)
		}
		at = c.OldHi
	}
	return strings.Join(append(out, was[at:]...), "")
}

// tinker changes lines as people do: inserts, repeats, deletes, moves, edits.
func tinker(r *rand.Rand, s string, n int) string {
	lines := slices.Clone(linediff.Lines(s))
	for range n {
		if len(lines) == 0 {
			lines = []string{"one\n"}
		}
		i := r.IntN(len(lines))
		k := min(len(lines), i+1+r.IntN(3))
		switch r.IntN(7) {
		case 0:
			lines = slices.Insert(lines, i, fmt.Sprintf("new %d\n", r.IntN(4)))
		case 1:
			lines = slices.Insert(lines, k, slices.Clone(lines[i:k])...)
		case 2:
			lines = slices.Delete(lines, i, k)
		case 3:
			moved := slices.Clone(lines[i:k])
			lines = slices.Delete(lines, i, k)
			lines = slices.Insert(lines, r.IntN(len(lines)+1), moved...)
		case 4:
			lines = slices.Insert(lines, i, lines[r.IntN(len(lines))])
		default:
			lines[i] = strings.Replace(lines[i], "e", fmt.Sprint(r.IntN(3)), 1)
		}
	}
	return strings.Join(lines, "")
}

// generated makes triples of texts that repeat themselves, where the place of a
// change is hardest to tell.
func generated(r *rand.Rand, n int) []triple {
	out := make([]triple, n)
	for i := range out {
		kinds := 2 + r.IntN(12)
		var b strings.Builder
		for range r.IntN(30) {
			fmt.Fprintf(&b, "%s\n", []string{"a", "b", "}", "", "x = 1", "import a", "import b", "{", "  return nil", "end", "f()", "c", "d", "e"}[r.IntN(kinds)])
		}
		base := b.String()
		out[i] = triple{base, tinker(r, base, 1+r.IntN(3)), tinker(r, base, 1+r.IntN(3))}
		switch r.IntN(4) {
		case 0:
			out[i].theirs = tinker(r, out[i].ours, r.IntN(3)) // they have ours, and more
		case 1:
			out[i].ours = strings.TrimSuffix(out[i].ours, "\n")
		}
	}
	return out
}

// mergeTally counts what became of triples.
type mergeTally struct{ all, clean, carried, differ, bold, doubled int }

func (m mergeTally) String() string {
	return fmt.Sprintf("%d merges: git finds %d clean, %d of them carried (%.1f %%), %d with another result; %d carried where git finds a conflict, %d of them with a line too many",
		m.all, m.clean, m.carried, 100*float64(m.carried)/float64(max(1, m.clean)), m.differ, m.bold, m.doubled)
}

// P13: a rebase with the base text never differs from a clean three-way merge
// and never goes on where that finds a conflict, so that nothing is doubled;
// without the base text it never differs from a clean merge, and where there is
// none it doubles nothing. Git is the judge, on pairs and chains of this
// repository's own history and on texts that repeat themselves.
func TestRebase_AgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: no judge to ask")
	}
	r := rand.New(rand.NewPCG(13, 1))
	for _, c := range []struct {
		name string
		make func(t *testing.T) []triple
	}{
		{"generated", func(*testing.T) []triple { return generated(r, tries(1000, 4000)) }},
		{"history", func(t *testing.T) []triple { return fromHistory(r, history(t, tries(40, 200)), tries(120, 1000)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			triples := c.make(t)
			t.Parallel()
			var known, blind mergeTally
			dir, again := t.TempDir(), 0
			for i, git := range gitMerges(t, dir, triples) {
				c := triples[i]
				base := text(c.base)
				p, err := Diff(base, text(c.ours), "f")
				if err != nil {
					t.Fatal(err)
				}
				if m := mergeTexts(c.base, c.ours, c.theirs); git.clean != (m.conflicts == nil) || git.clean && git.text != m.text {
					git, again = gitMerge(t, dir, c), again+1
				}
				known.judge(t, c, p, &base, git)
				blind.judge(t, c, p, nil, git)
			}
			t.Logf("git was asked about %d of %d again", again, len(triples))
			t.Logf("with the base text: %s", known)
			t.Logf("without: %s", blind)
			if known.differ+known.bold > 0 {
				t.Errorf("with the base text it is not the merge of git")
			}
			if blind.differ+blind.doubled > 0 {
				t.Errorf("without the base text it differs or doubles")
			}
			if known.clean < len(triples)/4 || known.carried*100 < known.clean*98 {
				t.Errorf("%d of %d clean merges carried", known.carried, known.clean)
			}
		})
	}
}

func (m *mergeTally) judge(t *testing.T, c triple, p Patch, base *Text, git verdictOfGit) {
	t.Helper()
	theirs := text(c.theirs)
	want, clean := git.text, git.clean
	m.all++
	if clean {
		m.clean++
	}
	got, err := Rebase(p, theirs, base)
	if err != nil {
		if brenner.CodeOf(err) != brenner.CodeRebaseConflict {
			t.Fatal(err)
		}
		return
	}
	if res, err := Apply(got.Patch, theirs); err != nil || res.Text.s != got.Result.s {
		t.Fatalf("the rebased patch gives %q, %v; want %q", res.Text.s, err, got.Result.s)
	}
	switch line := tooMany(c, got.Result.s); {
	case clean && got.Result.s == want:
		m.carried++
	case clean:
		m.differ++
		t.Errorf("git has another result (base known: %v)\n%s", base != nil, show(c, got.Result.s, want))
	case line != "":
		m.bold++
		m.doubled++
		t.Errorf("%q is doubled (base known: %v)\n%s", line, base != nil, show(c, got.Result.s, want))
	default:
		m.bold++
	}
}

// tooMany gives a line that a result has more often than both sides' changes
// account for.
func tooMany(c triple, result string) string {
	count := func(s string) map[string]int {
		n := map[string]int{}
		for _, l := range linediff.Lines(s) {
			n[strings.TrimSuffix(l, "\n")]++
		}
		return n
	}
	base, ours, theirs, n := count(c.base), count(c.ours), count(c.theirs), count(result)
	for _, l := range linediff.Lines(result) {
		line := strings.TrimSuffix(l, "\n")
		gained := max(0, ours[line]-base[line]) // what our side may add at most
		if n[line] > 1 && n[line] > theirs[line]+gained {
			return line
		}
	}
	return ""
}

func show(c triple, got, want string) string {
	const most = 400
	return fmt.Sprintf("base   %q\nours   %q\ntheirs %q\ngot    %q\ngit    %q", brenner.Clip(c.base, most), brenner.Clip(c.ours, most), brenner.Clip(c.theirs, most), brenner.Clip(got, most), brenner.Clip(want, most))
}
