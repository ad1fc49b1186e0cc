package upkeep

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/check"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/policy"
)

// CheckAlignment implements api.Upkeep.
func (s *Service) CheckAlignment(ctx context.Context, req api.CheckRequest) (api.CheckResult, error) {
	return s.check(ctx, "alignment", req, checkAlignment)
}

// CheckAssumptions implements api.Upkeep.
func (s *Service) CheckAssumptions(ctx context.Context, req api.CheckRequest) (api.CheckResult, error) {
	return s.check(ctx, "assumptions", req, checkAssumptions)
}

// check looks for findings on a snapshot and then records them. A finding is
// about versions, which do not change: nothing that happens in between makes it
// untrue.
func (s *Service) check(ctx context.Context, name string, req api.CheckRequest, find func(*kernel.Call, []brenner.Module) (api.CheckResult, error)) (api.CheckResult, error) {
	found, err := kernel.View(ctx, s.caller, checking(req), func(c *kernel.Call) (api.CheckResult, error) {
		if err := c.KnownModules(req.Modules); err != nil {
			return api.CheckResult{}, err
		}
		out, err := find(c, req.Modules)
		if err != nil {
			return api.CheckResult{}, err
		}
		out.Tasks = []api.TaskInfo{}
		for i := range out.Findings {
			if err := placeFinding(c, &out.Findings[i]); err != nil {
				return api.CheckResult{}, err
			}
		}
		if req.DryRun {
			withhold(c, out.Findings)
		}
		return out, nil
	})
	if err != nil || req.DryRun {
		return found, err
	}
	return kernel.Write(ctx, s.caller, "check."+name, req, checking(req), func(ch *kernel.Change) (api.CheckResult, error) {
		out := found
		out.Findings = slices.Clone(found.Findings)
		if err := s.keepFindings(ch, out.Findings, name); err != nil {
			return api.CheckResult{}, err
		}
		if req.Review {
			var err error
			if out.OpenedTasks, err = s.openReviews(ch, out.Findings); err != nil {
				return api.CheckResult{}, err
			}
		}
		withhold(ch.Call, out.Findings)
		return out, nil
	})
}

// Examine looks for what a check finds about one version and has not said yet
// (A4). Nothing is found about a version that is not in use any more, nor where
// there is nothing to hold it to.
func (r *Room) Examine(c *kernel.Call, name string, ref brenner.Ref) ([]api.CheckFinding, error) {
	a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
	if err != nil {
		return nil, err
	}
	if v, live, err := subjectOf(c, a); err != nil || !live || v.Version != ref.Version {
		return nil, err
	}
	t, err := c.Types.Lookup(a.Type)
	core := err == nil && t.Core // a type that is not declared any more is not
	var found api.CheckResult
	switch {
	case name == "alignment" && a.Type == artifact.TypeProjectBrief:
		found, err = checkAlignment(c, nil) // everything is held to it
	case name == "alignment" && core:
		found, err = checkAlignmentOf(c, ref)
	case name == "assumptions" && slices.Contains(check.ClaimingTypes(), a.Type):
		found, err = checkAssumptionsOf(c, ref)
	default:
		return nil, nil
	}
	return unsaid(c, found, err, func(f api.CheckFinding) bool { return f.Target == ref || f.Other != nil && *f.Other == ref })
}

// ExamineAll looks for what a check finds about anything in use and has not said yet.
func (r *Room) ExamineAll(c *kernel.Call, name string) ([]api.CheckFinding, error) {
	find := checkAlignment
	if name == "assumptions" {
		find = checkAssumptions
	}
	found, err := find(c, nil)
	return unsaid(c, found, err, func(api.CheckFinding) bool { return true })
}

// unsaid keeps of what a check found what a rule is to say.
func unsaid(c *kernel.Call, found api.CheckResult, err error, about func(api.CheckFinding) bool) ([]api.CheckFinding, error) {
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return nil, nil // no brief is canonical
	}
	if err != nil {
		return nil, err
	}
	var fresh []api.CheckFinding
	for _, f := range found.Findings {
		// That no link leads to the brief is for a person who asks: it is not
		// what the version says that has drifted.
		if !about(f) || f.Code == brenner.CodeUnlinked {
			continue
		}
		if err := placeFinding(c, &f); err != nil {
			return nil, err
		}
		if f.State == api.FindingNew || f.State == api.FindingAgain {
			fresh = append(fresh, f)
		}
	}
	return fresh, nil
}

// Keep writes findings down, and says where.
func (r *Room) Keep(ch *kernel.Change, name string, findings []api.CheckFinding) ([]brenner.Ref, error) {
	kept := slices.Clone(findings)
	if err := r.keepFindings(ch, kept, name); err != nil {
		return nil, err
	}
	var refs []brenner.Ref
	for _, f := range kept {
		if f.Critique.Version > 0 {
			refs = append(refs, f.Critique)
		}
	}
	return refs, nil
}

// checking is to write critiques, and to open tasks for them.
func checking(req api.CheckRequest) kernel.Guard {
	critiques := kernel.Acting(kernel.Act{Action: policy.Write, Type: artifact.TypeCritique})
	if !req.Review {
		return critiques
	}
	return kernel.All(critiques, kernel.To(policy.TaskCreate, "review tasks"))
}

// withhold takes the quotations out of findings for an agent: what artifacts
// say it reads through a context (C3).
func withhold(c *kernel.Call, findings []api.CheckFinding) {
	if c.Person() {
		return
	}
	for i := range findings {
		findings[i].Message, findings[i].Excerpt = "", ""
	}
}

// embedder is the built-in model: a check must not wait for a network, and
// must say the same tomorrow.
func embedder(c *kernel.Call) check.Embedder {
	return func(texts []string) ([][]float32, error) { return embed.Builtin().Embed(c.Ctx, texts) }
}

// checkable visits the artifacts of some types that the actor may read and
// write critiques about, up to a bound, each at the version in force. It counts
// those visited and those left out for being too many.
func checkable(c *kernel.Call, types []brenner.TypeName, modules []brenner.Module, fn func(store.Artifact, store.Version) error) (checked, skipped int, err error) {
	if len(types) == 0 {
		return 0, 0, nil
	}
	err = ledger.EachArtifact(c, store.ArtifactQuery{Types: types, Modules: modules}, func(a store.Artifact) error {
		if !c.May(policy.Read, a.Type, a.Module) || !c.May(policy.Write, artifact.TypeCritique, a.Module) {
			return nil
		}
		v, live, err := subjectOf(c, a)
		if err != nil || !live {
			return err
		}
		if checked >= brenner.MaxCheckSubjects {
			skipped++
			return nil
		}
		checked++
		return c.Passing(func() error { return fn(a, v) })
	})
	return checked, skipped, err
}

// alignmentBatch is how many artifacts are held to the brief at once, so that
// not every content is in memory together.
const alignmentBatch = 32

// checkAlignment holds core artifacts to the canonical brief (C24).
func checkAlignment(c *kernel.Call, modules []brenner.Module) (api.CheckResult, error) {
	var types []brenner.TypeName
	for _, t := range c.Types.Types() {
		if t.Core && t.Name != artifact.TypeProjectBrief {
			types = append(types, t.Name)
		}
	}
	rule, err := measureOf(c)
	if err != nil {
		return api.CheckResult{}, err
	}
	out := api.CheckResult{Brief: rule.brief.Ref, Findings: []api.CheckFinding{}}
	known := recorded{call: c}
	var batch []check.Subject
	flush := func() error {
		report, err := check.Alignment(rule.brief, batch, check.Options{Embed: embedder(c), Said: known.said})
		if err == nil {
			err = known.failed
		}
		batch = batch[:0]
		addReport(&out, report)
		return err
	}
	out.Checked, out.Skipped, err = checkable(c, types, modules, func(_ store.Artifact, v store.Version) error {
		s, err := rule.subject(c, v)
		if err != nil {
			return err
		}
		if batch = append(batch, s); len(batch) == alignmentBatch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return api.CheckResult{}, err
	}
	return out, flush()
}

// checkAlignmentOf holds one version to the canonical brief.
func checkAlignmentOf(c *kernel.Call, ref brenner.Ref) (api.CheckResult, error) {
	rule, err := kernel.Once(c, theMeasure{}, func() (measure, error) { return measureOf(c) })
	if err != nil {
		return api.CheckResult{}, err
	}
	v, err := c.Version(c.Ctx, ref)
	if err != nil {
		return api.CheckResult{}, err
	}
	s, err := rule.subject(c, v)
	if err != nil {
		return api.CheckResult{}, err
	}
	known := recorded{call: c}
	report, err := check.Alignment(rule.brief, []check.Subject{s}, check.Options{Embed: embedder(c), Said: known.said})
	if err == nil {
		err = known.failed
	}
	out := api.CheckResult{Brief: rule.brief.Ref, Checked: 1}
	addReport(&out, report)
	return out, err
}

// measure is what artifacts are held to: the brief in force, and which rest on
// it or on another.
type measure struct {
	brief check.Brief
	rest  map[brenner.Ref]brenner.Ref
}

// theMeasure is the key of the measure.
type theMeasure struct{}

func measureOf(c *kernel.Call) (measure, error) {
	brief, err := canonicalBrief(c)
	if err != nil {
		return measure{}, err
	}
	rest, err := restOnBrief(c, brief.Ref)
	return measure{brief, rest}, err
}

// subject is a version as it is held to the brief.
func (m measure) subject(c *kernel.Call, v store.Version) (check.Subject, error) {
	s := check.Subject{Ref: v.Ref(), Summary: v.Summary}
	if b, ok := m.rest[v.Ref()]; ok {
		s.Briefs = []brenner.Ref{b}
	}
	var err error
	s.Paragraphs, err = paragraphs(c, v)
	return s, err
}

func addReport(out *api.CheckResult, r check.Report) {
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, api.CheckFinding{Finding: f})
	}
	out.More += r.More
	out.Unread += r.Unread
}

// paragraphs cuts the content of a version; what was redacted has none.
func paragraphs(c *kernel.Call, v store.Version) ([]check.Paragraph, error) {
	content, err := ledger.ContentOf(c, v)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return nil, nil
	}
	return check.Paragraphs(content), err
}

// canonicalBrief reads the brief in force.
func canonicalBrief(c *kernel.Call) (check.Brief, error) {
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Types: []brenner.TypeName{artifact.TypeProjectBrief}, Canonical: true, Limit: 1,
	})
	if err != nil {
		return check.Brief{}, err
	}
	if len(rows) == 0 {
		return check.Brief{}, brenner.Errorf(brenner.CodeNotFound, "there is no canonical project_brief to hold artifacts to").
			WithHint("write one and have it promoted").Try(brenner.Do("artifact.new", "type", "project_brief"))
	}
	if err := c.Allow(policy.Read, rows[0].Type, rows[0].Module, string(rows[0].ID)); err != nil {
		return check.Brief{}, err
	}
	v, err := ledger.InForce(c, rows[0], 0)
	if err != nil {
		return check.Brief{}, err
	}
	content, err := ledger.ContentOf(c, v)
	if err != nil {
		return check.Brief{}, err
	}
	return check.ParseBrief(v.Ref(), content.Data)
}

// restOnBrief gives, for each version from which links lead to a brief, the
// brief: the one in force if they lead there, else the newest other.
func restOnBrief(c *kernel.Call, inForce brenner.Ref) (map[brenner.Ref]brenner.Ref, error) {
	briefs := []brenner.Ref{inForce}
	err := ledger.EachArtifact(c, store.ArtifactQuery{Types: []brenner.TypeName{artifact.TypeProjectBrief}}, func(a store.Artifact) error {
		for v := a.Latest; v > 0; v-- {
			if ref := (brenner.Ref{Artifact: a.ID, Version: v}); ref != inForce {
				briefs = append(briefs, ref)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// What rests on a brief that came first is not looked at again.
	rest := map[brenner.Ref]brenner.Ref{}
	for _, brief := range briefs {
		for layer := []brenner.Ref{brief}; len(layer) > 0; {
			edges, err := ledger.LinksDown(c)(layer)
			if err != nil {
				return nil, err
			}
			layer = nil
			for _, e := range edges {
				if _, seen := rest[e.From]; seen || !e.Rel.Carries() {
					continue
				}
				rest[e.From] = brief
				layer = append(layer, e.From)
			}
			if len(rest) > brenner.MaxWalk {
				return nil, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d versions rest on the brief", brenner.MaxWalk)
			}
		}
	}
	return rest, nil
}

// checkAssumptions looks for claims that clash, of every type that makes some
// (C25).
func checkAssumptions(c *kernel.Call, modules []brenner.Module) (api.CheckResult, error) {
	all, out, err := claims(c, modules)
	if err != nil {
		return api.CheckResult{}, err
	}
	known := recorded{call: c}
	report, err := check.Assumptions(all, comparing(c, &known))
	if err == nil {
		err = known.failed
	}
	addReport(&out, report)
	return out, err
}

// allClaims is the key of what everybody claims.
type allClaims struct{}

// collection is what everybody claims, and what is recorded about it.
type collection struct {
	*check.Claimed
	known *recorded
}

// checkAssumptionsOf looks for claims that those of one version clash with.
func checkAssumptionsOf(c *kernel.Call, ref brenner.Ref) (api.CheckResult, error) {
	collected, err := kernel.Once(c, allClaims{}, func() (collection, error) {
		all, _, err := claims(c, nil)
		if err != nil {
			return collection{}, err
		}
		known := &recorded{call: c}
		collected, err := check.Collect(all, comparing(c, known))
		return collection{collected, known}, err
	})
	if err != nil {
		return api.CheckResult{}, err
	}
	var out api.CheckResult
	addReport(&out, collected.About(ref))
	return out, collected.known.failed
}

func comparing(c *kernel.Call, known *recorded) check.Options {
	return check.Options{Embed: embedder(c), Words: embed.Builtin(), Said: known.said}
}

// claims reads what artifacts claim, and counts them.
func claims(c *kernel.Call, modules []brenner.Module) (all []check.Assumption, out api.CheckResult, err error) {
	out.Findings = []api.CheckFinding{}
	out.Checked, out.Skipped, err = checkable(c, check.ClaimingTypes(), modules, func(a store.Artifact, v store.Version) error {
		content, err := ledger.ContentOf(c, v)
		if brenner.CodeOf(err) == brenner.CodeRedacted {
			return nil
		}
		if err != nil {
			return err
		}
		claims, err := check.Claims(v.Ref(), a.Module, a.Type, content)
		all = append(all, claims...)
		return err
	})
	return all, out, err
}
