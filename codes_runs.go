package brenner

// Codes of programs and runs.
const (
	CodeInvalidProgram    Code = "INVALID_PROGRAM"
	CodeUnknownProgram    Code = "UNKNOWN_PROGRAM"
	CodeProgramNotAllowed Code = "PROGRAM_NOT_ALLOWED"
	CodeProgramMissing    Code = "PROGRAM_MISSING"
	CodeCostUnknown       Code = "COST_UNKNOWN"
	CodeNoRepository      Code = "NO_REPOSITORY"
	CodeLandRefused       Code = "LAND_REFUSED"
	CodeWorkTaken         Code = "WORK_TAKEN"
	CodeWorkDone          Code = "WORK_DONE"
	CodeWorkBlocked       Code = "WORK_BLOCKED"
	CodeBudgetSpent       Code = "BUDGET_SPENT"
	CodeRunEnded          Code = "RUN_ENDED"
)

func runCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInvalidProgram, ClassInvalid, "A program is described in a way that no machine could start it.", "Mend it at the pointer given."),
		row(CodeUnknownProgram, ClassNotFound, "No program has that name, in the project or in your own configuration.", "List the programs, or name a built-in profile."),
		row(CodeProgramNotAllowed, ClassDenied, "A program wants what nobody has allowed on this machine, or what was allowed has changed.", "Look at what it would run, then allow it."),
		row(CodeProgramMissing, ClassUnavailable, "A program is not installed on this machine, or not where it can be found.", "Install it, or start the agent with another program."),
		row(CodeNoRepository, ClassConflict, "A run was to work in a git worktree, and there is no repository with a commit.", "Make a repository and commit, or let the program work in a scratch directory."),
		row(CodeLandRefused, ClassConflict, "The branch of a run cannot be merged as things are.", "Do what the message names, then land it again; nothing was changed."),
		row(CodeWorkTaken, ClassConflict, "Another run is at this piece of work.", "Wait for it, or stop it."),
		row(CodeWorkDone, ClassConflict, "The agent has answered already.", "Ask it again, or start it again on purpose."),
		row(CodeWorkBlocked, ClassConflict, "Runs have failed at this piece of work too often in a row.", "See what the last one printed, mend the cause, then start it once more."),
		row(CodeBudgetSpent, ClassLimit, "The budget for runs is used up.", "Wait for the next day, or set another budget."),
		row(CodeRunEnded, ClassConflict, "The run has ended, or is another runner's.", "See how it ended; its work can be started again."),
		row(CodeCostUnknown, ClassInvalid, "A limit of cost was set for a program that does not tell its cost and has no bound.", "Give the program a bound of cost, or leave the limit out."),
	}
}
