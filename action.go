package brenner

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/lazy"
)

// Action is something the reader of a refusal or a message can do, as data: an
// act of the service and its arguments (X11). Each surface renders it in its
// own words: a command line, a tool call, a link.
type Action struct {
	Name string            `json:"action"` // noun and verb, such as context.assemble
	Args map[string]string `json:"arguments,omitempty"`
	// Fill names the arguments whose value only the reader knows. What stands
	// there, in capitals, keeps their place.
	Fill []string `json:"fill,omitempty"`
}

// again is the action that is the refused request itself.
const again = "again"

// Again is what was refused, asked for once more with something added or
// changed.
func Again(pairs ...string) Action { return Do(again, pairs...) }

// Repeats says whether the action is the refused request once more.
func (a Action) Repeats() bool { return a.Name == again }

// Asking is the action with arguments that the reader has to give a value to.
func (a Action) Asking(names ...string) Action {
	args := maps.Clone(a.Args)
	if args == nil {
		args = map[string]string{}
	}
	for _, name := range names {
		args[name] = strings.ToUpper(name)
	}
	a.Args, a.Fill = args, slices.Concat(a.Fill, names)
	return a
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
var named = []string{"id", "ref", "name", "title", "text", "file", "dir"}

// Command is the action as a command line: its noun and verb, what it is about,
// and the rest as flags. Of a request that is repeated it is the flags alone.
func (a Action) Command() string {
	var words []string
	if !a.Repeats() {
		words = []string{"brenner", strings.ReplaceAll(a.Name, ".", " ")}
	}
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
	// take, one inside another as outer.inner; adds what it is always given.
	renames, adds map[string]string
	asks          map[string]string // as renames, of arguments that the reader gives
	lists         []string          // arguments that are lists
	numbers       []string          // arguments that are numbers
}

// tools lists the actions that agents have a tool for. An action that is not
// here is none of theirs.
var tools = lazy.Value(func() map[string]tool {
	return map[string]tool{
		again:                     {renames: map[string]string{"what": "change.what", "why": "change.why"}, numbers: []string{"limit", "depth", "offset", "wait", "expect"}},
		"artifact.new":            {name: "artifact_write"},
		"artifact.search":         {name: "artifact_search"},
		"artifact.show":           {name: "artifact_get", renames: map[string]string{"content": "file"}},
		"artifact.update":         {name: "artifact_write", renames: map[string]string{"what": "change.what", "why": "change.why"}},
		"context.assemble":        {name: "context_assemble", renames: map[string]string{"module": "modules"}, lists: []string{"modules"}},
		"delta.submit":            {name: "delta_submit", renames: map[string]string{"file": ""}, asks: map[string]string{"file": "text"}},
		"lineage":                 {name: "lineage"},
		"mail.ack":                {name: "inbox", renames: map[string]string{"id": "message"}, adds: map[string]string{"ack": "true"}},
		"mail.inbox":              {name: "inbox"},
		"mail.read":               {name: "inbox", renames: map[string]string{"id": "message"}},
		"patch.artifact":          {name: "patch_apply"},
		"playbook.learn":          {name: "playbook_learn"},
		"playbook.review.approve": {name: "review", renames: map[string]string{"id": "lesson"}, adds: map[string]string{"verdict": "approve"}},
		"playbook.review.list":    {name: "review"},
		"playbook.review.reject":  {name: "review", renames: map[string]string{"id": "lesson"}, adds: map[string]string{"verdict": "reject"}},
		"review.approve":          {name: "review", adds: map[string]string{"verdict": "approve"}},
		"session.list":            {name: "status"},
		"session.status":          {name: "session_show", renames: map[string]string{"id": "session"}},
		"session.show":            {name: "session_show", renames: map[string]string{"id": "session", "item": "items"}, lists: []string{"items"}, numbers: []string{"since", "offset"}},
		"stalemate.accept":        {name: "stalemate_reply", adds: map[string]string{"step": "accept"}},
		"stalemate.raise":         {name: "stalemate_raise"},
		"stalemate.reply":         {name: "stalemate_reply"},
		"stalemate.show":          {name: "artifact_get", renames: map[string]string{"id": "ref"}},
		"stalemate.withdraw":      {name: "stalemate_reply", adds: map[string]string{"step": "withdraw"}},
		"stalemate.verdict":       {name: "stalemate_reply", adds: map[string]string{"step": "verdict"}},
		"status":                  {name: "status"},
		"task.claim":              {name: "task_claim"},
		"task.complete":           {name: "task_complete"},
		"task.list":               {name: "status"},
		"task.new":                {name: "request", renames: map[string]string{"item": "items", "input": "about", "part": "parts"}, lists: []string{"items", "about", "parts"}},
		"task.release":            {name: "task_release"},
		"task.show":               {name: "artifact_get", renames: map[string]string{"id": "ref"}},
	}
})

// decisions are the actions that no agent has: to lead the project, to decide
// upon what others made, and to say who may do what.
var decisions = []string{
	"agent.add", "agent.revoke", "agent.token", "agent.tokens", "checkpoint", "config.apply", "conflict.list", "consolidate", "playbook.reembed",
	"review", "run.stop", "session.compile", "session.nudge", "session.resend", "session.start", "verify",
}

// Decides says whether the action is a person's: an agent can only ask for it.
func (a Action) Decides() bool { return slices.Contains(decisions, a.Name) }

// Request is what an agent does that cannot do something itself: it asks the PI.
func Request() Action { return Do("task.new", "role", string(PI)).Asking("title", "spec") }

// ForAgent are the actions that an agent can take: those that are a person's are
// asked of the PI, unless nothing can be written or nobody is known.
func (e *Error) ForAgent() []Action {
	own := slices.DeleteFunc(slices.Clone(e.Actions), Action.Decides)
	if len(own) == 0 && len(e.Actions) > 0 && !e.Halts() {
		own = append(own, Request())
	}
	return own
}

// Halts says whether a request to the PI would be refused as well: nothing can
// be written, or nobody is known.
func (e *Error) Halts() bool {
	switch e.Code {
	case CodeHistoryChanged, CodeJournalCorrupt, CodeUnauthenticated:
		return true
	}
	return ClassOf(e.Code) == ClassUnavailable
}

// ToolActions lists the actions that agents have a tool for.
func ToolActions() []string { return slices.Sorted(maps.Keys(tools())) }

// Call is the action as the call of a tool, "" where agents have none for it. A
// request that is repeated has no name: its arguments go over those of the call
// that was refused.
func (a Action) Call() (name string, arguments map[string]any, ok bool) {
	t, ok := tools()[a.Name]
	if !ok {
		return "", nil, false
	}
	if a.Name == "task.new" && a.Args["doing"] != "" { // a word, which goes with a look
		arguments = map[string]any{"doing": a.Args["title"]}
		if a.Args["hold"] != "" {
			arguments["hold"] = a.Args["hold"]
		}
		return "inbox", arguments, true
	}
	arguments = map[string]any{}
	for key, value := range t.adds { // order-free: each sets a member of its own
		t.set(arguments, key, value)
	}
	for key, value := range a.Args { // order-free: each sets a member of its own
		if key = t.argument(key, slices.Contains(a.Fill, key)); key != "" {
			t.set(arguments, key, value)
		}
	}
	return t.name, arguments, true
}

// Given names the arguments of the call that the reader gives a value to.
func (a Action) Given() []string {
	var out []string
	for _, key := range a.Fill {
		if key = tools()[a.Name].argument(key, true); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// argument is what the tool calls an argument, "" if it does not take it.
func (t tool) argument(key string, given bool) string {
	if as, other := t.asks[key]; other && given {
		return as
	}
	if as, other := t.renames[key]; other {
		return as
	}
	return key
}

// set gives an argument its value, as the tool takes it; one inside another has
// its name behind a dot.
func (t tool) set(arguments map[string]any, key, value string) {
	if outer, inner, nested := strings.Cut(key, "."); nested {
		within, _ := arguments[outer].(map[string]any)
		if within == nil {
			within = map[string]any{}
			arguments[outer] = within
		}
		t.set(within, inner, value)
		return
	}
	switch number, err := strconv.Atoi(value); {
	case key == "content" && t.name == "artifact_write":
		arguments[key] = map[string]any{"format": "text", "data": value}
	case slices.Contains(t.lists, key):
		arguments[key] = []any{value}
	case slices.Contains(t.numbers, key) && err == nil:
		arguments[key] = number
	case value == "true":
		arguments[key] = true
	default:
		arguments[key] = value
	}
}

// Tool is the action as the words of a call, "" where agents have no tool for
// it.
func (a Action) Tool() string {
	name, arguments, ok := a.Call()
	if !ok {
		return ""
	}
	if a.Repeats() {
		name = "the same call with"
	}
	return name + " " + spelled(arguments)
}

// spelled is an argument as JSON, its members in order.
func spelled(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = spelled(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(key)+":"+spelled(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprint(v)
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

var mark = lazy.NewPattern(`\{\{do ([a-z_.]+)((?: [a-z_]+=[^\s{}]+)*)\}\}`)

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
