package cli

import (
	"encoding/csv"
	"strings"

	"github.com/spf13/pflag"
)

// listFlag adds a flag that may be given several times, each time with several
// values that have commas between them.
func listFlag(f *pflag.FlagSet, into *[]string, name, usage string) {
	*into = nil
	f.Var((*listValue)(into), name, usage)
}

// repeatedFlag adds a flag that may be given several times, each time with one
// value, whatever is in it.
func repeatedFlag(f *pflag.FlagSet, into *[]string, name, usage string) {
	*into = nil
	f.Var((*repeatedValue)(into), name, usage)
}

// Those of pflag make a writer, with its buffer, only to say at every start
// that there is nothing in them yet. These go by the same names, which help and
// completion know.
type (
	listValue     []string
	repeatedValue []string
)

func (v *listValue) Type() string   { return "stringSlice" }
func (v *listValue) String() string { return strings.Join(*v, ",") }

func (v *listValue) Set(s string) error {
	values := []string{}
	if s != "" {
		var err error
		if values, err = csv.NewReader(strings.NewReader(s)).Read(); err != nil {
			return err
		}
	}
	if *v == nil {
		*v = values // also where none is given: that is not the same as no flag
		return nil
	}
	*v = append(*v, values...)
	return nil
}

func (v *repeatedValue) Type() string   { return "stringArray" }
func (v *repeatedValue) String() string { return strings.Join(*v, ",") }

func (v *repeatedValue) Set(s string) error {
	*v = append(*v, s)
	return nil
}
