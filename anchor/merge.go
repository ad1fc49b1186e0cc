package anchor

import (
	"strings"

	"brenner/internal/linediff"
)

// Conflict is a place where a patch and a newer text changed the same lines, or
// lines that touch, in different ways.
type Conflict struct {
	// Line says where in the newer text, from 1.
	Line int `json:"line"`
	// Base is what both began with, Ours what the patch makes of it, Theirs
	// what the newer text has: whole lines.
	Base   string `json:"base"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// merged is what a three-way merge came to.
type merged struct {
	text string
	// carried counts our changes that were new to them, already those that
	// they had made as well.
	carried, already int
	conflicts        []Conflict
}

// mergeTexts merges two texts made from one base, line by line. Changes of the
// two sides that neither overlap nor touch are both made; a stretch that both
// changed must have become the same on both sides, or it is a conflict. There
// is no finer level: whoever changed the same line as somebody else has to look
// at it.
func mergeTexts(base, ours, theirs string) merged {
	m := merger{base: linediff.Lines(base), ours: linediff.Lines(ours), theirs: linediff.Lines(theirs)}
	m.mine, m.their = linediff.Compare(m.base, m.ours), linediff.Compare(m.base, m.theirs)
	for len(m.mine)+len(m.their) > 0 {
		m.next()
	}
	m.keep(len(m.base))
	m.out.text = m.text.String()
	return m.out
}

// merger walks along the base. Everything before at has been written.
type merger struct {
	base, ours, theirs []string
	mine, their        []linediff.Change
	at                 int
	text               strings.Builder
	out                merged
}

// keep copies the base up to a line.
func (m *merger) keep(to int) {
	for ; m.at < to; m.at++ {
		m.text.WriteString(m.base[m.at])
	}
}

// next deals with the next stretch of the base that anybody changed.
func (m *merger) next() {
	mine, their := take(&m.mine, &m.their)
	lo, hi := extent(mine, their)
	m.keep(lo)
	m.at = hi
	our, they := after(m.ours, mine, lo, hi), after(m.theirs, their, lo, hi)
	switch {
	case len(their) == 0:
		m.out.carried += len(mine)
		m.write(our)
	case len(mine) == 0:
		m.write(they)
	case join(our) == join(they):
		m.out.already += len(mine)
		m.write(they)
	default:
		m.out.conflicts = append(m.out.conflicts, Conflict{
			Line: 1 + their[0].NewLo - (their[0].OldLo - lo),
			Base: join(m.base[lo:hi]), Ours: join(our), Theirs: join(they),
		})
		m.write(they)
	}
}

func (m *merger) write(lines []string) {
	for _, l := range lines {
		m.text.WriteString(l)
	}
}

func join(lines []string) string { return strings.Join(lines, "") }

// take removes the first changes of both lists that hang together: each touches
// one of the other side.
func take(mine, their *[]linediff.Change) (a, b []linediff.Change) {
	hi := -1
	for {
		switch {
		case len(*mine) > 0 && (hi < 0 && leads(*mine, *their) || (*mine)[0].OldLo <= hi):
			hi = max(hi, (*mine)[0].OldHi)
			a, *mine = append(a, (*mine)[0]), (*mine)[1:]
		case len(*their) > 0 && (hi < 0 || (*their)[0].OldLo <= hi):
			hi = max(hi, (*their)[0].OldHi)
			b, *their = append(b, (*their)[0]), (*their)[1:]
		default:
			return a, b
		}
	}
}

// leads says that the first change of one list begins before that of another.
func leads(a, b []linediff.Change) bool { return len(b) == 0 || a[0].OldLo <= b[0].OldLo }

// extent is the stretch of the base that changes cover.
func extent(a, b []linediff.Change) (lo, hi int) {
	lo = -1
	for _, list := range [][]linediff.Change{a, b} {
		if len(list) == 0 {
			continue
		}
		if first := list[0].OldLo; lo < 0 || first < lo {
			lo = first
		}
		hi = max(hi, list[len(list)-1].OldHi)
	}
	return lo, hi
}

// after gives what base lines lo to hi became on one side.
func after(side []string, changes []linediff.Change, lo, hi int) []string {
	if len(changes) == 0 {
		return nil
	}
	first, last := changes[0], changes[len(changes)-1]
	return side[first.NewLo-(first.OldLo-lo) : last.NewHi+(hi-last.OldHi)]
}
