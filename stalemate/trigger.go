package stalemate

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/canon"
)

// equalFailures is how often the same thing must fail before a stalemate is
// raised without anybody asking (S4).
const equalFailures = 3

// Failure is one refused patch.
type Failure struct {
	Session brenner.SessionID `json:"session"`
	Target  string            `json:"target"`
	Code    brenner.Code      `json:"code"`
	Actor   brenner.ActorName `json:"actor"`
	At      string            `json:"at"`
	Message string            `json:"message"`
}

// Due says whether the latest failure raises a stalemate: it is the third of
// its session with the same target and code, or a result that is not the one
// promised. earlier holds the failures since the last stalemate about that
// target, so that one raised at the third is not raised again at the fourth.
func Due(earlier []Failure, latest Failure) bool {
	if latest.Code == brenner.CodeResultMismatch {
		return true
	}
	n := 1
	for _, f := range earlier {
		if f.Session == latest.Session && f.Target == latest.Target && f.Code == latest.Code {
			n++
		}
	}
	return n >= equalFailures
}

// Tool is the party that stands for the patch engine in a stalemate raised by
// the system.
const Tool brenner.ActorName = "brenner"

// Automatic is the stalemate of failures of one patch on one text, raised: with
// text, patch (as it was sent) and explanation attached, and every older text
// that the explanation names. The evidence is what it is, however much it looks
// like a placeholder.
func Automatic(failures []Failure, text anchor.Text, patch string, x anchor.Explanation, older []anchor.Named) Stalemate {
	last := failures[len(failures)-1]
	tool := Tool
	if strings.EqualFold(string(last.Actor), string(Tool)) {
		tool += "-engine" // a party has a name of its own
	}
	s := Stalemate{
		RaisedAt: last.At, Target: last.Target,
		Summary:  fmt.Sprintf("a patch on %s was refused with %s, time %d", last.Target, last.Code, len(failures)),
		Expected: "the patch is applied, or refused with a cause its author can act on",
		Request:  "Find the cause of the refusal, say which hypothesis holds, and give a patch that applies.",
		Hypotheses: []Hypothesis{
			{Author: last.Actor}, // what it holds it says itself (S4)
			{Author: tool, Statement: toolStatement(x), Justification: "The text and the patch were compared mechanically.", Cause: string(causeOf(x))},
		},
		Evidence: []Evidence{
			{Kind: KindFileContent, Path: last.Target, Content: string(text.Bytes())},
			{Kind: KindPatch, Content: patch},
			{Kind: KindExplanation, Content: x.String()},
		},
	}
	for _, o := range older {
		if slices.ContainsFunc(x.Findings, func(f anchor.Finding) bool { return f.Found == o.Name }) {
			s.Evidence = append(s.Evidence, Evidence{Kind: KindOlderContent, Path: last.Target, Description: o.Name, Content: string(o.Text.Bytes())})
		}
	}
	for _, a := range []Hypothesis{
		{Statement: "The text has changed since the patch was made.", Justification: "Agents work on the same texts at once.", Cause: string(anchor.CauseStaleBase)},
		{Statement: "The patch was made for another file.", Justification: "Paths are easily confused.", Cause: string(anchor.CauseOtherFile)},
	} {
		if family(anchor.Cause(a.Cause)) != family(causeOf(x)) {
			s.Alternatives = append(s.Alternatives, a)
		}
	}
	for _, f := range failures {
		s.Attempts = append(s.Attempts, Attempt{At: f.At, Actor: f.Actor, Action: "applied a patch to " + f.Target, Outcome: string(f.Code) + ": " + f.Message})
	}
	s = begin(s)
	for i, e := range s.Evidence {
		s.Evidence[i].Missing, s.Evidence[i].Digest = false, canon.Sum([]byte(e.Content))
	}
	return s
}

// causeOf is the cause of a refusal; of a patch that could not even be read,
// that.
func causeOf(x anchor.Explanation) anchor.Cause {
	if x.Cause() == "" && x.Code == brenner.CodeInvalidPatch {
		return causeUnreadable
	}
	return x.Cause()
}

func toolStatement(x anchor.Explanation) string {
	if len(x.Findings) == 0 {
		return x.Message
	}
	f := x.Findings[0]
	return strings.TrimSpace(f.Message + " (" + string(f.Cause) + ")")
}
