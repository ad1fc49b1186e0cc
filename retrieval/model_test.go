package retrieval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner"
)

// shelf is an index held in memory, as a store would keep it: segments, and
// who was taken out of them.
type shelf struct {
	stats    Statistics
	segments []*stored
	live     map[Name]Document
}

type stored struct {
	built   Built
	columns *Columns
	names   []Name
	dead    Dead
}

func store(t testing.TB, built Built) *stored {
	t.Helper()
	d, err := ReadDirectory(built.Directory.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if d.Pages() != len(built.Pages) {
		t.Fatalf("the directory knows %d pages of %d", d.Pages(), len(built.Pages))
	}
	for i, p := range built.Pages {
		if len(p) > MaxPage || len(p) == 0 {
			t.Fatalf("page %d has %d bytes", i, len(p))
		}
	}
	built.Directory = d
	s := &stored{built: built}
	if s.columns, err = d.ReadColumns(s.pages(d.ColumnPages())); err != nil {
		t.Fatal(err)
	}
	for i := range d.names {
		page := d.namesFrom() + i
		first, names, err := d.ReadNames(page, built.Pages[page])
		if err != nil || first != len(s.names) {
			t.Fatalf("names from %d, have %d: %v", first, len(s.names), err)
		}
		s.names = append(s.names, names...)
	}
	for o, n := range s.names {
		if i := d.SearchNamePage(n); i != d.NamePage(o) {
			t.Fatalf("%v stands on page %d and is looked for on %d", n, d.NamePage(o), i)
		}
	}
	return s
}

func (s *stored) pages(numbers []int) [][]byte {
	out := make([][]byte, len(numbers))
	for i, n := range numbers {
		out[i] = s.built.Pages[n]
	}
	return out
}

func (s *stored) view() View { return View{s.built.Directory, s.columns, s.dead} }

// settle adds and takes out documents in one segment more.
func (s *shelf) settle(t testing.TB, b *Builder, add map[Name]Document, remove []Name) {
	t.Helper()
	for _, n := range remove {
		b.Remove(s.live[n])
		s.kill(t, n)
		delete(s.live, n)
	}
	for _, n := range slices.SortedFunc(maps.Keys(add), Name.Compare) {
		if err := b.Add(add[n]); err != nil {
			t.Fatal(err)
		}
		s.live[n] = add[n]
	}
	built := b.Segment()
	s.stats = s.stats.Plus(built.Statistics)
	s.segments = append(s.segments, store(t, built))
}

func (s *shelf) kill(t testing.TB, n Name) {
	for _, seg := range s.segments {
		if o, found := slices.BinarySearchFunc(seg.names, n, Name.Compare); found && !seg.dead.Has(o) {
			seg.dead = seg.dead.With(o)
			return
		}
	}
	t.Fatalf("%v is in no segment", n)
}

// merge puts some segments together, as they stand.
func (s *shelf) merge(t testing.TB, from, to int, erased map[Name]bool) {
	t.Helper()
	var inputs []Input
	for _, seg := range s.segments[from:to] {
		in := Input{Directory: seg.built.Directory, Columns: seg.columns, Dead: seg.dead, Names: seg.names}
		for o, n := range seg.names {
			if erased[n] && !seg.dead.Has(o) {
				in.Erased = in.Erased.With(o)
				s.stats = s.stats.Plus(Statistics{-1, -int64(seg.columns.Length(o))})
				delete(s.live, n)
			}
		}
		inputs = append(inputs, in)
	}
	m, err := NewMerger(inputs)
	if err != nil {
		t.Fatal(err)
	}
	var pages [][]byte
	for {
		input, page, more := m.Wants()
		if !more {
			break
		}
		if err := m.Feed(s.segments[from+input].built.Pages[page]); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, m.Take()...)
	}
	pages = append(pages, m.Take()...)
	one := store(t, Built{Directory: m.Finish(), Pages: pages})
	s.segments = slices.Replace(s.segments, from, to, one)
}

// have counts as the index does; ranked searches it.
func (s *shelf) have(t testing.TB, word string) (n int64, lists []List) {
	t.Helper()
	for _, seg := range s.segments {
		l, err := seg.view().ReadList(word, seg.pages(seg.built.Directory.WordPages(word)))
		if err != nil {
			t.Fatal(err)
		}
		n += l.Have
		lists = append(lists, l)
	}
	return n, lists
}

func (s *shelf) search(t testing.TB, terms []Term, limit int, chosen func(Kind) bool) (*Search, []string) {
	t.Helper()
	have := make([]int64, len(terms))
	lists := make([][]List, len(s.segments))
	for i, term := range terms {
		n, of := s.have(t, term.Word)
		have[i] = n
		for j, l := range of {
			lists[j] = append(lists[j], l)
		}
	}
	search := NewSearch(s.stats, terms, have, limit, chosen)
	for i, seg := range s.segments {
		if err := search.Segment(seg.view(), lists[i]); err != nil {
			t.Fatal(err)
		}
	}
	best := search.Best()
	if beside := s.beside(t, NewSearch(s.stats, terms, have, limit, chosen), lists); !slices.Equal(beside, best) {
		t.Fatalf("two who look at the same time find\n%v\none alone\n%v", beside, best)
	}
	slices.SortStableFunc(best, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.steps, a.steps), s.name(a).Compare(s.name(b)))
	})
	if limit > 0 && len(best) > limit {
		best = best[:limit]
	}
	out := make([]string, len(best))
	for i, f := range best {
		out[i] = fmt.Sprint(s.name(f), " ", f.steps)
	}
	return search, out
}

// beside looks through every other stretch with another search, the last first, with the
// lists that a search before has used.
func (s *shelf) beside(t testing.TB, search *Search, lists [][]List) []Found {
	t.Helper()
	for i, seg := range s.segments {
		each := make([]*List, len(lists[i]))
		for j := range each {
			each[j] = &lists[i][j]
		}
		if err := search.Add(seg.view(), each); err != nil {
			t.Fatal(err)
		}
	}
	other := search.Beside()
	for i := len(s.segments) - 1; i >= 0; i-- {
		for from := 0; from < s.segments[i].view().Directory.Documents; from += window + 100 {
			one, two := search, other
			if from/(window+100)%2 == 1 {
				one, two = other, search
			}
			one.Raise(two.Least())
			if err := one.Stretch(i, from, from+window+100); err != nil {
				t.Fatal(err)
			}
		}
	}
	search.Join(other)
	return search.Best()
}

func (s *shelf) name(f Found) Name { return s.segments[f.Segment].names[f.Ordinal] }

// naive is the same documents without an index.
type naive struct {
	stats   Statistics
	live    map[Name]Document
	counts  map[Name]map[string]int
	lengths map[Name]uint16
	have    map[string]int64
}

func (s *shelf) naive() naive {
	m := naive{live: s.live, counts: map[Name]map[string]int{}, lengths: map[Name]uint16{}, have: map[string]int64{}}
	for n, d := range s.live {
		c := map[string]int{}
		summary, text := Words(d.Summary), Words(d.Text)
		for _, w := range text {
			c[w]++
		}
		said := 0
		for _, w := range summary {
			if slices.Contains(text, w) {
				said++
			}
		}
		for _, w := range summary {
			c[w] = max(1, c[w]+SummaryWeight(len(summary), said, len(text)))
		}
		length := len(summary) + len(text)
		for w := range c {
			m.have[w]++
		}
		m.counts[n], m.lengths[n] = c, uint16(CountedLength(length))
		m.stats = m.stats.Plus(Statistics{1, int64(m.lengths[n])})
	}
	return m
}

// search ranks by the definition: every text against every word.
func (m naive) search(terms []Term, limit int, chosen func(Kind) bool) []string {
	type one struct {
		name  Name
		steps int64
	}
	var all []one
	for n, c := range m.counts {
		if !chosen(m.live[n].Kind) {
			continue
		}
		sum := int64(0)
		for _, t := range terms {
			if c[t.Word] > 0 {
				factor := t.weight() * m.stats.Rarity(m.have[t.Word]) * unit
				sum += m.stats.scale().steps(factor, uint16(min(c[t.Word], maxCount)), m.lengths[n])
			}
		}
		if sum > 0 {
			all = append(all, one{n, sum})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Or(cmp.Compare(b.steps, a.steps), a.name.Compare(b.name)) })
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	out := make([]string, len(all))
	for i, o := range all {
		out[i] = fmt.Sprint(o.name, " ", o.steps)
	}
	return out
}

// text draws words of which some are common and most are rare.
func text(rt *rapid.T, label string, most int) string {
	var b strings.Builder
	for range rapid.IntRange(0, most).Draw(rt, label) {
		n := rapid.IntRange(0, 40).Draw(rt, "word")
		fmt.Fprintf(&b, "w%d ", n*n/rapid.IntRange(1, 8).Draw(rt, "skew"))
	}
	return b.String()
}

// C21: however documents are spread over segments, taken out and merged, a
// search gives what comparing every text with every word gives, to the last
// step of the score.
func TestSearch_AgreesWithComparingEveryText(t *testing.T) {
	kinds := []Kind{{Type: "note", Module: "a"}, {Type: "note", Module: "b"}, {Type: "memo", Module: "a", Draft: true}}
	rapid.Check(t, func(rt *rapid.T) {
		s := &shelf{live: map[Name]Document{}}
		var b Builder
		version := brenner.Version(0)
		for range rapid.IntRange(1, 6).Draw(rt, "batches") {
			add := map[Name]Document{}
			version++
			for range rapid.IntRange(0, 40).Draw(rt, "documents") {
				n := Name{brenner.ArtifactID(fmt.Sprintf("a%d", rapid.IntRange(0, 60).Draw(rt, "id"))), version}
				add[n] = Document{
					Name: n, Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"),
					Summary: text(rt, "summary", 6), Text: text(rt, "text", 150),
				}
			}
			var remove []Name
			for _, n := range slices.SortedFunc(maps.Keys(s.live), Name.Compare) {
				if rapid.IntRange(0, 3).Draw(rt, "gone") == 0 {
					remove = append(remove, n)
				}
			}
			s.settle(t, &b, add, remove)
			if rapid.Bool().Draw(rt, "merge") {
				from := rapid.IntRange(0, len(s.segments)-1).Draw(rt, "from")
				to := rapid.IntRange(from+1, len(s.segments)).Draw(rt, "to")
				erased := map[Name]bool{}
				for _, n := range slices.SortedFunc(maps.Keys(s.live), Name.Compare) {
					if rapid.IntRange(0, 9).Draw(rt, "erased") == 0 {
						erased[n] = true
					}
				}
				s.merge(t, from, to, erased)
			}
		}
		terms := Question(text(rt, "question", 12))
		for i := range terms {
			terms[i].Own *= rapid.Float64Range(0.01, 3).Draw(rt, "weight")
		}
		limit := rapid.SampledFrom([]int{0, 1, 3, 10}).Draw(rt, "limit")
		module := rapid.SampledFrom([]brenner.Module{"", "a", "b", "c"}).Draw(rt, "module")
		chosen := func(k Kind) bool { return module == "" || k.Module == module }
		search, got := s.search(t, terms, limit, chosen)
		if want := s.naive().search(terms, limit, chosen); !slices.Equal(got, want) {
			rt.Fatalf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		found := search.Best()
		parts, err := search.Parts(found)
		if err != nil {
			rt.Fatal(err)
		}
		for i, p := range parts {
			if int64(p.Own*unit+0.5) != found[i].steps || len(p.Words) == 0 {
				rt.Fatalf("parts %+v of a score of %v", p, found[i].Score())
			}
		}
	})
}

// C21: with many documents the search leaves most of them out, and finds the
// same; long lists reach over several pages and windows.
func TestSearch_LeavingOutLosesNothing(t *testing.T) {
	s := &shelf{live: map[Name]Document{}}
	var b Builder
	random := uint64(1)
	next := func(n int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random>>33) % n
	}
	id := 0
	for range 3 {
		add := map[Name]Document{}
		for range 6000 {
			id++
			var text strings.Builder
			for range 5 + next(60) {
				fmt.Fprintf(&text, "w%d ", next(1+next(400)))
			}
			n := Name{brenner.ArtifactID(fmt.Sprintf("n%05d", id)), 1}
			add[n] = Document{Name: n, Text: text.String(), Summary: fmt.Sprintf("s%d", next(50))}
		}
		s.settle(t, &b, add, nil)
	}
	any := func(Kind) bool { return true }
	model := s.naive()
	for q := range 40 {
		var text strings.Builder
		for range 1 + next(12) {
			fmt.Fprintf(&text, "w%d s%d ", next(1+next(300)), next(60))
		}
		terms := Question(text.String())
		want := model.search(terms, 20, any)
		if _, got := s.search(t, terms, 20, any); !slices.Equal(got, want) {
			t.Fatalf("question %d %q found\n%v\nwant\n%v", q, text.String(), got, want)
		}
		if q == 20 {
			s.merge(t, 0, 2, nil)
		}
		if q == 30 {
			s.merge(t, 0, 2, nil)
		}
	}
	if len(s.segments) != 1 {
		t.Fatalf("%d segments are left", len(s.segments))
	}
}

// C21: a list that no document of a window was asked about is taken up in the
// middle of a block, and counts for no document of the windows that it passed.
func TestSearch_TakesUpAListInTheMiddleOfABlock(t *testing.T) {
	s := &shelf{live: map[Name]Document{}}
	var b Builder
	add := map[Name]Document{}
	for i := range 3 * window {
		text := "filler"
		if i < 300 || i >= 2*window+100 && i < 2*window+200 {
			text += " strong"
		}
		if i < window && i%16 == 15 || i >= window && i%40 == 0 { // in the first window a block, in the others one together
			text += " weak"
		}
		n := Name{brenner.ArtifactID(fmt.Sprintf("n%05d", i)), 1}
		add[n] = Document{Name: n, Text: text}
	}
	s.settle(t, &b, add, nil)
	terms := []Term{{Word: "strong", Own: 1}, {Word: "weak", Own: 0.1}}
	any := func(Kind) bool { return true }
	for _, limit := range []int{1, 10, 30} {
		want := s.naive().search(terms, limit, any)
		if _, got := s.search(t, terms, limit, any); !slices.Equal(got, want) {
			t.Errorf("the best %d are\n%v\nwant\n%v", limit, got, want)
		}
	}
}
