package sessions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"brenner"
	"brenner/api"
	"brenner/claim"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/embed"
)

// What makes two items say nearly the same: how many telling words both use, and
// how large a part of the shorter one's that is; or what they are called.
const (
	twinWords, twinPart = 4, 0.55
	namedWords          = 2
	meantWords          = 9   // telling words: fewer say too little to compare what they mean
	meantNear           = 0.4 // as wholes: what is further apart is not compared word by word

	mostCompared = 300 // newest live items of a section, with each of so many new ones
	mostTwins    = 2   // are named of one
	mostMeant    = 12  // nearest as wholes, whose words are compared by what they mean
	mostDead     = 500 // newest killed items of a section
)

// beside is what a merge brings to light that is no rule of it: whose texts were replaced,
// new items that say nearly what others' say, items that were killed in favour of each
// other, and items that are named and were killed at the same time.
// It changes nothing of what becomes of the deltas.
type beside struct {
	// about has what the author of a delta should hear, by the delta's place.
	about map[int][]brenner.Diagnostic
	// stays has what the author of a delta hears of others that are like its own and are
	// to give way, by the delta's place: in the answer to its reply. When it is compiled
	// a note says so.
	stays map[int][]brenner.Diagnostic
	// notes has what else somebody should hear when it is compiled.
	notes map[brenner.ActorName][]string
	// may says what somebody may be advised to do.
	may func(who brenner.ActorName, op delta.Operation, section delta.Section) bool
	// wanted says whether somebody asked for a change of an item.
	wanted func(who brenner.ActorName, item delta.ItemID) bool
}

// lookBeside compares what a merge made with what was there.
func lookBeside(look outlook, queue []delta.Entry, res delta.Result, may func(brenner.ActorName, delta.Operation, delta.Section) bool, wanted func(brenner.ActorName, delta.ItemID) bool) beside {
	out := besideAll(may, wanted)
	out.replacements(look.base, queue, res)
	out.resolutions(look.base, queue, res)
	out.authors(look)
	out.corrections(look.base, res)
	return out
}

func besideAll(may func(brenner.ActorName, delta.Operation, delta.Section) bool, wanted func(brenner.ActorName, delta.ItemID) bool) beside {
	return beside{about: map[int][]brenner.Diagnostic{}, stays: map[int][]brenner.Diagnostic{}, notes: map[brenner.ActorName][]string{}, may: may, wanted: wanted}
}

// authors finds what the authors of the deltas that are asked about should hear.
func (b beside) authors(look outlook) {
	b.twins(look, saidApart(look))
	b.crossings(look)
	b.deadNames(look)
}

// of is all that the author of a delta should hear, with what the merge found.
func (b beside) of(about []brenner.Diagnostic, place int) []brenner.Diagnostic {
	return slices.Concat(about, b.about[place])
}

func (b beside) warn(place int, code brenner.Code, subject delta.ItemID, message, hint string) {
	b.about[place] = append(b.about[place], brenner.Diagnostic{
		Code: code, Severity: brenner.SeverityWarning, Subject: string(subject), Message: message, Hint: hint,
	})
}

func (b beside) note(who brenner.ActorName, line string) {
	if !slices.Contains(b.notes[who], line) && len(b.notes[who]) < mostDoubts {
		b.notes[who] = append(b.notes[who], line)
	}
}

// pair is two items, in the order of their ids.
type pair [2]delta.ItemID

func pairOf(a, b delta.ItemID) pair {
	if b < a {
		a, b = b, a
	}
	return pair{a, b}
}

// saidApart are the items of which authors say themselves that they are two: a rationale
// names the one in a delta of the other, or both. Where only some deltas are asked about,
// only what these add is looked for.
func saidApart(look outlook) map[pair]bool {
	out := map[pair]bool{}
	wanted := look.added()
	if look.asked != nil && len(wanted) == 0 {
		return out
	}
	for i := range look.size() {
		q := look.at(i)
		why, o := q.entry.Delta.Rationale, &q.outcome
		if why == "" || !o.Recorded() || o.Operation == delta.Kill {
			continue
		}
		if !look.isAsked(i) && !wanted[string(o.Item)] && !slices.ContainsFunc(q.names, func(n string) bool { return wanted[n] }) {
			continue
		}
		named := append(itemsIn(why[:min(len(why), mostLookedThrough)], look.now.NamesIn(why)), o.Item)
		for n, one := range named[:min(len(named), mostDoubts)] {
			for _, other := range named[n+1:] {
				out[pairOf(one, other)] = true
			}
		}
	}
	return out
}

// twins finds what was added although a live item of somebody else says nearly the
// same, or one of the same author just the same: a reply sent again. The lower number
// stays; so one author is told to give way, the other to leave both alone. Of two that an
// author has said to be apart nobody is told.
func (b beside) twins(look outlook, apart map[pair]bool) {
	read := map[delta.Section][]*said{}
	added := look.addedAt()
	lowest := map[delta.Section]int{} // of what was added
	for id := range added {           // order-free: a minimum each
		if it, ok := look.now.Item(id); ok {
			if n, known := lowest[it.Section()]; !known || numberOf(id) < n {
				lowest[it.Section()] = numberOf(id)
			}
		}
	}
	of := func(section delta.Section) []*said {
		if _, done := read[section]; !done {
			read[section] = newestOf(look.now, section, look.standing)
		}
		return read[section]
	}
	for i := range min(look.size(), mostCompared) {
		q := look.at(i)
		o, asked := &q.outcome, look.isAsked(i)
		if o.Operation != delta.Add || o.Status != delta.Applied || !asked && len(added) == 0 {
			continue
		}
		it, ok := look.now.Item(o.Item)
		if !ok || it.Killed() != nil {
			continue
		}
		if first, any := lowest[it.Section()]; !asked && (!any || first >= numberOf(o.Item)) {
			continue // it is told of what was added after the others
		}
		own := look.standing.of(it)
		var before []*said
		for _, other := range of(it.Section()) {
			if other.number >= own.number || len(apart) > 0 && apart[pairOf(other.id, own.id)] {
				continue
			}
			if _, now := added[other.id]; asked || now {
				before = append(before, other)
			}
		}
		if again := slices.IndexFunc(before, func(other *said) bool { return other.again(own, o.Agent) }); again >= 0 {
			hint := "of a reply that was taken in part send what was refused"
			if b.may(o.Agent, delta.Kill, it.Section()) {
				hint = fmt.Sprintf("if it was only sent again, KILL %s; %s", o.Item, hint)
			}
			b.warn(i, brenner.CodeItemAlike, before[again].id, fmt.Sprintf("%s, which you added before, says the same", before[again].id), hint)
			continue
		}
		alike := own.nearest(before, o.Agent)
		for _, t := range alike {
			was := "by " + kernel.Join(t.authors)
			if _, compiled := look.base.Item(t.id); !compiled {
				was = "proposed " + was
			}
			b.warn(i, brenner.CodeItemAlike, t.id, fmt.Sprintf("%s, %s, %s", t.id, was, t.likeness.says()),
				fmt.Sprintf("%s, %s: the lower number stays; if it is another, name %s in the rationale of a delta of it, and this is not raised again",
					t.likeness.condition(), b.giveWay(o.Agent, it.Section(), it.Section(), t.id), t.id))
			if at, now := added[t.id]; now && t.likeness >= nearlySame {
				b.stays[at] = append(b.stays[at], brenner.Diagnostic{
					Code: brenner.CodeItemAlike, Severity: brenner.SeverityWarning, Subject: string(o.Item),
					Message: fmt.Sprintf("%s, proposed by %s, %s", o.Item, o.Agent, t.likeness.says()),
					Hint:    fmt.Sprintf("%s has the lower number and stays; %s is asked to give way", t.id, o.Agent),
				})
			}
			if t.likeness < nearlySame {
				continue // one in five only looks so: nothing is asked of who wrote it first
			}
			for _, a := range t.authors {
				b.note(a, fmt.Sprintf("%s, which %s added, says nearly what %s says, which is yours: %s has the lower number and stays; %s was asked to give way.", o.Item, o.Agent, t.id, t.id, o.Agent))
			}
		}
		if asked {
			b.revived(i, look, it, o.Agent)
			b.repeats(i, it, o.Agent, of, len(alike) > 0, apart, look)
		}
	}
}

// revived finds a killed item that says word for word what was added: that may be done (ids
// are never used again, D4), but not without knowing why it was killed. Who killed it in
// the same breath knows; and what was killed in favour of what is dead too is put up again
// on advice.
func (b beside) revived(place int, look outlook, it *delta.Item, author brenner.ActorName) {
	base, now := look.base, look.now
	if !now.AnyDead(it.Section()) {
		return
	}
	killed := slices.DeleteFunc(now.Items(it.Section()), func(o *delta.Item) bool { return o.Killed() == nil })
	for _, o := range slices.Backward(killed[max(0, len(killed)-mostDead):]) {
		if !sameWords(look.standing.of(o), look.standing.of(it)) {
			continue
		}
		death := o.Killed()
		was, known := base.Item(o.ID())
		heirs := now.Heirs(o)
		lives := func(h *delta.Item) bool { return h.Killed() == nil }
		if death.By == author && (!known || was.Killed() == nil) || len(heirs) > 0 && !slices.ContainsFunc(heirs, lives) {
			return
		}
		hint := "it is taken; say in an EDIT of yours what is different now, and with which evidence"
		if b.may(author, delta.Kill, it.Section()) {
			hint = fmt.Sprintf("if that still holds, KILL %s; else say in an EDIT of it what is different now", it.ID())
		}
		b.warn(place, brenner.CodeItemAlike, o.ID(), fmt.Sprintf("%s, killed by %s%s, said the same", o.ID(), death.By, whoSays(death.Reason)), hint)
		return
	}
}

// sameWords says whether two items say the same word for word, be it set otherwise.
func sameWords(s, o *said) bool {
	return s.text != "" && strings.EqualFold(brenner.OneLine(s.text), brenner.OneLine(o.text))
}

// twin is an item that another is like, and how far.
type twin struct {
	*said
	likeness likeness
}

// nearest are the few of some items, none of them of an author's own, that say nearly the
// same; if there are none, the one that most likely does in other words.
func (s *said) nearest(others []*said, author brenner.ActorName) []twin {
	others = slices.DeleteFunc(slices.Clone(others), func(o *said) bool { return slices.Contains(o.authors, author) })
	var out []twin
	for _, other := range others {
		if len(out) < mostTwins && s.sharesWords(other) && s.like(other) != unlike {
			out = append(out, twin{other, nearlySame})
		}
	}
	if len(out) > 0 || len(s.words) < meantWords {
		return out
	}
	type near struct {
		*said
		how float64
	}
	nearest := make([]near, len(others))
	for i, other := range others {
		nearest[i] = near{other, s.meaning().Near(other.meaning())}
	}
	slices.SortStableFunc(nearest, func(x, y near) int { return cmp.Compare(y.how, x.how) })
	best := twin{likeness: unlike}
	for _, other := range nearest[:min(len(nearest), mostMeant)] {
		if how := s.like(other.said); how > best.likeness {
			best = twin{other.said, how}
		}
	}
	if best.likeness == unlike {
		return nil
	}
	return []twin{best}
}

// again says whether an item of the same author says just the same.
func (s *said) again(o *said, author brenner.ActorName) bool {
	return slices.Contains(s.authors, author) && s.text == o.text && o.text != "" && maps.Equal(s.name, o.name)
}

// ownItems are the live items of somebody in a document, read when they are asked for.
type ownItems struct {
	doc      *delta.Artifact
	of       brenner.ActorName
	standing *standing
	read     map[delta.Section][]*said
}

// alike are those that say nearly what an item that somebody else proposes would say.
func (o *ownItems) alike(id delta.ItemID) []twin {
	it, ok := o.doc.Item(id)
	if !ok || it.Killed() != nil || slices.Contains(it.Authors(), o.of) {
		return nil
	}
	section := it.Section()
	if _, done := o.read[section]; !done {
		if o.read == nil {
			o.read = map[delta.Section][]*said{}
		}
		o.read[section] = slices.DeleteFunc(newestOf(o.doc, section, o.standing), func(s *said) bool { return !slices.Contains(s.authors, o.of) })
	}
	return o.standing.of(it).nearest(o.read[section], "")
}

// repeats finds an anomaly or an assumption that says nearly what a live hypothesis
// of somebody else says: one belongs to it, and is none beside it. What names the
// hypothesis, by its provisional id or its number, is about it; an assumption that was falsified
// says that it is not so; and what only may mean the same is of another kind. Beside
// what is alike in its own section it is said as what it is also said in.
func (b beside) repeats(place int, it *delta.Item, author brenner.ActorName, of func(delta.Section) []*said, beside bool, apart map[pair]bool, look outlook) {
	if s := it.Section(); s != delta.AnomalyRegister && s != delta.AssumptionLedger || it.Text("status") == "falsified" {
		return
	}
	own := look.standing.of(it)
	about := strings.Join(append(it.List("conflicts_with"), it.Text("statement"), it.Text("observation"), it.Text("name"), it.Text("load"), it.Text("implication")), " ")
	named := itemsIn(about, look.now.NamesIn(about))
	others := slices.DeleteFunc(slices.Clone(of(delta.HypothesisSlate)), func(other *said) bool {
		return slices.Contains(named, other.id) || apart[pairOf(other.id, own.id)]
	})
	for _, t := range own.nearest(others, author) {
		if t.likeness < nearlySame {
			continue
		}
		message := fmt.Sprintf("%s, a hypothesis by %s, %s", t.id, kernel.Join(t.authors), t.likeness.says())
		if beside {
			message = fmt.Sprintf("also said in %s, a hypothesis by %s", t.id, kernel.Join(t.authors))
		}
		b.warn(place, brenner.CodeItemAlike, t.id, message,
			fmt.Sprintf("if it is the same, %s; if it is evidence about %s, name that", b.giveWay(author, it.Section(), delta.HypothesisSlate, t.id), t.id))
	}
}

// giveWay says what somebody may do about an item of its own that says what another does.
func (b beside) giveWay(who brenner.ActorName, own, section delta.Section, other delta.ItemID) string {
	edit, kill := b.may(who, delta.Edit, section), b.may(who, delta.Kill, own)
	switch {
	case edit && kill:
		return fmt.Sprintf("EDIT %s with what yours adds and KILL your own", other)
	case edit:
		return fmt.Sprintf("EDIT %s with what yours adds", other)
	case kill:
		return fmt.Sprintf("KILL your own, and what it adds leave to the author of %s as a note", other)
	}
	return fmt.Sprintf("what yours adds leave to the author of %s as a note", other)
}

// said is what an item says, to be compared.
type said struct {
	id      delta.ItemID
	number  int
	authors []brenner.ActorName
	name    map[string]bool
	words   map[string]bool
	called  string
	text    string
	meant   func() *embed.Meaning // read when it is first asked for
}

// saidBy reads an item.
func saidBy(it *delta.Item) *said {
	var parts []string
	for _, field := range []string{"claim", "statement", "condition", "procedure", "observation", "attack", "mechanism"} {
		if text := it.Text(field); text != "" && text != delta.Unsettled {
			parts = append(parts, text)
		}
	}
	name, text := it.Text("name"), strings.Join(parts, ". ")
	return &said{
		id: it.ID(), number: numberOf(it.ID()), authors: it.Authors(),
		name: kernel.TellingWords(name), words: kernel.TellingWords(name + " " + text), called: name, text: text,
		meant: sync.OnceValue(func() *embed.Meaning { return embed.Builtin().Meaning(name + ". " + text) }),
	}
}

// newestOf reads the newest live items of a section.
func newestOf(a *delta.Artifact, section delta.Section, standing *standing) []*said {
	live := liveIn(a, section)
	out := make([]*said, len(live))
	for i, it := range live {
		out[i] = standing.of(it)
	}
	return out
}

// liveIn are the newest live items of a section.
func liveIn(a *delta.Artifact, section delta.Section) []*delta.Item {
	return a.Newest(section, mostCompared)
}

// likeness is how far two items say the same: in much the same words, or, below that, as
// far as their words mean the same.
type likeness float64

// The threshold was chosen on items that say the same in the words of different authors,
// and on such as are about the same subject (testdata/alike.tsv, ADR 146).
const (
	unlike       likeness = 0
	inOtherWords likeness = 0.37
	nearlySame   likeness = 2
)

// says puts it in words, of one of the two.
func (l likeness) says() string {
	if l < nearlySame {
		return "may say the same in other words"
	}
	return "says nearly the same"
}

// condition is when one of the two gives way.
func (l likeness) condition() string {
	if l < nearlySame {
		return "you alone can tell: if it adds nothing to that one"
	}
	return "if it is the same"
}

// like reports whether two items say nearly the same, or may do so in other words. What
// says the contrary in the same words does neither.
func (s *said) like(o *said) likeness {
	var out likeness
	switch {
	case s.sharesWords(o):
		out = nearlySame
	case min(len(s.words), len(o.words)) >= meantWords && s.meaning().Near(o.meaning()) >= meantNear:
		out = likeness(s.meaning().Shared(o.meaning()))
	}
	if out < inOtherWords || claim.Compare(claim.Read(s.text), claim.Read(o.text), nil).Verdict == claim.Opposed {
		return unlike
	}
	return out
}

// sharesWords says whether two items use much the same words, or have the same name.
func (s *said) sharesWords(o *said) bool {
	return kernel.Share(s.words, o.words, twinWords, twinPart) || maps.Equal(s.name, o.name) && len(s.name) >= namedWords
}

// meaning is what the words of an item mean.
func (s *said) meaning() *embed.Meaning { return s.meant() }

// numberOf is the number of an item in its section.
func numberOf(id delta.ItemID) int {
	n, _ := strconv.Atoi(strings.TrimLeft(string(id), "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return n
}

// crossings finds items that were killed in favour of one that is dead as well: by
// two who did so at the same time, or one after the other.
func (b beside) crossings(look outlook) {
	kills := func(q *queued) bool { return q.outcome.Operation == delta.Kill && q.outcome.Status == delta.Applied }
	if look.asked != nil && !slices.ContainsFunc(look.asked, func(i int) bool { return kills(look.at(i)) }) {
		return
	}
	look = look.exactly(func(q *queued) bool {
		return q.entry.Delta.Operation == delta.Kill && strings.Contains(string(q.entry.Delta.TargetID), ".")
	})
	dead := map[delta.Section]map[delta.ItemID]heirs{}
	at := map[delta.ItemID]int{} // the place of the KILL that counts
	for i := range look.size() {
		if q := look.at(i); kills(q) {
			at[q.outcome.Item] = i
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(at), func(x, y delta.ItemID) int { return at[x] - at[y] })[:min(len(at), mostCompared)] {
		it, ok := look.now.Item(id)
		if !ok || it.Killed() == nil || !look.isAsked(at[id]) {
			continue // a cell
		}
		section := it.Section()
		if dead[section] == nil {
			dead[section] = heirsIn(look.now, section)
		}
		b.crossing(id, section, at, dead[section])
	}
}

// heirs are the items that a killed one was killed in favour of, if all of them are dead
// too, and those that the reason names in whatever way.
type heirs struct {
	by              brenner.ActorName
	names, mentions []delta.ItemID
}

// heirsIn reads why the items of a section were killed.
func heirsIn(a *delta.Artifact, section delta.Section) map[delta.ItemID]heirs {
	killed := slices.DeleteFunc(a.Items(section), func(it *delta.Item) bool { return it.Killed() == nil })
	out := map[delta.ItemID]heirs{}
	for _, it := range killed[max(0, len(killed)-mostDead):] {
		h, lives := heirs{by: it.Killed().By}, false
		for _, other := range a.Heirs(it) {
			lives = lives || other.Killed() == nil
			h.names = append(h.names, other.ID())
		}
		if lives {
			h.names = nil
		} else {
			for _, other := range a.Mentions(it) {
				h.mentions = append(h.mentions, other.ID())
			}
		}
		out[it.ID()] = h
	}
	return out
}

// crossing says what is to be said of one item that was just killed.
func (b beside) crossing(id delta.ItemID, section delta.Section, at map[delta.ItemID]int, dead map[delta.ItemID]heirs) {
	own := dead[id]
	again := func() string {
		if b.may(own.by, delta.Add, section) {
			return "if what both say should live, put it up again with an ADD, once"
		}
		return fmt.Sprintf("if what both say should live, who adds to %s puts it up again, once", section)
	}
	for _, other := range slices.SortedFunc(maps.Keys(dead), func(x, y delta.ItemID) int { return numberOf(x) - numberOf(y) }) {
		theirs := dead[other]
		if other == id || theirs.by == own.by {
			continue
		}
		named, names := slices.Contains(own.names, other), slices.Contains(theirs.names, id)
		_, now := at[other]
		switch {
		case named && names, slices.Contains(own.mentions, other) && slices.Contains(theirs.mentions, id): // in whatever way, each names the other
			first, author := id, own.by
			if numberOf(other) < numberOf(id) {
				first, author = other, theirs.by
			}
			up := fmt.Sprintf("a killed item stays dead: %s, who killed the lower number, puts %s up again with an ADD; nobody else does", author, first)
			if !b.may(author, delta.Add, section) {
				up = fmt.Sprintf("a killed item stays dead: who adds to %s puts %s up again, once", section, first)
			}
			b.warn(at[id], brenner.CodeCrossedKills, other, fmt.Sprintf("%s and %s are both dead, each killed in favour of the other by %s and %s", id, other, own.by, theirs.by), up)
		case names:
			b.warn(at[id], brenner.CodeCrossedKills, other, fmt.Sprintf("%s killed %s in favour of %s, which is dead by this", theirs.by, other, id),
				again())
		case named && now:
			b.warn(at[id], brenner.CodeCrossedKills, other, fmt.Sprintf("%s, which the reason names, was killed by %s at the same time", other, theirs.by),
				again())
		default:
			continue
		}
		if !now {
			b.note(theirs.by, fmt.Sprintf("%s, in favour of which you killed %s, was killed by %s: both are dead. %s was asked to put one up again if it should live.", id, other, own.by, own.by))
		}
	}
}

// deadNames finds what deltas that were applied name and somebody else killed in the
// same merge: their authors could not know.
func (b beside) deadNames(look outlook) {
	killed := func(id delta.ItemID) (by brenner.ActorName, dead bool) {
		was, there := look.base.Item(id)
		it, ok := look.now.Item(id)
		if !ok || it.Killed() == nil || there && was.Killed() != nil {
			return "", false
		}
		return it.Killed().By, true
	}
	names := func(q *queued) []delta.ItemID {
		text := ledger.Said(q.entry.Delta.Payload)
		var named []delta.ItemID
		quoted := ledger.Quotations(text)
		for _, at := range namedItem.FindAllStringIndex(text, 100) {
			if !saysDead(text, at[0], at[1]) && !elsewhere(text, at[0]) && (!quoted.Covers(at[0]) || cited(text, at[0], at[1])) {
				named = append(named, delta.ItemID(text[at[0]:at[1]]))
			}
		}
		for _, n := range look.now.NamesIn(text) {
			named = append(named, n.Item)
		}
		return slices.DeleteFunc(named, func(id delta.ItemID) bool { _, dead := killed(id); return !dead })
	}
	if !slices.ContainsFunc(look.queue, func(q *queued) bool { return q.outcome.Operation == delta.Kill }) && len(look.own) == 0 {
		return
	}
	if look.asked != nil {
		if !slices.ContainsFunc(look.asked, func(i int) bool { return len(names(look.at(i))) > 0 }) {
			return
		}
		look = look.exactly(func(*queued) bool { return true })
	}
	type mention struct {
		place int
		items []string
	}
	said := map[brenner.ActorName]map[delta.ItemID]*mention{}
	for i := range look.size() {
		q := look.at(i)
		o := &q.outcome
		if o.Operation == delta.Kill || o.Status != delta.Applied || attacks(q.entry.Delta) {
			continue
		}
		it, ok := look.now.Item(o.Item)
		if !ok || it.Killed() != nil || it.TellsOutcome() {
			continue
		}
		now, _ := look.now.Passage(o.Item) // what was mended since is no news
		var stands []delta.ItemID
		for n, id := range names(q) {
			by, _ := killed(id)
			if n == 0 {
				stands = itemsIn(now.Text, look.now.NamesIn(now.Text))
			}
			if by == o.Agent || id == o.Item || !slices.Contains(stands, id) {
				continue
			}
			if said[o.Agent] == nil {
				said[o.Agent] = map[delta.ItemID]*mention{}
			}
			m := said[o.Agent][id]
			if m == nil {
				if len(said[o.Agent]) == mostDoubts {
					continue
				}
				m = &mention{place: i}
				said[o.Agent][id] = m
			}
			if !slices.Contains(m.items, string(o.Item)) {
				m.items = append(m.items, string(o.Item))
			}
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(said)) {
		for _, id := range slices.Sorted(maps.Keys(said[agent])) {
			m := said[agent][id]
			them := "it"
			if len(m.items) > 1 {
				them = "them"
			}
			by, _ := killed(id)
			b.warn(m.place, brenner.CodeKilledReference, id, fmt.Sprintf("%s is named, and %s killed it at the same time", id, by),
				fmt.Sprintf("EDIT %s to name a live item, or KILL %s too", kernel.FirstIDs(m.items), them))
		}
	}
}

// onlyItsState says that of a critique nothing changed but how far it has come: what rests
// on it stands.
func onlyItsState(base, now *delta.Artifact, id delta.ItemID) bool {
	before, was := base.Item(id)
	after, is := now.Item(id)
	if !was || !is || after.Section() != delta.AdversarialCritique || after.Killed() != nil {
		return false
	}
	return !slices.ContainsFunc(schemaOf(after.Section()), func(f delta.Field) bool { return f.Name != "current_status" && !saysAlike(before, after, f) })
}

// saysAlike says whether a field of an item says the same in two versions.
func saysAlike(before, after *delta.Item, f delta.Field) bool {
	return before.Text(f.Name) == after.Text(f.Name) && slices.Equal(before.List(f.Name), after.List(f.Name)) && slices.Equal(before.Pairs(f.Name), after.Pairs(f.Name))
}

// shownOfChange is how much of what changed in an item stands in a line about it.
const shownOfChange = 200

// corrections tells the authors of live items which of those that they name were changed
// by others, and what: what they wrote may rest on it.
func (b beside) corrections(base *delta.Artifact, res delta.Result) {
	type act struct {
		verb string
		by   []brenner.ActorName
	}
	changed := map[delta.ItemID]*act{}
	for i, o := range res.Outcomes {
		if _, there := base.Item(o.Item); !there || o.Operation == delta.Add || !res.Outcomes[i].Recorded() || onlyItsState(base, res.Artifact, o.Item) {
			continue
		}
		if changed[o.Item] == nil {
			changed[o.Item] = &act{verb: "edited"}
		}
		a := changed[o.Item]
		if o.Operation == delta.Kill {
			a.verb = "killed"
		}
		if !slices.Contains(a.by, o.Agent) {
			a.by = append(a.by, o.Agent)
		}
	}
	if len(changed) == 0 {
		return
	}
	type rests struct {
		on  delta.ItemID
		who brenner.ActorName
	}
	named := map[rests][]string{}
	called := slices.DeleteFunc(res.Artifact.NamesIn(delta.RenderPlain(res.Artifact)), func(n delta.Named) bool { return changed[n.Item] == nil })
	for _, section := range delta.Sections() {
		for _, it := range liveIn(res.Artifact, section) {
			p, _ := res.Artifact.Passage(it.ID())
			for _, id := range namedIn(it, p.Text, called) {
				if changed[id] == nil || id == it.ID() {
					continue
				}
				for _, who := range it.Authors() {
					named[rests{id, who}] = append(named[rests{id, who}], string(it.ID()))
				}
			}
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(named), func(x, y rests) int {
		return cmp.Or(cmp.Compare(x.who, y.who), cmp.Compare(x.on[:1], y.on[:1]), numberOf(x.on)-numberOf(y.on))
	}) {
		a := changed[r.on]
		if others := slices.DeleteFunc(slices.Clone(a.by), func(by brenner.ActorName) bool { return by == r.who }); len(others) > 0 {
			name := "names"
			if len(named[r]) > 1 {
				name = "name"
			}
			foretells := func(id string) bool {
				it, ok := res.Artifact.Item(delta.ItemID(id))
				return ok && (it.Section() == delta.DiscriminativeTests || it.Section() == delta.PredictionsTable)
			}
			stays := ""
			if a.verb == "killed" && slices.ContainsFunc(named[r], foretells) {
				stays = api.StaysRecord
			}
			b.note(r.who, fmt.Sprintf("%s, which your %s %s, was %s by %s%s%s%s%s", r.on, kernel.FirstIDs(named[r]), name, a.verb, kernel.Join(others), stays,
				foretoldBefore(base, res.Artifact, r.on, named[r]), api.ChangeSaid, whatChanged(base, res.Artifact, r.on)))
		}
	}
}

// foretoldBefore says of an item which of some tests foretold what they would show under it
// before it was put in other words by a merge.
func foretoldBefore(base, now *delta.Artifact, id delta.ItemID, named []string) string {
	var tests []string
	for _, name := range named {
		test, ok := now.Item(delta.ItemID(name))
		if !ok || !isReworded(now, test, id) {
			continue
		}
		if was, known := base.Item(test.ID()); !known || !isReworded(base, was, id) {
			tests = append(tests, name)
		}
	}
	if len(tests) == 0 {
		return ""
	}
	return fmt.Sprintf("; what %s foretold under it stands for its words before", kernel.FirstIDs(tests))
}

func isReworded(doc *delta.Artifact, test *delta.Item, id delta.ItemID) bool {
	return slices.ContainsFunc(doc.Reworded(test), func(r delta.Rewording) bool { return r.Hypothesis == id })
}

// itemsIn are the items that a text names, each once. What it quotes are the words of
// others, and no names.
func itemsIn(text string, called []delta.Named) []delta.ItemID {
	var out []delta.ItemID
	quoted := ledger.Quotations(text)
	for _, at := range namedItem.FindAllStringIndex(text, -1) {
		if !elsewhere(text, at[0]) && (!quoted.Covers(at[0]) || cited(text, at[0], at[1])) {
			out = append(out, delta.ItemID(text[at[0]:at[1]]))
		}
	}
	for _, n := range called {
		for from := 0; ; {
			at := strings.Index(text[from:], n.Name)
			if at < 0 {
				break
			}
			at, from = from+at, from+at+len(n.Name)
			if !quoted.Covers(at) || cited(text, at, from) {
				out = append(out, n.Item)
				break
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// namedIn are the items that an item names: in its words, and as what its fields are of,
// whatever these say.
func namedIn(it *delta.Item, text string, called []delta.Named) []delta.ItemID {
	out := itemsIn(text, called)
	for _, f := range schemaOf(it.Section()) {
		if !f.Items {
			continue
		}
		for _, id := range it.List(f.Name) {
			out = append(out, delta.ItemID(id))
		}
		for _, pair := range it.Pairs(f.Name) {
			out = append(out, delta.ItemID(pair.Key))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// schemaOf are the fields of the items of a section.
func schemaOf(section delta.Section) []delta.Field {
	for _, s := range delta.Schemas() {
		if s.Section == section {
			return s.Fields
		}
	}
	return nil
}

// whatChanged says in a line what became of an item.
func whatChanged(base, now *delta.Artifact, id delta.ItemID) string {
	for _, p := range delta.Changes(now, delta.Part{Since: base, Items: []delta.ItemID{id}}) {
		_, lines, _ := strings.Cut(strings.TrimPrefix(p.Text, "\n"), "\n")
		return brenner.ClipWords(brenner.OneLine(strings.TrimSpace(lines)), shownOfChange)
	}
	return "it says the same"
}
