// Package automation is what a project does by itself, as data: rules that say
// on which event, when, to do what (A1).
//
// A rule is a name, the events it waits for, a filter and one action. There is
// no expression, no command and no code in it, and no action that promotes,
// decides or gives anybody a right. Builtin gives the rules every project starts
// with; a configuration adds rules, changes built-in ones by their name, or
// switches them off (A4).
//
// The package knows rules and events, not how an event is found or an action
// carried out: that is the service's.
package automation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/lazy"
)

// Trigger is a kind of event that a rule waits for.
type Trigger string

// The events. Besides them "every DURATION", such as "every 24h", comes with
// time.
const (
	SessionAnswered Trigger = "session_answered" // everybody who was asked has answered
	SessionCompiled Trigger = "session_compiled"
	Promoted        Trigger = "promoted"
	Demoted         Trigger = "demoted"
	HandedIn        Trigger = "handed_in" // for review, or as the result of a task
	Stale           Trigger = "stale"     // something canonical rests on what moved
	Forked          Trigger = "fork"
	Written         Trigger = "written" // a version
	Logged          Trigger = "reply"   // a raw log
	TaskDone        Trigger = "task_done"
	TaskBlocked     Trigger = "task_blocked"
	StalemateRaised Trigger = "stalemate"
	LessonMoved     Trigger = "lesson" // its counters moved, or it was learned

	// ForkSettled says that a head went out of use, by which a fork may be gone.
	// Only the built-in rule for forks waits for it.
	ForkSettled Trigger = "fork_settled"

	every = "every "
)

// Triggers lists the events.
func Triggers() []Trigger {
	return []Trigger{
		SessionAnswered, SessionCompiled, Promoted, Demoted, HandedIn, Stale, Forked, Written, Logged,
		TaskDone, TaskBlocked, StalemateRaised, LessonMoved,
	}
}

// Period is the time between two events that come with time; false for any
// other trigger.
func (t Trigger) Period() (time.Duration, bool) {
	text, ok := strings.CutPrefix(string(t), every)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= brenner.MinAutomationPeriod
}

// Act is what a rule does.
type Act string

// The acts.
const (
	Task        Act = "task"        // open a task for a role, about what the event is about
	Alignment   Act = "alignment"   // hold it to the brief (C24)
	Assumptions Act = "assumptions" // look for claims that clash with it (C25)
	Gates       Act = "gates"       // let a lesson with enough evidence step up (B6)
	Compile     Act = "compile"     // the session it is about
	Consolidate Act = "consolidate" // look for overlaps and leftovers (C28)
	Notify      Act = "notify"      // tell the person, in the inbox
	Update      Act = "update"      // a task to renew what is stale, for its author's role
	Distil      Act = "distil"      // a task to distil raw logs
	Memo        Act = "memo"        // a task to renew the memo of a module
	Resolve     Act = "resolve"     // a task to resolve a fork
	Judge       Act = "judge"       // a task to look at lessons nobody is sure of
	Harvest     Act = "harvest"     // write the items of a session as artifacts (A5)
)

// Acts lists the acts.
func Acts() []Act {
	return []Act{Task, Alignment, Assumptions, Gates, Compile, Consolidate, Notify, Update, Distil, Memo, Resolve, Judge, Harvest}
}

// onTime are the acts that need nothing an event is about: what a rule can do that
// waits for a time.
var onTime = []Act{Task, Alignment, Assumptions, Gates, Consolidate, Notify}

// Rule is one thing that happens by itself.
type Rule struct {
	Name string `json:"name"`
	// Off switches the rule off.
	Off bool `json:"off,omitzero"`
	// On are the events it waits for.
	On   On     `json:"on,omitempty"`
	When Filter `json:"when,omitzero"`
	Do   Action `json:"do,omitzero"`
	// PerHour bounds how often it fires in an hour; 0: DefaultPerHour.
	PerHour int `json:"per_hour,omitzero"`
}

// On lists events; in a file one may stand alone.
type On []Trigger

// Filter says which events a rule is for; what is empty does not matter.
type Filter struct {
	Type   brenner.TypeName `json:"type,omitzero"`
	Module brenner.Module   `json:"module,omitzero"`
	// Role is the author's.
	Role brenner.Role `json:"role,omitzero"`
	// Count is how many it takes: raw logs that wait to be distilled, versions
	// that are stale, otherwise events since the rule fired last.
	Count int `json:"count,omitzero"`
}

// Action is what a rule does. Only a task has a role, a title and a spec; a
// notification may have a title.
type Action struct {
	Act   Act          `json:"act"`
	Role  brenner.Role `json:"role,omitzero"`
	Title string       `json:"title,omitzero"`
	Spec  string       `json:"spec,omitzero"`
}

// DefaultPerHour is how often a rule fires in an hour at most unless it says
// otherwise.
const DefaultPerHour = 30

// DefaultLogs is how many raw logs wait before somebody is asked to distil them.
const DefaultLogs = 10

// Builtin lists the rules every project starts with (A4).
func Builtin() []Rule {
	return []Rule{
		// first, so that what is stale is seen with what was harvested
		{Name: "harvest", On: On{Promoted}, When: Filter{Type: artifact.TypeSessionArtifact}, Do: Action{Act: Harvest}},
		{Name: "gates", On: On{LessonMoved}, Do: Action{Act: Gates}},
		{Name: "alignment", On: On{HandedIn, Promoted}, Do: Action{Act: Alignment}},
		{Name: "assumptions", On: On{HandedIn, Promoted}, Do: Action{Act: Assumptions}},
		{Name: "update", On: On{Stale}, Do: Action{Act: Update}},
		{Name: "distil", On: On{Logged}, When: Filter{Count: DefaultLogs}, Do: Action{Act: Distil}},
		{Name: "memo", On: On{Written}, Do: Action{Act: Memo}},
		{Name: "forks", On: On{Forked, ForkSettled}, Do: Action{Act: Resolve}},
		{Name: "lessons", On: On{LessonMoved}, Do: Action{Act: Judge}},
	}
}

// InForce is the built-in rules, changed and completed by those of a
// configuration, in that order: what a configuration says of a built-in rule
// takes the place of that part of it. A filter adds to that of the rule.
func InForce(configured []Rule) []Rule {
	rules := Builtin()
	for _, r := range configured {
		i := slices.IndexFunc(rules, func(b Rule) bool { return b.Name == r.Name })
		if i < 0 {
			rules = append(rules, r)
			continue
		}
		rules[i] = rules[i].changed(r)
	}
	for i := range rules {
		rules[i].PerHour = cmp.Or(rules[i].PerHour, DefaultPerHour)
	}
	return rules
}

// changed is a built-in rule as a configuration has it.
func (r Rule) changed(by Rule) Rule {
	r.Off = by.Off
	if len(by.On) > 0 {
		r.On = by.On
	}
	r.When = Filter{
		Type: cmp.Or(by.When.Type, r.When.Type), Module: cmp.Or(by.When.Module, r.When.Module),
		Role: cmp.Or(by.When.Role, r.When.Role), Count: cmp.Or(by.When.Count, r.When.Count),
	}
	if by.Do != (Action{}) {
		r.Do = by.Do
	}
	r.PerHour = cmp.Or(by.PerHour, r.PerHour)
	return r
}

// Version identifies what a rule says (A2).
func (r Rule) Version() brenner.Digest { return canon.Sum(canon.MustMarshal(r)) }

// Period is the shortest time between two events of the rule that come with
// time; 0 if none do.
func (r Rule) Period() time.Duration {
	var shortest time.Duration
	for _, t := range r.On {
		if d, ok := t.Period(); ok && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return shortest
}

var namePattern = lazy.NewPattern(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Check reports everything that is wrong with the rules of a configuration, by
// JSON pointer.
func Check(rules []Rule) []brenner.Diagnostic {
	var found []brenner.Diagnostic
	say := func(at, hint, format string, args ...any) {
		found = append(found, brenner.Diagnostic{Pointer: at, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	if len(rules) > brenner.MaxAutomationRules {
		say("", "", "more than %d rules", brenner.MaxAutomationRules)
		return found
	}
	builtin := Builtin()
	for i, r := range rules {
		at := fmt.Sprintf("/%d", i)
		if !namePattern.MatchString(r.Name) {
			say(at+"/name", "small letters, digits and hyphens, at most 64", "%.80q is no name of a rule", r.Name)
		}
		if slices.ContainsFunc(rules[:i], func(o Rule) bool { return o.Name == r.Name }) {
			say(at+"/name", "", "the rule %.80q is there twice", r.Name)
		}
		n := slices.IndexFunc(builtin, func(b Rule) bool { return b.Name == r.Name })
		before := len(found)
		r.check(at, n >= 0, say)
		if len(found) > before {
			continue
		}
		if n >= 0 {
			if own := builtin[n].When.Type; own != "" && r.When.Type != "" && r.When.Type != own {
				say(at+"/when/type", "leave the type out, or give the rule a name of its own", "the built-in rule %s is for %s only", r.Name, own)
			}
			r = builtin[n].changed(r)
		}
		r.checkTimed(at, say)
	}
	return found
}

// checkTimed refuses what a rule that waits for a time could never do: an instant is
// about nothing, so that no filter matches it and many an act has no subject.
func (r Rule) checkTimed(at string, say func(at, hint, format string, args ...any)) {
	i := slices.IndexFunc(r.On, func(t Trigger) bool { _, timed := t.Period(); return timed })
	switch {
	case i < 0:
	case !slices.Contains(onTime, r.Do.Act):
		hint := "with time come " + words(onTime) + "; this one follows an event"
		if r.Do.Act == Compile {
			hint += ". The setting compile, such as compile: 6h, compiles sessions after a time"
		}
		say(at+"/do/act", hint, "a rule that waits for %s cannot do %s: there is nothing that it would be about", r.On[i], r.Do.Act)
	case r.When != (Filter{}):
		say(at+"/when", "leave it out, or make two rules: one for the events, one for the time", "no filter matches %s: a time has no type, module, role or count", r.On[i])
	}
}

func (r Rule) check(at string, known bool, say func(at, hint, format string, args ...any)) {
	if len(r.On) == 0 && !known {
		say(at+"/on", "one of "+words(Triggers())+", or every 24h", "the rule waits for no event")
	}
	for i, t := range r.On {
		if _, timed := t.Period(); !timed && !slices.Contains(Triggers(), t) {
			say(fmt.Sprintf("%s/on/%d", at, i), fmt.Sprintf("one of %s, or every 24h; the shortest time is %s", words(Triggers()), brenner.MinAutomationPeriod), "%.80q is no event", string(t))
		}
	}
	if r.When.Count < 0 || r.When.Count > brenner.MaxRecordsSearched {
		say(at+"/when/count", "", "%d is not a number from 0 to %d", r.When.Count, brenner.MaxRecordsSearched)
	}
	if r.PerHour < 0 || r.PerHour > brenner.MaxFiringsPerHour {
		say(at+"/per_hour", "", "%d is not a number from 1 to %d", r.PerHour, brenner.MaxFiringsPerHour)
	}
	for _, name := range []struct {
		at, value string
		check     func() error
	}{
		{"/when/type", string(r.When.Type), r.When.Type.Check},
		{"/when/module", string(r.When.Module), r.When.Module.Check},
		{"/when/role", string(r.When.Role), r.When.Role.Check},
		{"/do/role", string(r.Do.Role), r.Do.Role.Check},
	} {
		if err := name.check(); name.value != "" && err != nil {
			say(at+name.at, "", "%s", err.Error())
		}
	}
	r.Do.check(at+"/do", known, say)
}

func (a Action) check(at string, known bool, say func(at, hint, format string, args ...any)) {
	if a == (Action{}) && known {
		return
	}
	switch {
	case !slices.Contains(Acts(), a.Act):
		say(at+"/act", "one of "+words(Acts()), "%.80q is nothing that a rule can do", string(a.Act))
	case a.Act == Task && (a.Role == "" || strings.TrimSpace(a.Title) == ""):
		say(at, "do: {act: task, role: reviewer, title: Look at it, spec: …}", "a task needs a role and a title")
	case a.Act != Task && (a.Role != "" || a.Spec != ""):
		say(at, "", "only a task has a role and a spec")
	case a.Act != Task && a.Act != Notify && a.Title != "":
		say(at, "", "only a task or a notification has a title")
	}
	if utf8.RuneCountInString(a.Title) > brenner.MaxTitleRunes {
		say(at+"/title", "", "a title has at most %d characters", brenner.MaxTitleRunes)
	}
	if len(a.Spec) > brenner.MaxTaskSpecBytes {
		say(at+"/spec", "", "a spec has at most %d bytes", brenner.MaxTaskSpecBytes)
	}
}

func words[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
