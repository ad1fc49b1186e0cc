package cli

import (
	"context"
	"testing"

	"brenner"
	"brenner/api"
)

// tokenOf is a service that a token of somebody asks.
type tokenOf struct {
	api.Service
	name brenner.ActorName
}

func (s tokenOf) Project(context.Context) (api.ProjectInfo, error) {
	return api.ProjectInfo{Actor: s.name}, nil
}

// X8: a server is not asked by the token of another than BRENNER_AGENT names.
func TestService_TheTokenIsOfWhomTheNameSays(t *testing.T) {
	for name, c := range map[string]struct {
		agent string
		code  brenner.Code
	}{"the same": {"BlueLake", ""}, "another": {"RedSky", brenner.CodeUsage}, "none is named": {"", ""}} {
		closed := 0
		r := &runner{server: "http://127.0.0.1:1", env: Env{
			Dir:    t.TempDir(),
			Getenv: func(v string) string { return map[string]string{"BRENNER_AGENT": c.agent, "BRENNER_TOKEN": "brn_x"}[v] },
			Open: func(context.Context, Where) (api.Service, func() error, error) {
				return tokenOf{name: "BlueLake"}, func() error { closed++; return nil }, nil
			},
		}}
		for range 2 { // refused once, refused again
			if _, err := r.service(t.Context()); brenner.CodeOf(err) != c.code {
				t.Errorf("%s: %v", name, err)
			}
		}
		if refused := c.code != ""; refused != (closed == 2) {
			t.Errorf("%s: closed %d times", name, closed)
		}
	}
}
