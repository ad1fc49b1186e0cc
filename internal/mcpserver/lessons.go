package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/playbook"
)

// lesson is something learned at work.
type lesson struct {
	Section    playbook.Section `json:"section" doc:"helpful: do this; harmful: avoid this; neutral: a fact"`
	Content    string           `json:"content" doc:"one sentence that stands alone"`
	Confidence *float64         `json:"confidence,omitzero" doc:"0 to 1"`
	Tags       []string         `json:"tags,omitzero" doc:"to find it by"`
	Task       string           `json:"task,omitzero" doc:"the one that taught it"`
}

// learnRequest reports lessons.
type learnRequest struct {
	keyed
	Domain   playbook.Domain `json:"domain,omitzero" doc:"default general"`
	Insights []lesson        `json:"insights" doc:"at most 50"`
	DryRun   bool            `json:"dry_run,omitzero" doc:"write nothing"`
}

// maxLessons bounds what is reported at once, so that the answer can say what
// became of each.
const maxLessons = 50

// learned says which lessons were known and which are new.
type learned struct {
	api.LearnResult
	news string
}

func learn(s api.Service, ctx context.Context, in learnRequest) (learned, error) {
	if len(in.Insights) > maxLessons {
		return learned{}, brenner.Errorf(brenner.CodeLimitExceeded, "%d lessons at once", len(in.Insights)).At("/insights").
			WithHint(fmt.Sprintf("report at most %d at once; nothing of these was kept", maxLessons))
	}
	req := api.LearnRequest{Write: in.write(), Domain: in.Domain, DryRun: in.DryRun}
	for _, l := range in.Insights {
		req.Insights = append(req.Insights, api.Insight{Section: l.Section, Content: l.Content, Confidence: l.Confidence, Tags: l.Tags, Task: l.Task})
	}
	res, err := s.Learn(ctx, req)
	if err != nil || in.DryRun {
		return learned{LearnResult: res}, err
	}
	return learned{res, meanwhile(s, ctx)}, nil
}

// Words implements spoken.
func (r learned) Words() string {
	var b strings.Builder
	for _, o := range r.Outcomes {
		did := "strengthens"
		if o.Added {
			did = "begins"
		}
		fmt.Fprintf(&b, "lesson %d %s %s (%s, helpful %d, harmful %d, neutral %d)", o.Insight+1, did, o.Bullet, o.Stage, o.Counts.Helpful, o.Counts.Harmful, o.Counts.Neutral)
		if o.Queued {
			b.WriteString(", waits for a review")
		}
		if o.Quarantined {
			b.WriteString(", now in quarantine")
		}
		b.WriteByte('\n')
	}
	if r.DryRun {
		b.WriteString("nothing was written\n")
	}
	return b.String() + r.news
}

// Slim implements spoken.
func (r learned) Slim() learned { return r }

// feedbackRequest judges a lesson that was used.
type feedbackRequest struct {
	keyed
	ID         playbook.BulletID `json:"id" doc:"of a bullet in your context"`
	As         playbook.Section  `json:"as" doc:"what it turned out to be"`
	Invocation string            `json:"invocation,omitzero" doc:"the context that carried it"`
	Reason     string            `json:"reason,omitzero" doc:"what happened"`
}

// judged is a lesson after a judgement.
type judged struct{ api.BulletResult }

func giveFeedback(s api.Service, ctx context.Context, in feedbackRequest) (judged, error) {
	res, err := s.Feedback(ctx, api.FeedbackRequest{Write: in.write(), ID: in.ID, As: in.As, Invocation: in.Invocation, Reason: in.Reason})
	return judged{res}, err
}

// Words implements spoken.
func (r judged) Words() string {
	var b strings.Builder
	for _, x := range r.Bullets {
		fmt.Fprintf(&b, "%s is %s now: helpful %d, harmful %d, neutral %d\n", x.ID, x.Stage, x.Counts.Helpful, x.Counts.Harmful, x.Counts.Neutral)
	}
	return b.String()
}

// Slim implements spoken.
func (r judged) Slim() judged { return r }
