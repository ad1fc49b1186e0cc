package brenner

import (
	"errors"
	"fmt"
	"strings"
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
	Remedy  string // what to do, one sentence that holds on every surface
	// Actions are what can be done, where an error names nothing better.
	Actions []Action
}

func row(code Code, class Class, meaning, remedy string, actions ...Action) CodeInfo {
	return CodeInfo{Code: code, Class: class, Meaning: meaning, Remedy: remedy, Actions: actions}
}

// Error lets a code stand for every error that carries it, so that callers ask
// errors.Is(err, brenner.CodeNotFound).
func (c Code) Error() string { return string(c) }

// Error refuses a whole request. It is the only error type that reaches users;
// any other error is an internal fault and is shown as INTERNAL.
//
// An Error is a value once made: the methods that add to it give a copy, so
// that one kept in a variable can be added to from anywhere.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Hint says what to do in words that hold on every surface; what can be
	// done by a command, a tool or a page stands in Actions.
	Hint string `json:"hint,omitempty"`
	// Actions are what the reader can do next, the best first.
	Actions []Action `json:"actions,omitempty"`
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

// Is reports whether the target is this error's code.
func (e *Error) Is(target error) bool { return target == error(e.Code) }

// WithHint says what to do about it.
func (e *Error) WithHint(hint string) *Error { c := *e; c.Hint = hint; return &c }

// Try names what the reader can do next, the best first (X11).
func (e *Error) Try(actions ...Action) *Error { c := *e; c.Actions = actions; return &c }

// At says where in the input the trouble is.
func (e *Error) At(pointer string) *Error { c := *e; c.Pointer = pointer; return &c }

// WithDetails attaches what a program needs to go on.
func (e *Error) WithDetails(d any) *Error { c := *e; c.Details = d; return &c }

// WithDiagnostics attaches every finding.
func (e *Error) WithDiagnostics(d []Diagnostic) *Error { c := *e; c.Diagnostics = d; return &c }

// Because records the cause for the log.
func (e *Error) Because(err error) *Error { c := *e; c.cause = err; return &c }

// Advised is the error with what the registry says to do about its code, where
// it does not say so itself: the words where it has none of either kind, the
// actions where it names none.
func (e *Error) Advised() *Error {
	info, known := infos()[e.Code]
	if !known {
		return e
	}
	c := *e
	if c.Hint == "" && len(c.Actions) == 0 {
		c.Hint = inLine(info.Remedy)
	}
	if len(c.Actions) == 0 {
		c.Actions = info.Actions
	}
	return &c
}

// inLine makes a sentence of the registry read like a hint.
func inLine(sentence string) string {
	sentence = strings.TrimSuffix(sentence, ".")
	if len(sentence) > 1 && sentence[1] >= 'a' { // and not EDIT
		return strings.ToLower(sentence[:1]) + sentence[1:]
	}
	return sentence
}

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
// stands, such as one delta of many that was refused. What can be done about it
// the registry says of its code (see ActionsOf).
type Diagnostic struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	Pointer  string   `json:"pointer,omitempty"`
	// Subject names what the finding is about: a delta id, an item, a file.
	Subject string `json:"subject,omitempty"`
	// Role is the one that can mend it, where the method gives it to one.
	Role Role `json:"role,omitempty"`
}
