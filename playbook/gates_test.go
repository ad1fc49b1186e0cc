package playbook

import (
	"testing"

	"brenner"
)

// B6: support is the counter of the bullet's own section (a fact also counts
// those who found it helpful), opposition the opposite one.
func TestBullet_SupportAndOppositionDependOnTheSection(t *testing.T) {
	c := Counts{Helpful: 10, Harmful: 4, Neutral: 3}
	for section, want := range map[Section][2]int{Helpful: {10, 4}, Harmful: {4, 10}, Neutral: {13, 4}} {
		b := Bullet{Section: section, Counts: c}
		if got := [2]int{b.Support(), b.Opposition()}; got != want {
			t.Errorf("%s: %v, want %v", section, got, want)
		}
	}
}

// B6: SHADOW→STAGING at support 3 and ratio 3; STAGING→PROD at 5, ratio 5 and
// confidence 0.7, or an approved review (B7). No opposition meets any ratio.
// B6.a, B6.b, B6.c.
func TestGate_OpensExactlyWhereTheRuleSays(t *testing.T) {
	for _, c := range []struct {
		name       string
		stage      Stage
		counts     Counts
		confidence float64
		review     Review
		open       bool
	}{
		{"two is too few", Shadow, Counts{Helpful: 2}, 1, "", false},
		{"three without opposition", Shadow, Counts{Helpful: 3}, 0, ReviewPending, true},
		{"three to one", Shadow, Counts{Helpful: 3, Harmful: 1}, 1, "", true},
		{"five to two", Shadow, Counts{Helpful: 5, Harmful: 2}, 1, "", false},
		{"six to two", Shadow, Counts{Helpful: 6, Harmful: 2}, 1, "", true},
		{"neutral does not help a helpful one", Shadow, Counts{Helpful: 2, Neutral: 9}, 1, "", false},
		{"four is too few", Staging, Counts{Helpful: 4}, 1, "", false},
		{"five", Staging, Counts{Helpful: 5}, 0.7, "", true},
		{"five to one", Staging, Counts{Helpful: 5, Harmful: 1}, 0.7, "", true},
		{"nine to two", Staging, Counts{Helpful: 9, Harmful: 2}, 0.7, "", false},
		{"ten to two", Staging, Counts{Helpful: 10, Harmful: 2}, 0.7, "", true},
		{"not sure", Staging, Counts{Helpful: 50}, 0.69, "", false},
		{"not sure, pending", Staging, Counts{Helpful: 50}, 0.69, ReviewPending, false},
		{"not sure, approved", Staging, Counts{Helpful: 50}, 0.1, ReviewApproved, true},
	} {
		b := Bullet{Section: Helpful, Stage: c.stage, Counts: c.counts, Confidence: c.confidence, Review: c.review}
		b.Witnesses = []Witness{{Agent: "codex", Counts: Counts{Helpful: 1}}} // the others are from before there were any
		g, ok := b.Gate()
		if !ok || (len(g.Missing) == 0) != c.open {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
	for _, s := range []Stage{Prod, Quarantined, Retired} {
		if g, ok := (Bullet{Section: Helpful, Stage: s, Counts: Counts{Helpful: 99}, Confidence: 1}).Gate(); ok {
			t.Errorf("%s has a gate: %+v", s, g)
		}
	}
}

// B6: one step per pass, each with its record.
func TestPromote_OneStepPerPass(t *testing.T) {
	d := newDesk(t, Settings{})
	d.who = person
	for range 6 {
		d.learns(says(Harmful, "Deleting the lock file corrupts the cache", 1))
	}
	d.who = agent
	d.learns(says(Helpful, "Something else", -1))
	for _, want := range []Stage{Staging, Prod} {
		c := d.did(d.book.Promote(d.act(agent)))
		if len(c.Updates) != 1 || c.Updates[0].Kind != KindPromote || c.Updates[0].Stage != want {
			t.Fatalf("pass to %s: %+v", want, c.Updates)
		}
		if got := d.bullet("prompts.1").Stage; got != want {
			t.Errorf("stage %s, want %s", got, want)
		}
	}
	if c := d.did(d.book.Promote(d.act(agent))); len(c.Updates) != 0 {
		t.Errorf("a pass with nothing to do wrote %+v", c.Updates)
	}
	if got := d.bullet("prompts.2").Stage; got != Shadow {
		t.Errorf("the other bullet is in %s", got)
	}
}

// B6: quarantine fires in the change of the counter that brings opposition up
// to support; a warning is not quarantined at birth.
func TestQuarantine_FiresWithTheCounter(t *testing.T) {
	d := newDesk(t, Settings{})
	if got := d.learns(says(Harmful, "Never force-push", 1))[0]; got.Stage != Shadow {
		t.Fatalf("a warning begins in %s", got.Stage)
	}
	d.learns(says(Harmful, "Never force-push", 1))
	if got := d.learns(says(Helpful, "Never force-push", 1))[0]; got.Quarantined {
		t.Fatalf("one against two: %+v", got)
	}
	c, err := d.book.Feedback("prompts.1", Helpful, true, d.act(agent))
	d.did(c, err)
	if len(c.Updates) != 2 || c.Updates[1].Kind != KindQuarantine || c.Updates[1].From != Shadow {
		t.Fatalf("two against two: %+v", c.Updates)
	}
	if got := d.bullet("prompts.1"); got.Stage != Quarantined || got.Revision != 5 {
		t.Errorf("bullet %+v", got)
	}
	// A gate pass does not lift it, however the counters grow.
	for range 20 {
		d.learns(says(Harmful, "Never force-push", 1))
	}
	if c := d.did(d.book.Promote(d.act(agent))); len(c.Updates) != 0 {
		t.Errorf("a quarantined bullet was promoted: %+v", c.Updates)
	}
}

// B6: neutral bullets count helpful as support and harmful as opposition.
func TestQuarantine_OfAFact(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Neutral, "The cache holds a day", 1), says(Helpful, "The cache holds a day", 1), says(Harmful, "The cache holds a day", 1))
	if got := d.bullet("prompts.1").Stage; got != Shadow {
		t.Fatalf("two for, one against: %s", got)
	}
	d.learns(says(Harmful, "The cache holds a day", 1))
	if got := d.bullet("prompts.1").Stage; got != Quarantined {
		t.Errorf("two for, two against: %s", got)
	}
}

// B6: only a person releases, and good news does not lock a released bullet up
// again; bad news does.
// B6.e.
func TestRelease_OnlyByAPerson(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Harmful, "x", 1), says(Harmful, "x", 1))
	for _, who := range []Actor{agent, reviewer} {
		_, err := d.book.Release("prompts.1", d.act(who))
		wantCode(t, err, brenner.CodePersonRequired)
	}
	silent := d.act(person)
	silent.Reason = ""
	_, err := d.book.Release("prompts.1", silent)
	wantCode(t, err, brenner.CodeReasonRequired)
	d.did(d.book.Release("prompts.1", d.act(person)))
	if got := d.bullet("prompts.1").Stage; got != Shadow {
		t.Fatalf("released to %s", got)
	}
	_, err = d.book.Release("prompts.1", d.act(person))
	wantCode(t, err, brenner.CodeStatusConflict)
	_, err = d.book.Release("prompts.9", d.act(person))
	wantCode(t, err, brenner.CodeNotFound)

	if got := d.learns(says(Helpful, "x", 1))[0]; got.Stage != Shadow {
		t.Errorf("good news: %+v", got)
	}
	if got := d.learns(says(Neutral, "x", 1))[0]; got.Stage != Shadow {
		t.Errorf("no news: %+v", got)
	}
	if got := d.learns(says(Harmful, "x", 1))[0]; !got.Quarantined {
		t.Errorf("bad news: %+v", got)
	}
}

func TestForceStage_APersonWithAReason(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "y", -1))
	_, err := d.book.ForceStage("prompts.1", Prod, d.act(agent))
	wantCode(t, err, brenner.CodePersonRequired)
	_, err = d.book.ForceStage("prompts.1", Quarantined, d.act(person))
	wantCode(t, err, brenner.CodeInvalidValue)
	d.did(d.book.ForceStage("prompts.1", Prod, d.act(person)))
	if last := d.journal[len(d.journal)-1]; last.Reason != "because" || last.From != Shadow || last.Actor != "ada" {
		t.Errorf("record %+v", last)
	}
	_, err = d.book.ForceStage("prompts.1", Prod, d.act(person))
	wantCode(t, err, brenner.CodeStatusConflict)
	d.learns(says(Harmful, "x", 1))
	_, err = d.book.ForceStage("prompts.1", Prod, d.act(person))
	wantCode(t, err, brenner.CodeStatusConflict)
}

func TestAct_RefusesATimeNoRecordCanCarry(t *testing.T) {
	d := newDesk(t, Settings{})
	_, err := d.book.Promote(Act{Actor: agent})
	wantCode(t, err, brenner.CodeInvalidValue)
	_, err = d.book.Promote(Act{Actor: agent, At: noon.AddDate(9000, 0, 0)})
	wantCode(t, err, brenner.CodeInvalidValue)
	long := d.act(agent)
	long.Reason = string(make([]byte, brenner.MaxNoteRunes+1))
	_, err = d.book.Promote(long)
	wantCode(t, err, brenner.CodeLimitExceeded)
}
