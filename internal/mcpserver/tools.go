package mcpserver

import (
	"slices"

	"brenner/internal/lazy"
)

// tools is what agents can do. Descriptions are short: every agent pays for
// all of them in every conversation. They are made at first use; how is said at
// start, since the words of an answer may name another tool.
var tools func() []tool

func init() {
	tools = lazy.Value(func() []tool {
		return []tool{
			reading("status", wholeStatus,
				"Who you are, your tasks and requests, what you can do about. {}"),
			writing("inbox", inbox,
				`First call: what is new, with its text. Or waits for that. {} {"wait":60}`),
			quiet(writing("context_assemble", assembleContext,
				`What your role needs for a task, a session or a question. Before any read; a kickoff brings it. {"task":"task-12"}`)),
			quiet(reading("artifact_get", getArtifacts,
				`Read an artifact version. {"ref":"oxygen-log@2"}`)),
			quiet(reading("artifact_search", searchArtifacts,
				`Full-text search, best first. {"text":"oxygen at night"}`)),
			writing("artifact_write", writeArtifact,
				`Write a new artifact (type) or version (id); may close its task and answer the session too. {"type":"analysis_result","summary":"…","content":{"format":"text","data":"…"}}`),
			writing("patch_apply", applyPatch,
				`Edit a text artifact: a new version. {"ref":"notes@3","patch":"{\"old_string\":\"was\",\"new_string\":\"is\"}","summary_holds":true,"change":{"what":"…","why":"…"}}`),
			quiet(reading("session_show", showSession,
				`A session's document: what stands, who wrote it, what others propose, who is at work. {"session":"RS-larr","sections":["hypothesis_slate"]}`)),
			writing("delta_submit", submitDeltas,
				"Answer a session. {\"text\":\"```delta\\n{\\\"operation\\\":\\\"KILL\\\",\\\"target_id\\\":\\\"H2\\\",\\\"section\\\":\\\"hypothesis_slate\\\",\\\"payload\\\":{\\\"reason\\\":\\\"…\\\"},\\\"rationale\\\":\\\"…\\\"}\\n```\"}"),
			writing("request", requestWork,
				`Ask a role, an item's author or the PI for work, which an artifact answers. Or announce and divide your own, or leave a note. {"session":"RS-larr","items":["H2"],"title":"Which log?","spec":"Name the log that H2 rests on."}`),
			writing("task_claim", claimTask, `Take a task. {"id":"task-12"}`),
			writing("task_complete", completeTask, `Close a task you hold, its results written. {"id":"task-12"}`),
			writing("task_release", releaseTask, `Give a task back, or take back what you asked for. {"id":"task-12","note":"…"}`),
			writing("review", review,
				`Where your role is asked: decide on a version or lesson, or see what waits. {} {"ref":"model-a@2","verdict":"approve"} {"lesson":"lab.1","verdict":"reject","reason":"…"}`),
			writing("playbook_learn", learn,
				`Report lessons. {"insights":[{"section":"helpful","content":"Calibrate the probe before each night"}]}`),
			writing("playbook_feedback", giveFeedback, `Say how a bullet of your context served. {"id":"lab.1","as":"helpful"}`),
			writing("stalemate_raise", raiseStalemate,
				`Raise a stalemate when stuck on a disagreement. {"summary":"…","hypotheses":[{"author":"BlueLake","statement":"…","justification":"…"},{"author":"RedSky"}],"alternatives":[{"statement":"…","justification":"…"}],"evidence":[{"kind":"error_log","content":"…"}],"arbitration_request":"…"}`),
			writing("stalemate_reply", replyStalemate,
				`As a party of a stalemate: say what you hold, or take a step; as arbiter: verdict. artifact_get shows it. {"id":"stalemate-9","statement":"…","justification":"…"}`),
			quiet(reading("lineage", lineageOf, `What a version rests on, or what rests on it. {"ref":"oxygen-log@2","direction":"down"}`)),
		}
	})
}

// toolNamed finds a tool.
func toolNamed(name string) (tool, bool) {
	i := slices.IndexFunc(tools(), func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return tools()[i], true
}
