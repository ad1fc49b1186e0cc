package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"brenner"
	"brenner/api"
	"brenner/assembly"
	"brenner/canon"
	"brenner/internal/store"
	"brenner/policy"
)

// Through is the context that an agent reads through.
type Through struct {
	ID    string
	Scope assembly.Scope
	// Role is the one it was made in: inside a session's task the roster's, for
	// reading as for writing (C8).
	Role brenner.Role
	// Measure says what a text costs in it, Left what may still be spent, and News what
	// may be besides on what its reader is told without having asked for it: of other
	// reads none.
	Measure func(shown []byte) int
	Left    int
	News    int
	// Given says whether what has a digest was given in it, and Whole whether it
	// showed a version in full itself.
	Given func(brenner.Digest) bool
	Whole func(brenner.Ref) bool
	// Latest is the newest version of an artifact that was shown in it, Had the
	// newest of which more than a summary was, Entire the newest that it showed in
	// full itself; 0 if none.
	Latest func(brenner.ArtifactID) brenner.Version
	Had    func(brenner.ArtifactID) brenner.Version
	Entire func(brenner.ArtifactID) brenner.Version
	// Shown are the versions of an artifact of which something was shown in it, the
	// newest first.
	Shown func(brenner.ArtifactID) []brenner.Version
	// Next makes a context that goes on from it.
	Next brenner.Action
}

// LastRead is the newest version of an artifact that was shown in the context
// that an agent reads through, 0 if none was.
func (c *Call) LastRead(id brenner.ArtifactID) brenner.Version {
	if c.through == nil {
		return 0
	}
	return c.through.Latest(id)
}

// LastOpened is the newest version of an artifact of which more than a summary was shown in
// the context that an agent reads through, 0 if none was.
func (c *Call) LastOpened(id brenner.ArtifactID) brenner.Version {
	if c.through == nil {
		return 0
	}
	return c.through.Had(id)
}

// HasRead are the versions of an artifact of which something was shown in the context
// that an agent reads through, the newest first.
func (c *Call) HasRead(id brenner.ArtifactID) []brenner.Version {
	if c.through == nil {
		return nil
	}
	return c.through.Shown(id)
}

// Has says whether the context that an agent reads through was given what a passage
// says. A person has everything.
func (c *Call) Has(what string, p Passage) bool {
	return c.through == nil || c.through.Has(what, p)
}

// Newest is the context that an agent would read through, for a call that does not
// read; nil for a person, and where there is none that holds more.
func (c *Call) Newest() (*Through, error) {
	if c.Person() || c.kernel.meter == nil {
		return nil, nil
	}
	newest, err := c.kernel.meter.Newest(c)
	code := brenner.CodeOf(err)
	if code == brenner.CodeContextRequired || brenner.ClassOf(code) == brenner.ClassLimit {
		return nil, nil
	}
	return &newest, err
}

// ShownInFull is the newest version of an artifact that the context an agent
// reads through showed in full itself, 0 if it showed none.
func (c *Call) ShownInFull(id brenner.ArtifactID) brenner.Version {
	if c.through == nil {
		return 0
	}
	return c.through.Entire(id)
}

// Meter counts what agents read through their contexts.
type Meter interface {
	// Newest is the context that the caller reads through, of the task it names
	// if it names one: CONTEXT_REQUIRED if it has none, CONTEXT_OVERFLOW if nothing more fits into it.
	Newest(c *Call) (Through, error)
	// Current names the context that the caller writes under: the newest of the
	// task it entered, or of all; "" if it has none.
	Current(c *Call) (string, error)
	// Module is the one module that the caller's context covers, of the task it
	// entered or the newest; "" if it has none, or covers several.
	Module(c *Call) (brenner.Module, error)
	// Charge records a read in a context, or refuses it when the budget does
	// not reach. What was given in that context before is neither charged nor
	// recorded, and Charge says so, unless it is to be given again (C34).
	Charge(ch *Change, context string, read Reading) (given bool, err error)
	// ShownBy is the newest version of an artifact of which the contexts of an agent
	// had shown more than a summary by an instant, 0 if none.
	ShownBy(c *Call, agent brenner.ActorName, id brenner.ArtifactID, by time.Time) (brenner.Version, error)
	// Surveyed reports whether the caller's newest context for a session was made before
	// its work was divided.
	Surveyed(c *Call, session brenner.SessionID) (bool, error)
}

// Surveyed reports whether the newest context that an agent has for a session, be others for
// something else newer, was made before the work of the session was divided.
func (c *Call) Surveyed(session brenner.SessionID) (bool, error) {
	if c.through == nil {
		return false, nil
	}
	return c.kernel.meter.Surveyed(c, session)
}

// ShownBy is the newest version of an artifact of which an agent, whoever asks, had been
// shown more than a summary by an instant, 0 if none.
func (c *Call) ShownBy(agent brenner.ActorName, id brenner.ArtifactID, by time.Time) (brenner.Version, error) {
	if c.kernel.meter == nil {
		return 0, nil
	}
	return c.kernel.meter.ShownBy(c, agent, id, by)
}

// Reading is something an agent is about to be shown.
type Reading struct {
	What string
	Refs []brenner.Ref // of the versions that are shown in full
	// Digest is of what is shown, Price what it costs.
	Digest brenner.Digest
	Price  int
	Again  bool // it is to be given even if it was before
	// Known says that the context itself showed what this is a part of.
	Known bool
	// Parts are the digests of its passages, where it comes in passages; it has
	// no digest of its own then.
	Parts []brenner.Digest
	// Also are digests of passages that it shows besides.
	Also []brenner.Digest
	// Whole says that the versions it shows in full are shown from end to end.
	Whole bool
	// Unasked says that it comes with the answer to something else.
	Unasked bool
}

// Repeatable is a result that can say that it was given before, without giving
// it again. Passage names the version that its text is of, where having been
// shown the whole of that is as good.
type Repeatable[T any] interface {
	Unchanged() T
	Passage() (brenner.Ref, bool)
}

// inPassages is a result that shows passages which other reads show one by one.
type inPassages interface {
	Passages() (what string, texts []string)
}

// paged is a result that shows its version from one place in it to another; the last
// page has no end. False says that it shows something else.
type paged interface {
	Passage() (brenner.Ref, bool)
	Page() (from, to int)
}

// compared is a result that shows what became of a version, if it names one; false says
// that it may be shown in part.
type compared interface {
	Compared() (from brenner.Ref, whole bool)
}

// completes says whether the reader has a version from end to end with what it is about
// to be shown: all of it, its last page after the others, or what changed in one that it
// has. A page that goes on from the beginning leaves a mark of how far it reaches.
func completes(out any, through *Through, reading *Reading) bool {
	if d, ok := out.(compared); ok {
		if from, whole := d.Compared(); from != (brenner.Ref{}) {
			return whole && through.Whole(from)
		}
	}
	p, ok := out.(paged)
	if !ok {
		return false
	}
	ref, shown := p.Passage()
	from, to := p.Page()
	upTo := func(n int) brenner.Digest { return PassageDigest("pages of "+ref.String(), strconv.Itoa(n)) }
	if !shown || from > 0 && !through.Given(upTo(from)) {
		return false
	}
	if to > 0 {
		reading.Also = append(reading.Also, upTo(to))
	}
	return to == 0
}

// dividable is a result that can be given in part: about the beginning that costs
// left where all of it costs price. False says that too little is left.
type dividable[T any] interface {
	Beginning(price, left int, next brenner.Action) (T, bool)
}

// spoken is a result whose words are what an agent is shown, and charged for.
type spoken interface{ Words() string }

// priced is what an agent is charged for: the words of a result, where it has
// any, else its JSON.
func priced(out any, shown []byte) []byte {
	if s, ok := out.(spoken); ok {
		return []byte(s.Words())
	}
	return shown
}

// Read runs a use case that shows knowledge. A person just reads. An agent
// reads through its newest context: inside its modules, charged to its budget
// and recorded in it (C3); what no longer fits is refused and not shown. refs
// says which versions a result shows in full; what is shown only as a summary
// in a list does not count as an input of the work.
func Read[T any](ctx context.Context, k Caller, what string, refs func(T) []brenner.Ref, guard Guard, fn func(*Call) (T, error)) (T, error) {
	out, _, err := readAs(ctx, k, what, false, refs, nil, guard, fn)
	return out, err
}

// ReadOnce is Read for a text that is given once in a context: asked for again,
// and unchanged, it says so and costs nothing, unless it is to be sent again
// (C34).
func ReadOnce[T Repeatable[T]](ctx context.Context, k Caller, what string, again bool, refs func(T) []brenner.Ref, guard Guard, fn func(*Call) (T, error)) (T, error) {
	out, given, err := readAs(ctx, k, what, again, refs, T.Passage, guard, fn)
	if given {
		return out.Unchanged(), err
	}
	return out, err
}

func readAs[T any](ctx context.Context, k Caller, what string, again bool, refs func(T) []brenner.Ref, of func(T) (brenner.Ref, bool), guard Guard, fn func(*Call) (T, error)) (T, bool, error) {
	var out T
	a := answer{
		make:  func(c *Call) (err error) { out, err = fn(c); return err },
		value: func() any { return out },
		begin: func(price, left int, next brenner.Action) bool {
			d, ok := any(out).(dividable[T])
			if ok {
				out, ok = d.Beginning(price, left, next)
			}
			return ok
		},
	}
	if refs != nil {
		a.refs = func() []brenner.Ref { return refs(out) }
	}
	if of != nil {
		a.of = func() (brenner.Ref, bool) { return of(out) }
	}
	given, err := k.read(ctx, what, again, a, guard)
	if err != nil {
		var zero T
		return zero, false, err
	}
	return out, given, nil
}

// answer is what a read makes and shows, whatever its type.
type answer struct {
	make  func(*Call) error
	value func() any
	// begin leaves the beginning of it, as dividable says.
	begin func(price, left int, next brenner.Action) bool
	refs  func() []brenner.Ref       // nil: none
	of    func() (brenner.Ref, bool) // nil: it is not given once
}

func (k Caller) read(ctx context.Context, what string, again bool, a answer, guard Guard) (given bool, err error) {
	var through *Through
	if err := k.Recalling().view(ctx, k.entering(guard, &through), a.make); err != nil || through == nil {
		return false, err
	}
	// Measuring takes a while, and needs no turn.
	reading := Reading{What: what, Refs: []brenner.Ref{}, Again: again, Unasked: k.unasked}
	measure := func() {
		out := a.value()
		shown := canon.MustMarshal(out)
		reading.Digest, reading.Price = canon.Sum(shown), through.Measure(priced(out, shown))
	}
	measure()
	if a.of != nil {
		ref, part := a.of()
		reading.Known = part && through.Whole(ref)
	}
	if p, ok := a.value().(inPassages); ok {
		about, texts := p.Passages()
		for _, text := range texts {
			reading.Also = append(reading.Also, PassageDigest(about, text))
		}
		reading.Known = reading.Known || len(texts) > 0 && !slices.ContainsFunc(reading.Also, func(d brenner.Digest) bool { return !through.Given(d) })
	}
	known := reading.Known || through.Given(reading.Digest)
	for (!known || again) && reading.Price > through.Left+through.News {
		if !a.begin(reading.Price, through.Left+through.News, through.Next) {
			break
		}
		reading.Also = nil
		measure()
	}
	reading.Whole = completes(a.value(), through, &reading)
	if a.refs != nil {
		reading.Refs = a.refs()
	}
	return k.charge(ctx, through, reading)
}

// charge records what an agent is about to be shown, and its price.
func (k Caller) charge(ctx context.Context, through *Through, reading Reading) (given bool, err error) {
	return Write(ctx, k, "context.read", api.Write{}, Settled("the read; this is its price"), func(ch *Change) (bool, error) {
		return k.meter.Charge(ch, through.ID, reading)
	})
}

// entering lets a person in as it is, and an agent through its newest context,
// or that of the task it names, of which through is told.
func (k Caller) entering(guard Guard, through **Through) Guard {
	return Guard{func(c *Call) error {
		if !c.Person() {
			c.Task = k.task
			c.Unasked = k.unasked
			newest, err := k.meter.Newest(c)
			if err != nil {
				return err
			}
			c.through, c.Who.Role = &newest, newest.Role
		}
		*through = c.through
		return guard.ask(c)
	}}
}

// Pays reports whether a text of others may stand in the answer to a write. An
// agent's newest context pays for it, if it has one: not for what it was given
// before, nor beyond its budget (C3, C34).
func (ch *Change) Pays(what, text string) (bool, error) {
	if ch.Person() || ch.kernel.meter == nil || text == "" {
		return true, nil
	}
	through, err := ch.kernel.meter.Newest(ch.Call)
	if errors.Is(err, brenner.CodeContextRequired) {
		return true, nil
	}
	given := false
	if err == nil {
		shown := []byte(text)
		given, err = ch.kernel.meter.Charge(ch, through.ID, Reading{What: what, Refs: []brenner.Ref{}, Digest: canon.Sum(shown), Price: through.Measure(shown)})
	}
	if brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassLimit {
		return false, nil
	}
	return !given, err
}

// HomeModule is where an agent's work belongs unless it says otherwise: the
// module of its context. A person has none.
func (c *Call) HomeModule() (brenner.Module, error) {
	if c.Person() || c.kernel.meter == nil {
		return "", nil
	}
	return c.kernel.meter.Module(c)
}

// OutOfScope lists the modules of the project that an agent's context does not
// cover; a person has none.
func (c *Call) OutOfScope() []brenner.Module {
	if c.through == nil {
		return nil
	}
	var out []brenner.Module
	for _, m := range c.Modules {
		if !c.through.Scope.Covers(m) {
			out = append(out, m)
		}
	}
	return out
}

// Sees reports whether words of what has a type and a module may stand in the
// answer of a call: for a person if it may read that, for an agent if besides it
// reads through a context, which is charged (C33). Names are no secret.
func (c *Call) Sees(typ brenner.TypeName, module brenner.Module) bool {
	return (c.Person() || c.through != nil) && c.May(policy.Read, typ, module)
}

// SeesLessons reports whether words of lessons, which are of no type and no
// module, may stand in the answer to a write: for whoever reads anything, and of
// agents for those that have a context (C33).
func (c *Call) SeesLessons() (bool, error) {
	if c.Person() || !c.May(policy.Read, "", "") || c.kernel.meter == nil {
		return c.May(policy.Read, "", ""), nil
	}
	id, err := c.kernel.meter.Current(c)
	return id != "", err
}

// InScope narrows a choice of modules to those that the policy of the role and
// an agent's context cover; none says that nothing is left.
func (c *Call) InScope(asked []brenner.Module) (modules []brenner.Module, none bool) {
	modules = asked
	if kept := c.Policies[c.Who.Role].Modules; len(kept) > 0 && !c.Leads() {
		modules = narrowed(modules, kept)
		none = len(modules) == 0
	}
	if c.through != nil && !c.through.Scope.All && !none {
		modules = narrowed(modules, c.through.Scope.Modules)
		none = len(modules) == 0
	}
	return modules, none
}

// narrowed keeps of a choice what is in a list; no choice is all of it.
func narrowed(asked, list []brenner.Module) []brenner.Module {
	if len(asked) == 0 {
		return list
	}
	var out []brenner.Module
	for _, m := range asked {
		if slices.Contains(list, m) {
			out = append(out, m)
		}
	}
	return out
}

// Reaches refuses an act in a module that the policy of the role keeps it out
// of, where the act itself was allowed.
func (c *Call) Reaches(action policy.Action, module brenner.Module, target string) error {
	kept := c.Policies[c.Who.Role].Modules
	if c.Leads() || len(kept) == 0 || slices.Contains(kept, module) {
		return nil
	}
	req := c.request(Act{Action: action, Module: module, Target: target})
	reason := fmt.Sprintf("the policy of %s keeps it to %s", c.Who.Role, Join(kept))
	c.denial = &store.Denial{At: c.Now, Actor: c.Who.Name, Role: c.Who.Role, Action: string(action), Target: target, Reason: reason}
	return policy.Decision{Code: brenner.CodeWriteDenied, Reason: reason}.Err(req)
}
