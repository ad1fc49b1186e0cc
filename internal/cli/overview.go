package cli

import (
	"brenner/api"

	"github.com/spf13/cobra"
)

func newStatus(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Say what needs you now, and the command for each",
		Example: `  brenner status`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Status(cmd.Context())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Items) == 0 {
					w.Println("nothing needs you")
				}
				for _, n := range res.Items {
					w.Printf("%s (%d): %s\n    %s\n", n.Kind, n.Count, printable(n.What), n.Command)
				}
			})
		},
	}
}

func newSnapshot(r *runner) *cobra.Command {
	req := api.SnapshotRequest{Format: "markdown"}
	var out string
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
				if err := r.writeFile(out, []byte(res.Rendered)); err != nil {
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
	return c
}
