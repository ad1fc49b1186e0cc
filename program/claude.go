package program

import (
	"strings"
	"time"

	"brenner"

	"github.com/go-json-experiment/json"
)

// claudeReader follows Claude Code's stream-json: an init, a message per block
// of each answer, the results of tools, and a result at the end.
type claudeReader struct {
	result Result
	usage  Usage
	last   string // id of the answer under way
	spoke  bool   // an event of its own was read
	closed bool   // the result was read
	noise  string
}

type claudeEvent struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`
	Model     string `json:"model"`
	Error     string `json:"error"`
	Message   struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Content []struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"content"`
		Usage claudeUsage `json:"usage"`
	} `json:"message"`

	// Of a retry.
	RetryDelay float64 `json:"retry_delay_ms"`
	Status     int     `json:"error_status"`

	// Of the result.
	IsError    bool     `json:"is_error"`
	APIStatus  int      `json:"api_error_status"`
	Result     string   `json:"result"`
	StopReason string   `json:"stop_reason"`
	Turns      int      `json:"num_turns"`
	Cost       *float64 `json:"total_cost_usd"`
	ModelUsage map[string]struct {
		In      int64 `json:"inputTokens"`
		Out     int64 `json:"outputTokens"`
		Cached  int64 `json:"cacheReadInputTokens"`
		Written int64 `json:"cacheCreationInputTokens"`
	} `json:"modelUsage"`
	Errors []string `json:"errors"`
}

type claudeUsage struct {
	In      int64 `json:"input_tokens"`
	Out     int64 `json:"output_tokens"`
	Cached  int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
}

// claudeCauses are the errors that the stream names.
var claudeCauses = map[string]Cause{
	"authentication_failed": NotLoggedIn, "oauth_org_not_allowed": NotLoggedIn, "billing_error": NotLoggedIn,
	"rate_limit": RateLimited, "overloaded": Overloaded, "server_error": Overloaded,
	"model_not_found": NoModel,
}

func (r *claudeReader) Line(line []byte) []Event {
	var e claudeEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		r.noise = string(line)
		return nil
	}
	r.spoke = true
	if e.SessionID != "" {
		r.result.Conversation = e.SessionID
	}
	switch e.Type {
	case "system":
		return r.system(e)
	case "assistant":
		return r.answer(e)
	case "user":
		return []Event{{Does: "thinks"}}
	case "result":
		r.finish(e)
	}
	return nil
}

func (r *claudeReader) system(e claudeEvent) []Event {
	switch e.Subtype {
	case "init":
		r.result.Model = e.Model
		return []Event{{Does: "starts"}}
	case "api_retry":
		r.result.RetryAfter = brenner.Duration(e.RetryDelay * float64(time.Millisecond))
		return []Event{{Does: "waits: " + byStatusOr(e.Status, claudeCauses[e.Error]).Sentence()}}
	case "model_refusal_no_fallback":
		r.result.Cause = Declined
	}
	return nil
}

func byStatusOr(status int, known Cause) Cause {
	if known != Fine {
		return known
	}
	return ByStatus(status)
}

func (r *claudeReader) answer(e claudeEvent) []Event {
	if e.Error != "" && r.result.Cause == Fine {
		r.result.Cause = claudeCauses[e.Error]
	}
	if m := e.Message; m.ID != r.last && e.Error == "" {
		// Every block of an answer repeats its usage.
		r.last = m.ID
		r.usage.Turns++
		if r.usage.Tokens == nil {
			r.usage.Tokens = &Tokens{}
		}
		r.usage.Tokens.In += m.Usage.In + m.Usage.Written
		r.usage.Tokens.Cached += m.Usage.Cached
		r.usage.Tokens.Out += m.Usage.Out
	}
	var events []Event
	for _, c := range e.Message.Content {
		switch c.Type {
		case "tool_use":
			events = append(events, Event{Does: toolName(c.Name)})
		case "text":
			events = append(events, Event{Does: "writes"})
		case "thinking":
			events = append(events, Event{Does: "thinks"})
		}
	}
	return events
}

// toolName is a tool as people read it: ours without the name of the server.
func toolName(name string) string {
	for _, prefix := range []string{"mcp__" + server + "__", "mcp_" + server + "_", server + "_", server + "."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return "uses " + brenner.Clip(name, 60)
}

// finish takes the numbers of the result, which count every model that was
// asked, for those of the answers.
func (r *claudeReader) finish(e claudeEvent) {
	r.closed = true
	if len(e.ModelUsage) > 0 {
		sum := &Tokens{}
		for _, m := range e.ModelUsage { // order-free: sums
			sum.In += m.In + m.Written
			sum.Cached += m.Cached
			sum.Out += m.Out
		}
		r.usage.Tokens = sum
	}
	r.usage.Turns = e.Turns
	if e.Cost != nil {
		if cost, ok := Dollars(*e.Cost); ok {
			r.usage.Cost = &cost
		}
	}
	if !e.IsError {
		r.result.Cause, r.result.Reply, r.result.RetryAfter = Fine, e.Result, 0
		return
	}
	r.result.Said = said(e.Result + " " + strings.Join(e.Errors, " "))
	switch {
	case e.Subtype == "error_max_turns":
		r.result.Cause = OutOfTurns
	case e.Subtype == "error_max_budget_usd":
		r.result.Cause = OutOfMoney
	case e.StopReason == "refusal":
		r.result.Cause = Declined
	case r.result.Cause != Fine:
	case e.APIStatus != 0:
		r.result.Cause = ByStatus(e.APIStatus)
	default:
		r.result.Cause = ByWords(r.result.Said)
	}
}

func (r *claudeReader) Usage() Usage { return r.usage }

func (r *claudeReader) End(x Exit) Result {
	out := r.result
	out.Usage = r.usage
	if !r.closed && out.Cause == Fine {
		// Cut off in the middle: what was said last is no answer.
		out.Said = said(r.noise + " " + x.Errors)
		if x.Code == 0 && r.spoke {
			out.Cause = Crashed
		}
	}
	return ended(out, x, r.spoke)
}
