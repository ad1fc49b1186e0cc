package lessons

import (
	"brenner"
	"brenner/assembly"
	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/playbook"
)

// Rank ranks the lessons that a view admits for a piece of work. Lessons
// whose vectors are the built-in model's are compared with the work; others
// are ranked by their evidence, because a context must not wait for a network.
func (r *Room) Rank(c *kernel.Call, wanted assembly.Bullets, text string) ([]playbook.Ranked, error) {
	if wanted.Max == 0 || len(wanted.Stages) == 0 {
		return nil, nil
	}
	books, err := c.Objects(c.Ctx, store.ObjectQuery{Kind: objectPlaybook, Limit: brenner.MaxPage})
	if err != nil {
		return nil, err
	}
	model := embed.Builtin()
	var out []playbook.Ranked
	for _, o := range books {
		err := r.withBook(c, playbook.Domain(o.ID), func(book *playbook.Book) error {
			want := playbook.RankOptions{Stages: wanted.Stages, Most: brenner.MaxCandidates}
			if book.Settings().Embedding.Same(model.Describe()) && len(book.WithoutVector()) == 0 {
				want.Query = model.Vec(text)
			}
			ranked, err := book.Rank(want)
			out = append(out, ranked...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
