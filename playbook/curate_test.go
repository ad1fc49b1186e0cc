package playbook

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
)

// B1, B2, B3, B5, B10: the ADR's example. A bullet with helpful 2, harmful 0
// meets an insight at 0.85: the counter goes up, last_seen_at moves, the
// content stays byte for byte, and the record holds both hashes.
func TestCurate_TheExampleOfTheADR(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "Use careful prompt engineering", 1))
	d.learns(says(Helpful, "Use careful prompt engineering", 1))
	before := d.bullet("prompts.1")
	if before.Helpful != 2 || before.Harmful != 0 {
		t.Fatalf("the example starts with %+v", before.Counts)
	}

	got := d.learns(says(Helpful, "Prompt engineering improves accuracy", 0.85))
	after := d.bullet("prompts.1")
	if after.Content != "Use careful prompt engineering" || after.Counts != (Counts{Helpful: 3}) {
		t.Errorf("after the match: %q %+v", after.Content, after.Counts)
	}
	if !after.LastSeenAt.Equal(d.now) || !after.CreatedAt.Equal(before.CreatedAt) {
		t.Errorf("created %v, last seen %v", after.CreatedAt, after.LastSeenAt)
	}
	if o := got[0]; o.Added || o.Bullet != "prompts.1" || o.Decision.Cosine != 0.85 || o.Threshold != 0.8 {
		t.Errorf("outcome %+v", o)
	}
	last := d.journal[len(d.journal)-1]
	if last.Before != before.Digest() || last.After != after.Digest() || last.Threshold != 0.8 {
		t.Errorf("record %+v", last)
	}
	if last.Insight == nil || last.Insight.Content != "Prompt engineering improves accuracy" {
		t.Errorf("the record forgets what was said: %+v", last.Insight)
	}
}

// B2: 0.80 matches, 0.79 does not.
// B2.a.
func TestCurate_TheThresholdIsInclusive(t *testing.T) {
	for c, added := range map[float64]bool{1: false, 0.8: false, 0.800001: false, 0.799999: true, 0.79: true, -1: true} {
		d := newDesk(t, Settings{})
		d.learns(says(Helpful, "Keep notes", 1))
		if got := d.learns(says(Helpful, "Keep some notes", c))[0]; got.Added != added {
			t.Errorf("cosine %v: %+v", c, got)
		}
	}
}

// B10: another threshold can be set, and stands on every record.
func TestCurate_UsesThePlaybooksThreshold(t *testing.T) {
	d := newDesk(t, Settings{Threshold: 0.9})
	d.learns(says(Helpful, "Keep notes", 1))
	if got := d.learns(says(Helpful, "Keep some notes", 0.89))[0]; !got.Added {
		t.Errorf("0.89 matched at threshold 0.9")
	}
	if got := d.learns(says(Helpful, "Keep all notes", 0.95))[0]; got.Added {
		t.Errorf("0.95 did not match at threshold 0.9")
	}
	d.did(d.book.ForceStage("prompts.1", Prod, d.act(person)))
	for _, u := range d.journal {
		if u.Threshold != 0.9 {
			t.Errorf("record %s has threshold %v", u.Ref(), u.Threshold)
		}
	}
}

// B10
func TestSettings_TheThresholdIsAboveZeroAndAtMostOne(t *testing.T) {
	for _, bad := range []float64{-0.1, 1.000001, 2, math.NaN(), math.Inf(1)} {
		_, err := NewBook(Settings{Domain: "x", Threshold: bad})
		wantCode(t, err, brenner.CodeInvalidThreshold)
	}
	for _, good := range []float64{0.000001, 0.5, 1} {
		if _, err := NewBook(Settings{Domain: "x", Threshold: good}); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	if b, _ := NewBook(Settings{Domain: "x"}); b.Settings().Threshold != 0.8 {
		t.Errorf("the default is %v", b.Settings().Threshold)
	}
}

// B2: matching does not look at sections; the insight's section names the
// counter.
func TestCurate_MatchesAcrossSections(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "Cache results", 1))
	d.learns(says(Helpful, "Cache results", 1))
	d.learns(says(Neutral, "Cache results", 0.9))
	d.learns(says(Harmful, "Cache results", 0.9))
	b := d.bullet("prompts.1")
	if b.Counts != (Counts{Helpful: 2, Harmful: 1, Neutral: 1}) || d.book.Len() != 1 {
		t.Errorf("%d bullets, the first %+v", d.book.Len(), b.Counts)
	}
}

// B2: the most similar wins; ties go to the oldest, then to the id.
func TestCurate_TiesGoToTheOldestThenTheID(t *testing.T) {
	d := newDesk(t, Settings{})
	old := Bullet{
		ID: "prompts.3", Domain: "prompts", Section: Helpful, Content: "c", Stage: Shadow,
		CreatedAt: noon, LastSeenAt: noon, Tags: []string{}, Links: []Link{}, Revision: 1,
	}
	young := old
	young.ID, young.CreatedAt = "prompts.1", noon.Add(1)
	sameAge := old
	sameAge.ID = "prompts.20"
	for _, b := range []Bullet{young, sameAge, old} {
		if err := d.book.Load(b, at(1)); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.learns(says(Helpful, "c", 1))[0].Bullet; got != "prompts.3" {
		t.Errorf("the tie went to %s", got)
	}
	nearer := old
	nearer.ID, nearer.CreatedAt = "prompts.4", noon.Add(5)
	if err := d.book.Load(nearer, at(0.95)); err != nil {
		t.Fatal(err)
	}
	if got := d.learns(says(Helpful, "c", 0.94))[0].Bullet; got != "prompts.4" {
		t.Errorf("the most similar is prompts.4, got %s", got)
	}
}

// B2: quarantined bullets are matched, so that junk does not come back under
// a new number; retired ones are not.
// B6.d.
func TestCurate_QuarantinedMatchesRetiredDoesNot(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "Disable the tests", 1))
	if got := d.learns(says(Harmful, "Disable the tests", 1))[0]; !got.Quarantined {
		t.Fatalf("outcome %+v", got)
	}
	if got := d.learns(says(Helpful, "Disable the tests", 1))[0]; got.Added || got.Quarantined || got.Stage != Quarantined {
		t.Errorf("a quarantined bullet was not matched: %+v", got)
	}
	d.did(d.book.Undo(RecordRef{"prompts.1", 1}, d.journal, d.act(person)))
	if got := d.learns(says(Helpful, "Disable the tests", 1))[0]; !got.Added {
		t.Errorf("a retired bullet was matched: %+v", got)
	}
}

// B3: no match begins a SHADOW bullet with 1 in its counter; later insights of
// a batch see earlier ones.
// B3.a.
func TestCurate_LaterInsightsOfABatchSeeEarlierOnes(t *testing.T) {
	d := newDesk(t, Settings{})
	got := d.learns(
		says(Harmful, "Rewriting history loses work", 1),
		says(Harmful, "Rewriting the history loses work", 0.9),
		says(Neutral, "Mice sleep by day", -0.5),
		says(Harmful, "Rewriting history loses work again", 0.95),
	)
	if d.book.Len() != 2 || !got[0].Added || got[1].Added || !got[2].Added || got[3].Added {
		t.Fatalf("%d bullets from %+v", d.book.Len(), got)
	}
	if b := d.bullet("prompts.1"); b.Counts != (Counts{Harmful: 3}) || b.Stage != Shadow || b.Revision != 3 {
		t.Errorf("the first bullet is %+v", b)
	}
	if b := d.bullet("prompts.2"); b.Counts != (Counts{Neutral: 1}) || b.Stage != Shadow {
		t.Errorf("the second bullet is %+v", b)
	}
}

// B3: one bad insight refuses the batch, and nothing has changed; every fault
// is reported with its place. The codes of bad use.
func TestCurate_ABadInsightRefusesTheBatchUntouched(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		bad     Insight
		code    brenner.Code
		pointer string
	}{
		"blank content":   {Insight{Section: Helpful, Content: " \t\n", Vector: at(1)}, brenner.CodeContentBlank, "/1/content"},
		"no word":         {Insight{Section: Helpful, Content: "—!?", Vector: at(1)}, brenner.CodeContentBlank, "/1/content"},
		"unknown section": {Insight{Section: "useful", Content: "x", Vector: at(1)}, brenner.CodeUnknownSection, "/1/section"},
		"section in caps": {Insight{Section: "Helpful", Content: "x", Vector: at(1)}, brenner.CodeUnknownSection, "/1/section"},
		"wrong dimension": {Insight{Section: Helpful, Content: "x", Vector: []float32{1, 0, 0}}, brenner.CodeInvalidVector, "/1/vector"},
		"no vector":       {Insight{Section: Helpful, Content: "x"}, brenner.CodeInvalidVector, "/1/vector"},
		"zero vector":     {Insight{Section: Helpful, Content: "x", Vector: []float32{0, 0}}, brenner.CodeInvalidVector, "/1/vector"},
		"NaN":             {Insight{Section: Helpful, Content: "x", Vector: []float32{1, nan}}, brenner.CodeInvalidVector, "/1/vector"},
		"infinity":        {Insight{Section: Helpful, Content: "x", Vector: []float32{1, float32(math.Inf(-1))}}, brenner.CodeInvalidVector, "/1/vector"},
		"confidence":      {Insight{Section: Helpful, Content: "x", Confidence: 1.1, Vector: at(1)}, brenner.CodeInvalidValue, "/1/confidence"},
		"NaN confidence":  {Insight{Section: Helpful, Content: "x", Confidence: math.NaN(), Vector: at(1)}, brenner.CodeInvalidValue, "/1/confidence"},
		"U+0000":          {Insight{Section: Helpful, Content: "x\x00", Vector: at(1)}, brenner.CodeInvalidText, "/1/content"},
		"not UTF-8":       {Insight{Section: Helpful, Content: "x\xff", Vector: at(1)}, brenner.CodeInvalidText, "/1/content"},
		"too long":        {Insight{Section: Helpful, Content: strings.Repeat("x", brenner.MaxLessonRunes+1), Vector: at(1)}, brenner.CodeLimitExceeded, "/1/content"},
		"blank tag":       {Insight{Section: Helpful, Content: "x", Tags: []string{" "}, Vector: at(1)}, brenner.CodeInvalidValue, "/1/tags"},
		"long tag":        {Insight{Section: Helpful, Content: "x", Tags: []string{strings.Repeat("t", 65)}, Vector: at(1)}, brenner.CodeLimitExceeded, "/1/tags"},
		"many tags":       {Insight{Section: Helpful, Content: "x", Tags: slices.Repeat([]string{"t"}, 65), Vector: at(1)}, brenner.CodeLimitExceeded, "/1/tags"},
		"bad agent":       {Insight{Section: Helpful, Content: "x", Source: Source{Agent: "a b"}, Vector: at(1)}, brenner.CodeInvalidID, "/1/agent"},
		"long task":       {Insight{Section: Helpful, Content: "x", Source: Source{Task: strings.Repeat("t", 129)}, Vector: at(1)}, brenner.CodeLimitExceeded, "/1/task"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, Settings{})
			d.learns(says(Helpful, "first", 1))
			before := d.book.Bullets()
			batch := []Insight{says(Helpful, "first", 1), c.bad, says(Helpful, "third", -1)}
			_, err := d.book.Curate(batch, d.options(batch))
			if e := wantCode(t, err, c.code); e.Pointer != c.pointer || len(e.Diagnostics) == 0 {
				t.Errorf("pointer %q, %d diagnostics", e.Pointer, len(e.Diagnostics))
			}
			if !reflect.DeepEqual(before, d.book.Bullets()) {
				t.Error("a refused batch left a trace")
			}
		})
	}
}

func TestCurate_ReportsEveryFaultAtOnce(t *testing.T) {
	d := newDesk(t, Settings{})
	batch := []Insight{{Section: "x", Content: "", Confidence: 2, Vector: at(1)}, says(Helpful, "fine", 1), {Section: Helpful, Vector: at(1)}}
	_, err := d.book.Curate(batch, d.options(batch))
	e := wantCode(t, err, brenner.CodeUnknownSection)
	var got []string
	for _, f := range e.Diagnostics {
		got = append(got, f.Pointer+" "+string(f.Code))
	}
	want := []string{"/0/section UNKNOWN_SECTION", "/0/content CONTENT_BLANK", "/0/confidence INVALID_VALUE", "/2/content CONTENT_BLANK"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	tooMany := make([]Insight, brenner.MaxInsights+1)
	wantCode(t, CheckInsights(tooMany), brenner.CodeLimitExceeded)
}

// B7: a match counts whatever its confidence; an unmatched insight below 0.7
// begins in SHADOW and is queued for review.
// B7.b.
func TestCurate_LowConfidenceIsQueuedOnlyWhenNew(t *testing.T) {
	d := newDesk(t, Settings{})
	low := says(Helpful, "Maybe restart it", 1)
	low.Confidence = 0.69
	if got := d.learns(low)[0]; !got.Added || !got.Queued || got.Stage != Shadow {
		t.Fatalf("outcome %+v", got)
	}
	low.Confidence = 0.01
	if got := d.learns(low)[0]; got.Added || got.Queued || got.Counts.Helpful != 2 {
		t.Errorf("outcome %+v", got)
	}
	sure := says(Helpful, "Read the log", -1)
	sure.Confidence = 0.7
	if got := d.learns(sure)[0]; !got.Added || got.Queued {
		t.Errorf("outcome %+v", got)
	}
	if q := d.book.ReviewQueue(); len(q) != 1 || q[0].ID != "prompts.1" {
		t.Errorf("queue %+v", q)
	}
}

// B8: the best three below the threshold, from 0.55 up, come with the outcome.
func TestCurate_ReportsNearCandidates(t *testing.T) {
	// Five bullets far from each other, at these cosines to the insight.
	cosines := []float64{0.60, 0.55, 0.30, 0.25, 0.15}
	d := newDesk(t, Settings{})
	var query []float32
	rest := 1.0
	var batch []Insight
	for i, c := range cosines {
		v := make([]float32, 6)
		v[i] = 1
		batch = append(batch, Insight{Section: Helpful, Content: "lesson " + string(rune('a'+i)), Confidence: 1, Vector: v})
		query = append(query, float32(c))
		rest -= c * c
	}
	query = append(query, float32(math.Sqrt(rest)))
	d.learns(batch...)
	got := d.learns(Insight{Section: Helpful, Content: "another lesson", Confidence: 1, Vector: query})[0]
	want := []Candidate{{"prompts.1", 0.6}, {"prompts.2", 0.55}}
	if !got.Added || !reflect.DeepEqual(got.Decision.Near, want) {
		t.Errorf("near %+v, want %+v", got.Decision.Near, want)
	}
	d = newDesk(t, Settings{})
	for _, c := range []float64{0.1, -0.69, -0.2, 0.7} { // angles apart by more than the threshold
		d.learns(says(Helpful, "x", c))
	}
	if got := d.learns(says(Helpful, "match", 0.7))[0]; got.Added || len(got.Decision.Near) == 0 {
		t.Errorf("a match reports its near candidates too: %+v", got)
	}
}

// B4: the guard skips the candidate, tries the next, and links a new bullet
// contradicts; off, cosine alone decides.
// B4.b, B4.c.
func TestCurate_TheGuardSkipsTriesTheNextAndLinks(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "Deploy on the 15th", 1))
	got := d.learns(says(Helpful, "Deploy on the 16th", 0.99))[0]
	if !got.Added || len(got.Decision.Skipped) != 1 || got.Decision.Skipped[0].Why != ClashNumbers || !got.Decision.Guard {
		t.Fatalf("outcome %+v", got)
	}
	if b := d.bullet("prompts.2"); !slices.Equal(b.Links, []Link{{Contradicts, "prompts.1"}}) {
		t.Errorf("links %+v", b.Links)
	}
	// The 15th is nearer, but the next candidate is the right one.
	got = d.learns(says(Helpful, "Deploy on day 16", 1))[0]
	if got.Added || got.Bullet != "prompts.2" || got.Decision.Skipped[0].Bullet != "prompts.1" {
		t.Errorf("outcome %+v", got)
	}
	if b := d.bullet("prompts.2"); len(b.Links) != 1 {
		t.Errorf("a match must not add links: %+v", b.Links)
	}
	d.guard.Off = true
	if got := d.learns(says(Helpful, "Deploy on the 17th", 1))[0]; got.Added || got.Bullet != "prompts.1" || got.Decision.Guard {
		t.Errorf("with the guard off: %+v", got)
	}
}

// B4: however many candidates the guard refuses, three are named and linked
// and the rest counted.
func TestCurate_NamesAFewOfManySkippedCandidates(t *testing.T) {
	d := newDesk(t, Settings{})
	for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
		d.learns(says(Helpful, "Use version "+n, 1))
	}
	got := d.learns(says(Helpful, "Use version 7", 1))[0]
	if len(got.Decision.Skipped) != 3 || got.Decision.SkippedMore != 3 || len(d.bullet("prompts.7").Links) != 3 {
		t.Errorf("outcome %+v", got.Decision)
	}
}

// B11: domains have the form of a name, some are reserved, and nothing
// crosses.
// B11.a.
func TestDomain_IsANameAndNothingCrosses(t *testing.T) {
	for _, good := range []Domain{"a", "0", "python", "ci-cd", Domain(strings.Repeat("a", 64))} {
		if err := good.Check(); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []Domain{"", "-a", "A", "a_b", "a.b", "ä", "a b", "system", "admin", "test", Domain(strings.Repeat("a", 65))} {
		wantCode(t, bad.Check(), brenner.CodeInvalidDomain)
		_, err := NewBook(Settings{Domain: bad})
		wantCode(t, err, brenner.CodeInvalidDomain)
	}
	d := newDesk(t, Settings{Domain: "python"})
	other := newDesk(t, Settings{Domain: "rust"})
	other.learns(says(Helpful, "Read the book", 1))
	wantCode(t, d.book.Load(other.bullet("rust.1"), at(1)), brenner.CodeInvalidDomain)
	wantCode(t, d.book.Commit(Change{Updates: other.journal}), brenner.CodeJournalCorrupt)
	_, err := d.book.Feedback("rust.1", Helpful, true, d.act(agent))
	wantCode(t, err, brenner.CodeNotFound)
	if d.book.Len() != 0 {
		t.Error("something crossed")
	}
}

// B12: the first insights freeze the embedding; another is refused, and so is
// a batch that mixes.
func TestCurate_TheEmbeddingIsFrozen(t *testing.T) {
	d := newDesk(t, Settings{})
	builtin := Identity{Provider: "builtin", Model: "m", Dimension: 2, Fingerprint: "f"}
	batch := []Insight{says(Helpful, "x", 1)}
	o := d.options(batch)
	o.Embedding = builtin
	c, err := d.book.Curate(batch, o)
	d.did(c.Change, err)
	if d.book.Settings().Embedding != builtin {
		t.Fatalf("frozen to %+v", d.book.Settings().Embedding)
	}
	for _, other := range []Identity{
		Explicit(2),
		{Provider: "openai", Model: "m", Dimension: 2, Fingerprint: "f"},
		{Provider: "builtin", Model: "n", Dimension: 2, Fingerprint: "f"},
		{Provider: "builtin", Model: "m", Dimension: 3, Fingerprint: "f"},
		{Provider: "builtin", Model: "m", Dimension: 2, Fingerprint: "g"},
	} {
		o := d.options(batch)
		o.Embedding = other
		_, err := d.book.Curate(batch, o)
		wantCode(t, err, brenner.CodeEmbeddingMismatch)
	}
	_, err = VectorsGiven([]Insight{says(Helpful, "x", 1), {Section: Helpful, Content: "y"}})
	wantCode(t, err, brenner.CodeEmbeddingMismatch)
	if given, err := VectorsGiven(batch); !given || err != nil {
		t.Errorf("%v %v", given, err)
	}
	if given, err := VectorsGiven([]Insight{{Content: "y"}}); given || err != nil {
		t.Errorf("%v %v", given, err)
	}
}

// B12: a probe print tells models apart, and forgives the last bits of floats.
func TestIdentity_ProbePrintsForgiveNoiseOnly(t *testing.T) {
	v, w, other := make([]float32, 300), make([]float32, 300), make([]float32, 300)
	for i := range v {
		v[i] = float32(math.Sin(float64(i)))
		w[i] = v[i] * (1 + 1e-3*float32(math.Cos(float64(7*i))))
		other[i] = float32(math.Cos(float64(i * i)))
	}
	id := func(v []float32) Identity {
		return Identity{Provider: "openai", Model: "m", Dimension: 300, Fingerprint: ProbePrint(v)}
	}
	if !id(v).Same(id(w)) || id(v).Same(id(other)) {
		t.Errorf("same %v, other %v", id(v).Same(id(w)), id(v).Same(id(other)))
	}
	plain := id(v)
	plain.Fingerprint = "something else"
	if id(v).Same(plain) || plain.Same(id(v)) {
		t.Error("a probe print equals something else")
	}
}

// B5, B12: a book rebuilt from its journal has every bullet, needs no embedder
// for vectors that came with the insights, and refuses to match while a
// computed vector is missing.
func TestCommit_ReplaysAJournalWithoutEmbedding(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Harmful, "y", -1))
	d.learns(says(Helpful, "x", 0.9))
	again := newDesk(t, Settings{})
	journal := roundTrip(t, d.journal)
	if err := again.book.Commit(Change{Updates: journal, Embedding: Explicit(2)}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.book.Bullets(), d.book.Bullets()) || len(again.book.WithoutVector()) != 0 {
		t.Error("the rebuilt book differs")
	}
	again.now = d.now
	if got := again.learns(says(Helpful, "x", 0.95))[0]; got.Bullet != "prompts.1" {
		t.Errorf("the rebuilt book matches %s", got.Bullet)
	}

	bare := newDesk(t, Settings{})
	for i := range journal {
		journal[i].Vector = ""
	}
	if err := bare.book.Commit(Change{Updates: journal, Embedding: Explicit(2)}); err != nil {
		t.Fatal(err)
	}
	if got := bare.book.WithoutVector(); !slices.Equal(got, []BulletID{"prompts.1", "prompts.2"}) {
		t.Errorf("without vector: %v", got)
	}
	batch := []Insight{says(Helpful, "x", 1)}
	_, err := bare.book.Curate(batch, bare.options(batch))
	wantCode(t, err, brenner.CodeVectorsMissing)
	for i, c := range []float64{1, -1} {
		if err := bare.book.SetVector(bulletID("prompts", i+1), at(c)); err != nil {
			t.Fatal(err)
		}
	}
	if got := bare.learns(batch...)[0]; got.Added {
		t.Errorf("with its vectors back the book matches again: %+v", got)
	}
}

// roundTrip sends records through JSON, as a journal does.
func roundTrip(t tester, records []DeltaUpdate) []DeltaUpdate {
	t.Helper()
	out := make([]DeltaUpdate, len(records))
	for i, u := range records {
		if err := canon.Unmarshal(canon.MustMarshal(u), &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// B5: a changed, missing, repeated or reordered record is found.
func TestCommit_RefusesABrokenChain(t *testing.T) {
	d := newDesk(t, Settings{})
	for _, c := range []float64{1, 0.9, 0.95} {
		d.learns(says(Helpful, "x", c))
	}
	j := d.journal
	for name, records := range map[string][]DeltaUpdate{
		"first missing":  j[1:],
		"middle missing": {j[0], j[2]},
		"swapped":        {j[0], j[2], j[1]},
		"repeated":       {j[0], j[1], j[1]},
	} {
		wantCode(t, commitAll(records), brenner.CodeJournalCorrupt)
		if _, err := Replay(records); brenner.CodeOf(err) != brenner.CodeJournalCorrupt {
			t.Errorf("%s: Replay gave %v", name, err)
		}
	}
	for name, tamper := range map[string]func(u *DeltaUpdate){
		"counter":   func(u *DeltaUpdate) { u.Increment.Helpful = 2 },
		"stage":     func(u *DeltaUpdate) { u.Stage = Prod },
		"last seen": func(u *DeltaUpdate) { u.LastSeenAt = noon },
		"link":      func(u *DeltaUpdate) { u.Link = []Link{{SameAs, "prompts.9"}} },
		"before":    func(u *DeltaUpdate) { u.Before = j[0].Before },
		"after":     func(u *DeltaUpdate) { u.After = u.Before },
		"below 0":   func(u *DeltaUpdate) { u.Increment = Counts{Harmful: -1} },
	} {
		records := slices.Clone(j)
		tamper(&records[1])
		if err := commitAll(records); brenner.CodeOf(err) != brenner.CodeJournalCorrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, tamper := range map[string]func(u *DeltaUpdate){
		"content":  func(u *DeltaUpdate) { b := *u.New; b.Content = "y"; u.New = &b },
		"no new":   func(u *DeltaUpdate) { u.New = nil },
		"vector":   func(u *DeltaUpdate) { u.Vector = "%" },
		"other id": func(u *DeltaUpdate) { u.Bullet = "prompts.2" },
	} {
		records := slices.Clone(j)
		tamper(&records[0])
		if err := commitAll(records); brenner.CodeOf(err) != brenner.CodeJournalCorrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := commitAll(j); err != nil {
		t.Errorf("the untouched journal: %v", err)
	}
}

func commitAll(records []DeltaUpdate) error {
	b, err := NewBook(Settings{Domain: "prompts"})
	if err != nil {
		return err
	}
	return b.Commit(Change{Updates: records})
}

// A change that cannot be applied whole is not applied at all.
func TestCommit_IsAllOrNothing(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1))
	good, err := d.book.Feedback("prompts.1", Helpful, true, d.act(agent))
	if err != nil {
		t.Fatal(err)
	}
	bad := good
	bad.Updates = append(slices.Clone(good.Updates), d.journal[0])
	wantCode(t, d.book.Commit(bad), brenner.CodeJournalCorrupt)
	bad = good
	bad.Vectors = []BulletVector{{"prompts.1", []float32{0, 0}}}
	wantCode(t, d.book.Commit(bad), brenner.CodeInvalidVector)
	bad.Vectors = []BulletVector{{"prompts.7", at(1)}}
	wantCode(t, d.book.Commit(bad), brenner.CodeNotFound)
	if got := d.bullet("prompts.1").Helpful; got != 1 {
		t.Errorf("a refused change counted to %d", got)
	}
	d.did(good, nil)
}

// B1: what a caller does to a bullet it was given does not reach the book.
func TestBook_GivesOutCopies(t *testing.T) {
	d := newDesk(t, Settings{})
	in := says(Helpful, "x", 1)
	in.Tags = []string{"a"}
	d.learns(in)
	in.Tags[0] = "changed"
	b := d.bullet("prompts.1")
	b.Tags[0] = "changed"
	d.book.Bullets()[0].Tags[0] = "changed"
	if got := d.bullet("prompts.1").Tags[0]; got != "a" {
		t.Errorf("the tag became %q", got)
	}
}
