package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// box is an outbox in memory.
type box struct {
	settings Settings
	waiting  []Notice
	tried    []string
	broken   bool // it forgets what it is told, as a crash would
}

func (b *box) Look(context.Context) error                 { return nil }
func (b *box) Waiting(context.Context) ([]Notice, error)  { return b.waiting, nil }
func (b *box) Settings(context.Context) (Settings, error) { return b.settings, nil }
func (b *box) Changed(context.Context)                    {}

func (b *box) Tried(_ context.Context, id, why string, giveUp bool) error {
	if b.broken {
		return errors.New("killed")
	}
	if giveUp && why != "" {
		why = "given up: " + why
	}
	b.tried = append(b.tried, id+" "+why)
	return nil
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sender(b *box) *Sender {
	return &Sender{
		Outbox: b, Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler),
		Getenv: func(name string) string { return map[string]string{"KEY": "secret"}[name] },
	}
}

// N7: a notification is signed over the timestamp and the body, and says which
// one it is.
func TestSender_SignsWhatItSends(t *testing.T) {
	var got *http.Request
	var body []byte
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer hook.Close()
	b := &box{settings: Settings{Secrets: map[string]string{hook.URL: "KEY"}, Allow: []string{"127.0.0.1"}}, waiting: []Notice{{ID: "n-1", URL: hook.URL, Body: []byte(`{"id":"n-1"}`), At: noon}}}
	if err := sender(b).Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got == nil || string(body) != `{"id":"n-1"}` || got.Header.Get(HeaderID) != "n-1" || got.Header.Get(HeaderTimestamp) != "1772366400" {
		t.Fatalf("got %+v with %q", got, body)
	}
	mac := hmac.New(sha256.New, []byte("secret"))
	_, _ = mac.Write([]byte("1772366400." + `{"id":"n-1"}`))
	if want := "v1=" + hex.EncodeToString(mac.Sum(nil)); got.Header.Get(HeaderSignature) != want {
		t.Errorf("signed %s, want %s", got.Header.Get(HeaderSignature), want)
	}
	if strings.Join(b.tried, ",") != "n-1 " {
		t.Errorf("recorded %q", b.tried)
	}
}

// N7: what was sent and not recorded is sent again, under the same id.
func TestSender_SendsAgainAfterACrash(t *testing.T) {
	var ids []string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ids = append(ids, r.Header.Get(HeaderID)) }))
	defer hook.Close()
	b := &box{broken: true, settings: Settings{Secrets: map[string]string{hook.URL: "KEY"}, Allow: []string{"127.0.0.1"}}, waiting: []Notice{{ID: "n-1", URL: hook.URL}}}
	if err := sender(b).Step(t.Context()); err == nil {
		t.Error("a result that was not recorded is no error")
	}
	b.broken = false
	if err := sender(b).Step(t.Context()); err != nil || strings.Join(ids, " ") != "n-1 n-1" {
		t.Errorf("sent %q, %v", ids, err)
	}
}

// N7: what does not arrive is tried again, later and later, and given up after a
// week; nothing is sent in between.
func TestSender_WaitsLongerEachTime(t *testing.T) {
	calls, status := 0, http.StatusInternalServerError
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if status == http.StatusFound {
			http.Redirect(w, r, "/elsewhere", status)
			return
		}
		w.WriteHeader(status)
	}))
	defer hook.Close()
	settings := Settings{Secrets: map[string]string{hook.URL: "KEY"}, Allow: []string{"127.0.0.1"}}
	for _, c := range []struct {
		notice Notice
		status int
		want   string
	}{
		{Notice{At: noon}, 500, "n the host answered with the status 500"},
		{Notice{At: noon}, 302, "n the host answered with the status 302"}, // nobody is sent on
		{Notice{At: noon, Attempts: 1, Tried: noon.Add(-9 * time.Second)}, 500, ""},
		{Notice{At: noon, Attempts: 1, Tried: noon.Add(-10 * time.Second)}, 200, "n "},
		{Notice{At: noon, Attempts: 3, Tried: noon.Add(-39 * time.Second)}, 200, ""},
		{Notice{At: noon, Attempts: 3, Tried: noon.Add(-40 * time.Second)}, 200, "n "},
		{Notice{At: noon, Attempts: 90, Tried: noon.Add(-time.Hour)}, 200, "n "},
		{Notice{At: noon.Add(-8 * 24 * time.Hour), Attempts: 200, Tried: noon.Add(-2 * time.Hour)}, 500, "n given up: the host answered with the status 500"},
	} {
		c.notice.ID, c.notice.URL = "n", hook.URL
		b := &box{settings: settings, waiting: []Notice{c.notice}}
		status, calls = c.status, 0
		if err := sender(b).Step(t.Context()); err != nil || strings.Join(b.tried, ",") != c.want || calls > 1 {
			t.Errorf("%+v: recorded %q after %d calls, %v; want %q", c.notice, b.tried, calls, err, c.want)
		}
	}
	for i, last := 1, time.Duration(0); i < 100; i++ {
		if Pause(i) < last || Pause(i) > time.Hour {
			t.Errorf("pause %d is %v after %v", i, Pause(i), last)
		}
		last = Pause(i)
	}
}

// N7: a private address is connected to only if its host is allowed by name, and
// nothing is sent without a key.
func TestSender_GoesToNoPrivateAddress(t *testing.T) {
	calls := 0
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	defer hook.Close()
	for _, c := range []struct {
		settings Settings
		want     string
	}{
		{Settings{Secrets: map[string]string{hook.URL: "KEY"}}, "private address"},
		{Settings{Secrets: map[string]string{hook.URL: "KEY"}, Allow: []string{"localhost"}}, "private address"},
		{Settings{Secrets: map[string]string{hook.URL: "OTHER"}, Allow: []string{"127.0.0.1"}}, "OTHER is not set"},
		{Settings{Secrets: map[string]string{"https://example.org": "KEY"}, Allow: []string{"127.0.0.1"}}, "not configured any more"},
	} {
		b := &box{settings: c.settings, waiting: []Notice{{ID: "n", URL: hook.URL, At: noon}}}
		if err := sender(b).Step(t.Context()); err != nil || !strings.Contains(strings.Join(b.tried, ","), c.want) {
			t.Errorf("recorded %q, %v; want %q", b.tried, err, c.want)
		}
	}
	if calls != 0 {
		t.Errorf("%d notifications were sent", calls)
	}
}

func TestPublic_KnowsSpecialAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1:248:1893:25c8:1946": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false,
		"::1": false, "fe80::1": false, "fd00::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::7f00:1": false, "224.0.0.1": false, "255.255.255.255": false, "2002:7f00:1::": false,
	} {
		if got := Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
}
