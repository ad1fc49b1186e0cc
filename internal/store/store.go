// Package store is the contract between the service and a database.
//
// A Store holds one project: the journal (records, Merkle hashes, blobs), the
// tables projected from it, and a few things that are not derived from it
// (tokens, audit, vectors, the full-text index). Backends know SQL and nothing
// of the protocols; what they promise is written here and checked by storetest
// against an in-memory model.
//
// Errors are *brenner.Error with these codes: NOT_FOUND when a single row is
// asked for and absent, or a row refers to one that is; ALREADY_EXISTS when an
// insert meets its key; SLOT_TAKEN when a second canonical version would stand
// in one artifact or slot; INVALID_TEXT for text that is not UTF-8 or holds
// U+0000 (J5), INVALID_ID for a digest that is none, INVALID_VALUE for a number
// that cannot be; STORE_BUSY, STORE_UNAVAILABLE, STORE_READ_ONLY, STORE_FULL,
// STORE_NEWER, CANCELED. Anything else is a fault.
//
// Text is ordered by its UTF-8 bytes everywhere. Instants are kept to the
// microsecond (cut, not rounded), in UTC. Tags come back as an empty list, never
// nil; empty bytes may come back nil. A limit of 0 or less is no limit.
package store

import (
	"context"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/retrieval"
)

// Store is one project in one database. It is safe for concurrent use.
type Store interface {
	// Read runs fn on one consistent snapshot, which includes every write that
	// returned before. fn must not keep the Reader.
	Read(ctx context.Context, fn func(Reader) error) error

	// Write runs fn alone among the writers of the project and commits what
	// it did, or nothing if it returns an error or panics. Writes that queue
	// at the same time may share a commit: an error of one never undoes
	// another, but fn may then run once more, its first run having left no
	// trace. So it may where it ran before others were known to be out of the way,
	// and they were not. When Write returns nil the change is durable. A write that cannot start before the context's deadline, or
	// brenner.WriteDeadline if it has none, is STORE_BUSY.
	//
	// fn's error comes back as it is; a panic of fn goes on in the caller. An
	// error of a writing method dooms the write: nothing is committed and Write
	// gives that error even if fn gives none. fn must not call Write.
	Write(ctx context.Context, fn func(Tx) error) error

	// Settle brings the full-text index up to date with what was written. It
	// is done behind the writers anyway, and a search does not need it.
	Settle(ctx context.Context) error

	// Close waits for what is under way and releases the database. What is
	// asked for later is STORE_UNAVAILABLE; closing again is nothing.
	Close() error
}

// Retainer is a store whose database keeps the bytes of what was redacted where
// the store does not reach.
type Retainer interface {
	// Retains says where, and what helps.
	Retains() string
}

// Reader reads one snapshot. All results belong to the caller. Reading with a
// context that is done is CANCELED. The fn of Blobs, EachBlob, EachVector and Each must
// not call the Reader; its error ends the visit and comes back as it is.
type Reader interface {
	// Project gives the project's id and name; NO_PROJECT before Init.
	Project(ctx context.Context) (Project, error)

	// Size is the number of records in the journal: their seqs are 1…Size.
	Size(ctx context.Context) (int64, error)
	// Records lists up to limit records with seq > after, ascending.
	Records(ctx context.Context, after int64, limit int) ([]Record, error)
	// FindRecords lists records by their columns, in order of seq; a bounded stretch, for only seq is indexed.
	FindRecords(ctx context.Context, q RecordQuery) ([]Record, error)
	// Hashes gives the Merkle hashes at these storage indexes, in their
	// order; NOT_FOUND if one is missing.
	Hashes(ctx context.Context, indexes []int64) ([][32]byte, error)

	// Generation grows when the tables are made anew, and when a content is redacted: what was
	// remembered of them before does not hold any more, though the journal may stand where it
	// stood.
	Generation(ctx context.Context) (int64, error)

	// Blob gives content by its digest: NOT_FOUND if it never was here,
	// REDACTED if it was removed.
	Blob(ctx context.Context, d brenner.Digest) ([]byte, error)
	// SmallBlob is Blob for a content of at most so many bytes; of a larger one
	// it gives only the size.
	SmallBlob(ctx context.Context, d brenner.Digest, most int64) (data []byte, size int64, err error)
	// Blobs visits, each once and in no order, those of some contents that are here, were not
	// redacted and have at most so many bytes.
	Blobs(ctx context.Context, digests []brenner.Digest, most int64, fn func(d brenner.Digest, data []byte) error) error
	// Redacted lists, in their order, those of some contents that were redacted.
	Redacted(ctx context.Context, digests []brenner.Digest) ([]brenner.Digest, error)
	// EachBlob visits every blob in digest order; data is nil where redacted,
	// and only there.
	EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error

	Artifact(ctx context.Context, id brenner.ArtifactID) (Artifact, error)
	// Artifacts lists artifacts in id order.
	Artifacts(ctx context.Context, q ArtifactQuery) ([]Artifact, error)
	// CountArtifacts counts all that a query selects, wherever it goes on and
	// however few of them it lists.
	CountArtifacts(ctx context.Context, q ArtifactQuery) (int, error)
	// Tagged lists artifacts that have one of some tags, those that have the
	// most of them first, ties by id.
	Tagged(ctx context.Context, q TagQuery) ([]Artifact, error)
	// RareTags gives, in order and each once, those of up to MaxQueryTags tags that no
	// more artifacts than so many have, of whatever type and module.
	RareTags(ctx context.Context, tags []string, most int) ([]string, error)
	// Kinds counts the artifacts of each type in each module, where there are
	// any, in order of module and type.
	Kinds(ctx context.Context) ([]Kind, error)
	Version(ctx context.Context, ref brenner.Ref) (Version, error)
	// Versions lists versions of one artifact with version > after, ascending.
	Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, limit int) ([]Version, error)
	// VersionsOf gives the named versions that exist, in id and version order.
	VersionsOf(ctx context.Context, refs []brenner.Ref) ([]Version, error)
	// Expect says which versions are about to be read, with their contents of at
	// most so many bytes. It changes no answer: a store to which every question is a
	// way to a server and back may read them all in one.
	Expect(ctx context.Context, refs []brenner.Ref, most int64)
	// Leaves lists the live versions that no live version descends from, of one
	// artifact or (id "") of every artifact that has more than one, in id and
	// version order: the heads that make a fork. A superseded version between
	// two live ones does not make the elder a head again.
	Leaves(ctx context.Context, id brenner.ArtifactID) ([]Version, error)
	// LinksFrom and LinksTo give the links that leave or reach these versions,
	// in order of from, rel, to; LinksTo those of some relations, if any are named.
	LinksFrom(ctx context.Context, refs []brenner.Ref) ([]Link, error)
	LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]Link, error)
	// Outdated gives those among some versions that are superseded, deprecated,
	// demoted or older than the canonical version of their artifact, in order.
	Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error)
	// Corrected gives those among some versions that are drafts, or wait for a
	// rebase, and older than the head of an artifact that has no canonical
	// version, in order.
	Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error)
	// Stale gives those among some versions from which links of some relations
	// lead, however far on, to an outdated version, in order; LIMIT_EXCEEDED if
	// that takes more than limit links.
	Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error)
	// OutdatedTargets lists, in order, every version that some link reaches
	// and that is superseded, deprecated, demoted or older than the version of its
	// artifact whose status is canonical; CorrectedTargets every one that some
	// link reaches and that is corrected.
	OutdatedTargets(ctx context.Context) ([]brenner.Ref, error)
	CorrectedTargets(ctx context.Context) ([]brenner.Ref, error)

	Actor(ctx context.Context, name brenner.ActorName) (Actor, error)
	// Actors lists every actor in name order.
	Actors(ctx context.Context) ([]Actor, error)

	// Stored is how many bytes an actor has had stored; 0 for one that is not
	// known.
	Stored(ctx context.Context, actor brenner.ActorName) (int64, error)

	// Object gives one object; Objects lists in (order, id) order, or the
	// reverse of it.
	Object(ctx context.Context, kind, id string) (Object, error)
	Objects(ctx context.Context, q ObjectQuery) ([]Object, error)
	// CountObjects counts objects of a kind, in one group or (group "") in all,
	// by state.
	CountObjects(ctx context.Context, kind, group string) (map[string]int, error)

	// Request gives what an idempotency key was used for.
	Request(ctx context.Context, actor brenner.ActorName, key string) (Request, error)

	// Rank ranks versions by full text: summary, tags and content, best first,
	// ties by artifact and version. The ranking is that of package retrieval,
	// the same on every store, to the last digit of the score.
	Rank(ctx context.Context, q RankQuery) (Ranking, error)

	// Token gives a token by the digest of its secret, Tokens all in id order.
	Token(ctx context.Context, secret brenner.Digest) (Token, error)
	Tokens(ctx context.Context) ([]Token, error)
	// Denials lists audit entries, the last added first.
	Denials(ctx context.Context, limit int) ([]Denial, error)

	// Vectors gives the stored vectors of a space for these ids; absent ids
	// are left out. EachVector visits a whole space in id order.
	Vectors(ctx context.Context, space string, ids []string) (map[string][]float32, error)
	EachVector(ctx context.Context, space string, fn func(id string, v []float32) error) error

	// Each visits every row of a digest table in key order, as a value of
	// that table's row type.
	Each(ctx context.Context, t Table, fn func(row any) error) error
}

// Tx reads and writes inside one write.
type Tx interface {
	Reader

	// Shared is a place of those whose writes share the transaction, empty at
	// its beginning: what one keeps there about what it read or wrote, those
	// after it find. It is gone when the transaction is rolled back.
	Shared() *any

	// RefuseLate says that a refusal of a writing method of this write may come
	// from any later one, from a question, or from Write itself: whoever writes has
	// checked before, and expects none. A store to which every question is a way to
	// a server and back then asks none for it.
	RefuseLate()

	// Init makes the project, before anything else is written; PROJECT_EXISTS
	// if there is one.
	Init(ctx context.Context, p Project) error

	// AppendRecord adds the next record: r.Seq must be Size+1. PutHashes adds
	// the next Merkle hashes: first must be how many there are. Less is
	// ALREADY_EXISTS, more INVALID_VALUE.
	AppendRecord(ctx context.Context, r Record) error
	PutHashes(ctx context.Context, first int64, hashes [][32]byte) error
	// PutBlob stores content under its digest; storing it again is nothing. What was
	// redacted is REDACTED, which a store may also say by the end of the write.
	PutBlob(ctx context.Context, d brenner.Digest, data []byte) error
	// RedactBlob removes content and keeps its digest, for good: a later
	// PutBlob of that digest does not bring it back. The content need not be
	// there: an import redacts what it never had.
	RedactBlob(ctx context.Context, d brenner.Digest) error

	// PutArtifact inserts an artifact row, or replaces all of it but its type
	// and module, which stay what they were.
	PutArtifact(ctx context.Context, a Artifact) error
	// InsertVersion adds a version of an artifact that is there, on a parent
	// that is an earlier version or 0.
	InsertVersion(ctx context.Context, v Version) error
	// SetStatus changes the status of a version, and whether it is demoted: what
	// was canonical and becomes a draft is, what becomes canonical is not. The
	// database itself refuses a second canonical version of an artifact, or of a
	// slot.
	SetStatus(ctx context.Context, ref brenner.Ref, s artifact.Status) error
	// InsertLink adds a link between versions that are there; the same link
	// again is ALREADY_EXISTS.
	InsertLink(ctx context.Context, l Link) error
	PutActor(ctx context.Context, a Actor) error
	// PutObject inserts or replaces an object.
	PutObject(ctx context.Context, o Object) error
	// PutRequest notes what a key was used for, once.
	PutRequest(ctx context.Context, r Request) error
	// Index makes these versions of an artifact findable, and no other
	// versions of it. They come in order, each once. A version that is not there
	// when it is indexed has no words.
	Index(ctx context.Context, id brenner.ArtifactID, versions []Indexed) error

	// PutToken inserts or replaces a token; a secret that another token has is
	// ALREADY_EXISTS.
	PutToken(ctx context.Context, t Token) error
	// AddDenial keeps the newest MaxDenials entries.
	AddDenial(ctx context.Context, d Denial) error
	// AddStored adds to what an actor has had stored.
	AddStored(ctx context.Context, actor brenner.ActorName, bytes int64) error
	// PutVectors inserts or replaces vectors, bit for bit.
	PutVectors(ctx context.Context, space string, v map[string][]float32) error
	DeleteVectors(ctx context.Context, space string) error

	// Reset empties every digest table and the full-text index, so that the
	// journal can be replayed into them.
	Reset(ctx context.Context) error
}

// MaxDenials bounds the audit table.
const MaxDenials = 10_000

// Table names a table that is derived from the journal and therefore part of
// the state digest (J4).
type Table string

// The digest tables and their row types.
const (
	TableArtifacts Table = "artifacts" // Artifact
	TableVersions  Table = "versions"  // Version
	TableLinks     Table = "links"     // Link
	TableActors    Table = "actors"    // Actor
	TableObjects   Table = "objects"   // Object
	TableRequests  Table = "requests"  // Request
)

// Tables lists the digest tables in the order the digest takes them.
func Tables() []Table {
	return []Table{TableArtifacts, TableVersions, TableLinks, TableActors, TableObjects, TableRequests}
}

// Project is the one project of a store.
type Project struct {
	ID   brenner.ProjectID `json:"id"`
	Name string            `json:"name"`
	At   time.Time         `json:"at"`
}

// Record is a journal record as stored: its canonical bytes, and the columns
// taken from them for listing.
type Record struct {
	Seq   int64
	At    time.Time
	Actor brenner.ActorName
	Kind  string
	Data  []byte
}

// Artifact is the row of an artifact.
type Artifact struct {
	ID      brenner.ArtifactID `json:"id"`
	Type    brenner.TypeName   `json:"type"`
	Module  brenner.Module     `json:"module"`
	Creator brenner.ActorName  `json:"creator"`
	Created time.Time          `json:"created"`
	Updated time.Time          `json:"updated"`
	// Head is the version that the next update goes on, Latest the highest
	// number given, Canonical the version in force, 0 if none.
	Head      brenner.Version `json:"head"`
	Latest    brenner.Version `json:"latest"`
	Canonical brenner.Version `json:"canonical"`
	// HeadStatus is the status of Head, kept here for filtering.
	HeadStatus artifact.Status `json:"head_status"`
	// Summary, Size and Tags are those of Head, kept here for listing.
	Summary string   `json:"summary"`
	Size    int64    `json:"size"`
	Tags    []string `json:"tags"`
	// Seq is the journal position of the last change to the artifact.
	Seq int64 `json:"seq"`
}

// Version is the row of a version; its content is a blob.
type Version struct {
	Artifact brenner.ArtifactID `json:"artifact"`
	Version  brenner.Version    `json:"version"`
	Parent   brenner.Version    `json:"parent"` // 0 at version 1
	Status   artifact.Status    `json:"status"`
	// Demoted marks a version that was in force and was made a draft again, until
	// it is promoted once more; see SetStatus.
	Demoted bool `json:"demoted,omitzero"`
	// Slot is not empty when the type admits one canonical version per project
	// or module: two canonical versions may not share it.
	Slot    string            `json:"slot"`
	Summary string            `json:"summary"`
	Format  artifact.Format   `json:"format"`
	Content brenner.Digest    `json:"content"`
	Size    int64             `json:"size"`
	What    string            `json:"what"`
	Why     string            `json:"why"`
	Creator brenner.ActorName `json:"creator"`
	Role    brenner.Role      `json:"role"`
	Created time.Time         `json:"created"`
	Tags    []string          `json:"tags"`
	// Task and Invocation name what the version came out of, if anything.
	Task       string `json:"task"`
	Invocation string `json:"invocation"`
	Seq        int64  `json:"seq"`
}

// WithStatus is the version with another status; see Tx.SetStatus.
func (v Version) WithStatus(s artifact.Status) Version {
	v.Demoted = s != artifact.Canonical && (v.Demoted || v.Status == artifact.Canonical && s == artifact.Draft)
	v.Status = s
	return v
}

// Ref names the version.
func (v Version) Ref() brenner.Ref { return brenner.Ref{Artifact: v.Artifact, Version: v.Version} }

// Link is a link between two versions.
type Link struct {
	From brenner.Ref       `json:"from"`
	Rel  artifact.Relation `json:"rel"`
	To   brenner.Ref       `json:"to"`
	Seq  int64             `json:"seq"`
}

// Actor is an agent or a person known to the project.
type Actor struct {
	Name    brenner.ActorName `json:"name"`
	Kind    string            `json:"kind"` // agent or person
	Role    brenner.Role      `json:"role"` // standing role
	Note    string            `json:"note"`
	Active  bool              `json:"active"`
	Created time.Time         `json:"created"`
	Seq     int64             `json:"seq"`
}

// Object is the state of something that has no versions (C4): a bullet, a
// task, a message, a session, an invocation, the configuration in force. Body
// is canonical JSON; the other fields are what it is listed by.
type Object struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Group string `json:"group"` // domain, session, recipient…
	State string `json:"state"`
	Order int64  `json:"order"`
	Body  []byte `json:"body"`
	Seq   int64  `json:"seq"`
}

// Request is what an idempotency key was used for (X2).
type Request struct {
	Actor  brenner.ActorName `json:"actor"`
	Key    string            `json:"key"`
	Digest brenner.Digest    `json:"digest"` // of the request
	Result []byte            `json:"result"` // canonical JSON
	Seq    int64             `json:"seq"`
}

// Token is an agent's credential; the secret itself is never stored.
type Token struct {
	ID      string
	Actor   brenner.ActorName
	Secret  brenner.Digest
	Created time.Time
	Expires time.Time // zero: never
	Revoked bool
}

// Denial is an entry of the audit table (C7).
type Denial struct {
	At     time.Time
	Actor  brenner.ActorName
	Role   brenner.Role
	Action string
	Target string
	Reason string
}

// RecordQuery selects records; zero fields select all.
type RecordQuery struct {
	Kind  string
	Actor brenner.ActorName
	// After and Before bound the seq, both outside; 0 is no bound.
	After, Before int64
	// Newest lists in descending order.
	Newest bool
	Limit  int
}

// ArtifactQuery selects artifacts; zero fields select all.
type ArtifactQuery struct {
	// IDs, unless nil, are those to choose from.
	IDs     []brenner.ArtifactID
	Types   []brenner.TypeName
	Modules []brenner.Module
	// Statuses selects by the status of the head; but canonical is what has a
	// canonical version, even when a later draft is the head.
	Statuses []artifact.Status
	Tag      string
	// Canonical keeps only artifacts that have a canonical version.
	Canonical bool
	// After lists ids greater than this; ChangedAfter journal positions.
	After        brenner.ArtifactID
	ChangedAfter int64
	// Recent lists the most recently changed first, ties by id, instead of by
	// id. It goes on behind the artifact After that was changed at ChangedAt;
	// without ChangedAt it starts with the newest, and After is not used.
	Recent    bool
	ChangedAt int64
	Limit     int
}

// Whole is the query for all that it selects, from the beginning on.
func (q ArtifactQuery) Whole() ArtifactQuery {
	q.After, q.ChangedAt, q.Recent, q.Limit = "", 0, false, 0
	return q
}

// OnlyIDs reports whether all artifacts of some ids are asked for.
func (q ArtifactQuery) OnlyIDs() bool {
	return q.IDs != nil && len(q.Types)+len(q.Modules)+len(q.Statuses) == 0 && q.Tag == "" && !q.Canonical && q.ChangedAfter == 0 && !q.Recent &&
		q.After == "" && q.Limit == 0
}

// ByStatus takes Statuses apart: those of heads, and whether what has a
// canonical version is wanted as well.
func (q ArtifactQuery) ByStatus() (heads []artifact.Status, canonical bool) {
	for _, s := range q.Statuses {
		if s == artifact.Canonical {
			canonical = true
		} else {
			heads = append(heads, s)
		}
	}
	return heads, canonical
}

// TagQuery selects artifacts by their tags; no types or modules select all.
type TagQuery struct {
	Tags    []string // up to MaxQueryTags
	Types   []brenner.TypeName
	Modules []brenner.Module
	Limit   int
	// Depth lets the store look, for each tag, at no more than so many of the
	// artifacts that have it: those made last. Of those that tie at the limit
	// it may give any. 0: at all of them.
	Depth int
}

// Check reports what is wrong with the query.
func (q TagQuery) Check() error {
	if len(q.Tags) > brenner.MaxQueryTags {
		return brenner.Errorf(brenner.CodeLimitExceeded, "artifacts are not looked up by more than %d tags", brenner.MaxQueryTags)
	}
	return nil
}

// Kind counts the artifacts of one type in one module.
type Kind struct {
	Module    brenner.Module
	Type      brenner.TypeName
	Artifacts int
}

// ObjectQuery selects objects of one kind; zero fields select all.
type ObjectQuery struct {
	Kind   string
	Group  string
	States []string
	// AfterOrder and AfterID continue a listing behind that object, in the
	// direction of the listing; with no AfterID it starts at the beginning.
	AfterOrder int64
	AfterID    string
	// Newest lists in descending order.
	Newest bool
	Limit  int
}

// Indexed is a version that can be found.
type Indexed struct {
	Version brenner.Version
	// Draft marks a version that is not the one in force: it is found by those
	// who ask for drafts.
	Draft bool
}

// RankQuery asks for the versions that say most about some terms.
type RankQuery struct {
	// Terms are what is looked for: retrieval.Question or Habits.Task, widened
	// by retrieval.Expand or not. Of more than MaxSearchWords those that tell
	// most count.
	Terms []retrieval.Term
	// Prefixes are the beginnings of words that are looked for besides.
	Prefixes []string
	// Respell reads a word that no text has as those nearest to it in spelling.
	Respell bool
	Types   []brenner.TypeName
	Modules []brenner.Module
	// Drafts finds drafts behind a version in force as well.
	Drafts bool
	// Feedback widens the question by the words of the best texts.
	Feedback bool
	// Own leaves out what has only words that feedback brought.
	Own bool
	// Bare asks for no more of the hits than which versions they are, and their scores.
	Bare bool
	// Counted asks how many texts have each of the terms.
	Counted bool
	Limit   int
}

// Ranking is what a RankQuery finds.
type Ranking struct {
	Hits []RankedHit
	// Spelled are the words that were read as others, in order.
	Spelled []retrieval.Spelled
	// Behind is how many artifacts changed that the index has not caught up
	// with: what they say now was not looked at.
	Behind int
	// Generation is what Reader.Generation gives.
	Generation int64
	// Counted is how many texts of the project have each of the terms, whoever may read
	// them, if that was asked.
	Counted retrieval.Counted
}

// RankedHit is a version that was found. Of a bare one only the id of the artifact, the
// version, whether it is a draft, and the score are there.
type RankedHit struct {
	Artifact
	// Version is the one whose text was found.
	Version brenner.Version
	Draft   bool
	Score   float64
	// Parts say what the score is made of.
	Parts retrieval.Parts
}
