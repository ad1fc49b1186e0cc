package contexts

import (
	"math"
	"testing"
)

// Every place counts, whatever the length.
func TestDot_AgreesWithThePlainSum(t *testing.T) {
	for n := range 12 {
		a, b, want := make([]float32, n), make([]float32, n), 0.0
		for i := range n {
			a[i], b[i] = float32(i+1)/7, float32(3-i)/5
			want += float64(a[i]) * float64(b[i])
		}
		if got := dot(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d places: %v, want %v", n, got, want)
		}
	}
}
