package contexts

import (
	"runtime"
	"sync"

	"brenner"
	"brenner/assembly"
	"brenner/internal/embed"
)

// tokenizers are built once: their tables take a tenth of a second.
var tokenizers = map[assembly.Encoding]func() (*assembly.Tokenizer, error){
	assembly.O200k:  sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.O200k) }),
	assembly.Cl100k: sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.Cl100k) }),
}

func counterFor(b assembly.Budget) (assembly.Counter, error) {
	if b.Unit == assembly.InBytes {
		return assembly.Bytes{}, nil
	}
	return tokenizers[b.Encoding()]()
}

// countCache remembers token counts. It forgets everything when it is full:
// counts are cheap to make again.
type countCache struct {
	mu     sync.Mutex
	counts map[brenner.Digest]int
}

func (c *countCache) Get(key brenner.Digest) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.counts[key]
	return n, ok
}

func (c *countCache) Put(key brenner.Digest, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil || len(c.counts) >= brenner.MaxCachedCounts {
		c.counts = map[brenner.Digest]int{}
	}
	c.counts[key] = n
}

// likeness gives the cosine of a text with each of some others, by the
// built-in model: ranking must not wait for a network.
func (a *Room) likeness(text string, others []string) []float64 {
	query := embed.Builtin().Vec(text)
	out := make([]float64, len(others))
	workers := min(runtime.GOMAXPROCS(0), 4)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			v := make([]float32, len(query))
			for i := w; i < len(others); i += workers {
				a.vectors.use(others[i], v, func(known []float32) { out[i] = dot(query, known) })
			}
		})
	}
	all.Wait()
	return out
}

// remember makes the vectors of some texts that likeness will ask for: where there are
// other things to do meanwhile, on a processor that has nothing to do.
func (a *Room) remember(texts []string) {
	v := make([]float32, embed.Builtin().Dimension())
	for _, text := range texts {
		a.vectors.use(text, v, func([]float32) {})
	}
}

// vectors remembers the vectors of summaries, which come again with every context.
type vectors struct {
	once sync.Once
	kept *embed.Kept
}

func (v *vectors) open() *embed.Kept {
	v.once.Do(func() { v.kept = embed.NewKept(embed.Builtin().Dimension(), brenner.MaxCachedVectors/2) })
	return v.kept
}

// use gives the vector of a text to somebody who does not keep it; where it is not
// remembered it is made in room, and then is.
func (v *vectors) use(text string, room []float32, with func([]float32)) {
	kept := v.open()
	if kept.Use(text, with) {
		return
	}
	embed.Builtin().Fill(room, text)
	with(room)
	kept.Put(text, room)
}

// dot multiplies two vectors of the built-in model. The product of two float32
// is exact in float64, and the sums are taken in one order on every machine.
func dot(a, b []float32) float64 {
	var sum [4]float64
	for len(a) >= 4 && len(b) >= 4 {
		sum[0] += float64(a[0]) * float64(b[0])
		sum[1] += float64(a[1]) * float64(b[1])
		sum[2] += float64(a[2]) * float64(b[2])
		sum[3] += float64(a[3]) * float64(b[3])
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		sum[i] += float64(a[i]) * float64(b[i])
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}
