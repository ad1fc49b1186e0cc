package cli

import (
	"strings"
	"time"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newAgentToken(r *runner) *cobra.Command {
	var req api.IssueTokenRequest
	c := &cobra.Command{
		Use:   "token NAME",
		Short: "Make a token for an actor, shown once",
		Long: `Makes the token by which an actor is known to a server. It is printed once and
kept only as a hash: whoever loses it gets a new one.`,
		Example: `  brenner agent token BlueLake --expires 720h`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.Actor = r.write(), brenner.ActorName(a[0])
			res, err := ask(r, cmd, api.Service.IssueToken, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if res.Secret == "" {
					w.Printf("%s was made by an earlier request; its secret was shown then\n", res.ID)
					return
				}
				w.Println(res.Secret)
				r.note("%s for %s, %s; this is the only time it is shown\n", res.ID, res.Actor, validity(res.TokenInfo))
			})
		},
	}
	addLength(c.Flags(), (*time.Duration)(&req.Expires), "expires", "how long it is good for", "until revoked")
	return c
}

func validity(t api.TokenInfo) string {
	switch {
	case t.Revoked:
		return "revoked"
	case t.Expires.IsZero():
		return "good until revoked"
	case !t.Live:
		return "expired " + instant(t.Expires)
	}
	return "good until " + instant(t.Expires)
}

func newAgentRevoke(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID|NAME",
		Short:   "Revoke a token, or all of an actor's, at once",
		Example: `  brenner agent revoke BlueLake`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req := api.RevokeTokenRequest{Write: r.write(), Actor: brenner.ActorName(a[0])}
			if strings.HasPrefix(a[0], "token-") {
				req.ID, req.Actor = a[0], ""
			}
			res, err := ask(r, cmd, api.Service.RevokeToken, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				for _, t := range res.Tokens {
					w.Printf("%s of %s is revoked\n", t.ID, t.Actor)
				}
			})
		},
	}
}

func newAgentTokens(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "tokens",
		Short:   "List tokens, without their secrets",
		Example: `  brenner agent tokens`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				rows := [][]string{{"ID", "ACTOR", "MADE", "STATE"}}
				for _, t := range res.Tokens {
					rows = append(rows, []string{t.ID, string(t.Actor), moment(t.Created), validity(t)})
				}
				table(w, rows...)
			})
		},
	}
}
