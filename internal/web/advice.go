package web

import (
	"net/url"
	"slices"
	"strings"

	"brenner"
)

// Errors come from a service that serves terminals, tools and pages alike. A
// page puts what to do about them into its own words: what to fill in where,
// or a link to the page where it is done (X11). It never speaks of a command
// or a flag.

// advice says what to do about an error, in words of a page.
func advice(e *brenner.Error) string {
	if words, ok := pageAdvice[e.Code]; ok {
		return words
	}
	return e.Hint
}

// pageAdvice is what a page says about the codes that its forms run into.
var pageAdvice = map[brenner.Code]string{
	brenner.CodeReasonRequired:     "write a reason; it is kept with the decision",
	brenner.CodeSlotTaken:          "tick “take the place of another artifact” to supersede it",
	brenner.CodeNeedsRebase:        "look at what moved; tick “although its inputs have moved” to promote it all the same",
	brenner.CodeSummaryStale:       "summarise the new content, or tick “the summary still holds”",
	brenner.CodeChangeNoteRequired: "say what changed, and why",
	brenner.CodeCrossModule:        "choose one module, or tick “cross-cutting”",
	brenner.CodeSchemaViolation:    "mend the fields that are named",
	brenner.CodeAlreadyExists:      "choose another id, or write a new version of the one there is",
	brenner.CodeConflictHead:       "compare with the newest version, then write on that one",
	brenner.CodeUnknownModule:      "choose a module that the project declares",
	brenner.CodeUnknownRole:        "choose a role that has a policy",
	brenner.CodeMissingRosterEntry: "give each agent a role",
	brenner.CodeEmptyRoster:        "name at least one agent",
	brenner.CodeUnknownPreset:      "choose one of the presets",
	brenner.CodeFieldConflict:      "settle it on the page of the session",
	brenner.CodeTaskClosed:         "open a new one",
	brenner.CodeFormExpired:        "look it over and send it again",
}

// actionPages is where each action that an error suggests is done. With an
// argument its value stands in the words and ends the path.
var actionPages = map[string]struct{ words, path, argument string }{
	"agent.add":            {"Register an agent", "/agents#add", ""},
	"agent.list":           {"See the agents", "/agents", ""},
	"agent.revoke":         {"See the agents", "/agents", ""},
	"agent.token":          {"Make a token", "/agents", ""},
	"agent.tokens":         {"See the agents", "/agents", ""},
	"artifact.list":        {"See the artifacts", "/artifacts", ""},
	"artifact.new":         {"Write it", "/write", ""},
	"artifact.search":      {"See the artifacts", "/artifacts", ""},
	"artifact.show":        {"See ", "/artifacts/", "ref"},
	"artifact.types":       {"Write by its form", "/write", ""},
	"artifact.update":      {"Write a new version of ", "/artifacts/", "id"},
	"automation.list":      {"See the rules", "/automation", ""},
	"automation.log":       {"See the rules", "/automation", ""},
	"conflict.list":        {"See the sessions", "/sessions", ""},
	"context.assemble":     {"See the contexts", "/contexts", ""},
	"context.list":         {"See the contexts", "/contexts", ""},
	"delta.submit":         {"See ", "/sessions/", "session"},
	"forks":                {"See the forks", "/forks", ""},
	"inbox":                {"See what waits", "/", ""},
	"lineage":              {"See what it rests on", "/lineage/", "ref"},
	"mail.inbox":           {"See what waits", "/", ""},
	"playbook.learn":       {"See the lessons", "/playbook", ""},
	"playbook.list":        {"See the lessons", "/playbook", ""},
	"playbook.review.list": {"See the lessons", "/playbook", ""},
	"review":               {"Decide about ", "/review/", "ref"},
	"review.approve":       {"Approve ", "/review/", "ref"},
	"roster.presets":       {"Start a session", "/sessions#start", ""},
	"run.log":              {"See ", "/runs/", "id"},
	"run.stop":             {"Stop ", "/runs/", "id"},
	"runs":                 {"See the runs", "/runs", ""},
	"session.compile":      {"Compile ", "/sessions/", "id"},
	"session.diagnose":     {"See ", "/sessions/", "id"},
	"session.ingest":       {"See ", "/sessions/", "session"},
	"session.list":         {"See the sessions", "/sessions", ""},
	"session.nudge":        {"Ask again in ", "/sessions/", "id"},
	"session.resend":       {"Send again in ", "/sessions/", "id"},
	"session.show":         {"See ", "/sessions/", "id"},
	"session.status":       {"See ", "/sessions/", "id"},
	"session.start":        {"Start a session", "/sessions#start", ""},
	"spine":                {"See what stands", "/knowledge", ""},
	"stalemate.accept":     {"See ", "/stalemates/", "id"},
	"stalemate.list":       {"See the stalemates", "/stalemates", ""},
	"stalemate.reply":      {"See ", "/stalemates/", "id"},
	"stalemate.show":       {"See ", "/stalemates/", "id"},
	"status":               {"See what waits", "/", ""},
	"task.claim":           {"See ", "/tasks/", "id"},
	"task.list":            {"See the tasks", "/tasks", ""},
	"task.new":             {"Open a task", "/tasks#open", ""},
	"task.show":            {"See ", "/tasks/", "id"},
	"verify":               {"Look at the journal", "/journal", ""},
}

// actionsOf lists where the suggestions of an error lead; those that no page
// serves are left out.
func actionsOf(e *brenner.Error) []link {
	var out []link
	for _, a := range e.Actions {
		at, known := actionPages[a.Name]
		value := a.Args[at.argument]
		if !known || (at.argument != "" && (value == "" || slices.Contains(a.Fill, at.argument))) {
			continue
		}
		out = append(out, link{at.words + value, at.path + url.PathEscape(value)})
	}
	return out
}

// fieldOf is the form field that a JSON pointer of a request is about.
func fieldOf(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return name
}
