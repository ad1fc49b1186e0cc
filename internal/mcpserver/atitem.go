package mcpserver

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/lazy"
)

// namedItem is an item of a session as texts name it, calledItem as those do whose authors
// have named it before it had an id; itemLine is the line above one in a document, or its
// line in a brief one.
var (
	namedItem  = lazy.NewPattern(`\b(?:RT|[HPTAXC][0-9]{1,3})\b`)
	calledItem = lazy.NewPattern(`\b(?:RT|[HPTAXC](?:[0-9]{1,3}|-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*))\b`)
	itemLine   = lazy.NewPattern(`(?m)^(?:### |- )(RT|[HPTAXC][0-9]{1,3})(?::.*| \[KILLED\].*| · .*)?$`)
)

// mostNamedItems is how many items a task is taken to be about by its words.
const mostNamedItems = 12

// itemsOf are the items that a task is about: those it was asked with, and those that
// its title, but for what it waits for, and what it asks for name; of a word of what
// somebody does next those that it says it is at.
func itemsOf(t api.TaskInfo) []delta.ItemID {
	out, own := slices.Clone(t.Items), t.Own(nil)
	if t.Kind == api.TaskDoing {
		if id := t.HeldItem(); id != "" {
			out = append(out, id)
		}
		runs, writes := atNow(own)
		for _, id := range slices.Concat(runs, writes) {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		return out
	}
	for _, id := range itemsIn(own + "\n" + t.Spec) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// sharing gives the tasks of others that are about an item which is among these. Who
// names tests is at those: what they tell apart others may be at as well.
func sharing(items []delta.ItemID, all []api.TaskInfo, but string) map[delta.ItemID][]api.TaskInfo {
	tests := ofTests(items)
	out := map[delta.ItemID][]api.TaskInfo{}
	for _, t := range all {
		if t.ID == but || t.Kind == api.TaskNote {
			continue
		}
		theirs := itemsOf(t)
		mine := items
		if named := ofTests(theirs); len(tests) > 0 && len(named) > 0 {
			mine, theirs = tests, named
		}
		for _, id := range theirs {
			if slices.Contains(mine, id) {
				out[id] = append(out[id], t)
			}
		}
	}
	return out
}

func ofTests(items []delta.ItemID) []delta.ItemID {
	return slices.DeleteFunc(slices.Clone(items), func(id delta.ItemID) bool { return !strings.HasPrefix(string(id), "T") })
}

// newItem is the line that an item of what has come begins with: of the document, or as
// it is proposed.
var newItem = lazy.NewPattern(`(?m)^(?:### (RT|[HPTAXC][0-9]{1,3})\b|proposed by [^,\n]+, not compiled yet: (?:ADD|EDIT|KILL) [a-z_]+(?: .*?(?:will be|is))? (RT|[HPTAXC][0-9]{1,3})\b).*$`)

// tellsApart is where a test says of what it is.
var tellsApart = lazy.NewPattern(`(?mi)^(?: *(?:discriminates|name):.*|###.*|proposed by .*)$`)

// newAbout are the items of what has come that are among some and were killed, or are
// tests of them.
func newAbout(news string, about []delta.ItemID, tests bool) []delta.ItemID {
	if len(about) == 0 {
		return nil
	}
	var out []delta.ItemID
	starts := newItem.Regexp().FindAllStringSubmatchIndex(news, -1)
	for i, m := range starts {
		end := len(news)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		at := m[2:4]
		if at[0] < 0 {
			at = m[4:6]
		}
		id, block := delta.ItemID(news[at[0]:at[1]]), news[m[0]:end]
		if strings.HasPrefix(block, "proposed by you,") {
			continue
		}
		names := func() bool {
			said := strings.Join(tellsApart.FindAllString(block, -1), "\n")
			return slices.ContainsFunc(namedItem.FindAllString(said, mostNamedItems), func(n string) bool { return slices.Contains(about, delta.ItemID(n)) })
		}
		dead := slices.Contains(about, id) && (strings.Contains(block, "[KILLED]") || strings.Contains(block, "not compiled yet: KILL "))
		if !slices.Contains(out, id) && (dead || tests && strings.HasPrefix(string(id), "T") && names()) {
			out = append(out, id)
		}
	}
	return out
}

// alreadyAt tells who would do something about items who else is at them.
func alreadyAt(mine api.TaskInfo, all []api.TaskInfo, now time.Time) string {
	items := itemsOf(mine)
	if mine.Kind == api.TaskDoing { // who speaks of a test is told who runs it
		for _, id := range ofTests(itemsIn(mine.Own(nil))) {
			if !slices.Contains(items, id) {
				items = append(items, id)
			}
		}
	}
	shared := sharing(items, all, mine.ID)
	var b strings.Builder
	said := 0
	for _, id := range items {
		for _, t := range shared[id] {
			if t.Holder == mine.Holder && t.Holder != "" {
				continue
			}
			if said++; said > mostUnderWay {
				return b.String()
			}
			fmt.Fprintf(&b, "%s: %s; settle who does it before both do\n", id, atThis(t, now))
		}
	}
	return b.String()
}

// besideItems puts below the line of each item of a document who is at it.
func besideItems(text string, all []api.TaskInfo, now time.Time) string {
	at := map[delta.ItemID][]api.TaskInfo{}
	for _, t := range all {
		for _, id := range itemsOf(t) {
			if id == thread && t.Kind != api.TaskDoing && t.Holder == t.Creator {
				continue // whose work it is to say the answer stands there
			}
			at[id] = append(at[id], t)
		}
	}
	if len(at) == 0 || text == "" {
		return text
	}
	return replaceLines(itemLine.Regexp(), text, func(line string, id delta.ItemID) string {
		tasks := at[id]
		delete(at, id) // the first line of an item is its own; another may be somebody's words
		for _, t := range tasks[:min(len(tasks), mostAtItem)] {
			line += "\n" + atThis(t, now)
		}
		if more := len(tasks) - mostAtItem; more > 0 {
			line += fmt.Sprintf("\nand %d more", more)
		}
		return line
	})
}

// mostAtItem is how many tasks stand below one item.
const mostAtItem = 3

// replaceLines writes the lines that a pattern finds anew, each by the item it names.
func replaceLines(pattern *regexp.Regexp, text string, write func(line string, id delta.ItemID) string) string {
	var b strings.Builder
	from := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[from:m[0]])
		b.WriteString(write(text[m[0]:m[1]], delta.ItemID(text[m[2]:m[3]])))
		from = m[1]
	}
	return b.String() + text[from:]
}

// atThis says who is at a task, and since when: one that was announced since it was;
// of another it is known who holds it.
func atThis(t api.TaskInfo, now time.Time) string {
	switch {
	case t.Holder == "":
		return fmt.Sprintf("%s asks for work on this, taken by nobody yet (%s)", t.Creator, t.ID)
	case t.Holder == t.Creator:
		return fmt.Sprintf("%s is at this%s %s (%s)", t.Holder, hasAlone(t), sinceWhen(now.Sub(t.Created)), t.ID)
	}
	return fmt.Sprintf("%s is at this for %s (%s)", t.Holder, t.Creator, t.ID)
}

// sinceWhen is how long something lasts, in words.
func sinceWhen(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "since just now"
	case d < time.Hour:
		return fmt.Sprintf("since %d min", int(d.Minutes()))
	}
	return fmt.Sprintf("since %d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// What says that somebody is at an item: a clause that begins with what it does, so that to
// name an item, or to tell another to run it, is not to be at it (ADR 219).
var (
	clauseEnd = lazy.NewPattern(`[,:()]+|\bthen\b`)
	toRun     = lazy.NewPattern(`(?i)^(?:run|runs|running|rerun|rerunning|measure|measures|measuring|test|tests|testing|try|trying|time|times|timing|bench|benchmarking|profile|profiling|repeat|repeating)\b`)
	toWrite   = lazy.NewPattern(`(?i)^(?:write|writes|writing|edit|edits|editing|rewrite|rewriting|mend|mending|correct|correcting|answer|answering|attack|attacking|settle|settling|draft|drafting)\b`)
	lead      = lazy.NewPattern(`(?i)^(?:(?:i|we|now|next|first|again|am|will|and|i'll|i'm)\s+)*`)
	onlyItems = lazy.NewPattern(`^(?:(?:and|or|the|test|tests|of)\s+|[HPTAXC](?:[0-9]{1,3}|-[A-Z0-9-]+)(?:'s)?[-–.\s]*|RT\s*)+$`)
	testFirst = lazy.NewPattern(`^(?:T(?:[0-9]{1,3}|-[A-Z0-9-]+)[-–.\s]*(?:and\s+)?)+(?:$|(?:as soon as|now|next|again|with|when|after|on)\b)`)
	itemRange = lazy.NewPattern(`\b([HPTAXC])([0-9]{1,3})(?:-|–|\.\.\.?| to )([HPTAXC]?)([0-9]{1,3})\b`)
)

// atNow are the items that words say their author runs, and those that they say it writes.
func atNow(words string) (runs, writes []delta.ItemID) {
	for _, s := range api.Sentences(words) {
		var verb *lazy.Pattern // of the clause before, which a list goes on from
		for i, c := range clauseEnd.Regexp().Split(s, -1) {
			c = strings.TrimSpace(c)
			c = c[len(lead.FindString(c)):]
			switch {
			case toRun.MatchString(c), i == 0 && testFirst.MatchString(c):
				verb = toRun
			case toWrite.MatchString(c):
				verb = toWrite
			case c != "" && !onlyItems.MatchString(c):
				verb = nil
			}
			switch verb {
			case toRun:
				runs = append(runs, itemsIn(c)...)
			case toWrite:
				writes = append(writes, itemsIn(c)...)
			}
		}
	}
	return runs, writes
}

// itemsIn are the items that a text names, each once, with those between the ends of a range.
func itemsIn(text string) []delta.ItemID {
	var out []delta.ItemID
	names := func(id delta.ItemID) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, name := range calledItem.Regexp().FindAllString(text, mostNamedItems) {
		names(delta.ItemID(name))
	}
	for _, m := range itemRange.FindAllStringSubmatch(text, mostNamedItems) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[4])
		for n := from; n <= min(to, from+mostNamedItems) && (m[3] == "" || m[3] == m[1]); n++ {
			names(delta.ItemID(m[1] + strconv.Itoa(n)))
		}
	}
	return out
}

// withAnnounced are tests with those who announced that they are at one.
func withAnnounced(tests []delta.Test, work []api.TaskInfo) []delta.Test {
	out := slices.Clone(tests)
	for i := range out {
		t := &out[i]
		for _, w := range work {
			w.Spec = "" // it may name what it only rests on
			if len(w.Items) > 0 {
				w.Title = "" // as its title may what it leaves to others
			}
			at := func(r delta.Run) bool { return r.By == w.Holder }
			items := itemsOf(w)
			if w.Kind == api.TaskDoing { // to write of a test, or of a critique that wants one, is not to run it
				items, _ = atNow(w.Own(nil))
			}
			if w.Holder == "" || w.Kind == api.TaskNote || !slices.Contains(items, t.Item) || slices.ContainsFunc(slices.Concat(t.Running, t.Done), at) {
				continue
			}
			t.Running = append(slices.Clone(t.Running), delta.Run{By: w.Holder, At: w.Created})
			if t.State == delta.TestPlanned || t.State == delta.TestProposed {
				t.State = delta.TestRunning
			}
		}
	}
	return out
}

// runBefore tells who is at tests which of them others run or have run, as the document
// says; of announced work it is told otherwise.
func runBefore(s api.Service, ctx context.Context, session brenner.SessionID, items []delta.ItemID, me brenner.ActorName) string {
	if items = ofTests(items); len(items) == 0 || session == "" {
		return ""
	}
	v, err := s.Session(ctx, api.SessionRequest{ID: session, Unseen: true, Unasked: true})
	if err != nil {
		return "" // what it is said beside is done
	}
	var b strings.Builder
	for _, t := range v.Tests {
		t.Running = slices.DeleteFunc(slices.Clone(t.Running), func(r delta.Run) bool { return r.By == me })
		t.Done = slices.DeleteFunc(slices.Clone(t.Done), func(r delta.Run) bool { return r.By == me })
		if !slices.Contains(items, t.Item) || len(t.Running)+len(t.Done) == 0 {
			continue
		}
		if t.State = delta.TestRunning; len(t.Done) > 0 {
			t.State = delta.TestRun
		}
		fmt.Fprintf(&b, "already %s; settle who does it before both do\n", api.TestWords([]delta.Test{t}))
	}
	return b.String()
}
