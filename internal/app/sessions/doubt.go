package sessions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/claim"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// namedItem is an item as texts name it.
var namedItem = lazy.NewPattern(`\b[A-Z]{1,2}[0-9]{1,4}\b`)

// mostDoubts bounds what is said of one reply.
const mostDoubts = 12

// doubt adds to what is said of the deltas of a reply what they name that was
// killed, is not there, or was changed by others since their author read it, each
// once. Of items that do not exist the merge tells.
func doubt(c *kernel.Call, info api.SessionInfo, out *api.Submission, entries []delta.Entry) error {
	if c.Person() || len(entries) == 0 {
		return nil
	}
	head, doc, err := sessionArtifact(c, info.ID, 0)
	if err != nil {
		return err
	}
	d := doubts{call: c, session: info.ID, info: info, message: out.Message, doc: doc, author: out.Agent, results: resultsIn(entries), touched: map[delta.Target]bool{}, also: map[string][]string{}}
	for _, e := range entries {
		d.touched[e.Delta.TargetID] = true
	}
	through, err := c.Newest()
	if err != nil {
		return err
	}
	if version := lastShown(through, info.ID); version > 0 && version < head.Version {
		if d.known, err = documentIn(c, brenner.Ref{Artifact: head.Artifact, Version: version}); err != nil {
			return err
		}
		if d.known != nil {
			out.Known = version
		}
	}
	for i, e := range entries {
		if e.Invalid != nil || i >= len(out.Deltas) {
			continue
		}
		found, err := d.of(e)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			out.Deltas[i].Warnings = slices.Concat(out.Deltas[i].Warnings, found)
		}
	}
	for i := range out.Deltas {
		for j := range out.Deltas[i].Warnings {
			if w := &out.Deltas[i].Warnings[j]; w.Code == brenner.CodeKilledReference && len(d.also[w.Subject]) > 0 {
				w.Message += "; likewise in " + kernel.FirstIDs(d.also[w.Subject])
			}
		}
	}
	return nil
}

// doubts are about what the deltas of one reply name.
type doubts struct {
	call    *kernel.Call
	session brenner.SessionID
	info    api.SessionInfo
	message string
	doc     *delta.Artifact
	tests   []delta.Test    // as they were before the reply, once they are asked for
	known   *delta.Artifact // what the author read last, if the document has moved since
	author  brenner.ActorName
	results map[delta.Target]bool // the tests whose results are in the reply
	touched map[delta.Target]bool // what the reply changes
	said    []string
	also    map[string][]string // by what was killed, which other deltas name it
}

// of lists the doubts about one delta that were not said of another.
func (d *doubts) of(e delta.Entry) ([]brenner.Diagnostic, error) {
	one, text := e.Delta, ledger.Said(e.NewWords())
	found, err := ledger.NamedVersions(d.call, text, brenner.ArtifactID(d.session))
	if err != nil {
		return nil, err
	}
	found = d.withoutKnown(e, found)
	again, err := d.runAgain(one)
	if err != nil {
		return nil, err
	}
	found = slices.Concat(found, d.foretold(one), d.together(one), d.reworded(one), d.observed(one), d.keyed(one), d.unproven(one), d.unobserved(one, text), d.ahead(one), d.left(one), d.unseenTests(one), again)
	var labels map[string]bool
	quoted := ledger.Quotations(text)
	for _, at := range namedItem.FindAllStringIndex(text, 100) {
		name := text[at[0]:at[1]]
		if delta.Target(name) == one.TargetID || quoted.Covers(at[0]) || isPlace(text, at[1]) || elsewhere(text, at[0]) {
			continue
		}
		it, ok := d.doc.Item(delta.ItemID(name))
		if !ok || it.Killed() != nil && (one.Operation == delta.Kill || attacks(one) || saysResult(one) || saysDead(text, at[0], at[1]) || inRange(text, at[0])) {
			continue
		}
		of := d.about(it)
		if len(of) > 0 {
			if labels == nil {
				if labels, err = ledger.LabelsIn(d.call, text); err != nil {
					return nil, err
				}
			}
			if labels[name] {
				continue // it may be a place in what the text cites
			}
		}
		found = append(found, of...)
	}
	by := cmp.Or(string(one.TargetID), one.ProvisionalID, one.DeltaID)
	return slices.DeleteFunc(found, func(f brenner.Diagnostic) bool {
		again := slices.Contains(d.said, f.Subject) || len(d.said) == mostDoubts
		if !again {
			d.said = append(d.said, f.Subject)
			d.also[f.Subject] = []string{}
		} else if also, ok := d.also[f.Subject]; ok && f.Code == brenner.CodeKilledReference && !slices.Contains(also, by) {
			d.also[f.Subject] = append(also, by)
		}
		return again
	}), nil
}

// measured are the fields that say what was measured: the version that they name is the one
// that was, whatever became of it.
var measured = []string{"last_run", "observed", "actual_outcomes", "evidence"}

// withoutKnown leaves out that a version has moved which a delta names as what was measured,
// or which the item that it changes named before.
func (d *doubts) withoutKnown(e delta.Entry, found []brenner.Diagnostic) []brenner.Diagnostic {
	isMoved := func(f brenner.Diagnostic) bool { return f.Code == brenner.CodeReferenceMoved }
	if !slices.ContainsFunc(found, isMoved) {
		return found
	}
	var before []string
	if it, ok := d.doc.Item(delta.ItemID(e.Delta.TargetID)); ok && e.Delta.Operation == delta.Edit {
		p, _ := d.doc.Passage(it.ID())
		before = ledger.VersionsIn(p.Text)
	}
	var fields map[string]jsontext.Value
	if json.Unmarshal(e.NewWords(), &fields) != nil {
		return found
	}
	for _, name := range measured {
		delete(fields, name)
	}
	var rest strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		rest.WriteString(ledger.Said(fields[name]))
	}
	named := ledger.VersionsIn(rest.String())
	return slices.DeleteFunc(found, func(f brenner.Diagnostic) bool {
		return isMoved(f) && (slices.Contains(before, f.Subject) || !slices.Contains(named, f.Subject))
	})
}

// dead is how a text says itself of what it names that it lives no more.
var dead = lazy.NewPattern(`(?i)\b(?:kill(?:ed|s)?|dead|dropped|gone|withdrawn|retired|given up|no longer)\b`)

// saysDead says whether the sentence around a name says that what it names is dead.
func saysDead(text string, from, to int) bool {
	const near = 60
	start, end := max(0, from-near), min(len(text), to+near)
	start += strings.LastIndexAny(text[start:from], ".;\n") + 1 // none is -1
	if i := strings.IndexAny(text[to:end], ".;\n"); i >= 0 {
		end = to + i
	}
	return dead.MatchString(text[start:end])
}

// attacks says whether a delta is of a critique: what it is about may well be dead, and
// because of it.
func attacks(one delta.Delta) bool { return one.Section == delta.AdversarialCritique }

// saysResult says whether a delta says what came out of a test: that may be about what it
// killed.
func saysResult(one delta.Delta) bool {
	var payload struct {
		Actual map[string]jsontext.Value `json:"actual_outcomes"`
	}
	return one.Operation == delta.Edit && one.Section == delta.DiscriminativeTests && json.Unmarshal(one.Payload, &payload) == nil && len(payload.Actual) > 0
}

// ranges are items from one to another, such as H1-H4.
var ranges = lazy.NewPattern(`\b[A-Z]{1,2}[0-9]{1,4}(?: ?(?:-|–|—|…|\.\.\.?) ?| to )(?:[A-Z]{1,2})?[0-9]{1,4}\b`)

// inRange says whether a name stands for one end of a range: that is about all of them,
// and not about the one.
func inRange(text string, from int) bool {
	return slices.ContainsFunc(ranges.FindAllStringIndex(text, -1), func(at []int) bool { return at[0] <= from && from < at[1] })
}

// isPlace says whether what ends somewhere in a text goes on with a number, such as T1.3:
// that is a place in something else.
func isPlace(text string, to int) bool {
	return to+1 < len(text) && text[to] == '.' && '0' <= text[to+1] && text[to+1] <= '9'
}

// cited says whether a name stands alone between backquotes, which quotes nothing.
func cited(text string, from, to int) bool {
	return from > 0 && text[from-1] == '`' && to < len(text) && text[to] == '`'
}

// elsewhere says whether a name is that of something in another document, as H1 is in
// RS-lineage/H1; in H1/H2 it is not.
func elsewhere(text string, at int) bool {
	before, slash := strings.CutSuffix(text[:at], "/")
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })+1:]
	return slash && word != "" && namedItem.FindString(word) != word
}

// foretold doubts a change of what a test was expected to show, once it was run
// under that hypothesis: what was foretold is worth something as long as it stands.
func (d *doubts) foretold(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Expected map[string]jsontext.Value `json:"expected_outcomes"`
	}
	it, ok := d.doc.Item(delta.ItemID(one.TargetID))
	if one.Operation != delta.Edit || one.Section != delta.DiscriminativeTests || !ok || json.Unmarshal(one.Payload, &payload) != nil {
		return nil
	}
	var changed []string
	for _, ran := range it.Pairs("actual_outcomes") {
		before, was := foretoldOf(it, ran.Key)
		if now, is := payload.Expected[ran.Key]; is && was && string(now) != string(before) { // who puts it back is right
			changed = append(changed, ran.Key)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return []brenner.Diagnostic{{
		Code: brenner.CodeForetoldLater, Severity: brenner.SeverityWarning, Subject: string(it.ID()) + " expected_outcomes",
		Message: fmt.Sprintf("%s was run, and its expected_outcomes under %s are changed afterwards", it.ID(), kernel.Join(changed)),
		Hint:    "let stand what was foretold, and say what came out in actual_outcomes; a new expectation belongs into a new test",
	}}
}

// reworded doubts that a hypothesis claims something else once tests have foretold what
// they would show under it, unless they foretell it anew in the same reply.
func (d *doubts) reworded(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Claim     any `json:"claim"`
		Mechanism any `json:"mechanism"`
	}
	it, ok := d.doc.Item(delta.ItemID(one.TargetID))
	if one.Operation != delta.Edit || one.Section != delta.HypothesisSlate || !ok || json.Unmarshal(one.Payload, &payload) != nil {
		return nil
	}
	says := func(field string, now any) bool {
		text, is := now.(string)
		return is && !delta.SameWords(it.Text(field), text)
	}
	claims := says("claim", payload.Claim)
	if !claims && !says("mechanism", payload.Mechanism) {
		return nil
	}
	var tests, unrun []string
	for _, t := range d.doc.Tested(it.ID()) {
		if d.touched[delta.Target(t.ID())] {
			continue
		}
		tests = append(tests, string(t.ID()))
		if len(t.Pairs("actual_outcomes")) == 0 && t.Text("last_run") == "" {
			unrun = append(unrun, string(t.ID()))
		}
	}
	if len(tests) == 0 {
		return nil
	}
	now, _ := payload.Claim.(string)
	hint := "what changed is said beside it"
	switch {
	case !claims || narrows(it.Text("claim"), now): // it is the same hypothesis
		if len(unrun) == 0 {
			return nil // what changed is said beside it, and nothing is to be done
		}
		hint += d.foretellAnew(unrun)
	case d.doc.Live(delta.HypothesisSlate) >= delta.MostHypotheses():
		hint += fmt.Sprintf("; if it claims something else now, KILL it with why, and ADD that in its place: %d live at a time", delta.MostHypotheses())
	default:
		hint += "; if it claims something else now, ADD that as another hypothesis"
	}
	return []brenner.Diagnostic{{
		Code: brenner.CodeForetoldLater, Severity: brenner.SeverityWarning, Subject: string(it.ID()) + " reworded",
		Message: fmt.Sprintf("what %s foretold under %s was foretold before this change", kernel.FirstIDs(tests), it.ID()),
		Hint:    hint,
	}}
}

// observed doubts that a row of predictions says something else once it was said what was
// observed of it, unless that is said anew.
func (d *doubts) observed(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Condition   any                       `json:"condition"`
		Predictions map[string]jsontext.Value `json:"predictions"`
		Observed    jsontext.Value            `json:"observed"`
	}
	row, ok := d.doc.Item(delta.ItemID(one.TargetID))
	if one.Operation != delta.Edit || one.Section != delta.PredictionsTable || !ok || json.Unmarshal(one.Payload, &payload) != nil || payload.Observed != nil || strings.TrimSpace(row.Text("observed")) == "" {
		return nil
	}
	var changed []string
	if now, is := payload.Condition.(string); is && !delta.SameWords(row.Text("condition"), now) {
		changed = append(changed, "condition")
	}
	for _, was := range row.Pairs("predictions") {
		var now string
		if json.Unmarshal(payload.Predictions[was.Key], &now) == nil && !delta.SameWords(was.Value, now) {
			changed = append(changed, "what it foretells under "+was.Key)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return []brenner.Diagnostic{{
		Code: brenner.CodeForetoldLater, Severity: brenner.SeverityWarning, Subject: string(row.ID()) + " observed",
		Message: fmt.Sprintf("what was observed of %s was observed before this change of its %s", row.ID(), kernel.Join(changed)),
		Hint:    "say in observed what was observed with that, or put it into another row",
	}}
}

// narrows says whether a claim says all that another said, and more: that holds of less.
func narrows(was, now string) bool {
	before, after := kernel.TellingWords(was), kernel.TellingWords(now)
	for word := range before {
		if !after[word] {
			return false
		}
	}
	return len(before) > 0 && len(after) > len(before) && claim.Compare(claim.Read(was), claim.Read(now), nil).Verdict != claim.Opposed
}

// foretellAnew says what may be done with tests that were not run when a hypothesis is said
// more exactly.
func (d *doubts) foretellAnew(unrun []string) string {
	roles := rolesIn{call: d.call, session: d.info}
	if roles.may(d.author, delta.Edit, delta.DiscriminativeTests) {
		return fmt.Sprintf("; where it foretells something else now, EDIT expected_outcomes of %s before it is run", kernel.FirstIDs(unrun))
	}
	return fmt.Sprintf("; where it foretells something else now, ask who wrote %s with a note to say so before it is run", kernel.FirstIDs(unrun))
}

// outcomesBy are the fields that say something under each hypothesis.
var outcomesBy = []string{"predictions", "expected_outcomes", "actual_outcomes"}

// keyed doubts outcomes under something that is no hypothesis, such as the critique that asks
// for a test: nothing foretells under it, and no column has it.
func (d *doubts) keyed(one delta.Delta) []brenner.Diagnostic {
	var payload map[string]jsontext.Value
	if one.Operation == delta.Kill || json.Unmarshal(one.Payload, &payload) != nil {
		return nil
	}
	for _, field := range outcomesBy {
		var under map[string]jsontext.Value
		if json.Unmarshal(payload[field], &under) != nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(under)) {
			it, ok := d.doc.Item(delta.ItemID(key))
			if !ok || it.Section() == delta.HypothesisSlate || string(under[key]) == "null" {
				continue
			}
			instead := "the hypotheses that foretell something"
			for _, c := range delta.Critiques(d.doc, delta.Beside{}) {
				of := slices.DeleteFunc(slices.Clone(c.Of), func(id delta.ItemID) bool { return !strings.HasPrefix(string(id), "H") })
				if c.Item == it.ID() && len(of) > 0 {
					instead = fmt.Sprintf("%s, which %s is against", kernel.FirstIDs(kernel.Strings(of)), key)
				}
			}
			return []brenner.Diagnostic{{
				Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: key + " " + field,
				Message: fmt.Sprintf("%s is by hypothesis, and %s is none", field, key), Pointer: "/payload/" + field,
				Hint: fmt.Sprintf("say it under %s, or under %q if it is the same under all, and take %s out with null; that it is about %s belongs into discriminates or the condition", instead, delta.Whichever, key, key),
			}}
		}
	}
	return nil
}

// together doubts what a test was expected to show if that came with what it showed:
// nobody can tell that it was foretold.
func (d *doubts) together(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Expected map[string]any `json:"expected_outcomes"`
		Actual   map[string]any `json:"actual_outcomes"`
	}
	if one.Operation == delta.Kill || one.Section != delta.DiscriminativeTests || json.Unmarshal(one.Payload, &payload) != nil {
		return nil
	}
	var keys, before []string
	if it, ok := d.doc.Item(delta.ItemID(one.TargetID)); ok {
		for _, p := range it.Pairs("expected_outcomes") {
			before = append(before, p.Key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(payload.Actual)) {
		if payload.Actual[key] != nil && payload.Expected[key] != nil && !slices.Contains(before, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	test := cmp.Or(string(one.TargetID), one.ProvisionalID, one.DeltaID)
	return []brenner.Diagnostic{{
		Code: brenner.CodeForetoldLater, Severity: brenner.SeverityWarning, Subject: test + " came together",
		Message: fmt.Sprintf("expectation and result under %s came together: not foretold", kernel.Join(keys)),
		Hint:    "it counts as an observation; for a test that tells, send what is expected first, and what came out in a later reply",
	}}
}

// saysRun is how a status says that a test was run.
var saysRun = lazy.NewPattern(`(?i)^\W*(?:was |is |has been |has |have )*(?:run|ran|executed|measured|done|completed?|finished|passed|passes|failed|fails|confirmed|supported|refuted|falsified)\b`)

// unproven doubts that a test was run of which nobody says what came out.
func (d *doubts) unproven(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Status any            `json:"status"`
		Actual map[string]any `json:"actual_outcomes"`
		Ran    any            `json:"last_run"`
	}
	if one.Section != delta.DiscriminativeTests || one.Operation == delta.Kill || json.Unmarshal(one.Payload, &payload) != nil {
		return nil
	}
	status, _ := payload.Status.(string)
	if !saysRun.MatchString(status) || len(payload.Actual) > 0 || tellsResult(payload.Ran) || d.results[one.TargetID] && one.TargetID != "" {
		return nil
	}
	keys := []string{"H1"}
	if it, ok := d.doc.Item(delta.ItemID(one.TargetID)); ok {
		if len(it.Pairs("actual_outcomes")) > 0 || tellsResult(it.Text("last_run")) {
			return nil
		}
		if expected := it.Pairs("expected_outcomes"); len(expected) > 0 {
			keys = nil
			for _, p := range expected {
				keys = append(keys, p.Key)
			}
		}
	}
	target := cmp.Or(string(one.TargetID), one.ProvisionalID, "the id it gets")
	outcomes := map[string]string{}
	for _, k := range keys[:min(len(keys), 6)] {
		outcomes[k] = "what came out, under " + k
	}
	block, err := canon.Marshal(map[string]any{
		"operation": delta.Edit, "section": delta.DiscriminativeTests, "target_id": target,
		"payload": map[string]any{"status": status, "actual_outcomes": outcomes, "last_run": map[string]string{"by": string(d.author), "how": "command, commit, sample", "control": "what the control showed", "result": "ID@VERSION of what was measured"}},
	})
	if err != nil {
		return nil
	}
	return []brenner.Diagnostic{{
		Code: brenner.CodeNoResult, Severity: brenner.SeverityWarning, Subject: target + " actual_outcomes",
		Message: fmt.Sprintf("the status of %s says that it was run, and nothing says what came out", target),
		Hint:    "send what came out, and where it stands: " + string(block),
	}}
}

// unobserved hints, where it is said what came out of a test, to the predictions that the
// test names and of which nothing says what was observed.
func (d *doubts) unobserved(one delta.Delta, text string) []brenner.Diagnostic {
	var payload struct {
		Actual map[string]any `json:"actual_outcomes"`
	}
	if one.Section != delta.DiscriminativeTests || one.Operation == delta.Kill || json.Unmarshal(one.Payload, &payload) != nil || len(payload.Actual) == 0 {
		return nil
	}
	if it, ok := d.doc.Item(delta.ItemID(one.TargetID)); ok {
		for _, field := range []string{"name", "procedure", "discriminates", "potency_check"} {
			text += "\n" + it.Text(field)
		}
	}
	var rows []string
	for _, id := range itemsIn(text, nil) {
		row, ok := d.doc.Item(id)
		if ok && row.Section() == delta.PredictionsTable && row.Killed() == nil && strings.TrimSpace(row.Text("observed")) == "" && !d.touched[delta.Target(id)] {
			rows = append(rows, string(id))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	hint := fmt.Sprintf("EDIT %s with observed: what came out", rows[0])
	if len(rows) > 1 {
		hint = "EDIT each with observed: what came out; one block takes them as a list"
	}
	return []brenner.Diagnostic{{
		Code: brenner.CodeNoResult, Severity: brenner.SeverityWarning, Subject: rows[0] + " observed",
		Message: fmt.Sprintf("nothing says what was observed of %s, which the test names", kernel.FirstIDs(rows)), Hint: hint,
	}}
}

// tellsResult says whether what is said of the last run of a test says more than who
// ran it and when.
func tellsResult(ran any) bool {
	switch ran := ran.(type) {
	case map[string]any:
		text, _ := ran["result"].(string)
		return strings.TrimSpace(text) != ""
	case string:
		return len(strings.Fields(ran)) > 3 || namedResult.MatchString(ran)
	}
	return false
}

// namedResult is a version of an artifact in what is said of a run.
var namedResult = lazy.NewPattern(`@[0-9]+`)

// resultsIn are the tests of which some delta of a reply says what came out.
func resultsIn(entries []delta.Entry) map[delta.Target]bool {
	out := map[delta.Target]bool{}
	for _, e := range entries {
		var payload struct {
			Actual map[string]any `json:"actual_outcomes"`
		}
		if e.Invalid == nil && e.Delta.Section == delta.DiscriminativeTests && json.Unmarshal(e.Delta.Payload, &payload) == nil && len(payload.Actual) > 0 {
			out[e.Delta.TargetID], out[delta.Target(e.Delta.ProvisionalID)] = true, true
		}
	}
	return out
}

// runAgain doubts that a test should be run, or was, which somebody else runs or has run:
// its author may not know.
func (d *doubts) runAgain(one delta.Delta) ([]brenner.Diagnostic, error) {
	says := one.Runs().State
	if says != delta.TestRunning && says != delta.TestRun || one.Operation != delta.Edit {
		return nil, nil
	}
	if d.tests == nil {
		w, err := waitingBefore(d.call, d.info, d.message)
		if err != nil {
			return nil, err
		}
		now := w.ahead.Artifact()
		if w.on.head != w.on.latest { // the document as it stands does without the ids that were given
			now = delta.Merge(d.doc, entriesOf(w.queue), optionsOf(d.call, d.info)).Artifact
		}
		d.tests = delta.Tests(now)
	}
	var out []brenner.Diagnostic
	for _, t := range d.tests {
		if delta.Target(t.Item) != one.TargetID {
			continue
		}
		own := time.Time{} // when it was told of what others had said by then
		for _, r := range slices.Concat(t.Done, t.Running) {
			if r.By == d.author && r.At.After(own) {
				own = r.At
			}
		}
		for i, r := range slices.Concat(t.Done, t.Running) {
			if r.By == d.author || !r.At.After(own) {
				continue
			}
			w := brenner.Diagnostic{
				Code: brenner.CodeTaskTaken, Severity: brenner.SeverityWarning, Subject: fmt.Sprintf("%s run by %s", t.Item, r.By),
				Message: fmt.Sprintf("%s runs %s since %s", r.By, t.Item, brenner.Clock(r.At, d.call.Now)), Hint: "settle who does it before both do",
			}
			if i < len(t.Done) {
				w.Code, w.Message, w.Hint = brenner.CodeAlreadyExists, fmt.Sprintf("%s was run by %s", t.Item, r.By), "a second run should say what it adds"
				if r.Result != "" {
					w.Message += ": " + r.Result
				}
			}
			out = append(out, w)
		}
	}
	return out, nil
}

// foretoldOf is what a test was expected to show under a hypothesis when it was first
// said what it showed.
func foretoldOf(it *delta.Item, key string) (value jsontext.Value, ok bool) {
	under := func(w delta.Write) (jsontext.Value, bool) {
		var all map[string]jsontext.Value
		_ = json.Unmarshal(w.Value, &all)
		v, there := all[key]
		return v, there
	}
	ran := slices.IndexFunc(it.History("actual_outcomes"), func(w delta.Write) bool { _, there := under(w); return there })
	if ran < 0 {
		return nil, false
	}
	run := it.History("actual_outcomes")[ran].At
	for _, w := range it.History("expected_outcomes") {
		if v, there := under(w); there && (!ok || !w.At.After(run)) {
			value, ok = v, true
		}
	}
	return value, ok
}

// claimed are the sections whose items claim something that may rest on another item.
// Predictions, tests, anomalies and critiques are the record of what was said of it, which
// its death does not change.
var claimed = []delta.Section{delta.ResearchThread, delta.HypothesisSlate, delta.AssumptionLedger}

// left says which claims of who kills an item still name it, and are not changed by the
// same reply.
func (d *doubts) left(one delta.Delta) []brenner.Diagnostic {
	if one.Operation != delta.Kill {
		return nil
	}
	var by []string
	for _, section := range claimed {
		for _, it := range liveIn(d.doc, section) {
			if last, _ := it.LastChange(); d.touched[delta.Target(it.ID())] || it.Authors()[0] != d.author && last.Agent != d.author {
				continue
			}
			if p, _ := d.doc.Passage(it.ID()); slices.Contains(namedIn(it, p.Text, nil), delta.ItemID(one.TargetID)) {
				by = append(by, string(it.ID()))
			}
		}
	}
	if len(by) == 0 {
		return nil
	}
	return []brenner.Diagnostic{{
		Severity: brenner.SeverityWarning, Code: brenner.CodeKilledReference, Subject: string(one.TargetID), Message: fmt.Sprintf("what you claim still names %s: %s", one.TargetID, kernel.FirstIDs(by)),
		Hint: fmt.Sprintf("EDIT or KILL %s if it does not hold without", kernel.FirstIDs(by)),
	}}
}

// unseenTests says which tests others have put up of what one kills since its author read the
// document: it may not know that somebody is about to try it.
func (d *doubts) unseenTests(one delta.Delta) []brenner.Diagnostic {
	if one.Operation != delta.Kill || d.known == nil {
		return nil
	}
	var tests []string
	for _, section := range []delta.Section{delta.DiscriminativeTests, delta.PredictionsTable} {
		for _, it := range liveIn(d.doc, section) {
			if _, had := d.known.Item(it.ID()); had || it.Authors()[0] == d.author || d.touched[delta.Target(it.ID())] {
				continue
			}
			if p, _ := d.doc.Passage(it.ID()); slices.Contains(namedIn(it, p.Text, nil), delta.ItemID(one.TargetID)) {
				tests = append(tests, string(it.ID()))
			}
		}
	}
	if len(tests) == 0 {
		return nil
	}
	return []brenner.Diagnostic{{
		Severity: brenner.SeverityWarning, Code: brenner.CodeReferenceMoved, Subject: string(one.TargetID),
		Message: fmt.Sprintf("%s is to be tried by what others have put up since you read it: %s", one.TargetID, kernel.FirstIDs(tests)),
		Hint:    "what is killed is edited no more; wait for what comes of it if that may save it",
	}}
}

// about says what is to be known of an item that is named.
func (d *doubts) about(it *delta.Item) []brenner.Diagnostic {
	out := brenner.Diagnostic{Severity: brenner.SeverityWarning, Subject: string(it.ID())}
	if death := it.Killed(); death != nil {
		if death.By == d.author {
			return nil
		}
		out.Code, out.Message = brenner.CodeKilledReference, fmt.Sprintf("%s is named, and %s has killed it", it.ID(), death.By)
		return []brenner.Diagnostic{out}
	}
	if d.known == nil {
		return nil
	}
	others := slices.DeleteFunc(it.AuthorsSince(d.known), func(a brenner.ActorName) bool { return a == d.author })
	if _, had := d.known.Item(it.ID()); !had || len(others) == 0 {
		return nil
	}
	out.Code = brenner.CodeReferenceMoved
	out.Message = fmt.Sprintf("%s is named, and %s changed it since you read it", it.ID(), kernel.Join(others))
	return []brenner.Diagnostic{out}
}

// lastShown is the newest version of a session's document that a context showed.
func lastShown(t *kernel.Through, id brenner.SessionID) brenner.Version {
	if t == nil {
		return 0
	}
	return t.Latest(brenner.ArtifactID(id))
}

// quoteReplaced gives the author of a reply what its edits replaced of others'
// texts, where it was not shown that: it is a read, and charged (C33).
func quoteReplaced(ch *kernel.Change, info api.SessionInfo, out *api.Submission) error {
	if ch.Person() {
		return nil
	}
	through, err := ch.Newest()
	if err != nil {
		return err
	}
	var known *delta.Artifact
	if version := lastShown(through, info.ID); version > 0 {
		if known, err = documentIn(ch.Call, brenner.Ref{Artifact: info.Artifact.Artifact, Version: version}); err != nil {
			return err
		}
	}
	for i := range out.Deltas {
		item := out.Deltas[i].Item
		for j := range out.Deltas[i].Replaces {
			r := &out.Deltas[i].Replaces[j]
			shown := known != nil && delta.IsText(out.Deltas[i].Section, r.Field) || shows(known, item, r.Field, r.Text) // else it were refused
			if !shown && through != nil {
				if shown, err = shownAsProposed(ch.Call, info.ID, *r, *through); err != nil {
					return err
				}
			}
			if shown {
				r.Text = ""
				continue
			}
			pays, err := ch.Pays(kernel.ReadOfSession(info.ID), r.Text)
			if err != nil {
				return err
			}
			if !pays {
				r.Text = ""
			}
		}
	}
	return nil
}

// shownAsProposed says whether the delta that wrote a text was shown through a
// context while it was proposed.
func shownAsProposed(c *kernel.Call, id brenner.SessionID, r api.Replaced, t kernel.Through) (bool, error) {
	shown := false
	err := deltas.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id), Newest: true}, func(row kernel.Row[deltaState]) (bool, error) {
		if row.Value.Agent != r.Agent || row.Value.DeltaID != r.DeltaID {
			return true, nil
		}
		e, err := readQueued(c.Ctx, c.Reader, row.Value.Digest)
		if err != nil {
			return false, err
		}
		p, err := proposalOf(e)
		shown = t.Has(kernel.ReadOfSession(id), kernel.Passage{Says: sayingsOf(p)})
		return false, err
	})
	return shown, err
}

// shows says whether a version shows a text in a field of an item, or its
// beginning.
func shows(a *delta.Artifact, item delta.ItemID, field, text string) bool {
	if a == nil {
		return false
	}
	it, ok := a.Item(item)
	return ok && brenner.Clip(it.Text(field), mostReplaced) == text
}

// mostReplaced is how much is quoted of a text that was replaced.
const mostReplaced = 300

// instant is a time as a text says it, to the day or to the second.
var instant = lazy.NewPattern(`\b([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.[0-9]+)? ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?)?`)

// How far a time may lie ahead: a clock goes wrong by a little, and where no zone is
// said it may be anywhere on earth.
const (
	clockAhead = 5 * time.Minute
	zoneAhead  = 14 * time.Hour
)

// ahead doubts that a test was run when it cannot have been yet.
func (d *doubts) ahead(one delta.Delta) []brenner.Diagnostic {
	var payload struct {
		Ran jsontext.Value `json:"last_run"`
	}
	if one.Section != delta.DiscriminativeTests || one.Operation == delta.Kill || json.Unmarshal(one.Payload, &payload) != nil || len(payload.Ran) == 0 {
		return nil
	}
	for _, m := range instant.FindAllStringSubmatch(ledger.Said(payload.Ran), mostDoubts) {
		if at, slack, ok := instantOf(m); ok && at.After(d.call.Now.Add(slack)) {
			return []brenner.Diagnostic{{
				Code: brenner.CodeTimestampSkew, Severity: brenner.SeverityWarning, Subject: cmp.Or(string(one.TargetID), one.ProvisionalID) + " last_run",
				Message: fmt.Sprintf("last_run says %s, and it is %s", m[0], d.call.Now.UTC().Format("2006-01-02T15:04Z")),
				Hint:    "EDIT last_run with when it was run",
			}}
		}
	}
	return nil
}

// instantOf is the time that instant has found, and how far it may lie ahead.
func instantOf(m []string) (at time.Time, slack time.Duration, ok bool) {
	day, minute, second, zone := m[1], m[2], m[3], m[4]
	if minute == "" {
		at, err := time.Parse(time.DateOnly, day)
		return at, zoneAhead, err == nil
	}
	slack = clockAhead
	switch {
	case zone == "":
		slack, zone = zoneAhead, "Z"
	case zone == "UTC":
		zone = "Z"
	case len(zone) == len("+0000"):
		zone = zone[:3] + ":" + zone[3:]
	}
	at, err := time.Parse(time.RFC3339, day+"T"+minute+cmp.Or(second, ":00")+zone)
	return at, slack, err == nil
}
