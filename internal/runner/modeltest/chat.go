package modeltest

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

func (r chatRequest) ask() Ask {
	a := Ask{Protocol: Chat, Model: r.Model}
	for _, m := range r.Messages {
		switch m.Role {
		case "assistant":
			a.Turn++
			a.Results = nil
		case "tool":
			a.Results = append(a.Results, plainText(m.Content))
		default:
			a.Text += plainText(m.Content) + "\n"
		}
	}
	for _, t := range r.Tools {
		a.Tools = append(a.Tools, t.Function.Name)
	}
	return a
}

// chat streams as chat completions do: the arguments of parallel calls come in
// pieces, woven into each other by index.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	if !readBody(w, r, &req) {
		return
	}
	answer, id, ok := s.ask(w, r, req.ask())
	if !ok {
		return
	}
	e := stream(w, answer, 2)
	chunk := func(delta map[string]any, finish any) {
		e.send("", map[string]any{"id": "chatcmpl-" + id, "object": "chat.completion.chunk", "model": req.Model, "choices": []any{
			map[string]any{"index": 0, "delta": delta, "finish_reason": finish},
		}})
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(answer.Text) {
		chunk(map[string]any{"content": p}, nil)
	}
	for i, c := range answer.Calls {
		chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprintf("call_%s_%d", id, i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""},
		}}}, nil)
	}
	most := 0
	parts := make([][]string, len(answer.Calls))
	for i, c := range answer.Calls {
		parts[i] = pieces(mustJSON(c.Arguments))
		most = max(most, len(parts[i]))
	}
	for n := range most {
		for i := range parts {
			if n < len(parts[i]) {
				chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": parts[i][n]}}}}, nil)
			}
		}
	}
	finish := "stop"
	switch {
	case answer.Refuse:
		finish = "content_filter"
	case len(answer.Calls) > 0:
		finish = "tool_calls"
	}
	chunk(map[string]any{}, finish)
	e.send("", map[string]any{"id": "chatcmpl-" + id, "object": "chat.completion.chunk", "model": req.Model, "choices": []any{}, "usage": map[string]any{
		"prompt_tokens": answer.In + answer.Cached, "completion_tokens": answer.Out, "total_tokens": answer.In + answer.Cached + answer.Out,
		"prompt_tokens_details": map[string]any{"cached_tokens": answer.Cached},
	}})
	e.send("", "[DONE]")
}
