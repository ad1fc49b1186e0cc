package memory

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// reader reads a state. Rows are copied on the way out.
type reader struct{ *state }

func (r reader) Project(ctx context.Context) (store.Project, error) {
	if err := canceled(ctx); err != nil {
		return store.Project{}, err
	}
	if r.project == nil {
		return store.Project{}, brenner.Errorf(brenner.CodeNoProject, "the store holds no project")
	}
	return *r.project, nil
}

func (r reader) Size(ctx context.Context) (int64, error) {
	return int64(len(r.records)), canceled(ctx)
}

func (r reader) Records(ctx context.Context, after int64, most int) ([]store.Record, error) {
	var out []store.Record
	for _, rec := range r.records {
		if rec.Seq > after {
			rec.Data = bytes.Clone(rec.Data)
			out = append(out, rec)
		}
	}
	return limit(out, most), canceled(ctx)
}

func (r reader) FindRecords(ctx context.Context, q store.RecordQuery) ([]store.Record, error) {
	var out []store.Record
	for _, rec := range r.records {
		if (q.Kind == "" || rec.Kind == q.Kind) && (q.Actor == "" || rec.Actor == q.Actor) &&
			rec.Seq > q.After && (q.Before == 0 || rec.Seq < q.Before) {
			rec.Data = bytes.Clone(rec.Data)
			out = append(out, rec)
		}
	}
	if q.Newest {
		slices.Reverse(out)
	}
	return limit(out, q.Limit), canceled(ctx)
}

func (r reader) Hashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	var out [][32]byte
	for _, i := range indexes {
		if i < 0 || i >= int64(len(r.hashes)) {
			return nil, notFound("there is no hash %d", i)
		}
		out = append(out, r.hashes[i])
	}
	return out, canceled(ctx)
}

// Expect has nothing to gain: everything is here.
func (r reader) Expect(context.Context, []brenner.Ref, int64) {}

func (r reader) Generation(ctx context.Context) (int64, error) {
	return r.generation, canceled(ctx)
}

func (r reader) Blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	data, err := r.blob(ctx, d)
	return bytes.Clone(data), err
}

func (r reader) SmallBlob(ctx context.Context, d brenner.Digest, most int64) ([]byte, int64, error) {
	data, err := r.blob(ctx, d)
	size := int64(len(data))
	if size > most {
		return nil, size, err
	}
	return bytes.Clone(data), size, err
}

func (r reader) blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	if err := canceled(ctx); err != nil {
		return nil, err
	}
	b, there := r.blobs[d]
	if !there {
		return nil, notFound("there is no content %s", d)
	}
	if b.redacted {
		return nil, brenner.Errorf(brenner.CodeRedacted, "content %s was redacted", d)
	}
	return b.data, nil
}

func (r reader) Blobs(ctx context.Context, digests []brenner.Digest, most int64, fn func(d brenner.Digest, data []byte) error) error {
	for _, d := range slices.Compact(slices.Sorted(slices.Values(digests))) {
		data, size, err := r.SmallBlob(ctx, d, most)
		switch code := brenner.CodeOf(err); {
		case code == brenner.CodeNotFound || code == brenner.CodeRedacted || err == nil && size > most:
			continue
		case err != nil:
			return err
		}
		if err := fn(d, data); err != nil {
			return err
		}
	}
	return canceled(ctx)
}

func (r reader) Redacted(ctx context.Context, digests []brenner.Digest) (out []brenner.Digest, err error) {
	for _, d := range slices.Compact(slices.Sorted(slices.Values(digests))) {
		switch _, _, err := r.SmallBlob(ctx, d, 0); brenner.CodeOf(err) {
		case brenner.CodeRedacted:
			out = append(out, d)
		case brenner.CodeCanceled:
			return nil, err
		}
	}
	return out, canceled(ctx)
}

func (r reader) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	for _, d := range slices.Sorted(maps.Keys(r.blobs)) {
		if err := canceled(ctx); err != nil {
			return err
		}
		if err := fn(d, bytes.Clone(r.blobs[d].data)); err != nil {
			return err
		}
	}
	return canceled(ctx)
}

func (r reader) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	if err := canceled(ctx); err != nil {
		return store.Artifact{}, err
	}
	a, there := r.artifacts[id]
	if !there {
		return store.Artifact{}, notFound("there is no artifact %s", id)
	}
	a.Tags = list(a.Tags)
	return a, nil
}

func (r reader) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	var out []store.Artifact
	for _, id := range slices.Sorted(maps.Keys(r.artifacts)) {
		a := r.artifacts[id]
		if selected(a, q) {
			a.Tags = list(a.Tags)
			out = append(out, a)
		}
	}
	if q.Recent {
		slices.SortStableFunc(out, func(a, b store.Artifact) int { return cmp.Compare(b.Seq, a.Seq) })
	}
	return limit(out, q.Limit), canceled(ctx)
}

func (r reader) CountArtifacts(ctx context.Context, q store.ArtifactQuery) (int, error) {
	n := 0
	for _, a := range r.artifacts {
		if selected(a, q.Whole()) {
			n++
		}
	}
	return n, canceled(ctx)
}

func (r reader) Tagged(ctx context.Context, q store.TagQuery) ([]store.Artifact, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	out, err := r.Artifacts(ctx, store.ArtifactQuery{Types: q.Types, Modules: q.Modules})
	tags := slices.Compact(slices.Sorted(slices.Values(q.Tags)))
	shared := func(a store.Artifact) (n int) {
		for _, tag := range tags {
			if slices.Contains(a.Tags, tag) {
				n++
			}
		}
		return n
	}
	out = slices.DeleteFunc(out, func(a store.Artifact) bool { return shared(a) == 0 })
	slices.SortStableFunc(out, func(a, b store.Artifact) int { return cmp.Compare(shared(b), shared(a)) })
	return limit(out, q.Limit), err
}

func (r reader) RareTags(ctx context.Context, tags []string, most int) ([]string, error) {
	if err := (store.TagQuery{Tags: tags}).Check(); err != nil {
		return nil, err
	}
	have := map[string]int{}
	for _, a := range r.artifacts {
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(a.Tags))) {
			have[tag]++
		}
	}
	tags = slices.Compact(slices.Sorted(slices.Values(tags)))
	return slices.DeleteFunc(tags, func(tag string) bool { return have[tag] > most }), canceled(ctx)
}

func (r reader) Kinds(ctx context.Context) ([]store.Kind, error) {
	var out []store.Kind
	for _, a := range r.artifacts {
		i := slices.IndexFunc(out, func(k store.Kind) bool { return k.Module == a.Module && k.Type == a.Type })
		if i < 0 {
			i, out = len(out), append(out, store.Kind{Module: a.Module, Type: a.Type})
		}
		out[i].Artifacts++
	}
	slices.SortFunc(out, func(a, b store.Kind) int { return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Type, b.Type)) })
	return out, canceled(ctx)
}

func selected(a store.Artifact, q store.ArtifactQuery) bool {
	in := len(q.Statuses) == 0 || slices.ContainsFunc(q.Statuses, func(s artifact.Status) bool {
		if s == artifact.Canonical {
			return a.Canonical > 0
		}
		return a.HeadStatus == s
	})
	return in &&
		(q.IDs == nil || slices.Contains(q.IDs, a.ID)) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, a.Type)) &&
		(len(q.Modules) == 0 || slices.Contains(q.Modules, a.Module)) &&
		(q.Tag == "" || slices.Contains(a.Tags, q.Tag)) &&
		(!q.Canonical || a.Canonical > 0) &&
		behind(a, q) &&
		(q.ChangedAfter == 0 || a.Seq > q.ChangedAfter)
}

// behind reports whether an artifact comes after where a query goes on.
func behind(a store.Artifact, q store.ArtifactQuery) bool {
	if q.Recent {
		return q.ChangedAt == 0 || a.Seq < q.ChangedAt || a.Seq == q.ChangedAt && a.ID > q.After
	}
	return a.ID > q.After
}

// allVersions lists the versions in id and version order.
func (r reader) allVersions() []store.Version {
	var out []store.Version
	for _, v := range r.versions {
		v.Tags = list(v.Tags)
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b store.Version) int { return a.Ref().Compare(b.Ref()) })
	return out
}

func (r reader) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	if err := canceled(ctx); err != nil {
		return store.Version{}, err
	}
	v, there := r.versions[ref]
	if !there {
		return store.Version{}, notFound("there is no version %s", ref)
	}
	v.Tags = list(v.Tags)
	return v, nil
}

func (r reader) Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, most int) ([]store.Version, error) {
	var out []store.Version
	for _, v := range r.allVersions() {
		if v.Artifact == id && v.Version > after {
			out = append(out, v)
		}
	}
	return limit(out, most), canceled(ctx)
}

func (r reader) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	var out []store.Version
	for _, v := range r.allVersions() {
		if slices.Contains(refs, v.Ref()) {
			out = append(out, v)
		}
	}
	return out, canceled(ctx)
}

func (r reader) Leaves(ctx context.Context, id brenner.ArtifactID) ([]store.Version, error) {
	covered := map[brenner.Ref]bool{} // has a live descendant
	for _, v := range r.versions {
		if !v.Status.Live() {
			continue
		}
		for p := v.Parent; p != 0; {
			ref := brenner.Ref{Artifact: v.Artifact, Version: p}
			covered[ref] = true
			p = r.versions[ref].Parent
		}
	}
	var leaves []store.Version
	count := map[brenner.ArtifactID]int{}
	for _, v := range r.allVersions() {
		if v.Status.Live() && !covered[v.Ref()] {
			leaves = append(leaves, v)
			count[v.Artifact]++
		}
	}
	leaves = slices.DeleteFunc(leaves, func(v store.Version) bool {
		return id != "" && v.Artifact != id || id == "" && count[v.Artifact] < 2
	})
	return leaves, canceled(ctx)
}

// allLinks lists the links in order of from, rel, to.
func (r reader) allLinks() []store.Link {
	return slices.SortedFunc(maps.Values(r.links), func(a, b store.Link) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
	})
}

func (r reader) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	out := slices.DeleteFunc(r.allLinks(), func(l store.Link) bool { return !slices.Contains(refs, l.From) })
	return out, canceled(ctx)
}

func (r reader) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	out := slices.DeleteFunc(r.allLinks(), func(l store.Link) bool {
		return !slices.Contains(refs, l.To) || len(rels) > 0 && !slices.Contains(rels, l.Rel)
	})
	return out, canceled(ctx)
}

func (r reader) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(refs, func(v store.Version, a store.Artifact) bool {
		return v.Status == artifact.Superseded || v.Status == artifact.Deprecated || v.Demoted || v.Version < a.Canonical
	}), canceled(ctx)
}

func (r reader) Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(refs, func(v store.Version, a store.Artifact) bool {
		return (v.Status == artifact.Draft || v.Status == artifact.NeedsRebase) && a.Canonical == 0 && v.Version < a.Head
	}), canceled(ctx)
}

// among keeps the versions that exist and of which something holds.
func (r reader) among(refs []brenner.Ref, holds func(store.Version, store.Artifact) bool) []brenner.Ref {
	var out []brenner.Ref
	for ref, v := range r.versions {
		if slices.Contains(refs, ref) && holds(v, r.artifacts[ref.Artifact]) {
			out = append(out, ref)
		}
	}
	slices.SortFunc(out, brenner.Ref.Compare)
	return out
}

func (r reader) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	var out []brenner.Ref
	taken := map[store.Link]bool{}
	for _, ref := range r.allVersions() {
		if !slices.Contains(refs, ref.Ref()) {
			continue
		}
		under := []brenner.Ref{ref.Ref()}
		for i := 0; i < len(under); i++ {
			for _, l := range r.links {
				if l.From != under[i] || !slices.Contains(rels, l.Rel) {
					continue
				}
				taken[l] = true
				if !slices.Contains(under[1:], l.To) {
					under = append(under, l.To)
				}
			}
		}
		if outdated, err := r.Outdated(ctx, under[1:]); err != nil {
			return nil, err
		} else if len(outdated) > 0 {
			out = append(out, ref.Ref())
		}
	}
	if len(taken) > limit {
		return nil, store.TooManyLinks(limit)
	}
	return out, canceled(ctx)
}

func (r reader) OutdatedTargets(ctx context.Context) ([]brenner.Ref, error) {
	canonical := map[brenner.ArtifactID]brenner.Version{}
	for _, v := range r.versions {
		if v.Status == artifact.Canonical {
			canonical[v.Artifact] = v.Version
		}
	}
	outdated := map[brenner.Ref]bool{}
	for _, l := range r.links {
		to := r.versions[l.To]
		if to.Status == artifact.Superseded || to.Status == artifact.Deprecated || to.Demoted || to.Version < canonical[to.Artifact] {
			outdated[l.To] = true
		}
	}
	return slices.SortedFunc(maps.Keys(outdated), brenner.Ref.Compare), canceled(ctx)
}

func (r reader) CorrectedTargets(ctx context.Context) ([]brenner.Ref, error) {
	var linked []brenner.Ref
	for _, l := range r.links {
		linked = append(linked, l.To)
	}
	return r.Corrected(ctx, linked)
}

func (r reader) Actor(ctx context.Context, name brenner.ActorName) (store.Actor, error) {
	if err := canceled(ctx); err != nil {
		return store.Actor{}, err
	}
	a, there := r.actors[name]
	if !there {
		return store.Actor{}, notFound("there is no actor %s", name)
	}
	return a, nil
}

func (r reader) Actors(ctx context.Context) ([]store.Actor, error) {
	var out []store.Actor
	for _, name := range slices.Sorted(maps.Keys(r.actors)) {
		out = append(out, r.actors[name])
	}
	return out, canceled(ctx)
}

func (r reader) Object(ctx context.Context, kind, id string) (store.Object, error) {
	if err := canceled(ctx); err != nil {
		return store.Object{}, err
	}
	o, there := r.objects[objectKey{kind, id}]
	if !there {
		return store.Object{}, notFound("there is no %s %s", kind, id)
	}
	o.Body = bytes.Clone(o.Body)
	return o, nil
}

func (r reader) Objects(ctx context.Context, q store.ObjectQuery) ([]store.Object, error) {
	along := func(a, b store.Object) int {
		c := cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
		if q.Newest {
			return -c
		}
		return c
	}
	start := store.Object{Order: q.AfterOrder, ID: q.AfterID}
	var out []store.Object
	for _, o := range r.objects {
		if o.Kind == q.Kind && (q.Group == "" || o.Group == q.Group) &&
			(len(q.States) == 0 || slices.Contains(q.States, o.State)) &&
			(q.AfterID == "" || along(o, start) > 0) {
			o.Body = bytes.Clone(o.Body)
			out = append(out, o)
		}
	}
	slices.SortFunc(out, along)
	return limit(out, q.Limit), canceled(ctx)
}

func (r reader) CountObjects(ctx context.Context, kind, group string) (map[string]int, error) {
	out := map[string]int{}
	for _, o := range r.objects {
		if o.Kind == kind && (group == "" || o.Group == group) {
			out[o.State]++
		}
	}
	return out, canceled(ctx)
}

func (r reader) Request(ctx context.Context, actor brenner.ActorName, key string) (store.Request, error) {
	if err := canceled(ctx); err != nil {
		return store.Request{}, err
	}
	req, there := r.requests[requestKey{actor, key}]
	if !there {
		return store.Request{}, notFound("the key %q was not used", key)
	}
	req.Result = bytes.Clone(req.Result)
	return req, nil
}

func (r reader) Token(ctx context.Context, secret brenner.Digest) (store.Token, error) {
	if err := canceled(ctx); err != nil {
		return store.Token{}, err
	}
	for _, t := range r.tokens {
		if t.Secret == secret {
			return t, nil
		}
	}
	return store.Token{}, notFound("there is no such token")
}

func (r reader) Tokens(ctx context.Context) ([]store.Token, error) {
	var out []store.Token
	for _, id := range slices.Sorted(maps.Keys(r.tokens)) {
		out = append(out, r.tokens[id])
	}
	return out, canceled(ctx)
}

func (r reader) Denials(ctx context.Context, most int) ([]store.Denial, error) {
	out := slices.Clone(r.denials)
	slices.Reverse(out)
	return limit(out, most), canceled(ctx)
}

func (r reader) Stored(ctx context.Context, actor brenner.ActorName) (int64, error) {
	return r.stored[actor], canceled(ctx)
}

func (r reader) Vectors(ctx context.Context, space string, ids []string) (map[string][]float32, error) {
	out := map[string][]float32{}
	for _, id := range ids {
		if v, there := r.vectors[space][id]; there {
			out[id] = slices.Clone(v)
		}
	}
	return out, canceled(ctx)
}

func (r reader) EachVector(ctx context.Context, space string, fn func(id string, v []float32) error) error {
	for _, id := range slices.Sorted(maps.Keys(r.vectors[space])) {
		if err := canceled(ctx); err != nil {
			return err
		}
		if err := fn(id, slices.Clone(r.vectors[space][id])); err != nil {
			return err
		}
	}
	return canceled(ctx)
}

func (r reader) Each(ctx context.Context, t store.Table, fn func(row any) error) error {
	for _, row := range r.rows(t) {
		if err := canceled(ctx); err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return canceled(ctx)
}

// rows lists a digest table in key order.
func (r reader) rows(t store.Table) []any {
	switch t {
	case store.TableArtifacts:
		all, _ := r.Artifacts(context.Background(), store.ArtifactQuery{})
		return anys(all)
	case store.TableVersions:
		return anys(r.allVersions())
	case store.TableLinks:
		return anys(r.allLinks())
	case store.TableActors:
		all, _ := r.Actors(context.Background())
		return anys(all)
	case store.TableObjects:
		all := slices.SortedFunc(maps.Values(r.objects), func(a, b store.Object) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
		})
		for i := range all {
			all[i].Body = bytes.Clone(all[i].Body)
		}
		return anys(all)
	case store.TableRequests:
		all := slices.SortedFunc(maps.Values(r.requests), func(a, b store.Request) int {
			return cmp.Or(cmp.Compare(a.Actor, b.Actor), cmp.Compare(a.Key, b.Key))
		})
		for i := range all {
			all[i].Result = bytes.Clone(all[i].Result)
		}
		return anys(all)
	default:
		return nil
	}
}

func anys[T any](rows []T) []any {
	out := make([]any, len(rows))
	for i, row := range rows {
		out[i] = row
	}
	return out
}
