package brenner

import (
	"errors"
	"fmt"
)

// Class groups codes by what the caller can do about them. internal/problem
// maps each class to an exit status, an HTTP status and an MCP error.
type Class string

// The classes.
const (
	ClassInternal    Class = "internal"    // our fault; details are logged, not shown
	ClassUsage       Class = "usage"       // the command line was wrong
	ClassInvalid     Class = "invalid"     // the input was wrong
	ClassNotFound    Class = "not_found"   // what was named is not there
	ClassConflict    Class = "conflict"    // the state has moved or forbids it
	ClassGone        Class = "gone"        // it was there and was removed
	ClassDenied      Class = "denied"      // the policy says no
	ClassLimit       Class = "limit"       // too large, too many, too deep
	ClassUnavailable Class = "unavailable" // try again later, or elsewhere
	ClassCanceled    Class = "canceled"    // the caller gave up
)

// Code names one kind of trouble, for ever: programs match on it. Every code
// has a row in the registry (see Codes).
type Code string

// CodeInfo is a row of the registry.
type CodeInfo struct {
	Code    Code
	Class   Class
	Meaning string // what happened, one sentence
	Remedy  string // what to do, one sentence
}

// Error refuses a whole request. It is the only error type that reaches users;
// any other error is an internal fault and is shown as INTERNAL.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Pointer is the JSON pointer (RFC 6901) of the offending input, if any.
	Pointer string `json:"pointer,omitempty"`
	// Diagnostics lists every finding when there are several.
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	// Details carries what a program needs to go on, such as a rebased patch.
	Details any `json:"details,omitempty"`

	cause error
}

// Errorf makes an Error. The message is lower case, without a full stop.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap gives the cause, which is logged and never shown.
func (e *Error) Unwrap() error { return e.cause }

// WithHint says what to do about it.
func (e *Error) WithHint(hint string) *Error { e.Hint = hint; return e }

// At says where in the input the trouble is.
func (e *Error) At(pointer string) *Error { e.Pointer = pointer; return e }

// WithDetails attaches what a program needs to go on.
func (e *Error) WithDetails(d any) *Error { e.Details = d; return e }

// WithDiagnostics attaches every finding.
func (e *Error) WithDiagnostics(d []Diagnostic) *Error { e.Diagnostics = d; return e }

// Because records the cause for the log.
func (e *Error) Because(err error) *Error { e.cause = err; return e }

// CodeOf gives the code of an error, INTERNAL if it has none, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// Severity says how much a Diagnostic matters.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Diagnostic is a finding about one item inside a result that otherwise
// stands, such as one delta of many that was refused.
type Diagnostic struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	Pointer  string   `json:"pointer,omitempty"`
	// Subject names what the finding is about: a delta id, an item, a file.
	Subject string `json:"subject,omitempty"`
}
