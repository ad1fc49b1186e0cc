package app

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// after is where a listing of objects goes on.
type after struct {
	Order int64  `json:"order"`
	ID    string `json:"id"`
}

// Bullets implements api.Playbook.
func (s *service) Bullets(ctx context.Context, req api.ListBulletsRequest) (api.BulletList, error) {
	return view(ctx, s, func(c *call) (api.BulletList, error) {
		if err := c.allow(policy.Status, "", "", "bullets"); err != nil {
			return api.BulletList{}, err
		}
		limit, err := pageSize(req.Limit)
		if err != nil {
			return api.BulletList{}, err
		}
		q, err := bulletQuery(req)
		if err != nil {
			return api.BulletList{}, err
		}
		out := api.BulletList{Bullets: []playbook.Bullet{}}
		var last after
		err = eachObject(ctx, c.Reader, q, func(o store.Object) (bool, error) {
			b, err := c.bulletOf(o)
			if err != nil || !wanted(req, b) {
				return true, err
			}
			if len(out.Bullets) == limit {
				out.Cursor = makeCursor(last)
				return false, nil
			}
			out.Bullets = append(out.Bullets, b)
			last = after{o.Order, o.ID}
			return true, nil
		})
		return out, err
	})
}

// bulletQuery finds the bullets that a request may want.
func bulletQuery(req api.ListBulletsRequest) (store.ObjectQuery, error) {
	at, err := openCursor[after](req.Cursor)
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
			return q, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a stage", st).At("/stages").WithHint("stages: " + list(all))
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
	q.States = texts(stages)
	return q, nil
}

// bulletOf gives the bullet that an object is, or is about.
func (c *call) bulletOf(o store.Object) (playbook.Bullet, error) {
	if o.Kind == objectBullet {
		var b playbook.Bullet
		return b, unmarshalBody(o, &b)
	}
	_, b, err := readBullet(c.ctx, c.Reader, playbook.BulletID(o.ID))
	return b, err
}

func wanted(req api.ListBulletsRequest, b playbook.Bullet) bool {
	return (len(req.Stages) == 0 || slices.Contains(req.Stages, b.Stage)) &&
		(len(req.Sections) == 0 || slices.Contains(req.Sections, b.Section)) &&
		(req.Tag == "" || slices.Contains(b.Tags, req.Tag))
}

// Bullet implements api.Playbook.
func (s *service) Bullet(ctx context.Context, req api.BulletRequest) (api.BulletView, error) {
	return view(ctx, s, func(c *call) (api.BulletView, error) {
		if err := c.allow(policy.Status, "", "", string(req.ID)); err != nil {
			return api.BulletView{}, err
		}
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
		if err := c.allow(policy.Audit, "", "", "the history of "+string(req.ID)); err != nil {
			return api.BulletView{}, err
		}
		out.Records, out.Cursor, err = c.historyPage(o.Seq, req.Page)
		return out, err
	})
}

// historyPage reads a page of a bullet's records, newest first.
func (c *call) historyPage(newest int64, page api.Page) ([]playbook.DeltaUpdate, string, error) {
	limit, err := pageSize(page.Limit)
	if err != nil {
		return nil, "", err
	}
	from, err := openCursor[int64](page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if from == 0 {
		from = newest
	}
	records, next, err := c.recordsBack(from, 0, limit)
	if err != nil || next == 0 {
		return records, "", err
	}
	return records, makeCursor(next), nil
}

// ExportPlaybook implements api.Playbook.
func (s *service) ExportPlaybook(ctx context.Context, req api.ExportPlaybookRequest) (api.PlaybookExport, error) {
	return view(ctx, s, func(c *call) (api.PlaybookExport, error) {
		if err := c.allow(policy.Audit, "", "", "playbook"); err != nil {
			return api.PlaybookExport{}, err
		}
		out := api.PlaybookExport{Format: req.Format}
		if out.Format == playbook.FormatAuto {
			out.Format = playbook.FormatMarkdown
		}
		if _, ok := exported[out.Format]; !ok {
			return api.PlaybookExport{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a format of exports", req.Format).
				WithHint("use markdown or jsonl")
		}
		books, err := c.playbooks(req.Domain)
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
func (c *call) playbooks(domain playbook.Domain) ([]playbookFrozen, error) {
	if domain != "" {
		if err := domain.Check(); err != nil {
			return nil, err
		}
		p, err := readPlaybook(c.ctx, c.Reader, domain)
		return []playbookFrozen{p}, err
	}
	var out []playbookFrozen
	err := eachObject(c.ctx, c.Reader, store.ObjectQuery{Kind: objectPlaybook}, func(o store.Object) (bool, error) {
		var p playbookFrozen
		err := unmarshalBody(o, &p)
		out = append(out, p)
		return true, err
	})
	slices.SortFunc(out, func(a, b playbookFrozen) int { return strings.Compare(string(a.Domain), string(b.Domain)) })
	return out, err
}

// PlaybookStats implements api.Playbook.
func (s *service) PlaybookStats(ctx context.Context, req api.PlaybookStatsRequest) (api.PlaybookStats, error) {
	return view(ctx, s, func(c *call) (api.PlaybookStats, error) {
		if err := c.allow(policy.Status, "", "", "playbook"); err != nil {
			return api.PlaybookStats{}, err
		}
		out := api.PlaybookStats{
			Threshold: c.config.Playbook.Threshold, Guard: c.config.Playbook.Guard, Domains: []api.DomainStats{},
		}
		books, err := c.playbooks(req.Domain)
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
