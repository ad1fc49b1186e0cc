package sessions

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
)

// Contested lists the fields in a version of a session's document that are in conflict;
// none of what is no such document.
func (r *Room) Contested(c *kernel.Call, ref brenner.Ref) ([]api.ReviewFinding, error) {
	doc, err := documentIn(c, ref)
	if err != nil || doc == nil {
		return nil, err
	}
	var out []api.ReviewFinding
	for _, f := range doc.Conflicts() {
		last := f.Candidates[len(f.Candidates)-1]
		out = append(out, api.ReviewFinding{
			Kind: api.FindingConflict, Ref: ref, Item: f.Item, Field: f.Name(), Creator: last.Agent, At: last.Instant,
			Summary: fmt.Sprintf("%s has %d values, and nothing decides between them", f.Name(), len(f.Candidates)),
		})
	}
	return out, nil
}
