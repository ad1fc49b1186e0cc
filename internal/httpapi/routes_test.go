package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"brenner/api"
	"brenner/internal/schema"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// streamedMethods have handlers of their own.
var streamedMethods = map[string]bool{"Export": true}

func TestRoutes_EveryMethodOfTheServiceHasARow(t *testing.T) {
	service := reflect.TypeFor[api.Service]()
	if service.NumMethod() == 0 {
		t.Fatal("the service has no methods")
	}
	for m := range service.Methods() {
		r, ok := byName()[m.Name]
		switch {
		case streamedMethods[m.Name]:
		case !ok:
			t.Errorf("%s has no row in routes.go", m.Name)
		case r.out != m.Type.Out(0) || (r.in != nil) != (m.Type.NumIn() == 2) || (r.in != nil && r.in != m.Type.In(1)):
			t.Errorf("the row of %s is about other types", m.Name)
		}
	}
	if len(byName()) != len(routes()) {
		t.Errorf("%d rows, %d names", len(routes()), len(byName()))
	}
}

func TestRoutes_ParametersAreFieldsThatCanBeWrittenSo(t *testing.T) {
	for _, r := range routes() {
		if r.in == nil {
			if len(r.parameters()) > 0 {
				t.Errorf("%s has parameters and no request", r.name)
			}
			continue
		}
		fields := map[string]reflect.Type{}
		for _, f := range schema.Fields(r.in) {
			fields[f.Name] = f.Type
		}
		for _, name := range r.parameters() {
			if f := fields[name]; f == nil || !schema.IsText(f) {
				t.Errorf("%s: %s is not text of the request", r.name, name)
			}
		}
		if r.method == http.MethodGet {
			for name, f := range fields {
				if f.Kind() == reflect.Slice && !schema.IsText(f) {
					f = f.Elem()
				}
				if !schema.IsText(f) && f.Kind() != reflect.Bool && f.Kind() != reflect.Int && f.Kind() != reflect.Int64 {
					t.Errorf("%s: %s cannot stand in a query", r.name, name)
				}
			}
		}
	}
}

// recorder answers every request with an empty object.
type recorder struct{ seen *http.Request }

func (r *recorder) RoundTrip(h *http.Request) (*http.Response, error) {
	r.seen = h
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{},
		Trailer: http.Header{resultTrailer: {"{}"}},
	}, nil
}

func TestClient_EveryMethodGoesWhereItsRowSays(t *testing.T) {
	rec := &recorder{}
	c, err := NewClient("http://brenner.example/", "token", rec)
	if err != nil {
		t.Fatal(err)
	}
	for m := range reflect.TypeFor[api.Service]().Methods() {
		if streamedMethods[m.Name] {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			in := []reflect.Value{reflect.ValueOf(context.Background())}
			if m.Type.NumIn() == 2 {
				in = append(in, reflect.Zero(m.Type.In(1)))
			}
			rec.seen = nil
			out := reflect.ValueOf(c).MethodByName(m.Name).Call(in)
			if err, _ := out[1].Interface().(error); err != nil || rec.seen == nil {
				t.Fatalf("got %v", err)
			}
			r := byName()[m.Name]
			path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(prefix+r.path, elsewhere)
			if rec.seen.Method != r.method || rec.seen.URL.Path != path || rec.seen.Header.Get("Authorization") != "Bearer token" {
				t.Errorf("went to %s %s", rec.seen.Method, rec.seen.URL)
			}
		})
	}
}

// undescribed lists the members of the schemas in a part of the document that
// say nothing about themselves, nor refer to what does.
func undescribed(t *testing.T, part jsontext.Value) (names []string) {
	t.Helper()
	if len(part) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(part, &v); err != nil {
		t.Fatal(err)
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for name, p := range properties {
				if about := p.(map[string]any); about["description"] == nil && about["$ref"] == nil {
					names = append(names, name)
				}
			}
			for _, e := range v {
				look(e)
			}
		}
	}
	look(v)
	return names
}

// X1.
func TestOpenAPI_DescribesEveryRouteWithSchemasThatCompile(t *testing.T) {
	var doc struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]struct {
			ID         string         `json:"operationId"`
			Body       jsontext.Value `json:"requestBody"`
			Responses  jsontext.Value `json:"responses"`
			Parameters []struct {
				Name        string `json:"name"`
				In          string `json:"in"`
				Description string `json:"description"`
			} `json:"parameters"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Description string `json:"description"`
				} `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(OpenAPI(), &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%v, %q", err, doc.OpenAPI)
	}
	described := map[string]bool{}
	for path, methods := range doc.Paths {
		for _, op := range methods {
			described[op.ID] = true
			for _, part := range []jsontext.Value{op.Body, op.Responses} {
				for _, member := range undescribed(t, part) {
					t.Errorf("%s: %s is not described", op.ID, member)
				}
			}
			for _, p := range op.Parameters {
				if p.Description == "" {
					t.Errorf("%s: the parameter %s of %s is not described", op.ID, p.Name, path)
				}
				if p.In == "path" && strings.Contains(string(op.Body), fmt.Sprintf("%q:", p.Name)) {
					t.Errorf("%s demands %s in the path and in the body", op.ID, p.Name)
				}
			}
		}
	}
	members := 0
	for name, s := range doc.Components.Schemas {
		for member, about := range s.Properties {
			if members++; about.Description == "" {
				t.Errorf("%s.%s is not described", name, member)
			}
		}
	}
	if members < 1000 {
		t.Errorf("only %d members", members)
	}
	for _, r := range routes() {
		if !described[r.name] {
			t.Errorf("%s is not described", r.name)
		}
	}
	if !described["Export"] || !described["Feed"] {
		t.Error("the streams are not described")
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("openapi.json", whole); err != nil {
		t.Fatal(err)
	}
	if len(doc.Components.Schemas) < len(routes()) {
		t.Errorf("only %d schemas", len(doc.Components.Schemas))
	}
	for name := range doc.Components.Schemas {
		if _, err := compiler.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
