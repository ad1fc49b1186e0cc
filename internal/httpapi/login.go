package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"brenner"
)

// cookieName is the cookie of a browser that is logged in.
const cookieName = "brenner_login"

// logins are the browsers that are logged in, and the codes that log one in.
// All of it is kept in memory, as hashes: a restart logs everybody out.
type logins struct {
	mu    sync.Mutex
	codes map[[32]byte]bool
	open  map[[32]byte]login
}

// login is one browser. token is the token it was opened with; without one it
// is the person who started the server.
type login struct {
	token string
	until time.Time
}

func newLogins() *logins {
	return &logins{codes: map[[32]byte]bool{}, open: map[[32]byte]login{}}
}

// LoginPath gives an address on this server that logs in a browser as the
// person who started the server. It works once.
func (s *Server) LoginPath() string {
	code := rand.Text() + rand.Text()
	s.logins.mu.Lock()
	defer s.logins.mu.Unlock()
	s.logins.codes[sha256.Sum256([]byte(code))] = true
	return "/login?code=" + code
}

// redeem uses a code up.
func (l *logins) redeem(code string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := sha256.Sum256([]byte(code))
	good := l.codes[sum]
	delete(l.codes, sum)
	return good
}

// enter opens a login and gives what its cookie holds.
func (l *logins) enter(token string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for sum, one := range l.open {
		if now.After(one.until) {
			delete(l.open, sum)
		}
	}
	if len(l.open) >= brenner.MaxLogins {
		return "", brenner.Errorf(brenner.CodeRateLimited, "%d browsers are logged in", brenner.MaxLogins).WithHint("log one out")
	}
	secret := rand.Text() + rand.Text()
	l.open[sha256.Sum256([]byte(secret))] = login{token: token, until: now.Add(brenner.LoginLife)}
	return secret, nil
}

func (l *logins) find(secret string) (login, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.open[sha256.Sum256([]byte(secret))]
	return one, ok && time.Now().Before(one.until)
}

func (l *logins) leave(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, sha256.Sum256([]byte(secret)))
}

// loggedIn gives the caller behind a login. A token is asked about again each
// time: revoking it logs its browsers out.
func (s *Server) loggedIn(ctx context.Context, l login) (Caller, error) {
	if l.token != "" {
		return s.options.Backend.Authenticate(ctx, l.token)
	}
	return s.options.Backend.Owner(ctx)
}

// login takes a one-time code and sends the browser to the front page.
func (s *Server) login(w http.ResponseWriter, h *http.Request) {
	if s.limits.allow("from:"+remote(h)) != nil {
		fail(w, h, errTooMany)
		return
	}
	if !s.options.Login || !s.logins.redeem(h.URL.Query().Get("code")) {
		s.refuseLogin(w, h, brenner.Errorf(brenner.CodeUnauthenticated, "this login address is not valid, or was used before").
			WithHint("restart the server to get another"))
		return
	}
	s.enter(w, h, "")
}

// loginToken logs a browser in as the actor of a token.
func (s *Server) loginToken(w http.ResponseWriter, h *http.Request) {
	if s.limits.allow("from:"+remote(h)) != nil {
		fail(w, h, errTooMany)
		return
	}
	h.Body = http.MaxBytesReader(w, h.Body, brenner.MaxHeaderBytes)
	token := h.PostFormValue("token")
	if _, err := s.options.Backend.Authenticate(h.Context(), token); err != nil {
		s.refuseLogin(w, h, err)
		return
	}
	s.enter(w, h, token)
}

// refuseLogin says no, on a page where there are pages.
func (s *Server) refuseLogin(w http.ResponseWriter, h *http.Request, err error) {
	if s.options.Pages == nil || brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		fail(w, h, err)
		return
	}
	http.Redirect(w, h, "/?login=refused", http.StatusSeeOther)
}

func (s *Server) enter(w http.ResponseWriter, h *http.Request, token string) {
	secret, err := s.logins.enter(token)
	if err != nil {
		fail(w, h, err)
		return
	}
	s.setCookie(w, secret, int(brenner.LoginLife/time.Second))
	http.Redirect(w, h, "/", http.StatusSeeOther)
}

func (s *Server) logout(w http.ResponseWriter, h *http.Request) {
	if c, err := h.Cookie(cookieName); err == nil {
		s.logins.leave(c.Value)
	}
	s.setCookie(w, "", -1)
	http.Redirect(w, h, "/", http.StatusSeeOther)
}

func (s *Server) setCookie(w http.ResponseWriter, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: s.options.Secure, SameSite: http.SameSiteStrictMode,
	})
}
