package program

import (
	"strings"

	"brenner"

	"github.com/go-json-experiment/json"
)

// codexReader follows Codex's JSON events: a thread, a turn, items in it.
type codexReader struct {
	result Result
	usage  Usage
	spoke  bool
	closed bool // the turn has ended
	noise  string
}

type codexEvent struct {
	Type     string `json:"type"`
	ThreadID string `json:"thread_id"`
	Message  string `json:"message"`
	Error    struct {
		Message string `json:"message"`
	} `json:"error"`
	Item struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Server  string `json:"server"`
		Tool    string `json:"tool"`
		Command string `json:"command"`
	} `json:"item"`
	Usage *struct {
		In     int64 `json:"input_tokens"`
		Cached int64 `json:"cached_input_tokens"`
		Out    int64 `json:"output_tokens"`
	} `json:"usage"`
}

func (r *codexReader) Line(line []byte) []Event {
	var e codexEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		r.noise = string(line)
		return nil
	}
	r.spoke = true
	switch e.Type {
	case "thread.started":
		r.result.Conversation = e.ThreadID
		return []Event{{Does: "starts"}}
	case "turn.started":
		return []Event{{Does: "thinks"}}
	case "item.started":
		return []Event{{Does: codexDoes(e)}}
	case "item.completed":
		return r.item(e)
	case "error":
		// Said again and again while it tries; turn.failed is the last word.
		r.result.Said = said(e.Message)
		return []Event{{Does: "waits: " + ByWords(e.Message).Sentence()}}
	case "turn.failed":
		r.closed = true
		r.result.Said = said(e.Error.Message)
		r.result.Cause = ByWords(e.Error.Message)
	case "turn.completed":
		r.completed(e)
	}
	return nil
}

func (r *codexReader) item(e codexEvent) []Event {
	switch e.Item.Type {
	case "agent_message":
		r.usage.Turns++
		r.result.Reply = e.Item.Text
		return []Event{{Does: "writes"}}
	case "mcp_tool_call", "command_execution", "file_change", "web_search":
		r.usage.Turns++
		return []Event{{Does: "thinks"}}
	}
	return nil
}

func codexDoes(e codexEvent) string {
	switch e.Item.Type {
	case "mcp_tool_call":
		return toolName(e.Item.Tool)
	case "command_execution":
		return "runs " + brenner.Clip(strings.Join(strings.Fields(e.Item.Command), " "), 60)
	case "file_change":
		return "edits files"
	}
	return "thinks"
}

// completed takes the usage, which counts the whole thread.
func (r *codexReader) completed(e codexEvent) {
	r.closed, r.result.Cause, r.result.Said, r.result.Total = true, Fine, "", true
	if e.Usage != nil {
		r.usage.Tokens = &Tokens{In: max(0, e.Usage.In-e.Usage.Cached), Cached: e.Usage.Cached, Out: e.Usage.Out}
	}
}

func (r *codexReader) Usage() Usage { return r.usage }

func (r *codexReader) End(x Exit) Result {
	out := r.result
	out.Usage = r.usage
	if !r.closed {
		out.Reply = ""
		if out.Said == "" {
			out.Said = said(r.noise + " " + x.Errors)
		}
		if x.Code == 0 && r.spoke {
			out.Cause = Crashed
		}
		if out.Cause == Fine && x.Code != 0 {
			out.Cause = ByWords(out.Said + " " + x.Errors)
		}
	}
	return ended(out, x, r.spoke)
}
