package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json"
)

// call is one use case under way: a snapshot, who asks, and what is in force.
type call struct {
	store.Reader

	ctx   context.Context
	app   *App
	now   time.Time
	size  int64 // the journal position the call sees
	who   Identity
	actor store.Actor
	*settings

	// through is the context that an agent reads through (C3); nil for persons
	// and outside reads.
	through *invocation

	decided bool          // the policy was asked
	denial  *store.Denial // and said no
}

// allow asks the policy. Every use case must: one that ends well without
// having asked is a fault, so that a forgotten check can never let anyone in.
func (c *call) allow(action policy.Action, typ brenner.TypeName, module brenner.Module, target string) error {
	req := policy.Request{
		Actor: c.actor.Name, Person: c.actor.Kind == kindPerson, Role: c.actor.Role,
		Action: action, Type: typ, Module: module, Target: target,
	}
	d := c.decision(req)
	if d.Allowed {
		return nil
	}
	c.denial = &store.Denial{
		At: c.now, Actor: c.actor.Name, Role: c.actor.Role,
		Action: string(action), Target: cmp.Or(target, string(typ)), Reason: d.Reason,
	}
	return d.Err(req)
}

// may asks the policy without making a refusal of it, for filtering lists.
func (c *call) may(action policy.Action, typ brenner.TypeName, module brenner.Module) bool {
	return c.decision(policy.Request{
		Actor: c.actor.Name, Person: c.actor.Kind == kindPerson, Role: c.actor.Role,
		Action: action, Type: typ, Module: module,
	}).Allowed
}

// decision is what the policy says, and for a read through a context also what
// the scope of that context says.
func (c *call) decision(req policy.Request) policy.Decision {
	c.decided = true
	d := policy.Decide(c.policies, req)
	if d.Allowed && c.through != nil && req.Action == policy.Read && req.Module != "" && !c.through.Scope.Covers(req.Module) {
		return policy.Decision{
			Code:   brenner.CodeReadDenied,
			Reason: fmt.Sprintf("module %s is outside the scope of %s", req.Module, c.through.ID),
		}
	}
	return d
}

// begin loads who asks and what is in force.
func (s *service) begin(ctx context.Context, r store.Reader) (*call, error) {
	size, err := r.Size(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{Reader: r, ctx: ctx, app: s.app, now: journal.Instant(s.app.clock()), size: size, who: s.who}
	var ok bool
	if c.actor, c.settings, ok = s.app.known.at(size, s.who.Name); ok {
		return c, nil
	}
	return c, s.recognise(c)
}

// recognise loads who asks and what is in force.
func (s *service) recognise(c *call) (err error) {
	c.actor, err = c.Actor(c.ctx, s.who.Name)
	if brenner.CodeOf(err) == brenner.CodeNotFound || (err == nil && !c.actor.Active) {
		return brenner.Errorf(brenner.CodeUnauthenticated, "%q is not an actor of this project", s.who.Name).
			WithHint("the PI registers one with `brenner agent add NAME --role ROLE`")
	}
	if err != nil {
		return err
	}
	c.settings, err = s.app.settings.load(c.ctx, c.Reader)
	return err
}

// end refuses a result that no policy decision stands behind, and keeps
// refusals for the audit.
func (s *service) end(ctx context.Context, c *call, err error) error {
	if err == nil {
		if !c.decided {
			return errors.New("a use case asked no policy")
		}
		return nil
	}
	if c != nil && c.denial != nil {
		denial := *c.denial
		// The audit is kept as well as can be: a refusal stays a refusal when
		// the store cannot be written.
		_ = s.app.store.Write(ctx, func(tx store.Tx) error { return tx.AddDenial(ctx, denial) })
	}
	return err
}

// view runs a use case that only reads.
func view[T any](ctx context.Context, s *service, fn func(*call) (T, error)) (T, error) {
	var out T
	var c *call
	err := s.app.store.Read(ctx, func(r store.Reader) (err error) {
		if c, err = s.begin(ctx, r); err != nil {
			return err
		}
		asked := c.actor // a use case may act in another role for a while
		if out, err = fn(c); err == nil {
			s.app.known.learn(c.size, asked, c.settings)
		}
		return err
	})
	if err := s.end(ctx, c, err); err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// change is a use case that writes: a call with a transaction.
type change struct {
	*call
	tx      store.Tx
	records []journal.Record
}

// write runs a use case that writes, once per idempotency key (X2). name and
// req identify the request; the result must survive JSON.
func write[T any](ctx context.Context, s *service, name string, w api.Write, req any, fn func(*change) (T, error)) (T, error) {
	var out T
	var c *call
	var ch *change
	var asked store.Actor
	digest, err := requestDigest(name, w, req)
	if err == nil {
		err = s.app.store.Write(ctx, func(tx store.Tx) (err error) {
			if c, err = s.begin(ctx, tx); err != nil {
				return err
			}
			if repeated, err := earlier(c, w.Key, digest, &out); repeated || err != nil {
				return err
			}
			asked = c.actor
			ch = &change{call: c, tx: tx}
			if out, err = fn(ch); err != nil {
				return err
			}
			return ch.commit(w.Key, digest, out)
		})
	}
	if err := s.end(ctx, c, err); err != nil {
		var zero T
		return zero, err
	}
	if ch != nil {
		s.app.known.learn(ch.size, asked, ch.settings)
		if !ch.governs() {
			s.app.known.advance(ch.size, ch.size+int64(len(ch.records)))
		}
	}
	return out, nil
}

// governs reports whether a write may have changed who the actors are or what
// is in force.
func (ch *change) governs() bool {
	return slices.ContainsFunc(ch.records, func(r journal.Record) bool {
		switch r.Kind {
		case kindActorPut, kindConfigApplied, kindStatusDecided:
			return true
		}
		return false
	})
}

// requestDigest identifies a request that carries an idempotency key.
func requestDigest(name string, w api.Write, req any) (brenner.Digest, error) {
	if w.Key == "" {
		return "", nil
	}
	if len(w.Key) > brenner.MaxIdempotencyKeyBytes {
		return "", brenner.Errorf(brenner.CodeLimitExceeded, "the idempotency key is longer than %d bytes", brenner.MaxIdempotencyKeyBytes)
	}
	if err := checkText(w.Key); err != nil {
		return "", err
	}
	b, err := canon.Marshal(req)
	if err != nil {
		return "", err
	}
	return canon.Sum(append([]byte(name+"\n"), b...)), nil
}

// earlier finds the result of an earlier request with the same key.
func earlier(c *call, key string, digest brenner.Digest, out any) (bool, error) {
	if key == "" {
		return false, nil
	}
	prev, err := c.Request(c.ctx, c.actor.Name, key)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.decided = true // it was, when the request was first made
	if prev.Digest != digest {
		return false, brenner.Errorf(brenner.CodeIdempotencyReused, "key %q was used for another request at journal position %d", key, prev.Seq)
	}
	return true, json.Unmarshal(prev.Result, out)
}

// append says that something happened: the tables follow at once. It gives the
// record's position in the journal.
func (ch *change) append(kind string, payload any) (int64, error) {
	b, err := canon.Marshal(payload)
	if err != nil {
		return 0, err
	}
	rec := journal.Record{
		Seq: ch.nextSeq(), At: ch.now, Actor: ch.actor.Name, Role: ch.actor.Role,
		Auth: ch.who.Auth, Kind: kind, Payload: b,
	}
	ch.records = append(ch.records, rec)
	if err := project(ch.ctx, ch.tx, rec); err != nil {
		return 0, fmt.Errorf("project %s: %w", kind, err)
	}
	return rec.Seq, nil
}

// nextSeq is the journal position that the next record will have.
func (ch *change) nextSeq() int64 { return ch.size + int64(len(ch.records)) + 1 }

// commit writes the records to the journal; the last one carries the
// idempotency key and the result.
func (ch *change) commit(key string, digest brenner.Digest, result any) error {
	if len(ch.records) == 0 {
		return nil
	}
	if key != "" {
		b, err := canon.Marshal(result)
		if err != nil {
			return err
		}
		last := &ch.records[len(ch.records)-1]
		last.Request = &journal.Request{Key: key, Digest: digest, Result: b}
		if err := projectRequest(ch.ctx, ch.tx, *last); err != nil {
			return err
		}
	}
	return journal.Append(ch.ctx, ch.tx, ch.records)
}

// blob stores content and gives its digest, to be named in a record.
func (ch *change) blob(data []byte) (brenner.Digest, error) {
	d := canon.Sum(data)
	return d, ch.tx.PutBlob(ch.ctx, d, data)
}
