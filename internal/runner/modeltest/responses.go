package modeltest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

type responsesRequest struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions"`
	Input        []struct {
		Type    string         `json:"type"`
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
		Output  jsontext.Value `json:"output"`
	} `json:"input"`
	Tools []responsesTool `json:"tools"`
}

// responsesTool is a function, or a namespace of functions.
type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"`
}

// inNamespace joins the name of a namespace and of a tool in it, for tests to
// read; the answer takes them apart again.
const inNamespace = "."

func (r responsesRequest) ask() Ask {
	a := Ask{Protocol: Responses, Model: r.Model, Text: r.Instructions}
	answering := false
	for _, item := range r.Input {
		switch {
		case item.Type == "function_call" || item.Type == "reasoning" || item.Role == "assistant":
			if !answering {
				a.Turn++
			}
			answering, a.Results = true, nil
			continue
		case item.Type == "function_call_output":
			a.Results = append(a.Results, plainText(item.Output))
		default:
			a.Text += plainText(item.Content) + "\n"
		}
		answering = false
	}
	for _, t := range r.Tools {
		if t.Type == "namespace" {
			for _, inner := range t.Tools {
				a.Tools = append(a.Tools, t.Name+inNamespace+inner.Name)
			}
			continue
		}
		name := t.Name
		if name == "" {
			name = t.Type
		}
		a.Tools = append(a.Tools, name)
	}
	return a
}

// responses streams as the Responses API does: whole items, and the response
// with its usage at the end.
func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	var req responsesRequest
	if !readBody(w, r, &req) {
		return
	}
	answer, id, ok := s.ask(w, r, req.ask())
	if !ok {
		return
	}
	e := stream(w, answer, 2)
	response := map[string]any{"id": "resp_" + id, "object": "response", "status": "in_progress", "model": req.Model, "output": []any{}}
	e.send("response.created", map[string]any{"type": "response.created", "response": response})
	var output []any
	item := func(it map[string]any) {
		index := len(output)
		e.send("response.output_item.added", map[string]any{"type": "response.output_item.added", "output_index": index, "item": it})
		if it["type"] == "message" {
			for _, p := range pieces(answer.Text) {
				e.send("response.output_text.delta", map[string]any{"type": "response.output_text.delta", "output_index": index, "item_id": it["id"], "content_index": 0, "delta": p})
			}
		}
		e.send("response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": index, "item": it})
		output = append(output, it)
	}
	if answer.Text != "" {
		item(map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": []any{
			map[string]any{"type": "output_text", "text": answer.Text, "annotations": []any{}},
		}})
	}
	for i, c := range answer.Calls {
		call := map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%s_%d", id, i), "call_id": fmt.Sprintf("call_%s_%d", id, i),
			"name": c.Name, "arguments": mustJSON(c.Arguments), "status": "completed",
		}
		if space, name, ok := strings.Cut(c.Name, inNamespace); ok {
			call["namespace"], call["name"] = space, name
		}
		item(call)
	}
	response["status"], response["output"] = "completed", output
	response["usage"] = map[string]any{
		"input_tokens": answer.In + answer.Cached, "input_tokens_details": map[string]any{"cached_tokens": answer.Cached},
		"output_tokens": answer.Out, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
		"total_tokens": answer.In + answer.Cached + answer.Out,
	}
	e.send("response.completed", map[string]any{"type": "response.completed", "response": response})
}
