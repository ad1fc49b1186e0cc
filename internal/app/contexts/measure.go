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
// built-in model: ranking must not wait for a network. No more processors than
// so many work on it.
func (a *Room) likeness(subject *embed.Subject, others []string, most int) []float64 {
	out := make([]float64, len(others))
	workers := min(runtime.GOMAXPROCS(0), most)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			var room []byte
			for i := w; i < len(others); i += workers {
				room = a.vectors.use(others[i], room, func(known []byte) { out[i] = subject.Cosine(known) })
			}
		})
	}
	all.Wait()
	return out
}

// remember makes the vectors of some texts that likeness will ask for.
func (a *Room) remember(texts []string) {
	var room []byte
	for _, text := range texts {
		room = a.vectors.use(text, room, func([]byte) {})
	}
}

// vectors remembers the vectors of summaries, which come again with every context.
type vectors struct {
	once sync.Once
	kept *embed.Kept[byte]
}

func (v *vectors) open() *embed.Kept[byte] {
	v.once.Do(func() { v.kept = embed.NewKept[byte](brenner.MaxVectorBytes / 2) })
	return v.kept
}

// use gives the vector of a text to somebody who does not keep it; where it is not
// remembered it is made in room, which may be used again, and then is.
func (v *vectors) use(text string, room []byte, with func([]byte)) []byte {
	kept := v.open()
	if kept.Use(text, with) {
		return room
	}
	room = embed.Builtin().Brief(room[:0], text)
	with(room)
	kept.Put(text, room)
	return room
}
