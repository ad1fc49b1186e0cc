package mail_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/internal/mail"
	"brenner/internal/mail/mailtest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// start serves until the test ends and gives the options that reach it.
func start(t *testing.T, s *mailtest.Server, o *mcp.StreamableHTTPOptions) mail.Options {
	t.Helper()
	t.Cleanup(s.Close)
	return s.Start(o)
}

func dial(t *testing.T, o mail.Options) *mail.AgentMail {
	t.Helper()
	a, err := mail.NewAgentMail(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func kickoff(to brenner.ActorName) mail.Message {
	return mail.Message{
		To: mail.Party{Name: to, Program: "codex-cli", Model: "GPT-5.2"}, Thread: "RS-20251230-cell-fate",
		Subject: "KICKOFF: cell fate", Body: "# Session\n", Key: "k-" + string(to),
	}
}

// R8: a delivery and its reply, whichever way the server answers: JSON or
// events, structured or text, with sessions or without.
func TestAgentMail_DeliversAndReadsReplies(t *testing.T) {
	for name, c := range map[string]struct {
		bare bool
		opts mcp.StreamableHTTPOptions
	}{
		"events":             {false, mcp.StreamableHTTPOptions{}},
		"JSON":               {false, mcp.StreamableHTTPOptions{JSONResponse: true}},
		"JSON, stateless":    {false, mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true}},
		"events, text alone": {true, mcp.StreamableHTTPOptions{Stateless: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &mailtest.Server{Token: "secret", Bare: c.bare}
			a := dial(t, start(t, s, &c.opts))
			got, err := a.Deliver(t.Context(), kickoff("BlueLake"))
			if err != nil {
				t.Fatal(err)
			}
			if want := (mail.Receipt{To: "BlueLake", As: "BlueLake", From: "Brenner", ID: "1"}); got != want {
				t.Errorf("receipt %+v", got)
			}
			want := mailtest.Post{
				ID: 1, Thread: "RS-20251230-cell-fate", From: "Brenner", To: []string{"BlueLake"}, Subject: "KICKOFF: cell fate",
				Body: "# Session\n\n\n<!-- message key: k-BlueLake -->\n", Ack: true, Created: "2026-01-02T03:04:01Z",
			}
			if diff := cmp.Diff([]mailtest.Post{want}, s.Posts()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(map[string]string{"Brenner": "brenner", "BlueLake": "codex-cli"}, s.Agents()); diff != "" {
				t.Error(diff)
			}

			s.Reply("BlueLake", "RS-20251230-cell-fate", "Re: KICKOFF: cell fate", "first")
			s.Reply("Stranger", "RS-20251230-cell-fate", "INFO: hello", "second")
			s.Reply("BlueLake", "another", "DELTA[x]: no", "elsewhere")
			replies, err := a.Replies(t.Context(), "RS-20251230-cell-fate")
			if err != nil {
				t.Fatal(err)
			}
			wantReplies := []mail.Reply{
				{ID: "2", From: "BlueLake", As: "BlueLake", Subject: "Re: KICKOFF: cell fate", Body: "first", At: time.Date(2026, 1, 2, 3, 4, 2, 0, time.UTC)},
				{ID: "3", From: "", As: "Stranger", Subject: "INFO: hello", Body: "second", At: time.Date(2026, 1, 2, 3, 4, 3, 0, time.UTC)},
			}
			if diff := cmp.Diff(wantReplies, replies); diff != "" {
				t.Error(diff)
			}
			if len(s.Projects()) != 1 || s.Projects()[0] != "/data/cell-fate" {
				t.Errorf("projects %q", s.Projects())
			}
		})
	}
}

// R8: the server may assign other names; they are used from then on, and what
// comes back is attributed to the agent of the roster, in a later run too.
func TestAgentMail_UsesTheNamesTheServerAssigns(t *testing.T) {
	s := &mailtest.Server{Rename: map[string]string{"BlueLake": "GreenCastle", "Brenner": "RedCat"}}
	o := start(t, s, nil)
	a := dial(t, o)
	got, err := a.Deliver(t.Context(), kickoff("BlueLake"))
	if err != nil || got.As != "GreenCastle" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if p := s.Posts()[0]; p.From != "RedCat" || p.To[0] != "GreenCastle" {
		t.Errorf("sent from %s to %s", p.From, p.To)
	}
	s.Reply("GreenCastle", kickoff("BlueLake").Thread, "DELTA[hypothesis_generator]: x", "body")

	// A name that was not kept makes us another sender; our own message is no
	// reply all the same, and not sent twice.
	s.Rename["Brenner"] = "BlueCat"
	o.Names = map[brenner.ActorName]string{"BlueLake": got.As}
	later := dial(t, o)
	replies, err := later.Replies(t.Context(), kickoff("BlueLake").Thread)
	if err != nil || len(replies) != 1 || replies[0].From != "BlueLake" || replies[0].As != "GreenCastle" {
		t.Errorf("got %+v, %v", replies, err)
	}
	again := kickoff("BlueLake")
	again.Again = true
	if second, err := later.Deliver(t.Context(), again); err != nil || second.ID != got.ID || second.From != "BlueCat" || len(s.Posts()) != 2 {
		t.Errorf("got %+v, %v", second, err)
	}
}

// R8: a failure is per recipient.
func TestDeliverAll_OneRecipientFailsAlone(t *testing.T) {
	s := &mailtest.Server{}
	s.Refuse("PurpleMountain")
	a := dial(t, start(t, s, nil))
	got := mail.DeliverAll(t.Context(), a, []mail.Message{kickoff("BlueLake"), kickoff("PurpleMountain"), kickoff("GreenValley")})
	if got[0].Receipt == nil || got[2].Receipt == nil || got[0].Error != nil || got[2].Error != nil {
		t.Errorf("the others were held back: %+v", got)
	}
	e := got[1].Error
	if got[1].To != "PurpleMountain" || got[1].Receipt != nil || e == nil || e.Code != brenner.CodeMailRefused || !strings.Contains(e.Message, "contact request needed first") {
		t.Errorf("got %+v", got[1])
	}
	if len(s.Posts()) != 2 {
		t.Errorf("%d messages were kept", len(s.Posts()))
	}
}

// R8: a retry of what failed. The server kept the message and its answer was
// lost; asked again it is not sent a second time.
func TestAgentMail_DoesNotSendTwice(t *testing.T) {
	t.Parallel() // for it waits
	s := &mailtest.Server{Slow: make(chan struct{})}
	o := start(t, s, nil)
	a := dial(t, o)
	o.Timeout = 2 * time.Second // enough for what goes before the message
	impatient := dial(t, o)
	m := kickoff("BlueLake")
	_, err := impatient.Deliver(t.Context(), m)
	if e, ok := err.(*brenner.Error); !ok || e.Code != brenner.CodeMailUnavailable || !strings.Contains(e.Message, "did not answer in time") {
		t.Fatalf("got %v", err)
	}
	s.Hurry()

	m.Again = true
	got, err := a.Deliver(t.Context(), m)
	if err != nil || got.ID != "1" {
		t.Errorf("got %+v, %v", got, err)
	}
	other := kickoff("PurpleMountain")
	other.Again = true
	if got, err := a.Deliver(t.Context(), other); err != nil || got.ID != "2" {
		t.Errorf("a message that had not arrived: %+v, %v", got, err)
	}
	fresh := kickoff("GreenValley")
	fresh.Again, fresh.Thread = true, "RS-2"
	if got, err := a.Deliver(t.Context(), fresh); err != nil || got.ID != "3" {
		t.Errorf("a thread that had none: %+v, %v", got, err)
	}
}

// R8: a dead server, one that answers nonsense, one that never answers: each is
// MAIL_UNAVAILABLE, and the rest of a batch is not tried.
func TestDeliverAll_StopsAtADeadServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + l.Addr().String() + "/mcp/"
	_ = l.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) }))
	t.Cleanup(page.Close)
	silent := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-silent:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(silent); mute.Close() })

	for name, url := range map[string]string{"dead": dead, "no MCP": page.URL, "silent": mute.URL} {
		a := dial(t, mail.Options{URL: url, Project: "/p", Sender: "Brenner", Timeout: 300 * time.Millisecond})
		got := mail.DeliverAll(t.Context(), a, []mail.Message{kickoff("A"), kickoff("B")})
		for _, d := range got {
			if d.Receipt != nil || d.Error == nil || d.Error.Code != brenner.CodeMailUnavailable {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if _, err := a.Replies(t.Context(), "x"); brenner.CodeOf(err) != brenner.CodeMailUnavailable {
			t.Errorf("%s: replies: %v", name, err)
		}
	}
}

// R8: a bad token is told apart from a dead server, and never shown.
func TestAgentMail_BadToken(t *testing.T) {
	s := &mailtest.Server{Token: "right"}
	o := start(t, s, nil)
	for _, token := range []string{"", "wrong-secret"} {
		o.Token = token
		_, err := dial(t, o).Deliver(t.Context(), kickoff("BlueLake"))
		e, ok := err.(*brenner.Error)
		if !ok || e.Code != brenner.CodeMailUnauthorized {
			t.Errorf("token %q: %v", token, err)
		} else if token != "" && strings.Contains(e.Message+e.Hint, token) {
			t.Errorf("the token is shown: %s", e.Message)
		}
	}
	if len(s.Posts()) != 0 {
		t.Error("something was sent")
	}
}

// The token follows no redirect to another host.
func TestAgentMail_TokenStaysWithItsServer(t *testing.T) {
	leaked := make(chan string, 16)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked <- r.Header.Get("Authorization") }))
	t.Cleanup(thief.Close)
	turn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(turn.Close)
	a := dial(t, mail.Options{URL: turn.URL, Token: "secret", Project: "/p", Sender: "Brenner"})
	if _, err := a.Deliver(t.Context(), kickoff("BlueLake")); brenner.CodeOf(err) != brenner.CodeMailUnavailable {
		t.Errorf("got %v", err)
	}
	if len(leaked) > 0 {
		t.Errorf("the request went on, with %q", <-leaked)
	}
}

func TestAgentMail_CallerGivesUp(t *testing.T) {
	s := &mailtest.Server{Slow: make(chan struct{})}
	a := dial(t, start(t, s, nil))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if len(s.Posts()) > 0 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := a.Deliver(ctx, kickoff("BlueLake")); brenner.CodeOf(err) != brenner.CodeCanceled {
		t.Errorf("got %v", err)
	}
}

// R8: where the server is comes from the environment.
func TestFromEnv(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want mail.Options
	}{
		{nil, mail.Options{URL: "http://127.0.0.1:8765/mcp/"}},
		{
			map[string]string{"AGENT_MAIL_BASE_URL": "https://mail.example/", "AGENT_MAIL_PATH": "api", "AGENT_MAIL_BEARER_TOKEN": "t"},
			mail.Options{URL: "https://mail.example/api", Token: "t"},
		},
	} {
		if diff := cmp.Diff(c.want, mail.FromEnv(func(k string) string { return c.env[k] })); diff != "" {
			t.Error(diff)
		}
	}
	for _, bad := range []string{"", "mail.example", "ftp://mail.example/", "http://"} {
		if _, err := mail.NewAgentMail(mail.Options{URL: bad}); brenner.CodeOf(err) != brenner.CodeMailUnavailable {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
