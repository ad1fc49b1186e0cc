package lessons

import (
	"slices"
	"strings"

	"brenner"
	"brenner/assembly"
	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/playbook"
	"brenner/retrieval"
)

// Rank ranks the lessons that a view admits for a piece of work. Lessons
// whose vectors are the built-in model's are compared with the work; others
// are ranked by their evidence, because a context must not wait for a network.
func (r *Room) Rank(c *kernel.Call, wanted assembly.Bullets, text string, telling []string) ([]playbook.Ranked, error) {
	if wanted.Max == 0 || len(wanted.Stages) == 0 {
		return nil, nil
	}
	books, err := frozen.List(c.Ctx, c.Reader, kernel.Query{}, brenner.MaxPage)
	if err != nil {
		return nil, err
	}
	model := embed.Builtin()
	var out []playbook.Ranked
	for _, row := range books {
		err := r.withBook(c, row.Value.Domain, func(book *playbook.Book) error {
			want := playbook.RankOptions{Stages: wanted.Stages, Most: brenner.MaxCandidates}
			if strings.TrimSpace(text) != "" && book.Settings().Embedding.Same(model.Describe()) && len(book.WithoutVector()) == 0 {
				want.Query, want.Shares = model.Vec(text), shares(telling)
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

// shares says whether a lesson has one of some words.
func shares(words []string) func(content string) bool {
	known := make(map[string]bool, len(words))
	for _, w := range words {
		known[w] = true
	}
	return func(content string) bool {
		return slices.ContainsFunc(retrieval.Words(content), func(w string) bool { return known[w] })
	}
}
