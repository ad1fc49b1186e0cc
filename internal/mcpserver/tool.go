package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/lazy"
	"brenner/internal/schema"
	"brenner/playbook"
	"brenner/stalemate"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one use case as agents have it.
type tool struct {
	name, description string
	in, out           reflect.Type
	reads             bool // and changes nothing
	quiet             bool // its own words tell no news
	invoke            func(ctx context.Context, s api.Service, arguments []byte) (answer, error)
}

// answer is what a tool found: the data of the result, and the same as a model
// reads it. What the text says at length the data leaves out.
type answer struct {
	data any
	text string
}

// spoken is a result that says itself in words. Slim gives its data without
// what the words repeat.
type spoken[T any] interface {
	Words() string
	Slim() T
}

// quiet is a tool whose own words tell no news: below them stands what is asked of its
// caller.
func quiet(t tool) tool {
	t.quiet = true
	return t
}

// reading is a tool that changes nothing.
func reading[In any, Out spoken[Out]](name string, fn func(api.Service, context.Context, In) (Out, error), description string) tool {
	t := writing(name, fn, description)
	t.reads = true
	read := t.invoke
	t.invoke = func(ctx context.Context, s api.Service, arguments []byte) (answer, error) {
		out, err := read(ctx, s, arguments)
		said := renewed(s, ctx, err)
		if said == "" {
			return out, err
		}
		out, err = read(ctx, s, arguments)
		out.text = said + out.text
		return out, err
	}
	return t
}

// writing is a tool that adds something; nothing is ever overwritten.
func writing[In any, Out spoken[Out]](name string, fn func(api.Service, context.Context, In) (Out, error), description string) tool {
	in := reflect.TypeFor[In]()
	return tool{
		name: name, description: description, in: in, out: outline[Out](),
		invoke: func(ctx context.Context, s api.Service, arguments []byte) (answer, error) {
			var req In
			if err := bind(withoutEmpty(arguments, in), &req); err != nil {
				return answer{}, err
			}
			out, err := fn(s, ctx, req)
			if err != nil {
				return answer{}, err
			}
			return answer{data: out.Slim(), text: out.Words()}, nil
		},
	}
}

// keyName is the argument that makes a write safe to repeat.
const keyName = "key"

// offsetName asks for a further page of what an earlier call gave.
const offsetName = "offset"

// keyed is part of the input of every tool that writes.
type keyed struct {
	Key string `json:"key,omitzero" doc:"idempotency key"`
}

// repeatable makes the arguments of a call safe to repeat: a write without a key
// gets one, which is then ours. safe is false where that cannot be done.
func (t tool) repeatable(arguments []byte) (out []byte, ours, safe bool) {
	if t.reads {
		return arguments, false, true
	}
	members := map[string]jsontext.Value{}
	if len(arguments) > 0 && json.Unmarshal(arguments, &members) != nil || members == nil {
		return arguments, false, false // whoever reads them says what is wrong
	}
	_, paged := members[offsetName]
	if _, given := members[keyName]; given || paged {
		return arguments, false, given
	}
	members[keyName] = jsontext.Value(strconv.Quote(rand.Text()))
	return mustJSON(members), true, true
}

func (k keyed) write() api.Write { return api.Write{Key: k.Key} }

// also is the key of a further write that a call makes, which has a name.
func (k keyed) also(name string) api.Write {
	if k.Key == "" {
		return api.Write{}
	}
	return api.Write{Key: string(canon.Sum([]byte(k.Key + "\n" + name)))}
}

// withoutEmpty leaves out arguments that need not be given and are an empty text:
// strict tool calling knows none that may be left out, so its clients send
// something for each.
func withoutEmpty(arguments []byte, in reflect.Type) []byte {
	var members map[string]jsontext.Value
	if !bytes.Contains(arguments, []byte(`""`)) || canon.Unmarshal(arguments, &members) != nil {
		return arguments // whoever reads them says what is wrong
	}
	for _, f := range reflect.VisibleFields(in) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options == "omitzero" && string(members[name]) == `""` {
			delete(members, name)
		}
	}
	return mustJSON(members)
}

// How deep schemas go: requests far enough to be written from, results as far
// as a program needs to know what it will get.
const (
	inputDepth  = 3
	outputDepth = 1
)

// values are the words that some arguments are chosen from.
var values = lazy.Value(func() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[artifact.Relation](): words(artifact.Relations()),
		reflect.TypeFor[artifact.Format]():   {string(artifact.Text), string(artifact.JSON)},
		reflect.TypeFor[artifact.Status]():   words(inUse()),
		reflect.TypeFor[delta.Section]():     words(delta.Sections()),
		reflect.TypeFor[playbook.Section]():  {string(playbook.Helpful), string(playbook.Harmful), string(playbook.Neutral)},
		reflect.TypeFor[api.MessageState]():  {string(api.MessageUnread), string(api.MessageRead), string(api.MessageAcked), string(api.MessageAll)},
		reflect.TypeFor[anchor.Cause]():      words(stalemate.Causes()),
		reflect.TypeFor[stalemate.Action]():  words(steps),
		reflect.TypeFor[verdict]():           {string(approves), string(rejects)},
		reflect.TypeFor[lineageDirection]():  {string(directionUp), string(directionDown)},
	}
})

// inUse are the statuses that a search looks through.
func inUse() []artifact.Status {
	return slices.DeleteFunc(artifact.Statuses(), func(s artifact.Status) bool { return !s.Live() })
}

func words[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, w := range all {
		out[i] = string(w)
	}
	return out
}

// describe gives the tool as tools/list shows it.
func (t tool) describe() *mcp.Tool {
	no := false
	hints := &mcp.ToolAnnotations{ReadOnlyHint: t.reads, OpenWorldHint: &no}
	if !t.reads {
		hints.DestructiveHint = &no
	}
	return &mcp.Tool{
		Name: t.name, Description: t.description,
		InputSchema:  schema.Writer{Depth: inputDepth, Closed: true, Values: values()}.Of(t.in),
		OutputSchema: schema.Writer{Depth: outputDepth}.Of(t.out),
		Annotations:  hints,
	}
}

// result is an answer as MCP has it. A model is shown the text; the data is for
// programs. What was read and is too long is refused; what was done is done, so
// that its answer is cut short and says so.
func (a answer) result(done, duplicate bool) (*mcp.CallToolResult, error) {
	raw, err := json.Marshal(a.data, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	out := &mcp.CallToolResult{Meta: mcp.Meta{}}
	if !fits(a.text, brenner.MaxToolResultTokens) || !fits(string(raw), brenner.MaxToolResultTokens) {
		if !done {
			return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the result has more than %d tokens", brenner.MaxToolResultTokens).
				WithHint("ask for less: a smaller limit or depth, or one item at a time")
		}
		a.text, _, err = page(a.text, 0)
		if err == nil {
			raw, err = shortened(raw)
		}
		if err != nil {
			return nil, err
		}
		a.text += "\nit was done as a whole; this answer is too long and was cut here\n"
		out.Meta[metaShortened] = true
	}
	out.StructuredContent = jsonValue(raw)
	if duplicate {
		a.text = "duplicate: true; this key was used for the same call, and nothing was done again\n" + a.text
		out.Meta[metaDuplicate] = true
	}
	out.Content = []mcp.Content{&mcp.TextContent{Text: a.text}}
	return out, nil
}

// shortened takes items from the longest lists of an answer until it fits.
func shortened(raw []byte) ([]byte, error) {
	for !fits(string(raw), brenner.ToolPageTokens) {
		var members map[string]jsontext.Value
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
		longest := ""
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if members[name].Kind() == '[' && len(members[name]) > len(members[longest]) {
				longest = name
			}
		}
		var items []jsontext.Value
		if err := json.Unmarshal(members[longest], &items); longest == "" || len(items) == 0 {
			return raw, err
		}
		members[longest] = mustJSON(items[:len(items)/2])
		raw = mustJSON(members)
	}
	return raw, nil
}

// jsonOf is a value as a model may read it.
func jsonOf(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.Multiline(false))
	if err != nil {
		return ""
	}
	return string(raw)
}
