package brenner

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Action is something the reader of a refusal or a message can do, as data: an
// act of the service and its arguments (X11). Each surface renders it in its
// own words: a command line, a tool call, a link.
type Action struct {
	Name string            `json:"action"` // noun and verb, such as context.assemble
	Args map[string]string `json:"arguments,omitempty"`
}

// Do names an action and its arguments, as pairs of name and value; a pair with
// an empty value is left out.
func Do(name string, pairs ...string) Action {
	a := Action{Name: name}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if a.Args == nil {
			a.Args = map[string]string{}
		}
		a.Args[pairs[i]] = pairs[i+1]
	}
	return a
}

// named are the arguments that a command takes without a flag.
var named = []string{"id", "ref", "name", "text", "file"}

// Command is the action as a command line: its noun and verb, what it is about,
// and the rest as flags.
func (a Action) Command() string {
	words := []string{"brenner", strings.ReplaceAll(a.Name, ".", " ")}
	for _, key := range named {
		if value, ok := a.Args[key]; ok {
			words = append(words, value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.Args)) {
		if slices.Contains(named, key) {
			continue
		}
		words = append(words, "--"+strings.ReplaceAll(key, "_", "-"))
		if value := a.Args[key]; value != "true" {
			words = append(words, value)
		}
	}
	return strings.Join(words, " ")
}

// tool is how agents do an action with the tools they have over MCP.
type tool struct {
	name string
	// renames are arguments that the tool calls otherwise, or with "" does not
	// take; adds what it is always given.
	renames, adds map[string]string
	lists         []string // arguments that are lists
	numbers       []string // arguments that are numbers
}

// tools lists the actions that agents have a tool for. An action that is not
// here is none of theirs.
var tools = map[string]tool{
	"artifact.new":       {name: "artifact_write"},
	"artifact.search":    {name: "artifact_search"},
	"artifact.show":      {name: "artifact_get"},
	"artifact.update":    {name: "artifact_write"},
	"context.assemble":   {name: "context_assemble", renames: map[string]string{"module": "modules"}, lists: []string{"modules"}},
	"delta.submit":       {name: "delta_submit", renames: map[string]string{"file": ""}},
	"lineage":            {name: "lineage"},
	"mail.ack":           {name: "inbox", renames: map[string]string{"id": "message"}, adds: map[string]string{"ack": "true"}},
	"mail.inbox":         {name: "inbox"},
	"mail.read":          {name: "inbox", renames: map[string]string{"id": "message"}},
	"patch.artifact":     {name: "patch_apply"},
	"playbook.learn":     {name: "playbook_learn"},
	"session.show":       {name: "session_show", renames: map[string]string{"id": "session"}, numbers: []string{"since", "offset"}},
	"stalemate.accept":   {name: "stalemate_reply", adds: map[string]string{"step": "accept"}},
	"stalemate.raise":    {name: "stalemate_raise"},
	"stalemate.reply":    {name: "stalemate_reply"},
	"stalemate.show":     {name: "artifact_get", renames: map[string]string{"id": "ref"}},
	"stalemate.withdraw": {name: "stalemate_reply", adds: map[string]string{"step": "withdraw"}},
	"stalemate.verdict":  {name: "stalemate_reply", adds: map[string]string{"step": "verdict"}},
	"status":             {name: "status"},
	"task.claim":         {name: "task_claim"},
	"task.complete":      {name: "task_complete"},
	"task.list":          {name: "status"},
	"task.new":           {name: "request"},
	"task.release":       {name: "task_release"},
	"task.show":          {name: "status", renames: map[string]string{"id": ""}},
}

// ToolActions lists the actions that agents have a tool for.
func ToolActions() []string { return slices.Sorted(maps.Keys(tools)) }

// Tool is the action as the call of a tool, "" where agents have none for it.
func (a Action) Tool() string {
	t, ok := tools[a.Name]
	if !ok {
		return ""
	}
	arguments := maps.Clone(t.adds)
	if arguments == nil {
		arguments = map[string]string{}
	}
	for key, value := range a.Args { // order-free: the pairs are sorted below
		if as, other := t.renames[key]; other {
			key = as
		}
		if key != "" {
			arguments[key] = value
		}
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		value := strconv.Quote(arguments[key])
		if arguments[key] == "true" || slices.Contains(t.numbers, key) {
			value = arguments[key]
		}
		if slices.Contains(t.lists, key) {
			value = "[" + value + "]"
		}
		pairs = append(pairs, strconv.Quote(key)+":"+value)
	}
	return t.name + " {" + strings.Join(pairs, ",") + "}"
}

// Mark is the action inside a text, to be put into words by Speak. Its values
// must be without blanks, as names and ids are.
func (a Action) Mark() string {
	var b strings.Builder
	b.WriteString("{{do " + a.Name)
	for _, key := range slices.Sorted(maps.Keys(a.Args)) {
		b.WriteString(" " + key + "=" + a.Args[key])
	}
	b.WriteString("}}")
	return b.String()
}

var mark = regexp.MustCompile(`\{\{do ([a-z_.]+)((?: [a-z_]+=[^\s{}]+)*)\}\}`)

// Speak puts the actions of a text into the words of a surface. Where the
// surface has none the words are those of a command line.
func Speak(text string, say func(Action) string) string {
	return mark.ReplaceAllStringFunc(text, func(found string) string {
		m := mark.FindStringSubmatch(found)
		var pairs []string
		for pair := range strings.FieldsSeq(m[2]) {
			key, value, _ := strings.Cut(pair, "=")
			pairs = append(pairs, key, value)
		}
		a := Do(m[1], pairs...)
		if words := say(a); words != "" {
			return words
		}
		return a.Command()
	})
}
