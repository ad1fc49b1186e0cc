package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	anyAction = regexp.MustCompile(`brenner\.Do\("([a-z_.]+)"`)
	anAction  = regexp.MustCompile(`brenner\.Do\("([a-z_.]+)"((?:, "[a-z_]+", [^,()]*(?:\([^()]*\))?[^,()]*)*)\)`)
	anArg     = regexp.MustCompile(`, "([a-z_]+)", `)
)

// X11: every action that an error or a message suggests is a command that there
// is, and takes what the action gives it.
func TestActions_AreCommands(t *testing.T) {
	seen := 0
	for _, dir := range []string{"../app/*", "../../*", "../*", "../store/*", "../../cmd/brenner"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range anyAction.FindAllStringSubmatch(string(raw), -1) {
				seen++
				if _, left, err := Root().Find(strings.Split(m[1], ".")); err != nil || len(left) > 0 {
					t.Errorf("%s suggests %q, which is no command: %v", name, brenner.Do(m[1]).Command(), left)
				}
			}
			for _, m := range anAction.FindAllStringSubmatch(string(raw), -1) {
				a := brenner.Do(m[1])
				cmd, left, err := Root().Find(strings.Split(m[1], "."))
				if err != nil || len(left) > 0 {
					continue // told above
				}
				for _, arg := range anArg.FindAllStringSubmatch(m[2], -1) {
					flag := strings.ReplaceAll(arg[1], "_", "-")
					if !slices.Contains([]string{"id", "ref", "name", "title", "text", "file", "dir"}, arg[1]) && cmd.Flags().Lookup(flag) == nil {
						t.Errorf("%s suggests %s --%s, which it does not take", name, a.Command(), flag)
					}
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d actions were found", seen)
	}
}

// X11: what the registry suggests about a code is a command that there is, with
// flags that it takes; what is to be added to a refused one is a flag of some
// command.
func TestActions_OfTheRegistryAreCommands(t *testing.T) {
	flags, seen := map[string]bool{"help": true}, 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(Root())
	for _, info := range brenner.Codes() {
		for _, a := range info.Actions {
			seen++
			takes := func(flag string) bool { return flags[flag] }
			if !a.Repeats() {
				cmd, left, err := Root().Find(strings.Split(a.Name, "."))
				if err != nil || len(left) > 0 {
					t.Errorf("%s suggests %s, which is no command", info.Code, a.Command())
					continue
				}
				takes = func(flag string) bool {
					return cmd.Flags().Lookup(flag) != nil || cmd.InheritedFlags().Lookup(flag) != nil
				}
			}
			for name := range a.Args {
				flag := strings.ReplaceAll(name, "_", "-")
				if !slices.Contains([]string{"id", "ref", "name", "title", "text", "file", "dir"}, name) && !takes(flag) {
					t.Errorf("%s suggests %q, and --%s is not taken", info.Code, a.Command(), flag)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d actions were found", seen)
	}
}
