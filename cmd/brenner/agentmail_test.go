package main

import (
	"fmt"
	"strings"
	"sync"

	"brenner/internal/mail/mailtest"

	"github.com/rogpeppe/go-internal/testscript"
)

// mailServers are the Agent Mail servers of the scripts that have one.
var mailServers sync.Map // *testscript.TestScript → *mailtest.Server

// agentMail gives a script an Agent Mail server of its own:
//
//	agentmail start [token=T] [rename=NAME:AS]   serve, and point the environment at it
//	agentmail refuse NAME                        deliver nothing to NAME from now on
//	agentmail reply AS THREAD FILE               an agent writes
//	agentmail delivered AS N                     so many messages have reached AS
//	agentmail stop                               the server is gone
func agentMail(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] == "start" {
		startMail(ts, args[1:])
		return
	}
	server, ok := mailServers.Load(ts)
	if !ok {
		ts.Fatalf("no mail server was started")
	}
	s := server.(*mailtest.Server)
	switch args[0] {
	case "refuse":
		s.Refuse(strings.Join(args[1:], ""))
	case "reply":
		s.Reply(args[1], args[2], "Re: KICKOFF", ts.ReadFile(args[3]))
	case "delivered":
		n := 0
		for _, p := range s.Posts() {
			if len(p.To) == 1 && p.To[0] == args[1] {
				n++
			}
		}
		if fmt.Sprint(n) != args[2] {
			ts.Fatalf("%d messages have reached %s, not %s", n, args[1], args[2])
		}
	case "stop":
		s.Close()
	default:
		ts.Fatalf("agentmail does not know %q", args[0])
	}
}

func startMail(ts *testscript.TestScript, args []string) {
	s := &mailtest.Server{Rename: map[string]string{}}
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		switch name {
		case "token":
			s.Token = value
		case "rename":
			from, to, _ := strings.Cut(value, ":")
			s.Rename[from] = to
		}
	}
	o := s.Start(nil)
	ts.Defer(s.Close)
	mailServers.Store(ts, s)
	ts.Setenv("AGENT_MAIL_BASE_URL", strings.TrimSuffix(o.URL, "/mcp/"))
	ts.Setenv("AGENT_MAIL_BEARER_TOKEN", s.Token)
}
