package cli

import (
	"fmt"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newAgent(r *runner) *cobra.Command {
	return group("agent", "Who may act, and in which role",
		newAgentAdd(r), newAgentList(r), newAgentDenials(r),
		newAgentToken(r), newAgentRevoke(r), newAgentTokens(r))
}

func newAgentAdd(r *runner) *cobra.Command {
	var req api.AddAgentRequest
	var role string
	var names []string
	c := &cobra.Command{
		Use:     "add NAME",
		Short:   "Register an agent or a person with a standing role",
		Example: `  brenner agent add BlueLake --role hypothesis_generator`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.Name, req.Role = r.write(), brenner.ActorName(a[0]), brenner.Role(role)
			req.For = named[brenner.ActorName](names)
			res, err := ask(r, cmd, api.Service.AddAgent, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { w.Printf("%s: %s, role %s\n", res.Name, res.Kind, res.Role) })
		},
	}
	c.Flags().StringVar(&role, "role", "", "`ROLE` of the agent, see brenner agent list --roles")
	c.Flags().BoolVar(&req.Person, "person", false, "it is a person; only persons take PI decisions")
	c.Flags().BoolVar(&req.Agent, "agent", false, "it is no person, although it was registered as one (with --update)")
	c.Flags().StringVar(&req.Note, "note", "", "a note for the record")
	listFlag(c.Flags(), &names, "for", "`AGENT` that a runner may start (repeatable; with --role runner)")
	c.Flags().BoolVar(&req.Update, "update", false, "change an actor that exists")
	c.MarkFlagsMutuallyExclusive("person", "agent")
	required(c, "role")
	return c
}

func newAgentList(r *runner) *cobra.Command {
	var roles bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List actors and their roles",
		Example: `  brenner agent list --roles`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Agents(cmd.Context())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				rows := [][]string{{"NAME", "KIND", "ROLE", "NOTE"}}
				for _, a := range res.Agents {
					rows = append(rows, []string{string(a.Name), a.Kind, string(a.Role), oneLine(printable(a.Note), 60)})
				}
				table(w, rows...)
				if roles {
					w.Printf("roles with a policy: %s\n", words(res.Roles))
				}
			})
		},
	}
	c.Flags().BoolVar(&roles, "roles", false, "also list the roles that have a policy")
	return c
}

func newAgentDenials(r *runner) *cobra.Command {
	var req api.DenialsRequest
	c := &cobra.Command{
		Use:     "denials",
		Short:   "List what the policy refused, newest first",
		Example: `  brenner agent denials --limit 20`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := ask(r, cmd, api.Service.Denials, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Denials) == 0 {
					w.Println("nothing was refused")
				}
				for _, d := range res.Denials {
					w.Printf("%s %s (%s) %s %s: %s\n", instant(d.At), d.Actor, d.Role, d.Action, d.Target, d.Reason)
				}
			})
		},
	}
	addQuantity(c.Flags(), &req.Limit, brenner.MaxPage, "limit", "at most this many", fmt.Sprint(brenner.DefaultPage))
	return c
}
