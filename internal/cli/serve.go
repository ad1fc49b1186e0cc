package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// ServeRequest says how a project is to be served.
type ServeRequest struct {
	Addr string
	// Hosts are names the server answers to besides those of this machine.
	Hosts           []string
	TLSCert, TLSKey string
	// Announce is called once, when the server listens.
	Announce func(Served) error
	// Log is where the server writes what happens, as JSON.
	Log io.Writer
}

// Served says where a project is served.
type Served struct {
	Address string `json:"address"`
	Login   string `json:"login"` // logs in the person who started it, once
}

func (s Served) print(w *printer) {
	w.Printf("serving %s\nlog in, once: %s\n", s.Address, s.Login)
}

func newServe(r *runner) *cobra.Command {
	var req ServeRequest
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the project: pages, HTTP API and MCP",
		Long: `Serves the project over HTTP: pages for the PI, the API under /api/v1 (described
at /api/v1/openapi.json), MCP at /mcp, health at /healthz and /readyz, metrics at
/metrics. Agents and programs send a token, made with ` + "`brenner agent token`" + `.

Until a token exists the server listens on this machine only. The address that
it prints logs in the person who started it, once. It stops at a signal, after
finishing what is under way; the log goes to standard error as JSON.`,
		Example: `  brenner serve --addr 127.0.0.1:7420`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Log = r.env.Err
			req.Announce = func(s Served) error { return r.announce(s, s.print) }
			for _, p := range []*string{&req.TLSCert, &req.TLSKey} {
				if *p != "" {
					*p = r.path(*p)
				}
			}
			return r.env.Serve(cmd.Context(), r.where(), req)
		},
	}
	c.Flags().StringVar(&req.Addr, "addr", "127.0.0.1:7420", "address to listen on")
	repeatedFlag(c.Flags(), &req.Hosts, "host", "a name that clients use for this server (repeatable)")
	c.Flags().StringVar(&req.TLSCert, "tls-cert", "", "certificate, PEM")
	c.Flags().StringVar(&req.TLSKey, "tls-key", "", "its key, PEM")
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return c
}

func newMCP(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP tools over standard input and output",
		Long: `Serves the tools of one agent over standard input and output, for a client
that starts this command itself. The agent is the one named with --as or in
$BRENNER_AGENT, or the one of the token in $BRENNER_TOKEN; without a name it
does not start. With --server the tools act on a server.`,
		Example: `  brenner mcp --as BlueLake`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.env.MCP(cmd.Context(), r.where(), io.NopCloser(r.env.In), keepOpen{r.env.Out})
		},
	}
}

// keepOpen is a stream that belongs to somebody else.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
