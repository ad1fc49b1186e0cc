package embed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What is kept is what was put, however often the halves have changed places, and what was
// put or asked for lately is there.
func TestKept(t *testing.T) {
	const most, longest = 200, arrayOf / 60 // so that some do not fit the end of an array
	k := NewKept[float32](most * longest)
	vector := func(i int) []float32 {
		v := make([]float32, longest-i%2)
		for j := range v {
			v[j] = float32(i + j)
		}
		return v
	}
	text := func(i int) string { return strings.Repeat("long ", i%2*7) + fmt.Sprint(i) } // both kinds of keys
	r := rand.New(rand.NewPCG(1, 2))
	lately := []int{}
	for i := range 20 * most {
		k.Put(text(i), vector(i))
		lately = append(lately, i)
		for range 3 {
			asked := r.IntN(i + 1)
			touched := lately[max(0, len(lately)-most):]
			found := k.Use(text(asked), func(v []float32) {
				if !slices.Equal(v, vector(asked)) {
					t.Fatalf("%d is kept as %v", asked, v)
				}
			})
			if !found && slices.Contains(touched, asked) {
				t.Fatalf("%d of %d is forgotten", asked, i)
			}
			if found {
				lately = append(lately, asked)
			}
		}
	}
	if n := len(k.known.arrays) + len(k.before.arrays); n > 2*(most*longest/arrayOf+1) {
		t.Errorf("%d arrays, for two halves of %d vectors", n, most)
	}
	if k.Use("1\x00", func([]float32) {}) || k.Use("", func([]float32) {}) {
		t.Error("a text is known that never came")
	}
}

// Many use it at a time: what they are shown is never another's.
func TestKeptTogether(t *testing.T) {
	k := NewKept[float32](64 * 32)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 3))
			v := make([]float32, 64)
			for range 5000 {
				i := r.IntN(100)
				if k.Use(fmt.Sprint(i), func(v []float32) {
					if v[0] != float32(i) || v[63] != float32(i) {
						t.Errorf("%d is shown %v", i, v)
					}
				}) {
					continue
				}
				for j := range v {
					v[j] = float32(i)
				}
				k.Put(fmt.Sprint(i), v)
			}
		})
	}
	all.Wait()
}
