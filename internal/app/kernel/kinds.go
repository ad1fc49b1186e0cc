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
	rec, err := journal.Parse(row)
	if err != nil {
		return payload, err
	}
	if rec, _, err = c.kernel.kinds.Whole(c.Ctx, c.Reader, rec); err != nil {
		return payload, err
	}
	return payload, canon.Unmarshal(rec.Payload, &payload)
}

// Follower adds to what a kind of another room does to the tables, after it.
func (k Kind[T]) Follower(apply func(ctx context.Context, tx store.Tx, rec journal.Record, payload T) error) AnyKind {
	return follower{k.Name, Kind[T]{Apply: apply}.applier()}
}

// AnyKind is a Kind of any payload, or a follower of one.
type AnyKind interface{ enter(*Kinds) error }

func (k Kind[T]) enter(all *Kinds) error {
	if _, twice := all.byName[k.Name]; twice || k.Name == "" {
		return fmt.Errorf("the kind of record %q is there twice", k.Name)
	}
	e := &entry{governs: k.Governs, payload: reflect.TypeFor[T](), texts: patterns(k.Texts)}
	if k.Apply != nil {
		e.apply = append(e.apply, k.applier())
	} else {
		e.apply = append(e.apply, Kind[T]{Apply: func(context.Context, store.Tx, journal.Record, T) error { return nil }}.applier())
	}
	if k.Stores != nil {
		e.stores = func(raw jsontext.Value) []brenner.Digest {
			var payload T
			if canon.Unmarshal(raw, &payload) != nil {
				return nil // verify reports the record itself
			}
			return k.Stores(payload)
		}
	}
	if k.Of != nil {
		e.of = func(raw jsontext.Value) (brenner.Ref, error) {
			var payload T
			if err := canon.Unmarshal(raw, &payload); err != nil {
				return brenner.Ref{}, err
			}
			return k.Of(payload), nil
		}
	}
	if k.Events != nil {
		e.events = func(raw jsontext.Value) ([]automation.Event, error) {
			var payload T
			if err := canon.Unmarshal(raw, &payload); err != nil {
				return nil, err
			}
			return k.Events(payload), nil
		}
	}
	all.byName[k.Name] = e
	return nil
}

type applier func(ctx context.Context, tx store.Tx, rec journal.Record) error

// applier reads the payload for Apply.
func (k Kind[T]) applier() applier {
	return func(ctx context.Context, tx store.Tx, rec journal.Record) error {
		var payload T
		if err := canon.Unmarshal(rec.Payload, &payload); err != nil {
			return fmt.Errorf("payload of record %d: %w", rec.Seq, err)
		}
		return k.Apply(ctx, tx, rec, payload)
	}
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

type entry struct {
	payload reflect.Type
	texts   []pattern
	apply   []applier
	stores  func(jsontext.Value) []brenner.Digest
	of      func(jsontext.Value) (brenner.Ref, error)
	governs bool
	events  func(jsontext.Value) ([]automation.Event, error)
}

// Kinds are all kinds of records there are. A record of any other kind can
// neither be written nor replayed.
type Kinds struct {
	byName map[string]*entry
	every  []applier
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

type everyKind applier

func (e everyKind) enter(all *Kinds) error {
	all.every = append(all.every, applier(e))
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
	for _, apply := range slices.Concat(e.apply, all.every) {
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
		out = e.stores(rec.Payload)
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
	ref, err := e.of(rec.Payload)
	return ref, e.stores(rec.Payload), err
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
	events, err := all.byName[rec.Kind].events(rec.Payload)
	for i := range events {
		events[i].Seq = rec.Seq
	}
	return events, err
}

// Governs reports whether a record may have changed who the actors are or what
// is in force.
func (all *Kinds) Governs(rec journal.Record) bool {
	e, ok := all.byName[rec.Kind]
	return ok && e.governs
}
