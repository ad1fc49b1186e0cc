package runs

import (
	"context"
	"slices"

	"brenner"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// registration says which agents a runner may start (W17).
type registration struct {
	Runner brenner.ActorName   `json:"runner"`
	For    []brenner.ActorName `json:"for"`
}

var registrations = kernel.Table[registration]{
	Kind: "runner",
	Key:  func(r registration) kernel.Key { return kernel.Key{ID: string(r.Runner)} },
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "%s is not a runner", id)
	},
}

func applyRegistration(ctx context.Context, tx store.Tx, rec journal.Record, p kernel.Actor) error {
	if p.Kind != kernel.Runner {
		return nil
	}
	return registrations.Put(ctx, tx, rec.Seq, registration{Runner: p.Name, For: p.For})
}

// starts reports whether the caller may start an agent: a person any, a runner
// those it is registered for.
func starts(c *kernel.Call, agent brenner.ActorName) (bool, error) {
	if c.Who.Kind != kernel.Runner {
		return true, nil
	}
	r, err := registrations.Find(c.Ctx, c.Reader, string(c.Who.Name))
	return slices.Contains(r.For, agent), err
}

// checkStarts refuses an agent that the caller may not start.
func checkStarts(c *kernel.Call, agent brenner.ActorName) error {
	ok, err := starts(c, agent)
	if err == nil && !ok {
		err = brenner.Errorf(brenner.CodeWriteDenied, "%s is not registered for %s", c.Who.Name, agent).
			WithHint("the PI registers a runner for the agents it may start")
	}
	return err
}

// sees reports whether a run is the caller's to see and to end: a runner's are
// those it started.
func sees(c *kernel.Call, r run) bool { return c.Who.Kind != kernel.Runner || r.Starter == c.Who.Name }

// find loads a run that the caller may see. One of another runner is not there
// for it.
func find(c *kernel.Call, id string) (run, error) {
	r, err := runs.Find(c.Ctx, c.Reader, id)
	if err == nil && !sees(c, r) {
		return run{}, runs.Missing(id)
	}
	return r, err
}
