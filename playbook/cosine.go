package playbook

import "math"

// cosine is the one definition of similarity (B2): float64 products in four
// running sums (component i goes to sum i mod 4), added pairwise, divided by
// both lengths, rounded to 1e-6 and kept within [-1, 1]. A product of two
// float32 is exact in float64, so the result is the same on every machine,
// fused multiply-add or not. Zero vectors are refused before they get here.
func cosine(a, b []float32) float64 {
	return rounded(dot(a, b) / (length(a) * length(b)))
}

func length(a []float32) float64 { return math.Sqrt(dot(a, a)) }

func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float64(a[i]) * float64(b[i])
		s1 += float64(a[i+1]) * float64(b[i+1])
		s2 += float64(a[i+2]) * float64(b[i+2])
		s3 += float64(a[i+3]) * float64(b[i+3])
	}
	for k := i; k < len(a); k++ {
		p := float64(a[k]) * float64(b[k])
		switch k - i {
		case 0:
			s0 += p
		case 1:
			s1 += p
		case 2:
			s2 += p
		}
	}
	return (s0 + s1) + (s2 + s3)
}

// rounded gives x in steps of 1e-6, within [-1, 1].
func rounded(x float64) float64 {
	return max(-1, min(1, math.Round(x*1e6)/1e6))
}
