package sessions

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"brenner/delta"
)

// found counts pairs of items that say nearly the same, and such as are only about the
// same subject: how many there are, and of how many like says that they are alike.
type found struct{ alike, told, about, wrong, others, far int }

func (f found) precision() float64 { return float64(f.told) / float64(max(1, f.told+f.wrong)) }
func (f found) recall() float64    { return float64(f.told) / float64(f.alike) }

// D4, X11: on items in the words of different authors, of which half were held out when the
// threshold was chosen, most that say the same are noticed, and few that do not.
func TestLike_InOtherWords(t *testing.T) {
	data, err := os.ReadFile("testdata/alike.tsv")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][2]string{
		"X": {string(delta.AnomalyRegister), "observation"}, "A": {string(delta.AssumptionLedger), "statement"}, "H": {string(delta.HypothesisSlate), "claim"},
		"C": {string(delta.AdversarialCritique), "attack"}, "T": {string(delta.DiscriminativeTests), "procedure"},
	}
	type item struct {
		subject          int
		content, section string
		said             *said
	}
	var all []item
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "\t")
		n, err := strconv.Atoi(cells[0])
		if err != nil {
			t.Fatal(err)
		}
		field := fields[cells[2]]
		texts := map[string]string{"name": cells[3], field[1]: cells[4]}
		if cells[2] == "H" { // what it claims, and how that comes about
			texts["claim"], texts["mechanism"], _ = strings.Cut(cells[4], ". ")
			if texts["mechanism"] == "" {
				texts["claim"], texts["mechanism"], _ = strings.Cut(cells[4], "; ")
			}
			if texts["mechanism"] == "" {
				texts["claim"], texts["mechanism"] = cells[4], cells[4]
			}
		}
		all = append(all, item{n, cells[1], cells[2], saidBy(itemOf(t, delta.Section(field[0]), texts))})
	}
	var halves [2]found
	for i := range all {
		for k := range all[:i] {
			one, other := &all[i], &all[k]
			if one.section != other.section {
				continue
			}
			f, like := &halves[one.subject%2], one.said.like(other.said) != unlike
			switch {
			case one.subject != other.subject:
				f.others++
				if like {
					f.far++
				}
			case one.content == other.content:
				f.alike++
				if like {
					f.told++
				}
			default:
				f.about++
				if like {
					f.wrong++
				}
			}
		}
	}
	for half, name := range []string{"held out", "chosen on"} {
		f := halves[half]
		t.Logf("%s: of %d that say the same %d are noticed, of %d about the same subject %d are called alike, of %d others %d: precision %.2f, recall %.2f",
			name, f.alike, f.told, f.about, f.wrong, f.others, f.far, f.precision(), f.recall())
		if f.alike < 24 || f.about < 48 {
			t.Errorf("%s: too few pairs: %+v", name, f)
		}
		if f.precision() < leastPrecision || f.recall() < leastRecall || f.far > 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

const leastPrecision, leastRecall = 0.75, 0.5
