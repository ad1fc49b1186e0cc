package embed

import (
	"math"
	"testing"
)

// What brief vectors say is what the vectors say, but for a thousandth or two, also of a
// text and itself, and of one without words, which has only the constant.
func TestSubject_AgreesWithTheVectors(t *testing.T) {
	m := Builtin()
	texts := []string{"", "wq7x", "?!"}
	for _, v := range vectors {
		texts = append(texts, v.text)
	}
	for _, a := range texts {
		subject := m.Subject(a)
		for _, b := range texts {
			got, want := subject.Cosine(m.Brief(nil, b)), product(m.Vec(a), m.Vec(b))
			if math.Abs(got-want) > 0.002 {
				t.Errorf("%q and %q: %v, want %v", a, b, got, want)
			}
		}
	}
}

// Steps are the nearest, halves up, and the greatest component has all of them.
func TestInSteps(t *testing.T) {
	v := []float32{-2, 1, 0, 2, 0.99 / 127, 1.01 / 127, -0.99 / 127, -1.01 / 127}
	to := make([]int8, len(v))
	if got := inSteps(to, v, 127); got != 127*127*2+64*64+1+1 {
		t.Errorf("the square is %v", got)
	}
	for i, want := range []int8{-127, 64, 0, 127, 0, 1, 0, -1} {
		if to[i] != want {
			t.Errorf("%v is %d steps, want %d", v[i], to[i], want)
		}
	}
	if got := inSteps(to, make([]float32, len(v)), 127); got != 0 || to[0] != 0 {
		t.Errorf("nothing has the square %v and begins with %d", got, to[0])
	}
}
