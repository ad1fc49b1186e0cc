package playbook

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/internal/lazy"
)

// Domain is a field of work with lessons of its own; nothing crosses domains.
type Domain string

var (
	domainPattern   = lazy.NewPattern(`^[a-z0-9][a-z0-9-]{0,63}$`)
	reservedDomains = []Domain{"admin", "system", "test"}
)

// Check reports INVALID_DOMAIN unless the domain is a name and not reserved.
func (d Domain) Check() error {
	if !domainPattern.MatchString(string(d)) {
		return brenner.Errorf(brenner.CodeInvalidDomain, "%q is not a valid domain", brenner.Clip(string(d), brenner.MaxQuote)).
			WithHint("it must match " + domainPattern.String())
	}
	if slices.Contains(reservedDomains, d) {
		return brenner.Errorf(brenner.CodeInvalidDomain, "the domain %q is reserved", d).
			WithHint("choose a name other than admin, system and test")
	}
	return nil
}

// Section says what kind of lesson a bullet or an insight is, and thereby
// which counter an insight moves.
type Section string

// The sections.
const (
	Helpful Section = "helpful" // do this
	Harmful Section = "harmful" // avoid this
	Neutral Section = "neutral" // a fact
)

// Sections lists them in the order they are shown.
var Sections = []Section{Helpful, Harmful, Neutral}

// Check reports UNKNOWN_SECTION unless the section is one of the three.
func (s Section) Check() error {
	if slices.Contains(Sections, s) {
		return nil
	}
	return brenner.Errorf(brenner.CodeUnknownSection, "%q is not a section", brenner.Clip(string(s), brenner.MaxQuote)).
		WithHint("use helpful (do this), harmful (avoid this) or neutral (a fact)")
}

// Stage says how far a bullet is trusted.
type Stage string

// The stages. A bullet rises one gate at a time from SHADOW to PROD; the other
// two are off the path.
const (
	Shadow      Stage = "SHADOW"
	Staging     Stage = "STAGING"
	Prod        Stage = "PROD"
	Quarantined Stage = "QUARANTINED" // the evidence turned against it
	Retired     Stage = "RETIRED"     // kept for the record, never matched again
)

// Review says whether a person or a reviewing agent has judged a bullet that
// was learned with little confidence.
type Review string

// The review states; the empty one means no review was called for.
const (
	ReviewPending  Review = "pending"
	ReviewApproved Review = "approved"
	ReviewRejected Review = "rejected"
)

// BulletID names a bullet for life: DOMAIN.NUMBER, numbered from 1.
type BulletID string

func bulletID(d Domain, n int) BulletID {
	return BulletID(string(d) + "." + strconv.Itoa(n))
}

// ParseBulletID reads DOMAIN.NUMBER, reporting INVALID_ID for anything else.
func ParseBulletID(s string) (BulletID, error) {
	id := BulletID(s)
	if id.number() == 0 || !domainPattern.MatchString(string(id.Domain())) {
		return "", brenner.Errorf(brenner.CodeInvalidID, "%q is not a bullet id", brenner.Clip(s, brenner.MaxQuote)).
			WithHint("write it as DOMAIN.NUMBER, for example python.12")
	}
	return id, nil
}

// Domain is the domain the bullet belongs to.
func (id BulletID) Domain() Domain {
	d, _, _ := strings.Cut(string(id), ".")
	return Domain(d)
}

// number is 0 unless the id ends in a canonical number.
func (id BulletID) number() int {
	_, digits, _ := strings.Cut(string(id), ".")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}

// Less orders ids by domain, then number.
func (id BulletID) Less(o BulletID) bool {
	if id.Domain() != o.Domain() {
		return id.Domain() < o.Domain()
	}
	return id.number() < o.number()
}

func compareIDs(a, b BulletID) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

// Counts are the three counters of a bullet, or increments of them.
type Counts struct {
	Helpful int `json:"helpful_count"`
	Harmful int `json:"harmful_count"`
	Neutral int `json:"neutral_count"`
}

// one is an increment of the counter named by a section.
func one(s Section) Counts {
	switch s {
	case Helpful:
		return Counts{Helpful: 1}
	case Harmful:
		return Counts{Harmful: 1}
	}
	return Counts{Neutral: 1}
}

func (c Counts) plus(o Counts) Counts {
	return Counts{c.Helpful + o.Helpful, c.Harmful + o.Harmful, c.Neutral + o.Neutral}
}

func (c Counts) negated() Counts { return Counts{-c.Helpful, -c.Harmful, -c.Neutral} }

// Source says where a bullet came from.
type Source struct {
	Task  string            `json:"task,omitempty"`
	Agent brenner.ActorName `json:"agent,omitempty"`
}

// Relation says how one bullet stands to another.
type Relation string

// The relations.
const (
	Contradicts Relation = "contradicts" // alike, but the guard found a clash
	Supersedes  Relation = "supersedes"  // its amended successor
	SameAs      Relation = "same_as"     // folded into that one
)

// Link points from a bullet to another of its domain.
type Link struct {
	Rel    Relation `json:"rel"`
	Bullet BulletID `json:"bullet"`
}

// Bullet is one lesson. Its id, domain, section, content, confidence,
// created_at and source never change, and its tags only become more.
type Bullet struct {
	ID      BulletID `json:"id"`
	Domain  Domain   `json:"domain"`
	Section Section  `json:"section"`
	Content string   `json:"content"`
	Counts  `json:",inline"`
	Stage   Stage  `json:"stage"`
	Review  Review `json:"review,omitempty"`
	// Confidence is that of the insight the bullet began with, 0 to 1.
	Confidence float64   `json:"confidence"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	Source     Source    `json:"source"`
	Tags       []string  `json:"tags"`
	Links      []Link    `json:"links"`
	// Witnesses are those whose words the counters count, in order of agent
	// and occasion; bullets from before they were kept have none for what was
	// said then (C36).
	Witnesses []Witness `json:"witnesses,omitempty"`
	// Revision is the number of records that made the bullet what it is.
	Revision int `json:"revision"`
	// Redacted says that its words are gone for good: it is not matched any more,
	// and its records cannot be held against their digests (J7).
	Redacted bool `json:"redacted,omitzero"`
}

// Digest is the SHA-256 of the bullet's canonical JSON (B5): every field
// counts, the stage and the revision included.
func (b Bullet) Digest() brenner.Digest { return canon.Sum(canon.MustMarshal(b)) }

// Live reports whether the bullet can still be matched: every stage but
// RETIRED, unless its words are gone.
func (b Bullet) Live() bool { return b.Stage != Retired && !b.Redacted }

// without are those of some tags that the bullet lacks, as many as it has room for.
func (b Bullet) without(tags []string) (out []string) {
	for _, t := range tags {
		if !slices.Contains(b.Tags, t) && !slices.Contains(out, t) && len(b.Tags)+len(out) < brenner.MaxTags {
			out = append(out, t)
		}
	}
	return out
}

// Support is the evidence for the bullet: the counter of its own section, and
// for a fact also those who found it helpful (B6).
func (b Bullet) Support() int {
	switch b.Section {
	case Helpful:
		return b.Helpful
	case Harmful:
		return b.Harmful
	}
	return b.Neutral + b.Helpful
}

// Opposition is the evidence against the bullet (B6).
func (b Bullet) Opposition() int {
	if b.Section == Harmful {
		return b.Helpful
	}
	return b.Harmful
}

// instant drops what JSON does not carry, so that a bullet read back from a
// journal has the digest it was written with.
func instant(t time.Time) time.Time { return t.UTC().Round(0) }
