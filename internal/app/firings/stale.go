package firings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/order"
	"brenner/internal/store"
)

// eventsAt are the events of a record.
func (r *Room) eventsAt(row store.Record) ([]automation.Event, error) {
	rec, err := journal.Parse(row)
	if err != nil {
		return nil, err
	}
	return r.Kinds().Events(rec)
}

// outdated is a canonical version that needs an update, and its author's role.
type outdated struct {
	api.StaleItem
	author store.Actor
}

// cause is the artifact that moved.
func (o outdated) cause() brenner.ArtifactID { return o.Path[len(o.Path)-1].Artifact }

// subject is what a task about it is about: the cause, its module and the role of its author.
func (o outdated) subject(author brenner.Role) string {
	return fmt.Sprintf("%s %s %s", o.cause(), o.Module, author)
}

// taskUpdate is the kind of a task to renew what is stale.
const taskUpdate = "update"

// staleNow is the key of all that is stale.
type staleNow struct{}

// staleBy lists the canonical versions that need an update because an artifact
// was decided upon: those that rest on it, and its own. What somebody has
// renewed already waits for a person and is not among them.
func (r *Room) staleBy(c *kernel.Call, rule automation.Rule, e automation.Event) ([]outdated, error) {
	// What is stale now is so by the last decision about what moved.
	if last, err := ledger.LastDecision(c, e.Ref.Artifact); err != nil || last != e.Seq {
		return nil, err
	}
	items, err := kernel.Once(c, staleNow{}, func() ([]api.StaleItem, error) { return ledger.AllStale(c) })
	if err != nil {
		return nil, err
	}
	var out []outdated
	for _, i := range items {
		o := outdated{StaleItem: i}
		if i.Status != artifact.Canonical || i.Ref.Artifact != e.Ref.Artifact && o.cause() != e.Ref.Artifact {
			continue
		}
		later, err := r.staleLater(c, o, e)
		if err != nil {
			return nil, err
		}
		if later {
			continue
		}
		a, err := c.Reader.Artifact(c.Ctx, i.Ref.Artifact)
		if err != nil {
			return nil, err
		}
		head := brenner.Ref{Artifact: a.ID, Version: a.Head}
		renewed := a.Head > a.Canonical && a.HeadStatus.Live() && !slices.ContainsFunc(items, func(s api.StaleItem) bool { return s.Ref == head })
		if renewed {
			continue
		}
		v, err := c.Version(c.Ctx, i.Ref)
		if err != nil {
			return nil, err
		}
		if o.author, err = c.Actor(c.Ctx, v.Creator); err != nil && brenner.CodeOf(err) != brenner.CodeNotFound {
			return nil, err
		}
		o.author.Role = v.Role
		w := rule.When
		if w.Type != "" && w.Type != i.Type || w.Module != "" && w.Module != i.Module || w.Role != "" && w.Role != v.Role {
			continue
		}
		out = append(out, o)
	}
	return out, nil
}

// staleLater reports whether a version became stale by a later decision than that
// of an event: about it where the event is about what moved, or about what moved
// where the event is about it. That event is the one, whenever somebody looks.
func (r *Room) staleLater(c *kernel.Call, o outdated, e automation.Event) (bool, error) {
	for _, id := range []brenner.ArtifactID{o.Ref.Artifact, o.cause()} {
		last, err := ledger.LastDecision(c, id)
		if err != nil || last > e.Seq {
			return true, err
		}
	}
	return false, nil
}

// staleEvents are the events that something is stale by a decision, one for each
// version.
func (r *Room) staleEvents(c *kernel.Call, rule automation.Rule, e automation.Event) ([]automation.Event, error) {
	stale, err := r.staleBy(c, rule, e)
	var out []automation.Event
	for _, o := range stale {
		one := e
		one.Subject, one.Ref, one.Type, one.Module, one.Role = o.Ref.String(), o.Ref, o.Type, o.Module, o.author.Role
		out = append(out, one)
	}
	return out, err
}

// planUpdate opens tasks to renew what a decision made stale, and closes those of which
// nothing is stale any more: it was confirmed, renewed or taken out of use.
func (r *Room) planUpdate(c *kernel.Call, rule automation.Rule, e automation.Event) ([]deed, error) {
	out, err := r.openUpdates(c, rule, e)
	if err != nil {
		return nil, err
	}
	needless, err := r.renewed(c, rule)
	if err != nil || len(needless) == 0 {
		return out, err
	}
	d := r.closing(needless, e, "nothing that it is to renew is stale any more")
	d.act = rule.Do.Act
	return append(out, d), nil
}

// renewed lists the open tasks of a rule to renew what is stale, of which nothing is any
// more. What somebody is at stays: that may be how it was renewed.
func (r *Room) renewed(c *kernel.Call, rule automation.Rule) ([]string, error) {
	var open []api.TaskInfo
	err := r.Tasks.Each(c, []api.TaskState{api.TaskOpen, api.TaskClaimed}, func(t api.TaskInfo) bool {
		if t.Kind == taskUpdate && (t.State == api.TaskOpen || t.Overdue) {
			open = append(open, t)
		}
		return true
	})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	items, err := kernel.Once(c, staleNow{}, func() ([]api.StaleItem, error) { return ledger.AllStale(c) })
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range open {
		by, err := openedTasks.Find(c.Ctx, c.Reader, t.ID)
		if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && !strings.HasPrefix(by.About, about(rule.Name, "")) {
			continue // this rule did not open it
		}
		if err != nil {
			return nil, err
		}
		needed, err := stillStale(c, t, by, rule.Name, items)
		if err != nil {
			return nil, err
		}
		if !needed {
			out = append(out, t.ID)
		}
	}
	return out, nil
}

// stillStale reports whether something that a task is to renew is stale: what it was given,
// by whatever cause, or what it had no room for by its own.
func stillStale(c *kernel.Call, t api.TaskInfo, by opened, rule string, items []api.StaleItem) (bool, error) {
	for _, i := range items {
		o := outdated{StaleItem: i}
		if i.Status != artifact.Canonical {
			continue
		}
		given := slices.ContainsFunc(t.Inputs, func(p api.Pin) bool { return p.Ref.Artifact == i.Ref.Artifact })
		if given && !strings.HasPrefix(by.About, about(rule, string(i.Ref.Artifact)+" ")) { // which is the cause, to read
			return true, nil
		}
		if !strings.HasPrefix(by.About, about(rule, o.subject(""))) {
			continue
		}
		v, err := c.Version(c.Ctx, i.Ref)
		if err != nil || about(rule, o.subject(v.Role)) == by.About {
			return true, err
		}
	}
	return false, nil
}

// openUpdates opens tasks to renew what is stale: one for each cause, module and
// role of the authors (A3). What a person wrote a person renews: it stands in
// the inbox.
func (r *Room) openUpdates(c *kernel.Call, rule automation.Rule, e automation.Event) ([]deed, error) {
	stale, err := r.staleBy(c, rule, e)
	if err != nil {
		return nil, err
	}
	stale = slices.DeleteFunc(stale, func(o outdated) bool {
		_, known := c.Policies[o.author.Role]
		return !known || o.author.Kind != kernel.Agent
	})
	order.By(stale, func(a, b outdated) int {
		return cmp.Or(cmp.Compare(a.cause(), b.cause()), cmp.Compare(a.Module, b.Module), cmp.Compare(a.author.Role, b.author.Role))
	})
	var out []deed
	for len(stale) > 0 {
		first, n := stale[0], 1
		for n < len(stale) && stale[n].cause() == first.cause() && stale[n].Module == first.Module && stale[n].author.Role == first.author.Role {
			n++
		}
		group := stale[:n]
		stale = stale[n:]
		if n < rule.When.Count {
			continue
		}
		subject := first.subject(first.author.Role)
		why := fmt.Sprintf("%s moved, and %s rests on what it was", first.cause(), first.Ref)
		if n > 1 {
			why = fmt.Sprintf("%s moved, and %s and %d more rest on what it was", first.cause(), first.Ref, n-1)
		}
		d, err := r.opening(c, rule, e, subject, why, updateTask(group), taskUpdate)
		if err != nil {
			return nil, err
		}
		if d.do != nil {
			out = append(out, d)
		}
	}
	return out, nil
}

// updateTask words the task to renew some versions that one cause made stale.
func updateTask(group []outdated) api.NewTaskRequest {
	first := group[0]
	req := api.NewTaskRequest{
		Title: fmt.Sprintf("Update what rests on %s", first.cause()), Role: first.author.Role, Modules: []brenner.Module{first.Module},
	}
	now := brenner.Ref{Artifact: first.cause(), Version: first.Now}
	moved := string(first.cause()) + " is out of use."
	if now.Version > 0 {
		req.Inputs = append(req.Inputs, now)
		moved = fmt.Sprintf("%s moved: %s is canonical now.", first.cause(), now)
	}
	req.Spec = moved + " These rest on what it was:"
	for _, o := range group {
		req.Inputs = append(req.Inputs, o.Ref)
		req.Spec += fmt.Sprintf("\n- %s, by way of %s", o.Ref, o.Path[len(o.Path)-1])
	}
	req.Spec += "\nRead what changed. Write a new version of each that says what holds now and links to the current versions; where nothing changes, say so in the change note. Then complete the task: a person decides."
	if slices.ContainsFunc(group, func(o outdated) bool { return o.Type == artifact.TypeSessionArtifact }) {
		req.Spec += " The document of a session is renewed by deltas: EDIT the items that cite an old version, so that they name the current one."
	}
	return req
}
