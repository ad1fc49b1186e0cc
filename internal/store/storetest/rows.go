package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"brenner"
	"brenner/internal/store"
)

var rowCases = []testCase{
	{"Actor_IsReplacedWhole", func(t *testing.T, s store.Store) {
		a := store.Actor{Name: "ada", Kind: "agent", Role: "reader", Note: "first", Active: true, Created: day, Seq: 1}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutActor(ctx, a) })
		a.Note, a.Active, a.Seq, a.Kind, a.Role = "", false, 2, "person", "pi"
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutActor(ctx, a) })
		wantEqual(t, "actors", []store.Actor{a}, get(t, s, func(ctx context.Context, r store.Reader) ([]store.Actor, error) { return r.Actors(ctx) }))
		ctx := context.Background()
		wantCode(t, brenner.CodeNotFound, s.Read(ctx, func(r store.Reader) error { _, err := r.Actor(ctx, "Ada"); return err }))
	}},
	{"Object_IsReplacedWhole", func(t *testing.T, s store.Store) {
		o := store.Object{Kind: "task", ID: "t1", Group: "g", State: "open", Order: 5, Body: []byte(`{"x":1}`), Seq: 3}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutObject(ctx, o) })
		o.Group, o.State, o.Order, o.Body, o.Seq = "h", "done", -6, []byte{0, 0xff}, 4
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutObject(ctx, o) })
		wantEqual(t, "object", o, get(t, s, func(ctx context.Context, r store.Reader) (store.Object, error) { return r.Object(ctx, "task", "t1") }))
		wantEqual(t, "objects", []store.Object{o}, get(t, s, func(ctx context.Context, r store.Reader) ([]store.Object, error) {
			return r.Objects(ctx, store.ObjectQuery{Kind: "task"})
		}))
		ctx := context.Background()
		wantCode(t, brenner.CodeNotFound, s.Read(ctx, func(r store.Reader) error { _, err := r.Object(ctx, "bullet", "t1"); return err }))
	}},
	{"Objects_AreSelectedByEveryField", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for _, o := range []store.Object{
				{Kind: "task", ID: "a", Group: "g", State: "open", Order: 2},
				{Kind: "task", ID: "b", Group: "g", State: "done", Order: 1},
				{Kind: "task", ID: "c", Group: "h", State: "open", Order: 2},
				{Kind: "task", ID: "d", Group: "", State: "open", Order: -3},
				{Kind: "task", ID: "e", Group: "g", State: "open", Order: 2},
				{Kind: "mail", ID: "a", Group: "g", State: "open", Order: 2},
			} {
				o.Body = []byte("{}")
				if err := tx.PutObject(ctx, o); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			q    store.ObjectQuery
			want string
		}{
			{store.ObjectQuery{Kind: "task"}, "[d b a c e]"},
			{store.ObjectQuery{Kind: "mail"}, "[a]"},
			{store.ObjectQuery{Kind: "none"}, "[]"},
			{store.ObjectQuery{Kind: "task", Group: "g"}, "[b a e]"},
			{store.ObjectQuery{Kind: "task", States: []string{"open"}}, "[d a c e]"},
			{store.ObjectQuery{Kind: "task", States: []string{"open", "done"}}, "[d b a c e]"},
			{store.ObjectQuery{Kind: "task", Group: "g", States: []string{"open"}}, "[a e]"},
			{store.ObjectQuery{Kind: "task", Newest: true}, "[e c a b d]"},
			{store.ObjectQuery{Kind: "task", Newest: true, Limit: 2}, "[e c]"},
			{store.ObjectQuery{Kind: "task", AfterOrder: 2, AfterID: "a"}, "[c e]"},
			{store.ObjectQuery{Kind: "task", AfterOrder: 2, AfterID: "a", Newest: true}, "[b d]"},
			{store.ObjectQuery{Kind: "task", AfterOrder: 1, AfterID: "zz", Limit: 2, States: []string{"open"}}, "[a c]"},
			{store.ObjectQuery{Kind: "task", Group: "g", AfterOrder: -10, AfterID: "x", Limit: 1}, "[b]"},
			{store.ObjectQuery{Kind: "task", AfterOrder: 100}, "[d b a c e]"},
		} {
			got := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Object, error) { return r.Objects(ctx, c.q) })
			if list := fmt.Sprint(names(got, func(o store.Object) string { return o.ID })); list != c.want {
				t.Errorf("%+v gave %s, want %s", c.q, list, c.want)
			}
		}
		count := func(kind, group string) map[string]int {
			return get(t, s, func(ctx context.Context, r store.Reader) (map[string]int, error) {
				return r.CountObjects(ctx, kind, group)
			})
		}
		wantEqual(t, "count", map[string]int{"open": 4, "done": 1}, count("task", ""))
		wantEqual(t, "count of a group", map[string]int{"open": 2, "done": 1}, count("task", "g"))
		wantEqual(t, "count of nothing", map[string]int{}, count("none", ""))
	}},
	{"Request_IsNotedOnce", func(t *testing.T, s store.Store) {
		q := store.Request{Actor: "ada", Key: "k", Digest: digestOf("body"), Result: []byte(`{"id":"a"}`), Seq: 3}
		other := store.Request{Actor: "bob", Key: "k", Digest: digestOf("other")}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutRequest(ctx, q), tx.PutRequest(ctx, other))
		})
		wantEqual(t, "request", q, get(t, s, func(ctx context.Context, r store.Reader) (store.Request, error) { return r.Request(ctx, "ada", "k") }))
		refuse(t, s, brenner.CodeAlreadyExists, func(ctx context.Context, tx store.Tx) error { return tx.PutRequest(ctx, q) })
		refuse(t, s, brenner.CodeInvalidID, func(ctx context.Context, tx store.Tx) error {
			return tx.PutRequest(ctx, store.Request{Actor: "ada", Key: "l", Digest: "DEADBEEF"})
		})
		ctx := context.Background()
		wantCode(t, brenner.CodeNotFound, s.Read(ctx, func(r store.Reader) error { _, err := r.Request(ctx, "ada", "K"); return err }))
	}},
	{"Token_IsFoundByItsSecret", func(t *testing.T, s store.Store) {
		k := store.Token{ID: "t1", Actor: "ada", Secret: digestOf("s1"), Created: day, Expires: day.Add(time.Hour)}
		l := store.Token{ID: "t2", Actor: "ada", Secret: digestOf("s2"), Created: day}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return do(tx.PutToken(ctx, l), tx.PutToken(ctx, k)) })
		one := func(secret string) store.Token {
			return get(t, s, func(ctx context.Context, r store.Reader) (store.Token, error) { return r.Token(ctx, digestOf(secret)) })
		}
		wantEqual(t, "token", k, one("s1"))
		if !one("s2").Expires.IsZero() {
			t.Errorf("a token that never expires came back with %v", one("s2").Expires)
		}
		k.Revoked = true
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutToken(ctx, k) })
		wantEqual(t, "tokens", []store.Token{k, l}, get(t, s, func(ctx context.Context, r store.Reader) ([]store.Token, error) { return r.Tokens(ctx) }))
		refuse(t, s, brenner.CodeAlreadyExists, func(ctx context.Context, tx store.Tx) error {
			return tx.PutToken(ctx, store.Token{ID: "t3", Secret: digestOf("s1"), Created: day})
		})
		ctx := context.Background()
		for _, d := range []brenner.Digest{digestOf("s3"), "", "zz"} {
			wantCode(t, brenner.CodeNotFound, s.Read(ctx, func(r store.Reader) error { _, err := r.Token(ctx, d); return err }))
		}
	}},
	{"Denials_AreBoundedAndNewestFirst", func(t *testing.T, s store.Store) {
		denial := func(i int) store.Denial {
			return store.Denial{At: day.Add(-time.Duration(i) * time.Second), Actor: "ada", Role: "reader", Action: "write", Target: fmt.Sprint(i), Reason: "no"}
		}
		add := func(from, to int) {
			write(t, s, func(ctx context.Context, tx store.Tx) error {
				for i := from; i < to; i++ {
					if err := tx.AddDenial(ctx, denial(i)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		list := func(limit int) []store.Denial {
			return get(t, s, func(ctx context.Context, r store.Reader) ([]store.Denial, error) { return r.Denials(ctx, limit) })
		}
		add(0, 3)
		wantEqual(t, "newest", []store.Denial{denial(2), denial(1)}, list(2))
		add(3, store.MaxDenials+5)
		all := list(0)
		if len(all) != store.MaxDenials {
			t.Fatalf("%d entries are kept, want %d", len(all), store.MaxDenials)
		}
		wantEqual(t, "first", denial(store.MaxDenials+4), all[0])
		wantEqual(t, "last", denial(5), all[len(all)-1])
	}},
	{"Stored_IsSummedUpPerActor", func(t *testing.T, s store.Store) {
		stored := func(actor brenner.ActorName) int64 {
			return get(t, s, func(ctx context.Context, r store.Reader) (int64, error) { return r.Stored(ctx, actor) })
		}
		add := func(actor brenner.ActorName, bytes int64) {
			write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.AddStored(ctx, actor, bytes) })
		}
		wantEqual(t, "nothing", int64(0), stored("ada"))
		add("ada", 5)
		add("ada", 1<<40)
		add("bob", 7)
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Reset(ctx) })
		wantEqual(t, "ada", int64(1<<40+5), stored("ada"))
		wantEqual(t, "bob", int64(7), stored("bob"))
	}},
	{"Vectors_AreKeptBitForBit", func(t *testing.T, s store.Store) {
		odd := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1))}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutVectors(ctx, "m1", map[string][]float32{"a": {9}, "b": {2, 3}, "empty": {}}),
				tx.PutVectors(ctx, "m1", map[string][]float32{"a": odd}), tx.PutVectors(ctx, "m2", map[string][]float32{"a": {4}}))
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			got, err := r.Vectors(ctx, "m1", []string{"b", "x", "a", "empty", "a"})
			wantEqual(t, "vectors", map[string][]float32{"a": odd, "b": {2, 3}, "empty": {}}, got)
			if len(got["a"]) > 1 && !math.Signbit(float64(got["a"][1])) {
				t.Error("-0 came back as 0")
			}
			var seen []string
			err2 := r.EachVector(ctx, "m1", func(id string, v []float32) error { seen = append(seen, fmt.Sprint(id, len(v))); return nil })
			wantEqual(t, "each", []string{"a7", "b2", "empty0"}, seen)
			stop := errors.New("enough")
			if err := r.EachVector(ctx, "m1", func(string, []float32) error { return stop }); !errors.Is(err, stop) {
				t.Errorf("an error of fn came back as %v", err)
			}
			return errors.Join(err, err2)
		})
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.DeleteVectors(ctx, "m1") })
		read(t, s, func(ctx context.Context, r store.Reader) error {
			m1, err1 := r.Vectors(ctx, "m1", []string{"a", "b"})
			m2, err2 := r.Vectors(ctx, "m2", []string{"a", "b"})
			wantEqual(t, "deleted", map[string][]float32{}, m1)
			wantEqual(t, "other space", map[string][]float32{"a": {4}}, m2)
			return errors.Join(err1, err2)
		})
	}},
	{"Vectors_InThousands", func(t *testing.T, s store.Store) {
		const n = 1500
		var all []string
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			m := map[string][]float32{}
			for i := range n {
				id := fmt.Sprintf("v%04d", i)
				all = append(all, id)
				m[id] = []float32{float32(i)}
			}
			return tx.PutVectors(ctx, "m", m)
		})
		got := get(t, s, func(ctx context.Context, r store.Reader) (map[string][]float32, error) {
			return r.Vectors(ctx, "m", all)
		})
		if len(got) != n || got["v1234"][0] != 1234 {
			t.Errorf("%d of %d came back", len(got), n)
		}
	}},
	{"Each_EndsWithTheErrorOfFn", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft")), putVersions(ctx, tx, "b", aVersion("b", 1, 0, "draft")),
				tx.InsertLink(ctx, store.Link{From: ref("a", 1), Rel: "cites", To: ref("b", 1)}),
				tx.InsertLink(ctx, store.Link{From: ref("b", 1), Rel: "cites", To: ref("b", 1)}),
				tx.PutActor(ctx, store.Actor{Name: "a", Created: day}), tx.PutActor(ctx, store.Actor{Name: "b", Created: day}),
				tx.PutObject(ctx, store.Object{Kind: "k", ID: "a"}), tx.PutObject(ctx, store.Object{Kind: "k", ID: "b"}),
				tx.PutRequest(ctx, store.Request{Actor: "a", Key: "1", Digest: digestOf("")}),
				tx.PutRequest(ctx, store.Request{Actor: "a", Key: "2", Digest: digestOf("")}))
		})
		stop := errors.New("enough")
		for _, table := range store.Tables() {
			seen := 0
			err := s.Read(context.Background(), func(r store.Reader) error {
				return r.Each(context.Background(), table, func(any) error { seen++; return stop })
			})
			if seen != 1 || !errors.Is(err, stop) {
				t.Errorf("%s: %d rows, then %v", table, seen, err)
			}
		}
	}},
}
