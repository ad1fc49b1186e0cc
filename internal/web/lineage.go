package web

import (
	"html/template"

	"brenner"
	"brenner/internal/api"
	"brenner/lineage"
)

// lineagePage is what a version rests on, or what rests on it.
type lineagePage struct {
	lineage.Graph
	Ref     brenner.Ref
	Down    bool
	Depth   int64
	Picture template.HTML
}

// drawn is how many versions a picture holds before it helps nobody.
const drawn = 150

func loadLineage(v *visit) (string, any, error) {
	ref, err := v.ref()
	if err != nil {
		return "", nil, err
	}
	out := lineagePage{Ref: ref, Down: v.query("direction") == string(lineage.Down), Depth: v.number("depth")}
	if out.Depth == 0 {
		out.Depth = 3
	}
	found, err := v.svc.Lineage(v.Context(), api.LineageRequest{Ref: ref, Down: out.Down, Depth: int(min(out.Depth, 50))})
	if err != nil {
		return "", nil, err
	}
	out.Graph, out.Ref = found.Graph, found.Start
	if len(out.Nodes) <= drawn {
		out.Picture = template.HTML(found.Inline(artifactPath))
	}
	return "Lineage of " + out.Ref.String(), out, nil
}
