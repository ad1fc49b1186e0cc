package kernel

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"brenner"
	"brenner/automation"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is one kind of record: all there is to know about it.
type Kind[T any] struct {
	Name string
	// Apply turns a record into rows. It sees the record and the rows that
	// earlier records made, never a clock or a request: the same journal gives
	// the same tables, live and in a replay (J4). nil: it makes none.
	Apply func(ctx context.Context, tx store.Tx, rec journal.Record, payload T) error
	// Stores lists the contents that were stored with a record. A kind that
	// stores contents must say so, or verify would not miss them.
	Stores func(payload T) []brenner.Digest
	// Of is the version out of which those contents were taken: when its content
	// is redacted they go with it (J7). nil: they are no part of another.
	Of func(payload T) brenner.Ref
	// Texts are the members of the payload that are free text, as JSON pointers in
	// which * stands for any step: they stand in a record by their hash (J7). What
	// is no text is a name, a number or a hash, which no redaction reaches.
	Texts []string
	// Governs says that a record may change who the actors are or what is in
	// force.
	Governs bool
	// Events says what a record means for the rules of automation (A1); nil:
	// nothing. It sees the payload alone, with hashes for texts.
	Events func(payload T) []automation.Event
}

// Append says that something of this kind happened: the tables follow at once.
// It gives the record's position in the journal.
func (k Kind[T]) Append(ch *Change, payload T) (int64, error) { return ch.append(k.Name, payload) }

// Read reads what a record of this kind says, with its texts.
func (k Kind[T]) Read(c *Call, row store.Record) (T, error) {
	var payload T
	err := c.payload(row, &payload)
	return payload, err
}

func (c *Call) payload(row store.Record, into any) error {
	rec, err := journal.Parse(row)
	if err != nil {
		return err
	}
	if rec, _, err = c.kernel.kinds.Whole(c.Ctx, c.Reader, rec); err != nil {
		return err
	}
	return canon.Unmarshal(rec.Payload, into)
}

// Follower adds to what a kind of another room does to the tables, after it.
func (k Kind[T]) Follower(apply func(ctx context.Context, tx store.Tx, rec journal.Record, payload T) error) AnyKind {
	return follower{k.Name, applierOf(apply)}
}

// AnyKind is a Kind of any payload, or a follower of one.
type AnyKind interface{ enter(*Kinds) error }

func (k Kind[T]) enter(all *Kinds) error {
	e := &entry{governs: k.Governs, payload: reflect.TypeFor[T](), texts: patterns(k.Texts)}
	e.apply = []applier{applierOf(k.Apply)}
	if stores := k.Stores; stores != nil {
		e.stores = func(payload any) []brenner.Digest { return stores(*payload.(*T)) }
	}
	if of := k.Of; of != nil {
		e.of = func(payload any) brenner.Ref { return of(*payload.(*T)) }
	}
	if events := k.Events; events != nil {
		e.events = func(payload any) []automation.Event { return events(*payload.(*T)) }
	}
	return all.enter(k.Name, e)
}

// applier applies records to the tables. It is given what they say as a pointer
// to a value of the type.
type applier struct {
	payload reflect.Type
	apply   func(ctx context.Context, tx store.Tx, rec journal.Record, payload any) error
}

// applierOf is for an Apply; nil does nothing with what it reads.
func applierOf[T any](apply func(ctx context.Context, tx store.Tx, rec journal.Record, payload T) error) applier {
	return applier{reflect.TypeFor[T](), func(ctx context.Context, tx store.Tx, rec journal.Record, payload any) error {
		if apply == nil {
			return nil
		}
		return apply(ctx, tx, rec, *payload.(*T))
	}}
}

func (a applier) to(ctx context.Context, tx store.Tx, rec journal.Record) error {
	payload, err := payloadAs(a.payload, rec.Payload)
	if err != nil {
		return fmt.Errorf("payload of record %d: %w", rec.Seq, err)
	}
	return a.apply(ctx, tx, rec, payload)
}

// payloadAs gives a pointer to what a payload says.
func payloadAs(typ reflect.Type, raw jsontext.Value) (any, error) {
	payload := reflect.New(typ).Interface()
	return payload, canon.Unmarshal(raw, payload)
}

type follower struct {
	of    string
	apply applier
}

func (f follower) enter(all *Kinds) error {
	e, ok := all.byName[f.of]
	if !ok {
		return fmt.Errorf("a follower of the kind of record %q, which there is not", f.of)
	}
	e.apply = append(e.apply, f.apply)
	return nil
}

// entry is a Kind of whatever payload; its functions are given pointers to one.
type entry struct {
	payload reflect.Type
	texts   []pattern
	apply   []applier
	stores  func(payload any) []brenner.Digest
	of      func(payload any) brenner.Ref
	governs bool
	events  func(payload any) []automation.Event
}

func (e *entry) read(rec journal.Record) (any, error) { return payloadAs(e.payload, rec.Payload) }

// Kinds are all kinds of records there are. A record of any other kind can
// neither be written nor replayed.
type Kinds struct {
	byName map[string]*entry
	every  []everyKind
}

func (all *Kinds) enter(name string, e *entry) error {
	if _, twice := all.byName[name]; twice || name == "" {
		return fmt.Errorf("the kind of record %q is there twice", name)
	}
	all.byName[name] = e
	return nil
}

// Known refuses a kind to look for of which no record can be.
func (all *Kinds) Known(kind string) error {
	if _, ok := all.byName[kind]; ok || kind == "" {
		return nil
	}
	kinds := slices.Sorted(maps.Keys(all.byName))
	err := brenner.Errorf(brenner.CodeInvalidValue, "no record is of the kind %q", brenner.Clip(kind, 60)).At("/kind")
	if near := brenner.Slip(kind, kinds); near != "" {
		return err.Try(brenner.Again("kind", near))
	}
	return err.WithHint("the kinds are " + Join(kinds))
}

// Every follows every record, whatever its kind, after the tables of its kind.
func Every(apply func(ctx context.Context, tx store.Tx, rec journal.Record) error) AnyKind {
	return everyKind(apply)
}

type everyKind func(ctx context.Context, tx store.Tx, rec journal.Record) error

func (e everyKind) enter(all *Kinds) error {
	all.every = append(all.every, e)
	return nil
}

// NewKinds puts the kinds of all rooms together: a kind is there once, and its
// followers come after it.
func NewKinds(rooms ...[]AnyKind) (*Kinds, error) {
	all := &Kinds{byName: map[string]*entry{}}
	for _, kinds := range rooms {
		for _, k := range kinds {
			if err := k.enter(all); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// Apply applies one record to the tables. Its texts are read from where they are
// kept.
func (all *Kinds) Apply(ctx context.Context, tx store.Tx, rec journal.Record) error {
	return all.applyFrom(ctx, tx, tx, rec)
}

func (all *Kinds) applyFrom(ctx context.Context, texts store.Reader, tx store.Tx, rec journal.Record) error {
	e, ok := all.byName[rec.Kind]
	if !ok {
		return brenner.Errorf(brenner.CodeJournalCorrupt, "record %d is of unknown kind %q", rec.Seq, rec.Kind)
	}
	rec, _, err := all.Whole(ctx, texts, rec)
	if err != nil {
		return err
	}
	for _, a := range e.apply {
		if err := a.to(ctx, tx, rec); err != nil {
			return err
		}
	}
	for _, apply := range all.every {
		if err := apply(ctx, tx, rec); err != nil {
			return err
		}
	}
	return applyRequest(ctx, tx, rec)
}

// applyRequest remembers what an idempotency key was used for.
func applyRequest(ctx context.Context, tx store.Tx, rec journal.Record) error {
	if rec.Request == nil {
		return nil
	}
	return tx.PutRequest(ctx, store.Request{
		Actor: rec.Actor, Key: rec.Request.Key, Digest: rec.Request.Digest,
		Result: rec.Request.Result, Seq: rec.Seq,
	})
}

// Replay applies every record of one store to the tables of another, or of the
// same. each is told of every record before it is applied, and can end it.
func (all *Kinds) Replay(ctx context.Context, from store.Reader, tx store.Tx, each func(journal.Record) error) error {
	return journal.Each(ctx, from, 0, func(row store.Record) error {
		rec, err := journal.Parse(row)
		if err != nil {
			return err
		}
		if err := each(rec); err != nil {
			return err
		}
		return all.applyFrom(ctx, from, tx, rec)
	})
}

// Stored lists the contents that a record says were stored with it, its texts
// among them.
func (all *Kinds) Stored(rec journal.Record) []brenner.Digest {
	var out []brenner.Digest
	if e, ok := all.byName[rec.Kind]; ok && e.stores != nil {
		if payload, err := e.read(rec); err == nil { // else verify reports the record itself
			out = e.stores(payload)
		}
	}
	quotes, err := all.Quotes(rec)
	if err != nil {
		return out // verify reports the record itself
	}
	for _, q := range quotes {
		if !q.Inline {
			out = append(out, q.Digest)
		}
	}
	return out
}

// TakenOut gives the contents that a record stored and the version out of which
// they were taken; none if its kind takes nothing out of others.
func (all *Kinds) TakenOut(row store.Record) (brenner.Ref, []brenner.Digest, error) {
	e, ok := all.byName[row.Kind]
	if !ok || e.of == nil {
		return brenner.Ref{}, nil, nil
	}
	rec, err := journal.Parse(row)
	if err != nil {
		return brenner.Ref{}, nil, err
	}
	payload, err := e.read(rec)
	if err != nil {
		return brenner.Ref{}, nil, err
	}
	return e.of(payload), e.stores(payload), nil
}

// Payloads are the types of what records say, by their kind, and which of their
// members are free text.
func (all *Kinds) Payloads() map[string]Payload {
	out := map[string]Payload{}
	for name, e := range all.byName {
		texts := func(at string) bool { return e.isText(jsontext.Pointer(at)) }
		out[name] = Payload{Type: e.payload, Text: texts}
	}
	return out
}

// Payload describes what records of a kind say.
type Payload struct {
	Type reflect.Type
	Text func(at string) bool
}

// Means reports whether records of a kind can mean anything for the rules of
// automation.
func (all *Kinds) Means(kind string) bool {
	e, ok := all.byName[kind]
	return ok && e.events != nil
}

// Events lists what a record means for the rules of automation.
func (all *Kinds) Events(rec journal.Record) ([]automation.Event, error) {
	if !all.Means(rec.Kind) {
		return nil, nil
	}
	e := all.byName[rec.Kind]
	payload, err := e.read(rec)
	if err != nil {
		return nil, err
	}
	events := e.events(payload)
	for i := range events {
		events[i].Seq = rec.Seq
	}
	return events, nil
}

// Governs reports whether a record may have changed who the actors are or what
// is in force.
func (all *Kinds) Governs(rec journal.Record) bool {
	e, ok := all.byName[rec.Kind]
	return ok && e.governs
}
