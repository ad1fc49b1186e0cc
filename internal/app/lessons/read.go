package lessons

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// Bullets implements api.Playbook.
func (s *Service) Bullets(ctx context.Context, req api.ListBulletsRequest) (api.BulletList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "bullets"), func(c *kernel.Call) (api.BulletList, error) {
		limit, err := kernel.PageSize(req.Limit)
		if err != nil {
			return api.BulletList{}, err
		}
		q, err := bulletQuery(req)
		if err != nil {
			return api.BulletList{}, err
		}
		out := api.BulletList{Bullets: []playbook.Bullet{}}
		var last kernel.Place
		err = kernel.EachObject(ctx, c.Reader, q, func(o store.Object) (bool, error) {
			b, err := bulletOf(c, o)
			if err != nil || !wanted(req, b) {
				return true, err
			}
			if len(out.Bullets) == limit {
				out.Cursor = kernel.MakeCursor(last)
				return false, nil
			}
			out.Bullets = append(out.Bullets, b)
			last = kernel.Place{Order: o.Order, ID: o.ID}
			return true, nil
		})
		return out, err
	})
}

// bulletQuery finds the bullets that a request may want.
func bulletQuery(req api.ListBulletsRequest) (store.ObjectQuery, error) {
	at, err := kernel.OpenCursor[kernel.Place](req.Cursor)
	q := store.ObjectQuery{Kind: objectBullet, Group: string(req.Domain), AfterOrder: at.Order, AfterID: at.ID}
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
	if req.Review {
		q.Kind, q.States = objectReview, []string{string(playbook.ReviewPending)}
		return q, nil
	}
	stages := req.Stages
	if len(stages) == 0 {
		stages = liveStages
	}
	q.States = kernel.Strings(stages)
	return q, nil
}

// bulletOf gives the bullet that an object is, or is about.
func bulletOf(c *kernel.Call, o store.Object) (playbook.Bullet, error) {
	if o.Kind == objectBullet {
		var b playbook.Bullet
		return b, kernel.ReadBody(o, &b)
	}
	_, b, err := readBullet(c.Ctx, c.Reader, playbook.BulletID(o.ID))
	return b, err
}

func wanted(req api.ListBulletsRequest, b playbook.Bullet) bool {
	return (len(req.Stages) == 0 || slices.Contains(req.Stages, b.Stage)) &&
		(len(req.Sections) == 0 || slices.Contains(req.Sections, b.Section)) &&
		(req.Tag == "" || slices.Contains(b.Tags, req.Tag))
}

// Bullet implements api.Playbook.
func (s *Service) Bullet(ctx context.Context, req api.BulletRequest) (api.BulletView, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, string(req.ID)), func(c *kernel.Call) (api.BulletView, error) {
		o, b, err := readBullet(ctx, c.Reader, req.ID)
		if err != nil {
			return api.BulletView{}, err
		}
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
		out.Records, out.Cursor, err = historyPage(c, o.Seq, req.Page)
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
		p, err := readPlaybook(c.Ctx, c.Reader, domain)
		return []playbookFrozen{p}, err
	}
	var out []playbookFrozen
	err := kernel.EachObject(c.Ctx, c.Reader, store.ObjectQuery{Kind: objectPlaybook}, func(o store.Object) (bool, error) {
		var p playbookFrozen
		err := kernel.ReadBody(o, &p)
		out = append(out, p)
		return true, err
	})
	slices.SortFunc(out, func(a, b playbookFrozen) int { return strings.Compare(string(a.Domain), string(b.Domain)) })
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
			stages, err := c.CountObjects(ctx, objectBullet, string(p.Domain))
			if err != nil {
				return api.PlaybookStats{}, err
			}
			for stage, n := range stages {
				d.Stages[playbook.Stage(stage)] = n
			}
			reviews, err := c.CountObjects(ctx, objectReview, string(p.Domain))
			if err != nil {
				return api.PlaybookStats{}, err
			}
			d.Review = reviews[string(playbook.ReviewPending)]
			out.Domains = append(out.Domains, d)
		}
		return out, nil
	})
}

// ReviewNeeds counts the lessons that wait for a person's eye (B7).
func (r *Room) ReviewNeeds(c *kernel.Call) ([]api.Need, error) {
	counts, err := c.CountObjects(c.Ctx, objectReview, "")
	n := counts[string(playbook.ReviewPending)]
	return []api.Need{{Kind: "review", Count: n, What: fmt.Sprintf("%d lessons of low confidence", n), Command: "brenner playbook review list"}}, err
}
