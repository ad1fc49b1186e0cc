package anchor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/linediff"

	"pgregory.net/rapid"
)

// lines the random texts are made of: few, so that they repeat, and awkward.
var stock = []string{
	"", "x", "x", "}", "    return nil", "\treturn nil", "a b  c", "na\u00efve", "nai\u0308ve", "\u00a0", "\u200b", "\ufeff",
	"\ufeffx", "$1 \\n %s", "日本語", "👩‍👧", "total = price * qty", "total = price * count", "...", "aaaa", "aaaaaaaaaaaaaaaaaaaa",
}

// randomBytes gives the bytes of a file: mixed endings, a byte order mark or
// two, sometimes no final newline.
func randomBytes(r *rand.Rand) []byte {
	var b strings.Builder
	for range r.IntN(8) / 6 {
		b.WriteString(bom)
	}
	kinds := [][]string{{"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n"}, {"\n", "\r\n", "\r"}}[r.IntN(5)]
	n := r.IntN(14)
	for i := range n {
		b.WriteString(stock[r.IntN(len(stock))])
		if i < n-1 || r.IntN(3) > 0 {
			b.WriteString(kinds[r.IntN(len(kinds))])
		}
	}
	return []byte(b.String())
}

// mutate changes a few lines of a text, so that most of it stays.
func mutate(r *rand.Rand, t Text) Text {
	lines := linediff.Lines(t.s + "\n")
	for range r.IntN(5) {
		i := r.IntN(len(lines) + 1)
		switch r.IntN(4) {
		case 0:
			lines = slices.Insert(lines, i, stock[r.IntN(len(stock))]+"\n")
		case 1:
			if i < len(lines) {
				lines = slices.Delete(lines, i, i+1)
			}
		case 2:
			if i < len(lines) {
				lines[i] = strings.Replace(lines[i], "a", "b", 1)
			}
		case 3:
			if i < len(lines) {
				lines[i] = stock[r.IntN(len(stock))] + lines[i]
			}
		}
	}
	s := strings.Join(lines, "")
	if r.IntN(2) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	t.s, t.mixed = s, nil
	return t
}

func mustCanonical(tb testing.TB, raw []byte) Text {
	tb.Helper()
	t, err := Canonical(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func randomPair(tb testing.TB, r *rand.Rand) (a, b Text) {
	a = mustCanonical(tb, randomBytes(r))
	if r.IntN(3) == 0 {
		return a, mustCanonical(tb, randomBytes(r))
	}
	return a, mutate(r, a)
}

// samePair gives two texts whose files spell alike.
func samePair(tb testing.TB, r *rand.Rand) (a, b Text) {
	a, b = randomPair(tb, r)
	return Text{s: a.s}, Text{s: b.s}
}

var pairs = tries(2_500, 24_000)

// P12: apply(diff(a,b),a)=b and apply(reverse(p),b)=a, byte for byte, for any
// two files, also after the patch has been written and read again, and whether
// it is undone from the base or from the result; a change of line endings or of
// a byte order mark is refused.
func TestDiff_AppliesAndReversesOnRandomPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	refused, whole := 0, 0
	for i := range pairs {
		a, b := randomPair(t, r)
		p, err := Diff(a, b, "f")
		if err != nil {
			if brenner.CodeOf(err) != brenner.CodeInexpressible || !differentlySpelled(a, b) {
				t.Fatalf("pair %d: diff(%q, %q): %v", i, a.Bytes(), b.Bytes(), err)
			}
			refused++
			continue
		}
		p, err = Parse(p.JSON())
		if err != nil {
			t.Fatalf("pair %d: own patch refused: %v", i, err)
		}
		res, err := Apply(p, a)
		if err != nil || string(res.Text.Bytes()) != string(b.Bytes()) {
			t.Fatalf("pair %d: apply(diff(%q, %q)) = %q, %v", i, a.Bytes(), b.Bytes(), res.Text.Bytes(), err)
		}
		if (res.Outcome == Noop) != (a.s == b.s) {
			t.Fatalf("pair %d: outcome %s for equal=%v", i, res.Outcome, a.s == b.s)
		}
		if n := p.undone(t, a, res.Text); n == 0 {
			whole++
		}
	}
	t.Logf("%d pairs, %d refused for their spelling, %d replaced as a whole", pairs, refused, whole)
	if refused < pairs/100 || refused > pairs/2 {
		t.Errorf("%d of %d pairs refused", refused, pairs)
	}
}

// P12: the same for the pairs and chains of this repository's own history, as
// they were and in the spelling of other systems.
func TestDiff_AppliesAndReversesOnHistory(t *testing.T) {
	chains := history(t, 150)
	r := rand.New(rand.NewPCG(12, 9))
	spell := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return strings.ReplaceAll(unifyNewlines(s), "\n", "\r\n") },
		func(s string) string { return "\ufeff" + s },
	}
	n, refused, whole, larger := 0, 0, 0, 0
	for n < tries(400, 4_000) {
		chain := chains[r.IntN(len(chains))]
		i := r.IntN(len(chain))
		j := min(len(chain)-1, i+1+r.IntN(3))
		how, other := r.IntN(len(spell)), r.IntN(12) // now and then the spelling changes too
		a, b := mustCanonical(t, []byte(spell[how](chain[i]))), mustCanonical(t, []byte(spell[how](chain[j])))
		if other < len(spell) && other != how {
			b = mustCanonical(t, []byte(spell[other](chain[j])))
		}
		n++
		p, err := Diff(a, b, "f")
		if err != nil {
			if brenner.CodeOf(err) != brenner.CodeInexpressible || !differentlySpelled(a, b) {
				t.Fatal(err)
			}
			refused++
			continue
		}
		if p, err = Parse(p.JSON()); err != nil {
			t.Fatal(err)
		}
		res, err := Apply(p, a)
		if err != nil || string(res.Text.Bytes()) != string(b.Bytes()) {
			t.Fatalf("%d: apply(diff) is not the other text: %v", n, err)
		}
		if p.undone(t, a, res.Text) == 0 {
			whole++
		}
		if len(p.JSON()) > len(b.Bytes())+overhead {
			larger++
		}
	}
	t.Logf("%d pairs: %d refused for their spelling, %d replaced as a whole, %d larger than the new file", n, refused, whole, larger)
	if refused == 0 || refused > n/3 {
		t.Errorf("%d of %d pairs refused", refused, n)
	}
}

// undone undoes a patch from its base and, unless it replaces the whole text,
// from its result; it gives the number of ways that worked besides the first.
func (p Patch) undone(t *testing.T, base, result Text) (ways int) {
	t.Helper()
	rev, err := Reverse(p, base)
	if err != nil {
		if brenner.CodeOf(err) == brenner.CodeInexpressible && base.mixed != nil {
			return 1 // what it took away had another ending than all that is left
		}
		t.Fatalf("reverse: %v\n%s", err, p.JSON())
	}
	if back, err := Apply(rev, result); err != nil || string(back.Text.Bytes()) != string(base.Bytes()) {
		t.Fatalf("apply(reverse) = %q, %v; want %q", back.Text.Bytes(), err, base.Bytes())
	}
	if _, entire := p.entire(); entire {
		return 0
	}
	rev, err = Reverse(p, result)
	if err != nil {
		t.Fatalf("reverse from the result: %v\n%q\n%q\n%s", err, base.s, result.s, p.JSON())
	}
	if back, err := Apply(rev, result); err != nil || back.Text.s != base.s {
		t.Fatalf("apply(reverse from the result) = %q, %v; want %q", back.Text.s, err, base.s)
	}
	return 1
}

// differentlySpelled says that two files have not both the same one ending for
// every line and the same byte order mark.
func differentlySpelled(a, b Text) bool {
	return a.bom != b.bom || a.mixed != nil || b.mixed != nil || a.every != b.every
}

// P12: the smallest form is taken: no patch is longer, by more than one
// operation costs, than one that replaces the whole text.
func TestDiff_IsNeverLongerThanTheWholeText(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	check := func(a, b Text) {
		t.Helper()
		p, err := Diff(a, b, "f")
		if brenner.CodeOf(err) == brenner.CodeInexpressible {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		whole := Patch{Path: "f", Base: a.Sum(), Result: b.Sum(), Groups: []Group{{Ops: []Op{{Kind: ReplaceEntireFile, New: b.s}}}}}
		if got, most := len(p.JSON()), len(whole.JSON()); a.s != b.s && got > most+overhead {
			t.Fatalf("a patch of %d bytes; the whole text takes %d", got, most)
		}
	}
	for range tries(1_500, 8_000) {
		check(randomPair(t, r))
	}
	long := strings.Repeat("lorem ipsum dolor ", 18_000)
	check(text(long), text(strings.ReplaceAll(long, "ipsum", "amet")))
	check(text(long), text(strings.ToUpper(long)))
	check(text(long), text(strings.Replace(long, "ipsum", "amet", 1)))
}

// P12: anchors emitted by diff are unique in the base, or counted.
func TestDiff_AnchorsAreUniqueOrCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 2))
	for range 5_000 {
		a, b := samePair(t, r)
		p, err := Diff(a, b, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range p.Groups {
			n := len(find(a.s, g.Anchor.Text, all))
			if g.Ops[0].Index == 0 && n != 1 {
				t.Fatalf("anchor %q occurs %d times in %q", g.Anchor.Text, n, a.s)
			}
		}
	}
}

// P3: the bytes that were read are the bytes that are written.
// P2: whatever is written reads back as the same canonical text.
func TestText_SpellingIsRestored(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for i := range pairs {
		raw := randomBytes(r)
		a := mustCanonical(t, raw)
		if string(a.Bytes()) != string(raw) {
			t.Fatalf("pair %d: %q comes back as %q", i, raw, a.Bytes())
		}
		p, err := Diff(Text{s: a.s}, Text{s: mutate(r, a).s}, "")
		if err != nil {
			t.Fatal(err)
		}
		res, err := Apply(p, a)
		if err != nil {
			t.Fatal(err)
		}
		again := mustCanonical(t, res.Text.Bytes())
		if again.s != res.Text.s {
			t.Fatalf("pair %d: %q written as %q reads as %q", i, res.Text.s, res.Text.Bytes(), again.s)
		}
	}
}

// P4: the order of groups never changes the result, nor whether there is one.
func TestApply_PermutationOfGroupsChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	many := 0
	for range pairs {
		a, b := samePair(t, r)
		groups, ok := quoteGroups(a.s, lineEdits(a.s, b.s))
		p := Patch{Base: a.Sum(), Result: b.Sum(), Groups: groups}
		if !ok || len(p.Groups) < 2 {
			continue
		}
		many++
		q := p.clone()
		r.Shuffle(len(q.Groups), func(i, j int) { q.Groups[i], q.Groups[j] = q.Groups[j], q.Groups[i] })
		res, err := Apply(q, a)
		if err != nil || res.Text.s != b.s {
			t.Fatalf("shuffled: %q, %v; want %q", res.Text.s, err, b.s)
		}
		vandal := vandalize(r, q)
		shuffled := vandal.clone()
		slices.Reverse(shuffled.Groups)
		one, err1 := Apply(vandal, a)
		two, err2 := Apply(shuffled, a)
		if (err1 == nil) != (err2 == nil) || one.Text.s != two.Text.s {
			t.Fatalf("damaged patch depends on order: %v, %v", err1, err2)
		}
	}
	if many < 1_000 {
		t.Fatalf("only %d patches had several groups", many)
	}
}

// P10: a refusal returns no text, whatever was done to the patch.
func TestApply_NeverReturnsTextWithAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	refused := 0
	for range pairs {
		a, b := samePair(t, r)
		p, err := Diff(a, b, "")
		if err != nil {
			t.Fatal(err)
		}
		p = vandalize(r, p)
		before := a.s
		res, err := Apply(p, a)
		if a.s != before {
			t.Fatal("the base was changed")
		}
		if err != nil {
			refused++
			if res.Outcome != "" || res.Text.s != "" || res.Text.Bytes() != nil && len(res.Text.Bytes()) > 0 {
				t.Fatalf("text %q beside error %v", res.Text.s, err)
			}
		}
	}
	if refused < 1_000 {
		t.Fatalf("only %d refusals", refused)
	}
}

// vandalize damages one operation and forgets the promised result.
func vandalize(r *rand.Rand, p Patch) Patch {
	p = p.clone()
	p.Result = ""
	if len(p.Groups) == 0 {
		return p
	}
	g := &p.Groups[r.IntN(len(p.Groups))]
	op := &g.Ops[0]
	switch r.IntN(6) {
	case 0:
		g.Anchor.Text = strings.TrimLeft(g.Anchor.Text, "x \n")
	case 1:
		op.Old += "x"
	case 2:
		op.Index = 1 + r.IntN(4)
	case 3:
		op.Old = op.Old[len(op.Old)/2:]
		op.Kind = ReplaceBlock
	case 4:
		g.Anchor.Mode = IgnoreWhitespace
	case 5:
		p.Groups = append(p.Groups, *g)
	}
	return p
}

// dumbPlaces finds the places of an operation by trying every position: the
// oracle for locate.
func dumbPlaces(base string, a Anchor, op Op) (places []int) {
	n := 0
	for i := 0; i <= len(base); i++ {
		end, ok := dumbMatch(base, i, a)
		if !ok {
			continue
		}
		n++
		at, ok := dumbFollow(base, dumbPast(base, end, a), op.Old, a.mode())
		if !ok {
			at, ok = dumbFollow(base, end, op.Old, a.mode())
		}
		if written := a.Text[len(strings.TrimRight(a.Text, " \n\t")):]; a.mode() == IgnoreWhitespace && op.Old == "" && strings.Contains(written, "\n") {
			ok = strings.Contains(base[end:at], "\n") // P5: not where the line goes on
		}
		if ok && (op.Index == 0 || op.Index == n) {
			places = append(places, at)
		}
		if a.Text == "" {
			break
		}
	}
	return places
}

func dumbMatch(base string, i int, a Anchor) (end int, ok bool) {
	if a.mode() == Exact || a.Text == "" {
		return i + len(a.Text), strings.HasPrefix(base[i:], a.Text)
	}
	want := strings.Join(strings.Fields(a.Text), "")
	if i >= len(base) || base[i] != want[0] {
		return 0, false
	}
	for j := i; j <= len(base); j++ {
		if strings.Join(strings.Fields(base[i:j]), "") == want {
			return j, true
		}
	}
	return 0, false
}

// dumbPast skips the white space that an author wrote at the anchor's end: the
// shortest run that has as many newlines as written, or all there are; then the
// rest of the line's white space if the author wrote any of it.
func dumbPast(base string, end int, a Anchor) int {
	written := a.Text[len(strings.TrimRight(a.Text, " \n\t")):]
	if a.mode() == Exact || a.Text == "" || written == "" {
		return end
	}
	most := end
	for most < len(base) && strings.ContainsRune(" \n\t", rune(base[most])) {
		most++
	}
	lines := min(strings.Count(written, "\n"), strings.Count(base[end:most], "\n"))
	past := end
	for strings.Count(base[end:past], "\n") < lines {
		past++
	}
	if lines > 0 && written[len(written)-1] == '\n' {
		return past
	}
	at := past
	for past < most && base[past] != '\n' {
		past++
	}
	if lines == 0 && at == past && past < most {
		past++
	}
	return past
}

func dumbFollow(base string, end int, old string, mode MatchMode) (int, bool) {
	for gap := end; gap <= len(base); gap++ {
		if mode == Exact && gap > end || strings.TrimSpace(base[end:gap]) != "" {
			return 0, false
		}
		if strings.HasPrefix(base[gap:], old) {
			return gap, true
		}
	}
	return 0, false
}

// P5, P6: one place or none, the same as by trying every position in turn; the
// gap is the shortest that fits; match_index counts overlapping occurrences.
func TestLocate_AgreesWithTryingEveryPosition(t *testing.T) {
	letters := rapid.SampledFrom([]string{"a", "b", " ", "\n", "\t", "é"})
	word := func(n int) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(letters, 0, n), func(s []string) string { return strings.Join(s, "") })
	}
	rapid.Check(t, func(t *rapid.T) {
		base := word(20).Draw(t, "base")
		a := Anchor{word(4).Draw(t, "anchor"), rapid.SampledFrom([]MatchMode{Exact, IgnoreWhitespace}).Draw(t, "mode")}
		op := Op{Kind: ReplaceBlock, Old: word(3).Draw(t, "old"), New: "N", Index: rapid.IntRange(0, 3).Draw(t, "index")}
		if a.check("") != nil {
			t.Skip()
		}
		want := dumbPlaces(base, a, op)
		edits, misses := resolve(Patch{Groups: []Group{{a, []Op{op}}}}, base)
		switch {
		case len(want) == 1 && (len(edits) != 1 || edits[0].start != want[0]):
			t.Fatalf("got %v %v, want a place at %d", edits, misses, want[0])
		case len(want) != 1 && len(misses) != 1:
			t.Fatalf("got %v, want a miss (places %v)", edits, want)
		}
	})
}

// The batch scan finds what one search per needle finds.
func TestScan_BatchAgreesWithSingleSearches(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 300 {
		text := make([]byte, r.IntN(3000))
		for i := range text {
			text[i] = "ab\n"[r.IntN(3)]
		}
		var batch, single []*query
		for range 20 {
			n := 1 + r.IntN(24)
			needle := "abababababababababababababab"[:n]
			if len(text) > n {
				i := r.IntN(len(text) - n)
				needle = string(text[i : i+n])
			}
			limit := []int{1, 2, all}[r.IntN(3)]
			batch = append(batch, ask(needle, limit))
			single = append(single, ask(needle, limit))
		}
		scan(string(text), batch)
		for i, q := range single {
			q.search(string(text), mostVisits)
			if !slices.Equal(q.hits, batch[i].hits) {
				t.Fatalf("%q in %q: %v, want %v", q.needle, text, batch[i].hits, q.hits)
			}
		}
	}
}
