package retrieval

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainly says that every word tells as much in the language at large.
func plainly(string) float64 { return 1 }

// counted says how many of some texts have each of their words.
func counted(texts []Said) Counted {
	c := Counted{Texts: int64(len(texts)), Have: map[string]int64{}}
	for _, t := range texts {
		words := Words(t.Summary + "\n" + t.Text)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			c.Have[w]++
		}
	}
	return c
}

// river is a project of notes on a river, among many on a bridge.
func river() []Said {
	texts := []Said{
		{"Oxygen at night", "# Oxygen at night\n\nThe gauge was cleaned in May. Oxygen falls behind the weir at night, when algae breathe and the flow is low.\nIt rises at noon.\n"},
		{"Flags of the logger", "| flag | meaning |\n|---|---|\n| `--oxygen` | log oxygen at the weir |\n\n- [Algae](algae.md) and oxygen at the weir\n\n![the weir](weir.png)\n"},
		{"Eels", "Eels climb the weir in spring, and nobody has counted them since."},
	}
	for i := range 40 {
		texts = append(texts, Said{fmt.Sprintf("Stone %d", i), "The bridge was built of stone, and nobody knows when. The night was cold."})
	}
	return texts
}

// C34: what bears on a piece of work is chosen by the words that tell, each text with one
// passage of whole sentences: prose before tables and lists of links.
func TestBearing_ChoosesPassages(t *testing.T) {
	texts := river()
	got, find := NewWork("Measure the oxygen behind the weir at night: algae, flow", "Why do the fish die?", counted(texts), plainly).Bearing(texts)
	want := "The gauge was cleaned in May. Oxygen falls behind the weir at night, when algae breathe and the flow is low. It rises at noon." // it is short
	if len(got) == 0 || got[0].Text != 0 || got[0].Words != want {
		t.Errorf("%+v", got)
	}
	texts[0].Text += strings.Repeat("Nobody knows the bridge. ", 40)
	want = "Oxygen falls behind the weir at night, when algae breathe and the flow is low."
	if got, _ := NewWork("Measure the oxygen behind the weir at night: algae, flow", "", counted(texts), plainly).Bearing(texts); len(got) == 0 || !strings.HasPrefix(got[0].Words, want+" It rises at noon.") {
		t.Errorf("of a longer one: %+v", got)
	}
	for _, p := range got {
		if p.Text > 1 {
			t.Errorf("%+v bears on it?", p)
		}
	}
	if !slices.Equal(find, []string{"oxygen", "behind", "weir", "algae", "flow"}) {
		t.Errorf("found by %q", find)
	}
}

// C34: a text that shares only common words with the work does not bear on it, nor does any
// on work that says only that it is what others leave.
func TestBearing_HasABar(t *testing.T) {
	texts := river()
	for _, work := range []string{"", "of the and", "zebras", "the rest", "everything else", "the night, and what nobody knows of stone"} {
		if got, find := NewWork(work, "Oxygen behind the weir at night?", counted(texts), plainly).Bearing(texts); len(got) != 0 || len(find) != 0 {
			t.Errorf("%q: %+v, %q", work, got, find)
		}
	}
	silent := func(word string) float64 {
		if word == "climb" {
			return 0
		}
		return 1
	}
	if got, _ := NewWork("climb", "", counted(texts), silent).Bearing(texts); len(got) != 0 {
		t.Errorf("a word that tells nothing in the language at large: %+v", got)
	}
	if got, _ := NewWork("eels", "", counted(texts), plainly).Bearing(texts); len(got) != 1 || got[0].Text != 2 {
		t.Errorf("one telling word: %+v", got)
	}
	few := texts[2:3]
	if got, _ := NewWork("eels", "", counted(few), plainly).Bearing(few); len(got) != 1 {
		t.Errorf("the only text of a project: %+v", got)
	}
}

// C34: a text has to share a good part of what the work tells, words that no text has
// counted: one odd word in common is a coincidence, unless the work says little else. Of work
// that is many things a text need not have all.
func TestBearing_CountsWhatNoTextHas(t *testing.T) {
	texts := river()
	bears := func(work string) int {
		c := counted(texts)
		for _, word := range Words(work) {
			c.Have[word] += 0
		}
		got, _ := NewWork(work, "", c, plainly).Bearing(texts)
		return len(got)
	}
	if n := bears("Weigh eels"); n != 1 {
		t.Errorf("half of the words are of one text: %d bear on it", n)
	}
	if n := bears("Weigh smoked eels, price tins, compare canneries and label jars"); n != 0 {
		t.Errorf("one word of eight is of a text: %d bear on it", n)
	}
	listed := "Count eels that climb in spring; "
	for i := range 40 {
		listed += fmt.Sprintf("then cannery%d; ", i)
	}
	if n := bears(listed); n != 1 {
		t.Errorf("one of many things is of a text: %d bear on it", n)
	}
}

// C34: a line of a program that has the words of the summary again is no passage: prose is.
func TestBearing_ProseBeforeUsage(t *testing.T) {
	text := "Trap the eels of the weir before they are counted. " + strings.Repeat("Nobody knows the bridge. ", 40) + "\n\n    river eels trap WEIR [flags]\n"
	texts := append(river()[3:], Said{"river: eels trap", text})
	got, _ := NewWork("eels: who may trap them", "", counted(texts), plainly).Bearing(texts)
	if len(got) != 1 || !strings.HasPrefix(got[0].Words, "Trap the eels of the weir") {
		t.Errorf("%+v", got)
	}
}

// C34: what the work is a part of only decides between texts that bear on it alike, and a
// passage is shown once.
func TestBearing_TheWholeCountsLittle(t *testing.T) {
	texts := append(river(), Said{"Eels again", "Eels climb the weir in spring, and nobody has counted them since."}, Said{"Eels", "Eels hide from the light below the mill."})
	got, _ := NewWork("eels", "What happens below the mill?", counted(texts), plainly).Bearing(texts)
	if len(got) != 3 || got[0].Text != len(texts)-1 || got[1].Words == "" || got[2].Words != "" {
		t.Errorf("%+v", got)
	}
}

// A passage has no more than so many characters, ends with a sentence where one does, and
// is cut between words elsewhere.
func TestBearing_PassagesAreShort(t *testing.T) {
	long := "Eels " + strings.Repeat("climb the weir é ", 60)
	for _, text := range []string{
		long, strings.Repeat("é", 2000) + " eels", long + ". " + long + ".", strings.Repeat("Eels climb it. ", 200), "x; " + strings.Repeat("eels; ", 300),
		strings.Repeat("| eels | climb |\n", 90), "```\n" + strings.Repeat("eels\n", 200) + "```\n", strings.Repeat("- eels climb\n", 90), "\teels\n" + long,
	} {
		texts := append(river()[3:], Said{"A text", text})
		got, _ := NewWork("eels", "", counted(texts), plainly).Bearing(texts)
		i := slices.IndexFunc(got, func(p Passage) bool { return p.Text == len(texts)-1 })
		if i < 0 {
			t.Errorf("%.40q does not bear on eels", text)
			continue
		}
		if n := utf8.RuneCountInString(got[i].Words); n == 0 || n > passageRunes || !utf8.ValidString(got[i].Words) || strings.Contains(got[i].Words, "\n") {
			t.Errorf("%.40q: %d characters: %q", text, n, got[i].Words)
		}
	}
}

// Nothing of a text is lost but headings, pictures, the lines of tables and fences, and
// the marks of lists.
func TestParagraphsOf_LosesNothing(t *testing.T) {
	text := "# Head\n\nOne sentence. Another one; e.g. this (see 3. above)? Yes!\nA line that is wrapped since it is so long that it goes on in the next\nline of it.\n\n" +
		"- an entry\n  that goes on\n1. a second\n\n| a | b |\n|---|---|\n| c | d |\n\n    indented\n"
	var got []string
	for _, p := range paragraphsOf(text) {
		got = append(got, fmt.Sprintf("%.1f %q", p.share, p.sentences))
	}
	want := []string{
		`1.0 ["One sentence." "Another one; e.g. this (see 3. above)?" "Yes!" "A line that is wrapped since it is so long that it goes on in the next line of it."]`,
		`1.0 ["an entry" "that goes on"]`, `1.0 ["1. a second"]`, `0.5 ["| a | b |"]`, `0.5 ["| c | d |"]`, `0.5 ["indented"]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
