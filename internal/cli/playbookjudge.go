package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"brenner/api"
	"brenner/playbook"

	"github.com/spf13/cobra"
)

func reasonFlag(c *cobra.Command, reason *string) {
	c.Flags().StringVar(reason, "reason", "", "why")
}

func newPlaybookFeedback(r *runner) *cobra.Command {
	var req api.FeedbackRequest
	c := &cobra.Command{
		Use:   "feedback BULLET helpful|harmful|neutral",
		Short: "Say how a lesson turned out in use",
		Long: `Count a judgement of a lesson that was used. An agent judges only what a
context of its own carried.`,
		Example: `  brenner playbook feedback go.12 harmful --reason "hid the real error" --as BlueLake`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.ID, req.As = r.write(), playbook.BulletID(a[0]), playbook.Section(a[1])
			return r.onBullets(cmd, func(ctx context.Context, s api.Service) (api.BulletResult, error) { return s.Feedback(ctx, req) })
		},
	}
	reasonFlag(c, &req.Reason)
	c.Flags().StringVar(&req.Invocation, "invocation", "", "the context that carried it (default: a recent one)")
	return c
}

func newPlaybookSame(r *runner) *cobra.Command {
	var req api.SameBulletsRequest
	c := &cobra.Command{
		Use:     "same BULLET BULLET",
		Short:   "Fold the younger of two lessons that say the same into the older",
		Example: `  brenner playbook same go.12 go.31 --reason "an abbreviation"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.A, req.B = r.write(), playbook.BulletID(a[0]), playbook.BulletID(a[1])
			return r.onBullets(cmd, func(ctx context.Context, s api.Service) (api.BulletResult, error) { return s.SameBullets(ctx, req) })
		},
	}
	reasonFlag(c, &req.Reason)
	return c
}

func newPlaybookPromote(r *runner) *cobra.Command {
	var domain, force, reason string
	var release bool
	c := &cobra.Command{
		Use:   "promote [BULLET]",
		Short: "Let every lesson whose gate is open rise one stage",
		Long: `Without a bullet, make one gate pass over a domain: SHADOW rises to STAGING,
STAGING to PROD where the evidence allows it. With a bullet, a person puts it
on a stage (--force) or lets it out of quarantine (--release), with a reason.`,
		Example: `  brenner playbook promote --domain go
  brenner playbook promote go.12 --force PROD --reason "house rule"
  brenner playbook promote go.13 --release --reason "the report was wrong"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			act, err := promotion(a, force, release)
			if err != nil {
				return usage(cmd, err)
			}
			return r.onBullets(cmd, func(ctx context.Context, s api.Service) (api.BulletResult, error) {
				switch act {
				case forcing:
					return s.ForceBullet(ctx, api.ForceBulletRequest{
						Write: r.write(), ID: playbook.BulletID(a[0]), Stage: playbook.Stage(force), Reason: reason,
					})
				case releasing:
					return s.ReleaseBullet(ctx, api.ReleaseBulletRequest{Write: r.write(), ID: playbook.BulletID(a[0]), Reason: reason})
				}
				return s.PromoteBullets(ctx, api.PromoteBulletsRequest{Write: r.write(), Domain: playbook.Domain(domain)})
			})
		},
	}
	domainFlag(c, &domain, string(api.DefaultDomain))
	c.Flags().StringVar(&force, "force", "", "put the bullet on SHADOW, STAGING or PROD whatever its gates say")
	c.Flags().BoolVar(&release, "release", false, "let the bullet out of quarantine")
	reasonFlag(c, &reason)
	return c
}

// What `playbook promote` is asked to do.
const (
	passing = iota
	forcing
	releasing
)

func promotion(args []string, force string, release bool) (int, error) {
	switch {
	case len(args) == 0 && (force != "" || release):
		return 0, errors.New("--force and --release need a bullet")
	case len(args) == 1 && (force != "") == release:
		return 0, errors.New("with a bullet, give either --force STAGE or --release")
	case force != "":
		return forcing, nil
	case release:
		return releasing, nil
	}
	return passing, nil
}

func newPlaybookReview(r *runner) *cobra.Command {
	return group("review", "Lessons learned with little confidence",
		newReviewList(r),
		newReviewVerdict(r, "approve", "Let its confidence no longer hold a lesson back", true),
		newReviewVerdict(r, "reject", "Retire a lesson that does not convince", false))
}

func newReviewList(r *runner) *cobra.Command {
	var req api.ListBulletsRequest
	var domain string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the lessons that wait for a review, oldest first",
		Example: `  brenner playbook review list --domain go`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Domain, req.Review = playbook.Domain(domain), true
			return r.listBullets(cmd, req)
		},
	}
	domainFlag(c, &domain, "all")
	pageFlags(c, &req.Page)
	return c
}

func newReviewVerdict(r *runner, verb, short string, approve bool) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     verb + " BULLET",
		Short:   short,
		Example: fmt.Sprintf(`  brenner playbook review %s go.12 --reason "checked against the logs"`, verb),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req := api.ReviewBulletRequest{Write: r.write(), ID: playbook.BulletID(a[0]), Approve: approve, Reason: reason}
			return r.onBullets(cmd, func(ctx context.Context, s api.Service) (api.BulletResult, error) { return s.ReviewBullet(ctx, req) })
		},
	}
	reasonFlag(c, &reason)
	return c
}

func newPlaybookAmend(r *runner) *cobra.Command {
	var req api.AmendBulletRequest
	var section string
	c := &cobra.Command{
		Use:   "amend BULLET TEXT",
		Short: "Word a lesson better: it is retired for a successor",
		Long: `Retire a lesson and begin its successor with the new words, linked supersedes.
The evidence for the old words does not carry over. Words that another lesson
says already are refused; say that the two are the same instead. Persons only.`,
		Example: `  brenner playbook amend go.12 "Wrap errors with %w and say what was tried." --reason "be specific"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.ID, req.Content, req.Section = r.write(), playbook.BulletID(a[0]), a[1], playbook.Section(section)
			return r.onBullets(cmd, func(ctx context.Context, s api.Service) (api.BulletResult, error) { return s.AmendBullet(ctx, req) })
		},
	}
	c.Flags().StringVar(&section, "section", "", "helpful, harmful or neutral (default: as before)")
	reasonFlag(c, &req.Reason)
	return c
}

func newPlaybookUndo(r *runner) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "undo RECORD",
		Short: "Take one record of a lesson back, by a new one",
		Long: `Take a record back, once: a counter goes down again, an added lesson is retired,
two folded lessons come apart, a lesson whose review is taken back waits for one
again. Nothing is deleted. A record is named BULLET#SEQ, as learn prints it and
` + "`playbook show --history`" + ` lists it.`,
		Example: `  brenner playbook undo 'go.12#3' --reason "reported twice"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req := api.UndoBulletRequest{Write: r.write(), Record: a[0], Reason: reason}
			return r.onBullets(cmd, func(ctx context.Context, s api.Service) (api.BulletResult, error) { return s.UndoBullet(ctx, req) })
		},
	}
	reasonFlag(c, &reason)
	return c
}

func newPlaybookExport(r *runner) *cobra.Command {
	var domain, format string
	c := &cobra.Command{
		Use:     "export [FILE]",
		Short:   "Write a playbook as Markdown or JSON Lines",
		Example: `  brenner playbook export go.md --domain go`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.ExportPlaybook(cmd.Context(), api.ExportPlaybookRequest{
				Domain: playbook.Domain(domain), Format: playbook.Format(format),
			})
			if err != nil {
				return err
			}
			if len(a) == 0 {
				return r.show(res, func(w *printer) { w.Print(res.Text) })
			}
			err = r.replaceFile(a[0], func(w io.Writer) error {
				_, err := io.WriteString(w, res.Text)
				return err
			})
			if err != nil {
				return err
			}
			res.Text = ""
			return r.show(res, func(w *printer) { w.Printf("%s in %s\n", plural(res.Bullets, "bullet"), a[0]) })
		},
	}
	domainFlag(c, &domain, "all")
	c.Flags().StringVar(&format, "format", "", "markdown or jsonl (default: markdown)")
	return c
}

func newPlaybookStats(r *runner) *cobra.Command {
	var domain string
	c := &cobra.Command{
		Use:     "stats",
		Short:   "Count lessons by domain and stage",
		Example: `  brenner playbook stats`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.PlaybookStats, api.PlaybookStatsRequest{Domain: playbook.Domain(domain)})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printStats(w, res) })
		},
	}
	domainFlag(c, &domain, "all")
	return c
}

func printStats(w *printer, res api.PlaybookStats) {
	guard := "off"
	if res.Guard {
		guard = "on"
	}
	w.Printf("threshold %.2f, guard %s\n", res.Threshold, guard)
	if len(res.Domains) == 0 {
		w.Println("nothing was learned yet")
		return
	}
	stages := []playbook.Stage{playbook.Shadow, playbook.Staging, playbook.Prod, playbook.Quarantined, playbook.Retired}
	head := []string{"DOMAIN"}
	for _, st := range stages {
		head = append(head, string(st))
	}
	rows := [][]string{append(head, "REVIEW", "EMBEDDING")}
	for _, d := range res.Domains {
		row := []string{string(d.Domain)}
		for _, st := range stages {
			row = append(row, fmt.Sprint(d.Stages[st]))
		}
		rows = append(rows, append(row, fmt.Sprint(d.Review), embeddingName(d.Embedding)))
	}
	table(w, rows...)
}

func embeddingName(id playbook.Identity) string {
	if id.Model == "" {
		return fmt.Sprintf("%s (%d)", id.Provider, id.Dimension)
	}
	return fmt.Sprintf("%s/%s (%d)", id.Provider, id.Model, id.Dimension)
}

func newPlaybookReembed(r *runner) *cobra.Command {
	var domain string
	c := &cobra.Command{
		Use:   "reembed",
		Short: "Move playbooks over to the embedding that is configured now",
		Long: `Compute the vectors of every live bullet with the embedding the configuration
in force names, then move the playbooks over in one step. An interrupted run
goes on where it stopped. Also gives back vectors that are missing, as after an
import. The key of a remote endpoint is taken from $BRENNER_EMBED_KEY.`,
		Example: `  brenner config apply && brenner playbook reembed`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Reembed(cmd.Context(), api.ReembedRequest{
				Write: r.write(), Domain: playbook.Domain(domain), Progress: r.progress(),
			})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Domains) == 0 {
					w.Println("nothing was learned yet")
				}
				for _, d := range res.Domains {
					if d.Moved {
						w.Printf("%s moved from %s to %s", d.Domain, embeddingName(d.From), embeddingName(d.To))
					} else {
						w.Printf("%s stays with %s", d.Domain, embeddingName(d.To))
					}
					w.Printf("; %s embedded\n", plural(d.Embedded, "bullet"))
				}
			})
		},
	}
	domainFlag(c, &domain, "all")
	return c
}
