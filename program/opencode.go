package program

import (
	"strings"

	"github.com/go-json-experiment/json"
)

// opencodeReader follows opencode's JSON events: steps, each with its cost, and
// the parts of an answer in them. There is no last event; the process ends.
type opencodeReader struct {
	result Result
	usage  Usage
	spoke  bool
	open   bool // a step is under way
	noise  string
}

type opencodeEvent struct {
	Type      string `json:"type"`
	SessionID string `json:"sessionID"`
	Part      struct {
		Text   string `json:"text"`
		Tool   string `json:"tool"`
		Reason string `json:"reason"`
		Tokens *struct {
			In    int64 `json:"input"`
			Out   int64 `json:"output"`
			Cache struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		Cost float64 `json:"cost"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

func (r *opencodeReader) Line(line []byte) []Event {
	var e opencodeEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		r.noise = string(line)
		return nil
	}
	r.spoke = true
	if e.SessionID != "" {
		r.result.Conversation = e.SessionID
	}
	switch e.Type {
	case "step_start":
		r.open, r.result.Reply = true, ""
		return []Event{{Does: "thinks"}}
	case "text":
		r.result.Reply = strings.TrimPrefix(r.result.Reply+"\n"+e.Part.Text, "\n")
		return []Event{{Does: "writes"}}
	case "tool_use":
		return []Event{{Does: toolName(e.Part.Tool)}}
	case "step_finish":
		r.step(e)
	case "error":
		r.result.Said = said(e.Error.Name + ": " + e.Error.Data.Message)
		r.result.Cause = opencodeCause(e.Error.Name, e.Error.Data.Status, r.result.Said)
	}
	return nil
}

// opencodeCause reads an error; one of its own that it calls unknown says
// nothing, whatever its words.
func opencodeCause(name string, status int, said string) Cause {
	if cause := ByStatus(status); cause != Crashed {
		return cause
	}
	if name == "UnknownError" {
		return Crashed
	}
	return ByWords(said)
}

// step adds what a step used. A cost of 0 for tokens means that opencode knows
// no price, which is not the same as nothing.
func (r *opencodeReader) step(e opencodeEvent) {
	r.open = false
	r.usage.Turns++
	if t := e.Part.Tokens; t != nil {
		if r.usage.Tokens == nil {
			r.usage.Tokens = &Tokens{}
		}
		r.usage.Tokens.In += t.In + t.Cache.Write
		r.usage.Tokens.Cached += t.Cache.Read
		r.usage.Tokens.Out += t.Out
	}
	if cost, ok := Dollars(e.Part.Cost); ok && cost > 0 {
		if r.usage.Cost != nil {
			cost += *r.usage.Cost
		}
		r.usage.Cost = &cost
	}
	switch e.Part.Reason {
	case "content-filter":
		r.result.Cause = Declined
	case "error", "length":
		r.result.Said = "it stopped: " + e.Part.Reason
	}
}

func (r *opencodeReader) Usage() Usage { return r.usage }

func (r *opencodeReader) End(x Exit) Result {
	out := r.result
	out.Usage = r.usage
	if out.Cause == Fine && r.open {
		out.Cause, out.Reply = Crashed, ""
	}
	if out.Said == "" && (!r.spoke || out.Cause == Crashed) {
		out.Said = said(r.noise + " " + x.Errors)
	}
	return ended(out, x, r.spoke)
}
