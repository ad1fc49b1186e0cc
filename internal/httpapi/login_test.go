package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/httpapi"
)

// enters logs a browser in, by a token or by an address, and gives the status
// and the cookie.
func (w *world) enters(token, path string) (int, *http.Cookie) {
	w.t.Helper()
	h := httptest.NewRequest("GET", "http://localhost"+path, nil)
	if token != "" {
		h = httptest.NewRequest("POST", "http://localhost/login", strings.NewReader(url.Values{"token": {token}}.Encode()))
		h.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	out := httptest.NewRecorder()
	w.server.ServeHTTP(out, h)
	for _, c := range out.Result().Cookies() {
		return out.Code, c
	}
	return out.Code, nil
}

// isIn reports whether a browser is logged in.
func (w *world) isIn(c *http.Cookie) bool {
	h := httptest.NewRequest("GET", "http://localhost/api/v1/project", nil)
	h.AddCookie(c)
	out := httptest.NewRecorder()
	w.server.ServeHTTP(out, h)
	return out.Code == http.StatusOK
}

// X8, X3: an agent that logs in or guesses as often as it can, from the same
// machine, keeps nobody out: neither the PI with a token nor the person with
// the address, whose login stays.
func TestServer_NoAgentLocksThePersonOut(t *testing.T) {
	w := newWorld(t, func(o *httpapi.Options) { o.Rate, o.Burst = 1, brenner.MaxLogins+50 })
	if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	first, second := w.server.LoginPath(), w.server.LoginPath()
	status, owner := w.enters("", first)
	if status != http.StatusSeeOther {
		t.Fatalf("the address: %d", status)
	}
	_, ada := w.enters(w.token("ada"), "")
	for range brenner.MaxLogins + 10 {
		w.enters(w.token("BlueLake"), "")
	}
	for i := range 2 * brenner.MaxLogins {
		w.enters(fmt.Sprintf("brn_%043d", i), "")
		w.enters("", fmt.Sprintf("/login?code=%d", i))
	}
	if status, _ := w.enters("brn_wrong", ""); status != http.StatusTooManyRequests {
		t.Errorf("guessing goes on: %d", status)
	}
	if !w.isIn(owner) || !w.isIn(ada) {
		t.Errorf("an agent logged others out: person %v, PI %v", w.isIn(owner), w.isIn(ada))
	}
	if status, c := w.enters(w.token("ada"), ""); status != http.StatusSeeOther || !w.isIn(c) {
		t.Errorf("the PI with a token: %d", status)
	}
	if status, c := w.enters("", second); status != http.StatusSeeOther || !w.isIn(c) {
		t.Errorf("the person with the address: %d", status)
	}
}

// X3: one token has so many logins; the oldest ends when there is another.
func TestServer_LoginsOfATokenAreFew(t *testing.T) {
	now := time.Now()
	w := newWorld(t, func(o *httpapi.Options) {
		o.Clock = func() time.Time { now = now.Add(time.Second); return now }
	})
	var cookies []*http.Cookie
	for range brenner.MaxLoginsPerToken + 1 {
		_, c := w.enters(w.token("ada"), "")
		cookies = append(cookies, c)
	}
	for i, c := range cookies {
		if w.isIn(c) != (i > 0) {
			t.Errorf("login %d: in is %v", i, w.isIn(c))
		}
	}
}

// X8: the address that logs in is good for a while, and a login for a while.
func TestServer_LoginsAndTheirAddressesExpire(t *testing.T) {
	var passed atomic.Int64
	start := time.Now()
	w := newWorld(t, func(o *httpapi.Options) {
		o.Clock = func() time.Time { return start.Add(time.Duration(passed.Load())) }
	})
	early, late := w.server.LoginPath(), w.server.LoginPath()
	passed.Store(int64(brenner.LoginCodeLife) - 1)
	status, c := w.enters("", early)
	if status != http.StatusSeeOther || !w.isIn(c) {
		t.Errorf("an address in time: %d", status)
	}
	passed.Store(int64(brenner.LoginCodeLife))
	if status, _ := w.enters("", late); status != http.StatusUnauthorized {
		t.Errorf("an address that is too old: %d", status)
	}
	passed.Add(int64(brenner.LoginLife))
	if w.isIn(c) {
		t.Error("a login outlives its time")
	}
}

// X10: large forms of who is not known have a share of the room for bodies, by
// where they come from, and keep nobody out: a form to log in is small.
func TestServer_LargeFormsOfStrangersHaveAShare(t *testing.T) {
	const share = 1
	w := newWorld(t)
	post := func(b io.Reader) int {
		h := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/login", b)
		h.ContentLength = brenner.MaxFormBytes
		h.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		out := httptest.NewRecorder()
		w.server.ServeHTTP(out, h)
		return out.Code
	}
	release := make(chan struct{})
	var reading, refused atomic.Int64
	var all sync.WaitGroup
	for range share + brenner.MaxWorkWaiting + 5 {
		all.Go(func() {
			if post(&body{begin: func() { reading.Add(1); <-release }, end: func() {}}) == http.StatusTooManyRequests {
				refused.Add(1)
			}
		})
	}
	waitFor(t, "a form to be read and the others to wait", func() bool { return reading.Load() >= share && refused.Load() >= 5 })
	if status, c := w.enters(w.token("ada"), ""); status != http.StatusSeeOther || !w.isIn(c) {
		t.Errorf("the PI with a token: %d", status)
	}
	if n := reading.Load(); n != share {
		t.Errorf("%d large forms of one address are read at once", n)
	}
	close(release)
	all.Wait()
}
