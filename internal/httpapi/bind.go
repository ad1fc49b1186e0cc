package httpapi

import (
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/admission"
	"brenner/internal/schema"
	"brenner/program"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	keyHeader = "Idempotency-Key"
	// elsewhere in the place of a path parameter says that its value stands in
	// the query or the body, where it need not look like a part of a path.
	elsewhere = "_"
)

// bind reads the request of a route: query or body, then path and headers. It
// gives a pointer to the request struct, or nil where the route takes none.
func (r route) bind(h *http.Request) (any, error) {
	if r.in == nil {
		return nil, r.bindNothing(h)
	}
	req := reflect.New(r.in)
	members, err := r.members(h)
	if err != nil {
		return nil, err
	}
	if len(schema.Fields(r.in)) > 0 || string(members) != "{}" {
		if err := canon.Unmarshal(members, req.Interface()); err != nil {
			return nil, err
		}
	}
	if err := r.bindPath(h, req.Elem()); err != nil {
		return nil, err
	}
	return req.Interface(), bindHeaders(h, req.Elem())
}

func (r route) bindNothing(h *http.Request) error {
	members, err := r.members(h)
	if err == nil && string(members) != "{}" {
		err = brenner.Errorf(brenner.CodeInvalidJSON, "this takes no request")
	}
	return err
}

// members gives the request as a JSON object: the body, or for GET the query.
func (r route) members(h *http.Request) (jsontext.Value, error) {
	query, err := url.ParseQuery(h.URL.RawQuery)
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "the query cannot be read").Because(err)
	}
	if r.method == http.MethodGet {
		return r.fromQuery(query)
	}
	if len(query) > 0 {
		return nil, unknownParameter(query, nil)
	}
	return readBody(h)
}

// readBody reads the body within its limit, which the server set.
func readBody(h *http.Request) (jsontext.Value, error) {
	raw, err := admission.ReadBody(h.Body, h.ContentLength)
	if err != nil {
		return nil, bodyError(err)
	}
	if len(raw) == 0 {
		return jsontext.Value("{}"), nil
	}
	// Only a script of our own can send this type from a browser without
	// asking first.
	if kind, _, err := mime.ParseMediaType(h.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "the body is not of type application/json").
			WithHint("set the header Content-Type: application/json")
	}
	return raw, admission.CheckValues(raw)
}

// fromQuery makes a JSON object of query parameters, by the types of the
// fields they name.
func (r route) fromQuery(query url.Values) (jsontext.Value, error) {
	fields := map[string]schema.Field{}
	if r.in != nil {
		for _, f := range schema.Fields(r.in) {
			fields[f.Name] = f
		}
	}
	members := map[string]any{}
	for name, values := range query {
		f, ok := fields[name]
		if !ok {
			return nil, unknownParameter(query, fields)
		}
		v, err := parameter(f, values)
		if err != nil {
			return nil, err
		}
		members[name] = v
	}
	return canon.Marshal(members)
}

func unknownParameter(query url.Values, fields map[string]schema.Field) error {
	var known, unknown []string
	for name := range fields {
		known = append(known, name)
	}
	for name := range query {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(known)
	err := brenner.Errorf(brenner.CodeInvalidValue, "unknown parameter %q", brenner.Clip(slices.Min(unknown), brenner.MaxQuote))
	if len(known) > 0 {
		err.Hint = "this takes " + strings.Join(known, ", ")
	}
	return err
}

// parameter is the JSON value of a query parameter.
func parameter(f schema.Field, values []string) (any, error) {
	t := f.Type
	if t.Kind() == reflect.Slice && !schema.IsText(t) {
		list := []any{}
		for _, v := range values {
			one, err := scalar(f.Name, t.Elem(), v)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, nil
	}
	if len(values) != 1 {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "%s is given %d times", f.Name, len(values)).At("/" + f.Name)
	}
	return scalar(f.Name, t, values[0])
}

func scalar(name string, t reflect.Type, text string) (any, error) {
	var v any
	var err error
	switch {
	case !utf8.ValidString(text):
		return nil, brenner.Errorf(brenner.CodeInvalidText, "%s is not UTF-8", name).At("/" + name)
	case schema.IsText(t):
		return text, nil
	case t.Kind() == reflect.Bool:
		v, err = strconv.ParseBool(text)
	case t == reflect.TypeFor[program.Money]():
		v, err = program.ParseMoney(text)
	default:
		v, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a value of %s", brenner.Clip(text, brenner.MaxQuote), name).At("/" + name)
	}
	return v, nil
}

// bindPath sets the fields that the path names. A value that the body or the
// query gives too must be the same.
func (r route) bindPath(h *http.Request, req reflect.Value) error {
	for _, name := range r.parameters() {
		text := h.PathValue(name)
		if text == elsewhere {
			continue
		}
		raw, err := canon.Marshal(map[string]string{name: text})
		if err != nil {
			return err
		}
		fresh := reflect.New(r.in)
		if err := canon.Unmarshal(raw, fresh.Interface()); err != nil {
			return err
		}
		i := slices.IndexFunc(schema.Fields(r.in), func(f schema.Field) bool { return f.Name == name })
		at := schema.Fields(r.in)[i].Index
		has, got := req.FieldByIndex(at), fresh.Elem().FieldByIndex(at)
		if !has.IsZero() && !has.Equal(got) {
			return brenner.Errorf(brenner.CodeInvalidValue, "%s is one thing in the path and another in the body", name).At("/" + name)
		}
		has.Set(got)
	}
	return nil
}

// bindHeaders sets what HTTP has a header for: the idempotency key of a write,
// and the head that an update expects.
func bindHeaders(h *http.Request, req reflect.Value) error {
	if w, writes := req.Addr().Interface().(api.Writer); writes {
		key, err := readKey(h.Header.Get(keyHeader))
		if err != nil {
			return err
		}
		w.Writing().Key = key
	}
	update, ok := req.Addr().Interface().(*api.UpdateArtifactRequest)
	if match := h.Header.Get("If-Match"); ok && match != "" {
		v, err := versionOf(match)
		if err != nil {
			return err
		}
		update.Expect = v
	}
	return nil
}

// extended starts a header value in the form of RFC 8187, which can carry any
// text.
const extended = "UTF-8''"

func writeKey(key string) string {
	for _, c := range []byte(key) {
		if c < '!' || c > '~' {
			return extended + url.PathEscape(key)
		}
	}
	return key
}

func readKey(value string) (string, error) {
	escaped, ok := strings.CutPrefix(value, extended)
	if !ok {
		return value, nil
	}
	key, err := url.PathUnescape(escaped)
	if err != nil {
		return "", brenner.Errorf(brenner.CodeInvalidValue, "the idempotency key cannot be read").Because(err)
	}
	return key, nil
}
