package embed

import (
	_ "embed"
	"fmt"
	"math"
	"sync"
)

//go:embed semb-v1.bin
var builtinBytes string

// builtinDigest is the SHA-256 of builtinBytes, written down so that starting
// does not cost a pass over the file; a test holds the two together.
const builtinDigest = "41ca0f3a3c9b8d790c357711dc4dc92678492cd720ca53f967603034c2a846bc"

// Builtin is the model that ships in the binary. It is read on first use, in
// about a millisecond, and shared.
var Builtin = sync.OnceValue(func() *Model {
	m, err := readModel(builtinBytes)
	if err != nil {
		panic("the built-in embedding model is damaged: " + err.Error())
	}
	return m
})

// Model is a static sentence embedder of format SEMB 1: a vector per word, a
// vector per hashed character n-gram for the words it does not know, and an
// inverse document frequency per hashed n-gram. The tables are views of the
// file, never copied.
type Model struct {
	dim, vocab, buckets int
	gramMin, gramMax    int
	maxTokens           int
	seed                uint64
	staticWeight        float32 // of the static part in Vec
	lexicalWeight       float32
	constant            float32 // the last component of Vec, same for all texts

	words string // vocab × (length byte, UTF-8)
	mean  string // dim × float32
	scale string // (vocab+buckets) × float32
	rows  string // (vocab+buckets) × dim × int8
	idf   string // one byte per lexical bucket, in sixteenths

	index    []wordSlot // open addressing over hash; a power of two in size
	scratch  sync.Pool  // of *scratch
	near     nearness
	spelling *Kept[float32] // of words that the vocabulary lacks
}

// wordSlot places one word of the vocabulary. at is the offset of the word's
// length byte in words, plus one; 0 marks a free slot.
type wordSlot struct {
	at  uint32
	row uint32
}

const headerLength = 64

// readModel checks the file and lays out its tables.
func readModel(file string) (*Model, error) {
	if len(file) < headerLength || file[:4] != "SEMB" {
		return nil, fmt.Errorf("not a SEMB file")
	}
	if v := u32(file, 4); v != 1 {
		return nil, fmt.Errorf("format version %d, want 1", v)
	}
	m := &Model{
		dim: int(u32(file, 8)), vocab: int(u32(file, 12)), buckets: int(u32(file, 16)),
		gramMin: int(u32(file, 20)), gramMax: int(u32(file, 24)), maxTokens: int(u32(file, 28)),
		seed: uint64(u32(file, 32)) | uint64(u32(file, 36))<<32,
	}
	lexBits, alpha, wordBytes, k := u32(file, 40), f32(file, 44), int(u32(file, 56)), f32(file, 60)
	// The bounds keep every product below far from overflow.
	if m.dim < 1 || m.dim > 1<<12 || m.vocab > 1<<22 || m.buckets < 1 || m.buckets > 1<<22 ||
		m.gramMin < 1 || m.gramMax < m.gramMin || m.gramMax > maxGram || m.maxTokens < 1 || lexBits > 24 ||
		lexBits < 10 || !(0 <= alpha && alpha <= 1) || !(0 <= k && k < 1) {
		return nil, fmt.Errorf("a header field is out of bounds")
	}
	m.staticWeight = sqrt32((1 - k) * alpha)
	m.lexicalWeight = sqrt32((1 - k) * (1 - alpha))
	m.constant = sqrt32(k)

	total := m.vocab + m.buckets
	rest := file[headerLength:]
	for _, part := range []struct {
		view *string
		size int
	}{{&m.words, wordBytes}, {&m.mean, 4 * m.dim}, {&m.scale, 4 * total}, {&m.rows, total * m.dim}, {&m.idf, 1 << lexBits}} {
		if part.size > len(rest) {
			return nil, fmt.Errorf("the file is cut short")
		}
		*part.view, rest = rest[:part.size], rest[part.size:]
	}
	if rest != "" {
		return nil, fmt.Errorf("%d bytes too many", len(rest))
	}
	if err := m.indexWords(); err != nil {
		return nil, err
	}
	m.scratch.New = func() any { return &scratch{static: make([]float32, m.dim), word: make([]float32, m.dim)} }
	m.spelling = NewKept[float32](m.dim * maxSpelled)
	return m, nil
}

// indexWords hashes the vocabulary so that a lookup touches one or two slots.
func (m *Model) indexWords() error {
	size := 1
	for size < 2*m.vocab+1 {
		size *= 2
	}
	m.index = make([]wordSlot, size)
	at := 0
	for row := range m.vocab {
		if at >= len(m.words) || at+1+int(m.words[at]) > len(m.words) {
			return fmt.Errorf("the vocabulary is cut short at word %d", row)
		}
		end := at + 1 + int(m.words[at])
		i := m.hash(m.words[at+1:end]) & uint64(size-1)
		for m.index[i].at != 0 {
			i = (i + 1) & uint64(size-1)
		}
		m.index[i] = wordSlot{at: uint32(at) + 1, row: uint32(row)}
		at = end
	}
	if at != len(m.words) {
		return fmt.Errorf("the vocabulary block has %d bytes too many", len(m.words)-at)
	}
	return nil
}

// row finds a word of the vocabulary.
func (m *Model) row(word []byte) (int, bool) {
	mask := uint64(len(m.index) - 1)
	for i := hashBytes(m.seed, word) & mask; m.index[i].at != 0; i = (i + 1) & mask {
		s := m.index[i]
		if start := int(s.at); string(word) == m.words[start:start+int(m.words[start-1])] {
			return int(s.row), true
		}
	}
	return 0, false
}

// addRow adds weight times a row of the table to v.
func (m *Model) addRow(v []float32, row int, weight float32) {
	s := f32(m.scale, 4*row) * weight
	r := m.rows[row*m.dim : (row+1)*m.dim]
	v = v[:len(r)]
	for i := range v {
		v[i] += float32(s * float32(int8(r[i]))) // the conversion forbids fusing: same bits everywhere
	}
}

// hash is FNV-1a, 64 bits.
func (m *Model) hash(s string) uint64 {
	h := m.seed
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

const fnvPrime = 0x100000001b3

// hashBytes goes on hashing from h.
func hashBytes(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

func u32(s string, at int) uint32 {
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

func f32(s string, at int) float32 { return math.Float32frombits(u32(s, at)) }

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
