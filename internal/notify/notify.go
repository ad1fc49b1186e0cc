// Package notify sends notifications to webhooks: signed, at least once, with
// growing pauses, and never to a private address unless its host was allowed by
// name (N7).
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// The headers of a notification. The signature is the HMAC-SHA256, in hex behind
// "v1=", of the timestamp, a full stop and the body, under the key of the
// webhook. Whoever receives it compares it, refuses timestamps that are old, and
// knows a notice that came twice by its id.
const (
	HeaderID        = "Brenner-Notice"
	HeaderTimestamp = "Brenner-Timestamp"
	HeaderSignature = "Brenner-Signature"
)

// Notice is a notification that waits to be sent.
type Notice struct {
	ID, URL string
	Body    []byte
	// Attempts counts the tries so far, the last of them at Tried; At is when
	// the notice was made.
	Attempts  int
	At, Tried time.Time
}

// Outbox is where notices wait.
type Outbox interface {
	// Look puts in what began to wait since.
	Look(ctx context.Context) error
	// Waiting lists what was not sent yet.
	Waiting(ctx context.Context) ([]Notice, error)
	// Tried records what came of sending; why is empty if it arrived.
	Tried(ctx context.Context, id, why string, giveUp bool) error
	// Settings are those in force.
	Settings(ctx context.Context) (Settings, error)
	// Changed returns when something has changed, or the context is done.
	Changed(ctx context.Context)
}

// Settings say how webhooks are reached.
type Settings struct {
	// Secrets are the names of the variables that hold the keys, by address.
	Secrets map[string]string
	// Allow names hosts that may have a private address, or do without TLS.
	Allow []string
}

// Sender sends what waits in an outbox.
type Sender struct {
	Outbox Outbox
	Getenv func(string) string
	Now    func() time.Time
	Log    *slog.Logger
}

const (
	firstPause = 10 * time.Second
	maxPause   = time.Hour
	// keptFor is how long a notice is tried.
	keptFor = 7 * 24 * time.Hour
	timeout = 10 * time.Second
)

// Pause is how long to wait after so many tries.
func Pause(attempts int) time.Duration {
	if attempts < 1 {
		return 0
	}
	if attempts > 9 {
		return maxPause
	}
	return min(firstPause<<(attempts-1), maxPause)
}

// Run sends until the context is done: after every change, and now and then for
// what did not arrive.
func (s *Sender) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.Step(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error("notifications", "error", err)
		}
		wait, cancel := context.WithTimeout(ctx, firstPause)
		s.Outbox.Changed(wait)
		cancel()
		select { // a storm of changes is looked at once a second
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// Step looks once, and sends what is due.
func (s *Sender) Step(ctx context.Context) error {
	settings, err := s.Outbox.Settings(ctx)
	if err != nil || len(settings.Secrets) == 0 {
		return err
	}
	if err := s.Outbox.Look(ctx); err != nil {
		return err
	}
	all, err := s.Outbox.Waiting(ctx)
	if err != nil {
		return err
	}
	for _, n := range all {
		now := s.Now()
		if now.Before(n.Tried.Add(Pause(n.Attempts))) {
			continue
		}
		why := ""
		if err := s.send(ctx, settings, n); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // nobody waits for it any more; it is tried again
			}
			why = err.Error()
			s.Log.Warn("a notification did not arrive", "notice", n.ID, "attempt", n.Attempts+1, "why", why)
		}
		if err := s.Outbox.Tried(ctx, n.ID, why, now.Sub(n.At) > keptFor); err != nil {
			return err
		}
	}
	return nil
}

// send sends one notice.
func (s *Sender) send(ctx context.Context, settings Settings, n Notice) error {
	variable, known := settings.Secrets[n.URL]
	if !known {
		return errors.New("the webhook is not configured any more")
	}
	key := s.Getenv(variable)
	if key == "" {
		return fmt.Errorf("%s is not set: there is no key to sign with", variable)
	}
	address, err := url.Parse(n.URL)
	if err != nil {
		return errors.New("the address cannot be read")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(n.Body))
	if err != nil {
		return errors.New("the address cannot be read")
	}
	stamp := strconv.FormatInt(s.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "brenner")
	req.Header.Set(HeaderID, n.ID)
	req.Header.Set(HeaderTimestamp, stamp)
	req.Header.Set(HeaderSignature, "v1="+Sign(key, stamp, n.Body))
	client := newClient(slices.Contains(settings.Allow, address.Hostname()))
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		var private privateError
		if errors.As(err, &private) {
			return private
		}
		if ctx.Err() != nil {
			return errors.New("no answer in time")
		}
		return errors.New("the host cannot be reached") // the cause may quote what a resolver said
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10)
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("the host answered with the status %d", res.StatusCode)
	}
	return nil
}

// Sign is the signature of a body at an instant.
func Sign(key, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// newClient goes to public addresses only, unless the host is allowed, directly,
// and nowhere it is sent on to. What an address is, is looked at when the
// connection is made: a name that resolves differently the second time gains
// nothing.
func newClient(allowed bool) *http.Client {
	dialer := &net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error {
		if allowed {
			return nil
		}
		at, err := netip.ParseAddrPort(address)
		if err != nil || !Public(at.Addr()) {
			return privateError{}
		}
		return nil
	}}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: timeout, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type privateError struct{}

func (privateError) Error() string {
	return "the host has a private address, and is not allowed by name"
}

// reserved are addresses for special uses that the standard library calls
// neither private nor local.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
}

// Public reports whether an address is one that anybody on the internet has.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}
