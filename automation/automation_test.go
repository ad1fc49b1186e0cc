package automation

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
)

// A1: a rule is data, and everything that is wrong with one is said by its
// place; what is built in needs neither an event nor an act.
func TestCheck_SaysWhatIsWrongAndWhere(t *testing.T) {
	for at, rule := range map[string]Rule{
		"":              {Name: "distil", When: Filter{Count: 5}},
		"/0/name":       {Name: "Not So", On: On{Promoted}, Do: Action{Act: Notify}},
		"/0/on":         {Name: "own", Do: Action{Act: Notify}},
		"/0/on/0":       {Name: "own", On: On{"every second"}, Do: Action{Act: Notify}},
		"/0/do/act":     {Name: "own", On: On{"every 24h"}, Do: Action{Act: "promote"}},
		"/0/do":         {Name: "own", On: On{Promoted}, Do: Action{Act: Task, Title: "without a role"}},
		"/0/when/count": {Name: "own", On: On{Promoted}, When: Filter{Count: -1}, Do: Action{Act: Notify}},
		"/0/per_hour":   {Name: "own", On: On{Promoted}, PerHour: -1, Do: Action{Act: Notify}},
		"/0/when/role":  {Name: "own", On: On{Promoted}, When: Filter{Role: "a b"}, Do: Action{Act: Notify}},
	} {
		found := Check([]Rule{rule})
		if at == "" && len(found) > 0 || at != "" && (len(found) != 1 || found[0].Pointer != at) {
			t.Errorf("%+v: %+v, want %q", rule, found, at)
		}
	}
	if found := Check([]Rule{{Name: "memo", Off: true}, {Name: "memo"}}); len(found) != 1 || !strings.Contains(found[0].Message, "twice") {
		t.Errorf("the same name twice: %+v", found)
	}
}

// A2: what a rule says has a version, which changes with it.
func TestRule_VersionChangesWithWhatItSays(t *testing.T) {
	seen := map[string]string{}
	for _, r := range InForce([]Rule{{Name: "own", On: On{"every 2h"}, Do: Action{Act: Notify}}}) {
		version := string(r.Version())
		if seen[version] != "" {
			t.Errorf("%s and %s have one version", r.Name, seen[version])
		}
		seen[version] = r.Name
		r.PerHour++
		if string(r.Version()) == version {
			t.Errorf("%s changed, and its version did not", r.Name)
		}
	}
}

// A1: what stands at a bound is allowed, what is one beyond it is refused, and
// every refusal says what would do.
func TestCheck_HoldsItsBounds(t *testing.T) {
	own := func(change func(*Rule)) Rule {
		r := Rule{Name: "own", On: On{Promoted}, Do: Action{Act: Notify}}
		change(&r)
		return r
	}
	task := func(title, spec string) Rule {
		return own(func(r *Rule) { r.Do = Action{Act: Task, Role: "reviewer", Title: title, Spec: spec} })
	}
	for name, c := range map[string]struct {
		rule Rule
		at   string
	}{
		"a count at its bound":              {own(func(r *Rule) { r.When.Count = brenner.MaxRecordsSearched }), ""},
		"a count beyond":                    {own(func(r *Rule) { r.When.Count = brenner.MaxRecordsSearched + 1 }), "/0/when/count"},
		"as often as may be":                {own(func(r *Rule) { r.PerHour = brenner.MaxFiringsPerHour }), ""},
		"more often":                        {own(func(r *Rule) { r.PerHour = brenner.MaxFiringsPerHour + 1 }), "/0/per_hour"},
		"the shortest time":                 {own(func(r *Rule) { r.On = On{Trigger("every " + brenner.MinAutomationPeriod.String())} }), ""},
		"a shorter time":                    {own(func(r *Rule) { r.On = On{Trigger("every " + (brenner.MinAutomationPeriod - 1).String())} }), "/0/on/0"},
		"a task":                            {task("Look", "at it"), ""},
		"a task with a blank title":         {task(" ", "at it"), "/0/do"},
		"a title at its bound":              {task(strings.Repeat("ä", brenner.MaxTitleRunes), ""), ""},
		"a longer title":                    {task(strings.Repeat("ä", brenner.MaxTitleRunes+1), ""), "/0/do/title"},
		"a spec at its bound":               {task("Look", strings.Repeat("x", brenner.MaxTaskSpecBytes)), ""},
		"a longer spec":                     {task("Look", strings.Repeat("x", brenner.MaxTaskSpecBytes+1)), "/0/do/spec"},
		"a notification with a title":       {own(func(r *Rule) { r.Do.Title = "Something moved" }), ""},
		"a notification with a role":        {own(func(r *Rule) { r.Do.Role = "reviewer" }), "/0/do"},
		"a notification with a spec":        {own(func(r *Rule) { r.Do.Spec = "look" }), "/0/do"},
		"a check with a title":              {own(func(r *Rule) { r.Do = Action{Act: Alignment, Title: "Hold it to the brief"} }), "/0/do"},
		"an own rule that does nothing":     {own(func(r *Rule) { r.Do = Action{} }), "/0/do/act"},
		"a built-in rule, otherwise done":   {Rule{Name: "memo", Do: Action{Act: Notify}}, ""},
		"a built-in rule that does wrongly": {Rule{Name: "memo", Do: Action{Act: "promote"}}, "/0/do/act"},
		"a built-in rule for other types":   {Rule{Name: "harvest", When: Filter{Type: "paper_note"}}, "/0/when/type"},
		"a built-in rule for its own type":  {Rule{Name: "harvest", When: Filter{Type: "session_artifact", Module: "core"}}, ""},
		"a check in its time":               {own(func(r *Rule) { r.On, r.Do.Act = On{"every 24h"}, Alignment }), ""},
		"a compile in its time":             {own(func(r *Rule) { r.On, r.Do.Act = On{"every 24h"}, Compile }), "/0/do/act"},
		"a built-in rule in its time":       {Rule{Name: "memo", On: On{"every 24h"}}, "/0/do/act"},
		"a built-in check in its time":      {Rule{Name: "alignment", On: On{"every 24h"}}, ""},
		"a time with a filter":              {own(func(r *Rule) { r.On, r.When.Module = On{Promoted, "every 24h"}, "core" }), "/0/when"},
		"a time with a count":               {own(func(r *Rule) { r.On, r.When.Count = On{"every 24h"}, 3 }), "/0/when"},
	} {
		found := Check([]Rule{c.rule})
		if c.at == "" && len(found) > 0 || c.at != "" && (len(found) != 1 || found[0].Pointer != c.at) {
			t.Errorf("%s: %+v, want %q", name, found, c.at)
		}
	}
	if hint := Check([]Rule{own(func(r *Rule) { r.Do.Act = "fly" })})[0].Hint; !strings.Contains(hint, "task, alignment, ") {
		t.Errorf("the acts there are are not named: %q", hint)
	}
	many := make([]Rule, brenner.MaxAutomationRules)
	for i := range many {
		many[i] = own(func(r *Rule) { r.Name = fmt.Sprintf("own-%d", i) })
	}
	if found := Check(many); len(found) > 0 {
		t.Errorf("as many rules as may be: %+v", found[0])
	}
	if found := Check(append(many, Rule{Name: "memo"})); len(found) != 1 || !strings.Contains(found[0].Message, "more than") {
		t.Errorf("one rule more: %+v", found)
	}
}

// A4: a configuration changes of a built-in rule what it says and leaves the
// rest; the bound in an hour is there without being said.
func TestInForce_ChangesWhatIsSaidAndNothingElse(t *testing.T) {
	find := func(rules []Rule, name string) Rule {
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == name })
		if i < 0 {
			t.Fatalf("there is no rule %s", name)
		}
		return rules[i]
	}
	for _, name := range []string{"harvest", "distil"} { // the first and one in the middle
		was := find(InForce(nil), name)
		if was.PerHour != DefaultPerHour || was.Off {
			t.Errorf("%s is %+v", name, was)
		}
		for what, c := range map[string]struct {
			say  Rule
			want func(*Rule)
		}{
			"off":    {Rule{Off: true}, func(r *Rule) { r.Off = true }},
			"events": {Rule{On: On{Demoted}}, func(r *Rule) { r.On = On{Demoted} }},
			"count":  {Rule{When: Filter{Count: 3}}, func(r *Rule) { r.When.Count = 3 }},
			"filter": {Rule{When: Filter{Module: "core", Role: "writer"}}, func(r *Rule) { r.When.Module, r.When.Role = "core", "writer" }},
			"action": {Rule{Do: Action{Act: Notify}}, func(r *Rule) { r.Do = Action{Act: Notify} }},
			"bound":  {Rule{PerHour: 1}, func(r *Rule) { r.PerHour = 1 }},
		} {
			c.say.Name = name
			want := was
			c.want(&want)
			rules := InForce([]Rule{c.say})
			if got := find(rules, name); !reflect.DeepEqual(got, want) || len(rules) != len(Builtin()) {
				t.Errorf("%s of %s: %+v, want %+v", what, name, got, want)
			}
		}
	}
	own := find(InForce([]Rule{{Name: "own", On: On{Promoted}, PerHour: 2}, {Name: "second", On: On{Promoted}}}), "own")
	if own.PerHour != 2 {
		t.Errorf("an own rule fires %d times an hour", own.PerHour)
	}
	if got := find(InForce(nil), "distil").When.Count; got != 10 {
		t.Errorf("raw logs are distilled from %d on; ten are promised", got)
	}
	if DefaultPerHour != 30 {
		t.Errorf("a rule fires %d times an hour; the guide says 30", DefaultPerHour)
	}
}

// A1: every part of a filter has to agree with the event, and an empty one
// agrees with all.
// A1.a.
func TestMatches_EveryPartOfTheFilter(t *testing.T) {
	e := Event{On: Promoted, Type: "paper_note", Module: "core", Role: "writer"}
	for _, c := range []struct {
		when Filter
		want bool
	}{
		{Filter{}, true},
		{Filter{Type: "paper_note"}, true},
		{Filter{Type: "critique"}, false},
		{Filter{Module: "core"}, true},
		{Filter{Module: "edge"}, false},
		{Filter{Role: "writer"}, true},
		{Filter{Role: "distiller"}, false},
		{Filter{Type: "paper_note", Module: "core", Role: "distiller"}, false},
	} {
		if got := (Rule{On: On{Demoted, Promoted}, When: c.when}).Matches(e); got != c.want {
			t.Errorf("%+v: %t", c.when, got)
		}
	}
	if (Rule{On: On{Demoted}}).Matches(e) || (Rule{On: On{Promoted}, Off: true}).Matches(e) {
		t.Error("a rule that does not wait matches")
	}
}

// A1: a rule of several times comes as often as the shortest says.
func TestPeriod_IsTheShortest(t *testing.T) {
	for _, c := range []struct {
		on   On
		want time.Duration
	}{
		{On{Promoted}, 0},
		{On{Promoted, "every 3h"}, 3 * time.Hour},
		{On{"every 3h", "every 2h"}, 2 * time.Hour},
		{On{"every 2h", "every 3h", Stale}, 2 * time.Hour},
		{On{"every second", "every 1ns"}, 0},
	} {
		if got := (Rule{On: c.on}).Period(); got != c.want {
			t.Errorf("%v: %s, want %s", c.on, got, c.want)
		}
	}
}
