package playbook

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plainLoop is the search without any cleverness.
type plainLoop struct {
	keys []key
	rows [][]float32
}

func (p *plainLoop) add(k key, v []float32) {
	p.keys, p.rows = append(p.keys, k), append(p.rows, v)
}

func (p *plainLoop) remove(id BulletID) {
	i := slices.IndexFunc(p.keys, func(k key) bool { return k.ID == id })
	p.keys, p.rows = slices.Delete(p.keys, i, i+1), slices.Delete(p.rows, i, i+1)
}

func (p *plainLoop) search(q []float32, threshold, floor float64, most int) (matches, near []hit) {
	for i, k := range p.keys {
		switch c := cosine(q, p.rows[i]); {
		case c >= threshold:
			matches = append(matches, hit{k, c})
		case c >= floor:
			near = append(near, hit{k, c})
		}
	}
	slices.SortFunc(matches, compareHits)
	slices.SortFunc(near, compareHits)
	return matches, near[:min(len(near), most)]
}

// someVectors draws vectors of the shapes that could upset a bound: spread,
// sparse, nearly equal, of very different lengths, with a constant component.
func someVectors(r *rand.Rand, n, dim int) [][]float32 {
	shape := r.IntN(5)
	center := make([]float64, dim)
	for i := range center {
		center[i] = r.NormFloat64()
	}
	out := make([][]float32, n)
	for k := range out {
		v := make([]float32, dim)
		spread := []float64{1, 1, 0.02, 0.8, 0.5}[shape] * r.Float64()
		scale := math.Pow(10, float64(r.IntN(9)-4))
		for i := range v {
			switch {
			case shape == 0:
				v[i] = float32(r.NormFloat64() * scale)
			case shape == 1 && r.IntN(8) > 0:
				v[i] = 0
			case shape == 4 && i == dim-1:
				v[i] = float32(math.Sqrt(float64(dim)) * 0.5)
			default:
				v[i] = float32((center[i] + spread*r.NormFloat64()) * scale)
			}
		}
		v[r.IntN(dim)] += float32(scale)
		if k > 0 && r.IntN(6) == 0 {
			copy(v, out[r.IntN(k)]) // exact ties
		}
		if CheckVector(v, dim) != nil {
			v[0] = 1
		}
		out[k] = v
	}
	return out
}

// B2, B14: the index finds exactly what the plain loop finds, for any vectors,
// while bullets come and go.
func TestSearch_EqualsThePlainLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		dim := rapid.SampledFrom([]int{1, 2, 3, 7, 8, 9, 255, 256, 257, 600, 769}).Draw(t, "dim")
		n := rapid.IntRange(1, 60).Draw(t, "bullets")
		threshold := rapid.SampledFrom([]float64{0.8, 0.5, 0.95, 1, 0.000001}).Draw(t, "threshold")
		x, plain := newIndex(), &plainLoop{}
		vectors := someVectors(r, n+5, dim)
		for i, v := range vectors[:n] {
			k := key{bulletID("d", i+1), noon.Add(time.Duration(r.IntN(3)))}
			x.add(k, v)
			plain.add(k, v)
			if r.IntN(5) == 0 {
				gone := plain.keys[r.IntN(len(plain.keys))].ID
				if x.remove(gone) == nil || x.has(gone) {
					t.Fatalf("%s is not gone", gone)
				}
				plain.remove(gone)
			}
		}
		for _, q := range vectors[n-1:] {
			matches, near := x.search(q, threshold, NearFloor, MaxNear)
			wantMatches, wantNear := plain.search(q, threshold, NearFloor, MaxNear)
			if !slices.Equal(matches, wantMatches) || !slices.Equal(near, wantNear) {
				t.Fatalf("dim %d, threshold %v:\n got %v %v\nwant %v %v", dim, threshold, matches, near, wantMatches, wantNear)
			}
		}
	})
}

// B14: the bound itself: never below the true cosine.
func TestSearch_TheBoundHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		dim := 1 + r.IntN(800)
		vectors := someVectors(r, 12, dim)
		x := newIndex()
		for i, v := range vectors[1:] {
			x.add(key{ID: bulletID("d", i+1)}, v)
		}
		p := x.probe(unitVector(vectors[0], length(vectors[0])))
		for i := range x.keys {
			if c := cosine(vectors[0], x.row(i)); !x.reaches(i, p, c-slack) {
				t.Fatalf("dim %d: a row of cosine %v is passed over", dim, c)
			}
		}
	}
}

// B2: one definition of cosine: four running sums, rounded to 1e-6.
func TestCosine_RoundsToAMillionth(t *testing.T) {
	for _, c := range []float64{1, 0.8, 0.79, 0.5, 0, -0.3, -1} {
		if got := cosine(at(1), at(c)); got != c {
			t.Errorf("cosine %v came out as %v", c, got)
		}
	}
	big, small := []float32{3e38, 3e38, 3e38}, []float32{1e-45, 1e-45, 1e-45}
	if got := cosine(big, small); got != 1 {
		t.Errorf("extreme lengths: %v", got)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		v := someVectors(r, 2, 1+r.IntN(40))
		c := cosine(v[0], v[1])
		if c != cosine(v[1], v[0]) || c != math.Round(c*1e6)/1e6 || c < -1 || c > 1 {
			t.Fatalf("cosine %v", c)
		}
		lanes := [4]float64{}
		for i := range v[0] {
			lanes[i%4] += float64(v[0][i]) * float64(v[1][i])
		}
		if got := dot(v[0], v[1]); got != (lanes[0]+lanes[1])+(lanes[2]+lanes[3]) {
			t.Fatalf("dot %v of %d components", got, len(v[0]))
		}
	}
}

// textLike makes vectors as the built-in embedder does: a static part of 256,
// a lexical part of 512 and a constant; topics make some of them alike.
func textLike(r *rand.Rand, topics [][]float64) []float32 {
	const k, alpha = 0.2233, 0.75
	v := make([]float64, 768)
	topic := topics[r.IntN(len(topics))]
	for i := range v[:256] {
		v[i] = topic[i]*0.6 + r.NormFloat64()*0.8
	}
	for range 90 { // n-grams of a sentence
		v[256+r.IntN(512)] += r.NormFloat64()
	}
	for range 30 { // n-grams shared by the topic
		i := r.IntN(60)
		v[256+i*8] += topic[i]
	}
	out := make([]float32, 769)
	scale(out[:256], v[:256], math.Sqrt((1-k)*alpha))
	scale(out[256:], v[256:], math.Sqrt((1-k)*(1-alpha)))
	out[768] = float32(math.Sqrt(k))
	return out
}

func scale(dst []float32, v []float64, to float64) {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	for i, x := range v {
		dst[i] = float32(x * to / math.Sqrt(sum))
	}
}

func someTopics(r *rand.Rand) [][]float64 {
	topics := make([][]float64, 200)
	for i := range topics {
		topics[i] = make([]float64, 256)
		for j := range topics[i] {
			topics[i][j] = r.NormFloat64()
		}
	}
	return topics
}

// filledBook has n bullets with text-like vectors; nothing is checked that
// Load checks, so that 100,000 are quick.
func filledBook(tb testing.TB, n int) (*Book, *rand.Rand, [][]float64) {
	tb.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	topics := someTopics(r)
	b, err := NewBook(Settings{Domain: "bench", Embedding: Identity{Provider: "builtin", Dimension: 769}})
	if err != nil {
		tb.Fatal(err)
	}
	b.entries = make([]entry, 0, n)
	b.index.rows = make([]float32, 0, (n+1)*769)
	for i := range n {
		bullet := Bullet{
			ID: bulletID("bench", i+1), Domain: "bench", Section: Helpful, Content: "lesson " + strconv.Itoa(i),
			Counts: one(Helpful), Stage: Shadow, Confidence: 1, CreatedAt: noon, LastSeenAt: noon,
			Tags: []string{}, Links: []Link{}, Revision: 1,
		}
		if err := b.Load(bullet, textLike(r, topics)); err != nil {
			tb.Fatal(err)
		}
	}
	return b, r, topics
}
