package upkeep

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/check"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/policy"
)

// findingID names the critique of a finding by what it says about which
// artifact, not by the version or the line: the same finding about the next
// version is the same critique.
func findingID(f check.Finding) brenner.ArtifactID {
	said := struct {
		Code    brenner.Code       `json:"code"`
		Target  brenner.ArtifactID `json:"target"`
		Other   brenner.ArtifactID `json:"other"`
		Message string             `json:"message"`
		Excerpt string             `json:"excerpt"`
	}{Code: f.Code, Target: f.Target.Artifact, Message: f.Message, Excerpt: f.Excerpt}
	if f.Other != nil {
		said.Other = f.Other.Artifact
	}
	return brenner.ArtifactID(fmt.Sprintf("finding-%.20s", canon.Sum(canon.MustMarshal(said))))
}

// placeFinding looks what has become of a finding so far.
func placeFinding(c *kernel.Call, f *api.CheckFinding) error {
	f.Critique = brenner.Ref{}
	a, err := c.Reader.Artifact(c.Ctx, findingID(f.Finding))
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		f.State = api.FindingNew
		return nil
	}
	if err != nil {
		return err
	}
	f.Critique = brenner.Ref{Artifact: a.ID, Version: a.Head}
	if !a.HeadStatus.Live() {
		f.State = api.FindingDismissed
		return nil
	}
	links, err := ledger.LinksOf(c, f.Critique)
	f.State = api.FindingKnown
	for _, l := range judged(f.Finding) {
		if !slices.Contains(links, l) {
			f.State = api.FindingAgain
		}
	}
	return err
}

// recorded knows which findings have a critique that says all of it, or were dismissed.
type recorded struct {
	call   *kernel.Call
	failed error // the first that could not be looked up
}

func (r *recorded) said(found check.Finding) bool {
	if r.failed != nil {
		return false
	}
	f := api.CheckFinding{Finding: found}
	r.failed = placeFinding(r.call, &f)
	return r.failed == nil && (f.State == api.FindingKnown || f.State == api.FindingDismissed)
}

// judged links a finding to what it judges: its target, and for assumptions
// that clash both of them. A brief is not judged.
func judged(f check.Finding) []artifact.Link {
	links := []artifact.Link{{Rel: artifact.Reviews, Artifact: f.Target.Artifact, Version: f.Target.Version}}
	if f.Other != nil && f.Code != brenner.CodeBriefMoved {
		links = append(links, artifact.Link{Rel: artifact.Reviews, Artifact: f.Other.Artifact, Version: f.Other.Version})
	}
	return links
}

// keepFindings writes a critique for each finding that has none, and a new
// version of it for one that is known of an earlier version of its target.
func (r *Room) keepFindings(ch *kernel.Change, findings []api.CheckFinding, check string) error {
	written := 0
	for i := range findings {
		f := &findings[i]
		if err := placeFinding(ch.Call, f); err != nil {
			return err
		}
		if f.State != api.FindingNew && f.State != api.FindingAgain {
			continue
		}
		if written++; written > brenner.MaxFindingsKept {
			f.State = api.FindingLeft
			continue
		}
		res, err := r.keepFinding(ch, *f, check)
		if err != nil {
			return err
		}
		f.Critique = res.Ref
	}
	return nil
}

func (r *Room) keepFinding(ch *kernel.Change, f api.CheckFinding, check string) (api.WriteResult, error) {
	target, err := ch.Reader.Artifact(ch.Ctx, f.Target.Artifact)
	if err != nil {
		return api.WriteResult{}, err
	}
	content := api.Body{Format: artifact.JSON, Data: string(f.Finding.Critique())}
	links := judged(f.Finding)
	if f.State == api.FindingAgain {
		return r.Ledger.Update(ch, api.UpdateArtifactRequest{
			ID: f.Critique.Artifact, Parent: f.Critique.Version, SummaryHolds: true, Content: &content, Links: links,
		})
	}
	return r.Ledger.Create(ch, api.CreateArtifactRequest{
		ID: findingID(f.Finding), Type: artifact.TypeCritique, Module: target.Module, Summary: findingSummary(f.Finding),
		Content: content, Tags: []string{ledger.CheckTag, check}, Links: links,
	})
}

// findingSummary says a finding in one line.
func findingSummary(f check.Finding) string {
	line := []rune(strings.Join(strings.Fields(fmt.Sprintf("%s in %s: %s", f.Code, f.Target.Artifact, f.Message)), " "))
	if len(line) > brenner.MaxSummaryRunes {
		line = append(line[:brenner.MaxSummaryRunes-1], '…')
	}
	return string(line)
}

// reviewBatch is how many findings about one artifact make one review task.
const reviewBatch = 20

// openReviews opens a task for the findings about each artifact that no task
// has been given yet. What the findings quote is not in the task: it is data,
// and stands in the critiques (C2).
func (r *Room) openReviews(ch *kernel.Change, findings []api.CheckFinding) (api.OpenedTasks, error) {
	given, err := r.givenTo(ch.Call, taskReview)
	if err != nil {
		return api.OpenedTasks{}, err
	}
	tasks := r.newOffers(ch, taskReview)
	var batch []api.CheckFinding
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		title, spec, inputs := reviewOf(batch)
		batch = nil
		return tasks.open(title, spec, policy.AdversarialCritic, inputs)
	}
	for _, f := range findings {
		if f.State == api.FindingDismissed || f.State == api.FindingLeft || given.covers([]brenner.Ref{f.Critique}) {
			continue
		}
		if len(batch) == reviewBatch || len(batch) > 0 && batch[0].Target != f.Target {
			if err := flush(); err != nil {
				return api.OpenedTasks{}, err
			}
		}
		batch = append(batch, f)
	}
	err = flush()
	return tasks.out, err
}

// reviewOf words the task to look at findings about one artifact.
func reviewOf(findings []api.CheckFinding) (title string, spec []string, inputs []brenner.Ref) {
	target := findings[0].Target
	inputs = []brenner.Ref{target}
	spec = []string{"A check found:"}
	for _, f := range findings {
		line := fmt.Sprintf("- %s in %s", f.Code, f.Target)
		if f.Place != "" {
			line += ", " + f.Place
		}
		inputs = append(inputs, f.Critique)
		for _, l := range judged(f.Finding)[1:] {
			inputs = append(inputs, l.To())
		}
		spec = append(spec, line+": "+f.Critique.String())
	}
	spec = append(spec, "Say of each whether it holds. What holds is mended in a new version; a critique that does not hold is to be deprecated, and the check stays silent about it.")
	slices.SortFunc(inputs[1:], brenner.Ref.Compare)
	return "Review findings about " + string(target.Artifact), spec, slices.Compact(inputs)
}
