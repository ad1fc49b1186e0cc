package playbook

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"

	"brenner"
)

// Settings are what a playbook has decided about itself.
type Settings struct {
	Domain Domain `json:"domain"`
	// Threshold is the cosine from which an insight says what a bullet says
	// already (B10); 0 stands for DefaultThreshold.
	Threshold float64 `json:"threshold"`
	// Embedding is what made the vectors; zero until the first insight.
	Embedding Identity `json:"embedding,omitzero"`
}

// DefaultThreshold is the ADR's, calibrated for the built-in embedder.
const DefaultThreshold = 0.8

// Check reports INVALID_DOMAIN or INVALID_THRESHOLD.
func (s Settings) Check() error {
	if err := s.Domain.Check(); err != nil {
		return err
	}
	if s.Threshold == 0 || s.Threshold > 0 && s.Threshold <= 1 {
		return nil
	}
	return brenner.Errorf(brenner.CodeInvalidThreshold, "the threshold %v is not a usable cosine", s.Threshold).
		WithHint("give a number above 0 and at most 1; 0.8 suits the built-in embedder")
}

// Freeze gives the settings with the embedding fixed, or EMBEDDING_MISMATCH if
// they are frozen to another (B12).
func (s Settings) Freeze(id Identity) (Settings, error) {
	if s.Embedding == (Identity{}) {
		s.Embedding = id
		return s, nil
	}
	if s.Embedding.Same(id) {
		return s, nil
	}
	return s, brenner.Errorf(brenner.CodeEmbeddingMismatch,
		"the playbook %s is frozen to %s, not %s", s.Domain, s.Embedding.name(), id.name()).
		WithHint("use that embedding, or have the playbook moved over")
}

func (id Identity) name() string {
	if id.Model == "" {
		return id.Provider
	}
	return id.Provider + "/" + id.Model
}

// Book is the state of one domain's playbook: every bullet ever made, and the
// vectors of those that can be matched. The methods that decide never change
// it; Load, SetVector, SetThreshold and Commit do. It is not safe for
// concurrent use while one of those runs.
type Book struct {
	settings Settings
	entries  []entry // by number; a gap has an empty ID
	index    *index  // the live bullets that have a vector
	live     int
}

// entry is what the book knows of one bullet. vector is kept here only while
// the bullet is retired, for the day its retirement is undone; otherwise it is
// in the index.
type entry struct {
	state
	vector []float32
}

// NewBook makes an empty book. It fails like Settings.Check.
func NewBook(s Settings) (*Book, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Threshold == 0 {
		s.Threshold = DefaultThreshold
	}
	return &Book{settings: s, index: newIndex()}, nil
}

// Settings gives the settings in force.
func (b *Book) Settings() Settings { return b.settings }

// SetThreshold changes the cosine from which lessons are the same, for what is
// decided from now on (B10). It fails like Settings.Check.
func (b *Book) SetThreshold(threshold float64) error {
	s := b.settings
	s.Threshold = threshold
	if err := s.Check(); err != nil {
		return err
	}
	if s.Threshold == 0 {
		s.Threshold = DefaultThreshold
	}
	b.settings = s
	return nil
}

// Len is the number of bullets ever made that the book holds.
func (b *Book) Len() int {
	n := 0
	for i := range b.entries {
		if b.entries[i].ID != "" {
			n++
		}
	}
	return n
}

// Bullet finds a bullet.
func (b *Book) Bullet(id BulletID) (Bullet, bool) {
	e := b.entry(id)
	if e == nil {
		return Bullet{}, false
	}
	return e.clone(), true
}

// clone copies the bullet so that a caller cannot reach into the book.
func (e *entry) clone() Bullet {
	c := e.Bullet
	c.Tags, c.Links, c.Witnesses = slices.Clone(c.Tags), slices.Clone(c.Links), slices.Clone(c.Witnesses)
	return c
}

// Bullets lists every bullet in the order they were numbered.
func (b *Book) Bullets() []Bullet {
	out := make([]Bullet, 0, len(b.entries))
	for i := range b.entries {
		if b.entries[i].ID != "" {
			out = append(out, b.entries[i].clone())
		}
	}
	return out
}

// WithoutVector lists the live bullets that cannot be matched yet, because the
// book was rebuilt from a journal. SetVector brings them back.
func (b *Book) WithoutVector() []BulletID {
	var out []BulletID
	if b.index.len() == b.live {
		return nil
	}
	for i := range b.entries {
		if e := &b.entries[i]; e.ID != "" && e.Live() && !b.index.has(e.ID) {
			out = append(out, e.ID)
		}
	}
	return out
}

func (b *Book) entry(id BulletID) *entry {
	n := id.number()
	if n == 0 || n > len(b.entries) || b.entries[n-1].ID != id {
		return nil
	}
	return &b.entries[n-1]
}

// dimension is the length vectors must have, 0 while nothing says.
func (b *Book) dimension() int { return max(b.settings.Embedding.Dimension, b.index.dim) }

// next is the number the next new bullet gets: ids are never used twice.
func (b *Book) next() int { return len(b.entries) + 1 }

// Load puts a stored bullet into the book, with its vector if there is one. A
// bullet loaded twice is replaced. It reports INVALID_DOMAIN for a bullet of
// another domain (B11), INVALID_ID and INVALID_VECTOR.
func (b *Book) Load(bullet Bullet, vector []float32) error {
	if _, err := ParseBulletID(string(bullet.ID)); err != nil {
		return err
	}
	if bullet.Domain != b.settings.Domain || bullet.ID.Domain() != b.settings.Domain {
		return brenner.Errorf(brenner.CodeInvalidDomain, "bullet %s does not belong to the domain %s", bullet.ID, b.settings.Domain).
			WithHint("nothing crosses domains; open the playbook of its own")
	}
	if vector != nil {
		if err := CheckVector(vector, b.dimension()); err != nil {
			return err
		}
	}
	b.put(state{bullet, bullet.Digest()})
	if vector == nil {
		return nil
	}
	return b.SetVector(bullet.ID, vector)
}

// put stores a state and keeps the index in step with its stage.
func (b *Book) put(s state) {
	n := s.ID.number()
	for len(b.entries) < n {
		b.entries = append(b.entries, entry{})
	}
	e := &b.entries[n-1]
	was, is := e.ID != "" && e.Live(), s.Live()
	e.state = s
	switch {
	case was && !is:
		b.live--
		e.vector = b.index.remove(s.ID)
	case !was && is:
		b.live++
		if e.vector != nil {
			b.index.add(keyOf(s.Bullet), e.vector)
			e.vector = nil
		}
	}
}

// SetVector gives a bullet its vector, replacing one it has. It reports
// NOT_FOUND and INVALID_VECTOR.
func (b *Book) SetVector(id BulletID, vector []float32) error {
	e := b.entry(id)
	if e == nil {
		return unknownBullet(id)
	}
	if err := CheckVector(vector, b.dimension()); err != nil {
		return err
	}
	b.setVector(e, vector)
	return nil
}

func (b *Book) setVector(e *entry, vector []float32) {
	if !e.Live() {
		e.vector = slices.Clone(vector)
		return
	}
	b.index.remove(e.ID)
	b.index.add(keyOf(e.Bullet), vector)
}

// Change is what a decision would do: records in the order they must be
// applied, and the vectors of the bullets they add.
type Change struct {
	Updates []DeltaUpdate
	Vectors []BulletVector
	// Embedding is what the playbook is frozen to after the change.
	Embedding Identity
}

// BulletVector is the vector of one bullet.
type BulletVector struct {
	Bullet BulletID
	Vector []float32
}

// Commit moves the book on by a change, all of it or nothing. It reports
// JOURNAL_CORRUPT for a record that does not fit, EMBEDDING_MISMATCH and
// INVALID_VECTOR. The change may come from a decision on this book or from a
// journal; then it may lack vectors (see WithoutVector).
func (b *Book) Commit(c Change) error {
	settings := b.settings
	if c.Embedding != (Identity{}) {
		var err error
		if settings, err = settings.Freeze(c.Embedding); err != nil {
			return err
		}
	}
	d := b.draft(Act{})
	vectors := slices.Clone(c.Vectors)
	for _, u := range c.Updates {
		s, _ := d.find(u.Bullet)
		next, err := u.verify(s)
		if err != nil {
			return err
		}
		if next.Domain != settings.Domain || u.Bullet.Domain() != settings.Domain || u.Bullet.number() == 0 {
			return u.corrupt("belongs to another domain than %s", settings.Domain)
		}
		d.put(next)
		v, err := u.GivenVector()
		if err != nil {
			return err
		}
		if v != nil {
			vectors = append(vectors, BulletVector{u.Bullet, v})
		}
	}
	dimension := max(settings.Embedding.Dimension, b.index.dim)
	for _, v := range vectors {
		if err := CheckVector(v.Vector, dimension); err != nil {
			return err
		}
		if _, ok := d.find(v.Bullet); !ok {
			return unknownBullet(v.Bullet)
		}
		dimension = len(v.Vector)
	}
	b.settings = settings
	for _, id := range d.order {
		b.put(d.changed[id])
	}
	for _, v := range vectors {
		b.setVector(b.entry(v.Bullet), v.Vector)
	}
	return nil
}

func unknownBullet(id BulletID) error {
	return brenner.Errorf(brenner.CodeNotFound, "there is no bullet %s", brenner.Clip(string(id), brenner.MaxQuote)).
		WithHint("check the id").Try(brenner.Do("playbook.list"))
}

// packVector writes a vector for a record.
func packVector(v []float32) string {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// unpackVector reads one back.
func unpackVector(s string) ([]float32, bool) {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(raw)%4 != 0 {
		return nil, false
	}
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v, true
}
