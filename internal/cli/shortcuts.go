package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// shortcuts are the commands that people type all day, without the noun before
// them.
func shortcuts(r *runner) []*cobra.Command {
	return []*cobra.Command{
		short(newArtifactNew(r), "new"), short(newArtifactShow(r), "show"), short(newArtifactDiff(r), "diff"),
		short(newArtifactHistory(r), "log"), short(newArtifactSearch(r), "search"), short(newArtifactPromote(r), "promote"),
	}
}

// short gives a command of artifacts another place and name.
func short(c *cobra.Command, name string) *cobra.Command {
	full := "artifact " + c.Name()
	_, arguments, _ := strings.Cut(c.Use, " ")
	c.Use = strings.TrimSpace(name + " " + arguments)
	c.Example = strings.ReplaceAll(c.Example, "brenner "+full+" ", "brenner "+name+" ")
	c.Short = "Short for " + full
	return c
}
