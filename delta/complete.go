package delta

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/internal/linediff"

	"github.com/go-json-experiment/json/jsontext"
)

// FieldText is what a field says, or how the passage of it reads that is told of.
type FieldText struct {
	Field string            // claim, or predictions.H2
	By    brenner.ActorName // who wrote it last, "" if nobody did
	At    time.Time
	// DeltaID is that of the delta by which it was written.
	DeltaID string
	Text    string
	// Was is what it said before, of a text that was replaced in part.
	Was string
	// Left are those of several replacements that were not made, since their words do not
	// stand in it once.
	Left []LeftOut
}

// LeftOut is one of several replacements of a text, which the others went without.
type LeftOut struct {
	Pair, Of int // the how manieth of how many
	Why      *brenner.Error
	Near     string // the passage that is nearest to its words
}

// Around is the text as who changed a part of it is told that it reads now: a short one
// whole, of a long one the passages that changed, each on a line, of a long passage where it
// begins and ends.
func (t FieldText) Around() string {
	if out, ok := passagesWith(t.Was, t.Text, leftOut); ok {
		return out
	}
	const whole, near, most = 200, 60, 400
	if utf8.RuneCountInString(t.Text) < whole {
		return t.Text
	}
	was, now := []rune(t.Was), []rune(t.Text)
	from, end := 0, 0 // how much both have at the beginning, and at the end
	for from < min(len(was), len(now)) && was[from] == now[from] {
		from++
	}
	for end < min(len(was), len(now))-from && was[len(was)-1-end] == now[len(now)-1-end] {
		end++
	}
	from, end = max(0, from-near), min(len(now), len(now)-end+near)
	out := string(now[from:end])
	if end-from > most {
		out = string(now[from:from+most/2]) + " […] " + string(now[end-most/4:end])
	}
	if from > 0 {
		out = "…" + out
	}
	if end < len(now) {
		out += "…"
	}
	return out
}

// Partial says whether a delta is an EDIT that replaces parts of texts, or may.
func (e *Entry) Partial() bool {
	if e.Invalid != nil || e.Delta.Operation != Edit || len(e.Delta.Payload) == 0 {
		return false
	}
	parts, _ := cutPayload(&e.Delta)
	return slices.ContainsFunc(parts, payloadPart.completable)
}

// replaces says whether it has to be completed, to be merged.
func (e *Entry) replaces() bool {
	parts, _ := cutPayload(&e.Delta)
	return slices.ContainsFunc(parts, func(p payloadPart) bool { return p.partial })
}

// PartialIn says whether what was sent of a field replaces parts of its text, or of
// those of its cells.
func (e *Entry) PartialIn(field string) bool {
	if len(e.Sent) == 0 {
		return false
	}
	return slices.ContainsFunc(e.sent(), func(p payloadPart) bool { return p.partial && p.member == field })
}

// Stands says whether all that a completed delta put into its texts stands in an
// item, also where a later one wrote the whole text once more.
func (e *Entry) Stands(a *Artifact, id ItemID) bool {
	it, ok := a.Item(id)
	if !ok || len(e.Sent) == 0 {
		return false
	}
	c := completer{doc: a}
	for _, p := range e.sent() {
		if !p.partial {
			return false
		}
		said, err := c.text(it, spot{field: p.field, key: c.resolve(e.Delta.Agent, p.key)}, "")
		all, bad := readReplacements(p.value, "")
		if err != nil || bad != nil {
			return false
		}
		for i, r := range all {
			further := slices.ContainsFunc(all[i+1:], func(next Replacement) bool { return strings.Contains(r.New, next.Old) })
			if now := flat(said.Text); !further && (!strings.Contains(now, flat(r.New)) || flat(r.New) == "" && strings.Contains(now, flat(r.Old))) {
				return false
			}
		}
	}
	return true
}

// flat is a text without its white space at both ends, and with one space for each
// other run of it.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// NewWords is what an EDIT says that was not there: its payload, of a text that it
// replaces parts of only what it puts there.
func (e *Entry) NewWords() jsontext.Value {
	if len(e.Sent) == 0 {
		return e.Delta.Payload
	}
	return joinPayload(e.sent(), func(p *payloadPart) string {
		all, err := readReplacements(p.value, "")
		if err != nil {
			return p.value
		}
		words := make([]string, len(all))
		for i, r := range all {
			words[i] = r.New
		}
		return quote(strings.Join(words, "\n"))
	})
}

// Complete makes EDITs whole that replace parts of texts, of the deltas of one
// message: in place of each replacement stands the whole text that it makes of what
// the field says by then, in the document with all that waits for it and with what
// the message brings before. So a merge need not know of parts, and one follows the
// other however many agents write a text at a time (ADR 0122).
//
// A completed delta counts as of now, after everything that it was made from. One
// whose words do not stand in the text, or stand there more than once, is refused
// alone, with the passage that is nearest. Where its author hears of it at once (told),
// it goes without such a replacement, if others of the same text can be made (ADR 0224).
// Of each delta the texts are given that it makes, or that it was refused for.
func Complete(base *Artifact, queue, message []Entry, now time.Time, told bool, opts Options) ([]Entry, [][]FieldText) {
	ahead, _ := LookAhead(base, queue, opts)
	return ahead.Complete(func() []Entry { return queue }, message, now, told)
}

// Complete is Complete where what all that waits makes of the base is known; what that is,
// is asked for only where it has to be merged again.
func (h *Ahead) Complete(queue func() []Entry, message []Entry, now time.Time, told bool) ([]Entry, [][]FieldText) {
	c := completer{ahead: h, queue: queue, out: slices.Clone(message), now: now, told: told, steps: maxCompleteSteps}
	texts := make([][]FieldText, len(message))
	done := map[string]int{}
	for i := range c.out {
		e := &c.out[i]
		if !e.Partial() {
			continue
		}
		alike := e.likeAs()
		if first, again := done[alike]; again { // sent twice it is meant once (D8)
			old := &c.out[first]
			e.Sent, e.Delta.Payload, e.Delta.Timestamp, e.Received = old.Sent, old.Delta.Payload, old.Delta.Timestamp, old.Received
			texts[i] = texts[first]
			continue
		}
		whole, said, err := c.complete(i)
		if err != nil && !e.replaces() {
			continue // it says all that it has to: a merge decides what becomes of it
		}
		if texts[i] = said; err != nil {
			e.Invalid = err
			continue
		}
		done[alike], *e = i, whole
	}
	return c.out, texts
}

// likeAs is all that a delta says, its id and its place in its message aside.
func (e *Entry) likeAs() string {
	d := e.Delta
	d.DeltaID, d.Seq = "", 0
	return e.Message + "\n" + string(d.canonical())
}

// maxCompleteSteps bounds how much is read while one message is completed: bytes of
// texts, compareSteps for each of those that are compared, and mergeSteps for each delta
// that is merged once more.
const (
	maxCompleteSteps = 64 << 20
	compareSteps     = 16
	mergeSteps       = 1 << 10
)

// completer completes the deltas of one message.
type completer struct {
	ahead *Ahead         // what waits
	queue func() []Entry // the same as deltas
	out   []Entry        // of the message, those in front completed
	now   time.Time
	told  bool // the author hears at once of what is left out
	steps int

	doc    *Artifact // with what waits and the first so many of the message
	merged int
	// made are the texts that this message has made since.
	made map[spot]FieldText
}

// spot is a text of an item.
type spot struct {
	slot
	field, key string
}

// complete makes the delta at a place of the message whole.
func (c *completer) complete(i int) (Entry, []FieldText, *brenner.Error) {
	if err := c.reach(i); err != nil {
		return Entry{}, nil, err
	}
	e := c.out[i]
	parts, err := cutPayload(&e.Delta)
	if err != nil {
		return Entry{}, nil, err
	}
	it, err := c.item(&e)
	if err != nil {
		return Entry{}, nil, err
	}
	at := c.now.UTC()
	if it != nil {
		for _, w := range it.log {
			at = later(at, w.at().Add(time.Nanosecond))
		}
	}
	var texts []FieldText
	made := map[spot]FieldText{}
	sent := slices.Clone(parts) // without what is left out
	for k := range parts {
		p := &parts[k]
		if p.of != nil && it != nil {
			if text, ok := c.keep(it, e.Delta.Agent, p); ok {
				texts = append(texts, text)
			}
		}
		if !p.partial {
			continue
		}
		where := spot{slot{uint8(sectionIndex(e.Delta.Section)), 1}, p.field, c.resolve(e.Delta.Agent, p.key)}
		if it != nil {
			where.number = int32(it.number)
		}
		was, err := c.text(it, where, p.pointer)
		if err == nil {
			at = later(at, was.At.Add(time.Nanosecond))
			was.Was = was.Text
			was, sent[k].value, err = c.replace(was, it, where, p)
		}
		if err != nil {
			if was.Text != "" {
				return Entry{}, []FieldText{was}, err
			}
			return Entry{}, nil, err
		}
		p.value = quote(was.Text)
		texts, made[where] = append(texts, was), was
	}
	if len(texts) == 0 {
		return e, nil, nil // it has all that it would be completed with
	}
	whole := func(p *payloadPart) string { return p.value }
	e.Sent, e.Delta.Payload = e.Delta.Payload, joinPayload(parts, whole)
	if slices.ContainsFunc(texts, func(t FieldText) bool { return len(t.Left) > 0 }) {
		e.Sent = joinPayload(sent, whole)
	}
	e.Delta.Timestamp, e.Received = FormatInstant(at), at
	if len(e.Delta.canonical()) > brenner.MaxDeltaBytes {
		return Entry{}, nil, brenner.Errorf(brenner.CodeLimitExceeded, "the delta would have more than %d bytes with the whole text", brenner.MaxDeltaBytes).
			At("/payload").WithHint("split it into several deltas")
	}
	if _, err := Check(e.Delta); err != nil {
		return Entry{}, nil, asInvalid(err)
	}
	for where, text := range made { // order-free: each has a place of its own
		text.By, text.At, text.DeltaID = e.Delta.Agent, at, e.Delta.DeltaID
		c.made[where] = text
	}
	return e, texts, nil
}

// reach brings the document to where the message is, if what came since is not all
// in what was made of it.
func (c *completer) reach(i int) *brenner.Error {
	fresh := slices.ContainsFunc(c.out[c.merged:i], func(e Entry) bool { return e.Invalid == nil && len(e.Sent) == 0 })
	for k := c.merged; k < i && !fresh; k++ {
		fresh = slices.ContainsFunc(c.out[k].sent(), func(p payloadPart) bool { return !p.partial })
	}
	if c.doc != nil && !fresh {
		return nil
	}
	if c.doc != nil {
		if c.steps -= mergeSteps * (c.ahead.count + i); c.steps < 0 {
			return c.tired()
		}
	}
	c.doc, c.merged, c.made = c.ahead.now, i, map[spot]FieldText{}
	if i == 0 {
		return nil
	}
	next, _, ok := c.ahead.With(c.out[:i])
	if !ok {
		next, _ = LookAhead(c.ahead.base, slices.Concat(c.queue(), c.out[:i]), c.ahead.opts)
	}
	c.doc = next.now
	return nil
}

func (c *completer) tired() *brenner.Error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "the message replaces more parts of texts than one may").
		At("/payload").WithHint("send the rest in a message of its own, or write the whole field")
}

// item finds what a delta changes; nil is the research thread of which nothing
// stands yet.
func (c *completer) item(e *Entry) (*Item, *brenner.Error) {
	section := sectionIndex(e.Delta.Section)
	to, err := readTarget(&e.Delta, section)
	if err != nil {
		return nil, err
	}
	number := to.number
	if to.provisional != "" {
		n, _ := scoped(e.Delta.Agent, to.provisional)
		bound, ok := c.doc.bound(n)
		if !ok || int(bound.section) != section {
			return nil, badTarget(strconv.Quote(clip(to.provisional))+" is no item of "+string(e.Delta.Section)+" yet, so it has no text", "send the ADD first, or write the whole field")
		}
		number = int(bound.number)
	}
	it := c.doc.sections[section].find(number)
	switch {
	case it == nil && section == atThread:
		return nil, nil
	case it == nil:
		return nil, badTarget("there is no "+string(e.Delta.TargetID), "name an item that is there, or its provisional id")
	case !it.live():
		return nil, brenner.Errorf(brenner.CodeTargetKilled, "%s was killed by %s", it.ID(), it.Killed().By).At("/target_id").
			WithHint("add a new item with the content, if it should live again")
	}
	return it, nil
}

// resolve gives the key of a cell, where it is a provisional id.
func (c *completer) resolve(agent brenner.ActorName, key string) string {
	return resolver(func(agent brenner.ActorName, id string) (ItemID, bool) {
		n, _ := scoped(agent, id)
		to, ok := c.doc.bound(n)
		return to.id(), ok
	}).resolve(agent, key)
}

// text gives what a field, or a cell of it, says by now.
func (c *completer) text(it *Item, at spot, pointer string) (FieldText, *brenner.Error) {
	if made, ok := c.made[at]; ok {
		return made, nil
	}
	out := FieldText{Field: at.field}
	if at.key != "" {
		out.Field += "." + at.key
	}
	if it == nil {
		return out, nil
	}
	var value string
	var rival []candidate
	if f := it.field(at.field); f != nil && at.key == "" {
		value, rival = f.value, f.rival()
	}
	for _, cell := range it.mapCells(at.field) {
		if cell.key == at.key && !cell.gone() {
			value, rival = cell.value, cell.rival
		}
	}
	switch {
	case rival != nil:
		return out, brenner.Errorf(brenner.CodeFieldConflict, "%s of %s is in conflict: nothing decides what it says", clip(out.Field), it.ID()).
			At(pointer).WithHint("write the whole field: a later EDIT settles it")
	case value == "":
		return out, nil
	case value[0] != '"':
		return out, invalid(pointer, clip(out.Field)+" of "+string(it.ID())+" is no text", "write the whole field")
	}
	out.Text = unquote(value)
	if e := c.writer(it, at, value); e != nil {
		out.By, out.At, out.DeltaID = e.agent, e.at(), e.id
	}
	return out, nil
}

// writer finds the delta whose write of a field shows.
func (c *completer) writer(it *Item, at spot, value string) (by *entry) {
	for _, e := range it.log {
		for i := range e.writes {
			w := &e.writes[i]
			if c.writesIn(it, e, w, at) && w.value == value && (by == nil || !e.at().Before(by.at())) {
				by = e
			}
		}
	}
	return by
}

// writesIn says whether a write of a delta is of a field, or of a cell of it.
func (c *completer) writesIn(it *Item, e *entry, w *write, at spot) bool {
	known := schemas[it.section].field(at.field)
	return int(w.field) == known && at.key == "" || w.field == unknownField && w.key == at.field ||
		int(w.field) == known && at.key != "" && c.resolve(e.agent, w.key) == at.key
}

// keep adds to the parts of a text that an EDIT names those that its author wrote there
// before, as a map changes key by key (ADR 0182): unless it tells of another run, at
// another time or by another.
func (c *completer) keep(it *Item, agent brenner.ActorName, p *payloadPart) (FieldText, bool) {
	f := it.field(p.field)
	if f == nil || f.rival() != nil {
		return FieldText{}, false
	}
	at := spot{field: p.field}
	by := c.writer(it, at, f.value)
	if by == nil || by.agent != agent {
		return FieldText{}, false
	}
	var before []pair
	for _, was := range objectPairs(string(by.sent().Payload)) {
		if was.name == p.field && was.value[0] == '{' {
			before = objectPairs(was.value)
		}
	}
	now := objectPairs(p.value)
	added := false
	for _, was := range before {
		i := slices.IndexFunc(now, func(n pair) bool { return n.name == was.name })
		switch {
		case i < 0:
			now, added = append(now, was), true
		case (was.name == "at" || was.name == "by") && now[i].value != was.value:
			return FieldText{}, false
		}
	}
	if !added {
		return FieldText{}, false
	}
	var b strings.Builder
	for i, n := range now {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(quote(n.name) + ":" + n.value)
	}
	b.WriteByte('}')
	text, err := joinParts(p.of, b.String())
	if err != nil {
		return FieldText{}, false // what it names is no part: it is refused as it was sent
	}
	p.value = b.String()
	return FieldText{Field: p.field, By: by.agent, At: by.at(), DeltaID: by.id, Text: unquote(text), Was: unquote(f.value)}, true
}

// replace makes the replacements of a part, one after the other. Those that cannot be made
// are left out, where its author is told, and sent is the part without them; else, or where
// none can, it is refused for the first of them, with the passage that is nearest.
func (c *completer) replace(was FieldText, it *Item, at spot, p *payloadPart) (out FieldText, sent string, err *brenner.Error) {
	all, err := readReplacements(p.value, p.pointer)
	if err != nil {
		return FieldText{}, "", err
	}
	raw := []string{p.value}
	if p.value[0] == '[' {
		raw = appendElements(nil, p.value)
	}
	id := ItemID("RT")
	if it != nil {
		id = it.ID()
	}
	name := clip(was.Field) + " of " + string(id)
	var made []string
	for i, r := range all {
		if c.steps -= 4*len(was.Text) + len(r.Old); c.steps < 0 {
			return FieldText{}, "", c.tired()
		}
		now, found := r.apply(was.Text)
		if found == 0 && it != nil { // as it is shown
			now, found = r.apply(c.doc.withIDs(it, was.Text))
		}
		if found == 1 {
			was.Text, made = now, append(made, raw[i])
			continue
		}
		left := LeftOut{Pair: i + 1, Of: len(all)}
		left.Near, left.Why = c.misfit(r, was.Text, name, was, it, at, found)
		pointer := p.pointer + "/old"
		if p.value[0] == '[' {
			pointer = p.pointer + "/" + itoa(i) + "/old"
		}
		left.Why = left.Why.At(pointer)
		was.Left = append(was.Left, left)
	}
	switch {
	case len(was.Left) == 0:
		return was, p.value, nil
	case len(made) == 0 || !c.told:
		failed := was.Left[0]
		if len(all) > 1 {
			failed.Why.Message += "; " + itoa(len(made)) + " of the " + itoa(len(all)) + " pairs fit"
		}
		was.Text, was.Left = failed.Near, nil
		return was, "", failed.Why
	}
	return was, "[" + strings.Join(made, ",") + "]", nil
}

// misfit says why a replacement cannot be made in a text, and where that comes nearest to it.
func (c *completer) misfit(r Replacement, text, name string, was FieldText, it *Item, at spot, found int) (string, *brenner.Error) {
	if found > 1 {
		times := itoa(found) + " times"
		if found == mostCounted {
			times = "often"
		}
		return near(text, r.Old), brenner.Errorf(brenner.CodeAnchorAmbiguous, "the words of old stand in %s %s", name, times).
			WithHint("quote more of what stands around them, so that they stand there once")
	}
	missed := r.missed(text, name, was)
	if now, ok := c.whereItStood(r.Old, text, it, at); ok {
		return now, missed
	}
	if other := c.elsewhere(r.Old, was.Field, it); other != "" {
		missed.Message += "; they stand in " + other
		missed.Hint = "send it for " + other
	}
	return near(text, r.Old), missed
}

// whereItStood gives the passage that stands by now where words stood that were written over:
// from the last text of the field that had them once.
func (c *completer) whereItStood(words, text string, it *Item, at spot) (string, bool) {
	if it == nil || text == "" || utf8.RuneCountInString(text) <= longestNear {
		return "", false // it is shown whole
	}
	for i := len(it.log) - 1; i >= 0; i-- {
		e := it.log[i]
		for k := range e.writes {
			w := &e.writes[k]
			if !c.writesIn(it, e, w, at) || w.value == "" || w.value[0] != '"' {
				continue
			}
			before := unquote(w.value)
			if c.steps -= len(before); c.steps < 0 {
				return "", false
			}
			if occurrences(before, words) == 1 {
				if c.steps -= compareSteps * (len(before) + len(text)); c.steps < 0 {
					return "", false
				}
				return followed(before, text, words)
			}
		}
	}
	return "", false
}

// followed gives the passage of a text that stands where words stood in the text before it,
// with a few words around.
func followed(before, now, words string) (string, bool) {
	old, new := cutWords(before), cutWords(now)
	at := strings.Index(before, words)
	end := at + len(words)
	from, to := len(old), 0 // the words of the text before that these are in
	for i, pos := 0, 0; i < len(old); i++ {
		if pos < end && pos+len(old[i]) > at {
			from, to = min(from, i), i+1
		}
		pos += len(old[i])
	}
	lo, hi := from, to
	for _, c := range linediff.Compare(trimmed(old), trimmed(new)) {
		grown := (c.NewHi - c.NewLo) - (c.OldHi - c.OldLo)
		switch {
		case c.OldHi <= from:
			lo += grown
		case c.OldLo <= from:
			lo = c.NewLo
		}
		switch {
		case c.OldHi < to:
			hi += grown
		case c.OldLo < to:
			hi = c.NewHi
		}
	}
	if lo >= hi {
		return "", false // it was taken out
	}
	const around = 8 // words
	first, last := max(0, lo-around), min(len(new), hi+around)
	out := strings.TrimSpace(brenner.Clip(strings.Join(new[first:last], ""), longestNear))
	if first > 0 {
		out = "…" + out
	}
	if last < len(new) && !strings.HasSuffix(out, "…") {
		out += "…"
	}
	return out, true
}

// missed says that the words of a replacement do not stand in a text.
func (r Replacement) missed(text, name string, was FieldText) *brenner.Error {
	if strings.TrimSpace(text) == "" {
		return brenner.Errorf(brenner.CodeAnchorNotFound, "%s says nothing yet", name).WithHint("write the whole field")
	}
	e := brenner.Errorf(brenner.CodeAnchorNotFound, "the words of old do not stand in %s", name)
	if was.By != "" {
		e.Message += ", which " + string(was.By) + " wrote at " + FormatInstant(was.At.Truncate(time.Second))
	}
	switch {
	case strings.TrimSpace(r.New) != "" && occurrences(text, r.New) > 0:
		e.Message += "; those of new stand there already"
		e.Hint = "leave it out if nothing else was meant"
	case strings.Contains(r.Old, "…") || strings.Contains(r.Old, "..."):
		e.Hint = "old has dots for what was left out: quote it all, or send several pairs"
	default:
		e.Hint = "quote them as they stand there now, letter by letter, or write the whole field"
	}
	return e
}

// elsewhere names the one text in which words stand that do not stand where they were
// looked for: of the same item or, where they are too many to stand there by chance, of
// another.
func (c *completer) elsewhere(words, field string, it *Item) string {
	const inItem, inOther = 2, 4 // so many words at least
	count := len(strings.Fields(words))
	if it == nil || count < inItem {
		return ""
	}
	if at := c.holding(words, it, field); at != "" {
		return at
	}
	if count < inOther {
		return ""
	}
	only := ""
	for _, other := range c.doc.all() {
		if other == it || !other.live() {
			continue
		}
		if at := c.holding(words, other, ""); at != "" {
			if only != "" {
				return ""
			}
			only = at
		}
	}
	return only
}

// holding names the first text of an item, but one, that has words.
func (c *completer) holding(words string, it *Item, but string) string {
	for _, at := range it.texts() {
		text, err := c.text(it, at, "")
		if err != nil || text.Field == but {
			continue
		}
		if c.steps -= len(text.Text); c.steps < 0 {
			return ""
		}
		if strings.Contains(text.Text, words) {
			return clip(text.Field) + " of " + string(it.ID())
		}
	}
	return ""
}

// payloadPart is a member of a payload, or a cell of one that is a map.
type payloadPart struct {
	member string // of the payload
	cell   string // its key as written, "" for a member that is not cut into cells
	value  string // as JSON
	// partial says that the value is a replacement, of the text of a field and key.
	partial    bool
	field, key string
	pointer    string
	// of is the field of which the value has some of the parts, nil if it is none.
	of *Field
}

func (p payloadPart) completable() bool { return p.partial || p.of != nil }

// sent is the payload as it was sent, of a delta that was completed.
func (e *Entry) sent() []payloadPart {
	parts, _ := cutPayload(&Delta{Section: e.Delta.Section, TargetID: e.Delta.TargetID, Payload: e.Sent})
	return parts
}

// cutPayload cuts the payload of an EDIT at what it replaces parts of.
func cutPayload(d *Delta) ([]payloadPart, *brenner.Error) {
	section := sectionIndex(d.Section)
	if section < 0 || len(d.Payload) < 2 || d.Payload[0] != '{' {
		return nil, nil
	}
	schema := &schemas[section]
	_, cell, isCell := strings.Cut(string(d.TargetID), ".")
	isCell = isCell && section == atPredictions
	var out []payloadPart
	for _, p := range objectPairs(string(d.Payload)) {
		part := payloadPart{member: p.name, value: p.value, field: p.name, pointer: inPayload(p.name)}
		i := schema.field(p.name)
		switch {
		case isCell && p.name == "outcome":
			part.partial, part.field, part.key = replacementLike(p.value), "predictions", cell
		case isCell:
		case i >= 0 && schema.Fields[i].Kind == KindOutcomes && p.value[0] == '{':
			if r, err := readReplacement(p.value, part.pointer); err == nil && r.Old != "" {
				part.partial = true
				out = append(out, part)
				return out, invalid(part.pointer, p.name+" is a map of texts", "name the one in which something is replaced: {\"H1\": "+replacementForm+"}")
			}
			cells := objectPairs(p.value)
			if !slices.ContainsFunc(cells, func(in pair) bool { return replacementLike(in.value) }) {
				break
			}
			for _, in := range cells {
				out = append(out, payloadPart{
					member: p.name, cell: in.name, value: in.value, partial: replacementLike(in.value), field: p.name, key: in.name, pointer: inPayload(p.name, in.name),
				})
			}
			continue
		case i >= 0 && schema.Fields[i].Kind == KindText:
			if part.partial = replacementLike(p.value); !part.partial && schema.Fields[i].Parts != nil && p.value[0] == '{' {
				part.of = &schema.Fields[i]
			}
		case i < 0: // kept as it came, unless it is clearly a replacement
			if replacementLike(p.value) {
				_, err := readReplacements(p.value, "")
				part.partial = err == nil
			}
		}
		out = append(out, part)
	}
	return out, nil
}

// joinPayload puts a payload together again, with what is written for what it
// replaces.
func joinPayload(parts []payloadPart, write func(*payloadPart) string) jsontext.Value {
	var b strings.Builder
	b.WriteByte('{')
	for i := range parts {
		p := &parts[i]
		inMap := i > 0 && p.cell != "" && parts[i-1].cell != "" && parts[i-1].member == p.member
		if i > 0 {
			b.WriteByte(',')
		}
		if !inMap {
			b.WriteString(quote(p.member) + ":")
		}
		if p.cell != "" {
			if !inMap {
				b.WriteByte('{')
			}
			b.WriteString(quote(p.cell) + ":")
		}
		if p.partial {
			b.WriteString(write(p))
		} else {
			b.WriteString(p.value)
		}
		if p.cell != "" && (i+1 == len(parts) || parts[i+1].cell == "" || parts[i+1].member != p.member) {
			b.WriteByte('}')
		}
	}
	b.WriteByte('}')
	return jsontext.Value(b.String())
}
