package cli

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands are shown in the order in which people need them, not by letters.
func init() { cobra.EnableCommandSorting = false }

// helpChapter is a part of the help: commands that serve one purpose.
type helpChapter struct {
	title    string
	commands []topLevel
}

// topLevel is a command by its name: it is made when it is needed.
type topLevel struct {
	name string
	make func(*runner) *cobra.Command
}

const lastChapter = "For programs and shells"

// chapters lists the top-level commands as the help shows them.
var chapters = []helpChapter{
	{"Start", []topLevel{
		{"demo", newDemo},
		{"init", newInit},
		{"status", newStatus},
		{"inbox", newInbox},
		{"review", newReview},
		{"doctor", newDoctor},
		{"config", newConfig},
		{"setup", newSetup},
	}},
	{"Every day", shortcuts},
	{"Knowledge", []topLevel{
		{"artifact", newArtifact},
		{"add", newAdd},
		{"checkout", newCheckout},
		{"commit", newCommit},
		{"patch", newPatch},
		{"snapshot", newSnapshot},
		{"spine", newSpine},
		{"lineage", newLineage},
		{"stale", newStale},
		{"forks", newForks},
	}},
	{"Agents at work", []topLevel{
		{"ask", newAsk},
		{"run", newRun},
		{"runs", newRuns},
		{"program", newProgram},
		{"agent", newAgent},
		{"session", newSession},
		{"roster", newRoster},
		{"mail", newMail},
		{"delta", newDelta},
		{"conflict", newConflict},
		{"task", newTask},
		{"context", newContext},
		{"playbook", newPlaybook},
		{"stalemate", newStalemate},
	}},
	{"Upkeep", []topLevel{{"automation", newAutomation}, {"check", newCheck}, {"consolidate", newConsolidate}, {"gc", newGC}}},
	{"History", []topLevel{
		{"journal", newJournal},
		{"verify", newVerify},
		{"replay", newReplay},
		{"checkpoint", newCheckpoint},
		{"export", newExport},
		{"import", newImport},
		{"redact", newRedact},
	}},
	{lastChapter, []topLevel{{"serve", newServe}, {"mcp", newMCP}, {commandCompletion, newCompletion}, {commandMan, newMan}, {"version", newVersion}}},
}

// What these print is about all commands.
const (
	commandCompletion = "completion"
	commandMan        = "man"
)

// only is the top-level command that a command line is about, where nothing else of
// the tree is needed to carry it out; empty: all of it may be. To make a hundred
// commands with their flags takes longer than many of them do.
func only(args []string) string {
	if len(args) == 0 || args[0] == commandCompletion || args[0] == commandMan {
		return ""
	}
	for _, c := range chapters {
		for _, e := range c.commands {
			if e.name == args[0] {
				return e.name
			}
		}
	}
	return ""
}

func newVersion(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, and the commit it was built from",
		Example: `  brenner version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return r.show(struct {
				Version string `json:"version"`
				Build
			}{r.env.Version, r.env.Build}, func(w *printer) { w.Printf("brenner version %s%s\n", r.env.Version, r.env.Build) })
		},
	}
}

// Build is what a program was built from, as far as it knows.
type Build struct {
	Commit string `json:"commit,omitzero"`
	// Date is that of the commit; Modified says that there were changes beside it.
	Date     string `json:"date,omitzero"`
	Modified bool   `json:"modified,omitzero"`
}

// String is what follows the version.
func (b Build) String() string {
	out := ""
	if b.Commit != "" {
		out += ", commit " + b.Commit[:min(len(b.Commit), 12)]
	}
	if b.Modified {
		out += " with changes"
	}
	if b.Date != "" {
		out += ", " + b.Date
	}
	return out
}

var (
	unknownCommand = lazy.NewPattern(`^unknown command "([^"]+)"`)
	missingFlags   = lazy.NewPattern(`^required flag\(s\) (.+) not set$`)
	unknownFlag    = lazy.NewPattern(`^unknown flag: --(\S+)$`)
)

// usage is a complaint about the command line: with the word that was probably
// meant, the commands of the noun at hand, or what the command takes.
func usage(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("see `%s --help`", cmd.CommandPath())
	if m := unknownCommand.FindStringSubmatch(err.Error()); m != nil {
		// A verb without its noun is written right: it comes before what is written alike.
		if paths := commandsNamed(cmd.Root(), m[1]); !cmd.HasParent() && len(paths) > 0 {
			hint = fmt.Sprintf("did you mean `%s`? %s", strings.Join(paths, "` or `"), hint)
		} else if near := nearestCommand(cmd, m[1]); near != "" {
			hint = fmt.Sprintf("did you mean `%s %s`? %s", cmd.CommandPath(), near, hint)
		} else if cmd.HasParent() && cmd.HasAvailableSubCommands() {
			hint = fmt.Sprintf("`%s` has %s; %s", cmd.CommandPath(), strings.Join(commandNames(cmd), ", "), hint)
		}
	} else if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		const short = 3 // of these any word is near: only one that lacks a letter is meant
		if near := brenner.Nearest(m[1], flagNames(cmd)); near != "" && (len(m[1]) > short || len(near) > len(m[1])) {
			hint = fmt.Sprintf("did you mean --%s? %s", near, hint)
		}
	} else if cmd.HasParent() {
		hint = fmt.Sprintf("usage: %s; %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"), hint)
	}
	message, _, _ := strings.Cut(err.Error(), ": strconv.") // the name of a function is no help
	if m := missingFlags.FindStringSubmatch(message); m != nil {
		message = "it needs --" + strings.ReplaceAll(strings.Trim(m[1], `"`), `", "`, " and --")
	}
	return brenner.Errorf(brenner.CodeUsage, "%s", message).WithHint(hint)
}

// commandsNamed lists the commands anywhere below whose last word is this, at
// most three.
func commandsNamed(cmd *cobra.Command, word string) []string {
	var out []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.HasParent() && c.Name() == word {
			out = append(out, c.CommandPath())
		}
		out = append(out, commandsNamed(c, word)...)
	}
	return out[:min(len(out), 3)]
}

// grave are the commands that cannot be taken back, or start agents.
var grave = []string{"redact", "promote", "ask", "run"}

// nearestCommand is the command that was probably meant; a grave one only if the
// word is a slip for it.
func nearestCommand(cmd *cobra.Command, word string) string {
	names := commandNames(cmd)
	for _, also := range alsoCalled {
		if strings.HasPrefix(word, also.word) && slices.Contains(names, also.command) {
			return also.command
		}
	}
	if near := brenner.Slip(word, names); near != "" {
		return near
	}
	return brenner.Nearest(word, slices.DeleteFunc(names, func(n string) bool { return slices.Contains(grave, n) }))
}

// alsoCalled are words of the documents, as they begin in the singular and the plural, for
// what a command calls otherwise.
var alsoCalled = []struct{ word, command string }{
	{"lesson", "playbook"},
	{"bullet", "playbook"},
	{"message", "mail"},
	{"token", "agent"},
	{"actor", "agent"},
	{"role", "roster"},
	{"document", "artifact"},
	{"hypothes", "session"},
	{"verdict", "stalemate"},
	{"disagreement", "stalemate"},
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	for _, set := range []*pflag.FlagSet{cmd.NonInheritedFlags(), cmd.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	}
	return names
}
