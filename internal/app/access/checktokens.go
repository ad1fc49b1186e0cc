package access

import (
	"slices"

	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// saidToken is what the journal says of a token.
type saidToken struct {
	tokenIssued
	revoked bool
	seq     int64 // of the last record about it
}

// CheckTokens says which tokens are not what the journal says of them (J4). A
// token that the journal knows and the store does not is none: an import brings
// none along.
func (a *Room) CheckTokens(c *kernel.Call) ([]journal.Finding, error) {
	rows, err := c.Reader.Tokens(c.Ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	said, err := tokensSaid(c)
	if err != nil {
		return nil, err
	}
	var out []journal.Finding
	for _, t := range rows {
		s, known := said[t.ID]
		if why := s.differs(t, known); why != "" {
			out = append(out, journal.Corrupt(s.seq, "%s of %s is not what the journal says: %s", t.ID, t.Actor, why))
		}
	}
	return out, nil
}

// differs says in which way a token is not what the journal says of it, "" if it
// is.
func (s saidToken) differs(t store.Token, known bool) string {
	switch {
	case !known:
		return "no record issued it"
	case t.Actor != s.Actor:
		return "it was issued to " + string(s.Actor)
	case t.Revoked != s.revoked && s.revoked:
		return "it was revoked"
	case t.Revoked != s.revoked:
		return "no record revoked it"
	case s.Check == "": // older records say nothing about the rest
		return ""
	case canon.Sum([]byte(t.Secret)) != s.Check:
		return "it has another secret"
	case !t.Expires.Equal(s.Expires):
		return "it expires at another time"
	}
	return ""
}

// tokensSaid reads the journal for what it says about tokens. A record that
// cannot be read was reported before.
func tokensSaid(c *kernel.Call) (map[string]saidToken, error) {
	said := map[string]saidToken{}
	kinds := []string{kindTokenIssued.Name, kindTokenRevoked.Name, kindTokenProlonged.Name}
	err := journal.Each(c.Ctx, c.Reader, 0, func(row store.Record) error {
		if !slices.Contains(kinds, row.Kind) {
			return nil
		}
		rec, err := journal.Parse(row)
		if err != nil {
			return nil //nolint:nilerr // reported already, with its place
		}
		var p tokenIssued
		if rec.Kind == kindTokenIssued.Name && canon.Unmarshal(rec.Payload, &p) == nil {
			said[p.ID] = saidToken{tokenIssued: p, seq: rec.Seq}
		}
		var r tokenRevoked
		if rec.Kind == kindTokenRevoked.Name && canon.Unmarshal(rec.Payload, &r) == nil {
			s := said[r.ID]
			s.revoked, s.seq = true, rec.Seq
			said[r.ID] = s
		}
		var l tokenProlonged
		if rec.Kind == kindTokenProlonged.Name && canon.Unmarshal(rec.Payload, &l) == nil {
			s := said[l.ID]
			s.Expires, s.seq = l.Expires, rec.Seq
			said[l.ID] = s
		}
		return nil
	})
	return said, err
}
