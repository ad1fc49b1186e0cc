package kernel

import (
	"context"
	"errors"

	"brenner"
	"brenner/api"
	"brenner/canon"
)

// Passage is a text that is shown whole or not at all.
type Passage struct {
	Text string
	Own  bool // the reader wrote it: it costs nothing
	// Of is the version it is a part of, if it is of one.
	Of brenner.Ref
}

// Ask says which passages are wanted.
type Ask struct {
	What  string // as the context records it
	From  int    // the first that is wanted
	Again bool   // those that were given before as well
	Peek  bool   // say which would be shown: nothing is read
}

// Shown says which passages an answer shows.
type Shown struct {
	Now    []int // they are shown
	Before []int // the reader's context was given them and they have not changed
	Rest   []int // they do not fit: there is more
	Left   int   // what may still be read through the context
	Full   bool  // the first of the rest does not fit into it
}

// ReadPassages is Read for a text in passages. A person is shown all of them. An
// agent is shown as many as fit its context and one answer, in their order: what
// it was given before is neither shown nor charged again (C34), and what does
// not fit is left for another answer, never a reason to refuse this one.
func ReadPassages[T any](ctx context.Context, k Caller, ask Ask, refs func(T) []brenner.Ref, guard Guard, fn func(*Call) (T, []Passage, error)) (T, Shown, error) {
	for try := 1; ; try++ {
		out, shown, err := readPassages(ctx, k, ask, refs, guard, fn)
		// Another call of the same agent may have taken what was left meanwhile.
		if !errors.Is(err, brenner.CodeContextOverflow) || try == passageTries || shown.Now == nil {
			return out, shown, err
		}
	}
}

const passageTries = 3

func readPassages[T any](ctx context.Context, k Caller, ask Ask, refs func(T) []brenner.Ref, guard Guard, fn func(*Call) (T, []Passage, error)) (out T, shown Shown, err error) {
	var through *Through
	var all []Passage
	out, err = View(ctx, k, k.entering(guard, &through), func(c *Call) (T, error) {
		out, passages, err := fn(c)
		all = passages
		return out, err
	})
	if err != nil {
		return out, shown, err
	}
	if ask.From < 0 || ask.From > len(all) {
		return out, shown, brenner.Errorf(brenner.CodeInvalidValue, "%d is not where a page starts", ask.From).
			At("/offset").WithHint("use next_offset of the page before")
	}
	if through == nil {
		for i := ask.From; i < len(all); i++ {
			shown.Now = append(shown.Now, i)
		}
		return out, shown, nil
	}
	shown, reading := through.choose(all, ask)
	if ask.Peek || reading.Price == 0 {
		return out, shown, nil
	}
	reading.Refs = refs(out)
	_, err = Write(ctx, k, "context.read", api.Write{}, Settled("the read; this is its price"), func(ch *Change) (bool, error) {
		return k.meter.Charge(ch, through.ID, reading)
	})
	return out, shown, err
}

// choose takes passages as long as they fit.
func (t *Through) choose(all []Passage, ask Ask) (Shown, Reading) {
	shown, reading := Shown{Left: t.Left}, Reading{What: ask.What, Again: ask.Again}
	room := brenner.PassagePageBytes
	for i := ask.From; i < len(all); i++ {
		p := all[i]
		if p.Own {
			shown.Now = append(shown.Now, i)
			continue
		}
		digest := canon.Sum([]byte(ask.What + "\n" + p.Text))
		if !ask.Again && (t.Given(digest) || p.Of != brenner.Ref{} && t.Whole(p.Of)) {
			shown.Before = append(shown.Before, i)
			continue
		}
		// What comes after the first that does not fit is left as well, so that
		// the next page goes on where this one ends.
		if len(shown.Rest) == 0 && len(p.Text) <= room {
			if price := t.Measure([]byte(p.Text)); price <= shown.Left {
				shown.Left -= price
				room -= len(p.Text)
				reading.Price += price
				reading.Parts = append(reading.Parts, digest)
				shown.Now = append(shown.Now, i)
				continue
			}
			shown.Full = true
		}
		shown.Rest = append(shown.Rest, i)
	}
	return shown, reading
}
