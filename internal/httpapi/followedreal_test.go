package httpapi_test

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/roster"
)

// anchored is a patch of the log in the protocol's own form, with one group.
func anchored(group string, more members) members {
	patch := `{"protocol_id":"anchor_diff_v2.1","target":{"path":"log","base_checksum_sha256":"` +
		string(canon.Sum([]byte("one\ntwo\nthree\ntwo\nfour\n"))) + `"},"op_groups":[` + group + `]}`
	for name, value := range more {
		patch = strings.Replace(patch, "{", fmt.Sprintf(`{%q:%q,`, name, value), 1)
	}
	return members{"patch": patch, "summary_holds": true, "change": reasons}
}

// writes has the PI write something.
func (o *office) writes(id brenner.ArtifactID, kind brenner.TypeName, module brenner.Module, text string) {
	o.t.Helper()
	o.do(o.owner().CreateArtifact(o.t.Context(), api.CreateArtifactRequest{
		ID: id, Type: kind, Module: module, Summary: "about " + string(id), Content: api.Body{Format: artifact.Text, Data: text},
	}))
}

// settled has both parties of the quarrel say what they hold, and an arbiter
// take it on.
func settled(o *office) {
	quarreled(o)
	o.must("RedSky", "POST /contexts", members{"question": "What is known?", "modules": []any{"lineage"}})
	o.must("RedSky", "POST /stalemates/STALEMATE-ID/move", members{"action": "reply", "statement": "e", "justification": "f"})
	o.must("OldOwl", "POST /stalemates/STALEMATE-ID/arbitrate", members{})
}

// runOf is a piece of work for BlueLake.
func runOf(more members) members {
	out := members{
		"agent": "BlueLake", "task": "TASK-ID", "runner": "here/1/2",
		"program": members{"name": "script", "profile": "script", "tools": "none", "directory": "scratch"},
	}
	for name, value := range more {
		out[name] = value
	}
	return out
}

// ran starts a run and ends it.
func (o *office) ran(outcome, cause string) string {
	id := o.must("ada", "POST /runs", runOf(nil))["id"].(string)
	o.must("ada", "POST /runs/"+id+"/end", members{"runner": "here/1/2", "outcome": outcome, "cause": cause, "said": "so", "starts": 1})
	return id
}

func rostered(more members) members {
	out := members{"id": "RS-2", "question": "Why?", "module": "lineage", "to": []any{"BlueLake"}, "roster": members{"entries": []any{members{"agentName": "BlueLake", "role": "hypothesis_generator"}}}}
	for name, value := range more {
		out[name] = value
	}
	return out
}

// realRequests bring about what is rarer: two writers, a decision that is due,
// a run that is over.
func realRequests() []refusedRequest {
	two := `{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"}]}`
	return []refusedRequest{
		{code: brenner.CodeContextOverflow, line: "GET /artifacts/big", sent: true, set: func(o *office) {
			o.writes("big", artifact.TypeAnalysisResult, "lineage", strings.Repeat("many words that cost something to read\n", 6000))
		}},
		{code: brenner.CodeCompressionRequired, as: "GreyStone", line: "POST /tasks/claim", body: members{"id": "TASK-ID"}, sent: true, fill: asked, set: func(o *office) {
			task, err := o.owner().NewTask(o.t.Context(), api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true})
			o.do(task, err)
			o.task = task.ID
			for i := range 11 {
				o.writes(brenner.ArtifactID(fmt.Sprintf("many-%d", i)), artifact.TypeAnalysisResult, "lineage", "one more")
			}
		}},
		{code: brenner.CodeOldBlockMismatch, line: "POST /artifacts/log@1/patch", body: anchored(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"three\n","new_block":"3\n"}]}`, nil), sent: true},
		{code: brenner.CodeResultMismatch, line: "POST /artifacts/log@1/patch", body: anchored(two, members{"result_sha256": strings.Repeat("0", 64)}), sent: true},
		{code: brenner.CodeOverlap, line: "POST /artifacts/log@1/patch", body: anchored(`{"anchor":{"text":"one\n"},"targets":[{"op":"replace_block","old_block":"two\n","new_block":"2\n"},{"op":"replace_block","old_block":"two\nthree\n","new_block":"3\n"}]}`, nil), mended: edited("two\nthree\n", "2\n3\n", nil)},
		{code: brenner.CodeRebaseConflict, line: "POST /artifacts/log@2/patch", body: edited("one\n", "eins\n", members{"base": 1, "rebase": true}), sent: true, set: func(o *office) {
			o.must("BlueLake", "POST /artifacts/log@1/patch", edited("one\n", "1\n", nil))
		}},
		{code: brenner.CodeIdempotencyReused, key: "k", line: "POST /artifacts", body: noted(members{"id": "other"}), mended: noted(members{"id": "other"}), set: func(o *office) {
			o.key = "k"
			o.must("BlueLake", "POST /artifacts", noted(nil))
			o.key = ""
		}},
		{code: brenner.CodeEvidencePlaceholder, line: "POST /stalemates", body: members{"module": "lineage", "stalemate": members{
			"summary": "we differ", "arbitration_request": "who is right",
			"hypotheses":   []any{members{"author": "BlueLake", "statement": "a", "justification": "b"}, members{"author": "RedSky"}},
			"alternatives": []any{members{"statement": "c", "justification": "d"}},
			"evidence":     []any{members{"kind": "error_log", "content": "[see log]"}},
		}}, mended: quarrel},
		{code: brenner.CodeInvalidVerdict, as: "OldOwl", line: "POST /stalemates/STALEMATE-ID/verdict", body: members{"verdict": members{"outcome": "perhaps"}}, mended: members{}, set: settled},
		{code: brenner.CodeArbiterIsParty, as: "GreenValley", line: "POST /stalemates/STALEMATE-ID/arbitrate", person: "somebody who is no party has to decide", set: func(o *office) {
			o.st = o.must("GreenValley", "POST /stalemates", members{"module": "lineage", "stalemate": members{
				"summary": "we differ", "arbitration_request": "who is right",
				"hypotheses":   []any{members{"author": "GreenValley", "statement": "a", "justification": "b"}, members{"author": "RedSky"}},
				"alternatives": []any{members{"statement": "c", "justification": "d"}},
				"evidence":     []any{members{"kind": "error_log", "content": "it failed at line 3 of the log"}},
			}})["id"].(string)
		}},
		{
			code: brenner.CodeEvidenceRequired, line: "POST /stalemates/STALEMATE-ID/move", body: members{"action": "reopen", "reason": "think again"},
			mended: members{"action": "reopen", "reason": "a second log", "evidence": []any{members{"kind": "error_log", "content": "it failed at line 9 of another log"}}},
			set: func(o *office) {
				settled(o)
				o.must("OldOwl", "POST /stalemates/STALEMATE-ID/verdict", members{})
				o.must("BlueLake", "POST /stalemates/STALEMATE-ID/move", members{"action": "appeal", "reason": "there is more"})
			},
		},
		{code: brenner.CodeInvalidRoster, as: "ada", line: "POST /sessions", body: rostered(members{"roster": members{"entries": []any{members{"agentName": "BlueLake", "role": "boss"}}}}), mended: rostered(nil)},
		{code: brenner.CodeInvalidConfig, as: "ada", line: "POST /config", body: members{"file": members{"name": ".brennerrc", "data": "moduls: [lineage]\n"}}, mended: members{"file": members{"name": ".brennerrc", "data": "modules: [lineage, gradient]\n"}}},
		{
			code: brenner.CodeInvalidView, as: "ada", line: "POST /artifacts", body: members{"type": "context_view", "module": "project", "summary": "s", "content": members{"format": "json", "data": `{"role":"writer","types":[{"type":"papernote"}]}`}},
			mended: members{"type": "context_view", "module": "project", "summary": "s", "content": members{"format": "json", "data": `{"role":"writer","types":[{"type":"paper_note","variant":"summary"}]}`}},
		},
		{code: brenner.CodeSlotTaken, as: "ada", line: "POST /artifacts/brief-b@1/promote", body: members{"reason": "better"}, sent: true, set: func(o *office) {
			for _, id := range []brenner.ArtifactID{"brief-a", "brief-b"} {
				o.do(o.owner().CreateArtifact(o.t.Context(), api.CreateArtifactRequest{ID: id, Type: artifact.TypeProjectBrief, Module: "project", Summary: "why", Content: api.Body{Format: artifact.JSON, Data: `{"question":"Why?"}`}}))
			}
			o.must("ada", "POST /artifacts/brief-a@1/promote", members{"reason": "first"})
		}},
		{code: brenner.CodeRedactsMore, as: "ada", line: "POST /redact", body: members{"ref": "near@1", "reason": "a name"}, sent: true},
		{code: brenner.CodePersonRequired, as: "GreyStone", line: "POST /bullets/general.1/force", body: members{"stage": "PROD", "reason": "sounds right"}, sent: true, fill: asked, set: func(o *office) {
			o.must("RedSky", "POST /playbook/learn", lessonOf("helpful", "Calibrate the probe before each night"))
		}},
		{code: brenner.CodeAlreadyReviewed, as: "GreyStone", line: "POST /bullets/labs.1/review", body: members{"approve": false, "reason": "no"}, person: "a review is closed once, and the PI amends a lesson", set: func(o *office) {
			unsure := 0.1
			o.do(o.owner().Learn(o.t.Context(), api.LearnRequest{Domain: "labs", Insights: []api.Insight{{Section: "helpful", Content: "Count twice.", Confidence: &unsure}}}))
			o.must("GreyStone", "POST /bullets/labs.1/review", members{"approve": true, "reason": "yes"})
		}},
		{code: brenner.CodeAlreadyUndone, as: "ada", line: "POST /playbook/undo", body: members{"record": "general.1#1", "reason": "by mistake"}, person: "it is undone", set: func(o *office) {
			for range 2 {
				o.must("RedSky", "POST /playbook/learn", lessonOf("helpful", "Calibrate the probe before each night"))
			}
			o.must("ada", "POST /playbook/undo", members{"record": "general.1#1", "reason": "by mistake"})
		}},
		{code: brenner.CodeNotUndoable, as: "ada", line: "POST /playbook/undo", body: members{"record": "general.1#3", "reason": "after all"}, person: "what answers an undo is for the PI to choose", set: func(o *office) {
			for range 2 {
				o.must("RedSky", "POST /playbook/learn", lessonOf("helpful", "Calibrate the probe before each night"))
			}
			o.must("ada", "POST /playbook/undo", members{"record": "general.1#2", "reason": "by mistake"})
		}},
		{code: brenner.CodeInvalidVector, line: "POST /playbook/learn", body: members{"domain": "labs", "insights": []any{members{"section": "helpful", "content": "x", "vector": []any{1, 0, 0}}}}, mended: lessonOf("helpful", "Count twice"), set: func(o *office) {
			o.do(o.owner().Learn(o.t.Context(), api.LearnRequest{Domain: "labs", Insights: []api.Insight{{Section: "helpful", Content: "Count twice.", Vector: []float64{1, 0}}}}))
		}},
		{
			code: brenner.CodeEmbeddingMismatch, line: "POST /playbook/learn", body: members{"domain": "labs", "insights": lessonOf("helpful", "Count thrice")["insights"]},
			mended: members{"domain": "labs", "insights": []any{members{"section": "helpful", "content": "Count thrice", "vector": []any{0, 1}}}}, set: func(o *office) {
				o.do(o.owner().Learn(o.t.Context(), api.LearnRequest{Domain: "labs", Insights: []api.Insight{{Section: "helpful", Content: "Count twice.", Vector: []float64{1, 0}}}}))
			},
		},
		{code: brenner.CodeNeedsRebase, as: "ada", line: "POST /artifacts/mine@1/promote", body: members{"reason": "good"}, sent: true, set: func(o *office) {
			task, err := o.owner().NewTask(o.t.Context(), api.NewTaskRequest{Title: "Look", Spec: "look", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{{Artifact: "log", Version: 1}}})
			o.do(task, err)
			o.task = task.ID
			o.must("BlueLake", "POST /tasks/claim", members{"id": "TASK-ID"})
			o.must("BlueLake", "POST /artifacts", noted(members{"task": "TASK-ID"}))
			o.must("ada", "POST /artifacts/log@1/patch", edited("one\n", "1\n", nil))
			o.must("BlueLake", "POST /tasks/TASK-ID/complete", members{})
		}},
		{code: brenner.CodeNotStale, as: "ada", line: "POST /decisions", body: members{"decision": "still_holds", "refs": []any{"near@1"}, "reason": "fine"}, person: "there is nothing to confirm", set: func(o *office) {
			o.must("ada", "POST /artifacts/near@1/promote", members{"reason": "good"})
		}},
		{code: brenner.CodeCheckpointInvalid, as: "ada", line: "POST /verify", body: members{"checkpoints": []any{"{}"}}, mended: members{}, set: func(o *office) {
			o.must("ada", "POST /checkpoint", nil)
		}},
		{code: brenner.CodeCheckpointInvalid, as: "ada", line: "POST /verify", body: members{"checkpoints": []any{"{}"}}, person: "whoever made a checkpoint elsewhere has the key that checks it"},
		{
			code: brenner.CodeStillStale, as: "ada", line: "POST /decisions", body: members{"decision": "still_holds", "refs": []any{"third@1"}, "reason": "fine"},
			mended: members{"decision": "still_holds", "refs": []any{"second@1", "third@1"}, "reason": "both hold"}, set: func(o *office) {
				rests := func(id, on brenner.ArtifactID) {
					links := []artifact.Link{}
					if on != "" {
						links = append(links, artifact.Link{Rel: "depends_on", Artifact: on, Version: 1})
					}
					o.do(o.owner().CreateArtifact(o.t.Context(), api.CreateArtifactRequest{ID: id, Type: artifact.TypeAnalysisResult, Module: "lineage", Summary: "about " + string(id), Content: api.Body{Format: artifact.Text, Data: string(id)}, Links: links}))
					o.must("ada", "POST /artifacts/"+string(id)+"@1/promote", members{"reason": "good"})
				}
				rests("first", "")
				rests("second", "first")
				rests("third", "second")
				o.must("ada", "POST /artifacts/first/versions", members{"summary": "t", "content": members{"format": "text", "data": "more"}, "change": reasons})
				o.must("ada", "POST /artifacts/first@2/promote", members{"reason": "better"})
			},
		},
		{code: brenner.CodeWorkTaken, as: "ada", line: "POST /runs", body: runOf(nil), person: "another run is at it", set: func(o *office) {
			o.must("ada", "POST /runs", runOf(nil))
		}},
		{code: brenner.CodeRunEnded, as: "ada", line: "POST /runs/RUN-ID/end", body: members{"runner": "here/1/2", "outcome": "worked"}, person: "it is over", set: func(o *office) {
			o.run = o.ran("failed", "crashed")
		}},
		{code: brenner.CodeWorkBlocked, as: "ada", line: "POST /runs", body: runOf(nil), mended: runOf(members{"again": true}), set: func(o *office) {
			for range brenner.MaxRunFailures {
				o.ran("nothing", "no_words")
			}
		}},
		{code: brenner.CodeWorkDone, as: "ada", line: "POST /runs", body: runOf(members{"task": "", "session": "RS-1"}), mended: runOf(members{"task": "", "session": "RS-1", "again": true}), set: func(o *office) {
			o.must("BlueLake", "POST /deltas", members{"session": "RS-1", "text": "```delta\n{\"operation\":\"ADD\",\"target_id\":null,\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"n\",\"claim\":\"c\",\"mechanism\":\"m\"},\"rationale\":\"r\"}\n```\n"})
		}},
		{code: brenner.CodeApprovalRequired, as: "ada", line: "POST /artifacts/plan@1/promote", body: members{"reason": "good"}, sent: true, fill: asked, set: func(o *office) {
			o.writes("plan", artifact.TypeTestPlan, "lineage", "move a cell")
		}},
		{code: brenner.CodeApprovalDenied, line: "POST /reviews/plan@1/approve", body: members{}, sent: true, fill: asked, set: func(o *office) {
			o.writes("plan", artifact.TypeTestPlan, "lineage", "move a cell")
		}},
	}
}
