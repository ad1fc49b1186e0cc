package mcpserver

import (
	"context"
	"reflect"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/schema"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one use case as agents have it.
type tool struct {
	name, description string
	in, out           reflect.Type
	reads             bool // and changes nothing
	invoke            func(ctx context.Context, s api.Service, arguments []byte) (any, error)
}

// reading is a tool that changes nothing.
func reading[In, Out any](name string, fn func(api.Service, context.Context, In) (Out, error), description string) tool {
	t := writing(name, fn, description)
	t.reads = true
	return t
}

// writing is a tool that adds something; nothing is ever overwritten.
func writing[In, Out any](name string, fn func(api.Service, context.Context, In) (Out, error), description string) tool {
	return tool{
		name: name, description: description, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		invoke: func(ctx context.Context, s api.Service, arguments []byte) (any, error) {
			var in In
			if err := bind(arguments, &in); err != nil {
				return nil, err
			}
			return fn(s, ctx, in)
		},
	}
}

// keyName is the argument that makes a write safe to repeat.
const keyName = "key"

// bind reads arguments strictly. The idempotency key, which is no member of a
// request, is an argument here.
func bind(arguments []byte, in any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	write := reflect.ValueOf(in).Elem().FieldByName("Write")
	if !write.IsValid() {
		return canon.Unmarshal(arguments, in)
	}
	if err := canon.Check(arguments); err != nil {
		return err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(arguments, &members); err != nil {
		return brenner.Errorf(brenner.CodeInvalidJSON, "the arguments are not an object").Because(err)
	}
	if raw, ok := members[keyName]; ok {
		var key string
		if err := json.Unmarshal(raw, &key); err != nil {
			return brenner.Errorf(brenner.CodeInvalidJSON, "the key is not text").At("/" + keyName).Because(err)
		}
		write.Set(reflect.ValueOf(api.Write{Key: key}))
		delete(members, keyName)
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return canon.Unmarshal(rest, in)
}

// How deep schemas go: requests far enough to be written from, results as far
// as a model needs to know what it will get.
const (
	inputDepth  = 3
	outputDepth = 1
)

// describe gives the tool as tools/list shows it.
func (t tool) describe() *mcp.Tool {
	no, input := false, schema.Writer{Depth: inputDepth, Loose: true}.Of(t.in)
	input["additionalProperties"] = false
	if _, writes := t.in.FieldByName("Write"); writes {
		properties, _ := input["properties"].(schema.Schema)
		if properties == nil {
			properties = schema.Schema{}
		}
		properties[keyName] = schema.Schema{"type": "string"}
		input["properties"] = properties
	}
	return &mcp.Tool{
		Name: t.name, Description: t.description,
		InputSchema: input, OutputSchema: schema.Writer{Depth: outputDepth}.Of(t.out),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.reads, DestructiveHint: &no, IdempotentHint: t.reads, OpenWorldHint: &no,
		},
	}
}
