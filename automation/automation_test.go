package automation

import (
	"strings"
	"testing"
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
