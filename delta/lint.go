package delta

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"brenner"
)

// postconditions reports what the protocol asks of an artifact as a whole and
// this one lacks (D17).
func (a *Artifact) postconditions() []brenner.Diagnostic {
	var found []brenner.Diagnostic
	for s := range schemas {
		schema, have := &schemas[s], &a.sections[s]
		if have.live < schema.Minimum {
			found = append(found, brenner.Diagnostic{
				Code: brenner.CodeBelowMinimum, Severity: brenner.SeverityWarning, Subject: string(schema.Section),
				Message: fmt.Sprintf("%s has %s, the protocol asks for %d", schema.Section, brenner.Plural(have.live, "live item", "live items"), schema.Minimum),
				Hint:    fmt.Sprintf("add %d more", schema.Minimum-have.live),
			})
		}
	}
	if a.sections[atHypotheses].special == 0 {
		found = append(found, brenner.Diagnostic{
			Code: brenner.CodeNoThirdAlternative, Severity: brenner.SeverityWarning, Subject: string(HypothesisSlate),
			Message: "no live hypothesis is a third alternative",
			Hint:    "add one with third_alternative true: how could all the others be wrong?",
		})
	}
	if a.sections[atAssumptions].special == 0 {
		found = append(found, brenner.Diagnostic{
			Code: brenner.CodeNoScaleCheck, Severity: brenner.SeverityWarning, Subject: string(AssumptionLedger),
			Message: "no live assumption is a scale check",
			Hint:    "add one with scale_check true and its calculation",
		})
	}
	return found
}

// Lint judges an artifact by every rule of its sections (D21). Errors are what
// needs a person, warnings what the protocol asks for, infos what could be
// better.
func Lint(a *Artifact) []brenner.Diagnostic {
	l := &linter{artifact: a}
	l.found = append(l.found, a.postconditions()...)
	l.thread()
	for s := range a.sections {
		for _, it := range a.sections[s].list.all() {
			l.conflicts(it)
			if it.live() {
				l.item(it)
			}
		}
	}
	if a.sections[atCritiques].special == 0 {
		l.report(brenner.CodeNoRealThirdAlternative, brenner.SeverityWarning, string(AdversarialCritique),
			"no live critique offers a real third alternative", "add one with real_third_alternative true and a proposed_alternative")
	}
	if schema := &schemas[atHypotheses]; a.sections[atHypotheses].live > schema.Limit {
		l.report(brenner.CodeSectionLimitExceeded, brenner.SeverityError, string(HypothesisSlate),
			fmt.Sprintf("%d live hypotheses, at most %d are allowed", a.sections[atHypotheses].live, schema.Limit), "kill what was superseded")
	}
	l.untested()
	l.found = checkReferences(l.found, a, a.all(), nil)
	for i := range l.found {
		if s, ok := sectionOf(l.found[i].Subject); ok {
			l.found[i].Role = schemas[s].Role
		}
	}
	return l.found
}

// sectionOf gives the section that the subject of a finding is, or is an item
// of.
func sectionOf(subject string) (int, bool) {
	if s := sectionIndex(Section(subject)); s >= 0 {
		return s, true
	}
	row, _, _ := strings.Cut(subject, ".")
	s, _, ok := parseItemID(row)
	return s, ok
}

// LintJSON judges any JSON as an artifact: what cannot be read as one gives an
// error as its only finding.
func LintJSON(raw []byte) []brenner.Diagnostic {
	a, err := ReadArtifact(raw)
	if err == nil {
		return Lint(a)
	}
	e := asInvalid(err)
	return []brenner.Diagnostic{{Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: e.Hint, Pointer: e.Pointer}}
}

// LintDeltas judges deltas before they are sent: what ReadDeltas makes of the
// input, and every rule that needs no artifact. It reports LIMIT_EXCEEDED as
// ReadDeltas does.
func LintDeltas(input []byte, env Envelope) ([]brenner.Diagnostic, error) {
	x, err := ReadDeltas(input, env)
	if err != nil {
		return nil, err
	}
	found := x.Diagnostics()
	for i := range x.Entries {
		e := &x.Entries[i]
		err := error(e.Invalid)
		if e.Invalid == nil {
			var warnings []brenner.Diagnostic
			warnings, err = Check(e.Delta)
			found = append(found, warnings...)
		}
		if err != nil {
			f := asInvalid(err)
			found = append(found, brenner.Diagnostic{
				Code: f.Code, Severity: brenner.SeverityError, Subject: e.Delta.DeltaID, Message: f.Message, Hint: f.Hint, Pointer: f.Pointer,
			})
		}
	}
	return found, nil
}

type linter struct {
	artifact *Artifact
	found    []brenner.Diagnostic
}

func (l *linter) report(code brenner.Code, severity brenner.Severity, subject, message, hint string) {
	l.found = append(room(l.found), brenner.Diagnostic{Code: code, Severity: severity, Subject: subject, Message: message, Hint: hint})
}

func (l *linter) thread() {
	rt, ok := l.artifact.Item("RT")
	if !ok || strings.TrimSpace(rt.Text("statement")) == "" {
		l.report(brenner.CodeThreadEmpty, brenner.SeverityWarning, "RT", "the research thread has no statement", "EDIT RT with a statement")
	}
}

func (l *linter) conflicts(it *Item) {
	for _, c := range it.contentions() {
		l.found = append(room(l.found), c.diagnostic(it))
	}
}

func (l *linter) item(it *Item) {
	id := string(it.ID())
	for i := range it.fields {
		if it.fields[i].field == unknownField && schemas[it.section].aside(it.fields[i].name()) == nil {
			l.report(brenner.CodeUnknownField, brenner.SeverityInfo, id,
				id+" has the unknown field "+strconv.Quote(clip(it.fields[i].name())), "move its content to a field of the section")
		}
	}
	switch it.section {
	case atHypotheses:
		if len(it.List("anchors")) == 0 {
			l.report(brenner.CodeNoAnchors, brenner.SeverityInfo, id, id+" has no anchors and counts as inference", "EDIT it with anchors")
		}
	case atPredictions:
		l.discriminative(it, "predictions")
	case atTests:
		l.test(it)
	case atAssumptions:
		if it.Flag("scale_check") && !strings.ContainsFunc(it.Text("calculation"), unicode.IsDigit) {
			l.report(brenner.CodeNoCalculation, brenner.SeverityWarning, id, id+" is a scale check without a calculation", "EDIT it with calculation: the numbers, and what comes out")
		}
	case atCritiques:
		if strings.TrimSpace(it.Text("evidence")) == "" {
			l.report(brenner.CodeNoEvidence, brenner.SeverityWarning, id, id+" cites no evidence", "EDIT it with evidence: a test, an anchor, a result")
		}
	}
	l.killed(it)
}

// discriminative wants at least two distinct outcomes among live hypotheses.
func (l *linter) discriminative(it *Item, outcomes string) {
	first, left, cells := "", false, it.mapCells(outcomes)
	for i := range cells {
		c := &cells[i]
		left = left || !c.gone()
		if c.key == Whichever && it.section == atPredictions && !c.gone() {
			return // it is not to tell them apart
		}
		if h, ok := l.artifact.Item(ItemID(c.key)); c.gone() || ok && !h.live() {
			continue
		}
		text := strings.ToLower(strings.TrimSpace(c.text()))
		if first != "" && text != first {
			return
		}
		first = text
	}
	id := string(it.ID())
	message := id + " does not tell the live hypotheses apart"
	if !left {
		message = id + " has no outcome left"
	}
	l.report(brenner.CodeNotDiscriminative, brenner.SeverityWarning, id,
		message, "give it at least two distinct outcomes, or KILL it")
}

func (l *linter) test(it *Item) {
	id := string(it.ID())
	l.discriminative(it, "expected_outcomes")
	switch check := it.Text("potency_check"); {
	case strings.TrimSpace(check) == "":
		l.report(brenner.CodeNoPotencyCheck, brenner.SeverityWarning, id,
			id+" has no potency check", "EDIT it with potency_check: what shows that the test could have worked?")
	case idle(check) || sameWords(check, it.Text("procedure")):
		l.report(brenner.CodeIdlePotencyCheck, brenner.SeverityWarning, id,
			id+" has a potency check that cannot fail", "EDIT it with potency_check: a control, and what it has to show if the test can see the effect")
	}
	if len(it.Pairs("score")) < len(scoreParts) {
		l.report(brenner.CodeNoScore, brenner.SeverityInfo, id,
			id+" is ranked on an incomplete score", "EDIT it with score: "+strings.Join(scoreParts, ", ")+", 0 to 3 each")
	}
}

// idle says whether a potency check names nothing that could come out
// otherwise: too few words to name a control and what it shows, or the words of
// somebody who is sure.
func idle(check string) bool {
	const fewest = 4
	said := " " + strings.Join(wordsOf(check), " ") + " "
	if len(wordsOf(check)) < fewest {
		return true
	}
	for _, sure := range []string{
		"cannot fail", "can not fail", "can t fail", "always works", "will always", "should always", "by definition", "either way", "in any case",
		"whatever the outcome", "whatever happens", "regardless of the outcome", "guaranteed", "not needed", "not necessary", "not applicable",
		"to be determined", "to be decided",
	} {
		if strings.Contains(said, " "+sure+" ") {
			return true
		}
	}
	return false
}

func sameWords(a, b string) bool {
	return strings.Join(wordsOf(a), " ") == strings.Join(wordsOf(b), " ")
}

// wordsOf gives the words of a text in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// idsIn finds the ids of items that a text names.
func idsIn(text string) []ItemID {
	var ids []ItemID
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if _, _, ok := parseItemID(word); ok {
			ids = append(ids, ItemID(word))
		}
	}
	return ids
}

// untested wants every live hypothesis named by a live test or prediction.
func (l *linter) untested() {
	named := map[ItemID]bool{}
	for _, s := range []int{atPredictions, atTests} {
		for _, it := range l.artifact.sections[s].list.all() {
			if !it.live() {
				continue
			}
			for _, field := range []string{"predictions", "expected_outcomes"} {
				for _, c := range it.mapCells(field) {
					if s, _, ok := parseItemID(c.key); ok && s == atHypotheses && !c.gone() {
						named[ItemID(c.key)] = true
					}
				}
			}
			for _, id := range idsIn(it.Text("discriminates")) {
				named[id] = true
			}
		}
	}
	for _, it := range l.artifact.sections[atHypotheses].list.all() {
		if id := it.ID(); it.live() && !named[id] {
			l.found = append(l.found, brenner.Diagnostic{
				Code: brenner.CodeUntestedHypothesis, Severity: brenner.SeverityWarning, Subject: string(id),
				Message: "no test and no prediction names " + string(id), Hint: "add a test or a prediction that tells it from another, or KILL it",
			})
		}
	}
}

// killed reports what a live item says of one that was killed. A test that was run is the
// record of what it told apart.
func (l *linter) killed(it *Item) {
	if it.TellsOutcome() {
		return
	}
	id := string(it.ID())
	var told stringSet
	tell := func(name, other string) {
		if o, ok := l.artifact.Item(ItemID(other)); ok && !o.live() && !told.has(other) {
			told.add(other)
			l.report(brenner.CodeKilledReference, brenner.SeverityWarning, id,
				id+" names "+other+" in "+name+", which was killed", "EDIT it to name a live item, or KILL it too")
		}
	}
	for _, name := range []string{"discriminates", "load", "test"} {
		if l.isText(it, name) {
			for _, other := range idsIn(it.Text(name)) {
				tell(name, string(other))
			}
		}
	}
	for _, other := range it.List("conflicts_with") {
		tell("conflicts_with", other)
	}
}

func (l *linter) isText(it *Item, name string) bool {
	i := schemas[it.section].field(name)
	return i >= 0 && schemas[it.section].Fields[i].Kind == KindText
}
