package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// shortcuts are the commands that people type all day, without the noun before
// them.
var shortcuts = []topLevel{
	short("new", newArtifactNew), short("show", newArtifactShow), short("diff", newArtifactDiff),
	short("log", newArtifactHistory), short("search", newArtifactSearch), short("promote", newArtifactPromote),
}

// short gives a command of artifacts another place and name.
func short(name string, command func(*runner) *cobra.Command) topLevel {
	return topLevel{name, func(r *runner) *cobra.Command {
		c := command(r)
		full := "artifact " + c.Name()
		_, arguments, _ := strings.Cut(c.Use, " ")
		c.Use = strings.TrimSpace(name + " " + arguments)
		c.Example = strings.ReplaceAll(c.Example, "brenner "+full+" ", "brenner "+name+" ")
		c.Short = "Short for " + full
		return c
	}}
}
