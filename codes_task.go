package brenner

// Codes of tasks and gates.
const (
	CodeTaskTaken           Code = "TASK_TAKEN"
	CodeTaskClosed          Code = "TASK_CLOSED"
	CodeTaskNotYours        Code = "TASK_NOT_YOURS"
	CodeCompressionRequired Code = "COMPRESSION_REQUIRED"
	CodeContextRequired     Code = "CONTEXT_REQUIRED"
)

func taskCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeTaskTaken, ClassConflict, "Another agent holds the task.", "Take another one, or wait until its lease ends.",
			Do("task.list")),
		row(CodeTaskClosed, ClassConflict, "The task is completed or canceled.", "See what came of it; open a new one if it is wanted again.",
			Do("task.list")),
		row(CodeTaskNotYours, ClassDenied, "The task is for another role, or you do not hold it.", "Claim a task of your role first.",
			Do("task.list")),
		row(CodeContextRequired, ClassDenied, "An agent reads through a context, and this one has none.", "Assemble a context first.",
			Do("context.assemble")),
		row(CodeCompressionRequired, ClassConflict, "A module has changed too much since its memo for cross-module work.", "Update the module's integrated_memo and promote it."),
	}
}
