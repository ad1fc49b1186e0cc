package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// leaves visits every command that does something.
func leaves(c *cobra.Command, visit func(*cobra.Command)) {
	subs := c.Commands()
	for _, sub := range subs {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			leaves(sub, visit)
		}
	}
	if len(subs) == 0 {
		visit(c)
	}
}

func TestHelp_EveryCommandHasAnExampleOfItself(t *testing.T) {
	seen := 0
	leaves(Root(), func(c *cobra.Command) {
		seen++
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has the example %q", c.CommandPath(), c.Example)
		}
		for line := range strings.Lines(c.Example) {
			if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
				t.Errorf("%s: the example is not set off: %q", c.CommandPath(), line)
			}
		}
	})
	if seen < 50 {
		t.Fatalf("found only %d commands: this test would pass on nothing", seen)
	}
}

func TestHelp_EveryCommandStandsInAChapter(t *testing.T) {
	for _, c := range Root().Commands() {
		if c.GroupID == "" && c.Name() != "help" {
			t.Errorf("%s stands in no chapter", c.Name())
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s is described as %q", c.Name(), c.Short)
		}
	}
}

// No command has a flag of its own that hides one of all commands: where one did,
// -C was unknown.
func TestTree_NoFlagHidesAGlobalOne(t *testing.T) {
	root := Root()
	all := root.PersistentFlags()
	leaves(root, func(c *cobra.Command) {
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if global := all.Lookup(f.Name); global != nil && !global.Hidden {
				t.Errorf("%s: --%s hides the one of all commands", c.CommandPath(), f.Name)
			}
			if f.Shorthand != "" && all.ShorthandLookup(f.Shorthand) != nil {
				t.Errorf("%s: -%s is one of all commands", c.CommandPath(), f.Shorthand)
			}
		})
	})
}

// A command that is made alone is what it is among all others: its flags, its help and
// what is below it.
func TestTree_ACommandAloneIsTheSame(t *testing.T) {
	described := func(c *cobra.Command) string {
		var b strings.Builder
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		return c.CommandPath() + " " + c.GroupID + "\n" + b.String()
	}
	seen := 0
	for _, c := range chapters {
		for _, e := range c.commands {
			r := &runner{env: Env{Getenv: func(string) string { return "" }}}
			root := newRoot(r, e.name)
			alone, _, err := root.Find([]string{e.name})
			if err != nil || alone.Name() != e.name || len(root.Commands()) != 1 {
				t.Fatalf("%s alone is %q among %d: %v", e.name, alone.Name(), len(root.Commands()), err)
			}
			all, _, err := Root().Find([]string{e.name})
			if err != nil {
				t.Fatal(err)
			}
			var one, other []string
			leaves(alone, func(c *cobra.Command) { one = append(one, described(c)) })
			leaves(all, func(c *cobra.Command) { other = append(other, described(c)) })
			if !slices.Equal(one, other) {
				t.Errorf("%s alone:\n%s\namong all:\n%s", e.name, one, other)
			}
			seen++
		}
	}
	if seen < 40 {
		t.Fatalf("found only %d commands: this test would pass on nothing", seen)
	}
}
