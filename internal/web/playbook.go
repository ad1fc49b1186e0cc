package web

import (
	"net/url"

	"brenner/api"
	"brenner/playbook"
)

// playbookPage is the board of lessons by stage.
type playbookPage struct {
	Domains []api.DomainStats
	Domain  playbook.Domain
	Counts  []stageCount
	Stages  []stageColumn
	Review  []playbook.Bullet
	Waiting int // for a review, shown or not
}

// stageCount counts the lessons of one stage over all domains shown.
type stageCount struct {
	Stage playbook.Stage
	Count int
}

// stageColumn is the first lessons of one stage.
type stageColumn struct {
	Stage   playbook.Stage
	Bullets []playbook.Bullet
	Total   int
	Next    string
}

// boardStages are the stages in the order of the board.
var boardStages = []playbook.Stage{playbook.Shadow, playbook.Staging, playbook.Prod, playbook.Quarantined}

// perColumn is how many lessons a column of the board shows.
const perColumn = 25

func loadPlaybook(v *visit) (string, any, error) {
	domain := playbook.Domain(v.query("domain"))
	stats, err := v.svc.PlaybookStats(v.Context(), api.PlaybookStatsRequest{Domain: domain})
	if err != nil {
		return "", nil, err
	}
	out := playbookPage{Domains: stats.Domains, Domain: domain}
	review, err := v.svc.Bullets(v.Context(), api.ListBulletsRequest{Domain: domain, Review: true, Page: api.Page{Limit: perColumn}})
	if err != nil {
		return "", nil, err
	}
	out.Review = review.Bullets
	for _, d := range stats.Domains {
		out.Waiting += d.Review
	}
	stages, cursor := boardStages, ""
	if chosen := playbook.Stage(v.query("stage")); chosen != "" {
		stages, cursor = []playbook.Stage{chosen}, v.query("cursor")
	}
	for _, stage := range stages {
		list, err := v.svc.Bullets(v.Context(), api.ListBulletsRequest{
			Domain: domain, Stages: []playbook.Stage{stage}, Page: api.Page{Limit: perColumn, Cursor: cursor},
		})
		if err != nil {
			return "", nil, err
		}
		column := stageColumn{Stage: stage, Bullets: list.Bullets}
		if list.Cursor != "" {
			column.Next = "/playbook?" + url.Values{"domain": {string(domain)}, "stage": {string(stage)}, "cursor": {list.Cursor}}.Encode()
		}
		for _, d := range stats.Domains {
			column.Total += d.Stages[stage]
		}
		out.Stages = append(out.Stages, column)
	}
	return "Playbook", out, nil
}

func bulletPath(id playbook.BulletID) string { return "/playbook/" + url.PathEscape(string(id)) }

// playbookActs work on a whole domain.
var playbookActs = map[string]act{
	"gates": func(v *visit) (string, error) {
		_, err := v.svc.PromoteBullets(v.Context(), api.PromoteBulletsRequest{Write: v.write(), Domain: playbook.Domain(v.field("domain"))})
		return "/playbook", err
	},
	"approve": reviewAct("/playbook", true),
	"reject":  reviewAct("/playbook", false),
}

// reviewAct closes a review (B7) and goes on where the reviewer was.
func reviewAct(to string, approve bool) act {
	return func(v *visit) (string, error) {
		id := playbook.BulletID(v.field("id"))
		_, err := v.svc.ReviewBullet(v.Context(), api.ReviewBulletRequest{Write: v.write(), ID: id, Approve: approve, Reason: v.field("reason")})
		if to == "" {
			return bulletPath(id), err
		}
		return to, err
	}
}

// bulletPage is one lesson with its evidence.
type bulletPage struct {
	api.BulletView
	Stages []playbook.Stage
}

func loadBullet(v *visit) (string, any, error) {
	view, err := v.svc.Bullet(v.Context(), api.BulletRequest{ID: playbook.BulletID(v.PathValue("id")), History: true, Page: v.page(perPage)})
	return "Lesson " + string(view.Bullet.ID), bulletPage{view, []playbook.Stage{playbook.Shadow, playbook.Staging, playbook.Prod}}, err
}

// bulletActs are what a person does about one lesson.
var bulletActs = map[string]act{
	"approve": reviewAct("", true),
	"reject":  reviewAct("", false),
	"feedback": onBullet(func(v *visit, id playbook.BulletID) (api.BulletResult, error) {
		return v.svc.Feedback(v.Context(), api.FeedbackRequest{Write: v.write(), ID: id, As: playbook.Section(v.field("as")), Reason: v.field("reason")})
	}),
	"force": onBullet(func(v *visit, id playbook.BulletID) (api.BulletResult, error) {
		return v.svc.ForceBullet(v.Context(), api.ForceBulletRequest{Write: v.write(), ID: id, Stage: playbook.Stage(v.field("stage")), Reason: v.field("reason")})
	}),
	"release": onBullet(func(v *visit, id playbook.BulletID) (api.BulletResult, error) {
		return v.svc.ReleaseBullet(v.Context(), api.ReleaseBulletRequest{Write: v.write(), ID: id, Reason: v.field("reason")})
	}),
	"undo": onBullet(func(v *visit, _ playbook.BulletID) (api.BulletResult, error) {
		return v.svc.UndoBullet(v.Context(), api.UndoBulletRequest{Write: v.write(), Record: v.field("record"), Reason: v.field("reason")})
	}),
	"amend": func(v *visit) (string, error) {
		res, err := v.svc.AmendBullet(v.Context(), api.AmendBulletRequest{
			Write: v.write(), ID: playbook.BulletID(v.PathValue("id")), Content: v.field("content"), Reason: v.field("reason"),
		})
		if err != nil {
			return "", err
		}
		return bulletPath(res.Bullets[len(res.Bullets)-1].ID), nil
	},
}

func onBullet(do func(*visit, playbook.BulletID) (api.BulletResult, error)) act {
	return func(v *visit) (string, error) {
		id := playbook.BulletID(v.PathValue("id"))
		_, err := do(v, id)
		return bulletPath(id), err
	}
}
