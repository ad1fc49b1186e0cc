package web

import (
	"brenner"
	"brenner/api"
	"brenner/lineage"
)

func loadForks(v *visit) (string, any, error) {
	found, err := v.svc.Forks(v.Context())
	return "Forks", struct{ Forks part[lineage.Fork] }{first(found.Forks)}, err
}

// stalePage is the versions that rest on something that moved.
type stalePage struct {
	api.StaleResult
}

func loadStale(v *visit) (string, any, error) {
	found, err := v.svc.Stale(v.Context(), api.StaleRequest{Page: v.page(perPage), Modules: one[brenner.Module](v.query("module"))})
	return "Stale versions", stalePage{found}, err
}
