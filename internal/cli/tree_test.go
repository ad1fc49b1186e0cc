package cli

import (
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
