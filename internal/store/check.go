package store

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"brenner"
)

// The Check methods hold what every backend refuses before it asks its
// database, so that none of them accepts what another could not hold (J5).

// CheckText reports INVALID_TEXT unless every text is UTF-8 without U+0000.
func CheckText(texts ...string) error {
	for _, s := range texts {
		if strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
			return brenner.Errorf(brenner.CodeInvalidText, "text is not valid UTF-8 or contains U+0000").
				WithHint("convert it to UTF-8 and remove the NUL characters")
		}
	}
	return nil
}

// TooManyLinks is the refusal of a walk.
func TooManyLinks(limit int) error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "the walk takes more than %d links", limit).WithHint("ask about fewer versions")
}

// GoneForGood is the refusal of a content that was redacted before.
func GoneForGood(d brenner.Digest) error {
	return brenner.Errorf(brenner.CodeRedacted, "what is to be written was redacted before, word for word (%s)", d).
		WithHint("say it in other words: the same cannot be stored again")
}

// Sum gives the 32 bytes that a digest writes in hexadecimal, or INVALID_ID.
func Sum(d brenner.Digest) ([32]byte, error) {
	var sum [32]byte
	if len(d) != 2*len(sum) || strings.ContainsAny(string(d), "ABCDEF") {
		return sum, d.Check()
	}
	if _, err := hex.Decode(sum[:], []byte(d)); err != nil {
		return sum, d.Check()
	}
	return sum, nil
}

// DigestOf writes 32 bytes as a digest.
func DigestOf(sum [32]byte) brenner.Digest { return brenner.Digest(hex.EncodeToString(sum[:])) }

// Check reports what no store can hold.
func (p Project) Check() error { return CheckText(string(p.ID), p.Name) }

// Check reports what no store can hold.
func (r Record) Check() error { return CheckText(string(r.Actor), r.Kind) }

// Check reports what no store can hold.
func (a Artifact) Check() error {
	if err := CheckText(a.Tags...); err != nil {
		return err
	}
	return CheckText(string(a.ID), string(a.Type), string(a.Module), string(a.Creator), string(a.HeadStatus), a.Summary)
}

// Check reports what no store can hold.
func (v Version) Check() error {
	if v.Version < 1 || v.Version > brenner.MaxVersions || v.Parent < 0 {
		return brenner.Errorf(brenner.CodeInvalidValue, "version %d on parent %d cannot be", v.Version, v.Parent).
			WithHint("versions are numbered from 1")
	}
	if _, err := Sum(v.Content); err != nil {
		return err
	}
	if err := CheckText(v.Tags...); err != nil {
		return err
	}
	return CheckText(string(v.Artifact), string(v.Status), v.Slot, v.Summary, string(v.Format), v.What, v.Why,
		string(v.Creator), string(v.Role), v.Task, v.Invocation)
}

// Check reports what no store can hold.
func (l Link) Check() error { return CheckText(string(l.Rel)) }

// Check reports what no store can hold.
func (a Actor) Check() error { return CheckText(string(a.Name), a.Kind, string(a.Role), a.Note) }

// Check reports what no store can hold.
func (o Object) Check() error { return CheckText(o.Kind, o.ID, o.Group, o.State) }

// Check reports what no store can hold.
func (r Request) Check() error {
	if _, err := Sum(r.Digest); err != nil {
		return err
	}
	return CheckText(string(r.Actor), r.Key)
}

// Check reports what no store can hold.
func (t Token) Check() error {
	if _, err := Sum(t.Secret); err != nil {
		return err
	}
	return CheckText(t.ID, string(t.Actor))
}

// Check reports what no store can hold.
func (d Denial) Check() error {
	return CheckText(string(d.Actor), string(d.Role), d.Action, d.Target, d.Reason)
}
