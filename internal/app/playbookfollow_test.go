package app_test

import (
	"fmt"
	"math"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/playbook"

	"pgregory.net/rapid"
)

// angle is an insight whose vector points to one of twelve directions, so that
// neighbours match (cosine 0.87) and others do not.
func angle(t *rapid.T) api.Insight {
	a := float64(rapid.IntRange(0, 11).Draw(t, "angle")) * math.Pi / 6
	return api.Insight{
		Section: rapid.SampledFrom(playbook.Sections).Draw(t, "section"), Content: "lesson",
		Confidence: rapid.SampledFrom([]*float64{nil, ptr(0.2)}).Draw(t, "confidence"), Vector: []float64{math.Cos(a), math.Sin(a)},
	}
}

func ptr[T any](v T) *T { return &v }

// workbook is a playbook that several processes work on.
type workbook struct {
	*rapid.T
	domain playbook.Domain
}

// bullet draws a bullet that may be there.
func (d workbook) bullet() playbook.BulletID {
	return playbook.BulletID(fmt.Sprintf("%s.%d", d.domain, rapid.IntRange(1, 6).Draw(d.T, "bullet")))
}

// acts are what can be done to a playbook; each may be refused.
var acts = []func(d workbook, svc api.Service) error{
	func(d workbook, svc api.Service) error {
		insights := rapid.SliceOfN(rapid.Custom(angle), 1, 4).Draw(d.T, "insights")
		_, err := svc.Learn(d.Context(), api.LearnRequest{Domain: d.domain, Insights: insights})
		return err
	},
	func(d workbook, svc api.Service) error {
		as := rapid.SampledFrom(playbook.Sections).Draw(d.T, "as")
		_, err := svc.Feedback(d.Context(), api.FeedbackRequest{ID: d.bullet(), As: as})
		return err
	},
	func(d workbook, svc api.Service) error {
		_, err := svc.SameBullets(d.Context(), api.SameBulletsRequest{A: d.bullet(), B: d.bullet()})
		return err
	},
	func(d workbook, svc api.Service) error {
		record := fmt.Sprintf("%s#%d", d.bullet(), rapid.IntRange(1, 6).Draw(d.T, "record"))
		_, err := svc.UndoBullet(d.Context(), api.UndoBulletRequest{Record: record})
		return err
	},
	func(d workbook, svc api.Service) error {
		_, err := svc.AmendBullet(d.Context(), api.AmendBulletRequest{
			ID: d.bullet(), Content: "better", Reason: "x", Vector: angle(d.T).Vector,
		})
		return err
	},
	func(d workbook, svc api.Service) error {
		_, err := svc.PromoteBullets(d.Context(), api.PromoteBulletsRequest{Domain: d.domain})
		return err
	},
	func(d workbook, svc api.Service) error {
		_, err := svc.ReleaseBullet(d.Context(), api.ReleaseBulletRequest{ID: d.bullet(), Reason: "x"})
		return err
	},
	func(d workbook, svc api.Service) error {
		approve := rapid.Bool().Draw(d.T, "approve")
		_, err := svc.ReviewBullet(d.Context(), api.ReviewBulletRequest{ID: d.bullet(), Approve: approve})
		return err
	},
}

// B2, B5: whatever two processes do to a playbook in turn, each one's book in
// memory decides like a book read anew, and the journal makes the same tables.
func TestPlaybook_BooksInMemoryDecideLikeTheStore(t *testing.T) {
	skipShort(t)
	s := memory.New()
	w := newWorld(t, s)
	open := func() api.Service { return world{app: app.New(s, app.Options{}), pi: "ada"}.PI() }
	two := []api.Service{w.PI(), open()}
	playbooks := 0
	rapid.Check(t, func(t *rapid.T) {
		playbooks++
		d := workbook{t, playbook.Domain(fmt.Sprintf("lab-%d", playbooks))}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			act := rapid.SampledFrom(acts).Draw(t, "act")
			err := act(d, rapid.SampledFrom(two).Draw(t, "who"))
			if err != nil && brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassInternal {
				t.Fatal(err)
			}
		}
		probe := api.LearnRequest{Domain: d.domain, DryRun: true, Insights: rapid.SliceOfN(rapid.Custom(angle), 3, 3).Draw(t, "probe")}
		want := foretold(t, open(), probe)
		for i, svc := range two {
			if got := foretold(t, svc, probe); got != want {
				t.Fatalf("process %d decides\n%s\na book read anew\n%s", i, got, want)
			}
		}
	})
	verified, err := w.PI().Verify(t.Context(), api.VerifyRequest{})
	if err != nil || !verified.OK {
		t.Errorf("verify %+v, %v", verified, err)
	}
}

// foretold says what would become of insights.
func foretold(t *rapid.T, svc api.Service, req api.LearnRequest) string {
	t.Helper()
	res, err := svc.Learn(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", res.Outcomes)
}
