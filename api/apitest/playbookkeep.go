package apitest

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/playbook"
)

func keepingCases() []testCase {
	return []testCase{
		{"a replay gives the same bullets and learning goes on", func(s *scene) { // B2, B5
			s.pi.learns("prompts", says("helpful", "first", 1), says("harmful", "second", -1), says("harmful", "first", 1))
			s.pi.learns("lab", plain("helpful", "Label every tube."))
			_, err := s.pi.SameBullets(s.ctx, api.SameBulletsRequest{A: "prompts.1", B: "prompts.2"})
			s.must(err)
			before := s.pi.bullet("prompts.1")
			verified, err := s.pi.Verify(s.ctx, api.VerifyRequest{})
			s.must(err)
			if !verified.OK {
				s.Fatalf("verify %+v", verified)
			}
			replayed, err := s.pi.Replay(s.ctx, api.ReplayRequest{})
			s.must(err)
			if !replayed.Same {
				s.Fatalf("replay %+v", replayed)
			}
			if after := s.pi.bullet("prompts.1"); after.Digest() != before.Digest() {
				s.Errorf("after %+v, before %+v", after, before)
			}
			if out := s.pi.learns("prompts", says("neutral", "first", 1)).Outcomes[0]; out.Added {
				s.Errorf("outcome %+v", out)
			}
			if out := s.pi.learns("lab", plain("helpful", "Label every tube.")).Outcomes[0]; out.Added {
				s.Errorf("outcome %+v", out)
			}
		}},
		{"bullets are listed a page at a time, retired ones only when asked for", func(s *scene) { // B1
			for i := range 7 {
				in := api.Insight{Section: playbook.Sections[i%3], Content: fmt.Sprintf("lesson %d", i), Vector: make([]float64, 7)}
				in.Vector[i] = 1
				if i == 3 {
					in.Tags = []string{"odd"}
				}
				s.pi.learns("prompts", in)
			}
			_, err := s.pi.UndoBullet(s.ctx, api.UndoBulletRequest{Record: "prompts.5#1"})
			s.must(err)
			ids := func(req api.ListBulletsRequest) string {
				var all []playbook.BulletID
				for {
					page, err := s.reader("GreyStone").Bullets(s.ctx, req)
					s.must(err)
					for _, b := range page.Bullets {
						all = append(all, b.ID)
					}
					if req.Cursor = page.Cursor; req.Cursor == "" {
						return fmt.Sprint(all)
					}
				}
			}
			for _, c := range []struct {
				req  api.ListBulletsRequest
				want string
			}{
				{api.ListBulletsRequest{}, "[prompts.1 prompts.2 prompts.3 prompts.4 prompts.6 prompts.7]"},
				{api.ListBulletsRequest{Domain: "prompts", Page: api.Page{Limit: 2}}, "[prompts.1 prompts.2 prompts.3 prompts.4 prompts.6 prompts.7]"},
				{api.ListBulletsRequest{Page: api.Page{Limit: 1}, Sections: []playbook.Section{"helpful"}}, "[prompts.1 prompts.4 prompts.7]"},
				{api.ListBulletsRequest{Stages: []playbook.Stage{playbook.Retired}}, "[prompts.5]"},
				{api.ListBulletsRequest{Tag: "odd"}, "[prompts.4]"},
				{api.ListBulletsRequest{Domain: api.DefaultDomain}, "[]"},
				{api.ListBulletsRequest{Review: true}, "[]"},
			} {
				if got := ids(c.req); got != c.want {
					s.Errorf("%+v: %s, want %s", c.req, got, c.want)
				}
			}
			_, err = s.pi.Bullets(s.ctx, api.ListBulletsRequest{Stages: []playbook.Stage{"BEST"}})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.Bullets(s.ctx, api.ListBulletsRequest{Sections: []playbook.Section{"best"}})
			s.refused(err, brenner.CodeUnknownSection)
			_, err = s.pi.Bullets(s.ctx, api.ListBulletsRequest{Domain: "prompt"})
			if e := s.refused(err, brenner.CodeNotFound); !strings.Contains(e.Hint, "did you mean prompts?") {
				s.Errorf("%+v", e)
			}
			_, err = s.pi.Bullets(s.ctx, api.ListBulletsRequest{Domain: "Best"})
			s.refused(err, brenner.CodeInvalidDomain)
			stats, err := s.pi.PlaybookStats(s.ctx, api.PlaybookStatsRequest{})
			s.must(err)
			if d := stats.Domains; len(d) != 1 || d[0].Stages[playbook.Shadow] != 6 || d[0].Stages[playbook.Retired] != 1 ||
				d[0].Embedding != playbook.Explicit(7) || stats.Threshold != 0.8 || !stats.Guard {
				s.Errorf("stats %+v", stats)
			}
		}},
		{"the history of a bullet is read a page at a time, by persons", func(s *scene) { // B5, C1
			s.pi.learns("prompts", many(5, says("helpful", "first", 1))...)
			page, err := s.pi.Bullet(s.ctx, api.BulletRequest{ID: "prompts.1", History: true, Page: api.Page{Limit: 2}})
			s.must(err)
			if len(page.Records) != 2 || page.Records[0].Seq != 5 || page.Cursor == "" {
				s.Fatalf("page %+v", page)
			}
			page, err = s.pi.Bullet(s.ctx, api.BulletRequest{ID: "prompts.1", History: true, Page: api.Page{Limit: 3, Cursor: page.Cursor}})
			s.must(err)
			if len(page.Records) != 3 || page.Records[2].Seq != 1 || page.Cursor != "" {
				s.Errorf("page %+v", page)
			}
			_, err = s.reader("RedSky").Bullet(s.ctx, api.BulletRequest{ID: "prompts.1", History: true})
			s.refused(err, brenner.CodeReadDenied)
			_, err = s.reader("RedSky").Bullet(s.ctx, api.BulletRequest{ID: "prompts.2"})
			s.refused(err, brenner.CodeNotFound)
		}},
	}
}
