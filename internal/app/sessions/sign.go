package sessions

import (
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"
)

// signs is how a reply that adds nothing says that its author stands behind the answer.
var signs = lazy.NewPattern(`(?i)^\W*(?:(?:RT|the answer) (?:still )?holds\b|(?:I )?(?:would )?sign(?:ed)?\b)`)

// signature is what a reply says of the answer of its session.
type signature struct {
	of     brenner.Digest // the answer that its author stands behind, "" if it says nothing of one
	unseen bool           // it was changed since its author was shown it: it is not signed
}

// signed is whether a reply stands behind the answer as it stands, which its author has to
// have been shown, or has written (ADR 199).
func (in incoming) signed(c *kernel.Call) (signature, error) {
	if !in.nothing && !in.settles || c.Person() || in.agent != c.Who.Name || !signs.MatchString(in.text) {
		return signature{}, nil
	}
	head, doc, _, err := mergeBase(c, in.session.ID)
	if err != nil {
		return signature{}, err
	}
	answer, field := doc.Answer()
	thread, ok := doc.Item("RT")
	if answer == "" || !ok {
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
	return signature{of: sumOf(answer)}, nil
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

func sumOf(answer string) brenner.Digest { return canon.Sum([]byte(answer)) }

// signers are those who stand behind the answer as it stands, who wrote it aside.
func signers(c *kernel.Call, id brenner.SessionID, doc *delta.Artifact, by brenner.ActorName) ([]brenner.ActorName, error) {
	answer, _ := doc.Answer()
	if answer == "" {
		return nil, nil
	}
	sum := sumOf(answer)
	var out []brenner.ActorName
	err := replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id)}, func(row kernel.Row[reply]) (bool, error) {
		if p := row.Value; p.Signs == sum && p.Agent != by && !slices.Contains(out, p.Agent) {
			out = append(out, p.Agent)
		}
		return true, nil
	})
	slices.Sort(out)
	return out, err
}

// say adds to what is said of a reply what it says of the answer.
func (s signature) say(out *api.Submission) { out.Signed, out.AnswerUnseen = s.of != "", s.unseen }
