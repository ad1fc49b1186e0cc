package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// A version is known by one number, made of its artifact's key and its own
// number, so that the versions of an artifact stand together and in order.
const versionBits = 24

func versionKey(artifact int64, v brenner.Version) int64 { return artifact<<versionBits | int64(v) }

// versionRange gives the lowest and the highest number of an artifact's versions.
func versionRange(artifact int64) (lowest, highest int64) {
	return artifact << versionBits, artifact<<versionBits | brenner.MaxVersions
}

func versionOf(key int64) brenner.Version { return brenner.Version(key & brenner.MaxVersions) }

// possible reports whether a version could have this number at all.
func possible(v brenner.Version) bool { return v >= 1 && v <= brenner.MaxVersions }

const artifactColumns = "id, type, module, creator, created, updated, head, latest, canonical, head_status, seq, tags, summary, size"

// artifactText is an artifact's columns in one text, each but the last closed
// by a NUL, which none of them can contain: fetching a column costs more than
// cutting a text.
const artifactText = "concat_ws(char(0), id, type, module, creator, created, updated, head, latest, canonical, head_status, seq, summary, size, CAST(tags AS TEXT))"

func scanArtifact(r row) store.Artifact {
	f := fields(r.text(0))
	a := store.Artifact{
		ID: brenner.ArtifactID(f.text()), Type: brenner.TypeName(f.text()), Module: brenner.Module(f.text()),
		Creator: brenner.ActorName(f.text()), Created: instant(f.int()), Updated: instant(f.int()),
		Head: brenner.Version(f.int()), Latest: brenner.Version(f.int()), Canonical: brenner.Version(f.int()),
		HeadStatus: artifact.Status(f.text()), Seq: f.int(), Summary: f.text(), Size: f.int(),
	}
	a.Tags = split(string(f))
	return a
}

// fields is what is left of a text of columns.
type fields string

func (f *fields) text() string {
	before, after, _ := strings.Cut(string(*f), "\x00")
	*f = fields(after)
	return before
}

func (f *fields) int() int64 {
	n, _ := strconv.ParseInt(f.text(), 10, 64) // the column is INTEGER
	return n
}

func (r *reader) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	return single(ctx, r.c, scanArtifact, func() error { return notFound("there is no artifact %s", id) },
		"SELECT "+artifactText+" FROM artifacts WHERE id = ?", string(id))
}

func (r *reader) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	if q.Recent && q.IDs == nil && q.Tag == "" && len(q.Types) > 0 && len(q.Modules) > 0 && len(q.Types)*len(q.Modules) <= maxKinds {
		return r.recent(ctx, q)
	}
	from, w, err := r.selection(ctx, q)
	if err != nil {
		return nil, err
	}
	order := "id"
	if q.Recent {
		order = "seq DESC, id"
	}
	return collect(ctx, r.c, scanArtifact, "SELECT "+artifactText+from+w.String()+" ORDER BY "+order+" LIMIT ?", append(w.args, limit(q.Limit))...)
}

// CountArtifacts counts what holds drafts from its other end: most artifacts
// are drafts, and how many there are of each kind is known, so that only those
// that are left out are looked for.
func (r *reader) CountArtifacts(ctx context.Context, q store.ArtifactQuery) (int, error) {
	q = q.Whole()
	heads, canonical := q.ByStatus()
	every := len(q.Statuses) == 0
	if q.IDs != nil || q.Tag != "" || q.ChangedAfter != 0 || q.Canonical || !every && !slices.Contains(heads, artifact.Draft) {
		from, w, err := r.selection(ctx, q)
		if err != nil {
			return 0, err
		}
		n, err := r.c.number(ctx, "SELECT count(*)"+from+w.String(), w.args...)
		return int(n), err
	}
	kinds, err := r.Kinds(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, k := range kinds {
		if (len(q.Types) == 0 || slices.Contains(q.Types, k.Type)) && (len(q.Modules) == 0 || slices.Contains(q.Modules, k.Module)) {
			n += k.Artifacts
		}
	}
	if every {
		return n, nil
	}
	w := where{terms: []string{"head_status <> 'draft'"}}
	if canonical {
		w.add("canonical = 0")
	}
	in(&w, "type", q.Types)
	in(&w, "module", q.Modules)
	in(&w, "head_status", slices.DeleteFunc(artifact.Statuses(), func(s artifact.Status) bool { return slices.Contains(heads, s) }))
	left, err := r.c.number(ctx, "SELECT count(*) FROM artifacts INDEXED BY decided_by_status"+w.String(), w.args...)
	return n - int(left), err
}

// selection is where a query selects artifacts from, and by what.
func (r *reader) selection(ctx context.Context, q store.ArtifactQuery) (from string, w where, err error) {
	index := statusIndex(q)
	if q.Recent {
		// The newest are wanted: walking back in time finds them without
		// sorting every artifact that is selected.
		index = " INDEXED BY artifacts_by_seq"
		w.behind(q)
	} else if q.After != "" {
		w.add("id > ?", string(q.After))
	}
	if q.IDs != nil {
		index = ""
		w.add("id IN (SELECT value FROM json_each(?))", textsParameter(q.IDs))
	}
	in(&w, "type", q.Types)
	in(&w, "module", q.Modules)
	w.status(q)
	if q.Tag != "" {
		if rare, err := r.isRare(ctx, q.Tag); err != nil {
			return "", w, err
		} else if rare {
			index = " NOT INDEXED" // but by key
		}
		w.add("key IN (SELECT artifact FROM artifact_tags WHERE tag = ?)", q.Tag)
	}
	if q.ChangedAfter != 0 {
		w.add("seq > ?", q.ChangedAfter)
	}
	return " FROM artifacts" + index, w, nil
}

// behind keeps what comes after where a listing of the newest goes on.
func (w *where) behind(q store.ArtifactQuery) {
	if q.ChangedAt != 0 {
		w.add("seq <= ?", q.ChangedAt)
		w.add("(seq < ? OR id > ?)", q.ChangedAt, string(q.After))
	}
}

// fewTagged is how many artifacts are soon read and sorted.
const fewTagged = 2000

// isRare reports whether few artifacts have a tag, so that it is better to go
// from them than to look for them among all.
func (r *reader) isRare(ctx context.Context, tag string) (bool, error) {
	n, err := r.c.number(ctx, "SELECT count(*) FROM (SELECT 1 FROM artifact_tags WHERE tag = ? LIMIT ?)", tag, int64(fewTagged))
	return n < fewTagged, err
}

// maxKinds bounds the parts of one statement.
const maxKinds = 200

// recent lists what changed last of some types in some modules. An index has
// those of each type in each module in order; the parts of the statement are
// merged by that order and no further than the limit. However rare a type is,
// others are not read.
func (r *reader) recent(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	var rest where
	rest.status(q)
	rest.behind(q)
	if q.ChangedAfter != 0 {
		rest.add("seq > ?", q.ChangedAfter)
	}
	var parts []string
	var args []any
	for _, module := range slices.Compact(slices.Sorted(slices.Values(q.Modules))) {
		for _, typ := range slices.Compact(slices.Sorted(slices.Values(q.Types))) {
			w := where{append([]string{"module = ?", "type = ?"}, rest.terms...), append([]any{string(module), string(typ)}, rest.args...)}
			parts = append(parts, "SELECT key AS k, seq AS s, id AS i FROM artifacts INDEXED BY artifacts_by_kind"+w.String())
			args = append(args, w.args...)
		}
	}
	out, err := collect(ctx, r.c, scanArtifact, "SELECT "+artifactText+" FROM ("+strings.Join(parts, " UNION ALL ")+
		" ORDER BY s DESC, i LIMIT ?) newest CROSS JOIN artifacts ON key = k", append(args, limit(q.Limit))...)
	slices.SortFunc(out, func(a, b store.Artifact) int { return cmp.Or(cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.ID, b.ID)) })
	return out, err
}

// census remembers how many artifacts of each kind there are up to a key.
// Artifacts stay, so does their kind, and a new one has the highest key: for a
// highest key there is one answer. Only emptying the tables ends that.
type census struct {
	mu    sync.Mutex
	upTo  int64
	kinds []store.Kind
}

func (c *census) get() ([]store.Kind, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.kinds), c.upTo
}

func (c *census) put(kinds []store.Kind, upTo int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kinds, c.upTo = slices.Clone(kinds), upTo
}

func (c *census) forget() { c.put(nil, 0) }

// Kinds counts only what is new since it was last asked.
func (r *reader) Kinds(ctx context.Context) ([]store.Kind, error) {
	last, err := r.c.number(ctx, "SELECT max(key) FROM artifacts")
	if err != nil {
		return nil, err
	}
	kinds, upTo := r.counted.get()
	if upTo > last { // the snapshot is older
		kinds, upTo = nil, 0
	}
	index := " NOT INDEXED" // but by key
	if upTo == 0 {
		index = " INDEXED BY artifacts_by_kind"
	}
	if err := r.c.query(ctx, func(r row) error {
		k := store.Kind{Module: brenner.Module(r.text(0)), Type: brenner.TypeName(r.text(1)), Artifacts: int(r.int(2))}
		i, known := slices.BinarySearchFunc(kinds, k, compareKinds)
		if known {
			kinds[i].Artifacts += k.Artifacts
		} else {
			kinds = slices.Insert(kinds, i, k)
		}
		return nil
	}, "SELECT module, type, count(*) FROM artifacts"+index+" WHERE key > ? GROUP BY module, type", upTo); err != nil {
		return nil, err
	}
	if r.committed {
		r.counted.put(kinds, last)
	}
	return kinds, nil
}

func compareKinds(a, b store.Kind) int {
	return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Type, b.Type))
}

// status adds what a query asks of the status.
func (w *where) status(q store.ArtifactQuery) {
	heads, canonical := q.ByStatus()
	var of where
	in(&of, "head_status", heads)
	switch {
	case canonical && len(heads) > 0:
		w.add("("+of.terms[0]+" OR canonical > 0)", of.args...)
	case len(heads) > 0:
		w.add(of.terms[0], of.args...)
		if !slices.Contains(heads, artifact.Draft) {
			w.add("head_status <> 'draft'") // the index needs to be told
		}
	}
	if q.Canonical || canonical && len(heads) == 0 {
		w.add("canonical > 0")
	}
}

// statusIndex names the index to walk for what is rarer than drafts: the
// planner does not know what is rare.
func statusIndex(q store.ArtifactQuery) string {
	heads, canonical := q.ByStatus()
	onlyCanonical := q.Canonical || canonical && len(heads) == 0
	switch {
	case onlyCanonical && len(q.Types) > 0:
		return " INDEXED BY canonical_by_type"
	case onlyCanonical:
		return " INDEXED BY canonical_by_id"
	case !canonical && len(heads) > 0 && !slices.Contains(heads, artifact.Draft):
		return " INDEXED BY decided_by_status"
	}
	return ""
}

// artifactKey gives the key of an artifact.
func (r *reader) artifactKey(ctx context.Context, id brenner.ArtifactID) (key int64, found bool, err error) {
	found, err = r.c.one(ctx, func(r row) { key = r.int(0) }, "SELECT key FROM artifacts WHERE id = ?", string(id))
	return key, found, err
}

const versionColumns = "v.key, v.parent, v.status, v.slot, v.format, v.content, v.size, v.creator, v.role, v.created, " +
	"v.task, v.invocation, v.seq, v.tags, v.summary, v.what, v.why"

// scanVersion reads the version columns, and the artifact's id after them.
func scanVersion(r row) store.Version {
	return store.Version{
		Artifact: brenner.ArtifactID(r.text(17)), Version: versionOf(r.int(0)), Parent: brenner.Version(r.int(1)),
		Status: artifact.Status(r.text(2)), Slot: r.text(3), Format: artifact.Format(r.text(4)), Content: digest(r.bytes(5)),
		Size: r.int(6), Creator: brenner.ActorName(r.text(7)), Role: brenner.Role(r.text(8)), Created: instant(r.int(9)),
		Task: r.text(10), Invocation: r.text(11), Seq: r.int(12), Tags: split(string(r.bytes(13))), Summary: r.text(14),
		What: r.text(15), Why: r.text(16),
	}
}

const selectVersions = "SELECT " + versionColumns + ", a.id FROM artifacts a JOIN versions v "

func (r *reader) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	missing := func() error { return notFound("there is no version %s", ref) }
	if !possible(ref.Version) {
		return store.Version{}, missing()
	}
	return single(ctx, r.c, scanVersion, missing,
		selectVersions+"ON v.key = a.key << 24 | ?1 WHERE a.id = ?2", int64(ref.Version), string(ref.Artifact))
}

func (r *reader) Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, most int) ([]store.Version, error) {
	if after >= brenner.MaxVersions {
		return nil, canceled(ctx)
	}
	return collect(ctx, r.c, scanVersion,
		selectVersions+"ON v.key > a.key << 24 | ?1 AND v.key <= a.key << 24 | 0xffffff WHERE a.id = ?2 ORDER BY v.key LIMIT ?3",
		max(0, int64(after)), string(id), limit(most))
}

func (r *reader) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	out, err := collect(ctx, r.c, scanVersion, "SELECT "+versionColumns+", a.id"+fromRefs+
		"CROSS JOIN versions v ON v.key = a.key << 24 | ref.value", refsParameter(refs))
	slices.SortFunc(out, func(a, b store.Version) int { return a.Ref().Compare(b.Ref()) })
	return out, err
}

// fromRefs makes rows of many references at once: a statement each would cost
// more than what it finds. The parameter is refsParameter's.
const fromRefs = " FROM json_each(?1) ref CROSS JOIN artifacts a ON a.id = ref.key "

// keysParameter writes keys as a JSON array.
func keysParameter(keys iter.Seq[int64]) string {
	out := []byte{'['}
	for key := range keys {
		out = append(strconv.AppendInt(out, key, 10), ',')
	}
	return string(append(bytes.TrimSuffix(out, []byte{','}), ']'))
}

// refsParameter writes the references that can be, each once, as members of a
// JSON object: "ID": VERSION.
func refsParameter(refs []brenner.Ref) string {
	object := []byte{'{'}
	for _, ref := range distinct(refs) {
		if !possible(ref.Version) {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = appendText(object, string(ref.Artifact))
		object = strconv.AppendInt(append(object, ':'), int64(ref.Version), 10)
	}
	return string(append(object, '}'))
}

// textsParameter writes texts as a JSON array, for json_each.
func textsParameter[T ~string](texts []T) string {
	array := []byte{'['}
	for i, t := range texts {
		if i > 0 {
			array = append(array, ',')
		}
		array = appendText(array, string(t))
	}
	return string(append(array, ']'))
}

// appendText appends a JSON string. Text that cannot be stored is not found
// whatever it becomes.
func appendText(out []byte, text string) []byte {
	out, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(text, "\ufffd"))
	return out
}

func (r *reader) eachVersion(ctx context.Context, fn func(any) error) error {
	return r.c.query(ctx, func(a row) error {
		lowest, highest := versionRange(a.int(0))
		return r.c.query(ctx, func(v row) error { return fn(scanVersion(v)) },
			"SELECT "+versionColumns+", ?1 FROM versions v WHERE v.key BETWEEN ?2 AND ?3 ORDER BY v.key", a.text(1), lowest, highest)
	}, "SELECT key, id FROM artifacts ORDER BY id")
}

// A version's place among the versions of its artifact.
type branch struct {
	key    int64
	parent brenner.Version
	live   bool
}

// leaves gives the keys of the live versions without live descendants, in
// order.
func (r *reader) leaves(ctx context.Context, artifactKey int64) ([]int64, error) {
	lowest, highest := versionRange(artifactKey)
	all, err := collect(ctx, r.c, func(r row) branch {
		return branch{r.int(0), brenner.Version(r.int(1)), artifact.Status(r.text(2)).Live()}
	}, "SELECT key, parent, status FROM versions WHERE key BETWEEN ? AND ? ORDER BY key DESC", lowest, highest)
	if err != nil {
		return nil, err
	}
	// Parents are older than their children, so from the newest to the oldest
	// every descendant has been seen.
	var out []int64
	covered := map[brenner.Version]bool{}
	for _, b := range all {
		if b.live && !covered[versionOf(b.key)] {
			out = append(out, b.key)
		}
		if b.live || covered[versionOf(b.key)] {
			covered[b.parent] = true
		}
	}
	slices.Reverse(out)
	return out, nil
}

func (r *reader) Leaves(ctx context.Context, id brenner.ArtifactID) ([]store.Version, error) {
	var artifacts []int64
	if id == "" {
		var err error
		if artifacts, err = collect(ctx, r.c, func(r row) int64 { return r.int(0) },
			"SELECT a.key FROM forked f CROSS JOIN artifacts a ON a.key = f.artifact ORDER BY a.id"); err != nil {
			return nil, err
		}
	} else {
		key, found, err := r.artifactKey(ctx, id)
		if err != nil || !found {
			return nil, err
		}
		artifacts = []int64{key}
	}
	var out []store.Version
	for _, a := range artifacts {
		keys, err := r.leaves(ctx, a)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if _, err := r.c.one(ctx, func(r row) { out = append(out, scanVersion(r)) },
				"SELECT "+versionColumns+", a.id FROM versions v JOIN artifacts a ON a.key = v.artifact WHERE v.key = ?", key); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

const (
	linkRows = "SELECT concat_ws(char(0), f.id, l.src, l.rel, t.id, l.dst, l.seq)" // in one text, like an artifact
	linkEnds = " CROSS JOIN artifacts f ON f.key = l.src >> 24 CROSS JOIN artifacts t ON t.key = l.dst >> 24"
)

func scanLink(r row) store.Link {
	f := fields(r.text(0))
	return store.Link{
		From: brenner.Ref{Artifact: brenner.ArtifactID(f.text()), Version: versionOf(f.int())}, Rel: artifact.Relation(f.text()),
		To: brenner.Ref{Artifact: brenner.ArtifactID(f.text()), Version: versionOf(f.int())}, Seq: f.int(),
	}
}

func compareLinks(a, b store.Link) int {
	return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
}

func (r *reader) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	return r.links(ctx, refs, linkRows+fromRefs+"CROSS JOIN links l ON l.src = a.key << 24 | ref.value"+linkEnds)
}

func (r *reader) LinksTo(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	return r.links(ctx, refs, linkRows+fromRefs+"CROSS JOIN links l ON l.dst = a.key << 24 | ref.value"+linkEnds)
}

func (r *reader) links(ctx context.Context, refs []brenner.Ref, sql string) ([]store.Link, error) {
	out, err := collect(ctx, r.c, scanLink, sql, refsParameter(refs))
	slices.SortFunc(out, compareLinks)
	return out, err
}

// eachLink goes from artifact to artifact in order of their ids; only the links
// that leave one artifact are sorted.
func (r *reader) eachLink(ctx context.Context, fn func(any) error) error {
	return r.c.query(ctx, func(a row) error {
		lowest, highest := versionRange(a.int(0))
		some, err := collect(ctx, r.c, scanLink, linkRows+" FROM links l"+linkEnds+" WHERE l.src BETWEEN ? AND ?", lowest, highest)
		if err != nil {
			return err
		}
		slices.SortFunc(some, compareLinks)
		for _, l := range some {
			if err := fn(l); err != nil {
				return err
			}
		}
		return nil
	}, "SELECT key, id FROM artifacts ORDER BY id")
}

// outdated and corrected are the conditions that a version v of an artifact a
// is.
const (
	outdated  = "(v.status IN ('superseded', 'deprecated') OR v.key & 0xffffff < a.canonical)"
	corrected = "(v.status IN ('draft', 'needs_rebase') AND a.canonical = 0 AND v.key & 0xffffff < a.head)"
)

func (r *reader) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(ctx, refs, outdated)
}

func (r *reader) Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(ctx, refs, corrected)
}

// among gives those of some versions of which a condition holds.
func (r *reader) among(ctx context.Context, refs []brenner.Ref, condition string) ([]brenner.Ref, error) {
	out, err := collect(ctx, r.c, func(r row) brenner.Ref {
		return brenner.Ref{Artifact: brenner.ArtifactID(r.text(0)), Version: brenner.Version(r.int(1))}
	}, "SELECT a.id, ref.value"+fromRefs+`CROSS JOIN versions v ON v.key = a.key << 24 | ref.value
		WHERE `+condition, refsParameter(refs))
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, err
}

// Stale works with the numbers of the versions: that links have no names makes
// them cheap to read.
func (r *reader) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	asked := map[int64]brenner.Ref{}
	if err := r.c.query(ctx, func(r row) error {
		ref := brenner.Ref{Artifact: brenner.ArtifactID(r.text(1)), Version: brenner.Version(r.int(2))}
		asked[versionKey(r.int(0), ref.Version)] = ref
		return nil
	}, "SELECT a.key, a.id, ref.value"+fromRefs, refsParameter(refs)); err != nil {
		return nil, err
	}
	resting := map[int64][]int64{} // on a version, directly
	taken := 0
	if err := r.c.query(ctx, func(r row) error {
		resting[r.int(1)] = append(resting[r.int(1)], r.int(0))
		taken++
		return nil
	}, `WITH RECURSIVE under (src, rel, dst) AS (
			SELECT src, rel, dst FROM json_each(?1) k CROSS JOIN links ON src = k.value AND +rel IN (SELECT value FROM json_each(?2))
			UNION SELECT l.src, l.rel, l.dst FROM under CROSS JOIN links l ON l.src = under.dst AND +l.rel IN (SELECT value FROM json_each(?2))
		) SELECT src, dst FROM under LIMIT ?3`,
		keysParameter(maps.Keys(asked)), textsParameter(rels), int64(limit)+1); err != nil {
		return nil, err
	}
	if taken > limit {
		return nil, store.TooManyLinks(limit)
	}
	stale := map[int64]bool{}
	next, err := collect(ctx, r.c, func(r row) int64 { return r.int(0) },
		"SELECT v.key FROM json_each(?) k CROSS JOIN versions v ON v.key = k.value CROSS JOIN artifacts a ON a.key = v.artifact WHERE "+outdated,
		keysParameter(maps.Keys(resting)))
	if err != nil {
		return nil, err
	}
	for len(next) > 0 {
		on := next[len(next)-1]
		next = next[:len(next)-1]
		for _, key := range resting[on] {
			if !stale[key] {
				stale[key] = true
				next = append(next, key)
			}
		}
	}
	var out []brenner.Ref
	for key, ref := range asked {
		if stale[key] {
			out = append(out, ref)
		}
	}
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, nil
}

func (r *reader) OutdatedTargets(ctx context.Context) ([]brenner.Ref, error) {
	// From the canonical versions down to what is linked below them, and from
	// what is superseded or deprecated to whether it is linked: the links to
	// what is in force are not looked at.
	return r.targets(ctx, `SELECT a.id, t.dst FROM (
		SELECT l.dst FROM versions c INDEXED BY one_canonical_per_artifact
			CROSS JOIN links l INDEXED BY links_by_target ON l.dst > c.key & ~0xffffff AND l.dst < c.key
			WHERE c.status = 'canonical'
		UNION
		SELECT s.key FROM versions s INDEXED BY superseded
			WHERE s.status = 'superseded' AND EXISTS (SELECT 1 FROM links l WHERE l.dst = s.key)
		UNION
		SELECT d.key FROM versions d INDEXED BY deprecated
			WHERE d.status = 'deprecated' AND EXISTS (SELECT 1 FROM links l WHERE l.dst = d.key)
		) t CROSS JOIN artifacts a ON a.key = t.dst >> 24`)
}

func (r *reader) CorrectedTargets(ctx context.Context) ([]brenner.Ref, error) {
	// From the artifacts that went on without a decision down to what is linked
	// below their heads.
	return r.targets(ctx, `SELECT DISTINCT a.id, l.dst FROM artifacts a INDEXED BY undecided
		CROSS JOIN links l INDEXED BY links_by_target ON l.dst > a.key << 24 AND l.dst < a.key << 24 | a.head
		CROSS JOIN versions v ON v.key = l.dst
		WHERE a.canonical = 0 AND a.head > 1 AND `+corrected)
}

// targets runs a statement that selects ids and keys of versions, and puts
// these in order.
func (r *reader) targets(ctx context.Context, statement string) ([]brenner.Ref, error) {
	out, err := collect(ctx, r.c, func(r row) brenner.Ref {
		return brenner.Ref{Artifact: brenner.ArtifactID(r.text(0)), Version: versionOf(r.int(1))}
	}, statement)
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, err
}
