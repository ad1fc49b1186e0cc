package claim

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// B4, C25: of every pair it was made with, what is read and what differs, word
// by word. Who changes a rule sees here what else it changes.
func TestCompare_TellsEveryDifference(t *testing.T) {
	const path = "testdata/readings.golden"
	var out strings.Builder
	for _, p := range loadPairs(t) {
		a, b := Read(p.a), Read(p.b)
		c := Compare(a, b, nil)
		fmt.Fprintf(&out, "%s\n%s\n  %s; covers %t, %t; overlap %t\n", p.a, p.b, c.Verdict, Covers(a, b), Covers(b, a), Overlap(a, b))
		for _, d := range c.Differences {
			fmt.Fprintf(&out, "  %s: %q, %q, opposes %t\n", d.Kind, d.Ours, d.Theirs, d.Opposes)
		}
		for _, text := range []string{p.a, p.b} {
			fmt.Fprintf(&out, "  %s | %s | %+v\n", Subject(text), strings.Join(Words(text), " "), ParseRelation(text))
			if q, ok := ParseQuantity(text); ok {
				fmt.Fprintf(&out, "  %s\n", bared(q, ok))
			}
		}
	}
	golden(t, path, out.String())
}

// C25: what every unit is, by its symbol, its name and with a prefix, what every
// number word counts, and how quantities are written.
func TestParseQuantity_KnowsItsUnitsAndWords(t *testing.T) {
	texts := []string{
		"1/2 h", "2 1/2 h", "1½ h", "1.5e-3 m", "1,5 m", "1,500 m", "1 500 m", "1_500 m", "-3 °C", "3–5 mm", "between 3 and 5 mm", "3 ± 0.5 mm",
		"at least 3 mm", "at most 3 mm", "more than 3 mm", "less than 3 mm", "about 3 mm", "exactly 3 mm", "up to 3 mm", "3 mm or more",
		"no fewer than three", "a dozen", "a couple of days", "half an hour", "half of them", "two thirds", "a third of the cells", "one in ten",
		"nine of ten", "9/10", "90 %", "90 percent", "twice", "three times", "3-fold", "3x", "the 15th", "15 per second", "15/s", "15 s⁻¹", "15 Hz",
		"3 times a day", "5 requests per minute", "10 µm²/s", "1 mg/mL", "36 km/h", "2 h 30 min", "5 min 10 s", "3 m²", "3 kg/s", "3 J/s", "20 degrees", "20 degrees Fahrenheit",
		"ten thousand", "two hundred and five", "1.5 million", "3 billion", "10k", "2M", "$5", "5 USD", "€5.50", "a hundredth", "five hundredths",
	}
	for word := range maps.Keys(units().names) {
		texts = append(texts, "3 "+word)
	}
	for symbol := range maps.Keys(units().symbols) {
		texts = append(texts, "3 "+symbol)
	}
	for _, words := range []map[string]float64{numberWords(), ordinalWords(), shareWords()} {
		for word := range maps.Keys(words) {
			texts = append(texts, word, "two "+word, word+" of them", "twenty "+word)
		}
	}
	slices.Sort(texts)
	var out strings.Builder
	for _, text := range slices.Compact(texts) {
		q, ok := ParseQuantity(text)
		fmt.Fprintf(&out, "%s: %s\n", text, bared(q, ok))
	}
	golden(t, "testdata/quantities.golden", out.String())
}

// bared is a quantity as it is, not as it is written.
func bared(q Quantity, ok bool) string {
	if !ok {
		return "none"
	}
	u := q.unit
	return fmt.Sprintf("%s %.12g %.12g of %v %.12g %.12g, flags %t %t %t %t %t", q.bound, q.first, q.second,
		u.dimension, u.factor, u.offset, u.loose, u.share, q.about, q.ordinal, q.denied)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
