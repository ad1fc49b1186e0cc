package delta

import (
	"slices"
	"strings"

	"brenner"
)

// threadItem is the id of the research thread.
const threadItem ItemID = "RT"

// Answer is what the research thread gives as the answer, "" if nobody has said it, and
// the field that has it: answer, or context, where sessions of before there was a field
// for it have it (ADR 159).
func (a *Artifact) Answer() (text, field string) {
	thread, ok := a.Item(threadItem)
	if !ok {
		return "", ""
	}
	for _, field := range []string{"answer", "context"} {
		if text := strings.TrimSpace(thread.Text(field)); text != "" && text != removed { // null takes it back
			return text, field
		}
	}
	return "", ""
}

// AnswerKilled are the items that the answer names and that were killed since it was
// written: who reads it does not know. What was dead before it may name as such.
func (a *Artifact) AnswerKilled() []Dead {
	text, field := a.Answer()
	if text == "" {
		return nil
	}
	thread, _ := a.Item(threadItem)
	writes := thread.History(field)
	var out []Dead
	var seen stringSet
	for id := range a.namedIn(text, a.provisionalNames()) {
		d, dead := a.Dead(id)
		if !dead || seen.has(string(id)) || len(out) == mostAttacked {
			continue
		}
		seen.add(string(id))
		if it, _ := a.Item(id); len(writes) > 0 && it.Killed().At.After(writes[len(writes)-1].At) {
			out = append(out, d)
		}
	}
	return out
}

// Bearing says how a critique bears on the answer of its session (ADR 169).
type Bearing string

// The bearings.
const (
	BearsOnThread Bearing = "thread" // it is against the research thread, which has the answer
	BearsOnGround Bearing = "ground" // it is against something that lives and that the answer names
)

// BesideAnswer says whether a critique is to be read with the answer: one against the
// thread until it is settled, one against what the answer rests on as long as it is open.
func (c Critique) BesideAnswer() bool {
	return c.Bears == BearsOnThread && c.State != CritiqueSettled || c.Bears == BearsOnGround && c.State == CritiqueOpen
}

// BelowThread puts lines of ours below the research thread of a document in plain words, at
// whose margin nothing else than ours stands (D19); where it has no thread, below it all.
func BelowThread(text, lines string) string {
	if lines == "" {
		return text
	}
	if end := strings.Index(text, "\n## "); end >= 0 && BeginsWithThread(text) {
		return text[:end] + lines + text[end:]
	}
	return strings.TrimRight(text, "\n") + "\n" + lines
}

// BeginsWithThread says whether a document in plain words begins with its research thread.
func BeginsWithThread(text string) bool {
	return strings.HasPrefix(text, "## "+schemas[atThread].Title+"\n")
}

// ground is what an answer names.
type ground struct {
	items []ItemID
	works []brenner.ArtifactID
}

// groundOf is what the answer of a document names: items that live, and artifacts.
func (a *Artifact) groundOf(names map[string][]ItemID, beside Beside) ground {
	text, _ := a.Answer()
	var out ground
	if text == "" {
		return out
	}
	if beside.Works != nil {
		var works []Work
		works, text = beside.Works(text)
		for _, w := range works {
			out.works = append(out.works, w.Artifact)
		}
	}
	for id := range a.namedIn(text, names) {
		if it, ok := a.Item(id); ok && it.live() && it.section != atCritiques {
			out.items = append(out.items, id)
		}
	}
	return out
}

// bearing says how a critique of these items and artifacts bears on the answer.
func (g ground) bearing(of []ItemID, works []brenner.ArtifactID) Bearing {
	switch {
	case slices.Contains(of, threadItem):
		return BearsOnThread
	case slices.ContainsFunc(of, func(id ItemID) bool { return slices.Contains(g.items, id) }),
		slices.ContainsFunc(works, func(id brenner.ArtifactID) bool { return slices.Contains(g.works, id) }):
		return BearsOnGround
	}
	return ""
}
