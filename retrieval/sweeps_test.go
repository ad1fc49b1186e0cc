package retrieval

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/answers"
)

// sized is documents of which so many have each of some words: as many as a list
// may have to be brief, a block, several blocks, several pages.
func sized(n, from int) map[Name]Document {
	out := map[Name]Document{}
	kinds := []Kind{{Type: "note", Module: "a"}, {Type: "note", Module: "b"}, {Type: "memo", Module: "a", Draft: true}}
	for i := range n {
		name := Name{brenner.ArtifactID(fmt.Sprintf("%s%05d", strings.Repeat("name-", i%4), i/3)), brenner.Version(1 + i%3 + from)}
		var text strings.Builder
		fmt.Fprintf(&text, "everywhere %s", strings.Repeat("often ", i%23))
		if i%2 == 0 {
			text.WriteString(" half")
		}
		if i < 17 {
			text.WriteString(" brief")
		}
		if i >= n-16 {
			text.WriteString(" last")
		}
		if i == n/2 {
			text.WriteString(" single " + strings.Repeat("much ", 300))
		}
		fmt.Fprintf(&text, " word%d x%d %s", i%40, i*i%97, strings.Repeat("filler ", i*i%131))
		out[name] = Document{Name: name, Kind: kinds[i%3], Summary: strings.Repeat("summary half ", i%2), Text: text.String()}
	}
	return out
}

// listInWords is everything that a segment says about a word.
func (s *stored) listInWords(t testing.TB, word string) string {
	t.Helper()
	l, err := s.view().ReadList(word, s.pages(s.built.Directory.WordPages(word)))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Open(View{Columns: s.columns}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %d on %v", word, l.Have, s.built.Directory.WordPages(word))
	for _, b := range l.blocks {
		fmt.Fprintf(&out, "; %d after %d to %d, most %d, shortest %d, %s", b.n, b.before, b.last, b.most, b.shortest, answers.Digest(string(b.data)))
	}
	return out.String()
}

// C21. Segments of every size, as they are written, as they are read, and merged
// with others: the bytes, the blocks of every list, what is found.
func TestSegment_EverySizeAsBefore(t *testing.T) {
	book := answers.New("testdata/sizes.golden", 2)
	words := []string{"everywher", "often", "half", "brief", "last", "singl", "much", "word7", "word39", "x0", "x96", "filler", "summari", "absent", "a", "zzz"}
	any := func(Kind) bool { return true }
	for _, n := range []int{0, 1, 2, 15, 16, 17, 18, 33, 127, 128, 129, 145, 257, 450} {
		s := &shelf{live: map[Name]Document{}}
		var b Builder
		s.settle(t, &b, sized(n, 0), nil)
		gone := slices.SortedFunc(maps.Keys(s.live), Name.Compare)
		gone = gone[:len(gone)/5]
		tell := func(when string) {
			model := s.naive()
			for i, seg := range s.segments {
				out := fmt.Sprintf("%x", seg.built.Directory.Encode())
				for _, p := range seg.built.Pages {
					out += fmt.Sprintf(" %d %s", len(p), answers.Digest(string(p)))
				}
				for _, w := range words {
					out += "\n" + seg.listInWords(t, w)
				}
				book.Note(when, fmt.Sprint(n, " segment ", i), out)
			}
			for k, q := range []string{"half often", "brief last single", "word7 word39 x0 absent", "everywhere filler much summary"} {
				terms := Question(q)
				for i := range terms {
					if (i+k)%3 == 1 {
						terms[i] = Term{Word: terms[i].Word, Feedback: 0.7, Own: float64(k % 2)}
					} else if (i+k)%3 == 2 {
						terms[i].Expansion = 0.3
					}
				}
				for _, limit := range []int{0, 1, 7} {
					search, got := s.search(t, terms, limit, any)
					if want := model.search(terms, limit, any); !slices.Equal(got, want) {
						t.Errorf("%d, %s, %q: found\n%v\nwant\n%v", n, when, q, got, want)
					}
					parts, err := search.Parts(search.Best())
					if err != nil {
						t.Fatal(err)
					}
					book.Note("what is found, "+when, fmt.Sprint(n, q, limit), strings.Join(got, "\n")+answers.Lines(parts))
				}
			}
		}
		tell("alone")
		s.settle(t, &b, sized(n/2+20, 3), gone)
		tell("with a second")
		erased := map[Name]bool{}
		for i, name := range slices.SortedFunc(maps.Keys(s.live), Name.Compare) {
			erased[name] = i%9 == 4
		}
		s.merge(t, 0, 2, erased)
		tell("merged")
	}
	book.Check(t)
}

// C21. Words that are looked for in a page where they are not, or stand first or
// last; pages of words and of beginnings; names that are not there.
func TestDirectory_EveryWordIsFoundWhereItStands(t *testing.T) {
	s := &shelf{live: map[Name]Document{}}
	var b Builder
	add := map[Name]Document{}
	all := map[string]int64{}
	for i := range 900 {
		n := Name{brenner.ArtifactID(fmt.Sprintf("n%04d", i)), 1}
		text := fmt.Sprintf("q%dx%d common%s q%d", i*7919%3000, i, strings.Repeat("z", i%50), i%11)
		add[n] = Document{Name: n, Text: text}
		seen := Words(text)
		slices.Sort(seen)
		for _, w := range slices.Compact(seen) {
			all[w]++
		}
	}
	s.settle(t, &b, add, nil)
	seg := s.segments[0]
	d := seg.built.Directory
	if len(d.words) < 3 {
		t.Fatalf("%d pages of words are too few to tell", len(d.words))
	}
	sorted := slices.Sorted(maps.Keys(all))
	var read []string
	for _, page := range d.PostingPages() {
		some, err := ReadWords(seg.built.Pages[page])
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, some...)
	}
	if !slices.Equal(slices.Compact(read), sorted) {
		t.Errorf("%d words were written, %d are read", len(sorted), len(read))
	}
	for i, w := range sorted {
		for _, asked := range []string{w, w + "!", w[:len(w)-1], "!" + w} {
			n, _ := s.have(t, asked)
			if n != all[asked] {
				t.Fatalf("%q: %d have it, found are %d", asked, all[asked], n)
			}
		}
		if i%37 > 0 {
			continue
		}
		for cut := 1; cut <= len(w); cut++ {
			var want, got []string
			for _, o := range sorted {
				if strings.HasPrefix(o, w[:cut]) {
					want = append(want, o)
				}
			}
			for _, page := range d.PrefixPages(w[:cut]) {
				some, err := ReadWords(seg.built.Pages[page])
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range some {
					if strings.HasPrefix(o, w[:cut]) && !slices.Contains(got, o) {
						got = append(got, o)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("with %q begin %d words, found are %d", w[:cut], len(want), len(got))
			}
		}
	}
	if got := d.SearchNamePage(Name{"a", 1}); got != -1 {
		t.Errorf("a name before all is looked for on page %d", got)
	}
}

// C21. Questions, tasks and excerpts of texts in which words come again in every
// way, whole.
func TestQuestion_EveryShapeAsBefore(t *testing.T) {
	book := answers.New("testdata/shapes.golden", 2)
	r := rand.New(rand.NewPCG(109, 109))
	parts := []string{"Summarise", "catalase", "Mara", "the", "pH", "7.4", "reactor", "?", ". ", ": ", "; ", "! ", "\n", "\n\n", "compare", "Tris-HCl", "細胞", "cafe\u0301", "Write", "a", "report", "winter", "yield", "yields", "why", "does", "of", "(HEPES)", "…", "x"}
	stats := Statistics{Documents: 90, Length: 12_000}
	var tasks []string
	for i := range 150 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(parts[r.IntN(len(parts))] + []string{" ", " ", " ", ""}[r.IntN(4)])
		}
		text := b.String()
		h := NewHabits(tasks[max(0, len(tasks)-i%20):])
		if i%3 == 0 && len(tasks) > 0 {
			h = h.Without(tasks[len(tasks)-1])
		}
		tasks = append(tasks, text)
		book.Note("a question", text, inTerms(Question(text))+strings.Join(clauses(text), "|"))
		book.Note("a task", text, inTerms(h.Task(text))+h.About(text)+strings.Join(h.Telling(text), " "))
		asked := Words(text)
		if len(asked) == 0 {
			continue
		}
		long := strings.Join(tasks[max(0, len(tasks)-1-i%6):], " – ")
		got := Excerpt(long, asked[:1+i%len(asked)], 10+i)
		book.Note("an excerpt", long, fmt.Sprintf("%q %q", got.Text, got.Marked))
		best := []Reading{{Document{Text: text, Summary: long}, float64(1 + i%4)}, {Document{Text: long, Summary: text}, 2}}
		all := Candidates(stats, best[:1+i%2])
		have := make([]int64, min(len(all), i%30))
		for j := range have {
			have[j] = int64(r.IntN(8))
		}
		book.Note("feedback", long, fmt.Sprint(EnoughCandidates(stats, all, have))+inTerms(Feedback(stats, Question(text), all, have)))
		var near []Known
		for range 1 + r.IntN(40) {
			w := asked[r.IntN(len(asked))]
			near = append(near, Known{answers.Typos[r.IntN(6)].Make(r, w), int64(r.IntN(4))})
		}
		read, as := Respell(Term{Word: asked[0], Own: 1}, near)
		book.Note("spelling and completion", answers.Text(near), inTerms(read)+fmt.Sprint(as)+inTerms(Complete(Question(text)[:1], near)))
		for _, k := range near {
			for most := range 4 {
				book.Note("distances", asked[0]+" "+k.Word, fmt.Sprint(Distance(asked[0], k.Word, most), Distance(k.Word, asked[0], most), Slips(k.Word)))
			}
		}
	}
	for range 200 {
		n := 1 + r.IntN(18)
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(r.IntN(7))
		}
		var beside [][2]int
		for range r.IntN(3 * n) {
			beside = append(beside, [2]int{r.IntN(n), []int{0, r.IntN(n)}[r.IntN(2)]})
		}
		var groups [][]int
		for range r.IntN(3) {
			groups = append(groups, r.Perm(n)[:1+r.IntN(n)])
		}
		answer := ""
		for _, x := range Neighbours(scores, beside, groups) {
			answer += fmt.Sprintf("%.9f ", x)
		}
		book.Note("neighbours", fmt.Sprint(scores, beside, groups), answer)
	}
	for n := 1; n < 60; n++ {
		all := make([]int64, n)
		for i := range all {
			all[i] = int64(r.IntN(1 + n/2))
		}
		sorted := slices.Clone(all)
		slices.Sort(sorted)
		for k := 1; k <= n; k++ {
			if got := greatest(slices.Clone(all), k); got != sorted[n-k] {
				t.Fatalf("the %d. of %v is %d", k, all, got)
			}
		}
	}
	book.Check(t)
}
