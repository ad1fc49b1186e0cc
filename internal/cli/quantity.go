package cli

import (
	"fmt"
	"strconv"

	"brenner/program"

	"github.com/spf13/pflag"
)

// quantity is a flag that takes a number of things. It is at least 1: with 0 a
// request leaves it out, which nobody means who gives one.
type quantity struct {
	into    *int
	most    int    // 0: any number
	without string // what holds without the flag
}

// addQuantity adds a flag that takes a number of things; its help says what holds
// without it.
func addQuantity(f *pflag.FlagSet, into *int, most int, name, words, without string) {
	f.Var(quantity{into, most, without}, name, fmt.Sprintf("%s (default %s)", words, without))
}

func (c quantity) Set(text string) error {
	read, err := strconv.Atoi(text)
	switch {
	case c.most > 0 && (err != nil || read < 1 || read > c.most):
		return fmt.Errorf("write a number from 1 to %d; without the flag: %s", c.most, c.without)
	case err != nil || read < 1:
		return fmt.Errorf("write a number from 1 on; without the flag: %s", c.without)
	}
	*c.into = read
	return nil
}

// String is empty: help says in words what holds without the flag.
func (c quantity) String() string { return "" }
func (c quantity) Type() string   { return "int" }

// amount is a flag that takes an amount of money, which is more than nothing for
// the same reason.
type amount struct {
	into    *program.Money
	without string // what holds without the flag
}

// addAmount adds a flag that takes an amount in US dollars; its help says what holds
// without it.
func addAmount(f *pflag.FlagSet, into *program.Money, name, words, without string) {
	f.Var(amount{into, without}, name, fmt.Sprintf("%s (default %s)", words, without))
}

func (a amount) Set(text string) error {
	read, err := program.ParseMoney(text)
	if err != nil || read <= 0 {
		return fmt.Errorf("write US dollars as 2 or 0.25, at least 0.000001; without the flag: %s", a.without)
	}
	*a.into = read
	return nil
}

// String is empty, as that of quantity.
func (a amount) String() string { return "" }
func (a amount) Type() string   { return "dollars" }
