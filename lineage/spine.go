package lineage

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
)

// SpineView is the minimum consistent view of a project (C29): what it asks,
// what each module knows, and the whole in short; only canonical versions.
type SpineView struct {
	Brief   *Node        `json:"project_brief"`
	Summary *Node        `json:"project_summary"`
	Memos   []ModuleMemo `json:"integrated_memos"`
	// Missing says what the spine lacks; empty: nothing.
	Missing []Missing `json:"missing"`
}

// ModuleMemo is the memo of one module, null if it has none.
type ModuleMemo struct {
	Module brenner.Module `json:"module"`
	Memo   *Node          `json:"memo"`
}

// Missing is a place in the spine without a canonical version.
type Missing struct {
	Type    brenner.TypeName `json:"type"`
	Module  brenner.Module   `json:"module,omitzero"`
	Message string           `json:"message"`
	// Draft is the newest version of it that is not in force yet, if there is one and
	// the reader decides.
	Draft brenner.Ref `json:"draft,omitzero"`
}

// Drafted says that what is missing waits as a draft to be promoted.
func (m *Missing) Drafted(draft brenner.Ref) {
	m.Draft = draft
	m.Message += fmt.Sprintf(": %s is a draft, to be promoted", draft)
}

// Lacks is the place in the spine that a version of a type, in a module, would fill; nil if
// none of it is empty.
func (v *SpineView) Lacks(t brenner.TypeName, m brenner.Module) *Missing {
	for i, missing := range v.Missing {
		if missing.Type == t && (missing.Module == "" || missing.Module == m) {
			return &v.Missing[i]
		}
	}
	return nil
}

// Spine picks the spine out of canonical versions, for the declared modules in
// their order. A memo of a module that is no longer declared is listed after
// them; it is not missed.
func Spine(canonical []Node, modules []brenner.Module) SpineView {
	view := SpineView{Memos: []ModuleMemo{}, Missing: []Missing{}}
	memos := map[brenner.Module]*Node{}
	listed := slices.Clone(modules)
	for _, n := range order.Of(canonical, compareNodes) {
		if n.Status != artifact.Canonical {
			continue
		}
		switch n.Type {
		case artifact.TypeProjectBrief:
			view.Brief = &n
		case artifact.TypeProjectSummary:
			view.Summary = &n
		case artifact.TypeIntegratedMemo:
			memos[n.Module] = &n
			if !slices.Contains(listed, n.Module) {
				listed = append(listed, n.Module)
			}
		}
	}
	slices.Sort(listed[len(modules):])
	if view.Brief == nil {
		view.miss(artifact.TypeProjectBrief, "")
	}
	for _, m := range listed {
		view.Memos = append(view.Memos, ModuleMemo{Module: m, Memo: memos[m]})
		if memos[m] == nil {
			view.miss(artifact.TypeIntegratedMemo, m)
		}
	}
	if view.Summary == nil {
		view.miss(artifact.TypeProjectSummary, "")
	}
	return view
}

func (v *SpineView) miss(t brenner.TypeName, m brenner.Module) {
	text := fmt.Sprintf("no canonical %s", t)
	if m != "" {
		text += fmt.Sprintf(" in module %s", m)
	}
	v.Missing = append(v.Missing, Missing{Type: t, Module: m, Message: text})
}
