package api_test

import (
	"reflect"
	"strings"
	"testing"

	"brenner/api"
)

// X1: every listing has one shape as JSON: what is listed are its "items", and
// where it comes in pages, "next" asks for more of them. A bullet's view is a
// bullet, whose records are beside it.
func TestLists_HaveOneShape(t *testing.T) {
	service := reflect.TypeFor[api.Service]()
	next := reflect.TypeFor[api.Next]()
	seen := 0
	for i := range service.NumMethod() {
		method := service.Method(i).Type
		if method.NumOut() != 2 || method.Out(0) == reflect.TypeFor[api.BulletView]() {
			continue
		}
		out := method.Out(0)
		if out.Kind() != reflect.Struct {
			continue
		}
		paged, items := false, false
		for _, f := range reflect.VisibleFields(out) {
			paged = paged || f.Type == next
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			items = items || name == "items" && f.Type.Kind() == reflect.Slice
		}
		if !paged && !strings.HasSuffix(out.Name(), "List") {
			continue
		}
		if seen++; !items {
			t.Errorf("%s: %s lists something, but not as items", service.Method(i).Name, out.Name())
		}
	}
	if seen < 20 {
		t.Errorf("only %d listings were seen", seen)
	}
}
