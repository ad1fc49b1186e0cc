package main

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/canon"
)

const (
	newNote  = `artifact new --id mine --type paper_note --module lineage --summary s --content '{"title":"B","claims":["d"]}'`
	another  = `--content '{"title":"C","claims":["e"]}'`
	raiseOne = "BlueLake: stalemate raise --module lineage --file dispute.json"
)

var toThePI = map[string]string{"TITLE": "Please", "SPEC": "for me"}

func patching(old, now string) map[string]string {
	return map[string]string{"edit.json": `{"old_string":"` + old + `","new_string":"` + now + `"}`}
}

// refusedLines has a row for every code of the registry, at least.
func refusedLines() []refusedLine {
	return append(typedLines(), notTyped()...)
}

func typedLines() []refusedLine {
	reply := map[string]string{"reply.md": "I think so."}
	edit := "patch apply --artifact log@1 --summary-holds --what w --why y edit.json"
	return []refusedLine{
		// Refusals that name a command.
		{code: brenner.CodeContextRequired, line: "artifact show near", fresh: true, hinted: true, again: true},
		{code: brenner.CodeReadDenied, line: "artifact show far", hinted: true, again: true},
		{code: brenner.CodeReadDenied, line: "journal", hinted: true, fill: toThePI},
		{code: brenner.CodeNotFound, line: "artifact show nowhere", hinted: true},
		{code: brenner.CodeNotFound, line: "mail read msg-1", hinted: true},
		{code: brenner.CodeNotFound, line: "task claim task-0", hinted: true},
		{code: brenner.CodeNotFound, line: "session show RS-0", hinted: true},
		{code: brenner.CodeNotFound, as: "ada", line: "run log run-0", hinted: true},
		{code: brenner.CodeTaskNotYours, line: newNote + " --task TASK", hinted: true, again: true},
		{code: brenner.CodeTaskNotYours, as: "RedSky", line: "task complete TASK", hinted: true},
		{code: brenner.CodeTaskTaken, as: "RedSky", line: "task claim TASK", first: []string{"BlueLake: task claim TASK"}, hinted: true},
		{code: brenner.CodeTaskClosed, line: "task claim TASK", first: []string{"ada: task cancel TASK --reason no"}, hinted: true},
		{
			code: brenner.CodeAlreadyExists, line: strings.Replace(newNote, "mine", "near", 1), hinted: true,
			fill: map[string]string{"CONTENT": `{"title":"C","claims":["e"]}`, "SUMMARY": "t", "WHAT": "w", "WHY": "y"},
		},
		{code: brenner.CodeSummaryStale, line: "artifact update near --what w --why y " + another, hinted: true},
		{code: brenner.CodeNothingChanged, line: `artifact update near --summary 'a note' --what w --why y --content '{"title":"A note","claims":["c"]}'`, hinted: true},
		{code: brenner.CodeChangeNoteRequired, as: "GreyStone", line: `artifact update memo --summary t --content '{"text":"more"}'`, first: []string{
			`ada: artifact new --id memo --type integrated_memo --module lineage --summary s --content '{"text":"all"}'`,
		}, hinted: true, fill: map[string]string{"WHAT": "w", "WHY": "y"}},
		{code: brenner.CodeConflictHead, line: "artifact update near --expect 4 --summary t --what w --why y " + another, hinted: true},
		{code: brenner.CodeUnknownModule, line: strings.Replace(newNote, "lineage", "linage", 1), hinted: true},
		{code: brenner.CodeUnknownType, line: strings.Replace(newNote, "paper_note", "paper_notes", 1), hinted: true},
		{code: brenner.CodeWriteDenied, line: strings.Replace(newNote, "paper_note", "project_brief", 1), hinted: true, fill: toThePI},
		{code: brenner.CodeWriteDenied, line: "agent add WhiteFox --role writer", hinted: true, fill: toThePI},
		{code: brenner.CodeUnknownRole, as: "ada", line: "agent add WhiteFox --role boss", hinted: true},
		{code: brenner.CodeSchemaViolation, line: strings.Replace(newNote, `,"claims":["d"]`, "", 1), hinted: true, fill: map[string]string{"CONTENT": `{"title":"B","claims":["d"]}`}},
		{code: brenner.CodeStatusConflict, line: "stalemate implement STALEMATE", first: []string{raiseOne}, hinted: true},
		{code: brenner.CodeReasonRequired, as: "ada", line: "task cancel TASK", hinted: true, fill: map[string]string{"REASON": "settled"}},
		{code: brenner.CodeAnchorNotFound, line: edit, files: patching("five\\n", "5\\n"), hinted: true},
		{code: brenner.CodeAnchorAmbiguous, line: edit, files: patching("two\\n", "2\\n"), hinted: true},
		{code: brenner.CodeUsage, line: "artifact show", hinted: true},
		{code: brenner.CodeUsage, line: "artifct show near", hinted: true},
		{code: brenner.CodeSessionClosed, line: "delta submit --session RS-1 reply.md", files: reply, first: []string{"ada: session close RS-1 --reason done"}, hinted: true, fill: toThePI},
		{code: brenner.CodeSessionClosed, as: "ada", line: "delta submit --session RS-1 reply.md", files: reply, first: []string{"ada: session close RS-1 --reason done"}, hinted: true},
		{code: brenner.CodeUnknownAgent, as: "RedSky", line: "delta submit --session RS-1 reply.md", files: reply, hinted: true, fill: toThePI},
		{code: brenner.CodeUnauthenticated, as: "Nobody", fresh: true, line: "status", person: "an agent that is not registered registers nobody"},
		{
			code: brenner.CodeFeedbackDenied, line: "playbook feedback general.1 helpful", first: []string{"RedSky: playbook learn --domain general lessons.md"},
			files: map[string]string{"lessons.md": "- Calibrate the probe before each night.\n"}, hinted: true,
		},
		{code: brenner.CodeNoProject, as: "ada", line: "status", dir: "../elsewhere", files: map[string]string{"../elsewhere/x": ""}, hinted: true, again: true},
		{code: brenner.CodeCompressionRequired, as: "GreyStone", line: "task claim CROSSING", first: manyNotes(), hinted: true, fill: toThePI},
		{code: brenner.CodePersonRequired, as: "GreyStone", line: "playbook promote general.1 --force PROD --reason 'sounds right'", first: []string{"RedSky: playbook learn --domain general lessons.md"}, files: map[string]string{"lessons.md": "- Calibrate the probe before each night.\n"}, hinted: true, fill: toThePI},
		{code: brenner.CodeFilesChanged, as: "ada", line: "checkout work", first: []string{"ada: checkout work", "add: work/lineage/analysis_result/log.md"}, hinted: true, fill: map[string]string{"DIR": "work"}, then: brenner.CodeSummaryStale},
		{code: brenner.CodeBaseUnknown, as: "ada", line: "patch apply fix.diff", files: map[string]string{"fix.diff": "--- a/none.md\n+++ b/none.md\n@@ -1 +1 @@\n-one\n+two\n", "sub/none.md": "one\n"}, hinted: true, fill: map[string]string{"ROOT": "sub"}},
		{code: brenner.CodeInvalidPatch, as: "ada", line: "patch apply bad.json", files: map[string]string{"bad.json": "change it", "a.md": "one\n", "b.md": "two\n"}, hinted: true, fill: map[string]string{"TEXT": "a.md", "FILE": "b.md"}},
		{code: brenner.CodeRedacted, line: "artifact show log@1", first: []string{"ada: redact log@1 --reason 'a name'"}, hinted: true},
		{code: brenner.CodeRedactsMore, as: "ada", line: "redact near@1 --reason 'a name'", hinted: true},
		{code: brenner.CodeContextOverflow, line: "artifact show big", first: []string{"ada: artifact new --id big --type analysis_result --module lineage --summary s --file big.md"}, files: map[string]string{"big.md": strings.Repeat("many words that cost something to read\n", 6000)}, hinted: true},

		// Refusals of what was typed or written: words say what to change.
		{code: brenner.CodeInvalidID, line: strings.Replace(newNote, "mine", "'a b'", 1), mended: newNote},
		{code: brenner.CodeInvalidValue, as: "ada", line: "session start 'Why not?' --id RS-2 --module lineage --compile often --agent-role BlueLake=test_designer", mended: "session start 'Why not?' --id RS-2 --module lineage --compile manual --agent-role BlueLake=test_designer"},
		{code: brenner.CodeInvalidJSON, line: `artifact new --id mine --type paper_note --module lineage --summary s --content '{"title":'`, mended: newNote},
		{code: brenner.CodeInvalidText, line: "artifact new --id mine --type analysis_result --module lineage --summary s --file odd.md", files: map[string]string{"odd.md": "a\x00b", "even.md": "ab"}, mended: "artifact new --id mine --type analysis_result --module lineage --summary s --file even.md"},
		{code: brenner.CodeLimitExceeded, line: newNote + strings.Repeat(" --tag t", 200), mended: newNote},
		{code: brenner.CodeInvalidLink, line: newNote + " --link near:near@1", mended: newNote + " --link cites:near@1"},
		{code: brenner.CodeInvalidParent, line: "artifact update near@7 --summary t --what w --why y " + another, mended: "artifact update near@1 --summary t --what w --why y " + another},
		{code: brenner.CodeInvalidCursor, line: "mail inbox --cursor x", mended: "mail inbox"},
		{code: brenner.CodeSummaryInvalid, line: strings.Replace(newNote, "--summary s", "--summary ' '", 1), mended: newNote},
		{code: brenner.CodeIdempotencyReused, line: strings.Replace(newNote, "--summary s", "--summary t --key k", 1), first: []string{"BlueLake: " + newNote + " --key k"}, mended: strings.Replace(newNote, "mine", "mine-2", 1) + " --key k2"},
		{code: brenner.CodeContentBlank, line: `playbook learn lessons.json`, files: map[string]string{"lessons.json": `{"section":"helpful","content":" "}`, "good.json": `{"section":"helpful","content":"Calibrate first"}`}, mended: "playbook learn good.json"},
		{code: brenner.CodeUnknownSection, line: `playbook learn lessons.json`, files: map[string]string{"lessons.json": `{"section":"good","content":"Calibrate first"}`, "good.json": `{"section":"helpful","content":"Calibrate first"}`}, mended: "playbook learn good.json"},
		{code: brenner.CodeInvalidDomain, line: `playbook learn good.json --domain admin`, files: map[string]string{"good.json": `{"section":"helpful","content":"Calibrate first"}`}, mended: "playbook learn good.json --domain labs"},
		{code: brenner.CodeInvalidStalemate, line: "stalemate raise --module lineage --file none.json", files: map[string]string{"none.json": strings.Replace(aDispute, `{"statement":"c","justification":"d"}`, "", 1)}, mended: "stalemate raise --module lineage --file dispute.json"},
		{code: brenner.CodeEvidencePlaceholder, line: "stalemate raise --module lineage --file none.json", files: map[string]string{"none.json": strings.Replace(aDispute, "it failed at line 3 of the log", "[see log]", 1)}, mended: "stalemate raise --module lineage --file dispute.json"},
		{code: brenner.CodeCrossModule, line: "context assemble --question why --module lineage --module gradient", mended: "context assemble --question why --module lineage"},
		{code: brenner.CodeFileError, line: "playbook learn nowhere.md", files: map[string]string{"good.json": `{"section":"helpful","content":"Calibrate first"}`}, mended: "playbook learn good.json"},
		{code: brenner.CodeInvalidRoster, as: "ada", line: "session start why --id RS-2 --module lineage --preset none --to BlueLake", mended: "session start why --id RS-2 --module lineage --preset default-3-agent --to BlueLake --to GreenValley --to RedSky"},
		{code: brenner.CodeInvalidConfig, as: "ada", line: "config apply", files: map[string]string{".brennerrc": "moduls: [lineage]\n"}, mended: "artifact list"},
		{code: brenner.CodeProjectExists, as: "ada", line: "init", mended: "status"},
		{code: brenner.CodeInexpressible, as: "ada", line: "patch diff a.md b.md", files: map[string]string{"a.md": "one\n", "b.md": "one\r\n", "c.md": "two\n"}, mended: "patch diff a.md c.md"},
		{code: brenner.CodeInvalidSessionDocument, as: "ada", line: "delta import bad.md", files: map[string]string{"bad.md": "# Brenner Protocol Artifact: Why?\n\n## Hypothesis Slate\n\n### H1: A\n**Clam**: c\n"}, person: "the document is mended in an editor"},
		{code: brenner.CodeInvalidSessionArtifact, as: "ada", line: "delta render forged.json", files: map[string]string{"forged.json": "{}"}, person: "the file is one that a merge has to write"},
		{code: brenner.CodeCheckpointInvalid, as: "ada", line: "verify --checkpoint none.json", files: map[string]string{"none.json": "{}"}, mended: "verify"},
		{code: brenner.CodeImportInvalid, as: "ada", line: "import cut.jsonl --store sqlite:copy.db", files: map[string]string{"cut.jsonl": "{}\n"}, person: "the export is made again where it was made"},
		{code: brenner.CodeUnknownProgram, as: "ada", line: "ask 'Why?' --program clade", hinted: true},
		{code: brenner.CodeInvalidProgram, as: "ada", line: "program add play --profile vim", mended: "program list"},
		{code: brenner.CodeNotStale, as: "ada", line: "artifact confirm near --reason x", first: []string{"ada: artifact promote near --reason good"}, mended: "artifact show near"},

		{code: brenner.CodeSlotTaken, as: "ada", line: "artifact promote brief-b --reason y", first: []string{
			"ada: artifact new --id brief-a --type project_brief --summary s --content '{\"question\":\"a\"}'", "ada: artifact new --id brief-b --type project_brief --summary s --content '{\"question\":\"b\"}'",
			"ada: artifact promote brief-a --reason x",
		}, hinted: true},
		{code: brenner.CodeBaseMismatch, line: anchoredLine, files: anchoredFix(`{"anchor":{"text":"three\n"},"targets":[{"op":"replace_block","old_block":"two\nfour\n","new_block":"4\n"}]}`), first: []string{firstEdit}, hinted: true},
		{code: brenner.CodeRebaseConflict, line: anchoredLine + " --rebase", files: anchoredFix(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"}]}`), first: []string{firstEdit}, hinted: true},
		{code: brenner.CodeOldBlockMismatch, line: anchoredLine, files: anchoredFix(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"three\n","new_block":"3\n"}]}`), hinted: true},
		{code: brenner.CodeOverlap, line: anchoredLine, files: anchoredFix(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"},{"op":"replace_block","old_block":"two\nthree\n","new_block":"3\n"}]}`), mended: edit},
		{code: brenner.CodeResultMismatch, line: anchoredLine, files: promising(anchoredFix(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"}]}`)), hinted: true},
		{code: brenner.CodeInvalidVerdict, as: "OldOwl", line: "stalemate verdict STALEMATE --file bad.json", files: map[string]string{"bad.json": "{}"}, first: stuck, mended: "stalemate verdict STALEMATE --adopt"},
		{code: brenner.CodeArbiterIsParty, as: "GreenValley", line: "stalemate arbitrate STALEMATE", files: map[string]string{"dispute.json": strings.Replace(aDispute, "BlueLake", "GreenValley", 1)}, first: []string{strings.Replace(raiseOne, "BlueLake", "GreenValley", 1)}, person: "somebody who is no party has to decide"},
		{code: brenner.CodeInvalidFrontMatter, as: "ada", line: "add bad --module lineage", files: map[string]string{"bad/a.md": "---\ntype: [\n---\nx\n", "good/a.md": "---\ntype: analysis_result\nsummary: s\n---\nx\n"}, mended: "add good --module lineage"},

		// Faults behind the service: the same line once more, or a person.
		{code: brenner.CodeStoreBusy, fault: true, line: "status", mended: "status"},
		{code: brenner.CodeCanceled, fault: true, line: "status", mended: "status"},
		{code: brenner.CodeRateLimited, fault: true, line: "status", mended: "status"},
		{code: brenner.CodeEmbedUnavailable, fault: true, line: "status", mended: "status"},
		{code: brenner.CodeInternal, fault: true, line: "status", person: "the cause is in the log"},
		{code: brenner.CodeStoreUnavailable, fault: true, line: "status", person: "the store has to be reached again"},
		{code: brenner.CodeStoreReadOnly, fault: true, line: "status", person: "the file has to be made writable"},
		{code: brenner.CodeStoreFull, fault: true, line: "status", person: "somebody has to make room"},
		{code: brenner.CodeStorageSpent, fault: true, line: "status", person: "another share is for the PI to set"},
		{code: brenner.CodeDiskFull, fault: true, line: "status", person: "somebody has to make room"},
		{code: brenner.CodeStoreNewer, fault: true, line: "status", person: "the program has to be upgraded"},
		{code: brenner.CodeJournalCorrupt, fault: true, line: "status", person: "the journal has to be restored"},
		{code: brenner.CodeCheckpointMismatch, fault: true, line: "status", person: "the journal has to be restored"},
		{code: brenner.CodeRecoveryConflict, fault: true, line: "status", person: "two files are compared in an editor"},
		{code: brenner.CodeAddressUnavailable, fault: true, line: "status", person: "the address is for whoever runs the server to choose"},
		{code: brenner.CodeNoRepository, fault: true, line: "status", person: "a repository is made with another program"},
		{code: brenner.CodeCostUnknown, fault: true, line: "status", person: "what a run costs is for the PI to bound"},
		{code: brenner.CodeWorkTaken, fault: true, line: "status", person: "another run is at it"},
		{code: brenner.CodeWorkDone, fault: true, line: "status", person: "it is done"},
		{code: brenner.CodeWorkBlocked, fault: true, line: "status", person: "what makes the runs fail has to be found"},
		{code: brenner.CodeRunEnded, fault: true, line: "status", person: "it is over"},
		{code: brenner.CodeStillStale, fault: true, line: "status", person: "the one that it rests on is decided upon first"},
		{code: brenner.CodeNotUndoable, fault: true, line: "status", person: "what answers it is for the PI to choose"},
		{code: brenner.CodeEvidenceRequired, fault: true, line: "status", person: "what has come to light is in the reader's hands"},
		{code: brenner.CodeEmbedRefused, fault: true, line: "status", person: "the endpoint is configured by a person"},
		{code: brenner.CodeEmbedReplyInvalid, fault: true, line: "status", person: "the endpoint is configured by a person"},
		{code: brenner.CodeEmbeddingMismatch, fault: true, line: "status", hinted: true, fill: toThePI},
		{code: brenner.CodeEmbeddingMismatch, as: "ada", fault: true, line: "status", hinted: true},
		{code: brenner.CodeVectorsMissing, as: "ada", fault: true, line: "status", hinted: true},
		{code: brenner.CodeEmbedNotAllowed, fault: true, line: "status", hinted: true, fill: toThePI},
		{code: brenner.CodeInvalidView, fault: true, line: "status", hinted: true},
		{code: brenner.CodeProjectNotYours, as: "ada", fault: true, line: "status", hinted: true, fill: map[string]string{"STORE": "sqlite:.brenner/brenner.db"}},
	}
}

// manyNotes is work across modules whose memo is far behind.
func manyNotes() []string {
	out := []string{"ada: task new Compare --spec both --role integrator --cross-cutting"}
	for i := range 11 {
		out = append(out, fmt.Sprintf("ada: artifact new --id many-%d --type analysis_result --module lineage --summary s --content more", i))
	}
	return out
}

// notTyped are the codes that no line of its own is refused with, and why.
func notTyped() []refusedLine {
	var out []refusedLine
	for script, codes := range map[string][]brenner.Code{
		"run_task":          {brenner.CodeLandRefused, brenner.CodeProgramNotAllowed},
		"ask":               {brenner.CodeProgramMissing},
		"ask_rounds":        {brenner.CodeBudgetSpent},
		"context":           {brenner.CodeNeedsRebase},
		"approvals":         {brenner.CodeApprovalRequired, brenner.CodeApprovalDenied},
		"playbook_judge":    {brenner.CodeAlreadyReviewed, brenner.CodeAlreadyUndone},
		"session_agentmail": {brenner.CodeMailUnavailable},
		"patch_formats":     {brenner.CodeFileProtected, brenner.CodePathRefused},
		"output_lost":       {brenner.CodeOutputFailed},
		"journal":           {brenner.CodeHistoryChanged},
		"config_brought":    {brenner.CodeConfigNotConfirmed},
		"playbook_refused":  {brenner.CodeInvalidVector},
	} {
		for _, code := range codes {
			out = append(out, refusedLine{code: code, script: script})
		}
	}
	for why, codes := range map[string][]brenner.Code{
		"only pages have forms":                                 {brenner.CodeFormExpired},
		"it refuses a message of MCP before any tool is called": {brenner.CodeNotInitialized},
	} {
		for _, code := range codes {
			out = append(out, refusedLine{code: code, never: why})
		}
	}
	for why, codes := range map[string][]brenner.Code{
		"delta submit and delta lint say it of one delta, with what to do; the others stand": {
			brenner.CodeInvalidDelta, brenner.CodeInvalidTarget, brenner.CodeTargetKilled, brenner.CodeSectionLimitExceeded, brenner.CodeMissingRequiredField,
			brenner.CodeRTEditOnly, brenner.CodeDeltaIDReused, brenner.CodeDeltaRepeated, brenner.CodeTargetAwaited, brenner.CodeTimestampSkew, brenner.CodeReferenceMoved, brenner.CodeItemAlike, brenner.CodeCrossedKills, brenner.CodeForetoldLater, brenner.CodeNoResult,
			brenner.CodeReservedField, brenner.CodeUnknownField, brenner.CodeRationaleMissing, brenner.CodeFieldConflict, brenner.CodeNoThirdAlternative,
			brenner.CodeNearMiss, brenner.CodeBlockIgnored,
		},
		"a finding about the document of a session, told with a compile": {
			brenner.CodeNoScaleCheck, brenner.CodeBelowMinimum, brenner.CodeThreadEmpty, brenner.CodeNotDiscriminative, brenner.CodeNoPotencyCheck,
			brenner.CodeIdlePotencyCheck, brenner.CodeNoCalculation, brenner.CodeNoEvidence, brenner.CodeUntestedHypothesis, brenner.CodeKilledReference,
			brenner.CodeNoScore, brenner.CodeNoAnchors, brenner.CodeNoRealThirdAlternative, brenner.CodeDanglingReference, brenner.CodeReferenceCycle,
		},
		"patch apply says it of a patch that was accepted, or of a file it wrote": {
			brenner.CodeLineRepeated, brenner.CodeLinesJoined, brenner.CodeFinalNewlineLost, brenner.CodeIndentationBroken, brenner.CodeBlockCutShort,
			brenner.CodeBlockMarked, brenner.CodeOddCharacters, brenner.CodeMetadataLost,
		},
		"a finding of the checks": {
			brenner.CodeScopeCreep, brenner.CodeConstraintViolated, brenner.CodeUnlinked, brenner.CodeBriefMoved, brenner.CodeAssumptionConflict, brenner.CodeAssumptionSuspect,
		},
		"a finding of INVALID_ROSTER, or a warning of a roster that is used": {
			brenner.CodeDuplicateAgent, brenner.CodeInvalidRole, brenner.CodeMissingRosterEntry, brenner.CodeEmptyRoster, brenner.CodeUnknownPreset,
			brenner.CodePresetFull, brenner.CodePresetUnfilled, brenner.CodeHeuristicRoster,
		},
		"what became of one message to one agent": {brenner.CodeMailRefused, brenner.CodeMailUnauthorized},
		"a finding of INVALID_CONFIG":             {brenner.CodeInvalidThreshold},
	} {
		for _, code := range codes {
			out = append(out, refusedLine{code: code, result: why})
		}
	}
	return out
}

const (
	firstEdit    = "BlueLake: patch apply --artifact log@1 --summary-holds --what w --why y first.json"
	anchoredLine = "patch apply --artifact log --summary-holds --what w --why y fix.json"
)

// stuck is a stalemate in which both parties have said what they hold, and
// somebody has taken it on.
var stuck = []string{
	raiseOne, "RedSky: context assemble --question 'What is known?' --module lineage", "RedSky: stalemate reply STALEMATE --statement e --justification f",
	"OldOwl: context assemble --question 'What is known?' --module lineage", "OldOwl: stalemate arbitrate STALEMATE",
}

// anchoredFix is a patch of our own form for the first version of the log, and
// the edit that comes before it.
func anchoredFix(group string) map[string]string {
	return map[string]string{
		"fix.json": `{"protocol_id":"anchor_diff_v2.1","target":{"path":"log","base_checksum_sha256":"` + string(canon.Sum([]byte("one\ntwo\nthree\ntwo\nfour\n"))) +
			`"},"op_groups":[` + group + `]}`,
		"first.json": `{"old_string":"one\ntwo\n","new_string":"one\nzwei\n"}`,
		"edit.json":  `{"old_string":"two\nthree\n","new_string":"2\n3\n"}`,
	}
}

// promising has the patch promise another result.
func promising(files map[string]string) map[string]string {
	files["fix.json"] = strings.Replace(files["fix.json"], "{", `{"result_sha256":"`+strings.Repeat("0", 64)+`",`, 1)
	return files
}
