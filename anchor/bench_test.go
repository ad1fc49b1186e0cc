package anchor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/internal/linediff"
)

// bigText is n bytes of lines that look like code and often repeat.
func bigText(n int) string {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		switch r.IntN(4) {
		case 0:
			b.WriteString("}\n")
		case 1:
			fmt.Fprintf(&b, "\t\treturn total + %d\n", r.IntN(50))
		case 2:
			fmt.Fprintf(&b, "\tvalue%d := compute(%d, %q)\n", i, r.IntN(1000), stock[r.IntN(len(stock))])
		default:
			fmt.Fprintf(&b, "// line %d says something of no importance at all\n", i)
		}
	}
	return b.String()
}

// scatter changes n lines, evenly spread.
func scatter(s string, n int) string {
	lines := linediff.Lines(s)
	for i := range n {
		at := (2*i + 1) * len(lines) / (2 * n)
		lines[at] = fmt.Sprintf("changed line %d\n", i)
	}
	return strings.Join(lines, "")
}

// gitDir makes a directory in which git can work, or skips by name.
func gitDir(b *testing.B, files map[string]string) string {
	b.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("git is not installed; no reference to compare with")
	}
	dir := b.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// git runs git without any configuration and gives its output and its time.
func git(b *testing.B, dir string, args ...string) ([]byte, time.Duration) {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() > 1) {
		b.Fatalf("git %v: %v\n%s", args, err, errs.String())
	}
	return out.Bytes(), took
}

// best gives the shortest of three runs.
func best(run func() time.Duration) time.Duration {
	return min(run(), run(), run())
}

// BenchmarkApply applies 1,000 operations to a 10 MB text, from reading the
// patch to the bytes of the result, against `git apply` of the same change.
func BenchmarkApply(b *testing.B) {
	before := bigText(10 << 20)
	after := scatter(before, 1000)
	base := mustCanonical(b, []byte(before))
	p, err := Diff(base, mustCanonical(b, []byte(after)), "f")
	if err != nil {
		b.Fatal(err)
	}
	if len(p.Groups) < 1000 {
		b.Fatalf("%d operations", len(p.Groups))
	}
	raw, file := p.JSON(), []byte(before)
	dir := gitDir(b, map[string]string{"f": before, "g": after})
	diff, _ := git(b, dir, "diff", "--no-index", "f", "g")
	diff = bytes.ReplaceAll(diff, []byte("b/g"), []byte("b/f"))
	if err := os.WriteFile(filepath.Join(dir, "d"), diff, 0o644); err != nil {
		b.Fatal(err)
	}
	reference := best(func() time.Duration {
		if err := os.WriteFile(filepath.Join(dir, "f"), file, 0o644); err != nil {
			b.Fatal(err)
		}
		_, took := git(b, dir, "apply", "d")
		return took
	})
	if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(got) != after {
		b.Fatalf("git apply did something else: %v", err)
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		p, err := Parse(raw)
		if err != nil {
			b.Fatal(err)
		}
		base, err := Canonical(file)
		if err != nil {
			b.Fatal(err)
		}
		res, err := Apply(p, base)
		if err != nil || len(res.Text.Bytes()) != len(after) {
			b.Fatal(err)
		}
	}
	report(b, reference, "git-apply")
}

func report(b *testing.B, reference time.Duration, name string) {
	ours := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(reference.Nanoseconds()), name+"-ns")
	b.ReportMetric(float64(ours)/float64(reference), "x-"+name)
}

// BenchmarkDiff compares two 1 MB texts, against `git diff`.
func BenchmarkDiff(b *testing.B) {
	for _, c := range []struct {
		name string
		edit func(string) string
	}{
		{"few", func(s string) string { return scatter(s, 20) }},
		{"many", func(s string) string { return scatter(s, 2000) }},
		{"rewritten", func(s string) string {
			lines := linediff.Lines(s)
			rand.New(rand.NewPCG(2, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			return strings.Join(lines, "")
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			before := bigText(1 << 20)
			after := c.edit(before)
			dir := gitDir(b, map[string]string{"f": before, "g": after})
			reference := best(func() time.Duration {
				_, took := git(b, dir, "diff", "--no-index", "f", "g")
				return took
			})
			x, y := mustCanonical(b, []byte(before)), mustCanonical(b, []byte(after))
			b.SetBytes(int64(len(before)))
			for b.Loop() {
				if _, err := Diff(x, y, "f"); err != nil {
					b.Fatal(err)
				}
			}
			report(b, reference, "git-diff")
		})
	}
}

// BenchmarkFaults prints what becomes of patches with injected faults.
func BenchmarkFaults(b *testing.B) {
	const each = 100
	texts := corpus(b)
	var rows []faultRow
	for b.Loop() {
		rows = runFaults(b, faults, 11, each, func(r *rand.Rand) *scene { return newScene(r, texts) })
	}
	var sum faultRow
	var table strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&table, row)
		sum.add(row)
	}
	fmt.Printf("%d faults, %d patches each\n%s", len(rows), each, table.String())
	b.ReportMetric(100*float64(sum.tried-sum.silent)/float64(sum.tried), "%-never-silently-wrong")
	b.ReportMetric(100*float64(sum.named)/float64(sum.refused), "%-cause-named")
	b.ReportMetric(100*float64(sum.proved-sum.provedWrong)/float64(max(1, sum.proved)), "%-proved-right")
	b.ReportMetric(100*float64(sum.likely-sum.likelyWrong)/float64(max(1, sum.likely)), "%-likely-right")
	b.ReportMetric(100*float64(sum.likely)/float64(sum.refused), "%-offered")
}
