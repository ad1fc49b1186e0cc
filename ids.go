package brenner

import (
	"cmp"
	"strconv"
	"strings"

	"brenner/internal/lazy"
)

type (
	// ArtifactID names an artifact within a project, for all its versions.
	ArtifactID string
	// Version numbers the versions of one artifact: 1, 2, 3… without gaps.
	Version int
	// ActorName names who acts: an agent or a person.
	ActorName string
	// Role names the part an actor plays; its policy says what it may do.
	Role string
	// Module names a part of the project's subject matter.
	Module string
	// TypeName names an artifact type, such as paper_note.
	TypeName string
	// SessionID names a session, such as RS-20251230-cell-fate.
	SessionID string
	// ProjectID names a project for life; it is chosen at random by init.
	ProjectID string
	// Digest is the lower-case hexadecimal SHA-256 of some bytes.
	Digest string
)

// PI is the role of the person who leads the project.
const PI Role = "pi"

// Ref names one version of one artifact. It is written ID@VERSION, also in
// JSON; version 0 stands for "the one in force" and is left out.
type Ref struct {
	Artifact ArtifactID
	Version  Version
}

func (r Ref) String() string {
	if r.Version == 0 {
		return string(r.Artifact)
	}
	return string(r.Artifact) + "@" + strconv.Itoa(int(r.Version))
}

// MarshalText writes the reference as String does.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (r *Ref) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*r = Ref{}
		return nil
	}
	*r, err = ParseRef(string(text))
	return err
}

// Less orders references by id, then version: the tie-break used wherever
// references are listed.
func (r Ref) Less(o Ref) bool { return r.Compare(o) < 0 }

// Compare is Less for sorting: negative, zero or positive.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(cmp.Compare(r.Artifact, o.Artifact), cmp.Compare(r.Version, o.Version))
}

// ParseRef reads ID@VERSION, or ID alone with version 0, which stands for
// "the one in force" and is resolved by whoever asked.
func ParseRef(s string) (Ref, error) {
	id, v, pinned := strings.Cut(s, "@")
	if err := ArtifactID(id).Check(); err != nil {
		return Ref{}, err
	}
	if !pinned {
		return Ref{Artifact: ArtifactID(id)}, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || v[0] == '+' {
		return Ref{}, Errorf(CodeInvalidID, "%q is not a version number", Clip(v, MaxQuote)).
			WithHint("write a reference as ID@VERSION, for example notes-1@3")
	}
	return Ref{Artifact: ArtifactID(id), Version: Version(n)}, nil
}

// CutPart divides what a text cites, oxygen-log@2.4, into the version and the number of a part
// of it; "" if all of it is cited. An id may have dots: they name a part behind a version only.
func CutPart(cited string) (ref, part string) {
	id, version, pinned := strings.Cut(cited, "@")
	if number, part, divided := strings.Cut(version, "."); pinned && divided {
		return id + "@" + number, part
	}
	return cited, ""
}

var (
	idPattern     = lazy.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	actorPattern  = lazy.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	wordPattern   = lazy.NewPattern(`^[a-z][a-z0-9_]{0,63}$`)
	modulePattern = lazy.NewPattern(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	digestPattern = lazy.NewPattern(`^[0-9a-f]{64}$`)
)

// Check reports INVALID_ID unless the id is 1–128 letters, digits, dots,
// underscores or hyphens, starting with a letter or digit.
func (id ArtifactID) Check() error { return check(idPattern, "artifact id", string(id)) }

// Check reports INVALID_ID unless the id has the form of an artifact id.
func (id SessionID) Check() error { return check(idPattern, "session id", string(id)) }

// Check reports INVALID_ID unless the name is 1–64 letters, digits, dots,
// underscores or hyphens, starting with a letter or digit.
func (n ActorName) Check() error { return check(actorPattern, "actor name", string(n)) }

// Check reports INVALID_ID unless the role is a lower-case word.
func (r Role) Check() error { return check(wordPattern, "role", string(r)) }

// Check reports INVALID_ID unless the type is a lower-case word.
func (t TypeName) Check() error { return check(wordPattern, "type", string(t)) }

// Check reports INVALID_ID unless the module is a lower-case word.
func (m Module) Check() error { return check(modulePattern, "module", string(m)) }

// Check reports INVALID_ID unless the digest is 64 lower-case hex digits.
func (d Digest) Check() error { return check(digestPattern, "digest", string(d)) }

func check(p *lazy.Pattern, what, s string) error {
	if p.MatchString(s) {
		return nil
	}
	return Errorf(CodeInvalidID, "%q is not a valid %s", Clip(s, MaxQuote), what).
		WithHint("it must match " + p.String())
}
