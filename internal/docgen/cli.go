package main

import (
	"bytes"
	"fmt"
	"strings"

	"brenner/internal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const cliIntroduction = `# The command line

<!-- Made by internal/docgen from the command tree. Run make generate; do not edit. -->

Every command takes ` + "`--json`" + ` and answers ` + "`{\"schema_version\":1,\"data\":…}`" + ` or
` + "`{\"schema_version\":1,\"error\":{\"code\",\"message\",\"hint\",…}}`" + `. Exit statuses follow the class of the error:
see [errors.md](errors.md).

`

func renderCLI() []byte {
	root := cli.Root()
	var b bytes.Buffer
	b.WriteString(cliIntroduction)
	commands := reachable(root)
	for _, c := range commands {
		fmt.Fprintf(&b, "- [`%s`](#%s) %s\n", c.CommandPath(), anchor(c), c.Short)
	}
	for _, c := range commands {
		renderCommand(&b, c)
	}
	return b.Bytes()
}

// reachable lists a command and all below it that users can call, in the order
// of the tree.
func reachable(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			all = append(all, reachable(sub)...)
		}
	}
	return all
}

func renderCommand(b *bytes.Buffer, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", c.CommandPath(), description(c))
	if c.Runnable() {
		fmt.Fprintf(b, "\n    %s\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\nExample:\n\n%s\n", indent(c.Example))
	}
	flags := c.NonInheritedFlags()
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString("\n| flag | meaning |\n|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			fmt.Fprintf(b, "| %s | %s |\n", flagName(f), cell(flagUsage(f)))
		}
	})
}

func description(c *cobra.Command) string {
	if c.Long != "" {
		return strings.TrimSpace(c.Long)
	}
	return strings.TrimSpace(c.Short)
}

// flagName shows a flag as it is typed, with a word for its value.
func flagName(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	return "`" + name + "`"
}

func flagUsage(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "false", "0", "[]", "0s":
		return usage
	}
	return usage + " (default " + f.DefValue + ")"
}

// anchor is the fragment that Markdown viewers make of the command's heading.
func anchor(c *cobra.Command) string {
	return strings.ReplaceAll(c.CommandPath(), " ", "-")
}

// indent makes a code block of an example, whatever margin it was written with.
func indent(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "    "+line)
		}
	}
	return strings.Join(lines, "\n")
}
