package contexts

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/policy"
)

const (
	// linkDistance is how many links away from the task's inputs is still near.
	linkDistance = 3
	// perWord is how many artifacts the full-text index looks at for a word. A
	// word that more have says little.
	perWord = 300
	// tagReach is how many artifacts all tags of the inputs together lead to,
	// those made last.
	tagReach = 1000
)

// work is what a context is assembled for.
type work struct {
	view    kernel.ViewInForce
	task    *assembly.Task
	text    string // what candidates are compared with
	modules []brenner.Module
	cross   bool
	inputs  []brenner.Ref
	tags    []string // of the inputs, each as often as they have it
}

// assembleFor makes the actor's context (C3): load what bears on the work, let
// package assembly choose.
func (r *Room) assembleFor(c *kernel.Call, req api.ContextRequest) (assembly.Context, work, error) {
	w, err := r.workOf(c, req)
	if err != nil {
		return assembly.Context{}, w, err
	}
	in, err := r.inputFor(c, req, &w)
	if err != nil {
		return assembly.Context{}, w, err
	}
	made, err := assembly.Assemble(in)
	if err != nil {
		return assembly.Context{}, w, err
	}
	// Whether something needs an update is asked only of what is shown, and
	// then shown: asking it of every candidate would walk half the project.
	stale, err := markNeedsUpdate(c, &in, made)
	if err != nil || !stale {
		return made, w, err
	}
	made, err = assembly.Assemble(in)
	return made, w, err
}

// workOf says what a context is for.
func (r *Room) workOf(c *kernel.Call, req api.ContextRequest) (work, error) {
	v, ok := c.Views[c.Who.Role]
	if !ok {
		return work{}, brenner.Errorf(brenner.CodeUnknownRole, "the role %q has no view", c.Who.Role).
			WithHint("declare one under views in .brennerrc and run `brenner config apply`")
	}
	w := work{view: v, text: req.Question, modules: req.Modules, cross: len(req.Modules) > 1}
	if err := kernel.CheckText(req.Question); err != nil {
		return work{}, err
	}
	if len(req.Question) > brenner.MaxTaskSpecBytes {
		return work{}, brenner.Errorf(brenner.CodeLimitExceeded, "the question is longer than %d bytes", brenner.MaxTaskSpecBytes).At("/question")
	}
	if req.Task != "" {
		t, err := r.Tasks.Find(c, req.Task)
		if err != nil {
			return work{}, err
		}
		w.task = &assembly.Task{ID: t.ID, Title: t.Title, Spec: t.Spec}
		w.text = t.Title + "\n" + t.Spec + "\n" + req.Question
		w.modules, w.cross = t.Modules, t.CrossCutting
		for _, p := range t.Inputs {
			w.inputs = append(w.inputs, p.Ref)
		}
	}
	if req.Task == "" {
		if err := r.enterSession(c, req, &w); err != nil {
			return work{}, err
		}
	}
	if len(w.modules) == 0 && len(c.Modules) == 1 {
		w.modules = c.Modules
	}
	for _, m := range w.modules {
		if m != kernel.ProjectModule && !slices.Contains(c.Modules, m) {
			return work{}, brenner.Errorf(brenner.CodeUnknownModule, "no module %q is declared", m).WithHint("modules: " + kernel.Join(c.Modules))
		}
	}
	return w, nil
}

// enterSession takes the module of the session that is asked about, or that the
// caller is to answer, where no other is named (C35); what the session asks is
// part of what the context is for.
func (r *Room) enterSession(c *kernel.Call, req api.ContextRequest, w *work) error {
	if req.Session == "" && len(w.modules) > 0 {
		return nil
	}
	s, found, err := r.Sessions.Asked(c, req.Session)
	if err != nil || !found {
		return err
	}
	if len(w.modules) == 0 {
		w.modules = []brenner.Module{s.Module}
	}
	if !strings.Contains(w.text, s.Question) {
		w.text = strings.TrimSpace(w.text + "\n" + s.Question)
	}
	return nil
}

// inputFor loads everything the assembly depends on.
func (r *Room) inputFor(c *kernel.Call, req api.ContextRequest, w *work) (assembly.Input, error) {
	project, err := c.Reader.Project(c.Ctx)
	if err != nil {
		return assembly.Input{}, err
	}
	counter, err := counterFor(w.view.Budget)
	if err != nil {
		return assembly.Input{}, err
	}
	in := assembly.Input{
		Project: project.Name, Agent: c.Who.Name, View: w.view.View, ViewFrom: w.view.Version, Format: req.Format, Task: w.task,
		Modules: w.modules, CrossCutting: w.cross, Shared: []brenner.Module{kernel.ProjectModule},
		Now: c.Now, Counter: counter, Cache: &r.counts,
		Load: func(ref brenner.Ref) (artifact.Content, error) {
			v, err := c.Version(c.Ctx, ref)
			if err != nil {
				return artifact.Content{}, err
			}
			return ledger.ContentOf(c, v)
		},
	}
	if in.Format == "" {
		in.Format = assembly.Markdown
	}
	if in.Overview, err = briefItem(c); err != nil {
		return in, err
	}
	for _, ref := range w.inputs {
		item, err := loadItem(c, ref)
		if err != nil {
			return in, err
		}
		in.Pinned = append(in.Pinned, item)
		w.tags = append(w.tags, item.Tags...)
	}
	in.Tags = slices.Compact(slices.Sorted(slices.Values(w.tags)))
	scope, err := w.view.Scope(w.modules, w.cross, kernel.ProjectModule)
	if err != nil {
		return in, err
	}
	if in.Candidates, in.Rest, err = r.findCandidates(c, *w, scope); err != nil {
		return in, err
	}
	in.Bullets, err = r.Lessons.Rank(c, w.view.Bullets, w.text)
	return in, err
}

// briefItem is the canonical brief, if there is one.
func briefItem(c *kernel.Call) ([]assembly.Item, error) {
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Types: []brenner.TypeName{artifact.TypeProjectBrief}, Canonical: true, Limit: 1,
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	item, err := loadItem(c, brenner.Ref{Artifact: rows[0].ID, Version: rows[0].Canonical})
	return []assembly.Item{item}, err
}

// loadItem loads one version as far as it is needed to place it.
func loadItem(c *kernel.Call, ref brenner.Ref) (assembly.Item, error) {
	a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
	if err != nil {
		return assembly.Item{}, err
	}
	v, err := c.Version(c.Ctx, ref)
	return itemOf(a, v), err
}

func itemOf(a store.Artifact, v store.Version) assembly.Item {
	return assembly.Item{
		Ref: v.Ref(), Type: a.Type, Module: a.Module, Status: v.Status, Summary: v.Summary, Size: v.Size,
		Tags: v.Tags, Updated: v.Created,
	}
}

// headItem is itemOf for the head, which the artifact's own row tells all of.
func headItem(a *store.Artifact) assembly.Item {
	return assembly.Item{
		Ref: brenner.Ref{Artifact: a.ID, Version: a.Head}, Type: a.Type, Module: a.Module, Status: a.HeadStatus,
		Summary: a.Summary, Size: a.Size, Tags: a.Tags, Updated: a.Updated,
	}
}

// findCandidates preselects what may bear on the work (C21) and loads it.
func (r *Room) findCandidates(c *kernel.Call, w work, scope assembly.Scope) ([]assembly.Candidate, []assembly.Rest, error) {
	finder, err := newFinder(c, w, scope)
	if err != nil {
		return nil, nil, err
	}
	found, err := finder.all()
	if err != nil {
		return nil, nil, err
	}
	leads, rest := assembly.Preselect(found, brenner.MaxCandidates)
	items, err := finder.load(leads)
	if err != nil {
		return nil, nil, err
	}
	out := make([]assembly.Candidate, 0, len(leads))
	texts := make([]string, 0, len(leads))
	type kindOf struct {
		typ    brenner.TypeName
		module brenner.Module
	}
	readable := map[kindOf]bool{}
	for i, l := range leads {
		item := items[i]
		cand := assembly.Candidate{Item: item, By: l.By, Distance: l.Distance, Lexical: l.Lexical}
		kind := kindOf{item.Type, item.Module}
		if _, asked := readable[kind]; !asked {
			readable[kind] = c.May(policy.Read, kind.typ, kind.module)
		}
		if !readable[kind] {
			cand.Denied = "the role may not read a " + string(item.Type)
		}
		out = append(out, cand)
		texts = append(texts, item.Summary)
	}
	if strings.TrimSpace(w.text) != "" && w.view.Weights.Semantic > 0 {
		for i, s := range r.likeness(w.text, texts) {
			out[i].Semantic = s
		}
	}
	return out, rest, nil
}

// finder asks the store, cause by cause, and keeps the rows it has seen.
type finder struct {
	*kernel.Call
	work
	types   []brenner.TypeName
	modules []brenner.Module
	inScope int // how many artifacts have one of the types in one of the modules
	rows    map[brenner.ArtifactID]*store.Artifact
}

func newFinder(c *kernel.Call, w work, scope assembly.Scope) (*finder, error) {
	f := &finder{Call: c, work: w, modules: scope.Modules, rows: make(map[brenner.ArtifactID]*store.Artifact, 2*brenner.MaxCandidates)}
	for _, t := range w.view.Types {
		f.types = append(f.types, t.Type)
	}
	kinds, err := c.Kinds(c.Ctx)
	for _, k := range kinds {
		if scope.All && !slices.Contains(f.modules, k.Module) {
			f.modules = append(f.modules, k.Module)
		}
		if f.covers(k.Type, k.Module) {
			f.inScope += k.Artifacts
		}
	}
	return f, err
}

func (f *finder) covers(t brenner.TypeName, m brenner.Module) bool {
	return slices.Contains(f.types, t) && slices.Contains(f.modules, m)
}

// all asks the causes in turn. Each may bring an equal part of what those
// before it left, and the newest fill up the rest.
func (f *finder) all() ([]assembly.Found, error) {
	left := brenner.MaxCandidates
	links, err := f.byLinks()
	if err != nil {
		return nil, err
	}
	left -= min(len(links.Hits), left/4)
	tagged, err := f.byTags(left / 3)
	if err != nil {
		return nil, err
	}
	left -= len(tagged.Hits)
	worded, err := f.byFullText(left / 2)
	if err != nil {
		return nil, err
	}
	newest, err := f.byRecency()
	if err != nil {
		return nil, err
	}
	newest.More = f.others(links, tagged, worded, newest)
	return []assembly.Found{links, tagged, worded, newest}, nil
}

// others counts what is in scope and was found by no cause. As everything in
// scope was new once, it counts as what recency would bring besides.
func (f *finder) others(found ...assembly.Found) int {
	n := f.inScope
	seen := make(map[brenner.Ref]bool, 2*brenner.MaxCandidates)
	for _, one := range found {
		for _, h := range one.Hits {
			a := f.rows[h.Ref.Artifact]
			if !seen[h.Ref] && f.covers(a.Type, a.Module) && h.Ref == inForceRef(a) {
				n--
			}
			seen[h.Ref] = true
		}
	}
	return n
}

// byLinks follows links both ways from the task's inputs.
func (f *finder) byLinks() (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByLinks}
	seen := map[brenner.Ref]bool{}
	for _, r := range f.inputs {
		seen[r] = true
	}
	layer := f.inputs
	var met []brenner.ArtifactID
	for distance := 1; distance <= linkDistance && len(layer) > 0 && len(out.Hits) < brenner.MaxCandidates; distance++ {
		var next []brenner.Ref
		up, err := ledger.LinksUp(f.Call)(layer)
		if err != nil {
			return out, err
		}
		down, err := ledger.LinksDown(f.Call)(layer)
		if err != nil {
			return out, err
		}
		for _, e := range up {
			next = append(next, e.To)
		}
		for _, e := range down {
			next = append(next, e.From)
		}
		slices.SortFunc(next, brenner.Ref.Compare)
		layer = layer[:0:0]
		for _, r := range slices.Compact(next) {
			if seen[r] {
				continue
			}
			seen[r] = true
			layer = append(layer, r)
			if len(out.Hits) < brenner.MaxCandidates {
				out.Hits = append(out.Hits, assembly.Hit{Ref: r, Distance: distance})
				met = append(met, r.Artifact)
			}
		}
	}
	return out, f.know(met)
}

// byTags finds what shares tags with the task's inputs.
func (f *finder) byTags(most int) (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByTags}
	tags := commonest(f.tags, brenner.MaxQueryTags)
	if len(tags) == 0 {
		return out, nil
	}
	rows, err := f.Tagged(f.Ctx, store.TagQuery{
		Tags: tags, Types: f.types, Modules: f.modules, Limit: most, Depth: tagReach / len(tags),
	})
	out.Hits = f.hits(rows)
	return out, err
}

// commonest gives up to n of some tags, those that come most often, ties in
// order.
func commonest(tags []string, n int) []string {
	times := map[string]int{}
	for _, tag := range tags {
		times[tag]++
	}
	out := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), n)]
}

// byRecency finds what changed last: enough even if the others found the same.
func (f *finder) byRecency() (assembly.Found, error) {
	rows, err := f.Reader.Artifacts(f.Ctx, store.ArtifactQuery{
		Types: f.types, Modules: f.modules, Recent: true, Limit: brenner.MaxCandidates,
	})
	return assembly.Found{Cause: assembly.ByRecency, Hits: f.hits(rows)}, err
}

// byFullText finds what shares words with the work.
func (f *finder) byFullText(most int) (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByFullText}
	if strings.TrimSpace(f.text) == "" {
		return out, nil
	}
	hits, err := f.Search(f.Ctx, store.SearchQuery{
		Text: clipWords(f.text), Types: f.types, Modules: f.modules, Limit: most, Depth: perWord,
	})
	if err != nil {
		return out, err
	}
	for i, h := range hits {
		f.rows[h.ID] = &hits[i].Artifact
		out.Hits = append(out.Hits, assembly.Hit{Ref: inForceRef(f.rows[h.ID]), Lexical: h.Score})
	}
	return out, nil
}

// clipWords keeps the question to the index bounded, because every word costs
// a walk over all artifacts that have it: the longer words that a task begins
// with say what it is about.
func clipWords(text string) string {
	var words []string
	for w := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(w) >= 4 && !slices.Contains(words, w) {
			words = append(words, w)
		}
		if len(words) == brenner.MaxQueryWords {
			break
		}
	}
	if len(words) == 0 {
		return strings.ToValidUTF8(text[:min(len(text), 256)], "")
	}
	return strings.Join(words, " ")
}

func (f *finder) hits(rows []store.Artifact) []assembly.Hit {
	out := make([]assembly.Hit, 0, len(rows))
	for i := range rows {
		f.rows[rows[i].ID] = &rows[i]
		out = append(out, assembly.Hit{Ref: inForceRef(&rows[i])})
	}
	return out
}

// inForceRef names the version of an artifact that is in force.
func inForceRef(a *store.Artifact) brenner.Ref {
	if a.Canonical != 0 {
		return brenner.Ref{Artifact: a.ID, Version: a.Canonical}
	}
	return brenner.Ref{Artifact: a.ID, Version: a.Head}
}

// know loads the rows of artifacts that were not met yet.
func (f *finder) know(ids []brenner.ArtifactID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id brenner.ArtifactID) bool { _, known := f.rows[id]; return known })
	if len(ids) == 0 {
		return nil
	}
	rows, err := f.Reader.Artifacts(f.Ctx, store.ArtifactQuery{IDs: ids})
	f.hits(rows)
	return err
}

// load gives, for each lead, what is needed to place it.
func (f *finder) load(leads []assembly.Lead) ([]assembly.Item, error) {
	out := make([]assembly.Item, len(leads))
	earlier := map[brenner.Ref]int{} // versions that are not the head, and their place
	for i, l := range leads {
		if a := f.rows[l.Ref.Artifact]; l.Ref.Version == a.Head {
			out[i] = headItem(a)
		} else {
			earlier[l.Ref] = i
		}
	}
	versions, err := f.VersionsOf(f.Ctx, slices.Collect(maps.Keys(earlier)))
	for _, v := range versions {
		out[earlier[v.Ref()]] = itemOf(*f.rows[v.Artifact], v)
	}
	return out, err
}

// markNeedsUpdate says of what a context shows whether it rests on something
// that has moved. It reports whether anything does.
func markNeedsUpdate(c *kernel.Call, in *assembly.Input, made assembly.Context) (bool, error) {
	shown := make([]brenner.Ref, len(made.Items))
	for i, item := range made.Items {
		shown[i] = item.Ref
	}
	stale, err := c.Reader.Stale(c.Ctx, shown, ledger.Carrying, brenner.MaxWalk)
	if err != nil || len(stale) == 0 {
		return false, err
	}
	mark := func(i *assembly.Item) { i.NeedsUpdate = slices.Contains(stale, i.Ref) }
	for i := range in.Overview {
		mark(&in.Overview[i])
	}
	for i := range in.Pinned {
		mark(&in.Pinned[i])
	}
	for i := range in.Candidates {
		mark(&in.Candidates[i].Item)
	}
	return true, nil
}

// tokenizers are built once: their tables take a tenth of a second.
var tokenizers = map[assembly.Encoding]func() (*assembly.Tokenizer, error){
	assembly.O200k:  sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.O200k) }),
	assembly.Cl100k: sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.Cl100k) }),
}

func counterFor(b assembly.Budget) (assembly.Counter, error) {
	if b.Unit == assembly.InBytes {
		return assembly.Bytes{}, nil
	}
	return tokenizers[b.Encoding()]()
}

// countCache remembers token counts. It forgets everything when it is full:
// counts are cheap to make again.
type countCache struct {
	mu     sync.Mutex
	counts map[brenner.Digest]int
}

func (c *countCache) Get(key brenner.Digest) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.counts[key]
	return n, ok
}

func (c *countCache) Put(key brenner.Digest, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil || len(c.counts) >= brenner.MaxCachedCounts {
		c.counts = map[brenner.Digest]int{}
	}
	c.counts[key] = n
}

// likeness gives the cosine of a text with each of some others, by the
// built-in model: ranking must not wait for a network.
func (a *Room) likeness(text string, others []string) []float64 {
	query := embed.Builtin().Vec(text)
	out := make([]float64, len(others))
	workers := min(runtime.GOMAXPROCS(0), 4)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(others); i += workers {
				out[i] = dot(query, a.vectors.of(others[i]))
			}
		})
	}
	all.Wait()
	return out
}

// dot multiplies two vectors of the built-in model. The product of two float32
// is exact in float64, and the sums are taken in one order on every machine.
func dot(a, b []float32) float64 {
	var sum [4]float64
	for len(a) >= 4 && len(b) >= 4 {
		sum[0] += float64(a[0]) * float64(b[0])
		sum[1] += float64(a[1]) * float64(b[1])
		sum[2] += float64(a[2]) * float64(b[2])
		sum[3] += float64(a[3]) * float64(b[3])
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		sum[i] += float64(a[i]) * float64(b[i])
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}

// vectorCache remembers the vectors of summaries, which come again with every
// context. Like countCache it forgets everything when it is full.
type vectorCache struct {
	mu      sync.Mutex
	vectors map[string][]float32
}

func (c *vectorCache) of(text string) []float32 {
	c.mu.Lock()
	v, ok := c.vectors[text]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = embed.Builtin().Vec(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.vectors == nil || len(c.vectors) >= brenner.MaxCachedVectors {
		c.vectors = map[string][]float32{}
	}
	c.vectors[text] = v
	return v
}
