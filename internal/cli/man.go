package cli

import (
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/patchfs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIRECTORY]",
		Short: "Print the manual page, or write one for every command",
		Example: `  brenner man ~/.local/share/man/man1
  brenner man | man -l -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			root := cmd.Root()
			if len(a) == 0 {
				return r.announce(manPage(root), func(w *printer) { w.Print(manPage(root)) })
			}
			dir := r.path(a[0])
			if err := patchfs.BelowGit(dir); err != nil {
				return err
			}
			_, missing := os.Stat(filepath.Dir(dir))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fileError(a[0], err)
			}
			var written []string
			var write func(c *cobra.Command) error
			write = func(c *cobra.Command) error {
				name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
				if err := os.WriteFile(filepath.Join(dir, name), []byte(manPage(c)), 0o644); err != nil {
					return fileError(filepath.Join(a[0], name), err)
				}
				written = append(written, name)
				for _, sub := range c.Commands() {
					if sub.IsAvailableCommand() {
						if err := write(sub); err != nil {
							return err
						}
					}
				}
				return nil
			}
			if err := write(root); err != nil {
				return err
			}
			return r.show(written, func(w *printer) {
				made := ""
				if missing != nil {
					made = ", which was made with what is above it"
				}
				w.Printf("wrote %s into %s%s\n", plural(len(written), "page"), a[0], made)
			})
		},
	}
}

// manPage is the page of a command, in the language of man.
func manPage(c *cobra.Command) string {
	return textOf(func(w *printer) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		w.Printf(".TH %s 1\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), roff(name), roff(c.Short))
		w.Printf(".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
		about := c.Long
		if about == "" {
			about = c.Short + "."
		}
		w.Printf(".SH DESCRIPTION\n%s\n", roffText(about))
		if subs := available(c); len(subs) > 0 {
			w.Print(".SH COMMANDS\n")
			for _, sub := range subs {
				w.Printf(".TP\n.B %s\n%s\n", roff(sub.Use), roff(sub.Short))
			}
		}
		manFlags(w, "OPTIONS", c.NonInheritedFlags())
		manFlags(w, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
		if c.Example != "" {
			w.Printf(".SH EXAMPLES\n.nf\n%s\n.fi\n", roffText(c.Example))
		}
	})
}

func available(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, sub)
		}
	}
	return out
}

func manFlags(w *printer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	w.Printf(".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		w.Printf(".TP\n.B %s\n%s\n", roff(strings.TrimSpace(names+" "+value)), roff(about))
	})
}

// roff keeps a line from being read as an instruction.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// roffText is roff for several lines; an empty one parts paragraphs.
func roffText(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = ".PP"
			continue
		}
		lines[i] = roff(line)
	}
	return strings.Join(lines, "\n")
}
