package lessons

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// Learn implements api.Playbook.
func (s *Service) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	domain, err := domainOr(req.Domain)
	if err != nil {
		return api.LearnResult{}, err
	}
	req.Domain = domain
	batch, err := s.prepare(ctx, policy.PlaybookLearn, req.Write, domain, insightsOf(req.Insights))
	if err != nil {
		return api.LearnResult{}, err
	}
	guard := kernel.To(policy.PlaybookLearn, string(domain))
	plan := kernel.Plan[lesson]{
		Make:  func(c *kernel.Call) (lesson, error) { return s.learnBatch(c, req, batch) },
		Holds: func(c *kernel.Call, p lesson) (bool, error) { return p.holds(c) },
	}
	if req.DryRun {
		p, err := kernel.Try(ctx, s.caller, guard, plan)
		return p.out, err
	}
	return kernel.WritePlan(ctx, s.caller, "playbook.learn", req, guard, plan, func(ch *kernel.Change, p lesson) (api.LearnResult, error) {
		seq, err := keepUpdates(ch, domain, p.learned.Change)
		p.out.Seq = seq
		return p.out, err
	})
}

// lesson is what a batch comes to: a plan, made at a journal position under some
// settings for somebody.
type lesson struct {
	learned  playbook.Curation
	out      api.LearnResult
	at       int64
	settings *kernel.Settings
	act      playbook.Act
}

// holds reports whether the same batch would come to the same now: since the
// plan was made no bullet of its domain has changed, nor what it was made under.
func (p lesson) holds(c *kernel.Call) (bool, error) {
	if p.settings != c.Settings || p.act.Actor.Name != c.Who.Name {
		return false, nil
	}
	for _, kind := range []string{kindPlaybookFrozen.Name, kindBulletUpdated.Name} {
		rows, err := c.FindRecords(c.Ctx, store.RecordQuery{Kind: kind, After: p.at, Limit: brenner.MaxPage})
		if err != nil || len(rows) == brenner.MaxPage {
			return false, err
		}
		for _, row := range rows {
			if domain, err := domainOf(c, row); err != nil || domain == p.out.Domain {
				return false, err
			}
		}
	}
	return true, nil
}

// domainOf is the playbook that a record is about.
func domainOf(c *kernel.Call, row store.Record) (playbook.Domain, error) {
	if row.Kind == kindPlaybookFrozen.Name {
		p, err := kindPlaybookFrozen.Read(c, row)
		return p.Domain, err
	}
	u, err := kindBulletUpdated.Read(c, row)
	return u.Bullet.Domain(), err
}

// insightsOf reads the insights of a request.
func insightsOf(in []api.Insight) []playbook.Insight {
	out := make([]playbook.Insight, len(in))
	for i, a := range in {
		out[i] = playbook.Insight{
			Section: a.Section, Content: strings.TrimSpace(a.Content), Confidence: playbook.UnsaidConfidence, Tags: a.Tags,
			Source: playbook.Source{Task: a.Task, Agent: a.Agent}, Vector: vectorOf(a.Vector),
		}
		if a.Confidence != nil {
			out[i].Confidence = *a.Confidence
		}
	}
	return out
}

// vectorOf narrows a vector as it is kept; nil stays nil.
func vectorOf(in []float64) []float32 {
	if in == nil {
		return nil
	}
	out := make([]float32, len(in))
	for i, v := range in {
		out[i] = float32(v)
	}
	return out
}

// prepare checks a batch, and embeds it if the actor may act at all. The
// transaction asks again.
func (s *Service) prepare(ctx context.Context, action policy.Action, w api.Write, domain playbook.Domain, insights []playbook.Insight) (embedded, error) {
	ready, err := kernel.View(ctx, s.caller, kernel.To(action, string(domain)), func(c *kernel.Call) (embedding, error) {
		if err := checkInsights(c, insights); err != nil {
			return embedding{}, err
		}
		if err := checkVectors(c, domain, insights); err != nil {
			return embedding{}, err
		}
		return s.embeddingOf(c, domain, w)
	})
	if err != nil {
		return embedded{}, err
	}
	return s.embed(ctx, ready, insights)
}

// checkInsights refuses a batch that is empty or faulty, and one in which an
// agent speaks for another.
func checkInsights(c *kernel.Call, insights []playbook.Insight) error {
	if len(insights) == 0 {
		return brenner.Errorf(brenner.CodeInvalidValue, "there is no insight in the batch").At("/insights").
			WithHint("give at least one")
	}
	if err := playbook.CheckInsights(insights); err != nil {
		return err
	}
	if c.Person() {
		return nil
	}
	for _, in := range insights {
		if a := in.Source.Agent; a != "" && a != c.Who.Name {
			return brenner.Errorf(brenner.CodeInvalidValue, "%s cannot report what %s learned", c.Who.Name, a).
				WithHint("leave the agent out, or let a person report it")
		}
	}
	return nil
}

// checkVectors leaves it to a person to choose that the vectors of a playbook
// come with its insights: with a vector of its own making an agent could choose
// what its insight is compared with.
func checkVectors(c *kernel.Call, domain playbook.Domain, insights []playbook.Insight) error {
	given := slices.ContainsFunc(insights, func(in playbook.Insight) bool { return in.Vector != nil })
	if !given || c.Person() {
		return nil
	}
	p, err := frozenTo(c, domain)
	if err != nil || p.Embedding.Provider == playbook.ProviderExplicit {
		return err
	}
	return brenner.Errorf(brenner.CodePersonRequired, "only a person may begin a playbook whose vectors are given").
		WithHint("leave the vectors out, or ask the PI to begin it")
}

// learnBatch matches a batch with the book and explains what comes of it. A long
// batch is held against a copy of the book, so that nobody who only looks
// something up waits for it.
func (r *Room) learnBatch(c *kernel.Call, req api.LearnRequest, batch embedded) (lesson, error) {
	guard := c.Config.Playbook.Guard
	if req.Guard != nil {
		if guard && !*req.Guard && !c.Person() {
			return lesson{}, brenner.Errorf(brenner.CodePersonRequired, "only a person may switch the guard off").
				WithHint("leave it on, or ask the PI")
		}
		guard = *req.Guard
	}
	act, err := actOf(c, "")
	if err != nil {
		return lesson{}, err
	}
	if act.Occasion, err = r.Contexts.Occasion(c); err != nil {
		return lesson{}, err
	}
	p := lesson{at: c.Position, settings: c.Settings, act: act, out: api.LearnResult{Domain: req.Domain, DryRun: req.DryRun}}
	options := playbook.CurateOptions{
		Act: act, Embedding: batch.identity, Going: c.Ctx.Err,
		Guard: playbook.Guard{Off: !guard, Words: embed.Builtin()},
	}
	curate := func(b *playbook.Book) error {
		if p.learned, err = b.Curate(batch.insights, options); err != nil {
			return err
		}
		p.out.Outcomes, p.out.Texts = explain(b, p.learned)
		sees, err := c.SeesLessons()
		if !sees {
			p.out.Texts = ownWords(batch.insights, p.learned.Outcomes) // other lessons are not for who reads nothing (C33)
		}
		return err
	}
	if len(batch.insights) <= brenner.MaxSharedInsights {
		err = r.books.use(c, true, req.Domain, curate)
		return p, err
	}
	own, err := loadBook(c, req.Domain, c.Position)
	if err != nil {
		return lesson{}, err
	}
	err = curate(own.book)
	return p, err
}

// ownWords is what an author sent, under the bullets it went into: of one that
// was there before not what that says.
func ownWords(sent []playbook.Insight, outcomes []playbook.Outcome) map[playbook.BulletID]string {
	said := map[playbook.BulletID]string{}
	for _, o := range outcomes {
		if _, ok := said[o.Bullet]; !ok {
			said[o.Bullet] = sent[o.Insight].Content
		}
	}
	return said
}

// explain names the record of each outcome, and says what the bullets in it
// say.
func explain(book *playbook.Book, learned playbook.Curation) ([]api.LearnOutcome, map[playbook.BulletID]string) {
	said := map[playbook.BulletID]string{}
	var records []string // an insight leads to one record of these kinds
	for _, u := range learned.Updates {
		if u.New != nil {
			said[u.Bullet] = u.New.Content
		}
		if u.Kind == playbook.KindAdd || u.Kind == playbook.KindMatch {
			records = append(records, u.Ref().String())
		}
	}
	say := func(id playbook.BulletID) {
		if b, ok := book.Bullet(id); ok {
			said[id] = b.Content
		}
	}
	out := make([]api.LearnOutcome, len(learned.Outcomes))
	for i, o := range learned.Outcomes {
		out[i] = api.LearnOutcome{Outcome: o, Record: records[i]}
		say(o.Bullet)
		for _, skipped := range o.Decision.Skipped {
			say(skipped.Bullet)
		}
		for _, near := range o.Decision.Near {
			say(near.Bullet)
		}
	}
	return out, said
}
