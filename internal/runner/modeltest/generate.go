package modeltest

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

type generateRequest struct {
	System struct {
		Parts []generatePart `json:"parts"`
	} `json:"systemInstruction"`
	Contents []struct {
		Role  string         `json:"role"`
		Parts []generatePart `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

type generatePart struct {
	Text     string `json:"text"`
	Response *struct {
		Name     string         `json:"name"`
		Response jsontext.Value `json:"response"`
	} `json:"functionResponse"`
}

func (r generateRequest) ask(model string) Ask {
	a := Ask{Protocol: Generate, Model: model}
	for _, p := range r.System.Parts {
		a.Text += p.Text + "\n"
	}
	for _, c := range r.Contents {
		if c.Role == "model" {
			a.Turn++
			a.Results = nil
			continue
		}
		for _, p := range c.Parts {
			a.Text += p.Text + "\n"
			if p.Response != nil {
				a.Results = append(a.Results, string(p.Response.Response))
			}
		}
	}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			a.Tools = append(a.Tools, f.Name)
		}
	}
	return a
}

// generate streams as generateContent does: whole parts, usage on the last. A
// program that did not ask for a stream gets the last part alone.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	var req generateRequest
	if !readBody(w, r, &req) {
		return
	}
	if method == "countTokens" {
		writeJSON(w, map[string]any{"totalTokens": 1})
		return
	}
	answer, _, ok := s.ask(w, r, req.ask(model))
	if !ok {
		return
	}
	var parts []any
	for _, p := range pieces(answer.Text) {
		parts = append(parts, map[string]any{"text": p})
	}
	for _, c := range answer.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Name, "args": c.Arguments}})
	}
	finish := "STOP"
	if answer.Refuse {
		finish = "SAFETY"
	}
	last := func(parts []any) map[string]any {
		return map[string]any{
			"candidates": []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}, "finishReason": finish}},
			"usageMetadata": map[string]any{
				"promptTokenCount": answer.In + answer.Cached, "cachedContentTokenCount": answer.Cached,
				"candidatesTokenCount": answer.Out, "totalTokenCount": answer.In + answer.Cached + answer.Out,
			},
			"modelVersion": model,
		}
	}
	if method != "streamGenerateContent" {
		writeJSON(w, last(parts))
		return
	}
	e := stream(w, answer, 1)
	for _, p := range parts {
		e.send("", map[string]any{"candidates": []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": []any{p}}}}, "modelVersion": model})
	}
	e.send("", last([]any{map[string]any{"text": ""}}))
}
