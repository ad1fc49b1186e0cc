package roster

import (
	"time"

	"brenner"
)

// CompileMode says when the replies of a session are compiled without being told
// to (D27): manual, answered, or a duration such as 30m, which is when everybody
// has answered or that long after the oldest contribution that waits.
type CompileMode string

// The modes that are words.
const (
	CompileManual   CompileMode = "manual"
	CompileAnswered CompileMode = "answered"
)

// Patience is how long a session that compiles when everybody has answered waits for
// the last of those asked once most have: then it goes on without them (ADR 129).
const Patience = 4 * time.Minute

// After gives the time after which the mode compiles; false for a word.
func (m CompileMode) After() (time.Duration, bool) {
	d, err := time.ParseDuration(string(m))
	return d, err == nil && d > 0
}

// Check reports INVALID_VALUE for what is no mode.
func (m CompileMode) Check() error {
	if _, ok := m.After(); ok || m == CompileManual || m == CompileAnswered {
		return nil
	}
	return brenner.Errorf(brenner.CodeInvalidValue, "%q does not say when to compile", string(m)).
		At("/compile").WithHint("write manual, answered, or a duration such as 30m")
}
