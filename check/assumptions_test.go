package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// assume reads "subject | relation | value", with a leading ! for a denial.
func assume(id string, m brenner.Module, s string) Assumption {
	s, denied := strings.CutPrefix(s, "!")
	parts := strings.Split(s, " | ")
	a := Assumption{Ref: ref(id), Module: m, Denied: denied, Subject: parts[0], Statement: s}
	if len(parts) == 3 {
		a.Relation, a.Value = parts[1], parts[2]
	}
	return a
}

// C25: structured assumptions clash where both cannot hold.
func TestAssumptions_StructuredClashes(t *testing.T) {
	const conflict, suspect = brenner.CodeAssumptionConflict, brenner.CodeAssumptionSuspect
	for _, tt := range []struct {
		a, b string
		want brenner.Code
	}{
		// The same, asserted and denied.
		{"cells | divide | symmetrically", "!cells | divide | symmetrically", conflict},
		{"Cells | divide | symmetrically", "!cells | DIVIDE | Symmetrically", conflict},
		{"decay_rate | is | uniform", "!decay rate | equals | uniform", conflict},
		{"cells | divide | symmetrically", "cells | divide | symmetrically", ""},
		{"!cells | divide | symmetrically", "!cells | divide | symmetrically", ""},
		{"cells | have | walls", "cells | have | nuclei", ""},
		{"cells | have | walls", "!plants | have | walls", ""},
		// Values: equals has one, is may have several.
		{"solver | equals | euler", "solver | = | rk4", conflict},
		{"gradient | is | exponential", "gradient | is | linear", suspect},
		{"gradient | is | exponential", "!gradient | is | linear", ""},
		{"feedback | is | true", "feedback | is | false", conflict},
		{"feedback | is | true", "!feedback | is | false", ""},
		// Quantities.
		{"D | is | 10", "D | is | 10.0", ""},
		{"D | is | 10", "D | is | 12", conflict},
		{"D | is | 10 µm²/s", "D | is | 12 µm²/s", conflict},
		{"D | is | 10 µm²/s", "D | is | 10 mm²/s", conflict},
		{"D | is | 10 µm²/s", "D | is | 1e-5 mm²/s", ""},
		{"D | is | 10", "D | is | large", ""},
		{"D | is | 10", "!D | is | 10", conflict},
		{"D | is | 10", "!D | is | 11", ""},
		{"n | at_least | 5", "n | at_most | 3", conflict},
		{"n | at_least | 5", "n | at_most | 5", ""},
		{"n | more than | 5", "n | at_most | 5", conflict},
		{"n | > | 5", "n | < | 5", conflict},
		{"n | >= | 5", "n | is | 4", conflict},
		{"n | >= | 5", "n | is | 6", ""},
		{"n | at_least | 5", "!n | at_least | 7", ""},
		{"n | at_least | 7", "!n | at_least | 5", conflict},
		{"!n | at_most | 7", "!n | at_least | 5", conflict},
		{"!n | more than | 5", "n | is | 6", conflict},
		{"!n | less than | 5", "n | is | 4", conflict},
		{"n | at_least | 5 kg", "n | at_most | 3 g", conflict},
		{"n | at_least | 5 kg", "n | at_most | 3 m", ""},
		{"n | divides | 5", "n | divides | 6", ""},
		{"n | at_least | 1e3", "n | at_most | 999", conflict},
		// Not structured.
		{"n | is | ", "n | is | 5", ""},
		{"only words", "!only words", ""},
	} {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			got, err := Assumptions([]Assumption{assume("a@1", "m", pair[0]), assume("b@1", "n", pair[1])}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			code := brenner.Code("")
			if len(got.Findings) > 0 {
				code = got.Findings[0].Code
			}
			if code != tt.want || len(got.Findings) > 1 {
				t.Errorf("%s and %s: %q, want %q", pair[0], pair[1], code, tt.want)
			}
		}
	}
}

// C25: intervals are apart exactly if no number near their bounds is in both.
func TestAssumptions_IntervalsAgreeWithTryingNumbers(t *testing.T) {
	relations := []string{"is", "at_least", "at_most", "more than", "less than"}
	holds := func(a Assumption, x float64) bool {
		v, _ := strconv.ParseFloat(a.Value, 64)
		ok := map[string]bool{"is": x == v, "at_least": x >= v, "at_most": x <= v, "more than": x > v, "less than": x < v}[a.Relation]
		return ok != a.Denied
	}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(id string, m brenner.Module) Assumption {
			a := Assumption{Ref: ref(id), Module: m, Subject: "x", Relation: rapid.SampledFrom(relations).Draw(rt, "relation")}
			a.Value = fmt.Sprint(rapid.IntRange(0, 4).Draw(rt, "value"))
			a.Denied = rapid.Bool().Draw(rt, "denied")
			return a
		}
		a, b := draw("a@1", "m"), draw("b@1", "n")
		both := false
		for x := -1.0; x <= 6; x += 0.5 {
			both = both || holds(a, x) && holds(b, x)
		}
		got, err := Assumptions([]Assumption{a, b}, Options{})
		if err != nil || (len(got.Findings) == 1) == both {
			rt.Fatalf("%+v and %+v: %v, both can hold: %v", a, b, got.Findings, both)
		}
	})
}

// C25: statements that are nearly the same, but for a negation, a number or the
// order of things, are candidates, in one module too.
func TestAssumptions_NearDuplicatesThatDiffer(t *testing.T) {
	say := func(id string, m brenner.Module, s string) Assumption {
		return Assumption{Ref: ref(id), Module: m, Statement: s}
	}
	all := []Assumption{
		say("a@1", "discs", "The decay rate is uniform across the tissue."),
		say("b@1", "limbs", "The decay rate is not uniform across the tissue."),
		say("c@1", "discs", "The decay rate is never uniform across the tissue."),
		say("d@1", "limbs", "Discs were fixed for 20 minutes before imaging."),
		say("e@1", "discs", "Discs were fixed for 30 minutes before imaging."),
		say("f@1", "limbs", "The decay rate is uniform across the tissue"),
		say("g@1", "limbs", "Something else is not so."),
		say("h@1", "limbs", "Staining comes before the fixing of embryos."),
		say("i@1", "discs", "Fixing comes before the staining of embryos."),
	}
	got, err := Assumptions(all, Options{Embed: bag})
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, f := range got.Findings {
		if f.Code != brenner.CodeAssumptionSuspect || f.Similarity < AlikeThreshold || f.Excerpt == "" || f.Hint == "" {
			t.Errorf("%+v", f)
		}
		pairs = append(pairs, f.Target.String()+" "+f.Other.String())
	}
	if d := cmp.Diff([]string{"a@1 b@1", "a@1 c@1", "b@1 f@1", "c@1 f@1", "d@1 e@1", "h@1 i@1"}, pairs); d != "" {
		t.Error(d)
	}
	if got, err = Assumptions(all, Options{}); err != nil || len(got.Findings) != 0 {
		t.Errorf("without vectors: %v, %v", got.Findings, err)
	}
	if got, err = Assumptions(all[:8], Options{Embed: bag, Threshold: 0.999}); err != nil || len(got.Findings) != 0 {
		t.Errorf("above the threshold: %v, %v", got.Findings, err)
	}
}

// C25: the order in which assumptions come does not matter, nor are they
// changed.
func TestAssumptions_OrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all []Assumption
		for i := range rapid.IntRange(0, 8).Draw(rt, "n") {
			s := rapid.SampledFrom([]string{"x | is | 1", "x | is | 2", "!x | is | 1", "x | at_least | 2", "y | has | z", "!y | has | z"}).Draw(rt, "claim")
			all = append(all, assume(fmt.Sprintf("a%d@1", i), rapid.SampledFrom([]brenner.Module{"m", "n", "o"}).Draw(rt, "module"), s))
		}
		want, err := Assumptions(all, Options{Embed: bag})
		if err != nil {
			rt.Fatal(err)
		}
		shuffled := rapid.Permutation(all).Draw(rt, "order")
		before := slices.Clone(shuffled)
		got, err := Assumptions(shuffled, Options{Embed: bag})
		if d := cmp.Diff(want, got) + cmp.Diff(before, shuffled); d != "" || err != nil {
			rt.Fatal(d, err)
		}
		// A4: what is looked for about one version is what is found about it
		// among all.
		collected, err := Collect(shuffled, Options{Embed: bag})
		if err != nil {
			rt.Fatal(err)
		}
		for _, a := range all {
			about := slices.DeleteFunc(slices.Clone(want.Findings), func(f Finding) bool { return f.Target != a.Ref && *f.Other != a.Ref })
			if d := cmp.Diff(about, collected.About(a.Ref).Findings, cmpopts.EquateEmpty()); d != "" {
				rt.Fatalf("about %s: %s", a.Ref, d)
			}
		}
	})
}

func TestAssumptions_Bounds(t *testing.T) {
	if _, err := Assumptions(make([]Assumption, brenner.MaxAssumptions+1), Options{}); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("got %v", err)
	}
	all := []Assumption{assume("a@1", "m", "x | is | 1")}
	for i := range brenner.MaxCheckFindings + 7 {
		all = append(all, assume(fmt.Sprintf("b%d@1", i), "n", "x | is | 2"))
	}
	if got, err := Assumptions(all, Options{}); err != nil || len(got.Findings) != brenner.MaxCheckFindings || got.More != 7 {
		t.Errorf("%d findings, %d more, %v", len(got.Findings), got.More, err)
	}
	broken := errors.New("no vectors today")
	if _, err := Assumptions(all, Options{Embed: func([]string) ([][]float32, error) { return nil, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// C25: the content of an assumption artifact is read as its schema has it.
func TestParseAssumption(t *testing.T) {
	for _, tt := range []struct {
		content string
		want    Assumption
		held    bool
	}{
		{`{"statement":"D is 10"}`, Assumption{Statement: "D is 10"}, true},
		{
			`{"statement":"s","subject":"D","relation":"is","value":10,"polarity":"denied","status":"verified","more":1}`,
			Assumption{Statement: "s", Subject: "D", Relation: "is", Value: "10", Denied: true},
			true,
		},
		{`{"statement":"s","value":"10 µm","polarity":"asserted","status":"falsified"}`, Assumption{Statement: "s", Value: "10 µm"}, false},
		{`{"statement":"s","value":true}`, Assumption{Statement: "s", Value: "true"}, true},
	} {
		got, held, err := ParseAssumption(ref("a@1"), "m", []byte(tt.content))
		tt.want.Ref, tt.want.Module = ref("a@1"), "m"
		if d := cmp.Diff(tt.want, got); d != "" || held != tt.held || err != nil {
			t.Errorf("%s: %v %v %s", tt.content, held, err, d)
		}
	}
	for _, bad := range []string{`{`, `{"statement":1}`, `[]`} {
		if _, _, err := ParseAssumption(ref("a@1"), "m", []byte(bad)); brenner.CodeOf(err) != brenner.CodeInvalidJSON {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// BenchmarkAssumptions compares as many assumptions as there can be with each
// other; x-cosine is the time of a pair in dot products of the same length.
func BenchmarkAssumptions(b *testing.B) {
	words := strings.Fields("decay growth source width noise gradient receptor feedback division tension pressure timing uniform constant local rapid")
	var all []Assumption
	for i := range brenner.MaxAssumptions {
		w := func(n int) string { return words[(i*n/7+n)%len(words)] }
		all = append(all, Assumption{
			Ref: ref(fmt.Sprintf("a%d@1", i)), Module: brenner.Module(fmt.Sprintf("m%d", i%5)),
			Statement: fmt.Sprintf("%s %s of %s is %s in %s %d", w(3), w(5), w(11), w(13), w(17), i%9),
			Subject:   fmt.Sprint(w(3), i%400), Relation: "is", Value: fmt.Sprint(i % 2),
		})
	}
	vectors, err := bag([]string{"one text", "another text"})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Assumptions(all, Options{Embed: bag}); err != nil {
			b.Fatal(err)
		}
	}
	perPair := float64(b.Elapsed()) / float64(b.N) / float64(len(all)*(len(all)-1)/2)
	const products = 1_000_000
	start, sum := time.Now(), 0.0
	for range products {
		sum += cosine(vectors[0], vectors[1])
	}
	b.ReportMetric(perPair, "ns/pair")
	b.ReportMetric(perPair*products/float64(time.Since(start)), "x-cosine")
	if sum == 0 {
		b.Error("the vectors have nothing in common")
	}
}
