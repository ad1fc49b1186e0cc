// Package problem maps the class of an error to what each surface shows for
// it. It is the only such table: exit status, HTTP status and MCP error agree
// because they are the same row.
package problem

import (
	"context"
	"errors"

	"brenner"
)

// Status is what one class looks like on each surface.
type Status struct {
	Exit int // exit status of the command line; a documented promise
	HTTP int // status of an RFC 9457 problem document
	MCP  int // JSON-RPC error code, where a protocol error is due
}

var table = map[brenner.Class]Status{
	brenner.ClassInternal:    {1, 500, -32603},
	brenner.ClassUsage:       {2, 400, -32602},
	brenner.ClassInvalid:     {3, 422, -32602},
	brenner.ClassNotFound:    {4, 404, -32002},
	brenner.ClassConflict:    {5, 409, -32000},
	brenner.ClassGone:        {6, 410, -32000},
	brenner.ClassDenied:      {7, 403, -32001},
	brenner.ClassLimit:       {8, 413, -32602},
	brenner.ClassUnavailable: {9, 503, -32003},
	brenner.ClassCanceled:    {130, 499, -32800},
}

// exceptions are the codes for which HTTP has a status of its own.
var exceptions = map[brenner.Code]int{
	brenner.CodeUnauthenticated: 401,
	brenner.CodeRateLimited:     429,
}

// Of gives the row of a class.
func Of(c brenner.Class) Status {
	if s, ok := table[c]; ok {
		return s
	}
	return table[brenner.ClassInternal]
}

// From gives the error as users may see it, with what the registry says to do
// where it says nothing itself, and its row. An error without a code is shown as
// INTERNAL; its text stays in the log.
func From(err error) (*brenner.Error, Status) {
	var e *brenner.Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e = brenner.Errorf(brenner.CodeCanceled, "stopped before it finished").Because(err)
	default:
		e = brenner.Errorf(brenner.CodeInternal, "something failed inside").Because(err)
	}
	status := Of(brenner.ClassOf(e.Code))
	if own, ok := exceptions[e.Code]; ok {
		status.HTTP = own
	}
	return e.Advised(), status
}
