package mcpserver_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/mcpserver"
	"brenner/roster"
	"brenner/stalemate"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// arguments are those of a call.
type arguments = map[string]any

// refusalRow says what an agent meets that is refused with a code, and what
// comes of following the refusal. Exactly one of call, mended, person, result
// and never says how.
type refusalRow struct {
	code  brenner.Code
	agent brenner.ActorName // "": BlueLake
	tool  string
	args  arguments
	fresh bool         // the agent has no context yet
	set   func(*stage) // makes the refusal possible
	// fault is an error of the store or of what stands behind it, which the test
	// puts in its place: nothing here can be made to fail so.
	fault bool

	// call: the first call that the refusal names is made as it stands, with the
	// values it leaves to the agent.
	call bool
	fill arguments
	// mended: the refusal has only words, for what is wrong is the agent's own;
	// this is the call that follows them.
	mended arguments
	// then is the code that following gives, which is nearer; "": it succeeds.
	then brenner.Code
	// again: the refused call comes through afterwards.
	again bool

	person string // why only a person can mend it; the refusal says so, and names no call that cannot help
	result string // it comes with a result, about one item of it, and never refuses a call of a tool
	never  string // why no tool returns it
}

// stage is a project in which the rows are played.
type stage struct {
	*world
	t    *testing.T
	pi   api.Service
	task string // open, for hypothesis generators, in lineage
}

func newStage(t *testing.T) *stage {
	w := newWorld(t)
	s := &stage{world: w, t: t, pi: w.local("ada")}
	for name, role := range inOrder(map[brenner.ActorName]brenner.Role{
		"BlueLake": roster.HypothesisGenerator, "RedSky": roster.HypothesisGenerator, "GreyStone": "integrator",
		"OldOwl": "arbiter", "GreenValley": roster.AdversarialCritic,
	}) {
		s.do(s.pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: role}))
	}
	s.write("near", artifact.TypePaperNote, "lineage", artifact.JSON, `{"title":"A note","claims":["c"]}`)
	s.write("far", artifact.TypePaperNote, "gradient", artifact.JSON, `{"title":"A note","claims":["c"]}`)
	s.write("log", artifact.TypeAnalysisResult, "lineage", artifact.Text, "one\ntwo\nthree\ntwo\nfour\n")
	task, err := s.pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Look", Spec: "look", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}})
	s.do(task, err)
	s.task = task.ID
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}))
	return s
}

func (s *stage) do(_ any, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) write(id brenner.ArtifactID, kind brenner.TypeName, module brenner.Module, format artifact.Format, data string) {
	s.t.Helper()
	s.do(s.pi.CreateArtifact(s.t.Context(), api.CreateArtifactRequest{ID: id, Type: kind, Module: module, Summary: "a note", Content: api.Body{Format: format, Data: data}}))
}

// calls makes a call that has to come through.
func (s *stage) calls(agent brenner.ActorName, tool string, args arguments) arguments {
	s.t.Helper()
	out, err := called[arguments](s.t.Context(), s.session(agent), tool, args)
	if err != nil {
		s.t.Fatalf("%s %v: %v", tool, args, err)
	}
	return out
}

var (
	noteBody  = arguments{"format": "json", "data": `{"title":"B","claims":["d"]}`}
	otherBody = arguments{"format": "json", "data": `{"title":"C","claims":["e"]}`}
	why       = arguments{"what": "w", "why": "y"}
)

func newNote(more arguments) arguments {
	out := arguments{"id": "mine", "type": "paper_note", "module": "lineage", "summary": "s", "content": noteBody}
	maps.Copy(out, more)
	return out
}

func patchOf(old, now string, more arguments) arguments {
	out := arguments{"ref": "log@1", "patch": jsonText(arguments{"old_string": old, "new_string": now}), "summary_holds": true, "change": why}
	maps.Copy(out, more)
	return out
}

func jsonText(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func dispute(more arguments) arguments {
	out := arguments{
		"summary": "we differ", "module": "lineage", "arbitration_request": "who is right",
		"hypotheses":   []any{arguments{"author": "BlueLake", "statement": "a", "justification": "b"}, arguments{"author": "RedSky"}},
		"alternatives": []any{arguments{"statement": "c", "justification": "d"}},
		"evidence":     []any{arguments{"kind": "error_log", "content": "it failed at line 3 of the log"}},
	}
	maps.Copy(out, more)
	return out
}

var toThePI = arguments{"title": "Please", "spec": "do it for me"}

// refusalRows has a row for every code of the registry, at least.
var refusalRows = slices.Concat(followed, elsewhere())

var followed = []refusalRow{
	// Refusals that name a call.
	{code: brenner.CodeContextRequired, tool: "artifact_get", args: arguments{"ref": "near"}, fresh: true, call: true, again: true},
	{code: brenner.CodeReadDenied, tool: "artifact_get", args: arguments{"ref": "far"}, call: true, again: true},
	{code: brenner.CodeNotFound, tool: "artifact_get", args: arguments{"ref": "nowhere"}, call: true},
	{code: brenner.CodeNotFound, tool: "inbox", args: arguments{"message": "msg-1"}, call: true},
	{code: brenner.CodeNotFound, tool: "task_claim", args: arguments{"id": "task-0"}, call: true},
	{code: brenner.CodeNotFound, tool: "session_show", args: arguments{"session": "RS-0"}, call: true},
	{code: brenner.CodeTaskNotYours, tool: "artifact_write", args: newNote(arguments{"task": "TASK"}), call: true, again: true},
	{code: brenner.CodeTaskNotYours, agent: "RedSky", tool: "task_complete", args: arguments{"id": "TASK"}, call: true},
	{code: brenner.CodeTaskTaken, agent: "RedSky", tool: "task_claim", args: arguments{"id": "TASK"}, call: true, set: func(s *stage) {
		s.calls("BlueLake", "task_claim", arguments{"id": s.task})
	}},
	{code: brenner.CodeTaskClosed, tool: "task_claim", args: arguments{"id": "TASK"}, call: true, set: func(s *stage) {
		s.do(s.pi.CancelTask(s.t.Context(), api.CancelTaskRequest{ID: s.task, Reason: "no"}))
	}},
	{
		code: brenner.CodeAlreadyExists, tool: "artifact_write", args: newNote(arguments{"id": "near"}), call: true,
		fill: arguments{"summary": "t", "content": otherBody, "change.what": "w", "change.why": "y"},
	},
	{
		code: brenner.CodeSummaryStale, tool: "artifact_write", args: arguments{"id": "near", "content": otherBody, "change": why}, call: true,
	},
	{
		code: brenner.CodeNothingChanged, tool: "artifact_write", call: true,
		args: arguments{"id": "near", "summary": "a note", "content": arguments{"format": "json", "data": `{"title":"A note","claims":["c"]}`}, "change": why},
	},
	{
		code: brenner.CodeChangeNoteRequired, agent: "GreyStone", tool: "artifact_write", call: true, fill: arguments{"change.what": "w", "change.why": "y"},
		args: arguments{"id": "memo", "summary": "t", "content": arguments{"format": "json", "data": `{"text":"more"}`}},
		set: func(s *stage) {
			s.write("memo", "integrated_memo", "lineage", artifact.JSON, `{"text":"all"}`)
		},
	},
	{code: brenner.CodeConflictHead, tool: "artifact_write", args: arguments{"id": "near", "expect": 4, "summary": "t", "content": otherBody, "change": why}, call: true},
	{code: brenner.CodeUnknownModule, tool: "artifact_write", args: newNote(arguments{"module": "linage"}), call: true},
	{code: brenner.CodeUnknownType, tool: "artifact_write", args: newNote(arguments{"type": "paper_notes"}), call: true},
	{code: brenner.CodeWriteDenied, tool: "artifact_write", args: newNote(arguments{"type": "project_brief"}), call: true, fill: toThePI},
	{code: brenner.CodeWriteDenied, tool: "artifact_write", args: arguments{"id": "RS-1", "summary": "t", "content": noteBody}, call: true, fill: arguments{"text": "no deltas, only words"}},
	{code: brenner.CodeStatusConflict, tool: "stalemate_reply", args: arguments{"id": "STALEMATE", "step": "implement"}, call: true, set: raised},
	{code: brenner.CodeAnchorNotFound, tool: "patch_apply", args: patchOf("five\n", "six\n", nil), call: true},
	{code: brenner.CodeAnchorAmbiguous, tool: "patch_apply", args: patchOf("two\n", "2\n", nil), call: true},
	{code: brenner.CodeBaseMismatch, tool: "patch_apply", call: true, args: patchOf("four\n", "4\n", arguments{"ref": "log@2", "base": 1}), set: func(s *stage) {
		s.calls("BlueLake", "patch_apply", patchOf("one\n", "1\n", nil))
	}},
	{code: brenner.CodeRebaseConflict, tool: "patch_apply", call: true, args: patchOf("one\n", "eins\n", arguments{"ref": "log@2", "base": 1, "rebase": true}), set: func(s *stage) {
		s.calls("BlueLake", "patch_apply", patchOf("one\n", "1\n", nil))
	}},
	{code: brenner.CodeInvalidJSON, tool: "artifact_search", args: arguments{"txt": "note"}, call: true},
	{code: brenner.CodeInvalidJSON, tool: "artifact_search", args: arguments{"text": "note", "modules": "lineage"}, call: true},
	{code: brenner.CodeInvalidJSON, tool: "artifact_search", args: arguments{"text": "note", "limit": "3"}, call: true},
	{code: brenner.CodeInvalidJSON, tool: "request", args: arguments{"role": "pi", "spec": "do it for me"}, call: true, fill: arguments{"title": "Please"}},
	{code: brenner.CodeInvalidValue, tool: "request", args: arguments{"role": "pi", "title": "Please"}, call: true, fill: arguments{"spec": "do it for me"}},
	{code: brenner.CodeSessionClosed, tool: "delta_submit", args: arguments{"session": "RS-1", "text": "I think so."}, call: true, fill: toThePI, set: func(s *stage) {
		s.do(s.pi.CloseSession(s.t.Context(), api.CloseSessionRequest{ID: "RS-1", Reason: "done"}))
	}},
	{code: brenner.CodeUnknownAgent, agent: "RedSky", tool: "delta_submit", args: arguments{"session": "RS-1", "text": "I think so."}, call: true, fill: toThePI},
	{code: brenner.CodeFeedbackDenied, tool: "playbook_feedback", call: true, set: func(s *stage) {
		s.calls("RedSky", "playbook_learn", arguments{"insights": []any{arguments{"section": "helpful", "content": "Calibrate the probe before each night"}}})
	}, args: arguments{"id": "BULLET", "as": "helpful"}},
	{code: brenner.CodeSchemaViolation, tool: "artifact_write", args: newNote(arguments{"content": arguments{"format": "json", "data": `{"title":"B"}`}}), call: true, fill: arguments{"content": noteBody}},
	{code: brenner.CodeCompressionRequired, agent: "GreyStone", tool: "task_claim", args: arguments{"id": "TASK"}, call: true, fill: toThePI, set: func(s *stage) {
		task, err := s.pi.NewTask(s.t.Context(), api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true})
		s.do(task, err)
		s.task = task.ID
		for i := range 11 {
			s.write(brenner.ArtifactID(fmt.Sprintf("many-%d", i)), artifact.TypeAnalysisResult, "lineage", artifact.Text, "one more")
		}
	}},

	{code: brenner.CodeOldBlockMismatch, tool: "patch_apply", args: patchOf("", "", arguments{"patch": anchored(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"three\n","new_block":"3\n"}]}`)}), call: true},
	{code: brenner.CodeResultMismatch, tool: "patch_apply", args: patchOf("", "", arguments{"patch": strings.Replace(anchored(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"}]}`), "{", `{"result_sha256":"`+strings.Repeat("0", 64)+`",`, 1)}), call: true},
	{code: brenner.CodeOverlap, tool: "patch_apply", args: patchOf("", "", arguments{"patch": anchored(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"},{"op":"replace_block","old_block":"two\nthree\n","new_block":"3\n"}]}`)}), mended: patchOf("two\nthree\n", "2\n3\n", nil)},
	{code: brenner.CodeContextOverflow, tool: "context_assemble", args: arguments{"task": "TASK"}, call: true, set: func(s *stage) {
		task, err := s.pi.NewTask(s.t.Context(), api.NewTaskRequest{Title: "Look", Spec: strings.Repeat("q7 ", 20_000), Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}})
		s.do(task, err)
		s.task = task.ID
	}},
	{code: brenner.CodeRedacted, tool: "artifact_get", args: arguments{"ref": "log@1"}, call: true, set: func(s *stage) {
		s.do(s.pi.Redact(s.t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "log", Version: 1}, Reason: "a name"}))
	}},

	// Refusals of what the agent wrote: words say what to change.
	{code: brenner.CodeInvalidID, tool: "artifact_write", args: newNote(arguments{"id": "a b"}), mended: newNote(arguments{"id": "a-b"})},
	{code: brenner.CodeInvalidValue, tool: "inbox", args: arguments{"wait": 100}, mended: arguments{"wait": 0}},
	{code: brenner.CodeInvalidText, tool: "artifact_search", args: arguments{"text": "a\x00b"}, mended: arguments{"text": "ab"}},
	{code: brenner.CodeLimitExceeded, tool: "artifact_write", args: newNote(arguments{"tags": slices.Repeat([]any{"tag"}, 200)}), mended: newNote(arguments{"tags": []any{"tag"}})},
	{code: brenner.CodeInvalidLink, tool: "artifact_write", args: newNote(arguments{"links": []any{arguments{"rel": "near", "artifact": "near", "version": 1}}}), mended: newNote(arguments{"links": []any{arguments{"rel": "cites", "artifact": "near", "version": 1}}})},
	{code: brenner.CodeInvalidParent, tool: "artifact_write", args: arguments{"id": "near", "parent": 7, "summary": "t", "content": otherBody, "change": why}, mended: arguments{"id": "near", "parent": 1, "summary": "t", "content": otherBody, "change": why}},
	{code: brenner.CodeInvalidCursor, tool: "inbox", args: arguments{"cursor": "x"}, mended: arguments{}},
	{code: brenner.CodeSummaryInvalid, tool: "artifact_write", args: newNote(arguments{"summary": " "}), mended: newNote(nil)},
	{code: brenner.CodeIdempotencyReused, tool: "artifact_write", args: newNote(arguments{"key": "k", "summary": "another"}), mended: newNote(arguments{"key": "k2", "id": "mine-2"}), set: func(s *stage) {
		s.calls("BlueLake", "artifact_write", newNote(arguments{"key": "k"}))
	}},
	{code: brenner.CodeInvalidPatch, tool: "patch_apply", args: patchOf("", "", arguments{"patch": "change it"}), mended: patchOf("four\n", "4\n", nil)},
	{code: brenner.CodeUnknownRole, tool: "request", args: arguments{"role": "boss", "title": "a", "spec": "b"}, mended: arguments{"role": "pi", "title": "a", "spec": "b"}},
	{code: brenner.CodeContentBlank, tool: "playbook_learn", args: lessonOf("helpful", " "), mended: lessonOf("helpful", "Calibrate first")},
	{code: brenner.CodeUnknownSection, tool: "playbook_learn", args: lessonOf("good", "Calibrate first"), mended: lessonOf("helpful", "Calibrate first")},
	{code: brenner.CodeInvalidDomain, tool: "playbook_learn", args: with(lessonOf("helpful", "Calibrate first"), "domain", "A b"), mended: with(lessonOf("helpful", "Calibrate first"), "domain", "labs")},
	{code: brenner.CodeInvalidStalemate, tool: "stalemate_raise", args: dispute(arguments{"alternatives": []any{}}), mended: dispute(nil)},
	{code: brenner.CodeEvidencePlaceholder, tool: "stalemate_raise", args: dispute(arguments{"evidence": []any{arguments{"kind": "error_log", "content": "[see log]"}}}), mended: dispute(nil)},
	{code: brenner.CodeReasonRequired, tool: "stalemate_reply", args: arguments{"id": "STALEMATE", "step": "withdraw"}, call: true, fill: arguments{"reason": "settled"}, set: raised},
	{code: brenner.CodeInvalidVerdict, agent: "OldOwl", tool: "stalemate_reply", args: arguments{"id": "STALEMATE", "step": "verdict", "verdict": "they are right"}, mended: arguments{"id": "STALEMATE", "step": "verdict", "verdict": "VERDICT"}, set: func(s *stage) {
		raised(s)
		s.calls("RedSky", "context_assemble", arguments{"question": "What is known?", "modules": []any{"lineage"}})
		s.calls("RedSky", "stalemate_reply", s.named(arguments{"id": "STALEMATE", "statement": "e", "justification": "f"}))
	}},
	{code: brenner.CodeArbiterIsParty, agent: "GreenValley", tool: "stalemate_reply", args: arguments{"id": "STALEMATE", "step": "verdict", "verdict": "VERDICT"}, person: "somebody who is no party has to decide", set: func(s *stage) {
		s.calls("GreenValley", "stalemate_raise", dispute(arguments{"hypotheses": []any{arguments{"author": "GreenValley", "statement": "a", "justification": "b"}, arguments{"author": "RedSky"}}}))
	}},
	{code: brenner.CodeApprovalDenied, tool: "review", args: arguments{"ref": "plan@1", "verdict": "approve"}, call: true, fill: arguments{"title": "Approve the plan", "spec": "Read it, and approve it if it holds."}, set: func(s *stage) {
		s.write("plan", artifact.TypeTestPlan, "lineage", artifact.Text, "move a cell")
	}},
	{code: brenner.CodeAlreadyReviewed, agent: "GreyStone", tool: "review", args: arguments{"lesson": "labs.1", "verdict": "reject"}, person: "a review is closed once, and the PI amends a lesson", set: func(s *stage) {
		unsure := 0.1
		s.do(s.pi.Learn(s.t.Context(), api.LearnRequest{Domain: "labs", Insights: []api.Insight{{Section: "helpful", Content: "Count twice.", Confidence: &unsure}}}))
		s.calls("GreyStone", "review", arguments{"lesson": "labs.1", "verdict": "approve"})
	}},
	{code: brenner.CodeCrossModule, tool: "context_assemble", args: arguments{"question": "why", "modules": []any{"lineage", "gradient"}}, mended: arguments{"question": "why", "modules": []any{"lineage"}}},

	// Faults behind the service: the same call once more, or a person.
	{code: brenner.CodeStoreBusy, fault: true, tool: "status", mended: arguments{}},
	{code: brenner.CodeCanceled, fault: true, tool: "status", mended: arguments{}},
	{code: brenner.CodeRateLimited, fault: true, tool: "status", mended: arguments{}},
	{code: brenner.CodeEmbedUnavailable, fault: true, tool: "status", mended: arguments{}},
	{code: brenner.CodeInternal, fault: true, tool: "status", person: "the cause is in the log of the server"},
	{code: brenner.CodeStoreUnavailable, fault: true, tool: "status", person: "the store has to be reached again"},
	{code: brenner.CodeStoreReadOnly, fault: true, tool: "status", person: "the file has to be made writable"},
	{code: brenner.CodeStoreFull, fault: true, tool: "status", person: "somebody has to make room"},
	{code: brenner.CodeStorageSpent, fault: true, tool: "status", person: "another share is for the PI to set"},
	{code: brenner.CodeStoreNewer, fault: true, tool: "status", person: "the program has to be upgraded"},
	{code: brenner.CodeJournalCorrupt, fault: true, tool: "status", person: "the journal has to be restored"},
	{code: brenner.CodeHistoryChanged, fault: true, tool: "status", person: "the PI accepts another history, or not"},
	{code: brenner.CodeUnauthenticated, fault: true, tool: "status", person: "a token is made by the PI"},
	{code: brenner.CodeEmbedRefused, fault: true, tool: "status", person: "the endpoint is configured by a person"},
	{code: brenner.CodeEmbedReplyInvalid, fault: true, tool: "status", person: "the endpoint is configured by a person"},
	{code: brenner.CodeDiskFull, never: "only files that the command line writes need that room; a store that is full says STORE_FULL"},
	{code: brenner.CodeEmbedNotAllowed, fault: true, tool: "status", call: true, fill: toThePI},
	{code: brenner.CodeEmbeddingMismatch, fault: true, tool: "status", call: true, fill: toThePI},
	{code: brenner.CodeVectorsMissing, fault: true, tool: "status", call: true, fill: toThePI},
	{code: brenner.CodeInvalidView, fault: true, tool: "status", call: true, fill: toThePI},
}

// elsewhere are the codes that no tool refuses with, and why.
func elsewhere() []refusalRow {
	var out []refusalRow
	for why, codes := range map[string][]brenner.Code{
		"files and the command line: no tool reads or writes a file": {
			brenner.CodeFileError, brenner.CodeFilesChanged, brenner.CodeFileProtected, brenner.CodeMetadataLost, brenner.CodeOutputFailed, brenner.CodeRecoveryConflict, brenner.CodePathRefused, brenner.CodeInvalidFrontMatter, brenner.CodeUsage, brenner.CodeBaseUnknown, brenner.CodeInexpressible,
		},
		"a server that agents reach has opened its project": {
			brenner.CodeNoProject, brenner.CodeProjectExists, brenner.CodeProjectNotYours, brenner.CodeConfigNotConfirmed, brenner.CodeAddressUnavailable, brenner.CodeInvalidConfig, brenner.CodeImportInvalid,
		},
		"no tool starts, ends or lands a run": {
			brenner.CodeInvalidProgram, brenner.CodeUnknownProgram, brenner.CodeProgramNotAllowed, brenner.CodeProgramMissing, brenner.CodeCostUnknown, brenner.CodeNoRepository, brenner.CodeLandRefused, brenner.CodeWorkTaken, brenner.CodeWorkDone, brenner.CodeWorkBlocked, brenner.CodeBudgetSpent, brenner.CodeRunEnded,
		},
		"no tool starts a session or sends its mail": {
			brenner.CodeInvalidRoster, brenner.CodeDuplicateAgent, brenner.CodeInvalidRole, brenner.CodeMissingRosterEntry, brenner.CodeEmptyRoster, brenner.CodeUnknownPreset, brenner.CodePresetFull, brenner.CodePresetUnfilled, brenner.CodeHeuristicRoster, brenner.CodeMailUnavailable, brenner.CodeMailUnauthorized, brenner.CodeMailRefused,
		},
		"no tool decides: promotions and redactions are for persons": {
			brenner.CodeSlotTaken, brenner.CodeNeedsRebase, brenner.CodeNotStale, brenner.CodeStillStale, brenner.CodeApprovalRequired, brenner.CodeAlreadyUndone, brenner.CodeNotUndoable, brenner.CodePersonRequired, brenner.CodeRedactsMore, brenner.CodeEvidenceRequired,
		},
		"no tool verifies the journal": {
			brenner.CodeCheckpointMismatch, brenner.CodeCheckpointInvalid,
		},
		"no tool takes a merged document, a threshold or a vector": {
			brenner.CodeInvalidSessionArtifact, brenner.CodeInvalidSessionDocument, brenner.CodeInvalidThreshold, brenner.CodeInvalidVector,
		},
		"only pages have forms": {
			brenner.CodeFormExpired,
		},
		"it refuses a message of the protocol before any tool is called; see the tests of the door": {
			brenner.CodeNotInitialized,
		},
	} {
		for _, code := range codes {
			out = append(out, refusalRow{code: code, never: why})
		}
	}
	for why, codes := range map[string][]brenner.Code{
		"delta_submit says it of one delta, with what to do; the others stand": {
			brenner.CodeInvalidDelta, brenner.CodeInvalidTarget, brenner.CodeTargetKilled, brenner.CodeSectionLimitExceeded, brenner.CodeMissingRequiredField, brenner.CodeRTEditOnly, brenner.CodeDeltaIDReused, brenner.CodeDeltaRepeated, brenner.CodeTargetAwaited, brenner.CodeTimestampSkew, brenner.CodeReferenceMoved, brenner.CodeItemAlike, brenner.CodeCrossedKills, brenner.CodeForetoldLater, brenner.CodeNoResult, brenner.CodeReservedField, brenner.CodeUnknownField, brenner.CodeRationaleMissing, brenner.CodeFieldConflict, brenner.CodeNoThirdAlternative, brenner.CodeNearMiss, brenner.CodeBlockIgnored,
		},
		"a finding about the document of a session, told with a compile": {
			brenner.CodeNoScaleCheck, brenner.CodeBelowMinimum, brenner.CodeThreadEmpty, brenner.CodeNotDiscriminative, brenner.CodeNoPotencyCheck, brenner.CodeIdlePotencyCheck, brenner.CodeNoCalculation, brenner.CodeNoEvidence, brenner.CodeUntestedHypothesis, brenner.CodeKilledReference, brenner.CodeNoScore, brenner.CodeNoAnchors, brenner.CodeNoRealThirdAlternative, brenner.CodeDanglingReference, brenner.CodeReferenceCycle,
		},
		"patch_apply says it of a patch that was accepted": {
			brenner.CodeLineRepeated, brenner.CodeLinesJoined, brenner.CodeFinalNewlineLost, brenner.CodeIndentationBroken, brenner.CodeBlockCutShort, brenner.CodeBlockMarked, brenner.CodeOddCharacters,
		},
		"a finding of the checks, which the PI runs": {
			brenner.CodeScopeCreep, brenner.CodeConstraintViolated, brenner.CodeUnlinked, brenner.CodeBriefMoved, brenner.CodeAssumptionConflict, brenner.CodeAssumptionSuspect,
		},
	} {
		for _, code := range codes {
			out = append(out, refusalRow{code: code, result: why})
		}
	}
	return out
}

// raised is a stage with a stalemate.
func raised(s *stage) { s.calls("BlueLake", "stalemate_raise", dispute(nil)) }

// anchored is a patch of our own form with one group.
func anchored(group string) string {
	return `{"protocol_id":"anchor_diff_v2.1","target":{"path":"log","base_checksum_sha256":"` + string(canon.Sum([]byte("one\ntwo\nthree\ntwo\nfour\n"))) + `"},"op_groups":[` + group + `]}`
}

func lessonOf(section, content string) arguments {
	return arguments{"insights": []any{arguments{"section": section, "content": content}}}
}

func with(args arguments, name string, value any) arguments {
	out := maps.Clone(args)
	out[name] = value
	return out
}

// X11: every code of the registry has a row. Where a tool can refuse with it,
// the refusal is brought about over MCP, the call it names in _meta is made as it
// stands, and gets further.
func TestRefusals_EveryCodeCanBeFollowed(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	seen := map[brenner.Code]bool{}
	for i, r := range refusalRows {
		seen[r.code] = true
		t.Run(fmt.Sprintf("%02d_%s_%s", i, r.code, r.tool), func(t *testing.T) { r.play(t) })
	}
	for _, info := range brenner.Codes() {
		if !seen[info.Code] {
			t.Errorf("%s has no row: say how an agent meets it and what it does then, or why it cannot", info.Code)
		}
	}
}

func (r refusalRow) play(t *testing.T) {
	ways := 0
	for _, one := range []bool{r.call, r.mended != nil, r.person != "", r.result != "", r.never != ""} {
		if one {
			ways++
		}
	}
	if ways != 1 {
		t.Fatalf("the row says %d ways, want one", ways)
	}
	if r.result != "" || r.never != "" {
		return // TestMain sees that no tool of any test refused with it
	}
	s := newStage(t)
	agent := r.agent
	if agent == "" {
		agent = "BlueLake"
	}
	if !r.fresh {
		s.calls(agent, "context_assemble", arguments{"question": "What is known of the lineage note?", "modules": []any{"lineage"}})
	}
	if r.set != nil {
		r.set(s)
	}
	args := s.named(r.args)
	session := s.session(agent)
	if r.fault {
		session = s.failing(agent, brenner.Errorf(r.code, "something behind the service failed"))
	}
	e, tries, words := s.refusedCall(session, r.tool, args)
	if e.Code != r.code {
		t.Fatalf("%s %v: %s, want %s:\n%s", r.tool, args, e.Code, r.code, words)
	}
	if e.Hint == "" && len(tries) == 0 {
		t.Fatalf("nothing is said about what to do:\n%s", words)
	}
	switch {
	case r.person != "":
		if len(tries) > 0 {
			t.Errorf("only a person can mend it, and yet:\n%s", words)
		}
	case r.mended != nil:
		s.follows(agent, session, r.tool, s.named(r.mended), r.then)
	case len(tries) == 0:
		t.Fatalf("no call is named:\n%s", words)
	default:
		tool, filled := tries[0].filled(t, args, s.named(r.fill))
		if !strings.Contains(words, "try: ") {
			t.Errorf("the words do not name the call:\n%s", words)
		}
		s.follows(agent, session, tool, filled, r.then)
	}
	if r.again {
		s.calls(agent, r.tool, args)
	}
}

// follows makes the call that a refusal led to.
func (s *stage) follows(agent brenner.ActorName, session *mcp.ClientSession, tool string, args arguments, then brenner.Code) {
	s.t.Helper()
	_, words, err := answered[arguments](s.t.Context(), session, tool, args)
	if got := brenner.CodeOf(err); got != then {
		s.t.Errorf("%s follows with %s %v: %s, want %q: %v\n%s", agent, tool, args, got, then, err, words)
	}
}

// tried is a call that a refusal names in _meta.
type tried struct {
	Tool      string    `json:"tool"`
	Arguments arguments `json:"arguments"`
	Fill      []string  `json:"fill"`
	Repeats   bool      `json:"repeats"`
}

// filled is the call with the values that it leaves to the agent, and no others.
func (c tried) filled(t *testing.T, refused, values arguments) (string, arguments) {
	t.Helper()
	out := arguments{}
	if c.Repeats {
		maps.Copy(out, refused)
	}
	maps.Copy(out, c.Arguments)
	for _, name := range c.Fill {
		value, ok := values[name]
		if !ok {
			t.Fatalf("%s %v leaves %s to the agent, for which the row has no value", c.Tool, c.Arguments, name)
		}
		outer, inner, nested := strings.Cut(name, ".")
		if !nested {
			out[name] = value
			continue
		}
		out[outer].(arguments)[inner] = value
	}
	for name := range values {
		if !slices.Contains(c.Fill, name) {
			t.Errorf("%s %v does not say that %s is the agent's to give", c.Tool, c.Arguments, name)
		}
	}
	return c.Tool, out
}

// refusedCall makes a call that is refused.
func (s *stage) refusedCall(session *mcp.ClientSession, tool string, args arguments) (*brenner.Error, []tried, string) {
	s.t.Helper()
	res, err := session.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(jsonText(args))})
	if err != nil {
		s.t.Fatal(err)
	}
	words := res.Content[0].(*mcp.TextContent).Text
	if !res.IsError {
		s.t.Fatalf("%s %v comes through:\n%s", tool, args, words)
	}
	e, err := refusalIn(res)
	if err != nil {
		s.t.Fatal(err)
	}
	var tries []tried
	if given, ok := res.Meta["brenner/try"]; ok {
		text, err := canon.Marshal(given)
		if err == nil {
			err = json.Unmarshal(text, &tries)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return e, tries, words
}

// named puts in what the stage alone knows the names of.
func (s *stage) named(args arguments) arguments {
	out := maps.Clone(args)
	for name, value := range out {
		switch value {
		case "TASK":
			out[name] = s.task
		case "STALEMATE":
			list, err := s.pi.Stalemates(s.t.Context(), api.ListStalematesRequest{})
			s.do(list, err)
			out[name] = string(list.Stalemates[0].ID)
		case "VERDICT":
			id := brenner.ArtifactID(s.named(arguments{"id": "STALEMATE"})["id"].(string))
			view, err := s.pi.Stalemate(s.t.Context(), api.StalemateRequest{ID: id})
			s.do(view, err)
			v := stalemate.Verdict{Outcome: stalemate.HypothesisUpheld, RootCause: "a", Explanation: []string{"the log says so"}, Remedy: "mend it", Verification: "look again"}
			for i, h := range view.Stalemate.All() {
				f := stalemate.Finding{Hypothesis: h.ID, Ruling: stalemate.Refuted, Reason: "the log", Evidence: []string{"e1"}}
				if i == 0 {
					f.Ruling = stalemate.Upheld
				}
				v.Findings = append(v.Findings, f)
			}
			out[name] = string(canon.MustMarshal(v))
		case "BULLET":
			list, err := s.pi.Bullets(s.t.Context(), api.ListBulletsRequest{})
			s.do(list, err)
			out[name] = string(list.Bullets[0].ID)
		}
	}
	return out
}

// failing is a client of a server whose service fails at the first call.
func (s *stage) failing(name brenner.ActorName, fault error) *mcp.ClientSession {
	s.t.Helper()
	failed := false
	server := mcpserver.New(mcpserver.Options{Version: "test", Service: func(context.Context, http.Header) (api.Service, error) {
		if !failed {
			failed = true
			return nil, fault
		}
		return s.app.As(app.Identity{Name: name, Auth: app.AuthAs}), nil
	}})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		s.t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

// A code that the table says no tool refuses with was returned by none in any
// test of this package, the stories of every surface among them.
func TestMain(m *testing.M) {
	status := m.Run()
	for _, r := range refusalRows {
		if _, found := met.Load(r.code); found && (r.result != "" || r.never != "") {
			fmt.Printf("FAIL: a tool refused with %s, of which the table says that none does\n", r.code)
			status = 1
		}
	}
	os.Exit(status)
}
