package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"brenner"
	"brenner/api"
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

// LogIn logs in the browser that asks, by the one-time code in its address or
// the token in its form, and gives it a cookie. Before that admit, if there is
// one, may refuse whoever it turned out to be. Codes: UNAUTHENTICATED,
// RATE_LIMITED, and what admit says.
func (s *Server) LogIn(w http.ResponseWriter, h *http.Request, admit func(api.Service) error) error {
	if s.limits.allow("from:"+remote(h)) != nil {
		return errTooMany
	}
	token := ""
	if h.Method == http.MethodPost {
		token = h.PostFormValue("token")
		if token == "" {
			return brenner.Errorf(brenner.CodeUnauthenticated, "no token was given")
		}
	} else if !s.options.Login || !s.logins.redeem(h.URL.Query().Get("code")) {
		return brenner.Errorf(brenner.CodeUnauthenticated, "this login address is not valid, or was used before").
			WithHint("restart the server to get another")
	}
	caller, err := s.loggedIn(h.Context(), login{token: token})
	if err != nil {
		return err
	}
	if admit != nil {
		if err := admit(caller.Service); err != nil {
			return err
		}
	}
	secret, err := s.logins.enter(token)
	if err != nil {
		return err
	}
	s.setCookie(w, secret, int(brenner.LoginLife/time.Second))
	return nil
}

// LogOut ends the login of the browser that asks, if it has one.
func (s *Server) LogOut(w http.ResponseWriter, h *http.Request) {
	if c, err := h.Cookie(cookieName); err == nil {
		s.logins.leave(c.Value)
	}
	s.setCookie(w, "", -1)
}

// login is LogIn where there are no pages.
func (s *Server) login(w http.ResponseWriter, h *http.Request) {
	h.Body = http.MaxBytesReader(w, h.Body, brenner.MaxHeaderBytes)
	if err := s.LogIn(w, h, nil); err != nil {
		fail(w, h, err)
		return
	}
	http.Redirect(w, h, "/", http.StatusSeeOther)
}

// logout is LogOut where there are no pages.
func (s *Server) logout(w http.ResponseWriter, h *http.Request) {
	s.LogOut(w, h)
	http.Redirect(w, h, "/", http.StatusSeeOther)
}

func (s *Server) setCookie(w http.ResponseWriter, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: s.options.Secure, SameSite: http.SameSiteStrictMode,
	})
}
