package brenner

// Codes of contexts (views, budgets, modules) and of the checks for drift.
const (
	CodeInvalidView     Code = "INVALID_VIEW"
	CodeContextOverflow Code = "CONTEXT_OVERFLOW"
	CodeCrossModule     Code = "CROSS_MODULE"

	CodeScopeCreep         Code = "SCOPE_CREEP"
	CodeConstraintViolated Code = "CONSTRAINT_VIOLATED"
	CodeUnlinked           Code = "UNLINKED"
	CodeBriefMoved         Code = "BRIEF_MOVED"
	CodeAssumptionConflict Code = "ASSUMPTION_CONFLICT"
	CodeAssumptionSuspect  Code = "ASSUMPTION_SUSPECT"
)

func contextCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInvalidView, ClassInvalid, "The view of a role cannot be used; every reason is listed.", "Mend each finding at its pointer; only a person changes a view.",
			Do("artifact.types")),
		row(CodeContextOverflow, ClassLimit, "What must be in the context, or is read after it, is larger than the budget.", "Pin less or smaller inputs, shorten the task, or give the view a larger budget."),
		row(CodeCrossModule, ClassDenied, "The work spans modules, and the task or the role may not.", "Make the task cross-cutting and give it to a role whose view allows that, or name one module."),
		row(CodeScopeCreep, ClassConflict, "A paragraph is about something the brief puts out of scope.", "Take it out, or bring the topic into the scope of the brief."),
		row(CodeConstraintViolated, ClassConflict, "An artifact says what the brief forbids, or does not say what it demands.", "Mend the artifact at the place named, or change the constraint in the brief."),
		row(CodeUnlinked, ClassConflict, "No link of a core artifact leads to the brief.", "Link it, or what it rests on, to the brief."),
		row(CodeBriefMoved, ClassConflict, "A core artifact rests on a version of the brief that is no longer in force.", "See what changed in the brief, update the artifact and its link."),
		row(CodeAssumptionConflict, ClassConflict, "Two modules assume things that cannot both hold.", "Decide between them, or make one depend on its conditions."),
		row(CodeAssumptionSuspect, ClassConflict, "Two modules assume nearly the same, or of the same thing, but not quite.", "See whether both can hold; state them with subject, relation and value, or settle it by a test."),
	}
}
