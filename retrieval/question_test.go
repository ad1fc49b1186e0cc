package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"brenner"
)

func weightOf(terms []Term, word string) float64 {
	for _, t := range terms {
		if t.Word == word {
			return t.weight()
		}
	}
	return 0
}

// C21: the words of a question all count, also those of two or three letters,
// and more if they come again or are names.
func TestQuestion_AllItsWordsCount(t *testing.T) {
	got := Question("Does the pH, or the GPU, change DNA? DNA!")
	want := []Term{{Word: "chang", Own: 1}, {Word: "dna", Own: 1 + nameWeight}, {Word: "gpu", Own: nameWeight}, {Word: "ph", Own: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("terms %v, want %v", got, want)
	}
	if got := Question("what is it?"); len(got) != 0 {
		t.Errorf("a question without a telling word gives %v", got)
	}
}

// C21: of a task the words count less that the project's own tasks often have,
// whatever they are; what only this task has counts in full.
func TestTask_WhatTasksOftenHaveCountsLess(t *testing.T) {
	var tasks []string
	for i := range 40 {
		tasks = append(tasks, fmt.Sprintf("Kartoffel zuerst, dann item%d mit Senf", i))
	}
	terms := NewHabits(tasks).Task("Kartoffel zuerst, dann Katalase mit Senf")
	for _, w := range []string{"kartoffel", "zuerst", "senf"} {
		if x := weightOf(terms, w); x > 0.25*nameWeight || x <= 0 {
			t.Errorf("%s of every task weighs %v", w, x)
		}
	}
	if x := weightOf(terms, "katalas"); x != nameWeight {
		t.Errorf("what no other task has weighs %v", x)
	}
}

// C21: what stands in a sentence full of instructions counts less than what a
// sentence without any says, and where a task asks a question, what it says besides
// counts least.
func TestTask_TheSentenceThatTellsLeads(t *testing.T) {
	const task = "Go through the notes, list what supports it by Friday and mark the gaps. The yield of the reactor falls in winter."
	for text, want := range map[string][2]string{
		task: {"reactor", "fridai"},
		"Do not guess. Why does the yield of the reactor fall in winter?": {"reactor", "guess"},
		"Cite sources. Subject: the yield of the reactor in winter":       {"yield", "subject"},
	} {
		terms := Habits{}.Task(text)
		if much, little := weightOf(terms, want[0]), weightOf(terms, want[1]); much < 0.9 || little <= 0 || little > 0.6*much {
			t.Errorf("%q: %s weighs %v, %s %v", text, want[0], much, want[1], little)
		}
	}
	if got := (Habits{}).About(task); got != "The yield of the reactor falls in winter." {
		t.Errorf("about %q", got)
	}
	if got := (Habits{}).About("Compare catalase and peroxidase."); got != "Compare catalase and peroxidase." {
		t.Errorf("a task of one sentence is about %q", got)
	}
}

// Names are words with a capital that begin no sentence; in a title capitals say
// nothing.
func TestQuestion_NamesCountMore(t *testing.T) {
	terms := Question("Which song does Tobias like? Songs of Mara are sad.")
	if got := [3]float64{weightOf(terms, "tobia"), weightOf(terms, "mara"), weightOf(terms, "song")}; got != [3]float64{nameWeight, nameWeight, 2} {
		t.Errorf("weights %v", got)
	}
	if x := weightOf(Question("Effects Of Heat On Steel"), "steel"); x != 1 {
		t.Errorf("a word of a title weighs %v", x)
	}
}

// A summary that only says its text again counts no more than the text does.
func TestSummaryWeight(t *testing.T) {
	for _, c := range []struct{ summary, said, text, want int }{
		{10, 10, 10, 0},
		{10, 8, 19, 0},
		{10, 7, 12, 3}, // it says something of its own
		{1, 1, 4, 0},
		{10, 10, 24, 3}, // it condenses
		{10, 0, 0, 3},
	} {
		if got := SummaryWeight(c.summary, c.said, c.text); got != c.want {
			t.Errorf("%d words, %d of them in a text of %d: %d, want %d", c.summary, c.said, c.text, got, c.want)
		}
	}
}

// A project that has had few tasks, all about one thing, has not made that thing
// a phrase; and words of instructions are known for what they are before the
// first task.
func TestTask_FewTasksSayLittle(t *testing.T) {
	terms := NewHabits([]string{"catalase at low pH", "catalase in yeast"}).Task("Summarise what our notes say about catalase, with references")
	if x := weightOf(terms, "catalas"); x < 0.8 {
		t.Errorf("the subject of two tasks weighs %v", x)
	}
	for _, w := range []string{"summaris", "note", "refer"} {
		if x := weightOf(terms, w); x > 0.5 {
			t.Errorf("%s weighs %v before any habit is known", w, x)
		}
	}
}

// A word near in meaning counts less than the word itself, and never one that
// stands in the question.
func TestExpand_AddsWordsNearInMeaning(t *testing.T) {
	terms := Expand(Question("bought bought film"), []Near{
		{Of: "bought", Word: "purchas", Likeness: 0.9},
		{Of: "film", Word: "bought", Likeness: 0.9},
		{Of: "film", Word: "movi", Likeness: 0.8},
		{Of: "film", Word: "purchas", Likeness: 0.6},
		{Of: "film", Word: "far", Likeness: LeastLikeness - 0.01},
		{Of: "elsewhere", Word: "place", Likeness: 1},
	})
	want := []Term{
		{Word: "bought", Own: 2},
		{Word: "film", Own: 1},
		{Word: "movi", Expansion: expansionShare * 0.8},
		{Word: "purchas", Expansion: expansionShare * 0.9 * 2},
	}
	if len(terms) != len(want) {
		t.Fatalf("terms %v, want %v", terms, want)
	}
	for i := range want {
		if terms[i].Word != want[i].Word || math.Abs(terms[i].weight()-want[i].weight()) > 1e-12 {
			t.Errorf("term %v, want %v", terms[i], want[i])
		}
	}
}

// Feedback brings the words that the best texts share and few others have, and
// leaves the words of the question most of the weight.
func TestFeedback_BringsTheWordsOfTheBestTexts(t *testing.T) {
	stats := Statistics{Documents: 1000, Length: 150_000}
	best := []Reading{
		{Document{Text: "catalase breaks peroxide down in cells"}, 3},
		{Document{Text: "peroxide and catalase in the liver of cells"}, 2},
	}
	all := Candidates(stats, best)
	counts := map[string]int64{"catalas": 4, "peroxid": 5, "cell": 900, "break": 300, "liver": 20}
	var have []int64
	for _, c := range all {
		have = append(have, counts[c.Word])
	}
	if !EnoughCandidates(stats, all, have) {
		t.Error("all candidates are not enough")
	}
	terms := Feedback(stats, Question("catalase"), all, have)
	if weightOf(terms, "peroxid") <= weightOf(terms, "liver") || weightOf(terms, "liver") <= weightOf(terms, "cell") {
		t.Errorf("terms %+v", terms)
	}
	own, added := 0.0, 0.0
	for _, x := range terms {
		own += x.Own
		added += x.Feedback
	}
	if own != 1 || math.Abs(own/(own+added)-ownShare) > 1e-9 {
		t.Errorf("own words keep %v of %v", own, own+added)
	}
	if got := Feedback(stats, Question("catalase"), nil, nil); len(got) != 1 {
		t.Errorf("without texts the question becomes %v", got)
	}
}

// Feedback looks up how many texts have a word only for those that can be taken.
func TestFeedback_StopsWhenNoOtherWordCanBeTaken(t *testing.T) {
	stats := Statistics{Documents: 100_000, Length: 20_000_000}
	var often, once strings.Builder
	for i := range 40 {
		fmt.Fprintf(&often, strings.Repeat("often%d ", 12), slices.Repeat([]any{i}, 12)...)
		fmt.Fprintf(&once, "once%d ", i)
	}
	all := Candidates(stats, []Reading{{Document{Summary: often.String(), Text: often.String() + once.String()}, 1}})
	have := slices.Repeat([]int64{2}, 40)
	if !EnoughCandidates(stats, all, have) {
		t.Error("words that stand once are looked up although none can be taken")
	}
	if EnoughCandidates(stats, all, have[:feedbackWords-1]) {
		t.Error("fewer than are taken are called enough")
	}
	every := slices.Repeat([]int64{2}, len(all))
	if a, b := Feedback(stats, nil, all, have), Feedback(stats, nil, all, every); len(a) != len(b) {
		t.Errorf("%d words are taken of some, %d of all", len(a), len(b))
	}
}

// Of a text of thousands of words those are asked for that tell most.
func TestTelling_KeepsWhatTellsMost(t *testing.T) {
	stats := Statistics{Documents: 1000, Length: 100_000}
	terms := []Term{{Word: "a", Own: 1}, {Word: "b", Own: 1}, {Word: "c", Own: 2}, {Word: "d", Own: 1}}
	got, have := Telling(stats, terms, []int64{900, 3, 3, 0}, 2)
	if len(got) != 2 || got[0].Word != "b" || got[1].Word != "c" || have[0] != 3 || have[1] != 3 {
		t.Errorf("kept %v %v", got, have)
	}
}

// Whatever stands on a page, reading it ends with an error or a list, never with
// a panic: a database can be damaged.
func FuzzPages(f *testing.F) {
	var b Builder
	for i := range 300 {
		if err := b.Add(Document{Name: Name{brenner.ArtifactID(fmt.Sprintf("n%03d", i)), 1}, Summary: "shared", Text: fmt.Sprintf("rare%d some%d", i, i%7)}); err != nil {
			f.Fatal(err)
		}
	}
	built := b.Segment()
	for i := range built.Pages {
		f.Add(i, 3, byte(0xff))
		f.Add(i, 40, byte(0x80))
	}
	f.Fuzz(func(t *testing.T, page, at int, value byte) {
		if page < 0 || page >= len(built.Pages) || at < 0 {
			return
		}
		pages := slices.Clone(built.Pages)
		pages[page] = slices.Clone(pages[page])
		pages[page][at%len(pages[page])] ^= value
		d := built.Directory
		read := func(numbers []int) (out [][]byte) {
			for _, n := range numbers {
				out = append(out, pages[n])
			}
			return out
		}
		columns, err := d.ReadColumns(read(d.ColumnPages()))
		if err != nil {
			return
		}
		v := View{Directory: d, Columns: columns}
		var lists []List
		terms := Question("shared rare7 some3 absent")
		for _, term := range terms {
			l, err := v.ReadList(term.Word, read(d.WordPages(term.Word)))
			if err != nil {
				return
			}
			lists = append(lists, l)
		}
		s := NewSearch(built.Statistics, terms, []int64{1, 1, 300, 43}, 10, func(Kind) bool { return true })
		_ = s.Segment(v, lists)
		var names []Name
		for i := range d.names {
			_, some, err := d.ReadNames(d.namesFrom()+i, pages[d.namesFrom()+i])
			if err != nil {
				return
			}
			names = append(names, some...)
		}
		m, err := NewMerger([]Input{{Directory: d, Columns: columns, Names: names}})
		if err != nil {
			return
		}
		for {
			_, page, more := m.Wants()
			if !more || m.Feed(pages[page]) != nil {
				return
			}
		}
	})
}
