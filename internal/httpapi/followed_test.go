package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/httpapi"
	"brenner/roster"

	"github.com/go-json-experiment/json"
)

type members = map[string]any

// refusedRequest says which request is refused with a code, and what comes of
// sending what the problem document names. Exactly one of sent, mended, person
// and elsewhere says how.
type refusedRequest struct {
	code brenner.Code
	as   brenner.ActorName // "": BlueLake
	line string            // METHOD PATH, below the prefix
	body members
	set  func(*office)
	key  string // the idempotency key it comes with
	// fresh: the agent has no context yet.
	fresh bool
	// fault is an error of the store or of what stands behind it, which the test
	// puts in its place.
	fault bool

	// sent: the first way that the problem names is taken as it stands, with the
	// values it leaves to the reader by their names.
	sent bool
	fill members
	// mended: it has only words; this is the request that follows them.
	mended members
	at     string // where that is sent; "": as before
	again  bool   // the refused request comes through afterwards

	person    string // why no request mends it
	elsewhere string // why none is refused with it
}

// office is a project behind a server, for one row.
type office struct {
	*world
	t     *testing.T
	task  string
	st    string // a stalemate
	run   string // a run
	key   string // the idempotency key of what is sent
	fault error  // what the next request meets
}

// faulty is a backend that fails when it is told to.
type faulty struct {
	httpapi.Backend
	o *office
}

func (f faulty) Authenticate(ctx context.Context, token string) (httpapi.Caller, error) {
	if err := f.o.fault; err != nil {
		f.o.fault = nil
		return httpapi.Caller{}, err
	}
	return f.Backend.Authenticate(ctx, token)
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t}
	o.world = newWorld(t, func(s *httpapi.Options) { s.Backend = faulty{s.Backend, o} })
	pi := o.owner()
	for name, role := range map[brenner.ActorName]brenner.Role{
		"BlueLake": roster.HypothesisGenerator, "RedSky": roster.HypothesisGenerator, "GreyStone": "integrator",
		"OldOwl": "arbiter", "GreenValley": roster.AdversarialCritic,
	} {
		o.do(pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: role}))
		o.token(name)
	}
	note := func(id brenner.ArtifactID, kind brenner.TypeName, module brenner.Module, format artifact.Format, data string) {
		o.do(pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{ID: id, Type: kind, Module: module, Summary: "a note", Content: api.Body{Format: format, Data: data}}))
	}
	note("near", artifact.TypePaperNote, "lineage", artifact.JSON, `{"title":"A note","claims":["c"]}`)
	note("far", artifact.TypePaperNote, "gradient", artifact.JSON, `{"title":"A note","claims":["c"]}`)
	note("log", artifact.TypeAnalysisResult, "lineage", artifact.Text, "one\ntwo\nthree\ntwo\nfour\n")
	task, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Look", Spec: "look", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}})
	o.do(task, err)
	o.task = task.ID
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	o.do(pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}))
	return o
}

func (o *office) do(_ any, err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// send makes a request as somebody.
func (o *office) send(as brenner.ActorName, method, path string, body members) (int, members) {
	o.t.Helper()
	var in io.Reader = http.NoBody
	if method != http.MethodGet {
		raw, err := json.Marshal(body)
		o.do(nil, err)
		in = strings.NewReader(string(raw))
	}
	req, err := http.NewRequestWithContext(o.t.Context(), method, o.address+path, in)
	o.do(nil, err)
	req.Header.Set("Authorization", "Bearer "+o.token(as))
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	if o.key != "" {
		req.Header.Set("Idempotency-Key", o.key)
	}
	res, err := http.DefaultClient.Do(req)
	o.do(nil, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	o.do(nil, err)
	var out members
	if err := json.Unmarshal(raw, &out); err != nil && len(raw) > 0 && raw[0] == '{' {
		o.t.Fatalf("%s: %v", raw, err)
	}
	return res.StatusCode, out
}

// must makes a request that comes through.
func (o *office) must(as brenner.ActorName, line string, body members) members {
	o.t.Helper()
	method, path, _ := strings.Cut(o.named(line), " ")
	status, out := o.send(as, method, "/api/v1"+path, o.whole(body))
	if status >= 400 {
		o.t.Fatalf("%s %s %v: %d %v", as, line, body, status, out)
	}
	return out
}

func (o *office) named(text string) string {
	return strings.NewReplacer("TASK-ID", o.task, "STALEMATE-ID", o.st, "RUN-ID", o.run).Replace(text)
}

func (o *office) whole(body members) members {
	out := maps.Clone(body)
	for name, value := range out {
		if text, ok := value.(string); ok {
			out[name] = o.named(text)
		}
	}
	return out
}

func noted(more members) members {
	out := members{"id": "mine", "type": "paper_note", "module": "lineage", "summary": "s", "content": jsonNote}
	maps.Copy(out, more)
	return out
}

func edited(old, now string, more members) members {
	out := members{"patch": members{"old_string": old, "new_string": now}, "summary_holds": true, "change": members{"what": "w", "why": "y"}}
	maps.Copy(out, more)
	return out
}

var (
	jsonNote = members{"format": "json", "data": `{"title":"B","claims":["d"]}`}
	newerOne = members{"format": "json", "data": `{"title":"C","claims":["e"]}`}
	reasons  = members{"what": "w", "why": "y"}
	asked    = members{"title": "Please", "spec": "for me"}
	quarrel  = members{"module": "lineage", "stalemate": members{
		"summary": "we differ", "arbitration_request": "who is right",
		"hypotheses":   []any{members{"author": "BlueLake", "statement": "a", "justification": "b"}, members{"author": "RedSky"}},
		"alternatives": []any{members{"statement": "c", "justification": "d"}},
		"evidence":     []any{members{"kind": "error_log", "content": "it failed at line 3 of the log"}},
	}}
)

func lessonOf(section, content string) members {
	return members{"insights": []any{members{"section": section, "content": content}}}
}

func quarreled(o *office) { o.st = o.must("BlueLake", "POST /stalemates", quarrel)["id"].(string) }

var refusedRequests = []refusedRequest{
	{code: brenner.CodeContextRequired, line: "GET /artifacts/near", fresh: true, sent: true, again: true},
	{code: brenner.CodeReadDenied, line: "GET /artifacts/far", sent: true, again: true},
	{code: brenner.CodeReadDenied, line: "GET /records", sent: true, fill: asked},
	{code: brenner.CodeNotFound, line: "GET /artifacts/nowhere", sent: true},
	{code: brenner.CodeNotFound, line: "GET /tasks/task-0", sent: true},
	{code: brenner.CodeNotFound, line: "GET /sessions/RS-0", sent: true},
	{code: brenner.CodeNotFound, line: "POST /inbox/msg-1/read", sent: true},
	{code: brenner.CodeTaskNotYours, line: "POST /artifacts", body: noted(members{"task": "TASK-ID"}), sent: true, again: true},
	{code: brenner.CodeTaskTaken, as: "RedSky", line: "POST /tasks/claim", body: members{"id": "TASK-ID"}, sent: true, set: func(o *office) {
		o.must("BlueLake", "POST /tasks/claim", members{"id": "TASK-ID"})
	}},
	{code: brenner.CodeTaskClosed, line: "POST /tasks/claim", body: members{"id": "TASK-ID"}, sent: true, set: func(o *office) {
		o.do(o.owner().CancelTask(o.t.Context(), api.CancelTaskRequest{ID: o.task, Reason: "no"}))
	}},
	{code: brenner.CodeAlreadyExists, line: "POST /artifacts", body: noted(members{"id": "near"}), sent: true, fill: members{"summary": "t", "content": newerOne, "what": "w", "why": "y"}},
	{code: brenner.CodeSummaryStale, line: "POST /artifacts/near/versions", body: members{"content": newerOne, "change": reasons}, sent: true},
	{code: brenner.CodeNothingChanged, line: "POST /artifacts/near/versions", body: members{"summary": "a note", "content": members{"format": "json", "data": `{"title":"A note","claims":["c"]}`}, "change": reasons}, sent: true},
	{code: brenner.CodeConflictHead, line: "POST /artifacts/near/versions", body: members{"expect": 4, "summary": "t", "content": newerOne, "change": reasons}, sent: true},
	{code: brenner.CodeUnknownModule, line: "POST /artifacts", body: noted(members{"module": "linage"}), sent: true},
	{code: brenner.CodeUnknownType, line: "POST /artifacts", body: noted(members{"type": "paper_notes"}), sent: true},
	{code: brenner.CodeSchemaViolation, line: "POST /artifacts", body: noted(members{"content": members{"format": "json", "data": `{"title":"B"}`}}), sent: true, fill: members{"content": jsonNote}},
	{code: brenner.CodeWriteDenied, line: "POST /artifacts", body: noted(members{"type": "project_brief"}), sent: true, fill: asked},
	{code: brenner.CodeStatusConflict, line: "POST /stalemates/STALEMATE-ID/move", body: members{"action": "implement"}, set: quarreled, sent: true},
	{code: brenner.CodeReasonRequired, line: "POST /stalemates/STALEMATE-ID/move", body: members{"action": "withdraw"}, set: quarreled, sent: true, fill: members{"reason": "settled"}},
	{code: brenner.CodeAnchorNotFound, line: "POST /artifacts/log@1/patch", body: edited("five\n", "5\n", nil), sent: true},
	{code: brenner.CodeAnchorAmbiguous, line: "POST /artifacts/log@1/patch", body: edited("two\n", "2\n", nil), sent: true},
	{code: brenner.CodeBaseMismatch, line: "POST /artifacts/log@2/patch", body: edited("four\n", "4\n", members{"base": 1}), sent: true, set: func(o *office) {
		o.must("BlueLake", "POST /artifacts/log@1/patch", edited("one\n", "1\n", nil))
	}},
	{code: brenner.CodeSessionClosed, line: "POST /deltas", body: members{"session": "RS-1", "text": "I think so."}, sent: true, fill: asked, set: func(o *office) {
		o.do(o.owner().CloseSession(o.t.Context(), api.CloseSessionRequest{ID: "RS-1", Reason: "done"}))
	}},
	{code: brenner.CodeSessionClosed, as: "ada", line: "POST /deltas", body: members{"session": "RS-1", "text": "I think so."}, sent: true, set: func(o *office) {
		o.do(o.owner().CloseSession(o.t.Context(), api.CloseSessionRequest{ID: "RS-1", Reason: "done"}))
	}},
	{code: brenner.CodeUnknownAgent, as: "RedSky", line: "POST /deltas", body: members{"session": "RS-1", "text": "I think so."}, sent: true, fill: asked},
	{code: brenner.CodeFeedbackDenied, line: "POST /bullets/general.1/feedback", body: members{"as": "helpful"}, sent: true, set: func(o *office) {
		o.must("RedSky", "POST /playbook/learn", members{"insights": []any{members{"section": "helpful", "content": "Calibrate the probe before each night"}}})
	}},
	{code: brenner.CodeRedacted, line: "GET /artifacts/log@1", sent: true, set: func(o *office) {
		o.do(o.owner().Redact(o.t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "log", Version: 1}, Reason: "a name"}))
	}},
	{code: brenner.CodeUnknownRole, as: "ada", line: "POST /agents", body: members{"name": "WhiteFox", "role": "boss"}, sent: true},
	{code: brenner.CodeUnauthenticated, as: "Nobody", line: "GET /status", fresh: true, person: "a token is made by the PI"},

	{code: brenner.CodeInvalidID, line: "POST /artifacts", body: noted(members{"id": "a b"}), mended: noted(nil)},
	{code: brenner.CodeInvalidValue, line: "POST /tasks", body: members{"title": " ", "spec": "b", "role": "pi"}, mended: members{"title": "a", "spec": "b", "role": "pi"}},
	{code: brenner.CodeInvalidJSON, line: "POST /artifacts/search", body: members{"txt": "note"}, mended: members{"text": "note"}},
	{code: brenner.CodeInvalidText, line: "POST /artifacts/search", body: members{"text": "a\x00b"}, mended: members{"text": "ab"}},
	{code: brenner.CodeLimitExceeded, line: "POST /artifacts", body: noted(members{"tags": slices.Repeat([]any{"tag"}, 200)}), mended: noted(nil)},
	{code: brenner.CodeInvalidLink, line: "POST /artifacts", body: noted(members{"links": []any{members{"rel": "near", "artifact": "near", "version": 1}}}), mended: noted(members{"links": []any{members{"rel": "cites", "artifact": "near", "version": 1}}})},
	{code: brenner.CodeInvalidParent, line: "POST /artifacts/near/versions", body: members{"parent": 7, "summary": "t", "content": newerOne, "change": reasons}, mended: members{"parent": 1, "summary": "t", "content": newerOne, "change": reasons}},
	{code: brenner.CodeInvalidCursor, line: "GET /inbox?cursor=x", mended: members{}, at: "GET /inbox"},
	{code: brenner.CodeSummaryInvalid, line: "POST /artifacts", body: noted(members{"summary": " "}), mended: noted(nil)},
	{code: brenner.CodeInvalidPatch, line: "POST /artifacts/log@1/patch", body: edited("", "", members{"patch": "change it"}), mended: edited("four\n", "4\n", nil)},
	{code: brenner.CodeChangeNoteRequired, as: "GreyStone", line: "POST /artifacts/memo/versions", body: members{"summary": "t", "content": members{"format": "json", "data": `{"text":"more"}`}}, sent: true, fill: reasons, set: func(o *office) {
		o.do(o.owner().CreateArtifact(o.t.Context(), api.CreateArtifactRequest{ID: "memo", Type: "integrated_memo", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.JSON, Data: `{"text":"all"}`}}))
	}},
	{code: brenner.CodeContentBlank, line: "POST /playbook/learn", body: lessonOf("helpful", " "), mended: lessonOf("helpful", "Calibrate first")},
	{code: brenner.CodeUnknownSection, line: "POST /playbook/learn", body: lessonOf("good", "Calibrate first"), mended: lessonOf("helpful", "Calibrate first")},
	{code: brenner.CodeInvalidDomain, line: "POST /playbook/learn", body: members{"domain": "A b", "insights": lessonOf("helpful", "x")["insights"]}, mended: lessonOf("helpful", "Calibrate first")},
	{code: brenner.CodeInvalidStalemate, line: "POST /stalemates", body: members{"module": "lineage", "stalemate": members{"summary": "we differ"}}, mended: quarrel},
	{code: brenner.CodeCrossModule, line: "POST /contexts", body: members{"question": "why", "modules": []any{"lineage", "gradient"}}, mended: members{"question": "why", "modules": []any{"lineage"}}},
}

// X11: what a problem document names is a request that this API answers: it is
// sent as it stands, body and all, and gets further.
func TestProblems_WhatTheyNameCanBeSent(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	sent, seen := 0, map[brenner.Code]bool{}
	for i, r := range slices.Concat(refusedRequests, realRequests(), faultyRequests(), notOverHTTP()) {
		seen[r.code] = true
		t.Run(fmt.Sprintf("%02d_%s", i, r.code), func(t *testing.T) { r.play(t) })
		if r.sent {
			sent++
		}
	}
	for _, info := range brenner.Codes() {
		if !seen[info.Code] {
			t.Errorf("%s has no row: say how a request meets it and what is sent then, or why it cannot", info.Code)
		}
	}
	t.Logf("%d rows, of which %d were followed as they stand", len(refusedRequests)+len(realRequests()), sent)
}

func (r refusedRequest) play(t *testing.T) {
	if r.elsewhere != "" {
		return
	}
	o := newOffice(t)
	if r.as == "" {
		r.as = "BlueLake"
	}
	if !r.fresh && r.as != "ada" {
		o.must(r.as, "POST /contexts", members{"question": "What is known of the lineage note?", "modules": []any{"lineage"}})
	}
	if r.set != nil {
		r.set(o)
	}
	method, path, _ := strings.Cut(o.named(r.line), " ")
	body := o.whole(r.body)
	if r.fault {
		o.fault = brenner.Errorf(r.code, "something behind the service failed")
	}
	o.key = r.key
	status, problem := o.send(r.as, method, "/api/v1"+path, body)
	o.key = ""
	if status < 400 || problem["code"] != string(r.code) {
		t.Fatalf("%s %s %v: %d %v, want %s", r.as, r.line, body, status, problem, r.code)
	}
	ways, _ := problem["actions"].([]any)
	if problem["hint"] == nil && len(ways) == 0 {
		t.Fatalf("nothing is said about what to do: %v", problem)
	}
	switch {
	case r.person != "":
		return
	case r.mended != nil:
		if r.at != "" {
			method, path, _ = strings.Cut(o.named(r.at), " ")
		}
		if status, out := o.send(r.as, method, "/api/v1"+path, o.whole(r.mended)); status >= 400 {
			t.Errorf("mended: %d %v", status, out)
		}
		return
	case len(ways) == 0:
		t.Fatalf("no request is named: %v", problem)
	}
	way := ways[0].(members)
	to, ok := way["href"].(string)
	next, _ := way["body"].(members)
	if way["action"] == "again" {
		to, ok = "/api/v1"+path, true
		over := next
		next = maps.Clone(body)
		maps.Copy(next, over)
	} else {
		method, _ = way["method"].(string)
	}
	if !ok {
		t.Fatalf("%v has no address", way)
	}
	next = r.filled(t, way, next)
	if status, out := o.send(r.as, method, to, next); status >= 400 {
		t.Errorf("%s %s %v: %d %v\nit was said: %v", method, to, next, status, out, way)
	}
	if r.again {
		o.must(r.as, r.line, r.body)
	}
}

// filled puts the reader's values where the way keeps their place in capitals.
func (r refusedRequest) filled(t *testing.T, way, body members) members {
	t.Helper()
	named, _ := way["fill"].([]any)
	for _, name := range named {
		if _, ok := r.fill[name.(string)]; !ok {
			t.Fatalf("%v leaves %s to the reader, for which the row has no value", way, name)
		}
	}
	if len(named) != len(r.fill) {
		t.Errorf("%v asks for %v, the row has %v", way, named, r.fill)
	}
	out := maps.Clone(body)
	for name, value := range r.fill {
		if inner, ok := out["change"].(members); ok && (name == "what" || name == "why") {
			inner[name] = value
			continue
		}
		if _, kept := out[name]; !kept {
			t.Errorf("%s has no place in %v", name, body)
		}
		out[name] = value
	}
	return out
}

// faultyRequests meet a fault behind the service, which no request brings about:
// a store that is full, damaged or newer, a server of mail or embeddings that
// fails, an answer that was given up. It is put in its place. What is done is
// the same request once more, or is for a person to do.
func faultyRequests() []refusedRequest {
	var out []refusedRequest
	for _, code := range []brenner.Code{brenner.CodeStoreBusy, brenner.CodeCanceled, brenner.CodeRateLimited, brenner.CodeEmbedUnavailable} {
		out = append(out, refusedRequest{code: code, fault: true, line: "GET /status", mended: members{}})
	}
	for why, codes := range map[string][]brenner.Code{
		"the cause is in the log of the server": {brenner.CodeInternal},
		"whoever runs the server mends the store": {
			brenner.CodeStoreUnavailable, brenner.CodeStoreReadOnly, brenner.CodeStoreFull, brenner.CodeDiskFull, brenner.CodeStoreNewer, brenner.CodeJournalCorrupt,
			brenner.CodeHistoryChanged, brenner.CodeCheckpointMismatch,
		},
		"the endpoint of an embedding is configured by a person": {
			brenner.CodeEmbedRefused, brenner.CodeEmbedReplyInvalid, brenner.CodeEmbedNotAllowed, brenner.CodeVectorsMissing,
		},
		"the PI makes room, or gives more":      {brenner.CodeStorageSpent},
		"a threshold is configured by a person": {brenner.CodeInvalidThreshold},
		"mail is delivered by another server":   {brenner.CodeMailUnavailable, brenner.CodeMailUnauthorized, brenner.CodeMailRefused},
	} {
		for _, code := range codes {
			out = append(out, refusedRequest{code: code, fault: true, line: "GET /status", person: why})
		}
	}
	return out
}

// notOverHTTP are the codes that no request is refused with, and why.
func notOverHTTP() []refusedRequest {
	var out []refusedRequest
	for why, codes := range map[string][]brenner.Code{
		"files, programs and the command line": {
			brenner.CodeFileError, brenner.CodeFilesChanged, brenner.CodeFileProtected, brenner.CodeMetadataLost, brenner.CodeOutputFailed, brenner.CodeRecoveryConflict,
			brenner.CodePathRefused, brenner.CodeInvalidFrontMatter, brenner.CodeUsage, brenner.CodeBaseUnknown, brenner.CodeInexpressible, brenner.CodeInvalidSessionDocument,
			brenner.CodeProgramNotAllowed, brenner.CodeProgramMissing, brenner.CodeCostUnknown, brenner.CodeNoRepository, brenner.CodeLandRefused,
			brenner.CodeInvalidProgram, brenner.CodeUnknownProgram, brenner.CodeBudgetSpent, brenner.CodeImportInvalid, brenner.CodeInvalidSessionArtifact,
		},
		"a server has opened its project":                            {brenner.CodeNoProject, brenner.CodeProjectExists, brenner.CodeProjectNotYours, brenner.CodeConfigNotConfirmed, brenner.CodeAddressUnavailable},
		"only pages have forms, and only MCP begins with a greeting": {brenner.CodeFormExpired, brenner.CodeNotInitialized},
		"it comes with an answer, about one delta, patch, document, roster or version in it": {
			brenner.CodeInvalidDelta, brenner.CodeInvalidTarget, brenner.CodeTargetKilled, brenner.CodeSectionLimitExceeded, brenner.CodeMissingRequiredField, brenner.CodeRTEditOnly,
			brenner.CodeDeltaIDReused, brenner.CodeDeltaRepeated, brenner.CodeTargetAwaited, brenner.CodeTimestampSkew, brenner.CodeReferenceMoved, brenner.CodeItemAlike, brenner.CodeCrossedKills, brenner.CodeForetoldLater, brenner.CodeNoResult, brenner.CodeReservedField, brenner.CodeUnknownField,
			brenner.CodeRationaleMissing, brenner.CodeFieldConflict, brenner.CodeNoThirdAlternative, brenner.CodeNearMiss, brenner.CodeBlockIgnored, brenner.CodeNoScaleCheck,
			brenner.CodeBelowMinimum, brenner.CodeThreadEmpty, brenner.CodeNotDiscriminative, brenner.CodeNoPotencyCheck, brenner.CodeIdlePotencyCheck, brenner.CodeNoCalculation,
			brenner.CodeNoEvidence, brenner.CodeUntestedHypothesis, brenner.CodeKilledReference, brenner.CodeNoScore, brenner.CodeNoAnchors, brenner.CodeNoRealThirdAlternative,
			brenner.CodeDanglingReference, brenner.CodeReferenceCycle, brenner.CodeLineRepeated, brenner.CodeLinesJoined, brenner.CodeFinalNewlineLost, brenner.CodeIndentationBroken,
			brenner.CodeBlockCutShort, brenner.CodeBlockMarked, brenner.CodeOddCharacters, brenner.CodeScopeCreep, brenner.CodeConstraintViolated, brenner.CodeUnlinked,
			brenner.CodeBriefMoved, brenner.CodeAssumptionConflict, brenner.CodeAssumptionSuspect, brenner.CodeDuplicateAgent, brenner.CodeInvalidRole, brenner.CodeMissingRosterEntry,
			brenner.CodeEmptyRoster, brenner.CodePresetFull, brenner.CodePresetUnfilled, brenner.CodeHeuristicRoster, brenner.CodeUnknownPreset,
		},
	} {
		for _, code := range codes {
			out = append(out, refusedRequest{code: code, elsewhere: why})
		}
	}
	return out
}
