package playbook

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
)

// Kind says which act a record is the trace of.
type Kind string

// The kinds of record.
const (
	KindAdd        Kind = "add"        // a new bullet
	KindMatch      Kind = "match"      // an insight said it again
	KindFeedback   Kind = "feedback"   // an agent judged it in use
	KindPromote    Kind = "promote"    // it passed a gate, or a person put it there
	KindQuarantine Kind = "quarantine" // the evidence turned against it
	KindRelease    Kind = "release"    // a person let it out of quarantine
	KindApprove    Kind = "approve"    // a review went well
	KindReject     Kind = "reject"     // a review did not
	KindFold       Kind = "fold"       // it took over the counters of a younger twin
	KindRetire     Kind = "retire"     // it was folded into a twin or amended
	KindUndo       Kind = "undo"       // an earlier record was taken back
)

// DeltaUpdate is the record of one change of one bullet (B5). It says what
// changes in fields of its own, so that applying it needs no rule and no
// vector, and why it does.
type DeltaUpdate struct {
	Bullet BulletID          `json:"bullet"`
	Seq    int               `json:"seq"` // 1, 2, 3… per bullet
	Kind   Kind              `json:"kind"`
	At     time.Time         `json:"at"`
	Actor  brenner.ActorName `json:"actor"`
	Before brenner.Digest    `json:"before,omitempty"` // empty for the first record
	After  brenner.Digest    `json:"after"`

	// What changes. Only an add has New, the bullet as it begins.
	New        *Bullet   `json:"new,omitempty"`
	Increment  Counts    `json:"increment,omitzero"`
	LastSeenAt time.Time `json:"last_seen_at,omitzero"`
	From       Stage     `json:"from,omitempty"` // the stage it leaves…
	Stage      Stage     `json:"stage,omitempty"`
	Review     Review    `json:"review,omitempty"`
	Link       []Link    `json:"link,omitempty"`
	// Witnesses say what the increment counts, or take it back (C36).
	Witnesses []Witness `json:"witnesses,omitempty"`
	Unlink    []Link    `json:"unlink,omitempty"`
	// Tags are those that it did not have.
	Tags []string `json:"tags,omitempty"`
	// Untag are those that it has no more.
	Untag []string `json:"untag,omitempty"`

	// Why. Threshold is the one in force, whatever the kind (B10).
	Threshold float64   `json:"threshold"`
	Decision  *Decision `json:"decision,omitempty"`
	Insight   *Evidence `json:"insight,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	// Twin is the record of another bullet made by the same act.
	Twin *RecordRef `json:"twin,omitempty"`
	// Undoes is the seq of the record taken back.
	Undoes int `json:"undoes,omitzero"`
	// Vector is the vector of a new bullet if it came with the insight and so
	// cannot be computed again: float32 little-endian, base64.
	Vector string `json:"vector,omitempty"`
}

// RecordRef names one record. It is written BULLET#SEQ.
type RecordRef struct {
	Bullet BulletID `json:"bullet"`
	Seq    int      `json:"seq"`
}

func (r RecordRef) String() string { return string(r.Bullet) + "#" + strconv.Itoa(r.Seq) }

// ParseRecordRef reads BULLET#SEQ, reporting INVALID_ID for anything else.
func ParseRecordRef(s string) (RecordRef, error) {
	id, digits, _ := strings.Cut(s, "#")
	bullet, err := ParseBulletID(id)
	seq, numErr := strconv.Atoi(digits)
	if err != nil || numErr != nil || seq < 1 || strconv.Itoa(seq) != digits {
		return RecordRef{}, brenner.Errorf(brenner.CodeInvalidID, "%q is not a record of a bullet", brenner.Clip(s, brenner.MaxQuote)).
			WithHint("write it as BULLET#SEQ, for example python.12#3")
	}
	return RecordRef{bullet, seq}, nil
}

// Ref names the record.
func (u DeltaUpdate) Ref() RecordRef { return RecordRef{u.Bullet, u.Seq} }

// Evidence is what an insight said, kept with the record it led to.
type Evidence struct {
	Section    Section `json:"section"`
	Content    string  `json:"content"`
	Confidence float64 `json:"confidence"`
	Source     Source  `json:"source"`
}

// Decision explains how an insight found its bullet, or why it found none.
type Decision struct {
	// Cosine is the similarity to the bullet that was strengthened.
	Cosine float64 `json:"cosine,omitzero"`
	// Guard says whether the guard was on (B4).
	Guard bool `json:"guard"`
	// Skipped lists the best candidates at or above the threshold that the
	// guard refused; SkippedMore counts the rest.
	Skipped     []Skip `json:"skipped,omitempty"`
	SkippedMore int    `json:"skipped_more,omitzero"`
	// Near lists the best candidates below the threshold (B8).
	Near []Candidate `json:"near,omitempty"`
}

// Candidate is a bullet and its cosine with an insight.
type Candidate struct {
	Bullet BulletID `json:"bullet"`
	Cosine float64  `json:"cosine"`
}

// Skip is a candidate the guard refused, and why.
type Skip struct {
	Candidate `json:",inline"`
	Clash     `json:",inline"`
}

// state is a bullet with its digest, which is needed as often as the bullet.
type state struct {
	Bullet
	digest brenner.Digest
}

// apply gives the state after a record. The zero state stands for no bullet.
// It reports JOURNAL_CORRUPT if the record does not continue the state; the
// After digest is the caller's to fill in or to compare.
func (u DeltaUpdate) apply(s state) (state, error) {
	if u.Seq != s.Revision+1 || u.Before != s.digest && !s.Redacted {
		return state{}, u.corrupt("does not continue the bullet at record %d", s.Revision)
	}
	var b Bullet
	if u.Seq == 1 {
		if u.Kind != KindAdd || u.New == nil || u.New.ID != u.Bullet {
			return state{}, u.corrupt("is the first but adds no bullet")
		}
		b = *u.New
	} else {
		b = u.change(s.Bullet)
	}
	b.Revision = u.Seq
	if b.Helpful < 0 || b.Harmful < 0 || b.Neutral < 0 {
		return state{}, u.corrupt("takes a counter below zero")
	}
	return state{b, b.Digest()}, nil
}

// change applies everything a record can change. It shares no slice with b.
func (u DeltaUpdate) change(b Bullet) Bullet {
	b.Counts = b.plus(u.Increment)
	if len(u.Witnesses) > 0 {
		b.Witnesses = testify(b.Witnesses, u.Witnesses)
	}
	if !u.LastSeenAt.IsZero() {
		b.LastSeenAt = u.LastSeenAt
	}
	if u.Stage != "" {
		b.Stage = u.Stage
	}
	if u.Review != "" {
		b.Review = u.Review
	}
	if len(u.Tags) > 0 {
		b.Tags = slices.Concat(b.Tags, u.Tags)
	}
	if len(u.Untag) > 0 {
		b.Tags = slices.DeleteFunc(slices.Clone(b.Tags), func(tag string) bool { return slices.Contains(u.Untag, tag) })
	}
	b.Links = slices.DeleteFunc(slices.Concat(b.Links, u.Link), func(l Link) bool {
		return slices.Contains(u.Unlink, l)
	})
	if b.Links == nil {
		b.Links = []Link{}
	}
	return b
}

// verify applies a finished record and compares the digest it promises.
func (u DeltaUpdate) verify(s state) (state, error) {
	next, err := u.apply(s)
	if err != nil {
		return state{}, err
	}
	if next.digest != u.After && !next.Redacted {
		return state{}, u.corrupt("promises another bullet than it makes")
	}
	return next, nil
}

// Apply gives the bullet after a record, from the bullet before it; the zero
// Bullet stands for none. It reports JOURNAL_CORRUPT unless the record
// continues exactly this bullet and makes exactly the one it promises (B5).
func (u DeltaUpdate) Apply(b Bullet) (Bullet, error) {
	var s state
	if b.Revision > 0 {
		s = state{b, b.Digest()}
	}
	next, err := u.verify(s)
	return next.Bullet, err
}

// GivenVector is the vector that came with the insight of an add, nil if it
// was computed. It reports JOURNAL_CORRUPT for one that cannot be read.
func (u DeltaUpdate) GivenVector() ([]float32, error) {
	if u.Vector == "" {
		return nil, nil
	}
	v, ok := unpackVector(u.Vector)
	if !ok {
		return nil, u.corrupt("has a damaged vector")
	}
	return v, nil
}

func (u DeltaUpdate) corrupt(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeJournalCorrupt, "record %s "+format, append([]any{u.Ref()}, args...)...).
		WithHint("restore the journal from an export or a backup")
}

// Replay folds the records of one bullet, first to last, into the bullet they
// make. It reports JOURNAL_CORRUPT at the first record that does not continue
// the one before (B5).
func Replay(records []DeltaUpdate) (Bullet, error) {
	var s state
	for _, u := range records {
		if s.Revision > 0 && u.Bullet != s.ID {
			return Bullet{}, u.corrupt("belongs to another bullet than %s", s.ID)
		}
		next, err := u.verify(s)
		if err != nil {
			return Bullet{}, err
		}
		s = next
	}
	return s.Bullet, nil
}
