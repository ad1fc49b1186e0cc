package contexts

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/retrieval"
)

// work is what a context is assembled for.
type work struct {
	view    kernel.ViewInForce
	task    *assembly.Task
	text    string           // what candidates are compared with
	terms   []retrieval.Term // of text, as the index is asked for them
	about   string           // the parts of text that say what it is about
	telling []string         // words of text that say what it is about
	modules []brenner.Module
	cross   bool
	scope   assembly.Scope
	asked   []assembly.Asked
	inputs  []brenner.Ref
	written []assembly.Item // for the task, by who held it
	tags    []string        // of the inputs, each as often as they have it
	part    string          // of the work of a session that is the caller's, if it is divided; to who divides it the question
	short   bool            // only what bears on the part is asked for
	survey  bool            // it is not divided yet
	whole   string          // what the work is a part of
	find    string          // words that find what bears on the part
}

// session is the one that the work answers, if it does.
func (w work) session() brenner.SessionID {
	for _, q := range w.asked {
		if q.Session != "" {
			return q.Session
		}
	}
	return ""
}

// toWorkOn are the versions that the work is to be done on.
func (w work) toWorkOn() []brenner.Ref {
	out := slices.Clone(w.inputs)
	for _, it := range w.written {
		out = append(out, it.Ref)
	}
	return out
}

// above is the question of a session that is said beside what is assembled.
func (w work) above() string {
	for _, q := range w.asked {
		if q.Session != "" && (!w.short || w.survey) {
			return q.Text
		}
	}
	return ""
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
	if made.More == 0 {
		w.find = ""
	}
	return made, w, err
}

// workOf says what a context is for.
func (r *Room) workOf(c *kernel.Call, req api.ContextRequest) (work, error) {
	v, ok := c.Views[c.Who.Role]
	if !ok {
		return work{}, brenner.Errorf(brenner.CodeUnknownRole, "the role %q has no view", c.Who.Role).
			WithHint("the PI declares one under views in the configuration").Try(brenner.Do("config.apply"))
	}
	if len(req.Modules) > 1 {
		return work{}, brenner.Errorf(brenner.CodeCrossModule, "a question is about one module, not %d", len(req.Modules)).
			At("/modules").WithHint("name one; a cross-cutting task spans several")
	}
	if req.Renew && req.After == "" {
		return work{}, brenner.Errorf(brenner.CodeInvalidValue, "what begins anew is the budget of an earlier context").At("/after").
			WithHint("name it, or leave renew out")
	}
	w := work{view: v, text: req.Question, modules: req.Modules, survey: req.Survey}
	if strings.TrimSpace(req.Question) != "" {
		w.asked = []assembly.Asked{{Text: req.Question}}
	}
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
		if t.Session != "" {
			w.readSession(false)
		}
		for _, p := range t.Inputs {
			w.inputs = append(w.inputs, p.Ref)
		}
		for _, h := range slices.Backward(t.Earlier) {
			w.task.Earlier = append(w.task.Earlier, assembly.Holder{How: h.Words(), Note: h.Note})
		}
		if w.written, err = writtenFor(c, t); err != nil {
			return work{}, err
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
			return work{}, c.UnknownModule(m)
		}
	}
	return w, nil
}

// mostWritten is how many outputs of a task are looked at, from the last.
const mostWritten = 50

// writtenFor loads what was written for a task, as far as the caller may read it and it is
// in use: of each artifact the newest version, the newest first.
func writtenFor(c *kernel.Call, t api.TaskInfo) ([]assembly.Item, error) {
	var out []assembly.Item
	met := map[brenner.ArtifactID]bool{}
	for _, ref := range slices.Backward(t.Outputs[max(0, len(t.Outputs)-mostWritten):]) {
		if met[ref.Artifact] {
			continue
		}
		met[ref.Artifact] = true
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		if err != nil {
			return nil, err
		}
		v, err := c.Version(c.Ctx, ref)
		if err != nil {
			return nil, err
		}
		if !v.Status.Live() || !c.May(policy.Read, a.Type, a.Module) {
			continue
		}
		item := itemOf(a, v)
		item.As = writtenBy(t, v.Creator)
		out = append(out, item)
	}
	return out, nil
}

// writtenBy says what a version of somebody is to a task.
func writtenBy(t api.TaskInfo, author brenner.ActorName) string {
	what := "written for this task"
	if !t.LeftBy(author) {
		return what
	}
	for _, h := range slices.Backward(t.Earlier) {
		if h.Agent != author {
			continue
		}
		switch h.How {
		case api.HoldingLapsed:
			return what + " before the claim of " + string(author) + " ended"
		case api.HoldingReassigned:
			return what + " before it was taken from " + string(author)
		}
		return what + " before " + string(author) + " gave it back"
	}
	return what
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
	w.readSession(len(s.Recipients) > 1)
	if !strings.Contains(w.text, s.Question) {
		w.text = strings.TrimSpace(w.text + "\n" + s.Question)
		w.asked = append(w.asked, assembly.Asked{Session: s.ID, Text: s.Question})
	}
	w.part, err = r.Tasks.PartIn(c, s.ID)
	w.whole = w.text
	w.text = strings.TrimSpace(w.text + "\n" + w.part) // which is a colleague's word: it ranks, and asks for nothing
	if req.Survey && w.part == "" && (len(s.Recipients) == 0 || s.Recipients[0].Name == c.Who.Name) {
		w.part = s.Question // which is its to divide
	}
	w.short = (req.Part || req.Survey) && w.part != ""
	return err
}

// readSession gives the context room for what others write in a session. Where several
// share the work, less is sent at once: it comes with the message that tells a part.
func (w *work) readSession(shared bool) {
	if w.view.Version != kernel.BuiltinView {
		return // somebody has chosen the budget
	}
	w.view.Budget.Size += sessionReading
	w.view.Budget.Reserve += sessionReading
	if shared {
		w.view.Budget.Reserve += partReading
	}
}

// sessionReading is what a context for a session is given for reading besides what other
// contexts are: who takes part reads what the others write, to the end.
const sessionReading = 16_000

// partReading is what of the text that a context would spend is kept for reading, so that
// it fits one answer (brenner.MaxAnswerRunes) with what is said beside it.
const partReading = 3_000

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
	before, err := r.goOnFrom(c, *w, req)
	if err != nil {
		return assembly.Input{}, err
	}
	var in assembly.Input
	near := reading{Call: c}
	in = assembly.Input{
		Project: project.Name, Agent: c.Who.Name, View: w.view.View, ViewFrom: w.view.Version, Format: req.Format, Task: w.task, Asked: w.asked, Survey: req.Survey,
		Modules: w.modules, CrossCutting: w.cross, Shared: []brenner.Module{kernel.ProjectModule},
		Now: c.Now, Counter: counter, Cache: &r.counts,
		Load: func(ref brenner.Ref) (artifact.Content, error) {
			content, err := near.content(ref)
			if err != nil || req.Format == assembly.JSON {
				return content, err
			}
			if rest, some := before.unread(ref); some {
				return rest, nil
			}
			if slices.ContainsFunc(in.Overview, func(i assembly.Item) bool { return i.Ref == ref }) {
				return assembly.Prose(content, w.above()), nil
			}
			if !isSession(content) {
				return assembly.Outline(content), nil
			}
			against, err := r.Sessions.AgainstAnswer(c, ref)
			return readable(content, w.above(), against), err
		},
		Soon: func(refs []brenner.Ref) { c.Expect(c.Ctx, refs, brenner.LargeContentBytes) },
		About: func(refs []brenner.Ref) (map[brenner.Ref]assembly.Notes, error) {
			return r.notesOf(near, w.scope, refs)
		},
	}
	if in.Format == "" {
		in.Format = assembly.Markdown
	}
	if before != nil {
		in.After, in.Has, in.Since = req.After, before.has, before.since
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
	in.Written = w.written
	if w.scope, err = w.view.Scope(w.modules, w.cross, kernel.ProjectModule); err != nil {
		return in, err
	}
	if w.cross {
		if err := r.Tasks.Compressed(c, w.modules); err != nil {
			return in, err
		}
	}
	if req.Renew {
		in.Overview, in.Pinned, in.Written = nil, nil, nil
		in.Made.Journal, err = c.Reader.Size(c.Ctx)
		return in, err
	}
	if err := r.ask(c, w); err != nil {
		return in, err
	}
	found, err := r.findCandidates(c, *w)
	if err != nil {
		return in, err
	}
	in.Candidates, in.Rest, in.Made.Behind, near = found.candidates, found.rest, found.behind, found.reading
	if w.part != "" {
		in.Bearing, in.Named = bearingOn(*w), namedIn(w.part, in.Candidates)
	}
	if w.short {
		in.ForPart = w.bearing(found.counted)
	}
	if in.Made.Journal, err = c.Reader.Size(c.Ctx); err != nil {
		return in, err
	}
	in.Bullets, err = r.Lessons.Rank(c, w.view.Bullets, w.text, w.telling)
	return in, err
}

// bearing chooses what bears on the part of the work, in a project where so many texts have
// its words.
func (w *work) bearing(counted retrieval.Counted) func([]assembly.Said) []assembly.Passage {
	return func(texts []assembly.Said) []assembly.Passage {
		said := make([]retrieval.Said, len(texts))
		for i, t := range texts {
			said[i] = retrieval.Said(t)
		}
		found, find := retrieval.NewWork(w.part, w.whole, counted, embed.Builtin().Tells).Bearing(said)
		w.find = strings.Join(find, " ")
		out := make([]assembly.Passage, len(found))
		for i, p := range found {
			out[i] = assembly.Passage{Text: p.Text, Words: p.Words}
		}
		return out
	}
}

// bearingOn chooses passages for who does a part of the work: by the part, unless that
// says too little.
func bearingOn(w work) func([]string) []assembly.Passage {
	question := w.part
	if len(retrieval.Words(question)) < fewWords {
		question = w.text
	}
	return func(texts []string) []assembly.Passage {
		found := retrieval.Passages(question, texts, mostQuoted)
		out := make([]assembly.Passage, len(found))
		for i, p := range found {
			out[i] = assembly.Passage{Text: p.Text, Words: p.Words}
		}
		return out
	}
}

// mostQuoted is how many bytes of passages come with a part, fewWords how few words say
// too little to choose them by.
const (
	mostQuoted = 6_000
	fewWords   = 6
)

// namedIn are the artifacts among candidates that a text names by their ids.
func namedIn(text string, candidates []assembly.Candidate) []brenner.ArtifactID {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;:()[]{}\"'`@", r) })
	var out []brenner.ArtifactID
	for _, c := range candidates {
		if slices.Contains(words, string(c.Ref.Artifact)) {
			out = append(out, c.Ref.Artifact)
		}
	}
	return out
}

// sessionFormat is how the content of a session artifact begins, in canonical
// JSON.
const sessionFormat = `{"format":"` + delta.Format + `"`

// isSession says whether a content is the artifact of a session.
func isSession(c artifact.Content) bool {
	return c.Format == artifact.JSON && bytes.HasPrefix(c.Data, []byte(sessionFormat))
}

// readable is the artifact of a session as somebody reads it: as its document, below the
// question if that stands above it, with what is said against the answer; other JSON as
// lines.
func readable(c artifact.Content, question, against string) artifact.Content {
	doc, err := delta.ReadArtifact(c.Data)
	if err != nil {
		return assembly.Outline(c)
	}
	text := delta.BelowThread(delta.RenderBelow(doc, question), against)
	if names := doc.NamesIn(text); len(names) > 0 {
		text += "\nNames: " + api.NameWords(names) + "\n"
	}
	return artifact.Content{Format: artifact.Text, Data: []byte(text)}
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

// sizeOf is at least how large a content is as it is read. That of a session also
// holds every delta it ever took: its document is a small part.
func sizeOf(t brenner.TypeName, size int64) int64 {
	if t == artifact.TypeSessionArtifact {
		return size / 16
	}
	return size
}

func itemOf(a store.Artifact, v store.Version) assembly.Item {
	return assembly.Item{
		Ref: v.Ref(), Type: a.Type, Module: a.Module, Status: v.Status, Summary: v.Summary, Size: sizeOf(a.Type, v.Size),
		Tags: v.Tags, Updated: v.Created,
	}
}

// headItem is itemOf for the head, which the artifact's own row tells all of.
func headItem(a *store.Artifact) assembly.Item {
	return assembly.Item{
		Ref: brenner.Ref{Artifact: a.ID, Version: a.Head}, Type: a.Type, Module: a.Module, Status: a.HeadStatus,
		Summary: a.Summary, Size: sizeOf(a.Type, a.Size), Tags: a.Tags, Updated: a.Updated,
	}
}

// found is what was looked at for a piece of work.
type found struct {
	candidates []assembly.Candidate
	rest       []assembly.Rest
	behind     int // how many artifacts the full text has not caught up with
	counted    retrieval.Counted
	reading    reading
}

// findCandidates preselects what may bear on the work (C21) and loads it.
func (r *Room) findCandidates(c *kernel.Call, w work) (found, error) {
	finder, err := newFinder(c, w, &r.shelf)
	if err != nil {
		return found{}, err
	}
	compared := strings.TrimSpace(w.about) != "" && w.view.Weights.Semantic > 0
	var subject *embed.Subject
	// What the full text finds is compared at once, while the other causes are asked.
	var met []brenner.Ref
	var alike []float64 // to the summaries of these heads
	var soon sync.WaitGroup
	defer soon.Wait()
	finder.met = func(hits []assembly.Hit) {
		if !compared {
			return
		}
		var texts []string
		for _, h := range hits {
			if a := finder.rows[h.Ref.Artifact]; h.Ref.Version == a.Head {
				met, texts = append(met, h.Ref), append(texts, a.Summary)
			}
		}
		soon.Go(func() {
			subject = embed.Builtin().Subject(w.about)
			alike = r.likeness(subject, texts, 1)
		})
	}
	causes, err := finder.all()
	if err != nil {
		return found{}, err
	}
	leads, rest := assembly.Preselect(causes, brenner.MaxCandidates)
	out, err := finder.load(leads)
	if err != nil {
		return found{}, err
	}
	type kindOf struct {
		typ    brenner.TypeName
		module brenner.Module
	}
	readable := map[kindOf]bool{}
	for i, l := range leads {
		cand := &out[i]
		cand.By, cand.Distance, cand.Lexical, cand.Neighbours = l.By, l.Distance, l.Lexical, l.Neighbours
		kind := kindOf{cand.Type, cand.Module}
		if _, asked := readable[kind]; !asked {
			readable[kind] = c.May(policy.Read, kind.typ, kind.module)
		}
		if !readable[kind] {
			cand.Denied = "the role may not read a " + string(cand.Type)
		}
	}
	if compared {
		soon.Wait()
		known := make(map[brenner.Ref]float64, len(met))
		for i, ref := range met {
			known[ref] = alike[i]
		}
		if subject == nil {
			subject = embed.Builtin().Subject(w.about)
		}
		r.compare(subject, out, known)
	}
	return found{out, rest, finder.behind, finder.counted, finder.reading}, nil
}

// compare says of candidates how like they are, as far as it is not known.
func (r *Room) compare(subject *embed.Subject, candidates []assembly.Candidate, known map[brenner.Ref]float64) {
	var others []int
	var texts []string
	for i := range candidates {
		if s, is := known[candidates[i].Ref]; is {
			candidates[i].Semantic = s
			continue
		}
		others, texts = append(others, i), append(texts, candidates[i].Summary)
	}
	for i, s := range r.likeness(subject, texts, mostWorkers) {
		candidates[others[i]].Semantic = s
	}
}

// mostWorkers is how many processors compare candidates at most.
const mostWorkers = 4
