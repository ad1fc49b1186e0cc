package playbook

import (
	"fmt"

	"brenner"
)

// gate is what a bullet must show to rise from one stage to the next (B6). Its
// evidence is that of Standing: repeating oneself opens no gate (C36).
type gate struct {
	from, to   Stage
	support    int
	ratio      int // support to opposition
	confidence float64
}

var gates = []gate{
	{Shadow, Staging, 3, 3, 0},
	{Staging, Prod, 5, 5, 0.7},
}

// Gate is where a bullet stands before its next gate.
type Gate struct {
	To Stage `json:"to"`
	// Missing says what is lacking, in words; empty means the bullet rises at
	// the next pass.
	Missing []string `json:"missing,omitempty"`
}

// Gate gives the next gate of a bullet; false if there is none, because it is
// in PROD or off the path.
func (b Bullet) Gate() (Gate, bool) {
	for _, g := range gates {
		if g.from == b.Stage {
			return Gate{g.to, g.missing(b)}, true
		}
	}
	return Gate{}, false
}

func (g gate) missing(b Bullet) []string {
	var out []string
	s := b.Standing()
	if s.Support < g.support {
		out = append(out, fmt.Sprintf("support is %d of %d%s", s.Support, g.support, repeated(s, b)))
	}
	if s.Support < g.ratio*s.Opposition {
		out = append(out, fmt.Sprintf("support %d to opposition %d is below %d to 1", s.Support, s.Opposition, g.ratio))
	}
	if !s.Independent() {
		out = append(out, "the support comes from one agent; it takes two, or a person")
	}
	if b.Confidence < g.confidence && b.Review != ReviewApproved {
		out = append(out, fmt.Sprintf("confidence %v is below %v and no review has approved it", b.Confidence, g.confidence))
	}
	return out
}

// repeated says why less counts than was counted.
func repeated(s Standing, b Bullet) string {
	if b.Support() == s.Support {
		return ""
	}
	return fmt.Sprintf(" (%d were counted, once per agent and task or session)", b.Support())
}

// turnedAgainst reports whether a change of counters puts a bullet into
// quarantine: opposition has reached support (B6), also where each agent counts
// once per task or session, and what several agents support several oppose, or a
// person: nobody does it by saying so again (C36). A change that only adds support
// never does; so a bullet that a person released is not locked up again by good
// news.
func turnedAgainst(before, after Bullet) bool {
	switch after.Stage {
	case Quarantined, Retired:
		return false
	}
	worse := after.Opposition() > before.Opposition() || after.Support() < before.Support()
	weighed := after.Standing()
	return worse && after.Opposition() > 0 && after.Opposition() >= after.Support() &&
		weighed.Opposition >= weighed.Support && (weighed.Agents < 2 || after.opposedIndependently())
}

func evidence(b Bullet) string {
	return fmt.Sprintf("support %d, opposition %d", b.Support(), b.Opposition())
}

// Promote makes one gate pass over the book: every bullet whose next gate is
// open rises one step. A pass that moves nothing is an empty change.
func (b *Book) Promote(act Act) (Change, error) {
	if err := act.check(); err != nil {
		return Change{}, err
	}
	d := b.draft(act)
	for i := range b.entries {
		s := b.entries[i].state
		g, ok := s.Gate()
		if s.ID == "" || !ok || len(g.Missing) > 0 {
			continue
		}
		weighed := s.Standing()
		reason := fmt.Sprintf("support %d, opposition %d, from %s", weighed.Support, weighed.Opposition, brenner.Plural(weighed.Agents, "agent", "agents"))
		u := DeltaUpdate{Kind: KindPromote, From: s.Stage, Stage: g.To, Reason: reason}
		if _, err := d.record(s, u); err != nil {
			return Change{}, err
		}
	}
	return d.change, nil
}

// ForceStage puts a bullet on a stage of the path whatever its gates say. Only
// a person may, with a reason: PERSON_REQUIRED, REASON_REQUIRED, NOT_FOUND,
// INVALID_VALUE for a stage off the path, STATUS_CONFLICT for a bullet that is
// there already, retired, or quarantined (release it first).
func (b *Book) ForceStage(id BulletID, to Stage, act Act) (Change, error) {
	if err := act.byPerson("set the stage of a bullet"); err != nil {
		return Change{}, err
	}
	if to != Shadow && to != Staging && to != Prod {
		return Change{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a stage a bullet can be put on", brenner.Clip(string(to), brenner.MaxQuote)).
			WithHint("use SHADOW, STAGING or PROD")
	}
	d := b.draft(act)
	s, err := d.living(id)
	if err != nil {
		return Change{}, err
	}
	switch s.Stage {
	case to:
		return Change{}, brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is in %s already", id, to).
			WithHint("nothing is left to do")
	case Quarantined:
		return Change{}, brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is in quarantine", id).
			WithHint("release it first")
	}
	_, err = d.record(s, DeltaUpdate{Kind: KindPromote, From: s.Stage, Stage: to})
	return d.change, err
}

// Release lets a bullet out of quarantine, back to SHADOW. Only a person may,
// with a reason (B6): PERSON_REQUIRED, REASON_REQUIRED, NOT_FOUND, and
// STATUS_CONFLICT for a bullet that is not quarantined.
func (b *Book) Release(id BulletID, act Act) (Change, error) {
	if err := act.byPerson("release a bullet from quarantine"); err != nil {
		return Change{}, err
	}
	d := b.draft(act)
	s, err := d.living(id)
	if err != nil {
		return Change{}, err
	}
	if s.Stage != Quarantined {
		return Change{}, brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is not in quarantine", id).
			WithHint("it is in " + string(s.Stage))
	}
	_, err = d.record(s, DeltaUpdate{Kind: KindRelease, From: Quarantined, Stage: Shadow})
	return d.change, err
}
