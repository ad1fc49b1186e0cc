package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
	"brenner/internal/store"
)

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
	if q.OnlyIDs() {
		return r.named(ctx, q.IDs)
	}
	from, w, err := r.selection(ctx, q)
	if err != nil {
		return nil, err
	}
	order := "id"
	if q.Recent {
		order = "seq DESC, id"
	}
	return collect(ctx, r.c, scanArtifact, "SELECT "+artifactText+from+w.String()+" ORDER BY "+order+" LIMIT ?+0", append(w.args, limit(q.Limit))...)
}

// named gives the artifacts of some ids. That the database need not put these in order makes
// them quicker to look up.
func (r *reader) named(ctx context.Context, ids []brenner.ArtifactID) ([]store.Artifact, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	out, err := collect(ctx, r.c, scanArtifact,
		"SELECT "+artifactText+" FROM (SELECT value FROM json_each(?)) CROSS JOIN artifacts ON id = value", textsParameter(ids))
	slices.SortFunc(out, func(a, b store.Artifact) int { return cmp.Compare(a.ID, b.ID) })
	return out, err
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
		if rare, err := r.isRare(ctx, q.Tag, fewTagged); err != nil {
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

// fewTagged is how many artifacts are soon read and sorted: where no more have a tag, it
// is better to go from them than to look for them among all.
const fewTagged = 2000

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
		" ORDER BY s DESC, i LIMIT ?+0) newest CROSS JOIN artifacts ON key = k", append(args, limit(q.Limit))...)
	order.By(out, func(a, b store.Artifact) int { return cmp.Or(cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.ID, b.ID)) })
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
