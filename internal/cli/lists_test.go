package cli

import (
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// Flags that may be given several times are read, and shown in help, as those of
// pflag are.
func TestLists_AreReadAsThoseOfPflag(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--tag", "a"},
		{"--tag", ""},
		{"--tag="},
		{"--tag", "a,b", "--tag", "c"},
		{"--tag", "", "--tag", "c"},
		{"--tag", "c", "--tag", ""},
		{"--tag", `"a,b",c`},
		{"--tag", `a"b`},
		{"--tag", "a", "--tag", `"a`},
		{"--tag", " a , b "},
		{"--tag", ","},
		{"--tag", "\n"},
		{"--tag"},
	} {
		for kind, add := range map[string][2]func(f *pflag.FlagSet, into *[]string){
			"list": {
				func(f *pflag.FlagSet, into *[]string) { listFlag(f, into, "tag", "tag (repeatable)") },
				func(f *pflag.FlagSet, into *[]string) { f.StringSliceVar(into, "tag", nil, "tag (repeatable)") },
			},
			"repeated": {
				func(f *pflag.FlagSet, into *[]string) { repeatedFlag(f, into, "tag", "tag (repeatable)") },
				func(f *pflag.FlagSet, into *[]string) { f.StringArrayVar(into, "tag", nil, "tag (repeatable)") },
			},
		} {
			var got, said [2]any
			for i := range add {
				f := pflag.NewFlagSet("", pflag.ContinueOnError)
				values := []string{"from before"}
				add[i](f, &values)
				said[i] = f.FlagUsages()
				if err := f.Parse(slices.Clone(args)); err != nil {
					said[i] = said[i].(string) + err.Error()
				}
				got[i] = values
			}
			if !reflect.DeepEqual(got[0], got[1]) || said[0] != said[1] {
				t.Errorf("%s %q: %#v and %q, with pflag %#v and %q", kind, args, got[0], said[0], got[1], said[1])
			}
		}
	}
}
