package delta

import (
	"cmp"
	"slices"
	"time"

	"brenner"
)

// Options say under what rules a merge runs.
type Options struct {
	// Priority decides between simultaneous deltas, highest first; nil keeps
	// the list the artifact was merged with before.
	Priority []brenner.ActorName
	// Contributors are the agents that may contribute; nil means any.
	Contributors []brenner.ActorName
	// NotBefore is when the session began: an earlier timestamp of a delta
	// whose time of receipt is known counts as that (D11). Zero means any.
	NotBefore time.Time
	// Recorded says that the deltas were admitted before, so that rules about
	// what may be sent, which have grown stricter, do not hold for them.
	Recorded bool
}

// Rules is the edition of the rules by which Merge decides. What was merged
// under an earlier one stays as it is; merged again it might come out
// otherwise.
const Rules = 6

// Result is what a merge gives back.
type Result struct {
	// Artifact is the base itself if nothing was recorded.
	Artifact *Artifact `json:"artifact"`
	// Outcomes has one row for each delta, in the order they were given.
	Outcomes []Outcome `json:"outcomes"`
	// Warnings are findings that stop nothing, in an order that does not
	// depend on how the deltas were given.
	Warnings []brenner.Diagnostic `json:"warnings"`
	// About has, for each delta that there is something to say about, what its
	// author should hear although it stopped nothing, by its place in the deltas
	// as they were given.
	About map[int][]brenner.Diagnostic `json:"-"`
}

// Recorded counts the deltas that were recorded.
func (r *Result) Recorded() int {
	n := 0
	for i := range r.Outcomes {
		if r.Outcomes[i].Recorded() {
			n++
		}
	}
	return n
}

// Merge folds deltas into an artifact; a nil base is an empty one. It never
// fails: a delta that breaks a rule is rejected alone, with a coded outcome.
//
// The result does not depend on the order of the deltas, only on the set of
// them (D3). Neither base nor deltas are changed.
//
// A delta that names a provisional id nothing is bound to yet is neither
// applied nor rejected but Waiting: give it to a later merge again, with the
// others, and it is taken in once its ADD has come (D4).
func Merge(base *Artifact, deltas []Entry, opts Options) Result {
	return merged(base, deltas, opts).result()
}

// merged is a merge that was folded.
func merged(base *Artifact, deltas []Entry, opts Options) *merge {
	if base == nil {
		base = &Artifact{meta: Metadata{Contributors: []brenner.ActorName{}}}
	}
	m := &merge{given: base, base: base, opts: opts, priority: base.meta.Priority, found: []brenner.Diagnostic{}}
	if given := onlyNames(opts.Priority); opts.Priority != nil && !slices.Equal(given, m.priority) {
		m.priority = given
		m.base = base.reranked(m.priority)
	}
	m.view.names = m.lookup
	m.admit(deltas)
	m.fold()
	for m.spareThirdAlternative() {
		m.fold()
	}
	return m
}

// onlyNames drops from a list what can be no agent, and repetitions.
func onlyNames(list []brenner.ActorName) []brenner.ActorName {
	var names []brenner.ActorName
	for _, n := range list {
		if n.Check() == nil && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// merge is the state of one merge.
type merge struct {
	given    *Artifact // as the caller gave it
	base     *Artifact // the same under this merge's priority list
	opts     Options
	priority []brenner.ActorName
	deltas   []Entry
	seen     int                             // see fetch
	noted    []noted                         // what of found is about which delta
	unknown  []brenner.Diagnostic            // what else is to be said about some
	unheard  []noted                         // what of unknown is about which
	naming   map[namedIn]map[string]struct{} // see manyNamed

	agents  []contributor
	agentAt map[brenner.ActorName]int32 // places in agents
	ranks   map[brenner.ActorName]int32 // of the agents in the priority list
	allowed map[brenner.ActorName]struct{}

	work     []work                                // deltas that passed every static check, in D3 order
	ids      finder[identity]                      // of the deltas in work
	rivals   map[identity]map[brenner.Digest]int32 // deltas of one id by content, places in the deltas as given
	copies   []copyOf
	early    []early
	places   []int32                // in work, of each delta as given; noPlace if it is not there
	groups   []int32                // of the deltas of one message that say the same, by place in work; 0 if one is alone, nil if all are
	said     map[int32]*entry       // the recorded delta of its message that says the same, by place in work
	warnings [][]brenner.Diagnostic // found when deltas were read
	warnedAt []int32                // places in warnings plus one, of the deltas as given; nil if there are none
	hashed   []*entry               // whose digests are kept

	called finder[name] // places in calls
	calls  []call       // the provisional ids that deltas bind or have for a target
	named  int          // how many deltas in work were looked through for them

	adds        [sectionCount]int            // how many ADDs there are, by section
	provisional int                          // how many have a provisional id
	sent        bool                         // some deltas came in messages
	owners      map[string]brenner.ActorName // of provisional ids, once somebody asks

	// What items are made of, and buffers.
	view  viewer
	judge judge
	items arena[Item]
	logs  arena[*entry]
	texts texts
	log   []*entry
	word  [16]byte
	words []string

	spared map[int32]bool // hypotheses that must go on living (D14), by number

	// What follows is made anew by each fold.
	sections [sectionCount]folding
	waiting  int                // how many wait for an item not there yet: of a call, or
	awaited  map[slot]int32     // of an assigned id. See queue
	holders  map[identity]int32 // work admitted under an id that others claim too
	spoken   map[int32]int32    // work admitted of those that say the same, by group
	repeats  map[int32]int32    // work kept out by that, and the one admitted

	// What comes of it.
	outcomes       []Outcome
	found          []brenner.Diagnostic
	oldest, newest *entry // of the deltas recorded
	messages       map[string]bool
	mentions       map[name][]ItemID
}

// work is one delta in a merge. There are many, visited out of order: one fills
// a line of the cache.
type work struct {
	entry *entry
	fault *brenner.Error // why it is rejected
	item  ItemID         // the item it changes, once that is built

	index  int32  // in the deltas as given
	hash   uint32 // of its identity
	agent  int32  // place in agents
	call   int32  // place of the provisional id it binds or has for a target in calls, plus one
	next   int32  // work that edits the same item next, or waits for the same, plus one
	number int32  // of the item it changes
	status fate   // what became of it, if nothing kept it out

	contested bool // another delta of this merge has its id and another content
	said      bool // the artifact has recorded one of its message that says the same
	adds      bool // it is an ADD
	cites     bool // see entry
	warned    bool // there is something to say about it if it is recorded

	// What follows is set by each fold, as are fault, item, next, number and status.
	waits   bool // for the ADD of its provisional target
	repeats bool // one of its message that says the same was admitted
}

// fate is a Status of a delta that was folded.
type fate uint8

const (
	undecided fate = iota
	applied
	superseded
	conflicted
	skipped
	targetless // it is rejected: its target does not exist
)

var statuses = [...]Status{undecided: "", applied: Applied, superseded: Superseded, conflicted: Conflicted, skipped: Skipped, targetless: Rejected}

// recorded says whether the delta is in the next version.
func (w *work) recorded() bool {
	return w.fault == nil && !w.waits && !w.said && !w.repeats && applied <= w.status && w.status <= conflicted
}

// call is a provisional id that a merge has to do with.
type call struct {
	name
	hash  uint32 // of the name
	base  slot   // what it was bound to before; number 0 if to nothing
	bound slot   // by the fold at hand, likewise
	queue int32  // the last work that waits for it, plus one, linked by work.next; 0 for none
}

// early is an outcome that was made before the others.
type early struct {
	index int32
	Outcome
}

// noPlace stands for the place of a delta that is not in work.
const noPlace = -1

// copyOf is a second copy of a delta in the same merge: it shares the fate of
// the first. Both are places in the deltas as given.
type copyOf struct{ index, first int32 }

// admit makes the checks that need no artifact. It goes through the deltas in
// the order in which they will be folded: what is visited in order is allocated
// in order, and the passes to come run through memory instead of about it.
func (m *merge) admit(deltas []Entry) {
	m.agentAt = map[brenner.ActorName]int32{}
	m.ranks = make(map[brenner.ActorName]int32, len(m.priority))
	for rank, n := range m.priority {
		m.ranks[n] = int32(rank)
	}
	m.allowed = make(map[brenner.ActorName]struct{}, len(m.opts.Contributors))
	for _, n := range m.opts.Contributors {
		m.allowed[n] = struct{}{}
	}
	m.deltas = deltas
	m.work = make([]work, 0, len(deltas))
	m.ids = newFinder[identity](len(deltas))
	m.places = make([]int32, len(deltas))
	for i := range m.places {
		m.places[i] = noPlace
	}
	c := compiler{recorded: m.opts.Recorded}
	turns := m.turns(deltas)
	m.calls = make([]call, 0, m.provisional)
	m.called = newFinder[name](m.provisional)
	var tied []work // whose turns are the same but for the content of the deltas
	for i := range turns {
		t := &turns[i]
		if i%fetched == 0 {
			m.name()
			m.fetch(turns[i:min(i+fetched, len(turns))])
		}
		if i > 0 && m.compareTurns(deltas, &turns[i-1], t) != 0 {
			m.enter(tied)
			tied = tied[:0]
		}
		in := &deltas[t.index]
		e, err := m.check(&c, in, t, len(deltas))
		if err != nil {
			o := outcomeOf(in)
			o.reject(err)
			m.early = append(m.early, early{t.index, o})
			continue
		}
		e.message, e.rank = in.Message, m.agents[t.agent].rank
		w := work{index: t.index, agent: t.agent, entry: e, hash: t.hash, adds: e.op == opAdd, cites: e.cites}
		if len(c.warnings) > 0 {
			if m.warnedAt == nil {
				m.warnedAt = make([]int32, len(deltas))
			}
			m.warnings = append(room(m.warnings), c.warnings)
			m.warnedAt[t.index] = int32(len(m.warnings))
		}
		w.warned = len(c.warnings) > 0 || e.section == atThread && e.rationale == ""
		if e.op == opAdd {
			m.adds[e.section]++
		}
		m.sent = m.sent || e.message != ""
		tied = append(tied, w)
	}
	m.enter(tied)
	m.name()
	if m.sent {
		m.group()
	}
}

// fetched is how many deltas are asked for at a time.
const fetched = 32

// fetch looks at deltas that will be read next. In their order they lie all
// over memory; asked for together they are waited for together.
func (m *merge) fetch(next []turn) {
	for i := range next {
		d := &m.deltas[next[i].index].Delta
		m.seen += len(d.DeltaID) + len(d.Operation) + len(d.Payload) + d.Seq
		if m.deltas[next[i].index].Invalid != nil {
			m.seen++
		}
	}
	for i := range next {
		if p := m.deltas[next[i].index].Delta.Payload; len(p) > 0 {
			m.seen += int(p[0]) + int(p[len(p)-1])
		}
		m.seen += m.ids.near(next[i].hash)
	}
}

// fetchTexts looks at the texts of deltas whose turns will be made next.
func (m *merge) fetchTexts(next []Entry) {
	for i := range next {
		d := &next[i].Delta
		if d.Timestamp != "" {
			m.seen += int(d.Timestamp[0])
		}
		if d.DeltaID != "" {
			m.seen += int(d.DeltaID[0])
		}
	}
}

// enter takes in deltas between which only their content decides; copies of
// one delta stay as given.
func (m *merge) enter(tied []work) {
	if len(tied) > 1 {
		for i := range tied {
			m.digest(tied[i].entry)
		}
		slices.SortFunc(tied, func(a, b work) int {
			return cmp.Or(compare(a.entry, b.entry), cmp.Compare(a.index, b.index))
		})
	}
	for i := range tied {
		m.unique(&tied[i])
	}
}

func (m *merge) check(c *compiler, in *Entry, t *turn, count int) (*entry, *brenner.Error) {
	if count > brenner.MaxDeltas {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d deltas in one merge", brenner.MaxDeltas).
			WithHint("merge them in several batches")
	}
	if in.Invalid != nil {
		return nil, in.Invalid
	}
	if in.Message != "" && !plain(in.Message) {
		return nil, invalid("", "the message id is too long or has characters that do not show", "")
	}
	agent := &m.agents[t.agent]
	e, err := c.compile(&in.Delta, t.at(), t.timed, agent.named)
	if err != nil {
		return nil, err
	}
	if m.opts.Contributors != nil && !agent.admitted {
		return nil, brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor", in.Delta.Agent).
			At("/agent").WithHint("register the agent, or correct its name")
	}
	if t.moved {
		said, _ := parseInstant(in.Delta.Timestamp)
		c.warnings = append(c.warnings, skew(&in.Delta, said, t.at()))
	}
	return e, nil
}

// effective gives the instant at which a delta counts (D11): when it says, but
// never later than it was received; and if it says a time before the session
// began, when it was received. Without a time of receipt its word stands.
func effective(said, received, notBefore time.Time) time.Time {
	if !received.IsZero() && (said.After(received) || said.Before(notBefore)) {
		return received.UTC()
	}
	return said
}

// skew says that a delta counts at another instant than it says.
func skew(d *Delta, said, at time.Time) brenner.Diagnostic {
	message := "the timestamp lies after the time of receipt"
	if said.Before(at) {
		message = "the timestamp lies before the start of the session"
	}
	return brenner.Diagnostic{
		Code: brenner.CodeTimestampSkew, Severity: brenner.SeverityWarning, Subject: d.DeltaID, Pointer: "/timestamp",
		Message: message + "; the delta counts as of its receipt, " + FormatInstant(at), Hint: "leave timestamp out: the message supplies it",
	}
}
