package linediff

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// patched applies changes, holding that they are in order and apart.
func patched[T comparable](t interface{ Fatalf(string, ...any) }, before, after []T, changes []Change) []T {
	var out []T
	at, bt := 0, 0
	for i, c := range changes {
		if c.OldLo < at || c.OldHi < c.OldLo || c.NewHi < c.NewLo || i > 0 && c.OldLo == at || c.OldLo-at != c.NewLo-bt ||
			c.OldLo == c.OldHi && c.NewLo == c.NewHi {
			t.Fatalf("change %d of %v", i, changes)
		}
		out = append(out, before[at:c.OldLo]...)
		out = append(out, after[c.NewLo:c.NewHi]...)
		at, bt = c.OldHi, c.NewHi
	}
	return append(out, before[at:]...)
}

func cost(changes []Change) (n int) {
	for _, c := range changes {
		n += c.OldHi - c.OldLo + c.NewHi - c.NewLo
	}
	return n
}

// longest is the length of a longest common subsequence, by the textbook.
func longest(a, b []int) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diag := 0
		for j := range b {
			up := row[j+1]
			if row[j+1] = max(row[j], up); a[i] == b[j] {
				row[j+1] = diag + 1
			}
			diag = up
		}
	}
	return row[len(b)]
}

// P12: what is found leads from one sequence to the other and, where every
// element tells something, nothing shorter does.
func TestCompare_IsRightAndShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.IntRange(2, 30).Draw(t, "kinds")
		seq := rapid.SliceOfN(rapid.IntRange(0, kinds), 0, 40)
		a, b := seq.Draw(t, "a"), seq.Draw(t, "b")
		changes := Compare(a, b)
		if got := patched(t, a, b, changes); !slices.Equal(got, b) {
			t.Fatalf("%v gives %v", changes, got)
		}
		if slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) }) ||
			slices.ContainsFunc(b, func(x int) bool { return !slices.Contains(a, x) }) {
			return // an element that only one side has may take common ones with it
		}
		if want := len(a) + len(b) - 2*longest(a, b); cost(changes) != want {
			t.Fatalf("%d changed, %d would do", cost(changes), want)
		}
	})
}

// P13: an insertion next to equal lines stands in one place, however it was
// made.
func TestCompare_BringsChangesToOnePlace(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []Change
	}{
		{"a b c", "a b b c", []Change{{2, 2, 2, 3}}},
		{"a b b c", "a b c", []Change{{2, 3, 2, 2}}},
		{"x { } y", "x { } { } y", []Change{{3, 3, 3, 5}}},
		{"a b a b a", "a b a", []Change{{3, 5, 3, 3}}},
		{"a b c", "a x c", []Change{{1, 2, 1, 2}}},
		// The deletion could slide on to the second b, but stands against
		// the insertion.
		{"a b b c", "a x b c", []Change{{1, 2, 1, 2}}},
		{"", "a", []Change{{0, 0, 0, 1}}},
		{"a", "", []Change{{0, 1, 0, 0}}},
		{"a b", "a b", nil},
	} {
		if got := Compare(strings.Fields(c.before), strings.Fields(c.after)); !slices.Equal(got, c.want) {
			t.Errorf("%q to %q: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// P13: comparing backwards and forwards finds the same amount of change.
func TestCompare_IsAsShortBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 60)
		a, b := seq.Draw(t, "a"), seq.Draw(t, "b")
		if there, back := cost(Compare(a, b)), cost(Compare(b, a)); there != back {
			t.Fatalf("%d there, %d back", there, back)
		}
	})
}

// hostile are pairs that make comparisons slow.
func hostile(n int) map[string][2][]int {
	r := rand.New(rand.NewPCG(1, 2))
	fill := func(f func(i int) int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	few := func(int) int { return r.IntN(3) }
	return map[string][2][]int{
		"random over few":    {fill(few), fill(few)},
		"random over many":   {fill(func(int) int { return r.IntN(n) }), fill(func(int) int { return r.IntN(n) })},
		"one element":        {fill(func(int) int { return 0 }), fill(func(int) int { return 0 })[:n/2]},
		"reversed":           {fill(func(i int) int { return i }), fill(func(i int) int { return n - i })},
		"two and one in two": {fill(func(i int) int { return i % 2 }), fill(func(i int) int { return i / 2 % 2 })},
		"periods":            {fill(func(i int) int { return i % 7 }), fill(func(i int) int { return i % 11 })},
		"blank every second": {fill(func(i int) int { return i % 2 * (i + 1) }), fill(func(i int) int { return i % 2 * (i + n) })},
	}
}

// X9: whatever the input, the result is right, if not shortest; that its time
// is bounded shows in BenchmarkCompare.
func TestCompare_IsRightOnHostileInput(t *testing.T) {
	for name, c := range hostile(20_000) {
		if got := patched(t, c[0], c[1], Compare(c[0], c[1])); !slices.Equal(got, c[1]) {
			t.Errorf("%s: wrong", name)
		}
	}
}

// Past the reach of an exact comparison what stayed is still recognised.
func TestCompare_FindsWhatStayedInALongRewrite(t *testing.T) {
	const n = 6000
	var a, b []int
	for i := range n {
		if i%2 == 0 {
			a, b = append(a, i), append(b, i)
			continue
		}
		a, b = append(a, n+i), append(b, 3*n+i)
	}
	if got := cost(Compare(a, b)); got != n {
		t.Errorf("%d elements changed, want %d", got, n)
	}
}

// BenchmarkCompare compares 200,000 elements with as many that are hard to
// match up.
func BenchmarkCompare(b *testing.B) {
	for name, c := range hostile(200_000) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Compare(c[0], c[1])
			}
		})
	}
}

func TestLines_JoinToTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune{'a', '\n', 'é'})).Draw(t, "s")
		lines := Lines(s)
		if strings.Join(lines, "") != s || slices.Contains(lines, "") {
			t.Fatalf("%q: %q", s, lines)
		}
	})
}

// X9: a comparison ends soon after nobody waits for it, wherever it is, and is
// the same as ever while somebody does.
func TestCompareUntil_GivesUpWhereverItIs(t *testing.T) {
	var before, after strings.Builder
	for i := range 80_000 {
		fmt.Fprintf(&before, "%d\n", i)
		fmt.Fprintf(&after, "%d\n", i+i%9/8)
	}
	for most := 1; ; most *= 2 {
		looks := 0
		hunks, whole := HunksUntil(func() bool { looks++; return looks >= most }, before.String(), after.String(), 1<<30)
		if whole != (looks < most) {
			t.Fatalf("after %d looks of %d: %v", looks, most, whole)
		}
		if !whole {
			continue
		}
		if looks < 5 {
			t.Errorf("only %d looks at 160,000 lines", looks)
		}
		if want := Hunks(before.String(), after.String()); !reflect.DeepEqual(hunks, want) {
			t.Error("it is not what Hunks gives")
		}
		return
	}
}

// X10: a comparison shows so many lines, in however few or many places they are,
// and says how many it left out.
func TestHunksUntil_ShowsSoManyLines(t *testing.T) {
	var before, near, far strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&before, "%d\n", i)
		fmt.Fprintf(&near, "%d%s\n", i, strings.Repeat("x", i%2))
		fmt.Fprintf(&far, "%d%s\n", i, strings.Repeat("x", i%20/19))
	}
	going := func() bool { return false }
	for name, after := range map[string]string{"near": near.String(), "far": far.String(), "nothing": "", "other": strings.ReplaceAll(before.String(), "\n", "x\n")} {
		all := Hunks(before.String(), after)
		changed := func(hunks []Hunk) (n int) {
			for _, h := range hunks {
				for _, l := range h.Lines {
					if l[0] == '-' || l[0] == '+' {
						n++
					}
				}
			}
			return n
		}
		for _, most := range []int{1, 7, 100, 1000, 1 << 30} {
			some, _ := HunksUntil(going, before.String(), after, most)
			shown := 0
			for _, h := range some {
				shown += len(h.Lines)
			}
			last := some[len(some)-1].Lines
			note := last[len(last)-1]
			var left int
			if _, err := fmt.Sscanf(note, `\ %d further lines are left out`, &left); err != nil {
				if !reflect.DeepEqual(some, all) {
					t.Errorf("%s, %d: cut, and does not say so: %q", name, most, note)
				}
				continue
			}
			if shown > most+1 || changed(some)+left < changed(all) || left == 0 {
				t.Errorf("%s, %d: %d lines, %d changed and %d left out of %d", name, most, shown, changed(some), left, changed(all))
			}
		}
	}
}

// X10: comparing two texts of short lines holds no more for each of their bytes
// than is charged for it, and says so where little of it is shown.
func TestHunksUntil_HoldsWhatIsChargedForIt(t *testing.T) {
	text := func(v int) string {
		var b strings.Builder
		for i := range 250_000 {
			fmt.Fprintf(&b, "%03d\n", (i*7919+v*(i%2))%1000)
		}
		return b.String()
	}
	before, after := text(0), text(1)
	going := func() bool { return false }
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	_, whole := HunksUntil(going, before, after, 1000)
	runtime.ReadMemStats(&is)
	if each := float64(is.TotalAlloc-was.TotalAlloc) / float64(len(before)+len(after)); !whole || each > 10 {
		t.Errorf("%.1f bytes for each byte", each)
	}
}
