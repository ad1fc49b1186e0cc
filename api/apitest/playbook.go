package apitest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/playbook"
)

// says is an insight whose vector has the cosine c with that of says(…, 1).
func says(section playbook.Section, content string, c float64) api.Insight {
	return api.Insight{Section: section, Content: content, Vector: []float64{c, math.Sqrt(1 - c*c)}}
}

// plain is an insight that the service embeds.
func plain(section playbook.Section, content string) api.Insight {
	return api.Insight{Section: section, Content: content}
}

// learns reports insights for a domain.
func (p *player) learns(domain playbook.Domain, insights ...api.Insight) api.LearnResult {
	p.Helper()
	res, err := p.Learn(p.ctx, api.LearnRequest{Domain: domain, Insights: insights})
	p.must(err)
	return res
}

// bullet gives a bullet as it stands.
func (p *player) bullet(id playbook.BulletID) playbook.Bullet {
	p.Helper()
	v, err := p.Bullet(p.ctx, api.BulletRequest{ID: id})
	p.must(err)
	if v.SHA256 != v.Bullet.Digest() {
		p.Fatalf("%s arrived with another digest than it has", id)
	}
	return v.Bullet
}

// history reads every record of a bullet, first to last, and asserts that they
// chain and make the bullet (B5).
func (p *player) history(id playbook.BulletID) []playbook.DeltaUpdate {
	p.Helper()
	var out []playbook.DeltaUpdate
	req := api.BulletRequest{ID: id, History: true}
	for {
		v, err := p.Bullet(p.ctx, req)
		p.must(err)
		out = append(out, v.Records...)
		if req.Cursor = v.Cursor; req.Cursor != "" {
			continue
		}
		slices.Reverse(out)
		made, err := playbook.Replay(out)
		p.must(err)
		if made.Digest() != v.SHA256 {
			p.Fatalf("the records of %s make another bullet", id)
		}
		return out
	}
}

func (s *scene) counts(b playbook.Bullet, helpful, harmful, neutral int) {
	s.Helper()
	if b.Counts != (playbook.Counts{Helpful: helpful, Harmful: harmful, Neutral: neutral}) {
		s.Fatalf("%s counts %+v, want %d, %d, %d", b.ID, b.Counts, helpful, harmful, neutral)
	}
}

func (s *scene) stage(b playbook.Bullet, want playbook.Stage) {
	s.Helper()
	if b.Stage != want {
		s.Fatalf("%s is in %s, want %s", b.ID, b.Stage, want)
	}
}

func playbookCases() []testCase {
	return slices.Concat(learningCases(), judgingCases(), keepingCases())
}

func learningCases() []testCase {
	return []testCase{
		{"the ADR's example: a similar insight counts and rewrites nothing", func(s *scene) { // B1, B2, B3
			blue := s.agent("BlueLake")
			first := says("helpful", "Use careful prompt engineering", 1)
			first.Agent = "BlueLake" // that vectors are given is for a person to begin
			s.pi.learns("prompts", first)
			blue.learns("prompts", says("helpful", "Use careful prompt engineering", 1))
			before := s.pi.bullet("prompts.1")
			out := s.agent("GreenValley").learns("prompts", says("helpful", "Prompt engineering improves accuracy", 0.85)).Outcomes[0]
			if out.Bullet != "prompts.1" || out.Added || out.Decision.Cosine != 0.85 || out.Record != "prompts.1#3" || out.Threshold != 0.8 {
				s.Errorf("outcome %+v", out)
			}
			after := s.pi.bullet("prompts.1")
			s.counts(after, 3, 0, 0)
			if after.Content != "Use careful prompt engineering" || !after.LastSeenAt.After(before.LastSeenAt) ||
				!after.CreatedAt.Equal(before.CreatedAt) || after.Source.Agent != "BlueLake" {
				s.Errorf("bullet %+v", after)
			}
			// B5, B10: three records, chained, each with the threshold in force.
			records := s.pi.history("prompts.1")
			if len(records) != 3 || records[2].Threshold != 0.8 || records[2].Insight.Content != "Prompt engineering improves accuracy" {
				s.Errorf("records %+v", records)
			}
		}},
		{"0.80 is the same lesson, 0.79 is another and is named as near", func(s *scene) { // B2, B8
			res := s.pi.learns("prompts",
				says("helpful", "Read the whole message", 1), says("harmful", "Read the whole message", 0.8), says("helpful", "Read the whole message", 0.79))
			if o := res.Outcomes[1]; o.Bullet != "prompts.1" || o.Added {
				s.Errorf("at 0.80: %+v", o)
			}
			o := res.Outcomes[2]
			if !o.Added || o.Bullet != "prompts.2" || len(o.Decision.Near) != 1 || o.Decision.Near[0].Cosine != 0.79 {
				s.Errorf("at 0.79: %+v", o)
			}
			if res.Texts["prompts.1"] != "Read the whole message" || res.Texts["prompts.2"] != "Read the whole message" {
				s.Errorf("texts %+v", res.Texts)
			}
			// Sections do not scope matching: the insight counted where it says.
			s.counts(s.pi.bullet("prompts.1"), 1, 1, 0)
		}},
		{"the built-in model finds the same words again, offline", func(s *scene) { // B2
			s.pi.learns("", plain("helpful", "Write the failing test before the fix."))
			out := s.pi.learns("", plain("neutral", "Write the failing test before the fix.")).Outcomes[0]
			if out.Added || out.Decision.Cosine != 1 {
				s.Errorf("outcome %+v", out)
			}
			b := s.pi.bullet("general.1")
			s.counts(b, 1, 0, 1)
			if b.Source.Agent == "" || b.Confidence != playbook.UnsaidConfidence || b.Review != "" {
				s.Errorf("bullet %+v", b)
			}
		}},
		{"other numbers are another lesson unless the guard is off", func(s *scene) { // B4
			s.pi.learns("lab", plain("neutral", "The deadline for the grant is the 15th of March."))
			out := s.pi.learns("lab", plain("neutral", "The deadline for the grant is the 16th of March.")).Outcomes[0]
			if !out.Added || len(out.Decision.Skipped) != 1 || out.Decision.Skipped[0].Why != playbook.ClashNumbers {
				s.Errorf("outcome %+v", out)
			}
			if links := s.pi.bullet("lab.2").Links; len(links) != 1 || links[0] != (playbook.Link{Rel: playbook.Contradicts, Bullet: "lab.1"}) {
				s.Errorf("links %+v", links)
			}
			off := false
			res, err := s.pi.Learn(s.ctx, api.LearnRequest{
				Domain: "lab", Guard: &off, Insights: []api.Insight{plain("neutral", "The deadline for the grant is the 17th of March.")},
			})
			s.must(err)
			if o := res.Outcomes[0]; o.Added || o.Decision.Guard {
				s.Errorf("without the guard: %+v", o)
			}
		}},
		{"a dry run explains and changes nothing", func(s *scene) { // B3, B8
			s.pi.learns("prompts", says("helpful", "first", 1))
			req := api.LearnRequest{
				Domain:   "prompts",
				Insights: []api.Insight{says("helpful", "again", 0.9), says("harmful", "other", -1), says("harmful", "other", -1)},
			}
			var dry api.LearnResult
			s.unchanged(func() {
				req.DryRun = true
				var err error
				dry, err = s.pi.Learn(s.ctx, req)
				s.must(err)
			})
			s.counts(s.pi.bullet("prompts.1"), 1, 0, 0)
			req.DryRun = false
			res, err := s.pi.Learn(s.ctx, req)
			s.must(err)
			if !dry.DryRun || dry.Seq != 0 || len(dry.Outcomes) != 3 {
				s.Fatalf("dry run %+v", dry)
			}
			for i := range res.Outcomes {
				if fmt.Sprint(res.Outcomes[i]) != fmt.Sprint(dry.Outcomes[i]) {
					s.Errorf("insight %d: foretold %+v, became %+v", i, dry.Outcomes[i], res.Outcomes[i])
				}
			}
		}},
		{"a batch is all or nothing", func(s *scene) { // B3, B11, B12
			s.pi.learns("prompts", says("helpful", "first", 1))
			good := says("helpful", "good", 0.9)
			for name, bad := range inOrder(map[string]struct {
				insight api.Insight
				code    brenner.Code
				pointer string
			}{
				"blank":          {says("helpful", " \t", 1), brenner.CodeContentBlank, "/1/content"},
				"no word":        {says("helpful", "…!", 1), brenner.CodeContentBlank, "/1/content"},
				"section":        {says("useful", "x", 1), brenner.CodeUnknownSection, "/1/section"},
				"dimension":      {api.Insight{Section: "helpful", Content: "x", Vector: []float64{1, 0, 0}}, brenner.CodeInvalidVector, "/1/vector"},
				"zero":           {api.Insight{Section: "helpful", Content: "x", Vector: []float64{0, 0}}, brenner.CodeInvalidVector, "/1/vector"},
				"infinite":       {api.Insight{Section: "helpful", Content: "x", Vector: []float64{1e300, 0}}, brenner.CodeInvalidVector, "/1/vector"},
				"no vector":      {plain("helpful", "x"), brenner.CodeEmbeddingMismatch, ""},
				"confidence":     {api.Insight{Section: "helpful", Content: "x", Confidence: ptr(1.5), Vector: []float64{1, 0}}, brenner.CodeInvalidValue, "/1/confidence"},
				"too many words": {says("helpful", strings.Repeat("x", brenner.MaxLessonRunes+1), 1), brenner.CodeLimitExceeded, "/1/content"},
			}) {
				s.unchanged(func() {
					_, err := s.pi.Learn(s.ctx, api.LearnRequest{Domain: "prompts", Insights: []api.Insight{good, bad.insight}})
					if e := s.refused(err, bad.code); e.Pointer != bad.pointer {
						s.Errorf("%s: pointer %q, want %q", name, e.Pointer, bad.pointer)
					}
				})
			}
			s.unchanged(func() {
				for _, domain := range []playbook.Domain{"Prompts", "a b", "-x", "system", "admin", "test"} {
					_, err := s.pi.Learn(s.ctx, api.LearnRequest{Domain: domain, Insights: []api.Insight{good}})
					s.refused(err, brenner.CodeInvalidDomain)
				}
				_, err := s.pi.Learn(s.ctx, api.LearnRequest{Domain: "prompts"})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = s.agent("BlueLake").Learn(s.ctx, api.LearnRequest{
					Domain: "prompts", Insights: []api.Insight{{Section: "helpful", Content: "x", Agent: "RedSky", Vector: []float64{1, 0}}},
				})
				s.refused(err, brenner.CodeInvalidValue)
			})
			s.counts(s.pi.bullet("prompts.1"), 1, 0, 0)
		}},
		{"a playbook stays with the embedding it began with", func(s *scene) { // B12
			s.pi.learns("prompts", says("helpful", "first", 1))
			s.pi.learns("lab", plain("helpful", "Label every tube."))
			s.unchanged(func() {
				_, err := s.pi.Learn(s.ctx, api.LearnRequest{Domain: "prompts", Insights: []api.Insight{plain("helpful", "x")}})
				s.refused(err, brenner.CodeEmbeddingMismatch)
				_, err = s.pi.Learn(s.ctx, api.LearnRequest{Domain: "lab", Insights: []api.Insight{says("helpful", "x", 1)}})
				s.refused(err, brenner.CodeEmbeddingMismatch)
			})
			// Moving over: the built-in model is what the configuration names.
			res, err := s.pi.Reembed(s.ctx, api.ReembedRequest{})
			s.must(err)
			if len(res.Domains) != 2 || res.Domains[0].Moved || !res.Domains[1].Moved || res.Domains[1].Embedded != 1 ||
				res.Domains[1].From.Provider != playbook.ProviderExplicit {
				s.Errorf("reembed %+v", res)
			}
			if out := s.pi.learns("prompts", plain("helpful", "first")).Outcomes[0]; out.Added {
				s.Errorf("after moving: %+v", out)
			}
			s.unchanged(func() {
				again, err := s.pi.Reembed(s.ctx, api.ReembedRequest{Domain: "prompts"})
				s.must(err)
				if again.Domains[0].Moved || again.Domains[0].Embedded != 0 {
					s.Errorf("again %+v", again)
				}
				_, err = s.pi.Reembed(s.ctx, api.ReembedRequest{Domain: "nothing"})
				s.refused(err, brenner.CodeNotFound)
				_, err = s.agent("RedSky").Reembed(s.ctx, api.ReembedRequest{})
				s.refused(err, brenner.CodeWriteDenied)
			})
		}},
		{"the threshold in force stands on every record", func(s *scene) { // B10
			s.pi.learns("prompts", says("helpful", "Read the whole message", 1), says("helpful", "Read the whole message", 0.9))
			_, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{
				Name: ".brennerrc", Data: Config + "playbook: {threshold: 0.95}\n",
			}})
			s.must(err)
			out := s.pi.learns("prompts", says("helpful", "Read the whole message", 0.9)).Outcomes[0]
			if !out.Added || out.Threshold != 0.95 {
				s.Errorf("outcome %+v", out)
			}
			if records := s.pi.history("prompts.2"); records[0].Threshold != 0.95 {
				s.Errorf("record %+v", records[0])
			}
			s.unchanged(func() {
				for _, bad := range []string{"0", "-0.5", "1.01"} {
					_, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{
						Name: ".brennerrc", Data: Config + "playbook: {threshold: " + bad + "}\n",
					}})
					s.refused(err, brenner.CodeInvalidConfig)
				}
			})
		}},
		{"learning can be repeated without counting twice", func(s *scene) { // X2
			req := api.LearnRequest{Write: api.Write{Key: "k"}, Domain: "prompts", Insights: []api.Insight{says("helpful", "first", 1)}}
			first, err := s.pi.Learn(s.ctx, req)
			s.must(err)
			s.unchanged(func() {
				again, err := s.pi.Learn(s.ctx, req)
				s.must(err)
				if fmt.Sprint(again) != fmt.Sprint(first) {
					s.Errorf("again %+v, first %+v", again, first)
				}
				req.Insights[0].Content = "other"
				_, err = s.pi.Learn(s.ctx, req)
				s.refused(err, brenner.CodeIdempotencyReused)
			})
			s.counts(s.pi.bullet("prompts.1"), 1, 0, 0)
		}},
	}
}

func ptr[T any](v T) *T { return &v }
