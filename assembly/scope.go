package assembly

import (
	"slices"

	"brenner"
)

// Scope is the modules a context may draw on.
type Scope struct {
	// All means every module; Modules is then empty.
	All     bool             `json:"all"`
	Modules []brenner.Module `json:"modules"`
}

// Scope gives the modules of a context: the one that is asked for, or several
// where the work is cross-cutting and the view allows it (C23). Shared modules,
// where what concerns the whole project lives, always belong to it. Asking for
// no module across modules asks for all.
//
// It reports CROSS_MODULE for several modules without leave.
func (v View) Scope(modules []brenner.Module, crossCutting bool, shared ...brenner.Module) (Scope, error) {
	own := slices.Compact(slices.Sorted(slices.Values(modules)))
	switch {
	case crossCutting && v.Modules == CrossModules && len(own) == 0:
		return Scope{All: true, Modules: []brenner.Module{}}, nil
	case len(own) > 1 && !crossCutting:
		return Scope{}, brenner.Errorf(brenner.CodeCrossModule, "the work spans %d modules and is not cross-cutting", len(own)).
			WithHint("name one module, or make the task cross-cutting")
	case len(own) > 1 && v.Modules != CrossModules:
		return Scope{}, brenner.Errorf(brenner.CodeCrossModule, "the view of %s keeps to one module, the work spans %d", v.Role, len(own)).
			WithHint("give the task to a role whose view has modules: cross, such as integrator")
	}
	return Scope{Modules: slices.Compact(slices.Sorted(slices.Values(slices.Concat(own, shared))))}, nil
}

// Covers reports whether a module belongs to the scope.
func (s Scope) Covers(m brenner.Module) bool { return s.All || slices.Contains(s.Modules, m) }
