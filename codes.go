package brenner

import (
	"slices"

	"brenner/internal/lazy"
)

// Codes lists the registry, sorted by code. docs/errors.md is generated from
// it; a test fails on a code without a row, a document entry or a test.
func Codes() []CodeInfo {
	all := slices.Concat(generalCodes(), ledgerCodes(), deltaCodes(), rosterCodes(), anchorCodes(), playbookCodes(), contextCodes(), taskCodes(), reviewCodes(), serverCodes(), fileCodes(), webCodes(), runCodes())
	slices.SortFunc(all, func(a, b CodeInfo) int {
		if a.Code < b.Code {
			return -1
		}
		return 1
	})
	return all
}

// ClassOf gives the class of a code; an unregistered one is internal.
func ClassOf(code Code) Class {
	if info, ok := infos()[code]; ok {
		return info.Class
	}
	return ClassInternal
}

// Remedy says what to do about a code in general, for errors that have no hint
// of their own; "" for one that is not registered.
func Remedy(code Code) string { return infos()[code].Remedy }

// ActionsOf lists what can be done about a code in general, the best first.
func ActionsOf(code Code) []Action { return infos()[code].Actions }

var infos = lazy.Value(func() map[Code]CodeInfo {
	m := map[Code]CodeInfo{}
	for _, info := range Codes() {
		m[info.Code] = info
	}
	return m
})

// Codes any request can meet.
const (
	CodeInternal      Code = "INTERNAL"
	CodeUsage         Code = "USAGE"
	CodeCanceled      Code = "CANCELED"
	CodeInvalidJSON   Code = "INVALID_JSON"
	CodeInvalidText   Code = "INVALID_TEXT"
	CodeInvalidID     Code = "INVALID_ID"
	CodeInvalidValue  Code = "INVALID_VALUE"
	CodeNotFound      Code = "NOT_FOUND"
	CodeLimitExceeded Code = "LIMIT_EXCEEDED"
	CodeFileError     Code = "FILE_ERROR"
	CodeOutputFailed  Code = "OUTPUT_FAILED"
)

func generalCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInternal, ClassInternal, "Something failed inside Brenner.", "Report it with the request id; the details are in the log."),
		row(CodeUsage, ClassUsage, "The command line was not understood.", "Say it as the help of the command does.",
			Again("help", "true")),
		row(CodeCanceled, ClassCanceled, "The work was stopped before it finished; nothing was half done.", "Run it again."),
		row(CodeInvalidJSON, ClassInvalid, "The input is not the JSON that was expected.", "Mend it at the pointer given."),
		row(CodeInvalidText, ClassInvalid, "The text is not valid UTF-8 or contains U+0000.", "Convert it to UTF-8 and remove the NUL characters."),
		row(CodeInvalidID, ClassInvalid, "A name does not have the form of its kind.", "Use letters, digits and the marks its pattern allows."),
		row(CodeInvalidValue, ClassInvalid, "A value is outside what its field allows.", "Use a value that the field allows."),
		row(CodeNotFound, ClassNotFound, "What was named does not exist.", "List what there is and check the name."),
		row(CodeLimitExceeded, ClassLimit, "The input is larger, deeper or longer than allowed.", "Keep to what the message says: send less, or something shorter."),
		row(CodeFileError, ClassInvalid, "A file named on the command line cannot be read or written.", "Check its path and permissions."),
		row(CodeOutputFailed, ClassInvalid, "The answer could not be written to standard output.", "See that there is room where it goes; the command itself was carried out, so look before repeating it."),
	}
}
