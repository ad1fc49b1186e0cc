package brenner

// Codes of contexts: views, budgets, modules.
const (
	CodeInvalidView     Code = "INVALID_VIEW"
	CodeContextOverflow Code = "CONTEXT_OVERFLOW"
	CodeCrossModule     Code = "CROSS_MODULE"
)

var contextCodes = []CodeInfo{
	{CodeInvalidView, ClassInvalid, "The view of a role cannot be used; every reason is listed.", "Mend each finding at its pointer; `brenner artifact types` lists the types."},
	{CodeContextOverflow, ClassLimit, "What must be in the context, or is read after it, is larger than the budget.", "Pin less or smaller inputs, shorten the task, or give the view a larger budget."},
	{CodeCrossModule, ClassDenied, "The work spans modules, and the task or the role may not.", "Make the task cross-cutting and give it to a role whose view allows that, or name one module."},
}
