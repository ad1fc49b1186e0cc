package sessions

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// signs is how a reply that adds nothing says that its author stands behind the answer.
var signs = lazy.NewPattern(`(?i)^\W*(?:(?:RT|the answer) (?:still )?holds\b|(?:I )?(?:would )?sign(?:ed)?\b)`)

// unsigns is how a reply that adds nothing says that its author no longer does.
var unsigns = lazy.NewPattern(`(?i)^\W*(?:(?:RT|the answer) (?:does not|doesn't|no longer) holds?\b|(?:I )?(?:take|took|withdraw|withdrew) (?:back )?my signature\b)`)

// signsAlone is how one that has deltas says so: a first or a last line that says nothing else.
var signsAlone = lazy.NewPattern(`(?i)^\W*(?:RT|the answer) (?:still )?holds\W*$`)

// signature is what a reply says of the answer of its session.
type signature struct {
	of     brenner.Digest // the answer that its author stands behind, "" if it says nothing of one
	unseen bool           // it was changed since its author was shown it: it is not signed
	back   bool           // its author no longer stands behind what it signed
	partly bool           // not all that it changes with it is taken: it is not signed
}

// signed is whether a reply stands behind the answer as it stands, which its author has to
// have been shown, or has written (ADR 199), also where the reply itself corrects it.
func (in incoming) signed(c *kernel.Call, entries []delta.Entry, parts replacedParts) (signature, error) {
	if c.Person() || in.agent != c.Who.Name {
		return signature{}, nil
	}
	text := strings.TrimSpace(in.text)
	if !in.nothing && !in.settles {
		first, _, _ := strings.Cut(text, "\n")
		last := text[strings.LastIndexByte(text, '\n')+1:]
		switch {
		case len(entries) == 0:
			return signature{}, nil
		case signsAlone.MatchString(first):
			text = first
		case signsAlone.MatchString(last):
			text = last
		default:
			return signature{}, nil
		}
	}
	if unsigns.MatchString(text) {
		return signature{back: true}, nil
	}
	if !signs.MatchString(text) {
		return signature{}, nil
	}
	head, doc, _, err := mergeBase(c, in.session.ID)
	if err != nil {
		return signature{}, err
	}
	answer, field := doc.Answer()
	thread, ok := doc.Item("RT")
	own, whole, all := ownAnswer(entries, parts)
	switch {
	case !all:
		return signature{partly: true}, nil
	case whole:
		return signature{of: sumOf(own)}, nil
	case answer == "" || !ok:
		return signature{}, nil
	}
	if writes := thread.History(field); len(writes) > 0 && writes[len(writes)-1].Agent != in.agent {
		last := writes[len(writes)-1]
		known := sight{call: c, session: in.session, head: head.Ref(), doc: doc, author: in.agent}
		shown, err := known.of(thread.ID(), delta.Over{Item: thread.ID(), FieldText: delta.FieldText{Field: field, By: last.Agent, At: last.At, Text: answer}})
		if err != nil || !shown {
			return signature{unseen: err == nil}, err
		}
	}
	return signature{of: sumOf(cmp.Or(own, answer))}, nil
}

// ownAnswer is what the deltas of a reply make of the answer, "" if they leave it as it is;
// whether they say all of it; and whether all of them are taken, with all that they replace.
func ownAnswer(entries []delta.Entry, parts replacedParts) (text string, whole, all bool) {
	for i, e := range entries {
		if e.Invalid != nil {
			return "", false, false
		}
		if e.Delta.Section != delta.ResearchThread {
			continue
		}
		var payload map[string]jsontext.Value
		if json.Unmarshal(e.Delta.Payload, &payload) == nil && payload["answer"] != nil {
			var said string
			if json.Unmarshal(payload["answer"], &said) != nil || strings.TrimSpace(said) == "" {
				return "", false, false // it takes the answer back
			}
			text, whole = strings.TrimSpace(said), len(e.Sent) == 0
		}
		if i < len(parts.texts) && slices.ContainsFunc(parts.texts[i], func(t delta.FieldText) bool { return len(t.Left) > 0 }) {
			return "", false, false
		}
	}
	return text, whole, true
}

// readBelow reads the deltas of a reply. Lines below one that signs the answer are the whole of
// what is read where all they do is settle critiques (ADR 199); otherwise they are lines
// within a text like any others (D20).
func readBelow(gone func() bool, text string, env delta.Envelope) (delta.Extraction, error) {
	line, below, more := strings.Cut(text, "\n")
	if below = strings.TrimSpace(below); more && strings.HasPrefix(below, "{") && signs.MatchString(line) {
		x, err := delta.ReadUntil(gone, []byte(below), env)
		if err != nil || settling(x) {
			return x, err
		}
	}
	return delta.ReadUntil(gone, []byte(text), env)
}

// settling is whether a reply has deltas and none does more than settle a critique (ADR 167).
func settling(x delta.Extraction) bool {
	return len(x.Entries) > 0 && len(x.Misses) == 0 && !slices.ContainsFunc(x.Entries, func(e delta.Entry) bool { return !e.Delta.Settles() })
}

// notedSince are those who left a note on the thread since its answer was last written.
func notedSince(doc *delta.Artifact, notes func(delta.ItemID) []delta.Written) []brenner.ActorName {
	answer, field := doc.Answer()
	thread, ok := doc.Item("RT")
	if answer == "" || !ok {
		return nil
	}
	var out []brenner.ActorName
	writes := thread.History(field)
	for _, n := range notes("RT") {
		if (len(writes) == 0 || n.At.After(writes[len(writes)-1].At)) && !slices.Contains(out, n.By) {
			out = append(out, n.By)
		}
	}
	slices.Sort(out)
	return out
}

func sumOf(answer string) brenner.Digest { return canon.Sum([]byte(answer)) }

// mostCorrected is how much of an answer may be other words for it to be the one that was
// signed, corrected: one in so many.
const mostCorrected = 4

// signers are those who stand behind the answer as it stands, who says it aside, and those who
// signed it in words from which these differ by no more than a correction (ADR 217).
func signers(c *kernel.Call, id brenner.SessionID, doc *delta.Artifact, by brenner.ActorName) (signed, before []brenner.ActorName, err error) {
	answer, field := doc.Answer()
	thread, ok := doc.Item("RT")
	if answer == "" || !ok {
		return nil, nil, nil
	}
	last := map[brenner.ActorName]reply{} // that signs an answer, or takes that back
	err = replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id)}, func(row kernel.Row[reply]) (bool, error) {
		if p := row.Value; (p.Signs != "" || p.Unsigns) && p.Agent != by {
			last[p.Agent] = p
		}
		return true, nil
	})
	sum := sumOf(answer)
	near := map[brenner.Digest]bool{} // what was signed and is near enough to what it says now
	for _, p := range last {          // order-free: a set
		near[p.Signs] = false
	}
	for _, w := range thread.History(field) {
		var text string
		if json.Unmarshal(w.Value, &text) != nil {
			continue
		}
		if said := sumOf(text); said != sum {
			if known, asked := near[said]; asked && !known {
				near[said] = delta.ChangedRunes(text, answer) <= min(brenner.MaxCorrectionRunes, utf8.RuneCountInString(answer)/mostCorrected)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		switch p := last[name]; {
		case p.Unsigns:
		case p.Signs == sum:
			signed = append(signed, name)
		case near[p.Signs]:
			before = append(before, name)
		}
	}
	return signed, before, err
}

// say adds to what is said of a reply what it says of the answer.
func (s signature) say(out *api.Submission) {
	out.Signed, out.AnswerUnseen, out.SignatureBack, out.SignedNot = s.of != "", s.unseen, s.back, s.partly
}
