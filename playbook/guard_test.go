package playbook

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// toyWords is a lexicon small enough to read: words are alike if they share a
// group.
type toyWords map[string]string

func (w toyWords) Similarity(a, b string) float64 {
	if a == b || w[a] != "" && w[a] == w[b] {
		return 0.9
	}
	return 0.1
}

var toy = toyWords{"tell": "say", "inform": "say", "fix": "mend", "repair": "mend", "retry": "again", "send": "again"}

// B4: different numbers or opposite negation never merge; nor do exchanged or
// other objects. Everything here holds in both directions.
func TestGuard_WhatClashes(t *testing.T) {
	for _, c := range []struct {
		why  ClashKind
		a, b string
	}{
		{ClashNumbers, "Deploy on the 15th", "Deploy on the 16th"},
		{ClashNumbers, "Retry three times", "Retry 4 times"},
		{ClashNumbers, "Wait twenty-five seconds", "Wait twenty six seconds"},
		{ClashNumbers, "Use 1,024 rows", "Use 1,025 rows"},
		{ClashNumbers, "Python 3.1 only", "Python 3.10 only"},
		{ClashNumbers, "Start at 1e-3", "Start at 1e-4"},
		{ClashNumbers, "Offset is -1", "Offset is 1"},
		{ClashNumbers, "Listen on IPv4", "Listen on IPv6"},
		{ClashNumbers, "The first worker writes", "The second worker writes"},
		{ClashNumbers, "Keep two hundred entries", "Keep two thousand entries"},
		{ClashNumbers, "Keep 10k entries", "Keep 10 entries"},
		{ClashNegation, "Commit generated files", "Do not commit generated files"},
		{ClashNegation, "Always lint", "Never lint"},
		{ClashNegation, "It can be cached", "It can't be cached"},
		{ClashNegation, "It can be cached", "It can’t be cached"},
		{ClashNegation, "Use globals", "Avoid globals"},
		{ClashNegation, "Deploy with review", "Deploy without review"},
		{ClashNegation, "Restart if empty", "Restart unless empty"},
		{ClashNegation, "Enable the cache", "Disable the cache"},
		{ClashNegation, "Calls are safe", "Calls are unsafe"},
		{ClashNegation, "Increasing the timeout helps", "Decreasing the timeout helps"},
		{ClashNegation, "Run it before the build", "Run it after the build"},
		{ClashOrder, "Run the linter before the formatter", "Run the formatter before the linter"},
		{ClashOrder, "Copy the staging bucket to the production bucket", "Copy the production bucket to the staging bucket"},
		{ClashOrder, "Run the unit tests before the style checker", "Run the style checker before the unit tests"},
		{ClashOrder, "Prefer clarity over speed", "Prefer speed over clarity"},
		{ClashNumbers, "Expire after 15 minutes", "Expire after 15 hours"},
		{ClashBounds, "Retry at least 3 times", "Retry at most 3 times"},
		{ClashQuantifier, "Log all calls", "Log only some calls"},
		{ClashScope, "Retry idempotent calls", "Retry only idempotent calls"},
		{ClashScope, "Encrypt backups", "Encrypt backups, except when the disk is"},
		{ClashNegation, "Use globals", "Using globals is harmful"},
		{ClashObject, "Store logs in Redis", "Store logs in Cassandra"},
		{ClashObject, "Tell the lawyer first thing", "Inform the accountant first thing"},
	} {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			clash, found := Guard{Words: toy}.Clash(p[0], p[1])
			if !found || clash.Why != c.why {
				t.Errorf("%q, %q: %v %+v, want %s", p[0], p[1], found, clash, c.why)
			}
			if _, found := (Guard{Off: true}).Clash(p[0], p[1]); found {
				t.Errorf("%q, %q: a guard that is off found a clash", p[0], p[1])
			}
		}
	}
}

// B4: what says the same passes.
func TestGuard_WhatPasses(t *testing.T) {
	for _, c := range [][2]string{
		{"Retry 3 times", "Retry three times"},
		{"Deploy on the 15th", "Deploy on day fifteen"},
		{"Use 1,024 rows", "Use 1024 rows"},
		{"Keep 10k entries", "Keep 10,000 entries"},
		{"Wait 30 seconds", "Wait thirty seconds"},
		{"Retry", "Retry 3 times"}, // adds detail
		{"Wait a second", "Wait a moment, then a second"},
		{"Never commit secrets", "Do not commit secrets"},
		{"Don't retry non-idempotent requests", "Never re-send requests that are not idempotent"},
		{"It is not safe", "It is unsafe"},
		{"Do not disable the cache", "Enable the cache"},
		{"Run the linter before the tests", "Run the tests after the linter"},
		{"Run the linter before the tests", "Before the tests, run the linter"},
		{"Read the message carefully before changing code", "Before changing code, carefully read the message"},
		{"Use black and isort", "Use isort and black"},
		{"Handle errors instead of ignoring them", "Handle errors, do not ignore them"},
		{"Tell the team", "Inform the team"},
		{"Fix the build", "Repair the build"},
		{"Use careful prompt engineering", "Prompt engineering improves accuracy"},
		{"Normalise the features", "Features should be normalised"},
		{"Same", "Same"},
	} {
		for _, p := range [][2]string{c, {c[1], c[0]}} {
			if clash, found := (Guard{Words: toy}).Clash(p[0], p[1]); found {
				t.Errorf("%q, %q: %+v", p[0], p[1], clash)
			}
		}
	}
}

// B4: without a lexicon the guard still knows kinds of things, and leaves
// other words alone.
func TestGuard_WithoutALexicon(t *testing.T) {
	if c, found := (Guard{}).Clash("Meet on Monday", "Meet on Friday"); !found || c.Why != ClashObject || c.Ours != "Monday" {
		t.Errorf("%v %+v", found, c)
	}
	if c, found := (Guard{}).Clash("Store logs in barrels", "Store logs in ledgers"); found {
		t.Errorf("%+v", c)
	}
}

// B4: capitals alone keep nothing apart, unless they make another unit.
func TestGuard_CapitalsAloneDoNotClash(t *testing.T) {
	for _, text := range []string{"linter unless linter A", "Run the linter unless the A build is red"} {
		if c, found := (Guard{Words: toy}).Clash(text, strings.ToUpper(text)); found {
			t.Errorf("%q clashes with itself: %+v", text, c)
		}
	}
	if _, found := (Guard{Words: toy}).Clash("Keep it below 5 mW", "Keep it below 5 MW"); !found {
		t.Error("milliwatts and megawatts are taken for the same")
	}
}

// B4: the guard is symmetric, passes what is equal, and never panics.
func TestGuard_IsSymmetric(t *testing.T) {
	words := strings.Fields("run the linter tests before after not never and or 15 16 fifteen safe unsafe to from copy A B don't minutes hours unless ß é 1e3 -4 second two hundred")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12), func(w []string) string { return strings.Join(w, " ") })
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		g := Guard{Words: toy}
		x, foundX := g.Clash(a, b)
		y, foundY := g.Clash(b, a)
		if foundX != foundY || foundX && x.Why != y.Why {
			t.Fatalf("%v %+v and %v %+v", foundX, x, foundY, y)
		}
		if c, found := g.Clash(a, strings.ToUpper(a)); found {
			t.Fatalf("%q clashes with itself: %+v", a, c)
		}
	})
}

func FuzzGuard(f *testing.F) {
	f.Add("Deploy on the 15th", "Don’t deploy 1e-3 two-hundred")
	f.Add("A before B", "B after A")
	f.Add("-1,000.5e+3k", ".5..5 1_0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || len(a)+len(b) > 2000 {
			t.Skip()
		}
		_, x := Guard{Words: toy}.Clash(a, b)
		_, y := Guard{Words: toy}.Clash(b, a)
		if x != y {
			t.Fatalf("%q, %q: %v and %v", a, b, x, y)
		}
	})
}
