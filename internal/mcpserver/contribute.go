package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/stalemate"
)

// sessionRequest asks for the document of a session, or a part of it.
type sessionRequest struct {
	Session  brenner.SessionID `json:"session"`
	Sections []delta.Section   `json:"sections,omitzero"`
	Items    []delta.ItemID    `json:"items,omitzero" doc:"such as H2"`
	Since    brenner.Version   `json:"since,omitzero" doc:"only what changed after this version"`
	Offset   int               `json:"offset,omitzero" doc:"next_offset of the page before"`
}

// sessionPage is a session as its contributors read it.
type sessionPage struct {
	ID        brenner.SessionID `json:"id"`
	Ref       brenner.Ref       `json:"ref"`
	Question  string            `json:"question"`
	Module    brenner.Module    `json:"module"`
	Conflicts int               `json:"conflicts"`
	Proposals []api.Proposal    `json:"proposals"`
	Text      string            `json:"text,omitzero"`
	// NextOffset asks for the next page.
	NextOffset int `json:"next_offset,omitzero"`
}

func showSession(s api.Service, ctx context.Context, in sessionRequest) (sessionPage, error) {
	req := api.SessionRequest{ID: in.Session, Sections: in.Sections, Items: in.Items, Since: in.Since}
	if len(in.Sections) == 0 {
		req.Sections = delta.Sections() // without the front matter, with who wrote what
	}
	v, err := s.Session(ctx, req)
	if err != nil {
		return sessionPage{}, err
	}
	out := sessionPage{ID: v.ID, Ref: v.Ref, Question: v.Question, Module: v.Module, Conflicts: v.Conflicts, Proposals: v.Proposals}
	if out.Proposals == nil {
		out.Proposals = []api.Proposal{}
	}
	out.Text, out.NextOffset, err = page(v.Markdown, in.Offset)
	return out, err
}

// Words implements spoken.
func (p sessionPage) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · module %s · %s\n\n%s", p.Ref, p.Module, p.Question, p.Text)
	if p.NextOffset > 0 {
		b.WriteString("\n" + more("session_show", "session", p.ID, "offset", p.NextOffset))
	}
	for _, d := range p.Proposals {
		fmt.Fprintf(&b, "\nproposed by %s, not compiled yet: %s %s %s %s", d.Agent, d.Operation, d.Section, cmp.Or(string(d.Target), d.Provisional), d.Payload)
	}
	if p.Conflicts > 0 {
		fmt.Fprintf(&b, "\n%d fields are in conflict and wait for the PI\n", p.Conflicts)
	}
	return b.String()
}

// Slim implements spoken.
func (p sessionPage) Slim() sessionPage { p.Text = ""; return p }

// deltaRequest is a reply to a session.
type deltaRequest struct {
	keyed
	Session brenner.SessionID `json:"session,omitzero" doc:"may be left out if you are asked in one only"`
	Text    string            `json:"text" doc:"Markdown with delta blocks, as the kickoff shows"`
}

// submission says what will happen to each delta of a reply.
type submission struct{ api.Submission }

func submitDeltas(s api.Service, ctx context.Context, in deltaRequest) (submission, error) {
	res, err := s.SubmitDeltas(ctx, api.SubmitDeltasRequest{Write: in.write(), Session: in.Session, Text: in.Text})
	return submission{res}, err
}

// Words implements spoken.
func (r submission) Words() string {
	var b strings.Builder
	if r.Duplicate {
		b.WriteString("this reply was handed in before; nothing changed\n")
	}
	fmt.Fprintf(&b, "%s: %d deltas read\n", r.Session, len(r.Deltas))
	for _, d := range r.Deltas {
		fmt.Fprintf(&b, "%s %s %s", d.DeltaID, d.Operation, d.Section)
		if d.Item != "" {
			fmt.Fprintf(&b, " %s", d.Item)
		}
		fmt.Fprintf(&b, ": %s", d.State)
		if d.Code != "" {
			fmt.Fprintf(&b, ": %s: %s", d.Code, d.Message)
			if d.Pointer != "" {
				fmt.Fprintf(&b, " (at %s)", d.Pointer)
			}
			if d.Hint != "" {
				fmt.Fprintf(&b, "; %s", d.Hint)
			}
		}
		b.WriteByte('\n')
	}
	for _, m := range r.Misses {
		fmt.Fprintf(&b, "not taken, line %d: %s: %s", m.Line, m.Code, m.Message)
		if m.Pointer != "" {
			fmt.Fprintf(&b, " (at %s)", m.Pointer)
		}
		fmt.Fprintf(&b, "; %s\n", m.Hint)
		if m.Corrected != "" {
			fmt.Fprintf(&b, "corrected:\n%s\n", m.Corrected)
		}
	}
	for _, m := range r.Ignored {
		fmt.Fprintf(&b, "ignored, line %d: %s\n", m.Line, m.Message)
	}
	for _, m := range r.Accepted {
		fmt.Fprintf(&b, "taken as mended, line %d: %s\n", m.Line, m.Hint)
	}
	if r.Compiled.Version > 0 {
		fmt.Fprintf(&b, "everybody has answered: compiled as %s\n", r.Compiled)
	}
	if r.Unusable {
		b.WriteString("this is no answer yet: no delta of it can be used; mend it and submit the whole reply again\n")
	}
	return b.String()
}

// Slim implements spoken.
func (r submission) Slim() submission { return r }

// patchRequest changes a text artifact by quoting it.
type patchRequest struct {
	keyed
	Ref          brenner.Ref       `json:"ref" doc:"the version you read: ID@VERSION"`
	Patch        string            `json:"patch" doc:"the edit as text, in the form you know: {\"old_string\",\"new_string\"}, a unified diff, SEARCH/REPLACE blocks, an apply_patch envelope, or an anchor_diff_v2.1 patch"`
	Base         brenner.Version   `json:"base,omitzero" doc:"the version you read, if ref is another"`
	Rebase       bool              `json:"rebase,omitzero" doc:"carry the change over if the text has moved"`
	DryRun       bool              `json:"dry_run,omitzero" doc:"write nothing"`
	Summary      *string           `json:"summary,omitzero"`
	SummaryHolds bool              `json:"summary_holds,omitzero" doc:"the old summary is still right"`
	Change       *change           `json:"change,omitzero"`
	Task         string            `json:"task,omitzero"`
	Session      brenner.SessionID `json:"session,omitzero"`
}

// patched says what a patch came to.
type patched struct{ api.PatchResult }

func applyPatch(s api.Service, ctx context.Context, in patchRequest) (patched, error) {
	res, err := s.ApplyPatch(ctx, api.ApplyPatchRequest{
		Write: in.write(), Ref: in.Ref, Patch: api.PatchOf([]byte(in.Patch)), Base: in.Base, Rebase: in.Rebase, DryRun: in.DryRun,
		Summary: in.Summary, SummaryHolds: in.SummaryHolds, Change: in.Change.note(), Task: in.Task, Session: in.Session,
	})
	return patched{res}, err
}

// Words implements spoken.
func (r patched) Words() string {
	var b strings.Builder
	switch {
	case r.DryRun:
		fmt.Fprintf(&b, "%s on %s; nothing was written\n", r.Outcome, r.From)
	case r.Version != nil:
		fmt.Fprintf(&b, "%s on %s\n%s", r.Outcome, r.From, written{*r.Version}.Words())
	default:
		fmt.Fprintf(&b, "%s on %s: nothing to change\n", r.Outcome, r.From)
	}
	for _, d := range r.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", d.Code, d.Message)
	}
	return b.String()
}

// Slim implements spoken.
func (r patched) Slim() patched { return r }

// hypothesis is what a party, or anybody, holds to be the cause.
type hypothesis struct {
	Author        brenner.ActorName `json:"author,omitzero" doc:"who holds it; alternatives need none"`
	Statement     string            `json:"statement"`
	Justification string            `json:"justification"`
}

// evidence is one thing that can be looked at.
type evidence struct {
	Kind    string `json:"kind" doc:"error_log, file_content, older_content, patch, explanation, or a word of yours"`
	Content string `json:"content" doc:"the thing itself, no placeholder"`
	Path    string `json:"path,omitzero"`
}

// stalemateRequest opens a stalemate.
type stalemateRequest struct {
	keyed
	Summary      string            `json:"summary"`
	Target       string            `json:"target,omitzero" doc:"artifact or file it is about"`
	Hypotheses   []hypothesis      `json:"hypotheses" doc:"one per party"`
	Alternatives []hypothesis      `json:"alternatives" doc:"1 to 3 that nobody holds yet"`
	Evidence     []evidence        `json:"evidence"`
	Expected     string            `json:"expected_behaviour,omitzero"`
	Request      string            `json:"arbitration_request" doc:"what the arbiter should decide"`
	Session      brenner.SessionID `json:"session,omitzero"`
	Module       brenner.Module    `json:"module,omitzero"`
}

// dispute is a stalemate as far as it has come.
type dispute struct{ api.StalemateInfo }

func raiseStalemate(s api.Service, ctx context.Context, in stalemateRequest) (dispute, error) {
	about := stalemate.Stalemate{Summary: in.Summary, Target: in.Target, Expected: in.Expected, Request: in.Request}
	for _, h := range in.Hypotheses {
		about.Hypotheses = append(about.Hypotheses, stalemate.Hypothesis{Author: h.Author, Statement: h.Statement, Justification: h.Justification})
	}
	for _, h := range in.Alternatives {
		about.Alternatives = append(about.Alternatives, stalemate.Hypothesis{Author: h.Author, Statement: h.Statement, Justification: h.Justification})
	}
	for _, e := range in.Evidence {
		about.Evidence = append(about.Evidence, stalemate.Evidence{Kind: e.Kind, Content: e.Content, Path: e.Path})
	}
	res, err := s.RaiseStalemate(ctx, api.RaiseStalemateRequest{Write: in.write(), Module: in.Module, Session: in.Session, Stalemate: about})
	return dispute{res}, err
}

// Words implements spoken.
func (r dispute) Words() string {
	return fmt.Sprintf("%s · %s · round %d · parties %s: %s\n", r.Ref, r.State, r.Round, joined(r.Parties), r.Summary)
}

// Slim implements spoken.
func (r dispute) Slim() dispute { return r }
