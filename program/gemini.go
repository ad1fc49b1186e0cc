package program

import (
	"strings"

	"github.com/go-json-experiment/json"
)

// geminiReader follows Gemini CLI's stream-json: an init, messages in pieces,
// tools, and a result at the end.
type geminiReader struct {
	result Result
	usage  Usage
	reply  strings.Builder
	spoke  bool
	closed bool
	noise  string
}

type geminiEvent struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Model     string `json:"model"`
	Role      string `json:"role"`
	Content   string `json:"content"`
	Tool      string `json:"tool_name"`
	Message   string `json:"message"`
	Status    string `json:"status"`
	Error     struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		In     int64 `json:"input"` // without what was cached
		Cached int64 `json:"cached"`
		Out    int64 `json:"output_tokens"`
	} `json:"stats"`
}

func (r *geminiReader) Line(line []byte) []Event {
	var e geminiEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		r.noise = string(line)
		return nil
	}
	r.spoke = true
	switch e.Type {
	case "init":
		r.result.Conversation, r.result.Model = e.SessionID, e.Model
		return []Event{{Does: "starts"}}
	case "message":
		if e.Role == "assistant" {
			r.reply.WriteString(e.Content)
			return []Event{{Does: "writes"}}
		}
		return []Event{{Does: "thinks"}}
	case "tool_use":
		r.usage.Turns++
		r.reply.Reset() // what was said before a tool is not the last word
		return []Event{{Does: toolName(e.Tool)}}
	case "tool_result":
		return []Event{{Does: "thinks"}}
	case "error":
		r.result.Said = said(e.Message)
	case "result":
		r.finish(e)
	}
	return nil
}

func (r *geminiReader) finish(e geminiEvent) {
	r.closed = true
	r.usage.Turns++
	r.usage.Tokens = &Tokens{In: e.Stats.In, Cached: e.Stats.Cached, Out: e.Stats.Out}
	if e.Status == "success" {
		r.result.Cause, r.result.Said, r.result.Reply = Fine, "", r.reply.String()
		return
	}
	r.result.Said = said(e.Error.Message)
	r.result.Cause = ByWords(e.Error.Type + " " + e.Error.Message)
}

func (r *geminiReader) Usage() Usage { return r.usage }

// The statuses with which Gemini CLI ends when it knows why.
var geminiExits = map[int]Cause{41: NotLoggedIn, 53: OutOfTurns}

func (r *geminiReader) End(x Exit) Result {
	out := r.result
	out.Usage = r.usage
	if out.Cause == Fine && x.Code != 0 {
		out.Cause = geminiExits[x.Code]
		if out.Said == "" {
			out.Said = said(x.Errors)
		}
	}
	if !r.closed && out.Cause == Fine {
		out.Said = said(r.noise + " " + x.Errors)
		if x.Code == 0 && r.spoke {
			out.Cause = Crashed
		}
	}
	return ended(out, x, r.spoke)
}
