// Package modeltest is a language model for tests: a server on loopback that
// speaks the protocols of the providers, with a function for a mind.
//
// The programs under test are the real ones; what they are told is scripted.
// One server speaks four protocols at once, each streaming: the Messages API,
// the Responses API, chat completions, and generateContent. It can be told to
// be slow, overloaded, broken or cut off in the middle of a sentence.
package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Protocol is one way to ask a model.
type Protocol string

// The protocols.
const (
	Messages  Protocol = "messages"  // POST /v1/messages
	Responses Protocol = "responses" // POST /v1/responses
	Chat      Protocol = "chat"      // POST /v1/chat/completions
	Generate  Protocol = "generate"  // POST /v1beta/models/NAME:streamGenerateContent
)

// Ask is one request to the model, in whatever protocol it came.
type Ask struct {
	Protocol Protocol
	Model    string
	// Turn counts the answers that the conversation holds already.
	Turn int
	// Text is all that system and user have said, oldest first.
	Text string
	// Tools are the names on offer, as the program spells them.
	Tools []string
	// Results are what the tools answered that the last turn called.
	Results []string
	Header  http.Header
}

// Tool gives the name under which the program offers one of our tools, "" if
// it does not.
func (a Ask) Tool(name string) string {
	i := slices.IndexFunc(a.Tools, func(t string) bool {
		return t == name || strings.HasSuffix(t, "_"+name) || strings.HasSuffix(t, "."+name)
	})
	if i < 0 {
		return ""
	}
	return a.Tools[i]
}

// Answer is what the model says, and how well it is said.
type Answer struct {
	Think string
	Text  string
	Calls []Call
	// Refuse says that the model will not do it.
	Refuse bool
	// In, Out and Cached are the tokens it reports.
	In, Out, Cached int

	// Status, if not 0, is answered instead, with RetryAfter and Body.
	Status     int
	RetryAfter string
	Body       string
	// Wait is how long the first word takes.
	Wait time.Duration
	// Cut ends the connection before the answer is complete.
	Cut bool
}

// Call is a tool to be called.
type Call struct {
	Name      string
	Arguments any
}

// Server is a model that can be asked.
type Server struct {
	http  *httptest.Server
	think func(Ask) Answer

	mu   sync.Mutex
	asks []Ask
	n    int
}

// New serves a model until Close.
func New(think func(Ask) Answer) *Server {
	s := &Server{think: think}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]any{"input_tokens": 1}) })
	mux.HandleFunc("POST /v1/responses", s.responses)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1beta/models/{call}", s.generate)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted", "object": "model"}}})
	})
	s.http = httptest.NewServer(mux)
	return s
}

// URL is the address without a path.
func (s *Server) URL() string { return s.http.URL }

// Close ends the server and every connection.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Asks lists what the model was asked so far.
func (s *Server) Asks() []Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asks)
}

// ask records a request and thinks about it. Faults that come before the first
// word are dealt with here; then there is nothing left to answer.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, a Ask) (Answer, string, bool) {
	a.Header = r.Header
	s.mu.Lock()
	s.asks = append(s.asks, a)
	s.n++
	id := fmt.Sprintf("%s-%d", a.Protocol, s.n)
	s.mu.Unlock()
	answer := s.think(a)
	if answer.Wait > 0 {
		select {
		case <-time.After(answer.Wait):
		case <-r.Context().Done():
			return answer, id, false
		}
	}
	if answer.Status == 0 {
		return answer, id, true
	}
	if answer.RetryAfter != "" {
		w.Header().Set("Retry-After", answer.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Status)
	if answer.Body == "" {
		answer.Body = fault(a.Protocol, answer.Status)
	}
	_, _ = io.WriteString(w, answer.Body)
	return answer, id, false
}

// fault is what a provider says beside a status.
func fault(p Protocol, status int) string {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "api_error"
	}
	said := map[int]string{401: "invalid x-api-key", 404: "no such model", 429: "Rate limit reached", 529: "Overloaded"}[status]
	if said == "" {
		said = "Internal server error"
	}
	var body any = map[string]any{"error": map[string]any{"message": said, "type": kind, "code": kind}}
	switch p {
	case Messages:
		body = map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": said}}
	case Generate:
		body = map[string]any{"error": map[string]any{"code": status, "message": said, "status": strings.ToUpper(kind)}}
	}
	return mustJSON(body)
}

// events streams an answer as server-sent events.
type events struct {
	w    http.ResponseWriter
	cut  bool
	sent int
	last int
}

// stream begins the events of an answer; a cut one stops after so many.
func stream(w http.ResponseWriter, a Answer, last int) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return &events{w: w, cut: a.Cut, last: last}
}

// send writes one event, with a name where the protocol has names.
func (e *events) send(name string, data any) {
	if e.cut && e.sent >= e.last {
		panic(http.ErrAbortHandler)
	}
	e.sent++
	if name != "" {
		_, _ = fmt.Fprintf(e.w, "event: %s\n", name)
	}
	text, plain := data.(string)
	if !plain {
		text = mustJSON(data)
	}
	_, _ = fmt.Fprintf(e.w, "data: %s\n\n", text)
	e.w.(http.Flusher).Flush()
}

// pieces cuts a text as a model streams it, between characters.
func pieces(text string) []string {
	var out []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(24, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// readBody reads a request into v, leaving what v does not name alone.
func readBody(w http.ResponseWriter, r *http.Request, v any) bool {
	err := json.UnmarshalRead(io.LimitReader(r.Body, 64<<20), v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, mustJSON(v))
}

func mustJSON(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// plainText gives the text of a value that is a string or a list of parts.
func plainText(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	var parts []struct {
		Text    string         `json:"text"`
		Content jsontext.Value `json:"content"`
	}
	_ = json.Unmarshal(v, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
		if len(p.Content) > 0 {
			b.WriteString(plainText(p.Content))
		}
		b.WriteString("\n")
	}
	return b.String()
}
