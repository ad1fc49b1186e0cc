package cli

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
)

// length is a flag that takes a length of time. It is more than nothing: a
// length of 0 is how a request leaves it out, which nobody means who gives one.
type length struct {
	into    *time.Duration
	without string // what holds without the flag
}

// addLength adds a flag that takes a length of time; its help says what holds
// without it.
func addLength(f *pflag.FlagSet, into *time.Duration, name, words, without string) {
	f.Var(length{into, without}, name, fmt.Sprintf("%s (default %s)", words, without))
}

func (l length) Set(text string) error {
	read, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("write a length of time as 90s, 30m or 720h; without the flag: %s", l.without)
	case read <= 0:
		return fmt.Errorf("a length of time is more than 0, for example 30m; without the flag: %s", l.without)
	}
	*l.into = read
	return nil
}

// String is empty: help says in words what holds without the flag.
func (l length) String() string { return "" }
func (l length) Type() string   { return "duration" }
