package delta

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
)

// D26: how far a critique has come follows from what is recorded: who changed or killed
// what it names since its critic last wrote, or what its status says.
func TestCritiques_AreOpenUntilWhatTheyAttackIsChanged(t *testing.T) {
	start, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	minute := 0
	said := func(a *Artifact, agent brenner.ActorName, op Operation, target Target, section Section, payload string) *Artifact {
		minute++
		d := Delta{
			DeltaID: fmt.Sprintf("d-%d", minute), Agent: agent, Operation: op, TargetID: target, Section: section, Rationale: "seen",
			Timestamp: fmt.Sprintf("2026-03-14T16:%02d:00Z", minute), Payload: []byte(payload),
		}
		if op == Add && section == HypothesisSlate {
			d.ProvisionalID = fmt.Sprintf("H-NAME-%d", minute)
		}
		return Merge(a, []Entry{{Message: d.DeltaID, Delta: d}}, Options{}).Artifact
	}
	claim := func(a *Artifact) *Artifact {
		return said(a, "Blue", Add, "", HypothesisSlate, `{"claim":"c","mechanism":"m"}`)
	}
	attack := func(a *Artifact, text string) *Artifact {
		return said(a, "Red", Add, "", AdversarialCritique, `{"name":"Weak","attack":"`+text+`","evidence":"as H2 shows"}`)
	}
	base := claim(claim(claim(start))) // H1 to H3
	edit := func(agent brenner.ActorName, item Target) func(*Artifact) *Artifact {
		return func(a *Artifact) *Artifact {
			return said(a, agent, Edit, item, HypothesisSlate, fmt.Sprintf(`{"claim":"c%d"}`, minute))
		}
	}
	put := func(item Target, payload string) func(*Artifact) *Artifact {
		return func(a *Artifact) *Artifact { return said(a, "Blue", Edit, item, HypothesisSlate, payload) }
	}
	kill := func(item Target) func(*Artifact) *Artifact {
		return func(a *Artifact) *Artifact { return said(a, "Blue", Kill, item, HypothesisSlate, `{"reason":"r"}`) }
	}
	critique := func(agent brenner.ActorName, payload string) func(*Artifact) *Artifact {
		return func(a *Artifact) *Artifact { return said(a, agent, Edit, "C1", AdversarialCritique, payload) }
	}
	type steps []func(*Artifact) *Artifact
	for name, c := range map[string]struct {
		attack string
		then   steps
		want   string
	}{
		"nothing came":                                  {"H1 is circular", nil, "open [H1] []"},
		"another was changed":                           {"H1 is circular", steps{edit("Blue", "H2")}, "open [H1] []"},
		"it was changed":                                {"H1 is circular", steps{edit("Blue", "H1")}, "answered [H1] [Blue]"},
		"one of two was changed":                        {"H1, like H3, is circular", steps{edit("Blue", "H3")}, "answered [H1 H3] [Blue]"},
		"only its anchors were changed":                 {"H1 is circular", steps{put("H1", `{"anchors":["log@1"],"labels":["x"]}`)}, "open [H1] []"},
		"only its anchors were replaced":                {"H1 is circular", steps{put("H1", `{"anchors":["log@1"],"anchors_replace":true}`)}, "open [H1] []"},
		"its anchors were changed, as was asked":        {"H1 cites no source", steps{put("H1", `{"anchors":["log@1"]}`)}, "answered [H1] [Blue]"},
		"its anchors were changed, and its words":       {"H1 is circular", steps{put("H1", `{"anchors":["log@1"],"mechanism":"n"}`)}, "answered [H1] [Blue]"},
		"its anchors were changed, naming the critique": {"H1 is circular", steps{put("H1", `{"anchors":["log@1, which C1 had not seen"]}`)}, "answered [H1] [Blue]"},
		"it was changed by the critic":                  {"H1 is circular", steps{edit("Red", "H1")}, "open [H1] []"},
		"it was changed, and pressed":                   {"H1 is circular", steps{edit("Blue", "H1"), critique("Red", `{"attack":"H1 is circular still"}`)}, "open [H1] [] again"},
		"it was changed, and denied":                    {"H1 is circular", steps{edit("Blue", "H1"), critique("Blue", `{"evidence":"it is not"}`)}, "answered [H1] [Blue]"},
		"it was changed, and changed back":              {"H1 is circular", steps{edit("Blue", "H1"), put("H1", `{"claim":"c"}`)}, "open [H1] []"},
		"it was changed, and in part back":              {"H1 is circular", steps{put("H1", `{"claim":"x","mechanism":"y"}`), put("H1", `{"claim":"c"}`)}, "answered [H1] [Blue]"},
		"it was changed back, naming the critique":      {"H1 is circular", steps{edit("Blue", "H1"), put("H1", `{"claim":"c","anchors":["against C1"]}`)}, "answered [H1] [Blue]"},
		"it was changed back and killed":                {"H1 and H3 are circular", steps{edit("Blue", "H1"), put("H1", `{"claim":"c"}`), kill("H1")}, "answered [H1 H3] [Blue]"},
		"it was killed":                                 {"H1 is circular", steps{kill("H1")}, "settled [H1] []"},
		"one of two was killed":                         {"H1 and H3 are circular", steps{kill("H1")}, "answered [H1 H3] [Blue]"},
		"both were killed":                              {"H1 and H3 are circular", steps{kill("H1"), kill("H3")}, "settled [H1 H3] []"},
		"its status says so":                            {"H1 is circular", steps{critique("Red", `{"current_status":"Resolved: measured"}`)}, "settled [H1] []"},
		"its status says that it was met":               {"H1 is circular", steps{critique("Red", `{"current_status":"addressed in part"}`)}, "answered [H1] []"},
		"its status says why it is settled":             {"H1 is circular", steps{critique("Red", `{"current_status":"settled: it does not matter any more, but for its name"}`)}, "settled [H1] []"},
		"its status says that it is settled in part":    {"H1 is circular", steps{critique("Red", `{"current_status":"resolved only in part: the second step is still open"}`)}, "open [H1] []"},
		"its status says that it is settled":            {"H1 is circular", steps{critique("Red", `{"current_status":"Settled by H1 as it reads now. Not its name."}`)}, "settled [H1] []"},
		"its status says no more that it is settled":    {"H1 is circular", steps{critique("Red", `{"current_status":"settled"}`), critique("Red", `{"current_status":"not after all"}`)}, "open [H1] [] again"},
		"its status is by whom it attacks":              {"H1 is circular", steps{critique("Blue", `{"current_status":"settled: it is not"}`)}, "answered [H1] []"},
		"its status is by whom it attacks, denied":      {"H1 is circular", steps{critique("Blue", `{"current_status":"settled"}`), critique("Red", `{"current_status":"open: it is"}`)}, "open [H1] [] again"},
		"its status is by another":                      {"H1 is circular", steps{critique("Green", `{"current_status":"settled"}`)}, "settled [H1] []"},
		"its status is by the critic and whom":          {"H1 is circular", steps{critique("Red", `{"current_status":"settled"}`), critique("Blue", `{"current_status":"settled, thanks"}`)}, "settled [H1] []"},
		"its critic said more before anybody else":      {"H1 is circular", steps{critique("Red", `{"evidence":"more"}`)}, "open [H1] []"},
		"its status says that it is open":               {"H1 is circular", steps{critique("Red", `{"current_status":"unresolved"}`)}, "open [H1] []"},
		"it names what its author calls it":             {"H-NAME-1 is circular", steps{edit("Blue", "H1")}, "answered [H1] [Blue]"},
		"it names nothing, its evidence does":           {"all is circular", steps{edit("Blue", "H2")}, "answered [H2] [Blue]"},
		"its targets are another":                       {"unlike H1, it is circular", steps{critique("Red", `{"targets":["H3"]}`), edit("Blue", "H1")}, "open [H3] []"},
		"its targets are changed":                       {"unlike H1, it is circular", steps{critique("Red", `{"targets":["H3"]}`), edit("Blue", "H3")}, "answered [H3] [Blue]"},
		"its target is a text":                          {"unlike H1, it is circular", steps{critique("Red", `{"targets":"H2 and H3"}`), edit("Blue", "H1")}, "open [H2 H3] []"},
		"its targets are what their author calls them":  {"unlike H2, it is circular", steps{critique("Red", `{"targets":["H-NAME-1"]}`)}, "open [H1] []"},
		"its targets are none that there are":           {"H1 is circular", steps{critique("Red", `{"targets":["H9"]}`)}, "open [H1] []"},
		"it refers to what it refutes":                  {"unlike H1, it is circular", steps{critique("Red", `{"references":[{"session":"RS-1","item":"H3","relation":"refutes"}]}`), edit("Blue", "H1")}, "open [H3] []"},
		"it refers to what it was informed by":          {"H1 is circular", steps{critique("Red", `{"references":[{"session":"RS-1","item":"H3","relation":"informed_by"}]}`)}, "open [H1] []"},
		"it refers to what another session has":         {"H1 is circular", steps{critique("Red", `{"references":[{"session":"RS-2","item":"H3","relation":"refutes"}]}`)}, "open [H1] []"},
	} {
		minute = 10
		a := attack(base, c.attack)
		for _, step := range c.then {
			a = step(a)
		}
		got := Critiques(a, Beside{})
		words := ""
		if len(got) == 1 {
			words = fmt.Sprint(got[0].State, " ", got[0].Of, " ", got[0].By)
			if got[0].Again {
				words += " again"
			}
		}
		if len(got) != 1 || got[0].Item != "C1" || words != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
	if got := Critiques(said(attack(base, "H1"), "Red", Kill, "C1", AdversarialCritique, `{"reason":"wrong"}`), Beside{}); len(got) != 0 {
		t.Errorf("withdrawn: %v", got)
	}
}

// D26: what somebody changed before it was shown a critique is no answer to it, unless it
// names it.
func TestCritiques_AreNotAnsweredByWhatWasUnderWay(t *testing.T) {
	start, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	said := saying()
	before := said(start, "Blue", Add, "", HypothesisSlate, `{"claim":"c","mechanism":"m"}`, "seen")
	attacked := said(before, "Red", Add, "", AdversarialCritique, `{"name":"Weak","attack":"H1 is circular"}`, "seen")
	pressed := said(attacked, "Red", Edit, "C1", AdversarialCritique, `{"attack":"H1 is circular still"}`, "seen")
	edit := func(a *Artifact, why string) *Artifact {
		return said(a, "Blue", Edit, "H1", HypothesisSlate, `{"claim":"d"}`, why)
	}
	for name, c := range map[string]struct {
		now, shown *Artifact
		want       CritiqueState
	}{
		"it was shown":                   {edit(attacked, "seen"), attacked, CritiqueAnswered},
		"it was not shown":               {edit(attacked, "seen"), before, CritiqueOpen},
		"nobody knows what was shown":    {edit(attacked, "seen"), nil, CritiqueAnswered},
		"it was shown before it changed": {edit(pressed, "seen"), attacked, CritiqueOpen},
		"it was shown as it changed":     {edit(pressed, "seen"), pressed, CritiqueAnswered},
		"it is named":                    {edit(attacked, "not circular, as C1 has it"), before, CritiqueAnswered},
		"it is named as its critic does": {edit(attacked, "see C-ROUND"), before, CritiqueAnswered},
		"another is named":               {edit(attacked, "see C12"), before, CritiqueOpen},
		"what it attacks is dead anyway": {said(attacked, "Blue", Kill, "H1", HypothesisSlate, `{"reason":"r"}`, "seen"), before, CritiqueSettled},
	} {
		var asked brenner.ActorName
		got := Critiques(c.now, Beside{Shown: func(agent brenner.ActorName, by time.Time) *Artifact {
			asked = agent
			return c.shown
		}})
		if len(got) != 1 || got[0].State != c.want || asked != "Blue" && asked != "" {
			t.Errorf("%s: %v (asked of %s), want %s", name, got, asked, c.want)
		}
	}
}

// saying merges one delta after the other into documents, a minute apart.
func saying() func(a *Artifact, agent brenner.ActorName, op Operation, target Target, section Section, payload, why string) *Artifact {
	n := 0
	return func(a *Artifact, agent brenner.ActorName, op Operation, target Target, section Section, payload, why string) *Artifact {
		n++
		d := Delta{
			DeltaID: fmt.Sprintf("d-%d", n), Agent: agent, Operation: op, TargetID: target, Section: section, Rationale: why,
			Timestamp: fmt.Sprintf("2026-03-14T16:%02d:00Z", n), Payload: []byte(payload),
		}
		if section == AdversarialCritique && op == Add {
			d.ProvisionalID = "C-ROUND"
		}
		return Merge(a, []Entry{{Message: d.DeltaID, Delta: d}}, Options{}).Artifact
	}
}

// D26: a critique of a hypothesis is answered by another that its author puts in the place of
// that and which names the critique, whoever else names it says nothing to it.
func TestCritiques_AreAnsweredByAnotherHypothesisThatNamesThem(t *testing.T) {
	said := saying()
	start, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range []string{"c", "d"} {
		start = said(start, "Blue", Add, "", HypothesisSlate, `{"claim":"`+claim+`","mechanism":"m"}`, "seen")
	}
	early := said(start, "Blue", Add, "", HypothesisSlate, `{"claim":"e","mechanism":"as C1 says"}`, "seen")
	attack := func(a *Artifact) *Artifact {
		return said(a, "Red", Add, "", AdversarialCritique, `{"name":"Weak","attack":"H1 and H2 are circular"}`, "seen")
	}
	attacked := said(attack(start), "Blue", Kill, "H1", HypothesisSlate, `{"reason":"circular"}`, "seen")
	pressed := func(a *Artifact) *Artifact {
		return said(a, "Red", Edit, "C1", AdversarialCritique, `{"attack":"H1 and H2 are circular, and so is what came of them"}`, "seen")
	}
	instead := func(a *Artifact, agent brenner.ActorName, why string) *Artifact {
		return said(a, agent, Add, "", HypothesisSlate, `{"claim":"e","mechanism":"m"}`, why)
	}
	for name, c := range map[string]struct {
		now  *Artifact
		want CritiqueState
	}{
		"another names it":               {instead(pressed(attacked), "Blue", "as C1 asks"), CritiqueAnswered},
		"it is changed so later":         {said(pressed(instead(attacked, "Blue", "seen")), "Blue", Edit, "H3", HypothesisSlate, `{"claim":"f"}`, "C1 is right"), CritiqueAnswered},
		"another names none":             {instead(pressed(attacked), "Blue", "seen"), CritiqueOpen},
		"it was there before":            {pressed(attack(early)), CritiqueOpen},
		"the critic presses after it":    {pressed(instead(attacked, "Blue", "as C1 asks")), CritiqueOpen},
		"somebody else puts it forward":  {instead(pressed(attacked), "Green", "as C1 asks"), CritiqueOpen},
		"the critic puts another itself": {instead(pressed(attacked), "Red", "as C1 asks"), CritiqueOpen},
	} {
		if got := Critiques(c.now, Beside{}); len(got) != 1 || got[0].State != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// D26: a critique of an artifact, or of a place in one, is answered by a new version of it
// that somebody else wrote.
func TestCritiques_OfArtifactsAreAnsweredByVersions(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 14, 16, minute, 0, 0, time.UTC) }
	start, err := New("RS-1", "Why?", nil, at(0))
	if err != nil {
		t.Fatal(err)
	}
	doc := func(attack, evidence string) *Artifact {
		add := func(n int, section Section, payload string) Entry {
			return Entry{Message: fmt.Sprint(n), Delta: Delta{
				DeltaID: fmt.Sprint(n), Agent: "Red", Operation: Add, Section: section, Rationale: "seen",
				Timestamp: FormatInstant(at(n)), Payload: []byte(payload),
			}}
		}
		return Merge(start, []Entry{
			add(1, HypothesisSlate, `{"claim":"c","mechanism":"m"}`),
			add(10, AdversarialCritique, `{"name":"Weak","attack":"`+attack+`","evidence":"`+evidence+`"}`),
		}, Options{}).Artifact
	}
	log := func(later ...Written) Work {
		return Work{Artifact: "log", Versions: append([]Written{{"Blue", at(5)}}, later...)}
	}
	for name, c := range map[string]struct {
		doc  *Artifact
		work Work
		want string
	}{
		"nothing came":                    {doc("log/F3 is wrong", ""), log(), "open [] [log] [Blue] []"},
		"a version came":                  {doc("log/F3 is wrong", ""), log(Written{"Blue", at(11)}), "answered [] [log] [Blue] [Blue]"},
		"a version came before":           {doc("log/F3 is wrong", ""), log(Written{"Blue", at(9)}), "open [] [log] [Blue] []"},
		"its critic wrote a version":      {doc("log/F3 is wrong", ""), log(Written{"Red", at(11)}), "open [] [log] [Blue] []"},
		"a place in it is no item":        {doc("log/H1 is wrong", ""), log(), "open [] [log] [Blue] []"},
		"an item is attacked as well":     {doc("log/F3 kills H1", ""), log(Written{"Blue", at(11)}), "answered [H1] [log] [Blue] [Blue]"},
		"it is only evidence":             {doc("H1 is wrong", "log/F3"), log(Written{"Blue", at(11)}), "open [H1] [] [] []"},
		"its evidence is all that it has": {doc("all is wrong", "log/F3"), log(), "open [] [log] [Blue] []"},
	} {
		got := Critiques(c.doc, Beside{Works: func(text string) ([]Work, string) {
			if at := strings.Index(text, "log/"); at >= 0 {
				return []Work{c.work}, text[:at] + text[at+len("log/F3"):]
			}
			return nil, text
		}})
		if len(got) != 1 || fmt.Sprintf("%s %v %v %v %v", got[0].State, got[0].Of, got[0].Works, got[0].Against, got[0].By) != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// D19: what a critique is against stands in what agents read under its name, and is nothing
// to be warned about.
func TestCritiques_ShowTheirTargets(t *testing.T) {
	start, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for payload, want := range map[string]string{
		`"targets":["H1","T2"]`: "\nTargets: H1, T2\n", `"targets":"H1"`: "\nTargets: H1\n", `"targets":[1]`: "\nTargets: [1]\n", `"marks":["H1"]`: "\nAlso: marks = [\"H1\"]\n",
	} {
		d := Delta{DeltaID: "d", Agent: "Red", Operation: Add, Section: AdversarialCritique, Rationale: "seen", Timestamp: "2026-03-14T16:00:00Z", Payload: []byte(`{"name":"Weak","attack":"it is",` + payload + `}`)}
		res := Merge(start, []Entry{{Message: "m", Delta: d}}, Options{})
		if p, _ := res.Artifact.Passage("C1"); !strings.Contains(p.Text, want) {
			t.Errorf("%s: %q is not in\n%s", payload, want, p.Text)
		}
		if warned := len(res.About[0]) > 0; warned != strings.Contains(want, "Also") {
			t.Errorf("%s: %v", payload, res.About[0])
		}
	}
}
