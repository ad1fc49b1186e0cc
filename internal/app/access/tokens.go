package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

type tokenIssued struct {
	ID      string            `json:"id"`
	Actor   brenner.ActorName `json:"actor"`
	Expires time.Time         `json:"expires_at,omitzero"`
	// Check is the digest of what the store keeps of the secret, so that another
	// secret in its place is found; records of older versions have none.
	Check brenner.Digest `json:"check,omitzero"`
}

type tokenProlonged struct {
	ID      string    `json:"id"`
	Expires time.Time `json:"expires_at"`
}

// issued is what the journal says of a new token.
func issued(t store.Token) tokenIssued {
	return tokenIssued{ID: t.ID, Actor: t.Actor, Expires: t.Expires, Check: canon.Sum([]byte(t.Secret))}
}

type tokenRevoked struct {
	ID    string            `json:"id"`
	Actor brenner.ActorName `json:"actor"`
}

// secretPrefix lets people and scanners recognise a secret of ours.
const secretPrefix = "brn_"

// secretBytes is how much chance is in a secret.
const secretBytes = 32

func newSecret() string {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails
	return secretPrefix + base64.RawURLEncoding.EncodeToString(b)
}

// Authenticate says whom a token's secret names. It is looked up anew each
// time, so that a revoked token is worth nothing at once, on every server.
// Code: UNAUTHENTICATED.
func (a *Room) Authenticate(ctx context.Context, secret string) (kernel.Identity, error) {
	if len(secret) != len(secretPrefix)+base64.RawURLEncoding.EncodedLen(secretBytes) || !strings.HasPrefix(secret, secretPrefix) {
		return kernel.Identity{}, unauthenticated("the token does not have the form of one")
	}
	digest := canon.Sum([]byte(secret))
	var t store.Token
	err := a.Store().Read(ctx, func(r store.Reader) (err error) {
		t, err = r.Token(ctx, digest)
		return err
	})
	switch {
	case brenner.CodeOf(err) == brenner.CodeNotFound:
		return kernel.Identity{}, unauthenticated("the token is not one of this project")
	case err != nil:
		return kernel.Identity{}, err
	case subtle.ConstantTimeCompare([]byte(t.Secret), []byte(digest)) != 1:
		return kernel.Identity{}, unauthenticated("the token is not one of this project")
	case t.Revoked:
		return kernel.Identity{}, unauthenticated("the token was revoked")
	case !liveToken(t, a.Now()):
		return kernel.Identity{}, unauthenticated("the token has expired")
	}
	return kernel.Identity{Name: t.Actor, Auth: kernel.AuthToken + t.ID}, nil
}

func unauthenticated(why string) error {
	return brenner.Errorf(brenner.CodeUnauthenticated, "%s", why).
		WithHint("the PI makes one").Try(brenner.Do("agent.token").Asking("name"))
}

func liveToken(t store.Token, now time.Time) bool {
	return !t.Revoked && (t.Expires.IsZero() || now.Before(t.Expires))
}

// HasTokens says whether any token is live.
func (a *Room) HasTokens(ctx context.Context) (bool, error) {
	found := false
	err := a.Store().Read(ctx, func(r store.Reader) error {
		all, err := r.Tokens(ctx)
		for _, t := range all {
			found = found || liveToken(t, a.Now())
		}
		return err
	})
	return found, err
}

// IssueToken implements api.Agents. What is stored for the idempotency key is
// the token without its secret.
func (s *Service) IssueToken(ctx context.Context, req api.IssueTokenRequest) (api.IssuedToken, error) {
	secret, fresh := newSecret(), false
	info, err := kernel.Write(ctx, s.caller, "token.issue", req, kernel.To(policy.Admin, string(req.Actor)), func(ch *kernel.Change) (api.TokenInfo, error) {
		if err := checkNewToken(ch, req); err != nil {
			return api.TokenInfo{}, err
		}
		t := store.Token{
			ID: fmt.Sprintf("token-%d", ch.NextSeq()), Actor: req.Actor,
			Secret: canon.Sum([]byte(secret)), Created: ch.Now,
		}
		if req.Expires > 0 {
			t.Expires = journal.Instant(ch.Clock.Add(time.Duration(req.Expires)))
		}
		if err := ch.PutToken(t); err != nil {
			return api.TokenInfo{}, err
		}
		_, err := kindTokenIssued.Append(ch, issued(t))
		fresh = true
		return tokenInfo(ch.Call, t), err
	})
	out := api.IssuedToken{TokenInfo: info}
	if fresh && err == nil {
		out.Secret = secret
	}
	return out, err
}

// IssueFor makes a token that names an actor until an instant, as part of
// another use case. It gives its id and its secret.
func (a *Room) IssueFor(ch *kernel.Change, actor brenner.ActorName, until time.Time) (id, secret string, err error) {
	secret = newSecret()
	t := store.Token{
		ID: fmt.Sprintf("token-%d", ch.NextSeq()), Actor: actor, Secret: canon.Sum([]byte(secret)), Created: ch.Now, Expires: journal.Instant(until),
	}
	if err := ch.PutToken(t); err != nil {
		return "", "", err
	}
	_, err = kindTokenIssued.Append(ch, issued(t))
	return t.ID, secret, err
}

// Prolong lets a token that IssueFor made live until another instant.
func (a *Room) Prolong(ch *kernel.Change, id string, until time.Time) error {
	t, ok, err := tokenByID(ch, id)
	if err != nil || !ok || t.Revoked {
		return err
	}
	t.Expires = journal.Instant(until)
	if err := ch.PutToken(t); err != nil {
		return err
	}
	_, err = kindTokenProlonged.Append(ch, tokenProlonged{ID: t.ID, Expires: t.Expires})
	return err
}

// EndToken revokes a token that IssueFor made; one that is revoked stays so.
func (a *Room) EndToken(ch *kernel.Change, id string) error {
	t, ok, err := tokenByID(ch, id)
	if err != nil || !ok || t.Revoked {
		return err
	}
	t.Revoked = true
	if err := ch.PutToken(t); err != nil {
		return err
	}
	_, err = kindTokenRevoked.Append(ch, tokenRevoked{ID: t.ID, Actor: t.Actor})
	return err
}

func tokenByID(ch *kernel.Change, id string) (store.Token, bool, error) {
	all, err := ch.Reader.Tokens(ch.Ctx)
	for _, t := range all {
		if t.ID == id {
			return t, true, err
		}
	}
	return store.Token{}, false, err
}

func checkNewToken(ch *kernel.Change, req api.IssueTokenRequest) error {
	if err := req.Actor.Check(); err != nil {
		return err
	}
	actor, err := ch.Actor(ch.Ctx, req.Actor)
	if err != nil {
		return err
	}
	if !actor.Active {
		return brenner.Errorf(brenner.CodeStatusConflict, "%s is no longer active", actor.Name)
	}
	if life := time.Duration(req.Expires); life != 0 && (life < time.Second || life > brenner.MaxTokenLife) {
		return brenner.Errorf(brenner.CodeInvalidValue, "a token that expires is good for 1s to %s, not %s", brenner.MaxTokenLife, life).
			At("/expires_in").WithHint("give for example 720h, or nothing for a token that never expires")
	}
	all, err := tokensOf(ch, req.Actor)
	if len(all) >= brenner.MaxTokensPerActor {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%s has %d live tokens", req.Actor, len(all)).
			WithHint("revoke what is no longer used").Try(brenner.Do("agent.tokens"), brenner.Do("agent.revoke").Asking("id"))
	}
	return err
}

// tokensOf lists the live tokens of an actor.
func tokensOf(ch *kernel.Change, name brenner.ActorName) ([]store.Token, error) {
	all, err := ch.Reader.Tokens(ch.Ctx)
	var own []store.Token
	for _, t := range all {
		if t.Actor == name && liveToken(t, ch.Clock) {
			own = append(own, t)
		}
	}
	return own, err
}

// RevokeToken implements api.Agents.
func (s *Service) RevokeToken(ctx context.Context, req api.RevokeTokenRequest) (api.TokenList, error) {
	return kernel.Write(ctx, s.caller, "token.revoke", req, kernel.To(policy.Admin, req.ID+string(req.Actor)), func(ch *kernel.Change) (api.TokenList, error) {
		named, err := namedTokens(ch, req)
		if err != nil {
			return api.TokenList{}, err
		}
		out := api.TokenList{Tokens: []api.TokenInfo{}}
		for _, t := range named {
			t.Revoked = true
			if err := ch.PutToken(t); err != nil {
				return api.TokenList{}, err
			}
			if _, err := kindTokenRevoked.Append(ch, tokenRevoked{ID: t.ID, Actor: t.Actor}); err != nil {
				return api.TokenList{}, err
			}
			out.Tokens = append(out.Tokens, tokenInfo(ch.Call, t))
		}
		return out, nil
	})
}

// namedTokens finds what is to be revoked.
func namedTokens(ch *kernel.Change, req api.RevokeTokenRequest) ([]store.Token, error) {
	if (req.ID == "") == (req.Actor == "") {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "name either a token or an actor")
	}
	if req.Actor != "" {
		own, err := tokensOf(ch, req.Actor)
		if err == nil && len(own) == 0 {
			err = brenner.Errorf(brenner.CodeNotFound, "%s has no live token", req.Actor).Try(brenner.Do("agent.tokens"))
		}
		return own, err
	}
	all, err := ch.Reader.Tokens(ch.Ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		switch {
		case t.ID != req.ID:
		case t.Revoked:
			return nil, brenner.Errorf(brenner.CodeStatusConflict, "%s was revoked before", t.ID)
		default:
			return []store.Token{t}, nil
		}
	}
	return nil, brenner.Errorf(brenner.CodeNotFound, "there is no token %q", req.ID).Try(brenner.Do("agent.tokens"))
}

// Tokens implements api.Agents.
func (s *Service) Tokens(ctx context.Context) (api.TokenList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Admin, "tokens"), func(c *kernel.Call) (api.TokenList, error) {
		out := api.TokenList{Tokens: []api.TokenInfo{}}
		all, err := c.Reader.Tokens(ctx)
		for _, t := range all {
			out.Tokens = append(out.Tokens, tokenInfo(c, t))
		}
		return out, err
	})
}

func tokenInfo(c *kernel.Call, t store.Token) api.TokenInfo {
	return api.TokenInfo{
		ID: t.ID, Actor: t.Actor, Created: t.Created, Expires: t.Expires,
		Revoked: t.Revoked, Live: liveToken(t, c.Clock),
	}
}
