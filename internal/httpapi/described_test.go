package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"brenner/internal/httpapi"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// described holds every answer to what the OpenAPI document says of it (X1): all
// the stories that are played over HTTP are its cases.
type described struct{ testing.TB }

// operation is a row of the document: which requests it is for, and the schema
// of its answer.
type operation struct {
	name, method string
	path         *regexp.Regexp
	literal      int
	answer       *jsonschema.Schema
}

var operations = sync.OnceValues(func() ([]operation, error) {
	var doc struct {
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
		Paths map[string]map[string]struct {
			ID        string `json:"operationId"`
			Responses struct {
				OK struct {
					Content map[string]any `json:"content"`
				} `json:"200"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(httpapi.OpenAPI(), &doc); err != nil {
		return nil, err
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(httpapi.OpenAPI()))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("openapi.json", whole); err != nil {
		return nil, err
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	var out []operation
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.Responses.OK.Content["application/json"] == nil {
				continue // a stream
			}
			at := fmt.Sprintf("openapi.json#/paths/%s/%s/responses/200/content/application~1json/schema", escape.Replace(path), method)
			answer, err := compiler.Compile(at)
			if err != nil {
				return nil, err
			}
			pattern := regexp.MustCompile(`\\{[^}]*\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+")
			out = append(out, operation{
				name: op.ID, method: strings.ToUpper(method), answer: answer, literal: -strings.Count(path, "{"),
				path: regexp.MustCompile("^" + regexp.QuoteMeta(doc.Servers[0].URL) + pattern + "$"),
			})
		}
	}
	return out, nil
})

func (d described) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || testing.Short() || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" {
		return res, err
	}
	all, err := operations()
	if err != nil {
		return nil, err
	}
	var op operation
	for _, o := range all {
		if o.method == req.Method && o.path.MatchString(req.URL.EscapedPath()) && (op.name == "" || o.literal > op.literal) {
			op = o
		}
	}
	if op.name == "" {
		d.Errorf("no operation is %s %s", req.Method, req.URL.Path)
		return res, nil
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return res, nil //nolint:nilerr // whoever asked meets it
	}
	answer, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = op.answer.Validate(answer)
	}
	if err != nil {
		d.Errorf("the answer of %s is not as described: %v", op.name, err)
	}
	return res, nil
}
