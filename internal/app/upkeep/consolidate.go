package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/check"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// consolidation is when a consolidation was done; the last one is kept.
type consolidation struct {
	At  time.Time `json:"at,omitzero"`
	Seq int64     `json:"seq,omitzero"`
}

const consolidationLast = "last"

var consolidations = kernel.Table[consolidation]{
	Kind: "consolidation",
	Key:  func(consolidation) kernel.Key { return kernel.Key{ID: consolidationLast} },
}

// consolidationDone says what a consolidation found and opened.
type consolidationDone struct {
	Compared int      `json:"compared"`
	Overlaps int      `json:"overlaps"`
	Drafts   int      `json:"drafts"`
	Tasks    []string `json:"tasks"`
}

func applyConsolidationDone(ctx context.Context, tx store.Tx, rec journal.Record, _ consolidationDone) error {
	return consolidations.Put(ctx, tx, rec.Seq, consolidation{At: rec.At, Seq: rec.Seq})
}

// lastConsolidation says when a consolidation was last done; zero if never.
func lastConsolidation(c *kernel.Call) (api.Consolidation, error) {
	last, err := consolidations.Find(c.Ctx, c.Reader, consolidationLast)
	if errors.Is(err, brenner.CodeNotFound) {
		return api.Consolidation{}, nil
	}
	return api.Consolidation(last), err
}

// WaitingConsolidation says when a consolidation is overdue (C28, N1): too many
// artifacts changed since the last one, or some did and it is long ago.
func (r *Room) WaitingConsolidation(c *kernel.Call) ([]kernel.Waiting, error) {
	last, err := lastConsolidation(c)
	if err != nil {
		return nil, err
	}
	since := last.At
	if last.Seq == 0 {
		project, err := c.Reader.Project(c.Ctx)
		if err != nil {
			return nil, err
		}
		since = project.At
	}
	changed, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{ChangedAfter: last.Seq, Recent: true, Limit: brenner.ConsolidationChanges + 1})
	if err != nil {
		return nil, err
	}
	long := c.Now.Sub(since) > brenner.ConsolidationPeriod
	if len(changed) == 0 || !long && len(changed) <= brenner.ConsolidationChanges {
		return nil, nil
	}
	why := fmt.Sprintf("more than %d artifacts have changed since the last consolidation", brenner.ConsolidationChanges)
	if long {
		why = "nothing was consolidated since " + since.Format(time.DateOnly)
	}
	return []kernel.Waiting{{Waiting: api.Waiting{
		Kind: api.WaitConsolidation, Subject: "consolidation", Title: "A consolidation is overdue", Why: why, Since: since, Count: 1,
	}}}, nil
}

// Consolidate implements api.Upkeep.
func (s *Service) Consolidate(ctx context.Context, req api.ConsolidateRequest) (api.ConsolidateResult, error) {
	found, err := kernel.View(ctx, s.caller, kernel.To(policy.TaskCreate, "consolidation"), func(c *kernel.Call) (api.ConsolidateResult, error) {
		if err := c.KnownModules(req.Modules); err != nil {
			return api.ConsolidateResult{}, err
		}
		return s.findConsolidation(c, req)
	})
	if err != nil || !req.OpenTasks {
		return found, err
	}
	return kernel.Write(ctx, s.caller, "consolidate", req, kernel.To(policy.TaskCreate, "consolidation"), func(ch *kernel.Change) (api.ConsolidateResult, error) {
		return s.consolidate(ch, found)
	})
}

// consolidate opens tasks for what was found.
func (r *Room) consolidate(ch *kernel.Change, found api.ConsolidateResult) (api.ConsolidateResult, error) {
	out := found
	var err error
	if out.OpenedTasks, err = r.openConsolidations(ch, found); err != nil {
		return api.ConsolidateResult{}, err
	}
	done := consolidationDone{Compared: out.Compared, Overlaps: len(out.Overlaps), Drafts: len(out.Drafts), Tasks: []string{}}
	for _, t := range out.Tasks {
		done.Tasks = append(done.Tasks, t.ID)
	}
	_, err = kindConsolidationDone.Append(ch, done)
	return out, err
}

// Consolidation looks for what could be brought together; what it gives opens
// the tasks, nil if nothing was found.
func (r *Room) Consolidation(c *kernel.Call) (func(*kernel.Change) ([]string, error), error) {
	found, err := r.findConsolidation(c, api.ConsolidateRequest{})
	if err != nil || len(found.Overlaps)+len(found.Drafts) == 0 {
		return nil, err
	}
	return func(ch *kernel.Change) ([]string, error) {
		out, err := r.consolidate(ch, found)
		var tasks []string
		for _, t := range out.Tasks {
			tasks = append(tasks, t.ID)
		}
		return tasks, err
	}, nil
}

// findConsolidation finds what could be brought together (C28).
func (r *Room) findConsolidation(c *kernel.Call, req api.ConsolidateRequest) (api.ConsolidateResult, error) {
	out := api.ConsolidateResult{OpenedTasks: api.OpenedTasks{Tasks: []api.TaskInfo{}}}
	period, err := unusedFor(req.OlderThan)
	if err != nil {
		return out, err
	}
	if out.Last, err = lastConsolidation(c); err != nil {
		return out, err
	}
	var types []brenner.TypeName
	for _, t := range c.Types.Types() {
		if upkept(t) && t.Contextual && c.May(policy.Read, t.Name, "") {
			types = append(types, t.Name)
		}
	}
	if len(types) == 0 {
		return out, c.Allow(policy.Read, "", "", "artifacts")
	}
	kin := store.ArtifactQuery{Types: types, Modules: req.Modules, Statuses: liveStatuses()}
	pieces, more, err := pieces(c, kin)
	if err != nil {
		return out, err
	}
	out.Compared, out.Skipped = len(pieces), more
	if out.Overlaps, err = check.Overlaps(pieces, check.Options{Embed: embedder(c), Canceled: c.Ctx.Err}); err != nil {
		return out, err
	}
	out.Drafts, err = r.lowValue(c, kin, period, out.Overlaps)
	return out, err
}

// liveStatuses lists the statuses of what can still become or stay the truth.
func liveStatuses() []artifact.Status {
	return slices.DeleteFunc(artifact.Statuses(), func(s artifact.Status) bool { return !s.Live() })
}

// pieces loads what a consolidation compares: of the artifacts most recently
// changed as many as one may. Critiques of checks are all worded alike and not
// compared.
func pieces(c *kernel.Call, q store.ArtifactQuery) ([]check.Piece, bool, error) {
	q.Recent, q.Limit = true, brenner.MaxCompared+1
	rows, err := c.Reader.Artifacts(c.Ctx, q)
	if err != nil {
		return nil, false, err
	}
	more := len(rows) > brenner.MaxCompared
	var out []check.Piece
	for _, a := range rows[:min(len(rows), brenner.MaxCompared)] {
		if slices.Contains(a.Tags, ledger.CheckTag) || !c.May(policy.Read, a.Type, a.Module) {
			continue
		}
		v, live, err := subjectOf(c, a)
		if err != nil {
			return nil, false, err
		}
		if !live {
			continue
		}
		p := check.Piece{Ref: v.Ref(), Type: a.Type, Module: a.Module, Summary: v.Summary}
		if v.Size <= brenner.MaxIndexedBytes {
			if p.Paragraphs, err = paragraphs(c, v); err != nil {
				return nil, false, err
			}
		}
		out = append(out, p)
	}
	return out, more, nil
}

// lowValue lists old drafts that nothing has ever linked to and no open task
// rests on, except those that overlap with something anyway.
func (r *Room) lowValue(c *kernel.Call, q store.ArtifactQuery, period time.Duration, overlaps []check.Overlap) ([]api.DraftItem, error) {
	needed := map[brenner.ArtifactID]bool{}
	for _, o := range overlaps {
		for _, m := range o.Members {
			needed[m.Ref.Artifact] = true
		}
	}
	busy, err := r.Tasks.Resting(c)
	if err != nil {
		return nil, err
	}
	for _, ref := range busy {
		needed[ref.Artifact] = true
	}
	err = c.Each(c.Ctx, store.TableLinks, func(row any) error {
		if l := row.(store.Link); l.From.Artifact != l.To.Artifact {
			needed[l.To.Artifact] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, cutoff, err := cutoffBefore(c, period)
	if err != nil {
		return nil, err
	}
	out := []api.DraftItem{}
	err = ledger.EachArtifact(c, q, func(a store.Artifact) error {
		switch {
		case len(out) >= brenner.MaxCollected, needed[a.ID], a.Canonical != 0, a.Seq > cutoff:
		case slices.Contains(a.Tags, ledger.CheckTag), !c.May(policy.Read, a.Type, a.Module):
		default:
			out = append(out, api.DraftItem{Ref: brenner.Ref{Artifact: a.ID, Version: a.Head}, Type: a.Type, Module: a.Module, Updated: a.Updated})
		}
		return nil
	})
	return out, err
}

// openConsolidations opens a task for each group that overlaps, and for the
// drafts of each module, unless one has it already.
func (r *Room) openConsolidations(ch *kernel.Change, found api.ConsolidateResult) (api.OpenedTasks, error) {
	given, err := r.givenTo(ch.Call, taskConsolidate)
	if err != nil {
		return api.OpenedTasks{}, err
	}
	tasks := r.newOffers(ch, taskConsolidate)
	for _, o := range found.Overlaps {
		var inputs []brenner.Ref
		spec := []string{fmt.Sprintf("These %s of module %s say much the same:", o.Type, o.Module)}
		for _, m := range o.Members {
			inputs = append(inputs, m.Ref)
			spec = append(spec, fmt.Sprintf("- %s (summary %.2f alike, %.0f %% of the content shared)", m.Ref, m.Similarity, 100*m.Shared))
		}
		if given.covers(inputs) {
			continue
		}
		spec = append(spec, "Bring together what belongs together in one artifact that supersedes the others, or say why they stay apart.")
		title := fmt.Sprintf("Consolidate %s and what overlaps with it", inputs[0].Artifact)
		if err := tasks.open(title, spec, policy.Integrator, inputs); err != nil {
			return api.OpenedTasks{}, err
		}
	}
	err = tasks.openDrafts(given, found.Drafts)
	return tasks.out, err
}

// openDrafts opens tasks about drafts of low value, module by module.
func (o *offers) openDrafts(given given, drafts []api.DraftItem) error {
	byModule := map[brenner.Module][]brenner.Ref{}
	var modules []brenner.Module
	for _, d := range drafts {
		if given.covers([]brenner.Ref{d.Ref}) {
			continue
		}
		if byModule[d.Module] == nil {
			modules = append(modules, d.Module)
		}
		byModule[d.Module] = append(byModule[d.Module], d.Ref)
	}
	slices.Sort(modules)
	for _, m := range modules {
		for refs := range slices.Chunk(byModule[m], brenner.MaxOverlap) {
			spec := []string{"Nothing has ever linked to these drafts:"}
			for _, ref := range refs {
				spec = append(spec, "- "+ref.String())
			}
			spec = append(spec, "Use what is worth it, and say which ones are to be deprecated.")
			if err := o.open(fmt.Sprintf("Go through the unused drafts of %s", m), spec, policy.Integrator, refs); err != nil {
				return err
			}
		}
	}
	return nil
}
