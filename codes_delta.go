package brenner

// Codes of deltas, their merge and the session artifact.
const (
	CodeInvalidDelta           Code = "INVALID_DELTA"
	CodeInvalidTarget          Code = "INVALID_TARGET"
	CodeTargetKilled           Code = "TARGET_KILLED"
	CodeSectionLimitExceeded   Code = "SECTION_LIMIT_EXCEEDED"
	CodeMissingRequiredField   Code = "MISSING_REQUIRED_FIELD"
	CodeUnknownAgent           Code = "UNKNOWN_AGENT"
	CodeRTEditOnly             Code = "RT_EDIT_ONLY"
	CodeDeltaIDReused          Code = "DELTA_ID_REUSED"
	CodeDeltaRepeated          Code = "DELTA_REPEATED"
	CodeTargetAwaited          Code = "TARGET_AWAITED"
	CodeTimestampSkew          Code = "TIMESTAMP_SKEW"
	CodeReservedField          Code = "RESERVED_FIELD"
	CodeUnknownField           Code = "UNKNOWN_FIELD"
	CodeRationaleMissing       Code = "RATIONALE_MISSING"
	CodeFieldConflict          Code = "FIELD_CONFLICT"
	CodeNoThirdAlternative     Code = "NO_THIRD_ALTERNATIVE"
	CodeNoScaleCheck           Code = "NO_SCALE_CHECK"
	CodeBelowMinimum           Code = "BELOW_MINIMUM"
	CodeThreadEmpty            Code = "THREAD_EMPTY"
	CodeNotDiscriminative      Code = "NOT_DISCRIMINATIVE"
	CodeNoPotencyCheck         Code = "NO_POTENCY_CHECK"
	CodeIdlePotencyCheck       Code = "IDLE_POTENCY_CHECK"
	CodeNoCalculation          Code = "NO_CALCULATION"
	CodeNoEvidence             Code = "NO_EVIDENCE"
	CodeUntestedHypothesis     Code = "UNTESTED_HYPOTHESIS"
	CodeKilledReference        Code = "KILLED_REFERENCE"
	CodeNoScore                Code = "NO_SCORE"
	CodeNoAnchors              Code = "NO_ANCHORS"
	CodeNoRealThirdAlternative Code = "NO_REAL_THIRD_ALTERNATIVE"
	CodeDanglingReference      Code = "DANGLING_REFERENCE"
	CodeReferenceCycle         Code = "REFERENCE_CYCLE"
	CodeReferenceMoved         Code = "REFERENCE_MOVED"
	CodeItemAlike              Code = "ITEM_ALIKE"
	CodeCrossedKills           Code = "CROSSED_KILLS"
	CodeForetoldLater          Code = "FORETOLD_LATER"
	CodeNoResult               Code = "NO_RESULT"
	CodeNearMiss               Code = "NEAR_MISS"
	CodeBlockIgnored           Code = "BLOCK_IGNORED"
	CodeInvalidSessionArtifact Code = "INVALID_SESSION_ARTIFACT"
	CodeInvalidSessionDocument Code = "INVALID_SESSION_DOCUMENT"
	CodeSessionClosed          Code = "SESSION_CLOSED"
)

func deltaCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInvalidDelta, ClassInvalid, "The delta does not have the form of a delta.", "Mend it at the pointer given."),
		row(CodeInvalidTarget, ClassInvalid, "The delta names no item it can change.", "Name an existing item of its section; leave target_id null in an ADD."),
		row(CodeTargetKilled, ClassConflict, "The item was killed before this edit.", "Add a new item with the content, if it should live again."),
		row(CodeSectionLimitExceeded, ClassConflict, "The section holds as many live items as it may.", "Kill one that has been superseded, then add."),
		row(CodeMissingRequiredField, ClassInvalid, "A field the section requires is missing or blank.", "Give the field named by the pointer."),
		row(CodeUnknownAgent, ClassDenied, "The agent is not a registered contributor.", "Correct the name. Nobody is added to a session that runs: start another that asks the agent too.",
			Do("session.start")),
		row(CodeRTEditOnly, ClassInvalid, "There is one research thread; it can only be edited.", "Send an EDIT with target_id RT."),
		row(CodeDeltaIDReused, ClassConflict, "The delta id was used before for another content.", "Give the delta an id of its own."),
		row(CodeDeltaRepeated, ClassConflict, "A message says the same twice, under two ids or none; it counts once.", "Send each delta once."),
		row(CodeTargetAwaited, ClassConflict, "The delta names a provisional id that no ADD of its agent has brought yet.", "Send the ADD, or correct the name; the delta is taken in with it."),
		row(CodeTimestampSkew, ClassInvalid, "A timestamp lies before the session's start or after its receipt, which counts instead; or a test is said to have been run in the future.", "Leave timestamp out: the message supplies it; say in last_run when the test was run."),
		row(CodeReservedField, ClassInvalid, "A payload field has the name of a line that the document writes itself.", "Use the section's own field, or another name."),
		row(CodeUnknownField, ClassInvalid, "A payload or a content has a field that its section or type does not know; it is kept as it is.", "Check the spelling against the fields of the section or type."),
		row(CodeRationaleMissing, ClassInvalid, "The research thread was edited without a rationale.", "Say in the rationale why the problem statement had to change."),
		row(CodeFieldConflict, ClassConflict, "Several values were given for a field at the same instant and nothing decides between them.", "Settle it, or let a later EDIT of the field decide.",
			Do("conflict.list")),
		row(CodeNoThirdAlternative, ClassConflict, "No live hypothesis is a third alternative.", "Add a hypothesis with third_alternative true before killing the last one."),
		row(CodeNoScaleCheck, ClassConflict, "No live assumption is a scale check.", "Add an assumption with scale_check true and its calculation."),
		row(CodeBelowMinimum, ClassConflict, "A section has fewer live items than the protocol asks for.", "Add the missing items."),
		row(CodeThreadEmpty, ClassConflict, "The research thread has no statement.", "Send an EDIT of RT with a statement."),
		row(CodeNotDiscriminative, ClassConflict, "A prediction or a test has the same outcome under every live hypothesis.", "Give it at least two distinct outcomes, or kill it."),
		row(CodeNoPotencyCheck, ClassConflict, "A test does not say how it could fail to be informative.", "EDIT the test with a potency_check."),
		row(CodeIdlePotencyCheck, ClassConflict, "A potency check could not come out otherwise, so it shows nothing.", "Name a control and what it shows if the test can see the effect."),
		row(CodeNoCalculation, ClassConflict, "A scale check has no calculation.", "EDIT the assumption with the calculation, in numbers."),
		row(CodeNoEvidence, ClassConflict, "A critique cites no evidence.", "EDIT the critique with evidence, or kill it."),
		row(CodeUntestedHypothesis, ClassConflict, "No test and no prediction names a live hypothesis.", "Add a test or a prediction that tells it from another, or kill it."),
		row(CodeKilledReference, ClassConflict, "A live item rests on one that was killed.", "EDIT it to name a live item, or kill it too."),
		row(CodeNoScore, ClassConflict, "A test cannot be ranked: parts of its score are missing.", "EDIT the test with likelihood_ratio, cost, speed and ambiguity, 0 to 3 each."),
		row(CodeNoAnchors, ClassConflict, "An item cites nothing, so it counts as inference.", "Add anchors, or leave it as the inference it is."),
		row(CodeNoRealThirdAlternative, ClassConflict, "No live critique offers a specific alternative framing.", "Add a critique with real_third_alternative true and a proposed_alternative."),
		row(CodeDanglingReference, ClassConflict, "Something refers to an item that does not exist.", "Correct the id, or add the item."),
		row(CodeReferenceMoved, ClassConflict, "Something refers to what has changed since its author read it.", "Read what it says now, and send a correction if that matters."),
		row(CodeItemAlike, ClassConflict, "A new item says nearly what a live one of somebody else says, or word for word what one said that was killed.", "If it is the same, EDIT the other with what yours adds and kill your own: the lower number stays. Of what was killed, say what is different now."),
		row(CodeCrossedKills, ClassConflict, "An item was killed in favour of another that is dead as well.", "If what they say should live, put it up again with an ADD, once."),
		row(CodeForetoldLater, ClassConflict, "What a test was expected to show was said with what it showed, or changed afterwards.", "Let stand what was foretold; put a new expectation into a new test, before it is run."),
		row(CodeNoResult, ClassConflict, "A test is said to have been run, and nothing says what came out, of it or of a prediction that it names.", "EDIT the test with actual_outcomes, and with where the result stands; the prediction with observed."),
		row(CodeReferenceCycle, ClassConflict, "Items refer to each other in a circle.", "Take one of the references out with references_replace."),
		row(CodeNearMiss, ClassInvalid, "Something looks like a delta but is not one, and was not applied.", "Send the corrected block."),
		row(CodeBlockIgnored, ClassInvalid, "A delta block was quoted or echoed from an example, and was not applied.", "Send it unquoted and without the marker line if it is meant."),
		row(CodeInvalidSessionArtifact, ClassInvalid, "The file is not a session artifact as a merge writes it.", "Use the JSON that a merge or a session gave; deltas alone change a session."),
		row(CodeInvalidSessionDocument, ClassInvalid, "The Markdown is not a session document: a line of it belongs to no section, item or field.", "Mend the lines named; a document has the form in which it is shown."),
		row(CodeSessionClosed, ClassConflict, "The session was closed: it takes no replies and waits for nobody.", "Ask again in it, which opens it, or start another."),
	}
}
