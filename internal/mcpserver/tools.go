package mcpserver

// tools is what agents can do. Descriptions are short: every agent pays for
// all of them in every conversation. They are filled in at start, since the
// words of an answer may name another tool.
var tools []tool

func init() {
	tools = []tool{
		reading("status", status,
			"Who you are, your unread messages, your tasks, what needs attention. A good first call."),
		writing("inbox", inbox,
			`Your messages. Lists them; {"message":"ID"} reads one; with ack acknowledges it; {"wait":60} waits for the next.`),
		writing("context_assemble", assembleContext,
			`What your role may and needs to see for a task, a session or a question, inside a token budget. Before any read. {"task":"task-12"}`),
		reading("artifact_get", getArtifact,
			`Read an artifact version. {"ref":"oxygen-log@2"}`),
		reading("artifact_search", searchArtifacts,
			`Full-text search, best first. {"text":"oxygen at night"}`),
		writing("artifact_write", writeArtifact,
			`Write knowledge: a new artifact (type), or a new version (id). {"type":"analysis_result","summary":"…","content":{"format":"text","data":"…"}}`),
		writing("patch_apply", applyPatch,
			`Edit a text artifact: a new version. A refusal explains the miss. {"ref":"notes@3","patch":"{\"old_string\":\"was\",\"new_string\":\"is\"}","summary_holds":true,"change":{"what":"…","why":"…"}}`),
		reading("session_show", showSession,
			`A session's document: what stands, who wrote it, what others have proposed. {"session":"RS-larr","sections":["hypothesis_slate"]}`),
		writing("delta_submit", submitDeltas,
			"Answer a session: Markdown with delta blocks, as the kickoff asks. Says what will happen to each."),
		writing("request", requestWork,
			`Ask a role or the PI for work: opens a task; a message tells you when it is done.`),
		writing("task_claim", claimTask, "Take a task."),
		writing("task_complete", completeTask, "Close a task you hold, its results written."),
		writing("task_release", releaseTask, "Give a task back undone."),
		writing("playbook_learn", learn,
			`Report lessons. {"insights":[{"section":"helpful","content":"Calibrate the probe before each night"}]}`),
		writing("playbook_feedback", giveFeedback, "Say how a bullet of your context served."),
		writing("stalemate_raise", raiseStalemate,
			"Raise a stalemate when stuck on a disagreement."),
		writing("stalemate_reply", replyStalemate,
			"As a party of a stalemate: say what you hold, or take a step; as arbiter: verdict. artifact_get shows it."),
		reading("lineage", lineageOf, "What a version rests on, or what rests on it."),
	}
}
