package playbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
)

// C36: for the gates evidence counts once per agent and task or session and
// comes from two agents, or from a person; the counters count all.
// C36.a, C36.b.
func TestStanding_CountsEachAgentOncePerOccasion(t *testing.T) {
	d := newDesk(t, Settings{})
	learn := func(who Actor, occasion string) {
		d.who, d.occasion = who, occasion
		d.learns(says(Helpful, "Pin the seed", 1))
	}
	for range 9 {
		learn(agent, "t-1")
	}
	want := func(s Standing, missing string) {
		t.Helper()
		b := d.bullet("prompts.1")
		g, _ := b.Gate()
		if b.Standing() != s || !strings.Contains(strings.Join(g.Missing, "; "), missing) || (missing == "") != (len(g.Missing) == 0) {
			t.Errorf("%+v, missing %q, want %+v and %q", b.Standing(), g.Missing, s, missing)
		}
	}
	want(Standing{Support: 1, Agents: 1}, "support is 1 of 3 (9 were counted, once per agent and task or session)")
	learn(agent, "t-2")
	learn(agent, "t-3")
	want(Standing{Support: 3, Agents: 1}, "the support comes from one agent")
	if c := d.did(d.book.Promote(d.act(agent))); len(c.Updates) != 0 {
		t.Errorf("one agent opened a gate: %+v", c.Updates)
	}
	learn(Actor{Name: "gemini"}, "t-1")
	want(Standing{Support: 4, Agents: 2}, "")
	if got := d.bullet("prompts.1").Helpful; got != 12 {
		t.Errorf("the counter has %d of 12", got)
	}
	if c := d.did(d.book.Promote(d.act(agent))); len(c.Updates) != 1 || c.Updates[0].Reason != "support 4, opposition 0, from 2 agents" {
		t.Errorf("%+v", c.Updates)
	}
	// Undo takes the word back that made the difference.
	d.did(d.book.Undo(RecordRef{"prompts.1", 12}, d.records("prompts.1"), d.act(person)))
	if s := d.bullet("prompts.1").Standing(); s != (Standing{Support: 3, Agents: 1}) {
		t.Errorf("after the undo %+v", s)
	}
}

// C36: a person's word needs no second agent, and what was counted before
// witnesses were kept is the word of one agent.
func TestStanding_OfPersonsAndOfOldBullets(t *testing.T) {
	for _, c := range []struct {
		b    Bullet
		want Standing
	}{
		{Bullet{Counts: Counts{Helpful: 4}, Source: Source{Agent: "codex"}}, Standing{Support: 4, Agents: 1}},
		{Bullet{Counts: Counts{Helpful: 4}, Source: Source{Agent: "codex"}, Witnesses: []Witness{{Agent: "codex", Counts: Counts{Helpful: 2}}}}, Standing{Support: 3, Agents: 1}},
		{Bullet{Counts: Counts{Helpful: 4}, Source: Source{Agent: "codex"}, Witnesses: []Witness{{Agent: "gemini", Counts: Counts{Helpful: 2}}}}, Standing{Support: 3, Agents: 2}},
		{Bullet{Counts: Counts{Helpful: 3}, Witnesses: []Witness{{Agent: "ada", Person: true, Counts: Counts{Helpful: 3}}}}, Standing{Support: 3, Agents: 1, Person: true}},
		{Bullet{Counts: Counts{Helpful: 1, Harmful: 5}, Witnesses: []Witness{{Agent: "a", Counts: Counts{Helpful: 1, Harmful: 5}}}}, Standing{Support: 1, Opposition: 1, Agents: 1}},
	} {
		c.b.Section = Helpful
		if got := c.b.Standing(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.b, got, c.want)
		}
	}
}

// C36: one feedback per agent and context, until it is undone.
func TestFeedback_OncePerAgentAndContext(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1))
	judge := func(who Actor, context string) error {
		act := d.act(who)
		act.Context = context
		c, err := d.book.Feedback("prompts.1", Helpful, true, act)
		if err == nil {
			d.did(c, nil)
		}
		return err
	}
	gemini := Actor{Name: "gemini"}
	for _, who := range []Actor{agent, gemini} {
		if err := judge(who, "inv-1"); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, judge(agent, "inv-1"), brenner.CodeFeedbackDenied)
	if err := judge(agent, "inv-2"); err != nil {
		t.Error(err)
	}
	d.did(d.book.Undo(RecordRef{"prompts.1", 2}, d.records("prompts.1"), d.act(person)))
	if err := judge(agent, "inv-1"); err != nil {
		t.Errorf("after the undo: %v", err)
	}
}

// C36, B8: folding moves the witnesses with the counters, and back.
func TestSame_MovesTheWitnesses(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1))
	d.who, d.occasion = Actor{Name: "gemini"}, "t-2"
	d.learns(says(Helpful, "y", -1))
	d.did(d.book.Same("prompts.1", "prompts.2", d.act(reviewer)))
	if s := d.bullet("prompts.1").Standing(); s != (Standing{Support: 2, Agents: 2}) || d.bullet("prompts.2").Witnesses != nil {
		t.Errorf("%+v, left %+v", s, d.bullet("prompts.2").Witnesses)
	}
	d.did(d.book.Undo(RecordRef{"prompts.1", 2}, d.records("prompts.1", "prompts.2"), d.act(person)))
	for _, id := range []BulletID{"prompts.1", "prompts.2"} {
		if s := d.bullet(id).Standing(); s != (Standing{Support: 1, Agents: 1}) {
			t.Errorf("%s: %+v", id, s)
		}
	}
}

// C36: however many witnesses there are, a bullet stays small and every word
// can be taken back.
func TestTestify_IsBounded(t *testing.T) {
	var all []Witness
	for i := range brenner.MaxWitnesses + 50 {
		all = testify(all, Act{Occasion: fmt.Sprint("t-", i)}.witness("codex", Helpful))
	}
	if len(all) != brenner.MaxWitnesses+1 || !slices.IsSortedFunc(all, Witness.compare) {
		t.Fatalf("%d witnesses", len(all))
	}
	for i := range brenner.MaxWitnesses + 50 {
		all = testify(all, withdrawn(Act{Occasion: fmt.Sprint("t-", i)}.witness("codex", Helpful)))
	}
	if all != nil {
		t.Errorf("%+v are left", all)
	}
	var one []Witness
	for i := range brenner.MaxWitnessContexts + 5 {
		one = testify(one, Act{Context: fmt.Sprint("inv-", i)}.witness("codex", Helpful))
	}
	if len(one[0].Contexts) != brenner.MaxWitnessContexts {
		t.Errorf("%d contexts", len(one[0].Contexts))
	}
}

// C36, B5: bullets and records from before witnesses were kept have the digests
// they were written with.
func TestWitnesses_LeaveOldRecordsAlone(t *testing.T) {
	for _, v := range []any{Bullet{ID: "lab.1", Tags: []string{}, Links: []Link{}}, DeltaUpdate{Bullet: "lab.1"}} {
		if text := string(canon.MustMarshal(v)); strings.Contains(text, "witness") {
			t.Errorf("%s", text)
		}
	}
}

// C36, B6: one agent does not put a lesson of several into quarantine by saying so again,
// in one task or in many; two do, and so does a person.
func TestQuarantine_TakesMoreThanOneAgent(t *testing.T) {
	for name, c := range map[string]struct {
		against   []Actor
		occasions bool
		want      Stage
	}{
		"one agent, again and again": {[]Actor{agent, agent, agent, agent}, false, Shadow},
		"one agent in many tasks":    {[]Actor{agent, agent, agent, agent}, true, Shadow},
		"two agents in many tasks":   {[]Actor{agent, reviewer, agent, reviewer}, true, Quarantined},
		"a person":                   {[]Actor{person, person, person}, false, Quarantined},
	} {
		d := newDesk(t, Settings{})
		for _, who := range []brenner.ActorName{"ann", "bob", "eve"} {
			d.who = Actor{Name: who}
			d.learns(Insight{Section: Helpful, Content: "lesson 1", Confidence: 0.9, Vector: []float32{1, 0, 0}})
		}
		for i, who := range c.against {
			d.who = who
			if c.occasions {
				d.occasion = "task-" + strconv.Itoa(i)
			}
			d.learns(Insight{Section: Harmful, Content: "lesson 1", Confidence: 0.9, Vector: []float32{1, 0, 0}})
		}
		if got := d.book.Bullets()[0].Stage; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// B3, B8: the tags of what is merged into a bullet stay with it, once and within bounds.
func TestTags_OfMergedLessonsStay(t *testing.T) {
	d := newDesk(t, Settings{})
	lesson := func(content string, v []float32, tags ...string) {
		d.learns(Insight{Section: Helpful, Content: content, Confidence: 0.9, Vector: v, Tags: tags})
	}
	lesson("lesson 1", []float32{1, 0, 0}, "a")
	lesson("lesson 1", []float32{1, 0, 0}, "b", "a", "b")
	lesson("lesson 2", []float32{0, 1, 0}, "c", "a")
	d.did(d.book.Same("prompts.1", "prompts.2", d.act(person)))
	if got := d.book.Bullets()[0].Tags; !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the tags are %q", got)
	}
}

// B1: words that another bullet says already are refused as an amendment.
func TestAmend_MakesNoDuplicate(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(Insight{Section: Helpful, Content: "lesson 1", Confidence: 0.9, Vector: []float32{1, 0, 0}})
	d.learns(Insight{Section: Helpful, Content: "lesson 2", Confidence: 0.9, Vector: []float32{0, 1, 0}})
	amend := func(v []float32) error {
		in := Insight{Section: Helpful, Content: "lesson 1", Vector: v}
		o := d.options([]Insight{in})
		o.Act = d.act(person)
		_, err := d.book.Amend("prompts.2", in, o)
		return err
	}
	if err := amend([]float32{1, 0, 0}); brenner.CodeOf(err) != brenner.CodeAlreadyExists || !strings.Contains(err.Error(), "prompts.1") {
		t.Errorf("a duplicate: %v", err)
	}
	if err := amend([]float32{0, 0, 1}); err != nil {
		t.Errorf("other words: %v", err)
	}
}
