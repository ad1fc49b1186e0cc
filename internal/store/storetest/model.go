package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/retrieval"
)

// model plays random writes to the store and to the in-memory model and
// compares every answer on the way and everything readable at the end.
func model(t *testing.T, open func(t *testing.T) store.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		m := memory.New()
		s := open(t)
		defer closeStore(t, s)
		for range rapid.IntRange(1, 25).Draw(rt, "writes") {
			playWrite(rt, m, s)
			if rapid.IntRange(0, 3).Draw(rt, "settle") == 0 {
				if err := s.Settle(context.Background()); err != nil {
					rt.Fatal(err)
				}
			}
		}
		both(rt, m, s, questions())
	})
}

// errGivenUp ends a write that is to leave nothing.
var errGivenUp = errors.New("given up")

// playWrite plays one write of a few operations to both.
func playWrite(rt *rapid.T, m, s store.Store) {
	ops := rapid.SliceOfN(rapid.Custom(drawOp), 1, 6).Draw(rt, "ops")
	giveUp := rapid.IntRange(0, 5).Draw(rt, "give up") == 0
	late := rapid.IntRange(0, 2).Draw(rt, "late") == 0
	look := rapid.SampledFrom(questions()).Draw(rt, "look")
	ctx := context.Background()
	run := func(s store.Store) (codes []brenner.Code, seen any, err error) {
		err = s.Write(ctx, func(tx store.Tx) error {
			codes = nil // it may run once more
			if late {
				tx.RefuseLate()
			}
			for _, o := range ops {
				err := o.apply(ctx, tx)
				codes = append(codes, brenner.CodeOf(err))
				if err != nil {
					return err
				}
			}
			seen = look.ask(ctx, tx)
			if giveUp {
				return errGivenUp
			}
			return nil
		})
		return codes, seen, err
	}
	wantCodes, wantSeen, wantErr := run(m)
	codes, seen, err := run(s)
	if late && wantErr != nil && !errors.Is(wantErr, errGivenUp) {
		if err == nil { // why, and after which operation, may differ
			rt.Fatalf("the model answered %v, the store took it\n%v", wantErr, ops)
		}
		return
	}
	if !slices.Equal(codes, wantCodes) || brenner.CodeOf(err) != brenner.CodeOf(wantErr) {
		rt.Fatalf("the model answered %v and %v, the store %v and %v\n%v", wantCodes, wantErr, codes, err, ops)
	}
	if d := cmp.Diff(wantSeen, seen, cmpopts.EquateEmpty()); d != "" {
		rt.Fatalf("%s inside a write (-model +store):\n%s", look.name, d)
	}
	both(rt, m, s, []question{look, rapid.SampledFrom(questions()).Draw(rt, "look again")})
}

// both asks both the same and compares.
func both(rt *rapid.T, m, s store.Store, qs []question) {
	answers := func(s store.Store) map[string]any {
		out := map[string]any{}
		ctx := context.Background()
		if err := s.Read(ctx, func(r store.Reader) error {
			for _, q := range qs {
				out[q.name] = q.ask(ctx, r)
			}
			return nil
		}); err != nil {
			rt.Fatalf("Read: %v", err)
		}
		return out
	}
	if d := cmp.Diff(answers(m), answers(s), cmpopts.EquateEmpty()); d != "" {
		rt.Fatalf("the store is not the model (-model +store):\n%s", d)
	}
}

// op is one writing call, with its name and arguments for the report.
type op struct {
	name  string
	apply func(ctx context.Context, tx store.Tx) error
}

func (o op) String() string { return o.name }

// The small world the operations play in: few names, so that they meet.
var (
	someIDs      = []brenner.ArtifactID{"a", "B", "b", "é", "zz"}
	someVersions = []brenner.Version{1, 2, 3, 4, 5}
	someSlots    = []string{"", "", "s1", "s2"}
	someTags     = []string{"x", "y", "X"}
	someTypes    = []brenner.TypeName{"note", "memo"}
	someModules  = []brenner.Module{"m1", "m2"}
	someNames    = []brenner.ActorName{"ada", "Bob", "bob"}
	someKinds    = []string{"task", "mail"}
	someGroups   = []string{"", "g", "h"}
	someStates   = []string{"open", "done"}
	someWords    = []string{"", "alpha", "alpha beta", "Beta, gamma; betas", "細胞 alpha alpha", "the of", "OR NOT \"alpha\""}
	someData     = []string{"", "one", "two", "three"}
	someSpaces   = []string{"s", "t"}
)

func pick[T any](rt *rapid.T, from []T, label string) T {
	return rapid.SampledFrom(from).Draw(rt, label)
}

func pickRef(rt *rapid.T, label string) brenner.Ref {
	return brenner.Ref{Artifact: pick(rt, someIDs, label), Version: pick(rt, someVersions, label)}
}

func drawOp(rt *rapid.T) op {
	draw := pick(rt, []func(*rapid.T) op{
		drawArtifact, drawArtifact, drawVersion, drawVersion, drawVersion, drawVersion, drawStatus, drawStatus, drawLink, drawLink,
		drawJournal, drawBlob, drawRow, drawObject, drawIndex, drawIndex, drawIndex,
		drawVectors, drawReset,
	}, "op")
	return draw(rt)
}

func drawArtifact(rt *rapid.T) op {
	a := anArtifact(string(pick(rt, someIDs, "id")), int64(rapid.IntRange(0, 9).Draw(rt, "seq")))
	a.Type, a.Module = pick(rt, someTypes, "type"), pick(rt, someModules, "module")
	a.HeadStatus = pick(rt, artifact.Statuses(), "status")
	a.Size = rapid.Int64Range(0, 9).Draw(rt, "size")
	a.Canonical = brenner.Version(rapid.IntRange(0, 2).Draw(rt, "canonical"))
	a.Tags = rapid.SliceOfN(rapid.SampledFrom(someTags), 0, 3).Draw(rt, "tags")
	return op{fmt.Sprintf("PutArtifact(%+v)", a), func(ctx context.Context, tx store.Tx) error { return tx.PutArtifact(ctx, a) }}
}

func drawVersion(rt *rapid.T) op {
	v := aVersion(string(pick(rt, someIDs, "id")), int(pick(rt, someVersions, "version")), rapid.IntRange(0, 4).Draw(rt, "parent"),
		pick(rt, artifact.Statuses(), "status"))
	v.Slot, v.Demoted = pick(rt, someSlots, "slot"), rapid.IntRange(0, 4).Draw(rt, "demoted") == 0
	text := pick(rt, someWords, "content")
	v.Summary, v.Content = pick(rt, someWords, "summary"), digestOf(text)
	return op{fmt.Sprintf("InsertVersion(%s on %d %s %q %q %q)", v.Ref(), v.Parent, v.Status, v.Slot, v.Summary, text), func(ctx context.Context, tx store.Tx) error {
		// Versions are mostly of artifacts that are there.
		if _, err := tx.Artifact(ctx, v.Artifact); err != nil && v.Version != 5 {
			return nil
		}
		return do(putBlob(ctx, tx, text), tx.InsertVersion(ctx, v))
	}}
}

// drawIndex makes some versions findable that are there.
func drawIndex(rt *rapid.T) op {
	id := pick(rt, someIDs, "id")
	var wanted []store.Indexed
	for _, v := range someVersions {
		if rapid.IntRange(0, 2).Draw(rt, "wanted") == 0 {
			wanted = append(wanted, store.Indexed{Version: v, Draft: rapid.Bool().Draw(rt, "draft")})
		}
	}
	return op{fmt.Sprintf("Index(%s, %v)", id, wanted), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Artifact(ctx, id); err != nil && id != "zz" {
			return nil
		}
		var there []store.Indexed
		for _, v := range wanted {
			if _, err := tx.Version(ctx, brenner.Ref{Artifact: id, Version: v.Version}); err == nil {
				there = append(there, v)
			}
		}
		return tx.Index(ctx, id, there)
	}}
}

func drawStatus(rt *rapid.T) op {
	ref, status := pickRef(rt, "ref"), pick(rt, artifact.Statuses(), "status")
	return op{fmt.Sprintf("SetStatus(%s, %s)", ref, status), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Version(ctx, ref); err != nil && ref.Version != 5 {
			return nil
		}
		return tx.SetStatus(ctx, ref, status)
	}}
}

func drawLink(rt *rapid.T) op {
	l := store.Link{From: pickRef(rt, "from"), Rel: pick(rt, artifact.Relations(), "rel"), To: pickRef(rt, "to"), Seq: 7}
	return op{fmt.Sprintf("InsertLink(%+v)", l), func(ctx context.Context, tx store.Tx) error {
		if vs, err := tx.VersionsOf(ctx, []brenner.Ref{l.From, l.To}); err != nil || len(vs) < 2 && l.From.Version != 5 {
			return err
		}
		return tx.InsertLink(ctx, l)
	}}
}

func drawJournal(rt *rapid.T) op {
	gap := pick(rt, []int64{1, 1, 1, 1, 0, 2}, "gap")
	data := pick(rt, someData, "data")
	kind, actor := pick(rt, []string{"k", "l"}, "kind"), pick(rt, []brenner.ActorName{"ada", "bob"}, "actor")
	n := rapid.IntRange(0, 3).Draw(rt, "hashes")
	return op{fmt.Sprintf("AppendRecord(+%d %s by %s, %d hashes)", gap, kind, actor, n), func(ctx context.Context, tx store.Tx) error {
		size, err := tx.Size(ctx)
		if err != nil {
			return err
		}
		if err := tx.AppendRecord(ctx, store.Record{Seq: size + gap, At: day, Actor: actor, Kind: kind, Data: []byte(data)}); err != nil {
			return err
		}
		return tx.PutHashes(ctx, 3*size, slices.Repeat([][32]byte{{byte(size)}}, n))
	}}
}

func drawBlob(rt *rapid.T) op {
	data, redact := pick(rt, slices.Concat(someData, someWords), "data"), rapid.IntRange(0, 3).Draw(rt, "redact") == 0
	return op{fmt.Sprintf("PutBlob(%q, redact %v)", data, redact), func(ctx context.Context, tx store.Tx) error {
		if redact {
			return tx.RedactBlob(ctx, digestOf(data))
		}
		return putBlob(ctx, tx, data)
	}}
}

// putBlob stores a content, and has a store that refuses it late say so now.
func putBlob(ctx context.Context, tx store.Tx, data string) error {
	if err := tx.PutBlob(ctx, digestOf(data), []byte(data)); err != nil {
		return err
	}
	_, err := tx.Blob(ctx, digestOf(data))
	return err
}

// drawRow writes one of the smaller tables.
func drawRow(rt *rapid.T) op {
	name, n := pick(rt, someNames, "name"), rapid.IntRange(0, 3).Draw(rt, "n")
	switch rapid.IntRange(0, 4).Draw(rt, "row") {
	case 0:
		a := store.Actor{Name: name, Kind: "agent", Role: "reader", Active: n > 1, Created: day, Seq: int64(n)}
		return op{fmt.Sprintf("PutActor(%+v)", a), func(ctx context.Context, tx store.Tx) error { return tx.PutActor(ctx, a) }}
	case 1:
		q := store.Request{Actor: name, Key: fmt.Sprint("k", n), Digest: digestOf("r"), Result: []byte("{}"), Seq: int64(n)}
		return op{fmt.Sprintf("PutRequest(%s %s)", q.Actor, q.Key), func(ctx context.Context, tx store.Tx) error { return tx.PutRequest(ctx, q) }}
	case 2:
		k := store.Token{ID: string(name), Actor: name, Secret: digestOf(fmt.Sprint(n)), Created: day, Revoked: n > 1}
		return op{fmt.Sprintf("PutToken(%s %d)", k.ID, n), func(ctx context.Context, tx store.Tx) error { return tx.PutToken(ctx, k) }}
	case 3:
		d := store.Denial{At: day, Actor: name, Reason: fmt.Sprint(n)}
		return op{"AddDenial", func(ctx context.Context, tx store.Tx) error { return tx.AddDenial(ctx, d) }}
	default:
		p := store.Project{ID: "p", Name: string(name), At: day}
		return op{"Init", func(ctx context.Context, tx store.Tx) error { return tx.Init(ctx, p) }}
	}
}

func drawObject(rt *rapid.T) op {
	o := store.Object{
		Kind: pick(rt, someKinds, "kind"), ID: pick(rt, someTags, "id"), Group: pick(rt, someGroups, "group"), State: pick(rt, someStates, "state"),
		Order: int64(rapid.IntRange(-1, 2).Draw(rt, "order")), Body: []byte(pick(rt, someData, "body")), Seq: 3,
	}
	return op{fmt.Sprintf("PutObject(%+v)", o), func(ctx context.Context, tx store.Tx) error { return tx.PutObject(ctx, o) }}
}

func drawVectors(rt *rapid.T) op {
	space, n := pick(rt, someSpaces, "space"), rapid.IntRange(0, 4).Draw(rt, "n")
	if n == 0 {
		return op{"DeleteVectors(" + space + ")", func(ctx context.Context, tx store.Tx) error { return tx.DeleteVectors(ctx, space) }}
	}
	v := map[string][]float32{}
	for i := range n {
		v[someTags[i%len(someTags)]] = []float32{float32(i), float32(n)}
	}
	return op{fmt.Sprintf("PutVectors(%s, %v)", space, v), func(ctx context.Context, tx store.Tx) error { return tx.PutVectors(ctx, space, v) }}
}

func drawReset(rt *rapid.T) op {
	if rapid.IntRange(0, 4).Draw(rt, "really") != 0 {
		return drawVersion(rt)
	}
	return op{"Reset", func(ctx context.Context, tx store.Tx) error { return tx.Reset(ctx) }}
}

// question is something to ask a store; an error is answered by its code.
type question struct {
	name string
	ask  func(ctx context.Context, r store.Reader) any
}

// answer makes a question of a reading method.
func answer[T any](name string, fn func(ctx context.Context, r store.Reader) (T, error)) question {
	return question{name, func(ctx context.Context, r store.Reader) any {
		v, err := fn(ctx, r)
		if err != nil {
			return brenner.CodeOf(err)
		}
		return v
	}}
}

// questions asks for everything there can be in the small world.
func questions() []question {
	qs := []question{
		answer("Project", func(ctx context.Context, r store.Reader) (store.Project, error) { return r.Project(ctx) }),
		answer("Size", func(ctx context.Context, r store.Reader) (int64, error) { return r.Size(ctx) }),
		answer("Records", func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.Records(ctx, 0, 0) }),
		answer("Records after 1", func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.Records(ctx, 1, 2) }),
		answer("EachBlob", eachBlob),
		answer("Blobs", someBlobs),
		answer("OutdatedTargets", func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.OutdatedTargets(ctx) }),
		answer("CorrectedTargets", func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.CorrectedTargets(ctx) }),
		answer("Leaves", func(ctx context.Context, r store.Reader) ([]store.Version, error) { return r.Leaves(ctx, "") }),
		answer("Actors", func(ctx context.Context, r store.Reader) ([]store.Actor, error) { return r.Actors(ctx) }),
		answer("Tokens", func(ctx context.Context, r store.Reader) ([]store.Token, error) { return r.Tokens(ctx) }),
		answer("Denials", func(ctx context.Context, r store.Reader) ([]store.Denial, error) { return r.Denials(ctx, 3) }),
		answer("VersionsOf", func(ctx context.Context, r store.Reader) ([]store.Version, error) {
			return r.VersionsOf(ctx, everyRef())
		}),
		answer("Outdated", func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) {
			return r.Outdated(ctx, everyRef()[2:])
		}),
		answer("Corrected", func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) {
			return r.Corrected(ctx, everyRef()[2:])
		}),
		answer("LinksFrom", func(ctx context.Context, r store.Reader) ([]store.Link, error) {
			return r.LinksFrom(ctx, everyRef()[3:])
		}),
		answer("LinksTo", func(ctx context.Context, r store.Reader) ([]store.Link, error) { return r.LinksTo(ctx, everyRef()[3:]) }),
		answer("LinksTo, by relation", func(ctx context.Context, r store.Reader) ([]store.Link, error) {
			return r.LinksTo(ctx, everyRef()[3:], artifact.Cites, artifact.Reviews)
		}),
	}
	for _, q := range []store.RecordQuery{
		{},
		{Newest: true},
		{Kind: "k"},
		{Kind: "k", Newest: true, Limit: 1},
		{Actor: "bob", After: 1},
		{Actor: "bob", Before: 3, Newest: true},
		{Kind: "l", Actor: "ada"},
		{Kind: "l", Actor: "ada", After: 1, Before: 4, Limit: 1},
		{Kind: "none"},
		{Before: 1},
	} {
		qs = append(qs, answer(fmt.Sprintf("FindRecords %+v", q), func(ctx context.Context, r store.Reader) ([]store.Record, error) {
			return r.FindRecords(ctx, q)
		}))
	}
	for i := range int64(4) {
		qs = append(qs, answer(fmt.Sprint("Hashes ", i), func(ctx context.Context, r store.Reader) ([][32]byte, error) {
			return r.Hashes(ctx, []int64{3 * i, i})
		}))
	}
	for _, table := range store.Tables() {
		qs = append(qs, answer("Each "+string(table), func(ctx context.Context, r store.Reader) ([]any, error) { return each(ctx, r, table) }))
	}
	for _, id := range someIDs {
		qs = append(qs,
			answer("Artifact "+string(id), func(ctx context.Context, r store.Reader) (store.Artifact, error) { return r.Artifact(ctx, id) }),
			answer("Versions "+string(id), func(ctx context.Context, r store.Reader) ([]store.Version, error) { return r.Versions(ctx, id, 1, 2) }),
			answer("Leaves "+string(id), func(ctx context.Context, r store.Reader) ([]store.Version, error) { return r.Leaves(ctx, id) }))
	}
	for _, rels := range [][]artifact.Relation{nil, artifact.Relations()[:1], artifact.Relations()} {
		for _, limit := range []int{2, 1000} {
			qs = append(qs, answer(fmt.Sprint("Stale ", rels, limit), func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) {
				return r.Stale(ctx, everyRef()[2:], rels, limit)
			}))
		}
	}
	for i, q := range artifactQueries() {
		qs = append(qs, answer(fmt.Sprintf("Artifacts %d %+v", i, q), func(ctx context.Context, r store.Reader) ([]store.Artifact, error) {
			return r.Artifacts(ctx, q)
		}), answer(fmt.Sprintf("CountArtifacts %d %+v", i, q), func(ctx context.Context, r store.Reader) (int, error) {
			return r.CountArtifacts(ctx, q)
		}))
	}
	qs = append(qs, answer("Kinds", func(ctx context.Context, r store.Reader) ([]store.Kind, error) { return r.Kinds(ctx) }))
	for _, q := range []store.TagQuery{
		{},
		{Tags: someTags},
		{Tags: append(someTags[:1:1], someTags[0]), Limit: 2},
		{Tags: someTags[1:], Types: someTypes[:1]},
		{Tags: someTags, Modules: someModules[1:], Limit: 1},
		{Tags: someTags, Types: someTypes, Modules: someModules, Depth: 100},
		{Tags: slices.Repeat(someTags[:1], brenner.MaxQueryTags+1)},
	} {
		qs = append(qs, answer(fmt.Sprintf("Tagged %+v", q), func(ctx context.Context, r store.Reader) ([]store.Artifact, error) { return r.Tagged(ctx, q) }))
	}
	for _, most := range []int{0, 1, 3, 100} {
		qs = append(qs, answer(fmt.Sprintf("RareTags %d", most), func(ctx context.Context, r store.Reader) ([]string, error) {
			return r.RareTags(ctx, append(slices.Clone(someTags), "nobody's", someTags[0]), most)
		}))
	}
	for i, q := range objectQueries() {
		qs = append(qs, answer(fmt.Sprintf("Objects %d %+v", i, q), func(ctx context.Context, r store.Reader) ([]store.Object, error) {
			return r.Objects(ctx, q)
		}))
	}
	for _, group := range someGroups {
		qs = append(qs, answer("CountObjects "+group, func(ctx context.Context, r store.Reader) (map[string]int, error) {
			return r.CountObjects(ctx, "task", group)
		}))
	}
	for _, q := range []store.RankQuery{
		asked("alpha"), asked("beta gamma alpha"), asked("細"), asked("not or"), asked(""), asked("version"),
		{Terms: retrieval.Question("alpha beta"), Types: someTypes[:1], Drafts: true},
		{Terms: retrieval.Question("alpha"), Modules: someModules[1:], Limit: 2, Feedback: true},
		{Terms: retrieval.Question("beta"), Drafts: true, Feedback: true},
		{Terms: retrieval.Question("beta version"), Drafts: true, Feedback: true, Bare: true, Limit: 3},
		{Terms: retrieval.Question("alphq gama"), Prefixes: []string{"b", "v"}, Respell: true, Drafts: true},
		{Terms: retrieval.Question("gamma vresion"), Respell: true, Drafts: true, Feedback: true, Own: true, Limit: 3},
	} {
		qs = append(qs, answer(fmt.Sprintf("Rank %+v", q), func(ctx context.Context, r store.Reader) ([]store.RankedHit, error) {
			got, err := r.Rank(ctx, q)
			for i := range got.Hits {
				got.Hits[i].Parts = retrieval.Parts{Words: got.Hits[i].Parts.Words}
			}
			return got.Hits, err
		}))
	}
	for _, words := range []string{"alpha beta nobody's", "version"} {
		qs = append(qs, answer("Counted "+words, func(ctx context.Context, r store.Reader) (retrieval.Counted, error) {
			got, err := r.Rank(ctx, store.RankQuery{Terms: retrieval.Question(words), Counted: true, Bare: true, Limit: 1})
			return got.Counted, err
		}))
	}
	for _, space := range someSpaces {
		qs = append(qs, answer("Vectors "+space, func(ctx context.Context, r store.Reader) (map[string][]float32, error) {
			return r.Vectors(ctx, space, someTags)
		}))
	}
	return qs
}

func someBlobs(ctx context.Context, r store.Reader) ([]string, error) {
	var asked []brenner.Digest
	for _, data := range slices.Concat(someData, someWords) {
		asked = append(asked, digestOf(data))
	}
	var out []string
	err := r.Blobs(ctx, asked, 4, func(d brenner.Digest, data []byte) error {
		out = append(out, fmt.Sprintf("%s %q", d, data))
		return nil
	})
	slices.Sort(out)
	if err != nil {
		return out, err
	}
	gone, err := r.Redacted(ctx, asked)
	for _, d := range gone {
		out = append(out, string(d)+" redacted")
	}
	return out, err
}

func eachBlob(ctx context.Context, r store.Reader) ([]string, error) {
	var out []string
	err := r.EachBlob(ctx, func(d brenner.Digest, data []byte) error {
		out = append(out, fmt.Sprintf("%s %q %v", d, data, data == nil))
		return nil
	})
	return out, err
}

func everyRef() []brenner.Ref {
	var out []brenner.Ref
	for _, id := range someIDs {
		for _, v := range someVersions {
			out = append(out, brenner.Ref{Artifact: id, Version: v})
		}
	}
	return out
}

func artifactQueries() []store.ArtifactQuery {
	return []store.ArtifactQuery{
		{},
		{IDs: someIDs[1:]},
		{IDs: append(someIDs[:2:2], someIDs[0]), Types: someTypes[:1]},
		{IDs: someIDs, Recent: true, Limit: 1},
		{IDs: []brenner.ArtifactID{}},
		{Types: someTypes[:1]},
		{Types: someTypes, Limit: 2},
		{Modules: someModules[:1], After: "B"},
		{Tag: "x"},
		{Tag: "X", Limit: 1},
		{Statuses: []artifact.Status{"draft", "canonical"}},
		{Statuses: []artifact.Status{"canonical"}},
		{Statuses: []artifact.Status{"canonical"}, Modules: someModules[:1], Limit: 1},
		{Statuses: []artifact.Status{"superseded", "canonical", "needs_rebase"}},
		{Statuses: []artifact.Status{"superseded", "deprecated"}, After: "A", Limit: 2},
		{Statuses: []artifact.Status{"draft"}, Recent: true},
		{Canonical: true},
		{Canonical: true, Types: someTypes[:1], Recent: true},
		{Statuses: []artifact.Status{"superseded"}, Types: someTypes[1:]},
		{Canonical: true, Tag: "y"},
		{ChangedAfter: 4},
		{Recent: true},
		{Recent: true, Limit: 2, ChangedAfter: 1},
		{Recent: true, ChangedAt: 4, After: "B"},
		{Recent: true, ChangedAt: 6, Limit: 1, Types: someTypes, Modules: someModules},
		{Statuses: []artifact.Status{"draft"}, Modules: someModules[:1]},
		{Statuses: []artifact.Status{"draft", "needs_rebase", "canonical", "alternative"}, Types: someTypes[:1]},
		{Recent: true, Types: someTypes[:1], Tag: "x"},
		{Recent: true, Types: someTypes, Modules: someModules, Limit: 3},
		{Recent: true, Types: someTypes, Modules: append(someModules[:1:1], someModules[0]), ChangedAfter: 2},
		{Recent: true, Types: someTypes[:1], Modules: someModules[1:], Statuses: []artifact.Status{"draft", "canonical"}, Limit: 1},
		{Recent: true, Types: someTypes, Modules: someModules, Canonical: true},
	}
}

func objectQueries() []store.ObjectQuery {
	return []store.ObjectQuery{
		{Kind: "task"},
		{Kind: "mail", Newest: true},
		{Kind: "task", Group: "g"},
		{Kind: "task", Group: "h", Newest: true, Limit: 1},
		{Kind: "task", States: someStates[:1]},
		{Kind: "task", States: someStates, AfterOrder: 0, AfterID: "x"},
		{Kind: "mail", Group: "g", States: someStates[1:], AfterOrder: 1, AfterID: "X", Newest: true, Limit: 2},
	}
}
