package cli

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"brenner/api"

	"github.com/spf13/cobra"
)

func newStatus(r *runner) *cobra.Command {
	var watch bool
	var interval, timeout time.Duration
	c := &cobra.Command{
		Use:   "status",
		Short: "Say what needs you now, and the command for each",
		Long: `Say what needs you now, and the command for each. With --watch go on and say it
again whenever that changes, until you interrupt it or --timeout has passed; both
end with exit status 0.`,
		Example: `  brenner status
  brenner status --watch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if interval < time.Millisecond {
				return usage(cmd, fmt.Errorf("--interval must be at least 1ms"))
			}
			defer within(cmd, timeout)()
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			if watch {
				return r.watchStatus(cmd.Context(), s, interval)
			}
			res, err := s.Status(cmd.Context())
			if err != nil {
				return err
			}
			today, err := runCosts(cmd.Context(), s, api.RunCostsRequest{Since: res.At.UTC().Truncate(24 * time.Hour)})
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				printStatus(w, res)
				if n := today.Total.Runs; n > 0 {
					w.Printf("%s today, %d good, %s; see `brenner runs --sum`\n", plural(n, "run"), today.Total.Good, costWords(today.Total))
				}
			})
		},
	}
	c.Flags().BoolVar(&watch, "watch", false, "go on, and say it again whenever it changes")
	addLength(c.Flags(), &timeout, "timeout", "take no longer than this", "as long as it takes, with --watch until you interrupt it")
	c.Flags().DurationVar(&interval, "interval", 2*time.Second, "look again after this long (with --watch)")
	return c
}

// watchStatus says what needs the person whenever that changes. To be
// interrupted is how it ends, or that its time is over.
func (r *runner) watchStatus(ctx context.Context, s api.Service, interval time.Duration) error {
	var shown []api.Need
	for first := true; ; first = false {
		res, err := s.Status(ctx)
		if ctx.Err() != nil && !(first && isOver(ctx)) {
			return nil //nolint:nilerr // to be interrupted is how it ends
		}
		if err != nil {
			return err
		}
		if first || !reflect.DeepEqual(res.Items, shown) {
			shown = res.Items
			if err := r.announce(res, func(w *printer) {
				w.Printf("%s, journal position %d\n", instant(res.At), res.Position)
				printStatus(w, res)
			}); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(interval):
		}
	}
}

func printStatus(w *printer, res api.StatusResult) {
	if len(res.Items) == 0 {
		w.Println("nothing needs you")
	}
	for _, n := range res.Items {
		w.Printf("%s (%d): %s\n    %s\n", n.Kind, n.Count, printable(n.What), n.Do.Command())
	}
}

func newSnapshot(r *runner) *cobra.Command {
	req := api.SnapshotRequest{Format: "markdown"}
	var out string
	force := false
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Write down where the project stands, from what is canonical",
		Example: `  brenner snapshot
  brenner snapshot --format html -o state.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.Snapshot, req)
			if err != nil {
				return err
			}
			if out != "" {
				if err := r.writeNew(out, []byte(res.Rendered), force); err != nil {
					return err
				}
			}
			return r.show(res.Snapshot, func(w *printer) {
				if out != "" {
					w.Printf("wrote %s\n", out)
					return
				}
				w.Print(printable(res.Rendered))
			})
		},
	}
	c.Flags().StringVar(&req.Format, "format", req.Format, "markdown or html")
	c.Flags().StringVarP(&out, "output", "o", "", "write to a file")
	c.Flags().BoolVar(&force, "force", false, forceWords)
	return c
}
