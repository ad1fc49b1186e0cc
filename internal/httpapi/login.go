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
	now func() time.Time

	mu    sync.Mutex
	codes map[[32]byte]time.Time // until when each is good
	open  map[[32]byte]login
}

// login is one browser. token is the token it was opened with, and auth how
// that one is called; without a token it is the person who started the server.
type login struct {
	token, auth string
	until       time.Time
}

func newLogins(now func() time.Time) *logins {
	return &logins{now: now, codes: map[[32]byte]time.Time{}, open: map[[32]byte]login{}}
}

// LoginPath gives an address on this server that logs in a browser as the
// person who started the server. It works once, for brenner.LoginCodeLife.
func (s *Server) LoginPath() string {
	code := rand.Text() + rand.Text()
	s.logins.mu.Lock()
	defer s.logins.mu.Unlock()
	s.logins.codes[sha256.Sum256([]byte(code))] = s.logins.now().Add(brenner.LoginCodeLife)
	return "/login?code=" + code
}

// redeem uses a code up.
func (l *logins) redeem(code string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := sha256.Sum256([]byte(code))
	until, known := l.codes[sum]
	delete(l.codes, sum)
	return known && l.now().Before(until)
}

// enter opens a login and gives what its cookie holds. Nobody is kept out by
// the logins of others: who has the most gives one up, the oldest, and logins
// with a token never displace those of the person who started the server.
func (l *logins) enter(token, auth string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	each := map[string]int{} // logins of the same kind, by token
	all := 0
	for sum, one := range l.open {
		switch {
		case !now.Before(one.until):
			delete(l.open, sum)
		case (one.token == "") == (token == ""):
			each[one.auth]++
			all++
		}
	}
	if token != "" && each[auth] >= brenner.MaxLoginsPerToken {
		l.endOldest(token == "", auth)
	} else if all >= brenner.MaxLogins {
		most := auth
		for name, n := range each {
			if n > each[most] || n == each[most] && name < most {
				most = name
			}
		}
		l.endOldest(token == "", most)
	}
	secret := rand.Text() + rand.Text()
	l.open[sha256.Sum256([]byte(secret))] = login{token: token, auth: auth, until: now.Add(brenner.LoginLife)}
	return secret
}

// endOldest ends the oldest login of one token, or of the person who started
// the server.
func (l *logins) endOldest(owner bool, auth string) {
	var oldest [32]byte
	var until time.Time
	for sum, one := range l.open {
		if (one.token == "") == owner && one.auth == auth && (until.IsZero() || one.until.Before(until)) {
			oldest, until = sum, one.until
		}
	}
	delete(l.open, oldest)
}

func (l *logins) find(secret string) (login, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.open[sha256.Sum256([]byte(secret))]
	return one, ok && l.now().Before(one.until)
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
// one, may refuse whoever it turned out to be. Whoever guesses is slowed down;
// whoever knows is not, whatever others do from the same address. Codes:
// UNAUTHENTICATED, RATE_LIMITED, and what admit says.
func (s *Server) LogIn(w http.ResponseWriter, h *http.Request, admit func(api.Service) error) error {
	if err := s.receiveForm(h); err != nil {
		return err
	}
	caller, token, err := s.provesItself(h)
	if err != nil {
		// A kind of its own: who guesses tokens of the API is another matter.
		if s.limits.allow("login from:"+remote(h)) != nil {
			err = errTooMany
		}
		return err
	}
	if token != "" {
		if err := s.limits.allow(caller.Auth); err != nil {
			return err
		}
	}
	if admit != nil {
		if err := admit(caller.Service); err != nil {
			return err
		}
	}
	s.setCookie(w, s.logins.enter(token, caller.Auth), int(brenner.LoginLife/time.Second))
	return nil
}

// provesItself says who logs in, by a code or a token, which it also gives.
func (s *Server) provesItself(h *http.Request) (caller Caller, token string, err error) {
	if h.Method == http.MethodPost {
		token = h.PostFormValue("token")
		if token == "" {
			return Caller{}, "", brenner.Errorf(brenner.CodeUnauthenticated, "no token was given")
		}
	} else if !s.options.Login || !s.logins.redeem(h.URL.Query().Get("code")) {
		return Caller{}, "", brenner.Errorf(brenner.CodeUnauthenticated, "this login address is not valid, was used before or is too old").
			WithHint("log in with a token, or restart the server to get another address").Try(brenner.Do("agent.token").Asking("name"))
	}
	caller, err = s.loggedIn(h.Context(), login{token: token})
	return caller, token, err
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
