package apitest

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/canon"
)

// asking says how much of a request is filled in.
type asking struct {
	options bool // what may be left out, too
	flags   bool // are on
}

// Requests makes requests of a type: the empty one, and for every name of the
// vault some in which every text is that name: what has to be said, with flags
// off and on, and what may be said besides.
func (v Vault) Requests(t reflect.Type) []reflect.Value {
	out := []reflect.Value{reflect.Zero(t)}
	seen := map[string]bool{}
	for _, name := range v.Names {
		for _, how := range []asking{{}, {flags: true}, {options: true}, {options: true, flags: true}} {
			req := reflect.New(t).Elem()
			how.fill(req, name)
			if said := string(canon.MustMarshal(req.Interface())); !seen[said] {
				seen[said] = true
				out = append(out, req)
			}
		}
	}
	return out
}

func (how asking) fill(to reflect.Value, name string) {
	id := brenner.ArtifactID(name)
	switch to.Interface().(type) {
	case brenner.Ref:
		to.Set(reflect.ValueOf(brenner.Ref{Artifact: id, Version: 1}))
		return
	case api.Write, api.Page:
		return
	case api.DiffRequest:
		to.Set(reflect.ValueOf(api.DiffRequest{From: brenner.Ref{Artifact: id, Version: 1}, To: brenner.Ref{Artifact: id, Version: 2}}))
		return
	case api.ApplyPatchRequest:
		to.Set(reflect.ValueOf(api.ApplyPatchRequest{Ref: brenner.Ref{Artifact: id}, Patch: Guess(), DryRun: true, SummaryHolds: true, Rebase: how.flags}))
		return
	case api.ExplainPatchRequest:
		to.Set(reflect.ValueOf(api.ExplainPatchRequest{Ref: brenner.Ref{Artifact: id}, Patch: Guess()}))
		return
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(name)
	case reflect.Bool:
		to.SetBool(how.flags)
	case reflect.Struct:
		for i := range to.NumField() {
			f, of := to.Field(i), to.Type().Field(i)
			optional := strings.Contains(of.Tag.Get("json"), "omit")
			if f.CanSet() && of.Name != "Statuses" && (how.options || !optional || f.Kind() == reflect.Bool) {
				how.fill(f, name)
			}
		}
	case reflect.Slice: // of names
		if e := to.Type().Elem(); e.Kind() == reflect.String || e == reflect.TypeFor[brenner.Ref]() {
			to.Set(reflect.MakeSlice(to.Type(), 1, 1))
			how.fill(to.Index(0), name)
		}
	case reflect.Pointer:
		if how.flags {
			to.Set(reflect.New(to.Type().Elem()))
			how.fill(to.Elem(), name)
		}
	}
}

// readsFirst lists the methods of a service: those that write come last, because
// they change what the others would find.
func readsFirst(service reflect.Type) []reflect.Method {
	var reads, writes []reflect.Method
	for i := range service.NumMethod() {
		m := service.Method(i)
		if m.Type.NumIn() > 1 && m.Type.In(1).Implements(reflect.TypeFor[interface{ IdempotencyKey() string }]()) {
			writes = append(writes, m)
		} else {
			reads = append(reads, m)
		}
	}
	return append(reads, writes...)
}

// call asks the service and gives everything it says, and what was asked.
func call(ctx context.Context, svc api.Service, m reflect.Method, req reflect.Value) (answer, asked string) {
	in := []reflect.Value{reflect.ValueOf(ctx)}
	var written strings.Builder
	for i := 1; i < m.Type.NumIn(); i++ {
		if m.Type.In(i) == reflect.TypeFor[io.Writer]() {
			in = append(in, reflect.ValueOf(&written))
			continue
		}
		in = append(in, req)
		asked = string(canon.MustMarshal(req.Interface()))
	}
	out := reflect.ValueOf(svc).MethodByName(m.Name).Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	var said *brenner.Error
	switch {
	case errors.As(err, &said):
		return written.String() + string(canon.MustMarshal(said)) + err.Error(), asked
	case err != nil:
		return written.String() + err.Error(), asked
	}
	return written.String() + string(canon.MustMarshal(out[0].Interface())), asked
}

// AskEverything has a reader ask about everything with every method of a service,
// and is a failure for each marked word that it may not see. heard gives what came
// back since it was asked last, where more does than the service says; nil: the
// answer itself is looked at. It gives the number of calls.
func (v Vault) AskEverything(t *testing.T, reader Reader, svc api.Service, heard func() string) (calls int) {
	t.Helper()
	renew := func() {
		reader.Renew(t, svc)
		if heard != nil {
			heard()
		}
	}
	found, heardAny := map[string]bool{}, false
	for _, m := range readsFirst(reflect.TypeFor[api.Service]()) {
		if m.Name == "AssembleContext" { // which Renew asks for: it would change what the reader may see
			continue
		}
		in := []reflect.Value{{}}
		if last := m.Type.NumIn() - 1; last >= 1 && m.Type.In(last) != reflect.TypeFor[io.Writer]() {
			in = v.Requests(m.Type.In(last))
		}
		renew()
		for _, req := range in {
			answer, asked := call(t.Context(), svc, m, req)
			if strings.Contains(answer, string(brenner.CodeContextOverflow)) {
				renew()
				answer, asked = call(t.Context(), svc, m, req)
			}
			if heard != nil {
				answer += heard()
			}
			calls++
			heardAny = heardAny || strings.Contains(answer, Marker+"-")
			if said := reader.Leaks(answer, asked); said != "" && !found[m.Name+said] {
				found[m.Name+said] = true
				t.Errorf("%s(%.150s) says %s:\n%.600s", m.Name, asked, said, answer)
			}
		}
	}
	if reader.Reads() && !heardAny {
		t.Error("it was not shown what it may see either: this would pass on nothing")
	}
	return calls
}
