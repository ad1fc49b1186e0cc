package modeltest

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type messagesRequest struct {
	Model    string         `json:"model"`
	System   jsontext.Value `json:"system"`
	Messages []struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

func (r messagesRequest) ask() Ask {
	a := Ask{Protocol: Messages, Model: r.Model}
	if len(r.System) > 0 {
		a.Text = plainText(r.System)
	}
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			a.Turn++
			a.Results = nil
			continue
		}
		a.Text += plainText(m.Content) + "\n"
		var blocks []struct {
			Type    string         `json:"type"`
			Content jsontext.Value `json:"content"`
		}
		_ = json.Unmarshal(m.Content, &blocks)
		for _, b := range blocks {
			if b.Type == "tool_result" && len(b.Content) > 0 {
				a.Results = append(a.Results, plainText(b.Content))
			}
		}
	}
	for _, t := range r.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	return a
}

// messages streams as the Messages API does: blocks are opened, filled and
// closed one after the other.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	var req messagesRequest
	if !readBody(w, r, &req) {
		return
	}
	answer, id, ok := s.ask(w, r, req.ask())
	if !ok {
		return
	}
	usage := map[string]any{"input_tokens": answer.In, "cache_read_input_tokens": answer.Cached, "cache_creation_input_tokens": 0, "output_tokens": 1}
	e := stream(w, answer, 3)
	e.send("message_start", map[string]any{"type": "message_start", "message": map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": req.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
	index := 0
	block := func(open map[string]any, deltas ...map[string]any) {
		e.send("content_block_start", map[string]any{"type": "content_block_start", "index": index, "content_block": open})
		for _, d := range deltas {
			e.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": index, "delta": d})
		}
		e.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": index})
		index++
	}
	if answer.Text != "" {
		var deltas []map[string]any
		for _, p := range pieces(answer.Text) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": p})
		}
		block(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	for i, c := range answer.Calls {
		block(map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%s_%d", id, i), "name": c.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": mustJSON(c.Arguments)})
	}
	stop := "end_turn"
	switch {
	case answer.Refuse:
		stop = "refusal"
	case len(answer.Calls) > 0:
		stop = "tool_use"
	}
	usage["output_tokens"] = answer.Out
	e.send("message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	e.send("message_stop", map[string]any{"type": "message_stop"})
}
