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
const Rules = 3

// Result is what a merge gives back.
type Result struct {
	// Artifact is the base itself if nothing was recorded.
	Artifact *Artifact `json:"artifact"`
	// Outcomes has one row for each delta, in the order they were given.
	Outcomes []Outcome `json:"outcomes"`
	// Warnings are findings that stop nothing, in an order that does not
	// depend on how the deltas were given.
	Warnings []brenner.Diagnostic `json:"warnings"`
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
	if base == nil {
		base = &Artifact{meta: Metadata{Contributors: []brenner.ActorName{}}}
	}
	m := &merge{given: base, base: base, opts: opts, priority: base.meta.Priority, outcomes: make([]Outcome, len(deltas))}
	if given := onlyNames(opts.Priority); opts.Priority != nil && !slices.Equal(given, m.priority) {
		m.priority = given
		m.base = base.reranked(m.priority)
	}
	m.view.names = m.lookup
	m.admit(deltas)
	m.sort()
	m.unique()
	m.fold()
	for m.spareThirdAlternative() {
		m.fold()
	}
	return m.result()
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
	outcomes []Outcome // of each delta, as given

	ids      map[identity]*entry // of the deltas in work
	work     []work              // deltas that passed every static check, in D3 order
	copies   []copyOf
	warnings map[*entry][]brenner.Diagnostic

	provisional int // ADDs with a provisional id

	// What items are made of, and buffers.
	view   viewer
	drafts arena[draft]
	items  arena[Item]
	logs   arena[*entry]
	log    []*entry

	spared map[int]bool // hypotheses that must go on living (D14), by number

	// What follows is made anew by each fold.
	sections [sectionCount]folding
	names    map[name]ItemID
	waiting  map[name][]int   // work that names an item not there yet; agent "" for assigned ids
	holders  map[identity]int // work admitted under an id that others claim too
	spoken   map[int32]int    // work admitted of those that say the same, by group
}

// work is one delta in a merge.
type work struct {
	index  int   // in the deltas as given
	second int64 // of its instant
	entry  *entry
	said   *entry // the recorded delta of its message that says the same
	group  int32  // of the deltas of its message that say the same, 0 if it is alone

	contested bool // another delta of this merge has its id and another content

	// What follows is set by each fold.
	waits   bool           // for the ADD of its provisional target
	draft   *draft         // the item it changes
	next    int            // work that edits the same item next, plus one
	fault   *brenner.Error // why it is rejected
	repeats *work          // the delta of its message that says the same and was admitted

	status Status // in the end
}

// copyOf is a second copy of a delta in the same merge: it shares the fate of
// the first. Both are places in the deltas as given.
type copyOf struct{ index, first int }

// admit makes the checks that need no artifact. It goes through the deltas
// roughly in the order in which they will be folded, which decides nothing:
// what is visited in order is allocated in order, and the passes to come run
// through memory instead of about it.
func (m *merge) admit(deltas []Entry) {
	allowed := map[brenner.ActorName]bool{}
	for _, c := range m.opts.Contributors {
		allowed[c] = true
	}
	m.warnings = map[*entry][]brenner.Diagnostic{}
	m.work = make([]work, 0, len(deltas))
	ranks := map[brenner.ActorName]int{}
	for rank, n := range m.priority {
		ranks[n] = rank
	}
	c := compiler{recorded: m.opts.Recorded}
	for _, a := range arrivals(deltas) {
		in := &deltas[a.index]
		e, err := m.check(&c, in, a, len(deltas), allowed)
		if err != nil {
			m.outcomes[a.index] = outcomeOf(&in.Delta, in.Message)
			m.outcomes[a.index].reject(err)
			continue
		}
		e.message, e.rank, e.fresh = in.Message, len(m.priority), true
		if rank, ok := ranks[in.Delta.Agent]; ok {
			e.rank = rank
		}
		if len(c.warnings) > 0 {
			m.warnings[e] = c.warnings
		}
		if e.delta.ProvisionalID != "" {
			m.provisional++
		}
		m.work = append(m.work, work{index: a.index, second: e.at.Unix(), entry: e})
	}
}

// arrival is a delta with the instant it says.
type arrival struct {
	index  int
	second int64
	nanos  int
	timed  bool // its timestamp is one
}

func (a *arrival) said() time.Time { return time.Unix(a.second, int64(a.nanos)).UTC() }

func arrivals(deltas []Entry) []arrival {
	all := make([]arrival, len(deltas))
	for i := range deltas {
		said, ok := parseInstant(deltas[i].Delta.Timestamp)
		all[i] = arrival{i, said.Unix(), said.Nanosecond(), ok}
	}
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Compare(a.second, b.second) })
	return all
}

func (m *merge) check(c *compiler, in *Entry, a arrival, count int, allowed map[brenner.ActorName]bool) (*entry, *brenner.Error) {
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
	said := a.said()
	at := effective(said, in.Received, m.opts.NotBefore)
	e, err := c.compile(&in.Delta, at, a.timed)
	if err != nil {
		return nil, err
	}
	if m.opts.Contributors != nil && !allowed[in.Delta.Agent] {
		return nil, brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor", in.Delta.Agent).
			At("/agent").WithHint("register the agent, or correct its name")
	}
	if !at.Equal(said) {
		c.warnings = append(c.warnings, skew(&in.Delta, said, at))
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

// sort puts the deltas into D3 order; copies of one delta stay as given. They
// come sorted by the second they say, so that as a rule only those of one
// second are left to be sorted.
func (m *merge) sort() {
	inOrder := func(a, b work) int {
		if a.second != b.second {
			return cmp.Compare(a.second, b.second)
		}
		if c := compare(a.entry, b.entry); c != 0 {
			return c
		}
		return a.index - b.index
	}
	if !slices.IsSortedFunc(m.work, func(a, b work) int { return cmp.Compare(a.second, b.second) }) {
		slices.SortFunc(m.work, inOrder)
		return
	}
	for from := 0; from < len(m.work); {
		to := from + 1
		for to < len(m.work) && m.work[to].second == m.work[from].second {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(m.work[from:to], inOrder)
		}
		from = to
	}
}
