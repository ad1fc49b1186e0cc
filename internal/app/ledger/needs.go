package ledger

import (
	"brenner/api"
	"brenner/internal/app/kernel"
)

// ForkNeeds lists where more than one version could be the truth.
func (r *Room) ForkNeeds(c *kernel.Call) ([]api.Need, error) {
	forks, err := AllForks(c)
	if err != nil || len(forks) == 0 {
		return nil, err
	}
	var names []string
	for _, f := range forks {
		names = append(names, f.Slot+string(f.Artifact))
	}
	return []api.Need{{Kind: "fork", Count: len(forks), What: "more than one truth: " + kernel.FirstFew(names), Command: "brenner forks", Names: names}}, nil
}

// StaleNeeds lists what rests on something that has moved.
func (r *Room) StaleNeeds(c *kernel.Call) ([]api.Need, error) {
	stale, err := AllStale(c)
	if err != nil || len(stale) == 0 {
		return nil, err
	}
	var names []string
	for _, i := range stale {
		names = append(names, i.Ref.String())
	}
	return []api.Need{{Kind: "stale", Count: len(stale), What: "rests on what has moved: " + kernel.FirstFew(names), Command: "brenner stale", Names: names}}, nil
}

// SpineNeeds lists what the spine of the project lacks.
func (r *Room) SpineNeeds(c *kernel.Call) ([]api.Need, error) {
	spine, err := SpineOf(c)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, m := range spine.Missing {
		missing = append(missing, m.Message)
	}
	return []api.Need{{Kind: "spine", Count: len(missing), What: kernel.FirstFew(missing), Command: "brenner spine"}}, nil
}
