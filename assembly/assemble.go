package assembly

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/order"
	"brenner/playbook"
)

// Assemble makes a context (C3): the overview, the task and the pinned inputs,
// which must fit; then what was written for the task; then what the view selects, best
// first; then lessons.
//
// It reports CONTEXT_OVERFLOW, with the sizes, if what must be there is too
// large; CROSS_MODULE (see View.Scope); INVALID_TEXT for text that is not
// UTF-8 or has U+0000; LIMIT_EXCEEDED for too many candidates and INVALID_VALUE for one that
// comes twice or an unknown format.
func Assemble(in Input) (Context, error) {
	w, err := writerOf(in.Format, in.ForPart != nil)
	if err != nil {
		return Context{}, err
	}
	scope, err := in.View.Scope(in.Modules, in.CrossCutting, in.Shared...)
	if err != nil {
		return Context{}, err
	}
	if err := in.check(); err != nil {
		return Context{}, err
	}
	a := assembler{in: in, writer: w, scope: scope, room: in.View.Budget.room(), notes: map[brenner.Ref]Notes{}, opened: map[brenner.TypeName]bool{}}
	a.frame(w.header(in, scope), w.footer())
	if err := a.mandatory(); err != nil {
		return Context{}, err
	}
	if err := a.written(); err != nil {
		return Context{}, err
	}
	choose := a.selected
	if in.ForPart != nil {
		choose = a.forPart
	}
	if err := choose(); err != nil {
		return Context{}, err
	}
	a.bullets()
	if err := a.grow(); err != nil {
		return Context{}, err
	}
	if err := a.quote(); err != nil {
		return Context{}, err
	}
	return a.finish()
}

// check refuses input that cannot be rendered, or that has no one order.
func (in Input) check() error {
	want := string(in.View.Budget.Encoding())
	if want == "" {
		want = Bytes{}.Name()
	}
	if got := in.Counter.Name(); got != want {
		return errors.New("assembly: the budget is in " + want + ", the counter counts " + got)
	}
	if len(in.Candidates) > brenner.MaxCandidates {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%d candidates, more than %d", len(in.Candidates), brenner.MaxCandidates).
			WithHint("preselect first")
	}
	texts := []string{in.Project, string(in.Agent)}
	if in.Task != nil {
		texts = append(texts, in.Task.ID, in.Task.Title, in.Task.Spec)
		for _, h := range in.Task.Earlier {
			texts = append(texts, h.How, h.Note)
		}
	}
	for _, q := range in.Asked {
		texts = append(texts, q.Text)
	}
	for _, it := range slices.Concat(in.Overview, in.Pinned, in.Written) {
		texts = append(texts, it.Summary)
	}
	seen := make(map[brenner.Ref]bool, len(in.Candidates))
	for _, c := range in.Candidates {
		if seen[c.Ref] {
			return brenner.Errorf(brenner.CodeInvalidValue, "the candidate %s comes twice", c.Ref)
		}
		seen[c.Ref] = true
		texts = append(texts, c.Summary)
	}
	lessons := make(map[playbook.BulletID]bool, len(in.Bullets))
	for _, b := range in.Bullets {
		if lessons[b.Bullet.ID] {
			return brenner.Errorf(brenner.CodeInvalidValue, "the bullet %s comes twice", b.Bullet.ID)
		}
		lessons[b.Bullet.ID] = true
		texts = append(texts, b.Bullet.Content)
	}
	bad := func(s string) bool { return !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 }
	if i := slices.IndexFunc(texts, bad); i >= 0 {
		return brenner.Errorf(brenner.CodeInvalidText, "%q is not valid UTF-8 or contains U+0000", brenner.Clip(strings.ToValidUTF8(texts[i], "\ufffd"), brenner.MaxQuote))
	}
	return nil
}

// chunk is a piece of the final text. Chunks are kept as they were chosen, by
// rank; where they stand in the text says inOrderOfText.
type chunk struct {
	section Section
	group   brenner.TypeName // of a selected item, or of its heading
	text    string
	count   int
	heading bool
	// What the chunk shows, if anything.
	item   *Included
	source Item // of item
	bullet *IncludedBullet
}

// assembler builds the text up; used never exceeds room once the mandatory
// parts are in.
type assembler struct {
	in     Input
	writer writer
	scope  Scope
	room   int

	chunks []chunk
	footer chunk
	used   int
	opened map[brenner.TypeName]bool // groups that have their heading
	notes  map[brenner.Ref]Notes

	leftOut        []LeftOut
	bulletsLeftOut []LeftOutBullet
	more           int // see Context.More
}

// frame opens the text and keeps room for its end.
func (a *assembler) frame(header, footer string) {
	a.footer = chunk{section: Header, text: footer, count: a.count(footer)}
	a.used = a.footer.count
	a.put(chunk{section: Header, text: header, count: a.count(header)})
}

// mandatory puts in what must be there. What is wanted in full becomes a
// summary if it does not fit otherwise: pinned inputs first, the last first.
func (a *assembler) mandatory() error {
	view := a.in.View
	if err := a.learn(slices.Concat(a.in.Overview, a.in.Pinned)); err != nil {
		return err
	}
	for _, it := range a.in.Overview {
		c, err := a.item(Overview, it, view.Overview, "the brief in force")
		if err != nil {
			return err
		}
		a.put(c)
	}
	if len(a.in.Overview) == 0 {
		text := a.writer.missing(Overview)
		a.put(chunk{section: Overview, text: text, count: a.count(text)})
	}
	if a.in.Task != nil {
		text := a.writer.task(*a.in.Task)
		a.put(chunk{section: TaskSpec, text: text, count: a.count(text)})
	}
	for _, q := range a.in.Asked {
		if a.in.Survey || a.in.ForPart != nil {
			break // whoever sends one says what is asked
		}
		text := a.writer.asked(q)
		a.put(chunk{section: Questions, text: text, count: a.count(text)})
	}
	for _, it := range a.in.Pinned {
		c, err := a.item(Pinned, it, view.Pinned, "an input that the task pins")
		if err != nil {
			return err
		}
		a.put(c)
	}
	for i := len(a.chunks) - 1; i >= 0 && a.used > a.room; i-- {
		if it := a.chunks[i].item; it != nil && it.Variant == Full {
			a.replace(i, a.summary(a.chunks[i], "its content does not fit"))
		}
	}
	if a.used > a.room {
		return a.overflow()
	}
	return nil
}

// written puts in who held the task before, and what was written for it: whoever goes on
// with it is not to begin anew. None of it is mandatory: a large draft that somebody left
// must not keep others from the task.
func (a *assembler) written() error {
	if err := a.learn(a.in.Written); err != nil {
		return err
	}
	if a.in.Task != nil {
		for _, h := range a.in.Task.Earlier {
			text := a.writer.earlier(h)
			if c := (chunk{section: Written, text: text, count: a.count(text)}); a.fits(c) {
				a.put(c)
			}
		}
	}
	for _, it := range a.in.Written {
		if a.present(it.Ref) {
			continue
		}
		c, err := a.item(Written, it, Full, "written for the task")
		if err != nil {
			return err
		}
		if c.item.Variant == Full && !a.fits(c) {
			c = a.summary(c, "its content does not fit")
		}
		if a.fits(c) {
			a.put(c)
		}
	}
	return nil
}

// present says whether the text shows a version.
func (a *assembler) present(ref brenner.Ref) bool {
	return slices.ContainsFunc(a.chunks, func(c chunk) bool { return c.item != nil && c.item.Ref == ref })
}

func (a *assembler) overflow() error {
	b := a.in.View.Budget
	needed, parts := b.scale(a.used), a.parts()
	sizes := make([]string, len(parts))
	for i, p := range parts {
		sizes[i] = fmt.Sprintf("%s %d", p.Section, p.Tokens)
	}
	return brenner.Errorf(brenner.CodeContextOverflow, "what must be in the context has %d %s (%s), the budget leaves room for %d",
		needed, b.Unit, strings.Join(sizes, ", "), b.Size-b.Reserve).
		WithHint("pin fewer inputs, shorten the task, or give the view of " + string(a.in.View.Role) + " a larger budget").
		WithDetails(Overflow{Budget: b, Needed: needed, Parts: parts})
}

// item renders an item in the variant that is wanted, or as a summary if the
// content cannot fit at all or is gone.
func (a *assembler) item(s Section, it Item, v Variant, why string) (chunk, error) {
	it = a.noted(it)
	c := chunk{section: s, source: it, item: &Included{
		Ref: it.Ref, Type: it.Type, Module: it.Module, Status: it.Status, Section: s, Variant: v, Why: why,
	}}
	if s == Selected {
		c.group = it.Type
	}
	if has, err := a.has(it); err != nil || has != "" {
		return a.named(c, has), err
	}
	switch {
	case v == Summary:
		return a.summary(c, ""), nil
	case it.Type == artifact.TypeRawLog:
		return a.summary(c, "a raw log is read by its id only"), nil
	case a.in.Counter.AtLeast(int(it.Size)) > a.room:
		return a.summary(c, "its content is larger than the budget"), nil
	}
	content, err := a.in.Load(it.Ref)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return a.summary(c, "its content was redacted"), nil
	}
	if err != nil {
		return chunk{}, err
	}
	if content, err = artifact.NewContent(content.Format, content.Data); err != nil {
		return chunk{}, err
	}
	c.text = a.writer.item(s, it, Full, content)
	c.count = a.count(c.text)
	return c, nil
}

// summary gives the chunk of an item with its summary instead; why says what
// speaks against its content, if that was wanted.
func (a *assembler) summary(c chunk, why string) chunk {
	it := *c.item
	it.Variant = Summary
	if why != "" {
		it.Why += "; as a summary: " + why
	}
	c.item = &it
	c.text = a.writer.item(c.section, c.source, Summary, artifact.Content{})
	c.count = a.count(c.text)
	return c
}

// has says why the reader need not be given an item, "" if it must.
func (a *assembler) has(it Item) (string, error) {
	if a.in.Has == nil {
		return "", nil
	}
	return a.in.Has(it)
}

// named gives the chunk of an item that the reader has.
func (a *assembler) named(c chunk, why string) chunk {
	it := *c.item
	it.Variant = Named
	it.Why += "; named only: " + why
	if c.group != "" {
		c.group = known
	}
	c.item = &it
	c.text = a.writer.named(c.section, c.source, why)
	c.count = a.count(c.text)
	return c
}

// old says whether an item was there already when the reader was last given a context
// for the same work. The document of a session is read item by item, and never old.
func (in Input) old(it Item) bool {
	return it.Updated.Before(in.Since) && it.Type != artifact.TypeSessionArtifact
}

// asks says whether an item is the document of a session that is asked about.
func (in Input) asks(it Item) bool {
	return slices.ContainsFunc(in.Asked, func(q Asked) bool { return q.Session != "" && string(q.Session) == string(it.Ref.Artifact) })
}

// known is the group of what is selected and only named. It stands last.
const known brenner.TypeName = "known to you"

// selected puts in candidates by rank, each in the fullest variant that fits.
func (a *assembler) selected() error {
	ranked, barred := a.ranked()
	a.leftOut = make([]LeftOut, 0, len(ranked)+len(barred))
	taken, enough := map[brenner.TypeName]int{}, map[brenner.TypeName]string{}
	for i := range ranked {
		r := &ranked[i]
		rule, _ := a.in.View.Rule(r.Type)
		if taken[r.Type] == rule.Max {
			if enough[r.Type] == "" {
				enough[r.Type] = fmt.Sprintf("%d of type %s rank higher, and the view takes no more", rule.Max, r.Type)
			}
			a.leave(r, i+1, MaxOfType, enough[r.Type])
			continue
		}
		if err := a.learnFrom(ranked[i:], taken); err != nil {
			return err
		}
		variant, why := rule.Variant, fmt.Sprintf("rank %d of %d", i+1, len(ranked))
		if a.in.old(r.Item) {
			variant = Summary
		}
		if a.in.Survey && !a.in.asks(r.Item) {
			a.leave(r, i+1, NotBearing, "what bears on a part of the work comes with the part")
			continue
		}
		c, err := a.item(Selected, r.Item, variant, why)
		if err != nil {
			return err
		}
		if c.item.Variant == Full && !a.fits(c) {
			c = a.summary(c, "its content does not fit")
		}
		if !a.fits(c) {
			a.leave(r, i+1, OverBudget, fmt.Sprintf("its summary needs %d %s, and %d are left",
				a.in.View.Budget.scale(c.count), a.in.View.Budget.Unit, a.in.View.Budget.scale(a.room-a.used)))
			continue
		}
		c.item.Rank, c.item.Score, c.item.By = i+1, &r.Score, r.By
		a.put(c)
		if c.item.Variant != Named {
			taken[r.Type]++
		}
	}
	a.leftOut = append(a.leftOut, barred...)
	return nil
}

func (a *assembler) leave(r *Ranked, rank int, why Reason, words string) {
	a.leftOut = append(a.leftOut, LeftOut{Ref: r.Ref, Type: r.Type, Reason: why, Why: words, Rank: rank, Score: &r.Score, By: r.By})
}

// ranked orders the candidates that may enter, and lists those that may not.
func (a *assembler) ranked() ([]Ranked, []LeftOut) {
	present := map[brenner.Ref]Section{}
	for _, c := range a.chunks {
		if c.item != nil {
			present[c.item.Ref] = c.section
		}
	}
	query := Query{Tags: a.in.Tags, Now: a.in.Now}
	for _, it := range a.in.Pinned {
		query.Pinned = append(query.Pinned, it.Ref.Artifact)
	}
	open := make([]Ranked, 0, len(a.in.Candidates))
	var barred []LeftOut
	for _, c := range a.in.Candidates {
		if reason, why := a.bars(c, present[c.Ref]); reason != "" {
			barred = append(barred, LeftOut{Ref: c.Ref, Type: c.Type, Reason: reason, Why: why, By: c.By})
		} else {
			open = append(open, Ranked{Candidate: c})
		}
	}
	order.By(barred, func(x, y LeftOut) int { return x.Ref.Compare(y.Ref) })
	rank(a.in.View.Weights, query, open)
	return open, barred
}

// bars says what keeps a candidate out whatever its rank, "" if nothing does.
func (a *assembler) bars(c Candidate, present Section) (Reason, string) {
	_, received := a.in.View.Rule(c.Type)
	switch {
	case c.Denied != "":
		return NotPermitted, c.Denied
	case present == Written:
		return AlreadyPresent, "the context has it as what was written for the task"
	case present != "":
		return AlreadyPresent, "the context has it as the overview or a pinned input"
	case !received:
		return NotInView, fmt.Sprintf("the view of %s does not receive the type %s", a.in.View.Role, c.Type)
	case !c.Status.Live():
		return OutOfUse, "the version is " + string(c.Status)
	case !a.scope.Covers(c.Module):
		return OtherModule, fmt.Sprintf("it belongs to the module %s", c.Module)
	}
	return "", ""
}

// bullets puts in lessons, the best first.
func (a *assembler) bullets() {
	rule := a.in.View.Bullets
	taken := 0
	for _, r := range rankBullets(a.in.Bullets) {
		b := r.Bullet
		text := a.writer.bullet(b)
		c := chunk{section: Lessons, text: text, bullet: &IncludedBullet{ID: b.ID, Stage: b.Stage, Score: r.Score}}
		var reason BulletReason
		switch {
		case !slices.Contains(rule.Stages, b.Stage):
			reason = StageNotInView
		case len(rule.Domains) > 0 && !slices.Contains(rule.Domains, b.Domain):
			reason = DomainNotInView
		case r.Compared && !r.Shared && r.Similarity < rule.Floor:
			reason = BelowFloor
		case taken == rule.Max, a.in.Survey, a.in.ForPart != nil && taken == mostLessons:
			reason = MaxOfBullets
		default:
			if c.count = a.count(text); !a.fits(c) {
				reason = BulletOverBudget
			}
		}
		if reason != "" {
			a.bulletsLeftOut = append(a.bulletsLeftOut, LeftOutBullet{b.ID, reason})
			continue
		}
		a.put(c)
		taken++
	}
}

// rankBullets orders lessons of several domains by score, ties to the older
// one, then by id.
func rankBullets(all []playbook.Ranked) []playbook.Ranked {
	sorted := slices.Clone(all)
	order.By(sorted, func(x, y playbook.Ranked) int {
		return cmp.Or(
			cmp.Compare(y.Score, x.Score),
			x.Bullet.CreatedAt.Compare(y.Bullet.CreatedAt),
			inOrder(x.Bullet.ID, y.Bullet.ID),
		)
	})
	return sorted
}

// put adds a chunk, under the headings that it is the first below.
func (a *assembler) put(c chunk) {
	for _, h := range a.opens(c) {
		a.chunks = append(a.chunks, h)
		a.used += h.count
	}
	a.opened[c.group] = c.group != ""
	a.chunks = append(a.chunks, c)
	a.used += c.count
}

// fits reports whether a chunk can be put in.
func (a *assembler) fits(c chunk) bool {
	needed := a.used + c.count
	for _, h := range a.opens(c) {
		needed += h.count
	}
	return needed <= a.room
}

// opens gives the headings of a chunk that would be the first of its section, or
// of its group there.
func (a *assembler) opens(c chunk) []chunk {
	var out []chunk
	if n := len(a.chunks); n == 0 || a.chunks[n-1].section != c.section {
		if text := a.writer.heading(c.section); text != "" {
			out = append(out, chunk{section: c.section, text: text, count: a.count(text), heading: true})
		}
	}
	if c.group != "" && !a.opened[c.group] {
		if text := a.writer.group(c.group); text != "" {
			out = append(out, chunk{section: c.section, group: c.group, text: text, count: a.count(text), heading: true})
		}
	}
	return out
}

// inOrderOfText gives the chunks as they stand in the text: what is selected
// grouped by type, the group of the best first; of a session first its document.
func (a *assembler) inOrderOfText() []chunk {
	place := map[brenner.TypeName]int{} // of a group; the heading of the section has none
	for _, c := range a.chunks {
		if _, met := place[c.group]; !met && c.group != "" {
			place[c.group] = len(place) + 2
		}
	}
	if _, some := place[known]; some {
		place[known] = len(place) + 2
	}
	answers := slices.ContainsFunc(a.in.Asked, func(q Asked) bool { return q.Session != "" })
	if _, some := place[artifact.TypeSessionArtifact]; some && answers {
		place[artifact.TypeSessionArtifact] = 1
	}
	out := slices.Clone(a.chunks)
	order.By(out, func(x, y chunk) int {
		if x.section != Selected || y.section != Selected {
			return 0
		}
		return cmp.Compare(place[x.group], place[y.group])
	})
	return out
}

func (a *assembler) replace(i int, c chunk) {
	a.used += c.count - a.chunks[i].count
	a.chunks[i] = c
}

// count counts a chunk, asking the cache first.
func (a *assembler) count(text string) int {
	if a.in.Cache == nil || text == "" {
		return a.in.Counter.Count(text)
	}
	key := canon.Sum([]byte(a.in.Counter.Name() + "\n" + text))
	n, ok := a.in.Cache.Get(key)
	if !ok {
		n = a.in.Counter.Count(text)
		a.in.Cache.Put(key, n)
	}
	return n
}
