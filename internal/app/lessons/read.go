package lessons

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/order"
	"brenner/playbook"
	"brenner/policy"
)

// Bullets implements api.Playbook.
func (s *Service) Bullets(ctx context.Context, req api.ListBulletsRequest) (api.BulletList, error) {
	return kernel.Read(ctx, s.caller, "lessons", nil, reading("bullets"), func(c *kernel.Call) (api.BulletList, error) {
		limit, err := kernel.PageSize(req.Limit)
		if err != nil {
			return api.BulletList{}, err
		}
		q, err := bulletQuery(req)
		if err != nil {
			return api.BulletList{}, err
		}
		if err := knownDomain(c, req.Domain); err != nil {
			return api.BulletList{}, err
		}
		out := api.BulletList{Bullets: []playbook.Bullet{}}
		var last kernel.Place
		take := func(place kernel.Place, b playbook.Bullet) bool {
			if !wanted(req, b) {
				return true
			}
			if len(out.Bullets) == limit {
				out.Cursor = kernel.MakeCursor(last)
				return false
			}
			out.Bullets = append(out.Bullets, b)
			last = place
			return true
		}
		if req.Review {
			return out, eachInReview(c, q, take)
		}
		return out, bullets.Each(ctx, c.Reader, q, func(row kernel.Row[playbook.Bullet]) (bool, error) {
			return take(row.Place(), row.Value), nil
		})
	})
}

// knownDomain refuses a domain in which nothing was ever learned, except the one of insights that name none.
func knownDomain(c *kernel.Call, domain playbook.Domain) error {
	if domain == "" || domain == api.DefaultDomain {
		return nil
	}
	books, err := playbooks(c, "")
	if err != nil || slices.ContainsFunc(books, func(p playbookFrozen) bool { return p.Domain == domain }) {
		return err
	}
	names := []string{string(api.DefaultDomain)}
	for _, p := range books {
		names = append(names, string(p.Domain))
	}
	return kernel.NoSuch("domain", string(domain), "/domain", names).Try(brenner.Do("playbook.stats"))
}

// reading is to read lessons: whoever reads nothing at all reads none (C33).
func reading(target string) kernel.Guard {
	return kernel.All(kernel.To(policy.Status, target), kernel.Acting(kernel.Act{Action: policy.Read, Target: target}))
}

// eachInReview visits the bullets whose reviews a query finds.
func eachInReview(c *kernel.Call, q kernel.Query, take func(kernel.Place, playbook.Bullet) bool) error {
	return reviews.Each(c.Ctx, c.Reader, q, func(row kernel.Row[review]) (bool, error) {
		b, err := bullets.Find(c.Ctx, c.Reader, row.ID)
		return err == nil && take(row.Place(), b), err
	})
}

// bulletQuery finds the bullets, or their reviews, that a request may want.
func bulletQuery(req api.ListBulletsRequest) (kernel.Query, error) {
	after, err := kernel.OpenCursor[kernel.Place](req.Cursor)
	q := kernel.Query{Group: string(req.Domain), After: after}
	if err != nil {
		return q, err
	}
	if req.Domain != "" {
		if err := req.Domain.Check(); err != nil {
			return q, err
		}
	}
	all := append(slices.Clone(liveStages), playbook.Retired)
	for _, st := range req.Stages {
		if !slices.Contains(all, st) {
			return q, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a stage", st).At("/stages").WithHint("stages: " + kernel.Join(all))
		}
	}
	for _, sec := range req.Sections {
		if err := sec.Check(); err != nil {
			return q, err
		}
	}
	switch {
	case req.Review:
		q.States = []string{string(playbook.ReviewPending)}
	case len(req.Stages) > 0:
		q.States = kernel.Strings(req.Stages)
	default:
		q.States = kernel.Strings(liveStages)
	}
	return q, nil
}

func wanted(req api.ListBulletsRequest, b playbook.Bullet) bool {
	return (len(req.Stages) == 0 || slices.Contains(req.Stages, b.Stage)) &&
		(len(req.Sections) == 0 || slices.Contains(req.Sections, b.Section)) &&
		(req.Tag == "" || slices.Contains(b.Tags, req.Tag))
}

// Bullet implements api.Playbook.
func (s *Service) Bullet(ctx context.Context, req api.BulletRequest) (api.BulletView, error) {
	return kernel.Read(ctx, s.caller, "lesson", nil, reading(string(req.ID)), func(c *kernel.Call) (api.BulletView, error) {
		row, err := bullets.Row(ctx, c.Reader, string(req.ID))
		if err != nil {
			return api.BulletView{}, err
		}
		b := row.Value
		out := api.BulletView{Bullet: b, SHA256: b.Digest()}
		if g, ok := b.Gate(); ok {
			out.Gate = &g
		}
		if !req.History {
			return out, nil
		}
		if err := c.Allow(policy.Audit, "", "", "the history of "+string(req.ID)); err != nil {
			return api.BulletView{}, err
		}
		out.Records, out.Cursor, err = historyPage(c, row.Seq, req.Page)
		return out, err
	})
}

// historyPage reads a page of a bullet's records, newest first.
func historyPage(c *kernel.Call, newest int64, page api.Page) ([]playbook.DeltaUpdate, string, error) {
	limit, err := kernel.PageSize(page.Limit)
	if err != nil {
		return nil, "", err
	}
	from, err := kernel.OpenCursor[int64](page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if from == 0 {
		from = newest
	}
	records, next, err := recordsBack(c, from, 0, limit)
	if err != nil || next == 0 {
		return records, "", err
	}
	return records, kernel.MakeCursor(next), nil
}

// ExportPlaybook implements api.Playbook.
func (s *Service) ExportPlaybook(ctx context.Context, req api.ExportPlaybookRequest) (api.PlaybookExport, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "playbook"), func(c *kernel.Call) (api.PlaybookExport, error) {
		out := api.PlaybookExport{Format: req.Format}
		if out.Format == playbook.FormatAuto {
			out.Format = playbook.FormatMarkdown
		}
		if _, ok := exported[out.Format]; !ok {
			return api.PlaybookExport{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a format of exports", req.Format).
				WithHint("use markdown or jsonl")
		}
		books, err := playbooks(c, req.Domain)
		if err != nil {
			return api.PlaybookExport{}, err
		}
		var text strings.Builder
		for i, p := range books {
			var bullets []playbook.Bullet
			err := eachBullet(ctx, c.Reader, p.Domain, exported[out.Format], func(b playbook.Bullet) error {
				bullets = append(bullets, b)
				return nil
			})
			if err != nil {
				return api.PlaybookExport{}, err
			}
			out.Bullets += len(bullets)
			if out.Format == playbook.FormatJSONL {
				text.Write(playbook.ExportJSONL(bullets))
				continue
			}
			if i > 0 {
				text.WriteByte('\n')
			}
			text.Write(playbook.ExportMarkdown(p.Domain, bullets))
		}
		out.Text = text.String()
		return out, nil
	})
}

// exported says which stages are in an export of a format: Markdown is for
// reading, JSON Lines is everything.
var exported = map[playbook.Format][]playbook.Stage{
	playbook.FormatMarkdown: liveStages,
	playbook.FormatJSONL:    nil,
}

// playbooks lists the playbooks there are in order of their domains, or the
// one asked for.
func playbooks(c *kernel.Call, domain playbook.Domain) ([]playbookFrozen, error) {
	if domain != "" {
		if err := domain.Check(); err != nil {
			return nil, err
		}
		p, err := frozen.Find(c.Ctx, c.Reader, string(domain))
		return []playbookFrozen{p}, err
	}
	var out []playbookFrozen
	err := frozen.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[playbookFrozen]) (bool, error) {
		out = append(out, row.Value)
		return true, nil
	})
	order.By(out, func(a, b playbookFrozen) int { return strings.Compare(string(a.Domain), string(b.Domain)) })
	return out, err
}

// PlaybookStats implements api.Playbook.
func (s *Service) PlaybookStats(ctx context.Context, req api.PlaybookStatsRequest) (api.PlaybookStats, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "playbook"), func(c *kernel.Call) (api.PlaybookStats, error) {
		out := api.PlaybookStats{
			Threshold: c.Config.Playbook.Threshold, Guard: c.Config.Playbook.Guard, Domains: []api.DomainStats{},
		}
		books, err := playbooks(c, req.Domain)
		if err != nil {
			return api.PlaybookStats{}, err
		}
		for _, p := range books {
			d := api.DomainStats{Domain: p.Domain, Embedding: p.Embedding, Stages: map[playbook.Stage]int{}}
			stages, err := bullets.Count(ctx, c.Reader, string(p.Domain))
			if err != nil {
				return api.PlaybookStats{}, err
			}
			for stage, n := range stages {
				d.Stages[playbook.Stage(stage)] = n
			}
			waiting, err := reviews.Count(ctx, c.Reader, string(p.Domain))
			if err != nil {
				return api.PlaybookStats{}, err
			}
			d.Review = waiting[string(playbook.ReviewPending)]
			out.Domains = append(out.Domains, d)
		}
		return out, nil
	})
}

// Waiting says how many lessons wait for a person's eye (B7, N1).
func (r *Room) Waiting(c *kernel.Call) ([]kernel.Waiting, error) {
	counts, err := reviews.Count(c.Ctx, c.Reader, "")
	n := counts[string(playbook.ReviewPending)]
	if err != nil || n == 0 {
		return nil, err
	}
	return []kernel.Waiting{{Waiting: api.Waiting{
		Kind: api.WaitLesson, Subject: "playbook", Title: "Lessons to review", Why: brenner.Plural(n, "lesson", "lessons") + " of low confidence", Count: n,
	}}}, nil
}
