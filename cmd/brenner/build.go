package main

import (
	"cmp"
	"runtime/debug"

	"brenner/internal/cli"
)

// Set when a release is built, which is told nothing by the checkout: its bytes
// follow from the commit alone.
var (
	version = "dev"
	commit  string
	date    string
)

// built says what the program was made from: what it was told when it was
// built, else what the checkout said.
func built(info *debug.BuildInfo) (string, cli.Build) {
	name, out := version, cli.Build{Commit: commit, Date: date}
	if info == nil {
		return name, out
	}
	if m := info.Main.Version; name == "dev" && m != "" && m != "(devel)" {
		name = m
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			out.Commit = cmp.Or(out.Commit, s.Value)
		case "vcs.time":
			out.Date = cmp.Or(out.Date, s.Value)
		case "vcs.modified":
			out.Modified = s.Value == "true"
		}
	}
	return name, out
}
