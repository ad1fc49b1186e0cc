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
}

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
	outcomes []Outcome

	work     []work // deltas that passed every static check, in D3 order
	copies   []copyOf
	warnings map[*entry][]brenner.Diagnostic

	view viewer

	spared map[int]bool // hypotheses that must go on living (D14), by number

	// What follows is made anew by each fold.
	sections [sectionCount]folding
	names    map[name]ItemID
	waiting  map[name][]int   // work that names an item not there yet; agent "" for assigned ids
	holders  map[identity]int // work admitted under an id that others claim too
	spoken   map[int]int      // work admitted of those that say the same, by group
}

// work is one delta in a merge.
type work struct {
	index   int   // in the deltas as given
	second  int64 // of its instant
	entry   *entry
	outcome *Outcome

	contested bool // another delta of this merge has its id and another content
	group     int  // of the deltas of its message that say the same, 0 if it is alone

	said *entry // the recorded delta of its message that says the same

	// What follows is set by each fold.
	draft   *draft         // the item it changes
	fault   *brenner.Error // why it is rejected
	waits   bool           // for the ADD of its provisional target
	repeats *work          // the delta of its message that says the same and was admitted
}

// copyOf is a second copy of a delta in the same merge: it shares the fate of
// the first.
type copyOf struct{ outcome, first *Outcome }

// admit makes the checks that need no artifact.
func (m *merge) admit(deltas []Entry) {
	allowed := map[brenner.ActorName]bool{}
	for _, c := range m.opts.Contributors {
		allowed[c] = true
	}
	m.warnings = map[*entry][]brenner.Diagnostic{}
	m.work = make([]work, 0, len(deltas))
	for _, i := range byInstant(deltas) {
		in, out := &deltas[i], &m.outcomes[i]
		*out = Outcome{DeltaID: in.Delta.DeltaID, MessageID: in.Message, Agent: in.Delta.Agent, Operation: in.Delta.Operation}
		e, warnings, err := m.check(in, len(deltas), allowed)
		if err != nil {
			out.reject(err)
			continue
		}
		e.message, e.rank, e.fresh = in.Message, rankOf(m.priority, in.Delta.Agent), true
		if len(warnings) > 0 {
			m.warnings[e] = warnings
		}
		m.work = append(m.work, work{index: i, second: e.at.Unix(), entry: e, outcome: out})
	}
}

// byInstant gives the places of the deltas roughly in the order in which they
// will be folded. It decides nothing: what is visited in order is allocated in
// order, and the passes to come run through memory instead of about it.
func byInstant(deltas []Entry) []int {
	seconds := make([]int64, len(deltas))
	order := make([]int, len(deltas))
	for i := range deltas {
		order[i] = i
		if t, ok := parseInstant(deltas[i].Delta.Timestamp); ok {
			seconds[i] = t.Unix()
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(seconds[a], seconds[b]) })
	return order
}

func (m *merge) check(in *Entry, count int, allowed map[brenner.ActorName]bool) (*entry, []brenner.Diagnostic, *brenner.Error) {
	if count > brenner.MaxDeltas {
		return nil, nil, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d deltas in one merge", brenner.MaxDeltas).
			WithHint("merge them in several batches")
	}
	if in.Invalid != nil {
		return nil, nil, in.Invalid
	}
	if in.Message != "" && !plain(in.Message) {
		return nil, nil, invalid("", "the message id is too long or has characters that do not show", "")
	}
	said, _ := parseInstant(in.Delta.Timestamp) // compile refuses what is none
	at := effective(said, in.Received, m.opts.NotBefore)
	e, warnings, err := compile(in.Delta, at)
	if err != nil {
		return nil, nil, err
	}
	if !at.Equal(said) {
		warnings = append(warnings, skew(&in.Delta, said, at))
	}
	if m.opts.Contributors != nil && !allowed[in.Delta.Agent] {
		return nil, nil, brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor", in.Delta.Agent).
			At("/agent").WithHint("register the agent, or correct its name")
	}
	return e, warnings, nil
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
	message := "the timestamp lies after the time of receipt, "
	if said.Before(at) {
		message = "the timestamp lies before the start of the session; the delta counts as of its receipt, "
	}
	return brenner.Diagnostic{
		Code: brenner.CodeTimestampSkew, Severity: brenner.SeverityWarning, Subject: d.DeltaID, Pointer: "/timestamp",
		Message: message + FormatInstant(at), Hint: "leave timestamp out: the message supplies it",
	}
}

// sort puts the deltas into D3 order; copies of one delta stay as given. Most
// are told apart by their instant, which is at hand without following a
// pointer.
func (m *merge) sort() {
	slices.SortFunc(m.work, func(a, b work) int {
		if a.second != b.second {
			return cmp.Compare(a.second, b.second)
		}
		if c := compare(a.entry, b.entry); c != 0 {
			return c
		}
		return a.index - b.index
	})
}
