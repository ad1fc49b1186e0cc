package brenner

// Codes of programs and runs.
const (
	CodeInvalidProgram Code = "INVALID_PROGRAM"
	CodeCostUnknown    Code = "COST_UNKNOWN"
)

var runCodes = []CodeInfo{
	{CodeInvalidProgram, ClassInvalid, "A program is described in a way that no machine could start it.", "Mend it at the pointer given."},
	{CodeCostUnknown, ClassInvalid, "A limit of cost was set for a program that does not tell its cost and has no bound.", "Give the program a bound of cost, or leave the limit out."},
}
