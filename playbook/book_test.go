package playbook

import (
	"slices"
	"testing"

	"brenner"
)

// B11, B12: what cannot belong to the book does not get in.
func TestLoad_RefusesWhatDoesNotFit(t *testing.T) {
	d := newDesk(t, Settings{})
	good := exported("x", Helpful)
	for code, bad := range map[brenner.Code]func(*Bullet) []float32{
		brenner.CodeInvalidID:     func(b *Bullet) []float32 { b.ID = "prompts.01"; return at(1) },
		brenner.CodeInvalidDomain: func(b *Bullet) []float32 { b.Domain = "other"; return at(1) },
		brenner.CodeInvalidVector: func(*Bullet) []float32 { return []float32{0, 0} },
	} {
		b := good
		v := bad(&b)
		wantCode(t, d.book.Load(b, v), code)
	}
	if d.book.Len() != 0 {
		t.Fatal("something got in")
	}
	if err := d.book.Load(good, at(1)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, d.book.SetVector("prompts.1", []float32{1, 2, 3}), brenner.CodeInvalidVector)
	wantCode(t, d.book.SetVector("prompts.2", at(1)), brenner.CodeNotFound)
	if _, ok := d.book.Bullet("prompts.2"); ok {
		t.Error("there is a bullet nobody loaded")
	}
}

// A book loaded from a store decides as the book it was stored from.
func TestLoad_ContinuesWhereTheStoreLeftOff(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Harmful, "y", -1), says(Helpful, "x", 0.9))
	again := newDesk(t, d.book.Settings())
	for i, b := range slices.Backward(d.book.Bullets()) { // in any order
		if err := again.book.Load(b, at([]float64{1, -1}[i])); err != nil {
			t.Fatal(err)
		}
	}
	insights := []Insight{says(Helpful, "x", 0.95), says(Neutral, "z", 0)}
	o := d.options(insights)
	want, err := d.book.Curate(insights, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.book.Curate(insights, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Updates) != 2 {
		t.Fatalf("%d records", len(got.Updates))
	}
	for i := range want.Updates {
		if got.Updates[i].After != want.Updates[i].After || got.Updates[i].Before != want.Updates[i].Before {
			t.Errorf("record %d differs: %+v, want %+v", i, got.Updates[i], want.Updates[i])
		}
	}
}

// B3: the same insight a thousand times is one bullet, count 1,000, in 1,000
// chained records.
func TestCurate_AThousandIdenticalInsights(t *testing.T) {
	d := newDesk(t, Settings{})
	for range 1000 {
		d.learns(says(Helpful, "Write it down", 1))
	}
	if b := d.bullet("prompts.1"); d.book.Len() != 1 || b.Helpful != 1000 || b.Revision != 1000 || len(d.journal) != 1000 {
		t.Errorf("%d bullets, %d records, the first %+v", d.book.Len(), len(d.journal), b)
	}
	if _, err := Replay(d.journal); err != nil {
		t.Error(err)
	}
}

// B5: record by record the bullet is what the book says, and a record that does
// not continue it is refused.
func TestApply_FollowsTheChainOfOneBullet(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "x", 1), says(Harmful, "x", 1))
	var b Bullet
	for i, u := range d.journal {
		if i > 0 {
			_, err := d.journal[0].Apply(b)
			wantCode(t, err, brenner.CodeJournalCorrupt)
		}
		var err error
		if b, err = u.Apply(b); err != nil {
			t.Fatal(err)
		}
	}
	if b.Digest() != d.bullet("prompts.1").Digest() {
		t.Errorf("bullet %+v", b)
	}
	forged := d.journal[1]
	forged.Increment.Helpful = 100
	first, err := d.journal[0].Apply(Bullet{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = forged.Apply(first)
	wantCode(t, err, brenner.CodeJournalCorrupt)
}

// A vector that came with an insight is in its record, bit for bit.
func TestGivenVector_IsTheOneThatWasGiven(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 0.6), says(Helpful, "x", 0.6))
	if v, err := d.journal[0].GivenVector(); err != nil || !slices.Equal(v, at(0.6)) {
		t.Errorf("vector %v, %v", v, err)
	}
	if v, err := d.journal[1].GivenVector(); err != nil || v != nil {
		t.Errorf("a match has the vector %v, %v", v, err)
	}
	bad := d.journal[0]
	bad.Vector = "AAA"
	_, err := bad.GivenVector()
	wantCode(t, err, brenner.CodeJournalCorrupt)
}

// B10: a new threshold counts from the next decision on.
func TestSetThreshold_CountsFromNowOn(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "y", 0.7))
	for _, bad := range []float64{-0.1, 1.01} {
		wantCode(t, d.book.SetThreshold(bad), brenner.CodeInvalidThreshold)
	}
	if err := d.book.SetThreshold(0.65); err != nil {
		t.Fatal(err)
	}
	if out := d.learns(says(Helpful, "z", 0.5)); out[0].Added || out[0].Threshold != 0.65 {
		t.Errorf("outcome %+v", out[0])
	}
	if err := d.book.SetThreshold(0); err != nil || d.book.Settings().Threshold != DefaultThreshold {
		t.Errorf("threshold %v, %v", d.book.Settings().Threshold, err)
	}
}

func TestBulletID_OrdersByNumber(t *testing.T) {
	ids := []BulletID{"b.2", "a.10", "a.9", "b.1"}
	slices.SortFunc(ids, compareIDs)
	if !slices.Equal(ids, []BulletID{"a.9", "a.10", "b.1", "b.2"}) {
		t.Errorf("order %v", ids)
	}
	for _, bad := range []string{"", "a", "a.", "a.0", "a.01", "a.-1", "a.x", ".1", "A.1", "a.1.2"} {
		_, err := ParseBulletID(bad)
		wantCode(t, err, brenner.CodeInvalidID)
	}
}
