package delta

import (
	"fmt"
	"testing"
)

// ids of which the hashes agree in their lowest bits.
func colliding(n int) []identity {
	const bits = 10
	var all []identity
	for i := 0; len(all) < n; i++ {
		if id := (identity{delta: fmt.Sprint("d", i)}); id.hash()%(1<<bits) == 7 {
			all = append(all, id)
		}
	}
	return all
}

func TestRoll_FindsEveryDeltaHoweverTheyCollide(t *testing.T) {
	// D8, D23: ids that were made to collide are found as any others, and do not
	// have to be looked for one by one.
	ids := append(colliding(200), identity{"m", ""}, identity{"", "m"}, identity{"m", "m"})
	var r roll[identity]
	for i, id := range ids {
		if !r.enter(&entry{message: id.message, id: id.delta, seq: i}) {
			t.Fatalf("%v is taken", id)
		}
		if r.enter(&entry{message: id.message, id: id.delta}) {
			t.Fatalf("%v was taken in twice", id)
		}
	}
	for i, id := range ids {
		if e, ok := r.get(id, id.hash()); !ok || e.seq != i {
			t.Errorf("%v: %v %t", id, e, ok)
		}
	}
	if e, ok := r.get(identity{"m", "n"}, identity{"m", "n"}.hash()); ok {
		t.Errorf("found %v", e)
	}
	if r.crowd == nil || r.slots != nil {
		t.Error("200 ids at one place are no crowd")
	}
}

func TestRoll_CommonIDsAreNoCrowd(t *testing.T) {
	// D23: the ids that agents give keep to the small table, at most half full.
	for _, form := range []string{"d-%d", "%06d", "delta_%d", "msg-20260101-%d#1", "%d"} {
		var grown roll[identity]
		sized := newRoll[identity](20_000)
		for i := range 20_000 {
			e := &entry{id: fmt.Sprintf(form, i), message: "m"}
			if !grown.enter(e) || !sized.enter(e) {
				t.Fatal(e.id)
			}
		}
		for _, r := range []roll[identity]{grown, sized} {
			if r.crowd != nil || 2*r.used > len(r.slots) || len(r.slots) > 8*r.used {
				t.Errorf("%s: %d in %d slots, crowd %t", form, r.used, len(r.slots), r.crowd != nil)
			}
		}
	}
}

func TestRolls_VersionsShareAndStay(t *testing.T) {
	// D2: what an older version lists does not change, and a newer one finds all.
	entries := func(from, to int) roll[identity] {
		r := newRoll[identity](to - from)
		for i := from; i < to; i++ {
			r.enter(&entry{id: fmt.Sprint(i), seq: i})
		}
		return r
	}
	var versions []rolls[identity]
	var last rolls[identity]
	ends := []int{1000, 1001, 1005, 1060, 1060, 1200, 5000}
	from := 0
	for _, to := range ends {
		last = last.with(entries(from, to))
		versions, from = append(versions, last), to
	}
	for v := range versions {
		for i := range 5_000 {
			id := identity{delta: fmt.Sprint(i)}
			e, ok := versions[v].lookup(id)
			if ok != (i < ends[v]) || ok && e.seq != i {
				t.Fatalf("version %d, delta %d: %t", v, i, ok)
			}
		}
	}
	if len(versions[1].upper.list) != 1 || &versions[1].lower.list[0] != &versions[0].lower.list[0] {
		t.Error("one more delta copied the others")
	}
}
