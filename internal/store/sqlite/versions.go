package sqlite

import (
	"context"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
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

// versionColumns gives a version's columns in one text, as those of an artifact, and its
// digest, which may have any bytes; id is where that of its artifact is.
func versionColumns(id string) string {
	return "concat_ws(char(0), " + id + ", v.key, v.parent, v.status, v.slot, v.format, v.size, v.creator, v.role, v.created, " +
		"v.task, v.invocation, v.seq, v.demoted, v.summary, v.what, v.why, CAST(v.tags AS TEXT)), v.content"
}

func scanVersion(r row) store.Version {
	f := fields(r.text(0))
	v := store.Version{
		Artifact: brenner.ArtifactID(f.text()), Version: versionOf(f.int()), Parent: brenner.Version(f.int()),
		Status: artifact.Status(f.text()), Slot: f.text(), Format: artifact.Format(f.text()), Content: digest(r.bytes(1)),
		Size: f.int(), Creator: brenner.ActorName(f.text()), Role: brenner.Role(f.text()), Created: instant(f.int()),
		Task: f.text(), Invocation: f.text(), Seq: f.int(), Demoted: f.int() != 0, Summary: f.text(), What: f.text(), Why: f.text(),
	}
	v.Tags = split(string(f))
	return v
}

var selectVersions = "SELECT " + versionColumns("a.id") + " FROM artifacts a JOIN versions v "

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
		selectVersions+"ON v.key > a.key << 24 | ?1 AND v.key <= a.key << 24 | 0xffffff WHERE a.id = ?2 ORDER BY v.key LIMIT ?3+0",
		max(0, int64(after)), string(id), limit(most))
}

func (r *reader) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	out, err := collect(ctx, r.c, scanVersion, "SELECT "+versionColumns("a.id")+fromRefs+
		"CROSS JOIN versions v ON v.key = a.key << 24 | ref.value", refsParameter(refs))
	order.By(out, func(a, b store.Version) int { return a.Ref().Compare(b.Ref()) })
	return out, err
}

// fromRefs makes rows of many references at once: a statement each would cost
// more than what it finds. The parameter is refsParameter's.
const fromRefs = " FROM json_each(?1) ref CROSS JOIN artifacts a ON a.id = ref.key "

func (r *reader) eachVersion(ctx context.Context, fn func(any) error) error {
	return r.c.query(ctx, func(a row) error {
		lowest, highest := versionRange(a.int(0))
		return r.c.query(ctx, func(v row) error { return fn(scanVersion(v)) },
			"SELECT "+versionColumns("?1")+" FROM versions v WHERE v.key BETWEEN ?2 AND ?3 ORDER BY v.key", a.text(1), lowest, highest)
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
				"SELECT "+versionColumns("a.id")+" FROM versions v JOIN artifacts a ON a.key = v.artifact WHERE v.key = ?", key); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
