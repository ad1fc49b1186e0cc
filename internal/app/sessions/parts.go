package sessions

import (
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// replacedParts is what is to be said of the deltas of a reply that replace parts of
// texts, by their places in it.
type replacedParts struct {
	texts [][]delta.FieldText
	moved []string // what a timestamp said that does not count
	at    []string // what counts instead
	queue []*queued
	head  brenner.Version
}

// complete makes those deltas of a reply whole that replace parts of texts (ADR 0122):
// inside the transaction that takes it in, so that each is made from what the one
// before left. What was read ahead stays as it is.
func (in incoming) complete(c *kernel.Call, x *readReply) (*readReply, replacedParts, error) {
	none := replacedParts{}
	if !slices.ContainsFunc(x.Entries, func(e delta.Entry) bool { return e.Partial() }) {
		return x, none, nil
	}
	w, err := waitingIn(c, in.session)
	if err != nil {
		return x, none, err
	}
	out, parts := *x, replacedParts{moved: make([]string, len(x.Entries)), at: make([]string, len(x.Entries)), queue: w.queue, head: w.on.head}
	out.Entries, parts.texts = w.ahead.Complete(func() []delta.Entry { return entriesOf(w.queue) }, x.Entries, c.Now, in.via == viaSubmit)
	for i, e := range out.Entries {
		if said := x.Entries[i].Delta.Timestamp; len(e.Sent) > 0 && said != x.stamp {
			parts.moved[i], parts.at[i] = said, e.Delta.Timestamp
		}
	}
	return &out, parts, nil
}

// seen is what became of a delta for those who see the document: one whose words stand
// there is no less applied because a later one replaced others in the same text.
func seen(doc *delta.Artifact, e delta.Entry, o delta.Outcome) delta.Outcome {
	if o.Status == delta.Superseded && e.Stands(doc, o.Item) {
		o.Status = delta.Applied
	}
	return o
}

// outcomes are what became of the deltas of a merge for those who see the document.
func (m merge) outcomes() []delta.Outcome {
	out := make([]delta.Outcome, len(m.result.Outcomes))
	for i, o := range m.result.Outcomes {
		out[i] = seen(m.result.Artifact, m.queue[i].entry, o)
	}
	return out
}

// seenSince is seen, by the document as it stands now.
func seenSince(c *kernel.Call, id brenner.SessionID, digest brenner.Digest, o delta.Outcome) (delta.Outcome, error) {
	if o.Status != delta.Superseded {
		return o, nil
	}
	e, err := readQueued(c.Ctx, c.Reader, digest)
	if err != nil || len(e.Sent) == 0 {
		return o, err
	}
	_, doc, err := sessionArtifact(c, id, 0)
	if err != nil {
		return o, err
	}
	return seen(doc, e, o), nil
}

// mostSaid is how much is shown of a text as it would be.
const mostSaid = 4000

// report adds to what is said of a reply what its replacements were refused for, and
// what they make.
func (p replacedParts) report(out *api.Submission, dry bool) {
	for i := range p.texts {
		d := &out.Deltas[i]
		if p.moved[i] != "" {
			d.Warnings = append(d.Warnings, brenner.Diagnostic{
				Code: brenner.CodeTimestampSkew, Severity: brenner.SeverityWarning, Subject: d.DeltaID, Pointer: "/timestamp",
				Message: "it replaces words of the text as it is now, so it counts as of now, " + p.at[i] + ", not " + brenner.Clip(p.moved[i], brenner.MaxQuote),
				Hint:    "leave timestamp out: the message supplies it",
			})
		}
		for _, t := range p.texts[i] {
			said := api.Said{Field: t.Field, Agent: t.By, At: t.At}
			if !proposed(p.queue, t.By, t.DeltaID) {
				said.Version = p.head
			}
			says := func(text string, left *api.LeftOut) {
				said.Text, said.Left = brenner.Clip(text, mostSaid), left
				d.Says = append(d.Says, said)
			}
			text := t.Text
			if d.Code == "" && !dry {
				text = t.Around() // its author knows the rest
			}
			if text != "" {
				says(text, nil)
			}
			for _, l := range t.Left {
				says(l.Near, &api.LeftOut{Pair: l.Pair, Of: l.Of, Code: l.Why.Code, Message: l.Why.Message, Hint: l.Why.Hint, Pointer: l.Why.Pointer})
			}
		}
	}
}

// quoteSaid leaves the author of a reply those texts of its fields that it may read
// and pays for: it is a read, and charged (C33).
func quoteSaid(ch *kernel.Change, info api.SessionInfo, out *api.Submission) error {
	may := ch.May(policy.Read, artifact.TypeSessionArtifact, info.Module)
	for i := range out.Deltas {
		for j := range out.Deltas[i].Says {
			said := &out.Deltas[i].Says[j]
			pays := false
			if may {
				var err error
				text := said.Text
				if out.Deltas[i].Code == "" {
					text = said.Field + " says " + text // who is refused later is shown it all the same
				}
				if pays, err = ch.Pays(kernel.ReadOfSession(info.ID), text); err != nil {
					return err
				}
			}
			if !pays {
				said.Text, out.Deltas[i].Corrected = "", ""
			}
		}
	}
	return nil
}
