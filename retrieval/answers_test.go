package retrieval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/answers"
)

// sentences are of the kinds that are asked and indexed.
var sentences = []string{
	"Summarise what our notes say about catalase at low pH, with references.",
	"Why does the yield of the reactor fall in winter? Do not guess.",
	"Compare Tris-HCl and HEPES buffers: which one keeps pH 7.4 at 4 °C?",
	"Naïve T cells (CD4+) were counted by Mara; 12,000 of them survived.",
	"細胞の運命 and the fate of 細胞 in H3K27ac-marked enhancers",
	"Effects Of Heat On Steel",
	"The linter runs before the tests; the tests run after the build!",
	"Which song does Tobias like? Songs of Mara are sad. Tobias likes none.",
	"List the open questions by Friday.\nMark the gaps. Cite sources.\n\nSubject: the decay rate of the signal",
	"It was said that it is what it is.",
	"Decision: we use PostgreSQL 17, not MySQL. Reason: the planner handled our joins.",
	"peroxide peroxides Peroxide's peroxidase catalase catalytic catalysis",
	"a\x00b \xff ﬁbre x² ½ Клетки клетки cafe\u0301 ÉCOLE",
	"Request that every agent review the summary, verify the numbers and write a short report on gradient scaling.",
}

// C21. What words are made of texts: cut, undressed, reduced to their stem.
func TestWords_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/words.golden", 2)
	for _, s := range sentences {
		book.Note("words", s, strings.Join(Words(s), " "))
		book.Note("plain", s, Plain(s))
		book.Note("clauses", s, strings.Join(clauses(s), "\n"))
		book.Note("terms", s, inTerms(Question(s)))
	}
	roots := strings.Fields("a be sk cat fail hop hopp fizz tann agre feed conflat siz oper relat digit vietnam sens form elect good allow air adjust adopt commun act probab ra ceas controll roll sky happ tie y yell syzyg ooz employ xyl trouble")
	endings := strings.Fields("- s es ies sses ss ed eed ing ings y ly ational tional enci anci izer abli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e le ll bled at iz")
	for _, r := range roots {
		var all []string
		for _, e := range endings {
			all = append(all, stem(r+strings.TrimPrefix(e, "-")))
		}
		book.Note("stems", r, strings.Join(all, " "))
	}
	for n := 60; n < 70; n++ {
		book.Note("long words", fmt.Sprint(n), strings.Join(Words(strings.Repeat("q", n)+" "+strings.Repeat("ю", n/2)+" x"+strings.Repeat("細", 3)), " "))
	}
	for n := 14; n < 20; n++ {
		var a Analyzer
		words := a.Words(nil, fmt.Sprintf("%s %s %[1]s %s", strings.Repeat("q", n), strings.Repeat("w", n), strings.Repeat("q", n-1)))
		book.Note("numbers of words", fmt.Sprint(n), fmt.Sprint(words, a.Size(), a.Full()))
	}
	book.Check(t)
}

func inTerms(terms []Term) string {
	var out strings.Builder
	for _, t := range terms {
		fmt.Fprintf(&out, "%s %.9g %.9g %.9g\n", t.Word, t.Own, t.Feedback, t.Expansion)
	}
	return out.String()
}

// C21. What is made of questions and tasks: which words count, and how much.
func TestQuestion_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/questions.golden", 6)
	stats := Statistics{Documents: 5_000, Length: 700_000}
	for i, s := range sentences {
		for name, h := range map[string]Habits{
			"no habits": {}, "habits": NewHabits(sentences), "habits without it": NewHabits(sentences).Without(s), "few habits": NewHabits(sentences[:2]).Without(sentences[0]),
		} {
			book.Note("a task, "+name, s, inTerms(h.Task(s))+h.About(s)+"\n"+strings.Join(h.Telling(s), " "))
		}
		terms := Question(s)
		have := make([]int64, len(terms))
		for j := range have {
			have[j] = int64((j*j*37 + i) % 900)
		}
		for most := range 6 {
			kept, counts := Telling(stats, terms, have, most)
			book.Note("what tells most", fmt.Sprint(most, s), inTerms(kept)+fmt.Sprint(counts)+inTerms(Heaviest(terms, most)))
		}
		best := []Reading{
			{Document{Text: s, Summary: sentences[(i+1)%len(sentences)]}, 3.5},
			{Document{Text: sentences[(i+2)%len(sentences)], Summary: s}, 2},
			{Document{Text: strings.Repeat(s+" ", 12), Summary: "about " + s}, 0.5},
		}
		all := Candidates(stats, best)
		found := make([]int64, len(all))
		for j := range found {
			found[j] = int64(j*j*13) % 700
		}
		for _, n := range []int{0, 1, feedbackWords - 1, feedbackWords, feedbackWords + 1, len(all)} {
			n = min(n, len(all))
			book.Note("feedback", fmt.Sprint(n, s), fmt.Sprint(EnoughCandidates(stats, all, found[:n]))+"\n"+inTerms(Feedback(stats, terms, all, found[:n])))
		}
		for _, w := range Words(s) {
			near := []Known{{w + "s", 3}, {"x" + w, 9}, {w[1:] + "e", 2}, {w, 0}, {"other", 5}, {w + "xy", 7}}
			read, as := Respell(Term{Word: w, Own: 1}, near)
			book.Note("spelling", w, fmt.Sprintf("%d slips, %v\n%s", Slips(w), as, inTerms(Respelled(terms, map[string][]Term{w: read}))))
			book.Note("completion", w, Begun(w)+"\n"+inTerms(Complete(terms[:1], near)))
		}
		var near []Near
		for j, a := range terms {
			near = append(near, Near{a.Word, "alike", 0.4 + float64(j)/50}, Near{a.Word, "other" + a.Word, 0.39}, Near{a.Word, terms[0].Word, 0.9})
		}
		book.Note("expansion", s, inTerms(Expand(terms, near)))
	}
	for _, few := range []Statistics{{}, {1, 500}, {2, 500}, {3, 10}, {1, 50}} {
		book.Note("few documents", fmt.Sprint(few), fmt.Sprint(few.Points(1, 1, 2, 300), few.Points(2, 3, 1, 100), few.Rarity(1)))
	}
	book.Note("what was chosen by measuring", "", fmt.Sprint(FeedbackTexts, feedbackWords, ownShare, maxSummaryWeight, saturation, lengthShare, LeastLength, nameWeight, expansionShare, LeastLikeness))
	for n := range 40 {
		book.Note("rarity", fmt.Sprint(n), fmt.Sprintf("%.9f %d %d %d", stats.Rarity(int64(n*n-1)), stats.Points(1, int64(n), n, 80*n), SummaryWeight(n, n*4/5, 2*n+3), CountedLength(n*n*60)))
	}
	book.Check(t)
}

// C21. What is made of what somebody writes into a search, and what is shown of a
// text that is found.
func TestAsk_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/searches.golden", 2)
	r := rand.New(rand.NewPCG(53, 53))
	parts := []string{`catal*`, `"rate of decay"`, `type:memo`, `TYPE:"two words"`, `state:`, `"never closed`, `Tris-HC*`, `*`, `“Naïve cells”`, `word`, `author:Ada`, `a"b c"d`, "\u00a0", `colour:red`, "細胞*", `""`}
	for range 200 {
		var text []string
		for range 1 + r.IntN(4) {
			text = append(text, parts[r.IntN(len(parts))])
		}
		query := strings.Join(text, " ")
		a := Ask(query, "type", "state", "author")
		book.Note("asked", query, fmt.Sprintf("%q %q %q %t\n%s", a.Prefixes, a.Phrases, a.Filters, a.Empty(), inTerms(a.Terms)))
	}
	long := strings.Join(sentences, " ") + " " + strings.Repeat("longwordwithoutanyblank", 4) + " " + strings.Join(sentences, "\n\n")
	all := Words(long)
	for range 200 {
		words := []string{all[r.IntN(len(all))], all[r.IntN(len(all))], "absent"}
		width := 5 + r.IntN(120)
		from := r.IntN(len(long) / 2)
		text := strings.ToValidUTF8(long[from:from+r.IntN(len(long)/2)], "?")
		got := Excerpt(text, words, width)
		book.Note("an excerpt", fmt.Sprint(words, width, text), fmt.Sprintf("%q\n%q", got.Text, got.Marked))
	}
	for range 60 {
		scores := make([]float64, 2+r.IntN(20))
		for i := range scores {
			scores[i] = float64(r.IntN(5))
		}
		var beside [][2]int
		for range r.IntN(30) {
			beside = append(beside, [2]int{r.IntN(len(scores)), r.IntN(len(scores))})
		}
		groups := [][]int{r.Perm(len(scores))[:2]}
		answer := ""
		for _, x := range Neighbours(scores, beside, groups) {
			answer += fmt.Sprintf("%.9f ", x)
		}
		book.Note("neighbours", fmt.Sprint(scores, beside, groups), answer)
	}
	book.Check(t)
}

// smallIndex is a segment with something of everything: brief and long lists,
// several kinds, adjustments, names that share their beginnings.
func smallIndex(t *testing.T) Built {
	t.Helper()
	var b Builder
	b.Remove(Document{Text: "gone shared", Summary: "gone"})
	kinds := []Kind{{Type: "note", Module: "a"}, {Type: "note", Module: "b"}, {Type: "memo", Module: "a", Draft: true}}
	for i := range 150 {
		err := b.Add(Document{
			Name: Name{brenner.ArtifactID(fmt.Sprintf("note-%03d", i/2)), brenner.Version(1 + i%2)}, Kind: kinds[i%3], Summary: "shared",
			Text: strings.Repeat("often ", i%12) + fmt.Sprintf("rare%d some%d", i, i%7) + map[bool]string{true: " seldom"}[i%17 == 0],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Segment()
}

// readWhole reads everything of a segment, and says what it reads.
func readWhole(built Built, pages [][]byte) (string, error) {
	d, err := ReadDirectory(built.Directory.Encode())
	if err != nil {
		return "", err
	}
	of := func(numbers []int) (out [][]byte) {
		for _, n := range numbers {
			out = append(out, pages[n])
		}
		return out
	}
	columns, err := d.ReadColumns(of(d.ColumnPages()))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	var names []Name
	for _, n := range d.NamePages() {
		first, some, err := d.ReadNames(n, pages[n])
		if err != nil {
			return "", err
		}
		for i := range some {
			one, err := nameOf(d, n, pages[n], first+i)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "%v %v %d %v\n", some[i], one, columns.Length(first+i), View{d, columns, Dead{}}.Kind(first+i))
		}
		names = append(names, some...)
	}
	for _, n := range d.PostingPages() {
		words, err := ReadWords(pages[n])
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&out, words)
	}
	v := View{Directory: d, Columns: columns}
	terms := Question("shared often seldom rare7 some3 some4 gone absent")
	var lists []List
	var have []int64
	for _, term := range terms {
		l, err := v.ReadList(term.Word, of(d.WordPages(term.Word)))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&out, term.Word, l.Have, d.WordPages(term.Word), d.PrefixPages(term.Word[:2]))
		lists, have = append(lists, l), append(have, l.Have)
	}
	s := NewSearch(built.Statistics, terms, have, 12, func(k Kind) bool { return k.Module == "a" })
	if err := s.Segment(v, lists); err != nil {
		return "", err
	}
	found := s.Best()
	parts, err := s.Parts(found)
	if err != nil {
		return "", err
	}
	for i, f := range found {
		fmt.Fprintf(&out, "%d %.6f %.6f %.6f %v\n", f.Ordinal, f.Score(), parts[i].Own, parts[i].Feedback, parts[i].Words)
	}
	m, err := NewMerger([]Input{{Directory: d, Columns: columns, Names: names, Dead: Dead{}.With(3, 77), Erased: Dead{}.With(4)}})
	if err != nil {
		return "", err
	}
	for {
		_, page, more := m.Wants()
		if !more {
			break
		}
		fmt.Fprintln(&out, m.WantsNext(0, 2), m.Place(0, 3), m.Place(0, 5))
		if err := m.Feed(pages[page]); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(&out, "%x\n%s\n", m.Finish().Encode(), answers.Digest(fmt.Sprint(m.Take())))
	return out.String(), nil
}

// C21. What is read of a segment, and of one that is damaged anywhere: it is said
// that it is, or something is read; which of the two is the same as before, and
// nothing panics.
func TestSegment_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/segments.golden", 12)
	built := smallIndex(t)
	whole, err := readWhole(built, built.Pages)
	if err != nil {
		t.Fatal(err)
	}
	book.Note("as it was written", "", whole)
	book.Note("the bytes", "", fmt.Sprintf("%x %s", built.Directory.Encode(), answers.Digest(fmt.Sprint(built.Pages))))
	tell := func(kind string, number int, page []byte, at string) {
		pages := slices.Clone(built.Pages)
		pages[number] = page
		read, err := readWhole(built, pages)
		switch {
		case err == nil && read == whole:
			read = "the same"
		case err == nil:
			read = answers.Digest(read)
		case !errors.Is(err, errDamaged):
			t.Fatalf("%s, page %d, %s: %v", kind, number, at, err)
		default:
			read = err.Error()
		}
		book.Note(fmt.Sprintf("page %d, %s", number, kind), at, read)
	}
	for n, page := range built.Pages {
		step := 1 + len(page)/25
		for at := n % step; at < len(page); at += step {
			for _, flip := range []byte{0x01, 0x80, 0x7f} {
				changed := slices.Clone(page)
				changed[at] ^= flip
				tell("a byte changed", n, changed, fmt.Sprint(at, flip))
			}
			tell("cut off", n, page[:at], fmt.Sprint(at))
			tell("a byte more", n, slices.Insert(slices.Clone(page), at, byte(at)), fmt.Sprint(at))
		}
	}
	// One name is read without the others of its page.
	d := built.Directory
	for _, n := range append(d.NamePages(), -1, 0, d.Pages()) {
		page := built.Pages[d.namesFrom()]
		for _, ordinal := range []int{0, 1, 77, 149, 150} {
			for at := 0; at <= len(page); at += 1 + len(page)/40 {
				name, err := nameOf(d, n, page[:at], ordinal)
				book.Note("a name of a page that is cut off", fmt.Sprint(n, ordinal, at), fmt.Sprint(name, err))
				if at < len(page) {
					changed := slices.Clone(page)
					changed[at] ^= 0x7f
					name, err := nameOf(d, n, changed, ordinal)
					book.Note("a name of a page that was changed", fmt.Sprint(n, ordinal, at), fmt.Sprint(name, err))
					_, names, err := d.ReadNames(n, changed)
					book.Note("names of a page that was changed", fmt.Sprint(n, at), fmt.Sprint(names, err))
				}
			}
		}
	}
	encoded := built.Directory.Encode()
	for at := range encoded {
		for _, flip := range []byte{0x01, 0x80, 0x7f} {
			changed := slices.Clone(encoded)
			changed[at] ^= flip
			d, err := ReadDirectory(changed)
			answer := fmt.Sprint(err)
			if err == nil {
				answer = fmt.Sprintf("%x %d", d.Encode(), d.Pages())
			}
			book.Note("the directory, a byte changed", fmt.Sprint(at, flip), answer)
		}
		_, err := ReadDirectory(encoded[:at])
		book.Note("the directory, cut off", fmt.Sprint(at), fmt.Sprint(err))
	}
	for _, set := range [][]int{{}, {0}, {63, 64}, {1, 5, 200}, {7, 7}} {
		dead := Dead{}.With(set...)
		back, err := ReadDead(dead.Encode())
		book.Note("a set", fmt.Sprint(set), fmt.Sprintf("%d %x %v %v %v %t", dead.Len(), dead.Encode(), back, err, dead.Since(Dead{}.With(1, 64)), dead.Has(63)))
	}
	for _, raw := range [][]byte{{0x80}, {0xff, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0xff, 0x07, 0x05}} {
		_, err := ReadDead(raw)
		book.Note("no set", fmt.Sprintf("%x", raw), fmt.Sprint(err))
	}
	book.Check(t)
}

// nameOf gives the name of one document.
func nameOf(d *Directory, page int, data []byte, ordinal int) (Name, error) {
	names, err := d.ReadNamesOf(page, data, []int{ordinal})
	if err != nil {
		return Name{}, err
	}
	return names[0], nil
}
