package cli

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"brenner/internal/lazy"
	"brenner/program"

	"github.com/spf13/pflag"
)

// measure is a flag that takes a length of time, a number or an amount. It is more than
// nothing: with 0 a request leaves it out, which nobody means who gives one.
type measure struct {
	kind string
	read func(text string) error // the error says how it is written
	// without is what holds without the flag.
	without string
}

// addMeasure adds a flag; its help says what holds without it.
func addMeasure(f *pflag.FlagSet, m measure, name, words string) {
	f.Var(m, name, fmt.Sprintf("%s (default %s)", words, m.without))
}

func (m measure) Set(text string) error {
	if err := m.read(text); err != nil {
		return fmt.Errorf("%w; without the flag: %s", err, m.without)
	}
	return nil
}

// String is empty: help says in words what holds without the flag.
func (m measure) String() string { return "" }
func (m measure) Type() string   { return m.kind }

// lengths matches what is written as a length of time, however long.
var lengths = lazy.NewPattern(`^\+?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$`)

// addLength adds a flag that takes a length of time.
func addLength(f *pflag.FlagSet, into *time.Duration, name, words, without string) {
	read := func(text string) error {
		d, err := time.ParseDuration(text)
		switch {
		case err != nil && lengths.MatchString(text):
			return errors.New("that is longer than 292 years")
		case err != nil:
			return errors.New("write a length of time as 90s, 30m or 720h")
		case d <= 0:
			return errors.New("a length of time is more than 0, for example 30m")
		}
		*into = d
		return nil
	}
	addMeasure(f, measure{"duration", read, without}, name, words)
}

// addQuantity adds a flag that takes a number of things; with most 0 any number.
func addQuantity(f *pflag.FlagSet, into *int, most int, name, words, without string) {
	read := func(text string) error {
		n, err := strconv.Atoi(text)
		switch {
		case most > 0 && (err != nil || n < 1 || n > most):
			return fmt.Errorf("write a number from 1 to %d", most)
		case err != nil || n < 1:
			return errors.New("write a number from 1 on")
		}
		*into = n
		return nil
	}
	addMeasure(f, measure{"int", read, without}, name, words)
}

// addAmount adds a flag that takes an amount in US dollars.
func addAmount(f *pflag.FlagSet, into *program.Money, name, words, without string) {
	read := func(text string) error {
		m, err := program.ParseMoney(text)
		if err != nil || m <= 0 {
			return errors.New("write US dollars as 2 or 0.25, at least 0.000001")
		}
		*into = m
		return nil
	}
	addMeasure(f, measure{"dollars", read, without}, name, words)
}
