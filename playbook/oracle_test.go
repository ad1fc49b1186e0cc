package playbook

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"brenner"

	"pgregory.net/rapid"
)

// dumbBook follows the rules with no index, no records and no drafts: a list
// of bullets changed in place. Bullets are found by walking the list.
type dumbBook struct {
	bullets []*dumbBullet
}

type dumbBullet struct {
	section                   Section
	content                   string
	helpful, harmful, neutral int
	stage                     Stage
	seen                      time.Time
	vector                    []float32
	words                     []word
}

// word is one thing that was said of a bullet, and by whom.
type word struct {
	who      Actor
	occasion string
	section  Section
}

// say counts a word; unsay takes one like it back.
func (b *dumbBullet) say(w word) {
	b.words = append(b.words, w)
	b.bump(w.section, 1)
}

func (b *dumbBullet) unsay(w word) {
	at := slices.Index(b.words, w)
	b.words = slices.Delete(b.words, at, at+1)
	b.bump(w.section, -1)
}

// judge counts every agent once per occasion and persons every time, and the
// names of those who support the bullet (C36).
func (b *dumbBullet) judge() (against, support int, independent bool) {
	seen := map[any]bool{}
	agents := map[brenner.ActorName]bool{}
	for _, w := range b.words {
		one := dumbBullet{section: b.section}
		one.bump(w.section, 1)
		no, yes := one.weigh()
		key := [3]any{w.who.Name, w.occasion, yes > no}
		if yes == no || seen[key] && !w.who.Person {
			continue
		}
		seen[key] = true
		if yes > no {
			support++
			agents[w.who.Name] = true
			independent = independent || w.who.Person
		} else {
			against++
		}
	}
	return against, support, independent || len(agents) > 1
}

func (b *dumbBullet) bump(s Section, by int) {
	against, support := b.weigh()
	switch s {
	case Helpful:
		b.helpful += by
	case Harmful:
		b.harmful += by
	case Neutral:
		b.neutral += by
	}
	nowAgainst, nowSupport := b.weigh()
	if b.stage != Retired && (nowAgainst > against || nowSupport < support) && nowAgainst > 0 && nowAgainst >= nowSupport && b.outvoted() {
		b.stage = Quarantined
	}
}

// outvoted says that those against a bullet are as many as those for it where nobody
// counts twice for one occasion, and not one agent against several (C36).
func (b *dumbBullet) outvoted() bool {
	against, support, _ := b.judge()
	names := map[bool]map[brenner.ActorName]bool{false: {}, true: {}}
	person := false
	for _, w := range b.words {
		one := dumbBullet{section: b.section}
		one.bump(w.section, 1)
		if no, yes := one.weigh(); yes != no {
			names[yes > no][w.who.Name] = true
			person = person || no > yes && w.who.Person
		}
	}
	return against >= support && (len(names[true]) < 2 || len(names[false]) > 1 || person)
}

func (b *dumbBullet) weigh() (against, support int) {
	switch b.section {
	case Helpful:
		return b.harmful, b.helpful
	case Harmful:
		return b.helpful, b.harmful
	}
	return b.harmful, b.neutral + b.helpful
}

func dumbCosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return math.Round(ab/(math.Sqrt(aa)*math.Sqrt(bb))*1e6) / 1e6
}

// learn gives the number of the bullet that took the insight.
func (d *dumbBook) learn(in Insight, by word, now time.Time) int {
	by.section = in.Section
	best, at := -2.0, -1
	for i, b := range d.bullets {
		// Older bullets come first in the list, so only a greater cosine wins.
		if c := dumbCosine(in.Vector, b.vector); b.stage != Retired && c >= 0.8 && c > best && b.content == in.Content {
			best, at = c, i
		}
	}
	if at < 0 {
		b := &dumbBullet{section: in.Section, content: in.Content, stage: Shadow, seen: now, vector: in.Vector}
		d.bullets = append(d.bullets, b)
		b.say(by)
		return len(d.bullets)
	}
	d.bullets[at].say(by)
	d.bullets[at].seen = now
	return at + 1
}

func (d *dumbBook) promote() {
	for _, b := range d.bullets {
		against, support, independent := b.judge()
		switch {
		case !independent:
		case b.stage == Shadow && support >= 3 && support >= 3*against:
			b.stage = Staging
		case b.stage == Staging && support >= 5 && support >= 5*against:
			b.stage = Prod
		}
	}
}

// B2, B3, B4, B5, B6, B9, C36: any history of batches, feedback, passes, releases
// and undos leaves the same bullets as the dumb book, a journal that replays
// to the same state from JSON, and no counter below zero.
//
// The guard's part is played by numbers: contents "lesson N" with different N
// never merge, which the dumb book writes as a comparison of contents.
func TestBook_EqualsTheDumbBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDesk(t, Settings{})
		dumb := &dumbBook{}
		counted := map[RecordRef]word{} // records that moved one counter and may be undone
		steps := rapid.IntRange(1, 25).Draw(t, "steps")
		for range steps {
			d.who = rapid.SampledFrom([]Actor{agent, {Name: "gemini"}, person}).Draw(t, "who")
			d.occasion = rapid.SampledFrom([]string{"", "t-1", "t-2", "t-3"}).Draw(t, "occasion")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				d.did(d.book.Promote(d.act(agent)))
				dumb.promote()
			case 1:
				giveFeedback(t, d, dumb, counted)
			case 2:
				release(t, d, dumb)
			case 3:
				undoOne(t, d, dumb, counted)
			default:
				learnBatch(t, d, dumb, counted)
			}
			compareBooks(t, d, dumb)
		}
		replayed, err := NewBook(Settings{Domain: "prompts"})
		if err != nil {
			t.Fatal(err)
		}
		if err := replayed.Commit(Change{Updates: roundTrip(t, d.journal), Embedding: d.book.settings.Embedding}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(replayed.Bullets(), d.book.Bullets()) || len(replayed.WithoutVector()) != 0 {
			t.Fatal("the journal replays to another book")
		}
	})
}

func learnBatch(t *rapid.T, d *desk, dumb *dumbBook, counted map[RecordRef]word) {
	angle := rapid.Map(rapid.IntRange(0, 11), func(i int) []float32 {
		return []float32{float32(math.Cos(float64(i) * math.Pi / 6)), float32(math.Sin(float64(i) * math.Pi / 6)), float32(i % 2)}
	})
	n := rapid.IntRange(1, 6).Draw(t, "insights")
	batch := make([]Insight, n)
	for i := range batch {
		batch[i] = Insight{
			Section: rapid.SampledFrom(Sections).Draw(t, "section"), Confidence: 0.9,
			Content: fmt.Sprintf("lesson %d", rapid.IntRange(1, 2).Draw(t, "number")), Vector: angle.Draw(t, "vector"),
		}
	}
	before := len(d.journal)
	outcomes := d.learns(batch...)
	for i, in := range batch {
		if want := bulletID("prompts", dumb.learn(in, word{who: d.who, occasion: d.occasion}, d.now)); outcomes[i].Bullet != want {
			t.Fatalf("insight %d went to %s, want %s", i, outcomes[i].Bullet, want)
		}
	}
	for _, u := range d.journal[before:] {
		if u.Kind == KindMatch {
			counted[u.Ref()] = word{d.who, d.occasion, u.Insight.Section}
		}
	}
}

func giveFeedback(t *rapid.T, d *desk, dumb *dumbBook, counted map[RecordRef]word) {
	if len(dumb.bullets) == 0 {
		return
	}
	i := rapid.IntRange(0, len(dumb.bullets)-1).Draw(t, "bullet")
	as := rapid.SampledFrom(Sections).Draw(t, "as")
	act := d.act(d.who)
	act.Occasion = d.occasion
	c, err := d.book.Feedback(bulletID("prompts", i+1), as, true, act)
	if dumb.bullets[i].stage == Retired {
		if brenner.CodeOf(err) != brenner.CodeStatusConflict {
			t.Fatalf("feedback on a retired bullet: %v", err)
		}
		return
	}
	d.did(c, err)
	said := word{d.who, d.occasion, as}
	dumb.bullets[i].say(said)
	dumb.bullets[i].seen = d.now
	counted[c.Updates[0].Ref()] = said
}

func release(t *rapid.T, d *desk, dumb *dumbBook) {
	for i, b := range dumb.bullets {
		if b.stage == Quarantined {
			d.did(d.book.Release(bulletID("prompts", i+1), d.act(person)))
			b.stage = Shadow
			return
		}
	}
}

// undoOne takes back a record that moved a counter, or the add of a bullet.
func undoOne(t *rapid.T, d *desk, dumb *dumbBook, counted map[RecordRef]word) {
	if len(d.journal) == 0 {
		return
	}
	u := rapid.SampledFrom(d.journal).Draw(t, "record")
	b := dumb.bullets[u.Bullet.number()-1]
	c, err := d.book.Undo(u.Ref(), d.records(u.Bullet), d.act(agent))
	said, moved := counted[u.Ref()]
	switch {
	case moved && b.stage != Retired:
		d.did(c, err)
		delete(counted, u.Ref())
		b.unsay(said)
	case u.Kind == KindAdd && b.stage != Retired:
		d.did(c, err)
		b.stage = Retired
		b.bump(b.section, -1)
	case err == nil:
		t.Fatalf("record %s was undone, %+v", u.Ref(), u)
	}
}

func compareBooks(t *rapid.T, d *desk, dumb *dumbBook) {
	if d.book.Len() != len(dumb.bullets) {
		t.Fatalf("%d bullets, want %d", d.book.Len(), len(dumb.bullets))
	}
	for i, b := range d.book.Bullets() {
		w := dumb.bullets[i]
		if b.Counts != (Counts{w.helpful, w.harmful, w.neutral}) || b.Stage != w.stage || b.Content != w.content ||
			b.Section != w.section || !b.LastSeenAt.Equal(w.seen) {
			t.Fatalf("bullet %s is %+v, want %+v", b.ID, b, *w)
		}
		if b.Helpful < 0 || b.Harmful < 0 || b.Neutral < 0 {
			t.Fatalf("bullet %s has a counter below zero: %+v", b.ID, b.Counts)
		}
		again, err := Replay(d.records(b.ID))
		if err != nil || again.Digest() != b.Digest() {
			t.Fatalf("the records of %s make %+v, %v", b.ID, again, err)
		}
	}
}
