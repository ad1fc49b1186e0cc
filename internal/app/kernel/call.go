package kernel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/admission"
	"brenner/internal/journal"
	"brenner/internal/store"

	"github.com/go-json-experiment/json"
)

// Call is one use case under way: a snapshot, who asks, and what is in force.
type Call struct {
	store.Reader
	*Settings

	Ctx context.Context
	// Now is the time that records are given: that of this machine, and not before
	// the newest record. Clock is what the clock of this machine says. By it leases
	// and tokens end, and as long as they were asked for (ADR 150).
	Now, Clock time.Time
	Position   int64 // of the journal, that the call sees
	Identity   Identity
	// Who asks. A use case that enters a task acts in the role the task gives
	// (C8) by changing it.
	Who store.Actor
	// Task is the one that was entered, if any.
	Task string
	// Unasked says that an agent is told what it did not ask for.
	Unasked bool

	kernel  *Kernel
	work    *admission.Work // nil in a transaction, where nothing waits
	through *Through        // what an agent reads through (C3); nil otherwise
	asked   bool            // the policy was asked
	allowed bool            // and allowed something
	denial  *store.Denial   // or said no
	once    map[any]any     // what was found out on a snapshot; nil in a transaction
	vouched map[validContent]bool
}

// Once finds something out the first time a call asks for it, on a snapshot,
// where it stays as it is. In a transaction it is found out each time. The key
// is of a type of its own, as that of a context.
func Once[T any](c *Call, key any, find func() (T, error)) (T, error) {
	if found, ok := c.once[key].(T); ok {
		return found, nil
	}
	found, err := find()
	if err == nil && c.once != nil {
		c.once[key] = found
	}
	return found, err
}

// Person reports whether a person asks, not an agent.
func (c *Call) Person() bool { return c.Who.Kind == Person }

// Leads reports whether the person asks who leads the project.
func (c *Call) Leads() bool { return c.Person() && c.Who.Role == brenner.PI }

// Gone reports whether nobody waits for the answer any more: long work that needs
// no store asks for it (X9).
func (c *Call) Gone() bool { return c.Ctx.Err() != nil }

// As is the call as if another actor made it.
func (c *Call) As(who store.Actor) *Call {
	other := *c
	other.Who = who
	return &other
}

// begin begins a call: who asks, and what is in force.
func (k Caller) begin(ctx context.Context, r store.Reader, remembered ...*known) (*Call, error) {
	size, err := r.Size(ctx)
	if err != nil {
		return nil, err
	}
	now := k.Now()
	c := &Call{Reader: r, Ctx: ctx, Now: now, Clock: now, Position: size, Identity: k.Identity, kernel: k.Kernel}
	if k.Identity == Automation {
		c.Who = systemActor
		c.Settings, err = k.settings.load(ctx, r)
		return c, err
	}
	if err := c.identify(remembered...); err != nil {
		return nil, err
	}
	if k.Auth == AuthAs && c.Person() { // who has the file is its owner anyway, and says so by naming nobody
		return nil, brenner.Errorf(brenner.CodeUnauthenticated, "%q is a person, and a command can be given only as an agent", k.Name).
			WithHint("leave the name away to act as the person who leads the project; others log in or have a token")
	}
	return c, nil
}

// identify loads who asks and what is in force, unless that is remembered.
func (c *Call) identify(remembered ...*known) error {
	name := c.Identity.Name
	for _, known := range append(remembered, &c.kernel.known) {
		var ok bool
		if c.Who, c.Settings, ok = known.find(c.Position, name); ok {
			return nil
		}
	}
	var err error
	c.Who, err = c.Actor(c.Ctx, name)
	if errors.Is(err, brenner.CodeNotFound) || (err == nil && !c.Who.Active) {
		return brenner.Errorf(brenner.CodeUnauthenticated, "%q is not an actor of this project", name).
			WithHint("the PI registers one").Try(brenner.Do("agent.add").Asking("name", "role"))
	}
	if err != nil {
		return err
	}
	c.Settings, err = c.kernel.settings.load(c.Ctx, c.Reader)
	return err
}

// errNotAsked is the fault of a use case that nobody was asked about.
var errNotAsked = errors.New("a use case asked no policy")

// pass asks the guard.
func (c *Call) pass(guard Guard) error {
	if guard.ask == nil {
		return errNotAsked
	}
	return guard.ask(c)
}

// refused keeps a refusal for the audit, as well as can be: a refusal stays a
// refusal when the store cannot be written.
func (k Caller) refused(ctx context.Context, c *Call, err error) error {
	if err != nil && c != nil && c.denial != nil {
		denial := *c.denial
		_ = k.store.Write(ctx, func(tx store.Tx) error { return tx.AddDenial(ctx, denial) })
	}
	return err
}

// View runs a use case that only reads. One that turns out to hold much in
// memory waits for its turn, and is then run again from the beginning, on a new
// snapshot (X10).
//
// What has a type here and below stays small: the compiler makes it anew for every
// type of an answer (ADR 215).
func View[T any](ctx context.Context, k Caller, guard Guard, fn func(*Call) (T, error)) (T, error) {
	var out T
	err := k.view(ctx, guard, func(c *Call) (err error) {
		out, err = fn(c)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

func (k Caller) view(ctx context.Context, guard Guard, fn func(*Call) error) error {
	var c *Call
	err := k.gate.Do(ctx, string(k.Name), func(w *admission.Work) error {
		c = nil
		return k.store.Read(ctx, func(r store.Reader) (err error) {
			if c, err = k.begin(ctx, r); err != nil {
				return err
			}
			c.Reader, c.work, c.once = metered{k.recalling(r, c), w}, w, map[any]any{}
			return c.viewed(guard, fn)
		})
	})
	return k.refused(ctx, c, err)
}

// viewed asks the guard, runs a use case that only reads, and remembers who
// asked.
func (c *Call) viewed(guard Guard, fn func(*Call) error) error {
	who := c.Who // a use case may act in another role for a while
	if err := c.pass(guard); err != nil {
		return err
	}
	if err := fn(c); err != nil {
		return err
	}
	if !c.asked {
		return errNotAsked
	}
	if who.Name != System {
		c.kernel.known.learn(c.Position, who, c.Settings)
	}
	return nil
}

// Keyed is a request that may carry an idempotency key: one that holds an
// api.Write.
type Keyed interface{ IdempotencyKey() string }

// Outlined is a result that carries content or a rendering of it. What is kept
// for its idempotency key is the outline, which has none: a content that is
// redacted is gone from there too (J7), and a repeat reads it anew, by the
// rights of then (X2).
type Outlined interface{ Outline() any }

// Write runs a use case that writes, once per idempotency key (X2). name and
// req identify the request; the result must survive JSON. A request that is a
// dry run is rehearsed.
func Write[T any](ctx context.Context, k Caller, name string, req Keyed, guard Guard, fn func(*Change) (T, error)) (T, error) {
	var out T
	err := k.write(ctx, name, req, guard, &out, func(ch *Change) (err error) {
		out, err = fn(ch)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// write is Write of what fn leaves in out, to which it points.
func (k Caller) write(ctx context.Context, name string, req Keyed, guard Guard, out any, fn func(*Change) error) error {
	if isTried(req) {
		return k.rehearse(ctx, guard, fn)
	}
	var c *Call
	var ch *Change
	var group *known
	if err := k.Halted(); err != nil && ctx.Value(despiteHalt{}) == nil {
		return err
	}
	key := req.IdempotencyKey()
	digest, err := requestDigest(name, key, req)
	if err != nil {
		return err
	}
	err = k.gate.Do(ctx, string(k.Name), func(*admission.Work) error { // what a large request brings waits for room before its turn (X10)
		return k.store.Write(ctx, func(tx store.Tx) (err error) {
			ch = nil // the store may run this again
			defer k.takeTurn(ctx, name)()
			group = knownIn(tx)
			if c, err = k.begin(ctx, tx, group); err != nil {
				return err
			}
			if err := c.date(group); err != nil {
				return err
			}
			if repeated, err := c.earlier(key, digest, out); repeated || err != nil {
				if repeated {
					api.Replayed(ctx)
				}
				return err
			}
			who := c.Who // a use case may act in another role for a while
			ch = &Change{Call: c, tx: tx}
			tx.RefuseLate() // what a change appends fits what it has read
			if err := c.pass(guard); err != nil {
				return err
			}
			if err := fn(ch); err != nil {
				return err
			}
			if !c.asked {
				return errNotAsked
			}
			if err := ch.commit(key, digest, out); err != nil {
				return err
			}
			if n := int64(len(ch.records)); n > 0 {
				group.stamp(ch.Position+n, ch.Now)
			}
			if who.Name != System {
				group.learn(ch.Position, who, ch.Settings)
			}
			if slices.ContainsFunc(ch.records, k.kinds.Governs) {
				group.forget()
			} else {
				group.advance(ch.Position, ch.Position+int64(len(ch.records)))
			}
			return nil
		})
	})
	if err != nil {
		return k.refused(ctx, c, err)
	}
	if ch != nil {
		k.known.adopt(group)
		if len(ch.records) > 0 {
			k.wrote.Store(true)
			k.grew.Store(true)
		}
	}
	return nil
}

// Date gives a call on a snapshot the time that a record written now would have,
// for a use case that says what writing would do. A change has it.
func (c *Call) Date() error {
	if c.once == nil {
		return nil
	}
	return c.date(&c.kernel.known)
}

// date keeps the time of records from going back where the clock of this machine,
// or of another that writes the project, is set back or behind. As long as the
// newest record is ahead of the clock, each change is a microsecond after the one
// before it: what is written later is later. A record from further in the future
// than brenner.MaxClockLead is not followed: the next ones would all be in the
// future too.
func (c *Call) date(group *known) error {
	if c.Position == 0 {
		return nil
	}
	last, ok := group.stamped(c.Position)
	if !ok {
		last, ok = c.kernel.known.stamped(c.Position)
	}
	if !ok {
		rows, err := c.Records(c.Ctx, c.Position-1, 1)
		if err != nil || len(rows) == 0 {
			return err
		}
		last = rows[0].At
		group.stamp(c.Position, last)
	}
	if lead := last.Sub(c.Clock); lead > 0 && lead <= brenner.MaxClockLead {
		c.Now = last.Add(time.Microsecond)
	}
	return nil
}

// requestDigest identifies a request that carries an idempotency key.
func requestDigest(name, key string, req any) (brenner.Digest, error) {
	if key == "" {
		return "", nil
	}
	if len(key) > brenner.MaxIdempotencyKeyBytes {
		return "", brenner.Errorf(brenner.CodeLimitExceeded, "the idempotency key is longer than %d bytes", brenner.MaxIdempotencyKeyBytes)
	}
	if err := CheckText(key); err != nil {
		return "", err
	}
	b, err := canon.Marshal(req)
	if err != nil {
		return "", err
	}
	return canon.Sum(append([]byte(name+"\n"), b...)), nil
}

// Repeats reports whether an idempotency key was used before.
func (c *Call) Repeats(key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	_, err := c.Request(c.Ctx, c.Who.Name, key)
	if errors.Is(err, brenner.CodeNotFound) {
		return false, nil
	}
	return err == nil, err
}

// earlier finds the result of an earlier request with the same key. It was
// allowed when it was first made.
func (c *Call) earlier(key string, digest brenner.Digest, out any) (bool, error) {
	if key == "" {
		return false, nil
	}
	prev, err := c.Request(c.Ctx, c.Who.Name, key)
	if errors.Is(err, brenner.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if prev.Digest != digest {
		return false, brenner.Errorf(brenner.CodeIdempotencyReused, "key %q was used for another request at journal position %d", key, prev.Seq)
	}
	result, err := wholeResult(c.Ctx, c.Reader, prev.Result)
	if err != nil {
		return false, err
	}
	reflect.ValueOf(out).Elem().SetZero() // a write that was run before, and taken back, has left its own
	return true, json.Unmarshal(result, out)
}

// Change is a use case that writes. Whatever it writes, it writes through the
// methods below, and none of them works before the policy has allowed
// something.
type Change struct {
	*Call
	tx      store.Tx
	records []journal.Record
	under   *string         // the context it is made under, once looked up
	wrote   map[string]bool // the texts of its records
	bytes   int64           // of the contents it stored
}

// writing gives the transaction to who may write.
func (ch *Change) writing() (store.Tx, error) {
	if !ch.allowed {
		return nil, errNotAsked
	}
	return ch.tx, nil
}

// append says that something happened: the tables follow at once. It gives the
// record's position in the journal.
func (ch *Change) append(kind string, payload any) (int64, error) {
	tx, err := ch.writing()
	if err != nil {
		return 0, err
	}
	b, err := canon.Marshal(payload)
	if err != nil {
		return 0, err
	}
	under, err := ch.context()
	if err != nil {
		return 0, err
	}
	rec := journal.Record{
		Seq: ch.NextSeq(), At: ch.Now, Actor: ch.Who.Name, Role: ch.Who.Role,
		Auth: ch.Identity.Auth, Context: under, Kind: kind, Payload: b,
	}
	kept, err := ch.withoutTexts(rec)
	if err != nil {
		return 0, err
	}
	ch.records = append(ch.records, kept)
	if err := ch.kernel.kinds.Apply(ch.Ctx, tx, rec); err != nil {
		return 0, fmt.Errorf("apply %s: %w", kind, err)
	}
	return rec.Seq, nil
}

// withoutTexts is a record as the journal keeps it: its texts by their hash (J7).
func (ch *Change) withoutTexts(rec journal.Record) (journal.Record, error) {
	e, ok := ch.kernel.kinds.byName[rec.Kind]
	if !ok || len(e.texts) == 0 {
		return rec, nil
	}
	if ch.wrote == nil {
		ch.wrote = map[string]bool{}
	}
	var err error
	rec.Payload, err = e.lift(rec.Payload, func(text string) (brenner.Digest, error) {
		ch.wrote[text] = true
		return ch.PutBlob([]byte(text))
	})
	rec.Texts = true
	return rec, err
}

// context is what an agent saw before it wrote: its newest context, in a task
// the newest for that task (C30). Persons, and agents that saw none, have none.
func (ch *Change) context() (string, error) {
	if ch.under == nil {
		id := ""
		if m := ch.kernel.meter; m != nil && !ch.Person() && ch.Who.Name != System {
			var err error
			if id, err = m.Current(ch.Call); err != nil {
				return "", err
			}
		}
		ch.under = &id
	}
	return *ch.under, nil
}

// NextSeq is the journal position that the next record will have.
func (ch *Change) NextSeq() int64 { return ch.Position + int64(len(ch.records)) + 1 }

// commit writes the records to the journal; the last one carries the
// idempotency key and the result.
func (ch *Change) commit(key string, digest brenner.Digest, result any) error {
	if len(ch.records) == 0 {
		return nil
	}
	if key != "" {
		if o, ok := result.(Outlined); ok {
			result = o.Outline()
		}
		b, err := canon.Marshal(result)
		if err != nil {
			return err
		}
		b, err = liftResult(b, ch.wrote, func(text string) (brenner.Digest, error) { return ch.PutBlob([]byte(text)) })
		if err != nil {
			return err
		}
		last := &ch.records[len(ch.records)-1]
		last.Request = &journal.Request{Key: key, Digest: digest, Result: b}
		if err := applyRequest(ch.Ctx, ch.tx, *last); err != nil {
			return err
		}
	}
	if err := ch.charge(); err != nil {
		return err
	}
	return journal.Append(ch.Ctx, ch.tx, ch.records)
}

// charge counts what an actor has stored, and refuses what goes beyond its share
// (X10). Who leads the project has no bound: somebody must be able to go on.
func (ch *Change) charge() error {
	bytes := ch.bytes
	for _, rec := range ch.records {
		bytes += Weight(rec)
	}
	if !ch.Leads() && ch.Who.Name != System && ch.Settings != nil {
		most := ch.Config.StoragePerActor()
		stored, err := ch.Stored(ch.Ctx, ch.Identity.Name)
		if err != nil {
			return err
		}
		if most > 0 && stored+bytes > most {
			return brenner.Errorf(brenner.CodeStorageSpent, "%s has stored %d bytes, this is %d more, and its share is %d", ch.Identity.Name,
				stored, bytes, most).
				WithHint("the PI can set another share: storage_per_actor in the configuration")
		}
	}
	return ch.tx.AddStored(ch.Ctx, ch.Identity.Name, bytes)
}

// Weight is what a record counts for as stored: its own bytes, and what hashes
// and tables keep for it.
func Weight(rec journal.Record) int64 {
	const frame = 512
	n := frame + len(rec.Payload)
	if rec.Request != nil {
		n += len(rec.Request.Result)
	}
	return int64(n)
}

// PutBlob stores content and gives its digest, to be named in a record.
func (ch *Change) PutBlob(data []byte) (brenner.Digest, error) {
	tx, err := ch.writing()
	if err != nil {
		return "", err
	}
	d := canon.Sum(data)
	ch.bytes += int64(len(data))
	return d, tx.PutBlob(ch.Ctx, d, data)
}

// PutContent is PutBlob for a content that may know its digest already.
func (ch *Change) PutContent(c artifact.Content) (brenner.Digest, error) {
	tx, err := ch.writing()
	if err != nil {
		return "", err
	}
	d := c.Digest()
	ch.bytes += int64(len(c.Data))
	return d, tx.PutBlob(ch.Ctx, d, c.Data)
}

// PutToken keeps a token, which is outside the state (J4).
func (ch *Change) PutToken(t store.Token) error {
	tx, err := ch.writing()
	if err != nil {
		return err
	}
	return tx.PutToken(ch.Ctx, t)
}

// PutVectors keeps vectors, which are outside the state.
func (ch *Change) PutVectors(space string, vectors map[string][]float32) error {
	tx, err := ch.writing()
	if err != nil {
		return err
	}
	return tx.PutVectors(ch.Ctx, space, vectors)
}

// Rebuild empties the tables and makes them anew from the journal and from what
// was changed so far. each is told of every record before it is applied, and can
// end it.
func (ch *Change) Rebuild(each func(journal.Record) error) error {
	tx, err := ch.writing()
	if err != nil {
		return err
	}
	if err := tx.Reset(ch.Ctx); err != nil {
		return err
	}
	if err := ch.kernel.kinds.Replay(ch.Ctx, tx, tx, each); err != nil {
		return err
	}
	for _, rec := range ch.records {
		if err := ch.kernel.kinds.Apply(ch.Ctx, tx, rec); err != nil {
			return err
		}
	}
	return nil
}
