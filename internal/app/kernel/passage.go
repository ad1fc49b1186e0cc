package kernel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
	"brenner/delta"
)

// Passage is a text that is shown whole or not at all.
type Passage struct {
	Text string
	Own  bool // the reader wrote it: it costs nothing
	// Of is the version it is a part of, if it is of one.
	Of brenner.Ref
	// Says names what it says: whoever was given all of that was given this. Like
	// names what together says the same in another form.
	Says []string
	Like []string
	// From is what it goes on from, FromLike the same in another form: only to whom
	// was given one of them, or the whole of FromOf, does it say what it says.
	From, FromLike []string
	FromOf         brenner.Ref
	// Whole says that it is asked for by name: who was given what it says in parts alone has
	// not read it so.
	Whole bool
}

// Ask says which passages are wanted.
type Ask struct {
	What  string // as the context records it
	From  int    // the first that is wanted
	Again bool   // those that were given before as well
	Peek  bool   // say which would be shown: nothing is read
	Size  int    // how many bytes the answer has room for, if that is less than a page
	Slack int    // how many more if nothing is left over then
}

// Shown says which passages an answer shows.
type Shown struct {
	Now    []int // they are shown
	Before []int // the reader's context was given them and they have not changed
	Like   []int // it was given them in another form
	Rest   []int // they do not fit: there is more
	Left   int   // what may still be read through the context
	Full   bool  // the first of the rest does not fit into it
	Costs  int   // what the rest would
	// Next makes a context that goes on from this one.
	Next brenner.Action
}

// ReadPassages is Read for a text in passages. A person is shown all of them. An
// agent is shown as many as fit its context and one answer, in their order: what
// it was given before is neither shown nor charged again (C34), and what does
// not fit is left for another answer, never a reason to refuse this one.
func ReadPassages[T any](ctx context.Context, k Caller, ask Ask, refs func(T) []brenner.Ref, guard Guard, fn func(*Call) (T, []Passage, error)) (T, Shown, error) {
	var out T
	shown, err := k.readPassages(ctx, ask, func() []brenner.Ref { return refs(out) }, guard, func(c *Call) ([]Passage, error) {
		made, all, err := fn(c)
		if err == nil {
			out = made
		}
		return all, err
	})
	return out, shown, err
}

func (k Caller) readPassages(ctx context.Context, ask Ask, refs func() []brenner.Ref, guard Guard, fn func(*Call) ([]Passage, error)) (Shown, error) {
	for try := 1; ; try++ {
		shown, err := k.readPassagesOnce(ctx, ask, refs, guard, fn)
		// Another call of the same agent may have taken what was left meanwhile.
		if !errors.Is(err, brenner.CodeContextOverflow) || try == passageTries || shown.Now == nil {
			return shown, err
		}
	}
}

const passageTries = 3

func (k Caller) readPassagesOnce(ctx context.Context, ask Ask, refs func() []brenner.Ref, guard Guard, fn func(*Call) ([]Passage, error)) (Shown, error) {
	var through *Through
	all, err := View(ctx, k, k.entering(guard, &through), fn)
	if err != nil {
		return Shown{}, err
	}
	if ask.From < 0 || ask.From > len(all) {
		return Shown{}, brenner.Errorf(brenner.CodeInvalidValue, "%d is not where a page starts", ask.From).
			At("/offset").WithHint("use next_offset of the page before")
	}
	if through == nil {
		var shown Shown
		for i := ask.From; i < len(all); i++ {
			shown.Now = append(shown.Now, i)
		}
		return shown, nil
	}
	shown, reading := through.choose(all, ask)
	if ask.Peek || reading.Price == 0 {
		return shown, nil
	}
	reading.Refs, reading.Unasked = refs(), k.unasked
	_, err = k.charge(ctx, through, reading)
	return shown, err
}

// choose takes passages as long as they fit, and the last of them where little is left over.
func (t *Through) choose(all []Passage, ask Ask) (Shown, Reading) {
	shown, reading := t.fill(all, ask)
	if len(shown.Rest) == 0 || ask.Size <= 0 || ask.Slack <= 0 {
		return shown, reading
	}
	ask.Size += ask.Slack
	if whole, read := t.fill(all, ask); len(whole.Rest) == 0 {
		return whole, read
	}
	return shown, reading
}

// fill takes passages as long as they fit.
func (t *Through) fill(all []Passage, ask Ask) (Shown, Reading) {
	shown, reading := Shown{Left: t.Left, Next: t.Next}, Reading{What: ask.What, Again: ask.Again}
	news := t.News
	page := passagePage{bytes: brenner.PassagePageBytes, price: brenner.PassagePageTokens, passages: brenner.MaxPassages}
	if ask.Size > 0 {
		page.bytes = min(page.bytes, ask.Size)
		page.first = brenner.PassagePageBytes - page.bytes // a passage always fits
	}
	for i := ask.From; i < len(all); i++ {
		p := all[i]
		if p.Own {
			if len(shown.Rest) == 0 && page.takes(len(p.Text), 0) {
				shown.Now = append(shown.Now, i)
			} else {
				shown.Rest = append(shown.Rest, i)
			}
			continue
		}
		digest := PassageDigest(ask.What, p.Text)
		before, like := t.has(ask.What, p)
		switch {
		case ask.Again:
		case before:
			shown.Before = append(shown.Before, i)
			continue
		case like:
			shown.Like = append(shown.Like, i)
			continue
		}
		// What comes after the first that does not fit is left as well, so that
		// the next page goes on where this one ends.
		if len(shown.Rest) == 0 {
			price := t.Measure([]byte(p.Text))
			if shown.Full = price > shown.Left+news; !shown.Full && page.takes(len(p.Text), price) {
				told := min(price, news)
				news -= told
				shown.Left -= price - told
				reading.Price += price
				reading.Parts = append(reading.Parts, digest)
				if t.knows(ask.What, p) {
					for _, s := range p.Says {
						reading.Parts = append(reading.Parts, saying(ask.What, s))
					}
				}
				shown.Now = append(shown.Now, i)
				continue
			}
		}
		shown.Rest = append(shown.Rest, i)
		shown.Costs += t.Measure([]byte(p.Text))
	}
	return shown, reading
}

// passagePage is what one answer has room for.
type passagePage struct {
	bytes, price, passages int
	first                  int // what the first may have besides
}

// takes makes room for a passage, or says that there is none.
func (p *passagePage) takes(bytes, price int) bool {
	if bytes > p.bytes+p.first || price > p.price || p.passages == 0 {
		return false
	}
	p.bytes, p.price, p.passages, p.first = p.bytes-bytes, p.price-price, p.passages-1, 0
	return true
}

// givenLike says whether the context was given all of what says the same.
func (t *Through) givenLike(what string, like []string) bool {
	return len(like) > 0 && !slices.ContainsFunc(like, func(s string) bool { return !t.Given(saying(what, s)) })
}

// has says whether the context was given a passage, or in another form what it
// says.
func (t *Through) has(what string, p Passage) (before, like bool) {
	whole := p.Of != brenner.Ref{} && t.Whole(p.Of)
	if whole || t.Given(PassageDigest(what, p.Text)) || !p.Whole && t.givenLike(what, p.Says) {
		return true, false
	}
	return false, t.givenLike(what, p.Like) && t.knows(what, p)
}

// Has says whether the context was given what a passage says, in whatever form.
func (t *Through) Has(what string, p Passage) bool {
	before, like := t.has(what, p)
	return before || like
}

// knows says whether the context was given what a passage goes on from.
func (t *Through) knows(what string, p Passage) bool {
	return len(p.From) == 0 || t.givenLike(what, p.From) || t.givenLike(what, p.FromLike) || p.FromOf != brenner.Ref{} && t.Whole(p.FromOf)
}

// ReadOfSession is what contexts call it to read a session.
func ReadOfSession(id brenner.SessionID) string { return "session " + string(id) }

// PassageDigest is what a context keeps of a passage that it was given.
func PassageDigest(what, text string) brenner.Digest { return canon.Sum([]byte(what + "\n" + text)) }

// CutPassage makes pieces of a long text, so that some of it fits anywhere. What
// goes on in the middle of a line is indented: it is not ours (D19).
func CutPassage(text string) []string { return cutAt(text, brenner.MaxPassageBytes) }

// CutItem is CutPassage for what is said of an item of a session: the research thread, which
// says what the answer is, comes whole.
func CutItem(s delta.Section, text string) []string {
	if s == delta.ResearchThread {
		return cutAt(text, brenner.MaxThreadBytes)
	}
	return CutPassage(text)
}

func cutAt(text string, most int) []string {
	var out []string
	for len(text) > most {
		n := most
		if line := strings.LastIndexByte(text[:n], '\n'); line > 0 {
			out, text = append(out, text[:line+1]), text[line+1:]
			continue
		}
		for !utf8.RuneStart(text[n]) {
			n--
		}
		out, text = append(out, text[:n]+"\n"), "    "+text[n:]
	}
	return append(out, text)
}

// saying is the digest of what a passage says, in whatever form.
func saying(what, says string) brenner.Digest { return canon.Sum([]byte(what + "\nsays\n" + says)) }
