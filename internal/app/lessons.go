package app

import (
	"brenner"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/playbook"
)

// lessons ranks the lessons that a view admits for a piece of work.
func (c *call) lessons(w work) ([]playbook.Ranked, error) {
	var stages []string
	for _, s := range w.view.Bullets.Stages {
		stages = append(stages, string(s))
	}
	if len(stages) == 0 || w.view.Bullets.Max == 0 {
		return nil, nil
	}
	rows, err := c.Objects(c.ctx, store.ObjectQuery{Kind: objectBullet, States: stages, Newest: true, Limit: brenner.MaxPage})
	if err != nil {
		return nil, err
	}
	model := embed.Builtin()
	books := map[playbook.Domain]*playbook.Book{}
	var domains []playbook.Domain
	for _, o := range rows {
		var b playbook.Bullet
		if err := unmarshalBody(o, &b); err != nil {
			return nil, err
		}
		book, ok := books[b.Domain]
		if !ok {
			if book, err = playbook.NewBook(playbook.Settings{Domain: b.Domain}); err != nil {
				return nil, err
			}
			books[b.Domain], domains = book, append(domains, b.Domain)
		}
		if err := book.Load(b, model.Vec(b.Content)); err != nil {
			return nil, err
		}
	}
	query := model.Vec(w.text)
	var out []playbook.Ranked
	for _, d := range domains {
		ranked, err := books[d].Rank(playbook.RankOptions{Query: query, Stages: w.view.Bullets.Stages})
		if err != nil {
			return nil, err
		}
		out = append(out, ranked...)
	}
	return out, nil
}
