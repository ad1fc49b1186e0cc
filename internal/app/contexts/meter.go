package contexts

import (
	"errors"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/playbook"
)

// Newest is the context that an agent reads through: its newest, or the newest
// of the task it names.
func (r *Room) Newest(c *kernel.Call) (kernel.Through, error) {
	rows, err := invocations.List(c.Ctx, c.Reader, kernel.Query{States: []string{string(c.Who.Name)}, Newest: true, Group: c.Task}, 1)
	if err != nil {
		return kernel.Through{}, err
	}
	if len(rows) == 0 && c.Task != "" {
		return kernel.Through{}, brenner.Errorf(brenner.CodeContextRequired, "%s has no context for %s to read through", c.Who.Name, c.Task).
			WithHint("assemble one first").Try(brenner.Do("context.assemble", "task", c.Task))
	}
	if len(rows) == 0 {
		return kernel.Through{}, brenner.Errorf(brenner.CodeContextRequired, "%s has no context to read through", c.Who.Name).
			WithHint("assemble one first").Try(brenner.Do("context.assemble"))
	}
	i, err := r.backFrom(c, rows[0].Value)
	if err != nil {
		return kernel.Through{}, err
	}
	// What cannot be paid is not computed (X10).
	if _, err := i.Budget.Charge(i.Used, 1); err != nil && (!c.Unasked || i.forNews() == 0) {
		return kernel.Through{}, r.spent(c, i, err)
	}
	return r.through(c, i)
}

// backFrom is the context that counts for somebody whose newest one is this: once
// the task that one was made for is closed, the one that it went on from.
func (r *Room) backFrom(c *kernel.Call, i invocation) (invocation, error) {
	for n := 0; n < longestLine && i.Task != "" && i.Task != c.Task && i.After != ""; n++ {
		if open, err := r.unfinished(c, i.Task); err != nil || open {
			return i, err
		}
		earlier, err := invocations.Find(c.Ctx, c.Reader, i.After)
		if err != nil {
			return i, err
		}
		i = earlier
	}
	return i, nil
}

func (r *Room) unfinished(c *kernel.Call, task string) (bool, error) {
	t, err := r.Tasks.Find(c, task)
	return t.State == api.TaskOpen || t.State == api.TaskClaimed, err
}

// through is the context as something is read through it.
func (r *Room) through(c *kernel.Call, i invocation) (kernel.Through, error) {
	before, err := r.known(c, i)
	if err != nil {
		return kernel.Through{}, err
	}
	counter, err := counterFor(i.Budget)
	if err != nil {
		return kernel.Through{}, err
	}
	next, err := r.another(c, i)
	if err != nil {
		return kernel.Through{}, err
	}
	news := 0
	if c.Unasked {
		news = i.forNews()
	}
	return kernel.Through{
		ID: i.ID, Scope: i.Scope, Role: i.Role,
		Measure: func(shown []byte) int { return i.Budget.Measure(counter, string(shown)) },
		Left:    i.Budget.Size - i.Used,
		News:    news,
		Given:   before.given,
		Whole:   before.shows,
		Latest:  func(id brenner.ArtifactID) brenner.Version { return before.newest(id, anyOf) },
		Shown:   before.versions,
		Had:     func(id brenner.ArtifactID) brenner.Version { return before.newest(id, invocation.opened) },
		Entire:  func(id brenner.ArtifactID) brenner.Version { return before.newest(id, invocation.shows) },
		Next:    next,
	}, nil
}

// succession is a context, and those that it goes on from: its reader has what
// each of them gave.
type succession []invocation

// longestLine bounds how many contexts one counts as given.
const longestLine = 20

// line is a context with those that it goes on from, the newest first.
func (i invocation) line(c *kernel.Call) (succession, error) {
	out := succession{i}
	for len(out) < longestLine && i.After != "" {
		earlier, err := invocations.Find(c.Ctx, c.Reader, i.After)
		if err != nil {
			return nil, err
		}
		i = earlier
		out = append(out, i)
	}
	return out, nil
}

// known is all that the reader of a context has: its line, and those for tasks that
// are closed and led back to it.
func (r *Room) known(c *kernel.Call, i invocation) (succession, error) {
	line, err := i.line(c)
	if err != nil {
		return nil, err
	}
	own := kernel.Query{States: []string{string(i.Agent)}, Newest: true}
	rows, err := invocations.List(c.Ctx, c.Reader, own, 1)
	if err != nil || len(line) == 1 && len(rows) == 1 && rows[0].ID == i.ID {
		return line, err
	}
	if rows, err = invocations.List(c.Ctx, c.Reader, own, 2*longestLine); err != nil {
		return nil, err
	}
	out := slices.Clone(line)
	in := func(id string) bool { return slices.ContainsFunc(line, func(i invocation) bool { return i.ID == id }) }
	for _, row := range rows {
		if kernel.NumberOf(row.ID) < kernel.NumberOf(line[len(line)-1].ID) {
			break // it is older than all of them
		}
		back, err := r.backFrom(c, row.Value)
		if err != nil {
			return nil, err
		}
		if !in(row.ID) && in(back.ID) {
			out = append(out, row.Value)
		}
	}
	return out, nil
}

func (s succession) given(d brenner.Digest) bool {
	return slices.ContainsFunc(s, func(i invocation) bool { return slices.Contains(i.Given, d) })
}

func (s succession) shows(ref brenner.Ref) bool {
	return slices.ContainsFunc(s, func(i invocation) bool { return i.shows(ref) })
}

// opened says whether more than a summary of a version that was read was shown.
func (i invocation) opened(ref brenner.Ref) bool { return !slices.Contains(i.Summaries, ref) }

func anyOf(invocation, brenner.Ref) bool { return true }

// newest is the newest version of an artifact that was read and counts, 0 if none.
func (s succession) newest(id brenner.ArtifactID, counts func(invocation, brenner.Ref) bool) brenner.Version {
	var out brenner.Version
	for _, i := range s {
		for _, p := range i.Reads {
			if p.Ref.Artifact == id && p.Ref.Version > out && counts(i, p.Ref) {
				out = p.Ref.Version
			}
		}
	}
	return out
}

// versions are those of an artifact that were read, the newest first.
func (s succession) versions(id brenner.ArtifactID) []brenner.Version {
	var out []brenner.Version
	for _, i := range s {
		for _, p := range i.Reads {
			if p.Ref.Artifact == id {
				out = append(out, p.Ref.Version)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Reverse(out)
	return out
}

// ShownBy is the newest version of an artifact that the newest contexts of an agent had
// shown by an instant.
func (r *Room) ShownBy(c *kernel.Call, agent brenner.ActorName, id brenner.ArtifactID, by time.Time) (brenner.Version, error) {
	rows, err := invocations.List(c.Ctx, c.Reader, kernel.Query{States: []string{string(agent)}, Newest: true}, 2*longestLine)
	var out brenner.Version
	for _, row := range rows {
		if !row.Value.At.After(by) {
			out = max(out, row.Value.shownBy(id, by))
		}
	}
	return out, err
}

// Surveyed looks through the newest contexts of the caller for one for the session.
func (r *Room) Surveyed(c *kernel.Call, session brenner.SessionID) (bool, error) {
	for _, most := range []int{1, 2 * longestLine} { // it mostly is the newest of all
		rows, err := invocations.List(c.Ctx, c.Reader, kernel.Query{States: []string{string(c.Who.Name)}, Newest: true}, most)
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			if row.Value.Session == session {
				return row.Value.Survey, nil
			}
		}
	}
	return false, nil
}

// shownBy is the newest version of an artifact that a context had shown by an instant.
func (i invocation) shownBy(id brenner.ArtifactID, by time.Time) (out brenner.Version) {
	for _, p := range i.Reads {
		later := func(l laterRead) bool { return slices.Contains(l.Refs, p.Ref) }
		first := slices.IndexFunc(i.Later, later) // -1: it showed that when it was made
		if p.Ref.Artifact == id && i.opened(p.Ref) && (first < 0 || !i.Later[first].At.After(by)) {
			out = max(out, p.Ref.Version)
		}
	}
	return out
}

// Current names the context that the caller writes under (C30).
func (r *Room) Current(c *kernel.Call) (string, error) {
	i, err := r.current(c)
	return i.ID, err
}

// Module is the one module that the caller's context covers.
func (r *Room) Module(c *kernel.Call) (brenner.Module, error) {
	i, err := r.current(c)
	if err != nil || i.Scope.All {
		return "", err
	}
	own := slices.DeleteFunc(slices.Clone(i.Scope.Modules), func(m brenner.Module) bool { return m == kernel.ProjectModule })
	if len(own) != 1 {
		return "", nil
	}
	return own[0], nil
}

// current is the newest context of the task that the caller entered, or else of
// all; none has no id.
func (r *Room) current(c *kernel.Call) (invocation, error) {
	q := kernel.Query{States: []string{string(c.Who.Name)}, Newest: true, Group: c.Task}
	rows, err := invocations.List(c.Ctx, c.Reader, q, 1)
	if err == nil && len(rows) == 0 && c.Task != "" {
		q.Group = ""
		rows, err = invocations.List(c.Ctx, c.Reader, q, 1)
	}
	if err != nil || len(rows) == 0 {
		return invocation{}, err
	}
	return r.backFrom(c, rows[0].Value)
}

// Under says what the caller's newest context covers, and how many records of a
// kind were written under it.
func (r *Room) Under(c *kernel.Call, kind string) (modules []brenner.Module, written int, err error) {
	newest, err := r.Newest(c)
	if err != nil {
		return nil, 0, err
	}
	rows, err := writes.List(c.Ctx, c.Reader, kernel.Query{Group: newest.ID}, brenner.MaxPage)
	for _, row := range rows {
		if row.Value.Kind == kind {
			written++
		}
	}
	return newest.Scope.Modules, written, err
}

// Charge records a read in an invocation, or refuses it when the budget does
// not reach. What was given before costs nothing (C34).
func (r *Room) Charge(ch *kernel.Change, id string, read kernel.Reading) (given bool, err error) {
	i, err := invocations.Find(ch.Ctx, ch.Reader, id)
	if err != nil {
		return false, err
	}
	before, err := r.known(ch.Call, i)
	if err != nil {
		return false, err
	}
	if len(read.Parts) == 0 && (read.Known || before.given(read.Digest)) && !read.Again {
		return true, nil
	}
	news := 0
	if read.Unasked {
		news = min(read.Price, i.forNews())
	}
	p := contextRead{ID: id, What: read.What, Tokens: read.Price - news, News: news, Shown: read.Digest, Parts: slices.Concat(read.Parts, read.Also), Whole: read.Whole}
	if _, err := i.Budget.Charge(i.Used, p.Tokens); err != nil {
		return false, r.spent(ch.Call, i, err)
	}
	if len(i.Later) >= brenner.MaxLaterReads {
		return false, brenner.Errorf(brenner.CodeLimitExceeded, "%s was read through %d times", id, len(i.Later)).
			WithHint("assemble a new context").Try(brenner.Do("context.assemble"))
	}
	refs := read.Refs
	if len(read.Parts) > 0 { // what the context shows in full stays shown, whatever is read beside it
		refs = slices.DeleteFunc(slices.Clone(refs), i.shows)
	}
	if p.Reads, err = ledger.PinsAt(ch.Call, refs); err != nil {
		return false, err
	}
	_, err = kindContextRead.Append(ch, p)
	return false, err
}

// forNews is what may still be spent on what comes unasked before that is charged like
// what was asked for (ADR 120): all of it together is bounded, as what is read is (C20).
func (i invocation) forNews() int { return max(0, i.Budget.Size/2-i.News) }

// shows says whether the context held a version in full when it was assembled, or
// it was read from end to end later; else that may have been a page of it.
func (i invocation) shows(ref brenner.Ref) bool {
	if slices.ContainsFunc(i.Later, func(l laterRead) bool { return l.Whole && slices.Contains(l.Refs, ref) }) {
		return true
	}
	return slices.ContainsFunc(i.Reads, func(p ledger.Pin) bool { return p.Ref == ref }) && !slices.Contains(i.Summaries, ref) &&
		!slices.ContainsFunc(i.Later, func(l laterRead) bool { return slices.Contains(l.Refs, ref) })
}

// spent names the call that goes on when a budget does not reach: another
// context for the same work.
func (r *Room) spent(c *kernel.Call, i invocation, err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return err
	}
	next, failed := r.another(c, i)
	if failed != nil {
		return failed
	}
	return e.WithHint("ask for less, or go on in a new context").Try(next)
}

// another makes a context for the same work that goes on from this one; for the
// session of a task that is closed, if it is of one.
func (r *Room) another(c *kernel.Call, i invocation) (brenner.Action, error) {
	if i.Task != "" {
		t, err := r.Tasks.Find(c, i.Task)
		if err != nil {
			return brenner.Action{}, err
		}
		if t.State != api.TaskOpen && t.State != api.TaskClaimed {
			i.Task, i.Session = "", t.Session
		}
	}
	own := slices.DeleteFunc(slices.Clone(i.Scope.Modules), func(m brenner.Module) bool { return m == kernel.ProjectModule })
	switch {
	case i.Task != "":
		return brenner.Do("context.assemble", "task", i.Task, "after", i.ID), nil
	case i.Session != "":
		return brenner.Do("context.assemble", "session", string(i.Session), "after", i.ID), nil
	case len(own) == 1:
		return brenner.Do("context.assemble", "module", string(own[0]), "after", i.ID), nil
	}
	return brenner.Do("context.assemble", "after", i.ID), nil
}

// Carried reports whether a context of the caller held a bullet (B8): the one
// named, or one of the newest. Persons are not asked. What a context held never
// becomes untrue, so the answer may be older than the transaction that uses it.
func (r *Room) Carried(c *kernel.Call, id playbook.BulletID, by string) (context, task string, err error) {
	if c.Person() {
		return "", "", nil
	}
	looked := 0
	look := func(row kernel.Row[invocation]) (bool, error) {
		if i := row.Value; i.Agent == c.Who.Name && slices.Contains(i.Bullets, string(id)) {
			context, task = i.ID, i.Task
		}
		looked++
		return context == "" && looked < brenner.MaxContextsSearched, nil
	}
	if by == "" {
		err := invocations.Each(c.Ctx, c.Reader, kernel.Query{Newest: true}, look)
		return context, task, err
	}
	row, err := invocations.Row(c.Ctx, c.Reader, by)
	if errors.Is(err, brenner.CodeNotFound) {
		return "", "", brenner.Errorf(brenner.CodeNotFound, "there is no context %q", by).
			WithHint("leave it out to look through the newest")
	}
	if err != nil {
		return "", "", err
	}
	_, err = look(row)
	return context, task, err
}

// Occasion is the task that the caller's newest context was for; empty if it was
// for none. Persons have none.
func (r *Room) Occasion(c *kernel.Call) (task string, err error) {
	if c.Person() {
		return "", nil
	}
	own := kernel.Query{States: []string{string(c.Who.Name)}, Newest: true}
	err = invocations.Each(c.Ctx, c.Reader, own, func(row kernel.Row[invocation]) (bool, error) {
		task = row.Value.Task
		return false, nil
	})
	return task, err
}
