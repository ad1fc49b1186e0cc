package app_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/memory"

	"pgregory.net/rapid"
)

// dumb is a second idea of a project: maps, and rules written out.
type dumb struct {
	head, canonical map[brenner.ArtifactID]brenner.Version
	parent          map[brenner.Ref]brenner.Version
	superseded      map[brenner.Ref]bool
	demoted         map[brenner.Ref]bool
	links           map[brenner.Ref][]brenner.Ref
	latest          map[brenner.ArtifactID]brenner.Version
	tasks           map[string][]api.Pin
	outputs         map[string]brenner.Ref
}

// outdated: superseded, taken out of force, or older than the canonical version of its artifact.
func (d *dumb) outdated(r brenner.Ref) bool {
	return d.superseded[r] || d.demoted[r] || r.Version < d.canonical[r.Artifact]
}

// stale: some chain of links leads to something outdated. It tries every chain.
func (d *dumb) stale(r brenner.Ref, seen map[brenner.Ref]bool) bool {
	if seen[r] {
		return false
	}
	seen[r] = true
	for _, to := range d.links[r] {
		if d.outdated(to) || d.stale(to, seen) {
			return true
		}
	}
	return false
}

// inUse: canonical, or live and the parent of no live version.
func (d *dumb) inUse(r brenner.Ref) bool {
	if d.superseded[r] {
		return false
	}
	if d.canonical[r.Artifact] == r.Version {
		return true
	}
	for v := r.Version + 1; v <= d.latest[r.Artifact]; v++ {
		child := brenner.Ref{Artifact: r.Artifact, Version: v}
		for p := d.parent[child]; p >= r.Version; p = d.parent[brenner.Ref{Artifact: r.Artifact, Version: p}] {
			if p == r.Version && !d.superseded[child] {
				return false
			}
			if p == 0 {
				break
			}
		}
	}
	return true
}

func (d *dumb) allStale() []string {
	var out []string
	for id, latest := range d.latest {
		for v := brenner.Version(1); v <= latest; v++ {
			r := brenner.Ref{Artifact: id, Version: v}
			if d.inUse(r) && d.stale(r, map[brenner.Ref]bool{}) {
				out = append(out, r.String())
			}
		}
	}
	slices.Sort(out)
	return out
}

// C26, C17: on random histories of writes, links, promotions and tasks, what is
// stale and what needs a rebase is exactly what a dumb second implementation
// says: no miss, no false mark.
func TestRandom_StalenessAndRebaseAreExact(t *testing.T) {
	skipShort(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, memory.New())
		ctx, pi := t.Context(), w.PI()
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		_, err := pi.AddAgent(ctx, api.AddAgentRequest{Name: "W", Role: "writer"})
		must(err)
		writer := w.As("W")
		d := &dumb{
			head: map[brenner.ArtifactID]brenner.Version{}, canonical: map[brenner.ArtifactID]brenner.Version{},
			parent: map[brenner.Ref]brenner.Version{}, superseded: map[brenner.Ref]bool{}, demoted: map[brenner.Ref]bool{}, links: map[brenner.Ref][]brenner.Ref{},
			latest: map[brenner.ArtifactID]brenner.Version{}, tasks: map[string][]api.Pin{}, outputs: map[string]brenner.Ref{},
		}
		anyRef := func(label string) brenner.Ref {
			id := rapid.SampledFrom(slices.Sorted(maps.Keys(d.latest))).Draw(rt, label)
			return brenner.Ref{Artifact: id, Version: brenner.Version(rapid.IntRange(1, int(d.latest[id])).Draw(rt, label+" version"))}
		}
		wrote := func(r, parent brenner.Ref, links []artifact.Link, onHead bool) {
			d.latest[r.Artifact], d.parent[r] = r.Version, parent.Version
			if onHead {
				d.head[r.Artifact] = r.Version
			}
			for _, l := range links {
				d.links[r] = append(d.links[r], l.To())
			}
		}
		n := 0
		steps := rapid.IntRange(5, 25).Draw(rt, "steps")
		for range steps {
			n++
			op := rapid.SampledFrom([]string{"create", "create", "update", "promote", "promote", "promote", "demote", "task", "complete"}).Draw(rt, "op")
			if len(d.latest) == 0 {
				op = "create"
			}
			switch op {
			case "create":
				var links []artifact.Link
				if len(d.latest) > 0 && rapid.Bool().Draw(rt, "linked") {
					to := anyRef("to")
					links = append(links, artifact.Link{Rel: artifact.DependsOn, Artifact: to.Artifact, Version: to.Version})
				}
				res, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
					ID: brenner.ArtifactID(fmt.Sprintf("a%d", len(d.latest))), Type: "analysis_result", Module: "lineage",
					Summary: "x", Content: api.Body{Format: artifact.Text, Data: "x"}, Links: links,
				})
				must(err)
				wrote(res.Ref, brenner.Ref{}, links, true)
			case "update":
				parent := anyRef("parent")
				to := anyRef("to")
				summary := fmt.Sprint("summary ", n)
				link := artifact.Link{Rel: artifact.Cites, Artifact: to.Artifact, Version: to.Version}
				res, err := pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{
					ID: parent.Artifact, Parent: parent.Version, Summary: &summary, DropLinks: true, Links: []artifact.Link{link},
				})
				must(err)
				wrote(res.Ref, parent, []artifact.Link{link}, parent.Version == d.head[parent.Artifact])
			case "promote":
				ref := anyRef("promoted")
				_, err := pi.Promote(ctx, api.PromoteRequest{Ref: ref, Reason: "r", Override: true})
				wasAlternative := !d.superseded[ref] && !onLine(d, ref)
				if d.superseded[ref] || d.canonical[ref.Artifact] == ref.Version {
					if brenner.CodeOf(err) != brenner.CodeStatusConflict {
						rt.Fatalf("promoting %s: %v", ref, err)
					}
					continue
				}
				must(err)
				if old := d.canonical[ref.Artifact]; old != 0 {
					d.superseded[brenner.Ref{Artifact: ref.Artifact, Version: old}] = true
				}
				d.canonical[ref.Artifact] = ref.Version
				delete(d.demoted, ref)
				if wasAlternative {
					v, err := pi.Artifact(ctx, api.ArtifactRequest{Ref: ref, Brief: true})
					must(err)
					d.head[ref.Artifact] = v.Head
				}
			case "demote":
				ref := anyRef("demoted")
				ref.Version = d.canonical[ref.Artifact]
				if ref.Version == 0 {
					continue
				}
				_, err := pi.Demote(ctx, api.DecisionRequest{Ref: ref, Reason: "r"})
				must(err)
				d.canonical[ref.Artifact], d.demoted[ref] = 0, true
			case "task":
				in := anyRef("input")
				task, err := pi.NewTask(ctx, api.NewTaskRequest{Title: "t", Role: "writer", Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{in}})
				must(err)
				_, err = writer.ClaimTask(ctx, api.ClaimTaskRequest{ID: task.ID})
				must(err)
				out, err := writer.CreateArtifact(ctx, api.CreateArtifactRequest{
					ID: brenner.ArtifactID("out-" + task.ID), Type: "manuscript_section", Module: "lineage", Summary: "o",
					Content: api.Body{Format: artifact.Text, Data: "o"}, Task: task.ID,
				})
				must(err)
				d.tasks[task.ID] = []api.Pin{{Ref: in, Canonical: d.canonical[in.Artifact], Head: d.head[in.Artifact]}}
				d.outputs[task.ID] = out.Ref
			case "complete":
				if len(d.tasks) == 0 {
					continue
				}
				id := rapid.SampledFrom(slices.Sorted(maps.Keys(d.tasks))).Draw(rt, "task")
				pin := d.tasks[id][0]
				delete(d.tasks, id)
				moved := d.head[pin.Ref.Artifact] != pin.Head
				if pin.Ref.Version == pin.Canonical {
					moved = d.canonical[pin.Ref.Artifact] != pin.Canonical
				}
				done, err := writer.CompleteTask(ctx, api.CompleteTaskRequest{ID: id})
				must(err)
				v, err := pi.Artifact(ctx, api.ArtifactRequest{Ref: d.outputs[id]})
				must(err)
				if (len(done.Moved) > 0) != moved || (v.Status == artifact.NeedsRebase) != moved {
					rt.Fatalf("%s pinned %+v: moved %+v, output %s; want moved %v", id, pin, done.Moved, v.Status, moved)
				}
			}
			stale, err := pi.Stale(ctx, api.StaleRequest{Page: api.Page{Limit: brenner.MaxPage}})
			must(err)
			var got []string
			for _, i := range stale.Items {
				got = append(got, i.Ref.String())
				if last := i.Path[len(i.Path)-1]; !d.outdated(last) || i.Path[0] != i.Ref {
					rt.Fatalf("%s: the path %v does not lead to something outdated", i.Ref, i.Path)
				}
			}
			slices.Sort(got)
			if want := d.allStale(); !slices.Equal(got, want) {
				rt.Fatalf("after %s: stale %v, want %v", op, got, want)
			}
		}
	})
}

// onLine reports whether a version is the head of its artifact or an ancestor
// of it.
func onLine(d *dumb, r brenner.Ref) bool {
	for v := d.head[r.Artifact]; v > 0; v = d.parent[brenner.Ref{Artifact: r.Artifact, Version: v}] {
		if v == r.Version {
			return true
		}
	}
	return false
}
