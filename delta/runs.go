package delta

import (
	"slices"
	"strings"
	"time"

	"brenner"
)

// Test is how far a test that lives has come (ADR 140).
type Test struct {
	Item  ItemID            `json:"item"`
	By    brenner.ActorName `json:"by"` // who added it
	State TestState         `json:"state"`
	// Running are those who said that they run it, and not yet what came out.
	Running []Run `json:"running,omitzero"`
	// Done are those who said what came out.
	Done []Run `json:"done,omitzero"`
	// Reworded are the hypotheses that were put in other words after it was foretold what
	// it would show under them: expectation and outcome are about the words before.
	Reworded []ItemID `json:"reworded,omitzero"`
	// Rewordings say of each of them what changed.
	Rewordings []string `json:"rewordings,omitzero"`
}

// Run is somebody's run of a test.
type Run struct {
	By brenner.ActorName `json:"by"`
	At time.Time         `json:"at"` // when it was said last
	// Result is the version that has what came out, as it was recorded, if some is named;
	// Newer the one that who ran the test has written of it since, 0 if none, or if that says
	// the same.
	Result string          `json:"result,omitzero"`
	Newer  brenner.Version `json:"newer,omitzero"`
}

// TestState says whether a test still has to be run.
type TestState string

// The states.
const (
	TestPlanned  TestState = "planned"
	TestProposed TestState = "proposed" // a critique asks for it, and nobody has put it up (ADR 170)
	TestRunning  TestState = "running"
	TestRun      TestState = "run" // somebody said what came out
	TestDropped  TestState = "dropped"
)

// Tests says how far the tests that live have come, by what is recorded: who wrote of one
// that it is running, and who what came out. Those that critiques ask for come last, each
// under the id of its critique, until that is settled or a test that lives names it.
func Tests(a *Artifact) []Test {
	var out []Test
	for _, it := range a.sections[atTests].shown(atTests) {
		if it.live() {
			t := it.runs()
			for _, r := range a.Reworded(it) {
				t.Reworded, t.Rewordings = append(t.Reworded, r.Hypothesis), append(t.Rewordings, r.Words())
			}
			out = append(out, t)
		}
	}
	for _, it := range a.sections[atCritiques].shown(atCritiques) {
		if it.live() && strings.TrimSpace(it.Text(proposedTestField)) != "" && saysOf(it.Text("current_status")) != CritiqueSettled && !a.putUp(it) {
			out = append(out, Test{Item: it.ID(), By: it.log[0].agent, State: TestProposed})
		}
	}
	return out
}

// putUp says whether a test that lives names a critique, or is named as the one that it asks for.
func (a *Artifact) putUp(critique *Item) bool {
	for id := range a.namedIn(critique.Text(proposedTestField), a.provisionalNames()) {
		if it, ok := a.Item(id); ok && it.section == atTests && it.live() {
			return true
		}
	}
	return slices.ContainsFunc(a.sections[atTests].shown(atTests), func(it *Item) bool {
		return it.live() && slices.ContainsFunc(it.log, critique.namedBy)
	})
}

func (it *Item) runs() Test {
	t := Test{Item: it.ID(), By: it.log[0].agent, State: TestPlanned}
	for _, e := range it.log {
		d := e.sent()
		says := d.Runs()
		of := func(r Run) bool { return r.By == e.agent }
		switch {
		case says.State == TestRun:
			at := slices.IndexFunc(t.Done, of)
			if at < 0 {
				at, t.Done = len(t.Done), append(t.Done, Run{By: e.agent})
			}
			t.Done[at].At = e.at()
			if says.Result != "" {
				t.Done[at].Result = says.Result
			}
			t.Running = slices.DeleteFunc(t.Running, of)
		case says.State == TestRunning:
			t.Running = append(slices.DeleteFunc(t.Running, of), Run{By: e.agent, At: e.at()})
		case says.State != "":
			t.Running = slices.DeleteFunc(t.Running, of)
		}
	}
	if !it.TellsOutcome() {
		t.Done = nil
	}
	switch {
	case len(t.Done) > 0:
		t.State = TestRun
	case len(t.Running) > 0:
		t.State = TestRunning
	case stateOf(it.Text("status")) == TestDropped:
		t.State = TestDropped
	}
	return t
}

// TellsOutcome says that an item is a test and says what came out of it: that was not taken back.
func (it *Item) TellsOutcome() bool {
	return it.section == atTests && (stateOf(it.Text("status")) == TestRun || strings.TrimSpace(it.Text("last_run")) != "" || len(it.Pairs("last_run"))+len(it.Pairs("actual_outcomes")) > 0)
}

// Says is what a delta says of running a test.
type Says struct {
	State  TestState // "" if nothing
	Result string
}

// Runs says what a delta says of running a test: that it runs, or what came out.
func (d *Delta) Runs() Says {
	if d.Section != DiscriminativeTests || d.Operation == Kill || len(d.Payload) == 0 {
		return Says{}
	}
	var out Says
	ran := false
	for _, p := range objectPairs(string(d.Payload)) {
		switch p.name {
		case "status":
			out.State = stateOf(showValue(p.value, nil))
			ran = ran || out.State == TestRun
		case "actual_outcomes", "last_run":
			ran = ran || p.value[0] == '"' && p.value != `""` ||
				p.value[0] == '{' && slices.ContainsFunc(objectPairs(p.value), func(c pair) bool { return c.value != removed })
			if at := versionIn(p.value); at != "" {
				out.Result = at
			}
		}
	}
	if ran {
		out.State = TestRun
	}
	return out
}

// The words with which a status says that a test runs, was run, or will not be.
var (
	saysRunning = []string{"running", "measuring", "started", "underway", "ongoing"}
	saysWasRun  = []string{
		"run", "ran", "executed", "measured", "done", "complete", "completed", "finished", "passed", "passes", "failed", "fails",
		"confirmed", "supported", "refuted", "falsified",
	}
	saysDropped = []string{"dropped", "abandoned", "withdrawn"}
	auxiliaries = []string{"was", "is", "has", "have", "been", "now", "being", "currently"}
)

// stateOf is the state that a status names, planned if it names none.
func stateOf(status string) TestState {
	for word := range strings.FieldsFuncSeq(strings.ToLower(status), func(r rune) bool { return r > '~' || !letter(byte(r)) }) {
		switch {
		case slices.Contains(auxiliaries, word):
			continue
		case slices.Contains(saysRunning, word):
			return TestRunning
		case slices.Contains(saysWasRun, word):
			return TestRun
		case slices.Contains(saysDropped, word):
			return TestDropped
		}
		break
	}
	return TestPlanned
}

// versionIn is the last version of an artifact that a text names, "" if it names none.
func versionIn(text string) string {
	out := ""
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r > '~' || !letter(byte(r)) && !digit(byte(r)) && !strings.ContainsRune("._-@", r)
	}) {
		if ref, err := brenner.ParseRef(strings.Trim(word, ".-_")); err == nil && ref.Version > 0 {
			out = ref.String()
		}
	}
	return out
}
