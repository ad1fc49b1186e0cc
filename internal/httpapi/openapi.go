package httpapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"brenner/api"
	"brenner/internal/schema"
)

// OpenAPI describes the API, from the table of routes.
var OpenAPI = sync.OnceValue(func() []byte { return mustJSON(newDocument().write()) })

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, "application/json", OpenAPI())
}

// document is an OpenAPI document being written: structs that are met on the
// way become components.
type document struct {
	schemas map[string]schema.Schema
	types   map[reflect.Type]string
}

func newDocument() *document {
	return &document{schemas: map[string]schema.Schema{}, types: map[reflect.Type]string{}}
}

type object = map[string]any

func (d *document) write() object {
	paths := object{}
	for _, r := range routes() {
		d.path(paths, r.path)[strings.ToLower(r.method)] = d.operation(r)
	}
	d.path(paths, "/export")["get"] = streamed("Export", "Export the project as JSON Lines", "application/jsonl")
	feed := streamed("Feed", "Follow the journal as server-sent events; persons only", "text/event-stream")
	feed["parameters"] = []object{
		{"name": "after", "in": "query", "schema": object{"type": "integer"}, "description": "start behind this record; default: from now on"},
		{"name": "Last-Event-ID", "in": "header", "schema": object{"type": "string"}, "description": "start behind this record, when a stream was cut"},
	}
	d.path(paths, "/feed")["get"] = feed
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Brenner", "version": "1", "description": "Shared, versioned memory for teams of agents. Errors are problem documents (RFC 9457) with a stable code."},
		"servers": []object{{"url": prefix}},
		"paths":   paths,
		"components": object{
			"schemas":         d.named(),
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
			"responses": object{"Problem": object{
				"description": "the request was refused",
				"content":     object{problemType: object{"schema": object{"$ref": d.ref(reflect.TypeFor[trouble]())}}},
			}},
		},
		"security": []object{{"token": []string{}}},
	}
}

func (d *document) path(paths object, name string) object {
	if paths[name] == nil {
		paths[name] = object{}
	}
	return paths[name].(object)
}

func streamed(id, summary, kind string) object {
	return object{"operationId": id, "summary": summary, "responses": object{
		"200":     object{"description": "a stream", "content": object{kind: object{}}},
		"default": object{"$ref": "#/components/responses/Problem"},
	}}
}

func (d *document) operation(r route) object {
	op := object{
		"operationId": r.name, "summary": r.summary,
		"responses": object{
			"200": object{"description": "the result", "content": object{
				"application/json": object{"schema": object{"$ref": d.ref(r.out)}},
			}},
			"default": object{"$ref": "#/components/responses/Problem"},
		},
	}
	if parameters := d.parameters(r); len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if r.method == http.MethodPost && r.in != nil && len(schema.Fields(r.in)) > 0 {
		op["requestBody"] = object{"content": object{"application/json": object{"schema": d.body(r)}}}
	}
	return op
}

// body describes what is sent besides what the path says already.
func (d *document) body(r route) schema.Schema {
	if len(r.parameters()) == 0 {
		return schema.Schema{"$ref": d.ref(r.in)}
	}
	out := d.writer().Of(r.in)
	properties, _ := out["properties"].(schema.Schema)
	required, _ := out["required"].([]string)
	for _, name := range r.parameters() {
		delete(properties, name)
		required = slices.DeleteFunc(required, func(n string) bool { return n == name })
	}
	if out["required"] = required; len(required) == 0 {
		delete(out, "required")
	}
	return out
}

func (d *document) parameters(r route) []object {
	var out []object
	inPath, about := map[string]bool{}, map[string]string{}
	if r.in != nil {
		for _, f := range schema.Fields(r.in) {
			about[f.Name] = describe(f)
		}
	}
	for _, name := range r.parameters() {
		inPath[name] = true
		out = append(out, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}, "description": about[name]})
	}
	if r.in == nil {
		return out
	}
	if r.method == http.MethodGet {
		for _, f := range schema.Fields(r.in) {
			if !inPath[f.Name] {
				out = append(out, object{"name": f.Name, "in": "query", "required": !f.Optional, "schema": d.writer().Of(f.Type), "description": about[f.Name]})
			}
		}
		return out
	}
	if reflect.PointerTo(r.in).Implements(reflect.TypeFor[api.Writer]()) {
		out = append(out, object{"name": keyHeader, "in": "header", "schema": object{"type": "string"}, "description": "makes the request safe to repeat; the answer to a repeat has the header " + duplicateHeader})
	}
	return out
}

func (d *document) writer() schema.Writer { return schema.Writer{Ref: d.ref, Doc: describe} }

// describe says what a member is: what the code says of it, or else what its
// name means everywhere.
func describe(f schema.Field) string {
	if words := fieldWords()[f.Owner.PkgPath()+"."+f.Owner.Name()+"."+f.GoName]; words != "" {
		return words
	}
	return commonWords()[f.Name]
}

// ref names the component of a struct, which it describes on first sight.
func (d *document) ref(t reflect.Type) string {
	name, known := d.types[t]
	if !known {
		name = d.free(t)
		d.types[t] = name
		d.schemas[name] = schema.Schema{} // taken, while what is inside is described
		d.schemas[name] = d.writer().Of(t)
	}
	return "#/components/schemas/" + name
}

// free gives a struct a name that no other has.
func (d *document) free(t reflect.Type) string {
	name := t.Name()
	if name == "" || name == "trouble" {
		name = "Problem"
	}
	for d.schemas[name] != nil {
		pkg := t.PkgPath()
		pkg = pkg[strings.LastIndexByte(pkg, '/')+1:]
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}

func (d *document) named() object {
	// The problem itself is described by the response that refers to it.
	d.ref(reflect.TypeFor[trouble]())
	out := object{}
	for name, s := range d.schemas {
		out[name] = s
	}
	return out
}
