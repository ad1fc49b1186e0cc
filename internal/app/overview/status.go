package overview

import (
	"context"

	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// Status implements api.Overview.
func (s *Service) Status(ctx context.Context) (api.StatusResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "status"), func(c *kernel.Call) (api.StatusResult, error) {
		out := api.StatusResult{Position: c.Position, At: c.Now, Items: []api.Need{}}
		for _, look := range s.Needs {
			found, err := look(c)
			if err != nil {
				return api.StatusResult{}, err
			}
			for _, n := range found {
				if n.Names = n.Names[:min(len(n.Names), api.MaxNeedNames)]; n.Count > 0 {
					out.Items = append(out.Items, n)
				}
			}
		}
		return out, nil
	})
}
