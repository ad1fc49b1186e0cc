package claim

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// pair is a line of testdata/pairs.tsv.
type pair struct{ verdict, a, b string }

func loadPairs(t *testing.T) []pair {
	t.Helper()
	text, err := os.ReadFile("testdata/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 3 {
			t.Fatalf("%q has %d fields", line, len(fields))
		}
		out = append(out, pair{fields[0], fields[1], fields[2]})
	}
	if len(out) < 150 {
		t.Fatalf("only %d pairs", len(out))
	}
	return out
}

// B4: what says the same is the same, what differs is apart, and only what
// cannot both hold is opposed.
// C25: statements are opposed by negation, quantifier, antonym or numbers under
// the same condition.
func TestCompare_OnThePairsItWasMadeWith(t *testing.T) {
	for _, p := range loadPairs(t) {
		for _, order := range [][2]string{{p.a, p.b}, {p.b, p.a}} {
			c := Compare(Read(order[0]), Read(order[1]), nil)
			if c.Verdict.String() != p.verdict {
				t.Errorf("%q, %q: %s %+v, want %s", order[0], order[1], c.Verdict, c.Differences, p.verdict)
			}
		}
	}
}

// B4: the kind of a difference and its words are named.
func TestCompare_NamesTheDifference(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		ours, theirs string
		a, b         string
	}{
		{Numbers, "15 minutes", "15 hours", "Tokens expire after 15 minutes.", "Tokens expire after 15 hours."},
		{Bounds, "at least 3 times", "at most 3 times", "Retry at least 3 times.", "Retry at most 3 times."},
		{Quantifier, "all", "onlysome", "All requests are logged.", "Only some requests are logged."},
		{Scope, "only", "", "Retry only idempotent requests.", "Retry idempotent requests."},
		{Scope, "", "except the nightly ones", "Encrypt all backups.", "Encrypt all backups except the nightly ones."},
		{Strength, "must", "may", "The lock must be held.", "The lock may be held."},
		{Object, "Mondays", "Fridays", "Deploy on Mondays.", "Deploy on Fridays."},
		{Remark, "", "causes", "Retry requests.", "Retrying requests causes duplicates."},
	} {
		got := Compare(Read(c.a), Read(c.b), nil)
		want := Difference{Kind: c.kind, Ours: c.ours, Theirs: c.theirs}
		if len(got.Differences) != 1 {
			t.Errorf("%q, %q: %+v", c.a, c.b, got.Differences)
			continue
		}
		d := got.Differences[0]
		if d.Opposes = false; d != want {
			t.Errorf("%q, %q: %+v, want %+v", c.a, c.b, d, want)
		}
	}
}

// B4: comparing is symmetric, a sentence is the same as itself in capitals, and
// no text is too strange.
func TestCompare_IsSymmetric(t *testing.T) {
	words := strings.Fields(`run the linter tests before after not never and or 15 16 fifteen safe unsafe to from copy A B don't minutes hours
		unless ß é 1e3 -4 second two hundred % ≥ at least most only except if , . 3-5 between half of a per /s than faster slower is harmful`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, 14), func(w []string) string { return strings.Join(w, " ") })
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		x, y := Compare(Read(a), Read(b), nil), Compare(Read(b), Read(a), nil)
		if x.Verdict != y.Verdict || len(x.Differences) != len(y.Differences) {
			t.Fatalf("%+v and %+v", x, y)
		}
		for i, d := range x.Differences {
			if o := y.Differences[i]; d.Kind != o.Kind || d.Ours != o.Theirs || d.Theirs != o.Ours {
				t.Fatalf("%+v and %+v", d, o)
			}
		}
		if c := Compare(Read(a), Read(a+" "), nil); c.Verdict != Same {
			t.Fatalf("%q differs from itself: %+v", a, c)
		}
	})
}

func FuzzCompare(f *testing.F) {
	f.Add("Deploy on the 15th", "Don’t deploy 1e-3 two-hundred")
	f.Add("A before B", "B after A")
	f.Add("-1,000.5e+3k", ".5..5 1_0 5 ± 3 µm²/s")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || len(a)+len(b) > 2000 {
			t.Skip()
		}
		if x, y := Compare(Read(a), Read(b), nil), Compare(Read(b), Read(a), nil); x.Verdict != y.Verdict {
			t.Fatalf("%q, %q: %v and %v", a, b, x, y)
		}
		ParseQuantity(a)
		ParseRelation(a)
		Subject(b)
	})
}

// B4: sentences that differ in signs, in a negation of another language, or behind the
// words that are read are not the same.
func TestCompare_WhatIsNotRead(t *testing.T) {
	long := strings.Repeat("Every step of the release is written down here. ", 30)
	for _, c := range []struct {
		kind Kind
		a, b string
	}{
		{Object, "Use == to compare with null", "Use != to compare with null"},
		{Object, "Use == when comparing strings", "To compare strings use ==="},
		{Object, "In C check the return value", "In C++ check the return value"},
		{Object, "Prefer C# for services", "Prefer C++ for services"},
		{Object, "Join the conditions with &&", "Join the conditions with ||"},
		{Bounds, "Loop while i < n", "Loop while i <= n"},
		{Object, "Loop while i < n", "Loop while i > n"},
		{Object, "Stop if !ok", "Stop if ok"},
		{Object, "Return [] for nothing", "Return {} for nothing"},
		{Negation, "Verwende den Zwischenspeicher", "Verwende den Zwischenspeicher nicht"},
		{Negation, "Lies eine Datei ein", "Lies keine Datei ein"},
		{Negation, "Utilisez le cache", "N'utilisez pas le cache"},
		{Negation, "Usa la memoria compartida", "Nunca usa la memoria compartida"},
		{Negation, "Usa la memoria compartida", "No usa la memoria compartida"},
		{Negation, "Kör testerna parallellt", "Kör inte testerna parallellt"},
		{Negation, "Lagra svaret", "Lagra ej svaret"},
		{Object, long + "Tag the commit.", long + "Skip the commit."},
	} {
		for _, order := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got := Compare(Read(order[0]), Read(order[1]), nil)
			if got.Verdict == Same || got.Differences[0].Kind != c.kind {
				t.Errorf("%q, %q: %s %+v, want %s", order[0], order[1], got.Verdict, got.Differences, c.kind)
			}
		}
	}
	for _, c := range [][2]string{
		{"Never do that!", "Never do that."},
		{"Use **bold** words", "Use bold words"},
		{"Chain commands with &&", "With && chain commands"},
		{"Keep it < 5 ms", "Keep it below 5 ms"},
		{"Verwende den Speicher nicht", "Den Speicher nicht verwende"},
		{long + "Tag the commit.", long + "tag the commit"},
	} {
		if got := Compare(Read(c[0]), Read(c[1]), nil); got.Verdict != Same {
			t.Errorf("%q, %q: %s %+v", c[0], c[1], got.Verdict, got.Differences)
		}
	}
}
