package web

import (
	"net/url"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/stalemate"
)

// stalemateList lists stalemates.
type stalemateList struct {
	api.StalemateList
	States []stalemate.State
}

func loadStalemates(v *visit) (string, any, error) {
	list, err := v.svc.Stalemates(v.Context(), api.ListStalematesRequest{Page: v.page(perPage), States: one[stalemate.State](v.query("state")), Newest: v.query("sort") != ""})
	return "Stalemates", stalemateList{list, stalemate.States()}, err
}

// stalematePage is one stalemate and what can be done about it.
type stalematePage struct {
	api.StalemateView
	All   []stalemate.Hypothesis // of the parties, then the alternatives
	Draft bool                   // the verdict shown is only a draft
	Steps []stalemate.Action
	// CanReopen says that it could come back, with new evidence.
	CanReopen bool
	Outcomes  []stalemate.Outcome
	Rulings   []stalemate.Ruling
}

func loadStalemate(v *visit) (string, any, error) {
	view, err := v.svc.Stalemate(v.Context(), api.StalemateRequest{ID: brenner.ArtifactID(v.PathValue("id"))})
	if err != nil {
		return "", nil, err
	}
	// Taking it on and deciding it have forms of their own, and only a party
	// says what it holds.
	other := []stalemate.Action{stalemate.Arbitration, stalemate.Deliver, stalemate.Reply}
	steps := slices.DeleteFunc(view.State.Actions(), func(a stalemate.Action) bool { return slices.Contains(other, a) })
	out := stalematePage{
		StalemateView: view,
		All:           view.Stalemate.All(),
		Draft:         view.State == stalemate.InArbitration,
		Steps:         steps,
		CanReopen:     slices.Contains(steps, stalemate.Reopen),
		Outcomes:      []stalemate.Outcome{stalemate.HypothesisUpheld, stalemate.OtherCause, stalemate.InsufficientEvidence, stalemate.NotReproducible},
		Rulings:       []stalemate.Ruling{stalemate.Undetermined, stalemate.Upheld, stalemate.Refuted},
	}
	return "Stalemate " + string(view.ID), out, nil
}

func stalematePath(id brenner.ArtifactID) string { return "/stalemates/" + url.PathEscape(string(id)) }

// stalemateActs take a stalemate on, decide it and move it along (S3, S5).
var stalemateActs = map[string]act{
	"arbitrate": onStalemate(func(v *visit, id brenner.ArtifactID) error {
		_, err := v.svc.ArbitrateStalemate(v.Context(), api.StalemateRequest{Write: v.write(), ID: id})
		return err
	}),
	"adopt": onStalemate(func(v *visit, id brenner.ArtifactID) error {
		_, err := v.svc.DecideStalemate(v.Context(), api.VerdictRequest{Write: v.write(), ID: id})
		return err
	}),
	"verdict": onStalemate(func(v *visit, id brenner.ArtifactID) error {
		_, err := v.svc.DecideStalemate(v.Context(), api.VerdictRequest{Write: v.write(), ID: id, Verdict: v.verdict()})
		return err
	}),
	"move": onStalemate(func(v *visit, id brenner.ArtifactID) error {
		req := api.MoveStalemateRequest{Write: v.write(), ID: id, Action: stalemate.Action(v.field("step")), Reason: v.field("reason")}
		if text := v.field("evidence"); text != "" {
			req.Evidence = []stalemate.Evidence{{Kind: stalemate.KindErrorLog, Content: text}}
		}
		_, err := v.svc.MoveStalemate(v.Context(), req)
		return err
	}),
}

func onStalemate(do func(*visit, brenner.ArtifactID) error) act {
	return func(v *visit) (string, error) {
		id := brenner.ArtifactID(v.PathValue("id"))
		return stalematePath(id), do(v, id)
	}
}

// verdict reads the verdict that the form spells out: one finding for each
// hypothesis it names.
func (v *visit) verdict() *stalemate.Verdict {
	out := &stalemate.Verdict{
		Outcome: stalemate.Outcome(v.field("outcome")), RootCause: v.field("root_cause"),
		Explanation: lines(v.field("explanation")), Remedy: v.field("remedy"), Verification: v.field("verification"),
	}
	for _, id := range v.PostForm["hypothesis"] {
		out.Findings = append(out.Findings, stalemate.Finding{
			Hypothesis: id, Ruling: stalemate.Ruling(v.field("ruling." + id)), Reason: v.field("reason." + id),
			Evidence: strings.FieldsFunc(v.field("evidence."+id), func(r rune) bool { return r == ',' || r == ' ' }),
		})
	}
	return out
}
