package app

import (
	"brenner"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/playbook"
)

// lessons ranks the lessons that a view admits for a piece of work. Lessons
// whose vectors are the built-in model's are compared with the work; others
// are ranked by their evidence, because a context must not wait for a network.
func (c *call) lessons(w work) ([]playbook.Ranked, error) {
	if w.view.Bullets.Max == 0 || len(w.view.Bullets.Stages) == 0 {
		return nil, nil
	}
	books, err := c.Objects(c.ctx, store.ObjectQuery{Kind: objectPlaybook, Limit: brenner.MaxPage})
	if err != nil {
		return nil, err
	}
	model := embed.Builtin()
	var out []playbook.Ranked
	for _, o := range books {
		err := c.withBook(playbook.Domain(o.ID), func(book *playbook.Book) error {
			want := playbook.RankOptions{Stages: w.view.Bullets.Stages, Most: brenner.MaxCandidates}
			if book.Settings().Embedding.Same(model.Describe()) && len(book.WithoutVector()) == 0 {
				want.Query = model.Vec(w.text)
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
